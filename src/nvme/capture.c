/* Writes a drive's raw pages to a file, and opens such a file as a transport. The layout of the file
 * stands in capture_format.h. */
#include "nvme/capture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/str.h"
#include "nvme/capture_format.h"
#include "nvme/capture_replay.h"
#include "nvme/identify.h"
#include "nvme/page_job.h"
#include "nvme/smart.h"

#define CAPTURE_MAX_BYTES (256u << 20)
#define VERSION_1_1 0x00010100u /* active namespace list */
#define VERSION_1_3 0x00010300u /* namespace identification descriptors */
#define OACS_MANAGEMENT 0x0008  /* namespace management: allocated namespace list */
#define CONTROLLER_DISCOVERY 2

struct capture {
	struct transport *from;
	struct capture_writer writer;
	struct strbuf notes;
};

static void capture_note_failure(
	struct capture *capture, const struct capture_page *page, const char *what)
{
	if (page->result == -EREMOTEIO)
		strbuf_addf(&capture->notes, "%s: %s was refused: %s\n", page->controller, what,
			page->text);
	else
		strbuf_addf(&capture->notes, "%s: %s could not be read: %s\n", page->controller,
			what, page->text);
}

/* Records what a command gave. */
static void capture_answer(struct capture *capture, struct capture_page *page, const char *what,
	int rc, const struct nvme_status *status, const struct err *err)
{
	page->result = rc;
	page->status = status->word;
	if (rc < 0)
		str_copy(page->text, sizeof(page->text),
			rc == -EREMOTEIO ? status->text : err->text);
	capture_put_page(&capture->writer, page);
	if (rc < 0)
		capture_note_failure(capture, page, what);
}

static int capture_identify(struct capture *capture, const char *controller, uint8_t cns,
	uint32_t nsid, const char *what, uint8_t *bytes, size_t *got)
{
	struct capture_page page = {
		.selector = cns, .nsid = nsid, .length = NVME_IDENTIFY_BYTES, .bytes = bytes};
	struct transport *t = capture->from;
	struct nvme_status status = {0};
	struct err err = {0};
	int rc = t->ops->identify(
		t, controller, cns, nsid, bytes, NVME_IDENTIFY_BYTES, got, &status, &err);

	str_copy(page.controller, sizeof(page.controller), controller);
	page.got = rc < 0 ? 0 : *got;
	capture_answer(capture, &page, what, rc, &status, &err);
	return rc;
}

/* With RAE = 1 as for every reader that does not own the events; when that gives zeros once with
 * RAE = 0 (CASES S1), as the inventory asks. Both answers are kept. */
static void capture_smart(struct capture *capture, const char *controller)
{
	struct transport *t = capture->from;
	uint8_t bytes[NVME_SMART_BYTES];

	for (int retain = 1; retain >= 0; retain--) {
		const struct log_request request = {.log_id = NVME_LOG_SMART,
			.nsid = UINT32_MAX,
			.retain_event = retain != 0,
			.length = sizeof(bytes)};
		struct capture_page page = {.is_log = 1,
			.selector = request.log_id,
			.nsid = request.nsid,
			.retain_event = request.retain_event,
			.length = request.length,
			.bytes = bytes};
		struct nvme_status status = {0};
		struct err err = {0};
		struct page smart = {bytes, 0};
		int rc = t->ops->get_log(
			t, controller, &request, bytes, &smart.length, &status, &err);

		str_copy(page.controller, sizeof(page.controller), controller);
		page.got = rc < 0 ? 0 : smart.length;
		capture_answer(capture, &page, "SMART", rc, &status, &err);
		if (rc < 0 || !smart_page_empty(&smart))
			return;
	}
	strbuf_addf(&capture->notes, "%s: SMART is an empty page\n", controller);
}

struct list_context {
	struct capture *capture;
	const char *controller;
	uint8_t cns;
};

static void capture_list_page(void *data, uint32_t after, const uint8_t *bytes, size_t got)
{
	const struct list_context *context = data;
	struct capture_page page = {.selector = context->cns,
		.nsid = after,
		.length = NVME_IDENTIFY_BYTES,
		.bytes = bytes,
		.got = got};

	str_copy(page.controller, sizeof(page.controller), context->controller);
	capture_put_page(&context->capture->writer, &page);
}

static void capture_list(struct capture *capture, const char *controller, uint8_t cns,
	const char *what, uint32_t **nsids, size_t *count)
{
	struct list_context context = {capture, controller, cns};
	struct nvme_status status = {0};
	struct err err = {0};
	bool sane;
	int rc = page_read_list(capture->from, controller, cns, nsids, count, &sane, &status, &err,
		capture_list_page, &context);
	struct capture_page page = {.selector = cns, .length = NVME_IDENTIFY_BYTES};

	if (rc < 0) {
		str_copy(page.controller, sizeof(page.controller), controller);
		capture_answer(capture, &page, what, rc, &status, &err);
	} else if (!sane) {
		strbuf_addf(&capture->notes,
			"%s: the %s does not increase; it was read up to there\n", controller,
			what);
	}
}

static void capture_namespaces(struct capture *capture, const struct topology *topology,
	const char *controller, const struct identify_controller *id, uint32_t *nsids, size_t count)
{
	uint8_t bytes[NVME_IDENTIFY_BYTES];
	char what[64];
	size_t got;

	/* those of the kernel that the list lacks, or without a list */
	for (size_t i = 0; i < topology->namespace_count; i++) {
		const uint32_t nsid = topology->namespaces[i].nsid;
		bool known =
			nsid == 0 || !topology_namespace_on(&topology->namespaces[i], controller);

		for (size_t j = 0; j < count; j++)
			known |= nsids[j] == nsid;
		if (known)
			continue;
		nsids = mem_realloc(nsids, (count + 1) * sizeof(*nsids));
		nsids[count++] = nsid;
	}
	for (size_t i = 0; i < count; i++) {
		str_format(what, sizeof(what), "Identify Namespace %u", nsids[i]);
		capture_identify(
			capture, controller, NVME_CNS_NAMESPACE, nsids[i], what, bytes, &got);
		if (!id || id->version < VERSION_1_3)
			continue;
		str_format(what, sizeof(what), "the descriptors of namespace %u", nsids[i]);
		capture_identify(
			capture, controller, NVME_CNS_DESCRIPTORS, nsids[i], what, bytes, &got);
	}
	free(nsids);
}

static void capture_pages(
	struct capture *capture, const struct topology *topology, const char *controller)
{
	uint8_t bytes[NVME_IDENTIFY_BYTES];
	struct page page = {bytes, 0};
	struct identify_controller id;
	uint32_t *nsids = NULL, *allocated = NULL;
	size_t count = 0, allocated_count;
	bool identified = capture_identify(capture, controller, NVME_CNS_CONTROLLER, 0,
				  "Identify Controller", bytes, &page.length) == 0 &&
		identify_controller_decode(&page, &id) == 0;

	if (identified && id.controller_type == CONTROLLER_DISCOVERY)
		return;
	capture_smart(capture, controller);
	if (identified && id.version >= VERSION_1_1 && id.namespace_count > 0)
		capture_list(capture, controller, NVME_CNS_ACTIVE_LIST, "list of active namespaces",
			&nsids, &count);
	if (identified && (id.oacs & OACS_MANAGEMENT) && id.namespace_count > 0) {
		capture_list(capture, controller, NVME_CNS_ALLOCATED_LIST,
			"list of allocated namespaces", &allocated, &allocated_count);
		free(allocated);
	}
	capture_namespaces(capture, topology, controller, identified ? &id : NULL, nsids, count);
}

static void capture_environment(struct capture *capture, const char *controller)
{
	struct capture_environment one = {0};

	capture->from->ops->environment(capture->from, controller, &one.env);
	str_copy(one.controller, sizeof(one.controller), controller);
	capture_put(&capture->writer, CAPTURE_ENVIRONMENT, &one);
	for (size_t i = 0; i < one.env.sensor_count && i < ENVIRONMENT_SENSORS; i++) {
		struct capture_sensor sensor = {.value_mc = one.env.sensors[i].value_mc,
			.max_mc = one.env.sensors[i].max_mc,
			.min_mc = one.env.sensors[i].min_mc,
			.critical_mc = one.env.sensors[i].critical_mc};

		str_copy(sensor.controller, sizeof(sensor.controller), controller);
		str_copy(sensor.label, sizeof(sensor.label), one.env.sensors[i].label);
		capture_put(&capture->writer, CAPTURE_SENSOR, &sensor);
	}
}

static bool capture_wanted(const char *const *controllers, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(controllers[i], name) == 0)
			return true;
	return count == 0;
}

static void capture_topology(struct capture *capture, const struct topology *topology,
	const char *const *controllers, size_t count)
{
	for (size_t i = 0; i < topology->controller_count; i++)
		if (capture_wanted(controllers, count, topology->controllers[i].name))
			capture_put(
				&capture->writer, CAPTURE_CONTROLLER, &topology->controllers[i]);
	for (size_t i = 0; i < topology->namespace_count; i++) {
		const struct capture_namespace ns = {(uint32_t)i, topology->namespaces[i]};
		bool wanted = count == 0;

		for (size_t j = 0; j < count; j++)
			wanted |= topology_namespace_on(&ns.topo, controllers[j]);
		if (!wanted)
			continue;
		capture_put(&capture->writer, CAPTURE_NAMESPACE, &ns);
		for (size_t j = 0; j < ns.topo.path_count; j++) {
			const struct capture_path path = {(uint32_t)i, ns.topo.paths[j]};

			capture_put(&capture->writer, CAPTURE_PATH, &path);
		}
	}
}

static void capture_information(struct capture *capture)
{
	const struct transport_ops *ops = capture->from->ops;
	/* a copy of a capture keeps its time */
	const int64_t at = ops->taken_at ? ops->taken_at(capture->from) : clock_wall_seconds();
	struct capture_info info = {.written_at = (uint64_t)at, .simulated = ops->simulated};
	struct utsname system;

	str_format(info.program, sizeof(info.program), "nvsweep %s", NVSWEEP_VERSION);
	if (uname(&system) == 0)
		str_copy(info.kernel, sizeof(info.kernel), system.release);
	capture_put(&capture->writer, CAPTURE_INFO, &info);
}

static int capture_check_names(const struct topology *topology, const char *const *controllers,
	size_t count, struct err *err)
{
	if (topology->controller_count == 0)
		return err_set(err, -ENOENT, "there is no NVMe controller to capture");
	for (size_t i = 0; i < count; i++)
		if (!topology_find_controller(topology, controllers[i]))
			return err_set_exit(err, ERR_EXIT_USAGE, -ENOENT,
				"there is no NVMe controller \"%s\": `nvsweep list` names them",
				controllers[i]);
	return 0;
}

int capture_write(struct transport *from, const char *const *controllers, size_t count,
	const char *path, char **notes, struct err *err)
{
	struct capture capture = {.from = from};
	struct topology *topology = NULL;
	int rc;

	if (notes)
		*notes = NULL;
	rc = from->ops->list(from, &topology, err);
	if (rc < 0)
		return rc;
	rc = capture_check_names(topology, controllers, count, err);
	if (rc < 0)
		goto out;
	capture_begin(&capture.writer, from->ops->simulated);
	capture_information(&capture);
	capture_topology(&capture, topology, controllers, count);
	for (size_t i = 0; i < topology->controller_count; i++) {
		const struct topology_controller *c = &topology->controllers[i];

		if (!capture_wanted(controllers, count, c->name))
			continue;
		capture_environment(&capture, c->name);
		if (topology_controller_live(c))
			capture_pages(&capture, topology, c->name);
		else
			strbuf_addf(&capture.notes, "%s is %s: no commands are sent to it\n",
				c->name, c->state);
	}
	capture_finish(&capture.writer);
	rc = file_write_atomic(path, capture.writer.file.text, capture.writer.file.length, err);
	if (rc == 0 && notes)
		*notes = mem_strdup(capture.notes.text ? capture.notes.text : "");
out:
	strbuf_free(&capture.writer.file);
	strbuf_free(&capture.notes);
	topology_free(topology);
	return rc;
}

int transport_capture_open(const char *path, struct transport **out, char *warning,
	size_t warning_size, struct err *err)
{
	struct stat status;
	char *bytes, name[200];
	size_t length;
	int rc;

	*out = NULL;
	if (warning && warning_size > 0)
		warning[0] = '\0';
	rc = file_read(path, CAPTURE_MAX_BYTES, &bytes, &length, err);
	if (rc < 0)
		return rc;
	str_sanitize_utf8(name, sizeof(name), path);
	return capture_replay_open(name, bytes, length,
		stat(path, &status) == 0 ? status.st_mtime : clock_wall_seconds(), out, warning,
		warning_size, err);
}
