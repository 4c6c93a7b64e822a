/* Saved runs as text, JSON or CSV. */
#include "report/run_export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "report/run_csv.h"
#include "report/run_text.h"

static const struct {
	const char *name, *ending;
} forms[RUN_FORM_COUNT] = {
	[RUN_FORM_TEXT] = {"text", ".txt"},
	[RUN_FORM_JSON] = {"json", ".json"},
	[RUN_FORM_CSV] = {"csv", ".csv"},
};

const char *run_form_name(enum run_form form)
{
	return forms[form].name;
}

const char *run_form_ending(enum run_form form)
{
	return forms[form].ending;
}

enum run_form run_form_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const size_t length = strlen(name);

	for (int i = 0; i < RUN_FORM_COUNT; i++) {
		const size_t tail = strlen(forms[i].ending);

		if (length > tail && !strcasecmp(name + length - tail, forms[i].ending))
			return (enum run_form)i;
	}
	return RUN_FORM_COUNT;
}

static int write_json(const struct store_entry *entry, struct strbuf *out, struct err *err)
{
	struct json *document;
	const int rc = store_document(entry, &document, err);

	if (rc)
		return rc;
	char *text = json_text(document, true);

	json_free(document);
	strbuf_add(out, text);
	strbuf_add(out, "\n");
	free(text);
	return 0;
}

static void write_text(
	const struct run *run, const struct text_style *style, struct strbuf *out, char **faults)
{
	struct reference_comparison comparison = {0};
	struct reference_table table = {0};

	/* without published figures it is a report all the same */
	reference_load(&table, faults, NULL);
	reference_compare(&table, run, &comparison);
	run_text(run, &comparison, style, out);
	reference_comparison_free(&comparison);
	reference_table_free(&table);
}

int run_export_write(const struct store_entry *entry, enum run_form form,
	const struct text_style *style, struct strbuf *out, char **faults, struct err *err)
{
	struct run *run = NULL;
	int rc;

	if (faults)
		*faults = NULL;
	if (form == RUN_FORM_JSON)
		return write_json(entry, out, err);
	rc = store_load(entry, &run, err);
	if (rc)
		return rc;
	if (form == RUN_FORM_CSV)
		run_csv(run, out);
	else
		write_text(run, style, out, faults);
	run_free(run);
	return 0;
}

int run_export(const struct store_entry *entry, const char *path, struct err *err)
{
	const struct text_style style = {0};
	const enum run_form form = run_form_of(path);
	struct strbuf out = {0};
	int rc;

	if (form == RUN_FORM_COUNT)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"%.200s does not say what to write: let its name end in .json (everything), "
			".csv (the intervals) or .txt (the report)",
			path);
	rc = run_export_write(entry, form, &style, &out, NULL, err);
	if (!rc)
		rc = file_write_atomic(path, out.text ? out.text : "", out.length, err);
	strbuf_free(&out);
	return rc;
}
