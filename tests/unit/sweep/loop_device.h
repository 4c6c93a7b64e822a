/* Loop devices of a test's own, over files in its folder. Need root; without it tests are skipped. */
#ifndef TESTS_SWEEP_LOOP_DEVICE_H
#define TESTS_SWEEP_LOOP_DEVICE_H

#include <fcntl.h>
#include <linux/blkpg.h>
#include <linux/loop.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/str.h"

#define LOOP_FIRST 240 /* well away from devices that a machine has */
#define LOOP_LAST 279
#define LOOP_DEVICES 4

struct loop_device {
	int number;
	char name[32], node[64];
};

static struct loop_device loop_devices[LOOP_DEVICES];
static int loop_count, loop_control = -1;

/* A new device's number; beyond LOOP_LAST: all are there. */
static inline int loop_add(void)
{
	int number = LOOP_FIRST;

	while (number <= LOOP_LAST && ioctl(loop_control, LOOP_CTL_ADD, number) < 0)
		number++;
	return number;
}

/* Attaches a file or device; NULL is never returned: the test is skipped where that is not possible. */
static inline struct loop_device *loop_attach(const char *backing, uint32_t flags)
{
	struct loop_device *loop = &loop_devices[loop_count];
	struct loop_config config = {.block_size = 512, .info = {.lo_flags = flags}};
	int fd;

	assert_true(loop_count < LOOP_DEVICES);
	if (geteuid()) {
		print_message("skipped: loop devices need root\n");
		skip();
	}
	if (loop_control < 0)
		loop_control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	if (loop_control < 0) {
		print_message("skipped: no /dev/loop-control here\n");
		skip();
	}
	loop->number = loop_add();
	/* Tests that were killed may have left all of ours: those that are not attached can go. */
	for (int number = LOOP_FIRST; loop->number > LOOP_LAST && number <= LOOP_LAST; number++)
		if (ioctl(loop_control, LOOP_CTL_REMOVE, number) >= 0)
			loop->number = loop_add();
	str_format(loop->name, sizeof(loop->name), "loop%d", loop->number);
	str_format(loop->node, sizeof(loop->node), "/dev/%s", loop->name);
	/* opened for reading, the kernel would make it read-only */
	fd = loop->number > LOOP_LAST
		? -1
		: open(loop->node, (flags & LO_FLAGS_READ_ONLY ? O_RDONLY : O_RDWR) | O_CLOEXEC);
	if (fd < 0) {
		print_message("skipped: no loop device can be added\n");
		skip();
	}
	loop_count++;
	const int file =
		open(backing, (flags & LO_FLAGS_READ_ONLY ? O_RDONLY : O_RDWR) | O_CLOEXEC);

	assert_true(file >= 0);
	config.fd = (uint32_t)file;
	assert_int_equal(ioctl(fd, LOOP_CONFIGURE, &config), 0);
	close(file);
	close(fd);
	return loop;
}

/* Tells the kernel of a partition; no table and no parser of one is needed. */
static inline void loop_partition(
	const struct loop_device *loop, int number, int64_t start, int64_t length)
{
	struct blkpg_partition where = {.start = start, .length = length, .pno = number};
	struct blkpg_ioctl_arg add = {
		.op = BLKPG_ADD_PARTITION, .datalen = sizeof(where), .data = &where};
	const int fd = open(loop->node, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ioctl(fd, BLKPG, &add), 0);
	close(fd);
}

static inline void loop_detach_all(void)
{
	const struct timespec moment = {.tv_nsec = 20000000};

	while (loop_count > 0) {
		struct loop_device *loop = &loop_devices[--loop_count];
		const int fd = open(loop->node, O_RDONLY | O_CLOEXEC);

		for (int number = 1; fd >= 0 && number <= 4; number++) {
			struct blkpg_partition where = {.pno = number};
			struct blkpg_ioctl_arg drop = {.op = BLKPG_DEL_PARTITION,
				.datalen = sizeof(where),
				.data = &where};

			ioctl(fd, BLKPG, &drop);
		}
		if (fd >= 0) {
			ioctl(fd, LOOP_CLR_FD);
			close(fd);
		}
		/* Detaching ends when the last opener (udev, maybe) has closed. */
		for (int i = 0; i < 100 && ioctl(loop_control, LOOP_CTL_REMOVE, loop->number) < 0;
			i++)
			nanosleep(&moment, NULL);
	}
	if (loop_control >= 0)
		close(loop_control);
	loop_control = -1;
}

#endif
