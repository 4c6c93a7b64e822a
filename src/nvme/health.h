/* Health verdict with its reasons in words (CASES section 1). Pure; any thread. Lack of access is
 * never a verdict: without SMART the verdict is unknown. */
#ifndef NVME_HEALTH_H
#define NVME_HEALTH_H

#include "nvme/environment.h"
#include "nvme/identify.h"
#include "nvme/smart.h"

/* In the order of the exit codes of `nvsweep health`. */
enum health_verdict {
	HEALTH_GOOD = 0,
	HEALTH_WARNING = 1,
	HEALTH_CRITICAL = 2,
	HEALTH_UNKNOWN = 3
};

#define HEALTH_MAX_REASONS 16
struct health_reason {
	enum health_verdict severity; /* HEALTH_GOOD: a remark */
	char text[256];   /* the fact with its figure: "98 % of the rated endurance is used" */
	char advice[160]; /* what to do: "plan its replacement"; may be "" */
};
struct health {
	enum health_verdict verdict;
	struct health_reason reasons[HEALTH_MAX_REASONS];
	size_t reason_count;
};

/* smart NULL: not read; why says why ("needs root..."). id and env may be NULL. state: topology
 * state word of the controller ("live", "dead"...), may be "". */
void health_judge(const struct smart *smart, const struct identify_controller *id,
	const struct environment *env, const char *state, const char *why, struct health *out);
/* The worse of two, for several drives together: critical, warning, unknown, good. */
enum health_verdict health_worst(enum health_verdict a, enum health_verdict b);
/* "good", "WARN", "CRIT", "-" for screens; "good", "warning", "critical", "unknown" for JSON. */
const char *health_word(enum health_verdict verdict);
const char *health_name(enum health_verdict verdict);

#endif
