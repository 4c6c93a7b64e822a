/* Judges the lines of a quick check. The thresholds and their reasons stand in the header. */
#include "result/check.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"

#define BOUND_PCT 90.0
#define CPU_WAIT_PCT 5.0
#define SLOW_LINK_PCT 25.0
#define CACHE_NS 5e3
#define SAME_PEAK 1.01

/* What a drive is made of, for what is usual. */
struct media {
	const char *what; /* "flash on PCIe" */
	double p50_ns, p99_ns, iops, bytes_s;
};
static const struct media media_pcie = {"flash on PCIe", 200e3, 500e3, 20000, 500e6};
static const struct media media_ssd = {"flash on SATA or SAS", 400e3, 2e6, 8000, 200e6};
static const struct media media_disk = {"a disk that turns", 20e6, 100e6, 50, 60e6};

/* ---- lines ---------------------------------------------------------------------------------- */

static void say(struct check_line *line, enum check_state state, const char *word)
{
	line->state = state;
	str_copy(line->word, sizeof(line->word), word);
}

static void value(struct check_line *line, const char *key, double number)
{
	if (line->value_count == CHECK_VALUES)
		return;
	line->values[line->value_count].key = key;
	line->values[line->value_count++].value = number;
}

static void not_judged(struct check_line *line, const char *reason)
{
	say(line, CHECK_NOT_JUDGED, "not judged");
	str_copy(line->reason, sizeof(line->reason), reason);
}

static char *rate_text(char *buf, size_t size, double iops)
{
	return units_grouped(buf, size, (u128)(iops + 0.5));
}

static char *bytes_text(char *buf, size_t size, double bytes_s)
{
	units_bytes_si(buf, size, (u128)(bytes_s + 0.5));
	str_append(buf, size, "/s");
	return buf;
}

/* ---- what the target is --------------------------------------------------------------------- */

static bool is_file(const struct run_target *t)
{
	return !strcmp(t->kind, "file");
}

static bool on_pcie(const struct run_target *t)
{
	return t->nsid && (!t->transport[0] || !strcmp(t->transport, "pcie"));
}

static bool on_sata(const struct run_target *t)
{
	return !strcmp(t->transport, "sata") || !strcmp(t->transport, "sas") ||
		!strcmp(t->transport, "ata");
}

/* Why figures of this target are not held against what is usual; "" and *out otherwise. */
static void media_of(const struct run_target *t, const char *backend, const struct media **out,
	char *why, size_t size)
{
	*out = NULL;
	str_copy(why, size, "");
	if (!strcmp(backend, "null"))
		str_copy(why, size, "the null backend reads nothing");
	else if (t->beside_medium)
		str_copy(why, size, "reads may be answered without the medium, see below");
	else if (is_file(t))
		str_copy(why, size, "a file: its file system and whatever is below are in it");
	else if (on_pcie(t))
		*out = &media_pcie;
	else if (t->nsid)
		str_format(why, size, "reached over %s: the way there is in it", t->transport);
	else if (!strcmp(t->transport, "usb"))
		str_copy(why, size, "behind a USB bridge");
	else if (on_sata(t))
		*out = t->rotational ? &media_disk : &media_ssd;
	else
		str_format(why, size, "%s%sno drive whose kind is known",
			t->transport[0] ? t->transport : "", t->transport[0] ? ": " : "");
}

static void link_of(const struct run_target *t, struct environment *env)
{
	*env = (struct environment){.link_gts = t->link_gts,
		.link_width = t->link_width,
		.link_max_gts = t->link_max_gts,
		.link_max_width = t->link_max_width,
		.slot_max_gts = t->link_slot_gts,
		.slot_max_width = t->link_slot_width};
}

static double link_bytes(const struct run_target *t)
{
	return is_file(t) ? 0 : environment_link_bytes(t->link_gts, t->link_width);
}

static bool link_narrowed(const struct run_target *t)
{
	struct environment env;

	link_of(t, &env);
	return environment_link_narrowed(&env);
}

/* ---- health --------------------------------------------------------------------------------- */

static int64_t grown(const struct field_int *before, const struct field_int *after)
{
	return before->reported && after->reported ? after->value - before->value : 0;
}

static uint64_t failed_reads(const struct run *run)
{
	uint64_t errors = 0;

	for (size_t i = 0; i < run->search_count; i++)
		errors += run->searches[i].errors;
	for (size_t i = 0; i < run->point_count; i++)
		errors += run->points[i].errors;
	return errors;
}

static void add_figure(struct check_line *line, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void add_figure(struct check_line *line, const char *format, ...)
{
	char text[300];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	str_append(
		line->figures, sizeof(line->figures), "%s%s", line->figures[0] ? "; " : "", text);
}

/* Of a drive without complaints: the figures that it has none about. */
static void health_figures(const struct smart *s, struct check_line *line)
{
	char used[24];

	if (s->percentage_used.reported) {
		smart_used_text(&s->percentage_used, used, sizeof(used));
		add_figure(line, "%s of the rated endurance used", used);
	}
	if (s->available_spare.reported)
		add_figure(line, "spare %" PRId64 " %%", (int64_t)s->available_spare.value);
	if (s->temperature_c.reported)
		add_figure(line, "%" PRId64 " °C", (int64_t)s->temperature_c.value);
	if (s->media_errors.reported && !s->media_errors.value)
		add_figure(line, "no media errors");
}

static void health_values(const struct run_target *t, struct check_line *line)
{
	const struct smart *s = &t->smart_before;
	const bool known = t->smart_before_known;

	value(line, "percentage_used_pct",
		known && s->percentage_used.reported ? (double)s->percentage_used.value : NAN);
	value(line, "available_spare_pct",
		known && s->available_spare.reported ? (double)s->available_spare.value : NAN);
	value(line, "temperature_c",
		known && s->temperature_c.reported ? (double)s->temperature_c.value : NAN);
	value(line, "media_errors",
		known && s->media_errors.reported ? (double)s->media_errors.value : NAN);
}

static void worsen(struct check_line *line)
{
	if (line->state == CHECK_GOOD || line->state == CHECK_NOT_JUDGED)
		say(line, CHECK_WARNING, "WARN");
}

/* What happened while the check ran. */
static void health_meanwhile(const struct run *run, struct check_line *line)
{
	const struct run_target *t = &run->targets[0];
	const struct smart *a = &t->smart_before, *b = &t->smart_after;
	const uint64_t failed = failed_reads(run);
	char number[64];

	if (failed) {
		add_figure(line, "%s read%s failed during the check",
			units_grouped(number, sizeof(number), failed), failed == 1 ? "" : "s");
		worsen(line);
		str_copy(line->reason, sizeof(line->reason),
			"data is lost there: check file systems and backups, replace the drive");
	}
	if (!t->smart_before_known || !t->smart_after_known)
		return;
	if (a->media_errors.reported && b->media_errors.reported &&
		b->media_errors.value > a->media_errors.value) {
		add_figure(line, "%s new media errors during the check",
			units_grouped(number, sizeof(number),
				b->media_errors.value - a->media_errors.value));
		worsen(line);
	}
	const int64_t throttled = grown(&a->thermal1_count, &b->thermal1_count) +
		grown(&a->thermal2_count, &b->thermal2_count);

	if (throttled > 0) {
		add_figure(line, "throttled itself for heat %" PRId64 " time%s during the check",
			throttled, throttled == 1 ? "" : "s");
		worsen(line);
	}
}

static void judge_health(const struct run *run, struct check_line *line)
{
	static const enum check_state states[] = {[HEALTH_GOOD] = CHECK_GOOD,
		[HEALTH_WARNING] = CHECK_WARNING,
		[HEALTH_CRITICAL] = CHECK_CRITICAL};
	const struct run_target *t = &run->targets[0];
	const struct health *h = &run->health;

	if (!run->has_health) {
		not_judged(line,
			is_file(t) ? "a file has no health pages"
				: !strcmp(t->transport, "usb")
				? "a USB bridge hides the health pages of the drive behind it"
				: "no NVMe drive: there are no health pages to read");
	} else if (h->verdict == HEALTH_UNKNOWN) {
		not_judged(line,
			h->reason_count ? h->reasons[h->reason_count - 1].text
					: "SMART could not be read");
		health_values(t, line);
	} else {
		say(line, states[h->verdict], health_word(h->verdict));
		for (size_t i = 0; i < h->reason_count; i++)
			add_figure(line, "%s", h->reasons[i].text);
		if (!h->reason_count && t->smart_before_known)
			health_figures(&t->smart_before, line);
		if (h->reason_count)
			str_copy(line->reason, sizeof(line->reason), h->reasons[0].advice);
		health_values(t, line);
	}
	health_meanwhile(run, line);
}

/* ---- link ----------------------------------------------------------------------------------- */

static void judge_link(const struct run_target *t, struct check_line *line)
{
	const double now = link_bytes(t);
	const double drive = environment_link_bytes(t->link_max_gts, t->link_max_width);
	char text[3][32], rate[2][40];

	if (!(now > 0)) {
		if (t->nsid && !on_pcie(t))
			str_format(line->reason, sizeof(line->reason),
				"reached over %s: it has no PCIe link here", t->transport);
		else
			str_copy(line->reason, sizeof(line->reason),
				is_file(t)           ? "a file has no link"
					: on_pcie(t) ? "the kernel reports no speed and width"
						     : "no NVMe drive on PCIe");
		say(line, CHECK_NOT_JUDGED, "not judged");
		return;
	}
	environment_link_text(t->link_gts, t->link_width, text[0], sizeof(text[0]));
	environment_link_text(t->link_max_gts, t->link_max_width, text[1], sizeof(text[1]));
	environment_link_text(t->link_slot_gts, t->link_slot_width, text[2], sizeof(text[2]));
	bytes_text(rate[0], sizeof(rate[0]), now);
	bytes_text(rate[1], sizeof(rate[1]), drive);
	value(line, "carries_bytes_s", now);
	value(line, "drive_could_bytes_s", drive > 0 ? drive : NAN);
	str_format(line->figures, sizeof(line->figures), "%s", text[0]);
	if (drive > now * SAME_PEAK)
		str_append(line->figures, sizeof(line->figures), " of the drive's %s", text[1]);
	str_append(line->figures, sizeof(line->figures), ": carries at most %s", rate[0]);
	if (drive > now * SAME_PEAK)
		str_append(line->figures, sizeof(line->figures), "; the drive's could %s", rate[1]);
	if (link_narrowed(t)) {
		say(line, CHECK_WARNING, "narrowed");
		str_copy(line->reason, sizeof(line->reason),
			"reseat it; check slot, riser and cable");
		return;
	}
	say(line, CHECK_GOOD, "good");
	if (drive > now * SAME_PEAK)
		str_format(line->reason, sizeof(line->reason), "the slot can no more than %s",
			text[2]);
}

/* ---- latency -------------------------------------------------------------------------------- */

static const struct run_point *find(const struct run *run, const char *load)
{
	for (size_t i = 0; i < run->point_count; i++)
		if (!strcmp(run->points[i].load, load) && !(run->points[i].percent > 0) &&
			run->points[i].count)
			return &run->points[i];
	return NULL;
}

/* Nothing was measured: why not. Leaves the line pending while the run is under way. */
static void unmeasured(const struct run *run, struct check_line *line)
{
	if (run->outcome == RUN_RUNNING)
		return;
	not_judged(line,
		run->outcome == RUN_COMPLETE
			? "not measured: the drive is so slow that its minute was over"
			: run->outcome == RUN_STOPPED
			? "not measured: the check was stopped before"
			: "not measured: the check was broken off before");
}

static void judge_latency(const struct run *run, struct check_line *line)
{
	const struct run_target *t = &run->targets[0];
	const struct run_point *p = find(run, CHECK_LOAD_RANDOM);
	const struct media *media;
	char text[3][32], why[160];

	if (!p) {
		unmeasured(run, line);
		return;
	}
	const struct latency *l = &p->service;

	str_format(line->figures, sizeof(line->figures), "4K read, 1 outstanding: p50 %s, p99 %s",
		units_latency(text[0], sizeof(text[0]), l->p50, false),
		units_latency(text[1], sizeof(text[1]), l->p99, false));
	value(line, "p50_us", l->p50 / 1000);
	value(line, "p99_us", l->p99 / 1000);
	value(line, "mean_us", l->mean / 1000);
	value(line, "count", (double)p->count);
	media_of(t, run->engine.backend, &media, why, sizeof(why));
	/* few reads in a window tell their mean at least */
	const double middle = isnan(l->p50) ? l->mean : l->p50;

	if (!media) {
		not_judged(line, why);
	} else if (middle < CACHE_NS) {
		not_judged(line, "no flash answers so soon: a cache did");
	} else if (middle > media->p50_ns) {
		say(line, CHECK_WARNING, "slow");
		str_format(line->reason, sizeof(line->reason),
			"%s answers in %s at most (the median)", media->what,
			units_latency(text[2], sizeof(text[2]), media->p50_ns, false));
	} else if (l->p99 > media->p99_ns) {
		say(line, CHECK_WARNING, "slow tail");
		str_format(line->reason, sizeof(line->reason),
			"one read in a hundred takes longer than the %s that are usual at most "
			"for %s: retries, heat or other work",
			units_latency(text[2], sizeof(text[2]), media->p99_ns, false), media->what);
	} else {
		say(line, CHECK_GOOD, "usual");
		str_format(line->reason, sizeof(line->reason), "for %s", media->what);
	}
}

/* ---- rates ---------------------------------------------------------------------------------- */

static bool host_bound(const struct run_point *p)
{
	return !strcmp(p->limited_by, "host") || p->cpu_wait_pct > CPU_WAIT_PCT;
}

/* What holds the rate, and whether that is as it should be. */
static void judge_rate(const struct run *run, const struct run_point *p, double bytes_s, bool slow,
	const char *usual, struct check_line *line)
{
	const struct run_target *t = &run->targets[0];
	const double link = link_bytes(t);
	const bool at_link = link > 0 && bytes_s >= BOUND_PCT / 100 * link;
	const struct media *media;
	char why[160];

	media_of(t, run->engine.backend, &media, why, sizeof(why));
	if (!media) {
		not_judged(line, why);
	} else if (at_link) {
		say(line, link_narrowed(t) ? CHECK_WARNING : CHECK_GOOD, "link-bound");
		str_copy(line->reason, sizeof(line->reason),
			link_narrowed(t) ? "the narrowed link is the limit, not the drive"
					 : "the link is the limit: it is used in full");
	} else if (host_bound(p)) {
		say(line, CHECK_NOT_JUDGED, "host-bound");
		str_copy(line->reason, sizeof(line->reason),
			"this computer's CPU was the limit: the drive may do more");
	} else if (slow) {
		say(line, CHECK_WARNING, "slow");
		str_copy(line->reason, sizeof(line->reason), usual);
	} else {
		say(line, CHECK_GOOD, "drive-bound");
	}
}

static double bytes_per_s(const struct run_point *p)
{
	return p->window_s > 0 ? (double)p->read_bytes / p->window_s : 0;
}

/* The highest rate: of the curve, or of the search where the curve did not come up to it. */
static const struct run_point *peak_of(const struct run *run)
{
	const int peak = run->has_analysis ? run->analysis.peak : -1;
	const struct run_point *best = NULL;

	if (peak >= 0 && (size_t)peak < run->point_count)
		best = &run->points[peak];
	if (run->has_maximum && (!best || run->maximum.iops > SAME_PEAK * best->iops))
		best = &run->maximum;
	return best;
}

static size_t curve_points(const struct run *run)
{
	size_t count = 0;

	for (size_t i = 0; i < run->point_count; i++)
		count += run->points[i].percent > 0;
	return count;
}

static void judge_random(const struct run *run, struct check_line *line)
{
	const int knee = run->has_analysis ? run->analysis.knee_chord : -1;
	const struct run_point *peak = run->has_maximum || curve_points(run) ? peak_of(run) : NULL;
	const double link = link_bytes(&run->targets[0]);
	const struct media *media;
	char rate[40], text[32], why[160];

	if (!peak) {
		unmeasured(run, line);
		return;
	}
	const double bytes_s = bytes_per_s(peak);

	str_format(line->figures, sizeof(line->figures), "peak %s IOPS at %s",
		rate_text(rate, sizeof(rate), peak->iops),
		units_latency(text, sizeof(text), peak->service.mean, false));
	value(line, "peak_iops", peak->iops);
	value(line, "peak_mean_us", peak->service.mean / 1000);
	value(line, "link_pct", link > 0 ? 100 * bytes_s / link : NAN);
	if (run->outcome == RUN_RUNNING && curve_points(run) < CHECK_CURVE_POINTS)
		return;
	if (knee >= 0 && (size_t)knee < run->point_count) {
		const struct run_point *k = &run->points[knee];

		str_append(line->figures, sizeof(line->figures), ", knee %s at %s",
			rate_text(rate, sizeof(rate), k->iops),
			units_latency(text, sizeof(text), k->service.mean, false));
		value(line, "knee_iops", k->iops);
		value(line, "knee_mean_us", k->service.mean / 1000);
	}
	media_of(&run->targets[0], run->engine.backend, &media, why, sizeof(why));
	if (media)
		str_format(why, sizeof(why), "%s does %s IOPS and more at %u outstanding",
			media->what, rate_text(rate, sizeof(rate), media->iops), CHECK_OUTSTANDING);
	judge_rate(run, peak, bytes_s, media && peak->iops < media->iops, why, line);
}

static void judge_sequential(const struct run *run, struct check_line *line)
{
	const struct run_point *p = find(run, CHECK_LOAD_SEQUENTIAL);
	const double link = link_bytes(&run->targets[0]);
	const struct media *media;
	char rate[40], why[160];

	if (!p) {
		unmeasured(run, line);
		return;
	}
	const double bytes_s = bytes_per_s(p), pct = link > 0 ? 100 * bytes_s / link : NAN;
	double least = 0;

	str_format(line->figures, sizeof(line->figures), "%s",
		bytes_text(rate, sizeof(rate), bytes_s));
	if (link > 0)
		str_append(line->figures, sizeof(line->figures),
			", %.0f %% of what the link carries", pct);
	value(line, "bytes_s", bytes_s);
	value(line, "mean_us", p->service.mean / 1000);
	value(line, "link_pct", pct);
	media_of(&run->targets[0], run->engine.backend, &media, why, sizeof(why));
	if (media) {
		least = link > 0 ? SLOW_LINK_PCT / 100 * link : media->bytes_s;
		str_format(why, sizeof(why), "%s reads %s and more here", media->what,
			bytes_text(rate, sizeof(rate), least));
	}
	judge_rate(run, p, bytes_s, bytes_s < least, why, line);
}

/* ---- together ------------------------------------------------------------------------------- */

static void add_up(const struct run *run, struct check *out)
{
	const size_t count = run->series ? series_count(run->series) : 0;

	for (size_t i = 0; i < count; i++) {
		const struct interval *iv = series_at(run->series, i);

		out->read_bytes += iv->read_bytes;
		out->written_bytes += iv->write_bytes;
		out->seconds = fmax(out->seconds, iv->start_s + iv->length_s);
	}
}

static void judge_all(const struct run *run, struct check *out)
{
	enum health_verdict worst = HEALTH_GOOD;
	bool measured = false;

	for (size_t i = 0; i < CHECK_PARTS; i++) {
		const enum check_state state = out->lines[i].state;

		if (state == CHECK_WARNING)
			worst = health_worst(worst, HEALTH_WARNING);
		if (state == CHECK_CRITICAL)
			worst = health_worst(worst, HEALTH_CRITICAL);
		measured = measured || (i >= CHECK_LATENCY && state != CHECK_NOT_JUDGED);
	}
	out->verdict = worst;
	if (worst != HEALTH_GOOD)
		return;
	if (run->outcome != RUN_COMPLETE)
		str_copy(out->why_unknown, sizeof(out->why_unknown),
			"the check did not come to its end");
	else if (out->lines[CHECK_HEALTH].state == CHECK_NOT_JUDGED)
		str_copy(out->why_unknown, sizeof(out->why_unknown), "health is not judged");
	else if (!measured)
		str_copy(out->why_unknown, sizeof(out->why_unknown),
			"neither latency nor rates could be judged");
	if (out->why_unknown[0])
		out->verdict = HEALTH_UNKNOWN;
}

bool check_is(const struct run *run)
{
	return !strcmp(run->method, CHECK_METHOD) && run->target_count > 0;
}

void check_judge(const struct run *run, struct check *out)
{
	static const struct {
		const char *key, *title;
	} names[CHECK_PARTS] = {
		[CHECK_HEALTH] = {"health", "health"},
		[CHECK_LINK] = {"link", "link"},
		[CHECK_LATENCY] = {"latency", "latency"},
		[CHECK_RANDOM] = {"random_read", "random read"},
		[CHECK_SEQUENTIAL] = {"sequential_read", "sequential"},
	};

	*out = (struct check){.verdict = HEALTH_UNKNOWN};
	for (size_t i = 0; i < CHECK_PARTS; i++) {
		out->lines[i].key = names[i].key;
		out->lines[i].title = names[i].title;
	}
	if (!run->target_count)
		return;
	judge_health(run, &out->lines[CHECK_HEALTH]);
	judge_link(&run->targets[0], &out->lines[CHECK_LINK]);
	judge_latency(run, &out->lines[CHECK_LATENCY]);
	judge_random(run, &out->lines[CHECK_RANDOM]);
	judge_sequential(run, &out->lines[CHECK_SEQUENTIAL]);
	add_up(run, out);
	out->ended = run->outcome != RUN_RUNNING;
	if (out->ended)
		judge_all(run, out);
}

const char *check_state_name(enum check_state state)
{
	switch (state) {
	case CHECK_PENDING:
		return "pending";
	case CHECK_GOOD:
		return "good";
	case CHECK_WARNING:
		return "warning";
	case CHECK_CRITICAL:
		return "critical";
	case CHECK_NOT_JUDGED:
		break;
	}
	return "not_judged";
}
