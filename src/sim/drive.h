/* A simulated drive between tests: identity, wear, heat, counters, what hosts do with it.
 *
 * Parameters and names never change. A test opens the drive for itself (one at a time); then its
 * thread alone owns `flash` and writes `live`, whose fields any thread may read. While nobody has
 * it open, an invisible host works on it: its counters are a function of time alone, so that the
 * same seed and time give the same figures.
 */
#ifndef SIM_DRIVE_H
#define SIM_DRIVE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "block/iostat.h"
#include "sim/parameters.h"

#define SIM_REGIONS 256

typedef atomic_uint_least64_t sim_counter;

/* One writer: a plain addition that others may read. */
static inline void sim_count(sim_counter *counter, uint64_t more)
{
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + more,
		memory_order_relaxed);
}
static inline uint64_t sim_counted(const sim_counter *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

struct sim_totals {
	uint64_t reads, writes, read_bytes, write_bytes, read_ns, write_ns, busy_ns;
};

struct sim_namespace {
	char name[32]; /* "pm9a3n1" */
	struct sim_drive *drive;
	uint32_t nsid, lba_bytes;
	uint64_t size_bytes, region_bytes;
	double host_share; /* of the drive's background load */
	struct {
		sim_counter reads, writes, read_bytes, write_bytes, read_ns, write_ns, busy_ns;
		sim_counter used_bytes, in_flight;
	} live;
	/* owned by whoever has the drive open */
	uint64_t busy_since;
	double region_used[SIM_REGIONS];   /* bytes that hold data */
	double region_weight[SIM_REGIONS]; /* of late writes */
};

/* What stays of the flash between two tests. */
struct sim_flash_state {
	double clean_bytes; /* erased */
	double cache_used;
	double temperature_c;
	bool throttling;
};

struct sim_drive {
	char name[32];
	unsigned index; /* in its fleet */
	uint64_t seed;
	struct sim_parameters is;
	struct sim_namespace *namespaces;
	uint32_t namespace_count;
	const struct clock *clock; /* of the fleet */
	struct {
		sim_counter media_bytes, media_errors, ran_ns;
		sim_counter warning_ns, critical_ns, throttle_count, throttle_ns;
		atomic_int_least32_t temperature_mc;
		sim_counter refused; /* admin commands, by any thread */
	} live;
	struct sim_flash_state flash;

	pthread_mutex_t lock; /* of what follows */
	bool open;
	uint64_t host_ns;  /* time of the background load up to since_ns */
	uint64_t since_ns; /* when it began again, or ended */
	double closed_c;   /* temperature then */
	uint64_t warm_ns;  /* time above the warning limit without a test, up to since_ns */
};

/* name of at most 20 characters; clock outlives the drive. */
void sim_drive_init(struct sim_drive *drive, const char *name, unsigned index, uint64_t seed,
	const struct sim_parameters *parameters, const struct clock *clock);
void sim_drive_free(struct sim_drive *drive);

/* For the one test at a time; -EBUSY with a sentence. */
int sim_drive_open(struct sim_drive *drive, struct err *err);
void sim_drive_close(struct sim_drive *drive);

/* SMART in plain numbers. Any thread. */
struct sim_health {
	uint64_t reads, writes, busy_minutes;
	double read_bytes, written_bytes; /* host */
	double used_pct;
	uint64_t media_errors, error_entries, power_on_hours;
	uint64_t warning_minutes, critical_minutes, throttle_count, throttle_s;
	int temperature_c, temperature_mc;
	bool warm; /* at or above the warning limit */
};
void sim_drive_health(struct sim_drive *drive, struct sim_health *out);
/* Counters since the fleet was made, background load and tests together. Any thread. */
void sim_namespace_totals(struct sim_namespace *ns, struct sim_totals *out);
void sim_namespace_iostat(struct sim_namespace *ns, struct iostat_counters *out);

#endif
