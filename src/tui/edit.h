/* One line of text being edited: UTF-8, cursor, horizontal scrolling. Pure. UI thread. */
#ifndef TUI_EDIT_H
#define TUI_EDIT_H

#include <stdbool.h>
#include <stddef.h>

#include "tui/canvas.h"
#include "tui/keys.h"

struct edit {
	char text[1024]; /* well-formed UTF-8 of printable characters */
	size_t cursor;   /* byte before which the next character goes */
	size_t left;     /* first byte shown in the last draw */
};

/* Takes over text, without what cannot be shown; the cursor goes to the end. */
void edit_set(struct edit *edit, const char *text);
/* Characters, Left, Right, Home, End, Backspace, Del, Ctrl-A, Ctrl-E, Ctrl-U, Ctrl-K, Ctrl-W. Returns
 * true when the key was used. Control characters of a paste are used up without effect. */
bool edit_key(struct edit *edit, const struct key *key);
/* Room that holds no text is filled with '_'. focused: shows the cursor. */
void edit_draw(struct edit *edit, struct canvas *canvas, int x, int y, int width, enum role role,
	bool focused);

#endif
