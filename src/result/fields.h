/* Optional fields of a JSON object: absent or null leaves the variable alone, a wrong type is
 * remembered once with its sentence. Bytes come from files and are not trusted. One thread. */
#ifndef RESULT_FIELDS_H
#define RESULT_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"

struct fields {
	int code;        /* 0 or the first -errno */
	struct err *err; /* may be NULL */
};

void fields_string(struct fields *f, const struct json *object, const char *key, char *buf,
	size_t size); /* unprintable bytes are replaced */
void fields_u64(struct fields *f, const struct json *object, const char *key, uint64_t *out);
void fields_u32(struct fields *f, const struct json *object, const char *key, uint32_t *out);
void fields_int(struct fields *f, const struct json *object, const char *key, int *out);
void fields_double(struct fields *f, const struct json *object, const char *key, double *out);
void fields_bool(struct fields *f, const struct json *object, const char *key, bool *out);
/* Microseconds in the file, nanoseconds in memory. */
void fields_us(struct fields *f, const struct json *object, const char *key, double *out_ns);
/* ISO 8601 in UTC to seconds since 1970. */
void fields_time(struct fields *f, const struct json *object, const char *key, int64_t *out);
/* Child that must be an object or an array when it is there; NULL when it is not. */
struct json *fields_object(struct fields *f, const struct json *object, const char *key);
struct json *fields_array(struct fields *f, const struct json *object, const char *key);

#endif
