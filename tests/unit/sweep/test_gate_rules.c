/* The gate's rules on facts made by hand: each kind of objection, alone and together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "sweep/gate_rules.h"

#define MIB ((uint64_t)1 << 20)

static struct gate_facts facts;
static struct gate_report report;

/* A blank drive that nobody uses. */
static int setup(void **state)
{
	(void)state;
	facts = (struct gate_facts){.subject = "nvme0n1",
		.length = MIB,
		.size_bytes = 8 * MIB,
		.lba_bytes = 512,
		.zoned = "none",
		.nvme = {.present = true,
			.transport = "pcie",
			.namespace_known = true,
			.health_known = true,
			.reservation_known = true}};
	report = (struct gate_report){0};
	return 0;
}

static void apply(void)
{
	report = (struct gate_report){0};
	gate_rules_apply(&facts, &report);
}

/* Exactly one objection, of this kind; its sentence holds both words. */
static void expect(enum gate_rule rule, bool overridable, const char *word, const char *word2)
{
	apply();
	assert_int_equal(report.finding_count, 1);
	assert_string_equal(gate_rule_name(report.findings[0].rule), gate_rule_name(rule));
	assert_int_equal(report.findings[0].overridable, overridable);
	assert_non_null(strstr(report.findings[0].text, word));
	assert_non_null(strstr(report.findings[0].text, word2));
	assert_int_equal(gate_possible(&report), overridable);
	assert_true(gate_needs_typed(&report));
}

static void test_blank(void **state)
{
	(void)state;
	apply();
	assert_int_equal(report.finding_count, 0);
	assert_true(gate_possible(&report));
	assert_false(gate_needs_typed(&report));
}

static void test_uses(void **state)
{
	static const struct {
		enum gate_rule rule;
		const char *by;
	} uses[] = {{GATE_MOUNTED, "/home"}, {GATE_SWAP, "swap"}, {GATE_HOLDER, "dm-0 (vg-root)"},
		{GATE_LOOP_BACKING, "loop3"}, {GATE_OPEN_ELSEWHERE, "qemu (pid 812)"}};

	for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
		setup(state);
		gate_facts_use(&facts, uses[i].rule, "nvme0n1p2", "%s", uses[i].by)->harmless =
			false;
		expect(uses[i].rule, false, "nvme0n1p2", uses[i].by);
	}
}

/* udev and monitoring read all the time. */
static void test_reader(void **state)
{
	(void)state;
	gate_facts_use(&facts, GATE_OPEN_ELSEWHERE, "nvme0n1", "udevd (pid 7)");
	apply();
	assert_int_equal(report.finding_count, 0);
}

/* More users than a sentence holds, and than the facts hold: never fewer objections for it. */
static void test_many_uses(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++)
		gate_facts_use(&facts, GATE_MOUNTED, "nvme0n1p2", "/mnt/%d", i);
	expect(GATE_MOUNTED, false, "/mnt/2", "and 2 more");
	for (int i = 0; i < 200; i++)
		gate_facts_use(&facts, GATE_OPEN_ELSEWHERE, "nvme0n1", "reader (pid %d)", i);
	assert_true(facts.uses_cut);
	apply();
	assert_int_equal(report.finding_count, 2);
	assert_false(gate_possible(&report));
	/* the same one twice is one */
	setup(state);
	gate_facts_use(&facts, GATE_MOUNTED, "nvme0n1p2", "/home");
	gate_facts_use(&facts, GATE_MOUNTED, "nvme0n1p2", "/home");
	assert_int_equal(facts.use_count, 1);
}

static void test_content(void **state)
{
	const struct gate_signature lvm = {"nvme0n1", "LVM2_member", "", true, false},
				    ext4 = {"nvme0n1p1", "ext4", "backup", false, false},
				    gpt = {"nvme0n1", "gpt", "", false, true};

	(void)state;
	gate_facts_signature(&facts, &lvm);
	expect(GATE_MEMBER, true, "nvme0n1", "LVM2_member");
	setup(state);
	gate_facts_signature(&facts, &ext4);
	expect(GATE_SIGNATURE, true, "nvme0n1p1", "ext4 backup");
	setup(state);
	gate_facts_signature(&facts, &gpt);
	expect(GATE_SIGNATURE, true, "partition table", "gpt");
	for (int i = 0; i < 20; i++) {
		struct gate_signature more = ext4;

		str_format(more.device, sizeof(more.device), "nvme0n1p%d", i);
		gate_facts_signature(&facts, &more);
	}
	assert_true(facts.signatures_cut);
	apply();
	assert_int_equal(report.finding_count, 2);
	assert_true(gate_possible(&report));
}

static void test_range(void **state)
{
	(void)state;
	facts.length = 0;
	expect(GATE_EMPTY_RANGE, false, "nvme0n1", "empty");
	facts.length = 8 * MIB + 512;
	expect(GATE_EMPTY_RANGE, false, "nvme0n1", "past its end");
	facts.offset = 8 * MIB;
	facts.length = 512;
	expect(GATE_EMPTY_RANGE, false, "nvme0n1", "past its end");
	facts.offset = UINT64_MAX - 511;
	facts.length = 1024;
	expect(GATE_EMPTY_RANGE, false, "nvme0n1", "past its end");
	facts.offset = 100;
	facts.length = 512;
	expect(GATE_EMPTY_RANGE, false, "nvme0n1", "whole blocks");
	/* a simulated drive has nothing to lose, but a range all the same */
	setup(state);
	facts.simulated = true;
	facts.length = 0;
	expect(GATE_EMPTY_RANGE, false, "nvme0n1", "empty");
}

static void test_device(void **state)
{
	(void)state;
	str_copy(facts.read_only, sizeof(facts.read_only), "the kernel has it as read-only");
	expect(GATE_READ_ONLY, false, "nvme0n1", "read-only");
	setup(state);
	facts.hidden = true;
	expect(GATE_UNREADABLE, false, "nvme0n1", "path of a multipath");
	setup(state);
	str_copy(facts.zoned, sizeof(facts.zoned), "host-managed");
	expect(GATE_ZONED, false, "nvme0n1", "sequentially");
	str_copy(facts.zoned, sizeof(facts.zoned), "host-aware");
	apply();
	assert_int_equal(report.finding_count, 0);
}

static void test_file(void **state)
{
	(void)state;
	facts.nvme.present = false;
	facts.is_file = true;
	str_copy(facts.subject, sizeof(facts.subject), "disk.img");
	expect(GATE_FOREIGN_FILE, true, "disk.img", "not made by nvsweep");
	facts.name_too_long = true;
	expect(GATE_FOREIGN_FILE, false, "disk.img", "rename it");
	facts.own_file = true;
	apply();
	assert_int_equal(report.finding_count, 0);
	str_copy(facts.not_storage, sizeof(facts.not_storage), "efivarfs");
	expect(GATE_NOT_STORAGE, false, "disk.img", "efivarfs");
}

static void test_nvme(void **state)
{
	(void)state;
	facts.nvme.write_protected = true;
	expect(GATE_WRITE_PROTECTED, false, "nvme0n1", "namespace attributes");
	setup(state);
	facts.nvme.media_read_only = true;
	expect(GATE_WRITE_PROTECTED, false, "nvme0n1", "bit 3");
	setup(state);
	facts.nvme.reservation_excludes = true;
	facts.nvme.reservation_type = 3;
	facts.nvme.registrants = 2;
	expect(GATE_RESERVED, false, "registrants only", "2 registered");
	facts.nvme.reservation_type = 250;
	expect(GATE_RESERVED, false, "nvme0n1", "unknown type");
	setup(state);
	facts.nvme.shared = true;
	expect(GATE_SHARED, true, "nvme0n1", "several controllers");
	setup(state);
	facts.nvme.fabrics = true;
	str_copy(facts.nvme.transport, sizeof(facts.nvme.transport), "tcp");
	expect(GATE_SHARED, true, "nvme0n1", "over tcp");
}

static void test_unknown(void **state)
{
	(void)state;
	gate_facts_unknown(&facts, false, "who has it open cannot be seen");
	expect(GATE_UNREADABLE, false, "nvme0n1", "cannot be seen");
	setup(state);
	gate_facts_unknown(&facts, true, "this is a container");
	expect(GATE_UNREADABLE, true, "nvme0n1", "container");
	for (int i = 0; i < 20; i++)
		gate_facts_unknown(&facts, true, "fact %d", i);
	apply();
	assert_true(facts.unknown_cut);
	assert_false(gate_possible(&report));
}

/* What nothing overrides stands first, and is kept when there is no room for all. */
static void test_order(void **state)
{
	(void)state;
	for (int i = 0; i < GATE_FINDINGS_MAX; i++)
		gate_rules_add(&report, GATE_SIGNATURE, true, "signature %d", i);
	assert_false(report.more);
	gate_rules_add(&report, GATE_MOUNTED, false, "mounted");
	assert_true(report.more);
	assert_int_equal(report.finding_count, GATE_FINDINGS_MAX);
	assert_int_equal(report.findings[0].rule, GATE_MOUNTED);
	assert_string_equal(report.findings[1].text, "signature 0");
	assert_false(gate_possible(&report));
	report = (struct gate_report){0};
	for (int i = 0; i < GATE_FINDINGS_MAX; i++)
		gate_rules_add(&report, GATE_MOUNTED, false, "mounted %d", i);
	gate_rules_add(&report, GATE_SWAP, false, "swap");
	assert_int_equal(report.finding_count, GATE_FINDINGS_MAX);
	assert_true(report.more);
	/* what found no room may be anything: also with only milder ones in sight */
	report = (struct gate_report){.more = true};
	assert_false(gate_possible(&report));
}

static void test_names(void **state)
{
	(void)state;
	for (int i = 0; i < GATE_RULE_COUNT; i++)
		assert_non_null(gate_rule_name((enum gate_rule)i));
	assert_string_equal(gate_rule_name(GATE_RULE_COUNT), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test_setup(test_blank, setup),
		cmocka_unit_test_setup(test_uses, setup),
		cmocka_unit_test_setup(test_reader, setup),
		cmocka_unit_test_setup(test_many_uses, setup),
		cmocka_unit_test_setup(test_content, setup),
		cmocka_unit_test_setup(test_range, setup),
		cmocka_unit_test_setup(test_device, setup),
		cmocka_unit_test_setup(test_file, setup), cmocka_unit_test_setup(test_nvme, setup),
		cmocka_unit_test_setup(test_unknown, setup),
		cmocka_unit_test_setup(test_order, setup),
		cmocka_unit_test_setup(test_names, setup)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
