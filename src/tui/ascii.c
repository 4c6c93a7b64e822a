/* Graphic characters to ASCII: block elements become a ramp from faint to dense, lines keep their
 * direction. */
#include "tui/ascii.h"

#include <stddef.h>

struct ascii_pair {
	uint32_t code_point;
	char ascii;
};

/* clang-format off */
static const struct ascii_pair ascii_pairs[] = {
	{U'\u00a0', ' '}, {U'°', ' '}, {U'±', '~'}, {U'²', '2'}, {U'³', '3'}, {U'µ', 'u'}, {U'·', '-'},
	{U'×', 'x'}, {U'÷', '/'}, {U'μ', 'u'},
	{U'‐', '-'}, {U'‑', '-'}, {U'–', '-'}, {U'—', '-'}, {U'‘', '\''}, {U'’', '\''}, {U'“', '"'},
	{U'”', '"'}, {U'•', '*'}, {U'…', '~'}, {U'‹', '<'}, {U'›', '>'},
	{U'←', '<'}, {U'↑', '^'}, {U'→', '>'}, {U'↓', 'v'}, {U'↔', '-'}, {U'↕', '|'},
	{U'⇄', '='}, {U'−', '-'}, {U'≈', '~'}, {U'≤', '<'}, {U'≥', '>'}, {U'∞', '*'},
	{U'▁', '_'}, {U'▂', '.'}, {U'▃', ':'}, {U'▄', '-'}, {U'▅', '='}, {U'▆', '+'}, {U'▇', '*'},
	{U'█', '#'}, {U'▉', '#'}, {U'▊', '#'}, {U'▋', '='}, {U'▌', '='}, {U'▍', '-'}, {U'▎', '.'},
	{U'▏', '.'}, {U'▐', '#'}, {U'░', '.'}, {U'▒', ':'}, {U'▓', '*'}, {U'▔', '"'},
	{U'■', '#'}, {U'□', '.'}, {U'▪', '*'}, {U'▫', '.'}, {U'▲', '^'}, {U'△', '^'}, {U'▴', '^'},
	{U'▶', '>'}, {U'▷', '>'}, {U'▸', '>'}, {U'▹', '>'}, {U'▼', 'v'}, {U'▽', 'v'}, {U'▾', 'v'},
	{U'◀', '<'}, {U'◁', '<'}, {U'◂', '<'}, {U'◆', '*'}, {U'◇', 'o'}, {U'○', '.'}, {U'●', 'o'},
	{U'✓', '+'}, {U'✔', '+'}, {U'✗', 'x'}, {U'✘', 'x'}, {U'⚠', '!'},
};
/* clang-format on */

static char ascii_of_line(uint32_t c)
{
	switch (c) {
	case 0x2500:
	case 0x2501:
	case 0x2504:
	case 0x2505:
	case 0x2508:
	case 0x2509:
	case 0x254c:
	case 0x254d:
	case 0x2550:
	case 0x2574:
	case 0x2576:
	case 0x2578:
	case 0x257a:
	case 0x257c:
	case 0x257e:
		return '-';
	case 0x2502:
	case 0x2503:
	case 0x2506:
	case 0x2507:
	case 0x250a:
	case 0x250b:
	case 0x254e:
	case 0x254f:
	case 0x2551:
	case 0x2575:
	case 0x2577:
	case 0x2579:
	case 0x257b:
	case 0x257d:
	case 0x257f:
		return '|';
	case 0x2571:
		return '/';
	case 0x2572:
		return '\\';
	case 0x2573:
		return 'x';
	default:
		/* ├ ┤ and their heavy forms are axes: a column of them is a line */
		return c >= 0x251c && c <= 0x252b ? '|' : '+';
	}
}

char ascii_of(uint32_t c)
{
	if (c >= 0x20 && c < 0x7f)
		return (char)c;
	if (c >= 0x2500 && c <= 0x257f)
		return ascii_of_line(c);
	if (c >= 0x2596 && c <= 0x259f) /* quadrants */
		return '#';
	if (c >= 0x2800 && c <= 0x28ff) /* braille: by the number of dots */
		return " .:-=+*##"[__builtin_popcount(c & 0xff)];
	for (size_t i = 0; i < sizeof(ascii_pairs) / sizeof(ascii_pairs[0]); i++)
		if (ascii_pairs[i].code_point == c)
			return ascii_pairs[i].ascii;
	return '?';
}
