/* The points of a run as a table. UI thread. */
#ifndef SCREENS_POINTS_TABLE_H
#define SCREENS_POINTS_TABLE_H

#include "result/run.h"
#include "tui/table.h"

struct table *points_table_create(void);
/* searches (of the maximum) may be NULL; they stand first, and are not points. */
void points_table_fill(struct table *table, const struct run_point *searches, size_t search_count,
	const struct run_point *points, size_t count);
/* Index of the selected point; -1: a search or nothing. And back. */
int points_table_selected(const struct table *table);
void points_table_select(struct table *table, int index);

#endif
