/* The part of the sweep form about tests that write: what the gate says of the targets, what the
 * user has to say first, how much is going to be written (DESIGN 4, Gate).
 *
 * A look at the gate reads the drives, so it is a task on a job thread; its answer holds for the
 * targets, area and fill that it was asked about and is dropped when the form asks for others
 * meanwhile. UI thread. */
#ifndef SCREENS_SWEEP_WRITES_H
#define SCREENS_SWEEP_WRITES_H

#include "screens/screen.h"
#include "sweep/gate.h"
#include "sweep/write_plan.h"

#define SWEEP_TARGETS_MAX 16

struct sweep_form;

struct sweep_look {
	bool failed;
	char fault[256]; /* of a look that failed */
	struct gate_report report;
};

struct sweep_writes {
	bool writes;            /* the test, as the fields stand */
	char question[768];     /* what the newest look has to answer; "" none */
	uint32_t asked;         /* number of the newest look; older answers are dropped */
	unsigned out;           /* looks under way */
	int64_t out_since;      /* the newest */
	bool due, known;        /* a look has to be made; looks hold the answer */
	bool hasty;             /* the start was asked for before the gate had answered */
	char consent_for[4200]; /* the targets that consent has been given for */
	struct sweep_look looks[SWEEP_TARGETS_MAX];
	size_t look_count;
	struct write_plan plans[SWEEP_TARGETS_MAX];
};

/* Fields "allow" and "typed", hidden. */
void sweep_writes_add_fields(struct sweep_form *sweep);
/* After the fields were read: does it write, how much, does the gate have to look again; shows and
 * hides the fields. */
void sweep_writes_read(struct sweep_form *sweep);
/* Asks the gate when a look is due and none keeps it waiting. */
void sweep_writes_ask(struct sweep_form *sweep);
/* The gate looks again, whatever it said. */
void sweep_writes_again(struct sweep_form *sweep);
/* Nothing that the user could type permits it: "" or the reason. */
const char *sweep_writes_blocked(const struct sweep_form *sweep);
/* Fills the consent; false: it is not there yet, *problem says what is missing and the field in
 * question has the focus. */
bool sweep_writes_consent(
	struct sweep_form *sweep, struct gate_consent *consent, char *problem, size_t size);

/* ---- sweep_pane.c: the lines under the form --------------------------------------------------- */

/* Lines that the verdict needs at this width. */
int sweep_pane_height(struct sweep_form *sweep, int width);
void sweep_pane_draw(struct sweep_form *sweep, struct canvas *canvas, struct rect area);
/* All that the gate found, for EXPLAIN of its fields; "" when it is not about writing. */
void sweep_pane_explain(const struct sweep_form *sweep, char *buf, size_t size);

#endif
