/* What the engine reads from: a descriptor, a block size and a byte range, as plain numbers, and
 * the one bounds test in front of every I/O. */
#ifndef IO_TARGET_H
#define IO_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "io/permit.h"

struct io_target {
	char name[256]; /* for messages */
	/* O_RDONLY | O_DIRECT where the file system allows; owned by the caller; -1 for backends that
	 * need none. */
	int fd;
	uint32_t lba_bytes;          /* sizes and offsets are multiples of it */
	uint32_t max_transfer_bytes; /* larger I/O is split by the kernel; 0 unknown */
	uint32_t buffer_alignment;   /* >= dma alignment */
	uint64_t size_bytes;         /* of the device or file */
	uint64_t offset, length;     /* the area that may be touched */
	bool block_device;
	bool io_poll; /* queue/io_poll */
	/* Passthrough: the descriptor is that of a generic node (/dev/ngXnY), and the I/O are commands
	 * of this namespace. max_transfer_bytes is then what one command carries (MDTS). */
	bool passthrough;
	uint32_t nsid;
	uint32_t metadata_bytes;        /* per block; 0 none */
	bool metadata_extended;         /* behind each block's data, in the same buffer */
	bool protection;                /* formatted with protection information */
	const struct io_permit *permit; /* NULL: reads only */
	/* What a backend of another folder reaches instead of a descriptor; opaque here. NULL: none. */
	void *device;
	/* Targets of one group stay together on one worker; 0: alone. */
	uint32_t group;
};

/* Fails with a sentence when the range is empty, past the end, not a multiple of lba_bytes. */
int io_target_check(const struct io_target *target, struct err *err);
/* Bytes that a buffer for `bytes` of data takes with metadata between them. */
static inline uint64_t io_target_buffer_bytes(const struct io_target *target, uint32_t bytes)
{
	if (!target->passthrough || !target->metadata_extended)
		return bytes;
	return bytes + (uint64_t)(bytes / target->lba_bytes) * target->metadata_bytes;
}
/* The one test before every submission: inside the area, aligned; a write needs a permit that
 * covers it. Cheap. */
static inline bool io_target_allows(
	const struct io_target *target, uint64_t offset, uint32_t length, bool write)
{
	if (offset < target->offset || length > target->length ||
		offset - target->offset > target->length - length)
		return false;
	if (!write)
		return true;
	const struct io_permit *permit = target->permit;
	return permit && offset >= permit->offset && length <= permit->length &&
		offset - permit->offset <= permit->length - length;
}

#endif
