/* What an NVMe drive itself says about writing: attributes, sharing, reservations. */
#ifndef SWEEP_GATE_NVME_H
#define SWEEP_GATE_NVME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gate_sources;
struct gate_facts;

struct gate_nvme {
	bool present;         /* an NVMe namespace, or a partition of one */
	char controller[32];  /* that was asked; "" none */
	char transport[12];   /* "pcie", "tcp"; "" not known */
	bool fabrics;         /* reached over a network, or a software target of this machine */
	bool namespace_known; /* the next three */
	bool write_protected; /* NSATTR bit 0 */
	bool shared;          /* NMIC bit 0: more than one controller may use it */
	uint8_t reservation_types; /* RESCAP without bit 0 and 7: 0: there can be no reservation */
	bool health_known;         /* the next one */
	bool media_read_only;      /* critical warning bit 3 */
	bool reservation_known;    /* the next ones */
	uint8_t reservation_type;  /* RTYPE; 0 none */
	bool reservation_excludes; /* it keeps this host from writing */
	unsigned registrants;
};

/* Asks the drive; what it does not tell becomes an unknown of the facts. disk: the whole disk's name,
 * "nvme0n1". Waits for at most sources->admin_timeout_ms. */
void gate_nvme_read(const char *disk, const struct gate_sources *sources, struct gate_facts *facts);

/* The Reservation Status data structure (NVM Express Base Specification 2.0, 7.8, Reservation Report
 * command): does the reservation keep the controller with this id from writing? extended: 64-byte
 * entries. -EINVAL: too short, or it contradicts itself. */
int gate_nvme_decode_reservations(const uint8_t *bytes, size_t length, bool extended,
	const int *controller_ids, size_t id_count, struct gate_nvme *out);

#endif
