/* What all transports share: their lifetime, and which refusals are for good. */
#include "nvme/transport.h"

#include <stdatomic.h>

#define STATUS_DNR 0x4000 /* Do Not Retry */

bool transport_status_final(uint16_t word)
{
	switch (transport_status_code(word)) {
	case 0x001: /* Invalid Command Opcode */
	case 0x002: /* Invalid Field in Command */
	case 0x00b: /* Invalid Namespace or Format */
	case 0x109: /* Invalid Log Page */
		return true;
	default:
		return (word & STATUS_DNR) != 0;
	}
}

struct transport *transport_hold(struct transport *t)
{
	atomic_fetch_add_explicit(&t->holds, 1, memory_order_relaxed);
	return t;
}

void transport_destroy(struct transport *t)
{
	if (t && atomic_fetch_sub_explicit(&t->holds, 1, memory_order_acq_rel) == 0)
		t->ops->destroy(t);
}
