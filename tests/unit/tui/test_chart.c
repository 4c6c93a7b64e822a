/* Charts: drawings worked out by hand, scales against their definition, and every size with every
 * kind of value. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "base/str.h"
#include "base/units.h"
#include "tui/chart.h"
#include "tui/chart_scale.h"

static void expect(const struct canvas *canvas, const char *wanted)
{
	char *dump = canvas_dump(canvas);

	assert_string_equal(dump, wanted);
	free(dump);
}

static void test_sparkline(void **state)
{
	static const double values[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, NAN, 16, INFINITY, -3};
	struct canvas *canvas = canvas_create(16, 1);

	(void)state;
	/* of 8: one level each; 0 is the lowest, too much the highest, NaN a gap */
	chart_sparkline(canvas, 0, 0, 13, ROLE_TEXT, values, 13, 8);
	expect(canvas, "▁▁▂▃▄▅▆▇█ ██▁\n");
	canvas_clear(canvas);
	/* scaled by what is shown: the last four, newest at the right */
	chart_sparkline(canvas, 2, 0, 4, ROLE_TEXT, values, 9, NAN);
	expect(canvas, "  ▅▆▇█\n");
	canvas_clear(canvas);
	chart_sparkline(canvas, 0, 0, 6, ROLE_TEXT, values + 1, 2, NAN);
	expect(canvas, "    ▄█\n");
	canvas_clear(canvas);
	chart_sparkline(canvas, 0, 0, 3, ROLE_TEXT, (const double[]){0, 0, 0}, 3, NAN);
	expect(canvas, "▁▁▁\n");
	canvas_free(canvas);
}

static void test_bar_and_steps(void **state)
{
	static const struct {
		double fraction;
		const char *wanted;
	} bars[] = {{0, "\n"}, {0.5, "██\n"}, {0.53125, "██▏\n"}, {0.72, "██▉\n"}, {1, "████\n"},
		{0.001, "▏\n"}, {0.999, "███▉\n"}, {-1, "\n"}, {7, "████\n"}, {NAN, "\n"}};
	struct canvas *canvas = canvas_create(10, 1);

	(void)state;
	for (size_t i = 0; i < sizeof(bars) / sizeof(bars[0]); i++) {
		canvas_clear(canvas);
		chart_bar(canvas, 0, 0, 4, ROLE_TEXT, bars[i].fraction);
		expect(canvas, bars[i].wanted);
	}
	canvas_clear(canvas);
	chart_steps(canvas, 0, 0, 10, ROLE_TEXT, 3, 6);
	expect(canvas, "■■■□□□\n");
	canvas_clear(canvas);
	chart_steps(canvas, 0, 0, 4, ROLE_TEXT, 30, 60);
	expect(canvas, "■■□□\n");
	canvas_clear(canvas);
	chart_steps(canvas, 0, 0, 4, ROLE_TEXT, 9, 3);
	expect(canvas, "■■■\n");
	chart_steps(canvas, 0, 0, 4, ROLE_TEXT, 0, 0);
	canvas_free(canvas);
}

static void test_nice(void **state)
{
	static const double pairs[][2] = {{1, 1}, {1.01, 2}, {2, 2}, {3, 5}, {7, 10}, {10, 10},
		{0.03, 0.05}, {262144, 500000}, {1e-9, 1e-9}};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		assert_float_equal(chart_nice_above(pairs[i][0]), pairs[i][1], pairs[i][1] * 1e-9);
	assert_float_equal(chart_nice_below(71e3), 50e3, 1e-6);
	assert_float_equal(chart_nice_below(20), 20, 1e-9);
	assert_float_equal(chart_nice_above(0), 1, 0);
	assert_float_equal(chart_nice_above(NAN), 1, 0);
	assert_true(isfinite(chart_nice_above(DBL_MAX)) && chart_nice_above(DBL_MIN) > 0);
}

static void format_k(double value, char *buf, size_t size)
{
	snprintf(buf, size, "%gk", value / 1000);
}

static void test_time(void **state)
{
	static const double values[] = {0, 75000, 150000, NAN, 300000, 260000};
	struct chart_time chart = {.title = "IOPS",
		.values = values,
		.count = 6,
		.role = ROLE_GRAPH_READ,
		.limit = NAN,
		.format = format_k};
	struct canvas *canvas = canvas_create(24, 4);

	(void)state;
	/* 4 rows of 75k: eighths of 9,375; the axis ends at 300k */
	chart_time_draw(canvas, (struct rect){0, 0, 24, 4}, &chart);
	expect(canvas,
		"IOPS 300k ┤           █▄\n"
		"          ┤           ██\n"
		"     150k ┤         █ ██\n"
		"       0k ┤       ▁██ ██\n");
	/* a limit; a gutter that is given, so that charts share their time axis */
	canvas_clear(canvas);
	chart.limit = 160000;
	chart.label_width = 12;
	chart_time_draw(canvas, (struct rect){0, 0, 24, 4}, &chart);
	expect(canvas,
		"IOPS   300k ┤         █▄\n"
		"       160k ┤· · · · ·██\n"
		"            ┤       █ ██\n"
		"         0k ┤     ▁██ ██\n");
	/* logarithmic, from 50k to 500k: zero has no place */
	canvas_clear(canvas);
	chart.limit = NAN;
	chart.logarithmic = true;
	chart.label_width = 0;
	chart_time_draw(canvas, (struct rect){0, 0, 24, 4}, &chart);
	expect(canvas,
		"IOPS 500k ┤           ▁\n"
		"          ┤           █▇\n"
		"     100k ┤         ▇ ██\n"
		"      50k ┤        ▆█ ██\n");
	canvas_free(canvas);
}

static void test_curve(void **state)
{
	static const double x[] = {0, 100e3, 200e3, 300e3}, y[] = {100, 100, 200, 1000};
	static const double rx[] = {100e3, NAN, 300e3}, ry[] = {500, 500, NAN};
	struct chart_series series[] = {
		{"this run", 'o', U'●', ROLE_GRAPH_P99, x, y, 4, false},
		{"published", 'x', U'○', ROLE_GRAPH_REFERENCE, rx, ry, 3, false},
	};
	struct chart_curve chart = {.series = series,
		.series_count = 1,
		.cursor = -1,
		.limit = NAN,
		.logarithmic = true,
		.x_max = NAN,
		.x_title = "IOPS",
		.format_x = format_k};
	struct canvas *canvas = canvas_create(38, 8);

	(void)state;
	/* log from 100 to 1000 over 6 rows; x to 300k over 31 columns */
	chart_curve_draw(canvas, (struct rect){0, 0, 38, 8}, &chart);
	expect(canvas,
		"1.00 k ┤                            ·●\n"
		"       ┤                        ····\n"
		"   500 ┤                     ···\n"
		"   200 ┤                 ··●·\n"
		"       ┤             ····\n"
		"   100 ┤●·········●··\n"
		"       ┼┬─────────┬────────┬─────────┬\n"
		"       0k       100k     200k     IOPS\n");
	/* a second one behind it with gaps, a limit, the cursor, linear, no UTF-8 */
	chart.series_count = 2;
	chart.limit = 600;
	chart.cursor = 1;
	chart.logarithmic = false;
	canvas_resize(canvas, 38, 9);
	canvas_set_ascii(canvas, true);
	chart_curve_draw(canvas, (struct rect){0, 0, 38, 9}, &chart);
	expect(canvas,
		"o this run   x published\n"
		"1.00 k |          |                 .o\n"
		"       |          |               ..\n"
		"       |.  limit  | . . . . . ..... .\n"
		"   500 |          x          ..\n"
		"       |          |    ....o.\n"
		"     0 |o.........o....\n"
		"       ++---------+--------+---------+\n"
		"       0k       100k     200k     IOPS\n");
	canvas_free(canvas);
}

static void test_scale_places(void **state)
{
	struct rng rng;

	(void)state;
	rng_seed(&rng, 9, 0);
	for (int i = 0; i < 3000; i++) {
		struct chart_range range;
		struct chart_scale scale;
		double values[20], ticks[12];
		size_t count = 1 + rng_below(&rng, 20), n, room = 1 + rng_below(&rng, 12);
		bool logarithmic = rng_below(&rng, 2);

		chart_range_init(&range);
		for (size_t k = 0; k < count; k++) {
			values[k] = pow(10, rng_uniform(&rng) * 24 - 8);
			chart_range_add(&range, values[k]);
		}
		chart_range_add(&range, NAN);
		chart_range_add(&range, INFINITY);
		chart_scale_make(&scale, &range, logarithmic);
		assert_true(scale.low < scale.high && isfinite(scale.high));
		for (size_t k = 0; k < count; k++) {
			double place = chart_scale_place(&scale, values[k]);

			assert_true(place >= 0 && place <= 1);
			assert_true(values[k] <= scale.high * (1 + 1e-9));
			for (size_t j = 0; j < count; j++)
				if (values[j] < values[k])
					assert_true(chart_scale_place(&scale, values[j]) <= place);
		}
		n = chart_scale_ticks(&scale, ticks, room);
		assert_true(n <= room);
		for (size_t k = 0; k < n; k++) {
			assert_true(ticks[k] >= scale.low * (1 - 1e-9) &&
				ticks[k] <= scale.high * (1 + 1e-9));
			assert_true(k == 0 || ticks[k] > ticks[k - 1]);
		}
	}
}

/* CASES G1: every size from 1x1 to 250x80, with gaps, infinities, negative and huge values. */
static void test_every_size(void **state)
{
	static const double odd[] = {NAN, INFINITY, -INFINITY, 0, -0.0, -5, 1e300, -1e300, 1e-300,
		DBL_MIN, DBL_MAX, 1, 2, 1000, 123456};
	static const size_t counts[] = {0, 1, 8, 64};
	struct canvas *canvas = canvas_create(1, 1);
	double x[64], y[64];
	struct rng rng;

	(void)state;
	rng_seed(&rng, 4, 0);
	for (int width = 1; width <= 250; width++) {
		for (int height = 1; height <= 80; height += width < 30 ? 1 : 13) {
			size_t count = counts[rng_below(&rng, 4)];
			bool smooth = rng_below(&rng, 2);
			struct chart_series series[4];
			struct chart_curve curve = {.series = series,
				.series_count = rng_below(&rng, 5),
				.cursor = (int)rng_below(&rng, 70) - 3,
				.limit = odd[rng_below(&rng, 15)],
				.logarithmic = rng_below(&rng, 2),
				.x_max = odd[rng_below(&rng, 15)],
				.x_title = rng_below(&rng, 2) ? "IOPS" : NULL};
			struct chart_time time = {.title = rng_below(&rng, 2) ? "p99" : NULL,
				.values = y,
				.count = count,
				.limit = odd[rng_below(&rng, 15)],
				.logarithmic = rng_below(&rng, 2),
				.label_width = (int)rng_below(&rng, 3) * 7};
			struct rect area = {(int)rng_below(&rng, 5) - 2,
				(int)rng_below(&rng, 5) - 2, width, height};

			for (size_t i = 0; i < 64; i++) {
				x[i] = smooth ? (double)i * 1000 : odd[rng_below(&rng, 15)];
				y[i] = smooth ? rng_uniform(&rng) * 500 : odd[rng_below(&rng, 15)];
			}
			for (size_t s = 0; s < 4; s++)
				series[s] = (struct chart_series){
					"name", 'o', U'●', ROLE_TEXT, x, y, counts[s], s % 2 == 1};
			canvas_resize(canvas, width, height);
			canvas_set_ascii(canvas, rng_below(&rng, 2));
			chart_curve_draw(canvas, area, &curve);
			chart_time_draw(canvas, area, &time);
			chart_sparkline(canvas, area.x, area.y, width, ROLE_TEXT, y, count,
				odd[rng_below(&rng, 15)]);
			chart_bar(canvas, area.x, 0, width, ROLE_TEXT, y[0]);
			chart_steps(canvas, area.x, 0, width, ROLE_TEXT, (unsigned)count, 64);
		}
	}
	canvas_free(canvas);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sparkline),
		cmocka_unit_test(test_bar_and_steps),
		cmocka_unit_test(test_nice),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_curve),
		cmocka_unit_test(test_scale_places),
		cmocka_unit_test(test_every_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
