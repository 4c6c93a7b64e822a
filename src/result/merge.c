/* Merging neighbouring intervals. */
#include "result/merge.h"

#include <math.h>

/* Percentiles cannot be had from percentiles; that of the union lies between the two. */
static double higher(double a, double b)
{
	return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}

void run_merge_latency(struct latency *into, const struct latency *next)
{
	const double n1 = (double)into->count, n2 = (double)next->count, n = n1 + n2;

	if (!next->count)
		return;
	if (!into->count) {
		*into = *next;
		return;
	}
	const double mean = (into->mean * n1 + next->mean * n2) / n;
	/* Mean of squares, put together and taken apart again. */
	const double squares =
		(n1 * (into->stddev * into->stddev + into->mean * into->mean) +
			n2 * (next->stddev * next->stddev + next->mean * next->mean)) /
		n;

	into->stddev = sqrt(fmax(0, squares - mean * mean));
	into->mean = mean;
	into->count += next->count;
	into->overflow += next->overflow;
	into->min = fmin(into->min, next->min);
	into->max = fmax(into->max, next->max);
	into->p50 = higher(into->p50, next->p50);
	into->p90 = higher(into->p90, next->p90);
	into->p99 = higher(into->p99, next->p99);
	into->p99_9 = higher(into->p99_9, next->p99_9);
	into->p99_99 = higher(into->p99_99, next->p99_99);
}

/* Mean of two values over their lengths; one that is not known does not count. */
static double weighted(double a, double la, double b, double lb)
{
	if (isnan(a))
		return b;
	if (isnan(b) || la + lb <= 0)
		return a;
	return (a * la + b * lb) / (la + lb);
}

void run_merge_interval(struct interval *into, const struct interval *next)
{
	const double l1 = into->length_s, l2 = next->length_s;

	into->iops = weighted(into->iops, l1, next->iops, l2);
	into->mib_s = weighted(into->mib_s, l1, next->mib_s, l2);
	into->outstanding = weighted(into->outstanding, l1, next->outstanding, l2);
	into->cpu_pct = (float)weighted((double)into->cpu_pct, l1, (double)next->cpu_pct, l2);
	into->temperature_c = isnan(next->temperature_c)
		? into->temperature_c
		: (isnan(into->temperature_c) ? next->temperature_c
					      : fmaxf(into->temperature_c, next->temperature_c));
	into->length_s = l1 + l2;
	into->scheduled += next->scheduled;
	into->reads += next->reads;
	into->writes += next->writes;
	into->read_bytes += next->read_bytes;
	into->write_bytes += next->write_bytes;
	into->errors += next->errors;
	into->backlog = next->backlog; /* as at the end of the span */
	into->oldest_wait_ns = next->oldest_wait_ns;
	into->oldest_io_ns = next->oldest_io_ns;
	run_merge_latency(&into->service, &next->service);
	run_merge_latency(&into->response, &next->response);
}
