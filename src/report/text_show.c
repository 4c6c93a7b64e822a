/* One drive in sections of "label  value" lines. */
#include "report/text_show.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/drive_find.h"
#include "report/text_cells.h"

#define LABEL_WIDTH 26 /* with the two spaces before the label */

struct show {
	const struct text_style *style;
	struct strbuf *out;
};

static void show_line(const struct show *show, const char *label, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void show_line(const struct show *show, const char *label, const char *format, ...)
{
	char value[768];
	va_list args;

	va_start(args, format);
	vsnprintf(value, sizeof(value), format, args);
	va_end(args);
	strbuf_addf(show->out, "  %-*s", LABEL_WIDTH - 2, label);
	text_wrap(show->out, show->style, LABEL_WIDTH, LABEL_WIDTH, value[0] != '\0' ? value : "-");
}

static void show_title(const struct show *show, const char *title)
{
	strbuf_addf(show->out, "%s%s\n", show->out->length > 0 ? "\n" : "", title);
}

/* False when there is nothing to show; with old content, says how old it is. */
static bool show_page(const struct show *show, const char *title, const struct page_info *info)
{
	char problem[256], when[32];

	show_title(show, title);
	drive_page_problem(info, problem, sizeof(problem));
	if (info->read_at == 0) {
		show_line(show, "Not read", "%s", problem);
		return false;
	}
	if (problem[0] != '\0')
		show_line(show, "Last good reading", "%s; since then: %s",
			units_iso_time(when, sizeof(when), info->read_at), problem);
	return true;
}

static void show_health(const struct show *show, const struct inventory_controller *controller)
{
	const struct health *health = &controller->health;

	show_title(show, "Health");
	show_line(show, "Verdict", "%s", health_name(health->verdict));
	for (size_t i = 0; i < health->reason_count; i++)
		show_line(show, health_name(health->reasons[i].severity), "%s%s%s",
			health->reasons[i].text, health->reasons[i].advice[0] != '\0' ? " - " : "",
			health->reasons[i].advice);
}

static const char *show_or(const char *text, const char *instead)
{
	return text[0] != '\0' ? text : instead;
}

static void show_drive(const struct show *show, const struct inventory_controller *controller)
{
	const struct topology_controller *topo = &controller->topo;

	show_title(show, "Controller");
	show_line(show, "Model", "%s", show_or(topo->model, "(none)"));
	show_line(show, "Serial", "%s", show_or(topo->serial, "(none)"));
	show_line(show, "Firmware", "%s", show_or(topo->firmware, "(none)"));
	show_line(show, "State", "%s", topo->state);
	show_line(show, "Transport", "%s%s%s", show_or(topo->transport, "-"),
		topo->address[0] != '\0' ? ", " : "", topo->address);
	show_line(show, "Subsystem", "%s", topo->subsystem);
	show_line(show, "NQN", "%s", topo->nqn);
	if (topo->cntlid >= 0)
		show_line(show, "Controller ID", "%d", topo->cntlid);
	if (topo->queue_count >= 0)
		show_line(show, "Queues", "%d of %d entries", topo->queue_count, topo->sqsize + 1);
	if (topo->numa_node >= 0)
		show_line(show, "NUMA node", "%d", topo->numa_node);
}

static void show_power(const struct show *show, const struct inventory_controller *controller)
{
	const struct page page = {controller->identify_raw, controller->identify.length};
	struct identify_power_state state;

	for (unsigned i = 0; i <= controller->identify.npss; i++) {
		char label[32], watts[32], latency[96] = "";

		if (!identify_power_state(&page, i, &state) || isnan(state.max_power_w))
			continue;
		str_format(label, sizeof(label), "Power state %u", i);
		if (state.entry_latency_us > 0 || state.exit_latency_us > 0)
			str_format(latency, sizeof(latency), ", enter %u \u00b5s, leave %u \u00b5s",
				state.entry_latency_us, state.exit_latency_us);
		show_line(show, label, "%s%s%s",
			text_cell_watts(watts, sizeof(watts), state.max_power_w),
			state.non_operational ? ", idle only" : "", latency);
	}
}

static void show_identify(const struct show *show, const struct inventory_controller *controller)
{
	const struct identify_controller *id = &controller->identify;
	char text[64], other[64];

	if (!show_page(show, "Identify", &controller->identify_info))
		return;
	identify_version_text(id->version, text, sizeof(text));
	show_line(show, "NVMe version", "%s", text);
	show_line(show, "Vendor", "0x%04x, subsystem 0x%04x, OUI %06x", id->vendor_id,
		id->subsystem_vendor_id, id->ieee_oui);
	show_line(show, "Capacity", "%s, %s unallocated",
		text_cell_bytes(
			text, sizeof(text), id->total_capacity.reported, id->total_capacity.value),
		text_cell_bytes(other, sizeof(other), id->unallocated_capacity.reported,
			id->unallocated_capacity.value));
	units_grouped(text, sizeof(text), id->namespace_count);
	if (controller->list_info.read_at != 0)
		show_line(
			show, "Namespaces", "%zu active, at most %s", controller->nsid_count, text);
	else
		show_line(show, "Namespaces", "at most %s", text);
	show_line(show, "Temperature limits", "warning %s, critical %s",
		text_cell_celsius(
			text, sizeof(text), &id->warning_temperature_c, show->style->ascii),
		text_cell_celsius(
			other, sizeof(other), &id->critical_temperature_c, show->style->ascii));
	/* In pages of CAP.MPSMIN, which sysfs does not tell: 4 KiB wherever it was looked up. */
	if (id->mdts == 0)
		show_line(show, "Largest transfer", "no limit");
	else if (id->mdts < 32)
		show_line(show, "Largest transfer", "%s, with pages of 4 KiB",
			units_block_size(text, sizeof(text), UINT64_C(4096) << id->mdts));
	else
		show_line(show, "Largest transfer", "2^%u pages", id->mdts);
	show_line(show, "Volatile write cache", "%s",
		(id->volatile_write_cache & 1) != 0 ? "present" : "none");
	show_power(show, controller);
	if (id->truncated)
		show_line(show, "Remark", "only %zu of 4096 bytes were received", id->length);
	if (id->implausible)
		show_line(show, "Remark", "the page looks like an uninitialised buffer");
}

static void show_hours(const struct show *show, const struct field_u128 *hours)
{
	char text[64];

	text_cell_counter(text, sizeof(text), hours);
	/* Years with one digit, from whole numbers; absurd counters go without. */
	if (hours->reported && hours->value >= 8766 && hours->value < 100 * 8766) {
		const unsigned tenths = (unsigned)(hours->value * 10 / 8766);

		show_line(show, "Power-on hours", "%s h, %u.%u years", text, tenths / 10,
			tenths % 10);
	} else {
		show_line(show, "Power-on hours", "%s%s", text, hours->reported ? " h" : "");
	}
}

static void show_data(const struct show *show, const char *label, const struct field_u128 *units)
{
	char bytes[64], count[64];

	if (units->reported)
		show_line(show, label, "%s (%s units of 512,000 bytes)",
			text_cell_units(bytes, sizeof(bytes), units),
			text_cell_counter(count, sizeof(count), units));
	else
		show_line(show, label, "-");
}

static void show_number(const struct show *show, const char *label, const struct field_u128 *field)
{
	char text[64];

	show_line(show, label, "%s", text_cell_counter(text, sizeof(text), field));
}

static void show_small(
	const struct show *show, const char *label, const struct field_int *field, const char *unit)
{
	char text[64];

	if (field->reported)
		show_line(show, label, "%s%s",
			units_grouped(text, sizeof(text), (u128)field->value), unit);
	else
		show_line(show, label, "-");
}

static void show_throttle(const struct show *show, const char *label, const struct field_int *count,
	const struct field_int *seconds)
{
	char times[64], time[64];

	if (count->reported && seconds->reported)
		show_line(show, label, "%s times, %s s in all",
			units_grouped(times, sizeof(times), (u128)count->value),
			units_grouped(time, sizeof(time), (u128)seconds->value));
	else
		show_line(show, label, "-");
}

static void show_temperatures(
	const struct show *show, const struct inventory_controller *controller)
{
	const struct smart *smart = &controller->smart;
	const struct identify_controller *id = &controller->identify;
	char text[64], limits[128] = "", limit[64];

	if (controller->identify_info.read_at != 0 && id->warning_temperature_c.reported)
		str_append(limits, sizeof(limits), "; warning from %s",
			text_cell_celsius(limit, sizeof(limit), &id->warning_temperature_c,
				show->style->ascii));
	if (controller->identify_info.read_at != 0 && id->critical_temperature_c.reported)
		str_append(limits, sizeof(limits), "%s critical from %s", limits[0] ? "," : ";",
			text_cell_celsius(limit, sizeof(limit), &id->critical_temperature_c,
				show->style->ascii));
	show_line(show, "Composite temperature", "%s%s",
		text_cell_celsius(text, sizeof(text), &smart->temperature_c, show->style->ascii),
		limits);
	for (size_t i = 0; i < SMART_SENSORS; i++) {
		char label[32];

		if (!smart->sensors_c[i].reported)
			continue;
		str_format(label, sizeof(label), "Temperature sensor %zu", i + 1);
		show_line(show, label, "%s",
			text_cell_celsius(
				text, sizeof(text), &smart->sensors_c[i], show->style->ascii));
	}
}

static void show_warnings(const struct show *show, uint8_t warning)
{
	char texts[8][48], all[400] = "";
	const size_t count = smart_warning_texts(warning, texts, 8);

	for (size_t i = 0; i < count; i++)
		str_append(all, sizeof(all), "%s%s", i > 0 ? ", " : "", texts[i]);
	if (count == 0)
		show_line(show, "Critical warning", "none");
	else
		show_line(show, "Critical warning", "%s (0x%02x)", all, warning);
}

static void show_smart(const struct show *show, const struct inventory_controller *controller)
{
	const struct smart *smart = &controller->smart;
	char text[64], other[64];

	if (!show_page(show, "SMART", &controller->smart_info))
		return;
	show_warnings(show, smart->critical_warning);
	show_temperatures(show, controller);
	smart_used_text(&smart->percentage_used, text, sizeof(text));
	show_line(show, "Percentage used", "%s", text);
	show_line(show, "Available spare", "%s, threshold %s",
		text_cell_percent(text, sizeof(text), &smart->available_spare),
		text_cell_percent(other, sizeof(other), &smart->spare_threshold));
	show_data(show, "Data written", &smart->data_units_written);
	show_data(show, "Data read", &smart->data_units_read);
	show_number(show, "Host write commands", &smart->host_writes);
	show_number(show, "Host read commands", &smart->host_reads);
	show_line(show, "Controller busy", "%s%s",
		text_cell_counter(text, sizeof(text), &smart->controller_busy_minutes),
		smart->controller_busy_minutes.reported ? " min" : "");
	show_hours(show, &smart->power_on_hours);
	show_number(show, "Power cycles", &smart->power_cycles);
	show_number(show, "Unsafe shutdowns", &smart->unsafe_shutdowns);
	show_number(show, "Media errors", &smart->media_errors);
	show_number(show, "Error-log entries", &smart->error_log_entries);
	show_small(show, "Time above warning", &smart->warning_temperature_minutes, " min");
	show_small(show, "Time above critical", &smart->critical_temperature_minutes, " min");
	show_throttle(show, "Throttled lightly", &smart->thermal1_count, &smart->thermal1_seconds);
	show_throttle(show, "Throttled heavily", &smart->thermal2_count, &smart->thermal2_seconds);
	if (smart->truncated)
		show_line(show, "Remark", "the page was cut short: later fields are missing");
}

static void show_milli(char *dst, size_t size, const struct field_int *milli, bool ascii)
{
	const struct field_int celsius = {
		milli->reported, (milli->value + (milli->value < 0 ? -500 : 500)) / 1000};

	text_cell_celsius(dst, size, &celsius, ascii);
}

static void show_link(const struct show *show, const struct environment *env)
{
	char line[192], part[48];

	if (env->link_width <= 0 || env->link_gts <= 0)
		return;
	environment_link_text(env->link_gts, env->link_width, part, sizeof(part));
	str_format(line, sizeof(line), "%s now", part);
	environment_link_text(env->link_max_gts, env->link_max_width, part, sizeof(part));
	if (env->link_max_width > 0)
		str_append(line, sizeof(line), ", the drive can %s", part);
	environment_link_text(env->slot_max_gts, env->slot_max_width, part, sizeof(part));
	if (env->slot_max_width > 0)
		str_append(line, sizeof(line), ", the slot %s", part);
	show_line(show, "PCIe link", "%s%s", line,
		environment_link_narrowed(env) ? " - NARROWED" : "");
}

static void show_environment(const struct show *show, const struct inventory_controller *controller)
{
	const struct environment *env = &controller->env;
	char now[48], most[48], critical[48];

	show_title(show, "Environment");
	const size_t start = show->out->length;
	show_link(show, env);
	if (env->power_state[0] != '\0')
		show_line(show, "PCI power state", "%s", env->power_state);
	for (size_t i = 0; i < env->sensor_count && i < ENVIRONMENT_SENSORS; i++) {
		show_milli(now, sizeof(now), &env->sensors[i].value_mc, show->style->ascii);
		show_milli(most, sizeof(most), &env->sensors[i].max_mc, show->style->ascii);
		show_milli(critical, sizeof(critical), &env->sensors[i].critical_mc,
			show->style->ascii);
		show_line(show, show_or(env->sensors[i].label, "Sensor"),
			"%s; limit %s, critical %s", now, most, critical);
	}
	if (show->out->length == start)
		show_line(show, "Nothing", "no link and no sensors in sysfs");
}

static void show_namespace(const struct show *show, const struct inventory *inventory,
	const struct inventory_namespace *ns)
{
	char text[64], iec[64], problem[256];

	show_title(show, show_or(ns->topo.name, show_or(ns->topo.generic, "namespace")));
	show_line(show, "Namespace ID", "%u", ns->topo.nsid);
	show_line(show, "Size", "%s%s%s",
		text_cell_bytes(text, sizeof(text), ns->size_known, ns->size_bytes),
		ns->size_known ? " / " : "",
		ns->size_known ? units_bytes_iec(iec, sizeof(iec), ns->size_bytes) : "");
	show_line(show, "Media in use", "%s (%s)", text_cell_used(iec, sizeof(iec), ns),
		text_cell_bytes(text, sizeof(text), ns->used_known, ns->used_bytes));
	show_line(show, "Format", "%s", text_cell_format(text, sizeof(text), ns));
	if (ns->identify_info.read_at != 0)
		show_line(show, "LBA formats", "%u, number %u in use", ns->identify.format_count,
			ns->identify.format_index);
	if (ns->topo.nguid[0] != '\0')
		show_line(show, "NGUID", "%s", ns->topo.nguid);
	if (ns->topo.eui64[0] != '\0')
		show_line(show, "EUI-64", "%s", ns->topo.eui64);
	if (ns->topo.uuid[0] != '\0')
		show_line(show, "UUID", "%s", ns->topo.uuid);
	if (ns->read_only)
		show_line(show, "Writing", "read only");
	if (ns->no_sweep[0] != '\0')
		show_line(show, "No sweeps", "%s", ns->no_sweep);
	for (size_t i = 0; i < ns->topo.path_count; i++) {
		const struct topology_path *path = &ns->topo.paths[i];
		const struct inventory_controller *controller =
			inventory_find_controller(inventory, path->controller);

		show_line(show, i == 0 ? "Paths" : "", "%s by %s, %s, %s",
			show_or(path->name, "(no node)"), path->controller,
			show_or(path->ana_state, "ANA state not reported"),
			controller != NULL ? show_or(controller->topo.state, "-") : "-");
	}
	drive_page_problem(&ns->identify_info, problem, sizeof(problem));
	if (problem[0] != '\0')
		show_line(show, "Identify Namespace", "%s", problem);
}

int text_show(const struct inventory *inventory, const char *name, const char *page,
	const struct text_style *style, struct strbuf *out, struct err *err)
{
	const struct inventory_controller *controller;
	const struct inventory_namespace *only;
	const struct show show = {style, out};
	char node[48], model[64];
	size_t shown = 0;
	int rc;

	rc = drive_page_check(page, err);
	if (rc == 0)
		rc = drive_find(inventory, name, &controller, &only, err);
	if (rc < 0)
		return rc;
	text_fit(model, sizeof(model), show_or(controller->topo.model, "(none)"), 0, style->ascii);
	text_fit(node, sizeof(node), controller->topo.name, 0, style->ascii);
	strbuf_addf(out, "%s  %s%s\n", node, model, controller->simulated ? "  SIMULATED" : "");
	if (inventory->source[0] != '\0')
		text_wrap(out, style, 0, 2, inventory->source);
	if (drive_page_wanted(page, "health"))
		show_health(&show, controller);
	if (page == NULL)
		show_drive(&show, controller);
	if (drive_page_wanted(page, "identify"))
		show_identify(&show, controller);
	if (drive_page_wanted(page, "smart"))
		show_smart(&show, controller);
	if (drive_page_wanted(page, "environment"))
		show_environment(&show, controller);
	if (!drive_page_wanted(page, "namespaces"))
		return 0;
	for (size_t i = 0; i < inventory->namespace_count; i++) {
		const struct inventory_namespace *ns = &inventory->namespaces[i];

		if (only != NULL ? ns != only : !inventory_namespace_of(ns, controller))
			continue;
		show_namespace(&show, inventory, ns);
		shown++;
	}
	if (shown == 0) {
		char problem[256];

		drive_page_problem(&controller->list_info, problem, sizeof(problem));
		show_title(&show, "Namespaces");
		show_line(&show, "None", "%s",
			show_or(problem, "the controller has no active namespace"));
	}
	return 0;
}
