/* What a run moved: nvsweep's count beside the drives', and both through JSON. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "example.h"
#include "result/run_json.h"
#include "result/volume.h"

static void count(struct run_target *t, const char *serial, uint64_t before, uint64_t after)
{
	memset(t, 0, sizeof(*t));
	str_copy(t->serial, sizeof(t->serial), serial);
	t->smart_before_known = t->smart_after_known = true;
	t->smart_before.data_units_written = (struct field_u128){true, before};
	t->smart_after.data_units_written = (struct field_u128){true, after};
}

/* 1,000 sectors of 512 bytes to a unit (NVMe base specification, SMART log). */
static void test_units(void **state)
{
	struct run *run = run_create();
	struct run_volume v;

	(void)state;
	run->target_count = 3;
	count(&run->targets[0], "A", 100, 107);
	count(&run->targets[1], "A", 100, 107); /* another namespace of the same drive */
	count(&run->targets[2], "B", 5, 6);
	run_volume(run, &v);
	assert_true(isnan(v.read) && isnan(v.written)); /* an old file */
	assert_true(v.smart_written == 8 * 512000.0);
	assert_true(isnan(v.smart_read) && isnan(v.media_written));
	/* one drive that does not tell: no sum */
	run->targets[2].smart_after.data_units_written.reported = false;
	run_volume(run, &v);
	assert_true(isnan(v.smart_written));
	/* a counter that went back tells nothing */
	count(&run->targets[2], "B", 6, 5);
	run_volume(run, &v);
	assert_true(isnan(v.smart_written));
	run->targets[2].smart_after_known = false;
	run_volume(run, &v);
	assert_true(isnan(v.smart_written));
	run->target_count = 0;
	run_volume(run, &v);
	assert_true(isnan(v.smart_written));
	run_free(run);
}

static struct run *through_json(struct run *run)
{
	struct json *json = run_to_json(run);
	struct run *back;
	struct err err;

	err_clear(&err);
	if (run_from_json("test", json, &back, &err))
		fail_msg("%s", err.text);
	json_free(json);
	run_free(run);
	return back;
}

static void test_round_trip(void **state)
{
	struct run *run = example_run();

	(void)state;
	run = through_json(run);
	assert_string_equal(run->prepare.fill, "");
	assert_false(run->bytes_known);
	str_copy(run->prepare.fill, sizeof(run->prepare.fill), "area");
	run->prepare.passes = 2;
	run->prepare.passes_done = 1;
	run->prepare.block_bytes = 131072;
	run->prepare.bytes = 123456789012345;
	run->prepare.seconds = 61.5;
	run->prepare.never_written_share = 0.75;
	run->bytes_known = true;
	run->read_bytes = 11;
	run->write_bytes = 9007199254740991;
	run->points[0].short_writes = 5;
	run = through_json(run);
	assert_string_equal(run->prepare.fill, "area");
	assert_int_equal(run->prepare.passes, 2);
	assert_int_equal(run->prepare.passes_done, 1);
	assert_int_equal(run->prepare.block_bytes, 131072);
	assert_true(run->prepare.bytes == 123456789012345);
	assert_true(run->prepare.seconds == 61.5);
	assert_true(run->prepare.never_written_share == 0.75);
	assert_true(run->bytes_known);
	assert_true(run->read_bytes == 11 && run->write_bytes == 9007199254740991);
	assert_int_equal(run->points[0].short_writes, 5);
	run_free(run);
}

/* What the drives did not report is null, not 0. */
static void test_null(void **state)
{
	struct run *run = example_run();
	struct json *json = run_to_json(run), *volume = json_get(json, "volume");
	uint64_t bytes;

	(void)state;
	assert_non_null(volume);
	assert_int_not_equal(json_read_u64(volume, "written_bytes", &bytes, NULL), 0);
	assert_int_not_equal(json_read_u64(volume, "media_written_bytes", &bytes, NULL), 0);
	assert_false(json_is_object(json_get(json, "prepare")));
	json_free(json);
	run_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
