/* Real, scaled and free-running clocks. */
#include "base/clock.h"

#include <errno.h>
#include <math.h>
#include <time.h>

#define NS_PER_S 1000000000u

static uint64_t clock_read(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

void clock_init_real(struct clock *clock)
{
	*clock = (struct clock){.kind = CLOCK_REAL, .factor = 1};
}

void clock_init_scaled(struct clock *clock, double factor)
{
	if (!isfinite(factor) || factor <= 0)
		factor = 1;
	*clock = (struct clock){.kind = CLOCK_SCALED, .factor = factor};
	clock->origin_ns = clock_monotonic_ns();
}

void clock_init_free(struct clock *clock)
{
	*clock = (struct clock){.kind = CLOCK_FREE, .factor = 1};
}

uint64_t clock_monotonic_ns(void)
{
	return clock_read(CLOCK_MONOTONIC);
}

uint64_t clock_boottime_ns(void)
{
	return clock_read(CLOCK_BOOTTIME);
}

int64_t clock_wall_seconds(void)
{
	return (int64_t)time(NULL);
}

uint64_t clock_now(const struct clock *clock)
{
	switch (clock->kind) {
	case CLOCK_FREE:
		return clock->free_ns;
	case CLOCK_SCALED:
		return (uint64_t)((double)(clock_monotonic_ns() - clock->origin_ns) *
			clock->factor);
	case CLOCK_REAL:
		break;
	}
	return clock_monotonic_ns();
}

/* The monotonic time at which a scaled clock shows `when`, rounded up; far away times end at the
 * last one that a timespec can hold. */
static uint64_t clock_to_monotonic(const struct clock *clock, uint64_t when)
{
	double real;

	if (clock->kind == CLOCK_REAL)
		return when;
	real = ceil((double)when / clock->factor);
	if (real >= 0x1p62)
		return (uint64_t)1 << 62;
	return clock->origin_ns + (uint64_t)real;
}

void clock_sleep_until(struct clock *clock, uint64_t when)
{
	if (clock->kind == CLOCK_FREE) {
		if (clock->free_ns < when)
			clock->free_ns = when;
		return;
	}
	/* the loop covers signals and the rounding of a scaled clock */
	while (clock_now(clock) < when) {
		uint64_t target = clock_to_monotonic(clock, when);
		struct timespec at = {
			.tv_sec = (time_t)(target / NS_PER_S),
			.tv_nsec = (long)(target % NS_PER_S),
		};

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
	}
}
