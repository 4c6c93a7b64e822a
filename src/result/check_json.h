/* The lines of a quick check as one process tells them to another, both ways; without the values,
 * which stand in the run. */
#ifndef RESULT_CHECK_JSON_H
#define RESULT_CHECK_JSON_H

#include "base/json.h"
#include "result/check.h"
#include "result/fields.h"

struct json *check_to_json(const struct check *check);
/* Absent or null: *known is false. */
void check_from_json(struct fields *f, const struct json *object, const char *key, bool *known,
	struct check *out);

#endif
