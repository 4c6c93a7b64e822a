/* Completions for bash and zsh, from the tables of commands and options. */
#include "app/document.h"

#include "report/drive_find.h"
#include "sweep/method.h"
#include "sweep/options.h"

/* The words that never change are written into the completions; drives, runs, workloads and themes
 * are asked of the program. */
static void words_of(enum cli_word word, struct strbuf *out)
{
	size_t count;

	switch (word) {
	case CLI_WORD_PAGE:
		for (size_t i = 0; drive_pages[i]; i++)
			strbuf_addf(out, "%s%s", i ? " " : "", drive_pages[i]);
		break;
	case CLI_WORD_METHOD: {
		const struct method_ops *const *methods = method_list(&count);

		for (size_t i = 0; i < count; i++)
			strbuf_addf(out, "%s%s", i ? " " : "", methods[i]->name);
		break;
	}
	case CLI_WORD_SET:
		for (size_t i = 0; i < options_count; i++)
			strbuf_addf(out, "%s%s=", i ? " " : "", options_table[i].key);
		break;
	case CLI_WORD_FORMAT:
		strbuf_add(out, "text json csv");
		break;
	case CLI_WORD_NONE:
	case CLI_WORD_TAG:
	case CLI_WORD_DRIVE:
	case CLI_WORD_TARGET:
	case CLI_WORD_RUN:
	case CLI_WORD_TARGETS:
	case CLI_WORD_FILE:
	case CLI_WORD_THEME:
	case CLI_WORD_FLEET:
		break;
	}
}

static void options_of(enum cli_command command, struct strbuf *out)
{
	const char *space = "";

	for (int i = 0; i < CLI_OPTION_COUNT; i++) {
		if (cli_options[i].hidden || !cli_option_applies((enum cli_option)i, command))
			continue;
		if (cli_options[i].letter) {
			strbuf_addf(out, "%s-%c", space, cli_options[i].letter);
			space = " ";
		}
		strbuf_addf(out, "%s--%s", space, cli_options[i].name);
		space = " ";
	}
}

static void bash_value(enum cli_word word, struct strbuf *out)
{
	switch (word) {
	case CLI_WORD_FILE:
		strbuf_add(out, "COMPREPLY=($(compgen -f -- \"$cur\"))");
		break;
	case CLI_WORD_THEME:
		strbuf_add(out, "_nvsweep_ask themes");
		break;
	case CLI_WORD_FLEET:
		strbuf_add(out, "_nvsweep_ask fleets");
		break;
	case CLI_WORD_DRIVE:
		strbuf_add(out, "_nvsweep_ask drives");
		break;
	case CLI_WORD_TARGET:
		strbuf_add(out, "_nvsweep_ask drives; COMPREPLY+=($(compgen -f -- \"$cur\"))");
		break;
	case CLI_WORD_RUN:
		strbuf_add(out, "_nvsweep_ask runs");
		break;
	case CLI_WORD_TARGETS:
		strbuf_add(out,
			"if ((operands == 0)); then _nvsweep_ask workloads; else\n"
			"\t\t\t_nvsweep_ask drives; COMPREPLY+=($(compgen -f -- \"$cur\")); fi");
		break;
	case CLI_WORD_TAG:
		strbuf_add(out, "_nvsweep_ask tags");
		break;
	case CLI_WORD_PAGE:
	case CLI_WORD_METHOD:
	case CLI_WORD_FORMAT:
	case CLI_WORD_SET:
		strbuf_add(out, "COMPREPLY=($(compgen -W \"");
		words_of(word, out);
		strbuf_add(out, "\" -- \"$cur\"))");
		if (word == CLI_WORD_SET)
			strbuf_add(out, "; compopt -o nospace");
		break;
	case CLI_WORD_NONE:
		strbuf_add(out, ":");
		break;
	}
}

static void option_pattern(int i, struct strbuf *out)
{
	if (cli_options[i].letter)
		strbuf_addf(out, "-%c|", cli_options[i].letter);
	strbuf_addf(out, "--%s", cli_options[i].name);
}

static void bash_scan(struct strbuf *out)
{
	bool first = true;

	strbuf_add(out,
		"\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
		"\t\tcase ${COMP_WORDS[i]} in\n\t\t");
	for (int i = 0; i < CLI_OPTION_COUNT; i++) {
		if (cli_options[i].hidden || !cli_options[i].argument || cli_options[i].optional)
			continue;
		strbuf_add(out, first ? "" : "|");
		first = false;
		option_pattern(i, out);
	}
	/* bash cuts "--set key=value" at the equals sign. */
	strbuf_add(out,
		") ((i++)) ;;\n\t\t=) ((i++)) ;;\n\t\t-*) ;;\n"
		"\t\t*) if [[ -z $command ]]; then command=${COMP_WORDS[i]}; else "
		"((operands++)); fi ;;\n"
		"\t\tesac\n\tdone\n");
}

void document_bash(struct strbuf *out)
{
	strbuf_add(out,
		"# bash completion for nvsweep. Made by `make docs`; do not edit.\n"
		"_nvsweep_ask()\n{\n"
		"\tCOMPREPLY=($(compgen -W \"$(\"${COMP_WORDS[0]}\" --document \"words-$1\" "
		"2>/dev/null)\" -- \"$cur\"))\n}\n\n"
		"_nvsweep()\n{\n"
		"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
		"\tlocal command= operands=0 i\n\n"
		"\tCOMPREPLY=()\n");
	bash_scan(out);
	strbuf_add(out, "\tcase $prev in\n");
	for (int i = 0; i < CLI_OPTION_COUNT; i++) {
		if (cli_options[i].hidden || !cli_options[i].argument || cli_options[i].optional)
			continue;
		strbuf_add(out, "\t");
		option_pattern(i, out);
		strbuf_add(out, ") ");
		bash_value(cli_options[i].word, out);
		strbuf_add(out, "; return ;;\n");
	}
	strbuf_add(out, "\tesac\n\tcase $command in\n");
	for (int c = 0; c < CLI_COMMAND_COUNT; c++) {
		strbuf_addf(out,
			"\t%s)\n\t\tif [[ $cur == -* ]]; then\n"
			"\t\t\tCOMPREPLY=($(compgen -W \"",
			c == CLI_PROGRAM ? "\"\"" : cli_commands[c].name);
		options_of((enum cli_command)c, out);
		strbuf_add(out, "\" -- \"$cur\"))\n\t\telse\n\t\t\t");
		if (c == CLI_PROGRAM) {
			strbuf_add(out, "COMPREPLY=($(compgen -W \"");
			for (int k = CLI_PROGRAM + 1; k < CLI_COMMAND_COUNT; k++)
				strbuf_addf(out, "%s%s", k > 1 ? " " : "", cli_commands[k].name);
			strbuf_add(out, "\" -- \"$cur\"))");
		} else {
			bash_value(cli_commands[c].word, out);
		}
		strbuf_add(out, "\n\t\tfi ;;\n");
	}
	strbuf_add(out, "\tesac\n}\ncomplete -F _nvsweep nvsweep\n");
}

/* _arguments wants brackets, colons and quotes escaped. */
static void zsh_text(const char *text, struct strbuf *out)
{
	for (; *text; text++) {
		if (*text == '\'')
			strbuf_add(out, "'\\''");
		else if (*text == '[' || *text == ']' || *text == ':')
			strbuf_addf(out, "\\%c", *text);
		else
			strbuf_add_bytes(out, text, 1);
	}
}

/* A blank in front of an action keeps _arguments from slipping its own options into it. */
static void zsh_action(enum cli_word word, struct strbuf *out)
{
	switch (word) {
	case CLI_WORD_FILE:
		strbuf_add(out, "_files");
		break;
	case CLI_WORD_THEME:
		strbuf_add(out, " _nvsweep_ask themes");
		break;
	case CLI_WORD_FLEET:
		strbuf_add(out, " _nvsweep_ask fleets");
		break;
	case CLI_WORD_DRIVE:
		strbuf_add(out, " _nvsweep_ask drives");
		break;
	case CLI_WORD_TARGET:
		strbuf_add(out, " _nvsweep_drive_or_file");
		break;
	case CLI_WORD_RUN:
		strbuf_add(out, " _nvsweep_ask runs");
		break;
	case CLI_WORD_TARGETS:
		strbuf_add(out, " _nvsweep_target");
		break;
	case CLI_WORD_TAG:
		strbuf_add(out, " _nvsweep_ask tags");
		break;
	case CLI_WORD_PAGE:
	case CLI_WORD_METHOD:
	case CLI_WORD_FORMAT:
	case CLI_WORD_SET:
		strbuf_add(out, word == CLI_WORD_SET ? "compadd -S \"\" -- " : "(");
		words_of(word, out);
		strbuf_add(out, word == CLI_WORD_SET ? "" : ")");
		break;
	case CLI_WORD_NONE:
		strbuf_add(out, " ");
		break;
	}
}

static void zsh_option(int i, struct strbuf *out)
{
	const struct cli_option_row *row = &cli_options[i];

	for (int form = row->letter ? 0 : 1; form < 2; form++) {
		strbuf_addf(out, " \\\n\t\t\t'%s", row->repeats ? "*" : "");
		if (form)
			strbuf_addf(out, "--%s%s", row->name, row->optional ? "=-" : "");
		else
			strbuf_addf(out, "-%c", row->letter);
		strbuf_add(out, "[");
		zsh_text(row->help, out);
		strbuf_add(out, "]");
		if (row->argument) {
			strbuf_add(out, row->optional ? "::" : ":");
			zsh_text(row->argument, out);
			strbuf_add(out, ":");
			zsh_action(row->word, out);
		}
		strbuf_add(out, "'");
	}
}

void document_zsh(struct strbuf *out)
{
	strbuf_add(out,
		"#compdef nvsweep\n"
		"# zsh completion for nvsweep. Made by `make docs`; do not edit.\n"
		"_nvsweep_ask()\n{\n"
		"\tlocal -a found\n"
		"\tfound=(${(f)\"$(_call_program $1 nvsweep --document words-$1 2>/dev/null)\"})\n"
		"\tcompadd -a found\n}\n\n"
		"_nvsweep_target()\n{\n"
		"\tif ((CURRENT == 2)); then _nvsweep_ask workloads; else _nvsweep_ask drives; "
		"_files; fi\n}\n\n"
		"_nvsweep_drive_or_file()\n{\n\t_nvsweep_ask drives; _files\n}\n\n"
		"_nvsweep()\n{\n"
		"\tlocal curcontext=$curcontext state line\n"
		"\tlocal -a commands\n\tcommands=(\n");
	for (int c = CLI_PROGRAM + 1; c < CLI_COMMAND_COUNT; c++) {
		strbuf_addf(out, "\t\t'%s:", cli_commands[c].name);
		zsh_text(cli_commands[c].title, out);
		strbuf_add(out, "'\n");
	}
	strbuf_add(out, "\t)\n\t_arguments -C");
	for (int i = 0; i < CLI_OPTION_COUNT; i++) {
		if (!cli_options[i].hidden && cli_option_applies((enum cli_option)i, CLI_PROGRAM))
			zsh_option(i, out);
	}
	strbuf_add(out,
		" \\\n\t\t\t'1:command:->command' '*::argument:->arguments'\n"
		"\tcase $state in\n"
		"\tcommand) _describe command commands ;;\n"
		"\targuments)\n\t\tcase $line[1] in\n");
	for (int c = CLI_PROGRAM + 1; c < CLI_COMMAND_COUNT; c++) {
		strbuf_addf(out, "\t\t%s) _arguments", cli_commands[c].name);
		for (int i = 0; i < CLI_OPTION_COUNT; i++) {
			if (!cli_options[i].hidden &&
				cli_option_applies((enum cli_option)i, (enum cli_command)c))
				zsh_option(i, out);
		}
		if (cli_commands[c].max) {
			strbuf_add(out, " \\\n\t\t\t'*:argument:");
			zsh_action(cli_commands[c].word, out);
			strbuf_add(out, "'");
		}
		strbuf_add(out, " ;;\n");
	}
	strbuf_add(out, "\t\tesac ;;\n\tesac\n}\n_nvsweep \"$@\"\n");
}
