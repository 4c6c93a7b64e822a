/* A hand-made machine for the gate: one NVMe drive nvme0n1 of 8 MiB with two partitions, its content an
 * image file, and a /proc without users. */
#ifndef TESTS_SWEEP_GATE_TREE_H
#define TESTS_SWEEP_GATE_TREE_H

#include "../nvme/mock.h"
#include "../nvme/tree.h"

#include <fcntl.h>
#include <sys/sysmacros.h>

#include "sweep/gate.h"
#include "sweep/gate_facts.h"

#define MIB ((uint64_t)1 << 20)
#define BYTES (8 * MIB)
#define DRIVE "sys/devices/fake/nvme0"

static char *root;
static struct sweep_target target;
static struct gate_sources sources;
static struct gate_report report;
static struct mock *mock;
static struct err err;

/* A block device at a folder of sysfs, and the links by which it is found. */
static inline void tree_block(const char *folder, const char *dev, const char *size)
{
	char below[256];
	const char *name = strrchr(folder, '/') + 1;

	tree_attributes(root, folder, "dev", dev, "size", size, "ro", "0", NULL);
	snprintf(below, sizeof(below), "%s/holders", folder);
	tree_folder(root, below);
	snprintf(below, sizeof(below), "sys/class/block/%s", name);
	tree_link(root, below, folder);
	snprintf(below, sizeof(below), "sys/dev/block/%s", dev);
	tree_link(root, below, folder);
}

static inline void tree_partition(const char *folder, const char *dev, const char *number,
	const char *start, const char *size)
{
	tree_block(folder, dev, size);
	tree_attributes(root, folder, "partition", number, "start", start, NULL);
}

/* Identify pages and health of a plain drive. */
static inline void tree_answers(
	uint8_t nsattr, uint8_t nmic, uint8_t rescap, uint16_t oncs, uint8_t warning)
{
	uint8_t ns[4096] = {0}, controller[4096] = {0}, smart[512] = {0};

	ns[0] = ns[8] = 0x40; /* NSZE, NCAP: 16384 blocks */
	ns[1] = ns[9] = 0;
	ns[30] = nmic;
	ns[31] = rescap;
	ns[99] = nsattr;
	ns[130] = 9; /* LBADS */
	memcpy(controller + 4, "FAKE-0001           ", 20);
	controller[520] = (uint8_t)oncs;
	controller[521] = (uint8_t)(oncs >> 8);
	smart[0] = warning;
	smart[1] = 0x2c; /* 300 K */
	smart[2] = 0x01;
	smart[3] = 100;
	mock_answer(mock, "nvme0", false, NVME_CNS_NAMESPACE, 1, ns, sizeof(ns));
	mock_answer(mock, "nvme0", false, NVME_CNS_CONTROLLER, 0, controller, sizeof(controller));
	mock_answer(mock, "nvme0", true, NVME_LOG_SMART, 0xffffffff, smart, sizeof(smart));
}

static inline void tree_target(const char *name, uint64_t bytes, unsigned minor_number)
{
	char path[300];

	if (target.io.fd >= 0)
		close(target.io.fd);
	snprintf(path, sizeof(path), "%s/%s", root, bytes == BYTES ? "image" : "part");
	const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
	close(fd);
	target = (struct sweep_target){.io = {.fd = open(path, O_RDONLY | O_CLOEXEC),
					       .lba_bytes = 512,
					       .size_bytes = bytes,
					       .length = bytes},
		.device = makedev(259, minor_number)};
	assert_true(target.io.fd >= 0);
	str_copy(target.io.name, sizeof(target.io.name), name);
	str_copy(target.info.name, sizeof(target.info.name), name);
	str_copy(target.info.serial, sizeof(target.info.serial), "FAKE-0001");
}

static inline int tree_setup(void **state)
{
	(void)state;
	root = tree_make();
	tree_attributes(root, DRIVE, "model", "FAKE", "serial", "FAKE-0001", "transport", "pcie",
		"state", "live", "cntlid", "1", NULL);
	tree_link(root, "sys/class/nvme/nvme0", DRIVE);
	tree_block(DRIVE "/nvme0n1", "259:0", "16384");
	tree_attributes(root, DRIVE "/nvme0n1", "nsid", "1", "diskseq", "12", "nguid",
		"0102030405060708090a0b0c0d0e0f10", "queue/logical_block_size", "512",
		"queue/zoned", "none", NULL);
	tree_link(root, DRIVE "/nvme0n1/device", DRIVE);
	tree_partition(DRIVE "/nvme0n1/nvme0n1p1", "259:1", "1", "2048", "4096");
	tree_partition(DRIVE "/nvme0n1/nvme0n1p2", "259:2", "2", "8192", "4096");
	tree_text(root, "proc/self/mountinfo",
		"22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
		"23 22 0:21 / /proc rw - proc proc rw");
	tree_text(root, "proc/swaps", "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority");
	mock = mock_new();
	tree_answers(0, 0, 0, 0, 0);
	sources = (struct gate_sources){.root = root, .transport = &mock->base};
	target.io.fd = -1;
	tree_target("nvme0n1", BYTES, 0);
	return 0;
}

static inline int tree_teardown(void **state)
{
	(void)state;
	close(target.io.fd);
	target.io.fd = -1;
	mock_free(mock);
	tree_remove(root);
	return 0;
}

static inline void tree_look(void)
{
	err_clear(&err);
	if (gate_look(&target, &sources, 0, target.io.length, &report, &err))
		fail_msg("%s", err.text);
}

/* Nothing speaks against it: the ground on which each objection is looked for. */
static inline void tree_clear(void)
{
	tree_look();
	if (report.finding_count)
		fail_msg("%s", report.findings[0].text);
}

/* This objection alone, with these words. */
static inline void tree_expect(enum gate_rule rule, const char *says)
{
	tree_look();
	if (report.finding_count != 1 || report.findings[0].rule != rule ||
		!strstr(report.findings[0].text, says))
		fail_msg("%s \"%s\" alone expected; %zu: %s", gate_rule_name(rule), says,
			report.finding_count, report.finding_count ? report.findings[0].text : "");
}

static inline void tree_write(uint64_t offset, const void *bytes, size_t length)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/image", root);
	const int fd = open(path, O_RDWR | O_CLOEXEC);

	assert_int_equal(pwrite(fd, bytes, length, (off_t)offset), (ssize_t)length);
	close(fd);
}

#endif
