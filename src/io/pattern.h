/* Where each I/O goes, how large it is and in which direction: drawn from tables that are made
 * once per phase, with multiplications and comparisons only. One pattern belongs to one worker's
 * share of one lane; the same seed repeats the same accesses.
 *
 * Shares of streams and directions are exact, not only likely: at every moment the writes of a
 * stream are within one I/O of write share x I/Os of that stream, and the I/Os of a stream within
 * one of its share (of three or four streams: within three). Each choice is a draw
 * against what is owed: the share plus what earlier choices left over, between 0 and 1. So the next
 * direction cannot be foretold as long as both are allowed, yet the error never adds up. What is
 * owed goes on into the next phase when its shares are the same. */
#ifndef IO_PATTERN_H
#define IO_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"
#include "io/load.h"
#include "io/target.h"

struct io_access {
	uint64_t offset;
	uint32_t length;
	bool write;
};

#define IO_PLACE_MAX (IO_REGION_MAX + 1) /* place 0: anywhere in the area */

/* One direction of a stream: block sizes by the alias method, places by cumulative shares. Shares
 * are thresholds in 2^-32: a draw of 32 bits below it means yes. */
struct io_pattern_direction {
	uint32_t count;
	uint32_t bytes[IO_MIX_MAX];
	uint64_t keep_below[IO_MIX_MAX];
	uint32_t alias[IO_MIX_MAX];
	uint64_t step[IO_MIX_MAX]; /* random offsets are multiples of it */
	uint64_t positions[IO_PLACE_MAX][IO_MIX_MAX];
	uint64_t place_below[IO_PLACE_MAX]; /* of place 1.. */
};

/* A choice that comes out yes for an exact share: in 2^-52, owed within -1..2. */
struct io_pattern_choice {
	int64_t share, owed;
};

struct io_pattern_stream {
	struct io_pattern_choice
		taken; /* this stream, of those from here on; of the last: always */
	struct io_pattern_choice write;
	uint64_t random_below;
	bool cover;
	uint32_t place_count;
	struct {
		uint64_t start;
		uint64_t first, end, cursor; /* this worker's part of a sequential pass */
	} place[IO_PLACE_MAX];
	struct io_pattern_direction direction[2]; /* reads, writes */
};

struct io_pattern {
	struct rng rng;
	/* The commonest load, reads of one size anywhere, takes one draw. */
	bool simple;
	uint32_t simple_bytes;
	uint64_t simple_positions, simple_step, simple_start;
	uint32_t stream_count;
	struct io_pattern_stream streams[IO_STREAM_MAX];
};

/* The load has passed io_load_check for the target. Worker `share` of `shares` of this lane runs
 * its own part of sequential passes. */
void io_pattern_init(struct io_pattern *pattern, const struct io_load *load,
	const struct io_target *target, uint64_t seed, uint32_t share, uint32_t shares);
/* The same for a pattern that is all zero or was of an earlier phase: keeps what is owed. */
void io_pattern_renew(struct io_pattern *pattern, const struct io_load *load,
	const struct io_target *target, uint64_t seed, uint32_t share, uint32_t shares);
/* Of one sequential stream: from now on its last block is cut to what is left of this worker's part,
 * so that one pass covers it all, instead of wrapping where no whole block fits. Returns the bytes
 * of the part. */
uint64_t io_pattern_cover(struct io_pattern *pattern);
void io_pattern_draw(struct io_pattern *pattern, struct io_access *out);

static inline void io_pattern_next(struct io_pattern *pattern, struct io_access *out)
{
	if (!pattern->simple) {
		io_pattern_draw(pattern, out);
		return;
	}
	out->offset = pattern->simple_start +
		rng_below(&pattern->rng, pattern->simple_positions) * pattern->simple_step;
	out->length = pattern->simple_bytes;
	out->write = false;
}

/* Beginning of part `share` of `shares` of length bytes, in multiples of unit; share == shares
 * gives length. */
uint64_t io_pattern_split(uint64_t length, uint64_t unit, uint32_t share, uint32_t shares);

#endif
