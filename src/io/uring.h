/* What the backends over io_uring share: the ring with the best flags that the kernel takes, its
 * registered files and buffers, and one call per batch. Internal to io/; only the worker that opened a
 * ring uses it. */
#ifndef IO_URING_H
#define IO_URING_H

#include <liburing.h>

#include "io/backend.h"

struct uring {
	struct io_uring ring;
	const struct io_target *targets;
	struct clock *clock;
	const uint64_t *now;
	bool fixed_buffers, fixed_files;
	bool see_taskrun; /* the kernel raises a flag when completions wait to be run */
	bool defer;
	bool polled;          /* completions are looked for, no interrupt tells of them */
	uint32_t out;         /* polled: handed over and not reaped yet */
	uint32_t chunk_shift; /* slot >> chunk_shift is the registered buffer's index */
};

/* 0, or why no ring can be made here. */
int uring_probe(struct err *err);
/* Makes the ring and registers targets and buffers; what is refused is left out and noted in *facts.
 * extra: setup flags that must be taken (IORING_SETUP_SQE128 ...). A request takes up to
 * entries_per_request places in the queues. facts->depth is what there is memory for. */
int uring_open_ring(struct uring *uring, const struct io_backend_config *config, unsigned extra,
	uint32_t entries_per_request, struct io_backend_facts *facts, struct err *err);
/* The targets are let go of when this returns. */
void uring_close_ring(struct uring *uring);
/* Polling is wished, and every target has queues for it; says so in *facts when not. */
bool uring_may_poll(const struct io_backend_config *config, struct io_backend_facts *facts);
/* One block of each target, read by polling: false, with a note, when that does not work. The ring is
 * then of no more use. */
bool uring_poll_works(struct uring *uring, const struct io_backend_config *config,
	void (*prepare)(void *context, const struct io_request *request), void *context,
	struct io_backend_facts *facts);
void uring_add_note(struct io_backend_facts *facts, const char *note);

/* Hands over what is prepared: as io_backend_ops.submit. */
int uring_hand_over(struct uring *uring);
/* One call to the kernel if one is needed: hands over what is prepared and waits until wait_for
 * completions are there or `until` (as io_backend_ops.reap). 0 or -errno; what only means "later" is
 * 0. */
int uring_enter(struct uring *uring, unsigned wait_for, uint64_t until);
/* So many completions were taken. */
static inline void uring_took(struct uring *uring, unsigned count)
{
	io_uring_cq_advance(&uring->ring, count);
	uring->out -= uring->polled ? count : 0;
}

#endif
