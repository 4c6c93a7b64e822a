/* A grid of cells that widgets paint into. It knows no terminal: tui/term.c sends the difference to
 * the last frame, tests compare canvas_text (DESIGN 6). One owner thread (UI).
 *
 * Painting clips silently: any size from 1x1 up, any coordinate. Texts are UTF-8; wide characters
 * take two cells; with charset ASCII the canvas maps the graphic characters that widgets use to
 * ASCII (see canvas_set_ascii).
 */
#ifndef TUI_CANVAS_H
#define TUI_CANVAS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* What a text is; the theme says how it looks. Colour only repeats what a letter or word says. */
enum role {
	ROLE_TEXT,
	ROLE_DIM,
	ROLE_TITLE,
	ROLE_BAR,
	ROLE_BAR_KEY,
	ROLE_HEADER,
	ROLE_SELECTED,
	ROLE_LABEL,
	ROLE_VALUE,
	ROLE_GOOD,
	ROLE_WARN,
	ROLE_CRIT,
	ROLE_UNKNOWN,
	ROLE_BORDER,
	ROLE_GRAPH_READ,
	ROLE_GRAPH_WRITE,
	ROLE_GRAPH_P50,
	ROLE_GRAPH_P99,
	ROLE_GRAPH_P999,
	ROLE_GRAPH_LIMIT,
	ROLE_GRAPH_REFERENCE,
	ROLE_FIELD,
	ROLE_FIELD_FOCUS,
	ROLE_ERROR,
	ROLE_SIMULATED,
	ROLE_COUNT
};

struct cell {
	uint32_t code_point; /* 0: right half of a wide character */
	uint8_t role;
	uint8_t selected; /* drawn with the selection's background on top of its role */
};

struct rect {
	int x, y, width, height;
};

struct canvas {
	int width, height;
	struct cell *cells;
	bool ascii;
	int cursor_x, cursor_y; /* -1: hidden */
	struct rect clip;
};

struct canvas *canvas_create(int width, int height); /* sizes are clamped to 1..1000 */
void canvas_free(struct canvas *canvas);
void canvas_resize(struct canvas *canvas, int width, int height); /* clears */
void canvas_clear(struct canvas *canvas);
void canvas_set_ascii(struct canvas *canvas, bool ascii);
/* Restricts painting to rect (intersected with the canvas); NULL: the whole canvas. */
void canvas_clip(struct canvas *canvas, const struct rect *rect);

void canvas_put(struct canvas *canvas, int x, int y, uint32_t code_point, enum role role);
/* Returns the x behind the text; stops at max_width columns (< 0: no limit). */
int canvas_text(
	struct canvas *canvas, int x, int y, int max_width, enum role role, const char *text);
int canvas_textf(struct canvas *canvas, int x, int y, int max_width, enum role role,
	const char *format, ...) __attribute__((format(printf, 6, 7)));
/* Right-aligned so that it ends before x_end. */
void canvas_text_right(struct canvas *canvas, int x_end, int y, enum role role, const char *text);
/* Wraps at words; returns the number of lines used (painted: at most max_lines). */
int canvas_wrap(struct canvas *canvas, int x, int y, int width, int max_lines, enum role role,
	const char *text);
void canvas_fill(struct canvas *canvas, struct rect rect, uint32_t code_point, enum role role);
void canvas_hline(struct canvas *canvas, int x, int y, int width, enum role role);
void canvas_box(struct canvas *canvas, struct rect rect, enum role role, const char *title);
/* Marks a row part as selected. */
void canvas_select(struct canvas *canvas, int x, int y, int width);
/* The whole grid as UTF-8 lines without trailing spaces: --plain and tests. Caller frees. */
char *canvas_dump(const struct canvas *canvas);

#endif
