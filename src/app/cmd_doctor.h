/* doctor: what this machine allows nvsweep to do: libraries, kernel, rights, limits, folders,
 * terminal (DESIGN 7). Reads only; makes no folder. Returns the exit code (1: a test could not run
 * at all), or -errno with the sentence. */
#ifndef APP_CMD_DOCTOR_H
#define APP_CMD_DOCTOR_H

#include "app/session.h"

int cmd_doctor(struct session *session, struct err *err);

#endif
