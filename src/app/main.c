/* Start: locale, command line, settings, the guard process, then the command. */
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <unistd.h>

#include "app/cli.h"
#include "app/cmd_attach.h"
#include "app/cmd_check.h"
#include "app/cmd_compare.h"
#include "app/cmd_doctor.h"
#include "app/cmd_inventory.h"
#include "app/cmd_report.h"
#include "app/cmd_results.h"
#include "app/cmd_run.h"
#include "app/document.h"
#include "app/guard.h"
#include "app/output.h"
#include "app/session.h"
#include "app/tui_loop.h"
#include "tui/term.h"

static int (*const commands[CLI_COMMAND_COUNT])(struct session *session, struct err *err) = {
	[CLI_LIST] = cmd_list,
	[CLI_SHOW] = cmd_show,
	[CLI_HEALTH] = cmd_health,
	[CLI_CHECK] = cmd_check,
	[CLI_CAPTURE] = cmd_capture,
	[CLI_WORKLOADS] = cmd_workloads,
	[CLI_RUN] = cmd_run,
	[CLI_ATTACH] = cmd_attach,
	[CLI_RESULTS] = cmd_results,
	[CLI_COMPARE] = cmd_compare,
	[CLI_REPORT] = cmd_report,
	[CLI_DOCTOR] = cmd_doctor,
};

/* A standard descriptor that the caller closed would be the next file opened here, and what is
 * printed would end up in there. What is written to these fails, as it should. */
static void open_standard(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY | O_NOCTTY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

static int complain(const struct cli *cli, const struct err *err)
{
	output_complain(*err->text ? err->text : "failed");
	return cli_fault_exit(cli->command, err);
}

/* --help, --version, --document: nothing of the machine is looked at. True: *code is the end. */
static bool print_document(const struct cli *cli, int *code)
{
	struct strbuf out = {0};
	struct err err = {0};
	int width = 80, height, rc = 0;

	if (cli->given[CLI_HELP]) {
		output_size(&width, &height);
		document_help(cli->command, width < 60 ? 60 : width > 110 ? 110 : width, &out);
	} else if (cli->given[CLI_VERSION]) {
		strbuf_add(&out, "nvsweep " NVSWEEP_VERSION "\n");
	} else if (cli->given[CLI_DOCUMENT]) {
		rc = document_print(cli->value[CLI_DOCUMENT], &out, &err);
	} else {
		return false;
	}
	if (!rc)
		rc = output_text(&out, &err);
	strbuf_free(&out);
	*code = rc ? complain(cli, &err) : 0;
	return true;
}

/* What talks to drives or owns the terminal runs behind the guard. */
static bool is_guarded(const struct cli *cli)
{
	return cli->command != CLI_WORKLOADS && cli->command != CLI_RESULTS &&
		cli->command != CLI_COMPARE && cli->command != CLI_REPORT;
}

static int guard(const struct session *session, struct err *err)
{
	const struct cli *cli = session->cli;
	char restore[256];
	struct guard_config config = {
		.mode = GUARD_COMMAND,
		.crash_exit = cli_crash_exit(cli->command),
		.restore = restore,
	};

	if (!is_guarded(cli))
		return 0;
	if (cli->command == CLI_RUN || cli->command == CLI_CHECK || cli->command == CLI_ATTACH)
		config.mode = GUARD_RUN;
	if (session_on_screen(session)) {
		config.mode = GUARD_TERMINAL;
		config.restore_length = term_restore_bytes(restore, sizeof(restore));
	}
	return guard_start(&config, err);
}

static int command(struct session *session, struct err *err)
{
	const struct cli *cli = session->cli;

	if (session_on_screen(session))
		return tui_loop_run(session, err);
	if (cli->command == CLI_PROGRAM)
		return tui_loop_plain(session, err);
	return commands[cli->command](session, err);
}

int main(int argc, char **argv)
{
	struct session session = {0};
	struct err err = {0};
	struct cli cli;
	int code;

	guard_note_inherited();
	open_standard();
	/* Characters alone: numbers stay in C form everywhere. */
	setlocale(LC_CTYPE, "");
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a file-size limit is an error like a full disk */
	if (cli_parse(argc, argv, &cli, &err))
		return complain(&cli, &err);
	if (print_document(&cli, &code))
		return code;
	if (session_open(&cli, &session, &err))
		return complain(&cli, &err);
	if (guard(&session, &err))
		return complain(&cli, &err);
	code = command(&session, &err);
	if (code < 0)
		code = complain(&cli, &err);
	if (guard_wants_teardown())
		session_close(&session);
	if (is_guarded(&cli))
		guard_end(code);
	return code;
}
