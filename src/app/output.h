/* Standard output and standard error of the commands. Main thread. */
#ifndef APP_OUTPUT_H
#define APP_OUTPUT_H

#include <stddef.h>

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "conf/settings.h"
#include "report/text_table.h"

/* Writes everything to standard output. A reader that went away (a closed pipe) is no fault: what
 * is left is dropped. A full disk is. */
int output_write(const char *text, size_t length, struct err *err);
/* The same for a buffer, which is freed. */
int output_text(struct strbuf *text, struct err *err);
/* Prints a document indented, and frees it. */
int output_json(struct json *document, struct err *err);

/* A document with schema "nvsweep-KIND/1" and generator in front. */
struct json *output_document(const char *kind);

/* How text is laid out: the width of the terminal, or none for pipes and files; ASCII when the
 * locale or the settings say so. */
void output_style(const struct settings *settings, struct text_style *style);
/* Columns and lines of standard output; false: it is no terminal. */
bool output_size(int *width, int *height);

/* "nvsweep: SENTENCE" on standard error; of a run without a terminal in the file beside it. */
void output_complain(const char *sentence);

/* Could this file be written? Asked before a long test, nothing is changed. "-" is standard
 * output. */
int output_check_path(const char *path, struct err *err);
/* The name that still means the file in another folder; "-" stays. */
int output_absolute(const char *path, char *buf, size_t size, struct err *err);

#endif
