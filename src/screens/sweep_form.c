/* New sweep: what to test, how, and how long it will take. */
#include "screens/sweep_form.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "screens/explain.h"
#include "screens/format.h"
#include "sweep/method.h"

#define WIDE 110
#define ASIDE 46
#define TALL 34 /* room for all fields */
#define FIELDS_LEAST 9

static struct sweep_form *of(struct screen *screen)
{
	return (struct sweep_form *)(void *)screen;
}

static void title(
	struct screen *screen, char *left, size_t left_size, char *right, size_t right_size)
{
	str_format(left, left_size, "New sweep%s", of(screen)->simulated ? " · SIMULATED" : "");
	screen_stamp(screen->desk, right, right_size);
}

static bool update(struct screen *screen)
{
	const bool moved = screen_stamp_moved(screen->desk, &of(screen)->minute);

	sweep_writes_ask(of(screen));
	return moved || screen->desk->starting || of(screen)->write.out;
}

static void mix_text(const struct io_mix *mix, char *buf, size_t size)
{
	char block[32];

	str_copy(buf, size, "");
	for (uint32_t i = 0; i < mix->count && i < IO_MIX_MAX; i++) {
		str_append(buf, size, "%s%s", i ? ", " : "",
			units_block_size(block, sizeof(block), mix->size[i].bytes));
		if (mix->count > 1)
			str_append(buf, size, " %.3g %%", mix->size[i].share * 100);
	}
}

/* Beside the form, where there is room: the workload and the method in full. */
static void draw_aside(struct sweep_form *sweep, struct canvas *canvas, struct rect area)
{
	const struct workload *workload = sweep->workload;
	const struct method_ops *method = method_find(sweep->method, NULL);
	const int x = area.x + 2, width = area.width - 3, end = area.y + area.height;
	char text[400], mix[256];
	int y = area.y;

	for (int i = 0; i < area.height; i++)
		canvas_put(canvas, area.x, area.y + i, 0x2502, ROLE_BORDER);
	if (method) {
		canvas_text(canvas, x, y++, width, ROLE_HEADER, method->name);
		y += canvas_wrap(canvas, x, y, width, end - y, ROLE_TEXT, method->help) + 1;
	}
	if (!workload || y >= end)
		return;
	canvas_textf(canvas, x, y++, width, ROLE_HEADER, "%s: %s", workload->name, workload->title);
	if (y < end)
		y += canvas_wrap(canvas, x, y, width, end - y, ROLE_TEXT, workload->help) + 1;
	for (uint32_t i = 0; i < workload->stream_count && i < IO_STREAM_MAX && y < end; i++) {
		const struct io_stream *stream = &workload->streams[i];

		str_format(text, sizeof(text), "%.3g %% of I/O: %.3g %% read, %.3g %% random",
			stream->share * 100, stream->read_share * 100, stream->random_share * 100);
		y += canvas_wrap(canvas, x, y, width, end - y, ROLE_VALUE, text);
		if (stream->read_share > 0 && y < end) {
			mix_text(&stream->read_mix, mix, sizeof(mix));
			str_format(text, sizeof(text), "reads of %s", mix);
			y += canvas_wrap(canvas, x, y, width, end - y, ROLE_DIM, text);
		}
		if (stream->read_share < 1 && y < end) {
			mix_text(&stream->write_mix, mix, sizeof(mix));
			str_format(text, sizeof(text), "writes of %s", mix);
			y += canvas_wrap(canvas, x, y, width, end - y, ROLE_DIM, text);
		}
	}
	if (y + 1 < end && workload->basis_text[0])
		canvas_wrap(canvas, x, y + 1, width, end - y - 1, ROLE_DIM, workload->basis_text);
}

static void draw(struct screen *screen, struct canvas *canvas, struct rect area)
{
	struct sweep_form *sweep = of(screen);
	struct rect fields = area, below = area;

	if (area.width < 1 || area.height < 1)
		return;
	if (!sweep->advanced_asked && sweep->advanced != (area.height >= TALL)) {
		sweep->advanced = area.height >= TALL;
		sweep_fields_read(sweep);
	}
	if (area.width >= WIDE) {
		const struct rect aside = {area.x + area.width - ASIDE, area.y, ASIDE, area.height};

		draw_aside(sweep, canvas, aside);
		fields.width -= ASIDE;
		below.width -= ASIDE;
	}
	/* What it says about writing has room first, but the fields are not crowded out. */
	const int least = area.height >= 16 ? 4 : area.height >= 8 ? 3 : 0;
	const int most = area.height - FIELDS_LEAST > least ? area.height - FIELDS_LEAST : least;
	int verdict = sweep_pane_height(sweep, below.width);
	if (verdict < least)
		verdict = least;
	if (verdict > most)
		verdict = most;
	fields.height -= verdict;
	below.y += fields.height;
	below.height = verdict;
	form_draw(sweep->form, canvas, fields);
	sweep_pane_draw(sweep, canvas, below);
}

static void started(struct screen *screen, const struct err *fault)
{
	struct sweep_form *sweep = of(screen);
	struct desk *desk = screen->desk;

	if (fault) {
		str_copy(sweep->problem, sizeof(sweep->problem),
			fault->text[0] ? fault->text : "the reason is not known");
		/* What the gate has just found shall show. */
		sweep_writes_again(sweep);
		return;
	}
	/* The form is done; back from the test leads to where it was opened. */
	desk->pop(desk);
	desk->push(desk, screen_live(desk));
}

static void start(struct sweep_form *sweep)
{
	struct desk *desk = sweep->screen.desk;
	const char *targets[SWEEP_TARGETS_MAX];
	struct gate_consent consent;
	struct err err = {0};

	sweep->problem[0] = '\0';
	sweep->asked = screen_now();
	sweep_fields_read(sweep);
	if (!form_check(sweep->form))
		return;
	if (sweep->refused[0]) {
		form_set_fault(sweep->form, "workload", sweep->refused);
		form_set_focus(sweep->form, "workload");
		return;
	}
	if (!sweep_writes_consent(sweep, &consent, sweep->problem, sizeof(sweep->problem)))
		return;
	for (size_t i = 0; i < sweep->target_count; i++)
		targets[i] = sweep->targets[i];
	const struct runner_config config = {
		.workload = sweep->workload,
		.method = sweep->method,
		.targets = targets,
		.target_count = sweep->target_count,
		.options = sweep->options,
		.consent = consent,
	};
	if (desk->start_run(desk, &config, started, &sweep->screen, &err))
		started(&sweep->screen, &err);
}

static void answer_pick(struct screen *screen, enum dialog_result result, const char *value)
{
	struct sweep_form *sweep = of(screen);
	const char *key = form_focus(sweep->form);
	char name[64];

	if (result != DIALOG_YES || !key[0])
		return;
	/* the list shows the name, then what it is */
	str_copy(name, sizeof(name), value);
	char *space = strchr(name, ' ');
	if (space)
		*space = '\0';
	form_set_value(sweep->form, key, name);
	sweep_fields_read(sweep);
}

static bool pick(struct sweep_form *sweep)
{
	size_t selected = 0;
	char **choices = sweep_fields_choices(sweep, &selected);

	if (!choices)
		return false;
	sweep->screen.desk->ask(sweep->screen.desk,
		dialog_choice("Choose", (const char *const *)choices, selected), answer_pick,
		&sweep->screen);
	sweep_fields_choices_free(choices);
	return true;
}

static bool form_take(struct sweep_form *sweep, const struct key *key)
{
	if (!form_key(sweep->form, key))
		return false;
	sweep->problem[0] = '\0';
	sweep_fields_read(sweep);
	return true;
}

static bool action(struct screen *screen, enum action action)
{
	static const struct {
		enum action action;
		uint32_t code;
	} moves[] = {
		{ACTION_UP, KEYC_UP},
		{ACTION_DOWN, KEYC_DOWN},
		{ACTION_LEFT, KEYC_LEFT},
		{ACTION_RIGHT, KEYC_RIGHT},
		{ACTION_HOME, KEYC_HOME},
		{ACTION_END, KEYC_END},
	};
	struct sweep_form *sweep = of(screen);

	if (screen->desk->starting) {
		if (action != ACTION_BACK)
			return action != ACTION_QUIT && action != ACTION_HELP &&
				action != ACTION_REDRAW;
		screen->desk->cancel_start(screen->desk);
		str_copy(sweep->problem, sizeof(sweep->problem),
			"given up before the target was open");
		return true;
	}
	for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++) {
		if (moves[i].action == action) {
			form_take(sweep, &(struct key){.code = moves[i].code});
			return true;
		}
	}
	switch (action) {
	case ACTION_FORM_START:
		start(sweep);
		return true;
	case ACTION_FORM_ADVANCED:
		sweep->advanced = !sweep->advanced;
		sweep->advanced_asked = true;
		sweep_fields_read(sweep);
		return true;
	case ACTION_FORM_PICK:
		return pick(sweep);
	default:
		return false;
	}
}

static bool key(struct screen *screen, const struct key *key)
{
	/* Help is one key away everywhere. */
	if ((key->code == '?' && !key->pasted) || screen->desk->starting)
		return false;
	return form_take(of(screen), key);
}

static bool editing(struct screen *screen)
{
	return !screen->desk->starting && form_editing(of(screen)->form);
}

static void explain(struct screen *screen, char *buf, size_t size)
{
	char key[80];

	sweep_fields_explain_key(of(screen), key, sizeof(key));
	explain_text(key, buf, size);
	sweep_pane_explain(of(screen), buf, size);
}

static const struct screen_hint *hints(struct screen *screen)
{
	static struct screen_hint list[10];
	const struct sweep_form *sweep = of(screen);
	size_t n = 0;

	if (screen->desk->starting) {
		list[n++] = (struct screen_hint){ACTION_HELP, "help"};
		list[n++] = (struct screen_hint){ACTION_BACK, "give up"};
		list[n] = (struct screen_hint){ACTION_COUNT, NULL};
		return list;
	}
	if (!sweep->refused[0] && !sweep_writes_blocked(sweep)[0])
		list[n++] = (struct screen_hint){ACTION_FORM_START, "start"};
	list[n++] = (struct screen_hint){ACTION_UP, ""};
	list[n++] = (struct screen_hint){ACTION_DOWN, "move"};
	if (!form_editing(sweep->form))
		list[n++] = (struct screen_hint){ACTION_FORM_PICK, "list"};
	list[n++] = (struct screen_hint){ACTION_FORM_ADVANCED, sweep->advanced ? "fewer" : "more"};
	list[n++] = (struct screen_hint){ACTION_EXPLAIN, "explain"};
	list[n++] = (struct screen_hint){ACTION_HELP, "help"};
	list[n++] = (struct screen_hint){ACTION_BACK, "back"};
	list[n] = (struct screen_hint){ACTION_COUNT, NULL};
	return list;
}

static void destroy(struct screen *screen)
{
	struct sweep_form *sweep = of(screen);

	form_free(sweep->form);
	workload_list_free(sweep->workloads, sweep->workload_count);
	free(sweep);
}

static const struct screen_ops form_ops = {
	.name = "form",
	.draw = draw,
	.title = title,
	.action = action,
	.key = key,
	.editing = editing,
	.update = update,
	.explain = explain,
	.hints = hints,
	.destroy = destroy,
};

struct screen *screen_sweep_form(struct desk *desk, const char *target)
{
	struct sweep_form *sweep = mem_alloc(sizeof(*sweep));

	sweep->screen = (struct screen){&form_ops, desk};
	sweep_fields_create(sweep, target);
	update(&sweep->screen);
	return &sweep->screen;
}
