/* Plain tables and wrapped lines for terminals and pipes, aware of width and UTF-8. Pure. */
#ifndef REPORT_TEXT_TABLE_H
#define REPORT_TEXT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct text_style {
	bool ascii; /* the terminal shows no UTF-8 */
	int width;  /* columns; 0: as wide as needed (pipes, files) */
};

#define TEXT_TABLE_COLUMNS 16

struct text_column {
	const char *title;
	bool right;    /* align to the right: figures */
	int shrink_to; /* may be cut down to so many columns when space is short; 0: never */
	int drop;      /* > 0: left out when shrinking is not enough, the highest first */
};

struct text_table {
	const struct text_column *columns; /* borrowed */
	size_t column_count;
	char **cells; /* row by row; owned */
	size_t row_count, row_room;
};

void text_table_init(struct text_table *table, const struct text_column *columns, size_t count);
/* cells: one text per column, copied; NULL is "". */
void text_table_add(struct text_table *table, const char *const *cells);
/* Title line and rows; lines end without spaces. Columns that are empty in every row are left
 * out. */
void text_table_print(
	const struct text_table *table, const struct text_style *style, struct strbuf *out);
void text_table_free(struct text_table *table);

/* Text cut to width columns ("…" or "~" marks the cut); ascii: what is not ASCII becomes the
 * nearest or '?'. width 0: not cut. */
void text_fit(char *dst, size_t size, const char *text, int width, bool ascii);
/* Text wrapped at words; the first line starts where out stands after `first` columns, others are
 * indented by `indent`. Ends with a newline. */
void text_wrap(struct strbuf *out, const struct text_style *style, int first, int indent,
	const char *text);

#endif
