/* Arrival schedules: exponential, uniform and constant gaps on an absolute time line. */
#include "io/pace.h"

#define NS_PER_S 1e9L

/* Adds one gap; the whole nanoseconds go to due_ns, the rest waits in carry. */
static void add_gap(struct io_schedule *schedule)
{
	double gap;

	if (schedule->kind == IO_ARRIVALS_EXPONENTIAL)
		gap = rng_exponential(&schedule->rng, schedule->mean_ns);
	else
		gap = rng_uniform(&schedule->rng) * 2 * schedule->mean_ns;
	gap += schedule->carry;
	const uint64_t whole = (uint64_t)gap;

	schedule->due_ns += whole;
	schedule->carry = gap - (double)whole;
}

void io_schedule_draw(struct io_schedule *schedule)
{
	for (uint32_t i = 0; i < schedule->stride; i++)
		add_gap(schedule);
}

void io_schedule_start(struct io_schedule *schedule, enum io_arrivals kind, double rate,
	uint64_t seed, uint64_t start_ns, uint32_t share, uint32_t stride)
{
	const long double period = NS_PER_S / (long double)rate;
	const uint64_t whole = (uint64_t)period;
	const unsigned __int128 fixed = ((unsigned __int128)whole << 64) +
		(unsigned __int128)((period - (long double)whole) * 0x1p64L);
	const unsigned __int128 step = fixed * stride, first = fixed * share;

	*schedule = (struct io_schedule){
		.due_ns = start_ns,
		.kind = kind,
		.stride = stride,
		.step_ns = (uint64_t)(step >> 64),
		.step_fraction = (uint64_t)step,
		.mean_ns = (double)period,
	};
	rng_seed(&schedule->rng, seed, 0);
	if (kind == IO_ARRIVALS_CONSTANT) {
		schedule->due_ns += (uint64_t)(first >> 64);
		schedule->fraction = (uint64_t)first;
		return;
	}
	for (uint32_t i = 0; i <= share; i++)
		add_gap(schedule);
}

/* Jumps over `count` arrivals at once: exact for constant ones, by the mean for others. */
static void leap(struct io_schedule *schedule, uint64_t count)
{
	const unsigned __int128 step =
		((unsigned __int128)schedule->step_ns << 64) | schedule->step_fraction;
	/* Whole and fraction apart, so that no product exceeds 128 bits. */
	const unsigned __int128 fraction = (unsigned __int128)(uint64_t)step * count;
	const uint64_t before = schedule->fraction;

	schedule->passed += count;
	schedule->fraction += (uint64_t)fraction;
	schedule->due_ns += schedule->step_ns * count + (uint64_t)(fraction >> 64) +
		(schedule->fraction < before);
}

void io_schedule_skip(struct io_schedule *schedule, uint64_t until, uint64_t most)
{
	/* At most so many as certainly lie before `until`; the last few are taken one by one. */
	const double step = (double)schedule->step_ns + (double)schedule->step_fraction * 0x1p-64;

	if (schedule->kind == IO_ARRIVALS_CONSTANT && schedule->due_ns < until) {
		const double fit = (double)(until - schedule->due_ns) / step * (1 - 1e-12) - 2;

		if (fit >= 1)
			leap(schedule, (uint64_t)fit);
		most = UINT64_MAX;
	}
	while (schedule->due_ns < until && most--)
		io_schedule_next(schedule);
}

void io_schedule_catch_up(struct io_schedule *schedule, uint64_t until, uint64_t most)
{
	const double step = schedule->mean_ns * schedule->stride;

	io_schedule_skip(schedule, until, most);
	if (schedule->due_ns >= until)
		return;
	leap(schedule, (uint64_t)((double)(until - schedule->due_ns) / step));
	/* The mean step was rounded down by less than 1 ns in 2^64 each. */
	io_schedule_skip(schedule, until, most);
}
