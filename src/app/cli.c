/* The tables of commands and options, and the parser that reads a command line with them. */
#include "app/cli.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "nvme/health.h"

#define ON(command) (1u << CLI_##command)
#define ON_ALL ((1u << CLI_COMMAND_COUNT) - 1)

const struct cli_command_row cli_commands[CLI_COMMAND_COUNT] = {
	[CLI_PROGRAM] = {.name = "",
		.arguments = "",
		.title = "the terminal program",
		.help = "Without a command nvsweep shows the machine's drives on the terminal: open "
			"one to see its health and namespaces, set up a test of it and watch it live. "
			"? on any screen lists its keys."},
	[CLI_LIST] = {.name = "list",
		.arguments = "",
		.title = "the machine's drives and namespaces",
		.help = "Lists NVMe controllers with their namespaces and paths, and other block "
			"devices that can be tested. Works without root: what needs root says so."},
	[CLI_SHOW] = {.name = "show",
		.arguments = "DEV",
		.min = 1,
		.max = 1,
		.word = CLI_WORD_DRIVE,
		.missing = "show needs a drive: nvsweep show nvme0 (nvsweep list shows them)",
		.title = "everything about one drive",
		.help = "Shows what one controller or namespace reports: identity, SMART, "
			"temperatures, link. DEV is a name (nvme0, nvme0n1, /dev/nvme0n1) or a serial "
			"number."},
	[CLI_HEALTH] = {.name = "health",
		.arguments = "[DEV...]",
		.max = CLI_OPERANDS_MAX,
		.word = CLI_WORD_DRIVE,
		.title = "a verdict on each drive, with its reasons",
		.help = "Judges the drives named, or all of them. Exit code: 0 good, 1 warning, 2 "
			"critical, 3 unknown (not enough access, no drive, wrong usage). Critical counts "
			"more than warning, warning more than unknown."},
	[CLI_CHECK] = {.name = "check",
		.arguments = "TARGET",
		.min = 1,
		.max = 1,
		.word = CLI_WORD_TARGET,
		.missing = "check needs a target: nvsweep check nvme0n1 (nvsweep list shows them)",
		.title = "health and performance of one drive in a minute, read-only",
		.help = "Judges a drive line by line: health, PCIe link, latency of 4K reads one at a "
			"time, a short curve of 4K random reads, 128K sequential reads. It reads for "
			"at most a minute and writes nothing; the run is saved and nvsweep results "
			"shows it again. TARGET is a namespace (nvme0n1), a controller (its first "
			"namespace), a block device or a file; with --demo a simulated drive. Health "
			"needs the rights that nvsweep health needs. Ctrl-C stops it. Exit code: 0 "
			"good, 1 warning, 2 critical, 3 unknown (health or performance could not be "
			"judged, a failure, wrong usage)."},
	[CLI_CAPTURE] = {.name = "capture",
		.arguments = "DEV... -o FILE",
		.min = 1,
		.max = CLI_OPERANDS_MAX,
		.word = CLI_WORD_DRIVE,
		.missing = "capture needs a drive: nvsweep capture nvme0 -o nvme0.capture, or all",
		.title = "save a drive's raw pages to look at elsewhere",
		.help = "Writes the raw pages of the drives named (\"all\": every drive) to a file "
			"that --replay opens on any machine. Reads the drives only. The file holds "
			"serial numbers and unique identifiers."},
	[CLI_WORKLOADS] = {.name = "workloads",
		.arguments = "",
		.title = "the workloads, and which of them write",
		.help = "Lists the workloads that come with nvsweep and those of /etc/nvsweep and "
			"the user's folder, with the share of their I/O that writes."},
	[CLI_RUN] = {.name = "run",
		.arguments = "WORKLOAD TARGET...",
		.min = 2,
		.max = CLI_OPERANDS_MAX,
		.word = CLI_WORD_TARGETS,
		.missing = "run needs a workload and a target: nvsweep run rand-read-4k nvme0n1 "
			   "(nvsweep workloads lists them)",
		.title = "run a test without the terminal program",
		.help = "Runs a workload on the targets, all at the same time, and prints the "
			"result; the run is saved and nvsweep results shows it again. A target is a "
			"namespace (nvme0n1), a block device or a file; with --demo a simulated drive "
			"(demo:p4510), which is tested in its own time: as fast as this machine can, and "
			"again the same from the same seed. Ctrl-C once stops the test and keeps what it has measured, twice gives up "
			"waiting for the drive. Targets are only read unless the workload (or prepare) "
			"writes: then what is on them is lost, and --write has to permit it; before the test "
			"it is said how much is written. Mounted devices and others in use are never "
			"written; simulated drives and files that --size has made need no --write. Exit code: 0 complete, 1 failed, 2 usage, 3 refused, 4 ended early "
			"with partial results."},
	[CLI_ATTACH] = {.name = "attach",
		.arguments = "[RUN]",
		.max = 1,
		.word = CLI_WORD_RUN,
		.title = "watch a run that is going on elsewhere",
		.help = "Opens the terminal program on a run that another nvsweep of this user "
			"measures just now, in a terminal or without one: it is shown live and can "
			"be paused and stopped; q leaves it running. RUN is its name or a beginning "
			"of it, last or nothing the newest; nvsweep results --running lists them. "
			"With --plain, --json or without a terminal the progress is a line on "
			"standard error and the result is printed at the end; Ctrl-C then leaves the "
			"run as it is. Exit code: as that of run; 4 also when it was left before its "
			"end."},
	[CLI_RESULTS] = {.name = "results",
		.arguments = "[RUN...]",
		.max = CLI_OPERANDS_MAX,
		.word = CLI_WORD_RUN,
		.title = "saved runs, or one of them",
		.help = "Lists the saved runs, newest first, or shows those named: RUN is a run's name, "
			"a beginning of it that no other run shares, or last. --tag, --untag and --note "
			"write onto the runs named, --delete removes them; nothing is asked. What --filter "
			"takes: words that must all occur (in name, target, model, workload, method, "
			"outcome, tags or note), key:value with the keys workload, target, model, method, "
			"tag, note, id, outcome (complete, stopped, aborted, running, partial), is "
			"(simulated, real, tagged, noted), since and until (2026-11-01, today, 7d; UTC); "
			"a - in front turns a condition round, a comma gives a choice: "
			"\"tag:fresh,worn -is:simulated since:2w\"."},
	[CLI_COMPARE] = {.name = "compare",
		.arguments = "RUN [RUN...]",
		.min = 1,
		.max = 8,
		.word = CLI_WORD_RUN,
		.missing =
			"compare needs a run: nvsweep compare last, or two of them (nvsweep results "
			"lists them)",
		.title = "runs beside each other, or one beside published drives",
		.help = "Shows two to eight runs beside each other at the points they have in common, "
			"with the differences to the first one, and says in which way the runs are "
			"unlike. One run alone is held against the published figures of its workload at "
			"the same outstanding count: the gap to each drive, and its rank."},
	[CLI_REPORT] = {.name = "report",
		.arguments = "RUN [-o FILE]",
		.min = 1,
		.max = 1,
		.word = CLI_WORD_RUN,
		.missing =
			"report needs a run: nvsweep report last -o FILE.csv (nvsweep results lists "
			"them)",
		.title = "a run as text, JSON or CSV",
		.help = "Writes a run to FILE, or prints it: text for people, json with everything that "
			"is known of it, csv with one row per interval (time, point, rates, latencies, "
			"backlog, temperature). Without --format the ending of FILE says which: .txt, "
			".json or .csv."},
	[CLI_DOCTOR] = {.name = "doctor",
		.arguments = "",
		.title = "what this machine allows nvsweep to do",
		.help = "Reports libraries, kernel features, rights, limits, folders and terminal, "
			"and what to do where something is missing. Exit code 1 when a test could not "
			"run at all."},
};

const struct cli_option_row cli_options[CLI_OPTION_COUNT] = {
	[CLI_JSON] = {.name = "json",
		.commands = ON(LIST) | ON(SHOW) | ON(HEALTH) | ON(CHECK) | ON(WORKLOADS) | ON(RUN) |
			ON(ATTACH) | ON(RESULTS) | ON(COMPARE) | ON(DOCTOR),
		.help = "print one JSON document instead of text"},
	[CLI_REPLAY] = {.name = "replay",
		.argument = "FILE",
		.word = CLI_WORD_FILE,
		.commands = ON(PROGRAM) | ON(LIST) | ON(SHOW) | ON(HEALTH),
		.help = "show the drives of a capture instead of this machine's"},
	[CLI_DEMO] = {.name = "demo",
		.argument = "FLEET",
		.optional = true,
		.word = CLI_WORD_FLEET,
		.commands = ON(PROGRAM) | ON(LIST) | ON(SHOW) | ON(HEALTH) | ON(CHECK) |
			ON(CAPTURE) | ON(RUN),
		.help = "simulated drives instead of this machine's: those of FLEET, a name or the "
			"path of a file; without it the demo fleet"},
	[CLI_PAGE] = {.name = "page",
		.argument = "NAME",
		.word = CLI_WORD_PAGE,
		.commands = ON(SHOW),
		.help = "only this part: health, identify, smart, environment or namespaces"},
	[CLI_METHOD] = {.name = "method",
		.argument = "METHOD",
		.word = CLI_WORD_METHOD,
		.commands = ON(RUN),
		.help = "how to test: curve, depth or fixed"},
	[CLI_SET] = {.name = "set",
		.argument = "KEY=VALUE",
		.word = CLI_WORD_SET,
		.commands = ON(CHECK) | ON(RUN),
		.repeats = true,
		.help = "set a parameter of the test; may be repeated"},
	[CLI_SIZE] = {.name = "size",
		.argument = "SIZE",
		.commands = ON(RUN),
		.help = "make the target file with so much data when it is not there: 1G, 512M"},
	[CLI_WRITE] = {.name = "write",
		.argument = "SERIAL",
		.optional = true,
		.commands = ON(RUN),
		.repeats = true,
		.help = "permit a test that writes: without SERIAL to devices that hold nothing, with "
			"the serial number of the drive (the name of a target without one) also over what "
			"it holds; may be repeated, one for each drive"},
	[CLI_OUTPUT] = {.name = "output",
		.letter = 'o',
		.argument = "FILE",
		.word = CLI_WORD_FILE,
		.commands = ON(RUN) | ON(CAPTURE) | ON(REPORT),
		.help = "write to FILE; for run the result as JSON, besides the saved one"},
	[CLI_FORMAT] = {.name = "format",
		.argument = "FORMAT",
		.word = CLI_WORD_FORMAT,
		.commands = ON(REPORT),
		.help = "text, json or csv, whatever FILE is called"},
	[CLI_FILTER] = {.name = "filter",
		.argument = "TEXT",
		.empty = true,
		.commands = ON(RESULTS),
		.help = "list only the runs that fit: words, or key:value such as tag:fresh"},
	[CLI_TAG] = {.name = "tag",
		.argument = "TAG",
		.word = CLI_WORD_TAG,
		.commands = ON(RESULTS),
		.repeats = true,
		.help = "give the runs named this tag, a word; may be repeated"},
	[CLI_UNTAG] = {.name = "untag",
		.argument = "TAG",
		.word = CLI_WORD_TAG,
		.commands = ON(RESULTS),
		.repeats = true,
		.help = "take this tag from the runs named; may be repeated"},
	[CLI_NOTE] = {.name = "note",
		.argument = "TEXT",
		.empty = true,
		.commands = ON(RESULTS),
		.help = "write this note onto the runs named, in place of an earlier one; \"\" takes it "
			"away"},
	[CLI_DELETE] = {.name = "delete", .commands = ON(RESULTS), .help = "delete the runs named"},
	[CLI_DETACH] = {.name = "detach",
		.commands = ON(RUN),
		.help = "go on without this terminal: prints the run's name as soon as the test is "
			"under way, and returns; nvsweep attach shows it. Simulated drives then keep "
			"step with the clock, time_factor seconds in one"},
	[CLI_RUNNING] = {.name = "running",
		.commands = ON(RESULTS),
		.help = "list the runs that are being measured just now"},
	[CLI_STOP] = {.name = "stop",
		.commands = ON(ATTACH),
		.help = "stop the run, keep what it has measured, and wait until it is saved"},
	[CLI_PLAIN] = {.name = "plain",
		.commands = ON(PROGRAM) | ON(ATTACH),
		.help = "print text instead of the screen, the first one or a run's progress and "
			"result; needs no terminal"},
	[CLI_CONFIG] = {.name = "config",
		.argument = "FILE",
		.word = CLI_WORD_FILE,
		.commands = ON_ALL,
		.help = "read settings from FILE too, after the standard places"},
	[CLI_THEME] = {.name = "theme",
		.argument = "NAME",
		.word = CLI_WORD_THEME,
		.commands = ON_ALL,
		.help = "colours of the terminal program: auto, dark, light, mono or one of yours"},
	[CLI_DEBUG] = {.name = "debug",
		.argument = "FILE",
		.word = CLI_WORD_FILE,
		.commands = ON_ALL,
		.help = "append messages for developers to FILE"},
	[CLI_VERSION] = {.name = "version", .commands = ON_ALL, .help = "print the version"},
	[CLI_HELP] = {.name = "help",
		.letter = 'h',
		.commands = ON_ALL,
		.help = "print help, of a command with its parameters"},
	[CLI_DOCUMENT] = {.name = "document",
		.argument = "WHAT",
		.commands = ON(PROGRAM),
		.hidden = true,
		.help = "print a generated document"},
};

bool cli_option_applies(enum cli_option option, enum cli_command command)
{
	return cli_options[option].commands & (1u << command);
}

bool cli_option_common(enum cli_option option)
{
	return cli_options[option].commands == ON_ALL;
}

int cli_crash_exit(enum cli_command command)
{
	return command == CLI_HEALTH || command == CLI_CHECK ? (int)HEALTH_UNKNOWN
							     : (int)ERR_EXIT_FAILED;
}

int cli_fault_exit(enum cli_command command, const struct err *err)
{
	if (cli_crash_exit(command) != (int)ERR_EXIT_FAILED)
		return cli_crash_exit(command);
	return err->code && err->exit ? (int)err->exit : ERR_EXIT_FAILED;
}

/* The word behind an option that takes a value; NULL when it is not one. */
static const char *value_behind(int argc, char *const *argv, int i)
{
	if (i + 1 >= argc || (argv[i + 1][0] == '-' && argv[i + 1][1]))
		return NULL;
	return argv[i + 1];
}

/* The row that a word such as "--set=K=V" or "-oFILE" names, -1 when none does. *value points at
 * what is glued to it, NULL when nothing is. */
static int option_find(const char *word, const char **value)
{
	*value = NULL;
	if (word[1] != '-') {
		for (int i = 0; i < CLI_OPTION_COUNT; i++) {
			if (cli_options[i].letter && cli_options[i].letter == word[1]) {
				*value = word[2] ? word + 2 : NULL;
				return i;
			}
		}
		return -1;
	}
	const char *name = word + 2;
	const char *equals = strchr(name, '=');
	const size_t length = equals ? (size_t)(equals - name) : strlen(name);

	*value = equals ? equals + 1 : NULL;
	for (int i = 0; i < CLI_OPTION_COUNT; i++) {
		if (strlen(cli_options[i].name) == length &&
			!strncmp(cli_options[i].name, name, length))
			return i;
	}
	return -1;
}

static int option_unknown(enum cli_command command, const char *word, struct err *err)
{
	const char *names[CLI_OPTION_COUNT];
	size_t count = 0;
	char name[64], shown[128];

	for (int i = 0; i < CLI_OPTION_COUNT; i++) {
		if (!cli_options[i].hidden && cli_option_applies((enum cli_option)i, command))
			names[count++] = cli_options[i].name;
	}
	str_copy(name, sizeof(name), word[1] == '-' ? word + 2 : word + 1);
	name[strcspn(name, "=")] = '\0';
	str_sanitize_utf8(shown, sizeof(shown), word);

	const char *nearest = str_nearest(name, names, count);
	const char *of = cli_commands[command].name;

	if (nearest)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"there is no option %s; did you mean --%s?", shown, nearest);
	return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
		"there is no option %s; nvsweep %s%s--help lists them", shown, of, *of ? " " : "");
}

static int option_elsewhere(enum cli_command command, int option, struct err *err)
{
	if (command == CLI_CHECK && option == CLI_REPLAY)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"check takes no --replay: a capture holds a drive's pages, not the drive, and "
			"a check reads from it (nvsweep health --replay FILE judges the pages)");
	for (int c = 0; c < CLI_COMMAND_COUNT; c++) {
		if (!cli_option_applies((enum cli_option)option, (enum cli_command)c))
			continue;
		if (c == CLI_PROGRAM)
			continue;
		if (command == CLI_PROGRAM)
			return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
				"--%s needs a command, such as nvsweep %s",
				cli_options[option].name, cli_commands[c].name);
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"%s takes no --%s; it is an option of %s", cli_commands[command].name,
			cli_options[option].name, cli_commands[c].name);
	}
	return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
		"--%s is an option of the terminal program, not of %s", cli_options[option].name,
		cli_commands[command].name);
}

/* The first word that is neither an option nor the argument of one. */
static int command_find(int argc, char *const *argv, int *at, struct cli *out, struct err *err)
{
	const char *names[CLI_COMMAND_COUNT];
	size_t count = 0;
	const char *value;

	*at = 0;
	for (int i = 1; i < argc; i++) {
		const char *word = argv[i];

		if (!strcmp(word, "--"))
			break;
		if (word[0] == '-' && word[1]) {
			const int option = option_find(word, &value);

			if (option >= 0 && cli_options[option].argument &&
				!cli_options[option].optional && !value &&
				value_behind(argc, argv, i))
				i++;
			continue;
		}
		*at = i;
		break;
	}
	if (!*at)
		return 0;
	for (int c = CLI_PROGRAM + 1; c < CLI_COMMAND_COUNT; c++) {
		if (!strcmp(argv[*at], cli_commands[c].name)) {
			out->command = (enum cli_command)c;
			return 0;
		}
		names[count++] = cli_commands[c].name;
	}
	char shown[128];
	const char *nearest = str_nearest(argv[*at], names, count);

	str_sanitize_utf8(shown, sizeof(shown), argv[*at]);
	if (nearest)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"there is no command \"%s\"; did you mean %s?", shown, nearest);
	return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
		"there is no command \"%s\"; nvsweep --help lists them", shown);
}

/* --write alone permits, and --write=SERIAL names a drive besides. */
static int write_take(struct cli *out, const char *value, struct err *err)
{
	if (!value)
		return 0;
	if (out->write_count == CLI_WRITES_MAX)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"more than %d times --write=SERIAL", CLI_WRITES_MAX);
	out->writes[out->write_count++] = value;
	return 0;
}

static int option_take(struct cli *out, int option, const char *value, bool glued, struct err *err)
{
	const struct cli_option_row *row = &cli_options[option];

	if (!cli_option_applies((enum cli_option)option, out->command))
		return option_elsewhere(out->command, option, err);
	if (!row->argument && glued)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL, "--%s takes no value", row->name);
	if (row->argument && (value ? !*value && !row->empty : !row->optional))
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL, "--%s needs a value: --%s%c%s",
			row->name, row->name, row->optional ? '=' : ' ', row->argument);
	out->given[option] = true;
	out->value[option] = value;
	if (option == CLI_WRITE)
		return write_take(out, value, err);
	if (!row->repeats)
		return 0;
	if (out->set_count == CLI_SETS_MAX)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL, "more than %d times --%s",
			CLI_SETS_MAX, row->name);
	out->set_options[out->set_count] = (enum cli_option)option;
	out->sets[out->set_count++] = value;
	return 0;
}

static int operand_take(struct cli *out, const char *word, struct err *err)
{
	const struct cli_command_row *row = &cli_commands[out->command];

	if (out->operand_count >= row->max) {
		if (out->command == CLI_PROGRAM)
			return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
				"\"%.100s\" stands behind --: a command stands before it", word);
		if (row->max == 0)
			return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
				"%s takes no argument: \"%.100s\" is one too many", row->name,
				word);
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"%s takes at most %zu argument%s: \"%.100s\" is one too many", row->name,
			row->max, row->max == 1 ? "" : "s", word);
	}
	if (!*word)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL, "%s: argument %zu is empty",
			row->name, out->operand_count + 1);
	out->operands[out->operand_count++] = word;
	return 0;
}

/* What changes runs needs them named: a slip must not touch all of them. */
static int check_results(const struct cli *cli, struct err *err)
{
	static const enum cli_option changes[] = {CLI_TAG, CLI_UNTAG, CLI_NOTE, CLI_DELETE};
	const char *change = NULL;

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		if (!cli->given[changes[i]])
			continue;
		if (change && changes[i] == CLI_DELETE)
			return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
				"--delete and --%s exclude each other", change);
		change = cli_options[changes[i]].name;
	}
	if (change && !cli->operand_count)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"--%s needs the runs named: nvsweep results RUN --%s (nvsweep results lists "
			"them)",
			change, change);
	if (cli->given[CLI_RUNNING] && (change || cli->given[CLI_FILTER]))
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"--running lists what runs just now: it goes together with --json alone");
	if (cli->given[CLI_FILTER] && cli->operand_count)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"--filter is for the list: it does not go together with a run that is named");
	if (cli->given[CLI_JSON] && cli->operand_count > 1 && !change)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"--json shows one run: name one, or none for the list");
	return 0;
}

static int check_whole(const struct cli *cli, struct err *err)
{
	const struct cli_command_row *row = &cli_commands[cli->command];

	if (cli->given[CLI_HELP] || cli->given[CLI_VERSION])
		return 0;
	if (cli->given[CLI_DEMO] && cli->given[CLI_REPLAY])
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"--demo and --replay exclude each other: simulated drives, or those of a "
			"capture");
	if (cli->given[CLI_DEMO] && cli->given[CLI_SIZE])
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"--size makes a file to test, and with --demo the targets are simulated "
			"drives");
	if (cli->operand_count < row->min)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL, "%s", row->missing);
	if (cli->given[CLI_DETACH] && cli->value[CLI_OUTPUT] &&
		!strcmp(cli->value[CLI_OUTPUT], "-"))
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"--detach leaves standard output: give a file with -o FILE");
	if (cli->given[CLI_RUNNING] && cli->operand_count)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"--running lists what runs: nvsweep attach %.100s shows one of them",
			cli->operands[0]);
	if (cli->command == CLI_CAPTURE && !cli->given[CLI_OUTPUT])
		return err_set_exit(
			err, ERR_EXIT_USAGE, -EINVAL, "capture needs a file to write: -o FILE");
	return cli->command == CLI_RESULTS ? check_results(cli, err) : 0;
}

int cli_parse(int argc, char *const *argv, struct cli *out, struct err *err)
{
	int command_at;

	*out = (struct cli){.command = CLI_PROGRAM};

	int rc = command_find(argc, argv, &command_at, out, err);
	bool options = true;

	for (int i = 1; i < argc && !rc; i++) {
		const char *word = argv[i];
		const char *value;

		if (i == command_at)
			continue;
		if (options && !strcmp(word, "--")) {
			options = false;
			continue;
		}
		if (!options || word[0] != '-' || !word[1]) {
			rc = operand_take(out, word, err);
			continue;
		}
		const int option = option_find(word, &value);
		const bool glued = value != NULL;

		if (option < 0) {
			rc = option_unknown(out->command, word, err);
			continue;
		}
		if (cli_options[option].letter == word[1] && glued && !cli_options[option].argument)
			return option_unknown(out->command, word, err);
		if (cli_options[option].argument && !cli_options[option].optional && !glued) {
			value = value_behind(argc, argv, i);
			i += value != NULL;
		}
		rc = option_take(out, option, value, glued, err);
	}
	return rc ? rc : check_whole(out, err);
}
