/* The health line of the quick check: the verdict that the run keeps, and what happened while it
 * ran. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "result/check_lines.h"

static int64_t grown(const struct field_int *before, const struct field_int *after)
{
	return before->reported && after->reported ? after->value - before->value : 0;
}

/* Warm-ups too. */
static uint64_t failed_reads(const struct run *run)
{
	const size_t count = run->series ? series_count(run->series) : 0;
	uint64_t errors = 0;

	for (size_t i = 0; i < count; i++)
		errors += series_at(run->series, i)->errors;
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

	check_value(line, "percentage_used_pct",
		known && s->percentage_used.reported ? (double)s->percentage_used.value : NAN);
	check_value(line, "available_spare_pct",
		known && s->available_spare.reported ? (double)s->available_spare.value : NAN);
	check_value(line, "temperature_c",
		known && s->temperature_c.reported ? (double)s->temperature_c.value : NAN);
	check_value(line, "media_errors",
		known && s->media_errors.reported ? (double)s->media_errors.value : NAN);
}

static void worsen(struct check_line *line)
{
	if (line->state == CHECK_GOOD || line->state == CHECK_NOT_JUDGED)
		check_say(line, CHECK_WARNING, "WARN");
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

void check_judge_health(const struct run *run, struct check_line *line)
{
	static const enum check_state states[] = {[HEALTH_GOOD] = CHECK_GOOD,
		[HEALTH_WARNING] = CHECK_WARNING,
		[HEALTH_CRITICAL] = CHECK_CRITICAL};
	const struct run_target *t = &run->targets[0];
	const struct health *h = &run->health;

	if (!run->has_health) {
		check_not_judged(line,
			check_is_file(t) ? "a file has no health pages"
				: !strcmp(t->transport, "usb")
				? "a USB bridge hides the health pages of the drive behind it"
				: "no NVMe drive: there are no health pages to read");
	} else if (h->verdict == HEALTH_UNKNOWN) {
		check_not_judged(line,
			h->reason_count ? h->reasons[h->reason_count - 1].text
					: "SMART could not be read");
		health_values(t, line);
	} else {
		check_say(line, states[h->verdict], health_word(h->verdict));
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
