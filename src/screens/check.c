/* The quick check of a drive: starts it, shows its lines as they fill in, and its verdict. */
#include "screens/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "screens/check_view.h"
#include "screens/explain.h"
#include "sweep/method_check.h"
#include "tui/chart.h"

#define BAR_WIDTH 20

struct check_screen {
	struct screen screen;
	struct check_view view;
	char target[64]; /* that was asked for; "" shows the one that runs */
	char fault[512]; /* why it was not started; "" */
	/* of the view that the last update saw */
	bool seen;
	double elapsed_s;
	enum runner_state state;
};

static struct check_screen *of(struct screen *screen)
{
	return (struct check_screen *)screen;
}

/* NULL while it is being started, or when another test took its place. */
static const struct runner_view *run_of(const struct check_screen *self)
{
	const struct desk *desk = self->screen.desk;

	return desk->run && desk->run->has_check && !desk->starting && !self->fault[0] ? desk->run
										       : NULL;
}

static bool active(const struct check_screen *self)
{
	const struct runner_view *run = run_of(self);

	return run && run->state != RUNNER_ENDED;
}

/* ---- starting ------------------------------------------------------------------------------- */

static void started(struct screen *screen, const struct err *fault)
{
	if (fault)
		str_copy(of(screen)->fault, sizeof(of(screen)->fault), fault->text);
}

static void start(struct check_screen *self)
{
	struct desk *desk = self->screen.desk;
	const char *target = self->target;
	struct workload *workload = NULL;
	struct runner_config config = {
		.method = CHECK_METHOD, .targets = &target, .target_count = 1};
	struct err err;
	int rc;

	err_clear(&err);
	self->fault[0] = '\0';
	check_options(&config.options);
	rc = strcmp(desk->settings->backend, "auto")
		? options_set_value(&config.options, "backend", desk->settings->backend, &err)
		: 0;
	if (!rc)
		rc = check_workload(&workload, &err);
	config.workload = workload;
	if (!rc)
		rc = desk->start_run(desk, &config, started, &self->screen, &err);
	if (rc)
		started(&self->screen, &err);
	workload_free(workload);
}

/* ---- what shows ----------------------------------------------------------------------------- */

static void title(
	struct screen *screen, char *left, size_t left_size, char *right, size_t right_size)
{
	const struct check_screen *self = of(screen);
	const struct runner_view *run = run_of(self);
	char verdict[192];

	str_format(left, left_size, "%s%s · quick check",
		(run ? run->simulated : screen_simulated(screen->desk)) ? "SIMULATED " : "",
		run                       ? run->targets
			: self->target[0] ? self->target
					  : "no drive");
	if (!run)
		str_copy(right, right_size, screen->desk->starting ? "starting" : "");
	else if (run->state == RUNNER_PAUSED)
		str_copy(right, right_size, "PAUSED");
	else if (run->state != RUNNER_ENDED)
		str_copy(right, right_size, "reads, writes nothing");
	else if (run->check.verdict == HEALTH_UNKNOWN)
		str_copy(right, right_size, "unknown");
	else
		str_copy(right, right_size,
			check_view_verdict(&run->check, verdict, sizeof(verdict)));
}

static bool update(struct screen *screen)
{
	struct check_screen *self = of(screen);
	const struct runner_view *run = run_of(self);

	const bool same = self->seen == (run != NULL) &&
		(!run || (run->elapsed_s == self->elapsed_s && run->state == self->state));

	self->seen = run != NULL;
	self->elapsed_s = run ? run->elapsed_s : 0;
	self->state = run ? run->state : RUNNER_PREPARING;
	return !same || screen->desk->starting;
}

static int draw_waiting(const struct check_screen *self, struct canvas *canvas, struct rect area)
{
	char text[600];

	if (self->fault[0])
		str_format(text, sizeof(text), "The check was not started: %s", self->fault);
	else if (self->screen.desk->starting)
		str_format(text, sizeof(text), "Opening %s...", self->target);
	else
		str_copy(text, sizeof(text), "No check runs. Choose a drive and press c.");
	return canvas_wrap(canvas, area.x + 1, area.y + 1, area.width - 2, area.height - 1,
		self->fault[0] ? ROLE_ERROR : ROLE_TEXT, text);
}

/* The line above: how far it is, or what came of it. */
static void draw_head(const struct runner_view *run, struct canvas *canvas, struct rect area)
{
	char text[256], clock[2][32];
	int x = area.x + 1;

	if (run->state == RUNNER_ENDED) {
		x = canvas_text(canvas, x, area.y, area.width - 2, check_view_role(&run->check),
			check_view_verdict(&run->check, text, sizeof(text)));
		if (run->outcome == RUN_STOPPED || run->outcome == RUN_ABORTED)
			canvas_textf(canvas, x + 2, area.y, area.x + area.width - x - 3, ROLE_WARN,
				"%s: %s", run_outcome_name(run->outcome), run->reason);
		return;
	}
	if (run->total_s > 0) {
		chart_bar(canvas, x, area.y, BAR_WIDTH, ROLE_VALUE,
			fmin(1, run->elapsed_s / run->total_s));
		x += BAR_WIDTH + 1;
		x = canvas_textf(canvas, x, area.y, area.x + area.width - x - 1, ROLE_VALUE,
			    "%s of %s", units_clock(clock[0], sizeof(clock[0]), run->elapsed_s),
			    units_clock(clock[1], sizeof(clock[1]), run->total_s)) +
			2;
	}
	str_copy(text, sizeof(text), run->phase);
	if (run->silent_s >= 2)
		str_append(text, sizeof(text), ": no answer for %.0f s", run->silent_s);
	canvas_text(canvas, x, area.y, area.x + area.width - x - 1, ROLE_LABEL, text);
}

static void draw_saved(const struct runner_view *run, struct canvas *canvas, struct rect area)
{
	char text[700];

	if (run->state != RUNNER_ENDED) {
		canvas_wrap(canvas, area.x + 1, area.y, area.width - 2, area.height, ROLE_DIM,
			"The drive is only read, for less than a minute. Esc leaves the check "
			"running, m comes back to it.");
		return;
	}
	if (run->saved_path[0])
		str_format(text, sizeof(text), "Saved: %s", run->run_id);
	else
		str_format(text, sizeof(text), "NOT SAVED: %s",
			run->save_fault[0] ? run->save_fault : "there is no folder for runs");
	canvas_wrap(canvas, area.x + 1, area.y, area.width - 2, area.height,
		run->saved_path[0] ? ROLE_DIM : ROLE_CRIT, text);
}

static void draw(struct screen *screen, struct canvas *canvas, struct rect area)
{
	struct check_screen *self = of(screen);
	const struct runner_view *run = run_of(self);

	if (area.width < 4 || area.height < 3)
		return;
	if (!run) {
		draw_waiting(self, canvas, area);
		return;
	}
	draw_head(run, canvas, area);
	check_view_fill(&self->view, &run->check, run->spoiled_by, run->spoiled_count, run);
	struct rect list = {area.x, area.y + 2, area.width, area.height - 2};
	const int saved = list.height >= 12 ? 3 : 1;

	list.height -= saved;
	const int used = check_view_draw(&self->view, canvas, list);
	struct rect rest = {
		area.x, list.y + used, area.width, area.y + area.height - list.y - used};

	if (rest.height > 2) {
		rest.y++;
		rest.height--;
	}
	draw_saved(run, canvas, rest);
	rest.y += 2;
	rest.height -= 2;
	explain_pane_draw(check_view_explain(&self->view), canvas, rest);
}

/* ---- keys ----------------------------------------------------------------------------------- */

static void answer_stop(struct screen *screen, enum dialog_result result, const char *value)
{
	(void)value;
	if (result == DIALOG_YES)
		screen->desk->stop_run(screen->desk);
}

static bool action(struct screen *screen, enum action action)
{
	struct check_screen *self = of(screen);
	struct desk *desk = screen->desk;
	const struct runner_view *run = run_of(self);

	switch (action) {
	case ACTION_CHECK_STOP:
		if (active(self))
			desk->ask(desk,
				dialog_confirm("Stop the check?",
					"What has been measured so far is kept and saved; the "
					"verdict stays open.",
					"Stop", "Go on"),
				answer_stop, screen);
		return true;
	case ACTION_CHECK_CHARTS:
		if (run)
			desk->push(desk, screen_live(desk));
		return true;
	case ACTION_CHECK_AGAIN:
		if (self->target[0] && !active(self) && !desk->starting)
			start(self);
		return true;
	default:
		return run && check_view_action(&self->view, action);
	}
}

static bool key(struct screen *screen, const struct key *key)
{
	return run_of(of(screen)) && check_view_key(&of(screen)->view, key);
}

static void explain(struct screen *screen, char *buf, size_t size)
{
	if (run_of(of(screen)))
		explain_text(check_view_explain(&of(screen)->view), buf, size);
}

static const struct screen_hint *hints(struct screen *screen)
{
	static struct screen_hint list[8];
	const struct check_screen *self = of(screen);
	size_t n = 0;

	if (active(self))
		list[n++] = (struct screen_hint){ACTION_CHECK_STOP, "stop"};
	else if (self->target[0] && !screen->desk->starting)
		list[n++] = (struct screen_hint){ACTION_CHECK_AGAIN, "check again"};
	if (run_of(self))
		list[n++] = (struct screen_hint){ACTION_CHECK_CHARTS, "charts"};
	if (!active(self))
		list[n++] = (struct screen_hint){ACTION_RESULTS, "results"};
	list[n++] = (struct screen_hint){ACTION_EXPLAIN, "explain"};
	list[n++] = (struct screen_hint){ACTION_HELP, "help"};
	list[n++] = (struct screen_hint){ACTION_BACK, active(self) ? "leave running" : "back"};
	list[n] = (struct screen_hint){ACTION_COUNT, NULL};
	return list;
}

static void destroy(struct screen *screen)
{
	free(of(screen));
}

static const struct screen_ops check_ops = {
	.name = "check",
	.draw = draw,
	.title = title,
	.action = action,
	.key = key,
	.update = update,
	.explain = explain,
	.hints = hints,
	.destroy = destroy,
};

static struct check_screen *make(struct desk *desk)
{
	struct check_screen *self = mem_alloc(sizeof(*self));

	self->screen = (struct screen){&check_ops, desk};
	return self;
}

struct screen *screen_check(struct desk *desk)
{
	return &make(desk)->screen;
}

void screen_check_start(struct desk *desk, const char *target)
{
	struct check_screen *self;

	if ((desk->run && desk->run->state != RUNNER_ENDED) || desk->starting) {
		desk->notice(desk, "A test is running: m shows it. One runs at a time.");
		return;
	}
	self = make(desk);
	str_copy(self->target, sizeof(self->target), target);
	desk->push(desk, &self->screen);
	start(self);
}
