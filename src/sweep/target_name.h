/* A target's name to its node or file, and what sysfs and inventory say of it. Opens nothing. */
#ifndef SWEEP_TARGET_NAME_H
#define SWEEP_TARGET_NAME_H

#include <sys/stat.h>

#include "block/blockdev.h"
#include "sweep/target.h"

struct target_name {
	char path[512]; /* as it is opened */
	struct stat st;
	bool simulated; /* ns and controller are all there is */
	bool has_block; /* block: of the node itself, or of what a file lies on */
	struct blockdev block;
	const struct inventory_namespace *ns;          /* NULL none; points into the inventory */
	const struct inventory_controller *controller; /* NULL none */
};

/* ERR_EXIT_USAGE with one sentence for what cannot be a target. */
int target_name_resolve(const char *name, const struct inventory *inventory,
	struct target_name *out, struct err *err);
/* Identity, geometry, link as far as known. */
void target_name_describe(const struct target_name *name, struct run_target *out);

#endif
