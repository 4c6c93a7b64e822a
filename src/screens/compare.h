/* The comparison's inner parts: the screen (compare.c), its table (compare_rows.c), what it says in
 * words (compare_notes.c) and its export (compare_export.c). One run stands beside the published
 * figures, two to eight beside each other. UI thread. */
#ifndef SCREENS_COMPARE_H
#define SCREENS_COMPARE_H

#include "result/compare.h"
#include "result/reference.h"
#include "screens/curve_overlay.h"
#include "screens/facts.h"
#include "screens/screen.h"
#include "tui/table.h"

enum compare_view { COMPARE_CURVES, COMPARE_TABLE, COMPARE_NOTES };

struct compare_screen {
	struct screen screen;
	struct store_entry entries[COMPARE_RUNS_MAX];
	size_t count;
	struct run *runs[COMPARE_RUNS_MAX]; /* NULL: being read, or could not be */
	bool reading;
	char fault[512];
	struct comparison comparison; /* of two and more runs */
	struct reference_table reference;
	struct reference_comparison published; /* of one */
	enum compare_view view;
	enum curve_metric metric;
	bool linear;
	bool wide; /* curves and table beside each other, as of the last draw */
	struct curve_overlays curves;
	struct table *table;
	char (*titles)[20]; /* of the table's columns, which borrow them */
	struct facts notes;
	char path[1200]; /* of the last export */
};

/* One run beside the published figures. */
bool compare_published(const struct compare_screen *self);

/* A table for what is compared, and its lines for the metric. */
void compare_rows_create(struct compare_screen *self);
void compare_rows_fill(struct compare_screen *self);
/* What of the curves the line under the cursor is: the series and its point; -1 none. */
int compare_rows_point(const struct compare_screen *self, size_t *series);
/* The line under the cursor in words. */
void compare_rows_words(const struct compare_screen *self, char *buf, size_t size);

/* Everything that is to be known about the comparison. */
void compare_notes_fill(struct compare_screen *self);
/* The most important of it above curves and table; returns the lines used. */
int compare_notes_draw(struct compare_screen *self, struct canvas *canvas, struct rect area);

/* Asks for a file and writes the comparison into it: .json or .txt. */
void compare_export(struct compare_screen *self);

#endif
