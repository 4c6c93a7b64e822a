/* Flash units, the write buffer, collection and the fast cache of a simulated drive. */
#include <math.h>

#include "sim/engine.h"

/* Collection begins when so little of the flash is clean. */
#define CLEAN_RESERVE 0.01

static inline uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* ---- reads ----------------------------------------------------------------------------------- */

/* splitmix64's finish: spreads addresses over the units. */
static inline uint64_t spread(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* One piece from one unit, from `at` on; returns when it is read. A program in progress is waited
 * for, at most until it can be suspended; then it ends so much later. */
static uint64_t read_piece(
	struct sim_engine *e, struct sim_unit *unit, const struct sim_span *span, uint64_t at)
{
	uint64_t start = later(at, unit->read_free);
	uint64_t takes = sim_span_draw(span, &e->rng);

	if (e->retry_share > 0 && rng_uniform(&e->rng) < e->retry_share)
		takes += (uint64_t)e->retry_ns;
	if (unit->program_end > start) {
		/* behind another read the program stands suspended already */
		if (unit->read_free <= at && unit->program_start < start) {
			const uint64_t left = unit->program_end - start;

			start += left < e->suspend ? left : e->suspend;
		}
		if (unit->program_end > start) {
			if (unit->program_start >= start)
				unit->program_start += takes;
			unit->program_end += takes;
		}
	}
	unit->read_free = start + takes;
	return unit->read_free;
}

static struct sim_unit *first_free(struct sim_engine *e)
{
	struct sim_unit *best = &e->units[0];

	for (uint32_t i = 1; i < e->unit_count; i++)
		if (e->units[i].read_free < best->read_free)
			best = &e->units[i];
	return best;
}

/* Random data lies in mapping units anywhere, sequential data in whole pages side by side. */
uint64_t sim_flash_read(struct sim_engine *e, const struct sim_slot *slot, uint64_t at)
{
	const uint32_t piece = slot->sequential ? e->page_bytes : e->map_bytes;
	const uint64_t first = slot->offset / piece;
	const uint64_t last = (slot->offset + slot->length - 1) / piece;
	const struct sim_span *span = slot->sequential ? &e->page_read : &e->read;
	uint64_t end = at;

	if (e->drive->is.placement_kind == SIM_PLACEMENT_ANY)
		return read_piece(e, first_free(e), &e->read, at);
	for (uint64_t p = first; p <= last; p++) {
		const uint64_t key = (uint64_t)slot->ns->nsid << 56 | p;
		const uint64_t place = slot->sequential
			? (p + slot->ns->nsid * 7) % e->unit_count
			: (uint64_t)(((unsigned __int128)spread(key ^ e->drive->seed) *
					     e->unit_count) >>
				  64);

		end = later(end, read_piece(e, &e->units[place], span, at));
	}
	return end;
}

/* ---- writes ---------------------------------------------------------------------------------- */

/* What the next program takes: into the fast cache as long as there is room, else into the main
 * flash, with collection when no clean blocks are left. */
static uint64_t program_time(struct sim_engine *e)
{
	struct sim_flash_state *state = &e->drive->flash;
	const struct sim_parameters *is = &e->drive->is;
	const double bytes = e->program_bytes;
	const double reserve = is->size * CLEAN_RESERVE;
	double factor = 1;

	if (state->cache_used + bytes <= is->cache_bytes) {
		state->cache_used += bytes;
		sim_count(&e->drive->live.media_bytes, e->program_bytes);
		return sim_span_draw(&e->cache_program, &e->rng);
	}
	if (state->clean_bytes > reserve)
		state->clean_bytes -= bytes;
	else
		factor = e->amplification;
	sim_count(&e->drive->live.media_bytes, (uint64_t)(bytes * factor));
	if (e->pressed)
		factor *= 1 + is->pressure_pct / 100;
	return (uint64_t)(factor * (double)sim_span_draw(&e->program, &e->rng));
}

static void start_programs(struct sim_engine *e, uint64_t at)
{
	while (e->pending >= e->program_bytes && e->idle_count) {
		const uint32_t index = e->idle[e->idle_head];
		struct sim_unit *unit = &e->units[index];

		e->idle_head = e->idle_head + 1 == e->unit_count ? 0 : e->idle_head + 1;
		e->idle_count--;
		e->pending -= e->program_bytes;
		unit->program_start = later(at, unit->read_free);
		unit->program_end = unit->program_start + program_time(e);
		sim_events_add(&e->events, unit->program_end, SIM_PROGRAM_END, index);
	}
}

static void admit(struct sim_engine *e, uint32_t index, uint64_t at)
{
	const struct sim_slot *slot = &e->slots[index];

	e->buffer_used += slot->length;
	e->pending += slot->length;
	sim_climate_wrote(e, slot);
	sim_events_add(&e->events, at + sim_span_draw(&e->write_latency, &e->rng), SIM_DONE, index);
}

/* As long as the buffer is not full one more fits, however large it is. */
static bool has_room(const struct sim_engine *e)
{
	return e->buffer_used < (uint64_t)e->drive->is.buffer_bytes;
}

void sim_flash_accept(struct sim_engine *e, uint32_t index, uint64_t at)
{
	if (e->waiting_head != e->waiting_tail || !has_room(e)) {
		e->waiting[e->waiting_tail++ & e->ring_mask] = index;
		e->pressed = true;
		return;
	}
	admit(e, index, at);
	start_programs(e, at);
}

void sim_flash_program_end(struct sim_engine *e, uint32_t index, uint64_t at)
{
	struct sim_unit *unit = &e->units[index];
	uint32_t tail;

	if (unit->program_end > at) { /* reads have held it up */
		sim_events_add(&e->events, unit->program_end, SIM_PROGRAM_END, index);
		return;
	}
	unit->program_end = 0;
	tail = e->idle_head + e->idle_count++;
	e->idle[tail >= e->unit_count ? tail - e->unit_count : tail] = index;
	e->buffer_used -= e->program_bytes;
	while (e->waiting_head != e->waiting_tail && has_room(e))
		admit(e, e->waiting[e->waiting_head++ & e->ring_mask], at);
	if (e->waiting_head == e->waiting_tail &&
		e->buffer_used < (uint64_t)e->drive->is.buffer_bytes / 2)
		e->pressed = false;
	start_programs(e, at);
}
