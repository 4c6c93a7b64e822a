/* Tags, notes, deleting and exporting of saved runs: dialogs, and the work behind them. */
#include "screens/run_edit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "report/run_export.h"
#include "screens/file_task.h"

enum edit_kind { EDIT_TAGS, EDIT_NOTE, EDIT_DELETE, EDIT_EXPORT };

/* Owned by the thread for files until it is done. */
struct edit_work {
	struct desk_task task;
	enum edit_kind kind;
	struct store_entry *entries;
	size_t count;
	struct run_marks before,
		after; /* tags that all had, and what they are to be; or the note */
	char path[1200];
	bool replace; /* an existing file may be */
	/* what came of it */
	size_t done; /* the entries before this one */
	bool exists; /* a file would have been replaced */
	struct err err;
	char written[1200]; /* the last file */
};

static struct edit_work *work_of(struct desk_task *task)
{
	return (struct edit_work *)task;
}

void run_edit_init(struct run_edit *edit, struct screen *screen,
	void (*changed)(struct screen *screen, const struct store_entry *entries, size_t count,
		bool deleted))
{
	*edit = (struct run_edit){.screen = screen, .changed = changed};
}

void run_edit_free(struct run_edit *edit)
{
	free(edit->entries);
	edit->entries = NULL;
}

/* ---- the work, on the thread for files ------------------------------------------------------- */

/* The tags that were common are replaced, a run's own ones stay. */
static int set_tags(struct store_entry *entry, const struct run_marks *before,
	const struct run_marks *after, struct err *err)
{
	struct run_marks marks = entry->marks;
	int rc = 0;

	for (size_t i = 0; i < before->tag_count; i++)
		if (!marks_have_tag(after, before->tags[i]) &&
			marks_have_tag(&marks, before->tags[i]))
			rc = rc ? rc : marks_remove_tag(&marks, before->tags[i], err);
	for (size_t i = 0; i < after->tag_count && !rc; i++)
		rc = marks_add_tag(&marks, after->tags[i], err);
	if (rc || marks_equal(&marks, &entry->marks))
		return rc;
	return store_set_marks(entry, &marks, err);
}

static int set_note(struct store_entry *entry, const char *note, struct err *err)
{
	struct run_marks marks = entry->marks;
	const int rc = marks_set_note(&marks, note, err);

	return rc ? rc : store_set_marks(entry, &marks, err);
}

/* '*' in the pattern becomes the run's id. */
static void export_name(const char *pattern, const char *id, char *buf, size_t size)
{
	const char *star = strchr(pattern, '*');

	if (star)
		str_format(buf, size, "%.*s%s%s", (int)(star - pattern), pattern, id, star + 1);
	else
		str_copy(buf, size, pattern);
}

static int export_entry(struct edit_work *self, const struct store_entry *entry)
{
	export_name(self->path, entry->id, self->written, sizeof(self->written));
	if (!self->replace && !access(self->written, F_OK)) {
		self->exists = true;
		return -EEXIST;
	}
	return run_export(entry, self->written, &self->err);
}

static void run_work(struct desk_task *task)
{
	struct edit_work *self = work_of(task);

	for (self->done = 0; self->done < self->count; self->done++) {
		struct store_entry *entry = &self->entries[self->done];
		int rc = 0;

		switch (self->kind) {
		case EDIT_TAGS:
			rc = set_tags(entry, &self->before, &self->after, &self->err);
			break;
		case EDIT_NOTE:
			rc = set_note(entry, self->after.note, &self->err);
			break;
		case EDIT_DELETE:
			rc = store_delete(entry, &self->err);
			/* what somebody else has deleted is gone as it should be */
			if (rc == -ENOENT)
				rc = 0;
			break;
		case EDIT_EXPORT:
			rc = export_entry(self, entry);
			break;
		}
		if (rc)
			return;
	}
}

static void dispose_work(struct desk_task *task)
{
	free(work_of(task)->entries);
	free(task);
}

/* ---- afterwards ------------------------------------------------------------------------------ */

static void answer_replace(struct screen *screen, enum dialog_result result, const char *value);

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

static void tell_done(const struct edit_work *self, char *buf, size_t size)
{
	const char *s = plural(self->count);

	switch (self->kind) {
	case EDIT_TAGS:
		str_format(buf, size, "Tags of %zu run%s set.", self->count, s);
		break;
	case EDIT_NOTE:
		str_format(buf, size, "Note of %zu run%s set.", self->count, s);
		break;
	case EDIT_DELETE:
		str_format(buf, size, "%zu run%s deleted.", self->count, s);
		break;
	case EDIT_EXPORT:
		str_format(buf, size, "%zu file%s written: %s%s", self->count, s,
			self->count > 1 ? "the last is " : "", self->written);
		break;
	}
}

static void work_done(struct desk_task *task)
{
	struct edit_work *self = work_of(task);
	struct screen *screen = task->screen;
	struct run_edit *edit = screen->ops->edit(screen);
	struct desk *desk = screen->desk;
	char text[sizeof(self->written) + 64];

	if (self->kind != EDIT_EXPORT && self->done && edit->changed)
		edit->changed(screen, self->entries, self->done, self->kind == EDIT_DELETE);
	if (self->exists) {
		str_format(text, sizeof(text), "%s is there already. Replace it?", self->written);
		desk->ask(desk, dialog_confirm("Export", text, "Replace", "Keep"), answer_replace,
			screen);
		return;
	}
	if (self->done < self->count) {
		str_copy(text, sizeof(text), self->err.text);
		if (self->done)
			str_append(text, sizeof(text), " (%zu of %zu done before)", self->done,
				self->count);
	} else {
		tell_done(self, text, sizeof(text));
	}
	desk->notice(desk, text);
}

static struct edit_work *begin(struct run_edit *edit, enum edit_kind kind)
{
	struct edit_work *self = mem_alloc(sizeof(*self));

	self->task = (struct desk_task){.work = run_work,
		.done = work_done,
		.dispose = dispose_work,
		.screen = edit->screen};
	self->kind = kind;
	self->count = edit->count;
	self->entries = mem_alloc((edit->count + 1) * sizeof(*self->entries));
	memcpy(self->entries, edit->entries, edit->count * sizeof(*self->entries));
	return self;
}

/* Takes the entries over that it can be done to; false: there are none, which has been said. */
static bool take(struct run_edit *edit, const struct store_entry *entries, size_t count,
	bool unreadable, const char *what)
{
	struct desk *desk = edit->screen->desk;
	char text[400];

	free(edit->entries);
	edit->entries = mem_alloc((count + 1) * sizeof(*edit->entries));
	edit->count = 0;
	for (size_t i = 0; i < count; i++) {
		if (entries[i].running) {
			str_format(text, sizeof(text), "%s is still running: it cannot be %s.",
				entries[i].id, what);
			desk->notice(desk, text);
			return false;
		}
		if (entries[i].fault[0] && !unreadable) {
			str_format(
				text, sizeof(text), "It cannot be %s: %s", what, entries[i].fault);
			desk->notice(desk, text);
			return false;
		}
		edit->entries[edit->count++] = entries[i];
	}
	return edit->count > 0;
}

/* "2026-11-30T14-09-02-nvme0n1-sql-1f" or "3 runs". */
static void name_them(const struct run_edit *edit, char *buf, size_t size)
{
	if (edit->count == 1)
		str_copy(buf, size, edit->entries[0].id);
	else
		str_format(buf, size, "%zu runs", edit->count);
}

/* ---- tags ------------------------------------------------------------------------------------ */

static void answer_tags(struct screen *screen, enum dialog_result result, const char *value);

static void ask_tags(struct run_edit *edit, const char *value)
{
	struct desk *desk = edit->screen->desk;
	char name[64], text[300];

	name_them(edit, name, sizeof(name));
	str_format(text, sizeof(text),
		"%s of %s. Type tags to add, take out those to remove; a space or comma stands "
		"between two.",
		edit->count == 1 ? "Tags" : "Tags common to all", name);
	desk->ask(desk, dialog_input("Tags", text, value), answer_tags, edit->screen);
}

static void answer_tags(struct screen *screen, enum dialog_result result, const char *value)
{
	struct run_edit *edit = screen->ops->edit(screen);
	struct run_marks after = {0};
	struct err err = {0};

	if (result != DIALOG_YES)
		return;
	str_copy(edit->text, sizeof(edit->text), value);
	if (marks_set_tags(&after, edit->text, &err)) {
		ask_tags(edit, edit->text);
		screen->desk->notice(screen->desk, err.text);
		return;
	}
	struct edit_work *self = begin(edit, EDIT_TAGS);
	self->before = edit->common;
	self->after = after;
	file_task_submit(edit->screen->desk, FILE_TASK_RUN, &self->task);
}

void run_edit_tags(struct run_edit *edit, const struct store_entry *entries, size_t count)
{
	char text[2200];

	if (!take(edit, entries, count, false, "tagged"))
		return;
	edit->common = edit->entries[0].marks;
	for (size_t i = 1; i < edit->count; i++)
		for (size_t t = edit->common.tag_count; t-- > 0;)
			if (!marks_have_tag(&edit->entries[i].marks, edit->common.tags[t]))
				marks_remove_tag(&edit->common, edit->common.tags[t], NULL);
	ask_tags(edit, marks_tags_text(&edit->common, text, sizeof(text)));
}

/* ---- note ------------------------------------------------------------------------------------ */

/* The dialog has one line: a line break of the note is shown and typed as \n. */
static void note_to_line(const char *note, char *buf, size_t size)
{
	size_t length = 0;

	for (; *note && length + 3 < size; note++) {
		if (*note == '\n') {
			buf[length++] = '\\';
			buf[length++] = 'n';
		} else {
			buf[length++] = *note;
		}
	}
	buf[length] = '\0';
}

static void line_to_note(char *line)
{
	char *to = line;

	for (const char *from = line; *from; from++) {
		if (from[0] == '\\' && from[1] == 'n') {
			*to++ = '\n';
			from++;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
}

static void answer_note(struct screen *screen, enum dialog_result result, const char *value);

static void ask_note(struct run_edit *edit, const char *value)
{
	struct desk *desk = edit->screen->desk;
	char name[64], text[300];

	name_them(edit, name, sizeof(name));
	str_format(text, sizeof(text), "Note on %s (empty: none; \\n begins a new line)", name);
	desk->ask(desk, dialog_input("Note", text, value), answer_note, edit->screen);
}

static void answer_note(struct screen *screen, enum dialog_result result, const char *value)
{
	struct run_edit *edit = screen->ops->edit(screen);
	struct run_marks marks = {0};
	char note[1200];
	struct err err = {0};

	if (result != DIALOG_YES)
		return;
	str_copy(edit->text, sizeof(edit->text), value);
	str_copy(note, sizeof(note), edit->text);
	line_to_note(note);
	if (marks_set_note(&marks, note, &err)) {
		ask_note(edit, edit->text);
		screen->desk->notice(screen->desk, err.text);
		return;
	}
	struct edit_work *self = begin(edit, EDIT_NOTE);
	self->after = marks;
	file_task_submit(edit->screen->desk, FILE_TASK_RUN, &self->task);
}

void run_edit_note(struct run_edit *edit, const struct store_entry *entries, size_t count)
{
	char text[1100] = "";

	if (!take(edit, entries, count, false, "given a note"))
		return;
	if (edit->count == 1)
		note_to_line(edit->entries[0].marks.note, text, sizeof(text));
	ask_note(edit, text);
}

/* ---- delete ---------------------------------------------------------------------------------- */

static void answer_delete(struct screen *screen, enum dialog_result result, const char *value)
{
	struct run_edit *edit = screen->ops->edit(screen);

	(void)value;
	if (result == DIALOG_YES)
		file_task_submit(screen->desk, FILE_TASK_RUN, &begin(edit, EDIT_DELETE)->task);
}

void run_edit_delete(struct run_edit *edit, const struct store_entry *entries, size_t count)
{
	struct desk *desk = edit->screen->desk;
	char text[700];

	if (!take(edit, entries, count, true, "deleted"))
		return;
	str_format(
		text, sizeof(text), "Delete %zu run%s for good?", edit->count, plural(edit->count));
	for (size_t i = 0; i < edit->count && i < 6; i++)
		str_append(text, sizeof(text), "\n%s", edit->entries[i].id);
	if (edit->count > 6)
		str_append(text, sizeof(text), "\nand %zu more", edit->count - 6);
	desk->ask(desk, dialog_confirm("Delete", text, "Delete", "Keep"), answer_delete,
		edit->screen);
}

/* ---- export ---------------------------------------------------------------------------------- */

void run_edit_path(const char *typed, char *buf, size_t size)
{
	const char *home = getenv("HOME");

	if (home && typed[0] == '~' && (typed[1] == '/' || !typed[1]))
		str_format(buf, size, "%s%s", home, typed + 1);
	else
		str_copy(buf, size, typed);
}

static void export_start(struct run_edit *edit, bool replace)
{
	struct edit_work *self = begin(edit, EDIT_EXPORT);

	run_edit_path(edit->text, self->path, sizeof(self->path));
	self->replace = replace;
	file_task_submit(edit->screen->desk, FILE_TASK_RUN, &self->task);
}

static void answer_replace(struct screen *screen, enum dialog_result result, const char *value)
{
	(void)value;
	if (result == DIALOG_YES)
		export_start(screen->ops->edit(screen), true);
}

static void answer_export(struct screen *screen, enum dialog_result result, const char *value);

static void ask_export(struct run_edit *edit, const char *value)
{
	struct desk *desk = edit->screen->desk;
	char name[64], text[400];

	name_them(edit, name, sizeof(name));
	str_format(text, sizeof(text),
		"File for %s. Its ending chooses: .json everything, .csv the intervals, .txt the "
		"report.%s",
		name, edit->count > 1 ? " * stands for the name of each run." : "");
	desk->ask(desk, dialog_input("Export", text, value), answer_export, edit->screen);
}

static void answer_export(struct screen *screen, enum dialog_result result, const char *value)
{
	struct run_edit *edit = screen->ops->edit(screen);
	const char *fault = NULL;

	if (result != DIALOG_YES)
		return;
	str_copy(edit->text, sizeof(edit->text), value);
	if (!edit->text[0])
		fault = "Type the name of the file to write.";
	else if (edit->count > 1 && !strchr(edit->text, '*'))
		fault = "Several runs need several files: put a * where the name of each run goes.";
	else if (run_form_of(edit->text) == RUN_FORM_COUNT)
		fault = "Let the name end in .json, .csv or .txt.";
	if (fault) {
		ask_export(edit, edit->text);
		screen->desk->notice(screen->desk, fault);
		return;
	}
	export_start(edit, false);
}

void run_edit_export(struct run_edit *edit, const struct store_entry *entries, size_t count)
{
	char value[80];

	if (!take(edit, entries, count, false, "exported"))
		return;
	str_format(value, sizeof(value), "%s.json", edit->count == 1 ? edit->entries[0].id : "*");
	ask_export(edit, value);
}
