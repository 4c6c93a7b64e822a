/* What to do to the targets: the load of one phase. Plain data, made by sweep from a workload. */
#ifndef IO_LOAD_H
#define IO_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#define IO_MIX_MAX 16

enum io_arrivals { IO_ARRIVALS_EXPONENTIAL, IO_ARRIVALS_UNIFORM, IO_ARRIVALS_CONSTANT };
enum io_pace { IO_PACE_AUTO, IO_PACE_SPIN, IO_PACE_SLEEP };

/* Block sizes with their shares; shares sum to 1. */
struct io_mix {
	uint32_t count;
	struct {
		uint32_t bytes;
		double share;
	} size[IO_MIX_MAX];
};

/* A sub-range of the area, for a share of the I/O (replica ranges, log areas). Fractions of the
 * area 0..1. */
struct io_region {
	double start, length;
	double read_share,
		write_share; /* of all reads / writes that go here; the rest goes anywhere */
};
#define IO_REGION_MAX 4

/* One stream of the load. A workload has one or more (oracle: 99 % and 1 %). */
struct io_stream {
	double share;        /* of all I/O; streams sum to 1 */
	double read_share;   /* 0..1 */
	double random_share; /* 0..1; the rest is sequential, wrapping round the area */
	struct io_mix read_mix, write_mix;
	struct io_region regions[IO_REGION_MAX];
	uint32_t region_count;
};
#define IO_STREAM_MAX 4

struct io_load {
	struct io_stream streams[IO_STREAM_MAX];
	uint32_t stream_count;
	uint32_t outstanding; /* most in flight per lane (target) */
	double rate_iops;     /* per lane; 0: closed loop */
	enum io_arrivals arrivals;
	enum io_pace pace;
	uint64_t seed;          /* lanes derive theirs */
	double reducible_share; /* of write buffers */
};

/* Does any of it read, write? */
bool io_load_reads(const struct io_load *load);
bool io_load_writes(const struct io_load *load);
/* Largest block of the load. */
uint32_t io_load_max_block(const struct io_load *load);
struct io_target;
struct err;
/* Refuses impossible loads: sizes not multiples of lba_bytes, larger than the area, outstanding 0 or
 * > 65535, rate < 0 or > 1e9. Sentence and ERR_EXIT_USAGE. */
int io_load_check_numbers(
	const struct io_load *load, const struct io_target *target, struct err *err);
/* The same, and writes need a permit (ERR_EXIT_REFUSED). */
int io_load_check(const struct io_load *load, const struct io_target *target, struct err *err);

#endif
