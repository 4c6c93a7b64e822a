/* Work on job threads for screens, and who still waits for it. */
#include "app/tui_tasks.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"

struct tui_tasks {
	struct jobs_client *client; /* NULL: there are no threads */
	struct desk_task *first;    /* under way */
};

/* On whichever thread found that nobody waits; only task.dispose is read there. */
static void discard(struct job *job)
{
	struct desk_task *task = (struct desk_task *)(void *)job;

	task->dispose(task);
}

static void run(struct job *job)
{
	struct desk_task *task = (struct desk_task *)(void *)job;

	task->work(task);
}

int tui_tasks_create(struct jobs *jobs, struct tui_tasks **out, struct err *err)
{
	struct tui_tasks *tasks = mem_alloc(sizeof(*tasks));
	const int rc = jobs ? jobs_client_open(jobs, &tasks->client, err) : 0;

	if (rc) {
		free(tasks);
		return rc;
	}
	*out = tasks;
	return 0;
}

void tui_tasks_free(struct tui_tasks *tasks)
{
	if (!tasks)
		return;
	jobs_client_close(tasks->client);
	free(tasks);
}

int tui_tasks_fd(const struct tui_tasks *tasks)
{
	return tasks->client ? jobs_client_fd(tasks->client) : -1;
}

int tui_tasks_submit(
	struct tui_tasks *tasks, const char *key, struct desk_task *task, struct err *err)
{
	int rc;

	task->job.run = run;
	task->job.discard = discard;
	task->forgotten = false;
	if (!tasks->client)
		return err_set(err, -ENOSYS, "nothing can be asked of drives here");
	rc = jobs_submit(tasks->client, key, &task->job, err);
	if (rc)
		return rc;
	task->next = tasks->first;
	tasks->first = task;
	return 0;
}

static void unlink_task(struct tui_tasks *tasks, const struct desk_task *task)
{
	struct desk_task **at = &tasks->first;

	while (*at && *at != task)
		at = &(*at)->next;
	if (*at)
		*at = task->next;
}

void tui_tasks_take(struct tui_tasks *tasks)
{
	struct job *job;

	while (tasks->client && (job = jobs_collect(tasks->client)) != NULL) {
		struct desk_task *task = (struct desk_task *)(void *)job;

		unlink_task(tasks, task);
		if (!task->forgotten && task->done)
			task->done(task);
		task->dispose(task);
	}
}

void tui_tasks_forget(struct tui_tasks *tasks, const struct screen *screen)
{
	for (struct desk_task *task = tasks->first; task; task = task->next)
		if (screen && task->screen == screen)
			task->forgotten = true;
}

bool tui_tasks_busy(const struct tui_tasks *tasks)
{
	return tasks->first != NULL;
}
