/* Errors, the log, random numbers against published values, clocks. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "base/rng.h"
#include "base/str.h"

static void sentences(void **state)
{
	char longer[2000];
	struct err err;

	(void)state;
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	err_clear(NULL);
	assert_int_equal(err_set(NULL, -EIO, "x"), -EIO);
	assert_int_equal(err_prefix(NULL, -EIO, "x"), -EIO);
	assert_int_equal(err_set(&err, -ENOENT, "no drive \"%s\"", "a\x1b[1m\n"), -ENOENT);
	assert_string_equal(err.text, "no drive \"a?[1m?\"");
	assert_int_equal(err.code, -ENOENT);
	assert_int_equal(err.exit, ERR_EXIT_FAILED);
	assert_int_equal(err_set_exit(&err, ERR_EXIT_REFUSED, -EBUSY, "it is mounted"), -EBUSY);
	assert_int_equal(err_prefix(&err, -EIO, "%s", "nvme0n1"), -EBUSY);
	assert_string_equal(err.text, "nvme0n1: it is mounted");
	assert_int_equal(err.exit, ERR_EXIT_REFUSED);
	err_clear(&err);
	assert_int_equal(err.code, 0);
	assert_int_equal(err_prefix(&err, -EIO, "nvme0"), -EIO);
	assert_string_equal(err.text, "nvme0: Input/output error");
	assert_int_equal(err_set(&err, -EIO, "%s", longer), -EIO);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	assert_int_equal(err_prefix(&err, -EIO, "%s", longer), -EIO);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	assert_string_equal(err_errno_text(-EACCES), "Permission denied");
	assert_string_equal(err_errno_text(EACCES), "Permission denied");
	assert_string_equal(err_errno_text(-99999), "unknown error");
}

static void log_keeps_the_last_thousand_lines(void **state)
{
	char path[] = "/tmp/nvsweep-log-XXXXXX", *bytes, *at;
	int fd = mkstemp(path), lines = 0;
	struct err err;
	size_t length;

	(void)state;
	assert_true(fd >= 0);
	for (int i = 0; i < 1500; i++)
		log_info("line %d", i);
	log_warn("bytes \x1b[2J %s", "and \xff");
	log_dump(fd);
	assert_int_equal(file_read(path, 1 << 20, &bytes, &length, NULL), 0);
	for (at = bytes; (at = strchr(at, '\n')) != NULL; at++)
		lines++;
	assert_int_equal(lines, 1000);
	assert_non_null(strstr(bytes, "line 501\n"));
	assert_null(strstr(bytes, "line 500\n"));
	assert_non_null(strstr(bytes, "line 1499\n"));
	assert_non_null(strstr(bytes, "WARN"));
	assert_non_null(strstr(bytes, "bytes ?[2J and ?\n"));
	free(bytes);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(log_open(path, &err), 0);
	errno = ENOTTY;
	log_debug("to the file");
	assert_int_equal(errno, ENOTTY);
	assert_int_equal(file_read(path, 1 << 20, &bytes, &length, NULL), 0);
	assert_non_null(strstr(bytes, "log opened"));
	assert_non_null(strstr(bytes, "to the file\n"));
	free(bytes);
	assert_int_equal(log_open("/nonexistent/log", &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent/log"));
	close(fd);
	unlink(path);
}

/* First outputs of xoshiro256** from the state {1, 2, 3, 4}, and of splitmix64 from the seed
 * 1234567, as its authors' programs print them. */
static void published_random_numbers(void **state)
{
	static const uint64_t xoshiro[] = {11520, 0, 1509978240, 1215971899390074240u,
		1216172134540287360u, 607988272756665600u, 16172922978634559625u,
		8476171486693032832u, 10595114339597558777u, 2904607092377533576u};
	static const uint64_t splitmix[] = {6457827717110365317u, 3203168211198807973u,
		9817491932198370423u, 4593380528125082431u};
	struct rng rng = {{1, 2, 3, 4}};

	(void)state;
	for (size_t i = 0; i < sizeof(xoshiro) / sizeof(xoshiro[0]); i++)
		assert_true(rng_next(&rng) == xoshiro[i]);
	rng_seed(&rng, 1234567, 0);
	for (int i = 0; i < 4; i++)
		assert_true(rng.state[i] == splitmix[i]);
}

static void streams_differ_and_repeat(void **state)
{
	struct rng a, b;

	(void)state;
	for (uint64_t stream = 0; stream < 100; stream++) {
		rng_seed(&a, 42, stream);
		rng_seed(&b, 42, stream);
		for (int i = 0; i < 10; i++)
			assert_true(rng_next(&a) == rng_next(&b));
		rng_seed(&b, 42, stream + 1);
		assert_true(rng_next(&a) != rng_next(&b));
		rng_seed(&b, 43, stream);
		assert_true(rng_next(&a) != rng_next(&b));
	}
	assert_true(rng_fresh_seed() != rng_fresh_seed());
}

static void draws_have_the_right_shape(void **state)
{
	const int count = 200000;
	double sum = 0, squares = 0, uniform = 0;
	int counts[7] = {0}, above = 0;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 1, 2);
	for (int i = 0; i < count; i++) {
		double x = rng_exponential(&rng, 250.0), u = rng_uniform(&rng);

		assert_true(x >= 0 && isfinite(x) && u >= 0 && u < 1);
		sum += x;
		squares += x * x;
		above += x > 250.0;
		uniform += u;
		counts[rng_below(&rng, 7)]++;
	}
	/* five standard errors: mean/sqrt(n) and so on */
	assert_true(fabs(sum / count - 250) < 5 * 250 / sqrt(count));
	assert_true(fabs(squares / count / (2 * 250.0 * 250.0) - 1) < 5 * sqrt(5.0 / count));
	assert_true(fabs((double)above / count - exp(-1)) < 5 * 0.5 / sqrt(count));
	assert_true(fabs(uniform / count - 0.5) < 5 * 0.29 / sqrt(count));
	for (int i = 0; i < 7; i++)
		assert_true(fabs(counts[i] - count / 7.0) < 5 * sqrt(count / 7.0));
	assert_true(rng_below(&rng, 1) == 0);
}

static void free_clock_jumps(void **state)
{
	struct clock clock;

	(void)state;
	clock_init_free(&clock);
	assert_int_equal(clock_now(&clock), 0);
	clock_sleep_until(&clock, 1000000000000);
	assert_int_equal(clock_now(&clock), 1000000000000);
	clock_sleep_until(&clock, 5);
	assert_int_equal(clock_now(&clock), 1000000000000);
	clock_sleep_until(&clock, UINT64_MAX);
	assert_true(clock_now(&clock) == UINT64_MAX);
}

/* Only lower bounds: how late a sleep ends depends on the machine. */
static void clocks_never_wake_early(void **state)
{
	struct clock real, fast;
	uint64_t before, until;

	(void)state;
	clock_init_real(&real);
	before = clock_monotonic_ns();
	assert_true(clock_now(&real) >= before);
	until = clock_now(&real) + 2000000;
	clock_sleep_until(&real, until);
	assert_true(clock_monotonic_ns() >= until);
	clock_init_scaled(&fast, 1000);
	before = clock_monotonic_ns();
	clock_sleep_until(&fast, 3000000000u); /* three seconds in three milliseconds */
	assert_true(clock_now(&fast) >= 3000000000u);
	assert_true(clock_monotonic_ns() - before >= 2900000);
	clock_init_scaled(&fast, 0.001);
	clock_sleep_until(&fast, 3000);
	assert_true(clock_now(&fast) >= 3000);
	clock_init_scaled(&fast, NAN);
	assert_true(fast.factor == 1);
	clock_sleep_until(&real, 0);
	assert_true(clock_boottime_ns() > 0);
	assert_true(clock_wall_seconds() > 1600000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sentences),
		cmocka_unit_test(log_keeps_the_last_thousand_lines),
		cmocka_unit_test(published_random_numbers),
		cmocka_unit_test(streams_differ_and_repeat),
		cmocka_unit_test(draws_have_the_right_shape),
		cmocka_unit_test(free_clock_jumps),
		cmocka_unit_test(clocks_never_wake_early),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
