/* The life of a run: checks, thread, method, saving. */
#include "sweep/runner.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/rng.h"
#include "base/str.h"
#include "result/store.h"
#include "sweep/load.h"
#include "sweep/runner_internal.h"

#define DESTROY_WAIT_MS 6000
#define ID_TRIES 4096

/* ---- the runner's thread -------------------------------------------------------------------- */

static void set_maximum(struct method_context *context, const struct run_point *maximum)
{
	struct runner *runner = context->user;

	runner->run->maximum = *maximum;
	runner->run->maximum.histogram = NULL;
	runner->run->maximum.histogram_count = 0;
	runner->run->has_maximum = true;
	run_analyse(runner->run);
	runner_publish(runner);
}

static void set_plan(struct method_context *context, const double *percents, size_t count,
	uint32_t steps, double seconds)
{
	struct runner *runner = context->user;
	const size_t room = sizeof(runner->planned_percent) / sizeof(runner->planned_percent[0]);

	runner->planned_count = count < room ? count : room;
	memcpy(runner->planned_percent, percents, runner->planned_count * sizeof(percents[0]));
	runner->steps_total = runner->steps_done + steps;
	runner->left_s = seconds;
}

/* Another run of the same second, target and seed must not be overwritten. */
static void make_id_unique(struct runner *runner)
{
	char path[1024], *end = runner->run->id + strlen(runner->run->id) - 4;

	for (unsigned i = 0; i < ID_TRIES; i++) {
		str_format(path, sizeof(path), "%s/%s.json", runner->runs_folder, runner->run->id);
		const bool saved = !access(path, F_OK);

		str_format(
			path, sizeof(path), "%s/%s.journal", runner->runs_folder, runner->run->id);
		if (!saved && access(path, F_OK))
			return;
		str_format(end, 5, "%04x", (unsigned)(rng_fresh_seed() & 0xffff));
	}
}

static void open_journal(struct runner *runner)
{
	struct err err;
	int rc;

	if (!runner->runs_folder[0])
		return;
	err_clear(&err);
	rc = file_make_dirs(runner->runs_folder, &err);
	if (!rc) {
		make_id_unique(runner);
		rc = journal_open(runner->runs_folder, runner->run, &runner->journal, &err);
	}
	if (rc)
		str_format(runner->save_fault, sizeof(runner->save_fault),
			"%.200s; the test goes on", err.text);
}

static void save(struct runner *runner)
{
	struct err err;
	char journal[1024];
	int rc;

	if (!runner->runs_folder[0])
		return;
	err_clear(&err);
	rc = store_save(runner->runs_folder, runner->run, runner->saved_path,
		sizeof(runner->saved_path), &err);
	if (!rc) {
		runner->save_fault[0] = '\0';
		journal_close(runner->journal, false);
	} else {
		str_format(journal, sizeof(journal), "%s/%s.journal", runner->runs_folder,
			runner->run->id);
		str_format(runner->save_fault, sizeof(runner->save_fault), "%.170s; %s", err.text,
			runner->journal ? "its journal was kept and nvsweep results shows it"
					: "write it elsewhere with -o FILE");
		log_warn("run not saved: %s (journal %s)", err.text, journal);
		journal_close(runner->journal, true);
	}
	runner->journal = NULL;
}

static void conclude(struct runner *runner, int rc, const struct err *err)
{
	struct run *run = runner->run;

	run->ended = clock_wall_seconds();
	if (!rc) {
		run->outcome = RUN_COMPLETE;
	} else if (rc == -ECANCELED) {
		run->outcome = RUN_STOPPED;
		pthread_mutex_lock(&runner->lock);
		str_copy(run->reason, sizeof(run->reason), runner->stop_reason);
		pthread_mutex_unlock(&runner->lock);
	} else {
		run->outcome = RUN_ABORTED;
		str_copy(run->reason, sizeof(run->reason),
			err->text[0] ? err->text : err_errno_text(-rc));
	}
}

static void set_state(struct runner *runner, enum runner_state state)
{
	runner->state = state;
	runner_publish(runner);
}

static double elapsed_s(const struct method_context *context)
{
	return runner_elapsed_s(context->user);
}

static void *runner_thread(void *user)
{
	struct runner *runner = user;
	struct err err;
	int rc;

	err_clear(&err);
	set_state(runner, RUNNER_PREPARING);
	runner_before(runner);
	if (!runner_fills(runner))
		runner_look(runner);
	open_journal(runner);
	set_state(runner, RUNNER_RUNNING);
	rc = atomic_load(&runner->stop) ? -ECANCELED : 0;
	if (!rc && runner_fills(runner)) {
		rc = runner_fill(runner, &err);
		if (!rc)
			runner_look(runner);
	}
	if (!rc)
		rc = runner->method->run(&runner->context, &err);
	conclude(runner, rc, &err);
	set_state(runner, RUNNER_SAVING);
	runner_after(runner);
	save(runner);
	/* Before anybody learns that it ended: then the drive is free again. */
	if (!runner->abandoned) {
		io_pool_destroy(runner->pool);
		runner->pool = NULL;
		runner_close_targets(runner);
	}
	/* Together: who sees the last view finds the run ended, and who waited for the end finds the
	 * last view. */
	pthread_mutex_lock(&runner->lock);
	runner->ended = true;
	set_state(runner, RUNNER_ENDED);
	pthread_cond_broadcast(&runner->changed);
	pthread_mutex_unlock(&runner->lock);
	return NULL;
}

/* ---- start ---------------------------------------------------------------------------------- */

static void free_runner(struct runner *runner)
{
	io_pool_destroy(runner->pool);
	runner_close_targets(runner);
	free(runner->targets);
	sampler_destroy(runner->sampler);
	journal_close(runner->journal, true);
	run_free(runner->run);
	inventory_unref(runner->inventory);
	free(runner->interval);
	free(runner->step.window);
	free(runner->step.before);
	mailbox_close(&runner->box);
	pthread_cond_destroy(&runner->changed);
	pthread_mutex_destroy(&runner->lock);
	free(runner);
}

static struct runner *make_runner(const struct runner_config *config)
{
	struct runner *runner = mem_alloc(sizeof(*runner));
	pthread_condattr_t attributes;

	runner->workload = config->workload;
	runner->options = config->options;
	if (!runner->options.seed) /* 53 bits: every reader of JSON keeps them */
		runner->options.seed = (rng_fresh_seed() >> 11) | 1;
	runner->virtual_time = config->virtual_time;
	if (runner->virtual_time)
		str_copy(runner->options.backend, sizeof(runner->options.backend), "null");
	if (config->inventory)
		runner->inventory = inventory_ref(config->inventory);
	if (config->runs_folder)
		str_copy(runner->runs_folder, sizeof(runner->runs_folder), config->runs_folder);
	runner->run = run_create();
	runner->interval = mem_alloc(sizeof(*runner->interval));
	runner->step.window = mem_alloc(sizeof(*runner->step.window));
	runner->step.before = mem_alloc(RUN_TARGETS_MAX * sizeof(*runner->step.before));
	runner->context = (struct method_context){.workload = config->workload,
		.options = &runner->options,
		.outstanding = sweep_load_outstanding(config->workload, &runner->options),
		.targets = (uint32_t)config->target_count,
		.user = runner,
		.elapsed_s = elapsed_s,
		.measure = runner_measure,
		.set_maximum = set_maximum,
		.set_plan = set_plan};
	runner->started_ns = clock_monotonic_ns();
	runner->box.fd = -1;
	pthread_mutex_init(&runner->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&runner->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	return runner;
}

int runner_start(const struct runner_config *config, struct runner **out, struct err *err)
{
	struct runner *runner = make_runner(config);
	struct err local;
	int rc;

	*out = NULL;
	err_clear(&local);
	if (!err) /* method_find tells its code only there */
		err = &local;
	rc = mailbox_init(&runner->box, runner_view_free, err);
	if (!rc)
		rc = runner_open(runner, config, err);
	if (!rc && config->admitted)
		config->admitted(config->admitted_user);
	if (!rc) {
		rc = -pthread_create(&runner->thread, NULL, runner_thread, runner);
		if (rc)
			err_set(err, rc, "cannot start the runner: %s", err_errno_text(-rc));
	}
	if (rc) {
		free_runner(runner);
		return rc;
	}
	*out = runner;
	return 0;
}

/* ---- from other threads --------------------------------------------------------------------- */

struct mailbox *runner_mailbox(struct runner *runner)
{
	return &runner->box;
}

void runner_pause(struct runner *runner, bool paused)
{
	atomic_store(&runner->pause, paused);
}

void runner_stop(struct runner *runner, const char *reason)
{
	pthread_mutex_lock(&runner->lock);
	if (!runner->stop_reason[0])
		str_copy(runner->stop_reason, sizeof(runner->stop_reason), reason);
	pthread_mutex_unlock(&runner->lock);
	atomic_store(&runner->stop, true);
}

int runner_wait(struct runner *runner, unsigned timeout_ms)
{
	struct timespec until;
	int rc = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += timeout_ms / 1000;
	until.tv_nsec += (long)(timeout_ms % 1000) * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	pthread_mutex_lock(&runner->lock);
	while (!runner->ended && !rc)
		rc = pthread_cond_timedwait(&runner->changed, &runner->lock, &until);
	rc = runner->ended ? 0 : -ETIMEDOUT;
	pthread_mutex_unlock(&runner->lock);
	return rc;
}

bool runner_ended(const struct runner *runner)
{
	pthread_mutex_t *lock = (pthread_mutex_t *)(uintptr_t)&runner->lock;

	pthread_mutex_lock(lock);
	const bool ended = runner->ended;

	pthread_mutex_unlock(lock);
	return ended;
}

const struct run *runner_run(const struct runner *runner)
{
	return runner_ended(runner) ? runner->run : NULL;
}

void runner_destroy(struct runner *runner)
{
	if (!runner)
		return;
	runner_stop(runner, "the program was closed");
	/* A thread that waits for a dead drive keeps what it uses: all of it is left behind. */
	if (runner_wait(runner, DESTROY_WAIT_MS)) {
		log_warn("the runner is stuck on a drive and left behind");
		pthread_detach(runner->thread);
		return;
	}
	pthread_join(runner->thread, NULL);
	if (runner->abandoned) {
		/* Its workers are stuck as well: they keep the pool, the permits and the descriptors,
		 * whose numbers must not come to mean other files. */
		runner->pool = NULL;
		runner->target_count = 0;
	}
	free_runner(runner);
}

double runner_estimate_s(
	const char *method, const struct options *options, const struct workload *workload)
{
	const struct method_ops *ops = method_find(method, NULL);
	double seconds = NAN;
	uint32_t steps;

	if (ops)
		ops->plan(options, workload, &steps, &seconds);
	return seconds;
}
