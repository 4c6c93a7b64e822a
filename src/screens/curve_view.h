/* Points of a run as a curve and in words: the running test and saved runs show them alike.
 * UI thread. */
#ifndef SCREENS_CURVE_VIEW_H
#define SCREENS_CURVE_VIEW_H

#include "result/run.h"
#include "screens/curve_overlay.h"
#include "screens/facts.h"
#include "tui/canvas.h"

struct curve_view {
	const struct run_point *points;
	size_t count;
	const struct run_point *growing; /* the point being measured, or NULL */
	double p99_limit_ns;             /* 0 none */
	bool logarithmic;
	int cursor;                            /* index of a point, -1 none */
	const struct curve_overlays *overlays; /* NULL or empty: none */
};

/* Service mean and p99 against IOPS; with overlays the mean alone, as "this run". */
void curve_view_draw(const struct curve_view *view, struct canvas *canvas, struct rect area);
/* One point in words: "70 %: 235,190 IOPS at 91 µs, p99 212 µs, 21.4 outstanding". */
void curve_view_point(const struct run_point *point, char *buf, size_t size);
/* "31k at 71 µs" of the point with this index; "none" for -1. */
void curve_view_at(const struct run_point *points, size_t count, int index, char *buf, size_t size);
/* "S U" - the marks of a point, "" when it is clean. */
void curve_view_marks(const struct run_point *point, char *buf, size_t size);
/* The same in sentences, one for each mark with the points that have it. */
void curve_view_doubts(const struct run_point *points, size_t count, struct facts *facts);
/* The figures of the only point of a run, under a heading. */
void curve_view_single(const struct run_point *point, struct facts *facts);
/* start, knee, peak, fall-off in one line; running: of the points so far. */
void curve_view_analysis(const struct run_point *points, size_t count,
	const struct curve_analysis *analysis, bool running, char *buf, size_t size);

#endif
