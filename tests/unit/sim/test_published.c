/* Simulated drives against the published figures of their models: every row of the reviews that
 * their parameters were fitted to, at the row's own outstanding count. Prints the table. */
#include "lab.h"

#include <math.h>

#include "base/units.h"
#include "stats/curve.h"

#define TOLERANCE 0.15
#define ROWS_MAX 512

struct row {
	char drive[40], capacity[16], workload[32], confidence[16];
	double group, start_iops, start_us, peak_iops, peak_us, outstanding;
};

static const struct model {
	const char *drive, *capacity, *simulated;
} models[] = {
	{"Samsung PM9A3", "7.68TB", "pm9a3"},
	{"Intel P4510", "8TB", "p4510"},
	{"Solidigm P5520", "7.68TB", "p5520"},
	{"Crucial P5", "2TB", "p5"},
	{"Intel P5510", "7.68TB", "p5510"},
};

/* The loads of METHODS 3 whose mix is published or plain. held: their figures must fit; the others
 * are printed. */
static const struct profile {
	const char *id;
	uint32_t block;
	double read_share, random_share;
	bool held;
} profiles[] = {
	{"rand-read-4k", 4096, 1, 1, true},
	{"rand-write-4k", 4096, 0, 1, true},
	{"seq-read-64k", 65536, 1, 0, true},
	{"mix-8k-70r", 8192, 0.7, 1, true},
	{"mix-4k-70r", 4096, 0.7, 1, false},
	{"mix-16k-70r", 16384, 0.7, 1, false},
	{"seq-write-64k", 65536, 0, 0, false},
	{"seq-read-16k", 16384, 1, 0, false},
	{"seq-write-16k", 16384, 0, 0, false},
	{"sql", 8192, 0.97, 1, false},
	{"sql-90-10", 8192, 0.9, 1, false},
	{"sql-80-20", 8192, 0.8, 1, false},
	{"oracle-90-10", 8192, 0.9, 1, false},
	{"oracle-80-20", 8192, 0.8, 1, false},
};

static struct row rows[ROWS_MAX];
static size_t row_count;

static double number(const char *text)
{
	double value;

	return *text && !units_parse_double(text, &value, NULL) ? value : NAN;
}

/* drive,capacity,drives_in_group,workload_id,start_iops,start_latency_us,peak_iops,
 * peak_latency_us,peak_mib_s_or_gbps,littles_concurrency,confidence,basis,review */
static void read_row(char *line)
{
	char *field[13], *at = line;
	struct row *row = &rows[row_count];

	for (int i = 0; i < 13; i++) {
		field[i] = at ? strsep(&at, ",") : (char[]){""};
		str_trim(field[i]);
	}
	row->group = number(field[2]);
	if (row_count == ROWS_MAX || !(row->group > 0))
		return;
	str_copy(row->drive, sizeof(row->drive), field[0]);
	str_copy(row->capacity, sizeof(row->capacity), field[1]);
	str_copy(row->workload, sizeof(row->workload), field[3]);
	str_copy(row->confidence, sizeof(row->confidence), field[10]);
	row->start_iops = number(field[4]) / row->group;
	row->start_us = number(field[5]);
	row->peak_iops = number(field[6]) / row->group;
	row->peak_us = number(field[7]);
	row->outstanding = number(field[9]);
	row_count++;
}

static bool read_reference(void)
{
	const char *shared = getenv("NVSWEEP_SHARED");
	char path[512], line[512];
	FILE *file;

	str_format(path, sizeof(path), "%s/reference/reference-drives.csv",
		shared ? shared : "../shared");
	file = fopen(path, "r");
	if (!file)
		return false;
	while (fgets(line, sizeof(line), file))
		read_row(line);
	fclose(file);
	return row_count > 0;
}

static double off(double simulated, double published)
{
	return simulated / published - 1;
}

/* One figure beside the published one; returns the number of misses. */
static int compare(const struct row *row, bool held, const char *what, const char *unit,
	double published, double simulated)
{
	const double difference = off(simulated, published);
	const bool miss = !(fabs(difference) <= TOLERANCE);

	print_message("%-15s %s %-13s %-12s %10.0f %10.0f %-4s %+6.1f %% %s\n", row->drive,
		row->group > 1 ? "1/8" : "   ", row->workload, what, published, simulated, unit,
		100 * difference, miss ? held ? "MISS" : "(off)" : "");
	return miss && held;
}

static int compare_row(
	const struct row *row, const struct profile *profile, struct sim_namespace *ns)
{
	const bool held = profile->held && strcmp(row->confidence, "low") != 0;
	struct lab_load load = {
		.block = profile->block,
		.read_share = profile->read_share,
		.random_share = profile->random_share,
		.outstanding = (uint32_t)lround(row->outstanding),
		.warmup_ns = LAB_S / 5,
		.window_ns = 3 * LAB_S / 10,
		.seed = 11,
	};
	int misses = 0;

	if (!isnan(row->start_iops)) {
		load.rate = row->start_iops;
		const struct io_phase_result start = lab_once(ns, &load);

		misses += compare(row, held, "start", "us", row->start_us, lab_mean_us(&start));
		free(start.lanes);
	}
	load.rate = 0;
	const struct io_phase_result peak = lab_once(ns, &load);

	misses += compare(row, held, "peak", "IOPS", row->peak_iops, lab_iops(&peak));
	misses += compare(row, held, "latency", "us", row->peak_us, lab_mean_us(&peak));
	free(peak.lanes);
	return misses;
}

/* The reviews measure drives that have been written to for hours: no fast cache is left. */
static void use_up_cache(struct sim_namespace *ns)
{
	const struct lab_load fill = {
		.block = 1 << 17,
		.outstanding = 32,
		.total_bytes = (uint64_t)(ns->drive->is.cache_bytes * 1.1) & ~UINT64_C(0x1ffff),
	};

	if (fill.total_bytes) {
		const struct io_phase_result result = lab_once(ns, &fill);

		free(result.lanes);
	}
}

static int compare_model(const struct model *model, const struct sim_fleet *fleet, int *compared)
{
	struct sim_namespace *ns = sim_fleet_namespace(fleet, model->simulated);
	int misses = 0;

	assert_non_null(ns);
	use_up_cache(ns);
	for (size_t r = 0; r < row_count; r++) {
		if (strcmp(rows[r].drive, model->drive) ||
			strcmp(rows[r].capacity, model->capacity))
			continue;
		for (size_t p = 0; p < sizeof(profiles) / sizeof(profiles[0]); p++) {
			if (strcmp(rows[r].workload, profiles[p].id) || isnan(rows[r].outstanding))
				continue;
			*compared += profiles[p].held;
			misses += compare_row(&rows[r], &profiles[p], ns);
		}
	}
	return misses;
}

static void published_figures(void **state)
{
	struct sim_fleet *fleet;
	int misses = 0, compared = 0;

	(void)state;
	if (!read_reference()) {
		print_message("the published figures are not here (NVSWEEP_SHARED)\n");
		skip();
	}
	fleet = lab_demo();
	print_message("%-15s     %-13s %-12s %10s %10s\n", "drive", "load", "figure", "published",
		"simulated");
	for (size_t m = 0; m < sizeof(models) / sizeof(models[0]); m++)
		misses += compare_model(&models[m], fleet, &compared);
	sim_fleet_free(fleet);
	/* PM9A3 3 + 3 of the group, P4510 3, P5520 4, P5 3, P5510 3 */
	assert_int_equal(compared, 19);
	assert_int_equal(misses, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_figures),
	};

	return cmocka_run_group_tests_name("sim/published", tests, NULL, NULL);
}
