/* The gate on regular files: nvsweep's own, foreign ones, links, what others do with them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <cmocka.h>

#include "gate_lab.h"
#include "io/permit.h"

static char *make_own(const char *name)
{
	static char path[160]; /* those of folder_path are used again soon */
	bool created;

	str_copy(path, sizeof(path), folder_path(name));
	assert_int_equal(scratch_create(path, MIB, 7, NULL, NULL, &created, &err), 0);
	return path;
}

static void test_own(void **state)
{
	struct stat st;
	char *path = make_own("own");

	(void)state;
	lab_open(path);
	lab_admitted(NULL);
	assert_true(report.own_scratch_file);
	assert_int_equal(report.finding_count, 0);
	assert_int_equal(fstat(target.io.fd, &st), 0);
	assert_int_equal(target.io.permit->device, st.st_dev);
	assert_int_equal(target.io.permit->length, MIB);
	assert_int_equal(gate_recheck(held, &err), 0);
	/* grown or cut, it is not the file that was admitted */
	assert_int_equal(truncate(path, (off_t)MIB / 2), 0);
	assert_int_equal(gate_recheck(held, &err), -ESTALE);
	assert_non_null(strstr(err.text, "size"));
}

/* The permit never goes past the end. */
static void test_past_end(void **state)
{
	const struct gate_consent consent = {.write = true};

	(void)state;
	lab_open(make_own("own"));
	assert_int_equal(
		gate_admit(&target, &sources, 512, MIB, &consent, &report, &held, &err), -EPERM);
	assert_true(lab_found(GATE_EMPTY_RANGE));
	/* cut after it was opened */
	assert_int_equal(truncate(folder_path("own"), 4096), 0);
	lab_refused("", GATE_CHANGED, "size");
}

static void test_foreign(void **state)
{
	(void)state;
	lab_open(lab_file("data.img"));
	lab_refused(NULL, GATE_FOREIGN_FILE, "--write=data.img");
	lab_refused("", GATE_FOREIGN_FILE, "--write=data.img");
	lab_refused("data", GATE_TYPED_WRONG, "data.img");
	assert_string_equal(report.identity, "data.img");
	lab_admitted("data.img");
}

static void test_long_name(void **state)
{
	char name[101], typed_name[64];

	(void)state;
	memset(name, 'n', 100);
	name[100] = '\0';
	str_copy(typed_name, sizeof(typed_name), name);
	lab_open(lab_file(name));
	lab_refused(typed_name, GATE_FOREIGN_FILE, "rename");
}

/* By a link the same file is the same file; a hard link is another name, which nvsweep did not make. */
static void test_links(void **state)
{
	char *path = make_own("own");

	(void)state;
	assert_int_equal(symlink(path, folder_path("symlink")), 0);
	lab_open(folder_path("symlink"));
	lab_admitted(NULL);
	lab_close();
	assert_int_equal(link(path, folder_path("hard")), 0);
	lab_open(folder_path("hard"));
	lab_refused("", GATE_FOREIGN_FILE, "hard");
	lab_close();
	/* another file has the name */
	assert_int_equal(unlink(path), 0);
	lab_file("own");
	lab_open(path);
	lab_refused("", GATE_FOREIGN_FILE, "own");
	/* replaced once it is open: the descriptor's file has no name any more */
	assert_int_equal(unlink(path), 0);
	lab_refused("", GATE_FOREIGN_FILE, "own");
}

/* Its path leads elsewhere by now: to a file that nvsweep made, on what was mounted over the folder. */
static void test_shadowed(void **state)
{
	char place[160], path[200];
	bool created;

	(void)state;
	str_copy(place, sizeof(place), folder_path("d"));
	str_format(path, sizeof(path), "%s/own", place);
	assert_int_equal(mkdir(place, 0700), 0);
	lab_file("d/own");
	assert_int_equal(truncate(path, (off_t)MIB), 0);
	lab_open(path);
	if (mount("none", place, "tmpfs", 0, NULL)) {
		print_message("skipped: no mounts here\n");
		skip();
	}
	const int rc = scratch_create(path, MIB, 7, NULL, NULL, &created, &err);
	const int admitted = lab_admit("");

	umount2(place, MNT_DETACH);
	assert_int_equal(rc, 0);
	assert_int_equal(admitted, -EPERM);
	assert_true(lab_found(GATE_FOREIGN_FILE));
}

/* Somebody made a file system in it. */
static void test_own_with_content(void **state)
{
	char command[300];

	(void)state;
	str_format(command, sizeof(command), "/sbin/mkswap -q %s >/dev/null 2>&1", make_own("own"));
	if (system(command)) {
		print_message("skipped: no mkswap here\n");
		skip();
	}
	lab_open(folder_path("own"));
	lab_refused("", GATE_SIGNATURE, "swap");
	lab_admitted("own");
}

static bool open_for_writing(const char *path)
{
	return open(path, O_WRONLY | O_CLOEXEC) >= 0;
}

static bool open_for_reading(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC) >= 0;
}

/* As virtual machines lock their images: a byte, shared. */
static bool lock_byte(const char *path)
{
	struct flock byte = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 100, .l_len = 1};
	const int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd >= 0 && !fcntl(fd, F_OFD_SETLK, &byte);
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
	char *path = make_own("own"), pid[32];

	(void)state;
	lab_open(path);
	lab_child(open_for_reading, path);
	lab_admitted(NULL);
	lab_close();
	lab_end_child();
	lab_open(path);
	lab_child(open_for_writing, path);
	str_format(pid, sizeof(pid), "(pid %d)", child);
	lab_refused("own", GATE_OPEN_ELSEWHERE, pid);
	lab_end_child();
	lab_child(map_shared, path);
	str_format(pid, sizeof(pid), "(pid %d)", child);
	lab_refused("own", GATE_OPEN_ELSEWHERE, pid);
	lab_end_child();
	lab_child(lock_byte, path);
	str_format(pid, sizeof(pid), "(pid %d)", child);
	lab_refused("own", GATE_BUSY, pid);
}

/* Two runs on one file. */
static void test_twice(void **state)
{
	struct sweep_target other = {.io.fd = -1};
	struct gate_lock *second = NULL;
	const struct gate_consent consent = {.write = true};

	(void)state;
	lab_open(make_own("own"));
	lab_admitted(NULL);
	assert_int_equal(sweep_target_open(folder_path("own"), NULL, &options, &other, &err), 0);
	assert_int_equal(
		gate_admit(&other, &sources, 0, MIB, &consent, NULL, &second, &err), -EBUSY);
	assert_null(second);
	sweep_target_close(&other);
}

/* A file under a loop device: no lock and no O_EXCL sees it. */
static void test_loop(void **state)
{
	char *path = make_own("own");
	struct loop_device *loop = loop_attach(path, 0);

	(void)state;
	lab_open(path);
	lab_refused("own", GATE_LOOP_BACKING, loop->name);
	/* also by another name */
	assert_int_equal(link(path, folder_path("hard")), 0);
	lab_open(folder_path("hard"));
	lab_refused("hard", GATE_LOOP_BACKING, loop->name);
}

static void test_not_storage(void **state)
{
	(void)state;
	if (access("/sys/kernel/mm/transparent_hugepage/enabled", W_OK)) {
		print_message("skipped: no such file that this user may write\n");
		skip();
	}
	lab_open("/sys/kernel/mm/transparent_hugepage/enabled");
	lab_refused("enabled", GATE_NOT_STORAGE, "sysfs");
}

static void test_immutable(void **state)
{
	char *path = make_own("own"), command[300];

	(void)state;
	str_format(command, sizeof(command), "chattr +i %s 2>/dev/null", path);
	if (system(command)) {
		print_message("skipped: no immutable files here\n");
		skip();
	}
	lab_open(path);
	const int rc = lab_admit("");

	str_format(command, sizeof(command), "chattr -i %s", path);
	assert_int_equal(system(command), 0);
	assert_int_equal(rc, -EPERM);
	assert_true(lab_found(GATE_READ_ONLY));
	assert_non_null(strstr(err.text, "lsattr"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_own, lab_setup, lab_teardown),
		cmocka_unit_test_setup_teardown(test_past_end, lab_setup, lab_teardown),
		cmocka_unit_test_setup_teardown(test_foreign, lab_setup, lab_teardown),
		cmocka_unit_test_setup_teardown(test_long_name, lab_setup, lab_teardown),
		cmocka_unit_test_setup_teardown(test_links, lab_setup, lab_teardown),
		cmocka_unit_test_setup_teardown(test_shadowed, lab_setup, lab_teardown),
		cmocka_unit_test_setup_teardown(test_own_with_content, lab_setup, lab_teardown),
		cmocka_unit_test_setup_teardown(test_open_elsewhere, lab_setup, lab_teardown),
		cmocka_unit_test_setup_teardown(test_twice, lab_setup, lab_teardown),
		cmocka_unit_test_setup_teardown(test_loop, lab_setup, lab_teardown),
		cmocka_unit_test_setup_teardown(test_not_storage, lab_setup, lab_teardown),
		cmocka_unit_test_setup_teardown(test_immutable, lab_setup, lab_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
