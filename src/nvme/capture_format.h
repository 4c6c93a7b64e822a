/* The file format of captures: a header, then records that carry their own length and checksums.
 *
 *   header   "NVSWEEP-CAPTURE\n", format, revision, CRC-32 of what is before it
 *   record   "NVR\n", type, length of the payload, CRC-32 of the payload, CRC-32 of these 16 bytes
 *
 * Numbers are 32 bits, little endian. A payload is text, lines of "key=value"; that of a page is the
 * length of its text, the text, the raw bytes. The last record tells how many there are, so a cut is
 * noticed anywhere. A reader passes over types and keys that it does not know: a new revision only
 * adds such; what an old reader would get wrong is a new format.
 *
 * Readers trust no byte. A damaged record is left out; behind damage in a record's head the next
 * good one is looked for. Any thread.
 */
#ifndef NVME_CAPTURE_FORMAT_H
#define NVME_CAPTURE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "nvme/environment.h"
#include "nvme/topology.h"

#define CAPTURE_FORMAT 1
/* Of simulated drives: an older reader would take them for real ones. */
#define CAPTURE_FORMAT_SIMULATED 2
#define CAPTURE_REVISION 0

enum capture_type {
	CAPTURE_INFO = 1,
	CAPTURE_CONTROLLER = 2,
	CAPTURE_NAMESPACE = 3,
	CAPTURE_PATH = 4, /* of a namespace, by its index */
	CAPTURE_ENVIRONMENT = 5,
	CAPTURE_SENSOR = 6,
	CAPTURE_PAGE = 7,
	CAPTURE_END = 8,
};

struct capture_info {
	char program[32], kernel[64];
	uint64_t written_at; /* seconds since 1970 */
	bool simulated;      /* said here too, should the header be damaged */
};
struct capture_namespace {
	uint32_t index;
	struct topology_namespace topo; /* without paths */
};
struct capture_path {
	uint32_t index; /* of the namespace */
	struct topology_path topo;
};
struct capture_environment {
	char controller[32];
	struct environment env; /* without sensors */
};
struct capture_sensor {
	char controller[32], label[32];
	struct field_int value_mc, max_mc, min_mc, critical_mc;
};
/* A command and its answer. */
struct capture_page {
	char controller[32];
	uint32_t is_log;   /* Get Log Page, else Identify */
	uint32_t selector; /* log identifier or CNS */
	uint32_t log_specific, nsid;
	bool retain_event;
	uint64_t offset;
	uint32_t length;      /* asked for */
	int result;           /* as of transport_ops: 0, -EREMOTEIO or another -errno */
	uint32_t status;      /* NVMe status word */
	char text[256];       /* of the refusal or failure */
	const uint8_t *bytes; /* borrowed */
	size_t got;
};
struct capture_end {
	uint32_t records; /* before it */
};

struct capture_writer {
	struct strbuf file; /* freed by the caller */
	uint32_t records;
};
void capture_begin(struct capture_writer *writer, bool simulated);
/* object is of the type's struct: capture_info, topology_controller, capture_namespace... Its fields
 * are written as text by name; pages, which have bytes as well, are put by capture_put_page. */
void capture_put(struct capture_writer *writer, enum capture_type type, const void *object);
void capture_put_page(struct capture_writer *writer, const struct capture_page *page);
void capture_finish(struct capture_writer *writer);

struct capture_reader {
	const uint8_t *bytes;
	size_t length, at;
	uint32_t revision;
	uint32_t records, damaged;
	bool cut; /* ends inside a record */
	bool header_damaged;
	bool simulated; /* as the header says */
};
struct capture_record {
	uint32_t type;
	const uint8_t *payload;
	size_t length;
};
/* -EINVAL: no capture; -ENOTSUP: of a newer format. name is for the sentence. */
int capture_open(struct capture_reader *reader, const char *name, const void *bytes, size_t length,
	struct err *err);
/* The next good record; false at the end. */
bool capture_next(struct capture_reader *reader, struct capture_record *record);
/* Fills *object of the record type's struct, which must be zeroed or hold defaults. Text is made safe; keys that are unknown or
 * hold no valid value are passed over. */
void capture_get(const struct capture_record *record, void *object);
/* False when the payload makes no page. page->bytes points into the file. */
bool capture_get_page(const struct capture_record *record, struct capture_page *page);

uint32_t capture_crc32(const void *bytes, size_t length);

#endif
