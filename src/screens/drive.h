/* One drive: a frame with tabs; what a tab is, and the tabs (drive_overview.c, drive_smart.c,
 * drive_namespaces.c). UI thread. */
#ifndef SCREENS_DRIVE_H
#define SCREENS_DRIVE_H

#include "screens/facts_pair.h"
#include "screens/screen.h"
#include "tui/table.h"

struct drive {
	struct screen screen;
	char controller[32];
	size_t tab;
	uint64_t generation;
	int64_t minute;
	int width; /* of the last draw */
	struct facts_pair overview, smart;
	struct table *namespaces;
	struct {
		int x, end;
	} tab_places[8];
	int tab_y;
};

struct drive_tab {
	const char *title;
	/* From the controller's snapshot into the tab's widgets; width: columns of the area. */
	void (*fill)(struct drive *drive, const struct inventory_controller *controller, int width);
	void (*draw)(struct drive *drive, const struct inventory_controller *controller,
		struct canvas *canvas, struct rect area);
	bool (*action)(struct drive *drive, enum action action);
	bool (*key)(struct drive *drive, const struct key *key);
	void (*explain)(struct drive *drive, char *buf, size_t size);
};
extern const struct drive_tab drive_overview, drive_smart, drive_namespaces;

const struct inventory_controller *drive_controller(const struct drive *drive);
/* The namespace that a test would be of: that under the cursor, else the first; NULL none. */
const struct inventory_namespace *drive_namespace(const struct drive *drive);
/* Set up by drive.c. */
struct table *drive_namespaces_table(void);

#endif
