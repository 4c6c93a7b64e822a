/* A saved run in the form that a file's ending asks for: .json everything (nvsweep-run/1, also what
 * this version does not know), .csv the intervals, .txt the report as text with the rank among
 * published drives. Reads files; any thread. */
#ifndef REPORT_RUN_EXPORT_H
#define REPORT_RUN_EXPORT_H

#include "base/err.h"
#include "base/str.h"
#include "report/text_table.h"
#include "result/store.h"

enum run_form { RUN_FORM_TEXT, RUN_FORM_JSON, RUN_FORM_CSV, RUN_FORM_COUNT };

/* "text", "json", "csv" and ".txt", ".json", ".csv". */
const char *run_form_name(enum run_form form);
const char *run_form_ending(enum run_form form);
/* By the ending, upper or lower case; RUN_FORM_COUNT for another one. */
enum run_form run_form_of(const char *path);

/* The whole text of the file. style: of text alone. *faults (may be NULL; the caller frees) is what
 * reference_load says about files of published figures, NULL when there is nothing to say. */
int run_export_write(const struct store_entry *entry, enum run_form form,
	const struct text_style *style, struct strbuf *out, char **faults, struct err *err);
/* To a file, which is replaced when it is there (temp file, fsync, rename). Another ending: -EINVAL
 * (ERR_EXIT_USAGE) with a sentence that names the three. */
int run_export(const struct store_entry *entry, const char *path, struct err *err);

#endif
