/* Key names, and bindings per scope from keys.ini (DESIGN 4, Assets). Actions are numbers that the
 * owner of the action table (screens/actions) gives; this file knows only names.
 *
 * A key event is a struct key; names: "a", "A", "Enter", "Esc", "Tab", "Shift-Tab", "Space", "Up",
 * "Down", "Left", "Right", "PgUp", "PgDn", "Home", "End", "Ins", "Del", "Backspace", "F1".."F12",
 * "Ctrl-S". */
#ifndef TUI_KEYS_H
#define TUI_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum key_code {
	KEY_NONE = 0,
	/* below 0x110000: the Unicode character typed; control keys as listed here */
	KEYC_BASE = 0x110000,
	KEYC_ENTER,
	KEYC_ESC,
	KEYC_TAB,
	KEYC_BACKTAB,
	KEYC_BACKSPACE,
	KEYC_UP,
	KEYC_DOWN,
	KEYC_LEFT,
	KEYC_RIGHT,
	KEYC_PGUP,
	KEYC_PGDN,
	KEYC_HOME,
	KEYC_END,
	KEYC_INS,
	KEYC_DEL,
	KEYC_F1,
	KEYC_F12 = KEYC_F1 + 11,
	KEYC_CTRL_A,
	KEYC_CTRL_Z = KEYC_CTRL_A + 25,
	KEYC_MOUSE, /* with x, y, and one of the below in button */
	KEYC_RESIZE,
	KEYC_EOF, /* end of standard input */
};
enum mouse_button {
	MOUSE_NONE,
	MOUSE_LEFT,
	MOUSE_RIGHT,
	MOUSE_MIDDLE,
	MOUSE_WHEEL_UP,
	MOUSE_WHEEL_DOWN,
	MOUSE_DOUBLE
};

struct key {
	uint32_t code;
	int x, y;
	enum mouse_button button;
	bool pasted; /* came out of a paste: text only, never an action */
};

struct keys;

/* What the action table gives. */
struct keys_action {
	const char *name;  /* "drives.open" is scope "drives", name "open" */
	const char *scope; /* "global" or a screen's */
	int id;
};
/* Loads keys.ini: the built-in one, then the lines of /etc/nvsweep and of the user's folder over it;
 * an empty value or "none" takes the keys away. Unknown action or key name (nearest), the same key
 * twice in a scope: file and line. actions is borrowed. Ctrl-I, Ctrl-J, Ctrl-M and Ctrl-H are Tab,
 * Enter, Enter and Backspace, as terminals have it. */
int keys_load(const struct keys_action *actions, size_t count, struct keys **out, struct err *err);
void keys_free(struct keys *keys);
/* Action bound in scope, else in "global"; -1 none (always for pasted text). */
int keys_lookup(const struct keys *keys, const char *scope, const struct key *key);
/* First key bound to an action, as shown in the bottom line: "Enter", "s"; "" none. */
const char *keys_name_of(const struct keys *keys, int action_id);
/* All of them, "q Ctrl-C". */
void keys_names_of(const struct keys *keys, int action_id, char *buf, size_t size);
/* "Ctrl-S" to a code; 0 when unknown. And back. */
uint32_t key_parse(const char *name);
void key_format(uint32_t code, char *buf, size_t size);

#endif
