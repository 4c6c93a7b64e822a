/* A transport over a capture held in memory. Pages never change; commands answer at once. */
#ifndef NVME_CAPTURE_REPLAY_H
#define NVME_CAPTURE_REPLAY_H

#include "nvme/transport.h"

/* Takes over bytes (malloc), also on failure. name, warning: as transport_capture_open. taken_at:
 * when its pages were read, should the file have lost that. */
int capture_replay_open(const char *name, char *bytes, size_t length, int64_t taken_at,
	struct transport **out, char *warning, size_t warning_size, struct err *err);

#endif
