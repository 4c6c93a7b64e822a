/* The rules of the gate: facts in, findings out. Pure. */
#ifndef SWEEP_GATE_RULES_H
#define SWEEP_GATE_RULES_H

#include "sweep/gate.h"
#include "sweep/gate_facts.h"

/* Adds the findings of all rules to the report; those that nothing overrides come first. The report's
 * identity and subject stand already. */
void gate_rules_apply(const struct gate_facts *facts, struct gate_report *report);
/* Adds one finding ahead of those that can be overridden. */
void gate_rules_add(struct gate_report *report, enum gate_rule rule, bool overridable,
	const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
