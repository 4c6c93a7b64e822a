/* The gate: the one way to the right to write (DESIGN 4, Gate).
 *
 *   gate_look    reads facts (sysfs, /proc, the content through a read-only descriptor) and lists
 *                everything that speaks against writing. Opens nothing for writing.
 *   gate_admit   the same look, then consent, then O_RDWR|O_EXCL, then identity once more on that
 *                descriptor; only then is there a permit, held until gate_release.
 *
 * Both read the drive and may wait for it: job threads, the runner's starter and headless commands
 * only, never the UI thread. No global state; thread-safe on different targets.
 */
#ifndef SWEEP_GATE_H
#define SWEEP_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/jobs.h"
#include "nvme/inventory.h"
#include "nvme/transport.h"
#include "sweep/target.h"

/* One kind of objection each; the comment says whether a typed serial overrides it. */
enum gate_rule {
	GATE_MOUNTED,         /* never: the device, a partition of it, or the disk it lies on */
	GATE_SWAP,            /* never */
	GATE_HOLDER,          /* never: md, device-mapper and the like sit on it */
	GATE_LOOP_BACKING,    /* never: a file or device that a loop device uses */
	GATE_OPEN_ELSEWHERE,  /* never: another process has it open for writing or exclusively */
	GATE_MEMBER,          /* typed: LVM, md, ZFS, btrfs member, bcache, LUKS ... not in use */
	GATE_SIGNATURE,       /* typed: a file system or a partition table */
	GATE_READ_ONLY,       /* never: sysfs ro, a read-only mount or node */
	GATE_WRITE_PROTECTED, /* never: namespace attributes, critical warning "media read-only" */
	GATE_RESERVED,        /* never: an NVMe reservation that keeps this host from writing */
	GATE_SHARED,          /* typed, always: shared with other hosts, or on fabrics */
	GATE_EMPTY_RANGE,     /* never */
	GATE_ZONED,           /* never: zones that must be written sequentially */
	GATE_FOREIGN_FILE,    /* typed (its name): a file that nvsweep did not make */
	GATE_NOT_STORAGE,     /* never: a file that is a switch of the kernel (sysfs, efivarfs) */
	GATE_UNREADABLE, /* never: a fact could not be found out, so it is not taken for granted; typed:
			  * in a container, from which other programs of the machine cannot be seen */
	GATE_NOT_ASKED,   /* no --write and nothing typed */
	GATE_TYPED_WRONG, /* what was typed is not the identity */
	GATE_BUSY,        /* O_EXCL says that the kernel or somebody uses it */
	GATE_CHANGED,     /* identity or range differ between look and open */
	GATE_RULE_COUNT
};
const char *gate_rule_name(enum gate_rule rule); /* "mounted", for JSON and tests */

#define GATE_FINDINGS_MAX 16
#define GATE_IDENTITY_BYTES 64

struct gate_finding {
	enum gate_rule rule;
	bool overridable; /* by typing the identity */
	char text[256];   /* one sentence that names the device and what to do */
};

/* What a look found. Plain data. */
struct gate_report {
	struct gate_finding findings[GATE_FINDINGS_MAX];
	size_t finding_count;
	bool more;             /* there are further findings that did not fit; counts as one */
	bool simulated;        /* nothing to protect: always admitted */
	bool own_scratch_file; /* nvsweep made it: --write is not even needed */
	/* What must be typed to override: the serial number, or the name of a target without one. */
	char identity[GATE_IDENTITY_BYTES];
	bool identity_is_serial;
	char subject[64];  /* "nvme0n1" */
	char summary[256]; /* "no mount, no holder, no signature on nvme0n1 (serial FAKE0000)", or
			    * the first finding */
};
/* False: --write alone admits it (or nothing at all is needed). True: the identity must be typed, if
 * gate_possible. */
bool gate_needs_typed(const struct gate_report *report);
/* False: nothing that the user types can permit it. */
bool gate_possible(const struct gate_report *report);

#define GATE_TYPED_MAX 64

/* What the user has said. */
struct gate_consent {
	bool write; /* --write, or the field of the form */
	/* --write=SERIAL, may be repeated; each overrides on the target that it names. Copied. */
	char typed[GATE_TYPED_MAX][GATE_IDENTITY_BYTES];
	size_t typed_count;
};

/* Where facts come from; NULL members: the running system. Tests set them. */
struct gate_sources {
	const char *root;                  /* holds "sys" and "proc"; "" for the running system */
	const struct inventory *inventory; /* may be NULL */
	struct transport *transport;       /* for reservations and attributes; may be NULL */
	struct jobs *jobs;         /* whose threads ask the drive; NULL: threads of its own */
	unsigned admin_timeout_ms; /* 0: 5000 */
};

struct gate_lock; /* the permit with its descriptor(s) */

/* Range: offset and length of bytes that are going to be written, within the target. */
int gate_look(const struct sweep_target *target, const struct gate_sources *sources,
	uint64_t offset, uint64_t length, struct gate_report *out, struct err *err);
/* Once, in front of the admission of all targets of a run: a word that was typed and is the identity of
 * none of them is refused, ERR_EXIT_REFUSED. Pure. */
int gate_check_typed(const struct sweep_target *targets, size_t count,
	const struct gate_consent *consent, struct err *err);
/* On success the target's descriptor is the one for writing (the read-only one is closed), and its
 * permit is set; both are valid until gate_release, which the caller calls before
 * sweep_target_close. Refusals are ERR_EXIT_REFUSED with the sentence of the first finding that
 * stands and, where typing helps, what to type. *report (may be NULL) is filled either way. */
int gate_admit(struct sweep_target *target, const struct gate_sources *sources, uint64_t offset,
	uint64_t length, const struct gate_consent *consent, struct gate_report *report,
	struct gate_lock **out, struct err *err);
/* Once more in front of each step that writes: the same drive, still this size, not mounted
 * meanwhile. */
int gate_recheck(const struct gate_lock *lock, struct err *err);
/* NULL is fine. Takes the permit from the target, which then has no descriptor any more. */
void gate_release(struct gate_lock *lock);

#endif
