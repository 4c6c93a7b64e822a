/* What every screen with a table does alike: moving, sorting, filtering, mouse. UI thread. */
#ifndef SCREENS_LISTS_H
#define SCREENS_LISTS_H

#include "screens/screen.h"
#include "tui/table.h"

/* Moves and sorts; false: another action. */
bool list_action(struct table *table, enum action action);
/* Wheel, click; *open when a line was clicked twice. False: not a mouse event of the table. */
bool list_key(struct table *table, const struct key *key, bool *open);

/* The same for a screen with the op `list`, which also filters: FILTER asks for the text, BACK
 * takes a filter off before it leaves the screen. */
bool list_screen_action(struct screen *screen, enum action action);
/* open (may be NULL): a line was clicked twice. */
bool list_screen_key(
	struct screen *screen, const struct key *key, void (*open)(struct screen *screen));
/* Says on the last line of *area what is filtered, and takes that line off; nothing without a
 * filter or in an area below `least` lines. */
void list_filter_draw(const char *filter, struct canvas *canvas, struct rect *area, int least);

#endif
