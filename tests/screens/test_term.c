/* tui/term on a real pty: what kinds of terminal it takes, that it leaves them as they were, that
 * equal frames cost nothing, and that no byte of a mouse becomes a key. A small program inside this
 * one paints and tells the keys it got. Prints TAP. */
#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/str.h"
#include "tui/term.h"
#include "vt.h"

static int tests, failures;

static void check(bool good, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void check(bool good, const char *format, ...)
{
	char name[256];
	va_list args;

	va_start(args, format);
	vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	printf("%s %d - %s\n", good ? "ok" : "not ok", ++tests, name);
	failures += !good;
}

static void show(struct vt *vt)
{
	char *dump = vt_dump(vt);

	for (char *line = strtok(dump, "\n"); line; line = strtok(NULL, "\n"))
		printf("# |%s\n", line);
	free(dump);
}

/* ---- the program under test ------------------------------------------------------------------ */

static volatile sig_atomic_t probe_resized;

static void probe_on_signal(int number)
{
	probe_resized = number == SIGWINCH;
}

struct probe {
	struct term_config config;
	bool crash; /* on 'c' by a signal, with a parent that restores the terminal */
};

static void probe_note(char *log, size_t size, const struct key *key)
{
	static const char *const buttons[] = {
		"none", "left", "right", "middle", "wheel-up", "wheel-down", "double"};
	char name[16];

	key_format(key->code, name, sizeof(name));
	if (key->code == KEYC_MOUSE)
		str_append(log, size, "<%s %d,%d>", buttons[key->button], key->x, key->y);
	else
		str_append(log, size, "<%s%s>", key->pasted ? "paste " : "", name);
}

static void probe_draw(struct term *term, struct canvas *canvas, const char *log)
{
	if (canvas->width != term_width(term) || canvas->height != term_height(term))
		canvas_resize(canvas, term_width(term), term_height(term));
	canvas_clear(canvas);
	canvas_set_ascii(canvas, term_ascii(term));
	canvas_textf(canvas, 0, 0, -1, ROLE_TITLE, "size %dx%d", canvas->width, canvas->height);
	canvas_text(canvas, 0, 1, -1, ROLE_WARN, "warn ▃█ 漢字 µ");
	canvas_text(canvas, 0, 2, -1, ROLE_TEXT, "row");
	canvas_select(canvas, 0, 2, 10);
	canvas_wrap(canvas, 0, 3, canvas->width, canvas->height, ROLE_TEXT, log);
	canvas_put(canvas, canvas->width - 1, canvas->height - 1, '$', ROLE_TEXT);
	term_show(term, canvas);
}

static int probe_loop(const struct probe *probe)
{
	struct pollfd wait = {.fd = STDIN_FILENO, .events = POLLIN};
	struct canvas *canvas = canvas_create(1, 1);
	struct sigaction action = {.sa_handler = probe_on_signal};
	struct term *term;
	struct err err = {0};
	struct key key;
	char log[2000] = "";
	bool suspend = false;
	int code = term_open(&probe->config, &term, &err);

	if (code < 0) {
		fprintf(stderr, "%s\n", err.text);
		return (int)err.exit;
	}
	sigaction(SIGWINCH, &action, NULL);
	signal(SIGHUP, SIG_IGN);
	for (;;) {
		if (probe_resized)
			term_resize(term);
		probe_resized = 0;
		if (suspend) {
			suspend = false;
			term_suspend(term);
			raise(SIGTSTP);
			term_resume(term);
		}
		probe_draw(term, canvas, log);
		/* frames are drawn all the time: equal ones must cost nothing */
		poll(&wait, 1, 20);
		while (term_key(term, &key)) {
			if ((key.code == 'q' && !key.pasted) || key.code == KEYC_EOF)
				goto out;
			if (key.code == 'c' && probe->crash)
				raise(SIGSEGV);
			if (key.code == KEYC_CTRL_Z && !key.pasted)
				suspend = true;
			if (key.code == KEYC_CTRL_A + ('L' - 'A'))
				term_redraw(term);
			if (key.code == '0')
				log[0] = '\0';
			else
				probe_note(log, sizeof(log), &key);
		}
	}
out:
	term_close(term);
	canvas_free(canvas);
	return key.code == KEYC_EOF ? 7 : 0;
}

static int probe_run(void *arg)
{
	const struct probe *probe = arg;
	struct termios mode;
	char restore[512];
	pid_t child;
	int status;

	setlocale(LC_CTYPE, "");
	if (!probe->crash)
		return probe_loop(probe);
	/* as the guard of the program does it */
	tcgetattr(STDIN_FILENO, &mode);
	term_restore_bytes(restore, sizeof(restore));
	child = fork();
	if (child == 0) {
		signal(SIGSEGV, SIG_DFL);
		_exit(probe_loop(probe));
	}
	waitpid(child, &status, 0);
	if (write(STDOUT_FILENO, restore, strlen(restore)) < 0)
		return 99;
	tcsetattr(STDIN_FILENO, TCSANOW, &mode);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 98;
}

#define UTF8 "LC_ALL=C.UTF-8"

static struct vt *start(struct probe *probe, const char *term, const char *locale, int columns,
	int rows, const char *extra)
{
	const char *environment[] = {term, locale, "HOME=/nonexistent", extra, NULL};
	struct vt_config config = {.columns = columns,
		.rows = rows,
		.function = probe_run,
		.arg = probe,
		.environment = environment};

	if (!probe->config.theme)
		probe->config =
			(struct term_config){.theme = "auto", .charset = "auto", .mouse = true};
	return vt_start(&config);
}

static void finish(struct vt *vt, const char *what)
{
	char why[256];
	int code = -1;

	vt_keys(vt, "q");
	check(vt_wait_exit(vt, &code) && code == 0, "%s: ends at q", what);
	check(vt_is_clean(vt, why, sizeof(why)), "%s: leaves the terminal as it was", what);
	if (why[0])
		printf("# %s\n", why);
	vt_free(vt);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_kinds(void)
{
	static const struct {
		const char *term, *locale, *extra;
		const char *text;
		const char *title, *warn, *row; /* marks of the three lines */
	} kinds[] = {
		{"TERM=xterm-256color", UTF8, NULL, "warn ▃█ 漢字 µ", "bc", "bc", "c"},
		{"TERM=xterm", UTF8, NULL, "warn ▃█ 漢字 µ", "bc", "bc", "c"},
		{"TERM=screen", UTF8, NULL, "warn ▃█ 漢字 µ", "bc", "bc", "c"},
		{"TERM=tmux-256color", UTF8, NULL, "warn ▃█ 漢字 µ", "bc", "bc", "c"},
		{"TERM=linux", UTF8, NULL, "warn :# ???? u", "bc", "bc", "c"},
		{"TERM=linux", "LC_ALL=C", NULL, "warn :# ???? u", "bc", "bc", "c"},
		{"TERM=vt100", UTF8, NULL, "warn ▃█ 漢字 µ", "b", "b", "r"},
		{"TERM=vt100", "LC_ALL=C", NULL, "warn :# ???? u", "b", "b", "r"},
		{"TERM=xterm-mono", UTF8, NULL, "warn ▃█ 漢字 µ", "b", "b", "r"},
		{"TERM=xterm-256color", UTF8, "NO_COLOR=1", "warn ▃█ 漢字 µ", "b", "b", "r"},
		{"TERM=xterm-256color", "LC_ALL=POSIX", "COLORFGBG=0;15", "warn :# ???? u", "bc",
			"bc", "c"},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct probe probe = {0};
		struct vt *vt =
			start(&probe, kinds[i].term, kinds[i].locale, 80, 24, kinds[i].extra);
		char name[80], title[8], warn[8], row[8];
		bool good;

		str_format(name, sizeof(name), "%s %s %s", kinds[i].term, kinds[i].locale,
			kinds[i].extra ? kinds[i].extra : "");
		good = vt_wait_text(vt, kinds[i].text);
		check(good, "%s: shows its text", name);
		if (!good)
			show(vt);
		vt_marks(vt, 0, 0, title);
		vt_marks(vt, 0, 1, warn);
		vt_marks(vt, 0, 2, row);
		check(strcmp(title, kinds[i].title) == 0 && strcmp(warn, kinds[i].warn) == 0 &&
				strcmp(row, kinds[i].row) == 0,
			"%s: looks \"%s\", \"%s\", \"%s\"", name, title, warn, row);
		finish(vt, name);
	}
}

static void test_refused(void)
{
	static const struct {
		const char *term;
		bool no_input, no_output;
		const char *sentence;
	} refused[] = {
		{"TERM=dumb", false, false, "TERM=dumb cannot show a screen"},
		{"TERM=", false, false, "TERM is not set"},
		{"NOTERM=1", false, false, "TERM is not set"},
		{"TERM=unknown", false, false, "TERM=unknown cannot show a screen"},
		{"TERM=no-such-terminal", false, false, "TERM=no-such-terminal is not known"},
		{"TERM=xterm", true, false, "standard input is not a terminal"},
		{"TERM=xterm", false, true, "standard output is not a terminal"},
	};

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct probe probe = {
			.config = {.theme = "auto", .charset = "auto", .mouse = true}};
		const char *environment[] = {refused[i].term, UTF8, NULL};
		struct vt_config config = {.columns = 200,
			.rows = 5,
			.function = probe_run,
			.arg = &probe,
			.environment = environment,
			.no_input_terminal = refused[i].no_input,
			.no_output_terminal = refused[i].no_output};
		struct vt *vt = vt_start(&config);
		char why[256], *dump;
		int code = -1;

		check(vt_wait_exit(vt, &code) && code == ERR_EXIT_USAGE, "%s: refused",
			refused[i].term);
		dump = vt_dump(vt);
		/* one line: the sentence, and nothing sent to the terminal before it */
		check(str_starts_with(dump, refused[i].sentence) && strlen(strchr(dump, '\n')) == 5,
			"%s: in one sentence", refused[i].term);
		printf("# %.*s\n", (int)strcspn(dump, "\n"), dump);
		check(vt_is_clean(vt, why, sizeof(why)), "%s: untouched %s", refused[i].term, why);
		free(dump);
		vt_free(vt);
	}
}

static void test_idle(void)
{
	struct probe probe = {0};
	struct vt *vt = start(&probe, "TERM=xterm-256color", UTF8, 80, 24, NULL);
	size_t before, after;

	vt_wait_text(vt, "size 80x24");
	vt_settle(vt, 200);
	before = vt_bytes(vt);
	vt_settle(vt, 1000);
	check(vt_bytes(vt) == before, "50 equal frames send %zu bytes", vt_bytes(vt) - before);
	vt_keys(vt, "a");
	vt_wait_text(vt, "<a>");
	after = vt_bytes(vt) - before;
	check(after < 40, "a changed word sends %zu bytes", after);
	before = vt_bytes(vt);
	vt_keys(vt, "Ctrl-L");
	vt_wait_text(vt, "<Ctrl-L>");
	check(vt_bytes(vt) - before > 60, "Ctrl-L sends everything (%zu bytes)",
		vt_bytes(vt) - before);
	finish(vt, "idle");
}

static void test_keys(void)
{
	struct probe probe = {0};
	struct vt *vt = start(&probe, "TERM=xterm-256color", UTF8, 120, 40, NULL);
	bool good;

	vt_wait_text(vt, "size 120x40");
	vt_keys(vt,
		"a Up Down Left Right Home End Ins Del PgUp PgDn F1 F5 F10 Tab Shift-Tab Enter "
		"Backspace Space ö 漢 Ctrl-S Ctrl-Q Ctrl-C Esc x");
	good = vt_wait_text(vt,
		"<a><Up><Down><Left><Right><Home><End><Ins><Del><PgUp><PgDn><F1><F5><F10><Tab>"
		"<Shift-Tab><Enter><Backspace>");
	check(good, "keys come through");
	good = good && vt_wait_text(vt, "<Space><ö><漢>\n<Ctrl-S><Ctrl-Q><Ctrl-C><Esc><x>");
	check(good, "flow control keys, UTF-8 and Esc come through");
	if (!good)
		show(vt);
	finish(vt, "keys");
}

static void test_mouse(void)
{
	/* every report that a terminal might send; "q" (0x71) would end the program */
	static const char reports[] = "\033[M qq\033[M#qq"         /* X10: press and release */
				      "\033[M \302\261\302\261"    /* 1005 at column 145 */
				      "\033[<0;5;6M\033[<0;5;6m"   /* 1006 */
				      "\033[<64;5;6M\033[<65;5;6M" /* wheel */
				      "\033[<32;7;7M\033[<35;8;8M" /* motion */
				      "\033[32;9;9M"               /* 1015 */
				      "\033[3;1;5;6;1&w"           /* DEC locator */
				      "\033[tqq\033[Tqqqqqq"       /* 1001 */
				      "\033[<128;3;3M\033[<0;0;0M";
	struct probe probe = {0};
	struct vt *vt = start(&probe, "TERM=xterm-256color", UTF8, 120, 40, NULL);
	bool good;

	vt_wait_text(vt, "size 120x40");
	vt_send(vt, reports, sizeof(reports) - 1);
	vt_keys(vt, "k");
	good = vt_wait_text(vt,
		"<left 80,80><left 144,144><left 4,5><wheel-up 4,5><wheel-down 4,5><left 8,8><k>");
	check(good, "only presses and the wheel come out of mouse reports");
	if (!good)
		show(vt);
	vt_keys(vt, "0");
	vt_wait_gone(vt, "left");
	vt_mouse(vt, 30, 10, 1);
	check(vt_wait_text(vt, "<left 30,10>"), "the terminal's own report is understood");
	/* a report cut in two by a slow line */
	vt_keys(vt, "0");
	vt_wait_gone(vt, "left");
	vt_send(vt, "\033[<0;1", 6);
	vt_settle(vt, 300);
	vt_send(vt, "0;5M", 4);
	vt_keys(vt, "k");
	good = vt_wait_text(vt, "<left 9,4><k>");
	check(good, "a report in two parts is one report");
	if (!good)
		show(vt);
	finish(vt, "mouse");
}

static void test_paste(void)
{
	static const char pasted[] = "\033[200~q\001\003\r\t\033[A\033ö\033[201~z";
	struct probe probe = {0};
	struct vt *vt = start(&probe, "TERM=xterm-256color", UTF8, 80, 24, NULL);
	bool good;

	vt_wait_text(vt, "size 80x24");
	vt_send(vt, pasted, sizeof(pasted) - 1);
	good = vt_wait_text(vt, "<paste q><paste [><paste A><paste ö><z>");
	check(good, "a paste is marked and holds no control characters");
	if (!good)
		show(vt);
	finish(vt, "paste");
}

static void test_resize(void)
{
	static const int sizes[][2] = {
		{120, 40}, {1, 1}, {80, 24}, {2, 50}, {200, 3}, {5, 1}, {250, 80}, {80, 24}};
	struct probe probe = {0};
	struct vt *vt = start(&probe, "TERM=xterm-256color", UTF8, 80, 24, NULL);
	char text[32];

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		bool good = true;

		vt_resize(vt, sizes[i][0], sizes[i][1]);
		if (sizes[i][0] > 10) {
			str_format(text, sizeof(text), "size %dx%d", sizes[i][0], sizes[i][1]);
			good = vt_wait_text(vt, text) && vt_wait_text(vt, "$");
		} else {
			good = vt_wait_text(vt, "$");
		}
		check(good, "resized to %dx%d", sizes[i][0], sizes[i][1]);
		if (!good)
			show(vt);
	}
	finish(vt, "resize");
}

static void test_suspend(void)
{
	struct probe probe = {0};
	struct vt *vt = start(&probe, "TERM=xterm-256color", UTF8, 80, 24, NULL);
	char why[256];

	vt_wait_text(vt, "size 80x24");
	vt_keys(vt, "Ctrl-Z");
	check(vt_wait_stopped(vt), "Ctrl-Z stops it");
	check(vt_is_clean(vt, why, sizeof(why)), "the shell gets its terminal %s", why);
	vt_resize(vt, 100, 30);
	vt_continue(vt);
	check(vt_wait_text(vt, "size 100x30"), "it goes on in the size of now");
	vt_keys(vt, "a");
	check(vt_wait_text(vt, "<a>"), "and takes keys");
	finish(vt, "suspend");
}

static void test_ends(void)
{
	struct probe crash = {
		.crash = true, .config = {.theme = "auto", .charset = "auto", .mouse = true}};
	struct probe probe = {0};
	struct vt *vt = start(&crash, "TERM=xterm-256color", UTF8, 80, 24, NULL);
	char why[256];
	int code = -1;

	vt_wait_text(vt, "size 80x24");
	check(!vt_is_clean(vt, why, sizeof(why)), "while it runs: %s", why);
	vt_keys(vt, "c");
	check(vt_wait_exit(vt, &code) && code == SIGSEGV, "crash: seen by the parent (%d)", code);
	check(vt_is_clean(vt, why, sizeof(why)), "crash: restored from outside %s", why);
	vt_free(vt);

	vt = start(&probe, "TERM=xterm-256color", UTF8, 80, 24, NULL);
	vt_wait_text(vt, "size 80x24");
	vt_hang_up(vt);
	check(vt_wait_exit(vt, &code) && code == 7, "a lost line is told as a key: %d", code);
	vt_free(vt);
}

int main(void)
{
	test_kinds();
	test_refused();
	test_idle();
	test_keys();
	test_mouse();
	test_paste();
	test_resize();
	test_suspend();
	test_ends();
	printf("1..%d\n", tests);
	return failures ? 1 : 0;
}
