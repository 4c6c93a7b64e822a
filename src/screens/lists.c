/* What every screen with a table does alike. */
#include "screens/lists.h"

bool list_action(struct table *table, enum action action)
{
	switch (action) {
	case ACTION_UP:
		table_move(table, -1);
		return true;
	case ACTION_DOWN:
		table_move(table, 1);
		return true;
	case ACTION_PAGE_UP:
		table_page(table, -1);
		return true;
	case ACTION_PAGE_DOWN:
		table_page(table, 1);
		return true;
	case ACTION_HOME:
		table_home(table, false);
		return true;
	case ACTION_END:
		table_home(table, true);
		return true;
	case ACTION_SORT_PREVIOUS:
		table_sort_next(table, -1);
		return true;
	case ACTION_SORT_NEXT:
		table_sort_next(table, 1);
		return true;
	case ACTION_SORT_REVERSE:
		table_sort_reverse(table);
		return true;
	default:
		return false;
	}
}

bool list_key(struct table *table, const struct key *key, bool *open)
{
	*open = false;
	if (key->code != KEYC_MOUSE)
		return false;
	/* A double click on a title is not one on a line. */
	if (key->button == MOUSE_DOUBLE && table_click(table, key->x, key->y)) {
		*open = true;
		return true;
	}
	return table_mouse(table, key);
}

void list_ask_filter(struct screen *screen, const struct table *table,
	void (*answer)(struct screen *screen, enum dialog_result result, const char *value))
{
	screen->desk->ask(screen->desk,
		dialog_input("Filter", "Show only lines that contain this text (empty: all)",
			table_filter_text(table)),
		answer, screen);
}
