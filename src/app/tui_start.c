/* Starts a test on a job thread and hands it over. */
#include "app/tui_start.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"

struct tui_start {
	struct desk_task task;
	struct tui_tasks *tasks;
	struct tui_test *test; /* NULL once handed over */
	int rc;
	struct err fault;
	void (*opened)(void *user, struct tui_test *test, const struct err *fault);
	void *user;
	bool cancelled; /* the UI thread's */
};

/* A test that nobody wants: stopping it may wait for its drive too. */
struct burial {
	struct desk_task task;
	struct tui_test *test;
};

static void burial_work(struct desk_task *task)
{
	struct burial *burial = (struct burial *)(void *)task;

	tui_test_free(burial->test);
}

static void burial_dispose(struct desk_task *task)
{
	free(task);
}

static void bury(struct tui_tasks *tasks, struct tui_test *test)
{
	struct burial *burial = mem_alloc(sizeof(*burial));

	tui_test_stop(test, "given up while it was started", NULL);
	burial->task.work = burial_work;
	burial->task.dispose = burial_dispose;
	burial->test = test;
	/* Without a thread for it, it is left behind stopped, as one that hangs would be. */
	if (tui_tasks_submit(tasks, "stop", &burial->task, NULL))
		free(burial);
}

static void start_work(struct desk_task *task)
{
	struct tui_start *start = (struct tui_start *)(void *)task;

	start->rc = tui_test_open(start->test, &start->fault);
}

static void start_done(struct desk_task *task)
{
	struct tui_start *start = (struct tui_start *)(void *)task;
	struct tui_test *test = start->rc ? NULL : start->test;

	if (test)
		start->test = NULL;
	if (!start->cancelled)
		start->opened(start->user, test, test ? NULL : &start->fault);
	else if (test)
		bury(start->tasks, test);
}

static void start_dispose(struct desk_task *task)
{
	struct tui_start *start = (struct tui_start *)(void *)task;

	tui_test_free(start->test);
	free(start);
}

int tui_start_submit(struct tui_tasks *tasks, const struct runner_config *config,
	void (*opened)(void *user, struct tui_test *test, const struct err *fault), void *user,
	struct tui_start **out, struct err *err)
{
	struct tui_start *start = mem_alloc(sizeof(*start));
	char key[256] = "start";
	int rc;

	start->task.work = start_work;
	start->task.done = start_done;
	start->task.dispose = start_dispose;
	start->tasks = tasks;
	start->test = tui_test_create(config);
	start->opened = opened;
	start->user = user;
	/* A start that hangs keeps only later ones of the same targets waiting. */
	for (size_t i = 0; i < config->target_count; i++)
		str_append(key, sizeof(key), " %s", config->targets[i]);
	rc = tui_tasks_submit(tasks, key, &start->task, err);
	if (rc) {
		start_dispose(&start->task);
		return rc;
	}
	*out = start;
	return 0;
}

void tui_start_cancel(struct tui_start *start)
{
	start->cancelled = true;
	tui_test_cancel(start->test);
}
