/* Intervals that belong together made one, to keep long runs small in the file. Pure. */
#ifndef RESULT_MERGE_H
#define RESULT_MERGE_H

#include "stats/series.h"

/* Adds `next`, which follows `into`, to it. Counts, mean, standard deviation, min and max stay
 * exact; of percentiles the higher is kept, an upper bound of the true one. */
void run_merge_interval(struct interval *into, const struct interval *next);
void run_merge_latency(struct latency *into, const struct latency *next);

#endif
