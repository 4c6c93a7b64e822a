/* What `show` prints of the SMART pages of real drives is what smartctl printed of them. */
#include "../nvme/smartctl.h"

#include <dirent.h>

#include "base/str.h"
#include "nvme/smart.h"
#include "report/page_json.h"

/* smartctl's key names plus units. */
static const struct {
	const char *theirs, *ours;
} keys[] = {
	{"critical_warning", "critical_warning"},
	{"temperature", "temperature_c"},
	{"available_spare", "available_spare_pct"},
	{"available_spare_threshold", "available_spare_threshold_pct"},
	{"percentage_used", "percentage_used_pct"},
	{"data_units_read", "data_units_read"},
	{"data_units_written", "data_units_written"},
	{"host_reads", "host_reads"},
	{"host_writes", "host_writes"},
	{"controller_busy_time", "controller_busy_time_min"},
	{"power_cycles", "power_cycles"},
	{"power_on_hours", "power_on_hours"},
	{"unsafe_shutdowns", "unsafe_shutdowns"},
	{"media_errors", "media_errors"},
	{"num_err_log_entries", "num_err_log_entries"},
	{"warning_temp_time", "warning_temp_time_min"},
	{"critical_comp_time", "critical_comp_time_min"},
};

static void compare_sensors(const struct json *theirs, const struct json *ours)
{
	const size_t count = theirs != NULL ? json_length(theirs) : 0;

	assert_int_equal(json_length(ours), count);
	for (size_t i = 0; i < count; i++) {
		uint64_t a, b;

		assert_int_equal(json_at_u64(theirs, i, &a, NULL), 0);
		assert_int_equal(json_at_u64(ours, i, &b, NULL), 0);
		assert_int_equal(a, b);
	}
}

static void compare(const struct json *log, const struct json *printed)
{
	for (size_t i = 0; i < json_key_count(log); i++) {
		const char *theirs = json_key(log, i), *ours = NULL;
		u128 expected, value;

		if (strcmp(theirs, "temperature_sensors") == 0)
			continue;
		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
			if (strcmp(keys[k].theirs, theirs) == 0)
				ours = keys[k].ours;
		if (ours == NULL)
			fail_msg("nothing is printed for %s", theirs);
		assert_int_equal(json_read_u128(log, theirs, &expected, NULL), 0);
		assert_int_equal(json_read_u128(printed, ours, &value, NULL), 0);
		assert_true(value == expected);
	}
	compare_sensors(
		json_get(log, "temperature_sensors"), json_get(printed, "temperature_sensors_c"));
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
		struct json *parsed;
		const struct page page = {(const uint8_t *)&raw, sizeof(raw)};

		if (!str_ends_with(entry->d_name, ".json"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		struct json *drive = smartctl_load(path);
		const struct json *log = json_get(drive, SMARTCTL_LOG);
		smartctl_build(log, &raw);
		assert_int_equal(smart_decode(&page, &smart), 0);
		struct json *printed = page_json_smart(&smart);
		char *text = json_text(printed, true);
		assert_int_equal(json_parse("printed", text, strlen(text), &parsed, NULL), 0);
		compare(log, parsed);
		json_free(parsed);
		json_free(printed);
		json_free(drive);
		free(text);
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
