/* Builds a snapshot: what sysfs says, else what Identify says, and why something cannot be used. */
#include "nvme/inventory_merge.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"

static void merge_fallback(char *text, size_t size, bool identified, const char *identify)
{
	if (text[0] == '\0' && identified)
		str_copy(text, size, identify);
}

/* Why there is no SMART content, in words. */
static const char *merge_smart_reason(const struct page_info *info)
{
	return info->text[0] ? info->text : NULL;
}

static void merge_controller(const struct pages *pages, const struct topology_controller *topo,
	uint64_t now_ns, struct inventory_controller *out)
{
	const struct transport_ops *ops = pages->transport->ops;
	const struct tracked *t = pages_find(pages, topo->name);
	bool identified, smart;

	out->topo = *topo;
	out->simulated = ops->simulated;
	out->replayed = !ops->live;
	out->env.numa_node = -1;
	if (!t)
		return;
	out->identify_info = page_slot_info(&t->identify_slot, now_ns);
	out->smart_info = page_slot_info(&t->smart_slot, now_ns);
	out->list_info = page_slot_info(&t->list_slot, now_ns);
	identified = out->identify_info.read_at != 0;
	smart = out->smart_info.read_at != 0;
	out->identify = t->identify;
	out->smart = t->smart;
	memcpy(out->identify_raw, t->identify_raw, sizeof(out->identify_raw));
	memcpy(out->smart_raw, t->smart_raw, sizeof(out->smart_raw));
	if (t->nsid_count > 0) {
		out->nsids = mem_alloc(t->nsid_count * sizeof(*out->nsids));
		memcpy(out->nsids, t->nsids, t->nsid_count * sizeof(*out->nsids));
		out->nsid_count = t->nsid_count;
	}
	out->env = t->env;
	out->busy_ns = t->out ? jobs_busy_ns(pages->jobs, topo->name) : 0;
	merge_fallback(out->topo.model, sizeof(out->topo.model), identified, t->identify.model);
	merge_fallback(out->topo.serial, sizeof(out->topo.serial), identified, t->identify.serial);
	merge_fallback(
		out->topo.firmware, sizeof(out->topo.firmware), identified, t->identify.firmware);
	merge_fallback(out->topo.nqn, sizeof(out->topo.nqn), identified, t->identify.nqn);
	health_judge(smart ? &out->smart : NULL, identified ? &out->identify : NULL, &out->env,
		topo->state, merge_smart_reason(&out->smart_info), &out->health);
}

/* Content of Identify Namespace: through the controller that is asked now, else the last one that
 * gave some. */
static const struct tracked_namespace *merge_tracked_namespace(
	const struct scan *scan, const struct pages *pages, const struct topology_namespace *topo)
{
	const struct tracked *t = pages_find(pages, pages_reader(scan->topology, topo));
	const struct tracked_namespace *ns = t ? pages_find_namespace(t, topo->nsid) : NULL;

	if (ns && ns->slot.info.read_at != 0)
		return ns;
	for (size_t i = 0; i < topo->path_count; i++) {
		const struct tracked_namespace *other;

		t = pages_find(pages, topo->paths[i].controller);
		other = t ? pages_find_namespace(t, topo->nsid) : NULL;
		if (other && other->slot.info.read_at != 0)
			return other;
	}
	return ns;
}

static size_t merge_controller_index(const struct scan *scan, const char *name)
{
	for (size_t i = 0; i < scan->topology->controller_count; i++)
		if (strcmp(scan->topology->controllers[i].name, name) == 0)
			return i;
	return SIZE_MAX;
}

static void merge_sizes(struct inventory_namespace *ns)
{
	const bool identified = ns->identify_info.read_at != 0;
	const struct identify_namespace *id = &ns->identify;

	if (ns->topo.size_bytes > 0) {
		ns->size_known = true;
		ns->size_bytes = ns->topo.size_bytes;
		ns->lba_bytes = ns->topo.lba_bytes;
	}
	ns->metadata_bytes = ns->topo.metadata_bytes;
	ns->read_only = ns->topo.read_only;
	if (!identified)
		return;
	if (!ns->size_known)
		ns->size_known = identify_namespace_bytes(id, id->size_blocks, &ns->size_bytes);
	ns->used_known = identify_namespace_bytes(id, id->used_blocks, &ns->used_bytes);
	if (ns->lba_bytes == 0)
		ns->lba_bytes = id->lba_bytes;
	if (id->format_valid) {
		ns->metadata_bytes = id->metadata_bytes;
		ns->metadata_extended = id->metadata_extended;
	}
	ns->read_only |= id->write_protected;
}

/* No path or no controller that takes I/O. "" when there is one. */
static void merge_dead_reason(
	const struct scan *scan, const struct topology_namespace *topo, char *buf, size_t size)
{
	const char *name = pages_reader(scan->topology, topo);
	const struct topology_controller *c = topology_find_controller(scan->topology, name);

	buf[0] = '\0';
	if (!c || topology_controller_live(c))
		return;
	if (topo->path_count > 1)
		str_format(buf, size, "none of its %zu paths is live", topo->path_count);
	else
		str_format(buf, size, "its controller %s is %s", c->name, c->state);
}

/* Why a namespace cannot be a target of a sweep. */
static void merge_no_sweep(const struct scan *scan, struct inventory_namespace *ns)
{
	const struct identify_namespace *id = &ns->identify;
	const bool format = ns->identify_info.read_at != 0 && id->format_valid;
	char *buf = ns->no_sweep, node[PATH_MAX];
	const size_t size = sizeof(ns->no_sweep);

	if (ns->topo.size_bytes == 0 && format && id->metadata_bytes > 0)
		str_format(buf, size, "the format %u+%u with %s metadata has no block device",
			id->lba_bytes, id->metadata_bytes,
			id->metadata_extended ? "extended" : "separate");
	else if (ns->topo.name[0] == '\0')
		str_format(buf, size, "no block device: the kernel shows %s",
			ns->topo.generic[0]               ? "only the generic node"
				: ns->topo.path_count > 0 ? "only hidden paths"
							  : "no node for it");
	else if (ns->topo.size_bytes == 0)
		str_copy(
			buf, size, "its size is 0: it is empty, or its format has no block device");
	else
		merge_dead_reason(scan, &ns->topo, buf, size);
	if (buf[0] != '\0' || !scan->devices)
		return;
	str_format(node, sizeof(node), "%s/dev/%s", scan->dev_root, ns->topo.name);
	if (access(node, F_OK) != 0)
		str_format(buf, size, "/dev/%s is not visible here (a container?)", ns->topo.name);
}

static void merge_namespace(const struct scan *scan, const struct pages *pages,
	const struct topology_namespace *topo, const struct tracked_namespace *tracked,
	uint64_t now_ns, struct inventory_namespace *out)
{
	const struct transport_ops *ops = pages->transport->ops;

	out->topo = *topo;
	out->topo.paths = NULL;
	if (topo->path_count > 0) {
		out->topo.paths = mem_alloc(topo->path_count * sizeof(*topo->paths));
		memcpy(out->topo.paths, topo->paths, topo->path_count * sizeof(*topo->paths));
	}
	out->simulated = ops->simulated;
	out->replayed = !ops->live;
	out->controller_index = merge_controller_index(scan, pages_reader(scan->topology, topo));
	out->rates = scan_rates(scan, topo->name);
	if (tracked) {
		out->identify_info = page_slot_info(&tracked->slot, now_ns);
		out->identify = tracked->identify;
	}
	merge_sizes(out);
	merge_no_sweep(scan, out);
}

/* Only one row per namespace that several controllers of a subsystem list. */
static bool merge_listed_before(
	const struct inventory *inventory, const struct topology_controller *c, uint32_t nsid)
{
	for (size_t i = 0; i < inventory->namespace_count; i++) {
		const struct topology_namespace *ns = &inventory->namespaces[i].topo;

		if (ns->nsid == nsid && ns->name[0] == '\0' && c->subsystem[0] != '\0' &&
			strcmp(ns->subsystem, c->subsystem) == 0)
			return true;
	}
	return false;
}

/* Namespaces that a controller lists but the kernel shows no node for. */
static void merge_unlisted(const struct scan *scan, const struct pages *pages,
	const struct topology_controller *c, uint64_t now_ns, struct inventory *out, size_t room)
{
	const struct tracked *t = pages_find(pages, c->name);

	for (size_t i = 0; t && i < t->namespace_count; i++) {
		const struct tracked_namespace *one = &t->namespaces[i];
		struct topology_namespace topo = {0};

		if (!one->wanted || !one->once || out->namespace_count == room ||
			pages_has_node(scan->topology, c->name, one->nsid) ||
			merge_listed_before(out, c, one->nsid))
			continue;
		topo.nsid = one->nsid;
		str_copy(topo.controller, sizeof(topo.controller), c->name);
		str_copy(topo.subsystem, sizeof(topo.subsystem), c->subsystem);
		merge_namespace(
			scan, pages, &topo, one, now_ns, &out->namespaces[out->namespace_count++]);
	}
}

static int merge_compare(const void *a, const void *b)
{
	const struct inventory_namespace *x = a, *y = b;
	int order = (x->controller_index > y->controller_index) -
		(x->controller_index < y->controller_index);

	if (order == 0)
		order = (x->topo.nsid > y->topo.nsid) - (x->topo.nsid < y->topo.nsid);
	return order ? order : str_compare_natural(x->topo.name, y->topo.name);
}

static void merge_namespaces(
	const struct scan *scan, const struct pages *pages, uint64_t now_ns, struct inventory *out)
{
	const struct topology *topology = scan->topology;
	size_t room = topology->namespace_count;

	for (size_t i = 0; i < pages->controller_count; i++)
		room += pages->controllers[i]->namespace_count;
	if (room == 0)
		return;
	out->namespaces = mem_alloc(room * sizeof(*out->namespaces));
	for (size_t i = 0; i < topology->namespace_count; i++) {
		const struct topology_namespace *topo = &topology->namespaces[i];
		struct inventory_namespace *ns = &out->namespaces[out->namespace_count++];

		merge_namespace(
			scan, pages, topo, merge_tracked_namespace(scan, pages, topo), now_ns, ns);
		ns->geometry_known = scan->geometry[i].name[0] != '\0';
		ns->geometry = scan->geometry[i];
	}
	for (size_t i = 0; i < topology->controller_count; i++)
		merge_unlisted(scan, pages, &topology->controllers[i], now_ns, out, room);
	qsort(out->namespaces, out->namespace_count, sizeof(*out->namespaces), merge_compare);
}

static void merge_disks(const struct scan *scan, struct inventory *out)
{
	if (scan->disk_count == 0)
		return;
	out->block_devices = mem_alloc(scan->disk_count * sizeof(*out->block_devices));
	out->block_device_count = scan->disk_count;
	for (size_t i = 0; i < scan->disk_count; i++) {
		struct inventory_block_device *device = &out->block_devices[i];

		device->geometry = scan->disks[i];
		device->rates = scan_rates(scan, device->geometry.name);
		/* many hold an NVMe drive, but its commands do not get through (CASES T7) */
		if (strcmp(device->geometry.transport, "usb") == 0)
			str_copy(device->remark, sizeof(device->remark),
				"USB bridge - NVMe commands not available");
	}
}

/* Why the list is empty or poor (CASES T4, T5): no drives, no nodes, no rights. */
static void merge_notice(const struct scan *scan, const struct pages *pages, struct inventory *out)
{
	size_t visible = 0, denied = 0;

	for (size_t i = 0; i < out->controller_count; i++) {
		const struct tracked *t = pages_find(pages, out->controllers[i].topo.name);

		visible += out->controllers[i].topo.node_visible;
		denied += t && (t->identify_slot.rc == -EACCES || t->smart_slot.rc == -EACCES);
	}
	if (!scan->devices) {
		if (out->controller_count == 0)
			str_copy(out->notice, sizeof(out->notice), "no NVMe devices found");
		return;
	}
	if (scan->topology->class_missing)
		str_copy(out->notice, sizeof(out->notice),
			"no NVMe devices found: the kernel has no /sys/class/nvme (no NVMe drive, or "
			"its driver is not loaded)");
	else if (out->controller_count == 0)
		str_copy(out->notice, sizeof(out->notice), "no NVMe devices found");
	else if (visible == 0)
		str_format(out->notice, sizeof(out->notice),
			"%zu NVMe device%s here, but /dev/%s is not visible (a container without "
			"device nodes?): SMART and Identify cannot be read",
			out->controller_count, out->controller_count == 1 ? " is" : "s are",
			out->controllers[0].topo.name);
	else if (denied > 0)
		str_copy(out->notice, sizeof(out->notice),
			"listed from sysfs: SMART and Identify need root (sudo nvsweep), or read access "
			"to /dev/nvme* and CAP_SYS_ADMIN");
}

struct inventory *inventory_merge(
	const struct scan *scan, const struct pages *pages, uint64_t now_ns)
{
	struct inventory *out = mem_alloc(sizeof(*out));
	const struct topology *topology = scan->topology;

	atomic_init(&out->references, 1);
	out->controller_count = topology->controller_count;
	if (out->controller_count > 0)
		out->controllers = mem_alloc(out->controller_count * sizeof(*out->controllers));
	for (size_t i = 0; i < out->controller_count; i++)
		merge_controller(pages, &topology->controllers[i], now_ns, &out->controllers[i]);
	merge_namespaces(scan, pages, now_ns, out);
	merge_disks(scan, out);
	merge_notice(scan, pages, out);
	return out;
}
