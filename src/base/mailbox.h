/* One-slot hand-over between two threads (DESIGN 3): the producer exchanges a new value in and
 * frees what comes out; the consumer exchanges NULL in and owns what it got. An eventfd wakes a
 * poll() of the consumer. Wait-free on both sides. */
#ifndef BASE_MAILBOX_H
#define BASE_MAILBOX_H

#include "base/err.h"

struct mailbox {
	_Atomic(void *) slot;
	int fd;                  /* eventfd, readable when something new is there */
	void (*release)(void *); /* frees a value that nobody took */
};

int mailbox_init(struct mailbox *box, void (*release)(void *), struct err *err);
/* Only when both sides are done. Frees a value still inside. */
void mailbox_close(struct mailbox *box);
/* Producer: any thread. Takes ownership of value. */
void mailbox_post(struct mailbox *box, void *value);
/* Consumer: NULL when nothing new. Clears the wake-up. */
void *mailbox_take(struct mailbox *box);

#endif
