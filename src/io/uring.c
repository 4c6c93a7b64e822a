/* Reads and writes of files and block devices over io_uring: registered ring, files and buffers,
 * completions run by the worker itself (DEFER_TASKRUN), one system call per batch. */
#include "io/uring.h"

#include <fcntl.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"

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

static int uring_open(const struct io_backend_config *config, void **context,
	struct io_backend_facts *facts, struct err *err)
{
	struct uring *uring = mem_alloc(sizeof(*uring));
	bool poll;
	int rc;

	*facts = (struct io_backend_facts){.direct = true};
	str_copy(facts->name, sizeof(facts->name), "uring");
	poll = uring_may_poll(config, facts);
	rc = uring_open_ring(uring, config, poll ? IORING_SETUP_IOPOLL : 0, 1, facts, err);
	if (!rc && poll && !uring_poll_works(uring, config, uring_prepare, uring, facts)) {
		uring_close_ring(uring);
		rc = uring_open_ring(uring, config, 0, 1, facts, err);
	}
	if (rc) {
		free(uring);
		return rc;
	}
	for (size_t i = 0; i < config->target_count; i++) {
		const int flags = fcntl(config->targets[i].fd, F_GETFL);

		if (flags < 0 || !(flags & O_DIRECT))
			facts->direct = false;
	}
	*context = uring;
	return 0;
}

static int uring_submit(void *context)
{
	return uring_hand_over(context);
}

static int uring_reap(
	void *context, struct io_completion *out, size_t room, unsigned wait_for, uint64_t until)
{
	struct uring *uring = context;
	struct io_uring *ring = &uring->ring;
	const int rc = uring_enter(uring, wait_for, until);
	struct io_uring_cqe *cqe;
	unsigned head, count = 0;

	io_uring_for_each_cqe(ring, head, cqe)
	{
		if (count == room)
			break;
		out[count++] = (struct io_completion){
			.slot = (uint32_t)cqe->user_data, .result = cqe->res};
	}
	uring_took(uring, count);
	return count ? (int)count : rc;
}

static void uring_close(void *context)
{
	struct uring *uring = context;

	uring_close_ring(uring);
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
