/* The pool on a drive in virtual time: every figure against numbers worked out by hand. */
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
#include "io/pool.h"

#define SECOND UINT64_C(1000000000)
#define MS UINT64_C(1000000)
#define GIB (UINT64_C(1) << 30)

static struct fake_drive drive;
static struct io_interval interval;
static struct io_phase_result result;
static struct io_target targets[3];
static struct clock run_clock;
static uint32_t interval_count;
static uint64_t interval_reads, interval_scheduled, warm_reads, warm_backlog;

static int fresh(void **state)
{
	(void)state;
	memset(&drive, 0, sizeof(drive));
	drive.service_ns = 100000;
	drive.units = 1;
	clock_init_free(&run_clock);
	for (int i = 0; i < 3; i++)
		targets[i] = (struct io_target){.name = "fake",
			.fd = 0,
			.lba_bytes = 4096,
			.size_bytes = GIB,
			.length = GIB};
	return 0;
}

static struct io_phase phase_of(uint32_t outstanding, double rate, uint64_t window_ns)
{
	struct io_phase phase = {.window_ns = window_ns};
	struct io_stream *stream = &phase.load.streams[0];

	phase.load.stream_count = 1;
	phase.load.outstanding = outstanding;
	phase.load.rate_iops = rate;
	stream->share = stream->read_share = stream->random_share = 1;
	stream->read_mix.count = 1;
	stream->read_mix.size[0].bytes = 4096;
	stream->read_mix.size[0].share = 1;
	return phase;
}

static struct io_pool_config config_of(uint32_t lanes, uint32_t outstanding)
{
	return (struct io_pool_config){
		.targets = targets,
		.target_count = lanes,
		.ops = &fake_ops,
		.ops_data = &drive,
		.workers = 4, /* a free-running clock has one owner */
		.outstanding = outstanding,
		.max_block_bytes = 65536,
		.clock = &run_clock,
		.seed = 17,
	};
}

static struct io_pool *pool_of(uint32_t lanes, uint32_t outstanding)
{
	const struct io_pool_config config = config_of(lanes, outstanding);
	struct io_pool *pool = NULL;
	struct err err = {0};

	if (io_pool_create(&config, &pool, NULL, &err))
		fail_msg("%s", err.text);
	assert_int_equal(io_pool_workers(pool), 1);
	return pool;
}

/* Runs the phase to its end and sums its intervals. */
static void run(struct io_pool *pool, const struct io_phase *phase)
{
	struct err err = {0};
	uint64_t at = 0;
	int rc;

	if (io_pool_begin(pool, phase, &err))
		fail_msg("%s", err.text);
	interval_count = 0;
	interval_reads = interval_scheduled = warm_reads = 0;
	while ((rc = io_pool_next_interval(pool, 10000, &interval, &err)) == 1) {
		assert_int_equal(interval.index, interval_count);
		assert_int_equal(interval.start_ns, at);
		at += interval.length_ns;
		interval_count++;
		if (interval.warmup) {
			warm_reads += interval.total.reads;
			warm_backlog = interval.total.backlog;
			continue;
		}
		interval_reads += interval.total.reads;
		interval_scheduled += interval.total.scheduled;
	}
	assert_int_equal(rc, 0);
	assert_int_equal(io_pool_end(pool, &result, &err), 0);
	assert_int_equal(result.total.reads, interval_reads);
	assert_int_equal(result.total.scheduled, interval_scheduled);
	assert_int_equal(result.total.service.count, result.total.reads);
	assert_int_equal(result.total.read_service.count, result.total.reads);
	assert_int_equal(result.total.read_bytes, result.total.reads * 4096);
}

static void done(struct io_pool *pool)
{
	io_phase_result_free(&result);
	io_pool_destroy(pool);
	assert_int_equal(drive.opened, drive.closed);
}

static double iops(void)
{
	return (double)result.total.reads * 1e9 / (double)result.window_ns;
}

static double outstanding(void)
{
	return result.total.outstanding_ns / (double)result.window_ns;
}

static void near(double got, double want, double share)
{
	if (!(fabs(got - want) <= fabs(want) * share))
		fail_msg("%g is not within %g %% of %g", got, share * 100, want);
}

static void test_closed_loop(void **state)
{
	struct io_pool *pool = pool_of(1, 32);
	struct io_phase phase = phase_of(8, 0, 10 * SECOND);

	(void)state;
	drive.units = 8;
	run(pool, &phase);
	/* 8 units of 100 us: 80,000 per second, 8 in flight, 100 us each. */
	assert_int_equal(result.window_ns, 10 * SECOND);
	near((double)result.total.reads, 800000, 1e-4);
	near(outstanding(), 8, 1e-4);
	assert_int_equal(result.total.service.min, 100000);
	assert_int_equal(result.total.service.max, 100000);
	assert_memory_equal(&result.total.service, &result.total.response, sizeof(struct hist));
	assert_int_equal(result.total.lateness.count, 0);
	assert_int_equal(result.total.errors, 0);
	assert_int_equal(interval_count, 10);
	assert_false(result.saturated);
	assert_false(result.stopped);
	assert_int_equal(drive.most_in_flight, 8);
	/* More outstanding than units: the rest queues in the drive. */
	phase = phase_of(32, 0, 10 * SECOND);
	io_phase_result_free(&result);
	run(pool, &phase);
	near(iops(), 80000, 1e-3);
	near(outstanding(), 32, 1e-3);
	near(hist_mean(&result.total.service), 400000, 2e-3);
	done(pool);
}

static void test_constant_arrivals(void **state)
{
	struct io_pool *pool = pool_of(1, 32);
	struct io_phase phase = phase_of(32, 4000, 10 * SECOND);

	(void)state;
	phase.load.arrivals = IO_ARRIVALS_CONSTANT;
	phase.warmup_ns = 3 * SECOND / 10;
	run(pool, &phase);
	/* Every 250 us one of 100 us: nothing waits; 40,000 in the window, to the piece. */
	assert_int_equal(result.total.scheduled, 40000);
	assert_in_range(result.total.reads, 39999, 40000);
	near((double)warm_reads, 1200, 1e-3);
	assert_int_equal(result.total.response.max, 100000);
	assert_int_equal(result.total.service.min, 100000);
	assert_int_equal(result.total.lateness.count, 40000);
	assert_int_equal(result.total.lateness.max, 0);
	near(outstanding(), 0.4, 1e-3);
	assert_false(result.saturated);
	assert_int_equal(result.total.backlog, 0);
	/* 0.3 s of warm-up, then ten whole seconds. */
	assert_int_equal(interval_count, 11);
	assert_int_equal(interval.length_ns, SECOND);
	done(pool);
}

static void test_queueing_theory(void **state)
{
	/* Exponential arrivals at 70 % of one unit: M/D/1, whose mean wait is
	 * rho S / (2 (1 - rho)) = 0.7 x 100 us / 0.6 = 116.7 us. */
	struct io_pool *pool = pool_of(1, 256);
	struct io_phase phase = phase_of(256, 7000, 400 * SECOND);

	(void)state;
	phase.warmup_ns = SECOND;
	phase.interval_ns = 10 * SECOND;
	run(pool, &phase);
	near((double)result.total.scheduled, 7000 * 400, 5 / sqrt(7000 * 400));
	near((double)result.total.reads, (double)result.total.scheduled, 1e-4);
	near(hist_mean(&result.total.response), 216667, 0.02);
	near(iops() * hist_mean(&result.total.service) * 1e-9, outstanding(), 1e-3);
	assert_false(result.saturated);
	done(pool);
}

static void test_saturation(void **state)
{
	/* 12,000 per second asked of a drive that does 10,000: t seconds after the window began
	 * without a backlog the oldest of the waiting arrived t / 6 ago. */
	struct io_pool *pool = pool_of(1, 32);
	struct io_phase phase = phase_of(32, 12000, 9 * SECOND);

	(void)state;
	phase.load.arrivals = IO_ARRIVALS_CONSTANT;
	phase.warmup_ns = 3 * SECOND;
	run(pool, &phase);
	assert_true(result.saturated);
	near((double)result.saturated_age_ns, 9.0 / 6 * 1e9, 0.02);
	near((double)result.total.reads, 90000, 1e-3);
	near((double)result.total.scheduled, 12000 * 9, 0.01);
	near((double)result.total.backlog, 9 * 2000, 0.02);
	near((double)result.total.oldest_wait_ns, 1.5e9, 0.02);
	near((double)warm_backlog, 3 * 2000 - 32, 0.03);
	/* Service knows nothing of the backlog: 32 in flight at 100 us each. */
	near(hist_mean(&result.total.service), 3200000, 1e-3);
	assert_true(result.total.response.max > SECOND);
	/* Waiting for the drive is not lateness of the engine. */
	assert_true(result.total.lateness.count < 100);
	assert_int_equal(interval.total.backlog, result.total.backlog);
	/* The next phase starts without the backlog. */
	io_phase_result_free(&result);
	phase = phase_of(32, 1000, 5 * SECOND);
	run(pool, &phase);
	assert_false(result.saturated);
	near((double)result.total.reads, 5000, 0.1);
	assert_true(result.total.response.max < 10 * MS);
	done(pool);
}

static void test_backlog_of_the_warmup(void **state)
{
	/* Nothing completes in the last 2 s of the warm-up: of 20,000 arrivals 19,968 wait. The
	 * drive could work them off at 16 times the rate; the window must not show them. */
	struct io_pool *pool = pool_of(1, 32);
	struct io_phase phase = phase_of(32, 10000, 5 * SECOND);

	(void)state;
	drive.units = 16;
	drive.stall_from_ns = SECOND;
	drive.stall_ns = 2 * SECOND;
	phase.warmup_ns = 3 * SECOND;
	run(pool, &phase);
	near((double)warm_backlog, 19968, 0.03);
	assert_false(result.saturated);
	assert_in_range(
		result.total.reads, result.total.scheduled - 32, result.total.scheduled + 32);
	/* Only those that were in flight had waited: 32 of 50,000. */
	uint64_t ns = 0;
	assert_true(hist_percentile(&result.total.response, 0.999, &ns, NULL));
	assert_true(ns < 5 * MS);
	done(pool);
}

static void test_just_below_and_above(void **state)
{
	static const struct {
		double rate;
		uint64_t seconds;
		bool saturated;
	} cases[] = {{9000, 20, false}, {9800, 20, false}, {10200, 20, true}, {11000, 20, true},
		/* Too little to miss 1 % of the arrivals: only the age tells. */
		{9930, 100, false}, {10075, 100, true}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct io_pool *pool = pool_of(1, 32);
		struct io_phase phase = phase_of(32, cases[i].rate, cases[i].seconds * SECOND);

		phase.warmup_ns = 5 * SECOND;
		memset(drive.free_at, 0, sizeof(drive.free_at));
		run(pool, &phase);
		assert_int_equal(result.saturated, cases[i].saturated);
		if (!result.saturated)
			near((double)result.total.reads, (double)result.total.scheduled, 0.01);
		io_phase_result_free(&result);
		io_pool_destroy(pool);
	}
}

static void test_stall(void **state)
{
	/* 1 s in 10 without a completion, 10,000 per second, 32 outstanding, 16 units of 100 us. */
	struct io_pool *pool = pool_of(1, 32);
	struct io_phase phase = phase_of(32, 10000, 40 * SECOND);
	struct latency service, response;

	(void)state;
	drive.units = 16;
	drive.stall_from_ns = 5 * SECOND;
	drive.stall_ns = SECOND;
	drive.stall_every_ns = 10 * SECOND;
	run(pool, &phase);
	hist_summary(&result.total.service, &service);
	hist_summary(&result.total.response, &response);
	assert_true(response.p99 >= 0.85e9 && response.p99 <= 1.0e9);
	assert_true(service.p99 < 1e6);
	assert_true(service.max >= 0.9e9);
	assert_false(result.saturated);
	near((double)result.total.reads, (double)result.total.scheduled, 0.001);
	done(pool);
}

static void test_same_seed_same_run(void **state)
{
	static struct io_tally first;
	static uint64_t offsets[FAKE_LOG];

	(void)state;
	for (int round = 0; round < 2; round++) {
		fresh(NULL);
		struct io_pool *pool = pool_of(1, 32);
		struct io_phase phase = phase_of(16, 5000, SECOND / 2);

		phase.load.seed = 99;
		run(pool, &phase);
		if (round) {
			assert_memory_equal(
				&first.response, &result.total.response, sizeof(first.response));
			assert_memory_equal(offsets, drive.log_offset, sizeof(offsets));
		}
		first = result.total;
		memcpy(offsets, drive.log_offset, sizeof(offsets));
		io_phase_result_free(&result);
		/* A second phase of the same load does not read the same blocks again. */
		drive.log_count = 0;
		run(pool, &phase);
		assert_memory_not_equal(offsets, drive.log_offset, sizeof(offsets));
		done(pool);
	}
}

/* Another seed, other blocks and other times: also when pool and load are given the same one, as
 * the runner does. */
static void test_other_seed_other_run(void **state)
{
	static uint64_t offsets[FAKE_LOG];
	static struct io_tally first;

	(void)state;
	for (uint64_t seed = 17; seed < 19; seed++) {
		fresh(NULL);
		struct io_pool_config config = config_of(1, 32);
		struct io_pool *pool = NULL;
		struct io_phase phase = phase_of(16, 5000, SECOND / 2);

		config.seed = phase.load.seed = seed;
		assert_int_equal(io_pool_create(&config, &pool, NULL, NULL), 0);
		run(pool, &phase);
		if (seed > 17) {
			assert_memory_not_equal(offsets, drive.log_offset, sizeof(offsets));
			assert_memory_not_equal(
				&first.response, &result.total.response, sizeof(first.response));
		}
		first = result.total;
		memcpy(offsets, drive.log_offset, sizeof(offsets));
		done(pool);
	}
}

/* A stall of 20 ms around a window's edge, 10,000 arrivals per second; with room for all in flight,
 * and with room for few. The window holds what arrived in it, Little's law holds to the last bit,
 * and what a stall left waiting at the end does not make a point saturated. */
static void test_stall_at_the_edges(void **state)
{
	static const struct {
		uint64_t stall_ns;
		uint32_t outstanding;
	} cases[] = {{SECOND - 10 * MS, 1024}, {2 * SECOND - 10 * MS, 1024}, {SECOND - 10 * MS, 32},
		{2 * SECOND - 10 * MS, 32}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fresh(NULL);
		struct io_pool *pool = pool_of(1, cases[i].outstanding);
		struct io_phase phase = phase_of(cases[i].outstanding, 10000, SECOND);

		phase.load.arrivals = IO_ARRIVALS_CONSTANT;
		phase.warmup_ns = SECOND;
		drive.units = 16;
		drive.stall_from_ns = cases[i].stall_ns;
		drive.stall_ns = 20 * MS;
		run(pool, &phase);
		assert_int_equal(result.total.scheduled, 10000);
		assert_in_range(result.total.reads, 9999, 10001);
		near(iops() * hist_mean(&result.total.service) * 1e-9, outstanding(), 1e-9);
		/* The stall is 10 ms old when the first of the window arrives; at the other edge
		 * it begins 10 ms before the end. */
		assert_in_range(result.total.response.max, 9 * MS,
			cases[i].stall_ns < SECOND ? 12 * MS : 22 * MS);
		assert_false(result.saturated);
		assert_int_equal(result.total.backlog, 0);
		done(pool);
	}
}

static void test_lanes(void **state)
{
	/* Three targets with areas of their own; each keeps its own outstanding. */
	struct io_phase phase = phase_of(4, 0, 2 * SECOND);
	uint64_t reads = 0;

	(void)state;
	for (int i = 0; i < 3; i++) {
		targets[i].offset = (uint64_t)i * 1048576;
		targets[i].length = 1048576;
	}
	drive.units = 12;
	struct io_pool *pool = pool_of(3, 4);
	run(pool, &phase);
	assert_int_equal(result.lane_count, 3);
	for (int i = 0; i < 3; i++) {
		near((double)result.lanes[i].reads, 80000, 1e-3);
		near(result.lanes[i].outstanding_ns, 8e9, 1e-3);
		reads += result.lanes[i].reads;
	}
	assert_int_equal(reads, result.total.reads);
	for (int i = 0; i < FAKE_LOG; i++)
		assert_int_equal(drive.log_offset[i] / 1048576, drive.log_target[i]);
	assert_int_equal(drive.most_in_flight, 12);
	done(pool);
}

static void test_total_bytes(void **state)
{
	/* 10 blocks of 64 KiB and 12 KiB: the last I/O is cut. Sequential: every byte once. */
	const uint64_t total = 10 * 65536 + 12288;
	struct io_pool *pool = pool_of(1, 4);
	struct io_phase phase = phase_of(4, 0, 0);
	struct err err = {0};

	(void)state;
	phase.load.streams[0].read_mix.size[0].bytes = 65536;
	phase.load.streams[0].random_share = 0;
	phase.total_bytes = total;
	phase.warmup_ns = SECOND; /* is not made */
	assert_int_equal(io_pool_begin(pool, &phase, &err), 0);
	assert_int_equal(io_pool_end(pool, &result, &err), 0);
	assert_int_equal(result.total.read_bytes, total);
	assert_int_equal(result.total.reads, 11);
	assert_int_equal(drive.log_count, 11);
	for (uint32_t i = 0; i < 11; i++) {
		assert_int_equal(drive.log_offset[i], i * 65536);
		assert_int_equal(drive.log_length[i], i < 10 ? 65536 : 12288);
	}
	/* 11 requests at 100 us on one unit. */
	assert_int_equal(result.window_ns, 11 * 100000);
	io_phase_result_free(&result);
	phase.total_bytes = 4097;
	assert_int_equal(io_pool_begin(pool, &phase, &err), -EINVAL);
	assert_int_equal(err.exit, ERR_EXIT_USAGE);
	done(pool);
}

static void test_depth_gets_smaller(void **state)
{
	/* The backend gives 5 of 3 x 8 slots: every lane has at least one. */
	struct io_phase phase = phase_of(8, 0, SECOND);

	(void)state;
	drive.depth_limit = 5;
	drive.units = 24;
	struct io_pool *pool = pool_of(3, 8);
	run(pool, &phase);
	assert_true(drive.most_in_flight <= 5);
	for (int i = 0; i < 3; i++)
		assert_true(result.lanes[i].reads >= 9999);
	done(pool);
	/* And refuses when not even that is possible. */
	drive.depth_limit = 2;
	const struct io_pool_config config = {.targets = targets,
		.target_count = 3,
		.ops = &fake_ops,
		.ops_data = &drive,
		.outstanding = 8,
		.max_block_bytes = 4096,
		.clock = &run_clock};
	struct err err = {0};
	assert_int_equal(io_pool_create(&config, &pool, NULL, &err), -ENOMEM);
	assert_non_null(strstr(err.text, "3 targets"));
}

static void test_refusals(void **state)
{
	struct io_pool *pool = pool_of(1, 4);
	struct io_phase phase = phase_of(5, 0, SECOND);
	struct err err = {0};

	(void)state;
	assert_int_equal(io_pool_begin(pool, &phase, &err), -EINVAL); /* deeper than made for */
	phase = phase_of(4, 0, 0);
	assert_int_equal(io_pool_begin(pool, &phase, &err), -EINVAL); /* no end */
	phase = phase_of(4, 0, SECOND);
	phase.load.streams[0].read_share = 0;
	phase.load.streams[0].write_mix = phase.load.streams[0].read_mix;
	assert_int_equal(io_pool_begin(pool, &phase, &err), -EPERM);
	assert_int_equal(err.exit, ERR_EXIT_REFUSED);
	assert_int_equal(drive.log_count, 0);
	assert_int_equal(io_pool_next_interval(pool, 0, &interval, &err), -EINVAL);
	assert_int_equal(io_pool_end(pool, &result, &err), -EINVAL);
	io_pool_destroy(pool);
	/* Real I/O cannot run on a clock that jumps. */
	const struct io_pool_config config = {.targets = targets,
		.target_count = 1,
		.backend = "sync",
		.outstanding = 8,
		.max_block_bytes = 4096,
		.clock = &run_clock};
	assert_int_equal(io_pool_create(&config, &pool, NULL, &err), -EINVAL);
	/* Nor on a target that is not open. */
	targets[0].fd = -1;
	clock_init_real(&run_clock);
	assert_int_equal(io_pool_create(&config, &pool, NULL, &err), -EBADF);
	targets[0].length = 0;
	assert_int_equal(io_pool_create(&config, &pool, NULL, &err), -EINVAL);
}

static void test_null_backend(void **state)
{
	/* On a free-running clock it takes 1 us for each, all at once. */
	const struct io_pool_config config = {.targets = targets,
		.target_count = 1,
		.backend = "null",
		.outstanding = 16,
		.max_block_bytes = 4096,
		.clock = &run_clock};
	struct io_phase phase = phase_of(16, 0, SECOND / 100);
	struct io_pool *pool;
	struct err err = {0};

	(void)state;
	assert_int_equal(io_pool_create(&config, &pool, NULL, &err), 0);
	run(pool, &phase);
	near(iops(), 16e6, 1e-3);
	io_phase_result_free(&result);
	phase = phase_of(16, 1000000, SECOND);
	run(pool, &phase);
	near((double)result.total.scheduled, 1000000, 5e-3);
	assert_in_range(result.total.scheduled - result.total.reads, 0, 16);
	assert_int_equal(result.total.lateness.max, 0);
	done(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_closed_loop, fresh),
		cmocka_unit_test_setup(test_constant_arrivals, fresh),
		cmocka_unit_test_setup(test_queueing_theory, fresh),
		cmocka_unit_test_setup(test_saturation, fresh),
		cmocka_unit_test_setup(test_backlog_of_the_warmup, fresh),
		cmocka_unit_test_setup(test_just_below_and_above, fresh),
		cmocka_unit_test_setup(test_stall, fresh),
		cmocka_unit_test_setup(test_same_seed_same_run, fresh),
		cmocka_unit_test_setup(test_other_seed_other_run, fresh),
		cmocka_unit_test_setup(test_stall_at_the_edges, fresh),
		cmocka_unit_test_setup(test_lanes, fresh),
		cmocka_unit_test_setup(test_total_bytes, fresh),
		cmocka_unit_test_setup(test_depth_gets_smaller, fresh),
		cmocka_unit_test_setup(test_refusals, fresh),
		cmocka_unit_test_setup(test_null_backend, fresh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
