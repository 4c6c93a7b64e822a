/* Figures and states as text, for all screens alike. */
#include "screens/format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "screens/screen.h"

static char *dash(char *dst, size_t size)
{
	str_copy(dst, size, "-");
	return dst;
}

static bool unknown(double value)
{
	return !isfinite(value) || value < 0;
}

char *format_bytes(char *dst, size_t size, double bytes)
{
	char number[24];

	if (unknown(bytes))
		return dash(dst, size);
	units_si(number, sizeof(number), bytes);
	str_format(dst, size, strchr(number, ' ') ? "%sB" : "%s B", number);
	return dst;
}

char *format_mib(char *dst, size_t size, double mib_s)
{
	if (unknown(mib_s))
		return dash(dst, size);
	if (mib_s >= 1024)
		str_format(dst, size, "%.2f GiB/s", mib_s / 1024);
	else
		str_format(dst, size, mib_s >= 100 ? "%.0f MiB/s" : "%.1f MiB/s", mib_s);
	return dst;
}

char *format_count(char *dst, size_t size, double value)
{
	if (unknown(value))
		return dash(dst, size);
	if (value < 100 && value != floor(value))
		str_format(dst, size, "%.1f", value);
	else if (value < 1e18)
		units_grouped(dst, size, (u128)(value + 0.5));
	else
		str_format(dst, size, "%.3g", value);
	return dst;
}

char *format_si(char *dst, size_t size, double value)
{
	char number[24];
	const char *from = number;

	if (unknown(value))
		return dash(dst, size);
	if (value < 10 && value != floor(value)) {
		str_format(dst, size, "%.1f", value);
		return dst;
	}
	if (value < 1000) {
		str_format(dst, size, "%.0f", value);
		return dst;
	}
	units_si(number, sizeof(number), value);
	for (size_t n = 0; size > 0; from++) {
		if (*from == ' ')
			continue;
		if (!*from || n + 1 >= size) {
			dst[n] = '\0';
			break;
		}
		dst[n++] = *from;
	}
	return dst;
}

char *format_latency(char *dst, size_t size, double ns)
{
	if (unknown(ns))
		return dash(dst, size);
	return units_latency(dst, size, ns, false);
}

char *format_ms(char *dst, size_t size, double ms)
{
	return format_latency(dst, size, ms * 1e6);
}

char *format_percent(char *dst, size_t size, double percent)
{
	if (unknown(percent))
		return dash(dst, size);
	str_format(dst, size, percent < 10 && percent != floor(percent) ? "%.1f %%" : "%.0f %%",
		percent);
	return dst;
}

char *format_temperature(char *dst, size_t size, double celsius, const struct settings *settings)
{
	if (!isfinite(celsius))
		return dash(dst, size);
	if (settings && !strcmp(settings->temperature, "fahrenheit"))
		str_format(dst, size, "%.0f °F", celsius * 9 / 5 + 32);
	else
		str_format(dst, size, "%.0f °C", celsius);
	return dst;
}

char *format_temperature_short(
	char *dst, size_t size, double celsius, const struct settings *settings)
{
	char text[24];
	size_t n = 0;

	format_temperature(text, sizeof(text), celsius, settings);
	for (const char *c = text; *c && n + 1 < size; c++)
		if (*c != ' ')
			dst[n++] = *c;
	if (size)
		dst[n] = '\0';
	return dst;
}

char *format_wear(char *dst, size_t size, const struct field_int *used)
{
	if (!used->reported)
		return dash(dst, size);
	if (used->value >= SMART_USED_CEILING)
		str_format(dst, size, "%d+", SMART_USED_CEILING);
	else
		str_format(dst, size, "%d%%", (int)used->value);
	return dst;
}

char *format_link(char *dst, size_t size, const struct inventory_controller *controller)
{
	const struct environment *env = &controller->env;
	char link[24];
	size_t n = 0;

	if (controller->topo.transport[0] && strcmp(controller->topo.transport, "pcie")) {
		str_copy(dst, size, controller->topo.transport);
		return dst;
	}
	environment_link_text(env->link_gts, env->link_width, link, sizeof(link));
	if (environment_link_narrowed(env))
		str_append(link, sizeof(link), "!");
	for (const char *c = link; *c && n + 1 < size; c++)
		if (*c != ' ')
			dst[n++] = *c;
	if (size)
		dst[n] = '\0';
	return dst;
}

char *format_lba(char *dst, size_t size, uint32_t lba_bytes, uint32_t metadata_bytes)
{
	if (!lba_bytes)
		return dash(dst, size);
	units_block_size(dst, size, lba_bytes);
	if (metadata_bytes)
		str_append(dst, size, " + %u", metadata_bytes);
	return dst;
}

char *format_sparkline(
	char *dst, size_t size, const double *values, size_t count, int width, double max)
{
	size_t shown = width > 0 ? (size_t)width : 0, n = 0;

	if (size)
		dst[0] = '\0';
	if (shown > count)
		shown = count;
	for (size_t i = count - shown; i < count && n + 5 < size; i++) {
		uint32_t code = ' ';

		if (isfinite(values[i]) && values[i] >= 0 && max > 0) {
			int level = (int)lround(values[i] / max * 8);
			/* the smallest rate still shows; nothing stays blank */
			if (values[i] > 0 && level < 1)
				level = 1;
			if (level > 8)
				level = 8;
			code = level ? 0x2580u + (uint32_t)level : ' ';
		}
		n += str_utf8_put(dst + n, code);
		dst[n] = '\0';
	}
	return dst;
}

char *format_path(char *dst, size_t size, const char *path)
{
	const char *home = getenv("HOME");
	const size_t length = home ? strlen(home) : 0;

	if (length > 1 && !strncmp(path, home, length) && path[length] == '/')
		str_format(dst, size, "~%s", path + length);
	else
		str_copy(dst, size, path);
	return dst;
}

char *format_duration(char *dst, size_t size, double seconds)
{
	if (unknown(seconds))
		str_copy(dst, size, "as long as the drive needs");
	else if (seconds < 100)
		str_format(dst, size, "about %.0f s", seconds);
	else if (seconds < 7200)
		str_format(dst, size, "about %.0f min %02.0f s", floor(seconds / 60),
			floor(fmod(seconds, 60)));
	else
		str_format(dst, size, "about %.1f h", seconds / 3600);
	return dst;
}

enum role format_verdict_role(enum health_verdict verdict)
{
	switch (verdict) {
	case HEALTH_GOOD:
		return ROLE_GOOD;
	case HEALTH_WARNING:
		return ROLE_WARN;
	case HEALTH_CRITICAL:
		return ROLE_CRIT;
	case HEALTH_UNKNOWN:
		break;
	}
	return ROLE_UNKNOWN;
}

enum role format_outcome_role(enum run_outcome outcome)
{
	switch (outcome) {
	case RUN_COMPLETE:
		return ROLE_GOOD;
	case RUN_STOPPED:
		return ROLE_WARN;
	case RUN_ABORTED:
		return ROLE_CRIT;
	case RUN_RUNNING:
		break;
	}
	return ROLE_VALUE;
}

const char *format_outcome(enum run_outcome outcome)
{
	switch (outcome) {
	case RUN_COMPLETE:
		return "complete";
	case RUN_STOPPED:
		return "STOPPED";
	case RUN_ABORTED:
		return "ABORTED";
	case RUN_RUNNING:
		break;
	}
	return "running";
}

void format_page(const struct page_info *info, char *buf, size_t size)
{
	char at[16];

	switch (info->state) {
	case PAGE_NONE:
		str_copy(buf, size, "not read yet");
		break;
	case PAGE_WAITING:
		str_format(buf, size, "no answer for %u s",
			(unsigned)(info->waiting_ns / 1000000000u));
		break;
	case PAGE_OK:
		str_copy(buf, size, "");
		return;
	case PAGE_REFUSED:
		str_format(buf, size, "refused by the drive: %s", info->text);
		break;
	case PAGE_FAILED:
		str_copy(buf, size, info->text[0] ? info->text : "could not be read");
		break;
	case PAGE_EMPTY:
		str_copy(buf, size, "the drive returned an empty page");
		break;
	}
	/* A command that has just gone out is no fault while older content is there. */
	if (info->state == PAGE_WAITING && info->waiting_ns < 1000000000u)
		str_copy(buf, size, info->read_at ? "" : "being read");
	else if (info->state == PAGE_NONE && info->read_at)
		str_copy(buf, size, "");
	if (info->read_at && buf[0]) {
		screen_clock_text(info->read_at, at, sizeof(at));
		str_append(buf, size, " (shown: what it said at %s)", at);
	}
}

bool format_page_old(const struct page_info *info)
{
	char why[256];

	format_page(info, why, sizeof(why));
	return info->read_at && why[0];
}

/* Labels of axes are round numbers: without the blank and without zeros behind the point. */
static void axis_text(char *buf, size_t size, const char *text)
{
	const char *point = strchr(text, '.');
	const char *zeros = point;
	size_t n = 0;

	/* zeros: where a run of them up to the unit begins */
	if (point) {
		const char *end = point + 1;

		while (*end >= '0' && *end <= '9')
			end++;
		zeros = end;
		while (zeros[-1] == '0')
			zeros--;
		if (zeros[-1] == '.')
			zeros--;
	}
	for (const char *c = text; *c && n + 1 < size; c++) {
		if (zeros && c >= zeros && (*c == '.' || *c == '0'))
			continue;
		if (*c != ' ')
			buf[n++] = *c;
	}
	if (size)
		buf[n] = '\0';
}

void format_axis_latency(double ns, char *buf, size_t size)
{
	char text[32];

	axis_text(buf, size, format_latency(text, sizeof(text), ns));
}

void format_axis_iops(double iops, char *buf, size_t size)
{
	char text[32];

	axis_text(buf, size, format_si(text, sizeof(text), iops));
}
