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
#include "screens/run_load.h"

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

/* Points or their curve: a cursor goes from point to point. */
static bool shows_points(const struct run_screen *self)
{
	return self->view == RUN_POINTS || self->view == RUN_CURVE;
}

static enum run_view next_view(const struct run_screen *self)
{
	if (self->view == RUN_DETAILS)
		return self->is_check ? RUN_CHECK : RUN_POINTS;
	if (self->view == RUN_CHECK)
		return has_curve(self) ? RUN_CURVE : RUN_POINTS;
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
	str_format(left, left_size, "%s%s%s · ", self->run->simulated ? "SIMULATED " : "",
		self->run->target_count ? self->run->targets[0].name : "-",
		self->run->target_count > 1 ? " and others" : "");
	if (self->is_check)
		str_append(left, left_size, "quick check");
	else
		str_append(left, left_size, "%s · %s", self->run->workload, self->run->method);
	screen_time_text(self->run->started, when, sizeof(when));
	str_format(right, right_size, "%s   %s",
		self->entry.partial ? "PARTIAL" : format_outcome(self->run->outcome), when);
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
		.overlays = &self->overlays,
	};
	/* What it says, from the most important down; the chart has the lines that are left. */
	struct {
		enum role role;
		int most;
		char text[900];
	} words[5] = {{ROLE_VALUE, 1, ""}, {ROLE_LABEL, 2, ""}, {ROLE_VALUE, 2, ""},
		{ROLE_DIM, 2, ""}, {ROLE_WARN, 1, ""}};
	const size_t size = sizeof(words[0].text);
	const int room = area.height >= 18 ? 7 : area.height >= 14 ? 4 : area.height >= 8 ? 2 : 0;
	int lines[5], used = 0;

	if (cursor >= 0 && (size_t)cursor < run->point_count)
		curve_view_point(&run->points[cursor], words[0].text, size);
	if (run->has_analysis)
		curve_view_analysis(
			run->points, run->point_count, &run->analysis, false, words[1].text, size);
	run_overlay_words(self, words[2].text, words[3].text, size);
	if (run->spoiled_count)
		str_format(words[4].text, size, "spoiled: %s%s", run->spoiled_by[0],
			run->spoiled_count > 1 ? " (and more: see the details)" : "");
	for (size_t i = 0; i < 5; i++) {
		lines[i] = words[i].text[0]
			? canvas_wrap(canvas, 0, 0, area.width - 2, 0, words[i].role, words[i].text)
			: 0;
		if (lines[i] > words[i].most)
			lines[i] = words[i].most;
		if (used + lines[i] > room)
			lines[i] = room - used;
		used += lines[i];
	}
	curve_view_draw(&view, canvas,
		(struct rect){area.x + 1, area.y, area.width - 1, area.height - used});
	int y = area.y + area.height - used;
	for (size_t i = 0; i < 5; y += lines[i++])
		if (lines[i])
			canvas_wrap(canvas, area.x + 1, y, area.width - 2, lines[i], words[i].role,
				words[i].text);
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

static void draw_check(struct run_screen *self, struct canvas *canvas, struct rect area)
{
	char text[192];

	canvas_text(canvas, area.x + 1, area.y, area.width - 2, check_view_role(&self->check),
		check_view_verdict(&self->check, text, sizeof(text)));
	const int used = check_view_draw(&self->lines, canvas,
		(struct rect){area.x, area.y + 2, area.width, area.height - 2});

	explain_pane_draw(check_view_explain(&self->lines), canvas,
		(struct rect){area.x, area.y + 3 + used, area.width, area.height - 3 - used});
}

static void draw(struct screen *screen, struct canvas *canvas, struct rect area)
{
	struct run_screen *self = of(screen);

	if (area.width < 1 || area.height < 1)
		return;
	if (!self->run) {
		canvas_wrap(canvas, area.x + 2, area.y + 1, area.width - 4, area.height - 1,
			self->reading ? ROLE_DIM : ROLE_ERROR,
			self->reading ? "Reading the run ..." : self->fault);
		return;
	}
	if (self->view == RUN_CHECK) {
		draw_check(self, canvas, area);
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

static void compare(struct run_screen *self)
{
	struct desk *desk = self->screen.desk;
	const struct store_entry *const entries[] = {&self->entry, &self->other};

	desk->push(desk,
		screen_compare(desk, entries,
			self->overlay == RUN_OVERLAY_RUN && self->other_run ? 2 : 1));
}

/* A tag or note was written. */
static void changed(
	struct screen *screen, const struct store_entry *entries, size_t count, bool deleted)
{
	struct run_screen *self = of(screen);

	(void)deleted;
	if (!count)
		return;
	self->entry = entries[0];
	if (self->run)
		run_details_fill(self, self->width);
}

static struct run_edit *edit(struct screen *screen)
{
	return &of(screen)->edit;
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
	case ACTION_RUN_OVERLAY:
		if (!has_curve(self))
			screen->desk->notice(screen->desk, "One point is no curve: c compares it.");
		else
			run_overlay_next(self);
		if (has_curve(self) && self->view != RUN_CURVE)
			self->view = RUN_CURVE;
		return true;
	case ACTION_RUN_COMPARE:
		compare(self);
		return true;
	case ACTION_RUN_TAGS:
		run_edit_tags(&self->edit, &self->entry, 1);
		return true;
	case ACTION_RUN_NOTE:
		run_edit_note(&self->edit, &self->entry, 1);
		return true;
	case ACTION_RUN_EXPORT:
		run_edit_export(&self->edit, &self->entry, 1);
		return true;
	default:
		break;
	}
	if (self->view == RUN_DETAILS)
		return facts_pair_action(&self->details, action);
	if (self->view == RUN_CHECK)
		return check_view_action(&self->lines, action);
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
	if (self->view == RUN_CHECK)
		return check_view_key(&self->lines, key);
	return self->view == RUN_DETAILS ? facts_pair_key(&self->details, key)
					 : list_key(self->points, key, &open);
}

static void explain(struct screen *screen, char *buf, size_t size)
{
	struct run_screen *self = of(screen);

	if (!self->run)
		str_copy(buf, size, self->reading ? "The run is being read." : self->fault);
	else if (self->view == RUN_CHECK)
		explain_text(check_view_explain(&self->lines), buf, size);
	else if (self->view == RUN_DETAILS)
		explain_text(facts_pair_cursor(&self->details), buf, size);
	else
		explain_text(self->view == RUN_CURVE ? "live.curve" : "run.point", buf, size);
}

static const struct screen_hint *hints(struct screen *screen)
{
	static struct screen_hint list[16];
	const struct run_screen *self = of(screen);
	size_t n = 0;

	if (self->run) {
		static const char *const names[] = {"points", "curve", "details", "verdict"};

		if (shows_points(self)) {
			/* along the curve, or down the table */
			const bool down = self->view == RUN_POINTS && !self->together;

			list[n++] = (struct screen_hint){down ? ACTION_UP : ACTION_LEFT, ""};
			list[n++] = (struct screen_hint){down ? ACTION_DOWN : ACTION_RIGHT, "read"};
		}
		list[n++] = (struct screen_hint){ACTION_RUN_VIEW, names[next_view(self)]};
		if (has_curve(self))
			list[n++] = (struct screen_hint){ACTION_RUN_OVERLAY, "overlay"};
		list[n++] = (struct screen_hint){ACTION_RUN_COMPARE, "compare"};
	}
	list[n++] = (struct screen_hint){ACTION_EXPLAIN, "explain"};
	if (self->run) {
		list[n++] = (struct screen_hint){ACTION_RUN_EXPORT, "export"};
		list[n++] = (struct screen_hint){ACTION_RUN_TAGS, "tags"};
		list[n++] = (struct screen_hint){ACTION_RUN_NOTE, "note"};
		if (shows_points(self) && (self->together || self->view == RUN_CURVE))
			list[n++] = (struct screen_hint){
				ACTION_RUN_LOG, self->linear ? "logarithmic" : "linear"};
	}
	list[n++] = (struct screen_hint){ACTION_HELP, "help"};
	list[n++] = (struct screen_hint){ACTION_BACK, "back"};
	list[n] = (struct screen_hint){ACTION_COUNT, NULL};
	return list;
}

static void destroy(struct screen *screen)
{
	struct run_screen *self = of(screen);

	run_overlay_free(self);
	run_edit_free(&self->edit);
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
	.edit = edit,
	.explain = explain,
	.hints = hints,
	.destroy = destroy,
};

static void loaded(struct run_load *load, struct screen *screen)
{
	struct run_screen *self = of(screen);

	self->reading = false;
	if (!load->runs[0]) {
		str_copy(self->fault, sizeof(self->fault), load->err.text);
		return;
	}
	self->run = load->runs[0];
	load->runs[0] = NULL;
	self->entry.marks = self->run->marks;
	self->reference = load->reference;
	load->reference = (struct reference_table){0};
	reference_compare(&self->reference, self->run, &self->published);
	run_load_complain(load, screen);
	points_table_fill(self->points, self->run->searches, self->run->search_count,
		self->run->points, self->run->point_count);
	points_table_select(self->points, 0);
	if (!has_curve(self))
		self->view = RUN_POINTS;
	self->is_check = check_is(self->run);
	if (self->is_check) {
		check_judge(self->run, &self->check);
		check_view_fill(&self->lines, &self->check, self->run->spoiled_by,
			self->run->spoiled_count, NULL);
		self->view = RUN_CHECK;
	}
	run_details_fill(self, 80);
}

struct screen *screen_run(struct desk *desk, const struct store_entry *entry)
{
	struct run_screen *self = mem_alloc(sizeof(*self));

	self->screen = (struct screen){&run_ops, desk};
	self->points = points_table_create();
	self->view = RUN_CURVE;
	self->entry = *entry;
	self->reading = true;
	run_edit_init(&self->edit, &self->screen, changed);
	run_load_start(&self->screen, &entry, 1, true, loaded);
	return &self->screen;
}
