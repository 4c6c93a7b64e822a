/* The state of one page of a controller for the inventory: what is known of it, since when an answer
 * is awaited, when to ask again. Owned by the inventory's thread. */
#ifndef NVME_PAGE_SLOT_H
#define NVME_PAGE_SLOT_H

#include "nvme/inventory.h"

#define PAGE_NEVER UINT64_MAX

struct page_slot {
	struct page_info info;
	uint64_t next_ns;    /* monotonic: when it is due; 0 at once, PAGE_NEVER */
	uint64_t waiting_ns; /* since when it is due or out, 0 when it is not */
	int rc;              /* of the last answer */
	bool final;          /* refused for good: never sent again */
	unsigned failures;   /* in a row */
};

/* Due at once, unless it was refused for good. */
void page_slot_again(struct page_slot *slot);
bool page_slot_due(const struct page_slot *slot, uint64_t now_ns);
/* It will not be asked for now: the reason; content stays. True when that is new. */
bool page_slot_skip(struct page_slot *slot, const char *text);
/* The answer: content arrived, read at that wall-clock time; an empty page; rc of a transport below 0. */
void page_slot_good(struct page_slot *slot, int64_t read_at);
void page_slot_empty(struct page_slot *slot, const char *text);
void page_slot_fail(
	struct page_slot *slot, int rc, const struct nvme_status *status, const struct err *err);
/* Ask again after `seconds` (0: never), later and later after failures. */
void page_slot_schedule(struct page_slot *slot, bool good, unsigned seconds, uint64_t now_ns);
/* For a snapshot: an old answer stands until the next has been out for a while. */
struct page_info page_slot_info(const struct page_slot *slot, uint64_t now_ns);

#endif
