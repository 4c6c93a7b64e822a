/* From what a user typed to a controller or namespace of a snapshot. Pure; any thread. */
#ifndef REPORT_DRIVE_FIND_H
#define REPORT_DRIVE_FIND_H

#include "nvme/inventory.h"

/* name: "nvme0", "nvme0n1", "ng0n1", a path node "nvme0c1n1", each also behind "/dev/"; or a
 * serial. *controller is the one meant, or the namespace's (of a head: its first path's); *ns is
 * NULL when a controller was named. -ENODEV with ERR_EXIT_USAGE and the nearest known name. */
int drive_find(const struct inventory *inventory, const char *name,
	const struct inventory_controller **controller, const struct inventory_namespace **ns,
	struct err *err);

/* The controller of a namespace; of a head that of its first path that is known; or NULL. */
const struct inventory_controller *drive_of_namespace(
	const struct inventory *inventory, const struct inventory_namespace *ns);

/* Why there is no content of a page, for people: "" when it was read. With content kept from
 * before, says why the last read failed. */
void drive_page_problem(const struct page_info *info, char *buf, size_t size);

/* Names of the parts of `show --page`, NULL at the end; and the test for one: all are wanted when
 * page is NULL. */
extern const char *const drive_pages[];
bool drive_page_wanted(const char *page, const char *part);
/* 0, or -EINVAL with ERR_EXIT_USAGE for a page that there is not. page NULL is fine. */
int drive_page_check(const char *page, struct err *err);

#endif
