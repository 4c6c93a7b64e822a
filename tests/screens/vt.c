/* A program on a pty behind libvterm. */
#include "vt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <vterm.h>

#include "base/mem.h"
#include "base/str.h"

/* painting has stopped when nothing came for so long */
#define VT_QUIET_MS 60

struct vt {
	int master, slave; /* -1 after a hang-up */
	int reports;       /* of the shell */
	pid_t shell, pid;
	bool ended, stopped;
	int status;
	int columns, rows, patience_s;
	size_t bytes;
	struct termios before;
	VTerm *vterm;
	VTermScreen *screen;
	/* what the program switched on */
	bool alternate, cursor_hidden;
	int mouse;
};

static void vt_die(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(1);
}

static double vt_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int vt_on_property(VTermProp property, VTermValue *value, void *user)
{
	struct vt *vt = user;

	if (property == VTERM_PROP_ALTSCREEN)
		vt->alternate = value->boolean;
	else if (property == VTERM_PROP_CURSORVISIBLE)
		vt->cursor_hidden = !value->boolean;
	else if (property == VTERM_PROP_MOUSE)
		vt->mouse = value->number;
	return 1;
}

static const VTermScreenCallbacks vt_callbacks = {.settermprop = vt_on_property};

/* What the shell tells: the pid of its job, then every change of it as waitpid gives it. */
struct vt_report {
	pid_t pid;
	int status;
};

static void vt_program(const struct vt_config *config, int slave)
{
	static const char *const nothing[] = {NULL};
	int null = open("/dev/null", O_RDWR);
	sigset_t none;

	setpgid(0, 0);
	tcsetpgrp(slave, getpid());
	dup2(config->no_input_terminal ? null : slave, STDIN_FILENO);
	dup2(config->no_output_terminal ? null : slave, STDOUT_FILENO);
	dup2(slave, STDERR_FILENO);
	for (int fd = 3; fd < 256; fd++)
		close(fd);
	for (int number = 1; number < 32; number++)
		signal(number, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	environ = (char **)(config->environment ? config->environment : nothing);
	if (config->function)
		_exit(config->function(config->arg));
	execv(config->argv[0], (char *const *)config->argv);
	fprintf(stderr, "%s: %s\n", config->argv[0], strerror(errno));
	_exit(127);
}

/* Leader of the terminal's session with one job, which it brings to the front on SIGUSR1. */
static void vt_shell(const struct vt_config *config, int slave, int reports)
{
	struct vt_report report = {0};
	sigset_t signals;
	pid_t pid;
	int number;

	/* the other end above all: while it is open the line cannot drop */
	for (int fd = 3; fd < 256; fd++)
		if (fd != slave && fd != reports)
			close(fd);
	setsid();
	ioctl(slave, TIOCSCTTY, 0);
	signal(SIGTTOU, SIG_IGN);
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGUSR1);
	sigprocmask(SIG_SETMASK, &signals, NULL);
	pid = fork();
	if (pid == 0)
		vt_program(config, slave);
	setpgid(pid, pid);
	report.pid = pid;
	report.status = -1;
	for (;;) {
		if (write(reports, &report, sizeof(report)) != sizeof(report))
			_exit(1);
		while (waitpid(pid, &report.status, WNOHANG | WUNTRACED | WCONTINUED) != pid) {
			sigwait(&signals, &number);
			if (number == SIGUSR1)
				tcsetpgrp(slave, pid);
			if (number != SIGCHLD)
				kill(-pid, number == SIGHUP ? SIGHUP : SIGCONT);
			if (number == SIGHUP)
				kill(-pid, SIGCONT);
		}
		if (WIFSTOPPED(report.status))
			tcsetpgrp(slave, getpgrp());
		if (WIFEXITED(report.status) || WIFSIGNALED(report.status)) {
			number = write(reports, &report, sizeof(report)) != sizeof(report);
			_exit(number);
		}
	}
}

static void vt_reap(struct vt *vt)
{
	struct vt_report report;
	ssize_t n;

	while (!vt->ended) {
		n = read(vt->reports, &report, sizeof(report));
		if (n < 0)
			return; /* nothing new */
		if (n != sizeof(report)) {
			vt->ended = true;
			vt->status = 126; /* the shell itself has gone */
		} else if (report.status == -1) {
			vt->pid = report.pid;
		} else if (WIFSTOPPED(report.status) || WIFCONTINUED(report.status)) {
			vt->stopped = WIFSTOPPED(report.status);
		} else {
			vt->ended = true;
			vt->status = WIFEXITED(report.status) ? WEXITSTATUS(report.status)
							      : 128 + WTERMSIG(report.status);
		}
	}
}

struct vt *vt_start(const struct vt_config *config)
{
	struct winsize size = {
		.ws_col = (unsigned short)config->columns, .ws_row = (unsigned short)config->rows};
	struct vt *vt = mem_alloc(sizeof(*vt));
	int reports[2];

	vt->columns = config->columns;
	vt->rows = config->rows;
	vt->patience_s = config->patience_s ? config->patience_s : 30;
	vt->vterm = vterm_new(config->rows, config->columns);
	vterm_set_utf8(vt->vterm, 1);
	vt->screen = vterm_obtain_screen(vt->vterm);
	vterm_screen_enable_altscreen(vt->screen, 1);
	vterm_screen_set_callbacks(vt->screen, &vt_callbacks, vt);
	vterm_screen_reset(vt->screen, 1);
	if (openpty(&vt->master, &vt->slave, NULL, NULL, &size) < 0)
		vt_die("openpty");
	/* our end of the slave keeps the settings readable after the program has gone */
	fcntl(vt->master, F_SETFL, O_NONBLOCK);
	if (tcgetattr(vt->slave, &vt->before) < 0)
		vt_die("tcgetattr");
	if (pipe2(reports, O_CLOEXEC | O_NONBLOCK) < 0)
		vt_die("pipe");
	fflush(stdout);
	vt->shell = fork();
	if (vt->shell < 0)
		vt_die("fork");
	if (vt->shell == 0)
		vt_shell(config, vt->slave, reports[1]);
	close(reports[1]);
	vt->reports = reports[0];
	while (!vt->pid && !vt->ended) {
		usleep(1000);
		vt_reap(vt);
	}
	return vt;
}

void vt_free(struct vt *vt)
{
	double limit = vt_now() + 2;

	if (!vt)
		return;
	vt_hang_up(vt);
	/* a program with a guard takes its child along when it is asked to end */
	while (!vt->ended && vt_now() < limit) {
		kill(vt->pid, SIGTERM);
		kill(-vt->pid, SIGCONT);
		usleep(10000);
		vt_reap(vt);
	}
	if (!vt->ended)
		kill(-vt->pid, SIGKILL);
	waitpid(vt->shell, NULL, 0);
	close(vt->reports);
	vterm_free(vt->vterm);
	free(vt);
}

void vt_continue(struct vt *vt)
{
	vt->stopped = false;
	kill(vt->shell, SIGUSR1);
}

int vt_pid(const struct vt *vt)
{
	return vt->pid;
}

static void vt_answer(struct vt *vt)
{
	char bytes[256];
	size_t n = vterm_output_read(vt->vterm, bytes, sizeof(bytes));

	if (n > 0)
		vt_send(vt, bytes, n);
}

/* True when something came within the time. */
static bool vt_read(struct vt *vt, int timeout_ms)
{
	struct pollfd wait = {.fd = vt->master, .events = POLLIN};
	char bytes[16384];
	ssize_t n;

	if (vt->master < 0) {
		usleep((unsigned)timeout_ms * 1000);
		return false;
	}
	if (poll(&wait, 1, timeout_ms) <= 0)
		return false;
	n = read(vt->master, bytes, sizeof(bytes));
	if (n <= 0)
		return false;
	vt->bytes += (size_t)n;
	vterm_input_write(vt->vterm, bytes, (size_t)n);
	vt_answer(vt);
	return true;
}

void vt_send(struct vt *vt, const char *bytes, size_t length)
{
	double limit = vt_now() + vt->patience_s;

	while (length > 0 && vt->master >= 0 && vt_now() < limit) {
		ssize_t n = write(vt->master, bytes, length);

		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return;
		if (n > 0) {
			bytes += n;
			length -= (size_t)n;
		} else {
			vt_read(vt, 10);
		}
	}
}

static const struct {
	const char *name, *bytes;
} vt_key_names[] = {
	{"Enter", "\r"},
	{"Esc", "\033"},
	{"Tab", "\t"},
	{"Shift-Tab", "\033[Z"},
	{"Space", " "},
	{"Backspace", "\177"},
	{"Up", "\033OA"},
	{"Down", "\033OB"},
	{"Right", "\033OC"},
	{"Left", "\033OD"},
	{"Home", "\033OH"},
	{"End", "\033OF"},
	{"Ins", "\033[2~"},
	{"Del", "\033[3~"},
	{"PgUp", "\033[5~"},
	{"PgDn", "\033[6~"},
	{"F1", "\033OP"},
	{"F2", "\033OQ"},
	{"F3", "\033OR"},
	{"F4", "\033OS"},
	{"F5", "\033[15~"},
	{"F10", "\033[21~"},
};

static bool vt_is_character(const char *word)
{
	return str_utf8_next(&word) != 0 && !*word;
}

bool vt_keys(struct vt *vt, const char *names)
{
	char word[64];
	int used;

	for (; sscanf(names, "%63s%n", word, &used) == 1; names += used) {
		const char *bytes = NULL;
		char control;

		for (size_t i = 0; i < sizeof(vt_key_names) / sizeof(vt_key_names[0]); i++)
			if (strcmp(vt_key_names[i].name, word) == 0)
				bytes = vt_key_names[i].bytes;
		if (bytes) {
			vt_send(vt, bytes, strlen(bytes));
			/* alone, or it would begin a sequence with what follows */
			if (strcmp(word, "Esc") == 0)
				vt_settle(vt, 100);
		} else if (strncmp(word, "Ctrl-", 5) == 0 && word[5] && !word[6]) {
			control = (char)(word[5] & 0x1f);
			vt_send(vt, &control, 1);
		} else if (vt_is_character(word)) {
			vt_send(vt, word, strlen(word));
		} else {
			return false;
		}
	}
	return true;
}

void vt_mouse(struct vt *vt, int x, int y, int button)
{
	vterm_mouse_move(vt->vterm, y, x, VTERM_MOD_NONE);
	vterm_mouse_button(vt->vterm, button, true, VTERM_MOD_NONE);
	if (button < 4)
		vterm_mouse_button(vt->vterm, button, false, VTERM_MOD_NONE);
	vt_answer(vt);
}

void vt_resize(struct vt *vt, int columns, int rows)
{
	struct winsize size = {.ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows};

	/* what the program has painted for the old size must not count for the new one */
	vt_settle(vt, 5);
	vt->columns = columns;
	vt->rows = rows;
	vterm_set_size(vt->vterm, rows, columns);
	ioctl(vt->master, TIOCSWINSZ, &size);
}

void vt_hang_up(struct vt *vt)
{
	if (vt->slave >= 0)
		close(vt->slave);
	if (vt->master >= 0)
		close(vt->master);
	vt->slave = vt->master = -1;
}

void vt_settle(struct vt *vt, int quiet_ms)
{
	double limit = vt_now() + vt->patience_s;

	while (vt_read(vt, quiet_ms) && vt_now() < limit)
		;
	vt_reap(vt);
}

static bool vt_on_screen(struct vt *vt, const char *text)
{
	char *dump = vt_dump(vt);
	bool found = strstr(dump, text) != NULL;

	free(dump);
	return found;
}

static bool vt_wait_until(struct vt *vt, const char *text, bool wanted)
{
	double limit = vt_now() + vt->patience_s;

	for (;;) {
		/* a screen that never rests is looked at every second all the same */
		double busy_until = vt_now() + 1;

		while (vt_read(vt, VT_QUIET_MS) && vt_now() < busy_until)
			;
		if (vt_on_screen(vt, text) == wanted)
			return true;
		vt_reap(vt);
		if (vt_now() > limit || vt->ended) {
			vt_read(vt, VT_QUIET_MS);
			return vt_on_screen(vt, text) == wanted;
		}
	}
}

bool vt_wait_text(struct vt *vt, const char *text)
{
	return vt_wait_until(vt, text, true);
}

bool vt_wait_gone(struct vt *vt, const char *text)
{
	return vt_wait_until(vt, text, false);
}

bool vt_wait_screen(struct vt *vt, const char *wanted)
{
	double limit = vt_now() + vt->patience_s / 3.0;

	for (;;) {
		char *dump;
		bool same;

		while (vt_read(vt, VT_QUIET_MS) && vt_now() < limit)
			;
		dump = vt_dump(vt);
		same = strcmp(dump, wanted) == 0;
		free(dump);
		vt_reap(vt);
		if (same || vt_now() > limit || vt->ended)
			return same;
	}
}

bool vt_wait_exit(struct vt *vt, int *code)
{
	double limit = vt_now() + vt->patience_s;

	while (!vt->ended && vt_now() < limit) {
		vt_read(vt, 10);
		vt_reap(vt);
	}
	/* what was written just before the end */
	vt_settle(vt, VT_QUIET_MS);
	*code = vt->status;
	return vt->ended;
}

bool vt_ended(struct vt *vt, int *code)
{
	vt_reap(vt);
	*code = vt->status;
	return vt->ended;
}

bool vt_wait_stopped(struct vt *vt)
{
	double limit = vt_now() + vt->patience_s;

	while (!vt->stopped && !vt->ended && vt_now() < limit) {
		vt_read(vt, 10);
		vt_reap(vt);
	}
	vt_settle(vt, VT_QUIET_MS);
	return vt->stopped;
}

char *vt_dump(struct vt *vt)
{
	struct strbuf out = {0};

	for (int y = 0; y < vt->rows; y++) {
		int blanks = 0;

		for (int x = 0; x < vt->columns;) {
			VTermScreenCell cell = {.width = 1};
			char text[5];

			vterm_screen_get_cell(vt->screen, (VTermPos){.row = y, .col = x}, &cell);
			if (cell.chars[0] == 0 || cell.chars[0] == ' ') {
				blanks++;
			} else if (cell.chars[0] != (uint32_t)-1) {
				strbuf_addf(&out, "%*s", blanks, "");
				blanks = 0;
				str_utf8_put(text, cell.chars[0]);
				strbuf_add(&out, text);
			}
			x += cell.width > 0 ? cell.width : 1;
		}
		strbuf_add(&out, "\n");
	}
	return out.text;
}

size_t vt_bytes(const struct vt *vt)
{
	return vt->bytes;
}

const char *vt_marks(struct vt *vt, int x, int y, char *buf)
{
	VTermScreenCell cell = {.width = 1};
	size_t n = 0;

	vterm_screen_get_cell(vt->screen, (VTermPos){.row = y, .col = x}, &cell);
	if (cell.attrs.bold)
		buf[n++] = 'b';
	if (cell.attrs.underline)
		buf[n++] = 'u';
	if (cell.attrs.reverse)
		buf[n++] = 'r';
	if (!VTERM_COLOR_IS_DEFAULT_FG(&cell.fg) || !VTERM_COLOR_IS_DEFAULT_BG(&cell.bg))
		buf[n++] = 'c';
	buf[n] = '\0';
	return buf;
}

bool vt_is_clean(struct vt *vt, char *why, size_t size)
{
	struct termios now;

	str_copy(why, size, "");
	if (vt->alternate)
		str_append(why, size, "still on the alternate screen; ");
	if (vt->cursor_hidden)
		str_append(why, size, "the cursor is hidden; ");
	if (vt->mouse)
		str_append(why, size, "the mouse is on; ");
	if (vt->slave < 0 || tcgetattr(vt->slave, &now) < 0)
		str_append(why, size, "no terminal; ");
	else if (now.c_iflag != vt->before.c_iflag || now.c_oflag != vt->before.c_oflag ||
		now.c_lflag != vt->before.c_lflag ||
		memcmp(now.c_cc, vt->before.c_cc, sizeof(now.c_cc)) != 0)
		str_append(why, size, "the mode of the terminal is another one; ");
	return !why[0];
}
