/* Loop devices and what they write to; paths to device numbers. */
#include "sweep/gate_loop.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/loop.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"

/* statx that is content with what is cached: a dead server keeps nobody waiting. */
static bool look(const char *path, struct statx *st)
{
	return !statx(
		AT_FDCWD, path, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, STATX_TYPE | STATX_INO, st);
}

bool gate_path_file(const char *path, dev_t *device, uint64_t *inode)
{
	struct statx st;

	if (path[0] != '/' || !look(path, &st) || !S_ISREG(st.stx_mode))
		return false;
	*device = makedev(st.stx_dev_major, st.stx_dev_minor);
	*inode = st.stx_ino;
	return true;
}

bool gate_path_device(const char *root, const char *path, dev_t *device)
{
	char name[64], attribute[PATH_MAX], text[32];
	unsigned high, low;
	struct statx st;

	if (!str_starts_with(path, "/dev/"))
		return false;
	if (str_copy(name, sizeof(name), path + 5) < sizeof(name)) {
		/* "cciss/c0d0" is "cciss!c0d0" in sysfs */
		for (char *at = name; (at = strchr(at, '/')) != NULL;)
			*at = '!';
		str_format(attribute, sizeof(attribute), "%s/sys/class/block/%s/dev", root, name);
		if (!file_read_text(attribute, text, sizeof(text)) &&
			sscanf(text, "%u:%u", &high, &low) == 2) {
			*device = makedev(high, low);
			return true;
		}
	}
	if (root[0] || !look(path, &st) || !S_ISBLK(st.stx_mode))
		return false;
	*device = makedev(st.stx_rdev_major, st.stx_rdev_minor);
	return true;
}

/* The kernel's own answer, which needs no path. */
static bool ask_device(const char *name, struct gate_backing *out)
{
	struct loop_info64 info;
	char node[80];
	int fd, rc;

	str_format(node, sizeof(node), "/dev/%s", name);
	fd = open(node, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	rc = ioctl(fd, LOOP_GET_STATUS64, &info);
	close(fd);
	if (rc)
		return false;
	out->block = info.lo_rdevice != 0;
	/* both are in the kernel's coding, which is that of dev_t here for all of its bits */
	out->device = out->block ? (dev_t)info.lo_rdevice : (dev_t)info.lo_device;
	out->inode = out->block ? 0 : info.lo_inode;
	return true;
}

bool gate_loop_backing(const char *root, const char *name, struct gate_backing *out)
{
	char attribute[PATH_MAX];

	*out = (struct gate_backing){0};
	str_format(attribute, sizeof(attribute), "%s/sys/class/block/%s/loop/backing_file", root,
		name);
	if (!str_starts_with(name, "loop") || access(attribute, F_OK))
		return false;
	file_read_text(attribute, out->path, sizeof(out->path));
	if (!root[0] && ask_device(name, out)) {
		out->known = true;
		return true;
	}
	out->block = gate_path_device(root, out->path, &out->device);
	out->known = out->block || gate_path_file(out->path, &out->device, &out->inode);
	return true;
}

void gate_loop_each(const char *root,
	void (*each)(void *user, const char *name, const struct gate_backing *backing), void *user)
{
	char path[PATH_MAX];
	struct gate_backing backing;
	struct dirent *entry;
	DIR *dir;

	str_format(path, sizeof(path), "%s/sys/class/block", root);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)) != NULL)
		if (gate_loop_backing(root, entry->d_name, &backing))
			each(user, entry->d_name, &backing);
	if (dir)
		closedir(dir);
}
