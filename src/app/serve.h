/* The socket beside a running run: RUNS/ID.socket tells other processes of the same user what the
 * run does, and takes their wishes (DESIGN 3, 6).
 *
 * Each picture of the run is one line of JSON (nvsweep-view/1 with "pid" and "detached"); a client
 * gets nothing before it has asked:
 *     {"command": "watch"}  every picture from now on, and all intervals of the series
 *     {"command": "view"}   one picture, without intervals
 *     {"command": "pause"}, "resume", "stop"
 * A client may be slow, dead or hostile: it has one bounded line in each direction, gets the newest
 * picture when it has taken the one before, and is never waited for. Only the own user, root, and
 * under sudo the calling user are let in. Lives in any poll loop; one thread. */
#ifndef APP_SERVE_H
#define APP_SERVE_H

#include <stdbool.h>

#include "base/err.h"
#include "sweep/runner.h"

#define SERVE_ENDING ".socket"
#define SERVE_CLIENTS_MAX 16

enum serve_command { SERVE_PAUSE, SERVE_RESUME, SERVE_STOP };

struct serve;

/* folder: of runs, borrowed while this is called; NULL: nothing can be served, all calls do
 * nothing. command is called from serve_turn. */
struct serve *serve_create(
	const char *folder, void (*command)(void *user, enum serve_command command), void *user);
/* Readable when serve_turn has something to do; -1 before the run has an id, and without folder. */
int serve_fd(const struct serve *serve);
/* Never waits. */
void serve_turn(struct serve *serve);
/* The newest picture, borrowed until the next one is given or serve_close. The first one of a run
 * that is under way makes the socket; a socket that cannot be made is logged, and the run goes on
 * without. */
void serve_view(struct serve *serve, const struct runner_view *view);
/* Why there is no socket; "" there is one, or the run has not begun. */
const char *serve_fault(const struct serve *serve);
/* The run goes on without a terminal. */
void serve_detached(struct serve *serve);
/* Gives watching clients the last picture, at most so long; removes the socket. NULL is fine. */
void serve_close(struct serve *serve, unsigned timeout_ms);

/* Both sides: is the process at the other end of the socket one of this user's (or root, or under
 * sudo the calling user)? Gives its process too. */
bool serve_peer_trusted(int fd, pid_t *pid);

#endif
