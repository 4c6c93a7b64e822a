/* Tab Namespaces: the disks of a drive, their formats and what they do now. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "screens/drive.h"
#include "screens/explain.h"
#include "screens/format.h"
#include "screens/lists.h"

enum {
	COLUMN_NAME,
	COLUMN_NSID,
	COLUMN_SIZE,
	COLUMN_USED,
	COLUMN_FORMAT,
	COLUMN_PI,
	COLUMN_SHARED,
	COLUMN_READ,
	COLUMN_WRITE,
	COLUMN_READ_IOPS,
	COLUMN_WRITE_IOPS,
	COLUMN_LATENCY,
	COLUMN_BUSY,
	COLUMN_IDENTIFIER,
};

static const struct table_column columns[] = {
	[COLUMN_NAME] = {"NAME", 10, 14, TABLE_LEFT, 0, true},
	[COLUMN_NSID] = {"NSID", 4, 10, TABLE_RIGHT, 0, true},
	[COLUMN_SIZE] = {"SIZE", 7, 8, TABLE_RIGHT, 0, true},
	[COLUMN_USED] = {"USED", 4, 4, TABLE_RIGHT, 2, true},
	[COLUMN_FORMAT] = {"FORMAT", 9, 14, TABLE_LEFT, 1, true},
	[COLUMN_PI] = {"PI", 2, 2, TABLE_RIGHT, 5, true},
	[COLUMN_SHARED] = {"SHARED", 6, 6, TABLE_LEFT, 4, true},
	[COLUMN_READ] = {"READ/s", 7, 7, TABLE_RIGHT, 1, true},
	[COLUMN_WRITE] = {"WRITE/s", 7, 7, TABLE_RIGHT, 1, true},
	[COLUMN_READ_IOPS] = {"R IOPS", 6, 7, TABLE_RIGHT, 6, true},
	[COLUMN_WRITE_IOPS] = {"W IOPS", 6, 7, TABLE_RIGHT, 6, true},
	[COLUMN_LATENCY] = {"LATENCY", 7, 8, TABLE_RIGHT, 7, true},
	[COLUMN_BUSY] = {"BUSY", 5, 5, TABLE_RIGHT, 8, true},
	[COLUMN_IDENTIFIER] = {"IDENTIFIER", 16, 36, TABLE_LEFT, 9, true},
};

struct table *drive_namespaces_table(void)
{
	struct table *table = table_create(columns, sizeof(columns) / sizeof(columns[0]));

	table_set_empty(table, "This drive has no namespaces: it offers no disk to read.");
	return table;
}

static void fill_rates(struct table_row *row, const struct iostat_rates *rates)
{
	char text[24];

	if (!rates->known) {
		table_cell(row, COLUMN_READ, ROLE_DIM, "-");
		table_cell(row, COLUMN_WRITE, ROLE_DIM, "-");
		return;
	}
	table_cell(row, COLUMN_READ, ROLE_VALUE, "%s",
		format_bytes(text, sizeof(text), rates->read_bytes_s));
	table_sort_value(row, COLUMN_READ, rates->read_bytes_s);
	table_cell(row, COLUMN_WRITE, ROLE_VALUE, "%s",
		format_bytes(text, sizeof(text), rates->write_bytes_s));
	table_sort_value(row, COLUMN_WRITE, rates->write_bytes_s);
	table_cell(row, COLUMN_READ_IOPS, ROLE_VALUE, "%s",
		format_si(text, sizeof(text), rates->read_iops));
	table_sort_value(row, COLUMN_READ_IOPS, rates->read_iops);
	table_cell(row, COLUMN_WRITE_IOPS, ROLE_VALUE, "%s",
		format_si(text, sizeof(text), rates->write_iops));
	table_sort_value(row, COLUMN_WRITE_IOPS, rates->write_iops);
	const double latency = rates->read_iops >= rates->write_iops ? rates->read_latency_ms
								     : rates->write_latency_ms;
	table_cell(row, COLUMN_LATENCY, ROLE_VALUE, "%s", format_ms(text, sizeof(text), latency));
	table_sort_value(row, COLUMN_LATENCY, latency);
	table_cell(row, COLUMN_BUSY, ROLE_VALUE, "%s",
		format_percent(text, sizeof(text), rates->busy_pct));
	table_sort_value(row, COLUMN_BUSY, rates->busy_pct);
}

static void fill_row(struct table *table, const struct inventory_namespace *ns)
{
	const char *name = ns->topo.name[0] ? ns->topo.name : ns->topo.generic;
	const bool known = ns->identify_info.read_at != 0;
	struct table_row *row = table_add(table, name);
	char text[64];

	table_cell(row, COLUMN_NAME, ROLE_TEXT, "%s", name);
	table_cell(row, COLUMN_NSID, ROLE_VALUE, "%u", ns->topo.nsid);
	table_sort_value(row, COLUMN_NSID, ns->topo.nsid);
	table_cell(row, COLUMN_SIZE, ROLE_VALUE, "%s",
		format_bytes(text, sizeof(text), ns->size_known ? (double)ns->size_bytes : NAN));
	table_sort_value(row, COLUMN_SIZE, ns->size_known ? (double)ns->size_bytes : -1);
	if (ns->used_known && ns->size_known && ns->size_bytes > 0) {
		const double share = (double)ns->used_bytes / (double)ns->size_bytes * 100;

		table_cell(row, COLUMN_USED, ROLE_VALUE, "%.0f%%", share);
		table_sort_value(row, COLUMN_USED, share);
	} else {
		table_cell(row, COLUMN_USED, ROLE_DIM, "-");
	}
	table_cell(row, COLUMN_FORMAT, ROLE_VALUE, "%s",
		format_lba(text, sizeof(text), ns->lba_bytes, ns->metadata_bytes));
	if (known && ns->identify.protection)
		table_cell(row, COLUMN_PI, ROLE_VALUE, "%u", ns->identify.protection);
	else
		table_cell(row, COLUMN_PI, ROLE_DIM, "-");
	if (ns->topo.multipath || (known && ns->identify.sharing & 1))
		table_cell(row, COLUMN_SHARED, ROLE_VALUE, "shared");
	else
		table_cell(row, COLUMN_SHARED, ROLE_DIM, "%s", known ? "no" : "-");
	table_cell(row, COLUMN_IDENTIFIER, ROLE_DIM, "%s",
		ns->topo.nguid[0]           ? ns->topo.nguid
			: ns->topo.eui64[0] ? ns->topo.eui64
					    : ns->topo.uuid);
	fill_rates(row, &ns->rates);
}

static void fill(struct drive *drive, const struct inventory_controller *controller, int width)
{
	const struct inventory *inventory = drive->screen.desk->inventory;

	(void)width;
	table_begin(drive->namespaces);
	for (size_t i = 0; i < inventory->namespace_count; i++)
		if (inventory_namespace_of(&inventory->namespaces[i], controller))
			fill_row(drive->namespaces, &inventory->namespaces[i]);
	/* Active by the controller's list, but the kernel shows no disk for them. */
	for (size_t k = 0; controller->nsids && k < controller->nsid_count; k++) {
		bool shown = false;
		char identity[32];

		for (size_t i = 0; i < inventory->namespace_count && !shown; i++)
			shown = inventory->namespaces[i].topo.nsid == controller->nsids[k] &&
				inventory_namespace_of(&inventory->namespaces[i], controller);
		if (shown)
			continue;
		str_format(identity, sizeof(identity), "nsid %u", controller->nsids[k]);
		struct table_row *row = table_add(drive->namespaces, identity);
		table_cell(row, COLUMN_NAME, ROLE_DIM, "no device");
		table_cell(row, COLUMN_NSID, ROLE_VALUE, "%u", controller->nsids[k]);
		table_sort_value(row, COLUMN_NSID, controller->nsids[k]);
	}
	table_end(drive->namespaces);
}

static void formats_text(const struct identify_namespace *identify, char *buf, size_t size)
{
	char block[32];

	str_copy(buf, size, "");
	for (size_t i = 0; i < identify->format_count && i < IDENTIFY_FORMATS; i++) {
		const struct lba_format *format = &identify->formats[i];

		if (format->lba_shift < 9 || format->lba_shift > 31)
			continue;
		str_append(buf, size, "%s%zu: %s%s", buf[0] ? "  " : "", i,
			format_lba(block, sizeof(block), 1u << format->lba_shift,
				format->metadata_bytes),
			identify->format_valid && i == identify->format_index ? " (in use)" : "");
	}
}

static void draw_details(
	const struct inventory_namespace *ns, struct canvas *canvas, struct rect area)
{
	char text[700], why[256];
	int y = area.y, end = area.y + area.height;

	canvas_hline(canvas, area.x + 1, y++, area.width - 2, ROLE_BORDER);
	const struct {
		const char *label, *value;
	} ids[] = {{"NGUID", ns->topo.nguid}, {"EUI-64", ns->topo.eui64}, {"UUID", ns->topo.uuid}};

	str_copy(text, sizeof(text), "");
	for (size_t i = 0; i < 3; i++)
		if (ids[i].value[0])
			str_append(text, sizeof(text), "%s%s %s", text[0] ? "  " : "", ids[i].label,
				ids[i].value);
	const struct {
		enum role role;
		char *text;
	} lines[] = {{ROLE_WARN, why}, {ROLE_DIM, text}};
	format_page(&ns->identify_info, why, sizeof(why));
	if (ns->no_sweep[0])
		str_format(why, sizeof(why), "cannot be tested: %s", ns->no_sweep);
	for (size_t i = 0; i < 2; i++)
		if (lines[i].text[0] && y < end)
			y += canvas_wrap(canvas, area.x + 1, y, area.width - 2, end - y,
				lines[i].role, lines[i].text);
	if (!ns->identify_info.read_at || y >= end)
		return;
	formats_text(&ns->identify, why, sizeof(why));
	str_format(text, sizeof(text), "formats  %s", why);
	if (ns->identify.metadata_bytes)
		str_append(text, sizeof(text), " · metadata %s",
			ns->identify.metadata_extended ? "behind each block"
						       : "in a separate buffer");
	if (ns->identify.write_protected)
		str_append(text, sizeof(text), " · write-protected");
	y += canvas_wrap(canvas, area.x + 1, y, area.width - 2, end - y, ROLE_TEXT, text);
	if (y < end)
		explain_pane_draw("namespaces.row", canvas,
			(struct rect){area.x, y + 1, area.width, end - y - 1});
}

static void draw(struct drive *drive, const struct inventory_controller *controller,
	struct canvas *canvas, struct rect area)
{
	const struct inventory *inventory = drive->screen.desk->inventory;
	const struct inventory_namespace *ns =
		inventory_find_namespace(inventory, table_selected(drive->namespaces));
	const int below = area.height >= 10 && ns ? 5 : 0;
	char why[256];

	format_page(&controller->list_info, why, sizeof(why));
	if (why[0] && area.height > 3 && controller->list_info.state != PAGE_NONE) {
		canvas_textf(canvas, area.x + 1, area.y + area.height - 1, area.width - 2,
			ROLE_WARN, "namespace list: %s", why);
		area.height--;
	}
	struct rect list = area;
	list.height -= below;
	list_filter_draw(table_filter_text(drive->namespaces), canvas, &list, 4);
	table_draw(drive->namespaces, canvas, list);
	if (!below)
		return;
	struct rect details = {area.x, area.y + list.height, area.width, below};
	/* Room that the list does not need. */
	const int used = (int)table_count(drive->namespaces) + 2;
	if (used < list.height) {
		details.y = area.y + used;
		details.height = area.y + area.height - details.y;
	}
	draw_details(ns, canvas, details);
}

static bool action(struct drive *drive, enum action action)
{
	return list_screen_action(&drive->screen, action);
}

static bool key(struct drive *drive, const struct key *key)
{
	return list_screen_key(&drive->screen, key, NULL);
}

static void explain(struct drive *drive, char *buf, size_t size)
{
	(void)drive;
	explain_text("namespaces.row", buf, size);
}

const struct drive_tab drive_namespaces = {"Namespaces", fill, draw, action, key, explain};
