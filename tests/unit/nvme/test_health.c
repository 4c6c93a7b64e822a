/* Health verdicts: what must be called critical, what only a warning, and what says nothing. */
#include "fixture.h"

#include <math.h>

#include "base/str.h"
#include "nvme/health.h"

static struct smart fine(void)
{
	struct smart smart = {0};

	smart.temperature_c = (struct field_int){true, 41};
	smart.available_spare = (struct field_int){true, 100};
	smart.spare_threshold = (struct field_int){true, 10};
	smart.percentage_used = (struct field_int){true, 3};
	smart.media_errors = (struct field_u128){true, 0};
	smart.error_log_entries = (struct field_u128){true, 0};
	smart.unsafe_shutdowns = (struct field_u128){true, 0};
	return smart;
}

/* The reason whose text holds `word`, or NULL. */
static const struct health_reason *reason(const struct health *health, const char *word)
{
	for (size_t i = 0; i < health->reason_count; i++)
		if (strstr(health->reasons[i].text, word) != NULL)
			return &health->reasons[i];
	return NULL;
}

static void judge(const struct smart *smart, struct health *health)
{
	health_judge(smart, NULL, NULL, "live", NULL, health);
	for (size_t i = 0; i < health->reason_count; i++) {
		/* wear and warnings are no proof of failure: never say so */
		assert_null(str_find_nocase(health->reasons[i].text, "drive failed"));
		assert_null(str_find_nocase(health->reasons[i].text, "FAILED!"));
		/* sentences go to terminals without UTF-8 and into JSON */
		for (const char *at = health->reasons[i].text; *at != '\0'; at++)
			assert_true(*at >= 0x20 && *at <= 0x7e);
		if (i > 0)
			assert_true(health_worst(health->reasons[i - 1].severity,
					    health->reasons[i].severity) ==
				health->reasons[i - 1].severity);
	}
}

static void good(void **state)
{
	struct smart smart = fine();
	struct health health;

	(void)state;
	judge(&smart, &health);
	assert_int_equal(health.verdict, HEALTH_GOOD);
	assert_int_equal(health.reason_count, 0);
}

/* Monitoring itself adds error-log entries; pulled plugs are no fault of the drive. */
static void counters_that_say_nothing(void **state)
{
	struct smart smart = fine();
	struct health health;

	(void)state;
	smart.error_log_entries.value = 1000000;
	smart.unsafe_shutdowns.value = 500;
	smart.warning_temperature_minutes = (struct field_int){true, UINT32_MAX};
	smart.thermal1_count = (struct field_int){true, UINT32_MAX};
	judge(&smart, &health);
	assert_int_equal(health.verdict, HEALTH_GOOD);
	assert_int_equal(health.reason_count, 0);
}

static void wear(void **state)
{
	static const struct {
		int used;
		enum health_verdict verdict;
		const char *text;
	} rows[] = {
		{0, HEALTH_GOOD, NULL},
		{89, HEALTH_GOOD, NULL},
		{90, HEALTH_WARNING, "90 % of the rated endurance is used"},
		{98, HEALTH_WARNING, "98 % of the rated endurance is used"},
		{100, HEALTH_WARNING, "100 % of the rated endurance is used"},
		{200, HEALTH_WARNING, "200 % of the rated endurance is used"},
		{255, HEALTH_WARNING, ">=255 % of the rated endurance is used"},
	};
	struct health health;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct smart smart = fine();

		smart.percentage_used.value = rows[i].used;
		judge(&smart, &health);
		assert_int_equal(health.verdict, rows[i].verdict);
		assert_int_equal(health.reason_count, rows[i].text != NULL);
		if (rows[i].text == NULL)
			continue;
		assert_string_equal(health.reasons[0].text, rows[i].text);
		assert_true(health.reasons[0].advice[0] != '\0');
	}
	struct smart smart = fine();
	smart.percentage_used.reported = false;
	judge(&smart, &health);
	assert_int_equal(health.verdict, HEALTH_GOOD);
}

/* Reduced reliability because of wear alone is a warning; otherwise it is the worst there is. */
static void reliability(void **state)
{
	struct smart smart = fine();
	struct health health;

	(void)state;
	smart.critical_warning = SMART_WARN_RELIABILITY;
	judge(&smart, &health);
	assert_int_equal(health.verdict, HEALTH_CRITICAL);
	assert_non_null(reason(&health, "reliability degraded"));
	smart.percentage_used.value = 100;
	judge(&smart, &health);
	assert_int_equal(health.verdict, HEALTH_WARNING);
	assert_non_null(reason(&health, "reliability degraded"));
	assert_non_null(reason(&health, "100 % of the rated endurance"));
	smart.media_errors.value = 1;
	judge(&smart, &health);
	assert_int_equal(health.verdict, HEALTH_CRITICAL);
}

static void spare(void **state)
{
	static const struct {
		int spare, threshold, warning;
		enum health_verdict verdict;
		const char *words;
	} rows[] = {
		{100, 10, 0, HEALTH_GOOD, NULL},
		{11, 10, 0, HEALTH_GOOD, NULL},
		{10, 10, 0, HEALTH_WARNING, "threshold of 10 %"},
		{10, 10, 1, HEALTH_CRITICAL, "threshold of 10 %"},
		{3, 10, 1, HEALTH_CRITICAL, "spare below threshold: 3 %"},
		{3, 10, 0, HEALTH_CRITICAL, "spare below threshold: 3 %"},
		{100, 10, 1, HEALTH_WARNING, "though 100 %"},
		{0, 0, 0, HEALTH_GOOD, NULL}, /* virtual controllers: no figures at all */
		{100, 0, 0, HEALTH_GOOD, NULL},
		{5, 0, 1, HEALTH_CRITICAL, "5 %"},
	};
	struct health health;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct smart smart = fine();

		smart.available_spare.value = rows[i].spare;
		smart.spare_threshold.value = rows[i].threshold;
		smart.critical_warning = (uint8_t)rows[i].warning;
		judge(&smart, &health);
		assert_int_equal(health.verdict, rows[i].verdict);
		assert_int_equal(health.reason_count, rows[i].words != NULL);
		if (rows[i].words != NULL)
			assert_non_null(reason(&health, rows[i].words));
	}
}

static void each_bit(void **state)
{
	static const struct {
		unsigned bits;
		enum health_verdict verdict;
		const char *words;
	} rows[] = {
		{0x02, HEALTH_WARNING, "41 C"},
		{0x08, HEALTH_CRITICAL, "read only"},
		{0x10, HEALTH_CRITICAL, "volatile memory backup failed"},
		{0x20, HEALTH_WARNING, "persistent memory region"},
		{0x40, HEALTH_WARNING, "0x40"},
		{0xc0, HEALTH_WARNING, "0xc0"},
	};
	struct health health;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct smart smart = fine();

		smart.critical_warning = (uint8_t)rows[i].bits;
		judge(&smart, &health);
		assert_int_equal(health.verdict, rows[i].verdict);
		assert_int_equal(health.reason_count, 1);
		assert_non_null(reason(&health, rows[i].words));
		assert_true(health.reasons[0].advice[0] != '\0');
	}
	struct smart smart = fine();
	smart.critical_warning = 0xff;
	judge(&smart, &health);
	assert_int_equal(health.verdict, HEALTH_CRITICAL);
	assert_int_equal(health.reason_count, 7);
}

/* Byte 6: an endurance group warns, and the drive as a whole (byte 0) says nothing. */
static void endurance_groups(void **state)
{
	static const struct {
		uint8_t bits;
		enum health_verdict verdict;
		const char *word;
	} cases[] = {
		{0x01, HEALTH_WARNING, "spare below threshold"},
		{0x04, HEALTH_WARNING, "reliability degraded"},
		{0x08, HEALTH_CRITICAL, "read only"},
		{0x80, HEALTH_WARNING, "unknown 0x80"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct smart smart = fine();
		struct health health;

		smart.endurance_group_warning = cases[i].bits;
		judge(&smart, &health);
		assert_int_equal(health.verdict, cases[i].verdict);
		assert_non_null(reason(&health, "endurance group"));
		assert_non_null(reason(&health, cases[i].word));
		assert_int_equal(health.reason_count, 1);
	}
}

static void media_errors(void **state)
{
	struct smart smart = fine();
	struct health health;

	(void)state;
	smart.media_errors.value = 7;
	judge(&smart, &health);
	assert_int_equal(health.verdict, HEALTH_WARNING);
	assert_true(str_starts_with(health.reasons[0].text, "7 media errors"));
	smart.media_errors.value = 1;
	judge(&smart, &health);
	assert_true(str_starts_with(health.reasons[0].text, "1 media error:"));
	smart.media_errors.value = (u128)-1;
	judge(&smart, &health);
	assert_non_null(reason(
		&health, "340,282,366,920,938,463,463,374,607,431,768,211,455 media errors"));
}

static void temperatures(void **state)
{
	struct smart smart = fine();
	struct identify_controller id = {0};
	struct health health;

	(void)state;
	id.warning_temperature_c = (struct field_int){true, 70};
	id.critical_temperature_c = (struct field_int){true, 80};
	health_judge(&smart, &id, NULL, "live", NULL, &health);
	assert_int_equal(health.verdict, HEALTH_GOOD);
	smart.temperature_c.value = 71;
	health_judge(&smart, &id, NULL, "live", NULL, &health);
	assert_int_equal(health.verdict, HEALTH_WARNING);
	assert_non_null(reason(&health, "71 C"));
	assert_non_null(reason(&health, "70 C"));
	smart.critical_warning = SMART_WARN_TEMPERATURE;
	health_judge(&smart, &id, NULL, "live", NULL, &health);
	assert_int_equal(health.reason_count, 1);
	assert_non_null(reason(&health, "71 C now"));
	smart.temperature_c.value = 80;
	health_judge(&smart, &id, NULL, "live", NULL, &health);
	assert_int_equal(health.verdict, HEALTH_CRITICAL);
	/* limits of 0 K + 1 and the like are not limits */
	smart.critical_warning = 0;
	id.warning_temperature_c.value = -272;
	id.critical_temperature_c.value = -272;
	health_judge(&smart, &id, NULL, "live", NULL, &health);
	assert_int_equal(health.verdict, HEALTH_GOOD);
	/* no temperature: no comparison */
	id.critical_temperature_c.value = 80;
	smart.temperature_c.reported = false;
	health_judge(&smart, &id, NULL, "live", NULL, &health);
	assert_int_equal(health.verdict, HEALTH_GOOD);
	smart.critical_warning = SMART_WARN_TEMPERATURE;
	health_judge(&smart, &id, NULL, "live", NULL, &health);
	assert_int_equal(health.verdict, HEALTH_WARNING);
}

static void without_smart(void **state)
{
	struct health health;

	(void)state;
	health_judge(NULL, NULL, NULL, "live", "needs root: sudo nvsweep", &health);
	assert_int_equal(health.verdict, HEALTH_UNKNOWN);
	assert_int_equal(health.reason_count, 1);
	assert_int_equal(health.reasons[0].severity, HEALTH_UNKNOWN);
	assert_non_null(reason(&health, "needs root: sudo nvsweep"));
	health_judge(NULL, NULL, NULL, NULL, NULL, &health);
	assert_int_equal(health.verdict, HEALTH_UNKNOWN);
	assert_int_equal(health.reason_count, 1);
}

static void controller_states(void **state)
{
	static const struct {
		const char *state;
		enum health_verdict without, with;
		const char *words;
	} rows[] = {
		{"live", HEALTH_UNKNOWN, HEALTH_GOOD, NULL},
		{"", HEALTH_UNKNOWN, HEALTH_GOOD, NULL},
		{"new", HEALTH_UNKNOWN, HEALTH_GOOD, NULL},
		{"resetting", HEALTH_UNKNOWN, HEALTH_WARNING, "resetting"},
		{"connecting", HEALTH_UNKNOWN, HEALTH_WARNING, "reconnecting"},
		{"deleting", HEALTH_UNKNOWN, HEALTH_WARNING, "removed"},
		{"deleting (no IO)", HEALTH_UNKNOWN, HEALTH_WARNING, "removed"},
		{"dead", HEALTH_CRITICAL, HEALTH_CRITICAL, "dead"},
	};
	struct smart smart = fine();
	struct health health;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		health_judge(NULL, NULL, NULL, rows[i].state, "not live", &health);
		assert_int_equal(health.verdict, rows[i].without);
		if (rows[i].words != NULL)
			assert_non_null(reason(&health, rows[i].words));
		health_judge(&smart, NULL, NULL, rows[i].state, NULL, &health);
		assert_int_equal(health.verdict, rows[i].with);
	}
}

static void link_narrowed(void **state)
{
	struct smart smart = fine();
	struct environment env = {0};
	struct health health;

	(void)state;
	env.link_gts = 8.0;
	env.link_width = 2;
	env.link_max_gts = 16.0;
	env.link_max_width = 4;
	env.slot_max_gts = 16.0;
	env.slot_max_width = 4;
	health_judge(&smart, NULL, &env, "live", NULL, &health);
	assert_int_equal(health.verdict, HEALTH_WARNING);
	assert_string_equal(
		health.reasons[0].text, "the PCIe link runs at 3.0 x2, drive and slot can 4.0 x4");
	assert_true(str_starts_with(health.reasons[0].advice, "reseat it"));
	/* a slot that can no more than this is no fault */
	env.slot_max_gts = 8.0;
	env.slot_max_width = 2;
	health_judge(&smart, NULL, &env, "live", NULL, &health);
	assert_int_equal(health.verdict, HEALTH_GOOD);
	/* a faster slot than drive: only what both can counts */
	env.slot_max_gts = 32.0;
	env.slot_max_width = 2;
	health_judge(&smart, NULL, &env, "live", NULL, &health);
	assert_int_equal(health.verdict, HEALTH_WARNING);
	assert_non_null(reason(&health, "can 4.0 x2"));
	memset(&env, 0, sizeof(env));
	env.numa_node = -1;
	health_judge(&smart, NULL, &env, "live", NULL, &health);
	assert_int_equal(health.verdict, HEALTH_GOOD);
}

static void implausible_identify(void **state)
{
	struct smart smart = fine();
	struct identify_controller id = {.implausible = true};
	struct health health;

	(void)state;
	health_judge(&smart, &id, NULL, "live", NULL, &health);
	assert_int_equal(health.verdict, HEALTH_WARNING);
	assert_non_null(reason(&health, "uninitialised"));
}

/* Each hand-made page: verdict, number of reasons, words that must stand there. */
static void pages(void **state)
{
	static const struct {
		const char *file;
		enum health_verdict verdict;
		size_t reasons;
		const char *words[3];
	} rows[] = {
		{"smart-S2-0K-only.bin", HEALTH_GOOD, 0, {NULL}},
		{"smart-S4-minus10C.bin", HEALTH_GOOD, 0, {NULL}},
		{"smart-S6-spare-below.bin", HEALTH_CRITICAL, 2,
			{"spare below threshold: 3 %", "90 % of the rated endurance"}},
		{"smart-S6-used-200-cw04.bin", HEALTH_WARNING, 2,
			{"200 % of the rated", "reliability degraded"}},
		{"smart-S6-used-255.bin", HEALTH_WARNING, 2,
			{">=255 % of the rated", "reliability degraded"}},
		{"smart-S7-cw-10.bin", HEALTH_CRITICAL, 1, {"volatile memory backup failed"}},
		{"smart-S7-cw-readonly-08.bin", HEALTH_CRITICAL, 3,
			{"read only", "reliability degraded", "105 % of the rated"}},
		{"smart-S7-cw-unknown-c0.bin", HEALTH_WARNING, 1, {"0xc0"}},
		{"smart-S7-cw-all.bin", HEALTH_CRITICAL, 7, {"0xc0", "read only", "39 C"}},
		{"smart-S7-media-errors-passed.bin", HEALTH_WARNING, 1, {"7 media errors"}},
		{"smart-S8-over-64bit.bin", HEALTH_GOOD, 0, {NULL}},
		{"smart-S8-real-large.bin", HEALTH_GOOD, 0, {NULL}},
		{"smart-temp-273K.bin", HEALTH_GOOD, 0, {NULL}},
		{"smart-thermal-u32-max.bin", HEALTH_WARNING, 1, {"85 C"}},
	};
	uint8_t bytes[512];

	(void)state;
	fixture_need("pages/expected.json");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct page page = {bytes, fixture_read(rows[i].file, bytes, sizeof(bytes))};
		struct smart smart;
		struct health health;

		print_message("# %s\n", rows[i].file);
		assert_int_equal(smart_decode(&page, &smart), 0);
		judge(&smart, &health);
		assert_int_equal(health.verdict, rows[i].verdict);
		assert_int_equal(health.reason_count, rows[i].reasons);
		for (size_t w = 0; w < 3 && rows[i].words[w] != NULL; w++)
			assert_non_null(reason(&health, rows[i].words[w]));
	}
}

static void words(void **state)
{
	(void)state;
	assert_string_equal(health_word(HEALTH_GOOD), "good");
	assert_string_equal(health_word(HEALTH_WARNING), "WARN");
	assert_string_equal(health_word(HEALTH_CRITICAL), "CRIT");
	assert_string_equal(health_word(HEALTH_UNKNOWN), "-");
	assert_string_equal(health_name(HEALTH_GOOD), "good");
	assert_string_equal(health_name(HEALTH_WARNING), "warning");
	assert_string_equal(health_name(HEALTH_CRITICAL), "critical");
	assert_string_equal(health_name(HEALTH_UNKNOWN), "unknown");
	assert_int_equal(health_worst(HEALTH_UNKNOWN, HEALTH_WARNING), HEALTH_WARNING);
	assert_int_equal(health_worst(HEALTH_CRITICAL, HEALTH_UNKNOWN), HEALTH_CRITICAL);
	assert_int_equal(health_worst(HEALTH_GOOD, HEALTH_UNKNOWN), HEALTH_UNKNOWN);
	assert_int_equal(health_worst(HEALTH_GOOD, HEALTH_GOOD), HEALTH_GOOD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good),
		cmocka_unit_test(counters_that_say_nothing),
		cmocka_unit_test(wear),
		cmocka_unit_test(reliability),
		cmocka_unit_test(spare),
		cmocka_unit_test(each_bit),
		cmocka_unit_test(endurance_groups),
		cmocka_unit_test(media_errors),
		cmocka_unit_test(temperatures),
		cmocka_unit_test(without_smart),
		cmocka_unit_test(controller_states),
		cmocka_unit_test(link_narrowed),
		cmocka_unit_test(implausible_identify),
		cmocka_unit_test(pages),
		cmocka_unit_test(words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
