/* One saved run's inner parts: the screen (run.c), what lies behind its curve (run_overlay.c) and its
 * details (run_details.c). UI thread. */
#ifndef SCREENS_RUN_H
#define SCREENS_RUN_H

#include "result/run.h"
#include "screens/check_view.h"
#include "screens/curve_overlay.h"
#include "screens/facts_pair.h"
#include "screens/run_edit.h"
#include "screens/screen.h"
#include "tui/table.h"

enum run_view { RUN_POINTS, RUN_CURVE, RUN_DETAILS, RUN_CHECK };
enum run_overlay { RUN_OVERLAY_NONE, RUN_OVERLAY_PUBLISHED, RUN_OVERLAY_RUN };

struct run_screen {
	struct screen screen;
	struct store_entry entry;
	struct run *run; /* NULL: being read, or could not be */
	bool reading;
	char fault[512];
	enum run_view view;
	bool linear;
	bool together; /* points and curve at once, as of the last draw */
	int width;
	struct table *points;
	struct facts_pair details;
	bool is_check; /* a quick check: its lines come first */
	struct check check;
	struct check_view lines;
	struct run_edit edit;
	/* Behind the curve. */
	enum run_overlay overlay;
	struct curve_overlays overlays;
	struct reference_table reference;
	struct reference_comparison published; /* of the run; empty until it is read */
	struct store_entry *others;            /* that can be laid behind it, from the last look */
	size_t other_count;
	struct store_entry other; /* the one that is */
	struct run *other_run;
};

void run_details_fill(struct run_screen *screen, int width);

/* Published figures, another run of the same workload, nothing: the next that there is. */
void run_overlay_next(struct run_screen *self);
/* The rank among the published drives, and those that cannot be compared, a sentence each; "" none. */
void run_overlay_words(const struct run_screen *self, char *rank, char *unlike, size_t size);
void run_overlay_free(struct run_screen *self);

#endif
