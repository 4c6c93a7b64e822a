/* Numbers to text and back. All rounding of amounts is done on whole numbers, so that no value is
 * shown off by one digit and no locale can change the decimal point. */
#include "base/units.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/str.h"

#define UNITS_DIGITS 40 /* of 2^128-1, with the NUL */

static const char *const si_prefix[] = {"", "k", "M", "G", "T", "P", "E", "Z", "Y", "R", "Q"};
static const char *const iec_prefix[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi", "Yi"};

char *units_u128_decimal(char *dst, size_t size, u128 value)
{
	char digits[UNITS_DIGITS];
	char *at = digits + sizeof(digits) - 1;

	*at = '\0';
	do {
		*--at = (char)('0' + (int)(value % 10));
		value /= 10;
	} while (value > 0);
	str_copy(dst, size, at);
	return dst;
}

char *units_grouped(char *dst, size_t size, u128 value)
{
	char digits[UNITS_DIGITS], out[2 * UNITS_DIGITS];
	size_t length, n = 0;

	units_u128_decimal(digits, sizeof(digits), value);
	length = strlen(digits);
	for (size_t i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			out[n++] = ',';
		out[n++] = digits[i];
	}
	out[n] = '\0';
	str_copy(dst, size, out);
	return dst;
}

/* value / unit with `decimals` places, rounded half up, as a whole number of the last place.
 * value is at most unit * 2^20 or so here, so nothing overflows but at the very top, where the
 * caller asks for no decimals. */
static u128 units_round(u128 value, u128 unit, int decimals)
{
	u128 whole = value / unit, rest = value % unit, place = 1;

	for (int i = 0; i < decimals; i++)
		place *= 10;
	/* rest < unit <= 10^30 and place <= 100: fits */
	return whole * place + (rest * place + unit / 2) / unit;
}

static void units_put_places(char *dst, size_t size, u128 scaled, int decimals)
{
	char whole[UNITS_DIGITS];
	unsigned place = decimals == 2 ? 100 : decimals == 1 ? 10 : 1;

	units_u128_decimal(whole, sizeof(whole), scaled / place);
	if (decimals == 0)
		str_format(dst, size, "%s", whole);
	else
		str_format(dst, size, "%s.%0*u", whole, decimals, (unsigned)(scaled % place));
}

/* Two decimals below 100, one from there on: "7.68", "13.61", "500.8". */
static char *units_bytes(
	char *dst, size_t size, u128 bytes, unsigned step, const char *const *prefix, size_t count)
{
	char number[UNITS_DIGITS + 4];
	u128 unit = 1, scaled;
	size_t power = 0;
	int decimals;

	while (power + 1 < count && bytes / unit >= step) {
		unit *= step;
		power++;
	}
	if (power == 0) {
		str_format(dst, size, "%u B", (unsigned)bytes);
		return dst;
	}
	scaled = units_round(bytes, unit, 2);
	decimals = 2;
	if (scaled >= 10000) {
		scaled = units_round(bytes, unit, 1);
		decimals = 1;
	}
	/* rounding may have reached the next prefix */
	if (decimals == 1 && scaled >= (u128)step * 10 && power + 1 < count) {
		scaled = 100;
		decimals = 2;
		power++;
	}
	units_put_places(number, sizeof(number), scaled, decimals);
	str_format(dst, size, "%s %sB", number, prefix[power]);
	return dst;
}

char *units_bytes_si(char *dst, size_t size, u128 bytes)
{
	return units_bytes(
		dst, size, bytes, 1000, si_prefix, sizeof(si_prefix) / sizeof(si_prefix[0]));
}

char *units_bytes_iec(char *dst, size_t size, u128 bytes)
{
	return units_bytes(
		dst, size, bytes, 1024, iec_prefix, sizeof(iec_prefix) / sizeof(iec_prefix[0]));
}

char *units_block_size(char *dst, size_t size, uint64_t bytes)
{
	size_t power = 0;

	while (bytes >= 1024 && bytes % 1024 == 0 && power < 6) {
		bytes /= 1024;
		power++;
	}
	str_format(dst, size, "%llu %sB", (unsigned long long)bytes, iec_prefix[power]);
	return dst;
}

/* Three significant digits of a value in [1, 1000): "1.21", "12.3", "310"; false when rounding
 * reaches 1000. */
static bool units_three_digits(char *dst, size_t size, double value)
{
	int decimals = 2;
	double scaled = round(value * 100);

	if (scaled >= 1000) {
		decimals = 1;
		scaled = round(value * 10);
	}
	if (decimals == 1 && scaled >= 1000) {
		decimals = 0;
		scaled = round(value);
	}
	units_put_places(dst, size, (u128)scaled, decimals);
	return decimals > 0 || scaled < 1000;
}

char *units_si(char *dst, size_t size, double value)
{
	const size_t last = sizeof(si_prefix) / sizeof(si_prefix[0]) - 1;
	const char *sign = value < 0 ? "-" : "";
	char number[UNITS_DIGITS + 4];
	size_t power = 0;

	if (!isfinite(value)) {
		str_copy(dst, size, "-");
		return dst;
	}
	value = fabs(value);
	while (value >= 1000 && power < last) {
		value /= 1000;
		power++;
	}
	if (value >= 1000) {
		/* beyond every prefix: no digits to be trusted */
		str_format(dst, size, "%s>999 %s", sign, si_prefix[last]);
		return dst;
	}
	if (power == 0 && value == floor(value)) {
		str_format(dst, size, "%s%u", sign, (unsigned)value);
		return dst;
	}
	if (!units_three_digits(number, sizeof(number), value) && power < last) {
		str_copy(number, sizeof(number), "1.00");
		power++;
	}
	str_format(dst, size, "%s%s%s%s", sign, number, power ? " " : "", si_prefix[power]);
	return dst;
}

char *units_latency(char *dst, size_t size, double ns, bool ascii)
{
	char number[UNITS_DIGITS + 4];

	if (!isfinite(ns) || ns < 0) {
		str_copy(dst, size, "-");
		return dst;
	}
	/* each bound is where rounding would reach the next form */
	if (ns < 999.5) {
		str_format(dst, size, "%u ns", (unsigned)lround(ns));
		return dst;
	}
	if (ns < 999.5e3) {
		int decimals = ns < 9.95e3 ? 1 : 0;

		units_put_places(number, sizeof(number), (u128)llround(ns / (decimals ? 1e2 : 1e3)),
			decimals);
		str_format(dst, size, "%s %s", number, ascii ? "us" : "\xc2\xb5s");
		return dst;
	}
	if (ns < 999.5e6) {
		units_three_digits(number, sizeof(number), ns / 1e6);
		str_format(dst, size, "%s ms", number);
		return dst;
	}
	if (ns >= 1e27)
		str_copy(number, sizeof(number), ">1e18");
	else
		units_three_digits(number, sizeof(number), ns / 1e9);
	str_format(dst, size, "%s s", number);
	return dst;
}

char *units_clock(char *dst, size_t size, double seconds)
{
	unsigned long long all;
	unsigned s, m, h;

	if (!isfinite(seconds) || seconds < 0 || seconds > 1e15) {
		str_copy(dst, size, "-");
		return dst;
	}
	all = (unsigned long long)seconds;
	s = (unsigned)(all % 60);
	m = (unsigned)(all / 60 % 60);
	h = (unsigned)(all / 3600 % 24);
	if (all >= 86400)
		str_format(dst, size, "%llu d %02u:%02u", all / 86400, h, m);
	else if (h > 0)
		str_format(dst, size, "%u:%02u:%02u", h, m, s);
	else
		str_format(dst, size, "%u:%02u", m, s);
	return dst;
}

char *units_iso_time(char *dst, size_t size, int64_t unix_seconds)
{
	time_t when = (time_t)unix_seconds;
	struct tm tm;

	if (!gmtime_r(&when, &tm) || strftime(dst, size, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
		str_copy(dst, size, "-");
	return dst;
}

char *units_double(char *dst, size_t size, double value)
{
	char text[40];
	char *point;

	/* the fewest digits that read back as the same number */
	for (int digits = 15; digits <= 17; digits++) {
		str_format(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	point = strchr(text, ',');
	if (point)
		*point = '.';
	str_copy(dst, size, text);
	return dst;
}

static int units_refuse(struct err *err, const char *text, const char *example)
{
	return err_set_exit(
		err, ERR_EXIT_USAGE, -EINVAL, "\"%.80s\" is not %s", text ? text : "", example);
}

int units_parse_u128(const char *text, u128 *out, struct err *err)
{
	u128 value = 0;

	if (!text || !*text)
		return units_refuse(err, text, "a whole number, for example 64");
	for (const char *at = text; *at; at++) {
		unsigned digit = (unsigned char)*at - (unsigned)'0';

		if (digit > 9)
			return units_refuse(err, text, "a whole number, for example 64");
		if (value > (~(u128)0 - digit) / 10)
			return units_refuse(err, text, "a number below 2^128");
		value = value * 10 + digit;
	}
	*out = value;
	return 0;
}

int units_parse_u64(const char *text, uint64_t *out, struct err *err)
{
	u128 value;

	if (units_parse_u128(text, &value, NULL) < 0)
		return units_refuse(err, text, "a whole number, for example 64");
	if (value > UINT64_MAX)
		return units_refuse(err, text, "a number up to 18446744073709551615");
	*out = (uint64_t)value;
	return 0;
}

int units_parse_i64(const char *text, int64_t *out, struct err *err)
{
	bool negative = text && text[0] == '-';
	u128 value;

	if (!text || units_parse_u128(text + negative, &value, NULL) < 0)
		return units_refuse(err, text, "a whole number, for example 64");
	if (value > (u128)INT64_MAX + negative)
		return units_refuse(err, text, "a number within 64 bits");
	*out = negative ? (int64_t)(0 - (uint64_t)value) : (int64_t)value;
	return 0;
}

static locale_t units_c_locale;

static void units_make_locale(void)
{
	units_c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static size_t units_skip_digits(const char *text)
{
	return strspn(text, "0123456789");
}

/* [-+]digits[.digits][e[-+]digits]: no hexadecimal, no "inf", no "nan". */
static bool units_is_decimal(const char *text)
{
	size_t whole, part = 0;

	text += *text == '-' || *text == '+';
	whole = units_skip_digits(text);
	text += whole;
	if (*text == '.') {
		part = units_skip_digits(text + 1);
		text += part + 1;
	}
	if (whole + part == 0)
		return false;
	if (*text == 'e' || *text == 'E') {
		size_t power;

		text++;
		text += *text == '-' || *text == '+';
		power = units_skip_digits(text);
		if (power == 0)
			return false;
		text += power;
	}
	return *text == '\0';
}

int units_parse_double(const char *text, double *out, struct err *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	double value;

	if (!text || !units_is_decimal(text))
		return units_refuse(err, text, "a number, for example 1.5");
	pthread_once(&once, units_make_locale);
	value = units_c_locale ? strtod_l(text, NULL, units_c_locale) : strtod(text, NULL);
	if (!isfinite(value))
		return units_refuse(err, text, "a number in range, for example 1.5");
	*out = value;
	return 0;
}

/* The multiplier of a suffix; 0 when there is no such suffix. */
static uint64_t units_suffix(const char *suffix)
{
	static const char letters[] = "kmgtpe";
	uint64_t step = 1024, factor = 1;
	const char *letter;

	if (!*suffix || strcasecmp(suffix, "b") == 0)
		return 1;
	letter = strchr(letters, suffix[0] | 0x20);
	if (!letter)
		return 0;
	if (strcasecmp(suffix + 1, "b") == 0)
		step = 1000;
	else if (suffix[1] && strcasecmp(suffix + 1, "i") != 0 && strcasecmp(suffix + 1, "ib") != 0)
		return 0;
	for (const char *at = letters; at <= letter; at++)
		factor *= step;
	return factor;
}

int units_parse_size(const char *text, uint64_t *bytes, struct err *err)
{
	static const char example[] = "a size, for example 4096, 4k, 64KiB, 1G or 7.68TB";
	u128 value = 0, place = 1, total;
	const char *at = text;
	uint64_t factor;

	if (!text || *at < '0' || *at > '9')
		return units_refuse(err, text, example);
	for (; *at >= '0' && *at <= '9'; at++) {
		value = value * 10 + (unsigned)(*at - '0');
		if (value > UINT64_MAX)
			return units_refuse(err, text, "a size below 16 EiB");
	}
	if (*at == '.') {
		size_t digits = units_skip_digits(++at);

		/* 10^18 of 2^64 still fits 128 bits */
		if (digits == 0 || digits > 18)
			return units_refuse(err, text, example);
		for (size_t i = 0; i < digits; i++, at++) {
			value = value * 10 + (unsigned)(*at - '0');
			place *= 10;
		}
	}
	at += *at == ' ' && at[1];
	factor = units_suffix(at);
	if (factor == 0 || (factor == 1 && place > 1))
		return units_refuse(err, text, example);
	if (value / place > UINT64_MAX / factor)
		return units_refuse(err, text, "a size below 16 EiB");
	/* whole part and fraction apart: the product of all digits may pass 128 bits */
	total = value / place * factor + value % place * factor / place;
	if (total > UINT64_MAX)
		return units_refuse(err, text, "a size below 16 EiB");
	*bytes = (uint64_t)total;
	return 0;
}

int units_parse_bool(const char *text, bool *out, struct err *err)
{
	static const char *const words[] = {"no", "yes", "off", "on", "false", "true", "0", "1"};

	for (size_t i = 0; text && i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcasecmp(text, words[i]) == 0) {
			*out = i % 2 == 1;
			return 0;
		}
	}
	return units_refuse(err, text, "yes or no");
}
