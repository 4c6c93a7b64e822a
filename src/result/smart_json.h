/* SMART of a drive as it is kept in a run: smartctl's key names plus units; 128-bit counters are
 * decimal strings; what was not reported is null (DESIGN 8). */
#ifndef RESULT_SMART_JSON_H
#define RESULT_SMART_JSON_H

#include "base/json.h"
#include "nvme/smart.h"

struct json *run_smart_to_json(const struct smart *smart);
int run_smart_from_json(const struct json *json, struct smart *out, struct err *err);

#endif
