/* Who else has it open: descriptors and shared mappings of all processes that /proc shows. */
#include "sweep/gate_openers.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"

/* The first PID namespace of a machine has this number in every kernel. */
#define INITIAL_PID_NAMESPACE "pid:[4026531836]"

struct look {
	const struct gate_family *family;
	struct gate_facts *facts;
	unsigned closed;        /* processes that cannot be looked into */
	char process[PATH_MAX]; /* folder of the one that is being looked at */
	char name[48];          /* "qemu (pid 812)" */
};

static void name_process(struct look *look, const char *pid)
{
	char path[PATH_MAX + 8], command[32];

	str_format(path, sizeof(path), "%s/comm", look->process);
	if (file_read_text(path, command, sizeof(command)) || !command[0])
		str_copy(command, sizeof(command), "a process");
	str_format(look->name, sizeof(look->name), "%s (pid %s)", command, pid);
}

/* Flags of an open descriptor, in octal; -1 not known. */
static int descriptor_flags(const struct look *look, const char *descriptor)
{
	char path[PATH_MAX + 64], line[128];
	unsigned flags;
	int result = -1;
	FILE *file;

	str_format(path, sizeof(path), "%s/fdinfo/%s", look->process, descriptor);
	file = fopen(path, "re");
	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "flags: %o", &flags) == 1) {
			result = (int)flags;
			break;
		}
	fclose(file);
	return result;
}

/* The member that a link leads to. A node may have any name, so that the link is followed, content
 * with what is cached: no dead server keeps us waiting. In the tree of a test the link's text counts. */
static bool member_of_link(const struct look *look, const char *link,
	const struct gate_device **device, const struct gate_file **file)
{
	char text[PATH_MAX];
	struct statx st;
	ssize_t length;

	*device = NULL;
	*file = NULL;
	length = readlink(link, text, sizeof(text) - 1);
	/* pipes, sockets and the like: "socket:[1234]" */
	if (length <= 0 || text[0] != '/')
		return false;
	text[length] = '\0';
	if (look->family->root[0]) {
		*device = gate_family_device_path(look->family, text);
		for (size_t i = 0; !*device && i < look->family->device_count; i++)
			if (look->family->devices[i].generic && str_starts_with(text, "/dev/") &&
				!strcmp(text + 5, look->family->devices[i].name))
				*device = &look->family->devices[i];
		*file = *device ? NULL : gate_family_file_path(look->family, text);
		return *device || *file;
	}
	if (statx(AT_FDCWD, link, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, STATX_TYPE | STATX_INO,
		    &st))
		return false;
	const dev_t node = makedev(st.stx_rdev_major, st.stx_rdev_minor);

	if (S_ISBLK(st.stx_mode))
		*device = gate_family_device(look->family, node);
	else if (S_ISCHR(st.stx_mode))
		*device = gate_family_generic(look->family, node);
	else if (S_ISREG(st.stx_mode))
		*file = gate_family_file(
			look->family, makedev(st.stx_dev_major, st.stx_dev_minor), st.stx_ino);
	return *device || *file;
}

static void add(struct look *look, const struct gate_device *device, const struct gate_file *file,
	bool harmless)
{
	struct gate_use *use = gate_facts_use(look->facts, GATE_OPEN_ELSEWHERE,
		device ? device->name : file->name, "%s", look->name);

	/* the same process with several descriptors: the worst one counts */
	if (use && !harmless)
		use->harmless = false;
}

static bool look_at_descriptors(struct look *look)
{
	char path[PATH_MAX + 8], link[PATH_MAX + 300];
	const struct gate_device *device;
	const struct gate_file *file;
	struct dirent *entry;
	DIR *dir;

	str_format(path, sizeof(path), "%s/fd", look->process);
	dir = opendir(path);
	if (!dir) /* it has ended, or is none of our business */
		return errno == ENOENT || errno == ESRCH;
	while ((entry = readdir(dir)) != NULL) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		str_format(link, sizeof(link), "%s/%s", path, entry->d_name);
		if (!member_of_link(look, link, &device, &file))
			continue;
		const int flags = descriptor_flags(look, entry->d_name);

		/* closed meanwhile */
		if (flags < 0 && access(link, F_OK) && errno == ENOENT && !look->family->root[0])
			continue;
		if (flags >= 0 && (flags & O_PATH))
			continue;
		add(look, device, file,
			flags >= 0 && (flags & O_ACCMODE) == O_RDONLY &&
				!(device && device->generic));
	}
	closedir(dir);
	return true;
}

/* A shared mapping outlives its descriptor. Lines: "from-to rw-s offset major:minor inode path". */
static void look_at_mappings(struct look *look)
{
	char path[PATH_MAX + 8], line[PATH_MAX + 128], rights[8];
	const struct gate_device *device;
	const struct gate_file *file;
	unsigned high, low;
	uint64_t inode;
	int at = 0;
	FILE *maps;

	str_format(path, sizeof(path), "%s/maps", look->process);
	maps = fopen(path, "re");
	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%*s %7s %*s %x:%x %" SCNu64 " %n", rights, &high, &low, &inode,
			    &at) != 4 ||
			rights[1] != 'w' || rights[3] != 's' || line[at] != '/')
			continue;
		line[strcspn(line, "\n")] = '\0';
		device = gate_family_device_path(look->family, line + at);
		file = gate_family_file(look->family, makedev(high, low), inode);
		if (device || file)
			add(look, device, file, false);
	}
	if (maps)
		fclose(maps);
}

/* Programs outside a container cannot be seen from inside. */
static void look_at_namespace(struct look *look)
{
	char path[PATH_MAX], text[64];
	ssize_t length;

	str_format(path, sizeof(path), "%s/proc/self/ns/pid", look->family->root);
	length = readlink(path, text, sizeof(text) - 1);
	if (length > 0) {
		text[length] = '\0';
		if (!strcmp(text, INITIAL_PID_NAMESPACE))
			return;
	} else if (look->family->root[0]) {
		return;
	}
	gate_facts_unknown(look->facts, true,
		"this is a container: programs outside that have it open cannot be seen");
}

void gate_openers_read(
	const struct gate_family *family, enum gate_hidden hidden, struct gate_facts *facts)
{
	struct look look = {.family = family, .facts = facts};
	char proc[PATH_MAX];
	struct dirent *entry;
	DIR *dir;

	str_format(proc, sizeof(proc), "%s/proc", family->root);
	dir = opendir(proc);
	if (!dir) {
		gate_facts_unknown(facts, false,
			"who else has it open cannot be found out: /proc: %s",
			err_errno_text(errno));
		return;
	}
	while ((entry = readdir(dir)) != NULL) {
		if (!isdigit((unsigned char)entry->d_name[0]) ||
			strtol(entry->d_name, NULL, 10) == getpid())
			continue;
		str_format(look.process, sizeof(look.process), "%s/%s", proc, entry->d_name);
		name_process(&look, entry->d_name);
		if (look_at_descriptors(&look))
			look_at_mappings(&look);
		else
			look.closed++;
	}
	closedir(dir);
	/* mounted with hidepid: other users' processes do not even show */
	if (!family->root[0] && access("/proc/1", F_OK))
		look.closed++;
	if (hidden == GATE_HIDDEN_IGNORED)
		return;
	if (look.closed)
		gate_facts_unknown(facts, hidden == GATE_HIDDEN_TYPED,
			"whether a process of another user has it open cannot be seen: run as root "
			"(sudo)");
	look_at_namespace(&look);
}
