/* Curve: the maximum by short closed-loop runs, then points at 10 to 120 % of it in an open loop
 * (METHODS 4). */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "sweep/load.h"
#include "sweep/method.h"
#include "sweep/method_context.h"

#define SEARCHES 4
#define EXCEEDED 1.05 /* the maximum was not the maximum: the grid goes on */
#define EXTENSION_PCT 10.0
#define PERCENT_MAX 400.0
#define PLAN_MAX 64

/* 1/8, 1/4, 1/2 and 1 x the outstanding count, each once. */
static size_t search_depths(uint32_t outstanding, uint32_t depths[SEARCHES])
{
	size_t count = 0;

	for (uint32_t divisor = 8; divisor; divisor /= 2) {
		const uint32_t depth = outstanding / divisor ? outstanding / divisor : 1;

		if (!count || depths[count - 1] != depth)
			depths[count++] = depth;
	}
	return count;
}

static double point_seconds(const struct options *options)
{
	return options->warmup_s + options->point_s;
}

static double search_seconds(const struct options *options)
{
	return options->warmup_s + options_maximum_s(options);
}

static void curve_plan(const struct options *options, const struct workload *workload,
	uint32_t *steps, double *seconds)
{
	uint32_t depths[SEARCHES];
	const size_t searches = search_depths(sweep_load_outstanding(workload, options), depths);

	*steps = (uint32_t)(searches + options->point_count);
	*seconds = (double)searches * search_seconds(options) +
		(double)options->point_count * point_seconds(options);
}

/* A point at 40 % of the maximum does 0.4 of what the drive can in that time, one at 120 % all. */
static double curve_full_rate_s(const struct options *options, const struct workload *workload)
{
	uint32_t depths[SEARCHES];
	double seconds = (double)search_depths(sweep_load_outstanding(workload, options), depths) *
		search_seconds(options);

	for (size_t i = 0; i < options->point_count; i++)
		seconds += fmin(options->points[i], 100) / 100 * point_seconds(options);
	return seconds;
}

/* All runs are recorded; the best counts: a drive that falls off past its peak is fastest at a
 * lower depth. */
static int find_maximum(struct method_context *context, struct run_point *maximum, struct err *err)
{
	const struct options *options = context->options;
	uint32_t depths[SEARCHES];
	const size_t count = search_depths(context->outstanding, depths);
	bool found = false;

	for (size_t i = 0; i < count; i++) {
		struct method_step step = {.search = true,
			.outstanding = depths[i],
			.warmup_s = options->warmup_s,
			.window_s = options_maximum_s(options)};
		struct run_point point;

		str_format(step.label, sizeof(step.label), "%u outstanding", depths[i]);
		const int rc = context->measure(context, &step, &point, err);

		if (rc)
			return rc;
		if (!(point.iops > 0) || (found && point.iops <= maximum->iops))
			continue;
		*maximum = point;
		found = true;
	}
	if (!found)
		return err_set(err, -EIO, "no I/O completed while the maximum was looked for");
	context->set_maximum(context, maximum);
	return 0;
}

static int measure_percent(struct method_context *context, double percent, double maximum,
	double *achieved, struct err *err)
{
	const struct options *options = context->options;
	struct method_step step = {.percent = percent,
		.outstanding = context->outstanding,
		.rate_iops = maximum * percent / 100,
		.warmup_s = options->warmup_s,
		.window_s = options->point_s};
	struct run_point point;

	str_format(step.label, sizeof(step.label), "%.10g %%", percent);
	const int rc = context->measure(context, &step, &point, err);

	if (!rc && point.iops > *achieved)
		*achieved = point.iops;
	return rc;
}

/* The next percentage beyond the grid, or 0: the maximum was exceeded by 5 %, and the drive has
 * not yet been asked for clearly more than it gave. */
static double extension(double last, double achieved, double maximum)
{
	const double next = last + EXTENSION_PCT;

	if (achieved <= EXCEEDED * maximum || next > PERCENT_MAX)
		return 0;
	return next <= 100 * achieved / maximum + EXTENSION_PCT ? next : 0;
}

static int curve_run(struct method_context *context, struct err *err)
{
	const struct options *options = context->options;
	double plan[PLAN_MAX], achieved = 0, next, seconds;
	size_t planned = options->point_count, done = 0;
	struct run_point maximum;
	uint32_t steps;
	int rc;

	memcpy(plan, options->points, planned * sizeof(plan[0]));
	curve_plan(options, context->workload, &steps, &seconds);
	context->set_plan(context, plan, planned, steps, seconds);
	rc = find_maximum(context, &maximum, err);
	while (!rc && done < planned) {
		rc = measure_percent(context, plan[done], maximum.iops, &achieved, err);
		done++;
		if (rc || done < planned || planned == PLAN_MAX)
			continue;
		/* A later point is only announced once the one before has shown the need. */
		next = extension(plan[done - 1], achieved, maximum.iops);
		if (next > 0) {
			plan[planned++] = next;
			context->set_plan(context, plan, planned, 1, point_seconds(options));
		}
	}
	return rc;
}

const struct method_ops method_curve = {
	.name = "curve",
	.title = "latency against IOPS, 10-120 % of the maximum",
	.help = "Finds the maximum by short closed-loop runs, then offers 10 to 120 % of it as "
		"independent arrivals: start, peak, knee and fall-off of the drive.",
	.run = curve_run,
	.plan = curve_plan,
	.full_rate_s = curve_full_rate_s,
};
