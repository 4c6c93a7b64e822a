/* Identify decoders, with the structures of libnvme's types.h as judge of places. */
#include "fixture.h"

#include <endian.h>
#include <errno.h>
#include <math.h>
#include <nvme/types.h>

#include "nvme/identify.h"

static void put_text(char *field, size_t size, const char *text)
{
	memset(field, ' ', size);
	memcpy(field, text, strlen(text));
}

/* Distinct values everywhere, set through libnvme's structure. */
static void fill_controller(struct nvme_id_ctrl *id)
{
	memset(id, 0, sizeof(*id));
	id->vid = htole16(0x144d);
	id->ssvid = htole16(0xa801);
	put_text(id->sn, sizeof(id->sn), "S5XANA0T123456");
	put_text(id->mn, sizeof(id->mn), "Example DC NVMe 3.84TB");
	put_text(id->fr, sizeof(id->fr), "GDC5602Q");
	id->ieee[0] = 0x38;
	id->ieee[1] = 0x25;
	id->ieee[2] = 0x00;
	id->cmic = 0x0a;
	id->mdts = 9;
	id->cntlid = htole16(0x0607);
	id->ver = htole32(0x00010400);
	id->oaes = htole32(0x01020304);
	id->ctratt = htole32(0x05060708);
	id->cntrltype = 1;
	id->oacs = htole16(0x5f1f);
	id->acl = 0x7f;
	id->aerl = 0x0f;
	id->frmw = 0x17;
	id->lpa = 0x3e;
	id->elpe = 0xfe;
	id->npss = 2;
	id->wctemp = htole16(343);
	id->cctemp = htole16(356);
	page_put_u128(id->tnvmcap, 0, ((u128)3 << 64) + 5);
	page_put_u128(id->unvmcap, 0, 7);
	id->sanicap = htole32(0xa0000003);
	id->nn = htole32(32);
	id->oncs = htole16(0x005f);
	id->vwc = 6;
	id->sgls = htole32(0x000f0002);
	strcpy(id->subnqn, "nqn.1994-11.com.example:nvme:dc:2.5-inch:S5XANA0T123456");
	id->psd[0].mp = htole16(2500); /* x 0.01 W */
	id->psd[1].mp = htole16(1800);
	id->psd[1].flags = 1; /* x 0.0001 W */
	id->psd[1].enlat = htole32(70);
	id->psd[1].exlat = htole32(90);
	id->psd[2].mp = htole16(5);
	id->psd[2].flags = 2;
	id->psd[2].rrt = 3;
	id->psd[2].rrl = 4;
	id->psd[2].rwt = 5;
	id->psd[2].rwl = 6;
	id->psd[2].idlp = htole16(50);
	id->psd[2].ips = 1 << 6;
	id->psd[2].actp = htole16(60);
	id->psd[2].apws = (2 << 6) | 4;
}

static void controller_fields(void **state)
{
	struct nvme_id_ctrl raw;
	struct identify_controller id;
	const struct page page = {(const uint8_t *)&raw, sizeof(raw)};

	(void)state;
	fill_controller(&raw);
	assert_int_equal(identify_controller_decode(&page, &id), 0);
	assert_int_equal(id.vendor_id, 0x144d);
	assert_int_equal(id.subsystem_vendor_id, 0xa801);
	assert_string_equal(id.serial, "S5XANA0T123456");
	assert_string_equal(id.model, "Example DC NVMe 3.84TB");
	assert_string_equal(id.firmware, "GDC5602Q");
	assert_int_equal(id.ieee_oui, 0x002538);
	assert_int_equal(id.cmic, 0x0a);
	assert_int_equal(id.mdts, 9);
	assert_int_equal(id.controller_id, 0x0607);
	assert_int_equal(id.version, 0x00010400);
	assert_int_equal(id.oaes, 0x01020304);
	assert_int_equal(id.ctratt, 0x05060708);
	assert_int_equal(id.controller_type, 1);
	assert_int_equal(id.oacs, 0x5f1f);
	assert_int_equal(id.acl, 0x7f);
	assert_int_equal(id.aerl, 0x0f);
	assert_int_equal(id.frmw, 0x17);
	assert_int_equal(id.lpa, 0x3e);
	assert_int_equal(id.elpe, 0xfe);
	assert_int_equal(id.npss, 2);
	assert_true(id.warning_temperature_c.reported);
	assert_int_equal(id.warning_temperature_c.value, 70);
	assert_int_equal(id.critical_temperature_c.value, 83);
	assert_true(id.total_capacity.reported);
	assert_true(id.total_capacity.value == ((u128)3 << 64) + 5);
	assert_true(id.unallocated_capacity.value == 7);
	assert_true(id.sanitize_capabilities == 0xa0000003);
	assert_int_equal(id.namespace_count, 32);
	assert_int_equal(id.oncs, 0x5f);
	assert_int_equal(id.volatile_write_cache, 6);
	assert_int_equal(id.sgls, 0x000f0002);
	assert_string_equal(id.nqn, "nqn.1994-11.com.example:nvme:dc:2.5-inch:S5XANA0T123456");
	assert_true(fabs(id.max_power_w - 25.0) < 1e-9);
	assert_int_equal(id.length, 4096);
	assert_false(id.truncated);
	assert_false(id.implausible);
}

static void power_states(void **state)
{
	struct nvme_id_ctrl raw;
	struct identify_power_state power;
	const struct page page = {(const uint8_t *)&raw, sizeof(raw)};
	const struct page cut = {(const uint8_t *)&raw, 2048 + 2 * 32 + 31};

	(void)state;
	fill_controller(&raw);
	assert_true(identify_power_state(&page, 1, &power));
	assert_true(fabs(power.max_power_w - 0.18) < 1e-9);
	assert_int_equal(power.entry_latency_us, 70);
	assert_int_equal(power.exit_latency_us, 90);
	assert_false(power.non_operational);
	assert_true(isnan(power.idle_power_w));
	assert_true(identify_power_state(&page, 2, &power));
	assert_true(power.non_operational);
	assert_int_equal(power.read_throughput, 3);
	assert_int_equal(power.read_latency, 4);
	assert_int_equal(power.write_throughput, 5);
	assert_int_equal(power.write_latency, 6);
	assert_true(fabs(power.idle_power_w - 0.005) < 1e-9);
	assert_true(fabs(power.active_power_w - 0.6) < 1e-9);
	assert_int_equal(power.active_workload, 4);
	assert_true(identify_power_state(&page, 3, &power));
	assert_true(isnan(power.max_power_w));
	assert_true(identify_power_state(&cut, 1, &power));
	assert_false(identify_power_state(&cut, 2, &power));
	assert_false(identify_power_state(&page, 32, &power));
}

static void not_reported(void **state)
{
	struct nvme_id_ctrl raw;
	struct identify_controller id;
	char text[32];
	const struct page page = {(const uint8_t *)&raw, sizeof(raw)};

	(void)state;
	fill_controller(&raw);
	raw.ver = 0;
	raw.wctemp = 0;
	raw.cctemp = htole16(0xffff);
	memset(raw.tnvmcap, 0, 16);
	memset(raw.unvmcap, 0, 16);
	raw.psd[0].mp = 0;
	assert_int_equal(identify_controller_decode(&page, &id), 0);
	assert_false(id.warning_temperature_c.reported);
	assert_false(id.critical_temperature_c.reported);
	assert_false(id.total_capacity.reported);
	assert_false(id.unallocated_capacity.reported);
	assert_true(isnan(id.max_power_w));
	identify_version_text(id.version, text, sizeof(text));
	assert_string_equal(text, "before 1.2");
	identify_version_text(0x00010201, text, sizeof(text));
	assert_string_equal(text, "1.2.1");
	identify_version_text(0x00020000, text, sizeof(text));
	assert_string_equal(text, "2.0");
}

/* A full allocation: nothing is unallocated, and that is a figure. */
static void all_allocated(void **state)
{
	struct nvme_id_ctrl raw;
	struct identify_controller id;
	const struct page page = {(const uint8_t *)&raw, sizeof(raw)};

	(void)state;
	fill_controller(&raw);
	memset(raw.unvmcap, 0, 16);
	assert_int_equal(identify_controller_decode(&page, &id), 0);
	assert_true(id.unallocated_capacity.reported);
	assert_true(id.unallocated_capacity.value == 0);
}

static void implausible(void **state)
{
	uint8_t raw[4096] = {0};
	struct identify_controller id;
	const struct page page = {raw, sizeof(raw)};

	(void)state;
	assert_int_equal(identify_controller_decode(&page, &id), 0);
	assert_true(id.implausible); /* nothing was written into the buffer */
	memset(raw, 0xff, sizeof(raw));
	assert_int_equal(identify_controller_decode(&page, &id), 0);
	assert_true(id.implausible);
	assert_string_equal(id.firmware, "????????");
}

/* An NQN is a C string: what stands behind its NUL is no part of it; one without NUL is cut. */
static void nqn_bounds(void **state)
{
	struct nvme_id_ctrl raw;
	struct identify_controller id;
	const struct page page = {(const uint8_t *)&raw, sizeof(raw)};

	(void)state;
	fill_controller(&raw);
	memset(raw.subnqn, 'x', sizeof(raw.subnqn));
	((uint8_t *)&raw)[1024] = 'y'; /* the byte behind it */
	assert_int_equal(identify_controller_decode(&page, &id), 0);
	assert_int_equal(strlen(id.nqn), 256);
	raw.subnqn[5] = '\0';
	assert_int_equal(identify_controller_decode(&page, &id), 0);
	assert_string_equal(id.nqn, "xxxxx");
}

static void namespace_fields(void **state)
{
	struct nvme_id_ns raw;
	struct identify_namespace ns;
	const struct page page = {(const uint8_t *)&raw, sizeof(raw)};

	(void)state;
	memset(&raw, 0, sizeof(raw));
	raw.nsze = htole64(0x1122334455667788);
	raw.ncap = htole64(0x0102030405060708);
	raw.nuse = htole64(0x1111);
	raw.nsfeat = 0x14;
	raw.nlbaf = 1;
	raw.flbas = 0x11;
	raw.dps = 0x0b;
	raw.nmic = 1;
	raw.rescap = 0x7f;
	raw.nsattr = 1;
	for (size_t i = 0; i < 16; i++)
		raw.nguid[i] = (uint8_t)(0xa0 + i);
	for (size_t i = 0; i < 8; i++)
		raw.eui64[i] = (uint8_t)(0x10 + i);
	raw.lbaf[0].ds = 9;
	raw.lbaf[1].ds = 12;
	raw.lbaf[1].ms = htole16(64);
	raw.lbaf[1].rp = 2;
	assert_int_equal(identify_namespace_decode(&page, &ns), 0);
	assert_true(ns.size_blocks == UINT64_C(0x1122334455667788));
	assert_true(ns.capacity_blocks == UINT64_C(0x0102030405060708));
	assert_int_equal(ns.used_blocks, 0x1111);
	assert_int_equal(ns.features, 0x14);
	assert_int_equal(ns.format_count, 2);
	assert_int_equal(ns.format_index, 1);
	assert_true(ns.format_valid);
	assert_true(ns.metadata_extended);
	assert_int_equal(ns.lba_bytes, 4096);
	assert_int_equal(ns.metadata_bytes, 64);
	assert_int_equal(ns.transfer_bytes, 4160);
	assert_int_equal(ns.formats[1].relative_performance, 2);
	assert_int_equal(ns.protection, 3);
	assert_int_equal(ns.sharing, 1);
	assert_int_equal(ns.reservations, 0x7f);
	assert_true(ns.write_protected);
	assert_string_equal(ns.nguid, "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf");
	assert_string_equal(ns.eui64, "1011121314151617");
	assert_false(ns.truncated);
	raw.flbas = 0x01;
	assert_int_equal(identify_namespace_decode(&page, &ns), 0);
	assert_int_equal(ns.transfer_bytes, 4096); /* metadata in a buffer of its own */
	memset(raw.nguid, 0, 16);
	memset(raw.eui64, 0, 8);
	assert_int_equal(identify_namespace_decode(&page, &ns), 0);
	assert_string_equal(ns.nguid, "");
	assert_string_equal(ns.eui64, "");
}

static void format_index(void **state)
{
	static const struct {
		uint8_t nlbaf, nulbaf, flbas, index;
		bool valid;
	} rows[] = {
		{0, 0, 0x00, 0, true},
		{0, 0, 0x01, 1, false}, /* not among the formats */
		{3, 0, 0x13, 3, true},
		{63, 0, 0x6f, 63, true}, /* bits 6:5 are the upper part */
		{63, 0, 0x2f, 31, true},
		{16, 0, 0x20, 16, true},
		{15, 0, 0x20, 16, false},
		{15, 1, 0x20, 16,
			true}, /* formats with attributes of their own follow the others */
		{63, 0, 0xff, 63, true}, /* bit 7 is reserved */
		{255, 255, 0x6f, 63, true},
		{255, 0, 0x00, 0, true},
	};
	struct nvme_id_ns raw;
	struct identify_namespace ns;
	const struct page page = {(const uint8_t *)&raw, sizeof(raw)};

	(void)state;
	memset(&raw, 0, sizeof(raw));
	for (size_t i = 0; i < 64; i++)
		raw.lbaf[i].ds = 12;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		raw.nlbaf = rows[i].nlbaf;
		raw.nulbaf = rows[i].nulbaf;
		raw.flbas = rows[i].flbas;
		assert_int_equal(identify_namespace_decode(&page, &ns), 0);
		assert_int_equal(ns.format_index, rows[i].index);
		assert_int_equal(ns.format_valid, rows[i].valid);
		assert_int_equal(ns.lba_bytes, rows[i].valid ? 4096 : 0);
		assert_true(ns.format_count <= 64);
	}
}

static void block_size_bounds(void **state)
{
	struct nvme_id_ns raw;
	struct identify_namespace ns;
	u128 bytes;
	const struct page page = {(const uint8_t *)&raw, sizeof(raw)};

	(void)state;
	for (unsigned shift = 0; shift < 256; shift++) {
		memset(&raw, 0, sizeof(raw));
		raw.nsze = htole64(UINT64_MAX);
		raw.lbaf[0].ds = (uint8_t)shift;
		raw.lbaf[0].ms = htole16(0xffff);
		raw.flbas = 0x10;
		assert_int_equal(identify_namespace_decode(&page, &ns), 0);
		assert_int_equal(ns.format_valid, shift >= 9 && shift <= 31);
		assert_int_equal(
			identify_namespace_bytes(&ns, ns.size_blocks, &bytes), ns.format_valid);
		if (!ns.format_valid) {
			assert_int_equal(ns.lba_bytes, 0);
			continue;
		}
		assert_true(ns.lba_bytes == UINT32_C(1) << shift);
		assert_true(ns.transfer_bytes == (UINT32_C(1) << shift) + 0xffff);
		assert_true(bytes == ((u128)1 << (64 + shift)) - ((u128)1 << shift));
	}
}

static void lists(void **state)
{
	uint8_t raw[4096] = {0};
	uint32_t nsids[1024];
	bool sane;

	(void)state;
	for (size_t i = 0; i < 1024; i++)
		page_put_u32(raw, 4 * i, (uint32_t)(10 * i + 5));
	struct page page = {raw, sizeof(raw)};
	assert_int_equal(identify_list_decode(&page, nsids, 1024, &sane), 1024);
	assert_true(sane);
	assert_int_equal(nsids[1023], 10235);
	assert_int_equal(identify_list_decode(&page, nsids, 7, &sane), 7);
	assert_true(sane);
	/* only whole entries of what was received */
	for (size_t length = 0; length <= 64; length++) {
		page.length = length;
		assert_int_equal(identify_list_decode(&page, nsids, 1024, &sane), length / 4);
	}
	page.length = sizeof(raw);
	page_put_u32(raw, 40, 0);
	assert_int_equal(identify_list_decode(&page, nsids, 1024, &sane), 10);
	assert_true(sane);
	page_put_u32(raw, 20, 45); /* same as the one before */
	assert_int_equal(identify_list_decode(&page, nsids, 1024, &sane), 5);
	assert_false(sane);
	page_put_u32(raw, 0, UINT32_MAX);
	assert_int_equal(identify_list_decode(&page, nsids, 1024, &sane), 0);
	assert_false(sane);
}

/* Every length of zero, 0xff and random bytes: decoded or refused, never read beyond. */
static void every_length(void **state)
{
	uint8_t fill[4096];
	uint32_t seed = 1, nsids[1024];
	struct identify_controller id;
	struct identify_namespace ns;
	bool sane;

	(void)state;
	for (int kind = 0; kind < 3; kind++) {
		for (size_t i = 0; i < sizeof(fill); i++) {
			seed = seed * 1664525 + 1013904223;
			fill[i] = kind == 0 ? 0 : kind == 1 ? 0xff : (uint8_t)(seed >> 24);
		}
		for (size_t length = 0; length <= sizeof(fill); length++) {
			uint8_t *exact = fixture_exact(fill, length);
			const struct page page = {exact, length};

			const int rc = identify_controller_decode(&page, &id);
			assert_int_equal(rc, length < 72 ? -EINVAL : 0);
			assert_int_equal(id.truncated, rc == 0 && length < 4096);
			assert_int_equal(id.total_capacity.reported, kind != 0 && length >= 296);
			assert_int_equal(
				id.unallocated_capacity.reported, kind != 0 && length >= 312);
			if (length < 268)
				assert_false(id.warning_temperature_c.reported);
			if (length <= 768)
				assert_string_equal(id.nqn, "");
			if (length < 2080)
				assert_true(isnan(id.max_power_w));
			for (size_t i = 0; i < strlen(id.model); i++)
				assert_true(id.model[i] >= 0x20 && id.model[i] <= 0x7e);
			assert_int_equal(
				identify_namespace_decode(&page, &ns), length < 27 ? -EINVAL : 0);
			if (length < 131)
				assert_false(ns.format_valid);
			assert_int_equal(ns.raw_length,
				length < 27            ? 0
					: length < 384 ? length
						       : 384);
			identify_list_decode(&page, nsids, 1024, &sane);
			free(exact);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(controller_fields),
		cmocka_unit_test(power_states),
		cmocka_unit_test(not_reported),
		cmocka_unit_test(all_allocated),
		cmocka_unit_test(implausible),
		cmocka_unit_test(nqn_bounds),
		cmocka_unit_test(namespace_fields),
		cmocka_unit_test(format_index),
		cmocka_unit_test(block_size_bounds),
		cmocka_unit_test(lists),
		cmocka_unit_test(every_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
