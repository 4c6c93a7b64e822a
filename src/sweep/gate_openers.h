/* Other processes that have a target open, from /proc. */
#ifndef SWEEP_GATE_OPENERS_H
#define SWEEP_GATE_OPENERS_H

#include "sweep/gate_facts.h"
#include "sweep/gate_family.h"

/* Adds an OPEN_ELSEWHERE for each process that has a member of the family open: harmless when only for
 * reading (udev and monitoring do so all the time; when they claim it, O_EXCL says so). Open for
 * writing counts, and any descriptor of a generic NVMe device, through which commands go. This process
 * itself does not count. private_file: a file that only its owner may open, so that processes that
 * cannot be looked into do not matter. */
void gate_openers_read(
	const struct gate_family *family, bool private_file, struct gate_facts *facts);

#endif
