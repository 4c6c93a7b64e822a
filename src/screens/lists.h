/* What every screen with a table does alike: moving, sorting, filtering, mouse. UI thread. */
#ifndef SCREENS_LISTS_H
#define SCREENS_LISTS_H

#include "screens/screen.h"
#include "tui/table.h"

/* Moves and sorts; false: another action. */
bool list_action(struct table *table, enum action action);
/* Wheel, click; *open when a line was clicked twice. False: not a mouse event of the table. */
bool list_key(struct table *table, const struct key *key, bool *open);
/* Asks for the filter's text; answer is to hand it to table_filter. */
void list_ask_filter(struct screen *screen, const struct table *table,
	void (*answer)(struct screen *screen, enum dialog_result result, const char *value));

#endif
