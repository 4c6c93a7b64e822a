/* Journals: recovered whole, cut at every byte, left behind by a killed process, on a full disk. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "example.h"
#include "result/journal.h"
#include "result/store.h"

#define INTERVALS 7 /* of the example */

/* Writes what a runner would: a search with its intervals, two points, one unfinished. */
static void write_journal(struct journal *journal, const struct run *run)
{
	for (size_t i = 0; i < INTERVALS; i++) {
		assert_int_equal(journal_interval(journal, series_at(run->series, i), NULL), 0);
		if (i == 1)
			assert_int_equal(journal_point(journal, &run->searches[0], true, NULL), 0);
		if (i == 3)
			assert_int_equal(journal_point(journal, &run->points[0], false, NULL), 0);
		if (i == 4)
			assert_int_equal(journal_point(journal, &run->points[1], false, NULL), 0);
	}
}

static void path_of(const char *folder, const struct run *run, char *buf, size_t size)
{
	str_format(buf, size, "%s/%s.journal", folder, run->id);
}

static void test_recover(void **state)
{
	struct run *run = example_run(), *back = NULL;
	char folder[64], path[256];
	struct journal *journal;
	struct err err;

	(void)state;
	example_folder(folder, sizeof(folder));
	path_of(folder, run, path, sizeof(path));
	assert_int_equal(journal_open(folder, run, &journal, NULL), 0);
	write_journal(journal, run);
	/* While it is open in a live process it counts as running. */
	err_clear(&err);
	assert_int_equal(journal_recover(path, &back, &err), -EBUSY);
	assert_non_null(back);
	assert_int_equal(back->outcome, RUN_RUNNING);
	run_free(back);
	journal_close(journal, true);

	assert_int_equal(journal_recover(path, &back, &err), 0);
	assert_int_equal(back->outcome, RUN_ABORTED);
	assert_string_equal(back->reason, "the program ended while the test ran");
	assert_string_equal(back->id, run->id);
	assert_string_equal(back->workload_text, run->workload_text);
	assert_int_equal(back->target_count, 2);
	assert_int_equal(back->search_count, 1);
	assert_true(back->has_maximum);
	/* What was known to spoil it when it began spoils what is left of it. */
	assert_int_equal(back->spoiled_count, 2);
	assert_string_equal(back->spoiled_by[0], "buffered I/O");
	assert_int_equal(back->point_count, 2);
	assert_int_equal(back->points[1].histogram_count, 2);
	assert_int_equal(series_count(back->series), INTERVALS);
	assert_int_equal(series_at(back->series, 3)->reads, 3000);
	assert_true(back->has_analysis);
	assert_int_equal(back->analysis.peak, 1);
	run_free(back);

	/* The same name is never taken twice. */
	assert_int_equal(journal_open(folder, run, &journal, &err), -EEXIST);
	run_free(run);
	example_remove(folder);
}

static void test_removed_when_saved(void **state)
{
	struct run *run = example_run();
	char folder[64], path[256];
	struct journal *journal;

	(void)state;
	example_folder(folder, sizeof(folder));
	path_of(folder, run, path, sizeof(path));
	assert_int_equal(journal_open(folder, run, &journal, NULL), 0);
	assert_int_equal(access(path, F_OK), 0);
	journal_close(journal, false);
	assert_int_equal(access(path, F_OK), -1);
	run_free(run);
	example_remove(folder);
}

static void put(const char *path, const char *text, size_t length)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, length), (ssize_t)length);
	close(fd);
}

/* Whatever byte the file ends with, what was written whole before it comes back. */
static void test_cut_everywhere(void **state)
{
	struct run *run = example_run(), *back;
	char folder[64], path[256], *text;
	struct journal *journal;
	size_t length, header, tail;

	(void)state;
	example_folder(folder, sizeof(folder));
	path_of(folder, run, path, sizeof(path));
	assert_int_equal(journal_open(folder, run, &journal, NULL), 0);
	assert_int_equal(journal_interval(journal, series_at(run->series, 2), NULL), 0);
	assert_int_equal(journal_point(journal, &run->points[0], false, NULL), 0);
	assert_int_equal(journal_interval(journal, series_at(run->series, 4), NULL), 0);
	journal_close(journal, true);
	assert_int_equal(file_read(path, 1 << 20, &text, &length, NULL), 0);
	header = (size_t)(strchr(text, '\n') + 1 - text);
	tail = (size_t)(strchr(text + header, '\n') + 1 - text); /* the point and an interval */
	for (size_t cut = length; cut >= tail; cut--) {
		size_t lines = 0;

		for (size_t i = 0; i < cut; i++)
			lines += text[i] == '\n';
		assert_int_equal(truncate(path, (off_t)cut), 0);
		assert_int_equal(journal_recover(path, &back, NULL), 0);
		assert_int_equal(back->point_count, lines >= 3);
		assert_false(back->has_maximum);
		assert_int_equal(series_count(back->series), lines == 4 ? 2 : 1);
		run_free(back);
	}
	/* In the header nothing can be told. */
	for (size_t cut = 0; cut < header; cut += 97) {
		struct err err;

		err_clear(&err);
		put(path, text, cut);
		assert_int_equal(journal_recover(path, &back, &err), -EINVAL);
		assert_null(back);
		assert_non_null(strstr(err.text, ".journal"));
	}
	/* A damaged line ends the reading; what stands before is kept, and it is said. */
	text[tail] = '!';
	put(path, text, length);
	assert_int_equal(journal_recover(path, &back, NULL), 0);
	assert_non_null(strstr(back->reason, "damaged"));
	assert_int_equal(series_count(back->series), 1);
	assert_int_equal(back->point_count, 0);
	run_free(back);
	free(text);
	run_free(run);
	example_remove(folder);
}

/* A process that journals is killed: its run is listed as partial and can be loaded. */
static void test_kill_nine(void **state)
{
	struct run *run = example_run(), *back = NULL;
	struct store_entry *entries;
	char folder[64], byte;
	int ready[2], status;
	size_t count;

	(void)state;
	example_folder(folder, sizeof(folder));
	assert_int_equal(pipe(ready), 0);
	const pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		struct journal *journal;

		if (journal_open(folder, run, &journal, NULL))
			_exit(1);
		write_journal(journal, run);
		if (write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	/* Alive: running, not partial. */
	assert_int_equal(store_list(folder, &entries, &count, NULL), 0);
	assert_int_equal(count, 1);
	assert_true(entries[0].running);
	assert_false(entries[0].partial);
	free(entries);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));

	assert_int_equal(store_list(folder, &entries, &count, NULL), 0);
	assert_int_equal(count, 1);
	assert_false(entries[0].running);
	assert_true(entries[0].partial);
	assert_int_equal(entries[0].outcome, RUN_ABORTED);
	assert_int_equal(entries[0].point_count, 2);
	assert_string_equal(entries[0].fault, "");
	assert_int_equal(store_load(&entries[0], &back, NULL), 0);
	assert_int_equal(back->point_count, 2);
	assert_int_equal(series_count(back->series), INTERVALS);
	run_free(back);
	free(entries);
	run_free(run);
	example_remove(folder);
}

/* A file that may not grow stands for the full disk: the line that did not fit leaves no trace,
 * and later ones are written again when there is room. */
static void test_no_room(void **state)
{
	struct run *run = example_run(), *back;
	char folder[64], path[256];
	struct rlimit limit, old;
	struct journal *journal;
	struct stat st;
	struct err err;

	(void)state;
	example_folder(folder, sizeof(folder));
	path_of(folder, run, path, sizeof(path));
	assert_int_equal(journal_open(folder, run, &journal, NULL), 0);
	assert_int_equal(journal_interval(journal, series_at(run->series, 0), NULL), 0);
	assert_int_equal(stat(path, &st), 0);
	getrlimit(RLIMIT_FSIZE, &old);
	limit = (struct rlimit){(rlim_t)st.st_size + 100, old.rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	err_clear(&err);
	assert_int_equal(journal_interval(journal, series_at(run->series, 1), &err), -EFBIG);
	assert_non_null(strstr(err.text, path));
	assert_int_equal(journal_point(journal, &run->points[0], false, &err), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(journal_interval(journal, series_at(run->series, 2), NULL), 0);
	journal_close(journal, true);
	assert_int_equal(journal_recover(path, &back, NULL), 0);
	assert_int_equal(series_count(back->series), 2);
	assert_string_equal(back->reason, "the program ended while the test ran");
	run_free(back);
	run_free(run);
	example_remove(folder);
}

static void test_no_folder(void **state)
{
	struct run *run = example_run();
	struct journal *journal;
	struct err err;

	(void)state;
	err_clear(&err);
	assert_int_equal(journal_open("/nonexistent/folder", run, &journal, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent/folder"));
	assert_null(journal);
	run_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recover),
		cmocka_unit_test(test_removed_when_saved),
		cmocka_unit_test(test_cut_everywhere),
		cmocka_unit_test(test_kill_nine),
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_no_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
