/* Short texts of a drive's figures, as tables and screens show them; "-" for what is not known.
 * Never depends on the locale. Pure; any thread. All return dst. */
#ifndef REPORT_TEXT_CELLS_H
#define REPORT_TEXT_CELLS_H

#include "nvme/inventory.h"

/* "71 °C"; ascii: "71 C". */
char *text_cell_celsius(char *dst, size_t size, const struct field_int *celsius, bool ascii);
/* "98 %" */
char *text_cell_percent(char *dst, size_t size, const struct field_int *percent);
/* "31,204" */
char *text_cell_counter(char *dst, size_t size, const struct field_u128 *counter);
/* Data units as bytes: "13.6 PB" */
char *text_cell_units(char *dst, size_t size, const struct field_u128 *units);
/* "7.68 TB" */
char *text_cell_bytes(char *dst, size_t size, bool known, u128 bytes);
/* Share of the media that the drive says is in use: "25 %", "<1 %"; "-" for a size of 0. */
char *text_cell_used(char *dst, size_t size, const struct inventory_namespace *ns);
/* "512 B", "4 KiB + 8 B", "4 KiB + 16 B ext" (metadata inside the block). */
char *text_cell_format(char *dst, size_t size, const struct inventory_namespace *ns);
/* "4.0 x4"; "3.0 x2!" when narrowed; the transport's name for fabrics. */
char *text_cell_link(char *dst, size_t size, const struct inventory_controller *controller);
/* "12.5 W"; "-" for NaN. */
char *text_cell_watts(char *dst, size_t size, double watts);

#endif
