/* Numbers to text and back, always in C form (no locale). Any thread.
 *
 * All text functions write at most size bytes, terminated, and return dst.
 */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

typedef unsigned __int128 u128;

/* Exact decimal digits, at most 39. */
char *units_u128_decimal(char *dst, size_t size, u128 value);
/* The same with thousands grouped by ',': "31,204". */
char *units_grouped(char *dst, size_t size, u128 value);
/* "7.68 TB", "13.61 PB", "500.8 GB", "512 B": SI; two decimals below 100, one from there on. */
char *units_bytes_si(char *dst, size_t size, u128 bytes);
/* "466.4 GiB", "1.80 GiB": binary, the same places. */
char *units_bytes_iec(char *dst, size_t size, u128 bytes);
/* Block size the way people say it: "512 B", "4 KiB", "64 KiB", "520 B". */
char *units_block_size(char *dst, size_t size, uint64_t bytes);
/* Rates and counts with SI prefix, no unit, three significant digits: "1.21 G", "310 k", "0", "5",
 * "2.50"; NaN and infinite: "-". */
char *units_si(char *dst, size_t size, double value);
/* A latency in the unit that suits: "84 µs", "8.4 µs", "1.24 ms", "2.10 s", "820 ns"; negative or
 * NaN: "-".
 * ascii replaces "µs" with "us". */
char *units_latency(char *dst, size_t size, double ns, bool ascii);
/* "2:41", "1:02:41", "3 d 04:10" from seconds. */
char *units_clock(char *dst, size_t size, double seconds);
/* UTC, ISO 8601 "2026-11-30T14:09:02Z". */
char *units_iso_time(char *dst, size_t size, int64_t unix_seconds);
/* The fewest digits that read back as the same number: "0.1", "1e+22". value is finite. */
char *units_double(char *dst, size_t size, double value);

/* Parsers: the whole text must be used up; on failure -EINVAL and a sentence that quotes the text
 * and gives an example of what is valid. ERR_EXIT_USAGE. They never depend on the locale. */
int units_parse_u64(const char *text, uint64_t *out, struct err *err);
int units_parse_i64(const char *text, int64_t *out, struct err *err);
int units_parse_u128(const char *text, u128 *out, struct err *err);
int units_parse_double(const char *text, double *out, struct err *err);
/* "4096", "4k", "4KiB", "1G", "1.5T" - all binary multiples (as fio and dd do); "4kB", "1GB",
 * "7.68TB" decimal. A fraction of a byte is cut off. */
int units_parse_size(const char *text, uint64_t *bytes, struct err *err);
/* "yes/no/on/off/true/false/1/0" */
int units_parse_bool(const char *text, bool *out, struct err *err);

#endif
