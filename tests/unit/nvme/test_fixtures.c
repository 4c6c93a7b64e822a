/* The hand-made pages decode to values worked out from their bytes, and to those of expected.json;
 * each is also cut at every length. */
#include "fixture.h"

#include <errno.h>

#include "base/json.h"
#include "base/str.h"
#include "nvme/identify.h"
#include "nvme/smart.h"

#define NA INT64_MIN /* not reported */

struct ctrl_row {
	const char *file, *serial, *model, *firmware, *nqn;
	unsigned mdts, version, oacs, lpa, nn;
	bool capacity_reported;
	uint64_t capacity_high, capacity_low;
	int64_t unallocated;
	bool implausible;
};

#define SN "S0FAKE0A000001"
#define MN "EXAMPLE NVME SSD 1TB"
#define FR "1B2C3D4E"
#define TB1 UINT64_C(1000204886016)
/* Common to all of them: vendor 0x1234, OUI 0x002538, cntlid 1, frmw 0x16, elpe 63, npss 0,
 * limits 358 K and 363 K, sanicap 3, oncs 0x5f, no power figures. */
static const struct ctrl_row ctrl_rows[] = {
	{"idctrl-I1-all-empty.bin", "", "", "", "", 9, 0x10300, 0, 0, 0, true, 0, TB1, 0, false},
	{"idctrl-I1-escape-seq.bin", "?[2J?[31mEVIL", "A?B?C?D?E?31m", "??%s%n", "", 9, 0x10300,
		0x17, 0x0e, 1, true, 0, TB1, 0, false},
	{"idctrl-I1-newlines.bin", "0cc4FAKE-3?", "NVMF-XX-XXX?", "0101?", "", 9, 0x10300, 0x17,
		0x0e, 1, true, 0, TB1, 0, false},
	{"idctrl-I1-utf8-latin1.bin", SN, "SSD-??????????", FR, "", 9, 0x10300, 0x17, 0x0e, 1, true,
		0, TB1, 0, false},
	{"idctrl-I4-garbage.bin", "", "@", "p;", "", 9, 0, 0x17, 0x0e, 0x99999999, false, 0, 0, NA,
		true},
	{"idctrl-N8-nn-max.bin", SN, MN, FR, "", 9, 0x10300, 0x17, 0x0e, 0xffffffff, true, 0, TB1,
		0, false},
	{"idctrl-N8-no-ns-nn128.bin", SN, MN, FR, "", 9, 0x10300, 0x17, 0x0e, 128, true, 0,
		UINT64_C(8001563222016), INT64_C(8001563222016), false},
	{"idctrl-mdts0.bin", SN, MN, FR, "", 0, 0x10300, 0x17, 0x0e, 1, true, 0, TB1, 0, false},
	{"idctrl-ok.bin", SN, MN, FR, "nqn.2014-08.com.example:nvme:fake", 9, 0x10300, 0x17, 0x0e,
		1, true, 0, TB1, 0, false},
	{"idctrl-tnvmcap-128bit.bin", SN, MN, FR, "", 9, 0x10300, 0x17, 0x0e, 1, true, 64, 0, 0,
		false},
};

static void controllers(void **state)
{
	uint8_t bytes[8192];

	(void)state;
	fixture_need("pages/expected.json");
	for (size_t i = 0; i < sizeof(ctrl_rows) / sizeof(ctrl_rows[0]); i++) {
		const struct ctrl_row *row = &ctrl_rows[i];
		const struct page page = {bytes, fixture_read(row->file, bytes, sizeof(bytes))};
		struct identify_controller id;

		print_message("# %s\n", row->file);
		assert_int_equal(identify_controller_decode(&page, &id), 0);
		assert_string_equal(id.serial, row->serial);
		assert_string_equal(id.model, row->model);
		assert_string_equal(id.firmware, row->firmware);
		assert_string_equal(id.nqn, row->nqn);
		assert_int_equal(id.vendor_id, 0x1234);
		assert_int_equal(id.subsystem_vendor_id, 0x1234);
		assert_int_equal(id.ieee_oui, 0x002538);
		assert_int_equal(id.controller_id, 1);
		assert_int_equal(id.mdts, row->mdts);
		assert_int_equal(id.version, row->version);
		assert_int_equal(id.oacs, row->oacs);
		assert_int_equal(id.frmw, 0x16);
		assert_int_equal(id.lpa, row->lpa);
		assert_int_equal(id.elpe, 63);
		assert_int_equal(id.npss, 0);
		assert_int_equal(id.warning_temperature_c.value, 85);
		assert_int_equal(id.critical_temperature_c.value, 90);
		assert_int_equal(id.total_capacity.reported, row->capacity_reported);
		assert_true(id.total_capacity.value ==
			(((u128)row->capacity_high << 64) | row->capacity_low));
		assert_int_equal(id.unallocated_capacity.reported, row->unallocated != NA);
		if (row->unallocated != NA)
			assert_true(id.unallocated_capacity.value == (u128)row->unallocated);
		assert_int_equal(id.sanitize_capabilities, 3);
		assert_int_equal(id.namespace_count, row->nn);
		assert_int_equal(id.oncs, 0x5f);
		assert_int_equal(id.implausible, row->implausible);
		assert_true(id.max_power_w != id.max_power_w);
		assert_false(id.truncated);
	}
}

struct ns_row {
	const char *file;
	uint64_t size, capacity, used;
	unsigned features, formats, index;
	bool valid;
	unsigned lba, metadata, transfer;
	bool extended;
	unsigned protection;
	bool write_protected;
	const char *bytes; /* NULL: no valid format */
};

static const struct ns_row ns_rows[] = {
	{"idns-N1-4096+16-ext.bin", 468843606, 468843606, 0, 0, 4, 3, true, 4096, 16, 4112, true, 0,
		false, "1920383410176"},
	{"idns-N2-4160.bin", 244190646, 244190646, 0, 0, 5, 4, true, 4096, 64, 4160, true, 0, false,
		"1000204886016"},
	{"idns-N2-512+8-sep.bin", 1953525168, 1953525168, 0, 0, 5, 1, true, 512, 8, 512, false, 1,
		false, "1000204886016"},
	{"idns-N3-256TiB.bin", 68719476736, 68719476736, 0, 0, 1, 0, true, 4096, 0, 4096, false, 0,
		false, "281474976710656"},
	{"idns-N3-4k.bin", 937684566, 937684566, 937684566, 0, 5, 2, true, 4096, 0, 4096, false, 0,
		false, "3840755982336"},
	{"idns-N5-nsze-max.bin", UINT64_MAX, UINT64_MAX, 0, 0, 1, 0, true, 512, 0, 512, false, 0,
		false, "9444732965739290426880"},
	{"idns-N5-nsze0.bin", 0, 0, 0, 0, 1, 0, false, 0, 0, 0, false, 0, false, NULL},
	{"idns-N5-nuse-full.bin", 1953525168, 1953525168, 1953525168, 0, 1, 0, true, 512, 0, 512,
		false, 0, false, "1000204886016"},
	{"idns-N5-thin.bin", 4294967296, 268435456, 1048576, 1, 1, 0, true, 512, 0, 512, false, 0,
		false, "2199023255552"},
	{"idns-U9-write-protect.bin", 1953525168, 1953525168, 0, 0, 1, 0, true, 512, 0, 512, false,
		0, true, "1000204886016"},
};

static void namespaces(void **state)
{
	uint8_t bytes[8192];

	(void)state;
	fixture_need("pages/expected.json");
	for (size_t i = 0; i < sizeof(ns_rows) / sizeof(ns_rows[0]); i++) {
		const struct ns_row *row = &ns_rows[i];
		const struct page page = {bytes, fixture_read(row->file, bytes, sizeof(bytes))};
		struct identify_namespace ns;
		char text[48];
		u128 total;

		print_message("# %s\n", row->file);
		assert_int_equal(identify_namespace_decode(&page, &ns), 0);
		assert_true(ns.size_blocks == row->size);
		assert_true(ns.capacity_blocks == row->capacity);
		assert_true(ns.used_blocks == row->used);
		assert_int_equal(ns.features, row->features);
		assert_int_equal(ns.format_count, row->formats);
		assert_int_equal(ns.format_index, row->index);
		assert_int_equal(ns.format_valid, row->valid);
		assert_int_equal(ns.lba_bytes, row->lba);
		assert_int_equal(ns.metadata_bytes, row->metadata);
		assert_int_equal(ns.transfer_bytes, row->transfer);
		assert_int_equal(ns.metadata_extended, row->extended);
		assert_int_equal(ns.protection, row->protection);
		assert_int_equal(ns.write_protected, row->write_protected);
		assert_string_equal(ns.nguid, "");
		assert_string_equal(ns.eui64, "");
		assert_int_equal(identify_namespace_bytes(&ns, ns.size_blocks, &total), row->valid);
		if (row->bytes != NULL)
			assert_string_equal(
				units_u128_decimal(text, sizeof(text), total), row->bytes);
	}
}

static void size_words(void **state)
{
	char si[32], iec[32];

	(void)state;
	/* 256 TiB in both systems of units, and the drive that tools show eight times too large */
	units_bytes_si(si, sizeof(si), 281474976710656);
	units_bytes_iec(iec, sizeof(iec), 281474976710656);
	assert_string_equal(si, "281.5 TB");
	assert_true(str_starts_with(iec, "256"));
	assert_true(str_ends_with(iec, " TiB"));
	assert_string_equal(units_bytes_si(si, sizeof(si), 3840755982336), "3.84 TB");
}

struct list_row {
	const char *file;
	size_t count;
	bool sane;
	uint32_t first[6];
};
static const struct list_row list_rows[] = {
	{"nslist-N8-full1024.bin", 1024, true, {1, 2, 3, 4, 5, 6}},
	{"nslist-N8-sparse.bin", 6, true, {1, 2, 5, 145, 155, 1024}},
	{"nslist-N8-unsorted-dup.bin", 1, false, {3}},
};

static void namespace_lists(void **state)
{
	uint8_t bytes[8192];
	uint32_t nsids[2048];

	(void)state;
	fixture_need("pages/expected.json");
	for (size_t i = 0; i < sizeof(list_rows) / sizeof(list_rows[0]); i++) {
		const struct list_row *row = &list_rows[i];
		const struct page page = {bytes, fixture_read(row->file, bytes, sizeof(bytes))};
		bool sane;

		assert_int_equal(identify_list_decode(&page, nsids, 2048, &sane), row->count);
		assert_int_equal(sane, row->sane);
		for (size_t n = 0; n < row->count && n < 6; n++)
			assert_int_equal(nsids[n], row->first[n]);
		if (row->count == 1024)
			assert_int_equal(nsids[1023], 1024); /* the next page starts after this */
	}
}

struct smart_row {
	const char *file;
	bool empty;
	unsigned warning;
	int64_t temperature, spare, threshold, used;
	const char *units_read, *units_written, *host_reads; /* NULL: not reported */
	unsigned media_errors, error_entries;
	int64_t warning_minutes, critical_minutes, sensor1, sensor2, thermal1, thermal2, seconds1;
};

#define U32MAX INT64_C(4294967295)
static const struct smart_row smart_rows[] = {
	{"smart-S1-all-zero.bin", true, 0, NA, 0, 0, 0, NULL, NULL, "0", 0, 0, 0, 0, NA, NA, 0, 0,
		0},
	{"smart-S2-0K-only.bin", false, 0, NA, 100, 0, 0, NULL, NULL, "0", 0, 0, 0, 0, NA, NA, 0, 0,
		0},
	{"smart-S4-minus10C.bin", false, 0, -10, 100, 10, 1, NULL, NULL, "0", 0, 0, 0, 0, -13, -10,
		0, 0, 0},
	{"smart-S6-spare-below.bin", false, 0x01, 39, 3, 10, 90, NULL, NULL, "0", 0, 0, 0, 0, NA,
		NA, 0, 0, 0},
	{"smart-S6-used-200-cw04.bin", false, 0x04, 39, 100, 10, 200, NULL, NULL, "0", 0, 0, 0, 0,
		NA, NA, 0, 0, 0},
	{"smart-S6-used-255.bin", false, 0x04, 39, 100, 10, 255, NULL, NULL, "0", 0, 0, 0, 0, NA,
		NA, 0, 0, 0},
	{"smart-S7-cw-10.bin", false, 0x10, 40, 100, 10, 0, NULL, NULL, "0", 0, 0, 0, 0, NA, NA, 0,
		0, 0},
	{"smart-S7-cw-all.bin", false, 0xff, 39, 100, 10, 1, NULL, NULL, "0", 0, 0, 0, 0, NA, NA, 0,
		0, 0},
	{"smart-S7-cw-readonly-08.bin", false, 0x0c, 39, 100, 10, 105, NULL, NULL, "0", 0, 0, 0, 0,
		NA, NA, 0, 0, 0},
	{"smart-S7-cw-unknown-c0.bin", false, 0xc0, 39, 100, 10, 1, NULL, NULL, "0", 0, 0, 0, 0, NA,
		NA, 0, 0, 0},
	{"smart-S7-media-errors-passed.bin", false, 0, 35, 99, 10, 3, NULL, NULL, "0", 7, 62, 0, 0,
		NA, NA, 0, 0, 0},
	{"smart-S8-over-64bit.bin", false, 0, 39, 100, 10, 1, "18446744073709551621",
		"170141183460469231731687303715884105728",
		"340282366920938463463374607431768211455", 0, 0, 0, 0, NA, NA, 0, 0, 0},
	{"smart-S8-overflow-on-multiply.bin", false, 0, 39, 100, 10, 1, NULL, "36028797018963968",
		"0", 0, 0, 0, 0, NA, NA, 0, 0, 0},
	{"smart-S8-real-large.bin", false, 0, 21, 99, 10, 41, NULL, "32381395004", "337375119290",
		0, 0, 0, 0, NA, NA, 0, 0, 0},
	{"smart-temp-273K.bin", false, 0, 0, 100, 10, 1, NULL, NULL, "0", 0, 0, 0, 0, NA, NA, 0, 0,
		0},
	{"smart-thermal-u32-max.bin", false, 0x02, 85, 100, 10, 1, NULL, NULL, "0", 0, 0, U32MAX,
		U32MAX, NA, NA, U32MAX, 1, U32MAX},
};

static void assert_field(const struct field_int *field, int64_t value)
{
	assert_int_equal(field->reported, value != NA);
	if (value != NA)
		assert_true(field->value == value);
}

static void assert_counter(const struct field_u128 *field, const char *decimal)
{
	char text[48];

	assert_int_equal(field->reported, decimal != NULL);
	if (decimal != NULL)
		assert_string_equal(units_u128_decimal(text, sizeof(text), field->value), decimal);
}

static void smart_pages(void **state)
{
	uint8_t bytes[1024];

	(void)state;
	fixture_need("pages/expected.json");
	for (size_t i = 0; i < sizeof(smart_rows) / sizeof(smart_rows[0]); i++) {
		const struct smart_row *row = &smart_rows[i];
		const struct page page = {bytes, fixture_read(row->file, bytes, sizeof(bytes))};
		struct smart smart;

		print_message("# %s\n", row->file);
		assert_int_equal(smart_page_empty(&page), row->empty);
		assert_int_equal(smart_decode(&page, &smart), 0);
		assert_int_equal(smart.critical_warning, row->warning);
		assert_field(&smart.temperature_c, row->temperature);
		assert_field(&smart.available_spare, row->spare);
		assert_field(&smart.spare_threshold, row->threshold);
		assert_field(&smart.percentage_used, row->used);
		assert_counter(&smart.data_units_read, row->units_read);
		assert_counter(&smart.data_units_written, row->units_written);
		assert_counter(&smart.host_reads, row->host_reads);
		assert_counter(&smart.host_writes, "0");
		assert_counter(&smart.power_cycles, "0");
		assert_true(smart.media_errors.value == row->media_errors);
		assert_true(smart.error_log_entries.value == row->error_entries);
		assert_field(&smart.warning_temperature_minutes, row->warning_minutes);
		assert_field(&smart.critical_temperature_minutes, row->critical_minutes);
		assert_field(&smart.sensors_c[0], row->sensor1);
		assert_field(&smart.sensors_c[1], row->sensor2);
		assert_field(&smart.sensors_c[2], NA);
		assert_field(&smart.thermal1_count, row->thermal1);
		assert_field(&smart.thermal2_count, row->thermal2);
		assert_field(&smart.thermal1_seconds, row->seconds1);
		assert_field(&smart.thermal2_seconds, 0);
		assert_false(smart.truncated);
	}
}

/* 36028797018963968 units x 512,000 is 2^64 x 1000, exactly; the real drive wrote 16.58 PB. */
static void data_units(void **state)
{
	char text[64];
	u128 bytes;

	(void)state;
	assert_true(smart_units_bytes(UINT64_C(36028797018963968), &bytes));
	assert_string_equal(
		units_u128_decimal(text, sizeof(text), bytes), "18446744073709551616000");
	assert_true(smart_units_bytes(UINT64_C(32381395004), &bytes));
	assert_string_equal(units_u128_decimal(text, sizeof(text), bytes), "16579274242048000");
	assert_string_equal(units_bytes_si(text, sizeof(text), bytes), "16.58 PB");
}

/* ---- expected.json ---------------------------------------------------------------------------- */

static void expect_u64(const struct json *row, const char *key, u128 value)
{
	u128 expected;

	if (json_get(row, key) == NULL)
		return;
	assert_int_equal(json_read_u128(row, key, &expected, NULL), 0);
	assert_true(expected == value);
}

static void expect_smart(const struct json *row, const struct page *page)
{
	const struct json *words = json_get(row, "cw"), *sensors = json_get(row, "sensors_c");
	char texts[8][48], squeezed[16] = "", used[16];
	struct smart smart;
	const char *text;
	int64_t value;

	assert_int_equal(smart_decode(page, &smart), 0);
	if (words != NULL) {
		const size_t count = smart_warning_texts(smart.critical_warning, texts, 8);

		assert_int_equal(count, json_length(words));
		for (size_t i = 0; i < count; i++) {
			assert_int_equal(json_at_string(words, i, &text, NULL), 0);
			assert_string_equal(texts[i], text);
		}
	}
	if (json_read_i64(row, "temp_c", &value, NULL) == 0)
		assert_field(&smart.temperature_c, value);
	expect_u64(row, "used_pct", (u128)smart.percentage_used.value);
	expect_u64(row, "media_errors", smart.media_errors.value);
	expect_u64(row, "data_units_read", smart.data_units_read.value);
	expect_u64(row, "data_units_written", smart.data_units_written.value);
	expect_u64(row, "host_reads", smart.host_reads.value);
	if (json_read_string(row, "used_text", &text, NULL) == 0) {
		smart_used_text(&smart.percentage_used, used, sizeof(used));
		for (const char *at = used; *at != '\0'; at++)
			if (*at != ' ')
				str_append(squeezed, sizeof(squeezed), "%c", *at);
		assert_string_equal(squeezed, text);
	}
	for (size_t i = 0; sensors != NULL && i < json_key_count(sensors); i++) {
		const char *key = json_key(sensors, i);

		assert_int_equal(json_read_i64(sensors, key, &value, NULL), 0);
		assert_field(&smart.sensors_c[atoi(key) - 1], value);
	}
}

static void expect_namespace(const struct json *row, const struct page *page)
{
	struct identify_namespace ns;
	u128 bytes = 0;
	bool flag;

	assert_int_equal(identify_namespace_decode(page, &ns), 0);
	identify_namespace_bytes(&ns, ns.size_blocks, &bytes);
	expect_u64(row, "bytes", bytes);
	expect_u64(row, "lba", ns.lba_bytes);
	expect_u64(row, "ms", ns.metadata_bytes);
	expect_u64(row, "xfer", ns.transfer_bytes);
	if (json_read_bool(row, "ext", &flag, NULL) == 0)
		assert_int_equal(ns.metadata_extended, flag);
	if (json_read_bool(row, "write_protected", &flag, NULL) == 0)
		assert_int_equal(ns.write_protected, flag);
}

static void expect_list(const struct json *row, const struct page *page)
{
	const struct json *nsids = json_get(row, "nsids");
	uint32_t found[1024];
	uint64_t nsid;
	bool sane;

	const size_t count = identify_list_decode(page, found, 1024, &sane);
	if (nsids == NULL)
		return;
	assert_int_equal(count, json_length(nsids));
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(json_at_u64(nsids, i, &nsid, NULL), 0);
		assert_int_equal(found[i], nsid);
	}
}

static bool known_row(const char *file)
{
	for (size_t i = 0; i < sizeof(ctrl_rows) / sizeof(ctrl_rows[0]); i++)
		if (strcmp(file, ctrl_rows[i].file) == 0)
			return true;
	for (size_t i = 0; i < sizeof(ns_rows) / sizeof(ns_rows[0]); i++)
		if (strcmp(file, ns_rows[i].file) == 0)
			return true;
	for (size_t i = 0; i < sizeof(list_rows) / sizeof(list_rows[0]); i++)
		if (strcmp(file, list_rows[i].file) == 0)
			return true;
	for (size_t i = 0; i < sizeof(smart_rows) / sizeof(smart_rows[0]); i++)
		if (strcmp(file, smart_rows[i].file) == 0)
			return true;
	return false;
}

/* Decodes a page cut at every length. What the values must be is in the tests above; here nothing
 * may be read beyond, and nothing beyond may be reported. */
static void cut_everywhere(const uint8_t *bytes, size_t length)
{
	uint32_t nsids[1024];
	struct identify_controller id;
	struct identify_namespace ns;
	struct smart smart;
	bool sane;

	for (size_t cut = 0; cut <= length; cut++) {
		uint8_t *exact = fixture_exact(bytes, cut);
		const struct page page = {exact, cut};

		assert_int_equal(identify_controller_decode(&page, &id), cut < 72 ? -EINVAL : 0);
		assert_true(cut >= 296 || !id.total_capacity.reported);
		assert_true(cut >= 268 || !id.warning_temperature_c.reported);
		assert_true(cut >= 270 || !id.critical_temperature_c.reported);
		assert_int_equal(identify_namespace_decode(&page, &ns), cut < 27 ? -EINVAL : 0);
		assert_true(cut >= 131 || !ns.format_valid);
		assert_true(identify_list_decode(&page, nsids, 1024, &sane) <= cut / 4);
		assert_int_equal(smart_decode(&page, &smart), cut < 6 ? -EINVAL : 0);
		assert_int_equal(smart.host_reads.reported, cut >= 80);
		assert_int_equal(smart.media_errors.reported, cut >= 176);
		assert_true(cut >= 202 || !smart.sensors_c[0].reported);
		smart_page_empty(&page);
		free(exact);
	}
}

/* Every page that expected.json names is tested here, and says what it says. */
static void expected_json(void **state)
{
	char path[512], *text;
	uint8_t bytes[8192];
	struct json *all;

	(void)state;
	fixture_need("pages/expected.json");
	fixture_path(path, sizeof(path), "pages/expected.json");
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	text = calloc(1, 1 << 20);
	assert_non_null(text);
	const size_t length = fread(text, 1, (1 << 20) - 1, file);
	fclose(file);
	assert_int_equal(json_parse("expected.json", text, length, &all, NULL), 0);
	free(text);
	for (size_t i = 0; i < json_key_count(all); i++) {
		const char *name = json_key(all, i);
		const struct json *row = json_get(all, name);
		const bool ctrl = str_starts_with(name, "idctrl-");
		const bool ns = str_starts_with(name, "idns-");
		const bool list = str_starts_with(name, "nslist-");
		const bool smart = str_starts_with(name, "smart-");
		const char *sn;
		uint64_t size;

		if (!ctrl && !ns && !list && !smart)
			continue;
		print_message("# %s\n", name);
		assert_true(known_row(name));
		const struct page page = {bytes, fixture_read(name, bytes, sizeof(bytes))};
		assert_int_equal(json_read_u64(row, "size", &size, NULL), 0);
		assert_int_equal(page.length, size);
		if (ctrl && json_read_string(row, "sn", &sn, NULL) == 0) {
			struct identify_controller id;

			assert_int_equal(identify_controller_decode(&page, &id), 0);
			assert_string_equal(id.serial, sn);
		}
		if (smart)
			expect_smart(row, &page);
		if (ns)
			expect_namespace(row, &page);
		if (list)
			expect_list(row, &page);
		cut_everywhere(bytes, page.length);
	}
	json_free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(controllers),
		cmocka_unit_test(namespaces),
		cmocka_unit_test(size_words),
		cmocka_unit_test(namespace_lists),
		cmocka_unit_test(smart_pages),
		cmocka_unit_test(data_units),
		cmocka_unit_test(expected_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
