/* The fields of one workload file, checked: every fault names file and line. */
#ifndef SWEEP_WORKLOAD_PARSE_H
#define SWEEP_WORKLOAD_PARSE_H

#include "base/ini.h"
#include "sweep/workload.h"

/* Fills title to streams; name, origin and text are the caller's. ERR_EXIT_USAGE. */
int workload_parse(const struct ini *ini, struct workload *out, struct err *err);

#endif
