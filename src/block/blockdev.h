/* A block device's facts from sysfs: geometry, queue limits, partitions, holders, loop backing,
 * identity (DESIGN 2). Opens no device, so it works without root and cannot hang on a drive.
 * sysfs_root is "" for the running system, a folder that holds "sys" in tests. Any thread. */
#ifndef BLOCK_BLOCKDEV_H
#define BLOCK_BLOCKDEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

#define BLOCKDEV_MAX_LINKS 16

struct blockdev {
	char name[32];         /* "nvme0n1", "sda1", "loop3" */
	char sys_path[256];    /* folder in sysfs, below sysfs_root */
	uint32_t major, minor; /* 0:0 for hidden nodes */
	bool hidden;           /* a path of a multipath head: has no node, never opened */
	bool partition;
	char parent[32];                                    /* whole disk of a partition, else "" */
	uint64_t offset_bytes;                              /* of a partition in its disk */
	uint64_t size_bytes;                                /* sysfs size x 512 */
	uint32_t logical_block_bytes, physical_block_bytes; /* 512 when not reported */
	uint32_t max_transfer_bytes; /* queue/max_hw_sectors_kb; 0 not reported */
	uint32_t dma_alignment;      /* mask + 1; 512 when not reported */
	uint32_t metadata_bytes;     /* kernel 6.8 and later; 0 otherwise */
	int nr_requests;             /* -1 not reported */
	bool read_only, removable, rotational;
	bool io_poll;       /* queue/io_poll is 1 */
	char scheduler[32]; /* the active one, "none" */
	char model[64];     /* device/model, sanitised; "" when not reported */
	char serial[64];
	char transport[16];  /* "usb", "sata", "nvme", "loop", "zram", "virtio", "dm", "md", "" */
	uint64_t diskseq;    /* 0 not reported */
	char loop_file[256]; /* backing file of a loop device, "" else */
	char holders[BLOCKDEV_MAX_LINKS][32]; /* dm-1, md0: who sits on it */
	size_t holder_count;
	char partitions[BLOCKDEV_MAX_LINKS][32];
	size_t partition_count;
	bool links_cut; /* there are more holders or partitions than fit in here */
	char zoned[16]; /* "none", "host-managed", "host-aware" */
	int numa_node;  /* -1 none */
};

/* By name as in /sys/class/block. -ENOENT when there is none. */
int blockdev_read(const char *sysfs_root, const char *name, struct blockdev *out, struct err *err);
/* By device number (of an opened node). */
int blockdev_read_devt(const char *sysfs_root, dev_t devt, struct blockdev *out, struct err *err);
/* All whole disks that have a node, in natural order; ram, optical, floppy and zero-size devices are
 * left out (unused loop and zram devices are of size 0). Caller frees. nvme disks are included. */
int blockdev_list(const char *sysfs_root, struct blockdev **out, size_t *count, struct err *err);

#endif
