/* A run held against the published figures that this user has. Main thread. */
#ifndef APP_PUBLISHED_H
#define APP_PUBLISHED_H

#include "base/str.h"
#include "report/text_table.h"
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
/* run_text() with the rank among the published figures. */
void published_run_text(const struct run *run, const struct text_style *style, struct strbuf *out);

#endif
