/* What a quick check runs (METHODS 4): the workload that its record names, and its parameters. The
 * method itself is method_check of sweep/method.h. */
#ifndef SWEEP_METHOD_CHECK_H
#define SWEEP_METHOD_CHECK_H

#include "sweep/options.h"
#include "sweep/workload.h"

/* 4K random reads at CHECK_OUTSTANDING; the one workload that the method check takes. Caller frees
 * with workload_free. */
int check_workload(struct workload **out, struct err *err);
/* Defaults, with the longest warm-up and window of the check. Lower ones shorten it; higher ones
 * change nothing. */
void check_options(struct options *out);

#endif
