/* Inside of a run: what runner.c (life), runner_measure.c (one step), runner_view.c (pictures) and
 * runner_record.c (what is found out about the run) share. Fields are marked by who may touch
 * them. */
#ifndef SWEEP_RUNNER_INTERNAL_H
#define SWEEP_RUNNER_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "block/iostat.h"
#include "io/pool.h"
#include "result/journal.h"
#include "sweep/method.h"
#include "sweep/method_context.h"
#include "sweep/runner.h"
#include "sweep/sampler.h"
#include "sweep/target.h"

/* What was seen on the way, told at the end (METHODS 4, what spoils a result). */
struct runner_doubts {
	uint64_t suspended_ns;    /* inside measured windows, by nobody's wish */
	uint64_t stalled_ns;      /* longest time that this thread was not run */
	uint64_t sleep_base_ns;   /* boottime minus monotonic at the start */
	bool punted;              /* iou-wrk threads were there */
	unsigned steps_disturbed; /* other I/O on the device beyond 5 % */
	double disturbed_pct;     /* the worst */
	uint64_t errors;
	int first_error;
};

/* How a step is going, beside what is recorded. */
struct runner_turn {
	bool stop_sent;
	uint64_t stop_sent_ns;
	bool lost, hopeless, paused;
	uint64_t errors, completions;
	int first_error, write_refused;
};

/* The step that is being measured. */
struct runner_step {
	bool active, warmup;
	struct method_step plan;
	int32_t index;      /* of the point; -1 search, preparation */
	double started_s;   /* since the run's start */
	double elapsed_s;   /* by the intervals' clock */
	uint64_t own_bytes; /* everything of the step, warm-up too */
	struct interval current;
	bool has_current;
	struct io_tally *window; /* intervals of the window so far, merged */
	double window_s;
	struct iostat_counters *before; /* per target; taken_ns 0: not read */
};

struct runner {
	/* fixed before the thread starts */
	const struct workload *workload;
	const struct method_ops *method;
	struct options options;
	struct sweep_target *targets;
	size_t target_count;
	struct gate_lock *locks[RUN_TARGETS_MAX]; /* of targets that are written */
	bool reads, writes;                       /* some load does */
	const struct inventory *inventory;        /* one reference, may be NULL */
	char runs_folder[512];                    /* "": not saved */
	bool virtual_time, paced;
	const struct io_backend_ops *simulated_backend; /* NULL: the targets are real */
	void *simulated_data;
	/* [0] the workload's, then the method's own; without rate */
	struct io_load loads[1 + METHOD_LOADS_MAX];
	size_t load_count;
	struct io_pool *pool;
	struct mailbox box;
	pthread_t thread;

	/* any thread */
	_Atomic bool stop, pause;
	pthread_mutex_t lock; /* stop_reason, ended */
	pthread_cond_t changed;
	char stop_reason[128];
	bool ended;

	/* the runner's thread; others after it ended */
	struct method_context context; /* its address leads back to the runner */
	struct run *run;
	struct journal *journal;
	struct sampler *sampler;
	struct io_interval *interval; /* scratch, large */
	struct runner_step step;
	struct runner_doubts doubts;
	enum runner_state state;
	uint64_t started_ns;
	double virtual_s; /* time passed in virtual time */
	double fill_begun_s;
	uint64_t
		fill_bytes; /* that the preparation is to write; run->prepare has what is written */
	uint32_t steps_done, steps_total;
	double left_s; /* of steps not begun; NaN unknown */
	double planned_percent[64];
	size_t planned_count;
	bool paused_now, abandoned; /* abandoned: the pool did not come back */
	uint64_t paused_since_ns;
	double silent_s;
	uint64_t published_ns;
	char saved_path[512], save_fault[256];
};

/* runner_open.c */
int runner_open(struct runner *runner, const struct runner_config *config, struct err *err);
int runner_recheck(const struct runner *runner, struct err *err); /* the gate, once more */
void runner_close_targets(struct runner *runner);                 /* no pool uses them any more */
int runner_make_pool(struct runner *runner, const struct io_target *lanes,
	const struct io_load *loads, size_t load_count, uint32_t workers, char *fallback,
	struct err *err);
int runner_make_test_pool(struct runner *runner, char *fallback, struct err *err);
/* runner_measure.c */
int runner_measure(struct method_context *context, const struct method_step *step,
	struct run_point *out, struct err *err);
/* One phase: begun, followed to its end, its result taken. Then what ends the run is judged. After
 * both, runner_end_step, also on failure. */
int runner_phase(struct runner *runner, const struct method_step *plan,
	const struct io_phase *phase, struct runner_turn *turn, struct io_phase_result *result,
	struct err *err);
int runner_judge(const struct runner *runner, const struct runner_turn *turn,
	const struct io_phase_result *result, struct err *err);
void runner_end_step(struct runner *runner, int rc, const struct err *err);
void runner_journal_prepare(struct runner *runner);
/* runner_fill.c: the preparation before a method */
bool runner_fills(const struct runner *runner);
int runner_fill(struct runner *runner, struct err *err);
/* runner_view.c */
void runner_publish(struct runner *runner);
double runner_elapsed_s(const struct runner *runner);
/* runner_record.c */
void runner_record_start(struct runner *runner, const char *fallback);
void runner_record_host(struct run *run);
void runner_before(struct runner *runner); /* SMART */
void runner_look(struct runner *runner);   /* at the content of the targets */
void runner_after(struct runner *runner);  /* SMART, doubts, analysis */
/* Block statistics of the disks under the targets, and what was not this run's own I/O. */
void runner_iostat_begin(struct runner *runner);
void runner_iostat_end(struct runner *runner);
bool runner_cancelled(void *runner);

#endif
