/* The terminal program: one poll() over terminal, snapshots, test, signals and timer; a frame is
 * drawn only when something changed (DESIGN 3, 6). Main thread of the guarded child. */
#ifndef APP_TUI_LOOP_H
#define APP_TUI_LOOP_H

#include "app/session.h"

/* Runs until the user leaves, standard input ends or a signal asks for it. Returns the exit code
 * (4: a test was ended early and saved), or -errno with the sentence when it could not start; the
 * terminal is in order then. Sets session->stuck when a test still hangs in a drive. */
int tui_loop_run(struct session *session, struct err *err);

/* --plain: the first screen as text, at the terminal's size or 80x24. Needs no terminal. */
int tui_loop_plain(struct session *session, struct err *err);

#endif
