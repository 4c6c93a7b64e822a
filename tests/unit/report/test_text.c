/* Plain text of drives: exact lines at 80 columns, widths, character sets, hostile strings. */
#include "fleet.h"

#include <errno.h>
#include <locale.h>
#include <unistd.h>

#include "base/json.h"
#include "report/drive_json.h"
#include "report/text.h"

static const char *const names[] = {"nvme0", "nvme1", "nvme2", "nvme3", "nvme4", "nvme0n5"};

/* Everything there is, in one text. */
static void render(const struct inventory *inventory, bool ascii, int width, struct strbuf *out)
{
	const struct text_style style = {ascii, width};
	enum health_verdict worst;

	text_list(inventory, &style, out);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(text_show(inventory, names[i], NULL, &style, out, NULL), 0);
	assert_int_equal(text_health(inventory, NULL, 0, &style, out, &worst, NULL), 0);
	assert_int_equal(worst, HEALTH_WARNING);
}

static void list_at_80(void **state)
{
	static const char expected[] =
		"DEVICE        MODEL            SIZE  USED HEALTH TEMP WEAR LINK    NOTE\n"
		"nvme0         FAKE DC 7680  7.68 TB       good   41 C  3 % 4.0 x4\n"
		"  nvme0n1     512 B         7.68 TB  25 %\n"
		"  nvme0n5     512 B         9.44 ZB  <1 %\n"
		"nvme1         FAKE DC 3840  7.68 TB       WARN   71 C 98 % 3.0 x2!\n"
		"  nvme1n1     4 KiB + 8 B   3.84 TB 100 %\n"
		"nvme2         A?B?C?D?E?31~ 7.68 TB       -         -    - -\n"
		"nvme3         FAKE 1T                     -         -    - -\n"
		"  nvme3n1     512 B         1.00 TB     -\n"
		"nvme4         FAKE FABRIC   7.68 TB       good   30 C  0 % tcp\n"
		"  nvme4n1     4 KiB         2.00 TB   0 %\n"
		"    nvme4c4n1 optimized                                            via nvme4\n"
		"    nvme4c5n1 inaccessible                                         via nvme5, c~\n"
		"nvme5         FAKE FABRIC   7.68 TB       WARN   30 C  0 % tcp     SIMULATED, c~\n"
		"\n"
		"Other block devices\n"
		"DEVICE     SIZE BLOCK KIND NOTE\n"
		"sda    500.1 GB 512 B usb  USB bridge - NVMe commands not available\n"
		"loop3   1.07 GB 4 KiB      /srv/im?ge?[31m.img\n"
		"\n"
		"nvme1 WARN  FAKE DC 3840\n"
		"  98 % of the rated endurance is used - plan its replacement\n";
	struct fleet *f = *state;
	struct strbuf out = {0};
	const struct text_style style = {true, 80};

	text_list(&f->inventory, &style, &out);
	if (strncmp(out.text, expected, strlen(expected)) != 0)
		fail_msg("the list is\n%s", out.text);
	strbuf_free(&out);
}

static void check_lines(const char *text, int width, bool ascii)
{
	char line[4096];

	for (const char *at = text; *at != '\0';) {
		const size_t length = strcspn(at, "\n");

		assert_true(length < sizeof(line));
		memcpy(line, at, length);
		line[length] = '\0';
		if (width > 0 && str_width(line) > width)
			fail_msg("wider than %d: %s", width, line);
		if (length > 0 && line[length - 1] == ' ')
			fail_msg("ends with a space: %s", line);
		for (size_t i = 0; i < length; i++) {
			const unsigned char c = (unsigned char)line[i];

			if (c < 0x20 || c == 0x7f || (ascii && c > 0x7e))
				fail_msg("byte 0x%02x in: %s", c, line);
		}
		at += length + (at[length] == '\n' ? 1 : 0);
	}
}

/* No line is wider than the terminal from 78 columns on (the largest counter there is takes that);
 * none ever carries a control byte. */
static void widths(void **state)
{
	struct fleet *f = *state;

	for (int width = 0; width <= 220; width += width < 40 || width > 100 ? 7 : 1) {
		for (int ascii = 0; ascii < 2; ascii++) {
			struct strbuf out = {0};

			render(&f->inventory, ascii != 0, width, &out);
			check_lines(out.text, width >= 78 ? width : 0, ascii != 0);
			strbuf_free(&out);
		}
	}
}

static bool has(const struct strbuf *out, const char *text)
{
	return strstr(out->text, text) != NULL;
}

static void show(void **state)
{
	struct fleet *f = *state;
	struct strbuf out = {0};
	const struct text_style utf8 = {false, 0};

	assert_int_equal(text_show(&f->inventory, "nvme0", NULL, &utf8, &out, NULL), 0);
	assert_true(has(&out,
		"Composite temperature   41 \u00b0C; warning from 70 \u00b0C, critical from 80 \u00b0C\n"));
	assert_true(has(&out, "Temperature sensor 3    -13 \u00b0C\n"));
	assert_true(has(&out,
		"Data written            16.58 PB (32,381,395,004 units of 512,000 bytes)\n"));
	assert_true(has(&out, "Data read               -\n"));
	assert_true(has(&out, "340,282,366,920,938,463,463,374,607,431,768,211,455\n"));
	assert_true(has(&out, "Power-on hours          31,204 h, 3.5 years\n"));
	assert_true(has(&out, "Throttled lightly       14 times, 82 s in all\n"));
	assert_true(
		has(&out, "Power state 1           12.57 W, enter 70 \u00b5s, leave 90 \u00b5s\n"));
	assert_true(has(&out, "Largest transfer        2 MiB, with pages of 4 KiB\n"));
	assert_true(has(&out, "7.68 TB / 6.99 TiB\n"));
	assert_true(has(&out, "NVMe version            1.4\n"));
	assert_true(has(&out, "nvme0n1\n"));
	strbuf_free(&out);
	assert_int_equal(text_show(&f->inventory, "nvme1", NULL, &utf8, &out, NULL), 0);
	assert_true(has(&out, "since then: no answer for 12 s\n"));
	assert_true(
		has(&out, "PCIe link               3.0 x2 now, the drive can 4.0 x4 - NARROWED\n"));
	assert_true(has(&out, "Critical warning        temperature (0x02)\n"));
	strbuf_free(&out);
	assert_int_equal(text_show(&f->inventory, "nvme3", NULL, &utf8, &out, NULL), 0);
	assert_true(has(&out, "Serial                  (none)\n"));
	assert_true(has(&out, "Not read                needs root\n"));
	strbuf_free(&out);
	assert_int_equal(text_show(&f->inventory, "nvme4n1", "namespaces", &utf8, &out, NULL), 0);
	assert_true(has(&out, "nvme4c5n1 by nvme5, inaccessible, connecting\n"));
	assert_false(has(&out, "Composite"));
	strbuf_free(&out);
}

static void health(void **state)
{
	struct fleet *f = *state;
	const struct text_style style = {true, 80};
	const char *const one[] = {"nvme3"}, *const wrong[] = {"nvme33"};
	enum health_verdict worst;
	struct strbuf out = {0};
	struct err err = {0};

	assert_int_equal(text_health(&f->inventory, one, 1, &style, &out, &worst, &err), 0);
	assert_int_equal(worst, HEALTH_UNKNOWN);
	assert_string_equal(
		out.text, "nvme3 unknown  FAKE 1T\n  SMART could not be read: needs root\n");
	strbuf_free(&out);
	assert_int_equal(text_health(&f->inventory, wrong, 1, &style, &out, &worst, &err), -ENODEV);
	assert_int_equal(err.exit, ERR_EXIT_USAGE);
	assert_int_equal(text_health(&f->inventory, wrong, 1, &style, &out, NULL, NULL), -ENODEV);
	f->inventory.controller_count = f->inventory.namespace_count = 0;
	assert_int_equal(text_health(&f->inventory, NULL, 0, &style, &out, &worst, &err), 0);
	assert_int_equal(worst, HEALTH_UNKNOWN);
	assert_string_equal(out.text, "no NVMe drives found\n");
	strbuf_free(&out);
}

static void empty(void **state)
{
	struct inventory none = {0};
	const struct text_style style = {true, 80};
	struct strbuf out = {0};

	(void)state;
	str_copy(none.notice, sizeof(none.notice), "no NVMe devices found");
	text_list(&none, &style, &out);
	assert_string_equal(out.text, "no NVMe devices found\n");
	strbuf_free(&out);
}

/* A locale with a comma in numbers, from the system or made for this test. */
static bool comma_locale(char *folder)
{
	static const char *const wanted[] = {"ru_RU.UTF-8", "fr_FR.UTF-8", "de_DE.UTF-8"};
	char command[512];

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (setlocale(LC_ALL, wanted[i]) != NULL)
			return true;
	if (mkdtemp(folder) == NULL)
		return false;
	/* a small character set: a UTF-8 locale takes seconds to make */
	snprintf(command, sizeof(command),
		"localedef -c -i fr_FR -f ISO-8859-1 %s/fr_FR >/dev/null 2>&1", folder);
	if (system(command) < 0 || setenv("LOCPATH", folder, 1) < 0)
		return false;
	return setlocale(LC_ALL, "fr_FR") != NULL;
}

/* With a comma locale in force everything reads as in C. */
static void locale(void **state)
{
	struct fleet *f = *state;
	struct strbuf plain = {0}, local = {0};
	char folder[] = "/tmp/nvsweep-locale-XXXXXX", number[16], command[128];
	char *json_plain, *json_local;
	struct json *document;

	render(&f->inventory, false, 100, &plain);
	assert_int_equal(drive_json_show(&f->inventory, "nvme0", NULL, &document, NULL), 0);
	json_plain = json_text(document, true);
	json_free(document);
	const bool found = comma_locale(folder);
	snprintf(number, sizeof(number), "%.1f", 1.5);
	render(&f->inventory, false, 100, &local);
	assert_int_equal(drive_json_show(&f->inventory, "nvme0", NULL, &document, NULL), 0);
	json_local = json_text(document, true);
	json_free(document);
	setlocale(LC_ALL, "C");
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	if (strchr(folder, 'X') == NULL && system(command) != 0)
		print_message("%s is left behind\n", folder);
	const bool same =
		strcmp(plain.text, local.text) == 0 && strcmp(json_plain, json_local) == 0;
	strbuf_free(&plain);
	strbuf_free(&local);
	free(json_plain);
	free(json_local);
	if (!found) {
		print_message(
			"skipped: no locale with a decimal comma, and localedef cannot make one\n");
		skip();
	}
	assert_string_equal(number, "1,5"); /* the locale was really in force */
	assert_true(same);
}

static int setup(void **state)
{
	struct fleet *f = calloc(1, sizeof(*f));

	fleet_make(f);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

#define with_fleet(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_fleet(list_at_80),
		with_fleet(widths),
		with_fleet(show),
		with_fleet(health),
		cmocka_unit_test(empty),
		with_fleet(locale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
