/* The runs that are being measured just now, by whatever process of this machine: the journals that
 * somebody holds. Any thread. */
#ifndef APP_RUNNING_H
#define APP_RUNNING_H

#include <stdbool.h>
#include <sys/types.h>

#include "app/attach.h"
#include "base/err.h"
#include "sweep/runner.h"

struct running {
	char id[48];
	char target[160], workload[48], method[24]; /* of the journal when nobody answers */
	int64_t started;
	pid_t pid;                /* 0: not known */
	bool detached;            /* goes on without a terminal; known with a view */
	struct runner_view *view; /* NULL: its process did not answer in time */
	char fault[160];          /* why there is no view; "" there is one, or it was not asked */
};

/* Newest first. patience_ms: how long processes are asked what they do, all at once; 0: nobody is
 * asked. A missing folder has none. Caller frees with running_free. */
int running_list(const char *folder, unsigned patience_ms, struct running **out, size_t *count,
	struct err *err);
void running_free(struct running *list, size_t count);

/* id: whole, or a beginning that only one running run has; NULL or "last": the newest. Nothing
 * runs, or it has ended already: -ENOENT with what to do. */
int running_find(const char *folder, const char *id, struct running *out, struct err *err);
/* The same and a connection to it, for commands: waits for a moment when the run has just begun. */
int running_attach(const char *folder, const char *id, struct running *out, struct attach **attach,
	struct err *err);

#endif
