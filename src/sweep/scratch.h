/* Scratch files, which may be written without being asked for: `--size` creates the file
 * with O_EXCL, fills it with pseudo-random data, syncs it, and remembers path, inode, device and
 * birth time in the state folder (DESIGN 4, Gate). With each new file those that are gone are
 * forgotten. */
#ifndef SWEEP_SCRATCH_H
#define SWEEP_SCRATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* Creates path with size bytes of data. Exists already: made by nvsweep with at least that size:
 * 0 and *created = false; anything else: -EEXIST, refused. progress may be NULL; it returns false
 * to cancel (the file is removed, -ECANCELED). Disk full: the file is removed, a sentence. */
int scratch_create(const char *path, uint64_t size, uint64_t seed,
	bool (*progress)(void *user, uint64_t done, uint64_t total), void *user, bool *created,
	struct err *err);
/* Was it made by nvsweep, and is it still the same file? */
bool scratch_is_ours(const char *path);

#endif
