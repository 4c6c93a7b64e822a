/* The quick check (METHODS 4): what a run of the method "check" says of its drive, a verdict per
 * line. Every figure is a measurement; what cannot be judged says why. Pure; any thread.
 *
 * What is judged, and by what:
 *
 * health      The verdict that the run keeps (nvme/health.h), made worse by reads that failed, new
 *             media errors and throttling during the check. Without pages: not judged.
 * link        PCIe speed and width now, against what drive and slot both can (as health does).
 * latency     4K read, one outstanding. Drives are told apart by what they are made of:
 *             flash on PCIe: usual up to p50 200 us and p99 500 us. Published reviews show 70 to 110
 *             us near idle for TLC, QLC stays under 200; a healthy p99 is below twice the median, and
 *             5 in 1,000 reads with a retry (400 us and more) already move it beyond 500.
 *             flash on SATA or SAS: p50 400 us, p99 2 ms: the same flash behind a slower command set.
 *             disks: p50 20 ms, p99 100 ms: 8.5 ms of seek and half a turn at 5,400/min are 14.
 *             Under 5 us nothing is judged: no flash answers so soon, a cache does.
 * random      Peak of the short 4K curve at 128 outstanding. link-bound from 90 % of what the link
 *             carries (environment_link_bytes leaves out flow control, about a tenth), host-bound
 *             when an I/O thread had no CPU left or waited for one, else drive-bound. Slow under
 *             20,000 IOPS for flash on PCIe (one read after the other gives half of that), 8,000 on
 *             SATA or SAS, 50 for a disk (20 ms each).
 * sequential  128K reads at 32 outstanding, bound as above. Slow under 25 % of what the link carries,
 *             without a known link under 500 MB/s, 200 MB/s on SATA or SAS, 60 MB/s for a disk: the
 *             published PCIe drives reach 65 % of their link and more.
 *
 * Bound by a narrowed link is a warning, bound by a link at its full speed is good; bound by the
 * host says nothing of the drive. Reads that may be answered without the medium, files, networks and
 * virtual disks are shown, not judged.
 *
 * The verdict over all lines: the worst of them; unknown when health is not judged, the check did
 * not come to its end, or nothing of latency and rates could be judged. */
#ifndef RESULT_CHECK_H
#define RESULT_CHECK_H

#include "result/run.h"

#define CHECK_METHOD "check"
#define CHECK_LOAD_RANDOM "4k-random-read"
#define CHECK_LOAD_SEQUENTIAL "128k-sequential-read"
#define CHECK_OUTSTANDING 128u
#define CHECK_CURVE_POINTS 5

enum check_part {
	CHECK_HEALTH,
	CHECK_LINK,
	CHECK_LATENCY,
	CHECK_RANDOM,
	CHECK_SEQUENTIAL,
	CHECK_PARTS
};

enum check_state {
	CHECK_PENDING, /* not measured yet */
	CHECK_GOOD,
	CHECK_WARNING,
	CHECK_CRITICAL,
	CHECK_NOT_JUDGED /* reason says why */
};

#define CHECK_VALUES 6

struct check_line {
	const char *key;   /* "random_read", for JSON */
	const char *title; /* "random read" */
	enum check_state state;
	char word[16];     /* "good", "slow", "link-bound"; "" while pending */
	char figures[640]; /* "p50 92 µs, p99 181 µs"; "" none */
	char reason[256];  /* why, or what to do; "" nothing to add */
	struct {
		const char *key; /* "p50_us": the unit stands in it */
		double value;    /* NaN not known */
	} values[CHECK_VALUES];
	size_t value_count;
};

struct check {
	struct check_line lines[CHECK_PARTS];
	bool ended;                         /* the run is over: nothing is pending any more */
	enum health_verdict verdict;        /* over all lines; unknown until then */
	char why_unknown[160];              /* "" unless the verdict is unknown */
	uint64_t read_bytes, written_bytes; /* all of it, warm-ups too */
	double seconds;                     /* from the first read to the last */
};

/* Every line pending, nothing read. */
void check_clear(struct check *out);
/* Also of a run that is under way (outcome RUN_RUNNING). */
void check_judge(const struct run *run, struct check *out);
bool check_is(const struct run *run); /* a run of the method check */
/* "good", "warning", "critical", "not_judged", "pending". */
const char *check_state_name(enum check_state state);

#endif
