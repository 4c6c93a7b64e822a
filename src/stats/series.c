/* Append-only interval series that other threads read while it grows.
 *
 * Chunk c holds FIRST << c intervals, so that a table of a few pointers reaches any length, no
 * interval ever moves, and the place of an index is a bit count away.
 */
#include "stats/series.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/err.h"

#define FIRST_BITS 6
#define FIRST (UINT64_C(1) << FIRST_BITS)
#define CHUNKS 40

struct series {
	atomic_uint references;
	/* Everything below it is written; stored with release by the one writer. */
	atomic_size_t count;
	struct interval *chunks[CHUNKS];
};

struct series *series_create(void)
{
	struct series *series = mem_alloc(sizeof(*series));

	atomic_init(&series->references, 1);
	atomic_init(&series->count, 0);
	return series;
}

struct series *series_ref(struct series *series)
{
	atomic_fetch_add_explicit(&series->references, 1, memory_order_relaxed);
	return series;
}

void series_unref(struct series *series)
{
	if (!series)
		return;
	/* acq_rel: the last owner frees what every other one has finished reading. */
	if (atomic_fetch_sub_explicit(&series->references, 1, memory_order_acq_rel) != 1)
		return;
	for (size_t c = 0; c < CHUNKS; c++)
		free(series->chunks[c]);
	free(series);
}

/* Index to chunk and place in it: shifted by FIRST, chunk c begins at FIRST << c. */
static unsigned chunk_of(size_t index, size_t *place)
{
	const uint64_t shifted = (uint64_t)index + FIRST;
	const unsigned chunk = 63u - (unsigned)__builtin_clzll(shifted) - FIRST_BITS;

	*place = (size_t)(shifted - (FIRST << chunk));
	return chunk;
}

void series_append(struct series *series, const struct interval *interval)
{
	const size_t count = atomic_load_explicit(&series->count, memory_order_relaxed);
	size_t place;
	const unsigned chunk = chunk_of(count, &place);

	if (!series->chunks[chunk])
		series->chunks[chunk] =
			mem_alloc((size_t)(FIRST << chunk) * sizeof(*series->chunks[chunk]));
	series->chunks[chunk][place] = *interval;
	atomic_store_explicit(&series->count, count + 1, memory_order_release);
}

size_t series_count(const struct series *series)
{
	return atomic_load_explicit(&series->count, memory_order_acquire);
}

const struct interval *series_at(const struct series *series, size_t index)
{
	size_t place;
	const unsigned chunk = chunk_of(index, &place);

	return &series->chunks[chunk][place];
}
