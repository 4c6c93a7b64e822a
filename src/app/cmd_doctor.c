/* doctor: gathers the findings and prints them as text or JSON. */
#include "app/cmd_doctor.h"

#include <stdlib.h>
#include <string.h>

#include "app/doctor.h"
#include "app/output.h"
#include "base/mem.h"
#include "report/text_table.h"

static const char *const state_names[] = {[DOCTOR_INFO] = "info",
	[DOCTOR_GOOD] = "good",
	[DOCTOR_POOR] = "poor",
	[DOCTOR_BAD] = "bad"};
static const char *const state_words[] = {
	[DOCTOR_INFO] = "", [DOCTOR_GOOD] = "ok", [DOCTOR_POOR] = "note", [DOCTOR_BAD] = "BAD"};

static struct json *doctor_json(const struct doctor *doctor)
{
	struct json *document = output_document("doctor");
	struct json *section = NULL;
	const char *name = "";

	for (size_t i = 0; i < doctor->count; i++) {
		const struct doctor_row *row = &doctor->rows[i];
		struct json *item = json_object();

		if (strcmp(name, row->section) != 0) {
			name = row->section;
			section = json_object();
			json_set(document, name, section);
		}
		json_set_string(item, "value", row->value);
		json_set_string(item, "state", state_names[row->state]);
		json_set_string(item, "advice", *row->advice ? row->advice : NULL);
		json_set(section, row->name, item);
	}
	return document;
}

static void doctor_text(
	const struct doctor *doctor, const struct text_style *style, struct strbuf *out)
{
	const char *section = "";

	for (size_t i = 0; i < doctor->count; i++) {
		const struct doctor_row *row = &doctor->rows[i];

		if (strcmp(section, row->section) != 0) {
			section = row->section;
			strbuf_addf(out, "%s%s\n", i ? "\n" : "", section);
		}
		strbuf_addf(out, "  %-22s %-5s", row->name, state_words[row->state]);
		text_wrap(out, style, 30, 30, row->value);
		if (*row->advice) {
			strbuf_addf(out, "%30s", "");
			text_wrap(out, style, 30, 30, row->advice);
		}
	}
}

int cmd_doctor(struct session *session, struct err *err)
{
	struct doctor *doctor = mem_alloc(sizeof(*doctor));
	struct text_style style;
	struct strbuf out = {0};
	bool bad = false;
	int rc;

	doctor->settings = &session->settings;
	doctor_libraries(doctor);
	doctor_kernel(doctor);
	doctor_rights(doctor);
	doctor_limits(doctor);
	doctor_paths(doctor);
	doctor_terminal(doctor);
	for (size_t i = 0; i < doctor->count; i++)
		bad = bad || doctor->rows[i].state == DOCTOR_BAD;
	if (session->cli->given[CLI_JSON]) {
		rc = output_json(doctor_json(doctor), err);
	} else {
		output_style(&session->settings, &style);
		doctor_text(doctor, &style, &out);
		rc = output_text(&out, err);
	}
	free(doctor);
	return rc ? rc : bad;
}
