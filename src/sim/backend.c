/* Backend of simulated drives: discrete events on the lane's clock. */
#include "sim/backend.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "sim/service.h"

/* A paced run may be so far ahead of its time, and sleeps at most so long at once. */
#define AHEAD_NS 5000000.0
#define NAP_NS UINT64_C(20000000)
/* What a slow machine or a pause has lost beyond this is not caught up. */
#define BEHIND_NS 200000000.0

struct sim_prepared {
	struct sim_work work;
	struct sim_engine *engine;
};

struct sim_context {
	struct clock *clock;
	const uint64_t *now;
	struct sim_engine **engines;
	size_t engine_count;
	struct {
		struct sim_namespace *ns;
		struct sim_engine *engine;
	} * targets;
	struct sim_prepared *prepared;
	uint32_t prepared_count;
	double time_factor;
	uint64_t real_origin, virtual_origin;
};

static int sim_probe(struct err *err)
{
	err_clear(err);
	return 0;
}

static void sim_close(void *context)
{
	struct sim_context *sim = context;

	for (size_t i = 0; i < sim->engine_count; i++)
		sim_engine_destroy(sim->engines[i]);
	free(sim->engines);
	free(sim->targets);
	free(sim->prepared);
	free(sim);
}

/* The engine of a target's drive: one for all its namespaces. */
static int open_target(struct sim_context *sim, const struct io_backend_config *config,
	size_t index, struct err *err)
{
	const struct io_target *target = &config->targets[index];
	struct sim_namespace *ns = target->device;

	if (!ns)
		return err_set(err, -EINVAL, "%s is no simulated drive", target->name);
	sim->targets[index].ns = ns;
	for (size_t i = 0; i < index; i++) {
		if (sim->targets[i].ns->drive == ns->drive) {
			sim->targets[index].engine = sim->targets[i].engine;
			return 0;
		}
	}
	const int rc = sim_engine_create(ns->drive, config->depth, config->seed,
		clock_now(config->clock), &sim->targets[index].engine, err);

	if (!rc)
		sim->engines[sim->engine_count++] = sim->targets[index].engine;
	return rc;
}

static int sim_open(const struct io_backend_config *config, void **context,
	struct io_backend_facts *facts, struct err *err)
{
	const struct sim_backend_options *options = config->data;
	struct sim_context *sim = mem_alloc(sizeof(*sim));
	int rc = 0;

	sim->clock = config->clock;
	sim->now = config->now;
	sim->engines = mem_alloc(config->target_count * sizeof(struct sim_engine *));
	sim->targets = mem_alloc(config->target_count * sizeof(*sim->targets));
	sim->prepared = calloc(config->depth, sizeof(*sim->prepared));
	if (!sim->prepared)
		rc = err_set(err, -ENOMEM, "no memory for %u outstanding", config->depth);
	for (size_t i = 0; i < config->target_count && !rc; i++)
		rc = open_target(sim, config, i, err);
	if (rc) {
		sim_close(sim);
		return rc;
	}
	if (options && config->clock->kind == CLOCK_FREE && options->time_factor > 0)
		sim->time_factor = options->time_factor;
	sim->real_origin = clock_monotonic_ns();
	sim->virtual_origin = clock_now(config->clock);
	*facts = (struct io_backend_facts){
		.depth = config->depth, .direct = true, .ignores_data = true};
	str_copy(facts->name, sizeof(facts->name), "sim");
	str_copy(facts->notes, sizeof(facts->notes), "SIMULATED: no drive is read or written.");
	*context = sim;
	return 0;
}

static void sim_prepare(void *context, const struct io_request *request)
{
	struct sim_context *sim = context;

	sim->prepared[sim->prepared_count++] = (struct sim_prepared){
		.work = {.ns = sim->targets[request->target].ns,
			.slot = request->slot,
			.length = request->length,
			.write = request->write,
			.offset = request->offset},
		.engine = sim->targets[request->target].engine,
	};
}

/* ---- time ------------------------------------------------------------------------------------ */

static struct sim_engine *next_engine(const struct sim_context *sim, uint64_t *at)
{
	struct sim_engine *next = sim->engines[0];

	*at = sim_engine_next(next);
	for (size_t i = 1; i < sim->engine_count; i++) {
		const uint64_t other = sim_engine_next(sim->engines[i]);

		if (other < *at) {
			*at = other;
			next = sim->engines[i];
		}
	}
	return next;
}

/* All that happens up to `until`. Stops when an engine has done something, for order's sake. */
static size_t advance(
	struct sim_context *sim, uint64_t until, struct io_completion *out, size_t room)
{
	size_t count = 0;
	uint64_t at;

	while (count < room) {
		struct sim_engine *engine = next_engine(sim, &at);
		struct io_completion *done = &out[count];

		if (at > until)
			break;
		sim_engine_step(engine);
		if (sim_engine_take(engine, &done->slot, &done->result, &done->done_ns))
			count++;
	}
	return count;
}

/* Before a paced run goes on to `when`: false: not yet, having slept a little. */
static bool pace_allows(struct sim_context *sim, uint64_t when)
{
	if (!(sim->time_factor > 0))
		return true;
	const uint64_t real = clock_monotonic_ns();
	const double may =
		(double)(real - sim->real_origin) * sim->time_factor + (double)sim->virtual_origin;
	const double ahead = ((double)when - may) / sim->time_factor;

	if (ahead < -BEHIND_NS) {
		sim->real_origin = real;
		sim->virtual_origin = when;
	}
	if (ahead <= AHEAD_NS)
		return true;
	struct clock clock;

	clock_init_real(&clock);
	clock_sleep_until(&clock, real + (ahead < (double)NAP_NS ? (uint64_t)ahead : NAP_NS));
	return ahead < (double)NAP_NS;
}

static int sim_submit(void *context)
{
	struct sim_context *sim = context;
	const uint32_t count = sim->prepared_count;
	/* the stamp that service time is counted from */
	const uint64_t now = sim->now ? *sim->now : clock_now(sim->clock);

	for (uint32_t i = 0; i < count; i++)
		sim_engine_submit(sim->prepared[i].engine, &sim->prepared[i].work, now);
	sim->prepared_count = 0;
	return (int)count;
}

static int sim_reap(
	void *context, struct io_completion *out, size_t room, unsigned wait_for, uint64_t until)
{
	struct sim_context *sim = context;
	size_t count;

	sim_submit(context);
	count = advance(sim, clock_now(sim->clock), out, room);
	while (count < wait_for && count < room) {
		uint64_t next;

		next_engine(sim, &next);
		if (next > until)
			next = until;
		if (next == UINT64_MAX || !until)
			break;
		if (!pace_allows(sim, next))
			break;
		clock_sleep_until(sim->clock, next);
		const uint64_t now = clock_now(sim->clock);

		count += advance(sim, now, out + count, room - count);
		if (now >= until)
			break;
	}
	return (int)count;
}

const struct io_backend_ops sim_backend = {
	.name = "sim",
	.probe = sim_probe,
	.open = sim_open,
	.prepare = sim_prepare,
	.submit = sim_submit,
	.reap = sim_reap,
	.close = sim_close,
};

void sim_backend_target(struct sim_namespace *ns, struct io_target *out)
{
	*out = (struct io_target){
		.fd = -1,
		.lba_bytes = ns->lba_bytes,
		.size_bytes = ns->size_bytes,
		.length = ns->size_bytes,
		.device = ns,
		.group = ns->drive->index + 1,
	};
	str_format(out->name, sizeof(out->name), "%s", ns->name);
}
