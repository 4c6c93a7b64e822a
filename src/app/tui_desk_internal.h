/* Inside of the desk: what tui_desk.c (screens, dialogs, keys, the test) and tui_frame.c (painting),
 * tui_watch.c (tests of other processes) share. UI thread. */
#ifndef APP_TUI_DESK_INTERNAL_H
#define APP_TUI_DESK_INTERNAL_H

#include "app/tui_desk.h"
#include "app/tui_start.h"
#include "app/tui_tasks.h"
#include "app/tui_test.h"

#define DESK_STACK_MAX 16

struct tui_desk {
	struct desk desk;
	struct session *session;
	struct keys *keys;
	struct tui_tasks *tasks;
	struct tui_test *test;   /* the running or last one */
	struct tui_start *start; /* of the next one; NULL: none is on its way */
	void (*started)(struct screen *screen, const struct err *fault);
	struct screen *starter;
	struct screen *stack[DESK_STACK_MAX];
	size_t depth;
	struct screen
		*dead[DESK_STACK_MAX]; /* popped, freed when the call that popped them is over */
	size_t dead_count;
	struct dialog *dialog;
	void (*answer)(struct screen *screen, enum dialog_result result, const char *value);
	struct screen *asker;
	bool quit_dialog; /* the open one is about leaving */
	unsigned silence; /* of another process's test, in steps, when it was last said */
	char notice[512];
	bool dirty, leaving;
	bool small;        /* the last frame only said that the terminal is too small */
	int width, height; /* of the last frame */
	bool busy;         /* a screen's code may be on the stack: nobody is buried */
	uint64_t leaving_ns;
};

/* tui_watch.c */
int tui_desk_attach(struct desk *desk, const char *run_id, struct err *err);
void tui_desk_show_running(struct tui_desk *tui);

static inline struct screen *tui_desk_top(const struct tui_desk *tui)
{
	return tui->depth ? tui->stack[tui->depth - 1] : NULL;
}

/* The screen shows the running test itself: nothing has to be said of it elsewhere. */
bool tui_desk_shows_test(const struct tui_desk *tui, const struct screen *screen);

#endif
