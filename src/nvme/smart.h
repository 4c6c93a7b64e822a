/* SMART / Health Information log, 0x02 (NVM Express Base Specification 2.0, 5.16.1.3). */
#ifndef NVME_SMART_H
#define NVME_SMART_H

#include "nvme/page.h"

enum smart_warning {
	SMART_WARN_SPARE = 0x01,
	SMART_WARN_TEMPERATURE = 0x02,
	SMART_WARN_RELIABILITY = 0x04,
	SMART_WARN_READ_ONLY = 0x08,
	SMART_WARN_BACKUP = 0x10,
	SMART_WARN_PMR = 0x20,
	SMART_WARN_UNKNOWN = 0xc0, /* reserved bits */
};

#define SMART_SENSORS 8
#define SMART_USED_CEILING 255 /* percentage_used stands still there: "or more" */

struct smart {
	uint8_t critical_warning;
	struct field_int temperature_c; /* not reported at 0 K */
	struct field_int available_spare, spare_threshold, percentage_used; /* % */
	uint8_t endurance_group_warning;
	struct field_u128 data_units_read,
		data_units_written; /* of 512,000 bytes; 0: not reported */
	struct field_u128 host_reads, host_writes, controller_busy_minutes;
	struct field_u128 power_cycles, power_on_hours, unsafe_shutdowns, media_errors,
		error_log_entries;
	struct field_int warning_temperature_minutes, critical_temperature_minutes;
	struct field_int sensors_c[SMART_SENSORS]; /* temperature sensors 1..8 */
	struct field_int thermal1_count, thermal2_count, thermal1_seconds, thermal2_seconds;
	bool truncated;
};

/* True for the page that some firmware returns with RAE = 1: temperature 0 K, all counters 0,
 * power cycles included, and no spare either (CASES S1; a page that lacks only the temperature is
 * valid, S2). Callers ask once more with RAE = 0. Also true when nothing was received. */
bool smart_page_empty(const struct page *page);
/* -EINVAL when nothing useful is there (fewer than 6 bytes). */
int smart_decode(const struct page *page, struct smart *out);
/* "spare below threshold", "temperature", "reliability degraded", "read only",
 * "volatile memory backup failed", "persistent memory region read-only"; unknown bits as
 * "unknown 0xc0". Returns the number of texts written to at most `room` (7 suffice). */
size_t smart_warning_texts(uint8_t warning, char texts[][48], size_t room);
/* Bytes of data units: exact in 128 bits; false when that overflows. */
bool smart_units_bytes(u128 units, u128 *bytes);
/* "200 %", ">=255 %". */
void smart_used_text(const struct field_int *used, char *buf, size_t size);

#endif
