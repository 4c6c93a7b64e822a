/* Block statistics to rates: /sys/class/block/X/stat read twice. One owner thread per struct. */
#ifndef BLOCK_IOSTAT_H
#define BLOCK_IOSTAT_H

#include <stdbool.h>
#include <stdint.h>

/* Counters as the kernel gives them (Documentation/block/stat): times in ms. */
struct iostat_counters {
	uint64_t reads, read_sectors, read_ms;
	uint64_t writes, write_sectors, write_ms;
	uint64_t in_flight, busy_ms, weighted_ms;
	uint64_t taken_ns; /* monotonic */
};

/* Rates over the time between two readings; all 0 and known=false until there are two. */
struct iostat_rates {
	bool known;
	double seconds;
	double read_iops, write_iops;
	double read_bytes_s, write_bytes_s;
	double read_latency_ms, write_latency_ms; /* mean in the span; NaN without I/O */
	double busy_pct;
	uint64_t in_flight;
};

/* Reads <sys_path>/stat below the root. 0 or -errno. */
int iostat_read(const char *sysfs_root, const char *name, struct iostat_counters *out);
/* A counter that went down (device replaced) makes the rates unknown, never negative. */
void iostat_between(const struct iostat_counters *before, const struct iostat_counters *after,
	struct iostat_rates *out);

#endif
