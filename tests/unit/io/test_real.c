/* The real backends on a real file: bytes that arrive, counts that agree, writes within a permit.
 * Nothing here judges speed. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/mem.h"
#include "io/buffers.h"
#include "io/pool.h"

#define SECOND UINT64_C(1000000000)
#define BLOCK 4096u
#define BLOCKS 512u

static char folder[] = "/tmp/nvsweep-io-XXXXXX";
static char path[64];
static struct clock run_clock;
static struct io_phase_result result;
static struct io_interval interval;

/* Every 8 bytes of the file hold their own offset. */
static int make_file(void **state)
{
	static uint64_t words[BLOCK / 8];

	(void)state;
	clock_init_real(&run_clock);
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/file", folder);
	FILE *file = fopen(path, "w");
	if (!file)
		return -1;
	for (uint64_t b = 0; b < BLOCKS; b++) {
		for (uint64_t w = 0; w < BLOCK / 8; w++)
			words[w] = b * BLOCK + w * 8;
		if (fwrite(words, BLOCK, 1, file) != 1)
			return -1;
	}
	return fclose(file);
}

static int drop_file(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder);
}

static struct io_target open_target(int flags)
{
	struct io_target target = {.name = "file",
		.lba_bytes = BLOCK,
		.buffer_alignment = BLOCK,
		.size_bytes = BLOCK * BLOCKS,
		.length = BLOCK * BLOCKS};

	target.fd = open(path, flags | O_DIRECT | O_CLOEXEC);
	if (target.fd < 0) /* the file system has no O_DIRECT */
		target.fd = open(path, flags | O_CLOEXEC);
	assert_true(target.fd >= 0);
	return target;
}

static bool usable(const struct io_backend_ops *ops)
{
	struct err err = {0};

	if (!ops->probe(&err))
		return true;
	print_message("skipped: %s: %s\n", ops->name, err.text);
	return false;
}

/* Reads every block through the ops and looks at each byte. */
static void read_all(const struct io_backend_ops *ops)
{
	const uint32_t depth = 16;
	struct io_target target = open_target(O_RDONLY);
	struct io_backend_facts facts;
	struct io_completion completions[16];
	struct io_buffers buffers;
	struct err err = {0};
	uint32_t slots[16], free_slots = depth, next = 0, seen = 0, block_of[16];
	void *context;

	assert_int_equal(io_buffers_create(&buffers, depth, BLOCK, BLOCK, &err), 0);
	const struct io_backend_config config = {.targets = &target,
		.target_count = 1,
		.depth = depth,
		.contexts = 1,
		.buffers = buffers.base,
		.buffer_bytes = buffers.bytes_each,
		.clock = &run_clock};
	if (ops->open(&config, &context, &facts, &err))
		fail_msg("%s", err.text);
	assert_string_equal(facts.name, ops->name);
	assert_int_equal(facts.depth, depth);
	for (uint32_t i = 0; i < depth; i++)
		slots[i] = i;
	while (seen < BLOCKS) {
		while (free_slots && next < BLOCKS) {
			const uint32_t slot = slots[--free_slots];
			/* not in order, so that a fixed offset would be noticed */
			const uint32_t block = next++ * 37 % BLOCKS;
			const struct io_request request = {.slot = slot,
				.length = BLOCK,
				.offset = (uint64_t)block * BLOCK,
				.buffer = buffers.base + slot * buffers.bytes_each};

			memset(request.buffer, 0xee, BLOCK);
			block_of[slot] = block;
			ops->prepare(context, &request);
		}
		if (next % 3)
			assert_true(ops->submit(context) >= 0);
		const int count = ops->reap(context, completions, depth, 1, UINT64_MAX);
		assert_true(count > 0);
		for (int i = 0; i < count; i++) {
			const uint32_t slot = completions[i].slot;
			const uint64_t *words = (const uint64_t *)(const void *)(buffers.base +
				slot * buffers.bytes_each);

			assert_int_equal(completions[i].result, BLOCK);
			for (uint64_t w = 0; w < BLOCK / 8; w++)
				assert_int_equal(
					words[w], (uint64_t)block_of[slot] * BLOCK + w * 8);
			slots[free_slots++] = slot;
			seen++;
		}
	}
	/* Nothing is left; a deadline in the past does not wait. */
	assert_int_equal(ops->reap(context, completions, depth, 0, 0), 0);
	assert_int_equal(ops->reap(context, completions, depth, 1, 1), 0);
	/* Past the end: 0 bytes. */
	const struct io_request beyond = {
		.length = BLOCK, .offset = (uint64_t)BLOCKS * BLOCK, .buffer = buffers.base};
	ops->prepare(context, &beyond);
	assert_int_equal(ops->reap(context, completions, depth, 1, UINT64_MAX), 1);
	assert_int_equal(completions[0].result, 0);
	ops->close(context);
	io_buffers_destroy(&buffers);
	close(target.fd);
}

static void test_uring_reads(void **state)
{
	(void)state;
	if (!usable(&io_backend_uring))
		skip();
	read_all(&io_backend_uring);
}

static void test_sync_reads(void **state)
{
	(void)state;
	read_all(&io_backend_sync);
}

static struct io_phase phase_of(double rate)
{
	struct io_phase phase = {.load = {.stream_count = 1, .outstanding = 8, .rate_iops = rate}};
	struct io_stream *stream = &phase.load.streams[0];

	stream->share = stream->read_share = stream->random_share = 1;
	stream->read_mix.count = 1;
	stream->read_mix.size[0].bytes = BLOCK;
	stream->read_mix.size[0].share = 1;
	return phase;
}

static struct io_pool *pool_of(
	const struct io_target *list, uint32_t count, const char *backend, uint32_t workers)
{
	const struct io_pool_config config = {.targets = list,
		.target_count = count,
		.backend = backend,
		.workers = workers,
		.outstanding = 8,
		.max_block_bytes = 8 * BLOCK,
		.clock = &run_clock,
		.seed = 3};
	struct io_pool *pool = NULL;
	struct err err = {0};
	char fallback[256];

	if (io_pool_create(&config, &pool, fallback, &err))
		fail_msg("%s", err.text);
	assert_int_equal(io_pool_workers(pool), workers);
	int ids[8];
	assert_int_equal(io_pool_thread_ids(pool, ids, 8), workers);
	for (uint32_t i = 0; i < workers; i++)
		assert_true(ids[i] > 0 && ids[i] != getpid());
	return pool;
}

static void run(struct io_pool *pool, const struct io_phase *phase)
{
	struct err err = {0};
	uint64_t reads = 0;
	int rc;

	if (io_pool_begin(pool, phase, &err))
		fail_msg("%s", err.text);
	while ((rc = io_pool_next_interval(pool, 1000, &interval, &err)) != 0) {
		assert_true(rc == 1 || rc == -ETIMEDOUT);
		if (rc == 1 && !interval.warmup)
			reads += interval.total.reads;
	}
	assert_int_equal(io_pool_end(pool, &result, &err), 0);
	assert_int_equal(reads, result.total.reads);
	assert_int_equal(result.total.errors, 0);
	assert_false(result.total.device_lost);
	assert_int_equal(result.total.service.count, result.total.reads);
	assert_int_equal(result.total.response.count, result.total.reads);
}

/* Exact bytes, by one and by several workers, sequential and random, one and two files. */
static void exact_bytes(const char *backend)
{
	struct io_target list[2] = {open_target(O_RDONLY), open_target(O_RDONLY)};

	for (uint32_t workers = 1; workers <= 3; workers++) {
		for (uint32_t lanes = 1; lanes <= 2; lanes++) {
			struct io_pool *pool = pool_of(list, lanes, backend, workers);
			struct io_phase phase = phase_of(0);

			phase.total_bytes = 777 * BLOCK;
			phase.load.streams[0].read_mix.size[0].bytes = 8 * BLOCK;
			run(pool, &phase);
			assert_int_equal(result.total.read_bytes, lanes * 777 * BLOCK);
			for (uint32_t l = 0; l < lanes; l++)
				assert_int_equal(result.lanes[l].read_bytes, 777 * BLOCK);
			/* Little's law holds exactly where all that began also ended. */
			if (strcmp(backend, "sync"))
				assert_true(fabs(result.total.outstanding_ns -
						    (double)result.total.service.sum) <= 1);
			io_phase_result_free(&result);
			phase.load.streams[0].random_share = 0;
			run(pool, &phase);
			assert_int_equal(result.total.read_bytes, lanes * 777 * BLOCK);
			io_phase_result_free(&result);
			io_pool_destroy(pool);
		}
	}
	close(list[0].fd);
	close(list[1].fd);
}

static void test_exact_bytes_uring(void **state)
{
	(void)state;
	if (!usable(&io_backend_uring))
		skip();
	exact_bytes("uring");
}

static void test_exact_bytes_sync(void **state)
{
	(void)state;
	exact_bytes("sync");
}

/* Open loop by time: what was scheduled is what a generator of the same rate gives. */
static void open_loop(const char *backend, enum io_pace pace, uint32_t workers)
{
	struct io_target target = open_target(O_RDONLY);
	struct io_pool *pool = pool_of(&target, 1, backend, workers);
	struct io_phase phase = phase_of(2000);

	phase.load.arrivals = IO_ARRIVALS_CONSTANT;
	phase.load.pace = pace;
	phase.warmup_ns = SECOND / 20;
	phase.window_ns = SECOND / 4;
	phase.interval_ns = SECOND / 10;
	run(pool, &phase);
	assert_int_equal(result.total.scheduled, 500);
	assert_int_equal(result.window_ns, SECOND / 4);
	assert_true(hist_mean(&result.total.response) >= hist_mean(&result.total.service));
	assert_true(result.total.response.max >= result.total.service.min);
	io_phase_result_free(&result);
	io_pool_destroy(pool);
	close(target.fd);
}

static void test_open_loop(void **state)
{
	(void)state;
	const char *backend = usable(&io_backend_uring) ? "uring" : "sync";

	open_loop(backend, IO_PACE_AUTO, 1);
	open_loop(backend, IO_PACE_SPIN, 1);
	open_loop(backend, IO_PACE_SLEEP, 2);
	open_loop("sync", IO_PACE_AUTO, 2);
	open_loop("null", IO_PACE_AUTO, 1);
}

static atomic_bool greedy_ends;

static void *greedy(void *unused)
{
	(void)unused;
	while (!atomic_load(&greedy_ends))
		;
	return NULL;
}

/* Another thread wants the only CPU all the time: the worker, which spins, must wait for it, and
 * that is seen as the host's doing, although the worker used little CPU. */
static void test_starved_worker(void **state)
{
	struct io_target target = open_target(O_RDONLY);
	struct io_phase phase = phase_of(1e8); /* more than can be done */
	pthread_t thief;
	cpu_set_t before, one;

	(void)state;
	if (access("/proc/self/schedstat", R_OK)) {
		print_message("skipped: the kernel keeps no scheduler statistics\n");
		skip();
	}
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	CPU_ZERO(&one);
	for (int cpu = 0; cpu < CPU_SETSIZE && !CPU_COUNT(&one); cpu++)
		if (CPU_ISSET(cpu, &before))
			CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	struct io_pool *pool = pool_of(&target, 1, "null", 1);

	atomic_store(&greedy_ends, false);
	assert_int_equal(pthread_create(&thief, NULL, greedy, NULL), 0);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
	phase.window_ns = SECOND / 2;
	run(pool, &phase);
	atomic_store(&greedy_ends, true);
	pthread_join(thief, NULL);
	assert_true(result.worker_delay_pct > 10 && result.worker_delay_pct <= 100);
	assert_true(result.worker_cpu_pct < 90);
	assert_true(result.host_limited);
	io_phase_result_free(&result);
	io_pool_destroy(pool);
	close(target.fd);
}

static void test_stop_and_pause(void **state)
{
	struct io_target target = open_target(O_RDONLY);
	struct io_pool *pool = pool_of(&target, 1, "auto", 2);
	struct io_phase phase = phase_of(0);
	struct err err = {0};

	(void)state;
	phase.window_ns = 3600 * SECOND;
	phase.interval_ns = SECOND / 50;
	assert_int_equal(io_pool_begin(pool, &phase, &err), 0);
	int rc;
	do
		rc = io_pool_next_interval(pool, 1000, &interval, &err);
	while (rc == -ETIMEDOUT);
	assert_int_equal(rc, 1);
	io_pool_pause(pool, true);
	/* Intervals that were on their way come; then none until it goes on. */
	while (io_pool_next_interval(pool, 200, &interval, &err) == 1)
		;
	assert_int_equal(io_pool_silent_ns(pool), 0); /* nothing is out */
	io_pool_pause(pool, false);
	do
		rc = io_pool_next_interval(pool, 1000, &interval, &err);
	while (rc == -ETIMEDOUT);
	assert_int_equal(rc, 1);
	io_pool_stop(pool);
	assert_int_equal(io_pool_end(pool, &result, &err), 0);
	assert_true(result.stopped);
	assert_true(result.suspended_ns > 0);
	assert_int_equal(result.total.errors, 0);
	assert_int_equal(result.total.service.count, result.total.reads);
	io_phase_result_free(&result);
	io_pool_destroy(pool);
	close(target.fd);
}

static void test_file_that_shrinks(void **state)
{
	struct io_target target = open_target(O_RDONLY);
	struct io_pool *pool = pool_of(&target, 1, "auto", 1);
	struct io_phase phase = phase_of(0);
	struct err err = {0};

	(void)state;
	/* The size it had is larger than what is there now. */
	io_pool_destroy(pool);
	target.size_bytes = target.length = 4 * BLOCK * BLOCKS;
	pool = pool_of(&target, 1, "auto", 1);
	phase.window_ns = 3600 * SECOND;
	assert_int_equal(io_pool_begin(pool, &phase, &err), 0);
	assert_int_equal(io_pool_end(pool, &result, &err), 0);
	assert_true(result.total.device_lost);
	assert_true(result.total.errors > 0);
	io_phase_result_free(&result);
	io_pool_destroy(pool);
	close(target.fd);
}

static void test_writes_stay_in_the_permit(void **state)
{
	static unsigned char before[BLOCK * BLOCKS], after[BLOCK * BLOCKS];
	struct io_target target = open_target(O_RDWR);
	const struct io_permit permit = {
		.fd = target.fd, .offset = 128 * BLOCK, .length = 64 * BLOCK};
	struct io_phase phase = phase_of(0);
	struct err err = {0};
	int changed = 0;

	(void)state;
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(pread(fd, before, sizeof(before), 0), sizeof(before));
	phase.load.streams[0].read_share = 0;
	phase.load.streams[0].write_mix = phase.load.streams[0].read_mix;
	phase.total_bytes = 256 * BLOCK;
	/* Without a permit. */
	struct io_pool *pool = pool_of(&target, 1, "auto", 1);
	assert_int_equal(io_pool_begin(pool, &phase, &err), -EPERM);
	io_pool_destroy(pool);
	/* A permit for less than the area: the first write outside of it ends the phase. */
	target.permit = &permit;
	pool = pool_of(&target, 1, "auto", 1);
	assert_int_equal(io_pool_begin(pool, &phase, &err), 0);
	assert_int_equal(io_pool_end(pool, &result, &err), 0);
	assert_int_equal(result.total.first_error, -EPERM);
	io_phase_result_free(&result);
	io_pool_destroy(pool);
	/* A permit for the area. */
	target.offset = permit.offset;
	target.length = permit.length;
	pool = pool_of(&target, 1, "auto", 1);
	assert_int_equal(io_pool_begin(pool, &phase, &err), 0);
	assert_int_equal(io_pool_end(pool, &result, &err), 0);
	assert_int_equal(result.total.errors, 0);
	assert_int_equal(result.total.write_bytes, 256 * BLOCK);
	assert_int_equal(result.total.write_service.count, 256);
	assert_int_equal(result.total.read_service.count, 0);
	io_phase_result_free(&result);
	io_pool_destroy(pool);
	assert_int_equal(pread(fd, after, sizeof(after), 0), sizeof(after));
	for (uint32_t b = 0; b < BLOCKS; b++) {
		const bool differs = memcmp(before + b * BLOCK, after + b * BLOCK, BLOCK) != 0;

		if (b < 128 || b >= 192)
			assert_false(differs);
		changed += differs;
	}
	assert_true(changed > 40);
	close(fd);
	close(target.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_uring_reads),
		cmocka_unit_test(test_sync_reads),
		cmocka_unit_test(test_exact_bytes_uring),
		cmocka_unit_test(test_exact_bytes_sync),
		cmocka_unit_test(test_open_loop),
		cmocka_unit_test(test_starved_worker),
		cmocka_unit_test(test_stop_and_pause),
		cmocka_unit_test(test_file_that_shrinks),
		cmocka_unit_test(test_writes_stay_in_the_permit),
	};

	return cmocka_run_group_tests(tests, make_file, drop_file);
}
