/* What a comparison says in words: rank, what is unlike, doubts, the runs and their marks. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "screens/compare.h"

static void add_runs(struct compare_screen *self)
{
	struct facts *facts = &self->notes;
	char text[3000], tags[2200], when[32];

	facts_heading(facts, self->count > 1 ? "Runs" : "Run");
	for (size_t i = 0; i < self->count; i++) {
		const struct run *run = self->runs[i];
		const struct store_entry *entry = &self->entries[i];

		screen_time_text(run->started, when, sizeof(when));
		str_format(text, sizeof(text), "%c  %s%s · %s · %s · %s", compare_letter(i),
			run->simulated ? "SIMULATED " : "",
			run->target_count ? run->targets[0].name : "-", run->workload, run->method,
			when);
		facts_sentence(
			facts, "compare.run", run->simulated ? ROLE_SIMULATED : ROLE_VALUE, text);
		str_copy(text, sizeof(text), "");
		if (entry->marks.tag_count)
			str_format(text, sizeof(text), "   tags: %s",
				marks_tags_text(&entry->marks, tags, sizeof(tags)));
		if (entry->marks.note[0])
			str_append(text, sizeof(text), "   note: %s", entry->marks.note);
		if (text[0])
			facts_sentence(facts, "run.marks", ROLE_LABEL, text);
	}
}

static void add_list(struct facts *facts, const char *key, const char *heading,
	const char (*list)[256], size_t count, const char *none)
{
	facts_heading(facts, heading);
	for (size_t i = 0; i < count; i++)
		facts_sentence(facts, key, ROLE_WARN, list[i]);
	if (!count)
		facts_sentence(facts, key, ROLE_GOOD, none);
}

static void add_published(struct compare_screen *self)
{
	const struct reference_comparison *p = &self->published;
	struct facts *facts = &self->notes;
	char text[400], name[96];

	facts_heading(facts, "Against the published figures");
	facts_sentence(facts, "compare.published", p->none[0] ? ROLE_WARN : ROLE_VALUE,
		p->none[0] ? p->none : p->rank_text);
	if (p->mix_unknown)
		facts_sentence(facts, "compare.published", ROLE_WARN,
			"Mix unknown: how the reviews mixed this workload is not known. Take it as a "
			"hint, not as a measure.");
	for (size_t i = 0; i < p->note_count; i++)
		facts_sentence(facts, "compare.published", ROLE_WARN, p->notes[i]);
	for (size_t i = p->comparable; i < p->count; i++) {
		str_format(text, sizeof(text), "not comparable: %s, %s",
			reference_name(p->rows[i].row, name, sizeof(name)), p->rows[i].why);
		facts_sentence(facts, "compare.unlike", ROLE_DIM, text);
	}
	facts_heading(facts, "Where the figures come from");
	for (size_t i = 0; i < p->count; i++) {
		const struct reference_row *row = p->rows[i].row;

		str_format(text, sizeof(text), "%s: review %s, %s, confidence %s (%s)",
			reference_name(row, name, sizeof(name)), row->review, row->basis,
			row->confidence == REFERENCE_HIGH ? "high" : "medium", row->origin);
		facts_sentence(facts, "compare.published", ROLE_DIM, text);
	}
}

void compare_notes_fill(struct compare_screen *self)
{
	const struct comparison *c = &self->comparison;

	facts_begin(&self->notes);
	if (compare_published(self)) {
		add_published(self);
	} else {
		add_list(&self->notes, "compare.unlike", "In which way they are unlike",
			(const char(*)[256])c->unlike, c->unlike_count,
			"Nothing that is recorded is unlike but the time.");
		add_list(&self->notes, "run.spoiled", "Doubts", (const char(*)[256])c->doubts,
			c->doubt_count, "Nothing was found that spoils one of them.");
	}
	add_runs(self);
	facts_end(&self->notes);
}

/* A sentence on at most `most` lines from y on; returns the y behind it. */
static int put(
	struct canvas *canvas, struct rect area, int y, int most, enum role role, const char *text)
{
	const int lines = canvas_wrap(canvas, area.x + 1, y, area.width - 2, most, role, text);

	return y + (lines < most ? lines : most);
}

int compare_notes_draw(struct compare_screen *self, struct canvas *canvas, struct rect area)
{
	const struct comparison *c = &self->comparison;
	const struct reference_comparison *p = &self->published;
	const int end = area.y + area.height;
	char text[900];
	int y = area.y;

	if (compare_published(self)) {
		const char *first = p->none[0] ? p->none : p->rank_text;

		if (p->mix_unknown && y < end)
			y = put(canvas, area, y, 1, ROLE_WARN,
				"Mix unknown: a hint, not a measure.");
		if (first[0] && y < end)
			y = put(canvas, area, y, end - y, p->none[0] ? ROLE_WARN : ROLE_VALUE,
				first);
		curve_overlays_unlike(p, text, sizeof(text));
		if (text[0] && y < end)
			y = put(canvas, area, y, end - y, ROLE_DIM, text);
		return y - area.y;
	}
	if (!c->unlike_count) {
		y = put(canvas, area, y, end - y, ROLE_GOOD,
			"Nothing that is recorded is unlike but the time.");
		return y - area.y;
	}
	/* A line each; how many there was no room for is said on the last one. */
	for (size_t i = 0; i < c->unlike_count && y < end; i++, y++) {
		const size_t left = c->unlike_count - i;

		if (left > 1 && y + 1 == end) {
			str_format(text, sizeof(text),
				"unlike in %zu more ways, which the notes list", left);
			i = c->unlike_count;
		} else {
			str_format(text, sizeof(text), "unlike: %s", c->unlike[i]);
		}
		canvas_text(canvas, area.x + 1, y, area.width - 2, ROLE_WARN, text);
	}
	return y - area.y;
}
