/* Owns the running test of the terminal program and everything the runner borrows. */
#include "app/tui_test.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "app/attach.h"
#include "app/serve.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "result/store.h"
#include "sim/backend.h"

#define SAVE_WAIT_MS 6000
/* For those who watch to take the last picture; who reads gets it at once. */
#define FAREWELL_MS 200

struct tui_test {
	struct runner *runner; /* NULL before it is opened, and when it is another process's */
	struct attach *attach; /* NULL: it is ours */
	struct serve *serve;
	char folder[512], id[48]; /* of one that is watched */
	uint64_t news_ns;
	struct runner_config config;
	struct workload workload; /* a copy: the form's goes with the form */
	char *method;
	char **targets;
	size_t target_count;
	struct sim_backend_options simulated;
	struct runner_view *view;
	bool paused; /* by the user */
	_Atomic bool cancelled;
};

static void obey(void *user, enum serve_command command);

static void copies_free(struct tui_test *test)
{
	for (size_t i = 0; i < test->target_count; i++)
		free(test->targets[i]);
	free(test->targets);
	free(test->method);
	free(test->workload.text);
	inventory_unref(test->config.inventory);
	free(test);
}

struct tui_test *tui_test_create(const struct runner_config *config)
{
	struct tui_test *test = mem_alloc(sizeof(*test));

	test->config = *config;
	test->workload = *config->workload;
	if (test->workload.text)
		test->workload.text = mem_strdup(test->workload.text);
	test->method = mem_strdup(config->method);
	test->targets = mem_alloc((config->target_count + 1) * sizeof(*test->targets));
	for (size_t i = 0; i < config->target_count; i++)
		test->targets[test->target_count++] = mem_strdup(config->targets[i]);
	test->config.workload = &test->workload;
	test->config.method = test->method;
	test->config.targets = (const char *const *)test->targets;
	if (config->inventory)
		test->config.inventory = inventory_ref(config->inventory);
	/* Somebody watches: simulated drives keep step with the clock on the wall. */
	test->simulated.time_factor = config->options.time_factor;
	test->config.simulated_backend = &sim_backend;
	test->config.simulated_data = &test->simulated;
	test->config.paced = true;
	test->serve = serve_create(config->runs_folder, obey, test);
	return test;
}

int tui_test_open(struct tui_test *test, struct err *err)
{
	int rc = atomic_load(&test->cancelled) ? -ECANCELED
					       : runner_start(&test->config, &test->runner, err);

	if (!rc && atomic_load(&test->cancelled)) {
		runner_destroy(test->runner);
		test->runner = NULL;
		rc = -ECANCELED;
	}
	if (rc == -ECANCELED)
		err_set(err, rc, "given up");
	return rc;
}

void tui_test_cancel(struct tui_test *test)
{
	if (test)
		atomic_store(&test->cancelled, true);
}

/* ---- for those who watch ours ---------------------------------------------------------------- */

static void obey(void *user, enum serve_command command)
{
	struct tui_test *test = user;

	if (command == SERVE_STOP)
		tui_test_stop(test, "stopped by the user, from another terminal", NULL);
	else
		tui_test_pause(test, command == SERVE_PAUSE, NULL);
}

int tui_test_serve_fd(const struct tui_test *test)
{
	return test ? serve_fd(test->serve) : -1;
}

void tui_test_serve(struct tui_test *test)
{
	if (test)
		serve_turn(test->serve);
}

void tui_test_detached(struct tui_test *test)
{
	if (test)
		serve_detached(test->serve);
}

/* ---- another process's ----------------------------------------------------------------------- */

int tui_test_attach(const char *folder, const char *run_id, struct tui_test **out, struct err *err)
{
	struct attach *attach;
	struct tui_test *test;
	int rc = attach_open(folder, run_id, &attach, err);

	if (!rc) {
		rc = attach_send(attach, "watch", err);
		if (rc)
			attach_close(attach);
	}
	if (rc)
		return rc;
	test = mem_alloc(sizeof(*test));
	test->attach = attach;
	test->news_ns = clock_monotonic_ns();
	str_copy(test->folder, sizeof(test->folder), folder);
	str_copy(test->id, sizeof(test->id), run_id);
	*out = test;
	return 0;
}

bool tui_test_watched(const struct tui_test *test)
{
	return test && test->attach && !attach_lost(test->attach) &&
		!(test->view && test->view->state == RUNNER_ENDED);
}

double tui_test_silent_s(const struct tui_test *test)
{
	return tui_test_watched(test) ? (double)(clock_monotonic_ns() - test->news_ns) * 1e-9 : 0;
}

/* The process is gone without a last picture: what it left behind tells how the run ended. */
static struct runner_view *last_view(const struct tui_test *test)
{
	struct runner_view *view = mem_alloc(sizeof(*view));
	struct store_entry entry;

	if (test->view) {
		*view = *test->view;
		view->points = mem_alloc((view->point_count + 1) * sizeof(*view->points));
		memcpy(view->points, test->view->points, view->point_count * sizeof(*view->points));
		if (view->series)
			view->series = series_ref(view->series);
	} else {
		str_copy(view->run_id, sizeof(view->run_id), test->id);
		view->temperature_c = NAN;
	}
	view->state = RUNNER_ENDED;
	view->has_current = view->has_so_far = false;
	view->outcome = RUN_ABORTED;
	str_copy(view->reason, sizeof(view->reason), attach_lost(test->attach));
	if (store_find(test->folder, test->id, &entry, NULL) || entry.fault[0]) {
		str_copy(view->save_fault, sizeof(view->save_fault), "nothing is left of it");
	} else if (entry.partial || entry.running) {
		str_copy(view->save_fault, sizeof(view->save_fault),
			"what it had measured is kept as partial, among the results");
	} else {
		view->outcome = entry.outcome;
		str_copy(view->saved_path, sizeof(view->saved_path), entry.path);
	}
	return view;
}

static struct runner_view *watched_view(struct tui_test *test)
{
	struct runner_view *view = attach_take(test->attach);

	if (view)
		test->news_ns = clock_monotonic_ns();
	if (view || !attach_lost(test->attach) || (test->view && test->view->state == RUNNER_ENDED))
		return view;
	return last_view(test);
}

/* ---- both ------------------------------------------------------------------------------------ */

void tui_test_free(struct tui_test *test)
{
	if (!test)
		return;
	struct runner_view *old;

	tui_test_take(test, &old); /* perhaps its end, for those who watch */
	runner_view_free(old);
	serve_close(test->serve, FAREWELL_MS);
	runner_destroy(test->runner);
	attach_close(test->attach);
	runner_view_free(test->view);
	copies_free(test);
}

bool tui_test_running(const struct tui_test *test)
{
	return test && test->runner && !runner_ended(test->runner);
}

int tui_test_fd(const struct tui_test *test)
{
	if (!test)
		return -1;
	return test->attach ? attach_fd(test->attach) : runner_mailbox(test->runner)->fd;
}

const struct runner_view *tui_test_take(struct tui_test *test, struct runner_view **old)
{
	struct runner_view *view = NULL;

	*old = NULL;
	if (test && test->attach)
		view = watched_view(test);
	else if (test && test->runner)
		view = mailbox_take(runner_mailbox(test->runner));
	if (!view)
		return NULL;
	*old = test->view;
	test->view = view;
	serve_view(test->serve, view);
	if (view->state == RUNNER_ENDED) {
		serve_close(test->serve, FAREWELL_MS);
		test->serve = NULL;
	}
	return view;
}

int tui_test_pause(struct tui_test *test, bool paused, struct err *err)
{
	if (!test)
		return 0;
	if (test->attach)
		return attach_send(test->attach, paused ? "pause" : "resume", err);
	test->paused = paused;
	runner_pause(test->runner, paused);
	return 0;
}

int tui_test_stop(struct tui_test *test, const char *reason, struct err *err)
{
	if (tui_test_watched(test))
		return attach_send(test->attach, "stop", err);
	if (tui_test_running(test))
		runner_stop(test->runner, reason);
	return 0;
}

void tui_test_wait(struct tui_test *test)
{
	if (test && test->runner)
		runner_wait(test->runner, SAVE_WAIT_MS);
}

void tui_test_suspend(struct tui_test *test)
{
	if (tui_test_running(test))
		runner_pause(test->runner, true);
}

void tui_test_resume(struct tui_test *test)
{
	if (tui_test_running(test) && !test->paused)
		runner_pause(test->runner, false);
}
