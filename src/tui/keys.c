/* Key names and bindings: keys.ini of every layer, from the built-in one up, line by line. */
#include "tui/keys.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/ini.h"
#include "base/str.h"
#include "conf/assets.h"

/* clang-format off */
static const struct key_name {
	const char *name;
	uint32_t code;
} key_names[] = {
	{"Space", ' '}, {"Enter", KEYC_ENTER}, {"Esc", KEYC_ESC}, {"Tab", KEYC_TAB},
	{"Shift-Tab", KEYC_BACKTAB}, {"Backspace", KEYC_BACKSPACE}, {"Up", KEYC_UP},
	{"Down", KEYC_DOWN}, {"Left", KEYC_LEFT}, {"Right", KEYC_RIGHT}, {"PgUp", KEYC_PGUP},
	{"PgDn", KEYC_PGDN}, {"Home", KEYC_HOME}, {"End", KEYC_END}, {"Ins", KEYC_INS},
	{"Del", KEYC_DEL},
	{"F1", KEYC_F1}, {"F2", KEYC_F1 + 1}, {"F3", KEYC_F1 + 2}, {"F4", KEYC_F1 + 3},
	{"F5", KEYC_F1 + 4}, {"F6", KEYC_F1 + 5}, {"F7", KEYC_F1 + 6}, {"F8", KEYC_F1 + 7},
	{"F9", KEYC_F1 + 8}, {"F10", KEYC_F1 + 9}, {"F11", KEYC_F1 + 10}, {"F12", KEYC_F1 + 11},
	/* other names people use; the first name of a code is the one shown */
	{"Return", KEYC_ENTER}, {"Escape", KEYC_ESC}, {"BackTab", KEYC_BACKTAB},
	{"PageUp", KEYC_PGUP}, {"PageDown", KEYC_PGDN}, {"Insert", KEYC_INS}, {"Delete", KEYC_DEL},
};
/* clang-format on */
#define KEY_NAMES (sizeof(key_names) / sizeof(key_names[0]))

static uint32_t key_parse_ctrl(char letter)
{
	if (letter >= 'a' && letter <= 'z')
		letter = (char)(letter - 32);
	if (letter < 'A' || letter > 'Z')
		return KEY_NONE;
	/* what a terminal cannot tell apart is the same key */
	switch (letter) {
	case 'H':
		return KEYC_BACKSPACE;
	case 'I':
		return KEYC_TAB;
	case 'J':
	case 'M':
		return KEYC_ENTER;
	default:
		return (uint32_t)(KEYC_CTRL_A + (letter - 'A'));
	}
}

uint32_t key_parse(const char *name)
{
	const char *rest = name;
	uint32_t c = str_utf8_next(&rest);

	if (c == 0)
		return KEY_NONE;
	if (*rest == '\0') {
		/* '?' is also what a malformed byte decodes to */
		if (c == '?' && *name != '?')
			return KEY_NONE;
		return c > ' ' && c != 0x7f && (c < 0x80 || c >= 0xa0) &&
				str_code_point_width(c) > 0
			? c
			: KEY_NONE;
	}
	if (strncasecmp(name, "Ctrl-", 5) == 0 && name[5] && !name[6])
		return key_parse_ctrl(name[5]);
	for (size_t i = 0; i < KEY_NAMES; i++)
		if (strcasecmp(key_names[i].name, name) == 0)
			return key_names[i].code;
	return KEY_NONE;
}

void key_format(uint32_t code, char *buf, size_t size)
{
	char text[5];

	for (size_t i = 0; i < KEY_NAMES; i++) {
		if (key_names[i].code == code) {
			str_copy(buf, size, key_names[i].name);
			return;
		}
	}
	if (code >= KEYC_CTRL_A && code <= KEYC_CTRL_Z) {
		str_format(buf, size, "Ctrl-%c", (char)('A' + (code - KEYC_CTRL_A)));
	} else if (code > ' ' && code < KEYC_BASE) {
		str_utf8_put(text, code);
		str_copy(buf, size, text);
	} else {
		str_copy(buf, size, "");
	}
}

#define KEYS_PER_ACTION 8

struct keys_binding {
	uint32_t codes[KEYS_PER_ACTION];
	size_t count;
	/* where it was given: for messages */
	enum asset_layer layer;
	int line;
};

struct keys {
	const struct keys_action *actions;
	size_t count;
	struct keys_binding *bindings; /* one per action */
	char (*first_names)[16];       /* one per action */
	char *origins[ASSET_USER + 1];
};

/* Names may come with their scope in front. */
static const char *keys_bare_name(const struct keys_action *action)
{
	size_t length = strlen(action->scope);

	if (strncmp(action->name, action->scope, length) == 0 && action->name[length] == '.')
		return action->name + length + 1;
	return action->name;
}

static int keys_find_action(const struct keys *keys, const char *scope, const char *name)
{
	for (size_t i = 0; i < keys->count; i++)
		if (strcasecmp(keys->actions[i].scope, scope) == 0 &&
			strcasecmp(keys_bare_name(&keys->actions[i]), name) == 0)
			return (int)i;
	return -1;
}

/* ", did you mean "x"?" among the scopes (scope NULL) or the actions of a scope. */
static void keys_hint(
	const struct keys *keys, const char *scope, const char *word, char *buf, size_t size)
{
	const char **names = mem_alloc((keys->count + 1) * sizeof(*names));
	const char *near;
	size_t n = 0;

	for (size_t i = 0; i < keys->count; i++) {
		if (!scope)
			names[n++] = keys->actions[i].scope;
		else if (strcasecmp(keys->actions[i].scope, scope) == 0)
			names[n++] = keys_bare_name(&keys->actions[i]);
	}
	near = str_nearest(word, names, n);
	free(names);
	str_copy(buf, size, "");
	if (near)
		str_format(buf, size, "; did you mean \"%s\"?", near);
}

static void keys_hint_key(const char *word, char *buf, size_t size)
{
	const char *names[KEY_NAMES], *near;

	for (size_t i = 0; i < KEY_NAMES; i++)
		names[i] = key_names[i].name;
	near = str_nearest(word, names, KEY_NAMES);
	if (near)
		str_format(buf, size, "; did you mean \"%s\"?", near);
	else
		str_copy(buf, size,
			"; keys are single characters and names such as Enter, PgUp, F5, Ctrl-S");
}

/* "q Ctrl-C" replaces what the action had; empty or "none" takes all keys away. */
static int keys_bind(struct keys *keys, enum asset_layer layer, size_t index, const struct ini *ini,
	const char *section, const char *key, struct err *err)
{
	struct keys_binding binding = {.layer = layer, .line = ini_line(ini, section, key)};
	char text[256], hint[160], *save = NULL;

	if (str_copy(text, sizeof(text), ini_get(ini, section, key)) >= sizeof(text))
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL, "%s:%d: too many keys",
			ini_name(ini), binding.line);
	for (char *word = strtok_r(text, " \t", &save); word; word = strtok_r(NULL, " \t", &save)) {
		uint32_t code = key_parse(word);

		if (code == KEY_NONE && strcasecmp(word, "none") == 0)
			continue;
		if (code == KEY_NONE) {
			keys_hint_key(word, hint, sizeof(hint));
			return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
				"%s:%d: \"%s\" is no key%s", ini_name(ini), binding.line, word,
				hint);
		}
		if (binding.count == KEYS_PER_ACTION)
			return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
				"%s:%d: an action has at most %d keys", ini_name(ini), binding.line,
				KEYS_PER_ACTION);
		binding.codes[binding.count++] = code;
	}
	keys->bindings[index] = binding;
	return 0;
}

static int keys_apply(
	struct keys *keys, enum asset_layer layer, const struct ini *ini, struct err *err)
{
	char hint[160];

	for (size_t s = 0; s < ini_section_count(ini); s++) {
		const char *section = ini_section(ini, s);
		bool known = false;

		for (size_t i = 0; i < keys->count && !known; i++)
			known = strcasecmp(keys->actions[i].scope, section) == 0;
		for (size_t k = 0; k < ini_key_count(ini, section); k++) {
			const char *key = ini_key(ini, section, k);
			int index = keys_find_action(keys, section, key), code;

			if (!known) {
				keys_hint(keys, NULL, section, hint, sizeof(hint));
				return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
					"%s:%d: there is no screen [%s]%s", ini_name(ini),
					ini_line(ini, section, key), section, hint);
			}
			if (index < 0) {
				keys_hint(keys, section, key, hint, sizeof(hint));
				return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
					"%s:%d: [%s] has no action \"%s\"%s", ini_name(ini),
					ini_line(ini, section, key), section, key, hint);
			}
			code = keys_bind(keys, layer, (size_t)index, ini, section, key, err);
			if (code < 0)
				return code;
		}
	}
	return 0;
}

/* The later given of two bindings is the one to complain about. */
static int keys_conflict(
	const struct keys *keys, size_t a, size_t b, uint32_t code, struct err *err)
{
	const struct keys_binding *first = &keys->bindings[a], *second = &keys->bindings[b];
	size_t other = a;
	char name[16];

	/* the file of the higher layer is the user's; in the same file the later line */
	if (first->layer > second->layer ||
		(first->layer == second->layer && first->line > second->line)) {
		second = first;
		other = b;
	}
	key_format(code, name, sizeof(name));
	return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
		"%s:%d: %s already belongs to \"%s\" of [%s]; give one of the two another key",
		keys->origins[second->layer], second->line, name,
		keys_bare_name(&keys->actions[other]), keys->actions[other].scope);
}

static int keys_check(const struct keys *keys, struct err *err)
{
	for (size_t a = 0; a < keys->count; a++) {
		const struct keys_binding *one = &keys->bindings[a];

		for (size_t i = 0; i < one->count; i++) {
			for (size_t k = i + 1; k < one->count; k++)
				if (one->codes[i] == one->codes[k])
					return keys_conflict(keys, a, a, one->codes[i], err);
			for (size_t b = a + 1; b < keys->count; b++) {
				const struct keys_binding *two = &keys->bindings[b];

				if (strcasecmp(keys->actions[a].scope, keys->actions[b].scope) != 0)
					continue;
				for (size_t k = 0; k < two->count; k++)
					if (one->codes[i] == two->codes[k])
						return keys_conflict(
							keys, a, b, one->codes[i], err);
			}
		}
	}
	return 0;
}

static int keys_load_layer(struct keys *keys, enum asset_layer layer, struct err *err)
{
	char origin[PATH_MAX + 256], *text;
	struct ini *ini;
	size_t length;
	int code =
		assets_read_layer(layer, "keys.ini", &text, &length, origin, sizeof(origin), err);

	if (code == -ENOENT) {
		err_clear(err);
		return 0;
	}
	if (code < 0)
		return code;
	code = ini_parse(origin, text, length, &ini, err);
	free(text);
	if (code < 0)
		return code;
	keys->origins[layer] = mem_strdup(origin);
	code = keys_apply(keys, layer, ini, err);
	ini_free(ini);
	return code;
}

int keys_load(const struct keys_action *actions, size_t count, struct keys **out, struct err *err)
{
	struct keys *keys = mem_alloc(sizeof(*keys));
	int code = 0;

	keys->actions = actions;
	keys->count = count;
	keys->bindings = mem_alloc((count + 1) * sizeof(*keys->bindings));
	keys->first_names = mem_alloc((count + 1) * sizeof(*keys->first_names));
	for (int layer = ASSET_BUILTIN; layer <= ASSET_USER && code == 0; layer++)
		code = keys_load_layer(keys, (enum asset_layer)layer, err);
	if (code == 0)
		code = keys_check(keys, err);
	if (code < 0) {
		keys_free(keys);
		return code;
	}
	for (size_t i = 0; i < count; i++)
		if (keys->bindings[i].count > 0)
			key_format(keys->bindings[i].codes[0], keys->first_names[i],
				sizeof(keys->first_names[i]));
	*out = keys;
	return 0;
}

void keys_free(struct keys *keys)
{
	if (!keys)
		return;
	for (int layer = ASSET_BUILTIN; layer <= ASSET_USER; layer++)
		free(keys->origins[layer]);
	free(keys->bindings);
	free(keys->first_names);
	free(keys);
}

static int keys_lookup_in(const struct keys *keys, const char *scope, uint32_t code)
{
	for (size_t i = 0; i < keys->count; i++) {
		if (strcmp(keys->actions[i].scope, scope) != 0)
			continue;
		for (size_t k = 0; k < keys->bindings[i].count; k++)
			if (keys->bindings[i].codes[k] == code)
				return keys->actions[i].id;
	}
	return -1;
}

int keys_lookup(const struct keys *keys, const char *scope, const struct key *key)
{
	int id = -1;

	/* pasted text is text: it must not start or stop anything */
	if (key->pasted || key->code == KEY_NONE || key->code >= KEYC_MOUSE)
		return -1;
	if (scope)
		id = keys_lookup_in(keys, scope, key->code);
	return id >= 0 ? id : keys_lookup_in(keys, "global", key->code);
}

static const struct keys_binding *keys_of(const struct keys *keys, int action_id, size_t *index)
{
	for (size_t i = 0; i < keys->count; i++) {
		if (keys->actions[i].id == action_id) {
			*index = i;
			return &keys->bindings[i];
		}
	}
	return NULL;
}

const char *keys_name_of(const struct keys *keys, int action_id)
{
	size_t index;

	return keys_of(keys, action_id, &index) ? keys->first_names[index] : "";
}

void keys_names_of(const struct keys *keys, int action_id, char *buf, size_t size)
{
	size_t index;
	const struct keys_binding *binding = keys_of(keys, action_id, &index);

	str_copy(buf, size, "");
	for (size_t i = 0; binding && i < binding->count; i++) {
		char name[16];

		key_format(binding->codes[i], name, sizeof(name));
		str_append(buf, size, "%s%s", i ? " " : "", name);
	}
}
