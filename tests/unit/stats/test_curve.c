/* Curve analysis on curves worked by hand, shapes of published drives, and the published figures
 * themselves (Little's law). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "stats/curve.h"

#define US 1000.0

static struct curve_point at(double iops, double mean_us)
{
	return (struct curve_point){.asked_iops = iops,
		.iops = iops,
		.mean_ns = mean_us * US,
		.p99_ns = 3 * mean_us * US,
		.outstanding = iops * mean_us * 1e-6,
		.count = (uint64_t)(iops * 20)};
}

/* Waiting times of one server: 1 / (1 - load), a curve with a known knee. */
static size_t queueing(struct curve_point *points)
{
	for (size_t i = 0; i < 9; i++) {
		const double load = 0.1 * (double)(i + 1);

		points[i] = at(100000 * load, 50 / (1 - load));
		points[i].percent = 100 * load;
	}
	return 9;
}

static void test_queueing_knee(void **state)
{
	struct curve_point points[9];
	struct curve_analysis a;
	const size_t count = queueing(points);

	(void)state;
	curve_analyse(points, count, 0, &a);
	assert_int_equal(a.start, 0);
	assert_int_equal(a.peak, 8);
	/* Gaps below the chord at loads 0.1 to 0.9, by hand: 0, .109, .214, .313, .4, .469, .5, .438,
	 * 0. */
	assert_int_equal(a.knee_chord, 6);
	assert_int_equal(a.knee_limit, -1);
	assert_false(a.fall_off);
	assert_int_equal(a.fall_off_at, -1);
}

static void test_flat_has_no_knee(void **state)
{
	struct curve_point points[3] = {at(1000, 80), at(2000, 85), at(3000, 119)};
	struct curve_analysis a;

	(void)state;
	curve_analyse(points, 3, 0, &a);
	assert_int_equal(a.knee_chord, -1);
	points[2].mean_ns = 120 * US; /* 1.5 x start: now there is one */
	curve_analyse(points, 3, 0, &a);
	assert_int_equal(a.knee_chord, 1);
}

static void test_saturated_points_are_no_knee(void **state)
{
	struct curve_point points[9];
	struct curve_analysis a;
	const size_t count = queueing(points);

	(void)state;
	points[6].saturated = true;
	curve_analyse(points, count, 0, &a);
	assert_int_equal(a.knee_chord, 5);
}

static void test_peak_takes_lowest_latency_within_one_percent(void **state)
{
	struct curve_point points[4] = {
		at(100000, 70), at(314900, 210), at(318000, 400), at(314500, 150)};
	struct curve_analysis a;

	(void)state;
	/* 1 % below 318,000 is 314,820: the last point is outside by 320. */
	curve_analyse(points, 4, 0, &a);
	assert_int_equal(a.peak, 1);
	points[3].iops = 314900;
	curve_analyse(points, 4, 0, &a);
	assert_int_equal(a.peak, 3);
}

static void test_limit(void **state)
{
	struct curve_point points[9];
	struct curve_analysis a;
	const size_t count = queueing(points);

	(void)state;
	/* p99 = 3 x mean: 500 us is kept up to load 0.7 (167 x 3 = 500). */
	curve_analyse(points, count, 500.1 * US, &a);
	assert_int_equal(a.knee_limit, 6);
	curve_analyse(points, count, 100 * US, &a);
	assert_int_equal(a.knee_limit, -1);
	/* It and all lower ones: an early breach hides what comes after. */
	points[2].p99_ns = 1e9;
	curve_analyse(points, count, 500.1 * US, &a);
	assert_int_equal(a.knee_limit, 1);
	points[2].p99_ns = NAN; /* not known is not kept */
	curve_analyse(points, count, 500.1 * US, &a);
	assert_int_equal(a.knee_limit, 1);
}

/* P4510 8TB, 4K random write: peak 433,000 at 36 us, then fewer IOPS at far more latency (the
 * profile's 128 outstanding give 128 / 380,000 = 337 us). */
static void test_published_fall_off(void **state)
{
	struct curve_point points[] = {at(43300, 15), at(216500, 17), at(389700, 24),
		at(433000, 36), at(380000, 337), at(379000, 338)};
	struct curve_analysis a;

	(void)state;
	points[4].asked_iops = 476300;
	points[5].asked_iops = 519600;
	points[4].saturated = points[5].saturated = true;
	curve_analyse(points, 6, 0, &a);
	assert_int_equal(a.peak, 3);
	assert_true(a.fall_off);
	assert_int_equal(a.fall_off_at, 4);
	points[4].host_limited = points[5].host_limited = true;
	curve_analyse(points, 6, 0, &a);
	assert_false(a.fall_off);
}

static void test_plateau_is_no_fall_off(void **state)
{
	struct curve_point points[] = {at(100000, 80), at(300000, 150), at(300100, 420)};
	struct curve_analysis a;

	(void)state;
	/* Saturated at the same rate: latency jumps, the rate stands. */
	curve_analyse(points, 3, 0, &a);
	assert_int_equal(a.peak, 1);
	assert_false(a.fall_off);
	points[2].iops = 286000; /* 95.3 % of the peak */
	curve_analyse(points, 3, 0, &a);
	assert_false(a.fall_off);
	points[2].iops = 284000; /* 94.7 %, and 420 us is 2.8 x */
	curve_analyse(points, 3, 0, &a);
	assert_true(a.fall_off);
	points[2].mean_ns = 220 * US; /* 1.47 x */
	curve_analyse(points, 3, 0, &a);
	assert_false(a.fall_off);
}

static void test_nothing_to_see(void **state)
{
	struct curve_point dead[2] = {{.asked_iops = 100, .mean_ns = NAN}, {.mean_ns = NAN}};
	struct curve_point one = at(1000, 80);
	struct curve_analysis a;

	(void)state;
	curve_analyse(NULL, 0, 0, &a);
	assert_int_equal(a.start, -1);
	assert_int_equal(a.peak, -1);
	curve_analyse(dead, 2, 1e6, &a);
	assert_int_equal(a.start, -1);
	assert_int_equal(a.peak, -1);
	assert_int_equal(a.knee_chord, -1);
	assert_int_equal(a.knee_limit, -1);
	assert_false(a.fall_off);
	curve_analyse(&one, 1, 0, &a);
	assert_int_equal(a.start, 0);
	assert_int_equal(a.peak, 0);
	assert_int_equal(a.knee_chord, -1);
}

static void test_little(void **state)
{
	struct curve_point p = at(200000, 100); /* 20 outstanding */
	double off;

	(void)state;
	assert_false(curve_little_suspect(&p, &off));
	assert_true(fabs(off) < 1e-9);
	p.outstanding = 20 / 1.019;
	assert_false(curve_little_suspect(&p, &off));
	p.outstanding = 20 / 1.021;
	assert_true(curve_little_suspect(&p, &off));
	assert_true(off > 2.09 && off < 2.11);
	p.count = 999; /* too few to judge */
	assert_false(curve_little_suspect(&p, &off));
	p.count = 1000;
	p.outstanding = 20 / 0.979;
	assert_true(curve_little_suspect(&p, &off));
	assert_true(off < 0);
	p.outstanding = 0;
	assert_false(curve_little_suspect(&p, &off));
	assert_true(isnan(off));
}

/* The published peaks obey the law with the outstanding count given beside them. */
static void test_published_little(void **state)
{
	const char *shared = getenv("NVSWEEP_SHARED");
	char path[512], line[512];
	unsigned rows = 0;
	FILE *file;

	(void)state;
	snprintf(path, sizeof(path), "%s/reference/reference-drives.csv",
		shared ? shared : "../shared");
	file = fopen(path, "re");
	if (!file) {
		print_message("skipped: %s is not there: set NVSWEEP_SHARED\n", path);
		skip();
	}
	while (fgets(line, sizeof(line), file)) {
		char *fields[13] = {NULL}, *rest = line;
		int count = 0;

		while (rest && count < 13)
			fields[count++] = strsep(&rest, ",");
		if (count < 12 || !atof(fields[6]) || !atof(fields[7]) || !atof(fields[9]))
			continue;
		const double drives = atof(fields[2]);
		struct curve_point p = at(atof(fields[6]) / drives, atof(fields[7]));
		double off;

		p.outstanding = atof(fields[9]);
		if (curve_little_suspect(&p, &off))
			fail_msg("%s %s: %.1f %% off", fields[0], fields[3], off);
		rows++;
	}
	fclose(file);
	assert_true(rows > 60);
}

/* Counts of a Poisson process are not unstable, however small they are; a drive that swings is. */
static void test_unstable(void **state)
{
	double iops[60];
	struct rng rng;

	(void)state;
	rng_seed(&rng, 7, 1);
	for (int i = 0; i < 60; i++) {
		iops[i] = 2500;
		/* Twelve uniform draws make a normal deviate: sd sqrt(2500) = 50. */
		for (int k = 0; k < 12; k++)
			iops[i] += (rng_uniform(&rng) - 0.5) * 50;
	}
	assert_false(curve_unstable(iops, 60, 2500));
	for (int i = 0; i < 60; i++)
		iops[i] = i % 2 ? 2200 : 2800; /* max - min 24 % */
	assert_true(curve_unstable(iops, 60, 2500));
	assert_false(curve_unstable(iops, 60, 2499)); /* too few to judge */
	assert_false(curve_unstable(iops, 1, 2500));
	assert_false(curve_unstable(iops, 0, 2500));
	for (int i = 0; i < 60; i++)
		iops[i] = i % 2 ? 90500 : 109500; /* max - min 19 %, sd 9.6 % */
	assert_false(curve_unstable(iops, 60, 100000));
	/* A collapse (PM9A3, initial login): half of the window at half the rate. */
	for (int i = 0; i < 60; i++)
		iops[i] = i < 30 ? 18000 : 9000;
	assert_true(curve_unstable(iops, 60, 18000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_queueing_knee),
		cmocka_unit_test(test_flat_has_no_knee),
		cmocka_unit_test(test_saturated_points_are_no_knee),
		cmocka_unit_test(test_peak_takes_lowest_latency_within_one_percent),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_published_fall_off),
		cmocka_unit_test(test_plateau_is_no_fall_off),
		cmocka_unit_test(test_nothing_to_see),
		cmocka_unit_test(test_little),
		cmocka_unit_test(test_published_little),
		cmocka_unit_test(test_unstable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
