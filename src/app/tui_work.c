/* Work beside the screens, on job threads. */
#include "app/tui_work.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"

struct tui_work {
	struct jobs_client *client; /* NULL: everything is done at once */
	struct desk_work *pending;  /* submitted, not collected */
};

struct tui_work *tui_work_create(struct jobs *jobs)
{
	struct tui_work *self = mem_alloc(sizeof(*self));
	struct err err = {0};

	if (jobs && jobs_client_open(jobs, &self->client, &err))
		log_warn("files are read on the screen's thread: %s", err.text);
	return self;
}

void tui_work_free(struct tui_work *self)
{
	if (!self)
		return;
	if (self->client)
		jobs_client_close(self->client);
	free(self);
}

/* The job is the first member of the work. */
static struct desk_work *work_of(struct job *job)
{
	return (struct desk_work *)job;
}

static void run_job(struct job *job)
{
	work_of(job)->run(work_of(job));
}

static void discard_job(struct job *job)
{
	work_of(job)->destroy(work_of(job));
}

static void finish(struct desk_work *work)
{
	if (work->screen)
		work->done(work, work->screen);
	work->destroy(work);
}

void tui_work_submit(struct tui_work *self, enum desk_queue queue, struct desk_work *work)
{
	struct err err = {0};

	work->job.run = run_job;
	work->job.discard = discard_job;
	work->next = NULL;
	if (self->client &&
		!jobs_submit(self->client, queue == DESK_WRITE ? "files-write" : "files-read",
			&work->job, &err)) {
		work->next = self->pending;
		self->pending = work;
		return;
	}
	work->run(work);
	finish(work);
}

void tui_work_forget(struct tui_work *self, const struct screen *screen)
{
	for (struct desk_work *work = self->pending; work; work = work->next)
		if (work->screen == screen)
			work->screen = NULL;
}

int tui_work_fd(const struct tui_work *self)
{
	return self->client ? jobs_client_fd(self->client) : -1;
}

bool tui_work_take(struct tui_work *self)
{
	struct job *job;
	bool any = false;

	while (self->client && (job = jobs_collect(self->client))) {
		struct desk_work *work = work_of(job), **at = &self->pending;

		while (*at && *at != work)
			at = &(*at)->next;
		if (*at)
			*at = work->next;
		finish(work);
		any = true;
	}
	return any;
}
