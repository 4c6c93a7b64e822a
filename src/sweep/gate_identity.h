/* What tells one drive, or one file, from another that may come to have its name or number. */
#ifndef SWEEP_GATE_IDENTITY_H
#define SWEEP_GATE_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "sweep/target.h"

struct gate_identity {
	dev_t device;        /* st_rdev of a device, st_dev of a file */
	uint64_t inode;      /* of a file; 0 of a device */
	uint64_t size_bytes; /* as the descriptor tells it */
	uint64_t diskseq;    /* a new number for each disk that appears; 0 not reported */
	uint64_t start;      /* of a partition, in sectors of 512 bytes */
	uint64_t nsid;       /* 0 none */
	char serial[64];
	char unique[192]; /* NGUID, EUI-64, UUID, wwid as sysfs has them */
	bool has_ids;     /* one of the first three is among them */
};

/* Reads all of it anew: the descriptor is asked, and sysfs (below root, "" for the running system);
 * nothing comes from a snapshot. fd is of the target or of what was opened in its place. */
int gate_identity_read(const struct sweep_target *target, const char *root, int fd,
	struct gate_identity *out, struct err *err);
/* NULL: the same. Else what differs: "serial number". */
const char *gate_identity_difference(
	const struct gate_identity *before, const struct gate_identity *now);
/* NULL, or what differs from the target as the user saw it. */
const char *gate_identity_other(const struct gate_identity *now, const struct sweep_target *target);

#endif
