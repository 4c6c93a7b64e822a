/* The inventory over a transport that counts: what is asked, how often, and what snapshots say. No
 * test waits for a time to pass; a wait that never ends is ended by the runner. */
#include "fixture.h"
#include "tree.h"
#include "mock.h"

#include <poll.h>
#include <sched.h>

#include "base/file.h"
#include "nvme/capture.h"
#include "nvme/inventory.h"
#include "nvme/libnvme.h"

#define LONG_MS 600000 /* longer than any test runs */

struct rig {
	char *root;
	struct mock *mock;
	struct jobs *jobs;
	struct inventory_service *service;
	struct mailbox box;
};

static struct rig *rig_new(void)
{
	struct rig *rig = mem_alloc(sizeof(*rig));

	rig->root = tree_make();
	rig->mock = mock_new();
	assert_int_equal(jobs_create(&rig->jobs, NULL), 0);
	assert_int_equal(mailbox_init(&rig->box, inventory_release, NULL), 0);
	tree_folder(rig->root, "sys/class/nvme");
	return rig;
}

static void rig_start(struct rig *rig, struct transport *transport, unsigned rates_ms)
{
	const struct inventory_config config = {
		.transport = transport,
		.sysfs_root = rig->root,
		.dev_root = rig->root,
		.block_devices = true,
		.rates_ms = rates_ms,
		.source = "test",
	};
	struct err err;

	if (inventory_start(&config, rig->jobs, &rig->service, &err) < 0)
		fail_msg("%s", err.text);
	inventory_subscribe(rig->service, &rig->box);
}

/* The next snapshot that comes. */
static const struct inventory *rig_next(struct rig *rig)
{
	struct pollfd fd = {rig->box.fd, POLLIN, 0};
	const struct inventory *inventory;

	while ((inventory = mailbox_take(&rig->box)) == NULL)
		poll(&fd, 1, -1);
	return inventory;
}

static const struct inventory *rig_settle(struct rig *rig)
{
	const struct inventory *inventory = inventory_wait(rig->service, LONG_MS);

	assert_true(inventory->settled);
	return inventory;
}

/* What came meanwhile, NULL for nothing. */
static bool rig_drain(struct rig *rig)
{
	const struct inventory *inventory = mailbox_take(&rig->box);

	inventory_unref(inventory);
	return inventory != NULL;
}

static void rig_free(struct rig *rig)
{
	inventory_stop(rig->service);
	mailbox_close(&rig->box);
	transport_destroy(&rig->mock->base);
	/* a command that was let go ends in its own time */
	while (!atomic_load(&rig->mock->destroyed))
		sched_yield();
	jobs_destroy(rig->jobs);
	mock_free(rig->mock);
	tree_remove(rig->root);
	free(rig);
}

static void make_block(const char *root, const char *name, const char *stat)
{
	char folder[128], below[128];

	snprintf(folder, sizeof(folder), "sys/devices/virtual/block/%s", name);
	tree_attributes(root, folder, "size", "2097152", "dev", "259:0", "stat", stat, NULL);
	snprintf(below, sizeof(below), "sys/class/block/%s", name);
	tree_link(root, below, folder);
	snprintf(below, sizeof(below), "dev/%s", name);
	tree_text(root, below, "");
}

static const struct inventory_controller *controller_of(
	const struct inventory *inventory, const char *name)
{
	const struct inventory_controller *c = inventory_find_controller(inventory, name);

	assert_non_null(c);
	return c;
}

static const struct inventory_namespace *namespace_of(
	const struct inventory *inventory, const char *name)
{
	const struct inventory_namespace *ns = inventory_find_namespace(inventory, name);

	assert_non_null(ns);
	return ns;
}

static void test_plain(void **state)
{
	static const uint32_t nsids[] = {1, 3};
	struct rig *rig = rig_new();

	(void)state;
	mock_add_drive(rig->mock, "nvme0", nsids, 2);
	rig->mock->env.link_width = 4;
	make_block(rig->root, "nvme0n1", "0 0 0 0 0 0 0 0 0 0 0");
	make_block(rig->root, "nvme0n3", "0 0 0 0 0 0 0 0 0 0 0");
	rig_start(rig, &rig->mock->base, 0);
	const struct inventory *i = rig_settle(rig);
	const struct inventory_controller *c = controller_of(i, "nvme0");
	const struct inventory_namespace *ns = namespace_of(i, "nvme0n3");

	assert_string_equal(i->source, "test");
	assert_string_equal(i->notice, "");
	assert_int_equal(i->controller_count, 1);
	assert_int_equal(i->namespace_count, 2);
	assert_int_equal(i->block_device_count, 0); /* NVMe ones are no other devices */
	assert_int_equal(c->identify_info.state, PAGE_OK);
	assert_int_equal(c->smart_info.state, PAGE_OK);
	assert_int_equal(c->list_info.state, PAGE_OK);
	assert_true(c->smart_info.read_at > 0);
	assert_string_equal(c->identify.serial, "FAKE0001");
	assert_int_equal(c->smart.temperature_c.value, 27);
	assert_int_equal(c->smart_raw[3], 100);
	assert_int_equal(c->identify_raw[4], 'F');
	assert_int_equal(c->nsid_count, 2);
	assert_int_equal(c->nsids[1], 3);
	assert_int_equal(c->env.link_width, 4);
	assert_int_equal(c->health.verdict, HEALTH_GOOD);
	assert_false(c->replayed);
	assert_int_equal(ns->controller_index, 0);
	assert_true(ns->size_known && ns->size_bytes == 1u << 30);
	assert_true(ns->used_known && ns->used_bytes == 1u << 29);
	assert_int_equal(ns->lba_bytes, 512);
	assert_string_equal(ns->no_sweep, "");
	assert_true(ns->geometry_known);
	assert_string_equal(ns->geometry.name, "nvme0n3");
	assert_false(ns->rates.known);
	assert_true(inventory_namespace_of(ns, c));
	assert_null(inventory_find_namespace(i, ""));
	assert_null(inventory_find_controller(i, "nvme1"));
	/* NSID 0, and each page once */
	assert_int_equal(rig->mock->errors, 0);
	assert_int_equal(rig->mock->commands, 5);
	inventory_unref(i);
	rig_free(rig);
}

/* The first snapshot does not wait for any page; a silent controller stops nobody else, its age is
 * told, and stopping does not wait for it (CASES T3). */
static void test_silent(void **state)
{
	static const uint32_t nsids[] = {1};
	struct rig *rig = rig_new();
	const struct inventory *i;
	uint64_t age = 0;

	(void)state;
	mock_add_drive(rig->mock, "nvme0", nsids, 1);
	mock_silence(rig->mock, true);
	rig_start(rig, &rig->mock->base, 5);
	i = rig_next(rig);
	assert_int_equal(i->controller_count, 1);
	assert_int_equal(i->namespace_count, 1);
	assert_true(namespace_of(i, "nvme0n1")->size_known);
	assert_int_equal(controller_of(i, "nvme0")->identify_info.state, PAGE_WAITING);
	assert_int_equal(controller_of(i, "nvme0")->smart_info.state, PAGE_WAITING);
	assert_int_equal(controller_of(i, "nvme0")->health.verdict, HEALTH_UNKNOWN);
	assert_false(i->settled);
	inventory_unref(i);
	mock_wait_stuck(rig->mock, 0);
	for (int grown = 0; grown < 3;) {
		const struct inventory_controller *c;

		i = rig_next(rig);
		c = controller_of(i, "nvme0");
		if (c->identify_info.waiting_ns > age && c->busy_ns > 0) {
			age = c->identify_info.waiting_ns;
			grown++;
		}
		assert_int_equal(c->identify_info.state, PAGE_WAITING);
		assert_non_null(strstr(c->identify_info.text, "no answer for"));
		inventory_unref(i);
	}
	/* not repeated while it is out, whoever asks */
	for (int k = 0; k < 10; k++) {
		inventory_refresh(rig->service);
		inventory_unref(rig_next(rig));
	}
	assert_int_equal(rig->mock->commands, 1);
	/* a headless command gives up in time and is told what is out */
	i = inventory_wait(rig->service, 1);
	assert_false(i->settled);
	assert_int_equal(controller_of(i, "nvme0")->smart_info.state, PAGE_WAITING);
	inventory_unref(i);
	inventory_stop(rig->service);
	rig->service = NULL;
	/* the command is still out, and what it uses outlives everything else */
	pthread_mutex_lock(&rig->mock->lock);
	assert_int_equal(rig->mock->stuck, 1);
	pthread_mutex_unlock(&rig->mock->lock);
	assert_false(atomic_load(&rig->mock->destroyed));
	mock_silence(rig->mock, false);
	rig_free(rig);
}

/* One silent controller beside one that answers. */
static void test_silent_beside_good(void **state)
{
	struct rig *rig = rig_new();
	const struct inventory *i;
	uint64_t generation;

	(void)state;
	mock_add_drive(rig->mock, "nvme0", NULL, 0);
	rig_start(rig, &rig->mock->base, 0);
	i = rig_settle(rig);
	assert_int_equal(controller_of(i, "nvme0")->smart.temperature_c.value, 27);
	generation = i->generation;
	inventory_unref(i);
	/* it falls silent: what was read stays */
	mock_silence(rig->mock, true);
	inventory_refresh(rig->service);
	mock_wait_stuck(rig->mock, 0);
	i = inventory_wait(rig->service, 1);
	assert_true(i->generation > generation);
	assert_int_equal(controller_of(i, "nvme0")->smart_info.state, PAGE_OK);
	assert_int_equal(controller_of(i, "nvme0")->smart.temperature_c.value, 27);
	assert_true(controller_of(i, "nvme0")->busy_ns > 0);
	inventory_unref(i);
	mock_silence(rig->mock, false);
	inventory_unref(rig_settle(rig));
	rig_free(rig);
}

/* CASES S9: a drive counts every command it does not know. 100 refreshes move nothing. */
static void test_refused_once(void **state)
{
	static const uint32_t nsids[] = {1, 2};
	struct rig *rig = rig_new();
	unsigned errors, asked;
	const struct inventory *i;

	(void)state;
	mock_add_drive(rig->mock, "nvme0", nsids, 2);
	mock_refuse(rig->mock, "nvme0", true, NVME_LOG_SMART, UINT32_MAX, -EREMOTEIO, 0x2109,
		"Invalid Log Page (0x2109)");
	mock_refuse(rig->mock, "nvme0", false, NVME_CNS_ACTIVE_LIST, 0, -EREMOTEIO, 0x4002,
		"Invalid Field in Command (0x4002)");
	mock_refuse(rig->mock, "nvme0", false, NVME_CNS_NAMESPACE, 2, -EREMOTEIO, 0x400b,
		"Invalid Namespace or Format (0x400b)");
	rig_start(rig, &rig->mock->base, 0);
	i = rig_settle(rig);
	/* one page fails, the others are there (CASES L1) */
	assert_int_equal(controller_of(i, "nvme0")->smart_info.state, PAGE_REFUSED);
	assert_string_equal(
		controller_of(i, "nvme0")->smart_info.text, "Invalid Log Page (0x2109)");
	assert_int_equal(controller_of(i, "nvme0")->list_info.state, PAGE_REFUSED);
	assert_int_equal(controller_of(i, "nvme0")->identify_info.state, PAGE_OK);
	assert_int_equal(controller_of(i, "nvme0")->health.verdict, HEALTH_UNKNOWN);
	assert_int_equal(namespace_of(i, "nvme0n2")->identify_info.state, PAGE_REFUSED);
	assert_int_equal(namespace_of(i, "nvme0n1")->identify_info.state, PAGE_OK);
	inventory_unref(i);
	errors = rig->mock->errors;
	assert_int_equal(errors, 3);
	asked = mock_asked(rig->mock, "nvme0", false, NVME_CNS_CONTROLLER, 0);
	for (int k = 0; k < 100; k++) {
		inventory_refresh(rig->service);
		inventory_unref(rig_settle(rig));
	}
	assert_int_equal(rig->mock->errors, errors);
	assert_int_equal(mock_asked(rig->mock, "nvme0", true, NVME_LOG_SMART, UINT32_MAX), 1);
	/* what it does answer was really asked again */
	assert_int_equal(
		mock_asked(rig->mock, "nvme0", false, NVME_CNS_CONTROLLER, 0), asked + 100);
	rig_free(rig);
}

/* What the version or type of a controller rules out is never asked. */
static void test_not_asked(void **state)
{
	struct rig *rig = rig_new();
	uint8_t page[NVME_IDENTIFY_BYTES];

	(void)state;
	mock_add_drive(rig->mock, "nvme0", NULL, 0); /* NVMe 1.0: no list */
	mock_identify_page(page, 0x10000, 1);
	mock_answer(rig->mock, "nvme0", false, NVME_CNS_CONTROLLER, 0, page, sizeof(page));
	mock_add_drive(rig->mock, "nvme1", NULL, 0); /* NN 0 */
	mock_identify_page(page, 0x10400, 0);
	mock_answer(rig->mock, "nvme1", false, NVME_CNS_CONTROLLER, 0, page, sizeof(page));
	mock_add_drive(rig->mock, "nvme2", NULL, 0); /* discovery, by sysfs */
	str_copy(rig->mock->tree.controllers[2].controller_type, 16, "discovery");
	mock_add_drive(rig->mock, "nvme3", NULL, 0); /* NN of all ones: not walked */
	mock_identify_page(page, 0x10400, UINT32_MAX);
	mock_answer(rig->mock, "nvme3", false, NVME_CNS_CONTROLLER, 0, page, sizeof(page));
	rig_start(rig, &rig->mock->base, 0);
	const struct inventory *i = rig_settle(rig);

	assert_int_equal(mock_asked(rig->mock, "nvme0", false, NVME_CNS_ACTIVE_LIST, 0), 0);
	assert_int_equal(mock_asked(rig->mock, "nvme1", false, NVME_CNS_ACTIVE_LIST, 0), 0);
	assert_int_equal(mock_asked(rig->mock, "nvme2", false, NVME_CNS_ACTIVE_LIST, 0), 0);
	assert_int_equal(mock_asked(rig->mock, "nvme2", true, NVME_LOG_SMART, UINT32_MAX), 0);
	assert_int_equal(mock_asked(rig->mock, "nvme3", false, NVME_CNS_ACTIVE_LIST, 0), 1);
	assert_int_equal(rig->mock->errors, 0);
	assert_int_equal(rig->mock->commands, 2 + 2 + 1 + 3);
	assert_int_equal(controller_of(i, "nvme2")->smart_info.state, PAGE_FAILED);
	assert_int_equal(controller_of(i, "nvme1")->identify_info.state, PAGE_OK);
	inventory_unref(i);
	rig_free(rig);
}

/* CASES S1: zeros under RAE = 1; then, and from then on, RAE = 0. */
static void test_smart_clears(void **state)
{
	struct rig *rig = rig_new();
	uint8_t zeros[NVME_SMART_BYTES] = {0};
	struct mock_answer *empty, *good;

	(void)state;
	mock_add_drive(rig->mock, "nvme0", NULL, 0);
	empty = mock_answer(
		rig->mock, "nvme0", true, NVME_LOG_SMART, UINT32_MAX, zeros, sizeof(zeros));
	good = &rig->mock->answers[rig->mock->answer_count++];
	*good = *empty;
	mock_smart_page(good->bytes, 310);
	empty->retain = 1;
	good->retain = 0;
	rig_start(rig, &rig->mock->base, 0);
	const struct inventory *i = rig_settle(rig);
	assert_int_equal(controller_of(i, "nvme0")->smart_info.state, PAGE_OK);
	assert_int_equal(controller_of(i, "nvme0")->smart.temperature_c.value, 37);
	inventory_unref(i);
	assert_int_equal(empty->asked, 1);
	assert_int_equal(good->asked, 1);
	inventory_refresh(rig->service);
	inventory_unref(rig_settle(rig));
	assert_int_equal(empty->asked, 1);
	assert_int_equal(good->asked, 2);
	rig_free(rig);
}

/* Zeros either way: no figures, no alarm, and the page before is kept. */
static void test_smart_empty(void **state)
{
	struct rig *rig = rig_new();
	uint8_t page[NVME_SMART_BYTES] = {0};
	const struct inventory *i;

	(void)state;
	mock_add_drive(rig->mock, "nvme0", NULL, 0);
	mock_answer(rig->mock, "nvme0", true, NVME_LOG_SMART, UINT32_MAX, page, sizeof(page));
	rig_start(rig, &rig->mock->base, 0);
	i = rig_settle(rig);
	assert_int_equal(controller_of(i, "nvme0")->smart_info.state, PAGE_EMPTY);
	assert_int_equal(controller_of(i, "nvme0")->smart_info.read_at, 0);
	assert_string_equal(
		controller_of(i, "nvme0")->smart_info.text, "the drive returned an empty page");
	assert_int_equal(controller_of(i, "nvme0")->health.verdict, HEALTH_UNKNOWN);
	inventory_unref(i);
	assert_int_equal(mock_asked(rig->mock, "nvme0", true, NVME_LOG_SMART, UINT32_MAX), 2);
	mock_smart_page(page, 300);
	mock_answer(rig->mock, "nvme0", true, NVME_LOG_SMART, UINT32_MAX, page, sizeof(page));
	inventory_refresh(rig->service);
	i = rig_settle(rig);
	assert_int_equal(controller_of(i, "nvme0")->health.verdict, HEALTH_GOOD);
	inventory_unref(i);
	memset(page, 0, sizeof(page));
	mock_answer(rig->mock, "nvme0", true, NVME_LOG_SMART, UINT32_MAX, page, sizeof(page));
	inventory_refresh(rig->service);
	i = rig_settle(rig);
	assert_int_equal(controller_of(i, "nvme0")->smart_info.state, PAGE_EMPTY);
	assert_true(controller_of(i, "nvme0")->smart_info.read_at > 0);
	assert_int_equal(controller_of(i, "nvme0")->smart.available_spare.value, 100);
	assert_int_equal(controller_of(i, "nvme0")->health.verdict, HEALTH_GOOD);
	inventory_unref(i);
	rig_free(rig);
}

/* CASES I4: the garbage that comes right after a reset does not replace what was good. */
static void test_garbage(void **state)
{
	struct rig *rig;
	uint8_t page[NVME_IDENTIFY_BYTES] = {0};
	const struct inventory *i;

	(void)state;
	fixture_need("pages/idctrl-I4-garbage.bin");
	rig = rig_new();
	mock_add_drive(rig->mock, "nvme0", NULL, 0);
	rig_start(rig, &rig->mock->base, 0);
	inventory_unref(rig_settle(rig));
	const size_t length = fixture_read("idctrl-I4-garbage.bin", page, sizeof(page));
	mock_answer(rig->mock, "nvme0", false, NVME_CNS_CONTROLLER, 0, page, length);
	inventory_refresh(rig->service);
	i = rig_settle(rig);
	assert_int_not_equal(controller_of(i, "nvme0")->identify_info.state, PAGE_OK);
	assert_non_null(strstr(controller_of(i, "nvme0")->identify_info.text, "reset"));
	assert_true(controller_of(i, "nvme0")->identify_info.read_at > 0);
	assert_string_equal(controller_of(i, "nvme0")->identify.serial, "FAKE0001");
	assert_int_equal(controller_of(i, "nvme0")->smart_info.state, PAGE_OK);
	inventory_unref(i);
	/* and then the drive is back */
	mock_identify_page(page, 0x10400, 1);
	mock_answer(rig->mock, "nvme0", false, NVME_CNS_CONTROLLER, 0, page, sizeof(page));
	inventory_refresh(rig->service);
	i = rig_settle(rig);
	assert_int_equal(controller_of(i, "nvme0")->identify_info.state, PAGE_OK);
	inventory_unref(i);
	rig_free(rig);
}

static void set_state(struct mock *mock, size_t index, const char *state)
{
	pthread_mutex_lock(&mock->lock);
	memset(mock->tree.controllers[index].state, 0, sizeof(mock->tree.controllers[0].state));
	str_copy(mock->tree.controllers[index].state, 24, state);
	pthread_mutex_unlock(&mock->lock);
}

/* CASES T2: no command to controllers that are not live; a head is read through a live path. */
static void test_states(void **state)
{
	struct rig *rig = rig_new();
	struct topology_namespace *head;
	const struct inventory *i;
	uint8_t page[NVME_IDENTIFY_BYTES];

	(void)state;
	mock_add_drive(rig->mock, "nvme0", NULL, 0);
	mock_add_drive(rig->mock, "nvme1", NULL, 0);
	mock_add_drive(rig->mock, "nvme2", NULL, 0);
	set_state(rig->mock, 0, "dead");
	set_state(rig->mock, 1, "connecting");
	head = mock_add_namespace(rig->mock, "nvme0n1", "", 1, 1 << 30);
	mock_add_path(head, "nvme0c0n1", "nvme0");
	mock_add_path(head, "nvme0c1n1", "nvme1");
	mock_add_path(head, "nvme0c2n1", "nvme2");
	mock_namespace_page(page, 1 << 21, 9, 0, false);
	for (int k = 0; k < 3; k++) {
		char name[8] = "nvme0";

		name[4] = (char)('0' + k);
		mock_answer(rig->mock, name, false, NVME_CNS_NAMESPACE, 1, page, sizeof(page));
	}
	make_block(rig->root, "nvme0n1", "0 0 0 0 0 0 0 0 0 0 0");
	rig_start(rig, &rig->mock->base, 0);
	i = rig_settle(rig);
	assert_int_equal(i->namespace_count, 1);
	assert_int_equal(i->namespaces[0].controller_index, 2);
	assert_int_equal(i->namespaces[0].identify_info.state, PAGE_OK);
	assert_string_equal(i->namespaces[0].no_sweep, "");
	assert_ptr_equal(inventory_find_namespace(i, "nvme0c1n1"), &i->namespaces[0]);
	assert_int_equal(mock_asked(rig->mock, "nvme2", false, NVME_CNS_NAMESPACE, 1), 1);
	assert_int_equal(rig->mock->commands, 4);
	assert_int_equal(rig->mock->environments, 3);
	assert_int_equal(controller_of(i, "nvme0")->smart_info.state, PAGE_FAILED);
	assert_string_equal(controller_of(i, "nvme0")->smart_info.text,
		"nvme0 is dead: no commands are sent to it");
	assert_int_equal(controller_of(i, "nvme0")->health.verdict, HEALTH_CRITICAL);
	inventory_unref(i);
	/* the last path goes: content stays, and the namespace is no target */
	set_state(rig->mock, 2, "resetting");
	inventory_refresh(rig->service);
	i = rig_settle(rig);
	assert_true(i->namespaces[0].identify_info.read_at > 0);
	assert_true(i->namespaces[0].used_known);
	assert_string_equal(i->namespaces[0].no_sweep, "none of its 3 paths is live");
	assert_true(controller_of(i, "nvme2")->smart_info.read_at > 0);
	assert_int_equal(controller_of(i, "nvme2")->smart.available_spare.value, 100);
	assert_int_equal(rig->mock->commands, 4);
	inventory_unref(i);
	/* another comes up and is asked */
	set_state(rig->mock, 1, "live");
	inventory_refresh(rig->service);
	i = rig_settle(rig);
	assert_int_equal(controller_of(i, "nvme1")->smart_info.state, PAGE_OK);
	assert_int_equal(mock_asked(rig->mock, "nvme1", false, NVME_CNS_NAMESPACE, 1), 1);
	assert_int_equal(mock_asked(rig->mock, "nvme0", false, NVME_CNS_CONTROLLER, 0), 0);
	assert_string_equal(i->namespaces[0].no_sweep, "");
	inventory_unref(i);
	rig_free(rig);
}

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
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_silent),
		cmocka_unit_test(test_silent_beside_good),
		cmocka_unit_test(test_refused_once),
		cmocka_unit_test(test_not_asked),
		cmocka_unit_test(test_smart_clears),
		cmocka_unit_test(test_smart_empty),
		cmocka_unit_test(test_garbage),
		cmocka_unit_test(test_states),
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

	return cmocka_run_group_tests_name("nvme/inventory", tests, NULL, NULL);
}
