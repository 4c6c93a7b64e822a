/* Screens, dialogs, notice and the running test, behind the desk that screens see. */
#include "app/tui_desk_internal.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "screens/check_view.h"

#define PAUSE_WAIT_MS 300

static struct tui_desk *tui_of(struct desk *desk)
{
	return desk->app;
}

static void dialog_close(struct tui_desk *tui)
{
	if (tui->dialog)
		dialog_free(tui->dialog);
	tui->dialog = NULL;
	tui->answer = NULL;
	tui->asker = NULL;
	tui->quit_dialog = false;
	tui->dirty = true;
}

static void bury(struct tui_desk *tui)
{
	while (!tui->busy && tui->dead_count) {
		struct screen *screen = tui->dead[--tui->dead_count];

		screen->ops->destroy(screen);
	}
}

/* ---- what screens call ----------------------------------------------------------------------- */

static void desk_push(struct desk *desk, struct screen *screen)
{
	struct tui_desk *tui = tui_of(desk);

	if (tui->depth ==
		DESK_STACK_MAX) { /* nobody goes that deep; the screen is not lost but refused */
		tui_tasks_forget(tui->tasks, screen);
		screen->ops->destroy(screen);
		desk->notice(desk, "too many screens are open: go back first");
		return;
	}
	tui->stack[tui->depth++] = screen;
	if (screen->ops->update)
		screen->ops->update(screen);
	tui->dirty = true;
}

static void desk_cancel_start(struct desk *desk)
{
	struct tui_desk *tui = tui_of(desk);

	if (tui->start)
		tui_start_cancel(tui->start);
	tui->start = NULL;
	desk->starting = false;
	tui->dirty = true;
}

static void desk_pop(struct desk *desk)
{
	struct tui_desk *tui = tui_of(desk);

	if (tui->depth < 2 || tui->dead_count == DESK_STACK_MAX)
		return;

	struct screen *screen = tui->stack[--tui->depth];

	tui->dead[tui->dead_count++] = screen;
	tui_tasks_forget(tui->tasks, screen);
	if (tui->start && tui->starter == screen)
		desk_cancel_start(desk);
	if (tui->dialog && tui->asker == screen)
		dialog_close(tui);
	tui->dirty = true;
}

static void desk_notice(struct desk *desk, const char *sentence)
{
	struct tui_desk *tui = tui_of(desk);

	str_copy(tui->notice, sizeof(tui->notice), sentence);
	tui->dirty = true;
}

static void desk_ask(struct desk *desk, struct dialog *dialog,
	void (*answer)(struct screen *screen, enum dialog_result result, const char *value),
	struct screen *screen)
{
	struct tui_desk *tui = tui_of(desk);

	dialog_close(tui);
	tui->dialog = dialog;
	tui->answer = answer;
	tui->asker = screen;
}

static int desk_submit(struct desk *desk, const char *key, struct desk_task *task, struct err *err)
{
	return tui_tasks_submit(tui_of(desk)->tasks, key, task, err);
}

static void run_opened(void *user, struct tui_test *test, const struct err *fault)
{
	struct tui_desk *tui = user;

	tui->start = NULL;
	tui->desk.starting = false;
	tui->dirty = true;
	if (test) {
		tui->desk.run = NULL;
		tui_test_free(tui->test);
		tui->test = test;
		tui_desk_run_take(tui);
	}
	if (tui->started)
		tui->started(tui->starter, fault);
}

static int desk_start_run(struct desk *desk, const struct runner_config *config,
	void (*started)(struct screen *screen, const struct err *fault), struct screen *screen,
	struct err *err)
{
	struct tui_desk *tui = tui_of(desk);
	struct runner_config whole = *config;
	const char *folder = NULL;

	if (tui_desk_running(tui) || tui->start)
		return err_set_exit(err, ERR_EXIT_USAGE, -EBUSY,
			"a test is %s already: stop it first, or wait for its end",
			tui->start ? "being started" : "running");

	int rc = session_runs_folder(tui->session, &folder, err);

	if (rc)
		return rc;
	whole.inventory = desk->inventory;
	whole.jobs = tui->session->jobs;
	whole.transport = tui->session->transport;
	whole.runs_folder = folder;
	tui->started = started;
	tui->starter = screen;
	rc = tui_start_submit(tui->tasks, &whole, run_opened, tui, &tui->start, err);
	desk->starting = !rc;
	tui->dirty = true;
	return rc;
}

static void desk_pause_run(struct desk *desk, bool paused)
{
	struct err err = {0};

	if (tui_test_pause(tui_of(desk)->test, paused, &err))
		desk_notice(desk, err.text);
}

static void desk_stop_run(struct desk *desk)
{
	struct err err = {0};

	if (tui_test_stop(tui_of(desk)->test, "stopped by the user", &err))
		desk_notice(desk, err.text);
}

static void desk_refresh(struct desk *desk)
{
	struct session *session = tui_of(desk)->session;

	if (session->inventory)
		inventory_refresh(session->inventory);
}

/* ---- making and ending ----------------------------------------------------------------------- */

int tui_desk_create(struct session *session, bool ascii, struct tui_desk **out, struct err *err)
{
	struct tui_desk *tui = mem_alloc(sizeof(*tui));
	const char *folder = "";
	int rc = keys_load(actions_keys, ACTION_COUNT, &tui->keys, err);

	if (!rc)
		rc = tui_tasks_create(session->jobs, &tui->tasks, err);
	if (rc) {
		keys_free(tui->keys);
		free(tui);
		return rc;
	}
	/* Without a folder results are empty and starting a test says why. */
	if (session_runs_name(session, &folder, NULL))
		folder = "";
	tui->session = session;
	tui->desk = (struct desk){
		.settings = &session->settings,
		.keys = tui->keys,
		.runs_folder = folder,
		.transport = session->transport,
		.jobs = session->jobs,
		.ascii = ascii,
		.app = tui,
		.push = desk_push,
		.pop = desk_pop,
		.notice = desk_notice,
		.ask = desk_ask,
		.submit = desk_submit,
		.start_run = desk_start_run,
		.cancel_start = desk_cancel_start,
		.attach_run = tui_desk_attach,
		.pause_run = desk_pause_run,
		.stop_run = desk_stop_run,
		.refresh = desk_refresh,
	};
	char name[65] = "";

	if (gethostname(name, sizeof(name) - 1))
		name[0] = '\0';
	str_sanitize_utf8(tui->desk.hostname, sizeof(tui->desk.hostname), name);
	tui->dirty = true;
	*out = tui;
	return 0;
}

void tui_desk_free(struct tui_desk *tui)
{
	if (!tui)
		return;
	dialog_close(tui);
	desk_cancel_start(&tui->desk);
	tui_tasks_free(tui->tasks);
	while (tui->depth) {
		struct screen *screen = tui->stack[--tui->depth];

		screen->ops->destroy(screen);
	}
	bury(tui);
	tui->desk.run = NULL;
	tui_test_free(tui->test);
	if (tui->desk.inventory)
		inventory_unref(tui->desk.inventory);
	keys_free(tui->keys);
	free(tui);
}

struct desk *tui_desk_of(struct tui_desk *tui)
{
	return &tui->desk;
}

/* ---- news ------------------------------------------------------------------------------------ */

/* Every screen is told, also those below: they keep histories, and must not hold on to what the
 * old snapshot owned. */
static void update_all(struct tui_desk *tui)
{
	for (size_t i = 0; i < tui->depth; i++) {
		struct screen *screen = tui->stack[i];

		if (screen->ops->update && screen->ops->update(screen) && i + 1 == tui->depth)
			tui->dirty = true;
	}
	bury(tui);
}

void tui_desk_inventory(struct tui_desk *tui, const struct inventory *inventory)
{
	const struct inventory *old = tui->desk.inventory;

	tui->desk.inventory = inventory;
	update_all(tui);
	if (old)
		inventory_unref(old);
}

int tui_desk_run_fd(const struct tui_desk *tui)
{
	return tui_test_fd(tui->test);
}

bool tui_desk_shows_test(const struct tui_desk *tui, const struct screen *screen)
{
	const struct runner_view *run = tui->desk.run;

	return !strcmp(screen->ops->name, "live") ||
		(!strcmp(screen->ops->name, "check") && run && run->has_check);
}

void tui_desk_run_take(struct tui_desk *tui)
{
	struct runner_view *old;
	struct screen *screen = tui_desk_top(tui);
	const struct runner_view *view = tui_test_take(tui->test, &old);

	if (!view)
		return;
	tui->desk.run = view;
	update_all(tui);
	if (view->state == RUNNER_ENDED && screen && !tui_desk_shows_test(tui, screen)) {
		char text[512], verdict[192];

		str_format(text, sizeof(text), "The %s of %s has ended: %s%s%s",
			view->has_check ? "check" : "test", view->targets,
			view->has_check && view->outcome == RUN_COMPLETE
				? check_view_verdict(&view->check, verdict, sizeof(verdict))
				: run_outcome_name(view->outcome),
			*view->save_fault ? "; not saved: " : "", view->save_fault);
		desk_notice(&tui->desk, text);
	}
	if (screen && !tui_desk_shows_test(tui, screen))
		tui->dirty = true; /* the indicator in the bottom line */
	if (old)
		runner_view_free(old);
}

int tui_desk_tasks_fd(const struct tui_desk *tui)
{
	return tui_tasks_fd(tui->tasks);
}

void tui_desk_tasks_take(struct tui_desk *tui)
{
	tui->busy = true;
	tui_tasks_take(tui->tasks);
	tui->busy = false;
	bury(tui);
	tui->dirty = true;
}

bool tui_desk_waiting(const struct tui_desk *tui)
{
	return tui_tasks_busy(tui->tasks);
}

bool tui_desk_stuck(const struct tui_desk *tui)
{
	return tui_desk_running(tui) || tui_tasks_busy(tui->tasks);
}

void tui_desk_tick(struct tui_desk *tui)
{
	update_all(tui);
}

bool tui_desk_running(const struct tui_desk *tui)
{
	return tui_test_running(tui->test);
}

/* ---- leaving --------------------------------------------------------------------------------- */

static void leave_answer(struct tui_desk *tui, enum dialog_result result)
{
	if (result != DIALOG_YES)
		return;
	tui_test_stop(tui->test, "stopped by the user", NULL);
	tui->leaving = true;
	tui->leaving_ns = clock_monotonic_ns();
	desk_notice(&tui->desk, "Stopping the test and saving what it has measured...");
}

enum tui_want tui_desk_quit(struct tui_desk *tui)
{
	/* Asked for once more while the test stops: do not wait for the drive. */
	if (!tui_desk_running(tui) || tui->leaving)
		return TUI_LEAVE;
	if (tui->quit_dialog)
		return TUI_GO_ON;
	desk_ask(&tui->desk,
		dialog_confirm("A test is running",
			"Stop it, keep what it has measured, and leave nvsweep?", "Stop and leave",
			"Go on"),
		NULL, NULL);
	tui->quit_dialog = true;
	return TUI_GO_ON;
}

bool tui_desk_leaving(const struct tui_desk *tui)
{
	return tui->leaving;
}

bool tui_desk_may_leave(struct tui_desk *tui)
{
	return tui->leaving &&
		(!tui_desk_running(tui) ||
			clock_monotonic_ns() - tui->leaving_ns > UINT64_C(6000000000));
}

void tui_desk_suspend(struct tui_desk *tui)
{
	if (!tui_desk_running(tui))
		return;
	tui_test_suspend(tui->test);
	/* The workers stop at their next completion: a moment for what is in flight. */
	for (int waited = 0; waited < PAUSE_WAIT_MS && tui_desk_running(tui); waited += 20) {
		tui_desk_run_take(tui);
		if (tui->desk.run && tui->desk.run->state == RUNNER_PAUSED)
			break;
		poll(NULL, 0, 20);
	}
}

void tui_desk_resume(struct tui_desk *tui)
{
	tui_test_resume(tui->test);
	tui->dirty = true;
}

bool tui_desk_stop_and_save(struct tui_desk *tui, const char *reason)
{
	if (!tui_desk_running(tui))
		return false;
	tui_test_stop(tui->test, reason, NULL);
	tui_test_wait(tui->test);
	return true;
}

/* ---- keys ------------------------------------------------------------------------------------ */

static void help_open(struct tui_desk *tui, const struct screen *screen)
{
	if (strcmp(screen->ops->name, "help") != 0)
		desk_push(&tui->desk, screen_help(&tui->desk, screen->ops->name));
}

/* Actions that a screen left to the program. True when it was one of them. */
static bool global_action(
	struct tui_desk *tui, struct screen *screen, enum action action, enum tui_want *want)
{
	struct desk *desk = &tui->desk;

	switch (action) {
	case ACTION_QUIT:
		*want = tui_desk_quit(tui);
		return true;
	case ACTION_BACK:
		desk_pop(desk);
		return true;
	case ACTION_HELP:
		help_open(tui, screen);
		return true;
	case ACTION_EXPLAIN:
		desk_ask(desk, screen_explain_dialog(screen), NULL, screen);
		return true;
	case ACTION_REDRAW:
		*want = TUI_REDRAW;
		return true;
	case ACTION_RESULTS:
		if (strcmp(screen->ops->name, "results") != 0)
			desk_push(desk, screen_results(desk));
		return true;
	case ACTION_RUNNING:
		if (!tui_desk_shows_test(tui, screen))
			tui_desk_show_running(tui);
		return true;
	default:
		return false;
	}
}

static void dialog_take(struct tui_desk *tui, const struct key *key)
{
	const enum dialog_result result = dialog_key(tui->dialog, key);

	tui->dirty = true;
	if (result == DIALOG_OPEN)
		return;
	if (tui->quit_dialog) {
		dialog_close(tui);
		leave_answer(tui, result);
		return;
	}
	/* The answer may open the next dialog: this one is taken off before. */
	struct dialog *dialog = tui->dialog;
	struct screen *asker = tui->asker;
	void (*answer)(struct screen * screen, enum dialog_result result, const char *value) =
		tui->answer;

	tui->dialog = NULL;
	dialog_close(tui);
	if (answer)
		answer(asker, result, dialog_value(dialog));
	dialog_free(dialog);
}

static enum tui_want screen_take(struct tui_desk *tui, struct screen *screen, const struct key *key)
{
	const bool editing = screen->ops->editing && screen->ops->editing(screen);
	enum tui_want want = TUI_GO_ON;

	if (editing && screen->ops->key && screen->ops->key(screen, key))
		return want;

	int action = keys_lookup(tui->keys, screen->ops->name, key);

	/* A click on a hint is its key. */
	if (key->code == KEYC_MOUSE && key->button == MOUSE_LEFT && key->y == tui->height - 1) {
		action = (int)screen_hint_at(screen, tui->width, key->x);
		if (action == ACTION_COUNT)
			return want;
	}
	if (action >= 0 && screen->ops->action && screen->ops->action(screen, (enum action)action))
		return want;
	/* The screen may be gone after its action returned true only; here it still stands. */
	if (action >= 0 && global_action(tui, screen, (enum action)action, &want))
		return want;
	if (!editing && screen->ops->key)
		screen->ops->key(screen, key);
	return want;
}

enum tui_want tui_desk_key(struct tui_desk *tui, const struct key *key)
{
	enum tui_want want = TUI_GO_ON;

	if (key->code == KEY_NONE)
		return want;
	if (key->code == KEYC_EOF)
		return TUI_LEAVE;
	if (key->code == KEYC_CTRL_Z)
		return TUI_SUSPEND;
	if (tui->notice[0] && key->code != KEYC_RESIZE && !tui->leaving) {
		tui->notice[0] = '\0';
		tui->dirty = true;
	}
	/* A press that does nothing draws nothing: term_show sends only what differs. */
	tui->dirty = true;
	if (tui->small) {
		/* What is not seen is not operated. */
		const struct screen *screen = tui_desk_top(tui);

		if (screen && keys_lookup(tui->keys, screen->ops->name, key) == ACTION_QUIT)
			want = tui_desk_running(tui) ? TUI_GO_ON : TUI_LEAVE;
		return want;
	}
	tui->busy = true;
	if (tui->dialog)
		dialog_take(tui, key);
	else if (tui_desk_top(tui))
		want = screen_take(tui, tui_desk_top(tui), key);
	tui->busy = false;
	bury(tui);
	return want;
}
