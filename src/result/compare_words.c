/* In which way runs are unlike: one sentence for each thing that is not the same in all of them. */
#include "result/compare_words.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"

#define VALUE_BYTES 96

static void add_sentence(char (**list)[256], size_t *count, const char *text)
{
	*list = mem_realloc(*list, (*count + 1) * sizeof(**list));
	str_copy((*list)[(*count)++], sizeof(**list), text);
}

/* ---- what is looked at ---------------------------------------------------------------------- */

static const struct run_target *first(const struct run *run)
{
	static const struct run_target none;

	return run->target_count ? &run->targets[0] : &none;
}

static void value_workload(const struct run *run, char *buf, size_t size)
{
	str_copy(buf, size, run->workload);
}

static void value_method(const struct run *run, char *buf, size_t size)
{
	str_copy(buf, size, run->method);
}

static void value_targets(const struct run *run, char *buf, size_t size)
{
	str_format(buf, size, "%zu", run->target_count);
}

static void value_model(const struct run *run, char *buf, size_t size)
{
	str_copy(buf, size, first(run)->model);
}

/* Only a file is worth a word of its own: a partition or namespace stands in the target. */
static void value_kind(const struct run *run, char *buf, size_t size)
{
	const struct run_target *target = first(run);

	str_copy(buf, size, target->kind);
	if (*target->file_system)
		str_append(buf, size, " on %s", target->file_system);
}

static void value_capacity(const struct run *run, char *buf, size_t size)
{
	units_bytes_si(buf, size, first(run)->size_bytes);
}

static void value_area(const struct run *run, char *buf, size_t size)
{
	const struct run_target *target = first(run);
	char length[32], from[32];

	/* The whole of it is no difference of the test, whatever its size. */
	if (!target->area_offset && target->area_length == target->size_bytes) {
		str_copy(buf, size, target->size_bytes ? "the whole target" : "");
		return;
	}
	str_format(buf, size, "%s", units_bytes_si(length, sizeof(length), target->area_length));
	if (target->area_offset)
		str_append(buf, size, " from %s on",
			units_bytes_si(from, sizeof(from), target->area_offset));
}

static void value_firmware(const struct run *run, char *buf, size_t size)
{
	str_copy(buf, size, first(run)->firmware);
}

static void value_format(const struct run *run, char *buf, size_t size)
{
	const struct run_target *target = first(run);

	buf[0] = '\0';
	if (!target->lba_bytes)
		return;
	str_format(buf, size, "%u B", target->lba_bytes);
	if (target->metadata_bytes)
		str_append(buf, size, " + %u B", target->metadata_bytes);
}

static void value_link(const struct run *run, char *buf, size_t size)
{
	const struct run_target *target = first(run);

	buf[0] = '\0';
	if (target->link_width > 0 && target->link_gts > 0)
		str_format(buf, size, "%g GT/s x%d", target->link_gts, target->link_width);
}

static void value_direct(const struct run *run, char *buf, size_t size)
{
	str_copy(buf, size, !run->target_count ? "" : first(run)->direct ? "direct" : "buffered");
}

static void value_scheduler(const struct run *run, char *buf, size_t size)
{
	str_copy(buf, size, first(run)->scheduler);
}

static void value_backend(const struct run *run, char *buf, size_t size)
{
	str_copy(buf, size, run->engine.backend);
}

static void value_workers(const struct run *run, char *buf, size_t size)
{
	buf[0] = '\0';
	if (run->engine.workers)
		str_format(buf, size, "%u", run->engine.workers);
}

static void value_host(const struct run *run, char *buf, size_t size)
{
	str_copy(buf, size, run->host.hostname);
}

static void value_kernel(const struct run *run, char *buf, size_t size)
{
	str_copy(buf, size, run->host.kernel);
}

static void value_simulated(const struct run *run, char *buf, size_t size)
{
	str_copy(buf, size, run->simulated ? "SIMULATED" : "a real drive");
}

static const struct aspect {
	const char *name;
	void (*value)(const struct run *run, char *buf, size_t size); /* "": not known */
} aspects[] = {
	{"drives", value_simulated},
	{"workload", value_workload},
	{"method", value_method},
	{"number of targets", value_targets},
	{"model", value_model},
	{"target", value_kind},
	{"capacity", value_capacity},
	{"area", value_area},
	{"firmware", value_firmware},
	{"logical blocks", value_format},
	{"link", value_link},
	{"I/O", value_direct},
	{"scheduler", value_scheduler},
	{"backend", value_backend},
	{"I/O threads", value_workers},
	{"host", value_host},
	{"kernel", value_kernel},
};

/* ---- sentences ------------------------------------------------------------------------------ */

/* "link: A and C 16 GT/s x4, B 8 GT/s x4"; nothing when all are the same or none is known. */
static void say_values(struct comparison *c, const char *name, char (*values)[VALUE_BYTES])
{
	bool said[COMPARE_RUNS_MAX] = {false}, unlike = false;
	char text[256];

	for (size_t i = 1; i < c->run_count; i++)
		unlike = unlike || strcmp(values[i], values[0]);
	if (!unlike)
		return;
	str_format(text, sizeof(text), "%s:", name);
	for (size_t i = 0; i < c->run_count; i++) {
		const char *separator = i ? ", " : " ";

		for (size_t j = i; j < c->run_count && !said[i]; j++) {
			if (strcmp(values[j], values[i]))
				continue;
			said[j] = j > i;
			str_append(text, sizeof(text), "%s%c", separator, compare_letter(j));
			separator = " and ";
		}
		if (!said[i])
			str_append(text, sizeof(text), " %s", *values[i] ? values[i] : "not known");
	}
	add_sentence(&c->unlike, &c->unlike_count, text);
}

static const char *parameter(const struct run *run, const char *key)
{
	for (size_t i = 0; i < run->parameter_count; i++)
		if (!strcmp(run->parameters[i].key, key))
			return run->parameters[i].value;
	return NULL;
}

/* Another seed, another pace of watching and what the engine chose by itself are no difference of the
 * test; the area is said in bytes. */
static bool parameter_counts(const char *key)
{
	static const char *const left_out[] = {"seed", "time_factor", "maximum_s", "backend",
		"workers", "area_pct", "offset_bytes"};

	for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++)
		if (!strcmp(key, left_out[i]))
			return false;
	return true;
}

/* Only between runs that both have the parameter: those of other methods are unlike already. */
static void say_parameter(struct comparison *c, const char *key)
{
	char values[COMPARE_RUNS_MAX][VALUE_BYTES];

	for (size_t i = 0; i < c->run_count; i++) {
		const char *value = parameter(c->runs[i], key);

		if (!value)
			return;
		str_copy(values[i], sizeof(values[i]), value);
	}
	say_values(c, key, values);
}

static void say_parameters(struct comparison *c)
{
	const struct run *base = c->runs[0];

	for (size_t i = 0; i < base->parameter_count; i++)
		if (parameter_counts(base->parameters[i].key))
			say_parameter(c, base->parameters[i].key);
}

/* A workload of the same name that is not the same text: someone changed the file. */
static void say_workload_text(struct comparison *c)
{
	char values[COMPARE_RUNS_MAX][VALUE_BYTES];
	size_t versions = 0;

	for (size_t i = 0; i < c->run_count; i++) {
		const struct run *run = c->runs[i];
		size_t j = 0;

		if (strcmp(run->workload, c->runs[0]->workload))
			return;
		while (j < i &&
			strcmp(run->workload_text ? run->workload_text : "",
				c->runs[j]->workload_text ? c->runs[j]->workload_text : ""))
			j++;
		if (j < i)
			memcpy(values[i], values[j], sizeof(values[i]));
		else
			str_format(values[i], sizeof(values[i]), "version %zu", ++versions);
	}
	say_values(c, "text of the workload", values);
}

/* Of the same model, but not the same drive. */
static void say_drives(struct comparison *c)
{
	char values[COMPARE_RUNS_MAX][VALUE_BYTES];

	for (size_t i = 0; i < c->run_count; i++) {
		const struct run_target *target = first(c->runs[i]);

		if (!*target->serial || strcmp(target->model, first(c->runs[0])->model))
			return;
		str_format(values[i], sizeof(values[i]), "%s", target->serial);
	}
	say_values(c, "drive (serial number)", values);
}

void compare_find_unlike(struct comparison *c)
{
	char values[COMPARE_RUNS_MAX][VALUE_BYTES];

	for (size_t a = 0; a < sizeof(aspects) / sizeof(aspects[0]); a++) {
		for (size_t i = 0; i < c->run_count; i++)
			aspects[a].value(c->runs[i], values[i], sizeof(values[i]));
		say_values(c, aspects[a].name, values);
		if (aspects[a].value == value_workload)
			say_workload_text(c);
		if (aspects[a].value == value_method)
			say_parameters(c);
		if (aspects[a].value == value_model)
			say_drives(c);
	}
}

/* ---- doubts --------------------------------------------------------------------------------- */

static bool is_saturated(const struct run_point *point)
{
	return point->saturated;
}

static bool is_unstable(const struct run_point *point)
{
	return point->unstable;
}

static bool is_suspect(const struct run_point *point)
{
	return point->suspect;
}

static bool is_host_limited(const struct run_point *point)
{
	return !strcmp(point->limited_by, "host");
}

static bool has_errors(const struct run_point *point)
{
	return point->errors > 0;
}

static const struct mark {
	bool (*has)(const struct run_point *point);
	const char *what;
} marks[] = {
	{is_saturated, "saturated"},
	{is_host_limited, "limited by the host"},
	{is_unstable, "unstable"},
	{is_suspect, "suspect (Little's law)"},
	{has_errors, "with errors"},
};

__attribute__((format(printf, 3, 4))) static void doubt(
	struct comparison *c, size_t run, const char *format, ...)
{
	char text[256], said[300];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	str_format(said, sizeof(said), "%c: %s", compare_letter(run), text);
	add_sentence(&c->doubts, &c->doubt_count, said);
}

static void doubt_points(struct comparison *c, size_t index, const struct mark *mark)
{
	const struct run *run = c->runs[index];
	char list[200] = "";

	for (size_t p = 0; p < run->point_count; p++)
		if (mark->has(&run->points[p]))
			str_append(list, sizeof(list), "%s%s", *list ? ", " : "",
				run->points[p].label);
	if (*list)
		doubt(c, index, "%s: %s", mark->what, list);
}

void compare_find_doubts(struct comparison *c)
{
	for (size_t i = 0; i < c->run_count; i++) {
		const struct run *run = c->runs[i];

		if (run->outcome != RUN_COMPLETE)
			doubt(c, i, "%s%s%s", run_outcome_name(run->outcome),
				*run->reason ? ": " : "", run->reason);
		for (size_t m = 0; m < sizeof(marks) / sizeof(marks[0]); m++)
			doubt_points(c, i, &marks[m]);
		for (size_t s = 0; s < run->spoiled_count; s++)
			doubt(c, i, "%s", run->spoiled_by[s]);
	}
}
