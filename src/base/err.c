/* Sentences of errors. They may quote names that came from drives and files, so every sentence is
 * made safe to show before it is kept. */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

void err_clear(struct err *err)
{
	if (err)
		*err = (struct err){0};
}

__attribute__((format(printf, 4, 0))) static int err_vset(
	struct err *err, enum err_exit code_of_exit, int code, const char *format, va_list args)
{
	char raw[2 * sizeof(err->text)];

	vsnprintf(raw, sizeof(raw), format, args);
	err->code = code;
	err->exit = code_of_exit;
	str_sanitize_utf8(err->text, sizeof(err->text), raw);
	return code;
}

int err_set(struct err *err, int code, const char *format, ...)
{
	va_list args;

	if (!err)
		return code;
	va_start(args, format);
	err_vset(err, ERR_EXIT_FAILED, code, format, args);
	va_end(args);
	return code;
}

int err_set_exit(struct err *err, enum err_exit code_of_exit, int code, const char *format, ...)
{
	va_list args;

	if (!err)
		return code;
	va_start(args, format);
	err_vset(err, code_of_exit, code, format, args);
	va_end(args);
	return code;
}

int err_prefix(struct err *err, int code, const char *format, ...)
{
	char prefix[sizeof(err->text)], old[sizeof(err->text)];
	va_list args;

	if (!err)
		return code;
	va_start(args, format);
	vsnprintf(prefix, sizeof(prefix), format, args);
	va_end(args);
	str_copy(old, sizeof(old), err->text);
	return err_set_exit(err, err->exit ? err->exit : ERR_EXIT_FAILED,
		err->code ? err->code : code, "%s: %s", prefix,
		old[0] ? old : err_errno_text(code));
}

const char *err_errno_text(int code)
{
	/* strerrordesc_np gives constant text: no buffer, no locale */
	const char *text = strerrordesc_np(abs(code));

	return text ? text : "unknown error";
}
