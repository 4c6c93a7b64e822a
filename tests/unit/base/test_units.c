/* Numbers to text at every boundary, and back. Expected texts are worked out by hand. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/units.h"

#define U128_MAX (~(u128)0)

static void decimals_of_128_bits(void **state)
{
	char text[64], tiny[4];
	u128 back;

	(void)state;
	assert_string_equal(units_u128_decimal(text, sizeof(text), 0), "0");
	assert_string_equal(
		units_u128_decimal(text, sizeof(text), UINT64_MAX), "18446744073709551615");
	assert_string_equal(units_u128_decimal(text, sizeof(text), (u128)UINT64_MAX + 1),
		"18446744073709551616");
	assert_string_equal(units_u128_decimal(text, sizeof(text), U128_MAX),
		"340282366920938463463374607431768211455");
	assert_int_equal(units_parse_u128(text, &back, NULL), 0);
	assert_true(back == U128_MAX);
	assert_int_equal(
		units_parse_u128("340282366920938463463374607431768211456", &back, NULL), -EINVAL);
	assert_int_equal(
		units_parse_u128("999999999999999999999999999999999999999", &back, NULL), -EINVAL);
	assert_string_equal(units_u128_decimal(tiny, sizeof(tiny), 123456), "123");
	assert_string_equal(units_grouped(text, sizeof(text), 0), "0");
	assert_string_equal(units_grouped(text, sizeof(text), 999), "999");
	assert_string_equal(units_grouped(text, sizeof(text), 31204), "31,204");
	assert_string_equal(units_grouped(text, sizeof(text), 1000000), "1,000,000");
	assert_string_equal(units_grouped(text, sizeof(text), U128_MAX),
		"340,282,366,920,938,463,463,374,607,431,768,211,455");
}

static void bytes_si(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {{0, "0 B"}, {512, "512 B"}, {999, "999 B"}, {1000, "1.00 kB"},
		{1004, "1.00 kB"}, {1005, "1.01 kB"}, {99994, "99.99 kB"}, {99995, "100.0 kB"},
		{999949, "999.9 kB"}, {999950, "1.00 MB"}, {7681501126656u, "7.68 TB"},
		{3840755982336u, "3.84 TB"}, {1000204886016u, "1.00 TB"},
		{500805590016u, "500.8 GB"}, {13610000000000000u, "13.61 PB"},
		{UINT64_MAX, "18.45 EB"}};
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(
			units_bytes_si(text, sizeof(text), cases[i].bytes), cases[i].text);
	/* 2^128-1 bytes = 340282366.92 QB */
	assert_string_equal(units_bytes_si(text, sizeof(text), U128_MAX), "340282366.9 QB");
	assert_string_equal(
		units_bytes_si(text, sizeof(text), (u128)UINT64_MAX * 512000), "9.44 YB");
}

static void bytes_iec_and_block_sizes(void **state)
{
	char text[64];

	(void)state;
	/* issue of other tools: 978143920 of 512 bytes */
	assert_string_equal(
		units_bytes_iec(text, sizeof(text), (u128)978143920 * 512), "466.4 GiB");
	assert_string_equal(units_bytes_iec(text, sizeof(text), 1023), "1023 B");
	assert_string_equal(units_bytes_iec(text, sizeof(text), 1024), "1.00 KiB");
	assert_string_equal(units_bytes_iec(text, sizeof(text), 1048575), "1.00 MiB");
	/* 1023.94 KiB stays, 1023.95 KiB (1048524.8 bytes) rounds up */
	assert_string_equal(units_bytes_iec(text, sizeof(text), 1048514), "1023.9 KiB");
	assert_string_equal(units_bytes_iec(text, sizeof(text), 1048525), "1.00 MiB");
	assert_string_equal(units_bytes_iec(text, sizeof(text), UINT64_MAX), "16.00 EiB");
	assert_string_equal(units_bytes_iec(text, sizeof(text), U128_MAX), "281474976710656.0 YiB");
	assert_string_equal(units_block_size(text, sizeof(text), 512), "512 B");
	assert_string_equal(units_block_size(text, sizeof(text), 520), "520 B");
	assert_string_equal(units_block_size(text, sizeof(text), 4096), "4 KiB");
	assert_string_equal(units_block_size(text, sizeof(text), 4160), "4160 B");
	assert_string_equal(units_block_size(text, sizeof(text), 65536), "64 KiB");
	assert_string_equal(units_block_size(text, sizeof(text), 1572864), "1536 KiB");
	assert_string_equal(units_block_size(text, sizeof(text), 0), "0 B");
	assert_string_equal(units_block_size(text, sizeof(text), (uint64_t)1 << 63), "8 EiB");
}

static void rates(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {{0, "0"}, {5, "5"}, {999, "999"}, {2.5, "2.50"}, {12.34, "12.3"},
		{123.4, "123"}, {0.004, "0.00"}, {999.4, "999"}, {999.6, "1.00 k"},
		{1000, "1.00 k"}, {9994, "9.99 k"}, {9996, "10.0 k"}, {310000, "310 k"},
		{999499, "999 k"}, {999500, "1.00 M"}, {1.21e9, "1.21 G"}, {-2500, "-2.50 k"},
		{NAN, "-"}, {INFINITY, "-"}, {1e300, ">999 Q"}, {9.99e32, "999 Q"}};
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(units_si(text, sizeof(text), cases[i].value), cases[i].text);
}

static void latencies(void **state)
{
	static const struct {
		double ns;
		const char *text;
	} cases[] = {{0, "0 ns"}, {820, "820 ns"}, {999.4, "999 ns"}, {999.6, "1.0 us"},
		{8400, "8.4 us"}, {9940, "9.9 us"}, {9960, "10 us"}, {84000, "84 us"},
		{999400, "999 us"}, {999600, "1.00 ms"}, {1.24e6, "1.24 ms"}, {12.4e6, "12.4 ms"},
		{999.4e6, "999 ms"}, {999.6e6, "1.00 s"}, {2.1e9, "2.10 s"}, {3.6e12, "3600 s"},
		{-1, "-"}, {NAN, "-"}, {INFINITY, "-"}, {1e300, ">1e18 s"}};
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(
			units_latency(text, sizeof(text), cases[i].ns, true), cases[i].text);
	assert_string_equal(units_latency(text, sizeof(text), 84000, false), "84 \xc2\xb5s");
}

static void times(void **state)
{
	char text[64];

	(void)state;
	assert_string_equal(units_clock(text, sizeof(text), 0), "0:00");
	assert_string_equal(units_clock(text, sizeof(text), 161.9), "2:41");
	assert_string_equal(units_clock(text, sizeof(text), 3599), "59:59");
	assert_string_equal(units_clock(text, sizeof(text), 3761), "1:02:41");
	assert_string_equal(units_clock(text, sizeof(text), 86399), "23:59:59");
	assert_string_equal(
		units_clock(text, sizeof(text), 3 * 86400 + 4 * 3600 + 610), "3 d 04:10");
	assert_string_equal(units_clock(text, sizeof(text), -1), "-");
	assert_string_equal(units_clock(text, sizeof(text), NAN), "-");
	/* date -u -d @1796047742 */
	assert_string_equal(units_iso_time(text, sizeof(text), 1796047742), "2026-11-30T14:09:02Z");
	assert_string_equal(units_iso_time(text, sizeof(text), 0), "1970-01-01T00:00:00Z");
	assert_string_equal(units_iso_time(text, sizeof(text), INT64_MAX), "-");
}

static void shortest_doubles_read_back(void **state)
{
	struct rng rng;
	char text[64];

	(void)state;
	assert_string_equal(units_double(text, sizeof(text), 0.1), "0.1");
	assert_string_equal(units_double(text, sizeof(text), 5), "5");
	assert_string_equal(units_double(text, sizeof(text), 1.0 / 3), "0.3333333333333333");
	assert_string_equal(units_double(text, sizeof(text), 1e22), "1e+22");
	rng_seed(&rng, 7, 0);
	for (int i = 0; i < 100000; i++) {
		uint64_t bits = rng_next(&rng);
		double value, back;

		memcpy(&value, &bits, sizeof(value));
		if (!isfinite(value))
			continue;
		units_double(text, sizeof(text), value);
		assert_int_equal(units_parse_double(text, &back, NULL), 0);
		assert_true(back == value);
	}
}

static void whole_numbers(void **state)
{
	static const char *const bad[] = {"", " 1", "1 ", "+1", "-1", "0x10", "1e3", "12abc", "1.0",
		"18446744073709551616", "99999999999999999999999999999999999999999999", "\xff"};
	uint64_t value = 77;
	int64_t number = 77;
	struct err err;

	(void)state;
	assert_int_equal(units_parse_u64("18446744073709551615", &value, NULL), 0);
	assert_true(value == UINT64_MAX);
	assert_int_equal(units_parse_u64("010", &value, NULL), 0);
	assert_int_equal(value, 10);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		err_clear(&err);
		assert_int_equal(units_parse_u64(bad[i], &value, &err), -EINVAL);
		assert_int_equal(err.exit, ERR_EXIT_USAGE);
		assert_int_equal(value, 10);
	}
	assert_int_equal(units_parse_u64(NULL, &value, NULL), -EINVAL);
	assert_int_equal(units_parse_u64("12abc", &value, &err), -EINVAL);
	assert_non_null(strstr(err.text, "\"12abc\""));
	assert_non_null(strstr(err.text, "for example"));
	assert_int_equal(units_parse_i64("-9223372036854775808", &number, NULL), 0);
	assert_true(number == INT64_MIN);
	assert_int_equal(units_parse_i64("9223372036854775807", &number, NULL), 0);
	assert_true(number == INT64_MAX);
	assert_int_equal(units_parse_i64("9223372036854775808", &number, NULL), -EINVAL);
	assert_int_equal(units_parse_i64("-9223372036854775809", &number, NULL), -EINVAL);
	assert_int_equal(units_parse_i64("-", &number, NULL), -EINVAL);
	assert_int_equal(units_parse_i64("--1", &number, NULL), -EINVAL);
}

static void fractions(void **state)
{
	static const char *const bad[] = {"", ".", "-", "1,5", "inf", "nan", "0x1p3", "1e", "1e+",
		"1.5 ", " 1", "1e400", "1.2.3"};
	double value = 0;

	(void)state;
	assert_int_equal(units_parse_double("1.5", &value, NULL), 0);
	assert_true(value == 1.5);
	assert_int_equal(units_parse_double("-.5e2", &value, NULL), 0);
	assert_true(value == -50);
	assert_int_equal(units_parse_double("5.", &value, NULL), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(units_parse_double(bad[i], &value, NULL), -EINVAL);
	assert_true(value == 5);
}

static void sizes(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} good[] = {{"0", 0}, {"4096", 4096}, {"512B", 512}, {"4k", 4096}, {"4K", 4096},
		{"4KiB", 4096}, {"4ki", 4096}, {"4 KiB", 4096}, {"4kB", 4000}, {"4KB", 4000},
		{"1M", 1048576}, {"1G", 1073741824}, {"1GB", 1000000000}, {"1.5T", 1649267441664u},
		{"7.68TB", 7680000000000u}, {"0.5k", 512}, {"1P", 1125899906842624u},
		{"15E", 17293822569102704640u}, {"18446744073709551615", UINT64_MAX},
		{"1.3k", 1331}, {"18EB", 18000000000000000000u},
		{"0.333333333333333333TB", 333333333333u}};
	static const char *const bad[] = {"", "k", "-1", "+1", " 1k", "1k ", "4X", "4kk", "4KiBB",
		"0.5", "1.5B", "1.k", "16E", "18446744073709551616", "19EB", "1e3", "0x10", "1.",
		"1 ", "99999999999999999999999999999999999999999999k", "1.0000000000000000001k",
		"\xff"};
	uint64_t bytes = 1;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		if (units_parse_size(good[i].text, &bytes, NULL) < 0 || bytes != good[i].bytes)
			fail_msg("%s gave %llu", good[i].text, (unsigned long long)bytes);
	}
	bytes = 42;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err err = {0};

		if (units_parse_size(bad[i], &bytes, &err) != -EINVAL || bytes != 42 ||
			err.exit != ERR_EXIT_USAGE)
			fail_msg("%s was taken", bad[i]);
	}
}

static void booleans(void **state)
{
	bool value = false;

	(void)state;
	for (int i = 0; i < 4; i++) {
		assert_int_equal(
			units_parse_bool(
				(const char *const[]){"yes", "ON", "True", "1"}[i], &value, NULL),
			0);
		assert_true(value);
		assert_int_equal(
			units_parse_bool(
				(const char *const[]){"no", "off", "FALSE", "0"}[i], &value, NULL),
			0);
		assert_false(value);
	}
	assert_int_equal(units_parse_bool("ja", &value, NULL), -EINVAL);
	assert_int_equal(units_parse_bool("", &value, NULL), -EINVAL);
	assert_int_equal(units_parse_bool("yes ", &value, NULL), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decimals_of_128_bits),
		cmocka_unit_test(bytes_si),
		cmocka_unit_test(bytes_iec_and_block_sizes),
		cmocka_unit_test(rates),
		cmocka_unit_test(latencies),
		cmocka_unit_test(times),
		cmocka_unit_test(shortest_doubles_read_back),
		cmocka_unit_test(whole_numbers),
		cmocka_unit_test(fractions),
		cmocka_unit_test(sizes),
		cmocka_unit_test(booleans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
