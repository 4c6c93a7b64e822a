/* Errors: one sentence, its errno and the exit code it asks for.
 *
 * Every fallible function returns 0 or -errno. Its last parameter `struct err *err` may be NULL;
 * otherwise the function that finds the fault writes one clear sentence that names the file, line,
 * key, device or field and says what to do. Callers pass it up unchanged or add a prefix.
 * A struct err belongs to its caller (stack); no function keeps it. Any thread.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stddef.h>

#include "base/mem.h"

/* Exit codes of the program (DESIGN 7). */
enum err_exit {
	ERR_EXIT_FAILED = 1,  /* it did not work */
	ERR_EXIT_USAGE = 2,   /* what was asked for makes no sense: unknown key, bad value */
	ERR_EXIT_REFUSED = 3, /* the write gate said no */
	ERR_EXIT_PARTIAL = 4, /* ended early, partial results were saved */
};

struct err {
	int code;           /* 0 or -errno */
	enum err_exit exit; /* meaningful when code != 0 */
	char text[512];     /* one sentence, no newline, safe to show */
};

/* Clears *err (may be NULL). */
void err_clear(struct err *err);
/* Sets the sentence with exit code ERR_EXIT_FAILED; returns `code` (a negative errno) so that
 * `return err_set(err, -EINVAL, ...)` is one line. Unprintable bytes are replaced. */
int err_set(struct err *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The same with another exit code. */
int err_set_exit(struct err *err, enum err_exit exit, int code, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Puts "prefix: " in front of the sentence already there; returns err->code (or `code` if err is
 * NULL). */
int err_prefix(struct err *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Text of an errno, thread-safe: "No such file or directory". */
const char *err_errno_text(int code);

#endif
