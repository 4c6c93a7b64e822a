/* Sparklines, bars, steps and time charts. The curve is in chart_curve.c. */
#include "tui/chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "tui/chart_scale.h"

/* Level 0..8 of a block that fills its cell from below. */
static const uint32_t chart_levels[9] = U" ▁▂▃▄▅▆▇█";
static const uint32_t chart_parts[9] = U" ▏▎▍▌▋▊▉█";

void chart_sparkline(struct canvas *canvas, int x, int y, int width, enum role role,
	const double *values, size_t count, double max)
{
	size_t shown, first;

	if (width <= 0)
		return;
	shown = count < (size_t)width ? count : (size_t)width;
	first = count - shown;
	if (!(max > 0)) {
		max = 0;
		for (size_t i = first; i < count; i++)
			if (isfinite(values[i]) && values[i] > max)
				max = values[i];
	}
	x += width - (int)shown;
	for (size_t i = 0; i < shown; i++) {
		double value = values[first + i], level;

		if (isnan(value))
			continue;
		level = max > 0 ? ceil(value / max * 8 - 1e-9) : 1;
		level = !(level > 1) ? 1 : level > 8 ? 8 : level;
		canvas_put(canvas, x + (int)i, y, chart_levels[(int)level], role);
	}
}

void chart_bar(struct canvas *canvas, int x, int y, int width, enum role role, double fraction)
{
	int eighths;

	if (width <= 0 || width > 10000)
		return;
	fraction = !(fraction > 0) ? 0 : fraction > 1 ? 1 : fraction;
	eighths = (int)lround(fraction * 8 * width);
	/* what is more than nothing shows, and what is less than all leaves a gap */
	if (eighths == 0 && fraction > 0)
		eighths = 1;
	if (eighths == 8 * width && fraction < 1)
		eighths--;
	for (int i = 0; i < width; i++, eighths -= 8)
		canvas_put(canvas, x + i, y,
			chart_parts[eighths >= 8      ? 8
					: eighths > 0 ? eighths
						      : 0],
			role);
}

void chart_steps(
	struct canvas *canvas, int x, int y, int width, enum role role, unsigned done, unsigned all)
{
	unsigned cells, filled;

	if (width <= 0 || all == 0)
		return;
	done = done < all ? done : all;
	cells = all < (unsigned)width ? all : (unsigned)width;
	filled = (unsigned)((unsigned long long)done * cells / all);
	for (unsigned i = 0; i < cells; i++)
		canvas_put(canvas, x + (int)i, y, i < filled ? U'■' : U'□',
			i < filled ? role : ROLE_DIM);
}

static void chart_label(chart_format *format, double value, char *buf, size_t size)
{
	if (format)
		format(value, buf, size);
	else
		units_si(buf, size, value);
}

/* The row (0 at the top) of a place in 0..1. */
static int chart_row(double place, int height)
{
	int row = (int)floor((1 - place) * height);

	return row >= height ? height - 1 : row < 0 ? 0 : row;
}

/* Labels at both ends, at a round value in the middle, and at the limit. */
static void chart_time_labels(struct canvas *canvas, struct rect area, int gutter,
	const struct chart_time *chart, const struct chart_scale *scale, int limit_row)
{
	double middle = scale->logarithmic ? chart_nice_below(sqrt(scale->low) * sqrt(scale->high))
					   : (scale->low + scale->high) / 2;
	const struct {
		double value;
		int row;
	} labels[] = {
		{chart->limit, limit_row},
		{scale->high, 0},
		{scale->low, area.height - 1},
		{middle, chart_row(chart_scale_place(scale, middle), area.height)},
	};
	char label[32];
	bool free_row = true;

	for (int row = 0; row < area.height; row++)
		canvas_put(canvas, area.x + gutter, area.y + row, U'┤', ROLE_BORDER);
	for (size_t i = 0; i < 4; i++) {
		/* the limit goes first; the middle needs a row of space around it */
		for (size_t k = 0; k < i; k++)
			free_row = free_row && labels[k].row != labels[i].row;
		if (i == 3 && limit_row >= 0 && abs(labels[i].row - limit_row) < 2)
			free_row = false;
		if (free_row && labels[i].row >= 0) {
			chart_label(chart->format, labels[i].value, label, sizeof(label));
			canvas_text_right(canvas, area.x + gutter - 1, area.y + labels[i].row,
				i == 0 ? ROLE_GRAPH_LIMIT : ROLE_DIM, label);
		}
		free_row = true;
	}
}

/* Columns left of the axis: the title, a space, the widest label, a space. */
static int chart_time_gutter(const struct chart_time *chart, const struct chart_scale *scale)
{
	char label[32];
	int width = 0;

	if (chart->label_width > 0)
		return chart->label_width;
	for (int i = 0; i < 3; i++) {
		chart_label(chart->format,
			i == 0           ? scale->low
				: i == 1 ? scale->high
					 : (scale->low + scale->high) / 2,
			label, sizeof(label));
		if (str_width(label) > width)
			width = str_width(label);
	}
	return width + 1 + (chart->title && *chart->title ? str_width(chart->title) + 1 : 0);
}

static void chart_time_fill(struct canvas *canvas, struct rect plot, const struct chart_time *chart,
	const struct chart_scale *scale)
{
	size_t shown = chart->count < (size_t)plot.width ? chart->count : (size_t)plot.width;
	const double *values = chart->values + (chart->count - shown);
	int x = plot.x + plot.width - (int)shown;

	for (size_t i = 0; i < shown; i++) {
		double place = chart_scale_place(scale, values[i]);
		int level;

		if (isnan(place))
			continue;
		level = (int)lround(place * 8 * plot.height);
		/* a value is never invisible: only a gap is */
		level = level < 1 ? 1 : level;
		for (int row = plot.height - 1; row >= 0 && level > 0; row--, level -= 8)
			canvas_put(canvas, x + (int)i, plot.y + row,
				chart_levels[level > 8 ? 8 : level], chart->role);
	}
}

void chart_time_draw(struct canvas *canvas, struct rect area, const struct chart_time *chart)
{
	struct chart_range range;
	struct chart_scale scale;
	struct rect plot = area;
	size_t first;
	int gutter, limit_row = -1;

	if (area.width < 1 || area.height < 1 || area.width > 10000 || area.height > 10000)
		return;
	chart_range_init(&range);
	first = chart->count > (size_t)area.width ? chart->count - (size_t)area.width : 0;
	for (size_t i = first; i < chart->count; i++)
		chart_range_add(&range, chart->values[i]);
	/* a limit far above everything would press the data flat */
	if (chart->limit > 0 && (range.max <= 0 || chart->limit <= 4 * range.max))
		chart_range_add(&range, chart->limit);
	chart_scale_make(&scale, &range, chart->logarithmic);
	gutter = chart_time_gutter(chart, &scale);
	if (gutter + 1 < area.width - 3) {
		plot.x += gutter + 1;
		plot.width -= gutter + 1;
	} else {
		gutter = -1;
	}
	if (chart->limit > 0 && chart->limit >= scale.low && chart->limit <= scale.high) {
		limit_row = chart_row(chart_scale_place(&scale, chart->limit), area.height);
		for (int x = 0; x < plot.width; x += 2)
			canvas_put(canvas, plot.x + x, plot.y + limit_row,
				canvas->ascii ? '.' : U'·', ROLE_GRAPH_LIMIT);
	}
	if (gutter >= 0) {
		chart_time_labels(canvas, area, gutter, chart, &scale, limit_row);
		if (chart->title)
			canvas_text(canvas, area.x, area.y, gutter, ROLE_LABEL, chart->title);
	}
	chart_time_fill(canvas, plot, chart, &scale);
}
