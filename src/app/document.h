/* Everything that is made from the tables of commands, options, parameters, settings and actions:
 * help texts, shell completions, sections of the manual. `make docs` writes the files with
 * `nvsweep --document WHAT`, `make check` compares them. */
#ifndef APP_DOCUMENT_H
#define APP_DOCUMENT_H

#include "app/cli.h"
#include "base/str.h"

/* --help; of a command with its options and, for run, the table of parameters. width: columns. */
void document_help(enum cli_command command, int width, struct strbuf *out);

/* man-synopsis, man-commands, man-options, man-parameters, man-actions, man-settings,
 * man-workloads, completion-bash, completion-zsh, settings, keys; words-drives, words-workloads,
 * words-runs, words-themes (one per line, for the completions). Unknown WHAT: the nearest. */
int document_print(const char *what, struct strbuf *out, struct err *err);

/* Shell completions from the tables. */
void document_bash(struct strbuf *out);
void document_zsh(struct strbuf *out);

#endif
