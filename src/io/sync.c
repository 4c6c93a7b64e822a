/* Threads of pread and pwrite, for kernels and containers that refuse io_uring. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "io/backend.h"

#define NS_PER_S 1000000000ull
#define STACK_BYTES ((size_t)128 << 10)
/* A thread stuck in a drive that does not answer is left behind after this. */
#define CLOSE_SECONDS 5

struct sync {
	const struct io_target *targets;
	struct clock *clock;
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	struct io_request *requests; /* rings of `size` (power of two) */
	struct io_completion *completions;
	uint32_t size;
	uint32_t taken, ready, tail; /* requests: [taken, ready) wait for a thread */
	uint32_t reaped, finished;   /* completions */
	bool quit;
	uint32_t thread_count;
	pthread_t *threads;
};

static int sync_probe(struct err *err)
{
	err_clear(err);
	return 0;
}

static int32_t transfer(const struct io_target *target, const struct io_request *request)
{
	const ssize_t bytes = request->write
		? pwrite(target->fd, request->buffer, request->length, (off_t)request->offset)
		: pread(target->fd, request->buffer, request->length, (off_t)request->offset);

	return bytes < 0 ? -errno : (int32_t)bytes;
}

static void *sync_thread(void *argument)
{
	struct sync *sync = argument;

	pthread_mutex_lock(&sync->lock);
	for (;;) {
		while (sync->taken == sync->ready && !sync->quit)
			pthread_cond_wait(&sync->work, &sync->lock);
		if (sync->quit)
			break;
		const struct io_request request = sync->requests[sync->taken++ & (sync->size - 1)];

		pthread_mutex_unlock(&sync->lock);
		const struct io_completion completion = {
			.slot = request.slot,
			.result = transfer(&sync->targets[request.target], &request),
			.done_ns = clock_now(sync->clock),
		};
		pthread_mutex_lock(&sync->lock);
		sync->completions[sync->finished++ & (sync->size - 1)] = completion;
		pthread_cond_signal(&sync->done);
	}
	pthread_mutex_unlock(&sync->lock);
	return NULL;
}

static void sync_free(struct sync *sync)
{
	pthread_cond_destroy(&sync->work);
	pthread_cond_destroy(&sync->done);
	pthread_mutex_destroy(&sync->lock);
	free(sync->requests);
	free(sync->completions);
	free(sync->threads);
	free(sync);
}

static void sync_close(void *context)
{
	struct sync *sync = context;
	struct timespec deadline;
	bool stuck = false;

	pthread_mutex_lock(&sync->lock);
	sync->quit = true;
	pthread_cond_broadcast(&sync->work);
	pthread_mutex_unlock(&sync->lock);
	clock_gettime(CLOCK_REALTIME, &deadline);
	deadline.tv_sec += CLOSE_SECONDS;
	for (uint32_t i = 0; i < sync->thread_count; i++)
		if (pthread_timedjoin_np(sync->threads[i], NULL, &deadline)) {
			pthread_detach(sync->threads[i]);
			stuck = true;
		}
	if (!stuck) /* else the thread still uses it: left behind on purpose */
		sync_free(sync);
}

static int sync_open(const struct io_backend_config *config, void **context,
	struct io_backend_facts *facts, struct err *err)
{
	struct sync *sync = mem_alloc(sizeof(*sync));
	const uint32_t share = IO_SYNC_THREADS_MAX / (config->contexts ? config->contexts : 1);
	const uint32_t most = share > config->target_count ? share : (uint32_t)config->target_count;
	const uint32_t depth = config->depth < most ? config->depth : most;
	pthread_condattr_t condition;
	pthread_attr_t attributes;
	int rc = 0;

	sync->targets = config->targets;
	sync->clock = config->clock;
	for (sync->size = 1; sync->size < depth;)
		sync->size *= 2;
	sync->requests = mem_alloc(sync->size * sizeof(*sync->requests));
	sync->completions = mem_alloc(sync->size * sizeof(*sync->completions));
	sync->threads = mem_alloc(depth * sizeof(*sync->threads));
	pthread_mutex_init(&sync->lock, NULL);
	pthread_cond_init(&sync->work, NULL);
	pthread_condattr_init(&condition);
	pthread_condattr_setclock(&condition, CLOCK_MONOTONIC);
	pthread_cond_init(&sync->done, &condition);
	pthread_condattr_destroy(&condition);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	while (sync->thread_count < depth && !rc) {
		rc = pthread_create(
			&sync->threads[sync->thread_count], &attributes, sync_thread, sync);
		if (!rc)
			sync->thread_count++;
	}
	pthread_attr_destroy(&attributes);
	if (!sync->thread_count) {
		sync_free(sync);
		return err_set(err, -rc, "no thread can be started: %s", err_errno_text(-rc));
	}
	*facts = (struct io_backend_facts){.depth = sync->thread_count, .direct = true};
	str_copy(facts->name, sizeof(facts->name), "sync");
	for (size_t i = 0; i < config->target_count; i++)
		if (!(fcntl(config->targets[i].fd, F_GETFL) & O_DIRECT))
			facts->direct = false;
	if (sync->thread_count < config->depth)
		str_format(facts->notes, sizeof(facts->notes),
			"Without io_uring every I/O in flight takes a thread, and at most %u are used.",
			IO_SYNC_THREADS_MAX);
	*context = sync;
	return 0;
}

static void sync_prepare(void *context, const struct io_request *request)
{
	struct sync *sync = context;

	/* Only the caller writes behind `ready`; threads read below it. */
	sync->requests[sync->tail++ & (sync->size - 1)] = *request;
}

static void submit_locked(struct sync *sync)
{
	const uint32_t count = sync->tail - sync->ready;

	sync->ready = sync->tail;
	if (count == 1)
		pthread_cond_signal(&sync->work);
	else if (count)
		pthread_cond_broadcast(&sync->work);
}

static int sync_submit(void *context)
{
	struct sync *sync = context;

	pthread_mutex_lock(&sync->lock);
	const uint32_t count = sync->tail - sync->ready;

	submit_locked(sync);
	pthread_mutex_unlock(&sync->lock);
	return (int)count;
}

static void wait_locked(struct sync *sync, unsigned wait_for, uint64_t until)
{
	struct timespec at;
	uint64_t left;

	if (until != UINT64_MAX) {
		const uint64_t now = clock_now(sync->clock);

		left = until > now ? until - now : 0;
		if (sync->clock->kind == CLOCK_SCALED)
			left = (uint64_t)((double)left / sync->clock->factor);
		left += clock_monotonic_ns();
		at.tv_sec = (time_t)(left / NS_PER_S);
		at.tv_nsec = (long)(left % NS_PER_S);
	}
	while (sync->finished - sync->reaped < wait_for) {
		if (until == UINT64_MAX)
			pthread_cond_wait(&sync->done, &sync->lock);
		else if (pthread_cond_timedwait(&sync->done, &sync->lock, &at))
			break;
	}
}

static int sync_reap(
	void *context, struct io_completion *out, size_t room, unsigned wait_for, uint64_t until)
{
	struct sync *sync = context;
	size_t count = 0;

	pthread_mutex_lock(&sync->lock);
	submit_locked(sync);
	if (wait_for && until)
		wait_locked(sync, wait_for, until);
	while (sync->reaped != sync->finished && count < room)
		out[count++] = sync->completions[sync->reaped++ & (sync->size - 1)];
	pthread_mutex_unlock(&sync->lock);
	return (int)count;
}

static uint64_t sync_cpu_ns(void *context)
{
	struct sync *sync = context;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < sync->thread_count; i++) {
		struct timespec used;
		clockid_t clock;

		if (!pthread_getcpuclockid(sync->threads[i], &clock) &&
			!clock_gettime(clock, &used))
			sum += (uint64_t)used.tv_sec * NS_PER_S + (uint64_t)used.tv_nsec;
	}
	return sum;
}

const struct io_backend_ops io_backend_sync = {
	.name = "sync",
	.probe = sync_probe,
	.open = sync_open,
	.prepare = sync_prepare,
	.submit = sync_submit,
	.reap = sync_reap,
	.close = sync_close,
	.cpu_ns = sync_cpu_ns,
};
