/* The tables behind help and explanations: complete, and as they stand in the files. */
#include "fixture.h"

#include "screens/explain.h"
#include "screens/format.h"
#include "sweep/options.h"

static void test_keys_file(void **state)
{
	struct bench *bench = bench_create(NULL);
	struct strbuf text = {0};
	struct err err = {0};
	char *file = NULL;
	size_t length = 0;

	(void)state;
	/* the file is what the table and its own bindings make: every action stands in it once,
	 * with its help */
	actions_document_keys(bench->keys, &text);
	if (file_read("configs/keys.ini", 1 << 16, &file, &length, &err))
		fail_msg("%s", err.text);
	assert_string_equal(file, text.text);
	free(file);
	strbuf_free(&text);
	bench_free(bench);
}

static void test_every_action_has_a_key(void **state)
{
	struct bench *bench = bench_create(NULL);

	(void)state;
	for (int i = 0; i < ACTION_COUNT; i++) {
		bool known = false;

		if (!keys_name_of(bench->keys, i)[0])
			fail_msg("%s.%s has no key", actions_table[i].scope, actions_table[i].name);
		assert_int_equal(actions_keys[i].id, i);
		for (size_t s = 0; s < actions_scope_count; s++)
			known = known || !strcmp(actions_scopes[s], actions_table[i].scope);
		assert_true(known);
	}
	bench_free(bench);
}

static void test_manual(void **state)
{
	struct bench *bench = bench_create(NULL);
	struct strbuf text = {0};

	(void)state;
	actions_document_man(bench->keys, &text);
	assert_non_null(
		strstr(text.text, ".SS Drives\n.TP\n.B Enter\nOpen the drive (drives.open).\n"));
	assert_non_null(strstr(text.text, "Shift\\-Tab"));
	/* no line but requests begins with a dot, none is left with a bare backslash */
	for (const char *line = text.text; line && *line; line = strchr(line, '\n'), line += !!line)
		if (line[0] == '.')
			assert_true(!strncmp(line, ".SS ", 4) || !strncmp(line, ".TP", 3) ||
				!strncmp(line, ".B ", 3));
	strbuf_free(&text);
	bench_free(bench);
}

static void test_explanations(void **state)
{
	char key[64], text[2048];

	(void)state;
	/* each field of the form, also those that come to the table later */
	for (size_t i = 0; i < options_count; i++) {
		str_format(key, sizeof(key), "option.%s", options_table[i].key);
		explain_text(key, text, sizeof(text));
		if (!text[0])
			fail_msg("%s has no explanation", key);
	}
	for (size_t i = 0; i < explain_count; i++) {
		/* sentences, which fit on a screen of 80x24 */
		const size_t length = strlen(explain_table[i].text);

		assert_true(length > 20 && length < 900);
		if (explain_table[i].text[length - 1] != '.')
			fail_msg("%s does not end with a full stop", explain_table[i].key);
		for (size_t k = i + 1; k < explain_count; k++)
			assert_string_not_equal(explain_table[i].key, explain_table[k].key);
	}
	explain_text("no.such.key", text, sizeof(text));
	assert_string_equal(text, "");
}

/* Everything a cursor can stand on explains itself. */
static void test_every_line_explains(void **state)
{
	struct inventory *inventory = fixture_fleet();
	struct bench *bench = bench_create(inventory);
	struct inventory_controller *c = &inventory->controllers[1];

	(void)state;
	for (int i = 0; i < SMART_SENSORS; i++)
		c->smart.sensors_c[i] = some(40 + i);
	c->smart.endurance_group_warning = 4;
	c->smart.truncated = true;
	c->env.sensor_count = 2;
	c->env.sensors[0].value_mc = some(41000);
	c->env.sensors[0].max_mc = some(70000);
	bench_push(&bench->desk, screen_drive(&bench->desk, "nvme1", NULL));
	for (int tab = 0; tab < 3; tab++) {
		for (int width = 80; width <= 120; width += 40) {
			free(bench_frame(bench, width, 24));
			bench_keys(bench, "Home");
			for (int line = 0; line < 60; line++) {
				char text[2048] = "";

				bench_top(bench)->ops->explain(
					bench_top(bench), text, sizeof(text));
				assert_true(strlen(text) > 20);
				bench_keys(bench,
					line == 30 && tab < 2 && width == 120 ? "Right" : "Down");
			}
			if (tab < 2 && width == 120)
				bench_keys(bench, "Left");
		}
		bench_keys(bench, "Tab");
	}
	bench_free(bench);
	fixture_free(inventory);
}

static void expect_text(const char *got, const char *expected)
{
	assert_string_equal(got, expected);
}

static void test_formats(void **state)
{
	char text[64];
	struct field_int wear = some(255);
	struct inventory_controller controller;
	const double values[] = {0, 1, 4, 8, NAN, 8};

	(void)state;
	expect_text(format_bytes(text, sizeof(text), 7681501126656.0), "7.68 TB");
	expect_text(format_bytes(text, sizeof(text), 0), "0 B");
	expect_text(format_bytes(text, sizeof(text), NAN), "-");
	expect_text(format_bytes(text, sizeof(text), -1), "-");
	expect_text(format_mib(text, sizeof(text), 1843.2), "1.80 GiB/s");
	expect_text(format_count(text, sizeof(text), 235190.4), "235,190");
	expect_text(format_count(text, sizeof(text), 21.44), "21.4");
	expect_text(format_si(text, sizeof(text), 235190), "235k");
	expect_text(format_si(text, sizeof(text), 999), "999");
	expect_text(format_latency(text, sizeof(text), 84000), "84 µs");
	expect_text(format_latency(text, sizeof(text), NAN), "-");
	expect_text(format_temperature(text, sizeof(text), -10, NULL), "-10 °C");
	expect_text(format_temperature(text, sizeof(text), 0, NULL), "0 °C");
	expect_text(format_temperature(text, sizeof(text), NAN, NULL), "-");
	expect_text(format_wear(text, sizeof(text), &wear), "255+");
	wear.value = 98;
	expect_text(format_wear(text, sizeof(text), &wear), "98%");
	wear.reported = false;
	expect_text(format_wear(text, sizeof(text), &wear), "-");
	fixture_controller(&controller, 1, "FAKE");
	expect_text(format_link(text, sizeof(text), &controller), "4.0x4");
	controller.env.link_gts = 8;
	controller.env.link_width = 2;
	expect_text(format_link(text, sizeof(text), &controller), "3.0x2!");
	str_copy(controller.topo.transport, sizeof(controller.topo.transport), "tcp");
	expect_text(format_link(text, sizeof(text), &controller), "tcp");
	expect_text(format_lba(text, sizeof(text), 4096, 8), "4 KiB + 8");
	expect_text(format_lba(text, sizeof(text), 0, 0), "-");
	expect_text(format_sparkline(text, sizeof(text), values, 6, 6, 8), " ▁▄█ █");
	expect_text(format_sparkline(text, sizeof(text), values, 6, 2, 8), " █");
	expect_text(format_duration(text, sizeof(text), 340), "about 5 min 40 s");
	format_axis_iops(100000, text, sizeof(text));
	expect_text(text, "100k");
	format_axis_iops(50000, text, sizeof(text));
	expect_text(text, "50k");
	format_axis_latency(1e6, text, sizeof(text));
	expect_text(text, "1ms");
	format_axis_latency(1.5e6, text, sizeof(text));
	expect_text(text, "1.5ms");
	format_axis_latency(500e3, text, sizeof(text));
	expect_text(text, "500µs");
}

static void test_page_words(void **state)
{
	struct page_info info = {.state = PAGE_OK, .read_at = FIXTURE_TIME};
	char text[256];

	(void)state;
	setenv("NVSWEEP_TEST_CLOCK", "2026-11-30T14:03:00Z", 1);
	format_page(&info, text, sizeof(text));
	assert_string_equal(text, "");
	assert_false(format_page_old(&info));
	/* a refresh under way is no fault; one that takes its time is said */
	info.state = PAGE_WAITING;
	info.waiting_ns = 300000000u;
	assert_false(format_page_old(&info));
	info.waiting_ns = 12000000000u;
	format_page(&info, text, sizeof(text));
	assert_string_equal(text, "no answer for 12 s (shown: what it said at 14:02)");
	assert_true(format_page_old(&info));
	info.read_at = 0;
	format_page(&info, text, sizeof(text));
	assert_string_equal(text, "no answer for 12 s");
	assert_false(format_page_old(&info));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys_file),
		cmocka_unit_test(test_every_action_has_a_key),
		cmocka_unit_test(test_manual),
		cmocka_unit_test(test_explanations),
		cmocka_unit_test(test_every_line_explains),
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_page_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
