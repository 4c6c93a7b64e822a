/* One saved run: its points, its curve with a cursor, its details. */
#include "screens/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "result/store.h"
#include "screens/curve_view.h"
#include "screens/explain.h"
#include "screens/format.h"
#include "screens/lists.h"
#include "screens/points_table.h"

/* From this height on points and curve share the screen. */
#define TALL 28

static struct run_screen *of(struct screen *screen)
{
	return (struct run_screen *)screen;
}

/* A single point is no curve. */
static bool has_curve(const struct run_screen *self)
{
	return self->run && self->run->point_count >= 2;
}

static enum run_view next_view(const struct run_screen *self)
{
	if (self->view == RUN_DETAILS)
		return RUN_POINTS;
	if (self->together || self->view == RUN_CURVE || !has_curve(self))
		return RUN_DETAILS;
	return RUN_CURVE;
}

static void title(
	struct screen *screen, char *left, size_t left_size, char *right, size_t right_size)
{
	const struct run_screen *self = of(screen);
	char when[32];

	if (!self->run) {
		str_copy(left, left_size, "Saved run");
		return;
	}
	str_format(left, left_size, "%s%s%s · %s · %s", self->run->simulated ? "SIMULATED " : "",
		self->run->target_count ? self->run->targets[0].name : "-",
		self->run->target_count > 1 ? " and others" : "", self->run->workload,
		self->run->method);
	screen_time_text(self->run->started, when, sizeof(when));
	str_format(right, right_size, "%s   %s",
		self->partial ? "PARTIAL" : format_outcome(self->run->outcome), when);
}

static void draw_curve(struct run_screen *self, struct canvas *canvas, struct rect area)
{
	const struct run *run = self->run;
	const int cursor = points_table_selected(self->points);
	const struct curve_view view = {
		.points = run->points,
		.count = run->point_count,
		.p99_limit_ns = run->p99_limit_ns,
		.logarithmic = !self->linear,
		.cursor = cursor,
	};
	const int lines = area.height >= 14 ? 4 : area.height >= 8 ? 2 : 0;
	struct rect chart = {area.x + 1, area.y, area.width - 1, area.height - lines};
	char text[512];
	int y = chart.y + chart.height;
	const int end = area.y + area.height;

	curve_view_draw(&view, canvas, chart);
	if (y < end && cursor >= 0 && (size_t)cursor < run->point_count) {
		curve_view_point(&run->points[cursor], text, sizeof(text));
		canvas_text(canvas, area.x + 1, y++, area.width - 2, ROLE_VALUE, text);
	}
	if (y < end && run->has_analysis) {
		curve_view_analysis(
			run->points, run->point_count, &run->analysis, false, text, sizeof(text));
		y += canvas_wrap(canvas, area.x + 1, y, area.width - 2, end - y, ROLE_LABEL, text);
	}
	if (y < end && run->spoiled_count) {
		str_format(text, sizeof(text), "spoiled: %s%s", run->spoiled_by[0],
			run->spoiled_count > 1 ? " (and more: see the details)" : "");
		canvas_text(canvas, area.x + 1, y, area.width - 2, ROLE_WARN, text);
	}
}

static void draw_points(struct run_screen *self, struct canvas *canvas, struct rect area)
{
	struct rect list = area;

	if (!self->together && area.height >= 8) {
		char text[200] = "";
		const int index = points_table_selected(self->points);

		list.height--;
		if (index >= 0 && (size_t)index < self->run->point_count)
			curve_view_point(&self->run->points[index], text, sizeof(text));
		else if (table_selected(self->points)[0] == 's')
			str_copy(text, sizeof(text), "a run of the search for the maximum");
		canvas_text(
			canvas, area.x + 1, area.y + list.height, area.width - 2, ROLE_DIM, text);
		const int rows = (int)table_count(self->points) + 1;
		explain_pane_draw("run.point", canvas,
			(struct rect){
				area.x, area.y + rows + 1, area.width, list.height - rows - 2});
	}
	table_draw(self->points, canvas, list);
}

static void draw(struct screen *screen, struct canvas *canvas, struct rect area)
{
	struct run_screen *self = of(screen);

	if (area.width < 1 || area.height < 1)
		return;
	if (!self->run) {
		canvas_wrap(canvas, area.x + 2, area.y + 1, area.width - 4, area.height - 1,
			ROLE_ERROR, self->fault);
		return;
	}
	self->together = area.height >= TALL && has_curve(self);
	if (self->view == RUN_DETAILS) {
		if (self->width != area.width)
			run_details_fill(self, area.width);
		facts_pair_draw(&self->details, canvas, area, false);
		return;
	}
	if (self->together) {
		struct rect curve = area, list = area;
		int rows = (int)table_count(self->points) + 1;

		if (rows > area.height / 2)
			rows = area.height / 2;
		curve.height = area.height - rows - 1;
		canvas_hline(
			canvas, area.x + 1, area.y + curve.height, area.width - 2, ROLE_BORDER);
		list.y = area.y + curve.height + 1;
		list.height = rows;
		draw_curve(self, canvas, curve);
		draw_points(self, canvas, list);
	} else if (self->view == RUN_CURVE) {
		draw_curve(self, canvas, area);
	} else {
		draw_points(self, canvas, area);
	}
}

static bool action(struct screen *screen, enum action action)
{
	struct run_screen *self = of(screen);

	if (!self->run)
		return false;
	switch (action) {
	case ACTION_RUN_VIEW:
		self->view = next_view(self);
		return true;
	case ACTION_RUN_LOG:
		self->linear = !self->linear;
		return true;
	default:
		break;
	}
	if (self->view == RUN_DETAILS)
		return facts_pair_action(&self->details, action);
	if (action == ACTION_LEFT || action == ACTION_RIGHT) {
		table_move(self->points, action == ACTION_LEFT ? -1 : 1);
		return true;
	}
	return list_action(self->points, action);
}

static bool key(struct screen *screen, const struct key *key)
{
	struct run_screen *self = of(screen);
	bool open;

	if (!self->run)
		return false;
	return self->view == RUN_DETAILS ? facts_pair_key(&self->details, key)
					 : list_key(self->points, key, &open);
}

static void explain(struct screen *screen, char *buf, size_t size)
{
	struct run_screen *self = of(screen);

	if (!self->run)
		str_copy(buf, size, self->fault);
	else if (self->view == RUN_DETAILS)
		explain_text(facts_pair_cursor(&self->details), buf, size);
	else
		explain_text(self->view == RUN_CURVE ? "live.curve" : "run.point", buf, size);
}

static const struct screen_hint *hints(struct screen *screen)
{
	static struct screen_hint list[10];
	const struct run_screen *self = of(screen);
	size_t n = 0;

	if (self->run) {
		static const char *const names[] = {"points", "curve", "details"};

		if (self->view != RUN_DETAILS) {
			/* along the curve, or down the table */
			const bool down = self->view == RUN_POINTS && !self->together;

			list[n++] = (struct screen_hint){down ? ACTION_UP : ACTION_LEFT, ""};
			list[n++] = (struct screen_hint){
				down ? ACTION_DOWN : ACTION_RIGHT, "read points"};
			if (self->together || self->view == RUN_CURVE)
				list[n++] = (struct screen_hint){
					ACTION_RUN_LOG, self->linear ? "logarithmic" : "linear"};
		}
		list[n++] = (struct screen_hint){ACTION_RUN_VIEW, names[next_view(self)]};
	}
	list[n++] = (struct screen_hint){ACTION_EXPLAIN, "explain"};
	list[n++] = (struct screen_hint){ACTION_HELP, "help"};
	list[n++] = (struct screen_hint){ACTION_BACK, "back"};
	list[n] = (struct screen_hint){ACTION_COUNT, NULL};
	return list;
}

static void destroy(struct screen *screen)
{
	struct run_screen *self = of(screen);

	run_free(self->run);
	table_free(self->points);
	facts_pair_free(&self->details);
	free(self);
}

static const struct screen_ops run_ops = {
	.name = "run",
	.draw = draw,
	.title = title,
	.action = action,
	.key = key,
	.explain = explain,
	.hints = hints,
	.destroy = destroy,
};

struct screen *screen_run(struct desk *desk, const char *run_id)
{
	struct run_screen *self = mem_alloc(sizeof(*self));
	struct store_entry entry;
	struct err err = {0};

	self->screen = (struct screen){&run_ops, desk};
	self->points = points_table_create();
	self->view = RUN_CURVE;
	if (store_find(desk->runs_folder, run_id, &entry, &err) ||
		store_load(&entry, &self->run, &err)) {
		self->run = NULL;
		str_copy(self->fault, sizeof(self->fault),
			err.text[0] ? err.text : "the run could not be read");
		return &self->screen;
	}
	str_copy(self->path, sizeof(self->path), entry.path);
	self->partial = entry.partial;
	points_table_fill(self->points, self->run->searches, self->run->search_count,
		self->run->points, self->run->point_count);
	points_table_select(self->points, 0);
	if (!has_curve(self))
		self->view = RUN_POINTS;
	run_details_fill(self, 80);
	return &self->screen;
}
