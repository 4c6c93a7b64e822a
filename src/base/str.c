/* Bounded strings, growing strings, and outside bytes made safe to show. */
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* ASCII only and independent of the locale, unlike ctype.h. */
static bool str_is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool str_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char str_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

size_t str_copy(char *dst, size_t size, const char *src)
{
	size_t length = strlen(src);

	if (size > 0) {
		size_t n = length < size ? length : size - 1;

		memmove(dst, src, n);
		dst[n] = '\0';
	}
	return length;
}

__attribute__((format(printf, 3, 0))) static size_t str_vformat(
	char *dst, size_t size, const char *format, va_list args)
{
	int n;

	if (size == 0)
		return 0;
	n = vsnprintf(dst, size, format, args);
	if (n < 0) {
		dst[0] = '\0';
		return 0;
	}
	return (size_t)n < size ? (size_t)n : size - 1;
}

size_t str_format(char *dst, size_t size, const char *format, ...)
{
	va_list args;
	size_t n;

	va_start(args, format);
	n = str_vformat(dst, size, format, args);
	va_end(args);
	return n;
}

size_t str_append(char *dst, size_t size, const char *format, ...)
{
	size_t have = strnlen(dst, size), n;
	va_list args;

	if (have >= size)
		return have;
	va_start(args, format);
	n = str_vformat(dst + have, size - have, format, args);
	va_end(args);
	return have + n;
}

char *str_trim(char *text)
{
	size_t start = 0, length = strlen(text);

	while (length > 0 && str_is_space(text[length - 1]))
		length--;
	while (start < length && str_is_space(text[start]))
		start++;
	memmove(text, text + start, length - start);
	text[length - start] = '\0';
	return text;
}

bool str_starts_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool str_ends_with(const char *text, const char *suffix)
{
	size_t length = strlen(text), n = strlen(suffix);

	return n <= length && memcmp(text + length - n, suffix, n) == 0;
}

const char *str_find_nocase(const char *haystack, const char *needle)
{
	for (;; haystack++) {
		size_t i = 0;

		while (needle[i] && str_lower(haystack[i]) == str_lower(needle[i]))
			i++;
		if (!needle[i])
			return haystack;
		if (!*haystack)
			return NULL;
	}
}

void str_sanitize(char *dst, size_t size, const void *src, size_t length)
{
	const unsigned char *bytes = src;
	size_t n = 0;

	if (size == 0)
		return;
	while (length > 0 && (bytes[length - 1] == ' ' || bytes[length - 1] == 0))
		length--;
	for (; n < length && n < size - 1; n++)
		dst[n] = bytes[n] >= 0x20 && bytes[n] <= 0x7e ? (char)bytes[n] : '?';
	/* a cut may have left spaces at the end */
	while (n > 0 && dst[n - 1] == ' ')
		n--;
	dst[n] = '\0';
}

/* Controls, and what would move, hide or reorder text on a screen: zero-width and bidirectional
 * marks, line separators, tags, private use, noncharacters. */
bool str_is_showable(uint32_t c)
{
	if (c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0xad || c == 0x61c)
		return false;
	if ((c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
		(c >= 0x2060 && c <= 0x206f))
		return false;
	if ((c >= 0xe000 && c <= 0xf8ff) || (c >= 0xfdd0 && c <= 0xfdef) || c == 0xfeff ||
		(c >= 0xfff0 && c <= 0xfffb))
		return false;
	return c < 0xe0000 && (c & 0xfffe) != 0xfffe;
}

void str_sanitize_utf8(char *dst, size_t size, const char *src)
{
	size_t n = 0;
	uint32_t c;

	if (size == 0)
		return;
	while ((c = str_utf8_next(&src)) != 0) {
		char put[5];
		size_t k = str_utf8_put(put, str_is_showable(c) ? c : '?');

		if (n + k >= size)
			break;
		memcpy(dst + n, put, k);
		n += k;
	}
	while (n > 0 && dst[n - 1] == ' ')
		n--;
	dst[n] = '\0';
}

uint32_t str_utf8_next(const char **text)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *s = (const unsigned char *)*text;
	uint32_t c = s[0];
	int length;

	if (c == 0)
		return 0;
	*text += 1;
	if (c < 0x80)
		return c;
	if (c >= 0xc2 && c <= 0xdf) {
		length = 2;
		c &= 0x1f;
	} else if (c >= 0xe0 && c <= 0xef) {
		length = 3;
		c &= 0x0f;
	} else if (c >= 0xf0 && c <= 0xf4) {
		length = 4;
		c &= 0x07;
	} else {
		return '?';
	}
	for (int i = 1; i < length; i++) {
		/* the terminating NUL is no continuation byte, so this stops in time */
		if ((s[i] & 0xc0) != 0x80)
			return '?';
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < smallest[length] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return '?';
	*text += length - 1;
	return c;
}

size_t str_utf8_put(char *out, uint32_t c)
{
	size_t n = 0;

	if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		c = '?';
	if (c < 0x80) {
		out[n++] = (char)c;
	} else if (c < 0x800) {
		out[n++] = (char)(0xc0 | c >> 6);
		out[n++] = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		out[n++] = (char)(0xe0 | c >> 12);
		out[n++] = (char)(0x80 | (c >> 6 & 0x3f));
		out[n++] = (char)(0x80 | (c & 0x3f));
	} else {
		out[n++] = (char)(0xf0 | c >> 18);
		out[n++] = (char)(0x80 | (c >> 12 & 0x3f));
		out[n++] = (char)(0x80 | (c >> 6 & 0x3f));
		out[n++] = (char)(0x80 | (c & 0x3f));
	}
	out[n] = '\0';
	return n;
}

#define STR_NEAREST_MAX 64

/* Edit distance in which swapping two neighbours counts as one step (a usual slip of fingers). */
static size_t str_distance(const char *a, size_t m, const char *b, size_t n)
{
	size_t rows[3][STR_NEAREST_MAX + 1];

	for (size_t j = 0; j <= n; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= m; i++) {
		size_t *now = rows[i % 3];
		const size_t *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];

		now[0] = i;
		for (size_t j = 1; j <= n; j++) {
			char x = str_lower(a[i - 1]), y = str_lower(b[j - 1]);
			size_t best = above[j - 1] + (x != y);

			if (above[j] + 1 < best)
				best = above[j] + 1;
			if (now[j - 1] + 1 < best)
				best = now[j - 1] + 1;
			if (i > 1 && j > 1 && x == str_lower(b[j - 2]) &&
				str_lower(a[i - 2]) == y && above2[j - 2] + 1 < best)
				best = above2[j - 2] + 1;
			now[j] = best;
		}
	}
	return rows[m % 3][n];
}

const char *str_nearest(const char *word, const char *const *candidates, size_t count)
{
	size_t length = strlen(word), limit = length / 3 > 0 ? length / 3 : 1;
	const char *nearest = NULL;

	if (length > STR_NEAREST_MAX)
		return NULL;
	for (size_t i = 0; i < count && candidates[i]; i++) {
		size_t n = strlen(candidates[i]), distance;

		if (n > STR_NEAREST_MAX)
			continue;
		distance = str_distance(word, length, candidates[i], n);
		/* replacing every letter is no likeness */
		if (distance > limit || (distance > 0 && distance >= length))
			continue;
		nearest = candidates[i];
		if (distance == 0)
			break;
		limit = distance - 1;
	}
	return nearest;
}

int str_compare_natural(const char *a, const char *b)
{
	const char *whole_a = a, *whole_b = b;

	while (*a && *b) {
		if (str_is_digit(*a) && str_is_digit(*b)) {
			size_t m = 0, n = 0;
			int order;

			while (*a == '0')
				a++;
			while (*b == '0')
				b++;
			while (str_is_digit(a[m]))
				m++;
			while (str_is_digit(b[n]))
				n++;
			if (m != n)
				return m < n ? -1 : 1;
			order = memcmp(a, b, m);
			if (order != 0)
				return order;
			a += m;
			b += n;
		} else {
			if (*a != *b)
				return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
			a++;
			b++;
		}
	}
	if (*a || *b)
		return *a ? 1 : -1;
	/* equal but for leading zeros: still a total order */
	return strcmp(whole_a, whole_b);
}

static void strbuf_reserve(struct strbuf *buf, size_t more)
{
	size_t need = buf->length + more + 1;

	if (need <= buf->capacity)
		return;
	buf->capacity = need < 64 ? 64 : need + need / 2;
	buf->text = mem_realloc(buf->text, buf->capacity);
}

void strbuf_add_bytes(struct strbuf *buf, const void *bytes, size_t length)
{
	strbuf_reserve(buf, length);
	if (length > 0)
		memcpy(buf->text + buf->length, bytes, length);
	buf->length += length;
	buf->text[buf->length] = '\0';
}

void strbuf_add(struct strbuf *buf, const char *text)
{
	strbuf_add_bytes(buf, text, strlen(text));
}

void strbuf_addf(struct strbuf *buf, const char *format, ...)
{
	va_list args, again;
	int n;

	va_start(args, format);
	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	strbuf_reserve(buf, n > 0 ? (size_t)n : 0);
	if (n > 0)
		vsnprintf(buf->text + buf->length, (size_t)n + 1, format, again);
	va_end(again);
	buf->length += n > 0 ? (size_t)n : 0;
	buf->text[buf->length] = '\0';
}

void strbuf_add_roff(struct strbuf *buf, const char *text)
{
	if (*text == '.' || *text == '\'')
		strbuf_add(buf, "\\&");
	for (; *text; text++) {
		if (*text == '\\')
			strbuf_add(buf, "\\e");
		else if (*text == '-')
			strbuf_add(buf, "\\-");
		else
			strbuf_add_bytes(buf, text, 1);
	}
}

void strbuf_free(struct strbuf *buf)
{
	free(buf->text);
	*buf = (struct strbuf){0};
}
