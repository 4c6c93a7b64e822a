/* The time line of a phase: where intervals and windows end, and what is counted there. */
#include "io/boundary.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Draws that one end of an interval may cost, about 10 ms. */
#define CATCH_UP_MAX (UINT64_C(1) << 19)
/* A free place and an arrival older than this: the engine does not keep up. */
#define BEHIND_NS UINT64_C(1000000)
/* Age of the oldest waiting arrival at the end of a window that is saturated. */
#define SATURATED_AGE_SHARE 0.005
/* For so long after its end, and such a part of its length, arrivals of the window are served. */
#define SERVE_MAX_NS UINT64_C(1000000000)
#define SERVE_PART 50

static inline uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t thread_cpu_ns(const struct io_worker *worker)
{
	struct timespec used;
	uint64_t others = 0;

	/* In virtual time a share of the window means nothing, and runs must repeat to the byte. */
	if (worker->clock.kind == CLOCK_FREE || clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used))
		return 0;
	if (worker->ops->cpu_ns)
		others = worker->ops->cpu_ns(worker->context);
	return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec + others;
}

/* For how long the thread has been ready to run without getting a CPU; 0 where the kernel keeps no
 * such statistics. "RUNNING WAITING SLICES", nanoseconds. */
static uint64_t thread_delay_ns(const struct io_worker *worker)
{
	char text[80];
	const ssize_t n = worker->schedstat < 0 || worker->clock.kind == CLOCK_FREE
		? -1
		: pread(worker->schedstat, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return 0;
	text[n] = '\0';
	const char *second = strchr(text, ' ');

	return second ? strtoull(second, NULL, 10) : 0;
}

/* ---- the beginning of a phase ---------------------------------------------------------------- */

static void start_lane(struct io_worker *worker, uint32_t index)
{
	const struct io_phase *phase = &worker->shared->phase;
	struct io_lane *lane = &worker->lanes[index];
	/* The same load in a later phase must not read the same blocks again. */
	const uint64_t seed = io_seed_mix(io_seed_mix(worker->shared->seed, phase->load.seed),
		worker->shared->phase_number << 32 | lane->target_index);
	uint64_t unit = lane->target.lba_bytes;

	lane->free = &worker->free_slots[lane->first_slot];
	lane->free_count = lane->depth;
	for (uint32_t i = 0; i < lane->depth; i++) {
		lane->free[i] = lane->first_slot + lane->depth - 1 - i;
		worker->slots[lane->free[i]].submit_ns = UINT64_MAX;
	}
	lane->prepared = 0;
	lane->free_since_ns = 0;
	lane->scheduled = lane->backlog = lane->last_wait_ns = 0;
	memset(lane->age_ns, 0, sizeof(lane->age_ns));
	lane->has_quota = phase->total_bytes != 0 || phase->cover;
	lane->serve = false;
	lane->bytes_left = UINT64_MAX;
	if (phase->total_bytes)
		lane->bytes_left = io_pattern_split(phase->total_bytes, unit, lane->phase_share + 1,
					   lane->phase_shares) -
			io_pattern_split(
				phase->total_bytes, unit, lane->phase_share, lane->phase_shares);
	if (!lane->depth)
		lane->bytes_left = 0;
	else
		io_pattern_renew(&lane->pattern, &phase->load, &lane->target, seed,
			lane->phase_share, lane->phase_shares);
	if (phase->cover && lane->depth)
		lane->bytes_left = io_pattern_cover(&lane->pattern);
	if (worker->open_loop)
		io_schedule_start(&lane->schedule, phase->load.arrivals, phase->load.rate_iops,
			seed + 1, worker->start_ns, lane->phase_share,
			lane->phase_shares ? lane->phase_shares : 1);
	if (worker->open_loop && !lane->depth)
		lane->schedule.due_ns = UINT64_MAX;
	lane->scout = lane->schedule;
	io_recorder_start(&lane->recorder, &io_pieces_current(&worker->pieces)->lanes[index],
		worker->start_ns, worker->open_loop);
}

static void next_event(struct io_worker *worker)
{
	worker->event_ns = least(worker->boundary_ns, worker->sample_ns);
}

/* The end of the interval that begins at `from`: intervals are counted from the phase's start
 * through the warm-up, and anew from the window's start. */
static uint64_t interval_end(const struct io_worker *worker, uint64_t from)
{
	const uint64_t length = worker->shared->phase.interval_ns;
	const uint64_t limit = worker->warmup ? worker->window_start_ns : worker->window_end_ns;

	return limit - from <= length ? limit : from + length;
}

static uint64_t sample_at(const struct io_worker *worker, uint32_t sample)
{
	const uint64_t window = worker->window_end_ns - worker->window_start_ns;

	if (!worker->open_loop || worker->window_end_ns == UINT64_MAX || sample > IO_AGE_SAMPLES)
		return UINT64_MAX;
	return worker->window_start_ns +
		(uint64_t)((unsigned __int128)window * sample / IO_AGE_SAMPLES);
}

void io_boundary_start(struct io_worker *worker)
{
	struct io_shared *shared = worker->shared;
	const struct io_phase *phase = &shared->phase;

	if (pthread_barrier_wait(&shared->barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
		shared->start_ns = clock_now(&worker->clock);
	pthread_barrier_wait(&shared->barrier);
	worker->start_ns = worker->now_ns = shared->start_ns;
	worker->open_loop = phase->load.rate_iops > 0;
	/* A free-running clock moves only in sleeps. */
	const bool free_clock = worker->clock.kind == CLOCK_FREE;
	worker->spin = phase->load.pace == IO_PACE_SPIN && !free_clock;
	worker->doze = phase->load.pace == IO_PACE_SLEEP || free_clock;
	worker->draining = worker->over = worker->tail = false;
	worker->prepared_count = 0;
	worker->window_start_ns = worker->start_ns + phase->warmup_ns;
	worker->window_end_ns =
		phase->window_ns ? worker->window_start_ns + phase->window_ns : UINT64_MAX;
	worker->schedule_end_ns = UINT64_MAX;
	worker->warmup = phase->warmup_ns != 0;
	worker->interval = worker->sample = 0;
	worker->piece_start_ns = worker->start_ns;
	worker->boundary_ns = interval_end(worker, worker->start_ns);
	worker->sample_ns = sample_at(worker, 0);
	next_event(worker);
	worker->cpu_at_ns = thread_cpu_ns(worker);
	worker->delay_at_ns = thread_delay_ns(worker);
	worker->spun_ns = worker->paused_ns = 0;
	worker->abandoned = 0;
	worker->lost = false;
	worker->write_refused = 0;
	memset(worker->uncounted_bytes, 0, sizeof(worker->uncounted_bytes));
	worker->fault = 0;
	struct io_piece *piece = io_pieces_current(&worker->pieces);
	piece->index = 0;
	for (uint32_t i = 0; i < worker->lane_count; i++)
		start_lane(worker, i);
	atomic_store_explicit(&worker->quiet_since_ns, worker->start_ns, memory_order_relaxed);
}

/* ---- the ends of intervals ------------------------------------------------------------------- */

/* Arrivals due before `at`; the scout counts those that nobody has submitted yet. */
static uint64_t arrivals_until(struct io_lane *lane, uint64_t at)
{
	if (lane->schedule.due_ns >= at)
		return lane->schedule.passed;
	if (lane->scout.passed < lane->schedule.passed)
		lane->scout = lane->schedule;
	io_schedule_catch_up(&lane->scout, at, CATCH_UP_MAX);
	return lane->scout.passed;
}

/* Age of the oldest arrival that waits for a free place in the queue, or for an engine that is far
 * behind; what is only about to be sent does not wait. */
static uint64_t oldest_wait(const struct io_lane *lane, uint64_t at)
{
	const uint64_t age = io_record_span(lane->schedule.due_ns, at);

	return lane->free_count && age < BEHIND_NS ? 0 : age;
}

static void measure_backlog(struct io_lane *lane, uint64_t at)
{
	struct io_record *record = lane->recorder.record;

	lane->last_wait_ns = record->oldest_wait_ns = oldest_wait(lane, at);
	lane->backlog = record->backlog =
		lane->last_wait_ns ? lane->scheduled - lane->schedule.passed : 0;
}

bool io_lane_grew_older(const struct io_lane *lane, uint64_t window_ns)
{
	const uint64_t *age = lane->age_ns;
	double early = 0, late = 0;
	bool always = true;

	for (int i = 0; i <= IO_AGE_SAMPLES; i++) {
		if (i < IO_AGE_SAMPLES / 2) {
			early += (double)age[i] / (IO_AGE_SAMPLES / 2);
			continue;
		}
		late += (double)age[i] / (IO_AGE_SAMPLES / 2 + 1);
		always &= age[i] != 0;
	}
	return always && late > early && age[IO_AGE_SAMPLES] > age[0] &&
		(double)age[IO_AGE_SAMPLES] >= SATURATED_AGE_SHARE * (double)window_ns;
}

/* The state at the end of an interval. */
static void measure_lane(struct io_worker *worker, struct io_lane *lane, uint64_t at)
{
	struct io_record *record = lane->recorder.record;

	record->oldest_io_ns = 0;
	for (uint32_t i = lane->first_slot; i < lane->first_slot + lane->depth; i++) {
		const uint64_t age = io_record_span(worker->slots[i].submit_ns, at);

		if (age > record->oldest_io_ns)
			record->oldest_io_ns = age;
	}
	if (worker->open_loop && lane->depth) {
		const uint64_t until = least(at, worker->schedule_end_ns);
		uint64_t arrivals = arrivals_until(lane, until);

		if (arrivals < lane->scheduled) /* the scout had counted by the mean */
			arrivals = lane->scheduled;
		record->scheduled += arrivals - lane->scheduled;
		lane->scheduled = arrivals;
		measure_backlog(lane, until);
	}
}

/* The window of an open loop measures what arrives in it. What the warm-up left waiting is dropped
 * and what it left in flight is not counted, or a stall before the window would be taken for the
 * window's, and more would complete than was scheduled. The scout stands at the first arrival of
 * the window. */
static void leave_warmup(struct io_worker *worker, struct io_lane *lane)
{
	if (worker->open_loop) {
		for (uint32_t i = lane->first_slot; i < lane->first_slot + lane->depth; i++)
			worker->slots[i].stale = worker->slots[i].submit_ns != UINT64_MAX;
		lane->recorder.in_flight = 0;
	}
	if (lane->backlog)
		lane->schedule = lane->scout;
	lane->backlog = lane->last_wait_ns = lane->age_ns[0] = 0;
}

/* Waits for the owner to take a piece: only where that costs no real time of the run. */
static void wait_for_room(struct io_worker *worker)
{
	const struct timespec moment = {.tv_nsec = 50000};

	while (!io_pieces_room(&worker->pieces) &&
		!atomic_load_explicit(&worker->shared->stop, memory_order_relaxed))
		nanosleep(&moment, NULL);
}

/* Everything about the interval that is known at its end. */
static void measure(struct io_worker *worker, uint64_t at, bool last)
{
	struct io_piece *piece = io_pieces_current(&worker->pieces);
	const uint64_t cpu = thread_cpu_ns(worker), delay = thread_delay_ns(worker);

	piece->start_ns = worker->piece_start_ns - worker->start_ns;
	piece->end_ns = at - worker->start_ns;
	piece->warmup = worker->warmup;
	piece->last = last;
	piece->cpu_ns += cpu - worker->cpu_at_ns;
	piece->spun_ns += worker->spun_ns;
	piece->delay_ns += delay - worker->delay_at_ns;
	worker->cpu_at_ns = cpu;
	worker->delay_at_ns = delay;
	worker->spun_ns = 0;
	for (uint32_t i = 0; i < worker->lane_count; i++)
		measure_lane(worker, &worker->lanes[i], at);
}

/* Hands the piece over. Without room in the ring the interval goes on into the same piece, which
 * then is longer; a warm-up that nobody took is dropped for the window's sake. */
static void hand_over(struct io_worker *worker, uint64_t at, bool last)
{
	struct io_pieces *pieces = &worker->pieces;
	struct io_piece *piece = io_pieces_current(pieces);
	const bool window_begins = worker->warmup && at >= worker->window_start_ns && !last;
	const bool room = io_pieces_room(pieces);
	struct io_piece *next = room
		? &pieces->piece[(atomic_load_explicit(&pieces->head, memory_order_relaxed) + 1) &
			  (IO_PIECES - 1)]
		: piece;

	for (uint32_t i = 0; i < worker->lane_count; i++) {
		struct io_lane *lane = &worker->lanes[i];

		io_recorder_close(&lane->recorder, at, &next->lanes[i]);
		if (window_begins)
			leave_warmup(worker, lane);
	}
	worker->interval++;
	if (room || last) { /* after the last one nothing is written any more */
		io_pieces_publish(pieces);
		worker->piece_start_ns = at;
		if (room)
			next->index = worker->interval;
		io_worker_notify(worker);
	} else if (window_begins) {
		for (uint32_t i = 0; i < worker->lane_count; i++)
			io_record_clear(&piece->lanes[i]);
		piece->cpu_ns = piece->spun_ns = piece->delay_ns = 0;
		piece->index = worker->interval;
		worker->piece_start_ns = at;
	}
}

void io_boundary_close(struct io_worker *worker, uint64_t at, bool last)
{
	if (worker->clock.kind == CLOCK_FREE)
		wait_for_room(worker);
	measure(worker, at, last);
	hand_over(worker, at, last);
}

/* The window's end. In an open loop its last piece waits for what was submitted in it, so that
 * nothing slow is missing from the latencies, and for a short backlog: a stall just before the end
 * is no saturation. In a closed loop the queue was full at the window's beginning as it is now:
 * what is cut off here was counted there. */
static void end_window(struct io_worker *worker, uint64_t at)
{
	const uint64_t window = at - worker->window_start_ns;

	worker->tail = worker->open_loop;
	if (worker->tail) {
		measure(worker, at, true);
		for (uint32_t i = 0; i < worker->lane_count; i++) {
			struct io_lane *lane = &worker->lanes[i];

			lane->serve =
				lane->depth && lane->backlog && !io_lane_grew_older(lane, window);
		}
		worker->serve_until_ns = at + least(window / SERVE_PART, SERVE_MAX_NS);
	} else {
		io_boundary_close(worker, at, true);
	}
	worker->over = worker->draining = true;
}

void io_boundary_finish(struct io_worker *worker)
{
	for (uint32_t i = 0; i < worker->lane_count; i++)
		if (worker->lanes[i].serve)
			measure_backlog(&worker->lanes[i], worker->window_end_ns);
	worker->tail = false;
	if (worker->clock.kind == CLOCK_FREE)
		wait_for_room(worker);
	/* Of I/O that was given up nobody knows how long it takes. */
	hand_over(worker, worker->abandoned ? worker->window_end_ns : worker->now_ns, true);
}

/* Everything that is due at fixed times, up to now. */
void io_boundary_cross(struct io_worker *worker, uint64_t now)
{
	while (now >= worker->event_ns && !worker->over) {
		const uint64_t at = worker->event_ns;

		if (at == worker->sample_ns) {
			for (uint32_t i = 0; i < worker->lane_count; i++)
				worker->lanes[i].age_ns[worker->sample] =
					oldest_wait(&worker->lanes[i], at);
			worker->sample_ns = sample_at(worker, ++worker->sample);
		}
		if (at == worker->boundary_ns) {
			if (at == worker->window_end_ns) {
				end_window(worker, at);
				worker->drain_since_ns = now;
				return;
			}
			io_boundary_close(worker, at, false);
			if (at == worker->window_start_ns)
				worker->warmup = false;
			worker->boundary_ns = interval_end(worker, at);
		}
		next_event(worker);
	}
}

void io_boundary_shift(struct io_worker *worker, uint64_t by)
{
	worker->start_ns += by;
	worker->piece_start_ns += by;
	worker->boundary_ns += by;
	worker->window_start_ns += by;
	if (worker->window_end_ns != UINT64_MAX)
		worker->window_end_ns += by;
	if (worker->sample_ns != UINT64_MAX)
		worker->sample_ns += by;
	next_event(worker);
	for (uint32_t i = 0; i < worker->lane_count; i++) {
		struct io_lane *lane = &worker->lanes[i];

		if (lane->depth && worker->open_loop) {
			lane->schedule.due_ns += by;
			lane->scout.due_ns += by;
		}
		/* Mostly nothing is in flight; what is when the pause was short counts on. */
		io_recorder_advance(&lane->recorder, worker->now_ns);
		lane->recorder.start_ns += by;
	}
}
