/* Figures and states as the screens show them: narrow, always with their unit, "-" when unknown.
 * Pure; UI thread. */
#ifndef SCREENS_FORMAT_H
#define SCREENS_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#include "conf/settings.h"
#include "nvme/health.h"
#include "nvme/inventory.h"
#include "result/run.h"
#include "tui/canvas.h"

/* All write at most size bytes, terminated, and return dst. Negative and NaN are "-". */
char *format_bytes(char *dst, size_t size, double bytes); /* "7.68 TB", "501 GB": 7 columns */
char *format_mib(char *dst, size_t size, double mib_s);   /* "1.80 GiB/s", "310 MiB/s" */
char *format_count(char *dst, size_t size, double value); /* "235,190", "12.5" below 100 */
char *format_si(char *dst, size_t size, double value);    /* "235 k": no blank inside: "235k" */
char *format_latency(char *dst, size_t size, double ns);  /* "84 µs", "1.24 ms" */
char *format_ms(char *dst, size_t size, double ms);       /* a latency given in ms */
char *format_percent(char *dst, size_t size, double percent);
/* celsius in the unit of the settings (may be NULL): "71 °C", "160 °F". */
char *format_temperature(char *dst, size_t size, double celsius, const struct settings *settings);
/* "71°C" for a column of 4. */
char *format_temperature_short(
	char *dst, size_t size, double celsius, const struct settings *settings);
/* Wear for a column of 4: "98%", "255+". */
char *format_wear(char *dst, size_t size, const struct field_int *used);
/* "4.0x4", narrowed: "3.0x2!"; another transport: its name; "-". */
char *format_link(char *dst, size_t size, const struct inventory_controller *controller);
/* "512 B", "4 KiB + 8". */
char *format_lba(char *dst, size_t size, uint32_t lba_bytes, uint32_t metadata_bytes);
/* The last width of count values as "▁▂▃▅▇", 0..max; NaN is a blank. */
char *format_sparkline(
	char *dst, size_t size, const double *values, size_t count, int width, double max);
/* A file's name with "~" for the home folder. */
char *format_path(char *dst, size_t size, const char *path);
/* "about 6 min", "9 s"; NaN: "as long as the drive needs". */
char *format_duration(char *dst, size_t size, double seconds);

enum role format_verdict_role(enum health_verdict verdict);
enum role format_outcome_role(enum run_outcome outcome);
const char *format_outcome(enum run_outcome outcome); /* "complete", "STOPPED", "ABORTED" */
/* What a page's state means for the reader, "" when it is fresh and good. With content kept from
 * before it says so and of what time it is. */
void format_page(const struct page_info *info, char *buf, size_t size);
/* The content shown is not of the last answer: drawn dimmed. */
bool format_page_old(const struct page_info *info);

/* For axes of charts. */
void format_axis_latency(double ns, char *buf, size_t size);
void format_axis_iops(double iops, char *buf, size_t size);

#endif
