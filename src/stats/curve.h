/* Analysis of a latency-vs-IOPS curve (METHODS 4): start, peak, knees, fall-off, instability and
 * the check by Little's law. Pure functions; any thread. Latencies in ns. */
#ifndef STATS_CURVE_H
#define STATS_CURVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct curve_point {
	double percent;    /* of the maximum; 0 when the method has no such notion */
	double asked_iops; /* 0 in a closed loop */
	double iops, mib_s;
	double mean_ns, p99_ns; /* service; NaN unknown */
	double outstanding;     /* time average */
	uint64_t count;         /* completions */
	bool saturated, host_limited;
};

struct curve_analysis {
	/* indexes into the points; -1: none */
	int start, peak, knee_chord, knee_limit;
	bool fall_off;
	int fall_off_at; /* the first point that shows it; -1 */
};

/* points in ascending order of asked rate (or depth). p99_limit_ns 0: no limit was set. */
void curve_analyse(const struct curve_point *points, size_t count, double p99_limit_ns,
	struct curve_analysis *out);

/* METHODS 2: true when a point of at least 1,000 completions has IOPS x service mean more than 2 %
 * off its outstanding. *off_pct (may be NULL) gets the signed deviation. */
bool curve_little_suspect(const struct curve_point *point, double *off_pct);

/* METHODS 4, instability over the 1 s intervals of one point. expected: arrivals per interval; a
 * point with fewer than 2,500 is never called unstable. */
bool curve_unstable(const double *iops, size_t count, double expected);

#endif
