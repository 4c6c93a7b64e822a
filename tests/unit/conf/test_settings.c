/* The settings table, its documents, the layers, and what is said about mistakes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/ini.h"
#include "base/str.h"
#include "conf/assets.h"
#include "conf/settings.h"

static char folder[] = "/tmp/nvsweep-test-XXXXXX";
static char system_folder[64], user_folder[64];

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	str_format(system_folder, sizeof(system_folder), "%s/etc", folder);
	str_format(user_folder, sizeof(user_folder), "%s/user", folder);
	return 0;
}

static int fresh(void **state)
{
	char command[128];

	(void)state;
	str_format(command, sizeof(command), "rm -rf %s/*", folder);
	assets_set_folders(system_folder, user_folder);
	return system(command);
}

static int teardown(void **state)
{
	fresh(state);
	return rmdir(folder);
}

static const char *put(const char *base, const char *text)
{
	static char path[128];

	assert_int_equal(file_make_dirs(base, NULL), 0);
	str_format(path, sizeof(path), "%s/nvsweep.ini", base);
	assert_int_equal(file_write_atomic(path, text, strlen(text), NULL), 0);
	return path;
}

static void the_table_is_sound(void **state)
{
	struct settings s, again;
	char text[300];

	(void)state;
	settings_defaults(&s);
	for (size_t i = 0; i < settings_count; i++) {
		const struct setting_row *row = &settings_table[i];

		assert_ptr_equal(settings_find(row->section, row->key), row);
		assert_true(strlen(row->help) > 10 && !strchr(row->help, '\n'));
		assert_int_equal(row->help[strlen(row->help) - 1], '.');
		/* the default is valid and reads back the same */
		settings_value(&s, row, text, sizeof(text));
		assert_string_equal(text, row->default_text);
		again = s;
		assert_int_equal(settings_set(&again, row->section, row->key, text, NULL), 0);
		assert_memory_equal(&again, &s, sizeof(s));
	}
	assert_string_equal(s.theme, "auto");
	assert_true(s.mouse && s.show_block_devices);
	assert_int_equal(s.refresh_ms, 1000);
	assert_int_equal(s.smart_period_s, 30);
	assert_int_equal(s.admin_timeout_s, 5);
	assert_string_equal(s.backend, "auto");
	assert_string_equal(s.runs_folder, "");
}

static void the_file_in_the_tree_is_the_table(void **state)
{
	struct strbuf made = {0};
	size_t length;
	char *text;

	(void)state;
	settings_document_ini(&made);
	assert_int_equal(file_read("configs/nvsweep.ini", 1 << 20, &text, &length, NULL), 0);
	assert_string_equal(made.text, text);
	free(text);
	strbuf_free(&made);
}

/* A user who takes the # away from every line gets exactly the defaults. */
static void the_commented_lines_are_valid(void **state)
{
	struct settings defaults, loaded;
	struct strbuf made = {0}, bare = {0};
	struct err err = {0};
	size_t keys = 0;
	char *line, *next;

	(void)state;
	settings_document_ini(&made);
	for (line = made.text; *line; line = next) {
		next = strchr(line, '\n') + 1;
		assert_true(next - line <= 100);
		if (line[0] == '#' && line[1] != ' ' && line[1] != '\n') {
			line++;
			keys++;
		}
		strbuf_add_bytes(&bare, line, (size_t)(next - line));
	}
	assert_int_equal(keys, settings_count);
	settings_defaults(&defaults);
	memset(&loaded, 0xff, sizeof(loaded));
	if (settings_load(&loaded, put(folder, bare.text), &err) < 0)
		fail_msg("%s", err.text);
	assert_memory_equal(&loaded, &defaults, sizeof(loaded));
	strbuf_free(&made);
	strbuf_free(&bare);
}

static void the_manual_names_every_setting(void **state)
{
	struct strbuf made = {0};
	char text[128];
	size_t entries = 0;

	(void)state;
	settings_document_man(&made);
	for (const char *at = made.text; (at = strstr(at, ".TP\n")) != NULL; at++)
		entries++;
	assert_int_equal(entries, settings_count);
	for (size_t i = 0; i < settings_count; i++) {
		str_format(text, sizeof(text), ".TP\n.B %s\n", settings_table[i].key);
		assert_non_null(strstr(made.text, text));
	}
	assert_non_null(strstr(made.text, ".SS [display]\n"));
	assert_non_null(strstr(made.text, "Values: auto, utf\\-8 or ascii.\nDefault: auto.\n"));
	assert_non_null(strstr(made.text, "Values: 200 to 60000.\n"));
	/* no line of text is taken for a roff request */
	for (const char *at = made.text; (at = strchr(at, '\n')) != NULL && at[1]; at++) {
		if (at[1] == '.')
			assert_true(strncmp(at + 1, ".TP", 3) == 0 || at[2] == 'B' || at[2] == 'S');
		assert_true(at[1] != '\'');
	}
	strbuf_free(&made);
}

static void layers_add_up(void **state)
{
	struct settings s;

	(void)state;
	assert_int_equal(settings_load(&s, NULL, NULL), 0);
	assert_string_equal(s.theme, "auto");
	put(system_folder, "[display]\ntheme = light\nrefresh_ms = 2000\nmouse = off\n");
	put(user_folder, "[Display]\nTheme = dark\n[run]\nbackend = SYNC\n");
	assert_int_equal(settings_load(&s, NULL, NULL), 0);
	assert_string_equal(s.theme, "dark");
	assert_int_equal(s.refresh_ms, 2000);
	assert_false(s.mouse);
	assert_string_equal(s.backend, "sync");
	assert_int_equal(settings_load(&s, put(folder, "[display]\ntheme = \"mono\"\n"), NULL), 0);
	assert_string_equal(s.theme, "mono");
	assert_int_equal(s.refresh_ms, 2000);
}

static void mistakes_are_explained(void **state)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{"[display]\n\ntehme = x\n",
			"nvsweep.ini:3: unknown setting \"tehme\": did you mean theme?"},
		{"[display]\nqqq = x\n", "nvsweep.ini:2: unknown setting \"qqq\" in [display]"},
		{"[dispaly]\ntheme = x\n",
			"nvsweep.ini:1: unknown section [dispaly]: did you mean [display]?"},
		{"\n[disply]\n",
			"nvsweep.ini:2: unknown section [disply]: did you mean [display]?"},
		{"[colours]\nx = 1\n", "nvsweep.ini:1: unknown section [colours]: there are"},
		{"[run]\ntheme = x\n", "nvsweep.ini:2: theme belongs into section [display]"},
		{"theme = x\n", "nvsweep.ini:1: theme belongs into section [display]"},
		{"zzz = x\n", "nvsweep.ini:1: zzz stands before any [section]"},
		{"[display]\nrefresh_ms = 199\n",
			"nvsweep.ini:2: refresh_ms: 199 is not within 200 to 60000"},
		{"[display]\nrefresh_ms = 60001\n", "60001 is not within 200 to 60000"},
		{"[display]\nrefresh_ms = 12abc\n", "nvsweep.ini:2: refresh_ms: \"12abc\" is not"},
		{"[display]\nrefresh_ms =\n", "nvsweep.ini:2: refresh_ms: \"\" is not"},
		{"[display]\nmouse = maybe\n", "nvsweep.ini:2: mouse: \"maybe\" is not yes or no"},
		{"[run]\nbackend = urin\n",
			"backend: \"urin\" is unknown: did you mean uring? (auto, uring, sync or null)"},
		{"[run]\nbackend = magic\n",
			"backend: \"magic\" is unknown: use auto, uring, sync or null"},
		{"[run]\non_hangup = leave\n", "on_hangup: \"leave\" is unknown: use stop"},
		{"[paths]\nruns_folder = here\n", "runs_folder: \"here\" must begin with /"},
		{"[display]\ntheme =\n", "theme: it is empty: the default is auto"},
		{"[display\n", "nvsweep.ini:1: the section has no closing ]"},
		{"[display]\nmouse = yes\nmouse = no\n",
			"nvsweep.ini:3: \"mouse\" was already given"},
	};
	struct settings s;

	(void)state;
	memset(&s, 0x5a, sizeof(s));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct settings before = s;
		struct err err = {0};

		assert_int_equal(settings_load(&s, put(folder, cases[i].text), &err), -EINVAL);
		if (!strstr(err.text, cases[i].expected))
			fail_msg("\"%s\" is not in \"%s\"", cases[i].expected, err.text);
		assert_int_equal(err.exit, ERR_EXIT_USAGE);
		/* nothing half-loaded */
		assert_memory_equal(&s, &before, sizeof(s));
	}
	for (int layer = 0; layer < 2; layer++) {
		struct err err = {0};

		fresh(NULL);
		put(layer ? user_folder : system_folder, "[display]\nmouse = 7\n");
		assert_int_equal(settings_load(&s, NULL, &err), -EINVAL);
		assert_non_null(strstr(err.text,
			layer ? "/user/nvsweep.ini:2: mouse" : "/etc/nvsweep.ini:2: mouse"));
	}
	fresh(NULL);
	assert_int_equal(settings_load(&s, "/nonexistent.ini", NULL), -ENOENT);
}

static void long_texts_do_not_fit(void **state)
{
	char text[400];
	struct settings s, before;
	struct err err;

	(void)state;
	settings_defaults(&s);
	memset(text, 't', sizeof(text));
	text[64] = '\0';
	before = s;
	assert_int_equal(settings_set(&s, "display", "theme", text, &err), -EINVAL);
	assert_non_null(strstr(err.text, "longer than 63 bytes"));
	assert_memory_equal(&s, &before, sizeof(s));
	text[63] = '\0';
	assert_int_equal(settings_set(&s, "display", "theme", text, &err), 0);
	assert_string_equal(s.theme, text);
	assert_int_equal(settings_set(&s, "display", "theme", "a\nb", &err), -EINVAL);
}

static void saving_keeps_the_users_file(void **state)
{
	struct settings s, loaded;
	struct err err = {0};
	char *text;
	size_t length;
	const char *path;

	(void)state;
	path = put(user_folder, "# mine\n[display]\ntheme = dark # night\n");
	assert_int_equal(settings_load(&s, NULL, NULL), 0);
	assert_int_equal(settings_save(&s, "display", "theme", "light", &err), 0);
	assert_int_equal(settings_save(&s, "run", "backend", "sync", &err), 0);
	assert_int_equal(file_read(path, 10000, &text, &length, NULL), 0);
	assert_string_equal(
		text, "# mine\n[display]\ntheme = light # night\n\n[run]\nbackend = sync\n");
	free(text);
	assert_int_equal(settings_load(&loaded, NULL, NULL), 0);
	assert_memory_equal(&loaded, &s, sizeof(s));
	assert_int_equal(settings_save(&s, "run", "backend", "sink", &err), -EINVAL);
	assert_string_equal(s.backend, "sync");
	assets_set_folders("", "");
	assert_int_equal(settings_save(&s, "run", "backend", "auto", &err), -ENOENT);
	assert_string_equal(s.backend, "sync");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_table_is_sound, fresh),
		cmocka_unit_test_setup(the_file_in_the_tree_is_the_table, fresh),
		cmocka_unit_test_setup(the_commented_lines_are_valid, fresh),
		cmocka_unit_test_setup(the_manual_names_every_setting, fresh),
		cmocka_unit_test_setup(layers_add_up, fresh),
		cmocka_unit_test_setup(mistakes_are_explained, fresh),
		cmocka_unit_test_setup(long_texts_do_not_fit, fresh),
		cmocka_unit_test_setup(saving_keeps_the_users_file, fresh),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
