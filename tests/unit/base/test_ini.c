/* INI files: what is read, what is refused and how it is said, and edits that keep every other
 * byte. */
#include <errno.h>
#include <pthread.h>
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
#include "base/ini.h"
#include "base/rng.h"
#include "base/str.h"

static char folder[] = "/tmp/nvsweep-test-XXXXXX";
static char path[64];

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	str_format(path, sizeof(path), "%s/a.ini", folder);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder);
}

static struct ini *parse(const char *text)
{
	struct ini *ini = NULL;
	struct err err = {0};

	if (ini_parse("t.ini", text, strlen(text), &ini, &err) < 0)
		fail_msg("%s", err.text);
	return ini;
}

static void assert_refused(const char *text, size_t length, const char *expected)
{
	struct ini *ini = NULL;
	struct err err = {0};

	assert_int_equal(ini_parse("t.ini", text, length, &ini, &err), -EINVAL);
	assert_null(ini);
	assert_int_equal(err.exit, ERR_EXIT_USAGE);
	if (!strstr(err.text, expected))
		fail_msg("\"%s\" is not in \"%s\"", expected, err.text);
}

static void values_lines_and_order(void **state)
{
	struct ini *ini = parse("Top = 1\n"
				"; comment\n"
				"[Zone A]\r\n"
				"  Key One =  a value  # comment\r\n"
				"colour = \"#1e1e2e\"   ; comment\n"
				"\n"
				"empty =\n"
				"quoted = ''\n"
				"single = 'it \"is\"'\n"
				"[b]\n"
				"x=y=z\n"
				"a:b = c\n"
				"spaced = \" s \"\n"
				"utf = \xc2\xb5s\n"
				"[zone a]\n"
				"later = 010");

	(void)state;
	assert_string_equal(ini_get(ini, "", "top"), "1");
	assert_int_equal(ini_line(ini, "", "top"), 1);
	assert_string_equal(ini_get(ini, "zone a", "key one"), "a value");
	assert_string_equal(ini_get(ini, "ZONE A", "KEY ONE"), "a value");
	assert_int_equal(ini_line(ini, "zone a", "key one"), 4);
	assert_string_equal(ini_get(ini, "zone a", "colour"), "#1e1e2e");
	assert_string_equal(ini_get(ini, "zone a", "empty"), "");
	assert_string_equal(ini_get(ini, "zone a", "quoted"), "");
	assert_string_equal(ini_get(ini, "zone a", "single"), "it \"is\"");
	assert_string_equal(ini_get(ini, "b", "x"), "y=z");
	assert_string_equal(ini_get(ini, "b", "a:b"), "c");
	assert_string_equal(ini_get(ini, "b", "spaced"), " s ");
	assert_string_equal(ini_get(ini, "b", "utf"), "\xc2\xb5s");
	/* a repeated section goes on where it was */
	assert_string_equal(ini_get(ini, "zone a", "later"), "010");
	assert_int_equal(ini_line(ini, "zone a", "later"), 16);
	assert_null(ini_get(ini, "zone a", "x"));
	assert_null(ini_get(ini, "none", "x"));
	assert_int_equal(ini_line(ini, "b", "none"), 0);
	assert_string_equal(ini_name(ini), "t.ini");
	assert_int_equal(ini_section_count(ini), 3);
	assert_string_equal(ini_section(ini, 1), "zone a");
	assert_int_equal(ini_section_line(ini, "zone a"), 3);
	assert_string_equal(ini_section(ini, 2), "b");
	assert_null(ini_section(ini, 3));
	assert_int_equal(ini_key_count(ini, "zone a"), 6);
	assert_string_equal(ini_key(ini, "zone a", 5), "later");
	assert_null(ini_key(ini, "zone a", 6));
	ini_free(ini);
}

static void faults_name_file_and_line(void **state)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{"[a]\nx = 1\n\nX = 2\n", "t.ini:4: \"x\" was already given in line 2"},
		{"[a]\nx=1\n[b]\n[A]\nx=2\n", "t.ini:5: \"x\" was already given in line 2"},
		{"[a]\nnonsense\n", "t.ini:2: neither"},
		{"x", "t.ini:1: neither"},
		{"[a\n", "t.ini:1: the section has no closing ]"},
		{"[]\n", "t.ini:1: the name of the section is empty"},
		{"[ ]\n", "t.ini:1: the name of the section is empty"},
		{"[a] # why\n", "t.ini:1: nothing may follow"},
		{"[a:b]\n", "t.ini:1: the name of a section must not contain a colon"},
		{"\n= 1\n", "t.ini:2: the name of the key is empty"},
		{"a = \"x\n", "t.ini:1: the quote is not closed"},
		{"a = \"x\" y\n", "t.ini:1: something follows the closing quote"},
		{"a = \"x\\\"y\"\n", "t.ini:1: a backslash inside quotes"},
		{"a = x\\\nb = 1\n", "t.ini:1: a line must not end with a backslash"},
		{"# comment \\\nb = 1\n", "t.ini:1: a line must not end with a backslash"},
		{"\xef\xbb\xbf[a]\n", "t.ini:1: the file begins with a byte order mark"},
		{"a\x1b[2J\n", "t.ini:1: neither"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_refused(cases[i].text, strlen(cases[i].text), cases[i].expected);
	assert_refused("a = 1\0\nb = 2\n", 14, "t.ini:1: there is a NUL byte");
}

static void lines_up_to_1022_bytes(void **state)
{
	char text[2048];
	struct ini *ini = NULL;

	(void)state;
	for (size_t length = 1000; length <= 1022; length++) {
		memset(text, 'v', sizeof(text));
		memcpy(text, "k = ", 4);
		memcpy(text + length, "\nn = 1", 7);
		ini = parse(text);
		assert_int_equal(strlen(ini_get(ini, "", "k")), length - 4);
		assert_string_equal(ini_get(ini, "", "n"), "1");
		ini_free(ini);
		/* and as the last line without a line feed */
		text[length] = '\0';
		ini = parse(text);
		assert_int_equal(strlen(ini_get(ini, "", "k")), length - 4);
		ini_free(ini);
	}
	memset(text, 'v', sizeof(text));
	memcpy(text, "#\nk = ", 6);
	text[2 + 1023] = '\n';
	assert_refused(text, 2 + 1024, "t.ini:2: the line is longer than 1022 bytes");
	assert_refused(text, 2 + 1023, "t.ini:2: the line is longer than 1022 bytes");
	memset(text, 'k', 200);
	memcpy(text + 200, " = 1", 5);
	assert_refused(text, 204, "t.ini:1: the name of the key is too long");
}

static void files_that_are_none(void **state)
{
	struct ini *ini = NULL;
	struct err err = {0};

	(void)state;
	assert_int_equal(ini_load(folder, &ini, &err), -EINVAL);
	assert_non_null(strstr(err.text, "is a directory"));
	assert_int_equal(ini_load("/nonexistent/x.ini", &ini, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent/x.ini"));
	assert_int_equal(ini_load("/dev/null", &ini, &err), -EINVAL);
	assert_null(ini);
	assert_int_equal(ini_parse("e", "", 0, &ini, &err), 0);
	assert_int_equal(ini_section_count(ini), 0);
	ini_free(ini);
	ini_free(NULL);
}

/* Whatever the bytes: read or refused with a sentence, and what is read agrees with the lines. */
static void random_texts(void **state)
{
	static const char alphabet[] = "ab=[]#;\"'\\ \n\n\r\t:x\xc2\xb5";
	struct rng rng;

	(void)state;
	rng_seed(&rng, 3, 0);
	for (int round = 0; round < 3000; round++) {
		char text[40];
		size_t n = rng_below(&rng, sizeof(text));
		struct ini *ini = NULL;
		struct err err = {0};

		for (size_t i = 0; i < n; i++)
			text[i] = alphabet[rng_below(&rng, sizeof(alphabet) - 1)];
		if (ini_parse("r", text, n, &ini, &err) < 0) {
			assert_true(strlen(err.text) > 3);
			/* the scan must refuse everything that iniparser refuses */
			assert_null(strstr(err.text, "cannot be read"));
			continue;
		}
		for (size_t s = 0; s < ini_section_count(ini); s++) {
			const char *section = ini_section(ini, s);

			for (size_t k = 0; k < ini_key_count(ini, section); k++)
				assert_non_null(ini_get(ini, section, ini_key(ini, section, k)));
		}
		ini_free(ini);
	}
}

static void *parse_many(void *data)
{
	uintptr_t failures = 0;

	(void)data;
	for (int i = 0; i < 100; i++) {
		struct ini *ini = NULL;

		failures += ini_parse("a", "[s]\nk = 1\n", 10, &ini, NULL) < 0 ||
			strcmp(ini_get(ini, "s", "k"), "1") != 0;
		ini_free(ini);
		failures += ini_parse("b", "nonsense\n", 9, &ini, NULL) != -EINVAL;
	}
	return (void *)failures;
}

static void several_threads_parse(void **state)
{
	pthread_t threads[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, parse_many, NULL), 0);
	for (int i = 0; i < 4; i++) {
		void *failures;

		pthread_join(threads[i], &failures);
		assert_null(failures);
	}
}

/* Writes before, edits, and compares the whole file. */
static void assert_edit(const char *before, const char *section, const char *key, const char *value,
	const char *after)
{
	struct err err = {0};
	size_t length;
	char *text;

	unlink(path);
	if (before)
		assert_int_equal(file_write_atomic(path, before, strlen(before), NULL), 0);
	if (ini_edit(path, section, key, value, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(file_read(path, 10000, &text, &length, NULL), 0);
	assert_string_equal(text, after);
	free(text);
}

static void edits_keep_every_other_byte(void **state)
{
	(void)state;
	assert_edit(NULL, "display", "theme", "dark", "[display]\ntheme = dark\n");
	assert_edit("# mine\n\n[display]\n  Theme=light   # why\nmouse = no\n", "display", "theme",
		"dark", "# mine\n\n[display]\n  Theme=dark   # why\nmouse = no\n");
	assert_edit("[a]\nk = \"#fff\" ; c\n", "a", "k", "#000", "[a]\nk = \"#000\" ; c\n");
	/* below the commented default */
	assert_edit("[a]\n# help\n#theme = auto\n# other\n#x = 1\n\n[b]\n", "a", "theme", "dark",
		"[a]\n# help\n#theme = auto\ntheme = dark\n# other\n#x = 1\n\n[b]\n");
	/* after the last line of the section, before the blank one */
	assert_edit(
		"[a]\nx = 1\n\n[b]\ny = 2\n", "a", "k", "v", "[a]\nx = 1\nk = v\n\n[b]\ny = 2\n");
	assert_edit("[a]\nx = 1", "b", "k", "v", "[a]\nx = 1\n\n[b]\nk = v\n");
	assert_edit("[a]\nx = 1", "a", "k", "v", "[a]\nx = 1\nk = v\n");
	assert_edit("[a]\r\nx = 1\r\n", "a", "k", "v", "[a]\r\nx = 1\r\nk = v\r\n");
	assert_edit("[a]\nx = 1\n", "", "k", "v", "k = v\n[a]\nx = 1\n");
	assert_edit("[a]\nk =\n", "a", "k", "v", "[a]\nk = v\n");
	assert_edit("[a]\nk = # c\n", "a", "k", "v", "[a]\nk = v # c\n");
	assert_edit("[a]\nk = v\n", "a", "k", "", "[a]\nk = \"\"\n");
	assert_edit("[a]\nk = v\n", "a", "k", "say \"x\"", "[a]\nk = 'say \"x\"'\n");
	/* of a repeated section the place where the key stands counts */
	assert_edit(
		"[a]\nx = 1\n[b]\n[a]\nk = 1\n", "a", "k", "2", "[a]\nx = 1\n[b]\n[a]\nk = 2\n");
}

static void edits_that_are_refused_change_nothing(void **state)
{
	static const char *const bad[] = {
		"both ' and \"", "two\nlines", "a#\\", "ends with \\", "tab\tinside"};
	static const char before[] = "[a]\nk = 1\n";
	struct err err = {0};
	size_t length;
	char *text;

	(void)state;
	assert_int_equal(file_write_atomic(path, before, strlen(before), NULL), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(ini_edit(path, "a", "k", bad[i], &err), -EINVAL);
	assert_int_equal(ini_edit(path, "a]", "k", "1", &err), -EINVAL);
	assert_int_equal(ini_edit(path, "a", "k=", "1", &err), -EINVAL);
	assert_int_equal(file_read(path, 10000, &text, &length, NULL), 0);
	assert_string_equal(text, before);
	free(text);
	/* a file with a fault is not touched */
	assert_int_equal(file_write_atomic(path, "[a\n", 3, NULL), 0);
	assert_int_equal(ini_edit(path, "a", "k", "1", &err), -EINVAL);
	assert_non_null(strstr(err.text, ":1:"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_lines_and_order),
		cmocka_unit_test(faults_name_file_and_line),
		cmocka_unit_test(lines_up_to_1022_bytes),
		cmocka_unit_test(files_that_are_none),
		cmocka_unit_test(random_texts),
		cmocka_unit_test(several_threads_parse),
		cmocka_unit_test(edits_keep_every_other_byte),
		cmocka_unit_test(edits_that_are_refused_change_nothing),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
