/* list, show, health, capture. */
#include "app/cmd_inventory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/output.h"
#include "nvme/capture.h"
#include "report/drive_find.h"
#include "report/drive_json.h"
#include "report/text.h"

int cmd_list(struct session *session, struct err *err)
{
	const struct inventory *inventory;
	struct text_style style;
	struct strbuf out = {0};
	int rc = session_snapshot(session, &inventory, err);

	if (rc)
		return rc;
	if (session->cli->given[CLI_JSON]) {
		rc = output_json(drive_json_list(inventory), err);
	} else {
		output_style(&session->settings, &style);
		text_list(inventory, &style, &out);
		rc = output_text(&out, err);
	}
	inventory_unref(inventory);
	return rc;
}

int cmd_show(struct session *session, struct err *err)
{
	const char *name = session->cli->operands[0], *page = session->cli->value[CLI_PAGE];
	const struct inventory *inventory;
	struct text_style style;
	struct strbuf out = {0};
	struct json *document;
	int rc = drive_page_check(page, err);

	if (!rc)
		rc = session_snapshot(session, &inventory, err);
	if (rc)
		return rc;
	if (session->cli->given[CLI_JSON]) {
		rc = drive_json_show(inventory, name, page, &document, err);
		if (!rc)
			rc = output_json(document, err);
	} else {
		output_style(&session->settings, &style);
		rc = text_show(inventory, name, page, &style, &out, err);
		if (!rc)
			rc = output_text(&out, err);
	}
	strbuf_free(&out);
	inventory_unref(inventory);
	return rc;
}

int cmd_health(struct session *session, struct err *err)
{
	const struct cli *cli = session->cli;
	enum health_verdict worst = HEALTH_UNKNOWN;
	const struct inventory *inventory;
	struct text_style style;
	struct strbuf out = {0};
	struct json *document;
	int rc = session_snapshot(session, &inventory, err);

	if (rc)
		return rc;
	if (cli->given[CLI_JSON]) {
		rc = drive_json_health(
			inventory, cli->operands, cli->operand_count, &document, &worst, err);
		if (!rc)
			rc = output_json(document, err);
	} else {
		output_style(&session->settings, &style);
		rc = text_health(
			inventory, cli->operands, cli->operand_count, &style, &out, &worst, err);
		if (!rc)
			rc = output_text(&out, err);
	}
	strbuf_free(&out);
	inventory_unref(inventory);
	return rc ? rc : (int)worst;
}

static const struct inventory_controller *name_find(
	const struct inventory *inventory, const char *name, struct err *err)
{
	const struct inventory_controller *controller = NULL;
	const struct inventory_namespace *ns;

	if (drive_find(inventory, name, &controller, &ns, err))
		return NULL;
	if (!controller)
		err_set(err, -ENODEV, "%s: no controller of it is known, nothing to capture", name);
	return controller;
}

/* The controllers that the operands mean, each once. "all" is every controller (count 0). */
static int capture_names(const struct cli *cli, const struct inventory *inventory,
	const char *names[CLI_OPERANDS_MAX], size_t *count, struct err *err)
{
	*count = 0;
	for (size_t i = 0; i < cli->operand_count; i++) {
		if (!strcmp(cli->operands[i], "all")) {
			*count = 0;
			if (inventory->controller_count)
				return 0;
			return err_set(err, -ENODEV, "there is no NVMe drive to capture%s%s",
				*inventory->notice ? ": " : "", inventory->notice);
		}
		const struct inventory_controller *controller =
			name_find(inventory, cli->operands[i], err);
		bool known = false;

		if (!controller)
			return err && err->code ? err->code : -ENODEV;
		for (size_t k = 0; k < *count; k++)
			known = known || !strcmp(names[k], controller->topo.name);
		if (!known)
			names[(*count)++] = controller->topo.name;
	}
	return 0;
}

int cmd_capture(struct session *session, struct err *err)
{
	const char *path = session->cli->value[CLI_OUTPUT];
	const bool dash = !strcmp(path, "-");
	const char *names[CLI_OPERANDS_MAX];
	const struct inventory *inventory;
	char *notes = NULL;
	size_t count;
	int rc = output_check_path(path, err);

	if (dash && isatty(STDOUT_FILENO))
		rc = err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"a capture is no text for a terminal: give a file, or a pipe behind -o -");
	if (!rc)
		rc = session_snapshot(session, &inventory, err);
	if (rc)
		return rc;
	rc = capture_names(session->cli, inventory, names, &count, err);
	if (!rc)
		rc = capture_write(
			session->transport, names, count, dash ? "/dev/stdout" : path, &notes, err);
	if (notes && *notes)
		fprintf(stderr, "%s%s", notes, notes[strlen(notes) - 1] == '\n' ? "" : "\n");
	free(notes);
	inventory_unref(inventory);
	return rc;
}
