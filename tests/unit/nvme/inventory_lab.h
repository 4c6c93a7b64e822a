/* What the tests of the inventory share: a transport that counts over a made-up sysfs tree, and the
 * service on top of it. */
#ifndef TESTS_UNIT_NVME_INVENTORY_LAB_H
#define TESTS_UNIT_NVME_INVENTORY_LAB_H

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

static inline struct rig *rig_new(void)
{
	struct rig *rig = mem_alloc(sizeof(*rig));

	rig->root = tree_make();
	rig->mock = mock_new();
	assert_int_equal(jobs_create(&rig->jobs, NULL), 0);
	assert_int_equal(mailbox_init(&rig->box, inventory_release, NULL), 0);
	tree_folder(rig->root, "sys/class/nvme");
	return rig;
}

static inline void rig_start(struct rig *rig, struct transport *transport, unsigned rates_ms)
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
static inline const struct inventory *rig_next(struct rig *rig)
{
	struct pollfd fd = {rig->box.fd, POLLIN, 0};
	const struct inventory *inventory;

	while ((inventory = mailbox_take(&rig->box)) == NULL)
		poll(&fd, 1, -1);
	return inventory;
}

static inline const struct inventory *rig_settle(struct rig *rig)
{
	const struct inventory *inventory = inventory_wait(rig->service, LONG_MS);

	assert_true(inventory->settled);
	return inventory;
}

/* What came meanwhile, NULL for nothing. */
static inline bool rig_drain(struct rig *rig)
{
	const struct inventory *inventory = mailbox_take(&rig->box);

	inventory_unref(inventory);
	return inventory != NULL;
}

static inline void rig_free(struct rig *rig)
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

static inline void make_block(const char *root, const char *name, const char *stat)
{
	char folder[128], below[128];

	snprintf(folder, sizeof(folder), "sys/devices/virtual/block/%s", name);
	tree_attributes(root, folder, "size", "2097152", "dev", "259:0", "stat", stat, NULL);
	snprintf(below, sizeof(below), "sys/class/block/%s", name);
	tree_link(root, below, folder);
	snprintf(below, sizeof(below), "dev/%s", name);
	tree_text(root, below, "");
}

static inline const struct inventory_controller *controller_of(
	const struct inventory *inventory, const char *name)
{
	const struct inventory_controller *c = inventory_find_controller(inventory, name);

	assert_non_null(c);
	return c;
}

static inline const struct inventory_namespace *namespace_of(
	const struct inventory *inventory, const char *name)
{
	const struct inventory_namespace *ns = inventory_find_namespace(inventory, name);

	assert_non_null(ns);
	return ns;
}

#endif
