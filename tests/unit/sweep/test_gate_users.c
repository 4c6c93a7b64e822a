/* Who uses a drive, on a hand-made sysfs and /proc: what no test can set up on every machine. */
#include "gate_tree.h"

static void mounts(const char *line)
{
	char text[700];

	snprintf(text, sizeof(text), "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n%s", line);
	tree_text(root, "proc/self/mountinfo", text);
}

static void test_clear(void **state)
{
	(void)state;
	tree_clear();
	assert_string_equal(report.identity, "FAKE-0001");
	assert_true(report.identity_is_serial);
	assert_non_null(strstr(report.summary, "serial FAKE-0001"));
	tree_target("nvme0n1p1", 4096 * 512, 1);
	tree_clear();
}

static void test_mounts(void **state)
{
	(void)state;
	mounts("40 22 259:0 / /data\\040disk rw - ext4 /dev/root rw");
	tree_expect(GATE_MOUNTED, "/data disk");
	mounts("40 22 259:2 / /srv rw - xfs /dev/nvme0n1p2 rw");
	tree_expect(GATE_MOUNTED, "nvme0n1p2 is mounted on /srv");
	/* btrfs has a number of its own and names one member */
	mounts("40 22 0:44 / /srv rw - btrfs /dev/nvme0n1p2 rw,subvol=/");
	tree_expect(GATE_MOUNTED, "/srv");
	/* the journal of another file system */
	mounts("40 22 8:2 / /srv rw - xfs /dev/sda2 rw,logdev=/dev/nvme0n1p1,noquota");
	tree_expect(GATE_MOUNTED, "nvme0n1p1");
	mounts("40 22 8:2 / /srv rw - xfs /dev/sda2 rw");
	tree_clear();
}

/* A partition: its own, its disk, what overlaps it; not its neighbour. */
static void test_partition_mounts(void **state)
{
	(void)state;
	tree_target("nvme0n1p1", 4096 * 512, 1);
	mounts("40 22 259:2 / /srv rw - xfs /dev/nvme0n1p2 rw");
	tree_clear();
	mounts("40 22 259:0 / /srv rw - xfs /dev/nvme0n1 rw");
	tree_expect(GATE_MOUNTED, "nvme0n1 is mounted");
	mounts("40 22 259:1 / /srv rw - xfs /dev/nvme0n1p1 rw");
	tree_expect(GATE_MOUNTED, "nvme0n1p1 is mounted");
	tree_partition(DRIVE "/nvme0n1/nvme0n1p5", "259:5", "5", "6143", "10");
	mounts("40 22 259:5 / /srv rw - xfs /dev/nvme0n1p5 rw");
	tree_expect(GATE_MOUNTED, "nvme0n1p5 is mounted");
}

/* More partitions than struct blockdev lists. */
static void test_many_partitions(void **state)
{
	char folder[128], dev[16], number[16], start[16];

	(void)state;
	for (int i = 3; i <= 40; i++) {
		snprintf(folder, sizeof(folder), DRIVE "/nvme0n1/nvme0n1p%d", i);
		snprintf(dev, sizeof(dev), "259:%d", i);
		snprintf(number, sizeof(number), "%d", i);
		snprintf(start, sizeof(start), "%d", 12288 + 8 * i);
		tree_partition(folder, dev, number, start, "8");
	}
	for (int i = 1; i <= 40; i++) {
		char line[128];

		snprintf(line, sizeof(line), "40 22 259:%d / /srv rw - xfs /dev/x rw", i);
		mounts(line);
		tree_expect(GATE_MOUNTED, "/srv");
	}
}

static void test_other_namespaces(void **state)
{
	(void)state;
	tree_text(root, "proc/77/comm", "containerd-shim");
	tree_text(root, "proc/77/mountinfo", "40 22 259:2 / /mnt rw - ext4 /dev/nvme0n1p2 rw");
	tree_folder(root, "proc/77/fd");
	tree_folder(root, "proc/77/ns");
	tree_folder(root, "proc/self/ns");
	char path[300];

	snprintf(path, sizeof(path), "%s/proc/self/ns/mnt", root);
	assert_int_equal(symlink("mnt:[1]", path), 0);
	snprintf(path, sizeof(path), "%s/proc/77/ns/mnt", root);
	assert_int_equal(symlink("mnt:[2]", path), 0);
	tree_expect(GATE_MOUNTED, "containerd-shim, pid 77");
}

static void test_swap(void **state)
{
	(void)state;
	tree_text(root, "proc/swaps",
		"Filename\tType\tSize\tUsed\tPriority\n"
		"/dev/nvme0n1p2                          partition\t2047\t\t0\t\t-2");
	tree_expect(GATE_SWAP, "nvme0n1p2");
	tree_target("nvme0n1p1", 4096 * 512, 1);
	tree_clear();
}

static void test_swap_file(void **state)
{
	char path[300], text[500];

	(void)state;
	snprintf(path, sizeof(path), "%s/image", root);
	target.is_file = true;
	str_copy(target.info.path, sizeof(target.info.path), path);
	struct stat st;

	assert_int_equal(fstat(target.io.fd, &st), 0);
	target.device = st.st_dev;
	target.inode = st.st_ino;
	tree_expect(GATE_FOREIGN_FILE, "nvme0n1");
	snprintf(text, sizeof(text),
		"Filename\tType\tSize\tUsed\tPriority\n%s file\t2047\t\t0\t\t-2", path);
	tree_text(root, "proc/swaps", text);
	tree_look();
	assert_int_equal(report.finding_count, 2);
	assert_int_equal(report.findings[0].rule, GATE_SWAP);
}

static void test_holders(void **state)
{
	(void)state;
	tree_text(root, "sys/class/block/dm-3/dm/name", "vg-root");
	tree_text(root, DRIVE "/nvme0n1/nvme0n1p1/holders/dm-3/dev", "253:3");
	tree_expect(GATE_HOLDER, "nvme0n1p1 is used by dm-3 (vg-root)");
	/* its neighbour is not held, the whole disk is */
	tree_target("nvme0n1p2", 4096 * 512, 2);
	tree_clear();
	tree_text(root, DRIVE "/nvme0n1/holders/md0/dev", "9:0");
	tree_expect(GATE_HOLDER, "nvme0n1 is used by md0");
}

static void test_bcache(void **state)
{
	(void)state;
	tree_folder(root, DRIVE "/nvme0n1/bcache");
	tree_expect(GATE_HOLDER, "bcache");
}

static void test_loop(void **state)
{
	(void)state;
	tree_text(root, "sys/class/block/loop3/loop/backing_file", "/dev/nvme0n1p2");
	tree_expect(GATE_LOOP_BACKING, "nvme0n1p2 is the backing of loop3");
	/* a file that cannot be looked at concerns no device */
	tree_text(root, "sys/class/block/loop3/loop/backing_file", "/no/such/file");
	tree_clear();
}

static void test_members(void **state)
{
	(void)state;
	tree_folder(root, "sys/fs/btrfs/0123-4567/devices/nvme0n1p2");
	tree_expect(GATE_MOUNTED, "btrfs");
}

static void test_bcachefs(void **state)
{
	char path[300];

	(void)state;
	tree_folder(root, "sys/fs/bcachefs/0123/dev-0");
	snprintf(path, sizeof(path), "%s/sys/fs/bcachefs/0123/dev-0/block", root);
	assert_int_equal(symlink("../../../../devices/fake/nvme0/nvme0n1", path), 0);
	tree_expect(GATE_MOUNTED, "bcachefs");
}

static void test_exports(void **state)
{
	(void)state;
	tree_text(root, "sys/kernel/config/nvmet/subsystems/nqn.x/namespaces/1/device_path",
		"/dev/nvme0n1");
	tree_expect(GATE_HOLDER, "nvmet");
}

static void test_scsi_export(void **state)
{
	(void)state;
	tree_text(root, "sys/kernel/config/target/core/iblock_0/disk/udev_path", "/dev/nvme0n1p1");
	tree_expect(GATE_HOLDER, "LIO");
}

static void open_by(const char *pid, const char *what, const char *flags)
{
	char below[64], path[300];

	snprintf(below, sizeof(below), "proc/%s/comm", pid);
	tree_text(root, below, "mkfs");
	snprintf(below, sizeof(below), "proc/%s/fdinfo/3", pid);
	tree_text(root, below, flags);
	snprintf(below, sizeof(below), "proc/%s/fd", pid);
	tree_folder(root, below);
	snprintf(path, sizeof(path), "%s/%s/3", root, below);
	unlink(path);
	assert_int_equal(symlink(what, path), 0);
}

static void test_openers(void **state)
{
	(void)state;
	open_by("4242", "/dev/nvme0n1p2", "pos:\t0\nflags:\t0100000");
	tree_clear();
	open_by("4242", "/dev/nvme0n1p2", "pos:\t0\nflags:\t0100002");
	tree_expect(GATE_OPEN_ELSEWHERE, "nvme0n1p2 is open for writing in mkfs (pid 4242)");
	open_by("4242", "/dev/nvme0n1p2", "pos:\t0\nflags:\t0100001");
	tree_expect(GATE_OPEN_ELSEWHERE, "pid 4242");
	/* a name only, which reads and writes nothing */
	open_by("4242", "/dev/nvme0n1p2", "pos:\t0\nflags:\t012000002");
	tree_clear();
	/* flags that cannot be read: the worse is assumed */
	open_by("4242", "/dev/nvme0n1p2", "pos:\t0");
	tree_expect(GATE_OPEN_ELSEWHERE, "pid 4242");
	open_by("4242", "socket:[123]", "flags:\t02");
	tree_clear();
	/* a shared mapping without a descriptor; a private one changes nothing */
	tree_text(root, "proc/4242/maps",
		"7f0000000000-7f0000001000 rw-s 00000000 00:05 99          /dev/nvme0n1");
	tree_expect(GATE_OPEN_ELSEWHERE, "pid 4242");
	tree_text(root, "proc/4242/maps",
		"7f0000000000-7f0000001000 rw-p 00000000 00:05 99          /dev/nvme0n1");
	tree_clear();
}

/* This process itself does not count. */
static void test_self(void **state)
{
	char pid[16];

	(void)state;
	snprintf(pid, sizeof(pid), "%d", getpid());
	open_by(pid, "/dev/nvme0n1", "flags:\t02");
	tree_clear();
}

static void test_container(void **state)
{
	char path[300];

	(void)state;
	tree_folder(root, "proc/self/ns");
	snprintf(path, sizeof(path), "%s/proc/self/ns/pid", root);
	assert_int_equal(symlink("pid:[4026531836]", path), 0);
	tree_clear();
	unlink(path);
	assert_int_equal(symlink("pid:[4026532999]", path), 0);
	tree_expect(GATE_UNREADABLE, "container");
	assert_true(gate_possible(&report));
}

/* What cannot be read is never taken for granted. */
static void test_unreadable(void **state)
{
	char path[300];

	(void)state;
	snprintf(path, sizeof(path), "%s/proc/self/mountinfo", root);
	assert_int_equal(unlink(path), 0);
	tree_expect(GATE_UNREADABLE, "mountinfo");
	assert_false(gate_possible(&report));
	tree_text(root, "proc/self/mountinfo", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\nnonsense");
	tree_expect(GATE_UNREADABLE, "mountinfo");
	mounts("");
	snprintf(path, sizeof(path), "%s/" DRIVE "/nvme0n1/holders", root);
	assert_int_equal(rmdir(path), 0);
	tree_expect(GATE_UNREADABLE, "who sits on nvme0n1");
}

static void test_no_swap_in_kernel(void **state)
{
	char path[300];

	(void)state;
	snprintf(path, sizeof(path), "%s/proc/swaps", root);
	assert_int_equal(unlink(path), 0);
	tree_clear();
}

static void test_attributes(void **state)
{
	(void)state;
	tree_text(root, DRIVE "/nvme0n1/ro", "1");
	tree_expect(GATE_READ_ONLY, "read-only");
	tree_target("nvme0n1p1", 4096 * 512, 1);
	tree_expect(GATE_READ_ONLY, "read-only");
	tree_text(root, DRIVE "/nvme0n1/ro", "0");
	tree_text(root, DRIVE "/nvme0n1/queue/zoned", "host-managed");
	tree_expect(GATE_ZONED, "sequentially");
}

/* A drive of another serial, namespace or identifier than the user saw. */
static void test_identity(void **state)
{
	(void)state;
	str_copy(target.info.serial, sizeof(target.info.serial), "FAKE-0002");
	tree_expect(GATE_CHANGED, "serial number");
	/* what is there now has to be typed, not what was */
	assert_string_equal(report.identity, "FAKE-0001");
	str_copy(target.info.serial, sizeof(target.info.serial), "FAKE-0001");
	target.info.nsid = 2;
	tree_expect(GATE_CHANGED, "namespace number");
	target.info.nsid = 1;
	str_copy(target.info.unique_id, sizeof(target.info.unique_id),
		"0102030405060708090a0b0c0d0e0f10");
	tree_clear();
	str_copy(target.info.unique_id, sizeof(target.info.unique_id),
		"0102030405060708090a0b0c0d0e0f11");
	tree_expect(GATE_CHANGED, "namespace identifier");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, tree_setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(test_clear), TEST(test_mounts),
		TEST(test_partition_mounts), TEST(test_many_partitions),
		TEST(test_other_namespaces), TEST(test_swap), TEST(test_swap_file),
		TEST(test_holders), TEST(test_bcache), TEST(test_loop), TEST(test_members),
		TEST(test_bcachefs), TEST(test_exports), TEST(test_scsi_export), TEST(test_openers),
		TEST(test_self), TEST(test_container), TEST(test_unreadable),
		TEST(test_no_swap_in_kernel), TEST(test_attributes), TEST(test_identity)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
