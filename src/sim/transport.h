/* Simulated drives as the inventory sees them: raw pages, topology, environment, statistics.
 * Answers at once; any thread. */
#ifndef SIM_TRANSPORT_H
#define SIM_TRANSPORT_H

#include "nvme/transport.h"
#include "sim/fleet.h"

/* The fleet is borrowed and outlives the transport. */
int sim_transport_create(struct sim_fleet *fleet, struct transport **out, struct err *err);

#endif
