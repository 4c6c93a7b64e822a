/* Settings: one typed table (type, default, range, help) that makes the commented nvsweep.ini and
 * the manual section (DESIGN 4, Assets). Loaded once at start; changed by the UI thread only. */
#ifndef CONF_SETTINGS_H
#define CONF_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

enum setting_type {
	SETTING_BOOL,
	SETTING_INT,
	SETTING_DOUBLE,
	SETTING_CHOICE,
	SETTING_TEXT,
	SETTING_PATH
};

struct settings {
	/* [display] */
	char theme[64];       /* name of a theme file, "auto" by default */
	char charset[16];     /* auto, utf-8, ascii */
	bool mouse;           /* true */
	int64_t refresh_ms;   /* 1000: how often rates are taken, 200..60000 */
	char temperature[16]; /* celsius, fahrenheit (screen only) */
	/* [drives] */
	int64_t smart_period_s;  /* 30: how often SMART is read while shown, 1..86400 */
	bool show_block_devices; /* true: other block devices as targets */
	/* [run] */
	int64_t admin_timeout_s; /* 5: headless commands stop waiting for a page, 1..600 */
	char backend[16];        /* auto, uring, sync, null */
	char on_hangup[16];      /* stop, detach */
	/* [paths] */
	char runs_folder[256]; /* empty: the state folder */
};

struct setting_row {
	const char *section, *key;
	enum setting_type type;
	size_t offset, size;
	const char *default_text;
	double min, max;     /* numbers */
	const char *choices; /* "a|b|c" */
	const char *help;    /* one line */
};

extern const struct setting_row settings_table[];
extern const size_t settings_count;

/* Defaults, then nvsweep.ini of each layer, then `path` if not NULL (--config). Unknown section or
 * key (with the nearest known one) and bad values: -EINVAL naming file and line. */
int settings_load(struct settings *out, const char *path, struct err *err);
void settings_defaults(struct settings *out);
/* Sets one value from text, validated. -EINVAL leaves the old value. */
int settings_set(struct settings *s, const char *section, const char *key, const char *value,
	struct err *err);
/* The row of a key, NULL when unknown. */
const struct setting_row *settings_find(const char *section, const char *key);
/* Sets one value and writes it into the user's nvsweep.ini, whose other lines stay. */
int settings_save(struct settings *s, const char *section, const char *key, const char *value,
	struct err *err);
/* Text of one value. */
void settings_value(
	const struct settings *s, const struct setting_row *row, char *buf, size_t size);
/* The commented nvsweep.ini that stands in configs/ (a unit test compares), and the section of
 * nvsweep.ini(5) in man(7) form. */
void settings_document_ini(struct strbuf *out);
void settings_document_man(struct strbuf *out);

#endif
