/* One I/O worker: a thread with its ring, buffers, slots and its share of the lanes. Internal to
 * io/: pool.c makes and drives workers, worker.c is their life, loop.c their
 * phases, boundary.c the phases' begin and the ends of intervals.
 *
 * The worker owns everything in struct io_worker while a phase runs, except the pieces ring (see
 * record.h) and the atomics. Between phases the pool's owner may read and write it: state and
 * command pass under the mutex of struct io_shared.
 */
#ifndef IO_WORKER_H
#define IO_WORKER_H

#include <pthread.h>

#include "io/buffers.h"
#include "io/data.h"
#include "io/pace.h"
#include "io/pattern.h"
#include "io/pool.h"
#include "io/record.h"

/* The oldest waiting arrival's age is looked at this many times through a window, and once before. */
#define IO_AGE_SAMPLES 8
/* Nothing completing for so long while draining: the I/O is given up. */
#define IO_DRAIN_NS UINT64_C(5000000000)

/* A place for one I/O in flight. */
struct io_slot {
	uint64_t submit_ns; /* UINT64_MAX: not handed over */
	uint64_t due_ns, offset;
	uint32_t length;
	uint16_t lane;
	uint16_t retries;
	bool write, on_time; /* on_time: a slot was free when it was due */
	bool stale;          /* submitted outside the window of an open loop: not counted */
};

/* A worker's share of one lane. */
struct io_lane {
	struct io_target target;
	uint32_t target_index;  /* of the pool: the lane's number */
	uint32_t share, shares; /* this worker is number share of shares on this lane */
	uint32_t first_slot, slots;
	/* of the phase: */
	uint32_t depth, phase_share, phase_shares;
	uint32_t *free, free_count;
	uint32_t prepared;      /* in the batch being made */
	uint64_t free_since_ns; /* since when a slot is free */
	uint64_t bytes_left;    /* UINT64_MAX: no quota */
	bool has_quota;
	bool serve;         /* what waits at the window's end is no more than a stall has left */
	uint64_t scheduled; /* arrivals due up to the last boundary */
	struct io_pattern pattern;
	struct io_schedule schedule, scout; /* scout runs ahead through the backlog */
	struct io_recorder recorder;
	uint64_t age_ns[IO_AGE_SAMPLES + 1];
	uint64_t backlog, last_wait_ns; /* at the last boundary; last_wait_ns: the oldest's age */
};

/* Read by all workers, written rarely. */
struct io_shared {
	_Alignas(IO_CACHE_LINE) atomic_bool stop;
	atomic_bool pause, lost;
	_Alignas(IO_CACHE_LINE) pthread_mutex_t lock;
	pthread_cond_t command, state;
	pthread_barrier_t barrier;
	uint64_t generation; /* of the phase to run; under lock */
	bool quit;
	struct io_phase phase; /* written while all are idle */
	uint64_t phase_number, seed;
	uint64_t start_ns; /* made by the last worker at the barrier */
	int event_fd;      /* tells the owner of new pieces and states */
};

enum io_worker_state { IO_WORKER_STARTING, IO_WORKER_IDLE, IO_WORKER_RUNNING, IO_WORKER_ENDED };

struct io_worker {
	struct io_shared *shared;
	const struct io_backend_ops *ops;
	void *ops_data, *context;
	bool polled;
	uint32_t number, contexts; /* contexts: workers of the pool */
	pthread_t thread;
	bool started;
	int thread_id;
	int schedstat; /* descriptor of the thread's scheduler statistics; -1 none */
	struct clock clock;
	uint64_t now_ns; /* the latest reading */
	uint32_t lane_count, depth;
	struct io_lane *lanes;
	struct io_target *targets; /* of the lanes, as the backend wants them */
	struct io_slot *slots;
	uint32_t *free_slots, *prepared, prepared_count;
	struct io_completion *completions;
	struct io_buffers buffers;
	struct io_data data; /* table NULL: no phase has written, or nobody looks at it */
	size_t block_bytes, alignment;
	struct io_backend_facts facts;
	struct err failure; /* of opening */

	/* of the phase: */
	bool open_loop, spin, doze, draining, warmup, broken;
	bool over; /* the window has ended */
	bool tail; /* and what was submitted in it is still being counted (open loop) */
	uint32_t in_flight;
	uint64_t start_ns, boundary_ns, window_start_ns, window_end_ns, sample_ns, event_ns;
	uint64_t schedule_end_ns, next_due_ns, drain_since_ns;
	uint64_t serve_until_ns; /* the backlog of the window's end */
	uint32_t interval, sample;
	uint64_t piece_start_ns, cpu_at_ns, spun_ns, delay_at_ns, paused_ns;
	uint32_t abandoned;
	uint64_t uncounted_bytes[2]; /* read, written: good, but in no span */
	bool lost;                   /* the device, also where it is seen only after the window */
	int write_refused;           /* the same */
	int fault;                   /* -errno of the backend itself */

	struct io_pieces pieces;
	/* For the question since when nothing completes: the last completion, or the first submission
	 * after a time without I/O. */
	_Alignas(IO_CACHE_LINE) atomic_ullong quiet_since_ns;
	atomic_uint live_in_flight;
	enum io_worker_state state; /* under shared->lock */
};

/* Two seeds into one. Never by xor alone: pool and load are often given the same seed, and equal ones
 * would cancel out. */
static inline uint64_t io_seed_mix(uint64_t a, uint64_t b)
{
	uint64_t x = a + UINT64_C(0x9e3779b97f4a7c15) * (b + 1);

	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/* DESIGN 4, Saturation: the oldest waiting arrival grew older through the window. */
bool io_lane_grew_older(const struct io_lane *lane, uint64_t window_ns);

/* Starts the thread, which opens its backend; wait for state to leave IO_WORKER_STARTING. */
int io_worker_start(struct io_worker *worker, struct err *err);
/* After the thread has ended, or when it was never started. */
void io_worker_free(struct io_worker *worker);
/* Wakes the pool's owner. */
void io_worker_notify(struct io_worker *worker);

#endif
