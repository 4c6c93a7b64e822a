/* Answers from a capture: what was asked when it was written, as it was answered. */
#include "nvme/capture_replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "nvme/capture_format.h"

#define CAPTURE_LATEST 253402300799 /* the end of the year 9999: what can be shown */
/* More than any machine has. A file could hold millions, and each costs a thread, a row and a look
 * at all the others. */
#define REPLAY_CONTROLLERS 1024
#define REPLAY_NAMESPACES 8192
#define REPLAY_PATHS 64 /* of one namespace */
#define REPLAY_PAGES 65536

struct replay {
	struct transport base;
	char *file; /* pages point into it */
	int64_t taken_at;
	struct topology topology;
	uint32_t *indexes; /* the namespaces' numbers in the file */
	struct capture_environment *environments;
	size_t environment_count;
	struct capture_page *pages;
	size_t page_count;
	bool simulated;
	bool crowded; /* what is beyond the limits was left out */
};

/* ---- reading the file ----------------------------------------------------------------------- */

static bool replay_room(struct replay *replay, size_t count, size_t limit)
{
	replay->crowded |= count >= limit;
	return count < limit;
}

/* Names become parts of paths elsewhere. */
static void replay_safe_name(char *name)
{
	for (; *name; name++)
		if (*name == '/')
			*name = '?';
}

static void replay_read_info(struct replay *replay, const struct capture_record *record)
{
	struct capture_info info = {0};

	capture_get(record, &info);
	if (info.written_at > 0 && info.written_at <= CAPTURE_LATEST)
		replay->taken_at = (int64_t)info.written_at;
	replay->simulated |= info.simulated;
}

static struct topology_controller *replay_add_controller(
	struct replay *replay, const struct topology_controller *controller)
{
	struct topology *t = &replay->topology;

	/* two of one name would share their answers */
	if (controller->name[0] == '\0' || topology_find_controller(t, controller->name) ||
		!replay_room(replay, t->controller_count, REPLAY_CONTROLLERS))
		return NULL;
	t->controllers = mem_grow(t->controllers, t->controller_count, sizeof(*t->controllers));
	t->controllers[t->controller_count] = *controller;
	return &t->controllers[t->controller_count++];
}

static void replay_read_controller(struct replay *replay, const struct capture_record *record)
{
	struct topology_controller controller = {
		.cntlid = -1, .numa_node = -1, .queue_count = -1, .sqsize = -1};

	capture_get(record, &controller);
	replay_safe_name(controller.name);
	replay_add_controller(replay, &controller);
}

static void replay_read_namespace(struct replay *replay, const struct capture_record *record)
{
	struct topology *t = &replay->topology;
	struct capture_namespace ns = {0};

	capture_get(record, &ns);
	replay_safe_name(ns.topo.name);
	replay_safe_name(ns.topo.generic);
	ns.topo.paths = NULL;
	ns.topo.path_count = 0;
	if (!replay_room(replay, t->namespace_count, REPLAY_NAMESPACES))
		return;
	t->namespaces = mem_grow(t->namespaces, t->namespace_count, sizeof(*t->namespaces));
	replay->indexes = mem_grow(replay->indexes, t->namespace_count, sizeof(*replay->indexes));
	t->namespaces[t->namespace_count] = ns.topo;
	replay->indexes[t->namespace_count++] = ns.index;
}

static void replay_read_path(struct replay *replay, const struct capture_record *record)
{
	struct capture_path path = {0};
	struct topology_namespace *ns = NULL;

	capture_get(record, &path);
	for (size_t i = 0; i < replay->topology.namespace_count; i++)
		if (replay->indexes[i] == path.index)
			ns = &replay->topology.namespaces[i];
	if (!ns || !replay_room(replay, ns->path_count, REPLAY_PATHS))
		return;
	replay_safe_name(path.topo.name);
	ns->paths = mem_grow(ns->paths, ns->path_count, sizeof(*ns->paths));
	ns->paths[ns->path_count++] = path.topo;
}

static struct environment *replay_environment(struct replay *replay, const char *controller)
{
	for (size_t i = 0; i < replay->environment_count; i++)
		if (strcmp(replay->environments[i].controller, controller) == 0)
			return &replay->environments[i].env;
	return NULL;
}

static void replay_read_environment(struct replay *replay, const struct capture_record *record)
{
	struct capture_environment one = {.env = {.numa_node = -1}};

	capture_get(record, &one);
	if (replay_environment(replay, one.controller) ||
		!replay_room(replay, replay->environment_count, REPLAY_CONTROLLERS))
		return;
	replay->environments = mem_grow(
		replay->environments, replay->environment_count, sizeof(*replay->environments));
	replay->environments[replay->environment_count++] = one;
}

static void replay_read_sensor(struct replay *replay, const struct capture_record *record)
{
	struct capture_sensor sensor = {0};
	struct environment *env;

	capture_get(record, &sensor);
	env = replay_environment(replay, sensor.controller);
	if (!env || env->sensor_count == ENVIRONMENT_SENSORS)
		return;
	str_copy(
		env->sensors[env->sensor_count].label, sizeof(env->sensors[0].label), sensor.label);
	env->sensors[env->sensor_count].value_mc = sensor.value_mc;
	env->sensors[env->sensor_count].max_mc = sensor.max_mc;
	env->sensors[env->sensor_count].min_mc = sensor.min_mc;
	env->sensors[env->sensor_count].critical_mc = sensor.critical_mc;
	env->sensor_count++;
}

static void replay_read_page(struct replay *replay, const struct capture_record *record)
{
	struct capture_page page;

	if (!capture_get_page(record, &page) ||
		!replay_room(replay, replay->page_count, REPLAY_PAGES))
		return;
	replay_safe_name(page.controller);
	replay->pages = mem_grow(replay->pages, replay->page_count, sizeof(*replay->pages));
	replay->pages[replay->page_count++] = page;
}

/* Neighbours that were damaged together count once until here. */
static bool replay_read_end(const struct capture_record *record, struct capture_reader *reader)
{
	struct capture_end end = {0};

	capture_get(record, &end);
	if (end.records >= reader->records && end.records - (reader->records - 1) > reader->damaged)
		reader->damaged = end.records - (reader->records - 1);
	return true;
}

/* Pages of a controller whose own record is lost are still worth showing. */
static void replay_adopt_pages(struct replay *replay)
{
	for (size_t i = 0; i < replay->page_count; i++) {
		if (topology_find_controller(&replay->topology, replay->pages[i].controller))
			continue;
		struct topology_controller bare = {
			.cntlid = -1, .numa_node = -1, .queue_count = -1, .sqsize = -1};

		str_copy(bare.name, sizeof(bare.name), replay->pages[i].controller);
		replay_add_controller(replay, &bare);
	}
}

static void replay_warn(const struct capture_reader *reader, bool ended, bool crowded,
	const char *name, char *warning, size_t size)
{
	if (!warning || size == 0)
		return;
	warning[0] = '\0';
	if (reader->damaged > 0 || reader->header_damaged)
		str_append(warning, size, "%s is damaged: %u record%s left out", name,
			reader->damaged, reader->damaged == 1 ? " was" : "s were");
	if (reader->cut || !ended)
		str_append(warning, size, "%s is cut short: pages may be missing",
			warning[0] ? "; it" : name);
	if (crowded)
		str_append(warning, size,
			"%s holds more drives or pages than any machine has: the rest is left out",
			warning[0] ? "; it" : name);
	if (warning[0] == '\0' && reader->revision > CAPTURE_REVISION)
		str_append(warning, size,
			"%s was written by a newer nvsweep: what this one does not know is left "
			"out",
			name);
}

static int replay_read(struct replay *replay, const char *name, size_t length, char *warning,
	size_t warning_size, struct err *err)
{
	struct capture_reader reader;
	struct capture_record record;
	bool ended = false;
	int rc = capture_open(&reader, name, replay->file, length, err);

	if (rc < 0)
		return rc;
	replay->simulated = reader.simulated;
	while (capture_next(&reader, &record)) {
		if (record.type == CAPTURE_INFO)
			replay_read_info(replay, &record);
		else if (record.type == CAPTURE_CONTROLLER)
			replay_read_controller(replay, &record);
		else if (record.type == CAPTURE_NAMESPACE)
			replay_read_namespace(replay, &record);
		else if (record.type == CAPTURE_PATH)
			replay_read_path(replay, &record);
		else if (record.type == CAPTURE_ENVIRONMENT)
			replay_read_environment(replay, &record);
		else if (record.type == CAPTURE_SENSOR)
			replay_read_sensor(replay, &record);
		else if (record.type == CAPTURE_PAGE)
			replay_read_page(replay, &record);
		else if (record.type == CAPTURE_END)
			ended = replay_read_end(&record, &reader);
	}
	replay_adopt_pages(replay);
	if (replay->topology.controller_count == 0 && replay->topology.namespace_count == 0)
		return err_set(err, -EINVAL,
			"%s holds no drive that can be read: it is empty, cut off or damaged",
			name);
	replay_warn(&reader, ended, replay->crowded, name, warning, warning_size);
	return 0;
}

/* ---- the transport -------------------------------------------------------------------------- */

static int replay_list(struct transport *t, struct topology **out, struct err *err)
{
	const struct topology *from = &((struct replay *)t)->topology;
	struct topology *to = mem_alloc(sizeof(*to));

	(void)err;
	to->controller_count = from->controller_count;
	if (from->controller_count > 0) {
		to->controllers = mem_alloc(from->controller_count * sizeof(*to->controllers));
		memcpy(to->controllers, from->controllers,
			from->controller_count * sizeof(*to->controllers));
	}
	to->namespace_count = from->namespace_count;
	if (from->namespace_count > 0) {
		to->namespaces = mem_alloc(from->namespace_count * sizeof(*to->namespaces));
		memcpy(to->namespaces, from->namespaces,
			from->namespace_count * sizeof(*to->namespaces));
	}
	for (size_t i = 0; i < from->namespace_count; i++) {
		const struct topology_namespace *ns = &from->namespaces[i];

		if (ns->path_count == 0)
			continue;
		to->namespaces[i].paths = mem_alloc(ns->path_count * sizeof(*ns->paths));
		memcpy(to->namespaces[i].paths, ns->paths, ns->path_count * sizeof(*ns->paths));
	}
	*out = to;
	return 0;
}

/* Copies what of the wanted range was captured, or repeats the refusal. */
static int replay_answer(const struct capture_page *page, uint64_t offset, void *buf, size_t length,
	size_t *got, struct nvme_status *status, struct err *err)
{
	size_t skip;

	if (page->result == -EREMOTEIO) {
		status->word = (uint16_t)page->status;
		str_copy(status->text, sizeof(status->text), page->text);
		return err_set(err, -EREMOTEIO, "%s refused: %s", page->controller, page->text);
	}
	if (page->result < 0)
		return err_set(err, page->result, "when captured: %s",
			page->text[0] ? page->text : err_errno_text(page->result));
	skip = (size_t)(offset - page->offset);
	*got = page->got - skip < length ? page->got - skip : length;
	memcpy(buf, page->bytes + skip, *got);
	return 0;
}

/* A page that answers the command: exactly, else but for Retain Asynchronous Event. */
static const struct capture_page *replay_find(
	const struct replay *replay, const struct capture_page *wanted)
{
	const struct capture_page *like = NULL;

	for (size_t i = 0; i < replay->page_count; i++) {
		const struct capture_page *page = &replay->pages[i];

		if (page->is_log != wanted->is_log || page->selector != wanted->selector ||
			page->log_specific != wanted->log_specific || page->nsid != wanted->nsid ||
			strcmp(page->controller, wanted->controller) != 0)
			continue;
		if (page->result == 0 &&
			(wanted->offset < page->offset ||
				wanted->offset - page->offset > page->got))
			continue;
		if (page->retain_event == wanted->retain_event)
			return page;
		if (!like)
			like = page;
	}
	return like;
}

static int replay_ask(struct transport *t, const struct capture_page *wanted, void *buf,
	size_t length, size_t *got, struct nvme_status *status, struct err *err)
{
	const struct capture_page *page = replay_find((const struct replay *)t, wanted);

	*got = 0;
	memset(status, 0, sizeof(*status));
	memset(buf, 0, length);
	if (!page)
		return err_set(err, -ENODATA, "the capture holds no such page of %s (%s 0x%02x)",
			wanted->controller, wanted->is_log ? "log" : "Identify", wanted->selector);
	return replay_answer(page, wanted->offset, buf, length, got, status, err);
}

static int replay_identify(struct transport *t, const char *controller, uint8_t cns, uint32_t nsid,
	void *buf, size_t length, size_t *got, struct nvme_status *status, struct err *err)
{
	struct capture_page wanted = {.selector = cns, .nsid = nsid};

	str_copy(wanted.controller, sizeof(wanted.controller), controller);
	return replay_ask(t, &wanted, buf, length, got, status, err);
}

static int replay_get_log(struct transport *t, const char *controller,
	const struct log_request *request, void *buf, size_t *got, struct nvme_status *status,
	struct err *err)
{
	struct capture_page wanted = {
		.is_log = 1,
		.selector = request->log_id,
		.log_specific = request->log_specific,
		.nsid = request->nsid,
		.retain_event = request->retain_event,
		.offset = request->offset,
	};

	str_copy(wanted.controller, sizeof(wanted.controller), controller);
	return replay_ask(t, &wanted, buf, request->length, got, status, err);
}

static void replay_get_environment(
	struct transport *t, const char *controller, struct environment *out)
{
	const struct environment *env = replay_environment((struct replay *)t, controller);

	memset(out, 0, sizeof(*out));
	out->numa_node = -1;
	if (env)
		*out = *env;
}

static int64_t replay_taken_at(struct transport *t)
{
	return ((const struct replay *)t)->taken_at;
}

static void replay_destroy(struct transport *t)
{
	struct replay *replay = (struct replay *)t;

	for (size_t i = 0; i < replay->topology.namespace_count; i++)
		free(replay->topology.namespaces[i].paths);
	free(replay->topology.namespaces);
	free(replay->topology.controllers);
	free(replay->indexes);
	free(replay->environments);
	free(replay->pages);
	free(replay->file);
	free(replay);
}

/* clang-format off */
#define REPLAY_OPS                                      \
	.name = "capture",                              \
	.list = replay_list,                            \
	.identify = replay_identify,                    \
	.get_log = replay_get_log,                      \
	.environment = replay_get_environment,          \
	.taken_at = replay_taken_at,                    \
	.destroy = replay_destroy
/* clang-format on */
static const struct transport_ops replay_ops = {REPLAY_OPS};
static const struct transport_ops replay_simulated_ops = {REPLAY_OPS, .simulated = true};

int capture_replay_open(const char *name, char *bytes, size_t length, int64_t taken_at,
	struct transport **out, char *warning, size_t warning_size, struct err *err)
{
	struct replay *replay = mem_alloc(sizeof(*replay));
	int rc;

	*out = NULL;
	replay->base.ops = &replay_ops;
	replay->file = bytes;
	replay->taken_at = taken_at;
	rc = replay_read(replay, name, length, warning, warning_size, err);
	if (rc < 0) {
		replay_destroy(&replay->base);
		return rc;
	}
	if (replay->simulated)
		replay->base.ops = &replay_simulated_ops;
	*out = &replay->base;
	return 0;
}
