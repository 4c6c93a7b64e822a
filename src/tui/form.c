/* Forms: fields, focus, editing, validation and layout. Dialogs are in dialog.c. */
#include "tui/form.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "tui/edit.h"

struct field {
	enum field_type type;
	char *key, *label, *help, *note;
	struct edit edit; /* text fields; labels keep their value here as well */
	int width;
	char **choices, **notes;
	size_t choice_count, choice;
	bool hidden, changed;
	char fault[sizeof(((struct err *)0)->text)];
	int y, height; /* last draw; height 0: not on the screen */
};

struct form {
	form_validate *validate;
	void *user;
	struct field **fields;
	size_t count;
	size_t focus; /* count: none */
	int scroll;   /* lines above the area */
	struct rect area;
};

struct form *form_create(form_validate *validate, void *user)
{
	struct form *form = mem_alloc(sizeof(*form));

	form->validate = validate;
	form->user = user;
	return form;
}

static void form_free_words(char **words)
{
	for (size_t i = 0; words && words[i]; i++)
		free(words[i]);
	free(words);
}

void form_free(struct form *form)
{
	if (!form)
		return;
	for (size_t i = 0; i < form->count; i++) {
		struct field *field = form->fields[i];

		free(field->key);
		free(field->label);
		free(field->help);
		free(field->note);
		form_free_words(field->choices);
		form_free_words(field->notes);
		free(field);
	}
	free(form->fields);
	free(form);
}

static bool form_can_focus(const struct field *field)
{
	return field->type != FIELD_LABEL && !field->hidden;
}

static struct field *form_add(struct form *form, enum field_type type, const char *key,
	const char *label, const char *help)
{
	struct field *field = mem_alloc(sizeof(*field));
	bool none = form->focus >= form->count || !form_can_focus(form->fields[form->focus]);

	field->type = type;
	field->key = mem_strdup(key);
	field->label = mem_strdup(label ? label : "");
	field->help = mem_strdup(help ? help : "");
	field->note = mem_strdup("");
	form->fields = mem_realloc(form->fields, (form->count + 1) * sizeof(*form->fields));
	form->fields[form->count] = field;
	if (none)
		form->focus = form->count + (type == FIELD_LABEL);
	form->count++;
	return field;
}

void form_add_text(struct form *form, const char *key, const char *label, const char *value,
	int width, const char *help)
{
	struct field *field = form_add(form, FIELD_TEXT, key, label, help);

	field->width = width > 0 ? width : 1;
	edit_set(&field->edit, value ? value : "");
}

bool form_faulty(const struct form *form)
{
	for (size_t i = 0; i < form->count; i++)
		if (form->fields[i]->fault[0] && !form->fields[i]->hidden)
			return true;
	return false;
}

static char **form_copy_words(const char *const *words, size_t count)
{
	char **copy = mem_alloc((count + 1) * sizeof(*copy));

	for (size_t i = 0; i < count; i++)
		copy[i] = mem_strdup(words[i] ? words[i] : "");
	return copy;
}

void form_add_choice(struct form *form, const char *key, const char *label,
	const char *const *choices, const char *const *notes, size_t selected, const char *help)
{
	struct field *field = form_add(form, FIELD_CHOICE, key, label, help);

	while (choices && choices[field->choice_count])
		field->choice_count++;
	field->choices = form_copy_words(choices, field->choice_count);
	if (notes)
		field->notes = form_copy_words(notes, field->choice_count);
	field->choice = selected < field->choice_count ? selected : 0;
}

void form_add_label(struct form *form, const char *key, const char *label, const char *value)
{
	struct field *field = form_add(form, FIELD_LABEL, key, label, NULL);

	edit_set(&field->edit, value ? value : "");
}

static struct field *form_find(const struct form *form, const char *key)
{
	for (size_t i = 0; i < form->count; i++)
		if (strcmp(form->fields[i]->key, key) == 0)
			return form->fields[i];
	return NULL;
}

static const char *field_value(const struct field *field)
{
	if (field->type == FIELD_CHOICE)
		return field->choice_count > 0 ? field->choices[field->choice] : "";
	return field->edit.text;
}

const char *form_value(const struct form *form, const char *key)
{
	const struct field *field = form_find(form, key);

	return field ? field_value(field) : "";
}

size_t form_choice(const struct form *form, const char *key)
{
	const struct field *field = form_find(form, key);

	return field ? field->choice : 0;
}

void form_set_value(struct form *form, const char *key, const char *value)
{
	struct field *field = form_find(form, key);

	if (!field)
		return;
	field->fault[0] = '\0';
	if (field->type != FIELD_CHOICE) {
		edit_set(&field->edit, value);
		return;
	}
	for (size_t i = 0; i < field->choice_count; i++)
		if (strcmp(field->choices[i], value) == 0)
			field->choice = i;
}

void form_set_note(struct form *form, const char *key, const char *note)
{
	struct field *field = form_find(form, key);

	if (!field)
		return;
	free(field->note);
	field->note = mem_strdup(note ? note : "");
}

void form_set_fault(struct form *form, const char *key, const char *sentence)
{
	struct field *field = form_find(form, key);

	if (field)
		str_sanitize_utf8(field->fault, sizeof(field->fault), sentence ? sentence : "");
}

/* ---- focus ----------------------------------------------------------------------------------- */

/* The next field that can have the focus, in steps of 1 or -1; wraps round on request. */
static size_t form_next(const struct form *form, size_t from, int step, bool wrap)
{
	size_t at = from;

	for (size_t i = 0; i < form->count; i++) {
		if (!wrap && ((step > 0 && at + 1 >= form->count) || (step < 0 && at == 0)))
			return from;
		at = step > 0 ? (at + 1) % form->count : (at == 0 ? form->count : at) - 1;
		if (form_can_focus(form->fields[at]))
			return at;
	}
	return from;
}

static bool form_has_focus(const struct form *form)
{
	return form->focus < form->count && form_can_focus(form->fields[form->focus]);
}

static bool form_validate_field(struct form *form, struct field *field)
{
	struct err err = {0};

	field->changed = false;
	if (!form->validate || field->type == FIELD_LABEL)
		return true;
	if (form->validate(form->user, field->key, field_value(field), &err) < 0) {
		str_sanitize_utf8(
			field->fault, sizeof(field->fault), err.text[0] ? err.text : "not valid");
		return false;
	}
	field->fault[0] = '\0';
	return true;
}

static void form_focus_index(struct form *form, size_t index)
{
	if (form_has_focus(form) && index != form->focus && form->fields[form->focus]->changed)
		form_validate_field(form, form->fields[form->focus]);
	form->focus = index;
}

void form_set_hidden(struct form *form, const char *key, bool hidden)
{
	struct field *field = form_find(form, key);

	if (!field)
		return;
	field->hidden = hidden;
	if (form->count > 0 && !form_has_focus(form))
		form->focus = form_next(
			form, form->focus < form->count ? form->focus : form->count - 1, 1, true);
}

const char *form_focus(const struct form *form)
{
	return form_has_focus(form) ? form->fields[form->focus]->key : "";
}

void form_set_focus(struct form *form, const char *key)
{
	for (size_t i = 0; i < form->count; i++) {
		if (form_can_focus(form->fields[i]) && strcmp(form->fields[i]->key, key) == 0) {
			form_focus_index(form, i);
			return;
		}
	}
}

bool form_editing(const struct form *form)
{
	return form_has_focus(form) && form->fields[form->focus]->type == FIELD_TEXT;
}

bool form_check(struct form *form)
{
	size_t first = form->count;

	for (size_t i = 0; i < form->count; i++)
		if (!form->fields[i]->hidden && !form_validate_field(form, form->fields[i]) &&
			first == form->count)
			first = i;
	if (first == form->count)
		return true;
	form->focus = first;
	return false;
}

/* ---- keys ------------------------------------------------------------------------------------ */

static bool form_key_choice(struct field *field, const struct key *key)
{
	size_t old = field->choice;

	if (key->pasted || field->choice_count == 0)
		return false;
	switch (key->code) {
	case KEYC_LEFT:
		field->choice = (old ? old : field->choice_count) - 1;
		break;
	case KEYC_RIGHT:
		field->choice = (old + 1) % field->choice_count;
		break;
	case KEYC_HOME:
		field->choice = 0;
		break;
	case KEYC_END:
		field->choice = field->choice_count - 1;
		break;
	default:
		return false;
	}
	if (field->choice != old) {
		field->changed = true;
		field->fault[0] = '\0';
	}
	return true;
}

static bool form_key_text(struct field *field, const struct key *key)
{
	char old[sizeof(field->edit.text)];
	bool used;

	str_copy(old, sizeof(old), field->edit.text);
	used = edit_key(&field->edit, key);
	if (strcmp(old, field->edit.text) != 0) {
		field->changed = true;
		field->fault[0] = '\0';
	}
	return used;
}

static bool form_key_mouse(struct form *form, const struct key *key)
{
	if (key->button != MOUSE_LEFT && key->button != MOUSE_DOUBLE)
		return false;
	for (size_t i = 0; i < form->count; i++) {
		const struct field *field = form->fields[i];

		if (form_can_focus(field) && key->y >= field->y &&
			key->y < field->y + field->height && key->x >= form->area.x &&
			key->x < form->area.x + form->area.width) {
			form_focus_index(form, i);
			return true;
		}
	}
	return false;
}

bool form_key(struct form *form, const struct key *key)
{
	if (key->code == KEYC_MOUSE)
		return form_key_mouse(form, key);
	if (!form_has_focus(form))
		return false;
	if (!key->pasted) {
		switch (key->code) {
		case KEYC_TAB:
		case KEYC_BACKTAB:
			form_focus_index(form,
				form_next(form, form->focus, key->code == KEYC_TAB ? 1 : -1, true));
			return true;
		case KEYC_UP:
		case KEYC_DOWN:
			form_focus_index(form,
				form_next(
					form, form->focus, key->code == KEYC_DOWN ? 1 : -1, false));
			return true;
		default:
			break;
		}
	}
	return form->fields[form->focus]->type == FIELD_TEXT
		? form_key_text(form->fields[form->focus], key)
		: form_key_choice(form->fields[form->focus], key);
}

/* ---- layout and painting --------------------------------------------------------------------- */

struct form_layout {
	struct canvas *canvas;
	int label_x, value_x, end_x; /* columns */
};

/* Paints one field at y when canvas is not NULL; returns the lines it takes. */
static int form_field_lines(struct form_layout *at, struct field *field, int y, bool focused)
{
	static struct canvas nowhere = {0};
	struct canvas *canvas = at->canvas ? at->canvas : &nowhere;
	enum role role = focused ? ROLE_FIELD_FOCUS : ROLE_FIELD;
	int room = at->end_x - at->value_x, x, width, lines = 1;
	const char *note = field->note;
	char fault[sizeof(field->fault) + 4];

	room = room > 0 ? room : 0;
	canvas_text(
		canvas, at->label_x, y, at->value_x - at->label_x - 1, ROLE_LABEL, field->label);
	if (field->type == FIELD_LABEL) {
		lines = canvas_wrap(canvas, at->value_x, y, room, 20, ROLE_VALUE, field->edit.text);
		return lines > 20 ? 20 : lines > 0 ? lines : 1;
	}
	if (focused)
		canvas_put(canvas, at->label_x - 1, y, '>', ROLE_TEXT);
	if (field->type == FIELD_TEXT) {
		width = field->width < room ? field->width : room;
		if (at->canvas)
			edit_draw(&field->edit, canvas, at->value_x, y, width, role, focused);
		x = at->value_x + width;
	} else {
		x = canvas_text(canvas, at->value_x, y, room - 2, role, field_value(field));
		x = canvas_text(canvas, x, y, at->end_x - x, role, " ▾");
		if (!*note && field->notes && field->choice_count > 0)
			note = field->notes[field->choice];
	}
	if (!field->fault[0]) {
		if (*note)
			canvas_text(canvas, x + 2, y, at->end_x - x - 2, ROLE_DIM, note);
		return 1;
	}
	str_format(fault, sizeof(fault), "! %s", field->fault);
	if (str_width(fault) <= at->end_x - x - 2) {
		canvas_text(canvas, x + 2, y, -1, ROLE_ERROR, fault);
		return 1;
	}
	lines = canvas_wrap(canvas, at->value_x, y + 1, room, 4, ROLE_ERROR, fault);
	return 1 + (lines > 4 ? 4 : lines);
}

static struct form_layout form_layout_of(const struct form *form, struct rect area)
{
	int widest = 0, most = area.width / 3;

	for (size_t i = 0; i < form->count; i++) {
		int width = str_width(form->fields[i]->label);

		if (!form->fields[i]->hidden && width > widest)
			widest = width;
	}
	widest = widest < most ? widest : most;
	return (struct form_layout){
		.label_x = area.x + 1,
		.value_x = area.x + 1 + widest + 2,
		.end_x = area.x + area.width,
	};
}

/* Chooses the first line so that the field in focus, whole with its fault, is on the screen. */
static void form_scroll(struct form *form, struct form_layout *layout, int height)
{
	int y = 0, top = 0, bottom = 0;

	for (size_t i = 0; i < form->count; i++) {
		if (form->fields[i]->hidden)
			continue;
		if (i == form->focus)
			top = y;
		y += form_field_lines(layout, form->fields[i], y, false);
		if (i == form->focus)
			bottom = y;
	}
	if (form->scroll < bottom - height)
		form->scroll = bottom - height;
	if (form->scroll > top)
		form->scroll = top;
	if (form->scroll > y - height)
		form->scroll = y - height;
	if (form->scroll < 0)
		form->scroll = 0;
}

/* The help of the field in focus stands below the form where there is room for both. */
static int form_help_lines(const struct form *form, struct rect area)
{
	return area.height >= 8 && form_has_focus(form) ? 3 : 0;
}

void form_draw(struct form *form, struct canvas *canvas, struct rect area)
{
	struct form_layout layout;
	const struct rect saved = canvas->clip;
	struct rect inner = area;
	int y, help_lines = form_help_lines(form, area);

	form->area = area;
	if (area.width < 1 || area.height < 1)
		return;
	inner.height -= help_lines;
	layout = form_layout_of(form, area);
	form_scroll(form, &layout, inner.height);
	layout.canvas = canvas;
	canvas_clip(canvas, &inner);
	y = inner.y - form->scroll;
	for (size_t i = 0; i < form->count; i++) {
		struct field *field = form->fields[i];

		field->height = 0;
		if (field->hidden)
			continue;
		field->y = y;
		y += form_field_lines(&layout, field, y, i == form->focus);
		field->height = y - field->y;
		if (field->y < inner.y || field->y >= inner.y + inner.height)
			field->height = 0;
	}
	if (form->scroll > 0)
		canvas_put(canvas, inner.x + inner.width - 1, inner.y, U'▲', ROLE_DIM);
	if (y > inner.y + inner.height)
		canvas_put(canvas, inner.x + inner.width - 1, inner.y + inner.height - 1, U'▼',
			ROLE_DIM);
	canvas_clip(canvas, &saved);
	if (help_lines > 0)
		canvas_wrap(canvas, area.x + 1, inner.y + inner.height + 1, area.width - 1,
			help_lines - 1, ROLE_DIM, form->fields[form->focus]->help);
}
