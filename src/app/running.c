/* The runs that are being measured just now. */
#include "app/running.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/serve.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "result/journal.h"
#include "result/store.h"

#define ENDING ".journal"
#define ATTACH_TRIES 20
#define ATTACH_WAIT_MS 50

/* "ID.journal" that a living process holds. */
static bool is_running(const char *folder, const char *name, struct running *out)
{
	char path[1024];
	struct run *run = NULL;
	const size_t length = strlen(name), tail = strlen(ENDING);

	if (name[0] == '.' || length <= tail || length - tail >= sizeof(out->id) ||
		!str_ends_with(name, ENDING))
		return false;
	str_format(path, sizeof(path), "%s/%s", folder, name);
	if (!journal_is_held(path))
		return false;
	*out = (struct running){0};
	str_format(out->id, sizeof(out->id), "%.*s", (int)(length - tail), name);
	if (journal_read_header(path, &run, NULL))
		return true; /* its first line is being written */
	out->started = run->started;
	str_copy(out->workload, sizeof(out->workload), run->workload);
	str_copy(out->method, sizeof(out->method), run->method);
	if (run->target_count > 1)
		str_format(out->target, sizeof(out->target), "%s +%zu", run->targets[0].name,
			run->target_count - 1);
	else if (run->target_count)
		str_copy(out->target, sizeof(out->target), run->targets[0].name);
	run_free(run);
	return true;
}

/* Its process was killed: nobody listens any more. */
static void remove_stale_socket(const char *folder, const char *name)
{
	char path[1024];
	struct attach *attach;
	const size_t stem = strlen(name) - strlen(SERVE_ENDING);

	str_format(path, sizeof(path), "%s/%.*s" ENDING, folder, (int)stem, name);
	if (journal_is_held(path))
		return;
	str_format(path, sizeof(path), "%.*s", (int)stem, name);
	const int rc = attach_open(folder, path, &attach, NULL);

	attach_close(attach);
	if (rc != -ECONNREFUSED)
		return;
	str_format(path, sizeof(path), "%s/%s", folder, name);
	unlink(path);
}

static int newest_first(const void *a, const void *b)
{
	const struct running *x = a, *y = b;

	if (x->started != y->started)
		return x->started < y->started ? 1 : -1;
	return strcmp(y->id, x->id);
}

/* One that has answered, failed, or never will. */
static void settle(struct running *running, struct attach **attach, const char *fault)
{
	if (!running->view)
		str_copy(running->fault, sizeof(running->fault), fault);
	attach_close(*attach);
	*attach = NULL;
}

static void take_answer(struct running *running, struct attach **attach)
{
	running->view = attach_take(*attach);
	if (running->view) {
		running->detached = attach_detached(*attach);
		str_copy(running->target, sizeof(running->target), running->view->targets);
		settle(running, attach, "");
	} else if (attach_lost(*attach)) {
		settle(running, attach, attach_lost(*attach));
	}
}

/* All at once, so that a process that hangs costs the patience once. */
static void ask(const char *folder, unsigned patience_ms, struct running *list, size_t count)
{
	const uint64_t deadline = clock_monotonic_ns() + patience_ms * UINT64_C(1000000);
	struct attach **attached = mem_alloc((count + 1) * sizeof(struct attach *));
	struct pollfd *fds = mem_alloc((count + 1) * sizeof(*fds));
	size_t open = 0;
	struct err err;

	for (size_t i = 0; i < count; i++) {
		err_clear(&err);
		if (attach_open(folder, list[i].id, &attached[i], &err)) {
			str_copy(list[i].fault, sizeof(list[i].fault), err.text);
			continue;
		}
		list[i].pid = attach_pid(attached[i]);
		if (attach_send(attached[i], "view", &err))
			settle(&list[i], &attached[i], err.text);
		else
			open++;
	}
	while (open) {
		const uint64_t now = clock_monotonic_ns();

		open = 0;
		for (size_t i = 0; i < count; i++)
			fds[i] = (struct pollfd){
				.fd = attached[i] ? attach_fd(attached[i]) : -1, .events = POLLIN};
		if (now >= deadline || poll(fds, count, (int)((deadline - now) / 1000000) + 1) <= 0)
			break;
		for (size_t i = 0; i < count; i++) {
			if (attached[i] && fds[i].revents)
				take_answer(&list[i], &attached[i]);
			open += attached[i] != NULL;
		}
	}
	for (size_t i = 0; i < count; i++) {
		if (attached[i])
			settle(&list[i], &attached[i], "its process does not answer");
	}
	free(attached);
	free(fds);
}

int running_list(const char *folder, unsigned patience_ms, struct running **out, size_t *count,
	struct err *err)
{
	struct running *list = NULL;
	size_t room = 0;
	DIR *dir = opendir(folder);
	const struct dirent *item;

	*out = NULL;
	*count = 0;
	if (!dir) {
		if (errno == ENOENT)
			return 0;
		return err_set(err, -errno, "cannot read the runs folder %s: %s", folder,
			err_errno_text(errno));
	}
	while ((item = readdir(dir))) {
		if (str_ends_with(item->d_name, SERVE_ENDING))
			remove_stale_socket(folder, item->d_name);
		if (*count == room) {
			room = room ? 2 * room : 8;
			list = mem_realloc(list, room * sizeof(*list));
		}
		if (is_running(folder, item->d_name, &list[*count]))
			(*count)++;
	}
	closedir(dir);
	if (*count) {
		qsort(list, *count, sizeof(*list), newest_first);
		if (patience_ms)
			ask(folder, patience_ms, list, *count);
	}
	*out = list;
	return 0;
}

void running_free(struct running *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		runner_view_free(list[i].view);
	free(list);
}

/* Perhaps it is one that has ended: then its result is what is wanted. */
static int not_running(const char *folder, const char *id, struct err *err)
{
	struct store_entry entry;

	if (id && *id && !store_find(folder, id, &entry, NULL))
		return err_set_exit(err, ERR_EXIT_USAGE, -ENOENT,
			"%s is not running any more: nvsweep results %s shows what it measured",
			entry.id, entry.id);
	return err_set_exit(err, ERR_EXIT_USAGE, -ENOENT,
		"no run \"%s\" is running: nvsweep results --running lists those that are",
		id ? id : "");
}

int running_find(const char *folder, const char *id, struct running *out, struct err *err)
{
	struct running *list;
	size_t count, found = 0, matches = 0;
	int rc = running_list(folder, 0, &list, &count, err);

	if (rc)
		return rc;
	if (!id || !strcmp(id, "last")) {
		matches = count ? 1 : 0;
		if (!matches)
			rc = err_set_exit(err, ERR_EXIT_USAGE, -ENOENT,
				"no run is running: nvsweep results lists those that have ended");
	} else {
		for (size_t i = 0; i < count; i++) {
			if (!str_starts_with(list[i].id, id))
				continue;
			found = i;
			if (!strcmp(list[i].id, id)) {
				matches = 1;
				break;
			}
			matches++;
		}
		if (!matches)
			rc = not_running(folder, id, err);
		else if (matches > 1)
			rc = err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
				"\"%s\" fits %zu runs: give more of the name", id, matches);
	}
	if (!rc)
		*out = list[found];
	running_free(list, count);
	return rc;
}

int running_attach(const char *folder, const char *id, struct running *out, struct attach **attach,
	struct err *err)
{
	char path[1024];
	int rc = running_find(folder, id, out, err);

	if (rc)
		return rc;
	str_format(path, sizeof(path), "%s/%s" ENDING, folder, out->id);
	for (int tries = 0; tries < ATTACH_TRIES; tries++) {
		err_clear(err);
		rc = attach_open(folder, out->id, attach, err);
		if (rc != -ENOENT && rc != -ECONNREFUSED)
			return rc;
		/* Over meanwhile; or its journal is there already and its socket will be. */
		if (!journal_is_held(path))
			return not_running(folder, out->id, err);
		poll(NULL, 0, ATTACH_WAIT_MS);
	}
	return rc;
}
