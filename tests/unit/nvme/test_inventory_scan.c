/* What the inventory makes of a machine: access, lists, formats, rates, drives that change and
 * captures. */
#include "inventory_lab.h"

/* CASES T5: without rights everything of sysfs is there, with one line on what root would add. */
static void test_no_access(void **state)
{
	static const uint32_t nsids[] = {1};
	struct rig *rig = rig_new();

	(void)state;
	mock_add_drive(rig->mock, "nvme0", nsids, 1);
	mock_refuse(rig->mock, "nvme0", false, NVME_CNS_CONTROLLER, 0, -EACCES, 0, "no access");
	mock_refuse(rig->mock, "nvme0", true, NVME_LOG_SMART, UINT32_MAX, -EACCES, 0, "no access");
	mock_refuse(rig->mock, "nvme0", false, NVME_CNS_NAMESPACE, 1, -EACCES, 0, "no access");
	make_block(rig->root, "nvme0n1", "0 0 0 0 0 0 0 0 0 0 0");
	rig_start(rig, &rig->mock->base, 0);
	const struct inventory *i = rig_settle(rig);
	const struct inventory_controller *c = controller_of(i, "nvme0");

	assert_non_null(strstr(i->notice, "root"));
	assert_int_equal(c->smart_info.state, PAGE_FAILED);
	assert_string_equal(c->smart_info.text, "no access");
	assert_int_equal(c->health.verdict, HEALTH_UNKNOWN);
	assert_string_equal(c->topo.model, "FAKE DC 7680");
	assert_true(namespace_of(i, "nvme0n1")->size_known);
	assert_false(namespace_of(i, "nvme0n1")->used_known);
	inventory_unref(i);
	rig_free(rig);
}

/* CASES T4: no class, an empty one, and controllers without nodes. */
static void test_nothing_there(void **state)
{
	struct rig *rig = rig_new();
	struct transport *live;
	const struct inventory *i;
	char path[256];

	(void)state;
	snprintf(path, sizeof(path), "%s/sys/class/nvme", rig->root);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(transport_libnvme_create(rig->root, rig->root, &live, NULL), 0);
	rig_start(rig, live, 0);
	i = rig_settle(rig);
	assert_non_null(strstr(i->notice, "no NVMe devices found"));
	assert_non_null(strstr(i->notice, "driver"));
	inventory_unref(i);
	tree_folder(rig->root, "sys/class/nvme");
	inventory_refresh(rig->service);
	i = rig_settle(rig);
	assert_string_equal(i->notice, "no NVMe devices found");
	inventory_unref(i);
	tree_attributes(rig->root, "sys/class/nvme/nvme0", "state", "live", "model", "FAKE", NULL);
	inventory_refresh(rig->service);
	i = rig_settle(rig);
	assert_non_null(strstr(i->notice, "/dev/nvme0 is not visible"));
	assert_non_null(strstr(i->notice, "container"));
	assert_int_equal(controller_of(i, "nvme0")->smart_info.state, PAGE_FAILED);
	assert_int_equal(controller_of(i, "nvme0")->health.verdict, HEALTH_UNKNOWN);
	inventory_unref(i);
	inventory_stop(rig->service);
	rig->service = NULL;
	transport_destroy(live);
	rig_free(rig);
}

/* A list of two pages, with namespaces that have no node; one page does not increase (CASES N8). */
static void test_lists(void **state)
{
	struct rig *rig = rig_new();
	uint8_t page[NVME_IDENTIFY_BYTES];
	uint32_t nsids[1024];
	const struct inventory *i;

	(void)state;
	mock_add_drive(rig->mock, "nvme0", NULL, 0);
	for (uint32_t k = 0; k < 1024; k++)
		nsids[k] = k + 1;
	mock_list_page(page, nsids, 1024);
	mock_answer(rig->mock, "nvme0", false, NVME_CNS_ACTIVE_LIST, 0, page, sizeof(page));
	nsids[0] = 2000;
	mock_list_page(page, nsids, 1);
	mock_answer(rig->mock, "nvme0", false, NVME_CNS_ACTIVE_LIST, 1024, page, sizeof(page));
	mock_namespace_page(page, 1000, 12, 0, false);
	mock_answer(rig->mock, "nvme0", false, NVME_CNS_NAMESPACE, 2000, page, sizeof(page));
	mock_add_drive(rig->mock, "nvme1", NULL, 0);
	mock_list_page(page, (const uint32_t[]){5, 9, 7, 8}, 4);
	mock_answer(rig->mock, "nvme1", false, NVME_CNS_ACTIVE_LIST, 0, page, sizeof(page));
	str_copy(rig->mock->tree.controllers[1].subsystem, 32, "nvme-subsys1");
	mock_add_namespace(rig->mock, "nvme0n1", "nvme0", 1, 512);
	rig_start(rig, &rig->mock->base, 0);
	i = rig_settle(rig);
	assert_int_equal(controller_of(i, "nvme0")->nsid_count, 1025);
	assert_int_equal(controller_of(i, "nvme0")->nsids[1024], 2000);
	assert_int_equal(controller_of(i, "nvme1")->nsid_count, 2);
	assert_int_equal(controller_of(i, "nvme1")->list_info.state, PAGE_OK);
	assert_non_null(strstr(controller_of(i, "nvme1")->list_info.text, "not increase"));
	assert_int_equal(i->namespace_count, 1025 + 2);
	/* by controller, then NSID */
	assert_string_equal(i->namespaces[0].topo.name, "nvme0n1");
	assert_int_equal(i->namespaces[1].topo.nsid, 2);
	assert_string_equal(i->namespaces[1].topo.name, "");
	assert_string_equal(
		i->namespaces[1].no_sweep, "no block device: the kernel shows no node for it");
	assert_int_equal(i->namespaces[1024].topo.nsid, 2000);
	assert_true(i->namespaces[1024].size_known);
	assert_true(i->namespaces[1024].size_bytes == 4096000);
	assert_int_equal(i->namespaces[1025].topo.nsid, 5);
	assert_int_equal(i->namespaces[1025].controller_index, 1);
	inventory_unref(i);
	rig_free(rig);
}

/* CASES N1: a format with metadata and no block device; and a write-protected namespace. */
static void test_formats(void **state)
{
	static const uint32_t nsids[] = {1, 2, 3};
	struct rig *rig = rig_new();
	uint8_t page[NVME_IDENTIFY_BYTES];

	(void)state;
	mock_add_drive(rig->mock, "nvme0", nsids, 3);
	rig->mock->tree.namespaces[0].size_bytes = 0;
	rig->mock->tree.namespaces[0].lba_bytes = 512;
	mock_namespace_page(page, 468843606, 12, 16, true);
	mock_answer(rig->mock, "nvme0", false, NVME_CNS_NAMESPACE, 1, page, sizeof(page));
	mock_namespace_page(page, 1 << 21, 9, 8, false);
	page[99] = 1; /* NSATTR: write protected */
	mock_answer(rig->mock, "nvme0", false, NVME_CNS_NAMESPACE, 2, page, sizeof(page));
	rig->mock->tree.namespaces[2].size_bytes = 0;
	mock_namespace_page(page, 0, 9, 0, false);
	page[26] = 0;
	mock_answer(rig->mock, "nvme0", false, NVME_CNS_NAMESPACE, 3, page, sizeof(page));
	make_block(rig->root, "nvme0n2", "0 0 0 0 0 0 0 0 0 0 0");
	rig_start(rig, &rig->mock->base, 0);
	const struct inventory *i = rig_settle(rig);
	const struct inventory_namespace *ns = namespace_of(i, "nvme0n1");

	assert_true(ns->size_known);
	assert_true(ns->size_bytes == (u128)468843606 * 4096);
	assert_int_equal(ns->lba_bytes, 4096);
	assert_int_equal(ns->metadata_bytes, 16);
	assert_true(ns->metadata_extended);
	assert_string_equal(
		ns->no_sweep, "the format 4096+16 with extended metadata has no block device");
	ns = namespace_of(i, "nvme0n2");
	assert_true(ns->read_only);
	assert_int_equal(ns->metadata_bytes, 8);
	assert_false(ns->metadata_extended);
	assert_string_equal(ns->no_sweep, "");
	ns = namespace_of(i, "nvme0n3");
	assert_true(ns->size_known && ns->size_bytes == 0);
	assert_non_null(strstr(ns->no_sweep, "size is 0"));
	inventory_unref(i);
	rig_free(rig);
}

/* CASES T7, and other devices. */
static void test_block_devices(void **state)
{
	struct rig *rig = rig_new();
	const struct inventory *i;

	(void)state;
	tree_attributes(rig->root, "sys/devices/pci0/usb1/1-1/block/sda", "size", "1000", "dev",
		"8:0", NULL);
	tree_link(rig->root, "sys/class/block/sda", "sys/devices/pci0/usb1/1-1/block/sda");
	make_block(rig->root, "zram0", "0 0 0 0 0 0 0 0 0 0 0");
	rig_start(rig, &rig->mock->base, 0);
	i = rig_settle(rig);
	assert_int_equal(i->block_device_count, 2);
	assert_string_equal(i->block_devices[0].geometry.name, "sda");
	assert_string_equal(i->block_devices[0].remark, "USB bridge - NVMe commands not available");
	assert_string_equal(i->block_devices[1].remark, "");
	assert_int_equal(rig->mock->commands, 0);
	inventory_unref(i);
	rig_free(rig);
}

/* Rates come with the second scan; a multipath head of an old kernel is the sum of its paths. When
 * nothing moves, nothing is published. */
static void test_rates(void **state)
{
	struct rig *rig = rig_new();
	struct topology_namespace *head;
	const struct inventory *i;
	double asked;

	(void)state;
	mock_add_drive(rig->mock, "nvme0", NULL, 0);
	mock_add_drive(rig->mock, "nvme1", NULL, 0);
	head = mock_add_namespace(rig->mock, "nvme0n1", "", 1, 1 << 30);
	mock_add_path(head, "nvme0c0n1", "nvme0");
	mock_add_path(head, "nvme0c1n1", "nvme1");
	make_block(rig->root, "nvme0n1", "0 0 0 0 0 0 0 0 100 99 0");
	make_block(rig->root, "nvme0c0n1", "100 0 800 10 0 0 0 0 0 5 10");
	make_block(rig->root, "nvme0c1n1", "50 0 400 10 0 0 0 0 0 5 10");
	rig_start(rig, &rig->mock->base, 3);
	do {
		i = rig_next(rig);
		asked = namespace_of(i, "nvme0n1")->rates.known;
		inventory_unref(i);
	} while (asked == 0);
	i = rig_settle(rig);
	assert_true(namespace_of(i, "nvme0n1")->rates.read_iops == 0);
	assert_int_equal(namespace_of(i, "nvme0n1")->rates.in_flight, 0);
	inventory_unref(i);
	/* steps of 40 reads of 8 KiB that took 0.5 ms each, until a snapshot with one is caught: a
	 * later one takes its place in the mailbox. Each file is replaced as a whole. */
	char next[256], path[256], stat[128];
	snprintf(next, sizeof(next), "%s/next", rig->root);
	snprintf(path, sizeof(path), "%s/sys/devices/virtual/block/nvme0c0n1/stat", rig->root);
	asked = 0;
	for (unsigned step = 1; asked == 0; step++) {
		const struct iostat_rates *rates;

		snprintf(stat, sizeof(stat), "%u 0 %u %u 0 0 0 0 2 5 10", 100 + 40 * step,
			800 + 640 * step, 10 + 20 * step);
		tree_text(rig->root, "next", stat);
		assert_int_equal(rename(next, path), 0);
		i = rig_next(rig);
		rates = &namespace_of(i, "nvme0n1")->rates;
		if (rates->read_iops > 0) {
			asked = rates->read_bytes_s / rates->read_iops;
			assert_true(rates->read_latency_ms > 0.49 && rates->read_latency_ms < 0.51);
			assert_int_equal(rates->in_flight, 2);
		}
		inventory_unref(i);
	}
	assert_true(asked > 8191 && asked < 8193);
	/* back to rest: the same figures for many scans bring no snapshot */
	do {
		i = rig_next(rig);
		asked = namespace_of(i, "nvme0n1")->rates.read_iops;
		inventory_unref(i);
	} while (asked > 0);
	inventory_unref(rig_settle(rig));
	rig_drain(rig);
	usleep(100000);
	assert_false(rig_drain(rig));
	rig_free(rig);
}

/* A drive is exchanged for another under the same name while a command is out: its answer is not
 * taken for the new one's. */
static void test_exchanged(void **state)
{
	struct rig *rig = rig_new();
	uint8_t page[NVME_IDENTIFY_BYTES];
	const struct inventory *i;
	unsigned commands;

	(void)state;
	mock_add_drive(rig->mock, "nvme0", NULL, 0);
	rig_start(rig, &rig->mock->base, 0);
	inventory_unref(rig_settle(rig));
	mock_silence(rig->mock, true);
	inventory_refresh(rig->service);
	mock_wait_stuck(rig->mock, 0);
	pthread_mutex_lock(&rig->mock->lock);
	str_copy(rig->mock->tree.controllers[0].serial, 24, "OTHER002");
	pthread_mutex_unlock(&rig->mock->lock);
	rig_drain(rig);
	inventory_refresh(rig->service);
	do {
		i = rig_next(rig);
		if (strcmp(i->controllers[0].topo.serial, "OTHER002") == 0)
			break;
		inventory_unref(i);
	} while (true);
	/* nothing of the old drive is shown for the new one */
	assert_int_equal(i->controllers[0].smart_info.read_at, 0);
	assert_int_equal(i->controllers[0].identify_info.read_at, 0);
	inventory_unref(i);
	mock_identify_page(page, 0x10300, 1);
	mock_pad(page + 4, 20, "OTHER002");
	mock_answer(rig->mock, "nvme0", false, NVME_CNS_CONTROLLER, 0, page, sizeof(page));
	/* the old drive's answer arrives, the new one's is out */
	pthread_mutex_lock(&rig->mock->lock);
	commands = rig->mock->commands;
	pthread_mutex_unlock(&rig->mock->lock);
	mock_allow_one(rig->mock);
	mock_wait_stuck(rig->mock, commands + 1);
	i = inventory_wait(rig->service, 1);
	assert_int_equal(i->controllers[0].identify_info.read_at, 0);
	assert_int_equal(i->controllers[0].identify_info.state, PAGE_WAITING);
	inventory_unref(i);
	mock_silence(rig->mock, false);
	i = rig_settle(rig);
	assert_string_equal(i->controllers[0].identify.serial, "OTHER002");
	assert_int_equal(i->controllers[0].smart_info.state, PAGE_OK);
	inventory_unref(i);
	/* unplugged */
	pthread_mutex_lock(&rig->mock->lock);
	rig->mock->tree.controller_count = 0;
	pthread_mutex_unlock(&rig->mock->lock);
	inventory_refresh(rig->service);
	i = rig_settle(rig);
	assert_int_equal(i->controller_count, 0);
	inventory_unref(i);
	rig_free(rig);
}

/* New firmware may know what the old one refused. */
static void test_firmware_changed(void **state)
{
	struct rig *rig = rig_new();
	uint8_t page[NVME_SMART_BYTES];
	const struct inventory *i;

	(void)state;
	mock_add_drive(rig->mock, "nvme0", NULL, 0);
	mock_refuse(rig->mock, "nvme0", true, NVME_LOG_SMART, UINT32_MAX, -EREMOTEIO, 0x4109, "no");
	rig_start(rig, &rig->mock->base, 0);
	inventory_unref(rig_settle(rig));
	mock_smart_page(page, 300);
	mock_answer(rig->mock, "nvme0", true, NVME_LOG_SMART, UINT32_MAX, page, sizeof(page));
	inventory_refresh(rig->service);
	i = rig_settle(rig);
	assert_int_equal(controller_of(i, "nvme0")->smart_info.state, PAGE_REFUSED);
	inventory_unref(i);
	pthread_mutex_lock(&rig->mock->lock);
	str_copy(rig->mock->tree.controllers[0].firmware, 12, "2.0.0");
	pthread_mutex_unlock(&rig->mock->lock);
	inventory_refresh(rig->service);
	i = rig_settle(rig);
	assert_int_equal(controller_of(i, "nvme0")->smart_info.state, PAGE_OK);
	inventory_unref(i);
	rig_free(rig);
}

#define TAKEN 1764510000
static int64_t long_ago(struct transport *t)
{
	(void)t;
	return TAKEN;
}

/* A replay is read once, answers nothing anew and is never published again. */
static void test_replay(void **state)
{
	static const uint32_t nsids[] = {1};
	struct rig *rig = rig_new();
	char path[256];
	struct transport *replay;
	const struct inventory *i;
	uint64_t generation;

	(void)state;
	mock_add_drive(rig->mock, "nvme0", nsids, 1);
	rig->mock->ops.taken_at = long_ago;
	/* of that name here too, but another */
	make_block(rig->root, "nvme0n1", "5 0 0 0 0 0 0 0 0 0 0");
	snprintf(path, sizeof(path), "%s/c", rig->root);
	assert_int_equal(capture_write(&rig->mock->base, NULL, 0, path, NULL, NULL), 0);
	assert_int_equal(transport_capture_open(path, &replay, NULL, 0, NULL), 0);
	rig_start(rig, replay, 2);
	inventory_set_periods(rig->service, 1, 1);
	i = rig_settle(rig);
	assert_true(controller_of(i, "nvme0")->replayed);
	assert_true(namespace_of(i, "nvme0n1")->replayed);
	assert_false(namespace_of(i, "nvme0n1")->geometry_known);
	assert_false(namespace_of(i, "nvme0n1")->rates.known);
	assert_true(namespace_of(i, "nvme0n1")->used_known);
	assert_int_equal(controller_of(i, "nvme0")->health.verdict, HEALTH_GOOD);
	assert_string_equal(i->notice, "");
	/* as old as the capture */
	assert_true(controller_of(i, "nvme0")->smart_info.read_at == TAKEN);
	assert_true(namespace_of(i, "nvme0n1")->identify_info.read_at == TAKEN);
	generation = i->generation;
	inventory_unref(i);
	rig_drain(rig);
	inventory_refresh(rig->service);
	usleep(50000);
	i = inventory_wait(rig->service, LONG_MS);
	assert_true(i->generation == generation);
	inventory_unref(i);
	inventory_unsubscribe(rig->service, &rig->box);
	inventory_stop(rig->service);
	rig->service = NULL;
	transport_destroy(replay);
	rig_free(rig);
}

/* A page is due again after its period, counted on the clock: here by asking for a short one. */
static void test_periods(void **state)
{
	struct rig *rig = rig_new();
	unsigned asked;

	(void)state;
	mock_add_drive(rig->mock, "nvme0", NULL, 0);
	rig_start(rig, &rig->mock->base, 0);
	inventory_unref(rig_settle(rig));
	assert_int_equal(mock_asked(rig->mock, "nvme0", true, NVME_LOG_SMART, UINT32_MAX), 1);
	inventory_set_periods(rig->service, 0, 1);
	do {
		inventory_unref(rig_next(rig));
		asked = mock_asked(rig->mock, "nvme0", true, NVME_LOG_SMART, UINT32_MAX);
	} while (asked < 2);
	rig_free(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_access),
		cmocka_unit_test(test_nothing_there),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_block_devices),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_exchanged),
		cmocka_unit_test(test_firmware_changed),
		cmocka_unit_test(test_replay),
		cmocka_unit_test(test_periods),
	};

	return cmocka_run_group_tests_name("nvme/inventory_scan", tests, NULL, NULL);
}
