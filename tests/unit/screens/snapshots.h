/* Hand-made snapshots of drives and of a running test, for the tests of screens. */
#ifndef TEST_SCREENS_SNAPSHOTS_H
#define TEST_SCREENS_SNAPSHOTS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "nvme/inventory.h"
#include "stats/series.h"
#include "sweep/runner.h"

/* ---- snapshots -------------------------------------------------------------------------------- */

#define FIXTURE_TIME INT64_C(1796047320) /* 2026-11-30T14:02:00Z */

static inline struct inventory *fixture_inventory(
	size_t controllers, size_t namespaces, size_t block_devices)
{
	struct inventory *inventory = mem_alloc(sizeof(*inventory));

	inventory->generation = 1;
	inventory->settled = true;
	inventory->controllers = mem_alloc((controllers + 1) * sizeof(*inventory->controllers));
	inventory->controller_count = controllers;
	inventory->namespaces = mem_alloc((namespaces + 1) * sizeof(*inventory->namespaces));
	inventory->namespace_count = namespaces;
	inventory->block_devices =
		mem_alloc((block_devices + 1) * sizeof(*inventory->block_devices));
	inventory->block_device_count = block_devices;
	return inventory;
}

static inline void fixture_free(struct inventory *inventory)
{
	for (size_t i = 0; i < inventory->controller_count; i++)
		free(inventory->controllers[i].nsids);
	for (size_t i = 0; i < inventory->namespace_count; i++)
		free(inventory->namespaces[i].topo.paths);
	free(inventory->controllers);
	free(inventory->namespaces);
	free(inventory->block_devices);
	free(inventory);
}

static inline struct field_int some(int64_t value)
{
	return (struct field_int){true, value};
}

static inline struct field_u128 many(uint64_t value)
{
	return (struct field_u128){true, value};
}

/* A drive as it is when root reads it; spare parts of it are changed by the tests. */
static inline void fixture_controller(struct inventory_controller *c, int number, const char *model)
{
	memset(c, 0, sizeof(*c));
	str_format(c->topo.name, sizeof(c->topo.name), "nvme%d", number);
	str_copy(c->topo.model, sizeof(c->topo.model), model);
	str_format(c->topo.serial, sizeof(c->topo.serial), "FAKE%04d", number);
	str_copy(c->topo.firmware, sizeof(c->topo.firmware), "1.2.3");
	str_copy(c->topo.transport, sizeof(c->topo.transport), "pcie");
	str_format(c->topo.address, sizeof(c->topo.address), "0000:%02x:00.0", number + 1);
	str_copy(c->topo.state, sizeof(c->topo.state), "live");
	str_format(c->topo.subsystem, sizeof(c->topo.subsystem), "nvme-subsys%d", number);
	str_format(c->topo.nqn, sizeof(c->topo.nqn), "nqn.2014.08.org.example:fake%d", number);
	c->topo.cntlid = 1;
	c->topo.numa_node = 0;
	c->topo.queue_count = 16;
	c->topo.sqsize = 1023;
	c->topo.node_visible = true;
	c->identify_info = (struct page_info){.state = PAGE_OK, .read_at = FIXTURE_TIME};
	c->smart_info = c->list_info = c->identify_info;
	c->identify.vendor_id = 0x1b36;
	c->identify.subsystem_vendor_id = 0x1af4;
	c->identify.version = 0x00010400;
	c->identify.mdts = 7;
	c->identify.namespace_count = 256;
	c->identify.npss = 4;
	c->identify.max_power_w = 25;
	c->identify.oncs = 0x5f;
	c->identify.oacs = 0x1f;
	c->identify.sanitize_capabilities = 3;
	c->identify.warning_temperature_c = some(70);
	c->identify.critical_temperature_c = some(80);
	c->identify.total_capacity = many(UINT64_C(7681501126656));
	c->identify.unallocated_capacity = many(0);
	c->smart.temperature_c = some(41);
	c->smart.available_spare = some(100);
	c->smart.spare_threshold = some(10);
	c->smart.percentage_used = some(3);
	c->smart.data_units_read = many(UINT64_C(80468750));    /* 41.20 TB */
	c->smart.data_units_written = many(UINT64_C(26582031)); /* 13.61 TB */
	c->smart.host_reads = many(UINT64_C(1000000000));
	c->smart.host_writes = many(UINT64_C(500000000));
	c->smart.controller_busy_minutes = many(4000);
	c->smart.power_cycles = many(48);
	c->smart.power_on_hours = many(31204);
	c->smart.unsafe_shutdowns = many(17);
	c->smart.media_errors = many(0);
	c->smart.error_log_entries = many(211);
	c->smart.warning_temperature_minutes = some(0);
	c->smart.critical_temperature_minutes = some(0);
	c->smart.sensors_c[0] = some(45);
	c->env.link_gts = c->env.link_max_gts = c->env.slot_max_gts = 16;
	c->env.link_width = c->env.link_max_width = c->env.slot_max_width = 4;
	c->env.numa_node = 0;
	c->health.verdict = HEALTH_GOOD;
}

static inline void fixture_namespace(
	struct inventory_namespace *ns, int controller, unsigned nsid, uint64_t bytes)
{
	memset(ns, 0, sizeof(*ns));
	str_format(ns->topo.name, sizeof(ns->topo.name), "nvme%dn%u", controller, nsid);
	str_format(ns->topo.generic, sizeof(ns->topo.generic), "ng%dn%u", controller, nsid);
	str_format(ns->topo.controller, sizeof(ns->topo.controller), "nvme%d", controller);
	str_format(ns->topo.subsystem, sizeof(ns->topo.subsystem), "nvme-subsys%d", controller);
	str_copy(ns->topo.nguid, sizeof(ns->topo.nguid), "00112233445566778899aabbccddeeff");
	ns->topo.nsid = nsid;
	ns->controller_index = (size_t)controller;
	ns->identify_info = (struct page_info){.state = PAGE_OK, .read_at = FIXTURE_TIME};
	ns->identify.format_count = 2;
	ns->identify.format_valid = true;
	ns->identify.formats[0].lba_shift = 9;
	ns->identify.formats[1].lba_shift = 12;
	ns->size_known = ns->used_known = true;
	ns->size_bytes = bytes;
	ns->used_bytes = bytes / 4;
	ns->lba_bytes = 512;
	ns->rates.known = true;
	ns->rates.seconds = 1;
	ns->rates.read_latency_ms = ns->rates.write_latency_ms = NAN;
}

/* A disk behind two controllers, of which one is silent. */
static inline void fixture_fabric(struct inventory_controller *c, struct inventory_namespace *ns)
{
	for (int i = 3; i < 5; i++) {
		fixture_controller(&c[i], i, "FAKE FABRIC");
		str_copy(c[i].topo.subsystem, sizeof(c[i].topo.subsystem), "nvme-subsys3");
		str_copy(c[i].topo.transport, sizeof(c[i].topo.transport), "tcp");
		str_format(c[i].topo.address, sizeof(c[i].topo.address),
			"traddr=192.0.2.%d,trsvcid=4420", i + 4);
		memset(&c[i].env, 0, sizeof(c[i].env));
		c[i].env.numa_node = -1;
		c[i].topo.numa_node = -1;
	}
	str_copy(c[4].topo.state, sizeof(c[4].topo.state), "connecting");
	c[4].smart_info = (struct page_info){
		.state = PAGE_WAITING, .read_at = FIXTURE_TIME, .waiting_ns = 12000000000u};
	fixture_namespace(&ns[0], 3, 1, UINT64_C(2000398934016));
	ns[0].topo.controller[0] = '\0';
	ns[0].topo.multipath = true;
	ns[0].lba_bytes = 4096;
	ns[0].used_bytes = ns[0].size_bytes / 100;
	ns[0].topo.path_count = 2;
	ns[0].topo.paths = mem_alloc(2 * sizeof(*ns[0].topo.paths));
	for (int i = 0; i < 2; i++) {
		struct topology_path *path = &ns[0].topo.paths[i];

		str_format(path->name, sizeof(path->name), "nvme3c%dn1", i + 3);
		str_format(path->controller, sizeof(path->controller), "nvme%d", i + 3);
		str_copy(
			path->ana_state, sizeof(path->ana_state), i ? "inaccessible" : "optimized");
	}
}

/* The fleet of the mock-up: a good drive, a worn one on a narrow link, one without SMART, a drive
 * behind two controllers, and a USB disk. */
static inline struct inventory *fixture_fleet(void)
{
	struct inventory *inventory = fixture_inventory(5, 3, 1);
	struct inventory_controller *c = inventory->controllers;
	struct inventory_namespace *ns = inventory->namespaces;

	fixture_controller(&c[0], 0, "FAKE DC 7680");
	fixture_namespace(&ns[0], 0, 1, UINT64_C(7681501126656));
	ns[0].rates.read_iops = 300000;
	ns[0].rates.read_bytes_s = 1.21e9;
	ns[0].rates.read_latency_ms = 0.084;
	ns[0].rates.write_iops = 76000;
	ns[0].rates.write_bytes_s = 3.1e8;
	ns[0].rates.write_latency_ms = 0.021;
	ns[0].rates.busy_pct = 97;

	fixture_controller(&c[1], 1, "FAKE DC 3840");
	c[1].identify.total_capacity = many(UINT64_C(3840755982336));
	c[1].smart.temperature_c = some(71);
	c[1].smart.percentage_used = some(98);
	c[1].smart.available_spare = some(34);
	c[1].smart.media_errors = many(3);
	c[1].smart.warning_temperature_minutes = some(612);
	c[1].env.link_gts = 8;
	c[1].env.link_width = 2;
	c[1].health.verdict = HEALTH_WARNING;
	c[1].health.reason_count = 2;
	c[1].health.reasons[0] = (struct health_reason){
		HEALTH_WARNING, "98 % of the rated endurance is used", "plan its replacement"};
	c[1].health.reasons[1] = (struct health_reason){HEALTH_WARNING,
		"The link runs at 3.0 x2, drive and slot can 4.0 x4", "reseat the drive"};
	fixture_namespace(&ns[1], 1, 1, UINT64_C(3840755982336));
	ns[1].lba_bytes = 4096;
	ns[1].metadata_bytes = 8;
	ns[1].used_bytes = UINT64_C(3840755982336) / 5 * 4;

	fixture_controller(&c[2], 2, "FAKE 1T");
	c[2].smart_info = (struct page_info){
		.state = PAGE_FAILED, .text = "reading SMART needs root: run nvsweep with sudo"};
	c[2].identify_info = c[2].smart_info;
	c[2].health.verdict = HEALTH_UNKNOWN;

	fixture_fabric(c, &ns[2]);

	struct inventory_block_device *disk = &inventory->block_devices[0];
	str_copy(disk->geometry.name, sizeof(disk->geometry.name), "sda");
	str_copy(disk->geometry.model, sizeof(disk->geometry.model), "USB bridge");
	str_copy(disk->geometry.transport, sizeof(disk->geometry.transport), "usb");
	str_copy(disk->remark, sizeof(disk->remark), "USB bridge - NVMe commands not available");
	disk->geometry.size_bytes = UINT64_C(500107862016);
	disk->geometry.logical_block_bytes = disk->geometry.physical_block_bytes = 512;
	disk->rates.known = true;
	disk->rates.read_latency_ms = disk->rates.write_latency_ms = NAN;
	return inventory;
}

/* As many plain drives with one namespace each. */
static inline struct inventory *fixture_many(size_t count)
{
	struct inventory *inventory = fixture_inventory(count, count, count / 8);

	for (size_t i = 0; i < count; i++) {
		fixture_controller(&inventory->controllers[i], (int)i, "FAKE DC 7680");
		fixture_namespace(&inventory->namespaces[i], (int)i, 1, UINT64_C(7681501126656));
	}
	for (size_t i = 0; i < count / 8; i++) {
		struct inventory_block_device *disk = &inventory->block_devices[i];

		str_format(disk->geometry.name, sizeof(disk->geometry.name), "sd%c",
			(char)('a' + (int)i));
		disk->geometry.size_bytes = 1000000000;
	}
	return inventory;
}

/* ---- a run ------------------------------------------------------------------------------------ */

static inline void fixture_latency(struct latency *latency, double mean_us)
{
	latency_none(latency);
	latency->count = 100000;
	latency->mean = mean_us * 1e3;
	latency->stddev = mean_us * 200;
	latency->min = mean_us * 600;
	latency->p50 = mean_us * 920;
	latency->p90 = mean_us * 1440;
	latency->p99 = mean_us * 2330;
	latency->p99_9 = mean_us * 4260;
	latency->p99_99 = mean_us * 7710;
	latency->max = mean_us * 13200;
}

static inline void fixture_point(struct run_point *point, int index)
{
	/* latency that rises to the right like a queue's */
	const double load = (index + 1) * 0.1, iops = 31400 * (index + 1) * (index < 10 ? 1 : 0.99);

	run_point_clear(point);
	point->percent = (index + 1) * 10;
	str_format(point->label, sizeof(point->label), "%d %%", (index + 1) * 10);
	point->asked_iops = 31400 * (index + 1);
	point->outstanding_limit = 64;
	point->window_s = 20;
	point->iops = index < 10 ? iops : 318000;
	point->mib_s = point->iops * 8192 / 1048576;
	point->count = (uint64_t)(point->iops * 20);
	fixture_latency(&point->service, 70 + 130 * load * load);
	fixture_latency(&point->response, 71 + 140 * load * load);
	point->outstanding_avg = point->iops * point->service.mean * 1e-9;
	point->temperature_c = 55;
	if (index >= 10) {
		point->saturated = true;
		point->saturated_age_ns = 2.1e9;
		point->backlog = 10000;
	}
}

/* A curve of which `done` of 12 points are measured; free with runner_view_free. */
static inline struct runner_view *fixture_run(size_t done, enum runner_state state)
{
	struct runner_view *view = calloc(1, sizeof(*view));

	view->state = state;
	str_copy(view->run_id, sizeof(view->run_id), "2026-11-30T14-00-00-nvme0n1-mix-8k-70r-3f2a");
	str_copy(view->targets, sizeof(view->targets), "nvme0n1");
	str_copy(view->workload, sizeof(view->workload), "rand-read-8k");
	str_copy(view->method, sizeof(view->method), "curve");
	str_copy(view->backend, sizeof(view->backend), "uring");
	view->step = (uint32_t)done + 4;
	view->step_count = 16;
	view->elapsed_s = 161;
	view->total_s = 325;
	view->temperature_c = 62;
	view->points = calloc(done + 1, sizeof(*view->points));
	view->point_count = done;
	for (size_t i = 0; i < done; i++)
		fixture_point(&view->points[i], (int)i);
	view->series = series_create();
	for (int i = 0; i < 161; i++) {
		struct interval interval = {0};

		interval.start_s = i;
		interval.length_s = 1;
		interval.point = i / 13;
		interval.iops = 31400.0 * (1 + i / 25);
		interval.mib_s = interval.iops * 8192 / 1048576;
		interval.outstanding = 21.4;
		fixture_latency(&interval.service, 80 + i % 25);
		fixture_latency(&interval.response, 81 + i % 25);
		interval.temperature_c = (float)(45 + i / 10);
		series_append(view->series, &interval);
		view->current = interval;
	}
	view->p99_limit_ns = 500e3;
	if (state == RUNNER_ENDED) {
		view->outcome = RUN_COMPLETE;
		view->elapsed_s = view->total_s;
		str_copy(view->phase, sizeof(view->phase), "complete");
		str_copy(view->saved_path, sizeof(view->saved_path),
			"/home/user/.local/state/nvsweep/runs/2026-11-30T14-00-00.json");
		view->has_analysis = true;
		view->analysis = (struct curve_analysis){0, 9, 6, 7, false, -1};
		view->spoiled_count = 1;
		str_copy(view->spoiled_by[0], sizeof(view->spoiled_by[0]),
			"the link of nvme0 runs at 3.0 x2, below its 4.0 x4");
		return view;
	}
	view->has_current = true;
	view->asked_iops = 31400.0 * (double)(done + 1);
	str_format(view->phase, sizeof(view->phase), "point %zu of 12: %zu %%", done + 1,
		(done + 1) * 10);
	view->has_so_far = true;
	fixture_point(&view->so_far, (int)done);
	return view;
}

#endif
