/* The sampler with a transport that answers, refuses, or never comes back. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "base/jobs.h"
#include "nvme/page.h"
#include "sweep/sampler.h"

/* What the pretended controllers do. */
static struct fake {
	struct transport transport; /* first */
	_Atomic int smart_calls, environment_calls;
	_Atomic bool hang, refuse, empty_with_retain, narrowed;
	int temperature_k;
} fake;

static void wait_while_hanging(void)
{
	const struct timespec moment = {.tv_nsec = 1000000};

	while (atomic_load(&fake.hang))
		nanosleep(&moment, NULL);
}

static int fake_get_log(struct transport *t, const char *controller,
	const struct log_request *request, void *buf, size_t *got, struct nvme_status *status,
	struct err *err)
{
	uint8_t *bytes = buf;

	(void)t;
	(void)controller;
	(void)status;
	atomic_fetch_add(&fake.smart_calls, 1);
	wait_while_hanging();
	if (atomic_load(&fake.refuse))
		return err_set(err, -EREMOTEIO, "refused");
	assert_int_equal(request->log_id, NVME_LOG_SMART);
	assert_true(request->nsid == 0xffffffff);
	assert_int_equal(request->length, NVME_SMART_BYTES);
	memset(bytes, 0, NVME_SMART_BYTES);
	*got = NVME_SMART_BYTES;
	if (atomic_load(&fake.empty_with_retain) && request->retain_event)
		return 0;
	page_put_u16(bytes, 1, (uint16_t)fake.temperature_k);
	page_put_u128(bytes, 112, 77); /* power cycles */
	return 0;
}

static void fake_environment(struct transport *t, const char *controller, struct environment *out)
{
	(void)t;
	memset(out, 0, sizeof(*out));
	atomic_fetch_add(&fake.environment_calls, 1);
	wait_while_hanging();
	out->sensor_count = 1;
	out->sensors[0].value_mc = (struct field_int){true, controller[4] == '1' ? 55500 : 41000};
	if (!atomic_load(&fake.narrowed))
		return;
	out->link_gts = 8;
	out->link_width = 2;
	out->link_max_gts = out->slot_max_gts = 16;
	out->link_max_width = out->slot_max_width = 4;
}

static const struct transport_ops fake_ops = {
	.name = "fake", .live = true, .get_log = fake_get_log, .environment = fake_environment};

static const char *const names[] = {"nvme0", "", "nvme1", "nvme0"};

static struct jobs *jobs;

static int setup(void **state)
{
	(void)state;
	memset(&fake, 0, sizeof(fake));
	fake.transport.ops = &fake_ops;
	fake.temperature_k = 310;
	return jobs_create(&jobs, NULL);
}

static int teardown(void **state)
{
	(void)state;
	const struct timespec moment = {.tv_nsec = 1000000};

	atomic_store(&fake.hang, false);
	/* A busy thread would be left behind with what it uses. */
	while (jobs_busy_ns(jobs, "nvme0") || jobs_busy_ns(jobs, "nvme1"))
		nanosleep(&moment, NULL);
	jobs_destroy(jobs);
	return 0;
}

static void tick_until_known(struct sampler *sampler)
{
	const struct timespec moment = {.tv_nsec = 2000000};

	for (int i = 0; i < 5000 && isnan(sampler_temperature(sampler)); i++) {
		sampler_tick(sampler);
		nanosleep(&moment, NULL);
	}
}

static void test_answers(void **state)
{
	struct sampler *sampler = sampler_create(jobs, &fake.transport, names, 4);
	struct smart smart;

	(void)state;
	assert_true(isnan(sampler_temperature(sampler)));
	assert_false(sampler_smart(sampler, "nvme0", &smart));
	sampler_ask_smart(sampler);
	sampler_wait_smart(sampler, 10000, NULL, NULL);
	assert_int_equal(atomic_load(&fake.smart_calls), 2); /* each controller once */
	assert_true(sampler_smart(sampler, "nvme0", &smart));
	assert_true(smart.temperature_c.reported && smart.temperature_c.value == 37);
	assert_true(smart.power_cycles.value == 77);
	assert_true(sampler_smart(sampler, "nvme1", &smart));
	assert_false(sampler_smart(sampler, "", &smart));
	assert_false(sampler_smart(sampler, "nvme2", &smart));
	tick_until_known(sampler);
	/* The hottest of those known. */
	assert_true(sampler_temperature(sampler) == 41 || sampler_temperature(sampler) == 55.5);
	assert_string_equal(sampler_link_fault(sampler), "");
	sampler_destroy(sampler);
}

static void test_empty_page(void **state)
{
	struct sampler *sampler = sampler_create(jobs, &fake.transport, names, 1);
	struct smart smart;

	(void)state;
	/* Some firmware returns nothing while events are retained: asked once more without. */
	atomic_store(&fake.empty_with_retain, true);
	sampler_ask_smart(sampler);
	sampler_wait_smart(sampler, 10000, NULL, NULL);
	assert_int_equal(atomic_load(&fake.smart_calls), 2);
	assert_true(sampler_smart(sampler, "nvme0", &smart));
	/* The next round forgets the answer of the last one. */
	atomic_store(&fake.refuse, true);
	sampler_ask_smart(sampler);
	sampler_wait_smart(sampler, 10000, NULL, NULL);
	assert_false(sampler_smart(sampler, "nvme0", &smart));
	sampler_destroy(sampler);
}

static bool at_once(void *user)
{
	(void)user;
	return true;
}

/* A drive that does not answer holds up nothing, and is not asked again. */
static void test_hanging(void **state)
{
	struct sampler *sampler = sampler_create(jobs, &fake.transport, names, 1);
	struct smart smart;

	(void)state;
	atomic_store(&fake.hang, true);
	sampler_ask_smart(sampler);
	sampler_wait_smart(sampler, 30, NULL, NULL);
	assert_false(sampler_smart(sampler, "nvme0", &smart));
	sampler_wait_smart(sampler, 3600000, at_once, NULL); /* cancelled */
	for (int i = 0; i < 5; i++) {
		sampler_tick(sampler);
		sampler_ask_smart(sampler);
	}
	sampler_wait_smart(sampler, 20, NULL, NULL);
	assert_true(atomic_load(&fake.smart_calls) <= 1);
	assert_true(isnan(sampler_temperature(sampler)));
	sampler_destroy(sampler); /* while the command is out */
	atomic_store(&fake.hang, false);
}

static void test_link(void **state)
{
	struct sampler *sampler = sampler_create(jobs, &fake.transport, names, 1);

	(void)state;
	atomic_store(&fake.narrowed, true);
	tick_until_known(sampler);
	assert_non_null(strstr(sampler_link_fault(sampler), "nvme0"));
	assert_non_null(strstr(sampler_link_fault(sampler), "x2"));
	sampler_destroy(sampler);
}

static void test_nothing_to_ask(void **state)
{
	struct sampler *without_jobs = sampler_create(NULL, NULL, names, 4);
	struct sampler *without_names = sampler_create(jobs, &fake.transport, names + 1, 1);
	struct smart smart;

	(void)state;
	sampler_ask_smart(without_jobs);
	sampler_wait_smart(without_jobs, 3600000, NULL, NULL); /* returns at once */
	sampler_tick(without_jobs);
	assert_true(isnan(sampler_temperature(without_jobs)));
	assert_false(sampler_smart(without_jobs, "nvme0", &smart));
	sampler_ask_smart(without_names);
	sampler_wait_smart(without_names, 3600000, NULL, NULL);
	sampler_tick(without_names);
	assert_int_equal(atomic_load(&fake.smart_calls), 0);
	sampler_destroy(without_jobs);
	sampler_destroy(without_names);
	assert_int_equal(sampler_kernel_workers(), 0);
}

#define EACH(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(test_answers),
		EACH(test_empty_page),
		EACH(test_hanging),
		EACH(test_link),
		EACH(test_nothing_to_ask),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
