/* Append-only interval series, readable by other threads while one thread appends (DESIGN 3).
 * The writer publishes a count with release order; readers load it with acquire and read only
 * below it. Chunks never move. Freed when the last reference is dropped. */
#ifndef STATS_SERIES_H
#define STATS_SERIES_H

#include <stddef.h>
#include <stdint.h>

#include "stats/hist.h"

/* One closed interval of a run. Latencies in ns, NaN where null. */
struct interval {
	double start_s; /* since the start of the run's first interval */
	double length_s;
	int32_t point;  /* index of the point it belongs to; -1: maximum search or preparation */
	uint8_t warmup; /* 1: not part of the measured window */
	uint64_t scheduled; /* arrivals due (open loop), else equal to issued */
	uint64_t reads, writes, read_bytes, write_bytes, errors;
	double iops, mib_s;
	double outstanding;    /* time average */
	uint64_t backlog;      /* at the end of the interval */
	double oldest_wait_ns; /* age of the oldest waiting arrival at the end */
	double oldest_io_ns;   /* age of the oldest I/O in flight at the end */
	struct latency service, response;
	float cpu_pct;       /* of one CPU, all workers; NaN unknown */
	float temperature_c; /* NaN unknown */
};

struct series;

struct series *series_create(void); /* one reference */
struct series *series_ref(struct series *series);
void series_unref(struct series *series);                                   /* any thread */
void series_append(struct series *series, const struct interval *interval); /* one writer */
size_t series_count(const struct series *series);
/* index < series_count(); the pointer stays valid while a reference is held. */
const struct interval *series_at(const struct series *series, size_t index);

#endif
