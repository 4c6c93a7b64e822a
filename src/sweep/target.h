/* A name to a target: namespace, block device, file (DESIGN 7 TARGET). Opens read-only. */
#ifndef SWEEP_TARGET_H
#define SWEEP_TARGET_H

#include "base/err.h"
#include "io/target.h"
#include "nvme/inventory.h"
#include "result/run.h"
#include "sweep/options.h"

struct sweep_target {
	struct io_target io;    /* fd owned */
	struct run_target info; /* for the record */
	char controller[32];    /* for the sampler; "" none */
	char disk[32];          /* the whole disk below it, for block statistics; "" not known */
	uint64_t device, inode; /* of the node or file: two names of one target are refused */
	bool is_file;
	uint64_t disk_offset; /* where a block target begins on its disk */
	bool buffered;        /* O_DIRECT was refused: spoils */
	/* filled by sweep_target_sample */
	bool sampled;
	double written_share; /* of the area of a file that has data; NaN not known */
	bool never_written;   /* file with holes or unwritten extents over most of the area */
	bool mostly_zero;     /* most of 64 sampled blocks zero or alike */
	double used_share;    /* NUSE / NSZE; NaN unknown (known at once) */
};

/* Name without opening: fills info as far as inventory and sysfs know; for the form.
 * inventory may be NULL. */
int sweep_target_describe(const char *name, const struct inventory *inventory,
	struct run_target *out, struct err *err);
/* Opens, checks type (a directory, an empty file, a character device: one sentence each), applies
 * area_pct/offset_bytes. Reads at most one block. Closed by sweep_target_close. */
int sweep_target_open(const char *name, const struct inventory *inventory,
	const struct options *options, struct sweep_target *out, struct err *err);
/* Looks at the content: extents of a file, 64 blocks spread over the area. Blocks on the drive, so
 * the runner's thread does it. cancelled (may be NULL) is asked between blocks. */
void sweep_target_sample(
	struct sweep_target *target, uint64_t seed, bool (*cancelled)(void *user), void *user);
/* The same node or file twice, or a partition together with its disk. ERR_EXIT_USAGE. */
int sweep_target_check_distinct(const struct sweep_target *targets, size_t count, struct err *err);
void sweep_target_close(struct sweep_target *target);

#endif
