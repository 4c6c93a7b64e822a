/* The documents list, show and health. Keys are a contract with scripts: change only with the
 * number in the schema. */
#include "report/drive_json.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "report/drive_find.h"
#include "report/page_json.h"

static struct json *drive_document(const struct inventory *inventory, const char *schema)
{
	struct json *document = json_object();
	char text[sizeof(inventory->notice)];

	json_set_string(document, "schema", schema);
	json_set_string(document, "generator", "nvsweep " NVSWEEP_VERSION);
	str_sanitize_utf8(text, sizeof(text), inventory->source);
	json_set_string(document, "source", text[0] != '\0' ? text : "live");
	str_sanitize_utf8(text, sizeof(text), inventory->notice);
	json_set_string(document, "notice", text[0] != '\0' ? text : NULL);
	return document;
}

static void drive_set_optional(struct json *object, const char *key, int64_t value)
{
	if (value >= 0)
		json_set_i64(object, key, value);
	else
		json_set_null(object, key);
}

static void drive_set_known(struct json *object, const char *key, uint64_t value)
{
	if (value > 0)
		json_set_u64(object, key, value);
	else
		json_set_null(object, key);
}

static struct json *drive_reasons(const struct health *health)
{
	struct json *reasons = json_array();
	char text[256];

	for (size_t i = 0; i < health->reason_count; i++) {
		const struct health_reason *reason = &health->reasons[i];
		struct json *one = json_object();

		json_set_string(one, "severity", health_name(reason->severity));
		str_sanitize_utf8(text, sizeof(text), reason->text);
		json_set_string(one, "text", text);
		str_sanitize_utf8(text, sizeof(text), reason->advice);
		json_set_string(one, "advice", text[0] != '\0' ? text : NULL);
		json_add(reasons, one);
	}
	return reasons;
}

static struct json *drive_health(const struct health *health)
{
	struct json *object = json_object();

	json_set_string(object, "verdict", health_name(health->verdict));
	json_set(object, "reasons", drive_reasons(health));
	return object;
}

/* Adds when the content was read and, if the last try failed, why. */
static void drive_set_read(struct json *object, const struct page_info *info)
{
	char text[256], when[32];

	json_set_string(object, "read_at", units_iso_time(when, sizeof(when), info->read_at));
	drive_page_problem(info, text, sizeof(text));
	if (text[0] != '\0')
		json_set_string(object, "last_error", text);
}

/* A page that was never read: {"error": why}. */
static void drive_set_missing(struct json *object, const char *key, const struct page_info *info)
{
	char raw[256], text[256];

	drive_page_problem(info, raw, sizeof(raw));
	str_sanitize_utf8(text, sizeof(text), raw);
	json_set_error(object, key, text[0] != '\0' ? text : "it could not be read");
}

static void drive_set_nsids(struct json *object, const struct inventory_controller *controller)
{
	struct json *nsids;

	if (controller->list_info.read_at == 0 && controller->nsid_count == 0 &&
		controller->list_info.state != PAGE_OK &&
		controller->list_info.state != PAGE_NONE) {
		drive_set_missing(object, "nsids", &controller->list_info);
		return;
	}
	nsids = json_array();
	for (size_t i = 0; i < controller->nsid_count; i++)
		json_add_u64(nsids, controller->nsids[i]);
	json_set(object, "nsids", nsids);
}

static struct json *drive_controller(const struct inventory_controller *controller)
{
	const struct topology_controller *topo = &controller->topo;
	struct json *object = json_object();

	page_json_text(object, "name", topo->name);
	page_json_text(object, "model", topo->model);
	page_json_text(object, "serial", topo->serial);
	page_json_text(object, "firmware", topo->firmware);
	page_json_text(object, "transport", topo->transport);
	page_json_text(object, "address", topo->address);
	page_json_text(object, "state", topo->state);
	page_json_text(object, "subsystem", topo->subsystem);
	page_json_text(object, "nqn", topo->nqn);
	page_json_text(object, "controller_type", topo->controller_type);
	drive_set_optional(object, "cntlid", topo->cntlid);
	drive_set_optional(object, "numa_node", topo->numa_node);
	drive_set_optional(object, "queue_count", topo->queue_count);
	drive_set_optional(object, "queue_entries", topo->sqsize >= 0 ? topo->sqsize + 1 : -1);
	json_set_bool(object, "node_visible", topo->node_visible);
	json_set_bool(object, "simulated", controller->simulated);
	json_set_bool(object, "replayed", controller->replayed);
	json_set(object, "health", drive_health(&controller->health));
	drive_set_nsids(object, controller);
	return object;
}

static struct json *drive_paths(
	const struct inventory *inventory, const struct inventory_namespace *ns)
{
	struct json *paths = json_array();

	for (size_t i = 0; i < ns->topo.path_count; i++) {
		const struct topology_path *path = &ns->topo.paths[i];
		const struct inventory_controller *controller =
			inventory_find_controller(inventory, path->controller);
		struct json *one = json_object();

		page_json_text(one, "controller", path->controller);
		page_json_text(one, "name", path->name);
		page_json_text(one, "ana_state", path->ana_state);
		page_json_text(one, "state", controller != NULL ? controller->topo.state : "");
		page_json_text(
			one, "transport", controller != NULL ? controller->topo.transport : "");
		page_json_text(one, "address", controller != NULL ? controller->topo.address : "");
		page_json_text(one, "numa_nodes", path->numa_nodes);
		json_add(paths, one);
	}
	return paths;
}

static struct json *drive_namespace(
	const struct inventory *inventory, const struct inventory_namespace *ns)
{
	const struct inventory_controller *owner = drive_of_namespace(inventory, ns);
	struct json *object = json_object();

	page_json_text(object, "name", ns->topo.name);
	page_json_text(object, "generic", ns->topo.generic);
	json_set_u64(object, "nsid", ns->topo.nsid);
	/* One that belongs to a single controller names it, a head its subsystem (DESIGN 8). */
	if (ns->topo.multipath)
		json_set_null(object, "controller");
	else
		page_json_text(object, "controller",
			ns->topo.controller[0] != '\0' || owner == NULL ? ns->topo.controller
									: owner->topo.name);
	page_json_text(object, "subsystem", ns->topo.subsystem);
	page_json_bytes(object, "size_bytes", ns->size_known, ns->size_bytes);
	page_json_bytes(object, "used_bytes", ns->used_known, ns->used_bytes);
	drive_set_known(object, "lba_bytes", ns->lba_bytes);
	if (ns->lba_bytes > 0) {
		json_set_u64(object, "metadata_bytes", ns->metadata_bytes);
		json_set_bool(object, "metadata_extended", ns->metadata_extended);
	} else {
		json_set_null(object, "metadata_bytes");
		json_set_null(object, "metadata_extended");
	}
	json_set_bool(object, "read_only", ns->read_only);
	page_json_text(object, "eui64", ns->topo.eui64);
	page_json_text(object, "nguid", ns->topo.nguid);
	page_json_text(object, "uuid", ns->topo.uuid);
	json_set_bool(object, "simulated", ns->simulated);
	json_set_bool(object, "replayed", ns->replayed);
	page_json_text(object, "no_sweep", ns->no_sweep);
	json_set(object, "paths", drive_paths(inventory, ns));
	return object;
}

static struct json *drive_block_device(const struct inventory_block_device *device)
{
	const struct blockdev *geometry = &device->geometry;
	struct json *object = json_object();
	struct json *holders = json_array();
	char file[sizeof(geometry->loop_file)];

	page_json_text(object, "name", geometry->name);
	page_json_text(object, "model", geometry->model);
	page_json_text(object, "serial", geometry->serial);
	page_json_text(object, "transport", geometry->transport);
	json_set_u64(object, "size_bytes", geometry->size_bytes);
	drive_set_known(object, "lba_bytes", geometry->logical_block_bytes);
	drive_set_known(object, "physical_block_bytes", geometry->physical_block_bytes);
	json_set_bool(object, "read_only", geometry->read_only);
	json_set_bool(object, "removable", geometry->removable);
	json_set_bool(object, "rotational", geometry->rotational);
	page_json_text(object, "scheduler", geometry->scheduler);
	drive_set_optional(object, "numa_node", geometry->numa_node);
	str_sanitize_utf8(file, sizeof(file), geometry->loop_file);
	json_set_string(object, "loop_file", file[0] != '\0' ? file : NULL);
	for (size_t i = 0; i < geometry->holder_count && i < BLOCKDEV_MAX_LINKS; i++)
		json_add_string(holders, geometry->holders[i]);
	json_set(object, "holders", holders);
	page_json_text(object, "remark", device->remark);
	return object;
}

struct json *drive_json_list(const struct inventory *inventory)
{
	struct json *document = drive_document(inventory, "nvsweep-list/1");
	struct json *controllers = json_array();
	struct json *namespaces = json_array();
	struct json *devices = json_array();

	for (size_t i = 0; i < inventory->controller_count; i++)
		json_add(controllers, drive_controller(&inventory->controllers[i]));
	for (size_t i = 0; i < inventory->namespace_count; i++)
		json_add(namespaces, drive_namespace(inventory, &inventory->namespaces[i]));
	for (size_t i = 0; i < inventory->block_device_count; i++)
		json_add(devices, drive_block_device(&inventory->block_devices[i]));
	json_set(document, "controllers", controllers);
	json_set(document, "namespaces", namespaces);
	json_set(document, "block_devices", devices);
	return document;
}

static void drive_show_identify(
	struct json *document, const struct inventory_controller *controller)
{
	struct json *identify;

	if (controller->identify_info.read_at == 0) {
		drive_set_missing(document, "identify", &controller->identify_info);
		return;
	}
	identify = page_json_controller(
		&controller->identify, controller->identify_raw, sizeof(controller->identify_raw));
	drive_set_read(identify, &controller->identify_info);
	json_set(document, "identify", identify);
}

static void drive_show_smart(struct json *document, const struct inventory_controller *controller)
{
	struct json *smart;

	if (controller->smart_info.read_at == 0) {
		drive_set_missing(document, "smart", &controller->smart_info);
		return;
	}
	smart = page_json_smart(&controller->smart);
	drive_set_read(smart, &controller->smart_info);
	json_set(document, "smart", smart);
}

static void drive_show_namespaces(struct json *document, const struct inventory *inventory,
	const struct inventory_controller *controller, const struct inventory_namespace *only)
{
	struct json *namespaces = json_array();

	for (size_t i = 0; i < inventory->namespace_count; i++) {
		const struct inventory_namespace *ns = &inventory->namespaces[i];
		struct json *one;

		if (only != NULL ? ns != only : !inventory_namespace_of(ns, controller))
			continue;
		one = drive_namespace(inventory, ns);
		if (ns->identify_info.read_at == 0) {
			drive_set_missing(one, "identify", &ns->identify_info);
		} else {
			struct json *identify = page_json_namespace(&ns->identify);

			drive_set_read(identify, &ns->identify_info);
			json_set(one, "identify", identify);
		}
		json_add(namespaces, one);
	}
	json_set(document, "namespaces", namespaces);
}

int drive_json_show(const struct inventory *inventory, const char *name, const char *page,
	struct json **out, struct err *err)
{
	const struct inventory_controller *controller;
	const struct inventory_namespace *ns;
	int rc;

	*out = NULL;
	rc = drive_page_check(page, err);
	if (rc == 0)
		rc = drive_find(inventory, name, &controller, &ns, err);
	if (rc < 0)
		return rc;
	struct json *document = drive_document(inventory, "nvsweep-show/1");
	json_set(document, "controller", drive_controller(controller));
	if (drive_page_wanted(page, "identify"))
		drive_show_identify(document, controller);
	if (drive_page_wanted(page, "smart"))
		drive_show_smart(document, controller);
	if (drive_page_wanted(page, "environment"))
		json_set(document, "environment", page_json_environment(&controller->env));
	if (drive_page_wanted(page, "namespaces"))
		drive_show_namespaces(document, inventory, controller, ns);
	*out = document;
	return 0;
}

static struct json *drive_verdict(const struct inventory_controller *controller)
{
	struct json *object = json_object();

	page_json_text(object, "name", controller->topo.name);
	page_json_text(object, "model", controller->topo.model);
	page_json_text(object, "serial", controller->topo.serial);
	json_set_bool(object, "simulated", controller->simulated);
	json_set_string(object, "verdict", health_name(controller->health.verdict));
	json_set(object, "reasons", drive_reasons(&controller->health));
	return object;
}

int drive_json_health(const struct inventory *inventory, const char *const *names, size_t count,
	struct json **out, enum health_verdict *worst, struct err *err)
{
	struct json *document = drive_document(inventory, "nvsweep-health/1");
	struct json *drives = json_array();
	enum health_verdict verdict = HEALTH_GOOD;
	const size_t total = count > 0 ? count : inventory->controller_count;
	int rc = 0;

	*out = NULL;
	for (size_t i = 0; i < total; i++) {
		const struct inventory_controller *controller = NULL;
		const struct inventory_namespace *ns;

		if (count == 0)
			controller = &inventory->controllers[i];
		else
			rc = drive_find(inventory, names[i], &controller, &ns, err);
		if (rc < 0)
			goto fail;
		verdict = health_worst(verdict, controller->health.verdict);
		json_add(drives, drive_verdict(controller));
	}
	if (worst != NULL)
		*worst = total > 0 ? verdict : HEALTH_UNKNOWN;
	json_set(document, "drives", drives);
	*out = document;
	return 0;
fail:
	json_free(drives);
	json_free(document);
	return rc;
}
