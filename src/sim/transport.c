/* The nvme transport over a fleet of simulated drives. */
#include "sim/transport.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "nvme/environment.h"
#include "nvme/topology.h"
#include "sim/pages.h"

/* Status words with Do Not Retry set. */
#define INVALID_FIELD 0x4002
#define INVALID_NAMESPACE 0x400b
#define INVALID_LOG_PAGE 0x4109
#define EVERY_NAMESPACE 0xffffffffu

struct sim_transport {
	struct transport base;
	struct sim_fleet *fleet;
};

static struct sim_fleet *fleet_of(struct transport *t)
{
	return ((struct sim_transport *)t)->fleet;
}

/* ---- topology -------------------------------------------------------------------------------- */

static void describe_controller(const struct sim_drive *drive, struct topology_controller *out)
{
	const struct sim_parameters *is = &drive->is;

	str_copy(out->name, sizeof(out->name), drive->name);
	str_copy(out->model, sizeof(out->model), is->model);
	str_copy(out->serial, sizeof(out->serial), is->serial);
	str_copy(out->firmware, sizeof(out->firmware), is->firmware);
	str_copy(out->transport, sizeof(out->transport), "pcie");
	/* a PCI domain that no machine has */
	str_format(out->address, sizeof(out->address), "5100:%02x:00.0", drive->index + 1);
	str_copy(out->state, sizeof(out->state), "live");
	str_format(out->subsystem, sizeof(out->subsystem), "sim-subsys%u", drive->index);
	sim_pages_nqn(drive, out->nqn, sizeof(out->nqn));
	str_copy(out->controller_type, sizeof(out->controller_type), "io");
	out->cntlid = (int)drive->index;
	out->numa_node = (int)is->numa_node;
	out->queue_count = 9;
	out->sqsize = 1023;
	out->node_visible = true;
}

static void hex(char *dst, const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		sprintf(dst + 2 * i, "%02x", bytes[i]);
}

static void describe_namespace(const struct sim_namespace *ns, struct topology_namespace *out)
{
	uint8_t id[16];

	str_copy(out->name, sizeof(out->name), ns->name);
	out->nsid = ns->nsid;
	str_format(out->subsystem, sizeof(out->subsystem), "sim-subsys%u", ns->drive->index);
	str_copy(out->controller, sizeof(out->controller), ns->drive->name);
	out->size_bytes = ns->size_bytes;
	out->lba_bytes = ns->lba_bytes;
	sim_pages_eui64(ns, id);
	hex(out->eui64, id, 8);
	sim_pages_nguid(ns, id);
	hex(out->nguid, id, 16);
}

static int sim_list(struct transport *t, struct topology **out, struct err *err)
{
	const struct sim_fleet *fleet = fleet_of(t);
	struct topology *topology = mem_alloc(sizeof(*topology));
	size_t namespaces = 0;

	err_clear(err);
	for (size_t i = 0; i < fleet->drive_count; i++)
		namespaces += fleet->drives[i].namespace_count;
	topology->controllers =
		mem_alloc((fleet->drive_count + 1) * sizeof(*topology->controllers));
	topology->namespaces = mem_alloc((namespaces + 1) * sizeof(*topology->namespaces));
	for (size_t i = 0; i < fleet->drive_count; i++) {
		const struct sim_drive *drive = &fleet->drives[i];

		describe_controller(drive, &topology->controllers[topology->controller_count++]);
		for (uint32_t n = 0; n < drive->namespace_count; n++)
			describe_namespace(&drive->namespaces[n],
				&topology->namespaces[topology->namespace_count++]);
	}
	*out = topology;
	return 0;
}

/* ---- pages ----------------------------------------------------------------------------------- */

static struct sim_drive *find(struct transport *t, const char *controller, struct err *err)
{
	struct sim_drive *drive = sim_fleet_drive(fleet_of(t), controller);

	if (!drive)
		err_set(err, -ENODEV, "there is no simulated drive %s", controller);
	return drive;
}

/* Drives count each refused command as an error. */
static int refuse(struct sim_drive *drive, uint16_t word, const char *text,
	struct nvme_status *status, struct err *err)
{
	atomic_fetch_add_explicit(&drive->live.refused, 1, memory_order_relaxed);
	status->word = word;
	str_format(status->text, sizeof(status->text), "%s (0x%x)", text, word);
	return err_set(err, -EREMOTEIO, "%s refused: %s", drive->name, status->text);
}

static int sim_identify(struct transport *t, const char *controller, uint8_t cns, uint32_t nsid,
	void *buf, size_t length, size_t *got, struct nvme_status *status, struct err *err)
{
	struct sim_drive *drive = find(t, controller, err);
	uint8_t page[SIM_PAGE_BYTES];
	const bool named = drive && nsid >= 1 && nsid <= drive->namespace_count;

	*got = 0;
	memset(status, 0, sizeof(*status));
	memset(buf, 0, length);
	if (!drive)
		return -ENODEV;
	switch (cns) {
	case NVME_CNS_CONTROLLER:
		sim_pages_controller(drive, page);
		break;
	case NVME_CNS_NAMESPACE:
	case NVME_CNS_DESCRIPTORS:
		if (!named)
			return refuse(drive, INVALID_NAMESPACE, "Invalid Namespace or Format",
				status, err);
		if (cns == NVME_CNS_NAMESPACE)
			sim_pages_namespace(&drive->namespaces[nsid - 1], page);
		else
			sim_pages_descriptors(&drive->namespaces[nsid - 1], page);
		break;
	case NVME_CNS_ACTIVE_LIST:
	case NVME_CNS_ALLOCATED_LIST:
		if (nsid >= 0xfffffffe)
			return refuse(drive, INVALID_NAMESPACE, "Invalid Namespace or Format",
				status, err);
		sim_pages_list(drive, nsid, page);
		break;
	default:
		return refuse(drive, INVALID_FIELD, "Invalid Field in Command", status, err);
	}
	*got = length < sizeof(page) ? length : sizeof(page);
	memcpy(buf, page, *got);
	return 0;
}

static int sim_get_log(struct transport *t, const char *controller,
	const struct log_request *request, void *buf, size_t *got, struct nvme_status *status,
	struct err *err)
{
	struct sim_drive *drive = find(t, controller, err);
	uint8_t page[SIM_SMART_BYTES];

	*got = 0;
	memset(status, 0, sizeof(*status));
	memset(buf, 0, request->length);
	if (!drive)
		return -ENODEV;
	if (request->log_id != NVME_LOG_SMART)
		return refuse(drive, INVALID_LOG_PAGE, "Invalid Log Page", status, err);
	if (request->nsid != EVERY_NAMESPACE && request->nsid != 0)
		return refuse(drive, INVALID_FIELD, "Invalid Field in Command", status, err);
	if (request->offset > sizeof(page) || request->offset % 4)
		return refuse(drive, INVALID_FIELD, "Invalid Field in Command", status, err);
	sim_pages_smart(drive, page);
	*got = sizeof(page) - request->offset;
	if (*got > request->length)
		*got = request->length;
	memcpy(buf, page + request->offset, *got);
	return 0;
}

static void sim_environment(struct transport *t, const char *controller, struct environment *out)
{
	struct sim_drive *drive = sim_fleet_drive(fleet_of(t), controller);
	struct sim_health health;

	memset(out, 0, sizeof(*out));
	out->numa_node = -1;
	if (!drive)
		return;
	const struct sim_parameters *is = &drive->is;

	sim_drive_health(drive, &health);
	str_copy(out->sensors[0].label, sizeof(out->sensors[0].label), "Composite");
	out->sensors[0].value_mc = (struct field_int){true, health.temperature_mc};
	out->sensors[0].max_mc = (struct field_int){true, lrint(is->warning_c * 1000)};
	out->sensors[0].critical_mc = (struct field_int){true, lrint(is->critical_c * 1000)};
	out->sensor_count = 1;
	out->link_gts = is->link_gts;
	out->link_width = is->link_gts > 0 ? (int)is->link_width : 0;
	out->link_max_gts = is->link_max_gts;
	out->link_max_width = is->link_max_gts > 0 ? (int)is->link_max_width : 0;
	out->slot_max_gts = out->link_max_gts;
	out->slot_max_width = out->link_max_width;
	out->numa_node = (int)is->numa_node;
	str_copy(out->power_state, sizeof(out->power_state), "D0");
}

static int sim_counters(struct transport *t, const char *name, struct iostat_counters *out)
{
	struct sim_namespace *ns = sim_fleet_namespace(fleet_of(t), name);

	if (!ns)
		return -ENODEV;
	sim_namespace_iostat(ns, out);
	return 0;
}

static void *sim_device(struct transport *t, const char *name)
{
	return sim_fleet_namespace(fleet_of(t), name);
}

static void sim_destroy(struct transport *t)
{
	free((struct sim_transport *)t);
}

static const struct transport_ops sim_ops = {
	.name = "sim",
	.simulated = true,
	.live = true,
	.list = sim_list,
	.identify = sim_identify,
	.get_log = sim_get_log,
	.environment = sim_environment,
	.counters = sim_counters,
	.device = sim_device,
	.destroy = sim_destroy,
};

int sim_transport_create(struct sim_fleet *fleet, struct transport **out, struct err *err)
{
	struct sim_transport *sim = mem_alloc(sizeof(*sim));

	err_clear(err);
	sim->base.ops = &sim_ops;
	sim->fleet = fleet;
	*out = &sim->base;
	return 0;
}
