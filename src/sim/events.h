/* The calendar of a simulated drive: a heap of events by time, those of one time in the order in
 * which they were made. Never allocates after its making. One thread. */
#ifndef SIM_EVENTS_H
#define SIM_EVENTS_H

#include <stdint.h>
#include <stdlib.h>

enum sim_event_kind {
	SIM_READ_MEDIA, /* the flash has delivered a read */
	SIM_WRITE_IN,   /* a write's data stands before the buffer */
	SIM_PROGRAM_END,
	SIM_DONE, /* the host is told */
	SIM_TICK, /* heat, wear, cache */
};

struct sim_event {
	uint64_t at;
	uint32_t order;
	uint32_t what; /* kind in the top 4 bits, below it slot or unit */
};

struct sim_events {
	struct sim_event *heap;
	uint32_t count, room, order;
};

static inline enum sim_event_kind sim_event_kind(const struct sim_event *event)
{
	return (enum sim_event_kind)(event->what >> 28);
}
static inline uint32_t sim_event_argument(const struct sim_event *event)
{
	return event->what & 0xfffffff;
}

static inline int sim_event_before(const struct sim_event *a, const struct sim_event *b)
{
	return a->at < b->at || (a->at == b->at && (int32_t)(a->order - b->order) < 0);
}

/* The owner never has more than room events. */
static inline void sim_events_add(
	struct sim_events *events, uint64_t at, enum sim_event_kind kind, uint32_t argument)
{
	const struct sim_event event = {at, events->order++, (uint32_t)kind << 28 | argument};
	uint32_t i = events->count++;

	while (i) {
		const uint32_t parent = (i - 1) / 4;

		if (!sim_event_before(&event, &events->heap[parent]))
			break;
		events->heap[i] = events->heap[parent];
		i = parent;
	}
	events->heap[i] = event;
}

static inline uint64_t sim_events_next(const struct sim_events *events)
{
	return events->count ? events->heap[0].at : UINT64_MAX;
}

static inline struct sim_event sim_events_take(struct sim_events *events)
{
	const struct sim_event first = events->heap[0];
	const struct sim_event moved = events->heap[--events->count];
	uint32_t i = 0;

	for (;;) {
		const uint32_t child = 4 * i + 1;
		const uint32_t end = child + 4 < events->count ? child + 4 : events->count;
		uint32_t least = child;

		if (child >= events->count)
			break;
		for (uint32_t c = child + 1; c < end; c++)
			if (sim_event_before(&events->heap[c], &events->heap[least]))
				least = c;
		if (!sim_event_before(&events->heap[least], &moved))
			break;
		events->heap[i] = events->heap[least];
		i = least;
	}
	events->heap[i] = moved;
	return first;
}

#endif
