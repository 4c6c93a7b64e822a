/* What a write to a target touches: the target, its relatives on the same disk, and what lies below a
 * loop device. */
#include "sweep/gate_family.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "block/blockdev.h"
#include "sweep/gate_facts.h"
#include "sweep/gate_loop.h"

void gate_family_init(struct gate_family *family, const char *root)
{
	*family = (struct gate_family){.root = root};
}

void gate_family_free(struct gate_family *family)
{
	free(family->devices);
	free(family->files);
	*family = (struct gate_family){.root = ""};
}

static const struct gate_device *find(const struct gate_family *family, dev_t device, bool generic)
{
	for (size_t i = 0; i < family->device_count; i++)
		if (family->devices[i].device == device && family->devices[i].generic == generic)
			return &family->devices[i];
	return NULL;
}

const struct gate_device *gate_family_device(const struct gate_family *family, dev_t device)
{
	return find(family, device, false);
}

const struct gate_device *gate_family_generic(const struct gate_family *family, dev_t device)
{
	return find(family, device, true);
}

const struct gate_file *gate_family_file(
	const struct gate_family *family, dev_t device, uint64_t inode)
{
	for (size_t i = 0; i < family->file_count; i++)
		if (family->files[i].device == device && family->files[i].inode == inode)
			return &family->files[i];
	return NULL;
}

const struct gate_device *gate_family_device_path(
	const struct gate_family *family, const char *path)
{
	dev_t device;

	return gate_path_device(family->root, path, &device) ? gate_family_device(family, device)
							     : NULL;
}

const struct gate_file *gate_family_file_path(const struct gate_family *family, const char *path)
{
	uint64_t inode;
	dev_t device;

	return family->file_count && gate_path_file(path, &device, &inode)
		? gate_family_file(family, device, inode)
		: NULL;
}

static bool add_device(struct gate_family *family, const char *name, dev_t device, bool self,
	bool generic, bool backing)
{
	struct gate_device *added;

	if (find(family, device, generic))
		return false;
	family->devices =
		mem_realloc(family->devices, (family->device_count + 1) * sizeof(*family->devices));
	added = &family->devices[family->device_count++];
	*added = (struct gate_device){
		.device = device, .self = self, .generic = generic, .backing = backing};
	str_sanitize_utf8(added->name, sizeof(added->name), name);
	return true;
}

void gate_family_add_file(
	struct gate_family *family, const char *name, dev_t device, uint64_t inode)
{
	struct gate_file *added;

	if (gate_family_file(family, device, inode))
		return;
	family->files =
		mem_realloc(family->files, (family->file_count + 1) * sizeof(*family->files));
	added = &family->files[family->file_count++];
	*added = (struct gate_file){.device = device, .inode = inode};
	str_sanitize_utf8(added->name, sizeof(added->name), name);
}

static bool read_number(const char *folder, dev_t *device)
{
	char text[32];
	unsigned high, low;

	if (file_attribute_text(folder, "dev", text, sizeof(text)) ||
		sscanf(text, "%u:%u", &high, &low) != 2)
		return false;
	*device = makedev(high, low);
	return true;
}

/* Partitions of the disk that share blocks with [begin, end). Not from struct blockdev, whose list is
 * cut at 16. */
static void add_partitions(struct gate_family *family, const char *disk, uint64_t begin,
	uint64_t end, bool backing, struct gate_facts *facts)
{
	char path[PATH_MAX], folder[PATH_MAX + 256];
	struct dirent *entry;
	dev_t device;
	DIR *dir;

	str_format(path, sizeof(path), "%s/sys/class/block/%s", family->root, disk);
	dir = opendir(path);
	if (!dir) {
		gate_facts_unknown(facts, false, "the partitions of %s cannot be listed: %s", disk,
			err_errno_text(errno));
		return;
	}
	while ((entry = readdir(dir)) != NULL) {
		str_format(folder, sizeof(folder), "%s/%s", path, entry->d_name);
		if (entry->d_name[0] == '.' || !file_attribute_u64(folder, "partition", 0))
			continue;
		const uint64_t start = file_attribute_u64(folder, "start", 0) * 512;
		const uint64_t size = file_attribute_u64(folder, "size", UINT64_MAX / 512) * 512;

		if (start >= end || (start < begin && size <= begin - start))
			continue;
		if (read_number(folder, &device))
			add_device(family, entry->d_name, device, false, false, backing);
		else
			gate_facts_unknown(facts, false,
				"the number of partition %s cannot be read", entry->d_name);
	}
	closedir(dir);
}

/* A loop device writes through to its file or device. */
static int add_backing(struct gate_family *family, const char *disk, struct gate_facts *facts)
{
	struct gate_backing backing;
	const char *slash;

	if (!gate_loop_backing(family->root, disk, &backing))
		return 0;
	if (!backing.known) {
		gate_facts_unknown(facts, false, "what %s writes to (%s) cannot be looked at", disk,
			backing.path);
		return 0;
	}
	if (backing.block)
		return gate_family_device(family, backing.device)
			? 0
			: gate_family_add_block(family, backing.device, true, facts);
	slash = strrchr(backing.path, '/');
	gate_family_add_file(
		family, slash ? slash + 1 : backing.path, backing.device, backing.inode);
	return 0;
}

/* The character device beside a namespace: what passthrough writes through. */
static void add_generic_sibling(struct gate_family *family, const char *disk, bool backing)
{
	char path[PATH_MAX], name[64];
	dev_t device;

	if (!str_starts_with(disk, "nvme"))
		return;
	str_format(name, sizeof(name), "ng%s", disk + 4);
	str_format(path, sizeof(path), "%s/sys/class/nvme-generic/%s", family->root, name);
	if (read_number(path, &device))
		add_device(family, name, device, false, true, backing);
}

int gate_family_add_block(
	struct gate_family *family, dev_t device, bool backing, struct gate_facts *facts)
{
	/* the first one, or the one beside the generic device that came first */
	const bool self = !family->disk[0] && !backing;
	struct blockdev block, disk;
	int rc = blockdev_read_devt(family->root, device, &block, NULL);

	if (rc)
		return rc;
	disk = block;
	if (block.partition) {
		rc = blockdev_read(family->root, block.parent, &disk, NULL);
		if (rc)
			return rc;
	}
	if (!family->disk[0])
		str_copy(family->disk, sizeof(family->disk), disk.name);
	add_device(family, block.name, device, self, false, backing);
	if (block.partition) {
		add_device(
			family, disk.name, makedev(disk.major, disk.minor), false, false, backing);
		add_partitions(family, disk.name, block.offset_bytes,
			block.offset_bytes + block.size_bytes, backing, facts);
	} else {
		add_partitions(family, disk.name, 0, UINT64_MAX, backing, facts);
	}
	add_generic_sibling(family, disk.name, backing);
	return add_backing(family, disk.name, facts);
}

dev_t gate_family_add_generic(struct gate_family *family, dev_t device, struct gate_facts *facts)
{
	char path[PATH_MAX], link[PATH_MAX], folder[PATH_MAX], name[64];
	const char *base;
	dev_t block;

	str_format(link, sizeof(link), "%s/sys/dev/char/%u:%u", family->root, major(device),
		minor(device));
	if (!realpath(link, path) || !(base = strrchr(path, '/'))) {
		gate_facts_unknown(
			facts, false, "the kernel knows no generic NVMe device of this number");
		return 0;
	}
	base++;
	add_device(family, base, device, true, true, false);
	if (!str_starts_with(base, "ng"))
		return 0;
	str_format(name, sizeof(name), "nvme%s", base + 2);
	str_format(folder, sizeof(folder), "%s/sys/class/block/%s", family->root, name);
	/* some formats have no block device: then nothing can be mounted either */
	if (!read_number(folder, &block))
		return 0;
	if (gate_family_add_block(family, block, false, facts)) {
		gate_facts_unknown(
			facts, false, "the block device %s beside it cannot be read", name);
		return 0;
	}
	return block;
}
