/* nvsweep-run/1, both ways (DESIGN 8). Unknown keys are ignored, missing ones stay null. */
#ifndef RESULT_RUN_JSON_H
#define RESULT_RUN_JSON_H

#include "base/json.h"
#include "result/run.h"

struct json *run_to_json(const struct run *run);
/* -EINVAL with the key that is wrong; -ENOTSUP for a newer schema version. Caller run_free()s. */
int run_from_json(const char *name, const struct json *json, struct run **out, struct err *err);
struct json *run_point_to_json(const struct run_point *point);
struct json *run_interval_to_json(const struct interval *interval);
int run_point_from_json(const struct json *json, struct run_point *out, struct err *err);
int run_interval_from_json(const struct json *json, struct interval *out, struct err *err);

#endif
