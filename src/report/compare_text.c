/* Tables of differences. */
#include "report/compare_text.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "report/run_cells.h"

#define CELL_BYTES 40

static void list_part(struct strbuf *out, const struct text_style *style, const char *title,
	char (*sentences)[256], size_t count)
{
	if (!count)
		return;
	strbuf_addf(out, "\n%s\n", title);
	for (size_t i = 0; i < count; i++) {
		strbuf_add(out, "  - ");
		text_wrap(out, style, 4, 4, sentences[i]);
	}
}

static void runs_part(
	const struct comparison *c, const struct text_style *style, struct strbuf *out)
{
	static const struct text_column columns[] = {
		{.title = ""},
		{.title = "RUN", .shrink_to = 24},
		{.title = "TARGET", .shrink_to = 8, .drop = 3},
		{.title = "MODEL", .shrink_to = 10, .drop = 1},
		{.title = "WORKLOAD", .shrink_to = 12, .drop = 2},
		{.title = "METHOD"},
		{.title = ""},
	};
	struct text_table table;

	text_table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < c->run_count; i++) {
		const struct run *run = c->runs[i];
		const bool target = run->target_count > 0;
		char letter[2] = {compare_letter(i), '\0'}, name[96];

		str_copy(name, sizeof(name), target ? run->targets[0].name : "-");
		if (run->target_count > 1)
			str_append(name, sizeof(name), " +%zu", run->target_count - 1);
		text_table_add(&table,
			(const char *const[]){letter, run->id, name,
				target ? run->targets[0].model : "", run->workload, run->method,
				run->simulated ? "SIMULATED" : ""});
	}
	text_table_print(&table, style, out);
	text_table_free(&table);
}

/* ---- the table of differences --------------------------------------------------------------- */

enum measure { IOPS, MIB_S, MEAN, P99, MEASURE_COUNT };

static const char *const measure_names[] = {"IOPS", "MiB/s", "MEAN", "p99"};
static const char *const measure_titles[] = {
	"IOPS", "MiB/s", "Mean service latency", "99th percentile of the service latency"};

static char *measure_cell(
	char *dst, enum measure measure, const struct run_point *point, bool ascii)
{
	if (!point)
		str_copy(dst, CELL_BYTES, "");
	else if (measure == IOPS)
		run_cell_rate(dst, CELL_BYTES, point->iops);
	else if (measure == MIB_S)
		run_cell_decimal(dst, CELL_BYTES, point->mib_s);
	else
		run_cell_latency(dst, CELL_BYTES,
			measure == MEAN ? point->service.mean : point->service.p99, ascii);
	return dst;
}

static char *difference_cell(char *dst, enum measure measure, const struct compare_value *value)
{
	const double differences[] = {
		value->iops_pct, value->mib_s_pct, value->mean_pct, value->p99_pct};

	return run_cell_percent(dst, CELL_BYTES, differences[measure]);
}

/* Adds the cells of one measure from *at on: the base, then each run with its difference. */
static void measure_cells(const struct comparison *c, const struct compare_row *row,
	enum measure measure, bool ascii, char (*cells)[CELL_BYTES], size_t *at)
{
	for (size_t i = 0; i < c->run_count; i++) {
		measure_cell(cells[(*at)++], measure, row->values[i].point, ascii);
		if (i)
			difference_cell(cells[(*at)++], measure, &row->values[i]);
	}
}

static void table_of(const struct comparison *c, const enum measure *measures, size_t count,
	const struct text_style *style, struct strbuf *out)
{
	struct text_column columns[TEXT_TABLE_COLUMNS] = {{.title = "POINT"}};
	char titles[TEXT_TABLE_COLUMNS][16], cells[TEXT_TABLE_COLUMNS][CELL_BYTES];
	const char *texts[TEXT_TABLE_COLUMNS];
	struct text_table table;
	size_t column = 1;

	for (size_t m = 0; m < count; m++) {
		/* The mean latency stays longest, and whole measures go before others. */
		static const int drops[] = {[IOPS] = 0, [MIB_S] = 3, [MEAN] = 1, [P99] = 2};

		for (size_t i = 0; i < c->run_count; i++) {
			const int drop = count > 1 ? drops[measures[m]] : 0;

			str_format(titles[column], sizeof(titles[0]),
				count > 1 ? "%s %c" : "%.0s%c", measure_names[measures[m]],
				compare_letter(i));
			columns[column] = (struct text_column){
				.title = titles[column], .right = true, .drop = drop};
			column++;
			if (i)
				columns[column++] = (struct text_column){
					.title = style->ascii ? "+/-" : "\u00b1",
					.right = true,
					.drop = drop};
		}
	}
	text_table_init(&table, columns, column);
	for (size_t r = 0; r < c->row_count; r++) {
		size_t at = 1;

		str_copy(cells[0], CELL_BYTES, c->rows[r].label);
		for (size_t m = 0; m < count; m++)
			measure_cells(c, &c->rows[r], measures[m], style->ascii, cells, &at);
		for (size_t i = 0; i < column; i++)
			texts[i] = cells[i];
		text_table_add(&table, texts);
	}
	text_table_print(&table, style, out);
	text_table_free(&table);
}

static bool runs_differ_in_block_size(const struct comparison *c)
{
	for (size_t r = 0; r < c->row_count; r++)
		for (size_t i = 1; i < c->run_count; i++) {
			const struct compare_value *value = &c->rows[r].values[i];

			if (fabs(value->iops_pct - value->mib_s_pct) > 0.5)
				return true;
		}
	return false;
}

static void difference_part(
	const struct comparison *c, const struct text_style *style, struct strbuf *out)
{
	/* MiB/s say something of their own only where the blocks are not alike. */
	const bool mib = runs_differ_in_block_size(c);
	enum measure measures[MEASURE_COUNT];
	size_t count = 0;

	measures[count++] = IOPS;
	if (mib)
		measures[count++] = MIB_S;
	measures[count++] = MEAN;
	measures[count++] = P99;
	if (c->run_count == 2) {
		strbuf_add(out, "\n");
		table_of(c, measures, count, style, out);
		return;
	}
	for (size_t m = 0; m < count; m++) {
		strbuf_addf(out, "\n%s\n", measure_titles[measures[m]]);
		table_of(c, &measures[m], 1, style, out);
	}
}

static bool shares_are_of_each_own_maximum(const struct comparison *c)
{
	for (size_t r = 0; r < c->point_rows; r++)
		for (size_t i = 0; i < c->run_count; i++)
			if (c->rows[r].values[i].point && c->rows[r].values[i].point->percent > 0)
				return true;
	return false;
}

void compare_text(
	const struct comparison *comparison, const struct text_style *style, struct strbuf *out)
{
	runs_part(comparison, style, out);
	list_part(out, style, "How these runs are unlike", comparison->unlike,
		comparison->unlike_count);
	if (!comparison->row_count) {
		strbuf_add(out, "\n");
		text_wrap(out, style, 0, 0,
			"These runs have no point in common: another method, other shares, or nothing was "
			"measured.");
	} else {
		difference_part(comparison, style, out);
		text_wrap(out, style, 0, 0,
			"Latencies are service times. Differences are to A: + is more.");
		if (shares_are_of_each_own_maximum(comparison))
			text_wrap(out, style, 0, 0,
				"A share is that of each run's own maximum, which is not the same rate.");
	}
	list_part(out, style, "What makes figures doubtful", comparison->doubts,
		comparison->doubt_count);
}

/* ---- published figures ---------------------------------------------------------------------- */

static const struct text_column reference_columns[] = {
	{.title = "RANK", .right = true},
	{.title = "DRIVE", .shrink_to = 20},
	{.title = "IOPS", .right = true},
	{.title = "MiB/s", .right = true, .drop = 2},
	{.title = "MEAN", .right = true},
	{.title = "OUT", .right = true, .drop = 3},
	{.title = "RUN IS", .right = true},
	{.title = "LATENCY", .right = true, .drop = 1},
	{.title = "START", .right = true, .drop = 4},
	{.title = "REVIEW", .drop = 5},
	{.title = "BASIS", .drop = 6},
};

/* The mean latency at the start of a curve; nothing where the run has none or it is not published. */
static char *start_cell(char *dst, size_t size, double run_ns, double ns, bool ascii)
{
	str_copy(dst, size, "");
	if (!isnan(run_ns) && !isnan(ns))
		run_cell_latency(dst, size, ns, ascii);
	return dst;
}

static void reference_row_add(const struct reference_comparison *c, struct text_table *table,
	const struct reference_match *match, const char *rank, const struct text_style *style)
{
	const struct reference_row *row = match->row;
	char name[96], iops[32], mib[32], mean[32], count[32], rate[32], latency[32], start[32];
	char basis[80];

	str_copy(basis, sizeof(basis), row->basis);
	if (row->confidence == REFERENCE_MEDIUM)
		str_append(basis, sizeof(basis), ", medium confidence");
	text_table_add(table,
		(const char *const[]){rank, reference_name(row, name, sizeof(name)),
			run_cell_rate(iops, sizeof(iops), row->peak_iops),
			c->by_mib_s ? run_cell_rate(mib, sizeof(mib), match->mib_s) : "",
			run_cell_latency(mean, sizeof(mean), row->peak_ns, style->ascii),
			run_cell_decimal(count, sizeof(count), row->outstanding),
			match->comparable ? run_cell_percent(rate, sizeof(rate), match->rate_pct)
					  : "",
			match->comparable
				? run_cell_percent(latency, sizeof(latency), match->latency_pct)
				: "",
			start_cell(start, sizeof(start), c->start_ns, row->start_ns, style->ascii),
			row->review, basis});
}

static void reference_run_add(const struct reference_comparison *c, struct text_table *table,
	const struct text_style *style)
{
	char rank[16], iops[32], mib[32], mean[32], count[32], start[32];

	str_format(rank, sizeof(rank), "%u", c->rank);
	text_table_add(table,
		(const char *const[]){rank, "this run", run_cell_rate(iops, sizeof(iops), c->iops),
			c->by_mib_s ? run_cell_rate(mib, sizeof(mib), c->mib_s) : "",
			run_cell_latency(mean, sizeof(mean), c->mean_ns, style->ascii),
			run_cell_decimal(count, sizeof(count), c->outstanding_avg), "", "",
			start_cell(start, sizeof(start), c->start_ns, c->start_ns, style->ascii),
			"", ""});
}

/* Ranks as they are told: rows that are level with the run share its rank. */
static void comparable_part(
	const struct reference_comparison *c, const struct text_style *style, struct strbuf *out)
{
	struct text_table table;
	bool run_added = false;
	uint32_t place = 0;

	text_table_init(&table, reference_columns,
		sizeof(reference_columns) / sizeof(reference_columns[0]));
	for (size_t i = 0; i < c->comparable; i++) {
		const struct reference_match *match = &c->rows[i];
		char rank[16];

		if (!run_added && match->rate_pct >= 0) {
			reference_run_add(c, &table, style);
			run_added = true;
			place++;
		}
		place++;
		str_format(rank, sizeof(rank), "%u", match->tie ? c->rank : place);
		reference_row_add(c, &table, match, rank, style);
	}
	if (!run_added)
		reference_run_add(c, &table, style);
	text_table_print(&table, style, out);
	text_table_free(&table);
}

static void incomparable_part(
	const struct reference_comparison *c, const struct text_style *style, struct strbuf *out)
{
	strbuf_add(out, "\nPublished for this workload, but not comparable\n");
	for (size_t i = c->comparable; i < c->count; i++) {
		const struct reference_match *match = &c->rows[i];
		char name[96], rate[32], mean[32], text[256];

		str_format(text, sizeof(text), "%s: %s IOPS at %s, %s",
			reference_name(match->row, name, sizeof(name)),
			run_cell_rate(rate, sizeof(rate), match->row->peak_iops),
			run_cell_latency(mean, sizeof(mean), match->row->peak_ns, style->ascii),
			match->why);
		strbuf_add(out, "  - ");
		text_wrap(out, style, 4, 4, text);
	}
}

void reference_text(const struct reference_comparison *comparison, const struct text_style *style,
	struct strbuf *out)
{
	if (comparison->comparable) {
		comparable_part(comparison, style, out);
		text_wrap(out, style, 0, 0,
			"RUN IS and LATENCY: rate and mean latency of this run against the published "
			"figure. OUT: outstanding.");
		if (!isnan(comparison->start_ns))
			text_wrap(out, style, 0, 0,
				"START: mean latency at the start of the curve, about 10 % of the peak.");
		strbuf_add(out, "\n");
		text_wrap(out, style, 0, 0, comparison->rank_text);
	}
	if (*comparison->none) {
		strbuf_add(out, "no comparison: ");
		text_wrap(out, style, 15, 15, comparison->none);
	}
	for (size_t i = 0; i < comparison->note_count; i++)
		text_wrap(out, style, 0, 0, comparison->notes[i]);
	if (comparison->count > comparison->comparable)
		incomparable_part(comparison, style, out);
}
