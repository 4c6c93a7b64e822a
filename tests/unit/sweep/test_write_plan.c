/* What a test is going to write, against numbers worked out by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "conf/assets.h"
#include "sweep/write_plan.h"

static struct options options;
static struct workload *workload;
static struct run_target drive, file;
static struct smart smart;

/* PCIe 3.0 x4: 8 GT/s x 4 lanes / 8 bits x 128/130 = 3,938,461,538.46 bytes/s each way. */
#define LINK 3938461538.46

static int setup(void **state)
{
	(void)state;
	assets_set_folders("", "");
	options_defaults(&options);
	drive = (struct run_target){.name = "nvme0n1",
		.kind = "namespace",
		.size_bytes = UINT64_C(8001563222016),
		.link_gts = 8,
		.link_width = 4};
	file = (struct run_target){.name = "data", .kind = "file", .size_bytes = 1 << 30};
	smart = (struct smart){.percentage_used = {true, 5},
		/* x 512,000 = 512e12 bytes; at 5 % the life is 10.24 PB */
		.data_units_written = {true, 1000000000}};
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	workload_free(workload);
	workload = NULL;
	return 0;
}

static void plan_of(const char *method, const char *name, size_t targets,
	const struct run_target *target, struct write_plan *plan)
{
	struct err err = {0};

	workload_free(workload);
	if (workload_load(name, &workload, &err))
		fail_msg("%s", err.text);
	const struct write_question question = {.method = method,
		.options = &options,
		.workload = workload,
		.target_count = targets};

	write_plan_make(&question, target, target == &file ? NULL : &smart, plan);
	assert_int_equal(write_plan_writes(&question), plan->total.bound != WRITE_NOTHING);
}

static void set(const char *assignment)
{
	struct err err = {0};

	if (options_set(&options, assignment, &err))
		fail_msg("%s", err.text);
}

static void assert_near(double value, double wanted)
{
	if (!(fabs(value - wanted) <= 1e-6 * fabs(wanted)))
		fail_msg("%.9g, but %.9g was worked out", value, wanted);
}

static void says(const struct write_plan *plan, const struct run_target *target, const char *wanted)
{
	char text[256];

	write_plan_text(plan, target, text, sizeof(text));
	assert_string_equal(text, wanted);
}

static void test_reading_writes_nothing(void **state)
{
	struct write_plan plan;

	(void)state;
	plan_of("curve", "rand-read-4k", 1, &drive, &plan);
	assert_int_equal(plan.total.bound, WRITE_NOTHING);
	assert_int_equal(plan.total.bytes, 0);
	assert_int_equal(plan.life, WRITE_LIFE_UNKNOWN);
	/* a workload that writes, told to read only */
	set("read_pct=100");
	plan_of("fixed", "mix-8k-70r", 1, &drive, &plan);
	assert_int_equal(plan.total.bound, WRITE_NOTHING);
	/* and one that reads, told to write a little */
	set("read_pct=90");
	plan_of("fixed", "rand-read-4k", 1, &drive, &plan);
	assert_int_equal(plan.total.bound, WRITE_AT_MOST);
}

static void test_bytes(void **state)
{
	struct write_plan plan;

	(void)state;
	set("bytes=4096000000000");
	plan_of("fixed", "seq-write-64k", 2, &drive, &plan);
	assert_int_equal(plan.total.bound, WRITE_EXACTLY);
	assert_int_equal(plan.total.bytes, 4096000000000);
	/* 4.096e12 of 10.24e15 */
	assert_int_equal(plan.life, WRITE_LIFE_ABOUT);
	assert_near(plan.life_share, 0.0004);
	says(&plan, &drive, "writes 4.10 TB to nvme0n1, 0.04 % of its rated life");
	/* 30 % of the same I/Os of one size */
	plan_of("fixed", "mix-8k-70r", 1, &drive, &plan);
	assert_int_equal(plan.total.bound, WRITE_ABOUT);
	assert_near((double)plan.total.bytes, 1.2288e12);
	says(&plan, &drive, "writes about 1.23 TB to nvme0n1, 0.012 % of its rated life");
	says(&plan, &file, "writes about 1.23 TB to data");
}

/* Oracle: 99 % of I/O of 8 KiB, 20 % of it writes; 1 % of 64 KiB, 99 % of it writes.
 * Written per I/O: 0.99 x 0.2 x 8192 + 0.01 x 0.99 x 65536 = 1622.016 + 648.8064 = 2270.8224;
 * read: 0.99 x 0.8 x 8192 + 0.01 x 0.01 x 65536 = 6488.064 + 6.5536 = 6494.6176. */
static void test_streams(void **state)
{
	struct write_plan plan;

	(void)state;
	set("bytes=1000000000000");
	plan_of("fixed", "oracle", 1, &drive, &plan);
	assert_near((double)plan.total.bytes, 1e12 * 2270.8224 / (2270.8224 + 6494.6176));
}

/* 200,000 IOPS over two targets for 25 s: 2,500,000 I/Os each, of 4 KiB. */
static void test_rate(void **state)
{
	struct write_plan plan;

	(void)state;
	set("rate_iops=200000");
	plan_of("fixed", "rand-write-4k", 2, &drive, &plan);
	assert_int_equal(plan.total.bound, WRITE_AT_MOST);
	assert_int_equal(plan.total.bytes, 2500000 * UINT64_C(4096));
	/* 10.24e9 of 10.24e15 */
	assert_near(plan.life_share, 1e-6);
	says(&plan, &drive,
		"writes at most 10.24 GB to nvme0n1, less than 0.01 % of its rated life");
}

static void test_closed_loop(void **state)
{
	struct write_plan plan;

	(void)state;
	assert_near(write_plan_link_bytes_s(&drive), LINK);
	/* 5 s and 20 s */
	plan_of("fixed", "rand-write-4k", 1, &drive, &plan);
	assert_int_equal(plan.total.bound, WRITE_AT_MOST);
	assert_near((double)plan.total.bytes, 25 * LINK);
	/* ten depths of 25 s */
	plan_of("depth", "rand-write-4k", 1, &drive, &plan);
	assert_near((double)plan.total.bytes, 250 * LINK);
	/* four searches of 5 + 5 s; points of 25 s at 10 ... 100 %: 5.5, and two at all of it */
	plan_of("curve", "rand-write-4k", 1, &drive, &plan);
	assert_near((double)plan.total.bytes, (40 + 7.5 * 25) * LINK);
	/* 70 % reads fill the link the other way: writes are at most 3/7 of it */
	plan_of("fixed", "mix-8k-70r", 1, &drive, &plan);
	assert_near((double)plan.total.bytes, 25 * LINK * 3 / 7);
	/* PCIe 2.0 x4: 5 GT/s x 4 / 8 x 0.8 = 2e9 */
	drive.link_gts = 5;
	assert_near(write_plan_link_bytes_s(&drive), 2e9);
	drive.link_width = 0;
	assert_true(write_plan_link_bytes_s(&drive) == 0);
}

/* A quarter of 8,001,563,222,016 bytes is 2,000,390,805,504, and 488,376,661.5 blocks of 4096; the
 * whole ones are 2,000,390,803,456 bytes; twice. */
static void test_fill(void **state)
{
	struct write_plan plan;

	(void)state;
	drive.lba_bytes = 4096;
	set("prepare=area");
	set("area_pct=25");
	plan_of("curve", "rand-read-4k", 1, &drive, &plan);
	assert_int_equal(plan.total.bound, WRITE_EXACTLY);
	assert_int_equal(plan.total.bytes, 2 * UINT64_C(2000390803456));
	/* 4,000,781,606,912 of 10.24e15 */
	says(&plan, &drive, "writes 4.00 TB to nvme0n1, 0.039 % of its rated life");
	/* the rest behind an offset; odd ends are left out */
	set("area_pct=100");
	set("offset_bytes=8001563217920");
	set("prepare_passes=1");
	plan_of("curve", "rand-read-4k", 1, &drive, &plan);
	assert_int_equal(plan.total.bytes, 4096);
	drive.size_bytes += 17;
	set("prepare=device");
	plan_of("curve", "rand-read-4k", 1, &drive, &plan);
	assert_int_equal(plan.total.bytes, UINT64_C(8001563222016));
	/* and then a load that writes as well */
	set("bytes=4096");
	plan_of("fixed", "mix-4k-70r", 1, &drive, &plan);
	assert_int_equal(plan.total.bound, WRITE_ABOUT);
	assert_int_equal(plan.total.bytes, UINT64_C(8001563222016) + 1229);
	/* without a bound the fill at least is known */
	set("bytes=0");
	drive.link_gts = 0;
	plan_of("fixed", "mix-4k-70r", 1, &drive, &plan);
	says(&plan, &drive, "writes 8.00 TB, then as much as it takes in 25 s to nvme0n1");
}

static void test_no_bound(void **state)
{
	struct write_plan plan;

	(void)state;
	plan_of("fixed", "rand-write-4k", 1, &file, &plan);
	assert_int_equal(plan.total.bound, WRITE_UNBOUNDED);
	says(&plan, &file, "writes as much as it takes in 25 s to data");
}

static void test_life(void **state)
{
	struct write_plan plan;
	char text[96];

	(void)state;
	set("bytes=5120000000000");
	/* new: at least 100 x what has been written: 5.12e12 of 51.2e15 */
	smart.percentage_used.value = 0;
	plan_of("fixed", "seq-write-64k", 1, &drive, &plan);
	assert_int_equal(plan.life, WRITE_LIFE_AT_MOST);
	assert_near(plan.life_share, 0.0001);
	write_plan_life_text(&plan, text, sizeof(text));
	assert_string_equal(text, "at most 0.01 % of its rated life");
	/* worn out: 512e12 / 1.2 */
	smart.percentage_used.value = 120;
	plan_of("fixed", "seq-write-64k", 1, &drive, &plan);
	assert_near(plan.life_share, 0.012);
	write_plan_life_text(&plan, text, sizeof(text));
	assert_string_equal(text, "1.2 % of its rated life");
	/* the counter stands still, is missing, or nothing was ever written */
	smart.percentage_used.value = 255;
	plan_of("fixed", "seq-write-64k", 1, &drive, &plan);
	assert_int_equal(plan.life, WRITE_LIFE_UNKNOWN);
	smart.percentage_used = (struct field_int){false, 0};
	plan_of("fixed", "seq-write-64k", 1, &drive, &plan);
	assert_int_equal(plan.life, WRITE_LIFE_UNKNOWN);
	smart.percentage_used = (struct field_int){true, 3};
	smart.data_units_written.value = 0;
	plan_of("fixed", "seq-write-64k", 1, &drive, &plan);
	assert_int_equal(plan.life, WRITE_LIFE_UNKNOWN);
	write_plan_life_text(&plan, text, sizeof(text));
	assert_string_equal(text, "what share of its rated life that is, is not known");
	/* counters beyond all reason are no reason to fail */
	smart.data_units_written.value = ~(u128)0;
	plan_of("fixed", "seq-write-64k", 1, &drive, &plan);
	assert_int_equal(plan.life, WRITE_LIFE_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_reading_writes_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_streams, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rate, setup, teardown),
		cmocka_unit_test_setup_teardown(test_closed_loop, setup, teardown),
		cmocka_unit_test_setup_teardown(test_fill, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_bound, setup, teardown),
		cmocka_unit_test_setup_teardown(test_life, setup, teardown),
	};

	return cmocka_run_group_tests_name("write_plan", tests, NULL, NULL);
}
