/* Log-linear histogram of nanoseconds: relative error at most 1/128, 1 ns to 1 hour, with an
 * overflow bucket; constant memory; mergeable (DESIGN 4, Recording).
 *
 * One writer; readers get merged copies. Values below 64 ns are exact; above, every octave is cut
 * into 64 buckets and a bucket answers with its middle.
 */
#ifndef STATS_HIST_H
#define STATS_HIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HIST_SUB_BITS 6
#define HIST_MAX_NS UINT64_C(3600000000000)
#define HIST_BUCKETS 2368 /* see hist.c: index of HIST_MAX_NS + 1, rounded up */

struct hist {
	uint64_t count;     /* all values, overflow included */
	uint64_t min, max;  /* exact, min is UINT64_MAX while empty */
	uint64_t overflow;  /* values above HIST_MAX_NS */
	uint64_t sum;       /* ns; 2^64 ns is 584 years of summed latency */
	double sum_squares; /* of microseconds, for the standard deviation */
	uint32_t low, high; /* buckets in use are within [low, high]; low > high while empty */
	uint64_t buckets[HIST_BUCKETS];
};

void hist_reset(struct hist *hist);
/* The same for a histogram that was reset before: touches only the buckets in use. */
void hist_clear(struct hist *hist);
void hist_merge(struct hist *into, const struct hist *from);

static inline uint32_t hist_index(uint64_t ns)
{
	if (ns < (UINT64_C(1) << HIST_SUB_BITS))
		return (uint32_t)ns;
	const int shift = 63 - __builtin_clzll(ns) - HIST_SUB_BITS;
	return (uint32_t)((shift << HIST_SUB_BITS) + (int)(ns >> shift));
}

/* No division, no call; ns above HIST_MAX_NS goes to overflow. */
static inline void hist_add(struct hist *hist, uint64_t ns)
{
	const double us = (double)ns * 1e-3;

	hist->count++;
	hist->sum += ns;
	hist->sum_squares += us * us;
	if (ns < hist->min)
		hist->min = ns;
	if (ns > hist->max)
		hist->max = ns;
	if (__builtin_expect(ns > HIST_MAX_NS, 0)) {
		hist->overflow++;
		return;
	}
	const uint32_t index = hist_index(ns);
	if (index < hist->low)
		hist->low = index;
	if (index > hist->high)
		hist->high = index;
	hist->buckets[index]++;
}

/* hist_add of `times` equal values at once (a batch that was submitted and reaped together). */
static inline void hist_add_times(struct hist *hist, uint64_t ns, uint64_t times)
{
	const double us = (double)ns * 1e-3;

	hist->count += times;
	hist->sum += ns * times;
	hist->sum_squares += us * us * (double)times;
	if (ns < hist->min)
		hist->min = ns;
	if (ns > hist->max)
		hist->max = ns;
	if (__builtin_expect(ns > HIST_MAX_NS, 0)) {
		hist->overflow += times;
		return;
	}
	const uint32_t index = hist_index(ns);
	if (index < hist->low)
		hist->low = index;
	if (index > hist->high)
		hist->high = index;
	hist->buckets[index] += times;
}

/* The value a bucket stands for (its middle), ns. */
uint64_t hist_bucket_value(uint32_t index);
/* Value at quantile q in (0, 1): the smallest value with at least ceil(q x count) values at or
 * below it, clamped to [min, max]. Returns false (percentile is null) when fewer than 10 samples
 * lie above it or the histogram is empty. A quantile that falls into the overflow bucket gives
 * HIST_MAX_NS and *at_least = true (">= X"). at_least may be NULL. */
bool hist_percentile(const struct hist *hist, double q, uint64_t *ns, bool *at_least);
/* NaN while empty. */
double hist_mean(const struct hist *hist);
double hist_stddev(const struct hist *hist);

/* What is printed of a histogram. Values are ns; a percentile that is null is NaN. */
struct latency {
	uint64_t count;
	double mean, stddev, min, p50, p90, p99, p99_9, p99_99, max;
	uint64_t overflow;
};
void hist_summary(const struct hist *hist, struct latency *out);
void latency_none(struct latency *out); /* count 0, the rest NaN */

/* Sparse form: (bucket value ns, count) pairs of the buckets in use, without the overflow. Returns
 * the number of pairs written to at most `room`; call with room 0 to count. */
struct hist_pair {
	uint64_t ns, count;
};
size_t hist_pairs(const struct hist *hist, struct hist_pair *out, size_t room);
/* Adds count values of a bucket, or of the overflow when ns is above HIST_MAX_NS (for reading a
 * saved histogram back). sum, sum_squares, min and max come from the caller. */
void hist_add_pair(struct hist *hist, uint64_t ns, uint64_t count);

#endif
