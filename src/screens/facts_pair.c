/* Two lists of facts side by side, or one below the other. */
#include "screens/facts_pair.h"

#include "screens/explain.h"

void facts_pair_begin(
	struct facts_pair *pair, int width, struct facts **first, struct facts **second)
{
	pair->wide = width >= FACTS_PAIR_WIDE;
	if (!pair->wide)
		pair->on_second = false;
	facts_begin(&pair->first);
	facts_begin(&pair->second);
	*first = &pair->first;
	*second = pair->wide ? &pair->second : &pair->first;
}

void facts_pair_end(struct facts_pair *pair)
{
	facts_end(&pair->first);
	facts_end(&pair->second);
	if (!pair->second.cursor[0])
		pair->on_second = false;
}

static struct facts *focused(struct facts_pair *pair)
{
	return pair->on_second ? &pair->second : &pair->first;
}

bool facts_pair_action(struct facts_pair *pair, enum action action)
{
	if (pair->wide && (action == ACTION_LEFT || action == ACTION_RIGHT)) {
		pair->on_second = action == ACTION_RIGHT && pair->second.cursor[0];
		return true;
	}
	return facts_action(focused(pair), action);
}

bool facts_pair_key(struct facts_pair *pair, const struct key *key)
{
	if (facts_key(&pair->first, key)) {
		pair->on_second = false;
		return true;
	}
	if (pair->wide && facts_key(&pair->second, key)) {
		pair->on_second = true;
		return true;
	}
	return false;
}

/* What is under the cursor, explained below, when the facts leave the room. Returns the lines left
 * for them. */
static int draw_explanation(
	struct facts_pair *pair, struct canvas *canvas, struct rect area, int needed)
{
	const struct rect below = {
		area.x, area.y + needed + 1, area.width, area.height - needed - 1};

	if (below.height < EXPLAIN_PANE_ROOM + 1)
		return area.height;
	explain_pane_draw(facts_pair_cursor(pair), canvas, below);
	return needed;
}

void facts_pair_draw(struct facts_pair *pair, struct canvas *canvas, struct rect area, bool dimmed)
{
	struct rect left = area, right = area;

	if (!pair->wide) {
		left.height = draw_explanation(
			pair, canvas, area, facts_height(&pair->first, canvas, area.width));
		facts_draw(&pair->first, canvas, left, true, dimmed);
		return;
	}
	left.width = area.width / 2 - 1;
	right.x = area.x + area.width / 2 + 1;
	right.width = area.x + area.width - right.x;
	int needed = facts_height(&pair->first, canvas, left.width);
	const int other = facts_height(&pair->second, canvas, right.width);
	if (needed < other)
		needed = other;
	left.height = right.height = draw_explanation(pair, canvas, area, needed);
	for (int y = 0; y < left.height; y++)
		canvas_put(canvas, area.x + area.width / 2, area.y + y, 0x2502, ROLE_BORDER);
	facts_draw(&pair->first, canvas, left, !pair->on_second, dimmed);
	facts_draw(&pair->second, canvas, right, pair->on_second, dimmed);
}

const char *facts_pair_cursor(const struct facts_pair *pair)
{
	return pair->on_second ? pair->second.cursor : pair->first.cursor;
}

void facts_pair_free(struct facts_pair *pair)
{
	facts_free(&pair->first);
	facts_free(&pair->second);
}
