/* Passthrough writes: the node is a character device that nobody can claim, so the block device beside it
 * is looked at and held. A tree of our own says that /dev/null is the character device of a drive, and a
 * loop device of ours the block device beside it. Needs root. */
#include "gate_tree.h"

#include <errno.h>
#include <sys/wait.h>

#include "loop_device.h"

static struct loop_device *loop;
static struct gate_lock *held;

static int teardown(void **state)
{
	gate_release(held);
	held = NULL;
	loop_detach_all();
	return tree_teardown(state);
}

static void make(void)
{
	char path[300], dev[32], size[32];
	struct stat st;

	snprintf(path, sizeof(path), "%s/image", root);
	loop = loop_attach(path, 0);
	assert_int_equal(stat(loop->node, &st), 0);
	snprintf(dev, sizeof(dev), "%u:%u", major(st.st_rdev), minor(st.st_rdev));
	snprintf(size, sizeof(size), "%u", (unsigned)(BYTES / 512));
	/* the drive's block node is our loop device */
	tree_text(root, DRIVE "/nvme0n1/dev", dev);
	snprintf(path, sizeof(path), "sys/dev/block/%s", dev);
	tree_link(root, path, DRIVE "/nvme0n1");
	tree_folder(root, "dev");
	snprintf(path, sizeof(path), "%s/dev/nvme0n1", root);
	assert_int_equal(symlink(loop->node, path), 0);
	tree_attributes(root, DRIVE "/ng0n1", "dev", "1:3", "nsid", "1", "nguid",
		"0102030405060708090a0b0c0d0e0f10", NULL);
	tree_link(root, DRIVE "/ng0n1/device", DRIVE);
	tree_link(root, "sys/dev/char/1:3", DRIVE "/ng0n1");
	tree_link(root, "sys/class/nvme-generic/ng0n1", DRIVE "/ng0n1");
	tree_target("ng0n1", BYTES, 0);
	close(target.io.fd);
	target.io.fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	target.device = makedev(1, 3);
}

static int admit(void)
{
	const struct gate_consent consent = {.write = true};

	err_clear(&err);
	return gate_admit(&target, &sources, 0, BYTES, &consent, &report, &held, &err);
}

static void test_held(void **state)
{
	struct stat st;

	(void)state;
	make();
	if (admit())
		fail_msg("%s", err.text);
	assert_string_equal(report.identity, "FAKE-0001");
	assert_int_equal(fstat(target.io.fd, &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	assert_int_equal(fcntl(target.io.fd, F_GETFL) & O_ACCMODE, O_RDWR);
	assert_int_equal(open(loop->node, O_RDONLY | O_EXCL | O_CLOEXEC), -1);
	assert_int_equal(errno, EBUSY);
	assert_int_equal(gate_recheck(held, &err), 0);
	gate_release(held);
	held = NULL;
	const int fd = open(loop->node, O_RDONLY | O_EXCL | O_CLOEXEC);

	assert_true(fd >= 0);
	/* and who holds that keeps us out */
	target.io.fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_int_equal(admit(), -EBUSY);
	assert_int_equal(err.exit, ERR_EXIT_REFUSED);
	close(fd);
}

static void test_beside(void **state)
{
	char path[300];

	(void)state;
	make();
	tree_text(root, "proc/self/mountinfo", "40 22 259:1 / /srv rw - ext4 /dev/nvme0n1p1 rw");
	tree_expect(GATE_MOUNTED, "nvme0n1p1");
	tree_text(root, "proc/self/mountinfo", "40 22 8:1 / / rw - ext4 /dev/sda1 rw");
	tree_text(root, DRIVE "/nvme0n1/ro", "1");
	tree_expect(GATE_READ_ONLY, "ng0n1");
	tree_text(root, DRIVE "/nvme0n1/ro", "0");
	/* whoever has the character device open may send commands, however it was opened */
	tree_text(root, "proc/4242/comm", "nvme");
	tree_text(root, "proc/4242/fdinfo/3", "flags:\t0100000");
	tree_folder(root, "proc/4242/fd");
	snprintf(path, sizeof(path), "%s/proc/4242/fd/3", root);
	assert_int_equal(symlink("/dev/ng0n1", path), 0);
	tree_expect(GATE_OPEN_ELSEWHERE, "nvme (pid 4242)");
	/* the same for the block device as target */
	tree_target("nvme0n1", BYTES, 0);
	struct stat st;

	assert_int_equal(stat(loop->node, &st), 0);
	target.device = st.st_rdev;
	tree_expect(GATE_OPEN_ELSEWHERE, "ng0n1 is open");
}

static void test_content(void **state)
{
	uint8_t page[4096] = {0};

	(void)state;
	page[1024] = 1;
	page[1028] = 100;
	memcpy(page + 4086, "SWAPSPACE2", 10);
	make();
	const int fd = open(loop->node, O_WRONLY | O_CLOEXEC);

	assert_int_equal(pwrite(fd, page, sizeof(page), 0), (ssize_t)sizeof(page));
	close(fd);
	tree_expect(GATE_SIGNATURE, "swap");
}

/* The node of that name is another device: nothing is known of the content. */
static void test_wrong_sibling(void **state)
{
	char path[300];

	(void)state;
	make();
	snprintf(path, sizeof(path), "%s/dev/nvme0n1", root);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("/dev/zero", path), 0);
	tree_expect(GATE_UNREADABLE, "not the block device");
	assert_int_equal(admit(), -EPERM);
}

/* A format without a block device: nobody can have mounted it. */
static void test_no_sibling(void **state)
{
	char command[400];

	(void)state;
	make();
	snprintf(command, sizeof(command),
		"rm -rf %s/" DRIVE "/nvme0n1 %s/sys/class/block/nvme0n1*", root, root);
	assert_int_equal(system(command), 0);
	if (admit())
		fail_msg("%s", err.text);
	tree_answers(1, 0, 0, 0, 0);
	gate_release(held);
	held = NULL;
	target.io.fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	tree_expect(GATE_WRITE_PROTECTED, "ng0n1");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, tree_setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(test_held), TEST(test_beside), TEST(test_content),
		TEST(test_wrong_sibling), TEST(test_no_sibling)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
