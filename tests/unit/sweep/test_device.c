/* Block devices as targets, on a loop device of our own: whole, partition, 4 KiB blocks, gone. Needs
 * root; without it the tests are skipped. */
#include <errno.h>
#include <fcntl.h>
#include <linux/blkpg.h>
#include <linux/loop.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <cmocka.h>

#include "conf/assets.h"
#include "folder.h"
#include "sweep/runner.h"
#include "sweep/scratch.h"
#include "sweep/target.h"

#define BYTES ((uint64_t)8 << 20)
#define NUMBER_FIRST 200 /* well away from devices that a machine has */
#define NUMBER_LAST 230

static int number = -1, control = -1;
static char node[64], name[32];
static struct options options;
static struct sweep_target target;
static struct err err;

static int setup(void **state)
{
	options_defaults(&options);
	err_clear(&err);
	return folder_make(state);
}

static void detach(void)
{
	const struct timespec moment = {.tv_nsec = 20000000};
	const int fd = open(node, O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		ioctl(fd, LOOP_CLR_FD);
		close(fd);
	}
	/* Detaching ends when the last opener (udev, maybe) has closed. */
	for (int i = 0; i < 100 && ioctl(control, LOOP_CTL_REMOVE, number) < 0; i++)
		nanosleep(&moment, NULL);
	close(control);
	control = number = -1;
}

static int teardown(void **state)
{
	if (number >= 0)
		detach();
	return folder_remove(state);
}

/* Makes /dev/loopN over a file of data; with one partition of 4 MiB at 1 MiB when asked. */
static void attach(uint32_t block_bytes, bool partition)
{
	struct loop_config config = {.block_size = block_bytes,
		.info = {.lo_flags = LO_FLAGS_READ_ONLY | (partition ? LO_FLAGS_PARTSCAN : 0)}};
	const char *path = folder_path("backing");
	bool created;

	if (geteuid()) {
		print_message("skipped: loop devices need root\n");
		skip();
	}
	control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	if (control < 0) {
		print_message("skipped: no /dev/loop-control here\n");
		skip();
	}
	assert_int_equal(scratch_create(path, BYTES, 9, NULL, NULL, &created, NULL), 0);
	const int backing = open(path, O_RDWR | O_CLOEXEC);

	assert_true(backing >= 0);
	for (number = NUMBER_FIRST; number <= NUMBER_LAST; number++)
		if (ioctl(control, LOOP_CTL_ADD, number) >= 0)
			break;
	if (number > NUMBER_LAST) {
		print_message("skipped: no loop device can be added\n");
		number = -1;
		close(backing);
		skip();
	}
	str_format(name, sizeof(name), "loop%d", number);
	str_format(node, sizeof(node), "/dev/%s", name);
	const int fd = open(node, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		print_message("skipped: %s does not appear: no devtmpfs here\n", node);
		close(backing);
		skip();
	}
	config.fd = (uint32_t)backing;
	assert_int_equal(ioctl(fd, LOOP_CONFIGURE, &config), 0);
	if (partition) {
		/* Told to the kernel directly: no partition table, and no parser of one, is needed. */
		struct blkpg_partition where = {.start = 1 << 20, .length = 4 << 20, .pno = 1};
		struct blkpg_ioctl_arg add = {
			.op = BLKPG_ADD_PARTITION, .datalen = sizeof(where), .data = &where};

		assert_int_equal(ioctl(fd, BLKPG, &add), 0);
	}
	close(fd);
	close(backing);
}

static void test_whole(void **state)
{
	(void)state;
	attach(4096, false);
	/* With and without /dev/. */
	assert_int_equal(sweep_target_open(name, NULL, &options, &target, &err), 0);
	assert_false(target.is_file);
	assert_true(target.io.block_device);
	assert_int_equal(target.io.lba_bytes, 4096);
	assert_true(target.io.size_bytes == BYTES && target.io.length == BYTES);
	assert_string_equal(target.info.kind, "block device");
	assert_string_equal(target.info.name, name);
	assert_string_equal(target.info.path, node);
	assert_string_equal(target.disk, name);
	assert_true(target.info.direct);
	sweep_target_sample(&target, 1, NULL, NULL);
	assert_false(target.mostly_zero || target.never_written);
	sweep_target_close(&target);

	struct sweep_target two[2];

	assert_int_equal(symlink(node, folder_path("link")), 0);
	assert_int_equal(sweep_target_open(node, NULL, &options, &two[0], &err), 0);
	assert_int_equal(sweep_target_open(folder_path("link"), NULL, &options, &two[1], &err), 0);
	assert_int_equal(sweep_target_check_distinct(two, 2, &err), -EINVAL);
	sweep_target_close(&two[0]);
	sweep_target_close(&two[1]);
}

static void test_detached(void **state)
{
	(void)state;
	attach(512, false);
	const int fd = open(node, O_RDONLY | O_CLOEXEC);

	assert_int_equal(ioctl(fd, LOOP_CLR_FD), 0);
	close(fd);
	/* An empty node: no medium, not an empty result. */
	for (int i = 0; i < 200; i++) {
		const struct timespec moment = {.tv_nsec = 10000000};

		err_clear(&err);
		if (sweep_target_open(node, NULL, &options, &target, &err))
			break;
		sweep_target_close(&target);
		nanosleep(&moment, NULL);
	}
	assert_true(err.code == -ENOMEDIUM || err.code == -ENXIO);
	assert_non_null(strstr(err.text, name));
}

static void test_partition(void **state)
{
	char part[80];
	struct sweep_target two[2];

	(void)state;
	attach(512, true);
	str_format(part, sizeof(part), "%sp1", node);
	if (access(part, R_OK)) {
		print_message("skipped: %s does not appear\n", part);
		skip();
	}
	assert_int_equal(sweep_target_open(part, NULL, &options, &two[0], &err), 0);
	assert_true(two[0].io.size_bytes == 4 << 20);
	assert_true(two[0].disk_offset == 1 << 20);
	assert_string_equal(two[0].disk, name);
	assert_int_equal(sweep_target_open(node, NULL, &options, &two[1], &err), 0);
	assert_int_equal(sweep_target_check_distinct(two, 2, &err), -EINVAL);
	assert_non_null(strstr(err.text, "overlap"));
	sweep_target_close(&two[0]);
	sweep_target_close(&two[1]);
	options.offset_bytes = 4 << 20; /* inside the disk, past the end of the partition */
	assert_int_equal(sweep_target_open(part, NULL, &options, &target, &err), -ERANGE);
}

/* A run on the device; and blocks smaller than its own, which are refused with the minimum. */
static void test_run(void **state)
{
	struct workload *workload;
	const char *targets[] = {node};
	struct runner *runner;

	(void)state;
	attach(4096, false);
	assert_int_equal(workload_load("seq-read-16k", &workload, &err), 0);
	struct runner_config config = {.workload = workload,
		.method = "fixed",
		.targets = targets,
		.target_count = 1,
		.options = options};

	config.options.block_bytes = 512;
	assert_int_equal(runner_start(&config, &runner, &err), -EINVAL);
	assert_non_null(strstr(err.text, "4096"));
	assert_int_equal(err.exit, ERR_EXIT_USAGE);
	config.options.block_bytes = 0;
	config.options.bytes = BYTES;
	if (runner_start(&config, &runner, &err))
		fail_msg("%s", err.text);
	assert_int_equal(runner_wait(runner, 300000), 0);
	const struct run *run = runner_run(runner);

	assert_int_equal(run->outcome, RUN_COMPLETE);
	assert_true(run->points[0].read_bytes == BYTES);
	assert_int_equal(run->points[0].count, BYTES / 16384);
	assert_string_equal(run->targets[0].name, name);
	runner_destroy(runner);
	workload_free(workload);
}

#define EACH(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(test_whole),
		EACH(test_detached),
		EACH(test_partition),
		EACH(test_run),
	};

	assets_set_folders("", "");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
