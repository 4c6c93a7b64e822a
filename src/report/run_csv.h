/* The intervals of a run as comma separated values, for spreadsheets and scripts. Pure. */
#ifndef REPORT_RUN_CSV_H
#define REPORT_RUN_CSV_H

#include "base/str.h"
#include "result/run.h"

/* One line of column names with their units, then one row per interval in order of time. Numbers in C
 * form; what is not known is an empty field. */
void run_csv(const struct run *run, struct strbuf *out);

#endif
