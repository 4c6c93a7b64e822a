/* Tags and note of a run: what is allowed, text forms, JSON. */
#include "result/marks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"

static const char *tag_fault(const char *tag)
{
	size_t characters = 0;

	if (!*tag)
		return "it is empty";
	if (*tag == '-')
		return "it begins with -";
	for (const char *at = tag; *at; characters++) {
		const char *from = at;
		const uint32_t code = str_utf8_next(&at);

		if (code == ' ' || code == ',' || code == '"')
			return "it holds a space, comma or quote";
		if (!str_is_showable(code) || (code == '?' && *from != '?'))
			return "it holds something that cannot be shown";
	}
	return characters > RUN_TAG_CHARACTERS ? "it is longer than 31 characters" : NULL;
}

static size_t find_tag(const struct run_marks *marks, const char *tag)
{
	size_t i = 0;

	while (i < marks->tag_count && strcasecmp(marks->tags[i], tag))
		i++;
	return i;
}

bool marks_have_tag(const struct run_marks *marks, const char *tag)
{
	return find_tag(marks, tag) < marks->tag_count;
}

int marks_add_tag(struct run_marks *marks, const char *tag, struct err *err)
{
	const char *fault = tag_fault(tag);
	char shown[160];

	if (fault) {
		str_sanitize_utf8(shown, sizeof(shown), tag);
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"\"%s\" cannot be a tag: %s; a tag is a word such as fresh or batch-7",
			shown, fault);
	}
	if (marks_have_tag(marks, tag))
		return 0;
	if (marks->tag_count == RUN_TAGS_MAX)
		return err_set_exit(err, ERR_EXIT_USAGE, -E2BIG,
			"the tag %s is one too many: a run has at most %d", tag, RUN_TAGS_MAX);
	str_copy(marks->tags[marks->tag_count++], sizeof(marks->tags[0]), tag);
	return 0;
}

int marks_remove_tag(struct run_marks *marks, const char *tag, struct err *err)
{
	const size_t at = find_tag(marks, tag);
	char shown[160], all[sizeof(marks->tags) / 4];

	if (at == marks->tag_count) {
		str_sanitize_utf8(shown, sizeof(shown), tag);
		return err_set_exit(err, ERR_EXIT_USAGE, -ENOENT, "no tag %s%s%s", shown,
			marks->tag_count ? "; its tags are " : "; it has none",
			marks_tags_text(marks, all, sizeof(all)));
	}
	marks->tag_count--;
	memmove(marks->tags[at], marks->tags[at + 1],
		(marks->tag_count - at) * sizeof(marks->tags[0]));
	memset(marks->tags[marks->tag_count], 0, sizeof(marks->tags[0]));
	return 0;
}

int marks_set_tags(struct run_marks *marks, const char *list, struct err *err)
{
	struct run_marks next = {0};
	char word[512];
	int rc = 0;

	while (!rc) {
		list += strspn(list, " ,\t");
		const size_t length = strcspn(list, " ,\t");

		if (!length)
			break;
		str_format(word, sizeof(word), "%.*s", (int)(length < 511 ? length : 511), list);
		rc = marks_add_tag(&next, word, err);
		list += length;
	}
	if (rc)
		return rc;
	memcpy(marks->tags, next.tags, sizeof(next.tags));
	marks->tag_count = next.tag_count;
	return 0;
}

/* Line ends of any kind become '\n', other white space a space, what cannot be shown '?'. White
 * space at both ends and at the ends of lines is dropped. Returns the length, also beyond size. */
static size_t clean_note(const char *note, char *buf, size_t size)
{
	struct strbuf out = {0};
	char bytes[8];
	size_t length;

	note += strspn(note, " \t\r\n");
	while (*note) {
		const char *from = note;
		const uint32_t code = str_utf8_next(&note);

		if (code == '\r' && *note == '\n')
			continue;
		if (code == '\n' || code == '\r') {
			while (out.length && out.text[out.length - 1] == ' ')
				out.text[--out.length] = '\0';
			strbuf_add(&out, "\n");
		} else if (code == '\t' || code == '\v' || code == '\f') {
			strbuf_add(&out, " ");
		} else if (!str_is_showable(code)) {
			strbuf_add(&out, "?");
		} else {
			str_utf8_put(bytes, code);
			strbuf_add(&out, *from == '?' ? "?" : bytes);
		}
	}
	while (out.length && strchr(" \n", out.text[out.length - 1]))
		out.text[--out.length] = '\0';
	length = out.length;
	str_copy(buf, size, out.text ? out.text : "");
	strbuf_free(&out);
	return length;
}

int marks_set_note(struct run_marks *marks, const char *note, struct err *err)
{
	char clean[RUN_NOTE_BYTES + 1];
	const size_t length = clean_note(note, clean, sizeof(clean));

	if (length > RUN_NOTE_BYTES)
		return err_set_exit(err, ERR_EXIT_USAGE, -E2BIG,
			"the note has %zu bytes: at most %d are kept, shorten it", length,
			RUN_NOTE_BYTES);
	str_copy(marks->note, sizeof(marks->note), clean);
	return 0;
}

char *marks_tags_text(const struct run_marks *marks, char *buf, size_t size)
{
	str_copy(buf, size, "");
	for (size_t i = 0; i < marks->tag_count; i++)
		str_append(buf, size, "%s%s", i ? ", " : "", marks->tags[i]);
	return buf;
}

bool marks_empty(const struct run_marks *marks)
{
	return !marks->tag_count && !marks->note[0];
}

bool marks_equal(const struct run_marks *a, const struct run_marks *b)
{
	if (a->tag_count != b->tag_count || strcmp(a->note, b->note))
		return false;
	for (size_t i = 0; i < a->tag_count; i++)
		if (strcmp(a->tags[i], b->tags[i]))
			return false;
	return true;
}

void marks_to_json(const struct run_marks *marks, struct json *object)
{
	struct json *tags = json_array();

	for (size_t i = 0; i < marks->tag_count; i++)
		json_add_string(tags, marks->tags[i]);
	json_set(object, "tags", tags);
	json_set_string(object, "note", marks->note[0] ? marks->note : NULL);
}

void marks_from_json(const struct json *object, struct run_marks *out)
{
	const struct json *tags = json_get(object, "tags");
	const char *text;

	*out = (struct run_marks){0};
	for (size_t i = 0; i < json_length(tags); i++)
		if (!json_at_string(tags, i, &text, NULL))
			marks_add_tag(out, text, NULL);
	if (!json_read_string(object, "note", &text, NULL)) {
		/* Of a longer one from elsewhere as much is shown as this version can keep. */
		char *whole = mem_strdup(text);

		if (marks_set_note(out, whole, NULL))
			clean_note(whole, out->note, sizeof(out->note));
		free(whole);
	}
}
