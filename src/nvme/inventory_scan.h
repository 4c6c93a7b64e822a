/* One look at sysfs for the inventory: topology, geometry, other block devices and rates. Owned by
 * the inventory's thread; opens no device. */
#ifndef NVME_INVENTORY_SCAN_H
#define NVME_INVENTORY_SCAN_H

#include "block/blockdev.h"
#include "block/iostat.h"
#include "nvme/topology.h"
#include "nvme/transport.h"

/* Counters of one block device and what they gave last. */
struct rate_track {
	char name[32];
	uint64_t diskseq;
	struct iostat_counters last;
	bool have;
	bool seen;
	struct iostat_rates rates;
};

/* What a scan found besides pages. */
struct scan {
	const char *sysfs_root, *dev_root;
	bool devices; /* namespaces have block devices here: not simulated, not replayed */
	bool others;  /* list other block devices too */
	struct topology *topology;
	struct blockdev *geometry; /* one per namespace of the topology; name "" none */
	struct blockdev *disks;    /* other block devices */
	size_t disk_count;
	struct rate_track *rates;
	size_t rate_count;
};

/* Reads sysfs anew. True: something differs from before. On failure the old content stays. */
int scan_read(struct scan *scan, struct transport *transport, bool *changed, struct err *err);
void scan_free(struct scan *scan);

/* Rates of a device; all unknown when it has none. */
struct iostat_rates scan_rates(const struct scan *scan, const char *name);

#endif
