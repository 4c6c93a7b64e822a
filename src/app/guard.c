/* The parent process that restores the terminal and returns when a thread of the child is stuck,
 * and the child's side of their pipe. */
#include "app/guard.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/str.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* How long the guard of a command waits for its child to die of a signal before it leaves alone. */
#define PATIENCE_MS 500
/* How long the guard waits for a child that has reported its exit code. */
#define GRACE_MS (SANITIZED ? 10000 : 100)
#define CRASH_LOG_LINES 10
#define INHERITED_MAX 64

/* What the child writes into the pipe. */
enum report_kind {
	REPORT_EXIT,    /* value: exit code; the terminal is in order */
	REPORT_CRASH,   /* value: signal */
	REPORT_SUSPEND, /* the child hands the terminal back and stops */
	REPORT_DETACH,  /* value: exit code; the child goes on without us */
};
struct report {
	int32_t kind, value;
};

struct guard {
	struct guard_config config;
	pid_t child;
	int report_fd, signal_fd, log_fd;
	int terminal_fd; /* -1: no terminal */
	struct termios termios;
	bool suspended; /* the child stopped in order */
	int ending;     /* GUARD_COMMAND: the signal that ends us */
	uint64_t ending_ns;
};

/* The child's end, for guard_end and the crash handler. */
static int child_report_fd = -1;
static int child_log_fd = -1;
static bool child_detached;
static int inherited[INHERITED_MAX];
static size_t inherited_count;
static char child_detached_log[600];
/* SIGHUP was ignored when we were started (nohup): then it stays so, although a blocked signal that
 * is ignored would reach a signalfd. */
static bool hangup_ignored;

static void set_of(sigset_t *set, const int *signals)
{
	sigemptyset(set);
	for (; *signals; signals++) {
		if (*signals != SIGHUP || !hangup_ignored)
			sigaddset(set, *signals);
	}
}

static const int child_signals[] = {SIGTERM, SIGHUP, SIGINT, SIGTSTP, SIGCONT, SIGWINCH, 0};
static const int guard_forwards[] = {
	SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGUSR1, SIGUSR2, SIGCHLD, 0};

/* ---- the parent ------------------------------------------------------------------------------ */

static void write_all(int fd, const char *bytes, size_t length)
{
	while (length) {
		const ssize_t n = write(fd, bytes, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		bytes += n;
		length -= (size_t)n;
	}
}

/* dirty: the child did not put the screen back itself. */
static void terminal_restore(const struct guard *guard, bool dirty)
{
	struct termios now;

	if (guard->terminal_fd < 0)
		return;
	memset(&now, 0, sizeof(now)); /* it has holes, and is compared */
	if (dirty && guard->config.mode == GUARD_TERMINAL && isatty(STDOUT_FILENO))
		write_all(STDOUT_FILENO, guard->config.restore, guard->config.restore_length);
	if (!tcgetattr(guard->terminal_fd, &now) && memcmp(&now, &guard->termios, sizeof(now)) != 0)
		tcsetattr(guard->terminal_fd, TCSADRAIN, &guard->termios);
}

/* The last lines that the child logged before it crashed. */
static void crash_log_print(int fd)
{
	char bytes[4096];
	const off_t end = lseek(fd, 0, SEEK_END);
	const off_t from = end > (off_t)sizeof(bytes) ? end - (off_t)sizeof(bytes) : 0;
	const ssize_t n = end > 0 ? pread(fd, bytes, sizeof(bytes), from) : 0;
	ssize_t start = n;

	for (int lines = 0; start > 0; start--) {
		if (bytes[start - 1] == '\n' && start < n && ++lines == CRASH_LOG_LINES)
			break;
	}
	if (n > start)
		write_all(STDERR_FILENO, bytes + start, (size_t)(n - start));
}

__attribute__((noreturn)) static void finish_crash(const struct guard *guard, int signal)
{
	terminal_restore(guard, true);
	fprintf(stderr, "nvsweep: ended by signal %d (%s)%s\n", signal, strsignal(signal),
		guard->config.mode == GUARD_COMMAND
			? ""
			: "; a test that was running is kept as partial: nvsweep results");
	crash_log_print(guard->log_fd);
	fflush(stderr);
	_exit(guard->config.crash_exit);
}

/* Ends as the child did, so that the caller sees the signal. */
__attribute__((noreturn)) static void finish_signal(const struct guard *guard, int signal_number)
{
	sigset_t set;

	terminal_restore(guard, true);
	signal(signal_number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, signal_number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(signal_number);
	_exit(128 + signal_number);
}

/* Gives the child that has reported a moment to be gone, so that whoever measures us with wait4 sees
 * what it used. A thread stuck in the kernel keeps it from going: then it is left behind. */
static void await_child(const struct guard *guard, int *code)
{
	const uint64_t deadline = clock_monotonic_ns() + GRACE_MS * UINT64_C(1000000);
	int status;
	pid_t gone;

	while ((gone = waitpid(guard->child, &status, WNOHANG)) == 0) {
		struct pollfd fd = {.fd = guard->signal_fd, .events = POLLIN};
		struct signalfd_siginfo info;
		const uint64_t now = clock_monotonic_ns();

		if (now >= deadline)
			return;
		if (poll(&fd, 1, (int)((deadline - now) / 1000000) + 1) > 0 &&
			read(guard->signal_fd, &info, sizeof(info)) < 0)
			return;
	}
	/* A sanitizer reports at the very end. */
	if (SANITIZED && gone == guard->child && WIFEXITED(status) && WEXITSTATUS(status))
		*code = WEXITSTATUS(status);
}

__attribute__((noreturn)) static void finish_exit(const struct guard *guard, int code, bool dirty)
{
	terminal_restore(guard, dirty);
	await_child(guard, &code);
	_exit(code);
}

static void take_reports(struct guard *guard)
{
	struct report report;
	ssize_t n;

	while ((n = read(guard->report_fd, &report, sizeof(report))) == (ssize_t)sizeof(report)) {
		if (report.kind == REPORT_EXIT)
			finish_exit(guard, report.value, false);
		if (report.kind == REPORT_CRASH)
			finish_crash(guard, report.value);
		if (report.kind == REPORT_DETACH) {
			terminal_restore(guard, false);
			_exit(report.value);
		}
		guard->suspended = true;
	}
	if (n == 0) {
		close(guard->report_fd); /* the child is gone or about to be: SIGCHLD tells */
		guard->report_fd = -1;
	}
}

/* The child has stopped: stop too, so that the shell takes over; go on together. */
static void stop_with_child(struct guard *guard)
{
	sigset_t set;

	terminal_restore(guard, !guard->suspended);
	guard->suspended = false;
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	/* The default action and not SIGSTOP: in an orphaned process group nobody could wake us,
	 * and there the kernel ignores it. */
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	sigprocmask(SIG_BLOCK, &set, NULL);
	kill(guard->child, SIGCONT);
}

static void take_child(struct guard *guard)
{
	int status;

	while (waitpid(guard->child, &status, WNOHANG | WUNTRACED) == guard->child) {
		if (guard->report_fd >= 0)
			take_reports(guard);
		if (WIFSTOPPED(status)) {
			stop_with_child(guard);
			continue;
		}
		if (WIFEXITED(status))
			finish_exit(guard, WEXITSTATUS(status), true);

		const int number = WTERMSIG(status);

		if (number == SIGTERM || number == SIGINT || number == SIGHUP ||
			number == SIGPIPE || number == SIGQUIT)
			finish_signal(guard, number);
		finish_crash(guard, number);
	}
}

static void take_signals(struct guard *guard)
{
	struct signalfd_siginfo info;

	while (read(guard->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		const int number = (int)info.ssi_signo;

		if (number == SIGCHLD) {
			take_child(guard);
			continue;
		}
		/* What the terminal's driver sends went to the whole job, the child included; but of
		 * a hangup only the leader of the session is told, and that may be us. */
		if ((info.ssi_code <= 0 || number == SIGHUP) && (pid_t)info.ssi_pid != guard->child)
			kill(guard->child, number);
		if (guard->config.mode == GUARD_COMMAND && number != SIGTSTP && !guard->ending) {
			guard->ending = number;
			guard->ending_ns = clock_monotonic_ns();
		}
	}
}

__attribute__((noreturn)) static void guard_watch(struct guard *guard)
{
	for (;;) {
		struct pollfd fds[2] = {
			{.fd = guard->signal_fd, .events = POLLIN},
			{.fd = guard->report_fd, .events = POLLIN},
		};
		int timeout = -1;

		if (guard->ending) {
			const uint64_t ms = (clock_monotonic_ns() - guard->ending_ns) / 1000000;

			if (ms >= PATIENCE_MS)
				finish_signal(guard, guard->ending);
			timeout = (int)(PATIENCE_MS - ms);
		}
		if (poll(fds, 2, timeout) < 0 && errno != EINTR)
			finish_exit(guard, guard->config.crash_exit, true);
		if (guard->report_fd >= 0 && fds[1].revents)
			take_reports(guard);
		take_signals(guard);
	}
}

/* ---- the child ------------------------------------------------------------------------------- */

static void report_send(int kind, int value)
{
	const struct report report = {.kind = kind, .value = value};

	if (child_report_fd >= 0 && write(child_report_fd, &report, sizeof(report)) < 0)
		return; /* the guard is dead: nobody to tell */
}

/* Also from the handler of a crash. */
static int detached_log_open(void)
{
	return open(child_detached_log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0644);
}

/* A crash is reported by hand: with another thread stuck in the kernel the guard would not hear of
 * this process's death for as long as the drive is silent. */
static void on_crash(int number)
{
	static const char crash[] =
		"nvsweep: crashed; the run is kept as partial: nvsweep results\n";
	const int saved = errno;

	if (child_detached) {
		const int fd = detached_log_open();

		write_all(fd, crash, sizeof(crash) - 1);
		log_dump(fd);
	} else {
		log_dump(child_log_fd);
		report_send(REPORT_CRASH, number);
	}
	errno = saved;
	raise(number); /* the default action now, see SA_RESETHAND */
}

static void crash_handlers_install(void)
{
	static char stack[64 * 1024];
	static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, 0};
	const stack_t alternative = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_RESETHAND | SA_ONSTACK};

	if (SANITIZED)
		return; /* they have their own, with a report */
	sigaltstack(&alternative, NULL);
	for (int i = 0; crashes[i]; i++)
		sigaction(crashes[i], &action, NULL);
}

static void child_setup(const struct guard *guard, pid_t parent, const sigset_t *before)
{
	sigset_t set;

	child_log_fd = guard->log_fd;
	sigprocmask(SIG_SETMASK, before, NULL);
	if (guard->config.mode != GUARD_COMMAND) {
		set_of(&set, child_signals);
		sigprocmask(SIG_BLOCK, &set, NULL);
	}
	/* When the guard is killed the shell takes the terminal back at once; ours are then writes
	 * of a background job, which must go on to leave it usable. */
	sigemptyset(&set);
	sigaddset(&set, SIGTTOU);
	sigprocmask(SIG_BLOCK, &set, NULL);
	crash_handlers_install();
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		kill(getpid(), SIGTERM); /* it died before the line above */
}

/* A full-screen program started in the background waits for its turn, as every other does. */
static int wait_for_foreground(int terminal_fd, struct err *err)
{
	for (int i = 0; i < 3; i++) {
		const pid_t owner = tcgetpgrp(terminal_fd);

		if (owner < 0 || owner == getpgrp())
			return 0;
		kill(0, SIGTTIN);
	}
	return err_set(err, -EIO,
		"the terminal belongs to another job: start nvsweep in the "
		"foreground");
}

static bool is_hangup_ignored(void)
{
	struct sigaction action;

	return !sigaction(SIGHUP, NULL, &action) && action.sa_handler == SIG_IGN;
}

int guard_start(const struct guard_config *config, struct err *err)
{
	struct guard guard = {.config = *config, .terminal_fd = -1, .log_fd = -1};
	const pid_t parent = getpid();
	sigset_t watched, before, background;
	int fds[2];

	hangup_ignored = is_hangup_ignored();
	for (int fd = 0; fd < 3 && guard.terminal_fd < 0; fd++) {
		if (isatty(fd) && !tcgetattr(fd, &guard.termios))
			guard.terminal_fd = fd;
	}
	if (config->mode == GUARD_TERMINAL && guard.terminal_fd >= 0) {
		const int rc = wait_for_foreground(guard.terminal_fd, err);

		if (rc)
			return rc;
		tcgetattr(guard.terminal_fd, &guard.termios);
	}
	set_of(&watched, guard_forwards);
	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_set(err, -errno, "cannot make a pipe: %s", err_errno_text(errno));
	sigprocmask(SIG_BLOCK, &watched, &before);
	guard.signal_fd = signalfd(-1, &watched, SFD_NONBLOCK | SFD_CLOEXEC);
	guard.log_fd = memfd_create("nvsweep-crash", MFD_CLOEXEC);
	fflush(NULL);
	guard.child = guard.signal_fd < 0 ? -1 : fork();
	if (guard.child < 0) {
		const int code = -errno;

		close(fds[0]);
		close(fds[1]);
		sigprocmask(SIG_SETMASK, &before, NULL);
		return err_set(err, code, "cannot start a process: %s", err_errno_text(code));
	}
	if (guard.child == 0) {
		close(fds[0]);
		close(guard.signal_fd);
		child_report_fd = fds[1];
		child_setup(&guard, parent, &before);
		return 0;
	}
	close(fds[1]);
	guard.report_fd = fds[0];
	fcntl(guard.report_fd, F_SETFL, O_NONBLOCK);
	sigemptyset(&background);
	sigaddset(&background, SIGTTOU);
	sigprocmask(SIG_BLOCK, &background, NULL);
	guard_watch(&guard);
}

int guard_signal_fd(struct err *err)
{
	sigset_t set;

	set_of(&set, child_signals);

	const int fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);

	return fd >= 0 ? fd : err_set(err, -errno, "signalfd: %s", err_errno_text(errno));
}

void guard_suspend(void)
{
	sigset_t set;

	report_send(REPORT_SUSPEND, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &set, NULL); /* stops here */
	sigprocmask(SIG_BLOCK, &set, NULL);
}

void guard_note_inherited(void)
{
	DIR *dir = SANITIZED ? NULL : opendir("/proc/self/fd"); /* theirs are not the caller's */
	const struct dirent *item;

	if (!dir)
		return;
	while (inherited_count < INHERITED_MAX && (item = readdir(dir))) {
		const int fd = atoi(item->d_name); /* "." and "..": 0 */

		if (fd > STDERR_FILENO && fd != dirfd(dir))
			inherited[inherited_count++] = fd;
	}
	closedir(dir);
}

void guard_detach(int code, const char *log)
{
	const int null = open("/dev/null", O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (child_detached)
		return;
	str_copy(child_detached_log, sizeof(child_detached_log), log);
	child_detached = true;
	fflush(NULL);
	/* The guard's end must not end us, and our session must be another one before the guard
	 * returns: then the shell may close the terminal. We lead no process group, so this cannot
	 * fail for a program that was started through the guard. */
	prctl(PR_SET_PDEATHSIG, 0);
	setsid();
	for (int fd = 0; null >= 0 && fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	if (null > STDERR_FILENO)
		close(null);
	while (inherited_count)
		close(inherited[--inherited_count]);
	/* The folder we were started in may be unmounted now. Names from here on are absolute. */
	if (chdir("/") < 0)
		log_warn("cannot leave the folder: %s", err_errno_text(errno));
	report_send(REPORT_DETACH, code);
	if (child_report_fd >= 0)
		close(child_report_fd);
	child_report_fd = -1;
	log_info("detached");
}

bool guard_detached(void)
{
	return child_detached;
}

void guard_detached_say(const char *sentence)
{
	const int fd = detached_log_open();

	if (fd < 0)
		return;
	file_adopt(fd, child_detached_log);
	dprintf(fd, "nvsweep: %s\n", sentence);
	close(fd);
}

bool guard_wants_teardown(void)
{
	return SANITIZED;
}

void guard_end(int code)
{
	fflush(NULL);
	report_send(REPORT_EXIT, code);
	if (SANITIZED)
		exit(code);
	_exit(code); /* threads left behind may still use what exit() would tear down */
}
