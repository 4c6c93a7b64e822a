/* results, workloads: what is saved and what can be run (DESIGN 7). Each returns the exit code, or
 * -errno with the sentence. Main thread. */
#ifndef APP_CMD_RESULTS_H
#define APP_CMD_RESULTS_H

#include "app/session.h"

int cmd_results(struct session *session, struct err *err);
int cmd_workloads(struct session *session, struct err *err);

#endif
