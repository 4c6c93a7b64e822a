/* The running test: figures, charts, curve, and its end. */
#include "screens/live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "screens/explain.h"
#include "screens/format.h"
#include "screens/points_table.h"
#include "stats/series.h"

static struct live *of(struct screen *screen)
{
	return (struct live *)screen;
}

static const char *state_word(const struct runner_view *run)
{
	switch (run->state) {
	case RUNNER_PREPARING:
		return "preparing";
	case RUNNER_RUNNING:
		return "running";
	case RUNNER_PAUSED:
		return "PAUSED";
	case RUNNER_STOPPING:
		return "stopping";
	case RUNNER_SAVING:
		return "saving";
	case RUNNER_ENDED:
		break;
	}
	return format_outcome(run->outcome);
}

static void title(
	struct screen *screen, char *left, size_t left_size, char *right, size_t right_size)
{
	const struct runner_view *run = screen->desk->run;

	if (!run) {
		str_copy(left, left_size, "Running test");
		return;
	}
	str_format(left, left_size, "%s%s%s · ", run->simulated ? "SIMULATED " : "",
		run->writes ? "WRITES " : "", run->targets[0] ? run->targets : "-");
	if (run->has_check)
		str_append(left, left_size, "quick check");
	else
		str_append(left, left_size, "%s · %s", run->workload, run->method);
	str_copy(right, right_size, state_word(run));
}

/* FNV-1a over what shows: views that say the same draw nothing. */
static uint64_t mix(uint64_t hash, const void *bytes, size_t length)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t fingerprint(const struct runner_view *run)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	const int64_t seconds[] = {(int64_t)run->elapsed_s, (int64_t)run->silent_s,
		isfinite(run->total_s) ? (int64_t)run->total_s : -1,
		isfinite(run->temperature_c) ? (int64_t)lround(run->temperature_c) : -1000};
	const uint64_t counts[] = {(uint64_t)run->state, run->step, run->step_count,
		run->point_count, run->spoiled_count, run->warmup, run->has_analysis,
		(uint64_t)run->outcome, run->series ? series_count(run->series) : 0};

	hash = mix(hash, run->run_id, strlen(run->run_id));
	hash = mix(hash, seconds, sizeof(seconds));
	hash = mix(hash, counts, sizeof(counts));
	hash = mix(hash, run->phase, strlen(run->phase));
	hash = mix(hash, run->notes, strlen(run->notes));
	hash = mix(hash, run->saved_path, strlen(run->saved_path));
	hash = mix(hash, run->save_fault, strlen(run->save_fault));
	hash = mix(hash, &run->asked_iops, sizeof(run->asked_iops));
	if (run->has_current)
		hash = mix(hash, &run->current.start_s, sizeof(run->current.start_s));
	return hash;
}

static bool update(struct screen *screen)
{
	struct live *live = of(screen);
	const struct runner_view *run = screen->desk->run;
	const uint64_t now = run ? fingerprint(run) : 0;

	if (now == live->fingerprint)
		return false;
	live->fingerprint = now;
	const bool ended = run && run->state == RUNNER_ENDED;
	/* The end shows itself; a new test begins with its charts. */
	if (ended && !live->ended)
		live->view = LIVE_OUTCOME;
	else if (!ended && live->ended)
		live->view = LIVE_CHARTS;
	live->ended = ended;
	live_outcome_fill(live);
	return true;
}

static void draw_nothing(struct canvas *canvas, struct rect area)
{
	canvas_wrap(canvas, area.x + 2, area.y + area.height / 3, area.width - 4,
		area.height - area.height / 3, ROLE_TEXT,
		"No test has run since nvsweep was started. Go back, choose a namespace and press "
		"s to set one up. Saved runs stand under r.");
}

/* One load is no curve. */
static bool has_curve(const struct runner_view *run)
{
	return run && strcmp(run->method, "fixed") != 0;
}

static void draw_outcome(struct live *live, struct canvas *canvas, struct rect area)
{
	struct rect text = area;

	if (area.width >= LIVE_WIDE && has_curve(live->screen.desk->run)) {
		struct rect curve = area;

		text.width = area.width / 2 - 1;
		curve.x = area.x + area.width / 2;
		curve.width = area.x + area.width - curve.x;
		live_curve_draw(live, canvas, curve);
	}
	const int needed = facts_height(&live->outcome, canvas, text.width);
	if (text.height - needed - 1 >= EXPLAIN_PANE_ROOM) {
		const struct rect below = {
			text.x, text.y + needed + 1, text.width, text.height - needed - 1};

		explain_pane_draw(live->outcome.cursor, canvas, below);
		text.height = needed;
	}
	facts_draw(&live->outcome, canvas, text, true, false);
}

static void draw(struct screen *screen, struct canvas *canvas, struct rect area)
{
	struct live *live = of(screen);
	const struct runner_view *run = screen->desk->run;

	memset(live->shown, 0, sizeof(live->shown));
	if (area.width < 1 || area.height < 1)
		return;
	if (!run) {
		draw_nothing(canvas, area);
		return;
	}
	if (live->view == LIVE_OUTCOME && live->ended) {
		draw_outcome(live, canvas, area);
		return;
	}
	const int used = live_figures_draw(live, canvas, area);
	struct rect rest = {area.x, area.y + used, area.width, area.height - used};
	if (rest.height < 1)
		return;
	/* A line of air where there is one to spare. */
	if (rest.height > 16) {
		rest.y++;
		rest.height--;
	}
	if (area.width >= LIVE_WIDE && has_curve(run)) {
		struct rect right = rest;

		rest.width = area.width / 2;
		right.x = area.x + rest.width + 1;
		right.width = area.x + area.width - right.x;
		live_charts_draw(live, canvas, rest);
		live_curve_draw(live, canvas, right);
	} else if (live->view == LIVE_CURVE && has_curve(run)) {
		live_curve_draw(live, canvas, rest);
	} else {
		live_charts_draw(live, canvas, rest);
	}
}

static void answer_stop(struct screen *screen, enum dialog_result result, const char *value)
{
	(void)value;
	if (result == DIALOG_YES)
		screen->desk->stop_run(screen->desk);
}

/* The next metric that the last draw showed. */
static void move(struct live *live, int step)
{
	int at = (int)live->metric;

	for (int i = 0; i < LIVE_METRICS; i++) {
		at += step;
		if (at < 0 || at >= LIVE_METRICS)
			return;
		if (live->shown[at]) {
			live->metric = (enum live_metric)at;
			return;
		}
	}
}

/* Charts and curve are both on the screen. */
static bool side_by_side(const struct live *live)
{
	return live->shown[LIVE_CURVE_POINTS] && live->shown[LIVE_IOPS];
}

static void next_view(struct live *live)
{
	const bool wide = side_by_side(live) || !has_curve(live->screen.desk->run);

	if (wide && !live->ended)
		return;
	switch (live->view) {
	case LIVE_CHARTS:
		live->view = wide && live->ended ? LIVE_OUTCOME : LIVE_CURVE;
		break;
	case LIVE_CURVE:
		live->view = live->ended ? LIVE_OUTCOME : LIVE_CHARTS;
		break;
	case LIVE_OUTCOME:
		live->view = LIVE_CHARTS;
		break;
	}
	if (!live->shown[live->metric])
		live->metric = LIVE_PROGRESS;
}

/* The run as it was saved, beside the published figures. */
static void compare(struct live *live)
{
	struct desk *desk = live->screen.desk;
	const struct runner_view *run = desk->run;
	struct store_entry entry = {.started = 0};
	const struct store_entry *const entries[] = {&entry};

	if (!run)
		return;
	if (run->state != RUNNER_ENDED) {
		desk->notice(desk, "It can be compared when it has ended.");
		return;
	}
	if (!run->saved_path[0]) {
		desk->notice(desk, "It was not saved: there is nothing to compare.");
		return;
	}
	str_copy(entry.id, sizeof(entry.id), run->run_id);
	str_copy(entry.path, sizeof(entry.path), run->saved_path);
	str_copy(entry.workload, sizeof(entry.workload), run->workload);
	str_copy(entry.method, sizeof(entry.method), run->method);
	str_copy(entry.target, sizeof(entry.target), run->targets);
	entry.simulated = run->simulated;
	entry.outcome = run->outcome;
	entry.point_count = (uint32_t)run->point_count;
	desk->push(desk, screen_compare(desk, entries, 1));
}

static bool action(struct screen *screen, enum action action)
{
	struct live *live = of(screen);
	struct desk *desk = screen->desk;
	const struct runner_view *run = desk->run;
	const bool active = run && run->state != RUNNER_ENDED;

	switch (action) {
	case ACTION_LIVE_PAUSE:
		if (active)
			desk->pause_run(desk, run->state != RUNNER_PAUSED);
		return true;
	case ACTION_LIVE_STOP:
		if (active)
			desk->ask(desk,
				dialog_confirm("Stop the test?",
					"What has been measured so far is kept and saved.", "Stop",
					"Go on"),
				answer_stop, screen);
		return true;
	case ACTION_LIVE_VIEW:
		if (run)
			next_view(live);
		return true;
	case ACTION_LIVE_COMPARE:
		compare(live);
		return true;
	case ACTION_LIVE_LOG:
		live->linear = !live->linear;
		return true;
	default:
		break;
	}
	if (live->view == LIVE_OUTCOME && live->ended)
		return facts_action(&live->outcome, action);
	if (action != ACTION_UP && action != ACTION_DOWN)
		return false;
	move(live, action == ACTION_UP ? -1 : 1);
	return true;
}

static bool key(struct screen *screen, const struct key *key)
{
	struct live *live = of(screen);

	if (live->view == LIVE_OUTCOME && live->ended)
		return facts_key(&live->outcome, key);
	if (key->code == KEYC_MOUSE &&
		(key->button == MOUSE_WHEEL_UP || key->button == MOUSE_WHEEL_DOWN)) {
		move(live, key->button == MOUSE_WHEEL_UP ? -1 : 1);
		return true;
	}
	return false;
}

static void explain(struct screen *screen, char *buf, size_t size)
{
	static const char *const keys[LIVE_METRICS] = {
		[LIVE_PROGRESS] = "live.progress",
		[LIVE_ASKED] = "live.asked",
		[LIVE_OUTSTANDING] = "live.outstanding",
		[LIVE_BACKLOG] = "live.backlog",
		[LIVE_DIRECTIONS] = "live.directions",
		[LIVE_SERVICE] = "live.service",
		[LIVE_RESPONSE] = "live.response",
		[LIVE_READ_SERVICE] = "live.read_service",
		[LIVE_WRITE_SERVICE] = "live.write_service",
		[LIVE_IOPS] = "live.iops",
		[LIVE_P50] = "live.p50",
		[LIVE_P99] = "live.p99",
		[LIVE_P999] = "live.p999",
		[LIVE_TEMPERATURE] = "live.temperature",
		[LIVE_CURVE_POINTS] = "live.curve",
	};
	const struct live *live = of(screen);

	explain_text(live->view == LIVE_OUTCOME && live->ended ? live->outcome.cursor
							       : keys[live->metric],
		buf, size);
}

static const struct screen_hint *hints(struct screen *screen)
{
	static struct screen_hint list[12];
	const struct live *live = of(screen);
	const struct runner_view *run = screen->desk->run;
	const bool active = run && run->state != RUNNER_ENDED;
	size_t n = 0;

	if (active) {
		list[n++] = (struct screen_hint){
			ACTION_LIVE_PAUSE, run->state == RUNNER_PAUSED ? "go on" : "pause"};
		list[n++] = (struct screen_hint){ACTION_LIVE_STOP, "stop"};
	}
	if (run && !active && run->saved_path[0])
		list[n++] = (struct screen_hint){ACTION_LIVE_COMPARE, "compare"};
	if (run && (live->ended || (has_curve(run) && !side_by_side(live))))
		list[n++] = (struct screen_hint){ACTION_LIVE_VIEW,
			live->view == LIVE_CHARTS ? (live->ended ? "next view" : "curve")
				: live->view == LIVE_CURVE && live->ended ? "outcome"
									  : "charts"};
	if (run)
		list[n++] = (struct screen_hint){
			ACTION_LIVE_LOG, live->linear ? "logarithmic" : "linear"};
	if (!active)
		list[n++] = (struct screen_hint){ACTION_RESULTS, "results"};
	list[n++] = (struct screen_hint){ACTION_EXPLAIN, "explain"};
	list[n++] = (struct screen_hint){ACTION_HELP, "help"};
	list[n++] = (struct screen_hint){ACTION_BACK, active ? "leave running" : "back"};
	list[n] = (struct screen_hint){ACTION_COUNT, NULL};
	return list;
}

static void destroy(struct screen *screen)
{
	struct live *live = of(screen);

	table_free(live->points);
	facts_free(&live->outcome);
	free(live);
}

static const struct screen_ops live_ops = {
	.name = "live",
	.draw = draw,
	.title = title,
	.action = action,
	.key = key,
	.update = update,
	.explain = explain,
	.hints = hints,
	.destroy = destroy,
};

struct screen *screen_live(struct desk *desk)
{
	struct live *live = mem_alloc(sizeof(*live));

	live->screen = (struct screen){&live_ops, desk};
	live->points = points_table_create();
	table_set_passive(live->points); /* the cursor of this screen is on a metric */
	update(&live->screen);
	return &live->screen;
}
