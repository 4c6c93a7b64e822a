/* Theme files to styles, brought down to what the terminal can show. */
#include "tui/theme.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/units.h"
#include "conf/assets.h"

/* clang-format off */
static const char *const theme_roles[ROLE_COUNT] = {
	[ROLE_TEXT] = "text",
	[ROLE_DIM] = "dim",
	[ROLE_TITLE] = "title",
	[ROLE_BAR] = "bar",
	[ROLE_BAR_KEY] = "bar-key",
	[ROLE_HEADER] = "header",
	[ROLE_SELECTED] = "selected",
	[ROLE_LABEL] = "label",
	[ROLE_VALUE] = "value",
	[ROLE_GOOD] = "good",
	[ROLE_WARN] = "warn",
	[ROLE_CRIT] = "crit",
	[ROLE_UNKNOWN] = "unknown",
	[ROLE_BORDER] = "border",
	[ROLE_GRAPH_READ] = "graph-read",
	[ROLE_GRAPH_WRITE] = "graph-write",
	[ROLE_GRAPH_P50] = "graph-p50",
	[ROLE_GRAPH_P99] = "graph-p99",
	[ROLE_GRAPH_P999] = "graph-p999",
	[ROLE_GRAPH_LIMIT] = "graph-limit",
	[ROLE_GRAPH_REFERENCE] = "graph-reference",
	[ROLE_FIELD] = "field",
	[ROLE_FIELD_FOCUS] = "field-focus",
	[ROLE_ERROR] = "error",
	[ROLE_SIMULATED] = "simulated",
};

static const char *const theme_words[] = {
	"default", "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
	"bright-black", "bright-red", "bright-green", "bright-yellow", "bright-blue",
	"bright-magenta", "bright-cyan", "bright-white",
	"on", "bold", "underline", "reverse", "dim", NULL,
};

/* The sixteen colours as xterm draws them; other terminals come near. */
static const unsigned char theme_sixteen[16][3] = {
	{0, 0, 0}, {205, 0, 0}, {0, 205, 0}, {205, 205, 0}, {0, 0, 238}, {205, 0, 205},
	{0, 205, 205}, {229, 229, 229}, {127, 127, 127}, {255, 0, 0}, {0, 255, 0},
	{255, 255, 0}, {92, 92, 255}, {255, 0, 255}, {0, 255, 255}, {255, 255, 255},
};
/* clang-format on */

const char *theme_role_name(enum role role)
{
	return role < ROLE_COUNT ? theme_roles[role] : "";
}

/* Red, green, blue of one of the 256 colours of xterm. */
static void theme_components(int color, int out[3])
{
	static const int steps[6] = {0, 95, 135, 175, 215, 255};

	if (color < 16) {
		for (int i = 0; i < 3; i++)
			out[i] = theme_sixteen[color][i];
	} else if (color < 232) {
		out[0] = steps[(color - 16) / 36];
		out[1] = steps[(color - 16) / 6 % 6];
		out[2] = steps[(color - 16) % 6];
	} else {
		out[0] = out[1] = out[2] = 8 + 10 * (color - 232);
	}
}

int theme_color_rgb(int color)
{
	int rgb[3];

	theme_components(color < 0 || color > 255 ? 0 : color, rgb);
	return rgb[0] << 16 | rgb[1] << 8 | rgb[2];
}

struct theme_style theme_selected_style(const struct theme *theme, enum role role)
{
	struct theme_style style = theme->styles[role < ROLE_COUNT ? role : ROLE_TEXT];
	const struct theme_style *top = &theme->selected;

	if (top->foreground >= 0)
		style.foreground = top->foreground;
	if (top->background >= 0)
		style.background = top->background;
	style.bold = style.bold || top->bold;
	style.underline = style.underline || top->underline;
	style.reverse = style.reverse || top->reverse;
	style.dim = style.dim && top->dim;
	return style;
}

/* The nearest of the colours first..last-1 to a red, green, blue triple. */
static int theme_nearest(const int rgb[3], int first, int last)
{
	int best = first, best_distance = INT_MAX;

	for (int color = first; color < last; color++) {
		int of[3], distance = 0;

		theme_components(color, of);
		/* weights near to how the eye tells colours apart */
		for (int i = 0; i < 3; i++)
			distance += (i == 1                  ? 4
						    : i == 0 ? 3
							     : 2) *
				(of[i] - rgb[i]) * (of[i] - rgb[i]);
		if (distance < best_distance) {
			best = color;
			best_distance = distance;
		}
	}
	return best;
}

/* Brings a colour of 256 down to 16 or 8; *bright: one of the upper eight was meant. */
static int theme_reduce(int color, int colors, bool *bright)
{
	int rgb[3];

	*bright = false;
	if (color < 0 || colors >= 256)
		return color;
	if (color >= 16) {
		theme_components(color, rgb);
		color = theme_nearest(rgb, 0, 16);
	}
	if (colors >= 16 || color < 8)
		return color;
	*bright = true;
	return color - 8;
}

static void theme_reduce_style(struct theme_style *style, int colors)
{
	bool bright_front, bright_back;

	if (colors < 8) {
		/* what stood out by its background does so by reverse */
		style->reverse = style->reverse || style->background >= 0;
		style->foreground = style->background = -1;
		return;
	}
	style->foreground = theme_reduce(style->foreground, colors, &bright_front);
	style->background = theme_reduce(style->background, colors, &bright_back);
	if (bright_front)
		style->bold = true;
	/* two shades that fell onto the same colour would hide the text */
	if (style->foreground >= 0 && style->foreground == style->background)
		style->foreground = style->background == 0 || style->background == 4 ? 7 : 0;
}

/* "#5fd7ff" -> the nearest of 16..255: the first sixteen are what the user made of them. */
static bool theme_parse_hex(const char *word, int *out)
{
	int rgb[3];

	if (strlen(word) != 7 || strspn(word + 1, "0123456789abcdefABCDEF") != 6)
		return false;
	for (int i = 0; i < 3; i++) {
		const char digits[3] = {word[1 + 2 * i], word[2 + 2 * i], '\0'};

		rgb[i] = (int)strtol(digits, NULL, 16);
	}
	*out = theme_nearest(rgb, 16, 256);
	return true;
}

static bool theme_parse_color(const char *word, int *out)
{
	uint64_t number;

	if (word[0] == '#')
		return theme_parse_hex(word, out);
	if (word[0] >= '0' && word[0] <= '9') {
		if (units_parse_u64(word, &number, NULL) < 0 || number > 255)
			return false;
		*out = (int)number;
		return true;
	}
	for (int i = 0; i < 17; i++) {
		if (strcasecmp(word, theme_words[i]) == 0) {
			*out = i - 1;
			return true;
		}
	}
	return false;
}

static bool theme_parse_attribute(const char *word, struct theme_style *style)
{
	if (strcasecmp(word, "bold") == 0)
		style->bold = true;
	else if (strcasecmp(word, "underline") == 0)
		style->underline = true;
	else if (strcasecmp(word, "reverse") == 0)
		style->reverse = true;
	else if (strcasecmp(word, "dim") == 0)
		style->dim = true;
	else
		return false;
	return true;
}

/* "[COLOUR] [on COLOUR] [bold] [underline] [reverse] [dim]"; the word at fault goes to bad. */
static bool theme_parse_style(
	const char *value, struct theme_style *out, char *bad, size_t bad_size)
{
	struct theme_style style = {.foreground = -1, .background = -1};
	bool front = false, back = false, on = false;
	char text[256], *save = NULL;

	str_copy(bad, bad_size, value);
	if (str_copy(text, sizeof(text), value) >= sizeof(text))
		return false;
	for (char *word = strtok_r(text, " \t", &save); word; word = strtok_r(NULL, " \t", &save)) {
		int color;

		str_copy(bad, bad_size, word);
		if (on) {
			if (back || !theme_parse_color(word, &style.background))
				return false;
			back = true;
			on = false;
		} else if (strcasecmp(word, "on") == 0) {
			on = true;
		} else if (theme_parse_attribute(word, &style)) {
			continue;
		} else if (!front && theme_parse_color(word, &color)) {
			style.foreground = color;
			front = true;
		} else {
			return false;
		}
	}
	*out = style;
	return !on;
}

static int theme_set(struct theme *theme, const struct ini *ini, const char *section,
	const char *key, struct err *err)
{
	const char *value = ini_get(ini, section, key), *near;
	struct theme_style *style = NULL;
	int line = ini_line(ini, section, key);
	char bad[256];

	for (int role = 0; role < ROLE_COUNT && !style; role++) {
		if (strcmp(key, theme_roles[role]) == 0)
			style = role == ROLE_SELECTED ? &theme->selected : &theme->styles[role];
	}
	if (!style) {
		near = str_nearest(key, theme_roles, ROLE_COUNT);
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"%s:%d: \"%s\" is no role of a theme%s%s%s", ini_name(ini), line, key,
			near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
	}
	if (!theme_parse_style(value, style, bad, sizeof(bad))) {
		near = str_nearest(bad, theme_words, sizeof(theme_words) / sizeof(theme_words[0]));
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"%s:%d: %s: \"%s\" does not fit%s%s%s; write a colour (a name, 0 to 255, "
			"#rrggbb with the whole value in quotes), \"on\" and a colour, bold, "
			"underline, reverse, dim",
			ini_name(ini), line, key, bad, near ? "; did you mean \"" : "",
			near ? near : "", near ? "\"?" : "");
	}
	return 0;
}

/* Sections in the order in which they override; the later ones are for fewer colours only. */
static const struct {
	const char *name;
	int below; /* used when the terminal has fewer colours than this */
} theme_sections[] = {{"roles", INT_MAX}, {"roles-16", 256}, {"roles-8", 16}, {"roles-mono", 8}};
#define THEME_SECTIONS (sizeof(theme_sections) / sizeof(theme_sections[0]))

static int theme_apply(struct theme *theme, const struct ini *ini, int colors, struct err *err)
{
	/* an unknown section first, so that a slip of the pen is not just ignored */
	for (size_t i = 0; i < ini_section_count(ini); i++) {
		const char *section = ini_section(ini, i), *key = ini_key(ini, section, 0);
		size_t known = 0;

		while (known < THEME_SECTIONS && strcmp(theme_sections[known].name, section) != 0)
			known++;
		if (known == THEME_SECTIONS && key)
			return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
				"%s:%d: a theme has no section [%s]; it has [roles], [roles-16], "
				"[roles-8] and [roles-mono]",
				ini_name(ini), ini_line(ini, section, key), section);
	}
	for (size_t i = 0; i < THEME_SECTIONS; i++) {
		const char *section = theme_sections[i].name;
		struct theme checked = *theme;

		/* faults are told even where the section is not used here */
		for (size_t k = 0; k < ini_key_count(ini, section); k++) {
			int code = theme_set(&checked, ini, section, ini_key(ini, section, k), err);

			if (code < 0)
				return code;
		}
		if (colors < theme_sections[i].below)
			*theme = checked;
	}
	for (int role = 0; role < ROLE_COUNT; role++)
		theme_reduce_style(&theme->styles[role], colors);
	theme_reduce_style(&theme->selected, colors);
	theme->styles[ROLE_SELECTED] = theme->selected;
	return 0;
}

/* COLORFGBG is set by some terminals ("0;15", "0;default;15"): the last number is the background.
 */
static bool theme_background_is_light(void)
{
	const char *value = getenv("COLORFGBG"), *last = value ? strrchr(value, ';') : NULL;

	return last && (strcmp(last, ";7") == 0 || strcmp(last, ";15") == 0);
}

static const char *theme_automatic(int colors)
{
	const char *no_color = getenv("NO_COLOR");

	if (colors < 8 || (no_color && *no_color))
		return "mono";
	return theme_background_is_light() ? "light" : "dark";
}

int theme_load(const char *name, int colors, struct theme *out, struct err *err)
{
	char file[sizeof(out->name) + 16];
	struct theme theme = {.selected = {.foreground = -1, .background = -1, .reverse = true}};
	struct ini *ini = NULL;
	int code;

	if (strcmp(name, "auto") == 0)
		name = theme_automatic(colors);
	if (strcmp(name, "mono") == 0)
		colors = 0;
	for (int role = 0; role < ROLE_COUNT; role++)
		theme.styles[role] = (struct theme_style){.foreground = -1, .background = -1};
	if (str_copy(theme.name, sizeof(theme.name), name) >= sizeof(theme.name))
		return err_set_exit(err, ERR_EXIT_USAGE, -ENAMETOOLONG,
			"the name of the theme is longer than %zu characters",
			sizeof(theme.name) - 1);
	str_format(file, sizeof(file), "themes/%s.ini", name);
	code = assets_read_ini(file, &ini, err);
	if (code == -ENOENT) {
		struct asset_list list = {0};
		char known[256] = "";

		assets_list("themes", &list, NULL);
		for (size_t i = 0; i < list.count; i++)
			str_append(known, sizeof(known), "%s%s", i ? ", " : "", list.names[i]);
		asset_list_free(&list);
		return err_set_exit(err, ERR_EXIT_USAGE, -ENOENT,
			"there is no theme \"%s\"; there are auto, %s", name, known);
	}
	if (code < 0)
		return code;
	code = theme_apply(&theme, ini, colors, err);
	ini_free(ini);
	if (code == 0)
		*out = theme;
	return code;
}
