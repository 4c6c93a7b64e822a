/* Files: reads of odd nodes, atomic writes on a full disk, folders. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/str.h"

static char folder[] = "/tmp/nvsweep-test-XXXXXX";
static char name_buf[8][128];

/* A path below the test's folder; eight are valid at a time. */
static const char *in(const char *name)
{
	static int turn;
	char *buf = name_buf[turn = (turn + 1) % 8];

	str_format(buf, sizeof(name_buf[0]), "%s/%s", folder, name);
	return buf;
}

static int setup(void **state)
{
	(void)state;
	umask(022);
	return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	str_format(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

static void put(const char *path, const void *bytes, size_t length)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, length, f), length);
	assert_int_equal(fclose(f), 0);
}

static void assert_holds(const char *path, const char *expected)
{
	size_t length;
	char *bytes;

	assert_int_equal(file_read(path, 1 << 20, &bytes, &length, NULL), 0);
	assert_string_equal(bytes, expected);
	assert_int_equal(length, strlen(expected));
	free(bytes);
}

static size_t files_in_folder(const char *path)
{
	DIR *dir = opendir(path);
	size_t count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 2;
}

static void whole_reads(void **state)
{
	char *bytes = NULL, big[9000];
	struct err err;
	size_t length;

	(void)state;
	memset(big, 'b', sizeof(big));
	for (size_t n = 0; n < sizeof(big); n = n * 2 + 1) {
		put(in("f"), big, n);
		assert_int_equal(file_read(in("f"), n, &bytes, &length, &err), 0);
		assert_int_equal(length, n);
		assert_int_equal(bytes[n], 0);
		assert_memory_equal(bytes, big, n);
		free(bytes);
		bytes = NULL;
		if (n > 0)
			assert_int_equal(file_read(in("f"), n - 1, &bytes, &length, &err), -EFBIG);
	}
	/* files that do not know their size */
	assert_int_equal(file_read("/proc/self/status", 1 << 20, &bytes, &length, &err), 0);
	assert_true(length > 100 && strlen(bytes) == length);
	free(bytes);
	bytes = NULL;
	assert_int_equal(file_read("/proc/self/status", 50, &bytes, &length, &err), -EFBIG);
	/* a file of /sys says 4096 bytes */
	if (access("/sys/kernel/uevent_seqnum", R_OK) == 0) {
		assert_int_equal(
			file_read("/sys/kernel/uevent_seqnum", 100, &bytes, &length, &err), 0);
		assert_true(length < 100);
		free(bytes);
	}
	bytes = NULL;
	assert_int_equal(file_read(folder, 100, &bytes, &length, &err), -EISDIR);
	assert_int_equal(file_read(in("none"), 100, &bytes, &length, &err), -ENOENT);
	assert_non_null(strstr(err.text, "No such file"));
	assert_int_equal(file_read("/dev/zero", 100, &bytes, &length, &err), -EINVAL);
	/* a FIFO without a writer would block a plain open for ever */
	assert_int_equal(mkfifo(in("fifo"), 0600), 0);
	assert_int_equal(file_read(in("fifo"), 100, &bytes, &length, &err), -EINVAL);
	assert_null(bytes);
}

static void attributes(void **state)
{
	char text[8];

	(void)state;
	put(in("a"), "live \n", 6);
	assert_int_equal(file_read_text(in("a"), text, sizeof(text)), 0);
	assert_string_equal(text, "live");
	put(in("a"), "1234567\n", 8);
	assert_int_equal(file_read_text(in("a"), text, sizeof(text)), 0);
	assert_string_equal(text, "1234567");
	put(in("a"), "12345678\n", 9);
	assert_int_equal(file_read_text(in("a"), text, sizeof(text)), -EFBIG);
	assert_string_equal(text, "");
	put(in("a"), "", 0);
	assert_int_equal(file_read_text(in("a"), text, sizeof(text)), 0);
	assert_string_equal(text, "");
	assert_int_equal(file_read_text(in("none"), text, sizeof(text)), -ENOENT);
}

static void attributes_of_a_folder(void **state)
{
	char text[8], long_name[5000];

	(void)state;
	put(in("a"), "  li\x1b\xffve \0\0\0", 12);
	assert_int_equal(file_attribute_text(folder, "a", text, sizeof(text)), 0);
	assert_string_equal(text, "li??ve");
	put(in("a"), "too long a text", 15);
	assert_int_equal(file_attribute_text(folder, "a", text, sizeof(text)), 0);
	assert_string_equal(text, "too lon");
	assert_int_equal(file_attribute_text(folder, "none", text, sizeof(text)), -ENOENT);
	assert_string_equal(text, "");
	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	assert_int_equal(file_attribute_text(folder, long_name, text, sizeof(text)), -ENAMETOOLONG);
	put(in("a"), " 4096\n", 6);
	assert_true(file_attribute_u64(folder, "a", 7) == 4096);
	put(in("a"), "4096 bytes", 10);
	assert_true(file_attribute_u64(folder, "a", 7) == 7);
	assert_true(file_attribute_u64(folder, "none", 7) == 7);
}

static void atomic_writes(void **state)
{
	struct stat st;
	struct err err = {0};
	char *bytes;
	size_t length;

	(void)state;
	assert_int_equal(mkdir(in("d"), 0755), 0);
	assert_int_equal(file_write_atomic(in("d/f"), "one", 3, &err), 0);
	assert_holds(in("d/f"), "one");
	assert_int_equal(stat(in("d/f"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
	assert_int_equal(chmod(in("d/f"), 0600), 0);
	assert_int_equal(file_write_atomic(in("d/f"), "second", 6, &err), 0);
	assert_holds(in("d/f"), "second");
	assert_int_equal(stat(in("d/f"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	/* a link to the file stays a link */
	assert_int_equal(symlink("f", in("d/link")), 0);
	assert_int_equal(file_write_atomic(in("d/link"), "third", 5, &err), 0);
	assert_int_equal(lstat(in("d/link"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_holds(in("d/f"), "third");
	assert_int_equal(files_in_folder(in("d")), 2);
	assert_int_equal(file_write_atomic(in("d"), "x", 1, &err), -EISDIR);
	assert_int_equal(file_write_atomic(in("none/f"), "x", 1, &err), -ENOENT);
	assert_non_null(strstr(err.text, "none/f"));
	assert_int_equal(file_write_atomic(in("d/f"), "", 0, &err), 0);
	assert_int_equal(file_read(in("d/f"), 10, &bytes, &length, &err), 0);
	assert_int_equal(length, 0);
	free(bytes);
}

static void devices_are_not_replaced(void **state)
{
	struct stat st;
	int ends[2];
	char path[64], got[8] = "";

	(void)state;
	assert_int_equal(file_write_atomic("/dev/null", "x", 1, NULL), 0);
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	assert_int_equal(pipe(ends), 0);
	str_format(path, sizeof(path), "/proc/self/fd/%d", ends[1]);
	assert_int_equal(file_write_atomic(path, "piped", 5, NULL), 0);
	assert_int_equal(read(ends[0], got, sizeof(got)), 5);
	assert_string_equal(got, "piped");
	close(ends[0]);
	close(ends[1]);
	/* standard output that was redirected to a file goes on in that file */
	put(in("out"), "before\n", 7);
	ends[0] = open(in("out"), O_WRONLY);
	str_format(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
	assert_int_equal(file_write_atomic(path, "after\n", 6, NULL), 0);
	close(ends[0]);
	assert_holds(in("out"), "before\nafter\n");
}

/* In a child with a mount namespace of its own: nothing of it is seen or left behind. */
static int full_disk_child(void)
{
	static char big[1 << 20];
	char target[128];
	size_t length;
	char *bytes;
	int code;

	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		mount("tmpfs", in("full"), "tmpfs", 0, "size=64k") < 0)
		return 77;
	str_copy(target, sizeof(target), in("full/f"));
	if (file_write_atomic(target, "old content", 11, NULL) != 0)
		return 1;
	code = file_write_atomic(target, big, sizeof(big), NULL);
	if (code != -ENOSPC)
		return 2;
	if (file_read(target, sizeof(big), &bytes, &length, NULL) != 0 ||
		strcmp(bytes, "old content") != 0)
		return 3;
	free(bytes);
	if (files_in_folder(in("full")) != 1)
		return 4;
	return 0;
}

static void full_disk_leaves_the_old_content(void **state)
{
	int status;
	pid_t child;

	(void)state;
	if (geteuid() != 0) {
		print_message("skipped: mounting a small tmpfs needs root\n");
		skip();
	}
	assert_int_equal(mkdir(in("full"), 0755), 0);
	child = fork();
	if (child == 0)
		_exit(full_disk_child());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77) {
		print_message("skipped: no mount namespace can be made here\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void folders(void **state)
{
	struct err err;
	struct stat st;

	(void)state;
	assert_int_equal(file_make_dirs(in("x/y//z/"), &err), 0);
	assert_int_equal(stat(in("x/y/z"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0755);
	assert_int_equal(file_make_dirs(in("x/y/z"), &err), 0);
	put(in("x/file"), "", 0);
	assert_int_equal(file_make_dirs(in("x/file/z"), &err), -ENOTDIR);
	assert_non_null(strstr(err.text, "x/file"));
	assert_int_equal(file_make_dirs("", &err), -ENOENT);
	assert_int_equal(file_make_dirs("/", &err), 0);
}

static void standard_folders(void **state)
{
	char buf[256], tiny[8];

	(void)state;
	unsetenv("SUDO_UID");
	setenv("HOME", "/home/me", 1);
	unsetenv("XDG_STATE_HOME");
	unsetenv("XDG_CONFIG_HOME");
	assert_int_equal(file_state_dir(buf, sizeof(buf), NULL), 0);
	assert_string_equal(buf, "/home/me/.local/state/nvsweep");
	assert_int_equal(file_config_dir(buf, sizeof(buf), NULL), 0);
	assert_string_equal(buf, "/home/me/.config/nvsweep");
	setenv("XDG_STATE_HOME", "/s", 1);
	assert_int_equal(file_state_dir(buf, sizeof(buf), NULL), 0);
	assert_string_equal(buf, "/s/nvsweep");
	/* relative: ignored, as the standard says */
	setenv("XDG_STATE_HOME", "s", 1);
	assert_int_equal(file_state_dir(buf, sizeof(buf), NULL), 0);
	assert_string_equal(buf, "/home/me/.local/state/nvsweep");
	assert_int_equal(file_state_dir(tiny, sizeof(tiny), NULL), -ENAMETOOLONG);
	unsetenv("XDG_STATE_HOME");
}

/* Under sudo: only what really lies in the caller's home is given away. */
static void files_of_sudo_go_to_the_caller(void **state)
{
	struct stat st;
	char buf[256];
	int fd;

	(void)state;
	if (geteuid() != 0) {
		print_message("skipped: giving files away needs root\n");
		skip();
	}
	/* user 1, daemon, is there on every Debian: its home is /usr/sbin, not ours */
	setenv("SUDO_UID", "1", 1);
	setenv("SUDO_GID", "1", 1);
	fd = open(in("mine"), O_RDWR | O_CREAT, 0600);
	assert_true(fd >= 0);
	file_adopt(fd, "/usr/sbin/claimed");
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_uid, 0);
	close(fd);
	assert_int_equal(file_state_dir(buf, sizeof(buf), NULL), 0);
	assert_string_equal(buf, "/usr/sbin/.local/state/nvsweep");
	/* root does not follow links of the caller */
	put(in("precious"), "keep", 4);
	assert_int_equal(symlink("precious", in("trap")), 0);
	assert_int_equal(file_write_atomic(in("trap"), "new", 3, NULL), 0);
	assert_holds(in("precious"), "keep");
	assert_holds(in("trap"), "new");
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_reads),
		cmocka_unit_test(attributes),
		cmocka_unit_test(attributes_of_a_folder),
		cmocka_unit_test(atomic_writes),
		cmocka_unit_test(devices_are_not_replaced),
		cmocka_unit_test(full_disk_leaves_the_old_content),
		cmocka_unit_test(folders),
		cmocka_unit_test(standard_folders),
		cmocka_unit_test(files_of_sudo_go_to_the_caller),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
