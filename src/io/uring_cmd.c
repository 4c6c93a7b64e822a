/* NVMe commands through io_uring to a generic node (/dev/ngXnY): past the block layer, and the only
 * way to formats that have no block device (metadata that lies between the data).
 *
 * The commands are Read and Write of the NVM Command Set (NVM 1.0, 3.2.4 and 3.2.6). An I/O larger
 * than a command may carry is split here: it completes with its last part, so one I/O stays one
 * latency. */
#include "io/uring.h"

#include <errno.h>
#include <linux/nvme_ioctl.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"

#define OPCODE_WRITE 0x01
#define OPCODE_READ 0x02
#define PRACT (UINT32_C(1) << 29) /* the controller makes and checks protection information */
#define BLOCKS_MAX 65536u         /* of one command: a 16-bit number from 0 on */

/* What of a target goes into commands. */
struct passed {
	uint32_t nsid, lba_shift;
	uint32_t part_bytes;                /* of data, at most in one command */
	uint32_t metadata_bytes;            /* per block that are transferred; 0 none */
	bool extended;                      /* behind each block's data, in the same buffer */
	uint32_t control;                   /* of command dword 12 */
	uint32_t unit_bytes, metadata_each; /* of a block in the data buffer; in the other one */
};

/* One I/O in flight. */
struct passing {
	uint32_t parts_left, length;
	int32_t result; /* 0, or of the first part that failed */
};

struct uring_cmd {
	struct uring uring; /* first: the shared calls take it */
	struct passed *targets;
	struct passing *slots;
	unsigned char *metadata;
	size_t metadata_each; /* of one slot */
};

static int uring_cmd_probe(struct err *err)
{
	struct io_uring ring;
	int rc = uring_probe(err);

	if (rc)
		return rc;
	rc = io_uring_queue_init(2, &ring, IORING_SETUP_SQE128 | IORING_SETUP_CQE32);
	if (rc)
		return err_set(err, rc,
			"this kernel has no passthrough over io_uring (5.19 is needed): %s",
			err_errno_text(rc));
	io_uring_queue_exit(&ring);
	return 0;
}

static int describe(const struct io_target *target, struct passed *out, struct err *err)
{
	const uint32_t lba = target->lba_bytes, metadata = target->metadata_bytes;
	uint64_t part = UINT64_C(1) << 31;

	if (!target->passthrough || !target->nsid)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"%s: passthrough needs an NVMe namespace with a generic node (/dev/ngXnY)",
			target->name);
	if (!lba || (lba & (lba - 1)))
		return err_set(err, -EINVAL, "%s: a block of %u bytes is no power of two",
			target->name, lba);
	if (target->protection && metadata != 8)
		return err_set_exit(err, ERR_EXIT_USAGE, -EOPNOTSUPP,
			"%s: protection information inside %u bytes of metadata is not supported; "
			"8 bytes are",
			target->name, metadata);
	*out = (struct passed){.nsid = target->nsid,
		.lba_shift = (uint32_t)__builtin_ctz(lba),
		.extended = target->metadata_extended,
		.unit_bytes = lba};
	if (target->protection) {
		/* Eight bytes of protection alone are then never transferred. */
		out->control = PRACT;
	} else {
		out->metadata_bytes = metadata;
		if (target->metadata_extended)
			out->unit_bytes += metadata;
		else
			out->metadata_each = metadata;
	}
	if (target->max_transfer_bytes)
		part = target->max_transfer_bytes;
	part = part / out->unit_bytes;
	if (part > BLOCKS_MAX)
		part = BLOCKS_MAX;
	if (!part)
		return err_set(err, -EINVAL,
			"%s: one command carries at most %u bytes, less than a block", target->name,
			target->max_transfer_bytes);
	part = part << out->lba_shift;
	out->part_bytes = part > UINT32_MAX / 2 ? UINT32_MAX / 2 + 1 : (uint32_t)part;
	return 0;
}

static void uring_cmd_free(struct uring_cmd *pass)
{
	free(pass->targets);
	free(pass->slots);
	free(pass->metadata);
	free(pass);
}

/* Largest count of commands that one I/O takes, and room for their metadata. */
static int make_room(struct uring_cmd *pass, const struct io_backend_config *config,
	uint32_t *parts, struct io_backend_facts *facts, struct err *err)
{
	char text[160], size[32];

	*parts = 1;
	for (size_t i = 0; i < config->target_count; i++) {
		const struct passed *target = &pass->targets[i];
		const size_t blocks = config->buffer_bytes / target->unit_bytes;
		const uint64_t data = (uint64_t)blocks << target->lba_shift;
		const uint64_t count = (data + target->part_bytes - 1) / target->part_bytes;

		if (blocks * target->metadata_each > pass->metadata_each)
			pass->metadata_each = blocks * target->metadata_each;
		if (count > *parts) {
			*parts = (uint32_t)count;
			str_format(text, sizeof(text),
				"%s carries at most %s in one command: larger I/O is split, each "
				"counted as one.",
				config->targets[i].name,
				units_block_size(size, sizeof(size), target->part_bytes));
			uring_add_note(facts, text);
		}
	}
	pass->slots = calloc(config->depth, sizeof(*pass->slots));
	if (pass->metadata_each)
		pass->metadata = calloc(config->depth, pass->metadata_each);
	if (!pass->slots || (pass->metadata_each && !pass->metadata))
		return err_set(err, -ENOMEM, "no memory for %u outstanding", config->depth);
	return 0;
}

static void prepare_part(
	struct uring_cmd *pass, const struct io_request *request, uint32_t from, uint32_t length)
{
	struct uring *uring = &pass->uring;
	const struct passed *target = &pass->targets[request->target];
	struct io_uring_sqe *sqe = io_uring_get_sqe(&uring->ring);
	const uint64_t block = (request->offset + from) >> target->lba_shift;
	const uint32_t before = from >> target->lba_shift, blocks = length >> target->lba_shift;

	if (!sqe) /* cannot be: the queue holds the whole depth in all its parts */
		abort();
	struct nvme_uring_cmd *command = (struct nvme_uring_cmd *)(void *)sqe->cmd;

	/* Fields that are not named here are zero in a new ring and never written. */
	sqe->opcode = IORING_OP_URING_CMD;
	sqe->flags = uring->fixed_files ? IOSQE_FIXED_FILE : 0;
	sqe->fd = uring->fixed_files ? (int)request->target : uring->targets[request->target].fd;
	sqe->cmd_op = NVME_URING_CMD_IO;
	sqe->user_data = request->slot;
	if (uring->fixed_buffers) {
		sqe->uring_cmd_flags = IORING_URING_CMD_FIXED;
		sqe->buf_index = (uint16_t)(request->slot >> uring->chunk_shift);
	}
	command->opcode = request->write ? OPCODE_WRITE : OPCODE_READ;
	command->nsid = target->nsid;
	command->addr = (uintptr_t)request->buffer + (uint64_t)before * target->unit_bytes;
	command->data_len = blocks * target->unit_bytes;
	if (target->metadata_each) {
		command->metadata =
			(uintptr_t)(pass->metadata + request->slot * pass->metadata_each +
				(size_t)before * target->metadata_each);
		command->metadata_len = blocks * target->metadata_each;
	} else {
		command->metadata = 0;
		command->metadata_len = 0;
	}
	command->cdw10 = (uint32_t)block;
	command->cdw11 = (uint32_t)(block >> 32);
	command->cdw12 = (blocks - 1) | target->control;
}

static void uring_cmd_prepare(void *context, const struct io_request *request)
{
	struct uring_cmd *pass = context;
	const uint32_t part = pass->targets[request->target].part_bytes;
	struct passing *slot = &pass->slots[request->slot];

	*slot = (struct passing){.length = request->length};
	for (uint32_t from = 0; from < request->length; from += part) {
		const uint32_t left = request->length - from;

		slot->parts_left++;
		prepare_part(pass, request, from, left < part ? left : part);
	}
}

static int open_ring(struct uring_cmd *pass, const struct io_backend_config *config, uint32_t parts,
	struct io_backend_facts *facts, struct err *err)
{
	const unsigned flags = IORING_SETUP_SQE128 | IORING_SETUP_CQE32;
	const bool poll = uring_may_poll(config, facts);
	int rc = uring_open_ring(
		&pass->uring, config, flags | (poll ? IORING_SETUP_IOPOLL : 0), parts, facts, err);

	if (!rc && poll &&
		!uring_poll_works(&pass->uring, config, uring_cmd_prepare, pass, facts)) {
		uring_close_ring(&pass->uring);
		rc = uring_open_ring(&pass->uring, config, flags, parts, facts, err);
	}
	return rc;
}

static int uring_cmd_open(const struct io_backend_config *config, void **context,
	struct io_backend_facts *facts, struct err *err)
{
	struct uring_cmd *pass = mem_alloc(sizeof(*pass));
	uint32_t parts;
	int rc = 0;

	*facts = (struct io_backend_facts){.direct = true};
	str_copy(facts->name, sizeof(facts->name), "uring_cmd");
	pass->targets = mem_alloc(config->target_count * sizeof(*pass->targets));
	for (size_t i = 0; i < config->target_count && !rc; i++)
		rc = describe(&config->targets[i], &pass->targets[i], err);
	if (!rc)
		rc = make_room(pass, config, &parts, facts, err);
	if (!rc)
		rc = open_ring(pass, config, parts, facts, err);
	if (rc) {
		uring_cmd_free(pass);
		return rc;
	}
	*context = pass;
	return 0;
}

static int uring_cmd_submit(void *context)
{
	struct uring_cmd *pass = context;

	return uring_hand_over(&pass->uring);
}

/* What a status of the drive is to the block layer: status code type and code (Base 2.0, 4.2.3). */
static int32_t errno_of_status(int32_t status)
{
	switch (status & 0x7ff) {
	case 0x020: /* namespace is write protected */
	case 0x182: /* attempted write to a read-only range */
		return -EROFS;
	case 0x080: /* LBA out of range */
		return -EREMOTEIO;
	case 0x00b: /* invalid namespace or format: it was detached */
		return -ENODEV;
	case 0x081: /* capacity exceeded */
		return -ENOSPC;
	case 0x083: /* reservation conflict */
		return -EBADE;
	case 0x282: /* end-to-end guard, application tag, reference tag check */
	case 0x283:
	case 0x284:
		return -EILSEQ;
	case 0x281: /* unrecovered read error, compare failure, deallocated block */
	case 0x286:
	case 0x287:
		return -ENODATA;
	default:
		return -EIO;
	}
}

static int uring_cmd_reap(
	void *context, struct io_completion *out, size_t room, unsigned wait_for, uint64_t until)
{
	struct uring_cmd *pass = context;
	const int rc = uring_enter(&pass->uring, wait_for, until);
	struct io_uring_cqe *cqe;
	unsigned head, seen = 0;
	size_t count = 0;

	io_uring_for_each_cqe(&pass->uring.ring, head, cqe)
	{
		if (count == room)
			break;
		struct passing *slot = &pass->slots[cqe->user_data];

		seen++;
		if (cqe->res && !slot->result)
			slot->result = cqe->res < 0 ? cqe->res : errno_of_status(cqe->res);
		if (--slot->parts_left)
			continue;
		out[count++] = (struct io_completion){.slot = (uint32_t)cqe->user_data,
			.result = slot->result ? slot->result : (int32_t)slot->length};
	}
	uring_took(&pass->uring, seen);
	return count ? (int)count : rc;
}

static void uring_cmd_close(void *context)
{
	struct uring_cmd *pass = context;

	uring_close_ring(&pass->uring);
	uring_cmd_free(pass);
}

const struct io_backend_ops io_backend_uring_cmd = {
	.name = "uring_cmd",
	.probe = uring_cmd_probe,
	.open = uring_cmd_open,
	.prepare = uring_cmd_prepare,
	.submit = uring_cmd_submit,
	.reap = uring_cmd_reap,
	.close = uring_cmd_close,
};
