/* A workload and the parameters that override it, as the engine's load. Pure. */
#ifndef SWEEP_LOAD_H
#define SWEEP_LOAD_H

#include "io/load.h"
#include "sweep/options.h"
#include "sweep/workload.h"

/* outstanding and rate are left at the workload's (or the option's) count and a closed loop: each
 * step of a method sets its own. Whether it may write is the gate's business. */
void sweep_load_build(
	const struct workload *workload, const struct options *options, struct io_load *out);
/* The outstanding count in effect. */
uint32_t sweep_load_outstanding(const struct workload *workload, const struct options *options);

#endif
