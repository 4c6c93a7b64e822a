/* The engine's way to simulated drives (DESIGN 4, Time and Backends).
 *
 * A target's device is a struct sim_namespace; all targets of one drive are one group, so that one
 * worker has the whole drive. A drive is open for one context at a time.
 *
 * On a free-running clock a run is as fast as the machine can and repeats to the byte from its seed.
 * For the screen such a run is paced: options.time_factor seconds of the drive pass in one real
 * second, at most; a machine that cannot keep up slows the run, its figures stay what they are. Real
 * and scaled clocks work as well; then the host's own delays enter the figures, as with drives.
 */
#ifndef SIM_BACKEND_H
#define SIM_BACKEND_H

#include "io/backend.h"
#include "sim/drive.h"

/* io_pool_config.ops_data; may be NULL: not paced. Must outlive the pool. */
struct sim_backend_options {
	double time_factor; /* 0: as fast as it goes */
};

extern const struct io_backend_ops sim_backend;

/* The whole namespace as a target; offset, length and permit are the caller's to narrow. */
void sim_backend_target(struct sim_namespace *ns, struct io_target *out);

#endif
