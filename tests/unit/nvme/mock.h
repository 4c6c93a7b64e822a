/* A transport that answers from a table, counts every command and can fall silent. */
#ifndef TESTS_NVME_MOCK_H
#define TESTS_NVME_MOCK_H

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "nvme/environment.h"
#include "nvme/identify.h"
#include "nvme/topology.h"
#include "nvme/transport.h"

#define MOCK_ANSWERS 96

/* The answer to one command. Commands without an entry are refused with Invalid Field. */
struct mock_answer {
	char controller[32];
	bool is_log;
	uint32_t selector, nsid;
	int retain; /* log pages: 0 or 1, -1 for both */
	int result; /* 0, -EREMOTEIO or another */
	uint16_t status;
	char text[96];
	uint8_t bytes[NVME_IDENTIFY_BYTES];
	size_t length;
	unsigned asked;
};

struct mock {
	struct transport base;
	struct transport_ops ops;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* under the lock */
	struct topology tree; /* given out as copies */
	struct mock_answer answers[MOCK_ANSWERS];
	size_t answer_count;
	bool silent;       /* commands do not come back */
	unsigned allowed;  /* so many come back all the same */
	unsigned stuck;    /* how many are out now */
	unsigned commands; /* sent in all */
	unsigned errors;   /* what a drive adds to its error log: refused commands */
	unsigned environments;
	struct environment env;
	atomic_bool destroyed;
};

static inline int mock_list(struct transport *t, struct topology **out, struct err *err)
{
	struct mock *mock = (struct mock *)t;
	struct topology *copy = mem_alloc(sizeof(*copy));

	(void)err;
	pthread_mutex_lock(&mock->lock);
	*copy = mock->tree;
	copy->controllers = mem_alloc((copy->controller_count + 1) * sizeof(*copy->controllers));
	copy->namespaces = mem_alloc((copy->namespace_count + 1) * sizeof(*copy->namespaces));
	if (copy->controller_count > 0)
		memcpy(copy->controllers, mock->tree.controllers,
			copy->controller_count * sizeof(*copy->controllers));
	if (copy->namespace_count > 0)
		memcpy(copy->namespaces, mock->tree.namespaces,
			copy->namespace_count * sizeof(*copy->namespaces));
	for (size_t i = 0; i < copy->namespace_count; i++) {
		struct topology_namespace *ns = &copy->namespaces[i];
		const struct topology_path *from = ns->paths;

		ns->paths = mem_alloc((ns->path_count + 1) * sizeof(*ns->paths));
		if (ns->path_count > 0)
			memcpy(ns->paths, from, ns->path_count * sizeof(*ns->paths));
	}
	pthread_mutex_unlock(&mock->lock);
	*out = copy;
	return 0;
}

static inline struct mock_answer *mock_find(struct mock *mock, const char *controller, bool is_log,
	uint32_t selector, uint32_t nsid, int retain)
{
	for (size_t i = 0; i < mock->answer_count; i++) {
		struct mock_answer *a = &mock->answers[i];

		if (strcmp(a->controller, controller) == 0 && a->is_log == is_log &&
			a->selector == selector && a->nsid == nsid &&
			(a->retain == -1 || retain == -1 || a->retain == retain))
			return a;
	}
	return NULL;
}

static inline int mock_ask(struct mock *mock, const char *controller, bool is_log,
	uint32_t selector, uint32_t nsid, int retain, void *buf, size_t room, size_t *got,
	struct nvme_status *status, struct err *err)
{
	struct mock_answer *a, answer;
	int rc = 0;

	*got = 0;
	memset(status, 0, sizeof(*status));
	memset(buf, 0, room);
	pthread_mutex_lock(&mock->lock);
	mock->commands++;
	mock->stuck++;
	pthread_cond_broadcast(&mock->changed);
	/* a drive answers what it knew when it was asked */
	a = mock_find(mock, controller, is_log, selector, nsid, retain);
	if (a)
		answer = *a;
	while (mock->silent && mock->allowed == 0)
		pthread_cond_wait(&mock->changed, &mock->lock);
	if (mock->silent)
		mock->allowed--;
	mock->stuck--;
	if (a)
		a->asked++;
	if (!a || answer.result == -EREMOTEIO) {
		mock->errors++;
		status->word = a ? answer.status : 0x4002;
		str_copy(status->text, sizeof(status->text),
			a ? answer.text : "Invalid Field in Command (0x4002)");
		rc = err_set(err, -EREMOTEIO, "%s refused", controller);
	} else if (answer.result < 0) {
		rc = err_set(err, answer.result, "%s", answer.text);
	} else {
		*got = answer.length < room ? answer.length : room;
		memcpy(buf, answer.bytes, *got);
	}
	pthread_mutex_unlock(&mock->lock);
	return rc;
}

static inline int mock_identify(struct transport *t, const char *controller, uint8_t cns,
	uint32_t nsid, void *buf, size_t length, size_t *got, struct nvme_status *status,
	struct err *err)
{
	return mock_ask(
		(struct mock *)t, controller, false, cns, nsid, -1, buf, length, got, status, err);
}

static inline int mock_get_log(struct transport *t, const char *controller,
	const struct log_request *request, void *buf, size_t *got, struct nvme_status *status,
	struct err *err)
{
	return mock_ask((struct mock *)t, controller, true, request->log_id, request->nsid,
		request->retain_event, buf, request->length, got, status, err);
}

static inline void mock_environment(
	struct transport *t, const char *controller, struct environment *out)
{
	struct mock *mock = (struct mock *)t;

	(void)controller;
	pthread_mutex_lock(&mock->lock);
	mock->environments++;
	*out = mock->env;
	pthread_mutex_unlock(&mock->lock);
}

static inline void mock_destroy(struct transport *t)
{
	atomic_store(&((struct mock *)t)->destroyed, true);
}

static inline struct mock *mock_new(void)
{
	struct mock *mock = mem_alloc(sizeof(*mock));

	mock->ops = (struct transport_ops){
		.name = "mock",
		.live = true,
		.list = mock_list,
		.identify = mock_identify,
		.get_log = mock_get_log,
		.environment = mock_environment,
		.destroy = mock_destroy,
	};
	mock->base.ops = &mock->ops;
	mock->env.numa_node = -1;
	pthread_mutex_init(&mock->lock, NULL);
	pthread_cond_init(&mock->changed, NULL);
	return mock;
}

/* The test's own end of it: when nothing holds it any more. */
static inline void mock_free(struct mock *mock)
{
	for (size_t i = 0; i < mock->tree.namespace_count; i++)
		free(mock->tree.namespaces[i].paths);
	free(mock->tree.namespaces);
	free(mock->tree.controllers);
	free(mock);
}

static inline void mock_silence(struct mock *mock, bool silent)
{
	pthread_mutex_lock(&mock->lock);
	mock->silent = silent;
	pthread_cond_broadcast(&mock->changed);
	pthread_mutex_unlock(&mock->lock);
}

/* Lets one hanging command come back. */
static inline void mock_allow_one(struct mock *mock)
{
	pthread_mutex_lock(&mock->lock);
	mock->allowed++;
	pthread_cond_broadcast(&mock->changed);
	pthread_mutex_unlock(&mock->lock);
}

/* Waits until a command hangs, after so many in all. */
static inline void mock_wait_stuck(struct mock *mock, unsigned commands)
{
	pthread_mutex_lock(&mock->lock);
	while (mock->stuck == 0 || mock->commands < commands)
		pthread_cond_wait(&mock->changed, &mock->lock);
	pthread_mutex_unlock(&mock->lock);
}

static inline struct topology_controller *mock_add_controller(
	struct mock *mock, const char *name, const char *state)
{
	struct topology *t = &mock->tree;
	struct topology_controller *c;

	t->controllers =
		mem_realloc(t->controllers, (t->controller_count + 1) * sizeof(*t->controllers));
	c = &t->controllers[t->controller_count++];
	memset(c, 0, sizeof(*c));
	str_copy(c->name, sizeof(c->name), name);
	str_copy(c->serial, sizeof(c->serial), "FAKE0001");
	str_copy(c->model, sizeof(c->model), "FAKE DC 7680");
	str_copy(c->firmware, sizeof(c->firmware), "1.2.3");
	str_copy(c->transport, sizeof(c->transport), "pcie");
	str_copy(c->state, sizeof(c->state), state);
	str_copy(c->subsystem, sizeof(c->subsystem), "nvme-subsys0");
	c->cntlid = (int)t->controller_count;
	c->numa_node = c->queue_count = c->sqsize = -1;
	c->node_visible = true;
	return c;
}

/* controller "": a head. */
static inline struct topology_namespace *mock_add_namespace(
	struct mock *mock, const char *name, const char *controller, uint32_t nsid, uint64_t size)
{
	struct topology *t = &mock->tree;
	struct topology_namespace *ns;

	t->namespaces =
		mem_realloc(t->namespaces, (t->namespace_count + 1) * sizeof(*t->namespaces));
	ns = &t->namespaces[t->namespace_count++];
	memset(ns, 0, sizeof(*ns));
	str_copy(ns->name, sizeof(ns->name), name);
	str_copy(ns->controller, sizeof(ns->controller), controller);
	str_copy(ns->subsystem, sizeof(ns->subsystem), "nvme-subsys0");
	ns->multipath = controller[0] == '\0';
	ns->nsid = nsid;
	ns->size_bytes = size;
	ns->lba_bytes = size > 0 ? 512 : 0;
	return ns;
}

static inline void mock_add_path(
	struct topology_namespace *ns, const char *name, const char *controller)
{
	ns->paths = mem_realloc(ns->paths, (ns->path_count + 1) * sizeof(*ns->paths));
	memset(&ns->paths[ns->path_count], 0, sizeof(*ns->paths));
	str_copy(ns->paths[ns->path_count].name, sizeof(ns->paths[0].name), name);
	str_copy(ns->paths[ns->path_count].controller, sizeof(ns->paths[0].controller), controller);
	str_copy(
		ns->paths[ns->path_count++].ana_state, sizeof(ns->paths[0].ana_state), "optimized");
}

static inline struct mock_answer *mock_answer(struct mock *mock, const char *controller,
	bool is_log, uint32_t selector, uint32_t nsid, const void *bytes, size_t length)
{
	struct mock_answer *a;

	pthread_mutex_lock(&mock->lock);
	a = mock_find(mock, controller, is_log, selector, nsid, -1);
	if (!a)
		a = &mock->answers[mock->answer_count++];
	memset(a, 0, sizeof(*a));
	str_copy(a->controller, sizeof(a->controller), controller);
	a->is_log = is_log;
	a->selector = selector;
	a->nsid = nsid;
	a->retain = -1;
	a->length = length;
	if (length > 0)
		memcpy(a->bytes, bytes, length);
	pthread_mutex_unlock(&mock->lock);
	return a;
}

static inline void mock_refuse(struct mock *mock, const char *controller, bool is_log,
	uint32_t selector, uint32_t nsid, int result, uint16_t status, const char *text)
{
	struct mock_answer *a = mock_answer(mock, controller, is_log, selector, nsid, NULL, 0);

	a->result = result;
	a->status = status;
	str_copy(a->text, sizeof(a->text), text);
}

static inline unsigned mock_asked(
	struct mock *mock, const char *controller, bool is_log, uint32_t selector, uint32_t nsid)
{
	unsigned asked = 0;

	pthread_mutex_lock(&mock->lock);
	for (size_t i = 0; i < mock->answer_count; i++) {
		const struct mock_answer *a = &mock->answers[i];

		if (strcmp(a->controller, controller) == 0 && a->is_log == is_log &&
			a->selector == selector && a->nsid == nsid)
			asked += a->asked;
	}
	pthread_mutex_unlock(&mock->lock);
	return asked;
}

/* ---- pages that a plain drive gives --------------------------------------------------------- */

static inline void mock_pad(uint8_t *bytes, size_t size, const char *text)
{
	memset(bytes, ' ', size);
	memcpy(bytes, text, strlen(text));
}

static inline void mock_identify_page(uint8_t *page, uint32_t version, uint32_t namespaces)
{
	memset(page, 0, NVME_IDENTIFY_BYTES);
	page_put_u16(page, 0, 0x1b36);
	mock_pad(page + 4, 20, "FAKE0001");
	mock_pad(page + 24, 40, "FAKE DC 7680");
	mock_pad(page + 64, 8, "1.2.3");
	page_put_u32(page, 80, version);
	page[111] = 1;
	page_put_u32(page, 516, namespaces);
}

static inline void mock_smart_page(uint8_t *page, uint16_t kelvin)
{
	memset(page, 0, NVME_SMART_BYTES);
	page_put_u16(page, 1, kelvin);
	page[3] = 100;
	page[4] = 10;
	page[5] = 3;
	page_put_u64(page, 112, 48); /* power cycles */
}

/* nsze blocks of 2^shift bytes, half of them used, with metadata. */
static inline void mock_namespace_page(
	uint8_t *page, uint64_t nsze, unsigned shift, unsigned metadata, bool extended)
{
	memset(page, 0, NVME_IDENTIFY_BYTES);
	page_put_u64(page, 0, nsze);
	page_put_u64(page, 8, nsze);
	page_put_u64(page, 16, nsze / 2);
	page[26] = extended ? 0x10 : 0;
	page_put_u16(page, 128, (uint16_t)metadata);
	page[130] = (uint8_t)shift;
}

static inline void mock_list_page(uint8_t *page, const uint32_t *nsids, size_t count)
{
	memset(page, 0, NVME_IDENTIFY_BYTES);
	for (size_t i = 0; i < count; i++)
		page_put_u32(page, i * 4, nsids[i]);
}

/* A live NVMe 1.4 drive with namespaces nsids, all 1 GiB of 512-byte blocks. */
static inline void mock_add_drive(
	struct mock *mock, const char *name, const uint32_t *nsids, size_t count)
{
	uint8_t page[NVME_IDENTIFY_BYTES];

	mock_add_controller(mock, name, "live");
	mock_identify_page(page, 0x10400, 32);
	mock_answer(mock, name, false, NVME_CNS_CONTROLLER, 0, page, sizeof(page));
	mock_smart_page(page, 300);
	mock_answer(mock, name, true, NVME_LOG_SMART, UINT32_MAX, page, NVME_SMART_BYTES);
	mock_list_page(page, nsids, count);
	mock_answer(mock, name, false, NVME_CNS_ACTIVE_LIST, 0, page, sizeof(page));
	for (size_t i = 0; i < count; i++) {
		char node[64];

		str_format(node, sizeof(node), "%sn%u", name, nsids[i]);
		mock_add_namespace(mock, node, name, nsids[i], 1 << 30);
		mock_namespace_page(page, 1 << 21, 9, 0, false);
		mock_answer(mock, name, false, NVME_CNS_NAMESPACE, nsids[i], page, sizeof(page));
	}
}

#endif
