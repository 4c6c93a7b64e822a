/* The parameters of a test: defaults, ranges, nearest names, text and back. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "sweep/options.h"

static struct options o;
static struct err err;

static int setup(void **state)
{
	(void)state;
	memset(&o, 0xa5, sizeof(o));
	options_defaults(&o);
	err_clear(&err);
	return 0;
}

/* METHODS 4. */
static void test_defaults(void **state)
{
	(void)state;
	assert_true(o.warmup_s == 5 && o.point_s == 20);
	assert_int_equal(o.point_count, 12);
	for (int i = 0; i < 12; i++)
		assert_true(o.points[i] == 10.0 * (i + 1));
	assert_int_equal(o.depth_count, 10);
	for (int i = 0; i < 10; i++)
		assert_true(o.depths[i] == (double)(1 << i));
	assert_string_equal(o.arrivals, "exponential");
	assert_string_equal(o.pace, "auto");
	assert_string_equal(o.backend, "auto");
	assert_true(o.area_pct == 100 && o.read_pct < 0 && o.random_pct < 0);
	assert_true(o.outstanding == 0 && o.bytes == 0 && o.seed == 0 && o.rate_iops == 0);
	assert_true(options_maximum_s(&o) == 5);
	o.point_s = 1.5;
	assert_true(options_maximum_s(&o) == 1);
	o.point_s = 0.5;
	assert_true(options_maximum_s(&o) == 0.5);
	o.maximum_s = 7;
	assert_true(options_maximum_s(&o) == 7);
}

static void test_set(void **state)
{
	(void)state;
	assert_int_equal(options_set(&o, "bytes=1G", &err), 0);
	assert_true(o.bytes == 1ull << 30);
	assert_int_equal(options_set(&o, "block_bytes=16KiB", &err), 0);
	assert_true(o.block_bytes == 16384);
	assert_int_equal(options_set(&o, "point_s=1.5", &err), 0);
	assert_true(o.point_s == 1.5);
	assert_int_equal(options_set(&o, "points=5,50,150", &err), 0);
	assert_int_equal(o.point_count, 3);
	assert_true(o.points[2] == 150);
	assert_int_equal(options_set(&o, "depths=1,7", &err), 0);
	assert_int_equal(o.depth_count, 2);
	assert_int_equal(options_set(&o, "arrivals=constant", &err), 0);
	assert_string_equal(o.arrivals, "constant");
	assert_int_equal(options_set(&o, "seed=18446744073709551615", &err), -EINVAL);
	assert_int_equal(options_set(&o, "seed=9007199254740993", &err), 0);
	assert_true(o.seed == 9007199254740993ull);
}

static void test_refused(void **state)
{
	static const struct {
		const char *text, *word;
	} bad[] = {{"point_s=0", "0.1 to 604800 s"}, {"point_s=abc", "0.1 to 604800 s"},
		{"point_s=", "0.1"}, {"outstanding=65536", "65535"}, {"outstanding=-1", "65535"},
		{"arrivals=poisson", "exponential, uniform or constant"},
		{"arrivals=", "exponential"}, {"arrivals=exponential|uniform", "choose"},
		{"points=10,5", "rising"}, {"points=10,10", "rising"}, {"points=", "percentages"},
		{"points=0", "0.1"}, {"depths=1.5", "numbers"},
		{"block_bytes=65M", "at most 64.00 MiB"}, {"bytes=x", "size"},
		{"read_pct=101", "100"}, {"area_pct=0", "0.001"}, {"poimt_s=5", "point_s"},
		{"zzzzzzzzzz=5", "nvsweep run --help"}, {"point_s", "KEY=VALUE"},
		{"=5", "KEY=VALUE"}, {"", "KEY=VALUE"}};
	const struct options before = o;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		err_clear(&err);
		if (options_set(&o, bad[i].text, &err) >= 0)
			fail_msg("%s was accepted", bad[i].text);
		if (err.exit != ERR_EXIT_USAGE || !strstr(err.text, bad[i].word))
			fail_msg("%s: \"%s\" has no \"%s\"", bad[i].text, err.text, bad[i].word);
	}
	assert_memory_equal(&o, &before, sizeof(o)); /* a refused value changes nothing */
}

/* Every row's text sets it to the same value again, and has help. */
static void test_text_and_back(void **state)
{
	(void)state;
	assert_int_equal(options_set(&o, "points=12.5,33", NULL), 0);
	assert_int_equal(options_set(&o, "rate_iops=123456.75", NULL), 0);
	assert_int_equal(options_set(&o, "offset_bytes=9007199254740993", NULL), 0);
	for (size_t i = 0; i < options_count; i++) {
		const struct option_row *row = &options_table[i];
		char text[512], again[512], range[200];
		struct options other;

		options_defaults(&other);
		options_value(&o, row, text, sizeof(text));
		assert_int_equal(options_set_value(&other, row->key, text, &err), 0);
		options_value(&other, row, again, sizeof(again));
		assert_string_equal(text, again);
		options_range(row, range, sizeof(range));
		assert_true(range[0] && row->help[0] && row->default_text[0]);
		assert_ptr_equal(options_find(row->key), row);
	}
}

static void test_belongs(void **state)
{
	(void)state;
	assert_true(options_row_applies(options_find("points"), "curve"));
	assert_false(options_row_applies(options_find("points"), "fixed"));
	assert_true(options_row_applies(options_find("seed"), "depth"));
	assert_false(options_row_applies(options_find("outstanding"), "depth"));
	assert_false(options_row_applies(options_find("points"), "cur"));
	assert_int_equal(options_check(&o, "curve", &err), 0);
	assert_int_equal(options_check(&o, "fixed", &err), 0);
	assert_int_equal(options_check(&o, "depth", &err), 0);
	assert_int_equal(options_set(&o, "bytes=4k", NULL), 0);
	assert_int_equal(options_check(&o, "fixed", &err), 0);
	assert_int_equal(options_check(&o, "curve", &err), -EINVAL);
	assert_non_null(strstr(err.text, "bytes"));
	assert_int_equal(err.exit, ERR_EXIT_USAGE);
}

#define EACH(f) cmocka_unit_test_setup(f, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(test_defaults),
		EACH(test_set),
		EACH(test_refused),
		EACH(test_text_and_back),
		EACH(test_belongs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
