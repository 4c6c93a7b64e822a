/* report: one run to a file or standard output, in one of three forms. */
#include "app/cmd_report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/output.h"
#include "app/published.h"
#include "base/file.h"
#include "report/run_csv.h"
#include "result/store.h"

static const struct form {
	const char *name, *ending;
} forms[] = {{"text", ".txt"}, {"json", ".json"}, {"csv", ".csv"}};

enum { FORM_TEXT, FORM_JSON, FORM_CSV, FORM_COUNT };

static bool ends_with_nocase(const char *text, const char *ending)
{
	const size_t length = strlen(text), tail = strlen(ending);

	return length > tail && !strcasecmp(text + length - tail, ending);
}

/* --format, else the ending of the file; to standard output text. */
static int choose_form(const struct cli *cli, const char *path, int *form, struct err *err)
{
	const char *format = cli->value[CLI_FORMAT];

	for (int i = 0; i < FORM_COUNT; i++) {
		if (format ? !strcmp(format, forms[i].name)
			   : ends_with_nocase(path, forms[i].ending)) {
			*form = i;
			return 0;
		}
	}
	if (format)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"there is no format \"%.40s\": text, json or csv", format);
	*form = FORM_TEXT;
	if (strcmp(path, "-"))
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"%.200s ends neither with .txt nor .json nor .csv: say the format with --format",
			path);
	return 0;
}

static int write_json(const struct store_entry *entry, struct strbuf *out, struct err *err)
{
	struct json *document;
	const int rc = store_document(entry, &document, err);
	char *text;

	if (rc)
		return rc;
	text = json_text(document, true);
	json_free(document);
	strbuf_add(out, text);
	strbuf_add(out, "\n");
	free(text);
	return 0;
}

static int write_form(struct session *session, const struct store_entry *entry, int form,
	bool to_file, struct strbuf *out, struct err *err)
{
	struct text_style style;
	struct run *run = NULL;
	int rc;

	if (form == FORM_JSON)
		return write_json(entry, out, err);
	rc = store_load(entry, &run, err);
	if (rc)
		return rc;
	if (form == FORM_CSV) {
		run_csv(run, out);
	} else {
		output_style(&session->settings, &style);
		if (to_file)
			style.width = 0;
		published_run_text(run, &style, out);
	}
	run_free(run);
	return 0;
}

int cmd_report(struct session *session, struct err *err)
{
	const struct cli *cli = session->cli;
	const char *path = cli->given[CLI_OUTPUT] ? cli->value[CLI_OUTPUT] : "-", *folder;
	const bool to_file = strcmp(path, "-") != 0;
	struct store_entry entry;
	struct strbuf out = {0};
	int form = FORM_TEXT, rc = choose_form(cli, path, &form, err);

	if (!rc)
		rc = session_runs_name(session, &folder, err);
	if (!rc)
		rc = store_find(folder, cli->operands[0], &entry, err);
	if (!rc)
		rc = write_form(session, &entry, form, to_file, &out, err);
	if (!rc && to_file)
		rc = file_write_atomic(path, out.text, out.length, err);
	else if (!rc)
		return output_text(&out, err);
	strbuf_free(&out);
	return rc;
}
