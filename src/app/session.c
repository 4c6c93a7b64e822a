/* Wires settings, transports, job threads and the inventory, each when it is first needed. */
#include "app/session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/output.h"
#include "base/file.h"
#include "base/log.h"
#include "base/str.h"
#include "base/units.h"
#include "nvme/capture.h"
#include "nvme/libnvme.h"
#include "result/store.h"
#include "sim/transport.h"
#include "tui/theme.h"

/* Of the background load of simulated drives. */
#define FLEET_SEED 1

int session_open(const struct cli *cli, struct session *out, struct err *err)
{
	struct theme theme;

	*out = (struct session){.cli = cli};

	int rc = cli->given[CLI_DEBUG] ? log_open(cli->value[CLI_DEBUG], err) : 0;

	if (!rc)
		rc = settings_load(&out->settings, cli->value[CLI_CONFIG], err);
	if (!rc && cli->given[CLI_THEME]) {
		rc = settings_set(&out->settings, "display", "theme", cli->value[CLI_THEME], err);
		/* wherever it is given, not only where it is used */
		if (!rc)
			rc = theme_load(out->settings.theme, 256, &theme, err);
		if (rc)
			err_prefix(err, rc, "--theme");
	}
	log_info("nvsweep " NVSWEEP_VERSION ", command \"%s\"", cli_commands[cli->command].name);
	return rc;
}

void session_close(struct session *session)
{
	if (session->stuck)
		return;
	if (session->inventory)
		inventory_stop(session->inventory);
	if (session->jobs)
		jobs_destroy(session->jobs);
	transport_destroy(session->transport);
	sim_fleet_free(session->fleet);
	*session = (struct session){0};
}

static int session_jobs(struct session *session, struct err *err)
{
	return session->jobs ? 0 : jobs_create(&session->jobs, err);
}

bool session_on_screen(const struct session *session)
{
	const struct cli *cli = session->cli;

	if (cli->given[CLI_PLAIN])
		return false;
	if (cli->command == CLI_ATTACH)
		return !cli->given[CLI_JSON] && !cli->given[CLI_STOP] && isatty(STDIN_FILENO) &&
			isatty(STDOUT_FILENO);
	return cli->command == CLI_PROGRAM;
}

/* The seed of a test is that of the drives too: what such a command prints repeats from it. */
static uint64_t fleet_seed(const struct cli *cli)
{
	uint64_t seed = 0, given;

	for (size_t i = 0; i < cli->set_count; i++) {
		const char *text = cli->sets[i];

		if (str_starts_with(text, "seed=") && !units_parse_u64(text + 5, &given, NULL))
			seed = given;
	}
	return seed ? seed : FLEET_SEED;
}

static int transport_simulated(struct session *session, struct err *err)
{
	const char *name = session->cli->value[CLI_DEMO];
	struct clock clock;
	int rc;

	/* On the screen time passes; a command sees one moment, always the same. */
	if (session_on_screen(session))
		clock_init_real(&clock);
	else
		clock_init_free(&clock);
	rc = sim_fleet_load(
		name ? name : "demo", fleet_seed(session->cli), &clock, &session->fleet, err);
	if (rc)
		return err_prefix(err, rc, "--demo");
	str_format(session->source, sizeof(session->source), "SIMULATED fleet %s",
		session->fleet->name);
	return sim_transport_create(session->fleet, &session->transport, err);
}

int session_transport(struct session *session, struct err *err)
{
	const char *replay = session->cli->value[CLI_REPLAY];
	char warning[512] = "", name[128];

	if (session->transport)
		return 0;
	if (session->cli->given[CLI_DEMO])
		return transport_simulated(session, err);
	if (!replay)
		return transport_libnvme_create("", "", &session->transport, err);

	const int rc =
		transport_capture_open(replay, &session->transport, warning, sizeof(warning), err);

	if (rc)
		return rc;
	str_sanitize_utf8(name, sizeof(name), replay);
	str_format(session->source, sizeof(session->source), "replay of %s%s", name,
		session->transport->ops->simulated ? ", SIMULATED" : "");
	if (*warning) {
		/* The terminal program shows it as part of the source. */
		if (session_on_screen(session)) {
			str_append(session->source, sizeof(session->source), ", damaged");
		} else {
			output_complain(warning);
		}
		log_warn("%s", warning);
	}
	return 0;
}

int session_inventory(struct session *session, unsigned rates_ms, unsigned smart_s, struct err *err)
{
	if (session->inventory)
		return 0;

	int rc = session_transport(session, err);

	if (!rc)
		rc = session_jobs(session, err);
	if (rc)
		return rc;

	const bool live = session->transport->ops->live;
	const struct inventory_config config = {
		.transport = session->transport,
		.sysfs_root = "",
		.dev_root = "",
		.block_devices = live && !session->fleet && session->settings.show_block_devices,
		.rates_ms = live ? rates_ms : 0,
		.smart_s = live ? smart_s : 0,
		.source = session->source,
	};

	return inventory_start(&config, session->jobs, &session->inventory, err);
}

int session_snapshot(struct session *session, const struct inventory **out, struct err *err)
{
	const int rc = session_inventory(session, 0, 0, err);

	*out = NULL;
	if (rc)
		return rc;
	*out = inventory_wait(
		session->inventory, (unsigned)session->settings.admin_timeout_s * 1000);
	return *out ? 0 : err_set(err, -ETIMEDOUT, "the list of drives could not be read in time");
}

int session_runs_name(struct session *session, const char **out, struct err *err)
{
	if (!*session->runs_folder) {
		char name[sizeof(session->runs_folder)];
		int rc = store_folder_name(session->settings.runs_folder, name, sizeof(name), err);

		/* A run may leave the folder it was started in. */
		if (!rc)
			rc = output_absolute(
				name, session->runs_folder, sizeof(session->runs_folder), err);

		if (rc) {
			session->runs_folder[0] = '\0';
			return rc;
		}
	}
	*out = session->runs_folder;
	return 0;
}

int session_runs_folder(struct session *session, const char **out, struct err *err)
{
	int rc = session_runs_name(session, out, err);

	if (!rc)
		rc = file_make_dirs(*out, err);
	return rc ? err_prefix(err, rc, "runs cannot be saved") : 0;
}
