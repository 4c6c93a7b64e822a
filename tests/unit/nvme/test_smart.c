/* SMART decoder, with the structure of libnvme's types.h as judge of places. */
#include "fixture.h"

#include <endian.h>
#include <errno.h>
#include <nvme/types.h>

#include "nvme/smart.h"

static u128 distinct(unsigned n)
{
	return ((u128)(0x1000 + n) << 64) | (UINT64_C(0xab00000000000000) + n);
}

static void fill_smart(struct nvme_smart_log *log)
{
	memset(log, 0, sizeof(*log));
	log->critical_warning = 0x21;
	page_put_u16(log->temperature, 0, 330);
	log->avail_spare = 97;
	log->spare_thresh = 11;
	log->percent_used = 42;
	log->endu_grp_crit_warn_sumry = 5;
	page_put_u128(log->data_units_read, 0, distinct(1));
	page_put_u128(log->data_units_written, 0, distinct(2));
	page_put_u128(log->host_reads, 0, distinct(3));
	page_put_u128(log->host_writes, 0, distinct(4));
	page_put_u128(log->ctrl_busy_time, 0, distinct(5));
	page_put_u128(log->power_cycles, 0, distinct(6));
	page_put_u128(log->power_on_hours, 0, distinct(7));
	page_put_u128(log->unsafe_shutdowns, 0, distinct(8));
	page_put_u128(log->media_errors, 0, distinct(9));
	page_put_u128(log->num_err_log_entries, 0, distinct(10));
	log->warning_temp_time = htole32(0xf0000001);
	log->critical_comp_time = htole32(0xf0000002);
	for (unsigned i = 0; i < 8; i++)
		log->temp_sensor[i] = htole16((uint16_t)(300 + i));
	log->thm_temp1_trans_count = htole32(0xf0000003);
	log->thm_temp2_trans_count = htole32(0xf0000004);
	log->thm_temp1_total_time = htole32(0xf0000005);
	log->thm_temp2_total_time = htole32(0xf0000006);
}

static void all_fields(void **state)
{
	struct nvme_smart_log log;
	struct smart smart;
	const struct page page = {(const uint8_t *)&log, sizeof(log)};

	(void)state;
	fill_smart(&log);
	assert_int_equal(smart_decode(&page, &smart), 0);
	assert_false(smart_page_empty(&page));
	assert_int_equal(smart.critical_warning, 0x21);
	assert_int_equal(smart.temperature_c.value, 57);
	assert_int_equal(smart.available_spare.value, 97);
	assert_int_equal(smart.spare_threshold.value, 11);
	assert_int_equal(smart.percentage_used.value, 42);
	assert_int_equal(smart.endurance_group_warning, 5);
	assert_true(smart.data_units_read.value == distinct(1));
	assert_true(smart.data_units_written.value == distinct(2));
	assert_true(smart.host_reads.value == distinct(3));
	assert_true(smart.host_writes.value == distinct(4));
	assert_true(smart.controller_busy_minutes.value == distinct(5));
	assert_true(smart.power_cycles.value == distinct(6));
	assert_true(smart.power_on_hours.value == distinct(7));
	assert_true(smart.unsafe_shutdowns.value == distinct(8));
	assert_true(smart.media_errors.value == distinct(9));
	assert_true(smart.error_log_entries.value == distinct(10));
	assert_int_equal(smart.warning_temperature_minutes.value, 0xf0000001);
	assert_int_equal(smart.critical_temperature_minutes.value, 0xf0000002);
	for (unsigned i = 0; i < 8; i++) {
		assert_true(smart.sensors_c[i].reported);
		assert_int_equal(smart.sensors_c[i].value, 27 + i);
	}
	assert_int_equal(smart.thermal1_count.value, 0xf0000003);
	assert_int_equal(smart.thermal2_count.value, 0xf0000004);
	assert_int_equal(smart.thermal1_seconds.value, 0xf0000005);
	assert_int_equal(smart.thermal2_seconds.value, 0xf0000006);
	assert_false(smart.truncated);
}

/* Sensors that do not exist (0 K) are holes, not -273 C. */
static void sensors_absent(void **state)
{
	struct nvme_smart_log log;
	struct smart smart;
	const struct page page = {(const uint8_t *)&log, sizeof(log)};

	(void)state;
	fill_smart(&log);
	log.temp_sensor[0] = 0;
	log.temp_sensor[3] = htole16(0xffff);
	assert_int_equal(smart_decode(&page, &smart), 0);
	assert_false(smart.sensors_c[0].reported);
	assert_true(smart.sensors_c[1].reported);
	assert_false(smart.sensors_c[3].reported);
}

static void warning_words(void **state)
{
	static const char *const words[] = {"spare below threshold", "temperature",
		"reliability degraded", "read only", "volatile memory backup failed",
		"persistent memory region read-only"};
	char texts[8][48];

	(void)state;
	assert_int_equal(smart_warning_texts(0, texts, 8), 0);
	for (unsigned bit = 0; bit < 6; bit++) {
		assert_int_equal(smart_warning_texts((uint8_t)(1u << bit), texts, 8), 1);
		assert_string_equal(texts[0], words[bit]);
	}
	assert_int_equal(smart_warning_texts(0x40, texts, 8), 1);
	assert_string_equal(texts[0], "unknown 0x40");
	assert_int_equal(smart_warning_texts(0xc0, texts, 8), 1);
	assert_string_equal(texts[0], "unknown 0xc0");
	assert_int_equal(smart_warning_texts(0xff, texts, 8), 7);
	for (unsigned i = 0; i < 6; i++)
		assert_string_equal(texts[i], words[i]);
	assert_string_equal(texts[6], "unknown 0xc0");
	assert_int_equal(smart_warning_texts(0xff, texts, 3), 3);
}

static void units(void **state)
{
	const u128 max = (u128)-1;
	u128 bytes;

	(void)state;
	assert_true(smart_units_bytes(1, &bytes));
	assert_true(bytes == 512000);
	assert_true(smart_units_bytes(UINT64_MAX, &bytes));
	assert_true(bytes == (u128)UINT64_MAX * 512000);
	assert_true(bytes / 512000 == UINT64_MAX); /* did not wrap */
	assert_true(smart_units_bytes(max / 512000, &bytes));
	assert_true(max - bytes < 512000);
	assert_false(smart_units_bytes(max / 512000 + 1, &bytes));
	assert_false(smart_units_bytes(max, &bytes));
}

static void used_text(void **state)
{
	static const struct {
		struct field_int used;
		const char *text;
	} rows[] = {{{true, 0}, "0 %"}, {{true, 98}, "98 %"}, {{true, 200}, "200 %"},
		{{true, 254}, "254 %"}, {{true, 255}, ">=255 %"}, {{false, 0}, "-"}};
	char text[16];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		smart_used_text(&rows[i].used, text, sizeof(text));
		assert_string_equal(text, rows[i].text);
	}
}

/* Where each field ends in the specification: it must appear exactly when the page reaches there. */
static void check_reported(const struct smart *smart, size_t length)
{
	const struct {
		bool reported;
		size_t end;
	} rows[] = {
		{smart->temperature_c.reported, 3},
		{smart->available_spare.reported, 4},
		{smart->spare_threshold.reported, 5},
		{smart->percentage_used.reported, 6},
		{smart->data_units_read.reported, 48},
		{smart->data_units_written.reported, 64},
		{smart->host_reads.reported, 80},
		{smart->host_writes.reported, 96},
		{smart->controller_busy_minutes.reported, 112},
		{smart->power_cycles.reported, 128},
		{smart->power_on_hours.reported, 144},
		{smart->unsafe_shutdowns.reported, 160},
		{smart->media_errors.reported, 176},
		{smart->error_log_entries.reported, 192},
		{smart->warning_temperature_minutes.reported, 196},
		{smart->critical_temperature_minutes.reported, 200},
		{smart->sensors_c[0].reported, 202},
		{smart->sensors_c[7].reported, 216},
		{smart->thermal1_count.reported, 220},
		{smart->thermal2_count.reported, 224},
		{smart->thermal1_seconds.reported, 228},
		{smart->thermal2_seconds.reported, 232},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(rows[i].reported, length >= rows[i].end);
}

static void every_length(void **state)
{
	struct nvme_smart_log log;
	struct smart smart;

	(void)state;
	fill_smart(&log);
	for (size_t length = 0; length <= sizeof(log); length++) {
		uint8_t *exact = fixture_exact((const uint8_t *)&log, length);
		const struct page page = {exact, length};

		const int rc = smart_decode(&page, &smart);
		assert_int_equal(rc, length < 6 ? -EINVAL : 0);
		if (rc == 0) {
			check_reported(&smart, length);
			assert_int_equal(smart.truncated, length < 232);
		}
		smart_page_empty(&page);
		free(exact);
	}
}

static void every_length_filled(void **state)
{
	uint8_t fill[512];
	uint32_t seed = 7;
	struct smart smart;

	(void)state;
	for (int kind = 0; kind < 3; kind++) {
		for (size_t i = 0; i < sizeof(fill); i++) {
			seed = seed * 1664525 + 1013904223;
			fill[i] = kind == 0 ? 0 : kind == 1 ? 0xff : (uint8_t)(seed >> 24);
		}
		for (size_t length = 0; length <= sizeof(fill); length++) {
			uint8_t *exact = fixture_exact(fill, length);
			const struct page page = {exact, length};

			if (kind == 0)
				assert_true(smart_page_empty(&page));
			else if (length > 0)
				assert_false(smart_page_empty(&page));
			if (smart_decode(&page, &smart) == 0) {
				if (kind < 2)
					assert_false(smart.temperature_c.reported);
				assert_int_equal(smart.host_reads.reported, length >= 80);
				assert_int_equal(smart.thermal2_seconds.reported, length >= 232);
			}
			free(exact);
		}
	}
}

/* Any one field that is set makes the page a real one; reserved bytes do not. */
static void empty_page(void **state)
{
	uint8_t raw[512];
	const struct page page = {raw, sizeof(raw)};

	(void)state;
	for (size_t i = 0; i < sizeof(raw); i++) {
		memset(raw, 0, sizeof(raw));
		raw[i] = 1;
		assert_int_equal(smart_page_empty(&page), i >= 232);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_fields),
		cmocka_unit_test(sensors_absent),
		cmocka_unit_test(warning_words),
		cmocka_unit_test(units),
		cmocka_unit_test(used_text),
		cmocka_unit_test(every_length),
		cmocka_unit_test(every_length_filled),
		cmocka_unit_test(empty_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
