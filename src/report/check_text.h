/* The lines of a quick check as text and as JSON (nvsweep-check/1). Pure; any thread. */
#ifndef REPORT_CHECK_TEXT_H
#define REPORT_CHECK_TEXT_H

#include "base/json.h"
#include "base/str.h"
#include "report/text_table.h"
#include "result/check.h"

/* Drive and verdict, a line per part, what spoils it, how much was read. */
void check_text(const struct run *run, const struct check *check, const struct text_style *style,
	struct strbuf *out);
/* The parts alone, as `results RUN` has them among the rest of a run. */
void check_text_lines(
	const struct check *check, const struct text_style *style, struct strbuf *out);
/* "read 41.2 GB in 38 s, wrote nothing" */
void check_text_amount(const struct check *check, char *buf, size_t size);
/* path: of the saved run; "" not saved. Caller frees. */
struct json *check_json(const struct run *run, const struct check *check, const char *path);

#endif
