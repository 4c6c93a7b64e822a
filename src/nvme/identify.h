/* Identify Controller, Identify Namespace, namespace lists (NVM Express Base Specification 2.0,
 * section 5.17.2; NVM Command Set Specification 1.0, section 4.1.5.1). Pure decoders. */
#ifndef NVME_IDENTIFY_H
#define NVME_IDENTIFY_H

#include "nvme/page.h"

/* One field of a page by its short name in the specification, for everything that shows all of
 * them. Fields of 1..8 bytes are numbers, of 16 bytes a number in bytes, those of IDENTIFY_HEX a
 * row of bytes. */
enum identify_kind { IDENTIFY_NUMBER, IDENTIFY_HEX };
struct identify_field {
	const char *key;
	uint16_t offset;
	uint8_t size;
	enum identify_kind kind;
};
extern const struct identify_field identify_controller_fields[];
extern const size_t identify_controller_field_count;
extern const struct identify_field identify_namespace_fields[];
extern const size_t identify_namespace_field_count;
/* False: the page ends before the field, it is not reported. */
bool identify_field_number(
	const struct page *page, const struct identify_field *field, u128 *value);
bool identify_field_hex(
	const struct page *page, const struct identify_field *field, char *buf, size_t size);

/* A power state descriptor (Identify Controller, bytes 2048 + 32 x index). Watts are NaN and
 * microseconds 0 when not reported. */
struct identify_power_state {
	double max_power_w, idle_power_w, active_power_w;
	bool non_operational;
	uint32_t entry_latency_us, exit_latency_us;
	/* relative to the other states, 0 is best */
	uint8_t read_throughput, read_latency, write_throughput, write_latency;
	uint8_t active_workload;
};
/* False: not in the page. Index 0..31; states above NPSS mean nothing. */
bool identify_power_state(
	const struct page *page, unsigned index, struct identify_power_state *out);

struct identify_controller {
	uint16_t vendor_id, subsystem_vendor_id;  /* VID 0, SSVID 2 */
	char serial[21], model[41], firmware[9];  /* SN 4, MN 24, FR 64; sanitised, "" possible */
	uint32_t ieee_oui;                        /* bytes 73..75 */
	uint8_t cmic;                             /* 76 */
	uint8_t mdts;                             /* 77, 0 = no limit, in units of CAP.MPSMIN */
	uint16_t controller_id;                   /* 78 */
	uint32_t version;                         /* VER 80: 0x00010400 = 1.4; 0 not reported */
	uint32_t oaes, ctratt;                    /* 92, 96 */
	uint8_t controller_type;                  /* CNTRLTYPE 111 */
	uint16_t oacs;                            /* 256 */
	uint8_t acl, aerl, frmw, lpa, elpe, npss; /* 258.. */
	struct field_int warning_temperature_c, critical_temperature_c; /* WCTEMP 266, CCTEMP 268 */
	struct field_u128 total_capacity,
		unallocated_capacity;   /* bytes: TNVMCAP 280, UNVMCAP 296 */
	uint32_t sanitize_capabilities; /* SANICAP 328 */
	uint32_t namespace_count;       /* NN 516 */
	uint16_t oncs;                  /* 520 */
	uint8_t volatile_write_cache;   /* VWC 525 */
	uint32_t sgls;                  /* 536 */
	char nqn[257];                  /* SUBNQN 768, sanitised */
	double max_power_w;             /* power state 0, bytes 2048..; NaN not reported */
	size_t length;                  /* bytes received, at most 4096 */
	bool truncated;                 /* the page was shorter than 4096 bytes */
	bool implausible; /* strings and fields look like an uninitialised buffer (CASES I4) */
};

/* -EINVAL when the page is too short for serial, model and firmware (72 bytes). */
int identify_controller_decode(const struct page *page, struct identify_controller *out);
/* "1.4", "1.2.1"; "before 1.2" for 0. */
void identify_version_text(uint32_t version, char *buf, size_t size);

#define IDENTIFY_FORMATS 64
#define IDENTIFY_NAMESPACE_RAW 384 /* all that is defined: up to the last LBA format */

struct lba_format {
	uint16_t metadata_bytes;
	uint8_t lba_shift; /* LBADS; 0 not available */
	uint8_t relative_performance;
};

struct identify_namespace {
	uint64_t size_blocks, capacity_blocks, used_blocks; /* NSZE, NCAP, NUSE */
	uint8_t features;                                   /* NSFEAT */
	uint8_t format_count;                               /* NLBAF + 1 + NULBAF, at most 64 */
	uint8_t format_index;                               /* from FLBAS, see LOGPAGES */
	bool format_valid;      /* index < format_count and 9 <= LBADS < 32 */
	bool metadata_extended; /* FLBAS bit 4 */
	uint32_t lba_bytes;     /* 0 when !format_valid */
	uint32_t metadata_bytes;
	uint32_t transfer_bytes;   /* per block in passthrough: lba + metadata when extended */
	uint8_t protection;        /* DPS bits 2:0 */
	uint8_t sharing;           /* NMIC */
	bool write_protected;      /* NSATTR bit 0 */
	uint8_t reservations;      /* RESCAP */
	char nguid[33], eui64[17]; /* hex; "" when all zero or absent */
	struct lba_format formats[IDENTIFY_FORMATS];
	uint8_t raw[IDENTIFY_NAMESPACE_RAW]; /* bytes as received, for the field table */
	size_t raw_length;
	bool truncated;
};
/* -EINVAL when the page ends before sizes and format (27 bytes). */
int identify_namespace_decode(const struct page *page, struct identify_namespace *out);
/* blocks x block size without wrapping; false when the format is not valid. */
bool identify_namespace_bytes(const struct identify_namespace *ns, uint64_t blocks, u128 *bytes);

/* Namespace list: NSIDs until the first 0, at most 1024. Stops at an entry that does not increase
 * or is no namespace (0xffffffff): *sane = false. Returns the count. When the list is full, the
 * next page starts after its last entry. */
size_t identify_list_decode(const struct page *page, uint32_t *nsids, size_t room, bool *sane);

#endif
