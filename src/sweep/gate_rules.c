/* What speaks against writing. One function per kind of objection; each sentence names the device, what
 * is wrong and what to do. */
#include "sweep/gate_rules.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

#define LISTED 3 /* users or signatures that a sentence names */

void gate_rules_add(
	struct gate_report *report, enum gate_rule rule, bool overridable, const char *format, ...)
{
	size_t at = report->finding_count;
	struct gate_finding finding = {.rule = rule, .overridable = overridable};
	va_list args;

	va_start(args, format);
	vsnprintf(finding.text, sizeof(finding.text), format, args);
	va_end(args);
	/* what nothing overrides stands in front, and is never the one that finds no room */
	if (!overridable)
		for (at = 0; at < report->finding_count && !report->findings[at].overridable; at++)
			;
	if (report->finding_count == GATE_FINDINGS_MAX) {
		report->more = true;
		if (at == GATE_FINDINGS_MAX)
			return;
		report->finding_count--;
	}
	memmove(&report->findings[at + 1], &report->findings[at],
		(report->finding_count - at) * sizeof(finding));
	report->findings[at] = finding;
	report->finding_count++;
}

/* ---- in use --------------------------------------------------------------------------------- */

struct use_words {
	enum gate_rule rule;
	const char *between; /* "nvme0n1p2 is mounted on /home" */
	const char *remedy;
};

static void rule_use(
	const struct gate_facts *facts, const struct use_words *words, struct gate_report *report)
{
	char text[sizeof(report->findings[0].text)] = "";
	size_t count = 0;

	for (size_t i = 0; i < facts->use_count; i++) {
		const struct gate_use *use = &facts->uses[i];

		if (use->rule != words->rule || use->harmless)
			continue;
		if (count++ < LISTED)
			str_append(text, sizeof(text) - 64, "%s%s%s%s", count > 1 ? ", " : "",
				use->device, words->between, use->by);
	}
	if (!count)
		return;
	if (count > LISTED)
		str_append(text, sizeof(text) - 64, " and %zu more", count - LISTED);
	str_append(text, sizeof(text), ": %s", words->remedy);
	gate_rules_add(report, words->rule, false, "%s", text);
}

static void rules_use(const struct gate_facts *facts, struct gate_report *report)
{
	static const struct use_words words[] = {
		{GATE_MOUNTED, " is mounted on ", "unmount it first"},
		{GATE_SWAP, " is used as ", "swapoff it first"},
		{GATE_HOLDER, " is used by ", "stop that first"},
		{GATE_LOOP_BACKING, " is the backing of ", "losetup --detach it first"},
		{GATE_OPEN_ELSEWHERE, " is open for writing in ", "end that program first"},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		rule_use(facts, &words[i], report);
	if (facts->uses_cut)
		gate_rules_add(report, GATE_HOLDER, false,
			"%s has more users than can be listed here: stop them first",
			facts->subject);
}

/* ---- what lies on it ------------------------------------------------------------------------ */

static void rule_content(const struct gate_facts *facts, bool member, struct gate_report *report)
{
	char text[sizeof(report->findings[0].text)] = "";
	size_t count = 0;

	for (size_t i = 0; i < facts->signature_count; i++) {
		const struct gate_signature *s = &facts->signatures[i];

		if (s->member != member || ++count > LISTED)
			continue;
		str_append(text, sizeof(text) - 64, "%s%s holds %s%s%s%s", count > 1 ? ", " : "",
			s->device, s->table ? "a partition table, " : "", s->type,
			s->label[0] ? " " : "", s->label);
	}
	if (!count)
		return;
	if (count > LISTED)
		str_append(text, sizeof(text) - 64, " and %zu more", count - LISTED);
	gate_rules_add(report, member ? GATE_MEMBER : GATE_SIGNATURE, true,
		"%s: writing destroys it", text);
}

static void rules_content(const struct gate_facts *facts, struct gate_report *report)
{
	rule_content(facts, true, report);
	rule_content(facts, false, report);
	if (facts->signatures_cut)
		gate_rules_add(report, GATE_SIGNATURE, true,
			"%s holds more than can be listed here: writing destroys it",
			facts->subject);
	if (facts->is_file && !facts->own_file)
		gate_rules_add(report, GATE_FOREIGN_FILE, !facts->name_too_long,
			facts->name_too_long
				? "%s was not made by nvsweep, and its name is too long to be typed: "
				  "rename it"
				: "%s was not made by nvsweep: writing destroys its content (--size "
				  "with a new name makes a file)",
			facts->subject);
}

/* ---- the device itself ---------------------------------------------------------------------- */

static void rules_range(const struct gate_facts *facts, struct gate_report *report)
{
	if (!facts->length)
		gate_rules_add(report, GATE_EMPTY_RANGE, false,
			"%s: the range to be written is empty (0 bytes, which never means all of it)",
			facts->subject);
	else if (facts->offset > facts->size_bytes ||
		facts->length > facts->size_bytes - facts->offset)
		gate_rules_add(report, GATE_EMPTY_RANGE, false,
			"%s: %" PRIu64 " bytes at %" PRIu64 " reach past its end at %" PRIu64,
			facts->subject, facts->length, facts->offset, facts->size_bytes);
	else if (facts->lba_bytes &&
		(facts->offset % facts->lba_bytes || facts->length % facts->lba_bytes))
		gate_rules_add(report, GATE_EMPTY_RANGE, false,
			"%s: the range to be written is not one of whole blocks of %u bytes",
			facts->subject, facts->lba_bytes);
}

static void rules_device(const struct gate_facts *facts, struct gate_report *report)
{
	if (facts->read_only[0])
		gate_rules_add(report, GATE_READ_ONLY, false, "%s cannot be written: %s",
			facts->subject, facts->read_only);
	if (facts->not_storage[0])
		gate_rules_add(report, GATE_NOT_STORAGE, false,
			"%s is a switch of the kernel (%s), not storage: name a drive or a file",
			facts->subject, facts->not_storage);
	if (facts->hidden)
		gate_rules_add(report, GATE_UNREADABLE, false,
			"%s is one path of a multipath namespace: name the namespace",
			facts->subject);
	/* host-aware zones take random writes */
	if (!strcmp(facts->zoned, "host-managed"))
		gate_rules_add(report, GATE_ZONED, false,
			"%s has zones that must be written sequentially, which nvsweep does not do",
			facts->subject);
}

static void rules_nvme(const struct gate_facts *facts, struct gate_report *report)
{
	static const char *const types[] = {"", "write exclusive", "exclusive access",
		"write exclusive, registrants only", "exclusive access, registrants only",
		"write exclusive, all registrants", "exclusive access, all registrants"};
	const struct gate_nvme *nvme = &facts->nvme;

	if (!nvme->present)
		return;
	if (nvme->namespace_known && nvme->write_protected)
		gate_rules_add(report, GATE_WRITE_PROTECTED, false,
			"%s is write-protected by the drive (namespace attributes): nvme "
			"set-feature 0x84 lifts it",
			facts->subject);
	if (nvme->health_known && nvme->media_read_only)
		gate_rules_add(report, GATE_WRITE_PROTECTED, false,
			"%s: the drive says that its medium has become read-only (critical "
			"warning, bit 3): replace it",
			facts->subject);
	if (nvme->reservation_known && nvme->reservation_excludes)
		gate_rules_add(report, GATE_RESERVED, false,
			"%s is reserved for another host (%s, %u registered): release it there "
			"first",
			facts->subject,
			nvme->reservation_type < sizeof(types) / sizeof(types[0])
				? types[nvme->reservation_type]
				: "unknown type",
			nvme->registrants);
	if (nvme->fabrics)
		gate_rules_add(report, GATE_SHARED, true,
			"%s is reached over %s: another host may use it, which cannot be seen from "
			"here",
			facts->subject, nvme->transport);
	else if (nvme->namespace_known && nvme->shared)
		gate_rules_add(report, GATE_SHARED, true,
			"%s can be attached to several controllers: another host may use it, which "
			"cannot be seen from here",
			facts->subject);
}

static void rules_unknown(const struct gate_facts *facts, struct gate_report *report)
{
	for (size_t i = 0; i < facts->unknown_count; i++)
		gate_rules_add(report, GATE_UNREADABLE, facts->unknown[i].overridable, "%s: %s",
			facts->subject, facts->unknown[i].text);
	if (facts->unknown_cut)
		gate_rules_add(report, GATE_UNREADABLE, false,
			"%s: too much cannot be found out about it", facts->subject);
}

void gate_rules_apply(const struct gate_facts *facts, struct gate_report *report)
{
	rules_range(facts, report);
	if (facts->simulated)
		return;
	rules_use(facts, report);
	rules_device(facts, report);
	rules_nvme(facts, report);
	rules_content(facts, report);
	rules_unknown(facts, report);
}
