/* Short texts of a run's figures, as tables show them; "-" for what is not known. Never depends on the
 * locale. Pure; any thread. All return dst. */
#ifndef REPORT_RUN_CELLS_H
#define REPORT_RUN_CELLS_H

#include <stdbool.h>
#include <stddef.h>

/* "84 µs"; ">=3600 s" for what the histogram could not hold. */
char *run_cell_latency(char *dst, size_t size, double ns, bool ascii);
/* "235,190"; below 100 with a decimal. */
char *run_cell_rate(char *dst, size_t size, double rate);
/* "12.5" */
char *run_cell_decimal(char *dst, size_t size, double value);
/* A difference: "+12.4 %", "-3.0 %", "0 %"; "" for NaN. */
char *run_cell_percent(char *dst, size_t size, double percent);

#endif
