/* What a user writes onto a run: tags and a note. Pure; any thread.
 *
 * A tag is 1 to 31 printable characters without spaces and commas, no leading '-' (in a filter that
 * takes a word away); upper and lower case are told apart nowhere, the first spelling stays. A note
 * is at most 500 bytes of printable UTF-8; line breaks are kept, other white space becomes spaces. */
#ifndef RESULT_MARKS_H
#define RESULT_MARKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/json.h"

#define RUN_TAGS_MAX 16
#define RUN_TAG_CHARACTERS 31
#define RUN_NOTE_BYTES 500

struct run_marks {
	char tags[RUN_TAGS_MAX][4 * RUN_TAG_CHARACTERS + 1]; /* in the order they were given */
	size_t tag_count;
	char note[RUN_NOTE_BYTES + 1]; /* "" none */
};

/* ERR_EXIT_USAGE with a sentence when it is no tag, or there are 16 already. One that is there
 * stays once. */
int marks_add_tag(struct run_marks *marks, const char *tag, struct err *err);
/* -ENOENT (ERR_EXIT_USAGE) when there is none, with those that are. */
int marks_remove_tag(struct run_marks *marks, const char *tag, struct err *err);
bool marks_have_tag(const struct run_marks *marks, const char *tag);
/* Tags as a form edits them: "fresh, batch-7", separated by spaces or commas; replaces all. */
int marks_set_tags(struct run_marks *marks, const char *list, struct err *err);
/* "" takes the note away. White space at both ends is cut. */
int marks_set_note(struct run_marks *marks, const char *note, struct err *err);
/* "fresh, batch-7"; "" without tags. Returns buf. */
char *marks_tags_text(const struct run_marks *marks, char *buf, size_t size);
bool marks_empty(const struct run_marks *marks);
bool marks_equal(const struct run_marks *a, const struct run_marks *b);

/* "tags" and "note" of an object. Reading drops what is not valid (files are not trusted). */
void marks_to_json(const struct run_marks *marks, struct json *object);
void marks_from_json(const struct json *object, struct run_marks *out);

#endif
