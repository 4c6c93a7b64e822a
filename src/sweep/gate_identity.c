/* Identity of drives and files, always read anew. */
#include "sweep/gate_identity.h"

#include <errno.h>
#include <limits.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/file.h"
#include "base/str.h"

#ifndef BLKGETDISKSEQ /* kernel 5.15, newer than some C libraries */
#define BLKGETDISKSEQ _IOR(0x12, 128, uint64_t)
#endif

static void read_unique(const char *folder, struct gate_identity *out)
{
	static const char *const names[] = {"nguid", "eui", "uuid", "wwid"};
	char text[96];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!file_attribute_text(folder, names[i], text, sizeof(text)) && text[0]) {
			str_append(out->unique, sizeof(out->unique), "%s%s",
				out->unique[0] ? " " : "", text);
			out->has_ids |= i < 3;
		}
}

/* A generic character device of NVMe has its attributes in its own folder, and the drive's in that of
 * its controller or subsystem. */
static void read_generic(const char *root, struct gate_identity *out)
{
	char folder[PATH_MAX];

	str_format(folder, sizeof(folder), "%s/sys/dev/char/%u:%u", root, major(out->device),
		minor(out->device));
	out->nsid = file_attribute_u64(folder, "nsid", 0);
	read_unique(folder, out);
	file_attribute_text(folder, "device/serial", out->serial, sizeof(out->serial));
	str_trim(out->serial);
}

static int read_block(const char *root, const struct sweep_target *target,
	struct gate_identity *out, struct err *err)
{
	struct blockdev block;
	char folder[PATH_MAX];
	const int rc = blockdev_read_devt(root, out->device, &block, NULL);

	if (rc)
		return err_set(err, rc, "%s: the kernel does not know this device any more",
			target->io.name);
	str_copy(out->serial, sizeof(out->serial), block.serial);
	str_trim(out->serial);
	if (!out->diskseq)
		out->diskseq = block.diskseq;
	out->start = block.offset_bytes / 512;
	str_format(folder, sizeof(folder), "%s/sys/class/block/%s", root,
		block.partition && block.parent[0] ? block.parent : block.name);
	out->nsid = file_attribute_u64(folder, "nsid", 0);
	read_unique(folder, out);
	return 0;
}

int gate_identity_read(const struct sweep_target *target, const char *root, int fd,
	struct gate_identity *out, struct err *err)
{
	struct stat st;
	uint64_t value;

	*out = (struct gate_identity){0};
	if (fstat(fd, &st))
		return err_set(err, -errno, "%s: %s", target->io.name, err_errno_text(errno));
	out->size_bytes = (uint64_t)st.st_size;
	if (target->is_file) {
		if (!S_ISREG(st.st_mode))
			return err_set(
				err, -ESTALE, "%s is no regular file any more", target->io.name);
		out->device = st.st_dev;
		out->inode = st.st_ino;
		return 0;
	}
	/* In a tree of a test the node is a file; its number is the target's. */
	out->device = root[0] ? (dev_t)target->device : st.st_rdev;
	if (!root[0] && !S_ISBLK(st.st_mode) && !S_ISCHR(st.st_mode))
		return err_set(err, -ESTALE, "%s is no device any more", target->io.name);
	if (S_ISCHR(st.st_mode)) {
		out->size_bytes = target->io.size_bytes;
		read_generic(root, out);
		return 0;
	}
	if (!ioctl(fd, BLKGETSIZE64, &value))
		out->size_bytes = value;
	if (!ioctl(fd, BLKGETDISKSEQ, &value))
		out->diskseq = value;
	return read_block(root, target, out, err);
}

const char *gate_identity_difference(
	const struct gate_identity *before, const struct gate_identity *now)
{
	if (before->device != now->device || before->inode != now->inode)
		return "device number";
	if (strcmp(before->serial, now->serial) != 0)
		return "serial number";
	if (before->nsid != now->nsid)
		return "namespace number";
	if (strcmp(before->unique, now->unique) != 0)
		return "namespace identifier";
	if (before->diskseq != now->diskseq)
		return "disk sequence number";
	if (before->size_bytes != now->size_bytes)
		return "size";
	if (before->start != now->start)
		return "place on its disk";
	return NULL;
}

/* Hex digits only, so that "0x.." or dashes of a UUID do not count as a difference. */
static void hex_digits(const char *text, char *buf, size_t size)
{
	size_t length = 0;

	for (; *text && length + 1 < size; text++) {
		const char c = *text >= 'A' && *text <= 'F' ? (char)(*text + 32) : *text;

		if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))
			buf[length++] = c;
	}
	buf[length] = '\0';
}

const char *gate_identity_other(const struct gate_identity *now, const struct sweep_target *target)
{
	const struct run_target *seen = &target->info;
	char serial[64], mine[192], theirs[64];

	if (now->device != target->device || (target->is_file && now->inode != target->inode))
		return "device number";
	if (now->size_bytes != target->io.size_bytes)
		return "size";
	if (target->is_file)
		return NULL;
	str_copy(serial, sizeof(serial), seen->serial);
	str_trim(serial);
	/* what was shown may have been cut */
	if (serial[0] && now->serial[0] &&
		strncmp(serial, now->serial, sizeof(seen->serial) - 1) != 0)
		return "serial number";
	if (seen->nsid && now->nsid && seen->nsid != now->nsid)
		return "namespace number";
	hex_digits(now->unique, mine, sizeof(mine));
	hex_digits(seen->unique_id, theirs, sizeof(theirs));
	if (theirs[0] && now->has_ids && !strstr(mine, theirs))
		return "namespace identifier";
	return NULL;
}
