/* Sections of the manual and lists of words, from the tables; the choice of documents. */
#include "app/document.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/assets.h"
#include "conf/settings.h"
#include "nvme/topology.h"
#include "report/drive_find.h"
#include "result/store.h"
#include "screens/actions.h"
#include "sim/parameters.h"
#include "sweep/method.h"
#include "sweep/options.h"
#include "sweep/workload.h"

static void man_line(const char *text, struct strbuf *out)
{
	strbuf_add_roff(out, text);
	strbuf_add(out, "\n");
}

static void man_synopsis(struct strbuf *out)
{
	strbuf_add(out,
		".B nvsweep\n[\\fB\\-\\-replay\\fR \\fIFILE\\fR | "
		"\\fB\\-\\-demo\\fR[=\\fIFLEET\\fR]] [\\fIOPTION\\fR...]\n");
	for (int c = CLI_PROGRAM + 1; c < CLI_COMMAND_COUNT; c++) {
		strbuf_add(out, ".br\n.B nvsweep ");
		man_line(cli_commands[c].name, out);
		strbuf_add_roff(out, cli_commands[c].arguments);
		strbuf_add(out,
			*cli_commands[c].arguments ? " [\\fIOPTION\\fR...]\n"
						   : "[\\fIOPTION\\fR...]\n");
	}
}

static void man_option(int i, struct strbuf *out)
{
	const struct cli_option_row *row = &cli_options[i];

	strbuf_add(out, ".TP\n");
	if (row->letter)
		strbuf_addf(out, "\\fB\\-%c\\fR, ", row->letter);
	strbuf_add(out, "\\fB\\-\\-");
	strbuf_add_roff(out, row->name);
	strbuf_add(out, "\\fR");
	if (row->argument) {
		strbuf_add(out, row->optional ? "[=\\fI" : " \\fI");
		strbuf_add_roff(out, row->argument);
		strbuf_add(out, row->optional ? "\\fR]" : "\\fR");
	}
	strbuf_add(out, "\n");
	strbuf_add_roff(out, row->help);
	strbuf_add(out, ".\n");
}

static void man_commands(struct strbuf *out)
{
	for (int c = 0; c < CLI_COMMAND_COUNT; c++) {
		strbuf_add(out, ".SS ");
		if (c == CLI_PROGRAM) {
			strbuf_add(out, "The terminal program\n");
		} else {
			strbuf_add_roff(out, cli_commands[c].name);
			if (*cli_commands[c].arguments) {
				strbuf_add(out, " ");
				strbuf_add_roff(out, cli_commands[c].arguments);
			}
			strbuf_add(out, "\n");
		}
		man_line(cli_commands[c].help, out);
		for (int i = 0; i < CLI_OPTION_COUNT; i++) {
			const enum cli_option option = (enum cli_option)i;

			if (!cli_options[i].hidden && !cli_option_common(option) &&
				cli_option_applies(option, (enum cli_command)c))
				man_option(i, out);
		}
	}
}

static void man_options(struct strbuf *out)
{
	for (int i = 0; i < CLI_OPTION_COUNT; i++) {
		if (!cli_options[i].hidden && cli_option_common((enum cli_option)i))
			man_option(i, out);
	}
}

static void man_parameters(struct strbuf *out)
{
	char range[256];

	for (size_t i = 0; i < options_count; i++) {
		const struct option_row *row = &options_table[i];

		strbuf_add(out, ".TP\n\\fB");
		strbuf_add_roff(out, row->key);
		strbuf_add(out, "\\fR (");
		strbuf_add_roff(out, *row->default_text ? row->default_text : "none");
		if (*row->unit) {
			strbuf_add(out, " ");
			strbuf_add_roff(out, row->unit);
		}
		if (*row->methods) {
			strbuf_add(out, "; ");
			strbuf_add_roff(out, row->methods);
		}
		strbuf_add(out, ")\n");
		strbuf_add_roff(out, row->help);
		strbuf_add(out, ".\n");
		options_range(row, range, sizeof(range));
		if (*range) {
			strbuf_add(out, "Values: ");
			strbuf_add_roff(out, range);
			strbuf_add(out, ".\n");
		}
	}
}

static void man_methods(struct strbuf *out)
{
	size_t count;
	const struct method_ops *const *methods = method_list(&count);

	for (size_t i = 0; i < count; i++) {
		strbuf_add(out, ".TP\n.B ");
		man_line(methods[i]->name, out);
		strbuf_add_roff(out, methods[i]->title);
		strbuf_add(out, ".\n");
		if (methods[i]->help && *methods[i]->help)
			man_line(methods[i]->help, out);
	}
}

static void man_fleet_keys(struct strbuf *out)
{
	char least[32], most[32];

	for (size_t i = 0; i < sim_key_count; i++) {
		const struct sim_key *key = &sim_keys[i];

		strbuf_add(out, ".TP\n\\fB");
		strbuf_add_roff(out, key->key);
		strbuf_add(out, "\\fR (");
		strbuf_add_roff(out, key->standard ? key->standard : "must be given");
		if (key->kind == SIM_KEY_NUMBER) {
			units_double(least, sizeof(least), key->least);
			units_double(most, sizeof(most), key->most);
			strbuf_add(out, "; ");
			strbuf_add_roff(out, least);
			strbuf_add(out, " to ");
			strbuf_add_roff(out, most);
		}
		strbuf_add(out, ")\n");
		strbuf_add_roff(out, key->help);
		strbuf_add(out, ".\n");
	}
}

/* The built-in ones only: the manual must not depend on the machine that makes it. */
static int man_workloads(struct strbuf *out, struct err *err)
{
	struct workload **list;
	size_t count;
	char summary[120];

	assets_set_folders("", "");

	const int rc = workload_list(&list, &count, NULL, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < count; i++) {
		workload_summary(list[i], summary, sizeof(summary));
		strbuf_add(out, ".TP\n.B ");
		man_line(list[i]->name, out);
		strbuf_add_roff(out, list[i]->title);
		strbuf_add(out, ": ");
		strbuf_add_roff(out, summary);
		strbuf_add(out, ".\n");
	}
	workload_list_free(list, count);
	return 0;
}

/* Both with the built-in keys. */
static int document_keys(void (*print)(const struct keys *keys, struct strbuf *out),
	struct strbuf *out, struct err *err)
{
	struct keys *keys;

	assets_set_folders("", "");

	const int rc = keys_load(actions_keys, ACTION_COUNT, &keys, err);

	if (rc)
		return rc;
	print(keys, out);
	keys_free(keys);
	return 0;
}

static int man_actions(struct strbuf *out, struct err *err)
{
	return document_keys(actions_document_man, out, err);
}

static int keys_ini(struct strbuf *out, struct err *err)
{
	return document_keys(actions_document_keys, out, err);
}

/* A completion hands words to the shell, which would expand what is in them: names that come from files
 * and drives are given only when they hold nothing that a shell takes for more than itself. */
static void add_word(struct strbuf *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "._:/+@%=,-";

	if (*word && !word[strspn(word, plain)])
		strbuf_addf(out, "%s\n", word);
}

static int words_drives(struct strbuf *out, struct err *err)
{
	struct topology *topology;
	const int rc = topology_read("", "", &topology, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < topology->controller_count; i++)
		add_word(out, topology->controllers[i].name);
	for (size_t i = 0; i < topology->namespace_count; i++) {
		add_word(out, topology->namespaces[i].name);
	}
	topology_free(topology);
	return 0;
}

static int words_workloads(struct strbuf *out, struct err *err)
{
	struct workload **list;
	size_t count;
	const int rc = workload_list(&list, &count, NULL, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < count; i++)
		add_word(out, list[i]->name);
	workload_list_free(list, count);
	return 0;
}

static int list_runs(struct store_entry **entries, size_t *count, struct err *err)
{
	struct settings settings;
	char folder[512];
	int rc = settings_load(&settings, NULL, err);

	if (!rc)
		rc = store_folder_name(settings.runs_folder, folder, sizeof(folder), err);
	return rc ? rc : store_list(folder, entries, count, err);
}

static int words_runs(struct strbuf *out, struct err *err)
{
	struct store_entry *entries;
	size_t count;
	const int rc = list_runs(&entries, &count, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < count; i++)
		add_word(out, entries[i].id);
	free(entries);
	strbuf_add(out, "last\n");
	return 0;
}

/* Each once: the shells do that. */
static int words_tags(struct strbuf *out, struct err *err)
{
	struct store_entry *entries;
	size_t count;
	const int rc = list_runs(&entries, &count, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < count; i++)
		for (size_t t = 0; t < entries[i].marks.tag_count; t++)
			add_word(out, entries[i].marks.tags[t]);
	free(entries);
	return 0;
}

static int words_assets(const char *folder, struct strbuf *out, struct err *err)
{
	struct asset_list list;
	const int rc = assets_list(folder, &list, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < list.count; i++)
		add_word(out, list.names[i]);
	asset_list_free(&list);
	return 0;
}

static int words_themes(struct strbuf *out, struct err *err)
{
	strbuf_add(out, "auto\n");
	return words_assets("themes", out, err);
}

static int words_fleets(struct strbuf *out, struct err *err)
{
	return words_assets("fleets", out, err);
}

static const struct {
	const char *name;
	void (*print)(struct strbuf *out);
	int (*make)(struct strbuf *out, struct err *err);
} documents[] = {
	{.name = "man-synopsis", .print = man_synopsis},
	{.name = "man-commands", .print = man_commands},
	{.name = "man-options", .print = man_options},
	{.name = "man-parameters", .print = man_parameters},
	{.name = "man-methods", .print = man_methods},
	{.name = "man-settings", .print = settings_document_man},
	{.name = "man-workloads", .make = man_workloads},
	{.name = "man-fleet-keys", .print = man_fleet_keys},
	{.name = "man-actions", .make = man_actions},
	{.name = "keys", .make = keys_ini},
	{.name = "settings", .print = settings_document_ini},
	{.name = "completion-bash", .print = document_bash},
	{.name = "completion-zsh", .print = document_zsh},
	{.name = "words-drives", .make = words_drives},
	{.name = "words-workloads", .make = words_workloads},
	{.name = "words-runs", .make = words_runs},
	{.name = "words-tags", .make = words_tags},
	{.name = "words-themes", .make = words_themes},
	{.name = "words-fleets", .make = words_fleets},
};
#define DOCUMENTS (sizeof(documents) / sizeof(documents[0]))

int document_print(const char *what, struct strbuf *out, struct err *err)
{
	const char *names[DOCUMENTS];

	for (size_t i = 0; i < DOCUMENTS; i++) {
		names[i] = documents[i].name;
		if (strcmp(documents[i].name, what))
			continue;
		if (documents[i].make)
			return documents[i].make(out, err);
		documents[i].print(out);
		return 0;
	}
	const char *nearest = str_nearest(what, names, DOCUMENTS);

	return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL, "there is no document \"%.60s\"%s%s",
		what, nearest ? "; did you mean " : "", nearest ? nearest : "");
}
