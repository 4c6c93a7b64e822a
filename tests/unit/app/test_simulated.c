/* Tests of simulated drives from the inventory to the run, as headless commands make them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "conf/assets.h"
#include "sim/backend.h"
#include "sim/transport.h"
#include "sweep/runner.h"

struct bench {
	struct sim_fleet *fleet;
	struct transport *transport;
	struct jobs *jobs;
	struct inventory_service *service;
	const struct inventory *inventory;
	struct workload *workload;
	struct options options;
	struct runner *runner;
};

static struct bench *set_up(const char *workload)
{
	struct bench *bench = mem_alloc(sizeof(*bench));
	struct inventory_config config = {.sysfs_root = "", .dev_root = "", .source = "demo"};
	struct clock clock;
	struct err err = {0};

	assets_set_folders("", "");
	clock_init_free(&clock);
	assert_int_equal(sim_fleet_load("demo", 1, &clock, &bench->fleet, &err), 0);
	assert_int_equal(sim_transport_create(bench->fleet, &bench->transport, &err), 0);
	assert_int_equal(jobs_create(&bench->jobs, &err), 0);
	config.transport = bench->transport;
	assert_int_equal(inventory_start(&config, bench->jobs, &bench->service, &err), 0);
	bench->inventory = inventory_wait(bench->service, 60000);
	assert_non_null(bench->inventory);
	assert_int_equal(workload_load(workload, &bench->workload, &err), 0);
	options_defaults(&bench->options);
	bench->options.seed = 5;
	return bench;
}

static int start(struct bench *bench, const char *method, const char *const *targets, size_t count,
	struct err *err)
{
	const struct runner_config config = {
		.workload = bench->workload,
		.method = method,
		.targets = targets,
		.target_count = count,
		.options = bench->options,
		.inventory = bench->inventory,
		.jobs = bench->jobs,
		.transport = bench->transport,
		.simulated_backend = &sim_backend,
	};

	return runner_start(&config, &bench->runner, err);
}

static const struct run *finish(struct bench *bench)
{
	assert_int_equal(runner_wait(bench->runner, 120000), 0);
	return runner_run(bench->runner);
}

static void tear_down(struct bench *bench)
{
	if (bench->runner)
		runner_destroy(bench->runner);
	inventory_unref(bench->inventory);
	inventory_stop(bench->service);
	jobs_destroy(bench->jobs);
	transport_destroy(bench->transport);
	sim_fleet_free(bench->fleet);
	workload_free(bench->workload);
	free(bench);
}

static void set(struct bench *bench, const char *key, const char *value)
{
	struct err err = {0};

	if (options_set_value(&bench->options, key, value, &err))
		fail_msg("%s", err.text);
}

/* The curve of METHODS 4 on a simulated drive. */
static void curve_of_reads(void **state)
{
	struct bench *bench = set_up("rand-read-4k");
	const char *target = "demo:p4510";
	const struct run *run;
	struct err err = {0};

	(void)state;
	set(bench, "warmup_s", "0.2");
	set(bench, "point_s", "0.5");
	assert_int_equal(start(bench, "curve", &target, 1, &err), 0);
	run = finish(bench);
	assert_int_equal(run->outcome, RUN_COMPLETE);
	assert_true(run->simulated && run->targets[0].simulated);
	assert_string_equal(run->targets[0].name, "p4510n1");
	assert_string_equal(run->targets[0].model, "SIM P4510-like 8TB");
	assert_string_equal(run->engine.backend, "sim");
	assert_true(run->analysis.peak >= 0);
	const struct run_point *peak = &run->points[run->analysis.peak];

	print_message("peak %.0f IOPS, %.1f us\n", peak->iops, peak->service.mean / 1e3);
	for (size_t i = 0; i < run->spoiled_count; i++)
		print_message("spoiled: %s\n", run->spoiled_by[i]);
	assert_true(fabs(peak->iops / 642149 - 1) < 0.15);
	assert_true(peak->service.mean / 198e3 < 1.15);
	assert_false(run->analysis.fall_off);
	/* What was read stands in its SMART page: nobody else used it meanwhile. */
	assert_true(run->targets[0].smart_before_known && run->targets[0].smart_after_known);
	uint64_t reads = 0;

	for (size_t i = 0; i < run->point_count; i++)
		reads += run->points[i].reads;
	assert_true(run->targets[0].smart_after.host_reads.value -
			run->targets[0].smart_before.host_reads.value >
		reads);
	assert_true(run->targets[0].smart_after.temperature_c.value >
		run->targets[0].smart_before.temperature_c.value);
	assert_true(peak->temperature_c > 36 && peak->temperature_c < 60);
	assert_true(isnan(peak->cpu_pct));
	tear_down(bench);
}

/* What spoils it is found there as well: the ailing drive's link. */
static void doubts_are_told(void **state)
{
	struct bench *bench = set_up("rand-read-4k");
	const char *target = "ailing";
	const struct run *run;
	struct err err = {0};
	bool link = false;

	(void)state;
	set(bench, "warmup_s", "0");
	set(bench, "point_s", "0.2");
	assert_int_equal(start(bench, "fixed", &target, 1, &err), 0);
	run = finish(bench);
	for (size_t i = 0; i < run->spoiled_count; i++) {
		print_message("spoiled: %s\n", run->spoiled_by[i]);
		link |= strstr(run->spoiled_by[i], "3.0 x2") != NULL;
	}
	assert_true(link);
	tear_down(bench);
}

static void same_points(const struct run *a, const struct run *b)
{
	assert_int_equal(a->point_count, b->point_count);
	for (size_t i = 0; i < a->point_count; i++) {
		const struct run_point *p = &a->points[i], *q = &b->points[i];

		assert_int_equal(p->count, q->count);
		assert_memory_equal(&p->service, &q->service, sizeof(p->service));
		assert_memory_equal(&p->response, &q->response, sizeof(p->response));
		assert_int_equal(p->histogram_count, q->histogram_count);
		assert_memory_equal(
			p->histogram, q->histogram, p->histogram_count * sizeof(*p->histogram));
	}
	assert_memory_equal(&a->targets[0].smart_after, &b->targets[0].smart_after,
		sizeof(a->targets[0].smart_after));
}

static void runs_repeat(void **state)
{
	const char *targets[] = {"sixn2", "p5", "demo:sixn5"};
	struct bench *benches[2];
	struct err err = {0};

	(void)state;
	for (int i = 0; i < 2; i++) {
		benches[i] = set_up("rand-read-4k");
		set(benches[i], "warmup_s", "0");
		set(benches[i], "point_s", "0.2");
		assert_int_equal(start(benches[i], "depth", targets, 3, &err), 0);
	}
	same_points(finish(benches[0]), finish(benches[1]));
	assert_int_equal(runner_run(benches[0]->runner)->outcome, RUN_COMPLETE);
	assert_true(runner_run(benches[0]->runner)->point_count > 5);
	tear_down(benches[0]);
	tear_down(benches[1]);
}

static const char *parameter(const struct run *run, const char *key)
{
	for (size_t i = 0; i < run->parameter_count; i++)
		if (!strcmp(run->parameters[i].key, key))
			return run->parameters[i].value;
	return NULL;
}

static void wrong_targets(void **state)
{
	struct bench *bench = set_up("rand-read-4k");
	const char *unknown = "demo:p4511", *twice[] = {"p5", "demo:p5n1"};
	const char *mixed[] = {"p5", "Makefile"};
	struct err err = {0};

	(void)state;
	assert_int_equal(start(bench, "fixed", &unknown, 1, &err), -ENOENT);
	assert_int_equal(err.exit, ERR_EXIT_USAGE);
	assert_non_null(strstr(err.text, "p4510"));
	assert_int_equal(start(bench, "fixed", twice, 2, &err), -EINVAL);
	assert_non_null(strstr(err.text, "same target"));
	assert_int_equal(start(bench, "fixed", mixed, 2, &err), -EINVAL);
	assert_non_null(strstr(err.text, "simulated and real"));
	assert_null(bench->runner);
	tear_down(bench);
}

/* As the screen runs it: paced by the clock on the wall, and the figures are the same ones. */
static void pacing_changes_no_figure(void **state)
{
	struct sim_backend_options options = {.time_factor = 1000};
	struct bench *benches[2];
	const char *target = "p5";
	struct err err = {0};

	(void)state;
	for (int i = 0; i < 2; i++) {
		benches[i] = set_up("rand-read-4k");
		set(benches[i], "warmup_s", "0");
		set(benches[i], "point_s", "0.3");
		set(benches[i], "outstanding", "4");
	}
	set(benches[1], "time_factor", "1000");
	const struct runner_config config = {
		.workload = benches[1]->workload,
		.method = "fixed",
		.targets = &target,
		.target_count = 1,
		.options = benches[1]->options,
		.inventory = benches[1]->inventory,
		.jobs = benches[1]->jobs,
		.transport = benches[1]->transport,
		.simulated_backend = &sim_backend,
		.simulated_data = &options,
		.paced = true,
	};

	assert_int_equal(start(benches[0], "fixed", &target, 1, &err), 0);
	assert_int_equal(runner_start(&config, &benches[1]->runner, &err), 0);
	const struct run *free_running = finish(benches[0]), *paced = finish(benches[1]);

	assert_int_equal(paced->outcome, RUN_COMPLETE);
	assert_int_equal(free_running->point_count, 1);
	assert_int_equal(paced->point_count, 1);
	assert_int_equal(free_running->points[0].count, paced->points[0].count);
	assert_memory_equal(&free_running->points[0].service, &paced->points[0].service,
		sizeof(paced->points[0].service));
	/* The factor is a fact of the paced run alone. */
	assert_null(parameter(free_running, "time_factor"));
	assert_string_equal(parameter(paced, "time_factor"), "1000");
	tear_down(benches[0]);
	tear_down(benches[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(curve_of_reads),
		cmocka_unit_test(doubts_are_told),
		cmocka_unit_test(runs_repeat),
		cmocka_unit_test(wrong_targets),
		cmocka_unit_test(pacing_changes_no_figure),
	};

	return cmocka_run_group_tests_name("app/simulated", tests, NULL, NULL);
}
