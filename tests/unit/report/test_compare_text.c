/* Comparisons and intervals as text, JSON and CSV. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/csv.h"
#include "base/str.h"
#include "report/compare_json.h"
#include "report/compare_text.h"
#include "report/run_csv.h"
#include "report/run_text.h"

static struct run *make_run(const char *id, double iops, double mean_us)
{
	struct run *run = run_create();
	struct run_point point;

	str_copy(run->id, sizeof(run->id), id);
	str_copy(run->workload, sizeof(run->workload), "mix-4k-70r");
	str_copy(run->method, sizeof(run->method), "fixed");
	run->outcome = RUN_COMPLETE;
	run->target_count = 1;
	str_copy(run->targets[0].name, sizeof(run->targets[0].name), "nvme0n1");
	run_point_clear(&point);
	str_copy(point.label, sizeof(point.label), "say \"fixed\", 1");
	point.iops = iops;
	point.mib_s = iops / 256;
	point.count = 1000;
	point.reads = 700;
	point.writes = 300;
	point.read_bytes = 700 * 4096;
	point.write_bytes = 300 * 4096;
	point.service.mean = mean_us * 1000;
	point.service.p99 = mean_us * 3000;
	point.read_service.mean = mean_us * 1100;
	point.write_service.mean = mean_us * 500;
	point.outstanding_limit = 64;
	point.outstanding_avg = iops * mean_us / 1e6;
	run_add_point(run, &point);
	run_analyse(run);
	return run;
}

static void expect(const struct strbuf *out, const char *text)
{
	if (!strstr(out->text, text))
		fail_msg("\"%s\" is not in:\n%s", text, out->text);
}

static void expect_width(const char *text, int width)
{
	char line[512];

	while (*text) {
		const size_t length = strcspn(text, "\n");

		str_format(line, sizeof(line), "%.*s", (int)length, text);
		if (str_width(line) > width)
			fail_msg("%d columns: %s", str_width(line), line);
		assert_false(length && line[length - 1] == ' ');
		text += length + (text[length] == '\n');
	}
}

static void test_two_runs(void **state)
{
	struct run *a = make_run("run-a", 100000, 640), *b = make_run("run-b", 125000, 512);
	const struct run *runs[] = {a, b};
	const struct text_style wide = {.width = 0}, narrow = {.width = 80, .ascii = true};
	struct comparison c;
	struct strbuf out = {0};

	(void)state;
	str_copy(b->engine.backend, sizeof(b->engine.backend), "sync");
	assert_int_equal(compare_runs(runs, 2, &c, NULL), 0);
	compare_text(&c, &wide, &out);
	expect(&out, "How these runs are unlike");
	expect(&out, "backend: A not known, B sync");
	expect(&out, "100,000 125,000 +25.0 %");
	expect(&out, "640 \xc2\xb5s 512 \xc2\xb5s -20.0 %");
	strbuf_free(&out);
	compare_text(&c, &narrow, &out);
	expect_width(out.text, 80);
	assert_null(strstr(out.text, "\xc2"));
	strbuf_free(&out);
	comparison_free(&c);
	run_free(a);
	run_free(b);
}

/* The most runs there may be: a table for each figure, none beyond the columns there are. */
static void test_eight_runs(void **state)
{
	struct run *made[COMPARE_RUNS_MAX];
	const struct run *runs[COMPARE_RUNS_MAX];
	const struct text_style style = {.width = 0};
	struct comparison c;
	struct strbuf out = {0};
	char id[16];

	(void)state;
	for (size_t i = 0; i < COMPARE_RUNS_MAX; i++) {
		str_format(id, sizeof(id), "run-%zu", i);
		runs[i] = made[i] = make_run(id, 1000.0 * (double)(i + 1), 64000);
	}
	assert_int_equal(compare_runs(runs, COMPARE_RUNS_MAX, &c, NULL), 0);
	compare_text(&c, &style, &out);
	expect(&out, "8,000 +700 %");
	expect(&out, "99th percentile");
	strbuf_free(&out);
	comparison_free(&c);
	for (size_t i = 0; i < COMPARE_RUNS_MAX; i++)
		run_free(made[i]);
}

static void test_json(void **state)
{
	struct run *a = make_run("run-a", 100000, 640), *b = make_run("run-b", 125000, 512);
	const struct run *runs[] = {a, b};
	struct json *document = json_object(), *value;
	struct comparison c;
	const char *text;
	double number;

	(void)state;
	assert_int_equal(compare_runs(runs, 2, &c, NULL), 0);
	compare_to_json(&c, document);
	assert_int_equal(json_length(json_get(document, "runs")), 2);
	assert_int_equal(json_length(json_get(document, "rows")), 1);
	value = json_at(json_get(json_at(json_get(document, "rows"), 0), "values"), 1);
	assert_int_equal(json_read_double(value, "iops_difference_pct", &number, NULL), 0);
	assert_float_equal(number, 25, 1e-9);
	assert_int_equal(json_read_double(value, "mean_us", &number, NULL), 0);
	assert_float_equal(number, 512, 1e-9);
	value = json_at(json_get(json_at(json_get(document, "rows"), 0), "values"), 0);
	assert_true(json_is_null(value, "iops_difference_pct"));
	value = json_at(json_get(document, "runs"), 1);
	assert_int_equal(json_read_string(value, "run_id", &text, NULL), 0);
	assert_string_equal(text, "run-b");
	json_free(document);
	comparison_free(&c);
	run_free(a);
	run_free(b);
}

static const char published[] =
	"drive,workload_id,peak_iops,peak_latency_us,littles_concurrency,confidence,review\n"
	"Fast,mix-4k-70r,200000,320,64,high,R\n"
	"Slow,mix-4k-70r,50000,1280,64,medium,R\n"
	"Deep,mix-4k-70r,300000,1706,512,high,R\n";

static void test_published(void **state)
{
	struct run *run = make_run("run-a", 100000, 640);
	struct reference_table table = {0};
	struct reference_comparison c;
	const struct text_style wide = {.width = 0}, narrow = {.width = 80, .ascii = true};
	struct strbuf out = {0};
	struct json *json;
	uint64_t rank;

	(void)state;
	assert_int_equal(reference_parse("p.csv", published, strlen(published), &table, NULL), 0);
	reference_compare(&table, run, &c);
	reference_text(&c, &wide, &out);
	/* in order: the run stands between the two */
	const char *fast = strstr(out.text, "1 Fast"), *self = strstr(out.text, "2 this run"),
		   *slow = strstr(out.text, "3 Slow");

	assert_true(fast && self && slow && fast < self && self < slow);
	expect(&out, "-50.0 %");
	expect(&out, "+100 %");
	expect(&out, "medium confidence");
	expect(&out, "Deep: 300,000 IOPS at 1.71 ms, published at 512 outstanding");
	strbuf_free(&out);
	reference_text(&c, &narrow, &out);
	expect_width(out.text, 80);
	strbuf_free(&out);
	json = reference_to_json(&c);
	assert_int_equal(json_read_u64(json, "rank", &rank, NULL), 0);
	assert_int_equal(rank, 2);
	assert_int_equal(json_length(json_get(json, "rows")), 3);
	json_free(json);
	/* the run's own text tells the rank, reads and writes, tags and note */
	marks_set_tags(&run->marks, "fresh hot", NULL);
	marks_set_note(&run->marks, "first\n\nthird line", NULL);
	str_copy(run->reason, sizeof(run->reason), "stopped by the user");
	run->outcome = RUN_STOPPED;
	run_text(run, &c, &narrow, &out);
	expect_width(out.text, 80);
	expect(&out, "published   rank 2 of 3");
	expect(&out, "outcome     stopped by the user");
	assert_null(strstr(out.text, "stopped: stopped"));
	expect(&out, "tags        fresh, hot\n");
	expect(&out, "note        first\n\n            third line\n");
	expect(&out, "READS/s");
	expect(&out, "70,000"); /* of 100,000, 70 % */
	expect(&out, "30,000");
	expect(&out, "704 us"); /* 640 x 1.1 */
	expect(&out, "320 us");
	strbuf_free(&out);
	reference_comparison_free(&c);
	reference_table_free(&table);
	run_free(run);
}

static void add_interval(struct run *run, double start, int32_t point, bool warmup)
{
	struct interval interval = {.start_s = start,
		.length_s = 1,
		.point = point,
		.warmup = warmup,
		.reads = 70,
		.writes = 30,
		.read_bytes = 286720,
		.iops = 100.5,
		.mib_s = 0.390625,
		.outstanding = 2.5,
		.oldest_wait_ns = NAN,
		.cpu_pct = 12.1f,
		.temperature_c = NAN};

	latency_none(&interval.service);
	latency_none(&interval.response);
	interval.service.mean = 25500;
	interval.service.p99 = 99000;
	series_append(run->series, &interval);
}

static const char *cell(
	const struct csv_reader *header, const char *const *names, size_t count, const char *column)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(names[i], column))
			return header->fields[i];
	fail_msg("no column %s", column);
	return NULL;
}

static void test_csv(void **state)
{
	struct run *run = make_run("run-a", 100.5, 25.5);
	struct strbuf out = {0};
	struct csv_reader r;
	char kept[CSV_FIELDS_MAX][32];
	const char *names[CSV_FIELDS_MAX];
	static const char *const phases[] = {"search", "warm-up", "measured", "unfinished"};
	size_t count;

	(void)state;
	add_interval(run, 0, -1, false);
	add_interval(run, 1, 0, true);
	add_interval(run, 2.125, 0, false);
	add_interval(run, 3, 1, false);
	run_csv(run, &out);
	r = (struct csv_reader){.origin = "out", .text = out.text, .length = out.length};
	assert_int_equal(csv_read(&r, NULL), 1);
	count = r.field_count;
	for (size_t i = 0; i < count; i++) {
		str_copy(kept[i], sizeof(kept[i]), r.fields[i]);
		names[i] = kept[i];
	}
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(csv_read(&r, NULL), 1);
		assert_int_equal(r.field_count, count);
		assert_string_equal(cell(&r, names, count, "phase"), phases[i]);
		if (i != 2)
			continue;
		assert_string_equal(cell(&r, names, count, "time_s"), "2.125");
		assert_string_equal(cell(&r, names, count, "point"), "say \"fixed\", 1");
		assert_string_equal(cell(&r, names, count, "asked_iops"), "");
		assert_string_equal(cell(&r, names, count, "saturated"), "no");
		assert_string_equal(cell(&r, names, count, "iops"), "100.5");
		assert_string_equal(cell(&r, names, count, "reads"), "70");
		assert_string_equal(cell(&r, names, count, "service_mean_us"), "25.5");
		assert_string_equal(cell(&r, names, count, "service_p99_us"), "99");
		assert_string_equal(cell(&r, names, count, "service_p50_us"), "");
		assert_string_equal(cell(&r, names, count, "oldest_wait_us"), "");
		assert_string_equal(cell(&r, names, count, "cpu_pct"), "12.1");
		assert_string_equal(cell(&r, names, count, "temperature_c"), "");
	}
	assert_int_equal(csv_read(&r, NULL), 0);
	csv_free(&r);
	strbuf_free(&out);
	run_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_runs),
		cmocka_unit_test(test_eight_runs),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_published),
		cmocka_unit_test(test_csv),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
