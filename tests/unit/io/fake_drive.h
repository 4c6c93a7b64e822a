/* A drive in virtual time for tests of the pool: some units that serve one request each at a
 * fixed time, with stalls, faults and silence on demand. Everything it does follows from numbers
 * that a test can work out by hand. */
#ifndef FAKE_DRIVE_H
#define FAKE_DRIVE_H

#include <stdlib.h>
#include <string.h>

#include "io/backend.h"

#define FAKE_UNITS_MAX 256
#define FAKE_LOG 4096

struct fake_drive {
	/* set by the test */
	uint64_t service_ns;
	uint32_t units;
	uint64_t stall_from_ns, stall_ns, stall_every_ns; /* nothing starts in a stall */
	int (*result)(struct fake_drive *drive, const struct io_request *request); /* NULL: good */
	bool silent; /* completes nothing */
	uint32_t depth_limit;
	int reap_fault;
	/* seen by the test */
	uint64_t served, opened, closed, most_in_flight;
	uint64_t log_count, log_offset[FAKE_LOG];
	uint32_t log_length[FAKE_LOG], log_target[FAKE_LOG];
	/* inside */
	struct clock *clock;
	uint64_t free_at[FAKE_UNITS_MAX];
	uint32_t pending, prepared;
	struct {
		struct io_request request;
		uint64_t done_ns;
	} queue[65536];
};

static uint64_t fake_after_stall(const struct fake_drive *drive, uint64_t at)
{
	if (!drive->stall_ns || at < drive->stall_from_ns)
		return at;
	const uint64_t into = drive->stall_every_ns
		? (at - drive->stall_from_ns) % drive->stall_every_ns
		: at - drive->stall_from_ns;

	return into < drive->stall_ns ? at + drive->stall_ns - into : at;
}

static int fake_probe(struct err *err)
{
	err_clear(err);
	return 0;
}

static int fake_open(const struct io_backend_config *config, void **context,
	struct io_backend_facts *facts, struct err *err)
{
	struct fake_drive *drive = config->data;

	err_clear(err);
	drive->clock = config->clock;
	drive->opened++;
	drive->pending = drive->prepared = 0;
	*facts = (struct io_backend_facts){.name = "fake", .depth = config->depth};
	if (drive->depth_limit && drive->depth_limit < config->depth)
		facts->depth = drive->depth_limit;
	*context = drive;
	return 0;
}

static void fake_prepare(void *context, const struct io_request *request)
{
	struct fake_drive *drive = context;

	drive->queue[drive->pending + drive->prepared++].request = *request;
}

static int fake_submit(void *context)
{
	struct fake_drive *drive = context;
	const uint64_t now = clock_now(drive->clock);
	const uint32_t count = drive->prepared;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t unit = 0;

		for (uint32_t u = 1; u < drive->units; u++)
			if (drive->free_at[u] < drive->free_at[unit])
				unit = u;
		uint64_t start = drive->free_at[unit] > now ? drive->free_at[unit] : now;

		start = fake_after_stall(drive, start);
		drive->free_at[unit] = start + drive->service_ns;
		drive->queue[drive->pending].done_ns = start + drive->service_ns;
		const struct io_request *request = &drive->queue[drive->pending].request;
		const uint64_t at = drive->log_count++ % FAKE_LOG;

		drive->log_offset[at] = request->offset;
		drive->log_length[at] = request->length;
		drive->log_target[at] = request->target;
		drive->pending++;
	}
	if (drive->pending > drive->most_in_flight)
		drive->most_in_flight = drive->pending;
	drive->prepared = 0;
	return (int)count;
}

/* The request that is done first; pending when there is none. */
static uint32_t fake_first(const struct fake_drive *drive)
{
	uint32_t first = 0;

	if (!drive->pending)
		return 0;
	for (uint32_t i = 1; i < drive->pending; i++)
		if (drive->queue[i].done_ns < drive->queue[first].done_ns)
			first = i;
	return first;
}

static int fake_reap(
	void *context, struct io_completion *out, size_t room, unsigned wait_for, uint64_t until)
{
	struct fake_drive *drive = context;
	size_t count = 0;

	fake_submit(drive);
	if (drive->reap_fault)
		return drive->reap_fault;
	if (wait_for && until) {
		uint64_t wake = until;

		if (drive->pending && !drive->silent &&
			drive->queue[fake_first(drive)].done_ns < wake)
			wake = drive->queue[fake_first(drive)].done_ns;
		clock_sleep_until(drive->clock, wake);
	}
	while (count < room && drive->pending && !drive->silent) {
		const uint32_t first = fake_first(drive);
		const struct io_request *request = &drive->queue[first].request;

		if (drive->queue[first].done_ns > clock_now(drive->clock))
			break;
		drive->served++;
		out[count++] = (struct io_completion){
			.slot = request->slot,
			.result = drive->result ? drive->result(drive, request)
						: (int32_t)request->length,
			.done_ns = drive->queue[first].done_ns,
		};
		drive->queue[first] = drive->queue[--drive->pending];
	}
	return (int)count;
}

static void fake_close(void *context)
{
	struct fake_drive *drive = context;

	drive->closed++;
}

static const struct io_backend_ops fake_ops = {
	.name = "fake",
	.probe = fake_probe,
	.open = fake_open,
	.prepare = fake_prepare,
	.submit = fake_submit,
	.reap = fake_reap,
	.close = fake_close,
};

#endif
