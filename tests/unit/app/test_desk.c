/* The desk with screens that record what reaches them, and with a real test on a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <poll.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/tui_desk.h"
#include "base/mem.h"
#include "conf/assets.h"
#include "sweep/workload.h"

/* A screen that counts. */
struct probe {
	struct screen screen;
	int actions, keys, updates, draws, *destroyed;
	enum action last_action;
	uint32_t last_key;
	bool edits, uses_keys, uses_actions, changes;
	void (*on_action)(struct probe *probe);
};

static struct probe *of(struct screen *screen)
{
	return (struct probe *)(void *)screen;
}

static void probe_draw(struct screen *screen, struct canvas *canvas, struct rect area)
{
	of(screen)->draws++;
	canvas_text(canvas, area.x, area.y, -1, ROLE_TEXT, "content");
	canvas_text(canvas, 0, 0, -1, ROLE_TEXT, "outside"); /* is clipped */
}

static void probe_title(
	struct screen *screen, char *left, size_t left_size, char *right, size_t right_size)
{
	(void)screen;
	str_copy(left, left_size, "probe title");
	str_copy(right, right_size, "");
}

static bool probe_action(struct screen *screen, enum action action)
{
	struct probe *probe = of(screen);

	probe->actions++;
	probe->last_action = action;
	if (probe->on_action)
		probe->on_action(probe);
	return probe->uses_actions;
}

static bool probe_key(struct screen *screen, const struct key *key)
{
	of(screen)->keys++;
	of(screen)->last_key = key->code;
	return of(screen)->uses_keys;
}

static bool probe_editing(struct screen *screen)
{
	return of(screen)->edits;
}

static bool probe_update(struct screen *screen)
{
	of(screen)->updates++;
	return of(screen)->changes;
}

static const struct screen_hint *probe_hints(struct screen *screen)
{
	static const struct screen_hint hints[] = {{ACTION_QUIT, "quit"}, {ACTION_COUNT, NULL}};

	(void)screen;
	return hints;
}

static const struct screen_hint *many_hints;

static const struct screen_hint *probe_many_hints(struct screen *screen)
{
	(void)screen;
	return many_hints;
}

static void probe_destroy(struct screen *screen)
{
	++*of(screen)->destroyed;
	free(screen);
}

static const struct screen_ops probe_ops = {.name = "drives",
	.draw = probe_draw,
	.title = probe_title,
	.action = probe_action,
	.key = probe_key,
	.editing = probe_editing,
	.update = probe_update,
	.hints = probe_hints,
	.destroy = probe_destroy};

struct fixture {
	struct session session;
	struct tui_desk *tui;
	struct desk *desk;
	int destroyed;
	char folder[64];
};

static struct probe *push(struct fixture *f)
{
	struct probe *probe = mem_alloc(sizeof(*probe));

	probe->screen.ops = &probe_ops;
	probe->screen.desk = f->desk;
	probe->destroyed = &f->destroyed;
	f->desk->push(f->desk, &probe->screen);
	return probe;
}

static int setup(void **state)
{
	struct fixture *f = mem_alloc(sizeof(*f));
	struct err err;

	assets_set_folders("", "");
	str_copy(f->folder, sizeof(f->folder), "/tmp/nvsweep-desk-XXXXXX");
	assert_non_null(mkdtemp(f->folder));
	settings_defaults(&f->session.settings);
	str_copy(f->session.settings.runs_folder, sizeof(f->session.settings.runs_folder),
		f->folder);
	assert_int_equal(jobs_create(&f->session.jobs, &err), 0);
	assert_int_equal(tui_desk_create(&f->session, false, &f->tui, &err), 0);
	f->desk = tui_desk_of(f->tui);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	char command[128];

	tui_desk_free(f->tui);
	jobs_destroy(f->session.jobs);
	str_format(command, sizeof(command), "rm -r %s", f->folder);
	assert_int_equal(system(command), 0);
	free(f);
	return 0;
}

static enum tui_want press(struct fixture *f, const char *name)
{
	const struct key key = {.code = key_parse(name)};

	assert_true(key.code != 0);
	return tui_desk_key(f->tui, &key);
}

static void keys_go_to_editor_then_action_then_program(void **state)
{
	struct fixture *f = *state;
	struct probe *first = push(f), *second = push(f);

	/* An editor that uses the key: nobody else sees it, not even q. */
	second->edits = second->uses_keys = true;
	assert_int_equal(press(f, "q"), TUI_GO_ON);
	assert_int_equal(second->keys, 1);
	assert_int_equal(second->actions, 0);
	/* One that does not: the action comes, and what it leaves is the program's: back. */
	second->uses_keys = false;
	press(f, "Esc");
	assert_int_equal(f->destroyed, 1);
	/* Now the first one is on top; the last screen stays. */
	press(f, "Esc");
	assert_int_equal(f->destroyed, 1);
	assert_int_equal(first->last_action, ACTION_BACK);
	/* A key without an action reaches key(); one that the screen's action used does not. */
	first->keys = 0;
	press(f, "F12");
	assert_int_equal(first->keys, 1);
	first->uses_actions = true;
	assert_int_equal(press(f, "q"), TUI_GO_ON);
	assert_int_equal(first->keys, 1);
	first->uses_actions = false;
	assert_int_equal(press(f, "q"), TUI_LEAVE);
	assert_int_equal(press(f, "Ctrl-L"), TUI_REDRAW);
}

static void pop_and_more(struct probe *probe)
{
	struct desk *desk = probe->screen.desk;

	desk->pop(desk);
	/* Still alive here, or the sanitizer says so. */
	probe->actions += *probe->destroyed ? 100 : 0;
	assert_int_equal(*probe->destroyed, 0);
	desk->notice(desk, "popped");
}

static void a_popped_screen_lives_until_its_call_is_over(void **state)
{
	struct fixture *f = *state;
	struct probe *first = push(f), *second = push(f);

	second->on_action = pop_and_more;
	second->uses_actions = true;
	press(f, "Down");
	assert_int_equal(f->destroyed, 1);
	press(f, "Down");
	assert_int_equal(first->last_action, ACTION_DOWN);
}

static void screens_beyond_the_limit_are_refused(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 40; i++)
		push(f);
	assert_true(f->destroyed > 0 && f->destroyed < 40);
	press(f, "Down");
	press(f, "Esc");
}

static void frames_hold_title_content_notice_and_hints(void **state)
{
	struct fixture *f = *state;
	struct canvas *canvas = canvas_create(60, 12);
	struct probe *probe = push(f);
	char *text;

	f->desk->notice(f->desk, "something to know");
	assert_true(tui_desk_dirty(f->tui));
	tui_desk_draw(f->tui, canvas);
	assert_false(tui_desk_dirty(f->tui));
	text = canvas_dump(canvas);
	assert_true(str_starts_with(text, " probe title"));
	assert_non_null(strstr(text, "\ncontent\n"));
	assert_null(strstr(text, "outside"));
	assert_non_null(strstr(text, "\n something to know\n q quit"));
	free(text);
	/* Gone with the next key; and news that change nothing draw nothing. */
	press(f, "Down");
	tui_desk_draw(f->tui, canvas);
	text = canvas_dump(canvas);
	assert_null(strstr(text, "something to know"));
	free(text);
	tui_desk_tick(f->tui);
	assert_false(tui_desk_dirty(f->tui));
	probe->changes = true;
	tui_desk_tick(f->tui);
	assert_true(tui_desk_dirty(f->tui));
	canvas_free(canvas);
}

static enum tui_want click(struct fixture *f, int x, int y)
{
	const struct key key = {.code = KEYC_MOUSE, .button = MOUSE_LEFT, .x = x, .y = y};

	return tui_desk_key(f->tui, &key);
}

static void a_click_on_a_hint_is_its_key(void **state)
{
	struct fixture *f = *state;
	struct canvas *canvas = canvas_create(60, 12);
	struct probe *probe = push(f);

	/* " q quit" in the last line: the words, not the empty room around them */
	tui_desk_draw(f->tui, canvas);
	assert_int_equal(click(f, 0, 11), TUI_GO_ON);
	assert_int_equal(click(f, 7, 11), TUI_GO_ON);
	assert_int_equal(probe->actions, 0);
	assert_int_equal(click(f, 1, 11), TUI_LEAVE);
	assert_int_equal(probe->last_action, ACTION_QUIT);
	assert_int_equal(click(f, 6, 11), TUI_LEAVE);
	assert_int_equal(probe->actions, 2);
	/* the line above belongs to the screen */
	probe->keys = 0;
	assert_int_equal(click(f, 1, 10), TUI_GO_ON);
	assert_int_equal(probe->actions, 2);
	assert_int_equal(probe->keys, 1);
	canvas_free(canvas);
}

static void hints_and_the_running_test_share_the_line(void **state)
{
	static const struct screen_hint hints[] = {{ACTION_UP, ""}, {ACTION_DOWN, "walk about"},
		{ACTION_RESULTS, "results of before"}, {ACTION_HELP, "help"}, {ACTION_QUIT, "quit"},
		{ACTION_COUNT, NULL}};
	struct fixture *f = *state;
	struct canvas *canvas = canvas_create(60, 12);
	struct probe *probe = push(f);
	struct screen_ops ops = probe_ops;
	char *text;

	ops.hints = NULL;
	probe->screen.ops = &ops;
	assert_int_equal(screen_hint_at(&probe->screen, 60, 1), ACTION_COUNT);
	many_hints = hints;
	ops.hints = probe_many_hints;
	screen_draw_bottom(&probe->screen, canvas, "");
	text = canvas_dump(canvas);
	assert_non_null(strstr(text, "\n Up Down walk about  r results of before  ? help  q quit"));
	free(text);
	assert_int_equal(screen_hint_at(&probe->screen, 60, 1), ACTION_UP);
	assert_int_equal(screen_hint_at(&probe->screen, 60, 4), ACTION_DOWN);
	assert_int_equal(screen_hint_at(&probe->screen, 60, 21), ACTION_RESULTS);
	/* With 22 columns taken, whole hints give way; none is cut. */
	f->desk->status_width = 22;
	canvas_clear(canvas);
	screen_draw_bottom(&probe->screen, canvas, "");
	text = canvas_dump(canvas);
	assert_non_null(strstr(text, "\n Up Down walk about  ? help  q quit"));
	assert_null(strstr(text, "results"));
	free(text);
	assert_int_equal(screen_hint_at(&probe->screen, 60, 21), ACTION_HELP);
	f->desk->status_width = 0;
	probe->screen.ops = &probe_ops;
	canvas_free(canvas);
}

static void a_small_terminal_takes_no_keys_but_quit(void **state)
{
	static const int sizes[][2] = {{1, 1}, {39, 24}, {80, 9}, {2, 40}};
	struct fixture *f = *state;
	struct probe *probe = push(f);

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct canvas *canvas = canvas_create(sizes[i][0], sizes[i][1]);

		tui_desk_draw(f->tui, canvas);
		assert_int_equal(probe->draws, 0);
		press(f, "Down");
		press(f, "Enter");
		assert_int_equal(probe->actions + probe->keys, 0);
		assert_int_equal(press(f, "q"), TUI_LEAVE);
		canvas_free(canvas);
	}
}

static int answers;
static enum dialog_result answered;

static void answer(struct screen *screen, enum dialog_result result, const char *value)
{
	assert_non_null(screen);
	assert_non_null(value);
	answers++;
	answered = result;
}

static void a_dialog_takes_all_keys_and_answers_once(void **state)
{
	struct fixture *f = *state;
	struct probe *probe = push(f);

	answers = 0;
	f->desk->ask(f->desk, dialog_input("Filter", "Text", ""), answer, &probe->screen);
	press(f, "q");
	assert_int_equal(probe->actions + probe->keys, 0);
	press(f, "Enter");
	assert_int_equal(answers, 1);
	assert_int_equal(answered, DIALOG_YES);
	press(f, "Down");
	assert_int_equal(answers, 1);
	assert_int_equal(probe->last_action, ACTION_DOWN);
	/* Without an answer, and with a screen that goes while it is open. */
	push(f);
	f->desk->ask(f->desk, dialog_message("Title", "Text"), NULL, NULL);
	press(f, "Enter");
	press(f, "Esc");
	assert_int_equal(f->destroyed, 1);
}

static int started;
static struct err started_fault;

static void on_started(struct screen *screen, const struct err *fault)
{
	assert_non_null(screen);
	started++;
	err_clear(&started_fault);
	if (fault)
		started_fault = *fault;
}

static void wait_for_start(struct fixture *f)
{
	while (f->desk->starting) {
		struct pollfd wait = {.fd = tui_desk_tasks_fd(f->tui), .events = POLLIN};

		poll(&wait, 1, 1000);
		tui_desk_tasks_take(f->tui);
	}
}

/* A closed loop on the named target that would go on for an hour. */
static int start_on(struct fixture *f, const char *path, struct err *err)
{
	static struct screen asker;
	const char *const targets[] = {path};
	struct workload *workload;
	struct runner_config config = {.method = "fixed", .targets = targets, .target_count = 1};

	assert_int_equal(workload_load("rand-read-4k", &workload, err), 0);
	options_defaults(&config.options);
	assert_int_equal(options_set(&config.options, "point_s=3600", err), 0);
	config.workload = workload;

	const int rc = f->desk->start_run(f->desk, &config, on_started, &asker, err);

	workload_free(workload); /* the desk has its own copy */
	return rc;
}

/* The same on a file with data. */
static int start_test(struct fixture *f, struct err *err)
{
	char path[96], block[4096];

	str_format(path, sizeof(path), "%s/data", f->folder);
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	for (int i = 0; i < 64; i++) {
		memset(block, i + 1, sizeof(block));
		assert_int_equal(fwrite(block, sizeof(block), 1, file), 1);
	}
	fclose(file);
	return start_on(f, path, err);
}

static void wait_for_view(struct fixture *f, enum runner_state state)
{
	while (!f->desk->run || f->desk->run->state != state) {
		struct pollfd wait = {.fd = tui_desk_run_fd(f->tui), .events = POLLIN};

		poll(&wait, 1, 1000);
		tui_desk_run_take(f->tui);
	}
}

static void leaving_asks_while_a_test_runs(void **state)
{
	struct fixture *f = *state;
	struct err err;

	push(f);
	assert_int_equal(tui_desk_run_fd(f->tui), -1);
	started = 0;
	assert_int_equal(start_test(f, &err), 0);
	assert_true(f->desk->starting);
	/* One at a time, also before it runs. */
	assert_true(start_test(f, &err) < 0);
	assert_int_equal(started, 0);
	wait_for_start(f);
	assert_int_equal(started, 1);
	assert_int_equal(started_fault.code, 0);
	assert_true(tui_desk_running(f->tui));
	assert_true(start_test(f, &err) < 0);
	assert_int_equal(err.exit, ERR_EXIT_USAGE);
	wait_for_view(f, RUNNER_RUNNING);
	/* ^Z pauses it, fg lets it go on. */
	tui_desk_suspend(f->tui);
	wait_for_view(f, RUNNER_PAUSED);
	tui_desk_resume(f->tui);
	wait_for_view(f, RUNNER_RUNNING);
	/* q asks; no is no. */
	assert_int_equal(press(f, "q"), TUI_GO_ON);
	press(f, "Esc");
	assert_true(tui_desk_running(f->tui));
	assert_false(tui_desk_leaving(f->tui));
	/* q, yes: it stops, is saved, and then the program may leave. */
	assert_int_equal(press(f, "q"), TUI_GO_ON);
	press(f, "Left");
	press(f, "Enter");
	assert_true(tui_desk_leaving(f->tui));
	while (!tui_desk_may_leave(f->tui))
		poll(NULL, 0, 10);
	wait_for_view(f, RUNNER_ENDED);
	assert_int_equal(f->desk->run->outcome, RUN_STOPPED);
	assert_true(f->desk->run->saved_path[0] != '\0');
	assert_int_equal(access(f->desk->run->saved_path, F_OK), 0);
}

static void a_signal_stops_and_saves(void **state)
{
	struct fixture *f = *state;
	struct err err;

	push(f);
	assert_false(tui_desk_stop_and_save(f->tui, "nothing runs"));
	assert_int_equal(start_test(f, &err), 0);
	wait_for_start(f);
	wait_for_view(f, RUNNER_RUNNING);
	assert_true(tui_desk_stop_and_save(f->tui, "hung up"));
	wait_for_view(f, RUNNER_ENDED);
	assert_string_equal(f->desk->run->reason, "hung up");
	assert_int_equal(access(f->desk->run->saved_path, F_OK), 0);
}

static void a_start_that_fails_says_why(void **state)
{
	struct fixture *f = *state;
	char path[96];
	struct err err;

	push(f);
	started = 0;
	str_format(path, sizeof(path), "%s/nothing", f->folder);
	assert_int_equal(start_on(f, path, &err), 0);
	wait_for_start(f);
	assert_int_equal(started, 1);
	assert_true(started_fault.code < 0);
	assert_non_null(strstr(started_fault.text, path));
	assert_false(tui_desk_running(f->tui));
}

static void a_start_given_up_tells_nobody_and_leaves_nothing_running(void **state)
{
	struct fixture *f = *state;
	struct err err;

	push(f);
	started = 0;
	assert_int_equal(start_test(f, &err), 0);
	f->desk->cancel_start(f->desk);
	assert_false(f->desk->starting);
	/* whether it was open already or not: it ends, unseen */
	while (tui_desk_stuck(f->tui)) {
		struct pollfd wait = {.fd = tui_desk_tasks_fd(f->tui), .events = POLLIN};

		poll(&wait, 1, 1000);
		tui_desk_tasks_take(f->tui);
	}
	assert_int_equal(started, 0);
	assert_null(f->desk->run);
	/* and the next one starts */
	assert_int_equal(start_test(f, &err), 0);
	wait_for_start(f);
	assert_int_equal(started, 1);
	assert_true(tui_desk_running(f->tui));
}

struct slow {
	struct desk_task task;
	sem_t *gate;
	int *done, *disposed;
};

static void slow_work(struct desk_task *task)
{
	sem_wait(((struct slow *)(void *)task)->gate);
}

static void slow_done(struct desk_task *task)
{
	++*((struct slow *)(void *)task)->done;
}

static void slow_dispose(struct desk_task *task)
{
	++*((struct slow *)(void *)task)->disposed;
	free(task);
}

static void take_tasks(struct fixture *f)
{
	while (tui_desk_stuck(f->tui)) {
		struct pollfd wait = {.fd = tui_desk_tasks_fd(f->tui), .events = POLLIN};

		poll(&wait, 1, 1000);
		tui_desk_tasks_take(f->tui);
	}
}

/* A screen that has gone is not called; its work is put away all the same. */
static void work_of_a_screen_that_has_gone_is_not_answered(void **state)
{
	struct fixture *f = *state;
	int done = 0, disposed = 0;
	sem_t gate;

	sem_init(&gate, 0, 0);
	push(f);
	for (int round = 0; round < 2; round++) {
		struct probe *probe = push(f);
		struct slow *slow = mem_alloc(sizeof(*slow));
		struct err err;

		*slow = (struct slow){.task = {.work = slow_work,
					      .done = slow_done,
					      .dispose = slow_dispose,
					      .screen = &probe->screen},
			.gate = &gate,
			.done = &done,
			.disposed = &disposed};
		assert_int_equal(f->desk->submit(f->desk, "slow", &slow->task, &err), 0);
		assert_true(tui_desk_stuck(f->tui));
		if (round)
			press(f, "Esc");
		sem_post(&gate);
		take_tasks(f);
		assert_int_equal(done, 1);
		assert_int_equal(disposed, round + 1);
	}
	sem_destroy(&gate);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			keys_go_to_editor_then_action_then_program, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_popped_screen_lives_until_its_call_is_over, setup, teardown),
		cmocka_unit_test_setup_teardown(
			screens_beyond_the_limit_are_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(
			frames_hold_title_content_notice_and_hints, setup, teardown),
		cmocka_unit_test_setup_teardown(a_click_on_a_hint_is_its_key, setup, teardown),
		cmocka_unit_test_setup_teardown(
			hints_and_the_running_test_share_the_line, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_small_terminal_takes_no_keys_but_quit, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_dialog_takes_all_keys_and_answers_once, setup, teardown),
		cmocka_unit_test_setup_teardown(leaving_asks_while_a_test_runs, setup, teardown),
		cmocka_unit_test_setup_teardown(a_signal_stops_and_saves, setup, teardown),
		cmocka_unit_test_setup_teardown(a_start_that_fails_says_why, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_start_given_up_tells_nobody_and_leaves_nothing_running, setup, teardown),
		cmocka_unit_test_setup_teardown(
			work_of_a_screen_that_has_gone_is_not_answered, setup, teardown),
	};

	alarm(300);
	return cmocka_run_group_tests_name("desk", tests, NULL, NULL);
}
