/* The sweep form's inner parts: its fields (sweep_fields.c) and what stands beside them
 * (sweep_form.c). UI thread. */
#ifndef SCREENS_SWEEP_FORM_H
#define SCREENS_SWEEP_FORM_H

#include "result/run.h"
#include "screens/screen.h"
#include "screens/sweep_writes.h"
#include "sweep/options.h"
#include "sweep/workload.h"

struct sweep_form {
	struct screen screen;
	struct form *form;
	struct workload **workloads;
	size_t workload_count;
	bool advanced, advanced_asked; /* shown; and by the user's word, not by the room */
	/* read from the fields by sweep_fields_read */
	struct options options;
	const struct workload *workload; /* NULL: there is none */
	char method[24];
	char targets[SWEEP_TARGETS_MAX][256];
	struct run_target infos[SWEEP_TARGETS_MAX]; /* name alone where it cannot be described */
	size_t target_count;
	uint64_t target_bytes; /* of the first; 0 not known */
	bool simulated;        /* the first is */
	char described[512];   /* the target text that the note is about */
	char estimate[64];
	char refused[256]; /* why nothing can run; "" */
	char problem[512]; /* of the last start; "" */
	int64_t asked;     /* when the start was asked for */
	char notice[512];  /* faulty workload files */
	int64_t minute;
	struct sweep_writes write;
};

/* Makes the form; loads the workloads. */
void sweep_fields_create(struct sweep_form *sweep, const char *target);
/* Takes all values over, hides what the method has no use for, renews notes and estimate. */
void sweep_fields_read(struct sweep_form *sweep);
/* The field in focus is one to choose from: its list, *selected its value; NULL otherwise. The
 * caller frees with sweep_fields_choices_free. */
char **sweep_fields_choices(const struct sweep_form *sweep, size_t *selected);
void sweep_fields_choices_free(char **choices);
/* The fill before the test writes all of the device, not the area alone. */
bool sweep_form_fills_device(const struct sweep_form *sweep);
/* The key for EXPLAIN of the field in focus. */
void sweep_fields_explain_key(const struct sweep_form *sweep, char *buf, size_t size);
/* 0, or the sentence why the target cannot be tested. */
int sweep_fields_check_target(const struct sweep_form *sweep, const char *name, struct err *err);

#endif
