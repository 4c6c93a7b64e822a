/* The life of a worker thread: open the backend where it is used, run phases, close. */
#include "io/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "io/loop.h"

void io_worker_notify(struct io_worker *worker)
{
	const uint64_t one = 1;

	if (write(worker->shared->event_fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
		log_warn("worker %u cannot wake the runner: %s", worker->number,
			err_errno_text(-errno));
}

/* The backend gave fewer slots than asked: every lane keeps its part, at least one. */
static int shrink(struct io_worker *worker, uint32_t got, struct err *err)
{
	if (got < worker->lane_count)
		return err_set(err, -ENOMEM,
			"only %u I/O can be in flight, and %u targets want at least one each", got,
			worker->lane_count);
	uint32_t first = 0, room = got - worker->lane_count;

	for (uint32_t i = 0; i < worker->lane_count; i++) {
		struct io_lane *lane = &worker->lanes[i];
		const uint32_t more = (uint32_t)((uint64_t)(lane->slots - 1) *
			(got - worker->lane_count) / (worker->depth - worker->lane_count));

		lane->first_slot = first;
		lane->slots = 1 + (more < room ? more : room);
		room -= lane->slots - 1;
		first += lane->slots;
	}
	worker->depth = got;
	return 0;
}

static int open_backend(struct io_worker *worker, struct err *err)
{
	struct io_target *targets;
	int rc;

	rc = io_buffers_create(
		&worker->buffers, worker->depth, worker->block_bytes, worker->alignment, err);
	if (rc)
		return rc;
	targets = mem_alloc(worker->lane_count * sizeof(*targets));
	for (uint32_t i = 0; i < worker->lane_count; i++)
		targets[i] = worker->lanes[i].target;
	worker->targets = targets;
	const struct io_backend_config config = {
		.targets = targets,
		.target_count = worker->lane_count,
		.depth = worker->depth,
		.polled = worker->polled,
		.contexts = worker->contexts,
		.buffers = worker->buffers.base,
		.buffer_bytes = worker->buffers.bytes_each,
		.clock = &worker->clock,
		.now = &worker->now_ns,
		.seed = worker->shared->seed ^ worker->number,
		.data = worker->ops_data,
	};
	rc = worker->ops->open(&config, &worker->context, &worker->facts, err);
	if (rc)
		return rc;
	if (worker->facts.depth < worker->depth) {
		rc = shrink(worker, worker->facts.depth, err);
		if (rc)
			worker->ops->close(worker->context);
	}
	return rc;
}

static void set_state(struct io_worker *worker, enum io_worker_state state)
{
	struct io_shared *shared = worker->shared;

	pthread_mutex_lock(&shared->lock);
	worker->state = state;
	pthread_cond_broadcast(&shared->state);
	pthread_mutex_unlock(&shared->lock);
	io_worker_notify(worker);
}

/* Waits for the next phase; false: the pool is being destroyed. */
static bool next_phase(struct io_worker *worker, uint64_t *seen)
{
	struct io_shared *shared = worker->shared;
	bool run;

	pthread_mutex_lock(&shared->lock);
	while (shared->generation == *seen && !shared->quit)
		pthread_cond_wait(&shared->command, &shared->lock);
	/* A phase that has begun is entered by all, or the others would wait at the barrier. */
	run = shared->generation != *seen;
	*seen = shared->generation;
	pthread_mutex_unlock(&shared->lock);
	return run;
}

static void *worker_main(void *argument)
{
	struct io_worker *worker = argument;
	uint64_t seen = 0;
	char name[16];

	snprintf(name, sizeof(name), "nvsweep-io%u", worker->number % 1000);
	pthread_setname_np(pthread_self(), name);
	worker->thread_id = gettid();
	worker->schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	/* Sleeps end when asked, not up to 50 us later. */
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	if (open_backend(worker, &worker->failure)) {
		set_state(worker, IO_WORKER_ENDED);
		return NULL;
	}
	set_state(worker, IO_WORKER_IDLE);
	while (next_phase(worker, &seen)) {
		io_loop_run(worker);
		set_state(worker, IO_WORKER_IDLE);
	}
	worker->ops->close(worker->context);
	set_state(worker, IO_WORKER_ENDED);
	return NULL;
}

int io_worker_start(struct io_worker *worker, struct err *err)
{
	sigset_t all, before;
	int rc;

	worker->state = IO_WORKER_STARTING;
	worker->schedstat = -1;
	worker->slots = calloc(worker->depth, sizeof(*worker->slots));
	worker->free_slots = calloc(worker->depth, sizeof(*worker->free_slots));
	worker->prepared = calloc(worker->depth, sizeof(*worker->prepared));
	worker->completions = calloc(worker->depth, sizeof(*worker->completions));
	if (!worker->slots || !worker->free_slots || !worker->prepared || !worker->completions)
		return err_set(err, -ENOMEM, "no memory for %u outstanding", worker->depth);
	rc = io_pieces_create(&worker->pieces, worker->lane_count, err);
	if (rc)
		return rc;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&worker->thread, NULL, worker_main, worker);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc)
		return err_set(err, -rc, "no thread can be started: %s", err_errno_text(-rc));
	worker->started = true;
	return 0;
}

void io_worker_free(struct io_worker *worker)
{
	io_pieces_destroy(&worker->pieces);
	if (worker->schedstat >= 0)
		close(worker->schedstat);
	/* What never came back may still be written there. */
	if (!worker->broken)
		io_buffers_destroy(&worker->buffers);
	io_data_destroy(&worker->data);
	free(worker->targets);
	free(worker->lanes);
	free(worker->slots);
	free(worker->free_slots);
	free(worker->prepared);
	free(worker->completions);
	free(worker);
}
