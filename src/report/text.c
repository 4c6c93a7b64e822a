/* The list of drives and their health, as plain text. */
#include "report/text.h"

#include <string.h>

#include "report/drive_find.h"
#include "report/text_cells.h"

enum {
	LIST_DEVICE,
	LIST_MODEL,
	LIST_SERIAL,
	LIST_FIRMWARE,
	LIST_SIZE,
	LIST_USED,
	LIST_HEALTH,
	LIST_TEMPERATURE,
	LIST_WEAR,
	LIST_LINK,
	LIST_NOTE,
	LIST_COLUMNS
};

static const struct text_column list_columns[LIST_COLUMNS] = {
	[LIST_DEVICE] = {.title = "DEVICE"},
	[LIST_MODEL] = {.title = "MODEL", .shrink_to = 10},
	[LIST_SERIAL] = {.title = "SERIAL", .shrink_to = 10, .drop = 2},
	[LIST_FIRMWARE] = {.title = "FIRMWARE", .drop = 3},
	[LIST_SIZE] = {.title = "SIZE", .right = true},
	[LIST_USED] = {.title = "USED", .right = true, .drop = 1},
	[LIST_HEALTH] = {.title = "HEALTH"},
	[LIST_TEMPERATURE] = {.title = "TEMP", .right = true},
	[LIST_WEAR] = {.title = "WEAR", .right = true},
	[LIST_LINK] = {.title = "LINK"},
	[LIST_NOTE] = {.title = "NOTE", .shrink_to = 9},
};

static void list_note(char *note, size_t size, const char *text)
{
	if (text[0] != '\0')
		str_append(note, size, "%s%s", note[0] != '\0' ? ", " : "", text);
}

/* "(none)" says that the drive was asked and has an empty name (CASES I1). */
static const char *list_name(const char *text)
{
	return text[0] != '\0' ? text : "(none)";
}

static void list_controller(struct text_table *table, const struct inventory_controller *controller,
	const struct text_style *style)
{
	const char *cells[LIST_COLUMNS] = {0};
	char temperature[24] = "", wear[24] = "", link[64], note[96] = "", capacity[32] = "";
	const bool live = topology_controller_live(&controller->topo);

	if (controller->smart_info.read_at != 0) {
		text_cell_celsius(temperature, sizeof(temperature),
			&controller->smart.temperature_c, style->ascii);
		smart_used_text(&controller->smart.percentage_used, wear, sizeof(wear));
	} else {
		str_copy(temperature, sizeof(temperature), "-");
		str_copy(wear, sizeof(wear), "-");
	}
	if (controller->identify_info.read_at != 0 && controller->identify.total_capacity.reported)
		text_cell_bytes(capacity, sizeof(capacity), true,
			controller->identify.total_capacity.value);
	list_note(note, sizeof(note), controller->simulated ? "SIMULATED" : "");
	list_note(note, sizeof(note), live ? "" : controller->topo.state);
	list_note(note, sizeof(note), controller->replayed ? "replay" : "");
	cells[LIST_DEVICE] = controller->topo.name;
	cells[LIST_MODEL] = list_name(controller->topo.model);
	cells[LIST_SERIAL] = list_name(controller->topo.serial);
	cells[LIST_FIRMWARE] = controller->topo.firmware;
	cells[LIST_SIZE] = capacity;
	cells[LIST_HEALTH] = health_word(controller->health.verdict);
	cells[LIST_TEMPERATURE] = temperature;
	cells[LIST_WEAR] = wear;
	cells[LIST_LINK] = text_cell_link(link, sizeof(link), controller);
	cells[LIST_NOTE] = note;
	text_table_add(table, cells);
}

static void list_path(struct text_table *table, const struct inventory *inventory,
	const struct topology_path *path)
{
	const struct inventory_controller *controller =
		inventory_find_controller(inventory, path->controller);
	const char *cells[LIST_COLUMNS] = {0};
	char device[48], note[96];

	str_format(device, sizeof(device), "    %s",
		path->name[0] != '\0' ? path->name : path->controller);
	str_format(note, sizeof(note), "via %s", path->controller);
	if (controller != NULL && !topology_controller_live(&controller->topo))
		list_note(note, sizeof(note), controller->topo.state);
	cells[LIST_DEVICE] = device;
	cells[LIST_MODEL] = path->ana_state[0] != '\0' ? path->ana_state : "path";
	cells[LIST_NOTE] = note;
	text_table_add(table, cells);
}

static void list_namespace(struct text_table *table, const struct inventory *inventory,
	const struct inventory_namespace *ns)
{
	const char *cells[LIST_COLUMNS] = {0};
	char device[48], format[64], bytes[48], used[16], note[160] = "";

	str_format(device, sizeof(device), "  %s",
		ns->topo.name[0] != '\0' ? ns->topo.name : ns->topo.generic);
	list_note(note, sizeof(note), ns->simulated ? "SIMULATED" : "");
	list_note(note, sizeof(note), ns->read_only ? "read only" : "");
	list_note(note, sizeof(note), ns->no_sweep);
	cells[LIST_DEVICE] = device;
	cells[LIST_MODEL] = text_cell_format(format, sizeof(format), ns);
	cells[LIST_SIZE] = text_cell_bytes(bytes, sizeof(bytes), ns->size_known, ns->size_bytes);
	cells[LIST_USED] = text_cell_used(used, sizeof(used), ns);
	cells[LIST_NOTE] = note;
	text_table_add(table, cells);
	for (size_t i = 0; i < ns->topo.path_count; i++)
		list_path(table, inventory, &ns->topo.paths[i]);
}

static void list_drives(
	const struct inventory *inventory, const struct text_style *style, struct strbuf *out)
{
	struct text_table table;

	text_table_init(&table, list_columns, LIST_COLUMNS);
	for (size_t i = 0; i < inventory->controller_count; i++) {
		const struct inventory_controller *controller = &inventory->controllers[i];

		list_controller(&table, controller, style);
		for (size_t n = 0; n < inventory->namespace_count; n++)
			if (drive_of_namespace(inventory, &inventory->namespaces[n]) == controller)
				list_namespace(&table, inventory, &inventory->namespaces[n]);
	}
	/* Namespaces whose controllers are all gone keep their row. */
	for (size_t n = 0; n < inventory->namespace_count; n++)
		if (drive_of_namespace(inventory, &inventory->namespaces[n]) == NULL)
			list_namespace(&table, inventory, &inventory->namespaces[n]);
	text_table_print(&table, style, out);
	text_table_free(&table);
}

static const struct text_column block_columns[] = {
	{.title = "DEVICE"},
	{.title = "MODEL", .shrink_to = 10},
	{.title = "SERIAL", .shrink_to = 10, .drop = 1},
	{.title = "SIZE", .right = true},
	{.title = "BLOCK", .right = true},
	{.title = "KIND"},
	{.title = "NOTE", .shrink_to = 12},
};

static void list_block_devices(
	const struct inventory *inventory, const struct text_style *style, struct strbuf *out)
{
	struct text_table table;

	if (inventory->block_device_count == 0)
		return;
	text_table_init(&table, block_columns, sizeof(block_columns) / sizeof(block_columns[0]));
	for (size_t i = 0; i < inventory->block_device_count; i++) {
		const struct inventory_block_device *device = &inventory->block_devices[i];
		char bytes[48], block[32], note[512] = "";

		list_note(note, sizeof(note), device->remark);
		list_note(note, sizeof(note), device->geometry.read_only ? "read only" : "");
		list_note(note, sizeof(note), device->geometry.loop_file);
		const char *cells[] = {device->geometry.name, device->geometry.model,
			device->geometry.serial,
			text_cell_bytes(bytes, sizeof(bytes), true, device->geometry.size_bytes),
			units_block_size(
				block, sizeof(block), device->geometry.logical_block_bytes),
			device->geometry.transport, note};
		text_table_add(&table, cells);
	}
	strbuf_add(out,
		inventory->controller_count > 0 ? "\nOther block devices\n" : "Block devices\n");
	text_table_print(&table, style, out);
	text_table_free(&table);
}

/* "98 % of the rated endurance is used - plan its replacement", one paragraph each. */
static void text_reasons(const struct inventory_controller *controller, int indent,
	const struct text_style *style, struct strbuf *out)
{
	for (size_t i = 0; i < controller->health.reason_count; i++) {
		const struct health_reason *reason = &controller->health.reasons[i];
		char sentence[512];

		str_format(sentence, sizeof(sentence), "%s%s%s", reason->text,
			reason->advice[0] != '\0' ? " - " : "", reason->advice);
		strbuf_addf(out, "%*s", indent, "");
		text_wrap(out, style, indent, indent + 2, sentence);
	}
}

static void text_verdict(const struct inventory_controller *controller,
	const struct text_style *style, struct strbuf *out)
{
	const enum health_verdict verdict = controller->health.verdict;
	char name[48], model[64];

	text_fit(name, sizeof(name), controller->topo.name, 0, style->ascii);
	text_fit(model, sizeof(model), list_name(controller->topo.model), 0, style->ascii);
	strbuf_addf(out, "%s %s  %s%s\n", name,
		verdict == HEALTH_UNKNOWN ? "unknown" : health_word(verdict), model,
		controller->simulated ? "  SIMULATED" : "");
	text_reasons(controller, 2, style, out);
}

void text_list(
	const struct inventory *inventory, const struct text_style *style, struct strbuf *out)
{
	bool first = true;

	if (inventory->source[0] != '\0') {
		text_wrap(out, style, 0, 2, inventory->source);
		strbuf_add(out, "\n");
	}
	list_drives(inventory, style, out);
	list_block_devices(inventory, style, out);
	for (size_t i = 0; i < inventory->controller_count; i++) {
		const struct inventory_controller *controller = &inventory->controllers[i];

		if (controller->health.verdict == HEALTH_GOOD)
			continue;
		strbuf_add(out, first ? "\n" : "");
		first = false;
		text_verdict(controller, style, out);
	}
	if (inventory->notice[0] != '\0') {
		strbuf_add(out, out->length > 0 ? "\n" : "");
		text_wrap(out, style, 0, 2, inventory->notice);
	}
}

int text_health(const struct inventory *inventory, const char *const *names, size_t count,
	const struct text_style *style, struct strbuf *out, enum health_verdict *worst,
	struct err *err)
{
	enum health_verdict verdict = HEALTH_GOOD;
	const size_t total = count > 0 ? count : inventory->controller_count;

	for (size_t i = 0; i < total; i++) {
		const struct inventory_controller *controller = NULL;
		const struct inventory_namespace *ns;
		int rc = 0;

		if (count == 0)
			controller = &inventory->controllers[i];
		else
			rc = drive_find(inventory, names[i], &controller, &ns, err);
		if (rc < 0)
			return rc;
		verdict = health_worst(verdict, controller->health.verdict);
		text_verdict(controller, style, out);
	}
	if (total == 0)
		text_wrap(out, style, 0, 2,
			inventory->notice[0] != '\0' ? inventory->notice : "no NVMe drives found");
	if (worst != NULL)
		*worst = total > 0 ? verdict : HEALTH_UNKNOWN;
	return 0;
}
