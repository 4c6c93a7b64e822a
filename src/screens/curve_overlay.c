/* Curves behind and beside a curve. */
#include "screens/curve_overlay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

const char *curve_metric_name(enum curve_metric metric)
{
	static const char *const names[CURVE_METRICS] = {"mean", "p99", "p99.9"};

	return names[metric];
}

double curve_metric_of(const struct run_point *point, enum curve_metric metric)
{
	switch (metric) {
	case CURVE_P99:
		return point->service.p99;
	case CURVE_P999:
		return point->service.p99_9;
	default:
		return point->service.mean;
	}
}

void curve_overlays_free(struct curve_overlays *set)
{
	for (size_t i = 0; i < set->count; i++)
		free(set->values[i]);
	set->count = 0;
}

/* A series of count points; NULL when the set is full. */
static struct chart_series *add(
	struct curve_overlays *set, const char *name, size_t count, double **x, double **y)
{
	if (set->count == CURVE_OVERLAYS_MAX)
		return NULL;
	double *values = mem_alloc((2 * count + 1) * sizeof(*values));
	struct chart_series *series = &set->series[set->count];
	char *kept = set->names[set->count];

	str_copy(kept, sizeof(set->names[0]), name);
	set->values[set->count++] = values;
	*x = values;
	*y = values + count;
	*series = (struct chart_series){.name = kept, .x = *x, .y = *y, .count = count};
	return series;
}

void curve_overlays_add_run(struct curve_overlays *set, const char *name, const struct run *run,
	size_t index, enum curve_metric metric)
{
	static const struct {
		uint32_t mark;
		enum role role;
	} looks[COMPARE_RUNS_MAX] = {
		{U'●', ROLE_GRAPH_P50},
		{U'○', ROLE_GRAPH_P99},
		{U'■', ROLE_GRAPH_READ},
		{U'□', ROLE_GRAPH_WRITE},
		{U'▲', ROLE_GRAPH_P999},
		{U'△', ROLE_GRAPH_REFERENCE},
		{U'◆', ROLE_GRAPH_LIMIT},
		{U'◇', ROLE_TEXT},
	};
	double *x, *y;
	struct chart_series *series = add(set, name, run->point_count, &x, &y);

	if (!series)
		return;
	for (size_t i = 0; i < run->point_count; i++) {
		x[i] = run->points[i].iops;
		y[i] = curve_metric_of(&run->points[i], metric);
	}
	series->mark = looks[index % COMPARE_RUNS_MAX].mark;
	series->role = looks[index % COMPARE_RUNS_MAX].role;
	series->mark_ascii = compare_letter(index);
}

char curve_overlays_letter(const struct reference_comparison *comparison, size_t row)
{
	char letter = 'a';

	if (row >= comparison->count || !comparison->rows[row].comparable)
		return ' ';
	for (size_t i = 0; i < row; i++)
		letter = (char)(letter + comparison->rows[i].comparable);
	return letter < 'a' + CURVE_OVERLAYS_MAX ? letter : ' ';
}

/* Published in MiB/s alone: IOPS of the run's mean block size. */
static double rate_of(const struct reference_comparison *comparison, double iops, double mib_s)
{
	if (iops > 0)
		return iops;
	return mib_s > 0 && comparison->mib_s > 0 ? mib_s * comparison->iops / comparison->mib_s
						  : NAN;
}

void curve_overlays_add_reference(
	struct curve_overlays *set, const struct reference_comparison *comparison)
{
	for (size_t i = 0; i < comparison->count; i++) {
		const struct reference_row *row = comparison->rows[i].row;
		double *x, *y;
		char name[96];

		if (!comparison->rows[i].comparable)
			continue;
		struct chart_series *series =
			add(set, reference_name(row, name, sizeof(name)), 2, &x, &y);
		if (!series)
			return;
		x[0] = row->start_iops;
		y[0] = row->start_ns;
		x[1] = rate_of(comparison, row->peak_iops, row->peak_mib_s);
		y[1] = row->peak_ns;
		series->mark_ascii = curve_overlays_letter(comparison, i);
		series->mark = (unsigned char)series->mark_ascii;
		series->role = ROLE_GRAPH_REFERENCE;
		series->apart = true;
	}
}

void curve_overlays_unlike(const struct reference_comparison *comparison, char *buf, size_t size)
{
	size_t n = 0;

	str_copy(buf, size, "");
	/* that it has none has been said by then */
	for (size_t i = 0; i < comparison->count && comparison->point >= 0; i++) {
		const struct reference_match *match = &comparison->rows[i];
		char name[96];
		bool said = false;

		if (match->comparable)
			continue;
		for (size_t k = 0; k < i && !said; k++)
			said = !comparison->rows[k].comparable &&
				!strcmp(comparison->rows[k].why, match->why);
		if (said)
			continue;
		/* the reason, then all that have it */
		str_append(buf, size, "%s%s: ", n++ ? "; " : "not comparable, ", match->why);
		for (size_t k = i; k < comparison->count; k++) {
			if (comparison->rows[k].comparable ||
				strcmp(comparison->rows[k].why, match->why))
				continue;
			reference_name(comparison->rows[k].row, name, sizeof(name));
			str_append(buf, size, "%s%s", k == i ? "" : ", ", name);
		}
	}
}
