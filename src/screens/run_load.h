/* Saved runs and the published figures, read on the thread for files for screens that show runs.
 * UI thread. */
#ifndef SCREENS_RUN_LOAD_H
#define SCREENS_RUN_LOAD_H

#include "result/compare.h"
#include "result/reference.h"
#include "result/store.h"
#include "screens/screen.h"

struct run_load {
	struct desk_task task;
	struct store_entry entries[COMPARE_RUNS_MAX];
	size_t count;
	bool with_reference;
	void (*done)(struct run_load *load, struct screen *screen);
	/* What was read, in the order of entries; done takes what it keeps and leaves NULL. */
	struct run *runs[COMPARE_RUNS_MAX];
	struct reference_table reference;
	char *reference_faults; /* NULL none */
	struct err err;         /* of the first run that could not be read: then none is */
};

/* done is called on the UI thread when all is read, unless the screen has gone; perhaps before this
 * returns. At most COMPARE_RUNS_MAX. */
void run_load_start(struct screen *screen, const struct store_entry *const *entries, size_t count,
	bool with_reference, void (*done)(struct run_load *load, struct screen *screen));
/* A file of published figures was faulty: the first fault as a notice. */
void run_load_complain(const struct run_load *load, struct screen *screen);

#endif
