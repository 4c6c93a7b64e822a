/* Cells of a row of the home screen: figures and states of drives and devices. */
#include "screens/drives_cells.h"

#include <math.h>

#include "base/str.h"
#include "screens/format.h"

const struct table_column drives_columns[] = {
	[DRIVES_COLUMN_DEVICE] = {"DEVICE", 14, 20, TABLE_LEFT, 0, true},
	[DRIVES_COLUMN_MODEL] = {"MODEL", 9, 30, TABLE_LEFT, 3, true},
	[DRIVES_COLUMN_SIZE] = {"SIZE", 7, 7, TABLE_RIGHT, 1, true},
	[DRIVES_COLUMN_USED] = {"USED", 4, 4, TABLE_RIGHT, 4, true},
	[DRIVES_COLUMN_HEALTH] = {"HEALTH", 6, 6, TABLE_LEFT, 0, true},
	[DRIVES_COLUMN_TEMPERATURE] = {"TEMP", 4, 5, TABLE_RIGHT, 1, true},
	[DRIVES_COLUMN_WEAR] = {"WEAR", 4, 4, TABLE_RIGHT, 2, true},
	[DRIVES_COLUMN_LINK] = {"LINK", 6, 7, TABLE_LEFT, 2, true},
	[DRIVES_COLUMN_READ] = {"READ/s", 7, 7, TABLE_RIGHT, 2, true},
	[DRIVES_COLUMN_WRITE] = {"WRITE/s", 7, 7, TABLE_RIGHT, 2, true},
	[DRIVES_COLUMN_TREND] = {"TREND", 10, 24, TABLE_LEFT, 5, false},
	[DRIVES_COLUMN_READ_IOPS] = {"R IOPS", 6, 6, TABLE_RIGHT, 6, true},
	[DRIVES_COLUMN_WRITE_IOPS] = {"W IOPS", 6, 6, TABLE_RIGHT, 6, true},
	[DRIVES_COLUMN_READ_LATENCY] = {"R LAT", 8, 8, TABLE_RIGHT, 7, true},
	[DRIVES_COLUMN_WRITE_LATENCY] = {"W LAT", 8, 8, TABLE_RIGHT, 7, true},
	[DRIVES_COLUMN_BUSY] = {"BUSY", 5, 5, TABLE_RIGHT, 8, true},
	[DRIVES_COLUMN_FIRMWARE] = {"FIRMWARE", 8, 8, TABLE_LEFT, 9, true},
	[DRIVES_COLUMN_SERIAL] = {"SERIAL", 12, 20, TABLE_LEFT, 10, true},
};
const size_t drives_column_count = sizeof(drives_columns) / sizeof(drives_columns[0]);

/* From this width on the graphs have a column of their own. */
#define WIDE 100

void drives_cell_unknown(struct table_row *row, size_t column)
{
	table_cell(row, column, ROLE_DIM, "-");
	table_sort_value(row, column, -1);
}

void drives_cell_text(struct table_row *row, size_t column, enum role role, const char *text)
{
	if (!text[0])
		drives_cell_unknown(row, column);
	else
		table_cell(row, column, role, "%s", text);
}

void drives_cell_bytes(struct table_row *row, size_t column, double bytes)
{
	char text[24];

	table_cell(row, column, ROLE_VALUE, "%s", format_bytes(text, sizeof(text), bytes));
	table_sort_value(row, column, bytes);
}

void drives_cell_rates(struct drives *drives, struct table_row *row, const char *name,
	const struct iostat_rates *rates)
{
	char text[160];

	if (!rates->known) {
		drives_cell_unknown(row, DRIVES_COLUMN_READ);
		drives_cell_unknown(row, DRIVES_COLUMN_WRITE);
		return;
	}
	drives_cell_bytes(row, DRIVES_COLUMN_READ, rates->read_bytes_s);
	drives_cell_bytes(row, DRIVES_COLUMN_WRITE, rates->write_bytes_s);
	rates_text(&drives->rates, name, drives->width >= WIDE ? 16 : 6, text, sizeof(text));
	table_cell(row, drives->width >= WIDE ? DRIVES_COLUMN_TREND : DRIVES_COLUMN_LINK,
		ROLE_GRAPH_READ, "%s", text);
	table_cell(row, DRIVES_COLUMN_READ_IOPS, ROLE_VALUE, "%s",
		format_si(text, sizeof(text), rates->read_iops));
	table_sort_value(row, DRIVES_COLUMN_READ_IOPS, rates->read_iops);
	table_cell(row, DRIVES_COLUMN_WRITE_IOPS, ROLE_VALUE, "%s",
		format_si(text, sizeof(text), rates->write_iops));
	table_sort_value(row, DRIVES_COLUMN_WRITE_IOPS, rates->write_iops);
	table_cell(row, DRIVES_COLUMN_READ_LATENCY, ROLE_VALUE, "%s",
		format_ms(text, sizeof(text), rates->read_latency_ms));
	table_sort_value(row, DRIVES_COLUMN_READ_LATENCY, rates->read_latency_ms);
	table_cell(row, DRIVES_COLUMN_WRITE_LATENCY, ROLE_VALUE, "%s",
		format_ms(text, sizeof(text), rates->write_latency_ms));
	table_sort_value(row, DRIVES_COLUMN_WRITE_LATENCY, rates->write_latency_ms);
	table_cell(row, DRIVES_COLUMN_BUSY, ROLE_VALUE, "%s",
		format_percent(text, sizeof(text), rates->busy_pct));
	table_sort_value(row, DRIVES_COLUMN_BUSY, rates->busy_pct);
}

void drives_cell_health(struct table_row *row, enum health_verdict verdict)
{
	table_cell(row, DRIVES_COLUMN_HEALTH, format_verdict_role(verdict), "%s",
		health_word(verdict));
	/* sorted by how much it matters */
	table_sort_value(row, DRIVES_COLUMN_HEALTH, verdict == HEALTH_UNKNOWN ? -1 : (int)verdict);
}

void drives_cell_smart(
	struct drives *drives, struct table_row *row, const struct inventory_controller *controller)
{
	const bool known = controller->smart_info.read_at != 0;
	const enum role role = format_page_old(&controller->smart_info) ? ROLE_DIM : ROLE_VALUE;
	const struct smart *smart = &controller->smart;
	char text[24];

	if (known && smart->temperature_c.reported) {
		table_cell(row, DRIVES_COLUMN_TEMPERATURE, role, "%s",
			format_temperature_short(text, sizeof(text),
				(double)smart->temperature_c.value, drives->screen.desk->settings));
		table_sort_value(
			row, DRIVES_COLUMN_TEMPERATURE, (double)smart->temperature_c.value);
	} else if (controller->env.sensor_count && controller->env.sensors[0].value_mc.reported) {
		/* hwmon gives the composite temperature without root */
		const double celsius = (double)controller->env.sensors[0].value_mc.value / 1000;

		table_cell(row, DRIVES_COLUMN_TEMPERATURE, ROLE_VALUE, "%s",
			format_temperature_short(
				text, sizeof(text), celsius, drives->screen.desk->settings));
		table_sort_value(row, DRIVES_COLUMN_TEMPERATURE, celsius);
	} else {
		drives_cell_unknown(row, DRIVES_COLUMN_TEMPERATURE);
	}
	if (known && smart->percentage_used.reported) {
		table_cell(row, DRIVES_COLUMN_WEAR, role, "%s",
			format_wear(text, sizeof(text), &smart->percentage_used));
		table_sort_value(row, DRIVES_COLUMN_WEAR, (double)smart->percentage_used.value);
	} else {
		drives_cell_unknown(row, DRIVES_COLUMN_WEAR);
	}
}

void drives_cell_model(struct table_row *row, const char *model, bool simulated)
{
	if (simulated)
		/* the top line says it in full; here the model must stay legible */
		table_cell(row, DRIVES_COLUMN_MODEL, ROLE_SIMULATED, "%s%s",
			str_starts_with(model, "SIM") ? "" : "SIM ", model);
	else
		drives_cell_text(row, DRIVES_COLUMN_MODEL, ROLE_TEXT, model);
}
