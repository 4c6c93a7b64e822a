/* list, show, health, capture: the machine's drives without the terminal program (DESIGN 7).
 * Each returns the exit code, or -errno with the sentence. Main thread. */
#ifndef APP_CMD_INVENTORY_H
#define APP_CMD_INVENTORY_H

#include "app/session.h"

int cmd_list(struct session *session, struct err *err);
int cmd_show(struct session *session, struct err *err);
int cmd_health(struct session *session, struct err *err);
int cmd_capture(struct session *session, struct err *err);

#endif
