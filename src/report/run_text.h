/* Runs as plain text for people: the result of `run`, `results`. Pure; any thread. */
#ifndef REPORT_RUN_TEXT_H
#define REPORT_RUN_TEXT_H

#include "base/str.h"
#include "report/text_table.h"
#include "result/reference.h"
#include "result/run.h"
#include "result/store.h"

/* One run: what was tested and how, tags and note, the table of points, reads and writes apart where
 * there are both, the analysis in words, its rank among published drives (reference; may be NULL),
 * doubts. */
void run_text(const struct run *run, const struct reference_comparison *reference,
	const struct text_style *style, struct strbuf *out);
/* One line per saved run, as ordered. */
void run_text_list(const struct store_entry *entries, size_t count, const struct text_style *style,
	struct strbuf *out);

#endif
