/* What is needed to judge a saved run: outcome, analysis, drive, engine, host, parameters. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "nvme/environment.h"
#include "result/volume.h"
#include "screens/curve_view.h"
#include "screens/format.h"
#include "screens/run.h"

static void add_outcome(struct facts *facts, const struct run_screen *screen)
{
	const struct run *run = screen->run;
	char text[700], clock[32];

	facts_heading(facts, "Outcome");
	struct fact *row = facts_add(facts, "live.outcome", "Outcome",
		format_outcome_role(run->outcome), "%s", format_outcome(run->outcome));
	facts_note(row, ROLE_DIM, "%zu point%s%s%s", run->point_count,
		run->point_count == 1 ? "" : "s", run->ended > run->started ? " in " : "",
		run->ended > run->started
			? units_clock(clock, sizeof(clock), (double)(run->ended - run->started))
			: "");
	if (screen->entry.partial)
		facts_sentence(facts, "live.outcome", ROLE_WARN,
			"PARTIAL: the program ended before the run did; put together from its "
			"journal.");
	if (run->reason[0])
		facts_sentence(
			facts, "live.outcome", format_outcome_role(run->outcome), run->reason);
	screen_time_text(run->started, text, sizeof(text));
	facts_add(facts, "live.outcome", "Started", ROLE_VALUE, "%s", text);
	if (screen->entry.marks.tag_count)
		facts_add(facts, "run.marks", "Tags", ROLE_LABEL, "%s",
			marks_tags_text(&screen->entry.marks, text, sizeof(text)));
	if (screen->entry.marks.note[0])
		facts_sentence(facts, "run.marks", ROLE_LABEL,
			(str_format(text, sizeof(text), "Note: %s", screen->entry.marks.note),
				text));
	if (!run->spoiled_count)
		facts_sentence(facts, "run.spoiled", ROLE_GOOD,
			"Nothing was found that spoils this result.");
	for (size_t i = 0; i < run->spoiled_count && i < RUN_SPOILED_MAX; i++)
		facts_sentence(facts, "run.spoiled", ROLE_WARN, run->spoiled_by[i]);
	curve_view_doubts(run->points, run->point_count, facts);
	facts_sentence(facts, "live.outcome", ROLE_DIM,
		(str_format(text, sizeof(text), "File %s", screen->entry.path), text));
}

static void add_at(
	struct facts *facts, const char *key, const char *label, const struct run *run, int index)
{
	char text[160];

	curve_view_at(run->points, run->point_count, index, text, sizeof(text));
	struct fact *row =
		facts_add(facts, key, label, index < 0 ? ROLE_DIM : ROLE_VALUE, "%s", text);
	if (index >= 0 && (size_t)index < run->point_count)
		facts_note(row, ROLE_DIM, "%s", run->points[index].label);
}

static void add_analysis(struct facts *facts, const struct run *run)
{
	char iops[32], mean[32];

	if (run->point_count == 1)
		curve_view_single(&run->points[0], facts);
	if (!run->has_maximum && (!run->has_analysis || run->point_count < 2))
		return;
	facts_heading(facts, "Analysis");
	if (run->has_maximum) {
		struct fact *row = facts_add(facts, "run.peak", "Maximum found", ROLE_VALUE,
			"%s IOPS at %s", format_si(iops, sizeof(iops), run->maximum.iops),
			format_latency(mean, sizeof(mean), run->maximum.service.mean));
		facts_note(row, ROLE_DIM, "%u outstanding", run->maximum.outstanding_limit);
	}
	if (!run->has_analysis || run->point_count < 2)
		return;
	add_at(facts, "run.start", "Start", run, run->analysis.start);
	add_at(facts, "run.knee", "Knee", run, run->analysis.knee_chord);
	if (run->p99_limit_ns > 0)
		add_at(facts, "run.knee", "p99 limit kept to", run, run->analysis.knee_limit);
	add_at(facts, "run.peak", "Peak", run, run->analysis.peak);
	facts_add(facts, "run.fall_off", "Fall-off", run->analysis.fall_off ? ROLE_WARN : ROLE_GOOD,
		"%s", run->analysis.fall_off ? "YES: past its peak it does less" : "no");
}

static void add_text(struct facts *facts, const char *key, const char *label, const char *text)
{
	if (text[0])
		facts_add(facts, key, label, ROLE_VALUE, "%s", text);
}

static void add_smart(struct facts *facts, const struct run_target *target)
{
	const struct smart *before = &target->smart_before, *after = &target->smart_after;
	char from[64], to[24];

	if (!target->smart_before_known || !target->smart_after_known)
		return;
	if (before->temperature_c.reported && after->temperature_c.reported)
		facts_add(facts, "smart.temperature", "Temperature", ROLE_VALUE, "%s to %s",
			format_temperature(
				from, sizeof(from), (double)before->temperature_c.value, NULL),
			format_temperature(
				to, sizeof(to), (double)after->temperature_c.value, NULL));
	if (before->media_errors.reported && after->media_errors.reported &&
		after->media_errors.value > before->media_errors.value)
		facts_add(facts, "smart.media_errors", "New media errors", ROLE_CRIT, "%s",
			units_grouped(from, sizeof(from),
				after->media_errors.value - before->media_errors.value));
}

static void add_target(struct facts *facts, const struct run_target *target)
{
	char text[128], block[32], link[24], most[24];

	facts_heading(facts, target->simulated ? "Target (SIMULATED)" : "Target");
	facts_add(facts, "run.identity", "Name", ROLE_VALUE, "%s", target->name);
	if (strcmp(target->path, target->name))
		add_text(facts, "run.identity", "Path", target->path);
	add_text(facts, "run.identity", "Kind", target->kind);
	/* of a file they are those of the disk below it */
	const bool file = !strcmp(target->kind, "file");

	add_text(facts, "run.identity", file ? "Disk's model" : "Model", target->model);
	add_text(facts, "run.identity", file ? "Disk's serial" : "Serial number", target->serial);
	add_text(facts, "run.identity", "Firmware", target->firmware);
	if (target->nsid)
		facts_add(facts, "run.identity", "Namespace", ROLE_VALUE, "%u", target->nsid);
	add_text(facts, "run.identity", "Unique identifier", target->unique_id);
	facts_add(facts, "run.identity", "Size", ROLE_VALUE, "%s",
		target->size_bytes ? units_bytes_si(text, sizeof(text), target->size_bytes) : "-");
	facts_add(facts, "run.identity", "Format", ROLE_VALUE, "%s",
		format_lba(block, sizeof(block), target->lba_bytes, target->metadata_bytes));
	if (target->area_length)
		facts_add(facts, "option.area_pct", "Area", ROLE_VALUE, "%s from %s",
			format_bytes(text, sizeof(text), (double)target->area_length),
			format_bytes(block, sizeof(block), (double)target->area_offset));
	if (target->link_gts > 0) {
		environment_link_text(target->link_gts, target->link_width, link, sizeof(link));
		environment_link_text(
			target->link_max_gts, target->link_max_width, most, sizeof(most));
		struct fact *row =
			facts_add(facts, "overview.link", "PCIe link", ROLE_VALUE, "%s", link);
		facts_note(row, ROLE_DIM, "drive %s", most);
	}
	if (target->numa_node >= 0)
		facts_add(facts, "overview.numa", "NUMA node", ROLE_VALUE, "%d", target->numa_node);
	add_text(facts, "run.identity", "Scheduler", target->scheduler);
	add_text(facts, "run.identity", "File system", target->file_system);
	facts_add(facts, "run.engine", "Page cache", target->direct ? ROLE_VALUE : ROLE_WARN, "%s",
		target->direct ? "passed by (O_DIRECT)" : "IN THE WAY: buffered I/O");
	add_smart(facts, target);
}

static void add_bytes(struct facts *facts, const char *label, double bytes, const char *unknown)
{
	char text[32];

	facts_add(facts, "run.volume", label, bytes >= 0 ? ROLE_VALUE : ROLE_DIM, "%s",
		bytes >= 0 ? units_bytes_si(text, sizeof(text), (u128)bytes) : unknown);
}

/* What was written, and counted by whom; nothing of a run that only read. */
static void add_volume(struct facts *facts, const struct run *run)
{
	char text[32], block[32];
	struct run_volume v;

	run_volume(run, &v);
	if (!run->prepare.fill[0] && !(v.written > 0))
		return;
	facts_heading(facts, "Written");
	if (run->prepare.fill[0]) {
		struct fact *row = facts_add(facts, "option.prepare", "Prepared", ROLE_VALUE,
			"%s filled, %u of %u pass%s", run->prepare.fill, run->prepare.passes_done,
			run->prepare.passes, run->prepare.passes == 1 ? "" : "es");
		facts_note(row, ROLE_DIM, "%s blocks, %s",
			units_block_size(block, sizeof(block), run->prepare.block_bytes),
			units_clock(text, sizeof(text), run->prepare.seconds));
		if (run->prepare.never_written_share > 0)
			facts_add(facts, "option.prepare", "Never written", ROLE_VALUE, "%.3g %%",
				run->prepare.never_written_share * 100);
	}
	add_bytes(facts, "By nvsweep", v.written, "not known");
	add_bytes(facts, "By SMART", v.smart_written, "not known");
	add_bytes(facts, "To the media", v.media_written, "not reported");
}

static void add_engine(struct facts *facts, const struct run *run)
{
	char text[700];

	facts_heading(facts, "Engine");
	add_text(facts, "run.engine", "Backend", run->engine.backend);
	if (run->engine.fallback_from[0])
		facts_sentence(facts, "run.engine", ROLE_WARN,
			(str_format(text, sizeof(text), "Instead of %s: %s",
				 run->engine.fallback_from, run->engine.fallback_reason),
				text));
	if (run->engine.workers)
		facts_add(facts, "run.engine", "Workers", ROLE_VALUE, "%u", run->engine.workers);
	add_text(facts, "run.engine", "Pace", run->engine.pace);
	if (run->engine.notes[0])
		facts_sentence(facts, "run.engine", ROLE_DIM, run->engine.notes);
	facts_add(facts, "option.seed", "Seed", ROLE_VALUE, "%llu", (unsigned long long)run->seed);
	add_text(facts, "run.engine", "Made by", run->generator);

	facts_heading(facts, "Host");
	add_text(facts, "run.host", "Name", run->host.hostname);
	add_text(facts, "run.host", "Kernel", run->host.kernel);
	add_text(facts, "run.host", "Processor", run->host.cpu_model);
	if (run->host.cpus)
		facts_add(facts, "run.host", "CPUs", ROLE_VALUE, "%u %s", run->host.cpus,
			run->host.machine);
	if (run->host.memory_bytes)
		facts_add(facts, "run.host", "Memory", ROLE_VALUE, "%s",
			units_bytes_iec(text, sizeof(text), run->host.memory_bytes));
}

void run_details_fill(struct run_screen *screen, int width)
{
	const struct run *run = screen->run;
	struct facts *first, *second;

	screen->width = width;
	facts_pair_begin(&screen->details, width, &first, &second);
	add_outcome(first, screen);
	add_analysis(first, run);
	for (size_t i = 0; i < run->target_count && i < RUN_TARGETS_MAX; i++)
		add_target(first, &run->targets[i]);
	add_volume(second, run);
	add_engine(second, run);
	facts_heading(second, "Parameters");
	facts_add(second, "form.workload", "workload", ROLE_VALUE, "%s", run->workload);
	facts_add(second, "form.method", "method", ROLE_VALUE, "%s", run->method);
	for (size_t i = 0; i < run->parameter_count; i++) {
		char key[48];

		str_format(key, sizeof(key), "option.%s", run->parameters[i].key);
		facts_add(second, key, run->parameters[i].key, ROLE_VALUE, "%s",
			run->parameters[i].value[0] ? run->parameters[i].value : "-");
	}
	facts_pair_end(&screen->details);
}
