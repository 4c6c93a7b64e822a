/* What the tests of the gate share: one target, its admission, and what was said. */
#ifndef TESTS_SWEEP_GATE_LAB_H
#define TESTS_SWEEP_GATE_LAB_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "folder.h"
#include "loop_device.h"
#include "sweep/gate.h"
#include "sweep/scratch.h"

#define MIB ((uint64_t)1 << 20)
#define BYTES (8 * MIB)

static struct options options;
static struct sweep_target target;
static struct gate_sources sources;
static struct gate_report report;
static struct gate_lock *held;
static struct err err;
static pid_t child;

static inline int lab_setup(void **state)
{
	options_defaults(&options);
	err_clear(&err);
	sources = (struct gate_sources){.root = ""};
	target.io.fd = -1;
	held = NULL;
	child = 0;
	return folder_make(state);
}

static inline void lab_close(void)
{
	gate_release(held);
	held = NULL;
	sweep_target_close(&target);
}

static inline void lab_end_child(void)
{
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	child = 0;
}

static inline int lab_teardown(void **state)
{
	lab_close();
	lab_end_child();
	loop_detach_all();
	return folder_remove(state);
}

/* An empty file of BYTES. */
static inline char *lab_file(const char *name)
{
	char *path = folder_path(name);
	const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)BYTES), 0);
	close(fd);
	return path;
}

static inline struct loop_device *lab_loop(const char *name)
{
	return loop_attach(lab_file(name), 0);
}

static inline void lab_open(const char *name)
{
	lab_close();
	err_clear(&err);
	if (sweep_target_open(name, NULL, &options, &target, &err))
		fail_msg("%s", err.text);
}

/* Asks for all of the target; word: --write=WORD; "" is --write; NULL is nothing. */
static inline int lab_admit(const char *word)
{
	struct gate_consent consent = {.write = word != NULL};

	gate_release(held);
	held = NULL;
	if (word && word[0])
		str_copy(consent.typed[consent.typed_count++], GATE_IDENTITY_BYTES, word);
	err_clear(&err);
	return gate_admit(&target, &sources, target.io.offset, target.io.length, &consent, &report,
		&held, &err);
}

static inline bool lab_found(enum gate_rule rule)
{
	for (size_t i = 0; i < report.finding_count; i++)
		if (report.findings[i].rule == rule)
			return true;
	return false;
}

/* Refused for this reason, with these words; and nothing is left open or permitted. */
static inline void lab_refused(const char *word, enum gate_rule rule, const char *says)
{
	const int fd = target.io.fd;

	if (!lab_admit(word))
		fail_msg("admitted, although: %s", says);
	assert_int_equal(err.exit, ERR_EXIT_REFUSED);
	if (!lab_found(rule) || !strstr(err.text, says))
		fail_msg("%s expected, \"%s\": %s", gate_rule_name(rule), says, err.text);
	assert_null(held);
	assert_null(target.io.permit);
	assert_int_equal(target.io.fd, fd);
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
}

static inline void lab_admitted(const char *word)
{
	if (lab_admit(word))
		fail_msg("refused: %s", err.text);
	assert_non_null(held);
	assert_non_null(target.io.permit);
	assert_int_equal(fcntl(target.io.fd, F_GETFL) & O_ACCMODE, O_RDWR);
}

/* Another process that does something and stays until lab_end_child. */
static inline void lab_child(bool (*work)(const char *path), const char *path)
{
	int ready[2];
	char answer = 'n';

	assert_int_equal(pipe(ready), 0);
	child = fork();
	if (child == 0) {
		close(ready[0]);
		answer = work(path) ? 'y' : 'n';
		if (write(ready[1], &answer, 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &answer, 1), 1);
	close(ready[0]);
	if (answer != 'y') {
		lab_end_child();
		print_message(
			"skipped: the machine does not allow what another process would do\n");
		skip();
	}
}

#endif
