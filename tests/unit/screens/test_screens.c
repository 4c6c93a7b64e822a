/* Screens drawn from hand-made snapshots and compared with kept texts. */
#include "fixture.h"

static void test_drives(void **state)
{
	struct inventory *inventory = fixture_fleet();
	struct bench *bench = bench_create(inventory);

	(void)state;
	bench_push(&bench->desk, screen_drives(&bench->desk));
	bench_keys(bench, "Down Down Down");
	bench_expect(bench, "drives", 80, 24);
	bench_expect(bench, "drives", 120, 40);
	bench->desk.ascii = true;
	bench_expect(bench, "drives-ascii", 80, 24);
	bench->desk.ascii = false;
	/* another width fills the rows anew, with the triangles of UTF-8 */
	assert_true(bench_shows(bench, 120, 40, "▾nvme0"));
	/* the rest of the rows: the pane says what is under the cursor */
	bench_keys(bench, "End");
	bench_expect(bench, "drives-other", 80, 24);
	bench_keys(bench, "Up");
	assert_true(bench_shows(bench, 80, 24, "path of nvme3n1 to nvme4: inaccessible"));
	bench_free(bench);
	fixture_free(inventory);
}

static void test_drives_replay(void **state)
{
	struct inventory *inventory = fixture_fleet();

	(void)state;
	str_copy(inventory->source, sizeof(inventory->source), "replay of /tmp/customer.nvcap");
	for (size_t i = 0; i < inventory->namespace_count; i++)
		inventory->namespaces[i].replayed = true;
	struct bench *bench = bench_create(inventory);
	bench_push(&bench->desk, screen_drives(&bench->desk));
	bench_expect(bench, "drives-replay", 80, 24);
	bench_keys(bench, "s");
	assert_non_null(strstr(bench->notice, "replay"));
	assert_int_equal(bench->depth, 1);
	bench_free(bench);
	fixture_free(inventory);
}

static void test_drives_empty(void **state)
{
	struct inventory *inventory = fixture_inventory(0, 0, 0);

	(void)state;
	str_copy(inventory->notice, sizeof(inventory->notice),
		"No NVMe devices were found: /sys/class/nvme is empty.");
	struct bench *bench = bench_create(inventory);
	bench_push(&bench->desk, screen_drives(&bench->desk));
	bench_expect(bench, "drives-empty", 80, 24);
	bench_keys(bench, "s");
	assert_true(bench_shows(bench, 80, 24, ">Target"));
	bench_free(bench);
	fixture_free(inventory);
}

static void test_drive_tabs(void **state)
{
	struct inventory *inventory = fixture_fleet();
	struct bench *bench = bench_create(inventory);

	(void)state;
	bench_push(&bench->desk, screen_drive(&bench->desk, "nvme1", NULL));
	bench_expect(bench, "drive-overview", 80, 24);
	bench_expect(bench, "drive-overview", 120, 40);
	bench_keys(bench, "Tab");
	bench_expect(bench, "drive-smart", 80, 24);
	bench_expect(bench, "drive-smart", 120, 40);
	bench_keys(bench, "Tab");
	bench_expect(bench, "drive-namespaces", 80, 24);
	bench_expect(bench, "drive-namespaces", 120, 40);
	bench_free(bench);
	fixture_free(inventory);
}

static void test_drive_page_states(void **state)
{
	struct inventory *inventory = fixture_fleet();
	struct bench *bench = bench_create(inventory);
	struct inventory_controller *c = &inventory->controllers[2];

	(void)state;
	bench_push(&bench->desk, screen_drive(&bench->desk, "nvme2", NULL));
	bench_keys(bench, "Tab");
	bench_expect(bench, "drive-smart-not-root", 80, 24);
	/* a drive that is silent: what it said before stays, with its time */
	c->smart_info = (struct page_info){
		.state = PAGE_WAITING, .read_at = FIXTURE_TIME, .waiting_ns = 12000000000u};
	inventory->generation++;
	assert_true(bench_top(bench)->ops->update(bench_top(bench)));
	assert_true(
		bench_shows(bench, 80, 24, "no answer for 12 s (shown: what it said at 14:02)"));
	assert_true(bench_shows(bench, 80, 24, "31,204 h"));
	c->smart_info =
		(struct page_info){.state = PAGE_REFUSED, .text = "Invalid Log Page (0x109)"};
	inventory->generation++;
	bench_top(bench)->ops->update(bench_top(bench));
	assert_true(bench_shows(bench, 80, 24, "refused by the drive: Invalid Log Page (0x109)"));
	c->smart_info = (struct page_info){.state = PAGE_EMPTY};
	inventory->generation++;
	bench_top(bench)->ops->update(bench_top(bench));
	assert_true(bench_shows(bench, 80, 24, "the drive returned an empty page"));
	/* it goes away */
	inventory->controller_count = 2;
	inventory->generation++;
	bench_top(bench)->ops->update(bench_top(bench));
	assert_true(bench_shows(bench, 80, 24, "nvme2 is not there any more"));
	inventory->controller_count = 5;
	bench_free(bench);
	fixture_free(inventory);
}

static void test_form(void **state)
{
	struct inventory *inventory = fixture_fleet();
	struct bench *bench = bench_create(inventory);

	(void)state;
	bench_push(&bench->desk, screen_sweep_form(&bench->desk, "nvme0n1"));
	bench_expect(bench, "form", 80, 24);
	bench_expect(bench, "form", 120, 40);
	bench_keys(bench, "F3");
	bench_expect(bench, "form-advanced", 80, 24);
	bench_free(bench);
	fixture_free(inventory);
}

static void test_live(void **state)
{
	struct inventory *inventory = fixture_fleet();
	struct bench *bench = bench_create(inventory);
	struct runner_view *run = fixture_run(6, RUNNER_RUNNING);

	(void)state;
	bench->desk.run = run;
	bench_push(&bench->desk, screen_live(&bench->desk));
	/* side by side there is nothing to change over */
	bench_expect(bench, "live", 120, 40);
	bench_keys(bench, "Tab");
	bench_expect(bench, "live", 80, 24);
	bench_keys(bench, "Tab");
	bench_expect(bench, "live-curve", 80, 24);
	bench->desk.run = NULL;
	runner_view_free(run);
	run = fixture_run(12, RUNNER_ENDED);
	bench->desk.run = run;
	assert_true(bench_top(bench)->ops->update(bench_top(bench)));
	bench_expect(bench, "live-ended", 80, 24);
	bench_expect(bench, "live-ended", 120, 40);
	bench->desk.run = NULL;
	bench_top(bench)->ops->update(bench_top(bench));
	assert_true(bench_shows(bench, 80, 24, "No test has run"));
	runner_view_free(run);
	bench_free(bench);
	fixture_free(inventory);
}

static void test_help(void **state)
{
	struct inventory *inventory = fixture_fleet();
	struct bench *bench = bench_create(inventory);

	(void)state;
	bench_push(&bench->desk, screen_help(&bench->desk, "drives"));
	bench_expect(bench, "help", 80, 24);
	bench_free(bench);
	fixture_free(inventory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_drives),
		cmocka_unit_test(test_drives_replay),
		cmocka_unit_test(test_drives_empty),
		cmocka_unit_test(test_drive_tabs),
		cmocka_unit_test(test_drive_page_states),
		cmocka_unit_test(test_form),
		cmocka_unit_test(test_live),
		cmocka_unit_test(test_help),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
