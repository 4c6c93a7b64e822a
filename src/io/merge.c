/* Merging of pieces; judging of a window. */
#include "io/merge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* A worker that runs, or wants to and gets no CPU, for more than this share of its time is the
 * limit, not the drive. */
#define BUSY_SHARE 0.95
/* Arrivals unserved at the window's end. */
#define SATURATED_BACKLOG_SHARE 0.01
#define SATURATED_BACKLOG_LEAST 16

void io_merge_init(struct io_merge *merge, struct io_worker **workers, uint32_t worker_count,
	uint32_t target_count)
{
	*merge = (struct io_merge){
		.workers = workers, .worker_count = worker_count, .target_count = target_count};
	merge->interval = mem_alloc(sizeof(*merge->interval));
	merge->progress = mem_alloc(worker_count * sizeof(*merge->progress));
}

void io_merge_free(struct io_merge *merge)
{
	io_phase_result_free(&merge->result);
	free(merge->interval);
	free(merge->progress);
}

static void begin_interval(struct io_merge *merge)
{
	io_tally_reset(&merge->interval->total);
	merge->interval->start_ns = UINT64_MAX; /* nothing merged yet */
}

void io_merge_reset(struct io_merge *merge)
{
	struct io_phase_result *result = &merge->result;

	io_phase_result_free(result);
	memset(result, 0, sizeof(*result));
	result->lane_count = merge->target_count;
	result->lanes = mem_alloc(merge->target_count * sizeof(*result->lanes));
	io_tally_reset(&result->total);
	for (uint32_t i = 0; i < merge->target_count; i++)
		io_tally_reset(&result->lanes[i]);
	memset(merge->progress, 0, merge->worker_count * sizeof(*merge->progress));
	merge->merged_ns = merge->reaching_ns = 0;
	/* Left over from a phase that nobody followed to its end. */
	for (uint32_t i = 0; i < merge->worker_count; i++)
		while (io_pieces_take(&merge->workers[i]->pieces))
			io_pieces_release(&merge->workers[i]->pieces);
	begin_interval(merge);
}

static uint64_t greater(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void merge_piece(struct io_merge *merge, uint32_t number, const struct io_piece *piece)
{
	const struct io_worker *worker = merge->workers[number];
	struct io_merge_worker *progress = &merge->progress[number];
	struct io_interval *into = merge->interval;
	const bool closed = !worker->open_loop;

	progress->reached_ns = piece->end_ns;
	progress->finished = piece->last;
	if (into->start_ns == UINT64_MAX) {
		into->start_ns = merge->merged_ns;
		into->index = piece->index;
		into->warmup = piece->warmup;
	}
	merge->reaching_ns = greater(merge->reaching_ns, piece->end_ns);
	into->total.cpu_ns += piece->cpu_ns;
	if (!piece->warmup) {
		progress->cpu_ns += piece->cpu_ns;
		progress->busy_ns += io_record_span(piece->spun_ns, piece->cpu_ns);
		progress->delay_ns += piece->delay_ns;
	}
	progress->backlog = progress->oldest_wait_ns = progress->oldest_io_ns = 0;
	for (uint32_t l = 0; l < worker->lane_count; l++) {
		const struct io_record *record = &piece->lanes[l];

		io_tally_add(&into->total, record, closed);
		if (!piece->warmup)
			io_tally_add(&merge->result.lanes[worker->lanes[l].target_index], record,
				closed);
		progress->backlog += record->backlog;
		progress->oldest_wait_ns =
			greater(progress->oldest_wait_ns, record->oldest_wait_ns);
		progress->oldest_io_ns = greater(progress->oldest_io_ns, record->oldest_io_ns);
	}
}

/* Has the worker come as far as any other, beyond what was given out? */
static bool has_reached(const struct io_merge *merge, const struct io_merge_worker *progress)
{
	return progress->finished ||
		(progress->reached_ns > merge->merged_ns &&
			progress->reached_ns >= merge->reaching_ns);
}

bool io_merge_collect(struct io_merge *merge)
{
	bool all = true;

	for (bool again = true; again;) {
		again = false;
		for (uint32_t i = 0; i < merge->worker_count; i++) {
			struct io_pieces *pieces = &merge->workers[i]->pieces;

			if (has_reached(merge, &merge->progress[i]))
				continue;
			const struct io_piece *piece = io_pieces_take(pieces);

			if (!piece)
				continue;
			merge_piece(merge, i, piece);
			io_pieces_release(pieces);
			again = true;
		}
	}
	for (uint32_t i = 0; i < merge->worker_count; i++)
		all &= has_reached(merge, &merge->progress[i]);
	return all;
}

/* Of the warm-up only what ends a run is kept. */
static void add_to_window(struct io_merge *merge)
{
	const struct io_interval *interval = merge->interval;
	struct io_tally *window = &merge->result.total;

	if (interval->start_ns == UINT64_MAX)
		return;
	if (!interval->warmup) {
		io_tally_merge(window, &interval->total);
		return;
	}
	window->device_lost |= interval->total.device_lost;
	if (!window->write_refused)
		window->write_refused = interval->total.write_refused;
	if (!window->first_error)
		window->first_error = interval->total.first_error;
}

int io_merge_give(struct io_merge *merge, struct io_interval *out)
{
	struct io_interval *interval = merge->interval;
	struct io_tally *total = &interval->total;

	if (merge->reaching_ns <= merge->merged_ns) {
		/* A phase that failed at once has counts and no length. */
		add_to_window(merge);
		begin_interval(merge);
		return 0;
	}
	interval->length_ns = merge->reaching_ns - merge->merged_ns;
	total->backlog = total->oldest_wait_ns = total->oldest_io_ns = 0;
	for (uint32_t i = 0; i < merge->worker_count; i++) {
		const struct io_merge_worker *progress = &merge->progress[i];

		total->backlog += progress->backlog;
		total->oldest_wait_ns = greater(total->oldest_wait_ns, progress->oldest_wait_ns);
		total->oldest_io_ns = greater(total->oldest_io_ns, progress->oldest_io_ns);
	}
	if (!interval->warmup)
		merge->result.window_ns += interval->length_ns;
	add_to_window(merge);
	merge->merged_ns = merge->reaching_ns;
	if (out)
		*out = *interval;
	begin_interval(merge);
	return 1;
}

/* The oldest waiting arrival grew older through the window, or the window ends with more arrivals
 * unserved than its figures may be off. */
static bool lane_saturated(const struct io_lane *lane, uint64_t window_ns, uint64_t scheduled)
{
	if (lane->backlog > SATURATED_BACKLOG_LEAST &&
		(double)lane->backlog > SATURATED_BACKLOG_SHARE * (double)scheduled)
		return true;
	return io_lane_grew_older(lane, window_ns);
}

static void judge_lane(struct io_phase_result *result, const struct io_lane *lane)
{
	struct io_tally *tally = &result->lanes[lane->target_index];
	const uint64_t age = lane->last_wait_ns;

	tally->backlog += lane->backlog;
	tally->oldest_wait_ns = greater(tally->oldest_wait_ns, age);
	if (!lane_saturated(lane, result->window_ns, tally->scheduled / lane->phase_shares))
		return;
	result->saturated = true;
	result->saturated_age_ns = greater(result->saturated_age_ns, age);
}

void io_merge_judge(struct io_merge *merge)
{
	struct io_phase_result *result = &merge->result;
	const double window = (double)result->window_ns;

	for (uint32_t i = 0; i < result->lane_count; i++)
		result->lanes[i].backlog = result->lanes[i].oldest_wait_ns = 0;
	for (uint32_t i = 0; i < merge->worker_count; i++) {
		const struct io_worker *worker = merge->workers[i];
		const struct io_merge_worker *progress = &merge->progress[i];
		bool waited = !worker->open_loop;

		for (uint32_t l = 0; l < worker->lane_count && worker->open_loop; l++) {
			const struct io_lane *lane = &worker->lanes[l];

			if (!lane->depth)
				continue;
			judge_lane(result, lane);
			waited |= lane->last_wait_ns != 0;
		}
		result->suspended_ns = greater(result->suspended_ns, worker->paused_ns);
		result->abandoned += worker->abandoned;
		result->uncounted_read_bytes += worker->uncounted_bytes[0];
		result->uncounted_write_bytes += worker->uncounted_bytes[1];
		result->total.device_lost |= worker->lost;
		if (!result->total.write_refused)
			result->total.write_refused = worker->write_refused;
		if (!(window > 0))
			continue;
		const double percent = 100 * (double)progress->cpu_ns / window;

		if (percent > result->worker_cpu_pct)
			result->worker_cpu_pct = percent;
		/* The kernel counts a wait where it ends, also what lies before the window. */
		const double delay = fmin(100, 100 * (double)progress->delay_ns / window);

		if (delay > result->worker_delay_pct)
			result->worker_delay_pct = delay;
		if (waited &&
			(double)(progress->busy_ns + progress->delay_ns) > BUSY_SHARE * window)
			result->host_limited = true;
	}
}
