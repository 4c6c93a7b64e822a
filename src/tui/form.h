/* Forms: fields with labels, text, numbers, choices; focus, editing, validation, messages; and the
 * dialogs for confirmation, message and one-line input. Pure layout and state. UI thread. */
#ifndef TUI_FORM_H
#define TUI_FORM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "tui/canvas.h"
#include "tui/keys.h"

enum field_type { FIELD_TEXT, FIELD_CHOICE, FIELD_LABEL /* shown, not focused */ };

/* Called when the user leaves a changed field: 0, or -EINVAL with the sentence shown beside it. */
typedef int form_validate(void *user, const char *key, const char *value, struct err *err);

struct form;
struct form *form_create(form_validate *validate, void *user);
void form_free(struct form *form);
/* value is copied; width: columns of the input. help is shown for the focused field. */
void form_add_text(struct form *form, const char *key, const char *label, const char *value,
	int width, const char *help);
/* choices: NULL-terminated, copied; notes (may be NULL, same length): shown beside the choice. */
void form_add_choice(struct form *form, const char *key, const char *label,
	const char *const *choices, const char *const *notes, size_t selected, const char *help);
void form_add_label(struct form *form, const char *key, const char *label, const char *value);
const char *form_value(const struct form *form, const char *key); /* "" when unknown */
void form_set_value(struct form *form, const char *key, const char *value);
void form_set_note(struct form *form, const char *key, const char *note);
void form_set_hidden(struct form *form, const char *key, bool hidden);
void form_set_fault(struct form *form, const char *key, const char *sentence);
/* Index of a choice; 0 when unknown. */
size_t form_choice(const struct form *form, const char *key);
/* True while typed characters go into a text field. */
bool form_editing(const struct form *form);
const char *form_focus(const struct form *form); /* "" none */
void form_set_focus(struct form *form, const char *key);
/* Text keys, Tab, Shift-Tab, Up, Down, Left, Right, Home, End, Backspace, Del, mouse. Returns true
 * when the key was used: Enter, Esc and function keys never are, and letters and Space only in a
 * text field. */
bool form_key(struct form *form, const struct key *key);
/* Validates all that is not hidden; false: focus goes to the first fault. */
bool form_check(struct form *form);
/* A visible field has a fault. */
bool form_faulty(const struct form *form);
void form_draw(struct form *form, struct canvas *canvas, struct rect area);

/* A dialog over the screen: title, text, buttons; one-line input on request. A text that is longer
 * than the screen scrolls. Enter takes, Esc leaves; a confirmation also knows y and n and begins on
 * "no". */
struct dialog;
struct dialog *dialog_message(const char *title, const char *text);
struct dialog *dialog_confirm(const char *title, const char *text, const char *yes, const char *no);
struct dialog *dialog_input(const char *title, const char *text, const char *value);
/* A list to pick from; NULL-terminated. */
struct dialog *dialog_choice(const char *title, const char *const *choices, size_t selected);
void dialog_free(struct dialog *dialog);
enum dialog_result { DIALOG_OPEN, DIALOG_YES, DIALOG_NO };
enum dialog_result dialog_key(struct dialog *dialog, const struct key *key);
const char *dialog_value(const struct dialog *dialog); /* input text or the choice */
void dialog_draw(struct dialog *dialog, struct canvas *canvas);

#endif
