/* Home: all drives of the machine, their health and what they do now. */
#include "screens/drives.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "screens/check.h"
#include "screens/explain.h"
#include "screens/lists.h"

static struct drives *of(struct screen *screen)
{
	return (struct drives *)screen;
}

static bool run_active(const struct desk *desk)
{
	return desk->run && desk->run->state != RUNNER_ENDED;
}

static bool update(struct screen *screen)
{
	struct drives *drives = of(screen);
	const struct inventory *inventory = screen->desk->inventory;
	bool changed = screen_stamp_moved(screen->desk, &drives->minute);

	if (!inventory || inventory->generation == drives->generation)
		return changed;
	drives->generation = inventory->generation;
	const uint64_t period = screen->desk->settings
		? (uint64_t)screen->desk->settings->refresh_ms * 1000000u
		: 0;
	rates_take(&drives->rates, inventory, period, clock_monotonic_ns());
	drives_fill(drives);
	return true;
}

static void title(
	struct screen *screen, char *left, size_t left_size, char *right, size_t right_size)
{
	const struct inventory *inventory = screen->desk->inventory;
	unsigned warned = 0, critical = 0;
	char stamp[192];

	screen_stamp(screen->desk, stamp, sizeof(stamp));
	/* A replay is of another machine, simulated drives are of none. */
	str_format(left, left_size, "nvsweep · %s",
		screen_replaying(screen->desk)           ? stamp
			: screen_simulated(screen->desk) ? inventory->source
							 : screen->desk->hostname);
	if (!inventory)
		return;
	for (size_t i = 0; i < inventory->controller_count; i++) {
		warned += inventory->controllers[i].health.verdict == HEALTH_WARNING;
		critical += inventory->controllers[i].health.verdict == HEALTH_CRITICAL;
	}
	str_format(right, right_size, "%zu drive%s · %zu namespace%s", inventory->controller_count,
		inventory->controller_count == 1 ? "" : "s", inventory->namespace_count,
		inventory->namespace_count == 1 ? "" : "s");
	if (critical)
		str_append(right, right_size, " · %u CRIT", critical);
	if (warned)
		str_append(right, right_size, " · %u WARN", warned);
	if (run_active(screen->desk))
		str_append(right, right_size, " · test runs");
	if (screen_replaying(screen->desk)) {
		int64_t newest = 0;

		for (size_t i = 0; i < inventory->controller_count; i++) {
			const struct inventory_controller *controller = &inventory->controllers[i];

			if (controller->smart_info.read_at > newest)
				newest = controller->smart_info.read_at;
			if (controller->identify_info.read_at > newest)
				newest = controller->identify_info.read_at;
		}
		screen_time_text(newest, stamp, sizeof(stamp));
	}
	str_append(right, right_size, "   %s", stamp);
}

static void draw_empty(struct drives *drives, struct canvas *canvas, struct rect area)
{
	const struct inventory *inventory = drives->screen.desk->inventory;
	const int width = area.width > 64 ? 60 : area.width - 4;
	const int x = area.x + (area.width - width) / 2, y = area.y + area.height / 3;
	const char *text = "No NVMe drives found.";

	if (width < 1)
		return;
	if (!inventory || (!inventory->settled && !inventory->notice[0]))
		text = "Looking for drives.";
	else if (inventory->notice[0])
		text = inventory->notice;
	if (table_filter_text(drives->table)[0]) {
		canvas_wrap(canvas, x, y, width, area.y + area.height - y, ROLE_TEXT,
			"No line contains the filter's text. Press / and clear it.");
		return;
	}
	const int used =
		canvas_wrap(canvas, x, y, width, area.y + area.height - y, ROLE_TEXT, text) + 1;
	if (y + used < area.y + area.height)
		canvas_wrap(canvas, x, y + used, width, area.y + area.height - y - used, ROLE_DIM,
			"A file can be tested without any drive: set up a sweep and type the "
			"file's path into Target.");
}

static void draw(struct screen *screen, struct canvas *canvas, struct rect area)
{
	struct drives *drives = of(screen);
	const struct inventory *inventory = screen->desk->inventory;

	if (area.width < 1 || area.height < 1)
		return;
	if (drives->width != area.width) {
		drives->width = area.width;
		drives_fill(drives);
	}
	if (!table_count(drives->table)) {
		draw_empty(drives, canvas, area);
		return;
	}
	struct rect list = area;
	if (inventory->notice[0] && list.height > 6 && list.width > 8) {
		int lines = canvas_wrap(canvas, list.x + 1, list.y, list.width - 2, 0, ROLE_WARN,
			inventory->notice);

		if (lines > 3)
			lines = 3;
		list.height -= lines;
		canvas_wrap(canvas, list.x + 1, list.y + list.height, list.width - 2, lines,
			ROLE_WARN, inventory->notice);
	}
	list_filter_draw(table_filter_text(drives->table), canvas, &list, 7);
	int pane = list.height >= 34 ? 10 : list.height >= 24 ? 7 : list.height >= 10 ? 5 : 0;
	const int rows = (int)table_count(drives->table) + 1;
	/* Room that the list does not need goes to the pane. */
	if (pane && list.height - rows > pane)
		pane = list.height - rows;
	list.height -= pane;
	table_draw(drives->table, canvas, list);
	if (pane) {
		const struct rect below = {list.x, list.y + list.height, list.width, pane};

		drives_pane_draw(drives, canvas, below);
	}
}

static void fold(struct drives *drives, const char *identity, bool closed)
{
	for (size_t i = 0; i < drives->folded_count; i++) {
		if (strcmp(drives->folded[i], identity))
			continue;
		if (!closed) {
			memmove(drives->folded[i], drives->folded[i + 1],
				(drives->folded_count - i - 1) * sizeof(drives->folded[0]));
			drives->folded_count--;
		}
		closed = false;
		break;
	}
	if (closed) {
		drives->folded = mem_realloc(
			drives->folded, (drives->folded_count + 1) * sizeof(drives->folded[0]));
		str_copy(drives->folded[drives->folded_count++], sizeof(drives->folded[0]),
			identity);
	}
	drives_fill(drives);
}

/* Rows that have others below them. */
static bool foldable(const struct drives *drives, const struct drives_selection *row)
{
	const struct inventory *inventory = drives->screen.desk->inventory;

	if (row->kind == DRIVES_SUBSYSTEM)
		return true;
	if (row->kind == DRIVES_NAMESPACE)
		return row->ns && row->ns->topo.path_count > 0;
	for (size_t i = 0;
		row->kind == DRIVES_CONTROLLER && row->controller && i < inventory->namespace_count;
		i++)
		if (inventory_namespace_of(&inventory->namespaces[i], row->controller))
			return true;
	return false;
}

static void sweep(struct drives *drives)
{
	struct desk *desk = drives->screen.desk;
	const struct drives_selection row = drives_selected(drives);
	char target[64], why[256];

	drives_target(drives, &row, target, sizeof(target), why, sizeof(why));
	/* Without a line to choose the form asks for the target. */
	if (row.kind == DRIVES_NONE)
		desk->push(desk, screen_sweep_form(desk, ""));
	else if (why[0])
		desk->notice(desk, why);
	else
		desk->push(desk, screen_sweep_form(desk, target));
}

static void check(struct drives *drives)
{
	struct desk *desk = drives->screen.desk;
	const struct drives_selection row = drives_selected(drives);
	char target[64], why[256];

	drives_target(drives, &row, target, sizeof(target), why, sizeof(why));
	if (row.kind == DRIVES_NONE)
		desk->notice(desk, "There is no drive to check.");
	else if (why[0])
		desk->notice(desk, why);
	else
		screen_check_start(desk, target);
}

static void open_row(struct screen *screen)
{
	struct drives *drives = of(screen);
	struct desk *desk = screen->desk;
	const struct drives_selection row = drives_selected(drives);

	if (row.kind == DRIVES_OTHER)
		sweep(drives);
	else if (row.controller)
		desk->push(desk,
			screen_drive(desk, row.controller->topo.name,
				row.ns ? row.ns->topo.name : NULL));
	else if (row.kind != DRIVES_NONE)
		desk->notice(desk, "The kernel shows no controller for this line.");
}

static struct table *list(struct screen *screen)
{
	return of(screen)->table;
}

static bool action(struct screen *screen, enum action action)
{
	struct drives *drives = of(screen);
	const struct drives_selection row = drives_selected(drives);

	if (list_screen_action(screen, action))
		return true;
	switch (action) {
	case ACTION_DRIVES_OPEN:
		open_row(screen);
		return true;
	case ACTION_DRIVES_SWEEP:
		sweep(drives);
		return true;
	case ACTION_DRIVES_CHECK:
		check(drives);
		return true;
	case ACTION_DRIVES_FOLD:
		if (foldable(drives, &row))
			fold(drives, row.identity, !drives_folded(drives, row.identity));
		return true;
	case ACTION_LEFT:
	case ACTION_RIGHT:
		if (foldable(drives, &row) &&
			drives_folded(drives, row.identity) == (action == ACTION_RIGHT))
			fold(drives, row.identity, action == ACTION_LEFT);
		return true;
	case ACTION_DRIVES_REFRESH:
		screen->desk->refresh(screen->desk);
		return true;
	default:
		return false;
	}
}

static bool key(struct screen *screen, const struct key *key)
{
	return list_screen_key(screen, key, open_row);
}

static void explain(struct screen *screen, char *buf, size_t size)
{
	const struct drives_selection row = drives_selected(of(screen));
	char health[512];

	explain_text(drives_explain_key(&row), buf, size);
	if (row.kind != DRIVES_CONTROLLER && row.kind != DRIVES_SUBSYSTEM &&
		row.kind != DRIVES_NAMESPACE)
		return;
	explain_text("drives.health", health, sizeof(health));
	str_append(buf, size, "\n\n%s", health);
}

static const struct screen_hint *hints(struct screen *screen)
{
	static struct screen_hint shown[10];
	const struct drives *drives = of(screen);
	const struct drives_selection row = drives_selected(drives);
	char target[64], why[256];
	size_t n = 0;

	if (row.controller)
		shown[n++] = (struct screen_hint){ACTION_DRIVES_OPEN, "open"};
	drives_target(drives, &row, target, sizeof(target), why, sizeof(why));
	if (!why[0] || row.kind == DRIVES_NONE)
		shown[n++] = (struct screen_hint){ACTION_DRIVES_SWEEP, "sweep"};
	if (!why[0] && row.kind != DRIVES_NONE && !run_active(screen->desk))
		shown[n++] = (struct screen_hint){ACTION_DRIVES_CHECK, "check"};
	if (run_active(screen->desk))
		shown[n++] = (struct screen_hint){ACTION_RUNNING, "running"};
	else if (foldable(drives, &row))
		shown[n++] = (struct screen_hint){ACTION_DRIVES_FOLD, "fold"};
	shown[n++] = (struct screen_hint){ACTION_RESULTS, "results"};
	shown[n++] = (struct screen_hint){ACTION_FILTER, "filter"};
	shown[n++] = (struct screen_hint){ACTION_EXPLAIN, "explain"};
	shown[n++] = (struct screen_hint){ACTION_HELP, "help"};
	shown[n++] = (struct screen_hint){ACTION_QUIT, "quit"};
	shown[n] = (struct screen_hint){ACTION_COUNT, NULL};
	return shown;
}

static void destroy(struct screen *screen)
{
	struct drives *drives = of(screen);

	table_free(drives->table);
	rates_free(&drives->rates);
	free(drives->folded);
	free(drives);
}

static const struct screen_ops drives_ops = {
	.name = "drives",
	.draw = draw,
	.title = title,
	.action = action,
	.key = key,
	.update = update,
	.list = list,
	.explain = explain,
	.hints = hints,
	.destroy = destroy,
};

struct screen *screen_drives(struct desk *desk)
{
	struct drives *drives = mem_alloc(sizeof(*drives));

	drives->screen = (struct screen){&drives_ops, desk};
	drives->table = table_create(drives_columns, drives_column_count);
	drives->width = 80;
	drives->generation = UINT64_MAX;
	update(&drives->screen);
	drives_fill(drives);
	return &drives->screen;
}
