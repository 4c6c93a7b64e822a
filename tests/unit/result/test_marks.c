/* Tags and notes: what is allowed, what is said of the rest, and files that hold something else. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "result/marks.h"

static void expect_refused(const char *tag, const char *says)
{
	struct run_marks marks = {0};
	struct err err = {0};

	assert_int_equal(marks_add_tag(&marks, tag, &err), -EINVAL);
	assert_int_equal(err.exit, ERR_EXIT_USAGE);
	assert_non_null(strstr(err.text, says));
	assert_int_equal(marks.tag_count, 0);
}

static void test_tags(void **state)
{
	struct run_marks marks = {0};
	struct err err = {0};
	char text[256];

	(void)state;
	assert_true(marks_empty(&marks));
	assert_int_equal(marks_add_tag(&marks, "fresh", NULL), 0);
	assert_int_equal(marks_add_tag(&marks, "batch-7", NULL), 0);
	assert_int_equal(marks_add_tag(&marks, "FRESH", NULL), 0); /* the first spelling stays */
	assert_string_equal(marks_tags_text(&marks, text, sizeof(text)), "fresh, batch-7");
	assert_true(marks_have_tag(&marks, "Batch-7"));
	assert_false(marks_have_tag(&marks, "batch"));
	assert_false(marks_empty(&marks));
	assert_int_equal(marks_remove_tag(&marks, "worn", &err), -ENOENT);
	assert_string_equal(err.text, "no tag worn; its tags are fresh, batch-7");
	assert_int_equal(marks_remove_tag(&marks, "fresh", NULL), 0);
	assert_string_equal(marks_tags_text(&marks, text, sizeof(text)), "batch-7");
	assert_int_equal(marks_remove_tag(&marks, "batch-7", NULL), 0);
	assert_int_equal(marks_remove_tag(&marks, "x", &err), -ENOENT);
	assert_string_equal(err.text, "no tag x; it has none");
}

static void test_refused(void **state)
{
	struct run_marks marks = {0};
	struct err err = {0};
	char name[16];

	(void)state;
	expect_refused("", "empty");
	expect_refused("two words", "space");
	expect_refused("a,b", "comma");
	expect_refused("-x", "begins with -");
	expect_refused("a\x1b[2J", "cannot be shown");
	expect_refused("\xff", "cannot be shown");
	expect_refused("\xe2\x80\xae", "cannot be shown"); /* turns the writing round */
	expect_refused("12345678901234567890123456789012", "longer than 31");
	assert_int_equal(marks_add_tag(&marks, "1234567890123456789012345678901", NULL), 0);
	for (int i = 1; i < RUN_TAGS_MAX; i++) {
		str_format(name, sizeof(name), "t%d", i);
		assert_int_equal(marks_add_tag(&marks, name, NULL), 0);
	}
	assert_int_equal(marks_add_tag(&marks, "more", &err), -E2BIG);
	assert_non_null(strstr(err.text, "at most 16"));
	assert_int_equal(marks.tag_count, RUN_TAGS_MAX);
}

static void test_list(void **state)
{
	struct run_marks marks = {0};
	char text[256];

	(void)state;
	assert_int_equal(marks_set_tags(&marks, " a, b c,,d ", NULL), 0);
	assert_string_equal(marks_tags_text(&marks, text, sizeof(text)), "a, b, c, d");
	assert_int_equal(marks_set_tags(&marks, "e -f", NULL), -EINVAL); /* nothing half done */
	assert_string_equal(marks_tags_text(&marks, text, sizeof(text)), "a, b, c, d");
	assert_int_equal(marks_set_tags(&marks, "", NULL), 0);
	assert_true(marks_empty(&marks));
}

static void test_note(void **state)
{
	struct run_marks marks = {0};
	struct err err = {0};
	char full[RUN_NOTE_BYTES + 2];

	(void)state;
	assert_int_equal(
		marks_set_note(&marks, "  first \r\n\tthen\x1b 5 \xc2\xb5s \n\n", NULL), 0);
	assert_string_equal(marks.note, "first\n then? 5 \xc2\xb5s");
	memset(full, 'n', RUN_NOTE_BYTES);
	full[RUN_NOTE_BYTES] = '\0';
	assert_int_equal(marks_set_note(&marks, full, NULL), 0);
	assert_int_equal(strlen(marks.note), RUN_NOTE_BYTES);
	strcat(full, "n");
	assert_int_equal(marks_set_note(&marks, full, &err), -E2BIG);
	assert_non_null(strstr(err.text, "501 bytes"));
	assert_int_equal(strlen(marks.note), RUN_NOTE_BYTES);
	assert_int_equal(marks_set_note(&marks, " \n", NULL), 0);
	assert_string_equal(marks.note, "");
}

static void test_json(void **state)
{
	struct run_marks marks = {0}, back;
	struct json *object = json_object();
	static const char foreign[] = "{\"tags\":[\"ok\",5,\"two words\",\"\",\"OK\"],"
				      "\"note\":\"a\\u0007b\"}";
	char *text;

	(void)state;
	marks_to_json(&marks, object);
	text = json_text(object, false);
	assert_string_equal(text, "{\"tags\":[],\"note\":null}");
	free(text);
	marks_set_tags(&marks, "a \xc2\xb5", NULL);
	marks_set_note(&marks, "x\ny \"z\"", NULL);
	marks_to_json(&marks, object);
	marks_from_json(object, &back);
	assert_true(marks_equal(&marks, &back));
	json_free(object);
	/* what another program wrote there does not keep the run from being read */
	assert_int_equal(json_parse("foreign", foreign, strlen(foreign), &object, NULL), 0);
	marks_from_json(object, &back);
	assert_int_equal(back.tag_count, 1);
	assert_string_equal(back.tags[0], "ok");
	assert_string_equal(back.note, "a?b");
	json_free(object);
	marks_from_json(NULL, &back);
	assert_true(marks_empty(&back));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tags),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_note),
		cmocka_unit_test(test_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
