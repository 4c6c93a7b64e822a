/* A list of facts: label, value, remark, one line each, with a cursor that scrolls and survives
 * refilling; the tabs of a drive and the details of a run are made of it. Pure layout and state.
 * UI thread. */
#ifndef SCREENS_FACTS_H
#define SCREENS_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "screens/actions.h"
#include "tui/canvas.h"

struct fact {
	char key[40]; /* what EXPLAIN looks up; "" for headings and blank lines */
	char label[40];
	char value[192];
	char note[192]; /* behind the value, dimmed unless note_role says otherwise */
	enum role role, note_role;
	double bar;   /* 0..1 drawn before the note; NaN none */
	bool wrapped; /* value runs over the whole width, as many lines as it takes */
};

struct facts {
	struct fact *rows;
	size_t count, room;
	char cursor[40]; /* key of the row under it */
	size_t cursor_index;
	size_t top;     /* first row shown */
	size_t visible; /* rows shown by the last draw */
	struct rect drawn;
};

void facts_free(struct facts *facts);
void facts_begin(struct facts *facts); /* empties; the cursor stays on its key */
struct fact *facts_add(struct facts *facts, const char *key, const char *label, enum role role,
	const char *format, ...) __attribute__((format(printf, 5, 6)));
void facts_note(struct fact *fact, enum role role, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void facts_heading(struct facts *facts, const char *text);
/* Text over the whole width. */
void facts_sentence(struct facts *facts, const char *key, enum role role, const char *text);
void facts_end(struct facts *facts);
/* UP, DOWN, PAGE_UP, PAGE_DOWN, HOME, END; false: another action. */
bool facts_action(struct facts *facts, enum action action);
/* Wheel and click; true when used. */
bool facts_key(struct facts *facts, const struct key *key);
/* Lines that all rows take at this width. */
int facts_height(const struct facts *facts, struct canvas *canvas, int width);
/* focused: the cursor shows. dimmed: old content. */
void facts_draw(
	struct facts *facts, struct canvas *canvas, struct rect area, bool focused, bool dimmed);

#endif
