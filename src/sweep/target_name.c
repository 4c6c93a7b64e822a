/* Names of targets: what they lead to, and why something cannot be one. */
#include "sweep/target_name.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "base/str.h"

static const char *bare(const char *name)
{
	return str_starts_with(name, "/dev/") ? name + 5 : name;
}

static int refuse(struct err *err, int code, const char *format, const char *a, const char *b)
{
	char text[400];

	/* format is one of the literals below: at most two strings */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(text, sizeof(text), format, a, b);
#pragma GCC diagnostic pop
	return err_set_exit(err, ERR_EXIT_USAGE, code, "%s", text);
}

static const char *nearest_target(const char *name, const struct inventory *inventory)
{
	const char **names, *nearest;
	size_t count = 0;

	if (!inventory)
		return NULL;
	names = mem_alloc((inventory->namespace_count + inventory->block_device_count +
				  inventory->controller_count + 1) *
		sizeof(*names));
	for (size_t i = 0; i < inventory->namespace_count; i++)
		if (inventory->namespaces[i].topo.name[0])
			names[count++] = inventory->namespaces[i].topo.name;
	for (size_t i = 0; i < inventory->block_device_count; i++)
		names[count++] = inventory->block_devices[i].geometry.name;
	for (size_t i = 0; i < inventory->controller_count; i++)
		if (inventory->controllers[i].simulated)
			names[count++] = inventory->controllers[i].topo.name;
	nearest = str_nearest(name, names, count);
	free(names);
	return nearest;
}

/* There is no node and no file of that name: why may that be? */
static int explain_missing(const char *name, const struct inventory *inventory, struct err *err)
{
	const char *word = bare(name), *nearest;
	const struct inventory_namespace *ns =
		inventory ? inventory_find_namespace(inventory, word) : NULL;
	struct blockdev block;

	if (ns && ns->replayed)
		return refuse(err, -ENXIO,
			"%s comes from a capture: there is no drive here to read from", word, "");
	if (ns && strcmp(ns->topo.name, word) && ns->topo.name[0])
		return refuse(err, -ENXIO, "%s is one path of %s: name that", word, ns->topo.name);
	if (!strchr(word, '/') && !blockdev_read("", word, &block, NULL)) {
		if (block.hidden)
			return refuse(err, -ENXIO,
				"%s is a hidden node, one path of a multipath namespace: name the "
				"namespace%s",
				word, "");
		return refuse(err, -ENXIO,
			"%s exists, but its node /dev/%s is not visible here (a container?)", word,
			word);
	}
	nearest = nearest_target(word, inventory);
	if (nearest)
		return refuse(
			err, -ENOENT, "no device or file \"%s\": the nearest is %s", name, nearest);
	return refuse(err, -ENOENT, "no device or file \"%s\": nvsweep list shows the drives%s",
		name, "");
}

static int find_path(const char *name, const struct inventory *inventory, struct target_name *out,
	struct err *err)
{
	int error;

	if (strlen(name) + 6 > sizeof(out->path))
		return refuse(err, -ENAMETOOLONG, "the target's name is too long%s%s", "", "");
	if (!name[0])
		return refuse(err, -ENOENT, "the target's name is empty%s%s", "", "");
	if (!strchr(name, '/')) {
		str_format(out->path, sizeof(out->path), "/dev/%s", name);
		if (!stat(out->path, &out->st))
			return 0;
	}
	str_copy(out->path, sizeof(out->path), name);
	if (!stat(out->path, &out->st))
		return 0;
	error = errno;
	if (error == ENOENT || error == ENOTDIR)
		return explain_missing(name, inventory, err);
	return err_set(err, -error, "%s: %s", name, err_errno_text(error));
}

/* A character device: mostly a controller or a generic node, where the block node was meant. */
static int refuse_character(const char *name, const struct inventory *inventory, struct err *err)
{
	const char *word = bare(name);
	const struct inventory_controller *controller =
		inventory ? inventory_find_controller(inventory, word) : NULL;

	if (controller) {
		for (size_t i = 0; i < inventory->namespace_count; i++)
			if (inventory->namespaces[i].topo.name[0] &&
				inventory_namespace_of(&inventory->namespaces[i], controller))
				return refuse(err, -ENOTBLK,
					"%s is a controller: name one of its namespaces, such as %s",
					word, inventory->namespaces[i].topo.name);
		return refuse(
			err, -ENOTBLK, "%s is a controller without namespaces to read%s", word, "");
	}
	return refuse(err, -ENOTBLK, "%s is a character device: name a block device or a file%s",
		name, "");
}

/* The namespace whose generic node is meant. */
static const struct inventory_namespace *find_generic(
	const char *name, const struct inventory *inventory)
{
	const struct inventory_namespace *ns =
		inventory ? inventory_find_namespace(inventory, bare(name)) : NULL;

	return ns && !strcmp(ns->topo.generic, bare(name)) ? ns : NULL;
}

static int check_type(
	const char *name, const struct inventory *inventory, const struct stat *st, struct err *err)
{
	switch (st->st_mode & S_IFMT) {
	case S_IFBLK:
		return 0;
	case S_IFREG:
		if (st->st_size > 0)
			return 0;
		return refuse(err, -EINVAL,
			"%s is empty (0 bytes): there is nothing to read; --size 1G with a new name "
			"makes a file%s",
			name, "");
	case S_IFDIR:
		return refuse(err, -EISDIR, "%s is a directory: name a block device or a file%s",
			name, "");
	case S_IFCHR:
		if (find_generic(name, inventory))
			return 0;
		return refuse_character(name, inventory, err);
	default:
		return refuse(err, -EINVAL,
			"%s is a pipe or a socket: name a block device or a file%s", name, "");
	}
}

/* A simulated namespace, by its name or its controller's (its first), with or without "demo:". */
static bool find_simulated(
	const char *name, const struct inventory *inventory, struct target_name *out)
{
	const char *word = str_starts_with(name, "demo:") ? name + 5 : name;

	for (size_t i = 0; inventory && i < inventory->namespace_count; i++) {
		const struct inventory_namespace *ns = &inventory->namespaces[i];

		if (!ns->simulated || ns->replayed ||
			ns->controller_index >= inventory->controller_count ||
			(strcmp(ns->topo.name, word) && strcmp(ns->topo.controller, word)))
			continue;
		out->ns = ns;
		out->controller = &inventory->controllers[ns->controller_index];
		out->simulated = true;
		str_format(out->path, sizeof(out->path), "demo:%s", ns->topo.name);
		return true;
	}
	return false;
}

static int refuse_simulated(const char *name, const struct inventory *inventory, struct err *err)
{
	const char *nearest;

	if (!inventory || !inventory->controller_count || !inventory->controllers[0].simulated)
		return refuse(err, -ENOENT,
			"%s: there are no simulated drives here: start with --demo%s", name, "");
	nearest = nearest_target(name + 5, inventory);
	if (nearest)
		return refuse(err, -ENOENT, "there is no simulated drive \"%s\": the nearest is %s",
			name + 5, nearest);
	return refuse(err, -ENOENT,
		"there is no simulated drive \"%s\": nvsweep list --demo shows them%s", name + 5,
		"");
}

/* The block device beside it, where there is one, has the disk's limits and statistics. */
static void resolve_generic(const struct inventory_namespace *ns, const struct inventory *inventory,
	struct target_name *out)
{
	out->ns = ns;
	if (ns->controller_index < inventory->controller_count)
		out->controller = &inventory->controllers[ns->controller_index];
	out->has_block = ns->topo.name[0] && !blockdev_read("", ns->topo.name, &out->block, NULL);
}

int target_name_resolve(const char *name, const struct inventory *inventory,
	struct target_name *out, struct err *err)
{
	int rc;

	*out = (struct target_name){0};
	if (find_simulated(name, inventory, out))
		return 0;
	if (str_starts_with(name, "demo:"))
		return refuse_simulated(name, inventory, err);
	rc = find_path(name, inventory, out, err);
	if (!rc)
		rc = check_type(name, inventory, &out->st, err);
	if (rc)
		return rc;
	if (S_ISCHR(out->st.st_mode)) {
		resolve_generic(find_generic(name, inventory), inventory, out);
		return 0;
	}
	const bool block = S_ISBLK(out->st.st_mode);
	const dev_t device = block ? out->st.st_rdev : out->st.st_dev;

	/* Files on file systems without one device of their own (btrfs, overlay) have major 0. */
	out->has_block = major(device) && !blockdev_read_devt("", device, &out->block, NULL);
	if (block && !out->has_block)
		return refuse(err, -ENXIO, "%s: the kernel knows no such block device%s", name, "");
	if (block && !out->block.size_bytes)
		return refuse(err, -ENOMEDIUM, "%s has no size: no medium, or nothing attached%s",
			name, "");
	if (inventory && out->has_block) {
		const char *disk = out->block.partition ? out->block.parent : out->block.name;

		out->ns = inventory_find_namespace(inventory, disk);
		if (out->ns && out->ns->controller_index < inventory->controller_count)
			out->controller = &inventory->controllers[out->ns->controller_index];
	}
	if (block && out->ns && out->ns->no_sweep[0])
		return refuse(
			err, -ENOTSUP, "%s cannot be read in a test: %s", name, out->ns->no_sweep);
	return 0;
}

/* Names of file systems by the magic of statfs(2): for those whose device tells nothing. */
static void file_system_name(const struct target_name *name, char *buf, size_t size)
{
	static const struct {
		unsigned long magic;
		const char *name;
	} magics[] = {{0x9123683e, "btrfs"}, {0x58465342, "xfs"}, {0x01021994, "tmpfs"},
		{0x858458f6, "ramfs"}, {0x6969, "nfs"}, {0x794c7630, "overlay"},
		{0x2fc12fc1, "zfs"}, {0x65735546, "fuse"}, {0xf2f52010, "f2fs"},
		{0xca451a4e, "bcachefs"}, {0xfe534d42, "smb2"}, {0x01021997, "9p"},
		{0x4d44, "vfat"}, {0x2011bab0, "exfat"}, {0xef53, "ext4"}};
	char line[1024], type[32];
	unsigned device_major, device_minor;
	struct statfs fs;
	FILE *mounts = fopen("/proc/self/mountinfo", "re");

	buf[0] = '\0';
	/* "36 35 98:0 /root /mnt options [tags] - ext4 /dev/root options" */
	while (mounts && fgets(line, sizeof(line), mounts)) {
		const char *dash = strstr(line, " - ");

		if (!dash || sscanf(line, "%*u %*u %u:%u", &device_major, &device_minor) != 2 ||
			sscanf(dash, " - %31s", type) != 1)
			continue;
		if (makedev(device_major, device_minor) == name->st.st_dev) {
			str_copy(buf, size, type);
			break;
		}
	}
	if (mounts)
		fclose(mounts);
	if (buf[0] || statfs(name->path, &fs))
		return;
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if ((unsigned long)fs.f_type == magics[i].magic)
			str_copy(buf, size, magics[i].name);
}

static void describe_namespace(const struct inventory_namespace *ns, struct run_target *out)
{
	const char *unique = ns->topo.nguid;

	out->nsid = ns->topo.nsid;
	out->simulated = ns->simulated;
	out->metadata_bytes = ns->metadata_bytes;
	if (!unique[0])
		unique = ns->topo.eui64;
	if (!unique[0])
		unique = ns->topo.uuid;
	if (!unique[0] && ns->identify_info.read_at)
		unique = ns->identify.nguid[0] ? ns->identify.nguid : ns->identify.eui64;
	str_copy(out->unique_id, sizeof(out->unique_id), unique);
}

void target_name_describe(const struct target_name *name, struct run_target *out)
{
	const bool file = S_ISREG(name->st.st_mode);
	const char *slash = strrchr(name->path, '/');
	struct blockdev disk;

	*out = (struct run_target){.numa_node = -1};
	str_sanitize_utf8(out->path, sizeof(out->path), name->path);
	str_sanitize_utf8(out->name, sizeof(out->name),
		name->simulated           ? name->ns->topo.name
			: file            ? (slash ? slash + 1 : name->path)
			: name->has_block ? name->block.name
					  : name->ns->topo.generic);
	str_copy(out->kind, sizeof(out->kind),
		file               ? "file"
			: name->ns ? "namespace"
				   : "block device");
	out->size_bytes = file ? (uint64_t)name->st.st_size : name->block.size_bytes;
	if (name->simulated || S_ISCHR(name->st.st_mode)) {
		out->size_bytes = name->ns->size_known ? (uint64_t)name->ns->size_bytes
						       : name->ns->topo.size_bytes;
		out->lba_bytes = name->ns->lba_bytes;
	}
	if (file)
		file_system_name(name, out->file_system, sizeof(out->file_system));
	if (name->has_block) {
		disk = name->block;
		if (disk.partition && disk.parent[0])
			blockdev_read("", disk.parent, &disk, NULL);
		out->lba_bytes = disk.logical_block_bytes;
		out->metadata_bytes = disk.metadata_bytes;
		out->numa_node = disk.numa_node;
		str_copy(out->scheduler, sizeof(out->scheduler), disk.scheduler);
		str_copy(out->model, sizeof(out->model), disk.model);
		str_copy(out->serial, sizeof(out->serial), disk.serial);
		str_copy(out->transport, sizeof(out->transport), disk.transport);
		out->rotational = disk.rotational;
	}
	if (name->ns)
		describe_namespace(name->ns, out);
	if (name->controller) {
		const struct inventory_controller *c = name->controller;

		str_copy(out->model, sizeof(out->model), c->topo.model);
		str_copy(out->serial, sizeof(out->serial), c->topo.serial);
		str_copy(out->firmware, sizeof(out->firmware), c->topo.firmware);
		out->link_gts = c->env.link_gts;
		out->link_width = c->env.link_width;
		out->link_max_gts = c->env.link_max_gts;
		out->link_max_width = c->env.link_max_width;
		out->link_slot_gts = c->env.slot_max_gts;
		out->link_slot_width = c->env.slot_max_width;
		str_copy(out->transport, sizeof(out->transport), c->topo.transport);
		if (out->numa_node < 0)
			out->numa_node = c->env.numa_node;
	}
}
