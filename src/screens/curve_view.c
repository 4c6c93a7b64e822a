/* Points of a run as a curve and in words. */
#include "screens/curve_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "screens/format.h"
#include "tui/chart.h"

void curve_view_draw(const struct curve_view *view, struct canvas *canvas, struct rect area)
{
	const size_t all = view->count + (view->growing != NULL);
	double *x = mem_alloc((all + 1) * sizeof(*x));
	double *mean = mem_alloc((all + 1) * sizeof(*mean));
	double *p99 = mem_alloc((all + 1) * sizeof(*p99));

	if (area.width < 1 || area.height < 1)
		goto out;
	if (!all) {
		canvas_wrap(canvas, area.x + 1, area.y, area.width - 2, area.height, ROLE_DIM,
			"No point has been measured yet: the curve fills in as they come.");
		goto out;
	}
	for (size_t i = 0; i < all; i++) {
		const struct run_point *point = i < view->count ? &view->points[i] : view->growing;

		/* a point under another load is none of this curve */
		const bool other = view->count && strcmp(point->load, view->points[0].load) != 0;

		x[i] = other ? NAN : point->iops;
		mean[i] = other ? NAN : point->service.mean;
		p99[i] = other ? NAN : point->service.p99;
	}
	const size_t overlays = view->overlays ? view->overlays->count : 0;
	struct chart_series series[2 + CURVE_OVERLAYS_MAX] = {
		{.name = overlays ? "this run, mean" : "mean",
			.mark_ascii = 'o',
			.mark = 0x25cf,
			.role = ROLE_GRAPH_P50,
			.x = x,
			.y = mean,
			.count = all},
		{.name = "p99",
			.mark_ascii = 'x',
			.mark = 0x25cb,
			.role = ROLE_GRAPH_P99,
			.x = x,
			.y = p99,
			.count = all},
	};
	/* p99 would be one curve too many beside those of others */
	for (size_t i = 0; i < overlays; i++)
		series[1 + i] = view->overlays->series[i];
	const struct chart_curve chart = {
		.series = series,
		.series_count = overlays ? 1 + overlays : 2,
		.cursor = view->cursor,
		.limit = view->p99_limit_ns > 0 ? view->p99_limit_ns : NAN,
		.logarithmic = view->logarithmic,
		.x_max = NAN,
		.x_title = "IOPS",
		.format_x = format_axis_iops,
		.format_y = format_axis_latency,
	};
	chart_curve_draw(canvas, area, &chart);
out:
	free(x);
	free(mean);
	free(p99);
}

void curve_view_point(const struct run_point *point, char *buf, size_t size)
{
	char iops[32], mean[32], p99[32], outstanding[32], marks[32];

	str_format(buf, size, "%s: %s IOPS at %s, p99 %s, %s outstanding",
		point->label[0] ? point->label : "point",
		format_count(iops, sizeof(iops), point->iops),
		format_latency(mean, sizeof(mean), point->service.mean),
		format_latency(p99, sizeof(p99), point->service.p99),
		format_count(outstanding, sizeof(outstanding), point->outstanding_avg));
	if (point->saturated)
		str_append(buf, size, ", saturated");
	curve_view_marks(point, marks, sizeof(marks));
	if (marks[0])
		str_append(buf, size, "  [%s]", marks);
}

void curve_view_at(const struct run_point *points, size_t count, int index, char *buf, size_t size)
{
	char iops[24], mean[32];

	if (index < 0 || (size_t)index >= count) {
		str_copy(buf, size, "none");
		return;
	}
	str_format(buf, size, "%s IOPS at %s", format_si(iops, sizeof(iops), points[index].iops),
		format_latency(mean, sizeof(mean), points[index].service.mean));
}

static bool limited_by_host(const struct run_point *point)
{
	return str_starts_with(point->limited_by, "host");
}

void curve_view_doubts(const struct run_point *points, size_t count, struct facts *facts)
{
	static const char *const words[] = {"Saturated, asked for more than it did",
		"Suspect, IOPS x latency is not what was outstanding",
		"Unstable from second to second", "Limited by this computer, not by the drive",
		"With errors or short reads"};

	for (size_t mark = 0; mark < sizeof(words) / sizeof(words[0]); mark++) {
		char text[400];
		bool any = false;

		str_format(text, sizeof(text), "%s:", words[mark]);
		for (size_t i = 0; i < count; i++) {
			const struct run_point *point = &points[i];
			const bool marks[] = {point->saturated, point->suspect, point->unstable,
				limited_by_host(point), point->errors || point->short_reads};

			if (!marks[mark])
				continue;
			str_append(text, sizeof(text), "%s %s", any ? "," : "", point->label);
			any = true;
		}
		if (any)
			facts_sentence(facts, "run.point", ROLE_WARN, text);
	}
}

void curve_view_marks(const struct run_point *point, char *buf, size_t size)
{
	str_copy(buf, size, "");
	if (point->saturated)
		str_append(buf, size, "S");
	if (point->suspect)
		str_append(buf, size, "%sL", buf[0] ? " " : "");
	if (point->unstable)
		str_append(buf, size, "%sU", buf[0] ? " " : "");
	if (limited_by_host(point))
		str_append(buf, size, "%sH", buf[0] ? " " : "");
	if (point->errors || point->short_reads)
		str_append(buf, size, "%sE", buf[0] ? " " : "");
}

static void add_latencies(struct facts *facts, const char *key, const char *label,
	const struct latency *latency, double at_least)
{
	char mean[32], p50[32], p99[32], p999[32];

	if (at_least > 0) {
		facts_add(facts, key, label, ROLE_WARN, ">=%s",
			format_latency(mean, sizeof(mean), at_least));
		return;
	}
	struct fact *row = facts_add(facts, key, label, ROLE_VALUE, "mean %s",
		format_latency(mean, sizeof(mean), latency->mean));
	facts_note(row, ROLE_VALUE, "p50 %s  p99 %s  p99.9 %s",
		format_latency(p50, sizeof(p50), latency->p50),
		format_latency(p99, sizeof(p99), latency->p99),
		format_latency(p999, sizeof(p999), latency->p99_9));
}

void curve_view_single(const struct run_point *point, struct facts *facts)
{
	char text[32], rate[32];

	facts_heading(facts, "Result");
	struct fact *row = facts_add(facts, "live.iops", "IOPS", ROLE_VALUE, "%s",
		format_count(text, sizeof(text), point->iops));
	facts_note(row, ROLE_VALUE, "%s", format_mib(rate, sizeof(rate), point->mib_s));
	facts_add(facts, "live.outstanding", "Outstanding", ROLE_VALUE, "%s",
		format_count(text, sizeof(text), point->outstanding_avg));
	add_latencies(facts, "live.service", "Service latency", &point->service, 0);
	add_latencies(facts, "live.response", "Response latency", &point->response,
		point->saturated ? point->saturated_age_ns : 0);
}

void curve_view_analysis(const struct run_point *points, size_t count,
	const struct curve_analysis *analysis, bool running, char *buf, size_t size)
{
	char text[64];

	curve_view_at(points, count, analysis->start, text, sizeof(text));
	str_format(buf, size, "%sstart %s", running ? "so far: " : "", text);
	if (analysis->knee_chord >= 0) {
		curve_view_at(points, count, analysis->knee_chord, text, sizeof(text));
		str_append(buf, size, "   knee %s", text);
	}
	if (analysis->knee_limit >= 0) {
		curve_view_at(points, count, analysis->knee_limit, text, sizeof(text));
		str_append(buf, size, "   keeps the limit up to %s", text);
	}
	curve_view_at(points, count, analysis->peak, text, sizeof(text));
	str_append(buf, size, "   peak %s", text);
	/* that it does not can be said at the end only */
	if (analysis->fall_off || !running)
		str_append(buf, size, "   %s",
			analysis->fall_off ? "FALLS OFF past it" : "no fall-off");
}
