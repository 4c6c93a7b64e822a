/* The inside of a table, shared by table.c (rows) and table_draw.c (widths and painting) only. */
#ifndef TUI_TABLE_PARTS_H
#define TUI_TABLE_PARTS_H

#include "tui/table.h"

struct table_entry {
	struct table_row row;
	size_t added; /* position in which it was added */
	bool shown;   /* passes the filter */
};

/* Where a column stood in the last draw, and what its texts need. */
struct table_place {
	int x, width; /* width 0: not shown */
	int natural;
	/* decimal columns: columns before the point, from the point on, and of the unit */
	int before, fraction, unit;
};

struct table {
	struct table_column *columns;
	struct table_place *places;
	size_t column_count;
	struct table_entry **rows;  /* capacity of them are allocated; sorted */
	struct table_entry **order; /* the visible ones */
	size_t count, capacity, visible;
	int selected; /* index into order, -1 none */
	bool passive; /* only looked at: the selected row scrolls into view, no cursor shows */
	int sort_column;
	bool sort_reverse;
	char filter[96];
	char empty[128];
	char kept_identity[64];
	int kept_index;
	/* last draw */
	struct rect area;
	int top;    /* first row on the screen */
	int page;   /* rows on the screen */
	int body_y; /* below the titles */
	int end_x;  /* right of the last column there may be */
};

#endif
