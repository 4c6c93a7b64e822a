/* Users of a device that sysfs and configfs name: holders, loop devices, file systems over several
 * devices, exports. */
#include "sweep/gate_uses.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "sweep/gate_loop.h"

/* "dm-0" says nothing to a reader: "dm-0 (vg-root)". */
static void holder_name(
	const struct gate_family *family, const char *holder, char *buf, size_t size)
{
	char folder[PATH_MAX], name[96];

	str_format(folder, sizeof(folder), "%s/sys/class/block/%s", family->root, holder);
	if (!file_attribute_text(folder, "dm/name", name, sizeof(name)) && name[0])
		str_format(buf, size, "%s (%s)", holder, name);
	else
		str_copy(buf, size, holder);
}

static void read_holders(const struct gate_family *family, const struct gate_device *device,
	struct gate_facts *facts)
{
	char path[PATH_MAX], name[160];
	struct dirent *entry;
	DIR *dir;

	str_format(path, sizeof(path), "%s/sys/dev/block/%u:%u/holders", family->root,
		major(device->device), minor(device->device));
	dir = opendir(path);
	if (!dir) {
		gate_facts_unknown(facts, false, "who sits on %s cannot be read: %s", device->name,
			err_errno_text(errno));
		return;
	}
	while ((entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		holder_name(family, entry->d_name, name, sizeof(name));
		gate_facts_use(facts, GATE_HOLDER, device->name, "%s", name);
	}
	closedir(dir);
	/* a cache device of bcache has no holder but this folder */
	str_format(path, sizeof(path), "%s/sys/dev/block/%u:%u/bcache", family->root,
		major(device->device), minor(device->device));
	if (!access(path, F_OK))
		gate_facts_use(facts, GATE_HOLDER, device->name, "bcache");
}

struct loop_look {
	const struct gate_family *family;
	struct gate_facts *facts;
};

/* Is this loop device of the family itself: the target, or what lies below it? Then its backing is
 * what the target writes to, not somebody else's. */
static bool own_loop(const struct gate_family *family, const char *name)
{
	for (size_t i = 0; i < family->device_count; i++)
		if (!strcmp(family->devices[i].name, name))
			return true;
	return false;
}

static bool same_name(const struct gate_family *family, const char *path)
{
	const char *slash = strrchr(path, '/');
	char name[256];

	str_copy(name, sizeof(name), slash ? slash + 1 : path);
	if (str_ends_with(name, " (deleted)"))
		name[strlen(name) - 10] = '\0';
	for (size_t i = 0; i < family->file_count; i++)
		if (!strcmp(family->files[i].name, name))
			return true;
	return false;
}

static void look_at_loop(void *user, const char *name, const struct gate_backing *backing)
{
	const struct loop_look *look = user;
	const struct gate_device *device = NULL;
	const struct gate_file *file = NULL;

	if (own_loop(look->family, name))
		return;
	if (!backing->known) {
		/* a name from elsewhere: only the same one speaks against us */
		if (same_name(look->family, backing->path))
			gate_facts_unknown(look->facts, false,
				"%s uses a file of the same name (%s) that cannot be looked at: run "
				"as root",
				name, backing->path);
		return;
	}
	if (backing->block)
		device = gate_family_device(look->family, backing->device);
	else
		file = gate_family_file(look->family, backing->device, backing->inode);
	if (device || file)
		gate_facts_use(look->facts, GATE_LOOP_BACKING, device ? device->name : file->name,
			"%s", name);
}

/* Links to devices, in a folder for each mounted file system: all members stand there, also those that
 * no mount table names. */
static void read_members(const struct gate_family *family, const char *pattern, bool link_is_name,
	const char *what, struct gate_facts *facts)
{
	char path[PATH_MAX], target[PATH_MAX], dev[PATH_MAX];
	const struct gate_device *device;
	const char *name;
	glob_t found;

	str_format(path, sizeof(path), "%s%s", family->root, pattern);
	if (glob(path, GLOB_NOSORT, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		name = strrchr(found.gl_pathv[i], '/') + 1;
		if (!link_is_name) {
			const ssize_t length =
				readlink(found.gl_pathv[i], target, sizeof(target) - 1);

			if (length <= 0)
				continue;
			target[length] = '\0';
			name = strrchr(target, '/') ? strrchr(target, '/') + 1 : target;
		}
		str_format(dev, sizeof(dev), "/dev/%s", name);
		device = gate_family_device_path(family, dev);
		if (device)
			gate_facts_use(facts, GATE_MOUNTED, device->name, "%s", what);
	}
	globfree(&found);
}

/* Exports open their devices without claiming them, and stand in no process. The file holds the path. */
static void read_exports(const struct gate_family *family, const char *pattern, const char *what,
	struct gate_facts *facts)
{
	char path[PATH_MAX], exported[512];
	const struct gate_device *device;
	const struct gate_file *file;
	glob_t found;

	str_format(path, sizeof(path), "%s%s", family->root, pattern);
	if (glob(path, GLOB_NOSORT, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		if (file_read_text(found.gl_pathv[i], exported, sizeof(exported)))
			continue;
		device = gate_family_device_path(family, exported);
		file = device ? NULL : gate_family_file_path(family, exported);
		if (device || file)
			gate_facts_use(
				facts, GATE_HOLDER, device ? device->name : file->name, "%s", what);
	}
	globfree(&found);
}

void gate_uses_read(const struct gate_family *family, struct gate_facts *facts)
{
	struct loop_look look = {.family = family, .facts = facts};

	for (size_t i = 0; i < family->device_count; i++)
		if (!family->devices[i].generic)
			read_holders(family, &family->devices[i], facts);
	gate_loop_each(family->root, look_at_loop, &look);
	read_members(family, "/sys/fs/btrfs/*/devices/*", true, "a btrfs file system", facts);
	read_members(
		family, "/sys/fs/bcachefs/*/dev-*/block", false, "a bcachefs file system", facts);
	read_exports(family, "/sys/kernel/config/nvmet/subsystems/*/namespaces/*/device_path",
		"an NVMe target of this machine (nvmet)", facts);
	read_exports(family, "/sys/kernel/config/target/core/*/*/udev_path",
		"a SCSI target of this machine (LIO)", facts);
}
