/* Opening targets: direct I/O and its alignment, the area, two names of one thing. */
#include "sweep/target.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "base/units.h"
#include "sweep/target_generic.h"
#include "sweep/target_name.h"

#define PAGE 4096u
#define SECTOR 512u

int sweep_target_describe(const char *name, const struct inventory *inventory,
	struct run_target *out, struct err *err)
{
	struct target_name found;
	int rc = target_name_resolve(name, inventory, &found, err);

	if (!rc)
		target_name_describe(&found, out);
	return rc;
}

static int open_node(
	const char *name, const struct target_name *found, int *fd, bool *buffered, struct err *err)
{
	*buffered = false;
	*fd = open(found->path, O_RDONLY | O_CLOEXEC | O_DIRECT);
	if (*fd < 0 && errno == EINVAL) {
		*buffered = true;
		*fd = open(found->path, O_RDONLY | O_CLOEXEC);
	}
	if (*fd >= 0)
		return 0;
	const int error = errno;

	if (error == EACCES || error == EPERM)
		return err_set(err, -error, "no permission to read %s: %s", name,
			geteuid() == 0 ? "not even root may (a container, or a security policy?)"
				: S_ISBLK(found->st.st_mode)
				? "run as root, or join the group that owns the node"
				: "it belongs to somebody else");
	if (error == ENOENT || error == ENODEV || error == ENXIO || error == ENOMEDIUM)
		return err_set(err, -error, "%s is gone or has no medium: %s", name,
			err_errno_text(error));
	return err_set(err, -error, "cannot open %s: %s", name, err_errno_text(error));
}

/* Does a direct read of so many bytes work? */
static bool trial_read(int fd, uint32_t bytes)
{
	void *buf;
	bool ok = false;

	if (posix_memalign(&buf, PAGE, bytes < PAGE ? PAGE : bytes))
		return false;
	ok = pread(fd, buf, bytes, 0) >= 0;
	free(buf);
	return ok;
}

/* What direct reads of a file must be multiples of: as the kernel says (6.1 and later), else found
 * by trying. 0: direct reads do not work. */
static uint32_t direct_alignment(int fd, uint32_t *memory)
{
	*memory = PAGE;
#ifdef STATX_DIOALIGN
	struct statx st;

	if (!statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &st) && (st.stx_mask & STATX_DIOALIGN)) {
		if (st.stx_dio_mem_align > PAGE)
			*memory = st.stx_dio_mem_align;
		return st.stx_dio_offset_align;
	}
#endif
	if (trial_read(fd, SECTOR))
		return SECTOR;
	return trial_read(fd, PAGE) ? PAGE : 0;
}

static void set_buffered(struct sweep_target *t)
{
	const int flags = fcntl(t->io.fd, F_GETFL);

	if (flags >= 0)
		fcntl(t->io.fd, F_SETFL, flags & ~O_DIRECT);
	t->buffered = true;
}

static int geometry_of_file(struct sweep_target *t, const struct stat *st)
{
	uint32_t memory = PAGE;
	const uint32_t alignment = t->buffered ? 0 : direct_alignment(t->io.fd, &memory);

	t->io.size_bytes = (uint64_t)st->st_size;
	t->io.buffer_alignment = memory;
	if (!alignment && !t->buffered)
		set_buffered(t);
	t->io.lba_bytes = alignment ? alignment : SECTOR;
	return 0;
}

static int geometry_of_device(struct sweep_target *t, const struct blockdev *block, struct err *err)
{
	uint64_t size = 0;
	int sector = 0;

	if (ioctl(t->io.fd, BLKGETSIZE64, &size) || ioctl(t->io.fd, BLKSSZGET, &sector))
		return err_set(err, -errno, "%s: cannot ask for its size: %s", t->io.name,
			err_errno_text(errno));
	if (!size || sector <= 0)
		return err_set_exit(
			err, ERR_EXIT_USAGE, -ENOMEDIUM, "%s has no size: no medium?", t->io.name);
	t->io.size_bytes = size;
	t->io.lba_bytes = (uint32_t)sector;
	t->io.block_device = true;
	t->io.io_poll = block->io_poll;
	t->io.max_transfer_bytes = block->max_transfer_bytes;
	t->io.buffer_alignment = block->dma_alignment > PAGE ? block->dma_alignment : PAGE;
	t->disk_offset = block->offset_bytes;
	return 0;
}

/* area_pct and offset_bytes to a range of whole blocks. */
static int set_area(struct sweep_target *t, const struct options *options, struct err *err)
{
	const uint64_t size = t->io.size_bytes, offset = options->offset_bytes;
	const uint32_t lba = t->io.lba_bytes;
	char text[32];
	uint64_t length;

	if (offset % lba)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"offset_bytes=%" PRIu64
			" is not a multiple of the block size of %s, %u bytes",
			offset, t->io.name, lba);
	if (offset >= size)
		return err_set_exit(err, ERR_EXIT_USAGE, -ERANGE,
			"offset_bytes=%" PRIu64 " lies past the end of %s, which has %" PRIu64
			" bytes",
			offset, t->io.name, size);
	if (options->area_pct >= 100)
		length = size - offset;
	else
		length = (uint64_t)((long double)size * options->area_pct / 100);
	if (length > size - offset)
		return err_set_exit(err, ERR_EXIT_USAGE, -ERANGE,
			"%g %% of %s (%s) from offset_bytes=%" PRIu64
			" on reaches past its end: lower area_pct or offset_bytes",
			options->area_pct, t->io.name, units_bytes_si(text, sizeof(text), size),
			offset);
	length -= length % lba;
	if (!length)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"the area of %s holds no whole block of %u bytes", t->io.name, lba);
	if (options->bytes % lba)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"bytes=%" PRIu64 " is not a multiple of the block size of %s, %u bytes",
			options->bytes, t->io.name, lba);
	t->io.offset = offset;
	t->io.length = length;
	return 0;
}

static void record(struct sweep_target *t, const struct target_name *found)
{
	target_name_describe(found, &t->info);
	if (t->io.passthrough)
		str_format(t->info.path, sizeof(t->info.path), "/dev/%s", found->ns->topo.generic);
	t->info.metadata_bytes = t->io.passthrough ? t->io.metadata_bytes : t->info.metadata_bytes;
	t->info.size_bytes = t->io.size_bytes;
	t->info.lba_bytes = t->io.lba_bytes;
	t->info.area_offset = t->io.offset;
	t->info.area_length = t->io.length;
	t->info.direct = !t->buffered;
	if (found->controller)
		str_copy(t->controller, sizeof(t->controller), found->controller->topo.name);
	if (found->has_block)
		str_copy(t->disk, sizeof(t->disk),
			found->block.partition && found->block.parent[0] ? found->block.parent
									 : found->block.name);
	if (found->ns && found->ns->used_known && found->ns->size_known && found->ns->size_bytes)
		t->used_share = (double)found->ns->used_bytes / (double)found->ns->size_bytes;
}

/* Nothing to open: the runner adds what the transport reaches it by. */
static int open_simulated(const struct target_name *found, const struct options *options,
	struct sweep_target *out, struct err *err)
{
	const struct inventory_namespace *ns = found->ns;
	int rc;

	str_copy(out->io.name, sizeof(out->io.name), ns->topo.name);
	out->io.lba_bytes = ns->lba_bytes;
	out->io.size_bytes = ns->topo.size_bytes;
	/* one simulated controller is one worker's */
	out->io.group = (uint32_t)ns->controller_index + 1;
	out->device = ns->controller_index;
	out->inode = ns->topo.nsid;
	rc = set_area(out, options, err);
	if (!rc)
		record(out, found);
	return rc;
}

int sweep_target_open(const char *name, const struct inventory *inventory,
	const struct options *options, struct sweep_target *out, struct err *err)
{
	struct target_name found;
	struct stat st;
	int rc;

	*out = (struct sweep_target){.io.fd = -1, .used_share = NAN, .written_share = NAN};
	rc = target_name_resolve(name, inventory, &found, err);
	if (rc)
		return rc;
	if (found.simulated)
		return open_simulated(&found, options, out, err);
	str_sanitize_utf8(out->io.name, sizeof(out->io.name), name);
	if (target_generic_meant(&found, options)) {
		rc = target_generic_open(name, &found, out, err);
		if (!rc)
			rc = set_area(out, options, err);
		if (rc)
			goto fail;
		record(out, &found);
		return 0;
	}
	rc = open_node(name, &found, &out->io.fd, &out->buffered, err);
	if (rc)
		return rc;
	/* What was looked at must be what was opened. */
	if (fstat(out->io.fd, &st) || st.st_dev != found.st.st_dev ||
		st.st_ino != found.st.st_ino || st.st_rdev != found.st.st_rdev ||
		(st.st_mode & S_IFMT) != (found.st.st_mode & S_IFMT)) {
		rc = err_set(err, -ESTALE, "%s was replaced while it was opened: try again", name);
		goto fail;
	}
	out->is_file = S_ISREG(st.st_mode);
	out->device = out->is_file ? st.st_dev : st.st_rdev;
	out->inode = out->is_file ? st.st_ino : 0;
	rc = out->is_file ? geometry_of_file(out, &st) : geometry_of_device(out, &found.block, err);
	if (!rc)
		rc = set_area(out, options, err);
	if (rc)
		goto fail;
	record(out, &found);
	return 0;
fail:
	sweep_target_close(out);
	return rc;
}

static bool overlap(const struct sweep_target *a, const struct sweep_target *b)
{
	if (a->is_file || b->is_file || !a->disk[0] || strcmp(a->disk, b->disk))
		return false;
	return a->disk_offset < b->disk_offset + b->io.size_bytes &&
		b->disk_offset < a->disk_offset + a->io.size_bytes;
}

int sweep_target_check_distinct(const struct sweep_target *targets, size_t count, struct err *err)
{
	for (size_t i = 1; i < count; i++)
		for (size_t k = 0; k < i; k++) {
			const struct sweep_target *a = &targets[k], *b = &targets[i];

			if (a->is_file == b->is_file && a->device == b->device &&
				a->inode == b->inode)
				return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
					"%s and %s are the same target: name each once", a->io.name,
					b->io.name);
			if (overlap(a, b))
				return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
					"%s and %s overlap on the disk %s: name one of them",
					a->io.name, b->io.name, a->disk);
		}
	return 0;
}

void sweep_target_close(struct sweep_target *target)
{
	if (target->io.fd >= 0)
		close(target->io.fd);
	target->io.fd = -1;
}
