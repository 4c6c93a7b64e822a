/* Targets, loads and buffers: what is refused and with which sentence. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "io/backend.h"
#include "io/buffers.h"
#include "io/load.h"
#include "io/target.h"

#define GIB (UINT64_C(1) << 30)

static struct io_target good_target(void)
{
	return (struct io_target){.name = "disk",
		.fd = 0,
		.lba_bytes = 4096,
		.buffer_alignment = 512,
		.size_bytes = GIB,
		.length = GIB};
}

static struct io_load good_load(void)
{
	struct io_load load = {.stream_count = 1, .outstanding = 32};

	load.streams[0].share = load.streams[0].read_share = load.streams[0].random_share = 1;
	load.streams[0].read_mix.count = 1;
	load.streams[0].read_mix.size[0].bytes = 8192;
	load.streams[0].read_mix.size[0].share = 1;
	return load;
}

static void refused(int rc, const struct err *err, int code, enum err_exit exit, const char *part)
{
	assert_int_equal(rc, code);
	assert_int_equal(err->code, code);
	assert_int_equal(err->exit, exit);
	if (!strstr(err->text, part))
		fail_msg("'%s' does not say '%s'", err->text, part);
}

static void test_target(void **state)
{
	struct io_target target = good_target();
	struct err err = {0};

	(void)state;
	assert_int_equal(io_target_check(&target, &err), 0);
	target.offset = 4096;
	refused(io_target_check(&target, &err), &err, -ERANGE, ERR_EXIT_USAGE, "past the end");
	target.length = GIB - 4096;
	assert_int_equal(io_target_check(&target, NULL), 0);
	target.offset = UINT64_MAX - 4095;
	refused(io_target_check(&target, &err), &err, -ERANGE, ERR_EXIT_USAGE, "past the end");
	target = good_target();
	target.length = 0;
	refused(io_target_check(&target, &err), &err, -EINVAL, ERR_EXIT_USAGE, "area");
	target = good_target();
	target.size_bytes = 0;
	refused(io_target_check(&target, &err), &err, -EINVAL, ERR_EXIT_USAGE, "empty");
	target = good_target();
	target.offset = 512;
	target.length = GIB / 2;
	refused(io_target_check(&target, &err), &err, -EINVAL, ERR_EXIT_USAGE, "4096");
	target = good_target();
	target.lba_bytes = 0;
	assert_int_equal(io_target_check(&target, NULL), -EINVAL);
}

static void test_bounds(void **state)
{
	struct io_target target = good_target();
	const struct io_permit permit = {.offset = 8192, .length = 8192};

	(void)state;
	target.offset = 4096;
	target.length = 1 << 20;
	assert_true(io_target_allows(&target, 4096, 4096, false));
	assert_false(io_target_allows(&target, 0, 4096, false));
	assert_true(io_target_allows(&target, 4096 + (1 << 20) - 4096, 4096, false));
	assert_false(io_target_allows(&target, 4096 + (1 << 20) - 4096, 8192, false));
	assert_false(io_target_allows(&target, UINT64_MAX - 100, 4096, false));
	assert_false(io_target_allows(&target, 8192, 4096, true));
	target.permit = &permit;
	assert_true(io_target_allows(&target, 8192, 8192, true));
	assert_false(io_target_allows(&target, 4096, 4096, true));
	assert_false(io_target_allows(&target, 12288, 8192, true));
}

static void test_load(void **state)
{
	const struct io_target target = good_target();
	struct io_load load = good_load();
	struct err err = {0};

	(void)state;
	assert_int_equal(io_load_check(&load, &target, &err), 0);
	assert_int_equal(io_load_max_block(&load), 8192);
	load.outstanding = 0;
	refused(io_load_check(&load, &target, &err), &err, -EINVAL, ERR_EXIT_USAGE, "outstanding");
	load.outstanding = 65536;
	assert_int_equal(io_load_check(&load, &target, &err), -EINVAL);
	load = good_load();
	load.rate_iops = -1;
	refused(io_load_check(&load, &target, &err), &err, -EINVAL, ERR_EXIT_USAGE, "rate");
	load.rate_iops = NAN;
	assert_int_equal(io_load_check(&load, &target, &err), -EINVAL);
	load.rate_iops = 2e9;
	assert_int_equal(io_load_check(&load, &target, &err), -EINVAL);
	load = good_load();
	load.streams[0].read_mix.size[0].bytes = 512;
	refused(io_load_check(&load, &target, &err), &err, -EINVAL, ERR_EXIT_USAGE,
		"smallest is 4096");
	load.streams[0].read_mix.size[0].bytes = 6144;
	assert_int_equal(io_load_check(&load, &target, &err), -EINVAL);
	load.streams[0].read_mix.size[0].bytes = 0;
	assert_int_equal(io_load_check(&load, &target, &err), -EINVAL);
	load = good_load();
	load.streams[0].read_mix.size[0].share = 0.9;
	refused(io_load_check(&load, &target, &err), &err, -EINVAL, ERR_EXIT_USAGE, "90 %");
	load = good_load();
	load.streams[0].read_mix.count = IO_MIX_MAX + 1;
	assert_int_equal(io_load_check(&load, &target, &err), -EINVAL);
	load = good_load();
	load.streams[0].share = 0.5;
	refused(io_load_check(&load, &target, &err), &err, -EINVAL, ERR_EXIT_USAGE, "streams");
	load = good_load();
	load.stream_count = 0;
	assert_int_equal(io_load_check(&load, &target, &err), -EINVAL);
	load = good_load();
	load.streams[0].region_count = 1;
	load.streams[0].regions[0] = (struct io_region){0.95, 0.1, 1, 0};
	refused(io_load_check(&load, &target, &err), &err, -EINVAL, ERR_EXIT_USAGE, "region 1");
	struct io_target small = target;
	small.length = 4096;
	load = good_load();
	refused(io_load_check(&load, &small, &err), &err, -EINVAL, ERR_EXIT_USAGE, "larger than");
}

static void test_writes_need_a_permit(void **state)
{
	const struct io_permit permit = {.length = GIB};
	struct io_target target = good_target();
	struct io_load load = good_load();
	struct err err = {0};

	(void)state;
	load.streams[0].read_share = 0.999;
	load.streams[0].write_mix = load.streams[0].read_mix;
	load.streams[0].write_mix.size[0].bytes = 65536;
	refused(io_load_check(&load, &target, &err), &err, -EPERM, ERR_EXIT_REFUSED, "writes");
	assert_int_equal(io_load_max_block(&load), 65536);
	target.permit = &permit;
	assert_int_equal(io_load_check(&load, &target, &err), 0);
	load.streams[0].write_mix.count = 0;
	refused(io_load_check(&load, &target, &err), &err, -EINVAL, ERR_EXIT_USAGE, "write mix");
}

static void test_buffers(void **state)
{
	struct io_buffers buffers;
	struct err err = {0};

	(void)state;
	assert_int_equal(io_buffers_create(&buffers, 5, 520, 0, &err), 0);
	assert_int_equal(buffers.bytes_each, 1024);
	assert_int_equal((uintptr_t)buffers.base % 512, 0);
	io_buffers_destroy(&buffers);
	assert_int_equal(io_buffers_create(&buffers, 700, 4096, 8192, &err), 0);
	assert_int_equal(buffers.bytes_each, 8192);
	assert_int_equal((uintptr_t)buffers.base % (2 << 20), 0); /* for huge pages */
	io_buffers_destroy(&buffers);
	assert_int_equal(io_buffers_create(&buffers, 65535, UINT32_MAX, 4096, &err), -ENOMEM);
	assert_non_null(strstr(err.text, "memory"));
	assert_null(buffers.base);
}

static void test_backend_names(void **state)
{
	char reason[256] = "x";
	struct err err = {0};

	(void)state;
	assert_ptr_equal(io_backend_find("sync"), &io_backend_sync);
	assert_null(io_backend_find("floppy"));
	assert_ptr_equal(io_backend_choose("null", reason, sizeof(reason), &err), &io_backend_null);
	assert_string_equal(reason, "");
	assert_null(io_backend_choose("floppy", reason, sizeof(reason), &err));
	assert_int_equal(err.exit, ERR_EXIT_USAGE);
	assert_non_null(strstr(err.text, "'floppy'"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_target),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_load),
		cmocka_unit_test(test_writes_need_a_permit),
		cmocka_unit_test(test_buffers),
		cmocka_unit_test(test_backend_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
