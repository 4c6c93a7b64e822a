/* JSON through json-c. struct json is json-c's object under another name; json-c's null is a NULL
 * pointer, and so is ours. Texts are made valid UTF-8 on the way in, because they may come from
 * drives, file names and files. */
#include "base/json.h"

#include <errno.h>
/* json-c has a type of the name of our constructor: it gets another one in this file. */
#define json_object jsonc_value
#include <json-c/json.h>
#undef json_object
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

#define JSON_DEPTH 64

static struct jsonc_value *json_in(const struct json *value)
{
	return (struct jsonc_value *)(uintptr_t)value;
}

static struct json *json_out(struct jsonc_value *value)
{
	return (struct json *)value;
}

struct json *json_object(void)
{
	return mem_check(json_out(json_object_new_object()));
}

struct json *json_array(void)
{
	return mem_check(json_out(json_object_new_array()));
}

struct json *json_null(void)
{
	return NULL;
}

void json_free(struct json *value)
{
	json_object_put(json_in(value));
}

/* Well-formed UTF-8 passes with its control characters (json-c escapes those); each malformed byte
 * becomes '?'. */
static void json_clean(struct strbuf *out, const char *text)
{
	uint32_t c;

	strbuf_add(out, "");
	while ((c = str_utf8_next(&text)) != 0) {
		char put[5];

		strbuf_add_bytes(out, put, str_utf8_put(put, c));
	}
}

static struct json *json_new_string(const char *text)
{
	struct strbuf clean = {0};
	struct jsonc_value *value;

	if (!text)
		return NULL;
	json_clean(&clean, text);
	value = json_object_new_string_len(
		clean.text, clean.length < INT_MAX ? (int)clean.length : INT_MAX);
	strbuf_free(&clean);
	return mem_check(value);
}

static struct json *json_new_double(double value)
{
	char text[40];

	if (!isfinite(value))
		return NULL;
	return mem_check(json_object_new_double_s(value, units_double(text, sizeof(text), value)));
}

void json_set(struct json *object, const char *key, struct json *child)
{
	struct strbuf clean = {0};

	json_clean(&clean, key);
	if (json_object_object_add(json_in(object), clean.text, json_in(child)) < 0)
		mem_check(NULL);
	strbuf_free(&clean);
}

void json_set_string(struct json *object, const char *key, const char *text)
{
	json_set(object, key, json_new_string(text));
}

void json_set_u64(struct json *object, const char *key, uint64_t value)
{
	json_set(object, key, mem_check(json_object_new_uint64(value)));
}

void json_set_i64(struct json *object, const char *key, int64_t value)
{
	json_set(object, key, mem_check(json_object_new_int64(value)));
}

void json_set_double(struct json *object, const char *key, double value)
{
	json_set(object, key, json_new_double(value));
}

void json_set_bool(struct json *object, const char *key, bool value)
{
	json_set(object, key, mem_check(json_object_new_boolean(value)));
}

void json_set_null(struct json *object, const char *key)
{
	json_set(object, key, NULL);
}

void json_set_u128(struct json *object, const char *key, u128 value)
{
	char text[48];

	json_set_string(object, key, units_u128_decimal(text, sizeof(text), value));
}

void json_set_error(struct json *object, const char *key, const char *text)
{
	struct json *error = json_object();

	json_set_string(error, "error", text);
	json_set(object, key, error);
}

void json_add(struct json *array, struct json *child)
{
	if (json_object_array_add(json_in(array), json_in(child)) < 0)
		mem_check(NULL);
}

void json_add_string(struct json *array, const char *text)
{
	json_add(array, json_new_string(text));
}

void json_add_u64(struct json *array, uint64_t value)
{
	json_add(array, mem_check(json_object_new_uint64(value)));
}

void json_add_i64(struct json *array, int64_t value)
{
	json_add(array, mem_check(json_object_new_int64(value)));
}

void json_add_double(struct json *array, double value)
{
	json_add(array, json_new_double(value));
}

char *json_text(const struct json *value, bool pretty)
{
	int flags = JSON_C_TO_STRING_NOSLASHESCAPE;

	flags |=
		pretty ? JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED : JSON_C_TO_STRING_PLAIN;
	if (!value)
		return mem_strdup("null");
	return mem_strdup(mem_check(
		(void *)(uintptr_t)json_object_to_json_string_ext(json_in(value), flags)));
}

/* What json-c lets pass although it is wrong: whole numbers beyond 64 bits, which it would clamp
 * silently, and single quotes. Returns the offset of the fault or length. */
static size_t json_find_trap(const char *text, size_t length, const char **what)
{
	for (size_t at = 0; at < length; at++) {
		size_t from = at, first;

		if (text[at] == '"') {
			for (at++; at < length && text[at] != '"'; at++)
				at += text[at] == '\\';
			continue;
		}
		*what = "a text needs double quotes";
		if (text[at] == '\'')
			return at;
		if (text[at] < '0' || text[at] > '9')
			continue;
		while (at < length && text[at] == '0')
			at++;
		first = at;
		while (at < length && text[at] >= '0' && text[at] <= '9')
			at++;
		*what = "the number does not fit 64 bits";
		if (at < length && (text[at] == '.' || (text[at] | 0x20) == 'e')) {
			/* a fraction: its digits and exponent are no whole numbers */
			while (at < length && text[at] && strchr("0123456789.eE+-", text[at]))
				at++;
		} else if (at - first >= 19) {
			char digits[24];
			uint64_t value;

			str_format(digits, sizeof(digits), "%.*s",
				at - first > 22 ? 22 : (int)(at - first), text + first);
			if (units_parse_u64(digits, &value, NULL) < 0 ||
				(from > 0 && text[from - 1] == '-' &&
					value > (uint64_t)INT64_MAX + 1))
				return from;
		}
		at--;
	}
	return length;
}

/* Offset of the first byte that is no well-formed UTF-8 (RFC 3629), or length. */
static size_t json_find_malformed(const char *text, size_t length)
{
	size_t at = 0;

	while (at < length) {
		const unsigned char *b = (const unsigned char *)text + at;
		const size_t more = b[0] < 0x80 ? 0 : b[0] < 0xe0 ? 1 : b[0] < 0xf0 ? 2 : 3;

		if ((b[0] >= 0x80 && b[0] < 0xc2) || b[0] > 0xf4 || more >= length - at)
			return at;
		for (size_t i = 1; i <= more; i++) {
			if ((b[i] & 0xc0) != 0x80)
				return at;
		}
		/* longer than needed, surrogates, beyond U+10FFFF */
		if ((b[0] == 0xe0 && b[1] < 0xa0) || (b[0] == 0xed && b[1] > 0x9f) ||
			(b[0] == 0xf0 && b[1] < 0x90) || (b[0] == 0xf4 && b[1] > 0x8f))
			return at;
		at += more + 1;
	}
	return length;
}

/* Characters beyond ASCII as \\u escapes: json-c 0.18 in strict mode takes their bytes for control
 * characters. text is well-formed. */
static void json_escape(const char *text, size_t length, struct strbuf *out)
{
	const char *end = text + length, *plain = text;
	bool backslash = false;

	while (text < end) {
		/* behind a backslash it is a fault, which stays one */
		if ((unsigned char)*text < 0x80 || backslash) {
			backslash = *text == '\\' && !backslash;
			text++;
			continue;
		}
		strbuf_add_bytes(out, plain, (size_t)(text - plain));
		const uint32_t c = str_utf8_next(&text);
		plain = text;
		if (c < 0x10000)
			strbuf_addf(out, "\\u%04x", c);
		else
			strbuf_addf(out, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10),
				0xdc00 + ((c - 0x10000) & 0x3ff));
	}
	strbuf_add_bytes(out, plain, (size_t)(end - plain));
}

/* The offset in text that stands at `escaped` after json_escape. */
static size_t json_offset(const char *text, size_t length, size_t escaped)
{
	const char *at = text;
	size_t gone = 0;

	while (at < text + length && gone < escaped) {
		const char *from = at;

		str_utf8_next(&at);
		gone += at - from == 1 ? 1 : at - from == 4 ? 12 : 6;
	}
	return (size_t)(at - text);
}

int json_parse(
	const char *name, const char *text, size_t length, struct json **out, struct err *err)
{
	struct json_tokener *tokener;
	struct jsonc_value *value;
	enum json_tokener_error fault;
	struct strbuf ascii = {0};
	const char *trap = "";
	size_t end;
	int code = 0;

	if (length >= INT_MAX / 6)
		return err_set(err, -EFBIG, "%s is too large for JSON", name);
	end = json_find_trap(text, length, &trap);
	if (end < length)
		return err_set(
			err, -EINVAL, "%s: not valid JSON at offset %zu: %s", name, end, trap);
	end = json_find_malformed(text, length);
	if (end < length)
		return err_set(err, -EINVAL, "%s: not valid UTF-8 at offset %zu", name, end);
	json_escape(text, length, &ascii);
	tokener = mem_check(json_tokener_new_ex(JSON_DEPTH));
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_ALLOW_TRAILING_CHARS);
	value = json_tokener_parse_ex(tokener, ascii.text, (int)ascii.length);
	fault = json_tokener_get_error(tokener);
	end = json_tokener_get_parse_end(tokener);
	if (fault == json_tokener_continue && length > 0) {
		/* a bare number ends only with what follows it */
		value = json_tokener_parse_ex(tokener, "", 1);
		fault = json_tokener_get_error(tokener);
		end = ascii.length;
	}
	while (fault == json_tokener_success && end < ascii.length &&
		strchr(" \t\r\n", ascii.text[end]) && ascii.text[end])
		end++;
	if (fault == json_tokener_continue)
		code = err_set(err, -EINVAL, "%s: the JSON text ends too early, at offset %zu",
			name, length);
	else if (fault != json_tokener_success)
		code = err_set(err, -EINVAL, "%s: not valid JSON at offset %zu: %s", name,
			json_offset(text, length, end), json_tokener_error_desc(fault));
	else if (end < ascii.length)
		code = err_set(err, -EINVAL, "%s: something follows the JSON value at offset %zu",
			name, json_offset(text, length, end));
	json_tokener_free(tokener);
	strbuf_free(&ascii);
	if (code < 0) {
		json_object_put(value);
		return code;
	}
	*out = json_out(value);
	return 0;
}

bool json_is_object(const struct json *value)
{
	return json_object_is_type(json_in(value), json_type_object);
}

bool json_is_array(const struct json *value)
{
	return json_object_is_type(json_in(value), json_type_array);
}

struct json *json_get(const struct json *object, const char *key)
{
	struct jsonc_value *child = NULL;

	if (json_is_object(object))
		json_object_object_get_ex(json_in(object), key, &child);
	return json_out(child);
}

bool json_is_null(const struct json *object, const char *key)
{
	return json_get(object, key) == NULL;
}

size_t json_length(const struct json *array)
{
	return json_is_array(array) ? json_object_array_length(json_in(array)) : 0;
}

struct json *json_at(const struct json *array, size_t index)
{
	return index < json_length(array)
		? json_out(json_object_array_get_idx(json_in(array), index))
		: NULL;
}

size_t json_key_count(const struct json *object)
{
	return json_is_object(object) ? (size_t)json_object_object_length(json_in(object)) : 0;
}

const char *json_key(const struct json *object, size_t index)
{
	struct json_object_iterator at, end;

	if (!json_is_object(object))
		return NULL;
	at = json_object_iter_begin(json_in(object));
	end = json_object_iter_end(json_in(object));
	for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
		if (index-- == 0)
			return json_object_iter_peek_name(&at);
	}
	return NULL;
}

/* Where a value stands, for sentences: "key" or [index]. */
struct json_place {
	const char *key;
	size_t index;
};

static int json_fault(const struct json_place *place, const char *what, struct err *err, int code)
{
	if (place->key)
		return err_set(err, code, "\"%.100s\" %s", place->key, what);
	return err_set(err, code, "element [%zu] %s", place->index, what);
}

static int json_want(const struct json *value, const struct json_place *place, struct err *err)
{
	return value ? 0 : json_fault(place, "is missing", err, -ENOENT);
}

static int json_to_string(
	const struct json *value, const struct json_place *place, const char **out, struct err *err)
{
	struct jsonc_value *object = json_in(value);
	int code = json_want(value, place, err);

	if (code < 0)
		return code;
	if (!json_object_is_type(object, json_type_string))
		return json_fault(place, "is not a text", err, -EINVAL);
	if (strlen(json_object_get_string(object)) != (size_t)json_object_get_string_len(object))
		return json_fault(place, "holds a NUL character", err, -EINVAL);
	*out = json_object_get_string(object);
	return 0;
}

static int json_to_u64(
	const struct json *value, const struct json_place *place, uint64_t *out, struct err *err)
{
	struct jsonc_value *object = json_in(value);
	int code = json_want(value, place, err);

	if (code < 0)
		return code;
	if (!json_object_is_type(object, json_type_int))
		return json_fault(place, "is not a whole number", err, -EINVAL);
	/* json-c clamps a negative number to 0 here, so the sign is asked separately */
	if (json_object_get_int64(object) < 0)
		return json_fault(place, "is negative", err, -EINVAL);
	*out = json_object_get_uint64(object);
	return 0;
}

static int json_to_double(
	const struct json *value, const struct json_place *place, double *out, struct err *err)
{
	struct jsonc_value *object = json_in(value);
	int code = json_want(value, place, err);
	double number;

	if (code < 0)
		return code;
	if (!json_object_is_type(object, json_type_double) &&
		!json_object_is_type(object, json_type_int))
		return json_fault(place, "is not a number", err, -EINVAL);
	number = json_object_get_double(object);
	if (!isfinite(number))
		return json_fault(place, "is out of range", err, -EINVAL);
	*out = number;
	return 0;
}

int json_read_string(const struct json *object, const char *key, const char **out, struct err *err)
{
	return json_to_string(json_get(object, key), &(struct json_place){key, 0}, out, err);
}

int json_read_u64(const struct json *object, const char *key, uint64_t *out, struct err *err)
{
	return json_to_u64(json_get(object, key), &(struct json_place){key, 0}, out, err);
}

int json_read_i64(const struct json *object, const char *key, int64_t *out, struct err *err)
{
	const struct json_place place = {key, 0};
	struct jsonc_value *child = json_in(json_get(object, key));
	int code = json_want(json_out(child), &place, err);
	int64_t value;

	if (code < 0)
		return code;
	if (!json_object_is_type(child, json_type_int))
		return json_fault(&place, "is not a whole number", err, -EINVAL);
	value = json_object_get_int64(child);
	/* beyond 2^63 json-c clamps */
	if (value >= 0 && (uint64_t)value != json_object_get_uint64(child))
		return json_fault(&place, "is out of range", err, -EINVAL);
	*out = value;
	return 0;
}

int json_read_double(const struct json *object, const char *key, double *out, struct err *err)
{
	return json_to_double(json_get(object, key), &(struct json_place){key, 0}, out, err);
}

int json_read_bool(const struct json *object, const char *key, bool *out, struct err *err)
{
	const struct json_place place = {key, 0};
	struct jsonc_value *child = json_in(json_get(object, key));
	int code = json_want(json_out(child), &place, err);

	if (code < 0)
		return code;
	if (!json_object_is_type(child, json_type_boolean))
		return json_fault(&place, "is neither true nor false", err, -EINVAL);
	*out = json_object_get_boolean(child);
	return 0;
}

int json_read_u128(const struct json *object, const char *key, u128 *out, struct err *err)
{
	const struct json_place place = {key, 0};
	struct json *child = json_get(object, key);
	const char *text;
	uint64_t small;
	int code;

	if (json_object_is_type(json_in(child), json_type_int)) {
		code = json_to_u64(child, &place, &small, err);
		if (code == 0)
			*out = small;
		return code;
	}
	code = json_to_string(child, &place, &text, err);
	if (code == 0 && units_parse_u128(text, out, NULL) < 0)
		code = json_fault(&place, "is not a decimal number below 2^128", err, -EINVAL);
	return code;
}

int json_at_u64(const struct json *array, size_t index, uint64_t *out, struct err *err)
{
	return json_to_u64(json_at(array, index), &(struct json_place){NULL, index}, out, err);
}

int json_at_double(const struct json *array, size_t index, double *out, struct err *err)
{
	return json_to_double(json_at(array, index), &(struct json_place){NULL, index}, out, err);
}

int json_at_string(const struct json *array, size_t index, const char **out, struct err *err)
{
	return json_to_string(json_at(array, index), &(struct json_place){NULL, index}, out, err);
}
