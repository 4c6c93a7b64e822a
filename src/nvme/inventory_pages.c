/* What is asked of controllers, when, and what is kept of the answers. A command that is out is not
 * repeated; a page refused for good is never sent again; content outlives later failures. */
#include "nvme/inventory_pages.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "nvme/page_job.h"

#define SECOND_NS 1000000000ull
#define VERSION_1_1 0x00010100u
#define CONTROLLER_DISCOVERY 2

struct tracked *pages_find(const struct pages *pages, const char *controller)
{
	for (size_t i = 0; i < pages->controller_count; i++)
		if (strcmp(pages->controllers[i]->topo.name, controller) == 0)
			return pages->controllers[i];
	return NULL;
}

static struct tracked_namespace *pages_namespace(const struct tracked *tracked, uint32_t nsid)
{
	for (size_t i = 0; i < tracked->namespace_count; i++)
		if (tracked->namespaces[i].nsid == nsid)
			return &tracked->namespaces[i];
	return NULL;
}

const struct tracked_namespace *pages_find_namespace(const struct tracked *tracked, uint32_t nsid)
{
	return pages_namespace(tracked, nsid);
}

const char *pages_reader(const struct topology *topology, const struct topology_namespace *ns)
{
	for (size_t i = 0; i < ns->path_count; i++) {
		const struct topology_controller *c =
			topology_find_controller(topology, ns->paths[i].controller);

		if (c && topology_controller_live(c))
			return c->name;
	}
	return ns->path_count > 0 ? ns->paths[0].controller : ns->controller;
}

bool pages_has_node(const struct topology *topology, const char *controller, uint32_t nsid)
{
	for (size_t i = 0; i < topology->namespace_count; i++) {
		const struct topology_namespace *ns = &topology->namespaces[i];

		if (ns->nsid == nsid && topology_namespace_on(ns, controller))
			return true;
	}
	return false;
}

/* ---- following the topology ----------------------------------------------------------------- */

static void tracked_again(struct tracked *t)
{
	page_slot_again(&t->identify_slot);
	page_slot_again(&t->smart_slot);
	page_slot_again(&t->list_slot);
	page_slot_again(&t->environment_slot);
	for (size_t i = 0; i < t->namespace_count; i++)
		page_slot_again(&t->namespaces[i].slot);
}

static void tracked_forgive(struct tracked *t)
{
	t->identify_slot.final = t->smart_slot.final = t->list_slot.final = false;
	for (size_t i = 0; i < t->namespace_count; i++)
		t->namespaces[i].slot.final = false;
}

static bool tracked_same_drive(
	const struct topology_controller *a, const struct topology_controller *b)
{
	return strcmp(a->serial, b->serial) == 0 && strcmp(a->model, b->model) == 0 &&
		strcmp(a->address, b->address) == 0 && strcmp(a->nqn, b->nqn) == 0 &&
		a->cntlid == b->cntlid;
}

static void tracked_free(struct tracked *t)
{
	/* a command that is out comes back to the client, where nobody knows its id */
	free(t->nsids);
	free(t->namespaces);
	free(t);
}

static void tracked_want(struct tracked *t, uint32_t nsid, bool once)
{
	struct tracked_namespace *ns = pages_namespace(t, nsid);

	if (nsid == 0 || nsid == UINT32_MAX)
		return;
	if (!ns) {
		t->namespaces = mem_realloc(
			t->namespaces, (t->namespace_count + 1) * sizeof(*t->namespaces));
		ns = &t->namespaces[t->namespace_count++];
		memset(ns, 0, sizeof(*ns));
		ns->nsid = nsid;
	}
	ns->wanted = true;
	ns->once = once;
}

/* Namespaces to identify through this controller: those with a node that it reads for, and those
 * only it knows of. */
static void tracked_follow_namespaces(struct tracked *t, const struct topology *topology)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->namespace_count; i++)
		t->namespaces[i].wanted = false;
	for (size_t i = 0; i < topology->namespace_count; i++) {
		const struct topology_namespace *ns = &topology->namespaces[i];

		if (strcmp(pages_reader(topology, ns), t->topo.name) == 0)
			tracked_want(t, ns->nsid, false);
	}
	for (size_t i = 0; i < t->nsid_count; i++)
		if (!pages_has_node(topology, t->topo.name, t->nsids[i]))
			tracked_want(t, t->nsids[i], true);
	for (size_t i = 0; i < t->namespace_count; i++) {
		struct tracked_namespace *ns = &t->namespaces[i];

		/* content read through a path that is down is the last there is */
		if (!ns->wanted && !pages_has_node(topology, t->topo.name, ns->nsid))
			continue;
		if (!ns->wanted)
			ns->slot.waiting_ns = 0;
		t->namespaces[kept++] = *ns;
	}
	t->namespace_count = kept;
}

static void tracked_follow(struct tracked *t, const struct topology_controller *c)
{
	const bool was_live = topology_controller_live(&t->topo);

	t->seen = true;
	if (strcmp(t->topo.firmware, c->firmware) != 0) {
		tracked_forgive(t);
		tracked_again(t);
	} else if (!was_live && topology_controller_live(c)) {
		tracked_again(t);
	} else if (!t->topo.node_visible && c->node_visible) {
		tracked_again(t);
	}
	t->topo = *c;
}

void pages_follow(struct pages *pages, const struct topology *topology)
{
	size_t kept = 0;

	for (size_t i = 0; i < pages->controller_count; i++)
		pages->controllers[i]->seen = false;
	for (size_t i = 0; i < topology->controller_count; i++) {
		const struct topology_controller *c = &topology->controllers[i];
		struct tracked *t = pages_find(pages, c->name);

		if (t && tracked_same_drive(&t->topo, c)) {
			tracked_follow(t, c);
			continue;
		}
		/* an old one of that name stays unseen and goes below */
		t = mem_alloc(sizeof(*t));
		t->topo = *c;
		t->id = ++pages->last_id;
		t->seen = true;
		t->env.numa_node = -1;
		pages->controllers = mem_realloc(pages->controllers,
			(pages->controller_count + 1) * sizeof(struct tracked *));
		pages->controllers[pages->controller_count++] = t;
	}
	for (size_t i = 0; i < pages->controller_count; i++) {
		struct tracked *t = pages->controllers[i];

		if (t->seen)
			pages->controllers[kept++] = t;
		else
			tracked_free(t);
	}
	pages->controller_count = kept;
	for (size_t i = 0; i < pages->controller_count; i++)
		tracked_follow_namespaces(pages->controllers[i], topology);
}

/* ---- asking --------------------------------------------------------------------------------- */

static bool tracked_discovery(const struct tracked *t)
{
	return strcmp(t->topo.controller_type, "discovery") == 0 ||
		(t->identify_slot.info.read_at != 0 &&
			t->identify.controller_type == CONTROLLER_DISCOVERY);
}

/* The active namespace list came with NVMe 1.1; asking older controllers counts as an error. */
static bool tracked_has_list(const struct tracked *t)
{
	return t->identify_slot.info.read_at != 0 && t->identify.version >= VERSION_1_1 &&
		t->identify.namespace_count > 0 && !tracked_discovery(t);
}

static struct page_slot *tracked_slot(struct tracked *t, enum page_kind kind, uint32_t nsid)
{
	struct tracked_namespace *ns;

	switch (kind) {
	case PAGE_IDENTIFY:
		return &t->identify_slot;
	case PAGE_SMART:
		return &t->smart_slot;
	case PAGE_ENVIRONMENT:
		return &t->environment_slot;
	case PAGE_LIST:
		return &t->list_slot;
	case PAGE_NAMESPACE:
		ns = pages_namespace(t, nsid);
		return ns ? &ns->slot : NULL;
	case PAGE_RESERVATIONS: /* the gate asks for those itself */
		break;
	}
	return NULL;
}

/* No admin commands to controllers that are not live (CASES T2). */
static bool tracked_skip_dead(struct tracked *t)
{
	char text[96];
	bool changed;

	str_format(text, sizeof(text), "%s is %s: no commands are sent to it", t->topo.name,
		t->topo.state);
	changed = page_slot_skip(&t->identify_slot, text);
	changed |= page_slot_skip(&t->smart_slot, text);
	changed |= page_slot_skip(&t->list_slot, text);
	for (size_t i = 0; i < t->namespace_count; i++)
		changed |= page_slot_skip(&t->namespaces[i].slot, text);
	return changed;
}

struct next_page {
	enum page_kind kind;
	uint32_t nsid;
	struct page_slot *slot;
};

/* Marks all due pages as asked for and returns the first of them; slot NULL: none. */
static struct next_page tracked_next(struct tracked *t, uint64_t now_ns)
{
	struct next_page next = {0};
	struct next_page fixed[] = {{PAGE_IDENTIFY, 0, &t->identify_slot},
		{PAGE_SMART, 0, tracked_discovery(t) ? NULL : &t->smart_slot},
		{PAGE_ENVIRONMENT, 0, &t->environment_slot},
		{PAGE_LIST, 0, tracked_has_list(t) ? &t->list_slot : NULL}};

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]) + t->namespace_count; i++) {
		struct next_page one;

		if (i < sizeof(fixed) / sizeof(fixed[0])) {
			one = fixed[i];
		} else {
			struct tracked_namespace *ns =
				&t->namespaces[i - sizeof(fixed) / sizeof(fixed[0])];

			one = (struct next_page){PAGE_NAMESPACE, ns->nsid, &ns->slot};
			if (!ns->wanted)
				one.slot = NULL;
		}
		if (!one.slot || !page_slot_due(one.slot, now_ns))
			continue;
		if (one.slot->waiting_ns == 0)
			one.slot->waiting_ns = now_ns;
		if (!next.slot)
			next = one;
	}
	return next;
}

static bool tracked_submit(struct pages *pages, struct tracked *t, uint64_t now_ns)
{
	const bool live = topology_controller_live(&t->topo);
	struct next_page next;
	struct page_job *job;
	struct err err;
	bool changed = false;

	if (tracked_discovery(t)) {
		changed = page_slot_skip(&t->smart_slot, "a discovery controller has no drive");
		t->smart_slot.next_ns = PAGE_NEVER;
	}
	if (!live)
		changed |= tracked_skip_dead(t);
	if (t->out)
		return changed;
	if (live) {
		next = tracked_next(t, now_ns);
	} else {
		next = (struct next_page){PAGE_ENVIRONMENT, 0, &t->environment_slot};
		if (!page_slot_due(next.slot, now_ns))
			return changed;
	}
	if (!next.slot)
		return changed;
	job = page_job_new(pages->transport, t->topo.name, next.kind, next.nsid);
	job->tracked_id = t->id;
	job->smart_clears = t->smart_clears;
	if (jobs_submit(pages->client, t->topo.name, &job->job, &err) < 0) {
		changed |= page_slot_skip(next.slot, err.text);
		next.slot->next_ns = now_ns + SECOND_NS;
		page_job_free(job);
		return changed;
	}
	t->out = job;
	return changed || next.slot->info.read_at == 0;
}

bool pages_submit(struct pages *pages, uint64_t now_ns)
{
	bool changed = false;

	for (size_t i = 0; i < pages->controller_count; i++)
		changed |= tracked_submit(pages, pages->controllers[i], now_ns);
	return changed;
}

/* ---- taking answers in ---------------------------------------------------------------------- */

static void take_identify(struct tracked *t, const struct page *page, int64_t at)
{
	struct identify_controller decoded;
	struct page_slot *slot = &t->identify_slot;

	if (page_all_zero(page)) {
		page_slot_empty(slot, "the drive returned an empty page");
		return;
	}
	if (identify_controller_decode(page, &decoded) < 0) {
		page_slot_empty(slot, "the drive returned a page too short to read");
		return;
	}
	/* as right after a reset (CASES I4): what was good before is better */
	if (decoded.implausible && slot->info.read_at != 0 && !t->identify.implausible) {
		page_slot_empty(slot,
			"the page looks like an uninitialised buffer, as right after a reset; the "
			"one before is kept");
		return;
	}
	t->identify = decoded;
	memset(t->identify_raw, 0, sizeof(t->identify_raw));
	memcpy(t->identify_raw, page->bytes, page->length);
	page_slot_good(slot, at);
}

static void take_smart(
	struct tracked *t, const struct page_job *job, const struct page *page, int64_t at)
{
	struct smart decoded;
	struct page_slot *slot = &t->smart_slot;

	t->smart_clears = job->smart_clears;
	if (smart_page_empty(page)) {
		page_slot_empty(slot, "the drive returned an empty page");
		return;
	}
	if (smart_decode(page, &decoded) < 0) {
		page_slot_empty(slot, "the drive returned a page too short to read");
		return;
	}
	t->smart = decoded;
	memset(t->smart_raw, 0, sizeof(t->smart_raw));
	memcpy(t->smart_raw, page->bytes,
		page->length < sizeof(t->smart_raw) ? page->length : sizeof(t->smart_raw));
	page_slot_good(slot, at);
}

static void take_list(
	struct tracked *t, struct page_job *job, const struct topology *topology, int64_t at)
{
	free(t->nsids);
	t->nsids = job->nsids;
	t->nsid_count = job->nsid_count;
	job->nsids = NULL;
	page_slot_good(&t->list_slot, at);
	if (!job->sane)
		str_copy(t->list_slot.info.text, sizeof(t->list_slot.info.text),
			"the controller's list of namespaces does not increase; it was read up to "
			"there");
	tracked_follow_namespaces(t, topology);
}

static void take_namespace(struct tracked_namespace *ns, const struct page *page, int64_t at)
{
	struct identify_namespace decoded;

	/* so controllers answer for namespaces that are not attached to them */
	if (page_all_zero(page)) {
		page_slot_empty(&ns->slot, "the namespace is not active on this controller");
	} else if (identify_namespace_decode(page, &decoded) < 0) {
		page_slot_empty(&ns->slot, "the drive returned a page too short to read");
	} else {
		ns->identify = decoded;
		page_slot_good(&ns->slot, at);
	}
}

/* Seconds until a page is read again; 0: pages that never change, or are read once. */
static unsigned pages_period(const struct pages *pages)
{
	return pages->transport->ops->live ? pages->smart_s : 0;
}

/* True when a snapshot would show something new. */
static bool tracked_take(struct pages *pages, struct tracked *t, struct page_job *job,
	const struct topology *topology, uint64_t now_ns)
{
	const struct page page = {job->bytes, job->got};
	struct page_slot *slot = tracked_slot(t, job->kind, job->nsid);
	const struct transport_ops *ops = pages->transport->ops;
	const int64_t at = ops->taken_at ? ops->taken_at(pages->transport) : clock_wall_seconds();
	bool once = false, good;

	if (!slot)
		return false;
	if (job->kind == PAGE_ENVIRONMENT) {
		const bool changed = memcmp(&t->env, &job->env, sizeof(t->env)) != 0;

		memcpy(&t->env, &job->env, sizeof(t->env));
		page_slot_good(slot, at);
		page_slot_schedule(slot, true, pages_period(pages), now_ns);
		return changed;
	}
	if (job->rc < 0)
		page_slot_fail(slot, job->rc, &job->status, &job->err);
	else if (job->kind == PAGE_IDENTIFY)
		take_identify(t, &page, at);
	else if (job->kind == PAGE_SMART)
		take_smart(t, job, &page, at);
	else if (job->kind == PAGE_LIST)
		take_list(t, job, topology, at);
	else
		take_namespace(pages_namespace(t, job->nsid), &page, at);
	if (job->kind == PAGE_NAMESPACE)
		once = pages_namespace(t, job->nsid)->once;
	/* lists may have moved the slots of namespaces */
	slot = tracked_slot(t, job->kind, job->nsid);
	good = slot->info.state == PAGE_OK;
	page_slot_schedule(slot, good, good && once ? 0 : pages_period(pages), now_ns);
	return true;
}

bool pages_collect(struct pages *pages, const struct topology *topology, uint64_t now_ns)
{
	bool changed = false;
	struct job *base;

	while ((base = jobs_collect(pages->client)) != NULL) {
		struct page_job *job = (struct page_job *)base;
		struct tracked *t = pages_find(pages, job->controller);

		if (t && t->id == job->tracked_id) {
			t->out = NULL;
			changed |= tracked_take(pages, t, job, topology, now_ns);
		} else {
			log_debug("%s: an answer came for a drive that is gone", job->controller);
		}
		page_job_free(job);
	}
	return changed;
}

/* ---- states --------------------------------------------------------------------------------- */

void pages_refresh(struct pages *pages)
{
	if (!pages->transport->ops->live)
		return;
	for (size_t i = 0; i < pages->controller_count; i++)
		tracked_again(pages->controllers[i]);
}

void pages_set_period(struct pages *pages, unsigned smart_s)
{
	if (pages->smart_s == smart_s)
		return;
	pages->smart_s = smart_s;
	/* the new period counts from now */
	pages_refresh(pages);
}

static bool slot_waiting(const struct page_slot *slot, uint64_t now_ns)
{
	return page_slot_info(slot, now_ns).state == PAGE_WAITING;
}

bool pages_waiting(const struct pages *pages, uint64_t now_ns)
{
	for (size_t i = 0; i < pages->controller_count; i++) {
		const struct tracked *t = pages->controllers[i];

		if (slot_waiting(&t->identify_slot, now_ns) ||
			slot_waiting(&t->smart_slot, now_ns) ||
			slot_waiting(&t->list_slot, now_ns) ||
			slot_waiting(&t->environment_slot, now_ns))
			return true;
		for (size_t j = 0; j < t->namespace_count; j++)
			if (slot_waiting(&t->namespaces[j].slot, now_ns))
				return true;
	}
	return false;
}

/* The earliest page that this controller would be asked for. */
static uint64_t tracked_next_due(struct tracked *t)
{
	uint64_t next = t->environment_slot.next_ns;

	if (!topology_controller_live(&t->topo))
		return next;
	if (t->identify_slot.next_ns < next)
		next = t->identify_slot.next_ns;
	if (!tracked_discovery(t) && t->smart_slot.next_ns < next)
		next = t->smart_slot.next_ns;
	if (tracked_has_list(t) && t->list_slot.next_ns < next)
		next = t->list_slot.next_ns;
	for (size_t i = 0; i < t->namespace_count; i++)
		if (t->namespaces[i].wanted && t->namespaces[i].slot.next_ns < next)
			next = t->namespaces[i].slot.next_ns;
	return next;
}

bool pages_settled(const struct pages *pages, uint64_t now_ns)
{
	for (size_t i = 0; i < pages->controller_count; i++) {
		struct tracked *t = pages->controllers[i];

		if (t->out || tracked_next_due(t) <= now_ns)
			return false;
	}
	return true;
}

uint64_t pages_next_due(const struct pages *pages)
{
	uint64_t next = PAGE_NEVER;

	for (size_t i = 0; i < pages->controller_count; i++) {
		struct tracked *t = pages->controllers[i];

		/* one at a time: what is due behind a command waits for its answer */
		if (!t->out && tracked_next_due(t) < next)
			next = tracked_next_due(t);
	}
	return next;
}

void pages_free(struct pages *pages)
{
	for (size_t i = 0; i < pages->controller_count; i++)
		tracked_free(pages->controllers[i]);
	free(pages->controllers);
	pages->controllers = NULL;
	pages->controller_count = 0;
}
