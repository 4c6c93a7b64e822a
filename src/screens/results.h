/* The list of saved runs' inner parts: its lines (results_rows.c) and the screen (results.c).
 * UI thread. */
#ifndef SCREENS_RESULTS_H
#define SCREENS_RESULTS_H

#include "result/filter.h"
#include "result/store.h"
#include "screens/run_edit.h"
#include "screens/screen.h"
#include "tui/table.h"

struct results {
	struct screen screen;
	struct table *table;
	struct store_entry *entries; /* all of the folder, newest first */
	size_t count;
	char (*marked)[48]; /* ids */
	size_t marked_count;
	struct run_filter *filter; /* NULL: none */
	char filter_text[256];
	struct run_edit edit;
	char fault[512];
	bool reading;
	bool again;      /* something changed while it was being read */
	bool listed;     /* the folder has been read or is being read */
	bool run_active; /* a test ran at the last look */
	char run_saved[512];
	int64_t minute;
};

struct table *results_rows_table(void);
/* The entries that fit the filter, into the table. */
void results_rows_fill(struct results *results);
/* What the line of a run has no room for: tags, note, what is wrong with it, its file. */
void results_rows_details(const struct store_entry *entry, struct canvas *canvas, struct rect area);

bool results_marked(const struct results *results, const char *id);
void results_mark(struct results *results, const char *id, bool marked);

#endif
