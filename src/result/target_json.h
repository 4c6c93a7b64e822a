/* A target of a run as JSON (DESIGN 8, targets[]). */
#ifndef RESULT_TARGET_JSON_H
#define RESULT_TARGET_JSON_H

#include "base/json.h"
#include "result/run.h"

struct json *run_target_to_json(const struct run_target *target);
int run_target_from_json(const struct json *json, struct run_target *out, struct err *err);

#endif
