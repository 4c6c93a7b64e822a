/* What a simulated drive does under load: fall-off, cache, collection, heat, errors, counters, and
 * that the same seed repeats it all. */
#include "lab.h"

#include <errno.h>
#include <math.h>

#include "nvme/smart.h"
#include "sim/pages.h"
#include "sim/service.h"
#include "stats/curve.h"

static struct sim_namespace *first(const struct sim_fleet *fleet, const char *name)
{
	struct sim_namespace *ns = sim_fleet_namespace(fleet, name);

	assert_non_null(ns);
	return ns;
}

/* ---- the review's curve (METHODS 4) ---------------------------------------------------------- */

struct sweep {
	struct curve_point points[16];
	size_t count;
	double maximum;
	uint32_t best;
	struct curve_analysis analysis;
};

static struct curve_point point_of(const struct io_phase_result *result, double asked)
{
	return (struct curve_point){
		.asked_iops = asked,
		.iops = lab_iops(result),
		.mean_ns = lab_mean_us(result) * 1e3,
		.p99_ns = NAN,
		.outstanding = result->total.outstanding_ns / (double)result->window_ns,
		.count = result->total.service.count,
		.saturated = result->saturated,
		.host_limited = result->host_limited,
	};
}

static void curve(
	struct sim_namespace *ns, double read_share, uint32_t outstanding, struct sweep *out)
{
	struct lab_load load = {
		.block = 4096,
		.read_share = read_share,
		.random_share = 1,
		.warmup_ns = 100 * LAB_MS,
		.window_ns = 200 * LAB_MS,
	};
	struct lab_bench bench;

	memset(out, 0, sizeof(*out));
	lab_open(&bench, &ns, 1, outstanding, load.block, 5);
	for (uint32_t part = 8; part; part /= 2) {
		load.outstanding = outstanding / part;
		const struct io_phase_result result = lab_run(&bench, &load);

		if (lab_iops(&result) > out->maximum) {
			out->maximum = lab_iops(&result);
			out->best = load.outstanding;
		}
		free(result.lanes);
	}
	load.outstanding = outstanding;
	for (int percent = 10; percent <= 120; percent += 10) {
		load.rate = out->maximum * percent / 100;
		const struct io_phase_result result = lab_run(&bench, &load);
		struct curve_point *point = &out->points[out->count++];

		*point = point_of(&result, load.rate);
		assert_false(curve_little_suspect(point, NULL));
		print_message("%3d %% asked %7.0f got %7.0f IOPS, %6.1f us%s\n", percent,
			point->asked_iops, point->iops, point->mean_ns / 1e3,
			point->saturated ? ", saturated" : "");
		free(result.lanes);
	}
	io_pool_destroy(bench.pool);
	curve_analyse(out->points, out->count, 0, &out->analysis);
}

/* Published: the P4510's random writes peak at 16 outstanding and fall off beyond; the PM9A3's keep
 * their rate at any depth. */
static void writes_fall_off(void **state)
{
	struct sim_fleet *fleet = lab_demo();
	struct sweep sweep;

	(void)state;
	curve(first(fleet, "p4510"), 0, 128, &sweep);
	assert_int_equal(sweep.best, 16);
	assert_true(fabs(sweep.maximum / 433000 - 1) < 0.15);
	assert_true(sweep.analysis.fall_off);
	assert_true(sweep.points[sweep.analysis.peak].mean_ns < 60e3);
	curve(first(fleet, "pm9a3"), 0, 128, &sweep);
	assert_false(sweep.analysis.fall_off);
	sim_fleet_free(fleet);
}

/* ---- writing --------------------------------------------------------------------------------- */

static double rate_mb_s(struct lab_bench *bench, const struct lab_load *load)
{
	const struct io_phase_result result = lab_run(bench, load);
	const double rate = (double)(result.total.write_bytes + result.total.read_bytes) * 1e3 /
		(double)result.window_ns;

	free(result.lanes);
	return rate;
}

/* 32 units of 64 KiB in 806 us make 2.6 GB/s, in 2796 us 750 MB/s; the cache holds 24 GB and folds
 * at 400 MB/s when nothing is written. */
static void cache_ends(void **state)
{
	struct lab_load write = {
		.block = 1 << 17,
		.outstanding = 32,
		.window_ns = LAB_S,
	};
	const struct lab_load rest = {
		.block = 4096,
		.read_share = 1,
		.random_share = 1,
		.outstanding = 1,
		.rate = 100,
		.window_ns = 10 * LAB_S,
	};
	struct sim_fleet *fleet = lab_demo();
	struct sim_namespace *ns = first(fleet, "p5");
	struct lab_bench bench;
	double fast, slow, after;

	(void)state;
	lab_open(&bench, &ns, 1, 32, write.block, 1);
	fast = rate_mb_s(&bench, &write);
	write.window_ns = 12 * LAB_S;
	rate_mb_s(&bench, &write);
	write.window_ns = LAB_S;
	slow = rate_mb_s(&bench, &write);
	rate_mb_s(&bench, &rest); /* 4 GB become free again */
	after = rate_mb_s(&bench, &write);
	io_pool_destroy(bench.pool);
	print_message("cache %.0f MB/s, used up %.0f MB/s, rested %.0f MB/s\n", fast, slow, after);
	assert_true(fabs(fast / 2600 - 1) < 0.05);
	assert_true(fabs(slow / 750 - 1) < 0.05);
	assert_true(fabs(after / 2600 - 1) < 0.05);
	sim_fleet_free(fleet);
}

/* A full drive with 25 % spare: random writes over all of it cost (1 + u) / (2 (1 - u)) programs
 * each once no clean block is left, u = 1 / 1.25; writes in order cost one. */
static void collection_costs(void **state)
{
	struct sim_fleet *fleet = lab_fleet_text(
		"[small]\nmodel = SMALL\nserial = 1\nsize = 4GB\nrated_bytes = 1000TB\n"
		"read_us = 50\nprogram_us = 1000\nprogram_variation_pct = 0\nunits = 20\n"
		"link_gts = 0\nspare_pct = 25\nbuffer_bytes = 4M\nthrottle_c = 150\n");
	struct lab_load write = {
		.block = 4096, .random_share = 1, .outstanding = 64, .window_ns = LAB_S / 2};
	struct sim_namespace *ns = first(fleet, "small");
	const double clean = 20 * 65536 / 1e-3 / 1e6; /* MB/s */
	const double factor = (1 + 0.8) / (2 * (1 - 0.8));
	struct lab_bench bench;
	double early, late;
	uint64_t media;

	(void)state;
	lab_open(&bench, &ns, 1, 64, write.block, 1);
	early = rate_mb_s(&bench, &write);
	write.window_ns = 20 * LAB_S;
	rate_mb_s(&bench, &write);
	media = sim_counted(&ns->drive->live.media_bytes);
	write.window_ns = LAB_S;
	late = rate_mb_s(&bench, &write);
	media = sim_counted(&ns->drive->live.media_bytes) - media;
	io_pool_destroy(bench.pool);
	print_message("clean %.0f MB/s, collecting %.0f MB/s, factor %.2f of %.2f\n", early, late,
		early / late, factor);
	assert_true(fabs(early / clean - 1) < 0.03);
	assert_true(fabs(late * factor / clean - 1) < 0.06);
	/* media writes are host writes times that factor */
	assert_true(fabs((double)media / 1e6 / late / factor - 1) < 0.06);
	sim_fleet_free(fleet);
}

/* ---- counters -------------------------------------------------------------------------------- */

static struct smart read_smart(struct sim_drive *drive)
{
	uint8_t bytes[SIM_SMART_BYTES];
	const struct page page = {bytes, sizeof(bytes)};
	struct smart smart;

	sim_pages_smart(drive, bytes);
	assert_int_equal(smart_decode(&page, &smart), 0);
	return smart;
}

/* Exactly so many bytes: the drive has counted each I/O once. */
static void counters_are_exact(void **state)
{
	struct lab_load load = {.block = 8192,
		.read_share = 0.5,
		.random_share = 1,
		.outstanding = 8,
		.total_bytes = UINT64_C(512000) * 4096};
	struct sim_fleet *fleet = lab_demo();
	struct sim_namespace *ns = first(fleet, "six");
	struct sim_namespace *both[] = {&ns->drive->namespaces[2], &ns->drive->namespaces[4]};
	const struct smart before = read_smart(ns->drive);
	struct sim_totals totals[2];
	struct lab_bench bench;

	(void)state;
	lab_open(&bench, both, 2, 8, load.block, 9);
	const struct io_phase_result result = lab_run(&bench, &load);
	const struct smart after = read_smart(ns->drive);

	for (int i = 0; i < 2; i++) {
		sim_namespace_totals(both[i], &totals[i]);
		assert_int_equal(totals[i].reads, result.lanes[i].reads);
		assert_int_equal(totals[i].writes, result.lanes[i].writes);
		assert_int_equal(totals[i].read_bytes, result.lanes[i].read_bytes);
		assert_int_equal(totals[i].write_bytes, result.lanes[i].write_bytes);
		assert_int_equal(totals[i].read_bytes + totals[i].write_bytes, load.total_bytes);
		assert_int_equal(totals[i].read_ns, result.lanes[i].read_service.sum);
		assert_int_equal(totals[i].write_ns, result.lanes[i].write_service.sum);
		assert_true(totals[i].busy_ns > 0 && totals[i].busy_ns <= result.window_ns);
	}
	assert_true(after.host_reads.value - before.host_reads.value == result.total.reads);
	assert_true(after.host_writes.value - before.host_writes.value == result.total.writes);
	/* of 512,000 bytes, rounded up */
	const u128 units = after.data_units_read.value - before.data_units_read.value +
		after.data_units_written.value - before.data_units_written.value;

	assert_in_range((uint64_t)units, 2 * 4096, 2 * 4096 + 1);
	sim_namespace_totals(&ns->drive->namespaces[0], &totals[0]);
	assert_int_equal(totals[0].reads + totals[0].writes, 0);
	free(result.lanes);
	io_pool_destroy(bench.pool);
	sim_fleet_free(fleet);
}

/* Errors of the drive are errors of the run, one for one. */
static void media_errors_show(void **state)
{
	const struct lab_load load = {.block = 65536,
		.read_share = 1,
		.random_share = 1,
		.outstanding = 16,
		.window_ns = 10 * LAB_S};
	struct sim_fleet *fleet = lab_plain("units = 64\nread_us = 20\nprogram_us = 100\n"
					    "media_errors_tb = 20000\nerror_entries = 5\n");
	struct sim_namespace *ns = first(fleet, "plain");
	struct lab_bench bench;

	(void)state;
	lab_open(&bench, &ns, 1, 16, load.block, 9);
	const struct io_phase_result result = lab_run(&bench, &load);
	const double expected = (double)result.total.read_bytes / 1e12 * 20000;
	struct smart after;

	io_pool_destroy(bench.pool);
	after = read_smart(ns->drive);
	print_message(
		"%llu errors, %.0f expected\n", (unsigned long long)result.total.errors, expected);
	assert_true(result.total.errors > 0);
	assert_int_equal(result.total.first_error, -EIO);
	assert_false(result.total.device_lost);
	assert_true(fabs((double)result.total.errors - expected) < 5 * sqrt(expected));
	/* those in flight at the end may have failed too */
	assert_in_range(
		(uint64_t)after.media_errors.value, result.total.errors, result.total.errors + 16);
	assert_true(after.error_log_entries.value == after.media_errors.value + 5);
	free(result.lanes);
	sim_fleet_free(fleet);
}

/* ---- heat ------------------------------------------------------------------------------------ */

/* 1 GB/s at 5 J/GB and 2 W at rest, 4 K/W above 30 C: towards 58 C with a time constant of 20 s. */
static void load_heats(void **state)
{
	const struct lab_load load = {.block = 65536,
		.read_share = 1,
		.random_share = 1,
		.outstanding = 16,
		.rate = 1e9 / 65536,
		.arrivals = IO_ARRIVALS_CONSTANT,
		.window_ns = 20 * LAB_S};
	struct sim_fleet *fleet = lab_plain("units = 64\nread_us = 20\nprogram_us = 100\n"
					    "ambient_c = 30\nidle_w = 2\nread_j_gb = 5\n"
					    "heat_k_w = 4\nheat_s = 20\nthrottle_c = 100\n");
	struct sim_namespace *ns = first(fleet, "plain");
	struct sim_health health;
	double expected;

	(void)state;
	sim_drive_health(ns->drive, &health);
	assert_int_equal(health.temperature_mc, 38000);
	free(lab_once(ns, &load).lanes);
	sim_drive_health(ns->drive, &health);
	expected = 58 - 20 * exp(-1);
	print_message("%.2f C, %.2f expected\n", health.temperature_mc / 1e3, expected);
	assert_true(fabs(health.temperature_mc / 1e3 - expected) < 0.2);
	sim_fleet_free(fleet);
}

/* The worn drive runs hot: under load it passes its limit and slows down by its own measure. */
static void heat_throttles(void **state)
{
	const struct lab_load load = {.block = 4096,
		.read_share = 1,
		.random_share = 1,
		.outstanding = 1,
		.window_ns = LAB_S};
	const struct lab_load heavy = {.block = 65536,
		.read_share = 1,
		.random_share = 0,
		.outstanding = 16,
		.window_ns = 60 * LAB_S};
	struct sim_fleet *fleet = lab_demo();
	struct sim_namespace *ns = first(fleet, "ailing");
	struct lab_bench bench;
	struct smart smart;

	(void)state;
	lab_open(&bench, &ns, 1, 16, heavy.block, 9);
	const struct io_phase_result cool = lab_run(&bench, &load);

	free(lab_run(&bench, &heavy).lanes);
	const struct io_phase_result hot = lab_run(&bench, &load);

	io_pool_destroy(bench.pool);
	smart = read_smart(ns->drive);
	print_message("%.1f us cool, %.1f us throttled\n", lab_mean_us(&cool), lab_mean_us(&hot));
	assert_true(lab_mean_us(&hot) > 1.5 * lab_mean_us(&cool));
	assert_true(smart.thermal1_count.value > 0 && smart.thermal1_seconds.value > 0);
	assert_true(smart.critical_warning & SMART_WARN_TEMPERATURE);
	assert_true(smart.temperature_c.value >= 70);
	free(cool.lanes);
	free(hot.lanes);
	sim_fleet_free(fleet);
}

/* ---- reads beside writes, and of nothing ----------------------------------------------------- */

/* One unit that programs 64 KiB in 10 ms, busy with that for most of the time. Reads come at random:
 * one that meets a program waits for the rest of it, half a program on the average - or 100 us when
 * programs can be suspended. *expected: the same, from the bytes that were written. */
static double read_beside_writes(const char *suspend, double wait_us, double *expected)
{
	char text[300];
	const struct lab_load mixed = {.block = 4096,
		.read_share = 0.02,
		.random_share = 1,
		.outstanding = 512,
		.rate = 1300,
		.warmup_ns = 5 * LAB_S,
		.window_ns = 300 * LAB_S};
	struct io_phase_result result;
	struct sim_fleet *fleet;
	double mean, busy;

	str_format(text, sizeof(text),
		"units = 1\nread_us = 50\nprogram_us = 10000\nbuffer_bytes = 4M\n%s", suspend);
	fleet = lab_plain(text);
	result = lab_once(first(fleet, "plain"), &mixed);
	mean = (double)result.total.read_service.sum / (double)result.total.reads / 1e3;
	busy = (double)result.total.write_bytes / 65536 * 10e6 / (double)result.window_ns;
	*expected = 50 + busy * wait_us;
	assert_true(result.total.reads > 5000 && busy > 0.7 && busy < 0.9);
	free(result.lanes);
	sim_fleet_free(fleet);
	return mean;
}

static void programs_hold_reads_up(void **state)
{
	double whole, part;
	const double waits = read_beside_writes("", 5000, &whole);
	const double suspends = read_beside_writes("suspend_us = 100\n", 100, &part);

	(void)state;
	print_message("reads: %.0f us of %.0f, with suspension %.0f us of %.0f\n", waits, whole,
		suspends, part);
	assert_true(fabs(waits / whole - 1) < 0.05);
	assert_true(fabs(suspends / part - 1) < 0.05);
}

static void never_written_is_fast(void **state)
{
	const struct lab_load load = {.block = 4096,
		.read_share = 1,
		.random_share = 1,
		.outstanding = 1,
		.window_ns = LAB_S};
	struct sim_fleet *empty = lab_plain("units = 8\nread_us = 80\nprogram_us = 100\n"
					    "read_latency_us = 10\nused_pct = 0\n");
	struct sim_fleet *half = lab_plain("units = 8\nread_us = 80\nprogram_us = 100\n"
					   "read_latency_us = 10\nused_pct = 50\n");
	const struct io_phase_result none = lab_once(first(empty, "plain"), &load);
	const struct io_phase_result some = lab_once(first(half, "plain"), &load);

	(void)state;
	assert_true(fabs(lab_mean_us(&none) - 10) < 0.01);
	assert_true(fabs(lab_mean_us(&some) - 50) < 2);
	free(none.lanes);
	free(some.lanes);
	sim_fleet_free(empty);
	sim_fleet_free(half);
}

/* A stall of 1 s in 10 s at 10,000 arrivals per second: the few in flight see it in their service
 * time, all that arrive meanwhile in their response time. */
static void stalls_show_in_responses(void **state)
{
	const struct lab_load load = {.block = 4096,
		.read_share = 1,
		.random_share = 1,
		.outstanding = 32,
		.rate = 10000,
		.window_ns = 20 * LAB_S};
	struct sim_fleet *fleet = lab_plain("units = 64\nread_us = 80\nprogram_us = 100\n"
					    "stall_every_s = 10\nstall_s = 1\n");
	const struct io_phase_result run = lab_once(first(fleet, "plain"), &load);
	uint64_t response, service, longest;

	(void)state;
	assert_true(hist_percentile(&run.total.response, 0.99, &response, NULL));
	assert_true(hist_percentile(&run.total.service, 0.99, &service, NULL));
	longest = run.total.service.max;
	print_message("response p99 %.3f s, service p99 %.0f us, longest %.3f s\n",
		(double)response / 1e9, (double)service / 1e3, (double)longest / 1e9);
	assert_true(response > 850 * LAB_MS && response < LAB_S);
	assert_true(service < 400 * LAB_US);
	assert_true(longest > 990 * LAB_MS && longest < 1010 * LAB_MS);
	assert_int_equal(run.total.scheduled, run.total.reads);
	free(run.lanes);
	sim_fleet_free(fleet);
}

/* ---- repetition ------------------------------------------------------------------------------ */

static void same_tally(const struct io_tally *a, const struct io_tally *b, bool same)
{
	if (same) {
		assert_memory_equal(a, b, sizeof(*a));
		return;
	}
	assert_true(memcmp(a, b, sizeof(*a)) != 0);
}

static struct io_phase_result mixed_run(uint64_t seed, uint8_t *smart)
{
	const struct lab_load load = {.block = 16384,
		.read_share = 0.6,
		.random_share = 0.8,
		.outstanding = 24,
		.rate = 60000,
		.warmup_ns = 50 * LAB_MS,
		.window_ns = 300 * LAB_MS};
	struct sim_fleet *fleet = lab_demo();
	struct sim_namespace *drives[] = {
		first(fleet, "p5520"), first(fleet, "p5"), first(fleet, "ailing")};
	struct lab_bench bench;

	lab_open(&bench, drives, 3, load.outstanding, load.block, seed);
	const struct io_phase_result result = lab_run(&bench, &load);

	io_pool_destroy(bench.pool);
	sim_pages_smart(drives[2]->drive, smart);
	sim_fleet_free(fleet);
	return result;
}

static void same_seed_repeats(void **state)
{
	uint8_t smart[3][SIM_SMART_BYTES];
	const struct io_phase_result a = mixed_run(42, smart[0]), b = mixed_run(42, smart[1]);
	const struct io_phase_result c = mixed_run(43, smart[2]);

	(void)state;
	same_tally(&a.total, &b.total, true);
	same_tally(&a.total, &c.total, false);
	for (int i = 0; i < 3; i++)
		same_tally(&a.lanes[i], &b.lanes[i], true);
	assert_memory_equal(smart[0], smart[1], SIM_SMART_BYTES);
	assert_int_equal(a.worker_cpu_pct, 0);
	free(a.lanes);
	free(b.lanes);
	free(c.lanes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_fall_off),
		cmocka_unit_test(cache_ends),
		cmocka_unit_test(collection_costs),
		cmocka_unit_test(counters_are_exact),
		cmocka_unit_test(media_errors_show),
		cmocka_unit_test(load_heats),
		cmocka_unit_test(heat_throttles),
		cmocka_unit_test(programs_hold_reads_up),
		cmocka_unit_test(never_written_is_fast),
		cmocka_unit_test(stalls_show_in_responses),
		cmocka_unit_test(same_seed_repeats),
	};

	return cmocka_run_group_tests_name("sim/behaviour", tests, NULL, NULL);
}
