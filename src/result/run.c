/* A run in memory: creation, identity, points, doubts, analysis. */
#include "result/run.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/str.h"

#define FELL_SHORT 0.02
#define RUN_ID_TARGET_MAX 12 /* of the id: the workload's name gets the rest */

struct run *run_create(void)
{
	struct run *run = mem_alloc(sizeof(*run));

	str_format(run->generator, sizeof(run->generator), "nvsweep %s", NVSWEEP_VERSION);
	run->series = series_create();
	run_point_clear(&run->maximum);
	run->prepare.never_written_share = NAN;
	run->analysis = (struct curve_analysis){
		.start = -1, .peak = -1, .knee_chord = -1, .knee_limit = -1, .fall_off_at = -1};
	return run;
}

static void free_points(struct run_point *points, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(points[i].histogram);
	free(points);
}

void run_free(struct run *run)
{
	if (!run)
		return;
	free(run->workload_text);
	free(run->parameters);
	free(run->maximum.histogram);
	free_points(run->searches, run->search_count);
	free_points(run->points, run->point_count);
	series_unref(run->series);
	free(run);
}

/* Part of a file name: letters, digits, dot, dash; never empty, never beginning with a dot. */
static void id_part(char *dst, size_t size, const char *src)
{
	size_t length = 0;

	for (; *src && length + 1 < size; src++) {
		const unsigned char c = (unsigned char)*src;
		const bool plain = isascii(c) &&
			(isalnum(c) || c == '-' || c == '_' || (c == '.' && length > 0));
		dst[length++] = plain ? (char)c : '-';
	}
	if (!length)
		dst[length++] = '-';
	dst[length] = '\0';
}

void run_make_id(struct run *run)
{
	struct tm when;
	char stamp[24], target[RUN_ID_TARGET_MAX + 1], workload[48];
	const time_t started = (time_t)run->started;

	gmtime_r(&started, &when);
	strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H-%M-%S", &when);
	id_part(target, sizeof(target), run->target_count ? run->targets[0].name : "none");
	id_part(workload, sizeof(workload), run->workload);
	/* The random end must survive whatever the names' lengths are. */
	const size_t room = sizeof(run->id) - 1 - strlen(stamp) - strlen(target) - 7;

	if (strlen(workload) > room)
		workload[room] = '\0';
	const uint64_t mixed = (run->seed ^ (run->seed >> 32)) * UINT64_C(0x9e3779b97f4a7c15);

	str_format(run->id, sizeof(run->id), "%s-%s-%s-%04x", stamp, target, workload,
		(unsigned)(mixed >> 48));
}

void run_spoil(struct run *run, const char *format, ...)
{
	char text[sizeof(run->spoiled_by[0])];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (size_t i = 0; i < run->spoiled_count; i++)
		if (!strcmp(run->spoiled_by[i], text))
			return;
	if (run->spoiled_count < RUN_SPOILED_MAX)
		str_copy(run->spoiled_by[run->spoiled_count++], sizeof(text), text);
}

static void append(struct run_point **points, size_t *count, const struct run_point *point)
{
	*points = mem_realloc(*points, (*count + 1) * sizeof(**points));
	(*points)[(*count)++] = *point;
}

void run_add_point(struct run *run, const struct run_point *point)
{
	append(&run->points, &run->point_count, point);
}

void run_add_search(struct run *run, const struct run_point *point)
{
	append(&run->searches, &run->search_count, point);
}

void run_point_clear(struct run_point *point)
{
	*point = (struct run_point){.iops = NAN,
		.mib_s = NAN,
		.outstanding_avg = NAN,
		.little_off_pct = NAN,
		.cpu_pct = NAN,
		.cpu_wait_pct = NAN,
		.temperature_c = NAN};
	latency_none(&point->lateness);
	latency_none(&point->service);
	latency_none(&point->response);
	latency_none(&point->read_service);
	latency_none(&point->write_service);
}

bool run_point_fell_short(const struct run_point *point)
{
	const double due = (double)point->scheduled, done = (double)(point->count + point->errors);

	return point->asked_iops > 0 && due - done > FELL_SHORT * due &&
		due - done > (double)point->outstanding_limit;
}

static struct curve_point to_curve(const struct run_point *p)
{
	return (struct curve_point){.percent = p->percent,
		.asked_iops = p->asked_iops,
		.iops = p->iops,
		.mib_s = p->mib_s,
		.mean_ns = p->service.mean,
		.p99_ns = p->service.p99,
		.outstanding = p->outstanding_avg,
		.count = p->count,
		.saturated = p->saturated,
		.host_limited = !strcmp(p->limited_by, "host")};
}

/* The rates of a point's measured window in steps of about one second: what is judged for
 * instability. A shorter rest at the end is left out, its rate would scatter too much. Returns
 * their number, *rates is the caller's. */
static size_t second_rates(const struct series *series, int32_t point, double **rates)
{
	const size_t total = series_count(series);
	double seconds = 0, completions = 0;
	size_t count = 0;

	*rates = calloc(total ? total : 1, sizeof(**rates));
	if (!*rates)
		return 0;
	for (size_t i = 0; i < total; i++) {
		const struct interval *iv = series_at(series, i);

		if (iv->point != point || iv->warmup)
			continue;
		seconds += iv->length_s;
		completions += (double)(iv->reads + iv->writes);
		if (seconds < 0.999)
			continue;
		(*rates)[count++] = completions / seconds;
		seconds = completions = 0;
	}
	return count;
}

static void judge_point(struct run_point *point, const struct series *series, int32_t index)
{
	const struct curve_point c = to_curve(point);
	double *rates = NULL;

	point->suspect = curve_little_suspect(&c, &point->little_off_pct);
	if (!series || index < 0)
		return;
	const size_t count = second_rates(series, index, &rates);

	point->unstable = curve_unstable(
		rates, count, point->asked_iops > 0 ? point->asked_iops : point->iops);
	free(rates);
}

/* From the points of one load to those of the run. */
static void place(int *at, const int *index)
{
	if (*at >= 0)
		*at = index[*at];
}

void run_analyse(struct run *run)
{
	struct curve_analysis *a = &run->analysis;
	struct curve_point *points;
	size_t count = 0;
	int *index;

	for (size_t i = 0; i < run->search_count; i++)
		judge_point(&run->searches[i], NULL, -1);
	if (run->has_maximum)
		judge_point(&run->maximum, NULL, -1);
	run->has_analysis = false;
	if (!run->point_count)
		return;
	points = mem_alloc(run->point_count * sizeof(*points));
	index = mem_alloc(run->point_count * sizeof(*index));
	for (size_t i = 0; i < run->point_count; i++) {
		judge_point(&run->points[i], run->series, (int32_t)i);
		if (strcmp(run->points[i].load, run->points[0].load))
			continue;
		index[count] = (int)i;
		points[count++] = to_curve(&run->points[i]);
	}
	curve_analyse(points, count, run->p99_limit_ns, a);
	place(&a->start, index);
	place(&a->peak, index);
	place(&a->knee_chord, index);
	place(&a->knee_limit, index);
	place(&a->fall_off_at, index);
	run->has_analysis = true;
	free(points);
	free(index);
}

const char *run_outcome_name(enum run_outcome outcome)
{
	switch (outcome) {
	case RUN_RUNNING:
		return "running";
	case RUN_COMPLETE:
		return "complete";
	case RUN_STOPPED:
		return "stopped";
	case RUN_ABORTED:
		return "aborted";
	}
	return "aborted";
}
