/* Reading the files of published figures. */
#include "result/reference.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/str.h"
#include "base/units.h"
#include "conf/assets.h"

enum column {
	DRIVE,
	CAPACITY,
	DRIVES_IN_GROUP,
	WORKLOAD_ID,
	START_IOPS,
	START_LATENCY,
	PEAK_IOPS,
	PEAK_LATENCY,
	PEAK_MIB_S,
	OUTSTANDING,
	CONFIDENCE,
	BASIS,
	REVIEW,
	COLUMN_COUNT
};

static const char *const column_names[COLUMN_COUNT] = {[DRIVE] = "drive",
	[CAPACITY] = "capacity",
	[DRIVES_IN_GROUP] = "drives_in_group",
	[WORKLOAD_ID] = "workload_id",
	[START_IOPS] = "start_iops",
	[START_LATENCY] = "start_latency_us",
	[PEAK_IOPS] = "peak_iops",
	[PEAK_LATENCY] = "peak_latency_us",
	[PEAK_MIB_S] = "peak_mib_s",
	[OUTSTANDING] = "littles_concurrency",
	[CONFIDENCE] = "confidence",
	[BASIS] = "basis",
	[REVIEW] = "review"};

/* Files of figures that are no curves of drives begin with these. */
static bool is_other_kind(const struct csv_reader *r)
{
	return csv_find(r, column_names[DRIVE]) >= 0 &&
		(csv_find(r, "metric") >= 0 || csv_find(r, "test") >= 0);
}

struct reading {
	struct csv_reader csv;
	int columns[COLUMN_COUNT]; /* where each stands; -1: the file has it not */
	struct err *err;
};

static int fault(const struct reading *r, enum column column, const char *text, const char *what)
{
	char shown[64];

	str_sanitize_utf8(shown, sizeof(shown), text);
	return err_set(r->err, -EINVAL, "%s:%zu: %s \"%s\": %s", r->csv.origin, r->csv.line,
		column_names[column], shown, what);
}

static const char *field(const struct reading *r, enum column column)
{
	return r->columns[column] < 0 ? "" : r->csv.fields[r->columns[column]];
}

static int read_text(const struct reading *r, enum column column, char *buf, size_t size)
{
	if (str_copy(buf, size, field(r, column)) >= size)
		return fault(r, column, field(r, column), "is too long");
	return 0;
}

/* A figure above 0, or nothing. */
static int read_number(const struct reading *r, enum column column, double *out)
{
	const char *text = field(r, column);

	*out = NAN;
	if (!*text)
		return 0;
	if (units_parse_double(text, out, NULL) || !(*out > 0) || *out > 1e12)
		return fault(r, column, text, "is no number above 0, such as 754000 or 84.5");
	return 0;
}

static int read_confidence(const struct reading *r, enum reference_confidence *out)
{
	static const char *const names[] = {"low", "medium", "high"};
	const char *text = field(r, CONFIDENCE);

	for (int i = 0; i < 3; i++) {
		if (!strcmp(text, names[i])) {
			*out = (enum reference_confidence)i;
			return 0;
		}
	}
	return fault(r, CONFIDENCE, text, "is none of low, medium, high");
}

static int read_figures(const struct reading *r, struct reference_row *row)
{
	double drives;
	int rc = read_number(r, DRIVES_IN_GROUP, &drives);

	if (!rc && !isnan(drives) && (drives != floor(drives) || drives > 1000))
		rc = fault(r, DRIVES_IN_GROUP, field(r, DRIVES_IN_GROUP),
			"is no number of drives from 1 to 1000");
	if (!rc)
		rc = read_number(r, START_IOPS, &row->start_iops);
	if (!rc)
		rc = read_number(r, START_LATENCY, &row->start_ns);
	if (!rc)
		rc = read_number(r, PEAK_IOPS, &row->peak_iops);
	if (!rc)
		rc = read_number(r, PEAK_LATENCY, &row->peak_ns);
	if (!rc)
		rc = read_number(r, PEAK_MIB_S, &row->peak_mib_s);
	if (!rc)
		rc = read_number(r, OUTSTANDING, &row->outstanding);
	if (rc)
		return rc;
	row->drives = isnan(drives) ? 1 : (uint32_t)drives;
	row->start_iops /= row->drives;
	row->peak_iops /= row->drives;
	row->peak_mib_s /= row->drives;
	row->start_ns *= 1000;
	row->peak_ns *= 1000;
	if (isnan(row->outstanding))
		row->outstanding = row->peak_iops * row->peak_ns / 1e9;
	return 0;
}

static int read_row(struct reading *r, struct reference_row *row)
{
	const char *slash = strrchr(r->csv.origin, '/');
	int rc;

	str_format(row->origin, sizeof(row->origin), "%s:%zu", slash ? slash + 1 : r->csv.origin,
		r->csv.line);
	rc = read_text(r, DRIVE, row->drive, sizeof(row->drive));
	if (!rc && !*row->drive)
		rc = fault(r, DRIVE, "", "is missing");
	if (!rc)
		rc = read_text(r, CAPACITY, row->capacity, sizeof(row->capacity));
	if (!rc)
		rc = read_text(r, WORKLOAD_ID, row->workload, sizeof(row->workload));
	if (!rc && !*row->workload)
		rc = fault(r, WORKLOAD_ID, "", "is missing");
	if (!rc)
		rc = read_text(r, BASIS, row->basis, sizeof(row->basis));
	if (!rc)
		rc = read_text(r, REVIEW, row->review, sizeof(row->review));
	if (!rc)
		rc = read_confidence(r, &row->confidence);
	return rc ? rc : read_figures(r, row);
}

static int read_header(struct reading *r)
{
	for (int i = 0; i < COLUMN_COUNT; i++)
		r->columns[i] = csv_find(&r->csv, column_names[i]);
	static const enum column needed[] = {DRIVE, WORKLOAD_ID, PEAK_IOPS, CONFIDENCE};

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (r->columns[needed[i]] < 0)
			return err_set(r->err, -EINVAL,
				"%s:%zu: there is no column %s: the first line names the columns, as in the "
				"drives.csv that comes with nvsweep",
				r->csv.origin, r->csv.line, column_names[needed[i]]);
	return 0;
}

static int read_rows(struct reading *r, struct reference_table *table)
{
	const size_t columns = r->csv.field_count;
	int rc;

	while ((rc = csv_read(&r->csv, r->err)) > 0) {
		struct reference_row row = {.drives = 1};

		if (r->csv.field_count != columns)
			return err_set(r->err, -EINVAL,
				"%s:%zu: %zu fields, the first line names %zu", r->csv.origin,
				r->csv.line, r->csv.field_count, columns);
		rc = read_row(r, &row);
		if (rc)
			return rc;
		table->rows = mem_realloc(table->rows, (table->count + 1) * sizeof(*table->rows));
		table->rows[table->count++] = row;
	}
	return rc;
}

int reference_parse(const char *origin, const char *text, size_t length,
	struct reference_table *table, struct err *err)
{
	struct reading r = {.csv = {.origin = origin, .text = text, .length = length}, .err = err};
	const size_t before = table->count;
	int rc = csv_read(&r.csv, err);

	if (!rc)
		rc = err_set(
			err, -EINVAL, "%s: is empty: its first line names the columns", origin);
	else if (rc > 0 && is_other_kind(&r.csv))
		rc = 0;
	else if (rc > 0)
		rc = read_header(&r) ? -EINVAL : read_rows(&r, table);
	if (rc)
		table->count = before;
	csv_free(&r.csv);
	return rc;
}

int reference_load(struct reference_table *out, char **faults, struct err *err)
{
	struct asset_list list;
	struct strbuf said = {0};
	int rc;

	*out = (struct reference_table){0};
	if (faults)
		*faults = NULL;
	rc = assets_list("reference", &list, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < list.count; i++) {
		char name[128], origin[512], *text = NULL;
		struct err fault;
		size_t length;

		if (!str_ends_with(list.names[i], ".csv"))
			continue;
		err_clear(&fault);
		str_format(name, sizeof(name), "reference/%s", list.names[i]);
		if (assets_read(name, &text, &length, origin, sizeof(origin), &fault) ||
			reference_parse(origin, text, length, out, &fault))
			strbuf_addf(&said, "%s\n", fault.text);
		free(text);
	}
	asset_list_free(&list);
	if (faults)
		*faults = said.text;
	else
		strbuf_free(&said);
	return 0;
}

void reference_table_free(struct reference_table *table)
{
	free(table->rows);
	*table = (struct reference_table){0};
}
