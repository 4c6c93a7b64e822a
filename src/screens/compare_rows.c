/* The table of a comparison: matched points with their differences, or published drives. */
#include "screens/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "screens/format.h"

bool compare_published(const struct compare_screen *self)
{
	return self->count == 1;
}

static void percent(char *buf, size_t size, double value)
{
	if (isnan(value))
		str_copy(buf, size, "-");
	else
		str_format(buf, size, "%+.1f %%", value + 0.0);
}

static void cell(struct table_row *row, size_t column, const char *text, double value)
{
	table_cell(row, column, text[0] == '-' && !text[1] ? ROLE_DIM : ROLE_VALUE, "%s", text);
	table_sort_value(row, column, value);
}

/* ---- runs beside each other ------------------------------------------------------------------ */

/* POINT, then for the first run IOPS and latency, then four for each other one. */
enum { RUNS_POINT, RUNS_IOPS, RUNS_LATENCY, RUNS_OTHERS };
enum { OTHER_LATENCY_PCT, OTHER_IOPS_PCT, OTHER_IOPS, OTHER_LATENCY, OTHER_COLUMNS };

static size_t column_of(size_t run, size_t which)
{
	return RUNS_OTHERS + (run - 1) * OTHER_COLUMNS + which;
}

static size_t run_columns(const struct compare_screen *self)
{
	return RUNS_OTHERS + (self->count - 1) * OTHER_COLUMNS;
}

static void name_columns(struct compare_screen *self)
{
	const char *metric = curve_metric_name(self->metric);

	str_copy(self->titles[RUNS_POINT], sizeof(*self->titles), "POINT");
	str_copy(self->titles[RUNS_IOPS], sizeof(*self->titles), "A IOPS");
	str_format(self->titles[RUNS_LATENCY], sizeof(*self->titles), "A %s", metric);
	for (size_t i = 1; i < self->count; i++) {
		const char letter = compare_letter(i);

		str_format(self->titles[column_of(i, OTHER_LATENCY_PCT)], sizeof(*self->titles),
			"%c %s%%", letter, metric);
		str_format(self->titles[column_of(i, OTHER_IOPS_PCT)], sizeof(*self->titles),
			"%c IOPS%%", letter);
		str_format(self->titles[column_of(i, OTHER_IOPS)], sizeof(*self->titles), "%c IOPS",
			letter);
		str_format(self->titles[column_of(i, OTHER_LATENCY)], sizeof(*self->titles),
			"%c %s", letter, metric);
	}
}

static void create_runs(struct compare_screen *self)
{
	const size_t count = run_columns(self);
	struct table_column *columns = mem_alloc(count * sizeof(*columns));

	self->titles = mem_alloc(count * sizeof(*self->titles));
	name_columns(self);
	for (size_t i = 0; i < count; i++) {
		/* differences go last when room is short, then the figures behind them */
		static const int priorities[OTHER_COLUMNS] = {1, 2, 4, 3};
		const int priority =
			i < RUNS_OTHERS ? 0 : priorities[(i - RUNS_OTHERS) % OTHER_COLUMNS];

		columns[i] =
			(struct table_column){self->titles[i], 7, 9, TABLE_RIGHT, priority, true};
	}
	columns[RUNS_POINT].min_width = 8;
	columns[RUNS_POINT].max_width = 16;
	columns[RUNS_POINT].align = TABLE_LEFT;
	self->table = table_create(columns, count);
	table_set_empty(self->table, "These runs have no point in common.");
	free(columns);
}

static double against(double value, double base)
{
	return base > 0 ? (value / base - 1) * 100 : NAN;
}

static void fill_point(struct compare_screen *self, struct table_row *row, size_t run,
	const struct run_point *point, const struct run_point *base)
{
	char text[32];

	if (!point)
		return;
	const double latency = curve_metric_of(point, self->metric);
	const size_t iops_at = run ? column_of(run, OTHER_IOPS) : RUNS_IOPS;
	const size_t latency_at = run ? column_of(run, OTHER_LATENCY) : RUNS_LATENCY;

	cell(row, iops_at, format_si(text, sizeof(text), point->iops), point->iops);
	cell(row, latency_at, format_latency(text, sizeof(text), latency), latency);
	if (!run)
		return;
	double difference = base ? against(latency, curve_metric_of(base, self->metric)) : NAN;
	percent(text, sizeof(text), difference);
	cell(row, column_of(run, OTHER_LATENCY_PCT), text, difference);
	difference = base ? against(point->iops, base->iops) : NAN;
	percent(text, sizeof(text), difference);
	cell(row, column_of(run, OTHER_IOPS_PCT), text, difference);
}

static void fill_runs(struct compare_screen *self)
{
	char identity[32];

	name_columns(self);
	for (size_t i = 0; i < self->comparison.row_count; i++) {
		const struct compare_row *source = &self->comparison.rows[i];

		str_format(identity, sizeof(identity), "%zu", i);
		struct table_row *row = table_add(self->table, identity);
		table_cell(row, RUNS_POINT, source->kind == COMPARE_POINT ? ROLE_TEXT : ROLE_LABEL,
			"%s", source->label);
		table_sort_value(row, RUNS_POINT, (double)i);
		for (size_t k = 0; k < self->count; k++)
			fill_point(self, row, k, source->values[k].point, source->values[0].point);
	}
}

/* ---- one run beside the published figures ---------------------------------------------------- */

enum {
	DRIVES_MARK,
	DRIVES_NAME,
	DRIVES_OUTSTANDING,
	DRIVES_PEAK,
	DRIVES_LATENCY,
	DRIVES_RATE_PCT,
	DRIVES_LATENCY_PCT,
	DRIVES_WHY,
	DRIVES_START,
	DRIVES_START_LATENCY,
};

static void create_published(struct compare_screen *self)
{
	static const struct table_column columns[] = {
		[DRIVES_MARK] = {"", 1, 1, TABLE_LEFT, 0, false},
		[DRIVES_NAME] = {"DRIVE", 22, 34, TABLE_LEFT, 0, true},
		[DRIVES_OUTSTANDING] = {"OUT", 4, 5, TABLE_RIGHT, 2, true},
		[DRIVES_PEAK] = {"PEAK", 7, 10, TABLE_RIGHT, 0, true},
		[DRIVES_LATENCY] = {"LATENCY", 7, 8, TABLE_RIGHT, 0, true},
		[DRIVES_RATE_PCT] = {"RUN RATE", 8, 9, TABLE_RIGHT, 0, true},
		[DRIVES_LATENCY_PCT] = {"RUN MEAN", 8, 9, TABLE_RIGHT, 1, true},
		[DRIVES_WHY] = {"", 28, 34, TABLE_LEFT, 3, false},
		[DRIVES_START] = {"START", 6, 7, TABLE_RIGHT, 4, true},
		[DRIVES_START_LATENCY] = {"LATENCY", 7, 8, TABLE_RIGHT, 4, true},
	};

	self->table = table_create(columns, sizeof(columns) / sizeof(columns[0]));
	table_set_empty(self->table, "No figures are published for this workload.");
}

static void add_run(struct compare_screen *self)
{
	const struct reference_comparison *p = &self->published;
	char text[32];

	if (p->point < 0)
		return;
	struct table_row *row = table_add(self->table, "run");
	table_cell(row, DRIVES_MARK, ROLE_GRAPH_P50, "%s", self->screen.desk->ascii ? "A" : "●");
	table_cell(row, DRIVES_NAME, ROLE_TITLE, "%sthis run",
		self->runs[0]->simulated ? "SIMULATED, " : "");
	cell(row, DRIVES_OUTSTANDING, format_count(text, sizeof(text), p->outstanding_limit),
		p->outstanding_limit);
	if (p->by_mib_s)
		cell(row, DRIVES_PEAK, format_mib(text, sizeof(text), p->mib_s), p->mib_s);
	else
		cell(row, DRIVES_PEAK, format_si(text, sizeof(text), p->iops), p->iops);
	cell(row, DRIVES_LATENCY, format_latency(text, sizeof(text), p->mean_ns), p->mean_ns);
	table_cell(row, DRIVES_WHY, ROLE_DIM, "%s", self->runs[0]->points[p->point].label);
}

static void add_drive(struct compare_screen *self, size_t index)
{
	const struct reference_comparison *p = &self->published;
	const struct reference_match *match = &p->rows[index];
	const struct reference_row *source = match->row;
	char identity[32], text[96];

	str_format(identity, sizeof(identity), "%zu", index);
	struct table_row *row = table_add(self->table, identity);
	table_cell(row, DRIVES_MARK, ROLE_GRAPH_REFERENCE, "%c", curve_overlays_letter(p, index));
	table_cell(row, DRIVES_NAME, match->comparable ? ROLE_TEXT : ROLE_DIM, "%s",
		reference_name(source, text, sizeof(text)));
	cell(row, DRIVES_OUTSTANDING, format_count(text, sizeof(text), round(source->outstanding)),
		source->outstanding);
	if (p->by_mib_s)
		cell(row, DRIVES_PEAK, format_mib(text, sizeof(text), match->mib_s), match->mib_s);
	else
		cell(row, DRIVES_PEAK, format_si(text, sizeof(text), source->peak_iops),
			source->peak_iops);
	cell(row, DRIVES_LATENCY, format_latency(text, sizeof(text), source->peak_ns),
		source->peak_ns);
	cell(row, DRIVES_START, format_si(text, sizeof(text), source->start_iops),
		source->start_iops);
	cell(row, DRIVES_START_LATENCY, format_latency(text, sizeof(text), source->start_ns),
		source->start_ns);
	if (!match->comparable) {
		table_cell(row, DRIVES_WHY, ROLE_WARN, "%s", match->why);
		return;
	}
	percent(text, sizeof(text), match->rate_pct);
	cell(row, DRIVES_RATE_PCT, text, match->rate_pct);
	percent(text, sizeof(text), match->latency_pct);
	cell(row, DRIVES_LATENCY_PCT, text, match->latency_pct);
	if (match->tie)
		table_cell(row, DRIVES_WHY, ROLE_DIM, "a tie");
	else if (source->confidence == REFERENCE_MEDIUM)
		table_cell(row, DRIVES_WHY, ROLE_DIM, "not quite sure");
}

/* Best first, the run in its place; then what cannot be compared. */
static void fill_published(struct compare_screen *self)
{
	const struct reference_comparison *p = &self->published;
	const size_t place = p->rank ? p->rank - 1 : 0;

	for (size_t i = 0; i < p->count; i++) {
		if (i == place)
			add_run(self);
		add_drive(self, i);
	}
	if (p->count && place >= p->count)
		add_run(self);
}

/* ---- both ------------------------------------------------------------------------------------ */

void compare_rows_create(struct compare_screen *self)
{
	if (compare_published(self))
		create_published(self);
	else
		create_runs(self);
}

void compare_rows_fill(struct compare_screen *self)
{
	table_begin(self->table);
	if (compare_published(self))
		fill_published(self);
	else
		fill_runs(self);
	table_end(self->table);
}

/* The row under the cursor as an index; -1 none, or the run itself. */
static int selected(const struct compare_screen *self)
{
	const char *identity = table_selected(self->table);

	return identity[0] >= '0' && identity[0] <= '9' ? atoi(identity) : -1;
}

int compare_rows_point(const struct compare_screen *self, size_t *series)
{
	const int at = selected(self);
	const struct run *run = self->runs[0];

	*series = 0;
	if (compare_published(self)) {
		if (at < 0 || curve_overlays_letter(&self->published, (size_t)at) == ' ')
			return self->published.point;
		*series = 1 + (size_t)(curve_overlays_letter(&self->published, (size_t)at) - 'a');
		return 1; /* start, then peak */
	}
	if (at < 0 || (size_t)at >= self->comparison.row_count)
		return -1;
	const struct run_point *point = self->comparison.rows[at].values[0].point;
	/* the maximum is none of the points */
	return point && point >= run->points && point < run->points + run->point_count
		? (int)(point - run->points)
		: -1;
}

static void words_of_row(
	const struct compare_screen *self, const struct compare_row *row, char *buf, size_t size)
{
	char iops[32], latency[32], difference[32];

	str_format(buf, size, "%s:", row->label);
	for (size_t i = 0; i < self->count; i++) {
		const struct run_point *point = row->values[i].point, *base = row->values[0].point;

		if (!point) {
			str_append(buf, size, "%s %c none", i ? "  " : "", compare_letter(i));
			continue;
		}
		const double ns = curve_metric_of(point, self->metric);
		str_append(buf, size, "%s %c %s at %s", i ? "  " : "", compare_letter(i),
			format_si(iops, sizeof(iops), point->iops),
			format_latency(latency, sizeof(latency), ns));
		if (!i || !base)
			continue;
		percent(difference, sizeof(difference),
			against(ns, curve_metric_of(base, self->metric)));
		str_append(buf, size, " (%s)", difference);
	}
}

static void words_of_drive(const struct compare_screen *self, const struct reference_match *match,
	char *buf, size_t size)
{
	const struct reference_row *row = match->row;
	char name[96], iops[32], latency[32];

	if (self->published.by_mib_s)
		format_mib(iops, sizeof(iops), match->mib_s);
	else
		format_si(iops, sizeof(iops), row->peak_iops);
	str_format(buf, size, "%s: peak %s%s at %s", reference_name(row, name, sizeof(name)), iops,
		self->published.by_mib_s ? "" : " IOPS",
		format_latency(latency, sizeof(latency), row->peak_ns));
	if (row->start_iops > 0)
		str_append(buf, size, ", start %s at %s",
			format_si(iops, sizeof(iops), row->start_iops),
			format_latency(latency, sizeof(latency), row->start_ns));
	if (!match->comparable)
		str_append(buf, size, "; %s, this run at %.0f: not comparable", match->why,
			self->published.outstanding_limit);
	str_append(buf, size, "; %s, review %s", row->basis, row->review);
}

void compare_rows_words(const struct compare_screen *self, char *buf, size_t size)
{
	const int at = selected(self);

	str_copy(buf, size, "");
	if (at < 0)
		return;
	if (compare_published(self) && (size_t)at < self->published.count)
		words_of_drive(self, &self->published.rows[at], buf, size);
	else if (!compare_published(self) && (size_t)at < self->comparison.row_count)
		words_of_row(self, &self->comparison.rows[at], buf, size);
}
