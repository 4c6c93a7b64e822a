/* Opening a namespace's generic node. */
#include "sweep/target_generic.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nvme_ioctl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"

#define PAGE 4096u
/* A command may be larger than one buffer has segments for: the kernel takes at most 127, of a page
 * each where memory is scattered. */
#define COMMAND_BYTES_MAX (UINT32_C(256) << 10)

bool target_generic_meant(const struct target_name *found, const struct options *options)
{
	return S_ISCHR(found->st.st_mode) || !strcmp(options->backend, "uring_cmd");
}

static int refuse(struct err *err, int code, const char *name, const char *why)
{
	return err_set_exit(err, ERR_EXIT_USAGE, code, "%s: %s", name, why);
}

/* What the drive (MDTS, in pages of 4 KiB at least) and the kernel allow in one command. */
static uint32_t largest_command(const struct target_name *found)
{
	uint64_t most = COMMAND_BYTES_MAX;

	if (found->controller && found->controller->identify_info.read_at) {
		const uint8_t mdts = found->controller->identify.mdts;

		if (mdts && mdts < 20 && (uint64_t)PAGE << mdts < most)
			most = (uint64_t)PAGE << mdts;
	}
	if (found->has_block && found->block.max_transfer_bytes &&
		found->block.max_transfer_bytes < most)
		most = found->block.max_transfer_bytes;
	return (uint32_t)most;
}

static int open_node(const char *name, const char *path, int *fd, struct err *err)
{
	*fd = open(path, O_RDONLY | O_CLOEXEC);
	if (*fd >= 0)
		return 0;
	const int error = errno;

	if (error == EACCES || error == EPERM)
		return err_set(err, -error,
			"no permission to open %s, the generic node of %s: run as root", path,
			name);
	return err_set(err, -error, "cannot open %s, the generic node of %s: %s", path, name,
		err_errno_text(error));
}

static int check(const char *name, const struct target_name *found, struct err *err)
{
	const struct inventory_namespace *ns = found->ns;

	if (!ns || S_ISREG(found->st.st_mode))
		return refuse(err, -ENOTSUP, name,
			"the backend uring_cmd sends NVMe commands: it needs an NVMe namespace");
	if (found->has_block && found->block.partition)
		return refuse(err, -ENOTSUP, name,
			"the backend uring_cmd goes past partitions: name the whole namespace");
	if (!ns->topo.generic[0])
		return refuse(err, -ENOTSUP, name,
			"it has no generic node (/dev/ngXnY), which passthrough needs (kernel 5.13)");
	if (!ns->identify_info.read_at || !ns->identify.format_valid || !ns->identify.size_blocks)
		return refuse(err, -EACCES, name,
			"its format is not known, which passthrough needs: reading it takes root");
	return 0;
}

int target_generic_open(const char *name, const struct target_name *found, struct sweep_target *out,
	struct err *err)
{
	const struct inventory_namespace *ns = found->ns;
	const struct identify_namespace *identify;
	char path[64];
	struct stat st;
	int rc = check(name, found, err);

	if (rc)
		return rc;
	identify = &ns->identify;
	str_format(path, sizeof(path), "/dev/%s", ns->topo.generic);
	rc = open_node(name, path, &out->io.fd, err);
	if (rc)
		return rc;
	if (fstat(out->io.fd, &st) || !S_ISCHR(st.st_mode))
		return refuse(err, -ENOTSUP, path, "is no character device");
	/* Answered by the kernel: which namespace the descriptor means. */
	const int nsid = ioctl(out->io.fd, NVME_IOCTL_ID);

	if (nsid <= 0 || (ns->topo.nsid && (uint32_t)nsid != ns->topo.nsid))
		return err_set(err, -ESTALE,
			"%s is no longer namespace %u of its drive: look at nvsweep list again",
			path, ns->topo.nsid);
	out->io.passthrough = true;
	out->io.nsid = (uint32_t)nsid;
	out->io.lba_bytes = identify->lba_bytes;
	out->io.metadata_bytes = identify->metadata_bytes;
	out->io.metadata_extended = identify->metadata_extended;
	out->io.protection = identify->protection != 0;
	out->io.max_transfer_bytes = largest_command(found);
	out->io.buffer_alignment = PAGE;
	out->io.io_poll = found->has_block && found->block.io_poll;
	if (__builtin_mul_overflow(
		    identify->size_blocks, (uint64_t)identify->lba_bytes, &out->io.size_bytes))
		return refuse(err, -EOVERFLOW, path, "its size is larger than any drive");
	out->device = st.st_rdev;
	out->inode = 0;
	return 0;
}
