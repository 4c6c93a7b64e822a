/* Key names both ways, bindings over the layers of keys.ini, conflicts and faults. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "folder.h"
#include "tui/keys.h"

/* Names that the built-in keys.ini has. The table of all actions is screens/actions.def. */
#define ACTION(id, scope, name, help) {name, scope, __COUNTER__},
static const struct keys_action actions[] = {
#include "screens/actions.def"
};
#undef ACTION
#define ACTIONS (sizeof(actions) / sizeof(actions[0]))

static int id_of(const char *scope, const char *name)
{
	for (size_t i = 0; i < ACTIONS; i++)
		if (strcmp(actions[i].scope, scope) == 0 && strcmp(actions[i].name, name) == 0)
			return actions[i].id;
	fail_msg("no action %s.%s", scope, name);
	return -1;
}

static void test_names(void **state)
{
	static const char *const names[] = {"Space", "Enter", "Esc", "Tab", "Shift-Tab",
		"Backspace", "Up", "Down", "Left", "Right", "PgUp", "PgDn", "Home", "End", "Ins",
		"Del", "F1", "F2", "F9", "F10", "F11", "F12", "Ctrl-A", "Ctrl-Z", "Ctrl-S", "a",
		"A", "?", "/", "<", "#", "-", "ö", "漢"};
	char text[32];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		uint32_t code = key_parse(names[i]);

		assert_int_not_equal(code, KEY_NONE);
		key_format(code, text, sizeof(text));
		assert_string_equal(text, names[i]);
	}
	/* every code that has a name gets it back */
	for (uint32_t code = 1; code <= KEYC_CTRL_Z; code++) {
		key_format(code, text, sizeof(text));
		if (*text && code > KEYC_BASE && !strchr("HIJM", text[5]))
			assert_int_equal(key_parse(text), code);
	}
	assert_int_equal(key_parse("pgdn"), KEYC_PGDN);
	assert_int_equal(key_parse("PageDown"), KEYC_PGDN);
	assert_int_equal(key_parse("ctrl-x"), KEYC_CTRL_A + ('X' - 'A'));
	/* what terminals cannot tell apart */
	assert_int_equal(key_parse("Ctrl-I"), KEYC_TAB);
	assert_int_equal(key_parse("Ctrl-M"), KEYC_ENTER);
	assert_int_equal(key_parse("Ctrl-H"), KEYC_BACKSPACE);
	assert_int_equal(key_parse(""), KEY_NONE);
	assert_int_equal(key_parse("F13"), KEY_NONE);
	assert_int_equal(key_parse("Ctrl-1"), KEY_NONE);
	assert_int_equal(key_parse("Ctrl-"), KEY_NONE);
	assert_int_equal(key_parse("ab"), KEY_NONE);
	assert_int_equal(key_parse("\x01"), KEY_NONE);
	assert_int_equal(key_parse("\xff"), KEY_NONE);
	assert_int_equal(key_parse("\xcc\x81"), KEY_NONE); /* a combining mark */
}

static int lookup(const struct keys *keys, const char *scope, const char *name)
{
	const struct key key = {.code = key_parse(name)};

	return keys_lookup(keys, scope, &key);
}

static void test_builtin(void **state)
{
	struct key key = {.code = 'q', .pasted = true};
	struct keys *keys;
	struct err err = {0};
	char names[64];

	(void)state;
	if (keys_load(actions, ACTIONS, &keys, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(lookup(keys, "drives", "q"), id_of("global", "quit"));
	assert_int_equal(lookup(keys, "drives", "s"), id_of("drives", "sweep"));
	assert_int_equal(lookup(keys, "results", "s"), -1);
	assert_int_equal(lookup(keys, "drives", "Enter"), id_of("drives", "open"));
	assert_int_equal(lookup(keys, "nowhere", "?"), id_of("global", "help"));
	assert_int_equal(lookup(keys, "drives", "é"), -1);
	assert_int_equal(keys_lookup(keys, "drives", &key), -1);
	key = (struct key){.code = KEYC_MOUSE};
	assert_int_equal(keys_lookup(keys, "drives", &key), -1);
	assert_string_equal(keys_name_of(keys, id_of("global", "quit")), "q");
	keys_names_of(keys, id_of("global", "quit"), names, sizeof(names));
	assert_string_equal(names, "q Ctrl-C");
	assert_string_equal(keys_name_of(keys, 100000), "");
	/* every action has a key */
	for (size_t i = 0; i < ACTIONS; i++)
		assert_string_not_equal(keys_name_of(keys, actions[i].id), "");
	keys_free(keys);
}

static void test_user_layer(void **state)
{
	struct keys *keys;
	struct err err = {0};
	char names[64];

	(void)state;
	folder_write("keys.ini",
		"[Global]\nQUIT = Q F10\nresults =\n[drives]\nopen = \"o #\"\n"
		"sweep = none\nrefresh = q\n");
	if (keys_load(actions, ACTIONS, &keys, &err) < 0)
		fail_msg("%s", err.text);
	keys_names_of(keys, id_of("global", "quit"), names, sizeof(names));
	assert_string_equal(names, "Q F10");
	/* taken away from quit, given to a screen, which goes before global */
	assert_int_equal(lookup(keys, "drives", "q"), id_of("drives", "refresh"));
	assert_int_equal(lookup(keys, "results", "q"), -1);
	assert_int_equal(lookup(keys, "drives", "#"), id_of("drives", "open"));
	assert_string_equal(keys_name_of(keys, id_of("drives", "sweep")), "");
	assert_string_equal(keys_name_of(keys, id_of("global", "results")), "");
	/* lines that were not given stay as they are */
	assert_int_equal(lookup(keys, "drives", "?"), id_of("global", "help"));
	keys_free(keys);
	folder_remove("keys.ini");
}

static void test_faults(void **state)
{
	static const struct {
		const char *text, *wanted;
	} faults[] = {
		{"[global]\nqiut = x\n",
			"keys.ini:2: [global] has no action \"qiut\"; did you mean \"quit\"?"},
		{"[drivse]\nopen = x\n",
			"keys.ini:2: there is no screen [drivse]; did you mean "
			"\"drives\"?"},
		{"[global]\nquit = Entr\n",
			"keys.ini:2: \"Entr\" is no key; did you mean "
			"\"Enter\"?"},
		{"[global]\nquit = F13x\n", "keys.ini:2: \"F13x\" is no key"},
		{"[global]\n\nquit = x q\n",
			"keys.ini:3: x already belongs to \"explain\" of "
			"[global]"},
		{"[global]\nhelp = h\nfilter = h\n",
			"keys.ini:3: h already belongs to \"help\" of "
			"[global]"},
		{"[global]\nhelp = h h\n", "keys.ini:2: h already belongs to \"help\" of [global]"},
		{"[drives]\nopen = Ctrl-M Enter\n", "keys.ini:2: Enter already belongs to"},
		{"[global]\nhelp = 1 2 3 4 5 6 7 8 9\n", "keys.ini:2: an action has at most 8"},
		{"quit = x\n", "keys.ini:1: there is no screen []"},
		{"[global]\nquit\n", "keys.ini:2: "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		struct keys *keys = NULL;
		struct err err = {0};

		folder_write("keys.ini", faults[i].text);
		assert_true(keys_load(actions, ACTIONS, &keys, &err) < 0);
		assert_null(keys);
		if (!strstr(err.text, faults[i].wanted))
			fail_msg("\"%s\" is not in \"%s\"", faults[i].wanted, err.text);
		assert_int_equal(err.exit, ERR_EXIT_USAGE);
	}
	folder_remove("keys.ini");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_builtin),
		cmocka_unit_test(test_user_layer),
		cmocka_unit_test(test_faults),
	};

	return cmocka_run_group_tests(tests, folder_open, folder_close);
}
