/* What is found out about a run beside its points: the host, SMART before and after, and what
 * spoils the result (METHODS 4). */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "base/units.h"
#include "sweep/load.h"
#include "sweep/runner_internal.h"

#define SMART_WAIT_MS 2000
#define OTHER_IO_PCT 5.0
#define OTHER_IO_LEAST ((uint64_t)1 << 20)
#define USED_SHARE_LEAST 0.05
#define WRITTEN_SHARE_LEAST 0.99
#define CPU_WAIT_PCT 5.0
#define SAMPLE_SHARE 0.1 /* of the time that a method may take */

/* ---- host and parameters -------------------------------------------------------------------- */

static void read_cpu_model(char *buf, size_t size)
{
	char line[256];
	FILE *file = fopen("/proc/cpuinfo", "re");

	buf[0] = '\0';
	while (file && fgets(line, sizeof(line), file)) {
		char *colon = strchr(line, ':');

		if (!colon || !str_starts_with(line, "model name"))
			continue;
		str_sanitize_utf8(buf, size, str_trim(colon + 1));
		break;
	}
	if (file)
		fclose(file);
}

void runner_record_host(struct run *run)
{
	struct utsname name;
	struct sysinfo info;
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (!uname(&name)) {
		str_sanitize_utf8(run->host.hostname, sizeof(run->host.hostname), name.nodename);
		str_format(run->host.kernel, sizeof(run->host.kernel), "%.40s %.80s", name.sysname,
			name.release);
		str_copy(run->host.machine, sizeof(run->host.machine), name.machine);
	}
	read_cpu_model(run->host.cpu_model, sizeof(run->host.cpu_model));
	run->host.cpus = cpus > 0 ? (uint32_t)cpus : 0;
	if (!sysinfo(&info))
		run->host.memory_bytes = (uint64_t)info.totalram * info.mem_unit;
}

static void record_parameters(const struct runner *runner, struct run *run)
{
	struct options effective = runner->options;

	effective.outstanding = sweep_load_outstanding(runner->workload, &runner->options);
	effective.maximum_s = options_maximum_s(&runner->options);
	run->parameters = mem_alloc(options_count * sizeof(*run->parameters));
	for (size_t i = 0; i < options_count; i++) {
		const struct option_row *row = &options_table[i];

		if (!options_row_applies(row, runner->method->name) ||
			(!runner->paced && !strcmp(row->key, "time_factor")))
			continue;
		str_copy(run->parameters[run->parameter_count].key, sizeof(run->parameters[0].key),
			row->key);
		options_value(&effective, row, run->parameters[run->parameter_count].value,
			sizeof(run->parameters[0].value));
		run->parameter_count++;
	}
}

static void record_engine(const struct runner *runner, struct run *run, const char *fallback)
{
	const struct io_backend_facts *facts = io_pool_facts(runner->pool);
	const char *asked = runner->options.backend;

	str_copy(run->engine.backend, sizeof(run->engine.backend), facts->name);
	str_copy(run->engine.notes, sizeof(run->engine.notes), facts->notes);
	str_copy(run->engine.pace, sizeof(run->engine.pace), runner->options.pace);
	run->engine.workers = io_pool_workers(runner->pool);
	if (facts->depth && facts->depth < runner->loads[0].outstanding)
		run_spoil(run, "only %u I/Os could be kept outstanding per target, %u were wanted",
			facts->depth, runner->loads[0].outstanding);
	if (!fallback[0])
		return;
	str_copy(run->engine.fallback_from, sizeof(run->engine.fallback_from),
		strcmp(asked, "auto") ? asked : "uring");
	str_copy(run->engine.fallback_reason, sizeof(run->engine.fallback_reason), fallback);
	run_spoil(run, "%s was not available, %s was used: %s", run->engine.fallback_from,
		facts->name, fallback);
}

static void record_health(const struct runner *runner, struct run *run)
{
	const struct inventory_controller *controller = NULL;

	if (runner->inventory && runner->targets[0].controller[0])
		controller =
			inventory_find_controller(runner->inventory, runner->targets[0].controller);
	run->has_health = controller != NULL;
	if (controller)
		run->health = controller->health;
}

void runner_record_start(struct runner *runner, const char *fallback)
{
	struct run *run = runner->run;

	str_copy(run->workload, sizeof(run->workload), runner->workload->name);
	run->workload_text = mem_strdup(runner->workload->text ? runner->workload->text : "");
	str_copy(run->method, sizeof(run->method), runner->method->name);
	run->seed = runner->options.seed;
	run->bytes_known = true;
	run->started = clock_wall_seconds();
	run->p99_limit_ns = runner->options.p99_limit_us * 1000;
	run->target_count = runner->target_count;
	for (size_t i = 0; i < runner->target_count; i++) {
		run->targets[i] = runner->targets[i].info;
		run->simulated = run->simulated || run->targets[i].simulated;
	}
	record_health(runner, run);
	record_parameters(runner, run);
	record_engine(runner, run, fallback);
	runner_record_host(run);
	run_make_id(run);
}

/* ---- before --------------------------------------------------------------------------------- */

static void keep_smart(struct runner *runner, bool after)
{
	for (size_t i = 0; i < runner->target_count; i++) {
		struct run_target *t = &runner->run->targets[i];
		const char *controller = runner->targets[i].controller;

		if (after)
			t->smart_after_known =
				sampler_smart(runner->sampler, controller, &t->smart_after);
		else
			t->smart_before_known =
				sampler_smart(runner->sampler, controller, &t->smart_before);
	}
}

/* True when reads may be answered without the medium. */
static bool beside_medium(const struct sweep_target *t)
{
	return t->buffered || !strcmp(t->info.file_system, "tmpfs") ||
		!strcmp(t->info.file_system, "ramfs") || t->used_share < USED_SHARE_LEAST ||
		(t->sampled && (t->written_share < WRITTEN_SHARE_LEAST || t->mostly_zero));
}

static void doubt_content(const struct runner *runner, const struct sweep_target *t)
{
	struct run *run = runner->run;
	const char *name = t->info.name;

	if (t->buffered)
		run_spoil(run,
			"%.60s: its file system refuses direct I/O, so memory may answer instead of "
			"the drive",
			name);
	if (!strcmp(t->info.file_system, "tmpfs") || !strcmp(t->info.file_system, "ramfs"))
		run_spoil(run, "%.60s lies in memory (%s): no drive is measured", name,
			t->info.file_system);
	if (t->used_share < USED_SHARE_LEAST && runner->writes)
		run_spoil(run,
			"only %.1f %% of %.60s are in use: as long as so much is free, writes are faster "
			"than later",
			t->used_share * 100, name);
	if (!runner->reads)
		return; /* what lies there is not asked for */
	if (t->used_share < USED_SHARE_LEAST)
		run_spoil(run,
			"only %.1f %% of %.60s are in use: blocks never written are answered without "
			"the medium",
			t->used_share * 100, name);
	if (!t->sampled)
		return;
	if (t->written_share < WRITTEN_SHARE_LEAST)
		run_spoil(run,
			"%.1f %% of the area of %.60s was never written (holes or unwritten extents)",
			(1 - t->written_share) * 100, name);
	if (t->mostly_zero)
		run_spoil(run,
			"most of 64 sampled blocks of %.60s are zero or alike: a drive may answer "
			"them without reading",
			name);
}

bool runner_cancelled(void *user)
{
	const struct runner *runner = user;

	return atomic_load(&runner->stop);
}

/* A method that must be over in time does not spend it on looking at a slow drive's blocks. */
static bool sampled_enough(void *user)
{
	const struct runner *runner = user;
	const double limit_s = runner->method->limit_s;

	return runner_cancelled(user) ||
		(limit_s > 0 && runner_elapsed_s(runner) > SAMPLE_SHARE * limit_s);
}

void runner_before(struct runner *runner)
{
	runner->doubts.sleep_base_ns = clock_boottime_ns() - clock_monotonic_ns();
	sampler_ask_smart(runner->sampler);
	if (!runner->virtual_time || runner->paced)
		sampler_tick(runner->sampler);
	sampler_wait_smart(runner->sampler, SMART_WAIT_MS, runner_cancelled, runner);
	keep_smart(runner, false);
}

void runner_look(struct runner *runner)
{
	struct run *run = runner->run;
	const bool null = !strcmp(run->engine.backend, "null");

	if (null)
		run_spoil(
			run, "the null backend moves no data: these are figures of nvsweep itself");
	for (size_t i = 0; i < runner->target_count && !null; i++) {
		/* A test of exactly so many bytes reads no others. */
		if (!runner->options.bytes)
			sweep_target_sample(
				&runner->targets[i], runner->options.seed, sampled_enough, runner);
		doubt_content(runner, &runner->targets[i]);
		run->targets[i].beside_medium = beside_medium(&runner->targets[i]);
	}
}

/* ---- other I/O on the device ---------------------------------------------------------------- */

/* Each disk once, where its statistics say anything about this run's reads. */
static bool counts(const struct runner *runner, size_t index)
{
	const struct sweep_target *t = &runner->targets[index];

	if (runner->virtual_time || t->buffered || !t->disk[0])
		return false;
	for (size_t i = 0; i < index; i++)
		if (!strcmp(runner->targets[i].disk, t->disk))
			return false;
	return true;
}

void runner_iostat_begin(struct runner *runner)
{
	for (size_t i = 0; i < runner->target_count; i++) {
		struct iostat_counters *before = &runner->step.before[i];

		*before = (struct iostat_counters){0};
		if (counts(runner, i) && iostat_read("", runner->targets[i].disk, before))
			before->taken_ns = 0;
	}
}

void runner_iostat_end(struct runner *runner)
{
	struct runner_step *step = &runner->step;
	/* What was still in flight when the window ended has been read, but is not counted. */
	const uint64_t slack = (uint64_t)io_load_max_block(&runner->loads[step->plan.load]) *
		step->plan.outstanding * runner->target_count;
	uint64_t seen = 0;

	for (size_t i = 0; i < runner->target_count; i++) {
		const struct iostat_counters *before = &step->before[i];
		struct iostat_counters after;

		if (!before->taken_ns)
			continue;
		if (iostat_read("", runner->targets[i].disk, &after) ||
			after.read_sectors < before->read_sectors ||
			after.write_sectors < before->write_sectors)
			return; /* replaced: nothing can be said */
		seen += 512 *
			(after.read_sectors - before->read_sectors + after.write_sectors -
				before->write_sectors);
	}
	if (!step->own_bytes || seen <= step->own_bytes + slack)
		return;
	const uint64_t other = seen - step->own_bytes - slack;
	const double pct = 100 * (double)other / (double)step->own_bytes;

	if (pct <= OTHER_IO_PCT || other < OTHER_IO_LEAST)
		return;
	runner->doubts.steps_disturbed++;
	runner->doubts.disturbed_pct = fmax(runner->doubts.disturbed_pct, pct);
}

/* ---- after ---------------------------------------------------------------------------------- */

static int64_t growth(const struct field_int *before, const struct field_int *after)
{
	return before->reported && after->reported ? after->value - before->value : 0;
}

static void doubt_smart(struct run *run, const struct run_target *t)
{
	const struct smart *a = &t->smart_before, *b = &t->smart_after;

	if (!t->smart_before_known || !t->smart_after_known)
		return;
	const int64_t throttled = growth(&a->thermal1_count, &b->thermal1_count) +
		growth(&a->thermal2_count, &b->thermal2_count);
	const int64_t hot =
		growth(&a->warning_temperature_minutes, &b->warning_temperature_minutes) +
		growth(&a->critical_temperature_minutes, &b->critical_temperature_minutes);

	if (throttled > 0)
		run_spoil(run, "%.60s throttled itself for heat %" PRId64 " times", t->name,
			throttled);
	if (hot > 0)
		run_spoil(run, "%.60s was above its warning temperature for %" PRId64 " min",
			t->name, hot);
	if (a->media_errors.reported && b->media_errors.reported &&
		b->media_errors.value > a->media_errors.value)
		run_spoil(run, "%.60s counted new media errors during the test", t->name);
}

static void doubt_points(struct run *run)
{
	unsigned host = 0, unreached = 0, suspect = 0, unstable = 0, starved = 0;
	double waited = 0;

	for (size_t i = 0; i < run->point_count; i++) {
		const struct run_point *p = &run->points[i];
		const bool within =
			!(p->percent >= 100); /* at and past the maximum it is the test */

		host += !strcmp(p->limited_by, "host");
		suspect += p->suspect;
		unstable += p->unstable;
		unreached += within && run_point_fell_short(p);
		starved += p->cpu_wait_pct > CPU_WAIT_PCT;
		waited = fmax(waited, p->cpu_wait_pct);
	}
	if (host)
		run_spoil(run,
			"the host was the limit in %u of %zu points: an I/O thread had no CPU left",
			host, run->point_count);
	if (starved)
		run_spoil(run,
			"other programs took the CPU in %u of %zu points: an I/O thread waited for it "
			"up to %.0f %% of the time",
			starved, run->point_count, waited);
	if (unreached)
		run_spoil(run, "%u of %zu points did not reach their rate", unreached,
			run->point_count);
	if (suspect)
		run_spoil(run,
			"%u of %zu points are suspect: IOPS x mean latency is more than 2 %% off the "
			"outstanding I/Os",
			suspect, run->point_count);
	if (unstable)
		run_spoil(run, "%u of %zu points are unstable from second to second", unstable,
			run->point_count);
}

static void doubt_run(struct runner *runner)
{
	const struct runner_doubts *d = &runner->doubts;
	const uint64_t asleep_base = clock_boottime_ns() - clock_monotonic_ns();
	struct run *run = runner->run;
	const char *link = sampler_link_fault(runner->sampler);

	if (link[0])
		run_spoil(run, "%s", link);
	if (d->errors)
		run_spoil(run, "%" PRIu64 " I/Os failed, the first with: %s", d->errors,
			err_errno_text(-d->first_error));
	if (d->punted)
		run_spoil(run, "I/O was punted to kernel worker threads (iou-wrk)");
	if (asleep_base > d->sleep_base_ns && asleep_base - d->sleep_base_ns > 500000000)
		run_spoil(run, "suspended: the system was asleep for %.1f s during the test",
			(double)(asleep_base - d->sleep_base_ns) * 1e-9);
	else if (d->suspended_ns > 1000000 && !runner->virtual_time)
		run_spoil(run, "the test was suspended for %.1f s inside a measured window",
			(double)d->suspended_ns * 1e-9);
	if (d->stalled_ns)
		run_spoil(run, "suspended: the program was stopped or got no CPU for %.1f s",
			(double)d->stalled_ns * 1e-9);
	if (d->steps_disturbed)
		run_spoil(run,
			"other I/O on the device in %u of %u steps, at most %.0f %% beyond the test's "
			"own",
			d->steps_disturbed, runner->steps_done, d->disturbed_pct);
}

void runner_after(struct runner *runner)
{
	struct run *run = runner->run;

	sampler_ask_smart(runner->sampler);
	sampler_wait_smart(runner->sampler, SMART_WAIT_MS, NULL, NULL);
	keep_smart(runner, true);
	run_analyse(run);
	for (size_t i = 0; i < run->target_count; i++)
		doubt_smart(run, &run->targets[i]);
	doubt_points(run);
	doubt_run(runner);
}
