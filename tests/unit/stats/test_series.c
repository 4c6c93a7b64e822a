/* The interval series: what a reader sees while a writer appends. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "stats/series.h"

#define COUNT 20000

/* Every field that is checked follows from the index. */
static struct interval make(size_t index)
{
	return (struct interval){
		.start_s = (double)index,
		.length_s = 1,
		.point = (int32_t)(index / 20),
		.reads = index * 3,
		.oldest_wait_ns = (double)index / 7,
		.service = {.count = index + 1, .p99 = (double)index * 10},
	};
}

static void check(const struct interval *interval, size_t index)
{
	assert_true(interval->start_s == (double)index);
	assert_int_equal(interval->point, index / 20);
	assert_int_equal(interval->reads, index * 3);
	assert_int_equal(interval->service.count, index + 1);
	assert_true(interval->service.p99 == (double)index * 10);
	assert_true(interval->oldest_wait_ns == (double)index / 7);
}

static void test_append(void **state)
{
	struct series *series = series_create();
	const struct interval *early[100];

	(void)state;
	assert_int_equal(series_count(series), 0);
	for (size_t i = 0; i < COUNT; i++) {
		const struct interval interval = make(i);

		series_append(series, &interval);
		assert_int_equal(series_count(series), i + 1);
		if (i < 100)
			early[i] = series_at(series, i);
	}
	for (size_t i = 0; i < COUNT; i++)
		check(series_at(series, i), i);
	/* Nothing moved while it grew. */
	for (size_t i = 0; i < 100; i++)
		assert_ptr_equal(early[i], series_at(series, i));
	series_unref(series);
	series_unref(NULL);
}

static void test_references(void **state)
{
	struct series *series = series_create();
	const struct interval interval = make(0);

	(void)state;
	series_append(series, &interval);
	assert_ptr_equal(series_ref(series), series);
	series_unref(series);
	check(series_at(series, 0), 0); /* the other reference holds it (ASan would tell) */
	series_unref(series);
}

static void *read_along(void *argument)
{
	struct series *series = argument;
	size_t seen = 0, faults = 0;

	while (seen < COUNT) {
		const size_t count = series_count(series);

		if (count < seen)
			faults++;
		for (; seen < count; seen++) {
			const struct interval want = make(seen);
			const struct interval *got = series_at(series, seen);

			faults += got->start_s != want.start_s || got->reads != want.reads ||
				got->service.p99 != want.service.p99;
		}
	}
	series_unref(series);
	return (void *)faults;
}

static void test_readers_beside_writer(void **state)
{
	struct series *series = series_create();
	pthread_t readers[2];
	void *faults;

	(void)state;
	for (int i = 0; i < 2; i++)
		assert_int_equal(
			pthread_create(&readers[i], NULL, read_along, series_ref(series)), 0);
	for (size_t i = 0; i < COUNT; i++) {
		const struct interval interval = make(i);

		series_append(series, &interval);
	}
	series_unref(series); /* readers may be the last ones */
	for (int i = 0; i < 2; i++) {
		pthread_join(readers[i], &faults);
		assert_null(faults);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_append),
		cmocka_unit_test(test_references),
		cmocka_unit_test(test_readers_beside_writer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
