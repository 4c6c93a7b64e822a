/* The guard process against real processes, signals and a pseudo terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>

#include "app/guard.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif
#define CRASH_EXIT 7
#define RESTORE "[restored]"

/* The child's part; tells the test what it sees through fd. */
typedef int body(int fd);

/* Starts a guard whose child runs the body; *fd gets what the child writes. */
static pid_t start(enum guard_mode mode, body *run, int terminal, int *fd)
{
	const struct guard_config config = {.mode = mode,
		.crash_exit = CRASH_EXIT,
		.restore = RESTORE,
		.restore_length = strlen(RESTORE)};
	int fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	fflush(NULL);

	const pid_t guard = fork();

	assert_true(guard >= 0);
	if (guard == 0) {
		if (terminal >= 0) {
			setsid();
			login_tty(terminal);
		} else {
			setpgid(0, 0); /* as a shell does: so that ^Z is not for the test */
			close(0);
			open("/dev/null", O_RDWR);
		}
		signal(SIGSEGV, SIG_DFL); /* not the handler of the test program */
		close(2);                 /* what guards say of crashes */
		open("/dev/null", O_RDWR);
		alarm(60);
		if (guard_start(&config, NULL))
			_exit(99);
		guard_end(run(fds[1]));
	}
	close(fds[1]);
	*fd = fds[0];
	return guard;
}

static int wait_for(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	return status;
}

/* The child's process id, which it writes first. */
static pid_t child_of(int fd)
{
	pid_t pid = 0;

	assert_int_equal(read(fd, &pid, sizeof(pid)), sizeof(pid));
	return pid;
}

static void tell_pid(int fd)
{
	const pid_t pid = getpid();

	if (write(fd, &pid, sizeof(pid)) < 0)
		_exit(98);
}

/* Returns the next signal that the child takes from its signalfd. */
static int next_signal(void)
{
	struct signalfd_siginfo info;
	const int signals = guard_signal_fd(NULL);
	struct pollfd wait = {.fd = signals, .events = POLLIN};

	poll(&wait, 1, 30000);
	if (read(signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return 0;
	return (int)info.ssi_signo;
}

static int body_code(int fd)
{
	(void)fd;
	return 42;
}

static void exit_code_comes_through(void **state)
{
	int fd;

	(void)state;
	for (int mode = GUARD_COMMAND; mode <= GUARD_TERMINAL; mode++) {
		const int status = wait_for(start((enum guard_mode)mode, body_code, -1, &fd));

		close(fd);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 42);
	}
}

static int body_killed(int fd)
{
	(void)fd;
	kill(getpid(), SIGKILL);
	return 0;
}

static void crash_gives_the_crash_code(void **state)
{
	int fd;
	const int status = wait_for(start(GUARD_RUN, body_killed, -1, &fd));

	(void)state;
	close(fd);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), CRASH_EXIT);
}

static int body_sleeps(int fd)
{
	tell_pid(fd);
	while (pause() < 0)
		continue;
	return 0;
}

static void command_dies_of_the_signal(void **state)
{
	int fd;
	const pid_t guard = start(GUARD_COMMAND, body_sleeps, -1, &fd);

	(void)state;
	child_of(fd);
	kill(guard, SIGTERM);

	const int status = wait_for(guard);

	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
	close(fd);
}

static int body_deaf(int fd)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	return body_sleeps(fd);
}

/* As a child that hangs in a drive: no signal ends it, the command ends nevertheless. */
static void command_leaves_a_child_that_hangs(void **state)
{
	int fd;
	const pid_t guard = start(GUARD_COMMAND, body_deaf, -1, &fd);
	const pid_t child = child_of(fd);

	(void)state;
	kill(guard, SIGINT);

	const int status = wait_for(guard);

	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGINT);
	assert_int_equal(kill(child, 0), 0); /* it does still hang */
	kill(child, SIGKILL);
	close(fd);
}

static int body_stops_orderly(int fd)
{
	tell_pid(fd);
	return next_signal() == SIGTERM ? 4 : 1;
}

static void run_reads_its_signals(void **state)
{
	int fd;
	const pid_t guard = start(GUARD_RUN, body_stops_orderly, -1, &fd);

	(void)state;
	child_of(fd);
	kill(guard, SIGTERM);

	const int status = wait_for(guard);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 4);
	close(fd);
}

static int body_tells_signal(int fd)
{
	tell_pid(fd);

	const int number = next_signal();

	return write(fd, &number, sizeof(number)) < 0;
}

static void child_notices_a_killed_guard(void **state)
{
	static const int kills[] = {SIGKILL, SIGSEGV};
	int fd, number = 0;

	(void)state;
	for (int i = 0; i < 2; i++) {
		const pid_t guard = start(GUARD_TERMINAL, body_tells_signal, -1, &fd);

		child_of(fd);
		kill(guard, kills[i]);
		wait_for(guard);
		assert_int_equal(read(fd, &number, sizeof(number)), sizeof(number));
		assert_int_equal(number, SIGTERM);
		close(fd);
	}
}

#if !SANITIZED
static int body_waits_for_tracer(int fd)
{
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	tell_pid(fd);
	return next_signal() == SIGTERM ? 5 : 1;
}

/* The tracer holds the child inside its exit, as a thread in the kernel would. */
static void guard_returns_while_the_child_cannot_end(void **state)
{
	int fd;
	const pid_t guard = start(GUARD_RUN, body_waits_for_tracer, -1, &fd);
	const pid_t child = child_of(fd);
	const bool traced =
		!SANITIZED && !ptrace(PTRACE_SEIZE, child, NULL, (void *)(long)PTRACE_O_TRACEEXIT);

	(void)state;
	kill(child, SIGTERM);
	if (!traced) {
		wait_for(guard);
		close(fd);
		print_message(
			"skipped: ptrace is not allowed here, or a sanitizer is at work, whose guard "
			"waits for the child's report\n");
		skip();
	}
	/* SIGTERM is blocked in the child, so the first stop is the one in its exit. */
	const int stop = wait_for(child);

	assert_true(WIFSTOPPED(stop));
	assert_int_equal(stop >> 8, SIGTRAP | (PTRACE_EVENT_EXIT << 8));

	const int status = wait_for(guard);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 5);
	ptrace(PTRACE_DETACH, child, NULL, NULL);
	close(fd);
}
#endif

static int body_suspends(int fd)
{
	tell_pid(fd);
	guard_suspend();
	return 6;
}

static void stops_and_goes_on_with_the_child(void **state)
{
	int fd;
	const pid_t guard = start(GUARD_TERMINAL, body_suspends, -1, &fd);
	int status;

	(void)state;
	child_of(fd);
	status = wait_for(guard);
	assert_true(WIFSTOPPED(status));
	kill(guard, SIGCONT);
	status = wait_for(guard);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 6);
	close(fd);
}

static int body_spoils_terminal(int fd)
{
	struct termios raw;

	tell_pid(fd);
	if (tcgetattr(0, &raw))
		return 1;
	cfmakeraw(&raw);
	tcsetattr(0, TCSANOW, &raw);
	kill(getpid(), SIGKILL);
	return 0;
}

static void terminal_is_restored_after_a_crash(void **state)
{
	struct termios before, after;
	char output[256] = "";
	int fd, master, slave;

	(void)state;
	memset(&before, 0, sizeof(before)); /* there are holes in it */
	memset(&after, 0, sizeof(after));
	assert_int_equal(openpty(&master, &slave, NULL, NULL, NULL), 0);
	assert_int_equal(tcgetattr(slave, &before), 0);

	const pid_t guard = start(GUARD_TERMINAL, body_spoils_terminal, slave, &fd);

	child_of(fd);
	const int status = wait_for(guard);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), CRASH_EXIT);
	assert_int_equal(tcgetattr(slave, &after), 0);
	assert_memory_equal(&before, &after, sizeof(before));
	assert_true(read(master, output, sizeof(output) - 1) > 0);
	assert_non_null(strstr(output, RESTORE));
	close(fd);
	close(master);
	close(slave);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exit_code_comes_through),
		cmocka_unit_test(crash_gives_the_crash_code),
		cmocka_unit_test(command_dies_of_the_signal),
		cmocka_unit_test(command_leaves_a_child_that_hangs),
		cmocka_unit_test(run_reads_its_signals),
		cmocka_unit_test(child_notices_a_killed_guard),
#if !SANITIZED /* there the guard waits for the sanitizer's report */
		cmocka_unit_test(guard_returns_while_the_child_cannot_end),
#endif
		cmocka_unit_test(stops_and_goes_on_with_the_child),
		cmocka_unit_test(terminal_is_restored_after_a_crash),
	};

	alarm(120);
	return cmocka_run_group_tests_name("guard", tests, NULL, NULL);
}
