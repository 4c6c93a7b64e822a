/* A picture of a run as JSON and back (nvsweep-view/1): what the process that measures tells others
 * that show the run. Latencies are microseconds in JSON; null is what is not known.
 *
 * Of a check its lines are told as they read; their single values stand in the result.
 *
 * Intervals of the series are told in parts: a document holds those from "series_from" on, and the
 * reader appends them to its own series, so that each is told once. Pure; any thread. */
#ifndef SWEEP_VIEW_JSON_H
#define SWEEP_VIEW_JSON_H

#include "base/json.h"
#include "sweep/runner.h"

#define VIEW_SCHEMA "nvsweep-view/1"

/* A document with at most `most` intervals, beginning with number `from`. */
struct json *view_to_json(const struct runner_view *view, size_t from, size_t most);

/* Nothing of the document is trusted: -EINVAL with the key that is wrong, -ENOTSUP for another
 * version; *out and series are then as they were. The intervals are appended to series, which must
 * hold just those before them; the view takes a reference of it. Caller frees with
 * runner_view_free. */
int view_from_json(
	const struct json *json, struct series *series, struct runner_view **out, struct err *err);

#endif
