/* Tab SMART: every counter with its unit, what it compares with, and what it comes to. */
#include <math.h>

#include "base/str.h"
#include "base/units.h"
#include "screens/drive.h"
#include "screens/explain.h"
#include "screens/format.h"

#define HOURS_A_YEAR 8766.0

static struct fact *add_int(struct facts *facts, const char *key, const char *label,
	const struct field_int *field, const char *unit)
{
	char number[48];

	if (!field->reported)
		return facts_add(facts, key, label, ROLE_VALUE, "-");
	if (field->value < 0)
		str_format(number, sizeof(number), "%lld", (long long)field->value);
	else
		units_grouped(number, sizeof(number), (u128)field->value);
	return facts_add(facts, key, label, ROLE_VALUE, "%s%s", number, unit);
}

static struct fact *add_count(struct facts *facts, const char *key, const char *label,
	const struct field_u128 *field, const char *unit)
{
	char number[64];

	if (!field->reported)
		return facts_add(facts, key, label, ROLE_VALUE, "-");
	return facts_add(facts, key, label, ROLE_VALUE, "%s%s",
		units_grouped(number, sizeof(number), field->value), unit);
}

static void add_warning(struct facts *facts, const struct smart *smart)
{
	char texts[8][48], all[192] = "";
	const size_t count = smart_warning_texts(smart->critical_warning, texts, 8);

	for (size_t i = 0; i < count; i++)
		str_append(all, sizeof(all), "%s%s", i ? ", " : "", texts[i]);
	facts_add(facts, "smart.critical_warning", "Critical warning",
		count ? ROLE_CRIT : ROLE_GOOD, "%s", count ? all : "none");
	if (smart->endurance_group_warning)
		facts_add(facts, "smart.endurance_group", "Endurance group warning", ROLE_CRIT,
			"0x%02x", smart->endurance_group_warning);
}

static void add_temperature(struct facts *facts, const struct inventory_controller *controller,
	const struct settings *settings)
{
	const struct field_int *celsius = &controller->smart.temperature_c;
	const struct identify_controller *id = &controller->identify;
	const bool limits = controller->identify_info.read_at != 0;
	enum role role = ROLE_VALUE;
	char text[24], warn[24] = "-", critical[24] = "-";

	if (limits && id->warning_temperature_c.reported) {
		format_temperature(
			warn, sizeof(warn), (double)id->warning_temperature_c.value, settings);
		if (celsius->reported && celsius->value >= id->warning_temperature_c.value)
			role = ROLE_WARN;
	}
	if (limits && id->critical_temperature_c.reported) {
		format_temperature(critical, sizeof(critical),
			(double)id->critical_temperature_c.value, settings);
		if (celsius->reported && celsius->value >= id->critical_temperature_c.value)
			role = ROLE_CRIT;
	}
	struct fact *row = facts_add(facts, "smart.temperature", "Composite temperature", role,
		"%s%s",
		celsius->reported
			? format_temperature(text, sizeof(text), (double)celsius->value, settings)
			: "-",
		role == ROLE_VALUE ? "" : " !");
	if (warn[0] == '-' && critical[0] == '-')
		facts_note(row, ROLE_DIM, "%s", limits ? "the drive sets no limits" : "");
	else
		facts_note(row, ROLE_DIM, "warn %s  crit %s", warn, critical);
}

static void add_wear(struct facts *facts, const struct smart *smart)
{
	char text[32];

	smart_used_text(&smart->percentage_used, text, sizeof(text));
	struct fact *row = facts_add(facts, "smart.percentage_used", "Percentage used",
		smart->percentage_used.reported && smart->percentage_used.value >= 100 ? ROLE_WARN
										       : ROLE_VALUE,
		"%s", smart->percentage_used.reported ? text : "-");
	if (smart->percentage_used.reported) {
		row->bar = (double)smart->percentage_used.value / 100;
		if (row->bar > 1)
			row->bar = 1;
		if (smart->percentage_used.value > 100)
			facts_note(row, ROLE_DIM, "past the rated endurance");
	}
	row = add_int(
		facts, "smart.available_spare", "Available spare", &smart->available_spare, " %");
	if (smart->available_spare.reported) {
		row->bar = fmin((double)smart->available_spare.value / 100, 1);
		if (smart->spare_threshold.reported) {
			if (smart->available_spare.value < smart->spare_threshold.value)
				row->role = ROLE_CRIT;
			facts_note(row, ROLE_DIM, "threshold %lld %%",
				(long long)smart->spare_threshold.value);
		}
	}
}

/* Bytes of a data-unit counter; false when it is not reported. */
static bool moved_bytes(const struct field_u128 *units, u128 *bytes)
{
	return units->reported && smart_units_bytes(units->value, bytes);
}

static void add_moved(struct facts *facts, const struct inventory_controller *controller)
{
	const struct smart *smart = &controller->smart;
	const struct field_u128 *capacity = &controller->identify.total_capacity;
	char text[48], day[32];
	u128 bytes = 0;

	const bool written = moved_bytes(&smart->data_units_written, &bytes);
	struct fact *row = facts_add(facts, "smart.data_written", "Data written", ROLE_VALUE, "%s",
		written ? units_bytes_si(text, sizeof(text), bytes) : "-");
	const double hours =
		smart->power_on_hours.reported ? (double)smart->power_on_hours.value : 0;
	if (written && hours >= 24) {
		const double a_day = (double)bytes / (hours / 24);

		facts_note(row, ROLE_DIM, "%s/day", format_bytes(day, sizeof(day), a_day));
		if (controller->identify_info.read_at && capacity->reported && capacity->value > 0)
			facts_note(row, ROLE_DIM, "%s/day, %.2g DWPD",
				format_bytes(day, sizeof(day), a_day),
				a_day / (double)capacity->value);
	}
	const bool read = moved_bytes(&smart->data_units_read, &bytes);
	facts_add(facts, "smart.data_read", "Data read", ROLE_VALUE, "%s",
		read ? units_bytes_si(text, sizeof(text), bytes) : "-");

	row = add_count(facts, "smart.host_commands", "Write commands", &smart->host_writes, "");
	if (moved_bytes(&smart->data_units_written, &bytes) && smart->host_writes.reported &&
		smart->host_writes.value > 0)
		facts_note(row, ROLE_DIM, "%s each",
			units_bytes_iec(text, sizeof(text), bytes / smart->host_writes.value));
	row = add_count(facts, "smart.host_commands", "Read commands", &smart->host_reads, "");
	if (read && moved_bytes(&smart->data_units_read, &bytes) && smart->host_reads.reported &&
		smart->host_reads.value > 0)
		facts_note(row, ROLE_DIM, "%s each",
			units_bytes_iec(text, sizeof(text), bytes / smart->host_reads.value));
}

static void add_errors(struct facts *facts, const struct smart *smart)
{
	char number[64];
	struct fact *row =
		add_count(facts, "smart.media_errors", "Media errors", &smart->media_errors, "");

	if (smart->media_errors.reported && smart->media_errors.value > 0) {
		row->role = ROLE_WARN;
		facts_note(row, ROLE_WARN, "! data could not be read back");
	}
	add_count(facts, "smart.error_log_entries", "Error-log entries", &smart->error_log_entries,
		"");
	row = add_count(
		facts, "smart.unsafe_shutdowns", "Unsafe shutdowns", &smart->unsafe_shutdowns, "");
	if (smart->unsafe_shutdowns.reported && smart->power_cycles.reported &&
		smart->power_cycles.value > 0)
		facts_note(row, ROLE_DIM, "of %s power cycles",
			units_grouped(number, sizeof(number), smart->power_cycles.value));
}

static void add_time(struct facts *facts, const struct smart *smart)
{
	const double hours =
		smart->power_on_hours.reported ? (double)smart->power_on_hours.value : 0;
	struct fact *row = add_count(
		facts, "smart.power_on_hours", "Power-on hours", &smart->power_on_hours, " h");

	if (hours >= HOURS_A_YEAR / 10)
		facts_note(row, ROLE_DIM, "%.1f years", hours / HOURS_A_YEAR);
	add_count(facts, "smart.power_cycles", "Power cycles", &smart->power_cycles, "");
	row = add_count(facts, "smart.busy", "Controller busy time",
		&smart->controller_busy_minutes, " min");
	if (smart->controller_busy_minutes.reported && hours > 0 &&
		(double)smart->controller_busy_minutes.value <= hours * 60)
		facts_note(row, ROLE_DIM, "%.2g %% of the time under power",
			(double)smart->controller_busy_minutes.value / (hours * 60) * 100);
}

static void add_heat(
	struct facts *facts, const struct smart *smart, const struct settings *settings)
{
	struct fact *row;
	char label[40], text[24];

	row = add_int(facts, "smart.warning_time", "Time above warning",
		&smart->warning_temperature_minutes, " min");
	if (smart->warning_temperature_minutes.reported &&
		smart->warning_temperature_minutes.value > 0)
		row->role = ROLE_WARN;
	row = add_int(facts, "smart.critical_time", "Time above critical",
		&smart->critical_temperature_minutes, " min");
	if (smart->critical_temperature_minutes.reported &&
		smart->critical_temperature_minutes.value > 0)
		row->role = ROLE_CRIT;
	row = add_int(
		facts, "smart.thermal", "Throttled, level 1", &smart->thermal1_count, " times");
	if (smart->thermal1_seconds.reported)
		facts_note(
			row, ROLE_DIM, "%lld s in all", (long long)smart->thermal1_seconds.value);
	row = add_int(
		facts, "smart.thermal", "Throttled, level 2", &smart->thermal2_count, " times");
	if (smart->thermal2_seconds.reported)
		facts_note(
			row, ROLE_DIM, "%lld s in all", (long long)smart->thermal2_seconds.value);
	for (size_t i = 0; i < SMART_SENSORS; i++) {
		if (!smart->sensors_c[i].reported)
			continue;
		str_format(label, sizeof(label), "Temperature sensor %zu", i + 1);
		facts_add(facts, "smart.sensor", label, ROLE_VALUE, "%s",
			format_temperature(
				text, sizeof(text), (double)smart->sensors_c[i].value, settings));
	}
}

static void fill(struct drive *drive, const struct inventory_controller *controller, int width)
{
	const struct settings *settings = drive->screen.desk->settings;
	const struct smart *smart = &controller->smart;
	struct facts *first, *second;
	char why[256];

	facts_pair_begin(&drive->smart, width, &first, &second);
	format_page(&controller->smart_info, why, sizeof(why));
	if (why[0])
		facts_sentence(first, "smart.page", ROLE_WARN, why);
	if (controller->smart_info.state == PAGE_FAILED && !controller->smart_info.read_at)
		facts_sentence(first, "", ROLE_DIM,
			"With access this tab shows temperature, wear, spare blocks, data written and "
			"read, errors and hours. Without it nothing is said about the drive's health.");
	if (controller->smart_info.read_at) {
		add_warning(first, smart);
		add_temperature(first, controller, settings);
		add_wear(first, smart);
		add_moved(first, controller);
		add_errors(first, smart);
		add_time(second, smart);
		add_heat(second, smart, settings);
		if (smart->truncated)
			facts_sentence(first, "smart.page", ROLE_WARN,
				"The drive returned less than a whole page: fields beyond its end "
				"are not reported.");
	}
	facts_pair_end(&drive->smart);
}

static void draw(struct drive *drive, const struct inventory_controller *controller,
	struct canvas *canvas, struct rect area)
{
	facts_pair_draw(&drive->smart, canvas, area, format_page_old(&controller->smart_info));
}

static bool action(struct drive *drive, enum action action)
{
	return facts_pair_action(&drive->smart, action);
}

static bool key(struct drive *drive, const struct key *key)
{
	return facts_pair_key(&drive->smart, key);
}

static void explain(struct drive *drive, char *buf, size_t size)
{
	explain_text(facts_pair_cursor(&drive->smart), buf, size);
}

const struct drive_tab drive_smart = {"SMART", fill, draw, action, key, explain};
