/* Runs into files by their ending. */
#include "report/run_export.h"

#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "base/str.h"
#include "report/run_text.h"
#include "result/store.h"

enum export_form { EXPORT_NONE, EXPORT_JSON, EXPORT_TEXT };

static enum export_form form_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');

	/* ".json" alone is a name without an ending */
	if (!dot || dot == name)
		return EXPORT_NONE;
	if (!strcmp(dot, ".json"))
		return EXPORT_JSON;
	return !strcmp(dot, ".txt") ? EXPORT_TEXT : EXPORT_NONE;
}

int run_export_check(const char *path, struct err *err)
{
	if (form_of(path) != EXPORT_NONE)
		return 0;
	return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
		"\"%s\" does not say what to write: let its name end in .json (everything) or "
		".txt (the report)",
		path);
}

static int write_text(const struct run *run, const char *path, struct err *err)
{
	const struct text_style style = {0};
	struct strbuf text = {0};
	int rc;

	run_text(run, &style, &text);
	rc = file_write_atomic(path, text.text ? text.text : "", text.length, err);
	strbuf_free(&text);
	return rc;
}

int run_export(const struct run *run, const char *path, struct err *err)
{
	switch (form_of(path)) {
	case EXPORT_JSON:
		return store_export(run, path, err);
	case EXPORT_TEXT:
		return write_text(run, path, err);
	case EXPORT_NONE:
		break;
	}
	return run_export_check(path, err);
}
