/* The histogram against sorted arrays of the same values. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "stats/hist.h"

#define VALUES 20000

static struct hist hist, other;
static uint64_t values[VALUES];

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Distributions that latencies come in. */
static uint64_t draw(struct rng *rng, int kind)
{
	switch (kind) {
	case 0: /* narrow */
		return 80000 + rng_below(rng, 4000);
	case 1: /* exponential, mean 100 us */
		return (uint64_t)rng_exponential(rng, 1e5);
	case 2: /* every magnitude from 1 ns to 1 h alike */
		return (uint64_t)exp2(rng_uniform(rng) * 41.7);
	case 3: /* two humps */
		return rng_below(rng, 100) ? 10000 + rng_below(rng, 500)
					   : 5000000 + rng_below(rng, 2000000);
	case 4: /* small values, where buckets are exact */
		return rng_below(rng, 128);
	default: /* all alike */
		return 123456;
	}
}

/* Exact definition: the smallest value with at least ceil(q n) values at or below it. */
static uint64_t exact(const uint64_t *sorted, size_t count, unsigned per_100000)
{
	const size_t rank = (count * per_100000 + 99999) / 100000;

	return sorted[rank - 1];
}

static void check_quantiles(const struct hist *h, const uint64_t *sorted, size_t count)
{
	static const unsigned quantiles[] = {
		1, 1000, 10000, 25000, 50000, 75000, 90000, 95000, 99000, 99900, 99990};

	for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++) {
		const size_t rank = (count * quantiles[i] + 99999) / 100000;
		uint64_t got = 0;
		const bool known = hist_percentile(h, quantiles[i] / 100000.0, &got, NULL);

		assert_int_equal(known, count - rank >= 10);
		if (!known)
			continue;
		const uint64_t want = exact(sorted, count, quantiles[i]);
		const double off = fabs((double)got - (double)want);

		/* Half a bucket: 1/128 of the value. */
		assert_true(off * 128 <= (double)want);
		if (want < 128)
			assert_int_equal(got, want);
		assert_true(got >= sorted[0] && got <= sorted[count - 1]);
	}
}

static void test_against_sorted(void **state)
{
	(void)state;
	for (int kind = 0; kind < 6; kind++) {
		for (size_t count = 1; count <= VALUES; count = count * 3 + 1) {
			struct rng rng;
			long double sum = 0, squares = 0;

			rng_seed(&rng, 77, (uint64_t)kind * 1000 + count);
			hist_reset(&hist);
			for (size_t i = 0; i < count; i++) {
				values[i] = draw(&rng, kind);
				hist_add(&hist, values[i]);
				sum += values[i];
			}
			for (size_t i = 0; i < count; i++)
				squares += (values[i] - sum / count) * (values[i] - sum / count);
			qsort(values, count, sizeof(values[0]), compare);
			assert_int_equal(hist.count, count);
			assert_int_equal(hist.min, values[0]);
			assert_int_equal(hist.max, values[count - 1]);
			assert_true(fabsl(hist_mean(&hist) - sum / count) <= 1e-9L * sum / count);
			const long double deviation = sqrtl(squares / count);
			assert_true(fabsl(hist_stddev(&hist) - deviation) <=
				1e-6L * (deviation + sum / count));
			check_quantiles(&hist, values, count);
		}
	}
}

static void test_bucket_borders(void **state)
{
	(void)state;
	/* Every index answers with a value of its own bucket; borders do not overlap. */
	uint32_t last = 0;
	for (uint64_t ns = 0; ns < HIST_MAX_NS; ns += 1 + ns / 1000) {
		const uint32_t index = hist_index(ns);

		assert_true(index < HIST_BUCKETS);
		assert_true(index >= last);
		last = index;
		assert_int_equal(hist_index(hist_bucket_value(index)), index);
		assert_true(
			fabs((double)hist_bucket_value(index) - (double)ns) * 128 <= (double)ns);
	}
	for (int bit = 7; bit < 42; bit++) {
		const uint64_t power = UINT64_C(1) << bit;

		assert_int_equal(hist_index(power), hist_index(power - 1) + 1);
	}
	assert_true(hist_index(HIST_MAX_NS) < HIST_BUCKETS);
}

static void test_merge(void **state)
{
	struct rng rng;
	static struct hist whole;

	(void)state;
	rng_seed(&rng, 5, 0);
	hist_reset(&hist);
	hist_reset(&other);
	hist_reset(&whole);
	hist_merge(&hist, &other); /* empty into empty */
	assert_int_equal(hist.count, 0);
	assert_true(hist.low > hist.high);
	for (size_t i = 0; i < VALUES; i++) {
		const uint64_t value = draw(&rng, i % 2 ? 2 : 0);

		hist_add(i % 3 ? &hist : &other, value);
		hist_add(&whole, value);
	}
	hist_add(&other, HIST_MAX_NS + 5);
	hist_add(&whole, HIST_MAX_NS + 5);
	hist_merge(&hist, &other);
	assert_int_equal(hist.count, whole.count);
	assert_int_equal(hist.sum, whole.sum);
	assert_int_equal(hist.min, whole.min);
	assert_int_equal(hist.max, whole.max);
	assert_int_equal(hist.overflow, 1);
	assert_int_equal(hist.low, whole.low);
	assert_int_equal(hist.high, whole.high);
	assert_memory_equal(hist.buckets, whole.buckets, sizeof(hist.buckets));
}

static void test_add_times(void **state)
{
	struct rng rng;

	(void)state;
	rng_seed(&rng, 6, 0);
	hist_reset(&hist);
	hist_reset(&other);
	for (int i = 0; i < 1000; i++) {
		const uint64_t value = i == 500 ? HIST_MAX_NS * 2 : draw(&rng, 2);
		const uint64_t times = 1 + rng_below(&rng, 5);

		hist_add_times(&hist, value, times);
		for (uint64_t k = 0; k < times; k++)
			hist_add(&other, value);
	}
	assert_true(fabs(hist.sum_squares - other.sum_squares) <= 1e-9 * other.sum_squares);
	hist.sum_squares = other.sum_squares;
	assert_memory_equal(&hist, &other, sizeof(hist));
	/* Clearing leaves exactly what a reset leaves. */
	hist_clear(&hist);
	hist_reset(&other);
	assert_memory_equal(&hist, &other, sizeof(hist));
	hist_clear(&hist);
	assert_memory_equal(&hist, &other, sizeof(hist));
}

static void test_null_percentiles(void **state)
{
	struct latency out;
	uint64_t ns;

	(void)state;
	hist_reset(&hist);
	hist_summary(&hist, &out);
	assert_int_equal(out.count, 0);
	assert_true(isnan(out.mean) && isnan(out.stddev) && isnan(out.min) && isnan(out.max) &&
		isnan(out.p50) && isnan(out.p99_99));
	assert_false(hist_percentile(&hist, 0.5, &ns, NULL));
	/* Of n equal values p99 has n - ceil(0.99 n) above it: 10 from n = 1000 on. */
	for (int i = 0; i < 999; i++)
		hist_add(&hist, 1000);
	hist_summary(&hist, &out);
	assert_true(isnan(out.p99));
	assert_true(out.p90 == 1000 && out.p50 == 1000);
	hist_add(&hist, 1000);
	hist_summary(&hist, &out);
	assert_true(out.p99 == 1000);
	assert_true(isnan(out.p99_9));
	assert_true(out.stddev == 0);
	/* 0.999 x 10000 is a little above 9990 in binary; it must not lose a sample. */
	for (int i = 0; i < 9000; i++)
		hist_add(&hist, 1000);
	hist_summary(&hist, &out);
	assert_true(out.p99_9 == 1000 && isnan(out.p99_99));
}

static void test_overflow(void **state)
{
	uint64_t ns = 0;
	bool at_least = false;

	(void)state;
	hist_reset(&hist);
	for (int i = 0; i < 100; i++)
		hist_add(&hist, i < 60 ? 100 : HIST_MAX_NS + 1 + (uint64_t)i);
	assert_int_equal(hist.overflow, 40);
	assert_int_equal(hist.max, HIST_MAX_NS + 100);
	assert_true(hist_percentile(&hist, 0.5, &ns, &at_least));
	assert_int_equal(ns, 100); /* exact below 128 */
	assert_false(at_least);
	assert_true(hist_percentile(&hist, 0.7, &ns, &at_least));
	assert_int_equal(ns, HIST_MAX_NS);
	assert_true(at_least);
	/* Nothing but overflow. */
	hist_reset(&hist);
	for (int i = 0; i < 50; i++)
		hist_add(&hist, UINT64_MAX / 100);
	assert_true(hist_percentile(&hist, 0.5, &ns, &at_least));
	assert_true(at_least);
	assert_int_equal(hist_pairs(&hist, NULL, 0), 0);
}

static void test_pairs(void **state)
{
	static struct hist_pair pairs[HIST_BUCKETS];
	struct rng rng;

	(void)state;
	rng_seed(&rng, 9, 0);
	hist_reset(&hist);
	for (int i = 0; i < VALUES; i++)
		hist_add(&hist, draw(&rng, 2));
	hist_add(&hist, HIST_MAX_NS + 1);
	const size_t count = hist_pairs(&hist, NULL, 0);
	assert_int_equal(hist_pairs(&hist, pairs, HIST_BUCKETS), count);
	assert_int_equal(hist_pairs(&hist, pairs, 3), 3);
	hist_reset(&other);
	for (size_t i = 0; i < count; i++) {
		assert_true(pairs[i].count > 0);
		assert_true(!i || pairs[i].ns > pairs[i - 1].ns);
		hist_add_pair(&other, pairs[i].ns, pairs[i].count);
	}
	hist_add_pair(&other, UINT64_MAX, 1);
	hist_add_pair(&other, 5, 0);
	assert_int_equal(other.count, hist.count);
	assert_int_equal(other.overflow, 1);
	assert_int_equal(other.low, hist.low);
	assert_int_equal(other.high, hist.high);
	assert_memory_equal(other.buckets, hist.buckets, sizeof(hist.buckets));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_sorted),
		cmocka_unit_test(test_bucket_borders),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_add_times),
		cmocka_unit_test(test_null_percentiles),
		cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
