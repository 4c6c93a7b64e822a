/* The backend's contract: who gets a drive, where its lanes run, how its time passes. */
#include "lab.h"

#include <errno.h>

static const struct lab_load reads = {
	.block = 4096,
	.read_share = 1,
	.random_share = 1,
	.outstanding = 8,
	.window_ns = 100 * LAB_MS,
};

static struct io_pool_config config_of(struct io_target *targets, uint32_t count,
	const struct clock *clock, struct sim_backend_options *options)
{
	return (struct io_pool_config){
		.targets = targets,
		.target_count = count,
		.ops = &sim_backend,
		.ops_data = options,
		.outstanding = 8,
		.max_block_bytes = 4096,
		.clock = clock,
		.seed = 1,
	};
}

static struct io_phase_result run_pool(struct io_pool *pool, const struct lab_load *load)
{
	struct lab_bench bench = {.pool = pool};

	return lab_run(&bench, load);
}

static void one_test_at_a_time(void **state)
{
	struct sim_fleet *fleet = lab_demo();
	struct sim_namespace *ns = sim_fleet_namespace(fleet, "six");
	struct io_target target;
	struct io_pool *pool = NULL;
	struct clock clock;
	struct lab_bench bench;
	struct err err = {0};

	(void)state;
	clock_init_free(&clock);
	lab_open(&bench, &ns, 1, 8, 4096, 1);
	sim_backend_target(&ns->drive->namespaces[5], &target);
	const struct io_pool_config config = config_of(&target, 1, &clock, NULL);

	assert_int_equal(io_pool_create(&config, &pool, NULL, &err), -EBUSY);
	assert_non_null(strstr(err.text, "six"));
	io_pool_destroy(bench.pool);
	assert_int_equal(io_pool_create(&config, &pool, NULL, &err), 0);
	assert_string_equal(io_pool_facts(pool)->name, "sim");
	assert_non_null(strstr(io_pool_facts(pool)->notes, "SIMULATED"));
	io_pool_destroy(pool);
	sim_fleet_free(fleet);
}

static void other_targets_are_refused(void **state)
{
	struct io_target target = {
		.name = "x", .fd = 0, .lba_bytes = 512, .size_bytes = 4096, .length = 4096};
	struct io_pool *pool = NULL;
	struct clock clock;
	struct err err = {0};

	(void)state;
	clock_init_free(&clock);
	const struct io_pool_config config = config_of(&target, 1, &clock, NULL);

	assert_int_equal(io_pool_create(&config, &pool, NULL, &err), -EINVAL);
	assert_non_null(strstr(err.text, "x is no simulated drive"));
}

/* Two namespaces of one drive and one of another, many workers asked for: two are made, and the
 * drive of two lanes was opened once. On a real clock, so that workers may be many. */
static void a_drive_stays_on_one_worker(void **state)
{
	struct sim_fleet *fleet = lab_demo();
	struct sim_drive *six = sim_fleet_drive(fleet, "six");
	struct io_target targets[3];
	struct io_pool *pool = NULL;
	struct clock clock;
	struct err err = {0};

	(void)state;
	clock_init_real(&clock);
	sim_backend_target(&six->namespaces[0], &targets[0]);
	sim_backend_target(sim_fleet_namespace(fleet, "p5"), &targets[1]);
	sim_backend_target(&six->namespaces[3], &targets[2]);
	struct io_pool_config config = config_of(targets, 3, &clock, NULL);

	config.workers = 8;
	assert_int_equal(io_pool_create(&config, &pool, NULL, &err), 0);
	assert_int_equal(io_pool_workers(pool), 2);
	const struct io_phase_result result = run_pool(pool, &reads);

	for (int i = 0; i < 3; i++) {
		assert_true(result.lanes[i].reads > 0);
		assert_int_equal(result.lanes[i].errors, 0);
		/* no read is faster than its drive can: 0.8 x read_us, 0.85 x read_latency_us */
		assert_true(result.lanes[i].read_service.min > 55 * LAB_US);
	}
	free(result.lanes);
	io_pool_destroy(pool);
	sim_fleet_free(fleet);
}

static void scaled_clocks_work(void **state)
{
	struct sim_fleet *fleet = lab_demo();
	struct io_target target;
	struct io_pool *pool = NULL;
	struct clock clock;
	struct err err = {0};

	(void)state;
	clock_init_scaled(&clock, 0.25);
	sim_backend_target(sim_fleet_namespace(fleet, "pm9a3"), &target);
	const struct io_pool_config config = config_of(&target, 1, &clock, NULL);
	struct lab_load load = reads;

	load.rate = 500;
	load.window_ns = 50 * LAB_MS;
	assert_int_equal(io_pool_create(&config, &pool, NULL, &err), 0);
	const struct io_phase_result result = run_pool(pool, &load);

	assert_true(result.total.reads > 0);
	assert_int_equal(result.window_ns, load.window_ns);
	assert_true(result.total.service.min > 55 * LAB_US);
	free(result.lanes);
	io_pool_destroy(pool);
	sim_fleet_free(fleet);
}

/* A paced run gives what a free one gives, and never runs ahead of its time. */
static void pacing_changes_nothing(void **state)
{
	struct io_phase_result results[2];
	uint64_t took[2];

	(void)state;
	for (int paced = 0; paced < 2; paced++) {
		struct sim_backend_options options = {.time_factor = paced ? 0.5 : 0};
		struct sim_fleet *fleet = lab_demo();
		struct io_target target;
		struct io_pool *pool = NULL;
		struct clock clock;
		struct err err = {0};

		clock_init_free(&clock);
		sim_backend_target(sim_fleet_namespace(fleet, "p5"), &target);
		const struct io_pool_config config = config_of(&target, 1, &clock, &options);

		/* its time begins when the backend is opened */
		const uint64_t start = clock_monotonic_ns();

		assert_int_equal(io_pool_create(&config, &pool, NULL, &err), 0);
		results[paced] = run_pool(pool, &reads);
		took[paced] = clock_monotonic_ns() - start;
		io_pool_destroy(pool);
		sim_fleet_free(fleet);
	}
	assert_memory_equal(&results[0].total, &results[1].total, sizeof(results[0].total));
	/* 100 ms at half speed, at most 5 ms ahead at the end */
	assert_true(took[1] > 190 * LAB_MS);
	free(results[0].lanes);
	free(results[1].lanes);
}

/* Stopping a paced run takes effect though its time hardly moves. */
static void paced_runs_stop(void **state)
{
	struct sim_backend_options options = {.time_factor = 1e-4};
	struct sim_fleet *fleet = lab_demo();
	struct lab_load load = reads;
	struct io_phase_result result;
	struct io_target target;
	struct io_pool *pool = NULL;
	struct clock clock;
	struct err err = {0};

	(void)state;
	clock_init_free(&clock);
	sim_backend_target(sim_fleet_namespace(fleet, "p5"), &target);
	const struct io_pool_config config = config_of(&target, 1, &clock, &options);

	load.window_ns = 3600 * LAB_S;
	const struct io_phase phase = lab_phase(&load);

	assert_int_equal(io_pool_create(&config, &pool, NULL, &err), 0);
	assert_int_equal(io_pool_begin(pool, &phase, &err), 0);
	io_pool_stop(pool);
	assert_int_equal(io_pool_end(pool, &result, &err), 0);
	assert_true(result.stopped);
	assert_int_equal(result.abandoned, 0);
	free(result.lanes);
	io_pool_destroy(pool);
	sim_fleet_free(fleet);
}

/* Without a permit the engine writes to no simulated drive either. */
static void writes_need_a_permit(void **state)
{
	struct sim_fleet *fleet = lab_demo();
	struct io_target target;
	struct io_pool *pool = NULL;
	struct clock clock;
	struct err err = {0};

	(void)state;
	clock_init_free(&clock);
	sim_backend_target(sim_fleet_namespace(fleet, "p5"), &target);
	const struct io_pool_config config = config_of(&target, 1, &clock, NULL);
	struct lab_load load = reads;

	load.read_share = 0.5;
	const struct io_phase phase = lab_phase(&load);

	assert_int_equal(io_pool_create(&config, &pool, NULL, &err), 0);
	assert_int_equal(io_pool_begin(pool, &phase, &err), -EPERM);
	assert_int_equal(err.exit, ERR_EXIT_REFUSED);
	io_pool_destroy(pool);
	sim_fleet_free(fleet);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_test_at_a_time),
		cmocka_unit_test(other_targets_are_refused),
		cmocka_unit_test(a_drive_stays_on_one_worker),
		cmocka_unit_test(scaled_clocks_work),
		cmocka_unit_test(pacing_changes_nothing),
		cmocka_unit_test(paced_runs_stop),
		cmocka_unit_test(writes_need_a_permit),
	};

	return cmocka_run_group_tests_name("sim/backend", tests, NULL, NULL);
}
