/* What a worker counts: per lane and interval, handed to the pool's owner through a ring.
 *
 * The worker writes straight into the piece at the head of its ring and publishes it at the
 * interval's end; nothing is copied, locked or allocated. The owner merges a piece, clears it and
 * moves the tail. Times are nanoseconds of the run's clock.
 */
#ifndef IO_RECORD_H
#define IO_RECORD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "io/pool.h"
#include "stats/hist.h"

#define IO_CACHE_LINE 64
#define IO_PIECES 8 /* a power of two */

/* One lane, one interval, one worker. In a closed loop response is left empty: it is service. */
struct io_record {
	uint64_t scheduled;
	uint64_t reads, writes, read_bytes, write_bytes;
	uint64_t errors, short_reads, short_writes, retries;
	int64_t outstanding_ns; /* exact: in-flight count times nanoseconds */
	uint64_t backlog, oldest_wait_ns, oldest_io_ns; /* at the end */
	int first_error, write_refused;
	bool device_lost;
	struct hist read_service, write_service, response, lateness;
};

/* A piece of the phase's time, mostly one interval; longer when the owner was away. */
struct io_piece {
	uint64_t start_ns, end_ns; /* since the phase's start, pauses left out */
	uint32_t index;            /* of the first interval in it */
	bool warmup, last;
	uint64_t cpu_ns, spun_ns; /* used; of it spent polling without finding anything */
	uint64_t delay_ns;        /* wanted to run and got no CPU */
	struct io_record *lanes;
};

struct io_pieces {
	_Alignas(IO_CACHE_LINE) atomic_uint head; /* written by the worker */
	_Alignas(IO_CACHE_LINE) atomic_uint tail; /* written by the owner */
	_Alignas(IO_CACHE_LINE) uint32_t lane_count;
	struct io_piece piece[IO_PIECES];
};

int io_pieces_create(struct io_pieces *pieces, uint32_t lane_count, struct err *err);
void io_pieces_destroy(struct io_pieces *pieces);
void io_record_clear(struct io_record *record);

/* Worker: the piece being written. */
static inline struct io_piece *io_pieces_current(struct io_pieces *pieces)
{
	return &pieces->piece[atomic_load_explicit(&pieces->head, memory_order_relaxed) &
		(IO_PIECES - 1)];
}
/* Worker: is there a free piece behind the current one? */
bool io_pieces_room(struct io_pieces *pieces);
/* Worker: hands the current piece over; only when there is room. */
void io_pieces_publish(struct io_pieces *pieces);
/* Owner: the oldest piece handed over, or NULL; and its return, cleared. */
struct io_piece *io_pieces_take(struct io_pieces *pieces);
void io_pieces_release(struct io_pieces *pieces);

/* Adds a record to a tally; ends (backlog, ages) are added as they stand. closed: response is
 * service. */
void io_tally_reset(struct io_tally *tally);
void io_tally_add(struct io_tally *into, const struct io_record *record, bool closed);
void io_tally_merge(struct io_tally *into, const struct io_tally *from);

/* The live side of one lane: in-flight count, its time integral, and the latencies. */
struct io_recorder {
	struct io_record *record; /* being written */
	uint64_t last_ns;         /* the integral is complete up to here */
	uint64_t start_ns;        /* of the interval */
	uint32_t in_flight;
	bool open_loop;
	/* Completions of one batch often have equal latencies: they enter a histogram at once. */
	struct hist *run_hist;
	uint64_t run_ns, run_count;
};

void io_recorder_start(
	struct io_recorder *recorder, struct io_record *record, uint64_t at, bool open_loop);
/* Ends the interval at `at` and goes on into the next record. */
void io_recorder_close(struct io_recorder *recorder, uint64_t at, struct io_record *next);
void io_recorder_flush(struct io_recorder *recorder);

static inline void io_recorder_advance(struct io_recorder *recorder, uint64_t at)
{
	if (at <= recorder->last_ns)
		return;
	recorder->record->outstanding_ns +=
		(int64_t)(at - recorder->last_ns) * (int64_t)recorder->in_flight;
	recorder->last_ns = at;
}

/* count I/Os were handed over at `at`. */
static inline void io_recorder_submit(struct io_recorder *recorder, uint32_t count, uint64_t at)
{
	io_recorder_advance(recorder, at);
	recorder->in_flight += count;
	if (!recorder->open_loop)
		recorder->record->scheduled += count;
}

/* One I/O left the drive at `at`, well or badly. Stamps may come out of order (threads). */
static inline void io_recorder_leave(struct io_recorder *recorder, uint64_t at)
{
	if (at >= recorder->last_ns)
		io_recorder_advance(recorder, at);
	else /* it was counted as in flight for too long */
		recorder->record->outstanding_ns -= (int64_t)(recorder->last_ns -
			(at > recorder->start_ns ? at : recorder->start_ns));
	recorder->in_flight--;
}

static inline uint64_t io_record_span(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

/* A good completion. */
static inline void io_recorder_done(struct io_recorder *recorder, bool write, uint32_t bytes,
	uint64_t due, uint64_t submitted, uint64_t done)
{
	struct io_record *record = recorder->record;
	struct hist *hist = write ? &record->write_service : &record->read_service;
	const uint64_t service = io_record_span(submitted, done);

	io_recorder_leave(recorder, done);
	if (write) {
		record->writes++;
		record->write_bytes += bytes;
	} else {
		record->reads++;
		record->read_bytes += bytes;
	}
	if (hist == recorder->run_hist && service == recorder->run_ns) {
		recorder->run_count++;
	} else {
		io_recorder_flush(recorder);
		recorder->run_hist = hist;
		recorder->run_ns = service;
		recorder->run_count = 1;
	}
	if (recorder->open_loop)
		hist_add(&record->response, io_record_span(due, done));
}

#endif
