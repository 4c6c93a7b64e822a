/* What a screen is and what it may ask of the program (DESIGN 6). One file per screen behind a
 * constant ops table; app/tui_loop keeps the stack. UI thread only; screens never do I/O on a
 * drive: they read snapshots and ask the session. */
#ifndef SCREENS_SCREEN_H
#define SCREENS_SCREEN_H

#include <stdbool.h>

#include "base/err.h"
#include "base/jobs.h"
#include "conf/settings.h"
#include "nvme/inventory.h"
#include "result/store.h"
#include "screens/actions.h"
#include "sweep/runner.h"
#include "tui/canvas.h"
#include "tui/form.h"
#include "tui/keys.h"
#include "tui/table.h"

struct screen;
struct desk;
struct run_edit;

struct screen_ops {
	const char *
		name; /* scope of its actions: "drives", "drive", "form", "live", "check", "results", "run",
			     * "help" */
	/* Paints everything between the top and the bottom line. */
	void (*draw)(struct screen *screen, struct canvas *canvas, struct rect area);
	/* Top line: "nvme0 · FAKE DC" and what stands at its right. */
	void (*title)(struct screen *screen, char *left, size_t left_size, char *right,
		size_t right_size);
	/* An action bound to the key; false: not used here. */
	bool (*action)(struct screen *screen, enum action action);
	/* A key without an action, or any key while the screen edits text; false: not used. May be
	 * NULL. */
	bool (*key)(struct screen *screen, const struct key *key);
	/* True while typed characters are text, not actions. May be NULL. */
	bool (*editing)(struct screen *screen);
	/* Something of the desk changed (inventory, run view): true when it shows. May be NULL. */
	bool (*update)(struct screen *screen);
	/* The list that moves, sorts and filters here (see lists.h); NULL: none just now. May be
	 * NULL. */
	struct table *(*list)(struct screen *screen);
	/* Tags, notes and export of the runs it shows (run_edit.h). May be NULL. */
	struct run_edit *(*edit)(struct screen *screen);
	/* Sentence for EXPLAIN: what is under the cursor. May be NULL. */
	void (*explain)(struct screen *screen, char *buf, size_t size);
	/* Actions for the bottom line, in order, ACTION_COUNT ends; texts short. */
	const struct screen_hint {
		enum action action;
		const char *text; /* "open" */
	} * (*hints)(struct screen *screen);
	void (*destroy)(struct screen *screen);
};

struct screen {
	const struct screen_ops *ops;
	struct desk *desk;
};

/* Work that may wait for a drive or a file, for a job thread; embedded at the start of the screen's own
 * struct. It belongs to the desk from submit on, until dispose. */
struct desk_task {
	struct job job; /* the desk's; stays first */
	/* On the job thread: touches nothing but the task and what the task owns. */
	void (*work)(struct desk_task *task);
	/* On the UI thread, when the screen is still there; may be NULL. */
	void (*done)(struct desk_task *task);
	/* Frees it, after done or instead of it; instead of it on any thread. */
	void (*dispose)(struct desk_task *task);
	struct screen *screen; /* whose it is; NULL: the program's */
	bool forgotten;        /* the desk's: nobody waits any more */
	struct desk_task *next;
};

/* What the program gives to screens: filled by app/tui_loop.c, borrowed by screens. */
struct desk {
	const struct inventory *inventory; /* newest snapshot, never NULL after start */
	const struct runner_view *run;     /* newest view of the running or last test; NULL none */
	const struct settings *settings;
	const struct keys *keys;
	const char *runs_folder;
	struct transport *transport; /* for tasks alone: a call of it may wait for a drive */
	struct jobs *jobs;           /* the threads of the drives; for tasks that ask one */
	char hostname[65];
	int status_width; /* columns at the right of the bottom line that the program fills */
	bool ascii;       /* no UTF-8 */
	void *app;
	/* Screens and dialogs */
	void (*push)(struct desk *desk, struct screen *screen); /* takes ownership */
	void (*pop)(struct desk *desk);
	void (*notice)(
		struct desk *desk, const char *sentence); /* one line above the bottom line, gone
								   * with the next key */
	void (*ask)(struct desk *desk, struct dialog *dialog,
		void (*answer)(struct screen *screen, enum dialog_result result, const char *value),
		struct screen *screen); /* takes the dialog */
	/* Work away from the UI thread; tasks of one key wait for each other. Takes the task when it
	 * returns 0. */
	int (*submit)(struct desk *desk, const char *key, struct desk_task *task, struct err *err);
	/* Tests: one at a time. What config points to is copied. Opening the targets may wait for a
	 * drive, so the answer comes later: started(screen, NULL) once the test runs, or the fault.
	 * An error returned at once (a test runs or is being started) is not told again; a screen that
	 * goes gives the start up. */
	int (*start_run)(struct desk *desk, const struct runner_config *config,
		void (*started)(struct screen *screen, const struct err *fault),
		struct screen *screen, struct err *err);
	bool starting; /* a test is being started */
	/* Gives up the start: nobody is told, and a test that comes of it is stopped at once. */
	void (*cancel_start)(struct desk *desk);
	/* Shows a run that another process measures just now: run is its picture from then on, pause
	 * and stop go to that process, and leaving leaves it running. Refused while an own test runs. */
	int (*attach_run)(struct desk *desk, const char *run_id, struct err *err);
	void (*pause_run)(struct desk *desk, bool paused);
	void (*stop_run)(struct desk *desk);
	void (*refresh)(struct desk *desk); /* inventory */
};

/* Constructors; NULL-free. */
struct screen *screen_drives(struct desk *desk);
struct screen *screen_drive(struct desk *desk, const char *controller, const char *namespace_name);
struct screen *screen_sweep_form(struct desk *desk, const char *target);
struct screen *screen_live(struct desk *desk);
struct screen *screen_results(struct desk *desk);
struct screen *screen_run(struct desk *desk, const struct store_entry *entry);
/* Two to COMPARE_RUNS_MAX runs beside each other, or one beside the published figures. */
struct screen *screen_compare(
	struct desk *desk, const struct store_entry *const *entries, size_t count);
struct screen *screen_help(struct desk *desk, const char *scope);

/* ---- what all screens share (screen.c) ---------------------------------------------------- */

/* The frame: where you are (first line), what you can press here (last line, from the key
 * bindings), and a notice above it (NULL or "": none). The area of draw lies between. */
void screen_draw_top(struct screen *screen, struct canvas *canvas);
void screen_draw_bottom(struct screen *screen, struct canvas *canvas, const char *notice);
/* Columns of the bottom line that hints may take: what the program shows at its right comes first
 * (desk.status_width). ACTION_COUNT or the action whose hint a click at column x of a line of
 * `width` meant. */
enum action screen_hint_at(struct screen *screen, int width, int x);
/* The answer to EXPLAIN. */
struct dialog *screen_explain_dialog(struct screen *screen);
/* The key to show for an action: one that works although letters are text when `editing`. */
void screen_key_name(
	const struct desk *desk, enum action action, bool editing, char *buf, size_t size);

/* The one place that knows the time. NVSWEEP_TEST_CLOCK="2026-11-30T14:03:00Z" freezes it and
 * shows all times as UTC, so that screens can be compared. */
int64_t screen_now(void);
void screen_time_text(int64_t when, char *buf, size_t size);  /* "2026-11-30 14:03"; "-" for 0 */
void screen_clock_text(int64_t when, char *buf, size_t size); /* "14:03"; "-" for 0 */
/* For the right end of a top line: the clock, or on a replay what is replayed (its pages have
 * their own time and the screen must not change by itself). */
void screen_stamp(const struct desk *desk, char *buf, size_t size);
/* True when the text of screen_stamp differs from the one *minute stands for; stores it. */
bool screen_stamp_moved(const struct desk *desk, int64_t *minute);
bool screen_replaying(const struct desk *desk);
/* The drives of the snapshot are simulated: top lines say so. */
bool screen_simulated(const struct desk *desk);

#endif
