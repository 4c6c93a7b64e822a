/* Reading and writing comma separated values. */
#include "base/csv.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

static int fault(const struct csv_reader *r, const char *what, struct err *err)
{
	return err_set(err, -EINVAL, "%s:%zu: %s", r->origin, r->line, what);
}

static bool at_line_end(const struct csv_reader *r)
{
	return r->at >= r->length || r->text[r->at] == '\n' ||
		(r->text[r->at] == '\r' && (r->at + 1 >= r->length || r->text[r->at + 1] == '\n'));
}

static void skip_line_end(struct csv_reader *r)
{
	if (r->at < r->length && r->text[r->at] == '\r')
		r->at++;
	if (r->at < r->length && r->text[r->at] == '\n')
		r->at++;
	r->next_line++;
}

static void skip_remarks(struct csv_reader *r)
{
	while (r->at < r->length) {
		if (r->text[r->at] == '#') {
			const char *end = memchr(r->text + r->at, '\n', r->length - r->at);

			r->at = end ? (size_t)(end - r->text) : r->length;
		}
		if (!at_line_end(r))
			return;
		skip_line_end(r);
	}
}

/* The field at the reader's place goes to *to; leaves the reader behind it. */
static int read_field(struct csv_reader *r, char **to, struct err *err)
{
	const bool quoted = r->at < r->length && r->text[r->at] == '"';

	if (!quoted) {
		while (!at_line_end(r) && r->text[r->at] != ',')
			*(*to)++ = r->text[r->at++];
		*(*to)++ = '\0';
		return 0;
	}
	for (r->at++;; r->at++) {
		if (r->at >= r->length)
			return fault(r, "a quoted field does not end", err);
		if (r->text[r->at] == '"') {
			if (r->at + 1 >= r->length || r->text[r->at + 1] != '"')
				break;
			r->at++;
		}
		if (r->text[r->at] == '\n')
			r->next_line++;
		*(*to)++ = r->text[r->at];
	}
	r->at++;
	*(*to)++ = '\0';
	if (!at_line_end(r) && r->text[r->at] != ',')
		return fault(r, "something stands between a closing quote and the comma", err);
	return 0;
}

/* Well-formed UTF-8 without controls: what is shown must be what is in the file. */
static bool field_is_clean(const char *field)
{
	while (*field) {
		const char *from = field;
		const uint32_t code = str_utf8_next(&field);

		if ((code == '?' && *from != '?') ||
			(!str_is_showable(code) && !strchr("\t\r\n", *from)))
			return false;
	}
	return true;
}

int csv_read(struct csv_reader *r, struct err *err)
{
	size_t starts[CSV_FIELDS_MAX];
	int rc = 0;

	r->field_count = 0;
	if (!r->record) {
		if (memchr(r->text, '\0', r->length))
			return err_set(
				err, -EINVAL, "%s: holds a NUL byte: not a CSV file", r->origin);
		r->record = mem_alloc(r->length + 2);
		r->next_line = 1;
		if (r->length >= 3 && !memcmp(r->text, "\xef\xbb\xbf", 3))
			r->at = 3;
	}
	skip_remarks(r);
	r->line = r->next_line;
	if (r->at >= r->length)
		return 0;
	char *to = r->record;

	while (!rc) {
		if (r->field_count == CSV_FIELDS_MAX)
			return fault(r, "more than 64 fields", err);
		starts[r->field_count++] = (size_t)(to - r->record);
		rc = read_field(r, &to, err);
		if (rc || at_line_end(r))
			break;
		r->at++; /* the comma */
	}
	if (rc)
		return rc;
	skip_line_end(r);
	for (size_t i = 0; i < r->field_count; i++) {
		r->fields[i] = r->record + starts[i];
		if (!field_is_clean(r->fields[i]))
			return fault(r, "holds bytes that are no printable UTF-8", err);
	}
	return 1;
}

void csv_free(struct csv_reader *r)
{
	free(r->record);
	r->record = NULL;
}

int csv_find(const struct csv_reader *r, const char *field)
{
	for (size_t i = 0; i < r->field_count; i++)
		if (!strcmp(r->fields[i], field))
			return (int)i;
	return -1;
}

void csv_add(struct strbuf *out, bool first, const char *field)
{
	if (!first)
		strbuf_add(out, ",");
	if (!strpbrk(field, ",\"\r\n") && *field != ' ' && *field != '#' &&
		!(*field && field[strlen(field) - 1] == ' ')) {
		strbuf_add(out, field);
		return;
	}
	strbuf_add(out, "\"");
	for (; *field; field++) {
		if (*field == '"')
			strbuf_add(out, "\"");
		strbuf_add_bytes(out, field, 1);
	}
	strbuf_add(out, "\"");
}

void csv_add_double(struct strbuf *out, bool first, double value)
{
	char text[40] = "";

	if (isfinite(value))
		units_double(text, sizeof(text), value);
	csv_add(out, first, text);
}

void csv_end_record(struct strbuf *out)
{
	strbuf_add(out, "\n");
}
