/* Block statistics: the kernel's counters and the rates between two readings. */
#include "block/iostat.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/str.h"

#define SECTOR_BYTES 512.0
#define STAT_FIELDS 11 /* later kernels append discards and flushes */

int iostat_read(const char *sysfs_root, const char *name, struct iostat_counters *out)
{
	char path[PATH_MAX], text[4097], *at = text;
	uint64_t fields[STAT_FIELDS];
	int rc;

	memset(out, 0, sizeof(*out));
	if (strchr(name, '/') || name[0] == '.' || name[0] == '\0')
		return -EINVAL;
	str_format(path, sizeof(path), "%s/sys/class/block/%s/stat", sysfs_root, name);
	rc = file_read_text(path, text, sizeof(text));
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < STAT_FIELDS; i++) {
		char *end;

		errno = 0;
		fields[i] = strtoull(at, &end, 10);
		if (end == at || errno != 0)
			return -EINVAL;
		at = end;
	}
	out->taken_ns = clock_monotonic_ns();
	out->reads = fields[0];
	out->read_sectors = fields[2];
	out->read_ms = fields[3];
	out->writes = fields[4];
	out->write_sectors = fields[6];
	out->write_ms = fields[7];
	out->in_flight = fields[8];
	out->busy_ms = fields[9];
	out->weighted_ms = fields[10];
	return 0;
}

static bool iostat_grew(const struct iostat_counters *before, const struct iostat_counters *after)
{
	return after->taken_ns > before->taken_ns && after->reads >= before->reads &&
		after->read_sectors >= before->read_sectors && after->read_ms >= before->read_ms &&
		after->writes >= before->writes && after->write_sectors >= before->write_sectors &&
		after->write_ms >= before->write_ms && after->busy_ms >= before->busy_ms;
}

void iostat_between(const struct iostat_counters *before, const struct iostat_counters *after,
	struct iostat_rates *out)
{
	const double reads = (double)(after->reads - before->reads);
	const double writes = (double)(after->writes - before->writes);
	double seconds;

	memset(out, 0, sizeof(*out));
	out->read_latency_ms = NAN;
	out->write_latency_ms = NAN;
	out->in_flight = after->in_flight;
	if (!iostat_grew(before, after))
		return;
	seconds = (double)(after->taken_ns - before->taken_ns) / 1e9;
	out->known = true;
	out->seconds = seconds;
	out->read_iops = reads / seconds;
	out->write_iops = writes / seconds;
	out->read_bytes_s =
		(double)(after->read_sectors - before->read_sectors) * SECTOR_BYTES / seconds;
	out->write_bytes_s =
		(double)(after->write_sectors - before->write_sectors) * SECTOR_BYTES / seconds;
	if (reads > 0)
		out->read_latency_ms = (double)(after->read_ms - before->read_ms) / reads;
	if (writes > 0)
		out->write_latency_ms = (double)(after->write_ms - before->write_ms) / writes;
	out->busy_pct = (double)(after->busy_ms - before->busy_ms) / (seconds * 10);
	if (out->busy_pct > 100)
		out->busy_pct = 100;
}
