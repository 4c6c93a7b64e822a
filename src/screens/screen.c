/* What all screens share: the frame of top and bottom line, the clock, explanations. */
#include "screens/screen.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/str.h"

#define HINTS_MAX 16

/* Frozen time, or 0. */
static int64_t frozen_clock(void)
{
	const char *text = getenv("NVSWEEP_TEST_CLOCK");
	struct tm parts;

	if (!text || !*text)
		return 0;
	memset(&parts, 0, sizeof(parts));
	const char *end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &parts);
	if (!end || *end)
		return 0;
	return timegm(&parts);
}

int64_t screen_now(void)
{
	const int64_t frozen = frozen_clock();

	return frozen ? frozen : clock_wall_seconds();
}

static void time_format(int64_t when, bool date, char *buf, size_t size)
{
	const time_t seconds = (time_t)when;
	struct tm parts;

	str_copy(buf, size, "-");
	if (!when || !(frozen_clock() ? gmtime_r(&seconds, &parts) : localtime_r(&seconds, &parts)))
		return;
	if (!(date ? strftime(buf, size, "%Y-%m-%d %H:%M", &parts)
		   : strftime(buf, size, "%H:%M", &parts)))
		str_copy(buf, size, "-");
}

void screen_time_text(int64_t when, char *buf, size_t size)
{
	time_format(when, true, buf, size);
}

void screen_clock_text(int64_t when, char *buf, size_t size)
{
	time_format(when, false, buf, size);
}

bool screen_replaying(const struct desk *desk)
{
	return desk->inventory && str_starts_with(desk->inventory->source, "replay of ");
}

bool screen_simulated(const struct desk *desk)
{
	return desk->inventory && str_starts_with(desk->inventory->source, "SIMULATED");
}

void screen_stamp(const struct desk *desk, char *buf, size_t size)
{
	if (!screen_replaying(desk)) {
		screen_clock_text(screen_now(), buf, size);
		return;
	}
	/* "replay of /long/path/FILE": the file's name is what tells them apart */
	const char *source = desk->inventory->source;
	const char *slash = strrchr(source, '/');
	if (slash && slash[1] && str_starts_with(source, "replay of "))
		str_format(buf, size, "replay of %s", slash + 1);
	else
		str_copy(buf, size, source);
}

bool screen_stamp_moved(const struct desk *desk, int64_t *minute)
{
	const int64_t now = screen_replaying(desk) ? 0 : screen_now() / 60;

	if (now == *minute)
		return false;
	*minute = now;
	return true;
}

void screen_draw_top(struct screen *screen, struct canvas *canvas)
{
	char left[256] = "", right[256] = "";
	const struct rect line = {0, 0, canvas->width, 1};

	if (screen->ops->title)
		screen->ops->title(screen, left, sizeof(left), right, sizeof(right));
	canvas_fill(canvas, line, ' ', ROLE_BAR);
	int room = canvas->width - 2;
	const int right_width = str_width(right);
	/* On a narrow screen where you are goes before the rest. */
	if (right[0] && room - right_width - 2 >= 16) {
		canvas_text_right(canvas, canvas->width - 1, 0, ROLE_BAR, right);
		room -= right_width + 2;
	}
	if (room > 0)
		canvas_text(canvas, 1, 0, room, ROLE_TITLE, left);
}

void screen_key_name(
	const struct desk *desk, enum action action, bool editing, char *buf, size_t size)
{
	char names[128];

	str_copy(buf, size, keys_name_of(desk->keys, action));
	if (!editing || strlen(buf) != 1 || buf[0] == '?')
		return;
	/* A letter would be typed: the first name that is longer works. */
	keys_names_of(desk->keys, action, names, sizeof(names));
	char *save = NULL;
	for (char *name = strtok_r(names, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
		if (strlen(name) > 1) {
			str_copy(buf, size, name);
			return;
		}
	}
	str_copy(buf, size, "");
}

struct shown_hint {
	char key[24];
	const char *text;
	enum action action;
	int x, width; /* with the gap behind it */
};

/* The hints that fit. The first ones matter most here, and the last two (help and the way out) are
 * what one looks for when lost: those between give way. */
static size_t place_hints(struct screen *screen, int width, struct shown_hint shown[HINTS_MAX])
{
	const struct screen_hint *hint = screen->ops->hints ? screen->ops->hints(screen) : NULL;
	const bool editing = screen->ops->editing && screen->ops->editing(screen);
	size_t count = 0;
	int total = 1, x = 1;

	for (; hint && hint->action != ACTION_COUNT && count < HINTS_MAX; hint++) {
		screen_key_name(screen->desk, hint->action, editing, shown[count].key,
			sizeof(shown[count].key));
		if (!shown[count].key[0])
			continue;
		/* without a text of its own it shares that of the next */
		shown[count].text = hint->text;
		shown[count].action = hint->action;
		shown[count].width = str_width(shown[count].key) + 1 +
			(hint->text[0] ? str_width(hint->text) + 2 : 0);
		total += shown[count++].width;
	}
	/* two columns behind the last one are not needed */
	while (count > 2 && total - 2 > width) {
		const size_t out = count - 3;

		total -= shown[out].width;
		memmove(&shown[out], &shown[out + 1], (count - out - 1) * sizeof(shown[0]));
		count--;
		/* a key that shared the text goes with it */
		while (out > 0 && out - 1 < count && !shown[out - 1].text[0]) {
			total -= shown[out - 1].width;
			memmove(&shown[out - 1], &shown[out], (count - out) * sizeof(shown[0]));
			count--;
			break;
		}
	}
	for (size_t i = 0; i < count; i++) {
		shown[i].x = x;
		x += shown[i].width;
	}
	return count;
}

static int hint_room(const struct screen *screen, int width)
{
	const int taken = screen->desk->status_width;

	return taken > 0 ? width - taken - 1 : width;
}

static void draw_hints(struct screen *screen, struct canvas *canvas, int y)
{
	struct shown_hint shown[HINTS_MAX];
	const size_t count = place_hints(screen, hint_room(screen, canvas->width), shown);

	for (size_t i = 0; i < count; i++) {
		const int x =
			canvas_text(canvas, shown[i].x, y, -1, ROLE_BAR_KEY, shown[i].key) + 1;

		if (shown[i].text[0])
			canvas_text(canvas, x, y, -1, ROLE_BAR, shown[i].text);
	}
}

enum action screen_hint_at(struct screen *screen, int width, int x)
{
	struct shown_hint shown[HINTS_MAX];
	const size_t count = place_hints(screen, hint_room(screen, width), shown);

	for (size_t i = 0; i < count; i++) {
		/* the gap behind a hint is nobody's */
		const int gap = shown[i].text[0] ? 2 : 1;

		if (x >= shown[i].x && x < shown[i].x + shown[i].width - gap)
			return shown[i].action;
	}
	return ACTION_COUNT;
}

void screen_draw_bottom(struct screen *screen, struct canvas *canvas, const char *notice)
{
	const int y = canvas->height - 1;
	const struct rect line = {0, y, canvas->width, 1};

	if (notice && notice[0] && y >= 2) {
		const struct rect above = {0, y - 1, canvas->width, 1};

		canvas_fill(canvas, above, ' ', ROLE_BAR);
		canvas_text(canvas, 1, y - 1, canvas->width - 2, ROLE_ERROR, notice);
	}
	if (y < 1)
		return;
	canvas_fill(canvas, line, ' ', ROLE_BAR);
	draw_hints(screen, canvas, y);
}

struct dialog *screen_explain_dialog(struct screen *screen)
{
	char text[4096] = "";

	if (screen->ops->explain)
		screen->ops->explain(screen, text, sizeof(text));
	if (!text[0])
		str_copy(text, sizeof(text), "Nothing under the cursor to explain.");
	return dialog_message("Explanation", text);
}
