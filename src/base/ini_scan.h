/* The lines of an INI text, one by one, as ini.c and its editor see them. Stricter than iniparser:
 * what different versions of that library read differently is a fault here. Any thread. */
#ifndef BASE_INI_SCAN_H
#define BASE_INI_SCAN_H

#include <stddef.h>

#include "base/err.h"

#define INI_LINE_MAX 1022 /* bytes: iniparser gives up beyond */
#define INI_NAME_MAX 128  /* of a section or key, with the NUL */

enum ini_line_kind { INI_BLANK, INI_COMMENT, INI_SECTION, INI_KEY };

struct ini_scan {
	const char *name; /* for messages */
	const char *text;
	size_t length;
	size_t at; /* where the next line begins */
	/* the line just read */
	int line; /* 1-based */
	enum ini_line_kind kind;
	size_t begin, end, next;       /* offsets: content without line end; the next line */
	char word[INI_NAME_MAX];       /* section or key, lower case */
	size_t value_begin, value_end; /* key: the value as written, quotes included */
};

void ini_scan_start(struct ini_scan *scan, const char *name, const char *text, size_t length);
/* 1: a line was read; 0: end of the text; -EINVAL: "NAME:LINE: what is wrong". */
int ini_scan_next(struct ini_scan *scan, struct err *err);

#endif
