/* The start of a test away from the UI thread: opening its targets may wait for a drive that never
 * answers. UI thread. */
#ifndef APP_TUI_START_H
#define APP_TUI_START_H

#include "app/tui_tasks.h"
#include "app/tui_test.h"

struct tui_start;

/* Copies what config points to. opened(user, test, NULL) comes with the test, which it takes, or with
 * the fault; never during this call. */
int tui_start_submit(struct tui_tasks *tasks, const struct runner_config *config,
	void (*opened)(void *user, struct tui_test *test, const struct err *fault), void *user,
	struct tui_start **out, struct err *err);
/* Nobody waits any more: opened is not called, and a test that comes all the same is stopped and
 * freed without anybody waiting for it. The start is not the caller's after this. */
void tui_start_cancel(struct tui_start *start);

#endif
