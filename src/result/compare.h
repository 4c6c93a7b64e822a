/* Runs beside each other: matching points with their differences, and in which way the runs are
 * unlike. Pure; any thread. The first run is the base. */
#ifndef RESULT_COMPARE_H
#define RESULT_COMPARE_H

#include "result/run.h"

#define COMPARE_RUNS_MAX 8

/* One run's figures in a row. */
struct compare_value {
	const struct run_point *point; /* of the run; NULL: it has none here */
	/* Against the base in percent, + is more; NaN when either is not known, and for the base. */
	double iops_pct, mib_s_pct, mean_pct, p99_pct;
};

enum compare_kind {
	COMPARE_POINT,   /* the same share, depth or load in each run */
	COMPARE_MAXIMUM, /* what the maximum search found */
	COMPARE_START,   /* of the analysis; only where the runs have no such point in common */
	COMPARE_KNEE,
	COMPARE_PEAK,
};

struct compare_row {
	enum compare_kind kind;
	char label[24]; /* "40 %", "32 outstanding", "peak" */
	struct compare_value values[COMPARE_RUNS_MAX];
};

struct comparison {
	size_t run_count;
	const struct run *runs[COMPARE_RUNS_MAX]; /* borrowed: must outlive the comparison */
	char names[COMPARE_RUNS_MAX][40];         /* short and different: "A nvme0n1 sql" */
	struct compare_row *rows; /* points ascending, then maximum, start, knee, peak */
	size_t row_count;
	size_t point_rows;   /* how many of the rows are COMPARE_POINT: 0 = no point in common */
	char (*unlike)[256]; /* in which way the runs are unlike, one sentence each */
	size_t unlike_count;
	char (*doubts)[256]; /* saturated, unstable or spoiled points and runs, one sentence each */
	size_t doubt_count;
};

/* -EINVAL (ERR_EXIT_USAGE) for fewer than two or more than COMPARE_RUNS_MAX runs, or the same twice. */
int compare_runs(
	const struct run *const *runs, size_t count, struct comparison *out, struct err *err);
void comparison_free(struct comparison *comparison);
/* "A", "B" ... : how rows and sentences name the runs. */
char compare_letter(size_t index);

#endif
