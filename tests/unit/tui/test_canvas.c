/* The canvas: what stands in the grid after painting, at every size and with any text. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "tui/ascii.h"
#include "tui/canvas.h"

static void expect(const struct canvas *canvas, const char *wanted)
{
	char *dump = canvas_dump(canvas);

	assert_string_equal(dump, wanted);
	free(dump);
}

static void test_text(void **state)
{
	struct canvas *canvas = canvas_create(12, 3);

	(void)state;
	expect(canvas, "\n\n\n");
	assert_int_equal(canvas_text(canvas, 1, 0, -1, ROLE_TEXT, "µs ▃█"), 6);
	assert_int_equal(canvas_text(canvas, 1, 1, 4, ROLE_TEXT, "abcdefgh"), 5);
	canvas_text_right(canvas, 12, 2, ROLE_TEXT, "41 °C");
	expect(canvas, " µs ▃█\n abcd\n       41 °C\n");
	/* outside on every side: clipped, and the returned place still counts */
	assert_int_equal(canvas_text(canvas, -3, 0, -1, ROLE_TEXT, "xyzAB"), 2);
	assert_int_equal(canvas_text(canvas, 10, 1, -1, ROLE_TEXT, "12345"), 15);
	canvas_text(canvas, 0, -1, -1, ROLE_TEXT, "no");
	canvas_text(canvas, 0, 3, -1, ROLE_TEXT, "no");
	expect(canvas, "ABs ▃█\n abcd     12\n       41 °C\n");
	canvas_free(canvas);
}

static void test_wide(void **state)
{
	struct canvas *canvas = canvas_create(6, 1);

	(void)state;
	assert_int_equal(canvas_text(canvas, 0, 0, -1, ROLE_TEXT, "漢字x"), 5);
	expect(canvas, "漢字x\n");
	assert_int_equal(canvas->cells[1].code_point, 0);
	/* overwriting either half takes the other one away */
	canvas_put(canvas, 1, 0, 'a', ROLE_TEXT);
	expect(canvas, " a字x\n");
	canvas_put(canvas, 2, 0, 'b', ROLE_TEXT);
	expect(canvas, " ab x\n");
	/* one that would stick out is a space; one that does not fit a limit is left out */
	canvas_put(canvas, 5, 0, U'漢', ROLE_TEXT);
	canvas_put(canvas, -1, 0, U'漢', ROLE_TEXT);
	expect(canvas, " ab x\n");
	assert_int_equal(canvas_text(canvas, 0, 0, 3, ROLE_TEXT, "漢字"), 2);
	expect(canvas, "漢b x\n");
	/* a wide one over the halves of two others */
	canvas_clear(canvas);
	canvas_text(canvas, 0, 0, -1, ROLE_TEXT, "漢字");
	canvas_put(canvas, 1, 0, U'木', ROLE_TEXT);
	expect(canvas, " 木\n");
	canvas_free(canvas);
}

static void test_unsafe_text(void **state)
{
	struct canvas *canvas = canvas_create(20, 2);

	(void)state;
	/* controls, escape sequences, broken UTF-8, combining and bidirectional marks */
	canvas_text(canvas, 0, 0, -1, ROLE_TEXT, "a\033[2Jb\r\nc\x7f\xc2\x9b\xff");
	canvas_text(canvas, 0, 1, -1, ROLE_TEXT, "e\u0301x\u202ey");
	expect(canvas, "a?[2Jb  c???\nexy\n");
	canvas_free(canvas);
}

static void test_clip_and_shapes(void **state)
{
	struct canvas *canvas = canvas_create(14, 5);
	struct rect inner = {2, 1, 5, 2}, huge = {-1000000000, -5, 2147483647, 2147483647};

	(void)state;
	canvas_clip(canvas, &inner);
	canvas_fill(canvas, huge, '#', ROLE_TEXT);
	expect(canvas, "\n  #####\n  #####\n\n\n");
	canvas_clip(canvas, &huge);
	canvas_fill(canvas, inner, '.', ROLE_TEXT);
	canvas_clip(canvas, NULL);
	canvas_box(canvas, (struct rect){0, 0, 14, 5}, ROLE_BORDER, "Title");
	expect(canvas,
		"┌─ Title ────┐\n│ .....      │\n│ .....      │\n│            │\n"
		"└────────────┘\n");
	canvas_free(canvas);
}

static void test_wrap(void **state)
{
	struct canvas *canvas = canvas_create(10, 6);

	(void)state;
	assert_int_equal(canvas_wrap(canvas, 0, 0, 10, 6, ROLE_TEXT,
				 "98 % of the rated\nendurance is unquestionably used"),
		6);
	expect(canvas, "98 % of\nthe rated\nendurance\nis\nunquestion\nably used\n");
	canvas_clear(canvas);
	/* painted no further than asked, counted all the same */
	assert_int_equal(canvas_wrap(canvas, 0, 0, 10, 1, ROLE_TEXT, "one two three"), 2);
	expect(canvas, "one two\n\n\n\n\n\n");
	assert_int_equal(canvas_wrap(canvas, 0, 0, 0, 1, ROLE_TEXT, "x"), 0);
	/* a character wider than the line ends as well */
	assert_int_equal(canvas_wrap(canvas, 0, 0, 1, 0, ROLE_TEXT, "漢字"), 2);
	canvas_free(canvas);
}

static void test_ascii(void **state)
{
	struct canvas *canvas = canvas_create(40, 3);

	(void)state;
	canvas_set_ascii(canvas, true);
	canvas_text(canvas, 0, 0, -1, ROLE_TEXT, "▾nvme0 · 41 °C µs × … ↑↓←→ ■□ ●○");
	canvas_text(canvas, 0, 1, -1, ROLE_TEXT, "漢é ─│┌┐┤┼┬");
	canvas_text(canvas, 0, 2, -1, ROLE_TEXT, "▁▂▃▄▅▆▇█");
	expect(canvas, "vnvme0 - 41  C us x ~ ^v<> #. o.\n??? -|++|++\n_.:-=+*#\n");
	canvas_free(canvas);
	/* always one printable character, and the levels of a chart are told apart */
	for (uint32_t c = 0x20; c < 0x30000; c++) {
		char ascii = ascii_of(c);

		assert_true(ascii >= 0x20 && ascii < 0x7f);
	}
	for (uint32_t a = 0x2581; a <= 0x2588; a++)
		for (uint32_t b = a + 1; b <= 0x2588; b++)
			assert_int_not_equal(ascii_of(a), ascii_of(b));
}

/* Whatever was painted: a right half only behind a wide character, which is never without one. */
static void expect_whole(const struct canvas *canvas)
{
	for (int y = 0; y < canvas->height; y++) {
		for (int x = 0; x < canvas->width; x++) {
			const struct cell *cell = &canvas->cells[y * canvas->width + x];
			bool wide = cell->code_point >= 0x300 &&
				str_code_point_width(cell->code_point) == 2;
			bool half = x + 1 < canvas->width && cell[1].code_point == 0;

			assert_int_equal(wide, half);
			if (x == 0)
				assert_int_not_equal(cell->code_point, 0);
			assert_true(cell->code_point == 0 || cell->code_point >= ' ');
		}
	}
}

static int random_in(struct rng *rng, int low, int high)
{
	return low + (int)rng_below(rng, (uint64_t)(high - low + 1));
}

static void test_random_painting(void **state)
{
	static const char *const texts[] = {"漢字漢字", "plain", "▃▅▇ µs", "", "a漢b字c",
		"\t\033\n", "\xf0\x9f\x98\x80 smile", "e\u0301"};
	struct canvas *canvas = canvas_create(1, 1);
	struct rng rng;

	(void)state;
	rng_seed(&rng, 7, 0);
	for (int round = 0; round < 400; round++) {
		canvas_resize(canvas, random_in(&rng, -2, 40), random_in(&rng, -2, 12));
		canvas_set_ascii(canvas, round % 5 == 0);
		for (int i = 0; i < 60; i++) {
			int x = random_in(&rng, -10, 45), y = random_in(&rng, -3, 14);
			struct rect rect = {x, y, random_in(&rng, -3, 50), random_in(&rng, -3, 20)};
			const char *text = texts[random_in(&rng, 0, 7)];

			switch (random_in(&rng, 0, 6)) {
			case 0:
				canvas_text(canvas, x, y, random_in(&rng, -1, 9), ROLE_GOOD, text);
				break;
			case 1:
				canvas_box(canvas, rect, ROLE_BORDER, text);
				break;
			case 2:
				canvas_clip(canvas, random_in(&rng, 0, 2) ? &rect : NULL);
				break;
			case 3:
				canvas_wrap(canvas, x, y, rect.width, rect.height, ROLE_TEXT, text);
				break;
			case 4:
				canvas_fill(canvas, rect, random_in(&rng, 0, 1) ? U'字' : '.',
					ROLE_TEXT);
				break;
			case 5:
				canvas_select(canvas, x, y, rect.width);
				break;
			default:
				canvas_text_right(canvas, x, y, ROLE_TEXT, text);
				break;
			}
		}
		expect_whole(canvas);
		free(canvas_dump(canvas));
	}
	canvas_free(canvas);
}

static void test_sizes(void **state)
{
	struct canvas *canvas = canvas_create(0, -5);

	(void)state;
	assert_int_equal(canvas->width, 1);
	assert_int_equal(canvas->height, 1);
	canvas_resize(canvas, 100000, 3);
	assert_int_equal(canvas->width, 1000);
	canvas_text(canvas, 2147483647, 0, -1, ROLE_TEXT, "far");
	canvas_text(canvas, -2147483647, 0, -1, ROLE_TEXT, "far");
	canvas_put(canvas, 2147483647, 0, U'漢', ROLE_TEXT);
	canvas_select(canvas, -2147483647, 0, 2147483647);
	expect(canvas, "\n\n\n");
	canvas_free(canvas);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_wide),
		cmocka_unit_test(test_unsafe_text),
		cmocka_unit_test(test_clip_and_shapes),
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_ascii),
		cmocka_unit_test(test_random_painting),
		cmocka_unit_test(test_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
