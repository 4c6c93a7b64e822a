/* Questions to an NVMe drive: may its namespace be written, who shares it, who has reserved it. Asked
 * on job threads, so that a silent drive costs no more than the time limit. */
#include "sweep/gate_nvme.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "nvme/identify.h"
#include "nvme/page_job.h"
#include "nvme/smart.h"
#include "nvme/topology.h"
#include "sweep/gate_facts.h"

#define DEFAULT_TIMEOUT_MS 5000
#define ONCS_RESERVATIONS 0x20
#define RESCAP_TYPES 0x7e
#define NMIC_SHARED 0x01
#define IDS_MAX 16

/* Reservation Status data structure. */
enum { HEADER = 24, HEADER_EXTENDED = 64, ENTRY = 24, ENTRY_EXTENDED = 64 };
enum { RTYPE_WRITE_EXCLUSIVE = 1, RTYPE_EXCLUSIVE_ACCESS = 2, RTYPE_LAST = 6 };

static bool is_own_id(int id, const int *ids, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (ids[i] == id)
			return true;
	return false;
}

int gate_nvme_decode_reservations(const uint8_t *bytes, size_t length, bool extended,
	const int *controller_ids, size_t id_count, struct gate_nvme *out)
{
	const size_t header = extended ? HEADER_EXTENDED : HEADER,
		     entry = extended ? ENTRY_EXTENDED : ENTRY;
	bool holder = false, registrant = false;
	size_t count;

	out->reservation_known = false;
	if (length < header)
		return -EINVAL;
	out->reservation_type = bytes[4];
	count = (size_t)bytes[5] | (size_t)bytes[6] << 8;
	out->registrants = (unsigned)count;
	if (out->reservation_type > RTYPE_LAST)
		return -EINVAL;
	for (size_t i = 0; i < count; i++) {
		const uint8_t *at = bytes + header + i * entry;

		if (header + (i + 1) * entry > length)
			break;
		const int id = at[0] | at[1] << 8;

		if (!is_own_id(id, controller_ids, id_count))
			continue;
		registrant = true;
		holder |= at[2] & 1;
	}
	/* types 1 and 2: the holder alone may write; 3 to 6: whoever is registered */
	if (!out->reservation_type)
		out->reservation_excludes = false;
	else if (out->reservation_type <= RTYPE_EXCLUSIVE_ACCESS)
		out->reservation_excludes = !holder;
	else
		out->reservation_excludes = !registrant;
	out->reservation_known = true;
	return 0;
}

/* ---- asking --------------------------------------------------------------------------------- */

struct asker {
	struct transport *transport;
	struct jobs *jobs, *own_jobs;
	struct jobs_client *client;
	const char *controller;
	uint64_t until_ns;
};

static int asker_open(struct asker *asker, const struct gate_sources *sources,
	const char *controller, struct err *err)
{
	const unsigned ms =
		sources->admin_timeout_ms ? sources->admin_timeout_ms : DEFAULT_TIMEOUT_MS;
	int rc = 0;

	*asker = (struct asker){.transport = sources->transport,
		.jobs = sources->jobs,
		.controller = controller,
		.until_ns = clock_monotonic_ns() + (uint64_t)ms * 1000000};
	if (!asker->jobs) {
		rc = jobs_create(&asker->own_jobs, err);
		asker->jobs = asker->own_jobs;
	}
	if (!rc)
		rc = jobs_client_open(asker->jobs, &asker->client, err);
	return rc;
}

static void asker_close(struct asker *asker)
{
	if (asker->client)
		jobs_client_close(asker->client);
	if (asker->own_jobs)
		jobs_destroy(asker->own_jobs);
}

/* The answered job, which the caller frees; NULL: no answer in time. */
static struct page_job *ask(
	struct asker *asker, enum page_kind kind, uint32_t nsid, const char *node)
{
	struct page_job *job = page_job_new(asker->transport, asker->controller, kind, nsid);
	struct job *done;

	str_copy(job->node, sizeof(job->node), node);
	if (jobs_submit(asker->client, asker->controller, &job->job, NULL)) {
		page_job_free(job);
		return NULL;
	}
	while ((done = jobs_collect(asker->client)) != &job->job) {
		struct pollfd wake = {.fd = jobs_client_fd(asker->client), .events = POLLIN};
		const uint64_t now = clock_monotonic_ns();

		if (done) { /* a late answer to an earlier question */
			page_job_free((struct page_job *)done);
			continue;
		}
		if (now >= asker->until_ns)
			return NULL; /* comes back to nobody: discarded */
		poll(&wake, 1, (int)((asker->until_ns - now + 999999) / 1000000));
	}
	return job;
}

/* Why there is no page: a sentence for an unknown. */
static void no_page(struct gate_facts *facts, const char *what, const struct page_job *job,
	const char *controller)
{
	if (!job)
		gate_facts_unknown(facts, false, "%s did not tell %s in time", controller, what);
	else if (job->rc)
		gate_facts_unknown(facts, false, "%s is not known: %s", what, job->err.text);
	else
		gate_facts_unknown(
			facts, false, "%s is not known: %s answered too little", what, controller);
}

static void take_namespace(struct gate_nvme *nvme, const struct identify_namespace *ns)
{
	nvme->namespace_known = true;
	nvme->write_protected = ns->write_protected;
	nvme->shared = (ns->sharing & NMIC_SHARED) != 0;
	nvme->reservation_types = ns->reservations & RESCAP_TYPES;
}

static void ask_namespace(struct asker *asker, uint32_t nsid, struct gate_facts *facts)
{
	struct page_job *job = ask(asker, PAGE_NAMESPACE, nsid, "");
	struct identify_namespace ns;
	struct page page = {NULL, 0};

	if (job && !job->rc) {
		page = (struct page){job->bytes, job->got};
		/* NSATTR is byte 99: without it nothing is known about write protection */
		if (job->got >= 100 && !identify_namespace_decode(&page, &ns))
			take_namespace(&facts->nvme, &ns);
	}
	if (!facts->nvme.namespace_known)
		no_page(facts, "whether the namespace is write-protected or shared", job,
			asker->controller);
	page_job_free(job);
}

static void ask_health(struct asker *asker, struct gate_facts *facts)
{
	struct page_job *job = ask(asker, PAGE_SMART, 0, "");

	if (job && !job->rc && job->got > 0) {
		facts->nvme.health_known = true;
		facts->nvme.media_read_only = (job->bytes[0] & SMART_WARN_READ_ONLY) != 0;
	} else {
		no_page(facts, "whether its medium has become read-only", job, asker->controller);
	}
	page_job_free(job);
}

/* A drive that knows no reservations is not asked: each refused command is an error in its log. */
static void ask_reservations(struct asker *asker, uint32_t nsid, const char *node, const int *ids,
	size_t id_count, struct gate_facts *facts)
{
	struct gate_nvme *nvme = &facts->nvme;
	struct identify_controller controller;
	struct page_job *job;
	struct page page;

	if (nvme->namespace_known && !nvme->reservation_types) {
		nvme->reservation_known = true;
		return;
	}
	job = ask(asker, PAGE_IDENTIFY, 0, "");
	if (job && !job->rc) {
		page = (struct page){job->bytes, job->got};
		/* ONCS is bytes 520 and 521 */
		if (job->got >= 522 && !identify_controller_decode(&page, &controller) &&
			!(controller.oncs & ONCS_RESERVATIONS)) {
			nvme->reservation_known = true;
			page_job_free(job);
			return;
		}
	}
	page_job_free(job);
	job = ask(asker, PAGE_RESERVATIONS, nsid, node);
	if (!job || job->rc ||
		gate_nvme_decode_reservations(
			job->bytes, job->got, job->extended, ids, id_count, nvme))
		no_page(facts, "whether another host has reserved it", job, asker->controller);
	page_job_free(job);
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* Without a drive to ask, what the inventory read lately counts. */
static void take_inventory(
	const char *disk, const struct gate_sources *sources, struct gate_facts *facts)
{
	const struct inventory *inventory = sources->inventory;
	const struct inventory_namespace *ns =
		inventory ? inventory_find_namespace(inventory, disk) : NULL;
	const struct inventory_controller *c = NULL;
	struct gate_nvme *nvme = &facts->nvme;

	/* of the same name, but simulated or of a capture: not this drive */
	if (ns && (ns->simulated || ns->replayed))
		ns = NULL;
	if (ns && ns->identify_info.read_at)
		take_namespace(nvme, &ns->identify);
	if (ns && ns->controller_index < inventory->controller_count)
		c = &inventory->controllers[ns->controller_index];
	if (c && c->smart_info.read_at) {
		nvme->health_known = true;
		nvme->media_read_only = (c->smart.critical_warning & SMART_WARN_READ_ONLY) != 0;
	}
	nvme->reservation_known = (nvme->namespace_known && !nvme->reservation_types) ||
		(c && c->identify_info.read_at && !(c->identify.oncs & ONCS_RESERVATIONS));
	if (!nvme->namespace_known || !nvme->health_known || !nvme->reservation_known)
		gate_facts_unknown(facts, false,
			"the drive cannot be asked whether it is write-protected, shared or "
			"reserved: run as root (sudo)");
}

/* Controllers through which the namespace is reached: their ids, and a live one to ask. */
static const struct topology_controller *find_controllers(const struct topology *tree,
	const struct topology_namespace *ns, int *ids, size_t *id_count, struct gate_nvme *nvme)
{
	const struct topology_controller *live = NULL;

	*id_count = 0;
	for (size_t i = 0; i < tree->controller_count; i++) {
		const struct topology_controller *c = &tree->controllers[i];

		if (!topology_namespace_on(ns, c->name))
			continue;
		if (*id_count < IDS_MAX && c->cntlid >= 0)
			ids[(*id_count)++] = c->cntlid;
		if (strcmp(c->transport, "pcie") != 0 && strcmp(c->transport, "apple-nvme") != 0)
			nvme->fabrics = true;
		if (!nvme->transport[0] || nvme->fabrics)
			str_copy(nvme->transport, sizeof(nvme->transport), c->transport);
		if (!live && topology_controller_live(c))
			live = c;
	}
	return live;
}

void gate_nvme_read(const char *disk, const struct gate_sources *sources, struct gate_facts *facts)
{
	const char *root = sources->root ? sources->root : "";
	const struct topology_controller *controller = NULL;
	const struct topology_namespace *ns = NULL;
	struct topology *tree = NULL;
	struct asker asker = {0};
	struct err err = {0};
	int ids[IDS_MAX];
	size_t id_count = 0;

	facts->nvme.present = true;
	if (topology_read(root, root, &tree, &err)) {
		gate_facts_unknown(facts, false, "%s", err.text);
		return;
	}
	for (size_t i = 0; i < tree->namespace_count && !ns; i++)
		if (!strcmp(tree->namespaces[i].name, disk) ||
			!strcmp(tree->namespaces[i].generic, disk))
			ns = &tree->namespaces[i];
	if (ns)
		controller = find_controllers(tree, ns, ids, &id_count, &facts->nvme);
	if (!ns || !controller) {
		gate_facts_unknown(facts, false,
			ns ? "none of its controllers is live"
			   : "the kernel shows no controller of it");
		goto done;
	}
	str_copy(facts->nvme.controller, sizeof(facts->nvme.controller), controller->name);
	if (!ns->nsid) {
		gate_facts_unknown(facts, false, "the kernel does not tell its namespace number");
		goto done;
	}
	if (!sources->transport || !sources->transport->ops->live ||
		sources->transport->ops->simulated) {
		take_inventory(disk, sources, facts);
		goto done;
	}
	if (asker_open(&asker, sources, controller->name, &err)) {
		gate_facts_unknown(facts, false, "%s", err.text);
	} else {
		ask_namespace(&asker, ns->nsid, facts);
		ask_health(&asker, facts);
		ask_reservations(&asker, ns->nsid, disk, ids, id_count, facts);
	}
	asker_close(&asker);
done:
	topology_free(tree);
}
