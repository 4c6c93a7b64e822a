/* Saved runs: one JSON file per run in the runs folder (DESIGN 4 Results). */
#ifndef RESULT_STORE_H
#define RESULT_STORE_H

#include "base/json.h"
#include "result/marks.h"
#include "result/run.h"

/* What a list of runs shows, without loading histograms. */
struct store_entry {
	char id[48];
	char path[512];
	int64_t started, ended;
	int64_t written_ns; /* the file's time: tells runs of the same second apart */
	char workload[48], method[24], target[64], model[48];
	enum run_outcome outcome;
	bool partial; /* recovered from a journal */
	bool running; /* being written by a live process */
	bool simulated;
	uint32_t point_count;
	double peak_iops, peak_mib_s, peak_mean_ns; /* NaN without points */
	struct run_marks marks;
	char fault[160]; /* file could not be read: why; other fields then hold the name only */
};

/* The folder of settings, or $XDG_STATE_HOME/nvsweep/runs: its name alone, for reading. */
int store_folder_name(const char *configured, char *buf, size_t size, struct err *err);
/* The same, made when needed. */
int store_folder(const char *configured, char *buf, size_t size, struct err *err);
/* Newest first; journals without a result are listed as partial. Caller frees. A missing folder is
 * an empty list. */
int store_list(const char *folder, struct store_entry **out, size_t *count, struct err *err);
/* id: whole, or a prefix that only one run has, or "last". Not found: names the nearest. */
int store_find(const char *folder, const char *id, struct store_entry *out, struct err *err);
/* The same within a list. */
int store_pick(const struct store_entry *entries, size_t count, const char *id, size_t *index,
	struct err *err);
int store_load(const struct store_entry *entry, struct run **out, struct err *err);
/* The run's whole document, also what this version does not know of it. The caller frees. */
int store_document(const struct store_entry *entry, struct json **out, struct err *err);
/* Temp file, fsync, rename. path (may be NULL) gets where it is. */
int store_save(const char *folder, const struct run *run, char *path, size_t size, struct err *err);
/* Writes other tags and another note into the run's own file, by temp file, fsync, rename; nothing
 * else of the file changes, also what this version does not know. A run of which there is only a
 * journal (partial) is saved as a result first. -EBUSY while it is running; -ESTALE when the run
 * is gone. entry gets the marks, and the path when that changed. */
int store_set_marks(struct store_entry *entry, const struct run_marks *marks, struct err *err);
/* Removes the result and the journal. -EBUSY while it is running; a run that is gone already is
 * -ENOENT. Files that cannot be read can be deleted too. */
int store_delete(const struct store_entry *entry, struct err *err);
/* To a file of the user's choice (-o), or standard output for "-". */
int store_export(const struct run *run, const char *path, struct err *err);

#endif
