/* Tests that write, in the sweep form: what it shows, what it asks for, what it refuses. The gate's
 * answers are made by hand; what it finds on real devices is tested with it. */
#include "fixture.h"

#include "screens/sweep_form.h"

static struct sweep_form *form_of(struct bench *bench)
{
	return (struct sweep_form *)(void *)bench_top(bench);
}

/* The form with nvme0n1 and 4K random writes; the gate has been asked. */
static struct bench *open_form(struct inventory **inventory, const char *target)
{
	*inventory = fixture_fleet();
	/* this machine has no such drives: those of a fleet are all there is to know of them */
	for (size_t i = 0; i < (*inventory)->namespace_count; i++)
		(*inventory)->namespaces[i].simulated = true;

	struct bench *bench = bench_create(*inventory);

	bench->threads = true;
	bench_push(&bench->desk, screen_drives(&bench->desk));
	bench_push(&bench->desk, screen_sweep_form(&bench->desk, target));
	assert_int_equal(bench->task_count, 0);
	bench_keys(bench, "Down Right");
	assert_int_equal(bench->task_count, 1);
	return bench;
}

static void close_form(struct bench *bench, struct inventory *inventory)
{
	bench_free(bench);
	fixture_free(inventory);
}

/* The gate's answer to the look under way. */
static void answer(struct bench *bench, const struct gate_report *reports, size_t count)
{
	struct sweep_form *form = form_of(bench);

	bench_work(bench, false);
	assert_true(form->write.known);
	for (size_t i = 0; i < count; i++) {
		form->write.looks[i].failed = false;
		form->write.looks[i].report = reports[i];
	}
	form->write.look_count = count;
	sweep_writes_read(form);
}

static const struct gate_report blank = {.identity = "FAKE0000",
	.identity_is_serial = true,
	.subject = "nvme0n1",
	.summary = "no mount, no holder, no signature on nvme0n1 (serial FAKE0000)"};

static struct gate_report with(enum gate_rule rule, bool overridable, const char *text)
{
	struct gate_report report = blank;

	report.finding_count = 1;
	report.findings[0] = (struct gate_finding){.rule = rule, .overridable = overridable};
	str_copy(report.findings[0].text, sizeof(report.findings[0].text), text);
	str_copy(report.summary, sizeof(report.summary), text);
	return report;
}

static void test_blank(void **state)
{
	struct inventory *inventory;
	struct bench *bench = open_form(&inventory, "nvme0n1");

	(void)state;
	assert_true(bench_shows(bench, 80, 24, "This test WRITES to nvme0n1"));
	assert_true(bench_shows(bench, 80, 24, "gate: looking at what is there ..."));
	assert_false(bench_shows(bench, 80, 24, "Allow writing"));
	/* not before the gate has answered, not before it is permitted */
	bench_keys(bench, "Enter");
	assert_int_equal(bench->starts, 0);
	assert_true(bench_shows(bench, 80, 24, "Not started: the gate is still looking"));
	answer(bench, &blank, 1);
	assert_false(bench_shows(bench, 80, 24, "Not started"));
	bench_expect(bench, "form-writes", 80, 24);
	bench_expect(bench, "form-writes", 120, 40);
	bench->desk.ascii = true;
	bench_expect(bench, "form-writes-ascii", 80, 24);
	bench->desk.ascii = false;
	bench_keys(bench, "Enter");
	assert_int_equal(bench->starts, 0);
	assert_true(
		bench_shows(bench, 80, 24, "Not started: writing to nvme0n1 has to be permitted"));
	/* the field has the focus now */
	bench_keys(bench, "Right");
	assert_false(bench_shows(bench, 80, 24, "To permit it"));
	bench_keys(bench, "Enter");
	assert_int_equal(bench->starts, 1);
	assert_true(bench->consent.write);
	assert_int_equal(bench->consent.typed_count, 0);
	close_form(bench, inventory);
}

static void test_typed(void **state)
{
	const struct gate_report report = with(GATE_SIGNATURE, true,
		"nvme0n1 holds an ext4 file system \"data\": what is on it would be lost");
	struct inventory *inventory;
	struct bench *bench = open_form(&inventory, "nvme0n1");

	(void)state;
	answer(bench, &report, 1);
	assert_true(bench_shows(bench, 80, 24, "gate: nvme0n1 holds an ext4 file system"));
	assert_true(bench_shows(bench, 80, 24, "Type to allow"));
	assert_true(bench_shows(bench, 80, 24, "serial FAKE0000 of nvme0n1"));
	assert_false(bench_shows(bench, 80, 24, "Allow writing"));
	bench_expect(bench, "form-typed", 80, 24);
	bench_expect(bench, "form-typed", 120, 40);
	bench_keys(bench, "Enter");
	assert_int_equal(bench->starts, 0);
	assert_true(
		bench_shows(bench, 80, 24, "type the serial number of nvme0n1 first (FAKE0000)"));
	/* wrong, nearly right, right */
	bench_type(bench, "FAKE0001");
	bench_keys(bench, "Enter");
	assert_int_equal(bench->starts, 0);
	assert_true(
		bench_shows(bench, 80, 24, "what was typed is not the serial number of nvme0n1"));
	bench_keys(bench, "Ctrl-U");
	bench_type(bench, "fake0000");
	bench_keys(bench, "Enter");
	assert_int_equal(bench->starts, 0);
	bench_keys(bench, "Ctrl-U");
	bench_type(bench, " FAKE0000");
	bench_keys(bench, "Enter");
	assert_int_equal(bench->starts, 1);
	assert_true(bench->consent.write);
	assert_int_equal(bench->consent.typed_count, 1);
	assert_string_equal(bench->consent.typed[0], "FAKE0000");
	close_form(bench, inventory);
}

static void test_blocked(void **state)
{
	const struct gate_report report = with(GATE_MOUNTED, false,
		"nvme0n1p2 is mounted on /srv/data: unmount it first (umount /srv/data)");
	struct inventory *inventory;
	struct bench *bench = open_form(&inventory, "nvme0n1");

	(void)state;
	answer(bench, &report, 1);
	assert_true(
		bench_shows(bench, 80, 24, "Cannot start: the gate does not let this test write"));
	assert_true(bench_shows(bench, 80, 24, "gate: nvme0n1p2 is mounted on /srv/data: unmount"));
	assert_false(bench_shows(bench, 80, 24, "Enter start"));
	assert_false(bench_shows(bench, 80, 24, "Type to allow"));
	assert_false(bench_shows(bench, 80, 24, "Allow writing"));
	bench_expect(bench, "form-blocked", 80, 24);
	bench_keys(bench, "Enter");
	assert_int_equal(bench->starts, 0);
	/* a workload that only reads is not held up by it, and asks nothing */
	bench_keys(bench, "Left");
	assert_true(bench_shows(bench, 80, 24, "nothing is written"));
	assert_int_equal(bench->task_count, 0);
	bench_keys(bench, "Enter");
	assert_int_equal(bench->starts, 1);
	assert_false(bench->consent.write);
	close_form(bench, inventory);
}

/* What was true of one target is never taken for another. */
static void test_old_look(void **state)
{
	struct inventory *inventory;
	struct bench *bench = open_form(&inventory, "nvme0n1");

	(void)state;
	answer(bench, &blank, 1);
	bench_keys(bench, "Down Right"); /* allow */
	assert_true(bench_shows(bench, 80, 24, "what is on it will be lost"));
	/* the target is typed over: its look is out, the consent gone */
	bench_keys(bench, "Up Up Up Ctrl-U");
	bench_type(bench, "nvme1n1");
	assert_true(bench->task_count > 0);
	assert_false(form_of(bench)->write.known);
	assert_false(bench_shows(bench, 80, 24, "no signature on nvme0n1"));
	bench_keys(bench, "Enter");
	assert_int_equal(bench->starts, 0);
	/* the answer about what was asked in between does not count */
	const uint32_t asked = form_of(bench)->write.asked;
	bench_work(bench, false);
	assert_false(form_of(bench)->write.known);
	/* the newest question is asked once the way is free */
	assert_int_equal(form_of(bench)->write.asked, asked + 1);
	struct gate_report report = blank;
	str_copy(report.subject, sizeof(report.subject), "nvme1n1");
	answer(bench, &report, 1);
	bench_keys(bench, "Enter");
	assert_int_equal(bench->starts, 0);
	assert_true(bench_shows(bench, 80, 24, "writing to nvme1n1 has to be permitted first"));
	/* another area is another question as well */
	bench_keys(bench, "Right Down Backspace Backspace");
	assert_false(form_of(bench)->write.known);
	close_form(bench, inventory);
}

/* A look that hangs in a drive holds up only itself. */
static void test_silent_drive(void **state)
{
	struct inventory *inventory;
	struct bench *bench = open_form(&inventory, "nvme0n1");

	(void)state;
	setenv("NVSWEEP_TEST_CLOCK", "2026-11-30T14:03:09Z", 1);
	assert_true(bench_top(bench)->ops->update(bench_top(bench)));
	assert_true(bench_shows(bench, 80, 24, "looking at what is there for 9 s"));
	bench_keys(bench, "Up Up Ctrl-U");
	bench_type(bench, "n");
	assert_int_equal(bench->task_count, 2);
	bench_keys(bench, "Esc");
	assert_int_equal(bench->depth, 1);
	while (bench->task_count) {
		struct desk_task *task = bench->tasks[--bench->task_count];

		task->dispose(task); /* as the program does for a screen that has gone */
	}
	close_form(bench, inventory);
}

static void test_several(void **state)
{
	struct gate_report reports[2] = {
		with(GATE_SIGNATURE, true, "nvme0n1 holds a partition table"),
		with(GATE_MEMBER, true, "nvme1n1 is a member of an LVM volume group")};
	struct inventory *inventory;
	struct bench *bench = open_form(&inventory, "nvme0n1, nvme1n1");

	(void)state;
	str_copy(reports[1].subject, sizeof(reports[1].subject), "nvme1n1");
	str_copy(reports[1].identity, sizeof(reports[1].identity), "FAKE0001");
	answer(bench, reports, 2);
	assert_true(bench_shows(bench, 80, 24, "WRITES to nvme0n1 and the others"));
	assert_true(bench_shows(bench, 80, 24, "gate: nvme1n1 is a member"));
	assert_true(bench_shows(bench, 200, 40, "serial FAKE0000 of nvme0n1, FAKE0001 of nvme1n1"));
	bench_keys(bench, "Down");
	bench_type(bench, "FAKE0000");
	bench_keys(bench, "Enter");
	assert_int_equal(bench->starts, 0);
	assert_true(bench_shows(bench, 120, 40, "not the serial number of nvme1n1"));
	bench_type(bench, ", FAKE0001");
	bench_keys(bench, "Enter");
	assert_int_equal(bench->starts, 1);
	assert_int_equal(bench->consent.typed_count, 2);
	assert_string_equal(bench->consent.typed[1], "FAKE0001");
	close_form(bench, inventory);
}

/* Nothing is at stake on simulated drives and in files that nvsweep made. */
static void test_nothing_at_stake(void **state)
{
	struct gate_report report = blank;
	struct inventory *inventory;
	struct bench *bench = open_form(&inventory, "nvme0n1");

	(void)state;
	report.simulated = true;
	answer(bench, &report, 1);
	assert_true(bench_shows(bench, 80, 24, "SIMULATED: writing to nvme0n1 harms nothing"));
	assert_false(bench_shows(bench, 80, 24, "Allow writing"));
	bench_keys(bench, "Enter");
	assert_int_equal(bench->starts, 1);
	assert_false(bench->consent.write);
	close_form(bench, inventory);
}

/* More than there is room for is cut off with a mark, and x tells all of it. */
static void test_many_findings(void **state)
{
	struct gate_report report = blank;
	struct inventory *inventory;
	struct bench *bench = open_form(&inventory, "nvme0n1");

	(void)state;
	report.finding_count = GATE_FINDINGS_MAX;
	report.more = true;
	for (int i = 0; i < GATE_FINDINGS_MAX; i++) {
		report.findings[i] = (struct gate_finding){.rule = GATE_SIGNATURE};
		str_format(report.findings[i].text, sizeof(report.findings[i].text),
			"nvme0n1p%d is mounted on /srv/%d: unmount it first, and whatever else lies "
			"on it as well",
			i, i);
	}
	answer(bench, &report, 1);
	assert_true(bench_shows(bench, 80, 24, ": all of it"));
	assert_true(bench_shows(bench, 80, 24, "Target "));
	assert_true(bench_shows(bench, 80, 24, ">Workload"));
	bench_keys(bench, "x");
	assert_non_null(bench->dialog);
	bench_keys(bench, "End");
	assert_true(bench_shows(bench, 80, 60, "nvme0n1p15 is mounted on /srv/15"));
	close_form(bench, inventory);
}

/* The fill writes although the workload only reads. */
static void test_prepare(void **state)
{
	struct inventory *inventory = fixture_fleet();
	struct bench *bench = bench_create(inventory);

	(void)state;
	bench->threads = true;
	inventory->namespaces[0].simulated = true;
	bench_push(&bench->desk, screen_sweep_form(&bench->desk, "nvme0n1"));
	form_set_focus(form_of(bench)->form, "prepare");
	assert_int_equal(bench->task_count, 0);
	bench_keys(bench, "Right");
	assert_int_equal(bench->task_count, 1);
	answer(bench, &blank, 1);
	/* 7,681,501,126,656 bytes, twice */
	assert_true(bench_shows(bench, 80, 24, "  15.36 TB, "));
	assert_true(bench_shows(bench, 80, 24, "after the fill"));
	bench_keys(bench, "Right");
	assert_true(bench_shows(bench, 80, 24, "ALL of the target is written over first"));
	/* the whole device is more than was looked at */
	assert_false(form_of(bench)->write.known);
	close_form(bench, inventory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blank),
		cmocka_unit_test(test_typed),
		cmocka_unit_test(test_blocked),
		cmocka_unit_test(test_old_look),
		cmocka_unit_test(test_silent_drive),
		cmocka_unit_test(test_several),
		cmocka_unit_test(test_nothing_at_stake),
		cmocka_unit_test(test_many_findings),
		cmocka_unit_test(test_prepare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
