/* The findings of `doctor`: rows of section, name, value, judgement, advice. */
#ifndef APP_DOCTOR_H
#define APP_DOCTOR_H

#include <stddef.h>

#include "conf/settings.h"

enum doctor_state {
	DOCTOR_INFO, /* a fact */
	DOCTOR_GOOD,
	DOCTOR_POOR, /* something works less well or is not shown */
	DOCTOR_BAD   /* a test cannot run */
};

struct doctor_row {
	const char *section; /* "kernel" */
	char name[48];       /* a key of the JSON document: lower case with _ */
	char value[256];
	enum doctor_state state;
	char advice[256]; /* what to do; may be "" */
};

#define DOCTOR_ROWS_MAX 96
struct doctor {
	const struct settings *settings; /* borrowed */
	struct doctor_row rows[DOCTOR_ROWS_MAX];
	size_t count;
};

/* Adds a row; returns it so that advice can be set. What does not fit is dropped. */
struct doctor_row *doctor_add(struct doctor *doctor, const char *section, const char *name,
	enum doctor_state state, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* One function per section. */
void doctor_libraries(struct doctor *doctor);
void doctor_kernel(struct doctor *doctor);
void doctor_rights(struct doctor *doctor);
void doctor_limits(struct doctor *doctor);
void doctor_paths(struct doctor *doctor);
void doctor_terminal(struct doctor *doctor);

#endif
