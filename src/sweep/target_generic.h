/* A namespace by its generic node (/dev/ngXnY), for commands past the block layer: formats that have no
 * block device, or the passthrough backend on any other. */
#ifndef SWEEP_TARGET_GENERIC_H
#define SWEEP_TARGET_GENERIC_H

#include "sweep/target.h"
#include "sweep/target_name.h"

/* Does the name or the backend asked for mean passthrough? */
bool target_generic_meant(const struct target_name *found, const struct options *options);
/* Opens the node read-only and fills descriptor, geometry and what commands need. Sends no command to
 * the drive. A format that is not known, a partition, a file: one sentence each. */
int target_generic_open(const char *name, const struct target_name *found, struct sweep_target *out,
	struct err *err);

#endif
