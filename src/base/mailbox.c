/* One-slot hand-over by atomic exchange. */
#include "base/mailbox.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

int mailbox_init(struct mailbox *box, void (*release)(void *), struct err *err)
{
	atomic_init(&box->slot, NULL);
	box->release = release;
	box->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (box->fd < 0) {
		int code = -errno;

		return err_set(err, code, "cannot make an eventfd: %s", err_errno_text(code));
	}
	return 0;
}

static void mailbox_release(struct mailbox *box, void *value)
{
	if (value && box->release)
		box->release(value);
}

void mailbox_close(struct mailbox *box)
{
	mailbox_release(box, atomic_exchange(&box->slot, NULL));
	if (box->fd >= 0)
		close(box->fd);
	box->fd = -1;
}

void mailbox_post(struct mailbox *box, void *value)
{
	static const uint64_t one = 1;
	void *old = atomic_exchange_explicit(&box->slot, value, memory_order_acq_rel);

	mailbox_release(box, old);
	/* EAGAIN (a full counter) would still leave it readable */
	if (write(box->fd, &one, sizeof(one)) < 0)
		return;
}

void *mailbox_take(struct mailbox *box)
{
	uint64_t count;

	/* The wake-up is cleared first: a value posted in between is either taken here or wakes
	 * the consumer again, never lost. */
	if (read(box->fd, &count, sizeof(count)) < 0)
		count = 0;
	return atomic_exchange_explicit(&box->slot, NULL, memory_order_acq_rel);
}
