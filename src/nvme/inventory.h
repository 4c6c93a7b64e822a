/* Everything known about the machine's drives: transports merged into immutable snapshots.
 *
 * An inventory owns one thread that rescans sysfs and statistics and sends page reads to the
 * controllers' job threads; it never waits for a drive. Consumers subscribe a mailbox and get
 * reference-counted snapshots.
 */
#ifndef NVME_INVENTORY_H
#define NVME_INVENTORY_H

#include "base/jobs.h"
#include "base/mailbox.h"
#include "block/blockdev.h"
#include "block/iostat.h"
#include "nvme/environment.h"
#include "nvme/health.h"
#include "nvme/identify.h"
#include "nvme/smart.h"
#include "nvme/topology.h"
#include "nvme/transport.h"

enum page_state {
	PAGE_NONE,    /* not asked for yet */
	PAGE_WAITING, /* asked; waiting_ns tells how long */
	PAGE_OK,
	PAGE_REFUSED, /* the controller said no: text has the decoded status */
	PAGE_FAILED,  /* could not be asked: text says why and how to get access */
	PAGE_EMPTY,   /* the drive returned an empty page */
};
struct page_info {
	enum page_state state;
	char text[192];
	int64_t read_at;     /* wall clock of the last good content, 0 never; content is kept when a
				later read fails */
	uint64_t waiting_ns; /* how long the command has been out, at the time of the snapshot */
};

struct inventory_controller {
	struct topology_controller topo; /* model, serial, firmware fall back to Identify's */
	bool simulated, replayed;
	struct page_info identify_info, smart_info, list_info;
	struct identify_controller identify; /* valid when identify_info.read_at != 0 */
	struct smart smart;                  /* valid when smart_info.read_at != 0 */
	uint8_t identify_raw[NVME_IDENTIFY_BYTES], smart_raw[NVME_SMART_BYTES];
	uint32_t *nsids; /* active namespaces as the controller lists them */
	size_t nsid_count;
	struct environment env;
	struct health health;
	uint64_t busy_ns; /* an admin command has been out for so long; 0 none */
};

struct inventory_namespace {
	struct topology_namespace topo;
	size_t controller_index; /* the owner, or a path's controller; SIZE_MAX none */
	bool simulated, replayed;
	struct page_info identify_info;
	struct identify_namespace identify; /* valid when identify_info.read_at != 0 */
	/* merged view: sysfs, else Identify */
	bool size_known, used_known;
	u128 size_bytes, used_bytes;
	uint32_t lba_bytes, metadata_bytes; /* 0 not known */
	bool metadata_extended;
	bool read_only;     /* sysfs ro or write-protected */
	char no_sweep[128]; /* "" or why it cannot be a target */
	bool geometry_known;
	struct blockdev geometry;
	struct iostat_rates rates;
};

struct inventory_block_device { /* other targets: not NVMe */
	struct blockdev geometry;
	char remark[96]; /* "USB bridge - NVMe commands not available" or "" */
	struct iostat_rates rates;
};

struct inventory {
	uint64_t generation; /* grows with every change of content */
	char source[192];    /* "" live; "replay of FILE"; "SIMULATED fleet NAME" */
	char notice[256];    /* why the list is empty or poor, one sentence; "" else */
	struct inventory_controller *controllers;
	size_t controller_count;
	struct inventory_namespace *namespaces;
	size_t namespace_count;
	struct inventory_block_device *block_devices;
	size_t block_device_count;
	bool settled; /* every page asked for has been answered, refused or given up */
	/* internal */
	_Atomic unsigned references;
};

struct inventory_config {
	struct transport *transport;       /* borrowed; outlives the inventory */
	const char *sysfs_root, *dev_root; /* "" */
	bool block_devices;                /* list other block devices too (live transport) */
	unsigned rates_ms;                 /* period of rates and rescan; 0: scan once */
	unsigned smart_s;                  /* period of SMART; 0: read once */
	const char *source;
};

struct inventory_service;

int inventory_start(const struct inventory_config *config, struct jobs *jobs,
	struct inventory_service **out, struct err *err);
/* Never waits for a drive. */
void inventory_stop(struct inventory_service *service);
/* box (mailbox_init with inventory_release) gets a snapshot whenever content changed; the newest
 * one at once. */
void inventory_subscribe(struct inventory_service *service, struct mailbox *box);
void inventory_unsubscribe(struct inventory_service *service, struct mailbox *box);
/* Waits until a snapshot is settled or timeout_ms passed; then pages still out are PAGE_WAITING.
 * For headless commands. Caller unrefs. */
const struct inventory *inventory_wait(struct inventory_service *service, unsigned timeout_ms);
/* Ask again: rescan and read SMART now (not for pages still out). Any thread. */
void inventory_refresh(struct inventory_service *service);
void inventory_set_periods(struct inventory_service *service, unsigned rates_ms, unsigned smart_s);

const struct inventory *inventory_ref(const struct inventory *inventory);
void inventory_unref(const struct inventory *inventory);
void inventory_release(void *inventory); /* unref, for mailboxes */

const struct inventory_controller *inventory_find_controller(
	const struct inventory *inventory, const char *name);
/* By block node, generic node or hidden path name. */
const struct inventory_namespace *inventory_find_namespace(
	const struct inventory *inventory, const char *name);
/* Does the namespace belong to (or have a path through) the controller? */
bool inventory_namespace_of(
	const struct inventory_namespace *ns, const struct inventory_controller *controller);

#endif
