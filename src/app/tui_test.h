/* A test of the terminal program: a runner with the copies it borrows from, its newest view, the
 * socket that lets others watch it, and how it is paused, stopped and waited for; or a test that
 * another process runs, which is watched (app/attach.h). All calls take NULL (no test). UI thread
 * unless said otherwise. */
#ifndef APP_TUI_TEST_H
#define APP_TUI_TEST_H

#include "sweep/runner.h"

struct tui_test;

/* Copies what config points to; only jobs and transport must outlive the test. Nothing is opened. */
struct tui_test *tui_test_create(const struct runner_config *config);
/* Opens the targets and starts: may wait for a drive for as long as that pleases, so it is called
 * once, on a thread of its own; nothing else may be called meanwhile, tui_test_cancel apart. */
int tui_test_open(struct tui_test *test, struct err *err);
/* Any thread: tui_test_open fails with -ECANCELED as soon as it can. */
void tui_test_cancel(struct tui_test *test);
/* Watches a run of another process. No waiting. */
int tui_test_attach(const char *folder, const char *run_id, struct tui_test **out, struct err *err);
/* Stops it first when needed; waits a stuck drive no longer than runner_destroy does. One that is
 * watched goes on. */
void tui_test_free(struct tui_test *test);
/* It is ours, and has not ended. */
bool tui_test_running(const struct tui_test *test);
/* It is another process's, and has not ended as far as we know. */
bool tui_test_watched(const struct tui_test *test);
/* Seconds without news from the process of a test that is watched; 0 otherwise. */
double tui_test_silent_s(const struct tui_test *test);
/* The socket for others: poll this (-1 none), then call that. */
int tui_test_serve_fd(const struct tui_test *test);
void tui_test_serve(struct tui_test *test);
void tui_test_detached(struct tui_test *test); /* tells those who watch */
/* Readable when there is a new view; -1 without a test. */
int tui_test_fd(const struct tui_test *test);
/* The new view, owned by the test, or NULL; *old is then the one before, for the caller to free when
 * nobody shows it any more. */
const struct runner_view *tui_test_take(struct tui_test *test, struct runner_view **old);
/* -errno when the process of a test that is watched does not take it. */
int tui_test_pause(struct tui_test *test, bool paused, struct err *err);
int tui_test_stop(struct tui_test *test, const char *reason, struct err *err);
/* Until it is saved; at most about 6 s. */
void tui_test_wait(struct tui_test *test);
/* Pauses for ^Z, and goes on afterwards unless the user had paused it. */
void tui_test_suspend(struct tui_test *test);
void tui_test_resume(struct tui_test *test);

#endif
