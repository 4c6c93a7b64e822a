/* The lines of a quick check on a screen: one per part with its verdict, what spoils it, how much was
 * read; a cursor to explain them. For the check that runs and for saved ones. UI thread. */
#ifndef SCREENS_CHECK_VIEW_H
#define SCREENS_CHECK_VIEW_H

#include "result/check.h"
#include "screens/actions.h"
#include "sweep/runner.h"
#include "tui/canvas.h"
#include "tui/keys.h"

#define CHECK_VIEW_ROWS (CHECK_PARTS + 2)

struct check_view {
	size_t cursor, top; /* rows */
	/* by the last fill */
	struct {
		const char *title;
		char word[24], text[1024];
		enum role role;
		const char *explain; /* key of explain.h */
	} rows[CHECK_VIEW_ROWS];
	size_t count;
	int lines[CHECK_VIEW_ROWS]; /* that each took in the last draw; 0 not shown */
	struct rect drawn;
};

/* run: of the check that is under way, for what is being read just now; NULL for a saved one. */
void check_view_fill(struct check_view *view, const struct check *check,
	const char (*spoiled_by)[160], size_t spoiled_count, const struct runner_view *run);
/* Returns the lines used of area. */
int check_view_draw(struct check_view *view, struct canvas *canvas, struct rect area);
bool check_view_action(struct check_view *view, enum action action);
bool check_view_key(struct check_view *view, const struct key *key);
const char *check_view_explain(const struct check_view *view);
/* "good", "WARN", "CRIT", "unknown: why"; ROLE of it. */
const char *check_view_verdict(const struct check *check, char *buf, size_t size);
enum role check_view_role(const struct check *check);

#endif
