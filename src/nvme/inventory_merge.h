/* Puts topology, pages and block statistics together into one snapshot. */
#ifndef NVME_INVENTORY_MERGE_H
#define NVME_INVENTORY_MERGE_H

#include "nvme/inventory_pages.h"
#include "nvme/inventory_scan.h"

/* A new snapshot with one reference; generation, source and settled are left to the caller. */
struct inventory *inventory_merge(
	const struct scan *scan, const struct pages *pages, uint64_t now_ns);

#endif
