/* Workload files (configs/workloads/NAME.ini) to validated structures (METHODS 3). A workload is
 * data: adding one needs no C. Read-only after loading. */
#ifndef SWEEP_WORKLOAD_H
#define SWEEP_WORKLOAD_H

#include <stdbool.h>

#include "base/err.h"
#include "io/load.h"

struct workload {
	char name[48];
	char title[80]; /* "4K random read" */
	char help[400]; /* what it stands for */
	char basis[16]; /* "L", "P, L", "R, L" (METHODS 3) */
	char basis_text[160];
	bool mix_unknown; /* comparisons with published figures are marked */
	uint32_t outstanding;
	struct io_stream streams[IO_STREAM_MAX];
	uint32_t stream_count;
	double read_share; /* of all I/O, over streams */
	double random_share;
	uint64_t mean_block_bytes;
	bool writes;      /* read_share < 1 */
	char origin[256]; /* path, or "built-in ..." */
	char *text;       /* the file as it was read; owned */
};

/* By name, or a path that contains '/' or ends in ".ini". Unknown: the nearest name. */
int workload_load(const char *name, struct workload **out, struct err *err);
/* From the text of a file; origin says where it is from. */
int workload_from_text(const char *name, const char *origin, const char *text,
	struct workload **out, struct err *err);
void workload_free(struct workload *workload);
/* All of them, in the order of METHODS 3, then others by name; caller frees with
 * workload_list_free. A file with a fault is reported in *faults (one line each, caller frees). */
int workload_list(struct workload ***out, size_t *count, char **faults, struct err *err);
void workload_list_free(struct workload **list, size_t count);
/* "8 KiB, 70 % read, random, 64 outstanding" */
void workload_summary(const struct workload *workload, char *buf, size_t size);

#endif
