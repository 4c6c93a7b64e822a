/* SMART of real drives as smartctl printed it: raw pages are built from those figures at the
 * places of libnvme's structure, decoded, and every figure compared again. */
#include "smartctl.h"

#include <dirent.h>

#include "base/str.h"
#include "nvme/identify.h"
#include "nvme/smart.h"

static void same_int(const struct json *log, const char *key, const struct field_int *field)
{
	int64_t expected;

	assert_true(field->reported);
	if (json_read_i64(log, key, &expected, NULL) == 0)
		assert_true(field->value == expected);
}

static void same_u128(const struct json *log, const char *key, const struct field_u128 *field)
{
	u128 expected;

	assert_true(field->reported);
	assert_int_equal(json_read_u128(log, key, &expected, NULL), 0);
	assert_true(field->value == expected);
}

static void compare_smart(const struct json *log, const struct smart *smart)
{
	const struct json *sensors = json_get(log, "temperature_sensors");
	const size_t count = sensors != NULL ? json_length(sensors) : 0;

	assert_int_equal(smart->critical_warning, smartctl_number(log, "critical_warning"));
	same_int(log, "temperature", &smart->temperature_c);
	same_int(log, "available_spare", &smart->available_spare);
	same_int(log, "available_spare_threshold", &smart->spare_threshold);
	same_int(log, "percentage_used", &smart->percentage_used);
	same_u128(log, "data_units_read", &smart->data_units_read);
	same_u128(log, "data_units_written", &smart->data_units_written);
	same_u128(log, "host_reads", &smart->host_reads);
	same_u128(log, "host_writes", &smart->host_writes);
	same_u128(log, "controller_busy_time", &smart->controller_busy_minutes);
	same_u128(log, "power_cycles", &smart->power_cycles);
	same_u128(log, "power_on_hours", &smart->power_on_hours);
	same_u128(log, "unsafe_shutdowns", &smart->unsafe_shutdowns);
	same_u128(log, "media_errors", &smart->media_errors);
	same_u128(log, "num_err_log_entries", &smart->error_log_entries);
	same_int(log, "warning_temp_time", &smart->warning_temperature_minutes);
	same_int(log, "critical_comp_time", &smart->critical_temperature_minutes);
	for (size_t i = 0; i < SMART_SENSORS; i++) {
		uint64_t expected;

		assert_int_equal(smart->sensors_c[i].reported, i < count);
		if (i >= count)
			continue;
		assert_int_equal(json_at_u64(sensors, i, &expected, NULL), 0);
		assert_int_equal(smart->sensors_c[i].value, expected);
	}
}

/* smartctl names the warning bits by flags of its own. */
static void compare_warnings(const struct json *drive, const struct smart *smart)
{
	static const struct {
		const char *key, *text;
	} names[] = {
		{"spare_below_threshold", "spare below threshold"},
		{"temperature_above_or_below_threshold", "temperature"},
		{"reliability_degraded", "reliability degraded"},
		{"media_read_only", "read only"},
		{"volatile_memory_backup_failed", "volatile memory backup failed"},
		{"persistent_memory_region_unreliable", "persistent memory region read-only"},
	};
	const struct json *status = json_get(json_get(drive, "smart_status"), "nvme");
	char texts[8][48];

	const size_t count = smart_warning_texts(smart->critical_warning, texts, 8);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		bool flag = false, found = false;

		json_read_bool(status, names[i].key, &flag, NULL);
		for (size_t t = 0; t < count; t++)
			found = found || strcmp(texts[t], names[i].text) == 0;
		assert_int_equal(flag, found);
	}
}

static void compare_identify(const struct json *drive)
{
	struct nvme_id_ctrl raw;
	struct identify_controller id;
	const struct page page = {(const uint8_t *)&raw, sizeof(raw)};
	const struct json *vendor = json_get(drive, "nvme_pci_vendor");
	const struct json *version = json_get(drive, "nvme_version");
	const char *model, *serial, *firmware, *words;
	char text[32];
	u128 capacity;

	memset(&raw, 0, sizeof(raw));
	memset(raw.sn, ' ', sizeof(raw.sn));
	memset(raw.mn, ' ', sizeof(raw.mn));
	memset(raw.fr, ' ', sizeof(raw.fr));
	assert_int_equal(json_read_string(drive, "model_name", &model, NULL), 0);
	assert_int_equal(json_read_string(drive, "serial_number", &serial, NULL), 0);
	assert_int_equal(json_read_string(drive, "firmware_version", &firmware, NULL), 0);
	memcpy(raw.mn, model, strlen(model));
	memcpy(raw.sn, serial, strlen(serial));
	memcpy(raw.fr, firmware, strlen(firmware));
	raw.vid = htole16((uint16_t)smartctl_number(vendor, "id"));
	raw.ssvid = htole16((uint16_t)smartctl_number(vendor, "subsystem_id"));
	const uint32_t oui = (uint32_t)smartctl_number(drive, "nvme_ieee_oui_identifier");
	raw.ieee[0] = (uint8_t)oui;
	raw.ieee[1] = (uint8_t)(oui >> 8);
	raw.ieee[2] = (uint8_t)(oui >> 16);
	raw.cntlid = htole16((uint16_t)smartctl_number(drive, "nvme_controller_id"));
	raw.ver = htole32((uint32_t)smartctl_number(version, "value"));
	page_put_u128(raw.tnvmcap, 0, smartctl_number(drive, "nvme_total_capacity"));
	page_put_u128(raw.unvmcap, 0, smartctl_number(drive, "nvme_unallocated_capacity"));
	raw.nn = htole32((uint32_t)smartctl_number(drive, "nvme_number_of_namespaces"));
	raw.wctemp = 0;
	assert_int_equal(identify_controller_decode(&page, &id), 0);
	assert_string_equal(id.model, model);
	assert_string_equal(id.serial, serial);
	assert_string_equal(id.firmware, firmware);
	assert_int_equal(id.vendor_id, smartctl_number(vendor, "id"));
	assert_int_equal(id.subsystem_vendor_id, smartctl_number(vendor, "subsystem_id"));
	assert_int_equal(id.ieee_oui, oui);
	assert_int_equal(id.controller_id, smartctl_number(drive, "nvme_controller_id"));
	assert_int_equal(id.namespace_count, smartctl_number(drive, "nvme_number_of_namespaces"));
	identify_version_text(id.version, text, sizeof(text));
	assert_int_equal(json_read_string(version, "string", &words, NULL), 0);
	assert_string_equal(text, strcmp(words, "<1.2") == 0 ? "before 1.2" : words);
	assert_int_equal(
		id.total_capacity.reported, json_get(drive, "nvme_total_capacity") != NULL);
	if (json_read_u128(drive, "nvme_total_capacity", &capacity, NULL) == 0)
		assert_true(id.total_capacity.value == capacity);
	if (json_read_u128(drive, "nvme_unallocated_capacity", &capacity, NULL) == 0)
		assert_true(id.unallocated_capacity.value == capacity);
}

static void compare_namespaces(const struct json *drive)
{
	const struct json *list = json_get(drive, "nvme_namespaces");

	for (size_t i = 0; list != NULL && i < json_length(list); i++) {
		const struct json *row = json_at(list, i);
		struct nvme_id_ns raw;
		struct identify_namespace ns;
		const struct page page = {(const uint8_t *)&raw, sizeof(raw)};
		const uint64_t lba = smartctl_number(row, "formatted_lba_size");
		u128 bytes;

		memset(&raw, 0, sizeof(raw));
		raw.nsze = htole64(smartctl_number(json_get(row, "size"), "blocks"));
		raw.ncap = htole64(smartctl_number(json_get(row, "capacity"), "blocks"));
		raw.nuse = htole64(smartctl_number(json_get(row, "utilization"), "blocks"));
		raw.lbaf[0].ds = (uint8_t)__builtin_ctzll(lba);
		assert_int_equal(identify_namespace_decode(&page, &ns), 0);
		assert_int_equal(ns.lba_bytes, lba);
		assert_true(identify_namespace_bytes(&ns, ns.size_blocks, &bytes));
		assert_true(bytes == smartctl_number(json_get(row, "size"), "bytes"));
		assert_true(identify_namespace_bytes(&ns, ns.capacity_blocks, &bytes));
		assert_true(bytes == smartctl_number(json_get(row, "capacity"), "bytes"));
		assert_true(identify_namespace_bytes(&ns, ns.used_blocks, &bytes));
		assert_true(bytes == smartctl_number(json_get(row, "utilization"), "bytes"));
	}
}

/* Each key of the log that smartctl printed is one that compare_smart looks at. */
static void no_other_keys(const struct json *log)
{
	static const char *const known[] = {"available_spare", "available_spare_threshold",
		"controller_busy_time", "critical_comp_time", "critical_warning", "data_units_read",
		"data_units_written", "host_reads", "host_writes", "media_errors",
		"num_err_log_entries", "percentage_used", "power_cycles", "power_on_hours",
		"temperature", "temperature_sensors", "unsafe_shutdowns", "warning_temp_time"};

	for (size_t i = 0; i < json_key_count(log); i++) {
		bool found = false;

		for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
			found = found || strcmp(known[k], json_key(log, i)) == 0;
		if (!found)
			fail_msg("nothing compares %s", json_key(log, i));
	}
}

static void drives(void **state)
{
	char folder[512], path[1024];
	size_t count = 0;

	(void)state;
	fixture_need("smart-json");
	fixture_path(folder, sizeof(folder), "smart-json");
	DIR *dir = opendir(folder);
	assert_non_null(dir);
	for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
		struct nvme_smart_log raw;
		struct smart smart;
		const struct page page = {(const uint8_t *)&raw, sizeof(raw)};

		if (!str_ends_with(entry->d_name, ".json"))
			continue;
		print_message("# %s\n", entry->d_name);
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		struct json *drive = smartctl_load(path);
		const struct json *log = json_get(drive, SMARTCTL_LOG);
		assert_non_null(log);
		no_other_keys(log);
		smartctl_build(log, &raw);
		assert_int_equal(smart_decode(&page, &smart), 0);
		compare_smart(log, &smart);
		compare_warnings(drive, &smart);
		compare_identify(drive);
		compare_namespaces(drive);
		json_free(drive);
		count++;
	}
	closedir(dir);
	assert_true(count >= 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(drives)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
