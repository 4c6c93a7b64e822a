/* Before a test that writes: how many bytes it is going to write, and what share of a drive's rated
 * life that is. Pure; any thread.
 *
 * Bytes. With w and r the bytes written and read per I/O of the load (shares of directions times
 * mean block sizes, over all streams), each target gets
 *
 *   bytes=B          B x w / (w + r): exactly that when nothing is read, else about
 *   rate_iops=R      (R / targets) x seconds x w: at most, since arrivals that are not served are
 *                    not written (random arrivals scatter about it)
 *   closed loop      seconds at the maximum x the most that a link of L bytes per second each way
 *                    lets through, L x w / max(w, r): at most. Seconds at the maximum come from the
 *                    method: a curve's point at 40 % counts with 0.4 of its time, one at 120 % with
 *                    all of it. Without a known link there is no bound.
 *
 * plus the fill before it, which is known exactly: the area, or the whole target, times its passes. Points that a curve adds when its maximum is
 * exceeded are not in it.
 *
 * Life. SMART tells data units written W (of 512,000 bytes) and percentage used U, so that the rated
 * life is about W x 100 / U bytes. U is a whole number: at U = 0 all that is known is that the life
 * is at least W x 100, and the share at most bytes / (W x 100). A drive that has written nothing, or
 * reports neither, tells nothing. */
#ifndef SWEEP_WRITE_PLAN_H
#define SWEEP_WRITE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvme/inventory.h"
#include "result/run.h"
#include "sweep/options.h"
#include "sweep/workload.h"

enum write_bound { WRITE_NOTHING, WRITE_EXACTLY, WRITE_ABOUT, WRITE_AT_MOST, WRITE_UNBOUNDED };

struct write_amount {
	enum write_bound bound;
	uint64_t bytes; /* with WRITE_UNBOUNDED: at least */
};

enum write_life {
	WRITE_LIFE_UNKNOWN,
	WRITE_LIFE_ABOUT,
	WRITE_LIFE_AT_MOST, /* of the share: the rated life is at least so long */
};

struct write_plan {
	struct write_amount fill, test, total; /* of one target */
	double seconds;                        /* of the test without the fill; NaN not known */
	enum write_life life;
	double life_share; /* of the rated life, by total; 1 = all of it */
};

/* What the test is; area_length of the target is that of the options in effect. */
struct write_question {
	const char *method;
	const struct options *options;
	const struct workload *workload;
	size_t target_count;
};

/* Does any of it write: the load, or the fill before it? */
bool write_plan_writes(const struct write_question *question);
/* What is known of the wear of the drive behind a target; NULL: no drive, or nothing. */
const struct smart *write_plan_smart(
	const struct run_target *target, const struct inventory *inventory);
/* For one target; smart may be NULL (not known, no drive). */
void write_plan_make(const struct write_question *question, const struct run_target *target,
	const struct smart *smart, struct write_plan *out);
/* "about 310 GB", "at most 1.2 TB", "5.00 GB", "as much as it takes in 25 s". */
void write_plan_amount_text(const struct write_plan *plan, char *buf, size_t size);
/* "0.04 % of its rated life", "at most ...", "less than 0.01 % ...", "its rated life is not known". */
void write_plan_life_text(const struct write_plan *plan, char *buf, size_t size);
/* The whole sentence without a full stop: "writes about 310 GB to nvme0n1, 0.04 % of its rated
 * life". A file has no rated life and nothing is said of it. */
void write_plan_text(
	const struct write_plan *plan, const struct run_target *target, char *buf, size_t size);
/* Bytes per second that a link carries each way; 0 not known. */
double write_plan_link_bytes_s(const struct run_target *target);

#endif
