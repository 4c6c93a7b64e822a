/* Decodes the SMART / Health Information log and puts its figures into words. */
#include "nvme/smart.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"

#define SMART_DEFINED_BYTES 232 /* all that the specification defines; the rest is reserved */
#define SMART_UNIT_BYTES 512000u

/* Bytes of the page (base specification 2.0, figure "SMART / Health Information Log Page"). */
enum {
	AT_WARNING = 0,
	AT_TEMPERATURE = 1,
	AT_SPARE = 3,
	AT_SPARE_THRESHOLD = 4,
	AT_USED = 5,
	AT_GROUP_WARNING = 6,
	AT_UNITS_READ = 32,
	AT_UNITS_WRITTEN = 48,
	AT_HOST_READS = 64,
	AT_HOST_WRITES = 80,
	AT_BUSY = 96,
	AT_POWER_CYCLES = 112,
	AT_POWER_ON_HOURS = 128,
	AT_UNSAFE_SHUTDOWNS = 144,
	AT_MEDIA_ERRORS = 160,
	AT_ERROR_ENTRIES = 176,
	AT_WARNING_MINUTES = 192,
	AT_CRITICAL_MINUTES = 196,
	AT_SENSORS = 200,
	AT_THERMAL1_COUNT = 216,
	AT_THERMAL2_COUNT = 220,
	AT_THERMAL1_SECONDS = 224,
	AT_THERMAL2_SECONDS = 228,
};

bool smart_page_empty(const struct page *page)
{
	struct page defined = *page;

	/* Reserved bytes behind the fields say nothing about them. Any field that is not 0 (a spare of
	 * 100 %, say) shows that the controller filled the page in. */
	if (defined.length > SMART_DEFINED_BYTES)
		defined.length = SMART_DEFINED_BYTES;
	return page_all_zero(&defined);
}

/* SMART counts data units in thousands rounded up, so 0 means that they are not counted. */
static struct field_u128 smart_units(const struct page *page, size_t offset)
{
	struct field_u128 units = page_field_u128(page, offset);

	if (units.value == 0)
		units.reported = false;
	return units;
}

int smart_decode(const struct page *page, struct smart *out)
{
	memset(out, 0, sizeof(*out));
	if (page->length < AT_GROUP_WARNING)
		return -EINVAL;
	out->truncated = page->length < SMART_DEFINED_BYTES;
	out->critical_warning = page_u8(page, AT_WARNING, NULL);
	out->temperature_c = page_kelvin(page_u16(page, AT_TEMPERATURE, NULL));
	out->available_spare = page_field_int(page, AT_SPARE, 1);
	out->spare_threshold = page_field_int(page, AT_SPARE_THRESHOLD, 1);
	out->percentage_used = page_field_int(page, AT_USED, 1);
	out->endurance_group_warning = page_u8(page, AT_GROUP_WARNING, NULL);
	out->data_units_read = smart_units(page, AT_UNITS_READ);
	out->data_units_written = smart_units(page, AT_UNITS_WRITTEN);
	out->host_reads = page_field_u128(page, AT_HOST_READS);
	out->host_writes = page_field_u128(page, AT_HOST_WRITES);
	out->controller_busy_minutes = page_field_u128(page, AT_BUSY);
	out->power_cycles = page_field_u128(page, AT_POWER_CYCLES);
	out->power_on_hours = page_field_u128(page, AT_POWER_ON_HOURS);
	out->unsafe_shutdowns = page_field_u128(page, AT_UNSAFE_SHUTDOWNS);
	out->media_errors = page_field_u128(page, AT_MEDIA_ERRORS);
	out->error_log_entries = page_field_u128(page, AT_ERROR_ENTRIES);
	out->warning_temperature_minutes = page_field_int(page, AT_WARNING_MINUTES, 4);
	out->critical_temperature_minutes = page_field_int(page, AT_CRITICAL_MINUTES, 4);
	for (size_t i = 0; i < SMART_SENSORS; i++)
		out->sensors_c[i] = page_kelvin(page_u16(page, AT_SENSORS + 2 * i, NULL));
	out->thermal1_count = page_field_int(page, AT_THERMAL1_COUNT, 4);
	out->thermal2_count = page_field_int(page, AT_THERMAL2_COUNT, 4);
	out->thermal1_seconds = page_field_int(page, AT_THERMAL1_SECONDS, 4);
	out->thermal2_seconds = page_field_int(page, AT_THERMAL2_SECONDS, 4);
	return 0;
}

static const struct {
	uint8_t bit;
	const char *text;
} smart_warnings[] = {
	{SMART_WARN_SPARE, "spare below threshold"},
	{SMART_WARN_TEMPERATURE, "temperature"},
	{SMART_WARN_RELIABILITY, "reliability degraded"},
	{SMART_WARN_READ_ONLY, "read only"},
	{SMART_WARN_BACKUP, "volatile memory backup failed"},
	{SMART_WARN_PMR, "persistent memory region read-only"},
};

size_t smart_warning_texts(uint8_t warning, char texts[][48], size_t room)
{
	size_t count = 0;

	for (size_t i = 0; i < sizeof(smart_warnings) / sizeof(smart_warnings[0]); i++)
		if ((warning & smart_warnings[i].bit) != 0 && count < room)
			str_copy(texts[count++], 48, smart_warnings[i].text);
	if ((warning & SMART_WARN_UNKNOWN) != 0 && count < room)
		str_format(texts[count++], 48, "unknown 0x%02x", warning & SMART_WARN_UNKNOWN);
	return count;
}

bool smart_units_bytes(u128 units, u128 *bytes)
{
	if (units > (u128)-1 / SMART_UNIT_BYTES)
		return false;
	*bytes = units * SMART_UNIT_BYTES;
	return true;
}

void smart_used_text(const struct field_int *used, char *buf, size_t size)
{
	if (!used->reported)
		str_copy(buf, size, "-");
	else if (used->value >= SMART_USED_CEILING)
		str_format(buf, size, ">=%d %%", SMART_USED_CEILING);
	else
		str_format(buf, size, "%d %%", (int)used->value);
}
