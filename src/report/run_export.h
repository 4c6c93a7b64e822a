/* One run into a file of the user's choice, in the form that the file's ending asks for: .json
 * everything (nvsweep-run/1), .csv the intervals, .txt the report as text. Any thread. */
#ifndef REPORT_RUN_EXPORT_H
#define REPORT_RUN_EXPORT_H

#include "base/err.h"
#include "result/run.h"

/* 0, or -EINVAL (ERR_EXIT_USAGE) for another ending, with a sentence that names the three. */
int run_export_check(const char *path, struct err *err);
/* Replaces a file that is there: temp file, fsync, rename. */
int run_export(const struct run *run, const char *path, struct err *err);

#endif
