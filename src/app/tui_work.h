/* What screens let be done beside them (desk.work): reading and writing of run files, on the two
 * threads for files (DESIGN 5). UI thread. */
#ifndef APP_TUI_WORK_H
#define APP_TUI_WORK_H

#include "base/jobs.h"
#include "screens/screen.h"

struct tui_work;

/* jobs NULL, or no thread to be had: the work is done at once. */
struct tui_work *tui_work_create(struct jobs *jobs);
/* What has not begun is not done any more; what is under way ends by itself. */
void tui_work_free(struct tui_work *self);

/* Takes the work over. */
void tui_work_submit(struct tui_work *self, enum desk_queue queue, struct desk_work *work);
/* The screen is going away: what it asked for is thrown away when it is done. */
void tui_work_forget(struct tui_work *self, const struct screen *screen);
/* Readable when tui_work_take has something; -1 none. */
int tui_work_fd(const struct tui_work *self);
/* Hands finished work to its screens; true when there was any. */
bool tui_work_take(struct tui_work *self);

#endif
