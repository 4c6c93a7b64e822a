/* A terminal for tests: a program on a pty whose output goes through libvterm. Nothing passes or
 * fails by time: waits end when something is there, and give up only after a long limit. One
 * thread. */
#ifndef TESTS_SCREENS_VT_H
#define TESTS_SCREENS_VT_H

#include <stdbool.h>
#include <stddef.h>

struct vt;

struct vt_config {
	int columns, rows;
	/* The child: argv (execv, argv[0] is a path), or a function whose result is the exit code. */
	const char *const *argv;
	int (*function)(void *arg);
	void *arg;
	/* The whole environment, "NAME=value", NULL at the end. */
	const char *const *environment;
	/* Terminal on standard input and output; others are /dev/null. */
	bool no_input_terminal, no_output_terminal;
	/* 0: 30 */
	int patience_s;
};

/* The program runs as the job of a small shell, so that job control is as in life. Never NULL: ends
 * the test program. */
struct vt *vt_start(const struct vt_config *config);
void vt_free(struct vt *vt); /* kills what still runs */
int vt_pid(const struct vt *vt);

void vt_send(struct vt *vt, const char *bytes, size_t length);
/* "Down Down Enter", names as in keys.ini; characters stand for themselves. false: unknown name. */
bool vt_keys(struct vt *vt, const char *names);
/* Button 1 to 3, 4 and 5 the wheel, in the protocol that the program has switched on. */
void vt_mouse(struct vt *vt, int x, int y, int button);
void vt_resize(struct vt *vt, int columns, int rows);
/* The line drops: end of file and SIGHUP for the program. */
void vt_hang_up(struct vt *vt);

/* True when the text is on the screen (or is gone) and the program has stopped painting. */
bool vt_wait_text(struct vt *vt, const char *text);
bool vt_wait_gone(struct vt *vt, const char *text);
/* True when the whole screen is as given. */
bool vt_wait_screen(struct vt *vt, const char *wanted);
/* Reads until nothing has come for that long. */
void vt_settle(struct vt *vt, int quiet_ms);
/* True when the program has ended; the exit code, or 128 + signal. */
bool vt_wait_exit(struct vt *vt, int *code);
/* The same without waiting. */
bool vt_ended(struct vt *vt, int *code);
/* True when the program is stopped (job control). */
bool vt_wait_stopped(struct vt *vt);
/* As the shell's fg. */
void vt_continue(struct vt *vt);

/* Lines without trailing spaces, each with a newline. Caller frees. */
char *vt_dump(struct vt *vt);
/* All bytes the program has sent to the terminal so far. */
size_t vt_bytes(const struct vt *vt);
/* Marks of the cell: any of "b" bold, "u" underline, "r" reverse, "c" a colour. buf has 8 bytes. */
const char *vt_marks(struct vt *vt, int x, int y, char *buf);
/* The terminal as the shell had it: main screen, cursor on, mouse off, mode as before. The fault
 * goes to why. */
bool vt_is_clean(struct vt *vt, char *why, size_t size);

#endif
