/* Arrival schedules against what was asked: counts, moments, exactness, drift, sharing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "io/pace.h"

#define SECOND UINT64_C(1000000000)

static void test_constant_is_exact(void **state)
{
	/* 10^7 arrivals: the k-th is due at start + k x 1e9 / rate, rounded down. */
	static const uint64_t rates[] = {1, 3, 7, 999, 1000, 300000, 1000000, 2000000};

	(void)state;
	for (size_t r = 0; r < sizeof(rates) / sizeof(rates[0]); r++) {
		struct io_schedule schedule;
		const uint64_t start = 123456789;

		io_schedule_start(
			&schedule, IO_ARRIVALS_CONSTANT, (double)rates[r], 1, start, 0, 1);
		for (uint64_t k = 0; k < 10000000; k++) {
			if (k % 9973 == 0 || k > 9999990) {
				const uint64_t want = start +
					(uint64_t)((unsigned __int128)k * SECOND / rates[r]);

				/* a rate that divides badly may stand 1 ns off */
				assert_in_range(schedule.due_ns + 1, want, want + 1);
			}
			io_schedule_next(&schedule);
		}
		assert_int_equal(schedule.passed, 10000000);
	}
}

/* Moments of the gaps, and the count in a window, over 10^7 arrivals. */
static void check_moments(enum io_arrivals kind, double deviation, double third)
{
	const double rate = 250000, mean = 4000;
	const int count = 10000000;
	struct io_schedule schedule;
	double sum = 0, squares = 0, cubes = 0;
	uint64_t last = 1000, most = 0;

	io_schedule_start(&schedule, kind, rate, 42, last, 0, 1);
	for (int i = 0; i < count; i++) {
		const double gap = (double)(schedule.due_ns - last) - mean;

		sum += gap;
		squares += gap * gap;
		cubes += gap * gap * gap;
		if (schedule.due_ns - last > most)
			most = schedule.due_ns - last;
		last = schedule.due_ns;
		io_schedule_next(&schedule);
	}
	/* The mean of n gaps is off by deviation / sqrt(n); five times that is never seen. */
	assert_true(fabs(sum / count) < 5 * deviation / sqrt(count));
	assert_true(fabs(sqrt(squares / count) - deviation) < deviation * 0.005);
	assert_true(fabs(cubes / count - third) < pow(mean, 3) * 0.02);
	if (kind == IO_ARRIVALS_UNIFORM)
		assert_true(most <= 8001);
	/* No drift: the end is the sum of the gaps, within its own chance. */
	assert_true(fabs((double)last - 1000 - mean * count) < 5 * deviation * sqrt(count));
}

static void test_exponential_moments(void **state)
{
	(void)state;
	check_moments(IO_ARRIVALS_EXPONENTIAL, 4000, 2 * pow(4000, 3));
}

static void test_uniform_moments(void **state)
{
	(void)state;
	check_moments(IO_ARRIVALS_UNIFORM, 8000 / sqrt(12), 0);
}

static void test_exponential_shape(void **state)
{
	/* Share of gaps beyond m means is exp(-m). */
	struct io_schedule schedule;
	const int count = 2000000;
	int beyond[4] = {0};
	uint64_t last = 0;

	(void)state;
	io_schedule_start(&schedule, IO_ARRIVALS_EXPONENTIAL, 10000, 3, 0, 0, 1);
	for (int i = 0; i < count; i++) {
		for (int m = 1; m < 4; m++)
			beyond[m] += schedule.due_ns - last > (uint64_t)m * 100000;
		last = schedule.due_ns;
		io_schedule_next(&schedule);
	}
	for (int m = 1; m < 4; m++) {
		const double p = exp(-m);

		assert_true(fabs((double)beyond[m] / count - p) < 5 * sqrt(p * (1 - p) / count));
	}
}

static void test_shares_make_one_schedule(void **state)
{
	static const enum io_arrivals kinds[] = {
		IO_ARRIVALS_EXPONENTIAL, IO_ARRIVALS_UNIFORM, IO_ARRIVALS_CONSTANT};

	(void)state;
	for (int k = 0; k < 3; k++) {
		struct io_schedule whole, parts[3];

		io_schedule_start(&whole, kinds[k], 77777, 5, 1000, 0, 1);
		for (uint32_t i = 0; i < 3; i++)
			io_schedule_start(&parts[i], kinds[k], 77777, 5, 1000, i, 3);
		for (int i = 0; i < 300000; i++) {
			struct io_schedule *part = &parts[i % 3];

			assert_int_equal(part->due_ns, whole.due_ns);
			io_schedule_next(part);
			io_schedule_next(&whole);
		}
	}
}

static void test_skip_counts(void **state)
{
	struct io_schedule ahead, behind;
	uint64_t count = 0;

	(void)state;
	io_schedule_start(&ahead, IO_ARRIVALS_EXPONENTIAL, 50000, 9, 0, 0, 1);
	behind = ahead;
	io_schedule_skip(&ahead, 2 * SECOND, UINT64_MAX);
	while (behind.due_ns < 2 * SECOND) {
		io_schedule_next(&behind);
		count++;
	}
	assert_int_equal(ahead.passed, count);
	assert_int_equal(ahead.due_ns, behind.due_ns);
	assert_true(fabs((double)count - 100000) < 5 * sqrt(100000));
	io_schedule_skip(&ahead, UINT64_MAX, 10);
	assert_int_equal(ahead.passed, count + 10);
	/* Same seed, same times; another seed, others. */
	struct io_schedule again;
	io_schedule_start(&again, IO_ARRIVALS_EXPONENTIAL, 50000, 9, 0, 0, 1);
	io_schedule_skip(&again, 2 * SECOND, UINT64_MAX);
	assert_int_equal(again.due_ns, behind.due_ns);
	io_schedule_start(&again, IO_ARRIVALS_EXPONENTIAL, 50000, 10, 0, 0, 1);
	io_schedule_skip(&again, 2 * SECOND, UINT64_MAX);
	assert_int_not_equal(again.due_ns, behind.due_ns);
}

static void test_leaps(void **state)
{
	static const enum io_arrivals kinds[] = {
		IO_ARRIVALS_EXPONENTIAL, IO_ARRIVALS_UNIFORM, IO_ARRIVALS_CONSTANT};

	(void)state;
	/* Constant: a skip is as exact as step by step. */
	for (uint32_t stride = 1; stride <= 3; stride++) {
		struct io_schedule skipped, stepped;

		io_schedule_start(
			&skipped, IO_ARRIVALS_CONSTANT, 333333.7, 1, 99, stride - 1, stride);
		stepped = skipped;
		for (uint64_t until = 0; until < SECOND; until = until * 3 + 1000) {
			io_schedule_skip(&skipped, until, 1);
			while (stepped.due_ns < until)
				io_schedule_next(&stepped);
			assert_int_equal(skipped.due_ns, stepped.due_ns);
			assert_int_equal(skipped.passed, stepped.passed);
			assert_int_equal(skipped.fraction, stepped.fraction);
		}
	}
	/* Catching up on 10^12 arrivals costs a few draws and counts them to the chance of their
	 * own number. */
	for (int k = 0; k < 3; k++) {
		struct io_schedule schedule;

		io_schedule_start(&schedule, kinds[k], 1e9, 4, 0, 0, 1);
		io_schedule_catch_up(&schedule, 1000 * SECOND, 1000);
		assert_true(schedule.due_ns >= 1000 * SECOND);
		assert_true(schedule.due_ns < 1000 * SECOND + 1000);
		assert_true(fabs((double)schedule.passed - 1e12) < 1e7);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_constant_is_exact),
		cmocka_unit_test(test_exponential_moments),
		cmocka_unit_test(test_uniform_moments),
		cmocka_unit_test(test_exponential_shape),
		cmocka_unit_test(test_shares_make_one_schedule),
		cmocka_unit_test(test_skip_counts),
		cmocka_unit_test(test_leaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
