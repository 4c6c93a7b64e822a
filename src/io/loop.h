/* One phase of a worker, from the start barrier to its last piece. Internal to io/. */
#ifndef IO_LOOP_H
#define IO_LOOP_H

#include "io/worker.h"

/* On the worker's thread. */
void io_loop_run(struct io_worker *worker);

#endif
