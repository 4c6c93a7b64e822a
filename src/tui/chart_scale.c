/* Bounds, places and ticks of chart axes. */
#include "tui/chart_scale.h"

#include <float.h>
#include <math.h>

#include "tui/chart.h"

/* Smaller and larger values are drawn at these ends: powers beyond them could overflow. */
#define SCALE_SMALLEST 1e-12
#define SCALE_LARGEST 1e30

static double scale_clamp(double value)
{
	return value < SCALE_SMALLEST   ? SCALE_SMALLEST
		: value > SCALE_LARGEST ? SCALE_LARGEST
					: value;
}

double chart_nice_above(double value)
{
	static const double steps[] = {1, 2, 5, 10};
	double power;

	if (!(value > 0))
		return 1;
	value = scale_clamp(value);
	power = pow(10, floor(log10(value)));
	for (size_t i = 0; i < 4; i++)
		if (steps[i] * power >= value * (1 - 1e-9))
			return steps[i] * power;
	return 10 * power;
}

double chart_nice_below(double value)
{
	static const double steps[] = {10, 5, 2, 1};
	double power;

	if (!(value > 0))
		return 1;
	value = scale_clamp(value);
	power = pow(10, floor(log10(value)));
	for (size_t i = 0; i < 4; i++)
		if (steps[i] * power <= value * (1 + 1e-9))
			return steps[i] * power;
	return power;
}

/* Finer than 1, 2, 5: an axis should not leave half of its room empty. */
static double scale_top(double value)
{
	static const double steps[] = {1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10};
	double power;

	if (!(value > 0))
		return 1;
	value = scale_clamp(value);
	power = pow(10, floor(log10(value)));
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (steps[i] * power >= value * (1 - 1e-9))
			return steps[i] * power;
	return 10 * power;
}

void chart_range_init(struct chart_range *range)
{
	range->min = DBL_MAX;
	range->max = -DBL_MAX;
	range->min_positive = DBL_MAX;
}

void chart_range_add(struct chart_range *range, double value)
{
	if (!isfinite(value))
		return;
	range->min = value < range->min ? value : range->min;
	range->max = value > range->max ? value : range->max;
	if (value > 0 && value < range->min_positive)
		range->min_positive = value;
}

void chart_scale_make(struct chart_scale *scale, const struct chart_range *range, bool logarithmic)
{
	bool positive = range->max > 0 && range->min_positive <= range->max;

	scale->logarithmic = logarithmic;
	scale->low = 0;
	scale->high = scale_top(positive ? range->max : 1);
	if (!logarithmic)
		return;
	scale->low = positive ? chart_nice_below(range->min_positive) : 0.1;
	scale->high = positive ? chart_nice_above(range->max) : 1;
	if (scale->high < 2 * scale->low)
		scale->high = 2 * scale->low;
}

double chart_scale_place(const struct chart_scale *scale, double value)
{
	double place;

	if (isnan(value) || (scale->logarithmic && !(value > 0)))
		return NAN;
	if (isinf(value))
		return value > 0 ? 1 : 0;
	place = scale->logarithmic ? log(value / scale->low) / log(scale->high / scale->low)
				   : (value - scale->low) / (scale->high - scale->low);
	return place < 0 ? 0 : place > 1 ? 1 : place;
}

static size_t scale_ticks_log(const struct chart_scale *scale, double *ticks, size_t max)
{
	double decades = log10(scale->high / scale->low);
	double value = chart_nice_above(scale->low);
	/* with little room whole powers of ten only, and then not every one */
	bool fine = decades * 3 < (double)max;
	double factor = fine ? 0 : pow(10, ceil(decades / (double)max));
	size_t count = 0;

	if (!fine)
		value = pow(10, ceil(log10(scale->low) - 1e-9));
	while (count < max && value <= scale->high * (1 + 1e-9)) {
		ticks[count++] = value;
		value = fine ? chart_nice_above(value * 1.01) : value * factor;
	}
	return count;
}

size_t chart_scale_ticks(const struct chart_scale *scale, double *ticks, size_t max)
{
	double step;
	size_t count = 0;

	if (max == 0)
		return 0;
	if (scale->logarithmic)
		return scale_ticks_log(scale, ticks, max);
	step = chart_nice_above((scale->high - scale->low) / (double)(max > 1 ? max - 1 : 1));
	while (count < max && scale->low + (double)count * step <= scale->high * (1 + 1e-9)) {
		ticks[count] = scale->low + (double)count * step;
		count++;
	}
	return count;
}
