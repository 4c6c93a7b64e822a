/* INI files. iniparser gives the values; our own scan of the same lines gives what it cannot: line
 * numbers, the order, duplicates, and faults with their reason. */
#include "base/ini.h"

#include <errno.h>
#include <fcntl.h>
#include <iniparser/iniparser.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/ini_scan.h"
#include "base/str.h"

#define INI_FILE_MAX (256 * 1024)

struct ini_entry {
	char *key, *value;
	int line;
};

struct ini_section {
	char *name;
	int line;
	struct ini_entry *entries;
	size_t count, capacity;
};

struct ini {
	char *name;
	struct ini_section *sections;
	size_t count, capacity;
};

static struct ini_section *ini_find_section(const struct ini *ini, const char *name)
{
	for (size_t i = 0; i < ini->count; i++) {
		if (strcasecmp(ini->sections[i].name, name) == 0)
			return &ini->sections[i];
	}
	return NULL;
}

static struct ini_entry *ini_find(const struct ini *ini, const char *section, const char *key)
{
	const struct ini_section *s = ini_find_section(ini, section);

	for (size_t i = 0; s && i < s->count; i++) {
		if (strcasecmp(s->entries[i].key, key) == 0)
			return &s->entries[i];
	}
	return NULL;
}

/* Index of the section of that name, made when new. Repeated sections go on where they were. */
static size_t ini_enter_section(struct ini *ini, const char *name, int line)
{
	struct ini_section *s = ini_find_section(ini, name);

	if (s)
		return (size_t)(s - ini->sections);
	if (ini->count == ini->capacity) {
		ini->capacity = ini->capacity ? ini->capacity * 2 : 8;
		ini->sections = mem_realloc(ini->sections, ini->capacity * sizeof(*ini->sections));
	}
	ini->sections[ini->count] = (struct ini_section){.name = mem_strdup(name), .line = line};
	return ini->count++;
}

static void ini_add_key(struct ini_section *s, const char *key, int line)
{
	if (s->count == s->capacity) {
		s->capacity = s->capacity ? s->capacity * 2 : 8;
		s->entries = mem_realloc(s->entries, s->capacity * sizeof(*s->entries));
	}
	s->entries[s->count++] = (struct ini_entry){.key = mem_strdup(key), .line = line};
}

static int ini_scan_all(struct ini *ini, const char *text, size_t length, struct err *err)
{
	struct ini_scan scan;
	size_t current = 0;
	bool inside = false;
	int got;

	ini_scan_start(&scan, ini->name, text, length);
	while ((got = ini_scan_next(&scan, err)) > 0) {
		if (scan.kind == INI_SECTION) {
			current = ini_enter_section(ini, scan.word, scan.line);
			inside = true;
		} else if (scan.kind == INI_KEY) {
			const struct ini_entry *old;

			if (!inside)
				current = ini_enter_section(ini, "", scan.line);
			inside = true;
			old = ini_find(ini, ini->sections[current].name, scan.word);
			if (old)
				return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
					"%s:%d: \"%s\" was already given in line %d", ini->name,
					scan.line, scan.word, old->line);
			ini_add_key(&ini->sections[current], scan.word, scan.line);
		}
	}
	return got;
}

/* iniparser's own words about a fault, for the rare case that it refuses what the scan accepted. */
static _Thread_local char ini_complaint[256];

static int ini_on_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int ini_on_error(const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(ini_complaint, sizeof(ini_complaint), format, args);
	va_end(args);
	return n;
}

static void ini_install_callback(void)
{
	iniparser_set_error_callback(ini_on_error);
}

/* iniparser reads only from a path: a memory file seen through /proc, or where there is no /proc a
 * temporary file. */
static dictionary *ini_load_text(const char *text, size_t length)
{
	char path[64];
	bool temporary = false;
	dictionary *loaded = NULL;
	int fd = memfd_create("nvsweep-ini", MFD_CLOEXEC);

	str_format(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd < 0 || access(path, R_OK) < 0) {
		if (fd >= 0)
			close(fd);
		str_copy(path, sizeof(path), "/tmp/nvsweep-ini-XXXXXX");
		fd = mkostemp(path, O_CLOEXEC);
		if (fd < 0) {
			str_copy(ini_complaint, sizeof(ini_complaint), "no temporary file");
			return NULL;
		}
		temporary = true;
	}
	/* memory and /tmp take at most INI_FILE_MAX in one write */
	if (write(fd, text, length) == (ssize_t)length)
		loaded = iniparser_load(path);
	else
		str_copy(ini_complaint, sizeof(ini_complaint), "no space for a temporary copy");
	if (temporary)
		unlink(path);
	close(fd);
	return loaded;
}

static int ini_fetch_values(struct ini *ini, const char *text, size_t length, struct err *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	char path[2 * INI_NAME_MAX + 2];
	dictionary *values;
	int code = 0;

	pthread_once(&once, ini_install_callback);
	ini_complaint[0] = '\0';
	values = ini_load_text(text, length);
	if (!values)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL, "%s: cannot be read: %s",
			ini->name, ini_complaint[0] ? ini_complaint : "iniparser refused it");
	for (size_t i = 0; i < ini->count && code == 0; i++) {
		struct ini_section *s = &ini->sections[i];

		for (size_t k = 0; k < s->count; k++) {
			const char *value;

			str_format(path, sizeof(path), "%s:%s", s->name, s->entries[k].key);
			value = iniparser_getstring(values, path, NULL);
			if (!value) {
				code = err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
					"%s:%d: cannot be read", ini->name, s->entries[k].line);
				break;
			}
			s->entries[k].value = mem_strdup(value);
		}
	}
	iniparser_freedict(values);
	return code;
}

int ini_parse(const char *name, const char *text, size_t length, struct ini **out, struct err *err)
{
	struct ini *ini;
	int code;

	if (length > INI_FILE_MAX)
		return err_set_exit(err, ERR_EXIT_USAGE, -EFBIG, "%s is larger than %d KiB", name,
			INI_FILE_MAX / 1024);
	ini = mem_alloc(sizeof(*ini));
	ini->name = mem_strdup(name);
	code = ini_scan_all(ini, text, length, err);
	if (code == 0)
		code = ini_fetch_values(ini, text, length, err);
	if (code < 0) {
		ini_free(ini);
		return code;
	}
	*out = ini;
	return 0;
}

int ini_load(const char *path, struct ini **out, struct err *err)
{
	size_t length;
	char *text;
	int code = file_read(path, INI_FILE_MAX, &text, &length, err);

	if (code == -EISDIR)
		return err_set_exit(
			err, ERR_EXIT_USAGE, -EINVAL, "%s is a directory, not an INI file", path);
	if (code < 0)
		return code;
	code = ini_parse(path, text, length, out, err);
	free(text);
	return code;
}

void ini_free(struct ini *ini)
{
	if (!ini)
		return;
	for (size_t i = 0; i < ini->count; i++) {
		for (size_t k = 0; k < ini->sections[i].count; k++) {
			free(ini->sections[i].entries[k].key);
			free(ini->sections[i].entries[k].value);
		}
		free(ini->sections[i].entries);
		free(ini->sections[i].name);
	}
	free(ini->sections);
	free(ini->name);
	free(ini);
}

const char *ini_get(const struct ini *ini, const char *section, const char *key)
{
	const struct ini_entry *entry = ini_find(ini, section, key);

	return entry ? entry->value : NULL;
}

int ini_line(const struct ini *ini, const char *section, const char *key)
{
	const struct ini_entry *entry = ini_find(ini, section, key);

	return entry ? entry->line : 0;
}

const char *ini_name(const struct ini *ini)
{
	return ini->name;
}

size_t ini_section_count(const struct ini *ini)
{
	return ini->count;
}

const char *ini_section(const struct ini *ini, size_t index)
{
	return index < ini->count ? ini->sections[index].name : NULL;
}

int ini_section_line(const struct ini *ini, const char *section)
{
	const struct ini_section *s = ini_find_section(ini, section);

	return s ? s->line : 0;
}

size_t ini_key_count(const struct ini *ini, const char *section)
{
	const struct ini_section *s = ini_find_section(ini, section);

	return s ? s->count : 0;
}

const char *ini_key(const struct ini *ini, const char *section, size_t index)
{
	const struct ini_section *s = ini_find_section(ini, section);

	return s && index < s->count ? s->entries[index].key : NULL;
}
