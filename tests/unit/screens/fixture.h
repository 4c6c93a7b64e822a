/* For tests of screens: a desk without a program behind it, hand-made snapshots, and comparison
 * with kept screens (expected/NAME.txt). NVSWEEP_KEEP=1 writes them anew: look at the difference
 * and say in the commit why it changed. */
#ifndef TEST_SCREENS_FIXTURE_H
#define TEST_SCREENS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "conf/assets.h"
#include "nvme/inventory.h"
#include "screens/screen.h"
#include "snapshots.h"
#include "stats/series.h"

struct bench {
	struct desk desk;
	struct settings settings;
	struct keys *keys;
	struct screen *stack[8];
	size_t depth;
	struct screen *dead[8];
	size_t dead_count;
	char notice[512];
	struct dialog *dialog;
	void (*answer)(struct screen *screen, enum dialog_result result, const char *value);
	struct screen *asker;
	/* what was asked of the program */
	unsigned refreshes, pauses, stops, starts;
	bool paused;
	char started[256]; /* "curve rand-read-4k nvme0n1" */
	struct options started_options;
	const char *start_fault; /* start_run fails with it */
	bool start_waits;        /* its answer comes with bench_answer_start */
	void (*start_answer)(struct screen *screen, const struct err *fault);
	struct screen *starter;
	struct gate_consent consent; /* of the last start */
	bool threads;                /* submit takes tasks, for bench_work */
	struct desk_task *tasks[4];  /* submitted, not yet worked on */
	size_t task_count;
	unsigned cancels;
};

static inline struct bench *bench_of(struct desk *desk)
{
	return desk->app;
}

static inline void bench_push(struct desk *desk, struct screen *screen)
{
	struct bench *bench = bench_of(desk);

	assert_true(bench->depth < 8);
	bench->stack[bench->depth++] = screen;
}

static inline void bench_pop(struct desk *desk)
{
	struct bench *bench = bench_of(desk);

	if (bench->depth > 1)
		bench->dead[bench->dead_count++] = bench->stack[--bench->depth];
}

static inline void bench_notice(struct desk *desk, const char *sentence)
{
	str_copy(bench_of(desk)->notice, sizeof(bench_of(desk)->notice), sentence);
}

static inline void bench_ask(struct desk *desk, struct dialog *dialog,
	void (*answer)(struct screen *screen, enum dialog_result result, const char *value),
	struct screen *screen)
{
	struct bench *bench = bench_of(desk);

	dialog_free(bench->dialog);
	bench->dialog = dialog;
	bench->answer = answer;
	bench->asker = screen;
}

static inline void bench_answer_start(struct desk *desk)
{
	struct bench *bench = bench_of(desk);
	struct err fault = {0};

	desk->starting = false;
	if (bench->start_fault)
		err_set(&fault, -5, "%s", bench->start_fault);
	bench->start_answer(bench->starter, bench->start_fault ? &fault : NULL);
}

static inline int bench_start(struct desk *desk, const struct runner_config *config,
	void (*started)(struct screen *screen, const struct err *fault), struct screen *screen,
	struct err *err)
{
	struct bench *bench = bench_of(desk);

	(void)err;
	bench->starts++;
	str_format(bench->started, sizeof(bench->started), "%s %s", config->method,
		config->workload->name);
	for (size_t i = 0; i < config->target_count; i++)
		str_append(bench->started, sizeof(bench->started), " %s", config->targets[i]);
	bench->started_options = config->options;
	bench->consent = config->consent;
	bench->start_answer = started;
	bench->starter = screen;
	desk->starting = true;
	if (!bench->start_waits)
		bench_answer_start(desk);
	return 0;
}

static inline void bench_cancel(struct desk *desk)
{
	desk->starting = false;
	bench_of(desk)->cancels++;
}

static inline int bench_submit(
	struct desk *desk, const char *key, struct desk_task *task, struct err *err)
{
	struct bench *bench = bench_of(desk);

	/* A desk without threads: screens do what they have to themselves. */
	if (!bench->threads)
		return err_set(err, -ENOSYS, "no thread for %s here", key);
	assert_true(bench->task_count < 4);
	bench->tasks[bench->task_count++] = task;
	return 0;
}

/* Does the oldest task, or (work false) says that it is done without having done it. */
static inline void bench_work(struct bench *bench, bool work)
{
	assert_true(bench->task_count > 0);
	struct desk_task *task = bench->tasks[0];

	bench->task_count--;
	memmove(bench->tasks, bench->tasks + 1, bench->task_count * sizeof(bench->tasks[0]));
	if (work)
		task->work(task);
	task->done(task);
	task->dispose(task);
}

static inline void bench_pause(struct desk *desk, bool paused)
{
	bench_of(desk)->pauses++;
	bench_of(desk)->paused = paused;
}

static inline void bench_stop(struct desk *desk)
{
	bench_of(desk)->stops++;
}

static inline void bench_refresh(struct desk *desk)
{
	bench_of(desk)->refreshes++;
}

static inline struct bench *bench_create(const struct inventory *inventory)
{
	struct bench *bench = mem_alloc(sizeof(*bench));
	struct err err = {0};

	/* the fixture's own; tasks take more and give them back */
	if (inventory && !inventory->references)
		((struct inventory *)(uintptr_t)inventory)->references = 1;
	setenv("NVSWEEP_TEST_CLOCK", "2026-11-30T14:03:00Z", 1);
	assets_set_folders("", "");
	settings_defaults(&bench->settings);
	if (keys_load(actions_keys, ACTION_COUNT, &bench->keys, &err))
		fail_msg("%s", err.text);
	bench->desk = (struct desk){
		.inventory = inventory,
		.settings = &bench->settings,
		.keys = bench->keys,
		.runs_folder = "/nonexistent/runs",
		.hostname = "storage07",
		.app = bench,
		.push = bench_push,
		.pop = bench_pop,
		.notice = bench_notice,
		.ask = bench_ask,
		.submit = bench_submit,
		.start_run = bench_start,
		.cancel_start = bench_cancel,
		.pause_run = bench_pause,
		.stop_run = bench_stop,
		.refresh = bench_refresh,
	};
	return bench;
}

static inline void bench_bury(struct bench *bench)
{
	while (bench->dead_count) {
		struct screen *screen = bench->dead[--bench->dead_count];

		screen->ops->destroy(screen);
	}
}

static inline void bench_free(struct bench *bench)
{
	bench_bury(bench);
	while (bench->depth) {
		struct screen *screen = bench->stack[--bench->depth];

		screen->ops->destroy(screen);
	}
	while (bench->task_count) {
		struct desk_task *task = bench->tasks[--bench->task_count];

		task->dispose(task);
	}
	dialog_free(bench->dialog);
	keys_free(bench->keys);
	free(bench);
}

static inline struct screen *bench_top(struct bench *bench)
{
	return bench->stack[bench->depth - 1];
}

/* As the program hands a key on. */
static inline void bench_key(struct bench *bench, uint32_t code)
{
	const struct key key = {.code = code};
	struct screen *screen = bench_top(bench);
	const bool editing = screen->ops->editing && screen->ops->editing(screen);

	bench->notice[0] = '\0';
	if (bench->dialog) {
		const enum dialog_result result = dialog_key(bench->dialog, &key);

		if (result == DIALOG_OPEN)
			return;
		struct dialog *dialog = bench->dialog;
		bench->dialog = NULL;
		if (bench->answer)
			bench->answer(bench->asker, result, dialog_value(dialog));
		dialog_free(dialog);
		bench_bury(bench);
		return;
	}
	if (editing && screen->ops->key && screen->ops->key(screen, &key)) {
		bench_bury(bench);
		return;
	}
	const int action = keys_lookup(bench->keys, screen->ops->name, &key);
	if (action >= 0 && screen->ops->action(screen, (enum action)action)) {
		bench_bury(bench);
		return;
	}
	if (action == ACTION_BACK)
		bench_pop(&bench->desk);
	else if (action == ACTION_HELP)
		bench_push(&bench->desk, screen_help(&bench->desk, screen->ops->name));
	else if (action == ACTION_EXPLAIN)
		bench_ask(&bench->desk, screen_explain_dialog(screen), NULL, screen);
	else if (!editing && screen->ops->key)
		screen->ops->key(screen, &key);
	bench_bury(bench);
}

static inline void bench_keys(struct bench *bench, const char *names)
{
	char copy[256];
	char *save = NULL;

	str_copy(copy, sizeof(copy), names);
	for (char *name = strtok_r(copy, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
		const uint32_t code = key_parse(name);

		if (!code)
			fail_msg("no key is called %s", name);
		bench_key(bench, code);
	}
}

static inline void bench_type(struct bench *bench, const char *text)
{
	for (; *text; text++)
		bench_key(bench, (uint32_t)(unsigned char)*text);
}

/* A whole frame as text; caller frees. */
static inline char *bench_frame(struct bench *bench, int width, int height)
{
	struct canvas *canvas = canvas_create(width, height);
	struct screen *screen = bench_top(bench);
	const struct rect area = {0, 1, width, height - 2};

	canvas_set_ascii(canvas, bench->desk.ascii);
	screen_draw_top(screen, canvas);
	canvas_clip(canvas, &area);
	screen->ops->draw(screen, canvas, area);
	canvas_clip(canvas, NULL);
	screen_draw_bottom(screen, canvas, bench->notice);
	if (bench->dialog)
		dialog_draw(bench->dialog, canvas);
	char *text = canvas_dump(canvas);
	canvas_free(canvas);
	return text;
}

static inline bool bench_shows(struct bench *bench, int width, int height, const char *text)
{
	char *frame = bench_frame(bench, width, height);
	const bool found = strstr(frame, text) != NULL;

	if (!found)
		printf("# not shown: %s\n%s", text, frame);
	free(frame);
	return found;
}

/* Compares a frame with expected/NAME.txt. */
static inline void bench_expect(struct bench *bench, const char *name, int width, int height)
{
	char path[256];
	char *frame = bench_frame(bench, width, height), *kept = NULL;
	size_t length = 0;
	struct err err = {0};

	str_format(path, sizeof(path), "tests/unit/screens/expected/%s-%dx%d.txt", name, width,
		height);
	if (getenv("NVSWEEP_KEEP")) {
		assert_int_equal(file_write_atomic(path, frame, strlen(frame), &err), 0);
		free(frame);
		return;
	}
	if (file_read(path, 1 << 20, &kept, &length, &err))
		fail_msg("%s", err.text);
	if (strcmp(kept, frame))
		printf("# %s: expected\n%s# got\n%s", path, kept, frame);
	const bool same = !strcmp(kept, frame);
	free(kept);
	free(frame);
	assert_true(same);
}

#endif
