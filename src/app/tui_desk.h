/* The desk: what screens may ask of the program, the stack of screens, dialogs, the notice line, the
 * one running test, and how a whole frame is painted (DESIGN 6). It knows no terminal: keys come in
 * as events, frames go into a canvas. UI thread. */
#ifndef APP_TUI_DESK_H
#define APP_TUI_DESK_H

#include "app/session.h"
#include "screens/screen.h"

/* Below this size a frame only says so. */
#define TUI_MIN_WIDTH 40
#define TUI_MIN_HEIGHT 10

struct tui_desk;

enum tui_want {
	TUI_GO_ON,
	TUI_LEAVE,   /* end the program now */
	TUI_SUSPEND, /* as ^Z */
	TUI_REDRAW   /* forget what the terminal shows */
};

/* session is borrowed; its inventory has been started, or is NULL in tests. The first screen is the
 * caller's to push (desk->push). */
int tui_desk_create(struct session *session, bool ascii, struct tui_desk **out, struct err *err);
/* Stops a running test first, saves it and waits for it, at most about 6 s. */
void tui_desk_free(struct tui_desk *tui);

struct desk *tui_desk_of(struct tui_desk *tui);

/* Takes over a snapshot (a reference). */
void tui_desk_inventory(struct tui_desk *tui, const struct inventory *inventory);
/* Mailbox of the test, -1 when there is none; and its newest view, if there is one. */
int tui_desk_run_fd(const struct tui_desk *tui);
void tui_desk_run_take(struct tui_desk *tui);
/* The socket of our test for other processes: readable when there is something to do (-1 never). */
int tui_desk_serve_fd(const struct tui_desk *tui);
void tui_desk_serve(struct tui_desk *tui);
/* Work of screens on job threads: readable when some of it is done (-1 never), and taking it. */
int tui_desk_tasks_fd(const struct tui_desk *tui);
void tui_desk_tasks_take(struct tui_desk *tui);
/* Some is under way: screens say since when. */
bool tui_desk_waiting(const struct tui_desk *tui);
/* A minute has passed, or something else that screens may show. */
void tui_desk_tick(struct tui_desk *tui);

enum tui_want tui_desk_key(struct tui_desk *tui, const struct key *key);
/* The same as the key bound to "quit". */
enum tui_want tui_desk_quit(struct tui_desk *tui);
/* The user has left, and a test is being stopped and saved. */
bool tui_desk_leaving(const struct tui_desk *tui);
/* The test that was asked to stop when the user left has ended (or did not in 6 s). */
bool tui_desk_may_leave(struct tui_desk *tui);

/* Something changed since the last tui_desk_draw. */
bool tui_desk_dirty(const struct tui_desk *tui);
void tui_desk_draw(struct tui_desk *tui, struct canvas *canvas);

/* Our own test runs. */
bool tui_desk_running(const struct tui_desk *tui);
/* A test of another process is shown, and goes on. */
bool tui_desk_watching(const struct tui_desk *tui);
/* A notice when the process of a test that is watched says nothing; to be called now and then. */
void tui_desk_say_silence(struct tui_desk *tui);
/* A notice when other processes measure something, and how to see it; true: there was one. */
bool tui_desk_say_running(struct tui_desk *tui);
/* The terminal is gone and the test shall go on (guard_detach): returns when it has ended and is
 * saved, or a signal (signal_fd) has stopped it. The desk draws nothing any more. */
void tui_desk_go_on_alone(struct tui_desk *tui, int signal_fd);
/* A test or something else is on its way in a drive: nothing may be taken apart. */
bool tui_desk_stuck(const struct tui_desk *tui);
/* Before the process stops (^Z) and after: a running test pauses meanwhile. */
void tui_desk_suspend(struct tui_desk *tui);
void tui_desk_resume(struct tui_desk *tui);
/* Asks the test to stop and waits until it is saved; true when one was stopped that way. */
bool tui_desk_stop_and_save(struct tui_desk *tui, const char *reason);

#endif
