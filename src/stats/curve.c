/* Start, peak, knees, fall-off, instability and Little's law of a measured curve (METHODS 4). */
#include "stats/curve.h"

#include <math.h>

#define PEAK_BAND 0.01 /* points this near the highest rate share the peak */
#define KNEE_RISE 1.5  /* no knee when latency rises less than this */
#define FALL_OFF_RATE 0.95
#define FALL_OFF_MEAN 1.5
#define LITTLE_COUNT 1000
#define LITTLE_PCT 2.0
#define UNSTABLE_EXPECTED 2500
#define UNSTABLE_DEVIATION 0.10
#define UNSTABLE_SPAN 0.20

static bool point_usable(const struct curve_point *p)
{
	return p->count > 0 && isfinite(p->iops) && p->iops > 0 && isfinite(p->mean_ns);
}

static int find_start(const struct curve_point *points, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (point_usable(&points[i]))
			return (int)i;
	return -1;
}

/* The highest achieved rate; among points within 1 % of it the one with the lowest mean. */
static int find_peak(const struct curve_point *points, size_t count)
{
	double highest = 0;
	int peak = -1;

	for (size_t i = 0; i < count; i++)
		if (point_usable(&points[i]) && points[i].iops > highest)
			highest = points[i].iops;
	for (size_t i = 0; i < count; i++) {
		if (!point_usable(&points[i]) || points[i].iops < highest * (1 - PEAK_BAND))
			continue;
		if (peak < 0 || points[i].mean_ns < points[peak].mean_ns)
			peak = (int)i;
	}
	return peak;
}

/* The point farthest below the chord from start to peak, both axes normalised. */
static int find_knee_chord(const struct curve_point *points, size_t count, int start, int peak)
{
	if (start < 0 || peak < 0 || start == peak)
		return -1;
	const struct curve_point *a = &points[start], *b = &points[peak];
	const double width = b->iops - a->iops, height = b->mean_ns - a->mean_ns;
	double farthest = 0;
	int knee = -1;

	if (b->mean_ns < KNEE_RISE * a->mean_ns || width <= 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		const struct curve_point *p = &points[i];

		if (!point_usable(p) || p->saturated || p->iops < a->iops || p->iops > b->iops)
			continue;
		/* Against the chord y = x the vertical gap orders points as the distance does. */
		const double gap = (p->iops - a->iops) / width - (p->mean_ns - a->mean_ns) / height;

		if (gap > farthest) {
			farthest = gap;
			knee = (int)i;
		}
	}
	return knee;
}

/* The highest rate at which it and all lower ones keep the limit. A p99 that is not known cannot
 * be said to keep it; a saturated point holds no rate and is left out. */
static int find_knee_limit(const struct curve_point *points, size_t count, double limit_ns)
{
	int knee = -1;

	if (!(limit_ns > 0))
		return -1;
	for (size_t i = 0; i < count; i++) {
		const struct curve_point *p = &points[i];

		if (p->saturated)
			continue;
		if (!point_usable(p) || !(p->p99_ns <= limit_ns))
			break;
		if (knee < 0 || p->iops >= points[knee].iops)
			knee = (int)i;
	}
	return knee;
}

/* More was asked for than at the peak, less came, and it took longer. */
static int find_fall_off(const struct curve_point *points, size_t count, int peak)
{
	if (peak < 0)
		return -1;
	for (size_t i = (size_t)peak + 1; i < count; i++) {
		const struct curve_point *p = &points[i];

		if (point_usable(p) && !p->host_limited &&
			p->iops < FALL_OFF_RATE * points[peak].iops &&
			p->mean_ns >= FALL_OFF_MEAN * points[peak].mean_ns)
			return (int)i;
	}
	return -1;
}

void curve_analyse(const struct curve_point *points, size_t count, double p99_limit_ns,
	struct curve_analysis *out)
{
	out->start = find_start(points, count);
	out->peak = find_peak(points, count);
	out->knee_chord = find_knee_chord(points, count, out->start, out->peak);
	out->knee_limit = find_knee_limit(points, count, p99_limit_ns);
	out->fall_off_at = find_fall_off(points, count, out->peak);
	out->fall_off = out->fall_off_at >= 0;
}

bool curve_little_suspect(const struct curve_point *point, double *off_pct)
{
	const double law = point->iops * point->mean_ns * 1e-9;
	const double off = point->outstanding > 0 ? (law / point->outstanding - 1) * 100 : NAN;

	if (off_pct)
		*off_pct = off;
	return point->count >= LITTLE_COUNT && fabs(off) > LITTLE_PCT;
}

bool curve_unstable(const double *iops, size_t count, double expected)
{
	double sum = 0, squares = 0, low = INFINITY, high = -INFINITY;

	if (count < 2 || !(expected >= UNSTABLE_EXPECTED))
		return false;
	for (size_t i = 0; i < count; i++) {
		sum += iops[i];
		low = fmin(low, iops[i]);
		high = fmax(high, iops[i]);
	}
	const double mean = sum / (double)count;

	if (!(mean > 0))
		return false;
	for (size_t i = 0; i < count; i++)
		squares += (iops[i] - mean) * (iops[i] - mean);
	/* Arrivals at random scatter by themselves: variance of a count is its mean, so that of the
	 * rate is mean^2 / expected. Only what goes beyond is the drive's. */
	const double beyond = squares / (double)(count - 1) - mean * mean / expected;

	return (beyond > 0 && sqrt(beyond) > UNSTABLE_DEVIATION * mean) ||
		high - low > UNSTABLE_SPAN * mean;
}
