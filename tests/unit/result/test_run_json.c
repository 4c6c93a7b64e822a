/* A run to JSON and back: every field, unknown values, wrong types, merged intervals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <cmocka.h>

#include "base/json.h"
#include "base/rng.h"
#include "result/merge.h"
#include "result/run_json.h"
#include "example.h"

static bool same(double a, double b)
{
	return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

#define SAME(member)                                                                \
	do {                                                                        \
		if (!same((double)a->member, (double)b->member))                    \
			fail_msg(#member ": %.17g became %.17g", (double)a->member, \
				(double)b->member);                                 \
	} while (0)

static void same_latency(const struct latency *a, const struct latency *b)
{
	SAME(count);
	SAME(mean);
	SAME(stddev);
	SAME(min);
	SAME(p50);
	SAME(p90);
	SAME(p99);
	SAME(p99_9);
	SAME(p99_99);
	SAME(max);
	SAME(overflow);
}

static void same_point(const struct run_point *a, const struct run_point *b)
{
	SAME(percent);
	assert_string_equal(a->label, b->label);
	SAME(asked_iops);
	SAME(outstanding_limit);
	SAME(started_s);
	SAME(window_s);
	SAME(scheduled);
	SAME(count);
	SAME(reads);
	SAME(writes);
	SAME(read_bytes);
	SAME(write_bytes);
	SAME(errors);
	SAME(short_reads);
	SAME(retries);
	SAME(iops);
	SAME(mib_s);
	SAME(outstanding_avg);
	SAME(saturated);
	SAME(saturated_age_ns);
	SAME(backlog);
	assert_string_equal(a->limited_by, b->limited_by);
	SAME(suspect);
	SAME(little_off_pct);
	SAME(unstable);
	SAME(cpu_pct);
	SAME(cpu_wait_pct);
	SAME(temperature_c);
	same_latency(&a->lateness, &b->lateness);
	same_latency(&a->service, &b->service);
	same_latency(&a->response, &b->response);
	same_latency(&a->read_service, &b->read_service);
	same_latency(&a->write_service, &b->write_service);
	assert_int_equal(a->histogram_count, b->histogram_count);
	if (a->histogram_count)
		assert_memory_equal(
			a->histogram, b->histogram, a->histogram_count * sizeof(*a->histogram));
}

static void same_interval(const struct interval *a, const struct interval *b)
{
	SAME(start_s);
	SAME(length_s);
	SAME(point);
	SAME(warmup);
	SAME(scheduled);
	SAME(reads);
	SAME(writes);
	SAME(read_bytes);
	SAME(write_bytes);
	SAME(errors);
	SAME(iops);
	SAME(mib_s);
	SAME(outstanding);
	SAME(backlog);
	SAME(oldest_wait_ns);
	SAME(oldest_io_ns);
	same_latency(&a->service, &b->service);
	same_latency(&a->response, &b->response);
	SAME(cpu_pct);
	SAME(temperature_c);
}

static void same_smart(const struct smart *a, const struct smart *b)
{
	SAME(critical_warning);
	SAME(temperature_c.reported);
	SAME(temperature_c.value);
	SAME(available_spare.value);
	SAME(spare_threshold.reported);
	SAME(percentage_used.value);
	assert_true(a->data_units_written.value == b->data_units_written.value);
	SAME(data_units_read.reported);
	SAME(power_cycles.reported);
	SAME(thermal1_count.value);
	for (int i = 0; i < 8; i++) {
		SAME(sensors_c[i].reported);
		SAME(sensors_c[i].value);
	}
}

static void same_target(const struct run_target *a, const struct run_target *b)
{
	assert_string_equal(a->name, b->name);
	assert_string_equal(a->path, b->path);
	assert_string_equal(a->kind, b->kind);
	assert_string_equal(a->model, b->model);
	assert_string_equal(a->serial, b->serial);
	assert_string_equal(a->firmware, b->firmware);
	assert_string_equal(a->unique_id, b->unique_id);
	assert_string_equal(a->scheduler, b->scheduler);
	assert_string_equal(a->file_system, b->file_system);
	SAME(nsid);
	SAME(size_bytes);
	SAME(area_offset);
	SAME(area_length);
	SAME(lba_bytes);
	SAME(metadata_bytes);
	SAME(link_gts);
	SAME(link_max_gts);
	SAME(link_width);
	SAME(link_max_width);
	SAME(numa_node);
	SAME(direct);
	SAME(simulated);
	SAME(smart_before_known);
	SAME(smart_after_known);
	if (a->smart_before_known)
		same_smart(&a->smart_before, &b->smart_before);
}

static struct run *parse(const char *text, int expected, char *sentence, size_t size)
{
	struct json *json = NULL;
	struct run *run = NULL;
	struct err err;

	err_clear(&err);
	assert_int_equal(json_parse("test", text, strlen(text), &json, &err), 0);
	assert_int_equal(run_from_json("test.json", json, &run, &err), expected);
	json_free(json);
	if (sentence)
		str_copy(sentence, size, err.text);
	assert_true((run == NULL) == (expected != 0));
	return run;
}

static void test_round_trip(void **state)
{
	struct run *a = example_run(), *b;
	struct json *json = run_to_json(a);
	char *text = json_text(json, true);

	(void)state;
	json_free(json);
	assert_null(strstr(text, "nan"));
	b = parse(text, 0, NULL, 0);
	free(text);
	assert_string_equal(a->id, b->id);
	assert_string_equal(a->suite_id, b->suite_id);
	assert_string_equal(a->generator, b->generator);
	assert_string_equal(a->workload, b->workload);
	assert_string_equal(a->workload_text, b->workload_text);
	assert_string_equal(a->method, b->method);
	assert_int_equal(b->parameter_count, 2);
	assert_memory_equal(a->parameters, b->parameters, 2 * sizeof(*a->parameters));
	assert_int_equal(a->target_count, b->target_count);
	for (size_t i = 0; i < a->target_count; i++)
		same_target(&a->targets[i], &b->targets[i]);
	assert_string_equal(a->engine.backend, b->engine.backend);
	assert_string_equal(a->engine.fallback_from, b->engine.fallback_from);
	assert_string_equal(a->engine.fallback_reason, b->engine.fallback_reason);
	assert_string_equal(a->engine.notes, b->engine.notes);
	assert_string_equal(a->engine.pace, b->engine.pace);
	SAME(engine.workers);
	assert_string_equal(a->host.hostname, b->host.hostname);
	assert_string_equal(a->host.kernel, b->host.kernel);
	assert_string_equal(a->host.machine, b->host.machine);
	assert_string_equal(a->host.cpu_model, b->host.cpu_model);
	SAME(host.cpus);
	SAME(host.memory_bytes);
	assert_true(a->seed == b->seed);
	assert_true(a->started == b->started && a->ended == b->ended);
	SAME(outcome);
	assert_string_equal(a->reason, b->reason);
	SAME(simulated);
	SAME(p99_limit_ns);
	SAME(has_maximum);
	same_point(&a->maximum, &b->maximum);
	assert_int_equal(a->search_count, b->search_count);
	for (size_t i = 0; i < a->search_count; i++)
		same_point(&a->searches[i], &b->searches[i]);
	assert_int_equal(a->point_count, b->point_count);
	for (size_t i = 0; i < a->point_count; i++)
		same_point(&a->points[i], &b->points[i]);
	SAME(has_analysis);
	assert_memory_equal(&a->analysis, &b->analysis, sizeof(a->analysis));
	assert_int_equal(series_count(a->series), series_count(b->series));
	for (size_t i = 0; i < series_count(a->series); i++)
		same_interval(series_at(a->series, i), series_at(b->series, i));
	assert_int_equal(b->spoiled_count, 2);
	assert_memory_equal(a->spoiled_by, b->spoiled_by, sizeof(a->spoiled_by));
	run_free(a);
	run_free(b);
}

/* The names and units that DESIGN 8 promises to readers of the file. */
static void test_schema(void **state)
{
	static const char *const keys[] = {"run_id", "suite_id", "targets", "workload", "method",
		"engine", "host", "seed", "started", "ended", "outcome", "maximum", "points",
		"analysis", "smart_before", "smart_after", "spoiled_by"};
	static const char *const point_keys[] = {"percent", "asked_iops", "scheduled", "count",
		"bytes", "errors", "iops", "mib_s", "outstanding_avg", "saturated", "backlog",
		"lateness_us", "service_us", "response_us", "histogram", "read", "write",
		"intervals"};
	static const char *const latency_keys[] = {
		"mean", "stddev", "min", "p50", "p90", "p99", "p99_9", "max"};
	struct run *run = example_run();
	struct json *json = run_to_json(run), *points = json_get(json, "points");
	const struct json *point = json_at(points, 0), *full = json_at(points, 2);
	const char *text;
	double number;
	uint64_t bytes;

	(void)state;
	assert_string_equal(json_key(json, 0), "schema");
	assert_string_equal(json_key(json, 1), "generator");
	assert_int_equal(json_read_string(json, "schema", &text, NULL), 0);
	assert_string_equal(text, "nvsweep-run/1");
	assert_int_equal(json_read_string(json, "started", &text, NULL), 0);
	assert_string_equal(text, "2026-11-30T14:09:02Z");
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strcmp(keys[i], "smart_after") && !json_get(json, keys[i]))
			fail_msg("no \"%s\"", keys[i]);
	for (size_t i = 0; i < sizeof(point_keys) / sizeof(point_keys[0]); i++)
		if (!json_get(point, point_keys[i]))
			fail_msg("no points[].\"%s\"", point_keys[i]);
	for (size_t i = 0; i < sizeof(latency_keys) / sizeof(latency_keys[0]); i++)
		if (!json_get(json_get(point, "service_us"), latency_keys[i]))
			fail_msg("no service_us.\"%s\"", latency_keys[i]);
	/* Microseconds, and bytes of both directions. */
	assert_int_equal(json_read_double(json_get(point, "service_us"), "p99", &number, NULL), 0);
	assert_true(same(number, (100000 + 100 + 6) / 1000.0));
	assert_int_equal(json_read_u64(point, "bytes", &bytes, NULL), 0);
	assert_int_equal(bytes, 70000 * 4096ull + 30000 * 8192ull);
	/* Of a saturated point only a bound of the response is known. */
	assert_true(json_is_null(full, "response_us"));
	assert_int_equal(json_read_double(full, "response_at_least_us", &number, NULL), 0);
	assert_true(same(number, 2.5e6));
	/* What is not known is null, not 0. */
	assert_true(json_is_null(point, "temperature_c"));
	assert_true(json_is_null(json_get(point, "service_us"), "p99_99"));
	assert_int_equal(json_length(json_get(point, "intervals")), 2);
	assert_int_equal(json_length(json_get(json, "intervals")), 3);
	assert_int_equal(json_length(json_at(json_get(point, "histogram"), 1)), 2);
	json_free(json);
	run_free(run);
}

static void test_refused(void **state)
{
	char text[200];

	(void)state;
	parse("[]", -EINVAL, text, sizeof(text));
	parse("{\"schema\":\"other/1\"}", -EINVAL, text, sizeof(text));
	assert_non_null(strstr(text, "test.json"));
	parse("{\"schema\":\"nvsweep-run/2\"}", -ENOTSUP, text, sizeof(text));
	assert_non_null(strstr(text, "newer"));
	parse("{\"schema\":\"nvsweep-run/1\",\"seed\":\"x\"}", -EINVAL, text, sizeof(text));
	assert_non_null(strstr(text, "seed"));
	parse("{\"schema\":\"nvsweep-run/1\",\"points\":{}}", -EINVAL, text, sizeof(text));
	assert_non_null(strstr(text, "points"));
	parse("{\"schema\":\"nvsweep-run/1\",\"points\":[{\"service_us\":{\"p99\":\"a\"}}]}",
		-EINVAL, text, sizeof(text));
	assert_non_null(strstr(text, "service_us"));
	parse("{\"schema\":\"nvsweep-run/1\",\"points\":[{\"histogram\":[[1,2],[3]]}]}", -EINVAL,
		text, sizeof(text));
	parse("{\"schema\":\"nvsweep-run/1\",\"started\":\"yesterday\"}", -EINVAL, text,
		sizeof(text));
	assert_non_null(strstr(text, "started"));
}

/* Whatever bytes a file has: a run or a sentence, never a crash (the sanitizers watch). */
static void test_damaged_bytes(void **state)
{
	struct run *run = example_run();
	struct json *json = run_to_json(run);
	char *text = json_text(json, false), *copy;
	const size_t length = strlen(text);
	unsigned accepted = 0, refused = 0;
	struct rng rng;

	(void)state;
	json_free(json);
	run_free(run);
	rng_seed(&rng, 2026, 1);
	copy = malloc(length + 1);
	assert_non_null(copy);
	for (int round = 0; round < 400; round++) {
		static const char bytes[] = "0919-+.eE\"{}[],:nulltruefals \\\x01\xff";
		struct err err;

		memcpy(copy, text, length + 1);
		for (uint64_t i = 0; i <= rng_below(&rng, 3); i++)
			copy[rng_below(&rng, length)] = bytes[rng_below(&rng, sizeof(bytes) - 1)];
		err_clear(&err);
		json = NULL;
		run = NULL;
		if (json_parse("damaged", copy, length, &json, &err) ||
			run_from_json("damaged", json, &run, &err)) {
			assert_true(err.text[0]);
			assert_null(run);
			refused++;
		} else {
			accepted++;
		}
		json_free(json);
		run_free(run);
	}
	assert_true(accepted > 20 && refused > 20);
	free(copy);
	free(text);
}

/* Unknown keys are ignored, missing ones stay unknown. */
static void test_sparse(void **state)
{
	struct run *run = parse("{\"schema\":\"nvsweep-run/1\",\"later\":{\"x\":[1]},"
				"\"points\":[{\"iops\":5}],\"analysis\":{\"peak\":{\"point\":7}}}",
		0, NULL, 0);

	(void)state;
	assert_int_equal(run->point_count, 1);
	assert_true(isnan(run->points[0].service.mean));
	assert_true(isnan(run->points[0].temperature_c));
	assert_int_equal(run->analysis.peak, -1); /* points beyond the end do not exist */
	assert_int_equal(run->outcome, RUN_ABORTED);
	run_free(run);
}

static void test_control_bytes(void **state)
{
	struct run *run = parse("{\"schema\":\"nvsweep-run/1\",\"targets\":[{\"model\":"
				"\"A\\u001b[2JB\\n\"}],\"reason\":\"x\\u0007\"}",
		0, NULL, 0);

	(void)state;
	assert_null(strchr(run->targets[0].model, 0x1b));
	assert_null(strchr(run->targets[0].model, '\n'));
	assert_null(strchr(run->reason, 7));
	run_free(run);
}

/* More than 3,600 intervals: neighbours of one point become one, nothing is lost. */
static void test_many_intervals(void **state)
{
	struct run *run = run_create(), *back;
	struct run_point p = example_point(10, false), q = example_point(20, false);
	double seconds = 0;
	uint64_t reads = 0;

	(void)state;
	run_add_point(run, &p);
	run_add_point(run, &q);
	for (int i = 0; i < 7300; i++) {
		struct interval iv = example_interval(i, i < 3651 ? 0 : 1, i < 5);

		iv.reads = (uint64_t)i;
		iv.service.p99 = i;
		series_append(run->series, &iv);
	}
	struct json *json = run_to_json(run);
	char *text = json_text(json, false);

	json_free(json);
	back = parse(text, 0, NULL, 0);
	free(text);
	const size_t count = series_count(back->series);

	/* Groups of four; each point and the warm-up may leave a smaller one. */
	assert_true(count >= 7300 / 4 && count <= 7300 / 4 + 4);
	for (size_t i = 0; i < count; i++) {
		const struct interval *iv = series_at(back->series, i);

		seconds += iv->length_s;
		reads += iv->reads;
		assert_true(same(iv->iops, 5000));
		if (i)
			assert_true(iv->start_s > series_at(back->series, i - 1)->start_s);
	}
	assert_true(same(seconds, 7300));
	assert_int_equal(reads, 7300ull * 7299 / 2);
	run_free(run);
	run_free(back);
}

/* Against the figures of all values together. */
static void test_merge_latency(void **state)
{
	struct hist one, two, both;
	struct latency a, b, c;

	(void)state;
	hist_reset(&one);
	hist_reset(&two);
	hist_reset(&both);
	for (int i = 0; i < 3000; i++) {
		hist_add(&one, 50000 + (uint64_t)i * 10);
		hist_add(&both, 50000 + (uint64_t)i * 10);
	}
	for (int i = 0; i < 1000; i++) {
		hist_add(&two, 90000 + (uint64_t)i * 1000);
		hist_add(&both, 90000 + (uint64_t)i * 1000);
	}
	hist_summary(&one, &a);
	hist_summary(&two, &b);
	hist_summary(&both, &c);
	const double higher = fmax(a.p99, b.p99);

	run_merge_latency(&a, &b);
	assert_int_equal(a.count, 4000);
	assert_true(fabs(a.mean - c.mean) < 1e-6 * c.mean);
	assert_true(fabs(a.stddev - c.stddev) < 1e-6 * c.stddev);
	assert_true(same(a.min, c.min) && same(a.max, c.max));
	assert_true(same(a.p99, higher) && a.p99 >= c.p99);
	assert_true(isnan(a.p99_99)); /* unknown in one is unknown in both */
}

static void test_id(void **state)
{
	struct run *run = run_create();

	(void)state;
	run->started = 1796047742;
	run->target_count = 1;
	run->seed = 1;
	str_copy(run->targets[0].name, sizeof(run->targets[0].name), "nvme0n1");
	str_copy(run->workload, sizeof(run->workload), "rand-read-4k");
	run_make_id(run);
	run->id[strlen(run->id) - 4] = '\0';
	assert_string_equal(run->id, "2026-11-30T14-09-02-nvme0n1-rand-read-4k-");
	/* Nothing of a name may lead out of the folder, and the end is never cut. */
	str_copy(run->targets[0].name, sizeof(run->targets[0].name), "../../etc/passwd \x1b");
	str_copy(run->workload, sizeof(run->workload), "a/very long and odd name of a workload %n");
	run_make_id(run);
	assert_null(strchr(run->id, '/'));
	assert_null(strchr(run->id, '%'));
	assert_null(strchr(run->id, ' '));
	assert_int_equal(run->id[strlen(run->id) - 5], '-');
	assert_true(strlen(run->id) < sizeof(run->id));
	run_free(run);
}

/* Random arrivals scatter about the rate asked for; only the schedule tells whether all came. */
static void test_fell_short(void **state)
{
	static const struct {
		double asked;
		uint64_t scheduled, count, errors;
		bool want;
	} cases[] = {{1000, 900, 900, 0, false}, {1000, 1000, 979, 0, false},
		{1000, 10000, 9801, 0, false}, {1000, 10000, 9799, 0, true},
		{1000, 10000, 9700, 100, false}, {0, 10000, 5000, 0, false}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run_point p;

		run_point_clear(&p);
		p.outstanding_limit = 32;
		p.asked_iops = cases[i].asked;
		p.scheduled = cases[i].scheduled;
		p.count = cases[i].count;
		p.errors = cases[i].errors;
		assert_int_equal(run_point_fell_short(&p), cases[i].want);
	}
}

static void test_spoil_once(void **state)
{
	struct run *run = run_create();

	(void)state;
	for (int i = 0; i < 100; i++)
		run_spoil(run, "doubt %d", i / 2);
	assert_int_equal(run->spoiled_count, RUN_SPOILED_MAX);
	assert_string_equal(run->spoiled_by[1], "doubt 1");
	run_free(run);
}

/* Rates of second intervals decide about stability; sub-second ones are put together. */
static void test_unstable_marks(void **state)
{
	struct run *run = run_create();
	struct run_point p = example_point(10, false);

	(void)state;
	p.asked_iops = 10000;
	run_add_point(run, &p);
	for (int i = 0; i < 80; i++) {
		struct interval iv = example_interval(0.25 * i, 0, false);

		iv.length_s = 0.25;
		iv.writes = 0;
		iv.reads = i % 4 ? 2000 : 4000; /* 10,000 in each second */
		series_append(run->series, &iv);
	}
	run_analyse(run);
	assert_false(run->points[0].unstable);
	for (int i = 0; i < 8; i++) {
		struct interval iv = example_interval(20 + 0.25 * i, 0, false);

		iv.length_s = 0.25;
		iv.writes = 0;
		iv.reads = 1500;
		series_append(run->series, &iv);
	}
	run_analyse(run);
	assert_true(run->points[0].unstable);
	run_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_schema),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_damaged_bytes),
		cmocka_unit_test(test_sparse),
		cmocka_unit_test(test_control_bytes),
		cmocka_unit_test(test_many_intervals),
		cmocka_unit_test(test_merge_latency),
		cmocka_unit_test(test_id),
		cmocka_unit_test(test_fell_short),
		cmocka_unit_test(test_spoil_once),
		cmocka_unit_test(test_unstable_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
