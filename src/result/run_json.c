/* A whole run as a document of schema nvsweep-run/1, and back. */
#include "result/run_json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "result/fields.h"
#include "result/health_json.h"
#include "result/merge.h"
#include "result/target_json.h"
#include "result/volume.h"

#define SCHEMA_STEM "nvsweep-run/"
#define SCHEMA_VERSION 1

/* ---- out ------------------------------------------------------------------------------------ */

static void set_text(struct json *object, const char *key, const char *text)
{
	json_set_string(object, key, text[0] ? text : NULL);
}

static void set_time(struct json *object, const char *key, int64_t seconds)
{
	char text[32];

	if (seconds)
		json_set_string(object, key, units_iso_time(text, sizeof(text), seconds));
	else
		json_set_null(object, key);
}

static const struct run_point *peak_of(const struct run *run)
{
	const int peak = run->analysis.peak;

	if (!run->has_analysis || peak < 0 || (size_t)peak >= run->point_count)
		return NULL;
	return &run->points[peak];
}

static struct json *summary_to_json(const struct run *run)
{
	struct json *object = json_object();
	const struct run_point *peak = peak_of(run);

	json_set_string(object, "run_id", run->id);
	set_time(object, "started", run->started);
	set_time(object, "ended", run->ended);
	json_set_string(object, "workload", run->workload);
	json_set_string(object, "method", run->method);
	json_set_string(object, "target", run->target_count ? run->targets[0].name : NULL);
	json_set_u64(object, "targets", run->target_count);
	json_set_string(object, "model", run->target_count ? run->targets[0].model : NULL);
	json_set_string(object, "outcome", run_outcome_name(run->outcome));
	json_set_bool(object, "simulated", run->simulated);
	json_set_u64(object, "points", run->point_count);
	json_set_double(object, "peak_iops", peak ? peak->iops : NAN);
	json_set_double(object, "peak_mib_s", peak ? peak->mib_s : NAN);
	json_set_double(object, "peak_mean_us", peak ? peak->service.mean / 1000 : NAN);
	marks_to_json(&run->marks, object);
	return object;
}

static void identity_to_json(struct json *object, const struct run *run)
{
	struct json *child = json_object();

	json_set_string(object, "run_id", run->id);
	set_text(object, "suite_id", run->suite_id);
	json_set_string(child, "name", run->workload);
	json_set_string(child, "text", run->workload_text);
	json_set(object, "workload", child);
	json_set_string(object, "method", run->method);

	child = json_object();
	for (size_t i = 0; i < run->parameter_count; i++)
		json_set_string(child, run->parameters[i].key, run->parameters[i].value);
	json_set(object, "parameters", child);

	child = json_array();
	for (size_t i = 0; i < run->target_count; i++)
		json_add(child, run_target_to_json(&run->targets[i]));
	json_set(object, "targets", child);

	child = json_object();
	json_set_string(child, "backend", run->engine.backend);
	set_text(child, "fallback_from", run->engine.fallback_from);
	set_text(child, "fallback_reason", run->engine.fallback_reason);
	set_text(child, "notes", run->engine.notes);
	json_set_u64(child, "workers", run->engine.workers);
	json_set_string(child, "pace", run->engine.pace);
	json_set(object, "engine", child);

	child = json_object();
	json_set_string(child, "hostname", run->host.hostname);
	json_set_string(child, "kernel", run->host.kernel);
	json_set_string(child, "machine", run->host.machine);
	set_text(child, "cpu_model", run->host.cpu_model);
	json_set_u64(child, "cpus", run->host.cpus);
	json_set_u64(child, "memory_bytes", run->host.memory_bytes);
	json_set(object, "host", child);

	json_set_u64(object, "seed", run->seed);
	set_time(object, "started", run->started);
	set_time(object, "ended", run->ended);
	json_set_string(object, "outcome", run_outcome_name(run->outcome));
	set_text(object, "reason", run->reason);
	json_set_bool(object, "simulated", run->simulated);
	json_set(
		object, "health", run->has_health ? run_health_to_json(&run->health) : json_null());
	json_set_double(
		object, "p99_limit_us", run->p99_limit_ns > 0 ? run->p99_limit_ns / 1000 : NAN);
}

/* How many neighbours become one, so that at most RUN_INTERVALS_MAX remain (about: groups end
 * with their point). */
static size_t merge_factor(size_t count)
{
	size_t factor = 1;

	while (count / factor > RUN_INTERVALS_MAX)
		factor *= 2;
	return factor;
}

/* Intervals of one point; point -1 takes all that belong to no ended point. */
static struct json *intervals_to_json(const struct run *run, int32_t point)
{
	const size_t count = run->series ? series_count(run->series) : 0;
	const size_t factor = merge_factor(count);
	struct json *array = json_array();
	struct interval group = {0};
	size_t in_group = 0;

	for (size_t i = 0; i < count; i++) {
		const struct interval *iv = series_at(run->series, i);
		const bool homeless = iv->point < 0 || (size_t)iv->point >= run->point_count;

		if (point < 0 ? !homeless : iv->point != point)
			continue;
		if (in_group &&
			(in_group >= factor || group.warmup != iv->warmup ||
				group.point != iv->point)) {
			json_add(array, run_interval_to_json(&group));
			in_group = 0;
		}
		if (in_group)
			run_merge_interval(&group, iv);
		else
			group = *iv;
		in_group++;
	}
	if (in_group)
		json_add(array, run_interval_to_json(&group));
	return array;
}

static struct json *index_to_json(const struct run *run, int index)
{
	struct json *object;

	if (index < 0 || (size_t)index >= run->point_count)
		return json_null();
	const struct run_point *p = &run->points[index];

	object = json_object();
	json_set_u64(object, "point", (uint64_t)index);
	json_set_double(object, "percent", p->percent > 0 ? p->percent : NAN);
	json_set_double(object, "iops", p->iops);
	json_set_double(object, "mib_s", p->mib_s);
	json_set_double(object, "mean_us", p->service.mean / 1000);
	json_set_double(object, "p99_us", p->service.p99 / 1000);
	return object;
}

static struct json *analysis_to_json(const struct run *run)
{
	const struct curve_analysis *a = &run->analysis;
	struct json *object, *knee, *unstable;

	if (!run->has_analysis)
		return json_null();
	object = json_object();
	json_set(object, "start", index_to_json(run, a->start));
	json_set(object, "peak", index_to_json(run, a->peak));
	knee = json_object();
	json_set(knee, "chord", index_to_json(run, a->knee_chord));
	json_set(knee, "limit", index_to_json(run, a->knee_limit));
	json_set(object, "knee", knee);
	json_set(
		object, "fall_off", a->fall_off ? index_to_json(run, a->fall_off_at) : json_null());
	unstable = json_array();
	for (size_t i = 0; i < run->point_count; i++)
		if (run->points[i].unstable)
			json_add_u64(unstable, i);
	json_set(object, "unstable", unstable);
	return object;
}

static struct json *run_begin_json(void)
{
	struct json *object = json_object();
	char generator[32];

	json_set_string(object, "schema", RUN_SCHEMA);
	str_format(generator, sizeof(generator), "nvsweep %s", NVSWEEP_VERSION);
	json_set_string(object, "generator", generator);
	return object;
}

static void doubts_to_json(struct json *object, const struct run *run)
{
	struct json *array = json_array();

	for (size_t i = 0; i < run->spoiled_count; i++)
		json_add_string(array, run->spoiled_by[i]);
	json_set(object, "spoiled_by", array);
}

struct json *run_header_to_json(const struct run *run)
{
	struct json *object = run_begin_json();

	if (run->generator[0])
		json_set_string(object, "generator", run->generator);
	identity_to_json(object, run);
	doubts_to_json(object, run);
	return object;
}

static void first_smart(struct json *object, const struct run *run, const char *key)
{
	const struct json *targets = json_get(object, "targets");
	const struct json *smart = run->target_count ? json_get(json_at(targets, 0), key) : NULL;
	struct json *copy = NULL;
	char *text;

	if (smart) {
		text = json_text(smart, false);
		json_parse(key, text, strlen(text), &copy, NULL);
		free(text);
	}
	json_set(object, key, copy ? copy : json_null());
}

struct json *run_to_json(const struct run *run)
{
	struct json *object = run_begin_json(), *array;

	if (run->generator[0])
		json_set_string(object, "generator", run->generator);
	json_set(object, "summary", summary_to_json(run));
	marks_to_json(&run->marks, object);
	identity_to_json(object, run);
	json_set(object, "maximum",
		run->has_maximum ? run_point_to_json(&run->maximum) : json_null());
	if (run->has_maximum)
		json_set_u64(
			json_get(object, "maximum"), "outstanding", run->maximum.outstanding_limit);
	array = json_array();
	for (size_t i = 0; i < run->search_count; i++)
		json_add(array, run_point_to_json(&run->searches[i]));
	json_set(object, "searches", array);
	array = json_array();
	for (size_t i = 0; i < run->point_count; i++) {
		struct json *point = run_point_to_json(&run->points[i]);

		json_set(point, "intervals", intervals_to_json(run, (int32_t)i));
		json_add(array, point);
	}
	json_set(object, "points", array);
	json_set(object, "intervals", intervals_to_json(run, -1));
	json_set(object, "analysis", analysis_to_json(run));
	json_set(object, "prepare", run_prepare_to_json(run));
	json_set(object, "volume", run_volume_to_json(run));
	first_smart(object, run, "smart_before");
	first_smart(object, run, "smart_after");
	doubts_to_json(object, run);
	return object;
}

/* ---- in ------------------------------------------------------------------------------------- */

enum run_outcome run_outcome_parse(const char *word)
{
	static const enum run_outcome all[] = {RUN_RUNNING, RUN_COMPLETE, RUN_STOPPED};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(word, run_outcome_name(all[i])))
			return all[i];
	return RUN_ABORTED;
}

static int check_schema(const struct json *json, struct err *err)
{
	const char *schema;
	char *end;

	if (!json_is_object(json))
		return err_set(err, -EINVAL, "not a JSON object");
	if (json_read_string(json, "schema", &schema, NULL) ||
		!str_starts_with(schema, SCHEMA_STEM))
		return err_set(err, -EINVAL, "not a run: \"schema\" is not " RUN_SCHEMA);
	const long version = strtol(schema + strlen(SCHEMA_STEM), &end, 10);

	if (*end || version < 1)
		return err_set(err, -EINVAL, "not a run: \"schema\" is not " RUN_SCHEMA);
	if (version > SCHEMA_VERSION)
		return err_set(err, -ENOTSUP,
			"written by a newer nvsweep (schema %s%ld): this one reads up to %d",
			SCHEMA_STEM, version, SCHEMA_VERSION);
	return 0;
}

static void parameters_from_json(struct fields *f, const struct json *json, struct run *run)
{
	const struct json *object = fields_object(f, json, "parameters");
	const size_t count = object ? json_key_count(object) : 0;

	if (!count)
		return;
	run->parameters = mem_alloc(count * sizeof(*run->parameters));
	run->parameter_count = count;
	for (size_t i = 0; i < count; i++) {
		const char *key = json_key(object, i);

		str_sanitize_utf8(run->parameters[i].key, sizeof(run->parameters[i].key), key);
		fields_string(
			f, object, key, run->parameters[i].value, sizeof(run->parameters[i].value));
	}
}

static void identity_from_json(struct fields *f, const struct json *json, struct run *run)
{
	const struct json *child;
	const char *text;
	char outcome[16] = "aborted";
	double limit_ns = 0;

	fields_string(f, json, "generator", run->generator, sizeof(run->generator));
	fields_string(f, json, "run_id", run->id, sizeof(run->id));
	fields_string(f, json, "suite_id", run->suite_id, sizeof(run->suite_id));
	if ((child = fields_object(f, json, "workload"))) {
		fields_string(f, child, "name", run->workload, sizeof(run->workload));
		if (!json_read_string(child, "text", &text, NULL))
			run->workload_text = mem_strdup(text);
	}
	fields_string(f, json, "method", run->method, sizeof(run->method));
	parameters_from_json(f, json, run);
	if ((child = fields_object(f, json, "engine"))) {
		fields_string(
			f, child, "backend", run->engine.backend, sizeof(run->engine.backend));
		fields_string(f, child, "fallback_from", run->engine.fallback_from,
			sizeof(run->engine.fallback_from));
		fields_string(f, child, "fallback_reason", run->engine.fallback_reason,
			sizeof(run->engine.fallback_reason));
		fields_string(f, child, "notes", run->engine.notes, sizeof(run->engine.notes));
		fields_u32(f, child, "workers", &run->engine.workers);
		fields_string(f, child, "pace", run->engine.pace, sizeof(run->engine.pace));
	}
	if ((child = fields_object(f, json, "host"))) {
		fields_string(f, child, "hostname", run->host.hostname, sizeof(run->host.hostname));
		fields_string(f, child, "kernel", run->host.kernel, sizeof(run->host.kernel));
		fields_string(f, child, "machine", run->host.machine, sizeof(run->host.machine));
		fields_string(
			f, child, "cpu_model", run->host.cpu_model, sizeof(run->host.cpu_model));
		fields_u32(f, child, "cpus", &run->host.cpus);
		fields_u64(f, child, "memory_bytes", &run->host.memory_bytes);
	}
	fields_u64(f, json, "seed", &run->seed);
	fields_time(f, json, "started", &run->started);
	fields_time(f, json, "ended", &run->ended);
	fields_string(f, json, "outcome", outcome, sizeof(outcome));
	run->outcome = run_outcome_parse(outcome);
	fields_string(f, json, "reason", run->reason, sizeof(run->reason));
	fields_bool(f, json, "simulated", &run->simulated);
	run_health_from_json(f, json, "health", &run->has_health, &run->health);
	fields_us(f, json, "p99_limit_us", &limit_ns);
	run->p99_limit_ns = limit_ns;
}

static void targets_from_json(struct fields *f, const struct json *json, struct run *run)
{
	const struct json *array = fields_array(f, json, "targets");
	const size_t count = array ? json_length(array) : 0;

	for (size_t i = 0; i < count && i < RUN_TARGETS_MAX && !f->code; i++) {
		f->code = run_target_from_json(json_at(array, i), &run->targets[i], f->err);
		if (f->code)
			err_prefix(f->err, f->code, "targets[%zu]", i);
		run->target_count = i + 1;
	}
}

/* Intervals read from several places, to be put back in the order of time. */
struct interval_list {
	struct interval *items;
	size_t count, room;
};

static void collect_intervals(
	struct fields *f, const struct json *parent, int32_t point, struct interval_list *list)
{
	const struct json *array = fields_array(f, parent, "intervals");
	const size_t count = array ? json_length(array) : 0;

	for (size_t i = 0; i < count && !f->code; i++) {
		struct interval iv;

		f->code = run_interval_from_json(json_at(array, i), &iv, f->err);
		if (f->code) {
			err_prefix(f->err, f->code, "intervals[%zu]", i);
			return;
		}
		if (point >= 0)
			iv.point = point;
		if (list->count == list->room) {
			list->room = list->room ? 2 * list->room : 256;
			list->items = mem_realloc(list->items, list->room * sizeof(*list->items));
		}
		list->items[list->count++] = iv;
	}
}

static int by_time(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	if (x->start_s != y->start_s)
		return x->start_s < y->start_s ? -1 : 1;
	return (x->point > y->point) - (x->point < y->point);
}

static void points_from_json(struct fields *f, const struct json *json, const char *key,
	struct run *run, bool search, struct interval_list *list)
{
	const struct json *array = fields_array(f, json, key);
	const size_t count = array ? json_length(array) : 0;

	for (size_t i = 0; i < count && !f->code; i++) {
		const struct json *item = json_at(array, i);
		struct run_point point;

		f->code = run_point_from_json(item, &point, f->err);
		if (f->code) {
			free(point.histogram);
			err_prefix(f->err, f->code, "%s[%zu]", key, i);
			return;
		}
		if (search) {
			run_add_search(run, &point);
		} else {
			run_add_point(run, &point);
			collect_intervals(f, item, (int32_t)i, list);
		}
	}
}

static int index_from_json(
	struct fields *f, const struct json *parent, const char *key, const struct run *run)
{
	const struct json *child = fields_object(f, parent, key);
	uint64_t index = UINT64_MAX;

	if (!child)
		return -1;
	fields_u64(f, child, "point", &index);
	return index < run->point_count ? (int)index : -1;
}

static void analysis_from_json(struct fields *f, const struct json *json, struct run *run)
{
	const struct json *object = fields_object(f, json, "analysis"), *knee;
	struct curve_analysis *a = &run->analysis;

	if (!object)
		return;
	run->has_analysis = true;
	a->start = index_from_json(f, object, "start", run);
	a->peak = index_from_json(f, object, "peak", run);
	if ((knee = fields_object(f, object, "knee"))) {
		a->knee_chord = index_from_json(f, knee, "chord", run);
		a->knee_limit = index_from_json(f, knee, "limit", run);
	}
	a->fall_off_at = index_from_json(f, object, "fall_off", run);
	a->fall_off = a->fall_off_at >= 0;
}

static void rest_from_json(struct fields *f, const struct json *json, struct run *run)
{
	struct interval_list list = {0};
	const struct json *child;
	const char *text;

	if ((child = fields_object(f, json, "maximum")) && !f->code) {
		f->code = run_point_from_json(child, &run->maximum, f->err);
		if (f->code)
			err_prefix(f->err, f->code, "maximum");
		run->has_maximum = true;
	}
	run_prepare_from_json(f, fields_object(f, json, "prepare"), run);
	run_volume_from_json(f, fields_object(f, json, "volume"), run);
	points_from_json(f, json, "searches", run, true, &list);
	points_from_json(f, json, "points", run, false, &list);
	collect_intervals(f, json, -1, &list);
	if (list.count)
		qsort(list.items, list.count, sizeof(*list.items), by_time);
	for (size_t i = 0; i < list.count; i++)
		series_append(run->series, &list.items[i]);
	free(list.items);
	analysis_from_json(f, json, run);
	child = fields_array(f, json, "spoiled_by");
	for (size_t i = 0; child && i < json_length(child); i++) {
		char clean[sizeof(run->spoiled_by[0])];

		if (json_at_string(child, i, &text, NULL))
			continue;
		str_sanitize_utf8(clean, sizeof(clean), text);
		run_spoil(run, "%s", clean);
	}
}

int run_from_json(const char *name, const struct json *json, struct run **out, struct err *err)
{
	struct fields f = {0, err};
	struct run *run;

	*out = NULL;
	f.code = check_schema(json, err);
	if (f.code)
		return err_prefix(err, f.code, "%s", name);
	run = run_create();
	identity_from_json(&f, json, run);
	marks_from_json(json, &run->marks);
	targets_from_json(&f, json, run);
	rest_from_json(&f, json, run);
	if (f.code) {
		run_free(run);
		return err_prefix(err, f.code, "%s", name);
	}
	*out = run;
	return 0;
}
