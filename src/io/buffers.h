/* Buffers of one worker: one per slot, contiguous, aligned, on huge pages where the kernel gives
 * them. Owned by the worker that made them. */
#ifndef IO_BUFFERS_H
#define IO_BUFFERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct io_buffers {
	unsigned char *base;
	size_t bytes_each; /* distance of two buffers: the block size, rounded up to alignment */
	uint32_t count;
	size_t mapped; /* bytes of the mapping */
};

/* alignment: a power of two or 0. -ENOMEM with a sentence when they would take more than a quarter
 * of the machine's memory. Memory is not touched before it is used. */
int io_buffers_create(struct io_buffers *buffers, uint32_t count, size_t block_bytes,
	size_t alignment, struct err *err);
void io_buffers_destroy(struct io_buffers *buffers);

#endif
