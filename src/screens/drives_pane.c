/* The pane below the drives: the selected row's health with its reasons, or what the row is. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "screens/drives.h"
#include "screens/explain.h"
#include "screens/format.h"
#include "tui/chart.h"

struct pen {
	struct canvas *canvas;
	int x, y, width, end;
};

static void write_line(struct pen *pen, enum role role, const char *text)
{
	if (pen->y >= pen->end || !text[0])
		return;
	const int used =
		canvas_wrap(pen->canvas, pen->x, pen->y, pen->width, pen->end - pen->y, role, text);
	pen->y += used > 0 ? used : 1;
}

/* One of several: hangs from its dot. */
static void write_item(struct pen *pen, enum role role, const char *text)
{
	if (pen->y >= pen->end || pen->width < 4)
		return;
	canvas_put(pen->canvas, pen->x, pen->y, 0xb7, role);
	pen->x += 2;
	pen->width -= 2;
	write_line(pen, role, text);
	pen->x -= 2;
	pen->width += 2;
}

static void write_controller(struct pen *pen, const struct inventory_controller *controller)
{
	const struct health *health = &controller->health;
	char text[600], why[320], address[128];

	for (size_t i = 0; i < health->reason_count; i++) {
		const struct health_reason *reason = &health->reasons[i];

		str_copy(text, sizeof(text), reason->text);
		if (reason->advice[0])
			str_append(text, sizeof(text), " - %s", reason->advice);
		if (health->reason_count > 1)
			write_item(pen, format_verdict_role(reason->severity), text);
		else
			write_line(pen, format_verdict_role(reason->severity), text);
	}
	format_page(&controller->smart_info, why, sizeof(why));
	if (why[0]) {
		str_format(text, sizeof(text), "SMART: %s", why);
		write_line(pen, ROLE_WARN, text);
	} else if (!health->reason_count) {
		write_line(
			pen, ROLE_GOOD, health->verdict == HEALTH_GOOD ? "nothing to report" : "");
	}
	drives_address(controller, address, sizeof(address));
	str_format(text, sizeof(text), "%s · SN %s · FW %s · %s %s",
		controller->topo.model[0] ? controller->topo.model : "-",
		controller->topo.serial[0] ? controller->topo.serial : "-",
		controller->topo.firmware[0] ? controller->topo.firmware : "-",
		controller->topo.transport[0] ? controller->topo.transport : "-", address);
	if (controller->topo.numa_node >= 0)
		str_append(text, sizeof(text), " · NUMA node %d", controller->topo.numa_node);
	if (controller->topo.state[0])
		str_append(text, sizeof(text), " · %s", controller->topo.state);
	write_line(pen, ROLE_DIM, text);
}

static void write_namespace(struct pen *pen, const struct inventory_namespace *ns)
{
	char text[400], bytes[32], lba[32];

	if (ns->no_sweep[0]) {
		str_format(text, sizeof(text), "cannot be tested: %s", ns->no_sweep);
		write_line(pen, ROLE_WARN, text);
	}
	format_page(&ns->identify_info, text, sizeof(text));
	if (ns->identify_info.state == PAGE_REFUSED || ns->identify_info.state == PAGE_WAITING)
		write_line(pen, ROLE_WARN, text);
	str_format(text, sizeof(text), "namespace %u · %s · %s", ns->topo.nsid,
		format_lba(lba, sizeof(lba), ns->lba_bytes, ns->metadata_bytes),
		ns->size_known ? units_bytes_si(bytes, sizeof(bytes), ns->size_bytes) : "-");
	if (ns->used_known)
		str_append(text, sizeof(text), " · %s in use",
			units_bytes_si(bytes, sizeof(bytes), ns->used_bytes));
	if (ns->read_only)
		str_append(text, sizeof(text), " · read-only");
	if (ns->geometry_known && ns->geometry.scheduler[0])
		str_append(text, sizeof(text), " · scheduler %s", ns->geometry.scheduler);
	for (size_t i = 0; ns->geometry_known && i < ns->geometry.holder_count; i++)
		str_append(text, sizeof(text), "%s%s", i ? ", " : " · used by ",
			ns->geometry.holders[i]);
	write_line(pen, ROLE_TEXT, text);
}

static void write_path(struct pen *pen, const struct drives_selection *row)
{
	char text[400];

	str_format(text, sizeof(text), "path of %s to %s: %s", row->ns ? row->ns->topo.name : "-",
		row->path->controller,
		row->path->ana_state[0] ? row->path->ana_state : "ANA state not reported");
	if (row->path->numa_nodes[0])
		str_append(text, sizeof(text), " · NUMA nodes %s", row->path->numa_nodes);
	write_line(pen, ROLE_TEXT, text);
	if (row->controller) {
		str_format(text, sizeof(text), "%s is %s · %s %s", row->controller->topo.name,
			row->controller->topo.state[0] ? row->controller->topo.state : "-",
			row->controller->topo.transport, row->controller->topo.address);
		write_line(pen, ROLE_DIM, text);
	}
}

static void write_other(struct pen *pen, const struct inventory_block_device *disk)
{
	const struct blockdev *facts = &disk->geometry;
	char text[400], bytes[32], block[32];

	if (disk->remark[0])
		write_line(pen, ROLE_WARN, disk->remark);
	str_format(text, sizeof(text), "%s · %s · blocks of %s",
		facts->transport[0] ? facts->transport : "block device",
		units_bytes_si(bytes, sizeof(bytes), facts->size_bytes),
		units_block_size(block, sizeof(block), facts->logical_block_bytes));
	if (facts->scheduler[0])
		str_append(text, sizeof(text), " · scheduler %s", facts->scheduler);
	if (facts->rotational)
		str_append(text, sizeof(text), " · rotating");
	if (facts->loop_file[0])
		str_append(text, sizeof(text), " · backed by %s", facts->loop_file);
	for (size_t i = 0; i < facts->holder_count; i++)
		str_append(text, sizeof(text), "%s%s", i ? ", " : " · used by ", facts->holders[i]);
	write_line(pen, ROLE_TEXT, text);
	write_line(pen, ROLE_DIM, "not an NVMe drive: no health, temperature or wear");
	write_line(pen, ROLE_TEXT,
		"It can be tested all the same; so can a file: type its path into Target.");
}

static void draw_name(struct canvas *canvas, struct rect area, const char *name,
	const struct inventory_controller *controller)
{
	int x = canvas_text(canvas, area.x + 1, area.y, area.width - 1, ROLE_LABEL, name);

	if (controller)
		canvas_text(canvas, x + 1, area.y, area.x + area.width - x - 1,
			format_verdict_role(controller->health.verdict),
			health_word(controller->health.verdict));
}

/* Other drives that need somebody: on tall screens, so that one look is enough. */
static void write_attention(
	struct pen *pen, const struct inventory *inventory, const struct inventory_controller *but)
{
	bool heading = false;
	char text[600];

	for (size_t i = 0; i < inventory->controller_count; i++) {
		const struct inventory_controller *controller = &inventory->controllers[i];
		const enum health_verdict verdict = controller->health.verdict;

		if (controller == but || (verdict != HEALTH_WARNING && verdict != HEALTH_CRITICAL))
			continue;
		if (pen->end - pen->y < 3)
			return;
		if (!heading)
			canvas_text(pen->canvas, pen->x, ++pen->y, pen->width, ROLE_HEADER,
				"Others that need attention");
		pen->y += !heading;
		heading = true;
		str_format(text, sizeof(text), "%s %s  %s", controller->topo.name,
			health_word(verdict),
			controller->health.reason_count ? controller->health.reasons[0].text : "");
		if (controller->health.reason_count > 1)
			str_append(text, sizeof(text), " (and %zu more)",
				controller->health.reason_count - 1);
		write_line(pen, format_verdict_role(verdict), text);
	}
}

static void format_axis_rate(double value, char *buf, size_t size)
{
	format_axis_iops(value, buf, size);
	str_append(buf, size, "B/s");
}

/* The rates of a device, or of all namespaces of a controller together; newest last. */
static size_t history(const struct drives *drives, const struct drives_selection *row, double *out)
{
	const struct inventory *inventory = drives->screen.desk->inventory;
	size_t longest = 0;

	memset(out, 0, RATES_KEPT * sizeof(*out));
	for (size_t i = 0; i < drives->rates.count; i++) {
		const struct rates_line *line = &drives->rates.lines[i];
		const struct inventory_namespace *ns =
			inventory_find_namespace(inventory, line->name);

		if (row->kind == DRIVES_NAMESPACE || row->kind == DRIVES_OTHER
				? strcmp(line->name, row->name) != 0
				: !ns || !row->controller ||
					!inventory_namespace_of(ns, row->controller))
			continue;
		for (size_t k = 0; k < line->count; k++)
			out[RATES_KEPT - 1 - k] += line->bytes_s[line->count - 1 - k];
		if (line->count > longest)
			longest = line->count;
	}
	return longest;
}

/* Reading and writing of the last minute, where there is room. */
static void draw_history(struct drives *drives, const struct drives_selection *row, struct pen *pen,
	struct rect area)
{
	const int room = pen->end - pen->y - 1;
	double values[RATES_KEPT];

	if (room < 6 || area.width < 60)
		return;
	const size_t count = history(drives, row, values);
	bool moved = false;
	for (size_t i = 0; i < RATES_KEPT; i++)
		moved = moved || values[i] > 0;
	if (!moved) {
		/* nothing to chart: the room is for the reader */
		explain_pane_draw(drives_explain_key(row), pen->canvas,
			(struct rect){area.x, pen->y + 1, area.width, room});
		return;
	}
	const int height = room - 1 < 10 ? room - 1 : 10;
	const struct chart_time chart = {
		.values = values + RATES_KEPT - count,
		.count = count,
		.role = ROLE_GRAPH_READ,
		.limit = NAN,
		.format = format_axis_rate,
		.label_width = 12,
	};
	const int width = area.width - 2 < RATES_KEPT + 14 ? area.width - 2 : RATES_KEPT + 14;
	canvas_textf(pen->canvas, area.x + 1, pen->end - height - 1, width, ROLE_LABEL,
		"Read and written by %s, newest at the right", row->name);
	chart_time_draw(
		pen->canvas, (struct rect){area.x + 1, pen->end - height, width, height}, &chart);
}

void drives_pane_draw(struct drives *drives, struct canvas *canvas, struct rect area)
{
	const struct drives_selection row = drives_selected(drives);

	if (area.height < 1 || area.width < 1)
		return;
	canvas_hline(canvas, area.x + 1, area.y, area.width - 2, ROLE_BORDER);
	area.y++;
	area.height--;
	if (area.height < 1 || row.kind == DRIVES_NONE)
		return;

	const int indent = area.width >= 60 ? 20 : 0;
	struct pen pen = {
		canvas, area.x + 1 + indent, area.y, area.width - indent - 2, area.y + area.height};
	if (!indent)
		pen.y++;
	if (row.kind == DRIVES_OTHER) {
		draw_name(canvas, area, row.name, NULL);
		if (row.disk)
			write_other(&pen, row.disk);
		draw_history(drives, &row, &pen, area);
		return;
	}
	if (row.kind == DRIVES_PATH && row.path) {
		draw_name(canvas, area, row.path->name[0] ? row.path->name : row.path->controller,
			NULL);
		write_path(&pen, &row);
		return;
	}
	draw_name(canvas, area,
		row.kind == DRIVES_NAMESPACE && row.controller ? row.controller->topo.name
							       : row.name,
		row.controller);
	if (row.controller)
		write_controller(&pen, row.controller);
	if (row.kind == DRIVES_NAMESPACE && row.ns) {
		if (pen.y < pen.end && indent)
			canvas_text(canvas, area.x + 1, pen.y, indent - 1, ROLE_LABEL, row.name);
		write_namespace(&pen, row.ns);
	}
	write_attention(&pen, drives->screen.desk->inventory, row.controller);
	draw_history(drives, &row, &pen, area);
}
