/* Pictures of a run as JSON: every field there and back, series told in parts, and no document that
 * is cut or wrong does any harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/str.h"
#include "sweep/view_json.h"

/* Values that differ from field to field; multiples of 1000 survive the way over microseconds. */
static struct latency latency(double from)
{
	return (struct latency){(uint64_t)from, 1000 * from, 2000 * from, 3000 * from, 4000 * from,
		5000 * from, 6000 * from, 7000 * from, NAN, 9000 * from, 7};
}

static struct run_point point(double percent)
{
	struct run_point p;

	run_point_clear(&p);
	p.percent = percent;
	str_format(p.label, sizeof(p.label), "%g %%", percent);
	p.asked_iops = 100 * percent;
	p.outstanding_limit = 64;
	p.started_s = percent + 0.5;
	p.window_s = 20.25;
	p.scheduled = 1001;
	p.count = 1000;
	p.reads = 700;
	p.writes = 300;
	p.read_bytes = 700 * 4096;
	p.write_bytes = 300 * 4096;
	p.iops = 99.5 * percent;
	p.mib_s = 1.25 * percent;
	p.outstanding_avg = 3.5;
	p.service = latency(percent);
	p.response = latency(percent + 1);
	return p;
}

static struct interval interval(int i)
{
	return (struct interval){.start_s = i,
		.length_s = 1,
		.point = i / 10 - 1,
		.warmup = i % 10 == 0,
		.scheduled = (uint64_t)i + 5,
		.reads = (uint64_t)i,
		.read_bytes = (uint64_t)i * 4096,
		.iops = i + 0.5,
		.mib_s = i + 0.25,
		.outstanding = NAN,
		.oldest_wait_ns = 1000.0 * i,
		.oldest_io_ns = NAN,
		.service = latency(i + 1),
		.response = latency(i + 2),
		.cpu_pct = 12.5F,
		.temperature_c = NAN};
}

static struct runner_view *example(int intervals)
{
	struct runner_view *v = mem_alloc(sizeof(*v));

	v->state = RUNNER_PAUSED;
	str_copy(v->run_id, sizeof(v->run_id), "2026-12-01T10-00-00-a-b-0001");
	str_copy(v->targets, sizeof(v->targets), "nvme0n1 +3");
	str_copy(v->workload, sizeof(v->workload), "rand-read-4k");
	str_copy(v->workload_summary, sizeof(v->workload_summary), "reads, \"random\" \\ ü");
	str_copy(v->method, sizeof(v->method), "curve");
	str_copy(v->backend, sizeof(v->backend), "uring");
	str_copy(v->notes, sizeof(v->notes), "a note");
	str_copy(v->phase, sizeof(v->phase), "point 2 of 3: 70 %");
	v->step = 4;
	v->step_count = 9;
	v->elapsed_s = 61.5;
	v->total_s = NAN;
	v->point_elapsed_s = 3.5;
	v->point_total_s = 25;
	v->warmup = true;
	v->has_current = true;
	v->current = interval(33);
	v->asked_iops = 7000;
	v->has_so_far = true;
	v->so_far = point(70);
	v->silent_s = 2.5;
	v->has_maximum = true;
	v->maximum = point(100);
	v->point_count = 2;
	v->points = mem_alloc(2 * sizeof(*v->points));
	v->points[0] = point(10);
	v->points[1] = point(40);
	v->planned_count = 3;
	memcpy(v->planned_percent, (double[]){10, 40, 70}, 3 * sizeof(double));
	v->has_analysis = true;
	v->analysis = (struct curve_analysis){0, 1, 1, -1, true, 1};
	v->p99_limit_ns = 500000;
	v->series = series_create();
	for (int i = 0; i < intervals; i++) {
		const struct interval iv = interval(i);

		series_append(v->series, &iv);
	}
	v->temperature_c = 41;
	v->simulated = true;
	v->spoiled_count = 2;
	str_copy(v->spoiled_by[0], sizeof(v->spoiled_by[0]), "other I/O");
	str_copy(v->spoiled_by[1], sizeof(v->spoiled_by[1]), "hot");
	v->has_check = true;

	struct run *nothing = run_create();

	check_judge(nothing, &v->check);
	run_free(nothing);
	v->check.lines[CHECK_LINK].state = CHECK_WARNING;
	str_copy(v->check.lines[CHECK_LINK].word, 16, "narrowed");
	str_copy(v->check.lines[CHECK_RANDOM].figures, 640, "p50 92 µs");
	str_copy(v->check.lines[CHECK_RANDOM].reason, 256, "why");
	v->check.verdict = HEALTH_WARNING;
	v->check.ended = true;
	str_copy(v->check.why_unknown, sizeof(v->check.why_unknown), "health");
	v->check.read_bytes = 4711;
	v->check.written_bytes = 4712;
	v->check.seconds = 12.5;
	v->outcome = RUN_RUNNING;
	str_copy(v->reason, sizeof(v->reason), "a reason");
	str_copy(v->saved_path, sizeof(v->saved_path), "/x/y.json");
	str_copy(v->save_fault, sizeof(v->save_fault), "disk full");
	return v;
}

static char *text_of(const struct runner_view *view, size_t from, size_t most)
{
	struct json *json = view_to_json(view, from, most);
	char *text = json_text(json, false);

	json_free(json);
	return text;
}

static int read_back(
	const char *text, size_t length, struct series *series, struct runner_view **out)
{
	struct json *json = NULL;
	struct err err = {0};
	int rc = json_parse("test", text, length, &json, &err);

	*out = NULL;
	if (!rc)
		rc = view_from_json(json, series, out, &err);
	json_free(json);
	assert_true(rc == 0 || err.text[0]);
	return rc;
}

static void same_double(double a, double b)
{
	assert_true((isnan(a) && isnan(b)) || fabs(a - b) <= 1e-9 * fabs(a));
}

static void same_latency(const struct latency *a, const struct latency *b)
{
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->overflow, b->overflow);
	same_double(a->mean, b->mean);
	same_double(a->stddev, b->stddev);
	same_double(a->p50, b->p50);
	same_double(a->p99_9, b->p99_9);
	same_double(a->p99_99, b->p99_99);
	same_double(a->max, b->max);
}

static void same_point(const struct run_point *a, const struct run_point *b)
{
	same_double(a->percent, b->percent);
	assert_string_equal(a->label, b->label);
	same_double(a->iops, b->iops);
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->write_bytes, b->write_bytes);
	same_double(a->outstanding_avg, b->outstanding_avg);
	same_double(a->temperature_c, b->temperature_c);
	same_latency(&a->service, &b->service);
	same_latency(&a->response, &b->response);
}

static void same_interval(const struct interval *a, const struct interval *b)
{
	same_double(a->start_s, b->start_s);
	assert_int_equal(a->point, b->point);
	assert_int_equal(a->warmup, b->warmup);
	assert_int_equal(a->reads, b->reads);
	same_double(a->iops, b->iops);
	same_double(a->outstanding, b->outstanding);
	same_double(a->oldest_wait_ns, b->oldest_wait_ns);
	same_latency(&a->service, &b->service);
	same_double((double)a->temperature_c, (double)b->temperature_c);
}

static void every_field_comes_back(void **state)
{
	struct runner_view *a = example(40), *b;
	struct series *series = series_create();
	char *text = text_of(a, 0, 1000);

	(void)state;
	assert_null(strchr(text, '\n')); /* a line of the socket */
	assert_int_equal(read_back(text, strlen(text), series, &b), 0);
	assert_int_equal(b->state, a->state);
	assert_string_equal(b->run_id, a->run_id);
	assert_string_equal(b->targets, a->targets);
	assert_string_equal(b->workload, a->workload);
	assert_string_equal(b->workload_summary, a->workload_summary);
	assert_string_equal(b->method, a->method);
	assert_string_equal(b->backend, a->backend);
	assert_string_equal(b->notes, a->notes);
	assert_string_equal(b->phase, a->phase);
	assert_string_equal(b->reason, a->reason);
	assert_string_equal(b->saved_path, a->saved_path);
	assert_string_equal(b->save_fault, a->save_fault);
	assert_int_equal(b->step, a->step);
	assert_int_equal(b->step_count, a->step_count);
	same_double(b->elapsed_s, a->elapsed_s);
	same_double(b->total_s, a->total_s);
	same_double(b->point_elapsed_s, a->point_elapsed_s);
	same_double(b->point_total_s, a->point_total_s);
	assert_int_equal(b->warmup, a->warmup);
	assert_true(b->has_current && b->has_so_far && b->has_maximum && b->has_analysis);
	same_interval(&b->current, &a->current);
	same_double(b->asked_iops, a->asked_iops);
	same_point(&b->so_far, &a->so_far);
	same_double(b->silent_s, a->silent_s);
	same_point(&b->maximum, &a->maximum);
	assert_int_equal(b->point_count, 2);
	same_point(&b->points[0], &a->points[0]);
	same_point(&b->points[1], &a->points[1]);
	assert_int_equal(b->planned_count, 3);
	assert_memory_equal(b->planned_percent, a->planned_percent, sizeof(a->planned_percent));
	assert_int_equal(b->analysis.start, 0);
	assert_int_equal(b->analysis.peak, 1);
	assert_int_equal(b->analysis.knee_chord, 1);
	assert_int_equal(b->analysis.knee_limit, -1);
	assert_int_equal(b->analysis.fall_off_at, 1);
	assert_true(b->analysis.fall_off);
	same_double(b->p99_limit_ns, a->p99_limit_ns);
	same_double(b->temperature_c, a->temperature_c);
	assert_true(b->simulated);
	assert_int_equal(b->spoiled_count, 2);
	assert_string_equal(b->spoiled_by[1], "hot");
	assert_true(b->has_check);
	for (size_t i = 0; i < CHECK_PARTS; i++) {
		assert_string_equal(b->check.lines[i].key, a->check.lines[i].key);
		assert_string_equal(b->check.lines[i].title, a->check.lines[i].title);
		assert_int_equal(b->check.lines[i].state, a->check.lines[i].state);
		assert_string_equal(b->check.lines[i].word, a->check.lines[i].word);
		assert_string_equal(b->check.lines[i].figures, a->check.lines[i].figures);
		assert_string_equal(b->check.lines[i].reason, a->check.lines[i].reason);
	}
	assert_int_equal(b->check.verdict, HEALTH_WARNING);
	assert_true(b->check.ended);
	assert_string_equal(b->check.why_unknown, "health");
	assert_int_equal(b->check.read_bytes, 4711);
	assert_int_equal(b->check.written_bytes, 4712);
	same_double(b->check.seconds, 12.5);
	assert_int_equal(b->outcome, RUN_RUNNING);
	assert_int_equal(series_count(series), 40);
	for (size_t i = 0; i < 40; i++)
		same_interval(series_at(series, i), series_at(a->series, i));
	assert_ptr_equal(b->series, series);
	free(text);
	runner_view_free(a);
	runner_view_free(b);
	series_unref(series);
}

static void what_is_not_known_stays_unknown(void **state)
{
	struct runner_view *a = mem_alloc(sizeof(*a)), *b;
	struct series *series = series_create();

	(void)state;
	a->state = RUNNER_ENDED;
	a->outcome = RUN_COMPLETE;
	a->total_s = a->temperature_c = a->point_total_s = NAN;

	char *text = text_of(a, 0, 10);

	assert_int_equal(read_back(text, strlen(text), series, &b), 0);
	assert_false(b->has_current || b->has_so_far || b->has_maximum || b->has_analysis ||
		b->has_check);
	assert_int_equal(b->state, RUNNER_ENDED);
	assert_int_equal(b->outcome, RUN_COMPLETE);
	assert_int_equal(b->point_count, 0);
	assert_true(isnan(b->total_s) && isnan(b->temperature_c));
	free(text);
	runner_view_free(a);
	runner_view_free(b);
	series_unref(series);
}

static void intervals_are_told_in_parts(void **state)
{
	struct runner_view *a = example(25), *b;
	struct series *series = series_create();
	char *text;

	(void)state;
	for (size_t from = 0; from < 25; from += 10) {
		text = text_of(a, from, 10);
		assert_int_equal(read_back(text, strlen(text), series, &b), 0);
		runner_view_free(b);
		/* The same part again is refused and adds nothing. */
		assert_int_equal(read_back(text, strlen(text), series, &b), -EINVAL);
		free(text);
	}
	assert_int_equal(series_count(series), 25);
	for (size_t i = 0; i < 25; i++)
		same_interval(series_at(series, i), series_at(a->series, i));
	runner_view_free(a);
	series_unref(series);
}

static void every_cut_is_an_error(void **state)
{
	struct runner_view *a = example(2), *b;
	struct series *series = series_create();
	char *text = text_of(a, 0, 10);

	(void)state;
	for (size_t length = 0; length < strlen(text); length++) {
		char *cut = mem_alloc(length + 1); /* its end is where a sanitizer watches */

		memcpy(cut, text, length);
		assert_int_not_equal(read_back(cut, length, series, &b), 0);
		assert_null(b);
		assert_int_equal(series_count(series), 0);
		free(cut);
	}
	free(text);
	runner_view_free(a);
	series_unref(series);
}

/* Seeded: whatever a changed byte makes of it, it is read or refused, and refused adds nothing. */
static void changed_bytes_do_no_harm(void **state)
{
	static const char bytes[] = "0123456789-+eE.\"{}[],:\\ntfalsrue\x80\xff ";
	struct runner_view *a = example(2), *b;
	char *text = text_of(a, 0, 10);
	const size_t length = strlen(text);
	struct rng rng;

	(void)state;
	rng_seed(&rng, 4711, 0);
	for (int round = 0; round < 4000; round++) {
		struct series *series = series_create();
		char *changed = mem_strdup(text);

		for (uint64_t n = 1 + rng_below(&rng, 3); n; n--)
			changed[rng_below(&rng, length)] =
				bytes[rng_below(&rng, sizeof(bytes) - 1)];
		if (read_back(changed, length, series, &b))
			assert_int_equal(series_count(series), 0);
		else
			runner_view_free(b);
		free(changed);
		series_unref(series);
	}
	free(text);
	runner_view_free(a);
}

static void replace(struct json *json, const char *key, const char *value)
{
	struct json *part = NULL;

	assert_int_equal(json_parse("value", value, strlen(value), &part, NULL), 0);
	json_set(json, key, part);
}

static void wrong_documents_name_the_key(void **state)
{
	static const struct {
		const char *key, *value;
	} cases[] = {
		{"state", "\"flying\""},
		{"state", "null"},
		{"step", "-1"},
		{"step", "4294967296"},
		{"points", "{}"},
		{"points", "[1]"},
		{"planned_percent", "[\"a\"]"},
		{"planned_percent", "[-1]"},
		{"planned_percent", "[1e300]"},
		{"analysis", "{\"start\": 2}"},
		{"analysis", "{\"peak\": -2}"},
		{"analysis", "{\"peak\": 99999999999}"},
		{"series_from", "1"},
		{"intervals", "[null]"},
		{"intervals", "[{\"reads\": \"x\"}]"},
		{"current", "[]"},
		{"so_far", "7"},
		{"spoiled_by", "[7]"},
		{"run_id", "7"},
		{"check", "[]"},
		{"check", "{\"lines\": []}"},
		{"check", "{\"lines\": [1, 2, 3, 4, 5]}"},
		{"check", "{\"lines\": [{}, {}, {}, {}, {}]}"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct runner_view *a = example(3), *b = NULL;
		struct json *json = view_to_json(a, 0, 10);
		struct series *series = series_create();
		struct err err = {0};

		replace(json, cases[i].key, cases[i].value);
		if (!view_from_json(json, series, &b, &err))
			fail_msg("%s: %s was taken", cases[i].key, cases[i].value);
		assert_null(b);
		assert_int_equal(series_count(series), 0);
		assert_true(err.text[0]);
		json_free(json);
		runner_view_free(a);
		series_unref(series);
	}
}

static void lists_beyond_all_bounds_are_refused(void **state)
{
	static const struct {
		const char *key, *element;
		int count;
	} cases[] = {
		{"planned_percent", "1", 65}, {"spoiled_by", "\"x\"", 25}, {"points", "{}", 4097}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct runner_view *a = example(3), *b = NULL;
		struct json *json = view_to_json(a, 0, 10);
		struct series *series = series_create();
		struct strbuf list = {0};

		for (int n = 0; n < cases[i].count; n++)
			strbuf_addf(&list, "%s%s", n ? "," : "[", cases[i].element);
		strbuf_add(&list, "]");
		replace(json, cases[i].key, list.text);
		assert_int_equal(view_from_json(json, series, &b, NULL), -EINVAL);
		strbuf_free(&list);
		json_free(json);
		runner_view_free(a);
		series_unref(series);
	}
}

static void another_version_is_said(void **state)
{
	struct runner_view *a = example(0), *b = NULL;
	struct json *json = view_to_json(a, 0, 10);
	struct series *series = series_create();
	struct err err = {0};

	(void)state;
	json_set_string(json, "schema", "nvsweep-view/2");
	assert_int_equal(view_from_json(json, series, &b, &err), -ENOTSUP);
	assert_non_null(strstr(err.text, "nvsweep-view/2"));
	json_free(json);
	runner_view_free(a);
	series_unref(series);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_comes_back),
		cmocka_unit_test(what_is_not_known_stays_unknown),
		cmocka_unit_test(intervals_are_told_in_parts),
		cmocka_unit_test(every_cut_is_an_error),
		cmocka_unit_test(changed_bytes_do_no_harm),
		cmocka_unit_test(wrong_documents_name_the_key),
		cmocka_unit_test(lists_beyond_all_bounds_are_refused),
		cmocka_unit_test(another_version_is_said),
	};

	return cmocka_run_group_tests_name("pictures of a run", tests, NULL, NULL);
}
