/* Comma separated values: what RFC 4180 allows, what is no CSV, and that what is written reads back. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/csv.h"

static struct csv_reader reader_of(const char *text)
{
	return (struct csv_reader){.origin = "x.csv", .text = text, .length = strlen(text)};
}

static void expect_fields(struct csv_reader *reader, size_t line, size_t count, ...)
{
	va_list args;

	assert_int_equal(csv_read(reader, NULL), 1);
	assert_int_equal(reader->line, line);
	assert_int_equal(reader->field_count, count);
	va_start(args, count);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(reader->fields[i], va_arg(args, const char *));
	va_end(args);
}

static void test_read(void **state)
{
	struct csv_reader r = reader_of("\xef\xbb\xbf# a remark, with \"quotes\n\na,b c,\r\n"
					"\"x,y\",\"say \"\"hi\"\"\",\"two\nlines\"\n"
					",,\n#end\nlast,1,2");

	(void)state;
	expect_fields(&r, 3, 3, "a", "b c", "");
	assert_int_equal(csv_find(&r, "b c"), 1);
	assert_int_equal(csv_find(&r, "b"), -1);
	expect_fields(&r, 4, 3, "x,y", "say \"hi\"", "two\nlines");
	expect_fields(&r, 6, 3, "", "", "");
	expect_fields(&r, 8, 3, "last", "1", "2");
	assert_int_equal(csv_read(&r, NULL), 0);
	assert_int_equal(csv_read(&r, NULL), 0);
	csv_free(&r);
}

static void expect_fault(const char *text, size_t length, const char *says)
{
	struct csv_reader r = {.origin = "x.csv", .text = text, .length = length};
	struct err err = {0};
	int rc;

	while ((rc = csv_read(&r, &err)) > 0)
		;
	assert_int_equal(rc, -EINVAL);
	assert_non_null(strstr(err.text, says));
	csv_free(&r);
}

static void test_faults(void **state)
{
	char many[256] = "";

	(void)state;
	expect_fault("a\n\"b", 4, "x.csv:2: a quoted field does not end");
	expect_fault("\"a\"b,c\n", 7, "x.csv:1: something stands between");
	expect_fault("a\0b", 3, "NUL");
	expect_fault("ok\n\n\x80\n", 6, "x.csv:3: holds bytes");
	expect_fault("\x1b[2J\n", 5, "x.csv:1: holds bytes");
	memset(many, ',', 70);
	expect_fault(many, 70, "more than 64 fields");
}

static void test_empty(void **state)
{
	struct csv_reader r = reader_of("");

	(void)state;
	assert_int_equal(csv_read(&r, NULL), 0);
	csv_free(&r);
	r = reader_of("# only a remark");
	assert_int_equal(csv_read(&r, NULL), 0);
	csv_free(&r);
}

static void test_write(void **state)
{
	struct strbuf out = {0};

	(void)state;
	csv_add(&out, true, "plain");
	csv_add(&out, false, "a,b");
	csv_add(&out, false, "say \"hi\"");
	csv_add(&out, false, "two\nlines");
	csv_add(&out, false, " space");
	csv_add(&out, false, "#no remark");
	csv_add(&out, false, "");
	csv_add_double(&out, false, 0.1);
	csv_add_double(&out, false, NAN);
	csv_add_double(&out, false, INFINITY);
	csv_add_double(&out, false, -1234567);
	csv_end_record(&out);
	assert_string_equal(out.text,
		"plain,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",\" space\",\"#no remark\",,0.1,,,"
		"-1234567\n");

	struct csv_reader r = reader_of(out.text);

	expect_fields(&r, 1, 11, "plain", "a,b", "say \"hi\"", "two\nlines", " space", "#no remark",
		"", "0.1", "", "", "-1234567");
	csv_free(&r);
	strbuf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
