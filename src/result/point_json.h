/* Points and intervals of nvsweep-run/1, both ways; also the lines of the journal. Latencies are
 * microseconds in the file. */
#ifndef RESULT_POINT_JSON_H
#define RESULT_POINT_JSON_H

#include "base/json.h"
#include "result/run.h"

struct json *run_latency_to_json(const struct latency *latency);
/* NULL gives "none". */
int run_latency_from_json(const struct json *json, struct latency *out, struct err *err);
/* Without intervals[]: run_to_json adds them. */
struct json *run_point_to_json(const struct run_point *point);
struct json *run_interval_to_json(const struct interval *interval);
/* The caller frees out->histogram, also after an error. */
int run_point_from_json(const struct json *json, struct run_point *out, struct err *err);
int run_interval_from_json(const struct json *json, struct interval *out, struct err *err);

#endif
