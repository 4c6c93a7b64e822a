/* Decoded pages as JSON objects. The Identify pages go through the field tables, so that a field
 * added there appears here. */
#include "report/page_json.h"

#include <math.h>
#include <string.h>

#include "base/str.h"

void page_json_text(struct json *object, const char *key, const char *text)
{
	char safe[512];

	str_sanitize(safe, sizeof(safe), text, strlen(text));
	json_set_string(object, key, safe[0] != '\0' ? safe : NULL);
}

void page_json_bytes(struct json *object, const char *key, bool known, u128 bytes)
{
	char text[96], digits[48];

	if (!known) {
		json_set_null(object, key);
	} else if (bytes <= UINT64_MAX) {
		json_set_u64(object, key, (uint64_t)bytes);
	} else {
		str_format(text, sizeof(text), "too large: %s bytes",
			units_u128_decimal(digits, sizeof(digits), bytes));
		json_set_error(object, key, text);
	}
}

static void page_json_int(struct json *object, const char *key, const struct field_int *field)
{
	if (field->reported)
		json_set_i64(object, key, field->value);
	else
		json_set_null(object, key);
}

static void page_json_u128(struct json *object, const char *key, const struct field_u128 *field)
{
	if (field->reported)
		json_set_u128(object, key, field->value);
	else
		json_set_null(object, key);
}

/* Every field of a table by its short name; beyond the bytes received: null. */
static void page_json_fields(struct json *object, const struct page *page,
	const struct identify_field *fields, size_t count)
{
	char hex[64];
	u128 value;

	for (size_t i = 0; i < count; i++) {
		const struct identify_field *field = &fields[i];

		if (field->kind == IDENTIFY_HEX)
			json_set_string(object, field->key,
				identify_field_hex(page, field, hex, sizeof(hex)) ? hex : NULL);
		else if (!identify_field_number(page, field, &value))
			json_set_null(object, field->key);
		else if (field->size > 8)
			json_set_u128(object, field->key, value);
		else
			json_set_u64(object, field->key, (uint64_t)value);
	}
}

/* 0 microseconds of entry and exit mean that the drive does not tell. */
static void page_json_latency(struct json *object, const char *key, uint32_t us)
{
	if (us != 0)
		json_set_u64(object, key, us);
	else
		json_set_null(object, key);
}

static struct json *page_json_power_states(const struct page *page, unsigned count)
{
	struct identify_power_state state;
	struct json *states = json_array();

	for (unsigned i = 0; i < count && identify_power_state(page, i, &state); i++) {
		struct json *one = json_object();

		json_set_double(one, "max_power_w", state.max_power_w);
		json_set_bool(one, "non_operational", state.non_operational);
		page_json_latency(one, "entry_latency_us", state.entry_latency_us);
		page_json_latency(one, "exit_latency_us", state.exit_latency_us);
		json_set_u64(one, "relative_read_throughput", state.read_throughput);
		json_set_u64(one, "relative_read_latency", state.read_latency);
		json_set_u64(one, "relative_write_throughput", state.write_throughput);
		json_set_u64(one, "relative_write_latency", state.write_latency);
		json_set_double(one, "idle_power_w", state.idle_power_w);
		json_set_double(one, "active_power_w", state.active_power_w);
		json_set_u64(one, "active_workload", state.active_workload);
		json_add(states, one);
	}
	return states;
}

struct json *page_json_controller(
	const struct identify_controller *identify, const uint8_t *raw, size_t raw_size)
{
	const struct page page = {raw, identify->length < raw_size ? identify->length : raw_size};
	struct json *object = json_object();
	char version[16];

	page_json_text(object, "sn", identify->serial);
	page_json_text(object, "mn", identify->model);
	page_json_text(object, "fr", identify->firmware);
	page_json_fields(
		object, &page, identify_controller_fields, identify_controller_field_count);
	page_json_text(object, "subnqn", identify->nqn);
	identify_version_text(identify->version, version, sizeof(version));
	json_set_string(object, "version", version);
	page_json_int(object, "warning_temperature_c", &identify->warning_temperature_c);
	page_json_int(object, "critical_temperature_c", &identify->critical_temperature_c);
	page_json_u128(object, "total_capacity_bytes", &identify->total_capacity);
	page_json_u128(object, "unallocated_capacity_bytes", &identify->unallocated_capacity);
	json_set_double(object, "max_power_w", identify->max_power_w);
	json_set(object, "power_states", page_json_power_states(&page, identify->npss + 1u));
	json_set_bool(object, "truncated", identify->truncated);
	json_set_bool(object, "implausible", identify->implausible);
	return object;
}

static struct json *page_json_formats(const struct identify_namespace *identify)
{
	struct json *formats = json_array();

	for (size_t i = 0; i < identify->format_count; i++) {
		const struct lba_format *format = &identify->formats[i];
		struct json *one = json_object();

		/* LBADS below 9 means that the format is not available. */
		if (format->lba_shift >= 9 && format->lba_shift < 32)
			json_set_u64(one, "lba_bytes", UINT64_C(1) << format->lba_shift);
		else
			json_set_null(one, "lba_bytes");
		json_set_u64(one, "metadata_bytes", format->metadata_bytes);
		json_set_u64(one, "ms", format->metadata_bytes);
		json_set_u64(one, "lbads", format->lba_shift);
		json_set_u64(one, "rp", format->relative_performance);
		json_set_bool(one, "in_use", identify->format_valid && i == identify->format_index);
		json_add(formats, one);
	}
	return formats;
}

struct json *page_json_namespace(const struct identify_namespace *identify)
{
	const struct page page = {identify->raw, identify->raw_length};
	struct json *object = json_object();
	u128 bytes = 0;
	bool known;

	page_json_fields(object, &page, identify_namespace_fields, identify_namespace_field_count);
	known = identify_namespace_bytes(identify, identify->size_blocks, &bytes);
	page_json_bytes(object, "size_bytes", known, bytes);
	known = identify_namespace_bytes(identify, identify->capacity_blocks, &bytes);
	page_json_bytes(object, "capacity_bytes", known, bytes);
	known = identify_namespace_bytes(identify, identify->used_blocks, &bytes);
	page_json_bytes(object, "used_bytes", known, bytes);
	json_set_u64(object, "format_index", identify->format_index);
	if (identify->format_valid) {
		json_set_u64(object, "lba_bytes", identify->lba_bytes);
		json_set_u64(object, "metadata_bytes", identify->metadata_bytes);
		json_set_bool(object, "metadata_extended", identify->metadata_extended);
		json_set_u64(object, "transfer_bytes", identify->transfer_bytes);
	} else {
		json_set_null(object, "lba_bytes");
		json_set_null(object, "metadata_bytes");
		json_set_null(object, "metadata_extended");
		json_set_null(object, "transfer_bytes");
	}
	json_set_bool(object, "write_protected", identify->write_protected);
	json_set(object, "lba_formats", page_json_formats(identify));
	json_set_bool(object, "truncated", identify->truncated);
	return object;
}

static void page_json_units(struct json *object, const char *key, const struct field_u128 *units)
{
	u128 bytes;

	if (units->reported && smart_units_bytes(units->value, &bytes))
		json_set_u128(object, key, bytes);
	else if (units->reported)
		json_set_error(object, key, "too large: more than 128 bits");
	else
		json_set_null(object, key);
}

struct json *page_json_smart(const struct smart *smart)
{
	struct json *object = json_object();
	struct json *words = json_array();
	struct json *sensors = json_array();
	char texts[8][48];
	size_t sensor_count = 0;

	const size_t count = smart_warning_texts(smart->critical_warning, texts, 8);
	for (size_t i = 0; i < count; i++)
		json_add_string(words, texts[i]);
	json_set_u64(object, "critical_warning", smart->critical_warning);
	json_set(object, "critical_warning_texts", words);
	page_json_int(object, "temperature_c", &smart->temperature_c);
	page_json_int(object, "available_spare_pct", &smart->available_spare);
	page_json_int(object, "available_spare_threshold_pct", &smart->spare_threshold);
	page_json_int(object, "percentage_used_pct", &smart->percentage_used);
	json_set_u64(object, "endurance_group_critical_warning", smart->endurance_group_warning);
	page_json_u128(object, "data_units_read", &smart->data_units_read);
	page_json_u128(object, "data_units_written", &smart->data_units_written);
	page_json_units(object, "data_read_bytes", &smart->data_units_read);
	page_json_units(object, "data_written_bytes", &smart->data_units_written);
	page_json_u128(object, "host_reads", &smart->host_reads);
	page_json_u128(object, "host_writes", &smart->host_writes);
	page_json_u128(object, "controller_busy_time_min", &smart->controller_busy_minutes);
	page_json_u128(object, "power_cycles", &smart->power_cycles);
	page_json_u128(object, "power_on_hours", &smart->power_on_hours);
	page_json_u128(object, "unsafe_shutdowns", &smart->unsafe_shutdowns);
	page_json_u128(object, "media_errors", &smart->media_errors);
	page_json_u128(object, "num_err_log_entries", &smart->error_log_entries);
	page_json_int(object, "warning_temp_time_min", &smart->warning_temperature_minutes);
	page_json_int(object, "critical_comp_time_min", &smart->critical_temperature_minutes);
	/* Places count (sensor 3 stays the third), so gaps are null; none at all is an empty list. */
	for (size_t i = 0; i < SMART_SENSORS; i++)
		if (smart->sensors_c[i].reported)
			sensor_count = i + 1;
	for (size_t i = 0; i < sensor_count; i++) {
		if (smart->sensors_c[i].reported)
			json_add_i64(sensors, smart->sensors_c[i].value);
		else
			json_add(sensors, json_null());
	}
	json_set(object, "temperature_sensors_c", sensors);
	page_json_int(object, "thm_temp1_trans_count", &smart->thermal1_count);
	page_json_int(object, "thm_temp2_trans_count", &smart->thermal2_count);
	page_json_int(object, "thm_temp1_total_time_s", &smart->thermal1_seconds);
	page_json_int(object, "thm_temp2_total_time_s", &smart->thermal2_seconds);
	json_set_bool(object, "truncated", smart->truncated);
	return object;
}

static void page_json_milli(struct json *object, const char *key, const struct field_int *field)
{
	json_set_double(object, key, field->reported ? (double)field->value / 1000 : NAN);
}

static void page_json_link(struct json *object, const char *key, double gts, int width)
{
	struct json *link;

	if (gts <= 0 && width <= 0) {
		json_set_null(object, key);
		return;
	}
	link = json_object();
	json_set_double(link, "gt_s", gts > 0 ? gts : NAN);
	if (width > 0)
		json_set_i64(link, "width", width);
	else
		json_set_null(link, "width");
	const double bytes = gts > 0 && width > 0 ? environment_link_bytes(gts, width) : 0;
	json_set_double(link, "mib_s", bytes > 0 ? round(bytes / 1048576) : NAN);
	json_set(object, key, link);
}

struct json *page_json_environment(const struct environment *env)
{
	struct json *object = json_object();
	struct json *sensors = json_array();

	for (size_t i = 0; i < env->sensor_count && i < ENVIRONMENT_SENSORS; i++) {
		struct json *one = json_object();

		page_json_text(one, "label", env->sensors[i].label);
		page_json_milli(one, "value_c", &env->sensors[i].value_mc);
		page_json_milli(one, "max_c", &env->sensors[i].max_mc);
		page_json_milli(one, "min_c", &env->sensors[i].min_mc);
		page_json_milli(one, "critical_c", &env->sensors[i].critical_mc);
		json_add(sensors, one);
	}
	json_set(object, "sensors", sensors);
	page_json_link(object, "link", env->link_gts, env->link_width);
	page_json_link(object, "link_max", env->link_max_gts, env->link_max_width);
	page_json_link(object, "slot_max", env->slot_max_gts, env->slot_max_width);
	json_set_bool(object, "link_narrowed", environment_link_narrowed(env));
	if (env->numa_node >= 0)
		json_set_i64(object, "numa_node", env->numa_node);
	else
		json_set_null(object, "numa_node");
	page_json_text(object, "power_state", env->power_state);
	return object;
}
