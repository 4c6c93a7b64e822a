/* Comparisons as JSON: the contents of a document of kind "compare". Pure; any thread. */
#ifndef REPORT_COMPARE_JSON_H
#define REPORT_COMPARE_JSON_H

#include "base/json.h"
#include "result/compare.h"
#include "result/reference.h"

/* runs[], rows[], unlike[], doubts[] into document. */
void compare_to_json(const struct comparison *comparison, struct json *document);
/* One run of runs[]: letter, run_id, workload, targets, outcome. */
struct json *compare_run_to_json(const struct run *run, size_t index);
/* The object "reference". */
struct json *reference_to_json(const struct reference_comparison *comparison);

#endif
