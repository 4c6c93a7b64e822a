/* The other end of app/serve.h: pictures of a run that another process measures, and wishes to it.
 * Nothing here waits. One thread. */
#ifndef APP_ATTACH_H
#define APP_ATTACH_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "sweep/runner.h"

struct attach;

/* Connects to RUNS/ID.socket. Wrong rights, no socket, nobody behind it: -errno with what to do. */
int attach_open(const char *folder, const char *run_id, struct attach **out, struct err *err);
void attach_close(struct attach *attach); /* NULL is fine; the run goes on */

/* "watch", "view", "pause", "resume", "stop" (app/serve.h). */
int attach_send(struct attach *attach, const char *command, struct err *err);
/* Readable when there is news; -1 when the other side is gone. */
int attach_fd(const struct attach *attach);
/* Reads what has come; the newest picture among it, or NULL. Caller frees with runner_view_free. */
struct runner_view *attach_take(struct attach *attach);
/* The other side is gone, or says what cannot be understood: why; NULL while it is there. Pictures
 * that came before have been taken. */
const char *attach_lost(const struct attach *attach);

pid_t attach_pid(const struct attach *attach); /* of the process that measures */
/* It goes on without a terminal; known with the first picture. */
bool attach_detached(const struct attach *attach);

#endif
