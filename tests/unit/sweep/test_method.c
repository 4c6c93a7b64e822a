/* The methods against a modelled drive: what is measured, in what order, and what follows. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "sweep/method.h"
#include "sweep/method_context.h"

#define STEPS 128

/* A drive that answers in service_us, at most so many IOPS at a depth. */
struct model {
	struct method_context context;
	double (*closed)(uint32_t outstanding);
	double ceiling; /* in an open loop */
	int fail_at;    /* step that fails; -1 none */
	int fail_code;
	struct method_step steps[STEPS];
	int count;
	struct run_point maximum;
	int maxima;
	double plan[64];
	size_t plan_count;
	uint32_t steps_planned;
	double seconds_planned;
};

static int measure(struct method_context *context, const struct method_step *step,
	struct run_point *out, struct err *err)
{
	struct model *m = context->user;

	run_point_clear(out);
	assert_true(m->count < STEPS);
	if (m->count == m->fail_at)
		return m->fail_code == -ECANCELED ? m->fail_code
						  : err_set(err, m->fail_code, "broken");
	m->steps[m->count++] = *step;
	out->percent = step->percent;
	out->asked_iops = step->rate_iops;
	out->outstanding_limit = step->outstanding;
	out->count = 1000;
	out->iops = step->rate_iops > 0 ? fmin(step->rate_iops, m->ceiling)
					: m->closed(step->outstanding);
	return 0;
}

static void set_maximum(struct method_context *context, const struct run_point *maximum)
{
	struct model *m = context->user;

	m->maximum = *maximum;
	m->maxima++;
}

static void set_plan(struct method_context *context, const double *percents, size_t count,
	uint32_t steps, double seconds)
{
	struct model *m = context->user;

	memcpy(m->plan, percents, count * sizeof(*percents));
	m->plan_count = count;
	m->steps_planned = (uint32_t)m->count + steps;
	m->seconds_planned = seconds;
}

static double rising(uint32_t outstanding)
{
	return outstanding * 1000.0;
}

/* Fastest at a quarter of the depth, as a drive that falls off past its peak. */
static double falling(uint32_t outstanding)
{
	return outstanding > 32 ? 90000 : outstanding * 3000.0;
}

static double dead(uint32_t outstanding)
{
	(void)outstanding;
	return 0;
}

static struct options options;
static struct workload workload;

static void run(struct model *m, const struct method_ops *ops, uint32_t outstanding, int expected)
{
	struct err err;

	err_clear(&err);
	workload.outstanding = outstanding;
	m->context = (struct method_context){.workload = &workload,
		.options = &options,
		.outstanding = outstanding,
		.targets = 1,
		.user = m,
		.measure = measure,
		.set_maximum = set_maximum,
		.set_plan = set_plan};
	assert_int_equal(ops->run(&m->context, &err), expected);
}

static int setup(void **state)
{
	(void)state;
	options_defaults(&options);
	options.warmup_s = 1;
	options.point_s = 8;
	return 0;
}

static void test_curve(void **state)
{
	struct model m = {.closed = rising, .ceiling = 128000, .fail_at = -1};
	static const uint32_t depths[] = {16, 32, 64, 128};
	uint32_t steps;
	double seconds;

	(void)state;
	run(&m, &method_curve, 128, 0);
	assert_int_equal(m.count, 4 + 12);
	for (int i = 0; i < 4; i++) {
		assert_true(m.steps[i].search);
		assert_int_equal(m.steps[i].outstanding, depths[i]);
		assert_true(m.steps[i].rate_iops == 0);
		assert_true(m.steps[i].window_s == 2 && m.steps[i].warmup_s == 1);
	}
	assert_int_equal(m.maxima, 1);
	assert_true(m.maximum.iops == 128000);
	for (int i = 0; i < 12; i++) {
		const struct method_step *s = &m.steps[4 + i];

		assert_false(s->search);
		assert_true(fabs(s->percent - 10 * (i + 1)) < 1e-9);
		assert_true(fabs(s->rate_iops - 12800 * (i + 1)) < 1e-6);
		assert_int_equal(s->outstanding, 128);
		assert_true(s->window_s == 8 && s->warmup_s == 1);
	}
	assert_string_equal(m.steps[4].label, "10 %");
	assert_int_equal(m.plan_count, 12);
	method_curve.plan(&options, &workload, &steps, &seconds);
	assert_int_equal(steps, 16);
	assert_true(fabs(seconds - (4 * 3 + 12 * 9)) < 1e-9);
	assert_int_equal(m.steps_planned, 16);
}

/* The best of the searches counts, whatever its depth. */
static void test_maximum_at_lower_depth(void **state)
{
	struct model m = {.closed = falling, .ceiling = 96000, .fail_at = -1};

	(void)state;
	run(&m, &method_curve, 128, 0);
	assert_true(m.maximum.iops == 96000);
	assert_int_equal(m.maximum.outstanding_limit, 32);
	assert_true(fabs(m.steps[4].rate_iops - 9600) < 1e-6);
	assert_int_equal(m.steps[4].outstanding, 128); /* points may use all of them */
}

static void test_few_outstanding(void **state)
{
	struct model m = {.closed = rising, .ceiling = 1e9, .fail_at = -1};

	(void)state;
	options.point_count = 1;
	run(&m, &method_curve, 1, 0);
	assert_int_equal(m.count, 2); /* 1/8, 1/4 and 1/2 of one are the same search */
	memset(&m.count, 0, sizeof(m.count));
	run(&m, &method_curve, 8, 0);
	assert_int_equal(m.steps[0].outstanding, 1);
	assert_int_equal(m.steps[3].outstanding, 8);
	assert_int_equal(m.count, 5);
}

/* The drive gives more than the search saw: the grid goes on until it was asked for more than it
 * can give. */
static void test_grid_extends(void **state)
{
	struct model m = {.closed = rising, .ceiling = 128000 * 1.43, .fail_at = -1};

	(void)state;
	run(&m, &method_curve, 128, 0);
	/* 130 (next to 120 achieved), 140, 150 (143 achieved + 10), and no further. */
	assert_int_equal(m.count, 4 + 15);
	assert_true(fabs(m.steps[4 + 14].percent - 150) < 1e-9);
	assert_int_equal(m.plan_count, 15);
	assert_int_equal(m.steps_planned, 4 + 15);

	/* 4 % more is within what the maximum may be off. */
	memset(&m.count, 0, sizeof(m.count));
	m.ceiling = 128000 * 1.04;
	run(&m, &method_curve, 128, 0);
	assert_int_equal(m.count, 4 + 12);
	/* Nor does a list that ends just above the maximum go on for 4 %; for 6 % it does. */
	m.ceiling = 1e9;
	options.point_count = 1;
	options.points[0] = 104;
	m.count = 0;
	run(&m, &method_curve, 128, 0);
	assert_int_equal(m.count, 4 + 1);
	options.points[0] = 106;
	m.count = 0;
	m.ceiling = 128000 * 1.10;
	run(&m, &method_curve, 128, 0);
	assert_int_equal(m.count, 4 + 2); /* 106 and 116, which gave 110 */
	options_defaults(&options);
	/* 9 % more than the maximum lies inside the grid of 120 %. */
	m.count = 0;
	m.ceiling = 128000 * 1.09;
	run(&m, &method_curve, 128, 0);
	assert_int_equal(m.count, 4 + 12);
}

/* A model without a ceiling must not go on for ever. */
static void test_grid_ends(void **state)
{
	struct model m = {.closed = rising, .ceiling = 1e12, .fail_at = -1};

	(void)state;
	run(&m, &method_curve, 128, 0);
	assert_true(m.count <= 4 + 64);
	assert_true(m.steps[m.count - 1].percent <= 400);
}

static void test_curve_stops(void **state)
{
	struct model m = {.closed = rising, .ceiling = 1e6, .fail_at = 2, .fail_code = -ECANCELED};

	(void)state;
	run(&m, &method_curve, 128, -ECANCELED);
	assert_int_equal(m.count, 2);
	assert_int_equal(m.maxima, 0);
	m = (struct model){.closed = rising, .ceiling = 1e6, .fail_at = 9, .fail_code = -ENODEV};
	run(&m, &method_curve, 128, -ENODEV);
	assert_int_equal(m.count, 9);
	m = (struct model){.closed = dead, .ceiling = 1e6, .fail_at = -1};
	run(&m, &method_curve, 128, -EIO);
	assert_int_equal(m.maxima, 0);
}

static void test_depth(void **state)
{
	struct model m = {.closed = rising, .ceiling = 1e6, .fail_at = -1};
	uint32_t steps;
	double seconds;

	(void)state;
	run(&m, &method_depth, 128, 0);
	assert_int_equal(m.count, 10);
	for (int i = 0; i < 10; i++) {
		assert_int_equal(m.steps[i].outstanding, 1u << i);
		assert_true(m.steps[i].rate_iops == 0 && m.steps[i].percent == 0);
	}
	assert_int_equal(method_depth.outstanding(&options, &workload), 512);
	method_depth.plan(&options, &workload, &steps, &seconds);
	assert_true(steps == 10 && fabs(seconds - 90) < 1e-9);
}

static void test_fixed(void **state)
{
	struct model m = {.closed = rising, .ceiling = 1e6, .fail_at = -1};
	uint32_t steps;
	double seconds;

	(void)state;
	run(&m, &method_fixed, 32, 0);
	assert_int_equal(m.count, 1);
	assert_int_equal(m.steps[0].outstanding, 32);
	assert_true(m.steps[0].window_s == 8 && m.steps[0].warmup_s == 1 && !m.steps[0].bytes);
	method_fixed.plan(&options, &workload, &steps, &seconds);
	assert_true(steps == 1 && seconds == 9);
	/* Exactly so many bytes: nothing before them. */
	m.count = 0;
	options.bytes = 1 << 30;
	options.rate_iops = 500;
	run(&m, &method_fixed, 32, 0);
	assert_true(m.steps[0].bytes == 1 << 30 && m.steps[0].warmup_s == 0);
	assert_true(m.steps[0].rate_iops == 500);
	method_fixed.plan(&options, &workload, &steps, &seconds);
	assert_true(isnan(seconds));
}

static void test_find(void **state)
{
	struct err err;
	size_t count;

	(void)state;
	err_clear(&err);
	assert_ptr_equal(method_find("curve", &err), &method_curve);
	assert_null(method_find("curv", &err));
	assert_non_null(strstr(err.text, "curve"));
	assert_int_equal(err.exit, ERR_EXIT_USAGE);
	assert_null(method_find("", &err));
	assert_non_null(method_list(&count));
	assert_int_equal(count, 3);
}

#define EACH(f) cmocka_unit_test_setup(f, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(test_curve),
		EACH(test_maximum_at_lower_depth),
		EACH(test_few_outstanding),
		EACH(test_grid_extends),
		EACH(test_grid_ends),
		EACH(test_curve_stops),
		EACH(test_depth),
		EACH(test_fixed),
		EACH(test_find),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
