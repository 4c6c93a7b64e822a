/* Fixed: one load for a time, or for exactly so many bytes; one point (METHODS 4). */
#include <math.h>

#include "base/str.h"
#include "sweep/load.h"
#include "sweep/method.h"
#include "sweep/method_context.h"

static void fixed_plan(const struct options *options, const struct workload *workload,
	uint32_t *steps, double *seconds)
{
	(void)workload;
	*steps = 1;
	*seconds = options->bytes ? NAN : options->warmup_s + options->point_s;
}

static int fixed_run(struct method_context *context, struct err *err)
{
	const struct options *options = context->options;
	struct method_step step = {.outstanding = context->outstanding,
		.rate_iops = options->rate_iops,
		.warmup_s = options->warmup_s,
		.window_s = options->point_s,
		.bytes = options->bytes};
	struct run_point point;

	str_copy(step.label, sizeof(step.label), "fixed");
	if (step.bytes) {
		/* Exactly so many bytes: a warm-up would read more. */
		step.warmup_s = 0;
		step.window_s = 0;
	}
	return context->measure(context, &step, &point, err);
}

const struct method_ops method_fixed = {
	.name = "fixed",
	.title = "one load for a time",
	.help = "Keeps the workload's number of I/Os outstanding, or offers rate_iops, for warmup_s "
		"and point_s or for exactly bytes; one point.",
	.run = fixed_run,
	.plan = fixed_plan,
};
