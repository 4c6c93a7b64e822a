/* One row per interval of a run. */
#include "report/run_csv.h"

#include <math.h>

#include "base/csv.h"
#include "base/units.h"

static const char *const columns[] = {"time_s", "length_s", "phase", "point", "percent",
	"asked_iops", "saturated", "scheduled", "reads", "writes", "read_bytes", "write_bytes",
	"errors", "iops", "mib_s", "outstanding_avg", "backlog", "oldest_wait_us", "oldest_io_us",
	"service_mean_us", "service_stddev_us", "service_min_us", "service_p50_us",
	"service_p90_us", "service_p99_us", "service_p99_9_us", "service_p99_99_us",
	"service_max_us", "response_mean_us", "response_stddev_us", "response_min_us",
	"response_p50_us", "response_p90_us", "response_p99_us", "response_p99_9_us",
	"response_p99_99_us", "response_max_us", "cpu_pct", "temperature_c"};

static void add_u64(struct strbuf *out, uint64_t value)
{
	char text[24];

	csv_add(out, false, units_u128_decimal(text, sizeof(text), value));
}

/* Kept as float: its own digits, not those of the double that it becomes. */
static void add_float(struct strbuf *out, float value)
{
	csv_add_double(out, false, round((double)value * 1000) / 1000);
}

static void add_us(struct strbuf *out, double ns)
{
	csv_add_double(out, false, ns / 1000);
}

static void add_latency(struct strbuf *out, const struct latency *latency)
{
	const double values[] = {latency->mean, latency->stddev, latency->min, latency->p50,
		latency->p90, latency->p99, latency->p99_9, latency->p99_99, latency->max};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		add_us(out, values[i]);
}

/* Empty fields where an interval belongs to no point that ended. */
static void add_point(struct strbuf *out, const struct run_point *point)
{
	csv_add(out, false, point ? point->label : "");
	csv_add_double(out, false, point && point->percent > 0 ? point->percent : NAN);
	csv_add_double(out, false, point && point->asked_iops > 0 ? point->asked_iops : NAN);
	csv_add(out, false, !point ? "" : point->saturated ? "yes" : "no");
}

static const char *phase_of(const struct interval *interval, const struct run_point *point)
{
	if (interval->point < 0)
		return "search";
	if (!point)
		return "unfinished";
	return interval->warmup ? "warm-up" : "measured";
}

static void add_interval(struct strbuf *out, const struct run *run, const struct interval *iv)
{
	const struct run_point *point = iv->point >= 0 && (size_t)iv->point < run->point_count
		? &run->points[iv->point]
		: NULL;

	csv_add_double(out, true, iv->start_s);
	csv_add_double(out, false, iv->length_s);
	csv_add(out, false, phase_of(iv, point));
	add_point(out, point);
	add_u64(out, iv->scheduled);
	add_u64(out, iv->reads);
	add_u64(out, iv->writes);
	add_u64(out, iv->read_bytes);
	add_u64(out, iv->write_bytes);
	add_u64(out, iv->errors);
	csv_add_double(out, false, iv->iops);
	csv_add_double(out, false, iv->mib_s);
	csv_add_double(out, false, iv->outstanding);
	add_u64(out, iv->backlog);
	add_us(out, iv->oldest_wait_ns);
	add_us(out, iv->oldest_io_ns);
	add_latency(out, &iv->service);
	add_latency(out, &iv->response);
	add_float(out, iv->cpu_pct);
	add_float(out, iv->temperature_c);
	csv_end_record(out);
}

void run_csv(const struct run *run, struct strbuf *out)
{
	const size_t count = run->series ? series_count(run->series) : 0;

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		csv_add(out, i == 0, columns[i]);
	csv_end_record(out);
	for (size_t i = 0; i < count; i++)
		add_interval(out, run, series_at(run->series, i));
}
