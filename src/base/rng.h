/* Seeded pseudo-random numbers: fast, not for secrets. One generator belongs to one thread; the
 * same seed and stream repeat the same numbers on every machine. */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

struct rng {
	uint64_t state[4];
};

/* Independent streams of one seed (lanes, workers, purposes). */
void rng_seed(struct rng *rng, uint64_t seed, uint64_t stream);
/* A seed from the kernel, for runs that do not name one. */
uint64_t rng_fresh_seed(void);

static inline uint64_t rng_rotl(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

/* xoshiro256**: 64 uniform bits. */
static inline uint64_t rng_next(struct rng *rng)
{
	uint64_t *s = rng->state;
	const uint64_t result = rng_rotl(s[1] * 5, 7) * 9;
	const uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rng_rotl(s[3], 45);
	return result;
}

/* Uniform in [0, bound), bound > 0, by multiplication: no division per draw. The bias is below
 * bound / 2^64. */
static inline uint64_t rng_below(struct rng *rng, uint64_t bound)
{
	return (uint64_t)(((unsigned __int128)rng_next(rng) * bound) >> 64);
}

/* Uniform in [0, 1) with 53 bits. */
static inline double rng_uniform(struct rng *rng)
{
	return (double)(rng_next(rng) >> 11) * 0x1.0p-53;
}

/* Exponential with the given mean. */
double rng_exponential(struct rng *rng, double mean);

#endif
