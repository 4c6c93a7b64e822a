/* Inside of the quick check's judgement: lines, what kind of drive a target is, and the health line
 * (check_health.c). */
#ifndef RESULT_CHECK_LINES_H
#define RESULT_CHECK_LINES_H

#include "result/check.h"

/* What a drive is made of, and what is usual for it: latencies at most, rates at least. */
struct check_media {
	const char *what; /* "flash on PCIe" */
	double p50_ns, p99_ns, iops, bytes_s;
};

void check_say(struct check_line *line, enum check_state state, const char *word);
void check_not_judged(struct check_line *line, const char *reason);
/* key is kept, not copied. */
void check_value(struct check_line *line, const char *key, double number);

bool check_is_file(const struct run_target *t);
bool check_on_pcie(const struct run_target *t);
/* *out NULL: figures of this target are not held against what is usual, and why. */
void check_media_of(const struct run_target *t, const char *backend, const struct check_media **out,
	char *why, size_t size);
/* 0: not known. */
double check_link_bytes(const struct run_target *t);
bool check_link_narrowed(const struct run_target *t);

void check_judge_health(const struct run *run, struct check_line *line);

#endif
