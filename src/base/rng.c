/* Seeding and the draws that need mathematics; the hot draws are inline in the header. */
#include "base/rng.h"

#include <math.h>
#include <sys/random.h>

#include "base/clock.h"

/* splitmix64: spreads a small seed over 64 bits. */
static uint64_t rng_mix(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

void rng_seed(struct rng *rng, uint64_t seed, uint64_t stream)
{
	uint64_t state = seed;

	/* The stream is mixed before it meets the seed: neighbours of either never give
	 * overlapping splitmix sequences. Stream 0 is plain splitmix64 of the seed. */
	if (stream != 0) {
		uint64_t other = stream;

		state = rng_mix(&state) ^ rng_mix(&other);
	}
	for (int i = 0; i < 4; i++)
		rng->state[i] = rng_mix(&state);
	if (!(rng->state[0] | rng->state[1] | rng->state[2] | rng->state[3]))
		rng->state[0] = 1;
}

uint64_t rng_fresh_seed(void)
{
	uint64_t seed;

	/* early in boot the kernel may have no entropy yet: never wait for it */
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != (ssize_t)sizeof(seed))
		seed = clock_monotonic_ns() ^ (uint64_t)clock_wall_seconds() << 32;
	return seed;
}

double rng_exponential(struct rng *rng, double mean)
{
	return -mean * log1p(-rng_uniform(rng));
}
