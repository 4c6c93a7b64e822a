/* Asks a controller for one page. Runs on job threads and touches nothing but the job itself, so
 * that it can be left behind. */
#include "nvme/page_job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "nvme/identify.h"
#include "nvme/smart.h"

#define LIST_ENTRIES (NVME_IDENTIFY_BYTES / 4)

int page_read_list(struct transport *transport, const char *controller, uint8_t cns,
	uint32_t **nsids, size_t *count, bool *sane, struct nvme_status *status, struct err *err,
	void (*each)(void *context, uint32_t after, const uint8_t *bytes, size_t got),
	void *context)
{
	uint32_t page[LIST_ENTRIES], last = 0;
	uint8_t bytes[NVME_IDENTIFY_BYTES];
	size_t length;

	*nsids = NULL;
	*count = 0;
	*sane = true;
	do {
		struct page raw = {bytes, 0};
		int rc = transport->ops->identify(transport, controller, cns, last, bytes,
			sizeof(bytes), &raw.length, status, err);

		if (rc < 0) {
			free(*nsids);
			*nsids = NULL;
			*count = 0;
			return rc;
		}
		if (each)
			each(context, last, bytes, raw.length);
		length = identify_list_decode(&raw, page, LIST_ENTRIES, sane);
		/* a page that starts over would be read for ever */
		if (length > 0 && page[0] <= last) {
			*sane = false;
			length = 0;
		}
		if (length == 0)
			break;
		*nsids = mem_realloc(*nsids, (*count + length) * sizeof(**nsids));
		memcpy(*nsids + *count, page, length * sizeof(page[0]));
		*count += length;
		last = page[length - 1];
	} while (length == LIST_ENTRIES && *sane && *count < PAGE_JOB_MAX_NSIDS);
	return 0;
}

/* Some firmware answers Retain Asynchronous Event = 1 with zeros (CASES S1): then once with 0. */
static void page_job_smart(struct page_job *job)
{
	struct transport *t = job->transport;
	struct log_request request = {
		.log_id = NVME_LOG_SMART,
		.nsid = UINT32_MAX,
		.retain_event = !job->smart_clears,
		.length = NVME_SMART_BYTES,
	};
	struct page page = {job->bytes, 0};

	job->rc = t->ops->get_log(
		t, job->controller, &request, job->bytes, &job->got, &job->status, &job->err);
	page.length = job->got;
	if (job->rc < 0 || job->smart_clears || !smart_page_empty(&page))
		return;
	request.retain_event = false;
	job->rc = t->ops->get_log(
		t, job->controller, &request, job->bytes, &job->got, &job->status, &job->err);
	page.length = job->got;
	job->smart_clears = job->rc == 0 && !smart_page_empty(&page);
}

/* Controllers with 128-bit host identifiers refuse the short form with this status. */
#define STATUS_HOST_ID_FORMAT 0x18

static void page_job_reservations(struct page_job *job)
{
	struct transport *t = job->transport;

	if (!t->ops->reservations) {
		job->rc = err_set(&job->err, -EOPNOTSUPP,
			"reservations cannot be asked for through this source");
		return;
	}
	for (;;) {
		job->rc = t->ops->reservations(t, job->node, job->nsid, job->extended, job->bytes,
			NVME_IDENTIFY_BYTES, &job->got, &job->status, &job->err);
		if (job->rc != -EREMOTEIO || job->extended ||
			transport_status_code(job->status.word) != STATUS_HOST_ID_FORMAT)
			return;
		job->extended = true;
	}
}

static void page_job_run(struct job *base)
{
	struct page_job *job = (struct page_job *)base;
	struct transport *t = job->transport;

	switch (job->kind) {
	case PAGE_IDENTIFY:
		job->rc = t->ops->identify(t, job->controller, NVME_CNS_CONTROLLER, 0, job->bytes,
			NVME_IDENTIFY_BYTES, &job->got, &job->status, &job->err);
		break;
	case PAGE_NAMESPACE:
		job->rc = t->ops->identify(t, job->controller, NVME_CNS_NAMESPACE, job->nsid,
			job->bytes, NVME_IDENTIFY_BYTES, &job->got, &job->status, &job->err);
		break;
	case PAGE_SMART:
		page_job_smart(job);
		break;
	case PAGE_LIST:
		job->rc = page_read_list(t, job->controller, NVME_CNS_ACTIVE_LIST, &job->nsids,
			&job->nsid_count, &job->sane, &job->status, &job->err, NULL, NULL);
		break;
	case PAGE_RESERVATIONS:
		page_job_reservations(job);
		break;
	case PAGE_ENVIRONMENT:
		t->ops->environment(t, job->controller, &job->env);
		break;
	}
	if (job->got > sizeof(job->bytes))
		job->got = sizeof(job->bytes);
}

static void page_job_discard(struct job *base)
{
	page_job_free((struct page_job *)base);
}

struct page_job *page_job_new(
	struct transport *transport, const char *controller, enum page_kind kind, uint32_t nsid)
{
	struct page_job *job = mem_alloc(sizeof(*job));

	job->job.run = page_job_run;
	job->job.discard = page_job_discard;
	job->transport = transport_hold(transport);
	str_copy(job->controller, sizeof(job->controller), controller);
	job->kind = kind;
	job->nsid = nsid;
	return job;
}

void page_job_free(struct page_job *job)
{
	if (!job)
		return;
	transport_destroy(job->transport);
	free(job->nsids);
	free(job);
}
