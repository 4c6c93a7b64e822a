/* What a loop device writes to. The kernel claims neither its backing file nor its backing device, so
 * that no O_EXCL sees it. */
#ifndef SWEEP_GATE_LOOP_H
#define SWEEP_GATE_LOOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct gate_backing {
	char path[256]; /* as the kernel names it; may be of another mount namespace, or deleted */
	bool known;     /* the next ones */
	bool block;     /* a block device: device is its number */
	dev_t device;   /* else of the file */
	uint64_t inode;
};

/* False: not a loop device, or nothing attached. root "" asks the device itself (opened for reading),
 * else or when that is not allowed the path is looked at. */
bool gate_loop_backing(const char *root, const char *name, struct gate_backing *out);
/* All loop devices in use. */
void gate_loop_each(const char *root,
	void (*each)(void *user, const char *name, const struct gate_backing *backing), void *user);

/* The number of a block device by its path: by its name in sysfs, else, in the running system, by its
 * node. False: none. */
bool gate_path_device(const char *root, const char *path, dev_t *device);
/* A regular file by its path, without waiting for a file system over the network. */
bool gate_path_file(const char *path, dev_t *device, uint64_t *inode);

#endif
