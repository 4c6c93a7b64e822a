/* The method of the quick check against a modelled drive with a clock: what is measured, that it
 * never writes, and that it is over in time whatever the drive does. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "result/check.h"
#include "sweep/method.h"
#include "sweep/method_check.h"
#include "sweep/method_context.h"

#define STEPS 32
#define WHOLE_S 60.0
/* Outside of the method: pages before and after it (5 and 2 s). */
#define AROUND_S 7.0

struct model {
	struct method_context context;
	double clock_s, drain_s; /* what each step takes beyond its windows */
	double iops;             /* of the drive at its best; 0 dead */
	int fail_at, fail_code;
	struct method_step steps[STEPS];
	int count;
	struct run_point maximum;
	int maxima;
};

static double elapsed_s(const struct method_context *context)
{
	const struct model *m = context->user;

	return m->clock_s;
}

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
	m->clock_s += step->warmup_s + step->window_s + m->drain_s;
	out->outstanding_limit = step->outstanding;
	out->iops = fmin(step->rate_iops > 0 ? step->rate_iops : 1e9,
		m->iops * fmin(1, step->outstanding / 64.0));
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
	(void)context;
	assert_int_equal(count, CHECK_CURVE_POINTS);
	assert_true(percents[count - 1] == 100);
	assert_true(steps > 0 && seconds >= 0);
}

static struct options options;
static struct workload *workload;

static void run(struct model *m, int expected)
{
	struct err err;

	err_clear(&err);
	m->context = (struct method_context){.workload = workload,
		.options = &options,
		.outstanding = workload->outstanding,
		.targets = 1,
		.user = m,
		.elapsed_s = elapsed_s,
		.measure = measure,
		.set_maximum = set_maximum,
		.set_plan = set_plan};
	assert_int_equal(method_check.run(&m->context, &err), expected);
}

static int setup(void **state)
{
	(void)state;
	check_options(&options);
	return check_workload(&workload, NULL);
}

static int teardown(void **state)
{
	(void)state;
	workload_free(workload);
	return 0;
}

static void test_steps(void **state)
{
	static const uint32_t depths[] = {16, 64, 128};
	static const double percents[] = {25, 50, 75, 90, 100};
	struct model m = {.iops = 400000, .fail_at = -1};
	uint32_t steps;
	double seconds;

	(void)state;
	run(&m, 0);
	assert_int_equal(m.count, 1 + 3 + 5 + 1);
	assert_int_equal(m.steps[0].outstanding, 1);
	assert_string_equal(m.steps[0].load_name, CHECK_LOAD_RANDOM);
	for (int i = 0; i < 3; i++) {
		assert_true(m.steps[1 + i].search && m.steps[1 + i].rate_iops == 0);
		assert_int_equal(m.steps[1 + i].outstanding, depths[i]);
	}
	assert_int_equal(m.maxima, 1);
	assert_true(m.maximum.iops == 400000);
	assert_int_equal(m.maximum.outstanding_limit, 64); /* the first that reaches it */
	for (int i = 0; i < 5; i++) {
		assert_true(m.steps[4 + i].percent == percents[i] && !m.steps[4 + i].search);
		assert_true(fabs(m.steps[4 + i].rate_iops - 4000 * percents[i]) < 1e-6);
		assert_int_equal(m.steps[4 + i].outstanding, CHECK_OUTSTANDING);
	}
	assert_string_equal(m.steps[9].load_name, CHECK_LOAD_SEQUENTIAL);
	assert_true(m.steps[9].rate_iops == 0 && m.steps[9].percent == 0);
	method_check.plan(&options, workload, &steps, &seconds);
	assert_int_equal(steps, 10);
	assert_true(fabs(seconds - 37.5) < 1e-9 && fabs(m.clock_s - 37.5) < 1e-9);
}

/* Whatever drive: the last step ends in time, with what it takes to finish in-flight I/O. */
static void test_in_time(void **state)
{
	(void)state;
	for (double drain = 0; drain <= 5; drain += 0.25) {
		struct model m = {.iops = 90, .fail_at = -1, .drain_s = drain, .clock_s = 2};

		run(&m, 0);
		assert_true(m.clock_s + AROUND_S <= WHOLE_S);
		assert_true(m.count >= 6);
		for (int i = 0; i < m.count; i++)
			assert_true(m.steps[i].window_s >= 0.5 - 1e-9);
	}
	/* No time left at all: nothing is begun. */
	struct model late = {.iops = 90, .fail_at = -1, .clock_s = 46};

	run(&late, 0);
	assert_int_equal(late.count, 0);
}

static void test_shorter_never_longer(void **state)
{
	struct model m = {.iops = 1000, .fail_at = -1}, again = m;

	(void)state;
	options.point_s = 0.2;
	options.warmup_s = 0;
	run(&m, 0);
	assert_int_equal(m.count, 10);
	assert_true(fabs(m.clock_s - 2) < 1e-9);
	options.point_s = 600;
	options.warmup_s = 60;
	run(&again, 0);
	assert_true(fabs(again.clock_s - 37.5) < 1e-9);
}

static void test_ends(void **state)
{
	struct model m = {.iops = 1000, .fail_at = 3, .fail_code = -ECANCELED};

	(void)state;
	run(&m, -ECANCELED);
	assert_true(m.count == 3 && !m.maxima);
	m = (struct model){.iops = 1000, .fail_at = 7, .fail_code = -ENODEV};
	run(&m, -ENODEV);
	assert_int_equal(m.count, 7);
	/* nothing completes: no curve of it, the rest is tried */
	m = (struct model){.iops = 0, .fail_at = -1};
	run(&m, 0);
	assert_int_equal(m.count, 1 + 3 + 1);
	assert_int_equal(m.maxima, 0);
}

/* Nothing that can be set makes it write. */
static void test_no_parameter_writes(void **state)
{
	static const char *const writers[] = {
		"prepare=area", "prepare=device", "read_pct=0", "read_pct=99", "prepare_passes=3"};
	struct err err;

	(void)state;
	assert_int_equal(options_check(&options, CHECK_METHOD, NULL), 0);
	for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); i++) {
		err_clear(&err);
		check_options(&options);
		assert_int_equal(options_set(&options, writers[i], &err), 0);
		assert_true(options_check(&options, CHECK_METHOD, &err) < 0);
		assert_int_equal(err.exit, ERR_EXIT_USAGE);
	}
}

/* Its loads read, also beside a workload that writes. */
static void test_never_writes(void **state)
{
	struct io_load loads[METHOD_LOADS_MAX];
	struct workload *writer = NULL;
	struct err err;

	(void)state;
	err_clear(&err);
	assert_int_equal(workload_load("rand-write-4k", &writer, &err), 0);
	const size_t count = method_check.loads(&options, writer, loads);

	assert_int_equal(count, 2);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(loads[i].stream_count, 1);
		assert_true(loads[i].streams[0].read_share == 1);
		assert_true(loads[i].outstanding <= CHECK_OUTSTANDING);
	}
	assert_int_equal(loads[0].streams[0].read_mix.size[0].bytes, 4096);
	assert_true(loads[0].streams[0].random_share == 1);
	assert_int_equal(loads[1].streams[0].read_mix.size[0].bytes, 131072);
	assert_true(loads[1].streams[0].random_share == 0);
	assert_false(workload->writes);
	/* and another workload is not taken: the record would not be true */
	assert_string_equal(method_check.origin, workload->origin);
	assert_string_not_equal(method_check.origin, writer->origin);
	workload_free(writer);
}

static void test_found_but_not_offered(void **state)
{
	const struct method_ops *const *list;
	size_t count;

	(void)state;
	assert_ptr_equal(method_find("check", NULL), &method_check);
	list = method_list(&count);
	for (size_t i = 0; i < count; i++)
		assert_ptr_not_equal(list[i], &method_check);
}

#define EACH(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(test_steps),
		EACH(test_in_time),
		EACH(test_shorter_never_longer),
		EACH(test_ends),
		EACH(test_no_parameter_writes),
		EACH(test_never_writes),
		EACH(test_found_but_not_offered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
