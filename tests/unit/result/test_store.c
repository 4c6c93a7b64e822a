/* The folder of runs: saved, listed, found, loaded; damaged and foreign files in it. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/json.h"
#include "example.h"
#include "result/journal.h"
#include "result/store.h"

static char folder[64];

static int setup(void **state)
{
	(void)state;
	example_folder(folder, sizeof(folder));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	example_remove(folder);
	return 0;
}

static void save(const char *workload, int64_t started, uint64_t seed)
{
	struct run *run = example_run();

	str_copy(run->workload, sizeof(run->workload), workload);
	run->started = started;
	run->seed = seed;
	run_make_id(run);
	assert_int_equal(store_save(folder, run, NULL, 0, NULL), 0);
	run_free(run);
}

static void write_file(const char *name, const char *text)
{
	char path[256];

	str_format(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(file_write_atomic(path, text, strlen(text), NULL), 0);
}

static void test_save_and_list(void **state)
{
	struct store_entry *entries;
	struct run *run = example_run(), *back;
	char path[512];
	size_t count;

	(void)state;
	assert_int_equal(store_save(folder, run, path, sizeof(path), NULL), 0);
	assert_int_equal(access(path, R_OK), 0);
	save("rand-read-4k", run->started + 100, 5);
	save("seq-read-64k", run->started - 100, 5);
	assert_int_equal(store_list(folder, &entries, &count, NULL), 0);
	assert_int_equal(count, 3);
	assert_string_equal(entries[0].workload, "rand-read-4k"); /* newest first */
	assert_string_equal(entries[2].workload, "seq-read-64k");
	assert_string_equal(entries[1].id, run->id);
	assert_string_equal(entries[1].path, path);
	assert_string_equal(entries[1].target, "nvme0n1");
	assert_string_equal(entries[1].model, "FAKE DC 7680");
	assert_string_equal(entries[1].method, "curve");
	assert_true(entries[1].started == run->started && entries[1].ended == run->ended);
	assert_int_equal(entries[1].outcome, RUN_STOPPED);
	assert_int_equal(entries[1].point_count, 3);
	assert_true(entries[1].simulated);
	assert_false(entries[1].partial || entries[1].running);
	/* The peak is point 2, as the analysis has it. */
	assert_true(fabs(entries[1].peak_iops - 999.75 * 30) < 1e-6);
	assert_true(fabs(entries[1].peak_mean_ns - (100000 + 300 + 1)) < 1e-6);
	assert_int_equal(store_load(&entries[1], &back, NULL), 0);
	assert_string_equal(back->id, run->id);
	assert_int_equal(back->point_count, 3);
	run_free(back);
	free(entries);
	run_free(run);
}

/* Without the summary (another writer) the whole document is read. */
static void test_list_without_summary(void **state)
{
	struct store_entry *entries;
	size_t count;

	(void)state;
	write_file("plain.json",
		"{\"schema\":\"nvsweep-run/1\",\"run_id\":\"plain\",\"method\":\"fixed\",\"started\":"
		"\"2026-01-02T03:04:05Z\",\"outcome\":\"complete\",\"points\":[{\"iops\":7}]}");
	assert_int_equal(store_list(folder, &entries, &count, NULL), 0);
	assert_int_equal(count, 1);
	assert_string_equal(entries[0].id, "plain");
	assert_string_equal(entries[0].method, "fixed");
	assert_int_equal(entries[0].point_count, 1);
	assert_string_equal(entries[0].fault, "");
	free(entries);
}

static void test_damaged(void **state)
{
	struct store_entry *entries;
	struct run *run;
	char path[256];
	size_t count, faults = 0;

	(void)state;
	write_file("broken.json", "{\"schema\":\"nvsweep-run/1\",\"summary\":{\"run_id\":\"x");
	write_file("newer.json", "{\"schema\":\"nvsweep-run/9\",\"summary\":{\"run_id\":\"y\"}}");
	write_file("other.json", "[1,2,3]");
	write_file("empty.json", "");
	write_file("cut.journal", "{\"schema\":\"nvsweep-jour");
	write_file("notes.txt", "not ours");
	write_file(".hidden.json", "{}");
	str_format(path, sizeof(path), "%s/folder.json", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	str_format(path, sizeof(path), "%s/fifo.json", folder);
	assert_int_equal(mkfifo(path, 0600), 0); /* must not hang */
	assert_int_equal(store_list(folder, &entries, &count, NULL), 0);
	assert_int_equal(count, 7);
	for (size_t i = 0; i < count; i++) {
		faults += entries[i].fault[0] != '\0';
		assert_true(entries[i].id[0]);
		assert_int_not_equal(store_load(&entries[i], &run, NULL), 0);
	}
	assert_int_equal(faults, 7);
	free(entries);
}

static void test_missing_folder(void **state)
{
	struct store_entry *entries, entry;
	struct err err;
	size_t count = 9;

	(void)state;
	assert_int_equal(store_list("/nonexistent/runs", &entries, &count, NULL), 0);
	assert_int_equal(count, 0);
	err_clear(&err);
	assert_int_equal(store_find("/nonexistent/runs", "last", &entry, &err), -ENOENT);
	assert_int_equal(err.exit, ERR_EXIT_USAGE);
}

static void test_find(void **state)
{
	struct store_entry entry;
	struct err err;
	char almost[48];

	(void)state;
	save("rand-read-4k", 1796047742, 5);
	save("rand-read-4k", 1796051342, 5);
	save("seq-read-64k", 1764511742, 5);
	assert_int_equal(store_find(folder, "last", &entry, NULL), 0);
	assert_true(entry.started == 1796051342);
	assert_int_equal(store_find(folder, "2026-11-30T14", &entry, NULL), 0);
	assert_true(entry.started == 1796047742);
	assert_int_equal(store_find(folder, entry.id, &entry, NULL), 0);
	err_clear(&err);
	assert_int_equal(store_find(folder, "2026", &entry, &err), -EINVAL);
	assert_non_null(strstr(err.text, "2 runs"));
	assert_int_equal(err.exit, ERR_EXIT_USAGE);
	str_copy(almost, sizeof(almost), entry.id);
	almost[3] = '7'; /* 2027-... */
	assert_int_equal(store_find(folder, almost, &entry, &err), -ENOENT);
	assert_non_null(strstr(err.text, entry.id));
	assert_int_equal(store_find(folder, "", &entry, &err), -ENOENT);
}

/* A saved run's journal that could not be removed is not listed a second time. */
static void test_journal_beside_result(void **state)
{
	struct run *run = example_run();
	struct store_entry *entries;
	struct journal *journal;
	size_t count;

	(void)state;
	assert_int_equal(journal_open(folder, run, &journal, NULL), 0);
	journal_close(journal, true);
	assert_int_equal(store_save(folder, run, NULL, 0, NULL), 0);
	assert_int_equal(store_list(folder, &entries, &count, NULL), 0);
	assert_int_equal(count, 1);
	assert_false(entries[0].partial);
	free(entries);
	run_free(run);
}

static size_t files_in(const char *path)
{
	char command[200], line[32] = "";
	FILE *list;

	str_format(command, sizeof(command), "ls -A '%s' | wc -l", path);
	list = popen(command, "re");
	assert_non_null(list);
	assert_non_null(fgets(line, sizeof(line), list));
	pclose(list);
	return (size_t)atol(line);
}

/* No room: a sentence with the file's name, and nothing half-written. */
static void test_no_room(void **state)
{
	struct run *run = example_run();
	struct rlimit limit, old;
	struct err err;
	char path[512] = "x";

	(void)state;
	getrlimit(RLIMIT_FSIZE, &old);
	limit = (struct rlimit){1000, old.rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	err_clear(&err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	const int rc = store_save(folder, run, path, sizeof(path), &err);

	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(rc, -EFBIG);
	assert_non_null(strstr(err.text, run->id));
	assert_string_equal(path, "");
	assert_int_equal(files_in(folder), 0);
	run_free(run);
}

static void test_export(void **state)
{
	struct run *run = example_run(), *back;
	struct store_entry entry = {0};
	struct err err;

	(void)state;
	str_format(entry.path, sizeof(entry.path), "%s/out.json", folder);
	assert_int_equal(store_export(run, entry.path, NULL), 0);
	assert_int_equal(store_load(&entry, &back, NULL), 0);
	assert_string_equal(back->id, run->id);
	run_free(back);
	err_clear(&err);
	assert_int_not_equal(store_export(run, "/nonexistent/x.json", &err), 0);
	assert_non_null(strstr(err.text, "/nonexistent"));
	run_free(run);
}

static void test_folder_names(void **state)
{
	char buf[512], configured[256];

	(void)state;
	str_format(configured, sizeof(configured), "%s/a/b", folder);
	assert_int_equal(store_folder(configured, buf, sizeof(buf), NULL), 0);
	assert_string_equal(buf, configured);
	assert_int_equal(access(buf, W_OK), 0);
	setenv("XDG_STATE_HOME", folder, 1);
	unsetenv("SUDO_UID");
	assert_int_equal(store_folder("", buf, sizeof(buf), NULL), 0);
	str_format(configured, sizeof(configured), "%s/nvsweep/runs", folder);
	assert_string_equal(buf, configured);
	unsetenv("XDG_STATE_HOME");
	assert_int_not_equal(store_folder("/proc/nope/x", buf, sizeof(buf), NULL), 0);
}

#define EACH(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(test_save_and_list),
		EACH(test_list_without_summary),
		EACH(test_damaged),
		EACH(test_missing_folder),
		EACH(test_find),
		EACH(test_journal_beside_result),
		EACH(test_no_room),
		EACH(test_export),
		EACH(test_folder_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
