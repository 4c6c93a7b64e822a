/* Test methods: each is a file of code behind this small ops table (DESIGN 4, Tests). */
#ifndef SWEEP_METHOD_H
#define SWEEP_METHOD_H

#include "io/load.h"
#include "sweep/runner.h"

#define METHOD_LOADS_MAX 8

struct method_context; /* what a method may do: method_context.h */

struct method_ops {
	const char *name;  /* "curve" */
	const char *title; /* "latency against IOPS, 10-120 % of the maximum" */
	const char *help;  /* one or two sentences */
	/* Runs all points; called on the runner's thread. 0, -ECANCELED (stopped), other -errno. */
	int (*run)(struct method_context *context, struct err *err);
	/* Number of steps and seconds planned; NaN unknown. */
	void (*plan)(const struct options *options, const struct workload *workload,
		uint32_t *steps, double *seconds);
	/* Loads of its own, which steps name by number (method_step.load): at most METHOD_LOADS_MAX;
	 * returns the count. NULL: only the workload's. Sizes, shares and outstanding count matter. */
	size_t (*loads)(const struct options *options, const struct workload *workload,
		struct io_load *out);
	/* The most it ever keeps outstanding per target; NULL: the count in effect. */
	uint32_t (*outstanding)(const struct options *options, const struct workload *workload);
};

extern const struct method_ops method_fixed, method_depth, method_curve;
const struct method_ops *const *method_list(size_t *count);
/* Unknown: the nearest name. */
const struct method_ops *method_find(const char *name, struct err *err);

#endif
