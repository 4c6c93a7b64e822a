/* Records of the workers: hand-over ring, merging, the time integral of what is in flight. */
#include "io/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void record_init(struct io_record *record)
{
	/* The memory is fresh zero: only the marks of emptiness are set, so that pages of
	 * histograms that are never used are never touched. */
	struct hist *hists[] = {&record->read_service, &record->write_service, &record->response,
		&record->lateness};

	for (size_t i = 0; i < sizeof(hists) / sizeof(hists[0]); i++) {
		hists[i]->min = UINT64_MAX;
		hists[i]->low = UINT32_MAX;
	}
}

void io_record_clear(struct io_record *record)
{
	memset(record, 0, offsetof(struct io_record, read_service));
	hist_clear(&record->read_service);
	hist_clear(&record->write_service);
	hist_clear(&record->response);
	hist_clear(&record->lateness);
}

int io_pieces_create(struct io_pieces *pieces, uint32_t lane_count, struct err *err)
{
	memset(pieces, 0, sizeof(*pieces));
	atomic_init(&pieces->head, 0);
	atomic_init(&pieces->tail, 0);
	pieces->lane_count = lane_count;
	for (uint32_t i = 0; i < IO_PIECES; i++) {
		struct io_piece *piece = &pieces->piece[i];

		piece->lanes = calloc(lane_count, sizeof(*piece->lanes));
		if (!piece->lanes) {
			io_pieces_destroy(pieces);
			return err_set(err, -ENOMEM, "no memory to record %u targets", lane_count);
		}
		for (uint32_t lane = 0; lane < lane_count; lane++)
			record_init(&piece->lanes[lane]);
	}
	return 0;
}

void io_pieces_destroy(struct io_pieces *pieces)
{
	for (uint32_t i = 0; i < IO_PIECES; i++) {
		free(pieces->piece[i].lanes);
		pieces->piece[i].lanes = NULL;
	}
}

bool io_pieces_room(struct io_pieces *pieces)
{
	const unsigned head = atomic_load_explicit(&pieces->head, memory_order_relaxed);

	return head - atomic_load_explicit(&pieces->tail, memory_order_acquire) < IO_PIECES - 1;
}

void io_pieces_publish(struct io_pieces *pieces)
{
	const unsigned head = atomic_load_explicit(&pieces->head, memory_order_relaxed);

	atomic_store_explicit(&pieces->head, head + 1, memory_order_release);
}

struct io_piece *io_pieces_take(struct io_pieces *pieces)
{
	const unsigned tail = atomic_load_explicit(&pieces->tail, memory_order_relaxed);

	if (tail == atomic_load_explicit(&pieces->head, memory_order_acquire))
		return NULL;
	return &pieces->piece[tail & (IO_PIECES - 1)];
}

void io_pieces_release(struct io_pieces *pieces)
{
	const unsigned tail = atomic_load_explicit(&pieces->tail, memory_order_relaxed);
	struct io_piece *piece = &pieces->piece[tail & (IO_PIECES - 1)];

	for (uint32_t lane = 0; lane < pieces->lane_count; lane++)
		io_record_clear(&piece->lanes[lane]);
	piece->cpu_ns = piece->spun_ns = piece->delay_ns = 0;
	piece->last = piece->warmup = false;
	atomic_store_explicit(&pieces->tail, tail + 1, memory_order_release);
}

void io_tally_reset(struct io_tally *tally)
{
	memset(tally, 0, offsetof(struct io_tally, service));
	hist_reset(&tally->service);
	hist_reset(&tally->response);
	hist_reset(&tally->lateness);
	hist_reset(&tally->read_service);
	hist_reset(&tally->write_service);
}

void io_tally_add(struct io_tally *into, const struct io_record *record, bool closed)
{
	into->scheduled += record->scheduled;
	into->reads += record->reads;
	into->writes += record->writes;
	into->read_bytes += record->read_bytes;
	into->write_bytes += record->write_bytes;
	into->errors += record->errors;
	into->short_reads += record->short_reads;
	into->short_writes += record->short_writes;
	into->retries += record->retries;
	into->outstanding_ns += (double)record->outstanding_ns;
	into->backlog += record->backlog;
	if (record->oldest_wait_ns > into->oldest_wait_ns)
		into->oldest_wait_ns = record->oldest_wait_ns;
	if (record->oldest_io_ns > into->oldest_io_ns)
		into->oldest_io_ns = record->oldest_io_ns;
	if (!into->first_error)
		into->first_error = record->first_error;
	into->device_lost |= record->device_lost;
	if (!into->write_refused)
		into->write_refused = record->write_refused;
	hist_merge(&into->service, &record->read_service);
	hist_merge(&into->service, &record->write_service);
	hist_merge(&into->read_service, &record->read_service);
	hist_merge(&into->write_service, &record->write_service);
	hist_merge(&into->lateness, &record->lateness);
	if (closed) {
		hist_merge(&into->response, &record->read_service);
		hist_merge(&into->response, &record->write_service);
	} else {
		hist_merge(&into->response, &record->response);
	}
}

void io_tally_merge(struct io_tally *into, const struct io_tally *from)
{
	into->scheduled += from->scheduled;
	into->reads += from->reads;
	into->writes += from->writes;
	into->read_bytes += from->read_bytes;
	into->write_bytes += from->write_bytes;
	into->errors += from->errors;
	into->short_reads += from->short_reads;
	into->short_writes += from->short_writes;
	into->retries += from->retries;
	into->outstanding_ns += from->outstanding_ns;
	into->cpu_ns += from->cpu_ns;
	if (!into->first_error)
		into->first_error = from->first_error;
	into->device_lost |= from->device_lost;
	if (!into->write_refused)
		into->write_refused = from->write_refused;
	hist_merge(&into->service, &from->service);
	hist_merge(&into->response, &from->response);
	hist_merge(&into->lateness, &from->lateness);
	hist_merge(&into->read_service, &from->read_service);
	hist_merge(&into->write_service, &from->write_service);
	/* Ends are those of the later span. */
	into->backlog = from->backlog;
	into->oldest_wait_ns = from->oldest_wait_ns;
	into->oldest_io_ns = from->oldest_io_ns;
}

void io_recorder_start(
	struct io_recorder *recorder, struct io_record *record, uint64_t at, bool open_loop)
{
	*recorder = (struct io_recorder){
		.record = record, .last_ns = at, .start_ns = at, .open_loop = open_loop};
}

void io_recorder_flush(struct io_recorder *recorder)
{
	if (recorder->run_count)
		hist_add_times(recorder->run_hist, recorder->run_ns, recorder->run_count);
	recorder->run_count = 0;
	recorder->run_hist = NULL;
}

void io_recorder_close(struct io_recorder *recorder, uint64_t at, struct io_record *next)
{
	io_recorder_flush(recorder);
	io_recorder_advance(recorder, at);
	recorder->start_ns = at;
	recorder->record = next;
}
