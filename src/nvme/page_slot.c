/* States of a page and when to ask for it again. */
#include "nvme/page_slot.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"

#define SECOND_NS 1000000000ull
/* A repeated read is shown as waiting only after this: most are answered within a millisecond. */
#define PATIENCE_NS (2 * SECOND_NS)
#define BACKOFF_MAX 6 /* failed reads are repeated after up to 2^6 periods */

void page_slot_again(struct page_slot *slot)
{
	if (!slot->final)
		slot->next_ns = 0;
}

bool page_slot_due(const struct page_slot *slot, uint64_t now_ns)
{
	return slot->next_ns <= now_ns;
}

static void page_slot_say(struct page_slot *slot, enum page_state state, const char *text)
{
	slot->info.state = state;
	str_copy(slot->info.text, sizeof(slot->info.text), text);
}

bool page_slot_skip(struct page_slot *slot, const char *text)
{
	const bool changed = slot->info.state != PAGE_FAILED || strcmp(slot->info.text, text) != 0;

	slot->rc = 0;
	page_slot_say(slot, PAGE_FAILED, text);
	slot->waiting_ns = 0;
	return changed;
}

void page_slot_good(struct page_slot *slot, int64_t read_at)
{
	slot->rc = 0;
	page_slot_say(slot, PAGE_OK, "");
	slot->info.read_at = read_at;
}

void page_slot_empty(struct page_slot *slot, const char *text)
{
	slot->rc = 0;
	page_slot_say(slot, PAGE_EMPTY, text);
}

void page_slot_fail(
	struct page_slot *slot, int rc, const struct nvme_status *status, const struct err *err)
{
	slot->rc = rc;
	if (rc == -EREMOTEIO) {
		page_slot_say(slot, PAGE_REFUSED, status->text);
		slot->final = transport_status_final(status->word);
		return;
	}
	page_slot_say(slot, PAGE_FAILED, err->text[0] ? err->text : err_errno_text(rc));
}

void page_slot_schedule(struct page_slot *slot, bool good, unsigned seconds, uint64_t now_ns)
{
	unsigned doublings;

	slot->waiting_ns = 0;
	slot->failures = good ? 0 : slot->failures + 1;
	doublings = slot->failures > 1 ? slot->failures - 1 : 0;
	if (doublings > BACKOFF_MAX)
		doublings = BACKOFF_MAX;
	slot->next_ns = slot->final || seconds == 0
		? PAGE_NEVER
		: now_ns + (((uint64_t)seconds * SECOND_NS) << doublings);
}

struct page_info page_slot_info(const struct page_slot *slot, uint64_t now_ns)
{
	struct page_info info = slot->info;
	uint64_t age;

	if (slot->waiting_ns == 0)
		return info;
	age = now_ns > slot->waiting_ns ? now_ns - slot->waiting_ns : 0;
	if (info.state == PAGE_NONE || age >= PATIENCE_NS) {
		info.state = PAGE_WAITING;
		info.waiting_ns = age;
		str_format(info.text, sizeof(info.text), "no answer for %llu s",
			(unsigned long long)(age / SECOND_NS));
	}
	return info;
}
