/* JSON built, printed and read back; hostile documents. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/rng.h"

static struct json *parse(const char *text)
{
	struct json *value = NULL;
	struct err err = {0};

	if (json_parse("doc", text, strlen(text), &value, &err) < 0)
		fail_msg("%s", err.text);
	return value;
}

static void assert_prints(struct json *value, const char *expected)
{
	char *text = json_text(value, false);

	assert_string_equal(text, expected);
	free(text);
	json_free(value);
}

static void built_values_print(void **state)
{
	struct json *object = json_object(), *array = json_array();
	char *text;

	(void)state;
	json_set_string(object, "path", "/dev/nvme0n1");
	json_set_string(object, "none", NULL);
	json_set_u64(object, "max", UINT64_MAX);
	json_set_i64(object, "min", INT64_MIN);
	json_set_double(object, "tenth", 0.1);
	json_set_double(object, "whole", 3);
	json_set_double(object, "nan", NAN);
	json_set_double(object, "inf", -INFINITY);
	json_set_bool(object, "yes", true);
	json_set_null(object, "null");
	json_set_u128(object, "big", ~(u128)0);
	json_set_u128(object, "small", 7);
	json_set_error(object, "smart", "no permission");
	json_add_u64(array, 1);
	json_add_i64(array, -1);
	json_add_double(array, 2.5);
	json_add_double(array, NAN);
	json_add_string(array, "x");
	json_add(array, json_null());
	json_set(object, "list", array);
	json_set_bool(object, "yes", false);
	assert_prints(object,
		"{\"path\":\"/dev/nvme0n1\",\"none\":null,\"max\":18446744073709551615,"
		"\"min\":-9223372036854775808,\"tenth\":0.1,\"whole\":3,\"nan\":null,\"inf\":null,"
		"\"yes\":false,\"null\":null,\"big\":\"340282366920938463463374607431768211455\","
		"\"small\":\"7\",\"smart\":{\"error\":\"no permission\"},"
		"\"list\":[1,-1,2.5,null,\"x\",null]}");
	object = json_object();
	json_set_u64(object, "a", 1);
	text = json_text(object, true);
	assert_string_equal(text, "{\n  \"a\": 1\n}");
	free(text);
	json_free(object);
	assert_prints(json_null(), "null");
	json_free(NULL);
}

static void outside_bytes_become_valid_utf8(void **state)
{
	struct json *object = json_object(), *back;
	const char *text;
	char *printed;

	(void)state;
	json_set_string(object, "s", "A\xff\xc0\xafz\xed\xa0\x80 \xc2\xb5 \"\\\n\x01");
	json_set_string(object, "k\xfe", "v");
	printed = json_text(object, false);
	assert_string_equal(
		printed, "{\"s\":\"A???z??? \xc2\xb5 \\\"\\\\\\n\\u0001\",\"k?\":\"v\"}");
	/* the parser checks UTF-8, so this is a second opinion */
	back = parse(printed);
	assert_int_equal(json_read_string(back, "s", &text, NULL), 0);
	assert_string_equal(text, "A???z??? \xc2\xb5 \"\\\n\x01");
	free(printed);
	json_free(object);
	json_free(back);
}

static void typed_reads(void **state)
{
	struct json *o =
		parse("{\"u\":18446744073709551615,\"i\":-5,\"d\":1.5,\"s\":\"12\",\"b\":true,"
		      "\"n\":null,\"z\":\"a\\u0000b\",\"inf\":1e999,\"w\":2.0,"
		      "\"big\":\"340282366920938463463374607431768211455\","
		      "\"a\":[1,\"x\",2.5,null],\"o\":{\"k\":1}}");
	struct json *a = json_get(o, "a");
	const char *text;
	struct err err;
	uint64_t u = 0;
	int64_t i = 0;
	double d = 0;
	bool b = false;
	u128 big = 0;

	(void)state;
	assert_int_equal(json_read_u64(o, "u", &u, &err), 0);
	assert_true(u == UINT64_MAX);
	assert_int_equal(json_read_u64(o, "i", &u, &err), -EINVAL);
	assert_string_equal(err.text, "\"i\" is negative");
	assert_int_equal(json_read_u64(o, "missing", &u, &err), -ENOENT);
	assert_string_equal(err.text, "\"missing\" is missing");
	assert_int_equal(json_read_u64(o, "n", &u, &err), -ENOENT);
	assert_int_equal(json_read_u64(o, "w", &u, &err), -EINVAL);
	assert_int_equal(json_read_u64(o, "s", &u, &err), -EINVAL);
	assert_true(u == UINT64_MAX);
	assert_int_equal(json_read_i64(o, "i", &i, &err), 0);
	assert_int_equal(i, -5);
	assert_int_equal(json_read_i64(o, "u", &i, &err), -EINVAL);
	assert_int_equal(json_read_double(o, "d", &d, &err), 0);
	assert_true(d == 1.5);
	assert_int_equal(json_read_double(o, "i", &d, &err), 0);
	assert_true(d == -5);
	assert_int_equal(json_read_double(o, "inf", &d, &err), -EINVAL);
	assert_int_equal(json_read_double(o, "s", &d, &err), -EINVAL);
	assert_int_equal(json_read_bool(o, "b", &b, &err), 0);
	assert_true(b);
	assert_int_equal(json_read_bool(o, "u", &b, &err), -EINVAL);
	assert_int_equal(json_read_string(o, "s", &text, &err), 0);
	assert_string_equal(text, "12");
	assert_int_equal(json_read_string(o, "z", &text, &err), -EINVAL);
	assert_int_equal(json_read_string(o, "u", &text, &err), -EINVAL);
	assert_int_equal(json_read_u128(o, "big", &big, &err), 0);
	assert_true(big == ~(u128)0);
	assert_int_equal(json_read_u128(o, "u", &big, &err), 0);
	assert_true(big == UINT64_MAX);
	assert_int_equal(json_read_u128(o, "i", &big, &err), -EINVAL);
	assert_int_equal(json_read_u128(o, "z", &big, &err), -EINVAL);
	assert_int_equal(json_length(a), 4);
	assert_int_equal(json_at_u64(a, 0, &u, &err), 0);
	assert_int_equal(json_at_u64(a, 1, &u, &err), -EINVAL);
	assert_string_equal(err.text, "element [1] is not a whole number");
	assert_int_equal(json_at_string(a, 1, &text, &err), 0);
	assert_int_equal(json_at_double(a, 2, &d, &err), 0);
	assert_int_equal(json_at_double(a, 3, &d, &err), -ENOENT);
	assert_int_equal(json_at_double(a, 4, &d, &err), -ENOENT);
	assert_true(json_is_array(a) && !json_is_object(a) && json_is_object(o));
	assert_true(json_is_null(o, "n") && json_is_null(o, "q") && !json_is_null(o, "u"));
	/* the wrong kind of container is empty, not a crash */
	assert_null(json_get(a, "k"));
	assert_null(json_at(o, 0));
	assert_int_equal(json_length(o), 0);
	assert_int_equal(json_key_count(a), 0);
	assert_null(json_key(a, 0));
	assert_null(json_get(NULL, "k"));
	assert_int_equal(json_key_count(o), 12);
	assert_string_equal(json_key(o, 0), "u");
	assert_string_equal(json_key(o, 11), "o");
	assert_null(json_key(o, 12));
	json_free(o);
}

static void assert_refused(const char *text, size_t length)
{
	struct json *value = NULL;
	struct err err = {0};

	if (json_parse("doc", text, length, &value, &err) != -EINVAL) {
		json_free(value);
		fail_msg("%.40s was taken", text);
	}
	assert_null(value);
	assert_int_equal(strncmp(err.text, "doc: ", 5), 0);
	assert_non_null(strstr(err.text, "offset"));
}

static void broken_documents(void **state)
{
	static const char *const bad[] = {"", " ", "{", "{\"a\":1", "{\"a\":}", "{\"a\":1,}",
		"[1,]", "[1 2]", "{a:1}", "\"x", "tru", "1 2", "{} x", "[1]]", "/* c */ 1",
		"\"\xff\"", "\"\\ud800\\u0041", "{\"a\":99999999999999999999999}", "{'a':1}",
		"18446744073709551616", "[-9223372036854775809]", "\"a\nb", "-", "+1", "nul",
		"\xef\xbb\xbf{}"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_refused(bad[i], strlen(bad[i]));
	assert_refused("1\0", 2);
	assert_refused("{}\0{}", 5);
	/* a text without a terminator is read to its length only */
	assert_refused("[1]", 2);
}

static void whole_documents(void **state)
{
	(void)state;
	assert_prints(parse(" 12 "), "12");
	assert_prints(parse("12"), "12");
	assert_prints(parse("[18446744073709551615,-9223372036854775808]"),
		"[18446744073709551615,-9223372036854775808]");
	assert_prints(parse("[\"99999999999999999999999'\\\"'\"]"),
		"[\"99999999999999999999999'\\\"'\"]");
	assert_prints(parse("[99999999999999999999999.5]"), "[99999999999999999999999.5]");
	assert_prints(parse("null"), "null");
	assert_prints(parse("\"x\"\n"), "\"x\"");
	assert_prints(parse("[]\r\n\t "), "[]");
}

static void deep_nesting_is_refused(void **state)
{
	char text[20001];
	struct json *value = NULL;

	(void)state;
	memset(text, '[', 10000);
	memset(text + 10000, ']', 10000);
	text[20000] = '\0';
	assert_refused(text, 20000);
	memset(text, '[', 60);
	memset(text + 60, ']', 60);
	assert_int_equal(json_parse("doc", text, 120, &value, NULL), 0);
	json_free(value);
}

/* Every prefix and many damaged copies of a document: refused or read, nothing else. */
static void damaged_documents(void **state)
{
	static const char good[] =
		"{\"a\":[1,2.5,-3e2,\"x\\u00b5\"],\"b\":{\"c\":null,\"d\":true}}";
	struct rng rng;

	(void)state;
	for (size_t n = 0; n < sizeof(good) - 1; n++)
		assert_refused(good, n);
	rng_seed(&rng, 5, 0);
	for (int round = 0; round < 20000; round++) {
		char text[sizeof(good)];
		struct json *value = NULL, *again = NULL;
		char *printed;

		memcpy(text, good, sizeof(good));
		for (uint64_t k = rng_below(&rng, 3); k < 3; k++)
			text[rng_below(&rng, sizeof(good) - 1)] = (char)rng_below(&rng, 256);
		if (json_parse("doc", text, sizeof(good) - 1, &value, NULL) < 0)
			continue;
		printed = json_text(value, false);
		assert_int_equal(json_parse("doc", printed, strlen(printed), &again, NULL), 0);
		free(printed);
		json_free(value);
		json_free(again);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(built_values_print),
		cmocka_unit_test(outside_bytes_become_valid_utf8),
		cmocka_unit_test(typed_reads),
		cmocka_unit_test(broken_documents),
		cmocka_unit_test(whole_documents),
		cmocka_unit_test(deep_nesting_is_refused),
		cmocka_unit_test(damaged_documents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
