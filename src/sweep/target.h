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
	bool buffered;          /* O_DIRECT was refused: spoils */
	bool never_written;     /* file with holes or unwritten extents over most of the area */
	bool mostly_zero;       /* most of 64 sampled blocks zero or alike */
	double used_share;      /* NUSE / NSZE; NaN unknown */
};

/* Name without opening: fills info as far as inventory and sysfs know; for the form.
 * inventory may be NULL. */
int sweep_target_describe(const char *name, const struct inventory *inventory,
	struct run_target *out, struct err *err);
/* Opens, checks type (a directory, an empty file, a character device: one sentence each), applies
 * area_pct/offset_bytes, samples the content. Closed by sweep_target_close. */
int sweep_target_open(const char *name, const struct inventory *inventory,
	const struct options *options, struct sweep_target *out, struct err *err);
void sweep_target_close(struct sweep_target *target);

#endif
