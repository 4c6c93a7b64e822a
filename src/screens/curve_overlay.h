/* Curves behind and beside a curve: other runs, and the published figures of drives. What is drawn is
 * a chart_series each; the arrays belong to the set. UI thread. */
#ifndef SCREENS_CURVE_OVERLAY_H
#define SCREENS_CURVE_OVERLAY_H

#include "result/compare.h"
#include "result/reference.h"
#include "result/run.h"
#include "tui/chart.h"

/* What of the service latency is drawn. */
enum curve_metric { CURVE_MEAN, CURVE_P99, CURVE_P999, CURVE_METRICS };
const char *curve_metric_name(enum curve_metric metric); /* "mean", "p99", "p99.9" */
double curve_metric_of(const struct run_point *point, enum curve_metric metric);

#define CURVE_OVERLAYS_MAX 12

struct curve_overlays {
	struct chart_series series[CURVE_OVERLAYS_MAX];
	char names[CURVE_OVERLAYS_MAX][96];
	double *values[CURVE_OVERLAYS_MAX]; /* x, then y */
	size_t count;
};

void curve_overlays_free(struct curve_overlays *set); /* and empties it */
/* The points of a run, joined. index: which of several runs it is, 0 the first; it gives mark, colour
 * and, where marks cannot be told apart, the letter. */
void curve_overlays_add_run(struct curve_overlays *set, const char *name, const struct run *run,
	size_t index, enum curve_metric metric);
/* Start and peak of each drive whose figures can be held against the run, marked "a", "b" ... in the
 * order of the comparison. */
void curve_overlays_add_reference(
	struct curve_overlays *set, const struct reference_comparison *comparison);
/* The letter of the published row with this index; ' ' when it is not drawn. */
char curve_overlays_letter(const struct reference_comparison *comparison, size_t row);

/* "not comparable, published at 512 outstanding: Samsung PM9A3 7.68TB" of the rows that are not drawn,
 * in one sentence; "" when all are. */
void curve_overlays_unlike(const struct reference_comparison *comparison, char *buf, size_t size);

#endif
