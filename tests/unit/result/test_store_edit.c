/* Tags and notes written into saved runs, and runs deleted: nothing else of a file may change, and a
 * run that is being measured is left alone. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/json.h"
#include "example.h"
#include "result/journal.h"
#include "result/store.h"

static char folder[64];

static int setup(void **state)
{
	(void)state;
	example_folder(folder, sizeof(folder));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	example_remove(folder);
	return 0;
}

static char *text_of(const char *path)
{
	size_t length;
	char *text;

	assert_int_equal(file_read(path, 1 << 24, &text, &length, NULL), 0);
	return text;
}

/* text with `with` in front of the first `at`; the caller frees. */
static char *inserted(const char *text, const char *at, const char *with)
{
	const char *place = strstr(text, at);
	struct strbuf out = {0};

	assert_non_null(place);
	strbuf_add_bytes(&out, text, (size_t)(place - text));
	strbuf_add(&out, with);
	strbuf_add(&out, place);
	return out.text;
}

/* A saved run as a later version might have written it: with keys that this one does not know. */
static void save_foreign(struct store_entry *entry)
{
	struct run *run = example_run();
	char path[512], *text, *more, *most;

	run_make_id(run);
	assert_int_equal(store_save(folder, run, path, sizeof(path), NULL), 0);
	text = text_of(path);
	more = inserted(text, "\"summary\":",
		"\"later\":{\"a\":[1,2.50,1e-7,18446744073709551615,-3],\"b\":null},");
	most = inserted(more, "\"run_id\":", "\"mood\":\"good\",");
	assert_int_equal(file_write_atomic(path, most, strlen(most), NULL), 0);
	free(text);
	free(more);
	free(most);
	run_free(run);
	assert_int_equal(store_find(folder, "last", entry, NULL), 0);
	assert_string_equal(entry->fault, "");
}

static void test_marks_change_nothing_else(void **state)
{
	struct store_entry entry, again;
	struct run_marks marks = {0}, none = {0};
	struct run *run;
	char *before, *after;
	struct stat st;

	(void)state;
	save_foreign(&entry);
	assert_true(marks_empty(&entry.marks));
	assert_int_equal(chmod(entry.path, 0600), 0);
	before = text_of(entry.path);
	marks_set_tags(&marks, "fresh batch-7", NULL);
	marks_set_note(&marks, "a\nnote \xc2\xb5 \"quoted\"", NULL);
	assert_int_equal(store_set_marks(&entry, &marks, NULL), 0);
	assert_true(marks_equal(&entry.marks, &marks));
	after = text_of(entry.path);
	assert_string_not_equal(before, after);
	free(after);
	assert_int_equal(stat(entry.path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	/* from the summary, as lists do, and from the run */
	assert_int_equal(store_find(folder, "last", &again, NULL), 0);
	assert_true(marks_equal(&again.marks, &marks));
	assert_int_equal(again.point_count, entry.point_count);
	assert_int_equal(store_load(&again, &run, NULL), 0);
	assert_true(marks_equal(&run->marks, &marks));
	run_free(run);
	/* taken away again, the file is what it was, to the byte */
	assert_int_equal(store_set_marks(&entry, &none, NULL), 0);
	after = text_of(entry.path);
	assert_string_equal(before, after);
	free(before);
	free(after);
}

/* The longest marks must still stand within the part of the file that a list reads. */
static void test_longest_marks(void **state)
{
	struct store_entry entry, again;
	struct run_marks marks = {0};
	char tag[160];

	(void)state;
	save_foreign(&entry);
	for (int i = 0; i < RUN_TAGS_MAX; i++) {
		str_format(tag, sizeof(tag), "%02d", i);
		for (int j = 2; j < RUN_TAG_CHARACTERS; j++)
			strcat(tag, "\xf0\x9f\x98\x80");
		assert_int_equal(marks_add_tag(&marks, tag, NULL), 0);
	}
	memset(marks.note, '"', RUN_NOTE_BYTES);
	assert_int_equal(store_set_marks(&entry, &marks, NULL), 0);
	/* Behind the head the file is damaged now: only the summary can have been read. */
	char *text = text_of(entry.path);
	const size_t length = strlen(text);

	text[length - 1] = '?';
	assert_int_equal(file_write_atomic(entry.path, text, length, NULL), 0);
	free(text);
	assert_int_equal(store_find(folder, "last", &again, NULL), 0);
	assert_string_equal(again.fault, "");
	assert_true(marks_equal(&again.marks, &marks));
}

static void test_no_summary(void **state)
{
	static const char text[] =
		"{\"schema\":\"nvsweep-run/1\",\"run_id\":\"old\",\"points\":[]}";
	struct store_entry entry;
	struct run_marks marks = {0};
	char path[128], *after;

	(void)state;
	str_format(path, sizeof(path), "%s/old.json", folder);
	assert_int_equal(file_write_atomic(path, text, strlen(text), NULL), 0);
	assert_int_equal(store_find(folder, "old", &entry, NULL), 0);
	marks_add_tag(&marks, "x", NULL);
	assert_int_equal(store_set_marks(&entry, &marks, NULL), 0);
	after = text_of(path);
	assert_string_equal(after,
		"{\"schema\":\"nvsweep-run/1\",\"run_id\":\"old\",\"points\":[],"
		"\"tags\":[\"x\"],\"note\":null}");
	free(after);
	assert_int_equal(store_find(folder, "old", &entry, NULL), 0);
	assert_int_equal(entry.marks.tag_count, 1);
}

static void test_refused(void **state)
{
	static const char newer[] = "{\"schema\":\"nvsweep-run/9\",\"run_id\":\"new\"}";
	struct store_entry entry = {.id = "new"};
	struct run_marks marks = {0};
	struct err err = {0};
	char *after;

	(void)state;
	str_format(entry.path, sizeof(entry.path), "%s/new.json", folder);
	assert_int_equal(file_write_atomic(entry.path, newer, strlen(newer), NULL), 0);
	assert_int_equal(store_set_marks(&entry, &marks, &err), -ENOTSUP);
	assert_non_null(strstr(err.text, "newer nvsweep"));
	after = text_of(entry.path);
	assert_string_equal(after, newer);
	free(after);
	/* but it can be deleted */
	assert_int_equal(store_delete(&entry, NULL), 0);
	assert_int_equal(access(entry.path, F_OK), -1);
	assert_int_equal(store_set_marks(&entry, &marks, &err), -ESTALE);
	assert_non_null(strstr(err.text, "no longer there"));
	assert_int_equal(store_delete(&entry, &err), -ENOENT);
}

static struct journal *begin_journal(struct run *run)
{
	struct run_point point = example_point(10, false);
	struct journal *journal;

	run_make_id(run);
	assert_int_equal(journal_open(folder, run, &journal, NULL), 0);
	assert_int_equal(journal_point(journal, &point, false, NULL), 0);
	free(point.histogram);
	return journal;
}

static void test_running(void **state)
{
	struct run *run = example_run();
	struct journal *journal = begin_journal(run);
	struct store_entry entry;
	struct run_marks marks = {0};
	struct err err = {0};

	(void)state;
	marks_add_tag(&marks, "x", NULL);
	assert_int_equal(store_find(folder, "last", &entry, NULL), 0);
	assert_true(entry.running);
	assert_int_equal(store_set_marks(&entry, &marks, &err), -EBUSY);
	assert_non_null(strstr(err.text, "still running"));
	assert_int_equal(store_delete(&entry, &err), -EBUSY);
	assert_non_null(strstr(err.text, "still running"));
	assert_int_equal(access(entry.path, F_OK), 0);
	/* saved, but the process that measured it is not through yet */
	assert_int_equal(store_save(folder, run, NULL, 0, NULL), 0);
	assert_int_equal(store_find(folder, "last", &entry, NULL), 0);
	assert_false(entry.running);
	assert_int_equal(store_delete(&entry, &err), -EBUSY);
	assert_int_equal(access(entry.path, F_OK), 0);
	journal_close(journal, false);
	assert_int_equal(store_delete(&entry, NULL), 0);
	run_free(run);
}

static void test_partial(void **state)
{
	struct run *run = example_run(), *back;
	struct journal *journal = begin_journal(run);
	struct store_entry entry, again;
	struct run_marks marks = {0};
	char left[512];

	(void)state;
	journal_close(journal, true); /* as after kill -9 */
	assert_int_equal(store_find(folder, "last", &entry, NULL), 0);
	assert_true(entry.partial);
	str_copy(left, sizeof(left), entry.path);
	marks_add_tag(&marks, "killed", NULL);
	assert_int_equal(store_set_marks(&entry, &marks, NULL), 0);
	assert_int_equal(access(left, F_OK), -1);
	assert_true(str_ends_with(entry.path, ".json"));
	assert_false(entry.partial);
	assert_int_equal(store_find(folder, "last", &again, NULL), 0);
	assert_string_equal(again.path, entry.path);
	assert_true(marks_equal(&again.marks, &marks));
	assert_int_equal(store_load(&again, &back, NULL), 0);
	assert_int_equal(back->outcome, RUN_ABORTED);
	assert_string_equal(back->reason, "the program ended while the test ran");
	assert_int_equal(back->point_count, 1);
	run_free(back);
	run_free(run);
}

/* Both files of a run go, and no other. */
static void test_delete(void **state)
{
	struct run *run = example_run();
	struct journal *journal = begin_journal(run);
	struct store_entry entry, *entries;
	char left[600], other[512];
	size_t count;

	(void)state;
	assert_int_equal(store_save(folder, run, NULL, 0, NULL), 0);
	journal_close(journal, true);
	assert_int_equal(store_find(folder, "last", &entry, NULL), 0);
	run->seed++;
	run->started--;
	run_make_id(run);
	assert_int_equal(store_save(folder, run, other, sizeof(other), NULL), 0);
	assert_int_equal(store_delete(&entry, NULL), 0);
	str_format(left, sizeof(left), "%.*s.journal", (int)strlen(entry.path) - 5, entry.path);
	assert_int_equal(access(left, F_OK), -1);
	assert_int_equal(access(entry.path, F_OK), -1);
	assert_int_equal(access(other, F_OK), 0);
	assert_int_equal(store_list(folder, &entries, &count, NULL), 0);
	assert_int_equal(count, 1);
	free(entries);
	run_free(run);
}

#define EACH(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(test_marks_change_nothing_else),
		EACH(test_longest_marks),
		EACH(test_no_summary),
		EACH(test_refused),
		EACH(test_running),
		EACH(test_partial),
		EACH(test_delete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
