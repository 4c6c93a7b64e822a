/* Dialogs: message, confirmation, input line, list to pick from. Second body of form.h. */
#include "tui/form.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "tui/edit.h"

enum dialog_kind {
	DIALOG_KIND_MESSAGE,
	DIALOG_KIND_CONFIRM,
	DIALOG_KIND_INPUT,
	DIALOG_KIND_CHOICE
};

#define DIALOG_WIDEST 100

struct dialog {
	enum dialog_kind kind;
	char *title, *text;
	char *buttons[2]; /* yes, no; NULL: none */
	int focus;        /* of the buttons */
	struct edit edit;
	char **choices;
	int choice_count, choice;
	/* last draw */
	int scroll, page, lines;
	struct rect body;      /* of the list or text */
	struct rect button[2]; /* width 0: not drawn */
};

static struct dialog *dialog_create(enum dialog_kind kind, const char *title, const char *text)
{
	struct dialog *dialog = mem_alloc(sizeof(*dialog));

	dialog->kind = kind;
	dialog->title = mem_strdup(title ? title : "");
	dialog->text = mem_strdup(text ? text : "");
	return dialog;
}

struct dialog *dialog_message(const char *title, const char *text)
{
	struct dialog *dialog = dialog_create(DIALOG_KIND_MESSAGE, title, text);

	dialog->buttons[0] = mem_strdup("Close");
	return dialog;
}

struct dialog *dialog_confirm(const char *title, const char *text, const char *yes, const char *no)
{
	struct dialog *dialog = dialog_create(DIALOG_KIND_CONFIRM, title, text);

	dialog->buttons[0] = mem_strdup(yes);
	dialog->buttons[1] = mem_strdup(no);
	dialog->focus = 1;
	return dialog;
}

struct dialog *dialog_input(const char *title, const char *text, const char *value)
{
	struct dialog *dialog = dialog_create(DIALOG_KIND_INPUT, title, text);

	dialog->buttons[0] = mem_strdup("OK");
	dialog->buttons[1] = mem_strdup("Cancel");
	edit_set(&dialog->edit, value ? value : "");
	return dialog;
}

struct dialog *dialog_choice(const char *title, const char *const *choices, size_t selected)
{
	struct dialog *dialog = dialog_create(DIALOG_KIND_CHOICE, title, "");
	int count = 0;

	while (choices && choices[count])
		count++;
	dialog->choices = mem_alloc(((size_t)count + 1) * sizeof(*dialog->choices));
	for (int i = 0; i < count; i++)
		dialog->choices[i] = mem_strdup(choices[i]);
	dialog->choice_count = count;
	dialog->choice = selected < (size_t)count ? (int)selected : 0;
	return dialog;
}

void dialog_free(struct dialog *dialog)
{
	if (!dialog)
		return;
	for (int i = 0; i < dialog->choice_count; i++)
		free(dialog->choices[i]);
	free(dialog->choices);
	free(dialog->buttons[0]);
	free(dialog->buttons[1]);
	free(dialog->title);
	free(dialog->text);
	free(dialog);
}

const char *dialog_value(const struct dialog *dialog)
{
	if (dialog->kind == DIALOG_KIND_INPUT)
		return dialog->edit.text;
	return dialog->choice < dialog->choice_count ? dialog->choices[dialog->choice] : "";
}

/* ---- keys ------------------------------------------------------------------------------------ */

static bool dialog_inside(const struct rect *rect, const struct key *key)
{
	return key->x >= rect->x && key->x < rect->x + rect->width && key->y >= rect->y &&
		key->y < rect->y + rect->height;
}

static void dialog_move(struct dialog *dialog, int rows)
{
	int *at = dialog->kind == DIALOG_KIND_CHOICE ? &dialog->choice : &dialog->scroll;
	int last = dialog->kind == DIALOG_KIND_CHOICE ? dialog->choice_count - 1
						      : dialog->lines - dialog->page;
	long long to = (long long)*at + rows;

	*at = to > last ? last : (int)to;
	if (to < 0 || last < 0)
		*at = 0;
}

static enum dialog_result dialog_mouse(struct dialog *dialog, const struct key *key)
{
	if (key->button == MOUSE_WHEEL_UP || key->button == MOUSE_WHEEL_DOWN) {
		dialog_move(dialog, key->button == MOUSE_WHEEL_UP ? -1 : 1);
		return DIALOG_OPEN;
	}
	if (key->button != MOUSE_LEFT && key->button != MOUSE_DOUBLE)
		return DIALOG_OPEN;
	if (dialog_inside(&dialog->button[0], key))
		return DIALOG_YES;
	if (dialog_inside(&dialog->button[1], key))
		return DIALOG_NO;
	if (dialog->kind == DIALOG_KIND_CHOICE && dialog_inside(&dialog->body, key)) {
		int row = dialog->scroll + key->y - dialog->body.y;

		if (row >= dialog->choice_count)
			return DIALOG_OPEN;
		if (row == dialog->choice || key->button == MOUSE_DOUBLE) {
			dialog->choice = row;
			return DIALOG_YES;
		}
		dialog->choice = row;
	}
	return DIALOG_OPEN;
}

/* A typed letter goes to the next choice that begins with it. */
static void dialog_jump(struct dialog *dialog, uint32_t code)
{
	char first[5];

	if (code <= ' ' || code >= KEYC_BASE)
		return;
	str_utf8_put(first, code);
	for (int i = 1; i <= dialog->choice_count; i++) {
		int at = (dialog->choice + i) % dialog->choice_count;

		if (str_find_nocase(dialog->choices[at], first) == dialog->choices[at]) {
			dialog->choice = at;
			return;
		}
	}
}

static enum dialog_result dialog_key_move(struct dialog *dialog, const struct key *key)
{
	int page = dialog->page > 1 ? dialog->page - 1 : 1;

	switch (key->code) {
	case KEYC_UP:
		dialog_move(dialog, -1);
		break;
	case KEYC_DOWN:
		dialog_move(dialog, 1);
		break;
	case KEYC_PGUP:
		dialog_move(dialog, -page);
		break;
	case KEYC_PGDN:
		dialog_move(dialog, page);
		break;
	case KEYC_HOME:
		dialog_move(dialog, -100000);
		break;
	case KEYC_END:
		dialog_move(dialog, 100000);
		break;
	case KEYC_TAB:
	case KEYC_BACKTAB:
	case KEYC_LEFT:
	case KEYC_RIGHT:
		if (dialog->buttons[1])
			dialog->focus = !dialog->focus;
		break;
	default:
		if (dialog->kind == DIALOG_KIND_CHOICE)
			dialog_jump(dialog, key->code);
		break;
	}
	return DIALOG_OPEN;
}

enum dialog_result dialog_key(struct dialog *dialog, const struct key *key)
{
	if (key->code == KEYC_MOUSE)
		return dialog_mouse(dialog, key);
	if (key->pasted) {
		if (dialog->kind == DIALOG_KIND_INPUT)
			edit_key(&dialog->edit, key);
		return DIALOG_OPEN;
	}
	if (key->code == KEYC_ESC || key->code == KEYC_CTRL_A + ('C' - 'A'))
		return DIALOG_NO;
	if (key->code == KEYC_ENTER) {
		if (dialog->kind == DIALOG_KIND_CHOICE && dialog->choice_count == 0)
			return DIALOG_NO;
		return dialog->focus == 0 ? DIALOG_YES : DIALOG_NO;
	}
	if (dialog->kind == DIALOG_KIND_INPUT && key->code != KEYC_TAB &&
		key->code != KEYC_BACKTAB && edit_key(&dialog->edit, key))
		return DIALOG_OPEN;
	if (dialog->kind == DIALOG_KIND_MESSAGE && (key->code == ' ' || key->code == 'q'))
		return DIALOG_YES;
	if (dialog->kind == DIALOG_KIND_CONFIRM) {
		if (key->code == 'y' || key->code == 'Y')
			return DIALOG_YES;
		if (key->code == 'n' || key->code == 'N')
			return DIALOG_NO;
	}
	return dialog_key_move(dialog, key);
}

/* ---- painting -------------------------------------------------------------------------------- */

/* Columns of the longest line of the text. */
static int dialog_text_width(const char *text)
{
	int widest = 0, width = 0;
	uint32_t c;

	while ((c = str_utf8_next(&text)) != 0) {
		width = c == '\n' ? 0 : width + str_code_point_width(c);
		if (width > widest)
			widest = width;
	}
	return widest;
}

static int dialog_buttons_width(const struct dialog *dialog)
{
	int width = 0;

	for (int i = 0; i < 2; i++)
		if (dialog->buttons[i])
			width += str_width(dialog->buttons[i]) + 6;
	return width;
}

static int dialog_limit(int value, int low, int high)
{
	value = value < low ? low : value;
	return value > high ? high : value;
}

/* Columns inside the frame. */
static int dialog_width(const struct dialog *dialog, int room)
{
	int width = dialog_text_width(dialog->text), title = str_width(dialog->title) + 4;

	for (int i = 0; i < dialog->choice_count; i++)
		if (str_width(dialog->choices[i]) + 4 > width)
			width = str_width(dialog->choices[i]) + 4;
	if (dialog_buttons_width(dialog) > width)
		width = dialog_buttons_width(dialog);
	if (title > width)
		width = title;
	if (dialog->kind == DIALOG_KIND_INPUT && width < 40)
		width = 40;
	return dialog_limit(width, 1, room < DIALOG_WIDEST ? room : DIALOG_WIDEST);
}

static void dialog_draw_buttons(struct dialog *dialog, struct canvas *canvas, int right, int y)
{
	int x = right - dialog_buttons_width(dialog) + 2;

	for (int i = 0; i < 2; i++) {
		int end;

		dialog->button[i] = (struct rect){0};
		if (!dialog->buttons[i])
			continue;
		end = canvas_textf(canvas, x, y, -1,
			dialog->focus == i ? ROLE_FIELD_FOCUS : ROLE_FIELD, "%s %s %s",
			dialog->focus == i ? "[" : " ", dialog->buttons[i],
			dialog->focus == i ? "]" : " ");
		dialog->button[i] = (struct rect){x, y, end - x, 1};
		x = end + 2;
	}
}

static void dialog_draw_choices(struct dialog *dialog, struct canvas *canvas)
{
	const struct rect *body = &dialog->body;

	if (dialog->scroll > dialog->choice)
		dialog->scroll = dialog->choice;
	if (dialog->scroll < dialog->choice - body->height + 1)
		dialog->scroll = dialog->choice - body->height + 1;
	for (int i = 0; i < body->height && dialog->scroll + i < dialog->choice_count; i++) {
		int at = dialog->scroll + i;

		canvas_textf(canvas, body->x, body->y + i, body->width, ROLE_TEXT, "%s %s",
			at == dialog->choice ? ">" : " ", dialog->choices[at]);
		if (str_width(dialog->choices[at]) + 2 > body->width)
			canvas_put(canvas, body->x + body->width - 1, body->y + i, U'…', ROLE_TEXT);
		if (at == dialog->choice)
			canvas_select(canvas, body->x, body->y + i, body->width);
	}
}

static void dialog_draw_text(struct dialog *dialog, struct canvas *canvas)
{
	const struct rect saved = canvas->clip;

	dialog->scroll = dialog_limit(
		dialog->scroll, 0, dialog_limit(dialog->lines - dialog->page, 0, dialog->lines));
	canvas_clip(canvas, &dialog->body);
	canvas_wrap(canvas, dialog->body.x, dialog->body.y - dialog->scroll, dialog->body.width,
		dialog->scroll + dialog->body.height, ROLE_TEXT, dialog->text);
	canvas_clip(canvas, &saved);
}

void dialog_draw(struct dialog *dialog, struct canvas *canvas)
{
	static struct canvas nowhere = {0};
	int width = dialog_width(dialog, canvas->width - 4), extra, height;
	struct rect frame;

	canvas_clip(canvas, NULL);
	canvas->cursor_x = canvas->cursor_y = -1;
	dialog->lines = dialog->kind == DIALOG_KIND_CHOICE
		? dialog->choice_count
		: canvas_wrap(&nowhere, 0, 0, width, 0, ROLE_TEXT, dialog->text);
	/* frame, then a blank line and the input or the buttons where there are any */
	extra = 2 + (dialog->kind == DIALOG_KIND_INPUT ? 2 : 0) + (dialog->buttons[0] ? 2 : 0);
	height = dialog_limit(dialog->lines + extra, 1, canvas->height);
	frame = (struct rect){
		(canvas->width - width - 4) / 2, (canvas->height - height) / 2, width + 4, height};
	if (frame.x < 0)
		frame.x = 0;
	canvas_fill(canvas, frame, ' ', ROLE_TEXT);
	canvas_box(canvas, frame, ROLE_BORDER, dialog->title);
	dialog->page = dialog_limit(height - extra, 1, height);
	dialog->body = (struct rect){frame.x + 2, frame.y + 1, width, dialog->page};
	if (dialog->kind == DIALOG_KIND_CHOICE)
		dialog_draw_choices(dialog, canvas);
	else
		dialog_draw_text(dialog, canvas);
	if (dialog->lines > dialog->page) {
		int right = frame.x + frame.width - 1;

		if (dialog->scroll > 0)
			canvas_put(canvas, right, dialog->body.y, U'▲', ROLE_DIM);
		if (dialog->scroll + dialog->page < dialog->lines)
			canvas_put(
				canvas, right, dialog->body.y + dialog->page - 1, U'▼', ROLE_DIM);
	}
	if (dialog->kind == DIALOG_KIND_INPUT)
		edit_draw(&dialog->edit, canvas, frame.x + 2,
			frame.y + height - 2 - (dialog->buttons[0] ? 2 : 0), width,
			ROLE_FIELD_FOCUS, true);
	dialog->button[0] = dialog->button[1] = (struct rect){0};
	if (dialog->buttons[0] && height > 2)
		dialog_draw_buttons(dialog, canvas, frame.x + 2 + width, frame.y + height - 2);
}
