/* Saved runs: the list. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "result/store.h"
#include "screens/explain.h"
#include "screens/format.h"
#include "screens/lists.h"
#include "screens/screen.h"

enum {
	COLUMN_STARTED,
	COLUMN_TARGET,
	COLUMN_WORKLOAD,
	COLUMN_METHOD,
	COLUMN_OUTCOME,
	COLUMN_PEAK,
	COLUMN_MEAN,
	COLUMN_MIB,
	COLUMN_POINTS,
	COLUMN_MODEL,
	COLUMN_TOOK,
};

static const struct table_column columns[] = {
	[COLUMN_STARTED] = {"STARTED", 16, 16, TABLE_LEFT, 0, true},
	[COLUMN_TARGET] = {"TARGET", 9, 20, TABLE_LEFT, 0, true},
	[COLUMN_WORKLOAD] = {"WORKLOAD", 12, 22, TABLE_LEFT, 1, true},
	[COLUMN_METHOD] = {"TEST", 5, 8, TABLE_LEFT, 2, true},
	[COLUMN_OUTCOME] = {"OUTCOME", 9, 10, TABLE_LEFT, 0, true},
	[COLUMN_PEAK] = {"PEAK IOPS", 9, 9, TABLE_RIGHT, 1, true},
	[COLUMN_MEAN] = {"MEAN", 7, 8, TABLE_RIGHT, 3, true},
	[COLUMN_MIB] = {"MiB/s", 6, 7, TABLE_RIGHT, 4, true},
	[COLUMN_POINTS] = {"POINTS", 6, 6, TABLE_RIGHT, 5, true},
	[COLUMN_MODEL] = {"MODEL", 10, 24, TABLE_LEFT, 6, true},
	[COLUMN_TOOK] = {"TOOK", 7, 9, TABLE_RIGHT, 7, true},
};

struct results {
	struct screen screen;
	struct table *table;
	struct store_entry *entries;
	size_t count;
	char fault[512];
	bool listed;     /* the folder has been read */
	bool run_active; /* a test ran at the last look */
	char run_saved[512];
	int64_t minute;
};

static struct results *of(struct screen *screen)
{
	return (struct results *)screen;
}

static const char *outcome_word(const struct store_entry *entry)
{
	if (entry->fault[0])
		return "UNREADABLE";
	if (entry->running)
		return "running";
	if (entry->partial)
		return "PARTIAL";
	return format_outcome(entry->outcome);
}

static void fill_row(struct table *table, const struct store_entry *entry)
{
	struct table_row *row = table_add(table, entry->id);
	char text[64];

	screen_time_text(entry->started, text, sizeof(text));
	table_cell(row, COLUMN_STARTED, ROLE_TEXT, "%s", entry->fault[0] ? entry->id : text);
	table_sort_value(row, COLUMN_STARTED, (double)entry->started);
	table_cell(row, COLUMN_TARGET, entry->simulated ? ROLE_SIMULATED : ROLE_TEXT, "%s%s",
		entry->simulated ? "SIM " : "", entry->target);
	table_cell(row, COLUMN_WORKLOAD, ROLE_TEXT, "%s", entry->workload);
	table_cell(row, COLUMN_METHOD, ROLE_TEXT, "%s", entry->method);
	table_cell(row, COLUMN_OUTCOME,
		entry->fault[0]          ? ROLE_ERROR
			: entry->partial ? ROLE_WARN
					 : format_outcome_role(entry->outcome),
		"%s", outcome_word(entry));
	if (entry->fault[0])
		return;
	table_cell(row, COLUMN_PEAK, ROLE_VALUE, "%s",
		format_si(text, sizeof(text), entry->peak_iops));
	table_sort_value(row, COLUMN_PEAK, entry->peak_iops);
	table_cell(row, COLUMN_MEAN, ROLE_VALUE, "%s",
		format_latency(text, sizeof(text), entry->peak_mean_ns));
	table_sort_value(row, COLUMN_MEAN, entry->peak_mean_ns);
	table_cell(row, COLUMN_MIB, ROLE_VALUE, "%s",
		format_si(text, sizeof(text), entry->peak_mib_s));
	table_sort_value(row, COLUMN_MIB, entry->peak_mib_s);
	table_cell(row, COLUMN_POINTS, ROLE_VALUE, "%u", entry->point_count);
	table_sort_value(row, COLUMN_POINTS, entry->point_count);
	table_cell(row, COLUMN_MODEL, ROLE_TEXT, "%s", entry->model);
	if (entry->ended > entry->started) {
		table_cell(row, COLUMN_TOOK, ROLE_VALUE, "%s",
			units_clock(text, sizeof(text), (double)(entry->ended - entry->started)));
		table_sort_value(row, COLUMN_TOOK, (double)(entry->ended - entry->started));
	}
}

static void read_folder(struct results *results)
{
	const char *folder = results->screen.desk->runs_folder;
	struct err err = {0};

	free(results->entries);
	results->entries = NULL;
	results->count = 0;
	results->fault[0] = '\0';
	results->listed = true;
	if (!folder || !folder[0])
		str_copy(results->fault, sizeof(results->fault),
			"There is no folder for runs: neither a home nor one in the settings.");
	else if (store_list(folder, &results->entries, &results->count, &err))
		str_copy(results->fault, sizeof(results->fault), err.text);
	table_begin(results->table);
	for (size_t i = 0; i < results->count; i++)
		fill_row(results->table, &results->entries[i]);
	table_end(results->table);
}

static const struct store_entry *selected(const struct results *results)
{
	const char *id = table_selected(results->table);

	for (size_t i = 0; i < results->count; i++)
		if (!strcmp(results->entries[i].id, id))
			return &results->entries[i];
	return NULL;
}

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
	char stamp[192];

	str_copy(left, left_size, "Saved runs");
	screen_stamp(screen->desk, stamp, sizeof(stamp));
	str_format(right, right_size, "%zu run%s   %s", results->count,
		results->count == 1 ? "" : "s", stamp);
}

static void draw_details(const struct store_entry *entry, struct canvas *canvas, struct rect area)
{
	char text[700];

	if (area.height < 1)
		return;
	canvas_hline(canvas, area.x + 1, area.y, area.width - 2, ROLE_BORDER);
	if (!entry || area.height < 2)
		return;
	if (entry->fault[0])
		str_format(text, sizeof(text), "cannot be read: %s", entry->fault);
	else if (entry->partial)
		str_copy(text, sizeof(text),
			"The program ended before this run did: put together from its journal.");
	else
		str_copy(text, sizeof(text), "");
	int y = area.y + 1;
	const int end = area.y + area.height;
	if (text[0])
		y += canvas_wrap(canvas, area.x + 1, y, area.width - 2, end - y, ROLE_WARN, text);
	if (y < end)
		canvas_wrap(canvas, area.x + 1, y, area.width - 2, end - y, ROLE_DIM, entry->path);
}

static void draw(struct screen *screen, struct canvas *canvas, struct rect area)
{
	struct results *results = of(screen);
	const char *filter = table_filter_text(results->table);

	if (area.width < 1 || area.height < 1)
		return;
	if (results->fault[0]) {
		canvas_wrap(canvas, area.x + 2, area.y + 1, area.width - 4, area.height - 1,
			ROLE_ERROR, results->fault);
		return;
	}
	if (!results->count) {
		char text[400];

		str_format(text, sizeof(text),
			"No run has been saved yet. A test that is started is kept in %s.",
			screen->desk->runs_folder);
		canvas_wrap(canvas, area.x + 2, area.y + area.height / 3, area.width - 4,
			area.height - area.height / 3, ROLE_TEXT, text);
		return;
	}
	struct rect list = area;
	const int below = area.height >= 10 ? 4 : 0;
	list.height -= below;
	if (filter[0] && list.height > 3) {
		list.height--;
		canvas_textf(canvas, area.x + 1, area.y + list.height, area.width - 2, ROLE_LABEL,
			"filter: %s   (Esc: all lines again)", filter);
	}
	table_draw(results->table, canvas, list);
	const int rows = (int)table_count(results->table) + 1;
	explain_pane_draw("results.row", canvas,
		(struct rect){area.x, area.y + rows + 1, area.width, list.height - rows - 2});
	if (below) {
		const struct rect details = {
			area.x, area.y + area.height - below, area.width, below};

		draw_details(selected(results), canvas, details);
	}
}

static void open_run(struct results *results)
{
	struct desk *desk = results->screen.desk;
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
		desk->push(desk, screen_run(desk, entry->id));
}

static void answer_filter(struct screen *screen, enum dialog_result result, const char *value)
{
	if (result == DIALOG_YES)
		table_filter(of(screen)->table, value);
}

static bool action(struct screen *screen, enum action action)
{
	struct results *results = of(screen);

	if (list_action(results->table, action))
		return true;
	switch (action) {
	case ACTION_RESULTS_OPEN:
		open_run(results);
		return true;
	case ACTION_FILTER:
		list_ask_filter(screen, results->table, answer_filter);
		return true;
	case ACTION_RESULTS:
		read_folder(results);
		return true;
	case ACTION_BACK:
		if (!table_filter_text(results->table)[0])
			return false;
		table_filter(results->table, "");
		return true;
	default:
		return false;
	}
}

static bool key(struct screen *screen, const struct key *key)
{
	bool open = false;

	if (!list_key(of(screen)->table, key, &open))
		return false;
	if (open)
		open_run(of(screen));
	return true;
}

static void explain(struct screen *screen, char *buf, size_t size)
{
	(void)screen;
	explain_text("results.row", buf, size);
}

static const struct screen_hint *hints(struct screen *screen)
{
	static struct screen_hint list[10];
	const struct results *results = of(screen);
	size_t n = 0;

	if (table_count(results->table)) {
		list[n++] = (struct screen_hint){ACTION_RESULTS_OPEN, "open"};
		list[n++] = (struct screen_hint){ACTION_FILTER, "filter"};
		list[n++] = (struct screen_hint){ACTION_SORT_PREVIOUS, ""};
		list[n++] = (struct screen_hint){ACTION_SORT_NEXT, "sort"};
		list[n++] = (struct screen_hint){ACTION_SORT_REVERSE, "reverse"};
	}
	list[n++] = (struct screen_hint){ACTION_EXPLAIN, "explain"};
	list[n++] = (struct screen_hint){ACTION_HELP, "help"};
	list[n++] = (struct screen_hint){ACTION_BACK, "back"};
	list[n] = (struct screen_hint){ACTION_COUNT, NULL};
	return list;
}

static void destroy(struct screen *screen)
{
	struct results *results = of(screen);

	table_free(results->table);
	free(results->entries);
	free(results);
}

static const struct screen_ops results_ops = {
	.name = "results",
	.draw = draw,
	.title = title,
	.action = action,
	.key = key,
	.update = update,
	.explain = explain,
	.hints = hints,
	.destroy = destroy,
};

struct screen *screen_results(struct desk *desk)
{
	struct results *results = mem_alloc(sizeof(*results));

	results->screen = (struct screen){&results_ops, desk};
	results->table = table_create(columns, sizeof(columns) / sizeof(columns[0]));
	update(&results->screen);
	return &results->screen;
}
