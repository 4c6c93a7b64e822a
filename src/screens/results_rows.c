/* The lines of the list of saved runs. */
#include "screens/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "screens/format.h"

enum {
	COLUMN_MARK,
	COLUMN_STARTED,
	COLUMN_TARGET,
	COLUMN_WORKLOAD,
	COLUMN_METHOD,
	COLUMN_OUTCOME,
	COLUMN_PEAK,
	COLUMN_MEAN,
	COLUMN_MIB,
	COLUMN_TAGS,
	COLUMN_POINTS,
	COLUMN_MODEL,
	COLUMN_TOOK,
};

static const struct table_column columns[] = {
	[COLUMN_MARK] = {"", 1, 1, TABLE_LEFT, 0, false},
	[COLUMN_STARTED] = {"STARTED", 16, 16, TABLE_LEFT, 0, true},
	[COLUMN_TARGET] = {"TARGET", 9, 20, TABLE_LEFT, 0, true},
	[COLUMN_WORKLOAD] = {"WORKLOAD", 12, 22, TABLE_LEFT, 1, true},
	[COLUMN_METHOD] = {"TEST", 5, 8, TABLE_LEFT, 3, true},
	[COLUMN_OUTCOME] = {"OUTCOME", 8, 10, TABLE_LEFT, 0, true},
	[COLUMN_PEAK] = {"PEAK IOPS", 9, 9, TABLE_RIGHT, 1, true},
	[COLUMN_MEAN] = {"MEAN", 7, 8, TABLE_RIGHT, 2, true},
	[COLUMN_MIB] = {"MiB/s", 6, 7, TABLE_RIGHT, 5, true},
	[COLUMN_TAGS] = {"TAGS", 6, 24, TABLE_LEFT, 4, true},
	[COLUMN_POINTS] = {"POINTS", 6, 6, TABLE_RIGHT, 7, true},
	[COLUMN_MODEL] = {"MODEL", 10, 24, TABLE_LEFT, 6, true},
	[COLUMN_TOOK] = {"TOOK", 7, 9, TABLE_RIGHT, 8, true},
};

struct table *results_rows_table(void)
{
	return table_create(columns, sizeof(columns) / sizeof(columns[0]));
}

static size_t marked_index(const struct results *results, const char *id)
{
	size_t i = 0;

	while (i < results->marked_count && strcmp(results->marked[i], id))
		i++;
	return i;
}

bool results_marked(const struct results *results, const char *id)
{
	return marked_index(results, id) < results->marked_count;
}

void results_mark(struct results *results, const char *id, bool marked)
{
	const size_t at = marked_index(results, id);

	if (marked && at == results->marked_count) {
		results->marked = mem_realloc(results->marked, (at + 1) * sizeof(*results->marked));
		str_copy(results->marked[results->marked_count++], sizeof(*results->marked), id);
	} else if (!marked && at < results->marked_count) {
		results->marked_count--;
		memmove(results->marked[at], results->marked[at + 1],
			(results->marked_count - at) * sizeof(*results->marked));
	}
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

static void fill_figures(struct table_row *row, const struct store_entry *entry)
{
	char text[64];

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
	if (entry->ended > entry->started) {
		table_cell(row, COLUMN_TOOK, ROLE_VALUE, "%s",
			units_clock(text, sizeof(text), (double)(entry->ended - entry->started)));
		table_sort_value(row, COLUMN_TOOK, (double)(entry->ended - entry->started));
	}
}

static void fill_row(const struct results *results, const struct store_entry *entry)
{
	struct table_row *row = table_add(results->table, entry->id);
	char text[2200];

	if (results_marked(results, entry->id))
		table_cell(row, COLUMN_MARK, ROLE_LABEL, "*");
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
	table_cell(row, COLUMN_TAGS, ROLE_LABEL, "%s",
		marks_tags_text(&entry->marks, text, sizeof(text)));
	table_cell(row, COLUMN_MODEL, ROLE_TEXT, "%s", entry->model);
	if (!entry->fault[0])
		fill_figures(row, entry);
}

void results_rows_fill(struct results *results)
{
	table_begin(results->table);
	for (size_t i = 0; i < results->count; i++)
		if (!results->filter || filter_fits(results->filter, &results->entries[i]))
			fill_row(results, &results->entries[i]);
	table_end(results->table);
}

void results_rows_details(const struct store_entry *entry, struct canvas *canvas, struct rect area)
{
	const int end = area.y + area.height, width = area.width - 2;
	char text[2800], tags[2200];
	int y = area.y;

	if (area.height < 1)
		return;
	canvas_hline(canvas, area.x + 1, y++, width, ROLE_BORDER);
	if (!entry)
		return;
	str_copy(text, sizeof(text), "");
	if (entry->fault[0])
		str_format(text, sizeof(text), "cannot be read: %s", entry->fault);
	else if (entry->running)
		str_copy(text, sizeof(text), "Being measured just now.");
	else if (entry->partial)
		str_copy(text, sizeof(text),
			"The program ended before this run did: put together from its journal.");
	if (text[0] && y < end)
		y += canvas_wrap(canvas, area.x + 1, y, width, end - y, ROLE_WARN, text);
	/* The path always has its line; what was written onto the run has what is left. */
	str_copy(text, sizeof(text), "");
	if (entry->marks.tag_count)
		str_format(text, sizeof(text), "tags: %s",
			marks_tags_text(&entry->marks, tags, sizeof(tags)));
	if (entry->marks.note[0])
		str_append(
			text, sizeof(text), "%snote: %s", text[0] ? "   " : "", entry->marks.note);
	if (text[0] && y < end - 1) {
		const int lines =
			canvas_wrap(canvas, area.x + 1, y, width, end - 1 - y, ROLE_LABEL, text);

		y += lines < end - 1 - y ? lines : end - 1 - y;
	}
	if (y < end) {
		format_path(text, sizeof(text), entry->path);
		canvas_wrap(canvas, area.x + 1, y, width, end - y, ROLE_DIM, text);
	}
}
