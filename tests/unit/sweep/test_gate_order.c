/* The order of the gate, as the kernel sees it: nothing is opened for writing before all rules have
 * passed, and nothing at all when one of them has not. The admission runs in a program of its own (this
 * one, with arguments) under strace. */
#include "gate_lab.h"

#define LOG_BYTES 4000000

/* --admit TARGET [WORD]: 0 admitted, 3 refused. */
static int admit(int argc, char **argv)
{
	options_defaults(&options);
	sources = (struct gate_sources){.root = ""};
	if (sweep_target_open(argv[2], NULL, &options, &target, &err))
		return 1;
	const int rc = lab_admit(argc > 3 ? argv[3] : NULL);

	gate_release(held);
	sweep_target_close(&target);
	return rc ? 3 : 0;
}

static char *read_log(void)
{
	char *text = calloc(1, LOG_BYTES);
	FILE *file = fopen(folder_path("log"), "re");

	assert_non_null(file);
	assert_true(fread(text, 1, LOG_BYTES - 1, file) > 0);
	fclose(file);
	return text;
}

/* Runs the admission and gives its log. */
static char *trace(const char *name, const char *word, int code)
{
	char self[200], command[900];
	const ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	assert_true(length > 0);
	self[length] = '\0';
	if (system("strace -qq -o /dev/null true >/dev/null 2>&1")) {
		print_message("skipped: strace is not installed, or may not trace here\n");
		skip();
	}
	/* a leak check cannot run in a traced process */
	str_format(command, sizeof(command),
		"ASAN_OPTIONS=detect_leaks=0 strace -qq -f -s 300 -e trace=open,openat,openat2,creat "
		"-o %s %s --admit %s %s%s%s",
		folder_path("log"), self, name, word ? "'" : "", word ? word : "", word ? "'" : "");
	const int status = system(command);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), code);
	return read_log();
}

static char *first_write(char *log)
{
	char *found = NULL;
	const char *const words[] = {"O_RDWR", "O_WRONLY", "O_CREAT", "creat("};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		char *at = strstr(log, words[i]);

		if (at && (!found || at < found))
			found = at;
	}
	return found;
}

static void never(const char *name, const char *word)
{
	char *log = trace(name, word, 3);

	if (first_write(log))
		fail_msg("opened for writing: %.200s", first_write(log));
	free(log);
}

/* The line of the first descriptor for writing has these; what was looked at before it, and after. */
static void order(const char *name, const char *word, const char *flags, const char *const *looks,
	const char *const *again)
{
	char *log = trace(name, word, 0), *write = first_write(log), *end;

	assert_non_null(write);
	end = strchr(write, '\n');
	assert_non_null(end);
	*end = '\0';
	if (!strstr(write, flags))
		fail_msg("%s expected: %s", flags, write);
	for (; *again; again++)
		if (!strstr(end + 1, *again))
			fail_msg("%s is not looked at again", *again);
	*write = '\0';
	for (; *looks; looks++)
		if (!strstr(log, *looks))
			fail_msg("%s is not looked at before", *looks);
	free(log);
}

static void test_device_refused(void **state)
{
	struct loop_device *loop = lab_loop("a");
	char page[4096] = {0};

	(void)state;
	never(loop->node, NULL);
	/* a signature of swap space */
	page[1024] = 1;
	page[1028] = 100;
	memcpy(page + 4086, "SWAPSPACE2", 10);
	const int fd = open(loop->node, O_WRONLY | O_CLOEXEC);

	assert_int_equal(pwrite(fd, page, sizeof(page), 0), (ssize_t)sizeof(page));
	close(fd);
	never(loop->node, "");
	never(loop->node, "FAKE-0001");
	loop_attach(loop->node, 0);
	never(loop->node, loop->name);
}

static void test_device_admitted(void **state)
{
	static const char *const looks[] = {"/proc/self/mountinfo", "/proc/swaps", "/holders",
		"/proc/1/fd", "/sys/class/block", NULL};
	struct loop_device *loop = lab_loop("a");

	(void)state;
	order(loop->node, "", "O_RDWR|O_EXCL", looks, looks);
}

static void test_file_refused(void **state)
{
	(void)state;
	never(lab_file("data.img"), NULL);
	never(folder_path("data.img"), "");
	never(folder_path("data.img"), "data");
}

static void test_file_admitted(void **state)
{
	/* its content is read first; who uses it is asked again */
	static const char *const looks[] = {"/proc/self/fd", "/proc/swaps", "/proc/1/fd",
		"/sys/class/block", NULL},
				 *const *const again = looks + 1;

	(void)state;
	lab_file("data.img");
	order(folder_path("data.img"), "data.img", "O_RDWR", looks, again);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_device_refused, lab_setup, lab_teardown),
		cmocka_unit_test_setup_teardown(test_device_admitted, lab_setup, lab_teardown),
		cmocka_unit_test_setup_teardown(test_file_refused, lab_setup, lab_teardown),
		cmocka_unit_test_setup_teardown(test_file_admitted, lab_setup, lab_teardown),
	};

	if (argc > 2 && !strcmp(argv[1], "--admit"))
		return admit(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
