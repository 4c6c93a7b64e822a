/* Runs beside each other, or one beside the published figures: curves, differences, what is unlike. */
#include "screens/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "screens/explain.h"
#include "screens/format.h"
#include "screens/lists.h"
#include "screens/run_load.h"

/* From this size on curves and table share the screen. */
#define WIDE 110
#define TALL 16

static struct compare_screen *of(struct screen *screen)
{
	return (struct compare_screen *)screen;
}

static bool ready(const struct compare_screen *self)
{
	return self->runs[0] != NULL;
}

static void title(
	struct screen *screen, char *left, size_t left_size, char *right, size_t right_size)
{
	const struct compare_screen *self = of(screen);
	bool simulated = false;

	for (size_t i = 0; i < self->count; i++)
		simulated = simulated || self->entries[i].simulated;
	if (compare_published(self))
		str_format(left, left_size, "%s%s · %s against published drives",
			simulated ? "SIMULATED " : "", self->entries[0].target,
			self->entries[0].workload);
	else
		str_format(left, left_size, "%zu runs compared%s", self->count,
			simulated ? " · SIMULATED" : "");
	str_format(right, right_size, "service %s", curve_metric_name(self->metric));
}

/* ---- curves ---------------------------------------------------------------------------------- */

static void fill_curves(struct compare_screen *self)
{
	char name[120];

	curve_overlays_free(&self->curves);
	for (size_t i = 0; i < self->count; i++) {
		if (compare_published(self))
			str_format(name, sizeof(name), "this run, %s",
				curve_metric_name(self->metric));
		else
			str_format(name, sizeof(name), "%s%s",
				self->runs[i]->simulated ? "SIM " : "", self->comparison.names[i]);
		curve_overlays_add_run(&self->curves, name, self->runs[i], i, self->metric);
	}
	if (compare_published(self))
		curve_overlays_add_reference(&self->curves, &self->published);
}

static void draw_curves(struct compare_screen *self, struct canvas *canvas, struct rect area)
{
	size_t cursor_series;
	const int cursor = compare_rows_point(self, &cursor_series);
	const struct chart_curve chart = {
		.series = self->curves.series,
		.series_count = self->curves.count,
		.cursor = cursor,
		.cursor_series = cursor_series,
		.limit = self->metric == CURVE_P99 && self->runs[0]->p99_limit_ns > 0
			? self->runs[0]->p99_limit_ns
			: NAN,
		.logarithmic = !self->linear,
		.x_max = NAN,
		.x_title = "IOPS",
		.format_x = format_axis_iops,
		.format_y = format_axis_latency,
	};

	chart_curve_draw(canvas, area, &chart);
}

/* The line under the cursor in words, at the bottom of *area, which it shortens. */
static void draw_words(struct compare_screen *self, struct canvas *canvas, struct rect *area)
{
	char text[900];

	compare_rows_words(self, text, sizeof(text));
	if (!text[0] || area->height < 8)
		return;
	int lines = canvas_wrap(canvas, 0, 0, area->width - 2, 0, ROLE_VALUE, text);

	lines = lines > 3 ? 3 : lines;
	area->height -= lines;
	canvas_wrap(canvas, area->x + 1, area->y + area->height, area->width - 2, lines, ROLE_VALUE,
		text);
}

static void draw(struct screen *screen, struct canvas *canvas, struct rect area)
{
	struct compare_screen *self = of(screen);

	if (area.width < 1 || area.height < 1)
		return;
	if (!ready(self)) {
		canvas_wrap(canvas, area.x + 2, area.y + 1, area.width - 4, area.height - 1,
			self->reading ? ROLE_DIM : ROLE_ERROR,
			self->reading ? "Reading the runs ..." : self->fault);
		return;
	}
	self->wide = area.width >= WIDE && area.height >= TALL;
	if (self->view == COMPARE_NOTES) {
		facts_draw(&self->notes, canvas, area, true, false);
		return;
	}
	const struct rect top = {area.x, area.y, area.width,
		area.height >= 30           ? 6
			: area.height >= 18 ? 4
			: area.height >= 12 ? 2
					    : 0};
	const int used = compare_notes_draw(self, canvas, top);
	struct rect rest = {area.x, area.y + used, area.width, area.height - used};

	draw_words(self, canvas, &rest);
	if (self->wide) {
		struct rect left = rest, right = rest;

		left.x++;
		left.width = rest.width / 2 - 1;
		right.x = rest.x + rest.width / 2 + 1;
		right.width = rest.x + rest.width - right.x;
		draw_curves(self, canvas, left);
		table_draw(self->table, canvas, right);
	} else if (self->view == COMPARE_CURVES) {
		rest.x++;
		rest.width--;
		draw_curves(self, canvas, rest);
	} else {
		table_draw(self->table, canvas, rest);
		const int rows = (int)table_count(self->table) + 1;

		explain_pane_draw(compare_published(self) ? "compare.published" : "compare.row",
			canvas,
			(struct rect){
				rest.x, rest.y + rows + 1, rest.width, rest.height - rows - 2});
	}
}

/* ---- keys ------------------------------------------------------------------------------------ */

static enum compare_view next_view(const struct compare_screen *self)
{
	if (self->view == COMPARE_NOTES)
		return COMPARE_CURVES;
	return self->wide || self->view == COMPARE_TABLE ? COMPARE_NOTES : COMPARE_TABLE;
}

static void next_metric(struct compare_screen *self)
{
	if (compare_published(self)) {
		self->screen.desk->notice(self->screen.desk,
			"Published latencies are means of the service time: nothing else compares.");
		return;
	}
	self->metric = (self->metric + 1) % CURVE_METRICS;
	fill_curves(self);
	compare_rows_fill(self);
}

static bool action(struct screen *screen, enum action action)
{
	struct compare_screen *self = of(screen);

	if (!ready(self))
		return false;
	switch (action) {
	case ACTION_COMPARE_VIEW:
		self->view = next_view(self);
		return true;
	case ACTION_COMPARE_METRIC:
		next_metric(self);
		return true;
	case ACTION_COMPARE_LOG:
		self->linear = !self->linear;
		return true;
	case ACTION_COMPARE_EXPORT:
		compare_export(self);
		return true;
	default:
		break;
	}
	if (self->view == COMPARE_NOTES)
		return facts_action(&self->notes, action);
	if (action == ACTION_LEFT || action == ACTION_RIGHT) {
		table_move(self->table, action == ACTION_LEFT ? -1 : 1);
		return true;
	}
	return list_screen_action(screen, action);
}

static struct table *list(struct screen *screen)
{
	struct compare_screen *self = of(screen);

	return ready(self) && self->view != COMPARE_NOTES ? self->table : NULL;
}

static bool key(struct screen *screen, const struct key *key)
{
	struct compare_screen *self = of(screen);

	if (!ready(self))
		return false;
	return self->view == COMPARE_NOTES ? facts_key(&self->notes, key)
					   : list_screen_key(screen, key, NULL);
}

static void explain(struct screen *screen, char *buf, size_t size)
{
	const struct compare_screen *self = of(screen);

	if (!ready(self))
		str_copy(buf, size, self->reading ? "The runs are being read." : self->fault);
	else if (self->view == COMPARE_NOTES)
		explain_text(self->notes.cursor, buf, size);
	else
		explain_text(
			compare_published(self) ? "compare.published" : "compare.row", buf, size);
}

static const struct screen_hint *hints(struct screen *screen)
{
	static const char *const names[] = {"curves", "table", "notes"};
	static struct screen_hint shown[12];
	const struct compare_screen *self = of(screen);
	size_t n = 0;

	if (ready(self)) {
		if (self->view != COMPARE_NOTES) {
			const bool down = self->view == COMPARE_TABLE && !self->wide;

			shown[n++] = (struct screen_hint){down ? ACTION_UP : ACTION_LEFT, ""};
			shown[n++] =
				(struct screen_hint){down ? ACTION_DOWN : ACTION_RIGHT, "read"};
		}
		shown[n++] = (struct screen_hint){ACTION_COMPARE_VIEW, names[next_view(self)]};
		if (!compare_published(self) && self->view != COMPARE_NOTES)
			shown[n++] = (struct screen_hint){ACTION_COMPARE_METRIC,
				curve_metric_name((self->metric + 1) % CURVE_METRICS)};
	}
	shown[n++] = (struct screen_hint){ACTION_EXPLAIN, "explain"};
	if (ready(self)) {
		shown[n++] = (struct screen_hint){ACTION_COMPARE_EXPORT, "export"};
		if (self->view != COMPARE_NOTES && (self->view == COMPARE_CURVES || self->wide))
			shown[n++] = (struct screen_hint){
				ACTION_COMPARE_LOG, self->linear ? "logarithmic" : "linear"};
	}
	shown[n++] = (struct screen_hint){ACTION_HELP, "help"};
	shown[n++] = (struct screen_hint){ACTION_BACK, "back"};
	shown[n] = (struct screen_hint){ACTION_COUNT, NULL};
	return shown;
}

static void destroy(struct screen *screen)
{
	struct compare_screen *self = of(screen);

	table_free(self->table);
	free(self->titles);
	curve_overlays_free(&self->curves);
	facts_free(&self->notes);
	comparison_free(&self->comparison);
	reference_comparison_free(&self->published);
	reference_table_free(&self->reference);
	for (size_t i = 0; i < self->count; i++)
		run_free(self->runs[i]);
	free(self);
}

static const struct screen_ops compare_ops = {
	.name = "compare",
	.draw = draw,
	.title = title,
	.action = action,
	.key = key,
	.list = list,
	.explain = explain,
	.hints = hints,
	.destroy = destroy,
};

/* ---- reading --------------------------------------------------------------------------------- */

static void loaded(struct run_load *load, struct screen *screen)
{
	struct compare_screen *self = of(screen);
	struct err err = {0};

	self->reading = false;
	if (!load->runs[0]) {
		str_copy(self->fault, sizeof(self->fault), load->err.text);
		return;
	}
	if (self->count > 1 &&
		compare_runs((const struct run *const *)load->runs, self->count, &self->comparison,
			&err)) {
		str_copy(self->fault, sizeof(self->fault), err.text);
		return;
	}
	for (size_t i = 0; i < self->count; i++) {
		self->runs[i] = load->runs[i];
		load->runs[i] = NULL;
	}
	self->reference = load->reference;
	load->reference = (struct reference_table){0};
	if (compare_published(self))
		reference_compare(&self->reference, self->runs[0], &self->published);
	run_load_complain(load, screen);
	compare_rows_create(self);
	compare_rows_fill(self);
	fill_curves(self);
	compare_notes_fill(self);
	/* single loads make no curves */
	bool curves = false;
	for (size_t i = 0; i < self->count; i++)
		curves = curves || self->runs[i]->point_count > 1;
	if (!curves)
		self->view = COMPARE_TABLE;
}

struct screen *screen_compare(
	struct desk *desk, const struct store_entry *const *entries, size_t count)
{
	struct compare_screen *self = mem_alloc(sizeof(*self));

	self->screen = (struct screen){&compare_ops, desk};
	for (size_t i = 0; i < count && i < COMPARE_RUNS_MAX; i++)
		self->entries[self->count++] = *entries[i];
	self->reading = true;
	run_load_start(&self->screen, entries, self->count, self->count == 1, loaded);
	return &self->screen;
}
