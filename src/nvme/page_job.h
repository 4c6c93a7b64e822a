/* One question to a controller, asked on its job thread: the inventory's unit of work. */
#ifndef NVME_PAGE_JOB_H
#define NVME_PAGE_JOB_H

#include "base/jobs.h"
#include "nvme/environment.h"
#include "nvme/transport.h"

enum page_kind {
	PAGE_IDENTIFY,
	PAGE_SMART,
	PAGE_ENVIRONMENT,
	PAGE_LIST,
	PAGE_NAMESPACE,
	PAGE_RESERVATIONS
};

/* Namespaces that a list may name: beyond, it is not believed. */
#define PAGE_JOB_MAX_NSIDS 16384

struct page_job {
	struct job job;
	struct transport *transport; /* held */
	char controller[32];
	uint64_t tracked_id;
	enum page_kind kind;
	uint32_t nsid;
	char node[32];     /* PAGE_RESERVATIONS: what the command is sent through */
	bool extended;     /* out: the entries are 64-byte ones */
	bool smart_clears; /* in: ask with RAE = 0 at once; out: that was needed */
	/* the answer */
	int rc; /* as of transport_ops */
	struct nvme_status status;
	struct err err;
	uint8_t bytes[NVME_IDENTIFY_BYTES];
	size_t got;
	uint32_t *nsids; /* PAGE_LIST: all pages together; taken over by the collector */
	size_t nsid_count;
	bool sane; /* the list kept to its rules */
	struct environment env;
};

struct page_job *page_job_new(
	struct transport *transport, const char *controller, enum page_kind kind, uint32_t nsid);
void page_job_free(struct page_job *job);
/* All pages of the active namespace list; also for captures. *nsids is freed by the caller. each
 * (may be NULL) gets every raw page with the NSID that was asked for. */
int page_read_list(struct transport *transport, const char *controller, uint8_t cns,
	uint32_t **nsids, size_t *count, bool *sane, struct nvme_status *status, struct err *err,
	void (*each)(void *context, uint32_t after, const uint8_t *bytes, size_t got),
	void *context);

#endif
