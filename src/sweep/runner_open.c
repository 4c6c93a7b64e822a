/* What a run needs before its thread starts: loads, targets, the right to write, the pool. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "sweep/load.h"
#include "sweep/runner_internal.h"

static int open_targets(struct runner *runner, const struct runner_config *config, struct err *err)
{
	if (!config->target_count)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL, "no target is named");
	if (config->target_count > RUN_TARGETS_MAX)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"%zu targets are named: at most %d can be tested at once",
			config->target_count, RUN_TARGETS_MAX);
	runner->targets = mem_alloc(config->target_count * sizeof(*runner->targets));
	for (size_t i = 0; i < config->target_count; i++) {
		const int rc = sweep_target_open(config->targets[i], config->inventory,
			&runner->options, &runner->targets[i], err);

		if (rc)
			return rc;
		runner->target_count++;
	}
	return sweep_target_check_distinct(runner->targets, runner->target_count, err);
}

/* Simulated drives are reached through the transport, and have their own backend and time. */
static int reach_simulated(
	struct runner *runner, const struct runner_config *config, struct err *err)
{
	size_t simulated = 0;

	for (size_t i = 0; i < runner->target_count; i++) {
		struct sweep_target *t = &runner->targets[i];

		if (!t->info.simulated)
			continue;
		simulated++;
		if (config->simulated_backend && config->transport &&
			config->transport->ops->device)
			t->io.device =
				config->transport->ops->device(config->transport, t->info.name);
		if (!t->io.device)
			return err_set(err, -ENODEV, "%s: simulated drives cannot be tested here",
				t->info.name);
	}
	if (!simulated && runner->options.time_factor > 0 && runner->options.time_factor != 1)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"time_factor has no meaning for a real drive: only simulated ones have a "
			"time of their own");
	if (!simulated)
		return 0;
	if (simulated < runner->target_count)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"simulated and real targets cannot be tested at once");
	runner->simulated_backend = config->simulated_backend;
	runner->simulated_data = config->simulated_data;
	runner->virtual_time = true;
	runner->paced = config->paced;
	return 0;
}

/* ---- loads ----------------------------------------------------------------------------------- */

static void build_loads(struct runner *runner)
{
	sweep_load_build(runner->workload, &runner->options, &runner->loads[0]);
	if (runner->method->outstanding)
		runner->loads[0].outstanding =
			runner->method->outstanding(&runner->options, runner->workload);
	runner->load_count = 1;
	if (runner->method->loads)
		runner->load_count += runner->method->loads(
			&runner->options, runner->workload, &runner->loads[1]);
	for (size_t n = 0; n < runner->load_count; n++) {
		runner->reads = runner->reads || io_load_reads(&runner->loads[n]);
		runner->writes = runner->writes || io_load_writes(&runner->loads[n]);
	}
}

/* Before anything is opened for writing: a load that cannot be. */
static int check_loads(const struct runner *runner, struct err *err)
{
	for (size_t i = 0; i < runner->target_count; i++)
		for (size_t n = 0; n < runner->load_count; n++) {
			const int rc = io_load_check_numbers(
				&runner->loads[n], &runner->targets[i].io, err);

			if (rc)
				return rc;
		}
	return 0;
}

/* ---- the right to write ---------------------------------------------------------------------- */

/* All that is going to be written on a target: by the loads, within the area; by the preparation,
 * in what it fills. */
static void written_range(
	const struct runner *runner, const struct io_target *t, uint64_t *offset, uint64_t *length)
{
	*offset = t->offset;
	*length = t->length;
	if (runner_fills(runner) && !strcmp(runner->options.prepare, "device")) {
		*offset = 0;
		*length = t->size_bytes - t->size_bytes % t->lba_bytes;
	}
}

static int admit(struct runner *runner, const struct runner_config *config, struct err *err)
{
	const struct gate_sources sources = {.root = "",
		.inventory = config->inventory,
		.transport = config->transport,
		.jobs = config->jobs};
	uint64_t offset, length;
	int checked;

	if (!runner->writes && !runner_fills(runner))
		return 0;
	/* a word for a drive that is not among the targets: the user means another one */
	checked = gate_check_typed(runner->targets, runner->target_count, &config->consent, err);
	if (checked)
		return checked;
	for (size_t i = 0; i < runner->target_count; i++) {
		struct sweep_target *t = &runner->targets[i];

		written_range(runner, &t->io, &offset, &length);
		const int rc = gate_admit(t, &sources, offset, length, &config->consent, NULL,
			&runner->locks[i], err);

		if (rc)
			return rc;
	}
	return 0;
}

int runner_recheck(const struct runner *runner, struct err *err)
{
	for (size_t i = 0; i < runner->target_count; i++) {
		const int rc = runner->locks[i] ? gate_recheck(runner->locks[i], err) : 0;

		if (rc)
			return rc;
	}
	return 0;
}

void runner_close_targets(struct runner *runner)
{
	for (size_t i = 0; i < runner->target_count; i++) {
		gate_release(runner->locks[i]);
		runner->locks[i] = NULL;
		sweep_target_close(&runner->targets[i]);
	}
}

/* ---- the backend ------------------------------------------------------------------------------ */

/* Commands go to generic nodes alone, and nothing else goes there. */
static int choose_backend(struct runner *runner, struct err *err)
{
	char *backend = runner->options.backend;
	size_t generic = 0;

	for (size_t i = 0; i < runner->target_count; i++)
		generic += runner->targets[i].io.passthrough;
	if (!generic)
		return 0;
	if (generic < runner->target_count)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"generic nodes (/dev/ngXnY) and other targets cannot be tested at once");
	if (strcmp(backend, "auto") && strcmp(backend, "uring_cmd") && strcmp(backend, "null"))
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"%s is a generic node, which takes NVMe commands: use the backend "
			"uring_cmd (or auto) instead of %s",
			runner->targets[0].io.name, backend);
	if (!strcmp(backend, "auto"))
		str_copy(backend, sizeof(runner->options.backend), "uring_cmd");
	return 0;
}

/* ---- the pool -------------------------------------------------------------------------------- */

int runner_make_pool(struct runner *runner, const struct io_target *lanes,
	const struct io_load *loads, size_t load_count, uint32_t workers, char *fallback,
	struct err *err)
{
	struct clock clock;
	struct io_pool_config pool = {.targets = lanes,
		.target_count = (uint32_t)runner->target_count,
		.backend = runner->options.backend,
		.ops = runner->simulated_backend,
		.ops_data = runner->simulated_data,
		.polled = !strcmp(runner->options.polled, "yes"),
		.workers = workers,
		.clock = &clock,
		.seed = runner->options.seed};

	if (runner->virtual_time)
		clock_init_free(&clock);
	else
		clock_init_real(&clock);
	for (size_t n = 0; n < load_count; n++) {
		const struct io_load *load = &loads[n];

		if (load->outstanding > pool.outstanding)
			pool.outstanding = load->outstanding;
		if (io_load_max_block(load) > pool.max_block_bytes)
			pool.max_block_bytes = io_load_max_block(load);
		for (size_t i = 0; i < runner->target_count; i++) {
			const int rc = io_load_check(load, &lanes[i], err);

			if (rc)
				return rc;
		}
	}
	return io_pool_create(&pool, &runner->pool, fallback, err);
}

int runner_make_test_pool(struct runner *runner, char *fallback, struct err *err)
{
	struct io_target *lanes = mem_alloc(runner->target_count * sizeof(*lanes));

	for (size_t i = 0; i < runner->target_count; i++)
		lanes[i] = runner->targets[i].io;
	const int rc = runner_make_pool(runner, lanes, runner->loads, runner->load_count,
		(uint32_t)runner->options.workers, fallback, err);

	free(lanes);
	return rc;
}

int runner_open(struct runner *runner, const struct runner_config *config, struct err *err)
{
	const char *names[RUN_TARGETS_MAX];
	char fallback[256] = "";
	int rc;

	runner->method = method_find(config->method, err);
	if (!runner->method)
		return err && err->code ? err->code : -ENOENT;
	if (runner->method->origin && strcmp(runner->method->origin, runner->workload->origin))
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"the method %s has a load of its own, not that of %s: nvsweep %s TARGET",
			runner->method->name, runner->workload->name, runner->method->name);
	rc = options_check(&runner->options, runner->method->name, err);
	if (rc)
		return rc;
	build_loads(runner);
	rc = open_targets(runner, config, err);
	if (!rc)
		rc = reach_simulated(runner, config, err);
	if (!rc)
		rc = choose_backend(runner, err);
	if (!rc)
		rc = check_loads(runner, err);
	if (!rc)
		rc = admit(runner, config, err);
	if (!rc)
		rc = runner_make_test_pool(runner, fallback, err);
	if (rc)
		return rc;
	runner_record_start(runner, fallback);
	for (size_t i = 0; i < runner->target_count; i++)
		names[i] = runner->targets[i].controller;
	runner->sampler =
		sampler_create(config->jobs, config->transport, names, runner->target_count);
	runner->method->plan(
		&runner->options, runner->workload, &runner->steps_total, &runner->left_s);
	if (runner_fills(runner))
		runner->steps_total += (uint32_t)runner->options.prepare_passes;
	return 0;
}
