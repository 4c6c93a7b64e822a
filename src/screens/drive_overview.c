/* Tab Overview: verdict with reasons, what the drive does now, who it is, how it is connected. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "screens/drive.h"
#include "screens/drives.h"
#include "screens/explain.h"
#include "screens/format.h"

static struct fact *add_text(
	struct facts *facts, const char *key, const char *label, const char *text)
{
	return facts_add(facts, key, label, ROLE_VALUE, "%s", text[0] ? text : "-");
}

static void add_health(struct facts *facts, const struct inventory_controller *controller)
{
	const struct health *health = &controller->health;
	char text[448], why[256];

	facts_heading(facts, "Health");
	facts_add(facts, "overview.verdict", "Verdict", format_verdict_role(health->verdict), "%s",
		health->verdict == HEALTH_UNKNOWN ? "unknown" : health_word(health->verdict));
	for (size_t i = 0; i < health->reason_count; i++) {
		str_copy(text, sizeof(text), health->reasons[i].text);
		if (health->reasons[i].advice[0])
			str_append(text, sizeof(text), " - %s", health->reasons[i].advice);
		facts_sentence(facts, "overview.verdict",
			format_verdict_role(health->reasons[i].severity), text);
	}
	format_page(&controller->smart_info, why, sizeof(why));
	if (why[0]) {
		str_format(text, sizeof(text), "SMART: %s", why);
		facts_sentence(facts, "smart.page", ROLE_WARN, text);
	}
	format_page(&controller->identify_info, why, sizeof(why));
	if (why[0]) {
		str_format(text, sizeof(text), "Identify: %s", why);
		facts_sentence(facts, "overview.verdict", ROLE_WARN, text);
	}
}

static void add_rates(struct facts *facts, const struct inventory *inventory,
	const struct inventory_controller *controller)
{
	bool heading = false;

	for (size_t i = 0; i < inventory->namespace_count; i++) {
		const struct inventory_namespace *ns = &inventory->namespaces[i];
		const struct iostat_rates *rates = &ns->rates;
		char read[24], write[24], iops[24], latency[24];

		if (!rates->known || !inventory_namespace_of(ns, controller))
			continue;
		if (!heading)
			facts_heading(facts, "I/O now");
		heading = true;
		struct fact *row = facts_add(facts, "overview.rate", ns->topo.name, ROLE_VALUE,
			"R %s/s  W %s/s", format_bytes(read, sizeof(read), rates->read_bytes_s),
			format_bytes(write, sizeof(write), rates->write_bytes_s));
		if (rates->read_iops + rates->write_iops > 0)
			facts_note(row, ROLE_DIM, "%s IOPS  mean %s  busy %.0f %%",
				format_si(iops, sizeof(iops), rates->read_iops + rates->write_iops),
				format_ms(latency, sizeof(latency),
					rates->read_iops >= rates->write_iops
						? rates->read_latency_ms
						: rates->write_latency_ms),
				rates->busy_pct);
	}
}

static void add_temperatures(struct facts *facts, const struct inventory_controller *controller,
	const struct settings *settings)
{
	const struct environment *env = &controller->env;
	char text[24], limit[24], label[40];

	if (!env->sensor_count)
		return;
	facts_heading(facts, "Temperature");
	for (size_t i = 0; i < env->sensor_count && i < ENVIRONMENT_SENSORS; i++) {
		const struct field_int *value = &env->sensors[i].value_mc;

		if (env->sensors[i].label[0])
			str_copy(label, sizeof(label), env->sensors[i].label);
		else
			str_format(label, sizeof(label), "Sensor %zu", i);
		struct fact *row = facts_add(facts, "overview.temperature", label, ROLE_VALUE, "%s",
			value->reported ? format_temperature(text, sizeof(text),
						  (double)value->value / 1000, settings)
					: "-");
		if (!env->sensors[i].max_mc.reported)
			continue;
		if (value->reported && value->value >= env->sensors[i].max_mc.value)
			row->role = ROLE_WARN;
		facts_note(row, ROLE_DIM, "warn %s",
			format_temperature(limit, sizeof(limit),
				(double)env->sensors[i].max_mc.value / 1000, settings));
		if (env->sensors[i].critical_mc.reported)
			facts_note(row, ROLE_DIM, "warn %s  crit %s", limit,
				format_temperature(text, sizeof(text),
					(double)env->sensors[i].critical_mc.value / 1000,
					settings));
	}
}

static void add_capacity(struct facts *facts, const struct inventory *inventory,
	const struct inventory_controller *controller)
{
	const struct identify_controller *id = &controller->identify;
	const bool known = controller->identify_info.read_at != 0;
	char text[32];
	size_t count = 0;

	facts_heading(facts, "Capacity");
	for (size_t i = 0; i < inventory->namespace_count; i++)
		count += inventory_namespace_of(&inventory->namespaces[i], controller);
	struct fact *row = facts_add(facts, "overview.capacity", "Total", ROLE_VALUE, "%s",
		known && id->total_capacity.reported
			? units_bytes_si(text, sizeof(text), id->total_capacity.value)
			: "-");
	if (known && !id->total_capacity.reported)
		facts_note(row, ROLE_DIM, "not reported by the drive");
	else if (known && id->unallocated_capacity.reported)
		facts_note(row, ROLE_DIM, "%s unallocated",
			units_bytes_si(text, sizeof(text), id->unallocated_capacity.value));
	row = facts_add(facts, "overview.namespaces", "Namespaces", ROLE_VALUE, "%zu", count);
	if (known && id->namespace_count)
		facts_note(row, ROLE_DIM, "of at most %u", id->namespace_count);
	if (!known)
		return;
	facts_add(facts, "overview.cache", "Volatile write cache", ROLE_VALUE, "%s",
		id->volatile_write_cache & 1 ? "present" : "none");
	const unsigned mdts = id->mdts;
	if (!mdts)
		facts_add(facts, "overview.mdts", "Largest transfer", ROLE_VALUE, "no limit");
	else if (mdts < 32)
		facts_note(facts_add(facts, "overview.mdts", "Largest transfer", ROLE_VALUE, "%s",
				   units_bytes_iec(text, sizeof(text), (u128)4096 << mdts)),
			ROLE_DIM, "with 4 KiB pages");
}

static void add_identity(struct facts *facts, const struct inventory_controller *controller)
{
	const struct identify_controller *id = &controller->identify;
	const bool known = controller->identify_info.read_at != 0;
	char text[32];

	facts_heading(facts, "Identity");
	add_text(facts, "overview.model", "Model", controller->topo.model);
	add_text(facts, "overview.serial", "Serial number", controller->topo.serial);
	add_text(facts, "overview.firmware", "Firmware", controller->topo.firmware);
	if (known) {
		identify_version_text(id->version, text, sizeof(text));
		add_text(facts, "overview.version", "NVMe version", text);
		facts_add(facts, "overview.vendor", "PCI vendor, subsystem", ROLE_VALUE,
			"0x%04x, 0x%04x  OUI %06x", id->vendor_id, id->subsystem_vendor_id,
			id->ieee_oui);
	}
	add_text(facts, "overview.nqn", "Subsystem name",
		controller->topo.nqn[0] ? controller->topo.nqn
			: known         ? id->nqn
					: "");
	if (controller->topo.cntlid >= 0)
		facts_add(facts, "overview.controller", "Controller", ROLE_VALUE, "id %d%s%s",
			controller->topo.cntlid, controller->topo.controller_type[0] ? ", " : "",
			controller->topo.controller_type);
	if (known && id->implausible)
		facts_sentence(facts, "overview.model", ROLE_WARN,
			"Identify looks like an uninitialised buffer: its fields are not to be "
			"trusted.");
}

static void add_link(struct facts *facts, const struct inventory_controller *controller)
{
	const struct environment *env = &controller->env;
	const struct topology_controller *topo = &controller->topo;
	char now[24], most[24], slot[24], bytes[24], address[128];

	facts_heading(facts, "Connection");
	add_text(facts, "overview.state", "State", topo->state)->role =
		topology_controller_live(topo) ? ROLE_GOOD : ROLE_WARN;
	drives_address(controller, address, sizeof(address));
	facts_add(facts, "overview.transport", "Transport", ROLE_VALUE, "%s %s",
		topo->transport[0] ? topo->transport : "-", address);
	if (!topo->transport[0] || !strcmp(topo->transport, "pcie")) {
		const bool narrowed = environment_link_narrowed(env);

		environment_link_text(env->link_gts, env->link_width, now, sizeof(now));
		environment_link_text(env->link_max_gts, env->link_max_width, most, sizeof(most));
		environment_link_text(env->slot_max_gts, env->slot_max_width, slot, sizeof(slot));
		struct fact *row = facts_add(facts, "overview.link", "PCIe link now",
			narrowed ? ROLE_WARN : ROLE_VALUE, "%s%s", now, narrowed ? " !" : "");
		facts_note(row, narrowed ? ROLE_WARN : ROLE_DIM, "drive %s  slot %s", most, slot);
		const double carries = environment_link_bytes(env->link_gts, env->link_width);
		if (carries > 0)
			facts_add(facts, "overview.link", "Link carries at most", ROLE_VALUE,
				"%s/s", format_bytes(bytes, sizeof(bytes), carries));
	}
	if (env->numa_node >= 0 || topo->numa_node >= 0)
		facts_add(facts, "overview.numa", "NUMA node", ROLE_VALUE, "%d",
			topo->numa_node >= 0 ? topo->numa_node : env->numa_node);
	if (topo->queue_count >= 0) {
		struct fact *row = facts_add(facts, "overview.queues", "I/O queues", ROLE_VALUE,
			"%d", topo->queue_count);
		if (topo->sqsize >= 0)
			facts_note(row, ROLE_DIM, "of %d entries", topo->sqsize + 1);
	}
	if (env->power_state[0])
		facts_add(facts, "overview.power", "PCI power state", ROLE_VALUE, "%s",
			env->power_state);
}

/* "Title: word, word" for the bits that are set. */
static void add_bits(struct facts *facts, const char *title, uint32_t bits,
	const char *const *names, size_t count)
{
	char text[400];
	bool any = false;

	str_format(text, sizeof(text), "%s:", title);
	for (size_t i = 0; i < count; i++) {
		if (!(bits & (1u << i)))
			continue;
		str_append(text, sizeof(text), "%s %s", any ? "," : "", names[i]);
		any = true;
	}
	if (!any)
		str_append(text, sizeof(text), " none");
	facts_sentence(facts, "overview.features", ROLE_VALUE, text);
}

/* Identify Controller: OACS (256), ONCS (520), SANICAP (328). */
static void add_features(struct facts *facts, const struct inventory_controller *controller)
{
	static const char *const oacs[] = {"security", "format", "firmware", "namespace management",
		"self-test", "directives", "NVMe-MI", "virtualization", "doorbell buffer",
		"LBA status"};
	static const char *const oncs[] = {"compare", "write uncorrectable", "deallocate",
		"write zeroes", "save features", "reservations", "timestamp", "verify", "copy"};
	static const char *const sanitize[] = {"crypto erase", "block erase", "overwrite"};
	const struct identify_controller *id = &controller->identify;
	char watts[32] = "-";

	if (!controller->identify_info.read_at)
		return;
	facts_heading(facts, "Features");
	if (isfinite(id->max_power_w))
		str_format(watts, sizeof(watts), "%.2f W", id->max_power_w);
	struct fact *row =
		facts_add(facts, "overview.power", "Power at most", ROLE_VALUE, "%s", watts);
	facts_note(row, ROLE_DIM, "%d power state%s", id->npss + 1, id->npss ? "s" : "");
	add_bits(facts, "Commands", id->oncs, oncs, sizeof(oncs) / sizeof(oncs[0]));
	add_bits(facts, "Administration", id->oacs, oacs, sizeof(oacs) / sizeof(oacs[0]));
	add_bits(facts, "Sanitize", id->sanitize_capabilities, sanitize,
		sizeof(sanitize) / sizeof(sanitize[0]));
}

static void fill(struct drive *drive, const struct inventory_controller *controller, int width)
{
	const struct desk *desk = drive->screen.desk;
	struct facts *first, *second;

	facts_pair_begin(&drive->overview, width, &first, &second);
	add_health(first, controller);
	add_rates(first, desk->inventory, controller);
	add_temperatures(first, controller, desk->settings);
	add_capacity(first, desk->inventory, controller);
	add_identity(second, controller);
	add_link(second, controller);
	add_features(second, controller);
	facts_pair_end(&drive->overview);
}

static void draw(struct drive *drive, const struct inventory_controller *controller,
	struct canvas *canvas, struct rect area)
{
	(void)controller;
	facts_pair_draw(&drive->overview, canvas, area, false);
}

static bool action(struct drive *drive, enum action action)
{
	return facts_pair_action(&drive->overview, action);
}

static bool key(struct drive *drive, const struct key *key)
{
	return facts_pair_key(&drive->overview, key);
}

static void explain(struct drive *drive, char *buf, size_t size)
{
	explain_text(facts_pair_cursor(&drive->overview), buf, size);
}

const struct drive_tab drive_overview = {"Overview", fill, draw, action, key, explain};
