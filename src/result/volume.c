/* Bytes that a run moved, by nvsweep's count and by the drives'. */
#include "result/volume.h"

#include <math.h>
#include <string.h>

#include "base/str.h"

#define DATA_UNIT 512000.0

static double growth(const struct field_u128 *before, const struct field_u128 *after)
{
	if (!before->reported || !after->reported || after->value < before->value)
		return NAN;
	return (double)(after->value - before->value) * DATA_UNIT;
}

/* Namespaces of one drive share its counters. */
static bool counted_already(const struct run *run, size_t index)
{
	const struct run_target *t = &run->targets[index];

	for (size_t i = 0; i < index && t->serial[0]; i++)
		if (!strcmp(run->targets[i].serial, t->serial) &&
			!strcmp(run->targets[i].model, t->model))
			return true;
	return false;
}

void run_volume(const struct run *run, struct run_volume *out)
{
	*out = (struct run_volume){.read = NAN, .written = NAN, .media_written = NAN};
	if (run->bytes_known) {
		out->read = (double)run->read_bytes;
		out->written = (double)run->write_bytes;
	}
	if (!run->target_count)
		out->smart_read = out->smart_written = NAN;
	for (size_t i = 0; i < run->target_count; i++) {
		const struct run_target *t = &run->targets[i];
		const struct smart *before = &t->smart_before, *after = &t->smart_after;
		const bool known = t->smart_before_known && t->smart_after_known;

		if (counted_already(run, i))
			continue;
		out->smart_read +=
			known ? growth(&before->data_units_read, &after->data_units_read) : NAN;
		out->smart_written += known
			? growth(&before->data_units_written, &after->data_units_written)
			: NAN;
	}
}

static void set_bytes(struct json *object, const char *key, double bytes)
{
	if (isnan(bytes))
		json_set_null(object, key);
	else
		json_set_u64(object, key, (uint64_t)bytes);
}

struct json *run_volume_to_json(const struct run *run)
{
	struct json *object = json_object();
	struct run_volume v;

	run_volume(run, &v);
	set_bytes(object, "read_bytes", v.read);
	set_bytes(object, "written_bytes", v.written);
	set_bytes(object, "smart_read_bytes", v.smart_read);
	set_bytes(object, "smart_written_bytes", v.smart_written);
	set_bytes(object, "media_written_bytes", v.media_written);
	return object;
}

/* The drives' part comes from their SMART data. */
void run_volume_from_json(struct fields *f, const struct json *object, struct run *run)
{
	uint64_t read = UINT64_MAX, written = UINT64_MAX;

	if (!object)
		return;
	fields_u64(f, object, "read_bytes", &read);
	fields_u64(f, object, "written_bytes", &written);
	run->bytes_known = read != UINT64_MAX && written != UINT64_MAX;
	if (!run->bytes_known)
		return;
	run->read_bytes = read;
	run->write_bytes = written;
}

struct json *run_prepare_to_json(const struct run *run)
{
	const double never = run->prepare.never_written_share;
	struct json *object;

	if (!run->prepare.fill[0])
		return json_null();
	object = json_object();
	json_set_string(object, "fill", run->prepare.fill);
	json_set_u64(object, "passes", run->prepare.passes);
	json_set_u64(object, "passes_done", run->prepare.passes_done);
	json_set_u64(object, "block_bytes", run->prepare.block_bytes);
	json_set_u64(object, "written_bytes", run->prepare.bytes);
	json_set_double(object, "seconds", run->prepare.seconds);
	json_set_double(object, "never_written_pct", never * 100);
	return object;
}

void run_prepare_from_json(struct fields *f, const struct json *object, struct run *run)
{
	double never_pct = NAN;

	if (!object)
		return;
	fields_string(f, object, "fill", run->prepare.fill, sizeof(run->prepare.fill));
	fields_u32(f, object, "passes", &run->prepare.passes);
	fields_u32(f, object, "passes_done", &run->prepare.passes_done);
	fields_u32(f, object, "block_bytes", &run->prepare.block_bytes);
	fields_u64(f, object, "written_bytes", &run->prepare.bytes);
	fields_double(f, object, "seconds", &run->prepare.seconds);
	fields_double(f, object, "never_written_pct", &never_pct);
	run->prepare.never_written_share = never_pct / 100;
}
