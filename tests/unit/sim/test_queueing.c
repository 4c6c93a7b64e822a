/* Simulated drives of one kind of unit against queueing theory: arrivals at random, service constant
 * or exponential, one or four units. Everything runs through the real engine in virtual time. */
#include "lab.h"

#include <math.h>

#define SERVICE_US 100.0
#if LAB_SANITIZED
#define ARRIVALS 200000
#define MEAN_TOLERANCE 0.08
#else
#define ARRIVALS 2000000
#define MEAN_TOLERANCE 0.03
#endif
/* A bucket's width, and one percent. */
#define PERCENTILE_TOLERANCE (1.0 / 128 + 0.01)

/* Mean wait of M/M/c in service times (Erlang's C formula). */
static double wait_exponential(int c, double rho)
{
	double sum = 0, term = 1;

	for (int k = 0; k < c; k++) {
		sum += term;
		term *= c * rho / (k + 1);
	}
	const double waits = term / (1 - rho) / (sum + term / (1 - rho));

	return waits / (c * (1 - rho));
}

static double poisson_tail(double mean, int from)
{
	double term = exp(from * log(mean) - mean - lgamma(from + 1)), sum = 0;

	for (int k = from; term > 1e-18 || k <= mean; k++) {
		sum += term;
		term *= mean / (k + 1);
	}
	return sum;
}

/* Of M/D/c (Crommelin 1932). */
static double wait_constant(int c, double rho)
{
	double wait = 0, part = 1;

	for (int i = 1; i < 1000 && part > 1e-12; i++) {
		const double mean = i * rho * c;

		part = poisson_tail(mean, i * c) - poisson_tail(mean, i * c + 1) / rho;
		wait += part;
	}
	return wait;
}

static struct sim_fleet *units(int count, bool exponential)
{
	char text[400];

	str_format(text, sizeof(text),
		"[plain]\nmodel = PLAIN\nserial = 1\nsize = 1TB\nrated_bytes = 1TB\n"
		"latency_variation_pct = 0\nlink_gts = 0\nprogram_us = 1\n"
		"placement = any\nunits = %d\nread_us = %g\nread_variation_pct = %d\n",
		count, SERVICE_US, exponential ? 100 : 0);
	return lab_fleet_text(text);
}

static void check(const char *what, double expected, double found, double tolerance)
{
	print_message("%-26s expected %9.2f us, found %9.2f us, %+5.2f %%\n", what, expected, found,
		100 * (found / expected - 1));
	assert_true(fabs(found / expected - 1) <= tolerance);
}

static struct io_phase_result arrive(
	int count, bool exponential, double rho, uint32_t outstanding, double arrivals)
{
	const double rate = rho * count / (SERVICE_US * 1e-6);
	const struct lab_load load = {
		.block = 4096,
		.read_share = 1,
		.random_share = 1,
		.outstanding = outstanding,
		.rate = rate,
		.window_ns = (uint64_t)(arrivals / rate * 1e9),
		.seed = 3,
	};
	struct sim_fleet *fleet = units(count, exponential);
	const struct io_phase_result result = lab_once(&fleet->drives[0].namespaces[0], &load);

	sim_fleet_free(fleet);
	free(result.lanes);
	assert_true(fabs((double)result.total.reads / arrivals - 1) < 0.01);
	assert_int_equal(result.total.errors, 0);
	return result;
}

static double mean_us(const struct hist *hist)
{
	return (double)hist->sum / (double)hist->count / 1e3;
}

static double percentile_us(const struct hist *hist, double share)
{
	uint64_t ns = 0;

	assert_true(hist_percentile(hist, share / 100, &ns, NULL));
	return (double)ns / 1e3;
}

/* As many in flight as there are units: who waits, waits in the engine's backlog, and service is
 * that of the unit alone. */
static void wait_in_backlog(int count, bool exponential, double rho)
{
	const struct io_phase_result result =
		arrive(count, exponential, rho, (uint32_t)count, ARRIVALS);
	const double wait = exponential ? wait_exponential(count, rho) : wait_constant(count, rho);
	char what[64];

	str_format(what, sizeof(what), "M/%c/%d at %.1f: response", exponential ? 'M' : 'D', count,
		rho);
	check(what, SERVICE_US * (1 + wait), mean_us(&result.total.response), MEAN_TOLERANCE);
	check("  service mean", SERVICE_US, mean_us(&result.total.service), 0.01);
	for (int i = 0; i < 4; i++) {
		static const double shares[] = {50, 90, 99, 99.9};

		str_format(what, sizeof(what), "  service p%g", shares[i]);
		check(what, exponential ? -log(1 - shares[i] / 100) * SERVICE_US : SERVICE_US,
			percentile_us(&result.total.service, shares[i]), PERCENTILE_TOLERANCE);
	}
}

static void backlog_one_constant(void **state)
{
	(void)state;
	wait_in_backlog(1, false, 0.5);
	wait_in_backlog(1, false, 0.8);
}

static void backlog_four_constant(void **state)
{
	(void)state;
	wait_in_backlog(4, false, 0.5);
	wait_in_backlog(4, false, 0.8);
}

static void backlog_one_exponential(void **state)
{
	(void)state;
	wait_in_backlog(1, true, 0.5);
	wait_in_backlog(1, true, 0.8);
}

static void backlog_four_exponential(void **state)
{
	(void)state;
	wait_in_backlog(4, true, 0.5);
	wait_in_backlog(4, true, 0.8);
}

/* Any number in flight: who waits, waits in the drive, and service is response. */
static void wait_in_drive(void **state)
{
	(void)state;
	for (int count = 1; count <= 4; count += 3) {
		const struct io_phase_result constant =
			arrive(count, false, 0.7, 1024, ARRIVALS / 4);
		const struct io_phase_result exponential =
			arrive(count, true, 0.5, 1024, ARRIVALS / 4);

		check("in the drive, M/D/c at 0.7", SERVICE_US * (1 + wait_constant(count, 0.7)),
			mean_us(&constant.total.service), MEAN_TOLERANCE);
		check("in the drive, M/M/c at 0.5", SERVICE_US * (1 + wait_exponential(count, 0.5)),
			mean_us(&exponential.total.service), MEAN_TOLERANCE);
	}
}

/* The closed forms themselves: one unit has well-known ones. */
static void formulas(void **state)
{
	(void)state;
	for (double rho = 0.1; rho < 0.85; rho += 0.1) {
		assert_true(fabs(wait_exponential(1, rho) - rho / (1 - rho)) < 1e-9);
		assert_true(fabs(wait_constant(1, rho) - rho / (2 * (1 - rho))) < 1e-6);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formulas),
		cmocka_unit_test(backlog_one_constant),
		cmocka_unit_test(backlog_four_constant),
		cmocka_unit_test(backlog_one_exponential),
		cmocka_unit_test(backlog_four_exponential),
		cmocka_unit_test(wait_in_drive),
	};

	return cmocka_run_group_tests_name("sim/queueing", tests, NULL, NULL);
}
