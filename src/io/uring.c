/* io_uring on files and block devices: registered ring, files and buffers, completions run by the
 * worker itself (DEFER_TASKRUN), one system call per batch. What the kernel refuses is left out
 * and said in the facts. */
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "io/backend.h"

#define NS_PER_S 1000000000ull
/* Largest submission queue of the kernel. It holds all that may be in flight, so that preparing an
 * I/O can never fail. */
#define SQ_ENTRIES_MAX 32768u
/* The kernel registers at most this much in one buffer. */
#define REGISTER_MAX ((size_t)1 << 30)

struct uring {
	struct io_uring ring;
	const struct io_target *targets;
	struct clock *clock;
	const uint64_t *now;
	bool fixed_buffers, fixed_files;
	bool see_taskrun; /* the kernel raises a flag when completions wait to be run */
	bool defer;
	uint32_t chunk_shift; /* slot >> chunk_shift is the registered buffer's index */
};

/* Newest first; each is tried until the kernel takes one (6.1, 6.0, 5.19, any). */
static const struct {
	unsigned flags;
	const char *refused;
} setups[] = {
	{IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_COOP_TASKRUN |
			IORING_SETUP_TASKRUN_FLAG,
		""},
	{IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG,
		"The kernel refused DEFER_TASKRUN (needs 6.1)."},
	{IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG,
		"The kernel refused SINGLE_ISSUER (needs 6.0)."},
	{0, "The kernel refused COOP_TASKRUN (needs 5.19)."},
};

static void add_note(struct io_backend_facts *facts, const char *note)
{
	if (*note)
		str_append(
			facts->notes, sizeof(facts->notes), "%s%s", *facts->notes ? " " : "", note);
}

static void memlock_text(char *text, size_t size)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur == RLIM_INFINITY)
		str_copy(text, size, "no limit");
	else
		str_format(text, size, "%llu KiB", (unsigned long long)limit.rlim_cur / 1024);
}

/* kernel.io_uring_disabled: 0, 1 (without privilege), 2 (everybody); -1 unknown. */
static int disabled_by_sysctl(void)
{
	FILE *file = fopen("/proc/sys/kernel/io_uring_disabled", "re");
	int value = -1;

	if (!file)
		return -1;
	const int digit = fgetc(file);

	if (digit >= '0' && digit <= '9')
		value = digit - '0';
	fclose(file);
	return value;
}

static int explain(int code, struct err *err)
{
	const int sysctl = disabled_by_sysctl();
	char limit[32];

	switch (-code) {
	case EPERM:
	case EACCES:
		if (sysctl == 1 || sysctl == 2)
			return err_set(err, code,
				"io_uring is switched off by the setting kernel.io_uring_disabled "
				"= %d%s",
				sysctl, sysctl == 1 ? " (only privileged users may use it)" : "");
		return err_set(err, code,
			"io_uring is refused (%s), probably by a container's seccomp filter or a "
			"security module",
			err_errno_text(code));
	case ENOSYS:
		return err_set(err, code,
			"this kernel has no io_uring, or a container's seccomp filter hides it");
	case ENOMEM:
		memlock_text(limit, sizeof(limit));
		return err_set(err, code,
			"no memory for a ring of io_uring; locked memory (ulimit -l) is limited to "
			"%s",
			limit);
	default:
		return err_set(err, code, "io_uring cannot be set up: %s", err_errno_text(code));
	}
}

static int uring_probe(struct err *err)
{
	struct io_uring ring;
	int rc = io_uring_queue_init(2, &ring, 0);

	if (rc)
		return explain(rc, err);
	/* Waiting with a deadline in one call (5.11) is what the loop stands on. */
	if (!(ring.features & IORING_FEAT_EXT_ARG))
		rc = err_set(err, -EOPNOTSUPP,
			"the io_uring of this kernel is too old (5.11 is needed)");
	io_uring_queue_exit(&ring);
	return rc;
}

/* Makes the ring with the best flags; halves the depth while memory is refused. */
static int make_ring(
	struct uring *uring, uint32_t *depth, struct io_backend_facts *facts, struct err *err)
{
	size_t setup = 0;
	char text[160], limit[32];

	if (*depth > SQ_ENTRIES_MAX) {
		*depth = SQ_ENTRIES_MAX;
		add_note(facts, "No ring of io_uring can be larger.");
	}
	const uint32_t largest = *depth;

	for (;;) {
		struct io_uring_params params = {
			.flags = setups[setup].flags | IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP,
			.cq_entries = *depth * 2,
		};
		const int rc = io_uring_queue_init_params(*depth, &uring->ring, &params);

		if (!rc)
			break;
		if (rc == -EINVAL && setup + 1 < sizeof(setups) / sizeof(setups[0])) {
			setup++;
			continue;
		}
		if (rc == -ENOMEM && *depth > 1) {
			*depth /= 2;
			continue;
		}
		return explain(rc, err);
	}
	uring->defer = setups[setup].flags & IORING_SETUP_DEFER_TASKRUN;
	uring->see_taskrun = setups[setup].flags & IORING_SETUP_TASKRUN_FLAG;
	add_note(facts, setups[setup].refused);
	if (*depth < largest) {
		memlock_text(limit, sizeof(limit));
		str_format(text, sizeof(text),
			"No memory for a larger ring (locked memory is limited to %s).", limit);
		add_note(facts, text);
	}
	/* One lookup less per call; no loss when refused. */
	(void)io_uring_register_ring_fd(&uring->ring);
	return 0;
}

static void register_buffers(struct uring *uring, const struct io_backend_config *config,
	uint32_t depth, struct io_backend_facts *facts)
{
	struct iovec *chunks;
	uint32_t per_chunk, count;
	char text[160], limit[32];

	while (uring->chunk_shift < 31 &&
		config->buffer_bytes << (uring->chunk_shift + 1) <= REGISTER_MAX)
		uring->chunk_shift++;
	per_chunk = UINT32_C(1) << uring->chunk_shift;
	count = (depth + per_chunk - 1) >> uring->chunk_shift;
	chunks = mem_alloc(count * sizeof(*chunks));
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t slots =
			depth - i * per_chunk < per_chunk ? depth - i * per_chunk : per_chunk;

		chunks[i].iov_base = (char *)config->buffers +
			((size_t)i << uring->chunk_shift) * config->buffer_bytes;
		chunks[i].iov_len = slots * config->buffer_bytes;
	}
	const int rc = io_uring_register_buffers(&uring->ring, chunks, count);

	uring->fixed_buffers = !rc;
	if (rc == -ENOMEM) {
		memlock_text(limit, sizeof(limit));
		str_format(text, sizeof(text),
			"Buffers are not registered: locked memory (ulimit -l) is limited to %s.",
			limit);
		add_note(facts, text);
	} else if (rc) {
		str_format(
			text, sizeof(text), "Buffers are not registered: %s.", err_errno_text(rc));
		add_note(facts, text);
	}
	free(chunks);
}

static void register_files(
	struct uring *uring, const struct io_backend_config *config, struct io_backend_facts *facts)
{
	int *fds = mem_alloc(config->target_count * sizeof(*fds));
	char text[120];

	for (size_t i = 0; i < config->target_count; i++)
		fds[i] = config->targets[i].fd;
	const int rc = io_uring_register_files(&uring->ring, fds, (unsigned)config->target_count);

	uring->fixed_files = !rc;
	if (rc) {
		str_format(text, sizeof(text), "Files are not registered: %s.", err_errno_text(rc));
		add_note(facts, text);
	}
	free(fds);
}

static int uring_open(const struct io_backend_config *config, void **context,
	struct io_backend_facts *facts, struct err *err)
{
	struct uring *uring = mem_alloc(sizeof(*uring));
	uint32_t depth = config->depth;
	int rc;

	*facts = (struct io_backend_facts){.direct = true};
	str_copy(facts->name, sizeof(facts->name), "uring");
	uring->targets = config->targets;
	uring->clock = config->clock;
	uring->now = config->now;
	rc = make_ring(uring, &depth, facts, err);
	if (rc) {
		free(uring);
		return rc;
	}
	register_files(uring, config, facts);
	register_buffers(uring, config, depth, facts);
	for (size_t i = 0; i < config->target_count; i++) {
		const int flags = fcntl(config->targets[i].fd, F_GETFL);

		if (flags < 0 || !(flags & O_DIRECT))
			facts->direct = false;
	}
	facts->depth = depth;
	facts->fixed_buffers = uring->fixed_buffers;
	facts->registered_files = uring->fixed_files;
	log_debug("uring: depth %u, defer %d, fixed buffers %d, files %d", depth, uring->defer,
		uring->fixed_buffers, uring->fixed_files);
	*context = uring;
	return 0;
}

static void uring_prepare(void *context, const struct io_request *request)
{
	struct uring *uring = context;
	struct io_uring_sqe *sqe = io_uring_get_sqe(&uring->ring);

	if (!sqe) /* cannot be: the queue holds the whole depth */
		abort();
	/* Fields that are not named here are zero in a new ring and never written. */
	sqe->flags = uring->fixed_files ? IOSQE_FIXED_FILE : 0;
	sqe->fd = uring->fixed_files ? (int)request->target : uring->targets[request->target].fd;
	sqe->off = request->offset;
	sqe->addr = (uintptr_t)request->buffer;
	sqe->len = request->length;
	sqe->user_data = request->slot;
	if (uring->fixed_buffers) {
		sqe->opcode = request->write ? IORING_OP_WRITE_FIXED : IORING_OP_READ_FIXED;
		sqe->buf_index = (uint16_t)(request->slot >> uring->chunk_shift);
	} else {
		sqe->opcode = request->write ? IORING_OP_WRITE : IORING_OP_READ;
	}
}

static int uring_submit(void *context)
{
	struct uring *uring = context;

	return io_uring_submit(&uring->ring);
}

/* Submits what is prepared and waits until wait_for completions or the deadline. */
static int enter_and_wait(struct uring *uring, unsigned wait_for, uint64_t until)
{
	struct __kernel_timespec timeout;
	struct io_uring_cqe *cqe;

	if (until == UINT64_MAX)
		return io_uring_submit_and_wait(&uring->ring, wait_for);
	const uint64_t now = uring->now ? *uring->now : clock_now(uring->clock);
	uint64_t left = until > now ? until - now : 0;

	if (uring->clock->kind == CLOCK_SCALED)
		left = (uint64_t)((double)left / uring->clock->factor);
	timeout.tv_sec = (long long)(left / NS_PER_S);
	timeout.tv_nsec = (long long)(left % NS_PER_S);
	return io_uring_submit_and_wait_timeout(&uring->ring, &cqe, wait_for, &timeout, NULL);
}

/* Polls: enters the kernel only when there is something to hand over or to run there. */
static int enter_if_needed(struct uring *uring)
{
	struct io_uring *ring = &uring->ring;

	if (io_uring_sq_ready(ring))
		return io_uring_submit_and_get_events(ring);
	const unsigned flags = __atomic_load_n(ring->sq.kflags, __ATOMIC_RELAXED);

	if (flags & (IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW) ||
		(uring->defer && !uring->see_taskrun))
		return io_uring_get_events(ring);
	return 0;
}

static int uring_reap(
	void *context, struct io_completion *out, size_t room, unsigned wait_for, uint64_t until)
{
	struct uring *uring = context;
	struct io_uring *ring = &uring->ring;
	struct io_uring_cqe *cqe;
	unsigned head, count = 0;
	int rc;

	if (wait_for && until && io_uring_cq_ready(ring) < wait_for)
		rc = enter_and_wait(uring, wait_for, until);
	else
		rc = enter_if_needed(uring);
	io_uring_for_each_cqe(ring, head, cqe)
	{
		if (count == room)
			break;
		out[count++] = (struct io_completion){
			.slot = (uint32_t)cqe->user_data, .result = cqe->res};
	}
	io_uring_cq_advance(ring, count);
	if (count || rc >= 0)
		return (int)count;
	/* Deadline, signal, or the kernel is short of memory for now: what was not taken stays
	 * in the submission queue for the next call. */
	if (rc == -ETIME || rc == -EINTR || rc == -EAGAIN || rc == -EBUSY)
		return 0;
	return rc;
}

static void uring_close(void *context)
{
	struct uring *uring = context;

	io_uring_queue_exit(&uring->ring);
	free(uring);
}

const struct io_backend_ops io_backend_uring = {
	.name = "uring",
	.probe = uring_probe,
	.open = uring_open,
	.prepare = uring_prepare,
	.submit = uring_submit,
	.reap = uring_reap,
	.close = uring_close,
};
