/* What lies behind the curve of a saved run: the published figures or another run. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "screens/file_task.h"
#include "screens/run.h"
#include "screens/run_load.h"

#define OTHERS_MAX 200

static struct run_screen *of(struct screen *screen)
{
	return (struct run_screen *)screen;
}

static void set(struct run_screen *self, enum run_overlay overlay)
{
	char when[32], name[120];

	self->overlay = overlay;
	curve_overlays_free(&self->overlays);
	if (overlay == RUN_OVERLAY_PUBLISHED) {
		curve_overlays_add_reference(&self->overlays, &self->published);
	} else if (overlay == RUN_OVERLAY_RUN && self->other_run) {
		screen_time_text(self->other.started, when, sizeof(when));
		str_format(name, sizeof(name), "%s%s %s", self->other.simulated ? "SIM " : "",
			self->other.target, when);
		curve_overlays_add_run(&self->overlays, name, self->other_run, 1, CURVE_MEAN);
	}
}

/* ---- another run ----------------------------------------------------------------------------- */

struct others_work {
	struct desk_task task;
	char folder[512];
	struct store_entry *entries;
	size_t count;
	struct err err;
};

static struct others_work *others_of(struct desk_task *task)
{
	return (struct others_work *)task;
}

static void others_work(struct desk_task *task)
{
	struct others_work *self = others_of(task);

	if (store_list(self->folder, &self->entries, &self->count, &self->err))
		self->entries = NULL;
}

static void others_dispose(struct desk_task *task)
{
	free(others_of(task)->entries);
	free(task);
}

static void other_loaded(struct run_load *load, struct screen *screen)
{
	struct run_screen *self = of(screen);

	if (!load->runs[0]) {
		screen->desk->notice(screen->desk, load->err.text);
		return;
	}
	run_free(self->other_run);
	self->other = load->entries[0];
	self->other_run = load->runs[0];
	load->runs[0] = NULL;
	set(self, RUN_OVERLAY_RUN);
}

/* The choice is found again by its text: dialogs give no index. */
static void other_name(const struct store_entry *entry, char *buf, size_t size)
{
	char when[32];

	screen_time_text(entry->started, when, sizeof(when));
	str_format(buf, size, "%s  %s%s  %s  %s", when, entry->simulated ? "SIM " : "",
		entry->target, entry->method, entry->id);
}

static void answer_other(struct screen *screen, enum dialog_result result, const char *value)
{
	struct run_screen *self = of(screen);
	char name[300];

	if (result != DIALOG_YES)
		set(self, RUN_OVERLAY_NONE);
	for (size_t i = 0; i < self->other_count && result == DIALOG_YES; i++) {
		const struct store_entry *entry = &self->others[i];

		other_name(entry, name, sizeof(name));
		if (!strcmp(name, value)) {
			run_load_start(screen, &entry, 1, false, other_loaded);
			return;
		}
	}
}

/* Of the same workload, newest first. */
static void others_done(struct desk_task *task)
{
	struct others_work *work = others_of(task);
	struct run_screen *self = of(task->screen);
	struct desk *desk = self->screen.desk;
	size_t count = 0;

	for (size_t i = 0; i < work->count && count < OTHERS_MAX; i++) {
		const struct store_entry *entry = &work->entries[i];

		if (!entry->fault[0] && !entry->running && entry->point_count > 0 &&
			strcmp(entry->id, self->entry.id) &&
			!strcmp(entry->workload, self->entry.workload))
			work->entries[count++] = *entry;
	}
	free(self->others);
	self->others = work->entries;
	self->other_count = count;
	work->entries = NULL;
	if (work->err.text[0] || !count) {
		set(self, RUN_OVERLAY_NONE);
		desk->notice(desk,
			work->err.text[0] ? work->err.text
					  : "No other run of this workload is saved.");
		return;
	}
	char(*names)[300] = mem_alloc(count * sizeof(*names));
	const char **choices = mem_alloc((count + 1) * sizeof(*choices));

	for (size_t i = 0; i < count; i++) {
		other_name(&self->others[i], names[i], sizeof(names[i]));
		choices[i] = names[i];
	}
	desk->ask(desk, dialog_choice("Run behind the curve", choices, 0), answer_other,
		&self->screen);
	free(choices);
	free(names);
}

static void ask_other(struct run_screen *self)
{
	struct others_work *work = mem_alloc(sizeof(*work));

	work->task = (struct desk_task){.work = others_work,
		.done = others_done,
		.dispose = others_dispose,
		.screen = &self->screen};
	str_copy(work->folder, sizeof(work->folder), self->screen.desk->runs_folder);
	file_task_submit(self->screen.desk, FILE_TASK_FOLDER, &work->task);
}

/* ---- going round ----------------------------------------------------------------------------- */

static enum run_overlay next(const struct run_screen *self)
{
	switch (self->overlay) {
	case RUN_OVERLAY_NONE:
		return self->published.comparable ? RUN_OVERLAY_PUBLISHED : RUN_OVERLAY_RUN;
	case RUN_OVERLAY_PUBLISHED:
		return RUN_OVERLAY_RUN;
	default:
		return RUN_OVERLAY_NONE;
	}
}

void run_overlay_next(struct run_screen *self)
{
	switch (next(self)) {
	case RUN_OVERLAY_RUN:
		/* asks; without an answer nothing is behind it */
		set(self, RUN_OVERLAY_NONE);
		self->overlay = RUN_OVERLAY_RUN;
		ask_other(self);
		break;
	case RUN_OVERLAY_PUBLISHED:
		set(self, RUN_OVERLAY_PUBLISHED);
		break;
	case RUN_OVERLAY_NONE:
		run_free(self->other_run);
		self->other_run = NULL;
		set(self, RUN_OVERLAY_NONE);
		break;
	}
}

void run_overlay_words(const struct run_screen *self, char *rank, char *unlike, size_t size)
{
	const struct reference_comparison *published = &self->published;
	const char *first = published->rank_text[0] ? published->rank_text : published->none;

	str_format(rank, size, "%s%s",
		first[0] && published->mix_unknown ? "mix unknown, a hint only: " : "", first);
	str_copy(unlike, size, "");
	if (self->overlay == RUN_OVERLAY_PUBLISHED || !published->comparable)
		curve_overlays_unlike(published, unlike, size);
}

void run_overlay_free(struct run_screen *self)
{
	curve_overlays_free(&self->overlays);
	reference_comparison_free(&self->published);
	reference_table_free(&self->reference);
	run_free(self->other_run);
	free(self->others);
}
