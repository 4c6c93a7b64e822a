/* How pages of a controller are reached: an ops table (DESIGN 4). All transports deliver raw
 * pages; one set of decoders reads them.
 *
 * All but list() may block for as long as the drive pleases: only job threads make them
 * (base/jobs), one at a time per controller.
 */
#ifndef NVME_TRANSPORT_H
#define NVME_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct topology;
struct environment;
struct iostat_counters;
struct transport;

/* NVMe status word of a refused command (base spec, Completion Queue Entry: Status Field):
 * SC bits 7:0, SCT 10:8, CRD 12:11, M 13, DNR 14. 0: success. */
struct nvme_status {
	uint16_t word;
	char text[96]; /* "Invalid Field in Command (0x4002)" */
};
static inline uint16_t transport_status_code(uint16_t word)
{
	return word & 0x7ff; /* without retry hints */
}
/* The controller will not answer otherwise later: the command is not supported or DNR is set. Such
 * a command is never sent again, drives count each one as an error (CASES S9). */
bool transport_status_final(uint16_t word);

/* Identify CNS values used here (base spec, Identify command). */
enum {
	NVME_CNS_NAMESPACE = 0x00,
	NVME_CNS_CONTROLLER = 0x01,
	NVME_CNS_ACTIVE_LIST = 0x02,
	NVME_CNS_DESCRIPTORS = 0x03,
	NVME_CNS_ALLOCATED_LIST = 0x10,
};
enum { NVME_LOG_SMART = 0x02 };
#define NVME_IDENTIFY_BYTES 4096
#define NVME_SMART_BYTES 512

struct log_request {
	uint8_t log_id;
	uint8_t log_specific; /* LSP */
	uint32_t nsid;        /* 0xffffffff for the controller */
	bool retain_event;    /* RAE */
	uint64_t offset;
	uint32_t length;
};

/* Returns of identify and get_log: 0 and *got bytes; -EREMOTEIO: the controller refused, *status
 * says how; other -errno: it could not be asked (-EACCES, -ENODEV, -ETIMEDOUT...), err says why and
 * how to get access. Short data is not an error: *got tells. */
struct transport_ops {
	const char *name; /* "libnvme", "capture", "sim" */
	bool simulated;
	bool live; /* false: pages never change (capture) */
	/* Controllers, namespaces, paths. Must not block on a drive. Caller frees (topology_free). */
	int (*list)(struct transport *t, struct topology **out, struct err *err);
	int (*identify)(struct transport *t, const char *controller, uint8_t cns, uint32_t nsid,
		void *buf, size_t length, size_t *got, struct nvme_status *status, struct err *err);
	int (*get_log)(struct transport *t, const char *controller,
		const struct log_request *request, void *buf, size_t *got,
		struct nvme_status *status, struct err *err);
	/* Reservation Report of a namespace, an I/O command that only reads, sent through its node
	 * ("nvme0n1"). extended: 64-byte entries, which controllers with 128-bit host identifiers
	 * want. Returns as above. NULL: cannot be asked. */
	int (*reservations)(struct transport *t, const char *node, uint32_t nsid, bool extended,
		void *buf, size_t length, size_t *got, struct nvme_status *status, struct err *err);
	/* hwmon, PCIe link, NUMA of a controller. Blocks like the others: the kernel asks the drive
	 * for what hwmon shows. */
	void (*environment)(struct transport *t, const char *controller, struct environment *out);
	/* Block statistics of a namespace that has no device here; NULL: they stand in sysfs. Never
	 * blocks. 0 or -errno. */
	int (*counters)(struct transport *t, const char *ns, struct iostat_counters *out);
	/* What the engine reaches a simulated namespace by, opaque; lives as long as the transport.
	 * NULL: namespaces are reached by their nodes. */
	void *(*device)(struct transport *t, const char *ns);
	/* When the pages were read, seconds since 1970; NULL: when they are asked for. */
	int64_t (*taken_at)(struct transport *t);
	void (*destroy)(struct transport *t);
};

struct transport {
	const struct transport_ops *ops;
	/* internal: holds besides the creator's; creators leave it 0 */
	_Atomic unsigned holds;
};

/* A hold keeps a transport alive past transport_destroy, for a command that may be stuck in the
 * kernel; the hold's end is another transport_destroy. Any thread. */
struct transport *transport_hold(struct transport *t);
void transport_destroy(struct transport *t); /* NULL is fine */

#endif
