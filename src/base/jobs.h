/* Blocking calls beside the program: one queue and one lazily started thread per key (a
 * controller's name), so that a silent controller stops nobody else (DESIGN 3, Admin commands).
 *
 * A client (UI, runner, inventory, headless command) submits jobs and collects the finished ones
 * from its own list, woken by its eventfd. Nobody waits for a job. A thread stuck in the kernel is
 * left behind at the end of the process: jobs_destroy never joins a busy thread.
 */
#ifndef BASE_JOBS_H
#define BASE_JOBS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct jobs;
struct jobs_client;

/* A job: run() is called on the key's thread; afterwards the job comes back to its client. The
 * memory belongs to the submitter, to jobs while in flight, and to the client again when
 * collected. A job whose client was closed while it ran is handed to discard() instead. */
struct job {
	void (*run)(struct job *job);
	void (*discard)(struct job *job);
	uint64_t id;           /* given by jobs_submit */
	uint64_t submitted_ns; /* monotonic */
	uint64_t started_ns;   /* 0 while queued; read it only once collected (see jobs_busy_ns) */
	/* internal */
	struct job *next;
	struct jobs_client *client;
};

int jobs_create(struct jobs **out, struct err *err);
/* Call after the clients are closed. Ends idle threads and discards what is queued; busy threads are
 * left alone with everything they use: their jobs are not discarded, because nothing of the program
 * may be there any more when they end. */
void jobs_destroy(struct jobs *jobs);

int jobs_client_open(struct jobs *jobs, struct jobs_client **out, struct err *err);
/* Jobs queued or finished but not collected are discarded at once, a running one when it ends (on
 * its thread). */
void jobs_client_close(struct jobs_client *client);
/* Readable when jobs_collect has something to give. */
int jobs_client_fd(const struct jobs_client *client);
/* Never blocks. key is copied. -ENOMEM/-EAGAIN when a thread cannot be made. */
int jobs_submit(struct jobs_client *client, const char *key, struct job *job, struct err *err);
/* Next finished job or NULL. */
struct job *jobs_collect(struct jobs_client *client);
/* How long the job now running on the key has been running, ns; 0 when idle. */
uint64_t jobs_busy_ns(struct jobs *jobs, const char *key);

#endif
