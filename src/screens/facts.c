/* A list of facts with a cursor. */
#include "screens/facts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "tui/chart.h"

void facts_free(struct facts *facts)
{
	free(facts->rows);
	memset(facts, 0, sizeof(*facts));
}

void facts_begin(struct facts *facts)
{
	facts->count = 0;
}

static struct fact *add_row(struct facts *facts)
{
	if (facts->count == facts->room) {
		facts->room = facts->room ? facts->room * 2 : 32;
		facts->rows = mem_realloc(facts->rows, facts->room * sizeof(*facts->rows));
	}
	struct fact *row = &facts->rows[facts->count++];
	memset(row, 0, sizeof(*row));
	row->bar = NAN;
	row->role = ROLE_VALUE;
	row->note_role = ROLE_DIM;
	return row;
}

struct fact *facts_add(struct facts *facts, const char *key, const char *label, enum role role,
	const char *format, ...)
{
	struct fact *row = add_row(facts);
	va_list args;

	str_copy(row->key, sizeof(row->key), key);
	str_copy(row->label, sizeof(row->label), label);
	row->role = role;
	va_start(args, format);
	vsnprintf(row->value, sizeof(row->value), format, args);
	va_end(args);
	if (!strcmp(row->value, "-"))
		row->role = ROLE_DIM;
	return row;
}

void facts_note(struct fact *fact, enum role role, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(fact->note, sizeof(fact->note), format, args);
	va_end(args);
	fact->note_role = role;
}

void facts_heading(struct facts *facts, const char *text)
{
	if (facts->count)
		add_row(facts);
	struct fact *row = add_row(facts);
	str_copy(row->label, sizeof(row->label), text);
	row->role = ROLE_HEADER;
}

void facts_sentence(struct facts *facts, const char *key, enum role role, const char *text)
{
	struct fact *row = add_row(facts);

	str_copy(row->key, sizeof(row->key), key);
	str_copy(row->value, sizeof(row->value), text);
	row->role = role;
	row->wrapped = true;
}

static bool selectable(const struct facts *facts, size_t index)
{
	return facts->rows[index].key[0] != '\0';
}

static void set_cursor(struct facts *facts, size_t index)
{
	facts->cursor_index = index;
	str_copy(facts->cursor, sizeof(facts->cursor), facts->rows[index].key);
}

void facts_end(struct facts *facts)
{
	/* Several rows may share a key (reasons): the nearest to where the cursor was. */
	size_t best = facts->count, best_distance = 0;

	for (size_t i = 0; i < facts->count; i++) {
		if (!selectable(facts, i))
			continue;
		const bool same = !strcmp(facts->rows[i].key, facts->cursor);
		const size_t distance =
			i > facts->cursor_index ? i - facts->cursor_index : facts->cursor_index - i;
		const size_t cost = distance + (same ? 0 : facts->count);
		if (best == facts->count || cost < best_distance) {
			best = i;
			best_distance = cost;
		}
	}
	if (best < facts->count) {
		set_cursor(facts, best);
	} else {
		facts->cursor[0] = '\0';
		facts->cursor_index = 0;
	}
}

static void move(struct facts *facts, long steps)
{
	size_t at = facts->cursor_index;
	const long direction = steps < 0 ? -1 : 1;

	for (long left = steps * direction; left > 0; left--) {
		size_t next = at;

		do {
			if (direction < 0 ? next == 0 : next + 1 >= facts->count)
				goto out;
			next += (size_t)direction;
		} while (!selectable(facts, next));
		at = next;
	}
out:
	if (at < facts->count && selectable(facts, at))
		set_cursor(facts, at);
	/* At the first fact its heading shows too. */
	if (direction < 0 && at < 3)
		facts->top = 0;
}

bool facts_action(struct facts *facts, enum action action)
{
	const long page = facts->visible > 1 ? (long)facts->visible - 1 : 1;

	switch (action) {
	case ACTION_UP:
		move(facts, -1);
		return true;
	case ACTION_DOWN:
		move(facts, 1);
		return true;
	case ACTION_PAGE_UP:
		move(facts, -page);
		return true;
	case ACTION_PAGE_DOWN:
		move(facts, page);
		return true;
	case ACTION_HOME:
		move(facts, -(long)facts->count);
		return true;
	case ACTION_END:
		move(facts, (long)facts->count);
		return true;
	default:
		return false;
	}
}

static int label_width(int width)
{
	return width >= 100 ? 30 : width >= 60 ? 26 : width * 2 / 5;
}

/* One of several sentences about the same thing: they hang from dots, to be told apart. */
static bool listed(const struct facts *facts, size_t index)
{
	const struct fact *row = &facts->rows[index], *before = index ? row - 1 : NULL;
	const struct fact *after = index + 1 < facts->count ? row + 1 : NULL;

	return row->wrapped &&
		((before && before->wrapped && !strcmp(before->key, row->key)) ||
			(after && after->wrapped && !strcmp(after->key, row->key)));
}

/* Lines that a row takes. */
static int row_height(const struct facts *facts, size_t index, struct canvas *canvas, int width)
{
	const struct fact *row = &facts->rows[index];
	const int room = width - (listed(facts, index) ? 4 : 2);

	if (!row->wrapped || room < 2)
		return 1;
	const int lines = canvas_wrap(canvas, 0, 0, room, 0, ROLE_TEXT, row->value);
	return lines > 0 ? lines : 1;
}

bool facts_key(struct facts *facts, const struct key *key)
{
	const struct rect *area = &facts->drawn;

	if (key->code != KEYC_MOUSE || key->y < area->y || key->y >= area->y + area->height ||
		key->x < area->x || key->x >= area->x + area->width)
		return false;
	if (key->button == MOUSE_WHEEL_UP || key->button == MOUSE_WHEEL_DOWN) {
		move(facts, key->button == MOUSE_WHEEL_UP ? -3 : 3);
		return true;
	}
	if (key->button != MOUSE_LEFT)
		return false;
	struct canvas *measure = canvas_create(area->width, 1);
	int y = area->y;
	bool hit = false;
	for (size_t i = facts->top; i < facts->count && !hit; i++) {
		y += row_height(facts, i, measure, area->width);
		hit = key->y < y;
		if (hit && selectable(facts, i))
			set_cursor(facts, i);
	}
	canvas_free(measure);
	return hit;
}

static void draw_row(const struct facts *facts, size_t index, struct canvas *canvas,
	struct rect line, bool dimmed)
{
	const struct fact *row = &facts->rows[index];
	const int labels = label_width(line.width), end = line.x + line.width;
	int x = line.x + 1;

	if (row->wrapped) {
		const int indent = listed(facts, index) ? 2 : 0;

		if (indent)
			canvas_put(canvas, x, line.y, 0xb7, dimmed ? ROLE_DIM : row->role);
		canvas_wrap(canvas, x + indent, line.y, line.width - 2 - indent, line.height,
			dimmed ? ROLE_DIM : row->role, row->value);
		return;
	}
	canvas_text(canvas, x, line.y, row->key[0] ? labels - 2 : line.width - 1,
		row->key[0] ? ROLE_LABEL : row->role, row->label);
	x = line.x + labels;
	if (x < end)
		x = canvas_text(
			canvas, x, line.y, end - x, dimmed ? ROLE_DIM : row->role, row->value);
	const int second = line.x + labels + (line.width >= 100 ? 20 : line.width >= 60 ? 15 : 10);
	if (row->note[0] || !isnan(row->bar))
		x = x + 2 > second ? x + 2 : second;
	if (!isnan(row->bar) && end - x > 12) {
		const int bar = line.width >= 100 ? 24 : 10;
		chart_bar(canvas, x, line.y, bar < end - x ? bar : end - x,
			dimmed ? ROLE_DIM : row->role, row->bar);
		x += bar + 1;
	}
	if (row->note[0] && x < end)
		canvas_text(
			canvas, x, line.y, end - x, dimmed ? ROLE_DIM : row->note_role, row->note);
}

int facts_height(const struct facts *facts, struct canvas *canvas, int width)
{
	int height = 0;

	for (size_t i = 0; i < facts->count; i++)
		height += row_height(facts, i, canvas, width);
	return height;
}

/* Moves top so that the row under the cursor is wholly inside. */
static void scroll_to_cursor(struct facts *facts, struct canvas *canvas, struct rect area)
{
	if (facts->top >= facts->count)
		facts->top = 0;
	if (facts->cursor_index < facts->top)
		facts->top = facts->cursor_index;
	if (!facts->cursor[0])
		return;
	int height = 0;
	size_t first = facts->cursor_index;
	for (size_t i = facts->cursor_index + 1; i-- > 0;) {
		height += row_height(facts, i, canvas, area.width);
		if (height > area.height)
			break;
		first = i;
	}
	if (facts->top < first)
		facts->top = first;
	/* No empty lines below while there is something above. */
	height = 0;
	first = facts->count;
	for (size_t i = facts->count; i-- > 0;) {
		height += row_height(facts, i, canvas, area.width);
		if (height > area.height)
			break;
		first = i;
	}
	if (facts->top > first)
		facts->top = first;
}

void facts_draw(
	struct facts *facts, struct canvas *canvas, struct rect area, bool focused, bool dimmed)
{
	int y = area.y;

	facts->drawn = area;
	facts->visible = 0;
	if (area.width < 1 || area.height < 1 || !facts->count)
		return;
	scroll_to_cursor(facts, canvas, area);
	size_t i = facts->top;
	for (; i < facts->count && y < area.y + area.height; i++) {
		struct rect line = {
			area.x, y, area.width, row_height(facts, i, canvas, area.width)};

		if (line.y + line.height > area.y + area.height)
			line.height = area.y + area.height - line.y;
		draw_row(facts, i, canvas, line, dimmed);
		if (focused && i == facts->cursor_index && facts->cursor[0])
			for (int n = 0; n < line.height; n++)
				canvas_select(canvas, area.x, y + n, area.width);
		if (focused && i == facts->cursor_index && facts->cursor[0])
			canvas_put(canvas, area.x, y, '>', ROLE_TEXT);
		y += line.height;
		facts->visible++;
	}
	if (facts->top > 0)
		canvas_put(canvas, area.x + area.width - 1, area.y, 0x2191, ROLE_DIM);
	if (i < facts->count)
		canvas_put(canvas, area.x + area.width - 1, area.y + area.height - 1, 0x2193,
			ROLE_DIM);
}
