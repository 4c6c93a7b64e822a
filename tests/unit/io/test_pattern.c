/* Access patterns against what the load asks for: places, sizes, directions, shares. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "io/pattern.h"

#define KIB 1024u
#define DRAWS 1000000

static const struct io_permit permit = {.fd = -1, .length = UINT64_MAX};

static struct io_target target_of(uint32_t lba, uint64_t offset, uint64_t length)
{
	return (struct io_target){.name = "t",
		.fd = 0,
		.lba_bytes = lba,
		.size_bytes = UINT64_C(1) << 40,
		.offset = offset,
		.length = length,
		.permit = &permit};
}

static struct io_load reads_of(uint32_t bytes, double random)
{
	struct io_load load = {.stream_count = 1, .outstanding = 1};

	load.streams[0].share = load.streams[0].read_share = 1;
	load.streams[0].random_share = random;
	load.streams[0].read_mix.count = 1;
	load.streams[0].read_mix.size[0].bytes = bytes;
	load.streams[0].read_mix.size[0].share = 1;
	return load;
}

static void test_random_covers_evenly(void **state)
{
	/* 64 blocks of 4 KiB: chi-squared with 63 degrees of freedom stays below 120. */
	const struct io_target target = target_of(4 * KIB, 1 << 20, 256 * KIB);
	const struct io_load load = reads_of(4 * KIB, 1);
	struct io_pattern pattern;
	struct io_access access;
	int hits[64] = {0};
	double chi = 0;

	(void)state;
	io_pattern_init(&pattern, &load, &target, 1, 0, 1);
	assert_true(pattern.simple);
	for (int i = 0; i < DRAWS; i++) {
		io_pattern_next(&pattern, &access);
		assert_int_equal(access.length, 4 * KIB);
		assert_false(access.write);
		assert_int_equal(access.offset % (4 * KIB), 0);
		assert_true(io_target_allows(&target, access.offset, access.length, false));
		hits[(access.offset - target.offset) / (4 * KIB)]++;
	}
	for (int i = 0; i < 64; i++)
		chi += pow(hits[i] - DRAWS / 64.0, 2) / (DRAWS / 64.0);
	assert_true(chi < 120);
}

static void test_same_seed_same_offsets(void **state)
{
	const struct io_target target = target_of(512, 0, 1 << 30);
	const struct io_load load = reads_of(4 * KIB, 0.5);
	struct io_pattern a, b, c;
	struct io_access x, y, z;
	int equal = 0;

	(void)state;
	io_pattern_init(&a, &load, &target, 7, 0, 1);
	io_pattern_init(&b, &load, &target, 7, 0, 1);
	io_pattern_init(&c, &load, &target, 8, 0, 1);
	for (int i = 0; i < 10000; i++) {
		io_pattern_next(&a, &x);
		io_pattern_next(&b, &y);
		io_pattern_next(&c, &z);
		assert_int_equal(x.offset, y.offset);
		equal += x.offset == z.offset;
	}
	assert_true(equal < 100);
}

static void test_sequential_wraps(void **state)
{
	const struct io_target target = target_of(512, 64 * KIB, 10 * 64 * KIB + 512);
	const struct io_load load = reads_of(64 * KIB, 0);
	struct io_pattern pattern;
	struct io_access access;

	(void)state;
	io_pattern_init(&pattern, &load, &target, 7, 0, 1);
	for (uint64_t i = 0; i < 35; i++) {
		io_pattern_next(&pattern, &access);
		assert_int_equal(access.offset, 64 * KIB + i % 10 * 64 * KIB);
		assert_int_equal(access.length, 64 * KIB);
	}
}

static void test_sequential_parts(void **state)
{
	/* Three workers together pass once over everything. */
	const struct io_target target = target_of(4 * KIB, 0, 100 * 4 * KIB);
	const struct io_load load = reads_of(4 * KIB, 0);
	int seen[100] = {0};
	uint64_t sum = 0;

	(void)state;
	for (uint32_t share = 0; share < 3; share++) {
		const uint64_t blocks =
			(io_pattern_split(target.length, 4 * KIB, share + 1, 3) -
				io_pattern_split(target.length, 4 * KIB, share, 3)) /
			(4 * KIB);
		struct io_pattern pattern;
		struct io_access access;

		io_pattern_init(&pattern, &load, &target, 7, share, 3);
		for (uint64_t i = 0; i < blocks; i++) {
			io_pattern_next(&pattern, &access);
			seen[access.offset / (4 * KIB)]++;
		}
		sum += blocks;
	}
	assert_int_equal(sum, 100);
	for (int i = 0; i < 100; i++)
		assert_int_equal(seen[i], 1);
}

/* The LOGIN mix of METHODS 3 with 70 % of reads in the replica. */
static struct io_load login(void)
{
	static const struct {
		uint32_t kib;
		double percent;
	} reads[] = {{4, 39}, {8, 9}, {16, 17}, {32, 10}, {64, 13}, {128, 6}, {256, 4}, {512, 2}},
	  writes[] = {{4, 61}, {8, 13}, {16, 9}, {32, 3}, {64, 10}, {128, 1}, {256, 3}};
	struct io_load load = {.stream_count = 1, .outstanding = 8};
	struct io_stream *stream = &load.streams[0];

	stream->share = 1;
	stream->read_share = 0.4;
	stream->random_share = 0.8;
	stream->read_mix.count = 8;
	for (int i = 0; i < 8; i++) {
		stream->read_mix.size[i].bytes = reads[i].kib * KIB;
		stream->read_mix.size[i].share = reads[i].percent / 100;
	}
	stream->write_mix.count = 7;
	for (int i = 0; i < 7; i++) {
		stream->write_mix.size[i].bytes = writes[i].kib * KIB;
		stream->write_mix.size[i].share = writes[i].percent / 100;
	}
	stream->region_count = 1;
	stream->regions[0] = (struct io_region){.start = 0.5, .length = 0.1, .read_share = 0.7};
	return load;
}

static void near_share(double count, double of, double share)
{
	assert_true(fabs(count / of - share) < 5 * sqrt(share * (1 - share) / of) + 1e-9);
}

static void test_mix(void **state)
{
	const struct io_target target = target_of(512, 1 << 20, UINT64_C(1) << 34);
	const struct io_load load = login();
	const double region = 0.5 * (double)target.length, region_end = 0.6 * (double)target.length;
	struct io_pattern pattern;
	struct io_access access;
	double by_size[2][11] = {{0}}, count[2] = {0}, inside[2] = {0};

	(void)state;
	io_pattern_init(&pattern, &load, &target, 3, 0, 1);
	assert_false(pattern.simple);
	for (int i = 0; i < DRAWS; i++) {
		io_pattern_next(&pattern, &access);
		assert_true(io_target_allows(&target, access.offset, access.length, access.write));
		assert_int_equal(access.offset % 512, 0);
		assert_int_equal(access.length & (access.length - 1), 0);
		by_size[access.write][__builtin_ctz(access.length) - 12]++;
		count[access.write]++;
		const double at = (double)(access.offset - target.offset);
		inside[access.write] += at >= region && at < region_end;
	}
	near_share(count[0], DRAWS, 0.4);
	for (uint32_t i = 0; i < 8; i++)
		near_share(by_size[0][i], count[0], load.streams[0].read_mix.size[i].share);
	for (uint32_t i = 0; i < 7; i++)
		near_share(by_size[1][i], count[1], load.streams[0].write_mix.size[i].share);
	assert_true(by_size[1][7] == 0);
	/* 70 % of reads and a tenth of the random remainder; the sequential rest of the area has
	 * its own cursor, which begins outside. */
	assert_true(inside[0] / count[0] > 0.7 && inside[0] / count[0] < 0.74);
	assert_true(inside[1] / count[1] > 0.05 && inside[1] / count[1] < 0.11);
}

static void test_streams(void **state)
{
	/* The oracle workload: 99 % 8K random at 80 % read, 1 % 64K sequential at 1 % read. */
	const struct io_target target = target_of(4 * KIB, 0, UINT64_C(1) << 32);
	struct io_load load = reads_of(8 * KIB, 1);
	struct io_pattern pattern;
	struct io_access access;
	double logs = 0, log_writes = 0, writes = 0;
	uint64_t next = 0;

	(void)state;
	load.stream_count = 2;
	load.streams[0].share = 0.99;
	load.streams[0].read_share = 0.8;
	load.streams[0].write_mix = load.streams[0].read_mix;
	load.streams[1] = load.streams[0];
	load.streams[1].share = 0.01;
	load.streams[1].read_share = 0.01;
	load.streams[1].random_share = 0;
	load.streams[1].read_mix.size[0].bytes = load.streams[1].write_mix.size[0].bytes = 64 * KIB;
	io_pattern_init(&pattern, &load, &target, 3, 0, 1);
	for (int i = 0; i < DRAWS; i++) {
		io_pattern_next(&pattern, &access);
		if (access.length == 8 * KIB) {
			writes += access.write;
			continue;
		}
		assert_int_equal(access.offset, next);
		next = (next + 64 * KIB) % target.length;
		logs++;
		log_writes += access.write;
	}
	near_share(logs, DRAWS, 0.01);
	near_share(log_writes, logs, 0.99);
	near_share(writes, DRAWS - logs, 0.2);
}

static void test_odd_sizes(void **state)
{
	/* 28 KiB begins at multiples of 4 KiB; a 520-byte block format at multiples of 520; the
	 * last possible place is reached, and nothing beyond it. */
	static const struct {
		uint32_t lba, bytes, step;
		uint64_t length;
	} cases[] = {
		{512, 28 * KIB, 4 * KIB, 40 * KIB},
		{520, 5200, 520, 520 * 14},
		{4096, 4096, 4096, 4096},
		{512, 1536, 512, 4096},
	};

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		const struct io_target target = target_of(cases[c].lba, 0, cases[c].length);
		const struct io_load load = reads_of(cases[c].bytes, 1);
		const uint64_t last =
			(cases[c].length - cases[c].bytes) / cases[c].step * cases[c].step;
		struct io_pattern pattern;
		struct io_access access;
		uint64_t most = 0;

		io_pattern_init(&pattern, &load, &target, 11, 0, 1);
		for (int i = 0; i < 10000; i++) {
			io_pattern_next(&pattern, &access);
			assert_int_equal(access.offset % cases[c].step, 0);
			assert_true(access.offset <= last);
			if (access.offset > most)
				most = access.offset;
		}
		assert_int_equal(most, last);
	}
}

static void test_small_region_falls_back(void **state)
{
	/* A region smaller than the block: its share goes anywhere. */
	const struct io_target target = target_of(512, 0, 1 << 20);
	struct io_load load = reads_of(512 * KIB, 1);
	struct io_pattern pattern;
	struct io_access access;

	(void)state;
	load.streams[0].region_count = 1;
	load.streams[0].regions[0] =
		(struct io_region){.start = 0.9, .length = 0.1, .read_share = 1};
	io_pattern_init(&pattern, &load, &target, 11, 0, 1);
	for (int i = 0; i < 1000; i++) {
		io_pattern_next(&pattern, &access);
		assert_true(io_target_allows(&target, access.offset, access.length, false));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_covers_evenly),
		cmocka_unit_test(test_same_seed_same_offsets),
		cmocka_unit_test(test_sequential_wraps),
		cmocka_unit_test(test_sequential_parts),
		cmocka_unit_test(test_mix),
		cmocka_unit_test(test_streams),
		cmocka_unit_test(test_odd_sizes),
		cmocka_unit_test(test_small_region_falls_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
