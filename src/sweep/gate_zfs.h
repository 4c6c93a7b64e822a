/* ZFS labels: two at the start and two at the end of a device. A pool that was destroyed, or whose
 * start was overwritten, still has those at the end. */
#ifndef SWEEP_GATE_ZFS_H
#define SWEEP_GATE_ZFS_H

#include <stdbool.h>
#include <stdint.h>

#define GATE_ZFS_POOL_BYTES 64

/* 1: at least one label; 0: none; -errno: a label's place could not be read. size: of the device or
 * partition that begins at start, bytes. fd: readable, without O_DIRECT. pool: its name, sanitised; ""
 * when no label tells it. */
int gate_zfs_find(int fd, uint64_t start, uint64_t size, char pool[GATE_ZFS_POOL_BYTES]);

#endif
