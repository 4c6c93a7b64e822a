/* The background load: a sum of slow waves with seeded periods and phases. */
#include "sim/background.h"

#include <math.h>

#include "base/rng.h"

#define WAVES 4

struct wave {
	double depth, turn, phase; /* turn: radians per second */
};

static void make_waves(uint64_t seed, struct wave *waves)
{
	/* Seconds of minutes down to the blink of a screen; depths add up to 0.9. */
	static const double period_s[WAVES] = {131, 37, 11, 3.1}, depth[WAVES] = {.3, .25, .2, .15};
	struct rng rng;

	rng_seed(&rng, seed, 0x62676c64);
	for (int i = 0; i < WAVES; i++) {
		const double period = period_s[i] * (0.8 + 0.4 * rng_uniform(&rng));

		waves[i].depth = depth[i];
		waves[i].turn = 2 * M_PI / period;
		waves[i].phase = 2 * M_PI * rng_uniform(&rng);
	}
}

double sim_background_work(uint64_t seed, uint64_t at_ns)
{
	const double t = (double)at_ns * 1e-9;
	struct wave waves[WAVES];
	double work = t;

	make_waves(seed, waves);
	for (int i = 0; i < WAVES; i++)
		work += waves[i].depth / waves[i].turn *
			(cos(waves[i].phase) - cos(waves[i].turn * t + waves[i].phase));
	return work > 0 ? work : 0;
}

double sim_background_rate(uint64_t seed, uint64_t at_ns)
{
	const double t = (double)at_ns * 1e-9;
	struct wave waves[WAVES];
	double rate = 1;

	make_waves(seed, waves);
	for (int i = 0; i < WAVES; i++)
		rate += waves[i].depth * sin(waves[i].turn * t + waves[i].phase);
	return rate;
}
