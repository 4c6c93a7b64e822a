/* Other processes that have a target open, from /proc. */
#ifndef SWEEP_GATE_OPENERS_H
#define SWEEP_GATE_OPENERS_H

#include "sweep/gate_facts.h"
#include "sweep/gate_family.h"

/* What processes that cannot be looked into (other users', outside of a container) mean. */
enum gate_hidden {
	GATE_HIDDEN_REFUSES,
	GATE_HIDDEN_TYPED,   /* a file that of them root alone may open for writing */
	GATE_HIDDEN_IGNORED, /* and that nvsweep made besides */
};

/* Adds an OPEN_ELSEWHERE for each process that has a member of the family open: harmless when only for
 * reading (udev and monitoring do so all the time; when they claim it, O_EXCL says so). Open for
 * writing counts, and any descriptor of a generic NVMe device, through which commands go. This process
 * itself does not count. */
void gate_openers_read(
	const struct gate_family *family, enum gate_hidden hidden, struct gate_facts *facts);

#endif
