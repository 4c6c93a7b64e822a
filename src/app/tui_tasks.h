/* What screens and the program have under way on job threads (struct desk_task): a list that knows
 * whose answer nobody waits for any more, because its screen has gone. UI thread. */
#ifndef APP_TUI_TASKS_H
#define APP_TUI_TASKS_H

#include "base/jobs.h"
#include "screens/screen.h"

struct tui_tasks;

/* jobs may be NULL: then submitting fails. It outlives the tasks. */
int tui_tasks_create(struct jobs *jobs, struct tui_tasks **out, struct err *err);
/* Waits for nothing: a task that still runs is disposed of on its thread when it ends. */
void tui_tasks_free(struct tui_tasks *tasks);
/* Readable when tui_tasks_take has something to do; -1 never. */
int tui_tasks_fd(const struct tui_tasks *tasks);
int tui_tasks_submit(
	struct tui_tasks *tasks, const char *key, struct desk_task *task, struct err *err);
/* Hands finished tasks to whoever waits for them. */
void tui_tasks_take(struct tui_tasks *tasks);
/* The screen goes: its tasks are disposed of without an answer. */
void tui_tasks_forget(struct tui_tasks *tasks, const struct screen *screen);
/* One is on its way, perhaps in a drive that hangs. */
bool tui_tasks_busy(const struct tui_tasks *tasks);

#endif
