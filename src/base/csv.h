/* Comma separated values, both ways (RFC 4180). Bytes are not trusted. Any thread. */
#ifndef BASE_CSV_H
#define BASE_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

#define CSV_FIELDS_MAX 64

/* A reader over a text that must outlive it. Empty lines and lines that begin with # are skipped, a
 * byte order mark too. Zero-initialise but for origin, text and length. */
struct csv_reader {
	const char *origin; /* for sentences: "drives.csv" */
	const char *text;
	size_t length;
	size_t at, line; /* line: of the record last read, from 1 */
	size_t next_line;
	const char *fields[CSV_FIELDS_MAX]; /* of the record last read; valid until the next */
	size_t field_count;
	char *record; /* their bytes; owned */
};

/* Reads one record. 1: there is one; 0: the end; -EINVAL with origin and line: a quote that does not
 * end, something behind a closing quote, a NUL, bytes that are no UTF-8, too many fields. */
int csv_read(struct csv_reader *reader, struct err *err);
void csv_free(struct csv_reader *reader);
/* Index of a field of this text in the record last read; -1 without one. */
int csv_find(const struct csv_reader *reader, const char *field);

/* Appends one field, quoted when it must be, with a comma in front unless it is the first of its
 * record. */
void csv_add(struct strbuf *out, bool first, const char *field);
void csv_add_double(struct strbuf *out, bool first, double value); /* NaN, infinite: empty */
void csv_end_record(struct strbuf *out); /* a newline alone: what every reader takes */

#endif
