/* Points and intervals as JSON. */
#include "result/point_json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "result/fields.h"

static void set_us(struct json *object, const char *key, double ns)
{
	json_set_double(object, key, ns / 1000);
}

static void set_text(struct json *object, const char *key, const char *text)
{
	json_set_string(object, key, text[0] ? text : NULL);
}

struct json *run_latency_to_json(const struct latency *l)
{
	struct json *object = json_object();

	json_set_u64(object, "count", l->count);
	json_set_double(object, "mean", l->mean / 1000);
	json_set_double(object, "stddev", l->stddev / 1000);
	json_set_double(object, "min", l->min / 1000);
	json_set_double(object, "p50", l->p50 / 1000);
	json_set_double(object, "p90", l->p90 / 1000);
	json_set_double(object, "p99", l->p99 / 1000);
	json_set_double(object, "p99_9", l->p99_9 / 1000);
	json_set_double(object, "p99_99", l->p99_99 / 1000);
	json_set_double(object, "max", l->max / 1000);
	if (l->overflow) /* so many were longer than the histogram's last bucket */
		json_set_u64(object, "overflow", l->overflow);
	return object;
}

int run_latency_from_json(const struct json *json, struct latency *out, struct err *err)
{
	struct fields f = {0, err};

	latency_none(out);
	if (!json)
		return 0;
	fields_u64(&f, json, "count", &out->count);
	fields_us(&f, json, "mean", &out->mean);
	fields_us(&f, json, "stddev", &out->stddev);
	fields_us(&f, json, "min", &out->min);
	fields_us(&f, json, "p50", &out->p50);
	fields_us(&f, json, "p90", &out->p90);
	fields_us(&f, json, "p99", &out->p99);
	fields_us(&f, json, "p99_9", &out->p99_9);
	fields_us(&f, json, "p99_99", &out->p99_99);
	fields_us(&f, json, "max", &out->max);
	fields_u64(&f, json, "overflow", &out->overflow);
	return f.code;
}

static void read_latency(
	struct fields *f, const struct json *object, const char *key, struct latency *out)
{
	const struct json *child = fields_object(f, object, key);
	const int rc = run_latency_from_json(child, out, f->code ? NULL : f->err);

	if (rc && !f->code)
		f->code = err_prefix(f->err, rc, "%s", key);
}

static struct json *direction_to_json(uint64_t count, uint64_t bytes, const struct latency *service)
{
	struct json *object = json_object();

	json_set_u64(object, "count", count);
	json_set_u64(object, "bytes", bytes);
	json_set(object, "service_us", run_latency_to_json(service));
	return object;
}

static void direction_from_json(struct fields *f, const struct json *point, const char *key,
	uint64_t *count, uint64_t *bytes, struct latency *service)
{
	const struct json *child = fields_object(f, point, key);

	latency_none(service);
	if (!child)
		return;
	fields_u64(f, child, "count", count);
	fields_u64(f, child, "bytes", bytes);
	read_latency(f, child, "service_us", service);
}

static struct json *histogram_to_json(const struct run_point *p)
{
	if (!p->histogram)
		return json_null();
	struct json *pairs = json_array();

	for (size_t i = 0; i < p->histogram_count; i++) {
		struct json *pair = json_array();

		json_add_u64(pair, p->histogram[i].ns);
		json_add_u64(pair, p->histogram[i].count);
		json_add(pairs, pair);
	}
	return pairs;
}

static void histogram_from_json(struct fields *f, const struct json *point, struct run_point *out)
{
	const struct json *pairs = fields_array(f, point, "histogram");
	const size_t count = pairs ? json_length(pairs) : 0;

	if (!pairs)
		return;
	if (count > HIST_BUCKETS) {
		f->code = f->code
			? f->code
			: err_set(f->err, -EINVAL, "\"histogram\" has %zu pairs, at most %d exist",
				  count, HIST_BUCKETS);
		return;
	}
	out->histogram = mem_alloc((count ? count : 1) * sizeof(*out->histogram));
	out->histogram_count = count;
	for (size_t i = 0; i < count && !f->code; i++) {
		const struct json *pair = json_at(pairs, i);
		struct hist_pair *to = &out->histogram[i];

		if (!json_is_array(pair) || json_length(pair) != 2)
			f->code = err_set(f->err, -EINVAL,
				"\"histogram\" entry %zu is not a pair of ns and count", i);
		else if (!(f->code = json_at_u64(pair, 0, &to->ns, f->err)))
			f->code = json_at_u64(pair, 1, &to->count, f->err);
	}
}

struct json *run_point_to_json(const struct run_point *p)
{
	struct json *object = json_object();

	json_set_double(object, "percent", p->percent > 0 ? p->percent : NAN);
	set_text(object, "label", p->label);
	set_text(object, "load", p->load);
	json_set_double(object, "asked_iops", p->asked_iops > 0 ? p->asked_iops : NAN);
	json_set_u64(object, "outstanding_limit", p->outstanding_limit);
	json_set_double(object, "started_s", p->started_s);
	json_set_double(object, "window_s", p->window_s);
	json_set_u64(object, "scheduled", p->scheduled);
	json_set_u64(object, "count", p->count);
	json_set_u64(object, "bytes", p->read_bytes + p->write_bytes);
	json_set_u64(object, "errors", p->errors);
	json_set_u64(object, "short_reads", p->short_reads);
	json_set_u64(object, "short_writes", p->short_writes);
	json_set_u64(object, "retries", p->retries);
	json_set_double(object, "iops", p->iops);
	json_set_double(object, "mib_s", p->mib_s);
	json_set_double(object, "outstanding_avg", p->outstanding_avg);
	json_set_bool(object, "saturated", p->saturated);
	json_set_u64(object, "backlog", p->backlog);
	set_text(object, "limited_by", p->limited_by);
	json_set_bool(object, "suspect", p->suspect);
	json_set_double(object, "little_off_pct", p->little_off_pct);
	json_set_bool(object, "unstable", p->unstable);
	json_set_double(object, "cpu_pct", p->cpu_pct);
	json_set_double(object, "cpu_wait_pct", p->cpu_wait_pct);
	json_set_double(object, "temperature_c", p->temperature_c);
	json_set(object, "lateness_us", run_latency_to_json(&p->lateness));
	json_set(object, "service_us", run_latency_to_json(&p->service));
	/* Of a saturated point the response only grows with the length of the test: all that can be
	 * said is that it is at least so long. */
	if (p->saturated) {
		json_set_null(object, "response_us");
		set_us(object, "response_at_least_us", p->saturated_age_ns);
	} else {
		json_set(object, "response_us", run_latency_to_json(&p->response));
	}
	json_set(object, "histogram", histogram_to_json(p));
	json_set(object, "read", direction_to_json(p->reads, p->read_bytes, &p->read_service));
	json_set(object, "write", direction_to_json(p->writes, p->write_bytes, &p->write_service));
	return object;
}

int run_point_from_json(const struct json *json, struct run_point *out, struct err *err)
{
	struct fields f = {0, err};

	run_point_clear(out);
	if (!json_is_object(json))
		return err_set(err, -EINVAL, "a point is not an object");
	fields_double(&f, json, "percent", &out->percent);
	fields_string(&f, json, "label", out->label, sizeof(out->label));
	fields_string(&f, json, "load", out->load, sizeof(out->load));
	fields_double(&f, json, "asked_iops", &out->asked_iops);
	fields_u32(&f, json, "outstanding_limit", &out->outstanding_limit);
	fields_double(&f, json, "started_s", &out->started_s);
	fields_double(&f, json, "window_s", &out->window_s);
	fields_u64(&f, json, "scheduled", &out->scheduled);
	fields_u64(&f, json, "count", &out->count);
	fields_u64(&f, json, "errors", &out->errors);
	fields_u64(&f, json, "short_reads", &out->short_reads);
	fields_u64(&f, json, "short_writes", &out->short_writes);
	fields_u64(&f, json, "retries", &out->retries);
	fields_double(&f, json, "iops", &out->iops);
	fields_double(&f, json, "mib_s", &out->mib_s);
	fields_double(&f, json, "outstanding_avg", &out->outstanding_avg);
	fields_bool(&f, json, "saturated", &out->saturated);
	fields_u64(&f, json, "backlog", &out->backlog);
	fields_string(&f, json, "limited_by", out->limited_by, sizeof(out->limited_by));
	fields_bool(&f, json, "suspect", &out->suspect);
	fields_double(&f, json, "little_off_pct", &out->little_off_pct);
	fields_bool(&f, json, "unstable", &out->unstable);
	fields_double(&f, json, "cpu_pct", &out->cpu_pct);
	fields_double(&f, json, "cpu_wait_pct", &out->cpu_wait_pct);
	fields_double(&f, json, "temperature_c", &out->temperature_c);
	read_latency(&f, json, "lateness_us", &out->lateness);
	read_latency(&f, json, "service_us", &out->service);
	read_latency(&f, json, "response_us", &out->response);
	fields_us(&f, json, "response_at_least_us", &out->saturated_age_ns);
	histogram_from_json(&f, json, out);
	direction_from_json(&f, json, "read", &out->reads, &out->read_bytes, &out->read_service);
	direction_from_json(
		&f, json, "write", &out->writes, &out->write_bytes, &out->write_service);
	return f.code;
}

struct json *run_interval_to_json(const struct interval *iv)
{
	struct json *object = json_object();

	json_set_double(object, "start_s", iv->start_s);
	json_set_double(object, "length_s", iv->length_s);
	json_set_i64(object, "point", iv->point);
	json_set_bool(object, "warmup", iv->warmup);
	json_set_u64(object, "scheduled", iv->scheduled);
	json_set_u64(object, "reads", iv->reads);
	json_set_u64(object, "writes", iv->writes);
	json_set_u64(object, "read_bytes", iv->read_bytes);
	json_set_u64(object, "write_bytes", iv->write_bytes);
	json_set_u64(object, "errors", iv->errors);
	json_set_double(object, "iops", iv->iops);
	json_set_double(object, "mib_s", iv->mib_s);
	json_set_double(object, "outstanding_avg", iv->outstanding);
	json_set_u64(object, "backlog", iv->backlog);
	set_us(object, "oldest_wait_us", iv->oldest_wait_ns);
	set_us(object, "oldest_io_us", iv->oldest_io_ns);
	json_set(object, "service_us", run_latency_to_json(&iv->service));
	json_set(object, "response_us", run_latency_to_json(&iv->response));
	json_set_double(object, "cpu_pct", (double)iv->cpu_pct);
	json_set_double(object, "temperature_c", (double)iv->temperature_c);
	return object;
}

int run_interval_from_json(const struct json *json, struct interval *out, struct err *err)
{
	struct fields f = {0, err};
	double cpu = NAN, temperature = NAN;
	bool warmup = false;
	int point = -1;

	*out = (struct interval){.iops = NAN,
		.mib_s = NAN,
		.outstanding = NAN,
		.oldest_wait_ns = NAN,
		.oldest_io_ns = NAN};
	if (!json_is_object(json))
		return err_set(err, -EINVAL, "an interval is not an object");
	fields_double(&f, json, "start_s", &out->start_s);
	fields_double(&f, json, "length_s", &out->length_s);
	fields_int(&f, json, "point", &point);
	fields_bool(&f, json, "warmup", &warmup);
	fields_u64(&f, json, "scheduled", &out->scheduled);
	fields_u64(&f, json, "reads", &out->reads);
	fields_u64(&f, json, "writes", &out->writes);
	fields_u64(&f, json, "read_bytes", &out->read_bytes);
	fields_u64(&f, json, "write_bytes", &out->write_bytes);
	fields_u64(&f, json, "errors", &out->errors);
	fields_double(&f, json, "iops", &out->iops);
	fields_double(&f, json, "mib_s", &out->mib_s);
	fields_double(&f, json, "outstanding_avg", &out->outstanding);
	fields_u64(&f, json, "backlog", &out->backlog);
	fields_us(&f, json, "oldest_wait_us", &out->oldest_wait_ns);
	fields_us(&f, json, "oldest_io_us", &out->oldest_io_ns);
	read_latency(&f, json, "service_us", &out->service);
	read_latency(&f, json, "response_us", &out->response);
	fields_double(&f, json, "cpu_pct", &cpu);
	fields_double(&f, json, "temperature_c", &temperature);
	out->point = point < 0 ? -1 : point;
	out->warmup = warmup;
	out->cpu_pct = (float)cpu;
	out->temperature_c = (float)temperature;
	return f.code;
}
