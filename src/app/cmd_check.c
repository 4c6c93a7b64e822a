/* check: one target read for at most a minute, and what that says of it. */
#include "app/cmd_check.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "app/conduct.h"
#include "app/guard.h"
#include "app/output.h"
#include "base/str.h"
#include "report/check_text.h"
#include "sim/backend.h"
#include "sweep/method_check.h"
#include "sweep/runner.h"

struct headless_check {
	struct session *session;
	struct workload *workload;
	struct options options;
	const char *target;
	const char *folder; /* of runs */
	const struct inventory *inventory;
	struct runner *runner;
	struct conduct conduct;
};

static int read_options(struct headless_check *check, struct err *err)
{
	const struct cli *cli = check->session->cli;
	int rc = 0;

	check_options(&check->options);
	if (strcmp(check->session->settings.backend, "auto") != 0)
		rc = options_set_value(
			&check->options, "backend", check->session->settings.backend, err);
	for (size_t i = 0; i < cli->set_count && !rc; i++)
		rc = options_set(&check->options, cli->sets[i], err);
	return rc;
}

/* A file needs no list of drives; the check of it starts at once. */
static bool is_file(const char *name)
{
	struct stat st;

	return !stat(name, &st) && S_ISREG(st.st_mode);
}

/* A controller stands for its first namespace. */
static void choose_namespace(struct headless_check *check)
{
	const char *name = check->target;
	const char *word = str_starts_with(name, "/dev/") ? name + 5 : name;
	const struct inventory *inventory = check->inventory;
	const struct inventory_controller *controller =
		inventory ? inventory_find_controller(inventory, word) : NULL;

	for (size_t i = 0; controller && i < inventory->namespace_count; i++) {
		const struct inventory_namespace *ns = &inventory->namespaces[i];

		if (!ns->topo.name[0] || ns->no_sweep[0] || !inventory_namespace_of(ns, controller))
			continue;
		check->target = ns->topo.name;
		return;
	}
}

static int start(struct headless_check *check, struct err *err)
{
	const struct runner_config config = {
		.workload = check->workload,
		.method = CHECK_METHOD,
		.targets = &check->target,
		.target_count = 1,
		.options = check->options,
		.inventory = check->inventory,
		.jobs = check->session->jobs,
		.transport = check->session->transport,
		.simulated_backend = &sim_backend,
		.runs_folder = check->folder,
	};

	return runner_start(&config, &check->runner, err);
}

static int prepare(struct headless_check *check, struct err *err)
{
	int rc = read_options(check, err);

	if (!rc)
		rc = check_workload(&check->workload, err);
	if (!rc)
		rc = session_runs_folder(check->session, &check->folder, err);
	if (!rc && (check->session->cli->given[CLI_DEMO] || !is_file(check->target)))
		rc = session_snapshot(check->session, &check->inventory, err);
	if (rc)
		return rc;
	choose_namespace(check);
	return start(check, err);
}

static int print(const struct headless_check *check, struct err *err)
{
	const struct run *run = runner_run(check->runner);
	const struct runner_view *view = check->conduct.view;
	const char *path = view ? view->saved_path : "";
	struct text_style style;
	struct strbuf out = {0};
	struct check judged;
	int rc;

	check_judge(run, &judged);
	if (guard_detached()) /* nobody is there to read it; it is saved */
		return (int)judged.verdict;
	if (check->session->cli->given[CLI_JSON]) {
		rc = output_json(check_json(run, &judged, path), err);
	} else {
		output_style(&check->session->settings, &style);
		check_text(run, &judged, &style, &out);
		if (path[0])
			strbuf_addf(&out, "  saved: %s\n", run->id);
		rc = output_text(&out, err);
	}
	if (rc)
		return rc;
	if (view && *view->save_fault)
		return err_set(err, -EIO, "the check could not be saved: %s", view->save_fault);
	return (int)judged.verdict;
}

static int finish(struct headless_check *check, struct err *err)
{
	if (!check->conduct.abandoned)
		return print(check, err);
	output_complain("gave up waiting for the drive; what was measured is kept, nvsweep results "
			"shows it as partial");
	return HEALTH_UNKNOWN;
}

int cmd_check(struct session *session, struct err *err)
{
	struct headless_check check = {.session = session, .target = session->cli->operands[0]};
	int rc = conduct_open(&check.conduct, session, false, err);

	if (rc)
		return rc;
	rc = prepare(&check, err);
	if (!rc)
		rc = conduct_run(&check.conduct, check.runner, check.folder, err);
	if (!rc)
		rc = finish(&check, err);
	if (check.conduct.abandoned) {
		session->stuck = true; /* taking the runner apart would wait for the drive */
		return rc;
	}
	conduct_close(&check.conduct);
	if (check.runner)
		runner_destroy(check.runner);
	if (check.inventory)
		inventory_unref(check.inventory);
	workload_free(check.workload);
	return rc;
}
