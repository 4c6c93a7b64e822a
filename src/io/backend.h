/* Backends: how an I/O reaches the drive (DESIGN 4). One context per worker and lane set, made and
 * used by that worker alone; no call allocates or locks after open. */
#ifndef IO_BACKEND_H
#define IO_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"
#include "io/target.h"

struct io_request {
	uint32_t target; /* index into the context's targets */
	uint32_t slot;   /* 0 .. depth-1: also the index of its buffer */
	uint32_t length;
	bool write;
	uint64_t offset;
	void *buffer;
};

struct io_completion {
	uint32_t slot;
	int32_t result;   /* bytes, or -errno */
	uint64_t done_ns; /* clock of the run; 0: the worker stamps the batch */
};

struct io_backend_config {
	const struct io_target *targets;
	size_t target_count;
	uint32_t depth;    /* most requests in flight, all targets together */
	bool polled;       /* completions are to be looked for without interrupts */
	uint32_t contexts; /* of the pool: what a process has only once is shared by so many */
	void *buffers;     /* depth buffers of buffer_bytes, contiguous */
	size_t buffer_bytes;
	struct clock *clock;
	/* The worker's latest reading of the clock, so that a wait with a deadline costs no reading of
	 * its own; may be NULL. */
	const uint64_t *now;
	uint64_t seed;
	void *data; /* io_pool_config.ops_data, for backends of other folders */
};

/* What a context really got, for the record and the screen. */
struct io_backend_facts {
	char name[16];   /* "uring", "sync", "null" */
	char notes[512]; /* flags in use and what was refused, one sentence each, "" none */
	bool fixed_buffers, registered_files, polled, direct;
	bool ignores_data; /* what is written is never looked at: none is made */
	uint32_t depth;    /* may be smaller than asked */
};

struct io_backend_ops {
	const char *name;
	/* Does it work here at all? 0, or -errno with the likely cause (sysctl, seccomp, memlock). */
	int (*probe)(struct err *err);
	int (*open)(const struct io_backend_config *config, void **context,
		struct io_backend_facts *facts, struct err *err);
	/* Queues one request; never blocks. The caller never has more than depth in flight. */
	void (*prepare)(void *context, const struct io_request *request);
	/* Hands everything prepared to the kernel. Returns the number handed over or -errno. */
	int (*submit)(void *context);
	/* Takes up to room completions. Waits until at least wait_for are there or `until` (clock of
	 * the run; 0: do not wait, UINT64_MAX: no limit) passed. May also submit. Returns the count
	 * or -errno. */
	int (*reap)(void *context, struct io_completion *out, size_t room, unsigned wait_for,
		uint64_t until);
	void (*close)(void *context);
	/* CPU time, ns, of threads the backend made itself; NULL: it makes none. */
	uint64_t (*cpu_ns)(void *context);
};

/* Threads of the sync backend, all contexts of a pool together. */
#define IO_SYNC_THREADS_MAX 64

/* On a free-running clock the null backend completes every request IO_NULL_FREE_NS after its
 * submission, so that a closed loop ends; on others at once. */
#define IO_NULL_FREE_NS 1000

extern const struct io_backend_ops io_backend_uring, io_backend_uring_cmd, io_backend_sync,
	io_backend_null;
/* By name; NULL when unknown. */
const struct io_backend_ops *io_backend_find(const char *name);
/* "auto": uring, else sync; *reason (256 bytes) says why it fell back, "" when it did not. A named
 * backend that does not work also falls back (not null) and says so. */
const struct io_backend_ops *io_backend_choose(
	const char *name, char *reason, size_t size, struct err *err);

#endif
