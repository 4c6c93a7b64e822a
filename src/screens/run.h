/* One saved run's inner parts: the screen (run.c) and its details (run_details.c). UI thread. */
#ifndef SCREENS_RUN_H
#define SCREENS_RUN_H

#include "result/run.h"
#include "screens/facts_pair.h"
#include "screens/screen.h"
#include "tui/table.h"

enum run_view { RUN_POINTS, RUN_CURVE, RUN_DETAILS };

struct run_screen {
	struct screen screen;
	struct run *run; /* NULL: could not be loaded */
	char fault[512];
	char path[512];
	bool partial;
	enum run_view view;
	bool linear;
	bool together; /* points and curve at once, as of the last draw */
	int width;
	struct table *points;
	struct facts_pair details;
};

void run_details_fill(struct run_screen *screen, int width);

#endif
