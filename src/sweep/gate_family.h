/* Everything that a write to a target touches: the device, its partitions or its disk, partitions that
 * overlap it, and what a loop device writes through to. From sysfs; opens loop devices for reading at
 * most. */
#ifndef SWEEP_GATE_FAMILY_H
#define SWEEP_GATE_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct gate_facts;

struct gate_device {
	char name[64];
	dev_t device;
	bool self;    /* the target itself */
	bool generic; /* a character device of NVMe */
	bool backing; /* a loop device of the family writes to it */
};

struct gate_file {
	char name[64];
	dev_t device;
	uint64_t inode;
};

struct gate_family {
	const char *root; /* "" the running system */
	char disk[64];    /* the whole disk of a device; "" for a file */
	struct gate_device *devices;
	size_t device_count;
	struct gate_file *files; /* the target, or files behind loop devices */
	size_t file_count;
};

/* root is borrowed. Free with gate_family_free. */
void gate_family_init(struct gate_family *family, const char *root);
/* The members that belong to a block device, whole or partition. 0 or -errno: not in sysfs. Sets disk
 * at the first call. */
int gate_family_add_block(
	struct gate_family *family, dev_t device, bool backing, struct gate_facts *facts);
void gate_family_add_file(
	struct gate_family *family, const char *name, dev_t device, uint64_t inode);
/* A generic device and its block sibling, when there is one: its number, else 0. */
dev_t gate_family_add_generic(struct gate_family *family, dev_t device, struct gate_facts *facts);
void gate_family_free(struct gate_family *family);

const struct gate_device *gate_family_device(const struct gate_family *family, dev_t device);
const struct gate_device *gate_family_generic(const struct gate_family *family, dev_t device);
const struct gate_file *gate_family_file(
	const struct gate_family *family, dev_t device, uint64_t inode);
/* A path as mount tables and links name it to the member that it is, or NULL. Never asks a file
 * system over the network. */
const struct gate_device *gate_family_device_path(
	const struct gate_family *family, const char *path);
const struct gate_file *gate_family_file_path(const struct gate_family *family, const char *path);

#endif
