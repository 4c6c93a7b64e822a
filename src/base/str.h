/* Bounded strings, any byte made safe to show, display width. No global state; any thread. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies with truncation; always terminated when size > 0. Returns the length of src. */
size_t str_copy(char *dst, size_t size, const char *src);
/* snprintf that returns the number of bytes actually written (never >= size). */
size_t str_format(char *dst, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Appends to the terminated text already in dst. Returns the new length. */
size_t str_append(char *dst, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Strips leading and trailing white space in place; returns text. */
char *str_trim(char *text);
bool str_starts_with(const char *text, const char *prefix);
bool str_ends_with(const char *text, const char *suffix);
/* Case-insensitive (ASCII) search; NULL when absent. */
const char *str_find_nocase(const char *haystack, const char *needle);

/* Bytes from a drive or a file to printable ASCII: every byte outside 0x20-0x7e becomes '?',
 * trailing spaces and NULs are dropped. src need not be terminated. dst may be "" afterwards. */
void str_sanitize(char *dst, size_t size, const void *src, size_t length);
/* As above but keeps well-formed printable UTF-8 (file names, hostnames). */
void str_sanitize_utf8(char *dst, size_t size, const char *src);

/* False for controls and for what would move, hide or reorder text on a screen. */
bool str_is_showable(uint32_t code_point);

/* Decodes one UTF-8 sequence. *text moves on by at least one byte; a malformed byte gives '?'.
 * Returns 0 at the end of the text. */
uint32_t str_utf8_next(const char **text);
/* Encodes one code point; out has at least 5 bytes; returns the length without NUL. */
size_t str_utf8_put(char *out, uint32_t code_point);
/* Columns a code point takes in a terminal: 0, 1 or 2. Independent of the locale. */
int str_code_point_width(uint32_t code_point);
/* Columns the UTF-8 text takes. */
int str_width(const char *text);

/* The candidate nearest to word (edit distance at most 1/3 of its length, at least 1), or NULL.
 * Candidates may be NULL-terminated early. */
const char *str_nearest(const char *word, const char *const *candidates, size_t count);

/* Natural order: "nvme2n1" before "nvme10n1". strcmp-like. */
int str_compare_natural(const char *a, const char *b);

/* A growing text. Zero-initialise; free with strbuf_free. text is never NULL after an append. */
struct strbuf {
	char *text;
	size_t length;
	size_t capacity;
};
void strbuf_add(struct strbuf *buf, const char *text);
void strbuf_add_bytes(struct strbuf *buf, const void *bytes, size_t length);
void strbuf_addf(struct strbuf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Text for manual pages: no control line, no escape by accident, hyphens that can be copied. */
void strbuf_add_roff(struct strbuf *buf, const char *text);
void strbuf_free(struct strbuf *buf);

#endif
