/* The desk and tests that outlive a terminal: those of other processes, which it shows, and its own
 * when the terminal goes away. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "app/guard.h"
#include "app/output.h"
#include "app/running.h"
#include "app/tui_desk_internal.h"
#include "base/str.h"
#include "screens/check.h"

/* A run that goes well tells something at least each second. */
#define SILENT_S 10
#define SILENT_STEP_S 5

int tui_desk_serve_fd(const struct tui_desk *tui)
{
	return tui_test_serve_fd(tui->test);
}

void tui_desk_serve(struct tui_desk *tui)
{
	tui_test_serve(tui->test);
}

bool tui_desk_watching(const struct tui_desk *tui)
{
	return tui_test_watched(tui->test);
}

/* ---- of other processes ---------------------------------------------------------------------- */

int tui_desk_attach(struct desk *desk, const char *run_id, struct err *err)
{
	struct tui_desk *tui = desk->app;
	struct tui_test *test;
	int rc;

	if (tui_desk_watching(tui) && desk->run && !strcmp(desk->run->run_id, run_id))
		return 0;
	if (tui_desk_running(tui) || tui->start)
		return err_set(err, -EBUSY,
			"the test of this nvsweep runs: stop it, or wait for its end, to watch "
			"another");
	rc = tui_test_attach(desk->runs_folder, run_id, &test, err);
	if (rc)
		return rc;
	desk->run = NULL;
	tui_test_free(tui->test);
	tui->test = test;
	tui_desk_run_take(tui);
	tui->dirty = true;
	return 0;
}

/* Our own test, or the one that another process runs; of several one is chosen from the list. */
void tui_desk_show_running(struct tui_desk *tui)
{
	struct desk *desk = &tui->desk;
	struct running *list = NULL;
	struct err err = {0};
	size_t count = 0;

	if (!tui_desk_running(tui) && !tui_desk_watching(tui) && *desk->runs_folder)
		running_list(desk->runs_folder, 0, &list, &count, NULL);
	if (count > 1) {
		desk->push(desk, screen_results(desk));
		desk->notice(desk, "several tests are running in other processes: choose one");
	} else if (count == 1 && desk->attach_run(desk, list[0].id, &err)) {
		desk->notice(desk, err.text);
	} else {
		desk->push(desk,
			desk->run && desk->run->has_check ? screen_check(desk) : screen_live(desk));
	}
	running_free(list, count);
}

bool tui_desk_say_running(struct tui_desk *tui)
{
	struct desk *desk = &tui->desk;
	struct running *list = NULL;
	size_t count = 0;
	char key[32], text[256];

	if (*desk->runs_folder)
		running_list(desk->runs_folder, 0, &list, &count, NULL);
	if (count) {
		screen_key_name(desk, ACTION_RUNNING, false, key, sizeof(key));
		if (count == 1)
			str_format(text, sizeof(text),
				"a test of %s is running in another process: %s shows it",
				list[0].target, key);
		else
			str_format(text, sizeof(text),
				"%zu tests are running in other processes: %s shows them", count,
				key);
		desk->notice(desk, text);
	}
	running_free(list, count);
	return count;
}

void tui_desk_say_silence(struct tui_desk *tui)
{
	const double silent = tui_test_silent_s(tui->test);
	const unsigned step = (unsigned)(silent / SILENT_STEP_S);
	char text[128];

	/* Said anew only now and then: each notice is a frame. */
	if (step == tui->silence)
		return;
	tui->silence = step;
	if (silent < SILENT_S)
		return;
	str_format(text, sizeof(text),
		"the process that runs this test has said nothing for %.0f s: it is stopped or "
		"hangs",
		silent);
	tui->desk.notice(&tui->desk, text);
}

/* ---- our own, without a terminal ------------------------------------------------------------- */

static void take_signals(struct tui_desk *tui, int signal_fd)
{
	struct signalfd_siginfo info;

	while (read(signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGTERM)
			tui_test_stop(tui->test, "ended by a signal (TERM)", NULL);
		if (info.ssi_signo == SIGINT)
			tui_test_stop(tui->test, "interrupted", NULL);
	}
}

/* The screens are not told: nobody looks. */
static void take_view(struct tui_desk *tui)
{
	struct runner_view *old;
	const struct runner_view *view = tui_test_take(tui->test, &old);

	if (view)
		tui->desk.run = view;
	runner_view_free(old);
}

void tui_desk_go_on_alone(struct tui_desk *tui, int signal_fd)
{
	char log[1024];

	while (tui_desk_running(tui)) {
		struct pollfd fds[3] = {
			{.fd = signal_fd, .events = POLLIN},
			{.fd = tui_desk_run_fd(tui), .events = POLLIN},
			{.fd = tui_desk_serve_fd(tui), .events = POLLIN},
		};

		/* Its name is final when it is under way. */
		if (!guard_detached() && tui->desk.run && tui->desk.run->state >= RUNNER_RUNNING) {
			str_format(log, sizeof(log), "%s/%s.log", tui->desk.runs_folder,
				tui->desk.run->run_id);
			tui_test_detached(tui->test);
			guard_detach(0, log);
		}
		if (poll(fds, 3, 1000) < 0 && errno != EINTR)
			break;
		take_signals(tui, signal_fd);
		take_view(tui);
		tui_desk_serve(tui);
	}
	take_view(tui);
	if (tui->desk.run && *tui->desk.run->save_fault) {
		str_format(log, sizeof(log), "the result could not be saved: %s",
			tui->desk.run->save_fault);
		output_complain(log);
	}
}
