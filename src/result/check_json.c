/* The lines of a quick check as one process tells them to another. */
#include "result/check_json.h"

#include <string.h>

static const enum check_state states[] = {
	CHECK_PENDING, CHECK_GOOD, CHECK_WARNING, CHECK_CRITICAL, CHECK_NOT_JUDGED};
static const enum health_verdict verdicts[] = {HEALTH_GOOD, HEALTH_WARNING, HEALTH_CRITICAL};

struct json *check_to_json(const struct check *check)
{
	struct json *object = json_object(), *lines = json_array();

	json_set_bool(object, "ended", check->ended);
	json_set_string(object, "verdict", health_name(check->verdict));
	json_set_string(object, "why_unknown", check->why_unknown);
	json_set_u64(object, "read_bytes", check->read_bytes);
	json_set_u64(object, "written_bytes", check->written_bytes);
	json_set_double(object, "elapsed_s", check->seconds);
	for (size_t i = 0; i < CHECK_PARTS; i++) {
		const struct check_line *line = &check->lines[i];
		struct json *item = json_object();

		json_set_string(item, "line", line->key);
		json_set_string(item, "verdict", check_state_name(line->state));
		json_set_string(item, "word", line->word);
		json_set_string(item, "figures", line->figures);
		json_set_string(item, "reason", line->reason);
		json_add(lines, item);
	}
	json_set(object, "lines", lines);
	return object;
}

static void line_from_json(struct fields *f, const struct json *json, struct check *out)
{
	char key[32] = "", word[16] = "";
	struct check_line *line = NULL;

	fields_string(f, json, "line", key, sizeof(key));
	fields_string(f, json, "verdict", word, sizeof(word));
	for (size_t i = 0; i < CHECK_PARTS; i++)
		if (!strcmp(out->lines[i].key, key))
			line = &out->lines[i];
	if (!line) /* of a later version */
		return;
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (!strcmp(word, check_state_name(states[i])))
			line->state = states[i];
	fields_string(f, json, "word", line->word, sizeof(line->word));
	fields_string(f, json, "figures", line->figures, sizeof(line->figures));
	fields_string(f, json, "reason", line->reason, sizeof(line->reason));
}

void check_from_json(struct fields *f, const struct json *object, const char *key, bool *known,
	struct check *out)
{
	const struct json *child = fields_object(f, object, key), *lines;
	char word[16] = "";

	check_clear(out);
	*known = child != NULL;
	if (!child)
		return;
	fields_bool(f, child, "ended", &out->ended);
	fields_string(f, child, "verdict", word, sizeof(word));
	for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++)
		if (!strcmp(word, health_name(verdicts[i])))
			out->verdict = verdicts[i];
	fields_string(f, child, "why_unknown", out->why_unknown, sizeof(out->why_unknown));
	fields_u64(f, child, "read_bytes", &out->read_bytes);
	fields_u64(f, child, "written_bytes", &out->written_bytes);
	fields_double(f, child, "elapsed_s", &out->seconds);
	lines = fields_array(f, child, "lines");
	for (size_t i = 0; lines && i < json_length(lines); i++)
		if (json_is_object(json_at(lines, i)))
			line_from_json(f, json_at(lines, i), out);
}
