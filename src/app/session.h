/* What one invocation works with: settings, job threads, transport, inventory, folder of runs; each
 * is made when first asked for (DESIGN 2, app). Main thread. */
#ifndef APP_SESSION_H
#define APP_SESSION_H

#include "app/cli.h"
#include "base/jobs.h"
#include "conf/settings.h"
#include "nvme/inventory.h"
#include "nvme/transport.h"
#include "sim/fleet.h"

struct session {
	const struct cli *cli; /* borrowed */
	struct settings settings;
	struct jobs *jobs;
	struct transport *transport;
	struct sim_fleet *fleet; /* of --demo: what the transport shows; else NULL */
	struct inventory_service *inventory;
	char source[192];      /* "", "replay of FILE", "SIMULATED fleet NAME" */
	char runs_folder[512]; /* "" until session_runs_folder */
	bool stuck;            /* a test hangs in a drive: nothing may be taken apart any more */
};

/* Settings with --config and --theme on top, and the debug file. No threads yet. */
int session_open(const struct cli *cli, struct session *out, struct err *err);
/* Never waits for a drive; does nothing when stuck. */
void session_close(struct session *session);

/* The terminal program on a terminal, by itself or to watch a run. */
bool session_on_screen(const struct session *session);
/* The drives of this machine, of the capture of --replay, or simulated ones of --demo. A damaged capture that still holds
 * something is said on standard error. */
int session_transport(struct session *session, struct err *err);
/* Starts the inventory; rates_ms and smart_s as in inventory_config. */
int session_inventory(
	struct session *session, unsigned rates_ms, unsigned smart_s, struct err *err);
/* For headless commands: starts the inventory when needed and waits for the pages, at most the
 * admin timeout of the settings. Caller unrefs. */
int session_snapshot(struct session *session, const struct inventory **out, struct err *err);
/* The folder of runs: its name for reading (it may not be there), or made when needed. */
int session_runs_name(struct session *session, const char **out, struct err *err);
int session_runs_folder(struct session *session, const char **out, struct err *err);

#endif
