/* What a run moved: the bytes it filled beforehand, its own count of what it read and wrote, and what
 * the drives counted meanwhile. As JSON both ways. Pure. */
#ifndef RESULT_VOLUME_H
#define RESULT_VOLUME_H

#include "result/fields.h"
#include "result/run.h"

/* Bytes; NaN: not known. The drives' counts include everybody's I/O between the two readings of
 * SMART, in steps of 512,000 bytes; drives of several targets of a run count once each (told apart by
 * serial number), and the sum is known only when every drive reports. */
struct run_volume {
	double read, written;             /* by nvsweep: preparation, searches, warm-ups and all */
	double smart_read, smart_written; /* "host data units" of SMART */
	double media_written; /* what went to the flash: no page that is read tells it yet */
};

void run_volume(const struct run *run, struct run_volume *out);
struct json *run_volume_to_json(const struct run *run);
void run_volume_from_json(struct fields *f, const struct json *object, struct run *run);

/* null when nothing was filled. */
struct json *run_prepare_to_json(const struct run *run);
void run_prepare_from_json(struct fields *f, const struct json *object, struct run *run);

#endif
