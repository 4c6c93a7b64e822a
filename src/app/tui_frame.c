/* How a whole frame of the terminal program is painted. */
#include "app/tui_desk_internal.h"

#include <string.h>

#include "base/str.h"
#include "base/units.h"

/* "nvme0n1 7/13 2:41/5:25" at the right of the bottom line, on every screen but the live one; "" for
 * none, or where the hints would have no room. */
static void indicator_text(const struct tui_desk *tui, int width, char *text, size_t size)
{
	const struct runner_view *view = tui->desk.run;
	char elapsed[32], total[32];

	str_copy(text, size, "");
	if (!view || !(tui_desk_running(tui) || tui_desk_watching(tui)))
		return;
	str_format(text, size, " %s %u/%u %s", view->targets, view->step, view->step_count,
		units_clock(elapsed, sizeof(elapsed), view->elapsed_s));
	if (view->total_s > 0)
		str_append(text, size, "/%s", units_clock(total, sizeof(total), view->total_s));
	if (view->state == RUNNER_PAUSED)
		str_append(text, size, " paused");
	str_append(text, size, " ");
	if (str_width(text) >= width - 20)
		str_copy(text, size, "");
}

static void draw_too_small(struct canvas *canvas)
{
	char text[128];

	str_format(text, sizeof(text), "terminal too small: nvsweep needs %dx%d, this is %dx%d",
		TUI_MIN_WIDTH, TUI_MIN_HEIGHT, canvas->width, canvas->height);
	canvas_wrap(canvas, 0, 0, canvas->width, canvas->height, ROLE_TEXT, text);
}

bool tui_desk_dirty(const struct tui_desk *tui)
{
	return tui->dirty;
}

void tui_desk_draw(struct tui_desk *tui, struct canvas *canvas)
{
	struct screen *screen = tui_desk_top(tui);
	const struct rect area = {0, 1, canvas->width, canvas->height - 2};

	canvas_clip(canvas, NULL);
	canvas_clear(canvas);
	tui->dirty = false;
	tui->width = canvas->width;
	tui->height = canvas->height;
	tui->small = canvas->width < TUI_MIN_WIDTH || canvas->height < TUI_MIN_HEIGHT;
	if (tui->small) {
		draw_too_small(canvas);
		return;
	}
	if (!screen)
		return;
	canvas_clip(canvas, &area);
	screen->ops->draw(screen, canvas, area);
	canvas_clip(canvas, NULL);
	screen_draw_top(screen, canvas);
	char text[256] = "";
	if (!tui_desk_shows_test(tui, screen))
		indicator_text(tui, canvas->width, text, sizeof(text));
	tui->desk.status_width = str_width(text);
	screen_draw_bottom(screen, canvas, tui->notice);
	canvas_text_right(canvas, canvas->width, canvas->height - 1, ROLE_WARN, text);
	if (tui->dialog)
		dialog_draw(tui->dialog, canvas);
}
