/* A run beside the published figures of its workload: which of them may be compared, and its rank. */
#include "result/reference.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ini.h"
#include "base/str.h"
#include "base/units.h"
#include "conf/assets.h"

#define SAME_OUTSTANDING 0.10
#define TIE_PCT 1.0
#define MIB (1024.0 * 1024.0)

__attribute__((format(printf, 2, 3))) static void note(
	struct reference_comparison *c, const char *format, ...)
{
	va_list args;

	if (c->note_count == sizeof(c->notes) / sizeof(c->notes[0]))
		return;
	va_start(args, format);
	vsnprintf(c->notes[c->note_count++], sizeof(c->notes[0]), format, args);
	va_end(args);
}

char *reference_name(const struct reference_row *row, char *buf, size_t size)
{
	str_copy(buf, size, row->drive);
	if (*row->capacity)
		str_append(buf, size, " %s", row->capacity);
	if (row->drives > 1)
		str_append(buf, size, " (1 of %u)", row->drives);
	return buf;
}

/* ---- may the run be compared at all --------------------------------------------------------- */

static double parameter(const struct run *run, const char *key, double absent)
{
	double value;
	uint64_t bytes;

	for (size_t i = 0; i < run->parameter_count; i++) {
		if (strcmp(run->parameters[i].key, key))
			continue;
		if (!units_parse_double(run->parameters[i].value, &value, NULL))
			return value;
		if (!units_parse_size(run->parameters[i].value, &bytes, NULL))
			return (double)bytes;
	}
	return absent;
}

static const char *changed_profile(const struct run *run)
{
	if (parameter(run, "block_bytes", 0) > 0)
		return "block_bytes";
	if (parameter(run, "read_pct", -1) >= 0)
		return "read_pct";
	if (parameter(run, "random_pct", -1) >= 0)
		return "random_pct";
	return NULL;
}

static bool is_method(const struct run *run, const char *name)
{
	return !strcmp(run->method, name);
}

static bool mix_is_unknown(const struct run *run)
{
	struct ini *ini = NULL;
	bool unknown = false;
	const char *value;

	if (!run->workload_text)
		return false;
	if (ini_parse(run->workload, run->workload_text, strlen(run->workload_text), &ini, NULL))
		return false;
	value = ini_get(ini, "workload", "mix_unknown");
	if (value)
		units_parse_bool(value, &unknown, NULL);
	ini_free(ini);
	return unknown;
}

/* ---- which point ---------------------------------------------------------------------------- */

static double per_target(const struct run *run, double value)
{
	return run->target_count > 1 ? value / (double)run->target_count : value;
}

static bool same_count(double row, double run)
{
	return run > 0 && fabs(row - run) <= SAME_OUTSTANDING * run;
}

static bool of_workload(const struct reference_row *row, const struct run *run)
{
	return row->confidence > REFERENCE_LOW && !strcmp(row->workload, run->workload);
}

/* Of a depth run the step whose count most rows share, of two the deeper. */
static int depth_point(const struct reference_table *table, const struct run *run)
{
	size_t most = 0;
	int best = -1;

	for (size_t p = 0; p < run->point_count; p++) {
		const double limit = per_target(run, run->points[p].outstanding_limit);
		size_t fits = 0;

		for (size_t i = 0; i < table->count; i++)
			fits += of_workload(&table->rows[i], run) &&
				same_count(table->rows[i].outstanding, limit);
		if (fits && fits >= most) {
			most = fits;
			best = (int)p;
		}
	}
	return best;
}

static int choose_point(const struct reference_table *table, const struct run *run)
{
	int point = -1;

	if (is_method(run, "depth"))
		point = depth_point(table, run);
	if (point < 0 && run->has_analysis)
		point = run->analysis.peak;
	return point >= 0 && (size_t)point < run->point_count ? point : -1;
}

static void fill_run(struct reference_comparison *c, const struct run *run)
{
	const struct run_point *point = &run->points[c->point];

	c->iops = per_target(run, point->iops);
	c->mib_s = per_target(run, point->mib_s);
	c->mean_ns = point->service.mean;
	c->outstanding_limit = per_target(run, point->outstanding_limit);
	c->outstanding_avg = per_target(run, point->outstanding_avg);
	if (!is_method(run, "curve") || !run->has_analysis || run->analysis.start < 0)
		return;
	point = &run->points[run->analysis.start];
	c->start_iops = per_target(run, point->iops);
	c->start_ns = point->service.mean;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static double percent_off(double value, double base)
{
	return isfinite(value) && isfinite(base) && base > 0 ? (value / base - 1) * 100 : NAN;
}

static double rate_of(const struct reference_comparison *c, const struct reference_match *match)
{
	return c->by_mib_s ? match->mib_s : match->row->peak_iops;
}

static double rate_of_run(const struct reference_comparison *c)
{
	return c->by_mib_s ? c->mib_s : c->iops;
}

static void judge_row(struct reference_comparison *c, struct reference_match *match)
{
	const struct reference_row *row = match->row;
	char count[32];

	if (isnan(row->outstanding)) {
		str_copy(match->why, sizeof(match->why), "its outstanding count is not known");
	} else if (isnan(rate_of(c, match))) {
		str_copy(match->why, sizeof(match->why), "its peak is not published");
	} else if (c->point < 0) {
		str_copy(match->why, sizeof(match->why), "the run has no point to compare");
	} else if (!same_count(row->outstanding, c->outstanding_limit) &&
		!same_count(row->outstanding, c->outstanding_avg)) {
		units_double(count, sizeof(count), round(row->outstanding));
		str_format(match->why, sizeof(match->why), "published at %s outstanding", count);
	} else {
		match->comparable = true;
		match->rate_pct = percent_off(rate_of_run(c), rate_of(c, match));
		match->latency_pct = percent_off(c->mean_ns, row->peak_ns);
		match->tie = fabs(match->rate_pct) <= TIE_PCT;
	}
}

static void add_rows(
	struct reference_comparison *c, const struct reference_table *table, const struct run *run)
{
	const double block = c->iops > 0 ? c->mib_s * MIB / c->iops : NAN;

	for (size_t i = 0; i < table->count; i++) {
		const struct reference_row *row = &table->rows[i];

		if (!of_workload(row, run))
			continue;
		c->by_mib_s = c->by_mib_s || !isnan(row->peak_mib_s);
		c->rows = mem_realloc(c->rows, (c->count + 1) * sizeof(*c->rows));
		c->rows[c->count++] = (struct reference_match){.row = row,
			.rate_pct = NAN,
			.latency_pct = NAN,
			/* The published MiB/s have fewer digits than the IOPS. */
			.mib_s = isnan(row->peak_iops) || isnan(block)
				? row->peak_mib_s
				: row->peak_iops * block / MIB};
	}
	for (size_t i = 0; i < c->count; i++) {
		judge_row(c, &c->rows[i]);
		c->comparable += c->rows[i].comparable;
	}
}

/* The rows' MiB/s stand in the order of their IOPS, and of a sequential workload they may be all that
 * is published. */
static double order_of(const struct reference_match *match)
{
	const double rate = isnan(match->mib_s) ? match->row->peak_iops : match->mib_s;

	return isnan(rate) ? 0 : rate;
}

static int best_first(const void *a, const void *b)
{
	const struct reference_match *x = a, *y = b;

	if (x->comparable != y->comparable)
		return x->comparable ? -1 : 1;
	if (order_of(x) != order_of(y))
		return order_of(x) < order_of(y) ? 1 : -1;
	return strcmp(x->row->origin, y->row->origin);
}

/* ---- words ---------------------------------------------------------------------------------- */

static void add_gap(struct reference_comparison *c, const struct reference_match *match,
	const char *word, bool *begun)
{
	char name[96], gap[96];
	const double pct = fabs(match->rate_pct);

	if (match->tie)
		str_copy(gap, sizeof(gap), "level with");
	else
		str_format(gap, sizeof(gap), pct < 9.95 ? "%.1f %% %s" : "%.0f %% %s", pct, word);
	str_append(c->rank_text, sizeof(c->rank_text), "%s%s %s", *begun ? ", " : ": ", gap,
		reference_name(match->row, name, sizeof(name)));
	*begun = true;
}

/* "rank 2 of 5 (this run and 4 published): 1.2 % behind Intel P5510, 17 % ahead of Samsung PM9A3":
 * the next ahead, those that are level, the next behind. */
static void tell_rank(struct reference_comparison *c, const struct run *run)
{
	const struct reference_match *ahead = NULL, *behind = NULL;
	bool begun = false;

	if (!c->comparable)
		return;
	c->rank = 1;
	for (size_t i = 0; i < c->comparable; i++) {
		const struct reference_match *match = &c->rows[i];

		if (match->tie)
			continue;
		if (match->rate_pct < 0) {
			c->rank++;
			if (!ahead || match->rate_pct > ahead->rate_pct)
				ahead = match;
		} else if (!behind || match->rate_pct < behind->rate_pct) {
			behind = match;
		}
	}
	str_format(c->rank_text, sizeof(c->rank_text),
		"%srank %u of %zu (this run and %zu published)",
		run->simulated ? "SIMULATED: " : "", c->rank, c->comparable + 1, c->comparable);
	if (ahead)
		add_gap(c, ahead, "behind", &begun);
	for (size_t i = 0; i < c->comparable; i++)
		if (c->rows[i].tie)
			add_gap(c, &c->rows[i], "", &begun);
	if (behind)
		add_gap(c, behind, "ahead of", &begun);
}

static void tell_notes(struct reference_comparison *c, const struct run *run)
{
	const struct run_point *point = &run->points[c->point];

	if (run->simulated)
		note(c, "The run is of a SIMULATED drive.");
	if (c->mix_unknown)
		note(c,
			"The mix of block sizes that the reviews used is not known: what is said about "
			"this workload is a hint, no measure.");
	if (run->target_count > 1)
		note(c, "Figures are per drive: %zu were tested at once.", run->target_count);
	if (is_method(run, "depth"))
		note(c,
			"Of the depths the step \"%s\" is held against the figures, which are peaks of "
			"curves.",
			point->label);
	else if (!is_method(run, "curve"))
		note(c, "Published is the peak of a curve, measured here is a closed loop.");
	else if (run->outcome != RUN_COMPLETE)
		note(c, "The run was %s: its peak may not have been reached.",
			run_outcome_name(run->outcome));
	if (!strcmp(point->limited_by, "host"))
		note(c, "The host was the limit of the run, not the drive.");
	if (run->spoiled_count)
		note(c, "Something spoils the run: see there before you judge the drive.");
	const char *builtin;
	char name[96];
	size_t length;

	str_format(name, sizeof(name), "workloads/%s.ini", run->workload);
	builtin = assets_builtin(name, &length);
	if (builtin && run->workload_text &&
		(strlen(run->workload_text) != length ||
			memcmp(run->workload_text, builtin, length) != 0))
		note(c, "The workload's file is not the one that comes with nvsweep.");
}

void reference_compare_point(const struct reference_table *table, const struct run *run, int point,
	struct reference_comparison *out)
{
	const char *changed = changed_profile(run);

	*out = (struct reference_comparison){.point = -1,
		.iops = NAN,
		.mib_s = NAN,
		.mean_ns = NAN,
		.outstanding_limit = NAN,
		.outstanding_avg = NAN,
		.start_iops = NAN,
		.start_ns = NAN};
	if (changed) {
		str_format(out->none, sizeof(out->none),
			"%s was changed: the run is not of the published profile", changed);
		return;
	}
	out->point =
		point >= 0 && (size_t)point < run->point_count ? point : choose_point(table, run);
	if (out->point >= 0 && is_method(run, "fixed") && run->points[out->point].asked_iops > 0) {
		str_copy(out->none, sizeof(out->none),
			"a fixed rate was asked for: the run has no peak to compare");
		out->point = -1;
		return;
	}
	out->mix_unknown = mix_is_unknown(run);
	if (out->point >= 0)
		fill_run(out, run);
	add_rows(out, table, run);
	if (out->count > 1)
		qsort(out->rows, out->count, sizeof(*out->rows), best_first);
	if (!out->count)
		str_format(out->none, sizeof(out->none), "nothing is published for the workload %s",
			run->workload);
	else if (out->point < 0)
		str_copy(out->none, sizeof(out->none), "the run has no point to compare");
	else if (!out->comparable)
		str_format(out->none, sizeof(out->none),
			"nothing is published at %.0f outstanding, only at other counts",
			out->outstanding_limit);
	if (out->point >= 0 && out->count)
		tell_notes(out, run);
	tell_rank(out, run);
}

void reference_compare(const struct reference_table *table, const struct run *run,
	struct reference_comparison *out)
{
	reference_compare_point(table, run, -1, out);
}

void reference_comparison_free(struct reference_comparison *comparison)
{
	free(comparison->rows);
	comparison->rows = NULL;
	comparison->count = comparison->comparable = 0;
}
