/* Runs that write, on real files: nothing outside the area changes, whatever the workload and however
 * the run ends; preparation; what no write can overcome. No figure of time is judged. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <cmocka.h>

#include "base/file.h"
#include "folder.h"
#include "result/journal.h"
#include "sweep/runner.h"
#include "sweep/scratch.h"

#define MIB ((uint64_t)1 << 20)
#define FILE_BYTES (12 * MIB)
#define LONG_MS 300000

static struct runner_config config;
static struct workload *workload;
static const char *targets[1];
static struct err err;
static char data_path[160], runs[160];
static unsigned char *before, *after;

static void load_image(unsigned char *into)
{
	const int fd = open(data_path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	for (uint64_t at = 0; at < FILE_BYTES;) {
		const ssize_t n = pread(fd, into + at, FILE_BYTES - at, (off_t)at);

		assert_true(n > 0);
		at += (uint64_t)n;
	}
	close(fd);
}

static int setup(void **state)
{
	bool created;

	if (folder_make(state))
		return -1;
	str_copy(data_path, sizeof(data_path), folder_path("data"));
	str_copy(runs, sizeof(runs), folder_path("runs"));
	err_clear(&err);
	if (scratch_create(data_path, FILE_BYTES, 1, NULL, NULL, &created, NULL))
		return -1;
	before = malloc(FILE_BYTES);
	after = malloc(FILE_BYTES);
	load_image(before);
	targets[0] = data_path;
	config = (struct runner_config){
		.method = "fixed", .targets = targets, .target_count = 1, .runs_folder = runs};
	options_defaults(&config.options);
	config.options.warmup_s = 0.02;
	config.options.point_s = 0.1;
	config.options.offset_bytes = 4 * MIB;
	config.options.area_pct = 34;
	return 0;
}

static int teardown(void **state)
{
	workload_free(workload);
	workload = NULL;
	free(before);
	free(after);
	return folder_remove(state);
}

static void use(const char *name)
{
	workload_free(workload);
	assert_int_equal(workload_load(name, &workload, &err), 0);
	config.workload = workload;
}

static struct runner *start(void)
{
	struct runner *runner;

	err_clear(&err);
	if (runner_start(&config, &runner, &err))
		fail_msg("%s", err.text);
	return runner;
}

static const struct run *finish(struct runner *runner)
{
	assert_int_equal(runner_wait(runner, LONG_MS), 0);
	return runner_run(runner);
}

/* Byte for byte outside; inside something has been written. */
static void only_area_changed(void)
{
	const uint64_t from = 4 * MIB, to = from + FILE_BYTES * 34 / 100 / 4096 * 4096 + 4096;

	load_image(after);
	assert_memory_equal(before, after, from);
	assert_memory_equal(before + to, after + to, FILE_BYTES - to);
	assert_true(memcmp(before + from, after + from, to - from - 4096) != 0);
}

static void test_nothing_outside_the_area(void **state)
{
	struct workload **list;
	size_t count, wrote = 0;

	(void)state;
	/* so many bytes, not so much time: enough for some writes of each, on any machine */
	config.options.bytes = 8 * MIB;
	assert_int_equal(workload_list(&list, &count, NULL, &err), 0);
	for (size_t i = 0; i < count; i++) {
		if (!list[i]->writes)
			continue;
		config.workload = list[i];
		str_copy(config.options.backend, sizeof(config.options.backend),
			wrote++ % 2 ? "sync" : "auto");
		struct runner *runner = start();
		const struct run *run = finish(runner);

		assert_int_equal(run->outcome, RUN_COMPLETE);
		assert_int_equal(run->points[0].errors, 0);
		assert_true(run->points[0].writes > 0);
		assert_true(run->bytes_known && run->write_bytes >= run->points[0].write_bytes);
		runner_destroy(runner);
		only_area_changed();
	}
	assert_true(wrote >= 10);
	workload_list_free(list, count);
}

static void test_prepare_area(void **state)
{
	uint64_t filled = 0;

	(void)state;
	use("rand-read-4k"); /* only the preparation writes */
	str_copy(config.options.prepare, sizeof(config.options.prepare), "area");
	struct runner *runner = start();
	const struct run *run = finish(runner);
	const uint64_t area = run->targets[0].area_length;

	assert_int_equal(run->outcome, RUN_COMPLETE);
	assert_string_equal(run->prepare.fill, "area");
	assert_int_equal(run->prepare.passes_done, 2);
	assert_int_equal(run->prepare.block_bytes, 128 << 10);
	assert_int_equal(run->prepare.bytes, 2 * area);
	assert_int_equal(run->write_bytes, 2 * area);
	assert_true(
		run->prepare.never_written_share > 0.65 && run->prepare.never_written_share < 0.67);
	assert_int_equal(run->point_count, 1);
	assert_int_equal(run->points[0].writes, 0);
	/* its intervals are there and belong to no point */
	for (size_t i = 0; i < series_count(run->series); i++) {
		const struct interval *iv = series_at(run->series, i);

		assert_true(!iv->write_bytes || iv->point == -1);
		filled += iv->write_bytes;
	}
	assert_int_equal(filled, 2 * area);
	runner_destroy(runner);
	only_area_changed();
}

static void test_prepare_device(void **state)
{
	(void)state;
	use("rand-read-4k");
	str_copy(config.options.prepare, sizeof(config.options.prepare), "device");
	config.options.prepare_passes = 1;
	struct runner *runner = start();
	const struct run *run = finish(runner);

	assert_int_equal(run->outcome, RUN_COMPLETE);
	assert_int_equal(run->prepare.bytes, FILE_BYTES);
	assert_true(run->prepare.never_written_share == 0);
	runner_destroy(runner);
	load_image(after);
	for (uint64_t at = 0; at < FILE_BYTES; at += 4096)
		assert_true(memcmp(before + at, after + at, 4096) != 0);
}

/* Also of a preparation alone the gate wants to know. */
static void test_prepare_is_a_write(void **state)
{
	struct runner *runner;

	(void)state;
	use("rand-read-4k");
	str_copy(config.options.prepare, sizeof(config.options.prepare), "area");
	targets[0] = folder_path("foreign");
	assert_int_equal(file_write_atomic(targets[0], (char *)before, 8 * MIB, NULL), 0);
	assert_true(runner_start(&config, &runner, &err) < 0);
	assert_int_equal(err.exit, ERR_EXIT_REFUSED);
	assert_int_equal(access(runs, F_OK), -1);
}

/* Stopped in the middle of a pass. */
static void test_prepare_stopped(void **state)
{
	(void)state;
	use("rand-read-4k");
	str_copy(config.options.prepare, sizeof(config.options.prepare), "area");
	config.options.prepare_passes = 16;
	struct runner *runner = start();

	runner_stop(runner, "by the test");
	const struct run *run = finish(runner);

	assert_int_equal(run->outcome, RUN_STOPPED);
	assert_true(run->prepare.passes_done < 16);
	assert_int_equal(run->point_count, 0);
	runner_destroy(runner);
}

/* Beyond the largest size that a file may have here: aborted, said, saved. */
static void test_refused_by_the_system(void **state)
{
	const struct rlimit limit = {6 * MIB, 6 * MIB};
	struct rlimit old;

	(void)state;
	use("rand-write-4k");
	config.options.point_s = 30;
	str_copy(config.options.backend, sizeof(config.options.backend), "sync");
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	signal(SIGXFSZ, SIG_IGN);
	const struct rlimit lower = {limit.rlim_cur, old.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &lower), 0);
	struct runner *runner = start();
	const struct run *run = finish(runner);

	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(run->outcome, RUN_ABORTED);
	assert_non_null(strstr(run->reason, "largest size of a file"));
	runner_destroy(runner);
	only_area_changed();
}

/* ---- killed ---------------------------------------------------------------------------------- */

static bool find_journal(char *path, size_t size)
{
	DIR *dir = opendir(runs);
	bool found = false;

	for (struct dirent *entry; dir && !found && (entry = readdir(dir));) {
		found = strstr(entry->d_name, ".journal") != NULL;
		if (found)
			str_format(path, size, "%s/%s", runs, entry->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

static bool has_interval(const char *path)
{
	char *text;
	size_t length;

	if (file_read(path, MIB, &text, &length, NULL))
		return false;
	const bool found = strstr(text, "\"interval\"") != NULL;

	free(text);
	return found;
}

static void test_killed(void **state)
{
	const struct timespec moment = {.tv_nsec = 10000000};
	char journal[512];
	struct run *run;
	int status;

	(void)state;
	use("mix-4k-70r");
	config.options.point_s = 600;
	const pid_t child = fork();

	assert_true(child >= 0);
	if (!child) {
		struct runner *runner;

		if (runner_start(&config, &runner, NULL))
			_exit(1);
		runner_wait(runner, LONG_MS);
		_exit(2);
	}
	while (!find_journal(journal, sizeof(journal)) || !has_interval(journal)) {
		assert_int_equal(waitpid(child, &status, WNOHANG), 0);
		nanosleep(&moment, NULL);
	}
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	only_area_changed();
	assert_int_equal(journal_recover(journal, &run, &err), 0);
	assert_int_equal(run->outcome, RUN_ABORTED);
	assert_true(series_count(run->series) > 0);
	assert_true(run->bytes_known && run->write_bytes > 0);
	run_free(run);
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(test_killed), /* first: the child must be the only thread */
		EACH(test_nothing_outside_the_area),
		EACH(test_prepare_area),
		EACH(test_prepare_device),
		EACH(test_prepare_is_a_write),
		EACH(test_prepare_stopped),
		EACH(test_refused_by_the_system),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
