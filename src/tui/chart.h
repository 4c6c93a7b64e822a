/* Sparklines, time charts, curves, bars, in block or ASCII characters. Pure layout. NaN is a gap.
 * UI thread. */
#ifndef TUI_CHART_H
#define TUI_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "tui/canvas.h"

/* "▁▂▃▅▇": the last `width` of count values, scaled 0..max (max NaN: of those shown). */
void chart_sparkline(struct canvas *canvas, int x, int y, int width, enum role role,
	const double *values, size_t count, double max);
/* "██████▍   " of width columns; fraction clamped to 0..1. */
void chart_bar(struct canvas *canvas, int x, int y, int width, enum role role, double fraction);
/* "■■■□□□": steps done of all. */
void chart_steps(struct canvas *canvas, int x, int y, int width, enum role role, unsigned done,
	unsigned all);

typedef void chart_format(double value, char *buf, size_t size);

/* A time chart with a y axis of labels: area-filled blocks, newest at the right. limit NaN: none. */
struct chart_time {
	const char *title; /* "IOPS" */
	const double *values;
	size_t count;
	enum role role;
	double limit; /* horizontal line */
	bool logarithmic;
	chart_format *format; /* of the axis labels */
	int label_width;      /* so that charts above each other share one time axis */
};
void chart_time_draw(struct canvas *canvas, struct rect area, const struct chart_time *chart);

/* A latency-vs-rate curve: y logarithmic on request. Series are named above it, on as many lines as
 * they take (at most three). */
struct chart_series {
	const char *name;
	char mark_ascii; /* 'o', 'x', '+' */
	uint32_t mark;   /* U'●', U'○' */
	enum role role;
	const double *x, *y;
	size_t count;
	bool apart; /* marks alone, not joined */
};
struct chart_curve {
	const struct chart_series *series;
	size_t series_count;
	int cursor; /* index into the cursor's series, -1 none: drawn as a vertical line */
	size_t cursor_series;
	double limit; /* y; NaN none */
	bool logarithmic;
	double x_max; /* NaN: of the data */
	const char *x_title;
	chart_format *format_x, *format_y;
};
void chart_curve_draw(struct canvas *canvas, struct rect area, const struct chart_curve *chart);

/* Nice axis bounds: the smallest 1, 2, 5 x 10^n at or above value. */
double chart_nice_above(double value);

#endif
