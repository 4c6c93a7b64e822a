/* scene: puts a block device to the uses that must keep a tester off it.
 *
 *   scene dm NAME DEVICE       a linear mapping over the whole of DEVICE
 *   scene undm NAME
 *   scene md NODE DEVICE...    a mirror without superblocks (what mdadm --build makes)
 *   scene unmd NODE
 *   scene hold FLAGS DEVICE    opens it (r, w, rw; with x: O_EXCL), says so, waits to be killed
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <linux/fs.h>
#include <linux/major.h>
#include <linux/raid/md_p.h>
#include <linux/raid/md_u.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static void die(const char *what)
{
	fprintf(stderr, "scene: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int open_or_die(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0)
		die(path);
	return fd;
}

/* ---- device-mapper --------------------------------------------------------------------------- */

struct dm_request {
	struct dm_ioctl head;
	struct dm_target_spec spec;
	char parameters[128];
};

static void dm_call(unsigned long command, struct dm_request *request, const char *name)
{
	int fd = open_or_die("/dev/mapper/control", O_RDWR);

	request->head.version[0] = DM_VERSION_MAJOR;
	request->head.data_size = sizeof(*request);
	request->head.data_start = sizeof(request->head);
	snprintf(request->head.name, sizeof(request->head.name), "%s", name);
	if (ioctl(fd, command, request) < 0)
		die("device-mapper");
	close(fd);
}

static void dm_make(const char *name, const char *device)
{
	struct dm_request request = {0};
	int fd = open_or_die(device, O_RDONLY);
	uint64_t bytes;

	if (ioctl(fd, BLKGETSIZE64, &bytes) < 0)
		die(device);
	close(fd);
	dm_call(DM_DEV_CREATE, &request, name);
	memset(&request, 0, sizeof(request));
	request.head.target_count = 1;
	request.spec.length = bytes / 512;
	strcpy(request.spec.target_type, "linear");
	snprintf(request.parameters, sizeof(request.parameters), "%s 0", device);
	dm_call(DM_TABLE_LOAD, &request, name);
	memset(&request, 0, sizeof(request));
	dm_call(DM_DEV_SUSPEND, &request, name); /* without the suspend flag: resume */
}

static void dm_remove(const char *name)
{
	struct dm_request request = {0};

	dm_call(DM_DEV_REMOVE, &request, name);
}

/* ---- md -------------------------------------------------------------------------------------- */

static void md_make(const char *node, char **devices, int count)
{
	if (mknod(node, S_IFBLK | 0600, makedev(MD_MAJOR, 0)) < 0 && errno != EEXIST)
		die(node);

	int fd = open_or_die(node, O_RDWR);
	mdu_array_info_t array = {
		.major_version = 0,
		.minor_version = 90,
		.level = 1,
		.nr_disks = count,
		.raid_disks = count,
		.not_persistent = 1,
		.state = 1 << MD_SB_CLEAN,
	};

	if (ioctl(fd, SET_ARRAY_INFO, &array) < 0)
		die("SET_ARRAY_INFO");
	for (int i = 0; i < count; i++) {
		struct stat st;

		if (stat(devices[i], &st) < 0)
			die(devices[i]);
		mdu_disk_info_t disk = {
			.number = i,
			.raid_disk = i,
			.major = (int)major(st.st_rdev),
			.minor = (int)minor(st.st_rdev),
			.state = 1 << MD_DISK_ACTIVE | 1 << MD_DISK_SYNC,
		};
		if (ioctl(fd, ADD_NEW_DISK, &disk) < 0)
			die(devices[i]);
	}
	mdu_param_t run = {0};
	if (ioctl(fd, RUN_ARRAY, &run) < 0)
		die("RUN_ARRAY");
	close(fd);
}

static void md_stop(const char *node)
{
	int fd = open_or_die(node, O_RDONLY);

	if (ioctl(fd, STOP_ARRAY, NULL) < 0)
		die(node);
	close(fd);
}

/* ---- another opener -------------------------------------------------------------------------- */

static void hold(const char *flags, const char *device)
{
	int how = strchr(flags, 'w') ? (strchr(flags, 'r') ? O_RDWR : O_WRONLY) : O_RDONLY;

	open_or_die(device, how | (strchr(flags, 'x') ? O_EXCL : 0));
	puts("held");
	fflush(stdout);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";

	if (!strcmp(what, "dm") && argc == 4)
		dm_make(argv[2], argv[3]);
	else if (!strcmp(what, "undm"))
		dm_remove(argv[2]);
	else if (!strcmp(what, "md") && argc > 3)
		md_make(argv[2], argv + 3, argc - 3);
	else if (!strcmp(what, "unmd"))
		md_stop(argv[2]);
	else if (!strcmp(what, "hold") && argc == 4)
		hold(argv[2], argv[3]);
	else
		return 2;
	return 0;
}
