/* The verdict on a drive's health as a run keeps it. */
#include "result/health_json.h"

#include <errno.h>
#include <string.h>

struct json *run_health_to_json(const struct health *health)
{
	struct json *object = json_object(), *reasons = json_array();

	json_set_string(object, "verdict", health_name(health->verdict));
	for (size_t i = 0; i < health->reason_count; i++) {
		const struct health_reason *reason = &health->reasons[i];
		struct json *item = json_object();

		json_set_string(item, "severity", health_name(reason->severity));
		json_set_string(item, "text", reason->text);
		json_set_string(item, "advice", reason->advice[0] ? reason->advice : NULL);
		json_add(reasons, item);
	}
	json_set(object, "reasons", reasons);
	return object;
}

/* A word that no version wrote is no verdict. */
static enum health_verdict verdict_parse(const char *word)
{
	static const enum health_verdict all[] = {HEALTH_GOOD, HEALTH_WARNING, HEALTH_CRITICAL};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(word, health_name(all[i])))
			return all[i];
	return HEALTH_UNKNOWN;
}

void run_health_from_json(struct fields *f, const struct json *object, const char *key, bool *known,
	struct health *out)
{
	const struct json *child = fields_object(f, object, key), *reasons;
	char word[16] = "";

	*known = child != NULL;
	*out = (struct health){.verdict = HEALTH_UNKNOWN};
	if (!child)
		return;
	fields_string(f, child, "verdict", word, sizeof(word));
	out->verdict = verdict_parse(word);
	reasons = fields_array(f, child, "reasons");
	for (size_t i = 0; reasons && i < json_length(reasons) && i < HEALTH_MAX_REASONS; i++) {
		const struct json *item = json_at(reasons, i);
		struct health_reason *reason = &out->reasons[out->reason_count++];

		if (!json_is_object(item)) {
			f->code = f->code ? f->code
					  : err_set(f->err, -EINVAL,
						    "\"%s\": reason %zu is not an object", key, i);
			return;
		}
		word[0] = '\0';
		fields_string(f, item, "severity", word, sizeof(word));
		reason->severity = verdict_parse(word);
		fields_string(f, item, "text", reason->text, sizeof(reason->text));
		fields_string(f, item, "advice", reason->advice, sizeof(reason->advice));
	}
}
