/* Writes: exact shares, data that is never twice the same, whole areas covered once, the permit's
 * bounds, and what no write can overcome. The fake drive looks at what it is handed. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fake_drive.h"
#include "io/data.h"
#include "io/pattern.h"
#include "io/pool.h"

#define KIB 1024u
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define SECOND UINT64_C(1000000000)
#define DRAWS 1000000

static struct fake_drive drive;
static struct io_phase_result result;
static struct io_permit permit;
static struct io_target target;
static struct clock run_clock;
static struct io_pool *pool;
static struct io_phase phase;

static void one_size(struct io_mix *mix, uint32_t bytes)
{
	*mix = (struct io_mix){.count = 1};
	mix->size[0].bytes = bytes;
	mix->size[0].share = 1;
}

static void load_of(double read_share, double random_share, uint32_t bytes)
{
	struct io_stream *stream = &phase.load.streams[0];

	memset(&phase, 0, sizeof(phase));
	phase.load.stream_count = 1;
	phase.load.outstanding = 8;
	stream->share = 1;
	stream->read_share = read_share;
	stream->random_share = random_share;
	one_size(&stream->read_mix, bytes);
	one_size(&stream->write_mix, bytes);
}

static int fresh(void **state)
{
	(void)state;
	memset(&drive, 0, sizeof(drive));
	drive.service_ns = 10000;
	drive.units = 8;
	clock_init_free(&run_clock);
	permit = (struct io_permit){.fd = -1, .length = GIB};
	target = (struct io_target){.name = "fake",
		.lba_bytes = 512,
		.size_bytes = GIB,
		.length = GIB,
		.permit = &permit};
	load_of(0, 1, 4 * KIB);
	phase.window_ns = SECOND;
	return 0;
}

static int gone(void **state)
{
	(void)state;
	io_phase_result_free(&result);
	io_pool_destroy(pool);
	pool = NULL;
	return 0;
}

static void make_pool(const struct io_backend_ops *ops, uint32_t workers, uint32_t most_bytes)
{
	const struct io_pool_config config = {
		.targets = &target,
		.target_count = 1,
		.ops = ops,
		.ops_data = &drive,
		.workers = workers,
		.outstanding = 8,
		.max_block_bytes = most_bytes,
		.clock = &run_clock,
		.seed = 17,
	};
	struct err err = {0};

	/* the clock of each pool begins anew */
	memset(drive.free_at, 0, sizeof(drive.free_at));
	if (io_pool_create(&config, &pool, NULL, &err))
		fail_msg("%s", err.text);
}

static void run(void)
{
	struct err err = {0};

	io_phase_result_free(&result);
	if (io_pool_begin(pool, &phase, &err))
		fail_msg("%s", err.text);
	assert_int_equal(io_pool_end(pool, &result, &err), 0);
}

/* ---- shares ---------------------------------------------------------------------------------- */

static void test_exact_at_any_moment(void **state)
{
	static const double shares[] = {
		0, 0.01, 0.05, 0.2, 1 / 3.0, 0.5, 0.65, 0.7, 0.97, 0.999, 1};

	(void)state;
	for (size_t s = 0; s < sizeof(shares) / sizeof(shares[0]); s++) {
		struct io_pattern pattern;
		struct io_access access;
		double writes = 0, off = 0;

		load_of(shares[s], 1, 4 * KIB);
		io_pattern_init(&pattern, &phase.load, &target, 100 + s, 0, 1);
		for (int i = 1; i <= DRAWS; i++) {
			io_pattern_next(&pattern, &access);
			writes += access.write;
			off = fmax(off, fabs(writes - (1 - shares[s]) * i));
		}
		if (!(off < 1 + 1e-6))
			fail_msg("%g: off by %g I/Os", shares[s], off);
		if (shares[s] == 0 || shares[s] == 1)
			assert_true(off == 0);
	}
}

/* Exact, yet no pattern that a drive could learn: gaps of many lengths, and choices far apart know
 * next to nothing of each other. */
static void test_not_foretold(void **state)
{
	static const double shares[] = {0.7, 0.5, 0.9};
	static int8_t write[DRAWS];

	(void)state;
	for (size_t s = 0; s < sizeof(shares) / sizeof(shares[0]); s++) {
		const double mean = 1 - shares[s], spread = mean * shares[s];
		struct io_pattern pattern;
		struct io_access access;
		int gaps[32] = {0}, gap = 0, kinds = 0;

		load_of(shares[s], 1, 4 * KIB);
		io_pattern_init(&pattern, &phase.load, &target, 5, 0, 1);
		for (int i = 0; i < DRAWS; i++) {
			io_pattern_next(&pattern, &access);
			write[i] = access.write;
			gap++;
			if (access.write) {
				gaps[gap < 31 ? gap : 31]++;
				gap = 0;
			}
		}
		for (int g = 0; g < 32; g++)
			kinds += gaps[g] > DRAWS / 1000;
		assert_true(kinds >= (shares[s] == 0.5 ? 3 : 5));
		for (int lag = 60; lag < 120; lag++) {
			double sum = 0;

			for (int i = lag; i < DRAWS; i++)
				sum += (write[i] - mean) * (write[i - lag] - mean);
			if (fabs(sum / DRAWS / spread) > 0.1)
				fail_msg("%g: %g at %d", shares[s], sum / DRAWS / spread, lag);
		}
	}
}

/* The oracle workload: 99 % of 8K at 80 % read, 1 % of 64K at 1 % read. */
static void test_streams_exact(void **state)
{
	double ios[2] = {0}, writes[2] = {0};
	struct io_pattern pattern;
	struct io_access access;

	(void)state;
	load_of(0.8, 1, 8 * KIB);
	phase.load.stream_count = 2;
	phase.load.streams[1] = phase.load.streams[0];
	phase.load.streams[0].share = 0.99;
	phase.load.streams[1].share = 0.01;
	phase.load.streams[1].read_share = 0.01;
	one_size(&phase.load.streams[1].read_mix, 64 * KIB);
	one_size(&phase.load.streams[1].write_mix, 64 * KIB);
	io_pattern_init(&pattern, &phase.load, &target, 3, 0, 1);
	for (int i = 1; i <= DRAWS; i++) {
		io_pattern_next(&pattern, &access);
		const int stream = access.length == 64 * KIB;

		ios[stream]++;
		writes[stream] += access.write;
		assert_true(fabs(ios[1] - 0.01 * i) < 1 + 1e-6);
		assert_true(fabs(writes[0] - 0.2 * ios[0]) < 1 + 1e-6);
		assert_true(fabs(writes[1] - 0.99 * ios[1]) < 1 + 1e-6);
	}
}

static void test_four_streams(void **state)
{
	static const double shares[] = {0.4, 0.3, 0.2, 0.1};
	double ios[4] = {0};
	struct io_pattern pattern;
	struct io_access access;

	(void)state;
	load_of(0.5, 1, 4 * KIB);
	phase.load.stream_count = 4;
	for (int s = 0; s < 4; s++) {
		phase.load.streams[s] = phase.load.streams[0];
		phase.load.streams[s].share = shares[s];
		one_size(&phase.load.streams[s].read_mix, 4 * KIB << s);
		one_size(&phase.load.streams[s].write_mix, 4 * KIB << s);
	}
	io_pattern_init(&pattern, &phase.load, &target, 3, 0, 1);
	for (int i = 1; i <= DRAWS; i++) {
		io_pattern_next(&pattern, &access);
		ios[__builtin_ctz(access.length) - 12]++;
		for (int s = 0; s < 4; s++)
			assert_true(fabs(ios[s] - shares[s] * i) < 3);
	}
}

/* Over phases, as the drive sees it: all that was ever handed to it. */
static uint64_t handed[2];

static int count_directions(struct fake_drive *fake, const struct io_request *request)
{
	(void)fake;
	handed[request->write]++;
	return (int)request->length;
}

static void test_exact_over_phases(void **state)
{
	(void)state;
	memset(handed, 0, sizeof(handed));
	drive.result = count_directions;
	load_of(0.7, 1, 4 * KIB);
	make_pool(&fake_ops, 1, 4 * KIB);
	for (int i = 0; i < 101; i++) {
		phase.warmup_ns = SECOND / 1000 * (i % 3);
		phase.window_ns = SECOND / 100 + (uint64_t)i * 12345;
		phase.load.rate_iops = i % 2 ? 100000 : 0;
		run();
	}
	const double all = (double)(handed[0] + handed[1]);

	assert_true(all > 500000);
	assert_true(fabs((double)handed[1] - 0.3 * all) < 1 + 1e-6);
}

/* Several workers in real time on the null backend: each is within one. */
static void test_exact_over_workers(void **state)
{
	(void)state;
	clock_init_real(&run_clock);
	target.lba_bytes = 4 * KIB;
	load_of(0.7, 1, 4 * KIB);
	phase.total_bytes = 1000000 * 4 * KIB;
	target.size_bytes = target.length = permit.length = 8 * GIB;
	make_pool(&io_backend_null, 3, 4 * KIB);
	assert_int_equal(io_pool_workers(pool), 3);
	run();
	assert_int_equal(result.total.reads + result.total.writes, 1000000);
	assert_true(fabs((double)result.total.writes - 300000) < 3 + 1e-6);
}

/* ---- data ------------------------------------------------------------------------------------ */

#define SEEN (1u << 20)
static uint64_t *seen; /* hashes of units, open addressing */
static uint64_t units, doubles, unlike;
static uint32_t zeros_wanted;

static bool enter(uint64_t hash)
{
	for (uint64_t at = hash % SEEN;; at = (at + 1) % SEEN) {
		if (seen[at] == hash)
			return false;
		if (!seen[at]) {
			seen[at] = hash;
			return true;
		}
	}
}

static uint64_t hash_of(const unsigned char *bytes, uint32_t length)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (uint32_t i = 0; i < length; i += 8) {
		uint64_t word;

		memcpy(&word, bytes + i, sizeof(word));
		hash = (hash ^ word) * UINT64_C(0x100000001b3);
		hash ^= hash >> 29;
	}
	return hash | 1;
}

/* A drive that is written to and read from: reads leave the same bytes in every buffer. */
static int look_at_data(struct fake_drive *fake, const struct io_request *request)
{
	unsigned char *bytes = request->buffer;

	(void)fake;
	if (!request->write) {
		memset(bytes, 0x5a, request->length);
		return (int)request->length;
	}
	for (uint32_t at = 0; at < request->length; at += 4 * KIB) {
		const uint32_t unit =
			request->length - at < 4 * KIB ? request->length - at : 4 * KIB;
		const uint32_t wanted = zeros_wanted * unit / (4 * KIB);
		uint32_t zeros = 0;

		while (zeros < unit && !bytes[at + unit - 1 - zeros])
			zeros++;
		/* a random byte is zero once in 256 */
		unlike += zeros < wanted || zeros > wanted + 3;
		units++;
		doubles += !enter(hash_of(bytes + at, unit));
	}
	return (int)request->length;
}

static void look(void)
{
	seen = calloc(SEEN, sizeof(*seen));
	units = doubles = unlike = 0;
	drive.result = look_at_data;
}

static void test_every_unit_is_new(void **state)
{
	(void)state;
	look();
	zeros_wanted = 0;
	/* mixed with reads into the same buffers, in blocks of 4 KiB to 128 KiB */
	load_of(0.5, 0.5, 4 * KIB);
	struct io_mix *mix = &phase.load.streams[0].write_mix;
	mix->count = 4;
	for (uint32_t i = 0; i < 4; i++) {
		mix->size[i].bytes = i < 3 ? 4 * KIB << i : 128 * KIB;
		mix->size[i].share = 0.25;
	}
	phase.window_ns = SECOND / 40;
	make_pool(&fake_ops, 1, 128 * KIB);
	run();
	/* and a second phase goes on */
	run();
	assert_true(units > 100000);
	assert_int_equal(doubles, 0);
	assert_int_equal(unlike, 0);
	free(seen);
}

static void test_same_seed_other_data(void **state)
{
	(void)state;
	look();
	phase.window_ns = SECOND / 50;
	for (int i = 0; i < 2; i++) {
		make_pool(&fake_ops, 1, 4 * KIB);
		run();
		io_pool_destroy(pool);
	}
	pool = NULL;
	assert_true(units > 1000);
	assert_int_equal(doubles, 0);
	free(seen);
}

/* Sectors of half a KiB too, and the share that may compress is there in every unit. */
static void test_small_and_reducible(void **state)
{
	static const double shares[] = {0, 0.25, 0.5, 0.999, 1};
	static const uint32_t sizes[] = {512, 4 * KIB, 6 * KIB, 64 * KIB};

	(void)state;
	for (size_t s = 0; s < sizeof(shares) / sizeof(shares[0]); s++)
		for (size_t b = 0; b < sizeof(sizes) / sizeof(sizes[0]); b++) {
			look();
			zeros_wanted = (uint32_t)lrint(shares[s] * 4096);
			load_of(0.3, 1, sizes[b]);
			phase.load.reducible_share = shares[s];
			phase.window_ns = SECOND / 100;
			make_pool(&fake_ops, 1, sizes[b]);
			run();
			assert_true(units > 1000);
			assert_int_equal(unlike, 0);
			if (shares[s] < 0.9)
				assert_int_equal(doubles, 0);
			io_pool_destroy(pool);
			pool = NULL;
			free(seen);
		}
}

static int by_value(const void *a, const void *b)
{
	const uint64_t x, y;

	memcpy((void *)&x, a, sizeof(x));
	memcpy((void *)&y, b, sizeof(y));
	return (x > y) - (x < y);
}

/* Nothing for a compressor to find: bytes are evenly spread, and no eight bytes come again, neither
 * within a block nor from one write to the next. */
static void test_incompressible(void **state)
{
	enum { WRITES = 64, WORDS = 128 * 1024 / 8 };
	uint64_t *words = aligned_alloc(4096, (size_t)WRITES * WORDS * 8);
	double chi = 0, expected = (double)WRITES * WORDS * 8 / 256;
	uint64_t counts[256] = {0}, again = 0;
	struct io_data data;
	struct err err;

	(void)state;
	assert_int_equal(io_data_create(&data, 99, &err), 0);
	for (size_t i = 0; i < WRITES; i++)
		io_data_refill(&data, words + i * WORDS, 128 * KIB);
	for (size_t i = 0; i < (size_t)WRITES * WORDS * 8; i++)
		counts[((unsigned char *)words)[i]]++;
	for (int i = 0; i < 256; i++)
		chi += pow((double)counts[i] - expected, 2) / expected;
	assert_true(chi < 360); /* 255 degrees of freedom */
	qsort(words, (size_t)WRITES * WORDS, sizeof(*words), by_value);
	for (size_t i = 1; i < (size_t)WRITES * WORDS; i++)
		again += words[i] == words[i - 1];
	assert_int_equal(again, 0);
	io_data_destroy(&data);
	free(words);
}

/* ---- whole areas ----------------------------------------------------------------------------- */

#define SECTORS 100000
static uint8_t times[SECTORS];
static uint64_t outside;

static int mark_sectors(struct fake_drive *fake, const struct io_request *request)
{
	(void)fake;
	for (uint32_t at = 0; at < request->length; at += 512) {
		const uint64_t sector = (request->offset + at) / 512;

		if (sector < SECTORS)
			times[sector]++;
		else
			outside++;
	}
	return (int)request->length;
}

static void covered(uint64_t offset, uint64_t length, uint8_t count)
{
	for (uint64_t i = 0; i < SECTORS; i++) {
		const bool inside = i >= offset / 512 && i < (offset + length) / 512;

		if (times[i] != (inside ? count : 0))
			fail_msg("sector %d was written %d times", (int)i, times[i]);
	}
	assert_int_equal(outside, 0);
}

/* An area whose end holds no whole block: all of it, once a pass, to the last sector. */
static void test_covers_all(void **state)
{
	static const uint64_t lengths[] = {512, 128 * KIB - 512, 128 * KIB, 40 * MIB + 7 * 512};

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		memset(times, 0, sizeof(times));
		outside = 0;
		drive.result = mark_sectors;
		load_of(0, 0, lengths[i] < 128 * KIB ? (uint32_t)lengths[i] : 128 * KIB);
		phase.cover = true;
		target.offset = permit.offset = 5 * 512;
		target.length = permit.length = lengths[i];
		make_pool(&fake_ops, 1, 128 * KIB);
		for (uint8_t pass = 1; pass <= 2; pass++) {
			run();
			covered(target.offset, target.length, pass);
			assert_int_equal(result.total.write_bytes, lengths[i]);
			assert_int_equal(result.total.errors, 0);
		}
		io_pool_destroy(pool);
		pool = NULL;
	}
}

/* Several workers divide it. Real threads on the null backend: only sums can be looked at. */
static void test_covers_by_parts(void **state)
{
	(void)state;
	clock_init_real(&run_clock);
	load_of(0, 0, 128 * KIB);
	phase.cover = true;
	target.length = permit.length = 100 * MIB + 512;
	make_pool(&io_backend_null, 3, 128 * KIB);
	run();
	assert_int_equal(result.total.write_bytes, target.length);
	assert_int_equal(result.total.errors, 0);
}

/* ---- bounds and refusals --------------------------------------------------------------------- */

/* A permit for less than the area: nothing outside of it is ever handed over. */
static void test_never_outside_the_permit(void **state)
{
	struct err err = {0};

	(void)state;
	memset(times, 0, sizeof(times));
	outside = 0;
	drive.result = mark_sectors;
	target.length = SECTORS * 512;
	permit.offset = 20000 * 512;
	permit.length = 60000 * 512;
	make_pool(&fake_ops, 1, 4 * KIB);
	for (int i = 0; i < 50; i++) {
		phase.load.seed = (uint64_t)i;
		run();
		assert_int_equal(result.total.write_refused, -EPERM);
		assert_true(result.total.errors > 0);
	}
	uint64_t inside = 0;
	for (uint64_t i = 0; i < SECTORS; i++) {
		if (i < 20000 || i >= 80000)
			assert_int_equal(times[i], 0);
		inside += times[i];
	}
	assert_true(inside > 0);
	/* and without one the phase does not even begin */
	io_pool_destroy(pool);
	target.permit = NULL;
	make_pool(&fake_ops, 1, 4 * KIB);
	assert_int_equal(io_pool_begin(pool, &phase, &err), -EPERM);
	assert_int_equal(err.exit, ERR_EXIT_REFUSED);
}

static int answer;

static int refuses_after_1000(struct fake_drive *fake, const struct io_request *request)
{
	return request->write && fake->served > 1000 ? answer : (int)request->length;
}

static void test_refused_writes_end_it(void **state)
{
	static const int codes[] = {-ENOSPC, -EDQUOT, -EROFS, -EPERM, -EFBIG};

	(void)state;
	drive.result = refuses_after_1000;
	load_of(0.5, 1, 4 * KIB);
	make_pool(&fake_ops, 1, 4 * KIB);
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		drive.served = 0;
		answer = codes[i];
		phase.window_ns = SECOND;
		run();
		assert_int_equal(result.total.write_refused, codes[i]);
		assert_int_equal(result.lanes[0].write_refused, codes[i]);
		assert_false(result.total.device_lost);
		/* at once: what was in flight and no more */
		assert_in_range(result.total.reads + result.total.writes, 900, 1016);
		assert_in_range(result.total.errors, 1, 8);
	}
	/* an error of one block is none of the kind */
	drive.served = 0;
	answer = -EIO;
	phase.window_ns = SECOND / 10;
	run();
	assert_int_equal(result.total.write_refused, 0);
	assert_int_equal(result.total.first_error, -EIO);
	assert_true(result.total.errors > 10000);
}

static int short_writes(struct fake_drive *fake, const struct io_request *request)
{
	(void)fake;
	return request->write ? 512 : (int)request->length;
}

static void test_short_writes(void **state)
{
	(void)state;
	drive.result = short_writes;
	load_of(0.75, 1, 4 * KIB);
	phase.window_ns = SECOND / 100;
	make_pool(&fake_ops, 1, 4 * KIB);
	run();
	assert_true(result.total.short_writes > 100);
	assert_int_equal(result.total.short_writes, result.total.errors);
	assert_int_equal(result.total.short_reads, 0);
	assert_int_equal(result.total.writes, 0);
	assert_int_equal(result.total.write_bytes, 0);
	assert_true(result.total.reads > 100);
}

/* What no window counts is told, so that all that went to the drive adds up. */
static void test_bytes_add_up(void **state)
{
	uint64_t counted[2];

	(void)state;
	memset(handed, 0, sizeof(handed));
	drive.result = count_directions;
	for (int open = 0; open < 2; open++) {
		memset(handed, 0, sizeof(handed));
		load_of(0.5, 1, 4 * KIB);
		phase.load.rate_iops = open ? 2000000 : 0; /* beyond what it can */
		phase.window_ns = SECOND / 50;
		make_pool(&fake_ops, 1, 4 * KIB);
		run();
		counted[0] = result.total.read_bytes + result.uncounted_read_bytes;
		counted[1] = result.total.write_bytes + result.uncounted_write_bytes;
		assert_int_equal(counted[0], handed[0] * 4 * KIB);
		assert_int_equal(counted[1], handed[1] * 4 * KIB);
		if (!open)
			assert_true(result.uncounted_read_bytes + result.uncounted_write_bytes > 0);
		io_pool_destroy(pool);
		pool = NULL;
	}
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, fresh, gone)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(test_exact_at_any_moment),
		EACH(test_not_foretold),
		EACH(test_streams_exact),
		EACH(test_four_streams),
		EACH(test_exact_over_phases),
		EACH(test_exact_over_workers),
		EACH(test_every_unit_is_new),
		EACH(test_same_seed_other_data),
		EACH(test_small_and_reducible),
		EACH(test_incompressible),
		EACH(test_covers_all),
		EACH(test_covers_by_parts),
		EACH(test_never_outside_the_permit),
		EACH(test_refused_writes_end_it),
		EACH(test_short_writes),
		EACH(test_bytes_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
