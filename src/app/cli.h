/* The command line: one table of commands and one of options make the parser, --help, the
 * completions and the manual's section (DESIGN 7). Pure; no global state. */
#ifndef APP_CLI_H
#define APP_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum cli_command {
	CLI_PROGRAM, /* no command: the terminal program */
	CLI_LIST,
	CLI_SHOW,
	CLI_HEALTH,
	CLI_CHECK,
	CLI_CAPTURE,
	CLI_WORKLOADS,
	CLI_RUN,
	CLI_ATTACH,
	CLI_RESULTS,
	CLI_COMPARE,
	CLI_REPORT,
	CLI_DOCTOR,
	CLI_COMMAND_COUNT
};

enum cli_option {
	CLI_JSON,
	CLI_REPLAY,
	CLI_DEMO,
	CLI_PAGE,
	CLI_METHOD,
	CLI_SET,
	CLI_SIZE,
	CLI_WRITE,
	CLI_OUTPUT,
	CLI_FORMAT,
	CLI_FILTER,
	CLI_TAG,
	CLI_UNTAG,
	CLI_NOTE,
	CLI_DELETE,
	CLI_DETACH,
	CLI_RUNNING,
	CLI_STOP,
	CLI_PLAIN,
	CLI_CONFIG,
	CLI_THEME,
	CLI_DEBUG,
	CLI_VERSION,
	CLI_HELP,
	CLI_DOCUMENT, /* hidden: prints generated documents, see app/document.h */
	CLI_OPTION_COUNT
};

/* What a word of the command line is: tells the completions where its values come from. */
enum cli_word {
	CLI_WORD_NONE,
	CLI_WORD_DRIVE,
	CLI_WORD_TARGET, /* a drive's namespace, a block device or a file */
	CLI_WORD_RUN,
	CLI_WORD_TARGETS, /* a workload, then drives and files */
	CLI_WORD_FILE,
	CLI_WORD_PAGE,
	CLI_WORD_METHOD,
	CLI_WORD_SET,
	CLI_WORD_THEME,
	CLI_WORD_FLEET,
	CLI_WORD_FORMAT,
	CLI_WORD_TAG
};

struct cli_command_row {
	const char *name;      /* "" for the terminal program */
	const char *arguments; /* "WORKLOAD TARGET..." */
	size_t min, max;       /* operands */
	enum cli_word word;    /* what the operands are */
	const char *missing;   /* sentence when there are fewer than min */
	const char *title;     /* one line, without a full stop */
	const char *help;      /* a paragraph */
};
extern const struct cli_command_row cli_commands[CLI_COMMAND_COUNT];

struct cli_option_row {
	const char *name;     /* without "--" */
	char letter;          /* 0: none */
	const char *argument; /* "FILE"; NULL: takes none */
	bool optional;        /* the argument; it stands behind "=" alone */
	enum cli_word word;
	unsigned commands; /* bit per enum cli_command */
	bool hidden, repeats;
	bool empty; /* the argument may be "" */
	const char *help;
};
extern const struct cli_option_row cli_options[CLI_OPTION_COUNT];

#define CLI_OPERANDS_MAX 65 /* a workload and 64 targets */
#define CLI_SETS_MAX 64
#define CLI_WRITES_MAX 64 /* as many as targets */

/* A parsed command line; texts point into argv. */
struct cli {
	enum cli_command command;
	bool given[CLI_OPTION_COUNT];
	const char *value[CLI_OPTION_COUNT]; /* the last one given; NULL without argument */
	/* Of the options that may be repeated: each argument and whose it is, in order. */
	const char *sets[CLI_SETS_MAX];
	enum cli_option set_options[CLI_SETS_MAX];
	size_t set_count;
	const char *writes[CLI_WRITES_MAX]; /* --write=SERIAL; --write alone is only given */
	size_t write_count;
	const char *operands[CLI_OPERANDS_MAX];
	size_t operand_count;
};

/* Options may stand before or behind the command and its operands; "--" ends them. A fault is
 * -EINVAL with ERR_EXIT_USAGE and the nearest known name; out->command is set as soon as the
 * command is known, even then. With --help or --version operands are not counted. */
int cli_parse(int argc, char *const *argv, struct cli *out, struct err *err);

bool cli_option_applies(enum cli_option option, enum cli_command command);
/* True for options that every command takes. */
bool cli_option_common(enum cli_option option);
/* The exit code of a fault of this command: `health` and `check` have codes of their own, where
 * everything that keeps them from judging is "unknown". */
int cli_fault_exit(enum cli_command command, const struct err *err);
/* The same for a crash. */
int cli_crash_exit(enum cli_command command);

#endif
