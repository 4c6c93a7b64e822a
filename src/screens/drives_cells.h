/* Cells of a row of the home screen, and its columns. UI thread. */
#ifndef SCREENS_DRIVES_CELLS_H
#define SCREENS_DRIVES_CELLS_H

#include "screens/drives.h"

enum drives_column {
	DRIVES_COLUMN_DEVICE,
	DRIVES_COLUMN_MODEL,
	DRIVES_COLUMN_SIZE,
	DRIVES_COLUMN_USED,
	DRIVES_COLUMN_HEALTH,
	DRIVES_COLUMN_TEMPERATURE,
	DRIVES_COLUMN_WEAR,
	DRIVES_COLUMN_LINK,
	DRIVES_COLUMN_READ,
	DRIVES_COLUMN_WRITE,
	DRIVES_COLUMN_TREND,
	DRIVES_COLUMN_READ_IOPS,
	DRIVES_COLUMN_WRITE_IOPS,
	DRIVES_COLUMN_READ_LATENCY,
	DRIVES_COLUMN_WRITE_LATENCY,
	DRIVES_COLUMN_BUSY,
	DRIVES_COLUMN_FIRMWARE,
	DRIVES_COLUMN_SERIAL,
};

/* Unknown is "-", dimmed; "" too. */
void drives_cell_unknown(struct table_row *row, size_t column);
void drives_cell_text(struct table_row *row, size_t column, enum role role, const char *text);
void drives_cell_bytes(struct table_row *row, size_t column, double bytes);
void drives_cell_rates(struct drives *drives, struct table_row *row, const char *name,
	const struct iostat_rates *rates);
void drives_cell_health(struct table_row *row, enum health_verdict verdict);
void drives_cell_smart(struct drives *drives, struct table_row *row,
	const struct inventory_controller *controller);
void drives_cell_model(struct table_row *row, const char *model, bool simulated);

#endif
