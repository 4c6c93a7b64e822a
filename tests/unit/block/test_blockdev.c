/* Facts of block devices from hand-made sysfs trees. */
#include "../nvme/tree.h"

#include <errno.h>
#include <sys/sysmacros.h>

#include "block/blockdev.h"

#define SDA "sys/devices/pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda"
#define SDB \
	"sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host6/target6:0:0/6:0:0:0/block/sdb"

static struct blockdev read_device(const char *root, const char *name)
{
	struct blockdev device;
	struct err err = {0};

	assert_int_equal(blockdev_read(root, name, &device, &err), 0);
	return device;
}

static void make_disk(const char *root)
{
	static const uint8_t vpd[] = {
		0, 0x80, 0, 10, ' ', ' ', 'W', 'D', '-', '1', 0x1b, '7', ' ', ' '};

	tree_attributes(root, SDA, "dev", "8:0", "size", "1953525168", "ro", "0", "removable", "0",
		"hidden", "0", "diskseq", "11", "queue/logical_block_size", "512",
		"queue/physical_block_size", "4096", "queue/max_hw_sectors_kb", "1280",
		"queue/dma_alignment", "3", "queue/nr_requests", "64", "queue/rotational", "1",
		"queue/io_poll", "0", "queue/scheduler", "none [mq-deadline] kyber", "queue/zoned",
		"none", "sda1/partition", "1", "sda1/start", "2048", "sda1/size", "204800",
		"sda1/dev", "8:1", "sda1/ro", "1", "sda1/holders/dm-0/x", "", "sda2/partition", "2",
		"sda2/start", "206848", "sda2/size", "1000", "sda2/dev", "8:2", "sda10/partition",
		"10", NULL);
	tree_folder(root, SDA "/holders");
	tree_text(root, SDA "/../../model", "FAKE SATA DISK  ");
	tree_bytes(root, SDA "/../../vpd_pg80", vpd, sizeof(vpd));
	tree_link(root, SDA "/device", SDA "/../..");
	tree_link(root, "sys/class/block/sda", SDA);
	tree_link(root, "sys/class/block/sda1", SDA "/sda1");
	tree_link(root, "sys/dev/block/8:1", SDA "/sda1");
	tree_text(root, "sys/devices/pci0000:00/0000:00:1f.2/numa_node", "1");
}

static void test_disk(void **state)
{
	char *root = tree_make();

	(void)state;
	make_disk(root);
	const struct blockdev d = read_device(root, "sda");
	assert_string_equal(d.name, "sda");
	assert_string_equal(d.sys_path, "/" SDA);
	assert_int_equal(d.major, 8);
	assert_int_equal(d.minor, 0);
	assert_false(d.partition);
	assert_int_equal(d.size_bytes, 1000204886016);
	assert_int_equal(d.logical_block_bytes, 512);
	assert_int_equal(d.physical_block_bytes, 4096);
	assert_int_equal(d.max_transfer_bytes, 1280 * 1024);
	assert_int_equal(d.dma_alignment, 4);
	assert_int_equal(d.nr_requests, 64);
	assert_true(d.rotational);
	assert_false(d.io_poll);
	assert_string_equal(d.scheduler, "mq-deadline");
	assert_string_equal(d.zoned, "none");
	assert_string_equal(d.model, "FAKE SATA DISK");
	assert_string_equal(d.serial, "WD-1?7");
	assert_string_equal(d.transport, "sata");
	assert_int_equal(d.diskseq, 11);
	assert_int_equal(d.numa_node, 1);
	assert_int_equal(d.holder_count, 0);
	assert_int_equal(d.partition_count, 3);
	assert_string_equal(d.partitions[0], "sda1");
	assert_string_equal(d.partitions[1], "sda2");
	assert_string_equal(d.partitions[2], "sda10");
	assert_false(d.links_cut);
	tree_remove(root);
}

static void test_partition(void **state)
{
	char *root = tree_make();
	struct blockdev d;

	(void)state;
	make_disk(root);
	assert_int_equal(blockdev_read_devt(root, makedev(8, 1), &d, NULL), 0);
	assert_string_equal(d.name, "sda1");
	assert_true(d.partition);
	assert_string_equal(d.parent, "sda");
	assert_int_equal(d.offset_bytes, 1048576);
	assert_int_equal(d.size_bytes, 104857600);
	/* limits, bus and serial are those of the disk */
	assert_int_equal(d.physical_block_bytes, 4096);
	assert_string_equal(d.transport, "sata");
	assert_string_equal(d.serial, "WD-1?7");
	assert_true(d.read_only);
	assert_int_equal(d.holder_count, 1);
	assert_string_equal(d.holders[0], "dm-0");
	assert_int_equal(d.partition_count, 0);
	assert_int_equal(blockdev_read_devt(root, makedev(9, 9), &d, NULL), -ENOENT);
	tree_remove(root);
}

static void test_usb(void **state)
{
	char *root = tree_make();

	(void)state;
	tree_attributes(root, SDB, "dev", "8:16", "size", "1000", NULL);
	tree_text(root, "sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/serial", "USB0001");
	tree_text(root, "sys/devices/pci0000:00/0000:00:14.0/usb2/serial", "0000:00:14.0");
	tree_link(root, "sys/class/block/sdb", SDB);
	const struct blockdev d = read_device(root, "sdb");
	assert_string_equal(d.transport, "usb");
	assert_string_equal(d.serial, "USB0001");
	/* nothing else is reported */
	assert_string_equal(d.model, "");
	assert_int_equal(d.logical_block_bytes, 512);
	assert_int_equal(d.physical_block_bytes, 512);
	assert_int_equal(d.dma_alignment, 512);
	assert_int_equal(d.max_transfer_bytes, 0);
	assert_int_equal(d.nr_requests, -1);
	assert_int_equal(d.numa_node, -1);
	assert_int_equal(d.diskseq, 0);
	assert_string_equal(d.scheduler, "");
	assert_string_equal(d.zoned, "none");
	tree_remove(root);
}

static void test_nonsense(void **state)
{
	char *root = tree_make();
	char padded[4096] = "4096\n";

	(void)state;
	tree_attributes(root, "sys/devices/virtual/block/x0", "dev", "nonsense", "size",
		"36028797018963968", "queue/physical_block_size", "4095", "queue/dma_alignment",
		"18446744073709551615", "queue/nr_requests", "-5", "queue/max_hw_sectors_kb",
		"99999999999", "metadata_bytes", "70000", "ro", "yes", "queue/scheduler", "[",
		NULL);
	/* as an archive that kept the apparent size gives it back */
	tree_bytes(root, "sys/devices/virtual/block/x0/queue/logical_block_size", padded,
		sizeof(padded));
	tree_link(root, "sys/class/block/x0", "sys/devices/virtual/block/x0");
	const struct blockdev d = read_device(root, "x0");
	assert_int_equal(d.major, 0);
	assert_true(d.size_bytes == UINT64_MAX); /* 2^55 sectors: too large, not wrapped to 0 */
	assert_int_equal(d.logical_block_bytes, 4096);
	assert_int_equal(d.physical_block_bytes, 4096);
	assert_int_equal(d.dma_alignment, 512);
	assert_int_equal(d.nr_requests, -1);
	assert_true(d.max_transfer_bytes == UINT32_MAX);
	assert_int_equal(d.metadata_bytes, 0);
	assert_false(d.read_only);
	tree_remove(root);
}

static void test_names(void **state)
{
	char *root = tree_make();
	struct blockdev d;
	struct err err = {0};

	(void)state;
	make_disk(root);
	assert_int_equal(blockdev_read(root, "../block/sda", &d, &err), -EINVAL);
	assert_int_equal(blockdev_read(root, "", &d, &err), -EINVAL);
	assert_int_equal(blockdev_read(root, "..", &d, &err), -EINVAL);
	assert_int_equal(blockdev_read(root, "sdz", &d, &err), -ENOENT);
	assert_non_null(strstr(err.text, "sdz"));
	tree_remove(root);
}

static void test_many_links(void **state)
{
	char *root = tree_make(), below[128];

	(void)state;
	tree_attributes(root, "sys/devices/virtual/block/md0", "size", "8", NULL);
	for (int i = 0; i < BLOCKDEV_MAX_LINKS + 1; i++) {
		snprintf(below, sizeof(below), "sys/devices/virtual/block/md0/holders/dm-%d", i);
		tree_folder(root, below);
	}
	tree_link(root, "sys/class/block/md0", "sys/devices/virtual/block/md0");
	const struct blockdev d = read_device(root, "md0");
	assert_int_equal(d.holder_count, BLOCKDEV_MAX_LINKS);
	assert_true(d.links_cut);
	assert_string_equal(d.transport, "md");
	tree_remove(root);
}

static void make_virtual(const char *root, const char *name, const char *size)
{
	char folder[128], link[128];

	snprintf(folder, sizeof(folder), "sys/devices/virtual/block/%s", name);
	snprintf(link, sizeof(link), "sys/class/block/%s", name);
	tree_attributes(root, folder, "size", size, "dev", "7:7", NULL);
	tree_link(root, link, folder);
}

static void test_list(void **state)
{
	static const char *const expected[] = {"loop2", "nvme0n1", "nvme10n1", "sda", "zram1"};
	char *root = tree_make();
	struct blockdev *list;
	size_t count;

	(void)state;
	make_disk(root);
	make_virtual(root, "loop0", "0");
	make_virtual(root, "loop2", "2048");
	tree_text(root, "sys/devices/virtual/block/loop2/loop/backing_file", "/srv/disk.img");
	make_virtual(root, "zram0", "0");
	make_virtual(root, "zram1", "4096");
	make_virtual(root, "ram0", "4096");
	make_virtual(root, "sr0", "2097151");
	make_virtual(root, "nvme10n1", "4096");
	make_virtual(root, "nvme0n1", "4096");
	make_virtual(root, "nvme0c0n1", "4096");
	tree_text(root, "sys/devices/virtual/block/nvme0c0n1/hidden", "1");
	/* a link whose device has just gone */
	tree_link(root, "sys/class/block/sdq", "sys/devices/virtual/block/sdq");
	assert_int_equal(blockdev_list(root, &list, &count, NULL), 0);
	assert_int_equal(count, sizeof(expected) / sizeof(expected[0]));
	for (size_t i = 0; i < count; i++)
		assert_string_equal(list[i].name, expected[i]);
	assert_string_equal(list[0].loop_file, "/srv/disk.img");
	assert_string_equal(list[0].transport, "loop");
	assert_string_equal(list[4].transport, "zram");
	free(list);
	tree_remove(root);
}

static void test_list_without_class(void **state)
{
	char *root = tree_make();
	struct blockdev *list;
	size_t count;

	(void)state;
	assert_int_equal(blockdev_list(root, &list, &count, NULL), 0);
	assert_int_equal(count, 0);
	tree_remove(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_disk),
		cmocka_unit_test(test_partition),
		cmocka_unit_test(test_usb),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_many_links),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_list_without_class),
	};

	return cmocka_run_group_tests_name("block/blockdev", tests, NULL, NULL);
}
