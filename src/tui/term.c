/* The terminal through ncurses: the one file that includes it. Keys are decoded by tui/input from
 * the bytes, so that no protocol of the mouse can be mistaken for keys; ncurses paints. */
#include "tui/term.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
/* its struct term is not ours */
#define term ncurses_term
#include <curses.h>
#include <term.h>
#undef term

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tui/frame.h"
#include "tui/input.h"

#define TERM_ESCAPE_MS 25
/* a paste that has been silent for so long has lost its end */
#define TERM_PASTE_NS 2000000000ull

/* Presses and the wheel, in SGR form where the terminal knows it; and marked pastes. */
#define TERM_MOUSE_ON "\033[?1000h\033[?1006h"
#define TERM_MOUSE_OFF "\033[?1006l\033[?1015l\033[?1005l\033[?1003l\033[?1002l\033[?1000l"
#define TERM_PASTE_ON "\033[?2004h"
#define TERM_PASTE_OFF "\033[?2004l"

struct term_look {
	attr_t attributes;
	int pair;
};

struct term {
	SCREEN *screen;
	FILE *out;
	struct frame frame;
	int width, height;
	bool ascii, mouse, paste, direct_color, default_colors;
	int colors;
	locale_t locale, old_locale;
	struct theme theme;
	struct term_look looks[ROLE_COUNT][2]; /* [role][selected] */
	struct canvas *last;
	bool fresh; /* the terminal shows nothing of ours yet */
	struct input input;
	char show_cursor[64];
	bool eof;
	uint64_t last_input_ns;
};

/* ---- what kind of terminal ------------------------------------------------------------------- */

static int term_check(struct err *err)
{
	const char *name = getenv("TERM");
	int found;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set_exit(err, ERR_EXIT_USAGE, -ENOTTY,
			"standard %s is not a terminal; without one use a subcommand such as "
			"\"nvsweep list\" (see nvsweep --help)",
			isatty(STDIN_FILENO) ? "output" : "input");
	if (!name || !*name)
		return err_set_exit(err, ERR_EXIT_USAGE, -ENOTTY,
			"TERM is not set; set it to the kind of your terminal, such as "
			"TERM=xterm-256color");
	if (strcmp(name, "dumb") == 0 || strcmp(name, "unknown") == 0)
		return err_set_exit(err, ERR_EXIT_USAGE, -ENOTTY,
			"TERM=%s cannot show a screen; set it to the kind of your terminal, such "
			"as TERM=xterm-256color, or use a subcommand such as \"nvsweep list\"",
			name);
	if (setupterm(NULL, STDOUT_FILENO, &found) == OK)
		return 0;
	return err_set_exit(err, ERR_EXIT_USAGE, -ENOTTY,
		found < 0 ? "there is no terminfo database for TERM=%.60s; install ncurses-base"
			  : "TERM=%.60s is not known here; set TERM=xterm-256color or the like, or "
			    "install ncurses-term",
		name);
}

static const char *term_string(const char *name)
{
	const char *value = tigetstr(name);

	return value == (const char *)-1 ? NULL : value;
}

int term_colors(void)
{
	TERMINAL *old = cur_term;
	int found, colors = -1;

	if (getenv("TERM") && setupterm(NULL, STDOUT_FILENO, &found) == OK) {
		colors = tigetnum("colors");
		colors = colors < 0 ? 0 : colors;
		del_curterm(cur_term);
	}
	set_curterm(old);
	return colors;
}

/* Appends a terminfo string without its padding ("$<5>"). */
static void term_append(char *buf, size_t size, const char *bytes)
{
	size_t length = strlen(buf);

	while (bytes && *bytes && length + 1 < size) {
		const char *end = bytes[0] == '$' && bytes[1] == '<' ? strchr(bytes, '>') : NULL;

		if (end) {
			bytes = end + 1;
			continue;
		}
		buf[length++] = *bytes++;
	}
	buf[length] = '\0';
}

size_t term_restore_bytes(char *buf, size_t size)
{
	TERMINAL *old = cur_term;
	int found;

	if (size == 0)
		return 0;
	buf[0] = '\0';
	if (getenv("TERM") && setupterm(NULL, STDOUT_FILENO, &found) == OK) {
		if (term_string("cup")) {
			if (term_string("kmous"))
				term_append(buf, size, TERM_MOUSE_OFF TERM_PASTE_OFF);
			term_append(buf, size, term_string("sgr0"));
			term_append(buf, size, term_string("rmkx"));
			term_append(buf, size, term_string("rmcup"));
			/* last: some terminals keep the cursor's visibility with the screen */
			term_append(buf, size, term_string("cnorm"));
		}
		del_curterm(cur_term);
	}
	set_curterm(old);
	return strlen(buf);
}

/* UTF-8 or ASCII. A wish for UTF-8 in another locale needs C.UTF-8 for ncurses, in this thread. */
static void term_choose_charset(struct term *term, const char *wish)
{
	bool utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	/* the fonts of the Linux console lack most of the block characters */
	bool console = strcmp(getenv("TERM"), "linux") == 0;

	term->ascii =
		strcmp(wish, "ascii") == 0 || ((!utf8 || console) && strcmp(wish, "utf-8") != 0);
	if (term->ascii || utf8)
		return;
	term->locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	if (term->locale)
		term->old_locale = uselocale(term->locale);
	else
		term->ascii = true;
}

static void term_write(struct term *term, const char *bytes)
{
	size_t left = strlen(bytes);

	while (left > 0) {
		ssize_t n = write(fileno(term->out), bytes, left);

		if (n < 0 && errno == EAGAIN)
			poll(&(struct pollfd){.fd = fileno(term->out), .events = POLLOUT}, 1, 100);
		else if (n < 0 && errno != EINTR)
			return;
		if (n > 0) {
			bytes += n;
			left -= (size_t)n;
		}
	}
}

/* ---- looks ----------------------------------------------------------------------------------- */

struct term_pairs {
	int front[2 * ROLE_COUNT], back[2 * ROLE_COUNT];
	int count;
};

/* A terminal without a default colour gets white on black. */
static int term_color(const struct term *term, int color, int fallback)
{
	if (color < 0)
		return term->default_colors ? -1 : fallback;
	/* in direct colour only the first eight are colours by number */
	if (term->direct_color && color >= 8)
		return theme_color_rgb(color);
	return color;
}

static int term_pair(const struct term *term, struct term_pairs *pairs, int front, int back)
{
	if (term->colors < 8 || (front < 0 && back < 0))
		return 0;
	front = term_color(term, front, COLOR_WHITE);
	back = term_color(term, back, COLOR_BLACK);
	for (int i = 0; i < pairs->count; i++)
		if (pairs->front[i] == front && pairs->back[i] == back)
			return i + 1;
	if (pairs->count + 1 >= COLOR_PAIRS ||
		init_extended_pair(pairs->count + 1, front, back) == ERR)
		return 0;
	pairs->front[pairs->count] = front;
	pairs->back[pairs->count] = back;
	return ++pairs->count;
}

static struct term_look term_look_of(
	const struct term *term, struct term_pairs *pairs, const struct theme_style *style)
{
	struct term_look look = {
		.pair = term_pair(term, pairs, style->foreground, style->background)};

	if (style->bold)
		look.attributes |= A_BOLD;
	if (style->underline)
		look.attributes |= A_UNDERLINE;
	if (style->reverse)
		look.attributes |= A_REVERSE;
	if (style->dim)
		look.attributes |= A_DIM;
	/* a background that cannot be shown must still be told from none */
	if (style->background >= 0 && look.pair == 0)
		look.attributes |= A_REVERSE;
	return look;
}

static void term_make_looks(struct term *term)
{
	struct term_pairs pairs = {.count = 0};

	for (int role = 0; role < ROLE_COUNT; role++) {
		struct theme_style selected = theme_selected_style(&term->theme, (enum role)role);

		term->looks[role][0] = term_look_of(term, &pairs, &term->theme.styles[role]);
		term->looks[role][1] = term_look_of(term, &pairs, &selected);
	}
}

int term_set_theme(struct term *term, const char *name, struct err *err)
{
	int code = theme_load(name, term->colors, &term->theme, err);

	if (code < 0)
		return code;
	term_make_looks(term);
	term_redraw(term);
	return 0;
}

/* ---- open and close -------------------------------------------------------------------------- */

/* ncurses catches signals that belong to the program's loop: they are put back. */
static const int term_signals[] = {SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
#define TERM_SIGNALS (sizeof(term_signals) / sizeof(term_signals[0]))

static SCREEN *term_newterm(FILE *out)
{
	struct sigaction actions[TERM_SIGNALS];
	SCREEN *screen;

	for (size_t i = 0; i < TERM_SIGNALS; i++)
		sigaction(term_signals[i], NULL, &actions[i]);
	screen = newterm(NULL, out, stdin);
	for (size_t i = 0; i < TERM_SIGNALS; i++)
		sigaction(term_signals[i], &actions[i], NULL);
	return screen;
}

/* Characters at once, no echo, no flow control, no signals: Ctrl-S, Ctrl-C and Ctrl-Z are keys. As
 * signals they would get past the marks of a paste. */
static void term_set_mode(void)
{
	struct termios mode;

	cbreak();
	noecho();
	nonl();
	if (tcgetattr(STDIN_FILENO, &mode) == 0) {
		mode.c_iflag &= ~(tcflag_t)(IXON | IXOFF | ISTRIP | ICRNL | INLCR | IGNCR);
		mode.c_lflag &= ~(tcflag_t)(IEXTEN | ISIG);
		tcsetattr(STDIN_FILENO, TCSADRAIN, &mode);
	}
	def_prog_mode();
}

static void term_read_keys(struct term *term)
{
	for (size_t i = 0; i < input_capability_count; i++) {
		const char *bytes = term_string(input_capabilities[i].name);

		if (bytes)
			input_add_sequence(&term->input, bytes, input_capabilities[i].code);
	}
}

static void term_start_colors(struct term *term)
{
	/* pairs must not be touched on a terminal without colours */
	if (term->colors < 8 || !has_colors() || start_color() == ERR) {
		term->colors = 0;
		return;
	}
	term->default_colors = use_default_colors() == OK;
	term->direct_color = COLORS > 256;
}

static void term_reporting(struct term *term, bool on)
{
	if (term->mouse)
		term_write(term, on ? TERM_MOUSE_ON : TERM_MOUSE_OFF);
	if (term->paste)
		term_write(term, on ? TERM_PASTE_ON : TERM_PASTE_OFF);
}

static void term_free(struct term *term)
{
	if (term->out) {
		frame_close(&term->frame);
		fclose(term->out);
	}
	if (term->locale) {
		uselocale(term->old_locale);
		freelocale(term->locale);
	}
	canvas_free(term->last);
	free(term);
}

int term_open(const struct term_config *config, struct term **out, struct err *err)
{
	struct term *term;
	bool has_cursor, has_mouse;
	int code = term_check(err), fd;

	if (code < 0)
		return code;
	term = mem_alloc(sizeof(*term));
	term->colors = tigetnum("colors");
	has_cursor = term_string("cup") && term_string("clear");
	has_mouse = term_string("kmous") != NULL;
	term->mouse = config->mouse && has_mouse;
	term->paste = has_mouse; /* terminals of the xterm family: others need not know the mode */
	term_append(term->show_cursor, sizeof(term->show_cursor), term_string("cnorm"));
	del_curterm(cur_term);
	if (!has_cursor) {
		code = err_set_exit(err, ERR_EXIT_USAGE, -ENOTTY,
			"TERM=%.60s is a terminal that cannot place the cursor; use a subcommand "
			"such as \"nvsweep list\"",
			getenv("TERM"));
		goto fail;
	}
	code = theme_load(config->theme, term->colors, &term->theme, err);
	if (code < 0)
		goto fail;
	fd = dup(STDOUT_FILENO);
	term->out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!term->out) {
		code = err_set(err, -errno, "cannot open the terminal: %s", err_errno_text(errno));
		if (fd >= 0)
			close(fd);
		goto fail;
	}
	frame_open(&term->frame, fd);
	term_choose_charset(term, config->charset);
	fflush(stdout);
	term->screen = term_newterm(term->out);
	if (!term->screen) {
		code = err_set_exit(err, ERR_EXIT_USAGE, -ENOTTY,
			"the terminal cannot be used as TERM=%.60s", getenv("TERM"));
		goto fail;
	}
	input_init(&term->input, strcmp(nl_langinfo(CODESET), "UTF-8") == 0);
	term_read_keys(term);
	term_set_mode();
	keypad(stdscr, TRUE);
	leaveok(stdscr, FALSE);
	term_start_colors(term);
	term_make_looks(term);
	term->last = canvas_create(1, 1);
	term_resize(term);
	*out = term;
	return 0;
fail:
	term_free(term);
	return code;
}

static void term_leave(struct term *term)
{
	term_reporting(term, false);
	curs_set(1);
	endwin();
	/* some terminals keep the cursor's visibility with the screen they return to */
	term_write(term, term->show_cursor);
}

void term_close(struct term *term)
{
	if (!term)
		return;
	term_leave(term);
	delscreen(term->screen);
	term_free(term);
}

int term_width(const struct term *term)
{
	return term->width;
}

int term_height(const struct term *term)
{
	return term->height;
}

bool term_ascii(const struct term *term)
{
	return term->ascii;
}

void term_redraw(struct term *term)
{
	clearok(curscr, TRUE);
	erase();
	canvas_clear(term->last);
	term->fresh = true;
}

void term_resize(struct term *term)
{
	struct winsize size;

	/* a serial line reports 0 x 0: ncurses then took LINES and COLUMNS or terminfo */
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0 &&
		(size.ws_row != LINES || size.ws_col != COLS))
		resizeterm(size.ws_row, size.ws_col);
	term->width = COLS;
	term->height = LINES;
	canvas_resize(term->last, term->width, term->height);
	term_redraw(term);
}

void term_suspend(struct term *term)
{
	term_leave(term);
}

void term_resume(struct term *term)
{
	/* the first frame sets our mode again; the size may be another one by now */
	reset_prog_mode();
	term_resize(term);
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* One cell as ncurses wants it; a character it would measure differently is replaced. */
static int term_paint(struct term *term, const struct cell *cell, int x, int y, bool wide)
{
	const struct term_look *look =
		&term->looks[cell->role < ROLE_COUNT ? cell->role : ROLE_TEXT][cell->selected != 0];
	wchar_t text[2] = {(wchar_t)cell->code_point, 0};
	int pair = look->pair;
	cchar_t out;

	if (wcwidth(text[0]) != (wide ? 2 : 1))
		text[0] = '?';
	if (setcchar(&out, text, look->attributes, (short)pair, NULL) == ERR)
		return 0;
	mvadd_wchnstr(y, x, &out, 1);
	if (wide && text[0] == '?')
		mvadd_wchnstr(y, x + 1, &out, 1);
	return 1;
}

static bool term_same(const struct cell *a, const struct cell *b)
{
	return a->code_point == b->code_point && a->role == b->role && a->selected == b->selected;
}

static size_t term_paint_row(struct term *term, const struct canvas *canvas, int y, int width)
{
	const struct cell *now = &canvas->cells[(size_t)y * (size_t)canvas->width];
	struct cell *was = &term->last->cells[(size_t)y * (size_t)term->last->width];
	size_t changed = 0;

	for (int x = 0; x < width; x++) {
		bool wide = x + 1 < width && now[x + 1].code_point == 0 && now[x].code_point != 0;
		bool same = term_same(&now[x], &was[x]) &&
			(!wide || term_same(&now[x + 1], &was[x + 1]));

		if (same || now[x].code_point == 0)
			continue;
		changed += (size_t)term_paint(term, &now[x], x, y, wide);
	}
	memcpy(was, now, (size_t)width * sizeof(*now));
	return changed;
}

size_t term_show(struct term *term, const struct canvas *canvas)
{
	int width = canvas->width < term->width ? canvas->width : term->width;
	int height = canvas->height < term->height ? canvas->height : term->height;
	bool cursor = canvas->cursor_x >= 0 && canvas->cursor_x < width && canvas->cursor_y >= 0 &&
		canvas->cursor_y < height;
	int cursor_x = cursor ? canvas->cursor_x : -1, cursor_y = cursor ? canvas->cursor_y : -1;
	bool first = term->fresh;
	size_t changed = 0;

	for (int y = 0; y < height; y++)
		changed += term_paint_row(term, canvas, y, width);
	if (first || cursor_x != term->last->cursor_x || cursor_y != term->last->cursor_y)
		changed++;
	if (changed == 0)
		return 0;
	term->last->cursor_x = cursor_x;
	term->last->cursor_y = cursor_y;
	frame_begin(&term->frame);
	curs_set(cursor ? 1 : 0);
	move(cursor ? cursor_y : 0, cursor ? cursor_x : 0);
	refresh();
	frame_end(&term->frame);
	if (first)
		term_reporting(term, true);
	term->fresh = false;
	return changed;
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* 1: bytes came, 0: none within the time, -1: the terminal is gone. */
static int term_read(struct term *term, int timeout_ms)
{
	struct pollfd wait = {.fd = STDIN_FILENO, .events = POLLIN};
	unsigned char bytes[1024];
	size_t room = input_room(&term->input);
	uint64_t now;
	ssize_t n;

	if (room == 0)
		return 0;
	if (poll(&wait, 1, timeout_ms) <= 0)
		return 0;
	n = read(STDIN_FILENO, bytes, room < sizeof(bytes) ? room : sizeof(bytes));
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 0;
	if (n <= 0)
		return -1;
	now = clock_monotonic_ns();
	if (now - term->last_input_ns > TERM_PASTE_NS)
		input_end_paste(&term->input);
	term->last_input_ns = now;
	input_feed(&term->input, bytes, (size_t)n);
	return 1;
}

bool term_key(struct term *term, struct key *out)
{
	int got;

	for (;;) {
		if (input_next(&term->input, out)) {
			input_note_click(&term->input, out, clock_monotonic_ns());
			return true;
		}
		got = term->eof ? -1 : term_read(term, 0);
		if (got == 0 && input_waits(&term->input)) {
			got = term_read(term, TERM_ESCAPE_MS);
			if (got == 0)
				return input_expire(&term->input, out);
		}
		if (got == 0)
			return false;
		if (got < 0) {
			term->eof = true;
			*out = (struct key){.code = KEYC_EOF};
			return true;
		}
	}
}
