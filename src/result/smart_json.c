/* SMART to JSON and back, by one table of fields. */
#include "result/smart_json.h"

#include <errno.h>
#include <stddef.h>

#include "result/fields.h"

struct row {
	const char *key;
	size_t offset;
};
#define INT(key, member)                            \
	{                                           \
		key, offsetof(struct smart, member) \
	}

static const struct row int_rows[] = {
	INT("temperature_c", temperature_c),
	INT("available_spare_pct", available_spare),
	INT("available_spare_threshold_pct", spare_threshold),
	INT("percentage_used_pct", percentage_used),
	INT("warning_temp_time_min", warning_temperature_minutes),
	INT("critical_comp_time_min", critical_temperature_minutes),
	INT("thm_temp1_trans_count", thermal1_count),
	INT("thm_temp2_trans_count", thermal2_count),
	INT("thm_temp1_total_time_s", thermal1_seconds),
	INT("thm_temp2_total_time_s", thermal2_seconds),
};
static const struct row u128_rows[] = {
	INT("data_units_read", data_units_read),
	INT("data_units_written", data_units_written),
	INT("host_reads", host_reads),
	INT("host_writes", host_writes),
	INT("controller_busy_time_min", controller_busy_minutes),
	INT("power_cycles", power_cycles),
	INT("power_on_hours", power_on_hours),
	INT("unsafe_shutdowns", unsafe_shutdowns),
	INT("media_errors", media_errors),
	INT("num_err_log_entries", error_log_entries),
};
#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))
#define SENSORS (sizeof(((struct smart *)0)->sensors_c) / sizeof(struct field_int))

static void set_int(struct json *object, const char *key, const struct field_int *field)
{
	if (field->reported)
		json_set_i64(object, key, field->value);
	else
		json_set_null(object, key);
}

struct json *run_smart_to_json(const struct smart *smart)
{
	struct json *object = json_object(), *sensors = json_array();

	json_set_u64(object, "critical_warning", smart->critical_warning);
	json_set_u64(object, "endurance_group_critical_warning", smart->endurance_group_warning);
	for (size_t i = 0; i < COUNT(int_rows); i++)
		set_int(object, int_rows[i].key,
			(const void *)((const char *)smart + int_rows[i].offset));
	for (size_t i = 0; i < COUNT(u128_rows); i++) {
		const struct field_u128 *field =
			(const void *)((const char *)smart + u128_rows[i].offset);

		if (field->reported)
			json_set_u128(object, u128_rows[i].key, field->value);
		else
			json_set_null(object, u128_rows[i].key);
	}
	for (size_t i = 0; i < SENSORS; i++) {
		if (smart->sensors_c[i].reported)
			json_add_double(sensors, (double)smart->sensors_c[i].value);
		else
			json_add(sensors, json_null());
	}
	json_set(object, "temperature_sensors_c", sensors);
	json_set_bool(object, "truncated", smart->truncated);
	return object;
}

/* True when there is a value; a wrong type is kept as the first fault. */
static bool present(struct fields *f, int rc)
{
	if (rc && rc != -ENOENT && !f->code)
		f->code = rc;
	return !rc;
}

int run_smart_from_json(const struct json *json, struct smart *out, struct err *err)
{
	struct fields f = {0, err};
	uint32_t warning = 0, group = 0;

	*out = (struct smart){0};
	fields_u32(&f, json, "critical_warning", &warning);
	fields_u32(&f, json, "endurance_group_critical_warning", &group);
	out->critical_warning = (uint8_t)warning;
	out->endurance_group_warning = (uint8_t)group;
	for (size_t i = 0; i < COUNT(int_rows); i++) {
		struct field_int *field = (void *)((char *)out + int_rows[i].offset);

		field->reported = present(&f,
			json_read_i64(json, int_rows[i].key, &field->value, f.code ? NULL : err));
	}
	for (size_t i = 0; i < COUNT(u128_rows); i++) {
		struct field_u128 *field = (void *)((char *)out + u128_rows[i].offset);

		field->reported = present(&f,
			json_read_u128(json, u128_rows[i].key, &field->value, f.code ? NULL : err));
	}
	const struct json *sensors = fields_array(&f, json, "temperature_sensors_c");

	for (size_t i = 0; sensors && i < json_length(sensors) && i < SENSORS; i++) {
		double value;

		if (json_at_double(sensors, i, &value, NULL) || !(value > -300 && value < 70000))
			continue;
		out->sensors_c[i] = (struct field_int){true, (int64_t)value};
	}
	fields_bool(&f, json, "truncated", &out->truncated);
	return f.code;
}
