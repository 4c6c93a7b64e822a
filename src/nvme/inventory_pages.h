/* The pages of all controllers for the inventory: which are due, the one command that is out per
 * controller, and the last good content of each. Owned by the inventory's thread; only page_job_run
 * is on a controller's job thread. */
#ifndef NVME_INVENTORY_PAGES_H
#define NVME_INVENTORY_PAGES_H

#include "nvme/inventory.h"
#include "nvme/page_slot.h"

struct tracked_namespace {
	uint32_t nsid;
	bool wanted; /* while sorting out which are still there */
	bool once;   /* the kernel has no node for it: not polled */
	struct page_slot slot;
	struct identify_namespace identify;
};

struct page_job;
struct tracked {
	struct topology_controller topo; /* as last seen */
	uint64_t id; /* results for another drive of the same name are dropped */
	bool seen;
	struct page_slot identify_slot, smart_slot, list_slot, environment_slot;
	struct identify_controller identify;
	struct smart smart;
	uint8_t identify_raw[NVME_IDENTIFY_BYTES], smart_raw[NVME_SMART_BYTES];
	bool smart_clears; /* answers RAE = 1 with zeros */
	struct environment env;
	uint32_t *nsids;
	size_t nsid_count;
	struct tracked_namespace *namespaces;
	size_t namespace_count;
	struct page_job *out; /* the command in flight, NULL: none */
};

struct pages {
	struct transport *transport;
	struct jobs *jobs;
	struct jobs_client *client;
	unsigned smart_s;
	uint64_t last_id;
	struct tracked **controllers;
	size_t controller_count;
};

/* Fits the tracked controllers and namespaces to the topology. */
void pages_follow(struct pages *pages, const struct topology *topology);
/* Sends the next due command of each controller that has none out. True: something changed. */
bool pages_submit(struct pages *pages, uint64_t now_ns);
/* Takes in what has been answered. True: something changed. */
bool pages_collect(struct pages *pages, const struct topology *topology, uint64_t now_ns);
/* Everything that may be asked again becomes due. */
void pages_refresh(struct pages *pages);
void pages_set_period(struct pages *pages, unsigned smart_s);
/* Nothing is out and nothing is due. */
bool pages_settled(const struct pages *pages, uint64_t now_ns);
/* Some page is shown as waiting: its age changes. */
bool pages_waiting(const struct pages *pages, uint64_t now_ns);
/* When the next page becomes due; PAGE_NEVER. */
uint64_t pages_next_due(const struct pages *pages);
void pages_free(struct pages *pages);

struct tracked *pages_find(const struct pages *pages, const char *controller);
const struct tracked_namespace *pages_find_namespace(const struct tracked *tracked, uint32_t nsid);
/* The controller through which to ask for a namespace: a live one if there is any; "" for none. */
const char *pages_reader(const struct topology *topology, const struct topology_namespace *ns);
/* Is there a kernel node for this NSID of the controller? */
bool pages_has_node(const struct topology *topology, const char *controller, uint32_t nsid);

#endif
