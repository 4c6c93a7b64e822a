/* What the drive itself says: attributes, health, sharing, reservations; a drive that is silent. */
#include "gate_tree.h"

#include "sweep/gate_nvme.h"

static uint8_t reservation[4096];
static unsigned reports, extended_reports;
static bool wants_extended;

static int mock_reservations(struct transport *t, const char *node, uint32_t nsid, bool extended,
	void *buf, size_t length, size_t *got, struct nvme_status *status, struct err *out)
{
	(void)t;
	*got = 0;
	*status = (struct nvme_status){0};
	reports++;
	extended_reports += extended;
	assert_string_equal(node, "nvme0n1");
	assert_int_equal(nsid, 1);
	if (wants_extended && !extended) {
		status->word = 0x4018; /* Host Identifier Inconsistent Format, DNR */
		return err_set(out, -EREMOTEIO, "refused");
	}
	*got = length < sizeof(reservation) ? length : sizeof(reservation);
	memcpy(buf, reservation, *got);
	return 0;
}

static int setup(void **state)
{
	memset(reservation, 0, sizeof(reservation));
	reports = extended_reports = 0;
	wants_extended = false;
	tree_setup(state);
	mock->ops.reservations = mock_reservations;
	return 0;
}

static void test_attributes(void **state)
{
	(void)state;
	tree_answers(1, 0, 0, 0, 0);
	tree_expect(GATE_WRITE_PROTECTED, "namespace attributes");
	tree_answers(0, 0, 0, 0, 0x08);
	tree_expect(GATE_WRITE_PROTECTED, "critical warning, bit 3");
	assert_false(gate_possible(&report));
	/* worn, hot and short of spare, it can be written */
	tree_answers(0, 0, 0, 0, 0x07);
	tree_clear();
	/* also a partition of it */
	tree_answers(1, 0, 0, 0, 0);
	tree_target("nvme0n1p1", 4096 * 512, 1);
	tree_expect(GATE_WRITE_PROTECTED, "nvme0n1p1");
}

static void test_shared(void **state)
{
	(void)state;
	tree_answers(0, 1, 0, 0, 0);
	tree_expect(GATE_SHARED, "several controllers");
	assert_true(gate_possible(&report));
	assert_true(gate_needs_typed(&report));
	tree_answers(0, 0, 0, 0, 0);
	tree_text(root, DRIVE "/transport", "tcp");
	tree_expect(GATE_SHARED, "over tcp");
	tree_text(root, DRIVE "/transport", "loop");
	tree_expect(GATE_SHARED, "over loop");
}

/* Type 1, held by controller 2; we are controller 1. */
static void test_reserved(void **state)
{
	(void)state;
	tree_answers(0, 0, 0x7f, 0x20, 0);
	reservation[4] = 1;
	reservation[5] = 1;
	reservation[24] = 2;
	reservation[26] = 1;
	tree_expect(GATE_RESERVED, "write exclusive, 1 registered");
	assert_false(gate_possible(&report));
	/* held by us */
	reservation[24] = 1;
	tree_clear();
	/* registered only, where the holder alone may write; where registrants may */
	reservation[26] = 0;
	tree_expect(GATE_RESERVED, "write exclusive");
	reservation[4] = 3;
	tree_clear();
	reservation[24] = 3;
	tree_expect(GATE_RESERVED, "registrants only");
	/* nothing reserved */
	reservation[4] = 0;
	tree_clear();
	/* no such type */
	reservation[4] = 9;
	tree_expect(GATE_UNREADABLE, "reserved");
}

static void test_reserved_extended(void **state)
{
	(void)state;
	tree_answers(0, 0, 0x7f, 0x20, 0);
	wants_extended = true;
	reservation[4] = 2;
	reservation[5] = 2;
	reservation[64] = 7;
	reservation[128] = 2;
	reservation[130] = 1;
	tree_expect(GATE_RESERVED, "exclusive access, 2 registered");
	assert_int_equal(reports, 2);
	assert_int_equal(extended_reports, 1);
	reservation[128] = 1;
	tree_clear();
}

/* A drive that knows none is not asked: its error log grows with each refused command. */
static void test_not_asked(void **state)
{
	(void)state;
	tree_answers(0, 0, 0x7f, 0, 0); /* ONCS without bit 5 */
	tree_clear();
	tree_answers(0, 0, 0x81, 0x20, 0); /* RESCAP without a type */
	tree_clear();
	assert_int_equal(reports, 0);
	assert_int_equal(mock->errors, 0);
}

static void test_decode(void **state)
{
	const int ids[] = {1, 5};
	struct gate_nvme out = {0};
	uint8_t page[4096] = {0};

	(void)state;
	assert_int_equal(gate_nvme_decode_reservations(page, 23, false, ids, 2, &out), -EINVAL);
	assert_false(out.reservation_known);
	assert_int_equal(gate_nvme_decode_reservations(page, 63, true, ids, 2, &out), -EINVAL);
	/* more registrants than the page holds: those in it count, and no byte behind it */
	page[4] = 5;
	page[5] = 0xff;
	page[6] = 0xff;
	page[24 + 24 * 2] = 5;
	assert_int_equal(gate_nvme_decode_reservations(page, 24 + 24 * 3, false, ids, 2, &out), 0);
	assert_false(out.reservation_excludes);
	assert_int_equal(out.registrants, 65535);
	assert_int_equal(
		gate_nvme_decode_reservations(page, 24 + 24 * 3 - 1, false, ids, 2, &out), 0);
	assert_true(out.reservation_excludes);
	/* not known which controllers are ours */
	assert_int_equal(gate_nvme_decode_reservations(page, 4096, false, ids, 0, &out), 0);
	assert_true(out.reservation_excludes);
}

/* What the drive does not tell is not taken for granted. */
static void test_refused(void **state)
{
	(void)state;
	mock_refuse(mock, "nvme0", false, NVME_CNS_NAMESPACE, 1, -EACCES, 0, "no access to nvme0");
	tree_expect(GATE_UNREADABLE, "no access");
	assert_false(gate_possible(&report));
	tree_answers(0, 0, 0, 0, 0);
	mock_refuse(mock, "nvme0", true, NVME_LOG_SMART, 0xffffffff, -EREMOTEIO, 0x4109, "invalid");
	tree_expect(GATE_UNREADABLE, "read-only");
	/* a page that ends before the attributes */
	tree_answers(0, 0, 0, 0, 0);
	mock_find(mock, "nvme0", false, NVME_CNS_NAMESPACE, 1, -1)->length = 99;
	tree_expect(GATE_UNREADABLE, "answered too little");
}

static void test_silent(void **state)
{
	struct jobs *jobs;

	(void)state;
	assert_int_equal(jobs_create(&jobs, &err), 0);
	sources.jobs = jobs;
	sources.admin_timeout_ms = 1;
	mock_silence(mock, true);
	tree_look();
	assert_true(report.finding_count >= 2);
	for (size_t i = 0; i < report.finding_count; i++) {
		assert_int_equal(report.findings[i].rule, GATE_UNREADABLE);
		assert_non_null(strstr(report.findings[i].text, "nvme0 did not tell"));
	}
	assert_false(gate_possible(&report));
	/* the command that is out comes back, and nobody waits for it */
	mock_silence(mock, false);
	while (atomic_load(&mock->base.holds))
		usleep(1000);
	jobs_destroy(jobs);
}

static void test_no_controller(void **state)
{
	(void)state;
	tree_text(root, DRIVE "/state", "resetting");
	tree_expect(GATE_UNREADABLE, "none of its controllers is live");
	/* nothing was sent to it */
	assert_int_equal(mock->commands, 0);
}

/* Without a way to ask: what the inventory knows, else nothing is taken for granted. */
static void test_inventory(void **state)
{
	struct inventory_controller controller = {
		.topo.name = "nvme0", .identify_info.read_at = 1, .smart_info.read_at = 1};
	struct inventory_namespace ns = {
		.topo.name = "nvme0n1", .topo.nsid = 1, .identify_info.read_at = 1};
	struct inventory inventory = {.controllers = &controller,
		.controller_count = 1,
		.namespaces = &ns,
		.namespace_count = 1};

	(void)state;
	sources.transport = NULL;
	tree_expect(GATE_UNREADABLE, "cannot be asked");
	sources.inventory = &inventory;
	tree_clear();
	ns.identify.write_protected = true;
	tree_expect(GATE_WRITE_PROTECTED, "namespace attributes");
	ns.identify.write_protected = false;
	ns.identify.reservations = 0x02;
	tree_clear(); /* the controller knows no reservations */
	controller.identify.oncs = 0x20;
	tree_expect(GATE_UNREADABLE, "cannot be asked");
	ns.identify.reservations = 0;
	controller.smart.critical_warning = 0x08;
	tree_expect(GATE_WRITE_PROTECTED, "bit 3");
	/* a simulated drive of the same name is another drive */
	controller.smart.critical_warning = 0;
	ns.simulated = true;
	tree_expect(GATE_UNREADABLE, "cannot be asked");
	/* and so is its transport */
	mock->ops.simulated = true;
	sources.transport = &mock->base;
	tree_expect(GATE_UNREADABLE, "cannot be asked");
	assert_int_equal(mock->commands, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(test_attributes), TEST(test_shared),
		TEST(test_reserved), TEST(test_reserved_extended), TEST(test_not_asked),
		TEST(test_decode), TEST(test_refused), TEST(test_silent), TEST(test_no_controller),
		TEST(test_inventory)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
