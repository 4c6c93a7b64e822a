/* Strings: hostile bytes, malformed UTF-8, widths against the C library's own table. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/str.h"

static void copies_and_appends_are_bounded(void **state)
{
	char buf[8] = "xxxxxxx";

	(void)state;
	assert_int_equal(str_copy(buf, 4, "abcdef"), 6);
	assert_string_equal(buf, "abc");
	assert_int_equal(buf[4], 'x');
	assert_int_equal(str_copy(buf, 0, "zz"), 2);
	assert_string_equal(buf, "abc");
	assert_int_equal(str_format(buf, sizeof(buf), "%s", "123456789"), 7);
	assert_string_equal(buf, "1234567");
	assert_int_equal(str_format(buf, sizeof(buf), "ab%d", 7), 3);
	assert_int_equal(str_append(buf, sizeof(buf), "-%s", "cdefgh"), 7);
	assert_string_equal(buf, "ab7-cde");
	assert_int_equal(str_append(buf, sizeof(buf), "more"), 7);
}

static void trimming_and_searching(void **state)
{
	char a[] = " \t x y \r\n", b[] = "   ", c[] = "";

	(void)state;
	assert_string_equal(str_trim(a), "x y");
	assert_string_equal(str_trim(b), "");
	assert_string_equal(str_trim(c), "");
	assert_true(str_starts_with("nvme0n1", "nvme"));
	assert_false(str_starts_with("nv", "nvme"));
	assert_true(str_ends_with("a.ini", ".ini"));
	assert_false(str_ends_with("ini", ".ini"));
	assert_string_equal(str_find_nocase("Samsung SSD", "ssd"), "SSD");
	assert_null(str_find_nocase("Samsung", "sungx"));
	assert_string_equal(str_find_nocase("abc", ""), "abc");
}

static void drive_bytes_become_printable_ascii(void **state)
{
	static const char serial[20] = "S1\x1b[2J\0\xff"
				       "AB  \0\0 ";
	char out[32], cut[5];

	(void)state;
	str_sanitize(out, sizeof(out), serial, sizeof(serial));
	assert_string_equal(out, "S1?[2J??AB");
	str_sanitize(out, sizeof(out), "    ", 4);
	assert_string_equal(out, "");
	str_sanitize(out, sizeof(out), "", 0);
	assert_string_equal(out, "");
	str_sanitize(cut, sizeof(cut), "ab   cd", 7);
	assert_string_equal(cut, "ab");
	for (int byte = 0; byte < 256; byte++) {
		unsigned char text[2] = {(unsigned char)byte, 'x'};

		str_sanitize(out, sizeof(out), text, 2);
		assert_int_equal(out[0], byte >= 0x20 && byte <= 0x7e ? byte : '?');
	}
}

static void utf8_text_is_kept_and_controls_are_not(void **state)
{
	char out[64], small[6];

	(void)state;
	str_sanitize_utf8(out, sizeof(out), "Größe µs \xe6\x97\xa5");
	assert_string_equal(out, "Größe µs \xe6\x97\xa5");
	/* escape, C1 control, right-to-left override, zero-width space, byte order mark */
	str_sanitize_utf8(out, sizeof(out),
		"a\x1b[0m\xc2\x9b"
		"b\xe2\x80\xae\xe2\x80\x8b\xef\xbb\xbf\n");
	assert_string_equal(out, "a?[0m?b????");
	/* a cut never leaves half a sequence */
	str_sanitize_utf8(small, sizeof(small), "abc\xe6\x97\xa5");
	assert_string_equal(small, "abc");
	str_sanitize_utf8(small, sizeof(small), "ab\xe6\x97\xa5");
	assert_string_equal(small, "ab\xe6\x97\xa5");
}

/* Table 3-7 of the Unicode standard: what is well formed. */
static void malformed_utf8_gives_question_marks(void **state)
{
	static const struct {
		const char *text;
		uint32_t first;
		size_t used;
	} cases[] = {
		{"\x80", '?', 1},
		{"\xc0\xaf", '?', 1}, /* overlong / */
		{"\xc1\xbf", '?', 1}, /* overlong */
		{"\xc2", '?', 1},     /* cut short */
		{"\xc2\x80", 0x80, 2},
		{"\xe0\x9f\xbf", '?', 1}, /* overlong */
		{"\xe0\xa0\x80", 0x800, 3},
		{"\xed\xa0\x80", '?', 1}, /* surrogate */
		{"\xed\x9f\xbf", 0xd7ff, 3},
		{"\xf0\x8f\xbf\xbf", '?', 1}, /* overlong */
		{"\xf0\x90\x80\x80", 0x10000, 4},
		{"\xf4\x8f\xbf\xbf", 0x10ffff, 4},
		{"\xf4\x90\x80\x80", '?', 1}, /* beyond the last */
		{"\xf5\x80\x80\x80", '?', 1},
		{"\xff", '?', 1},
		{"\xe6\x97", '?', 1}, /* cut short */
		{"\xe6\x97z", '?', 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *at = cases[i].text;

		assert_int_equal(str_utf8_next(&at), cases[i].first);
		assert_int_equal(at - cases[i].text, cases[i].used);
	}
}

static void every_code_point_survives_encoding(void **state)
{
	(void)state;
	for (uint32_t c = 1; c <= 0x10ffff; c++) {
		char put[5];
		const char *at = put;
		size_t length = str_utf8_put(put, c);

		if (c >= 0xd800 && c <= 0xdfff) {
			assert_string_equal(put, "?");
			continue;
		}
		if (str_utf8_next(&at) != c || (size_t)(at - put) != length)
			fail_msg("code point %x", c);
	}
}

static void random_bytes_end_and_stay_clean(void **state)
{
	struct rng rng;

	(void)state;
	rng_seed(&rng, 1, 0);
	for (int round = 0; round < 20000; round++) {
		char text[24], out[16], again[16];
		size_t n = rng_below(&rng, sizeof(text));

		for (size_t i = 0; i < n; i++)
			text[i] = (char)(1 + rng_below(&rng, 255));
		text[n] = '\0';
		str_sanitize_utf8(out, sizeof(out), text);
		assert_true(strlen(out) < sizeof(out));
		for (const char *at = out; *at; at++)
			assert_true((unsigned char)*at >= 0x20 && *at != 0x7f);
		str_sanitize_utf8(again, sizeof(again), out);
		assert_string_equal(again, out);
	}
}

static void widths_of_known_texts(void **state)
{
	(void)state;
	assert_int_equal(str_width(""), 0);
	assert_int_equal(str_width("abc µ"), 5);
	assert_int_equal(str_width("\xe6\x97\xa5\xe6\x9c\xac"), 4); /* two ideographs */
	assert_int_equal(str_width("e\xcc\x81"), 1);                /* e and an accent */
	assert_int_equal(str_width("\xe2\x96\x83\xe2\x96\x88"), 2); /* block elements */
	assert_int_equal(str_width("\xf0\x9f\x98\x80"), 2);         /* a face */
	assert_int_equal(str_width("\xff\xfe"), 2);                 /* shown as ?? */
	assert_int_equal(str_code_point_width(0x7f), 0);
	assert_int_equal(str_code_point_width(0x2500), 1);
}

/* The C library has its own table. It knows another Unicode version and other opinions on format
 * characters and jamo, so the comparison is over the letters, signs and blocks that both know. */
static void widths_agree_with_the_c_library(void **state)
{
	static const struct {
		uint32_t first, last;
	} blocks[] = {{0x20, 0x7e}, {0xa1, 0xac}, {0xae, 0x377}, {0x400, 0x52f}, {0x2010, 0x2027},
		{0x2190, 0x21ff}, {0x2500, 0x25fc}, {0x2800, 0x28ff}, {0x3041, 0x3096},
		{0x4e00, 0x9fff}, {0xac00, 0xd7a3}, {0xff01, 0xff60}};
	locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0), old;

	(void)state;
	if (!utf8) {
		print_message("skipped: the C library has no C.UTF-8 locale\n");
		skip();
	}
	old = uselocale(utf8);
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		for (uint32_t c = blocks[i].first; c <= blocks[i].last; c++) {
			int theirs = wcwidth((wchar_t)c);

			if (theirs >= 0 && theirs != str_code_point_width(c))
				fail_msg("U+%04X: %d, C library %d", c, str_code_point_width(c),
					theirs);
		}
	}
	uselocale(old);
	freelocale(utf8);
}

static void nearest_words(void **state)
{
	static const char *const words[] = {
		"rand-read-4k", "seq-read-128k", "mix-8k-70r", "depth", NULL, "unreached"};

	(void)state;
	assert_string_equal(str_nearest("rand-raed-4k", words, 6), "rand-read-4k");
	assert_string_equal(str_nearest("RAND-READ-4K", words, 6), "rand-read-4k");
	assert_string_equal(str_nearest("deph", words, 6), "depth");
	assert_null(str_nearest("xyz", words, 6));
	assert_null(str_nearest("unreached", words, 6));
	assert_null(str_nearest("", words, 6));
	assert_null(str_nearest("z", (const char *const[]){"a"}, 1));
	assert_null(str_nearest("abcdef", (const char *const[]){"abzzzf"}, 1));
}

static int sign(int value)
{
	return (value > 0) - (value < 0);
}

static void natural_order(void **state)
{
	static const char *const sorted[] = {"", "nvme", "nvme0", "nvme0n1", "nvme1", "nvme2n1",
		"nvme2n1p2", "nvme2n1p10", "nvme10n1", "nvme99999999999999999999",
		"nvme100000000000000000000", "sda"};
	const size_t count = sizeof(sorted) / sizeof(sorted[0]);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < count; j++)
			assert_int_equal(
				sign(str_compare_natural(sorted[i], sorted[j])), (i > j) - (i < j));
	}
	/* leading zeros: equal numbers, still not the same name */
	assert_true(str_compare_natural("a01", "a1") != 0);
	assert_int_equal(
		sign(str_compare_natural("a01", "a1")), -sign(str_compare_natural("a1", "a01")));
	assert_true(str_compare_natural("a01b", "a1c") < 0);
}

static void text_for_manuals(void **state)
{
	struct strbuf out = {0};

	(void)state;
	strbuf_add_roff(&out, ".a-b\\c");
	strbuf_add_roff(&out, "'x.y");
	assert_string_equal(out.text, "\\&.a\\-b\\ec\\&'x.y");
	strbuf_free(&out);
}

static void growing_text(void **state)
{
	struct strbuf buf = {0};
	char expected[4001] = "";

	(void)state;
	strbuf_add(&buf, "");
	assert_string_equal(buf.text, "");
	for (int i = 0; i < 1000; i++) {
		strbuf_addf(&buf, "%03d", i);
		strbuf_add_bytes(&buf, ",", 1);
		expected[4 * i] = (char)('0' + i / 100);
		expected[4 * i + 1] = (char)('0' + i / 10 % 10);
		expected[4 * i + 2] = (char)('0' + i % 10);
		expected[4 * i + 3] = ',';
	}
	assert_int_equal(buf.length, 4000);
	assert_string_equal(buf.text, expected);
	strbuf_free(&buf);
	assert_null(buf.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_and_appends_are_bounded),
		cmocka_unit_test(trimming_and_searching),
		cmocka_unit_test(drive_bytes_become_printable_ascii),
		cmocka_unit_test(utf8_text_is_kept_and_controls_are_not),
		cmocka_unit_test(malformed_utf8_gives_question_marks),
		cmocka_unit_test(every_code_point_survives_encoding),
		cmocka_unit_test(random_bytes_end_and_stay_clean),
		cmocka_unit_test(widths_of_known_texts),
		cmocka_unit_test(widths_agree_with_the_c_library),
		cmocka_unit_test(nearest_words),
		cmocka_unit_test(natural_order),
		cmocka_unit_test(text_for_manuals),
		cmocka_unit_test(growing_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
