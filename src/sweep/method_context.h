/* What a method may do: measure steps, say what the maximum is, say what is still to come. The
 * runner makes one that drives the pool; tests make one that answers from a model. */
#ifndef SWEEP_METHOD_CONTEXT_H
#define SWEEP_METHOD_CONTEXT_H

#include "result/run.h"
#include "sweep/options.h"
#include "sweep/workload.h"

/* One step: a warm-up and a measured window under one load. */
struct method_step {
	bool search;           /* of the maximum: recorded among the searches, not the points */
	bool fill;             /* a pass of the preparation; not for methods */
	double percent;        /* of the maximum; 0 none */
	char label[24];        /* "40 %", "32 outstanding" */
	char phase[48];        /* what is done, for the progress; "": made of the label */
	uint32_t load;         /* 0: the workload's; else the method's own, from 1 on */
	const char *load_name; /* for the record; NULL: the workload's */
	uint32_t outstanding;  /* most in flight per target */
	double rate_iops;      /* of all targets together; 0: closed loop */
	double warmup_s, window_s;
	uint64_t bytes; /* per target, instead of window_s; 0: by time */
};

struct method_context {
	const struct workload *workload;
	const struct options *options;
	uint32_t outstanding; /* in effect: the option's or the workload's, per target */
	uint32_t targets;
	void *user; /* of whoever made the context */
	/* Since the run was started, by its clock. */
	double (*elapsed_s)(const struct method_context *context);
	/* Measures and records one step. *out is a copy without histogram. 0, -ECANCELED when
	 * stopped (what was measured until then is recorded when it is worth it), -errno. */
	int (*measure)(struct method_context *context, const struct method_step *step,
		struct run_point *out, struct err *err);
	void (*set_maximum)(struct method_context *context, const struct run_point *maximum);
	/* All percentages that are going to be measured, for the chart and the progress; steps and
	 * seconds are those not yet begun. */
	void (*set_plan)(struct method_context *context, const double *percents, size_t count,
		uint32_t steps, double seconds);
};

#endif
