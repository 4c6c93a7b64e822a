/* A comparison into a file: asks for its name, writes it on the thread for files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "report/compare_json.h"
#include "report/compare_text.h"
#include "screens/compare.h"
#include "screens/file_task.h"
#include "screens/run_edit.h"

struct export_work {
	struct desk_task task;
	char path[1200];
	bool replace;
	char *text;
	bool exists; /* it would have been replaced */
	int rc;
	struct err err;
};

static struct export_work *work_of(struct desk_task *task)
{
	return (struct export_work *)task;
}

static struct compare_screen *of(struct screen *screen)
{
	return (struct compare_screen *)screen;
}

static bool as_json(const char *path)
{
	return str_ends_with(path, ".json");
}

static void export_work(struct desk_task *task)
{
	struct export_work *self = work_of(task);

	if (!self->replace && !access(self->path, F_OK)) {
		self->exists = true;
		return;
	}
	self->rc = file_write_atomic(self->path, self->text, strlen(self->text), &self->err);
}

static void export_dispose(struct desk_task *task)
{
	free(work_of(task)->text);
	free(task);
}

static void answer_replace(struct screen *screen, enum dialog_result result, const char *value);

static void export_done(struct desk_task *task)
{
	struct export_work *self = work_of(task);
	struct desk *desk = task->screen->desk;
	char text[1300];

	if (self->exists) {
		str_format(text, sizeof(text), "%s is there already. Replace it?", self->path);
		desk->ask(desk, dialog_confirm("Export", text, "Replace", "Keep"), answer_replace,
			task->screen);
		return;
	}
	if (self->rc)
		str_copy(text, sizeof(text), self->err.text);
	else
		str_format(text, sizeof(text), "Written: %s", self->path);
	desk->notice(desk, text);
}

static char *make_json(const struct compare_screen *self)
{
	struct json *document = json_object();

	json_set_string(document, "schema", "nvsweep-compare/1");
	json_set_string(document, "generator", "nvsweep " NVSWEEP_VERSION);
	if (compare_published(self)) {
		struct json *runs = json_array();

		json_add(runs, compare_run_to_json(self->runs[0], 0));
		json_set(document, "runs", runs);
		json_set(document, "reference", reference_to_json(&self->published));
	} else {
		compare_to_json(&self->comparison, document);
	}
	char *text = json_text(document, true);
	json_free(document);
	return text;
}

static char *make_text(const struct compare_screen *self)
{
	const struct text_style style = {0};
	struct strbuf out = {0};

	if (compare_published(self)) {
		strbuf_addf(&out, "%s%s\n\n", self->runs[0]->simulated ? "SIMULATED " : "",
			self->runs[0]->id);
		reference_text(&self->published, &style, &out);
	} else {
		compare_text(&self->comparison, &style, &out);
	}
	return out.text ? out.text : mem_strdup("");
}

static void start(struct compare_screen *self, bool replace)
{
	struct export_work *work = mem_alloc(sizeof(*work));

	work->task = (struct desk_task){.work = export_work,
		.done = export_done,
		.dispose = export_dispose,
		.screen = &self->screen};
	run_edit_path(self->path, work->path, sizeof(work->path));
	work->replace = replace;
	work->text = as_json(self->path) ? make_json(self) : make_text(self);
	file_task_submit(self->screen.desk, FILE_TASK_RUN, &work->task);
}

static void answer_replace(struct screen *screen, enum dialog_result result, const char *value)
{
	(void)value;
	if (result == DIALOG_YES)
		start(of(screen), true);
}

static void answer_path(struct screen *screen, enum dialog_result result, const char *value);

static void ask(struct compare_screen *self, const char *value)
{
	struct desk *desk = self->screen.desk;

	desk->ask(desk,
		dialog_input("Export",
			"File for the comparison. Its ending chooses: .txt text, .json for programs.",
			value),
		answer_path, &self->screen);
}

static void answer_path(struct screen *screen, enum dialog_result result, const char *value)
{
	struct compare_screen *self = of(screen);

	if (result != DIALOG_YES)
		return;
	str_copy(self->path, sizeof(self->path), value);
	if (as_json(self->path) || str_ends_with(self->path, ".txt")) {
		start(self, false);
		return;
	}
	ask(self, self->path);
	screen->desk->notice(screen->desk, "Let the name end in .txt or .json.");
}

void compare_export(struct compare_screen *self)
{
	char value[160];

	if (!self->path[0])
		str_format(value, sizeof(value), "compare-%s.txt", self->entries[0].id);
	else
		str_copy(value, sizeof(value), self->path);
	ask(self, value);
}
