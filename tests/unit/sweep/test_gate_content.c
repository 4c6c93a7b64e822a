/* What lies on a drive: signatures made by hand, byte by byte, on an image. */
#include "gate_tree.h"

#include "sweep/gate_zfs.h"

static void put16(uint8_t *at, uint16_t value)
{
	at[0] = (uint8_t)value;
	at[1] = (uint8_t)(value >> 8);
}

static void put32(uint8_t *at, uint32_t value)
{
	put16(at, (uint16_t)value);
	put16(at + 2, (uint16_t)(value >> 16));
}

static void put64(uint8_t *at, uint64_t value)
{
	put32(at, (uint32_t)value);
	put32(at + 4, (uint32_t)(value >> 32));
}

/* This objection, that the name of the drive overrides. */
static void expect(enum gate_rule rule, const char *says)
{
	tree_expect(rule, says);
	assert_true(report.findings[0].overridable);
	assert_true(gate_possible(&report));
	assert_true(gate_needs_typed(&report));
}

static void test_blank(void **state)
{
	uint8_t noise[4096];

	(void)state;
	tree_clear();
	/* data without a signature: what a test before left */
	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = (uint8_t)(i * 131 + 7);
	for (uint64_t at = 0; at < BYTES; at += sizeof(noise))
		tree_write(at, noise, sizeof(noise));
	tree_clear();
}

/* An ext2 superblock: magic at 1080, sizes that make sense, a label. */
static void ext2(uint64_t start)
{
	uint8_t super[1024] = {0};

	put32(super + 0, 1024);  /* inodes */
	put32(super + 4, 2048);  /* blocks */
	put32(super + 20, 1);    /* first data block */
	put32(super + 32, 8192); /* blocks per group */
	put16(super + 56, 0xef53);
	put16(super + 58, 1);
	put32(super + 76, 1); /* revision */
	memcpy(super + 120, "backup", 6);
	tree_write(start + 1024, super, sizeof(super));
}

static void test_ext2(void **state)
{
	(void)state;
	ext2(0);
	expect(GATE_SIGNATURE, "nvme0n1 holds ext2 backup");
}

/* In a partition of a drive that has no table any more. */
static void test_partition(void **state)
{
	(void)state;
	ext2(2048 * 512);
	expect(GATE_SIGNATURE, "nvme0n1p1 holds ext2");
}

static void test_swap(void **state)
{
	uint8_t page[4096] = {0};

	(void)state;
	put32(page + 1024, 1);    /* version */
	put32(page + 1028, 2047); /* last page */
	memcpy(page + 1036, "0123456789abcdef", 16);
	memcpy(page + 4086, "SWAPSPACE2", 10);
	tree_write(0, page, sizeof(page));
	expect(GATE_SIGNATURE, "swap");
}

/* A table with one entry of type 0x83. */
static void test_table(void **state)
{
	uint8_t sector[512] = {0};

	(void)state;
	put32(sector + 440, 0x12345678);
	sector[446 + 4] = 0x83;
	put32(sector + 446 + 8, 2048);
	put32(sector + 446 + 12, 4096);
	put16(sector + 510, 0xaa55);
	tree_write(0, sector, sizeof(sector));
	expect(GATE_SIGNATURE, "a partition table, dos");
}

/* The checksum of LVM: CRC-32 with the start value 0xf597a6cf. */
static uint32_t lvm_crc(const uint8_t *bytes, size_t length)
{
	uint32_t crc = 0xf597a6cf;

	for (size_t i = 0; i < length; i++) {
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return crc;
}

static void test_lvm(void **state)
{
	uint8_t label[512] = {0};

	(void)state;
	memcpy(label, "LABELONE", 8);
	put64(label + 8, 1);   /* its sector */
	put32(label + 20, 32); /* where its content begins */
	memcpy(label + 24, "LVM2 001", 8);
	memcpy(label + 32, "0123456789abcdefghijklmnopqrstuv", 32);
	put32(label + 16, lvm_crc(label + 20, 492));
	tree_write(512, label, sizeof(label));
	expect(GATE_MEMBER, "LVM2_member");
	/* also with a damaged checksum: somebody may want to repair it */
	label[100] = 1;
	tree_write(512, label, sizeof(label));
	expect(GATE_MEMBER, "LVM2_member");
}

static void test_luks(void **state)
{
	uint8_t header[592] = {0};

	(void)state;
	memcpy(header, "LUKS\xba\xbe\0\1", 8);
	memcpy(header + 8, "aes", 3);
	memcpy(header + 40, "xts-plain64", 11);
	memcpy(header + 168, "01234567-89ab-cdef-0123-456789abcdef", 36);
	tree_write(0, header, sizeof(header));
	expect(GATE_MEMBER, "crypto_LUKS");
}

/* Metadata 1.0 stands at the end of a device. */
static void test_md_at_end(void **state)
{
	const uint64_t sectors = BYTES / 512, at = (sectors - 8 * 2) & ~UINT64_C(7);
	uint8_t super[512] = {0};
	uint64_t sum = 0;

	(void)state;
	put32(super, 0xa92b4efc);
	put32(super + 4, 1);
	memcpy(super + 16, "0123456789abcdef", 16);
	memcpy(super + 32, "host:0", 6);
	put32(super + 72, 1); /* level */
	put64(super + 80, at);
	put32(super + 92, 2);   /* disks */
	put64(super + 136, at); /* data size */
	put64(super + 144, at); /* its own place */
	put32(super + 220, 2);  /* max_dev */
	for (size_t i = 0; i < 256 + 4; i += 4)
		sum += (uint64_t)super[i] | (uint64_t)super[i + 1] << 8 |
			(uint64_t)super[i + 2] << 16 | (uint64_t)super[i + 3] << 24;
	put32(super + 216, (uint32_t)((sum & 0xffffffff) + (sum >> 32)));
	tree_write(at * 512, super, sizeof(super));
	expect(GATE_MEMBER, "linux_raid_member");
}

/* One uberblock in the very last label: what remains when the start was overwritten. */
static void uberblock(uint64_t label, bool big)
{
	const uint8_t little_magic[8] = {0x0c, 0xb1, 0xba, 0},
		      big_magic[8] = {0, 0, 0, 0, 0, 0xba, 0xb1, 0x0c};

	tree_write(label + (128 << 10) + 5 * 1024, big ? big_magic : little_magic, 8);
}

static void test_zfs(void **state)
{
	static const uint64_t labels[] = {0, 256 << 10, BYTES - (512 << 10), BYTES - (256 << 10)};
	const uint8_t blank[1024] = {0};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		uberblock(labels[i], i & 1);
		expect(GATE_MEMBER, "zfs_member");
		tree_write(labels[i] + (128 << 10) + 5 * 1024, blank, sizeof(blank));
		tree_clear();
	}
	/* the list that names the pool is enough, too */
	uint8_t list[64] = {1, 1};

	memcpy(list + 24, "pool_guid", 9);
	tree_write(BYTES - (256 << 10) + (16 << 10), list, sizeof(list));
	expect(GATE_MEMBER, "zfs_member");
}

/* A device whose size is no multiple of a label: the last labels lie before the rest. */
static void test_zfs_odd_size(void **state)
{
	char path[300], pool[GATE_ZFS_POOL_BYTES];

	(void)state;
	snprintf(path, sizeof(path), "%s/image", root);
	const int fd = open(path, O_RDWR | O_CLOEXEC);

	assert_int_equal(ftruncate(fd, (off_t)(BYTES + 100000)), 0);
	assert_int_equal(gate_zfs_find(fd, 0, BYTES + 100000, pool), 0);
	uberblock(BYTES - (256 << 10), false);
	assert_int_equal(gate_zfs_find(fd, 0, BYTES + 100000, pool), 1);
	/* too small for four labels, and what cannot be read */
	assert_int_equal(gate_zfs_find(fd, 0, MIB - 1, pool), 0);
	assert_int_equal(gate_zfs_find(fd, 0, 4 * BYTES, pool), -EIO);
	close(fd);
}

/* The pool of these labels is mounted: its source is a name, not a device. */
static void test_zfs_mounted(void **state)
{
	/* header; version and flags; then pairs: coded size, decoded size, length of the name, name,
	 * type, count, value */
	static const uint8_t list[] = {1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, /* */
		0, 0, 0, 36, 0, 0, 0, 40, 0, 0, 0, 7, 'v', 'e', 'r', 's', 'i', 'o', 'n', 0, 0, 0, 0,
		8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x13, 0x88, /* */
		0, 0, 0, 32, 0, 0, 0, 40, 0, 0, 0, 4, 'n', 'a', 'm', 'e', 0, 0, 0, 9, 0, 0, 0, 1, 0,
		0, 0, 4, 't', 'a', 'n', 'k', /* */
		0, 0, 0, 44, 0, 0, 0, 40, 0, 0, 0, 9, 'p', 'o', 'o', 'l', '_', 'g', 'u', 'i', 'd'};

	(void)state;
	tree_write(BYTES - (256 << 10) + (16 << 10), list, sizeof(list));
	expect(GATE_MEMBER, "zfs_member tank");
	tree_text(
		root, "proc/self/mountinfo", "40 22 0:50 / /tank/home rw - zfs tank/home rw,xattr");
	tree_look();
	assert_int_equal(report.findings[0].rule, GATE_MOUNTED);
	assert_non_null(strstr(report.findings[0].text, "/tank/home"));
	/* another pool, whose name begins alike */
	tree_text(root, "proc/self/mountinfo", "40 22 0:50 / /other rw - zfs tanker/home rw,xattr");
	expect(GATE_MEMBER, "zfs_member");
}

/* Sizes in the list that lead nowhere, or for ever to the same place. */
static void test_zfs_odd_list(void **state)
{
	static const uint32_t sizes[] = {0, 11, 0x7fffffff, 0xffffffff, 114676};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint8_t list[64] = {1, 1};

		for (int k = 0; k < 4; k++)
			list[12 + k] = list[20 + k] = (uint8_t)(sizes[i] >> (24 - 8 * k));
		memcpy(list + 40, "pool_guid", 9);
		tree_write(16 << 10, list, sizeof(list));
		expect(GATE_MEMBER, "zfs_member");
	}
}

/* The image ends before the drive does: libblkid would find nothing. */
static void test_unreadable(void **state)
{
	char path[300];

	(void)state;
	tree_partition(DRIVE "/nvme0n1/nvme0n1p3", "259:3", "3", "16000", "384");
	tree_clear();
	snprintf(path, sizeof(path), "%s/image", root);
	assert_int_equal(truncate(path, (off_t)(4 * MIB)), 0);
	tree_look();
	assert_false(gate_possible(&report));
	assert_int_equal(report.findings[0].rule, GATE_CHANGED);
	assert_int_equal(report.findings[1].rule, GATE_UNREADABLE);
	assert_non_null(strstr(report.findings[1].text, "cannot be read"));
	/* the partition is too small for labels of ZFS, whose places were read anyway */
	bool said = false;

	for (size_t i = 0; i < report.finding_count; i++)
		said |= strstr(report.findings[i].text, "nvme0n1p3 cannot be read") != NULL;
	assert_true(said);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, tree_setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(test_blank), TEST(test_ext2), TEST(test_partition),
		TEST(test_swap), TEST(test_table), TEST(test_lvm), TEST(test_luks),
		TEST(test_md_at_end), TEST(test_zfs), TEST(test_zfs_odd_size),
		TEST(test_zfs_mounted), TEST(test_zfs_odd_list), TEST(test_unreadable)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
