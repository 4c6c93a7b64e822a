/* A simulated drive between tests: its namespaces, its host's background load, its health. */
#include "sim/drive.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/str.h"
#include "sim/background.h"

#define GB 1e9
#define TB 1e12
#define NS_PER_S 1e9
#define NS_PER_MINUTE UINT64_C(60000000000)
#define NS_PER_HOUR (NS_PER_MINUTE * 60)

/* The temperature that the drive tends to without a test. */
static double rest_c(const struct sim_parameters *is)
{
	const double block_gb = is->background_block / GB;
	const double watts = is->idle_w + is->background_read_iops * block_gb * is->read_j_gb +
		is->background_write_iops * block_gb * is->write_j_gb;

	return is->ambient_c + watts * is->heat_k_w;
}

static void init_namespaces(struct sim_drive *drive)
{
	const struct sim_parameters *is = &drive->is;
	const uint64_t block = (uint64_t)is->block;
	const uint64_t each = (uint64_t)(is->size / is->namespaces) / block * block;
	struct rng rng;
	double sum = 0;

	drive->namespace_count = (uint32_t)is->namespaces;
	drive->namespaces = mem_alloc(drive->namespace_count * sizeof(*drive->namespaces));
	rng_seed(&rng, drive->seed, 1);
	for (uint32_t i = 0; i < drive->namespace_count; i++) {
		struct sim_namespace *ns = &drive->namespaces[i];
		double left = (double)each * is->used_pct / 100;

		str_format(ns->name, sizeof(ns->name), "%sn%u", drive->name, i + 1);
		ns->drive = drive;
		ns->nsid = i + 1;
		ns->lba_bytes = (uint32_t)block;
		ns->size_bytes = each;
		ns->region_bytes = each / SIM_REGIONS + 1;
		ns->host_share = 0.2 + rng_uniform(&rng);
		sum += ns->host_share;
		atomic_init(&ns->live.used_bytes, (uint64_t)left);
		for (int r = 0; r < SIM_REGIONS; r++) {
			ns->region_used[r] = fmin(left, (double)ns->region_bytes);
			left -= ns->region_used[r];
		}
	}
	for (uint32_t i = 0; i < drive->namespace_count; i++)
		drive->namespaces[i].host_share /= sum;
}

void sim_drive_init(struct sim_drive *drive, const char *name, unsigned index, uint64_t seed,
	const struct sim_parameters *parameters, const struct clock *clock)
{
	memset(drive, 0, sizeof(*drive));
	str_copy(drive->name, sizeof(drive->name) - 8, name);
	drive->index = index;
	drive->seed = seed;
	drive->is = *parameters;
	drive->clock = clock;
	init_namespaces(drive);
	drive->flash.clean_bytes =
		parameters->size * (1 + parameters->spare_pct / 100 - parameters->used_pct / 100);
	drive->closed_c = drive->flash.temperature_c = rest_c(parameters);
	atomic_init(&drive->live.temperature_mc, (int32_t)lrint(drive->closed_c * 1000));
	drive->since_ns = clock_now(clock);
	pthread_mutex_init(&drive->lock, NULL);
}

void sim_drive_free(struct sim_drive *drive)
{
	pthread_mutex_destroy(&drive->lock);
	free(drive->namespaces);
	drive->namespaces = NULL;
}

/* ---- without a test -------------------------------------------------------------------------- */

/* Time that the background load has worked. Under the lock. */
static uint64_t host_time(const struct sim_drive *drive, uint64_t now)
{
	return drive->host_ns + (drive->open || now < drive->since_ns ? 0 : now - drive->since_ns);
}

/* Under the lock, not open. */
static double resting_c(const struct sim_drive *drive, uint64_t now)
{
	const double rest = rest_c(&drive->is);
	const double passed =
		now > drive->since_ns ? (double)(now - drive->since_ns) / NS_PER_S : 0;

	return rest + (drive->closed_c - rest) * exp(-passed / drive->is.heat_s);
}

/* Time above the warning limit without a test: all of it or none, by where the drive tends to. */
static uint64_t warm_time(const struct sim_drive *drive, uint64_t now)
{
	if (drive->open || now < drive->since_ns || rest_c(&drive->is) < drive->is.warning_c)
		return drive->warm_ns;
	return drive->warm_ns + (now - drive->since_ns);
}

int sim_drive_open(struct sim_drive *drive, struct err *err)
{
	const uint64_t now = clock_now(drive->clock);

	pthread_mutex_lock(&drive->lock);
	const bool taken = drive->open;

	if (!taken) {
		drive->flash.temperature_c = resting_c(drive, now);
		drive->host_ns = host_time(drive, now);
		drive->warm_ns = warm_time(drive, now);
		drive->since_ns = now;
		drive->open = true;
	}
	pthread_mutex_unlock(&drive->lock);
	if (taken)
		return err_set(err, -EBUSY, "the simulated drive %s is in use by another test",
			drive->name);
	return 0;
}

void sim_drive_close(struct sim_drive *drive)
{
	pthread_mutex_lock(&drive->lock);
	drive->open = false;
	drive->closed_c = drive->flash.temperature_c;
	drive->since_ns = clock_now(drive->clock);
	pthread_mutex_unlock(&drive->lock);
}

/* ---- figures --------------------------------------------------------------------------------- */

/* How long the hosts' I/O takes on the average, for the statistics alone. */
static double host_read_us(const struct sim_parameters *is)
{
	return is->read_us + is->read_latency_us + is->read_command_us;
}

static double host_write_us(const struct sim_parameters *is)
{
	return is->write_latency_us + is->write_command_us + is->write_map_us;
}

static void host_totals(const struct sim_namespace *ns, uint64_t host_ns, struct sim_totals *out)
{
	const struct sim_parameters *is = &ns->drive->is;
	const uint64_t seed = ns->drive->seed + ns->nsid * UINT64_C(0x9e3779b97f4a7c15);
	const double work = sim_background_work(seed, host_ns) * ns->host_share;
	const double busy_us = is->background_read_iops * host_read_us(is) +
		is->background_write_iops * host_write_us(is);
	const double load = busy_us * ns->host_share * 1e-6;

	out->reads = (uint64_t)(work * is->background_read_iops);
	out->writes = (uint64_t)(work * is->background_write_iops);
	out->read_bytes = out->reads * (uint64_t)is->background_block;
	out->write_bytes = out->writes * (uint64_t)is->background_block;
	out->read_ns = (uint64_t)((double)out->reads * host_read_us(is) * 1e3);
	out->write_ns = (uint64_t)((double)out->writes * host_write_us(is) * 1e3);
	/* At random times the drive is busy with anything for 1 - e^-load of the time. */
	out->busy_ns = (uint64_t)((1 - exp(-load)) * (double)host_ns);
}

void sim_namespace_totals(struct sim_namespace *ns, struct sim_totals *out)
{
	struct sim_drive *drive = ns->drive;

	pthread_mutex_lock(&drive->lock);
	const uint64_t host_ns = host_time(drive, clock_now(drive->clock));

	pthread_mutex_unlock(&drive->lock);
	host_totals(ns, host_ns, out);
	out->reads += sim_counted(&ns->live.reads);
	out->writes += sim_counted(&ns->live.writes);
	out->read_bytes += sim_counted(&ns->live.read_bytes);
	out->write_bytes += sim_counted(&ns->live.write_bytes);
	out->read_ns += sim_counted(&ns->live.read_ns);
	out->write_ns += sim_counted(&ns->live.write_ns);
	out->busy_ns += sim_counted(&ns->live.busy_ns);
}

void sim_namespace_iostat(struct sim_namespace *ns, struct iostat_counters *out)
{
	struct sim_totals totals;

	sim_namespace_totals(ns, &totals);
	*out = (struct iostat_counters){
		.reads = totals.reads,
		.read_sectors = totals.read_bytes / 512,
		.read_ms = totals.read_ns / 1000000,
		.writes = totals.writes,
		.write_sectors = totals.write_bytes / 512,
		.write_ms = totals.write_ns / 1000000,
		.in_flight = sim_counted(&ns->live.in_flight),
		.busy_ms = totals.busy_ns / 1000000,
		.weighted_ms = (totals.read_ns + totals.write_ns) / 1000000,
		.taken_ns = clock_now(ns->drive->clock),
	};
}

void sim_drive_health(struct sim_drive *drive, struct sim_health *out)
{
	const struct sim_parameters *is = &drive->is;
	const uint64_t now = clock_now(drive->clock);
	uint64_t warm_ns, host_ns, busy_ns = 0;
	double fresh_read = 0, fresh_written = 0, host_read = 0, host_written = 0;

	memset(out, 0, sizeof(*out));
	pthread_mutex_lock(&drive->lock);
	host_ns = host_time(drive, now);
	warm_ns = warm_time(drive, now);
	out->temperature_mc = drive->open
		? atomic_load_explicit(&drive->live.temperature_mc, memory_order_relaxed)
		: (int)lrint(resting_c(drive, now) * 1000);
	pthread_mutex_unlock(&drive->lock);
	for (uint32_t i = 0; i < drive->namespace_count; i++) {
		struct sim_namespace *ns = &drive->namespaces[i];
		struct sim_totals host, all;

		host_totals(ns, host_ns, &host);
		sim_namespace_totals(ns, &all);
		out->reads += all.reads;
		out->writes += all.writes;
		fresh_read += (double)all.read_bytes;
		fresh_written += (double)all.write_bytes;
		host_read += (double)host.read_bytes;
		host_written += (double)host.write_bytes;
		if (all.busy_ns > busy_ns)
			busy_ns = all.busy_ns;
	}
	/* the past had blocks of the same size */
	out->reads += (uint64_t)(is->read_bytes / is->background_block);
	out->writes += (uint64_t)(is->written_bytes / is->background_block);
	out->read_bytes = is->read_bytes + fresh_read;
	out->written_bytes = is->written_bytes + fresh_written;
	out->busy_minutes = busy_ns / NS_PER_MINUTE + (uint64_t)(is->power_on_hours * 60 * 0.1);
	const double media = (is->written_bytes + host_written) * is->write_amplification +
		(double)sim_counted(&drive->live.media_bytes);

	out->used_pct = 100 * media / (is->rated_bytes * is->write_amplification);
	out->media_errors = (uint64_t)is->media_errors + sim_counted(&drive->live.media_errors) +
		(uint64_t)(host_read / TB * is->media_errors_tb);
	out->error_entries = (uint64_t)is->error_entries + out->media_errors -
		(uint64_t)is->media_errors + sim_counted(&drive->live.refused);
	out->power_on_hours = (uint64_t)is->power_on_hours +
		(host_ns + sim_counted(&drive->live.ran_ns)) / NS_PER_HOUR;
	out->warning_minutes = (warm_ns + sim_counted(&drive->live.warning_ns)) / NS_PER_MINUTE;
	out->critical_minutes = sim_counted(&drive->live.critical_ns) / NS_PER_MINUTE;
	out->throttle_count = sim_counted(&drive->live.throttle_count);
	out->throttle_s = sim_counted(&drive->live.throttle_ns) / UINT64_C(1000000000);
	out->temperature_c = (int)floor(out->temperature_mc / 1000.0);
	out->warm = out->temperature_mc >= is->warning_c * 1000;
}
