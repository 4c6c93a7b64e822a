/* The verdict on a drive's health as a run keeps it: {verdict, reasons[] {severity, text, advice}},
 * both ways. */
#ifndef RESULT_HEALTH_JSON_H
#define RESULT_HEALTH_JSON_H

#include "nvme/health.h"
#include "result/fields.h"

struct json *run_health_to_json(const struct health *health);
/* Absent or null: *known is false. */
void run_health_from_json(struct fields *f, const struct json *object, const char *key, bool *known,
	struct health *out);

#endif
