/* The points of a run as a table. */
#include "screens/points_table.h"

#include <math.h>
#include <stdlib.h>

#include "base/str.h"
#include "screens/curve_view.h"
#include "screens/format.h"

enum {
	COLUMN_POINT,
	COLUMN_ASKED,
	COLUMN_IOPS,
	COLUMN_MIB,
	COLUMN_OUTSTANDING,
	COLUMN_MEAN,
	COLUMN_P50,
	COLUMN_P99,
	COLUMN_P999,
	COLUMN_P9999,
	COLUMN_MAX,
	COLUMN_RESPONSE,
	COLUMN_MARKS,
	COLUMN_TEMPERATURE,
	COLUMN_CPU,
	COLUMN_LATENESS,
	COLUMN_ERRORS,
};

static const struct table_column columns[] = {
	[COLUMN_POINT] = {"POINT", 10, 16, TABLE_LEFT, 0, true},
	[COLUMN_ASKED] = {"ASKED", 6, 7, TABLE_RIGHT, 3, true},
	[COLUMN_IOPS] = {"IOPS", 6, 7, TABLE_RIGHT, 0, true},
	[COLUMN_MIB] = {"MiB/s", 6, 7, TABLE_RIGHT, 2, true},
	[COLUMN_OUTSTANDING] = {"OUT", 5, 6, TABLE_RIGHT, 2, true},
	[COLUMN_MEAN] = {"MEAN", 7, 8, TABLE_RIGHT, 0, true},
	[COLUMN_P50] = {"P50", 7, 8, TABLE_RIGHT, 5, true},
	[COLUMN_P99] = {"P99", 7, 8, TABLE_RIGHT, 1, true},
	[COLUMN_P999] = {"P99.9", 7, 8, TABLE_RIGHT, 2, true},
	[COLUMN_P9999] = {"P99.99", 7, 8, TABLE_RIGHT, 6, true},
	[COLUMN_MAX] = {"MAX", 7, 8, TABLE_RIGHT, 7, true},
	[COLUMN_RESPONSE] = {"RESP P99", 9, 11, TABLE_RIGHT, 4, true},
	[COLUMN_MARKS] = {"MARKS", 5, 9, TABLE_LEFT, 1, true},
	[COLUMN_TEMPERATURE] = {"TEMP", 5, 5, TABLE_RIGHT, 8, true},
	[COLUMN_CPU] = {"CPU", 5, 6, TABLE_RIGHT, 9, true},
	[COLUMN_LATENESS] = {"LATE P99", 8, 8, TABLE_RIGHT, 10, true},
	[COLUMN_ERRORS] = {"ERRORS", 6, 8, TABLE_RIGHT, 11, true},
};

struct table *points_table_create(void)
{
	struct table *table = table_create(columns, sizeof(columns) / sizeof(columns[0]));

	table_set_empty(table, "No point was measured.");
	return table;
}

static void cell(struct table_row *row, size_t column, const char *text, double value)
{
	table_cell(row, column, text[0] == '-' && !text[1] ? ROLE_DIM : ROLE_VALUE, "%s", text);
	table_sort_value(row, column, value);
}

static void cell_latency(struct table_row *row, size_t column, double ns)
{
	char text[32];

	cell(row, column, format_latency(text, sizeof(text), ns), ns);
}

static struct table_row *fill_row(
	struct table *table, const char *identity, const struct run_point *point)
{
	struct table_row *row = table_add(table, identity);
	char text[64];

	table_cell(row, COLUMN_POINT, ROLE_TEXT, "%s", point->label);
	table_sort_value(row, COLUMN_POINT, point->percent);
	cell(row, COLUMN_ASKED,
		point->asked_iops > 0 ? format_si(text, sizeof(text), point->asked_iops) : "-",
		point->asked_iops);
	cell(row, COLUMN_IOPS, format_si(text, sizeof(text), point->iops), point->iops);
	cell(row, COLUMN_MIB, format_si(text, sizeof(text), point->mib_s), point->mib_s);
	cell(row, COLUMN_OUTSTANDING, format_count(text, sizeof(text), point->outstanding_avg),
		point->outstanding_avg);
	cell_latency(row, COLUMN_MEAN, point->service.mean);
	cell_latency(row, COLUMN_P50, point->service.p50);
	cell_latency(row, COLUMN_P99, point->service.p99);
	cell_latency(row, COLUMN_P999, point->service.p99_9);
	cell_latency(row, COLUMN_P9999, point->service.p99_99);
	cell_latency(row, COLUMN_MAX, point->service.max);
	if (point->saturated) {
		char age[32];

		str_format(text, sizeof(text), ">=%s",
			format_latency(age, sizeof(age), point->saturated_age_ns));
		cell(row, COLUMN_RESPONSE, text, point->saturated_age_ns);
	} else {
		cell_latency(row, COLUMN_RESPONSE, point->response.p99);
	}
	curve_view_marks(point, text, sizeof(text));
	table_cell(row, COLUMN_MARKS, ROLE_WARN, "%s", text);
	cell(row, COLUMN_TEMPERATURE,
		format_temperature(text, sizeof(text), point->temperature_c, NULL),
		point->temperature_c);
	cell(row, COLUMN_CPU, format_percent(text, sizeof(text), point->cpu_pct), point->cpu_pct);
	cell_latency(row, COLUMN_LATENESS, point->lateness.p99);
	cell(row, COLUMN_ERRORS, format_count(text, sizeof(text), (double)point->errors),
		(double)point->errors);
	return row;
}

void points_table_fill(struct table *table, const struct run_point *searches, size_t search_count,
	const struct run_point *points, size_t count)
{
	char identity[32];

	table_begin(table);
	for (size_t i = 0; searches && i < search_count; i++) {
		str_format(identity, sizeof(identity), "s%zu", i);
		struct table_row *row = fill_row(table, identity, &searches[i]);
		table_cell(
			row, COLUMN_POINT, ROLE_DIM, "max %u out", searches[i].outstanding_limit);
	}
	for (size_t i = 0; i < count; i++) {
		str_format(identity, sizeof(identity), "p%zu", i);
		fill_row(table, identity, &points[i]);
	}
	table_end(table);
}

int points_table_selected(const struct table *table)
{
	const char *identity = table_selected(table);

	return identity[0] == 'p' ? atoi(identity + 1) : -1;
}

void points_table_select(struct table *table, int index)
{
	char identity[32];

	str_format(identity, sizeof(identity), "p%d", index);
	table_select(table, identity);
}
