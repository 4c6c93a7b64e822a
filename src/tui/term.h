/* The terminal: the only file that knows ncurses. Start, resize, suspend, keys, mouse, sending the
 * difference between frames, and leaving it usable on every way out (DESIGN 6). UI thread, except
 * term_restore_bytes. */
#ifndef TUI_TERM_H
#define TUI_TERM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "tui/canvas.h"
#include "tui/keys.h"
#include "tui/theme.h"

struct term;

struct term_config {
	const char *theme; /* "auto" or a name */
	/* "utf-8", "ascii", or "auto": ASCII where the locale is not UTF-8 and on the Linux console */
	const char *charset;
	bool mouse;
};

/* TERM unset, unknown or dumb, or no terminal on stdin/stdout: one sentence (ERR_EXIT_USAGE), no
 * output. Never exits the process. */
int term_open(const struct term_config *config, struct term **out, struct err *err);
void term_close(struct term *term); /* restores everything */
int term_width(const struct term *term);
int term_height(const struct term *term);
bool term_ascii(const struct term *term);
/* Next key; false: none. Waits at most 25 ms, for what may follow an Esc. KEYC_EOF when the terminal
 * is gone. Mouse bytes of any protocol never come out as keys. Ctrl-C, Ctrl-Z and Ctrl-\ raise no
 * signals: the first two are keys. */
bool term_key(struct term *term, struct key *out);
/* Sends what differs from the last frame; not a byte when nothing does. Returns the number of cells
 * that changed, and one for a moved cursor (ncurses chooses the bytes). */
size_t term_show(struct term *term, const struct canvas *canvas);
/* After SIGWINCH: reads the size anew (TIOCGWINSZ, resizeterm). */
void term_resize(struct term *term);
void term_redraw(struct term *term); /* Ctrl-L: forget the last frame */
/* SIGTSTP: hand the terminal back; and take it again. */
void term_suspend(struct term *term);
void term_resume(struct term *term);
int term_set_theme(struct term *term, const char *name, struct err *err);
/* What the guard process writes to the terminal when the child died without restoring it: leaves
 * alternate screen, mouse off, cursor on, attributes off. Taken before the fork from terminfo;
 * "" when TERM is not usable. */
size_t term_restore_bytes(char *buf, size_t size);
/* Colours that TERM has, from terminfo: 0 mono, 8, 16, 256...; -1 when TERM is not usable. Sends
 * nothing; not while a terminal is open. */
int term_colors(void);

#endif
