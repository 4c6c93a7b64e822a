/* A phase in one worker: arrivals, preparation, one call to the backend per batch, recording, and
 * the intervals' ends. Nothing here divides, allocates, locks or makes a system call per I/O. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <linux/fs.h>
#include <time.h>

#include "base/mem.h"
#include "io/boundary.h"
#include "io/loop.h"

/* Stop and pause are noticed after this at the latest. */
#define WAIT_MAX_NS UINT64_C(50000000)
/* Pace auto sleeps up to this before the next arrival and then spins. */
#define SPIN_NS UINT64_C(100000)
#define RETRIES_MAX 1000
/* Steps of the backlog's count per batch, beside four per slot, so that the interval's end has little
 * to catch up. */
#define SCOUT_STEPS 64

static inline uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* ---- submitting ------------------------------------------------------------------------------ */

static void begin_draining(struct io_worker *worker)
{
	if (worker->draining)
		return;
	worker->draining = true;
	worker->drain_since_ns = worker->now_ns;
	worker->schedule_end_ns = worker->now_ns;
}

/* Is what happens now recorded? */
static inline bool recording(const struct io_worker *worker)
{
	return !worker->over || worker->tail;
}

static void note_error(struct io_worker *worker, struct io_lane *lane, int code)
{
	struct io_record *record = lane->recorder.record;

	if (!recording(worker))
		return;
	record->errors++;
	if (!record->first_error)
		record->first_error = code;
}

static inline unsigned char *buffer_of(const struct io_worker *worker, uint32_t index)
{
	return worker->buffers.base + index * worker->buffers.bytes_each;
}

/* What is in the buffer goes with it: again, when it is sent again. */
static void hand_over(struct io_worker *worker, uint32_t index)
{
	const struct io_slot *slot = &worker->slots[index];
	const struct io_request request = {
		.target = slot->lane,
		.slot = index,
		.length = slot->length,
		.write = slot->write,
		.offset = slot->offset,
		.buffer = buffer_of(worker, index),
	};

	worker->ops->prepare(worker->context, &request);
}

/* No write can succeed any more: the phase ends. */
static void refuse_writes(struct io_worker *worker, struct io_lane *lane, int code)
{
	if (recording(worker) && !lane->recorder.record->write_refused)
		lane->recorder.record->write_refused = code;
	if (!worker->write_refused)
		worker->write_refused = code;
	atomic_store(&worker->shared->lost, true);
}

/* Prepares the lane's next I/O; false: it may not be sent. */
static bool issue(struct io_worker *worker, uint32_t lane_index, uint64_t due)
{
	struct io_lane *lane = &worker->lanes[lane_index];
	struct io_access access;

	io_pattern_next(&lane->pattern, &access);
	if (lane->has_quota) {
		if (access.length > lane->bytes_left)
			access.length = (uint32_t)lane->bytes_left;
		lane->bytes_left -= access.length;
	}
	if (__builtin_expect(
		    !io_target_allows(&lane->target, access.offset, access.length, access.write),
		    0)) {
		note_error(worker, lane, -EPERM);
		refuse_writes(worker, lane, -EPERM);
		return false;
	}
	const uint32_t index = lane->free[--lane->free_count];
	struct io_slot *slot = &worker->slots[index];

	slot->due_ns = due;
	slot->offset = access.offset;
	slot->length = access.length;
	slot->lane = (uint16_t)lane_index;
	slot->retries = 0;
	slot->write = access.write;
	slot->on_time = due >= lane->free_since_ns;
	if (access.write && worker->data.table)
		io_data_refill(&worker->data, buffer_of(worker, index), access.length);
	lane->prepared++;
	worker->prepared[worker->prepared_count++] = index;
	hand_over(worker, index);
	return true;
}

static void issue_open(struct io_worker *worker, uint32_t index, uint64_t now)
{
	struct io_lane *lane = &worker->lanes[index];
	struct io_schedule *schedule = &lane->schedule;

	while (schedule->due_ns <= now && lane->free_count && lane->bytes_left) {
		if (!issue(worker, index, schedule->due_ns))
			return;
		io_schedule_next(schedule);
	}
	if (!lane->bytes_left)
		return;
	if (lane->free_count) {
		worker->next_due_ns = least(worker->next_due_ns, schedule->due_ns);
	} else if (schedule->due_ns <= now) {
		if (lane->scout.passed < schedule->passed)
			lane->scout = *schedule;
		io_schedule_skip(&lane->scout, now, SCOUT_STEPS + 4 * lane->depth);
	}
}

static void issue_all(struct io_worker *worker)
{
	bool more = false;

	worker->next_due_ns = UINT64_MAX;
	for (uint32_t i = 0; i < worker->lane_count; i++) {
		struct io_lane *lane = &worker->lanes[i];

		if (worker->open_loop)
			issue_open(worker, i, worker->now_ns);
		else
			while (lane->free_count && lane->bytes_left)
				if (!issue(worker, i, 0))
					break;
		more |= lane->bytes_left != 0;
	}
	if (!more)
		begin_draining(worker); /* all bytes are on their way */
}

/* After the window's end: what arrived in it and still waits, where that is only a stall's. */
static void serve_backlog(struct io_worker *worker)
{
	if (worker->now_ns >= worker->serve_until_ns ||
		atomic_load_explicit(&worker->shared->stop, memory_order_relaxed))
		return;
	for (uint32_t i = 0; i < worker->lane_count; i++) {
		struct io_lane *lane = &worker->lanes[i];

		while (lane->serve && lane->free_count && lane->bytes_left &&
			lane->schedule.due_ns < worker->window_end_ns) {
			if (!issue(worker, i, lane->schedule.due_ns))
				return;
			io_schedule_next(&lane->schedule);
		}
	}
}

/* Stamps the batch just before it goes to the kernel. */
static void stamp(struct io_worker *worker)
{
	const uint64_t at = clock_now(&worker->clock);

	worker->now_ns = at;
	if (at >= worker->event_ns)
		io_boundary_cross(worker, at);
	for (uint32_t i = 0; i < worker->prepared_count; i++) {
		struct io_slot *slot = &worker->slots[worker->prepared[i]];

		slot->submit_ns = at;
		slot->stale = !recording(worker);
		if (worker->open_loop && slot->on_time && recording(worker))
			hist_add(&worker->lanes[slot->lane].recorder.record->lateness,
				io_record_span(slot->due_ns, at));
	}
	for (uint32_t i = 0; i < worker->lane_count; i++) {
		struct io_lane *lane = &worker->lanes[i];

		if (lane->prepared && recording(worker))
			io_recorder_submit(&lane->recorder, lane->prepared, at);
		lane->prepared = 0;
	}
	if (!worker->in_flight)
		atomic_store_explicit(&worker->quiet_since_ns, at, memory_order_relaxed);
	worker->in_flight += worker->prepared_count;
	worker->prepared_count = 0;
}

/* ---- completions ----------------------------------------------------------------------------- */

static bool means_lost(const struct io_lane *lane, int result)
{
	uint64_t size;

	switch (-result) {
	case 0: /* 0 bytes inside the device (RIG.md) */
	case ENODEV:
	case ENXIO:
	case ESHUTDOWN:
	case ENOMEDIUM:
		return true;
	case EIO:    /* a removed disk fails everything and has no size any more */
	case ENOSPC: /* a write behind that end */
		return lane->target.block_device && !ioctl(lane->target.fd, BLKGETSIZE64, &size) &&
			!size;
	default:
		return false;
	}
}

static bool means_refused(int result)
{
	switch (-result) {
	case ENOSPC:
	case EDQUOT:
	case EROFS:
	case EPERM:
	case EFBIG:
	case EBADF: /* not open for writing */
		return true;
	default:
		return false;
	}
}

/* Anything but "all bytes arrived". Returns false when the I/O was sent again. */
static bool complete_badly(struct io_worker *worker, const struct io_completion *completion)
{
	struct io_slot *slot = &worker->slots[completion->slot];
	struct io_lane *lane = &worker->lanes[slot->lane];
	struct io_record *record = lane->recorder.record;
	const int result = completion->result;
	const bool count = recording(worker);

	if ((result == -EAGAIN || result == -EINTR) && slot->retries < RETRIES_MAX) {
		slot->retries++;
		if (count)
			record->retries++;
		hand_over(worker, completion->slot);
		return false;
	}
	note_error(worker, lane, result < 0 ? result : result ? -EIO : -ENODATA);
	if (result > 0 && count) {
		if (slot->write)
			record->short_writes++;
		else
			record->short_reads++;
	}
	if (result <= 0 && means_lost(lane, result)) {
		if (count)
			record->device_lost = true;
		worker->lost = true;
		atomic_store(&worker->shared->lost, true);
	} else if (slot->write && means_refused(result)) {
		refuse_writes(worker, lane, result);
	}
	return true;
}

static inline void complete(
	struct io_worker *worker, const struct io_completion *completion, uint64_t batch_ns)
{
	struct io_slot *slot = &worker->slots[completion->slot];
	struct io_lane *lane = &worker->lanes[slot->lane];
	const uint64_t done = completion->done_ns ? completion->done_ns : batch_ns;
	const bool count = recording(worker) && !slot->stale;

	if (__builtin_expect(completion->result != (int32_t)slot->length, 0)) {
		if (!complete_badly(worker, completion))
			return;
		if (count)
			io_recorder_leave(&lane->recorder, done);
	} else if (__builtin_expect(count, 1)) {
		io_recorder_done(&lane->recorder, slot->write, slot->length, slot->due_ns,
			slot->submit_ns, done);
	} else {
		worker->uncounted_bytes[slot->write] += slot->length;
	}
	slot->submit_ns = UINT64_MAX;
	if (!lane->free_count)
		lane->free_since_ns = done;
	lane->free[lane->free_count++] = completion->slot;
	worker->in_flight--;
}

/* One call to the backend; returns the number of completions. */
static int reap(struct io_worker *worker, unsigned wait_for, uint64_t until)
{
	const int count = worker->ops->reap(
		worker->context, worker->completions, worker->depth, wait_for, until);

	if (count < 0) {
		worker->fault = count;
		note_error(worker, &worker->lanes[0], count);
		begin_draining(worker);
		atomic_store(&worker->shared->lost, true);
		return 0;
	}
	worker->now_ns = clock_now(&worker->clock);
	if (!count)
		return 0;
	for (int i = 0; i < count; i++) {
		const uint64_t done = worker->completions[i].done_ns
			? worker->completions[i].done_ns
			: worker->now_ns;

		if (done >= worker->event_ns)
			io_boundary_cross(worker, done);
		complete(worker, &worker->completions[i], done);
	}
	atomic_store_explicit(&worker->quiet_since_ns, worker->now_ns, memory_order_relaxed);
	return count;
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* How long the next call to the backend may wait. */
static unsigned choose_wait(const struct io_worker *worker, uint64_t *until)
{
	const uint64_t now = worker->now_ns;
	const uint64_t limit =
		least(worker->over ? UINT64_MAX : worker->event_ns, now + WAIT_MAX_NS);

	*until = limit;
	if (!worker->open_loop || worker->draining)
		return 1;
	if (worker->spin)
		return 0;
	if (worker->doze) {
		*until = least(limit, worker->next_due_ns);
		return *until > now;
	}
	if (worker->next_due_ns <= now + SPIN_NS)
		return 0;
	*until = least(limit, worker->next_due_ns - SPIN_NS);
	return 1;
}

/* Lets what is in flight finish, sleeps, and moves every absolute time on by what was lost. */
static void pause_here(struct io_worker *worker)
{
	struct io_shared *shared = worker->shared;
	const struct timespec moment = {.tv_nsec = 5000000};
	const uint64_t from = worker->now_ns;
	const uint64_t event = worker->event_ns;

	worker->event_ns = UINT64_MAX; /* time stands still */
	while (atomic_load(&shared->pause) && !atomic_load(&shared->stop) &&
		!atomic_load(&shared->lost)) {
		if (worker->in_flight)
			reap(worker, 1, worker->now_ns + WAIT_MAX_NS);
		else
			nanosleep(&moment, NULL);
		atomic_store_explicit(
			&worker->live_in_flight, worker->in_flight, memory_order_relaxed);
	}
	worker->event_ns = event;
	worker->now_ns = clock_now(&worker->clock);
	const uint64_t by = worker->now_ns - from;

	io_boundary_shift(worker, by);
	if (!worker->warmup)
		worker->paused_ns += by;
}

static void check_commands(struct io_worker *worker)
{
	struct io_shared *shared = worker->shared;

	if (worker->draining)
		return;
	if (atomic_load_explicit(&shared->stop, memory_order_relaxed) ||
		atomic_load_explicit(&shared->lost, memory_order_relaxed))
		begin_draining(worker);
	else if (atomic_load_explicit(&shared->pause, memory_order_relaxed))
		pause_here(worker);
}

/* Nothing has completed for too long: the I/O stays with the kernel, the phase ends. */
static bool given_up(struct io_worker *worker, int reaped)
{
	if (reaped)
		worker->drain_since_ns = worker->now_ns;
	if (worker->now_ns - worker->drain_since_ns < IO_DRAIN_NS && !worker->fault)
		return false;
	worker->abandoned = worker->in_flight;
	worker->broken = true;
	return true;
}

void io_loop_run(struct io_worker *worker)
{
	io_boundary_start(worker);
	for (;;) {
		uint64_t until;
		int reaped = 0;

		if (worker->now_ns >= worker->event_ns)
			io_boundary_cross(worker, worker->now_ns);
		check_commands(worker);
		if (!worker->draining)
			issue_all(worker);
		else if (worker->tail)
			serve_backlog(worker);
		if (worker->draining && !worker->in_flight && !worker->prepared_count)
			break;
		const bool idle = !worker->prepared_count;

		if (!idle)
			stamp(worker);
		atomic_store_explicit(
			&worker->live_in_flight, worker->in_flight, memory_order_relaxed);
		const uint64_t before = worker->now_ns;
		const unsigned wait_for = choose_wait(worker, &until);

		if (wait_for || worker->in_flight)
			reaped = reap(worker, wait_for, until);
		else
			worker->now_ns = clock_now(&worker->clock);
		/* A wait that polls is no work either. */
		if (wait_for ? worker->facts.polled : idle && !reaped)
			worker->spun_ns += worker->now_ns - before;
		if (worker->draining && given_up(worker, reaped))
			break;
	}
	if (worker->tail)
		io_boundary_finish(worker);
	if (!worker->over) {
		worker->over = true;
		io_boundary_close(worker, worker->now_ns, true);
	}
	atomic_store_explicit(&worker->live_in_flight, 0, memory_order_relaxed);
}
