/* Raw pages from what smartctl printed of real drives, at the places of libnvme's structure. */
#ifndef TESTS_NVME_SMARTCTL_H
#define TESTS_NVME_SMARTCTL_H

#include "fixture.h"

#include <endian.h>
#define nvme_status_code libnvme_status_code /* has the name of one of ours */
#include <nvme/types.h>
#undef nvme_status_code

#include "base/json.h"

#define SMARTCTL_LOG "nvme_smart_health_information_log"

static inline struct json *smartctl_load(const char *path)
{
	struct err err = {0};
	struct json *json;
	char *text = calloc(1, 1 << 20);

	assert_non_null(text);
	FILE *file = fopen(path, "rb");
	if (file == NULL)
		fail_msg("%s cannot be opened", path);
	const size_t length = fread(text, 1, (1 << 20) - 1, file);
	fclose(file);
	if (json_parse(path, text, length, &json, &err) != 0)
		fail_msg("%s", err.text);
	free(text);
	return json;
}

static inline uint64_t smartctl_number(const struct json *object, const char *key)
{
	uint64_t value = 0;

	if (json_get(object, key) != NULL)
		assert_int_equal(json_read_u64(object, key, &value, NULL), 0);
	return value;
}

static inline void smartctl_build(const struct json *log, struct nvme_smart_log *raw)
{
	const struct json *sensors = json_get(log, "temperature_sensors");
	int64_t celsius;

	memset(raw, 0, sizeof(*raw));
	raw->critical_warning = (uint8_t)smartctl_number(log, "critical_warning");
	assert_int_equal(json_read_i64(log, "temperature", &celsius, NULL), 0);
	page_put_u16(raw->temperature, 0, (uint16_t)(celsius + 273));
	raw->avail_spare = (uint8_t)smartctl_number(log, "available_spare");
	raw->spare_thresh = (uint8_t)smartctl_number(log, "available_spare_threshold");
	raw->percent_used = (uint8_t)smartctl_number(log, "percentage_used");
	page_put_u128(raw->data_units_read, 0, smartctl_number(log, "data_units_read"));
	page_put_u128(raw->data_units_written, 0, smartctl_number(log, "data_units_written"));
	page_put_u128(raw->host_reads, 0, smartctl_number(log, "host_reads"));
	page_put_u128(raw->host_writes, 0, smartctl_number(log, "host_writes"));
	page_put_u128(raw->ctrl_busy_time, 0, smartctl_number(log, "controller_busy_time"));
	page_put_u128(raw->power_cycles, 0, smartctl_number(log, "power_cycles"));
	page_put_u128(raw->power_on_hours, 0, smartctl_number(log, "power_on_hours"));
	page_put_u128(raw->unsafe_shutdowns, 0, smartctl_number(log, "unsafe_shutdowns"));
	page_put_u128(raw->media_errors, 0, smartctl_number(log, "media_errors"));
	page_put_u128(raw->num_err_log_entries, 0, smartctl_number(log, "num_err_log_entries"));
	raw->warning_temp_time = htole32((uint32_t)smartctl_number(log, "warning_temp_time"));
	raw->critical_comp_time = htole32((uint32_t)smartctl_number(log, "critical_comp_time"));
	for (size_t i = 0; sensors != NULL && i < json_length(sensors); i++) {
		uint64_t sensor;

		assert_int_equal(json_at_u64(sensors, i, &sensor, NULL), 0);
		raw->temp_sensor[i] = htole16((uint16_t)(sensor + 273));
	}
}

#endif
