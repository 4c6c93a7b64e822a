/* Scratch files: whole, incompressible, remembered; nothing foreign is touched, nothing is left
 * behind half-made. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "base/file.h"
#include "folder.h"
#include "sweep/scratch.h"

#define SIZE ((uint64_t)9 << 20 | 777) /* two chunks and an odd end */

static uint64_t seen;

static bool watch(void *user, uint64_t done, uint64_t total)
{
	const uint64_t *stop_at = user;

	assert_true(done <= total && done > seen);
	seen = done;
	return !stop_at || done < *stop_at;
}

static void test_create(void **state)
{
	char *path = folder_path("data"), *bytes;
	unsigned counts[256] = {0};
	struct stat st;
	size_t length;
	bool created = false;

	(void)state;
	seen = 0;
	assert_int_equal(scratch_create(path, SIZE, 42, watch, NULL, &created, NULL), 0);
	assert_true(created);
	assert_true(seen == SIZE);
	assert_int_equal(stat(path, &st), 0);
	assert_true((uint64_t)st.st_size == SIZE);
	/* Really written: no holes. */
	assert_true((uint64_t)st.st_blocks * 512 >= SIZE);
	assert_int_equal(file_read(path, 16 << 20, &bytes, &length, NULL), 0);
	assert_int_equal(length, SIZE);
	/* All byte values alike: nothing to compress. 36,866 each, sd 192. */
	for (size_t i = 0; i < length; i++)
		counts[(uint8_t)bytes[i]]++;
	for (int i = 0; i < 256; i++)
		assert_in_range(counts[i], 36000, 38000);
	/* No two blocks alike: nothing to deduplicate. */
	for (size_t i = 4096; i + 4096 <= length; i += 4096)
		assert_int_not_equal(memcmp(bytes, bytes + i, 4096), 0);
	free(bytes);
	assert_true(scratch_is_ours(path));
}

static void test_reuse(void **state)
{
	char *path = folder_path("data");
	struct err err;
	bool created;

	(void)state;
	assert_int_equal(scratch_create(path, 65536, 1, NULL, NULL, &created, NULL), 0);
	assert_true(created);
	assert_int_equal(scratch_create(path, 65536, 1, NULL, NULL, &created, NULL), 0);
	assert_false(created);
	assert_int_equal(scratch_create(path, 4096, 1, NULL, NULL, &created, NULL), 0);
	assert_false(created);
	err_clear(&err);
	assert_int_equal(scratch_create(path, 65537, 1, NULL, NULL, &created, &err), -EEXIST);
	assert_non_null(strstr(err.text, path));
	/* Also by another way to the same file. */
	char *other = folder_path("../");

	str_append(other, 160, "%s/data", strrchr(folder, '/') + 1);
	assert_true(scratch_is_ours(other));
}

static void test_foreign(void **state)
{
	char *path = folder_path("mine"), *link = folder_path("link"), *bytes;
	struct err err;
	size_t length;
	bool created = true;

	(void)state;
	err_clear(&err);
	assert_int_equal(file_write_atomic(path, "precious", 8, NULL), 0);
	assert_int_equal(scratch_create(path, 4, 1, NULL, NULL, &created, &err), -EEXIST);
	assert_int_equal(err.exit, ERR_EXIT_REFUSED);
	assert_false(created);
	assert_false(scratch_is_ours(path));
	assert_int_equal(file_read(path, 100, &bytes, &length, NULL), 0);
	assert_string_equal(bytes, "precious");
	free(bytes);
	/* A link that leads nowhere is not followed either. */
	assert_int_equal(symlink(folder_path("nowhere"), link), 0);
	assert_int_equal(scratch_create(link, 4, 1, NULL, NULL, &created, &err), -EEXIST);
	assert_int_equal(access(folder_path("nowhere"), F_OK), -1);
}

/* Another file under a name that nvsweep once made is foreign. */
static void test_replaced(void **state)
{
	char *path = folder_path("data");
	bool created;

	(void)state;
	assert_int_equal(scratch_create(path, 65536, 1, NULL, NULL, &created, NULL), 0);
	/* Kept open so that the file system cannot give the inode out again. */
	const int held = open(path, O_RDONLY);

	assert_int_equal(unlink(path), 0);
	assert_int_equal(file_write_atomic(path, "other", 5, NULL), 0);
	assert_false(scratch_is_ours(path));
	assert_int_equal(scratch_create(path, 4, 1, NULL, NULL, &created, NULL), -EEXIST);
	close(held);
	assert_false(scratch_is_ours(folder_path("never")));
}

static void test_cancel(void **state)
{
	char *path = folder_path("data");
	uint64_t stop_at = 1;
	struct err err;
	bool created = true;

	(void)state;
	err_clear(&err);
	seen = 0;
	assert_int_equal(
		scratch_create(path, SIZE, 1, watch, &stop_at, &created, &err), -ECANCELED);
	assert_false(created);
	assert_int_equal(access(path, F_OK), -1);
	assert_true(err.text[0]);
}

static void test_no_room(void **state)
{
	char *path = folder_path("data");
	struct rlimit limit = {1 << 20, RLIM_INFINITY}, old;
	struct err err;
	bool created = true;

	(void)state;
	err_clear(&err);
	/* More than any disk has. */
	assert_int_equal(
		scratch_create(path, UINT64_C(1) << 60, 1, NULL, NULL, &created, &err), -ENOSPC);
	assert_non_null(strstr(err.text, "free"));
	assert_int_equal(access(path, F_OK), -1);
	/* A file that may not grow stands for a disk that fills up on the way. */
	getrlimit(RLIMIT_FSIZE, &old);
	limit.rlim_max = old.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	const int rc = scratch_create(path, SIZE, 1, NULL, NULL, &created, &err);

	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(rc, -EFBIG);
	assert_int_equal(access(path, F_OK), -1);
	assert_non_null(strstr(err.text, "removed"));
}

static void test_bad_asks(void **state)
{
	struct err err;
	bool created;

	(void)state;
	err_clear(&err);
	assert_int_equal(
		scratch_create(folder_path("x"), 0, 1, NULL, NULL, &created, &err), -EINVAL);
	assert_int_equal(err.exit, ERR_EXIT_USAGE);
	assert_int_equal(
		scratch_create("/nonexistent/x", 1, 1, NULL, NULL, &created, &err), -ENOENT);
	assert_int_equal(scratch_create(folder, 1, 1, NULL, NULL, &created, &err), -EEXIST);
}

/* A registry with damage in it still knows the whole lines. */
static void test_damaged_registry(void **state)
{
	char *path = folder_path("data"), *registry = folder_path("nvsweep/scratch.jsonl"), *bytes;
	struct strbuf text = {0};
	size_t length;
	bool created;

	(void)state;
	assert_int_equal(scratch_create(path, 4096, 1, NULL, NULL, &created, NULL), 0);
	assert_int_equal(file_read(registry, 1 << 20, &bytes, &length, NULL), 0);
	strbuf_addf(&text, "{\"path\":\nrubbish\n[]\n%s{\"pa", bytes);
	free(bytes);
	assert_int_equal(file_write_atomic(registry, text.text, text.length, NULL), 0);
	strbuf_free(&text);
	assert_true(scratch_is_ours(path));
	/* And another one is added without joining the cut line. */
	assert_int_equal(
		scratch_create(folder_path("two"), 4096, 1, NULL, NULL, &created, NULL), 0);
	assert_true(scratch_is_ours(folder_path("two")));
	assert_true(scratch_is_ours(path));
	/* What is gone is forgotten with the next one. */
	assert_int_equal(unlink(folder_path("two")), 0);
	assert_int_equal(
		scratch_create(folder_path("three"), 4096, 1, NULL, NULL, &created, NULL), 0);
	assert_int_equal(file_read(registry, 1 << 20, &bytes, &length, NULL), 0);
	assert_null(strstr(bytes, "two\""));
	assert_non_null(strstr(bytes, "data\""));
	assert_non_null(strstr(bytes, "three\""));
	free(bytes);
}

#define EACH(f) cmocka_unit_test_setup_teardown(f, folder_make, folder_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(test_create),
		EACH(test_reuse),
		EACH(test_foreign),
		EACH(test_replaced),
		EACH(test_cancel),
		EACH(test_no_room),
		EACH(test_bad_asks),
		EACH(test_damaged_registry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
