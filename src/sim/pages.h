/* The raw pages that a simulated drive answers with, byte by byte as the specification lays them
 * out; the decoders of nvme/ read them like those of any drive. Any thread. */
#ifndef SIM_PAGES_H
#define SIM_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/drive.h"

#define SIM_PAGE_BYTES 4096
#define SIM_SMART_BYTES 512

/* Identifiers, for pages and topology alike. */
void sim_pages_nqn(const struct sim_drive *drive, char *buf, size_t size);
void sim_pages_nguid(const struct sim_namespace *ns, uint8_t nguid[16]);
void sim_pages_eui64(const struct sim_namespace *ns, uint8_t eui64[8]);

/* bytes: SIM_PAGE_BYTES, SIM_SMART_BYTES; wholly written. */
void sim_pages_controller(const struct sim_drive *drive, uint8_t *bytes);
void sim_pages_namespace(const struct sim_namespace *ns, uint8_t *bytes);
/* Namespaces above `after`. */
void sim_pages_list(const struct sim_drive *drive, uint32_t after, uint8_t *bytes);
void sim_pages_descriptors(const struct sim_namespace *ns, uint8_t *bytes);
void sim_pages_smart(struct sim_drive *drive, uint8_t *bytes);

#endif
