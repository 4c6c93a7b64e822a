/* Lays out plain tables: widths from the content, then shrinking and dropping columns until the
 * line fits. */
#include "report/text_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

#define CELL_GAP 1

void text_table_init(struct text_table *table, const struct text_column *columns, size_t count)
{
	memset(table, 0, sizeof(*table));
	table->columns = columns;
	table->column_count = count <= TEXT_TABLE_COLUMNS ? count : TEXT_TABLE_COLUMNS;
}

void text_table_add(struct text_table *table, const char *const *cells)
{
	if (table->row_count == table->row_room) {
		table->row_room = table->row_room > 0 ? table->row_room * 2 : 16;
		table->cells = mem_realloc(table->cells,
			table->row_room * table->column_count * sizeof(*table->cells));
	}
	for (size_t c = 0; c < table->column_count; c++)
		table->cells[table->row_count * table->column_count + c] =
			mem_strdup(cells[c] != NULL ? cells[c] : "");
	table->row_count++;
}

void text_table_free(struct text_table *table)
{
	for (size_t i = 0; i < table->row_count * table->column_count; i++)
		free(table->cells[i]);
	free(table->cells);
	memset(table, 0, sizeof(*table));
}

/* The few characters that our own texts use; everything else from outside becomes '?'. */
static const char *text_ascii(uint32_t code_point, char one[2])
{
	switch (code_point) {
	case 0xb0: /* degree sign: "71 °C" reads well as "71 C" */
		return "";
	case 0xb5: /* micro sign */
	case 0x3bc:
		return "u";
	case 0xb7: /* middle dot */
	case 0x2013:
		return "-";
	case 0x2026: /* ellipsis */
		return "~";
	case 0x2265: /* greater or equal */
		return ">=";
	default:
		one[0] = code_point >= 0x20 && code_point < 0x7f ? (char)code_point : '?';
		one[1] = '\0';
		return one;
	}
}

/* One code point as it will be shown: safe, in the right character set. */
static void text_glyph(uint32_t code_point, bool ascii, char *out, size_t size)
{
	char one[8] = "";

	if (ascii) {
		str_copy(out, size, text_ascii(code_point, one));
		return;
	}
	str_utf8_put(one, str_is_showable(code_point) ? code_point : '?');
	str_copy(out, size, one);
}

void text_fit(char *dst, size_t size, const char *text, int width, bool ascii)
{
	char glyph[8];
	int used = 0, total = 0;
	uint32_t code_point;

	if (size == 0)
		return;
	str_copy(dst, size, "");
	for (const char *at = text; (code_point = str_utf8_next(&at)) != 0;) {
		text_glyph(code_point, ascii, glyph, sizeof(glyph));
		total += str_width(glyph);
	}
	const bool cut = width > 0 && total > width;
	for (const char *at = text; (code_point = str_utf8_next(&at)) != 0;) {
		text_glyph(code_point, ascii, glyph, sizeof(glyph));
		used += str_width(glyph);
		if (cut && used > width - 1)
			break;
		str_append(dst, size, "%s", glyph);
	}
	if (cut)
		str_append(dst, size, "%s", ascii ? "~" : "\u2026");
}

static int text_cell_width(const char *text, bool ascii)
{
	char fitted[512];

	text_fit(fitted, sizeof(fitted), text, 0, ascii);
	return str_width(fitted);
}

static int text_line_width(const int *widths, size_t count)
{
	int total = 0;

	for (size_t c = 0; c < count; c++)
		if (widths[c] > 0)
			total += widths[c] + (total > 0 ? CELL_GAP : 0);
	return total;
}

/* Takes one column off the widest shrinkable column until the line fits. */
static void text_shrink(const struct text_table *table, int limit, int *widths)
{
	while (text_line_width(widths, table->column_count) > limit) {
		size_t widest = table->column_count;

		for (size_t c = 0; c < table->column_count; c++) {
			const int least = table->columns[c].shrink_to;

			if (least > 0 && widths[c] > least &&
				(widest == table->column_count || widths[c] > widths[widest]))
				widest = c;
		}
		if (widest == table->column_count)
			return;
		widths[widest]--;
	}
}

/* What the line would need at least, all shrinkable columns at their smallest. */
static int text_least_width(const struct text_table *table, const int *widths)
{
	int least[TEXT_TABLE_COLUMNS];

	for (size_t c = 0; c < table->column_count; c++) {
		const int to = table->columns[c].shrink_to;

		least[c] = to > 0 && widths[c] > to ? to : widths[c];
	}
	return text_line_width(least, table->column_count);
}

static void text_widths(const struct text_table *table, const struct text_style *style, int *widths)
{
	for (size_t c = 0; c < table->column_count; c++) {
		int widest = 0;

		for (size_t r = 0; r < table->row_count; r++) {
			const int width = text_cell_width(
				table->cells[r * table->column_count + c], style->ascii);

			widest = width > widest ? width : widest;
		}
		const int title = text_cell_width(table->columns[c].title, style->ascii);
		widths[c] = widest > 0 && title > widest ? title : widest;
	}
	if (style->width <= 0)
		return;
	/* Drop first: a column shrunk to nothing readable is worse than one less. */
	while (text_least_width(table, widths) > style->width) {
		size_t drop = table->column_count;

		for (size_t c = 0; c < table->column_count; c++)
			if (widths[c] > 0 && table->columns[c].drop > 0 &&
				(drop == table->column_count ||
					table->columns[c].drop > table->columns[drop].drop))
				drop = c;
		if (drop == table->column_count)
			break;
		widths[drop] = 0;
	}
	text_shrink(table, style->width, widths);
}

static void text_put_line(const struct text_table *table, const struct text_style *style,
	const int *widths, const char *const *cells, struct strbuf *out)
{
	char cell[512];
	int pending = 0; /* spaces owed, so that no line ends with them */
	bool first = true;

	for (size_t c = 0; c < table->column_count; c++) {
		if (widths[c] == 0)
			continue;
		pending += first ? 0 : CELL_GAP;
		first = false;
		text_fit(cell, sizeof(cell), cells[c], widths[c], style->ascii);
		const int pad = widths[c] - str_width(cell);
		if (table->columns[c].right)
			pending += pad > 0 ? pad : 0;
		if (cell[0] != '\0') {
			strbuf_addf(out, "%*s%s", pending, "", cell);
			pending = 0;
		} else {
			pending += table->columns[c].right ? 0 : widths[c];
			continue;
		}
		if (!table->columns[c].right)
			pending = pad > 0 ? pad : 0;
	}
	strbuf_add(out, "\n");
}

void text_table_print(
	const struct text_table *table, const struct text_style *style, struct strbuf *out)
{
	const char *titles[TEXT_TABLE_COLUMNS];
	int widths[TEXT_TABLE_COLUMNS];

	if (table->row_count == 0)
		return;
	for (size_t c = 0; c < table->column_count; c++)
		titles[c] = table->columns[c].title;
	text_widths(table, style, widths);
	text_put_line(table, style, widths, titles, out);
	for (size_t r = 0; r < table->row_count; r++)
		text_put_line(table, style, widths,
			(const char *const *)&table->cells[r * table->column_count], out);
}

void text_wrap(
	struct strbuf *out, const struct text_style *style, int first, int indent, const char *text)
{
	char shown[1024];
	int column = first;
	bool line_start = true;

	text_fit(shown, sizeof(shown), text, 0, style->ascii);
	for (char *save = NULL, *word = strtok_r(shown, " ", &save); word != NULL;
		word = strtok_r(NULL, " ", &save)) {
		const int width = str_width(word);

		if (!line_start && style->width > 0 && column + 1 + width > style->width) {
			strbuf_addf(out, "\n%*s", indent, "");
			column = indent;
			line_start = true;
		}
		strbuf_addf(out, "%s%s", line_start ? "" : " ", word);
		column += width + (line_start ? 0 : 1);
		line_start = false;
	}
	strbuf_add(out, "\n");
}
