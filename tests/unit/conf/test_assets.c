/* Built-in files against the files of the tree, and the folders that lie over them. */
#include <errno.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/str.h"
#include "conf/assets.h"

static char folder[] = "/tmp/nvsweep-test-XXXXXX";
static char system_folder[64], user_folder[64];

static void put(const char *base, const char *name, const char *text)
{
	char path[256], *slash;

	str_format(path, sizeof(path), "%s/%s", base, name);
	slash = strrchr(path, '/');
	*slash = '\0';
	assert_int_equal(file_make_dirs(path, NULL), 0);
	*slash = '/';
	assert_int_equal(file_write_atomic(path, text, strlen(text), NULL), 0);
}

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
	str_format(command, sizeof(command), "rm -rf %s/etc %s/user", folder, folder);
	assets_set_folders(system_folder, user_folder);
	return system(command);
}

static int teardown(void **state)
{
	fresh(state);
	return rmdir(folder);
}

static void assert_reads(const char *name, const char *expected, const char *expected_origin)
{
	char origin[256], *text;
	struct err err = {0};
	size_t length;

	if (assets_read(name, &text, &length, origin, sizeof(origin), &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(text, expected);
	assert_int_equal(length, strlen(expected));
	if (!strstr(origin, expected_origin))
		fail_msg("%s is not in %s", expected_origin, origin);
	free(text);
}

/* Every file of configs/ and themes/ is built in, byte by byte, under its name. */
static void every_file_of_the_tree_is_built_in(void **state)
{
	static const char *const patterns[] = {
		"configs/*.ini", "configs/*/*.ini", "configs/*/*.csv", "themes/*.ini"};
	size_t seen = 0;
	glob_t found;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		if (glob(patterns[i], 0, NULL, &found) != 0)
			continue;
		for (size_t k = 0; k < found.gl_pathc; k++) {
			const char *path = found.gl_pathv[k], *name = path, *builtin;
			size_t length, built;
			char *bytes;

			if (str_starts_with(name, "configs/"))
				name += strlen("configs/");
			assert_int_equal(file_read(path, 1 << 20, &bytes, &length, NULL), 0);
			builtin = assets_builtin(name, &built);
			if (!builtin)
				fail_msg("%s is not built in", name);
			assert_int_equal(built, length);
			assert_memory_equal(builtin, bytes, length);
			assert_int_equal(builtin[length], 0);
			free(bytes);
			seen++;
		}
		globfree(&found);
	}
	assert_true(seen > 0);
	assert_null(assets_builtin("no.ini", NULL));
}

static void the_last_layer_wins(void **state)
{
	struct err err;
	size_t length;
	char *text = NULL;

	(void)state;
	assert_reads("nvsweep.ini", assets_builtin("nvsweep.ini", &length), "built-in nvsweep.ini");
	put(system_folder, "nvsweep.ini", "# system\n");
	assert_reads("nvsweep.ini", "# system\n", "/etc/nvsweep.ini");
	put(user_folder, "nvsweep.ini", "# user\n");
	assert_reads("nvsweep.ini", "# user\n", "/user/nvsweep.ini");
	assert_int_equal(
		assets_read_layer(ASSET_SYSTEM, "nvsweep.ini", &text, &length, NULL, 0, NULL), 0);
	assert_string_equal(text, "# system\n");
	free(text);
	put(system_folder, "workloads/mine.ini", "[workload]\n");
	assert_reads("workloads/mine.ini", "[workload]\n", "/etc/workloads/mine.ini");
	put(user_folder, "themes/blue.ini", "[theme]\n");
	assert_reads("themes/blue.ini", "[theme]\n", "/user/themes/blue.ini");
	/* no folders at all */
	assets_set_folders("", "");
	assert_int_equal(assets_read("themes/blue.ini", &text, &length, NULL, 0, &err), -ENOENT);
	assert_string_equal(err.text, "there is no themes/blue.ini");
	assert_int_equal(err.exit, ERR_EXIT_USAGE);
}

static void a_broken_layer_is_said(void **state)
{
	char path[128];
	struct err err;
	struct ini *ini = NULL;
	size_t length;
	char *text = NULL;

	(void)state;
	put(user_folder, "x", "");
	str_format(path, sizeof(path), "%s/nvsweep.ini", user_folder);
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(assets_read("nvsweep.ini", &text, &length, NULL, 0, &err), -EISDIR);
	assert_non_null(strstr(err.text, "/user/nvsweep.ini"));
	put(system_folder, "workloads/bad.ini", "\n[x\n");
	assert_int_equal(assets_read_ini("workloads/bad.ini", &ini, &err), -EINVAL);
	assert_non_null(strstr(err.text, "/etc/workloads/bad.ini:2:"));
	put(system_folder, "workloads/good.ini", "[x]\nk = v\n");
	assert_int_equal(assets_read_ini("workloads/good.ini", &ini, &err), 0);
	assert_string_equal(ini_get(ini, "x", "k"), "v");
	ini_free(ini);
	/* a file where a folder should be: nothing there */
	put(user_folder, "workloads", "");
	assert_int_equal(assets_read_ini("workloads/good.ini", &ini, &err), 0);
	ini_free(ini);
}

static void names_do_not_lead_out(void **state)
{
	static const char *const bad[] = {"", "/etc/passwd", "../secret.ini", "a/../b.ini", "a//b",
		".hidden.ini", "workloads/.x.ini", "workloads/", ".", ".."};
	char long_name[400], *text = NULL;
	struct err err;
	size_t length;

	(void)state;
	put(folder, "user/x", "");
	put(folder, "etc/secret.ini", "");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct asset_list list;

		assert_int_equal(assets_read(bad[i], &text, &length, NULL, 0, &err), -EINVAL);
		assert_int_equal(assets_list(bad[i], &list, &err), -EINVAL);
		assert_int_equal(list.count, 0);
	}
	memset(long_name, 'n', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	assert_int_equal(assets_read(long_name, &text, &length, NULL, 0, &err), -EINVAL);
	assert_null(text);
}

static void lists_merge_and_sort(void **state)
{
	struct asset_list list;
	char long_name[160];

	(void)state;
	put(user_folder, "shelf/b10.ini", "");
	put(user_folder, "shelf/b2.ini", "");
	put(user_folder, "shelf/.hidden.ini", "");
	put(user_folder, "shelf/notes.txt", "");
	put(user_folder, "shelf/e\x1b[2J.ini", "");
	put(user_folder, "shelf/table.csv", "");
	put(system_folder, "shelf/b2.ini", "");
	put(system_folder, "shelf/a.ini", "");
	memset(long_name, 'n', sizeof(long_name));
	memcpy(long_name, "shelf/", 6);
	memcpy(long_name + sizeof(long_name) - 5, ".ini", 5);
	put(system_folder, long_name, "");
	assert_int_equal(assets_list("shelf", &list, NULL), 0);
	assert_int_equal(list.count, 4);
	assert_string_equal(list.names[0], "a");
	assert_string_equal(list.names[1], "b2");
	assert_string_equal(list.names[2], "b10");
	assert_string_equal(list.names[3], "table.csv");
	asset_list_free(&list);
	assert_int_equal(assets_list("nothing", &list, NULL), 0);
	assert_int_equal(list.count, 0);
	asset_list_free(&list);
}

static void standard_folders(void **state)
{
	char buf[256];

	(void)state;
	assets_set_folders(NULL, NULL);
	unsetenv("SUDO_UID");
	setenv("XDG_CONFIG_HOME", "/somewhere", 1);
	assert_int_equal(assets_layer_folder(ASSET_SYSTEM, buf, sizeof(buf)), 0);
	assert_string_equal(buf, "/etc/nvsweep");
	assert_int_equal(assets_layer_folder(ASSET_USER, buf, sizeof(buf)), 0);
	assert_string_equal(buf, "/somewhere/nvsweep");
	assert_int_equal(assets_layer_folder(ASSET_BUILTIN, buf, sizeof(buf)), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(every_file_of_the_tree_is_built_in, fresh),
		cmocka_unit_test_setup(the_last_layer_wins, fresh),
		cmocka_unit_test_setup(a_broken_layer_is_said, fresh),
		cmocka_unit_test_setup(names_do_not_lead_out, fresh),
		cmocka_unit_test_setup(lists_merge_and_sort, fresh),
		cmocka_unit_test_setup(standard_folders, fresh),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
