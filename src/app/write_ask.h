/* What a command says about writing, and what its user has said about it (DESIGN 4, Gate; 7). Main
 * thread. */
#ifndef APP_WRITE_ASK_H
#define APP_WRITE_ASK_H

#include "app/cli.h"
#include "sweep/gate.h"
#include "sweep/write_plan.h"

/* --write and all --write=SERIAL. */
int write_ask_consent(const struct cli *cli, struct gate_consent *out, struct err *err);
/* For each target that is going to be written a line on standard error: bytes, and the share of the
 * rated life. Nothing where nothing writes. inventory may be NULL. Names that are no targets are
 * left to whoever opens them. */
void write_ask_announce(const struct write_question *question, const char *const *targets,
	const struct inventory *inventory);

#endif
