/* Depth: closed loop at 1, 2, 4 ... outstanding; IOPS and service latency of each (METHODS 4). */
#include "base/str.h"
#include "sweep/method.h"
#include "sweep/method_context.h"

static void depth_plan(const struct options *options, const struct workload *workload,
	uint32_t *steps, double *seconds)
{
	(void)workload;
	*steps = (uint32_t)options->depth_count;
	*seconds = (double)options->depth_count * (options->warmup_s + options->point_s);
}

static uint32_t depth_outstanding(const struct options *options, const struct workload *workload)
{
	(void)workload;
	return options->depth_count ? (uint32_t)options->depths[options->depth_count - 1] : 1;
}

static int depth_run(struct method_context *context, struct err *err)
{
	const struct options *options = context->options;
	int rc = 0;

	for (size_t i = 0; i < options->depth_count && !rc; i++) {
		struct method_step step = {.outstanding = (uint32_t)options->depths[i],
			.warmup_s = options->warmup_s,
			.window_s = options->point_s};
		struct run_point point;

		str_format(step.label, sizeof(step.label), "%u outstanding", step.outstanding);
		rc = context->measure(context, &step, &point, err);
	}
	return rc;
}

const struct method_ops method_depth = {
	.name = "depth",
	.title = "IOPS and latency at 1, 2, 4 ... 512 outstanding",
	.help = "Closed loop at each depth: shows how much parallelism the drive needs, and what it "
		"costs in latency.",
	.run = depth_run,
	.plan = depth_plan,
	.outstanding = depth_outstanding,
};
