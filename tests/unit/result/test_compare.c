/* Runs beside each other: which points match, differences worked out by hand, and what is said of runs
 * that are unlike. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "result/compare.h"

static void add_point(struct run *run, double percent, const char *label, double iops,
	double mean_us, uint32_t outstanding)
{
	struct run_point point;

	run_point_clear(&point);
	point.percent = percent;
	str_copy(point.label, sizeof(point.label), label);
	point.iops = iops;
	point.mib_s = iops / 256; /* 4 KiB */
	point.count = (uint64_t)iops;
	point.outstanding_limit = outstanding;
	point.outstanding_avg = iops * mean_us / 1e6;
	point.service.mean = mean_us * 1000;
	point.service.p99 = mean_us * 4000;
	run_add_point(run, &point);
}

static struct run *run_named(const char *id, const char *method)
{
	struct run *run = run_create();
	struct run_target *target = &run->targets[0];

	str_copy(run->id, sizeof(run->id), id);
	str_copy(run->workload, sizeof(run->workload), "rand-read-4k");
	run->workload_text = mem_strdup("[workload]\n");
	str_copy(run->method, sizeof(run->method), method);
	str_copy(run->engine.backend, sizeof(run->engine.backend), "uring");
	run->outcome = RUN_COMPLETE;
	run->target_count = 1;
	str_copy(target->name, sizeof(target->name), "nvme0n1");
	str_copy(target->kind, sizeof(target->kind), "namespace");
	str_copy(target->model, sizeof(target->model), "MODEL");
	str_copy(target->serial, sizeof(target->serial), "S1");
	target->size_bytes = target->area_length = 4000000000000;
	target->lba_bytes = 512;
	target->link_gts = 16;
	target->link_width = 4;
	return run;
}

static struct run *curve_named(const char *id, double maximum, double latency_us)
{
	struct run *run = run_named(id, "curve");

	add_point(run, 10, "10 %", maximum * 0.1, latency_us, 128);
	add_point(run, 50, "50 %", maximum * 0.5, latency_us * 1.2, 128);
	add_point(run, 100, "100 %", maximum, latency_us * 3, 128);
	run->maximum = run->points[2];
	run->has_maximum = true;
	run_analyse(run);
	return run;
}

static void expect_sentence(char (*list)[256], size_t count, const char *text)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(list[i], text))
			return;
	for (size_t i = 0; i < count; i++)
		print_message("said: %s\n", list[i]);
	fail_msg("not said: %s", text);
}

static const struct compare_row *row_of(const struct comparison *c, const char *label)
{
	for (size_t i = 0; i < c->row_count; i++)
		if (!strcmp(c->rows[i].label, label))
			return &c->rows[i];
	fail_msg("there is no row %s", label);
	return NULL;
}

static void test_same(void **state)
{
	struct run *a = curve_named("a", 100000, 80), *b = curve_named("b", 110000, 60);
	const struct run *runs[] = {a, b};
	const struct compare_row *row;
	struct comparison c;

	(void)state;
	assert_int_equal(compare_runs(runs, 2, &c, NULL), 0);
	assert_int_equal(c.point_rows, 3);
	assert_string_equal(c.rows[0].label, "10 %");
	assert_string_equal(c.rows[2].label, "100 %");
	row = row_of(&c, "50 %");
	assert_ptr_equal(row->values[0].point, &a->points[1]);
	assert_ptr_equal(row->values[1].point, &b->points[1]);
	assert_true(isnan(row->values[0].iops_pct));
	assert_float_equal(row->values[1].iops_pct, 10, 1e-9);
	assert_float_equal(row->values[1].mib_s_pct, 10, 1e-9);
	assert_float_equal(row->values[1].mean_pct, -25, 1e-9);
	assert_float_equal(row->values[1].p99_pct, -25, 1e-9);
	assert_int_equal(row_of(&c, "maximum")->kind, COMPARE_MAXIMUM);
	assert_float_equal(row_of(&c, "peak")->values[1].iops_pct, 10, 1e-9);
	assert_float_equal(row_of(&c, "start")->values[1].mean_pct, -25, 1e-9);
	assert_int_equal(c.unlike_count, 0);
	assert_int_equal(c.doubt_count, 0);
	comparison_free(&c);
	run_free(a);
	run_free(b);
}

/* A third run with other shares, a fourth by another method. */
static void test_matching(void **state)
{
	struct run *a = curve_named("a", 100000, 80), *b = curve_named("b", 100000, 80);
	struct run *c3 = run_named("c", "curve"), *d = run_named("d", "depth");
	const struct run *runs[] = {a, b, c3, d};
	const struct compare_row *row;
	struct comparison c;

	(void)state;
	add_point(c3, 50.01, "50.01 %", 40000, 96, 128); /* as near as a rounded share */
	add_point(c3, 55, "55 %", 55000, 100, 128);
	add_point(c3, 120, "120 %", 90000, 300, 128);
	run_analyse(c3);
	add_point(d, 0, "1 outstanding", 12000, 80, 1);
	add_point(d, 0, "32 outstanding", 90000, 355, 32);
	run_analyse(d);
	assert_int_equal(compare_runs(runs, 4, &c, NULL), 0);
	row = row_of(&c, "50 %");
	assert_non_null(row->values[2].point);
	assert_float_equal(row->values[2].iops_pct, -20, 1e-9);
	assert_null(row->values[3].point);
	assert_true(isnan(row->values[3].iops_pct));
	assert_int_equal(c.point_rows, 3); /* 55 % and 120 % has one run alone */
	row = row_of(&c, "peak");
	assert_float_equal(row->values[3].iops_pct, -10, 1e-9);
	expect_sentence(c.unlike, c.unlike_count, "method: A and B and C curve, D depth");
	comparison_free(&c);
	/* between two that A has not, the difference is not known */
	const struct run *pair[] = {d, c3};

	assert_int_equal(compare_runs(pair, 2, &c, NULL), 0);
	assert_int_equal(c.point_rows, 0);
	assert_float_equal(row_of(&c, "peak")->values[1].iops_pct, 0, 1e-9);
	comparison_free(&c);
	run_free(a);
	run_free(b);
	run_free(c3);
	run_free(d);
}

/* Depths of any order end up ascending. */
static void test_depths(void **state)
{
	struct run *a = run_named("a", "depth"), *b = run_named("b", "depth");
	const struct run *runs[] = {a, b};
	struct comparison c;

	(void)state;
	add_point(a, 0, "32 outstanding", 90000, 355, 32);
	add_point(a, 0, "8 outstanding", 60000, 133, 8);
	add_point(b, 0, "8 outstanding", 30000, 266, 8);
	add_point(b, 0, "32 outstanding", 90000, 355, 32);
	assert_int_equal(compare_runs(runs, 2, &c, NULL), 0);
	assert_string_equal(c.rows[0].label, "8 outstanding");
	assert_float_equal(c.rows[0].values[1].iops_pct, -50, 1e-9);
	assert_float_equal(c.rows[0].values[1].mean_pct, 100, 1e-9);
	assert_string_equal(c.rows[1].label, "32 outstanding");
	comparison_free(&c);
	run_free(a);
	run_free(b);
}

static void set_parameter(struct run *run, const char *key, const char *value)
{
	run->parameters =
		mem_realloc(run->parameters, (run->parameter_count + 1) * sizeof(*run->parameters));
	str_copy(run->parameters[run->parameter_count].key, sizeof(run->parameters[0].key), key);
	str_copy(run->parameters[run->parameter_count].value, sizeof(run->parameters[0].value),
		value);
	run->parameter_count++;
}

static void test_unlike(void **state)
{
	struct run *a = curve_named("a", 100000, 80), *b = curve_named("b", 100000, 80);
	const struct run *runs[] = {a, b};
	struct comparison c;

	(void)state;
	b->simulated = true;
	free(b->workload_text);
	b->workload_text = mem_strdup("[workload]\n# changed\n");
	str_copy(b->targets[0].serial, sizeof(b->targets[0].serial), "S2");
	str_copy(b->targets[0].firmware, sizeof(b->targets[0].firmware), "FW2");
	str_copy(b->engine.backend, sizeof(b->engine.backend), "sync");
	b->targets[0].link_gts = 8;
	b->targets[0].area_offset = 1000000000000;
	b->targets[0].area_length = 1000000000000;
	b->targets[0].lba_bytes = 4096;
	b->targets[0].metadata_bytes = 8;
	set_parameter(a, "outstanding", "128");
	set_parameter(b, "outstanding", "64");
	set_parameter(a, "block_bytes", "0");
	set_parameter(b, "block_bytes", "16384");
	set_parameter(a, "prepare", "none");
	set_parameter(b, "prepare", "fill");
	set_parameter(a, "seed", "1");
	set_parameter(b, "seed", "2");
	set_parameter(a, "points", "10,50,100"); /* of one method alone */
	assert_int_equal(compare_runs(runs, 2, &c, NULL), 0);
	expect_sentence(c.unlike, c.unlike_count, "drives: A a real drive, B SIMULATED");
	expect_sentence(c.unlike, c.unlike_count, "text of the workload: A version 1, B version 2");
	expect_sentence(c.unlike, c.unlike_count, "drive (serial number): A S1, B S2");
	expect_sentence(c.unlike, c.unlike_count, "firmware: A not known, B FW2");
	expect_sentence(c.unlike, c.unlike_count, "backend: A uring, B sync");
	expect_sentence(c.unlike, c.unlike_count, "link: A 16 GT/s x4, B 8 GT/s x4");
	expect_sentence(
		c.unlike, c.unlike_count, "area: A the whole target, B 1.00 TB from 1.00 TB on");
	expect_sentence(c.unlike, c.unlike_count, "logical blocks: A 512 B, B 4096 B + 8 B");
	expect_sentence(c.unlike, c.unlike_count, "outstanding: A 128, B 64");
	expect_sentence(c.unlike, c.unlike_count, "block_bytes: A 0, B 16384");
	expect_sentence(c.unlike, c.unlike_count, "prepare: A none, B fill");
	assert_int_equal(c.unlike_count, 11);
	comparison_free(&c);
	run_free(a);
	run_free(b);
}

static void test_doubts(void **state)
{
	struct run *a = curve_named("a", 100000, 80), *b = curve_named("b", 100000, 80);
	const struct run *runs[] = {a, b};
	struct comparison c;

	(void)state;
	a->points[1].saturated = a->points[2].saturated = true;
	b->points[0].unstable = true;
	b->points[1].errors = 3;
	str_copy(b->points[2].limited_by, sizeof(b->points[2].limited_by), "host");
	b->outcome = RUN_STOPPED;
	str_copy(b->reason, sizeof(b->reason), "by the user");
	run_spoil(b, "the drive was throttled");
	assert_int_equal(compare_runs(runs, 2, &c, NULL), 0);
	expect_sentence(c.doubts, c.doubt_count, "A: saturated: 50 %, 100 %");
	expect_sentence(c.doubts, c.doubt_count, "B: stopped: by the user");
	expect_sentence(c.doubts, c.doubt_count, "B: unstable: 10 %");
	expect_sentence(c.doubts, c.doubt_count, "B: with errors: 50 %");
	expect_sentence(c.doubts, c.doubt_count, "B: limited by the host: 100 %");
	expect_sentence(c.doubts, c.doubt_count, "B: the drive was throttled");
	assert_int_equal(c.doubt_count, 6);
	comparison_free(&c);
	run_free(a);
	run_free(b);
}

static void test_faults(void **state)
{
	struct run *a = curve_named("a", 1000, 80), *same = curve_named("a", 1000, 80);
	const struct run *runs[COMPARE_RUNS_MAX + 1] = {a, same};
	struct comparison c;
	struct err err = {0};

	(void)state;
	assert_int_equal(compare_runs(runs, 1, &c, &err), -EINVAL);
	assert_non_null(strstr(err.text, "2 to 8 runs"));
	assert_int_equal(compare_runs(runs, COMPARE_RUNS_MAX + 1, &c, NULL), -EINVAL);
	assert_int_equal(compare_runs(runs, 2, &c, &err), -EINVAL);
	assert_string_equal(err.text, "a is given twice: a run cannot be compared with itself");
	comparison_free(&c);
	run_free(a);
	run_free(same);
}

/* Runs without a point, and without a target. */
static void test_empty(void **state)
{
	struct run *a = run_create(), *b = run_create();
	const struct run *runs[] = {a, b};
	struct comparison c;

	(void)state;
	str_copy(a->id, sizeof(a->id), "a");
	str_copy(b->id, sizeof(b->id), "b");
	a->outcome = b->outcome = RUN_COMPLETE;
	assert_int_equal(compare_runs(runs, 2, &c, NULL), 0);
	assert_int_equal(c.row_count, 0);
	assert_int_equal(c.unlike_count, 0);
	comparison_free(&c);
	run_free(a);
	run_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_matching),
		cmocka_unit_test(test_depths),
		cmocka_unit_test(test_unlike),
		cmocka_unit_test(test_doubts),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
