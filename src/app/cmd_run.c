/* run: checks everything that can be checked first, then runs one test to its end. */
#include "app/cmd_run.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "app/conduct.h"
#include "app/guard.h"
#include "app/output.h"
#include "app/published.h"
#include "app/write_ask.h"
#include "base/str.h"
#include "result/run_json.h"
#include "result/store.h"
#include "sim/backend.h"
#include "sweep/load.h"
#include "sweep/method.h"
#include "sweep/scratch.h"
#include "sweep/target.h"

struct headless {
	struct session *session;
	struct workload *workload;
	const struct method_ops *method;
	struct options options;
	struct gate_consent consent;
	uint64_t size; /* --size; 0 not given */
	const char *const *targets;
	size_t target_count;
	const char *folder; /* of runs; NULL: cannot be made, and -o was given */
	const struct inventory *inventory;
	struct runner *runner;
	struct sim_backend_options simulated;
	struct conduct conduct;
	char output[PATH_MAX]; /* -o; absolute, for a run that leaves its folder; "" none */
};

/* ---- before the test ------------------------------------------------------------------------- */

static int read_options(struct headless *run, struct err *err)
{
	const struct cli *cli = run->session->cli;

	options_defaults(&run->options);
	if (strcmp(run->session->settings.backend, "auto") != 0) {
		const int rc = options_set_value(
			&run->options, "backend", run->session->settings.backend, err);

		if (rc)
			return rc;
	}
	for (size_t i = 0; i < cli->set_count; i++) {
		char key[64];
		const int rc = options_set(&run->options, cli->sets[i], err);

		if (rc)
			return rc;
		str_copy(key, sizeof(key), cli->sets[i]);
		key[strcspn(key, "=")] = '\0';
		str_trim(key);

		const struct option_row *row = options_find(key);

		if (row && !options_row_applies(row, run->method->name))
			return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
				"%s is a parameter of %s, not of the method %s", row->key,
				row->methods, run->method->name);
	}
	if (cli->given[CLI_SIZE]) {
		int rc = units_parse_size(cli->value[CLI_SIZE], &run->size, err);

		if (!rc && !run->size)
			rc = err_set_exit(err, ERR_EXIT_USAGE, -EINVAL, "0 bytes are no target");
		if (rc)
			return err_prefix(err, rc, "--size");
	}
	return 0;
}

/* Everything of the command line, before anything is opened or made. */
static int check_command(struct headless *run, struct err *err)
{
	const struct cli *cli = run->session->cli;
	int rc = workload_load(cli->operands[0], &run->workload, err);

	if (rc)
		return rc;
	run->method = method_find(cli->given[CLI_METHOD] ? cli->value[CLI_METHOD] : "fixed", err);
	if (!run->method)
		return err->code;
	rc = read_options(run, err);
	if (rc)
		return rc;
	rc = write_ask_consent(cli, &run->consent, err);
	if (rc)
		return rc;
	if (cli->given[CLI_OUTPUT]) {
		rc = output_check_path(cli->value[CLI_OUTPUT], err);
		if (!rc)
			rc = output_absolute(
				cli->value[CLI_OUTPUT], run->output, sizeof(run->output), err);
		if (rc)
			return rc;
	}
	rc = session_runs_folder(run->session, &run->folder, err);
	if (rc && cli->given[CLI_OUTPUT] && !cli->given[CLI_DETACH]) {
		output_complain(err->text);
		err_clear(err);
		run->folder = NULL;
		rc = 0;
	}
	return rc;
}

static bool is_file_name(const char *name)
{
	struct stat st;

	if (!stat(name, &st))
		return S_ISREG(st.st_mode);
	return strchr(name, '/') && !str_starts_with(name, "/dev/");
}

/* Drives are looked up in the inventory; files need none, and the test starts at once. */
static int read_inventory(struct headless *run, struct err *err)
{
	if (run->session->cli->given[CLI_DEMO])
		return session_snapshot(run->session, &run->inventory, err);
	for (size_t i = 0; i < run->target_count; i++) {
		if (!is_file_name(run->targets[i]))
			return session_snapshot(run->session, &run->inventory, err);
	}
	return 0;
}

static bool scratch_progress(void *user, uint64_t done, uint64_t total)
{
	struct headless *run = user;
	char text[96], bytes[2][32];

	conduct_signals(&run->conduct);
	str_format(text, sizeof(text), "writing the target: %s of %s",
		units_bytes_iec(bytes[0], sizeof(bytes[0]), done),
		units_bytes_iec(bytes[1], sizeof(bytes[1]), total));
	progress_show(&run->conduct.progress, text);
	return !run->conduct.stopped;
}

/* A file that the test could not use is not written first. */
static int check_size(const struct headless *run, const char *name, struct err *err)
{
	char size[32], block[32];
	struct io_load load;
	uint64_t most;

	sweep_load_build(run->workload, &run->options, &load);
	most = io_load_max_block(&load);
	if (run->size >= most && run->options.offset_bytes <= run->size - most)
		return 0;
	return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
		"%s: a file of %s has no room for a block of %s%s", name,
		units_block_size(size, sizeof(size), run->size),
		units_block_size(block, sizeof(block), most),
		run->options.offset_bytes ? " behind offset_bytes" : "");
}

static int make_target(struct headless *run, const char *name, struct err *err)
{
	struct stat st;
	bool created;
	int rc;

	if (str_starts_with(name, "demo:"))
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"%s is a simulated drive: start with --demo, without --size", name);
	if (!stat(name, &st) && !S_ISREG(st.st_mode))
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"%s: --size makes regular files, and this is %s", name,
			S_ISDIR(st.st_mode) ? "a folder" : "a device or special file");
	if (str_starts_with(name, "/dev/") && !str_starts_with(name, "/dev/shm/"))
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"%s: --size makes regular files, which do not belong under /dev", name);
	if (run->inventory && !strchr(name, '/') && inventory_find_namespace(run->inventory, name))
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"%s is a drive; --size is for files (write ./%s for a file of that name)",
			name, name);
	rc = stat(name, &st) ? check_size(run, name, err) : 0;
	if (rc)
		return rc;
	return scratch_create(
		name, run->size, run->options.seed, scratch_progress, run, &created, err);
}

/* A plain name that is no drive is looked for among the drives by the runner, which says what there
 * is; with --size it is a file to be made. */
static int prepare_targets(struct headless *run, struct err *err)
{
	int rc = read_inventory(run, err);

	for (size_t i = 0; i < run->target_count && !rc && run->size; i++)
		rc = make_target(run, run->targets[i], err);
	progress_clear(&run->conduct.progress);
	return rc;
}

/* ---- the test -------------------------------------------------------------------------------- */

/* Said when nothing speaks against it any more, and before the first byte. */
static void announce(void *user)
{
	const struct headless *run = user;
	const struct write_question question = {
		.method = run->method->name,
		.options = &run->options,
		.workload = run->workload,
		.target_count = run->target_count,
	};

	write_ask_announce(&question, run->targets, run->inventory);
}

static int start(struct headless *run, struct err *err)
{
	/* Somebody may watch a run that was sent away: simulated drives keep step with the clock on
	 * the wall, as on the screen. */
	const bool paced = run->session->cli->given[CLI_DETACH];

	run->simulated.time_factor = run->options.time_factor;

	const struct runner_config config = {
		.workload = run->workload,
		.method = run->method->name,
		.targets = run->targets,
		.target_count = run->target_count,
		.options = run->options,
		.inventory = run->inventory,
		.jobs = run->session->jobs,
		.transport = run->session->transport,
		.simulated_backend = &sim_backend,
		.simulated_data = paced ? &run->simulated : NULL,
		.paced = paced,
		.runs_folder = run->folder,
		.consent = run->consent,
		.admitted = announce,
		.admitted_user = run,
	};

	return runner_start(&config, &run->runner, err);
}

static int print_result(struct headless *run, const struct run *result, struct err *err)
{
	const struct cli *cli = run->session->cli;
	struct text_style style;
	struct strbuf out = {0};
	int rc = 0;

	if (*run->output) {
		rc = store_export(result, run->output, err);
		if (!rc && !strcmp(run->output, "-"))
			return 0;
	}
	if (guard_detached())
		return rc;
	if (cli->given[CLI_DETACH]) { /* it was over before it could be sent away */
		const int named = conduct_announce(&run->conduct, result->id, rc ? NULL : err);

		return rc ? rc : named;
	}
	/* The result is printed even when the file could not be written. */
	int printed;

	if (cli->given[CLI_JSON]) {
		printed = output_json(run_to_json(result), rc ? NULL : err);
	} else {
		output_style(&run->session->settings, &style);
		published_run_text(result, &style, &out);
		printed = output_text(&out, rc ? NULL : err);
	}
	return rc ? rc : printed;
}

static int finish(struct headless *run, struct err *err)
{
	const struct run *result;

	if (run->conduct.abandoned) {
		output_complain("gave up waiting for the drive; what was measured is kept, "
				"nvsweep results shows it as partial");
		return ERR_EXIT_PARTIAL;
	}
	result = runner_run(run->runner);

	const int rc = print_result(run, result, err);

	if (rc)
		return rc;
	if (run->conduct.view && *run->conduct.view->save_fault)
		return err_set(err, -EIO, "the result could not be saved: %s",
			run->conduct.view->save_fault);
	if (result->outcome == RUN_COMPLETE)
		return 0;

	const bool measured = result->point_count || result->search_count ||
		(result->series && series_count(result->series));

	if (result->outcome == RUN_STOPPED || measured)
		return ERR_EXIT_PARTIAL;
	return err_set(err, -EIO, "the test was aborted: %s",
		*result->reason ? result->reason : "nothing was measured");
}

int cmd_run(struct session *session, struct err *err)
{
	struct headless run = {
		.session = session,
		.targets = session->cli->operands + 1,
		.target_count = session->cli->operand_count - 1,
	};
	int rc = conduct_open(&run.conduct, session, session->cli->given[CLI_DETACH], err);

	if (rc)
		return rc;
	rc = check_command(&run, err);
	if (!rc)
		rc = prepare_targets(&run, err);
	if (!rc)
		rc = start(&run, err);
	if (!rc) {
		rc = conduct_run(&run.conduct, run.runner, run.folder, err);
		if (!rc)
			rc = finish(&run, err);
	}
	if (run.conduct.abandoned) {
		session->stuck = true; /* taking the runner apart would wait for the drive */
		return rc;
	}
	conduct_close(&run.conduct);
	if (run.runner)
		runner_destroy(run.runner);
	if (run.inventory)
		inventory_unref(run.inventory);
	if (run.workload)
		workload_free(run.workload);
	return rc;
}
