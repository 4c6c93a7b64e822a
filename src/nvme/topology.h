/* Controllers, subsystems, namespaces, heads and paths, from sysfs alone (DESIGN 4, Topology).
 *
 * topology_read opens no device: it works without root and cannot hang. Follows links, never
 * guesses from names (a folder nvme1/ may hold nvme4c1n1). Absent attributes leave "" or -1.
 * All strings are sanitised; EUI-64 and NGUID are plain hex digits. The tree is immutable after reading; any thread.
 */
#ifndef NVME_TOPOLOGY_H
#define NVME_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct topology_path { /* one way from a head to a controller */
	char name[32]; /* hidden node "nvme1c2n1"; "" when the kernel shows none */
	char controller[32];
	char ana_state[24];  /* "optimized"... (also without ANA: so the kernel uses it) */
	char numa_nodes[32]; /* "0-1" */
};

struct topology_namespace {
	char name[32];    /* block node "nvme1n1"; "" when there is only a generic node */
	char generic[32]; /* "ng1n1" */
	uint32_t nsid;    /* 0 not known: some kernels do not tell it for a generic node */
	char subsystem[32];
	char controller[32]; /* of a namespace without multipath; "" for a head */
	bool multipath;
	struct topology_path *paths;
	size_t path_count;
	uint64_t size_bytes; /* sysfs size x 512; 0 for formats without a block device */
	uint32_t lba_bytes;  /* 0 not known */
	uint32_t metadata_bytes;
	bool read_only;
	char eui64[24], nguid[40], uuid[40]; /* "" when absent or all zero */
	uint32_t major, minor;
};

struct topology_controller {
	char name[32];
	char model[48], serial[24], firmware[12];
	char transport[12]; /* pcie, tcp, rdma, fc, loop, apple-nvme */
	char address[128];  /* PCI address, or traddr=...,trsvcid=... */
	char state[24];     /* live, resetting, connecting, deleting, dead...; "" not reported */
	char subsystem[32]; /* nvme-subsys0 */
	char nqn[256];
	char controller_type[16]; /* io, discovery, admin; "" */
	int cntlid, numa_node;    /* -1 not reported */
	int queue_count, sqsize;  /* -1 not reported */
	bool node_visible;        /* /dev/nvmeX exists */
};

struct topology {
	struct topology_controller *controllers; /* natural order */
	size_t controller_count;
	struct topology_namespace *namespaces; /* by controller or subsystem, then nsid */
	size_t namespace_count;
	bool class_missing; /* no /sys/class/nvme: no driver or no devices */
};

/* sysfs_root "" and dev_root "" for the running system. A missing /sys/class/nvme is an empty
 * topology with class_missing set, not an error. */
int topology_read(
	const char *sysfs_root, const char *dev_root, struct topology **out, struct err *err);
void topology_free(struct topology *topology);
const struct topology_controller *topology_find_controller(
	const struct topology *t, const char *name);
/* Does the namespace belong to the controller, or has it a path through it? */
bool topology_namespace_on(const struct topology_namespace *ns, const char *controller);
/* The one test for sending admin commands: state is "live" (or not reported). */
bool topology_controller_live(const struct topology_controller *controller);
/* The same content. Both come from topology_read or a transport that zeroes what it makes. */
bool topology_equal(const struct topology *a, const struct topology *b);

#endif
