/* compare: runs beside each other, or one beside published drives (DESIGN 7). Returns the exit code,
 * or -errno with the sentence. Main thread. */
#ifndef APP_CMD_COMPARE_H
#define APP_CMD_COMPARE_H

#include "app/session.h"

int cmd_compare(struct session *session, struct err *err);

#endif
