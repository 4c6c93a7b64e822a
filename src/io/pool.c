/* The worker pool's outside: making workers, the barrier's start, merging intervals, figures. */
#include "io/pool.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "io/merge.h"
#include "io/worker.h"

#define TARGETS_MAX 64
#define WORKERS_MAX 256
#define NS_PER_S 1000000000u
#define CLOSE_SECONDS 5

struct io_pool {
	struct io_shared shared;
	struct clock clock;
	uint32_t target_count, worker_count, outstanding, max_block_bytes;
	struct io_target *targets;
	struct io_worker **workers;
	struct io_backend_facts facts;
	bool running, wrecked;
	uint64_t suspend_base_ns; /* boottime minus monotonic at the phase's start */

	struct io_merge merge; /* owner only */
};

static uint32_t cpu_count(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	return (uint32_t)CPU_COUNT(&set);
}

/* The first target of its group, or the target itself: what is dealt out to workers. */
static uint32_t group_leader(const struct io_target *targets, uint32_t index)
{
	for (uint32_t i = 0; i < index && targets[index].group; i++)
		if (targets[i].group == targets[index].group)
			return i;
	return index;
}

/* Its number among the leaders. */
static uint32_t group_number(const struct io_target *targets, uint32_t index)
{
	const uint32_t leader = group_leader(targets, index);
	uint32_t number = 0;

	for (uint32_t i = 0; i < leader; i++)
		number += group_leader(targets, i) == i;
	return number;
}

/* How many parts the targets can be dealt out in at most; 0: no limit, lanes may be shared. */
static uint32_t group_count(const struct io_target *targets, uint32_t count)
{
	uint32_t leaders = 0;
	bool grouped = false;

	for (uint32_t i = 0; i < count; i++) {
		grouped |= targets[i].group != 0;
		leaders += group_leader(targets, i) == i;
	}
	return grouped ? leaders : 0;
}

/* One worker per lane is enough for any one drive, as long as a CPU stays for the screen. */
static uint32_t choose_workers(const struct io_pool_config *config)
{
	const uint32_t cpus = cpu_count();
	uint32_t count = config->workers;

	if (config->clock->kind == CLOCK_FREE)
		return 1;
	if (!count) {
		const uint32_t spare = cpus > 1 ? cpus - 1 : 1;

		count = config->target_count < spare ? config->target_count : spare;
	}
	if (count > WORKERS_MAX)
		count = WORKERS_MAX;
	const uint32_t groups = group_count(config->targets, config->target_count);

	if (groups && count > groups)
		count = groups;
	/* Every worker needs a slot of a lane. */
	if (count > (uint64_t)config->target_count * config->outstanding)
		count = config->target_count * config->outstanding;
	return count;
}

static int check_config(const struct io_pool_config *config, struct err *err)
{
	if (!config->target_count || config->target_count > TARGETS_MAX)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"%u targets; 1 to %d are possible at once", config->target_count,
			TARGETS_MAX);
	if (!config->outstanding || config->outstanding > 65535)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"%u outstanding is not possible; choose 1 to 65535", config->outstanding);
	if (!config->max_block_bytes)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL, "the block size is 0");
	for (uint32_t i = 0; i < config->target_count; i++) {
		const int rc = io_target_check(&config->targets[i], err);

		if (rc)
			return rc;
	}
	return 0;
}

/* What the backends of this folder need beyond numbers. */
static int check_real(
	const struct io_pool_config *config, const struct io_backend_ops *ops, struct err *err)
{
	if (ops != &io_backend_uring && ops != &io_backend_uring_cmd && ops != &io_backend_sync)
		return 0;
	if (config->clock->kind == CLOCK_FREE)
		return err_set(err, -EINVAL, "real I/O needs a real clock");
	for (uint32_t i = 0; i < config->target_count; i++)
		if (config->targets[i].fd < 0)
			return err_set(err, -EBADF, "%s: is not open", config->targets[i].name);
	return 0;
}

/* ---- making and ending ----------------------------------------------------------------------- */

/* Worker w's part of the slots of a lane that `shares` workers share. */
static uint32_t part(uint32_t depth, uint32_t share, uint32_t shares)
{
	return depth / shares + (share < depth % shares);
}

/* Fewer workers than lanes: groups of lanes are dealt out. More: lane l is shared by workers l, l + lanes,
 * l + 2 x lanes, ... */
static void deal_lanes(const struct io_pool *pool, struct io_worker *worker)
{
	const uint32_t lanes = pool->target_count, workers = pool->worker_count;

	worker->lanes = mem_alloc(lanes * sizeof(*worker->lanes));
	for (uint32_t l = 0; l < lanes; l++) {
		uint32_t share = 0, shares = 1;

		if (workers >= lanes) {
			if (worker->number % lanes != l)
				continue;
			share = worker->number / lanes;
			shares = workers / lanes + (l < workers % lanes);
		} else if (group_number(pool->targets, l) % workers != worker->number) {
			continue;
		}
		struct io_lane *lane = &worker->lanes[worker->lane_count];

		lane->target = pool->targets[l];
		lane->target_index = l;
		lane->share = share;
		lane->shares = shares;
		lane->first_slot = worker->depth;
		lane->slots = part(pool->outstanding, share, shares);
		if (!lane->slots)
			continue;
		worker->depth += lane->slots;
		worker->lane_count++;
		if (lane->target.buffer_alignment > worker->alignment)
			worker->alignment = lane->target.buffer_alignment;
		if (lane->target.lba_bytes > worker->alignment &&
			!(lane->target.lba_bytes & (lane->target.lba_bytes - 1)))
			worker->alignment = lane->target.lba_bytes;
	}
}

static int make_worker(struct io_pool *pool, const struct io_pool_config *config,
	const struct io_backend_ops *ops, struct err *err)
{
	/* Whole cache lines: workers share none. */
	struct io_worker *worker = aligned_alloc(IO_CACHE_LINE, sizeof(*worker));

	if (!worker)
		return err_set(err, -ENOMEM, "no memory for a worker");
	memset(worker, 0, sizeof(*worker));
	worker->shared = &pool->shared;
	worker->ops = ops;
	worker->ops_data = config->ops_data;
	worker->clock = pool->clock;
	for (worker->number = 0; pool->workers[worker->number];)
		worker->number++;
	pool->workers[worker->number] = worker;
	deal_lanes(pool, worker);
	for (uint32_t i = 0; i < worker->lane_count; i++) {
		const uint64_t bytes =
			io_target_buffer_bytes(&worker->lanes[i].target, pool->max_block_bytes);

		worker->block_bytes = bytes > worker->block_bytes ? bytes : worker->block_bytes;
	}
	worker->polled = config->polled;
	worker->contexts = pool->worker_count;
	return io_worker_start(worker, err);
}

static int wait_for_workers(struct io_pool *pool, struct err *err)
{
	int rc = 0;

	pthread_mutex_lock(&pool->shared.lock);
	for (uint32_t i = 0; i < pool->worker_count; i++) {
		struct io_worker *worker = pool->workers[i];

		while (worker->state == IO_WORKER_STARTING)
			pthread_cond_wait(&pool->shared.state, &pool->shared.lock);
		if (worker->state == IO_WORKER_ENDED && !rc) {
			rc = worker->failure.code;
			if (err)
				*err = worker->failure;
		}
	}
	pthread_mutex_unlock(&pool->shared.lock);
	return rc;
}

/* The facts of all workers: what the first one got; a depth that is the sum per lane. */
static void sum_facts(struct io_pool *pool)
{
	uint32_t depth = 0;

	pool->facts = pool->workers[0]->facts;
	for (uint32_t i = 0; i < pool->worker_count; i++) {
		const struct io_worker *worker = pool->workers[i];

		for (uint32_t l = 0; l < worker->lane_count; l++)
			if (worker->lanes[l].target_index == 0)
				depth += worker->lanes[l].slots;
		pool->facts.fixed_buffers &= worker->facts.fixed_buffers;
		pool->facts.registered_files &= worker->facts.registered_files;
		pool->facts.direct &= worker->facts.direct;
		if (*worker->facts.notes && !*pool->facts.notes)
			str_copy(pool->facts.notes, sizeof(pool->facts.notes), worker->facts.notes);
	}
	pool->facts.depth = depth;
	if (pool->worker_count > cpu_count())
		str_append(pool->facts.notes, sizeof(pool->facts.notes),
			"%s%u I/O threads share %u CPUs: they wait for each other.",
			*pool->facts.notes ? " " : "", pool->worker_count, cpu_count());
	if (depth < pool->outstanding)
		str_append(pool->facts.notes, sizeof(pool->facts.notes),
			"%sOnly %u of %u outstanding are possible.", *pool->facts.notes ? " " : "",
			depth, pool->outstanding);
}

static int init_shared(struct io_pool *pool, const struct io_pool_config *config, struct err *err)
{
	struct io_shared *shared = &pool->shared;

	shared->seed = config->seed;
	atomic_init(&shared->stop, false);
	atomic_init(&shared->pause, false);
	atomic_init(&shared->lost, false);
	pthread_mutex_init(&shared->lock, NULL);
	pthread_cond_init(&shared->command, NULL);
	pthread_cond_init(&shared->state, NULL);
	pthread_barrier_init(&shared->barrier, NULL, pool->worker_count);
	shared->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (shared->event_fd < 0)
		return err_set(err, -errno, "no event descriptor: %s", err_errno_text(-errno));
	return 0;
}

int io_pool_create(
	const struct io_pool_config *config, struct io_pool **out, char *fallback, struct err *err)
{
	const struct io_backend_ops *ops = config->ops;
	char reason[256] = "";
	int rc = check_config(config, err);

	if (rc)
		return rc;
	if (!ops)
		ops = io_backend_choose(config->backend, reason, sizeof(reason), err);
	if (!ops)
		return err && err->code ? err->code : -EINVAL;
	if (fallback)
		str_copy(fallback, 256, reason);
	rc = check_real(config, ops, err);
	if (rc)
		return rc;

	struct io_pool *pool = aligned_alloc(IO_CACHE_LINE, sizeof(*pool));

	if (!pool)
		return err_set(err, -ENOMEM, "no memory for the worker pool");
	memset(pool, 0, sizeof(*pool));
	pool->clock = *config->clock;
	pool->target_count = config->target_count;
	pool->outstanding = config->outstanding;
	pool->max_block_bytes = config->max_block_bytes;
	pool->worker_count = choose_workers(config);
	pool->targets = mem_alloc(config->target_count * sizeof(*pool->targets));
	memcpy(pool->targets, config->targets, config->target_count * sizeof(*pool->targets));
	pool->workers = mem_alloc((pool->worker_count + 1) * sizeof(struct io_worker *));
	io_merge_init(&pool->merge, pool->workers, pool->worker_count, pool->target_count);
	rc = init_shared(pool, config, err);
	for (uint32_t i = 0; i < pool->worker_count && !rc; i++)
		rc = make_worker(pool, config, ops, err);
	if (!rc)
		rc = wait_for_workers(pool, err);
	if (rc) {
		io_pool_destroy(pool);
		return rc;
	}
	sum_facts(pool);
	*out = pool;
	return 0;
}

void io_pool_destroy(struct io_pool *pool)
{
	struct timespec deadline;
	bool stuck = false;

	if (!pool)
		return;
	io_pool_stop(pool);
	pthread_mutex_lock(&pool->shared.lock);
	pool->shared.quit = true;
	pthread_cond_broadcast(&pool->shared.command);
	pthread_mutex_unlock(&pool->shared.lock);
	clock_gettime(CLOCK_REALTIME, &deadline);
	deadline.tv_sec += CLOSE_SECONDS;
	for (uint32_t i = 0; i < pool->worker_count && pool->workers[i]; i++) {
		struct io_worker *worker = pool->workers[i];

		if (worker->started && pthread_timedjoin_np(worker->thread, NULL, &deadline)) {
			log_warn("worker %u is stuck in the kernel and left behind", i);
			pthread_detach(worker->thread);
			stuck = true;
		} else {
			io_worker_free(worker);
		}
	}
	io_merge_free(&pool->merge);
	free(pool->workers);
	free(pool->targets);
	if (stuck) /* the worker may still look at what all share */
		return;
	pthread_barrier_destroy(&pool->shared.barrier);
	pthread_cond_destroy(&pool->shared.command);
	pthread_cond_destroy(&pool->shared.state);
	pthread_mutex_destroy(&pool->shared.lock);
	if (pool->shared.event_fd >= 0)
		close(pool->shared.event_fd);
	free(pool);
}

const struct io_backend_facts *io_pool_facts(const struct io_pool *pool)
{
	return &pool->facts;
}

uint32_t io_pool_workers(const struct io_pool *pool)
{
	return pool->worker_count;
}

uint32_t io_pool_thread_ids(const struct io_pool *pool, int *ids, uint32_t room)
{
	const uint32_t count = pool->worker_count < room ? pool->worker_count : room;

	for (uint32_t i = 0; i < count; i++)
		ids[i] = pool->workers[i]->thread_id;
	return count;
}

void io_pool_stop(struct io_pool *pool)
{
	atomic_store(&pool->shared.stop, true);
}

void io_pool_pause(struct io_pool *pool, bool paused)
{
	atomic_store(&pool->shared.pause, paused);
}

uint64_t io_pool_silent_ns(const struct io_pool *pool)
{
	uint64_t silent = UINT64_MAX;
	bool out = false;

	if (pool->clock.kind == CLOCK_FREE)
		return 0;
	const uint64_t now = clock_now(&pool->clock);

	for (uint32_t i = 0; i < pool->worker_count; i++) {
		struct io_worker *worker = pool->workers[i];

		if (!atomic_load_explicit(&worker->live_in_flight, memory_order_relaxed))
			continue;
		const uint64_t since =
			atomic_load_explicit(&worker->quiet_since_ns, memory_order_relaxed);

		out = true;
		if (io_record_span(since, now) < silent)
			silent = io_record_span(since, now);
	}
	return out ? silent : 0;
}

/* ---- phases ---------------------------------------------------------------------------------- */

static int check_phase(const struct io_pool *pool, const struct io_phase *phase, struct err *err)
{
	if (pool->wrecked)
		return err_set(err, -ETIMEDOUT,
			"the drive has not completed the I/O of the last phase in 5 s");
	if (!phase->window_ns && !phase->total_bytes && !phase->cover)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"the phase has neither a duration nor a number of bytes");
	if (phase->load.outstanding > pool->outstanding ||
		io_load_max_block(&phase->load) > pool->max_block_bytes)
		return err_set(err, -EINVAL,
			"the load needs more outstanding or larger blocks than the pool was made "
			"for");
	for (uint32_t i = 0; i < pool->target_count; i++) {
		const struct io_target *target = &pool->targets[i];
		const int rc = io_load_check(&phase->load, target, err);

		if (rc)
			return rc;
		if (phase->cover &&
			(phase->load.stream_count != 1 || phase->load.streams[0].random_share > 0 ||
				phase->load.streams[0].region_count))
			return err_set(err, -EINVAL,
				"only one sequential stream can pass over a whole area");
		if (phase->total_bytes % target->lba_bytes)
			return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
				"%s: %" PRIu64 " bytes is not a multiple of the block size, %u",
				target->name, phase->total_bytes, target->lba_bytes);
	}
	return 0;
}

/* How many of a lane's workers take part, and with how many slots each. */
static void deal_depth(struct io_worker *worker, uint32_t outstanding)
{
	for (uint32_t l = 0; l < worker->lane_count; l++) {
		struct io_lane *lane = &worker->lanes[l];

		lane->phase_shares = lane->shares < outstanding ? lane->shares : outstanding;
		lane->phase_share = lane->share;
		lane->depth = 0;
		if (lane->share < lane->phase_shares)
			lane->depth = part(outstanding, lane->share, lane->phase_shares);
		if (lane->depth > lane->slots)
			lane->depth = lane->slots;
	}
}

static uint64_t suspended_so_far(void)
{
	const uint64_t monotonic = clock_monotonic_ns(), boot = clock_boottime_ns();

	return io_record_span(monotonic, boot);
}

/* Each worker makes the data that it writes. */
static int prepare_data(struct io_pool *pool, const struct io_load *load, struct err *err)
{
	for (uint32_t i = 0; i < pool->worker_count; i++) {
		struct io_worker *worker = pool->workers[i];

		if (worker->facts.ignores_data)
			continue;
		if (!worker->data.table) {
			const int rc = io_data_create(&worker->data, rng_fresh_seed(), err);

			if (rc)
				return rc;
		}
		io_data_set_reducible(&worker->data, load->reducible_share);
	}
	return 0;
}

int io_pool_begin(struct io_pool *pool, const struct io_phase *phase, struct err *err)
{
	struct io_shared *shared = &pool->shared;
	int rc = check_phase(pool, phase, err);

	if (rc)
		return rc;
	if (pool->running)
		return err_set(err, -EBUSY, "the last phase is not over");
	if (io_load_writes(&phase->load)) {
		rc = prepare_data(pool, &phase->load, err);
		if (rc)
			return rc;
	}
	shared->phase = *phase;
	if (!shared->phase.interval_ns)
		shared->phase.interval_ns = NS_PER_S;
	if (phase->total_bytes || phase->cover)
		shared->phase.warmup_ns = 0;
	shared->phase_number++;
	atomic_store(&shared->stop, false);
	atomic_store(&shared->lost, false);
	io_merge_reset(&pool->merge);
	pool->suspend_base_ns = suspended_so_far();
	for (uint32_t i = 0; i < pool->worker_count; i++)
		deal_depth(pool->workers[i], phase->load.outstanding);
	pool->running = true;
	pthread_mutex_lock(&shared->lock);
	shared->generation++;
	for (uint32_t i = 0; i < pool->worker_count; i++)
		pool->workers[i]->state = IO_WORKER_RUNNING;
	pthread_cond_broadcast(&shared->command);
	pthread_mutex_unlock(&shared->lock);
	return 0;
}

static bool all_idle(struct io_pool *pool)
{
	bool idle = true;

	pthread_mutex_lock(&pool->shared.lock);
	for (uint32_t i = 0; i < pool->worker_count; i++)
		idle &= pool->workers[i]->state != IO_WORKER_RUNNING;
	pthread_mutex_unlock(&pool->shared.lock);
	return idle;
}

int io_pool_next_interval(
	struct io_pool *pool, unsigned timeout_ms, struct io_interval *out, struct err *err)
{
	const uint64_t until = clock_monotonic_ns() + (uint64_t)timeout_ms * 1000000;
	struct pollfd wake = {.fd = pool->shared.event_fd, .events = POLLIN};
	uint64_t count;

	if (!pool->running)
		return err_set(err, -EINVAL, "no phase is running");
	for (;;) {
		if (read(wake.fd, &count, sizeof(count)) < 0 && errno != EAGAIN)
			return err_set(
				err, -errno, "cannot hear the workers: %s", err_errno_text(-errno));
		if (io_merge_collect(&pool->merge)) {
			if (io_merge_give(&pool->merge, out))
				return 1;
			if (all_idle(pool))
				return 0;
		}
		const uint64_t now = clock_monotonic_ns();

		if (now >= until)
			return -ETIMEDOUT;
		/* Rounded up, so that the last turn does not spin. */
		poll(&wake, 1, (int)((until - now + 999999) / 1000000));
	}
}

int io_pool_end(struct io_pool *pool, struct io_phase_result *out, struct err *err)
{
	struct io_phase_result *result = &pool->merge.result;
	int rc;

	if (!pool->running)
		return err_set(err, -EINVAL, "no phase is running");
	/* A caller that asks too early: the rest is fetched here. */
	do
		rc = io_pool_next_interval(pool, 1000, NULL, err);
	while (rc == 1 || rc == -ETIMEDOUT);
	if (rc)
		return rc;
	pool->running = false;
	result->stopped = atomic_load(&pool->shared.stop);
	io_merge_judge(&pool->merge);
	for (uint32_t i = 0; i < pool->worker_count; i++)
		pool->wrecked |= pool->workers[i]->broken;
	result->suspended_ns += io_record_span(pool->suspend_base_ns, suspended_so_far());
	*out = *result;
	memset(result, 0, sizeof(*result));
	return 0;
}

void io_phase_result_free(struct io_phase_result *result)
{
	free(result->lanes);
	result->lanes = NULL;
}
