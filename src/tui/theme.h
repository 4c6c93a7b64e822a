/* Roles to colours and attributes, from themes/NAME.ini: 256 colours, 16, 8 and mono (DESIGN 2).
 * "auto": dark, or mono without colour, or when NO_COLOR is set. */
#ifndef TUI_THEME_H
#define TUI_THEME_H

#include <stdbool.h>

#include "base/err.h"
#include "tui/canvas.h"

struct theme_style {
	int foreground, background; /* -1 default, 0..255 */
	bool bold, underline, reverse, dim;
};
struct theme {
	char name[64];
	struct theme_style styles[ROLE_COUNT];
	struct theme_style selected; /* added on top */
};

/* colors: what the terminal has (0 mono, 8, 16, 256...). Unknown key or colour: file and line. */
int theme_load(const char *name, int colors, struct theme *out, struct err *err);
const char *theme_role_name(enum role role);
/* What the text of a role looks like where it is selected. */
struct theme_style theme_selected_style(const struct theme *theme, enum role role);
/* 0xRRGGBB of one of the 256 colours, for terminals with direct colour. */
int theme_color_rgb(int color);

#endif
