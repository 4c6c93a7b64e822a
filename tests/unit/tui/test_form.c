/* Editing, forms and dialogs: keys in, values and drawings out. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "base/units.h"
#include "tui/edit.h"
#include "tui/form.h"

static void expect(const struct canvas *canvas, const char *wanted)
{
	char *dump = canvas_dump(canvas);

	assert_string_equal(dump, wanted);
	free(dump);
}

/* Names as in keys.ini, apart by spaces. */
static bool press(bool (*to)(void *on, const struct key *key), void *on, const char *names)
{
	char word[32];
	bool used = false;
	int length;

	for (; sscanf(names, "%31s%n", word, &length) == 1; names += length) {
		struct key key = {.code = key_parse(word)};

		assert_int_not_equal(key.code, KEY_NONE);
		used = to(on, &key);
	}
	return used;
}

static bool to_edit(void *on, const struct key *key)
{
	return edit_key(on, key);
}

static bool to_form(void *on, const struct key *key)
{
	return form_key(on, key);
}

/* ---- one line -------------------------------------------------------------------------------- */

static void test_edit(void **state)
{
	struct edit edit = {0};
	struct key key = {.code = 0x202e};

	(void)state;
	press(to_edit, &edit, "a b ö 漢 c");
	assert_string_equal(edit.text, "abö漢c");
	press(to_edit, &edit, "Left Left Left x Del");
	assert_string_equal(edit.text, "abx漢c");
	press(to_edit, &edit, "Backspace Backspace Home Del End Backspace");
	assert_string_equal(edit.text, "漢");
	press(to_edit, &edit, "Backspace Backspace Del Left Right");
	assert_string_equal(edit.text, "");
	edit_set(&edit, "one two  three");
	press(to_edit, &edit, "Ctrl-W");
	assert_string_equal(edit.text, "one two  ");
	press(to_edit, &edit, "Ctrl-W");
	assert_string_equal(edit.text, "one ");
	press(to_edit, &edit, "Home Right Ctrl-K Space y Ctrl-A Ctrl-U Ctrl-E z");
	assert_string_equal(edit.text, "o yz");
	assert_false(press(to_edit, &edit, "Enter"));
	assert_false(press(to_edit, &edit, "Esc"));
	assert_false(press(to_edit, &edit, "F3"));
	assert_false(press(to_edit, &edit, "Ctrl-X"));
	/* what must not be in a text: bidirectional and combining marks, controls */
	edit_key(&edit, &key);
	key.code = 0x301;
	edit_key(&edit, &key);
	key.code = 0x9b;
	edit_key(&edit, &key);
	key.code = 7;
	assert_true(edit_key(&edit, &key));
	assert_string_equal(edit.text, "o yz");
	edit_set(&edit, "a\033[2J\xff");
	assert_string_equal(edit.text, "a?[2J?");
}

static void test_edit_random(void **state)
{
	struct edit edit = {0};
	struct canvas *canvas = canvas_create(30, 1);
	struct rng rng;

	(void)state;
	rng_seed(&rng, 8, 0);
	for (int i = 0; i < 40000; i++) {
		static const uint32_t codes[] = {'a', U'漢', 0xf6, 0x1f600, KEYC_LEFT, KEYC_LEFT,
			KEYC_RIGHT, KEYC_BACKSPACE, KEYC_DEL, KEYC_HOME, KEYC_END,
			KEYC_CTRL_A + 22};
		struct key key = {.code = codes[rng_below(&rng, i % 9000 < 6000 ? 6 : 12)]};
		int width = 1 + (int)rng_below(&rng, 30);
		const char *at = edit.text;

		edit_key(&edit, &key);
		assert_true(strlen(edit.text) < sizeof(edit.text));
		assert_true(edit.cursor <= strlen(edit.text));
		/* whole characters only, and the cursor between two of them */
		while (*at) {
			assert_int_not_equal(str_utf8_next(&at), '?');
			assert_true(at <= edit.text + edit.cursor || at > edit.text + edit.cursor);
		}
		assert_int_not_equal((unsigned char)edit.text[edit.cursor] & 0xc0, 0x80);
		if (i % 16)
			continue;
		canvas_clear(canvas);
		edit_draw(&edit, canvas, 0, 0, width, ROLE_FIELD, true);
		assert_in_range(canvas->cursor_x, 0, width - 1);
	}
	canvas_free(canvas);
}

static void test_edit_draw(void **state)
{
	struct edit edit = {0};
	struct canvas *canvas = canvas_create(12, 1);

	(void)state;
	edit_set(&edit, "abc");
	edit_draw(&edit, canvas, 1, 0, 8, ROLE_FIELD, true);
	expect(canvas, " abc_____\n");
	assert_int_equal(canvas->cursor_x, 4);
	/* longer than its room: the end with the cursor shows, and that there is more */
	canvas_clear(canvas);
	edit_set(&edit, "0123456789");
	edit_draw(&edit, canvas, 1, 0, 8, ROLE_FIELD, true);
	expect(canvas, " ‹456789_\n");
	assert_int_equal(canvas->cursor_x, 8);
	canvas_clear(canvas);
	press(to_edit, &edit, "Home");
	edit_draw(&edit, canvas, 1, 0, 8, ROLE_FIELD, true);
	expect(canvas, " 0123456›\n");
	assert_int_equal(canvas->cursor_x, 1);
	canvas_free(canvas);
}

/* ---- forms ----------------------------------------------------------------------------------- */

static int calls;

static int validate(void *user, const char *key, const char *value, struct err *err)
{
	uint64_t number;

	(void)user;
	calls++;
	if (strcmp(key, "point") != 0)
		return 0;
	if (units_parse_u64(value, &number, NULL) < 0)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL, "\"%s\" is no number", value);
	return 0;
}

static struct form *make_form(void)
{
	static const char *const tests[] = {"curve", "depth", "fixed", NULL};
	static const char *const notes[] = {
		"10-120 % of the maximum", "1 to 256", "one load", NULL};
	struct form *form = form_create(validate, NULL);

	form_add_label(form, "target", "Target", "nvme0n1  FAKE DC 7680");
	form_add_choice(form, "test", "Test", tests, notes, 0, "What is measured.");
	form_add_text(form, "point", "Point", "20", 8, "Seconds per point.");
	form_add_text(form, "seed", "Seed", "auto", 8, "The same seed gives the same load.");
	form_set_note(form, "seed", "a number or auto");
	return form;
}

static void test_form_draw(void **state)
{
	struct form *form = make_form();
	struct canvas *canvas = canvas_create(50, 9);

	(void)state;
	form_draw(form, canvas, (struct rect){0, 0, 50, 9});
	expect(canvas,
		" Target  nvme0n1  FAKE DC 7680\n"
		">Test    curve ▾  10-120 % of the maximum\n"
		" Point   20______\n"
		" Seed    auto____  a number or auto\n"
		"\n\n\n"
		" What is measured.\n\n");
	assert_int_equal(canvas->cursor_x, -1);
	press(to_form, form, "Right Down x Tab");
	canvas_clear(canvas);
	form_draw(form, canvas, (struct rect){0, 0, 50, 9});
	/* the sentence stands beside the field where it fits, else below */
	expect(canvas,
		" Target  nvme0n1  FAKE DC 7680\n"
		" Test    depth ▾  1 to 256\n"
		" Point   20x_____  ! \"20x\" is no number\n"
		">Seed    auto____  a number or auto\n"
		"\n\n\n"
		" The same seed gives the same load.\n\n");
	assert_int_equal(canvas->cursor_x, 13);
	assert_int_equal(canvas->cursor_y, 3);
	canvas_resize(canvas, 34, 7);
	form_draw(form, canvas, (struct rect){0, 0, 34, 7});
	expect(canvas,
		" Target  nvme0n1  FAKE DC 7680\n"
		" Test    depth ▾  1 to 256\n"
		" Point   20x_____\n"
		"         ! \"20x\" is no number\n"
		">Seed    auto____  a number or aut\n\n\n");
	/* too low: the field in focus and its sentence are on the screen */
	press(to_form, form, "Up");
	canvas_resize(canvas, 34, 2);
	form_draw(form, canvas, (struct rect){0, 0, 34, 2});
	expect(canvas,
		">Point   20x_____                ▲\n"
		"         ! \"20x\" is no number    ▼\n");
	canvas_free(canvas);
	form_free(form);
}

static void test_form_keys(void **state)
{
	struct form *form = make_form();
	struct key click = {.code = KEYC_MOUSE, .button = MOUSE_LEFT, .x = 12, .y = 3};
	struct key pasted = {.code = U'ö', .pasted = true};
	struct canvas *canvas = canvas_create(60, 10);

	(void)state;
	assert_string_equal(form_focus(form), "test");
	assert_false(form_editing(form));
	/* on a choice letters are not text: they can be actions */
	assert_false(press(to_form, form, "q"));
	assert_false(press(to_form, form, "Space"));
	assert_false(press(to_form, form, "Enter"));
	assert_true(press(to_form, form, "Left"));
	assert_string_equal(form_value(form, "test"), "fixed");
	assert_int_equal(form_choice(form, "test"), 2);
	press(to_form, form, "Right Right End Home End");
	assert_string_equal(form_value(form, "test"), "fixed");
	assert_true(press(to_form, form, "Up")); /* at the top it stays */
	assert_string_equal(form_focus(form), "test");
	press(to_form, form, "Shift-Tab");
	assert_string_equal(form_focus(form), "seed");
	assert_true(form_editing(form));
	assert_false(press(to_form, form, "Enter"));
	assert_false(press(to_form, form, "Esc"));
	assert_true(form_key(form, &pasted));
	assert_string_equal(form_value(form, "seed"), "autoö");
	press(to_form, form, "Tab");
	assert_string_equal(form_focus(form), "test");
	assert_false(form_key(form, &pasted));
	/* hidden fields are stepped over, and lose the focus */
	form_set_hidden(form, "test", true);
	assert_string_equal(form_focus(form), "point");
	press(to_form, form, "Down Down Up");
	assert_string_equal(form_focus(form), "point");
	form_set_hidden(form, "test", false);
	form_draw(form, canvas, (struct rect){0, 0, 60, 10});
	assert_true(form_key(form, &click));
	assert_string_equal(form_focus(form), "seed");
	click.y = 0; /* the label */
	assert_false(form_key(form, &click));
	click.y = 9;
	assert_false(form_key(form, &click));
	/* values from outside */
	form_set_value(form, "test", "curve");
	form_set_value(form, "test", "no such");
	form_set_value(form, "nothing", "x");
	assert_string_equal(form_value(form, "test"), "curve");
	assert_string_equal(form_value(form, "nothing"), "");
	form_set_focus(form, "target");
	assert_string_equal(form_focus(form), "seed");
	form_set_focus(form, "test");
	assert_string_equal(form_focus(form), "test");
	canvas_free(canvas);
	form_free(form);
}

static void test_form_validation(void **state)
{
	struct form *form = make_form();

	(void)state;
	calls = 0;
	press(to_form, form, "Tab Tab Tab");
	assert_int_equal(calls, 0); /* nothing was changed */
	form_set_value(form, "point", "abc");
	assert_false(form_check(form));
	assert_string_equal(form_focus(form), "point");
	press(to_form, form, "Backspace Backspace Backspace 5");
	assert_true(form_check(form));
	form_set_value(form, "point", "abc");
	form_set_hidden(form, "point", true);
	assert_true(form_check(form));
	form_free(form);
	/* without fields, without any that can have the focus */
	form = form_create(NULL, NULL);
	assert_true(form_check(form));
	assert_string_equal(form_focus(form), "");
	assert_false(press(to_form, form, "Tab"));
	form_add_label(form, "a", "A", "text");
	assert_false(press(to_form, form, "Tab"));
	form_set_hidden(form, "a", true);
	assert_string_equal(form_focus(form), "");
	form_add_text(form, "b", "B", NULL, 0, NULL);
	assert_string_equal(form_focus(form), "b");
	form_free(form);
}

static void test_form_every_size(void **state)
{
	struct canvas *canvas = canvas_create(1, 1);
	struct form *form = make_form();
	struct rng rng;

	(void)state;
	rng_seed(&rng, 6, 0);
	form_set_fault(
		form, "seed", "a sentence that is long enough to be wrapped on most screens");
	for (int width = 1; width <= 120; width++) {
		for (int height = 1; height <= 30; height++) {
			static const char *const names[] = {"Tab", "Up", "Down", "x", "Right"};

			canvas_resize(canvas, width, height);
			form_draw(form, canvas, (struct rect){0, 0, width, height});
			press(to_form, form, names[rng_below(&rng, 5)]);
		}
	}
	form_free(form);
	canvas_free(canvas);
}

/* ---- dialogs --------------------------------------------------------------------------------- */

static enum dialog_result press_dialog(struct dialog *dialog, const char *name)
{
	struct key key = {.code = key_parse(name)};

	assert_int_not_equal(key.code, KEY_NONE);
	return dialog_key(dialog, &key);
}

static void test_confirm(void **state)
{
	struct canvas *canvas = canvas_create(44, 9);
	struct dialog *dialog = dialog_confirm(
		"Quit", "A test runs. Stop it and keep the results?", "Stop", "Go on");
	struct key key = {.code = 'y', .pasted = true};

	(void)state;
	dialog_draw(dialog, canvas);
	expect(canvas,
		"\n"
		"┌─ Quit ───────────────────────────────────┐\n"
		"│ A test runs. Stop it and keep the        │\n"
		"│ results?                                 │\n"
		"│                                          │\n"
		"│                        Stop    [ Go on ] │\n"
		"└──────────────────────────────────────────┘\n\n\n");
	assert_int_equal(dialog_key(dialog, &key), DIALOG_OPEN);
	assert_int_equal(press_dialog(dialog, "x"), DIALOG_OPEN);
	assert_int_equal(press_dialog(dialog, "Enter"), DIALOG_NO);
	assert_int_equal(press_dialog(dialog, "Tab"), DIALOG_OPEN);
	assert_int_equal(press_dialog(dialog, "Enter"), DIALOG_YES);
	assert_int_equal(press_dialog(dialog, "y"), DIALOG_YES);
	assert_int_equal(press_dialog(dialog, "n"), DIALOG_NO);
	assert_int_equal(press_dialog(dialog, "Esc"), DIALOG_NO);
	assert_int_equal(press_dialog(dialog, "Ctrl-C"), DIALOG_NO);
	key = (struct key){.code = KEYC_MOUSE, .button = MOUSE_LEFT, .x = 26, .y = 5};
	assert_int_equal(dialog_key(dialog, &key), DIALOG_YES);
	key.x = 36;
	assert_int_equal(dialog_key(dialog, &key), DIALOG_NO);
	key.x = 5;
	assert_int_equal(dialog_key(dialog, &key), DIALOG_OPEN);
	assert_string_equal(dialog_value(dialog), "");
	dialog_free(dialog);
	canvas_free(canvas);
}

static void test_input(void **state)
{
	struct canvas *canvas = canvas_create(60, 10);
	struct dialog *dialog = dialog_input("Filter", "Show lines with", "nv");

	(void)state;
	dialog_draw(dialog, canvas);
	assert_int_not_equal(canvas->cursor_x, -1);
	/* letters are text here, y and q as well */
	assert_int_equal(press_dialog(dialog, "y"), DIALOG_OPEN);
	assert_int_equal(press_dialog(dialog, "q"), DIALOG_OPEN);
	assert_string_equal(dialog_value(dialog), "nvyq");
	assert_int_equal(press_dialog(dialog, "Enter"), DIALOG_YES);
	assert_int_equal(press_dialog(dialog, "Esc"), DIALOG_NO);
	dialog_free(dialog);
	canvas_free(canvas);
}

static void test_choice(void **state)
{
	const char *names[41] = {NULL};
	char texts[40][32];
	struct canvas *canvas = canvas_create(30, 8);
	struct dialog *dialog;
	struct key key = {.code = KEYC_MOUSE, .button = MOUSE_LEFT, .x = 8, .y = 2};

	(void)state;
	for (int i = 0; i < 40; i++) {
		snprintf(texts[i], sizeof(texts[i]), "%c-choice %d", 'a' + i % 20, i);
		names[i] = texts[i];
	}
	dialog = dialog_choice("Pick", names, 20);
	dialog_draw(dialog, canvas);
	expect(canvas,
		"     ┌─ Pick ──────────┐\n"
		"     │   p-choice 15   ▲\n"
		"     │   q-choice 16   │\n"
		"     │   r-choice 17   │\n"
		"     │   s-choice 18   │\n"
		"     │   t-choice 19   │\n"
		"     │ > a-choice 20   ▼\n"
		"     └─────────────────┘\n");
	press_dialog(dialog, "Home");
	press_dialog(dialog, "Up");
	assert_string_equal(dialog_value(dialog), "a-choice 0");
	press_dialog(dialog, "PgDn");
	assert_string_equal(dialog_value(dialog), "f-choice 5");
	press_dialog(dialog, "End");
	press_dialog(dialog, "Down");
	assert_string_equal(dialog_value(dialog), "t-choice 39");
	/* a letter goes to the next that begins with it */
	press_dialog(dialog, "C");
	assert_string_equal(dialog_value(dialog), "c-choice 2");
	press_dialog(dialog, "c");
	assert_string_equal(dialog_value(dialog), "c-choice 22");
	dialog_draw(dialog, canvas);
	assert_int_equal(dialog_key(dialog, &key), DIALOG_OPEN);
	assert_int_equal(dialog_key(dialog, &key), DIALOG_YES);
	assert_int_equal(press_dialog(dialog, "Enter"), DIALOG_YES);
	dialog_free(dialog);
	/* one that is wider than the terminal ends in a mark that it was cut */
	names[0] = "one that goes on for longer than there is room";
	names[1] = NULL;
	dialog = dialog_choice("Pick", names, 0);
	canvas_clear(canvas);
	dialog_draw(dialog, canvas);
	expect(canvas,
		"\n\n"
		"┌─ Pick ─────────────────────┐\n"
		"│ > one that goes on for lo… │\n"
		"└────────────────────────────┘\n\n\n\n");
	dialog_free(dialog);
	dialog = dialog_choice("Nothing", NULL, 3);
	dialog_draw(dialog, canvas);
	assert_int_equal(press_dialog(dialog, "Down"), DIALOG_OPEN);
	assert_int_equal(press_dialog(dialog, "x"), DIALOG_OPEN);
	assert_int_equal(press_dialog(dialog, "Enter"), DIALOG_NO);
	assert_string_equal(dialog_value(dialog), "");
	dialog_free(dialog);
	canvas_free(canvas);
}

static void test_message(void **state)
{
	struct canvas *canvas = canvas_create(24, 8);
	struct dialog *dialog = dialog_message("Help", "one\ntwo\nthree\nfour\nfive\nsix\nseven");

	(void)state;
	dialog_draw(dialog, canvas);
	expect(canvas,
		"    ┌─ Help ──────┐\n"
		"    │ one         │\n"
		"    │ two         │\n"
		"    │ three       │\n"
		"    │ four        ▼\n"
		"    │             │\n"
		"    │   [ Close ] │\n"
		"    └─────────────┘\n");
	for (int i = 0; i < 9; i++)
		assert_int_equal(press_dialog(dialog, "Down"), DIALOG_OPEN);
	dialog_draw(dialog, canvas);
	expect(canvas,
		"    ┌─ Help ──────┐\n"
		"    │ four        ▲\n"
		"    │ five        │\n"
		"    │ six         │\n"
		"    │ seven       │\n"
		"    │             │\n"
		"    │   [ Close ] │\n"
		"    └─────────────┘\n");
	assert_int_equal(press_dialog(dialog, "q"), DIALOG_YES);
	assert_int_equal(press_dialog(dialog, "Enter"), DIALOG_YES);
	assert_int_equal(press_dialog(dialog, "Esc"), DIALOG_NO);
	dialog_free(dialog);
	canvas_free(canvas);
}

static void test_dialogs_every_size(void **state)
{
	static const char *const choices[] = {"one", "two", "漢字", NULL};
	struct dialog *dialogs[] = {dialog_message("", ""),
		dialog_message("Title", "A longer text\nof lines 漢字漢字漢字漢字漢字漢字"),
		dialog_confirm("A title that is long", "text", "Yes, do it", "No"),
		dialog_input("Name", "text", "a value"), dialog_choice("Pick", choices, 2)};
	struct canvas *canvas = canvas_create(1, 1);

	(void)state;
	for (int width = 1; width <= 130; width++) {
		for (int height = 1; height <= 25; height++) {
			canvas_resize(canvas, width, height);
			for (size_t i = 0; i < 5; i++) {
				dialog_draw(dialogs[i], canvas);
				press_dialog(dialogs[i], height % 2 ? "Down" : "PgUp");
			}
		}
	}
	for (size_t i = 0; i < 5; i++)
		dialog_free(dialogs[i]);
	canvas_free(canvas);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edit),
		cmocka_unit_test(test_edit_random),
		cmocka_unit_test(test_edit_draw),
		cmocka_unit_test(test_form_draw),
		cmocka_unit_test(test_form_keys),
		cmocka_unit_test(test_form_validation),
		cmocka_unit_test(test_form_every_size),
		cmocka_unit_test(test_confirm),
		cmocka_unit_test(test_input),
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_message),
		cmocka_unit_test(test_dialogs_every_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
