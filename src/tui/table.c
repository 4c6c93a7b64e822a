/* Tables: rows, order, filter and selection. Widths and painting are in table_draw.c. */
#include "tui/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "tui/table_parts.h"

struct table *table_create(const struct table_column *columns, size_t count)
{
	struct table *table = mem_alloc(sizeof(*table));

	table->columns = mem_alloc((count + 1) * sizeof(*columns));
	if (count > 0)
		memcpy(table->columns, columns, count * sizeof(*columns));
	table->places = mem_alloc((count + 1) * sizeof(*table->places));
	table->column_count = count;
	table->selected = -1;
	table->sort_column = -1;
	return table;
}

void table_free(struct table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->capacity; i++) {
		free(table->rows[i]->row.cells);
		free(table->rows[i]);
	}
	free(table->rows);
	free(table->order);
	free(table->columns);
	free(table->places);
	free(table);
}

void table_begin(struct table *table)
{
	/* what the selection falls back to when its row does not come back */
	str_copy(table->kept_identity, sizeof(table->kept_identity), table_selected(table));
	table->kept_index = table->selected;
	table->count = 0;
	table->visible = 0;
	table->selected = -1;
}

struct table_row *table_add(struct table *table, const char *identity)
{
	struct table_entry *entry;
	struct table_cell *cells;

	if (table->count == table->capacity) {
		size_t capacity = table->capacity ? table->capacity * 2 : 16;

		table->rows = mem_realloc(table->rows, capacity * sizeof(*table->rows));
		table->order = mem_realloc(table->order, capacity * sizeof(*table->order));
		for (size_t i = table->capacity; i < capacity; i++) {
			table->rows[i] = mem_alloc(sizeof(**table->rows));
			table->rows[i]->row.cells =
				mem_alloc((table->column_count + 1) * sizeof(*cells));
		}
		table->capacity = capacity;
	}
	entry = table->rows[table->count++];
	cells = entry->row.cells;
	*entry = (struct table_entry){
		.row = {.selectable = true, .cells = cells, .cell_count = table->column_count}};
	str_copy(entry->row.identity, sizeof(entry->row.identity), identity);
	for (size_t i = 0; i < table->column_count; i++)
		cells[i] = (struct table_cell){.role = ROLE_TEXT, .sort_value = NAN};
	return &entry->row;
}

void table_cell(struct table_row *row, size_t column, enum role role, const char *format, ...)
{
	va_list args;

	if (column >= row->cell_count)
		return;
	va_start(args, format);
	vsnprintf(row->cells[column].text, sizeof(row->cells[column].text), format, args);
	va_end(args);
	row->cells[column].role = role;
}

void table_sort_value(struct table_row *row, size_t column, double value)
{
	if (column < row->cell_count)
		row->cells[column].sort_value = value;
}

void table_set_empty(struct table *table, const char *sentence)
{
	str_copy(table->empty, sizeof(table->empty), sentence);
}

static bool table_is_heading(const struct table_row *row)
{
	return !row->selectable && !row->group_with_previous;
}

/* ---- order ---------------------------------------------------------------------------------- */

/* Unknown values stay at the end in both directions. */
static bool table_cell_unknown(const struct table_cell *cell)
{
	return isnan(cell->sort_value) && (!cell->text[0] || strcmp(cell->text, "-") == 0);
}

static int table_compare_cells(const struct table_cell *a, const struct table_cell *b, bool reverse)
{
	bool a_number = !isnan(a->sort_value), b_number = !isnan(b->sort_value);
	int order;

	if (table_cell_unknown(a) || table_cell_unknown(b))
		return table_cell_unknown(a) - table_cell_unknown(b);
	if (a_number && b_number)
		order = (a->sort_value > b->sort_value) - (a->sort_value < b->sort_value);
	else if (a_number != b_number)
		order = a_number ? -1 : 1;
	else
		order = str_compare_natural(a->text, b->text);
	return reverse ? -order : order;
}

/* Index behind the rows that belong to the one at `at`. */
static size_t table_subtree_end(const struct table *table, size_t at, size_t end)
{
	const struct table_row *row = &table->rows[at]->row;
	size_t next = at + 1;

	while (next < end && table->rows[next]->row.group_with_previous &&
		table->rows[next]->row.depth >= row->depth &&
		(table->rows[next]->row.depth > row->depth || !row->group_with_previous))
		next++;
	return next;
}

struct table_block {
	size_t start, end;
	const struct table_cell *cell;
	bool reverse;
};

static int table_compare_blocks(const void *a, const void *b)
{
	const struct table_block *one = a, *two = b;
	int order = table_compare_cells(one->cell, two->cell, one->reverse);

	return order ? order : (one->start > two->start) - (one->start < two->start);
}

/* Sorts the sibling blocks in [start, end) and, within each, what belongs to it. */
static void table_sort_range(struct table *table, size_t start, size_t end)
{
	struct table_block *blocks;
	struct table_entry **sorted;
	size_t count = 0, n = 0;

	if (end - start < 2)
		return;
	blocks = mem_alloc((end - start) * sizeof(*blocks));
	sorted = mem_alloc((end - start) * sizeof(*sorted));
	for (size_t at = start; at < end;) {
		size_t next = table_subtree_end(table, at, end);

		table_sort_range(table, at + 1, next);
		blocks[count++] = (struct table_block){.start = at,
			.end = next,
			.cell = &table->rows[at]->row.cells[table->sort_column],
			.reverse = table->sort_reverse};
		at = next;
	}
	qsort(blocks, count, sizeof(*blocks), table_compare_blocks);
	for (size_t i = 0; i < count; i++)
		for (size_t k = blocks[i].start; k < blocks[i].end; k++)
			sorted[n++] = table->rows[k];
	memcpy(&table->rows[start], sorted, n * sizeof(*sorted));
	free(sorted);
	free(blocks);
}

static int table_compare_added(const void *a, const void *b)
{
	const struct table_entry *const *one = a, *const *two = b;

	return ((*one)->added > (*two)->added) - ((*one)->added < (*two)->added);
}

static void table_sort(struct table *table)
{
	size_t start = 0;

	if (table->count > 1)
		qsort(table->rows, table->count, sizeof(*table->rows), table_compare_added);
	if (table->sort_column < 0)
		return;
	for (size_t i = 0; i <= table->count; i++) {
		if (i < table->count && !table_is_heading(&table->rows[i]->row))
			continue;
		table_sort_range(table, start, i);
		start = i + 1;
	}
}

/* ---- filter and selection -------------------------------------------------------------------- */

static bool table_matches(const struct table *table, const struct table_row *row)
{
	for (size_t i = 0; i < table->column_count; i++)
		if (str_find_nocase(row->cells[i].text, table->filter))
			return true;
	return false;
}

static void table_apply_filter(struct table *table)
{
	bool all = !table->filter[0], below = false;

	for (size_t i = 0; i < table->count; i++)
		table->rows[i]->shown = all;
	for (size_t i = 0; !all && i < table->count; i++) {
		if (table_is_heading(&table->rows[i]->row) ||
			!table_matches(table, &table->rows[i]->row))
			continue;
		/* what belongs to it, and then the chain of its parents */
		for (size_t k = i; k < table_subtree_end(table, i, table->count); k++)
			table->rows[k]->shown = true;
		int depth = table->rows[i]->row.depth;
		for (size_t k = i; k > 0 && table->rows[k]->row.group_with_previous; k--) {
			const struct table_row *above = &table->rows[k - 1]->row;

			if (above->depth < depth || !above->group_with_previous) {
				table->rows[k - 1]->shown = true;
				depth = above->depth;
			}
		}
	}
	for (size_t i = table->count; !all && i > 0; i--) {
		if (table_is_heading(&table->rows[i - 1]->row)) {
			table->rows[i - 1]->shown = below;
			below = false;
		} else {
			below = below || table->rows[i - 1]->shown;
		}
	}
	table->visible = 0;
	for (size_t i = 0; i < table->count; i++)
		if (table->rows[i]->shown)
			table->order[table->visible++] = table->rows[i];
}

static bool table_selectable_at(const struct table *table, int index)
{
	return index >= 0 && index < (int)table->visible && table->order[index]->row.selectable;
}

/* The selectable row nearest to index, first downwards. */
static int table_nearest(const struct table *table, int index)
{
	int count = (int)table->visible;

	index = index < 0 ? 0 : index >= count ? count - 1 : index;
	for (int i = index; i < count; i++)
		if (table_selectable_at(table, i))
			return i;
	for (int i = index; i >= 0; i--)
		if (table_selectable_at(table, i))
			return i;
	return -1;
}

static void table_restore(struct table *table, const char *identity, int index)
{
	table->selected = -1;
	for (size_t i = 0; *identity && i < table->visible; i++) {
		if (table->order[i]->row.selectable &&
			strcmp(table->order[i]->row.identity, identity) == 0) {
			table->selected = (int)i;
			return;
		}
	}
	table->selected = table_nearest(table, index);
}

/* After a change of order or filter: the selection stays on its row. */
static void table_arrange(struct table *table)
{
	char identity[sizeof(table->kept_identity)];
	int index = table->selected;

	str_copy(identity, sizeof(identity), table_selected(table));
	table_sort(table);
	table_apply_filter(table);
	table_restore(table, identity, index);
}

void table_end(struct table *table)
{
	for (size_t i = 0; i < table->count; i++)
		table->rows[i]->added = i;
	table_sort(table);
	table_apply_filter(table);
	table_restore(table, table->kept_identity, table->kept_index);
}

size_t table_count(const struct table *table)
{
	return table->visible;
}

const char *table_selected(const struct table *table)
{
	return table_selectable_at(table, table->selected)
		? table->order[table->selected]->row.identity
		: "";
}

void table_set_passive(struct table *table)
{
	table->passive = true;
}

void table_select(struct table *table, const char *identity)
{
	for (size_t i = 0; i < table->visible; i++) {
		if (table->order[i]->row.selectable &&
			strcmp(table->order[i]->row.identity, identity) == 0) {
			table->selected = (int)i;
			return;
		}
	}
}

void table_move(struct table *table, int rows)
{
	int at = table->selected, step = rows < 0 ? -1 : 1;
	long left = labs((long)rows);

	if (at < 0) {
		table->selected = table_nearest(table, 0);
		return;
	}
	for (int i = at + step; left > 0 && i >= 0 && i < (int)table->visible; i += step) {
		if (!table_selectable_at(table, i))
			continue;
		at = i;
		left--;
	}
	/* at the very top the headings above the first row are shown as well */
	if (at == table_nearest(table, 0))
		table->top = 0;
	table->selected = at;
}

void table_page(struct table *table, int pages)
{
	int page = table->page > 1 ? table->page - 1 : 1;

	table_move(table, pages > 1000 ? 1000 * page : pages < -1000 ? -1000 * page : pages * page);
}

void table_home(struct table *table, bool end)
{
	table->selected = table_nearest(table, end ? (int)table->visible - 1 : 0);
	if (!end)
		table->top = 0;
}

void table_filter(struct table *table, const char *text)
{
	str_copy(table->filter, sizeof(table->filter), text);
	table_arrange(table);
}

const char *table_filter_text(const struct table *table)
{
	return table->filter;
}

void table_sort_by(struct table *table, int column, bool reverse)
{
	table->sort_column = column >= 0 && column < (int)table->column_count ? column : -1;
	table->sort_reverse = reverse;
	table_arrange(table);
}

void table_sort_next(struct table *table, int direction)
{
	int count = (int)table->column_count + 1, at = table->sort_column + 1;

	/* position 0 is the order of insertion */
	do
		at = (at + (direction < 0 ? count - 1 : 1)) % count;
	while (at > 0 && !table->columns[at - 1].sortable);
	table_sort_by(table, at - 1, false);
}

void table_sort_reverse(struct table *table)
{
	table_sort_by(table, table->sort_column, !table->sort_reverse);
}

bool table_click(struct table *table, int x, int y)
{
	const struct rect *area = &table->area;
	int index = table->top + (y - table->body_y);

	if (x < area->x || x >= area->x + area->width || y < table->body_y ||
		y >= area->y + area->height || !table_selectable_at(table, index))
		return false;
	table->selected = index;
	return true;
}

bool table_mouse(struct table *table, const struct key *key)
{
	const struct rect *area = &table->area;

	if (key->code != KEYC_MOUSE || key->x < area->x || key->x >= area->x + area->width ||
		key->y < area->y || key->y >= area->y + area->height)
		return false;
	if (key->button == MOUSE_WHEEL_UP || key->button == MOUSE_WHEEL_DOWN) {
		table_move(table, key->button == MOUSE_WHEEL_UP ? -3 : 3);
		return true;
	}
	if (key->button != MOUSE_LEFT && key->button != MOUSE_DOUBLE)
		return false;
	if (key->y >= table->body_y)
		return table_click(table, key->x, key->y);
	for (size_t i = 0; i < table->column_count; i++) {
		if (!table->columns[i].sortable || !table->places[i].width ||
			key->x < table->places[i].x ||
			key->x >= table->places[i].x + table->places[i].width)
			continue;
		table_sort_by(
			table, (int)i, table->sort_column == (int)i ? !table->sort_reverse : false);
		return true;
	}
	return false;
}
