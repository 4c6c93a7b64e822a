/* Themes: the ones that are built in, at every number of colours; files of the user; faults. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "folder.h"
#include "tui/theme.h"

static const int depths[] = {0, 8, 16, 88, 256, 16777216};

static void test_builtin(void **state)
{
	static const char *const names[] = {"dark", "light", "mono"};

	(void)state;
	for (size_t n = 0; n < 3; n++) {
		for (size_t d = 0; d < sizeof(depths) / sizeof(depths[0]); d++) {
			struct theme theme;
			struct err err = {0};
			int colors = depths[d],
			    limit = colors > 256 ? 256
				: colors < 16    ? 8
						 : colors;

			if (colors >= 16 && colors < 256)
				limit = 16;
			assert_int_equal(theme_load(names[n], colors, &theme, &err), 0);
			assert_string_equal(theme.name, names[n]);
			for (int role = 0; role < ROLE_COUNT; role++) {
				const struct theme_style *style = &theme.styles[role];
				struct theme_style selected =
					theme_selected_style(&theme, (enum role)role);

				if (n == 2 || colors < 8) {
					assert_int_equal(style->foreground, -1);
					assert_int_equal(style->background, -1);
				}
				assert_true(style->foreground < limit);
				assert_true(style->background < limit);
				/* text that could not be seen (CASES G4) */
				assert_true(style->foreground < 0 ||
					style->foreground != style->background);
				assert_true(selected.foreground < 0 ||
					selected.foreground != selected.background);
				/* a selected row is told from others */
				assert_true(selected.reverse || selected.background >= 0);
			}
			/* without colours, what matters is still told apart */
			if (n == 2 || colors < 8) {
				assert_true(theme.styles[ROLE_WARN].bold);
				assert_true(theme.styles[ROLE_CRIT].reverse);
			}
		}
	}
}

static void expect_auto(int colors, const char *wanted)
{
	struct theme theme;
	struct err err = {0};

	assert_int_equal(theme_load("auto", colors, &theme, &err), 0);
	assert_string_equal(theme.name, wanted);
}

static void test_auto(void **state)
{
	(void)state;
	unsetenv("NO_COLOR");
	unsetenv("COLORFGBG");
	expect_auto(256, "dark");
	expect_auto(8, "dark");
	expect_auto(0, "mono");
	setenv("COLORFGBG", "0;default;15", 1);
	expect_auto(256, "light");
	setenv("COLORFGBG", "15;0", 1);
	expect_auto(256, "dark");
	setenv("NO_COLOR", "1", 1);
	expect_auto(256, "mono");
	setenv("NO_COLOR", "", 1); /* empty does not count: no-color.org */
	expect_auto(256, "dark");
	unsetenv("NO_COLOR");
	unsetenv("COLORFGBG");
}

static void test_user_file(void **state)
{
	struct theme theme;
	struct err err = {0};

	(void)state;
	folder_write("themes/mine.ini",
		"[roles]\ngood = \"#00ff00 on 17 bold underline\"\nwarn = bright-yellow\n"
		"crit = 201\ntext = DEFAULT on black\nselected = on blue dim\n"
		"[roles-16]\nwarn = red reverse\n[roles-8]\nwarn = cyan\n[roles-mono]\nwarn = dim\n");
	assert_int_equal(theme_load("mine", 256, &theme, &err), 0);
	/* 46 is the (0, 255, 0) of the 6x6x6 cube */
	assert_int_equal(theme.styles[ROLE_GOOD].foreground, 46);
	assert_int_equal(theme.styles[ROLE_GOOD].background, 17);
	assert_true(theme.styles[ROLE_GOOD].bold && theme.styles[ROLE_GOOD].underline);
	assert_int_equal(theme.styles[ROLE_WARN].foreground, 11);
	assert_int_equal(theme.styles[ROLE_TEXT].foreground, -1);
	assert_int_equal(theme.styles[ROLE_TEXT].background, 0);
	assert_int_equal(theme.selected.background, 4);
	assert_int_equal(theme.styles[ROLE_DIM].foreground, -1); /* not given */
	assert_int_equal(theme_load("mine", 16, &theme, &err), 0);
	assert_int_equal(theme.styles[ROLE_GOOD].foreground, 10);
	assert_int_equal(theme.styles[ROLE_WARN].foreground, 1);
	assert_true(theme.styles[ROLE_WARN].reverse);
	assert_int_equal(theme_load("mine", 8, &theme, &err), 0);
	assert_int_equal(theme.styles[ROLE_GOOD].foreground, 2);
	assert_true(theme.styles[ROLE_GOOD].bold);
	assert_int_equal(theme.styles[ROLE_WARN].foreground, 6);
	assert_int_equal(theme_load("mine", 0, &theme, &err), 0);
	assert_int_equal(theme.styles[ROLE_WARN].foreground, -1);
	assert_true(theme.styles[ROLE_WARN].dim);
	folder_remove("themes/mine.ini");
}

static void test_faults(void **state)
{
	static const struct {
		const char *text, *wanted;
	} faults[] = {
		{"[roles]\ntext = default\ngod = green\n",
			"themes/bad.ini:3: \"god\" is no role of a theme; did you mean \"good\"?"},
		{"[roles]\ngood = gren\n",
			"bad.ini:2: good: \"gren\" does not fit; did you mean "
			"\"green\"?"},
		{"[roles]\ngood = 256\n", "bad.ini:2: good: \"256\" does not fit"},
		{"[roles]\ngood = \"#12345\"\n", "bad.ini:2: good: \"#12345\" does not fit"},
		{"[roles]\ngood = green on\n", "bad.ini:2: good: \"on\" does not fit"},
		{"[roles]\ngood = green blue\n", "bad.ini:2: good: \"blue\" does not fit"},
		/* even in a section that this terminal does not use */
		{"[roles]\ngood = green\n[roles-mono]\ngood = blod\n",
			"bad.ini:4: good: \"blod\" does not fit; did you mean \"bold\"?"},
		{"[colours]\ngood = green\n", "bad.ini:2: a theme has no section [colours]"},
		{"[roles\ngood = green\n", "bad.ini:1: "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		struct theme theme = {.name = "before"};
		struct err err = {0};

		folder_write("themes/bad.ini", faults[i].text);
		assert_true(theme_load("bad", 256, &theme, &err) < 0);
		if (!strstr(err.text, faults[i].wanted))
			fail_msg("\"%s\" is not in \"%s\"", faults[i].wanted, err.text);
		assert_int_equal(err.exit, ERR_EXIT_USAGE);
		assert_string_equal(theme.name, "before");
	}
	folder_remove("themes/bad.ini");
}

static void test_missing(void **state)
{
	struct theme theme;
	struct err err = {0};
	char name[200];

	(void)state;
	assert_true(theme_load("drak", 256, &theme, &err) < 0);
	assert_string_equal(
		err.text, "there is no theme \"drak\"; there are auto, dark, light, mono");
	assert_true(theme_load("../dark", 256, &theme, &err) < 0);
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	assert_true(theme_load(name, 256, &theme, &err) < 0);
	assert_true(theme_load("", 256, &theme, &err) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_builtin),
		cmocka_unit_test(test_auto),
		cmocka_unit_test(test_user_file),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_missing),
	};

	return cmocka_run_group_tests(tests, folder_open, folder_close);
}
