/* Tables: selection that survives everything, trees under sort and filter, decimal alignment, columns
 * that give way, and every size. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "base/str.h"
#include "tui/table.h"

static const struct table_column columns[] = {
	{"DEVICE", 0, 20, TABLE_LEFT, 0, true},
	{"MODEL", 5, 16, TABLE_LEFT, 3, true},
	{"SIZE", 0, 0, TABLE_DECIMAL, 1, true},
	{"HEALTH", 6, 0, TABLE_LEFT, 0, true},
	{"TEMP", 0, 0, TABLE_RIGHT, 2, false},
};

static void expect(struct table *table, int width, int height, const char *wanted)
{
	struct canvas *canvas = canvas_create(width, height);
	char *dump;

	table_draw(table, canvas, (struct rect){0, 0, width, height});
	dump = canvas_dump(canvas);
	assert_string_equal(dump, wanted);
	free(dump);
	canvas_free(canvas);
}

static struct table_row *add(struct table *table, const char *identity, int depth,
	const char *model, const char *size, double bytes, const char *health, const char *temp)
{
	struct table_row *row = table_add(table, identity);

	row->depth = depth;
	row->group_with_previous = depth > 0;
	table_cell(row, 0, ROLE_TEXT, "%s", identity);
	table_cell(row, 1, ROLE_TEXT, "%s", model);
	table_cell(row, 2, ROLE_TEXT, "%s", size);
	table_cell(row, 3, ROLE_GOOD, "%s", health);
	table_cell(row, 4, ROLE_TEXT, "%s", temp);
	if (bytes >= 0)
		table_sort_value(row, 2, bytes);
	return row;
}

static void fill(struct table *table)
{
	struct table_row *row;

	table_begin(table);
	add(table, "nvme0", 0, "FAKE DC 7680", "7.68 TB", 7.68e12, "good", "41 °C");
	add(table, "nvme0n1", 1, "512 B", "7.68 TB", 7.68e12, "", "");
	add(table, "nvme1", 0, "FAKE DC 3840 with a long name", "500 GB", 5e11, "WARN", "71 °C");
	add(table, "nvme1n1", 1, "4 KiB", "12.5 GB", 1.25e10, "", "");
	add(table, "nvme1n2", 1, "4 KiB", "-", -1, "", "");
	row = table_add(table, "other");
	row->selectable = false;
	table_cell(row, 0, ROLE_DIM, "Other targets that are no NVMe drives");
	add(table, "sda", 0, "USB", "1.00 TB", 1e12, "-", "-");
	add(table, "loop0", 0, "file", "1.00 GB", 1e9, "-", "-");
	table_end(table);
}

static void test_layout(void **state)
{
	struct table *table = table_create(columns, 5);

	(void)state;
	table_set_empty(table, "There is nothing.");
	expect(table, 40, 3, " DEVICE  MODEL  SIZE  HEALTH  TEMP\n There is nothing.\n\n");
	fill(table);
	assert_int_equal(table_count(table), 8);
	assert_string_equal(table_selected(table), "nvme0");
	expect(table, 60, 9,
		" DEVICE     MODEL                  SIZE  HEALTH   TEMP\n"
		">nvme0      FAKE DC 7680        7.68 TB  good    41 °C\n"
		"   nvme0n1  512 B               7.68 TB\n"
		" nvme1      FAKE DC 3840 wi\xe2\x80\xa6  500    GB  WARN    71 °C\n"
		"   nvme1n1  4 KiB              12.5  GB\n"
		"   nvme1n2  4 KiB               -\n"
		" Other targets that are no NVMe drives\n"
		" sda        USB                 1.00 TB  -           -\n"
		" loop0      file                1.00 GB  -           -\n");
	/* narrow: the model shrinks to 5, then goes, then the temperature, then the size */
	expect(table, 42, 2,
		" DEVICE    MODEL       SIZE HEALTH  TEMP\n"
		">nvme0     FAKE …   7.68 TB good   41 °C █\n");
	table_free(table);
}

static void test_columns_give_way(void **state)
{
	static const struct {
		int width;
		const char *titles;
	} widths[] = {
		{39, " DEVICE    MODEL      SIZE HEALTH  TEMP\n"},
		{37, " DEVICE          SIZE  HEALTH   TEMP\n"},
		{33, " DEVICE         SIZE HEALTH  TEMP\n"},
		{31, " DEVICE          SIZE  HEALTH\n"},
		{24, " DEVICE     HEALTH\n"},
		{12, " DEVICE    …\n"},
		{5, " DEV…\n"},
		{1, "\n"},
	};
	struct table *table = table_create(columns, 5);

	(void)state;
	fill(table);
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		struct canvas *canvas = canvas_create(widths[i].width, 20);
		char *dump;

		table_draw(table, canvas, (struct rect){0, 0, widths[i].width, 20});
		dump = canvas_dump(canvas);
		strchr(dump, '\n')[1] = '\0';
		assert_string_equal(dump, widths[i].titles);
		free(dump);
		canvas_free(canvas);
	}
	table_free(table);
}

/* Identities of the visible rows in order, by walking down. */
static void walk(struct table *table, char *out, size_t size)
{
	str_copy(out, size, "");
	table_home(table, false);
	for (size_t i = 0; i < 100; i++) {
		char before[64];

		str_append(out, size, "%s%s", i ? " " : "", table_selected(table));
		str_copy(before, sizeof(before), table_selected(table));
		table_move(table, 1);
		if (strcmp(before, table_selected(table)) == 0)
			return;
	}
}

static void expect_order(struct table *table, const char *wanted)
{
	char got[512];

	walk(table, got, sizeof(got));
	assert_string_equal(got, wanted);
}

static void test_sort(void **state)
{
	struct table *table = table_create(columns, 5);

	(void)state;
	fill(table);
	expect_order(table, "nvme0 nvme0n1 nvme1 nvme1n1 nvme1n2 sda loop0");
	table_select(table, "nvme1n1");
	table_sort_next(table, 1); /* DEVICE */
	assert_string_equal(table_selected(table), "nvme1n1");
	expect_order(table, "nvme0 nvme0n1 nvme1 nvme1n1 nvme1n2 loop0 sda");
	table_sort_next(table, 1);
	table_sort_next(table, 1); /* SIZE: by value, unknown last, in both directions */
	expect_order(table, "nvme1 nvme1n1 nvme1n2 nvme0 nvme0n1 loop0 sda");
	table_sort_reverse(table);
	expect_order(table, "nvme0 nvme0n1 nvme1 nvme1n1 nvme1n2 sda loop0");
	expect(table, 60, 2,
		" DEVICE     MODEL                 SIZE▼  HEALTH   TEMP\n"
		">loop0      file                1.00 GB  -           -     █\n");
	table_sort_next(table, 1); /* HEALTH */
	table_sort_next(table, 1); /* TEMP is not sortable: back to the order of rows */
	expect_order(table, "nvme0 nvme0n1 nvme1 nvme1n1 nvme1n2 sda loop0");
	table_sort_next(table, -1);
	/* a refill keeps the order that was chosen */
	table_sort_by(table, 0, true);
	fill(table);
	expect_order(table, "nvme1 nvme1n2 nvme1n1 nvme0 nvme0n1 sda loop0");
	table_free(table);
}

static void test_filter(void **state)
{
	struct table *table = table_create(columns, 5);

	(void)state;
	fill(table);
	table_select(table, "nvme1n2");
	table_filter(table, "NVME1N2");
	/* its parent stays, its brother and the heading do not */
	assert_int_equal(table_count(table), 2);
	assert_string_equal(table_selected(table), "nvme1n2");
	expect_order(table, "nvme1 nvme1n2");
	table_filter(table, "warn");
	expect_order(table, "nvme1 nvme1n1 nvme1n2");
	table_filter(table, "usb");
	assert_int_equal(table_count(table), 2);
	expect_order(table, "sda");
	expect(table, 60, 3,
		" DEVICE  MODEL     SIZE  HEALTH  TEMP\n"
		" Other targets that are no NVMe drives\n"
		">sda     USB    1.00 TB  -          -\n");
	/* a filter over a refill */
	fill(table);
	expect_order(table, "sda");
	table_filter(table, "no such");
	assert_int_equal(table_count(table), 0);
	assert_string_equal(table_selected(table), "");
	table_move(table, 1);
	table_page(table, -1);
	table_home(table, true);
	expect(table, 60, 2,
		" DEVICE  MODEL  SIZE  HEALTH  TEMP\n No line has \"no such\" in it.\n");
	table_filter(table, "");
	assert_int_equal(table_count(table), 8);
	assert_string_equal(table_filter_text(table), "");
	table_free(table);
}

static void test_selection(void **state)
{
	struct table *table = table_create(columns, 5);

	(void)state;
	table_begin(table);
	for (int i = 0; i < 5; i++) {
		char name[16];

		snprintf(name, sizeof(name), "row%d", i);
		add(table, name, 0, "", "", -1, "", "");
	}
	table_end(table);
	table_select(table, "row2");
	table_select(table, "nothing");
	/* others come and go: it stays */
	table_begin(table);
	add(table, "new", 0, "", "", -1, "", "");
	add(table, "row1", 0, "", "", -1, "", "");
	add(table, "row2", 0, "", "", -1, "", "");
	add(table, "row3", 0, "", "", -1, "", "");
	table_end(table);
	assert_string_equal(table_selected(table), "row2");
	/* it goes: the one that takes its place */
	table_begin(table);
	add(table, "new", 0, "", "", -1, "", "");
	add(table, "row1", 0, "", "", -1, "", "");
	add(table, "row3", 0, "", "", -1, "", "");
	table_end(table);
	assert_string_equal(table_selected(table), "row3");
	table_begin(table);
	add(table, "new", 0, "", "", -1, "", "");
	table_end(table);
	assert_string_equal(table_selected(table), "new");
	table_begin(table);
	table_end(table);
	assert_string_equal(table_selected(table), "");
	/* headings are stepped over, at the ends as well */
	fill(table);
	table_select(table, "nvme1n2");
	table_move(table, 1);
	assert_string_equal(table_selected(table), "sda");
	table_move(table, -1);
	assert_string_equal(table_selected(table), "nvme1n2");
	table_move(table, 1000000);
	assert_string_equal(table_selected(table), "loop0");
	table_move(table, -1000000);
	assert_string_equal(table_selected(table), "nvme0");
	table_home(table, true);
	assert_string_equal(table_selected(table), "loop0");
	table_free(table);
}

static void test_mouse(void **state)
{
	struct table *table = table_create(columns, 5);
	struct canvas *canvas = canvas_create(60, 12);
	struct key key = {.code = KEYC_MOUSE, .button = MOUSE_LEFT, .x = 10, .y = 5};

	(void)state;
	fill(table);
	table_draw(table, canvas, (struct rect){2, 2, 55, 10});
	assert_true(table_click(table, 10, 5));
	assert_string_equal(table_selected(table), "nvme1");
	assert_false(table_click(table, 10, 2)); /* titles */
	assert_false(table_click(table, 10, 8)); /* the heading */
	assert_false(table_click(table, 10, 11));
	assert_false(table_click(table, 1, 5));
	assert_false(table_click(table, 57, 5));
	assert_false(table_click(table, 10, 1));
	key.button = MOUSE_WHEEL_DOWN;
	assert_true(table_mouse(table, &key));
	assert_string_equal(table_selected(table), "sda");
	key.button = MOUSE_WHEEL_UP;
	assert_true(table_mouse(table, &key));
	assert_string_equal(table_selected(table), "nvme1");
	/* a click on a title sorts, a second one turns it round */
	key = (struct key){.code = KEYC_MOUSE, .button = MOUSE_LEFT, .x = 4, .y = 2};
	assert_true(table_mouse(table, &key));
	assert_true(table_mouse(table, &key));
	expect_order(table, "nvme1 nvme1n2 nvme1n1 nvme0 nvme0n1 sda loop0");
	key.y = 1;
	assert_false(table_mouse(table, &key));
	canvas_free(canvas);
	table_free(table);
}

static void test_scroll(void **state)
{
	static const struct table_column one[] = {{"NAME", 0, 0, TABLE_LEFT, 0, true}};
	struct table *table = table_create(one, 1);

	(void)state;
	table_begin(table);
	for (int i = 0; i < 64; i++) {
		char name[16];
		struct table_row *row;

		snprintf(name, sizeof(name), "row%02d", i);
		row = table_add(table, name);
		table_cell(row, 0, ROLE_TEXT, "%s", name);
		table_cell(row, 7, ROLE_TEXT, "no such column");
		table_sort_value(row, 7, 1);
	}
	table_end(table);
	expect(table, 12, 4, " NAME\n>row00     █\n row01     │\n row02     │\n");
	table_move(table, 3);
	expect(table, 12, 4, " NAME\n row01     █\n row02     │\n>row03     │\n");
	table_page(table, 1);
	assert_string_equal(table_selected(table), "row05");
	table_home(table, true);
	expect(table, 12, 4, " NAME\n row61     │\n row62     │\n>row63     █\n");
	/* a larger area leaves no empty room */
	expect(table, 8, 6, " NAME\n row59\n row60\n row61\n row62\n>row63\n");
	table_filter(table, "row1");
	assert_string_equal(table_selected(table), "row19");
	table_home(table, false);
	expect(table, 12, 3, " NAME\n>row10     █\n row11     │\n");
	table_free(table);
}

/* A cell may run over empty ones behind it, without making its column wide. */
static void test_run_over(void **state)
{
	struct table *table = table_create(columns, 5);
	struct table_row *row;

	(void)state;
	table_begin(table);
	add(table, "nvme3n1", 0, "4 KiB", "2.00 TB", 2e12, "good", "-");
	row = add(table, "path", 1, "optimized, live, tcp 192.0.2.7", "", -1, "", "");
	(void)row;
	table_end(table);
	expect(table, 60, 3,
		" DEVICE   MODEL     SIZE  HEALTH  TEMP\n"
		">nvme3n1  4 KiB  2.00 TB  good       -\n"
		"   path   optimized, live, tcp 192.0.2.7\n");
	table_free(table);
}

/* CASES G1: every size, 0 to 64 rows, while rows change under it. */
static void test_every_size(void **state)
{
	static const int counts[] = {0, 1, 8, 64};
	struct table *table = table_create(columns, 5);
	struct canvas *canvas = canvas_create(250, 80);
	struct rng rng;

	(void)state;
	rng_seed(&rng, 3, 0);
	for (size_t c = 0; c < 4; c++) {
		for (int i = 0; i < 600; i++) {
			int width = 1 + (int)rng_below(&rng, 250);
			int height = 1 + (int)rng_below(&rng, 80);
			char kept[64];

			if (i < 80)
				width = height = i / 4 + 1;
			table_begin(table);
			for (int r = 0; r < counts[c]; r++) {
				char name[16];

				snprintf(name, sizeof(name), "nvme%d", r);
				add(table, name, (int)rng_below(&rng, 3), "漢字 model", "1.25 TB",
					(double)rng_below(&rng, 9), "good", "41 °C")
					->selectable = rng_below(&rng, 9) != 0;
			}
			table_end(table);
			canvas_resize(canvas, width, height);
			str_copy(kept, sizeof(kept), table_selected(table));
			table_draw(table, canvas,
				(struct rect){(int)rng_below(&rng, 3) - 1,
					(int)rng_below(&rng, 3) - 1, width, height});
			assert_string_equal(table_selected(table), kept);
			switch (rng_below(&rng, 6)) {
			case 0:
				table_move(table, (int)rng_below(&rng, 200) - 100);
				break;
			case 1:
				table_sort_next(table, rng_below(&rng, 2) ? 1 : -1);
				break;
			case 2:
				table_filter(table, rng_below(&rng, 2) ? "1" : "");
				break;
			case 3:
				table_sort_reverse(table);
				break;
			case 4:
				table_page(table, (int)rng_below(&rng, 5) - 2);
				break;
			default:
				table_click(
					table, (int)rng_below(&rng, 250), (int)rng_below(&rng, 80));
				break;
			}
		}
	}
	canvas_free(canvas);
	table_free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_columns_give_way),
		cmocka_unit_test(test_sort),
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_selection),
		cmocka_unit_test(test_mouse),
		cmocka_unit_test(test_scroll),
		cmocka_unit_test(test_run_over),
		cmocka_unit_test(test_every_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
