/* The preparation before a method (METHODS 4): the area, or the whole of each target, written in
 * sequence in large blocks, pass by pass, by a pool of its own. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "sweep/runner_internal.h"

#define FILL_BLOCK (UINT32_C(128) << 10)
/* Simulated time passes faster in larger blocks; the record says which were used. */
#define FILL_BLOCK_SIMULATED (UINT32_C(1) << 20)
#define FILL_OUTSTANDING 32

bool runner_fills(const struct runner *runner)
{
	return runner->options.prepare[0] && strcmp(runner->options.prepare, "none") != 0;
}

static struct io_load fill_load(const struct runner *runner, uint64_t shortest, uint32_t lba)
{
	uint64_t block = runner->simulated_backend ? FILL_BLOCK_SIMULATED : FILL_BLOCK;
	struct io_load load = {.stream_count = 1,
		.outstanding = FILL_OUTSTANDING,
		.seed = runner->options.seed,
		.reducible_share = runner->options.reducible_pct / 100};

	if (block > shortest)
		block = shortest;
	block -= block % lba; /* formats of 520 bytes and the like */
	load.streams[0].share = 1;
	load.streams[0].write_mix.count = 1;
	load.streams[0].write_mix.size[0].bytes = (uint32_t)block;
	load.streams[0].write_mix.size[0].share = 1;
	return load;
}

/* The targets with what is filled of them as their area. */
static struct io_target *fill_lanes(struct runner *runner, struct io_load *load)
{
	struct io_target *lanes = mem_alloc(runner->target_count * sizeof(*lanes));
	const bool device = !strcmp(runner->options.prepare, "device");
	uint64_t shortest = UINT64_MAX;
	uint32_t lba = 1;

	runner->fill_bytes = 0;
	for (size_t i = 0; i < runner->target_count; i++) {
		lanes[i] = runner->targets[i].io;
		if (device) {
			lanes[i].offset = 0;
			lanes[i].length =
				lanes[i].size_bytes - lanes[i].size_bytes % lanes[i].lba_bytes;
		}
		runner->fill_bytes += lanes[i].length * runner->options.prepare_passes;
		if (lanes[i].length < shortest)
			shortest = lanes[i].length;
		if (lanes[i].lba_bytes > lba)
			lba = lanes[i].lba_bytes;
	}
	*load = fill_load(runner, shortest, lba);
	return lanes;
}

static double never_written(const struct runner *runner, const struct io_target *lanes)
{
	double size = 0, filled = 0;

	for (size_t i = 0; i < runner->target_count; i++) {
		size += (double)lanes[i].size_bytes;
		filled += (double)lanes[i].length;
	}
	return size > 0 ? 1 - filled / size : NAN;
}

static int fill_once(
	struct runner *runner, const struct io_load *load, uint32_t pass, struct err *err)
{
	const struct io_phase phase = {.load = *load, .cover = true, .interval_ns = 1000000000};
	struct io_phase_result *result = mem_alloc(sizeof(*result));
	struct method_step plan = {.fill = true, .outstanding = load->outstanding};
	struct runner_turn turn = {0};
	int rc;

	str_format(plan.label, sizeof(plan.label), "pass %u of %u", pass + 1,
		(unsigned)runner->options.prepare_passes);
	str_format(plan.phase, sizeof(plan.phase), "preparing: %s", plan.label);
	rc = runner_phase(runner, &plan, &phase, &turn, result, err);
	if (!rc) {
		runner->run->prepare.bytes += result->uncounted_write_bytes;
		rc = runner_judge(runner, &turn, result, err);
		io_phase_result_free(result);
	}
	free(result);
	runner_end_step(runner, rc, err);
	return rc;
}

int runner_fill(struct runner *runner, struct err *err)
{
	struct run *run = runner->run;
	struct io_load load;
	struct io_target *lanes = fill_lanes(runner, &load);
	uint32_t pass = 0;
	int rc;

	/* A simulated drive works for one pool at a time, and real ones need no idle rings. */
	io_pool_destroy(runner->pool);
	runner->pool = NULL;
	runner->fill_begun_s = runner_elapsed_s(runner);
	str_copy(run->prepare.fill, sizeof(run->prepare.fill), runner->options.prepare);
	run->prepare.passes = (uint32_t)runner->options.prepare_passes;
	run->prepare.block_bytes = load.streams[0].write_mix.size[0].bytes;
	/* One lane is one worker's, or it would be several sequences at once. */
	runner_journal_prepare(runner);
	rc = runner_make_pool(runner, lanes, &load, 1,
		runner->options.workers > runner->target_count ? (uint32_t)runner->target_count
							       : (uint32_t)runner->options.workers,
		NULL, err);
	for (; pass < run->prepare.passes && !rc; pass++) {
		rc = fill_once(runner, &load, pass, err);
		run->prepare.seconds = runner_elapsed_s(runner) - runner->fill_begun_s;
		if (rc)
			break;
		run->prepare.passes_done = pass + 1;
		run->prepare.never_written_share = never_written(runner, lanes);
		runner_journal_prepare(runner);
	}
	if (!runner->abandoned) {
		io_pool_destroy(runner->pool);
		runner->pool = NULL;
		if (!rc)
			rc = runner_make_test_pool(runner, NULL, err);
	}
	free(lanes);
	return rc;
}
