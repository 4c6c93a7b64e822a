/* attach without the terminal program, and results --running (DESIGN 7). Each returns the exit
 * code, or -errno with the sentence. Main thread. */
#ifndef APP_CMD_ATTACH_H
#define APP_CMD_ATTACH_H

#include "app/session.h"

int cmd_attach(struct session *session, struct err *err);
int cmd_results_running(struct session *session, struct err *err);

#endif
