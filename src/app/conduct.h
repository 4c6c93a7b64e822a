/* A running run without the terminal program: signals, progress line, the socket for others, and
 * leaving the terminal (DESIGN 3, 7). Main thread; the signals of guard_signals are blocked. */
#ifndef APP_CONDUCT_H
#define APP_CONDUCT_H

#include "app/progress.h"
#include "app/serve.h"
#include "app/session.h"

struct conduct {
	struct session *session;
	struct runner *runner; /* NULL until conduct_run */
	struct serve *serve;
	struct progress progress;
	struct runner_view *view; /* the newest */
	int signal_fd;
	char folder[512];        /* of runs; "" none */
	uint64_t interrupted_ns; /* the first Ctrl-C; 0 none */
	uint64_t begun_ns;       /* when the run was seen to be under way; 0 not yet */
	bool announce;           /* --detach: print the run's name, then leave */
	bool leave;              /* the terminal, as soon as the run is under way */
	bool stopped;            /* by a signal */
	bool abandoned;          /* by a second Ctrl-C: nobody waits for the drive any more */
};

/* announce: the run shall go on without a terminal (--detach). */
int conduct_open(struct conduct *conduct, struct session *session, bool announce, struct err *err);
/* Takes what signals have come: while something else than the test takes long. stopped tells. */
void conduct_signals(struct conduct *conduct);
/* Until the run has ended or was given up; folder as runner_config's. Afterwards view is the last
 * picture, and guard_detached() tells whether anybody is there to print for. -errno: its name could
 * not be printed, and the run was stopped. */
int conduct_run(
	struct conduct *conduct, struct runner *runner, const char *folder, struct err *err);
/* Prints the name of a run that is sent away: one line, or with --json a document. */
int conduct_announce(const struct conduct *conduct, const char *run_id, struct err *err);
void conduct_close(struct conduct *conduct);

#endif
