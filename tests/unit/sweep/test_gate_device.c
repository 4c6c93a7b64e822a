/* The gate on real block devices: loop devices of our own, really mounted, held, backing each other.
 * Needs root; without it, and where the machine allows no mounts, tests are skipped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/sysmacros.h>
#include <cmocka.h>

#include "gate_lab.h"
#include "io/permit.h"

static char *mount_point;

static int teardown(void **state)
{
	lab_end_child(); /* its mounts go with it */
	if (mount_point)
		umount2(mount_point, MNT_DETACH);
	mount_point = NULL;
	return lab_teardown(state);
}

static void make_ext4(const char *node)
{
	char command[256];

	str_format(command, sizeof(command),
		"PATH=$PATH:/usr/sbin:/sbin; mkfs.ext4 -q -F %s >/dev/null 2>&1", node);
	if (system(command)) {
		print_message("skipped: no mkfs.ext4 here\n");
		skip();
	}
}

static void mount_ext4(const char *node)
{
	static char place[160];

	str_copy(place, sizeof(place), folder_path("mnt"));
	assert_int_equal(mkdir(place, 0700), 0);
	if (mount(node, place, "ext4", 0, NULL)) {
		print_message("skipped: no mounts here\n");
		skip();
	}
	mount_point = place;
}

static void test_blank(void **state)
{
	struct loop_device *loop = lab_loop("a");
	struct stat st;

	(void)state;
	lab_open(loop->name);
	lab_refused(NULL, GATE_NOT_ASKED, "--write");
	assert_non_null(strstr(report.summary, "no mount"));
	assert_string_equal(report.identity, loop->name);
	assert_false(report.identity_is_serial);
	lab_admitted("");
	assert_int_equal(fstat(target.io.fd, &st), 0);
	assert_int_equal(target.io.permit->fd, target.io.fd);
	assert_int_equal(target.io.permit->device, st.st_rdev);
	assert_int_equal(target.io.permit->offset, 0);
	assert_int_equal(target.io.permit->length, BYTES);
	/* direct as before, and held */
	assert_true(fcntl(target.io.fd, F_GETFL) & O_DIRECT);
	assert_int_equal(open(loop->node, O_RDONLY | O_EXCL | O_CLOEXEC), -1);
	assert_int_equal(errno, EBUSY);
	assert_int_equal(gate_recheck(held, &err), 0);
	gate_release(held);
	held = NULL;
	assert_null(target.io.permit);
	assert_int_equal(target.io.fd, -1);
	const int fd = open(loop->node, O_RDONLY | O_EXCL | O_CLOEXEC);

	assert_true(fd >= 0);
	close(fd);
}

/* Typing the name is asking, too. */
static void test_typed(void **state)
{
	struct loop_device *loop = lab_loop("a");

	(void)state;
	make_ext4(loop->node);
	lab_open(loop->name);
	lab_refused("", GATE_SIGNATURE, "ext4");
	assert_non_null(strstr(err.text, "--write="));
	assert_non_null(strstr(err.text, loop->name));
	lab_refused("loop", GATE_TYPED_WRONG, loop->name);
	lab_refused("FAKE-0001", GATE_TYPED_WRONG, "\"FAKE-0001\"");
	lab_admitted(loop->name);
}

static void test_typed_belongs(void **state)
{
	struct gate_consent consent = {.write = true, .typed_count = 1};
	struct sweep_target two[2] = {0};

	(void)state;
	str_copy(two[0].info.name, sizeof(two[0].info.name), "nvme0n1");
	str_copy(two[0].info.serial, sizeof(two[0].info.serial), "FAKE-A");
	str_copy(two[1].info.name, sizeof(two[1].info.name), "disk.img");
	two[1].is_file = true;
	/* of the drive that a file lies on: not what names the file */
	str_copy(two[1].info.serial, sizeof(two[1].info.serial), "FAKE-B");
	str_copy(consent.typed[0], GATE_IDENTITY_BYTES, "FAKE-A");
	assert_int_equal(gate_check_typed(two, 2, &consent, &err), 0);
	str_copy(consent.typed[0], GATE_IDENTITY_BYTES, "disk.img");
	assert_int_equal(gate_check_typed(two, 2, &consent, &err), 0);
	str_copy(consent.typed[0], GATE_IDENTITY_BYTES, "FAKE-B");
	assert_int_equal(gate_check_typed(two, 2, &consent, &err), -EPERM);
	assert_int_equal(err.exit, ERR_EXIT_REFUSED);
	assert_non_null(strstr(err.text, "FAKE-B"));
	str_copy(consent.typed[0], GATE_IDENTITY_BYTES, "fake-a");
	assert_int_equal(gate_check_typed(two, 2, &consent, &err), -EPERM);
	str_copy(consent.typed[0], GATE_IDENTITY_BYTES, "");
	assert_int_equal(gate_check_typed(two, 2, &consent, &err), -EPERM);
}

static void test_mounted(void **state)
{
	struct loop_device *loop = lab_loop("a");

	(void)state;
	make_ext4(loop->node);
	mount_ext4(loop->node);
	lab_open(loop->name);
	lab_refused(loop->name, GATE_MOUNTED, mount_point);
	assert_false(gate_possible(&report));
}

/* The disk under a mounted partition, its neighbour, and a partition of a mounted disk. */
static void test_partition(void **state)
{
	struct loop_device *loop = lab_loop("a");
	char part1[64], part2[64];

	(void)state;
	loop_partition(loop, 1, (int64_t)MIB, (int64_t)(4 * MIB));
	loop_partition(loop, 2, (int64_t)(6 * MIB), (int64_t)MIB);
	str_format(part1, sizeof(part1), "%sp1", loop->name);
	str_format(part2, sizeof(part2), "%sp2", loop->name);
	make_ext4(folder_path("a"));
	/* of the whole: partition 1 does not see it, its bytes are elsewhere */
	lab_open(part1);
	lab_admitted("");
	lab_open(part2);
	lab_admitted("");
	lab_close();
	mount_ext4(loop->node);
	lab_open(part1);
	lab_refused(part1, GATE_MOUNTED, mount_point);
}

static void test_partition_mounted(void **state)
{
	struct loop_device *loop = lab_loop("a");
	char part1[64], part2[64], node[80];

	(void)state;
	loop_partition(loop, 1, (int64_t)MIB, (int64_t)(4 * MIB));
	loop_partition(loop, 2, (int64_t)(6 * MIB), (int64_t)MIB);
	str_format(part1, sizeof(part1), "%sp1", loop->name);
	str_format(part2, sizeof(part2), "%sp2", loop->name);
	str_format(node, sizeof(node), "/dev/%s", part1);
	make_ext4(node);
	lab_open(loop->name);
	lab_refused("", GATE_SIGNATURE, part1);
	lab_admitted(loop->name);
	lab_close();
	mount_ext4(node);
	lab_open(loop->name);
	lab_refused(loop->name, GATE_MOUNTED, part1);
	lab_open(part1);
	lab_refused(part1, GATE_MOUNTED, part1);
	lab_open(part2);
	lab_admitted("");
}

static bool mount_elsewhere(const char *node)
{
	return !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
		!mount(node, folder_path("mnt"), "ext4", 0, NULL);
}

/* Only another process's mount namespace has it: a container. */
static void test_mounted_elsewhere(void **state)
{
	struct loop_device *loop = lab_loop("a");
	char pid[32];

	(void)state;
	make_ext4(loop->node);
	assert_int_equal(mkdir(folder_path("mnt"), 0700), 0);
	lab_child(mount_elsewhere, loop->node);
	str_format(pid, sizeof(pid), "pid %d", child);
	lab_open(loop->name);
	lab_refused(loop->name, GATE_MOUNTED, pid);
}

static void test_loop_over_device(void **state)
{
	struct loop_device *loop = lab_loop("a"), *above = loop_attach(loop->node, 0);

	(void)state;
	lab_open(loop->name);
	lab_refused(loop->name, GATE_LOOP_BACKING, above->name);
	/* the upper one writes to the lower one: nobody else does */
	lab_open(above->name);
	lab_admitted("");
}

static void test_loop_over_mounted(void **state)
{
	struct loop_device *loop = lab_loop("a"), *above;

	(void)state;
	make_ext4(loop->node);
	above = loop_attach(loop->node, 0);
	mount_ext4(loop->node);
	lab_open(above->name);
	lab_refused(above->name, GATE_MOUNTED, loop->name);
}

static void test_two_loops_over_file(void **state)
{
	struct loop_device *loop = lab_loop("a"), *other = loop_attach(folder_path("a"), 0);

	(void)state;
	lab_open(loop->name);
	lab_refused(loop->name, GATE_LOOP_BACKING, other->name);
}

static bool open_for_writing(const char *path)
{
	return open(path, O_RDWR | O_CLOEXEC) >= 0;
}

static bool open_for_reading(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC) >= 0;
}

static bool claim(const char *path)
{
	return open(path, O_RDONLY | O_EXCL | O_CLOEXEC) >= 0;
}

static bool map_shared(const char *path)
{
	const int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0 || mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED)
		return false;
	return !close(fd);
}

static void test_open_elsewhere(void **state)
{
	struct loop_device *loop = lab_loop("a");
	char pid[32];

	(void)state;
	lab_open(loop->name);
	lab_child(open_for_reading, loop->node);
	lab_admitted("");
	lab_close();
	lab_end_child();

	lab_open(loop->name);
	lab_child(open_for_writing, loop->node);
	str_format(pid, sizeof(pid), "(pid %d)", child);
	lab_refused(loop->name, GATE_OPEN_ELSEWHERE, pid);
	lab_end_child();

	lab_child(map_shared, loop->node);
	str_format(pid, sizeof(pid), "(pid %d)", child);
	lab_refused(loop->name, GATE_OPEN_ELSEWHERE, pid);
	lab_end_child();

	/* the file below it */
	lab_child(open_for_writing, folder_path("a"));
	str_format(pid, sizeof(pid), "(pid %d)", child);
	lab_refused(loop->name, GATE_OPEN_ELSEWHERE, pid);
	lab_end_child();

	/* a reader that claims it is named */
	lab_child(claim, loop->node);
	str_format(pid, sizeof(pid), "(pid %d)", child);
	lab_refused(loop->name, GATE_BUSY, pid);
}

/* Nodes may have any name. */
static void test_other_node(void **state)
{
	struct loop_device *loop = lab_loop("a");
	struct stat st;
	char *path = folder_path("node"), pid[32];

	(void)state;
	assert_int_equal(stat(loop->node, &st), 0);
	assert_int_equal(mknod(path, S_IFBLK | 0600, st.st_rdev), 0);
	lab_child(open_for_writing, path);
	str_format(pid, sizeof(pid), "(pid %d)", child);
	lab_open(loop->name);
	lab_refused(loop->name, GATE_OPEN_ELSEWHERE, pid);
}

static void test_read_only(void **state)
{
	struct loop_device *loop = loop_attach(lab_file("a"), LO_FLAGS_READ_ONLY);

	(void)state;
	lab_open(loop->name);
	lab_refused(loop->name, GATE_READ_ONLY, "read-only");
}

static void test_range(void **state)
{
	struct gate_consent consent = {.write = true};
	struct loop_device *loop = lab_loop("a");

	(void)state;
	lab_open(loop->name);
	assert_int_equal(
		gate_admit(&target, &sources, 0, 0, &consent, &report, &held, &err), -EPERM);
	assert_true(lab_found(GATE_EMPTY_RANGE));
	assert_int_equal(
		gate_admit(&target, &sources, MIB, BYTES, &consent, &report, &held, &err), -EPERM);
	assert_true(lab_found(GATE_EMPTY_RANGE));
	/* the permit is for what was asked, no more */
	assert_int_equal(
		gate_admit(&target, &sources, MIB, 4096, &consent, &report, &held, &err), 0);
	assert_true(io_target_allows(&target.io, MIB, 4096, true));
	assert_false(io_target_allows(&target.io, MIB, 8192, true));
	assert_false(io_target_allows(&target.io, MIB - 512, 4096, true));
	assert_true(io_target_allows(&target.io, MIB - 512, 4096, false));
}

/* The name leads to another drive than the user saw. */
static void test_changed(void **state)
{
	struct loop_device *loop = lab_loop("a");

	(void)state;
	lab_open(loop->name);
	target.io.size_bytes -= 512;
	target.io.length -= 512;
	lab_refused(loop->name, GATE_CHANGED, "size");
	lab_open(loop->name);
	target.device++;
	lab_refused(loop->name, GATE_CHANGED, "device number");
}

/* It shrinks while it is held. */
static void test_recheck(void **state)
{
	struct loop_device *loop = lab_loop("a");
	char part[64];

	(void)state;
	lab_open(loop->name);
	lab_admitted("");
	assert_int_equal(gate_recheck(held, &err), 0);
	loop_attach(loop->node, 0);
	assert_int_equal(gate_recheck(held, &err), -EPERM);
	assert_int_equal(err.exit, ERR_EXIT_REFUSED);
	assert_non_null(strstr(err.text, "losetup"));
	lab_close();
	loop_detach_all();

	loop = lab_loop("b");
	loop_partition(loop, 1, (int64_t)MIB, (int64_t)(4 * MIB));
	str_format(part, sizeof(part), "%sp1", loop->name);
	lab_open(loop->name);
	lab_admitted("");
	assert_int_equal(truncate(folder_path("b"), (off_t)(4 * MIB)), 0);
	assert_int_equal(ioctl(target.io.fd, LOOP_SET_CAPACITY), 0);
	assert_int_equal(gate_recheck(held, &err), -ESTALE);
	assert_non_null(strstr(err.text, "size"));
}

/* Passthrough: the node is the generic character device; the block device beside it is looked at and
 * held. A tree of our own says that /dev/null is one, and our loop device its sibling. */
static void test_generic(void **state)
{
	struct loop_device *loop = lab_loop("a");
	char root[200], command[1500];
	struct stat node;

	(void)state;
	str_copy(root, sizeof(root), folder_path("root"));
	assert_int_equal(stat(loop->node, &node), 0);
	str_format(command, sizeof(command),
		"set -e; umask 022; mkdir -p %1$s/dev %1$s/proc/self %1$s/sys/dev/block "
		"%1$s/sys/dev/char %1$s/sys/class/block %1$s/sys/class/nvme-generic; cd %1$s; "
		"d=sys/devices/nvme0; mkdir -p $d/nvme0n1/holders $d/nvme0n1/queue $d/ng0n1; "
		"echo %2$u:%3$u >$d/nvme0n1/dev; echo 16384 >$d/nvme0n1/size; "
		"echo 1:3 >$d/ng0n1/dev; echo 1 >$d/ng0n1/nsid; "
		"ln -s ../../devices/nvme0/nvme0n1 sys/dev/block/%2$u:%3$u; "
		"ln -s ../../devices/nvme0/nvme0n1 sys/class/block/nvme0n1; "
		"ln -s ../../devices/nvme0/ng0n1 sys/dev/char/1:3; "
		"ln -s ../../devices/nvme0/ng0n1 sys/class/nvme-generic/ng0n1; "
		"ln -s %4$s dev/nvme0n1; : >proc/self/mountinfo; : >proc/swaps",
		root, major(node.st_rdev), minor(node.st_rdev), loop->node);
	assert_int_equal(system(command), 0);
	sources.root = root;
	target = (struct sweep_target){.io = {.name = "ng0n1",
					       .fd = open("/dev/null", O_RDONLY | O_CLOEXEC),
					       .lba_bytes = 512,
					       .size_bytes = BYTES,
					       .length = BYTES},
		.info = {.name = "ng0n1"},
		.device = makedev(1, 3)};
	/* the tree shows no controller of it, so that the drive's own facts are not known */
	lab_refused("ng0n1", GATE_UNREADABLE, "controller");
	assert_int_equal(report.finding_count, 1);
	make_ext4(loop->node);
	lab_refused("ng0n1", GATE_SIGNATURE, "controller");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_blank, lab_setup, teardown),
		cmocka_unit_test_setup_teardown(test_typed, lab_setup, teardown),
		cmocka_unit_test_setup_teardown(test_typed_belongs, lab_setup, teardown),
		cmocka_unit_test_setup_teardown(test_mounted, lab_setup, teardown),
		cmocka_unit_test_setup_teardown(test_partition, lab_setup, teardown),
		cmocka_unit_test_setup_teardown(test_partition_mounted, lab_setup, teardown),
		cmocka_unit_test_setup_teardown(test_mounted_elsewhere, lab_setup, teardown),
		cmocka_unit_test_setup_teardown(test_loop_over_device, lab_setup, teardown),
		cmocka_unit_test_setup_teardown(test_loop_over_mounted, lab_setup, teardown),
		cmocka_unit_test_setup_teardown(test_two_loops_over_file, lab_setup, teardown),
		cmocka_unit_test_setup_teardown(test_open_elsewhere, lab_setup, teardown),
		cmocka_unit_test_setup_teardown(test_other_node, lab_setup, teardown),
		cmocka_unit_test_setup_teardown(test_read_only, lab_setup, teardown),
		cmocka_unit_test_setup_teardown(test_range, lab_setup, teardown),
		cmocka_unit_test_setup_teardown(test_changed, lab_setup, teardown),
		cmocka_unit_test_setup_teardown(test_recheck, lab_setup, teardown),
		cmocka_unit_test_setup_teardown(test_generic, lab_setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
