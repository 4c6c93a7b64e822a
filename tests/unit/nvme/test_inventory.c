/* The inventory over a transport that counts: what is asked, how often, and what snapshots say. No
 * test waits for a time to pass; a wait that never ends is ended by the runner. */
#include "inventory_lab.h"

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
	};

	return cmocka_run_group_tests_name("nvme/inventory", tests, NULL, NULL);
}
