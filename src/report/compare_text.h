/* Runs beside each other, and a run beside published figures, as plain text. Pure; any thread. */
#ifndef REPORT_COMPARE_TEXT_H
#define REPORT_COMPARE_TEXT_H

#include "base/str.h"
#include "report/text_table.h"
#include "result/compare.h"
#include "result/reference.h"

/* Which runs, in which way they are unlike, the table of differences, doubts. */
void compare_text(
	const struct comparison *comparison, const struct text_style *style, struct strbuf *out);
/* The table of published drives with the run among them, its rank, what cannot be compared and why. */
void reference_text(const struct reference_comparison *comparison, const struct text_style *style,
	struct strbuf *out);

#endif
