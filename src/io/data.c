/* Content of writes, about as fast as memory is copied. */
#include "io/data.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fits every second-level cache. Slices begin at multiples of KEY. */
#define TABLE_BYTES ((size_t)64 << 10)
#define KEY 64u
#define SLICES ((TABLE_BYTES - IO_DATA_UNIT) / KEY + 1)

typedef uint64_t lane __attribute__((vector_size(16), may_alias));

int io_data_create(struct io_data *data, uint64_t seed, struct err *err)
{
	memset(data, 0, sizeof(*data));
	data->table = aligned_alloc(KEY, TABLE_BYTES);
	if (!data->table)
		return err_set(err, -ENOMEM, "no memory for the data to write");
	rng_seed(&data->rng, seed, 0);
	for (size_t i = 0; i < TABLE_BYTES; i += sizeof(uint64_t)) {
		const uint64_t word = rng_next(&data->rng);

		memcpy(data->table + i, &word, sizeof(word));
	}
	data->random_bytes = IO_DATA_UNIT;
	return 0;
}

void io_data_destroy(struct io_data *data)
{
	free(data->table);
	data->table = NULL;
}

void io_data_set_reducible(struct io_data *data, double share)
{
	const double zero = share > 0 ? fmin(share, 1) : 0;

	data->random_bytes = (uint32_t)lrint((1 - zero) * IO_DATA_UNIT);
}

/* Whole keys first; the rest of a slice that is no multiple of the key's length byte by byte. */
static void fill(struct io_data *data, unsigned char *to, uint32_t bytes)
{
	const unsigned char *from = data->table + rng_below(&data->rng, SLICES) * KEY;
	uint64_t words[KEY / sizeof(uint64_t)];
	lane key[KEY / sizeof(lane)];
	uint32_t at = 0;

	for (size_t i = 0; i < KEY / sizeof(uint64_t); i++)
		words[i] = rng_next(&data->rng);
	memcpy(key, words, sizeof(key));
	for (; at + KEY <= bytes; at += KEY) {
		const lane *source = (const lane *)(const void *)(from + at);
		lane *target = (lane *)(void *)(to + at);

		target[0] = source[0] ^ key[0];
		target[1] = source[1] ^ key[1];
		target[2] = source[2] ^ key[2];
		target[3] = source[3] ^ key[3];
	}
	for (uint32_t i = 0; at + i < bytes; i++)
		to[at + i] = from[at + i] ^ ((const unsigned char *)words)[i];
}

void io_data_refill(struct io_data *data, void *to, uint32_t length)
{
	unsigned char *at = to;

	while (length) {
		const uint32_t unit = length < IO_DATA_UNIT ? length : IO_DATA_UNIT;
		uint32_t random = data->random_bytes;

		if (unit < IO_DATA_UNIT) /* a power of two below: no division */
			random = (uint32_t)((uint64_t)random * unit / IO_DATA_UNIT);
		fill(data, at, random);
		if (random < unit)
			memset(at + random, 0, unit - random);
		at += unit;
		length -= unit;
	}
}
