/* The worker pool: lanes (one per target) split over I/O threads, driven phase by phase.
 *
 * One owner thread (the runner) makes every call here except io_pool_stop and io_pool_pause,
 * which any thread may make. Workers share no lock with anybody: they close interval k at the
 * first batch past the absolute boundary and pass it on through a ring (DESIGN 3).
 */
#ifndef IO_POOL_H
#define IO_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"
#include "io/backend.h"
#include "io/load.h"
#include "stats/hist.h"

struct io_pool;

struct io_pool_config {
	const struct io_target *targets;  /* lanes; copied, descriptors stay the caller's */
	uint32_t target_count;            /* 1..64 */
	const char *backend;              /* "auto", "uring", "sync", "null" */
	const struct io_backend_ops *ops; /* a backend of another folder, instead of a name; NULL */
	void *ops_data;                   /* handed to its open */
	bool polled;                      /* where targets and backend allow it */
	uint32_t workers;                 /* 0: as many as useful */
	uint32_t outstanding;             /* most in flight per lane in any phase */
	uint32_t max_block_bytes;         /* in any phase */
	const struct clock *clock; /* copied: every worker of a free-running clock has its own,
					  * so free-running pools have one worker */
	uint64_t seed;
};

/* What was counted over a span of one lane or of all lanes.
 *
 * A closed loop counts what completes in the span. The window of an open loop counts the I/Os that
 * were submitted in it, with all of their latency: those of the warm-up still in flight are left
 * out, those in flight at its end belong to its last interval, which is given when they are done. */
struct io_tally {
	uint64_t scheduled; /* arrivals due in the span (closed loop: submissions) */
	uint64_t reads, writes, read_bytes, write_bytes;
	uint64_t errors;         /* completions that failed; not in the latencies */
	uint64_t short_reads;    /* fewer bytes than asked; counted as errors too */
	uint64_t short_writes;   /* the same of writes */
	uint64_t retries;        /* EAGAIN and EINTR that were sent again */
	double outstanding_ns;   /* time integral of the number in flight over the span */
	uint64_t backlog;        /* waiting arrivals at the end */
	uint64_t oldest_wait_ns; /* age of the oldest waiting arrival at the end; 0 none */
	uint64_t oldest_io_ns;   /* age of the oldest I/O in flight at the end */
	uint64_t cpu_ns;         /* of the workers, user and system */
	int first_error;         /* -errno of the first failed completion; 0 */
	/* A read inside the device gave 0 bytes, ENODEV, ...; of a whole phase also after the window. */
	bool device_lost;
	/* -errno of the first write that shows that none can succeed any more: no space, quota, read-only,
	 * not permitted, file too large; it ends the phase. Of a whole phase also after the window. */
	int write_refused;
	struct hist service, response, lateness; /* response == service in a closed loop */
	struct hist read_service, write_service;
};

struct io_interval {
	/* Intervals are cut from the phase's start through the warm-up and anew from the window's
	 * start; the last one of each is shorter when interval_ns does not divide it. One that
	 * nobody fetched in time grows into the next (length_ns says so). */
	uint32_t index;
	uint64_t start_ns, length_ns; /* since the phase's start, pauses left out */
	bool warmup;
	struct io_tally total; /* all lanes */
};

struct io_phase {
	struct io_load load;           /* for every lane; regions and seeds per lane are derived */
	uint64_t warmup_ns, window_ns; /* window 0: until total_bytes are done */
	/* Per lane, exactly, without warm-up; a multiple of the block size. 0: by time. The last
	 * I/O is cut to fit. With a window_ns too, what comes first ends the phase. */
	uint64_t total_bytes;
	/* Every lane passes once over its whole area, to the last byte, and the phase ends; instead of
	 * total_bytes. The load is one sequential stream of one direction. */
	bool cover;
	uint64_t interval_ns; /* 0: 1 s; a divisor is not required */
};

struct io_phase_result {
	uint64_t window_ns;     /* really measured */
	struct io_tally total;  /* over the measured window only */
	struct io_tally *lanes; /* target_count of them; freed by io_phase_result_free */
	uint32_t lane_count;
	bool saturated;            /* the oldest waiting arrival grew older through the window */
	uint64_t saturated_age_ns; /* its age at the end: response is ">= age" */
	bool stopped;              /* ended by io_pool_stop */
	/* A worker ran, or wanted to and got no CPU, for > 95 % of the window while it had arrivals
	 * waiting. */
	bool host_limited;
	uint64_t suspended_ns; /* paused or system asleep inside the window */
	double worker_cpu_pct; /* the busiest worker */
	/* The worker that waited longest for a CPU; 0 where the kernel keeps no such statistics. */
	double worker_delay_pct;
	/* Completed well, but in no interval's figures: what a closed loop had in flight at the window's
	 * end, what an open loop had at its beginning. For what was read and written altogether. */
	uint64_t uncounted_read_bytes, uncounted_write_bytes;
	uint32_t abandoned; /* I/Os that did not complete in 5 s: the pool is of no more use */
};

/* Opens the backend in every worker and waits for all of them. *fallback (256 bytes, may be NULL)
 * says why another backend than asked is used. */
int io_pool_create(
	const struct io_pool_config *config, struct io_pool **out, char *fallback, struct err *err);
/* Stops, joins, frees. A worker stuck in the kernel for more than 5 s is left behind. */
void io_pool_destroy(struct io_pool *pool);
const struct io_backend_facts *io_pool_facts(const struct io_pool *pool);
uint32_t io_pool_workers(const struct io_pool *pool);
/* Kernel thread ids of the workers, at most `room`; returns the count. */
uint32_t io_pool_thread_ids(const struct io_pool *pool, int *ids, uint32_t room);

/* Starts a phase: all workers leave one start barrier. */
int io_pool_begin(struct io_pool *pool, const struct io_phase *phase, struct err *err);
/* The next closed interval of the running phase, merged over workers. Returns 1 and fills *out;
 * 0 when the phase is over (all intervals given); -ETIMEDOUT when none came in timeout_ms (call
 * again); *out is large: keep it off the stack. */
int io_pool_next_interval(
	struct io_pool *pool, unsigned timeout_ms, struct io_interval *out, struct err *err);
/* After io_pool_next_interval returned 0: the figures of the measured window. */
int io_pool_end(struct io_pool *pool, struct io_phase_result *out, struct err *err);
void io_phase_result_free(struct io_phase_result *result);

/* Ends the running phase early: workers stop issuing, wait for what is in flight (at most 5 s), and
 * close their last interval. Takes effect within 100 ms. Any thread, also from a paused state. */
void io_pool_stop(struct io_pool *pool);
/* Stops issuing until resumed; the schedule moves on by the time paused. Any thread. */
void io_pool_pause(struct io_pool *pool, bool paused);
/* Right now, for "oldest I/O N ms" when no interval comes: since when the pool has seen no
 * completion although I/O is out; 0: none. Any thread. */
uint64_t io_pool_silent_ns(const struct io_pool *pool);

#endif
