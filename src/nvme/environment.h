/* What surrounds a controller: hwmon temperatures, PCIe link now and at most, NUMA. From sysfs
 * alone; absent facts stay "not reported". Any thread. */
#ifndef NVME_ENVIRONMENT_H
#define NVME_ENVIRONMENT_H

#include "nvme/page.h"

#define ENVIRONMENT_SENSORS 9

struct environment {
	struct {
		char label[32];
		struct field_int value_mc, max_mc, min_mc, critical_mc; /* milli-degrees Celsius;
			limits that mean "none" (CASES S3) are not reported */
	} sensors[ENVIRONMENT_SENSORS];
	size_t sensor_count;
	double link_gts, link_max_gts;  /* 8.0, 16.0 GT/s; 0 not reported */
	int link_width, link_max_width; /* lanes; 0 not reported */
	double slot_max_gts;            /* the port above: what the slot can; 0 not reported */
	int slot_max_width;
	int numa_node;       /* -1 */
	char power_state[8]; /* PCI "D0" */
};

void environment_read(const char *sysfs_root, const char *controller, struct environment *out);
/* "4.0 x4" from GT/s and lanes; "-" when not reported. */
void environment_link_text(double gts, int width, char *buf, size_t size);
/* What a link carries at most after encoding and packet overhead, bytes/s (METHODS quick check);
 * 0 not known. */
double environment_link_bytes(double gts, int width);
/* True when the link runs below what drive and slot both can. */
bool environment_link_narrowed(const struct environment *env);

#endif
