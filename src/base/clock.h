/* The clock of a run: real, scaled, or free-running (DESIGN 4, Time).
 *
 * A free-running clock starts at 0 and moves only when somebody sleeps on it: clock_sleep_until
 * jumps there at once. It is owned by one thread. Real and scaled clocks may be read by any
 * thread. All times are nanoseconds.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

enum clock_kind { CLOCK_REAL, CLOCK_SCALED, CLOCK_FREE };

struct clock {
	enum clock_kind kind;
	double factor;      /* scaled: clock seconds per real second */
	uint64_t origin_ns; /* scaled: real time at clock 0 */
	uint64_t free_ns;   /* free-running: now */
};

void clock_init_real(struct clock *clock);
void clock_init_scaled(struct clock *clock, double factor);
void clock_init_free(struct clock *clock);

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t clock_monotonic_ns(void);
/* CLOCK_BOOTTIME in nanoseconds: differs from the former by the time suspended. */
uint64_t clock_boottime_ns(void);
/* Wall clock, seconds since 1970. */
int64_t clock_wall_seconds(void);

uint64_t clock_now(const struct clock *clock);
/* Returns at or after `when`; a free-running clock jumps to max(now, when). */
void clock_sleep_until(struct clock *clock, uint64_t when);

#endif
