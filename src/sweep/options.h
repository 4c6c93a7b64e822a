/* The parameters of a test: one typed table behind --set, `nvsweep run --help`, the sweep form and
 * the record of a run (DESIGN 7). */
#ifndef SWEEP_OPTIONS_H
#define SWEEP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum option_type {
	OPTION_U64,
	OPTION_DOUBLE,
	OPTION_SIZE,
	OPTION_CHOICE,
	OPTION_PERCENT_LIST,
	OPTION_DEPTH_LIST
};

struct options {
	uint64_t outstanding;     /* 0: the workload's */
	double rate_iops;         /* 0: closed loop (fixed) */
	char arrivals[16];        /* exponential */
	char pace[12];            /* auto */
	double area_pct;          /* 100 */
	uint64_t offset_bytes;    /* 0 */
	uint64_t bytes;           /* 0: by time (fixed) */
	double warmup_s, point_s; /* 5, 20 */
	double points[64];        /* percent: 10..120 */
	size_t point_count;
	double depths[64]; /* 1, 2, 4 .. 512 */
	size_t depth_count;
	double p99_limit_us;         /* 0: none */
	uint64_t block_bytes;        /* 0: the workload's; overrides all sizes */
	double read_pct, random_pct; /* negative: the workload's */
	double reducible_pct;        /* 0 */
	char prepare[12];            /* none, area, device: filled before the method begins */
	uint64_t prepare_passes;     /* 2 */
	uint64_t seed;               /* 0: fresh */
	char backend[16];            /* auto */
	char polled[12];             /* no */
	uint64_t workers;            /* 0: auto */
	double time_factor;          /* 1: seconds of simulated drives per second of a watcher */
	double maximum_s;            /* 0: point_s; window of each run of the maximum search */
};

struct option_row {
	const char *key;
	enum option_type type;
	size_t offset;
	const char *default_text;
	double min, max;
	const char *choices; /* "a|b" */
	const char *unit;    /* "s", "bytes", "%", "us", "" */
	const char *methods; /* "" all, else "curve fixed" */
	const char *help;
};
extern const struct option_row options_table[];
extern const size_t options_count;

void options_defaults(struct options *out);
/* "KEY=VALUE". Unknown key: the nearest known one; bad value: range and unit. ERR_EXIT_USAGE. */
int options_set(struct options *options, const char *assignment, struct err *err);
int options_set_value(struct options *options, const char *key, const char *value, struct err *err);
const struct option_row *options_find(const char *key);
void options_value(
	const struct options *options, const struct option_row *row, char *buf, size_t size);
bool options_row_applies(const struct option_row *row, const char *method);
/* What fits the method and each other: a key that was changed but belongs to other methods, bytes
 * together with a list. ERR_EXIT_USAGE. */
int options_check(const struct options *options, const char *method, struct err *err);
/* "0.1 to 86400 s", "exponential, uniform or constant", "a list of ...": for help and messages. */
void options_range(const struct option_row *row, char *buf, size_t size);
/* Window of the runs of the maximum search, seconds. */
double options_maximum_s(const struct options *options);

#endif
