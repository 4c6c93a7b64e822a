/* Reads sysfs and tells whether anything differs from the reading before. */
#include "nvme/inventory_scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

static const struct iostat_rates scan_unknown = {
	.read_latency_ms = NAN,
	.write_latency_ms = NAN,
};

struct iostat_rates scan_rates(const struct scan *scan, const char *name)
{
	for (size_t i = 0; i < scan->rate_count; i++)
		if (name[0] != '\0' && strcmp(scan->rates[i].name, name) == 0)
			return scan->rates[i].rates;
	return scan_unknown;
}

static bool scan_same_figure(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

/* The length of the span is no content. */
static bool scan_same_rates(const struct iostat_rates *a, const struct iostat_rates *b)
{
	return a->known == b->known && scan_same_figure(a->read_iops, b->read_iops) &&
		scan_same_figure(a->write_iops, b->write_iops) &&
		scan_same_figure(a->read_bytes_s, b->read_bytes_s) &&
		scan_same_figure(a->write_bytes_s, b->write_bytes_s) &&
		scan_same_figure(a->read_latency_ms, b->read_latency_ms) &&
		scan_same_figure(a->write_latency_ms, b->write_latency_ms) &&
		scan_same_figure(a->busy_pct, b->busy_pct) && a->in_flight == b->in_flight;
}

static struct rate_track *scan_track(struct scan *scan, const char *name, uint64_t diskseq)
{
	struct rate_track *track;

	for (size_t i = 0; i < scan->rate_count; i++) {
		track = &scan->rates[i];
		if (strcmp(track->name, name) != 0)
			continue;
		/* another device of the same name starts over */
		if (track->diskseq != diskseq)
			track->have = false;
		track->diskseq = diskseq;
		return track;
	}
	scan->rates = mem_realloc(scan->rates, (scan->rate_count + 1) * sizeof(*scan->rates));
	track = &scan->rates[scan->rate_count++];
	memset(track, 0, sizeof(*track));
	str_copy(track->name, sizeof(track->name), name);
	track->diskseq = diskseq;
	track->rates = scan_unknown;
	return track;
}

static bool scan_count(struct scan *scan, const char *name, uint64_t diskseq,
	const struct iostat_counters *counters)
{
	struct rate_track *track = scan_track(scan, name, diskseq);
	struct iostat_rates rates = scan_unknown;
	bool changed;

	if (track->have)
		iostat_between(&track->last, counters, &rates);
	changed = !scan_same_rates(&rates, &track->rates);
	track->rates = rates;
	track->last = *counters;
	track->have = true;
	track->seen = true;
	return changed;
}

/* Kernels before 6.4 count no I/O on a multipath head: then the paths together. */
static int scan_read_counters(
	const struct scan *scan, const struct topology_namespace *ns, struct iostat_counters *out)
{
	const int rc = iostat_read(scan->sysfs_root, ns->name, out);

	if (rc < 0 || out->reads + out->writes > 0)
		return rc;
	/* the head's own is stale there */
	if (ns->path_count > 0)
		out->in_flight = 0;
	for (size_t i = 0; i < ns->path_count; i++) {
		struct iostat_counters path;

		if (iostat_read(scan->sysfs_root, ns->paths[i].name, &path) < 0)
			continue;
		out->reads += path.reads;
		out->read_sectors += path.read_sectors;
		out->read_ms += path.read_ms;
		out->writes += path.writes;
		out->write_sectors += path.write_sectors;
		out->write_ms += path.write_ms;
		out->busy_ms = path.busy_ms > out->busy_ms ? path.busy_ms : out->busy_ms;
		out->weighted_ms += path.weighted_ms;
		out->in_flight += path.in_flight;
	}
	return 0;
}

static bool scan_read_rates(struct scan *scan, struct transport *transport)
{
	struct iostat_counters counters;
	bool changed = false;
	size_t kept = 0;

	for (size_t i = 0; i < scan->rate_count; i++)
		scan->rates[i].seen = false;
	for (size_t i = 0; i < scan->topology->namespace_count; i++) {
		const struct topology_namespace *ns = &scan->topology->namespaces[i];

		if (ns->name[0] == '\0')
			continue;
		if ((transport->ops->counters
				    ? transport->ops->counters(transport, ns->name, &counters)
				    : scan_read_counters(scan, ns, &counters)) == 0)
			changed |= scan_count(scan, ns->name, scan->geometry[i].diskseq, &counters);
	}
	for (size_t i = 0; i < scan->disk_count; i++)
		if (iostat_read(scan->sysfs_root, scan->disks[i].name, &counters) == 0)
			changed |= scan_count(
				scan, scan->disks[i].name, scan->disks[i].diskseq, &counters);
	for (size_t i = 0; i < scan->rate_count; i++)
		if (scan->rates[i].seen)
			scan->rates[kept++] = scan->rates[i];
	scan->rate_count = kept;
	return changed;
}

/* Geometry of the namespaces; an array as long as their number. */
static struct blockdev *scan_read_geometry(const struct scan *scan, const struct topology *topology)
{
	struct blockdev *list = mem_alloc((topology->namespace_count + 1) * sizeof(*list));

	for (size_t i = 0; i < topology->namespace_count; i++) {
		const struct topology_namespace *ns = &topology->namespaces[i];

		if (scan->devices && ns->name[0] != '\0' &&
			blockdev_read(scan->sysfs_root, ns->name, &list[i], NULL) < 0)
			memset(&list[i], 0, sizeof(list[i]));
	}
	return list;
}

static void scan_read_disks(const struct scan *scan, struct blockdev **out, size_t *count)
{
	size_t kept = 0;

	*out = NULL;
	*count = 0;
	if (!scan->others || blockdev_list(scan->sysfs_root, out, count, NULL) < 0)
		return;
	for (size_t i = 0; i < *count; i++)
		if (strcmp((*out)[i].transport, "nvme") != 0)
			(*out)[kept++] = (*out)[i];
	*count = kept;
}

static bool scan_same_devices(
	const struct blockdev *a, size_t a_count, const struct blockdev *b, size_t b_count)
{
	/* readers zero what they fill */
	return a_count == b_count && (a_count == 0 || memcmp(a, b, a_count * sizeof(*a)) == 0);
}

int scan_read(struct scan *scan, struct transport *transport, bool *changed, struct err *err)
{
	struct topology *topology;
	struct blockdev *geometry, *disks;
	size_t disk_count;
	const struct topology *old = scan->topology;
	int rc = transport->ops->list(transport, &topology, err);

	*changed = false;
	if (rc < 0)
		return rc;
	geometry = scan_read_geometry(scan, topology);
	scan_read_disks(scan, &disks, &disk_count);
	*changed = !old || !topology_equal(old, topology) ||
		!scan_same_devices(scan->geometry, old->namespace_count, geometry,
			topology->namespace_count) ||
		!scan_same_devices(scan->disks, scan->disk_count, disks, disk_count);
	topology_free(scan->topology);
	free(scan->geometry);
	free(scan->disks);
	scan->topology = topology;
	scan->geometry = geometry;
	scan->disks = disks;
	scan->disk_count = disk_count;
	if (scan->devices || transport->ops->counters)
		*changed |= scan_read_rates(scan, transport);
	return 0;
}

void scan_free(struct scan *scan)
{
	topology_free(scan->topology);
	free(scan->geometry);
	free(scan->disks);
	free(scan->rates);
	memset(scan, 0, sizeof(*scan));
}
