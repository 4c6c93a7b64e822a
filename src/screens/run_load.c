/* Reading runs beside the screen. */
#include "screens/run_load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "screens/file_task.h"

static struct run_load *load_of(struct desk_task *task)
{
	return (struct run_load *)task;
}

static void load_work(struct desk_task *task)
{
	struct run_load *load = load_of(task);
	int rc = 0;

	for (size_t i = 0; i < load->count && !rc; i++) {
		const struct store_entry *entry = &load->entries[i];

		rc = store_load(entry, &load->runs[i], &load->err);
		if (rc && access(entry->path, F_OK) && errno == ENOENT)
			err_set(&load->err, rc, "%s is gone: somebody deleted it meanwhile",
				entry->id);
		if (rc && !load->err.text[0])
			err_set(&load->err, rc, "%s could not be read", entry->path);
	}
	for (size_t i = 0; i < load->count && rc; i++) {
		run_free(load->runs[i]);
		load->runs[i] = NULL;
	}
	if (!rc && load->with_reference)
		reference_load(&load->reference, &load->reference_faults, NULL);
}

static void load_done(struct desk_task *task)
{
	load_of(task)->done(load_of(task), task->screen);
}

static void load_dispose(struct desk_task *task)
{
	struct run_load *load = load_of(task);

	for (size_t i = 0; i < load->count; i++)
		run_free(load->runs[i]);
	reference_table_free(&load->reference);
	free(load->reference_faults);
	free(load);
}

void run_load_start(struct screen *screen, const struct store_entry *const *entries, size_t count,
	bool with_reference, void (*done)(struct run_load *load, struct screen *screen))
{
	struct run_load *load = mem_alloc(sizeof(*load));

	load->task = (struct desk_task){
		.work = load_work, .done = load_done, .dispose = load_dispose, .screen = screen};
	for (size_t i = 0; i < count && i < COMPARE_RUNS_MAX; i++)
		load->entries[load->count++] = *entries[i];
	load->with_reference = with_reference;
	load->done = done;
	file_task_submit(screen->desk, FILE_TASK_RUN, &load->task);
}

void run_load_complain(const struct run_load *load, struct screen *screen)
{
	char text[512];

	if (!load->reference_faults)
		return;
	str_format(text, sizeof(text), "%.*s", (int)strcspn(load->reference_faults, "\n"),
		load->reference_faults);
	screen->desk->notice(screen->desk, text);
}
