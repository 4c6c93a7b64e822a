/* report: one run to a file or standard output, in one of three forms. */
#include "app/cmd_report.h"

#include <errno.h>
#include <string.h>

#include "app/output.h"
#include "app/published.h"
#include "base/file.h"
#include "report/run_export.h"
#include "result/store.h"

/* --format, else the ending of the file; to standard output text. */
static int choose_form(
	const struct cli *cli, const char *path, enum run_form *form, struct err *err)
{
	const char *format = cli->value[CLI_FORMAT];

	*form = format ? RUN_FORM_COUNT : run_form_of(path);
	for (int i = 0; format && i < RUN_FORM_COUNT; i++)
		if (!strcmp(format, run_form_name((enum run_form)i)))
			*form = (enum run_form)i;
	if (*form != RUN_FORM_COUNT)
		return 0;
	if (format)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"there is no format \"%.40s\": text, json or csv", format);
	*form = RUN_FORM_TEXT;
	if (strcmp(path, "-"))
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"%.200s ends neither with .txt nor .json nor .csv: say the format with --format",
			path);
	return 0;
}

int cmd_report(struct session *session, struct err *err)
{
	const struct cli *cli = session->cli;
	const char *path = cli->given[CLI_OUTPUT] ? cli->value[CLI_OUTPUT] : "-", *folder;
	const bool to_file = strcmp(path, "-") != 0;
	struct store_entry entry;
	struct strbuf out = {0};
	char *faults = NULL;
	struct text_style style;
	enum run_form form = RUN_FORM_TEXT;
	int rc = choose_form(cli, path, &form, err);

	output_style(&session->settings, &style);
	if (to_file)
		style.width = 0;
	if (!rc)
		rc = session_runs_name(session, &folder, err);
	if (!rc)
		rc = store_find(folder, cli->operands[0], &entry, err);
	if (!rc)
		rc = run_export_write(&entry, form, &style, &out, &faults, err);
	published_complain(faults);
	if (!rc && to_file)
		rc = file_write_atomic(path, out.text, out.length, err);
	else if (!rc)
		return output_text(&out, err);
	strbuf_free(&out);
	return rc;
}
