/* Explanations: what a figure means, what is usual, what to do. One table for all screens. */
#ifndef SCREENS_EXPLAIN_H
#define SCREENS_EXPLAIN_H

#include <stddef.h>

#include "tui/canvas.h"

struct explain_row {
	const char *key;   /* "smart.percentage_used" */
	const char *title; /* what it is called on the screen */
	const char *text;
};
extern const struct explain_row explain_table[];
extern const size_t explain_count;

/* The text in a pane under a line, where a screen has room that nothing else needs: at least
 * EXPLAIN_PANE_ROOM lines, else nothing is drawn. */
#define EXPLAIN_PANE_ROOM 5
void explain_pane_draw(const char *key, struct canvas *canvas, struct rect area);

/* "Title: text"; "" when there is none. */
void explain_text(const char *key, char *buf, size_t size);

#endif
