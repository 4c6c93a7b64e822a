/* Whole runs: in virtual time on the null backend, where everything repeats; and on a real file,
 * where no figure of time is judged. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "base/file.h"
#include "conf/assets.h"
#include "folder.h"
#include "result/run_json.h"
#include "result/store.h"
#include "sweep/runner.h"
#include "sweep/scratch.h"

#define FILE_BYTES ((uint64_t)16 << 20)
#define LONG_MS 300000

static struct runner_config config;
static struct workload *workload;
static const char *targets[2];
static struct err err;
static char data_path[160], runs[160];

static int setup(void **state)
{
	bool created;

	if (folder_make(state))
		return -1;
	str_copy(data_path, sizeof(data_path), folder_path("data"));
	str_copy(runs, sizeof(runs), folder_path("runs"));
	err_clear(&err);
	if (scratch_create(data_path, FILE_BYTES, 1, NULL, NULL, &created, NULL) ||
		workload_load("rand-read-4k", &workload, &err))
		return -1;
	targets[0] = data_path;
	config = (struct runner_config){.workload = workload,
		.method = "curve",
		.targets = targets,
		.target_count = 1,
		.runs_folder = runs};
	options_defaults(&config.options);
	config.options.outstanding = 8;
	config.options.warmup_s = 0.02;
	config.options.point_s = 0.1;
	config.options.seed = 12345;
	return 0;
}

static int teardown(void **state)
{
	workload_free(workload);
	return folder_remove(state);
}

/* The null backend completes millions in a second: a few milliseconds are enough. */
static void virtual_time(void)
{
	config.virtual_time = true;
	config.options.warmup_s = 0.005;
	config.options.point_s = 0.02;
}

static struct runner *start(void)
{
	struct runner *runner;

	err_clear(&err);
	if (runner_start(&config, &runner, &err))
		fail_msg("%s", err.text);
	return runner;
}

static const struct run *finish(struct runner *runner)
{
	assert_int_equal(runner_wait(runner, LONG_MS), 0);
	assert_true(runner_ended(runner));
	return runner_run(runner);
}

/* Everything adds up within a point, whatever the figures are. */
static void check_point(const struct run_point *p)
{
	uint64_t in_histogram = 0;

	assert_int_equal(p->count, p->reads + p->writes);
	assert_int_equal(p->writes, 0);
	assert_int_equal(p->read_bytes, p->reads * 4096);
	assert_int_equal(p->errors, 0);
	assert_true(p->window_s > 0);
	assert_true(
		fabs(p->iops * p->window_s - (double)p->count) <= 1e-6 * (double)p->count + 1e-6);
	assert_true(fabs(p->mib_s - p->iops * 4096 / 1048576) <= 1e-9 * p->mib_s + 1e-9);
	assert_int_equal(p->service.count, p->count);
	for (size_t i = 0; i < p->histogram_count; i++)
		in_histogram += p->histogram[i].count;
	assert_int_equal(in_histogram, p->count);
	if (p->count >= 1000) {
		assert_true(p->service.p50 > 0);
		assert_true(p->service.p90 >= p->service.p50);
		assert_true(isnan(p->service.p99) || p->service.p99 >= p->service.p90);
		assert_true(p->service.max >= p->service.p90 && p->service.min <= p->service.p50);
	}
	/* What arrived in the window is served up to 2 % past its end and followed to its own. */
	assert_true(p->outstanding_avg <=
		p->outstanding_limit * (1.02 + p->service.max * 1e-9 / p->window_s) + 1e-9);
}

static void test_virtual_curve(void **state)
{
	(void)state;
	virtual_time();
	config.options.p99_limit_us = 1000;
	struct runner *runner = start();
	const struct run *run = finish(runner);

	assert_int_equal(run->outcome, RUN_COMPLETE);
	assert_string_equal(run->engine.backend, "null");
	assert_int_equal(run->search_count, 4);
	assert_int_equal(run->point_count, 12);
	assert_true(run->has_maximum && run->maximum.iops > 0);
	for (size_t i = 0; i < 12; i++) {
		const struct run_point *p = &run->points[i];

		check_point(p);
		assert_true(fabs(p->percent - 10.0 * (double)(i + 1)) < 1e-9);
		assert_true(fabs(p->asked_iops - run->maximum.iops * p->percent / 100) <
			1e-6 * p->asked_iops);
		assert_true(fabs(p->window_s - 0.02) < 1e-9);
		/* In virtual time nothing is late: what is due comes, up to the drive's ceiling. */
		if (p->percent < 100) {
			assert_false(p->saturated);
			assert_true(fabs((double)p->count - (double)p->scheduled) <= 8);
		}
		if (p->percent > 105)
			assert_true(p->saturated);
		assert_false(p->suspect);
	}
	assert_true(run->has_analysis);
	assert_int_equal(run->analysis.start, 0);
	assert_true(run->points[run->analysis.peak].iops >= 0.99 * run->maximum.iops);
	assert_true(run->analysis.knee_limit >= 0);
	/* Saved, the journal gone, and what was saved is the run. */
	struct store_entry entry;
	struct run *back;

	assert_int_equal(store_find(runs, run->id, &entry, &err), 0);
	assert_false(entry.partial);
	assert_int_equal(store_load(&entry, &back, &err), 0);
	assert_int_equal(back->point_count, 12);
	assert_true(back->seed == 12345);
	assert_int_equal(series_count(back->series), series_count(run->series));
	run_free(back);
	runner_destroy(runner);
}

/* Every parameter is recorded as it was, the longest list too. */
static void test_parameters(void **state)
{
	char list[RUN_VALUE_MAX] = "";

	(void)state;
	virtual_time();
	config.options.maximum_s = config.options.warmup_s = 0.001;
	config.options.point_s = 0.001;
	config.options.point_count = 64;
	for (size_t i = 0; i < 64; i++) {
		config.options.points[i] = 100.000001 + (double)i;
		str_append(list, sizeof(list), "%s%.10g", i ? "," : "", 100.000001 + (double)i);
	}
	struct runner *runner = start();
	const struct run *run = finish(runner);
	bool found = false;

	for (size_t i = 0; i < run->parameter_count; i++) {
		if (strcmp(run->parameters[i].key, "points"))
			continue;
		found = true;
		assert_string_equal(run->parameters[i].value, list);
	}
	assert_true(found);
	runner_destroy(runner);
}

/* The same seed gives the same run, figure by figure. */
static void test_virtual_repeats(void **state)
{
	struct run_point first[3];
	char id[48] = "";

	(void)state;
	virtual_time();
	config.options.points[0] = 50;
	config.options.points[1] = 90;
	config.options.points[2] = 110;
	config.options.point_count = 3;
	for (int round = 0; round < 2; round++) {
		struct runner *runner = start();
		const struct run *run = finish(runner);

		assert_int_equal(run->point_count, 3);
		for (size_t i = 0; i < 3; i++) {
			if (round) {
				assert_int_equal(run->points[i].count, first[i].count);
				assert_int_equal(run->points[i].scheduled, first[i].scheduled);
				assert_true(
					run->points[i].outstanding_avg == first[i].outstanding_avg);
				assert_true(run->points[i].service.mean == first[i].service.mean);
			}
			first[i] = run->points[i];
		}
		/* Same second, same seed: still two runs. */
		assert_string_not_equal(run->id, id);
		str_copy(id, sizeof(id), run->id);
		runner_destroy(runner);
	}
	struct store_entry *entries;
	size_t count;

	assert_int_equal(store_list(runs, &entries, &count, NULL), 0);
	assert_int_equal(count, 2);
	free(entries);
}

static void test_virtual_other_methods(void **state)
{
	(void)state;
	virtual_time();
	config.method = "depth";
	config.options.outstanding = 0;
	config.options.depth_count = 4; /* 1 2 4 8 */
	struct runner *runner = start();
	const struct run *run = finish(runner);

	assert_int_equal(run->outcome, RUN_COMPLETE);
	assert_int_equal(run->point_count, 4);
	assert_false(run->has_maximum);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(run->points[i].outstanding_limit, 1u << i);
		/* A drive of constant latency: the rate doubles with the depth. */
		assert_true(fabs(run->points[i].iops - run->points[0].iops * (1u << i)) <
			0.01 * run->points[i].iops);
		check_point(&run->points[i]);
	}
	runner_destroy(runner);

	config.method = "fixed";
	config.options.depth_count = 10;
	config.options.outstanding = 4;
	config.options.bytes = 12345 * 4096;
	runner = start();
	run = finish(runner);
	assert_int_equal(run->point_count, 1);
	assert_true(run->points[0].read_bytes == 12345 * 4096);
	runner_destroy(runner);
}

/* A real file through the kernel. Timing is not judged; sums and the record are. */
static void test_real_file(void **state)
{
	(void)state;
	config.options.points[0] = 20;
	config.options.points[1] = 60;
	config.options.points[2] = 120;
	config.options.point_count = 3;
	config.options.maximum_s = 0.1;
	struct runner *runner = start();
	const struct run *run = finish(runner);
	size_t measured = 0;

	if (run->outcome != RUN_COMPLETE)
		fail_msg("%s", run->reason);
	assert_string_equal(run->reason, "");
	assert_string_not_equal(run->engine.backend, "null");
	assert_true(run->engine.workers >= 1);
	assert_int_equal(run->search_count, 4);
	assert_true(run->point_count >= 3);
	for (size_t i = 0; i < run->search_count; i++)
		check_point(&run->searches[i]);
	for (size_t i = 0; i < run->point_count; i++) {
		check_point(&run->points[i]);
		assert_true(isfinite(run->points[i].service.mean));
		assert_true(isfinite(run->points[i].service.p50));
	}
	for (size_t i = 0; i < series_count(run->series); i++) {
		const struct interval *iv = series_at(run->series, i);

		assert_true(iv->point >= -1 && iv->point < (int32_t)run->point_count);
		if (iv->point == 0 && !iv->warmup)
			measured += iv->reads;
	}
	assert_int_equal(measured, run->points[0].count); /* intervals sum to their point */
	assert_string_equal(run->targets[0].name, "data");
	assert_true(run->targets[0].area_length == FILE_BYTES);
	assert_true(run->host.cpus >= 1 && run->host.kernel[0] && run->host.hostname[0]);
	assert_true(run->parameter_count > 10);
	assert_true(run->started > 0 && run->ended >= run->started);
	runner_destroy(runner);
}

/* /proc/self/io counts what the kernel read for us: exactly the bytes asked for. */
static uint64_t read_bytes_of_process(void)
{
	char text[512], *at;

	if (file_read_text("/proc/self/io", text, sizeof(text)))
		return 0;
	at = strstr(text, "read_bytes: ");
	return at ? strtoull(at + strlen("read_bytes: "), NULL, 10) : 0;
}

static void test_exact_bytes(void **state)
{
	const uint64_t want = 5 << 20;

	(void)state;
	config.method = "fixed";
	config.options.bytes = want;
	config.options.warmup_s = 5; /* without effect */
	const uint64_t before = read_bytes_of_process();
	struct runner *runner = start();
	const struct run *run = finish(runner);
	const uint64_t after = read_bytes_of_process();

	assert_int_equal(run->outcome, RUN_COMPLETE);
	assert_true(run->points[0].read_bytes == want);
	assert_int_equal(run->points[0].count, want / 4096);
	if (before && run->targets[0].direct && strcmp(run->targets[0].file_system, "tmpfs"))
		/* At most one block more, where the alignment had to be tried. */
		assert_in_range(after - before, want, want + 4096);
	runner_destroy(runner);
}

static void test_views(void **state)
{
	bool point_seen = false, search_seen = false, ended = false;
	uint32_t step = 0;
	double elapsed = 0;

	(void)state;
	config.options.point_count = 2;
	config.options.point_s = 0.4;
	struct runner *runner = start();
	struct pollfd wake = {.fd = runner_mailbox(runner)->fd, .events = POLLIN};

	while (!ended && poll(&wake, 1, LONG_MS) == 1) {
		struct runner_view *view = mailbox_take(runner_mailbox(runner));

		if (!view)
			continue;
		assert_string_equal(view->targets, "data");
		assert_string_equal(view->method, "curve");
		assert_true(view->step >= step && view->step <= view->step_count);
		assert_true(view->elapsed_s >= elapsed);
		step = view->step;
		elapsed = view->elapsed_s;
		search_seen = search_seen || !strncmp(view->phase, "maximum: ", 9);
		point_seen = point_seen || !strncmp(view->phase, "point ", 6);
		if (view->has_so_far)
			assert_true(view->so_far.window_s > 0);
		if (view->point_count)
			assert_null(view->points[0].histogram);
		ended = view->state == RUNNER_ENDED;
		if (ended) {
			assert_int_equal(view->outcome, RUN_COMPLETE);
			assert_true(view->point_count >= 2);
			assert_true(view->saved_path[0] && !access(view->saved_path, R_OK));
			assert_string_equal(view->save_fault, "");
			assert_true(view->has_maximum && view->has_analysis);
			assert_true(series_count(view->series) > 0);
		}
		runner_view_free(view);
	}
	assert_true(ended && search_seen && point_seen);
	runner_destroy(runner);
}

/* Takes views until one satisfies the question. */
static bool see(struct runner *runner, bool (*question)(const struct runner_view *view))
{
	struct pollfd wake = {.fd = runner_mailbox(runner)->fd, .events = POLLIN};
	bool seen = false;

	while (!seen && poll(&wake, 1, LONG_MS) == 1) {
		struct runner_view *view = mailbox_take(runner_mailbox(runner));

		if (!view)
			continue;
		seen = question(view);
		if (view->state == RUNNER_ENDED && !seen) {
			runner_view_free(view);
			return false;
		}
		runner_view_free(view);
	}
	return seen;
}

static bool in_first_point(const struct runner_view *view)
{
	return view->state == RUNNER_RUNNING && !strncmp(view->phase, "point 1", 7) &&
		view->has_so_far;
}

static bool in_second_point(const struct runner_view *view)
{
	return view->point_count == 1 && !strncmp(view->phase, "point 2", 7);
}

static bool is_paused(const struct runner_view *view)
{
	return view->state == RUNNER_PAUSED;
}

static bool is_running(const struct runner_view *view)
{
	return view->state == RUNNER_RUNNING;
}

static void test_stop(void **state)
{
	struct store_entry entry;

	(void)state;
	config.options.point_s = 3600;
	config.options.maximum_s = 0.1;
	config.options.points[0] = 10;
	config.options.point_count = 1;
	struct runner *runner = start();

	assert_true(see(runner, in_first_point));
	runner_stop(runner, "stopped with S");
	const struct run *run = finish(runner);

	assert_int_equal(run->outcome, RUN_STOPPED);
	assert_string_equal(run->reason, "stopped with S");
	assert_int_equal(run->search_count, 4);
	assert_int_equal(run->point_count, 0); /* a few instants of an hour are no point */
	/* Its intervals are kept all the same. */
	assert_int_equal(store_find(runs, "last", &entry, &err), 0);
	assert_int_equal(entry.outcome, RUN_STOPPED);
	runner_destroy(runner);
}

static void test_destroy_stops(void **state)
{
	struct store_entry entry;

	(void)state;
	config.method = "depth";
	config.options.outstanding = 0;
	config.options.point_s = 3600;
	config.options.depth_count = 2;
	struct runner *runner = start();

	assert_int_equal(runner_wait(runner, 0), -ETIMEDOUT);
	assert_false(runner_ended(runner));
	assert_null(runner_run(runner));
	assert_true(see(runner, in_first_point));
	runner_destroy(runner);
	assert_int_equal(store_find(runs, "last", &entry, &err), 0);
	assert_int_equal(entry.outcome, RUN_STOPPED);
}

static void test_pause(void **state)
{
	(void)state;
	config.method = "fixed";
	config.options.point_s = 1;
	struct runner *runner = start();

	assert_true(see(runner, in_first_point));
	runner_pause(runner, true);
	assert_true(see(runner, is_paused));
	assert_int_equal(runner_wait(runner, 30), -ETIMEDOUT);
	runner_pause(runner, false);
	assert_true(see(runner, is_running));
	const struct run *run = finish(runner);
	bool said = false;

	assert_int_equal(run->outcome, RUN_COMPLETE);
	for (size_t i = 0; i < run->spoiled_count; i++)
		said = said || strstr(run->spoiled_by[i], "paused for");
	assert_true(said);
	runner_destroy(runner);
	/* Stopped out of a pause. */
	config.options.point_s = 3600;
	runner = start();
	assert_true(see(runner, in_first_point));
	runner_pause(runner, true);
	assert_true(see(runner, is_paused));
	runner_stop(runner, "enough");
	assert_int_equal(finish(runner)->outcome, RUN_STOPPED);
	runner_destroy(runner);
}

/* The file shrinks under the test: the run ends as aborted, what was measured is kept. */
static void test_device_lost(void **state)
{
	(void)state;
	config.method = "depth";
	config.options.outstanding = 0;
	config.options.depth_count = 3;
	config.options.point_s = 0.5;
	struct runner *runner = start();

	assert_true(see(runner, in_second_point));
	assert_int_equal(truncate(data_path, 0), 0);
	const struct run *run = finish(runner);
	struct store_entry entry;

	assert_int_equal(run->outcome, RUN_ABORTED);
	assert_true(run->reason[0]);
	assert_true(run->point_count >= 1);
	assert_true(run->points[0].count > 0 && !run->points[0].errors);
	assert_int_equal(store_find(runs, "last", &entry, &err), 0);
	assert_int_equal(entry.outcome, RUN_ABORTED);
	runner_destroy(runner);
}

static void test_two_targets(void **state)
{
	bool created;

	(void)state;
	targets[1] = folder_path("second");
	assert_int_equal(scratch_create(targets[1], FILE_BYTES, 2, NULL, NULL, &created, NULL), 0);
	config.target_count = 2;
	config.method = "fixed";
	config.options.bytes = 1 << 20;
	struct runner *runner = start();
	const struct run *run = finish(runner);

	assert_int_equal(run->outcome, RUN_COMPLETE);
	assert_int_equal(run->target_count, 2);
	assert_true(run->points[0].read_bytes == 2 << 20); /* so many bytes of each */
	assert_int_equal(run->points[0].outstanding_limit, 16);
	runner_destroy(runner);
}

/* Nothing can be saved: the result is there all the same, and it is said what to do. */
static void test_no_room_to_save(void **state)
{
	struct rlimit limit, old;

	(void)state;
	virtual_time();
	config.method = "fixed";
	getrlimit(RLIMIT_FSIZE, &old);
	limit = (struct rlimit){100, old.rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	struct runner *runner = start();
	const struct run *run = finish(runner);

	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(run->outcome, RUN_COMPLETE);
	assert_int_equal(run->point_count, 1);
	struct runner_view *view = mailbox_take(runner_mailbox(runner));

	assert_non_null(view);
	assert_int_equal(view->state, RUNNER_ENDED);
	assert_string_equal(view->saved_path, "");
	assert_non_null(strstr(view->save_fault, run->id));
	assert_non_null(strstr(view->save_fault, "-o FILE"));
	runner_view_free(view);
	runner_destroy(runner);
	struct store_entry *entries;
	size_t count;

	assert_int_equal(store_list(runs, &entries, &count, NULL), 0);
	assert_int_equal(count, 0); /* nothing half-written */
	free(entries);
}

static void test_not_saved_when_not_asked(void **state)
{
	(void)state;
	virtual_time();
	config.method = "fixed";
	config.runs_folder = NULL;
	struct runner *runner = start();

	assert_int_equal(finish(runner)->outcome, RUN_COMPLETE);
	runner_destroy(runner);
	assert_int_equal(access(runs, F_OK), -1);
}

static void refused(int code, enum err_exit exit_kind, const char *word)
{
	struct runner *runner = (void *)&config;

	err_clear(&err);
	const int rc = runner_start(&config, &runner, &err);

	if (rc != code || err.exit != exit_kind || !strstr(err.text, word))
		fail_msg("%d, exit %d: \"%s\" (wanted %d, exit %d, \"%s\")", rc, err.exit, err.text,
			code, exit_kind, word);
	assert_null(runner);
}

static void test_refused_at_start(void **state)
{
	struct workload *writes;
	const char *foreign = folder_path("foreign");
	static const char byte[1 << 20];

	(void)state;
	assert_int_equal(file_write_atomic(foreign, byte, sizeof(byte), NULL), 0);
	config.method = "curves";
	refused(-ENOENT, ERR_EXIT_USAGE, "curve");
	config.method = "curve";
	config.options.bytes = 4096;
	refused(-EINVAL, ERR_EXIT_USAGE, "bytes");
	config.options.bytes = 0;
	config.options.block_bytes = 100;
	refused(-EINVAL, ERR_EXIT_USAGE, "512");
	config.options.block_bytes = 32 << 20;
	refused(-EINVAL, ERR_EXIT_USAGE, "larger than the area");
	config.options.block_bytes = 0;
	config.target_count = 0;
	refused(-EINVAL, ERR_EXIT_USAGE, "no target");
	config.target_count = 2;
	targets[1] = targets[0];
	refused(-EINVAL, ERR_EXIT_USAGE, "same target");
	targets[1] = "/dev/null";
	refused(-ENOTBLK, ERR_EXIT_USAGE, "character device");
	config.target_count = 1;
	assert_int_equal(workload_load("sql", &writes, NULL), 0);
	config.workload = writes;
	targets[0] = foreign;
	refused(-EPERM, ERR_EXIT_REFUSED, "writ"); /* nvsweep did not make that file */
	workload_free(writes);
	assert_int_equal(access(runs, F_OK), -1); /* nothing was begun */
}

static void test_estimate(void **state)
{
	(void)state;
	config.options.warmup_s = 5;
	config.options.point_s = 20;
	config.options.outstanding = 0;
	/* Four searches of 5 + 5 s, twelve points of 25 s. */
	assert_true(fabs(runner_estimate_s("curve", &config.options, workload) - 340) < 1e-9);
	assert_true(fabs(runner_estimate_s("fixed", &config.options, workload) - 25) < 1e-9);
	config.options.bytes = 1 << 30;
	assert_true(isnan(runner_estimate_s("fixed", &config.options, workload)));
	assert_true(isnan(runner_estimate_s("nope", &config.options, workload)));
}

#define EACH(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(test_virtual_curve),
		EACH(test_virtual_repeats),
		EACH(test_parameters),
		EACH(test_virtual_other_methods),
		EACH(test_real_file),
		EACH(test_exact_bytes),
		EACH(test_views),
		EACH(test_stop),
		EACH(test_destroy_stops),
		EACH(test_pause),
		EACH(test_device_lost),
		EACH(test_two_targets),
		EACH(test_no_room_to_save),
		EACH(test_not_saved_when_not_asked),
		EACH(test_refused_at_start),
		EACH(test_estimate),
	};

	assets_set_folders("", "");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
