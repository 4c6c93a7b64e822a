/* Log-linear histogram of nanoseconds: merge, percentiles, summary, sparse form. */
#include "stats/hist.h"

#include <math.h>
#include <string.h>

/* Fewer samples than this above a percentile make it a matter of chance: null (DESIGN 4). */
#define HIST_LEAST_ABOVE 10

#define OCTAVE (1 << HIST_SUB_BITS)

/* HIST_MAX_NS has its highest bit at 41, so its shift is 35 and its index below 35 x 64 + 128. */
_Static_assert(HIST_MAX_NS >> 41 == 1, "HIST_BUCKETS is made for a highest bit of 41");
_Static_assert((41 - HIST_SUB_BITS + 2) * OCTAVE <= HIST_BUCKETS, "every index has a bucket");

void hist_reset(struct hist *hist)
{
	memset(hist, 0, sizeof(*hist));
	hist->min = UINT64_MAX;
	hist->low = UINT32_MAX;
}

void hist_clear(struct hist *hist)
{
	if (hist->low <= hist->high && hist->high < HIST_BUCKETS)
		memset(&hist->buckets[hist->low], 0,
			(hist->high - hist->low + 1) * sizeof(hist->buckets[0]));
	hist->count = hist->max = hist->overflow = hist->sum = 0;
	hist->sum_squares = 0;
	hist->min = UINT64_MAX;
	hist->low = UINT32_MAX;
	hist->high = 0;
}

void hist_merge(struct hist *into, const struct hist *from)
{
	if (!from->count)
		return;
	into->count += from->count;
	into->sum += from->sum;
	into->sum_squares += from->sum_squares;
	into->overflow += from->overflow;
	if (from->min < into->min)
		into->min = from->min;
	if (from->max > into->max)
		into->max = from->max;
	if (from->low > from->high)
		return; /* everything was beyond the scale */
	if (from->low < into->low)
		into->low = from->low;
	if (from->high > into->high)
		into->high = from->high;
	for (uint32_t i = from->low; i <= from->high; i++)
		into->buckets[i] += from->buckets[i];
}

uint64_t hist_bucket_value(uint32_t index)
{
	if (index < OCTAVE)
		return index;
	const uint32_t shift = (index >> HIST_SUB_BITS) - 1;
	const uint64_t base = (uint64_t)(index - (shift << HIST_SUB_BITS)) << shift;

	return base + ((UINT64_C(1) << shift) >> 1);
}

static uint64_t clamp(uint64_t value, uint64_t least, uint64_t most)
{
	return value < least ? least : value > most ? most : value;
}

bool hist_percentile(const struct hist *hist, double q, uint64_t *ns, bool *at_least)
{
	if (at_least)
		*at_least = false;
	if (!hist->count || !(q > 0 && q < 1))
		return false;
	/* The tiny factor keeps 0.999 x 10000 = 9990.000000000001 from counting as 9991. */
	uint64_t rank = (uint64_t)ceil(q * (double)hist->count * (1 - 1e-13));
	rank = clamp(rank, 1, hist->count);
	if (hist->count - rank < HIST_LEAST_ABOVE)
		return false;
	uint64_t below = 0;
	for (uint32_t i = hist->low; i <= hist->high && i < HIST_BUCKETS; i++) {
		below += hist->buckets[i];
		if (below >= rank) {
			*ns = clamp(hist_bucket_value(i), hist->min, hist->max);
			return true;
		}
	}
	*ns = HIST_MAX_NS;
	if (at_least)
		*at_least = true;
	return true;
}

double hist_mean(const struct hist *hist)
{
	return hist->count ? (double)hist->sum / (double)hist->count : NAN;
}

double hist_stddev(const struct hist *hist)
{
	if (!hist->count)
		return NAN;
	const double mean_us = hist_mean(hist) * 1e-3;
	const double variance = hist->sum_squares / (double)hist->count - mean_us * mean_us;

	/* Equal values leave a rounding error on either side of 0. */
	return variance > 0 ? sqrt(variance) * 1e3 : 0;
}

void latency_none(struct latency *out)
{
	*out = (struct latency){.mean = NAN,
		.stddev = NAN,
		.min = NAN,
		.p50 = NAN,
		.p90 = NAN,
		.p99 = NAN,
		.p99_9 = NAN,
		.p99_99 = NAN,
		.max = NAN};
}

static double percentile_or_nan(const struct hist *hist, double q)
{
	uint64_t ns;

	return hist_percentile(hist, q, &ns, NULL) ? (double)ns : NAN;
}

void hist_summary(const struct hist *hist, struct latency *out)
{
	latency_none(out);
	if (!hist->count)
		return;
	out->count = hist->count;
	out->overflow = hist->overflow;
	out->mean = hist_mean(hist);
	out->stddev = hist_stddev(hist);
	out->min = (double)hist->min;
	out->max = (double)hist->max;
	out->p50 = percentile_or_nan(hist, 0.5);
	out->p90 = percentile_or_nan(hist, 0.9);
	out->p99 = percentile_or_nan(hist, 0.99);
	out->p99_9 = percentile_or_nan(hist, 0.999);
	out->p99_99 = percentile_or_nan(hist, 0.9999);
}

size_t hist_pairs(const struct hist *hist, struct hist_pair *out, size_t room)
{
	size_t count = 0;

	for (uint32_t i = hist->low; i <= hist->high && i < HIST_BUCKETS; i++) {
		if (!hist->buckets[i])
			continue;
		if (count < room)
			out[count] = (struct hist_pair){hist_bucket_value(i), hist->buckets[i]};
		count++;
	}
	return room && count > room ? room : count;
}

void hist_add_pair(struct hist *hist, uint64_t ns, uint64_t count)
{
	if (!count)
		return;
	hist->count += count;
	if (ns > HIST_MAX_NS) {
		hist->overflow += count;
		return;
	}
	const uint32_t index = hist_index(ns);
	hist->buckets[index] += count;
	if (index < hist->low)
		hist->low = index;
	if (index > hist->high)
		hist->high = index;
}
