/* The slow changes of a simulated drive at work: heat and throttling, what holds data, how much
 * collection costs, folding of the fast cache. */
#include <math.h>

#include "sim/engine.h"

#define TICK_NS UINT64_C(100000000)
#define NS_PER_S 1e9
#define GB 1e9
/* It runs at full speed again so far below. */
#define THROTTLE_BACK_C 2.0
#define AMPLIFICATION_MAX 50.0
/* Ticks between two looks at where writes went. */
#define LOOK_TICKS 10

static struct sim_span span_of(double us, double variation_pct, double slow)
{
	const double ns = us * 1e3 * slow;

	return (struct sim_span){
		.constant = ns * (1 - variation_pct / 100),
		.variable = ns * variation_pct / 100,
	};
}

/* All times of the drive as it is now. */
void sim_climate_times(struct sim_engine *e)
{
	const struct sim_parameters *is = &e->drive->is;
	const double slow = e->drive->flash.throttling ? 1 + is->throttle_pct / 100 : 1;

	e->slow = slow;
	e->read_command = (uint64_t)(is->read_command_us * 1e3 * slow);
	e->write_command = (uint64_t)(is->write_command_us * 1e3 * slow);
	e->write_map = is->write_map_us * 1e3 * slow;
	e->read_latency = span_of(is->read_latency_us, is->latency_variation_pct, slow);
	e->write_latency = span_of(is->write_latency_us, is->latency_variation_pct, slow);
	e->read = span_of(is->read_us, is->read_variation_pct, slow);
	e->page_read = span_of(is->page_read_us, is->read_variation_pct, slow);
	e->program = span_of(is->program_us, is->program_variation_pct, slow);
	e->cache_program = span_of(is->cache_program_us, is->program_variation_pct, slow);
	e->retry_ns = is->retry_us * 1e3 * slow;
	e->suspend = (uint64_t)(is->suspend_us * 1e3 * slow);
}

/* Where the write went: random ones find some blocks that hold data already. */
void sim_climate_wrote(struct sim_engine *e, const struct sim_slot *slot)
{
	struct sim_namespace *ns = slot->ns;
	const uint64_t region = slot->offset / ns->region_bytes;
	const double size = (double)ns->region_bytes, bytes = slot->length;
	const double fresh =
		slot->sequential ? bytes : bytes * (1 - ns->region_used[region] / size);

	ns->region_used[region] = fmin(ns->region_used[region] + fresh, size);
	ns->region_weight[region] += bytes;
	/* over some thousand writes */
	e->random_share += ((slot->sequential ? 0 : 1) - e->random_share) * 1e-3;
}

/* The share of a collected block that is still valid follows from how much room the rewritten data
 * has: its own footprint (the participation ratio of late writes), and all flash that holds
 * nothing. Blocks written in order are wholly invalid when their turn comes. */
static void look_at_writes(struct sim_engine *e, double written)
{
	const struct sim_parameters *is = &e->drive->is;
	const double flash = is->size * (1 + is->spare_pct / 100);
	const double fading = exp(-written / flash);
	double used = 0, footprint = 0;

	for (uint32_t n = 0; n < e->drive->namespace_count; n++) {
		struct sim_namespace *ns = &e->drive->namespaces[n];
		double holds = 0, sum = 0, squares = 0;

		for (int r = 0; r < SIM_REGIONS; r++) {
			holds += ns->region_used[r];
			sum += ns->region_weight[r];
			squares += ns->region_weight[r] * ns->region_weight[r];
			ns->region_weight[r] *= fading;
		}
		holds = fmin(holds, (double)ns->size_bytes);
		atomic_store_explicit(&ns->live.used_bytes, (uint64_t)holds, memory_order_relaxed);
		used += holds;
		if (squares > 0)
			footprint += sum * sum / squares * (double)ns->region_bytes;
	}
	const double free_bytes = fmax(flash - used, flash * 0.01);
	const double fill = footprint > 0 ? footprint / (footprint + free_bytes) : 0;
	const double random = (1 + fill) / (2 * (1 - fill));

	e->amplification = 1 + e->random_share * (fmax(random, 1) - 1);
	e->amplification = fmin(e->amplification, AMPLIFICATION_MAX);
	e->drive->flash.clean_bytes = fmin(e->drive->flash.clean_bytes, free_bytes);
}

/* An idle drive tidies up: empties its cache into the main flash and makes clean blocks. */
static void tidy(struct sim_engine *e, double seconds)
{
	const struct sim_parameters *is = &e->drive->is;
	struct sim_flash_state *state = &e->drive->flash;
	const double fold = fmin(state->cache_used, is->cache_fold_bytes_s * seconds);
	const double rate = is->units * is->program_bytes / (is->program_us * 1e-6);

	state->cache_used -= fold;
	sim_count(&e->drive->live.media_bytes, (uint64_t)fold);
	state->clean_bytes += rate * seconds / (2 * e->amplification);
}

static void heat(struct sim_engine *e, double seconds)
{
	const struct sim_parameters *is = &e->drive->is;
	struct sim_flash_state *state = &e->drive->flash;
	const double watts = is->idle_w +
		(e->tick_read / GB * is->read_j_gb + e->tick_written / GB * is->write_j_gb) /
			seconds;
	const double towards = is->ambient_c + watts * is->heat_k_w;
	const uint64_t ns = (uint64_t)(seconds * NS_PER_S);

	state->temperature_c =
		towards + (state->temperature_c - towards) * exp(-seconds / is->heat_s);
	atomic_store_explicit(&e->drive->live.temperature_mc,
		(int32_t)lrint(state->temperature_c * 1000), memory_order_relaxed);
	if (state->temperature_c >= is->warning_c)
		sim_count(&e->drive->live.warning_ns, ns);
	if (state->temperature_c >= is->critical_c)
		sim_count(&e->drive->live.critical_ns, ns);
	if (state->throttling)
		sim_count(&e->drive->live.throttle_ns, ns);
	if (state->throttling && state->temperature_c < is->throttle_c - THROTTLE_BACK_C) {
		state->throttling = false;
		sim_climate_times(e);
	} else if (!state->throttling && state->temperature_c >= is->throttle_c) {
		state->throttling = true;
		sim_count(&e->drive->live.throttle_count, 1);
		sim_climate_times(e);
	}
}

void sim_climate_tick(struct sim_engine *e, uint64_t at)
{
	if (at > e->last_tick) {
		const double seconds = (double)(at - e->last_tick) / NS_PER_S;

		sim_count(&e->drive->live.ran_ns, at - e->last_tick);
		heat(e, seconds);
		if (e->tick_written <= 0)
			tidy(e, seconds);
	}
	if (e->tick_count++ % LOOK_TICKS == 0)
		look_at_writes(e, e->tick_written * LOOK_TICKS);
	e->last_tick = at;
	e->tick_read = e->tick_written = 0;
	sim_events_add(&e->events, at + TICK_NS, SIM_TICK, 0);
}
