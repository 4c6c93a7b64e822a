/* Records of a capture file: one table of fields per record type serves writing and reading. */
#include "nvme/capture_format.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "nvme/page.h"

#define MAGIC "NVSWEEP-CAPTURE\n"
#define MAGIC_BYTES 16
#define HEADER_BYTES (MAGIC_BYTES + 12)
#define MARK "NVR\n"
#define RECORD_BYTES 20

enum field_kind {
	FIELD_END,
	FIELD_TEXT,
	FIELD_INT,
	FIELD_U32,
	FIELD_U64,
	FIELD_BOOL,
	FIELD_DOUBLE,
	FIELD_OPTIONAL
};

struct capture_field {
	const char *key;
	enum field_kind kind;
	size_t offset, size;
};

#define FIELD(key, kind, type, member)                                                       \
	{                                                                                    \
		key, kind, offsetof(struct type, member), sizeof(((struct type *)0)->member) \
	}

static const struct capture_field info_fields[] = {
	FIELD("program", FIELD_TEXT, capture_info, program),
	FIELD("kernel", FIELD_TEXT, capture_info, kernel),
	FIELD("written_at", FIELD_U64, capture_info, written_at),
	FIELD("simulated", FIELD_BOOL, capture_info, simulated),
	{0},
};
static const struct capture_field controller_fields[] = {
	FIELD("name", FIELD_TEXT, topology_controller, name),
	FIELD("model", FIELD_TEXT, topology_controller, model),
	FIELD("serial", FIELD_TEXT, topology_controller, serial),
	FIELD("firmware", FIELD_TEXT, topology_controller, firmware),
	FIELD("transport", FIELD_TEXT, topology_controller, transport),
	FIELD("address", FIELD_TEXT, topology_controller, address),
	FIELD("state", FIELD_TEXT, topology_controller, state),
	FIELD("subsystem", FIELD_TEXT, topology_controller, subsystem),
	FIELD("nqn", FIELD_TEXT, topology_controller, nqn),
	FIELD("controller_type", FIELD_TEXT, topology_controller, controller_type),
	FIELD("cntlid", FIELD_INT, topology_controller, cntlid),
	FIELD("numa_node", FIELD_INT, topology_controller, numa_node),
	FIELD("queue_count", FIELD_INT, topology_controller, queue_count),
	FIELD("sqsize", FIELD_INT, topology_controller, sqsize),
	FIELD("node_visible", FIELD_BOOL, topology_controller, node_visible),
	{0},
};
static const struct capture_field namespace_fields[] = {
	FIELD("index", FIELD_U32, capture_namespace, index),
	FIELD("name", FIELD_TEXT, capture_namespace, topo.name),
	FIELD("generic", FIELD_TEXT, capture_namespace, topo.generic),
	FIELD("nsid", FIELD_U32, capture_namespace, topo.nsid),
	FIELD("subsystem", FIELD_TEXT, capture_namespace, topo.subsystem),
	FIELD("controller", FIELD_TEXT, capture_namespace, topo.controller),
	FIELD("multipath", FIELD_BOOL, capture_namespace, topo.multipath),
	FIELD("size_bytes", FIELD_U64, capture_namespace, topo.size_bytes),
	FIELD("lba_bytes", FIELD_U32, capture_namespace, topo.lba_bytes),
	FIELD("metadata_bytes", FIELD_U32, capture_namespace, topo.metadata_bytes),
	FIELD("read_only", FIELD_BOOL, capture_namespace, topo.read_only),
	FIELD("eui64", FIELD_TEXT, capture_namespace, topo.eui64),
	FIELD("nguid", FIELD_TEXT, capture_namespace, topo.nguid),
	FIELD("uuid", FIELD_TEXT, capture_namespace, topo.uuid),
	FIELD("major", FIELD_U32, capture_namespace, topo.major),
	FIELD("minor", FIELD_U32, capture_namespace, topo.minor),
	{0},
};
static const struct capture_field path_fields[] = {
	FIELD("index", FIELD_U32, capture_path, index),
	FIELD("name", FIELD_TEXT, capture_path, topo.name),
	FIELD("controller", FIELD_TEXT, capture_path, topo.controller),
	FIELD("ana_state", FIELD_TEXT, capture_path, topo.ana_state),
	FIELD("numa_nodes", FIELD_TEXT, capture_path, topo.numa_nodes),
	{0},
};
static const struct capture_field environment_fields[] = {
	FIELD("controller", FIELD_TEXT, capture_environment, controller),
	FIELD("link_gts", FIELD_DOUBLE, capture_environment, env.link_gts),
	FIELD("link_max_gts", FIELD_DOUBLE, capture_environment, env.link_max_gts),
	FIELD("link_width", FIELD_INT, capture_environment, env.link_width),
	FIELD("link_max_width", FIELD_INT, capture_environment, env.link_max_width),
	FIELD("slot_max_gts", FIELD_DOUBLE, capture_environment, env.slot_max_gts),
	FIELD("slot_max_width", FIELD_INT, capture_environment, env.slot_max_width),
	FIELD("numa_node", FIELD_INT, capture_environment, env.numa_node),
	FIELD("power_state", FIELD_TEXT, capture_environment, env.power_state),
	{0},
};
static const struct capture_field sensor_fields[] = {
	FIELD("controller", FIELD_TEXT, capture_sensor, controller),
	FIELD("label", FIELD_TEXT, capture_sensor, label),
	FIELD("value_mc", FIELD_OPTIONAL, capture_sensor, value_mc),
	FIELD("max_mc", FIELD_OPTIONAL, capture_sensor, max_mc),
	FIELD("min_mc", FIELD_OPTIONAL, capture_sensor, min_mc),
	FIELD("critical_mc", FIELD_OPTIONAL, capture_sensor, critical_mc),
	{0},
};
static const struct capture_field page_fields[] = {
	FIELD("controller", FIELD_TEXT, capture_page, controller),
	FIELD("is_log", FIELD_U32, capture_page, is_log),
	FIELD("selector", FIELD_U32, capture_page, selector),
	FIELD("log_specific", FIELD_U32, capture_page, log_specific),
	FIELD("nsid", FIELD_U32, capture_page, nsid),
	FIELD("retain_event", FIELD_BOOL, capture_page, retain_event),
	FIELD("offset", FIELD_U64, capture_page, offset),
	FIELD("length", FIELD_U32, capture_page, length),
	FIELD("result", FIELD_INT, capture_page, result),
	FIELD("status", FIELD_U32, capture_page, status),
	FIELD("text", FIELD_TEXT, capture_page, text),
	{0},
};
static const struct capture_field end_fields[] = {
	FIELD("records", FIELD_U32, capture_end, records),
	{0},
};

static const struct capture_field *const fields_of[] = {
	[CAPTURE_INFO] = info_fields,
	[CAPTURE_CONTROLLER] = controller_fields,
	[CAPTURE_NAMESPACE] = namespace_fields,
	[CAPTURE_PATH] = path_fields,
	[CAPTURE_ENVIRONMENT] = environment_fields,
	[CAPTURE_SENSOR] = sensor_fields,
	[CAPTURE_PAGE] = page_fields,
	[CAPTURE_END] = end_fields,
};

uint32_t capture_crc32(const void *bytes, size_t length)
{
	/* the common CRC-32 (reflected, polynomial 0x04c11db7), four bits at a time */
	static const uint32_t nibbles[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
		0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8,
		0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
	const uint8_t *at = bytes;
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < length; i++) {
		crc ^= at[i];
		crc = crc >> 4 ^ nibbles[crc & 15];
		crc = crc >> 4 ^ nibbles[crc & 15];
	}
	return ~crc;
}

/* ---- fields as text ------------------------------------------------------------------------- */

static void field_write(struct strbuf *text, const struct capture_field *field, const void *at)
{
	char number[40], safe[512];
	const struct field_int *optional = at;

	switch (field->kind) {
	case FIELD_TEXT:
		str_sanitize(safe, sizeof(safe), at, strnlen(at, field->size));
		if (safe[0] != '\0')
			strbuf_addf(text, "%s=%s\n", field->key, safe);
		break;
	case FIELD_INT:
		strbuf_addf(text, "%s=%d\n", field->key, *(const int *)at);
		break;
	case FIELD_U32:
		strbuf_addf(text, "%s=%" PRIu32 "\n", field->key, *(const uint32_t *)at);
		break;
	case FIELD_U64:
		strbuf_addf(text, "%s=%" PRIu64 "\n", field->key, *(const uint64_t *)at);
		break;
	case FIELD_BOOL:
		strbuf_addf(text, "%s=%d\n", field->key, *(const bool *)at);
		break;
	case FIELD_DOUBLE:
		if (isfinite(*(const double *)at))
			strbuf_addf(text, "%s=%s\n", field->key,
				units_double(number, sizeof(number), *(const double *)at));
		break;
	case FIELD_OPTIONAL:
		if (optional->reported)
			strbuf_addf(text, "%s=%" PRId64 "\n", field->key, optional->value);
		break;
	case FIELD_END:
		break;
	}
}

static void field_read(const struct capture_field *field, const char *value, void *at)
{
	struct field_int *optional = at;
	int64_t number;
	uint64_t positive;
	double real;

	switch (field->kind) {
	case FIELD_TEXT:
		str_sanitize(at, field->size, value, strlen(value));
		break;
	case FIELD_INT:
		if (units_parse_i64(value, &number, NULL) == 0 && number >= INT_MIN &&
			number <= INT_MAX)
			*(int *)at = (int)number;
		break;
	case FIELD_U32:
		if (units_parse_u64(value, &positive, NULL) == 0 && positive <= UINT32_MAX)
			*(uint32_t *)at = (uint32_t)positive;
		break;
	case FIELD_U64:
		if (units_parse_u64(value, &positive, NULL) == 0)
			*(uint64_t *)at = positive;
		break;
	case FIELD_BOOL:
		*(bool *)at = strcmp(value, "1") == 0;
		break;
	case FIELD_DOUBLE:
		if (units_parse_double(value, &real, NULL) == 0 && isfinite(real))
			*(double *)at = real;
		break;
	case FIELD_OPTIONAL:
		if (units_parse_i64(value, &number, NULL) == 0)
			*optional = (struct field_int){true, number};
		break;
	case FIELD_END:
		break;
	}
}

static void fields_write(
	struct strbuf *text, const struct capture_field *fields, const void *object)
{
	for (; fields->key; fields++)
		field_write(text, fields, (const char *)object + fields->offset);
}

static void fields_read(
	const uint8_t *text, size_t length, const struct capture_field *fields, void *object)
{
	const uint8_t *end = text + length;
	char line[640];

	while (text < end) {
		const uint8_t *stop = memchr(text, '\n', (size_t)(end - text));
		const size_t size = (size_t)((stop ? stop : end) - text);
		char *value;

		str_format(line, sizeof(line), "%.*s", (int)(size < sizeof(line) ? size : 0),
			(const char *)text);
		text += size + 1;
		value = strchr(line, '=');
		if (!value)
			continue;
		*value++ = '\0';
		for (const struct capture_field *field = fields; field->key; field++)
			if (strcmp(field->key, line) == 0)
				field_read(field, value, (char *)object + field->offset);
	}
}

/* ---- writing -------------------------------------------------------------------------------- */

void capture_begin(struct capture_writer *writer, bool simulated)
{
	uint8_t header[HEADER_BYTES];

	memset(writer, 0, sizeof(*writer));
	memcpy(header, MAGIC, MAGIC_BYTES);
	page_put_u32(header, MAGIC_BYTES, simulated ? CAPTURE_FORMAT_SIMULATED : CAPTURE_FORMAT);
	page_put_u32(header, MAGIC_BYTES + 4, CAPTURE_REVISION);
	page_put_u32(header, MAGIC_BYTES + 8, capture_crc32(header, MAGIC_BYTES + 8));
	strbuf_add_bytes(&writer->file, header, sizeof(header));
}

static void capture_put_raw(
	struct capture_writer *writer, enum capture_type type, const void *payload, size_t length)
{
	uint8_t head[RECORD_BYTES];

	memcpy(head, MARK, 4);
	page_put_u32(head, 4, type);
	page_put_u32(head, 8, (uint32_t)length);
	page_put_u32(head, 12, capture_crc32(payload, length));
	page_put_u32(head, 16, capture_crc32(head, 16));
	strbuf_add_bytes(&writer->file, head, sizeof(head));
	strbuf_add_bytes(&writer->file, payload, length);
	writer->records++;
}

void capture_put(struct capture_writer *writer, enum capture_type type, const void *object)
{
	struct strbuf text = {0};

	fields_write(&text, fields_of[type], object);
	capture_put_raw(writer, type, text.text, text.length);
	strbuf_free(&text);
}

void capture_put_page(struct capture_writer *writer, const struct capture_page *page)
{
	struct strbuf text = {0}, payload = {0};
	uint8_t size[4];

	fields_write(&text, page_fields, page);
	page_put_u32(size, 0, (uint32_t)text.length);
	strbuf_add_bytes(&payload, size, sizeof(size));
	strbuf_add_bytes(&payload, text.text, text.length);
	if (page->got > 0)
		strbuf_add_bytes(&payload, page->bytes, page->got);
	capture_put_raw(writer, CAPTURE_PAGE, payload.text, payload.length);
	strbuf_free(&text);
	strbuf_free(&payload);
}

void capture_finish(struct capture_writer *writer)
{
	const struct capture_end end = {writer->records};

	capture_put(writer, CAPTURE_END, &end);
}

/* ---- reading -------------------------------------------------------------------------------- */

static uint32_t reader_u32(const struct capture_reader *reader, size_t offset)
{
	const struct page page = {reader->bytes, reader->length};

	return page_u32(&page, offset, NULL);
}

int capture_open(struct capture_reader *reader, const char *name, const void *bytes, size_t length,
	struct err *err)
{
	uint32_t format;

	*reader = (struct capture_reader){.bytes = bytes, .length = length};
	if (length < MAGIC_BYTES || memcmp(bytes, MAGIC, MAGIC_BYTES) != 0)
		return err_set(err, -EINVAL,
			"%s is no capture: give a file made by `nvsweep capture`", name);
	if (length < HEADER_BYTES)
		return err_set(err, -EINVAL, "%s is cut off before its first record", name);
	format = reader_u32(reader, MAGIC_BYTES);
	reader->revision = reader_u32(reader, MAGIC_BYTES + 4);
	reader->header_damaged =
		reader_u32(reader, MAGIC_BYTES + 8) != capture_crc32(bytes, MAGIC_BYTES + 8);
	if (!reader->header_damaged && format > CAPTURE_FORMAT_SIMULATED)
		return err_set(err, -ENOTSUP,
			"%s was written by a newer nvsweep (capture format %" PRIu32
			", this one reads up to %d): update nvsweep",
			name, format, CAPTURE_FORMAT_SIMULATED);
	reader->simulated = format == CAPTURE_FORMAT_SIMULATED;
	reader->at = HEADER_BYTES;
	return 0;
}

/* Is there the head of a record? */
static bool reader_head(const struct capture_reader *reader, size_t at)
{
	return reader->length - at >= RECORD_BYTES && memcmp(reader->bytes + at, MARK, 4) == 0 &&
		reader_u32(reader, at + 16) == capture_crc32(reader->bytes + at, 16);
}

bool capture_next(struct capture_reader *reader, struct capture_record *record)
{
	while (reader->at < reader->length) {
		const size_t at = reader->at;

		if (!reader_head(reader, at)) {
			size_t next = at + 1;

			while (next < reader->length && !reader_head(reader, next))
				next++;
			/* nothing more: a cut inside a head, or damage up to the end */
			reader->cut |= next >= reader->length;
			reader->damaged += next < reader->length;
			reader->at = next;
			continue;
		}
		record->type = reader_u32(reader, at + 4);
		record->length = reader_u32(reader, at + 8);
		record->payload = reader->bytes + at + RECORD_BYTES;
		if (record->length > reader->length - at - RECORD_BYTES) {
			reader->cut = true;
			reader->at = reader->length;
			return false;
		}
		reader->at = at + RECORD_BYTES + record->length;
		if (reader_u32(reader, at + 12) == capture_crc32(record->payload, record->length)) {
			reader->records++;
			return true;
		}
		reader->damaged++;
	}
	return false;
}

void capture_get(const struct capture_record *record, void *object)
{
	if (record->type >= CAPTURE_INFO && record->type <= CAPTURE_END)
		fields_read(record->payload, record->length, fields_of[record->type], object);
}

bool capture_get_page(const struct capture_record *record, struct capture_page *page)
{
	const struct page payload = {record->payload, record->length};
	const uint32_t text = page_u32(&payload, 0, NULL);

	memset(page, 0, sizeof(*page));
	if (record->length < 4 || text > record->length - 4)
		return false;
	fields_read(record->payload + 4, text, page_fields, page);
	page->bytes = record->payload + 4 + text;
	page->got = record->length - 4 - text;
	if (page->result > 0 || page->result < -4095)
		page->result = -EIO;
	return page->controller[0] != '\0';
}
