/* Published figures of drives, and a run held against those of its own workload at its own
 * outstanding count. Pure but for reference_load; any thread.
 *
 * What was outstanding when a figure was taken is known by Little's law only (IOPS x latency at the
 * peak), some per cent below the number that was set. A row is comparable when its count is within 10 %
 * of the most that the run kept outstanding per drive, or of what was in flight at the run's peak (a
 * drive that is at its best with less than the most). Others are named with their count.
 *
 * The figures are read from configs/reference (built in, /etc/nvsweep/reference, the user's
 * nvsweep/reference): CSV with a line of column names; lines that begin with # are remarks. Rows of
 * confidence low are read and never shown. Figures of a group of drives are divided by its size. */
#ifndef RESULT_REFERENCE_H
#define RESULT_REFERENCE_H

#include "result/run.h"

enum reference_confidence { REFERENCE_LOW, REFERENCE_MEDIUM, REFERENCE_HIGH };

/* One published curve. Figures are per drive; NaN: not published. */
struct reference_row {
	char drive[48], capacity[24], workload[48];
	char basis[48], review[64];
	char origin[64]; /* "drives.csv:12" */
	uint32_t drives; /* the figures are 1/drives of a group's */
	enum reference_confidence confidence;
	double start_iops, start_ns, peak_iops, peak_ns, peak_mib_s;
	double outstanding; /* per drive, at the peak, by Little's law; NaN not known */
};

struct reference_table {
	struct reference_row *rows;
	size_t count;
};

/* Adds the rows of one file. Every fault names origin and line: -EINVAL. */
int reference_parse(const char *origin, const char *text, size_t length,
	struct reference_table *table, struct err *err);
/* All files of configs/reference and the folders over it. A file that is faulty is left out; *faults
 * (may be NULL; caller frees) gets one line for each, NULL when there are none. */
int reference_load(struct reference_table *out, char **faults, struct err *err);
void reference_table_free(struct reference_table *table);

/* One published row beside the run. */
struct reference_match {
	const struct reference_row *row; /* of the table: must outlive this */
	bool comparable;
	char why[96]; /* not comparable: "published at 512 outstanding" */
	/* Comparable: the run against it in percent, + is more IOPS, MiB/s, longer latency. NaN unknown */
	double rate_pct, latency_pct;
	double mib_s; /* the row's, at the run's mean block size where only IOPS are published */
	bool tie;     /* the rates are within 1 % */
};

struct reference_comparison {
	bool by_mib_s;    /* sequential workloads are ranked by MiB/s, others by IOPS */
	bool mix_unknown; /* the review's mix of this workload is not known: a hint, no measure */
	/* The run, per drive. */
	int point; /* index of the point that is held against the figures; -1 none */
	double iops, mib_s, mean_ns;
	double outstanding_limit, outstanding_avg;
	double start_iops, start_ns;  /* the start of a curve; NaN of other methods */
	struct reference_match *rows; /* of the same workload; comparable first, best first */
	size_t count, comparable;
	uint32_t
		rank; /* 1 = best; among comparable rows and the run itself; 0: no comparable row */
	char rank_text[320]; /* "rank 2 of 5 at 128 outstanding: 1 % behind Intel P5510, ..." */
	char notes[6][200];  /* what to know about it: simulated, group, closed loop ... */
	size_t note_count;
	char none[200]; /* why there is nothing to compare; "" when there is */
};

void reference_compare(const struct reference_table *table, const struct run *run,
	struct reference_comparison *out);
/* The same for the point with this index, a step of a depth run; -1: the one that says most. */
void reference_compare_point(const struct reference_table *table, const struct run *run, int point,
	struct reference_comparison *out);
void reference_comparison_free(struct reference_comparison *comparison);
/* "P5510 7.68TB (1 of 8)"; returns buf. */
char *reference_name(const struct reference_row *row, char *buf, size_t size);

#endif
