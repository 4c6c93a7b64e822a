/* One line on a terminal's standard error that is rewritten while something takes long; nothing at
 * all when standard error is no terminal. */
#ifndef APP_PROGRESS_H
#define APP_PROGRESS_H

#include <stdbool.h>

#include "sweep/runner.h"

struct progress {
	bool shown; /* standard error is a terminal */
	bool ascii;
	int length; /* columns of the line that stands there */
};

void progress_open(struct progress *progress, bool ascii);
void progress_show(struct progress *progress, const char *text);
/* "point 3 of 13: 20 %  47,012 IOPS  p99 212 µs  1:02 of 5:25, 4:23 left" */
void progress_view(struct progress *progress, const struct runner_view *view);
/* Wipes the line: before other output, and at the end. */
void progress_clear(struct progress *progress);

#endif
