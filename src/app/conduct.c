/* A running run without the terminal program. */
#include "app/conduct.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "app/guard.h"
#include "app/output.h"
#include "base/clock.h"
#include "base/str.h"

/* A second Ctrl-C counts from here on: `timeout` and shells may deliver the first one twice. */
#define SECOND_INTERRUPT_NS UINT64_C(300000000)
#define PAUSE_WAIT_MS 300
/* What goes wrong so soon after the start is still told on the terminal, with an exit code. */
#define BEGUN_NS UINT64_C(2000000000)
/* For clients to get the last picture. */
#define FAREWELL_MS 1000

int conduct_open(struct conduct *conduct, struct session *session, bool announce, struct err *err)
{
	struct text_style style;

	*conduct = (struct conduct){
		.session = session, .announce = announce, .leave = announce, .signal_fd = -1};
	output_style(&session->settings, &style);
	progress_open(&conduct->progress, style.ascii);
	conduct->signal_fd = guard_signal_fd(err);
	return conduct->signal_fd < 0 ? conduct->signal_fd : 0;
}

void conduct_close(struct conduct *conduct)
{
	serve_close(conduct->serve, FAREWELL_MS);
	conduct->serve = NULL;
	runner_view_free(conduct->view);
	conduct->view = NULL;
	if (conduct->signal_fd >= 0)
		close(conduct->signal_fd);
	conduct->signal_fd = -1;
}

/* ---- signals --------------------------------------------------------------------------------- */

static void take_view(struct conduct *conduct)
{
	struct runner_view *view = mailbox_take(runner_mailbox(conduct->runner));
	struct runner_view *old = conduct->view;

	if (!view)
		return;
	conduct->view = view;
	serve_view(conduct->serve, view);
	runner_view_free(old);
	progress_view(&conduct->progress, view);
}

static void suspend(struct conduct *conduct)
{
	bool paused = !conduct->runner;

	if (conduct->runner)
		runner_pause(conduct->runner, true);
	for (int waited = 0; !paused && waited < PAUSE_WAIT_MS; waited += 20) {
		take_view(conduct);
		paused = runner_ended(conduct->runner) ||
			(conduct->view && conduct->view->state == RUNNER_PAUSED);
		if (!paused)
			poll(NULL, 0, 20);
	}
	progress_clear(&conduct->progress);
	guard_suspend();
	if (conduct->runner)
		runner_pause(conduct->runner, false);
}

static void stop(struct conduct *conduct, const char *reason)
{
	conduct->stopped = true;
	if (conduct->runner)
		runner_stop(conduct->runner, reason);
}

static void hang_up(struct conduct *conduct)
{
	if (guard_detached())
		return;
	if (conduct->runner && !strcmp(conduct->session->settings.on_hangup, "detach")) {
		conduct->leave = true;
		conduct->announce = false; /* nobody reads it */
		conduct->progress.shown = false;
	} else {
		stop(conduct, "the terminal hung up (HUP)");
	}
}

void conduct_signals(struct conduct *conduct)
{
	struct signalfd_siginfo info;

	while (read(conduct->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		const uint64_t now = clock_monotonic_ns();

		switch ((int)info.ssi_signo) {
		case SIGINT:
			if (conduct->interrupted_ns &&
				now - conduct->interrupted_ns > SECOND_INTERRUPT_NS)
				conduct->abandoned = true;
			if (!conduct->interrupted_ns)
				conduct->interrupted_ns = now;
			stop(conduct, "interrupted (Ctrl-C)");
			break;
		case SIGTERM:
			stop(conduct, "ended by a signal (TERM)");
			break;
		case SIGHUP:
			hang_up(conduct);
			break;
		case SIGTSTP:
			if (!guard_detached())
				suspend(conduct);
			break;
		default: /* WINCH: the progress line asks for the width each time; CONT */
			break;
		}
	}
}

/* ---- leaving the terminal -------------------------------------------------------------------- */

int conduct_announce(const struct conduct *conduct, const char *run_id, struct err *err)
{
	struct strbuf text = {0};

	if (conduct->session->cli->given[CLI_JSON]) {
		struct json *document = output_document("detached");

		json_set_string(document, "run_id", run_id);
		json_set_i64(document, "pid", getpid());
		json_set_string(document, "runs_folder", conduct->folder);
		return output_json(document, err);
	}
	strbuf_addf(&text, "%s\n", run_id);
	return output_text(&text, err);
}

/* Is it time? Not before the run's name is final, and a run that fails at once stays here. */
static bool is_under_way(struct conduct *conduct)
{
	const struct runner_view *view = conduct->view;
	const uint64_t now = clock_monotonic_ns();

	if (!view || view->state < RUNNER_RUNNING || view->state >= RUNNER_SAVING)
		return false;
	if (!conduct->begun_ns)
		conduct->begun_ns = now;
	return !conduct->announce || view->has_current || view->point_count ||
		now - conduct->begun_ns >= BEGUN_NS;
}

static int leave(struct conduct *conduct, struct err *err)
{
	const char *run_id = conduct->view->run_id;
	char log[700], text[700];
	int rc = 0;

	conduct->leave = false;
	progress_clear(&conduct->progress);
	conduct->progress.shown = false;
	if (conduct->announce) {
		rc = conduct_announce(conduct, run_id, err);
		if (rc) /* whoever started it would not know of it */
			return rc;
		if (*serve_fault(conduct->serve)) {
			str_format(text, sizeof(text),
				"the run goes on as process %d and cannot be watched: %s",
				(int)getpid(), serve_fault(conduct->serve));
			output_complain(text);
		} else if (isatty(STDERR_FILENO)) {
			fprintf(stderr,
				"the test goes on without this terminal: "
				"nvsweep attach shows it\n");
		}
	}
	str_format(log, sizeof(log), "%s/%s.log", conduct->folder, run_id);
	serve_detached(conduct->serve);
	guard_detach(0, log);
	return 0;
}

/* ---- the run --------------------------------------------------------------------------------- */

static void obey(void *user, enum serve_command command)
{
	struct conduct *conduct = user;

	switch (command) {
	case SERVE_PAUSE:
		runner_pause(conduct->runner, true);
		break;
	case SERVE_RESUME:
		runner_pause(conduct->runner, false);
		break;
	case SERVE_STOP:
		stop(conduct, "stopped by the user, from another terminal");
		break;
	}
}

int conduct_run(struct conduct *conduct, struct runner *runner, const char *folder, struct err *err)
{
	struct mailbox *box = runner_mailbox(runner);
	int rc = 0;

	conduct->runner = runner;
	str_copy(conduct->folder, sizeof(conduct->folder), folder ? folder : "");
	conduct->serve = serve_create(folder, obey, conduct);
	if (conduct->stopped) /* while something was prepared, and that was complete by then */
		runner_stop(runner, "interrupted");
	while (!runner_ended(runner) && !conduct->abandoned) {
		struct pollfd fds[3] = {
			{.fd = conduct->signal_fd, .events = POLLIN},
			{.fd = box->fd, .events = POLLIN},
			{.fd = serve_fd(conduct->serve), .events = POLLIN},
		};

		if (poll(fds, 3, 1000) < 0 && errno != EINTR)
			break;
		conduct_signals(conduct);
		take_view(conduct);
		serve_turn(conduct->serve);
		if (conduct->leave && is_under_way(conduct) && !rc) {
			rc = leave(conduct, err);
			if (rc)
				runner_stop(runner, "its name could not be printed");
		}
	}
	take_view(conduct);
	progress_clear(&conduct->progress);
	return rc;
}
