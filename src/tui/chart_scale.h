/* Axes of charts: bounds that read well, the place of a value, ticks. Pure; any thread. */
#ifndef TUI_CHART_SCALE_H
#define TUI_CHART_SCALE_H

#include <stdbool.h>
#include <stddef.h>

struct chart_scale {
	double low, high; /* low < high, both finite; both > 0 when logarithmic */
	bool logarithmic;
};

/* A scale that holds all finite values given so far by chart_scale_add. */
struct chart_range {
	double min, max; /* of finite values; min > max: none yet */
	double min_positive;
};
void chart_range_init(struct chart_range *range);
void chart_range_add(struct chart_range *range, double value);
/* Linear scales begin at 0. Logarithmic ones span at least a factor of two. */
void chart_scale_make(struct chart_scale *scale, const struct chart_range *range, bool logarithmic);
/* 0 at low, 1 at high, clamped; NaN for what has no place (NaN; not positive on a log scale). */
double chart_scale_place(const struct chart_scale *scale, double value);
/* At most max ticks in rising order that are round numbers; returns how many. */
size_t chart_scale_ticks(const struct chart_scale *scale, double *ticks, size_t max);

/* The largest 1, 2, 5 x 10^n at or below value. */
double chart_nice_below(double value);

#endif
