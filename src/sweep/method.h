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
	/* The origin of the one workload that it runs; NULL: any. Others are refused: a record that
	 * names another workload would not be true. */
	const char *origin;
	/* It never lasts longer, whatever the drive does; 0: as long as its steps take. */
	double limit_s;
	/* Seconds that what it plans would take at the maximum rate: bounds what it can write. NULL: all
	 * of plan's. */
	double (*full_rate_s)(const struct options *options, const struct workload *workload);
	/* The most it ever keeps outstanding per target; NULL: the count in effect. */
	uint32_t (*outstanding)(const struct options *options, const struct workload *workload);
};

extern const struct method_ops method_fixed, method_depth, method_curve, method_check;
/* Those that run any workload. */
const struct method_ops *const *method_list(size_t *count);
/* All of them. Unknown: the nearest name. */
const struct method_ops *method_find(const char *name, struct err *err);

#endif
