/* Recent I/O rates per device, for the small graphs of the drives screen: one value per period,
 * also when snapshots are farther apart because nothing changed. UI thread. */
#ifndef SCREENS_RATES_H
#define SCREENS_RATES_H

#include <stddef.h>
#include <stdint.h>

#include "nvme/inventory.h"

#define RATES_KEPT 64

struct rates_line {
	char name[32];
	double bytes_s[RATES_KEPT]; /* oldest first; read and write together */
	size_t count;
	uint64_t last_ns; /* when the newest value was taken */
};
struct rates {
	struct rates_line *lines;
	size_t count;
};

/* Takes the rates of a snapshot that is new. Devices that are gone are forgotten. */
void rates_take(struct rates *rates, const struct inventory *inventory, uint64_t period_ns,
	uint64_t now_ns);
const struct rates_line *rates_of(const struct rates *rates, const char *name); /* NULL none */
/* As text of at most width columns, scaled to its own highest; "" when nothing has moved. */
void rates_text(const struct rates *rates, const char *name, int width, char *buf, size_t size);
void rates_free(struct rates *rates);

#endif
