/* Rates from block statistics, worked out by hand. */
#include "../nvme/tree.h"

#include <errno.h>
#include <math.h>

#include "block/iostat.h"

#define STAT "sys/class/block/nvme0n1/stat"

static void assert_near(double got, double expected)
{
	if (!(fabs(got - expected) <= 1e-9 * fabs(expected)))
		fail_msg("%g is not %g", got, expected);
}

static void test_read(void **state)
{
	char *root = tree_make();
	struct iostat_counters c;

	(void)state;
	/* 17 fields as of kernel 5.5 */
	tree_text(root, STAT,
		"   21873      119  1529086     6403    84920    46141  2934440    89230        3    "
		"41112    96511        1        2        3        4        5        6");
	assert_int_equal(iostat_read(root, "nvme0n1", &c), 0);
	assert_int_equal(c.reads, 21873);
	assert_int_equal(c.read_sectors, 1529086);
	assert_int_equal(c.read_ms, 6403);
	assert_int_equal(c.writes, 84920);
	assert_int_equal(c.write_sectors, 2934440);
	assert_int_equal(c.write_ms, 89230);
	assert_int_equal(c.in_flight, 3);
	assert_int_equal(c.busy_ms, 41112);
	assert_int_equal(c.weighted_ms, 96511);
	assert_true(c.taken_ns > 0);
	assert_int_equal(iostat_read(root, "nvme1n1", &c), -ENOENT);
	assert_int_equal(iostat_read(root, "../nvme0n1", &c), -EINVAL);
	tree_text(root, STAT, "1 2 3 4 5 6 7 8 9 10");
	assert_int_equal(iostat_read(root, "nvme0n1", &c), -EINVAL);
	tree_text(root, STAT, "1 2 3 4 5 six 7 8 9 10 11");
	assert_int_equal(iostat_read(root, "nvme0n1", &c), -EINVAL);
	tree_text(root, STAT, "");
	assert_int_equal(iostat_read(root, "nvme0n1", &c), -EINVAL);
	tree_remove(root);
}

static const struct iostat_counters before = {
	.reads = 1000,
	.read_sectors = 8000,
	.read_ms = 500,
	.writes = 10,
	.write_sectors = 100,
	.write_ms = 7,
	.busy_ms = 300,
	.taken_ns = 1000000000,
};

static void test_rates(void **state)
{
	struct iostat_counters after = before;
	struct iostat_rates r;

	(void)state;
	/* two seconds: 400 reads of 4 KiB that took 100 ms together, no write, busy for half */
	after.taken_ns += 2000000000;
	after.reads += 400;
	after.read_sectors += 3200;
	after.read_ms += 100;
	after.busy_ms += 1000;
	after.in_flight = 5;
	iostat_between(&before, &after, &r);
	assert_true(r.known);
	assert_near(r.seconds, 2);
	assert_near(r.read_iops, 200);
	assert_near(r.read_bytes_s, 819200);
	assert_near(r.read_latency_ms, 0.25);
	assert_near(r.busy_pct, 50);
	assert_int_equal(r.in_flight, 5);
	assert_true(r.write_iops == 0 && r.write_bytes_s == 0);
	assert_true(isnan(r.write_latency_ms));
	/* the kernel's clock for busy may run ahead of ours */
	after.busy_ms += 2000;
	iostat_between(&before, &after, &r);
	assert_near(r.busy_pct, 100);
}

static void test_unknown(void **state)
{
	struct iostat_counters after = before;
	struct iostat_rates r;

	(void)state;
	iostat_between(&before, &after, &r); /* no time between */
	assert_false(r.known);
	after.taken_ns += 1000000000;
	after.writes -= 1; /* replaced by another device */
	after.reads += 5;
	iostat_between(&before, &after, &r);
	assert_false(r.known);
	assert_true(r.read_iops == 0 && r.write_iops == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests_name("block/iostat", tests, NULL, NULL);
}
