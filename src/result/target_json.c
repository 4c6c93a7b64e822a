/* Identity, area, link and SMART of a run's target as JSON. */
#include "result/target_json.h"

#include <errno.h>
#include <math.h>

#include "result/fields.h"
#include "result/smart_json.h"

static void set_text(struct json *object, const char *key, const char *text)
{
	json_set_string(object, key, text[0] ? text : NULL);
}

static struct json *link_to_json(double gts, int width)
{
	struct json *object;

	if (!(gts > 0) && width <= 0)
		return json_null();
	object = json_object();
	json_set_double(object, "speed_gts", gts > 0 ? gts : NAN);
	if (width > 0)
		json_set_i64(object, "width", width);
	else
		json_set_null(object, "width");
	return object;
}

static void link_from_json(
	struct fields *f, const struct json *object, const char *key, double *gts, int *width)
{
	const struct json *child = fields_object(f, object, key);

	if (!child)
		return;
	fields_double(f, child, "speed_gts", gts);
	fields_int(f, child, "width", width);
}

struct json *run_target_to_json(const struct run_target *t)
{
	struct json *object = json_object();

	json_set_string(object, "name", t->name);
	json_set_string(object, "path", t->path);
	json_set_string(object, "kind", t->kind);
	set_text(object, "model", t->model);
	set_text(object, "serial", t->serial);
	set_text(object, "firmware", t->firmware);
	if (t->nsid)
		json_set_u64(object, "nsid", t->nsid);
	else
		json_set_null(object, "nsid");
	set_text(object, "unique_id", t->unique_id);
	json_set_u64(object, "size_bytes", t->size_bytes);
	json_set_u64(object, "area_offset_bytes", t->area_offset);
	json_set_u64(object, "area_length_bytes", t->area_length);
	json_set_u64(object, "lba_bytes", t->lba_bytes);
	json_set_u64(object, "metadata_bytes", t->metadata_bytes);
	json_set(object, "link", link_to_json(t->link_gts, t->link_width));
	json_set(object, "link_max", link_to_json(t->link_max_gts, t->link_max_width));
	json_set(object, "link_slot", link_to_json(t->link_slot_gts, t->link_slot_width));
	set_text(object, "transport", t->transport);
	json_set_bool(object, "rotational", t->rotational);
	if (t->numa_node >= 0)
		json_set_i64(object, "numa_node", t->numa_node);
	else
		json_set_null(object, "numa_node");
	set_text(object, "scheduler", t->scheduler);
	set_text(object, "file_system", t->file_system);
	json_set_bool(object, "direct", t->direct);
	json_set_bool(object, "beside_medium", t->beside_medium);
	json_set_bool(object, "simulated", t->simulated);
	json_set(object, "smart_before",
		t->smart_before_known ? run_smart_to_json(&t->smart_before) : json_null());
	json_set(object, "smart_after",
		t->smart_after_known ? run_smart_to_json(&t->smart_after) : json_null());
	return object;
}

static void smart_from_json(struct fields *f, const struct json *object, const char *key,
	bool *known, struct smart *out)
{
	const struct json *child = fields_object(f, object, key);

	*known = false;
	if (!child)
		return;
	const int rc = run_smart_from_json(child, out, f->code ? NULL : f->err);

	if (rc && !f->code)
		f->code = err_prefix(f->err, rc, "%s", key);
	*known = !rc;
}

int run_target_from_json(const struct json *json, struct run_target *out, struct err *err)
{
	struct fields f = {0, err};

	*out = (struct run_target){.numa_node = -1};
	if (!json_is_object(json))
		return err_set(err, -EINVAL, "a target is not an object");
	fields_string(&f, json, "name", out->name, sizeof(out->name));
	fields_string(&f, json, "path", out->path, sizeof(out->path));
	fields_string(&f, json, "kind", out->kind, sizeof(out->kind));
	fields_string(&f, json, "model", out->model, sizeof(out->model));
	fields_string(&f, json, "serial", out->serial, sizeof(out->serial));
	fields_string(&f, json, "firmware", out->firmware, sizeof(out->firmware));
	fields_u32(&f, json, "nsid", &out->nsid);
	fields_string(&f, json, "unique_id", out->unique_id, sizeof(out->unique_id));
	fields_u64(&f, json, "size_bytes", &out->size_bytes);
	fields_u64(&f, json, "area_offset_bytes", &out->area_offset);
	fields_u64(&f, json, "area_length_bytes", &out->area_length);
	fields_u32(&f, json, "lba_bytes", &out->lba_bytes);
	fields_u32(&f, json, "metadata_bytes", &out->metadata_bytes);
	link_from_json(&f, json, "link", &out->link_gts, &out->link_width);
	link_from_json(&f, json, "link_max", &out->link_max_gts, &out->link_max_width);
	link_from_json(&f, json, "link_slot", &out->link_slot_gts, &out->link_slot_width);
	fields_int(&f, json, "numa_node", &out->numa_node);
	fields_string(&f, json, "transport", out->transport, sizeof(out->transport));
	fields_bool(&f, json, "rotational", &out->rotational);
	fields_string(&f, json, "scheduler", out->scheduler, sizeof(out->scheduler));
	fields_string(&f, json, "file_system", out->file_system, sizeof(out->file_system));
	fields_bool(&f, json, "direct", &out->direct);
	fields_bool(&f, json, "beside_medium", &out->beside_medium);
	fields_bool(&f, json, "simulated", &out->simulated);
	smart_from_json(&f, json, "smart_before", &out->smart_before_known, &out->smart_before);
	smart_from_json(&f, json, "smart_after", &out->smart_after_known, &out->smart_after);
	return f.code;
}
