/* The quick check of a drive. UI thread. */
#ifndef SCREENS_CHECK_H
#define SCREENS_CHECK_H

#include "screens/screen.h"

/* Opens the screen and starts a check of the target; while another test runs it says so instead. */
void screen_check_start(struct desk *desk, const char *target);
/* The check that runs, or the last one. */
struct screen *screen_check(struct desk *desk);

#endif
