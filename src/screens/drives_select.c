/* The selected row of the home screen: what stands behind it and whether it can be tested. */
#include <string.h>

#include "base/str.h"
#include "screens/drives.h"

void drives_address(const struct inventory_controller *controller, char *buf, size_t size)
{
	const char *address = controller->topo.address;
	const char *at = strstr(address, "traddr=");

	str_copy(buf, size, at ? at + 7 : address);
	char *comma = strchr(buf, ',');
	if (at && comma)
		*comma = '\0';
}

struct drives_selection drives_selected(const struct drives *drives)
{
	const struct inventory *inventory = drives->screen.desk->inventory;
	struct drives_selection out = {.identity = table_selected(drives->table)};

	if (!inventory || !out.identity[0] || out.identity[1] != ':')
		return out;
	out.kind = (enum drives_kind)out.identity[0];
	out.name = out.identity + 2;
	switch (out.kind) {
	case DRIVES_CONTROLLER:
		out.controller = inventory_find_controller(inventory, out.name);
		break;
	case DRIVES_SUBSYSTEM:
		for (size_t i = 0; i < inventory->controller_count && !out.controller; i++)
			if (!strcmp(inventory->controllers[i].topo.subsystem, out.name))
				out.controller = &inventory->controllers[i];
		break;
	case DRIVES_NAMESPACE:
		out.ns = inventory_find_namespace(inventory, out.name);
		break;
	case DRIVES_PATH: {
		char head[64];
		const char *slash = strchr(out.name, '/');

		str_copy(head, sizeof(head), out.name);
		if (slash)
			head[slash - out.name] = '\0';
		out.ns = inventory_find_namespace(inventory, head);
		for (size_t i = 0; slash && out.ns && i < out.ns->topo.path_count; i++)
			if (!strcmp(out.ns->topo.paths[i].name, slash + 1) ||
				!strcmp(out.ns->topo.paths[i].controller, slash + 1))
				out.path = &out.ns->topo.paths[i];
		if (out.path)
			out.controller = inventory_find_controller(inventory, out.path->controller);
		break;
	}
	case DRIVES_OTHER:
		for (size_t i = 0; i < inventory->block_device_count; i++)
			if (!strcmp(inventory->block_devices[i].geometry.name, out.name))
				out.disk = &inventory->block_devices[i];
		break;
	case DRIVES_NONE:
		break;
	}
	if (out.ns && !out.controller) {
		if (out.ns->controller_index < inventory->controller_count)
			out.controller = &inventory->controllers[out.ns->controller_index];
		else if (out.ns->topo.path_count)
			out.controller = inventory_find_controller(
				inventory, out.ns->topo.paths[0].controller);
	}
	return out;
}

void drives_target(const struct drives *drives, const struct drives_selection *row, char *target,
	size_t target_size, char *why, size_t why_size)
{
	const struct inventory *inventory = drives->screen.desk->inventory;
	const struct inventory_namespace *ns = row->ns;

	str_copy(target, target_size, "");
	str_copy(why, why_size, "");
	if (row->kind == DRIVES_OTHER && row->disk) {
		str_format(target, target_size, "/dev/%s", row->disk->geometry.name);
		return;
	}
	/* A controller stands for its first namespace. */
	for (size_t i = 0; !ns && row->controller && i < inventory->namespace_count; i++)
		if (inventory_namespace_of(&inventory->namespaces[i], row->controller))
			ns = &inventory->namespaces[i];
	if (!ns) {
		str_copy(why, why_size, "There is no namespace here to test.");
		return;
	}
	str_copy(target, target_size, ns->topo.name[0] ? ns->topo.name : ns->topo.generic);
	if (ns->replayed)
		str_format(why, why_size,
			"%s is part of a replay: there is no drive behind it to test.", target);
	else if (ns->no_sweep[0])
		str_format(why, why_size, "%s cannot be tested: %s", target, ns->no_sweep);
}

const char *drives_explain_key(const struct drives_selection *row)
{
	switch (row->kind) {
	case DRIVES_CONTROLLER:
		return "drives.controller";
	case DRIVES_SUBSYSTEM:
		return "drives.subsystem";
	case DRIVES_NAMESPACE:
		return "drives.namespace";
	case DRIVES_PATH:
		return "drives.path";
	case DRIVES_OTHER:
		return "drives.other";
	case DRIVES_NONE:
		break;
	}
	return "";
}
