/* Judges the lines of a quick check. The thresholds and their reasons stand in the header. */
#include "result/check.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "result/check_lines.h"

#define BOUND_PCT 90.0
#define CPU_WAIT_PCT 5.0
#define SLOW_LINK_PCT 25.0
#define CACHE_NS 5e3
#define SAME_PEAK 1.01

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

/* ---- link ----------------------------------------------------------------------------------- */

static void judge_link(const struct run_target *t, struct check_line *line)
{
	const double now = check_link_bytes(t);
	const double drive = environment_link_bytes(t->link_max_gts, t->link_max_width);
	char text[3][32], rate[2][40];

	if (!(now > 0)) {
		if (t->nsid && !check_on_pcie(t))
			str_format(line->reason, sizeof(line->reason),
				"reached over %s: it has no PCIe link here", t->transport);
		else
			str_copy(line->reason, sizeof(line->reason),
				check_is_file(t)           ? "a file has no link"
					: check_on_pcie(t) ? "the kernel reports no speed and width"
							   : "no NVMe drive on PCIe");
		check_say(line, CHECK_NOT_JUDGED, "not judged");
		return;
	}
	environment_link_text(t->link_gts, t->link_width, text[0], sizeof(text[0]));
	environment_link_text(t->link_max_gts, t->link_max_width, text[1], sizeof(text[1]));
	environment_link_text(t->link_slot_gts, t->link_slot_width, text[2], sizeof(text[2]));
	bytes_text(rate[0], sizeof(rate[0]), now);
	bytes_text(rate[1], sizeof(rate[1]), drive);
	check_value(line, "carries_bytes_s", now);
	check_value(line, "drive_could_bytes_s", drive > 0 ? drive : NAN);
	str_format(line->figures, sizeof(line->figures), "%s", text[0]);
	if (drive > now * SAME_PEAK)
		str_append(line->figures, sizeof(line->figures), " of the drive's %s", text[1]);
	str_append(line->figures, sizeof(line->figures), ": carries at most %s", rate[0]);
	if (drive > now * SAME_PEAK)
		str_append(line->figures, sizeof(line->figures), "; the drive's could %s", rate[1]);
	if (check_link_narrowed(t)) {
		check_say(line, CHECK_WARNING, "narrowed");
		str_copy(line->reason, sizeof(line->reason),
			"reseat it; check slot, riser and cable");
		return;
	}
	check_say(line, CHECK_GOOD, "good");
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
	check_not_judged(line,
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
	const struct check_media *media;
	char text[3][32], why[160];

	if (!p) {
		unmeasured(run, line);
		return;
	}
	const struct latency *l = &p->service;

	if (isnan(l->p50))
		str_format(line->figures, sizeof(line->figures), "4K read, 1 outstanding: mean %s",
			units_latency(text[0], sizeof(text[0]), l->mean, false));
	else
		str_format(line->figures, sizeof(line->figures), "4K read, 1 outstanding: p50 %s",
			units_latency(text[0], sizeof(text[0]), l->p50, false));
	if (isnan(l->p99))
		str_append(line->figures, sizeof(line->figures), " (%s reads: too few for a p99)",
			units_grouped(text[1], sizeof(text[1]), p->count));
	else
		str_append(line->figures, sizeof(line->figures), ", p99 %s",
			units_latency(text[1], sizeof(text[1]), l->p99, false));
	check_value(line, "p50_us", l->p50 / 1000);
	check_value(line, "p99_us", l->p99 / 1000);
	check_value(line, "mean_us", l->mean / 1000);
	check_value(line, "count", (double)p->count);
	check_media_of(t, run->engine.backend, &media, why, sizeof(why));
	/* few reads in a window tell their mean at least */
	const double middle = isnan(l->p50) ? l->mean : l->p50;

	if (!media) {
		check_not_judged(line, why);
	} else if (middle < CACHE_NS) {
		check_not_judged(line, "no flash answers so soon: a cache did");
	} else if (middle > media->p50_ns) {
		check_say(line, CHECK_WARNING, "slow");
		str_format(line->reason, sizeof(line->reason),
			"%s answers in %s at most (the median)", media->what,
			units_latency(text[2], sizeof(text[2]), media->p50_ns, false));
	} else if (l->p99 > media->p99_ns) {
		check_say(line, CHECK_WARNING, "slow tail");
		str_format(line->reason, sizeof(line->reason),
			"one read in a hundred takes longer than the %s that are usual at most "
			"for %s: retries, heat or other work",
			units_latency(text[2], sizeof(text[2]), media->p99_ns, false), media->what);
	} else {
		check_say(line, CHECK_GOOD, "usual");
		str_format(line->reason, sizeof(line->reason), "as %s does", media->what);
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
	const double link = check_link_bytes(t);
	const bool at_link = link > 0 && bytes_s >= BOUND_PCT / 100 * link;
	const struct check_media *media;
	char why[160];

	check_media_of(t, run->engine.backend, &media, why, sizeof(why));
	if (!media) {
		check_not_judged(line, why);
	} else if (at_link) {
		check_say(line, check_link_narrowed(t) ? CHECK_WARNING : CHECK_GOOD, "link-bound");
		str_copy(line->reason, sizeof(line->reason),
			check_link_narrowed(t) ? "the narrowed link is the limit, not the drive"
					       : "the link is the limit: it is used in full");
	} else if (host_bound(p)) {
		check_say(line, CHECK_NOT_JUDGED, "host-bound");
		str_copy(line->reason, sizeof(line->reason),
			"this computer's CPU was the limit: the drive may do more");
	} else if (slow) {
		check_say(line, CHECK_WARNING, "slow");
		str_copy(line->reason, sizeof(line->reason), usual);
	} else {
		check_say(line, CHECK_GOOD, "drive-bound");
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
	const double link = check_link_bytes(&run->targets[0]);
	const struct check_media *media;
	char rate[40], text[32], why[160];

	if (!peak) {
		unmeasured(run, line);
		return;
	}
	const double bytes_s = bytes_per_s(peak);

	str_format(line->figures, sizeof(line->figures), "peak %s IOPS at %s",
		rate_text(rate, sizeof(rate), peak->iops),
		units_latency(text, sizeof(text), peak->service.mean, false));
	check_value(line, "peak_iops", peak->iops);
	check_value(line, "peak_mean_us", peak->service.mean / 1000);
	check_value(line, "link_pct", link > 0 ? 100 * bytes_s / link : NAN);
	if (run->outcome == RUN_RUNNING && curve_points(run) < CHECK_CURVE_POINTS)
		return;
	if (knee >= 0 && (size_t)knee < run->point_count) {
		const struct run_point *k = &run->points[knee];

		str_append(line->figures, sizeof(line->figures), ", knee %s at %s",
			rate_text(rate, sizeof(rate), k->iops),
			units_latency(text, sizeof(text), k->service.mean, false));
		check_value(line, "knee_iops", k->iops);
		check_value(line, "knee_mean_us", k->service.mean / 1000);
	}
	check_media_of(&run->targets[0], run->engine.backend, &media, why, sizeof(why));
	if (media)
		str_format(why, sizeof(why), "%s does %s IOPS and more at %u outstanding",
			media->what, rate_text(rate, sizeof(rate), media->iops), CHECK_OUTSTANDING);
	judge_rate(run, peak, bytes_s, media && peak->iops < media->iops, why, line);
}

static void judge_sequential(const struct run *run, struct check_line *line)
{
	const struct run_point *p = find(run, CHECK_LOAD_SEQUENTIAL);
	const double link = check_link_bytes(&run->targets[0]);
	const struct check_media *media;
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
	check_value(line, "bytes_s", bytes_s);
	check_value(line, "mean_us", p->service.mean / 1000);
	check_value(line, "link_pct", pct);
	check_media_of(&run->targets[0], run->engine.backend, &media, why, sizeof(why));
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

void check_clear(struct check *out)
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
}

void check_judge(const struct run *run, struct check *out)
{
	check_clear(out);
	if (!run->target_count)
		return;
	check_judge_health(run, &out->lines[CHECK_HEALTH]);
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
