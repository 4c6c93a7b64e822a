/* The quick check's judgement on runs worked out by hand: each line, each threshold on both sides,
 * and what cannot be judged. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "result/check.h"
#include "result/run_json.h"

#define US 1e3
#define CURVE CHECK_CURVE_POINTS

/* PCIe 4.0 x4, by the specification: 16 GT/s x 4 lanes x 128/130 / 8 = 7,876.9 MB/s, of which packets
 * of 256 bytes in 280 carry 7,201.8 MB/s. 3.0 x2 a quarter of it: 1,800.4 MB/s. */
#define LINK_4X4 7201758000.0
#define LINK_3X2 1800440000.0

static struct run_point point_of(
	const char *load, const char *label, double percent, double iops, uint32_t block)
{
	struct run_point p;

	run_point_clear(&p);
	str_copy(p.load, sizeof(p.load), load);
	str_copy(p.label, sizeof(p.label), label);
	p.percent = percent;
	p.window_s = 2;
	p.iops = iops;
	p.count = p.reads = (uint64_t)(2 * iops);
	p.read_bytes = p.count * block;
	p.outstanding_limit = percent > 0 ? 128 : 1;
	p.service.count = p.count;
	p.service.p50 = 80 * US;
	p.service.p99 = 130 * US;
	p.service.mean = percent > 0 ? (100 + 2 * percent) * US : 82 * US;
	return p;
}

/* A healthy drive on a full link: 80 us, 500,000 IOPS, 5 GB/s. */
static struct run *healthy(void)
{
	static const double percents[CURVE] = {25, 50, 75, 90, 100};
	struct run *run = run_create();
	struct run_target *t = &run->targets[0];
	struct run_point p;

	str_copy(run->method, sizeof(run->method), CHECK_METHOD);
	str_copy(run->engine.backend, sizeof(run->engine.backend), "uring");
	run->outcome = RUN_COMPLETE;
	run->target_count = 1;
	str_copy(t->name, sizeof(t->name), "nvme0n1");
	str_copy(t->kind, sizeof(t->kind), "namespace");
	str_copy(t->transport, sizeof(t->transport), "pcie");
	t->nsid = 1;
	t->link_gts = t->link_max_gts = t->link_slot_gts = 16;
	t->link_width = t->link_max_width = t->link_slot_width = 4;
	t->smart_before_known = true;
	t->smart_before.percentage_used = (struct field_int){.reported = true, .value = 3};
	t->smart_before.available_spare = (struct field_int){.reported = true, .value = 100};
	run->has_health = true;
	run->health.verdict = HEALTH_GOOD;
	p = point_of(CHECK_LOAD_RANDOM, "1 outstanding", 0, 12195, 4096);
	run_add_point(run, &p);
	for (size_t i = 0; i < CURVE; i++) {
		p = point_of(CHECK_LOAD_RANDOM, "%", percents[i], 5000 * percents[i], 4096);
		run_add_point(run, &p);
	}
	run->maximum = run->points[CURVE];
	run->has_maximum = true;
	/* 38,147 x 131,072 bytes = 5.000 GB/s */
	p = point_of(CHECK_LOAD_SEQUENTIAL, "128K sequential", 0, 38147, 131072);
	run_add_point(run, &p);
	run_analyse(run);
	return run;
}

static const struct check_line *line_of(const struct run *run, enum check_part part)
{
	static struct check check;

	check_judge(run, &check);
	return &check.lines[part];
}

static enum health_verdict verdict_of(const struct run *run)
{
	struct check check;

	check_judge(run, &check);
	return check.verdict;
}

static double value_of(const struct check_line *line, const char *key)
{
	for (size_t i = 0; i < line->value_count; i++)
		if (!strcmp(line->values[i].key, key))
			return line->values[i].value;
	fail_msg("%s has no %s", line->key, key);
	return NAN;
}

static void says(const struct run *run, enum check_part part, enum check_state state,
	const char *word, const char *text)
{
	const struct check_line *line = line_of(run, part);

	if (line->state != state || strcmp(line->word, word) ||
		(!strstr(line->figures, text) && !strstr(line->reason, text)))
		fail_msg("%s: %s \"%s\", %s. %s", line->key, check_state_name(line->state),
			line->word, line->figures, line->reason);
}

static void near(double got, double wanted)
{
	if (!(fabs(got - wanted) <= 1e-4 * fabs(wanted)))
		fail_msg("%.9g, wanted %.9g", got, wanted);
}

static void test_healthy(void **state)
{
	struct run *run = healthy();

	(void)state;
	says(run, CHECK_HEALTH, CHECK_GOOD, "good", "3 % of the rated endurance used; spare 100 %");
	says(run, CHECK_LINK, CHECK_GOOD, "good", "4.0 x4: carries at most 7.20 GB/s");
	near(value_of(line_of(run, CHECK_LINK), "carries_bytes_s"), LINK_4X4);
	says(run, CHECK_LATENCY, CHECK_GOOD, "usual", "p50 80 µs, p99 130 µs");
	near(value_of(line_of(run, CHECK_LATENCY), "p99_us"), 130);
	says(run, CHECK_RANDOM, CHECK_GOOD, "drive-bound", "peak 500,000 IOPS at 300 µs");
	/* 500,000 x 4,096 = 2.048 GB/s */
	near(value_of(line_of(run, CHECK_RANDOM), "link_pct"), 100 * 2.048e9 / LINK_4X4);
	says(run, CHECK_SEQUENTIAL, CHECK_GOOD, "drive-bound", "5.00 GB/s, 69 % of what");
	assert_int_equal(verdict_of(run), HEALTH_GOOD);
	run_free(run);
}

/* The sequential point is none of the curve: it neither peaks nor makes the drive fall off. */
static void test_curve_is_of_one_load(void **state)
{
	struct run *run = healthy();

	(void)state;
	assert_true(run->has_analysis);
	assert_int_equal(run->analysis.start, 0);
	assert_int_equal(run->analysis.peak, CURVE);
	assert_false(run->analysis.fall_off);
	run->points[CURVE + 1].iops = 900000;
	run_analyse(run);
	assert_int_equal(run->analysis.peak, CURVE);
	run_free(run);
}

static void test_latency(void **state)
{
	struct run *run = healthy();
	struct latency *l = &run->points[0].service;

	(void)state;
	l->p50 = 200 * US;
	l->p99 = 500 * US;
	says(run, CHECK_LATENCY, CHECK_GOOD, "usual", "");
	l->p99 = 501 * US;
	says(run, CHECK_LATENCY, CHECK_WARNING, "slow tail", "500 µs");
	assert_int_equal(verdict_of(run), HEALTH_WARNING);
	l->p50 = 201 * US;
	says(run, CHECK_LATENCY, CHECK_WARNING, "slow", "200 µs at most");
	l->p50 = 4.9 * US;
	says(run, CHECK_LATENCY, CHECK_NOT_JUDGED, "not judged", "a cache did");
	/* few reads: no percentiles, the mean stands in */
	l->p50 = l->p99 = NAN;
	run->points[0].count = 7;
	says(run, CHECK_LATENCY, CHECK_GOOD, "usual", "mean 82 µs (7 reads: too few for a p99)");
	assert_true(isnan(value_of(line_of(run, CHECK_LATENCY), "p99_us")));
	run_free(run);
}

/* SATA flash and a disk have measures of their own; what is not known has none. */
static void test_media(void **state)
{
	struct run *run = healthy();
	struct run_target *t = &run->targets[0];
	struct latency *l = &run->points[0].service;

	(void)state;
	run->has_health = false;
	t->nsid = 0;
	t->link_gts = 0;
	str_copy(t->kind, sizeof(t->kind), "block device");
	str_copy(t->transport, sizeof(t->transport), "sata");
	l->p50 = 390 * US;
	l->p99 = 1900 * US;
	says(run, CHECK_LATENCY, CHECK_GOOD, "usual", "flash on SATA");
	says(run, CHECK_LINK, CHECK_NOT_JUDGED, "not judged", "no NVMe drive");
	says(run, CHECK_HEALTH, CHECK_NOT_JUDGED, "not judged", "no NVMe drive");
	assert_int_equal(verdict_of(run), HEALTH_UNKNOWN); /* of health nothing is known */
	t->rotational = true;
	l->p50 = 19e6;
	l->p99 = 99e6;
	says(run, CHECK_LATENCY, CHECK_GOOD, "usual", "disk");
	l->p50 = 21e6;
	says(run, CHECK_LATENCY, CHECK_WARNING, "slow", "disk");
	assert_int_equal(verdict_of(run), HEALTH_WARNING);
	t->rotational = false;
	str_copy(t->transport, sizeof(t->transport), "usb");
	says(run, CHECK_LATENCY, CHECK_NOT_JUDGED, "not judged", "USB bridge");
	says(run, CHECK_HEALTH, CHECK_NOT_JUDGED, "not judged", "USB bridge");
	str_copy(t->transport, sizeof(t->transport), "virtio");
	says(run, CHECK_SEQUENTIAL, CHECK_NOT_JUDGED, "not judged", "virtio");
	str_copy(t->kind, sizeof(t->kind), "file");
	says(run, CHECK_HEALTH, CHECK_NOT_JUDGED, "not judged", "a file has no health pages");
	says(run, CHECK_LINK, CHECK_NOT_JUDGED, "not judged", "a file has no link");
	says(run, CHECK_RANDOM, CHECK_NOT_JUDGED, "not judged", "a file");
	assert_int_equal(verdict_of(run), HEALTH_UNKNOWN);
	run_free(run);
}

static void test_fabrics_and_no_medium(void **state)
{
	struct run *run = healthy();
	struct run_target *t = &run->targets[0];

	(void)state;
	str_copy(t->transport, sizeof(t->transport), "tcp");
	t->link_gts = 0;
	says(run, CHECK_LINK, CHECK_NOT_JUDGED, "not judged", "reached over tcp");
	says(run, CHECK_LATENCY, CHECK_NOT_JUDGED, "not judged", "reached over tcp");
	/* health is known, but nothing else could be judged */
	assert_int_equal(verdict_of(run), HEALTH_UNKNOWN);
	run_free(run);

	run = healthy();
	run->targets[0].beside_medium = true;
	says(run, CHECK_LATENCY, CHECK_NOT_JUDGED, "not judged", "without the medium");
	says(run, CHECK_SEQUENTIAL, CHECK_NOT_JUDGED, "not judged", "5.00 GB/s");
	run_free(run);
}

static void test_link(void **state)
{
	struct run *run = healthy();
	struct run_target *t = &run->targets[0];

	(void)state;
	/* an older slot: no fault, but said */
	t->link_gts = t->link_slot_gts = 8;
	says(run, CHECK_LINK, CHECK_GOOD, "good", "the slot can no more than 3.0 x4");
	says(run, CHECK_LINK, CHECK_GOOD, "good", "3.0 x4 of the drive's 4.0 x4");
	/* 3.60 GB/s cannot carry 5: a run that says so would be wrong, but it is link-bound */
	says(run, CHECK_SEQUENTIAL, CHECK_GOOD, "link-bound", "used in full");
	/* narrowed */
	t->link_slot_gts = 16;
	t->link_width = 2;
	says(run, CHECK_LINK, CHECK_WARNING, "narrowed", "reseat it");
	near(value_of(line_of(run, CHECK_LINK), "carries_bytes_s"), LINK_3X2);
	near(value_of(line_of(run, CHECK_LINK), "drive_could_bytes_s"), LINK_4X4);
	says(run, CHECK_SEQUENTIAL, CHECK_WARNING, "link-bound", "narrowed link");
	says(run, CHECK_RANDOM, CHECK_WARNING, "link-bound", "narrowed link");
	/* 90 % of 1,800.44 MB/s is 395,604 reads of 4,096 bytes */
	for (size_t i = 1; i <= CURVE; i++)
		run->points[i].iops *= 395000.0 / 500000;
	run->points[CURVE].read_bytes = UINT64_C(2) * 395000 * 4096;
	run->maximum = run->points[CURVE];
	says(run, CHECK_RANDOM, CHECK_GOOD, "drive-bound", "peak 395,000");
	run->points[CURVE].read_bytes = UINT64_C(2) * 396000 * 4096;
	says(run, CHECK_RANDOM, CHECK_WARNING, "link-bound", "narrowed");
	assert_int_equal(verdict_of(run), HEALTH_WARNING);
	run_free(run);
}

static void test_rates(void **state)
{
	struct run *run = healthy();
	struct run_point *peak = &run->points[CURVE], *sequential = &run->points[CURVE + 1];

	(void)state;
	/* a quarter of 7,201.8 MB/s in two seconds */
	sequential->read_bytes = 3600000000;
	says(run, CHECK_SEQUENTIAL, CHECK_WARNING, "slow", "1.80 GB/s and more");
	sequential->read_bytes = 3602000000;
	says(run, CHECK_SEQUENTIAL, CHECK_GOOD, "drive-bound", "25 % of what");
	/* the host had no CPU left: nothing is said of the drive */
	str_copy(sequential->limited_by, sizeof(sequential->limited_by), "host");
	says(run, CHECK_SEQUENTIAL, CHECK_NOT_JUDGED, "host-bound", "CPU");
	peak->cpu_wait_pct = 5.1;
	says(run, CHECK_RANDOM, CHECK_NOT_JUDGED, "host-bound", "CPU");
	peak->cpu_wait_pct = 5;
	says(run, CHECK_RANDOM, CHECK_GOOD, "drive-bound", "");
	for (size_t i = 1; i <= CURVE; i++)
		run->points[i].iops /= 25.1; /* 19,920 */
	run->has_maximum = false;
	run_analyse(run);
	says(run, CHECK_RANDOM, CHECK_WARNING, "slow", "20,000 IOPS");
	/* the search had seen more than the curve came to */
	run->maximum = run->points[CURVE];
	run->maximum.iops = 21000;
	run->has_maximum = true;
	says(run, CHECK_RANDOM, CHECK_GOOD, "drive-bound", "peak 21,000");
	run_free(run);
}

static void test_health(void **state)
{
	struct run *run = healthy();
	struct run_target *t = &run->targets[0];
	const struct interval interval = {.length_s = 1, .read_bytes = 4096000, .errors = 3};

	(void)state;
	run->health.verdict = HEALTH_CRITICAL;
	run->health.reasons[0] = (struct health_reason){HEALTH_CRITICAL, "it is broken", "replace"};
	run->health.reason_count = 1;
	says(run, CHECK_HEALTH, CHECK_CRITICAL, "CRIT", "it is broken");
	says(run, CHECK_HEALTH, CHECK_CRITICAL, "CRIT", "replace");
	assert_int_equal(verdict_of(run), HEALTH_CRITICAL);
	run->health.verdict = HEALTH_UNKNOWN;
	str_copy(run->health.reasons[0].text, sizeof(run->health.reasons[0].text), "needs root");
	says(run, CHECK_HEALTH, CHECK_NOT_JUDGED, "not judged", "needs root");
	assert_int_equal(verdict_of(run), HEALTH_UNKNOWN);
	/* what happens meanwhile counts whatever was known before */
	series_append(run->series, &interval);
	says(run, CHECK_HEALTH, CHECK_WARNING, "WARN", "3 reads failed during the check");
	assert_int_equal(verdict_of(run), HEALTH_WARNING);
	run_free(run);

	run = healthy();
	t = &run->targets[0];
	t->smart_before.media_errors = (struct field_u128){.reported = true, .value = 40};
	t->smart_after = t->smart_before;
	t->smart_after_known = true;
	says(run, CHECK_HEALTH, CHECK_GOOD, "good", "");
	t->smart_after.media_errors.value = 42;
	says(run, CHECK_HEALTH, CHECK_WARNING, "WARN", "2 new media errors during the check");
	t->smart_after.media_errors.value = 40;
	t->smart_before.thermal1_count = (struct field_int){.reported = true, .value = 5};
	t->smart_after.thermal1_count = (struct field_int){.reported = true, .value = 6};
	says(run, CHECK_HEALTH, CHECK_WARNING, "WARN", "throttled itself for heat 1 time during");
	run_free(run);
}

static void test_under_way(void **state)
{
	struct run *run = healthy();
	struct check check;

	(void)state;
	run->outcome = RUN_RUNNING;
	run->point_count = 1;
	run->has_maximum = false;
	run_analyse(run);
	check_judge(run, &check);
	assert_false(check.ended);
	assert_int_equal(check.verdict, HEALTH_UNKNOWN);
	assert_int_equal(check.lines[CHECK_LATENCY].state, CHECK_GOOD);
	assert_int_equal(check.lines[CHECK_RANDOM].state, CHECK_PENDING);
	assert_string_equal(check.lines[CHECK_RANDOM].figures, "");
	assert_int_equal(check.lines[CHECK_SEQUENTIAL].state, CHECK_PENDING);
	/* two points of the curve: figures, no verdict yet */
	run->point_count = 3;
	run_analyse(run);
	check_judge(run, &check);
	assert_int_equal(check.lines[CHECK_RANDOM].state, CHECK_PENDING);
	assert_non_null(strstr(check.lines[CHECK_RANDOM].figures, "peak 250,000"));
	/* stopped there */
	run->outcome = RUN_STOPPED;
	check_judge(run, &check);
	assert_true(check.ended);
	assert_int_equal(check.lines[CHECK_RANDOM].state, CHECK_GOOD);
	assert_int_equal(check.lines[CHECK_SEQUENTIAL].state, CHECK_NOT_JUDGED);
	assert_non_null(strstr(check.lines[CHECK_SEQUENTIAL].reason, "stopped"));
	assert_int_equal(check.verdict, HEALTH_UNKNOWN);
	assert_non_null(strstr(check.why_unknown, "did not come to its end"));
	run->point_count = CURVE + 2;
	run_free(run);
}

/* A saved check says the same again. */
static void test_saved(void **state)
{
	struct run *run = healthy(), *again = NULL;
	const struct interval interval = {
		.start_s = 4, .length_s = 1, .reads = 1000, .read_bytes = 4096000, .point = 0};
	struct check before, after;
	struct json *json;
	struct err err = {0};

	(void)state;
	series_append(run->series, &interval);
	run->targets[0].link_width = 2;
	run->health.verdict = HEALTH_WARNING;
	run->health.reasons[0] =
		(struct health_reason){HEALTH_WARNING, "91 % used", "plan its replacement"};
	run->health.reason_count = 1;
	json = run_to_json(run);
	if (run_from_json("test", json, &again, &err))
		fail_msg("%s", err.text);
	json_free(json);
	check_judge(run, &before);
	check_judge(again, &after);
	assert_int_equal(before.verdict, after.verdict);
	assert_int_equal(after.read_bytes, 4096000);
	assert_true(after.seconds == 5 && !after.written_bytes);
	for (size_t i = 0; i < CHECK_PARTS; i++) {
		assert_int_equal(before.lines[i].state, after.lines[i].state);
		assert_string_equal(before.lines[i].word, after.lines[i].word);
		assert_string_equal(before.lines[i].figures, after.lines[i].figures);
		assert_string_equal(before.lines[i].reason, after.lines[i].reason);
	}
	assert_int_equal(again->health.reasons[0].severity, HEALTH_WARNING);
	assert_string_equal(again->health.reasons[0].advice, "plan its replacement");
	run_free(run);
	run_free(again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_healthy),
		cmocka_unit_test(test_curve_is_of_one_load),
		cmocka_unit_test(test_latency),
		cmocka_unit_test(test_media),
		cmocka_unit_test(test_fabrics_and_no_medium),
		cmocka_unit_test(test_link),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_health),
		cmocka_unit_test(test_under_way),
		cmocka_unit_test(test_saved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
