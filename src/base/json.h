/* JSON through json-c: build, print, parse with the path of every fault. A tree belongs to one
 * thread. Setters take ownership of child values. NaN and infinite numbers are written as null. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/units.h"

struct json;

struct json *json_object(void);
struct json *json_array(void);
struct json *json_null(void); /* a value that prints as null: the NULL pointer */
void json_free(struct json *value);

void json_set(struct json *object, const char *key, struct json *child);
void json_set_string(struct json *object, const char *key, const char *text); /* NULL: null */
void json_set_u64(struct json *object, const char *key, uint64_t value);
void json_set_i64(struct json *object, const char *key, int64_t value);
void json_set_double(struct json *object, const char *key, double value);
void json_set_bool(struct json *object, const char *key, bool value);
void json_set_null(struct json *object, const char *key);
/* Always a decimal string (DESIGN 8). */
void json_set_u128(struct json *object, const char *key, u128 value);
/* {"error": text}: what could not be read. */
void json_set_error(struct json *object, const char *key, const char *text);
void json_add(struct json *array, struct json *child);
void json_add_string(struct json *array, const char *text);
void json_add_u64(struct json *array, uint64_t value);
void json_add_i64(struct json *array, int64_t value);
void json_add_double(struct json *array, double value);

/* New text, caller frees. pretty: indented; otherwise one line without newline. */
char *json_text(const struct json *value, bool pretty);

/* Parses a whole document of untrusted text; depth is limited; -EINVAL names `name` and the
 * offset. */
int json_parse(
	const char *name, const char *text, size_t length, struct json **out, struct err *err);
/* Child of an object; NULL when absent or null. Borrowed from the parent: do not free. */
struct json *json_get(const struct json *object, const char *key);
bool json_is_null(const struct json *object, const char *key); /* absent or null */
bool json_is_object(const struct json *value);
bool json_is_array(const struct json *value);
size_t json_length(const struct json *array);
struct json *json_at(const struct json *array, size_t index);
/* Keys of an object in order. */
size_t json_key_count(const struct json *object);
const char *json_key(const struct json *object, size_t index);
/* Typed reads: -ENOENT when absent or null, -EINVAL for another type or range; the sentence names
 * the key. Text is borrowed. */
int json_read_string(const struct json *object, const char *key, const char **out, struct err *err);
int json_read_u64(const struct json *object, const char *key, uint64_t *out, struct err *err);
int json_read_i64(const struct json *object, const char *key, int64_t *out, struct err *err);
int json_read_double(const struct json *object, const char *key, double *out, struct err *err);
int json_read_bool(const struct json *object, const char *key, bool *out, struct err *err);
int json_read_u128(const struct json *object, const char *key, u128 *out, struct err *err);
/* Elements of arrays. */
int json_at_u64(const struct json *array, size_t index, uint64_t *out, struct err *err);
int json_at_double(const struct json *array, size_t index, double *out, struct err *err);
int json_at_string(const struct json *array, size_t index, const char **out, struct err *err);

#endif
