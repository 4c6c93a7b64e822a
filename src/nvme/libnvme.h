/* Live transport: admin passthrough to /dev/nvmeX through libnvme, with our own chunking; the only
 * file that knows libnvme's names (PORTING). sysfs_root/dev_root: "" for the running system. */
#ifndef NVME_LIBNVME_H
#define NVME_LIBNVME_H

#include "nvme/transport.h"

int transport_libnvme_create(
	const char *sysfs_root, const char *dev_root, struct transport **out, struct err *err);
/* Words for a status, from libnvme. */
void transport_status_text(uint16_t word, char *buf, size_t size);
const char *transport_libnvme_version(void);

#endif
