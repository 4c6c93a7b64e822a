/* The filter of a list of runs, on a hand-made list. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "result/filter.h"

/* 2026-12-01T12:00:00Z, as `date -d @1796126400` says. */
#define NOW INT64_C(1796126400)
#define DAY INT64_C(86400)

static struct store_entry entry(const char *id, const char *target, const char *model,
	const char *workload, const char *method, enum run_outcome outcome, int64_t started)
{
	struct store_entry e = {.started = started, .outcome = outcome};

	str_copy(e.id, sizeof(e.id), id);
	str_copy(e.target, sizeof(e.target), target);
	str_copy(e.model, sizeof(e.model), model);
	str_copy(e.workload, sizeof(e.workload), workload);
	str_copy(e.method, sizeof(e.method), method);
	return e;
}

static struct store_entry list[5];

static void fill(void)
{
	list[0] = entry("2026-12-01T11-a", "nvme0n1", "Samsung PM9A3", "sql", "curve", RUN_COMPLETE,
		NOW - 3600);
	marks_set_tags(&list[0].marks, "fresh batch-7", NULL);
	list[1] = entry("2026-11-30T23-b", "nvme1n1", "Intel P5510", "rand-read-4k", "fixed",
		RUN_STOPPED, NOW - 12 * 3600 - 1);
	marks_set_note(&list[1].marks, "Hot room,\nfan broken", NULL);
	list[2] = entry("2026-11-01T00-c", "pm9a3n1", "SIM PM9A3", "sql-90-10", "curve",
		RUN_COMPLETE, NOW - 30 * DAY - 43200);
	list[2].simulated = true;
	marks_set_tags(&list[2].marks, "worn", NULL);
	list[3] = entry("2026-10-31T23-d", "demo:x", "", "sql", "curve", RUN_ABORTED,
		NOW - 30 * DAY - 43201);
	list[3].partial = true;
	list[4] = entry("broken", "", "", "", "", RUN_ABORTED, NOW - 400 * DAY);
	str_copy(list[4].fault, sizeof(list[4].fault), "not valid JSON");
}

/* The letters of the runs that fit: "ad". */
static void expect(const char *text, const char *which)
{
	static const char letters[] = "abcde";
	struct run_filter *filter;
	struct err err = {0};
	char found[8] = "";
	size_t length = 0;

	if (filter_parse(text, NOW, &filter, &err))
		fail_msg("%s: %s", text, err.text);
	for (size_t i = 0; i < 5; i++)
		if (filter_fits(filter, &list[i]))
			found[length++] = letters[i];
	if (strcmp(found, which))
		fail_msg("\"%s\" gives \"%s\", not \"%s\"", text, found, which);
	filter_free(filter);
}

static void test_words(void **state)
{
	(void)state;
	fill();
	expect("", "abcde");
	expect("  ", "abcde");
	expect("sql", "acd");
	expect("SQL curve", "acd");
	expect("sql PM9A3", "ac");
	expect("nvme0n1", "a");
	expect("fresh", "a");
	expect("fan", "b");
	expect("\"hot room\"", "b");
	expect("room hot", "b");
	expect("\"room hot\"", "");
	expect("stopped", "b");
	expect("simulated", "c");
	expect("partial", "d");
	expect("unreadable", "e");
	expect("-sql", "be");
	expect("-sql -b", "");
	expect("!sql -unreadable", "b");
	expect("demo:x", "d"); /* a colon of its own */
	expect("2026-11", "bc");
	expect("nothing", "");
}

static void test_keys(void **state)
{
	(void)state;
	fill();
	expect("tag:fresh", "a");
	expect("tag:FRESH", "a");
	expect("tag:fres", ""); /* a whole tag */
	expect("tag:fresh,worn", "ac");
	expect("-tag:fresh,worn", "bde");
	expect("workload:sql", "acd");
	expect("workload:sql-90", "c");
	expect("method:curve target:nvme", "a");
	expect("model:intel,samsung", "ab");
	expect("note:broken", "b");
	expect("note:\"hot room, \"", "");
	expect("id:2026-10", "d");
	expect("outcome:complete", "ac");
	expect("outcome:stopped,aborted", "bd");
	expect("outcome:partial", "d");
	expect("outcome:unreadable", "e");
	expect("is:simulated", "c");
	expect("is:real", "abd");
	expect("is:tagged -is:simulated", "a");
	expect("is:noted", "b");
	expect("is:partial", "d");
	expect("is:running", "");
	expect("TAG:worn", "c");
	expect("\"tag:fresh\"", ""); /* quoted: the text itself */
}

static void test_dates(void **state)
{
	(void)state;
	fill();
	expect("since:2026-11-01", "abc");
	expect("since:2026-11", "abc");
	expect("since:2026", "abcd");
	expect("until:2026-10-31", "de");
	expect("until:2026-10", "de");
	expect("until:2026-11-01", "cde");
	expect("since:2026-11-01 until:2026-11-01", "c");
	expect("since:2026-11-01 until:2026-11", "bc");
	expect("since:2026-12-01T11:00", "a");
	expect("since:2026-12-01T11:00:01", "");
	expect("until:2026-12-01T10", "bcde");
	expect("until:2026-12-01T11", "abcde");
	expect("since:today", "a");
	expect("until:yesterday", "bcde");
	expect("since:yesterday", "ab");
	expect("since:2h", "a");
	expect("since:1d", "ab");
	expect("since:4w", "ab");
	expect("since:31d", "abcd");
	expect("-since:2026-11-01", "de");
}

static void expect_fault(const char *text, const char *says)
{
	struct run_filter *filter = (void *)1;
	struct err err = {0};

	assert_int_equal(filter_parse(text, NOW, &filter, &err), -EINVAL);
	assert_null(filter);
	assert_int_equal(err.exit, ERR_EXIT_USAGE);
	if (!strstr(err.text, says))
		fail_msg("\"%s\": \"%s\" does not say \"%s\"", text, err.text, says);
}

static void test_faults(void **state)
{
	(void)state;
	expect_fault("worklaod:sql", "did you mean workload:?");
	expect_fault("tags:x", "did you mean tag:?");
	expect_fault("tag:", "tag: needs something");
	expect_fault("tag:a,", "tag: needs something");
	expect_fault("outcome:done", "complete, stopped, aborted");
	expect_fault("is:fake", "simulated, real");
	expect_fault("since:monday", "\"monday\" is no date");
	expect_fault("since:2026-13", "is no date");
	expect_fault("since:2026-02-30", "is no date");
	expect_fault("since:2026-11-01x", "is no date");
	expect_fault("until:5", "is no date");
	expect_fault("sql since:", "since: needs something");
}

static void test_apply(void **state)
{
	struct run_filter *filter;

	(void)state;
	fill();
	assert_int_equal(filter_parse("curve", NOW, &filter, NULL), 0);
	assert_false(filter_is_empty(filter));
	assert_int_equal(filter_apply(filter, list, 5), 3);
	assert_string_equal(list[0].id, "2026-12-01T11-a");
	assert_string_equal(list[1].id, "2026-11-01T00-c");
	assert_string_equal(list[2].id, "2026-10-31T23-d");
	filter_free(filter);
	assert_int_equal(filter_parse(" \"\" ", NOW, &filter, NULL), 0);
	assert_true(filter_is_empty(filter));
	filter_free(filter);
	assert_true(filter_is_empty(NULL));
	filter_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_dates),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_apply),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
