/* Simulated drives through the decoders, verdicts and inventory that real ones pass. */
#include "lab.h"

#include <errno.h>
#include <math.h>

#include "nvme/environment.h"
#include "nvme/health.h"
#include "nvme/inventory.h"
#include "nvme/topology.h"
#include "sim/transport.h"

struct bench {
	struct sim_fleet *fleet;
	struct transport *transport;
};

static int set_up(void **state)
{
	struct bench *bench = mem_alloc(sizeof(*bench));

	bench->fleet = lab_demo();
	*state = bench;
	return sim_transport_create(bench->fleet, &bench->transport, NULL);
}

static int tear_down(void **state)
{
	struct bench *bench = *state;

	transport_destroy(bench->transport);
	sim_fleet_free(bench->fleet);
	free(bench);
	return 0;
}

static struct page ask(
	struct bench *bench, const char *controller, uint8_t cns, uint32_t nsid, uint8_t *bytes)
{
	struct nvme_status status;
	struct err err = {0};
	size_t got = 0;

	assert_int_equal(bench->transport->ops->identify(bench->transport, controller, cns, nsid,
				 bytes, 4096, &got, &status, &err),
		0);
	assert_int_equal(got, 4096);
	return (struct page){bytes, got};
}

static void smart_of(struct bench *bench, const char *controller, struct smart *out)
{
	const struct log_request request = {
		.log_id = NVME_LOG_SMART, .nsid = 0xffffffff, .length = 512};
	struct nvme_status status;
	uint8_t bytes[512];
	size_t got = 0;

	assert_int_equal(bench->transport->ops->get_log(bench->transport, controller, &request,
				 bytes, &got, &status, NULL),
		0);
	const struct page page = {bytes, got};

	assert_int_equal(got, 512);
	assert_false(smart_page_empty(&page));
	assert_int_equal(smart_decode(&page, out), 0);
}

static void controller_page(void **state)
{
	struct bench *bench = *state;
	struct identify_controller id;
	uint8_t bytes[4096];
	const struct page page = ask(bench, "pm9a3", NVME_CNS_CONTROLLER, 0, bytes);

	assert_int_equal(identify_controller_decode(&page, &id), 0);
	assert_string_equal(id.model, "SIM PM9A3-like 7.68TB");
	assert_string_equal(id.serial, "SIM-PM9A3-0001");
	assert_string_equal(id.firmware, "SIM1");
	assert_int_equal(id.warning_temperature_c.value, 70);
	assert_int_equal(id.critical_temperature_c.value, 80);
	assert_true(id.total_capacity.value == (u128)7680000000000);
	assert_int_equal(id.namespace_count, 1);
	assert_int_equal(id.version, 0x10400);
	assert_true(id.max_power_w > 3 && id.max_power_w < 40);
	assert_true(str_starts_with(id.nqn, "nqn.2014-08.org.nvmexpress:uuid:"));
	assert_false(id.truncated || id.implausible);
}

static void namespace_pages(void **state)
{
	struct bench *bench = *state;
	struct identify_namespace ns;
	uint8_t bytes[4096];
	uint32_t nsids[16];
	bool sane;
	const struct page page = ask(bench, "six", NVME_CNS_NAMESPACE, 3, bytes);
	u128 size;

	assert_int_equal(identify_namespace_decode(&page, &ns), 0);
	assert_true(ns.format_valid);
	assert_int_equal(ns.lba_bytes, 4096);
	assert_int_equal(ns.metadata_bytes, 0);
	assert_true(identify_namespace_bytes(&ns, ns.size_blocks, &size));
	assert_true(size == (u128)640000000000);
	assert_int_equal(ns.used_blocks, ns.size_blocks);
	const struct page list = ask(bench, "six", NVME_CNS_ACTIVE_LIST, 0, bytes);

	assert_int_equal(identify_list_decode(&list, nsids, 16, &sane), 6);
	assert_true(sane && nsids[0] == 1 && nsids[5] == 6);
	const struct page rest = ask(bench, "six", NVME_CNS_ACTIVE_LIST, 4, bytes);

	assert_int_equal(identify_list_decode(&rest, nsids, 16, &sane), 2);
	assert_int_equal(nsids[0], 5);
}

static void refusals_are_counted(void **state)
{
	struct bench *bench = *state;
	const struct log_request log = {.log_id = 0x7f, .nsid = 0xffffffff, .length = 512};
	struct transport *t = bench->transport;
	struct smart before, after;
	struct nvme_status status;
	struct err err = {0};
	uint8_t bytes[4096];
	size_t got = 1;

	smart_of(bench, "p5", &before);
	assert_int_equal(
		t->ops->identify(t, "p5", 0x77, 0, bytes, 4096, &got, &status, &err), -EREMOTEIO);
	assert_int_equal(got, 0);
	assert_int_equal(transport_status_code(status.word), 0x002);
	assert_int_equal(
		t->ops->identify(t, "p5", NVME_CNS_NAMESPACE, 2, bytes, 4096, &got, &status, &err),
		-EREMOTEIO);
	assert_int_equal(transport_status_code(status.word), 0x00b);
	assert_int_equal(t->ops->get_log(t, "p5", &log, bytes, &got, &status, &err), -EREMOTEIO);
	assert_int_equal(transport_status_code(status.word), 0x109);
	assert_true(transport_status_final(status.word));
	assert_int_equal(
		t->ops->identify(t, "p6", 1, 0, bytes, 4096, &got, &status, &err), -ENODEV);
	smart_of(bench, "p5", &after);
	assert_true(after.error_log_entries.value == before.error_log_entries.value + 3);
}

/* The verdict on the worn drive names each of its four troubles; the others are good. */
static void verdicts(void **state)
{
	static const char *const troubles[] = {
		"98 % of the rated", "media errors", "its temperature", "3.0 x2"};
	struct bench *bench = *state;

	for (size_t i = 0; i < bench->fleet->drive_count; i++) {
		const char *name = bench->fleet->drives[i].name;
		struct identify_controller id;
		struct environment env;
		struct health health;
		struct smart smart;
		uint8_t bytes[4096];
		const struct page page = ask(bench, name, NVME_CNS_CONTROLLER, 0, bytes);

		assert_int_equal(identify_controller_decode(&page, &id), 0);
		smart_of(bench, name, &smart);
		bench->transport->ops->environment(bench->transport, name, &env);
		health_judge(&smart, &id, &env, "live", "", &health);
		if (strcmp(name, "ailing")) {
			assert_int_equal(health.verdict, HEALTH_GOOD);
			continue;
		}
		assert_int_equal(health.verdict, HEALTH_WARNING);
		for (size_t t = 0; t < 4; t++) {
			bool found = false;

			for (size_t r = 0; r < health.reason_count; r++)
				found |= strstr(health.reasons[r].text, troubles[t]) != NULL;
			print_message("%s: %s\n", troubles[t], found ? "named" : "missing");
			assert_true(found);
		}
	}
}

/* Topology and pages tell the same. */
static void topology_agrees(void **state)
{
	struct bench *bench = *state;
	struct topology *topology;
	uint8_t bytes[4096];

	assert_int_equal(bench->transport->ops->list(bench->transport, &topology, NULL), 0);
	assert_int_equal(topology->controller_count, 7);
	assert_int_equal(topology->namespace_count, 12);
	for (size_t i = 0; i < topology->namespace_count; i++) {
		const struct topology_namespace *topo = &topology->namespaces[i];
		struct identify_namespace ns;
		const struct page page =
			ask(bench, topo->controller, NVME_CNS_NAMESPACE, topo->nsid, bytes);

		assert_int_equal(identify_namespace_decode(&page, &ns), 0);
		assert_int_equal(ns.size_blocks * ns.lba_bytes, topo->size_bytes);
		assert_int_equal(ns.lba_bytes, topo->lba_bytes);
		assert_string_equal(ns.eui64, topo->eui64);
		assert_string_equal(ns.nguid, topo->nguid);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(topology->namespaces[k].nguid, topo->nguid);
	}
	topology_free(topology);
}

/* The hosts' load is a function of seed and time: the same again, never backwards, at the rates of
 * the file over a long time, and it moves from second to second. */
static void background_moves(void **state)
{
	struct bench *bench = *state;
	struct sim_drive *drive = sim_fleet_drive(bench->fleet, "six");
	struct sim_totals last[6] = {0}, now;
	double low = INFINITY, high = 0, all = 0;

	for (int second = 1; second <= 1000; second++) {
		double writes = 0;

		drive->clock = &(const struct clock){
			.kind = CLOCK_FREE, .free_ns = (uint64_t)second * LAB_S};
		for (uint32_t i = 0; i < 6; i++) {
			sim_namespace_totals(&drive->namespaces[i], &now);
			assert_true(now.reads >= last[i].reads);
			assert_true(now.writes >= last[i].writes);
			assert_true(now.busy_ns >= last[i].busy_ns);
			writes += (double)(now.writes - last[i].writes);
			last[i] = now;
			sim_namespace_totals(&drive->namespaces[i], &now);
			assert_memory_equal(&now, &last[i], sizeof(now));
		}
		low = fmin(low, writes);
		high = fmax(high, writes);
		all += writes;
		drive->clock = &bench->fleet->clock;
	}
	print_message("%.0f to %.0f writes a second\n", low, high);
	assert_true(fabs(all / 1000 / drive->is.background_write_iops - 1) < 0.02);
	assert_true(high > 1.2 * low && low > 0);
}

/* The ailing drive gets new media errors by itself. */
static void errors_grow(void **state)
{
	struct bench *bench = *state;
	struct sim_drive *drive = sim_fleet_drive(bench->fleet, "ailing");
	struct smart before, after;

	smart_of(bench, "ailing", &before);
	drive->clock = &(const struct clock){.kind = CLOCK_FREE, .free_ns = 600 * LAB_S};
	smart_of(bench, "ailing", &after);
	drive->clock = &bench->fleet->clock;
	/* 3000 x 16 KiB a second and 600 per TB: 17.7 in ten minutes */
	assert_in_range((uint64_t)(after.media_errors.value - before.media_errors.value), 16, 19);
	assert_true(after.host_reads.value > before.host_reads.value);
	assert_int_equal(after.warning_temperature_minutes.value, 10);
}

/* Through the inventory, with rates from the transport's counters. */
static void inventory_shows_it(void **state)
{
	struct bench *bench = *state;
	const struct inventory_config config = {
		.transport = bench->transport,
		.sysfs_root = "",
		.dev_root = "",
		.source = "demo",
	};
	struct inventory_service *service;
	const struct inventory *inventory;
	struct jobs *jobs;

	assert_int_equal(jobs_create(&jobs, NULL), 0);
	assert_int_equal(inventory_start(&config, jobs, &service, NULL), 0);
	inventory = inventory_wait(service, 60000);
	assert_non_null(inventory);
	assert_int_equal(inventory->controller_count, 7);
	assert_int_equal(inventory->namespace_count, 12);
	for (size_t i = 0; i < inventory->controller_count; i++) {
		assert_true(inventory->controllers[i].simulated);
		assert_false(inventory->controllers[i].replayed);
		assert_int_equal(inventory->controllers[i].smart_info.state, PAGE_OK);
		assert_int_equal(inventory->controllers[i].identify_info.state, PAGE_OK);
	}
	for (size_t i = 0; i < inventory->namespace_count; i++) {
		assert_true(inventory->namespaces[i].simulated);
		assert_true(inventory->namespaces[i].size_known);
		assert_true(inventory->namespaces[i].used_known);
		assert_string_equal(inventory->namespaces[i].no_sweep, "");
	}
	inventory_unref(inventory);
	inventory_stop(service);
	jobs_destroy(jobs);
}

static void counters_are_statistics(void **state)
{
	struct bench *bench = *state;
	struct transport *t = bench->transport;
	struct iostat_counters before, after;
	struct iostat_rates rates;

	assert_int_equal(t->ops->counters(t, "p5520n1", &before), 0);
	bench->fleet->clock.free_ns = 100 * LAB_S;
	assert_int_equal(t->ops->counters(t, "p5520n1", &after), 0);
	iostat_between(&before, &after, &rates);
	assert_true(rates.known);
	assert_true(fabs(rates.read_iops / 21000 - 1) < 0.3);
	assert_true(fabs(rates.read_bytes_s / rates.read_iops - 4096) < 1);
	assert_true(rates.read_latency_ms > 0.05 && rates.read_latency_ms < 0.1);
	assert_true(rates.busy_pct > 20 && rates.busy_pct <= 100);
	assert_int_equal(t->ops->counters(t, "p5520", &after), 0);
	assert_int_equal(t->ops->counters(t, "nothing", &after), -ENODEV);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(controller_page, set_up, tear_down),
		cmocka_unit_test_setup_teardown(namespace_pages, set_up, tear_down),
		cmocka_unit_test_setup_teardown(refusals_are_counted, set_up, tear_down),
		cmocka_unit_test_setup_teardown(verdicts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(topology_agrees, set_up, tear_down),
		cmocka_unit_test_setup_teardown(background_moves, set_up, tear_down),
		cmocka_unit_test_setup_teardown(errors_grow, set_up, tear_down),
		cmocka_unit_test_setup_teardown(inventory_shows_it, set_up, tear_down),
		cmocka_unit_test_setup_teardown(counters_are_statistics, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("sim/transport", tests, NULL, NULL);
}
