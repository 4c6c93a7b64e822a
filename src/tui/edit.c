/* Editing one line of UTF-8. */
#include "tui/edit.h"

#include <string.h>

#include "base/str.h"

void edit_set(struct edit *edit, const char *text)
{
	char clean[sizeof(edit->text)];

	str_sanitize_utf8(clean, sizeof(clean), text);
	str_copy(edit->text, sizeof(edit->text), clean);
	edit->cursor = strlen(edit->text);
	edit->left = 0;
}

static size_t edit_before(const struct edit *edit, size_t at)
{
	while (at > 0 && ((unsigned char)edit->text[--at] & 0xc0) == 0x80)
		;
	return at;
}

static size_t edit_after(const struct edit *edit, size_t at)
{
	const char *next = edit->text + at;

	str_utf8_next(&next);
	return (size_t)(next - edit->text);
}

static void edit_cut(struct edit *edit, size_t from, size_t to)
{
	memmove(edit->text + from, edit->text + to, strlen(edit->text + to) + 1);
	edit->cursor = from;
}

static void edit_insert(struct edit *edit, uint32_t code_point)
{
	size_t length = strlen(edit->text), n;
	char bytes[5];

	n = str_utf8_put(bytes, code_point);
	if (length + n >= sizeof(edit->text))
		return;
	memmove(edit->text + edit->cursor + n, edit->text + edit->cursor,
		length - edit->cursor + 1);
	memcpy(edit->text + edit->cursor, bytes, n);
	edit->cursor += n;
}

static bool edit_is_text(uint32_t code)
{
	char bytes[5], clean[8];

	if (code < ' ' || code >= KEYC_BASE)
		return false;
	if (code == ' ')
		return true;
	/* what str.h would replace, and what takes no room of its own, is not typed */
	str_utf8_put(bytes, code);
	str_sanitize_utf8(clean, sizeof(clean), bytes);
	return strcmp(bytes, clean) == 0 && str_code_point_width(code) > 0;
}

bool edit_key(struct edit *edit, const struct key *key)
{
	size_t at = edit->cursor;

	if (edit_is_text(key->code)) {
		edit_insert(edit, key->code);
		return true;
	}
	switch (key->code) {
	case KEYC_LEFT:
		edit->cursor = edit_before(edit, at);
		return true;
	case KEYC_RIGHT:
		edit->cursor = edit_after(edit, at);
		return true;
	case KEYC_HOME:
	case KEYC_CTRL_A:
		edit->cursor = 0;
		return true;
	case KEYC_END:
	case KEYC_CTRL_A + ('E' - 'A'):
		edit->cursor = strlen(edit->text);
		return true;
	case KEYC_BACKSPACE:
		edit_cut(edit, edit_before(edit, at), at);
		return true;
	case KEYC_DEL:
		edit_cut(edit, at, edit_after(edit, at));
		return true;
	case KEYC_CTRL_A + ('U' - 'A'):
		edit_cut(edit, 0, at);
		return true;
	case KEYC_CTRL_A + ('K' - 'A'):
		edit->text[at] = '\0';
		return true;
	case KEYC_CTRL_A + ('W' - 'A'):
		while (at > 0 && edit->text[at - 1] == ' ')
			at--;
		while (at > 0 && edit->text[at - 1] != ' ')
			at--;
		edit_cut(edit, at, edit->cursor);
		return true;
	default:
		return key->pasted || (key->code < KEYC_BASE && key->code != KEY_NONE);
	}
}

/* Columns of the bytes [from, to). */
static int edit_columns(const struct edit *edit, size_t from, size_t to)
{
	const char *at = edit->text + from;
	int columns = 0;

	while (at < edit->text + to) {
		uint32_t c = str_utf8_next(&at);

		if (c == 0)
			break;
		columns += str_code_point_width(c);
	}
	return columns;
}

void edit_draw(struct edit *edit, struct canvas *canvas, int x, int y, int width, enum role role,
	bool focused)
{
	int end;

	if (width < 1)
		return;
	/* another text may have been set since the last draw */
	if (edit->left > edit->cursor || edit->left > strlen(edit->text))
		edit->left = edit->cursor;
	/* the cursor behind the last character needs a column as well */
	while (edit_columns(edit, edit->left, edit->cursor) >= width)
		edit->left = edit_after(edit, edit->left);
	while (edit->left > 0 &&
		edit_columns(edit, edit_before(edit, edit->left), strlen(edit->text)) < width)
		edit->left = edit_before(edit, edit->left);
	canvas_fill(canvas, (struct rect){x, y, width, 1}, '_', role);
	end = canvas_text(canvas, x, y, width, role, edit->text + edit->left);
	if (edit->left > 0)
		canvas_put(canvas, x, y, U'‹', role);
	if (edit_columns(edit, edit->left, strlen(edit->text)) > width && end > x)
		canvas_put(canvas, x + width - 1, y, U'›', role);
	if (focused) {
		canvas->cursor_x = x + edit_columns(edit, edit->left, edit->cursor);
		canvas->cursor_y = y;
	}
}
