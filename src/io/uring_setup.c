/* Rings of io_uring: made with the best flags the kernel takes, with registered files and buffers; and
 * the one call per batch. What the kernel refuses is left out and said in the facts. */
#include "io/uring.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"

#define NS_PER_S 1000000000ull
/* Largest submission queue of the kernel. It holds all that may be in flight, so that preparing an
 * I/O can never fail. */
#define SQ_ENTRIES_MAX 32768u
/* The kernel registers at most this much in one buffer. */
#define REGISTER_MAX ((size_t)1 << 30)
#define POLL_TRIAL_NS UINT64_C(1000000000)

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

void uring_add_note(struct io_backend_facts *facts, const char *note)
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

int uring_probe(struct err *err)
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
static int make_ring(struct uring *uring, unsigned extra, uint32_t per_request, uint32_t *depth,
	struct io_backend_facts *facts, struct err *err)
{
	size_t setup = 0;
	char text[160], limit[32];

	if (*depth > SQ_ENTRIES_MAX / per_request) {
		*depth = SQ_ENTRIES_MAX / per_request;
		uring_add_note(facts, "No ring of io_uring can be larger.");
	}
	const uint32_t largest = *depth;

	for (;;) {
		struct io_uring_params params = {
			.flags = setups[setup].flags | extra | IORING_SETUP_CQSIZE |
				IORING_SETUP_CLAMP,
			.cq_entries = *depth * per_request * 2,
		};
		const int rc =
			io_uring_queue_init_params(*depth * per_request, &uring->ring, &params);

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
	uring->polled = extra & IORING_SETUP_IOPOLL;
	uring->out = 0;
	uring->defer = setups[setup].flags & IORING_SETUP_DEFER_TASKRUN;
	uring->see_taskrun = setups[setup].flags & IORING_SETUP_TASKRUN_FLAG;
	uring_add_note(facts, setups[setup].refused);
	if (*depth < largest) {
		memlock_text(limit, sizeof(limit));
		str_format(text, sizeof(text),
			"No memory for a larger ring (locked memory is limited to %s).", limit);
		uring_add_note(facts, text);
	}
	/* One lookup less per call; no loss when refused. */
	(void)io_uring_register_ring_fd(&uring->ring);
	return 0;
}

/* Many slots to a registered buffer; or each its own: for a command, the kernel (6.1) counts all that
 * lies behind it in the buffer against the segments that a request may have. */
static void register_buffers(struct uring *uring, const struct io_backend_config *config,
	bool commands, uint32_t depth, struct io_backend_facts *facts)
{
	struct iovec *chunks;
	uint32_t per_chunk, count;
	char text[160], limit[32];

	while (!commands && uring->chunk_shift < 31 &&
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
		uring_add_note(facts, text);
	} else if (rc) {
		str_format(
			text, sizeof(text), "Buffers are not registered: %s.", err_errno_text(rc));
		uring_add_note(facts, text);
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
		uring_add_note(facts, text);
	}
	free(fds);
}

int uring_open_ring(struct uring *uring, const struct io_backend_config *config, unsigned extra,
	uint32_t entries_per_request, struct io_backend_facts *facts, struct err *err)
{
	const bool commands = extra & IORING_SETUP_SQE128;
	uint32_t depth = config->depth;

	uring->targets = config->targets;
	uring->clock = config->clock;
	uring->now = config->now;
	const int rc = make_ring(uring, extra, entries_per_request, &depth, facts, err);

	if (rc)
		return rc;
	register_files(uring, config, facts);
	/* For the same reason as there: parts of a buffer cannot be sent as commands of their own. */
	if (!commands || entries_per_request == 1)
		register_buffers(uring, config, commands, depth, facts);
	facts->depth = depth;
	facts->fixed_buffers = uring->fixed_buffers;
	facts->registered_files = uring->fixed_files;
	facts->polled = uring->polled;
	if (uring->polled)
		uring_add_note(facts, "Completions are polled for.");
	log_debug("%s: depth %u, defer %d, fixed buffers %d, files %d", facts->name, depth,
		uring->defer, uring->fixed_buffers, uring->fixed_files);
	return 0;
}

void uring_close_ring(struct uring *uring)
{
	/* The kernel takes a ring apart in its own time; until then registered files would stay open,
	 * and with them the claim on a device or the lock on a file. */
	if (uring->fixed_files)
		(void)io_uring_unregister_files(&uring->ring);
	io_uring_queue_exit(&uring->ring);
}

/* ---- polling ---------------------------------------------------------------------------------- */

bool uring_may_poll(const struct io_backend_config *config, struct io_backend_facts *facts)
{
	char text[320];

	for (size_t i = 0; i < config->target_count && config->polled; i++) {
		if (config->targets[i].io_poll)
			continue;
		str_format(text, sizeof(text),
			"Not polled: %s has no queues for that (nvme.poll_queues on the kernel "
			"line makes some).",
			config->targets[i].name);
		uring_add_note(facts, text);
		return false;
	}
	return config->polled;
}

bool uring_poll_works(struct uring *uring, const struct io_backend_config *config,
	void (*prepare)(void *context, const struct io_request *request), void *context,
	struct io_backend_facts *facts)
{
	struct clock clock;
	char text[320];

	clock_init_real(&clock);
	for (size_t i = 0; i < config->target_count; i++) {
		const struct io_target *target = &config->targets[i];
		const struct io_request request = {.target = (uint32_t)i,
			.length = target->lba_bytes,
			.offset = target->offset,
			.buffer = config->buffers};
		const uint64_t until = clock_now(&clock) + POLL_TRIAL_NS;
		struct io_uring_cqe *cqe = NULL;
		int rc = 0;

		prepare(context, &request);
		while (!rc && !cqe && clock_now(&clock) < until) {
			rc = uring_enter(uring, 0, 0);
			if (io_uring_peek_cqe(&uring->ring, &cqe))
				cqe = NULL;
		}
		const int result = cqe ? cqe->res : rc ? rc : -ETIMEDOUT;

		if (cqe)
			uring_took(uring, 1);
		if (result >= 0)
			continue;
		str_format(text, sizeof(text), "Not polled: a trial read of %s was refused (%s).",
			target->name, err_errno_text(result));
		uring_add_note(facts, text);
		return false;
	}
	return true;
}

/* Nobody else looks for completions: every look is a call, as long as something is out. */
static int enter_polled(struct uring *uring, unsigned wait_for, uint64_t until)
{
	struct io_uring *ring = &uring->ring;
	int rc = 0;

	for (;;) {
		if (io_uring_sq_ready(ring) || uring->out) {
			rc = io_uring_submit_and_get_events(ring);
			if (rc < 0)
				return rc;
			uring->out += (uint32_t)rc;
		}
		if (!until || io_uring_cq_ready(ring) >= wait_for)
			return 0;
		if (!uring->out) {
			if (until != UINT64_MAX)
				clock_sleep_until(uring->clock, until);
			return 0;
		}
		if (until != UINT64_MAX && clock_now(uring->clock) >= until)
			return 0;
	}
}

/* ---- one call per batch ------------------------------------------------------------------------ */

int uring_hand_over(struct uring *uring)
{
	const int rc = io_uring_submit(&uring->ring);

	if (rc > 0 && uring->polled)
		uring->out += (uint32_t)rc;
	return rc;
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

int uring_enter(struct uring *uring, unsigned wait_for, uint64_t until)
{
	int rc;

	if (uring->polled)
		rc = enter_polled(uring, wait_for, until);
	else if (wait_for && until && io_uring_cq_ready(&uring->ring) < wait_for)
		rc = enter_and_wait(uring, wait_for, until);
	else
		rc = enter_if_needed(uring);
	/* Deadline, signal, or the kernel is short of memory for now: what was not taken stays
	 * in the submission queue for the next call. */
	if (rc >= 0 || rc == -ETIME || rc == -EINTR || rc == -EAGAIN || rc == -EBUSY)
		return 0;
	return rc;
}
