/* The home screen's inner parts: its rows (drives_rows.c) and the pane below (drives_pane.c).
 * UI thread. */
#ifndef SCREENS_DRIVES_H
#define SCREENS_DRIVES_H

#include "screens/rates.h"
#include "screens/screen.h"
#include "tui/table.h"

/* What a row stands for; the identity in the table is "KIND:NAME". */
enum drives_kind {
	DRIVES_NONE,
	DRIVES_CONTROLLER = 'c',
	DRIVES_SUBSYSTEM = 's',
	DRIVES_NAMESPACE = 'n',
	DRIVES_PATH = 'p',
	DRIVES_OTHER = 'b'
};

struct drives {
	struct screen screen;
	struct table *table;
	struct rates rates;
	char (*folded)[64]; /* identities of the rows that are closed */
	size_t folded_count;
	uint64_t generation;
	int64_t minute;
	int width; /* of the last draw: decides where the small graphs stand */
};

extern const struct table_column drives_columns[];
extern const size_t drives_column_count;

/* From the snapshot of the desk into the table. */
void drives_fill(struct drives *drives);
bool drives_folded(const struct drives *drives, const char *identity);

/* The selected row: its kind, *name (borrowed from the table) and what stands behind it (NULL
 * where there is nothing). */
struct drives_selection {
	enum drives_kind kind;
	const char *identity, *name;
	const struct inventory_controller *controller; /* its own, or that it leads to */
	const struct inventory_namespace *ns;
	const struct topology_path *path;
	const struct inventory_block_device *disk;
};
struct drives_selection drives_selected(const struct drives *drives);
/* Why no test of the selected row is possible; "" when it is. target gets its name. */
void drives_target(const struct drives *drives, const struct drives_selection *selection,
	char *target, size_t target_size, char *why, size_t why_size);

/* The explanation of the selected row. */
const char *drives_explain_key(const struct drives_selection *selection);
/* "0000:01:00.0", or the address behind traddr=. */
void drives_address(const struct inventory_controller *controller, char *buf, size_t size);

/* The selected row in words: health with reasons, or what a path is. */
void drives_pane_draw(struct drives *drives, struct canvas *canvas, struct rect area);

#endif
