/* Bytes to keys: sequences of real terminals, mouse reports of every protocol in any pieces, pastes,
 * and random bytes. Expected values come from the protocols' documents (xterm's ctlseqs). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "base/str.h"
#include "tui/input.h"

/* Keys in words, "Up a <left 3,4>". */
static void collect(struct input *input, char *out, size_t size)
{
	static const char *const buttons[] = {
		"none", "left", "right", "middle", "wheel-up", "wheel-down", "double"};
	struct key key;

	while (input_next(input, &key)) {
		char name[16];

		key_format(key.code, name, sizeof(name));
		assert_true(key.code == KEYC_MOUSE || name[0]);
		str_append(out, size, "%s", *out ? " " : "");
		if (key.code == KEYC_MOUSE)
			str_append(out, size, "<%s %d,%d>", buttons[key.button], key.x, key.y);
		else
			str_append(out, size, "%s%s", key.pasted ? "paste:" : "", name);
	}
}

/* The same bytes at once and one by one must give the same keys. */
static void expect_bytes(const char *bytes, size_t length, bool utf8, const char *wanted)
{
	for (int split = 0; split < 2; split++) {
		char got[1024] = "";
		struct input input;

		input_init(&input, utf8);
		for (size_t i = 0; i < length;) {
			size_t n = split ? 1 : length;

			input_feed(&input, bytes + i, n);
			collect(&input, got, sizeof(got));
			i += n;
		}
		assert_string_equal(got, wanted);
	}
}

#define EXPECT(bytes, wanted) expect_bytes(bytes, sizeof(bytes) - 1, true, wanted)

static void test_keys(void **state)
{
	(void)state;
	EXPECT("aZ?/<", "a Z ? / <");
	EXPECT("\r\n\t\x7f\b \x01\x13\x1a",
		"Enter Enter Tab Backspace Backspace Space Ctrl-A Ctrl-S "
		"Ctrl-Z");
	EXPECT("\033[A\033[B\033[C\033[D\033[H\033[F", "Up Down Right Left Home End");
	EXPECT("\033OA\033OB\033OC\033OD\033OH\033OF", "Up Down Right Left Home End");
	EXPECT("\033[1~\033[2~\033[3~\033[4~\033[5~\033[6~\033[7~\033[8~",
		"Home Ins Del End PgUp PgDn Home End");
	EXPECT("\033OP\033OQ\033OR\033OS\033[15~\033[17~\033[18~\033[19~\033[20~\033[21~\033[23~"
	       "\033[24~",
		"F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12");
	EXPECT("\033[[A\033[[E\033[11~\033[14~", "F1 F5 F1 F4");
	/* with Shift, Alt, Ctrl they are the same keys */
	EXPECT("\033[1;5A\033[1;2P\033[3;5~\033[Z\033Oa", "Up F1 Del Shift-Tab Up");
	EXPECT("\033OM\033Oj\033Op\033Oy", "Enter * 0 9");
	/* Esc before a character is both */
	EXPECT("\033x\033\033[A", "Esc x Esc Up");
}

static void test_utf8(void **state)
{
	(void)state;
	EXPECT("ö漢\xf0\x9f\x98\x80", "ö 漢 😀");
	/* broken, overlong, surrogates, C1 */
	EXPECT("\xc3(\xff\xc0\xaf\xed\xa0\x80\xc2\x85z\xf5\x80", "( z");
	expect_bytes("\xf6"
		     "a",
		2, false, "a");
}

static void test_unknown_sequences(void **state)
{
	(void)state;
	/* answers, focus reports, other protocols: no byte of them is a key */
	EXPECT("\033[?62;22c\033[I\033[O\033[24;80R\033[?2026;2$ya", "F3 a");
	EXPECT("\033[99~\033[200000000000000000000;1~b", "b");
	EXPECT("\033[1;\033[Bx", "Down x");
	EXPECT("\033[12\rx", "Enter x");
	EXPECT("\033[[zq", "z q");
	EXPECT("\033[3;1;5;6;1&wa", "a");
	EXPECT("\x9b<0;2;3Ma", "<left 1,2> a");
}

static void test_mouse(void **state)
{
	(void)state;
	EXPECT("\033[M !!\033[M\"!!\033[M!!!\033[M#!!", "<left 0,0> <right 0,0> <middle 0,0>");
	EXPECT("\033[M`qq\033[Maqqk", "<wheel-up 80,80> <wheel-down 80,80> k");
	EXPECT("\033[<0;5;6M\033[<0;5;6m\033[<2;1;1M\033[<1;300;200M",
		"<left 4,5> <right 0,0> <middle 299,199>");
	EXPECT("\033[<64;5;6M\033[<65;5;6M\033[<66;5;6M\033[<68;5;6M",
		"<wheel-up 4,5> <wheel-down 4,5> <wheel-up 4,5>");
	EXPECT("\033[<35;5;6M\033[<32;5;6M\033[<128;1;1M\033[<0;0;4M\033[<0;4Mk", "k");
	EXPECT("\033[32;9;10M\033[35;9;10M\033[96;9;10Mk", "<left 8,9> <wheel-up 8,9> k");
	/* 1001: bytes follow without parameters */
	EXPECT("\033[tqq\033[Tqqqqqqk", "k");
}

/* X10 at columns above 95, as bytes and as UTF-8 (mode 1005), when all of it has come. */
static void test_mouse_far(void **state)
{
	static const char utf8[] = "\033[M \302\261\302\261k", plain[] = "\033[M \xb1\x31k";
	char got[128] = "";
	struct input input;

	(void)state;
	input_init(&input, true);
	input_feed(&input, utf8, sizeof(utf8) - 1);
	input_feed(&input, plain, sizeof(plain) - 1);
	collect(&input, got, sizeof(got));
	assert_string_equal(got, "<left 144,144> k <left 144,16> k");
}

static void test_escape_alone(void **state)
{
	struct input input;
	struct key key;
	char got[128] = "";

	(void)state;
	input_init(&input, true);
	assert_false(input_waits(&input));
	assert_false(input_expire(&input, &key));
	input_feed(&input, "\033", 1);
	assert_false(input_next(&input, &key));
	assert_true(input_waits(&input));
	assert_true(input_expire(&input, &key));
	assert_int_equal(key.code, KEYC_ESC);
	assert_false(input_waits(&input));
	/* the rest of a mouse report that comes too late is still no key */
	input_feed(&input, "[<0;2;3Mk", 9);
	collect(&input, got, sizeof(got));
	assert_string_equal(got, "<left 1,2> k");
	/* but a typed bracket is one */
	got[0] = '\0';
	input_feed(&input, "\033", 1);
	assert_true(input_expire(&input, &key));
	input_feed(&input, "[", 1);
	collect(&input, got, sizeof(got));
	assert_string_equal(got, "[");
	got[0] = '\0';
	input_feed(&input, "\033O", 2);
	collect(&input, got, sizeof(got));
	assert_true(input_waits(&input));
	assert_true(input_expire(&input, &key));
	assert_int_equal(key.code, KEYC_ESC);
	collect(&input, got, sizeof(got));
	assert_string_equal(got, "O");
	/* a report that stops in the middle waits without giving anything out */
	input_feed(&input, "\033[<0;1", 6);
	assert_false(input_next(&input, &key));
	assert_false(input_waits(&input));
}

static void test_paste(void **state)
{
	struct input input;
	char got[256] = "";

	(void)state;
	EXPECT("\033[200~q\003\r\n\t\033[Aö\033[201~q", "paste:q paste:[ paste:A paste:ö q");
	EXPECT("\033[200~\033[201\033[201~x", "paste:[ paste:2 paste:0 paste:1 x");
	/* mouse reports within are text, but no clicks */
	EXPECT("\033[200~\033[<0;1;1M\033[201~x",
		"paste:[ paste:< paste:0 paste:; paste:1 paste:; paste:1 paste:M x");
	input_init(&input, true);
	input_feed(&input, "\033[200~a", 7);
	collect(&input, got, sizeof(got));
	input_end_paste(&input);
	input_feed(&input, "b", 1);
	collect(&input, got, sizeof(got));
	assert_string_equal(got, "paste:a b");
}

static void test_terminfo(void **state)
{
	struct input input;
	char got[64] = "";

	(void)state;
	input_init(&input, true);
	input_add_sequence(&input, "\033[214z", KEYC_HOME); /* Sun */
	input_add_sequence(&input, "k", KEYC_UP);           /* too short to be taken */
	input_add_sequence(&input, "\033OP", KEYC_F1 + 4);
	input_feed(&input, "\033[214zk\033OP", 10);
	collect(&input, got, sizeof(got));
	assert_string_equal(got, "Home k F5");
	for (int i = 0; i < 200; i++)
		input_add_sequence(&input, "\033[x", KEYC_UP);
	assert_true(input.sequence_count <= INPUT_SEQUENCES);
}

static void test_double_click(void **state)
{
	static const struct {
		uint64_t at_ms;
		int x;
		enum mouse_button wanted;
	} clicks[] = {{1, 5, MOUSE_LEFT}, {200, 5, MOUSE_DOUBLE}, {300, 5, MOUSE_LEFT},
		{350, 6, MOUSE_LEFT}, {900, 6, MOUSE_LEFT}, {1000, 6, MOUSE_DOUBLE}};
	struct input input;

	(void)state;
	input_init(&input, true);
	for (size_t i = 0; i < sizeof(clicks) / sizeof(clicks[0]); i++) {
		struct key key = {
			.code = KEYC_MOUSE, .button = MOUSE_LEFT, .x = clicks[i].x, .y = 2};

		input_note_click(&input, &key, clicks[i].at_ms * 1000000);
		assert_int_equal(key.button, clicks[i].wanted);
	}
}

/* Random mouse reports of all protocols in random pieces: 'q' never comes out, wherever it stands. */
static void test_random_mouse(void **state)
{
	struct input input;
	struct rng rng;
	struct key key;
	size_t events = 0;

	(void)state;
	rng_seed(&rng, 11, 0);
	input_init(&input, true);
	for (int i = 0; i < 20000; i++) {
		char bytes[64];
		int x = 1 + (int)rng_below(&rng, 220), y = 1 + (int)rng_below(&rng, 90);
		int buttons = (int)rng_below(&rng, 128), n = 0;

		switch (rng_below(&rng, 4)) {
		case 0:
			n = snprintf(bytes, sizeof(bytes), "\033[<%d;%d;%dM", buttons, x, y);
			break;
		case 1:
			n = snprintf(bytes, sizeof(bytes), "\033[<%d;%d;%dm", buttons, x, y);
			break;
		case 2:
			n = snprintf(bytes, sizeof(bytes), "\033[%d;%d;%dM", buttons + 32, x, y);
			break;
		default:
			n = snprintf(bytes, sizeof(bytes), "\033[M%c%c%c", 32 + buttons % 96,
				32 + (x - 1) % 94, 32 + (y - 1) % 94);
			break;
		}
		for (int at = 0; at < n;) {
			int piece = 1 + (int)rng_below(&rng, (uint64_t)(n - at));

			input_feed(&input, bytes + at, (size_t)piece);
			at += piece;
			while (input_next(&input, &key)) {
				assert_int_equal(key.code, KEYC_MOUSE);
				events++;
			}
		}
	}
	assert_true(events > 1000);
}

static void test_random_bytes(void **state)
{
	struct input input;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 5, 0);
	for (int round = 0; round < 300; round++) {
		input_init(&input, round % 2);
		for (int i = 0; i < 200; i++) {
			unsigned char bytes[64];
			size_t n = 1 + rng_below(&rng, sizeof(bytes));
			struct key key;

			for (size_t k = 0; k < n; k++)
				bytes[k] = rng_below(&rng, 3)
					? (unsigned char)"\033[<;~M0159O"[rng_below(&rng, 11)]
					: (unsigned char)rng_below(&rng, 256);
			input_feed(&input, bytes, n);
			while (input_next(&input, &key)) {
				assert_int_not_equal(key.code, KEY_NONE);
				assert_true(key.code >= ' ' && key.code != 0x7f);
			}
			/* it never gets stuck with a full buffer */
			assert_true(input_room(&input) > 0);
			if (rng_below(&rng, 4) == 0)
				input_expire(&input, &key);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_utf8),
		cmocka_unit_test(test_unknown_sequences),
		cmocka_unit_test(test_mouse),
		cmocka_unit_test(test_mouse_far),
		cmocka_unit_test(test_escape_alone),
		cmocka_unit_test(test_paste),
		cmocka_unit_test(test_terminfo),
		cmocka_unit_test(test_double_click),
		cmocka_unit_test(test_random_mouse),
		cmocka_unit_test(test_random_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
