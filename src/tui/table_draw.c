/* Tables: how wide columns are, which ones are left out, and painting. Second body of table.h. */
#include "tui/table.h"

#include <string.h>

#include "base/str.h"
#include "tui/table_parts.h"

#define TABLE_INDENT 2

/* ---- decimal alignment ----------------------------------------------------------------------- */

struct table_decimal {
	int before, fraction, unit;  /* columns */
	size_t fraction_at, unit_at; /* bytes */
	bool number;
};

static bool table_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "7.68 TB" is 1 column before the point, 3 from it on, 3 of unit; "-" counts as a digit. */
static struct table_decimal table_split(const char *text)
{
	struct table_decimal split = {0};
	size_t at = 0;

	while (text[at] && strchr("+-<>~", text[at]))
		at++;
	if (strncmp(text, "≥ ", strlen("≥ ")) == 0)
		at = strlen("≥ ");
	split.number = table_is_digit(text[at]) || strcmp(text, "-") == 0;
	if (!split.number)
		return split;
	while (table_is_digit(text[at]) || (text[at] == ',' && table_is_digit(text[at + 1])))
		at++;
	split.fraction_at = at;
	if (text[at] == '.' && table_is_digit(text[at + 1])) {
		at++;
		while (table_is_digit(text[at]))
			at++;
	}
	split.unit_at = at;
	split.fraction = (int)(split.unit_at - split.fraction_at);
	split.unit = str_width(text + split.unit_at);
	split.before = str_width(text) - split.fraction - split.unit;
	return split;
}

/* ---- widths ---------------------------------------------------------------------------------- */

static const char *table_sort_mark(const struct table *table, size_t column)
{
	if (table->sort_column != (int)column)
		return "";
	return table->sort_reverse ? "▼" : "▲";
}

static int table_max(int a, int b)
{
	return a > b ? a : b;
}

static bool table_runs_over(const struct table_row *row)
{
	return !row->selectable && !row->group_with_previous;
}

static int table_indent(const struct table_row *row, size_t column)
{
	return column == 0 && row->depth > 0 ? TABLE_INDENT * (row->depth < 20 ? row->depth : 20)
					     : 0;
}

/* Text that runs over the empty cells behind it does not make its column wide. */
static bool table_is_overlong(const struct table *table, const struct table_row *row, size_t column)
{
	return table->columns[column].align == TABLE_LEFT && column + 1 < table->column_count &&
		!row->cells[column + 1].text[0];
}

static void table_measure(struct table *table, size_t column)
{
	struct table_place *place = &table->places[column];
	bool decimal = table->columns[column].align == TABLE_DECIMAL;

	*place = (struct table_place){0};
	place->natural =
		str_width(table->columns[column].title) + str_width(table_sort_mark(table, column));
	for (size_t i = 0; i < table->visible; i++) {
		const struct table_row *row = &table->order[i]->row;
		const char *text = row->cells[column].text;

		if (table_runs_over(row) || table_is_overlong(table, row, column))
			continue;
		if (decimal) {
			struct table_decimal split = table_split(text);

			place->before = table_max(place->before, split.before);
			place->fraction = table_max(place->fraction, split.fraction);
			place->unit = table_max(place->unit, split.unit);
		}
		place->natural =
			table_max(place->natural, str_width(text) + table_indent(row, column));
	}
	place->natural = table_max(place->natural, place->before + place->fraction + place->unit);
}

static int table_lower(const struct table *table, size_t i)
{
	const struct table_column *column = &table->columns[i];

	return column->min_width > 0 ? column->min_width : table_max(table->places[i].natural, 1);
}

static int table_upper(const struct table *table, size_t i)
{
	const struct table_column *column = &table->columns[i];
	int width = table->places[i].natural;

	if (column->max_width > 0 && width > column->max_width)
		width = column->max_width;
	return table_max(width, table_lower(table, i));
}

/* Columns needed at the least; widths > 0 mark those that are shown. */
static int table_needed(const struct table *table, int (*width)(const struct table *, size_t))
{
	int need = -1;

	for (size_t i = 0; i < table->column_count; i++)
		if (table->places[i].width)
			need += width(table, i) + 1;
	return need;
}

/* Leaves out columns, highest priority number first, until the rest fits. */
static void table_choose(struct table *table, int room)
{
	for (size_t i = 0; i < table->column_count; i++)
		table->places[i].width = 1;
	while (table_needed(table, table_lower) > room) {
		int worst = -1;

		for (size_t i = 0; i < table->column_count; i++)
			if (table->places[i].width && table->columns[i].priority > 0 &&
				(worst < 0 ||
					table->columns[i].priority >=
						table->columns[worst].priority))
				worst = (int)i;
		if (worst < 0)
			return;
		table->places[worst].width = 0;
	}
}

/* Shares out what is left, the most important columns first. */
static void table_grow(struct table *table, int room)
{
	int left = room - table_needed(table, table_lower), done = -1;

	for (size_t i = 0; i < table->column_count; i++)
		if (table->places[i].width)
			table->places[i].width = table_lower(table, i);
	while (left > 0) {
		int priority = -1;

		for (size_t i = 0; i < table->column_count; i++)
			if (table->columns[i].priority > done &&
				(priority < 0 || table->columns[i].priority < priority))
				priority = table->columns[i].priority;
		if (priority < 0)
			return;
		for (size_t i = 0; i < table->column_count; i++) {
			int more = table_upper(table, i) - table->places[i].width;

			if (table->columns[i].priority != priority || !table->places[i].width)
				continue;
			more = more < left ? more : left > 0 ? left : 0;
			table->places[i].width += more;
			left -= more;
		}
		done = priority;
	}
}

static void table_layout(struct table *table, int x, int room)
{
	int gap = 1, end = x + room, shown = 0, used;

	table->end_x = end;
	for (size_t i = 0; i < table->column_count; i++)
		table_measure(table, i);
	table_choose(table, room);
	table_grow(table, room);
	used = -1;
	for (size_t i = 0; i < table->column_count; i++) {
		shown += table->places[i].width > 0;
		used += table->places[i].width ? table->places[i].width + 1 : 0;
	}
	if (room - used >= shown - 1 && shown > 1)
		gap = 2;
	for (size_t i = 0; i < table->column_count; i++) {
		struct table_place *place = &table->places[i];

		if (!place->width)
			continue;
		place->x = x;
		if (x + place->width > end)
			place->width = end > x ? end - x : 0;
		x += place->width + gap;
	}
}

/* ---- painting -------------------------------------------------------------------------------- */

/* Text that does not fit ends in a mark that it was cut. */
static void table_put(struct canvas *canvas, int x, int y, int width, enum table_align align,
	enum role role, const char *text)
{
	int needed = str_width(text);

	if (width <= 0)
		return;
	if (needed > width) {
		int end = canvas_text(canvas, x, y, width - 1, role, text);

		canvas_put(canvas, end, y, U'…', role);
		return;
	}
	canvas_text(canvas, align == TABLE_LEFT ? x : x + width - needed, y, width, role, text);
}

static void table_put_decimal(struct canvas *canvas, const struct table_place *place, int y,
	enum role role, const char *text)
{
	struct table_decimal split = table_split(text);
	int whole = place->before + place->fraction + place->unit, point;

	if (!split.number || whole > place->width) {
		table_put(canvas, place->x, y, place->width, TABLE_RIGHT, role, text);
		return;
	}
	point = place->x + place->width - place->unit - place->fraction;
	canvas_text(canvas, point - split.before, y, split.before + split.fraction, role, text);
	canvas_text(canvas, point + place->fraction, y, split.unit, role, text + split.unit_at);
}

static void table_draw_titles(struct table *table, struct canvas *canvas, struct rect area)
{
	char title[128];

	canvas_fill(canvas, (struct rect){area.x, area.y, area.width, 1}, ' ', ROLE_HEADER);
	for (size_t i = 0; i < table->column_count; i++) {
		if (!table->places[i].width)
			continue;
		str_format(title, sizeof(title), "%s%s", table->columns[i].title,
			table_sort_mark(table, i));
		table_put(canvas, table->places[i].x, area.y, table->places[i].width,
			table->columns[i].align, ROLE_HEADER, title);
	}
}

/* Left-aligned text may run over the empty cells that follow. */
static int table_cell_width(const struct table *table, const struct table_row *row, size_t column)
{
	const struct table_place *place = &table->places[column];
	int end = place->x + place->width;
	size_t i = column + 1;

	if (table->columns[column].align != TABLE_LEFT)
		return place->width;
	for (; i < table->column_count && !row->cells[i].text[0]; i++)
		if (table->places[i].width)
			end = table->places[i].x + table->places[i].width;
	return (i == table->column_count ? table->end_x : end) - place->x;
}

static void table_draw_row(
	struct table *table, struct canvas *canvas, struct rect area, size_t index, int y)
{
	const struct table_row *row = &table->order[index]->row;

	if (table_runs_over(row)) {
		if (row->cell_count > 0)
			table_put(canvas, area.x + 1, y, area.width - 1, TABLE_LEFT,
				row->cells[0].role, row->cells[0].text);
		return;
	}
	for (size_t i = 0; i < table->column_count; i++) {
		const struct table_place *place = &table->places[i];
		const struct table_cell *cell = &row->cells[i];
		int indent = table_indent(row, i);

		if (!place->width)
			continue;
		if (table->columns[i].align == TABLE_DECIMAL)
			table_put_decimal(canvas, place, y, cell->role, cell->text);
		else
			table_put(canvas, place->x + indent, y,
				table_cell_width(table, row, i) - indent, table->columns[i].align,
				cell->role, cell->text);
	}
	if ((int)index == table->selected && !table->passive) {
		canvas_put(canvas, area.x, y, '>', ROLE_TEXT);
		canvas_select(canvas, area.x, y, area.width);
	}
}

static void table_draw_scrollbar(struct table *table, struct canvas *canvas, int x)
{
	int count = (int)table->visible, page = table->page;
	int length = table_max(1, page * page / count);
	int start = count > page ? table->top * (page - length) / (count - page) : 0;

	for (int i = 0; i < page; i++)
		canvas_put(canvas, x, table->body_y + i,
			i >= start && i < start + length ? U'█' : U'│', ROLE_BORDER);
}

/* Keeps the selected row on the screen, and no empty room at the end. */
static void table_scroll(struct table *table)
{
	int count = (int)table->visible;

	if (table->selected >= 0) {
		if (table->top > table->selected)
			table->top = table->selected;
		if (table->top < table->selected - table->page + 1)
			table->top = table->selected - table->page + 1;
	}
	if (table->top > count - table->page)
		table->top = count - table->page;
	if (table->top < 0)
		table->top = 0;
}

void table_draw(struct table *table, struct canvas *canvas, struct rect area)
{
	bool titles = area.height > 1, bar;
	int room;

	area.width = area.width < 0 ? 0 : area.width;
	table->area = area;
	table->body_y = area.y + titles;
	table->page = table_max(area.height - titles, 1);
	if (area.width < 1 || area.height < 1)
		return;
	table_scroll(table);
	bar = (int)table->visible > table->page && area.width > 10;
	room = table_max(area.width - 1 - 2 * bar, 1);
	table_layout(table, area.x + 1, room);
	if (titles)
		table_draw_titles(table, canvas, area);
	for (int i = 0; i < table->page && table->top + i < (int)table->visible; i++)
		table_draw_row(table, canvas, area, (size_t)(table->top + i), table->body_y + i);
	if (bar)
		table_draw_scrollbar(table, canvas, area.x + area.width - 1);
	if (table->visible > 0 || area.height < 2)
		return;
	if (table->filter[0] && table->count > 0)
		canvas_textf(canvas, area.x + 1, table->body_y, area.width - 1, ROLE_DIM,
			"No line has \"%s\" in it.", table->filter);
	else
		canvas_text(
			canvas, area.x + 1, table->body_y, area.width - 1, ROLE_DIM, table->empty);
}
