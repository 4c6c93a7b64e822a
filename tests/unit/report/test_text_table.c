/* Tables, cutting and wrapping: hand-written expectations. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "report/text_cells.h"
#include "report/text_table.h"

static const struct text_column columns[] = {
	{.title = "NAME", .shrink_to = 4},
	{.title = "SIZE", .right = true},
	{.title = "EMPTY"},
	{.title = "LESS", .drop = 1},
	{.title = "LEAST", .drop = 2},
};

static void check_table(int width, bool ascii, const char *expected)
{
	const struct text_style style = {ascii, width};
	const char *const first[] = {"a long name", "1", NULL, "mm", "zz"};
	const char *const second[] = {"b\u00e9e\x1b", "12345", "", "", "z"};
	struct text_table table;
	struct strbuf out = {0};

	text_table_init(&table, columns, 5);
	text_table_add(&table, first);
	text_table_add(&table, second);
	text_table_print(&table, &style, &out);
	assert_string_equal(out.text, expected);
	strbuf_free(&out);
	text_table_free(&table);
}

static void tables(void **state)
{
	(void)state;
	check_table(0, false,
		"NAME         SIZE LESS LEAST\n"
		"a long name     1 mm   zz\n"
		"b\u00e9e?        12345      z\n");
	check_table(28, true,
		"NAME         SIZE LESS LEAST\n"
		"a long name     1 mm   zz\n"
		"b?e?        12345      z\n");
	check_table(24, true,
		"NAME     SIZE LESS LEAST\n"
		"a long~     1 mm   zz\n"
		"b?e?    12345      z\n");
	check_table(20, false,
		"NAME       SIZE LESS\n"
		"a long n\u2026     1 mm\n"
		"b\u00e9e?      12345\n");
	check_table(11, true,
		"NAME   SIZE\n"
		"a lo~     1\n"
		"b?e?  12345\n");
	/* nothing more to give: it stays as small as it can be */
	check_table(3, true,
		"NAME  SIZE\n"
		"a l~     1\n"
		"b?e? 12345\n");
}

static void fit(void **state)
{
	static const struct {
		const char *text;
		int width;
		bool ascii;
		const char *expected;
	} rows[] = {
		{"abc", 0, false, "abc"},
		{"abc", 3, false, "abc"},
		{"abcd", 3, false, "ab\u2026"},
		{"abcd", 3, true, "ab~"},
		{"abcd", 1, true, "~"},
		{"41 \u00b0C", 0, true, "41 C"},
		{"12 \u00b5s", 0, true, "12 us"},
		{"\u2265 5", 0, true, ">= 5"},
		{"a\u2026b", 0, true, "a~b"},
		{"\u65e5\u672c", 0, true, "??"},
		{"\u65e5\u672c\u8a9e", 5, false, "\u65e5\u672c\u2026"}, /* two columns each */
		{"\x1b[2J\x9b\xff", 0, false, "?[2J??"},
		{"\xc2\x85x", 0, false, "?x"},          /* a control character of C1 */
		{"a\u202eb\u200bc", 0, false, "a?b?c"}, /* right-to-left, zero width */
		{"", 5, false, ""},
	};
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		text_fit(text, sizeof(text), rows[i].text, rows[i].width, rows[i].ascii);
		assert_string_equal(text, rows[i].expected);
		if (rows[i].width > 0)
			assert_true(str_width(text) <= rows[i].width);
	}
}

static void wrap(void **state)
{
	const struct text_style narrow = {true, 12}, wide = {true, 0};
	struct strbuf out = {0};

	(void)state;
	strbuf_add(&out, "  ");
	text_wrap(&out, &narrow, 2, 4, "one two three four");
	assert_string_equal(out.text, "  one two\n    three\n    four\n");
	strbuf_free(&out);
	text_wrap(&out, &wide, 0, 4, "one two three four five six");
	assert_string_equal(out.text, "one two three four five six\n");
	strbuf_free(&out);
	text_wrap(&out, &narrow, 0, 2, "averyveryverylongword x");
	assert_string_equal(out.text, "averyveryverylongword\n  x\n");
	strbuf_free(&out);
	text_wrap(&out, &narrow, 0, 2, "");
	assert_string_equal(out.text, "\n");
	strbuf_free(&out);
}

static void cells(void **state)
{
	struct inventory_namespace ns;
	char text[64];

	(void)state;
	memset(&ns, 0, sizeof(ns));
	assert_string_equal(text_cell_used(text, sizeof(text), &ns), "-");
	ns.size_known = ns.used_known = true;
	assert_string_equal(text_cell_used(text, sizeof(text), &ns), "-"); /* size 0 */
	ns.size_bytes = 1000;
	assert_string_equal(text_cell_used(text, sizeof(text), &ns), "0 %");
	ns.used_bytes = 1;
	assert_string_equal(text_cell_used(text, sizeof(text), &ns), "<1 %");
	ns.used_bytes = 244;
	assert_string_equal(text_cell_used(text, sizeof(text), &ns), "24 %");
	ns.used_bytes = 245; /* rounded, as on the screens */
	assert_string_equal(text_cell_used(text, sizeof(text), &ns), "25 %");
	ns.used_bytes = 1000;
	assert_string_equal(text_cell_used(text, sizeof(text), &ns), "100 %");
	ns.used_bytes = 1500; /* more in use than there is: said as the drive says it */
	assert_string_equal(text_cell_used(text, sizeof(text), &ns), "150 %");
	ns.used_bytes = (u128)-1; /* times 100 would wrap */
	assert_string_equal(text_cell_used(text, sizeof(text), &ns), ">999 %");
	ns.size_bytes = (u128)-1;
	assert_string_equal(text_cell_used(text, sizeof(text), &ns), "100 %");
	ns.size_bytes = (u128)1 << 90;
	ns.used_bytes = (u128)1 << 89;
	assert_string_equal(text_cell_used(text, sizeof(text), &ns), "50 %");
	assert_string_equal(text_cell_format(text, sizeof(text), &ns), "-");
	ns.lba_bytes = 4096;
	ns.metadata_bytes = 16;
	ns.metadata_extended = true;
	assert_string_equal(text_cell_format(text, sizeof(text), &ns), "4 KiB + 16 B ext");
	assert_string_equal(text_cell_watts(text, sizeof(text), 25.0), "25 W");
	assert_string_equal(text_cell_watts(text, sizeof(text), 0.005), "0.005 W");
	assert_string_equal(text_cell_watts(text, sizeof(text), 12.57), "12.57 W");
	assert_string_equal(text_cell_watts(text, sizeof(text), (double)NAN), "-");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables),
		cmocka_unit_test(fit),
		cmocka_unit_test(wrap),
		cmocka_unit_test(cells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
