/* The right to write to one range of one device. Only sweep/gate.c may make one (the layers check
 * greps for it); without one the engine only reads. */
#ifndef IO_PERMIT_H
#define IO_PERMIT_H

#include <stdint.h>
#include <sys/types.h>

struct io_permit {
	int fd;                  /* open for writing, held by the gate */
	dev_t device;            /* st_rdev of a block device, st_dev of a file */
	uint64_t offset, length; /* bytes */
};

#endif
