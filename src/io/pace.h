/* Arrival schedules of the open loop: absolute times made in advance (DESIGN 4, Load).
 *
 * A schedule is a generator of due times; the backlog is the part of it that has passed and was
 * not submitted, so it needs no memory. Times accumulate exactly: whole nanoseconds plus a
 * fraction, so that nothing drifts. Several workers that share a lane run the same generator and
 * each takes every stride-th arrival: together they give the one schedule that was asked for.
 */
#ifndef IO_PACE_H
#define IO_PACE_H

#include <stdint.h>

#include "base/rng.h"
#include "io/load.h"

struct io_schedule {
	uint64_t due_ns; /* of the next arrival */
	uint64_t passed; /* arrivals taken so far */
	enum io_arrivals kind;
	uint32_t stride;
	uint64_t fraction;               /* constant: of due_ns, in 2^-64 ns */
	uint64_t step_ns, step_fraction; /* constant: stride periods */
	double carry;                    /* others: of due_ns, 0..1 */
	double mean_ns;
	struct rng rng;
};

/* rate > 0, arrivals per second of the whole lane; this generator takes arrivals share, share +
 * stride, ... Constant arrivals begin at start_ns, the others one gap after it. */
void io_schedule_start(struct io_schedule *schedule, enum io_arrivals kind, double rate,
	uint64_t seed, uint64_t start_ns, uint32_t share, uint32_t stride);
/* Draws the gaps to the next arrival (exponential and uniform). */
void io_schedule_draw(struct io_schedule *schedule);

/* Takes the arrival at due_ns and moves on to the next. */
static inline void io_schedule_next(struct io_schedule *schedule)
{
	schedule->passed++;
	if (schedule->kind != IO_ARRIVALS_CONSTANT) {
		io_schedule_draw(schedule);
		return;
	}
	const uint64_t before = schedule->fraction;

	schedule->fraction += schedule->step_fraction;
	schedule->due_ns += schedule->step_ns + (schedule->fraction < before);
}

/* Moves on until the next arrival is due at `until` or later, over at most `most` arrivals; constant
 * ones cost nothing and are not limited. */
void io_schedule_skip(struct io_schedule *schedule, uint64_t until, uint64_t most);
/* The same, and to the end in any case: what `most` leaves over is counted by the mean rate, so that
 * a rate far beyond reach costs no time. */
void io_schedule_catch_up(struct io_schedule *schedule, uint64_t until, uint64_t most);

#endif
