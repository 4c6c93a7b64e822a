/* Saved runs: the list. */
#include "screens/results.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "result/compare.h"
#include "screens/explain.h"
#include "screens/file_task.h"
#include "screens/lists.h"

static struct results *of(struct screen *screen)
{
	return (struct results *)screen;
}

/* ---- reading the folder, on the thread for files --------------------------------------------- */

struct list_work {
	struct desk_task task;
	char folder[512];
	struct store_entry *entries;
	size_t count;
	struct err err;
};

static void read_folder(struct results *results);

static struct list_work *work_of(struct desk_task *task)
{
	return (struct list_work *)task;
}

static void list_run(struct desk_task *task)
{
	struct list_work *self = work_of(task);

	if (store_list(self->folder, &self->entries, &self->count, &self->err))
		self->entries = NULL;
}

static void list_dispose(struct desk_task *task)
{
	free(work_of(task)->entries);
	free(task);
}

static void list_done(struct desk_task *task)
{
	struct list_work *self = work_of(task);
	struct results *results = of(task->screen);

	free(results->entries);
	results->entries = self->entries;
	results->count = self->count;
	self->entries = NULL;
	str_copy(results->fault, sizeof(results->fault), self->err.text);
	results->reading = false;
	results_rows_fill(results);
	if (results->again)
		read_folder(results);
}

static void read_folder(struct results *results)
{
	struct desk *desk = results->screen.desk;
	const char *folder = desk->runs_folder;

	results->listed = true;
	results->again = results->reading;
	if (results->reading)
		return;
	if (!folder || !folder[0]) {
		str_copy(results->fault, sizeof(results->fault),
			"There is no folder for runs: neither a home nor one in the settings.");
		return;
	}
	struct list_work *self = mem_alloc(sizeof(*self));
	self->task = (struct desk_task){.work = list_run,
		.done = list_done,
		.dispose = list_dispose,
		.screen = &results->screen};
	str_copy(self->folder, sizeof(self->folder), folder);
	results->reading = true;
	file_task_submit(desk, FILE_TASK_FOLDER, &self->task);
}

/* ---- what is under the cursor or marked ------------------------------------------------------ */

static struct store_entry *find(const struct results *results, const char *id)
{
	for (size_t i = 0; i < results->count; i++)
		if (!strcmp(results->entries[i].id, id))
			return &results->entries[i];
	return NULL;
}

static struct store_entry *selected(const struct results *results)
{
	return find(results, table_selected(results->table));
}

/* The marked runs that are still there, else the one under the cursor; the caller frees. */
static struct store_entry *chosen(const struct results *results, size_t *count)
{
	struct store_entry *list = mem_alloc((results->marked_count + 1) * sizeof(*list));
	const struct store_entry *entry;

	*count = 0;
	for (size_t i = 0; i < results->marked_count; i++)
		if ((entry = find(results, results->marked[i])))
			list[(*count)++] = *entry;
	if (!*count && (entry = selected(results)))
		list[(*count)++] = *entry;
	return list;
}

/* A run was tagged or deleted: the list follows without being read anew. */
static void changed(
	struct screen *screen, const struct store_entry *entries, size_t count, bool deleted)
{
	struct results *results = of(screen);

	for (size_t i = 0; i < count; i++) {
		struct store_entry *entry = find(results, entries[i].id);

		if (!entry)
			continue;
		if (!deleted) {
			*entry = entries[i];
			continue;
		}
		results_mark(results, entry->id, false);
		results->count--;
		memmove(entry, entry + 1,
			(results->count - (size_t)(entry - results->entries)) * sizeof(*entry));
	}
	/* what is being read may be of before */
	results->again = results->reading;
	results_rows_fill(results);
}

static void mark_selected(struct results *results)
{
	const struct store_entry *entry = selected(results);

	if (!entry)
		return;
	results_mark(results, entry->id, !results_marked(results, entry->id));
	results_rows_fill(results);
	table_move(results->table, 1);
}

static void mark_none(struct results *results)
{
	results->marked_count = 0;
	results_rows_fill(results);
}

/* ---- screen ---------------------------------------------------------------------------------- */

static bool update(struct screen *screen)
{
	struct results *results = of(screen);
	const struct runner_view *run = screen->desk->run;
	const bool active = run && run->state != RUNNER_ENDED;
	const char *saved = run ? run->saved_path : "";
	const bool moved = screen_stamp_moved(screen->desk, &results->minute);

	/* A run that began or was saved: the folder has changed. */
	if (results->listed && active == results->run_active && !strcmp(saved, results->run_saved))
		return moved;
	results->run_active = active;
	str_copy(results->run_saved, sizeof(results->run_saved), saved);
	read_folder(results);
	return true;
}

static void title(
	struct screen *screen, char *left, size_t left_size, char *right, size_t right_size)
{
	const struct results *results = of(screen);
	const size_t shown = table_count(results->table);
	char stamp[192];

	str_copy(left, left_size, "Saved runs");
	screen_stamp(screen->desk, stamp, sizeof(stamp));
	str_copy(right, right_size, "");
	if (results->reading)
		str_copy(right, right_size, results->count ? "reading · " : "reading");
	if (results->filter)
		str_append(right, right_size, "%zu of %zu runs", shown, results->count);
	else if (results->count || !results->reading)
		str_append(right, right_size, "%zu run%s", results->count,
			results->count == 1 ? "" : "s");
	if (results->marked_count)
		str_append(right, right_size, " · %zu marked", results->marked_count);
	str_append(right, right_size, "   %s", stamp);
}

static void draw_sentence(const char *text, enum role role, struct canvas *canvas, struct rect area)
{
	canvas_wrap(canvas, area.x + 2, area.y + area.height / 3, area.width - 4,
		area.height - area.height / 3, role, text);
}

static void draw(struct screen *screen, struct canvas *canvas, struct rect area)
{
	struct results *results = of(screen);
	char text[700];

	if (area.width < 1 || area.height < 1)
		return;
	if (results->fault[0]) {
		draw_sentence(results->fault, ROLE_ERROR, canvas, area);
		return;
	}
	if (!results->count) {
		str_format(text, sizeof(text),
			results->reading ? "Reading the runs in %s ..."
					 : "No run has been saved yet. A test that is started is "
					   "kept in %s.",
			screen->desk->runs_folder);
		draw_sentence(text, results->reading ? ROLE_DIM : ROLE_TEXT, canvas, area);
		return;
	}
	struct rect list = area;
	const int below = area.height >= 10 ? 4 : 0;

	list.height -= below;
	list_filter_draw(results->filter_text, canvas, &list, 5);
	if (!table_count(results->table)) {
		draw_sentence(
			"No run fits the filter. Press / to change it.", ROLE_TEXT, canvas, list);
		return;
	}
	table_draw(results->table, canvas, list);
	const int rows = (int)table_count(results->table) + 1;
	explain_pane_draw("results.row", canvas,
		(struct rect){area.x, area.y + rows + 1, area.width, list.height - rows - 2});
	if (below)
		results_rows_details(selected(results), canvas,
			(struct rect){area.x, area.y + area.height - below, area.width, below});
}

static void open_run(struct screen *screen)
{
	struct results *results = of(screen);
	struct desk *desk = screen->desk;
	const struct store_entry *entry = selected(results);

	if (!entry)
		return;
	if (entry->running) {
		struct err err = {0};

		/* Ours, or one that another process measures. */
		if (!(desk->run && !strcmp(desk->run->run_id, entry->id)) &&
			desk->attach_run(desk, entry->id, &err))
			desk->notice(desk, err.text);
		else
			desk->push(desk, screen_live(desk));
		return;
	}
	if (entry->fault[0])
		desk->notice(desk, entry->fault);
	else
		desk->push(desk, screen_run(desk, entry));
}

static void compare(struct results *results)
{
	struct desk *desk = results->screen.desk;
	const struct store_entry *list[COMPARE_RUNS_MAX];
	size_t count;
	struct store_entry *entries = chosen(results, &count);
	const char *fault = NULL;
	char text[256];

	if (count > COMPARE_RUNS_MAX) {
		str_format(text, sizeof(text), "%zu runs are marked: at most %d go side by side.",
			count, COMPARE_RUNS_MAX);
		fault = text;
	}
	for (size_t i = 0; i < count && !fault; i++) {
		list[i] = &entries[i];
		if (entries[i].fault[0] || entries[i].running) {
			str_format(text, sizeof(text), "%s cannot be compared: %s", entries[i].id,
				entries[i].running ? "it is still running" : entries[i].fault);
			fault = text;
		}
	}
	if (fault)
		desk->notice(desk, fault);
	else if (count)
		desk->push(desk, screen_compare(desk, list, count));
	free(entries);
}

/* ---- filter ---------------------------------------------------------------------------------- */

static void answer_filter(struct screen *screen, enum dialog_result result, const char *value);

static void ask_filter(struct results *results, const char *value)
{
	struct desk *desk = results->screen.desk;

	desk->ask(desk,
		dialog_input("Filter",
			"Words that must all fit; -word takes away.\n"
			"tag:fresh  workload:sql  target:nvme0  outcome:stopped  is:simulated  "
			"since:7d  until:2026-11  \"a phrase\"",
			value),
		answer_filter, &results->screen);
}

static bool set_filter(struct results *results, const char *text, struct err *err)
{
	struct run_filter *filter = NULL;

	if (filter_parse(text, screen_now(), &filter, err))
		return false;
	filter_free(results->filter);
	results->filter = filter;
	str_copy(results->filter_text, sizeof(results->filter_text), text);
	if (filter_is_empty(filter)) {
		filter_free(filter);
		results->filter = NULL;
		results->filter_text[0] = '\0';
	}
	results_rows_fill(results);
	return true;
}

static void answer_filter(struct screen *screen, enum dialog_result result, const char *value)
{
	struct results *results = of(screen);
	char text[sizeof(results->filter_text)];
	struct err err = {0};

	if (result != DIALOG_YES)
		return;
	str_copy(text, sizeof(text), value);
	if (set_filter(results, text, &err))
		return;
	ask_filter(results, text);
	screen->desk->notice(screen->desk, err.text);
}

/* ---- keys ------------------------------------------------------------------------------------ */

static void edit_chosen(struct results *results,
	void (*edit)(struct run_edit *edit, const struct store_entry *entries, size_t count))
{
	size_t count;
	struct store_entry *entries = chosen(results, &count);

	if (count)
		edit(&results->edit, entries, count);
	free(entries);
}

static bool action(struct screen *screen, enum action action)
{
	struct results *results = of(screen);

	if (list_action(results->table, action))
		return true;
	switch (action) {
	case ACTION_RESULTS_OPEN:
		open_run(screen);
		return true;
	case ACTION_RESULTS_MARK:
		mark_selected(results);
		return true;
	case ACTION_RESULTS_TAGS:
		edit_chosen(results, run_edit_tags);
		return true;
	case ACTION_RESULTS_NOTE:
		edit_chosen(results, run_edit_note);
		return true;
	case ACTION_RESULTS_DELETE:
		edit_chosen(results, run_edit_delete);
		return true;
	case ACTION_RESULTS_EXPORT:
		edit_chosen(results, run_edit_export);
		return true;
	case ACTION_RESULTS_COMPARE:
		compare(results);
		return true;
	case ACTION_FILTER:
		ask_filter(results, results->filter_text);
		return true;
	case ACTION_RESULTS:
		read_folder(results);
		return true;
	case ACTION_BACK:
		/* one step back at a time */
		if (results->marked_count)
			mark_none(results);
		else if (results->filter)
			set_filter(results, "", NULL);
		else
			return false;
		return true;
	default:
		return false;
	}
}

static struct table *list(struct screen *screen)
{
	return of(screen)->table;
}

static struct run_edit *edit(struct screen *screen)
{
	return &of(screen)->edit;
}

static bool key(struct screen *screen, const struct key *key)
{
	return list_screen_key(screen, key, open_run);
}

static void explain(struct screen *screen, char *buf, size_t size)
{
	(void)screen;
	explain_text("results.row", buf, size);
}

static const struct screen_hint *hints(struct screen *screen)
{
	static struct screen_hint shown[16];
	const struct results *results = of(screen);
	size_t n = 0;

	if (table_count(results->table)) {
		shown[n++] = (struct screen_hint){ACTION_RESULTS_OPEN, "open"};
		shown[n++] = (struct screen_hint){ACTION_RESULTS_COMPARE, "compare"};
		shown[n++] = (struct screen_hint){ACTION_RESULTS_MARK, "mark"};
	}
	if (results->count)
		shown[n++] = (struct screen_hint){ACTION_FILTER, "filter"};
	if (table_count(results->table)) {
		shown[n++] = (struct screen_hint){ACTION_RESULTS_TAGS, "tags"};
		shown[n++] = (struct screen_hint){ACTION_RESULTS_NOTE, "note"};
		shown[n++] = (struct screen_hint){ACTION_RESULTS_DELETE, "delete"};
		shown[n++] = (struct screen_hint){ACTION_RESULTS_EXPORT, "export"};
		shown[n++] = (struct screen_hint){ACTION_SORT_PREVIOUS, ""};
		shown[n++] = (struct screen_hint){ACTION_SORT_NEXT, "sort"};
		shown[n++] = (struct screen_hint){ACTION_EXPLAIN, "explain"};
	}
	shown[n++] = (struct screen_hint){ACTION_HELP, "help"};
	shown[n++] = (struct screen_hint){ACTION_BACK, "back"};
	shown[n] = (struct screen_hint){ACTION_COUNT, NULL};
	return shown;
}

static void destroy(struct screen *screen)
{
	struct results *results = of(screen);

	table_free(results->table);
	filter_free(results->filter);
	run_edit_free(&results->edit);
	free(results->entries);
	free(results->marked);
	free(results);
}

static const struct screen_ops results_ops = {
	.name = "results",
	.draw = draw,
	.title = title,
	.action = action,
	.key = key,
	.update = update,
	.list = list,
	.edit = edit,
	.explain = explain,
	.hints = hints,
	.destroy = destroy,
};

struct screen *screen_results(struct desk *desk)
{
	struct results *results = mem_alloc(sizeof(*results));

	results->screen = (struct screen){&results_ops, desk};
	results->table = results_rows_table();
	run_edit_init(&results->edit, &results->screen, changed);
	update(&results->screen);
	return &results->screen;
}
