/* Saved runs: the list and one run, from files that the store has written. */
#include "fixture.h"

#include <dirent.h>
#include <unistd.h>

#include "result/store.h"

static char folder[64];

static struct run *make_run(int number)
{
	struct run *run = run_create();

	str_copy(run->generator, sizeof(run->generator), "nvsweep 0.1.0");
	str_copy(run->workload, sizeof(run->workload), number ? "rand-read-4k" : "seq-read-64k");
	str_copy(run->method, sizeof(run->method), "curve");
	str_copy(run->engine.backend, sizeof(run->engine.backend), "uring");
	str_copy(run->engine.pace, sizeof(run->engine.pace), "auto");
	run->engine.workers = 2;
	str_copy(run->host.hostname, sizeof(run->host.hostname), "storage07");
	str_copy(run->host.kernel, sizeof(run->host.kernel), "6.1.0-30-amd64");
	str_copy(run->host.cpu_model, sizeof(run->host.cpu_model), "Example CPU");
	run->host.cpus = 16;
	run->host.memory_bytes = UINT64_C(68719476736);
	run->target_count = 1;
	struct run_target *target = &run->targets[0];
	str_format(target->name, sizeof(target->name), "nvme%dn1", number);
	str_format(target->path, sizeof(target->path), "/dev/nvme%dn1", number);
	str_copy(target->kind, sizeof(target->kind), "namespace");
	str_copy(target->model, sizeof(target->model), "FAKE DC 7680");
	str_copy(target->serial, sizeof(target->serial), "FAKE0000");
	str_copy(target->firmware, sizeof(target->firmware), "1.2.3");
	target->nsid = 1;
	target->size_bytes = target->area_length = UINT64_C(7681501126656);
	target->lba_bytes = 512;
	target->numa_node = 0;
	target->direct = true;
	run->seed = 42;
	run->started = FIXTURE_TIME - number * 86400;
	run->ended = run->started + 340;
	run->outcome = number == 2 ? RUN_STOPPED : RUN_COMPLETE;
	run->p99_limit_ns = 500e3;
	for (int i = 0; i < 12; i++) {
		struct run_point point;

		fixture_point(&point, i);
		run_add_point(run, &point);
	}
	run->has_maximum = true;
	fixture_point(&run->maximum, 9);
	str_copy(run->maximum.label, sizeof(run->maximum.label), "64 outstanding");
	run_add_search(run, &run->maximum);
	run_spoil(run, "the link of nvme%d runs at 3.0 x2, below its 4.0 x4", number);
	run->series = run->series ? run->series : series_create();
	run_analyse(run);
	run_make_id(run);
	return run;
}

static int setup(void **state)
{
	(void)state;
	str_copy(folder, sizeof(folder), "/tmp/nvsweep-runs-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	for (int i = 0; i < 3; i++) {
		struct run *run = make_run(i);
		struct err err = {0};

		if (store_save(folder, run, NULL, 0, &err))
			fail_msg("%s", err.text);
		run_free(run);
	}
	return 0;
}

static int teardown(void **state)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	char path[512];

	(void)state;
	while (dir && (entry = readdir(dir))) {
		str_format(path, sizeof(path), "%s/%s", folder, entry->d_name);
		unlink(path);
	}
	if (dir)
		closedir(dir);
	return rmdir(folder);
}

static struct screen *open_run(struct bench *bench, const char *id)
{
	struct store_entry entry;
	struct err err = {0};

	if (store_find(folder, id, &entry, &err))
		fail_msg("%s", err.text);
	return screen_run(&bench->desk, &entry);
}

static void test_list(void **state)
{
	struct inventory *inventory = fixture_fleet();
	struct bench *bench = bench_create(inventory);

	(void)state;
	bench->desk.runs_folder = folder;
	bench_push(&bench->desk, screen_results(&bench->desk));
	assert_true(bench_shows(bench, 80, 24, "3 runs"));
	assert_true(bench_shows(bench, 80, 24, "2026-11-30 14:02"));
	assert_true(bench_shows(bench, 80, 24, "STOPPED"));
	/* newest first; sorting by the second column turns it round */
	char *frame = bench_frame(bench, 80, 24);
	assert_true(strstr(frame, "nvme0n1") < strstr(frame, "nvme2n1"));
	free(frame);
	bench_keys(bench, "> > R");
	frame = bench_frame(bench, 80, 24);
	assert_true(strstr(frame, "nvme2n1") < strstr(frame, "nvme0n1"));
	free(frame);
	bench_keys(bench, "/");
	bench_type(bench, "seq");
	bench_keys(bench, "Enter");
	frame = bench_frame(bench, 80, 24);
	assert_null(strstr(frame, "nvme1n1"));
	assert_non_null(strstr(frame, "nvme0n1"));
	free(frame);
	bench_keys(bench, "Enter");
	assert_int_equal(bench->depth, 2);
	assert_string_equal(bench_top(bench)->ops->name, "run");
	bench_free(bench);
	fixture_free(inventory);
}

/* A broken file is listed with its reason and cannot be opened. */
static void test_broken(void **state)
{
	struct inventory *inventory = fixture_fleet();
	struct bench *bench = bench_create(inventory);
	char path[128];

	(void)state;
	str_format(path, sizeof(path), "%s/2026-12-01T00-00-00-broken.json", folder);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs("{\"schema\": \"nvsweep-run/1\",", file);
	fclose(file);
	bench->desk.runs_folder = folder;
	bench_push(&bench->desk, screen_results(&bench->desk));
	assert_true(bench_shows(bench, 80, 24, "UNREADABLE"));
	bench_keys(bench, "/");
	bench_type(bench, "broken");
	bench_keys(bench, "Enter Enter");
	assert_int_equal(bench->depth, 1);
	assert_true(bench->notice[0]);
	unlink(path);
	bench_free(bench);
	fixture_free(inventory);
}

static void test_run(void **state)
{
	struct inventory *inventory = fixture_fleet();
	struct bench *bench = bench_create(inventory);

	(void)state;
	bench->desk.runs_folder = folder;
	bench_push(&bench->desk, open_run(bench, "2026-11-30"));
	bench_expect(bench, "run-curve", 80, 24);
	bench_expect(bench, "run-curve", 120, 40);
	/* the cursor reads point after point */
	assert_true(bench_shows(bench, 80, 24, "10 %: 31,400 IOPS at 71 µs"));
	bench_keys(bench, "Right Right");
	assert_true(bench_shows(bench, 80, 24, "30 %: 94,200 IOPS"));
	bench_keys(bench, "Left");
	assert_true(bench_shows(bench, 80, 24, "20 %: 62,800 IOPS"));
	free(bench_frame(bench, 80, 24));
	bench_keys(bench, "Tab");
	assert_true(bench_shows(bench, 80, 24, "PCIe") || bench_shows(bench, 80, 24, "Outcome"));
	bench_keys(bench, "Tab");
	bench_expect(bench, "run-points", 80, 24);
	bench_free(bench);
	fixture_free(inventory);
}

static void test_run_details(void **state)
{
	struct inventory *inventory = fixture_fleet();
	struct bench *bench = bench_create(inventory);

	(void)state;
	bench->desk.runs_folder = folder;
	bench_push(&bench->desk, open_run(bench, "2026-11-30"));
	free(bench_frame(bench, 80, 24));
	bench_keys(bench, "Tab");
	assert_true(bench_shows(bench, 80, 24, "the link of nvme0 runs at 3.0 x2"));
	assert_true(bench_shows(bench, 80, 24, "FAKE DC 7680"));
	assert_true(bench_shows(bench, 120, 40, "6.1.0-30-amd64"));
	bench_free(bench);
	fixture_free(inventory);
}

/* One load: no curve is offered. */
static void test_single(void **state)
{
	struct inventory *inventory = fixture_fleet();
	struct bench *bench = bench_create(inventory);
	struct run *run = make_run(5);
	char path[512];

	(void)state;
	run->point_count = 1;
	run->has_maximum = run->has_analysis = false;
	str_copy(run->method, sizeof(run->method), "fixed");
	str_copy(run->points[0].label, sizeof(run->points[0].label), "fixed");
	assert_int_equal(store_save(folder, run, path, sizeof(path), NULL), 0);
	bench->desk.runs_folder = folder;
	bench_push(&bench->desk, open_run(bench, run->id));
	assert_true(bench_shows(bench, 80, 24, "POINT"));
	assert_true(bench_shows(bench, 120, 40, "POINT"));
	assert_true(bench_shows(bench, 80, 24, "Tab details"));
	bench_keys(bench, "Tab");
	assert_true(bench_shows(bench, 80, 24, "Service latency"));
	assert_true(bench_shows(bench, 80, 24, "Tab points"));
	unlink(path);
	run_free(run);
	bench_free(bench);
	fixture_free(inventory);
}

static void test_run_sizes(void **state)
{
	struct inventory *inventory = fixture_fleet();
	struct bench *bench = bench_create(inventory);

	(void)state;
	bench->desk.runs_folder = folder;
	bench_push(&bench->desk, screen_results(&bench->desk));
	bench_push(&bench->desk, open_run(bench, "2026-11-30"));
	for (int view = 0; view < 4; view++) {
		for (int width = 1; width <= 250; width += width < 30 ? 1 : 17)
			for (int height = 1; height <= 80; height += height < 30 ? 1 : 9)
				free(bench_frame(bench, width, height));
		bench_keys(bench, view == 2 ? "Esc" : "Tab");
	}
	bench_free(bench);
	fixture_free(inventory);
}

static void test_missing(void **state)
{
	struct inventory *inventory = fixture_fleet();
	struct bench *bench = bench_create(inventory);

	(void)state;
	/* no folder yet: an empty list, not a fault */
	bench_push(&bench->desk, screen_results(&bench->desk));
	assert_true(bench_shows(bench, 80, 24, "No run has been saved yet"));
	bench->desk.runs_folder = "";
	bench_push(&bench->desk, screen_results(&bench->desk));
	assert_true(bench_shows(bench, 80, 24, "There is no folder for runs"));
	bench_free(bench);
	fixture_free(inventory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_broken),
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_run_details),
		cmocka_unit_test(test_single),
		cmocka_unit_test(test_run_sizes),
		cmocka_unit_test(test_missing),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
