/* Changing one key of an INI file and nothing else: comments, order and spacing stay. Second body of
 * ini.h. */
#include "base/ini.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/ini_scan.h"
#include "base/str.h"

#define INI_FILE_MAX (256 * 1024)

/* Where the new text goes. */
struct edit_place {
	bool replaces;      /* [begin, end) is the old value */
	bool section_found; /* otherwise insert a line at begin */
	size_t begin, end;
};

/* "#key = ..." or "# key = ...": a default shown as a comment; the new line belongs below it. */
static bool edit_is_commented_key(const char *line, size_t length, const char *key)
{
	size_t n = strlen(key), at = 0;

	while (at < length && strchr(" \t#;", line[at]))
		at++;
	if (length - at < n || strncasecmp(line + at, key, n) != 0)
		return false;
	for (at += n; at < length && (line[at] == ' ' || line[at] == '\t'); at++)
		;
	return at < length && line[at] == '=';
}

static int edit_find(struct ini_scan *scan, const char *section, const char *key,
	struct edit_place *place, struct err *err)
{
	bool inside = *section == '\0', below_comment = false;
	int got;

	*place = (struct edit_place){.section_found = inside};
	while ((got = ini_scan_next(scan, err)) > 0) {
		switch (scan->kind) {
		case INI_SECTION:
			inside = strcasecmp(scan->word, section) == 0;
			if (!inside || place->section_found)
				break;
			place->section_found = true;
			place->begin = scan->next;
			break;
		case INI_KEY:
			if (!inside)
				break;
			if (strcasecmp(scan->word, key) == 0) {
				*place = (struct edit_place){.replaces = true,
					.section_found = true,
					.begin = scan->value_begin,
					.end = scan->value_end};
				return 0;
			}
			if (!below_comment)
				place->begin = scan->next;
			break;
		case INI_COMMENT:
			if (inside && !below_comment &&
				edit_is_commented_key(
					scan->text + scan->begin, scan->end - scan->begin, key)) {
				below_comment = true;
				place->begin = scan->next;
			} else if (inside && !below_comment && place->section_found && *section) {
				place->begin = scan->next;
			}
			break;
		case INI_BLANK:
			break;
		}
	}
	return got;
}

/* The value as it must be written to be read back the same. */
static int edit_quote(const char *value, char *out, size_t size, struct err *err)
{
	size_t length = strlen(value);
	bool quote = length == 0 || strpbrk(value, "#;'\"") || value[0] == ' ' ||
		value[length - 1] == ' ';
	char mark = strchr(value, '"') ? '\'' : '"';

	for (size_t i = 0; i < length; i++) {
		if ((unsigned char)value[i] < 0x20 || value[i] == 0x7f)
			return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
				"a value must not contain control characters");
	}
	if (quote && (strchr(value, mark) || strchr(value, '\\')))
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"the value %s cannot be written in an INI file", value);
	if (length + 3 > size)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL, "the value is too long");
	if (quote)
		str_format(out, size, "%c%s%c", mark, value, mark);
	else
		str_copy(out, size, value);
	return 0;
}

static void edit_build(struct strbuf *out, const char *text, size_t length,
	const struct edit_place *place, const char *section, const char *key, const char *value)
{
	const char *feed = memchr(text, '\n', length);
	const char *end = feed && feed > text && feed[-1] == '\r' ? "\r\n" : "\n";
	size_t at = place->section_found ? place->begin : length;

	strbuf_add_bytes(out, text, at);
	if (place->replaces) {
		/* "key =" without a value has no space to reuse */
		if (place->begin == place->end && text[at - 1] == '=')
			strbuf_add(out, " ");
		strbuf_add(out, value);
		/* a comment after the value must keep its distance: "x" "# why" */
		if (place->end < length && strchr("#;", text[place->end]))
			strbuf_add(out, " ");
		strbuf_add_bytes(out, text + place->end, length - place->end);
		return;
	}
	if (at > 0 && text[at - 1] != '\n')
		strbuf_add(out, end);
	if (!place->section_found)
		strbuf_addf(out, "%s[%s]%s", length > 0 ? end : "", section, end);
	strbuf_addf(out, "%s = %s%s", key, value, end);
	strbuf_add_bytes(out, text + at, length - at);
}

/* Reads the result back before it replaces the file. */
static int edit_verify(const char *path, const struct strbuf *text, const char *section,
	const char *key, const char *value, struct err *err)
{
	struct ini *ini;
	int code = ini_parse(path, text->text, text->length, &ini, err);
	const char *got;

	if (code < 0)
		return code;
	got = ini_get(ini, section, key);
	if (!got || strcmp(got, value) != 0)
		code = err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"%s: \"%s\" cannot be written for the key \"%s\"", path, value, key);
	ini_free(ini);
	return code;
}

int ini_edit(
	const char *path, const char *section, const char *key, const char *value, struct err *err)
{
	char quoted[INI_LINE_MAX];
	struct edit_place place;
	struct strbuf edited = {0};
	struct ini_scan scan;
	size_t length = 0;
	char *text = NULL;
	int code;

	code = edit_quote(value, quoted, sizeof(quoted), err);
	if (code < 0)
		return code;
	code = file_read(path, INI_FILE_MAX, &text, &length, err);
	if (code == -ENOENT) {
		err_clear(err);
		text = mem_strdup("");
	} else if (code < 0) {
		return code;
	}
	ini_scan_start(&scan, path, text, length);
	code = edit_find(&scan, section, key, &place, err);
	if (code == 0) {
		edit_build(&edited, text, length, &place, section, key, quoted);
		code = edit_verify(path, &edited, section, key, value, err);
	}
	if (code == 0)
		code = file_write_atomic(path, edited.text, edited.length, err);
	strbuf_free(&edited);
	free(text);
	return code;
}
