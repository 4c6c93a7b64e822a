/* The journal of a running run: JSON lines beside the result, written each interval, synced at
 * each point, so that a crash loses at most the last interval. A lock (flock) on the file tells a
 * journal of a live process from one that was left behind. One owner thread. */
#ifndef RESULT_JOURNAL_H
#define RESULT_JOURNAL_H

#include "result/run.h"

struct journal;

/* Creates folder/ID.journal with the run's header. */
int journal_open(const char *folder, const struct run *run, struct journal **out, struct err *err);
/* Each returns -errno with a sentence when the disk is full: the run goes on, the result says so. */
int journal_interval(struct journal *journal, const struct interval *interval, struct err *err);
int journal_point(
	struct journal *journal, const struct run_point *point, bool search, struct err *err);
/* run->prepare as it is now, synced: after the preparation, or a pass of it. */
int journal_prepare(struct journal *journal, const struct run *run, struct err *err);
/* Closes and removes the file (the result has been saved). keep: leave it. */
void journal_close(struct journal *journal, bool keep);
/* Does a living process hold it? Never waits. */
bool journal_is_held(const char *path);
/* What the run was to be: its first line alone, however long it is by now. Caller run_free()s. */
int journal_read_header(const char *path, struct run **out, struct err *err);
/* Rebuilds a run from what a dead process left; the last, possibly cut line is dropped. outcome
 * becomes RUN_ABORTED "the program ended while the test ran". -EBUSY: still being written (then
 * *out is filled too, outcome RUN_RUNNING). */
int journal_recover(const char *path, struct run **out, struct err *err);

#endif
