/* check: health and performance of one drive in a minute, read-only. */
#ifndef APP_CMD_CHECK_H
#define APP_CMD_CHECK_H

#include "app/session.h"

/* Exit codes as health: 0 good, 1 warning, 2 critical, 3 unknown (faults and usage errors too). */
int cmd_check(struct session *session, struct err *err);

#endif
