/* Gathers what the gate judges by. The one file that knows libmount and libblkid. */
#include "sweep/gate_facts.h"

#include <blkid/blkid.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libmount/libmount.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "sweep/gate_family.h"
#include "sweep/gate_openers.h"
#include "sweep/gate_uses.h"
#include "sweep/gate_zfs.h"
#include "sweep/scratch.h"

/* ---- adding to the facts -------------------------------------------------------------------- */

struct gate_use *gate_facts_use(
	struct gate_facts *facts, enum gate_rule rule, const char *device, const char *format, ...)
{
	struct gate_use *use;
	char by[512], clean[sizeof(use->by)];
	va_list args;

	va_start(args, format);
	vsnprintf(by, sizeof(by), format, args);
	va_end(args);
	str_sanitize_utf8(clean, sizeof(clean), by);
	for (size_t i = 0; i < facts->use_count; i++) {
		use = &facts->uses[i];
		if (use->rule == rule && !strcmp(use->device, device) && !strcmp(use->by, clean))
			return use;
	}
	if (facts->use_count == GATE_USES_MAX) {
		facts->uses_cut = true;
		return NULL;
	}
	use = &facts->uses[facts->use_count++];
	*use = (struct gate_use){.rule = rule, .harmless = rule == GATE_OPEN_ELSEWHERE};
	str_copy(use->device, sizeof(use->device), device);
	str_copy(use->by, sizeof(use->by), clean);
	return use;
}

void gate_facts_signature(struct gate_facts *facts, const struct gate_signature *signature)
{
	for (size_t i = 0; i < facts->signature_count; i++)
		if (!strcmp(facts->signatures[i].type, signature->type) &&
			!strcmp(facts->signatures[i].device, signature->device))
			return;
	if (facts->signature_count == GATE_SIGNATURES_MAX)
		facts->signatures_cut = true;
	else
		facts->signatures[facts->signature_count++] = *signature;
}

void gate_facts_unknown(struct gate_facts *facts, bool overridable, const char *format, ...)
{
	struct gate_unknown *unknown;
	char text[512];
	va_list args;

	if (facts->unknown_count == GATE_UNKNOWN_MAX) {
		facts->unknown_cut = true;
		return;
	}
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	unknown = &facts->unknown[facts->unknown_count++];
	unknown->overridable = overridable;
	str_sanitize_utf8(unknown->text, sizeof(unknown->text), text);
}

/* ---- mounts and swap (libmount) ------------------------------------------------------------- */

/* A line that libmount cannot read may be the one that matters. */
static int table_fault(struct libmnt_table *table, const char *file, int line)
{
	(void)file;
	(void)line;
	*(bool *)mnt_table_get_userdata(table) = true;
	return 1; /* skip it and go on */
}

static struct libmnt_table *read_table(const char *path, bool swaps, bool *faulty)
{
	struct libmnt_table *table = mem_check(mnt_new_table());

	*faulty = false;
	mnt_table_set_userdata(table, faulty);
	mnt_table_set_parser_errcb(table, table_fault);
	if (swaps ? mnt_table_parse_swaps(table, path) : mnt_table_parse_file(table, path)) {
		mnt_unref_table(table);
		return NULL;
	}
	return table;
}

/* Journals and logs on devices of their own stand in the options: "logdev=/dev/nvme0n1p3". */
static const struct gate_device *find_in_options(
	const struct gate_family *family, const char *options)
{
	const struct gate_device *device = NULL;
	char path[256];

	for (const char *at = options; at && !device && (at = strstr(at, "=/dev/")) != NULL; at++) {
		str_format(path, sizeof(path), "%.*s", (int)strcspn(at + 1, ","), at + 1);
		device = gate_family_device_path(family, path);
	}
	return device;
}

/* The pool's name is the first part of the source, and the label of its members. */
static const char *find_pool(const struct gate_facts *facts, const char *source)
{
	for (size_t i = 0; i < facts->signature_count; i++) {
		const struct gate_signature *s = &facts->signatures[i];
		const size_t length = strlen(s->label);

		if (!strcmp(s->type, "zfs_member") && length &&
			!strncmp(s->label, source, length) &&
			(source[length] == '/' || source[length] == '\0'))
			return s->device;
	}
	return NULL;
}

static void look_at_mount(const struct gate_family *family, struct libmnt_fs *fs, const char *whose,
	struct gate_facts *facts)
{
	const char *source = mnt_fs_get_source(fs), *type = mnt_fs_get_fstype(fs);
	const char *place = mnt_fs_get_target(fs), *name = NULL;
	const struct gate_device *device = gate_family_device(family, mnt_fs_get_devno(fs));

	/* btrfs and the like have a number of their own: the source names one of the members */
	if (!device && source)
		device = gate_family_device_path(family, source);
	if (!device)
		device = find_in_options(family, mnt_fs_get_fs_options(fs));
	if (device)
		name = device->name;
	else if (type && source && !strcmp(type, "zfs"))
		name = find_pool(facts, source);
	if (name)
		gate_facts_use(facts, GATE_MOUNTED, name, "%s%s", place ? place : "?", whose);
}

static bool read_mounts(const struct gate_family *family, const char *path, const char *whose,
	struct gate_facts *facts)
{
	struct libmnt_iter *iter;
	struct libmnt_fs *fs;
	bool faulty;
	struct libmnt_table *table = read_table(path, false, &faulty);

	if (!table)
		return false;
	iter = mem_check(mnt_new_iter(MNT_ITER_FORWARD));
	while (!mnt_table_next_fs(table, iter, &fs))
		look_at_mount(family, fs, whose, facts);
	mnt_free_iter(iter);
	mnt_unref_table(table);
	return !faulty;
}

/* Other mount namespaces: containers, sandboxed services. One process of each is enough. The kernel
 * claims what is mounted there too, so what cannot be read is left to O_EXCL. */
static void read_other_mounts(const struct gate_family *family, struct gate_facts *facts)
{
	char path[PATH_MAX + 300], text[64], own[64] = "", command[32], whose[64];
	char(*seen)[64] = NULL;
	size_t seen_count = 0, k;
	struct dirent *entry;
	ssize_t length;
	DIR *dir;

	str_format(path, sizeof(path), "%s/proc/self/ns/mnt", family->root);
	length = readlink(path, own, sizeof(own) - 1);
	if (length > 0)
		own[length] = '\0';
	str_format(path, sizeof(path), "%s/proc", family->root);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)) != NULL) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		str_format(path, sizeof(path), "%s/proc/%s/ns/mnt", family->root, entry->d_name);
		length = readlink(path, text, sizeof(text) - 1);
		if (length <= 0)
			continue;
		text[length] = '\0';
		for (k = 0; k < seen_count && strcmp(seen[k], text) != 0; k++)
			;
		if (k < seen_count || !strcmp(text, own))
			continue;
		str_format(path, sizeof(path), "%s/proc/%s/comm", family->root, entry->d_name);
		if (file_read_text(path, command, sizeof(command)))
			str_copy(command, sizeof(command), "a process");
		str_format(
			whose, sizeof(whose), " (as seen by %s, pid %s)", command, entry->d_name);
		str_format(path, sizeof(path), "%s/proc/%s/mountinfo", family->root, entry->d_name);
		/* a process that ends meanwhile: another of its namespace is tried */
		if (!read_mounts(family, path, whose, facts))
			continue;
		seen = mem_realloc(seen, (seen_count + 1) * sizeof(*seen));
		memcpy(seen[seen_count++], text, sizeof(text));
	}
	if (dir)
		closedir(dir);
	free(seen);
}

static void read_swaps(const struct gate_family *family, struct gate_facts *facts)
{
	const struct gate_device *device;
	const struct gate_file *file;
	struct libmnt_table *table;
	struct libmnt_iter *iter;
	struct libmnt_fs *fs;
	char path[PATH_MAX];
	bool faulty;

	str_format(path, sizeof(path), "%s/proc/swaps", family->root);
	if (access(path, F_OK) && errno == ENOENT)
		return; /* a kernel without swap */
	table = read_table(path, true, &faulty);
	if (!table || faulty)
		gate_facts_unknown(
			facts, false, "whether it is swap cannot be read in /proc/swaps");
	if (!table)
		return;
	iter = mem_check(mnt_new_iter(MNT_ITER_FORWARD));
	while (!mnt_table_next_fs(table, iter, &fs)) {
		const char *source = mnt_fs_get_source(fs);

		device = source ? gate_family_device_path(family, source) : NULL;
		file = source && !device ? gate_family_file_path(family, source) : NULL;
		if (device || file)
			gate_facts_use(
				facts, GATE_SWAP, device ? device->name : file->name, "swap");
	}
	mnt_free_iter(iter);
	mnt_unref_table(table);
}

/* ---- content (libblkid) --------------------------------------------------------------------- */

static void take_signature(blkid_probe probe, const char *device, struct gate_facts *facts)
{
	struct gate_signature signature = {0};
	const char *type = NULL, *usage = "", *label = "";

	if (blkid_probe_lookup_value(probe, "TYPE", &type, NULL)) {
		if (blkid_probe_lookup_value(probe, "PTTYPE", &type, NULL))
			return;
		signature.table = true;
	}
	blkid_probe_lookup_value(probe, "USAGE", &usage, NULL);
	blkid_probe_lookup_value(probe, "LABEL", &label, NULL);
	signature.member = !strcmp(usage, "raid") || !strcmp(usage, "crypto") ||
		!strcmp(type, "zfs_member") || !strcmp(type, "bcache");
	str_copy(signature.device, sizeof(signature.device), device);
	str_sanitize(signature.type, sizeof(signature.type), type, strlen(type));
	str_sanitize_utf8(signature.label, sizeof(signature.label), label);
	gate_facts_signature(facts, &signature);
}

static bool ends_readable(int fd, uint64_t start, uint64_t size)
{
	const size_t part = size < 4096 ? (size_t)size : 4096;
	char buf[4096];

	return pread(fd, buf, part, (off_t)start) == (ssize_t)part &&
		pread(fd, buf, part, (off_t)(start + size - part)) == (ssize_t)part;
}

/* Looks for signatures in one part of the descriptor. */
static void probe_part(
	int fd, uint64_t start, uint64_t size, const char *device, struct gate_facts *facts)
{
	struct gate_signature zfs = {.type = "zfs_member", .member = true};

	_Static_assert(sizeof(zfs.label) >= GATE_ZFS_POOL_BYTES, "the pool's name fits");
	blkid_probe probe;
	int rc;

	if (!size)
		return;
	/* libblkid takes what cannot be read for what is not there */
	if (!ends_readable(fd, start, size)) {
		gate_facts_unknown(facts, false, "the content of %s cannot be read: %s", device,
			err_errno_text(errno));
		return;
	}
	/* ahead of libblkid, which would not tell the pool */
	rc = gate_zfs_find(fd, start, size, zfs.label);
	if (rc < 0)
		gate_facts_unknown(facts, false, "the content of %s cannot be read: %s", device,
			err_errno_text(rc));
	str_copy(zfs.device, sizeof(zfs.device), device);
	if (rc > 0)
		gate_facts_signature(facts, &zfs);
	probe = mem_check(blkid_new_probe());
	blkid_probe_enable_superblocks(probe, 1);
	blkid_probe_set_superblocks_flags(probe,
		BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE | BLKID_SUBLKS_LABEL | BLKID_SUBLKS_BADCSUM);
	blkid_probe_enable_partitions(probe, 1);
	blkid_probe_set_partitions_flags(probe, BLKID_PARTS_FORCE_GPT);
	rc = blkid_probe_set_device(probe, fd, (blkid_loff_t)start, (blkid_loff_t)size);
	while (!rc && !(rc = blkid_do_probe(probe)))
		take_signature(probe, device, facts);
	blkid_free_probe(probe);
	if (rc < 0)
		gate_facts_unknown(facts, false, "the content of %s cannot be probed", device);
}

/* A descriptor with the page cache: libblkid reads unaligned. A generic device has no content to read,
 * the block device beside it has. */
static int open_content(int fd, const struct gate_family *family, struct gate_facts *facts)
{
	char path[PATH_MAX];
	struct stat st;
	int cached;

	if (facts->generic)
		str_format(path, sizeof(path), "%s/dev/%s", family->root, facts->sibling);
	else
		str_format(path, sizeof(path), "/proc/self/fd/%d", fd);
	cached = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (cached < 0) {
		gate_facts_unknown(
			facts, false, "its content cannot be read: %s", err_errno_text(errno));
		return -1;
	}
	if (facts->generic &&
		(fstat(cached, &st) || !S_ISBLK(st.st_mode) ||
			st.st_rdev != facts->sibling_device)) {
		gate_facts_unknown(facts, false, "%s is not the block device beside it", path);
		close(cached);
		return -1;
	}
	return cached;
}

/* The block device that is written to: partitions of its own count, not its siblings. */
static const char *self_name(const struct gate_family *family)
{
	for (size_t i = 0; i < family->device_count; i++)
		if (family->devices[i].self && !family->devices[i].generic)
			return family->devices[i].name;
	return "";
}

/* Signatures of the target and of each partition of a whole disk. */
static void read_signatures(int fd, const struct gate_family *family, struct gate_facts *facts)
{
	const int cached = open_content(fd, family, facts);
	struct blockdev block;

	if (cached < 0)
		return;
	/* what was read before may be older than what direct I/O wrote since */
	posix_fadvise(cached, 0, 0, POSIX_FADV_DONTNEED);
	probe_part(cached, 0, facts->size_bytes, facts->subject, facts);
	for (size_t i = 0; i < family->device_count; i++) {
		const struct gate_device *d = &family->devices[i];

		if (d->self || d->generic || d->backing ||
			blockdev_read_devt(family->root, d->device, &block, NULL) ||
			!block.partition || strcmp(self_name(family), block.parent) != 0 ||
			block.offset_bytes >= facts->size_bytes ||
			block.size_bytes > facts->size_bytes - block.offset_bytes)
			continue;
		probe_part(cached, block.offset_bytes, block.size_bytes, d->name, facts);
	}
	close(cached);
}

/* ---- the target itself ---------------------------------------------------------------------- */

/* Files there are switches of the kernel or of the firmware. */
static const char *not_storage(unsigned long magic)
{
	static const struct {
		unsigned long magic;
		const char *name;
	} kinds[] = {{0x9fa0, "proc"}, {0x62656572, "sysfs"}, {0x64626720, "debugfs"},
		{0x74726163, "tracefs"}, {0x62656570, "configfs"}, {0xde5e81e4, "efivarfs"},
		{0x63677270, "cgroup2"}, {0x27e0eb, "cgroup"}, {0x73636673, "securityfs"},
		{0xf97cff8c, "selinuxfs"}, {0xcafe4a11, "bpf"}, {0x6165676c, "pstore"},
		{0x42494e4d, "binfmt_misc"}, {0x19800202, "mqueue"}, {0x6e736673, "nsfs"}};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].magic == (magic & 0xffffffff))
			return kinds[i].name;
	return "";
}

/* nvsweep's own file: by the path that the descriptor has now, and the same file there. */
static bool is_own_file(int fd, const struct stat *st)
{
	char link[64], path[PATH_MAX];
	struct stat there;
	ssize_t length;

	str_format(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	if (length <= 0)
		return false;
	path[length] = '\0';
	return !lstat(path, &there) && there.st_dev == st->st_dev && there.st_ino == st->st_ino &&
		scratch_is_ours(path);
}

static void read_file(
	const struct sweep_target *target, int fd, const struct stat *st, struct gate_facts *facts)
{
	const char *slash = strrchr(target->info.path, '/');
	struct statfs fs;
	struct statx more;

	facts->own_file = is_own_file(fd, st);
	facts->name_too_long =
		strlen(slash ? slash + 1 : target->info.path) >= sizeof(target->info.name);
	if (fstatfs(fd, &fs))
		gate_facts_unknown(facts, false, "its file system cannot be looked at: %s",
			err_errno_text(errno));
	else if (fs.f_flags & ST_RDONLY)
		str_copy(facts->read_only, sizeof(facts->read_only),
			"its file system is mounted read-only");
	else
		str_copy(facts->not_storage, sizeof(facts->not_storage),
			not_storage((unsigned long)fs.f_type));
	if (!statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_BASIC_STATS, &more) &&
		(more.stx_attributes &
			(STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND | STATX_ATTR_VERITY)))
		str_copy(facts->read_only, sizeof(facts->read_only),
			"it has an attribute that keeps it as it is (lsattr shows it)");
}

static void read_device(
	const struct gate_family *family, int fd, dev_t device, struct gate_facts *facts)
{
	struct blockdev block;
	int read_only = 0;

	if (blockdev_read_devt(family->root, device, &block, NULL)) {
		gate_facts_unknown(facts, false, "the kernel's facts about it cannot be read");
		return;
	}
	facts->hidden = block.hidden;
	str_copy(facts->zoned, sizeof(facts->zoned), block.zoned);
	if (block.read_only || (!ioctl(fd, BLKROGET, &read_only) && read_only))
		str_copy(facts->read_only, sizeof(facts->read_only),
			"the kernel has it as read-only (blockdev --getro)");
}

static void read_users(const struct gate_family *family, enum gate_hidden hidden,
	enum gate_depth depth, struct gate_facts *facts)
{
	char path[PATH_MAX];

	str_format(path, sizeof(path), "%s/proc/self/mountinfo", family->root);
	if (family->device_count) {
		if (!read_mounts(family, path, "", facts))
			gate_facts_unknown(facts, false,
				"whether it is mounted cannot be read in /proc/self/mountinfo");
		/* once it is held, the kernel lets nobody mount it anywhere */
		if (depth == GATE_FULL)
			read_other_mounts(family, facts);
	}
	read_swaps(family, facts);
	gate_uses_read(family, facts);
	gate_openers_read(family, hidden, facts);
}

static void make_family(const struct sweep_target *target, const struct stat *st,
	struct gate_family *family, dev_t *block, struct gate_facts *facts)
{
	const dev_t device = (dev_t)target->device;

	*block = 0;
	if (target->is_file) {
		gate_family_add_file(family, target->info.name, st->st_dev, st->st_ino);
		return;
	}
	facts->generic = S_ISCHR(st->st_mode);
	if (facts->generic) {
		*block = gate_family_add_generic(family, device, facts);
		facts->sibling_device = *block;
		if (*block)
			str_copy(facts->sibling, sizeof(facts->sibling),
				gate_family_device(family, *block)->name);
		return;
	}
	*block = device;
	if (gate_family_add_block(family, device, false, facts))
		gate_facts_unknown(facts, false, "the kernel's facts about it cannot be read");
}

int gate_facts_read(const struct sweep_target *target, int fd, const struct gate_sources *sources,
	uint64_t offset, uint64_t length, enum gate_depth depth, struct gate_facts *out,
	struct err *err)
{
	const char *root = sources->root ? sources->root : "";
	struct gate_family family;
	enum gate_hidden hidden = GATE_HIDDEN_REFUSES;
	struct stat st;
	dev_t block;

	*out = (struct gate_facts){.simulated = target->info.simulated,
		.is_file = target->is_file,
		.offset = offset,
		.length = length,
		.size_bytes = target->io.size_bytes,
		.lba_bytes = target->io.lba_bytes};
	str_copy(out->subject, sizeof(out->subject), target->info.name);
	if (out->simulated)
		return 0;
	if (fstat(fd, &st))
		return err_set(err, -errno, "%s: %s", target->io.name, err_errno_text(errno));
	gate_family_init(&family, root);
	make_family(target, &st, &family, &block, out);
	if (target->is_file) {
		read_file(target, fd, &st, out);
		/* rights of single users (ACL) show in the group's bits */
		if (!(st.st_mode & 022))
			hidden = out->own_file ? GATE_HIDDEN_IGNORED : GATE_HIDDEN_TYPED;
	} else if (block) {
		read_device(&family, fd, block, out);
	}
	if (depth == GATE_FULL) {
		if (!out->not_storage[0] && (!out->generic || out->sibling[0]))
			read_signatures(fd, &family, out);
		if (family.disk[0] && str_starts_with(family.disk, "nvme"))
			gate_nvme_read(family.disk, sources, out);
		else if (out->generic)
			gate_nvme_read(family.devices[0].name, sources, out);
	}
	read_users(&family, hidden, depth, out);
	gate_family_free(&family);
	return 0;
}
