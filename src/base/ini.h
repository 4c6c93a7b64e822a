/* INI files through iniparser, with the file and line of every fault, and comments kept on edit.
 * Keys and sections are lower case. Numbers are parsed by base/units, never by iniparser.
 * A struct ini belongs to one thread at a time. */
#ifndef BASE_INI_H
#define BASE_INI_H

#include <stddef.h>

#include "base/err.h"

struct ini;

/* Loads a file, or a text held in memory under a name used in messages. A directory, a line that
 * is too long, a syntax error, a key given twice: -EINVAL and "NAME:LINE: what is wrong". Refused as
 * well, because versions of iniparser read it differently: a backslash at the end of a line or in
 * quotes, anything after the ] of a section, a colon in a section's name, a BOM, NUL bytes. */
int ini_load(const char *path, struct ini **out, struct err *err);
int ini_parse(const char *name, const char *text, size_t length, struct ini **out, struct err *err);
void ini_free(struct ini *ini);

/* Value, or NULL when absent. Section "" holds keys before any section. Owned by ini. */
const char *ini_get(const struct ini *ini, const char *section, const char *key);
/* Line of a key (1-based), 0 if unknown; and the file's name: for messages of callers. */
int ini_line(const struct ini *ini, const char *section, const char *key);
const char *ini_name(const struct ini *ini);
/* Sections and keys in the order of the file. */
size_t ini_section_count(const struct ini *ini);
const char *ini_section(const struct ini *ini, size_t index);
/* Line of the first [section] of that name (1-based), 0 if unknown. */
int ini_section_line(const struct ini *ini, const char *section);
size_t ini_key_count(const struct ini *ini, const char *section);
const char *ini_key(const struct ini *ini, const char *section, size_t index);

/* Sets one key in the file at path: edits that line, or adds it (and the section), keeping every
 * other byte; the file is created when absent. Atomic. */
int ini_edit(
	const char *path, const char *section, const char *key, const char *value, struct err *err);

#endif
