/* Pages of a simulated drive (NVM Express Base Specification 2.0: Identify 5.17.2, SMART 5.16.1.3;
 * NVM Command Set Specification 1.0, 4.1.5.1). */
#include "sim/pages.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "nvme/page.h"
#include "nvme/smart.h"

#define KELVIN 273
#define UNIT_BYTES 512000.0

/* Fields of text are filled up with blanks and not terminated. */
static void put_text(uint8_t *bytes, size_t offset, size_t size, const char *text)
{
	const size_t length = strnlen(text, size);

	memset(bytes + offset, ' ', size);
	memcpy(bytes + offset, text, length);
}

/* Two identifiers that no maker has: locally administered, from serial and number. */
static uint64_t identity(const struct sim_drive *drive, uint32_t nsid)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (const char *c = drive->is.serial; *c; c++)
		hash = (hash ^ (uint8_t)*c) * UINT64_C(0x100000001b3);
	return (hash ^ nsid) * UINT64_C(0x100000001b3);
}

static void put_big_endian(uint8_t *bytes, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(value >> 8 * (size - 1 - i));
}

void sim_pages_nqn(const struct sim_drive *drive, char *buf, size_t size)
{
	str_format(buf, size, "nqn.2014-08.org.nvmexpress:uuid:00000000-0000-8000-8000-%012llx",
		(unsigned long long)(identity(drive, 0) & 0xffffffffffff));
}

void sim_pages_nguid(const struct sim_namespace *ns, uint8_t nguid[16])
{
	memset(nguid, 0, 16);
	nguid[0] = 0x02; /* locally administered */
	put_big_endian(nguid + 4, ns->nsid, 4);
	put_big_endian(nguid + 8, identity(ns->drive, ns->nsid), 8);
}

void sim_pages_eui64(const struct sim_namespace *ns, uint8_t eui64[8])
{
	put_big_endian(eui64, identity(ns->drive, ns->nsid), 8);
	eui64[0] = 0x02;
}

void sim_pages_controller(const struct sim_drive *drive, uint8_t *bytes)
{
	const struct sim_parameters *is = &drive->is;
	/* What it takes with its link full. */
	const double watts = is->idle_w + 4 * fmax(is->read_j_gb, is->write_j_gb);
	char nqn[224];

	memset(bytes, 0, SIM_PAGE_BYTES);
	page_put_u16(bytes, 0, (uint16_t)is->vendor);
	page_put_u16(bytes, 2, (uint16_t)is->vendor);
	put_text(bytes, 4, 20, is->serial);
	put_text(bytes, 24, 40, is->model);
	put_text(bytes, 64, 8, is->firmware);
	bytes[77] = 8;                                     /* MDTS: 1 MiB */
	page_put_u16(bytes, 78, (uint16_t)(drive->index)); /* CNTLID */
	page_put_u32(bytes, 80, 0x00010400);               /* VER 1.4 */
	bytes[111] = 1;                                    /* CNTRLTYPE: I/O */
	bytes[258] = 3;                                    /* ACL */
	bytes[259] = 3;                                    /* AERL */
	bytes[260] = 0x02;                                 /* FRMW: one slot */
	bytes[262] = 0;                                    /* ELPE */
	bytes[263] = 0;                                    /* NPSS: power state 0 alone */
	page_put_u16(bytes, 266, (uint16_t)(is->warning_c + KELVIN));
	page_put_u16(bytes, 268, (uint16_t)(is->critical_c + KELVIN));
	page_put_u128(bytes, 280, (u128)is->size); /* TNVMCAP */
	bytes[512] = 0x66;                         /* SQES */
	bytes[513] = 0x44;                         /* CQES */
	page_put_u32(bytes, 516, drive->namespace_count);
	page_put_u16(bytes, 520, 0x0004); /* ONCS: deallocate */
	sim_pages_nqn(drive, nqn, sizeof(nqn));
	memcpy(bytes + 768, nqn, strlen(nqn));
	page_put_u16(bytes, 2048, (uint16_t)(watts * 100));
}

void sim_pages_namespace(const struct sim_namespace *ns, uint8_t *bytes)
{
	const uint64_t blocks = ns->size_bytes / ns->lba_bytes;

	memset(bytes, 0, SIM_PAGE_BYTES);
	page_put_u64(bytes, 0, blocks);                                             /* NSZE */
	page_put_u64(bytes, 8, blocks);                                             /* NCAP */
	page_put_u64(bytes, 16, sim_counted(&ns->live.used_bytes) / ns->lba_bytes); /* NUSE */
	bytes[25] = 0; /* NLBAF: one format */
	bytes[26] = 0; /* FLBAS */
	sim_pages_nguid(ns, bytes + 104);
	sim_pages_eui64(ns, bytes + 120);
	bytes[130] = ns->lba_bytes == 4096 ? 12 : 9; /* LBAF0: LBADS */
}

void sim_pages_list(const struct sim_drive *drive, uint32_t after, uint8_t *bytes)
{
	size_t at = 0;

	memset(bytes, 0, SIM_PAGE_BYTES);
	for (uint32_t i = 0; i < drive->namespace_count; i++) {
		if (drive->namespaces[i].nsid <= after)
			continue;
		page_put_u32(bytes, at, drive->namespaces[i].nsid);
		at += 4;
	}
}

void sim_pages_descriptors(const struct sim_namespace *ns, uint8_t *bytes)
{
	memset(bytes, 0, SIM_PAGE_BYTES);
	bytes[0] = 0x01; /* EUI-64 */
	bytes[1] = 8;
	sim_pages_eui64(ns, bytes + 4);
	bytes[12] = 0x02; /* NGUID */
	bytes[13] = 16;
	sim_pages_nguid(ns, bytes + 16);
}

/* Data units are rounded up; none is "not reported". */
static void put_units(uint8_t *bytes, size_t offset, double data)
{
	page_put_u128(bytes, offset, (u128)ceil(data / UNIT_BYTES));
}

void sim_pages_smart(struct sim_drive *drive, uint8_t *bytes)
{
	const struct sim_parameters *is = &drive->is;
	struct sim_health health;

	memset(bytes, 0, SIM_SMART_BYTES);
	sim_drive_health(drive, &health);
	if (is->available_spare_pct < is->spare_threshold_pct)
		bytes[0] |= SMART_WARN_SPARE;
	if (health.warm)
		bytes[0] |= SMART_WARN_TEMPERATURE;
	page_put_u16(bytes, 1, (uint16_t)(health.temperature_c + KELVIN));
	bytes[3] = (uint8_t)is->available_spare_pct;
	bytes[4] = (uint8_t)is->spare_threshold_pct;
	bytes[5] = (uint8_t)fmin(floor(health.used_pct), SMART_USED_CEILING);
	put_units(bytes, 32, health.read_bytes);
	put_units(bytes, 48, health.written_bytes);
	page_put_u128(bytes, 64, health.reads);
	page_put_u128(bytes, 80, health.writes);
	page_put_u128(bytes, 96, health.busy_minutes);
	page_put_u128(bytes, 112, (u128)is->power_cycles);
	page_put_u128(bytes, 128, health.power_on_hours);
	page_put_u128(bytes, 144, (u128)is->unsafe_shutdowns);
	page_put_u128(bytes, 160, health.media_errors);
	page_put_u128(bytes, 176, health.error_entries);
	page_put_u32(bytes, 192, (uint32_t)health.warning_minutes);
	page_put_u32(bytes, 196, (uint32_t)health.critical_minutes);
	/* sensor 1: the flash; sensor 2: the controller, always warmer */
	page_put_u16(bytes, 200, (uint16_t)(health.temperature_c + KELVIN));
	page_put_u16(bytes, 202, (uint16_t)(health.temperature_c + KELVIN + 8));
	page_put_u32(bytes, 216, (uint32_t)health.throttle_count); /* TMT1 transitions */
	page_put_u32(bytes, 224, (uint32_t)health.throttle_s);
}
