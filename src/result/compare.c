/* Matching points of several runs, and their differences to the first run. */
#include "result/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "result/compare_words.h"

#define PERCENT_SAME 0.05 /* shares of the maximum that are the same point */

char compare_letter(size_t index)
{
	return (char)('A' + index);
}

static double difference(double value, double base)
{
	if (!isfinite(value) || !isfinite(base) || base <= 0)
		return NAN;
	return (value / base - 1) * 100;
}

static void fill_differences(struct compare_row *row, size_t runs)
{
	const struct run_point *base = row->values[0].point;

	for (size_t i = 0; i < runs; i++) {
		struct compare_value *value = &row->values[i];

		value->iops_pct = value->mib_s_pct = value->mean_pct = value->p99_pct = NAN;
		if (!i || !base || !value->point)
			continue;
		value->iops_pct = difference(value->point->iops, base->iops);
		value->mib_s_pct = difference(value->point->mib_s, base->mib_s);
		value->mean_pct = difference(value->point->service.mean, base->service.mean);
		value->p99_pct = difference(value->point->service.p99, base->service.p99);
	}
}

static bool same_point(const struct run_point *a, const struct run_point *b)
{
	if (a->percent > 0 || b->percent > 0)
		return fabs(a->percent - b->percent) < PERCENT_SAME;
	return !strcmp(a->label, b->label);
}

static const struct run_point *find_point(const struct run *run, const struct run_point *like)
{
	for (size_t i = 0; i < run->point_count; i++)
		if (same_point(&run->points[i], like))
			return &run->points[i];
	return NULL;
}

static struct compare_row *add_row(struct comparison *c, enum compare_kind kind, const char *label)
{
	struct compare_row *row;

	c->rows = mem_realloc(c->rows, (c->row_count + 1) * sizeof(*c->rows));
	row = &c->rows[c->row_count++];
	*row = (struct compare_row){.kind = kind};
	str_copy(row->label, sizeof(row->label), label);
	return row;
}

/* A point that at least two runs have, each once; in the order of the run that has it first. */
static void match_points(struct comparison *c)
{
	for (size_t r = 0; r + 1 < c->run_count; r++) {
		for (size_t p = 0; p < c->runs[r]->point_count; p++) {
			const struct run_point *point = &c->runs[r]->points[p];
			struct compare_row row = {.kind = COMPARE_POINT};
			size_t found = 0;
			bool earlier = false;

			for (size_t i = 0; i < c->run_count; i++) {
				row.values[i].point = find_point(c->runs[i], point);
				found += row.values[i].point != NULL;
				earlier = earlier || (i < r && row.values[i].point);
			}
			if (found < 2 || earlier)
				continue;
			struct compare_row *to = add_row(c, COMPARE_POINT, point->label);

			memcpy(to->values, row.values, sizeof(row.values));
		}
	}
	c->point_rows = c->row_count;
}

static int by_load(const void *a, const void *b)
{
	const struct run_point *p[2] = {NULL, NULL};
	const struct compare_row *rows[2] = {a, b};

	for (size_t r = 0; r < 2; r++)
		for (size_t i = 0; i < COMPARE_RUNS_MAX && !p[r]; i++)
			p[r] = rows[r]->values[i].point;
	if (p[0]->percent != p[1]->percent)
		return p[0]->percent < p[1]->percent ? -1 : 1;
	return (p[0]->outstanding_limit > p[1]->outstanding_limit) -
		(p[0]->outstanding_limit < p[1]->outstanding_limit);
}

static const struct run_point *analysed(const struct run *run, enum compare_kind kind)
{
	const struct curve_analysis *a = &run->analysis;
	int index = -1;

	if (kind == COMPARE_MAXIMUM)
		return run->has_maximum ? &run->maximum : NULL;
	if (!run->has_analysis)
		return NULL;
	if (kind == COMPARE_START)
		index = a->start;
	else if (kind == COMPARE_KNEE)
		index = a->knee_chord;
	else if (kind == COMPARE_PEAK)
		index = a->peak;
	return index >= 0 && (size_t)index < run->point_count ? &run->points[index] : NULL;
}

/* What the analysis found, where at least two runs have it. A single load has neither start nor knee. */
static void match_analysis(struct comparison *c)
{
	static const struct {
		enum compare_kind kind;
		const char *label;
	} kinds[] = {{COMPARE_MAXIMUM, "maximum"}, {COMPARE_START, "start"}, {COMPARE_KNEE, "knee"},
		{COMPARE_PEAK, "peak"}};

	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		const struct run_point *points[COMPARE_RUNS_MAX] = {NULL};
		size_t found = 0, single = 0;

		for (size_t i = 0; i < c->run_count; i++) {
			points[i] = analysed(c->runs[i], kinds[k].kind);
			found += points[i] != NULL;
			single += c->runs[i]->point_count == 1;
		}
		if (found < 2 || (kinds[k].kind == COMPARE_START && single) ||
			(kinds[k].kind == COMPARE_PEAK && single == c->run_count && c->point_rows))
			continue;
		struct compare_row *row = add_row(c, kinds[k].kind, kinds[k].label);

		for (size_t i = 0; i < c->run_count; i++)
			row->values[i].point = points[i];
	}
}

static void name_runs(struct comparison *c)
{
	for (size_t i = 0; i < c->run_count; i++) {
		const struct run *run = c->runs[i];

		str_format(c->names[i], sizeof(c->names[i]), "%c %.12s %.20s", compare_letter(i),
			run->target_count ? run->targets[0].name : "-", run->workload);
	}
}

int compare_runs(
	const struct run *const *runs, size_t count, struct comparison *out, struct err *err)
{
	*out = (struct comparison){0};
	if (count < 2 || count > COMPARE_RUNS_MAX)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"2 to %d runs can be compared, not %zu", COMPARE_RUNS_MAX, count);
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < i; j++)
			if (runs[i] == runs[j] || !strcmp(runs[i]->id, runs[j]->id))
				return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
					"%s is given twice: a run cannot be compared with itself",
					runs[i]->id);
		out->runs[i] = runs[i];
	}
	out->run_count = count;
	name_runs(out);
	match_points(out);
	if (out->row_count > 1)
		qsort(out->rows, out->row_count, sizeof(*out->rows), by_load);
	match_analysis(out);
	for (size_t i = 0; i < out->row_count; i++)
		fill_differences(&out->rows[i], count);
	compare_find_unlike(out);
	compare_find_doubts(out);
	return 0;
}

void comparison_free(struct comparison *comparison)
{
	free(comparison->rows);
	free(comparison->unlike);
	free(comparison->doubts);
	*comparison = (struct comparison){0};
}
