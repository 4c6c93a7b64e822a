/* From the pieces of all workers to intervals and the figures of the window. Internal to io/; used
 * by the pool's owner alone. */
#ifndef IO_MERGE_H
#define IO_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "io/pool.h"
#include "io/worker.h"

struct io_merge {
	struct io_worker **workers;
	uint32_t worker_count, target_count;
	struct io_interval *interval; /* being merged */
	uint64_t merged_ns;           /* everything up to here was given out */
	uint64_t reaching_ns;         /* where the interval being merged will end */
	struct io_merge_worker {
		uint64_t reached_ns, busy_ns, cpu_ns, delay_ns;
		uint64_t backlog, oldest_wait_ns, oldest_io_ns;
		bool finished;
	} * progress;
	struct io_phase_result result; /* of the running phase */
};

void io_merge_init(struct io_merge *merge, struct io_worker **workers, uint32_t worker_count,
	uint32_t target_count);
void io_merge_free(struct io_merge *merge);
/* Before a phase begins. */
void io_merge_reset(struct io_merge *merge);
/* Takes what was handed over. True: every worker has reached the same boundary, or its end. */
bool io_merge_collect(struct io_merge *merge);
/* After collect: 1 and the interval (out may be NULL), or 0 when the phase has no more. */
int io_merge_give(struct io_merge *merge, struct io_interval *out);
/* After the last interval, all workers idle: saturation, the host's share, backlogs per lane. */
void io_merge_judge(struct io_merge *merge);

#endif
