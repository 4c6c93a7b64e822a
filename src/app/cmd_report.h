/* report: a run as text, JSON or CSV (DESIGN 7). Returns the exit code, or -errno with the sentence.
 * Main thread. */
#ifndef APP_CMD_REPORT_H
#define APP_CMD_REPORT_H

#include "app/session.h"

int cmd_report(struct session *session, struct err *err);

#endif
