/* The guard: a parent process that keeps the terminal and the exit (DESIGN 3, 5, 6).
 *
 * A thread stuck in the kernel keeps its process from ending, and a crash cannot be trusted to put
 * the terminal back. So before any thread starts main forks; the child is the program, the parent
 * only watches: it forwards signals, stops and continues together with the child (^Z, fg),
 * restores the terminal and returns the exit code as soon as the child reports it or dies. When the
 * guard itself is killed the child gets SIGTERM and ends in order.
 *
 * A child that shall outlive the terminal leaves its guard (guard_detach): it becomes the leader of a
 * session of its own without a terminal, and the guard returns. As it is the child that had the
 * threads, files and locks all along, nothing has to be handed over.
 */
#ifndef APP_GUARD_H
#define APP_GUARD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum guard_mode {
	GUARD_COMMAND, /* signals end the child; the guard waits for that half a second at most */
	GUARD_RUN,     /* the child reads the signals of guard_signals from a signalfd */
	GUARD_TERMINAL /* the same, and the screen is restored when the child dies */
};

struct guard_config {
	enum guard_mode mode;
	int crash_exit;      /* exit code when the child crashes */
	const char *restore; /* bytes that bring the terminal back; may be "" */
	size_t restore_length;
};

/* First of all: notes what the caller left open, so that a detached child can close it. Somebody may
 * wait for the end of such a pipe. */
void guard_note_inherited(void);

/* Returns 0 in the child alone; the parent never comes back. -errno: no process could be made, or
 * the terminal belongs to another job. Call it while there is one thread. In the modes RUN and
 * TERMINAL the signals of guard_signals are blocked when it returns. */
int guard_start(const struct guard_config *config, struct err *err);

/* Child, any time, with threads: leaves terminal, session, folder and guard; the guard returns with
 * `code`, standard descriptors lead nowhere. `log` is a file that gets what is said afterwards, and
 * the reason of a crash; it is made only then. Not to be undone; a second call does nothing. HUP and
 * TSTP mean nothing any more afterwards: whoever reads them ignores them. */
void guard_detach(int code, const char *log);
bool guard_detached(void);
/* Appends "nvsweep: SENTENCE" to the log of a detached child. */
void guard_detached_say(const char *sentence);

/* A signalfd for TERM, HUP, INT, TSTP, CONT and WINCH; without HUP when that was ignored at the
 * start (nohup). -errno. */
int guard_signal_fd(struct err *err);

/* Child, UI thread, with the terminal handed back: stops the job as ^Z would and returns when it
 * goes on. */
void guard_suspend(void);

/* Is there any use in taking everything apart before guard_end? Only for a sanitizer, which then
 * looks for leaks. Otherwise the kernel does it: at once, and safely while a thread hangs in a
 * drive with memory that nobody may free. */
bool guard_wants_teardown(void);

/* Child: reports the exit code, so that the guard returns at once whatever this process still
 * hangs in, and ends. */
void guard_end(int code) __attribute__((noreturn));

#endif
