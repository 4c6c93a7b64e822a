/* A table: columns with priorities, rows with identity, sort, filter, selection that survives
 * updates, scrolling. Pure layout: paints into a canvas, knows no terminal. UI thread. */
#ifndef TUI_TABLE_H
#define TUI_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "tui/canvas.h"
#include "tui/keys.h"

enum table_align { TABLE_LEFT, TABLE_RIGHT, TABLE_DECIMAL /* aligned on the decimal point */ };

struct table_column {
	const char *title;
	int min_width, max_width; /* columns; max 0: as wide as its texts */
	enum table_align align;
	int priority; /* 0 always shown; higher numbers go first when room is short */
	bool sortable;
};

struct table_cell {
	char text[96];
	enum role role;
	double sort_value; /* NaN: sort by text */
};

struct table_row {
	char identity[64];        /* selection and marks stick to it */
	int depth;                /* indentation of a tree */
	bool selectable;          /* true after table_add; headings are not */
	bool group_with_previous; /* stays behind its parent (less depth) when sorted */
	struct table_cell *cells;
	size_t cell_count;
};

/* A row that is neither selectable nor grouped is a heading: rows do not move across it, and it is
 * shown while one of the rows below it is. Its first cell runs over all columns. */
struct table;

/* columns is copied; the titles are borrowed. */
struct table *table_create(const struct table_column *columns, size_t count);
void table_free(struct table *table);
/* Refill: begin, then rows, then end (sorts, filters, restores the selection). */
void table_begin(struct table *table);
/* The row stays where it is until table_begin. */
struct table_row *table_add(struct table *table, const char *identity);
/* Cells that were not set are empty; columns that do not exist are ignored. */
void table_cell(struct table_row *row, size_t column, enum role role, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
void table_sort_value(struct table_row *row, size_t column, double value);
void table_end(struct table *table);

/* What is painted when there is no row at all. */
void table_set_empty(struct table *table, const char *sentence);

size_t table_count(const struct table *table);         /* rows visible after filtering */
const char *table_selected(const struct table *table); /* identity, "" none */
void table_select(struct table *table, const char *identity);
/* The table is only looked at: what is selected is kept in view, but no cursor shows. */
void table_set_passive(struct table *table);
void table_move(struct table *table, int rows); /* clamps; skips headings */
void table_page(struct table *table, int pages);
void table_home(struct table *table, bool end);
/* "" none; matches any cell, no case. The parents of a row that matches stay, and what belongs to it. */
void table_filter(struct table *table, const char *text);
const char *table_filter_text(const struct table *table);
void table_sort_next(struct table *table, int direction); /* < and >: previous, next column */
void table_sort_reverse(struct table *table);
/* column -1: the order in which rows were added. */
void table_sort_by(struct table *table, int column, bool reverse);
/* Row under a mouse position of the last draw, selected; true when one was hit. */
bool table_click(struct table *table, int x, int y);
/* Wheel, click on a row (selects), click on a title (sorts); true when the key was used. */
bool table_mouse(struct table *table, const struct key *key);
void table_draw(struct table *table, struct canvas *canvas, struct rect area);

#endif
