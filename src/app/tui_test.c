/* Owns the running test of the terminal program and everything the runner borrows. */
#include "app/tui_test.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "sim/backend.h"

#define SAVE_WAIT_MS 6000

struct tui_test {
	struct runner *runner; /* NULL before it is opened */
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

void tui_test_free(struct tui_test *test)
{
	if (!test)
		return;
	runner_destroy(test->runner);
	if (test->view)
		runner_view_free(test->view);
	copies_free(test);
}

bool tui_test_running(const struct tui_test *test)
{
	return test && test->runner && !runner_ended(test->runner);
}

int tui_test_fd(const struct tui_test *test)
{
	return test ? runner_mailbox(test->runner)->fd : -1;
}

const struct runner_view *tui_test_take(struct tui_test *test, struct runner_view **old)
{
	struct runner_view *view = test ? mailbox_take(runner_mailbox(test->runner)) : NULL;

	*old = NULL;
	if (!view)
		return NULL;
	*old = test->view;
	test->view = view;
	return view;
}

void tui_test_pause(struct tui_test *test, bool paused)
{
	if (!test)
		return;
	test->paused = paused;
	runner_pause(test->runner, paused);
}

void tui_test_stop(struct tui_test *test, const char *reason)
{
	if (tui_test_running(test))
		runner_stop(test->runner, reason);
}

void tui_test_wait(struct tui_test *test)
{
	if (test)
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
