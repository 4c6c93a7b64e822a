/* --help, from the tables. */
#include "app/document.h"

#include <string.h>

#include "report/drive_find.h"
#include "report/text_table.h"
#include "result/check.h"
#include "sweep/method.h"
#include "sweep/method_check.h"
#include "sweep/options.h"

/* "  NAME            text wrapped behind it". */
static void entry(struct strbuf *out, const struct text_style *style, int column, const char *name,
	const char *text)
{
	const int width = str_width(name) + 2;

	strbuf_addf(out, "  %s", name);
	if (width + 2 > column)
		strbuf_addf(out, "\n%*s", column, "");
	else
		strbuf_addf(out, "%*s", column - width, "");
	text_wrap(out, style, column, column, text);
}

static void option_entry(struct strbuf *out, const struct text_style *style, int i)
{
	const struct cli_option_row *row = &cli_options[i];
	char name[64] = "";

	if (row->letter)
		str_append(name, sizeof(name), "-%c, ", row->letter);
	str_append(name, sizeof(name), "--%s", row->name);
	if (row->argument)
		str_append(name, sizeof(name), row->optional ? "[=%s]" : " %s", row->argument);
	entry(out, style, 24, name, row->help);
}

static void options_part(struct strbuf *out, const struct text_style *style,
	enum cli_command command, bool common, const char *title)
{
	bool any = false;

	for (int i = 0; i < CLI_OPTION_COUNT; i++) {
		const enum cli_option option = (enum cli_option)i;

		if (cli_options[i].hidden || !cli_option_applies(option, command) ||
			cli_option_common(option) != common)
			continue;
		if (!any)
			strbuf_addf(out, "\n%s\n", title);
		any = true;
		option_entry(out, style, i);
	}
}

static void help_program(struct strbuf *out, const struct text_style *style)
{
	strbuf_add(out,
		"nvsweep: is this NVMe drive healthy, and how does it behave under load?\n\n"
		"usage: nvsweep [--replay FILE | --demo[=FLEET]] [OPTION...]   the terminal program\n"
		"       nvsweep COMMAND [ARGUMENT...] [OPTION...]\n"
		"       nvsweep COMMAND --help\n\ncommands\n");
	for (int c = CLI_PROGRAM + 1; c < CLI_COMMAND_COUNT; c++) {
		char name[64];

		str_format(name, sizeof(name), "%s%s%s", cli_commands[c].name,
			*cli_commands[c].arguments ? " " : "", cli_commands[c].arguments);
		entry(out, style, 28, name, cli_commands[c].title);
	}
	options_part(out, style, CLI_PROGRAM, false, "options of the terminal program");
	options_part(out, style, CLI_PROGRAM, true, "options of every command");
	strbuf_add(out, "\n");
	text_wrap(out, style, 0, 0,
		"Exit codes: 0 done, 1 failed, 2 usage, 3 refused, 4 ended early with partial "
		"results; those of health are its verdict. Manual: man nvsweep.");
}

static void help_pages(struct strbuf *out)
{
	strbuf_add(out, "\npages\n ");
	for (size_t i = 0; drive_pages[i]; i++)
		strbuf_addf(out, " %s", drive_pages[i]);
	strbuf_add(out, "\n");
}

/* "time before each measured window (5 s; 0 to 86400)" */
static void parameter_entry(struct strbuf *out, const struct text_style *style,
	const struct option_row *row, const char *standard)
{
	char text[512], range[256];

	options_range(row, range, sizeof(range));
	str_format(text, sizeof(text), "%s (default %s%s%s", row->help, standard,
		*row->unit ? " " : "", row->unit);
	if (*range)
		str_append(text, sizeof(text), "; %s", range);
	if (*row->methods)
		str_append(text, sizeof(text), "; method %s", row->methods);
	str_append(text, sizeof(text), ")");
	entry(out, style, 16, row->key, text);
}

static void help_run(struct strbuf *out, const struct text_style *style)
{
	size_t count;
	const struct method_ops *const *methods = method_list(&count);

	strbuf_add(out, "\nmethods\n");
	for (size_t i = 0; i < count; i++)
		entry(out, style, 16, methods[i]->name, methods[i]->title);
	strbuf_add(out, "\nparameters: --set KEY=VALUE\n");
	for (size_t i = 0; i < options_count; i++)
		parameter_entry(out, style, &options_table[i], options_table[i].default_text);
	strbuf_add(out,
		"\nexamples\n  nvsweep run rand-read-4k nvme0n1 --method curve --set point_s=10\n"
		"  nvsweep run rand-read-4k ./scratch --size 1G --set point_s=5\n"
		"  nvsweep run rand-read-4k demo:p4510 --demo --method curve --set seed=7\n");
}

/* Those that the check knows, with what it takes by itself. */
static void help_check(struct strbuf *out, const struct text_style *style)
{
	struct options options;
	char value[256];

	check_options(&options);
	strbuf_add(out, "\nparameters: --set KEY=VALUE; longer times than these change nothing\n");
	for (size_t i = 0; i < options_count; i++) {
		if (!options_row_applies(&options_table[i], CHECK_METHOD))
			continue;
		options_value(&options, &options_table[i], value, sizeof(value));
		parameter_entry(out, style, &options_table[i], value);
	}
	strbuf_add(out,
		"\nexamples\n  nvsweep check nvme0\n  nvsweep check nvme0n1 --json\n"
		"  nvsweep check ailing --demo\n");
}

void document_help(enum cli_command command, int width, struct strbuf *out)
{
	const struct text_style style = {.ascii = true, .width = width};
	const struct cli_command_row *row = &cli_commands[command];

	if (command == CLI_PROGRAM) {
		help_program(out, &style);
		return;
	}
	strbuf_addf(out, "usage: nvsweep %s%s%s [OPTION...]\n\n", row->name,
		*row->arguments ? " " : "", row->arguments);
	text_wrap(out, &style, 0, 0, row->help);
	options_part(out, &style, command, false, "options");
	options_part(out, &style, command, true, "options of every command");
	if (command == CLI_SHOW)
		help_pages(out);
	if (command == CLI_CHECK)
		help_check(out, &style);
	if (command == CLI_RUN)
		help_run(out, &style);
}
