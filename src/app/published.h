/* A run held against the published figures that this user has. Main thread. */
#ifndef APP_PUBLISHED_H
#define APP_PUBLISHED_H

#include "result/reference.h"

struct published {
	struct reference_table table;
	struct reference_comparison comparison;
};

/* A file of figures that is faulty is said on standard error; the others count. */
void published_compare(const struct run *run, struct published *out);
/* The faults that reference_load gave, a line each, on standard error; frees them. NULL is fine. */
void published_complain(char *faults);
void published_free(struct published *published);

#endif
