/* A fleet of simulated drives, read from configs/fleets/NAME.ini (or the user's) or a file. */
#ifndef SIM_FLEET_H
#define SIM_FLEET_H

#include "base/clock.h"
#include "sim/drive.h"

#define SIM_FLEET_DRIVES_MAX 32

struct sim_fleet {
	char name[64], title[80], help[256];
	struct clock clock; /* of the background load */
	struct sim_drive *drives;
	size_t drive_count;
};

/* name: of an asset ("demo"), or a path to a file (anything with a '/'). seed: of the background
 * load and of where data lies. clock (copied): real or scaled for the screen; free-running (stands
 * at 0) for headless commands, whose output then repeats. Faults are "FILE:LINE: sentence",
 * ERR_EXIT_USAGE. */
int sim_fleet_load(const char *name, uint64_t seed, const struct clock *clock,
	struct sim_fleet **out, struct err *err);
/* No test may run on its drives any more. */
void sim_fleet_free(struct sim_fleet *fleet);

/* NULL: none. A namespace also by its drive's name: the first one. */
struct sim_drive *sim_fleet_drive(const struct sim_fleet *fleet, const char *name);
struct sim_namespace *sim_fleet_namespace(const struct sim_fleet *fleet, const char *name);
/* The same for a target's name, "demo:" in front allowed; unknown names get a sentence with the
 * nearest one, ERR_EXIT_USAGE. */
int sim_fleet_find(const struct sim_fleet *fleet, const char *name, struct sim_namespace **out,
	struct err *err);

#endif
