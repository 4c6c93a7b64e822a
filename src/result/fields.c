/* Reading optional JSON fields without an error branch at each of them. */
#include "result/fields.h"

#include <errno.h>
#include <limits.h>
#include <time.h>

#include "base/str.h"

/* Keeps the first fault. Returns true when there is a value. */
static bool accept(struct fields *f, int rc)
{
	if (rc && rc != -ENOENT && !f->code)
		f->code = rc;
	return rc == 0;
}

/* Only the first fault writes its sentence. */
static struct err *sentence(struct fields *f)
{
	return f->code ? NULL : f->err;
}

static void refuse(struct fields *f, const char *key, const char *what)
{
	accept(f, err_set(sentence(f), -EINVAL, "\"%s\" %s", key, what));
}

void fields_string(
	struct fields *f, const struct json *object, const char *key, char *buf, size_t size)
{
	const char *text;

	if (accept(f, json_read_string(object, key, &text, sentence(f))))
		str_sanitize_utf8(buf, size, text);
}

void fields_u64(struct fields *f, const struct json *object, const char *key, uint64_t *out)
{
	uint64_t value;

	if (accept(f, json_read_u64(object, key, &value, sentence(f))))
		*out = value;
}

void fields_u32(struct fields *f, const struct json *object, const char *key, uint32_t *out)
{
	uint64_t value;

	if (!accept(f, json_read_u64(object, key, &value, sentence(f))))
		return;
	if (value > UINT32_MAX)
		refuse(f, key, "is too large");
	else
		*out = (uint32_t)value;
}

void fields_int(struct fields *f, const struct json *object, const char *key, int *out)
{
	int64_t value;

	if (!accept(f, json_read_i64(object, key, &value, sentence(f))))
		return;
	if (value < INT_MIN || value > INT_MAX)
		refuse(f, key, "is out of range");
	else
		*out = (int)value;
}

void fields_double(struct fields *f, const struct json *object, const char *key, double *out)
{
	double value;

	if (accept(f, json_read_double(object, key, &value, sentence(f))))
		*out = value;
}

void fields_bool(struct fields *f, const struct json *object, const char *key, bool *out)
{
	bool value;

	if (accept(f, json_read_bool(object, key, &value, sentence(f))))
		*out = value;
}

void fields_us(struct fields *f, const struct json *object, const char *key, double *out_ns)
{
	double us;

	if (accept(f, json_read_double(object, key, &us, sentence(f))))
		*out_ns = us * 1000;
}

void fields_time(struct fields *f, const struct json *object, const char *key, int64_t *out)
{
	const char *text;
	struct tm when = {0};

	if (!accept(f, json_read_string(object, key, &text, sentence(f))))
		return;
	const char *end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &when);

	if (!end || *end)
		refuse(f, key, "is not a time such as 2026-11-30T14:09:02Z");
	else
		*out = (int64_t)timegm(&when);
}

struct json *fields_object(struct fields *f, const struct json *object, const char *key)
{
	struct json *child = json_get(object, key);

	if (child && !json_is_object(child)) {
		refuse(f, key, "is not an object");
		return NULL;
	}
	return child;
}

struct json *fields_array(struct fields *f, const struct json *object, const char *key)
{
	struct json *child = json_get(object, key);

	if (child && !json_is_array(child)) {
		refuse(f, key, "is not a list");
		return NULL;
	}
	return child;
}
