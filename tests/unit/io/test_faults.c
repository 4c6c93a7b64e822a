/* What goes wrong: failed, short, repeated and missing completions, stop, pause. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "fake_drive.h"
#include "io/pool.h"

#define SECOND UINT64_C(1000000000)
#define GIB (UINT64_C(1) << 30)

static struct fake_drive drive;
static struct io_interval interval;
static struct io_phase_result result;
static struct io_target target;
static struct clock run_clock;
static struct io_pool *pool;
static struct io_phase phase;

static int fresh(void **state)
{
	struct io_stream *stream = &phase.load.streams[0];
	struct err err = {0};

	(void)state;
	memset(&drive, 0, sizeof(drive));
	drive.service_ns = 100000;
	drive.units = 8;
	clock_init_free(&run_clock);
	target = (struct io_target){
		.name = "fake", .fd = -1, .lba_bytes = 4096, .size_bytes = GIB, .length = GIB};
	target.fd = 0;
	memset(&phase, 0, sizeof(phase));
	phase.window_ns = SECOND;
	phase.load.stream_count = 1;
	phase.load.outstanding = 8;
	stream->share = stream->read_share = stream->random_share = 1;
	stream->read_mix.count = 1;
	stream->read_mix.size[0].bytes = 4096;
	stream->read_mix.size[0].share = 1;
	const struct io_pool_config config = {
		.targets = &target,
		.target_count = 1,
		.ops = &fake_ops,
		.ops_data = &drive,
		.outstanding = 8,
		.max_block_bytes = 4096,
		.clock = &run_clock,
		.seed = 17,
	};
	assert_int_equal(io_pool_create(&config, &pool, NULL, &err), 0);
	return 0;
}

static int gone(void **state)
{
	(void)state;
	io_phase_result_free(&result);
	io_pool_destroy(pool);
	return 0;
}

static void run(void)
{
	struct err err = {0};

	if (io_pool_begin(pool, &phase, &err))
		fail_msg("%s", err.text);
	assert_int_equal(io_pool_end(pool, &result, &err), 0);
}

/* Every fourth request of the drive. */
static bool fourth(const struct fake_drive *fake)
{
	return fake->served % 4 == 0;
}

static int every_fourth_fails(struct fake_drive *fake, const struct io_request *request)
{
	return fourth(fake) ? -EIO : (int)request->length;
}

static int every_fourth_is_short(struct fake_drive *fake, const struct io_request *request)
{
	return fourth(fake) ? 512 : (int)request->length;
}

static int every_fifth_again(struct fake_drive *fake, const struct io_request *request)
{
	if (fake->served % 5 == 0)
		return fake->served % 10 ? -EAGAIN : -EINTR;
	return (int)request->length;
}

static int always_again(struct fake_drive *fake, const struct io_request *request)
{
	(void)fake;
	(void)request;
	return -EAGAIN;
}

static int gone_after_1000(struct fake_drive *fake, const struct io_request *request)
{
	return fake->served > 1000 ? -ENODEV : (int)request->length;
}

static int empty_after_1000(struct fake_drive *fake, const struct io_request *request)
{
	return fake->served > 1000 ? 0 : (int)request->length;
}

static void test_errors_are_counted_apart(void **state)
{
	(void)state;
	drive.result = every_fourth_fails;
	run();
	/* 80,000 served: 60,000 good ones, and only those have latencies and bytes. */
	assert_in_range(result.total.errors, 19990, 20000);
	assert_in_range(result.total.reads, 59980, 60000);
	assert_int_equal(result.total.first_error, -EIO);
	assert_int_equal(result.total.service.count, result.total.reads);
	assert_int_equal(result.total.read_bytes, result.total.reads * 4096);
	assert_int_equal(result.total.short_reads, 0);
	assert_false(result.total.device_lost);
	/* Failed ones were in flight all the same. */
	assert_true(fabs(result.total.outstanding_ns - 8e9) < 8e6);
}

static void test_short_reads(void **state)
{
	(void)state;
	drive.result = every_fourth_is_short;
	run();
	assert_in_range(result.total.short_reads, 19990, 20000);
	assert_int_equal(result.total.errors, result.total.short_reads);
	assert_int_equal(result.total.service.count, result.total.reads);
	assert_false(result.total.device_lost);
}

static void test_again_is_sent_again(void **state)
{
	(void)state;
	drive.result = every_fifth_again;
	run();
	assert_int_equal(result.total.errors, 0);
	assert_in_range(result.total.retries, 15990, 16010);
	assert_in_range(result.total.reads, 63980, 64010);
	/* The latency of such an I/O holds all its rounds. */
	assert_true(result.total.service.max >= 200000);
	assert_int_equal(drive.most_in_flight, 8);
}

static void test_again_has_an_end(void **state)
{
	(void)state;
	drive.result = always_again;
	run();
	assert_int_equal(result.total.reads, 0);
	assert_in_range(result.total.errors, 1, 100);
	assert_int_equal(result.total.first_error, -EAGAIN);
}

static void test_lost_device_ends_the_phase(void **state)
{
	(void)state;
	drive.result = gone_after_1000;
	phase.window_ns = 100 * SECOND;
	run();
	assert_true(result.total.device_lost);
	assert_int_equal(result.total.first_error, -ENODEV);
	assert_int_equal(result.total.reads, 1000);
	assert_in_range(result.total.errors, 1, 16);
	assert_false(result.stopped);
	assert_true(result.window_ns < SECOND);
}

/* 1000 are done after 12.5 ms; the window ends while the next are in flight, which all fail. */
static void test_lost_after_the_window(void **state)
{
	(void)state;
	drive.result = gone_after_1000;
	phase.window_ns = 12550000;
	run();
	assert_int_equal(result.total.reads, 1000);
	assert_int_equal(result.total.errors, 0);
	assert_true(result.total.device_lost);
}

static void test_lost_in_the_warmup(void **state)
{
	(void)state;
	drive.result = gone_after_1000;
	phase.warmup_ns = 10 * SECOND;
	run();
	assert_true(result.total.device_lost);
	assert_int_equal(result.total.first_error, -ENODEV);
	assert_int_equal(result.total.reads, 0); /* none of the window */
	assert_int_equal(result.window_ns, 0);
}

static void test_nothing_read_means_lost(void **state)
{
	(void)state;
	drive.result = empty_after_1000;
	phase.window_ns = 100 * SECOND;
	phase.load.rate_iops = 5000;
	run();
	assert_true(result.total.device_lost);
	assert_true(result.lanes[0].device_lost);
	assert_int_equal(result.total.reads, 1000);
	assert_int_equal(result.total.short_reads, 0);
	assert_true(result.window_ns < SECOND);
}

static void test_backend_fault_ends_the_phase(void **state)
{
	struct err err = {0};

	(void)state;
	drive.reap_fault = -EBADF;
	run();
	assert_int_equal(result.total.first_error, -EBADF);
	assert_int_equal(result.total.reads, 0);
	assert_int_equal(io_pool_begin(pool, &phase, &err), -ETIMEDOUT);
}

static void test_silent_drive_is_given_up(void **state)
{
	struct err err = {0};

	(void)state;
	drive.silent = true;
	assert_int_equal(io_pool_begin(pool, &phase, &err), 0);
	assert_int_equal(io_pool_next_interval(pool, 10000, &interval, &err), 1);
	assert_int_equal(interval.total.reads, 0);
	assert_int_equal(interval.total.oldest_io_ns, SECOND);
	assert_int_equal(io_pool_end(pool, &result, &err), 0);
	assert_int_equal(result.abandoned, 8);
	assert_int_equal(result.total.reads, 0);
	assert_true(fabs(result.total.outstanding_ns - 8e9) < 1e6);
	/* The slots are still with the drive: nothing more can run here. */
	assert_int_equal(io_pool_begin(pool, &phase, &err), -ETIMEDOUT);
	assert_non_null(strstr(err.text, "5 s"));
}

static void *stop_soon(void *argument)
{
	const struct timespec moment = {.tv_nsec = 20000000};

	nanosleep(&moment, NULL);
	io_pool_stop(argument);
	return NULL;
}

static void test_stop(void **state)
{
	struct err err = {0};
	pthread_t stopper;
	uint64_t reads = 0, at = 0;
	int rc;

	(void)state;
	phase.window_ns = UINT64_C(1000000) * SECOND;
	phase.interval_ns = SECOND / 100;
	assert_int_equal(io_pool_begin(pool, &phase, &err), 0);
	assert_int_equal(pthread_create(&stopper, NULL, stop_soon, pool), 0);
	while ((rc = io_pool_next_interval(pool, 10000, &interval, &err)) == 1) {
		reads += interval.total.reads;
		at += interval.length_ns;
	}
	assert_int_equal(rc, 0);
	pthread_join(stopper, NULL);
	assert_int_equal(io_pool_end(pool, &result, &err), 0);
	assert_true(result.stopped);
	/* Completions at the very nanosecond of the last boundary belong to no interval. */
	assert_in_range(result.total.reads - reads, 0, 8);
	assert_int_equal(result.window_ns, at);
	/* All that was submitted came back and was counted. */
	assert_int_equal(result.total.reads, drive.served);
	assert_int_equal(drive.pending, 0);
	/* The pool is good for more. */
	io_phase_result_free(&result);
	phase.window_ns = SECOND;
	run();
	assert_false(result.stopped);
	assert_int_equal(result.window_ns, SECOND);
}

static void test_pause_takes_no_time_of_the_window(void **state)
{
	struct err err = {0};

	(void)state;
	phase.load.rate_iops = 10000;
	phase.load.arrivals = IO_ARRIVALS_CONSTANT;
	io_pool_pause(pool, true);
	assert_int_equal(io_pool_begin(pool, &phase, &err), 0);
	assert_int_equal(io_pool_next_interval(pool, 30, &interval, &err), -ETIMEDOUT);
	io_pool_pause(pool, false);
	assert_int_equal(io_pool_end(pool, &result, &err), 0);
	assert_int_equal(result.window_ns, SECOND);
	assert_int_equal(result.total.scheduled, 10000);
	assert_in_range(result.total.reads, 9990, 10000);
	assert_int_equal(result.total.response.max, 100000);
	/* Stop works from a pause. */
	io_phase_result_free(&result);
	io_pool_pause(pool, true);
	assert_int_equal(io_pool_begin(pool, &phase, &err), 0);
	io_pool_stop(pool);
	assert_int_equal(io_pool_end(pool, &result, &err), 0);
	assert_true(result.stopped);
	io_pool_pause(pool, false);
}

static void test_destroy_while_running(void **state)
{
	struct err err = {0};

	phase.window_ns = UINT64_C(1000000) * SECOND;
	assert_int_equal(io_pool_begin(pool, &phase, &err), 0);
	io_pool_destroy(pool);
	assert_int_equal(drive.closed, 1);
	fresh(state);
}

static void test_nobody_fetches(void **state)
{
	/* More intervals than the ring holds, fetched late: nothing is lost. */
	struct err err = {0};
	uint64_t reads = 0;
	int rc;

	(void)state;
	phase.interval_ns = SECOND / 50;
	assert_int_equal(io_pool_begin(pool, &phase, &err), 0);
	const struct timespec moment = {.tv_nsec = 30000000};
	nanosleep(&moment, NULL);
	while ((rc = io_pool_next_interval(pool, 10000, &interval, &err)) == 1)
		reads += interval.total.reads;
	assert_int_equal(rc, 0);
	assert_int_equal(io_pool_end(pool, &result, &err), 0);
	assert_int_equal(reads, result.total.reads);
	assert_in_range(reads, 79980, 80000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_errors_are_counted_apart, fresh, gone),
		cmocka_unit_test_setup_teardown(test_lost_after_the_window, fresh, gone),
		cmocka_unit_test_setup_teardown(test_short_reads, fresh, gone),
		cmocka_unit_test_setup_teardown(test_again_is_sent_again, fresh, gone),
		cmocka_unit_test_setup_teardown(test_again_has_an_end, fresh, gone),
		cmocka_unit_test_setup_teardown(test_lost_device_ends_the_phase, fresh, gone),
		cmocka_unit_test_setup_teardown(test_lost_in_the_warmup, fresh, gone),
		cmocka_unit_test_setup_teardown(test_nothing_read_means_lost, fresh, gone),
		cmocka_unit_test_setup_teardown(test_backend_fault_ends_the_phase, fresh, gone),
		cmocka_unit_test_setup_teardown(test_silent_drive_is_given_up, fresh, gone),
		cmocka_unit_test_setup_teardown(test_stop, fresh, gone),
		cmocka_unit_test_setup_teardown(
			test_pause_takes_no_time_of_the_window, fresh, gone),
		cmocka_unit_test_setup_teardown(test_destroy_while_running, fresh, gone),
		cmocka_unit_test_setup_teardown(test_nobody_fetches, fresh, gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
