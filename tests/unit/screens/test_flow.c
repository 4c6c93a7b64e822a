/* What keys do on the screens: folding, filtering, opening, starting, pausing, stopping. */
#include "fixture.h"

#include <unistd.h>

static void test_fold(void **state)
{
	struct inventory *inventory = fixture_fleet();
	struct bench *bench = bench_create(inventory);

	(void)state;
	bench_push(&bench->desk, screen_drives(&bench->desk));
	assert_true(bench_shows(bench, 80, 24, "▾nvme0"));
	assert_true(bench_shows(bench, 80, 24, "nvme0n1"));
	bench_keys(bench, "Space");
	assert_true(bench_shows(bench, 80, 24, "▸nvme0"));
	char *frame = bench_frame(bench, 80, 24);
	assert_null(strstr(frame, "nvme0n1 "));
	free(frame);
	/* closed stays closed when the next snapshot comes, and opens again */
	inventory->generation++;
	assert_true(bench_top(bench)->ops->update(bench_top(bench)));
	assert_true(bench_shows(bench, 80, 24, "▸nvme0"));
	bench_keys(bench, "Right");
	assert_true(bench_shows(bench, 80, 24, "nvme0n1"));
	/* a drive without namespaces cannot be folded */
	bench_keys(bench, "Down Down Down Down Space");
	assert_true(
		bench_shows(bench, 80, 24, ">  nvme2") || bench_shows(bench, 80, 24, "> nvme2"));
	bench_free(bench);
	fixture_free(inventory);
}

/* Simulated drives: the top lines say it, and only their form has a factor of time. */
static void test_simulated(void **state)
{
	struct inventory *inventory = fixture_fleet();
	struct bench *bench = bench_create(inventory);

	(void)state;
	bench_push(&bench->desk, screen_sweep_form(&bench->desk, "nvme0n1"));
	assert_false(bench_shows(bench, 120, 60, "Time factor"));
	assert_false(bench_shows(bench, 120, 60, "SIMULATED"));
	str_copy(inventory->source, sizeof(inventory->source), "SIMULATED fleet demo");
	for (size_t i = 0; i < inventory->controller_count; i++)
		inventory->controllers[i].simulated = true;
	for (size_t i = 0; i < inventory->namespace_count; i++)
		inventory->namespaces[i].simulated = true;
	bench_push(&bench->desk, screen_drives(&bench->desk));
	assert_true(bench_shows(bench, 80, 24, "nvsweep · SIMULATED fleet demo"));
	/* marked and still legible in the narrowest column */
	assert_true(bench_shows(bench, 80, 24, "SIM FAKE"));
	assert_false(bench_shows(bench, 80, 24, "SIMULATE…"));
	bench_push(&bench->desk, screen_sweep_form(&bench->desk, "nvme0n1"));
	assert_true(bench_shows(bench, 80, 24, "New sweep · SIMULATED"));
	assert_true(bench_shows(bench, 120, 60, "Time factor"));
	/* nothing of the machine's is marked or paced when the target is typed over */
	bench_keys(bench, "Up Ctrl-U");
	bench_type(bench, "/etc/hostname");
	assert_false(bench_shows(bench, 120, 60, "Time factor"));
	assert_false(bench_shows(bench, 120, 60, "SIMULATED"));
	bench_free(bench);
	fixture_free(inventory);
}

static void test_filter(void **state)
{
	struct inventory *inventory = fixture_fleet();
	struct bench *bench = bench_create(inventory);

	(void)state;
	bench_push(&bench->desk, screen_drives(&bench->desk));
	bench_keys(bench, "/");
	assert_non_null(bench->dialog);
	bench_type(bench, "fabric");
	bench_keys(bench, "Enter");
	assert_true(bench_shows(bench, 80, 24, "filter: fabric"));
	assert_true(bench_shows(bench, 80, 24, "nvme-subsys3"));
	char *frame = bench_frame(bench, 80, 24);
	assert_null(strstr(frame, "nvme0n1"));
	free(frame);
	bench_keys(bench, "/");
	bench_type(bench, "zzz");
	bench_keys(bench, "Enter");
	assert_true(bench_shows(bench, 80, 24, "No line contains"));
	/* Esc takes the filter off before it leaves the screen */
	bench_keys(bench, "Esc");
	assert_int_equal(bench->depth, 1);
	assert_true(bench_shows(bench, 80, 24, "nvme0n1"));
	bench_free(bench);
	fixture_free(inventory);
}

static void test_idle(void **state)
{
	struct inventory *inventory = fixture_fleet();
	struct bench *bench = bench_create(inventory);
	struct runner_view *run = fixture_run(3, RUNNER_RUNNING);
	struct screen *screen;

	(void)state;
	/* without news no screen asks to be drawn */
	bench_push(&bench->desk, screen_drives(&bench->desk));
	assert_false(bench_top(bench)->ops->update(bench_top(bench)));
	bench_push(&bench->desk, screen_drive(&bench->desk, "nvme0", NULL));
	assert_false(bench_top(bench)->ops->update(bench_top(bench)));
	bench_push(&bench->desk, screen_results(&bench->desk));
	assert_false(bench_top(bench)->ops->update(bench_top(bench)));
	bench_push(&bench->desk, screen_sweep_form(&bench->desk, "nvme0n1"));
	assert_false(bench_top(bench)->ops->update(bench_top(bench)));
	bench_push(&bench->desk, screen_live(&bench->desk));
	bench->desk.run = run;
	assert_true(bench_top(bench)->ops->update(bench_top(bench)));
	assert_false(bench_top(bench)->ops->update(bench_top(bench)));
	/* a view with nothing new in it */
	struct runner_view *same = fixture_run(3, RUNNER_RUNNING);
	bench->desk.run = same;
	assert_false(bench_top(bench)->ops->update(bench_top(bench)));
	same->elapsed_s += 1;
	assert_true(bench_top(bench)->ops->update(bench_top(bench)));
	/* the clock: a minute later the live screens move, a replay does not */
	screen = bench->stack[0];
	setenv("NVSWEEP_TEST_CLOCK", "2026-11-30T14:04:00Z", 1);
	assert_true(screen->ops->update(screen));
	assert_false(screen->ops->update(screen));
	str_copy(inventory->source, sizeof(inventory->source), "replay of x");
	screen->ops->update(screen);
	setenv("NVSWEEP_TEST_CLOCK", "2026-11-30T14:05:00Z", 1);
	assert_false(screen->ops->update(screen));
	bench->desk.run = NULL;
	bench_free(bench);
	runner_view_free(run);
	runner_view_free(same);
	fixture_free(inventory);
}

static void test_navigation(void **state)
{
	struct inventory *inventory = fixture_fleet();
	struct bench *bench = bench_create(inventory);

	(void)state;
	bench_push(&bench->desk, screen_drives(&bench->desk));
	bench_keys(bench, "Enter");
	assert_int_equal(bench->depth, 2);
	assert_true(bench_shows(bench, 80, 24, "[Overview]"));
	bench_keys(bench, "Esc Down Enter");
	assert_true(bench_shows(bench, 80, 24, "[Namespaces]"));
	bench_keys(bench, "F5");
	assert_int_equal(bench->refreshes, 1);
	bench_keys(bench, "Left");
	assert_true(bench_shows(bench, 80, 24, "[SMART]"));
	bench_keys(bench, "Down Down x");
	assert_non_null(bench->dialog);
	assert_true(bench_shows(bench, 80, 24, "maker's estimate"));
	bench_keys(bench, "Esc ?");
	assert_true(bench_shows(bench, 80, 24, "Help · One drive"));
	bench_keys(bench, "Esc Esc");
	assert_int_equal(bench->depth, 1);
	/* a path leads to its controller */
	bench_keys(bench, "End Up Enter");
	assert_true(bench_shows(bench, 80, 24, "nvme4 · FAKE FABRIC"));
	bench_free(bench);
	fixture_free(inventory);
}

static void make_file(char *path, size_t size)
{
	char block[4096];

	str_copy(path, size, "/tmp/nvsweep-screens-XXXXXX");
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	memset(block, 0x5a, sizeof(block));
	for (int i = 0; i < 64; i++)
		assert_int_equal(write(fd, block, sizeof(block)), sizeof(block));
	close(fd);
}

static void test_form_start(void **state)
{
	struct inventory *inventory = fixture_fleet();
	struct bench *bench = bench_create(inventory);
	char path[64];

	(void)state;
	make_file(path, sizeof(path));
	bench_push(&bench->desk, screen_drives(&bench->desk));
	bench_push(&bench->desk, screen_sweep_form(&bench->desk, path));
	/* Test is in focus: curve; to the area, and 25 % of it */
	bench_keys(bench, "Down Down Backspace Backspace Backspace");
	bench_type(bench, "25");
	bench_keys(bench, "Enter");
	assert_int_equal(bench->starts, 1);
	char expected[128];
	str_format(expected, sizeof(expected), "curve rand-read-4k %s", path);
	assert_string_equal(bench->started, expected);
	assert_true(bench->started_options.area_pct == 25);
	assert_true(bench->started_options.point_s == 20);
	/* the form is gone, the running test shows */
	assert_int_equal(bench->depth, 2);
	assert_string_equal(bench_top(bench)->ops->name, "live");
	unlink(path);
	bench_free(bench);
	fixture_free(inventory);
}

/* A drive that does not answer while it is opened: the form says so and can be left. */
static void test_form_opening(void **state)
{
	struct inventory *inventory = fixture_fleet();
	struct bench *bench = bench_create(inventory);
	char path[64];

	(void)state;
	make_file(path, sizeof(path));
	bench->start_waits = true;
	bench_push(&bench->desk, screen_drives(&bench->desk));
	bench_push(&bench->desk, screen_sweep_form(&bench->desk, path));
	bench_keys(bench, "Enter");
	assert_int_equal(bench->starts, 1);
	assert_true(bench_shows(bench, 80, 24, "Opening /tmp/nvsweep-screens-"));
	assert_true(bench_shows(bench, 80, 24, "Esc give up"));
	/* nothing is changed or started twice meanwhile; time passes */
	bench_keys(bench, "Enter Down 7 Space");
	assert_int_equal(bench->starts, 1);
	assert_null(bench->dialog);
	setenv("NVSWEEP_TEST_CLOCK", "2026-11-30T14:03:12Z", 1);
	assert_true(bench_top(bench)->ops->update(bench_top(bench)));
	assert_true(bench_shows(bench, 80, 24, "for 12 s now; Esc gives up"));
	bench_keys(bench, "Esc");
	assert_int_equal(bench->cancels, 1);
	assert_int_equal(bench->depth, 2);
	assert_true(bench_shows(bench, 80, 24, "Not started: given up"));
	/* again, and the fault that comes later stands in the form */
	bench->start_fault = "the drive is gone";
	bench_keys(bench, "Enter");
	bench_answer_start(&bench->desk);
	assert_true(bench_shows(bench, 80, 24, "Not started: the drive is gone"));
	bench->start_fault = NULL;
	bench_keys(bench, "Enter");
	bench_answer_start(&bench->desk);
	assert_string_equal(bench_top(bench)->ops->name, "live");
	unlink(path);
	bench_free(bench);
	fixture_free(inventory);
}

static void test_form_faults(void **state)
{
	struct inventory *inventory = fixture_fleet();
	struct bench *bench = bench_create(inventory);
	char path[64];

	(void)state;
	make_file(path, sizeof(path));
	bench_push(&bench->desk, screen_sweep_form(&bench->desk, path));
	/* a value out of range is refused at its field */
	bench_keys(bench, "Down Down Backspace Backspace Backspace");
	bench_type(bench, "700");
	bench_keys(bench, "Enter");
	assert_int_equal(bench->starts, 0);
	assert_true(bench_shows(bench, 80, 24, "! 700 is not possible: "));
	assert_true(bench_shows(bench, 80, 24, "Cannot start yet: mend what is marked"));
	assert_false(bench_shows(bench, 80, 24, "nothing is written"));
	bench_keys(bench, "Backspace Backspace");
	/* what the runner says stands in the form */
	bench->start_fault = "io_uring is refused and so is the sync backend";
	bench_keys(bench, "Enter");
	assert_int_equal(bench->starts, 1);
	assert_true(bench_shows(bench, 80, 24, "Not started: io_uring is refused"));
	bench->start_fault = NULL;
	unlink(path);
	bench_free(bench);
	fixture_free(inventory);
}

static void test_form_targets(void **state)
{
	struct inventory *inventory = fixture_fleet();

	(void)state;
	inventory->namespaces[0].replayed = true;
	str_copy(inventory->namespaces[1].no_sweep, sizeof(inventory->namespaces[1].no_sweep),
		"its format has no block device");
	struct bench *bench = bench_create(inventory);
	bench_push(&bench->desk, screen_sweep_form(&bench->desk, "nvme0n1"));
	bench_keys(bench, "Enter");
	assert_int_equal(bench->starts, 0);
	assert_true(bench_shows(bench, 80, 24, "is part of a replay"));
	bench_free(bench);
	bench = bench_create(inventory);
	bench_push(&bench->desk, screen_sweep_form(&bench->desk, "/dev/nvme1n1"));
	bench_keys(bench, "Enter");
	assert_int_equal(bench->starts, 0);
	assert_true(bench_shows(bench, 80, 24, "its format has no block device"));
	bench_free(bench);
	bench = bench_create(inventory);
	bench_push(&bench->desk, screen_sweep_form(&bench->desk, "/nonexistent/file"));
	bench_keys(bench, "Enter");
	assert_int_equal(bench->starts, 0);
	assert_true(bench_shows(bench, 80, 24, "no device or file"));
	/* typed letters are text here, ? is not */
	bench_type(bench, "xq");
	assert_true(bench_shows(bench, 80, 24, "/nonexistent/filexq"));
	assert_int_equal(bench->depth, 1);
	bench_type(bench, "?");
	assert_int_equal(bench->depth, 2);
	bench_free(bench);
	fixture_free(inventory);
}

static void test_form_method(void **state)
{
	struct inventory *inventory = fixture_fleet();
	struct bench *bench = bench_create(inventory);

	(void)state;
	bench_push(&bench->desk, screen_sweep_form(&bench->desk, "nvme0n1"));
	char *frame = bench_frame(bench, 80, 24);
	assert_null(strstr(frame, "Rate (IOPS)"));
	free(frame);
	bench_keys(bench, "Space");
	assert_true(bench_shows(bench, 80, 24, "fixed"));
	bench_keys(bench, "End Enter");
	assert_true(bench_shows(bench, 80, 24, "Rate (IOPS)"));
	/* 5 s of warm-up and 20 s of window */
	assert_true(bench_shows(bench, 80, 24, "Takes about 25 s"));
	bench_keys(bench, "x");
	assert_true(bench_shows(bench, 80, 24, "one load for a time"));
	bench_free(bench);
	fixture_free(inventory);
}

static void test_live_keys(void **state)
{
	struct inventory *inventory = fixture_fleet();
	struct bench *bench = bench_create(inventory);
	struct runner_view *run = fixture_run(6, RUNNER_RUNNING);

	(void)state;
	bench_push(&bench->desk, screen_drives(&bench->desk));
	bench->desk.run = run;
	bench_push(&bench->desk, screen_live(&bench->desk));
	free(bench_frame(bench, 80, 24));
	bench_keys(bench, "Space");
	assert_int_equal(bench->pauses, 1);
	assert_true(bench->paused);
	run->state = RUNNER_PAUSED;
	assert_true(bench_top(bench)->ops->update(bench_top(bench)));
	assert_true(bench_shows(bench, 80, 24, "PAUSED"));
	assert_true(bench_shows(bench, 80, 24, "Space go on"));
	bench_keys(bench, "Space");
	assert_false(bench->paused);
	/* stopping asks, and begins on no */
	bench_keys(bench, "S");
	assert_non_null(bench->dialog);
	bench_keys(bench, "Enter");
	assert_int_equal(bench->stops, 0);
	bench_keys(bench, "S y");
	assert_int_equal(bench->stops, 1);
	/* the cursor goes over what is on the screen; x explains it */
	bench_keys(bench, "Down Down Down Down Down x");
	assert_true(bench_shows(bench, 80, 24, "From the moment an I/O was due"));
	bench_keys(bench, "Esc");
	/* on a narrow screen help and the way out are the last to go */
	assert_true(bench_shows(bench, 44, 10, "Space go on  ? help  Esc leave running") ||
		bench_shows(bench, 44, 10, "Space pause  ? help  Esc leave running"));
	assert_true(bench_shows(bench, 30, 10, "? help  Esc leave running"));
	bench_keys(bench, "Esc");
	assert_int_equal(bench->depth, 1);
	assert_true(bench_shows(bench, 80, 24, "test runs"));
	assert_true(bench_shows(bench, 80, 24, "m running"));
	bench->desk.run = NULL;
	runner_view_free(run);
	bench_free(bench);
	fixture_free(inventory);
}

static void test_live_words(void **state)
{
	struct inventory *inventory = fixture_fleet();
	struct bench *bench = bench_create(inventory);
	struct runner_view *run = fixture_run(6, RUNNER_RUNNING);

	(void)state;
	run->so_far.saturated = true;
	run->so_far.saturated_age_ns = 2.1e9;
	run->current.backlog = 4711;
	run->silent_s = 12.4;
	bench->desk.run = run;
	bench_push(&bench->desk, screen_live(&bench->desk));
	assert_true(bench_shows(bench, 80, 24, "backlog 4,711"));
	assert_true(bench_shows(bench, 80, 24, ">=2.10 s"));
	assert_true(bench_shows(bench, 80, 24, "no I/O has completed for 12 s"));
	/* a percentile that no interval has takes one line and says why */
	struct series *series = series_create();
	for (size_t i = 0; i < 100; i++) {
		struct interval interval = *series_at(run->series, i);

		interval.service.p99_9 = NAN;
		series_append(series, &interval);
	}
	series_unref(run->series);
	run->series = series;
	assert_true(bench_shows(bench, 80, 24, "p99.9  - needs more samples in an interval"));
	run->warmup = true;
	run->asked_iops = 0;
	assert_true(bench_shows(bench, 80, 24, "(warm-up)"));
	assert_true(bench_shows(bench, 80, 24, "asked closed loop"));
	bench->desk.run = NULL;
	runner_view_free(run);
	/* a single load: its figures stand in the outcome, and there is no curve */
	run = fixture_run(1, RUNNER_RUNNING);
	str_copy(run->method, sizeof(run->method), "fixed");
	bench->desk.run = run;
	bench_top(bench)->ops->update(bench_top(bench));
	char *frame = bench_frame(bench, 120, 40);
	assert_null(strstr(frame, "latency against IOPS"));
	free(frame);
	run->state = RUNNER_ENDED;
	run->outcome = RUN_COMPLETE;
	bench_top(bench)->ops->update(bench_top(bench));
	assert_true(bench_shows(bench, 80, 24, "31,400"));
	assert_true(bench_shows(bench, 80, 24, "p50 66 µs"));
	frame = bench_frame(bench, 80, 24);
	assert_null(strstr(frame, "What the curve says"));
	free(frame);
	bench->desk.run = NULL;
	runner_view_free(run);
	/* it could not be saved */
	run = fixture_run(2, RUNNER_ENDED);
	run->outcome = RUN_ABORTED;
	run->saved_path[0] = '\0';
	str_copy(run->save_fault, sizeof(run->save_fault), "no space left on the device");
	str_copy(run->reason, sizeof(run->reason), "the device is lost");
	bench->desk.run = run;
	bench_top(bench)->ops->update(bench_top(bench));
	assert_true(bench_shows(bench, 80, 24, "ABORTED"));
	assert_true(bench_shows(bench, 80, 24, "the device is lost"));
	assert_true(bench_shows(bench, 80, 24, "NOT SAVED: no space left on the device"));
	bench->desk.run = NULL;
	runner_view_free(run);
	bench_free(bench);
	fixture_free(inventory);
}

static void click(struct bench *bench, enum mouse_button button, int x, int y)
{
	const struct key key = {.code = KEYC_MOUSE, .x = x, .y = y, .button = button};

	bench_top(bench)->ops->key(bench_top(bench), &key);
}

static void test_mouse(void **state)
{
	struct inventory *inventory = fixture_fleet();
	struct bench *bench = bench_create(inventory);

	(void)state;
	bench_push(&bench->desk, screen_drives(&bench->desk));
	free(bench_frame(bench, 80, 24));
	/* line 0 is the bar, 1 the titles; nvme1n1 is the fourth row */
	click(bench, MOUSE_LEFT, 20, 5);
	assert_true(bench_shows(bench, 80, 24, ">   nvme1n1"));
	click(bench, MOUSE_WHEEL_UP, 20, 5);
	assert_true(bench_shows(bench, 80, 24, ">▾nvme0"));
	click(bench, MOUSE_DOUBLE, 20, 5);
	assert_int_equal(bench->depth, 2);
	assert_true(bench_shows(bench, 80, 24, "[Namespaces]"));
	/* a click on a tab, and on a line of it */
	click(bench, MOUSE_LEFT, 13, 1);
	assert_true(bench_shows(bench, 80, 24, "[SMART]"));
	click(bench, MOUSE_LEFT, 5, 4);
	assert_true(bench_shows(bench, 80, 24, ">Percentage used"));
	/* clicks beside everything are harmless */
	click(bench, MOUSE_LEFT, -1, 300);
	click(bench, MOUSE_RIGHT, 5, 5);
	bench_free(bench);
	fixture_free(inventory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fold),
		cmocka_unit_test(test_simulated),
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_navigation),
		cmocka_unit_test(test_form_start),
		cmocka_unit_test(test_form_opening),
		cmocka_unit_test(test_form_faults),
		cmocka_unit_test(test_form_targets),
		cmocka_unit_test(test_form_method),
		cmocka_unit_test(test_live_keys),
		cmocka_unit_test(test_live_words),
		cmocka_unit_test(test_mouse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
