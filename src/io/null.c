/* The null backend: completes what it is given without any drive, so that what remains is the cost
 * of the engine itself. */
#include <errno.h>
#include <stdlib.h>

#include "base/str.h"
#include "io/backend.h"

struct entry {
	uint32_t slot, length;
	uint64_t done_ns;
};

struct null_context {
	struct clock *clock;
	struct entry *queue;              /* a ring of size entries; size is a power of two */
	uint32_t size, head, ready, tail; /* [head, ready) submitted, [ready, tail) prepared */
};

static int null_probe(struct err *err)
{
	err_clear(err);
	return 0;
}

static int null_open(const struct io_backend_config *config, void **context,
	struct io_backend_facts *facts, struct err *err)
{
	struct null_context *null = mem_alloc(sizeof(*null));
	uint32_t size = 1;

	while (size < config->depth)
		size *= 2;
	null->clock = config->clock;
	null->size = size;
	null->queue = calloc(size, sizeof(*null->queue));
	if (!null->queue) {
		free(null);
		return err_set(err, -ENOMEM, "no memory for %u outstanding", config->depth);
	}
	*facts = (struct io_backend_facts){.depth = config->depth, .direct = true};
	str_copy(facts->name, sizeof(facts->name), "null");
	str_copy(facts->notes, sizeof(facts->notes), "No drive is read: the engine is measured.");
	*context = null;
	return 0;
}

static void null_prepare(void *context, const struct io_request *request)
{
	struct null_context *null = context;

	null->queue[null->tail++ & (null->size - 1)] =
		(struct entry){.slot = request->slot, .length = request->length};
}

static int null_submit(void *context)
{
	struct null_context *null = context;
	const uint32_t count = null->tail - null->ready;

	if (null->clock->kind == CLOCK_FREE) {
		const uint64_t done = clock_now(null->clock) + IO_NULL_FREE_NS;

		for (uint32_t i = null->ready; i != null->tail; i++)
			null->queue[i & (null->size - 1)].done_ns = done;
	}
	null->ready = null->tail;
	return (int)count;
}

static int null_reap(
	void *context, struct io_completion *out, size_t room, unsigned wait_for, uint64_t until)
{
	struct null_context *null = context;
	size_t count = 0;

	null_submit(context);
	if (null->clock->kind == CLOCK_FREE && wait_for && null->head != null->ready) {
		const uint64_t first = null->queue[null->head & (null->size - 1)].done_ns;

		clock_sleep_until(null->clock, first < until ? first : until);
	} else if (wait_for && null->head == null->ready && until && until != UINT64_MAX) {
		clock_sleep_until(null->clock, until);
	}
	while (null->head != null->ready && count < room) {
		const struct entry *entry = &null->queue[null->head & (null->size - 1)];

		if (entry->done_ns && entry->done_ns > clock_now(null->clock))
			break;
		out[count++] = (struct io_completion){.slot = entry->slot,
			.result = (int32_t)entry->length,
			.done_ns = entry->done_ns};
		null->head++;
	}
	return (int)count;
}

static void null_close(void *context)
{
	struct null_context *null = context;

	free(null->queue);
	free(null);
}

const struct io_backend_ops io_backend_null = {
	.name = "null",
	.probe = null_probe,
	.open = null_open,
	.prepare = null_prepare,
	.submit = null_submit,
	.reap = null_reap,
	.close = null_close,
};
