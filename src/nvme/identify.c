/* Decodes Identify Controller, Identify Namespace and namespace lists; holds the tables of their
 * fields. */
#include "nvme/identify.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/str.h"

#define IDENTIFY_PAGE_BYTES 4096
#define LIST_ENTRIES 1024
#define POWER_STATES_AT 2048
#define POWER_STATE_BYTES 32
#define POWER_STATES 32

/* Names and places as in the figures "Identify Controller Data Structure" and "Identify Namespace
 * Data Structure"; strings, power states and LBA formats have code of their own. */
const struct identify_field identify_controller_fields[] = {
	{"vid", 0, 2, IDENTIFY_NUMBER},
	{"ssvid", 2, 2, IDENTIFY_NUMBER},
	{"rab", 72, 1, IDENTIFY_NUMBER},
	{"ieee", 73, 3, IDENTIFY_NUMBER},
	{"cmic", 76, 1, IDENTIFY_NUMBER},
	{"mdts", 77, 1, IDENTIFY_NUMBER},
	{"cntlid", 78, 2, IDENTIFY_NUMBER},
	{"ver", 80, 4, IDENTIFY_NUMBER},
	{"rtd3r", 84, 4, IDENTIFY_NUMBER},
	{"rtd3e", 88, 4, IDENTIFY_NUMBER},
	{"oaes", 92, 4, IDENTIFY_NUMBER},
	{"ctratt", 96, 4, IDENTIFY_NUMBER},
	{"rrls", 100, 2, IDENTIFY_NUMBER},
	{"cntrltype", 111, 1, IDENTIFY_NUMBER},
	{"fguid", 112, 16, IDENTIFY_HEX},
	{"crdt1", 128, 2, IDENTIFY_NUMBER},
	{"crdt2", 130, 2, IDENTIFY_NUMBER},
	{"crdt3", 132, 2, IDENTIFY_NUMBER},
	{"nvmsr", 253, 1, IDENTIFY_NUMBER},
	{"vwci", 254, 1, IDENTIFY_NUMBER},
	{"mec", 255, 1, IDENTIFY_NUMBER},
	{"oacs", 256, 2, IDENTIFY_NUMBER},
	{"acl", 258, 1, IDENTIFY_NUMBER},
	{"aerl", 259, 1, IDENTIFY_NUMBER},
	{"frmw", 260, 1, IDENTIFY_NUMBER},
	{"lpa", 261, 1, IDENTIFY_NUMBER},
	{"elpe", 262, 1, IDENTIFY_NUMBER},
	{"npss", 263, 1, IDENTIFY_NUMBER},
	{"avscc", 264, 1, IDENTIFY_NUMBER},
	{"apsta", 265, 1, IDENTIFY_NUMBER},
	{"wctemp", 266, 2, IDENTIFY_NUMBER},
	{"cctemp", 268, 2, IDENTIFY_NUMBER},
	{"mtfa", 270, 2, IDENTIFY_NUMBER},
	{"hmpre", 272, 4, IDENTIFY_NUMBER},
	{"hmmin", 276, 4, IDENTIFY_NUMBER},
	{"tnvmcap", 280, 16, IDENTIFY_NUMBER},
	{"unvmcap", 296, 16, IDENTIFY_NUMBER},
	{"rpmbs", 312, 4, IDENTIFY_NUMBER},
	{"edstt", 316, 2, IDENTIFY_NUMBER},
	{"dsto", 318, 1, IDENTIFY_NUMBER},
	{"fwug", 319, 1, IDENTIFY_NUMBER},
	{"kas", 320, 2, IDENTIFY_NUMBER},
	{"hctma", 322, 2, IDENTIFY_NUMBER},
	{"mntmt", 324, 2, IDENTIFY_NUMBER},
	{"mxtmt", 326, 2, IDENTIFY_NUMBER},
	{"sanicap", 328, 4, IDENTIFY_NUMBER},
	{"hmminds", 332, 4, IDENTIFY_NUMBER},
	{"hmmaxd", 336, 2, IDENTIFY_NUMBER},
	{"nsetidmax", 338, 2, IDENTIFY_NUMBER},
	{"endgidmax", 340, 2, IDENTIFY_NUMBER},
	{"anatt", 342, 1, IDENTIFY_NUMBER},
	{"anacap", 343, 1, IDENTIFY_NUMBER},
	{"anagrpmax", 344, 4, IDENTIFY_NUMBER},
	{"nanagrpid", 348, 4, IDENTIFY_NUMBER},
	{"pels", 352, 4, IDENTIFY_NUMBER},
	{"domainid", 356, 2, IDENTIFY_NUMBER},
	{"megcap", 368, 16, IDENTIFY_NUMBER},
	{"sqes", 512, 1, IDENTIFY_NUMBER},
	{"cqes", 513, 1, IDENTIFY_NUMBER},
	{"maxcmd", 514, 2, IDENTIFY_NUMBER},
	{"nn", 516, 4, IDENTIFY_NUMBER},
	{"oncs", 520, 2, IDENTIFY_NUMBER},
	{"fuses", 522, 2, IDENTIFY_NUMBER},
	{"fna", 524, 1, IDENTIFY_NUMBER},
	{"vwc", 525, 1, IDENTIFY_NUMBER},
	{"awun", 526, 2, IDENTIFY_NUMBER},
	{"awupf", 528, 2, IDENTIFY_NUMBER},
	{"icsvscc", 530, 1, IDENTIFY_NUMBER},
	{"nwpc", 531, 1, IDENTIFY_NUMBER},
	{"acwu", 532, 2, IDENTIFY_NUMBER},
	{"ocfs", 534, 2, IDENTIFY_NUMBER},
	{"sgls", 536, 4, IDENTIFY_NUMBER},
	{"mnan", 540, 4, IDENTIFY_NUMBER},
	{"maxdna", 544, 16, IDENTIFY_NUMBER},
	{"maxcna", 560, 4, IDENTIFY_NUMBER},
	{"ioccsz", 1792, 4, IDENTIFY_NUMBER},
	{"iorcsz", 1796, 4, IDENTIFY_NUMBER},
	{"icdoff", 1800, 2, IDENTIFY_NUMBER},
	{"fcatt", 1802, 1, IDENTIFY_NUMBER},
	{"msdbd", 1803, 1, IDENTIFY_NUMBER},
	{"ofcs", 1804, 2, IDENTIFY_NUMBER},
	{"dctype", 1806, 1, IDENTIFY_NUMBER},
};
const size_t identify_controller_field_count =
	sizeof(identify_controller_fields) / sizeof(identify_controller_fields[0]);

const struct identify_field identify_namespace_fields[] = {
	{"nsze", 0, 8, IDENTIFY_NUMBER},
	{"ncap", 8, 8, IDENTIFY_NUMBER},
	{"nuse", 16, 8, IDENTIFY_NUMBER},
	{"nsfeat", 24, 1, IDENTIFY_NUMBER},
	{"nlbaf", 25, 1, IDENTIFY_NUMBER},
	{"flbas", 26, 1, IDENTIFY_NUMBER},
	{"mc", 27, 1, IDENTIFY_NUMBER},
	{"dpc", 28, 1, IDENTIFY_NUMBER},
	{"dps", 29, 1, IDENTIFY_NUMBER},
	{"nmic", 30, 1, IDENTIFY_NUMBER},
	{"rescap", 31, 1, IDENTIFY_NUMBER},
	{"fpi", 32, 1, IDENTIFY_NUMBER},
	{"dlfeat", 33, 1, IDENTIFY_NUMBER},
	{"nawun", 34, 2, IDENTIFY_NUMBER},
	{"nawupf", 36, 2, IDENTIFY_NUMBER},
	{"nacwu", 38, 2, IDENTIFY_NUMBER},
	{"nabsn", 40, 2, IDENTIFY_NUMBER},
	{"nabo", 42, 2, IDENTIFY_NUMBER},
	{"nabspf", 44, 2, IDENTIFY_NUMBER},
	{"noiob", 46, 2, IDENTIFY_NUMBER},
	{"nvmcap", 48, 16, IDENTIFY_NUMBER},
	{"npwg", 64, 2, IDENTIFY_NUMBER},
	{"npwa", 66, 2, IDENTIFY_NUMBER},
	{"npdg", 68, 2, IDENTIFY_NUMBER},
	{"npda", 70, 2, IDENTIFY_NUMBER},
	{"nows", 72, 2, IDENTIFY_NUMBER},
	{"mssrl", 74, 2, IDENTIFY_NUMBER},
	{"mcl", 76, 4, IDENTIFY_NUMBER},
	{"msrc", 80, 1, IDENTIFY_NUMBER},
	{"nulbaf", 82, 1, IDENTIFY_NUMBER},
	{"anagrpid", 92, 4, IDENTIFY_NUMBER},
	{"nsattr", 99, 1, IDENTIFY_NUMBER},
	{"nvmsetid", 100, 2, IDENTIFY_NUMBER},
	{"endgid", 102, 2, IDENTIFY_NUMBER},
	{"nguid", 104, 16, IDENTIFY_HEX},
	{"eui64", 120, 8, IDENTIFY_HEX},
};
const size_t identify_namespace_field_count =
	sizeof(identify_namespace_fields) / sizeof(identify_namespace_fields[0]);

bool identify_field_number(const struct page *page, const struct identify_field *field, u128 *value)
{
	bool ok = true;

	*value = page_get(page, field->offset, field->size, &ok);
	return ok;
}

bool identify_field_hex(
	const struct page *page, const struct identify_field *field, char *buf, size_t size)
{
	bool ok = true;

	str_copy(buf, size, "");
	for (size_t i = 0; i < field->size; i++)
		str_append(buf, size, "%02x", page_u8(page, field->offset + i, &ok));
	return ok;
}

/* Watts of a power field and its scale: 0 not reported, else 10^-4 W or 10^-2 W. */
static double identify_watts(uint16_t value, unsigned scale)
{
	if (value == 0)
		return NAN;
	if (scale == 1)
		return value / 1e4;
	return scale == 2 ? value / 1e2 : NAN;
}

bool identify_power_state(const struct page *page, unsigned index, struct identify_power_state *out)
{
	const size_t at = POWER_STATES_AT + (size_t)index * POWER_STATE_BYTES;
	bool ok = index < POWER_STATES;

	memset(out, 0, sizeof(*out));
	page_get(page, at + POWER_STATE_BYTES - 1, 1, &ok);
	if (!ok)
		return false;
	const uint8_t flags = page_u8(page, at + 3, NULL);
	/* MXPS in bit 0: 10^-4 W, otherwise 10^-2 W; idle and active scales are coded 1 and 2. */
	out->max_power_w = identify_watts(page_u16(page, at, NULL), (flags & 1) != 0 ? 1 : 2);
	out->non_operational = (flags & 2) != 0;
	out->entry_latency_us = page_u32(page, at + 4, NULL);
	out->exit_latency_us = page_u32(page, at + 8, NULL);
	out->read_throughput = page_u8(page, at + 12, NULL) & 0x1f;
	out->read_latency = page_u8(page, at + 13, NULL) & 0x1f;
	out->write_throughput = page_u8(page, at + 14, NULL) & 0x1f;
	out->write_latency = page_u8(page, at + 15, NULL) & 0x1f;
	out->idle_power_w =
		identify_watts(page_u16(page, at + 16, NULL), page_u8(page, at + 18, NULL) >> 6);
	out->active_power_w =
		identify_watts(page_u16(page, at + 20, NULL), page_u8(page, at + 22, NULL) >> 6);
	out->active_workload = page_u8(page, at + 22, NULL) & 7;
	return true;
}

static size_t identify_count_alnum(const char *text)
{
	size_t count = 0;

	for (; *text != '\0'; text++)
		if (isalnum((unsigned char)*text))
			count++;
	return count;
}

/* A controller just reset may answer with success and leave the buffer as it was (CASES I4): no
 * serial, while model or firmware hold scraps. Discovery controllers leave all three empty and are
 * fine; so is a drive with a few odd bytes in its strings. */
static bool identify_implausible(const struct page *page, const struct identify_controller *id)
{
	if (page_all_zero(page))
		return true;
	return identify_count_alnum(id->serial) == 0 && identify_count_alnum(id->model) < 2 &&
		(id->serial[0] != '\0' || id->model[0] != '\0' || id->firmware[0] != '\0');
}

static void identify_nqn(const struct page *page, struct identify_controller *out)
{
	const size_t at = 768;
	size_t length = page->length < at ? 0 : page->length - at;

	if (length > sizeof(out->nqn) - 1)
		length = sizeof(out->nqn) - 1;
	if (length == 0)
		return;
	/* The name ends at its NUL; what stands behind it is not part of it. */
	length = strnlen((const char *)page->bytes + at, length);
	str_sanitize(out->nqn, sizeof(out->nqn), page->bytes + at, length);
}

int identify_controller_decode(const struct page *page, struct identify_controller *out)
{
	struct identify_power_state power;

	memset(out, 0, sizeof(*out));
	out->max_power_w = NAN;
	if (page->length < 72)
		return -EINVAL;
	out->length = page->length < IDENTIFY_PAGE_BYTES ? page->length : IDENTIFY_PAGE_BYTES;
	out->truncated = page->length < IDENTIFY_PAGE_BYTES;
	out->vendor_id = page_u16(page, 0, NULL);
	out->subsystem_vendor_id = page_u16(page, 2, NULL);
	str_sanitize(out->serial, sizeof(out->serial), page->bytes + 4, 20);
	str_sanitize(out->model, sizeof(out->model), page->bytes + 24, 40);
	str_sanitize(out->firmware, sizeof(out->firmware), page->bytes + 64, 8);
	out->ieee_oui = (uint32_t)page_get(page, 73, 3, NULL);
	out->cmic = page_u8(page, 76, NULL);
	out->mdts = page_u8(page, 77, NULL);
	out->controller_id = page_u16(page, 78, NULL);
	out->version = page_u32(page, 80, NULL);
	out->oaes = page_u32(page, 92, NULL);
	out->ctratt = page_u32(page, 96, NULL);
	out->controller_type = page_u8(page, 111, NULL);
	out->oacs = page_u16(page, 256, NULL);
	out->acl = page_u8(page, 258, NULL);
	out->aerl = page_u8(page, 259, NULL);
	out->frmw = page_u8(page, 260, NULL);
	out->lpa = page_u8(page, 261, NULL);
	out->elpe = page_u8(page, 262, NULL);
	out->npss = page_u8(page, 263, NULL);
	out->warning_temperature_c = page_kelvin(page_u16(page, 266, NULL));
	out->critical_temperature_c = page_kelvin(page_u16(page, 268, NULL));
	out->total_capacity = page_field_u128(page, 280);
	out->unallocated_capacity = page_field_u128(page, 296);
	/* Capacities exist with namespace management only; 0 in total says that they are not told. */
	if (out->total_capacity.value == 0)
		out->total_capacity.reported = false;
	if (!out->total_capacity.reported && out->unallocated_capacity.value == 0)
		out->unallocated_capacity.reported = false;
	out->sanitize_capabilities = page_u32(page, 328, NULL);
	out->namespace_count = page_u32(page, 516, NULL);
	out->oncs = page_u16(page, 520, NULL);
	out->volatile_write_cache = page_u8(page, 525, NULL);
	out->sgls = page_u32(page, 536, NULL);
	identify_nqn(page, out);
	if (identify_power_state(page, 0, &power))
		out->max_power_w = power.max_power_w;
	out->implausible = identify_implausible(page, out);
	return 0;
}

void identify_version_text(uint32_t version, char *buf, size_t size)
{
	if (version == 0) {
		str_copy(buf, size, "before 1.2");
		return;
	}
	str_format(buf, size, "%u.%u", version >> 16, version >> 8 & 0xff);
	if ((version & 0xff) != 0)
		str_append(buf, size, ".%u", version & 0xff);
}

/* "" for identifiers that are all zero, which means that there is none. */
static void identify_id_text(
	const struct page *page, size_t offset, size_t length, char *buf, size_t size)
{
	const struct identify_field field = {"", (uint16_t)offset, (uint8_t)length, IDENTIFY_HEX};
	u128 value;

	if (!identify_field_number(page, &field, &value) || value == 0)
		str_copy(buf, size, "");
	else
		identify_field_hex(page, &field, buf, size);
}

static void identify_formats(const struct page *page, struct identify_namespace *out)
{
	const unsigned nlbaf = page_u8(page, 25, NULL);
	const unsigned nulbaf = page_u8(page, 82, NULL);
	const uint8_t flbas = page_u8(page, 26, NULL);
	const unsigned count = nlbaf + 1 + nulbaf;

	out->format_count = (uint8_t)(count < IDENTIFY_FORMATS ? count : IDENTIFY_FORMATS);
	out->format_index = (uint8_t)((flbas >> 5 & 3) << 4 | (flbas & 0xf));
	out->metadata_extended = (flbas & 0x10) != 0;
	for (size_t i = 0; i < out->format_count; i++) {
		struct lba_format *format = &out->formats[i];

		format->metadata_bytes = page_u16(page, 128 + 4 * i, NULL);
		format->lba_shift = page_u8(page, 128 + 4 * i + 2, NULL);
		format->relative_performance = page_u8(page, 128 + 4 * i + 3, NULL) & 3;
	}
	if (out->format_index >= out->format_count)
		return;
	const struct lba_format *used = &out->formats[out->format_index];
	if (used->lba_shift < 9 || used->lba_shift > 31)
		return;
	out->format_valid = true;
	out->lba_bytes = UINT32_C(1) << used->lba_shift;
	out->metadata_bytes = used->metadata_bytes;
	out->transfer_bytes = out->lba_bytes + (out->metadata_extended ? used->metadata_bytes : 0);
}

int identify_namespace_decode(const struct page *page, struct identify_namespace *out)
{
	memset(out, 0, sizeof(*out));
	if (page->length < 27)
		return -EINVAL;
	out->truncated = page->length < IDENTIFY_PAGE_BYTES;
	out->raw_length = page->length < sizeof(out->raw) ? page->length : sizeof(out->raw);
	memcpy(out->raw, page->bytes, out->raw_length);
	out->size_blocks = page_u64(page, 0, NULL);
	out->capacity_blocks = page_u64(page, 8, NULL);
	out->used_blocks = page_u64(page, 16, NULL);
	out->features = page_u8(page, 24, NULL);
	out->protection = page_u8(page, 29, NULL) & 7;
	out->sharing = page_u8(page, 30, NULL);
	out->reservations = page_u8(page, 31, NULL);
	out->write_protected = (page_u8(page, 99, NULL) & 1) != 0;
	identify_id_text(page, 104, 16, out->nguid, sizeof(out->nguid));
	identify_id_text(page, 120, 8, out->eui64, sizeof(out->eui64));
	identify_formats(page, out);
	return 0;
}

bool identify_namespace_bytes(const struct identify_namespace *ns, uint64_t blocks, u128 *bytes)
{
	if (!ns->format_valid)
		return false;
	*bytes = (u128)blocks * ns->lba_bytes; /* 64 + 31 bits: cannot wrap */
	return true;
}

size_t identify_list_decode(const struct page *page, uint32_t *nsids, size_t room, bool *sane)
{
	size_t count = 0;

	*sane = true;
	while (count < room && count < LIST_ENTRIES) {
		bool inside = true;
		const uint32_t nsid = page_u32(page, 4 * count, &inside);

		if (!inside || nsid == 0)
			break;
		if (nsid == UINT32_MAX || (count > 0 && nsid <= nsids[count - 1])) {
			*sane = false;
			break;
		}
		nsids[count++] = nsid;
	}
	return count;
}
