/* JSON documents of drives: nvsweep-list/1, nvsweep-show/1, nvsweep-health/1 (DESIGN 8).
 *
 * What a drive does not report is null, what could not be read is {"error": why}. 128-bit fields
 * are decimal strings. Text from drives is sanitised once more. Pure; any thread. The caller frees
 * with json_free. */
#ifndef REPORT_DRIVE_JSON_H
#define REPORT_DRIVE_JSON_H

#include "base/json.h"
#include "nvme/inventory.h"

/* controllers[], namespaces[], block_devices[]. */
struct json *drive_json_list(const struct inventory *inventory);

/* One controller with identify, smart, environment and its namespaces, or only that one that name
 * says (as drive_find). page: one of drive_pages, or NULL for all. */
int drive_json_show(const struct inventory *inventory, const char *name, const char *page,
	struct json **out, struct err *err);

/* drives[] {name, verdict, reasons[]} of the drives named, or of all (count 0). *worst (may be
 * NULL) is the verdict over all of them: the exit code; HEALTH_UNKNOWN without any drive. */
int drive_json_health(const struct inventory *inventory, const char *const *names, size_t count,
	struct json **out, enum health_verdict *worst, struct err *err);

#endif
