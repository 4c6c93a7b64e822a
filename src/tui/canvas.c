/* The grid of cells: clipped painting of UTF-8 text, lines and boxes, and its text form. */
#include "tui/canvas.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tui/ascii.h"

#define CANVAS_SIDE_MAX 1000

static int canvas_side(int value)
{
	return value < 1 ? 1 : value > CANVAS_SIDE_MAX ? CANVAS_SIDE_MAX : value;
}

struct canvas *canvas_create(int width, int height)
{
	struct canvas *canvas = mem_alloc(sizeof(*canvas));

	canvas_resize(canvas, width, height);
	return canvas;
}

void canvas_free(struct canvas *canvas)
{
	if (!canvas)
		return;
	free(canvas->cells);
	free(canvas);
}

void canvas_resize(struct canvas *canvas, int width, int height)
{
	width = canvas_side(width);
	height = canvas_side(height);
	if (!canvas->cells || width != canvas->width || height != canvas->height) {
		free(canvas->cells);
		canvas->cells = mem_alloc((size_t)width * (size_t)height * sizeof(struct cell));
		canvas->width = width;
		canvas->height = height;
	}
	canvas_clear(canvas);
}

void canvas_clear(struct canvas *canvas)
{
	size_t count = (size_t)canvas->width * (size_t)canvas->height;

	for (size_t i = 0; i < count; i++)
		canvas->cells[i] = (struct cell){.code_point = ' ', .role = ROLE_TEXT};
	canvas->cursor_x = canvas->cursor_y = -1;
	canvas_clip(canvas, NULL);
}

void canvas_set_ascii(struct canvas *canvas, bool ascii)
{
	canvas->ascii = ascii;
}

/* start + length without overflow, cut to limit */
static int canvas_end(int start, int length, int limit)
{
	long long end = (long long)start + (length > 0 ? length : 0);

	return end > limit ? limit : end < 0 ? 0 : (int)end;
}

void canvas_clip(struct canvas *canvas, const struct rect *rect)
{
	const struct rect whole = {0, 0, canvas->width, canvas->height};
	struct rect in = rect ? *rect : whole;
	int right = canvas_end(in.x, in.width, canvas->width);
	int bottom = canvas_end(in.y, in.height, canvas->height);

	in.x = in.x < 0 ? 0 : in.x;
	in.y = in.y < 0 ? 0 : in.y;
	in.width = right > in.x ? right - in.x : 0;
	in.height = bottom > in.y ? bottom - in.y : 0;
	canvas->clip = in;
}

static bool canvas_inside(const struct canvas *canvas, int x, int y)
{
	const struct rect *clip = &canvas->clip;

	return x >= clip->x && y >= clip->y && x < clip->x + clip->width &&
		y < clip->y + clip->height;
}

static struct cell *canvas_at(struct canvas *canvas, int x, int y)
{
	return &canvas->cells[(size_t)y * (size_t)canvas->width + (size_t)x];
}

/* Writes one cell; the other half of a wide character that loses one becomes a space. */
static void canvas_set(struct canvas *canvas, int x, int y, uint32_t code_point, enum role role)
{
	struct cell *cell = canvas_at(canvas, x, y);

	if (cell->code_point == 0 && x > 0)
		cell[-1].code_point = ' ';
	else if (x + 1 < canvas->width && cell[1].code_point == 0)
		cell[1].code_point = ' ';
	*cell = (struct cell){.code_point = code_point, .role = (uint8_t)role};
}

/* What cannot be shown becomes something that takes the columns it was given. */
static uint32_t canvas_showable(const struct canvas *canvas, uint32_t c)
{
	if (c == '\t' || c == '\n' || c == '\r')
		return ' ';
	if (c < 0x20 || (c >= 0x7f && c < 0xa0) || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return '?';
	if (c < 0x7f)
		return c;
	return canvas->ascii ? (uint32_t)ascii_of(c) : c;
}

void canvas_put(struct canvas *canvas, int x, int y, uint32_t code_point, enum role role)
{
	uint32_t shown = canvas_showable(canvas, code_point);
	int width = code_point < 0x300 ? 1 : str_code_point_width(code_point);

	if (width <= 0)
		return;
	if (width == 1) {
		if (canvas_inside(canvas, x, y))
			canvas_set(canvas, x, y, shown, role);
		return;
	}
	if (canvas_inside(canvas, x, y) && x < canvas->width - 1 &&
		canvas_inside(canvas, x + 1, y)) {
		/* in ASCII both columns are filled, so that the layout stays */
		canvas_set(canvas, x, y, shown, role);
		canvas_set(canvas, x + 1, y, shown, role);
		if (!canvas->ascii)
			canvas_at(canvas, x + 1, y)->code_point = 0;
		return;
	}
	/* half of it lies outside */
	if (canvas_inside(canvas, x, y))
		canvas_set(canvas, x, y, ' ', role);
	else if (x < canvas->width - 1 && canvas_inside(canvas, x + 1, y))
		canvas_set(canvas, x + 1, y, ' ', role);
}

int canvas_text(
	struct canvas *canvas, int x, int y, int max_width, enum role role, const char *text)
{
	int used = 0;
	uint32_t c;

	while ((c = str_utf8_next(&text)) != 0) {
		int width = c < 0x300 ? 1 : str_code_point_width(c);

		if (width <= 0)
			continue;
		if ((max_width >= 0 && used + width > max_width) || used > 2 * CANVAS_SIDE_MAX)
			break;
		if (x < CANVAS_SIDE_MAX && x > -2 * CANVAS_SIDE_MAX)
			canvas_put(canvas, x + used, y, c, role);
		used += width;
	}
	return x > CANVAS_SIDE_MAX ? x : x + used;
}

int canvas_textf(
	struct canvas *canvas, int x, int y, int max_width, enum role role, const char *format, ...)
{
	char text[1024];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return n < 0 ? x : canvas_text(canvas, x, y, max_width, role, text);
}

void canvas_text_right(struct canvas *canvas, int x_end, int y, enum role role, const char *text)
{
	canvas_text(canvas, x_end - str_width(text), y, -1, role, text);
}

/* Bytes of the longest beginning of text that fits into width columns: ends before a space or a
 * newline where there is one. *next: where the following line starts. */
static size_t canvas_line_break(const char *text, int width, const char **next)
{
	const char *at = text, *space = NULL;
	int used = 0;

	for (;;) {
		const char *before = at;
		uint32_t c = str_utf8_next(&at);
		int columns = c < 0x300 ? 1 : str_code_point_width(c);

		if (c == 0 || c == '\n') {
			*next = c ? at : before;
			return (size_t)(before - text);
		}
		if (c == ' ')
			space = before;
		if (used + columns > width) {
			const char *cut = space && space > text ? space : before;

			/* a character wider than the line: take it all the same, so that this ends */
			if (cut == text)
				cut = at;
			*next = cut;
			while (**next == ' ')
				(*next)++;
			return (size_t)(cut - text);
		}
		used += columns;
	}
}

int canvas_wrap(struct canvas *canvas, int x, int y, int width, int max_lines, enum role role,
	const char *text)
{
	int lines = 0;

	if (width <= 0)
		return 0;
	while (*text) {
		const char *next;
		size_t length = canvas_line_break(text, width, &next);

		if (lines < max_lines) {
			char line[4 * CANVAS_SIDE_MAX + 1];
			size_t n = length < sizeof(line) - 1 ? length : sizeof(line) - 1;

			memcpy(line, text, n);
			line[n] = '\0';
			canvas_text(canvas, x, y + lines, width, role, line);
		}
		lines++;
		text = next;
	}
	return lines;
}

void canvas_fill(struct canvas *canvas, struct rect rect, uint32_t code_point, enum role role)
{
	struct rect clip = canvas->clip;
	int left = rect.x > clip.x ? rect.x : clip.x;
	int top = rect.y > clip.y ? rect.y : clip.y;
	int right = canvas_end(rect.x, rect.width, clip.x + clip.width);
	int bottom = canvas_end(rect.y, rect.height, clip.y + clip.height);

	for (int y = top; y < bottom; y++)
		for (int x = left; x < right; x++)
			canvas_put(canvas, x, y, code_point, role);
}

void canvas_hline(struct canvas *canvas, int x, int y, int width, enum role role)
{
	canvas_fill(canvas, (struct rect){x, y, width, 1}, U'─', role);
}

void canvas_box(struct canvas *canvas, struct rect rect, enum role role, const char *title)
{
	int right = canvas_end(rect.x, rect.width, 4 * CANVAS_SIDE_MAX) - 1;
	int bottom = canvas_end(rect.y, rect.height, 4 * CANVAS_SIDE_MAX) - 1;

	if (rect.width < 1 || rect.height < 1)
		return;
	canvas_hline(canvas, rect.x, rect.y, rect.width, role);
	canvas_hline(canvas, rect.x, bottom, rect.width, role);
	canvas_fill(canvas, (struct rect){rect.x, rect.y, 1, rect.height}, U'│', role);
	canvas_fill(canvas, (struct rect){right, rect.y, 1, rect.height}, U'│', role);
	canvas_put(canvas, rect.x, rect.y, U'┌', role);
	canvas_put(canvas, right, rect.y, U'┐', role);
	canvas_put(canvas, rect.x, bottom, U'└', role);
	canvas_put(canvas, right, bottom, U'┘', role);
	if (title && *title && rect.width > 6) {
		int end =
			canvas_text(canvas, rect.x + 3, rect.y, rect.width - 6, ROLE_TITLE, title);

		canvas_put(canvas, rect.x + 2, rect.y, ' ', role);
		canvas_put(canvas, end, rect.y, ' ', role);
	}
}

void canvas_select(struct canvas *canvas, int x, int y, int width)
{
	struct rect clip = canvas->clip;
	int right = canvas_end(x, width, clip.x + clip.width);

	if (y < clip.y || y >= clip.y + clip.height)
		return;
	for (x = x > clip.x ? x : clip.x; x < right; x++)
		canvas_at(canvas, x, y)->selected = 1;
}

char *canvas_dump(const struct canvas *canvas)
{
	struct strbuf out = {0};

	for (int y = 0; y < canvas->height; y++) {
		const struct cell *row = &canvas->cells[(size_t)y * (size_t)canvas->width];
		int end = canvas->width;

		while (end > 0 && row[end - 1].code_point == ' ')
			end--;
		for (int x = 0; x < end; x++) {
			char text[5];

			if (row[x].code_point == 0)
				continue;
			strbuf_add_bytes(&out, text, str_utf8_put(text, row[x].code_point));
		}
		strbuf_add(&out, "\n");
	}
	return out.text;
}
