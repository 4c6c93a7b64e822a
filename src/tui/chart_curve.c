/* The curve of latency against rate: axes, joined marks, limit and cursor. Second body of chart.h. */
#include "tui/chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "tui/chart_scale.h"

#define CURVE_TICKS 16

struct curve {
	struct canvas *canvas;
	const struct chart_curve *chart;
	struct chart_scale x, y;
	struct rect plot;
};

static void curve_label(chart_format *format, double value, char *buf, size_t size)
{
	if (format)
		format(value, buf, size);
	else
		units_si(buf, size, value);
}

static void curve_scales(struct curve *curve)
{
	const struct chart_curve *chart = curve->chart;
	struct chart_range x, y;

	chart_range_init(&x);
	chart_range_init(&y);
	for (size_t s = 0; s < chart->series_count; s++) {
		const struct chart_series *series = &chart->series[s];

		for (size_t i = 0; i < series->count; i++) {
			chart_range_add(&x, series->x[i]);
			chart_range_add(&y, series->y[i]);
		}
	}
	if (chart->limit > 0 && (y.max <= 0 || chart->limit <= 10 * y.max))
		chart_range_add(&y, chart->limit);
	chart_scale_make(&curve->x, &x, false);
	if (isfinite(chart->x_max) && chart->x_max > 0)
		curve->x.high = chart->x_max;
	chart_scale_make(&curve->y, &y, chart->logarithmic);
}

/* Cell of a point; false when it has no place. */
static bool curve_cell(const struct curve *curve, double x, double y, int *column, int *row)
{
	double px = chart_scale_place(&curve->x, x), py = chart_scale_place(&curve->y, y);

	if (!isfinite(x) || !isfinite(y) || isnan(px) || isnan(py) || x > curve->x.high)
		return false;
	*column = curve->plot.x + (int)lround(px * (curve->plot.width - 1));
	*row = curve->plot.y + (int)lround((1 - py) * (curve->plot.height - 1));
	return true;
}

static int curve_gutter(const struct curve *curve, const double *ticks, size_t count)
{
	char label[32];
	int width = 0;

	for (size_t i = 0; i < count; i++) {
		curve_label(curve->chart->format_y, ticks[i], label, sizeof(label));
		if (str_width(label) > width)
			width = str_width(label);
	}
	return width + 1;
}

static void curve_draw_y_axis(struct curve *curve, const double *ticks, size_t count)
{
	struct rect plot = curve->plot;
	int last = plot.y + plot.height;
	char label[32];

	for (int row = 0; row < plot.height; row++)
		canvas_put(curve->canvas, plot.x - 1, plot.y + row, U'┤', ROLE_BORDER);
	/* from the bottom; a label that would stand on the row of another one is left out */
	for (size_t i = 0; i < count; i++) {
		double place = chart_scale_place(&curve->y, ticks[i]);
		int row = plot.y + (int)lround((1 - place) * (plot.height - 1));

		if (row >= last)
			continue;
		last = row;
		curve_label(curve->chart->format_y, ticks[i], label, sizeof(label));
		canvas_text_right(curve->canvas, plot.x - 2, row, ROLE_DIM, label);
	}
}

static void curve_draw_x_axis(struct curve *curve)
{
	const struct chart_curve *chart = curve->chart;
	struct rect plot = curve->plot;
	int y = plot.y + plot.height, free_from = plot.x - 1, title_x;
	size_t room = (size_t)(plot.width / 10 + 1), count;
	double ticks[CURVE_TICKS];
	char label[32];

	count = chart_scale_ticks(&curve->x, ticks, room < CURVE_TICKS ? room : CURVE_TICKS);
	canvas_put(curve->canvas, plot.x - 1, y, U'┼', ROLE_BORDER);
	canvas_hline(curve->canvas, plot.x, y, plot.width, ROLE_BORDER);
	title_x = plot.x + plot.width - (chart->x_title ? str_width(chart->x_title) : 0);
	for (size_t i = 0; i < count; i++) {
		int x = plot.x +
			(int)lround(chart_scale_place(&curve->x, ticks[i]) * (plot.width - 1));
		int width, start;

		canvas_put(curve->canvas, x, y, U'┬', ROLE_BORDER);
		curve_label(chart->format_x, ticks[i], label, sizeof(label));
		width = str_width(label);
		start = x - width / 2;
		if (start < free_from)
			start = i == 0 ? free_from : start;
		if (start < free_from || start + width >= title_x)
			continue;
		canvas_text(curve->canvas, start, y + 1, width, ROLE_DIM, label);
		free_from = start + width + 1;
	}
	if (chart->x_title && title_x > plot.x)
		canvas_text(curve->canvas, title_x, y + 1, -1, ROLE_LABEL, chart->x_title);
}

static void curve_draw_limit(struct curve *curve)
{
	struct rect plot = curve->plot;
	int column, row;

	if (!(curve->chart->limit > 0) || curve->chart->limit > curve->y.high ||
		curve->chart->limit < curve->y.low ||
		!curve_cell(curve, 0, curve->chart->limit, &column, &row))
		return;
	for (int x = 0; x < plot.width; x += 2)
		canvas_put(curve->canvas, plot.x + x, row, curve->canvas->ascii ? '.' : U'·',
			ROLE_GRAPH_LIMIT);
	if (plot.width > 24)
		canvas_text(curve->canvas, plot.x + 2, row, -1, ROLE_GRAPH_LIMIT, " limit ");
}

static void curve_join(
	struct curve *curve, enum role role, int from_x, int from_y, int to_x, int to_y)
{
	int dx = abs(to_x - from_x), dy = abs(to_y - from_y), steps = dx > dy ? dx : dy;

	for (int i = 1; i < steps; i++) {
		int x = from_x + (int)lround((double)i * (to_x - from_x) / steps);
		int y = from_y + (int)lround((double)i * (to_y - from_y) / steps);

		canvas_put(curve->canvas, x, y, curve->canvas->ascii ? '.' : U'·', role);
	}
}

static void curve_draw_series(struct curve *curve, const struct chart_series *series)
{
	uint32_t mark = curve->canvas->ascii ? (unsigned char)series->mark_ascii : series->mark;
	int column, row, last_column = 0, last_row = 0;
	bool have_last = false;

	for (size_t i = 0; i < series->count; i++) {
		bool placed = curve_cell(curve, series->x[i], series->y[i], &column, &row);

		if (placed && have_last && !series->apart)
			curve_join(curve, series->role, last_column, last_row, column, row);
		have_last = placed;
		last_column = column;
		last_row = row;
	}
	for (size_t i = 0; i < series->count; i++)
		if (curve_cell(curve, series->x[i], series->y[i], &column, &row))
			canvas_put(curve->canvas, column, row, mark, series->role);
}

/* The line goes behind the marks, the highlight on top of them. */
static void curve_draw_cursor(struct curve *curve, bool line)
{
	const struct chart_curve *chart = curve->chart;
	const struct chart_series *series = &chart->series[chart->cursor_series];
	int at = chart->cursor, column, row;

	if (chart->cursor_series >= chart->series_count || at < 0 || (size_t)at >= series->count)
		return;
	/* a point without a latency has a rate all the same */
	if (line && curve_cell(curve, series->x[at], curve->y.high, &column, &row))
		canvas_fill(curve->canvas,
			(struct rect){column, curve->plot.y, 1, curve->plot.height}, U'│',
			ROLE_DIM);
	if (!line && curve_cell(curve, series->x[at], series->y[at], &column, &row))
		canvas_select(curve->canvas, column, row, 1);
}

/* Names of the series from the top of area, on at most `most` lines; returns the lines used. */
static int curve_draw_legend(struct curve *curve, struct rect area, int most)
{
	int x = area.x, line = 0;

	for (size_t s = 0; s < curve->chart->series_count; s++) {
		const struct chart_series *series = &curve->chart->series[s];
		const char *name = series->name ? series->name : "";
		const int end = area.x + area.width;

		if (x > area.x && x + 2 + str_width(name) > end && line + 1 < most) {
			x = area.x;
			line++;
		}
		if (x + 2 >= end)
			break;
		canvas_put(curve->canvas, x, area.y + line,
			curve->canvas->ascii ? (unsigned char)series->mark_ascii : series->mark,
			series->role);
		x = canvas_text(curve->canvas, x + 2, area.y + line, end - x - 2, ROLE_TEXT, name) +
			3;
	}
	return line + 1;
}

void chart_curve_draw(struct canvas *canvas, struct rect area, const struct chart_curve *chart)
{
	struct curve curve = {.canvas = canvas, .chart = chart};
	double ticks[CURVE_TICKS];
	size_t count, room;
	int gutter;

	if (area.width < 1 || area.height < 1 || area.width > 10000 || area.height > 10000)
		return;
	if (chart->series_count > 1 && area.height >= 8) {
		const int most = area.height >= 16 ? 3 : area.height >= 11 ? 2 : 1;
		const int lines = curve_draw_legend(&curve, area, most);

		area.y += lines;
		area.height -= lines;
	}
	curve_scales(&curve);
	curve.plot = area;
	room = (size_t)(area.height / 2 + 1);
	count = chart_scale_ticks(&curve.y, ticks, room < CURVE_TICKS ? room : CURVE_TICKS);
	gutter = curve_gutter(&curve, ticks, count);
	if (area.height >= 5 && area.width >= gutter + 12) {
		curve.plot.x += gutter + 1;
		curve.plot.width -= gutter + 1;
		curve.plot.height -= 2;
		curve_draw_y_axis(&curve, ticks, count);
		curve_draw_x_axis(&curve);
	}
	curve_draw_limit(&curve);
	curve_draw_cursor(&curve, true);
	for (size_t s = chart->series_count; s > 0; s--)
		curve_draw_series(&curve, &chart->series[s - 1]);
	curve_draw_cursor(&curve, false);
}
