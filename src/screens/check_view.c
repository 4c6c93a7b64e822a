/* The lines of a quick check on a screen. */
#include "screens/check_view.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "report/check_text.h"
#include "screens/format.h"

#define TITLE_WIDTH 13
#define WORD_WIDTH 13

static enum role role_of(enum check_state state)
{
	switch (state) {
	case CHECK_GOOD:
		return ROLE_GOOD;
	case CHECK_WARNING:
		return ROLE_WARN;
	case CHECK_CRITICAL:
		return ROLE_CRIT;
	case CHECK_NOT_JUDGED:
		return ROLE_UNKNOWN;
	case CHECK_PENDING:
		break;
	}
	return ROLE_DIM;
}

const char *check_view_verdict(const struct check *check, char *buf, size_t size)
{
	if (check->verdict != HEALTH_UNKNOWN)
		str_copy(buf, size, health_word(check->verdict));
	else
		str_format(buf, size, "unknown%s%s", check->why_unknown[0] ? ": " : "",
			check->why_unknown);
	return buf;
}

enum role check_view_role(const struct check *check)
{
	return format_verdict_role(check->verdict);
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* What is being read just now belongs to this part. */
static bool is_current(const struct runner_view *run, size_t part)
{
	const struct run_point *p = &run->so_far;

	if (run->state >= RUNNER_STOPPING || !run->has_so_far)
		return false;
	if (!strcmp(p->load, CHECK_LOAD_SEQUENTIAL))
		return part == CHECK_SEQUENTIAL;
	return part == (p->outstanding_limit == 1 ? CHECK_LATENCY : CHECK_RANDOM);
}

static void current_text(const struct runner_view *run, size_t part, char *buf, size_t size)
{
	const struct run_point *p = &run->so_far;
	char text[2][32];

	if (part == CHECK_SEQUENTIAL)
		str_format(buf, size, "now %s/s",
			units_bytes_si(text[0], sizeof(text[0]),
				p->window_s > 0 ? (u128)((double)p->read_bytes / p->window_s + 0.5)
						: 0));
	else
		str_format(buf, size, "now %s IOPS at %s",
			format_count(text[0], sizeof(text[0]), p->iops),
			format_latency(text[1], sizeof(text[1]), p->service.mean));
}

static void fill_part(struct check_view *view, const struct check *check, size_t part,
	const struct runner_view *run)
{
	static const char *const keys[CHECK_PARTS] = {
		[CHECK_HEALTH] = "check.health",
		[CHECK_LINK] = "check.link",
		[CHECK_LATENCY] = "check.latency",
		[CHECK_RANDOM] = "check.random",
		[CHECK_SEQUENTIAL] = "check.sequential",
	};
	const struct check_line *line = &check->lines[part];
	char *text = view->rows[view->count].text, now[96];
	const size_t size = sizeof(view->rows[0].text);

	view->rows[view->count].title = line->title;
	view->rows[view->count].explain = keys[part];
	view->rows[view->count].role = role_of(line->state);
	str_copy(view->rows[view->count].word, sizeof(view->rows[0].word), line->word);
	str_format(text, size, "%s%s%s", line->figures,
		line->figures[0] && line->reason[0] ? " - " : "", line->reason);
	if (line->state == CHECK_PENDING) {
		const bool current = run && is_current(run, part);

		str_copy(view->rows[view->count].word, sizeof(view->rows[0].word),
			current ? "reading" : "-");
		if (current) {
			current_text(run, part, now, sizeof(now));
			str_append(text, size, "%s%s", text[0] ? ", " : "", now);
		} else if (!text[0]) {
			str_copy(text, size, "not measured yet");
		}
	}
	view->count++;
}

void check_view_fill(struct check_view *view, const struct check *check,
	const char (*spoiled_by)[160], size_t spoiled_count, const struct runner_view *run)
{
	char *text;

	view->count = 0;
	for (size_t i = 0; i < CHECK_PARTS; i++)
		fill_part(view, check, i, run);
	text = view->rows[view->count].text;
	view->rows[view->count].title = "spoiled by";
	view->rows[view->count].explain = "check.spoiled";
	view->rows[view->count].role = spoiled_count ? ROLE_WARN : ROLE_GOOD;
	str_format(view->rows[view->count].word, sizeof(view->rows[0].word), "%zu thing%s",
		spoiled_count, spoiled_count == 1 ? "" : "s");
	str_copy(text, sizeof(view->rows[0].text),
		spoiled_count          ? ""
			: check->ended ? "nothing was found"
				       : "nothing was found so far");
	if (!spoiled_count)
		str_copy(view->rows[view->count].word, sizeof(view->rows[0].word), "nothing");
	for (size_t i = 0; i < spoiled_count; i++)
		str_append(text, sizeof(view->rows[0].text), "%s%s", i ? "; " : "", spoiled_by[i]);
	view->count++;
	view->rows[view->count].title = "read";
	view->rows[view->count].explain = "check.amount";
	view->rows[view->count].role = check->written_bytes ? ROLE_CRIT : ROLE_DIM;
	view->rows[view->count].word[0] = '\0';
	check_text_amount(check, view->rows[view->count].text, sizeof(view->rows[0].text));
	view->count++;
	if (view->cursor >= view->count)
		view->cursor = view->count - 1;
}

/* ---- drawing -------------------------------------------------------------------------------- */

static int text_at(int width)
{
	return width >= 60 ? 1 + TITLE_WIDTH + WORD_WIDTH : 3;
}

/* On a narrow screen the text stands below its title. */
static int row_height(const struct check_view *view, size_t row, struct canvas *canvas, int width)
{
	const int x = text_at(width);
	const int lines =
		canvas_wrap(canvas, 0, 0, width - x - 1, 0, ROLE_TEXT, view->rows[row].text);

	return (lines > 0 ? lines : 1) + (width >= 60 ? 0 : 1);
}

static void scroll(struct check_view *view, struct canvas *canvas, struct rect area)
{
	int height = 0;
	size_t first = view->cursor;

	if (view->cursor < view->top)
		view->top = view->cursor;
	for (size_t i = view->cursor + 1; i-- > 0;) {
		height += row_height(view, i, canvas, area.width);
		if (height > area.height)
			break;
		first = i;
	}
	if (view->top < first)
		view->top = first;
}

static void draw_row(
	const struct check_view *view, size_t row, struct canvas *canvas, struct rect line)
{
	const int x = text_at(line.width), skip = line.width >= 60 ? 0 : 1;

	canvas_text(canvas, line.x + 1, line.y, TITLE_WIDTH - 1, ROLE_LABEL, view->rows[row].title);
	canvas_text(canvas, line.x + 1 + TITLE_WIDTH, line.y, WORD_WIDTH - 1, view->rows[row].role,
		view->rows[row].word);
	if (line.height > skip)
		canvas_wrap(canvas, line.x + x, line.y + skip, line.width - x - 1,
			line.height - skip, ROLE_VALUE, view->rows[row].text);
	if (row != view->cursor)
		return;
	for (int n = 0; n < line.height; n++)
		canvas_select(canvas, line.x, line.y + n, line.width);
	canvas_put(canvas, line.x, line.y, '>', ROLE_TEXT);
}

int check_view_draw(struct check_view *view, struct canvas *canvas, struct rect area)
{
	int y = area.y;
	const int end = area.y + area.height;
	size_t i;

	view->drawn = area;
	memset(view->lines, 0, sizeof(view->lines));
	if (area.width < 8 || area.height < 1 || !view->count)
		return 0;
	scroll(view, canvas, area);
	for (i = view->top; i < view->count && y < end; i++) {
		struct rect line = {area.x, y, area.width, row_height(view, i, canvas, area.width)};

		if (line.height > end - y)
			line.height = end - y;
		draw_row(view, i, canvas, line);
		view->lines[i] = line.height;
		y += line.height;
	}
	if (view->top > 0)
		canvas_put(canvas, area.x + area.width - 1, area.y, 0x2191, ROLE_DIM);
	if (i < view->count)
		canvas_put(canvas, area.x + area.width - 1, end - 1, 0x2193, ROLE_DIM);
	return y - area.y;
}

/* ---- keys ----------------------------------------------------------------------------------- */

bool check_view_action(struct check_view *view, enum action action)
{
	switch (action) {
	case ACTION_UP:
		view->cursor -= view->cursor > 0;
		return true;
	case ACTION_DOWN:
		view->cursor += view->cursor + 1 < view->count;
		return true;
	case ACTION_HOME:
	case ACTION_PAGE_UP:
		view->cursor = 0;
		return true;
	case ACTION_END:
	case ACTION_PAGE_DOWN:
		view->cursor = view->count ? view->count - 1 : 0;
		return true;
	default:
		return false;
	}
}

bool check_view_key(struct check_view *view, const struct key *key)
{
	int y = view->drawn.y;

	if (key->code != KEYC_MOUSE)
		return false;
	if (key->button == MOUSE_WHEEL_UP || key->button == MOUSE_WHEEL_DOWN)
		return check_view_action(
			view, key->button == MOUSE_WHEEL_UP ? ACTION_UP : ACTION_DOWN);
	for (size_t i = view->top; i < view->count && key->button == MOUSE_LEFT; i++) {
		if (key->y >= y && key->y < y + view->lines[i]) {
			view->cursor = i;
			return true;
		}
		y += view->lines[i];
	}
	return false;
}

const char *check_view_explain(const struct check_view *view)
{
	return view->cursor < view->count ? view->rows[view->cursor].explain : "";
}
