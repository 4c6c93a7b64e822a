/* The inventory's thread and its snapshots. One lock guards what other threads touch: the newest
 * snapshot, the subscribers, requests. It is never held while sysfs or a drive is read. */
#include "nvme/inventory.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "nvme/inventory_merge.h"

#define MS_NS 1000000ull
#define WAITING_TICK_MS 1000 /* how often the age of a silent command is told */
#define PUBLISH_GAP_MS 50    /* answers of many namespaces are gathered for so long */

struct inventory_service {
	struct transport *transport; /* held */
	struct jobs *jobs;
	pthread_t thread;
	int wake_fd;
	char source[192], sysfs_root[256], dev_root[256];

	pthread_mutex_t lock;
	pthread_cond_t published; /* on CLOCK_MONOTONIC */
	/* under the lock */
	struct inventory *current;
	struct mailbox **boxes;
	size_t box_count;
	bool stop;
	unsigned rates_ms, smart_s;
	uint64_t refresh_asked, refresh_done;
	uint64_t force_asked, force_done; /* snapshots asked for by inventory_wait */

	/* of the thread alone */
	struct scan scan;
	struct pages pages;
	uint64_t generation;
	uint64_t scan_due_ns, published_ns;
	unsigned scan_ms;
	bool dirty, settled, shown_settled;
};

/* ---- snapshots ------------------------------------------------------------------------------ */

const struct inventory *inventory_ref(const struct inventory *inventory)
{
	/* the count is no content */
	atomic_fetch_add_explicit(
		&((struct inventory *)(uintptr_t)inventory)->references, 1, memory_order_relaxed);
	return inventory;
}

void inventory_unref(const struct inventory *inventory)
{
	struct inventory *own = (struct inventory *)(uintptr_t)inventory;

	if (!own || atomic_fetch_sub_explicit(&own->references, 1, memory_order_acq_rel) != 1)
		return;
	for (size_t i = 0; i < own->controller_count; i++)
		free(own->controllers[i].nsids);
	for (size_t i = 0; i < own->namespace_count; i++)
		free(own->namespaces[i].topo.paths);
	free(own->controllers);
	free(own->namespaces);
	free(own->block_devices);
	free(own);
}

void inventory_release(void *inventory)
{
	inventory_unref(inventory);
}

const struct inventory_controller *inventory_find_controller(
	const struct inventory *inventory, const char *name)
{
	for (size_t i = 0; name[0] != '\0' && i < inventory->controller_count; i++)
		if (strcmp(inventory->controllers[i].topo.name, name) == 0)
			return &inventory->controllers[i];
	return NULL;
}

const struct inventory_namespace *inventory_find_namespace(
	const struct inventory *inventory, const char *name)
{
	for (size_t i = 0; name[0] != '\0' && i < inventory->namespace_count; i++) {
		const struct topology_namespace *ns = &inventory->namespaces[i].topo;

		if (strcmp(ns->name, name) == 0 || strcmp(ns->generic, name) == 0)
			return &inventory->namespaces[i];
		for (size_t j = 0; j < ns->path_count; j++)
			if (strcmp(ns->paths[j].name, name) == 0)
				return &inventory->namespaces[i];
	}
	return NULL;
}

bool inventory_namespace_of(
	const struct inventory_namespace *ns, const struct inventory_controller *controller)
{
	return topology_namespace_on(&ns->topo, controller->topo.name);
}

/* ---- the thread ----------------------------------------------------------------------------- */

static void service_publish(
	struct inventory_service *s, uint64_t now_ns, uint64_t refresh, uint64_t force)
{
	struct inventory *fresh = inventory_merge(&s->scan, &s->pages, now_ns), *old;

	fresh->generation = ++s->generation;
	fresh->settled = s->settled;
	str_copy(fresh->source, sizeof(fresh->source), s->source);
	pthread_mutex_lock(&s->lock);
	old = s->current;
	s->current = fresh;
	for (size_t i = 0; i < s->box_count; i++)
		mailbox_post(s->boxes[i], (void *)(uintptr_t)inventory_ref(fresh));
	if (force)
		s->force_done = force;
	if (refresh)
		s->refresh_done = refresh;
	pthread_cond_broadcast(&s->published);
	pthread_mutex_unlock(&s->lock);
	inventory_unref(old);
	s->published_ns = now_ns;
	s->shown_settled = s->settled;
	s->dirty = false;
}

static void service_scan(struct inventory_service *s, unsigned rates_ms, uint64_t now_ns)
{
	struct err err = {0};
	bool changed;

	/* what is replayed never changes */
	s->scan_due_ns =
		rates_ms == 0 || !s->transport->ops->live ? PAGE_NEVER : now_ns + rates_ms * MS_NS;
	if (scan_read(&s->scan, s->transport, &changed, &err) < 0) {
		log_warn("inventory: %s", err.text);
		if (s->scan.topology)
			return;
		s->scan.topology = mem_alloc(sizeof(*s->scan.topology));
		s->scan.geometry = mem_alloc(sizeof(*s->scan.geometry));
		changed = true;
	}
	pages_follow(&s->pages, s->scan.topology);
	s->dirty |= changed || pages_waiting(&s->pages, now_ns);
}

/* Milliseconds until there is something to do by the clock; -1: never. */
static int service_timeout(const struct inventory_service *s, uint64_t now_ns)
{
	uint64_t due = s->scan_due_ns, next = pages_next_due(&s->pages), left;

	if (next < due)
		due = next;
	if (s->dirty && s->published_ns + PUBLISH_GAP_MS * MS_NS < due)
		due = s->published_ns + PUBLISH_GAP_MS * MS_NS;
	if (!s->settled && now_ns + WAITING_TICK_MS * MS_NS < due)
		due = now_ns + WAITING_TICK_MS * MS_NS;
	if (due == PAGE_NEVER)
		return -1;
	left = due > now_ns ? (due - now_ns + MS_NS - 1) / MS_NS : 0;
	return left > 3600000 ? 3600000 : (int)left;
}

static void service_sleep(struct inventory_service *s)
{
	struct pollfd fds[] = {
		{s->wake_fd, POLLIN, 0}, {jobs_client_fd(s->pages.client), POLLIN, 0}};
	uint64_t count;

	poll(fds, 2, service_timeout(s, clock_monotonic_ns()));
	if ((fds[0].revents & POLLIN) && read(s->wake_fd, &count, sizeof(count)) < 0)
		log_warn("inventory: its wake-up cannot be read");
}

static void service_turn(
	struct inventory_service *s, uint64_t refresh, unsigned rates_ms, uint64_t force)
{
	uint64_t now = clock_monotonic_ns();

	if (refresh)
		pages_refresh(&s->pages);
	if (now >= s->scan_due_ns || refresh)
		service_scan(s, rates_ms, now);
	s->dirty |= pages_collect(&s->pages, s->scan.topology, now);
	s->dirty |= pages_submit(&s->pages, now);
	/* told once a second without a scan, too */
	if (now - s->published_ns >= WAITING_TICK_MS * MS_NS)
		s->dirty |= pages_waiting(&s->pages, now);
	s->settled = pages_settled(&s->pages, now);
	/* whoever saw it unsettled is told, even if the last answer brought nothing new */
	s->dirty |= s->settled && !s->shown_settled;
	/* a refresh is shown as under way, so that nobody takes the old answers for new */
	if (force || refresh ||
		(s->dirty &&
			(s->settled || s->generation == 0 ||
				now - s->published_ns >= PUBLISH_GAP_MS * MS_NS)))
		service_publish(s, now, refresh, force);
}

static void *service_thread(void *data)
{
	struct inventory_service *s = data;

	for (;;) {
		bool stop;
		unsigned rates_ms, smart_s;
		uint64_t refresh, force;

		pthread_mutex_lock(&s->lock);
		stop = s->stop;
		if (!s->transport->ops->live)
			s->refresh_done = s->refresh_asked;
		refresh = s->refresh_asked != s->refresh_done ? s->refresh_asked : 0;
		rates_ms = s->rates_ms;
		smart_s = s->smart_s;
		force = s->force_asked != s->force_done ? s->force_asked : 0;
		pthread_mutex_unlock(&s->lock);
		if (stop)
			return NULL;
		pages_set_period(&s->pages, smart_s);
		if (rates_ms != s->scan_ms)
			s->scan_due_ns = 0;
		s->scan_ms = rates_ms;
		service_turn(s, refresh, rates_ms, force);
		service_sleep(s);
	}
}

/* ---- for other threads ---------------------------------------------------------------------- */

static void service_wake(struct inventory_service *s)
{
	static const uint64_t one = 1;

	if (write(s->wake_fd, &one, sizeof(one)) < 0)
		log_warn("inventory: its thread cannot be woken");
}

static void service_free(struct inventory_service *s)
{
	jobs_client_close(s->pages.client);
	pages_free(&s->pages);
	scan_free(&s->scan);
	inventory_unref(s->current);
	transport_destroy(s->transport);
	free(s->boxes);
	if (s->wake_fd >= 0)
		close(s->wake_fd);
	pthread_cond_destroy(&s->published);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

static int service_start_thread(struct inventory_service *s)
{
	sigset_t all, old;
	int code;

	/* signals belong to the main thread */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	code = pthread_create(&s->thread, NULL, service_thread, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (code == 0)
		pthread_setname_np(s->thread, "inventory");
	return -code;
}

int inventory_start(const struct inventory_config *config, struct jobs *jobs,
	struct inventory_service **out, struct err *err)
{
	const struct transport_ops *ops = config->transport->ops;
	struct inventory_service *s = mem_alloc(sizeof(*s));
	pthread_condattr_t attributes;
	int rc;

	*out = NULL;
	s->transport = transport_hold(config->transport);
	s->jobs = jobs;
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&s->published, &attributes);
	pthread_condattr_destroy(&attributes);
	str_copy(s->source, sizeof(s->source), config->source ? config->source : "");
	str_copy(
		s->sysfs_root, sizeof(s->sysfs_root), config->sysfs_root ? config->sysfs_root : "");
	str_copy(s->dev_root, sizeof(s->dev_root), config->dev_root ? config->dev_root : "");
	s->rates_ms = config->rates_ms;
	s->smart_s = config->smart_s;
	s->scan.sysfs_root = s->sysfs_root;
	s->scan.dev_root = s->dev_root;
	s->scan.devices = ops->live && !ops->simulated;
	s->scan.others = config->block_devices;
	s->pages.transport = config->transport;
	s->pages.jobs = jobs;
	s->pages.smart_s = config->smart_s;
	s->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	rc = s->wake_fd < 0 ? -errno : 0;
	if (rc < 0)
		err_set(err, rc, "cannot make an eventfd: %s", err_errno_text(rc));
	if (rc == 0)
		rc = jobs_client_open(jobs, &s->pages.client, err);
	if (rc == 0) {
		rc = service_start_thread(s);
		if (rc < 0)
			err_set(err, rc, "cannot start the inventory's thread: %s",
				err_errno_text(rc));
	}
	if (rc < 0) {
		service_free(s);
		return rc;
	}
	*out = s;
	return 0;
}

void inventory_stop(struct inventory_service *service)
{
	if (!service)
		return;
	pthread_mutex_lock(&service->lock);
	service->stop = true;
	pthread_cond_broadcast(&service->published);
	pthread_mutex_unlock(&service->lock);
	service_wake(service);
	/* it reads only sysfs and never waits for a command */
	pthread_join(service->thread, NULL);
	service_free(service);
}

void inventory_subscribe(struct inventory_service *service, struct mailbox *box)
{
	pthread_mutex_lock(&service->lock);
	service->boxes =
		mem_realloc(service->boxes, (service->box_count + 1) * sizeof(*service->boxes));
	service->boxes[service->box_count++] = box;
	if (service->current)
		mailbox_post(box, (void *)(uintptr_t)inventory_ref(service->current));
	pthread_mutex_unlock(&service->lock);
}

void inventory_unsubscribe(struct inventory_service *service, struct mailbox *box)
{
	size_t kept = 0;

	pthread_mutex_lock(&service->lock);
	for (size_t i = 0; i < service->box_count; i++)
		if (service->boxes[i] != box)
			service->boxes[kept++] = service->boxes[i];
	service->box_count = kept;
	pthread_mutex_unlock(&service->lock);
}

const struct inventory *inventory_wait(struct inventory_service *service, unsigned timeout_ms)
{
	const uint64_t deadline = clock_monotonic_ns() + timeout_ms * MS_NS;
	const struct timespec until = {
		.tv_sec = (time_t)(deadline / (1000 * MS_NS)),
		.tv_nsec = (long)(deadline % (1000 * MS_NS)),
	};
	const struct inventory *found;
	uint64_t force;
	int late = 0;

	pthread_mutex_lock(&service->lock);
	while (late == 0 &&
		(service->refresh_asked != service->refresh_done || !service->current ||
			!service->current->settled))
		late = pthread_cond_timedwait(&service->published, &service->lock, &until);
	if (late != 0) {
		/* the thread itself never waits for a drive, so this is a matter of milliseconds */
		force = ++service->force_asked;
		service_wake(service);
		while (service->force_done < force)
			pthread_cond_wait(&service->published, &service->lock);
	}
	found = inventory_ref(service->current);
	pthread_mutex_unlock(&service->lock);
	return found;
}

void inventory_refresh(struct inventory_service *service)
{
	pthread_mutex_lock(&service->lock);
	service->refresh_asked++;
	pthread_mutex_unlock(&service->lock);
	service_wake(service);
}

void inventory_set_periods(struct inventory_service *service, unsigned rates_ms, unsigned smart_s)
{
	pthread_mutex_lock(&service->lock);
	service->rates_ms = rates_ms;
	service->smart_s = smart_s;
	pthread_mutex_unlock(&service->lock);
	service_wake(service);
}
