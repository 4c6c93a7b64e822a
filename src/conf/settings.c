/* The typed table of settings: loading and setting them. The documents made from it are in
 * settings_document.c. */
#include "conf/settings.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/ini.h"
#include "base/units.h"
#include "conf/assets.h"

#define FIELD(name) offsetof(struct settings, name), sizeof(((struct settings *)0)->name)

/* clang-format off */
const struct setting_row settings_table[] = {
	{"display", "theme", SETTING_TEXT, FIELD(theme), "auto", 0, 0, NULL,
	 "Colours: the name of a theme (dark, light, mono or a file in themes/); auto picks one that "
	 "suits the terminal."},
	{"display", "charset", SETTING_CHOICE, FIELD(charset), "auto", 0, 0, "auto|utf-8|ascii",
	 "Characters for lines and charts; auto follows the locale."},
	{"display", "mouse", SETTING_BOOL, FIELD(mouse), "yes", 0, 0, NULL,
	 "Take clicks and the wheel; without it the terminal keeps the mouse for selecting text."},
	{"display", "refresh_ms", SETTING_INT, FIELD(refresh_ms), "1000", 200, 60000, NULL,
	 "Milliseconds between two readings of rates on the screen."},
	{"display", "temperature", SETTING_CHOICE, FIELD(temperature), "celsius", 0, 0,
	 "celsius|fahrenheit",
	 "Unit of temperatures on the screen; JSON is always in degrees Celsius."},
	{"drives", "smart_period_s", SETTING_INT, FIELD(smart_period_s), "30", 1, 86400, NULL,
	 "Seconds between two readings of SMART data of drives that are shown."},
	{"drives", "show_block_devices", SETTING_BOOL, FIELD(show_block_devices), "yes", 0, 0, NULL,
	 "List other block devices too, as targets of tests."},
	{"run", "admin_timeout_s", SETTING_INT, FIELD(admin_timeout_s), "5", 1, 600, NULL,
	 "Seconds after which commands without a screen stop waiting for a page of a drive."},
	{"run", "backend", SETTING_CHOICE, FIELD(backend), "auto", 0, 0, "auto|uring|sync|null",
	 "How I/O is done; auto takes io_uring where it works. null does none: it measures nvsweep."},
	{"run", "on_hangup", SETTING_CHOICE, FIELD(on_hangup), "stop", 0, 0, "stop|detach",
	 "What happens to a running test when the terminal goes away: stop ends and saves it, detach "
	 "lets it go on without a terminal (nvsweep attach shows it)."},
	{"paths", "runs_folder", SETTING_PATH, FIELD(runs_folder), "", 0, 0, NULL,
	 "Folder of saved runs; empty: nvsweep/runs in the state folder ($XDG_STATE_HOME)."},
};
/* clang-format on */
const size_t settings_count = sizeof(settings_table) / sizeof(settings_table[0]);

const struct setting_row *settings_find(const char *section, const char *key)
{
	for (size_t i = 0; i < settings_count; i++) {
		if (strcasecmp(settings_table[i].section, section) == 0 &&
			strcasecmp(settings_table[i].key, key) == 0)
			return &settings_table[i];
	}
	return NULL;
}

static void *setting_field(struct settings *s, const struct setting_row *row)
{
	return (char *)s + row->offset;
}

static int setting_set_bool(bool *field, const char *value, struct err *err)
{
	return units_parse_bool(value, field, err);
}

static int setting_set_int(
	int64_t *field, const struct setting_row *row, const char *value, struct err *err)
{
	int64_t number;
	int code = units_parse_i64(value, &number, err);

	if (code < 0)
		return code;
	if ((double)number < row->min || (double)number > row->max)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL, "%s is not within %.0f to %.0f",
			value, row->min, row->max);
	*field = number;
	return 0;
}

static int setting_set_double(
	double *field, const struct setting_row *row, const char *value, struct err *err)
{
	double number;
	int code = units_parse_double(value, &number, err);

	if (code < 0)
		return code;
	if (number < row->min || number > row->max)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL, "%s is not within %g to %g",
			value, row->min, row->max);
	*field = number;
	return 0;
}

/* Walks the words of "a|b|c" into a list of at most 16. */
static size_t setting_split_choices(const char *choices, char (*words)[32])
{
	size_t count = 0;

	while (count < 16) {
		size_t n = strcspn(choices, "|");

		str_format(words[count++], sizeof(words[0]), "%.*s", (int)n, choices);
		if (!choices[n])
			break;
		choices += n + 1;
	}
	return count;
}

static int setting_set_choice(
	char *field, const struct setting_row *row, const char *value, struct err *err)
{
	char words[16][32], listed[256] = "";
	const char *names[16], *nearest;
	size_t count = setting_split_choices(row->choices, words);

	for (size_t i = 0; i < count; i++) {
		if (strcasecmp(words[i], value) == 0) {
			str_copy(field, row->size, words[i]);
			return 0;
		}
		names[i] = words[i];
		str_append(listed, sizeof(listed), "%s%s",
			i == 0                   ? ""
				: i + 1 == count ? " or "
						 : ", ",
			words[i]);
	}
	nearest = str_nearest(value, names, count);
	if (nearest)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"\"%s\" is unknown: did you mean %s? (%s)", value, nearest, listed);
	return err_set_exit(
		err, ERR_EXIT_USAGE, -EINVAL, "\"%s\" is unknown: use %s", value, listed);
}

static int setting_set_text(
	char *field, const struct setting_row *row, const char *value, struct err *err)
{
	for (const char *at = value; *at; at++) {
		if ((unsigned char)*at < 0x20 || *at == 0x7f)
			return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
				"\"%s\" has a control character", value);
	}
	if (strlen(value) >= row->size)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"the text is longer than %zu bytes", row->size - 1);
	if (row->type == SETTING_PATH && value[0] && value[0] != '/')
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"\"%s\" must begin with / (or be empty)", value);
	if (row->type == SETTING_TEXT && !value[0])
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL, "it is empty: the default is %s",
			row->default_text);
	str_copy(field, row->size, value);
	return 0;
}

static int setting_set(
	struct settings *s, const struct setting_row *row, const char *value, struct err *err)
{
	void *field = setting_field(s, row);
	int code = -EINVAL;

	switch (row->type) {
	case SETTING_BOOL:
		code = setting_set_bool(field, value, err);
		break;
	case SETTING_INT:
		code = setting_set_int(field, row, value, err);
		break;
	case SETTING_DOUBLE:
		code = setting_set_double(field, row, value, err);
		break;
	case SETTING_CHOICE:
		code = setting_set_choice(field, row, value, err);
		break;
	case SETTING_TEXT:
	case SETTING_PATH:
		code = setting_set_text(field, row, value, err);
		break;
	}
	return code < 0 ? err_prefix(err, code, "%s", row->key) : 0;
}

static int setting_unknown_section(const char *section, struct err *err)
{
	const char *names[32], *nearest;
	size_t count = 0;

	for (size_t i = 0; i < settings_count && count < 32; i++) {
		if (count == 0 || strcmp(names[count - 1], settings_table[i].section) != 0)
			names[count++] = settings_table[i].section;
	}
	nearest = str_nearest(section, names, count);
	if (nearest)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"unknown section [%s]: did you mean [%s]?", section, nearest);
	return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
		"unknown section [%s]: there are display, drives, run and paths", section);
}

static int setting_unknown(const char *section, const char *key, struct err *err)
{
	const char *names[64], *nearest;
	bool known_section = false;
	size_t count = 0;

	for (size_t i = 0; i < settings_count; i++) {
		const struct setting_row *row = &settings_table[i];

		if (strcasecmp(row->section, section) == 0) {
			known_section = true;
			if (count < 64)
				names[count++] = row->key;
		}
	}
	/* the right key in the wrong place is the likeliest slip */
	for (size_t i = 0; i < settings_count; i++) {
		if (strcasecmp(settings_table[i].key, key) == 0)
			return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
				"%s belongs into section [%s]", key, settings_table[i].section);
	}
	if (!*section)
		return err_set_exit(
			err, ERR_EXIT_USAGE, -EINVAL, "%s stands before any [section]", key);
	if (!known_section)
		return setting_unknown_section(section, err);
	nearest = str_nearest(key, names, count);
	if (nearest)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"unknown setting \"%s\": did you mean %s?", key, nearest);
	return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
		"unknown setting \"%s\" in [%s]: see nvsweep.ini(5)", key, section);
}

int settings_set(struct settings *s, const char *section, const char *key, const char *value,
	struct err *err)
{
	const struct setting_row *row = settings_find(section, key);

	return row ? setting_set(s, row, value, err) : setting_unknown(section, key, err);
}

void settings_defaults(struct settings *out)
{
	*out = (struct settings){0};
	for (size_t i = 0; i < settings_count; i++) {
		/* the table is held valid by a test */
		setting_set(out, &settings_table[i], settings_table[i].default_text, NULL);
	}
}

static bool settings_know_section(const char *section)
{
	for (size_t i = 0; i < settings_count; i++) {
		if (strcasecmp(settings_table[i].section, section) == 0)
			return true;
	}
	return false;
}

static int settings_apply(struct settings *s, const struct ini *ini, struct err *err)
{
	for (size_t i = 0; i < ini_section_count(ini); i++) {
		const char *section = ini_section(ini, i), *key;
		int code;

		/* a section without keys must not be overlooked because its name is wrong */
		if (*section && !settings_know_section(section)) {
			code = setting_unknown_section(section, err);
			return err_prefix(
				err, code, "%s:%d", ini_name(ini), ini_section_line(ini, section));
		}
		for (size_t k = 0; (key = ini_key(ini, section, k)) != NULL; k++) {
			code = settings_set(s, section, key, ini_get(ini, section, key), err);
			if (code < 0)
				return err_prefix(err, code, "%s:%d", ini_name(ini),
					ini_line(ini, section, key));
		}
	}
	return 0;
}

int settings_load(struct settings *out, const char *path, struct err *err)
{
	char origin[PATH_MAX + 256];
	struct settings loaded;
	struct ini *ini;
	int code;

	settings_defaults(&loaded);
	for (int layer = ASSET_BUILTIN; layer <= ASSET_USER; layer++) {
		size_t length;
		char *text;

		code = assets_read_layer((enum asset_layer)layer, "nvsweep.ini", &text, &length,
			origin, sizeof(origin), err);
		if (code == -ENOENT) {
			err_clear(err);
			continue;
		}
		if (code < 0)
			return code;
		code = ini_parse(origin, text, length, &ini, err);
		free(text);
		if (code < 0)
			return code;
		code = settings_apply(&loaded, ini, err);
		ini_free(ini);
		if (code < 0)
			return code;
	}
	if (path) {
		code = ini_load(path, &ini, err);
		if (code < 0)
			return code;
		code = settings_apply(&loaded, ini, err);
		ini_free(ini);
		if (code < 0)
			return code;
	}
	*out = loaded;
	return 0;
}

int settings_save(struct settings *s, const char *section, const char *key, const char *value,
	struct err *err)
{
	char folder[PATH_MAX], path[PATH_MAX + 16];
	struct settings changed = *s;
	int code = settings_set(&changed, section, key, value, err);

	if (code < 0)
		return code;
	if (assets_layer_folder(ASSET_USER, folder, sizeof(folder)) < 0)
		return err_set(err, -ENOENT,
			"settings cannot be saved: no home folder is known (set HOME)");
	code = file_make_dirs(folder, err);
	if (code < 0)
		return code;
	str_format(path, sizeof(path), "%s/nvsweep.ini", folder);
	code = ini_edit(path, section, key, value, err);
	if (code == 0)
		*s = changed;
	return code;
}

void settings_value(const struct settings *s, const struct setting_row *row, char *buf, size_t size)
{
	const void *field = (const char *)s + row->offset;

	switch (row->type) {
	case SETTING_BOOL:
		str_copy(buf, size, *(const bool *)field ? "yes" : "no");
		break;
	case SETTING_INT:
		str_format(buf, size, "%lld", (long long)*(const int64_t *)field);
		break;
	case SETTING_DOUBLE:
		units_double(buf, size, *(const double *)field);
		break;
	case SETTING_CHOICE:
	case SETTING_TEXT:
	case SETTING_PATH:
		str_copy(buf, size, field);
		break;
	}
}
