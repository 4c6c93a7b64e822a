/* The running test in figures and charts. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "screens/curve_view.h"
#include "screens/format.h"
#include "screens/live.h"
#include "screens/points_table.h"
#include "stats/series.h"
#include "tui/chart.h"

#define DIRECTIONS_ROOM 18 /* lines for which latencies of reads and writes show apart */
#define LABELS 14          /* columns before the axis: all charts share it */

int live_label(struct live *live, struct canvas *canvas, int x, int y, int width,
	enum live_metric metric, const char *text)
{
	live->shown[metric] = true;
	const int end = canvas_text(canvas, x, y, width, ROLE_LABEL, text);
	if (live->metric == metric) {
		canvas_select(canvas, x, y, end - x);
		canvas_put(canvas, x > 0 ? x - 1 : 0, y, '>', ROLE_TEXT);
	}
	return end;
}

static void draw_progress(struct live *live, struct canvas *canvas, struct rect line)
{
	const struct runner_view *run = live->screen.desk->run;
	const int end = line.x + line.width;
	char time[96], elapsed[32], total[32], left[32];

	units_clock(elapsed, sizeof(elapsed), run->elapsed_s);
	if (isfinite(run->total_s) && run->total_s > 0) {
		units_clock(total, sizeof(total), run->total_s);
		units_clock(left, sizeof(left), fmax(run->total_s - run->elapsed_s, 0));
		str_format(time, sizeof(time), "%s / %s", elapsed, total);
		if (run->state != RUNNER_ENDED)
			str_append(time, sizeof(time), "  left %s", left);
	} else {
		str_format(time, sizeof(time), "%s", elapsed);
	}
	const int time_x = end - 1 - str_width(time);
	int x = live_label(live, canvas, line.x + 1, line.y, line.width - 2, LIVE_PROGRESS,
		run->state == RUNNER_ENDED ? "ended"
			: run->phase[0]    ? run->phase
					   : "preparing");
	if (run->warmup && run->state == RUNNER_RUNNING)
		x = canvas_text(canvas, x + 1, line.y, end - x - 1, ROLE_WARN, "(warm-up)");
	if (time_x - x > 4) {
		canvas_text(canvas, time_x, line.y, -1, ROLE_VALUE, time);
		if (run->step_count)
			chart_steps(canvas, x + 2, line.y, time_x - x - 4, ROLE_GRAPH_READ,
				run->step, run->step_count);
	}
}

static int pair(struct live *live, struct canvas *canvas, int x, int y, int end,
	enum live_metric metric, const char *label, const char *value, enum role role)
{
	if (x + str_width(label) + 1 + str_width(value) > end)
		return x;
	x = live_label(live, canvas, x, y, end - x, metric, label);
	return canvas_text(canvas, x + 1, y, end - x - 1, role, value) + 2;
}

static void draw_rates(struct live *live, struct canvas *canvas, struct rect line)
{
	const struct runner_view *run = live->screen.desk->run;
	const struct interval *now = &run->current;
	const int end = line.x + line.width - 1;
	char text[64], count[32];
	int x = line.x + 1;

	if (run->state == RUNNER_ENDED) {
		canvas_textf(canvas, x, line.y, end - x, ROLE_DIM,
			"%zu point%s measured; below, the last intervals", run->point_count,
			run->point_count == 1 ? "" : "s");
		return;
	}
	if (run->asked_iops > 0)
		str_format(text, sizeof(text), "%s/s",
			format_count(count, sizeof(count), run->asked_iops));
	else
		str_copy(text, sizeof(text), "closed loop");
	x = pair(live, canvas, x, line.y, end, LIVE_ASKED, "asked", text, ROLE_VALUE);
	if (!run->has_current) {
		canvas_text(canvas, x, line.y, end - x, ROLE_DIM, "nothing measured yet");
		return;
	}
	str_format(text, sizeof(text), "achieved %s/s  ",
		format_count(count, sizeof(count), now->iops));
	x = canvas_text(canvas, x, line.y, end - x, ROLE_VALUE, text);
	x = canvas_text(canvas, x, line.y, end - x, ROLE_VALUE,
		    format_mib(text, sizeof(text), now->mib_s)) +
		2;
	x = pair(live, canvas, x, line.y, end, LIVE_OUTSTANDING,
		line.width < 100 ? "out" : "outstanding",
		format_count(text, sizeof(text), now->outstanding), ROLE_VALUE);
	x = pair(live, canvas, x, line.y, end, LIVE_BACKLOG, "backlog",
		format_count(text, sizeof(text), (double)now->backlog),
		now->backlog ? ROLE_WARN : ROLE_VALUE);
	if (now->errors) {
		str_format(text, sizeof(text), "%s errors",
			format_count(count, sizeof(count), (double)now->errors));
		canvas_text(canvas, x, line.y, end - x, ROLE_CRIT, text);
	}
}

static void draw_latency(
	struct canvas *canvas, struct rect line, const struct latency *latency, double at_least)
{
	const double values[] = {latency->mean, latency->p50, latency->p90, latency->p99,
		latency->p99_9, latency->p99_99, latency->max};
	char text[40], value[32];

	for (int i = 0; i < 7; i++) {
		const int x_end = line.x + 13 + (i + 1) * 9;

		if (x_end > line.x + line.width)
			break;
		if (at_least > 0)
			str_format(text, sizeof(text), ">=%s",
				format_latency(value, sizeof(value), at_least));
		else
			format_latency(text, sizeof(text), values[i]);
		canvas_text_right(canvas, x_end, line.y,
			isnan(values[i]) && !(at_least > 0) ? ROLE_DIM : ROLE_VALUE, text);
	}
}

/* Reads and writes at once: what one figure would mix is shown apart. */
static bool is_mixed(const struct runner_view *run)
{
	const struct interval *now = &run->current;
	const struct run_point *point = &run->so_far;

	return (run->has_current && now->reads && now->writes) ||
		(run->has_so_far && point->reads && point->writes);
}

/* "reads 165,000/s  1.26 GiB/s   writes 71,000/s  555 MiB/s" */
static void draw_directions(struct live *live, struct canvas *canvas, struct rect line)
{
	const struct interval *now = &live->screen.desk->run->current;
	const double seconds = now->length_s > 0 ? now->length_s : NAN;
	const int end = line.x + line.width - 1;
	char text[96], count[32], rate[32];
	int x = line.x + 1;

	x = live_label(live, canvas, x, line.y, end - x, LIVE_DIRECTIONS, "reads") + 1;
	str_format(text, sizeof(text), "%s/s  %s",
		format_count(count, sizeof(count), (double)now->reads / seconds),
		format_mib(rate, sizeof(rate), (double)now->read_bytes / seconds / 1048576));
	x = canvas_text(canvas, x, line.y, end - x, ROLE_GRAPH_READ, text) + 3;
	x = canvas_text(canvas, x, line.y, end - x, ROLE_LABEL, "writes") + 1;
	str_format(text, sizeof(text), "%s/s  %s",
		format_count(count, sizeof(count), (double)now->writes / seconds),
		format_mib(rate, sizeof(rate), (double)now->write_bytes / seconds / 1048576));
	canvas_text(canvas, x, line.y, end - x, ROLE_GRAPH_WRITE, text);
}

static int draw_table(struct live *live, struct canvas *canvas, struct rect area, bool mixed)
{
	static const char *const titles[] = {"mean", "p50", "p90", "p99", "p99.9", "p99.99", "max"};
	const struct runner_view *run = live->screen.desk->run;
	struct rect line = {area.x, area.y, area.width, 1};

	if (area.height < 3)
		return 0;
	/* The point so far is what will be kept; before it the newest interval shows. */
	const bool point = run->has_so_far && !run->warmup;
	const struct latency *service = point ? &run->so_far.service : &run->current.service;
	const struct latency *response = point ? &run->so_far.response : &run->current.response;
	canvas_text(canvas, area.x + 1, line.y, 12, ROLE_DIM, point ? "this point" : "just now");
	for (int i = 0; i < 7; i++)
		if (area.x + 13 + (i + 1) * 9 <= area.x + area.width)
			canvas_text_right(
				canvas, area.x + 13 + (i + 1) * 9, line.y, ROLE_HEADER, titles[i]);
	line.y++;
	live_label(live, canvas, area.x + 1, line.y, 12, LIVE_SERVICE, "service");
	if (point || run->has_current)
		draw_latency(canvas, line, service, 0);
	line.y++;
	live_label(live, canvas, area.x + 1, line.y, 12, LIVE_RESPONSE, "response");
	if (point || run->has_current)
		draw_latency(canvas, line, response,
			point && run->so_far.saturated ? run->so_far.saturated_age_ns : 0);
	if (!mixed || area.height < DIRECTIONS_ROOM)
		return 3;
	/* They are gathered over the window of a point alone. */
	static const struct latency none = {.mean = NAN,
		.p50 = NAN,
		.p90 = NAN,
		.p99 = NAN,
		.p99_9 = NAN,
		.p99_99 = NAN,
		.max = NAN};
	line.y++;
	live_label(live, canvas, area.x + 1, line.y, 12, LIVE_READ_SERVICE, " reads");
	draw_latency(canvas, line, point ? &run->so_far.read_service : &none, 0);
	line.y++;
	live_label(live, canvas, area.x + 1, line.y, 12, LIVE_WRITE_SERVICE, " writes");
	draw_latency(canvas, line, point ? &run->so_far.write_service : &none, 0);
	return 5;
}

int live_figures_draw(struct live *live, struct canvas *canvas, struct rect area)
{
	const struct runner_view *run = live->screen.desk->run;
	struct rect line = {area.x, area.y, area.width, 1};
	char text[640];

	if (area.height < 1)
		return 0;
	draw_progress(live, canvas, line);
	if (area.height < 2)
		return 1;
	line.y++;
	draw_rates(live, canvas, line);
	const bool running = run->state != RUNNER_ENDED, mixed = running && is_mixed(run);
	int used = 2;
	if (mixed && run->has_current && area.height > used) {
		line.y++;
		draw_directions(live, canvas, line);
		used++;
	}
	struct rect rest = {area.x, area.y + used, area.width, area.height - used};
	/* Nothing is in flight any more: what was measured stands in the outcome. */
	used += running ? draw_table(live, canvas, rest, mixed) : 0;
	/* What is not as it should be, one line. */
	text[0] = '\0';
	if (run->silent_s >= 1)
		str_format(text, sizeof(text), "no I/O has completed for %.0f s", run->silent_s);
	else if (run->spoiled_count)
		str_format(text, sizeof(text), "spoiled: %s%s", run->spoiled_by[0],
			run->spoiled_count > 1 ? " (and more)" : "");
	else if (run->notes[0])
		str_format(text, sizeof(text), "%s: %s", run->backend, run->notes);
	if (text[0] && area.height > used + 2) {
		canvas_text(canvas, area.x + 1, area.y + used, area.width - 2, ROLE_WARN, text);
		used++;
	}
	return used;
}

typedef double live_value(const struct interval *interval);
static double value_iops(const struct interval *interval)
{
	return interval->iops;
}
static double value_p50(const struct interval *interval)
{
	return interval->service.p50;
}
static double value_p99(const struct interval *interval)
{
	return interval->service.p99;
}
static double value_p999(const struct interval *interval)
{
	return interval->service.p99_9;
}
static double value_temperature(const struct interval *interval)
{
	return (double)interval->temperature_c;
}

/* The newest intervals, at most as many as there are columns. */
static size_t collect(struct live *live, int columns, live_value *value)
{
	const struct series *series = live->screen.desk->run->series;
	const size_t count = series ? series_count(series) : 0;
	size_t shown = columns > 0 ? (size_t)columns : 0;

	if (shown > count)
		shown = count;
	if (shown > LIVE_VALUES)
		shown = LIVE_VALUES;
	for (size_t i = 0; i < shown; i++)
		live->values[i] = value(series_at(series, count - shown + i));
	return shown;
}

static const struct {
	enum live_metric metric;
	const char *title;
	enum role role;
	live_value *value;
} charts[] = {
	{LIVE_IOPS, "IOPS", ROLE_GRAPH_READ, value_iops},
	{LIVE_P50, "p50", ROLE_GRAPH_P50, value_p50},
	{LIVE_P99, "p99", ROLE_GRAPH_P99, value_p99},
	{LIVE_P999, "p99.9", ROLE_GRAPH_P999, value_p999},
};
#define CHARTS 4

static void draw_chart(struct live *live, struct canvas *canvas, struct rect area, size_t index)
{
	const struct runner_view *run = live->screen.desk->run;
	const bool latency = index > 0;
	const size_t count = collect(live, area.width, charts[index].value);
	char text[32] = "-";

	if (area.height >= 2 && area.width > LABELS + 4) {
		const struct chart_time chart = {
			.values = live->values,
			.count = count,
			.role = charts[index].role,
			.limit = index == 2 && run->p99_limit_ns > 0 ? run->p99_limit_ns : NAN,
			.logarithmic = latency && !live->linear,
			.format = latency ? format_axis_latency : format_axis_iops,
			.label_width = LABELS,
		};
		chart_time_draw(canvas, area, &chart);
		live_label(live, canvas, area.x + 1, area.y, 5, charts[index].metric,
			charts[index].title);
		return;
	}
	/* One line: the newest figure and a sparkline. */
	if (count && latency)
		format_axis_latency(live->values[count - 1], text, sizeof(text));
	else if (count)
		format_axis_iops(live->values[count - 1], text, sizeof(text));
	live_label(live, canvas, area.x + 1, area.y, 6, charts[index].metric, charts[index].title);
	canvas_text_right(canvas, area.x + LABELS, area.y, ROLE_VALUE, text);
	chart_sparkline(canvas, area.x + LABELS + 1, area.y, area.width - LABELS - 2,
		charts[index].role, live->values, count, NAN);
}

static bool has_values(struct live *live, int columns, size_t index)
{
	const size_t count = collect(live, columns, charts[index].value);

	for (size_t i = 0; i < count; i++)
		if (isfinite(live->values[i]))
			return true;
	return false;
}

static void draw_unknown(struct live *live, struct canvas *canvas, struct rect area, size_t index)
{
	const struct series *series = live->screen.desk->run->series;

	live_label(live, canvas, area.x + 1, area.y, 6, charts[index].metric, charts[index].title);
	canvas_text(canvas, area.x + 8, area.y, area.width - 8, ROLE_DIM,
		series && series_count(series) ? "- needs more samples in an interval"
					       : "- nothing measured yet");
}

void live_charts_draw(struct live *live, struct canvas *canvas, struct rect area)
{
	const struct settings *settings = live->screen.desk->settings;
	const struct runner_view *run = live->screen.desk->run;
	const bool heat = isfinite(run->temperature_c) && area.height >= 6;
	const int room = area.height - heat;
	int y = area.y;

	/* A percentile that needs more samples than an interval has gives its room to the others. */
	bool known[CHARTS];
	int filled = 0, rows = room;
	for (size_t i = 0; i < CHARTS; i++) {
		known[i] = has_values(live, area.width - 1, i);
		filled += known[i];
		rows -= !known[i];
	}
	for (size_t i = 0; i < CHARTS && y < area.y + room; i++) {
		/* the lines that are left over go to the first ones */
		int height = known[i] ? (rows + filled - 1) / filled : 1;

		if (height < 1)
			height = 1;
		if (known[i]) {
			rows -= height;
			filled--;
		}
		const struct rect chart = {area.x, y, area.width - 1, height};
		if (known[i])
			draw_chart(live, canvas, chart, i);
		else
			draw_unknown(live, canvas, chart, i);
		y += height;
	}
	if (!heat)
		return;
	char text[32];
	const size_t count = collect(live, area.width - LABELS - 2, value_temperature);
	double least = INFINITY;
	for (size_t i = 0; i < count; i++)
		least = fmin(least, live->values[i]);
	/* what changes is a few degrees: from the lowest shown, which keeps a line of its own */
	for (size_t i = 0; i < count; i++)
		live->values[i] -= least - 1;
	live_label(live, canvas, area.x + 1, y, 5, LIVE_TEMPERATURE, "temp");
	canvas_text_right(canvas, area.x + LABELS, y, ROLE_VALUE,
		format_temperature(text, sizeof(text), run->temperature_c, settings));
	chart_sparkline(canvas, area.x + LABELS + 1, y, area.width - LABELS - 2, ROLE_GRAPH_WRITE,
		live->values, count, NAN);
}

void live_curve_draw(struct live *live, struct canvas *canvas, struct rect area)
{
	const struct runner_view *run = live->screen.desk->run;
	const bool growing = run->has_so_far && !run->warmup && run->state != RUNNER_ENDED &&
		run->so_far.percent + run->so_far.outstanding_limit > 0 && run->so_far.count > 0;
	const struct curve_view view = {
		.points = run->points,
		.count = run->point_count,
		.growing = growing && str_starts_with(run->phase, "point") ? &run->so_far : NULL,
		.p99_limit_ns = run->p99_limit_ns,
		.logarithmic = !live->linear,
		.cursor = -1,
	};
	char text[512];

	if (area.height < 2 || area.width < 4)
		return;
	live_label(live, canvas, area.x + 1, area.y, area.width - 2, LIVE_CURVE_POINTS,
		"latency against IOPS");
	struct rect chart = {area.x + 1, area.y + 1, area.width - 1, area.height - 1};
	/* Room for the points themselves under a chart that is high enough. */
	int rows = (int)run->point_count + 1;
	if (run->point_count && chart.height >= 20) {
		if (rows > chart.height - 14)
			rows = chart.height - 14;
		const struct rect list = {
			chart.x, chart.y + chart.height - rows, chart.width, rows};

		points_table_fill(live->points, NULL, 0, run->points, run->point_count);
		points_table_select(live->points, (int)run->point_count - 1);
		table_draw(live->points, canvas, list);
		chart.height -= rows;
	}
	if (run->has_analysis && chart.height >= 8) {
		curve_view_analysis(run->points, run->point_count, &run->analysis,
			run->state != RUNNER_ENDED, text, sizeof(text));
		const int lines = area.width >= 90 ? 2 : 3;
		canvas_wrap(canvas, chart.x + 1, chart.y + chart.height - lines, chart.width - 2,
			lines, ROLE_VALUE, text);
		chart.height -= lines;
	}
	curve_view_draw(&view, canvas, chart);
}
