/* Prints the screen that a terminal of COLUMNS x ROWS shows after the bytes on standard input. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vterm.h>

static void put_utf8(uint32_t code)
{
	if (code < 0x80) {
		putchar((int)code);
	} else if (code < 0x800) {
		putchar((int)(0xc0 | code >> 6));
		putchar((int)(0x80 | (code & 0x3f)));
	} else if (code < 0x10000) {
		putchar((int)(0xe0 | code >> 12));
		putchar((int)(0x80 | (code >> 6 & 0x3f)));
		putchar((int)(0x80 | (code & 0x3f)));
	} else {
		putchar((int)(0xf0 | code >> 18));
		putchar((int)(0x80 | (code >> 12 & 0x3f)));
		putchar((int)(0x80 | (code >> 6 & 0x3f)));
		putchar((int)(0x80 | (code & 0x3f)));
	}
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: vtdump COLUMNS ROWS <bytes\n");
		return 2;
	}
	const int columns = atoi(argv[1]), rows = atoi(argv[2]);
	VTerm *vt = vterm_new(rows, columns);
	char buf[65536];
	size_t got;

	vterm_set_utf8(vt, 1);
	VTermScreen *screen = vterm_obtain_screen(vt);
	vterm_screen_enable_altscreen(screen, 1);
	vterm_screen_reset(screen, 1);
	while ((got = fread(buf, 1, sizeof(buf), stdin)) > 0)
		vterm_input_write(vt, buf, got);
	for (int y = 0; y < rows; y++) {
		int blanks = 0;
		for (int x = 0; x < columns;) {
			VTermScreenCell cell;
			vterm_screen_get_cell(screen, (VTermPos){.row = y, .col = x}, &cell);
			if (!cell.chars[0] || cell.chars[0] == ' ') {
				blanks++;
			} else {
				for (; blanks > 0; blanks--)
					putchar(' ');
				put_utf8(cell.chars[0]);
			}
			x += cell.width > 0 ? cell.width : 1;
		}
		putchar('\n');
	}
	vterm_free(vt);
	return 0;
}
