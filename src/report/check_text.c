/* The lines of a quick check as text and as JSON. */
#include "report/check_text.h"

#include "base/units.h"

#define TITLE_AT 2
#define WORD_AT 15
#define FIGURES_AT 28

void check_text_amount(const struct check *check, char *buf, size_t size)
{
	char bytes[2][32];

	str_format(buf, size, "read %s in %.0f s, ",
		units_bytes_si(bytes[0], sizeof(bytes[0]), check->read_bytes), check->seconds);
	if (check->written_bytes)
		str_append(buf, size, "WROTE %s",
			units_bytes_si(bytes[1], sizeof(bytes[1]), check->written_bytes));
	else
		str_append(buf, size, "wrote nothing");
}

static void line_text(
	const struct check_line *line, const struct text_style *style, struct strbuf *out)
{
	char text[sizeof(line->figures) + sizeof(line->reason) + 4];

	str_format(text, sizeof(text), "%s%s%s", line->figures,
		line->figures[0] && line->reason[0] ? " - " : "", line->reason);
	strbuf_addf(out, "%*s%-*s%-*s", TITLE_AT, "", WORD_AT - TITLE_AT, line->title,
		FIGURES_AT - WORD_AT, line->word[0] ? line->word : "-");
	text_wrap(out, style, FIGURES_AT, FIGURES_AT, text[0] ? text : "not measured yet");
}

void check_text_lines(const struct check *check, const struct text_style *style, struct strbuf *out)
{
	for (size_t i = 0; i < CHECK_PARTS; i++)
		line_text(&check->lines[i], style, out);
}

static const char *verdict_word(const struct check *check)
{
	return check->verdict == HEALTH_UNKNOWN ? "unknown" : health_word(check->verdict);
}

void check_text(const struct run *run, const struct check *check, const struct text_style *style,
	struct strbuf *out)
{
	const struct run_target *t = &run->targets[0];
	char text[512];

	str_copy(text, sizeof(text), t->name);
	if (t->model[0])
		str_append(text, sizeof(text), "  %s", t->model);
	str_append(text, sizeof(text), "  %s", verdict_word(check));
	if (check->why_unknown[0])
		str_append(text, sizeof(text), ": %s", check->why_unknown);
	if (run->simulated)
		str_append(text, sizeof(text), "  SIMULATED");
	text_wrap(out, style, 0, 2, text);
	check_text_lines(check, style, out);
	for (size_t i = 0; i < run->spoiled_count; i++) {
		strbuf_addf(
			out, "%*s%-*s", TITLE_AT, "", WORD_AT - TITLE_AT, i ? "" : "spoiled by");
		text_wrap(out, style, WORD_AT, WORD_AT, run->spoiled_by[i]);
	}
	if (run->reason[0]) {
		strbuf_addf(out, "%*s%-*s", TITLE_AT, "", WORD_AT - TITLE_AT,
			run_outcome_name(run->outcome));
		text_wrap(out, style, WORD_AT, WORD_AT, run->reason);
	}
	check_text_amount(check, text, sizeof(text));
	strbuf_addf(out, "%*s", TITLE_AT, "");
	text_wrap(out, style, TITLE_AT, TITLE_AT, text);
}

static struct json *line_json(const struct check_line *line)
{
	struct json *object = json_object(), *values = json_object();

	json_set_string(object, "line", line->key);
	json_set_string(object, "verdict", check_state_name(line->state));
	json_set_string(object, "word", line->word[0] ? line->word : NULL);
	json_set_string(object, "figures", line->figures[0] ? line->figures : NULL);
	json_set_string(object, "reason", line->reason[0] ? line->reason : NULL);
	for (size_t i = 0; i < line->value_count; i++)
		json_set_double(values, line->values[i].key, line->values[i].value);
	json_set(object, "values", values);
	return object;
}

struct json *check_json(const struct run *run, const struct check *check, const char *path)
{
	const struct run_target *t = &run->targets[0];
	struct json *object = json_object(), *array = json_array();
	char generator[32], time[32];

	json_set_string(object, "schema", "nvsweep-check/1");
	str_format(generator, sizeof(generator), "nvsweep %s", NVSWEEP_VERSION);
	json_set_string(object, "generator", generator);
	json_set_string(object, "target", t->name);
	json_set_string(object, "model", t->model[0] ? t->model : NULL);
	json_set_string(object, "serial", t->serial[0] ? t->serial : NULL);
	json_set_string(object, "firmware", t->firmware[0] ? t->firmware : NULL);
	json_set_bool(object, "simulated", run->simulated);
	json_set_string(object, "verdict", health_name(check->verdict));
	json_set_string(object, "why_unknown", check->why_unknown[0] ? check->why_unknown : NULL);
	for (size_t i = 0; i < CHECK_PARTS; i++)
		json_add(array, line_json(&check->lines[i]));
	json_set(object, "lines", array);
	array = json_array();
	for (size_t i = 0; i < run->spoiled_count; i++)
		json_add_string(array, run->spoiled_by[i]);
	json_set(object, "spoiled_by", array);
	json_set_u64(object, "read_bytes", check->read_bytes);
	json_set_u64(object, "written_bytes", check->written_bytes);
	json_set_double(object, "elapsed_s", check->seconds);
	json_set_string(object, "outcome", run_outcome_name(run->outcome));
	json_set_string(object, "reason", run->reason[0] ? run->reason : NULL);
	json_set_string(object, "started", units_iso_time(time, sizeof(time), run->started));
	json_set_string(object, "run_id", run->id);
	json_set_string(object, "file", path[0] ? path : NULL);
	return object;
}
