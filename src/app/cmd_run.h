/* run: one test without the terminal program: progress on a terminal's standard error, the result
 * on standard output, exit codes of DESIGN 7. Returns the exit code, or -errno with the sentence.
 * Main thread; the signals of guard_signals are blocked. */
#ifndef APP_CMD_RUN_H
#define APP_CMD_RUN_H

#include "app/session.h"

int cmd_run(struct session *session, struct err *err);

#endif
