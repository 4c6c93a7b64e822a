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

static void answer_filter(struct screen *screen, enum dialog_result result, const char *value)
{
	struct table *table = screen->ops->list(screen);

	if (result == DIALOG_YES && table)
		table_filter(table, value);
}

bool list_screen_action(struct screen *screen, enum action action)
{
	struct table *table = screen->ops->list(screen);

	if (!table)
		return false;
	switch (action) {
	case ACTION_FILTER:
		screen->desk->ask(screen->desk,
			dialog_input("Filter",
				"Show only lines that contain this text (empty: all)",
				table_filter_text(table)),
			answer_filter, screen);
		return true;
	case ACTION_BACK:
		if (!table_filter_text(table)[0])
			return false;
		table_filter(table, "");
		return true;
	default:
		return list_action(table, action);
	}
}

bool list_screen_key(
	struct screen *screen, const struct key *key, void (*open)(struct screen *screen))
{
	struct table *table = screen->ops->list(screen);
	bool twice = false;

	if (!table || !list_key(table, key, &twice))
		return false;
	if (twice && open)
		open(screen);
	return true;
}

void list_filter_draw(const char *filter, struct canvas *canvas, struct rect *area, int least)
{
	if (!filter[0] || area->height < least)
		return;
	area->height--;
	canvas_textf(canvas, area->x + 1, area->y + area->height, area->width - 2, ROLE_LABEL,
		"filter: %s   (Esc: all lines again)", filter);
}
