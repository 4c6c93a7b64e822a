/* Rows of the home screen: a tree of controllers, subsystems, namespaces and paths, then other
 * targets. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "screens/drives_cells.h"
#include "screens/format.h"

bool drives_folded(const struct drives *drives, const char *identity)
{
	for (size_t i = 0; i < drives->folded_count; i++)
		if (!strcmp(drives->folded[i], identity))
			return true;
	return false;
}

static struct table_row *add_row(
	struct drives *drives, enum drives_kind kind, const char *name, int depth)
{
	char identity[64];

	str_format(identity, sizeof(identity), "%c:%s", (char)kind, name);
	struct table_row *row = table_add(drives->table, identity);
	row->depth = depth;
	row->selectable = true;
	row->group_with_previous = depth > 0;
	return row;
}

static double controller_bytes(
	const struct inventory *inventory, const struct inventory_controller *controller)
{
	double sum = 0;
	bool known = false;

	if (controller->identify_info.read_at && controller->identify.total_capacity.reported &&
		controller->identify.total_capacity.value > 0)
		return (double)controller->identify.total_capacity.value;
	for (size_t i = 0; i < inventory->namespace_count; i++) {
		const struct inventory_namespace *ns = &inventory->namespaces[i];

		if (ns->size_known && inventory_namespace_of(ns, controller)) {
			sum += (double)ns->size_bytes;
			known = true;
		}
	}
	return known ? sum : NAN;
}

/* True when the rows below are to be added. */
/* The sign before a name that has lines below it. ASCII has no triangles, and "v" before a name
 * reads as part of it. */
static const char *fold_sign(const struct drives *drives, bool folded)
{
	if (drives->screen.desk->ascii)
		return folded ? "+" : "-";
	return folded ? "▸" : "▾";
}

static bool fill_controller(struct drives *drives, const struct inventory_controller *controller,
	int depth, bool children)
{
	char identity[64], text[64];
	struct table_row *row = add_row(drives, DRIVES_CONTROLLER, controller->topo.name, depth);

	str_copy(identity, sizeof(identity), row->identity);
	const bool folded = drives_folded(drives, identity);
	const bool silent =
		controller->topo.state[0] && strcmp(controller->topo.state, "live") != 0;
	table_cell(row, DRIVES_COLUMN_DEVICE, silent ? ROLE_DIM : ROLE_TEXT, "%s%s",
		children ? fold_sign(drives, folded) : " ", controller->topo.name);
	drives_cell_model(row, controller->topo.model, controller->simulated);
	drives_cell_bytes(row, DRIVES_COLUMN_SIZE,
		controller_bytes(drives->screen.desk->inventory, controller));
	drives_cell_health(row, controller->health.verdict);
	drives_cell_smart(drives, row, controller);
	format_link(text, sizeof(text), controller);
	/* A state that is not the usual one stands in the room of the rates, which are none. */
	if (silent)
		str_append(text, sizeof(text), " %s", controller->topo.state);
	drives_cell_text(row, DRIVES_COLUMN_LINK,
		silent || environment_link_narrowed(&controller->env) ? ROLE_WARN : ROLE_VALUE,
		text);
	table_sort_value(row, DRIVES_COLUMN_LINK,
		environment_link_bytes(controller->env.link_gts, controller->env.link_width));
	drives_cell_text(row, DRIVES_COLUMN_FIRMWARE, ROLE_TEXT, controller->topo.firmware);
	drives_cell_text(row, DRIVES_COLUMN_SERIAL, ROLE_TEXT, controller->topo.serial);
	return children && !folded;
}

static void fill_paths(
	struct drives *drives, const struct inventory_namespace *ns, const char *head, int depth)
{
	const struct inventory *inventory = drives->screen.desk->inventory;

	for (size_t i = 0; i < ns->topo.path_count; i++) {
		const struct topology_path *path = &ns->topo.paths[i];
		const struct inventory_controller *controller =
			inventory_find_controller(inventory, path->controller);
		char name[64];

		/* identity needs the head too: a path may have no name */
		str_format(name, sizeof(name), "%.28s/%.30s", head,
			path->name[0] ? path->name : path->controller);
		struct table_row *row = add_row(drives, DRIVES_PATH, name, depth);
		table_cell(row, DRIVES_COLUMN_DEVICE, ROLE_DIM, "%s",
			path->name[0] ? path->name : path->controller);
		/* one text over the columns that a path does not have */
		char text[96];
		str_format(text, sizeof(text), "%s", path->ana_state[0] ? path->ana_state : "-");
		if (controller) {
			char address[64];

			drives_address(controller, address, sizeof(address));
			str_append(text, sizeof(text), ", %s  %s %s",
				controller->topo.state[0] ? controller->topo.state : "-",
				controller->topo.transport, address);
		}
		const bool good = !controller || topology_controller_live(&controller->topo);
		table_cell(row, DRIVES_COLUMN_MODEL, good ? ROLE_VALUE : ROLE_WARN, "%s", text);
	}
}

static void fill_namespace(struct drives *drives, const struct inventory_namespace *ns, int depth)
{
	const char *name = ns->topo.name[0] ? ns->topo.name : ns->topo.generic;
	struct table_row *row = add_row(drives, DRIVES_NAMESPACE, name, depth);
	char text[64];

	const bool paths = ns->topo.path_count > 0;
	const bool folded = paths && drives_folded(drives, row->identity);
	table_cell(row, DRIVES_COLUMN_DEVICE, ROLE_TEXT, "%s%s",
		paths ? fold_sign(drives, folded) : " ", name);
	drives_cell_text(row, DRIVES_COLUMN_MODEL, ROLE_VALUE,
		format_lba(text, sizeof(text), ns->lba_bytes, ns->metadata_bytes));
	drives_cell_bytes(row, DRIVES_COLUMN_SIZE, ns->size_known ? (double)ns->size_bytes : NAN);
	if (ns->used_known && ns->size_known && ns->size_bytes > 0) {
		const double share = (double)ns->used_bytes / (double)ns->size_bytes * 100;

		table_cell(row, DRIVES_COLUMN_USED, ROLE_VALUE, "%.0f%%", share);
		table_sort_value(row, DRIVES_COLUMN_USED, share);
	} else {
		drives_cell_unknown(row, DRIVES_COLUMN_USED);
	}
	drives_cell_rates(drives, row, name, &ns->rates);
	if (paths && !folded)
		fill_paths(drives, ns, name, depth + 1);
}

/* Namespaces that belong to a controller alone. */
static bool owned_by(
	const struct inventory_namespace *ns, const struct inventory_controller *controller)
{
	return !ns->topo.multipath && !strcmp(ns->topo.controller, controller->topo.name);
}

static bool headed_by(const struct inventory_namespace *ns, const char *subsystem)
{
	return ns->topo.multipath && subsystem[0] && !strcmp(ns->topo.subsystem, subsystem);
}

static size_t controllers_of(const struct inventory *inventory, const char *subsystem)
{
	size_t count = 0;

	for (size_t i = 0; subsystem[0] && i < inventory->controller_count; i++)
		count += !strcmp(inventory->controllers[i].topo.subsystem, subsystem);
	return count;
}

static bool has_heads(const struct inventory *inventory, const char *subsystem)
{
	for (size_t i = 0; i < inventory->namespace_count; i++)
		if (headed_by(&inventory->namespaces[i], subsystem))
			return true;
	return false;
}

/* A controller and what belongs to it alone; heads of its subsystem when `heads`. */
static void fill_drive(struct drives *drives, const struct inventory_controller *controller,
	int depth, bool heads, bool *done)
{
	const struct inventory *inventory = drives->screen.desk->inventory;
	bool children = false;

	for (size_t i = 0; i < inventory->namespace_count && !children; i++) {
		const struct inventory_namespace *ns = &inventory->namespaces[i];

		children = owned_by(ns, controller) ||
			(heads && headed_by(ns, controller->topo.subsystem));
	}
	const bool open = fill_controller(drives, controller, depth, children);
	for (size_t i = 0; i < inventory->namespace_count; i++) {
		const struct inventory_namespace *ns = &inventory->namespaces[i];

		if (!owned_by(ns, controller) &&
			!(heads && headed_by(ns, controller->topo.subsystem)))
			continue;
		done[i] = true;
		if (open)
			fill_namespace(drives, ns, depth + 1);
	}
}

static void fill_subsystem(struct drives *drives, const char *subsystem, bool *done)
{
	const struct inventory *inventory = drives->screen.desk->inventory;
	const struct inventory_controller *first = NULL;
	enum health_verdict worst = HEALTH_GOOD;
	double bytes = 0;

	for (size_t i = 0; i < inventory->controller_count; i++) {
		const struct inventory_controller *controller = &inventory->controllers[i];

		if (strcmp(controller->topo.subsystem, subsystem))
			continue;
		if (!first)
			first = controller;
		worst = controller == first ? controller->health.verdict
					    : health_worst(worst, controller->health.verdict);
	}
	for (size_t i = 0; i < inventory->namespace_count; i++)
		if (headed_by(&inventory->namespaces[i], subsystem) &&
			inventory->namespaces[i].size_known)
			bytes += (double)inventory->namespaces[i].size_bytes;
	struct table_row *row = add_row(drives, DRIVES_SUBSYSTEM, subsystem, 0);
	const bool folded = drives_folded(drives, row->identity);
	table_cell(
		row, DRIVES_COLUMN_DEVICE, ROLE_TEXT, "%s%s", fold_sign(drives, folded), subsystem);
	drives_cell_model(row, first->topo.model, first->simulated);
	drives_cell_bytes(row, DRIVES_COLUMN_SIZE, bytes);
	drives_cell_health(row, worst);
	drives_cell_unknown(row, DRIVES_COLUMN_TEMPERATURE);
	drives_cell_unknown(row, DRIVES_COLUMN_WEAR);
	drives_cell_text(row, DRIVES_COLUMN_LINK, ROLE_VALUE, first->topo.transport);
	drives_cell_text(row, DRIVES_COLUMN_FIRMWARE, ROLE_TEXT, first->topo.firmware);
	drives_cell_text(row, DRIVES_COLUMN_SERIAL, ROLE_TEXT, first->topo.serial);
	for (size_t i = 0; i < inventory->controller_count && !folded; i++)
		if (!strcmp(inventory->controllers[i].topo.subsystem, subsystem))
			fill_drive(drives, &inventory->controllers[i], 1, false, done);
	for (size_t i = 0; i < inventory->namespace_count; i++) {
		if (!headed_by(&inventory->namespaces[i], subsystem))
			continue;
		done[i] = true;
		if (!folded)
			fill_namespace(drives, &inventory->namespaces[i], 1);
	}
}

static void fill_others(struct drives *drives, const bool *done)
{
	const struct inventory *inventory = drives->screen.desk->inventory;
	bool heading = false;

	/* Namespaces whose controller the kernel does not show. */
	for (size_t i = 0; i < inventory->namespace_count; i++)
		if (!done[i])
			fill_namespace(drives, &inventory->namespaces[i], 0);
	for (size_t i = 0; i < inventory->block_device_count; i++) {
		const struct inventory_block_device *disk = &inventory->block_devices[i];

		if (!heading) {
			struct table_row *title = table_add(drives->table, "h:other");
			title->selectable = false;
			table_cell(title, DRIVES_COLUMN_DEVICE, ROLE_HEADER, "Other targets");
			heading = true;
		}
		struct table_row *row = add_row(drives, DRIVES_OTHER, disk->geometry.name, 1);
		row->group_with_previous = false;
		table_cell(row, DRIVES_COLUMN_DEVICE, ROLE_TEXT, "%s", disk->geometry.name);
		drives_cell_text(row, DRIVES_COLUMN_MODEL, ROLE_TEXT,
			disk->geometry.model[0] ? disk->geometry.model : disk->geometry.transport);
		drives_cell_bytes(row, DRIVES_COLUMN_SIZE, (double)disk->geometry.size_bytes);
		drives_cell_rates(drives, row, disk->geometry.name, &disk->rates);
	}
}

void drives_fill(struct drives *drives)
{
	const struct inventory *inventory = drives->screen.desk->inventory;

	table_begin(drives->table);
	if (inventory) {
		bool *done = mem_alloc(inventory->namespace_count + 1);

		for (size_t i = 0; i < inventory->controller_count; i++) {
			const struct inventory_controller *controller = &inventory->controllers[i];
			const char *subsystem = controller->topo.subsystem;
			bool first = true;

			/* Shared disks stand once, under their subsystem. */
			if (controllers_of(inventory, subsystem) < 2 ||
				!has_heads(inventory, subsystem)) {
				fill_drive(drives, controller, 0, true, done);
				continue;
			}
			for (size_t k = 0; k < i && first; k++)
				first = strcmp(inventory->controllers[k].topo.subsystem,
						subsystem) != 0;
			if (first)
				fill_subsystem(drives, subsystem, done);
		}
		fill_others(drives, done);
		free(done);
	}
	table_end(drives->table);
}
