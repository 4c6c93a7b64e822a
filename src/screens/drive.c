/* Frame of one drive: title, tabs, what is common to them. */
#include "screens/drive.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "screens/check.h"
#include "screens/format.h"

static const struct drive_tab *const tabs[] = {&drive_overview, &drive_smart, &drive_namespaces};
#define TAB_COUNT (sizeof(tabs) / sizeof(tabs[0]))
#define TAB_NAMESPACES 2

static struct drive *of(struct screen *screen)
{
	return (struct drive *)screen;
}

const struct inventory_controller *drive_controller(const struct drive *drive)
{
	const struct inventory *inventory = drive->screen.desk->inventory;

	return inventory ? inventory_find_controller(inventory, drive->controller) : NULL;
}

const struct inventory_namespace *drive_namespace(const struct drive *drive)
{
	const struct inventory *inventory = drive->screen.desk->inventory;
	const struct inventory_controller *controller = drive_controller(drive);
	const char *selected = table_selected(drive->namespaces);

	if (!controller)
		return NULL;
	if (selected[0]) {
		const struct inventory_namespace *ns =
			inventory_find_namespace(inventory, selected);

		if (ns || drive->tab == TAB_NAMESPACES)
			return ns;
	}
	for (size_t i = 0; i < inventory->namespace_count; i++)
		if (inventory_namespace_of(&inventory->namespaces[i], controller))
			return &inventory->namespaces[i];
	return NULL;
}

static void fill(struct drive *drive)
{
	const struct inventory_controller *controller = drive_controller(drive);

	for (size_t i = 0; controller && i < TAB_COUNT; i++)
		tabs[i]->fill(drive, controller, drive->width);
}

static bool update(struct screen *screen)
{
	struct drive *drive = of(screen);
	const struct inventory *inventory = screen->desk->inventory;
	const bool moved = screen_stamp_moved(screen->desk, &drive->minute);

	if (!inventory || inventory->generation == drive->generation)
		return moved;
	drive->generation = inventory->generation;
	fill(drive);
	return true;
}

static void title(
	struct screen *screen, char *left, size_t left_size, char *right, size_t right_size)
{
	struct drive *drive = of(screen);
	const struct inventory_controller *controller = drive_controller(drive);
	char stamp[192];

	str_copy(left, left_size, drive->controller);
	screen_stamp(screen->desk, stamp, sizeof(stamp));
	str_copy(right, right_size, stamp);
	if (!controller)
		return;
	if (controller->simulated)
		str_append(left, left_size, " · SIMULATED");
	str_append(left, left_size, " · %s",
		controller->topo.model[0] ? controller->topo.model : "model not reported");
	if (controller->topo.serial[0])
		str_append(left, left_size, " · SN %s", controller->topo.serial);
	if (controller->topo.firmware[0])
		str_append(left, left_size, " · FW %s", controller->topo.firmware);
	str_format(right, right_size, "%s   %s%s",
		controller->health.verdict == HEALTH_UNKNOWN
			? "health unknown"
			: health_word(controller->health.verdict),
		screen_replaying(screen->desk) ? "" : "live · ", stamp);
}

static void draw_tabs(struct drive *drive, struct canvas *canvas, struct rect area)
{
	int x = area.x + 1;

	drive->tab_y = area.y;
	for (size_t i = 0; i < TAB_COUNT; i++) {
		const bool chosen = i == drive->tab;

		drive->tab_places[i].x = x;
		x = canvas_textf(canvas, x, area.y, area.x + area.width - x,
			chosen ? ROLE_TITLE : ROLE_DIM, chosen ? "[%s]" : " %s ", tabs[i]->title);
		drive->tab_places[i].end = x;
		x++;
	}
}

static void draw(struct screen *screen, struct canvas *canvas, struct rect area)
{
	struct drive *drive = of(screen);
	const struct inventory_controller *controller = drive_controller(drive);

	if (area.width < 1 || area.height < 1)
		return;
	if (drive->width != area.width) {
		drive->width = area.width;
		fill(drive);
	}
	draw_tabs(drive, canvas, area);
	area.y++;
	area.height--;
	if (area.height < 1)
		return;
	if (!controller) {
		char text[128];

		str_format(text, sizeof(text),
			"%s is not there any more: it was removed, or the kernel gave it up.",
			drive->controller);
		canvas_wrap(canvas, area.x + 1, area.y + 1, area.width - 2, area.height - 1,
			ROLE_WARN, text);
		return;
	}
	tabs[drive->tab]->draw(drive, controller, canvas, area);
}

/* The namespace that can be read in a test, or NULL when that has been told. */
static const char *test_target(struct drive *drive)
{
	struct desk *desk = drive->screen.desk;
	const struct inventory_namespace *ns = drive_namespace(drive);
	char why[256];

	if (!ns) {
		desk->notice(desk, "There is no namespace here to test.");
		return NULL;
	}
	const char *name = ns->topo.name[0] ? ns->topo.name : ns->topo.generic;

	if (ns->replayed)
		str_format(why, sizeof(why),
			"%s is part of a replay: there is no drive behind it to test.", name);
	else if (ns->no_sweep[0])
		str_format(why, sizeof(why), "%s cannot be tested: %s", name, ns->no_sweep);
	else
		return name;
	desk->notice(desk, why);
	return NULL;
}

static void sweep(struct drive *drive)
{
	struct desk *desk = drive->screen.desk;
	const char *target = test_target(drive);

	if (target)
		desk->push(desk, screen_sweep_form(desk, target));
}

static void check(struct drive *drive)
{
	const char *target = test_target(drive);

	if (target)
		screen_check_start(drive->screen.desk, target);
}

static bool action(struct screen *screen, enum action action)
{
	struct drive *drive = of(screen);

	switch (action) {
	case ACTION_DRIVE_NEXT_TAB:
		drive->tab = (drive->tab + 1) % TAB_COUNT;
		return true;
	case ACTION_DRIVE_PREVIOUS_TAB:
		drive->tab = (drive->tab + TAB_COUNT - 1) % TAB_COUNT;
		return true;
	case ACTION_DRIVE_SWEEP:
		sweep(drive);
		return true;
	case ACTION_DRIVE_CHECK:
		check(drive);
		return true;
	case ACTION_DRIVE_REFRESH:
		screen->desk->refresh(screen->desk);
		return true;
	default:
		break;
	}
	if (tabs[drive->tab]->action(drive, action))
		return true;
	/* Left and right that the tab has no use for change it. */
	if (action == ACTION_RIGHT && drive->tab + 1 < TAB_COUNT)
		drive->tab++;
	else if (action == ACTION_LEFT && drive->tab > 0)
		drive->tab--;
	else
		return action == ACTION_RIGHT || action == ACTION_LEFT;
	return true;
}

static bool key(struct screen *screen, const struct key *key)
{
	struct drive *drive = of(screen);

	if (key->code == KEYC_MOUSE && key->button == MOUSE_LEFT && key->y == drive->tab_y) {
		for (size_t i = 0; i < TAB_COUNT; i++) {
			if (key->x < drive->tab_places[i].x || key->x >= drive->tab_places[i].end)
				continue;
			drive->tab = i;
			return true;
		}
	}
	return tabs[drive->tab]->key(drive, key);
}

static struct table *list(struct screen *screen)
{
	struct drive *drive = of(screen);

	return drive->tab == TAB_NAMESPACES ? drive->namespaces : NULL;
}

static void explain(struct screen *screen, char *buf, size_t size)
{
	struct drive *drive = of(screen);

	tabs[drive->tab]->explain(drive, buf, size);
}

static const struct screen_hint *hints(struct screen *screen)
{
	static struct screen_hint shown[10];
	const struct drive *drive = of(screen);
	const struct inventory_namespace *ns = drive_namespace(drive);
	size_t n = 0;

	shown[n++] = (struct screen_hint){ACTION_DRIVE_NEXT_TAB, "next tab"};
	if (ns && !ns->replayed && !ns->no_sweep[0]) {
		shown[n++] = (struct screen_hint){ACTION_DRIVE_SWEEP, "sweep"};
		shown[n++] = (struct screen_hint){ACTION_DRIVE_CHECK, "check"};
	}
	if (!screen_replaying(screen->desk))
		shown[n++] = (struct screen_hint){ACTION_DRIVE_REFRESH, "read anew"};
	if (drive->tab == TAB_NAMESPACES && table_count(drive->namespaces) > 1)
		shown[n++] = (struct screen_hint){ACTION_FILTER, "filter"};
	shown[n++] = (struct screen_hint){ACTION_EXPLAIN, "explain"};
	shown[n++] = (struct screen_hint){ACTION_HELP, "help"};
	shown[n++] = (struct screen_hint){ACTION_BACK, "back"};
	shown[n] = (struct screen_hint){ACTION_COUNT, NULL};
	return shown;
}

static void destroy(struct screen *screen)
{
	struct drive *drive = of(screen);

	facts_pair_free(&drive->overview);
	facts_pair_free(&drive->smart);
	table_free(drive->namespaces);
	free(drive);
}

static const struct screen_ops drive_ops = {
	.name = "drive",
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

struct screen *screen_drive(struct desk *desk, const char *controller, const char *namespace_name)
{
	struct drive *drive = mem_alloc(sizeof(*drive));

	drive->screen = (struct screen){&drive_ops, desk};
	str_copy(drive->controller, sizeof(drive->controller), controller);
	drive->namespaces = drive_namespaces_table();
	drive->width = 80;
	drive->generation = UINT64_MAX;
	update(&drive->screen);
	if (namespace_name && namespace_name[0]) {
		table_select(drive->namespaces, namespace_name);
		drive->tab = TAB_NAMESPACES;
	}
	return &drive->screen;
}
