/* A hand-made inventory: one drive of each kind that a report has to tell. */
#ifndef TESTS_REPORT_FLEET_H
#define TESTS_REPORT_FLEET_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define nvme_status_code libnvme_status_code /* has the name of one of ours */
#include <nvme/types.h>
#undef nvme_status_code

#include "base/str.h"
#include "nvme/inventory.h"

enum {
	FLEET_GOOD,    /* nvme0: everything known, two namespaces */
	FLEET_WORN,    /* nvme1: warnings, a narrowed link */
	FLEET_HOSTILE, /* nvme2: strings with escapes, a short Identify page */
	FLEET_LOCKED,  /* nvme3: not permitted to ask */
	FLEET_PATH_A,  /* nvme4, nvme5: two paths to one head */
	FLEET_PATH_B,
	FLEET_CONTROLLERS
};
#define FLEET_NAMESPACES 5

struct fleet {
	struct inventory inventory;
	struct inventory_controller controllers[FLEET_CONTROLLERS];
	struct inventory_namespace namespaces[FLEET_NAMESPACES];
	struct inventory_block_device devices[2];
	struct topology_path paths[2];
	uint32_t nsids[2];
};

#define FLEET_SIZE UINT64_C(7681501126656)

static inline void fleet_identify(struct inventory_controller *c, const char *sn, const char *mn,
	const char *fr, size_t length)
{
	struct nvme_id_ctrl raw;

	memset(&raw, 0, sizeof(raw));
	memset(raw.sn, ' ', sizeof(raw.sn) + sizeof(raw.mn) + sizeof(raw.fr));
	memcpy(raw.sn, sn, strlen(sn));
	memcpy(raw.mn, mn, strlen(mn));
	memcpy(raw.fr, fr, strlen(fr));
	raw.vid = 0x1234;
	raw.ssvid = 0x5678;
	raw.ieee[0] = 0x38;
	raw.ieee[1] = 0x25;
	raw.mdts = 9;
	raw.cntlid = 7;
	raw.ver = 0x00010400;
	raw.rtd3r = 500000;
	raw.oacs = 0x17;
	raw.npss = 1;
	raw.wctemp = 343;
	raw.cctemp = 353;
	page_put_u128(raw.tnvmcap, 0, FLEET_SIZE);
	raw.nn = 32;
	raw.oncs = 0x5f;
	raw.vwc = 1;
	strcpy(raw.subnqn, "nqn.2014-08.com.example:nvme:fake");
	raw.psd[0].mp = 2500;
	raw.psd[1].mp = 1257;
	raw.psd[1].enlat = 70;
	raw.psd[1].exlat = 90;
	memset(c->identify_raw, 0, sizeof(c->identify_raw));
	memcpy(c->identify_raw, &raw, length);
	const struct page page = {c->identify_raw, length};
	assert_int_equal(identify_controller_decode(&page, &c->identify), 0);
	c->identify_info.state = PAGE_OK;
	c->identify_info.read_at = 1764511442;
	str_copy(c->topo.serial, sizeof(c->topo.serial), c->identify.serial);
	str_copy(c->topo.model, sizeof(c->topo.model), c->identify.model);
	str_copy(c->topo.firmware, sizeof(c->topo.firmware), c->identify.firmware);
}

static inline void fleet_smart(
	struct inventory_controller *c, uint8_t warning, int celsius, uint8_t spare, uint8_t used)
{
	struct nvme_smart_log raw;

	memset(&raw, 0, sizeof(raw));
	raw.critical_warning = warning;
	page_put_u16(raw.temperature, 0, (uint16_t)(celsius + 273));
	raw.avail_spare = spare;
	raw.spare_thresh = 10;
	raw.percent_used = used;
	page_put_u128(raw.data_units_written, 0, UINT64_C(32381395004));
	page_put_u128(raw.host_reads, 0, (u128)-1);
	page_put_u128(raw.power_on_hours, 0, 31204);
	page_put_u128(raw.power_cycles, 0, 48);
	page_put_u128(raw.media_errors, 0, used >= 90 ? 3 : 0);
	page_put_u128(raw.num_err_log_entries, 0, 211);
	raw.temp_sensor[0] = (uint16_t)(celsius + 273);
	raw.temp_sensor[2] = 260;
	raw.thm_temp1_trans_count = 14;
	raw.thm_temp1_total_time = 82;
	memcpy(c->smart_raw, &raw, sizeof(raw));
	const struct page page = {c->smart_raw, sizeof(raw)};
	assert_int_equal(smart_decode(&page, &c->smart), 0);
	c->smart_info.state = PAGE_OK;
	c->smart_info.read_at = 1764511442;
}

static inline void fleet_namespace(struct fleet *f, size_t index, size_t controller,
	const char *name, uint32_t nsid, uint8_t lbads, uint16_t ms, uint64_t blocks, uint64_t used)
{
	struct inventory_namespace *ns = &f->namespaces[index];
	struct nvme_id_ns raw;

	memset(&raw, 0, sizeof(raw));
	raw.nsze = blocks;
	raw.ncap = blocks;
	raw.nuse = used;
	raw.lbaf[0].ds = lbads;
	raw.lbaf[0].ms = ms;
	const struct page page = {(const uint8_t *)&raw, sizeof(raw)};
	assert_int_equal(identify_namespace_decode(&page, &ns->identify), 0);
	ns->identify_info.state = PAGE_OK;
	ns->identify_info.read_at = 1764511442;
	str_copy(ns->topo.name, sizeof(ns->topo.name), name);
	str_format(ns->topo.generic, sizeof(ns->topo.generic), "ng%s", name + 4);
	ns->topo.nsid = nsid;
	ns->controller_index = controller;
	if (controller < FLEET_CONTROLLERS)
		str_copy(ns->topo.controller, sizeof(ns->topo.controller),
			f->controllers[controller].topo.name);
	ns->size_known = identify_namespace_bytes(&ns->identify, blocks, &ns->size_bytes);
	ns->used_known = identify_namespace_bytes(&ns->identify, used, &ns->used_bytes);
	ns->lba_bytes = ns->identify.lba_bytes;
	ns->metadata_bytes = ns->identify.metadata_bytes;
	ns->metadata_extended = ns->identify.metadata_extended;
}

static inline void fleet_judge(struct inventory_controller *c)
{
	health_judge(c->smart_info.read_at != 0 ? &c->smart : NULL,
		c->identify_info.read_at != 0 ? &c->identify : NULL, &c->env, c->topo.state,
		c->smart_info.text, &c->health);
}

static inline void fleet_make(struct fleet *f)
{
	memset(f, 0, sizeof(*f));
	for (size_t i = 0; i < FLEET_CONTROLLERS; i++) {
		struct inventory_controller *c = &f->controllers[i];

		str_format(c->topo.name, sizeof(c->topo.name), "nvme%zu", i);
		str_copy(c->topo.transport, sizeof(c->topo.transport), "pcie");
		str_format(c->topo.address, sizeof(c->topo.address), "0000:0%zu:00.0", i);
		str_copy(c->topo.state, sizeof(c->topo.state), "live");
		c->topo.cntlid = c->topo.queue_count = c->topo.sqsize = -1;
		c->topo.numa_node = c->env.numa_node = -1;
		c->topo.node_visible = true;
	}
	struct inventory_controller *c = &f->controllers[FLEET_GOOD];
	fleet_identify(c, "FAKE0000", "FAKE DC 7680", "1.2.3", 4096);
	fleet_smart(c, 0, 41, 100, 3);
	c->env.link_gts = c->env.link_max_gts = 16;
	c->env.link_width = c->env.link_max_width = 4;
	c->topo.queue_count = 9;
	c->topo.sqsize = 1023;
	c->nsids = f->nsids;
	c->nsid_count = 2;
	f->nsids[0] = 1;
	f->nsids[1] = 5;
	c->list_info.state = PAGE_OK;
	c->list_info.read_at = 1764511442;
	c = &f->controllers[FLEET_WORN];
	fleet_identify(c, "FAKE0001", "FAKE DC 3840", "1.2.3", 4096);
	fleet_smart(c, 0x02, 71, 34, 98);
	c->env.link_gts = 8;
	c->env.link_width = 2;
	c->env.link_max_gts = 16;
	c->env.link_max_width = 4;
	c->smart_info.state = PAGE_WAITING;
	c->smart_info.waiting_ns = UINT64_C(12500000000);
	c = &f->controllers[FLEET_HOSTILE];
	fleet_identify(c, "\x1b[2J\x1b[31mEVIL",
		"A\aB\bC\tD\x7f"
		"E\x9b"
		"31m\n\"%s%n",
		"\x01\x02%s", 300);
	c->smart_info.state = PAGE_REFUSED;
	str_copy(c->smart_info.text, sizeof(c->smart_info.text), "Invalid Log Page (0x4109)");
	c = &f->controllers[FLEET_LOCKED];
	str_copy(c->topo.model, sizeof(c->topo.model), "FAKE 1T");
	c->identify_info.state = c->smart_info.state = c->list_info.state = PAGE_FAILED;
	str_copy(c->identify_info.text, sizeof(c->identify_info.text), "needs root");
	str_copy(c->smart_info.text, sizeof(c->smart_info.text), "needs root");
	str_copy(c->list_info.text, sizeof(c->list_info.text), "needs root");
	for (size_t i = FLEET_PATH_A; i <= FLEET_PATH_B; i++) {
		c = &f->controllers[i];
		fleet_identify(c, "FAKE0004", "FAKE FABRIC", "2", 4096);
		fleet_smart(c, 0, 30, 100, 0);
		str_copy(c->topo.transport, sizeof(c->topo.transport), "tcp");
		str_copy(c->topo.subsystem, sizeof(c->topo.subsystem), "nvme-subsys4");
		c->simulated = i == FLEET_PATH_B;
	}
	str_copy(f->controllers[FLEET_PATH_B].topo.state, 24, "connecting");
	fleet_namespace(f, 0, FLEET_GOOD, "nvme0n1", 1, 9, 0, FLEET_SIZE / 512, FLEET_SIZE / 2048);
	fleet_namespace(f, 1, FLEET_GOOD, "nvme0n5", 5, 9, 0, UINT64_MAX, 1);
	fleet_namespace(f, 2, FLEET_WORN, "nvme1n1", 1, 12, 8, 937684566, 937684566);
	fleet_namespace(f, 3, SIZE_MAX, "nvme4n1", 1, 12, 0, 488378646, 0);
	fleet_namespace(f, 4, FLEET_LOCKED, "nvme3n1", 1, 9, 0, 0, 0);
	f->namespaces[3].topo.multipath = true;
	f->namespaces[3].topo.paths = f->paths;
	f->namespaces[3].topo.path_count = 2;
	str_copy(f->namespaces[3].topo.subsystem, 32, "nvme-subsys4");
	str_copy(f->namespaces[3].topo.controller, 32, "");
	for (size_t i = 0; i < 2; i++) {
		str_format(f->paths[i].name, sizeof(f->paths[i].name), "nvme4c%zun1", 4 + i);
		str_format(f->paths[i].controller, 32, "nvme%zu", 4 + i);
		str_copy(f->paths[i].ana_state, 24, i == 0 ? "optimized" : "inaccessible");
	}
	struct inventory_namespace *locked = &f->namespaces[4];
	locked->identify_info.state = PAGE_FAILED;
	locked->identify_info.read_at = 0;
	str_copy(locked->identify_info.text, sizeof(locked->identify_info.text), "needs root");
	locked->size_known = true;
	locked->size_bytes = UINT64_C(1000204886016);
	locked->used_known = false;
	str_copy(f->devices[0].geometry.name, 32, "sda");
	f->devices[0].geometry.size_bytes = UINT64_C(500107862016);
	f->devices[0].geometry.logical_block_bytes = 512;
	f->devices[0].geometry.numa_node = -1;
	str_copy(f->devices[0].geometry.transport, 16, "usb");
	str_copy(f->devices[0].remark, 96, "USB bridge - NVMe commands not available");
	str_copy(f->devices[1].geometry.name, 32, "loop3");
	str_copy(f->devices[1].geometry.loop_file, 256, "/srv/im\xc3\xa4ge\x1b[31m.img");
	f->devices[1].geometry.size_bytes = 1 << 30;
	f->devices[1].geometry.logical_block_bytes = 4096;
	f->devices[1].geometry.numa_node = -1;
	f->inventory.controllers = f->controllers;
	f->inventory.controller_count = FLEET_CONTROLLERS;
	f->inventory.namespaces = f->namespaces;
	f->inventory.namespace_count = FLEET_NAMESPACES;
	f->inventory.block_devices = f->devices;
	f->inventory.block_device_count = 2;
	for (size_t i = 0; i < FLEET_CONTROLLERS; i++)
		fleet_judge(&f->controllers[i]);
}

#endif
