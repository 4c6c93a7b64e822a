/* A drive's raw pages in one file: written by `nvsweep capture`, opened with --replay.
 *
 * Layout: see capture.c (magic, format version, records with lengths and checksums: program
 * version and time; topology attributes; pages with command, status and bytes; environment).
 * A reader trusts nothing: cut, corrupted or newer files give a clear message and what can be
 * read is kept.
 */
#ifndef NVME_CAPTURE_H
#define NVME_CAPTURE_H

#include <stddef.h>

#include "nvme/transport.h"

/* Writes controllers (names as "nvme0"; count 0: all) and their namespaces to path, atomically.
 * Pages that a controller refuses are recorded with their status. Blocks on drives. *notes (may
 * be NULL) gets one line per thing that could not be read; caller frees. */
int capture_write(struct transport *from, const char *const *controllers, size_t count,
	const char *path, char **notes, struct err *err);
/* Opens a capture. *warning (at least 256 bytes, may be NULL) is "" or says what was damaged. */
int transport_capture_open(const char *path, struct transport **out, char *warning,
	size_t warning_size, struct err *err);

#endif
