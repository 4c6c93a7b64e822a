/* Comparisons as JSON. */
#include "report/compare_json.h"

#include <math.h>

#include "base/str.h"

static const char *kind_name(enum compare_kind kind)
{
	switch (kind) {
	case COMPARE_POINT:
		return "point";
	case COMPARE_MAXIMUM:
		return "maximum";
	case COMPARE_START:
		return "start";
	case COMPARE_KNEE:
		return "knee";
	case COMPARE_PEAK:
		return "peak";
	}
	return "point";
}

struct json *compare_run_to_json(const struct run *run, size_t index)
{
	const char letter[2] = {compare_letter(index), '\0'};
	struct json *object = json_object(), *targets = json_array();

	json_set_string(object, "letter", letter);
	json_set_string(object, "run_id", run->id);
	json_set_string(object, "workload", run->workload);
	json_set_string(object, "method", run->method);
	for (size_t i = 0; i < run->target_count; i++) {
		struct json *target = json_object();

		json_set_string(target, "name", run->targets[i].name);
		json_set_string(
			target, "model", run->targets[i].model[0] ? run->targets[i].model : NULL);
		json_add(targets, target);
	}
	json_set(object, "targets", targets);
	json_set_string(object, "outcome", run_outcome_name(run->outcome));
	json_set_bool(object, "simulated", run->simulated);
	return object;
}

static struct json *value_to_json(const struct compare_value *value)
{
	const struct run_point *point = value->point;
	struct json *object;

	if (!point)
		return json_null();
	object = json_object();
	json_set_double(object, "iops", point->iops);
	json_set_double(object, "mib_s", point->mib_s);
	json_set_double(object, "mean_us", point->service.mean / 1000);
	json_set_double(object, "p99_us", point->service.p99 / 1000);
	json_set_double(object, "outstanding_avg", point->outstanding_avg);
	json_set_bool(object, "saturated", point->saturated);
	json_set_bool(object, "unstable", point->unstable);
	json_set_double(object, "iops_difference_pct", value->iops_pct);
	json_set_double(object, "mib_s_difference_pct", value->mib_s_pct);
	json_set_double(object, "mean_difference_pct", value->mean_pct);
	json_set_double(object, "p99_difference_pct", value->p99_pct);
	return object;
}

static struct json *sentences(char (*list)[256], size_t count)
{
	struct json *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_add_string(array, list[i]);
	return array;
}

void compare_to_json(const struct comparison *c, struct json *document)
{
	struct json *runs = json_array(), *rows = json_array();

	for (size_t i = 0; i < c->run_count; i++)
		json_add(runs, compare_run_to_json(c->runs[i], i));
	json_set(document, "runs", runs);
	for (size_t r = 0; r < c->row_count; r++) {
		struct json *row = json_object(), *values = json_array();

		json_set_string(row, "kind", kind_name(c->rows[r].kind));
		json_set_string(row, "label", c->rows[r].label);
		for (size_t i = 0; i < c->run_count; i++)
			json_add(values, value_to_json(&c->rows[r].values[i]));
		json_set(row, "values", values);
		json_add(rows, row);
	}
	json_set(document, "rows", rows);
	json_set(document, "unlike", sentences(c->unlike, c->unlike_count));
	json_set(document, "doubts", sentences(c->doubts, c->doubt_count));
}

static struct json *match_to_json(const struct reference_match *match)
{
	static const char *const confidences[] = {"low", "medium", "high"};
	const struct reference_row *row = match->row;
	struct json *object = json_object();

	json_set_string(object, "drive", row->drive);
	json_set_string(object, "capacity", row->capacity[0] ? row->capacity : NULL);
	json_set_u64(object, "drives_in_group", row->drives);
	json_set_double(object, "start_iops", row->start_iops);
	json_set_double(object, "start_mean_us", row->start_ns / 1000);
	json_set_double(object, "peak_iops", row->peak_iops);
	json_set_double(object, "peak_mib_s", match->mib_s);
	json_set_double(object, "peak_mean_us", row->peak_ns / 1000);
	json_set_double(object, "outstanding", row->outstanding);
	json_set_string(object, "confidence", confidences[row->confidence]);
	json_set_string(object, "basis", row->basis);
	json_set_string(object, "review", row->review);
	json_set_string(object, "origin", row->origin);
	json_set_bool(object, "comparable", match->comparable);
	json_set_string(object, "reason", match->comparable ? NULL : match->why);
	json_set_double(object, "rate_difference_pct", match->rate_pct);
	json_set_double(object, "mean_difference_pct", match->latency_pct);
	json_set_bool(object, "tie", match->tie);
	return object;
}

struct json *reference_to_json(const struct reference_comparison *c)
{
	struct json *object = json_object(), *rows = json_array(), *notes = json_array();

	json_set_string(object, "ranked_by", c->by_mib_s ? "mib_s" : "iops");
	if (c->rank)
		json_set_u64(object, "rank", c->rank);
	else
		json_set_null(object, "rank");
	json_set_u64(object, "ranked", c->comparable ? c->comparable + 1 : 0);
	json_set_string(object, "sentence", c->rank_text[0] ? c->rank_text : NULL);
	json_set_string(object, "reason", c->none[0] ? c->none : NULL);
	json_set_double(object, "iops", c->iops);
	json_set_double(object, "mib_s", c->mib_s);
	json_set_double(object, "mean_us", c->mean_ns / 1000);
	json_set_double(object, "start_iops", c->start_iops);
	json_set_double(object, "start_mean_us", c->start_ns / 1000);
	json_set_double(object, "outstanding_limit", c->outstanding_limit);
	json_set_double(object, "outstanding_avg", c->outstanding_avg);
	json_set_bool(object, "mix_unknown", c->mix_unknown);
	for (size_t i = 0; i < c->count; i++)
		json_add(rows, match_to_json(&c->rows[i]));
	json_set(object, "rows", rows);
	for (size_t i = 0; i < c->note_count; i++)
		json_add_string(notes, c->notes[i]);
	json_set(object, "notes", notes);
	return object;
}
