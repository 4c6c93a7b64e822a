/* The progress line of headless commands. */
#include "app/progress.h"

#include <math.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/str.h"
#include "base/units.h"
#include "report/text_table.h"

void progress_open(struct progress *progress, bool ascii)
{
	*progress = (struct progress){.shown = isatty(STDERR_FILENO), .ascii = ascii};
}

void progress_show(struct progress *progress, const char *text)
{
	struct winsize size;
	char cut[512];
	int width = 80;

	if (!progress->shown)
		return;
	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col > 1)
		width = size.ws_col;
	/* The last column stays free: writing there would wrap on some terminals. */
	text_fit(cut, sizeof(cut), text, width - 1, progress->ascii);

	const int length = str_width(cut);
	const int rest = progress->length > length ? progress->length - length : 0;

	/* Blanks and no escape sequence: this works on every terminal. */
	fprintf(stderr, "\r%s%*s%s", cut, rest, "", rest ? "\r" : "");
	if (rest)
		fputs(cut, stderr);
	fflush(stderr);
	progress->length = length;
}

void progress_clear(struct progress *progress)
{
	if (!progress->length)
		return;
	fprintf(stderr, "\r%*s\r", progress->length, "");
	fflush(stderr);
	progress->length = 0;
}

static void view_figures(const struct runner_view *view, bool ascii, char *text, size_t size)
{
	char rate[32], latency[32];
	double iops = NAN, p99 = NAN;

	if (view->has_so_far && view->so_far.count) {
		iops = view->so_far.iops;
		p99 = view->so_far.service.p99;
	} else if (view->has_current) {
		iops = view->current.iops;
		p99 = view->current.service.p99;
	}
	if (iops >= 0)
		str_append(text, size, "  %s IOPS",
			units_grouped(rate, sizeof(rate), (u128)(iops + 0.5)));
	if (!isnan(p99))
		str_append(text, size, "  p99 %s",
			units_latency(latency, sizeof(latency), p99, ascii));
	if (view->silent_s >= 2)
		str_append(text, size, "  no completion for %.0f s", view->silent_s);
}

void progress_view(struct progress *progress, const struct runner_view *view)
{
	char text[512], clock[3][32];

	if (!progress->shown)
		return;
	str_copy(text, sizeof(text), *view->phase ? view->phase : "preparing");
	if (view->warmup)
		str_append(text, sizeof(text), " (warm-up)");
	view_figures(view, progress->ascii, text, sizeof(text));
	str_append(text, sizeof(text), "  %s",
		units_clock(clock[0], sizeof(clock[0]), view->elapsed_s));
	if (view->total_s > 0 && isfinite(view->total_s))
		str_append(text, sizeof(text), " of %s, %s left",
			units_clock(clock[1], sizeof(clock[1]), view->total_s),
			units_clock(clock[2], sizeof(clock[2]),
				fmax(0, view->total_s - view->elapsed_s)));
	if (view->state == RUNNER_PAUSED)
		str_append(text, sizeof(text), "  paused");
	if (view->state == RUNNER_STOPPING)
		str_append(text, sizeof(text), "  stopping");
	progress_show(progress, text);
}
