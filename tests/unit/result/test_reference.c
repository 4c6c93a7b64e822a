/* Published figures: the files' faults, group rows, which rows may be compared with a run, ranks and
 * gaps worked out by hand. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "conf/assets.h"
#include "result/reference.h"

#define COLUMNS                                                                             \
	"drive,capacity,drives_in_group,workload_id,start_iops,start_latency_us,peak_iops," \
	"peak_latency_us,peak_mib_s,littles_concurrency,confidence,basis,review\n"

/* Rates of 8, 1, 1, 1 and 1 drives: 120,000 100,000 80,000 and 50,000 per drive; one is not sure, one
 * was taken at 512 outstanding. */
static const char field[] =
	"# a remark\n" COLUMNS
	"Ahead,4TB,8,rand-read-4k,80000,70,960000,1066.4,,127.97,high,published,R1\n"
	"Level,,1,rand-read-4k,,,100500,1270,,127.6,medium,published,R2\n"
	"Behind,1TB,1,rand-read-4k,,,80000,1600,,128,high,published,R2\n"
	"Far,1TB,1,rand-read-4k,,,50000,2560,,128,high,published,R2\n"
	"Deep,1TB,1,rand-read-4k,,,150000,3413,,512,high,published,R3\n"
	"Doubtful,1TB,1,rand-read-4k,,,999999,128,,128,low,derived,R3\n"
	"Other,1TB,1,sql,,,90000,355,,32,high,published,R3\n"
	"Small,1TB,1,rand-write-4k,,,90000,133,,12,high,published,R3\n"
	"Seq,1TB,1,seq-read-64k,,,16000,1000,1010,16,high,published,R3\n"
	"Mib,1TB,1,seq-read-64k,,,,,1200,16,high,published,R3\n";

static void load(struct reference_table *table, const char *text)
{
	struct err err = {0};

	*table = (struct reference_table){0};
	if (reference_parse("x.csv", text, strlen(text), table, &err))
		fail_msg("%s", err.text);
}

static struct run *run_of(const char *workload, const char *method, double iops, double mean_us,
	uint32_t outstanding, double block)
{
	struct run *run = run_create();
	struct run_point point;

	str_copy(run->workload, sizeof(run->workload), workload);
	str_copy(run->method, sizeof(run->method), method);
	run->outcome = RUN_COMPLETE;
	run->target_count = 1;
	run_point_clear(&point);
	str_copy(point.label, sizeof(point.label), "fixed");
	point.iops = iops;
	point.mib_s = iops * block / 1048576;
	point.service.mean = mean_us * 1000;
	point.outstanding_limit = outstanding;
	point.outstanding_avg = iops * mean_us / 1e6;
	point.count = 100000;
	run_add_point(run, &point);
	run_analyse(run);
	return run;
}

static const struct reference_match *match_of(
	const struct reference_comparison *c, const char *drive)
{
	for (size_t i = 0; i < c->count; i++)
		if (!strcmp(c->rows[i].row->drive, drive))
			return &c->rows[i];
	fail_msg("%s is not among the rows", drive);
	return NULL;
}

static bool noted(const struct reference_comparison *c, const char *text)
{
	for (size_t i = 0; i < c->note_count; i++)
		if (strstr(c->notes[i], text))
			return true;
	return false;
}

static void test_parse(void **state)
{
	struct reference_table table;

	(void)state;
	load(&table, field);
	assert_int_equal(table.count, 10);
	assert_string_equal(table.rows[0].drive, "Ahead");
	assert_string_equal(table.rows[0].origin, "x.csv:3");
	assert_int_equal(table.rows[0].drives, 8);
	assert_float_equal(table.rows[0].peak_iops, 120000, 1e-6);
	assert_float_equal(table.rows[0].start_iops, 10000, 1e-6);
	assert_float_equal(table.rows[0].start_ns, 70000, 1e-6);
	assert_float_equal(table.rows[0].peak_ns, 1066400, 1e-6);
	assert_float_equal(table.rows[0].outstanding, 127.97, 1e-9); /* per drive already */
	assert_true(isnan(table.rows[1].start_iops));
	assert_int_equal(table.rows[1].confidence, REFERENCE_MEDIUM);
	assert_true(isnan(table.rows[9].outstanding) == false);
	assert_true(isnan(table.rows[9].peak_iops));
	reference_table_free(&table);
	/* Columns may be in any order, and those that a row does not need may be missing. */
	load(&table,
		"peak_iops,peak_latency_us,confidence,workload_id,drive\n1000,500,high,sql,Mine\n");
	assert_int_equal(table.count, 1);
	assert_int_equal(table.rows[0].drives, 1);
	assert_float_equal(table.rows[0].outstanding, 0.5, 1e-9); /* Little's law */
	reference_table_free(&table);
	/* figures of another kind are no curves, and no fault */
	load(&table,
		"drive,test,config,metric,value,confidence,basis,review\nX,t,c,m,1,high,b,r\n");
	assert_int_equal(table.count, 0);
	reference_table_free(&table);
}

static void expect_fault(const char *rows, const char *says)
{
	struct reference_table table = {0};
	struct strbuf text = {0};
	struct err err = {0};

	strbuf_addf(&text, "%s%s", COLUMNS, rows);
	assert_int_equal(
		reference_parse("mine.csv", text.text, text.length, &table, &err), -EINVAL);
	if (!strstr(err.text, says))
		fail_msg("\"%s\" does not say \"%s\"", err.text, says);
	assert_int_equal(table.count, 0); /* nothing of a faulty file counts */
	free(table.rows);
	strbuf_free(&text);
}

static void test_faults(void **state)
{
	static const char good[] = "A,,1,sql,,,1,1,,1,high,b,r\n";
	char rows[512];
	struct reference_table table = {0};
	struct err err = {0};

	(void)state;
	str_format(rows, sizeof(rows), "%sA,,1,sql,,,1,1,,1,high,b\n", good);
	expect_fault(rows, "mine.csv:3: 12 fields, the first line names 13");
	expect_fault("A,,1,sql,,,x,1,,1,high,b,r\n", "mine.csv:2: peak_iops \"x\"");
	expect_fault("A,,1,sql,,,-5,1,,1,high,b,r\n", "mine.csv:2: peak_iops \"-5\"");
	expect_fault("A,,1,sql,,,0,1,,1,high,b,r\n", "above 0");
	expect_fault("A,,1,sql,,,1e300,1,,1,high,b,r\n", "peak_iops");
	expect_fault("A,,1,sql,,,nan,1,,1,high,b,r\n", "peak_iops");
	expect_fault("A,,1.5,sql,,,1,1,,1,high,b,r\n", "drives_in_group");
	expect_fault("A,,1,sql,,,1,1,,1,sure,b,r\n", "none of low, medium, high");
	expect_fault(",,1,sql,,,1,1,,1,high,b,r\n", "drive \"\": is missing");
	expect_fault("A,,1,,,,1,1,,1,high,b,r\n", "workload_id \"\": is missing");
	expect_fault("\"A,,1\n", "does not end");
	assert_int_equal(reference_parse("e.csv", "", 0, &table, &err), -EINVAL);
	assert_non_null(strstr(err.text, "e.csv: is empty"));
	assert_int_equal(reference_parse("e.csv", "a,b\n", 4, &table, &err), -EINVAL);
	assert_non_null(strstr(err.text, "e.csv:1: there is no column drive"));
}

/* 100,000 IOPS at 1,280 us and 128 outstanding: behind 120,000 by 16.67 %, level with 100,500 (0.498 %
 * behind), 25 % ahead of 80,000. */
static void test_rank(void **state)
{
	struct reference_table table;
	struct reference_comparison c;
	struct run *run = run_of("rand-read-4k", "fixed", 100000, 1280, 128, 4096);

	(void)state;
	load(&table, field);
	reference_compare(&table, run, &c);
	assert_int_equal(c.count, 5); /* low confidence is not shown */
	assert_int_equal(c.comparable, 4);
	assert_int_equal(c.rank, 2);
	assert_false(c.by_mib_s);
	assert_string_equal(c.rows[0].row->drive, "Ahead");
	assert_float_equal(c.rows[0].rate_pct, -16.6667, 1e-3);
	assert_float_equal(c.rows[0].latency_pct, 20.0300, 1e-3); /* 1280 / 1066.4 */
	assert_true(c.rows[1].tie && !c.rows[0].tie && !c.rows[2].tie);
	assert_float_equal(c.rows[1].rate_pct, -0.4975, 1e-3);
	assert_float_equal(c.rows[2].rate_pct, 25, 1e-6);
	assert_string_equal(c.rank_text,
		"rank 2 of 5 (this run and 4 published): 17 % behind Ahead 4TB (1 of 8), level with "
		"Level, 25 % ahead of Behind 1TB");
	assert_false(match_of(&c, "Deep")->comparable);
	assert_string_equal(match_of(&c, "Deep")->why, "published at 512 outstanding");
	assert_string_equal(c.none, "");
	assert_true(noted(&c, "closed loop"));
	assert_false(noted(&c, "SIMULATED"));
	reference_comparison_free(&c);

	run->simulated = true;
	run->points[0].iops = 130000;
	run->points[0].service.mean = 984615;
	reference_compare(&table, run, &c);
	assert_int_equal(c.rank, 1);
	assert_string_equal(c.rank_text,
		"SIMULATED: rank 1 of 5 (this run and 4 published): 8.3 % ahead of Ahead 4TB (1 of "
		"8)");
	assert_true(noted(&c, "SIMULATED"));
	reference_comparison_free(&c);

	run->points[0].iops = 1000;
	reference_compare(&table, run, &c);
	assert_int_equal(c.rank, 5);
	assert_non_null(strstr(c.rank_text, "rank 5 of 5"));
	assert_non_null(strstr(c.rank_text, "98 % behind Far 1TB"));
	reference_comparison_free(&c);
	reference_table_free(&table);
	run_free(run);
}

/* The same drive at 512 outstanding must not be held against figures of 128, and the other way round;
 * a drive that is at its best with less in flight than it may is held against that too. */
static void test_outstanding(void **state)
{
	struct reference_table table;
	struct reference_comparison c;
	struct run *run = run_of("rand-read-4k", "fixed", 150000, 3413, 512, 4096);

	(void)state;
	load(&table, field);
	reference_compare(&table, run, &c);
	assert_int_equal(c.comparable, 1);
	assert_string_equal(c.rows[0].row->drive, "Deep");
	assert_string_equal(match_of(&c, "Ahead")->why, "published at 128 outstanding");
	assert_int_equal(c.rank, 1);
	reference_comparison_free(&c);
	run_free(run);

	run = run_of("rand-read-4k", "fixed", 60000, 1066, 64, 4096);
	reference_compare(&table, run, &c);
	assert_int_equal(c.comparable, 0);
	assert_int_equal(c.rank, 0);
	assert_string_equal(c.rank_text, "");
	assert_string_equal(c.none, "nothing is published at 64 outstanding, only at other counts");
	reference_comparison_free(&c);
	run_free(run);

	run = run_of("rand-write-4k", "curve", 90000, 133, 128, 4096); /* 11.97 in flight */
	reference_compare(&table, run, &c);
	assert_int_equal(c.comparable, 1);
	assert_true(c.rows[0].tie);
	reference_comparison_free(&c);
	run_free(run);
	reference_table_free(&table);
}

static void test_several_targets(void **state)
{
	struct reference_table table;
	struct reference_comparison c;
	struct run *run = run_of("rand-read-4k", "fixed", 200000, 1280, 256, 4096);

	(void)state;
	load(&table, field);
	run->target_count = 2;
	reference_compare(&table, run, &c);
	assert_float_equal(c.iops, 100000, 1e-6);
	assert_float_equal(c.outstanding_limit, 128, 1e-9);
	assert_int_equal(c.comparable, 4);
	assert_int_equal(c.rank, 2);
	assert_true(noted(&c, "per drive: 2"));
	reference_comparison_free(&c);
	reference_table_free(&table);
	run_free(run);
}

/* Ranked by MiB/s: 16,000 IOPS of 64 KiB are 1,000 MiB/s, more exact than the 1,010 printed. */
static void test_sequential(void **state)
{
	struct reference_table table;
	struct reference_comparison c;
	struct run *run = run_of("seq-read-64k", "fixed", 17600, 909, 16, 65536);

	(void)state;
	load(&table, field);
	reference_compare(&table, run, &c);
	assert_true(c.by_mib_s);
	assert_float_equal(c.mib_s, 1100, 1e-6);
	assert_float_equal(match_of(&c, "Seq")->mib_s, 1000, 1e-6);
	assert_float_equal(match_of(&c, "Seq")->rate_pct, 10, 1e-6);
	assert_float_equal(match_of(&c, "Mib")->rate_pct, -8.3333, 1e-3);
	assert_int_equal(c.rank, 2);
	reference_comparison_free(&c);
	reference_table_free(&table);
	run_free(run);
}

static void test_nothing_to_compare(void **state)
{
	struct reference_table table;
	struct reference_comparison c;
	struct run *run = run_of("fleet-sql", "fixed", 1000, 1000, 16, 4096);

	(void)state;
	load(&table, field);
	reference_compare(&table, run, &c);
	assert_int_equal(c.count, 0);
	assert_string_equal(c.none, "nothing is published for the workload fleet-sql");
	reference_comparison_free(&c);
	run_free(run);

	run = run_of("rand-read-4k", "fixed", 1000, 1000, 128, 4096);
	run->parameters = mem_alloc(sizeof(*run->parameters));
	run->parameter_count = 1;
	str_copy(run->parameters[0].key, sizeof(run->parameters[0].key), "block_bytes");
	str_copy(run->parameters[0].value, sizeof(run->parameters[0].value), "16k");
	reference_compare(&table, run, &c);
	assert_int_equal(c.comparable, 0);
	assert_non_null(strstr(c.none, "block_bytes was changed"));
	reference_comparison_free(&c);
	str_copy(run->parameters[0].value, sizeof(run->parameters[0].value), "0");
	reference_compare(&table, run, &c);
	assert_int_equal(c.comparable, 4);
	reference_comparison_free(&c);
	run->points[0].asked_iops = 1000; /* an open loop at a given rate */
	reference_compare(&table, run, &c);
	assert_non_null(strstr(c.none, "fixed rate"));
	assert_int_equal(c.comparable, 0);
	reference_comparison_free(&c);
	run_free(run);

	run = run_create(); /* no point at all */
	str_copy(run->workload, sizeof(run->workload), "rand-read-4k");
	reference_compare(&table, run, &c);
	assert_int_equal(c.comparable, 0);
	assert_int_equal(c.point, -1);
	assert_string_equal(c.none, "the run has no point to compare");
	reference_comparison_free(&c);
	run_free(run);
	reference_table_free(&table);
}

/* Of a depth run the step that most figures share. */
static void test_depth(void **state)
{
	struct reference_table table;
	struct reference_comparison c;
	struct run *run = run_of("rand-read-4k", "depth", 15000, 66, 1, 4096);
	struct run_point point = run->points[0];

	(void)state;
	load(&table, field);
	str_copy(point.label, sizeof(point.label), "128 outstanding");
	point.iops = 100000;
	point.service.mean = 1280000;
	point.outstanding_limit = 128;
	run_add_point(run, &point);
	str_copy(point.label, sizeof(point.label), "512 outstanding");
	point.iops = 150000;
	point.service.mean = 3413000;
	point.outstanding_limit = 512;
	run_add_point(run, &point);
	run_analyse(run);
	reference_compare(&table, run, &c);
	assert_int_equal(c.point, 1);
	assert_int_equal(c.comparable, 4);
	assert_true(noted(&c, "\"128 outstanding\""));
	reference_comparison_free(&c);
	reference_compare_point(&table, run, 2, &c);
	assert_int_equal(c.comparable, 1);
	assert_string_equal(c.rows[0].row->drive, "Deep");
	reference_comparison_free(&c);
	run_free(run);
	reference_table_free(&table);
}

static void test_notes(void **state)
{
	struct reference_table table;
	struct reference_comparison c;
	struct run *run = run_of("rand-read-4k", "curve", 100000, 1280, 128, 4096);

	(void)state;
	load(&table, field);
	reference_compare(&table, run, &c);
	assert_int_equal(c.note_count, 0);
	reference_comparison_free(&c);
	run->outcome = RUN_STOPPED;
	run_spoil(run, "throttled");
	str_copy(run->points[0].limited_by, sizeof(run->points[0].limited_by), "host");
	run->workload_text = mem_strdup("[workload]\nmix_unknown = yes\n");
	reference_compare(&table, run, &c);
	assert_true(c.mix_unknown);
	assert_true(noted(&c, "mix of block sizes"));
	assert_true(noted(&c, "was stopped"));
	assert_true(noted(&c, "host was the limit"));
	assert_true(noted(&c, "spoils"));
	assert_true(noted(&c, "not the one that comes with nvsweep"));
	reference_comparison_free(&c);
	run_free(run);
	reference_table_free(&table);
}

/* The files that come with the program: all of them are read, and some figures are those printed. */
static void test_shipped(void **state)
{
	struct reference_table table;
	struct reference_comparison c;
	struct run *run;
	char *faults, name[96];

	(void)state;
	assets_set_folders("", "");
	assert_int_equal(reference_load(&table, &faults, NULL), 0);
	assert_null(faults);
	assert_int_equal(table.count, 116);
	/* 8 drives: 6,670,000 IOPS at 151 us, 669,000 at 70 us at the start */
	assert_string_equal(
		reference_name(&table.rows[0], name, sizeof(name)), "Intel P5510 7.68TB (1 of 8)");
	assert_float_equal(table.rows[0].peak_iops, 833750, 1e-6);
	assert_float_equal(table.rows[0].start_iops, 83625, 1e-6);
	assert_float_equal(table.rows[0].peak_ns, 151000, 1e-6);
	/* Every row's count is what Little's law gives, where both are published; in the files it is
	 * worked out from more digits than are printed. */
	for (size_t i = 0; i < table.count; i++) {
		const struct reference_row *row = &table.rows[i];
		const double law = row->peak_iops * row->peak_ns / 1e9;

		if (!isnan(law) && row->confidence > REFERENCE_LOW)
			assert_true(fabs(row->outstanding - law) <= 0.05 * law);
	}
	run = run_of("rand-read-4k", "curve", 766000, 167, 128, 4096);
	reference_compare(&table, run, &c);
	/* P5510, PM9A3 (groups), P4510 8TB, 2TB, P5 2TB, 1TB; the single PM9A3 and P5520 at 512 */
	assert_int_equal(c.count, 8);
	assert_int_equal(c.comparable, 6);
	assert_string_equal(c.rank_text,
		"rank 2 of 7 (this run and 6 published): 8.1 % behind Intel P5510 7.68TB (1 of 8), "
		"6.4 % ahead of Samsung PM9A3 7.68TB (1 of 8)");
	assert_string_equal(match_of(&c, "Solidigm P5520")->why, "published at 504 outstanding");
	reference_comparison_free(&c);
	run_free(run);
	reference_table_free(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_rank),
		cmocka_unit_test(test_outstanding),
		cmocka_unit_test(test_several_targets),
		cmocka_unit_test(test_sequential),
		cmocka_unit_test(test_nothing_to_compare),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_shipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
