/* The JSON documents of drives, parsed back and compared with what was put in. */
#include "fleet.h"

#include <errno.h>

#include "base/json.h"
#include "report/drive_json.h"

/* Prints and parses again: what scripts see. */
static struct json *again(struct json *document)
{
	char *text = json_text(document, true);
	struct err err = {0};
	struct json *parsed;

	for (const char *at = text; *at != '\0'; at++)
		if (*at != '\n' && (*at < 0x20 || *at > 0x7e) && (*at & 0x80) == 0)
			fail_msg("byte 0x%02x in JSON", *at);
	if (json_parse("document", text, strlen(text), &parsed, &err) != 0)
		fail_msg("%s", err.text);
	json_free(document);
	free(text);
	return parsed;
}

static const char *text_of(const struct json *object, const char *key)
{
	const char *text;

	if (json_read_string(object, key, &text, NULL) != 0)
		fail_msg("%s is no text", key);
	return text;
}

static uint64_t number_of(const struct json *object, const char *key)
{
	uint64_t value;

	if (json_read_u64(object, key, &value, NULL) != 0)
		fail_msg("%s is no number", key);
	return value;
}

static bool has_null(const struct json *object, const char *key)
{
	for (size_t i = 0; i < json_key_count(object); i++)
		if (strcmp(json_key(object, i), key) == 0)
			return json_get(object, key) == NULL;
	fail_msg("%s is missing", key);
	return false;
}

static const char *error_of(const struct json *object, const char *key)
{
	const struct json *child = json_get(object, key);

	assert_non_null(child);
	return text_of(child, "error");
}

static void check_head(const struct json *document, const char *schema)
{
	assert_string_equal(json_key(document, 0), "schema");
	assert_string_equal(json_key(document, 1), "generator");
	assert_string_equal(text_of(document, "schema"), schema);
	assert_string_equal(text_of(document, "generator"), "nvsweep " NVSWEEP_VERSION);
}

static void list(void **state)
{
	struct fleet *f = *state;
	struct json *document = again(drive_json_list(&f->inventory));
	const struct json *controllers = json_get(document, "controllers");
	const struct json *namespaces = json_get(document, "namespaces");
	const struct json *devices = json_get(document, "block_devices");
	uint64_t nsid;

	check_head(document, "nvsweep-list/1");
	assert_int_equal(json_length(controllers), FLEET_CONTROLLERS);
	const struct json *good = json_at(controllers, FLEET_GOOD);
	assert_string_equal(text_of(good, "name"), "nvme0");
	assert_string_equal(text_of(good, "model"), "FAKE DC 7680");
	assert_string_equal(text_of(good, "serial"), "FAKE0000");
	assert_string_equal(text_of(good, "transport"), "pcie");
	assert_int_equal(number_of(good, "queue_entries"), 1024);
	assert_true(has_null(good, "numa_node"));
	assert_string_equal(text_of(json_get(good, "health"), "verdict"), "good");
	assert_int_equal(json_at_u64(json_get(good, "nsids"), 1, &nsid, NULL), 0);
	assert_int_equal(nsid, 5);
	const struct json *worn = json_get(json_at(controllers, FLEET_WORN), "health");
	assert_string_equal(text_of(worn, "verdict"), "warning");
	assert_int_equal(json_length(json_get(worn, "reasons")), 4);
	const struct json *locked = json_at(controllers, FLEET_LOCKED);
	assert_string_equal(error_of(locked, "nsids"), "needs root");
	assert_true(has_null(locked, "serial"));

	assert_int_equal(json_length(namespaces), FLEET_NAMESPACES);
	const struct json *first = json_at(namespaces, 0);
	assert_string_equal(text_of(first, "controller"), "nvme0");
	assert_string_equal(text_of(first, "generic"), "ng0n1");
	assert_true(number_of(first, "size_bytes") == FLEET_SIZE);
	assert_true(number_of(first, "used_bytes") == FLEET_SIZE / 4);
	assert_int_equal(number_of(first, "lba_bytes"), 512);
	/* (2^64 - 1) x 512: said, neither wrapped nor negative */
	assert_string_equal(error_of(json_at(namespaces, 1), "size_bytes"),
		"too large: 9444732965739290426880 bytes");
	assert_int_equal(number_of(json_at(namespaces, 2), "metadata_bytes"), 8);
	const struct json *head = json_at(namespaces, 3);
	assert_true(has_null(head, "controller"));
	assert_string_equal(text_of(head, "subsystem"), "nvme-subsys4");
	const struct json *paths = json_get(head, "paths");
	assert_int_equal(json_length(paths), 2);
	assert_string_equal(text_of(json_at(paths, 0), "controller"), "nvme4");
	assert_string_equal(text_of(json_at(paths, 0), "name"), "nvme4c4n1");
	assert_string_equal(text_of(json_at(paths, 0), "state"), "live");
	assert_string_equal(text_of(json_at(paths, 1), "ana_state"), "inaccessible");
	assert_string_equal(text_of(json_at(paths, 1), "state"), "connecting");
	assert_true(has_null(json_at(namespaces, 4), "used_bytes"));

	assert_int_equal(json_length(devices), 2);
	assert_string_equal(
		text_of(json_at(devices, 0), "remark"), "USB bridge - NVMe commands not available");
	assert_true(has_null(json_at(devices, 0), "loop_file"));
	assert_string_equal(
		text_of(json_at(devices, 1), "loop_file"), "/srv/im\xc3\xa4ge?[31m.img");
	json_free(document);
}

static void show_identify(void **state)
{
	struct fleet *f = *state;
	struct json *document;
	char version[16];
	double watts;

	assert_int_equal(drive_json_show(&f->inventory, "/dev/nvme0", NULL, &document, NULL), 0);
	document = again(document);
	check_head(document, "nvsweep-show/1");
	const struct json *id = json_get(document, "identify");
	assert_non_null(id);
	/* every field of the table, from the raw bytes */
	const struct page page = {f->controllers[0].identify_raw, 4096};
	for (size_t i = 0; i < identify_controller_field_count; i++) {
		const struct identify_field *field = &identify_controller_fields[i];
		u128 expected, value;

		if (field->kind == IDENTIFY_HEX) {
			assert_int_equal(strlen(text_of(id, field->key)), 2 * field->size);
			continue;
		}
		assert_true(identify_field_number(&page, field, &expected));
		assert_int_equal(json_read_u128(id, field->key, &value, NULL), 0);
		assert_true(value == expected);
	}
	assert_string_equal(text_of(id, "sn"), "FAKE0000");
	assert_string_equal(text_of(id, "mn"), "FAKE DC 7680");
	assert_string_equal(text_of(id, "fr"), "1.2.3");
	assert_string_equal(text_of(id, "subnqn"), "nqn.2014-08.com.example:nvme:fake");
	assert_int_equal(number_of(id, "ieee"), 0x2538);
	assert_int_equal(number_of(id, "cntlid"), 7);
	assert_int_equal(number_of(id, "wctemp"), 343);
	assert_int_equal(number_of(id, "warning_temperature_c"), 70);
	assert_int_equal(number_of(id, "critical_temperature_c"), 80);
	assert_string_equal(text_of(id, "tnvmcap"), "7681501126656");
	assert_string_equal(text_of(id, "total_capacity_bytes"), "7681501126656");
	str_copy(version, sizeof(version), text_of(id, "version"));
	assert_string_equal(version, "1.4");
	const struct json *power = json_get(id, "power_states");
	assert_int_equal(json_length(power), 2);
	assert_int_equal(json_read_double(json_at(power, 1), "max_power_w", &watts, NULL), 0);
	assert_true(watts == 12.57);
	assert_int_equal(number_of(json_at(power, 1), "exit_latency_us"), 90);
	assert_true(has_null(json_at(power, 0), "exit_latency_us"));
	assert_true(has_null(json_at(power, 0), "idle_power_w"));
	json_free(document);
}

/* 300 of 4096 bytes: what lies beyond is null, what lies before is there. */
static void show_truncated(void **state)
{
	struct fleet *f = *state;
	struct json *document;

	assert_int_equal(drive_json_show(&f->inventory, "nvme2", "identify", &document, NULL), 0);
	document = again(document);
	const struct json *id = json_get(document, "identify");
	for (size_t i = 0; i < identify_controller_field_count; i++) {
		const struct identify_field *field = &identify_controller_fields[i];

		assert_int_equal(has_null(id, field->key), field->offset + field->size > 300);
	}
	assert_true(has_null(id, "subnqn"));
	assert_true(has_null(id, "max_power_w"));
	assert_int_equal(json_length(json_get(id, "power_states")), 0);
	assert_string_equal(text_of(id, "sn"), "?[2J?[31mEVIL");
	assert_string_equal(text_of(id, "mn"), "A?B?C?D?E?31m?\"%s%n");
	/* one page was asked for */
	assert_null(json_get(document, "smart"));
	assert_null(json_get(document, "namespaces"));
	json_free(document);
}

static void show_smart(void **state)
{
	struct fleet *f = *state;
	struct json *document;
	int64_t cold;

	assert_int_equal(drive_json_show(&f->inventory, "nvme0", NULL, &document, NULL), 0);
	document = again(document);
	const struct json *smart = json_get(document, "smart");
	assert_int_equal(number_of(smart, "temperature_c"), 41);
	assert_int_equal(number_of(smart, "available_spare_pct"), 100);
	assert_int_equal(number_of(smart, "available_spare_threshold_pct"), 10);
	assert_int_equal(number_of(smart, "percentage_used_pct"), 3);
	assert_true(has_null(smart, "data_units_read")); /* 0: not reported */
	assert_true(has_null(smart, "data_read_bytes"));
	assert_string_equal(text_of(smart, "data_units_written"), "32381395004");
	assert_string_equal(text_of(smart, "data_written_bytes"), "16579274242048000");
	assert_string_equal(
		text_of(smart, "host_reads"), "340282366920938463463374607431768211455");
	assert_string_equal(text_of(smart, "power_on_hours"), "31204");
	assert_string_equal(text_of(smart, "num_err_log_entries"), "211");
	assert_int_equal(number_of(smart, "thm_temp1_trans_count"), 14);
	assert_int_equal(number_of(smart, "thm_temp1_total_time_s"), 82);
	assert_string_equal(text_of(smart, "read_at"), "2025-11-30T14:04:02Z");
	const struct json *sensors = json_get(smart, "temperature_sensors_c");
	assert_int_equal(json_length(sensors), 3);
	assert_null(json_at(sensors, 1)); /* the third stays the third */
	double celsius;
	assert_int_equal(json_at_double(sensors, 2, &celsius, NULL), 0);
	cold = (int64_t)celsius;
	assert_int_equal(cold, -13);
	json_free(document);
}

/* Old content is kept, with the reason why there is none newer; refused pages say so. */
static void show_unread(void **state)
{
	struct fleet *f = *state;
	struct json *document;

	assert_int_equal(drive_json_show(&f->inventory, "nvme1", NULL, &document, NULL), 0);
	document = again(document);
	const struct json *smart = json_get(document, "smart");
	assert_int_equal(number_of(smart, "percentage_used_pct"), 98);
	assert_string_equal(text_of(smart, "last_error"), "no answer for 12 s");
	json_free(document);
	assert_int_equal(drive_json_show(&f->inventory, "nvme2", NULL, &document, NULL), 0);
	document = again(document);
	assert_string_equal(error_of(document, "smart"), "Invalid Log Page (0x4109)");
	json_free(document);
	assert_int_equal(drive_json_show(&f->inventory, "nvme3", NULL, &document, NULL), 0);
	document = again(document);
	assert_string_equal(error_of(document, "smart"), "needs root");
	assert_string_equal(error_of(document, "identify"), "needs root");
	const struct json *ns = json_at(json_get(document, "namespaces"), 0);
	assert_string_equal(error_of(ns, "identify"), "needs root");
	json_free(document);
}

static void show_namespace(void **state)
{
	struct fleet *f = *state;
	struct json *document;

	assert_int_equal(drive_json_show(&f->inventory, "ng0n5", NULL, &document, NULL), 0);
	document = again(document);
	assert_string_equal(text_of(json_get(document, "controller"), "name"), "nvme0");
	const struct json *list_of = json_get(document, "namespaces");
	assert_int_equal(json_length(list_of), 1);
	const struct json *id = json_get(json_at(list_of, 0), "identify");
	assert_true(number_of(id, "nsze") == UINT64_MAX);
	assert_int_equal(number_of(id, "nuse"), 1);
	assert_int_equal(number_of(id, "used_bytes"), 512);
	assert_int_equal(number_of(id, "lba_bytes"), 512);
	assert_string_equal(text_of(id, "nvmcap"), "0");
	const struct json *format = json_at(json_get(id, "lba_formats"), 0);
	assert_int_equal(number_of(format, "lbads"), 9);
	for (size_t i = 0; i < identify_namespace_field_count; i++)
		assert_false(has_null(id, identify_namespace_fields[i].key));
	json_free(document);
	/* a head: the controller of its first path */
	assert_int_equal(drive_json_show(&f->inventory, "nvme4n1", NULL, &document, NULL), 0);
	document = again(document);
	assert_string_equal(text_of(json_get(document, "controller"), "name"), "nvme4");
	json_free(document);
}

static void health(void **state)
{
	struct fleet *f = *state;
	const char *const some[] = {"nvme0", "nvme3"};
	enum health_verdict worst;
	struct json *document;

	assert_int_equal(drive_json_health(&f->inventory, NULL, 0, &document, &worst, NULL), 0);
	document = again(document);
	check_head(document, "nvsweep-health/1");
	assert_int_equal(worst, HEALTH_WARNING);
	const struct json *drives = json_get(document, "drives");
	assert_int_equal(json_length(drives), FLEET_CONTROLLERS);
	assert_string_equal(text_of(json_at(drives, FLEET_WORN), "verdict"), "warning");
	assert_string_equal(text_of(json_at(drives, FLEET_LOCKED), "verdict"), "unknown");
	const struct json *reason = json_at(json_get(json_at(drives, FLEET_LOCKED), "reasons"), 0);
	assert_string_equal(text_of(reason, "severity"), "unknown");
	assert_non_null(strstr(text_of(reason, "text"), "needs root"));
	json_free(document);
	assert_int_equal(drive_json_health(&f->inventory, some, 1, &document, &worst, NULL), 0);
	json_free(document);
	assert_int_equal(worst, HEALTH_GOOD);
	assert_int_equal(drive_json_health(&f->inventory, some, 2, &document, &worst, NULL), 0);
	json_free(document);
	assert_int_equal(worst, HEALTH_UNKNOWN);
	f->inventory.controller_count = 0;
	assert_int_equal(drive_json_health(&f->inventory, NULL, 0, &document, &worst, NULL), 0);
	assert_int_equal(json_length(json_get(document, "drives")), 0);
	json_free(document);
	assert_int_equal(worst, HEALTH_UNKNOWN);
}

static void wrong_names(void **state)
{
	struct fleet *f = *state;
	const char *const names[] = {"nvme0", "nvme7"};
	struct json *document = NULL;
	struct err err = {0};

	assert_int_equal(drive_json_show(&f->inventory, "nvme0n2", NULL, &document, &err), -ENODEV);
	assert_null(document);
	assert_int_equal(err.exit, ERR_EXIT_USAGE);
	assert_non_null(strstr(err.text, "nvme0n"));
	assert_int_equal(drive_json_show(&f->inventory, "\x1b[2J", NULL, &document, &err), -ENODEV);
	assert_null(strchr(err.text, '\x1b'));
	assert_int_equal(drive_json_show(&f->inventory, "", NULL, &document, &err), -ENODEV);
	assert_int_equal(
		drive_json_show(&f->inventory, "nvme0", "samrt", &document, &err), -EINVAL);
	assert_int_equal(err.exit, ERR_EXIT_USAGE);
	assert_non_null(strstr(err.text, "did you mean smart"));
	assert_int_equal(
		drive_json_health(&f->inventory, names, 2, &document, NULL, &err), -ENODEV);
	assert_null(document);
	/* a serial is a name, too */
	assert_int_equal(drive_json_show(&f->inventory, "FAKE0001", NULL, &document, &err), 0);
	assert_string_equal(text_of(json_get(document, "controller"), "name"), "nvme1");
	json_free(document);
	f->inventory.controller_count = f->inventory.namespace_count = 0;
	str_copy(f->inventory.notice, sizeof(f->inventory.notice), "no NVMe devices found");
	assert_int_equal(drive_json_show(&f->inventory, "nvme0", NULL, &document, &err), -ENODEV);
	assert_non_null(strstr(err.text, "no NVMe devices found"));
}

static void nothing(void **state)
{
	const struct inventory empty = {0};
	struct json *document = again(drive_json_list(&empty));

	(void)state;
	check_head(document, "nvsweep-list/1");
	assert_int_equal(json_length(json_get(document, "controllers")), 0);
	assert_int_equal(json_length(json_get(document, "namespaces")), 0);
	assert_int_equal(json_length(json_get(document, "block_devices")), 0);
	json_free(document);
}

static int setup(void **state)
{
	struct fleet *f = calloc(1, sizeof(*f));

	fleet_make(f);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

#define with_fleet(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_fleet(list),
		with_fleet(show_identify),
		with_fleet(show_truncated),
		with_fleet(show_smart),
		with_fleet(show_unread),
		with_fleet(show_namespace),
		with_fleet(health),
		with_fleet(wrong_names),
		cmocka_unit_test(nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
