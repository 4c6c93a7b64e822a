/* Pictures of a run to JSON and back. */
#include "sweep/view_json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "result/fields.h"
#include "result/point_json.h"
#include "result/run_json.h"

/* More than any run has; a document that says more is none of ours. */
#define POINTS_MAX 4096
#define INTERVALS_MAX 65536
#define PLANNED_MAX (sizeof(((struct runner_view *)0)->planned_percent) / sizeof(double))

static const char *const states[] = {
	[RUNNER_PREPARING] = "preparing",
	[RUNNER_RUNNING] = "running",
	[RUNNER_PAUSED] = "paused",
	[RUNNER_STOPPING] = "stopping",
	[RUNNER_SAVING] = "saving",
	[RUNNER_ENDED] = "ended",
};
#define STATES (sizeof(states) / sizeof(states[0]))

/* ---- to JSON --------------------------------------------------------------------------------- */

static struct json *analysis_to_json(const struct curve_analysis *a)
{
	struct json *object = json_object();

	json_set_i64(object, "start", a->start);
	json_set_i64(object, "peak", a->peak);
	json_set_i64(object, "knee_chord", a->knee_chord);
	json_set_i64(object, "knee_limit", a->knee_limit);
	json_set_bool(object, "fall_off", a->fall_off);
	json_set_i64(object, "fall_off_at", a->fall_off_at);
	return object;
}

static struct json *check_to_json(const struct check *check)
{
	struct json *object = json_object(), *lines = json_array();

	for (size_t i = 0; i < CHECK_PARTS; i++) {
		const struct check_line *line = &check->lines[i];
		struct json *one = json_object();

		json_set_string(one, "key", line->key);
		json_set_string(one, "state", check_state_name(line->state));
		json_set_string(one, "word", line->word);
		json_set_string(one, "figures", line->figures);
		json_set_string(one, "reason", line->reason);
		json_add(lines, one);
	}
	json_set(object, "lines", lines);
	json_set_bool(object, "ended", check->ended);
	json_set_string(object, "verdict", health_name(check->verdict));
	json_set_string(object, "why_unknown", check->why_unknown);
	json_set_u64(object, "read_bytes", check->read_bytes);
	json_set_u64(object, "written_bytes", check->written_bytes);
	json_set_double(object, "seconds", check->seconds);
	return object;
}

static void names_to_json(const struct runner_view *view, struct json *object)
{
	json_set_string(object, "run_id", view->run_id);
	json_set_string(object, "targets", view->targets);
	json_set_string(object, "workload", view->workload);
	json_set_string(object, "workload_summary", view->workload_summary);
	json_set_string(object, "method", view->method);
	json_set_string(object, "backend", view->backend);
	json_set_string(object, "notes", view->notes);
	json_set_string(object, "phase", view->phase);
	json_set_bool(object, "simulated", view->simulated);
	json_set_bool(object, "writes", view->writes);
	json_set_string(object, "outcome", run_outcome_name(view->outcome));
	json_set_string(object, "reason", view->reason);
	json_set_string(object, "saved_path", view->saved_path);
	json_set_string(object, "save_fault", view->save_fault);
}

static void points_to_json(const struct runner_view *view, struct json *object)
{
	struct json *points = json_array(), *planned = json_array(), *spoiled = json_array();

	for (size_t i = 0; i < view->point_count; i++)
		json_add(points, run_point_to_json(&view->points[i]));
	for (size_t i = 0; i < view->planned_count; i++)
		json_add_double(planned, view->planned_percent[i]);
	for (size_t i = 0; i < view->spoiled_count; i++)
		json_add_string(spoiled, view->spoiled_by[i]);
	json_set(object, "maximum", view->has_maximum ? run_point_to_json(&view->maximum) : NULL);
	json_set(object, "points", points);
	json_set(object, "planned_percent", planned);
	json_set(object, "analysis",
		view->has_analysis ? analysis_to_json(&view->analysis) : json_null());
	json_set_double(object, "p99_limit_us", view->p99_limit_ns / 1000);
	json_set(object, "spoiled_by", spoiled);
}

static void series_to_json(const struct series *series, size_t from, size_t most, struct json *to)
{
	struct json *intervals = json_array();
	const size_t count = series ? series_count(series) : 0;

	for (size_t i = from; i < count && i - from < most; i++)
		json_add(intervals, run_interval_to_json(series_at(series, i)));
	json_set_u64(to, "series_from", from);
	json_set_u64(to, "series_count", count);
	json_set(to, "intervals", intervals);
}

struct json *view_to_json(const struct runner_view *view, size_t from, size_t most)
{
	struct json *object = json_object();

	json_set_string(object, "schema", VIEW_SCHEMA);
	json_set_string(object, "generator", "nvsweep " NVSWEEP_VERSION);
	json_set_string(object, "state", states[view->state]);
	names_to_json(view, object);
	json_set_u64(object, "step", view->step);
	json_set_u64(object, "step_count", view->step_count);
	json_set_double(object, "elapsed_s", view->elapsed_s);
	json_set_double(object, "total_s", view->total_s);
	json_set_double(object, "point_elapsed_s", view->point_elapsed_s);
	json_set_double(object, "point_total_s", view->point_total_s);
	json_set_bool(object, "warmup", view->warmup);
	json_set(object, "current",
		view->has_current ? run_interval_to_json(&view->current) : json_null());
	json_set_double(object, "asked_iops", view->asked_iops);
	json_set(object, "so_far",
		view->has_so_far ? run_point_to_json(&view->so_far) : json_null());
	json_set_double(object, "silent_s", view->silent_s);
	json_set_double(object, "temperature_c", view->temperature_c);
	points_to_json(view, object);
	json_set(object, "check", view->has_check ? check_to_json(&view->check) : json_null());
	series_to_json(view->series, from, most, object);
	return object;
}

/* ---- from JSON ------------------------------------------------------------------------------- */

static void refuse(struct fields *f, const char *sentence)
{
	if (!f->code)
		f->code = err_set(f->err, -EINVAL, "%s", sentence);
}

static void names_from_json(struct fields *f, const struct json *json, struct runner_view *view)
{
	char outcome[16] = "running";

	fields_string(f, json, "run_id", view->run_id, sizeof(view->run_id));
	fields_string(f, json, "targets", view->targets, sizeof(view->targets));
	fields_string(f, json, "workload", view->workload, sizeof(view->workload));
	fields_string(f, json, "workload_summary", view->workload_summary,
		sizeof(view->workload_summary));
	fields_string(f, json, "method", view->method, sizeof(view->method));
	fields_string(f, json, "backend", view->backend, sizeof(view->backend));
	fields_string(f, json, "notes", view->notes, sizeof(view->notes));
	fields_string(f, json, "phase", view->phase, sizeof(view->phase));
	fields_bool(f, json, "simulated", &view->simulated);
	fields_bool(f, json, "writes", &view->writes);
	fields_string(f, json, "outcome", outcome, sizeof(outcome));
	view->outcome = strcmp(outcome, "running") ? run_outcome_parse(outcome) : RUN_RUNNING;
	fields_string(f, json, "reason", view->reason, sizeof(view->reason));
	fields_string(f, json, "saved_path", view->saved_path, sizeof(view->saved_path));
	fields_string(f, json, "save_fault", view->save_fault, sizeof(view->save_fault));
}

static void state_from_json(struct fields *f, const struct json *json, struct runner_view *view)
{
	char word[16] = "";

	fields_string(f, json, "state", word, sizeof(word));
	for (size_t i = 0; i < STATES; i++) {
		if (strcmp(word, states[i]) == 0) {
			view->state = (enum runner_state)i;
			return;
		}
	}
	refuse(f, "\"state\" is none that is known");
}

static bool point_from_json(
	struct fields *f, const struct json *json, const char *key, struct run_point *out)
{
	const struct json *point = fields_object(f, json, key);

	run_point_clear(out);
	if (!point || f->code)
		return false;
	f->code = run_point_from_json(point, out, f->err);
	/* A view has no histograms; whoever sends one gets it dropped. */
	free(out->histogram);
	out->histogram = NULL;
	out->histogram_count = 0;
	return !f->code;
}

static void points_from_json(struct fields *f, const struct json *json, struct runner_view *view)
{
	const struct json *points = fields_array(f, json, "points");
	const size_t count = points ? json_length(points) : 0;

	if (count > POINTS_MAX)
		refuse(f, "\"points\" are more than a run has");
	if (f->code)
		return;
	view->points = mem_alloc((count + 1) * sizeof(*view->points));
	for (size_t i = 0; i < count && !f->code; i++) {
		struct run_point *point = &view->points[i];

		f->code = run_point_from_json(json_at(points, i), point, f->err);
		free(point->histogram);
		point->histogram = NULL;
		point->histogram_count = 0;
		view->point_count++;
	}
}

static void planned_from_json(struct fields *f, const struct json *json, struct runner_view *view)
{
	const struct json *planned = fields_array(f, json, "planned_percent");
	const size_t count = planned ? json_length(planned) : 0;

	if (count > PLANNED_MAX)
		refuse(f, "\"planned_percent\" are more than a run has");
	for (size_t i = 0; i < count && !f->code; i++) {
		double percent = NAN;

		f->code = json_at_double(planned, i, &percent, f->err);
		if (!f->code && !(percent >= 0 && percent <= 1000))
			refuse(f, "\"planned_percent\" holds what is no share");
		view->planned_percent[i] = percent;
		view->planned_count++;
	}
}

static void spoiled_from_json(struct fields *f, const struct json *json, struct runner_view *view)
{
	const struct json *list = fields_array(f, json, "spoiled_by");
	const size_t count = list ? json_length(list) : 0;

	if (count > RUN_SPOILED_MAX)
		refuse(f, "\"spoiled_by\" are more than a run has");
	for (size_t i = 0; i < count && !f->code; i++) {
		const char *text;

		f->code = json_at_string(list, i, &text, f->err);
		if (f->code)
			return;
		str_sanitize_utf8(view->spoiled_by[i], sizeof(view->spoiled_by[i]), text);
		view->spoiled_count++;
	}
}

static void index_from_json(
	struct fields *f, const struct json *json, const char *key, size_t points, int *out)
{
	*out = -1;
	fields_int(f, json, key, out);
	if (*out < -1 || (*out >= 0 && (size_t)*out >= points))
		refuse(f, "\"analysis\" names a point that is not there");
}

static void analysis_from_json(struct fields *f, const struct json *json, struct runner_view *view)
{
	const struct json *object = fields_object(f, json, "analysis");
	struct curve_analysis *a = &view->analysis;
	const size_t points = view->point_count;

	*a = (struct curve_analysis){-1, -1, -1, -1, false, -1};
	if (!object)
		return;
	index_from_json(f, object, "start", points, &a->start);
	index_from_json(f, object, "peak", points, &a->peak);
	index_from_json(f, object, "knee_chord", points, &a->knee_chord);
	index_from_json(f, object, "knee_limit", points, &a->knee_limit);
	index_from_json(f, object, "fall_off_at", points, &a->fall_off_at);
	fields_bool(f, object, "fall_off", &a->fall_off);
	view->has_analysis = true;
}

static void check_line_from_json(struct fields *f, const struct json *json, struct check_line *line)
{
	char key[32] = "", state[16] = "";

	if (!json_is_object(json)) {
		refuse(f, "a line of \"check\" is no object");
		return;
	}
	fields_string(f, json, "key", key, sizeof(key));
	fields_string(f, json, "state", state, sizeof(state));
	fields_string(f, json, "word", line->word, sizeof(line->word));
	fields_string(f, json, "figures", line->figures, sizeof(line->figures));
	fields_string(f, json, "reason", line->reason, sizeof(line->reason));
	if (strcmp(key, line->key) != 0)
		refuse(f, "\"check\" has another line than this version");
	for (int i = CHECK_PENDING; i <= CHECK_NOT_JUDGED; i++) {
		if (!strcmp(state, check_state_name((enum check_state)i))) {
			line->state = (enum check_state)i;
			return;
		}
	}
	refuse(f, "the \"state\" of a line of \"check\" is none that is known");
}

static void check_from_json(struct fields *f, const struct json *json, struct runner_view *view)
{
	const struct json *object = fields_object(f, json, "check"), *lines;
	struct check *check = &view->check;
	char verdict[16] = "";
	struct run *nothing;

	if (!object || f->code)
		return;
	/* Of a run without targets: the lines by their names, nothing judged. */
	nothing = run_create();
	check_judge(nothing, check);
	run_free(nothing);
	lines = fields_array(f, object, "lines");
	if (!lines || json_length(lines) != CHECK_PARTS)
		refuse(f, "\"check\" has not the lines of this version");
	for (size_t i = 0; i < CHECK_PARTS && !f->code; i++)
		check_line_from_json(f, json_at(lines, i), &check->lines[i]);
	fields_bool(f, object, "ended", &check->ended);
	fields_string(f, object, "verdict", verdict, sizeof(verdict));
	for (int i = HEALTH_GOOD; i <= HEALTH_UNKNOWN; i++) {
		if (!strcmp(verdict, health_name((enum health_verdict)i)))
			check->verdict = (enum health_verdict)i;
	}
	fields_string(f, object, "why_unknown", check->why_unknown, sizeof(check->why_unknown));
	fields_u64(f, object, "read_bytes", &check->read_bytes);
	fields_u64(f, object, "written_bytes", &check->written_bytes);
	fields_double(f, object, "seconds", &check->seconds);
	view->has_check = true;
}

static void progress_from_json(struct fields *f, const struct json *json, struct runner_view *view)
{
	const struct json *current = fields_object(f, json, "current");

	view->total_s = view->point_total_s = view->temperature_c = NAN;
	fields_u32(f, json, "step", &view->step);
	fields_u32(f, json, "step_count", &view->step_count);
	fields_double(f, json, "elapsed_s", &view->elapsed_s);
	fields_double(f, json, "total_s", &view->total_s);
	fields_double(f, json, "point_elapsed_s", &view->point_elapsed_s);
	fields_double(f, json, "point_total_s", &view->point_total_s);
	fields_bool(f, json, "warmup", &view->warmup);
	fields_double(f, json, "asked_iops", &view->asked_iops);
	fields_double(f, json, "silent_s", &view->silent_s);
	fields_double(f, json, "temperature_c", &view->temperature_c);
	fields_us(f, json, "p99_limit_us", &view->p99_limit_ns);
	if (current && !f->code) {
		f->code = run_interval_from_json(current, &view->current, f->err);
		view->has_current = true;
	}
	view->has_so_far = point_from_json(f, json, "so_far", &view->so_far);
	view->has_maximum = point_from_json(f, json, "maximum", &view->maximum);
}

/* Read aside first: a document that is wrong somewhere must add nothing. */
static size_t intervals_from_json(struct fields *f, const struct json *json,
	const struct series *series, struct interval **out)
{
	const struct json *list = fields_array(f, json, "intervals");
	const size_t count = list ? json_length(list) : 0;
	uint64_t from = 0;

	*out = NULL;
	fields_u64(f, json, "series_from", &from);
	if (from != series_count(series))
		refuse(f, "\"series_from\" is not where the intervals known so far end");
	if (count > INTERVALS_MAX)
		refuse(f, "\"intervals\" are more than one document may hold");
	if (f->code || !count)
		return 0;
	*out = mem_alloc(count * sizeof(**out));
	for (size_t i = 0; i < count && !f->code; i++)
		f->code = run_interval_from_json(json_at(list, i), &(*out)[i], f->err);
	return count;
}

int view_from_json(
	const struct json *json, struct series *series, struct runner_view **out, struct err *err)
{
	struct fields f = {0, err};
	struct interval *intervals = NULL;
	struct runner_view *view;
	const char *schema;
	size_t count;

	if (!json_is_object(json))
		return err_set(err, -EINVAL, "no picture of a run: not an object");
	if (json_read_string(json, "schema", &schema, NULL))
		return err_set(err, -EINVAL, "no picture of a run: \"schema\" is missing");
	if (strcmp(schema, VIEW_SCHEMA) != 0)
		return err_set(err, -ENOTSUP,
			"the run's process speaks %.40s and not " VIEW_SCHEMA
			": use the version of nvsweep that started it",
			schema);
	view = mem_alloc(sizeof(*view));
	state_from_json(&f, json, view);
	names_from_json(&f, json, view);
	progress_from_json(&f, json, view);
	points_from_json(&f, json, view);
	planned_from_json(&f, json, view);
	spoiled_from_json(&f, json, view);
	analysis_from_json(&f, json, view);
	check_from_json(&f, json, view);
	count = intervals_from_json(&f, json, series, &intervals);
	if (!f.code) {
		for (size_t i = 0; i < count; i++)
			series_append(series, &intervals[i]);
		view->series = series_ref(series);
		*out = view;
	} else {
		runner_view_free(view);
	}
	free(intervals);
	return f.code;
}
