/* Runs as plain tables: the result of `run`, `results` and `results RUN`. */
#include "report/run_text.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "report/check_text.h"
#include "report/run_cells.h"
#include "result/volume.h"

static void line(
	struct strbuf *out, const struct text_style *style, const char *label, const char *text)
{
	if (!*text)
		return;
	strbuf_addf(out, "%-11s ", label);
	text_wrap(out, style, 12, 12, text);
}

static void target_line(
	const struct run_target *target, const struct text_style *style, struct strbuf *out)
{
	char text[512], size[32];

	str_format(text, sizeof(text), "%s", target->kind[0] ? target->name : target->path);
	/* of a file they are those of the disk below it */
	const bool file = !strcmp(target->kind, "file");

	if (*target->model && !file)
		str_append(text, sizeof(text), "  %s", target->model);
	if (*target->serial && !file)
		str_append(text, sizeof(text), "  SN %s", target->serial);
	if (*target->firmware)
		str_append(text, sizeof(text), "  FW %s", target->firmware);
	str_append(text, sizeof(text), "  %s of %s",
		units_bytes_si(size, sizeof(size), target->area_length), target->kind);
	if (target->area_offset)
		str_append(text, sizeof(text), " from byte %llu",
			(unsigned long long)target->area_offset);
	if (*target->file_system)
		str_append(text, sizeof(text), " on %s", target->file_system);
	if (file && (*target->model || *target->serial))
		str_append(text, sizeof(text), ", on the disk %s%s%s%s", target->model,
			*target->model && *target->serial ? " " : "", *target->serial ? "SN " : "",
			target->serial);
	if (target->simulated)
		str_append(text, sizeof(text), "  SIMULATED");
	line(out, style, "target", text);
}

static void prepare_line(const struct run *run, const struct text_style *style, struct strbuf *out)
{
	char text[400], bytes[32], block[32], clock[32];

	if (!run->prepare.fill[0])
		return;
	str_format(text, sizeof(text),
		"%s filled, %u of %u pass%s of %s sequential writes, %s in %s", run->prepare.fill,
		run->prepare.passes_done, run->prepare.passes, run->prepare.passes == 1 ? "" : "es",
		units_block_size(block, sizeof(block), run->prepare.block_bytes),
		units_bytes_si(bytes, sizeof(bytes), run->prepare.bytes),
		units_clock(clock, sizeof(clock), run->prepare.seconds));
	if (run->prepare.never_written_share > 0)
		str_append(text, sizeof(text), "; %.3g %% never written",
			run->prepare.never_written_share * 100);
	line(out, style, "prepared", text);
}

/* What was written, by whom it is counted; nothing of a run that only read. */
static void volume_line(const struct run *run, const struct text_style *style, struct strbuf *out)
{
	struct run_volume v;
	char text[400], bytes[32];

	run_volume(run, &v);
	if (!(v.written > 0))
		return;
	str_format(text, sizeof(text), "%s by nvsweep",
		units_bytes_si(bytes, sizeof(bytes), (u128)v.written));
	if (v.smart_written >= 0)
		str_append(text, sizeof(text), "; by SMART %s from all hosts",
			units_bytes_si(bytes, sizeof(bytes), (u128)v.smart_written));
	if (v.media_written >= 0)
		str_append(text, sizeof(text), "; %s to the media",
			units_bytes_si(bytes, sizeof(bytes), (u128)v.media_written));
	else if (v.smart_written >= 0)
		str_append(text, sizeof(text), "; media writes are not reported");
	line(out, style, "written", text);
}

/* A reason that begins with the word itself says it once: "stopped by the user". */
static void outcome_text(const struct run *run, char *buf, size_t size)
{
	const char *word = run_outcome_name(run->outcome);

	if (!*run->reason)
		str_copy(buf, size, word);
	else if (str_starts_with(run->reason, word))
		str_copy(buf, size, run->reason);
	else
		str_format(buf, size, "%s: %s", word, run->reason);
}

static void note_lines(const char *note, const struct text_style *style, struct strbuf *out)
{
	const char *label = "note";
	char text[RUN_NOTE_BYTES + 1];

	while (*note) {
		const size_t length = strcspn(note, "\n");

		str_format(text, sizeof(text), "%.*s", (int)length, note);
		if (*text)
			line(out, style, label, text);
		else
			strbuf_add(out, "\n");
		label = "";
		note += length + (note[length] == '\n');
	}
}

static void head(const struct run *run, const struct text_style *style, struct strbuf *out)
{
	char text[768], time[2][32];

	line(out, style, "run", run->id);
	for (size_t i = 0; i < run->target_count; i++)
		target_line(&run->targets[i], style, out);
	str_format(text, sizeof(text), "%s, method %s", run->workload, run->method);
	line(out, style, "workload", text);
	str_format(text, sizeof(text), "%s, %u worker%s, pace %s, seed %llu", run->engine.backend,
		run->engine.workers, run->engine.workers == 1 ? "" : "s", run->engine.pace,
		(unsigned long long)run->seed);
	if (*run->engine.fallback_from)
		str_append(text, sizeof(text), "; instead of %s: %s", run->engine.fallback_from,
			run->engine.fallback_reason);
	line(out, style, "engine", text);
	line(out, style, "notes", run->engine.notes);
	str_format(
		text, sizeof(text), "%s", units_iso_time(time[0], sizeof(time[0]), run->started));
	if (run->ended > run->started)
		str_append(text, sizeof(text), ", %s",
			units_clock(time[1], sizeof(time[1]), (double)(run->ended - run->started)));
	line(out, style, "started", text);
	prepare_line(run, style, out);
	volume_line(run, style, out);
	outcome_text(run, text, sizeof(text));
	line(out, style, "outcome", text);
	line(out, style, "tags", marks_tags_text(&run->marks, text, sizeof(text)));
	note_lines(run->marks.note, style, out);
}

static const struct text_column point_columns[] = {
	{.title = "POINT"},
	{.title = "ASKED/s", .right = true, .drop = 5},
	{.title = "IOPS", .right = true},
	{.title = "MiB/s", .right = true, .drop = 2},
	{.title = "OUT", .right = true, .drop = 4},
	{.title = "MEAN", .right = true},
	{.title = "p50", .right = true, .drop = 7},
	{.title = "p99", .right = true},
	{.title = "p99.9", .right = true, .drop = 6},
	{.title = "p99.99", .right = true, .drop = 8},
	{.title = "MAX", .right = true, .drop = 9},
	{.title = "RESP MEAN", .right = true, .drop = 10},
	{.title = "RESP p99", .right = true, .drop = 3},
	{.title = "REMARK", .shrink_to = 9},
};

static void point_remark(const struct run_point *point, bool ascii, char *buf, size_t size)
{
	char age[32];

	buf[0] = '\0';
	if (point->saturated)
		str_append(buf, size, ", saturated (waits %s and more)",
			units_latency(age, sizeof(age), point->saturated_age_ns, ascii));
	if (*point->limited_by)
		str_append(buf, size, ", limited by %s", point->limited_by);
	if (point->unstable)
		str_append(buf, size, ", unstable");
	if (point->suspect)
		str_append(buf, size, ", suspect: Little's law is off by %.1f %%",
			point->little_off_pct);
	if (point->errors)
		str_append(buf, size, ", %llu errors", (unsigned long long)point->errors);
	if (*buf)
		memmove(buf, buf + 2, strlen(buf + 2) + 1);
}

static void point_add(struct text_table *table, const struct run_point *point, bool ascii)
{
	char cells[14][32], remark[256];
	const bool open_loop = point->asked_iops > 0;
	const struct latency *service = &point->service, *response = &point->response;

	str_copy(cells[0], sizeof(cells[0]), point->label);
	str_copy(cells[1], sizeof(cells[1]), "");
	if (open_loop)
		run_cell_rate(cells[1], sizeof(cells[1]), point->asked_iops);
	run_cell_rate(cells[2], sizeof(cells[2]), point->iops);
	run_cell_decimal(cells[3], sizeof(cells[3]), point->mib_s);
	run_cell_decimal(cells[4], sizeof(cells[4]), point->outstanding_avg);
	run_cell_latency(cells[5], sizeof(cells[5]), service->mean, ascii);
	run_cell_latency(cells[6], sizeof(cells[6]), service->p50, ascii);
	run_cell_latency(cells[7], sizeof(cells[7]), service->p99, ascii);
	run_cell_latency(cells[8], sizeof(cells[8]), service->p99_9, ascii);
	run_cell_latency(cells[9], sizeof(cells[9]), service->p99_99, ascii);
	run_cell_latency(cells[10], sizeof(cells[10]), service->max, ascii);
	cells[11][0] = cells[12][0] = '\0';
	if (open_loop && !point->saturated) {
		run_cell_latency(cells[11], sizeof(cells[11]), response->mean, ascii);
		run_cell_latency(cells[12], sizeof(cells[12]), response->p99, ascii);
	}
	point_remark(point, ascii, remark, sizeof(remark));
	text_table_add(table,
		(const char *const[]){cells[0], cells[1], cells[2], cells[3], cells[4], cells[5],
			cells[6], cells[7], cells[8], cells[9], cells[10], cells[11], cells[12],
			remark});
}

static void points(const struct run *run, const struct text_style *style, struct strbuf *out)
{
	struct text_table table;

	if (!run->point_count && !run->has_maximum)
		return;
	text_table_init(&table, point_columns, sizeof(point_columns) / sizeof(point_columns[0]));
	if (run->has_maximum) {
		struct run_point maximum = run->maximum;

		str_copy(maximum.label, sizeof(maximum.label), "maximum");
		point_add(&table, &maximum, style->ascii);
	}
	for (size_t i = 0; i < run->point_count; i++)
		point_add(&table, &run->points[i], style->ascii);
	strbuf_add(out, "\n");
	text_table_print(&table, style, out);
	text_table_free(&table);
	strbuf_add(out, "Latencies are service times; RESP counts from the scheduled arrival.\n");
}

static const struct text_column direction_columns[] = {
	{.title = "POINT"},
	{.title = "READS/s", .right = true},
	{.title = "MiB/s", .right = true, .drop = 2},
	{.title = "MEAN", .right = true},
	{.title = "p99", .right = true},
	{.title = "p99.9", .right = true, .drop = 1},
	{.title = "WRITES/s", .right = true},
	{.title = "MiB/s", .right = true, .drop = 2},
	{.title = "MEAN", .right = true},
	{.title = "p99", .right = true},
	{.title = "p99.9", .right = true, .drop = 1},
};

/* The cells of one direction of a point. The rates are the point's own, shared out by the counts. */
static void direction_cells(
	const struct run_point *point, bool writes, bool ascii, char (*cells)[32])
{
	const struct latency *service = writes ? &point->write_service : &point->read_service;
	const double count = (double)(writes ? point->writes : point->reads);
	const double bytes = (double)(writes ? point->write_bytes : point->read_bytes);
	const double all = (double)point->count;
	const double all_bytes = (double)point->read_bytes + (double)point->write_bytes;

	run_cell_rate(cells[0], sizeof(cells[0]), all > 0 ? point->iops * count / all : NAN);
	run_cell_decimal(
		cells[1], sizeof(cells[1]), all_bytes > 0 ? point->mib_s * bytes / all_bytes : NAN);
	run_cell_latency(cells[2], sizeof(cells[2]), service->mean, ascii);
	run_cell_latency(cells[3], sizeof(cells[3]), service->p99, ascii);
	run_cell_latency(cells[4], sizeof(cells[4]), service->p99_9, ascii);
}

/* Reads and writes apart, of a run that has both. */
static void directions(const struct run *run, const struct text_style *style, struct strbuf *out)
{
	struct text_table table;
	bool both = false;

	for (size_t i = 0; i < run->point_count; i++)
		both = both || (run->points[i].reads && run->points[i].writes);
	if (!both)
		return;
	text_table_init(&table, direction_columns,
		sizeof(direction_columns) / sizeof(direction_columns[0]));
	for (size_t i = 0; i < run->point_count; i++) {
		char cells[11][32];
		const char *texts[11];

		str_copy(cells[0], sizeof(cells[0]), run->points[i].label);
		direction_cells(&run->points[i], false, style->ascii, &cells[1]);
		direction_cells(&run->points[i], true, style->ascii, &cells[6]);
		for (size_t c = 0; c < 11; c++)
			texts[c] = cells[c];
		text_table_add(&table, texts);
	}
	strbuf_add(out, "\n");
	text_table_print(&table, style, out);
	text_table_free(&table);
}

/* What an interrupted test has of a point that never ended: its intervals are saved, and said. */
static void unfinished(const struct run *run, const struct text_style *style, struct strbuf *out)
{
	const size_t count = run->series ? series_count(run->series) : 0;
	double seconds = 0, completions = 0;
	char text[160], rate[32];

	if (run->outcome == RUN_COMPLETE || run->point_count)
		return;
	for (size_t i = 0; i < count; i++) {
		const struct interval *interval = series_at(run->series, i);

		if (interval->warmup || interval->point < 0)
			continue;
		seconds += interval->length_s;
		completions += (double)(interval->reads + interval->writes);
	}
	if (seconds <= 0)
		return;
	str_format(text, sizeof(text), "%.1f s of a point that did not end: %s IOPS on average",
		seconds, run_cell_rate(rate, sizeof(rate), completions / seconds));
	line(out, style, "measured", text);
}

static void analysis_word(
	const struct run *run, const char *word, int index, bool ascii, char *buf, size_t size)
{
	char rate[32], latency[32];

	if (index < 0 || (size_t)index >= run->point_count)
		return;
	const struct run_point *point = &run->points[index];

	str_append(buf, size, "%s%s %s IOPS at %s", *buf ? ", " : "", word,
		run_cell_rate(rate, sizeof(rate), point->iops),
		units_latency(latency, sizeof(latency), point->service.mean, ascii));
}

static void analysis(const struct run *run, const struct text_style *style, struct strbuf *out)
{
	const struct curve_analysis *found = &run->analysis;
	char text[512] = "";

	if (!run->has_analysis || run->point_count < 2)
		return;
	analysis_word(run, "start", found->start, style->ascii, text, sizeof(text));
	analysis_word(run, "knee", found->knee_chord, style->ascii, text, sizeof(text));
	analysis_word(run, "peak", found->peak, style->ascii, text, sizeof(text));
	analysis_word(
		run, "p99 limit kept up to", found->knee_limit, style->ascii, text, sizeof(text));
	str_append(text, sizeof(text), "%s%s", *text ? ", " : "",
		found->fall_off ? "falls off past its peak" : "no fall-off");
	strbuf_add(out, "\n");
	line(out, style, "curve", text);
}

/* Of a quick check, what it says of the drive. */
static void check_lines(const struct run *run, const struct text_style *style, struct strbuf *out)
{
	struct check check;

	if (!check_is(run))
		return;
	check_judge(run, &check);
	line(out, style, "verdict",
		check.why_unknown[0] ? check.why_unknown : health_name(check.verdict));
	strbuf_add(out, "\n");
	check_text_lines(&check, style, out);
}

/* The rank, or that there is none and why; the notes that change how it is to be taken. */
static void published(const struct reference_comparison *reference, const struct run *run,
	const struct text_style *style, struct strbuf *out)
{
	if (!reference || (!reference->comparable && !reference->count))
		return;
	if (!run->has_analysis || run->point_count < 2)
		strbuf_add(out, "\n");
	line(out, style, "published",
		reference->comparable ? reference->rank_text : reference->none);
	for (size_t i = 0; i < reference->note_count; i++)
		line(out, style, "", reference->notes[i]);
}

void run_text(const struct run *run, const struct reference_comparison *reference,
	const struct text_style *style, struct strbuf *out)
{
	head(run, style, out);
	check_lines(run, style, out);
	unfinished(run, style, out);
	points(run, style, out);
	directions(run, style, out);
	analysis(run, style, out);
	published(reference, run, style, out);
	if (run->spoiled_count)
		strbuf_add(out, "\nWhat spoils this result\n");
	for (size_t i = 0; i < run->spoiled_count; i++) {
		strbuf_add(out, "  - ");
		text_wrap(out, style, 4, 4, run->spoiled_by[i]);
	}
}

/* "fresh, batch-7 (noted)": that there is a note is worth knowing, its text is not for a table. */
static void tags_and_note(const struct run_marks *marks, char *buf, size_t size)
{
	marks_tags_text(marks, buf, size);
	if (*marks->note)
		str_append(buf, size, "%s(noted)", *buf ? " " : "");
}

void run_text_list(const struct store_entry *entries, size_t count, const struct text_style *style,
	struct strbuf *out)
{
	static const struct text_column columns[] = {
		{.title = "RUN", .shrink_to = 28},
		{.title = "WORKLOAD", .shrink_to = 12, .drop = 2},
		{.title = "METHOD", .drop = 5},
		{.title = "TARGET", .shrink_to = 10, .drop = 3},
		{.title = "POINTS", .right = true, .drop = 4},
		{.title = "PEAK IOPS", .right = true},
		{.title = "MEAN", .right = true},
		{.title = "OUTCOME", .shrink_to = 10},
		{.title = "TAGS", .shrink_to = 8, .drop = 1},
	};
	struct text_table table;

	text_table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < count; i++) {
		const struct store_entry *entry = &entries[i];
		char number[24], rate[32], mean[32], outcome[192], tags[256];

		tags_and_note(&entry->marks, tags, sizeof(tags));
		str_format(number, sizeof(number), "%u", entry->point_count);
		if (*entry->fault) {
			text_table_add(&table,
				(const char *const[]){
					entry->id, "", "", "", "", "", "", entry->fault, ""});
			continue;
		}
		str_format(outcome, sizeof(outcome), "%s%s%s",
			entry->running ? "running" : run_outcome_name(entry->outcome),
			entry->partial && !entry->running ? " (partial)" : "",
			entry->simulated ? " SIMULATED" : "");
		text_table_add(&table,
			(const char *const[]){entry->id, entry->workload, entry->method,
				entry->target, number,
				run_cell_rate(rate, sizeof(rate), entry->peak_iops),
				run_cell_latency(
					mean, sizeof(mean), entry->peak_mean_ns, style->ascii),
				outcome, tags});
	}
	text_table_print(&table, style, out);
	text_table_free(&table);
}
