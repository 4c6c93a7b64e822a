/* The lines under the sweep form: what will happen, what the gate says, or why nothing can. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "screens/explain.h"
#include "screens/sweep_form.h"
#include "screens/sweep_writes.h"

#define LINES_MAX 40

struct line {
	enum role role;
	int indent;
	char text[700];
};

struct pane {
	struct line lines[LINES_MAX];
	size_t count;
};

static void add(struct pane *pane, enum role role, int indent, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static void add(struct pane *pane, enum role role, int indent, const char *format, ...)
{
	va_list args;

	if (pane->count == LINES_MAX)
		return;
	struct line *line = &pane->lines[pane->count++];

	line->role = role;
	line->indent = indent;
	va_start(args, format);
	vsnprintf(line->text, sizeof(line->text), format, args);
	va_end(args);
}

/* A drive may take its time to be opened, or never answer. */
static void add_opening(struct sweep_form *sweep, struct pane *pane)
{
	const int64_t waited = screen_now() - sweep->asked;
	char key[32], since[96] = "";

	screen_key_name(sweep->screen.desk, ACTION_BACK, true, key, sizeof(key));
	if (waited >= 2)
		str_format(since, sizeof(since), " for %d s now; %s gives up", (int)waited, key);
	add(pane, ROLE_WARN, 0, "Opening %s%s ...%s",
		sweep->target_count ? sweep->targets[0] : "the target",
		sweep->target_count > 1 ? " and the others" : "", since);
}

static const char *name_of(const struct sweep_form *sweep, size_t index)
{
	return sweep->infos[index].name[0] ? sweep->infos[index].name : sweep->targets[index];
}

/* "WRITES to nvme0n1: about 310 GB, 0.04 % of its rated life" */
static void add_amount(const struct sweep_form *sweep, size_t index, int indent, const char *lead,
	struct pane *pane)
{
	const struct write_plan *plan = &sweep->write.plans[index];
	const struct run_target *info = &sweep->infos[index];
	char amount[128], life[96];

	write_plan_amount_text(plan, amount, sizeof(amount));
	if (plan->total.bound == WRITE_UNBOUNDED || !strcmp(info->kind, "file")) {
		add(pane, ROLE_VALUE, indent, "%s%s", lead, amount);
		return;
	}
	write_plan_life_text(plan, life, sizeof(life));
	add(pane, ROLE_VALUE, indent, "%s%s, %s", lead, amount, life);
}

static void add_look(const struct sweep_look *look, const char *name, struct pane *pane)
{
	const struct gate_report *report = &look->report;

	if (look->failed) {
		add(pane, ROLE_CRIT, 2, "gate: %s", look->fault);
		return;
	}
	if (report->simulated) {
		add(pane, ROLE_SIMULATED, 2, "SIMULATED: writing to %s harms nothing.", name);
		return;
	}
	if (!report->finding_count) {
		add(pane, ROLE_GOOD, 2, "gate: %s", report->summary);
		return;
	}
	for (size_t i = 0; i < report->finding_count && i < GATE_FINDINGS_MAX; i++)
		add(pane, report->findings[i].overridable ? ROLE_WARN : ROLE_CRIT, 2, "gate: %s",
			report->findings[i].text);
	if (report->more)
		add(pane, ROLE_CRIT, 2, "gate: and more of it");
}

/* What the user has to do, or that nothing is left to do. */
static void add_consent(const struct sweep_form *sweep, struct pane *pane)
{
	const struct sweep_writes *writes = &sweep->write;
	bool typed = false, allow = false;

	for (size_t i = 0; i < writes->look_count; i++) {
		const struct sweep_look *look = &writes->looks[i];

		if (look->failed || look->report.simulated || look->report.own_scratch_file)
			continue;
		if (gate_needs_typed(&look->report))
			typed = true;
		else
			allow = true;
	}
	if (allow && form_choice(sweep->form, "allow") != 1)
		add(pane, ROLE_WARN, 2, "To permit it set \"Allow writing\" above to yes.");
	if (typed)
		add(pane, ROLE_WARN, 2,
			"To write all the same, which destroys that, fill in \"Type to allow\" above.");
}

static void add_writes(struct sweep_form *sweep, struct pane *pane)
{
	const struct sweep_writes *writes = &sweep->write;
	const char *blocked = sweep_writes_blocked(sweep);
	const bool several = sweep->target_count > 1;

	if (blocked[0])
		add(pane, ROLE_CRIT, 0, "Cannot start: the gate does not let this test write.");
	else
		add(pane, ROLE_WARN, 0, "This test WRITES to %s%s, and takes %s%s.",
			sweep->target_count ? name_of(sweep, 0) : "the target",
			several ? " and the others" : "", sweep->estimate,
			sweep->target_count && writes->plans[0].fill.bound != WRITE_NOTHING
				? " after the fill"
				: "");
	for (size_t i = 0; i < sweep->target_count; i++) {
		char lead[96] = "";

		if (several)
			str_format(lead, sizeof(lead), "%s: ", name_of(sweep, i));
		if (!blocked[0])
			add_amount(sweep, i, 2, lead, pane);
		if (writes->known && i < writes->look_count)
			add_look(&writes->looks[i], name_of(sweep, i), pane);
	}
	if (!writes->known && sweep->target_count) {
		const int64_t waited = writes->out ? screen_now() - writes->out_since : 0;
		char since[32] = "";

		if (waited >= 2)
			str_format(since, sizeof(since), " for %d s", (int)waited);
		add(pane, ROLE_DIM, 2, "gate: looking at what is there%s ...", since);
	} else if (!blocked[0]) {
		add_consent(sweep, pane);
	}
}

static void fill(struct sweep_form *sweep, struct pane *pane)
{
	const struct desk *desk = sweep->screen.desk;

	pane->count = 0;
	if (sweep->problem[0])
		add(pane, ROLE_ERROR, 0, "Not started: %s", sweep->problem);
	if (desk->starting) {
		add_opening(sweep, pane);
		return;
	}
	if (!sweep->problem[0] && form_faulty(sweep->form))
		add(pane, ROLE_ERROR, 0, "Cannot start yet: mend what is marked with ! above.");
	else if (sweep->refused[0])
		add(pane, ROLE_WARN, 0, "This cannot run: %s", sweep->refused);
	else if (!sweep->problem[0] && desk->run && desk->run->state != RUNNER_ENDED)
		add(pane, ROLE_WARN, 0, "A test of %s is running: only one at a time can.",
			desk->run->targets);
	else if (sweep->write.writes)
		add_writes(sweep, pane);
	else if (!sweep->problem[0])
		add(pane, ROLE_GOOD, 0, "Takes %s. It only reads %s: nothing is written.",
			sweep->estimate, sweep->target_count ? sweep->targets[0] : "the target");
	if (sweep->notice[0])
		add(pane, ROLE_WARN, 0, "%s", sweep->notice);
}

int sweep_pane_height(struct sweep_form *sweep, int width)
{
	struct pane pane;
	struct canvas nowhere = {0};
	int height = 1;

	fill(sweep, &pane);
	for (size_t i = 0; i < pane.count; i++)
		height += canvas_wrap(&nowhere, 0, 0, width - 2 - pane.lines[i].indent, 0,
			ROLE_TEXT, pane.lines[i].text);
	return height;
}

/* What there is no room for is one key away. */
static void draw_more(const struct sweep_form *sweep, struct canvas *canvas, int x_end, int y)
{
	char key[32], text[64];

	screen_key_name(sweep->screen.desk, ACTION_EXPLAIN, true, key, sizeof(key));
	str_format(text, sizeof(text), " ... %s: all of it", key);
	canvas_text_right(canvas, x_end, y, ROLE_WARN, text);
}

void sweep_pane_draw(struct sweep_form *sweep, struct canvas *canvas, struct rect area)
{
	const int x = area.x + 1, width = area.width - 2, end = area.y + area.height;
	struct pane pane;
	int y = area.y;

	if (area.height < 1 || area.width < 3)
		return;
	canvas_hline(canvas, x, y++, width, ROLE_BORDER);
	fill(sweep, &pane);
	for (size_t i = 0; i < pane.count; i++) {
		const struct line *line = &pane.lines[i];

		y += canvas_wrap(canvas, x + line->indent, y, width - line->indent, end - y,
			line->role, line->text);
		if (y > end || (y == end && i + 1 < pane.count)) {
			draw_more(sweep, canvas, x + width, end - 1);
			return;
		}
	}
}

void sweep_pane_explain(const struct sweep_form *sweep, char *buf, size_t size)
{
	const char *key = form_focus(sweep->form);
	struct pane pane;

	if (!sweep->write.writes ||
		(strcmp(key, "allow") != 0 && strcmp(key, "typed") != 0 &&
			!sweep_writes_blocked(sweep)[0]))
		return;
	pane.count = 0;
	add_writes((struct sweep_form *)(uintptr_t)sweep, &pane);
	for (size_t i = 0; i < pane.count; i++)
		str_append(buf, size, "%s%s", buf[0] ? "\n" : "", pane.lines[i].text);
}
