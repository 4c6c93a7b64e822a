/* What hosts do with a simulated drive while no test runs: rates that wander, as a function of
 * seed and time whose integral is known, so that counters need no state. Pure; any thread. */
#ifndef SIM_BACKGROUND_H
#define SIM_BACKGROUND_H

#include <stdint.h>

/* Integral of the activity over [0, at_ns], in seconds; its mean rate is 1 and it never falls. */
double sim_background_work(uint64_t seed, uint64_t at_ns);
/* Rate at that time: 0.1 to 1.9 of the mean. */
double sim_background_rate(uint64_t seed, uint64_t at_ns);

#endif
