/* The time line of a phase in one worker: its beginning, the ends of intervals, samples of the
 * backlog's age, pauses. Internal to io/; on the worker's thread. */
#ifndef IO_BOUNDARY_H
#define IO_BOUNDARY_H

#include "io/worker.h"

/* Passes the start barrier and prepares lanes, schedules and boundaries. */
void io_boundary_start(struct io_worker *worker);
/* Does everything that is due up to now (call when now >= event_ns); may end the window, which
 * sets over and draining. */
void io_boundary_cross(struct io_worker *worker, uint64_t now);
/* Hands the current piece over, ended at `at`. */
void io_boundary_close(struct io_worker *worker, uint64_t at, bool last);
/* The same for a window that ended before (worker->tail), as nothing of it is in flight any more. */
void io_boundary_finish(struct io_worker *worker);
/* Moves all that lies ahead on by a pause that ends now. */
void io_boundary_shift(struct io_worker *worker, uint64_t by);

#endif
