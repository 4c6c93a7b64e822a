/* The action table: ids, names, help (DESIGN 4, Assets). */
#ifndef SCREENS_ACTIONS_H
#define SCREENS_ACTIONS_H

#include "base/str.h"
#include "tui/keys.h"

enum action {
#define ACTION(id, scope, name, help) ACTION_##id,
#include "screens/actions.def"
#undef ACTION
	ACTION_COUNT
};

struct action_row {
	const char *scope, *name, *help;
};
extern const struct action_row actions_table[ACTION_COUNT];
/* For keys_load. */
extern const struct keys_action actions_keys[ACTION_COUNT];

/* Scopes in the order of the table, "global" first, and what people call them ("Drives"). */
extern const char *const actions_scopes[];
extern const size_t actions_scope_count;
const char *actions_scope_title(const char *scope);

/* The generated section of nvsweep.1 (man(7)), and the commented configs/keys.ini with the default
 * keys: make check compares both with the files. keys: loaded from the built-in keys.ini. */
void actions_document_man(const struct keys *keys, struct strbuf *out);
void actions_document_keys(const struct keys *keys, struct strbuf *out);

#endif
