/* The coordinator of one run: a thread that drives the pool through a method's points, keeps
 * series and journal, publishes views (DESIGN 3, 5). */
#ifndef SWEEP_RUNNER_H
#define SWEEP_RUNNER_H

#include "base/jobs.h"
#include "base/mailbox.h"
#include "io/backend.h"
#include "nvme/inventory.h"
#include "result/check.h"
#include "result/run.h"
#include "sweep/gate.h"
#include "sweep/options.h"
#include "sweep/workload.h"

struct runner;

struct runner_config {
	const struct workload *workload; /* borrowed until runner_destroy */
	const char *method;              /* "fixed", "depth", "curve" */
	const char *const *targets;      /* names */
	size_t target_count;
	struct options options;
	const struct inventory *inventory; /* may be NULL; referenced */
	struct jobs *jobs;                 /* for SMART before/after and the sampler; may be NULL */
	struct transport *transport;       /* may be NULL */
	const char *runs_folder;           /* NULL: do not save */
	struct gate_consent consent;       /* to write, for what does; copied */
	/* Called by runner_start when every check and the gate have been passed, before anything is
	 * measured or written; may be NULL. */
	void (*admitted)(void *user);
	void *admitted_user;
	bool virtual_time; /* null backend on a free-running clock (tests) */
	/* For simulated drives, which always run in virtual time; sweep knows neither. NULL: there
	 * are none. Data outlives the runner. */
	const struct io_backend_ops *simulated_backend;
	void *simulated_data;
	bool paced; /* their time keeps step with the clock on the wall: somebody watches */
};

enum runner_state {
	RUNNER_PREPARING,
	RUNNER_RUNNING,
	RUNNER_PAUSED,
	RUNNER_STOPPING,
	RUNNER_SAVING,
	RUNNER_ENDED
};

/* An immutable picture of a run; the consumer frees it with runner_view_free. */
struct runner_view {
	enum runner_state state;
	char run_id[48];
	char targets[160]; /* "nvme0n1" or "nvme0n1 +3" */
	char workload[48], workload_summary[120], method[24];
	char backend[16], notes[512];
	char phase[64];            /* "maximum: 32 outstanding", "point 7 of 13: 70 %" */
	uint32_t step, step_count; /* points done / all, searches included */
	double elapsed_s, total_s; /* total: estimate, NaN for --set bytes until known */
	double point_elapsed_s, point_total_s; /* warm-up + window of the current point */
	bool warmup;
	bool has_current; /* current holds the newest interval */
	struct interval current;
	double asked_iops; /* of the current point; 0 closed loop */
	struct run_point
		so_far; /* the current point merged over its window so far (no histogram) */
	bool has_so_far;
	double silent_s; /* no completion for so long; 0 */
	bool has_maximum;
	struct run_point maximum;
	struct run_point *points; /* copies without histogram */
	size_t point_count;
	double planned_percent[64]; /* of points still to come too */
	size_t planned_count;
	bool has_analysis;
	struct curve_analysis analysis;
	bool has_check; /* the method is check: its lines so far */
	struct check check;
	double p99_limit_ns;
	struct series *series; /* one reference */
	double temperature_c;  /* NaN */
	bool simulated;
	bool writes; /* the test writes to its targets, or fills them first */
	char spoiled_by[RUN_SPOILED_MAX][160];
	size_t spoiled_count;
	enum run_outcome outcome; /* when ended */
	char reason[256];
	char saved_path[512]; /* "" not (yet) saved */
	char save_fault[256]; /* why saving failed */
};
void runner_view_free(void *view);

/* Checks everything (targets, load, method) before any thread starts: errors come here, with their
 * exit kind. Where the load writes every target passes the gate here (ERR_EXIT_REFUSED), and again
 * before each step that writes; so this reads the drives and may wait for them: not on the UI
 * thread. */
int runner_start(const struct runner_config *config, struct runner **out, struct err *err);
/* The runner's mailbox of struct runner_view. One consumer. */
struct mailbox *runner_mailbox(struct runner *runner);
void runner_pause(struct runner *runner, bool paused);
void runner_stop(struct runner *runner, const char *reason);
/* Blocks until ended (headless); 0 or -ETIMEDOUT. */
int runner_wait(struct runner *runner, unsigned timeout_ms);
bool runner_ended(const struct runner *runner);
/* After it ended: the run, owned by the runner. */
const struct run *runner_run(const struct runner *runner);
/* Stops first when needed; never waits longer than ~6 s for a stuck drive. */
void runner_destroy(struct runner *runner);
/* What the whole test will take, seconds; NaN when it depends on the drive (bytes=). */
double runner_estimate_s(
	const char *method, const struct options *options, const struct workload *workload);

#endif
