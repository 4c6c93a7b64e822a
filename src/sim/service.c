/* The ways of reads and writes through a simulated drive. */
#include "sim/service.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nvme/environment.h"
#include "sim/engine.h"

static inline uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* ---- making ---------------------------------------------------------------------------------- */

static int allocate(struct sim_engine *e, struct err *err)
{
	uint32_t ring = 1;

	while (ring < e->depth)
		ring *= 2;
	e->ring_mask = ring - 1;
	e->events.room = e->depth + e->unit_count + 1;
	e->events.heap = calloc(e->events.room, sizeof(*e->events.heap));
	e->slots = calloc(e->depth, sizeof(*e->slots));
	e->done = calloc(ring, sizeof(*e->done));
	e->waiting = calloc(ring, sizeof(*e->waiting));
	e->units = calloc(e->unit_count, sizeof(*e->units));
	e->idle = calloc(e->unit_count, sizeof(*e->idle));
	if (!e->events.heap || !e->slots || !e->done || !e->waiting || !e->units || !e->idle)
		return err_set(err, -ENOMEM, "no memory for %u outstanding", e->depth);
	return 0;
}

static double ns_per_byte(double bytes_s)
{
	return bytes_s > 0 ? 1e9 / bytes_s : 0;
}

int sim_engine_create(struct sim_drive *drive, uint32_t depth, uint64_t seed, uint64_t now,
	struct sim_engine **out, struct err *err)
{
	const struct sim_parameters *is = &drive->is;
	const double link = environment_link_bytes(is->link_gts, (int)is->link_width);
	struct sim_engine *e;
	int rc = sim_drive_open(drive, err);

	if (rc)
		return rc;
	e = mem_alloc(sizeof(*e));
	e->drive = drive;
	e->depth = depth;
	e->unit_count = (uint32_t)is->units;
	rc = allocate(e, err);
	if (rc) {
		sim_engine_destroy(e);
		return rc;
	}
	rng_seed(&e->rng, seed, drive->seed | 1);
	e->map_bytes = (uint32_t)is->map_bytes;
	e->page_bytes = (uint32_t)is->page_bytes;
	e->program_bytes = (uint32_t)is->program_bytes;
	e->in_ns_byte = ns_per_byte(link);
	e->out_ns_byte = fmax(ns_per_byte(link), ns_per_byte(is->media_read_bytes_s));
	e->retry_share = is->retry_pct / 100;
	e->stall_every = (uint64_t)(is->stall_every_s * 1e9);
	e->stall = (uint64_t)(is->stall_s * 1e9);
	e->error_bytes = INFINITY;
	if (is->media_errors_tb > 0)
		e->error_bytes = rng_exponential(&e->rng, 1e12 / is->media_errors_tb);
	for (uint32_t i = 0; i < e->unit_count; i++)
		e->idle[e->idle_count++] = i;
	e->random_share = 1;
	e->amplification = 1;
	e->last_tick = now;
	sim_climate_times(e);
	sim_climate_tick(e, now);
	*out = e;
	return 0;
}

void sim_engine_destroy(struct sim_engine *e)
{
	if (!e)
		return;
	for (uint32_t i = 0; i < e->drive->namespace_count; i++)
		atomic_store_explicit(
			&e->drive->namespaces[i].live.in_flight, 0, memory_order_relaxed);
	sim_drive_close(e->drive);
	free(e->events.heap);
	free(e->slots);
	free(e->done);
	free(e->waiting);
	free(e->units);
	free(e->idle);
	free(e);
}

/* ---- in -------------------------------------------------------------------------------------- */

/* Does it go on where an earlier one of its direction ended? */
static bool is_sequential(struct sim_engine *e, const struct sim_work *work)
{
	uint32_t oldest = 0;

	e->stream_clock++;
	for (uint32_t i = 0; i < SIM_STREAMS; i++) {
		if (e->streams[work->write][i].ns == work->ns &&
			e->streams[work->write][i].next == work->offset) {
			e->streams[work->write][i].next = work->offset + work->length;
			e->streams[work->write][i].used = e->stream_clock;
			return true;
		}
		if (e->streams[work->write][i].used < e->streams[work->write][oldest].used)
			oldest = i;
	}
	e->streams[work->write][oldest].ns = work->ns;
	e->streams[work->write][oldest].next = work->offset + work->length;
	e->streams[work->write][oldest].used = e->stream_clock;
	return false;
}

/* Reads of what was never written need no flash. */
static bool is_mapped(struct sim_engine *e, const struct sim_slot *slot)
{
	const struct sim_namespace *ns = slot->ns;
	const double used = ns->region_used[slot->offset / ns->region_bytes];
	const double region = (double)ns->region_bytes;

	return used >= region - 1 || used >= region * rng_uniform(&e->rng);
}

static void submit_read(struct sim_engine *e, uint32_t index, uint64_t now)
{
	struct sim_slot *slot = &e->slots[index];
	uint64_t at;

	e->controller_free = later(now, e->controller_free) + e->read_command;
	at = e->controller_free + sim_span_draw(&e->read_latency, &e->rng);
	e->tick_read += slot->length;
	if (is_mapped(e, slot)) {
		at = sim_flash_read(e, slot, at);
		e->error_bytes -= slot->length;
		if (e->error_bytes < 0) {
			e->error_bytes =
				rng_exponential(&e->rng, 1e12 / e->drive->is.media_errors_tb);
			slot->result = -EIO;
		}
	}
	sim_events_add(&e->events, at, SIM_READ_MEDIA, index);
}

static void submit_write(struct sim_engine *e, uint32_t index, uint64_t now)
{
	const struct sim_slot *slot = &e->slots[index];
	uint64_t command = e->write_command;

	if (!slot->sequential)
		command += (uint64_t)(e->write_map *
			(double)((slot->length + e->map_bytes - 1) / e->map_bytes));
	e->controller_free = later(now, e->controller_free) + command;
	e->in_free =
		later(e->controller_free, e->in_free) + (uint64_t)(e->in_ns_byte * slot->length);
	e->tick_written += slot->length;
	sim_events_add(&e->events, e->in_free, SIM_WRITE_IN, index);
}

void sim_engine_submit(struct sim_engine *e, const struct sim_work *work, uint64_t now)
{
	struct sim_slot *slot = &e->slots[work->slot];

	slot->ns = work->ns;
	slot->submit = now;
	slot->offset = work->offset;
	slot->length = work->length;
	slot->result = (int32_t)work->length;
	slot->write = work->write;
	slot->sequential = is_sequential(e, work);
	if (!sim_counted(&work->ns->live.in_flight))
		work->ns->busy_since = now;
	sim_count(&work->ns->live.in_flight, 1);
	if (work->write)
		submit_write(e, work->slot, now);
	else
		submit_read(e, work->slot, now);
}

/* ---- out ------------------------------------------------------------------------------------- */

static void tell(struct sim_engine *e, uint32_t index, uint64_t at)
{
	const struct sim_slot *slot = &e->slots[index];
	struct sim_namespace *ns = slot->ns;

	e->done[e->done_tail++ & e->ring_mask] = (struct sim_done){index, slot->result, at};
	sim_count(&ns->live.in_flight, (uint64_t)-1);
	if (!sim_counted(&ns->live.in_flight))
		sim_count(&ns->live.busy_ns, at - ns->busy_since);
	if (slot->result < 0) {
		sim_count(&e->drive->live.media_errors, 1);
	} else if (slot->write) {
		sim_count(&ns->live.writes, 1);
		sim_count(&ns->live.write_bytes, slot->length);
		sim_count(&ns->live.write_ns, at - slot->submit);
	} else {
		sim_count(&ns->live.reads, 1);
		sim_count(&ns->live.read_bytes, slot->length);
		sim_count(&ns->live.read_ns, at - slot->submit);
	}
}

/* When a completion due at `at` is told: not while the drive stalls. */
static uint64_t after_stall(const struct sim_engine *e, uint64_t at)
{
	if (!e->stall)
		return at;
	const uint64_t period = at % e->stall_every;

	return period < e->stall_every - e->stall ? at : at - period + e->stall_every;
}

uint64_t sim_engine_next(const struct sim_engine *e)
{
	return sim_events_next(&e->events);
}

void sim_engine_step(struct sim_engine *e)
{
	const struct sim_event event = sim_events_take(&e->events);
	const uint32_t argument = sim_event_argument(&event);
	uint64_t at;

	switch (sim_event_kind(&event)) {
	case SIM_READ_MEDIA:
		e->out_free = later(event.at, e->out_free) +
			(uint64_t)(e->out_ns_byte * e->slots[argument].length);
		sim_events_add(&e->events, e->out_free, SIM_DONE, argument);
		break;
	case SIM_WRITE_IN:
		sim_flash_accept(e, argument, event.at);
		break;
	case SIM_PROGRAM_END:
		sim_flash_program_end(e, argument, event.at);
		break;
	case SIM_DONE:
		at = after_stall(e, event.at);
		if (at > event.at)
			sim_events_add(&e->events, at, SIM_DONE, argument);
		else
			tell(e, argument, at);
		break;
	case SIM_TICK:
		sim_climate_tick(e, event.at);
		break;
	}
}

bool sim_engine_take(struct sim_engine *e, uint32_t *slot, int32_t *result, uint64_t *at)
{
	if (e->done_head == e->done_tail)
		return false;
	const struct sim_done *done = &e->done[e->done_head++ & e->ring_mask];

	*slot = done->slot;
	*result = done->result;
	*at = done->at;
	return true;
}
