/* What is written: pseudo-random bytes made anew for each write, so that a drive (or a file system)
 * that compresses or finds duplicates gains nothing by it beyond the share it is offered.
 *
 * Every 4 KiB of a write is a slice of a random table, 64 bytes wide mixed with a key of its own:
 * 512 random bits per 4 KiB that never come again, at the cost of copying it. A write overwrites its
 * whole buffer, so nothing that was read before, or that another write left, goes out. One generator
 * belongs to one worker. */
#ifndef IO_DATA_H
#define IO_DATA_H

#include <stdint.h>

#include "base/err.h"
#include "base/rng.h"

#define IO_DATA_UNIT 4096u

struct io_data {
	unsigned char *table; /* NULL: not made */
	struct rng rng;
	uint32_t random_bytes; /* of each unit; the rest is zero */
};

/* -ENOMEM. seed: not the run's, which may come again: the same data on the same drive would be a
 * duplicate. */
int io_data_create(struct io_data *data, uint64_t seed, struct err *err);
void io_data_destroy(struct io_data *data);
/* From now on so much (0..1) of every 4 KiB, or of a shorter write, is zero and compresses. */
void io_data_set_reducible(struct io_data *data, double share);
/* New content for one write. `to` is aligned to 16 bytes; length is any. */
void io_data_refill(struct io_data *data, void *to, uint32_t length);

#endif
