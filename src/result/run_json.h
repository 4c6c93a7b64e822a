/* nvsweep-run/1, both ways (DESIGN 8). Unknown keys are ignored, missing ones stay null.
 *
 * The document begins with a small "summary" object, so that a list of runs need not read the
 * points. Intervals stand in the point they belong to; those of the maximum search and of a point
 * that never ended stand in intervals[] of the run. Beyond 3,600 of them neighbours are merged two
 * and two: counts, mean, standard deviation, min and max stay exact, a percentile becomes the
 * higher of the two, an upper bound. */
#ifndef RESULT_RUN_JSON_H
#define RESULT_RUN_JSON_H

#include "base/json.h"
#include "result/point_json.h"
#include "result/run.h"

#define RUN_SCHEMA "nvsweep-run/1"
#define RUN_INTERVALS_MAX 3600

struct json *run_to_json(const struct run *run);
/* -EINVAL with the key that is wrong; -ENOTSUP for a newer schema version. Caller run_free()s. */
int run_from_json(const char *name, const struct json *json, struct run **out, struct err *err);
/* The same without points, searches and intervals: the first line of a journal. */
struct json *run_header_to_json(const struct run *run);
enum run_outcome run_outcome_parse(const char *word); /* unknown: RUN_ABORTED */

#endif
