/* Workload plus overriding parameters to an engine load. */
#include "sweep/load.h"

#include <string.h>

static void one_size(struct io_mix *mix, uint32_t bytes)
{
	*mix = (struct io_mix){.count = 1};
	mix->size[0].bytes = bytes;
	mix->size[0].share = 1;
}

static enum io_arrivals arrivals_of(const char *word)
{
	if (!strcmp(word, "uniform"))
		return IO_ARRIVALS_UNIFORM;
	if (!strcmp(word, "constant"))
		return IO_ARRIVALS_CONSTANT;
	return IO_ARRIVALS_EXPONENTIAL;
}

static enum io_pace pace_of(const char *word)
{
	if (!strcmp(word, "spin"))
		return IO_PACE_SPIN;
	if (!strcmp(word, "sleep"))
		return IO_PACE_SLEEP;
	return IO_PACE_AUTO;
}

uint32_t sweep_load_outstanding(const struct workload *workload, const struct options *options)
{
	return options->outstanding ? (uint32_t)options->outstanding : workload->outstanding;
}

void sweep_load_build(
	const struct workload *workload, const struct options *options, struct io_load *out)
{
	*out = (struct io_load){.stream_count = workload->stream_count,
		.outstanding = sweep_load_outstanding(workload, options),
		.arrivals = arrivals_of(options->arrivals),
		.pace = pace_of(options->pace),
		.seed = options->seed,
		.reducible_share = options->reducible_pct / 100};
	for (uint32_t i = 0; i < workload->stream_count; i++) {
		struct io_stream *s = &out->streams[i];

		*s = workload->streams[i];
		if (options->read_pct >= 0)
			s->read_share = options->read_pct / 100;
		if (options->random_pct >= 0)
			s->random_share = options->random_pct / 100;
		/* A direction the workload has no sizes for takes those of the other. */
		if (!s->read_mix.count)
			s->read_mix = s->write_mix;
		if (!s->write_mix.count)
			s->write_mix = s->read_mix;
		if (options->block_bytes) {
			one_size(&s->read_mix, (uint32_t)options->block_bytes);
			one_size(&s->write_mix, (uint32_t)options->block_bytes);
		}
	}
}
