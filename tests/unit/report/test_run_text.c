/* Runs as plain text: what must stand there, widths, and strings from a damaged file. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "report/run_text.h"

static void add_point(struct run *run, const char *label, double asked, double iops, double mean_ns)
{
	struct run_point point;

	run_point_clear(&point);
	str_copy(point.label, sizeof(point.label), label);
	point.asked_iops = asked;
	point.iops = iops;
	point.mib_s = iops * 4096 / 1048576;
	point.count = (uint64_t)iops * 20;
	point.outstanding_avg = iops * mean_ns * 1e-9;
	latency_none(&point.service);
	latency_none(&point.response);
	point.service.count = point.response.count = point.count;
	point.service.mean = mean_ns;
	point.service.p50 = mean_ns * 0.9;
	point.service.p99 = mean_ns * 3;
	point.service.max = 4e12; /* more than a histogram holds */
	point.response.mean = mean_ns * 1.1;
	point.response.p99 = mean_ns * 4;
	run_add_point(run, &point);
}

static struct run *make_run(void)
{
	struct run *run = run_create();

	str_copy(run->id, sizeof(run->id), "2026-11-30T14-09-02-nvme0n1-rand-read-4k-3f2a");
	str_copy(run->workload, sizeof(run->workload), "rand-read-4k");
	str_copy(run->method, sizeof(run->method), "curve");
	str_copy(run->engine.backend, sizeof(run->engine.backend), "sync");
	str_copy(run->engine.fallback_from, sizeof(run->engine.fallback_from), "uring");
	str_copy(run->engine.fallback_reason, sizeof(run->engine.fallback_reason),
		"io_uring_setup: Operation not permitted");
	str_copy(run->engine.pace, sizeof(run->engine.pace), "auto");
	run->engine.workers = 1;
	run->target_count = 1;
	str_copy(run->targets[0].name, sizeof(run->targets[0].name), "nvme0n1");
	str_copy(run->targets[0].kind, sizeof(run->targets[0].kind), "namespace");
	/* as a file changed by hand might hold it */
	str_copy(run->targets[0].model, sizeof(run->targets[0].model), "FAKE\x1b[2J\x9b%n");
	run->targets[0].area_length = UINT64_C(1920375281664);
	run->targets[0].simulated = true;
	run->started = 1764511442;
	run->ended = run->started + 325;
	run->outcome = RUN_STOPPED;
	str_copy(run->reason, sizeof(run->reason), "by the user");
	add_point(run, "10 %", 31800, 31795, 71000);
	add_point(run, "40 %", 127200, 127190, 82000);
	add_point(run, "90 %", 286200, 286100, 118000);
	add_point(run, "100 %", 318000, 317900, 201000);
	run->points[3].saturated = true;
	run->points[3].saturated_age_ns = 2.5e9;
	run_spoil(run, "the drive was throttled in 2 of 4 points");
	return run;
}

static void check_lines(const char *text, int width)
{
	char line[2048];

	for (const char *at = text; *at != '\0';) {
		const size_t length = strcspn(at, "\n");

		assert_true(length < sizeof(line));
		memcpy(line, at, length);
		line[length] = '\0';
		if (width > 0 && str_width(line) > width)
			fail_msg("wider than %d: %s", width, line);
		for (size_t i = 0; i < length; i++)
			assert_true((unsigned char)line[i] >= 0x20 && line[i] <= 0x7e);
		at += length + (at[length] == '\n' ? 1 : 0);
	}
}

static bool has(const struct strbuf *out, const char *text)
{
	return strstr(out->text, text) != NULL;
}

static void one_run(void **state)
{
	struct run *run = make_run();
	struct strbuf out = {0};
	const struct text_style wide = {true, 0};

	(void)state;
	run_text(run, NULL, &wide, &out);
	assert_true(has(&out, "2026-11-30T14-09-02-nvme0n1-rand-read-4k-3f2a"));
	assert_true(has(&out, "nvme0n1"));
	assert_true(has(&out, "FAKE?[2J?%n"));
	assert_true(has(&out, "SIMULATED"));
	assert_true(has(&out, "1.92 TB"));
	assert_true(has(&out, "io_uring_setup: Operation not permitted"));
	assert_true(has(&out, "stopped"));
	assert_true(has(&out, "by the user"));
	assert_true(has(&out, "5:25"));
	assert_true(has(&out, "127,190"));
	assert_true(has(&out, "286,200"));
	assert_true(has(&out, "118 us"));
	assert_true(has(&out, "saturated"));
	assert_true(has(&out, "2.50 s"));
	assert_true(has(&out, ">="));
	assert_true(has(&out, "the drive was throttled in 2 of 4 points"));
	/* a saturated point has no response figures: 1.1 x 201 us and 4 x 201 us are not there */
	assert_false(has(&out, "221 us"));
	assert_false(has(&out, "804 us"));
	assert_true(has(&out, "130 us")); /* those of the point before are */
	strbuf_free(&out);
	run_free(run);
}

static void widths(void **state)
{
	struct run *run = make_run();

	(void)state;
	for (int width = 80; width <= 240; width++) {
		const struct text_style style = {true, width};
		struct strbuf out = {0};

		run_text(run, NULL, &style, &out);
		check_lines(out.text, width);
		strbuf_free(&out);
	}
	run_free(run);
}

static void list(void **state)
{
	struct store_entry entries[3];
	const struct text_style style = {true, 80};
	struct strbuf out = {0};

	(void)state;
	memset(entries, 0, sizeof(entries));
	for (size_t i = 0; i < 3; i++) {
		str_format(entries[i].id, sizeof(entries[i].id),
			"2026-11-30T14-09-0%zu-nvme0n1-rand-read-4k-3f2a", i);
		str_copy(entries[i].workload, sizeof(entries[i].workload), "rand-read-4k");
		str_copy(entries[i].method, sizeof(entries[i].method), "curve");
		str_copy(entries[i].target, sizeof(entries[i].target), "nvme0n1");
		entries[i].outcome = RUN_COMPLETE;
		entries[i].point_count = 12;
		entries[i].peak_iops = 317900;
		entries[i].peak_mean_ns = 201000;
	}
	entries[1].outcome = RUN_ABORTED;
	entries[1].partial = true;
	entries[1].peak_iops = entries[1].peak_mean_ns = NAN;
	str_copy(entries[2].fault, sizeof(entries[2].fault), "line 3: no such\x1b[31m key");
	run_text_list(entries, 3, &style, &out);
	check_lines(out.text, 80);
	assert_true(has(&out, "317,900"));
	assert_true(has(&out, "201 us"));
	assert_true(has(&out, "complete"));
	assert_true(has(&out, "aborted"));
	assert_false(has(&out, "nan"));
	strbuf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_run),
		cmocka_unit_test(widths),
		cmocka_unit_test(list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
