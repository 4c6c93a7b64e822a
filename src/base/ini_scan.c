/* One line of an INI text after the other. */
#include "base/ini_scan.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/str.h"

static bool scan_is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static int scan_fault(const struct ini_scan *scan, const char *what, struct err *err)
{
	return err_set_exit(
		err, ERR_EXIT_USAGE, -EINVAL, "%s:%d: %s", scan->name, scan->line, what);
}

void ini_scan_start(struct ini_scan *scan, const char *name, const char *text, size_t length)
{
	*scan = (struct ini_scan){.name = name, .text = text, .length = length};
}

/* The trimmed, lower-case name in [begin, end). */
static int scan_word(
	struct ini_scan *scan, size_t begin, size_t end, const char *what, struct err *err)
{
	char sentence[96];

	while (begin < end && scan_is_space(scan->text[begin]))
		begin++;
	while (end > begin && scan_is_space(scan->text[end - 1]))
		end--;
	if (begin == end || end - begin >= INI_NAME_MAX) {
		str_format(sentence, sizeof(sentence), "the name of the %s is %s", what,
			begin == end ? "empty" : "too long");
		return scan_fault(scan, sentence, err);
	}
	for (size_t i = begin; i < end; i++) {
		char c = scan->text[i];

		scan->word[i - begin] = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
	}
	scan->word[end - begin] = '\0';
	return 1;
}

static int scan_section(struct ini_scan *scan, size_t begin, size_t end, struct err *err)
{
	const char *close = memchr(scan->text + begin, ']', end - begin);
	size_t at;

	if (!close)
		return scan_fault(scan, "the section has no closing ]", err);
	at = (size_t)(close - scan->text);
	if (at + 1 != end)
		return scan_fault(
			scan, "nothing may follow the ] of a section, not even a comment", err);
	/* iniparser joins section and key with a colon */
	if (memchr(scan->text + begin, ':', at - begin))
		return scan_fault(scan, "the name of a section must not contain a colon", err);
	scan->kind = INI_SECTION;
	return scan_word(scan, begin + 1, at, "section", err);
}

static int scan_value(struct ini_scan *scan, size_t begin, size_t end, struct err *err)
{
	const char *text = scan->text;
	size_t at;

	while (begin < end && scan_is_space(text[begin]))
		begin++;
	at = begin;
	if (at < end && (text[at] == '"' || text[at] == '\'')) {
		const char *quote = memchr(text + at + 1, text[at], end - at - 1);

		if (!quote)
			return scan_fault(scan, "the quote is not closed", err);
		if (memchr(text + at, '\\', (size_t)(quote - text) - at))
			return scan_fault(scan, "a backslash inside quotes is not supported", err);
		scan->value_begin = begin;
		scan->value_end = (size_t)(quote - text) + 1;
		for (at = scan->value_end; at < end && scan_is_space(text[at]); at++)
			;
		if (at < end && text[at] != '#' && text[at] != ';')
			return scan_fault(scan, "something follows the closing quote", err);
		return 1;
	}
	while (at < end && text[at] != '#' && text[at] != ';')
		at++;
	while (at > begin && scan_is_space(text[at - 1]))
		at--;
	scan->value_begin = begin;
	scan->value_end = at;
	return 1;
}

static int scan_line(struct ini_scan *scan, struct err *err)
{
	const char *text = scan->text, *equals;
	size_t begin = scan->begin, end = scan->end;

	if (scan->line == 1 && end - begin >= 3 && memcmp(text + begin, "\xef\xbb\xbf", 3) == 0)
		return scan_fault(scan,
			"the file begins with a byte order mark (BOM): save it as UTF-8 without BOM",
			err);
	if (memchr(text + begin, '\0', end - begin))
		return scan_fault(scan, "there is a NUL byte: this is not a text file", err);
	while (end > begin && scan_is_space(text[end - 1]))
		end--;
	while (begin < end && scan_is_space(text[begin]))
		begin++;
	if (begin == end) {
		scan->kind = INI_BLANK;
		return 1;
	}
	if (text[end - 1] == '\\')
		return scan_fault(scan, "a line must not end with a backslash", err);
	if (text[begin] == '#' || text[begin] == ';') {
		scan->kind = INI_COMMENT;
		return 1;
	}
	if (text[begin] == '[')
		return scan_section(scan, begin, end, err);
	equals = memchr(text + begin, '=', end - begin);
	if (!equals)
		return scan_fault(scan, "neither \"key = value\" nor a [section]", err);
	scan->kind = INI_KEY;
	if (scan_word(scan, begin, (size_t)(equals - text), "key", err) < 0)
		return -EINVAL;
	return scan_value(scan, (size_t)(equals - text) + 1, end, err);
}

int ini_scan_next(struct ini_scan *scan, struct err *err)
{
	const char *feed;

	if (scan->at >= scan->length)
		return 0;
	scan->line++;
	scan->begin = scan->at;
	feed = memchr(scan->text + scan->at, '\n', scan->length - scan->at);
	scan->end = feed ? (size_t)(feed - scan->text) : scan->length;
	scan->next = feed ? scan->end + 1 : scan->length;
	scan->at = scan->next;
	if (scan->end - scan->begin > INI_LINE_MAX)
		return scan_fault(scan, "the line is longer than 1022 bytes", err);
	if (scan->end > scan->begin && scan->text[scan->end - 1] == '\r')
		scan->end--;
	return scan_line(scan, err);
}
