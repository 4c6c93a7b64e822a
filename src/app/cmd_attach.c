/* attach: a run of another process as a progress line and its result; results --running. */
#include "app/cmd_attach.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "app/guard.h"
#include "app/output.h"
#include "app/progress.h"
#include "app/published.h"
#include "app/running.h"
#include "base/str.h"
#include "report/text_table.h"
#include "result/run_json.h"
#include "result/store.h"

/* So long a process may take to say what it does before the list says that it does not answer. */
#define PATIENCE_MS 1000

struct watch {
	struct session *session;
	struct attach *attach;
	struct progress progress;
	struct runner_view *view; /* the newest */
	int signal_fd;
	bool left; /* by Ctrl-C or another signal */
	bool ended;
};

/* ---- one run --------------------------------------------------------------------------------- */

static void take_signals(struct watch *watch)
{
	struct signalfd_siginfo info;

	while (read(watch->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGINT || info.ssi_signo == SIGTERM ||
			info.ssi_signo == SIGHUP)
			watch->left = true;
		if (info.ssi_signo == SIGTSTP) {
			progress_clear(&watch->progress);
			guard_suspend();
		}
	}
}

static void take_view(struct watch *watch)
{
	struct runner_view *view = attach_take(watch->attach);

	if (!view)
		return;
	progress_view(&watch->progress, view);
	runner_view_free(watch->view);
	watch->view = view;
	watch->ended = view->state == RUNNER_ENDED;
}

static void watch_to_the_end(struct watch *watch)
{
	while (!watch->left && !watch->ended && !attach_lost(watch->attach)) {
		struct pollfd fds[2] = {
			{.fd = watch->signal_fd, .events = POLLIN},
			{.fd = attach_fd(watch->attach), .events = POLLIN},
		};

		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			break;
		take_signals(watch);
		take_view(watch);
	}
	progress_clear(&watch->progress);
}

static int print_run(struct session *session, const struct run *run, struct err *err)
{
	struct strbuf out = {0};
	struct text_style style;

	if (session->cli->given[CLI_JSON])
		return output_json(run_to_json(run), err);
	output_style(&session->settings, &style);
	if (session->cli->given[CLI_STOP])
		strbuf_addf(&out, "%s: %s\n", run->id, run_outcome_name(run->outcome));
	else
		published_run_text(run, &style, &out);
	return output_text(&out, err);
}

/* From the saved file: it has more than the last picture. A process that died leaves its journal. */
static int print_result(struct watch *watch, const char *folder, const char *id, struct err *err)
{
	const bool wanted = watch->session->cli->given[CLI_STOP];
	struct store_entry entry;
	struct run *run;
	int rc;

	if (watch->ended && *watch->view->save_fault)
		return err_set(err, -EIO, "%s: %s, but not saved: %s", id,
			run_outcome_name(watch->view->outcome), watch->view->save_fault);
	rc = store_find(folder, id, &entry, err);
	if (!rc)
		rc = store_load(&entry, &run, err);
	if (rc)
		return rc;
	rc = print_run(watch->session, run, err);
	/* A dying process lets go of its socket before its journal. */
	if (!rc && !watch->ended && (entry.partial || entry.running))
		rc = err_set(err, -EIO, "%s: %s; what it had measured until then is kept", id,
			attach_lost(watch->attach));
	else if (!rc && run->outcome != RUN_COMPLETE && !(wanted && run->outcome == RUN_STOPPED))
		rc = ERR_EXIT_PARTIAL;
	run_free(run);
	return rc;
}

/* A process that has just ended is no fault: its result is there. */
static int ask(struct attach *attach, const char *command, struct err *err)
{
	const int rc = attach_send(attach, command, err);

	if (rc != -EPIPE && rc != -ECONNRESET)
		return rc;
	err_clear(err);
	return 0;
}

int cmd_attach(struct session *session, struct err *err)
{
	const struct cli *cli = session->cli;
	struct watch watch = {.session = session, .signal_fd = -1};
	struct running running;
	struct text_style style;
	const char *folder;
	char text[160];
	int rc = session_runs_name(session, &folder, err);

	if (!rc)
		rc = running_attach(folder, cli->operand_count ? cli->operands[0] : NULL, &running,
			&watch.attach, err);
	if (!rc)
		rc = ask(watch.attach, "watch", err);
	if (!rc && cli->given[CLI_STOP])
		rc = ask(watch.attach, "stop", err);
	if (!rc) {
		watch.signal_fd = guard_signal_fd(err);
		rc = watch.signal_fd < 0 ? watch.signal_fd : 0;
	}
	if (!rc) {
		output_style(&session->settings, &style);
		progress_open(&watch.progress, style.ascii);
		watch_to_the_end(&watch);
		if (watch.left) {
			str_format(text, sizeof(text), "left %s, which %s", running.id,
				cli->given[CLI_STOP] ? "has been asked to stop" : "goes on");
			output_complain(text);
			rc = ERR_EXIT_PARTIAL;
		} else {
			rc = print_result(&watch, folder, running.id, err);
		}
	}
	if (watch.signal_fd >= 0)
		close(watch.signal_fd);
	runner_view_free(watch.view);
	attach_close(watch.attach);
	return rc;
}

/* ---- the list -------------------------------------------------------------------------------- */

static double left_s(const struct runner_view *view)
{
	return fmax(0, view->total_s - view->elapsed_s); /* NaN stays */
}

static struct json *running_json(const struct running *list, size_t count)
{
	struct json *document = output_document("running");
	struct json *runs = json_array();
	char time[32];

	for (size_t i = 0; i < count; i++) {
		const struct running *r = &list[i];
		const struct runner_view *view = r->view;
		struct json *run = json_object();

		json_set_string(run, "run_id", r->id);
		json_set_string(run, "target", *r->target ? r->target : NULL);
		json_set_string(run, "workload", *r->workload ? r->workload : NULL);
		json_set_string(run, "method", *r->method ? r->method : NULL);
		json_set_string(run, "started",
			r->started ? units_iso_time(time, sizeof(time), r->started) : NULL);
		if (r->pid)
			json_set_i64(run, "pid", r->pid);
		else
			json_set_null(run, "pid");
		if (!view) {
			json_set_error(run, "now", r->fault);
			json_add(runs, run);
			continue;
		}
		json_set_bool(run, "detached", r->detached);
		json_set_bool(run, "simulated", view->simulated);

		struct json *now = json_object();

		json_set_string(now, "phase", view->phase);
		json_set_bool(now, "paused", view->state == RUNNER_PAUSED);
		json_set_u64(now, "step", view->step);
		json_set_u64(now, "step_count", view->step_count);
		json_set_double(now, "elapsed_s", view->elapsed_s);
		json_set_double(now, "left_s", left_s(view));
		json_set_double(now, "iops", view->has_current ? view->current.iops : NAN);
		json_set(run, "now", now);
		json_add(runs, run);
	}
	json_set(document, "runs", runs);
	return document;
}

static void running_text(const struct running *list, size_t count, const struct text_style *style,
	struct strbuf *out)
{
	static const struct text_column columns[] = {
		{.title = "RUN"},
		{.title = "TARGET"},
		{.title = "WORKLOAD"},
		{.title = "WHAT IT DOES", .shrink_to = 16},
		{.title = "ELAPSED", .right = true},
		{.title = "LEFT", .right = true},
		{.title = "PROCESS", .right = true},
	};
	struct text_table table;
	char doing[256], elapsed[32], left[32], process[32], target[200];

	text_table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < count; i++) {
		const struct running *r = &list[i];
		const struct runner_view *view = r->view;

		str_copy(doing, sizeof(doing), view ? view->phase : r->fault);
		str_copy(elapsed, sizeof(elapsed), "-");
		str_copy(left, sizeof(left), "-");
		str_copy(process, sizeof(process), "-");
		if (view && view->state == RUNNER_PAUSED)
			str_append(doing, sizeof(doing), ", paused");
		if (view)
			units_clock(elapsed, sizeof(elapsed), view->elapsed_s);
		if (view && isfinite(view->total_s))
			units_clock(left, sizeof(left), left_s(view));
		if (r->pid)
			str_format(process, sizeof(process), "%d", (int)r->pid);
		str_format(target, sizeof(target), "%s%s",
			view && view->simulated ? "SIMULATED " : "", *r->target ? r->target : "-");
		text_table_add(&table,
			(const char *const[]){r->id, target, *r->workload ? r->workload : "-",
				doing, elapsed, left, process});
	}
	text_table_print(&table, style, out);
	text_table_free(&table);
}

int cmd_results_running(struct session *session, struct err *err)
{
	struct running *list;
	struct text_style style;
	struct strbuf out = {0};
	const char *folder;
	size_t count;
	int rc = session_runs_name(session, &folder, err);

	if (!rc)
		rc = running_list(folder, PATIENCE_MS, &list, &count, err);
	if (rc)
		return rc;
	if (session->cli->given[CLI_JSON]) {
		rc = output_json(running_json(list, count), err);
	} else {
		output_style(&session->settings, &style);
		if (count)
			running_text(list, count, &style, &out);
		else
			strbuf_add(&out, "no run is being measured\n");
		rc = output_text(&out, err);
	}
	running_free(list, count);
	return rc;
}
