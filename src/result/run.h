/* What a run is: identity, parameters, points, intervals, doubts (DESIGN 4 Results, 8 JSON).
 *
 * A struct run belongs to one thread (the runner while it runs; then whoever loaded it). Latencies
 * in nanoseconds in memory, microseconds in JSON; NaN is null.
 */
#ifndef RESULT_RUN_H
#define RESULT_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "nvme/health.h"
#include "nvme/smart.h"
#include "result/marks.h"
#include "stats/curve.h"
#include "stats/hist.h"
#include "stats/series.h"

enum run_outcome {
	RUN_RUNNING, /* only in journals and views */
	RUN_COMPLETE,
	RUN_STOPPED, /* by the user; points so far are good */
	RUN_ABORTED, /* device lost, error, program killed; reason says why */
};

#define RUN_TARGETS_MAX 64
#define RUN_SPOILED_MAX 24
#define RUN_VALUE_MAX 1024 /* a list of 64 numbers in any spelling */

struct run_target {
	char name[64]; /* "nvme0n1", or the file's base name */
	char path[512];
	char kind[24];                            /* "namespace", "block device", "file" */
	char model[48], serial[24], firmware[12]; /* "" not known */
	uint32_t nsid;                            /* 0 none */
	char unique_id[48];                       /* NGUID, else EUI-64, else UUID, "" none */
	uint64_t size_bytes, area_offset, area_length;
	uint32_t lba_bytes, metadata_bytes;
	double link_gts, link_max_gts, link_slot_gts; /* now, the drive's, the port's above it */
	int link_width, link_max_width, link_slot_width;
	int numa_node;
	char transport[16]; /* "pcie", "tcp", "sata", "usb", "virtio"...; "" not known */
	bool rotational;    /* as the kernel has it */
	char scheduler[32];
	char file_system[24]; /* of a file target: "ext4" */
	bool direct;          /* O_DIRECT */
	bool beside_medium;   /* reads may be answered without the medium: memory, never-written
				 blocks; spoiled_by says which */
	bool simulated;
	bool smart_before_known, smart_after_known;
	struct smart smart_before, smart_after;
};

struct run_point {
	double percent;    /* of the maximum; 0 = not a share */
	char label[24];    /* "40 %", "32 outstanding", "fixed" */
	char load[24];     /* "": the workload's; else the method's own by its name */
	double asked_iops; /* 0: closed loop */
	uint32_t outstanding_limit;
	double started_s, window_s; /* since the run's start; measured window */
	uint64_t scheduled, count, reads, writes, read_bytes, write_bytes, errors, short_reads,
		short_writes, retries;
	/* outstanding_avg: time integral of what was in flight and is counted here. In an open loop
	 * that is what was submitted in the window, to its end. */
	double iops, mib_s, outstanding_avg;
	bool saturated;
	double saturated_age_ns; /* response is ">= age" when saturated */
	uint64_t backlog;
	char limited_by[24]; /* "", "drive", "host", "errors" */
	bool suspect;        /* Little's law is off by more than 2 % */
	double little_off_pct;
	bool unstable;
	double cpu_pct, temperature_c; /* NaN unknown */
	double cpu_wait_pct; /* of the window an I/O thread was ready and got no CPU; NaN unknown */
	struct latency lateness, service, response, read_service, write_service;
	struct hist_pair *histogram; /* service, sparse; owned; may be NULL */
	size_t histogram_count;
};

struct run {
	char id[48]; /* "2026-11-30T14-09-02-nvme0n1-rand-read-4k-3f2a" : also the file's name */
	char suite_id[48];
	char generator[32];  /* "nvsweep 0.1.0" */
	char workload[48];   /* name */
	char *workload_text; /* the file as it was; owned */
	char method[24];
	struct {
		char key[32], value[RUN_VALUE_MAX];
	} * parameters; /* all options in effect, in table order; owned */
	size_t parameter_count;
	struct run_target targets[RUN_TARGETS_MAX];
	size_t target_count;
	struct {
		char backend[16], fallback_from[16], fallback_reason[256], notes[512];
		uint32_t workers;
		char pace[12];
	} engine;
	struct {
		char hostname[65], kernel[128], machine[16], cpu_model[96];
		uint32_t cpus;
		uint64_t memory_bytes;
	} host;
	uint64_t seed;
	/* What was filled before the method began. */
	struct {
		char fill[12]; /* "area", "device"; "" nothing */
		uint32_t passes, passes_done, block_bytes;
		uint64_t bytes; /* written by it, all targets */
		double seconds;
		double never_written_share; /* of the targets, by the passes done; NaN unknown */
	} prepare;
	/* By this run altogether: preparation, searches, warm-ups, what no point counts. Older files do
	 * not tell. */
	bool bytes_known;
	uint64_t read_bytes, write_bytes;
	int64_t started, ended; /* unix seconds; ended 0 while running */
	enum run_outcome outcome;
	char reason[256]; /* of stopped or aborted */
	bool simulated;
	bool has_health;      /* the first target's controller has health pages */
	struct health health; /* as it was judged before the start */
	double p99_limit_ns;  /* 0 none */
	bool has_maximum;
	struct run_point maximum;
	struct run_point *searches; /* the runs of the maximum search, all recorded; owned */
	size_t search_count;
	struct run_point *points; /* owned */
	size_t point_count;
	bool has_analysis;
	struct curve_analysis analysis;        /* indexes into points */
	struct series *series;                 /* all intervals; one reference */
	char spoiled_by[RUN_SPOILED_MAX][160]; /* what spoils it, one sentence each */
	size_t spoiled_count;
	struct run_marks marks; /* what the user wrote onto it */
};

struct run *run_create(void);
void run_free(struct run *run);    /* NULL is fine */
void run_make_id(struct run *run); /* from started, first target, workload and the seed */
/* Adds a sentence once. */
void run_spoil(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends a copy that takes over point->histogram. */
void run_add_point(struct run *run, const struct run_point *point);
void run_add_search(struct run *run, const struct run_point *point);
/* Fills analysis, suspect and unstable marks from points and series. The curve is that of the load
 * which the first point has. */
void run_analyse(struct run *run);
const char *run_outcome_name(enum run_outcome outcome);
/* Of the arrivals scheduled more than 2 % were not served, beyond what may be in flight. Against the
 * schedule, not the rate asked for: random arrivals scatter about that by themselves. */
bool run_point_fell_short(const struct run_point *point);
void run_point_clear(struct run_point *point); /* NaN where unknown, no histogram */

#endif
