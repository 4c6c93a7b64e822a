/* Facts of block devices from sysfs. Only attributes that the kernel answers from memory are read
 * here: `nuse`, for one, would send a command to the drive. */
#include "block/blockdev.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "base/units.h"

#define SECTOR_BYTES 512u
#define VPD_BYTES 260 /* the longest Unit Serial Number page that a 1-byte length allows */

/* A device's folder, with its root. */
struct blockdev_folder {
	char path[PATH_MAX]; /* with the root */
	size_t root_length;
};

static uint64_t blockdev_bytes(uint64_t units, uint64_t unit_bytes)
{
	uint64_t bytes;

	return __builtin_mul_overflow(units, unit_bytes, &bytes) ? UINT64_MAX : bytes;
}

/* Size of a block or alignment: a power of two that fits, else what is safe everywhere. */
static uint32_t blockdev_power(uint64_t value)
{
	if (value == 0 || value > UINT32_MAX / 2 || (value & (value - 1)) != 0)
		return SECTOR_BYTES;
	return (uint32_t)value;
}

static bool blockdev_name_valid(const char *name)
{
	const size_t length = strlen(name);

	return length > 0 && length < sizeof(((struct blockdev *)0)->name) &&
		strchr(name, '/') == NULL && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* The active one stands in brackets; a queue without a choice shows a single bare word. */
static void blockdev_active(const char *text, char *buf, size_t size)
{
	const char *begin = strchr(text, '['), *end = begin ? strchr(begin, ']') : NULL;

	if (begin && end)
		str_format(buf, size, "%.*s", (int)(end - begin - 1), begin + 1);
	else
		str_copy(buf, size, text);
}

/* Names in a folder: all of them, or those whose folder has the attribute. */
static size_t blockdev_links(
	const char *folder, const char *attribute, char names[][32], size_t room, bool *cut)
{
	char path[PATH_MAX];
	struct dirent *entry;
	size_t count = 0;
	DIR *dir = opendir(folder);

	if (!dir)
		return 0;
	while ((entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		str_format(path, sizeof(path), "%s/%s/%s", folder, entry->d_name,
			attribute ? attribute : "");
		if (attribute && access(path, F_OK) != 0)
			continue;
		if (count == room) {
			*cut = true;
			break;
		}
		str_sanitize(names[count++], 32, entry->d_name, strlen(entry->d_name));
	}
	closedir(dir);
	return count;
}

static int blockdev_compare_names(const void *a, const void *b)
{
	return str_compare_natural(a, b);
}

static void blockdev_read_links(const char *folder, struct blockdev *out)
{
	char holders[PATH_MAX];

	str_format(holders, sizeof(holders), "%s/holders", folder);
	out->holder_count =
		blockdev_links(holders, NULL, out->holders, BLOCKDEV_MAX_LINKS, &out->links_cut);
	qsort(out->holders, out->holder_count, sizeof(out->holders[0]), blockdev_compare_names);
	if (out->partition)
		return;
	out->partition_count = blockdev_links(
		folder, "partition", out->partitions, BLOCKDEV_MAX_LINKS, &out->links_cut);
	qsort(out->partitions, out->partition_count, sizeof(out->partitions[0]),
		blockdev_compare_names);
}

/* queue/ of the whole disk. */
static void blockdev_read_queue(const char *disk, struct blockdev *out)
{
	char text[128];
	uint64_t value;

	out->logical_block_bytes =
		blockdev_power(file_attribute_u64(disk, "queue/logical_block_size", 0));
	out->physical_block_bytes =
		blockdev_power(file_attribute_u64(disk, "queue/physical_block_size", 0));
	if (out->physical_block_bytes < out->logical_block_bytes)
		out->physical_block_bytes = out->logical_block_bytes;
	value = blockdev_bytes(file_attribute_u64(disk, "queue/max_hw_sectors_kb", 0), 1024);
	out->max_transfer_bytes = value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
	value = file_attribute_u64(disk, "queue/dma_alignment", SECTOR_BYTES - 1);
	out->dma_alignment = blockdev_power(value == UINT64_MAX ? 0 : value + 1);
	value = file_attribute_u64(disk, "metadata_bytes", 0);
	out->metadata_bytes = value > UINT16_MAX ? 0 : (uint32_t)value;
	value = file_attribute_u64(disk, "queue/nr_requests", UINT64_MAX);
	out->nr_requests = value > INT_MAX ? -1 : (int)value;
	out->rotational = file_attribute_u64(disk, "queue/rotational", 0) != 0;
	out->io_poll = file_attribute_u64(disk, "queue/io_poll", 0) == 1;
	if (file_attribute_text(disk, "queue/scheduler", text, sizeof(text)) == 0)
		blockdev_active(text, out->scheduler, sizeof(out->scheduler));
	file_attribute_text(disk, "queue/zoned", out->zoned, sizeof(out->zoned));
	if (out->zoned[0] == '\0')
		str_copy(out->zoned, sizeof(out->zoned), "none");
}

/* By the bus in the device's path, else by the driver's name for it. */
static void blockdev_read_transport(const char *sys_path, const char *disk, struct blockdev *out)
{
	static const struct {
		const char *prefix, *word;
	} names[] = {{"nvme", "nvme"}, {"loop", "loop"}, {"zram", "zram"}, {"dm-", "dm"},
		{"md", "md"}, {"nbd", "nbd"}, {"ram", "ram"}, {"mmcblk", "mmc"}, {"pmem", "pmem"}},
	  buses[] = {{"/usb", "usb"}, {"/ata", "sata"}, {"/virtio", "virtio"},
		  {"/session", "iscsi"}, {"/end_device", "sas"}, {"/rport", "fc"},
		  {"/vbd-", "xen"}};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (str_starts_with(disk, names[i].prefix)) {
			str_copy(out->transport, sizeof(out->transport), names[i].word);
			return;
		}
	}
	for (size_t i = 0; i < sizeof(buses) / sizeof(buses[0]); i++) {
		if (strstr(sys_path, buses[i].prefix)) {
			str_copy(out->transport, sizeof(out->transport), buses[i].word);
			return;
		}
	}
}

/* The nearest folder above `folder` (inside the root) that has the attribute. */
static bool blockdev_above(
	const struct blockdev_folder *folder, const char *attribute, char *buf, size_t size)
{
	char path[PATH_MAX];

	str_copy(path, sizeof(path), folder->path);
	for (;;) {
		char *slash = strrchr(path, '/');
		const size_t length = strlen(path);

		if (file_attribute_text(path, attribute, buf, size) == 0 && buf[0] != '\0')
			return true;
		if (!slash || (size_t)(slash - path) <= folder->root_length || length == 0)
			return false;
		*slash = '\0';
	}
}

/* SCSI keeps the serial in a binary page: 4 bytes of header, the length in the last two. */
static void blockdev_read_vpd(const char *disk, struct blockdev *out)
{
	char path[PATH_MAX];
	uint8_t page[VPD_BYTES];
	size_t got, length;
	FILE *file;

	str_format(path, sizeof(path), "%s/device/vpd_pg80", disk);
	file = fopen(path, "rbe");
	if (!file)
		return;
	got = fread(page, 1, sizeof(page), file);
	fclose(file);
	if (got < 4)
		return;
	length = (size_t)page[2] << 8 | page[3];
	if (length > got - 4)
		length = got - 4;
	str_sanitize(out->serial, sizeof(out->serial), page + 4, length);
	str_trim(out->serial);
}

static void blockdev_read_names(
	const struct blockdev_folder *folder, const char *disk, struct blockdev *out)
{
	char text[64];

	file_attribute_text(disk, "device/model", out->model, sizeof(out->model));
	if (out->model[0] == '\0' && strcmp(out->transport, "mmc") == 0)
		file_attribute_text(disk, "device/name", out->model, sizeof(out->model));
	file_attribute_text(disk, "device/serial", out->serial, sizeof(out->serial));
	if (out->serial[0] == '\0')
		file_attribute_text(disk, "serial", out->serial, sizeof(out->serial));
	if (out->serial[0] == '\0')
		blockdev_read_vpd(disk, out);
	/* of a USB device; only there, a host bridge has serials of its own */
	if (out->serial[0] == '\0' && strcmp(out->transport, "usb") == 0)
		blockdev_above(folder, "serial", out->serial, sizeof(out->serial));
	out->numa_node = -1;
	if (blockdev_above(folder, "numa_node", text, sizeof(text)) ||
		blockdev_above(folder, "device/numa_node", text, sizeof(text)))
		out->numa_node = (int)strtol(text, NULL, 10);
}

/* The file behind a loop device; " (deleted)" at its end is the kernel's. */
static void blockdev_read_backing(const char *disk, struct blockdev *out)
{
	char path[PATH_MAX], file[PATH_MAX + 16];

	str_format(path, sizeof(path), "%s/loop/backing_file", disk);
	if (file_read_text(path, file, sizeof(file)) == 0)
		str_copy(out->loop_file, sizeof(out->loop_file), file);
}

static void blockdev_fill(const struct blockdev_folder *folder, struct blockdev *out)
{
	const char *path = folder->path, *name = strrchr(path, '/') + 1;
	char disk[PATH_MAX], text[32];
	unsigned major_number, minor_number;

	str_copy(out->name, sizeof(out->name), name);
	str_copy(out->sys_path, sizeof(out->sys_path), path + folder->root_length);
	if (file_attribute_text(path, "dev", text, sizeof(text)) == 0 &&
		sscanf(text, "%u:%u", &major_number, &minor_number) == 2) {
		out->major = major_number;
		out->minor = minor_number;
	}
	str_copy(disk, sizeof(disk), path);
	out->partition = file_attribute_u64(path, "partition", 0) != 0;
	if (out->partition) {
		*strrchr(disk, '/') = '\0';
		str_copy(out->parent, sizeof(out->parent), strrchr(disk, '/') + 1);
		out->offset_bytes =
			blockdev_bytes(file_attribute_u64(path, "start", 0), SECTOR_BYTES);
	}
	out->hidden = file_attribute_u64(disk, "hidden", 0) != 0;
	out->size_bytes = blockdev_bytes(file_attribute_u64(path, "size", 0), SECTOR_BYTES);
	out->read_only =
		file_attribute_u64(path, "ro", 0) != 0 || file_attribute_u64(disk, "ro", 0) != 0;
	out->removable = file_attribute_u64(disk, "removable", 0) != 0;
	out->diskseq = file_attribute_u64(disk, "diskseq", 0);
	blockdev_read_queue(disk, out);
	blockdev_read_transport(out->sys_path, strrchr(disk, '/') + 1, out);
	blockdev_read_names(folder, disk, out);
	blockdev_read_backing(disk, out);
	blockdev_read_links(path, out);
}

/* Follows the link of the class to the device's own folder. */
static int blockdev_resolve(
	const char *sysfs_root, const char *below, struct blockdev_folder *folder)
{
	char link[PATH_MAX], root[PATH_MAX];

	folder->root_length = 0;
	if (sysfs_root[0] != '\0') {
		if (!realpath(sysfs_root, root))
			return -errno;
		folder->root_length = strlen(root);
	}
	str_format(link, sizeof(link), "%s/sys/%s", sysfs_root, below);
	if (!realpath(link, folder->path))
		return -errno;
	/* a link that leads out of the tree of a test, or to no folder of a device */
	if (folder->root_length > 0 && !str_starts_with(folder->path, root))
		return -ENOENT;
	return strrchr(folder->path + folder->root_length, '/') ? 0 : -ENOENT;
}

int blockdev_read(const char *sysfs_root, const char *name, struct blockdev *out, struct err *err)
{
	struct blockdev_folder folder;
	char below[128];
	int rc;

	memset(out, 0, sizeof(*out));
	if (!blockdev_name_valid(name))
		return err_set(err, -EINVAL, "\"%s\" is not the name of a block device", name);
	str_format(below, sizeof(below), "class/block/%s", name);
	rc = blockdev_resolve(sysfs_root, below, &folder);
	if (rc < 0)
		return err_set(err, rc, "%s: the kernel knows no such block device", name);
	blockdev_fill(&folder, out);
	return 0;
}

int blockdev_read_devt(const char *sysfs_root, dev_t devt, struct blockdev *out, struct err *err)
{
	struct blockdev_folder folder;
	char below[64];
	int rc;

	memset(out, 0, sizeof(*out));
	str_format(below, sizeof(below), "dev/block/%u:%u", major(devt), minor(devt));
	rc = blockdev_resolve(sysfs_root, below, &folder);
	if (rc < 0)
		return err_set(err, rc, "the kernel knows no block device with number %u:%u",
			major(devt), minor(devt));
	blockdev_fill(&folder, out);
	return 0;
}

/* Optical and floppy drives report a size without a medium, and are no targets. */
static bool blockdev_listed(const struct blockdev *device)
{
	return !device->partition && !device->hidden && device->size_bytes > 0 &&
		strcmp(device->transport, "ram") != 0 && !str_starts_with(device->name, "sr") &&
		!str_starts_with(device->name, "fd");
}

static int blockdev_compare(const void *a, const void *b)
{
	const struct blockdev *x = a, *y = b;

	return str_compare_natural(x->name, y->name);
}

int blockdev_list(const char *sysfs_root, struct blockdev **out, size_t *count, struct err *err)
{
	char path[PATH_MAX];
	struct blockdev one, *list = NULL;
	struct dirent *entry;
	size_t length = 0;
	DIR *dir;

	*out = NULL;
	*count = 0;
	str_format(path, sizeof(path), "%s/sys/class/block", sysfs_root);
	dir = opendir(path);
	if (!dir && errno == ENOENT)
		return 0;
	if (!dir) {
		const int rc = -errno;

		return err_set(err, rc, "%s: %s", path, err_errno_text(rc));
	}
	while ((entry = readdir(dir)) != NULL) {
		/* one that vanishes meanwhile is simply not there */
		if (entry->d_name[0] == '.' ||
			blockdev_read(sysfs_root, entry->d_name, &one, NULL) < 0 ||
			!blockdev_listed(&one))
			continue;
		list = mem_realloc(list, (length + 1) * sizeof(*list));
		list[length++] = one;
	}
	closedir(dir);
	if (length > 0)
		qsort(list, length, sizeof(*list), blockdev_compare);
	*out = list;
	*count = length;
	return 0;
}
