/* The inside of a simulated drive at work: discrete events on a virtual time line.
 *
 *   read:   controller (one at a time) - flash unit of each piece - channels and link - done
 *   write:  controller - link - buffer (waits when full) - done; from the buffer in whole programs
 *           to idle flash units
 *
 * Shared by service.c (the ways of reads and writes), flash.c (units, buffer, collection, cache)
 * and climate.c (heat, slow changes). One thread: the worker that has the drive open.
 */
#ifndef SIM_ENGINE_H
#define SIM_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"
#include "sim/drive.h"
#include "sim/events.h"

#define SIM_STREAMS 16

/* A time with a constant and an exponential part, ns. */
struct sim_span {
	double constant, variable;
};

static inline uint64_t sim_span_draw(const struct sim_span *span, struct rng *rng)
{
	if (span->variable <= 0)
		return (uint64_t)span->constant;
	return (uint64_t)(span->constant + rng_exponential(rng, span->variable));
}

struct sim_unit {
	uint64_t read_free;                  /* its last read ends */
	uint64_t program_start, program_end; /* end 0: no program */
};

struct sim_slot {
	struct sim_namespace *ns;
	uint64_t submit, offset;
	uint32_t length;
	int32_t result;
	bool write, sequential;
};

struct sim_done {
	uint32_t slot;
	int32_t result;
	uint64_t at;
};

struct sim_engine {
	struct sim_drive *drive;
	struct rng rng;
	struct sim_events events;
	struct sim_slot *slots;
	uint32_t depth;
	struct sim_done *done; /* a ring */
	uint32_t done_head, done_tail, ring_mask;

	/* ways: when each is free again; what they take */
	uint64_t controller_free, out_free, in_free;
	uint64_t read_command, write_command;
	double write_map;
	struct sim_span read_latency, write_latency;
	double out_ns_byte, in_ns_byte;
	struct {
		struct sim_namespace *ns;
		uint64_t next;
		uint32_t used;
	} streams[2][SIM_STREAMS];
	uint32_t stream_clock;

	/* flash */
	struct sim_unit *units;
	uint32_t unit_count;
	uint32_t map_bytes, page_bytes, program_bytes;
	struct sim_span read, page_read, program, cache_program;
	double retry_share, retry_ns;
	uint64_t suspend;
	uint32_t *idle; /* ring of units without a program */
	uint32_t idle_head, idle_count;
	double error_bytes; /* to the next media error; infinite */

	/* buffer and what stands before it */
	uint64_t buffer_used, pending; /* pending: not yet being programmed */
	uint32_t *waiting, waiting_head, waiting_tail;
	bool pressed;         /* collecting in front of waiting writes */
	double random_share;  /* of late writes, by bytes */
	double amplification; /* once the clean blocks are used up */

	uint64_t stall_every,
		stall; /* completes nothing in the last part of each period; 0 never */

	/* slow changes */
	uint64_t tick_at, tick_count, last_tick;
	double slow;                    /* all service times; 1 unless throttled */
	double tick_read, tick_written; /* bytes since the last tick */
};

/* flash.c */
uint64_t sim_flash_read(struct sim_engine *e, const struct sim_slot *slot, uint64_t at);
void sim_flash_accept(struct sim_engine *e, uint32_t index, uint64_t at);
void sim_flash_program_end(struct sim_engine *e, uint32_t unit, uint64_t at);
/* climate.c */
void sim_climate_tick(struct sim_engine *e, uint64_t at);
void sim_climate_times(struct sim_engine *e);
void sim_climate_wrote(struct sim_engine *e, const struct sim_slot *slot);

#endif
