/* Comparing runs, and a run with the published figures; tags, notes, deleting and exporting from the
 * screens. The expected differences are worked by hand from the figures below and those of
 * configs/reference/drives.csv. */
#include "fixture.h"

#include <dirent.h>
#include <unistd.h>

#include "result/store.h"

static char folder[64];

/* Four points at 25 to 100 % of `peak` IOPS; latency at the peak `mean_us`, a quarter of it more for
 * each quarter of the load; p99 twice the mean, p99.9 three times. */
static struct run *make_run(const char *target, const char *workload, double peak, double mean_us)
{
	static int number;
	struct run *run = run_create();

	str_copy(run->generator, sizeof(run->generator), "nvsweep 0.1.0");
	str_copy(run->workload, sizeof(run->workload), workload);
	str_copy(run->method, sizeof(run->method), "curve");
	str_copy(run->engine.backend, sizeof(run->engine.backend), "uring");
	run->target_count = 1;
	str_copy(run->targets[0].name, sizeof(run->targets[0].name), target);
	str_copy(run->targets[0].kind, sizeof(run->targets[0].kind), "namespace");
	str_format(run->targets[0].model, sizeof(run->targets[0].model), "FAKE %s", target);
	run->seed = 1;
	run->started = FIXTURE_TIME - 3600 * ++number;
	run->ended = run->started + 300;
	run->outcome = RUN_COMPLETE;
	for (int i = 1; i <= 4; i++) {
		struct run_point point;
		const double ns = mean_us * 1000 * i / 4;

		run_point_clear(&point);
		point.percent = 25 * i;
		str_format(point.label, sizeof(point.label), "%d %%", 25 * i);
		point.asked_iops = point.iops = peak * i / 4;
		point.mib_s = point.iops * 4096 / 1048576;
		point.outstanding_limit = 128;
		point.window_s = 20;
		point.count = (uint64_t)(point.iops * 20);
		point.service.mean = ns;
		point.service.p99 = 2 * ns;
		point.service.p99_9 = 3 * ns;
		point.outstanding_avg = point.iops * ns * 1e-9;
		run_add_point(run, &point);
	}
	run_analyse(run);
	run_make_id(run);
	return run;
}

/* Saves and frees it. */
static struct store_entry save(struct run *run)
{
	struct store_entry entry;
	struct err err = {0};

	if (store_save(folder, run, NULL, 0, &err) || store_find(folder, run->id, &entry, &err))
		fail_msg("%s", err.text);
	run_free(run);
	return entry;
}

static int setup(void **state)
{
	(void)state;
	str_copy(folder, sizeof(folder), "/tmp/nvsweep-compare-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
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

static struct bench *start(const struct inventory **inventory)
{
	struct bench *bench;

	*inventory = fixture_fleet();
	bench = bench_create(*inventory);
	bench->desk.runs_folder = folder;
	return bench;
}

static void stop(struct bench *bench, const struct inventory *inventory)
{
	bench_free(bench);
	fixture_free((struct inventory *)inventory);
}

static bool hides(struct bench *bench, int width, int height, const char *text)
{
	char *frame = bench_frame(bench, width, height);
	const bool found = strstr(frame, text) != NULL;

	if (found)
		printf("# shown: %s\n%s", text, frame);
	free(frame);
	return !found;
}

/* 700,000 IOPS at 180 us: P5510 833,750 at 151, PM9A3 720,000 at 173, P4510 642,149 and less. */
static void test_published(void **state)
{
	const struct inventory *inventory;
	struct bench *bench = start(&inventory);
	const struct store_entry entry = save(make_run("nvme0n1", "rand-read-4k", 700e3, 180));
	const struct store_entry *const entries[] = {&entry};

	(void)state;
	bench_push(&bench->desk, screen_compare(&bench->desk, entries, 1));
	assert_true(bench_shows(bench, 80, 24, "rank 3 of 7"));
	assert_true(bench_shows(bench, 80, 24, "a Intel P5510 7.68TB (1 of 8)"));
	assert_true(bench_shows(bench, 80, 24, "published at 504 outstanding"));
	bench_expect(bench, "compare-published-curves", 80, 24);
	bench_keys(bench, "Tab Home");
	bench_expect(bench, "compare-published-table", 80, 24);
	bench_expect(bench, "compare-published", 120, 40);
	assert_true(bench_shows(bench, 80, 24, "-16.0 %"));
	assert_true(bench_shows(bench, 80, 24, "+19.2 %"));
	assert_true(bench_shows(bench, 80, 24, "-2.8 %"));
	assert_true(bench_shows(bench, 80, 24, "+9.0 %"));
	assert_true(bench_shows(bench, 80, 24, "peak 834k IOPS at 151 µs, start 83.6k at 70 µs"));
	/* what was published at another count is named as such */
	bench_keys(bench, "End");
	assert_true(bench_shows(bench, 80, 24, "not comparable"));
	bench_keys(bench, "p");
	assert_true(strstr(bench->notice, "means") != NULL);
	bench_keys(bench, "Tab");
	assert_true(bench_shows(bench, 80, 24, "Where the figures come from"));
	bench_keys(bench, "x");
	assert_true(bench_shows(bench, 80, 24, "cannot show a latency measured at 512"));
	stop(bench, inventory);
}

/* Same points; B has half as much latency again and a tenth more IOPS. */
static void test_two(void **state)
{
	const struct inventory *inventory;
	struct bench *bench = start(&inventory);
	const struct store_entry a = save(make_run("nvme0n1", "sql", 400e3, 80));
	const struct store_entry b = save(make_run("nvme1n1", "sql", 440e3, 120));
	const struct store_entry *const entries[] = {&a, &b};

	(void)state;
	bench_push(&bench->desk, screen_compare(&bench->desk, entries, 2));
	assert_true(bench_shows(bench, 80, 24, "A nvme0n1 sql"));
	assert_true(bench_shows(bench, 80, 24, "unlike: model"));
	bench_expect(bench, "compare-two-curves", 80, 24);
	bench_expect(bench, "compare-two", 120, 40);
	free(bench_frame(bench, 80, 24));
	bench_keys(bench, "Tab");
	bench_expect(bench, "compare-two-table", 80, 24);
	/* at 50 %: 200k at 40 us against 220k at 60 us */
	bench_keys(bench, "Home Down");
	assert_true(
		bench_shows(bench, 80, 24, "50 %: A 200k at 40 µs   B 220k at 60 µs (+50.0 %)"));
	assert_true(bench_shows(bench, 80, 24, "+10.0 %"));
	bench_keys(bench, "p");
	assert_true(bench_shows(bench, 80, 24, "A p99"));
	assert_true(bench_shows(bench, 80, 24, "B 220k at 120 µs (+50.0 %)"));
	bench_keys(bench, "p");
	assert_true(bench_shows(bench, 80, 24, "A 200k at 120 µs   B 220k at 180 µs"));
	bench->desk.ascii = true;
	bench_keys(bench, "Tab Tab");
	bench_expect(bench, "compare-two-ascii", 80, 24);
	stop(bench, inventory);
}

static void test_every_size(void **state)
{
	const struct inventory *inventory;
	struct bench *bench = start(&inventory);
	struct store_entry saved[8];
	const struct store_entry *entries[8];
	char name[16];

	(void)state;
	for (int i = 0; i < 8; i++) {
		str_format(name, sizeof(name), "nvme%dn1", i);
		saved[i] = save(make_run(name, "rand-read-4k", 300e3 + 1e5 * i, 90 + i));
		entries[i] = &saved[i];
	}
	for (size_t count = 1; count <= 8; count += 7) {
		bench_push(&bench->desk, screen_compare(&bench->desk, entries, count));
		for (int view = 0; view < 3; view++) {
			for (int width = 1; width <= 250; width += width < 30 ? 1 : 17)
				for (int height = 1; height <= 80; height += height < 30 ? 1 : 9)
					free(bench_frame(bench, width, height));
			bench_keys(bench, "Tab x Esc Down Right p l");
		}
	}
	/* the eighth letter */
	free(bench_frame(bench, 80, 24));
	bench_keys(bench, "Tab Tab");
	assert_true(bench_shows(bench, 250, 60, "H nvme7n1"));
	stop(bench, inventory);
}

static void test_refused(void **state)
{
	const struct inventory *inventory;
	struct bench *bench = start(&inventory);
	const struct store_entry a = save(make_run("nvme0n1", "sql", 400e3, 80));
	struct store_entry gone = a;
	const struct store_entry *const twice[] = {&a, &a}, *const missing[] = {&gone};

	(void)state;
	bench_push(&bench->desk, screen_compare(&bench->desk, twice, 2));
	assert_true(bench_shows(bench, 80, 24, "is given twice"));
	bench_pop(&bench->desk);
	str_format(gone.path, sizeof(gone.path), "%s/gone.json", folder);
	bench_push(&bench->desk, screen_compare(&bench->desk, missing, 1));
	assert_true(bench_shows(bench, 80, 24, "is gone"));
	bench_pop(&bench->desk);
	bench_push(&bench->desk, screen_run(&bench->desk, &gone));
	assert_true(bench_shows(bench, 80, 24, "is gone"));
	bench_keys(bench, "o");
	stop(bench, inventory);
}

/* From nothing to the published figures to another run of the same workload. */
static void test_overlay(void **state)
{
	const struct inventory *inventory;
	struct bench *bench = start(&inventory);
	const struct store_entry entry = save(make_run("nvme8n1", "rand-read-4k", 700e3, 180));

	(void)state;
	save(make_run("nvme9n1", "rand-read-4k", 500e3, 150));
	bench_push(&bench->desk, screen_run(&bench->desk, &entry));
	assert_true(bench_shows(bench, 80, 24, "rank 3 of 7"));
	assert_true(bench_shows(bench, 80, 24, "○ p99"));
	bench_keys(bench, "o");
	bench_expect(bench, "run-overlay", 80, 24);
	assert_true(bench_shows(bench, 80, 24, "b Samsung PM9A3 7.68TB (1 of 8)"));
	assert_true(bench_shows(bench, 80, 24, "published at 504 outstanding"));
	bench_keys(bench, "o");
	assert_non_null(bench->dialog);
	bench_type(bench, "2");
	bench_keys(bench, "Enter");
	assert_true(bench_shows(bench, 80, 24, "● this run, mean   ○ nvme"));
	/* the two beside each other */
	bench_keys(bench, "c");
	assert_true(bench_shows(bench, 80, 24, "2 runs compared"));
	bench_pop(&bench->desk);
	bench_keys(bench, "o");
	assert_true(bench_shows(bench, 80, 24, "○ p99"));
	stop(bench, inventory);
}

/* Marked runs are tagged, get a note, and are deleted together; the rest stays as it is. */
static void test_marks(void **state)
{
	const struct inventory *inventory;
	struct bench *bench = start(&inventory);
	const struct store_entry a = save(make_run("nvme5n1", "oracle", 400e3, 80));
	const struct store_entry b = save(make_run("nvme6n1", "oracle", 400e3, 80));
	const struct store_entry c = save(make_run("nvme7n1", "oracle", 400e3, 80));
	struct store_entry found;

	(void)state;
	bench_push(&bench->desk, screen_results(&bench->desk));
	bench_keys(bench, "/");
	bench_type(bench, "workload:oracle");
	bench_keys(bench, "Enter");
	assert_true(bench_shows(bench, 80, 24, "3 of "));
	bench_keys(bench, "Home t");
	bench_type(bench, "own");
	bench_keys(bench, "Enter Space Space t");
	bench_type(bench, "fresh, batch-7");
	bench_keys(bench, "Enter");
	assert_string_equal(bench->notice, "Tags of 2 runs set.");
	assert_int_equal(store_find(folder, a.id, &found, NULL), 0);
	assert_true(marks_have_tag(&found.marks, "own"));
	assert_true(marks_have_tag(&found.marks, "batch-7"));
	assert_int_equal(store_find(folder, b.id, &found, NULL), 0);
	assert_int_equal(found.marks.tag_count, 2);
	assert_int_equal(store_find(folder, c.id, &found, NULL), 0);
	assert_int_equal(found.marks.tag_count, 0);
	/* common tags are in the field; what is taken out goes, a run's own stay */
	bench_keys(bench, "t");
	assert_true(bench_shows(bench, 80, 24, "fresh, batch-7"));
	bench_keys(bench, "Ctrl-U");
	bench_type(bench, "fresh");
	bench_keys(bench, "Enter");
	assert_int_equal(store_find(folder, a.id, &found, NULL), 0);
	assert_int_equal(found.marks.tag_count, 2);
	assert_true(marks_have_tag(&found.marks, "own"));
	assert_false(marks_have_tag(&found.marks, "batch-7"));
	bench_keys(bench, "n");
	bench_type(bench, "raid\\noff");
	bench_keys(bench, "Enter");
	assert_int_equal(store_find(folder, b.id, &found, NULL), 0);
	assert_string_equal(found.marks.note, "raid\noff");
	/* a tag that is none: the sentence, and the dialog once more */
	bench_keys(bench, "t");
	bench_type(bench, " -minus");
	bench_keys(bench, "Enter");
	assert_true(bench->notice[0]);
	assert_non_null(bench->dialog);
	bench_keys(bench, "Esc d");
	assert_true(bench_shows(bench, 80, 24, "Delete 2 runs for good?"));
	bench_keys(bench, "Enter"); /* the button in focus is Keep */
	assert_int_equal(access(a.path, F_OK), 0);
	bench_keys(bench, "d y");
	assert_int_equal(access(a.path, F_OK), -1);
	assert_int_equal(access(b.path, F_OK), -1);
	assert_int_equal(access(c.path, F_OK), 0);
	assert_true(bench_shows(bench, 80, 24, "1 of "));
	assert_true(hides(bench, 80, 24, "nvme5n1"));
	/* Esc takes the filter off, then leaves */
	bench_keys(bench, "Esc");
	assert_true(hides(bench, 80, 24, "filter:"));
	stop(bench, inventory);
}

static void test_bad_filter(void **state)
{
	const struct inventory *inventory;
	struct bench *bench = start(&inventory);

	(void)state;
	save(make_run("nvme5n1", "sql", 400e3, 80));
	bench_push(&bench->desk, screen_results(&bench->desk));
	bench_keys(bench, "/");
	bench_type(bench, "outcome:nonsense");
	bench_keys(bench, "Enter");
	assert_true(strstr(bench->notice, "nonsense") != NULL);
	assert_non_null(bench->dialog);
	assert_true(bench_shows(bench, 80, 24, "outcome:nonsense"));
	bench_keys(bench, "Ctrl-U");
	bench_type(bench, "tag:nobody-has-it");
	bench_keys(bench, "Enter");
	assert_true(bench_shows(bench, 80, 24, "No run fits the filter"));
	stop(bench, inventory);
}

static char *file_text(const char *path)
{
	struct err err = {0};
	size_t length;
	char *text;

	if (file_read(path, 1 << 22, &text, &length, &err))
		fail_msg("%s", err.text);
	return text;
}

static void export_to(struct bench *bench, const char *path)
{
	bench_keys(bench, "e Ctrl-U");
	bench_type(bench, path);
	bench_keys(bench, "Enter");
}

/* Exported files say SIMULATED; one that is there is replaced only when asked. */
static void test_export(void **state)
{
	const struct inventory *inventory;
	struct bench *bench = start(&inventory);
	struct run *run = make_run("nvme3n1", "rand-read-4k", 700e3, 180);
	char path[128], *text;

	(void)state;
	run->simulated = run->targets[0].simulated = true;
	const struct store_entry entry = save(run);
	const struct store_entry *const entries[] = {&entry};

	bench_push(&bench->desk, screen_compare(&bench->desk, entries, 1));
	str_format(path, sizeof(path), "%s/c.txt", folder);
	export_to(bench, path);
	text = file_text(path);
	assert_non_null(strstr(text, "SIMULATED"));
	assert_non_null(strstr(text, "P5510"));
	free(text);
	str_format(path, sizeof(path), "%s/c2.json", folder);
	export_to(bench, path);
	text = file_text(path);
	assert_non_null(strstr(text, "nvsweep-compare/1"));
	free(text);
	unlink(path);
	bench_pop(&bench->desk);

	bench_push(&bench->desk, screen_run(&bench->desk, &entry));
	str_format(path, sizeof(path), "%s/c.txt", folder);
	export_to(bench, path);
	assert_true(bench_shows(bench, 80, 24, "is there already"));
	bench_keys(bench, "Enter"); /* Keep */
	text = file_text(path);
	assert_null(strstr(text, "outstanding limit"));
	const size_t before = strlen(text);
	free(text);
	export_to(bench, path);
	bench_keys(bench, "y");
	assert_true(str_starts_with(bench->notice, "1 file written"));
	text = file_text(path);
	assert_true(strlen(text) != before);
	assert_non_null(strstr(text, "SIMULATED"));
	free(text);
	export_to(bench, "no-ending");
	assert_non_null(bench->dialog);
	assert_true(strstr(bench->notice, ".json") != NULL);
	bench_keys(bench, "Esc");
	export_to(bench, "/nonexistent/folder/x.json");
	assert_true(strstr(bench->notice, "/nonexistent/folder") != NULL);
	stop(bench, inventory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published),
		cmocka_unit_test(test_two),
		cmocka_unit_test(test_every_size),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_overlay),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_bad_filter),
		cmocka_unit_test(test_export),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
