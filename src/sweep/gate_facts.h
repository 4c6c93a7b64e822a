/* What the gate knows of a target before it judges: who uses it, what lies on it, what the drive says.
 * Plain data; gathered without opening anything for writing. */
#ifndef SWEEP_GATE_FACTS_H
#define SWEEP_GATE_FACTS_H

#include <sys/types.h>

#include "sweep/gate.h"
#include "sweep/gate_nvme.h"

/* Somebody uses the target, or what a write to it would touch. */
struct gate_use {
	enum gate_rule rule; /* MOUNTED, SWAP, HOLDER, LOOP_BACKING or OPEN_ELSEWHERE */
	bool harmless;       /* OPEN_ELSEWHERE: open for reading only */
	char device[64];     /* what is used: "nvme0n1p2", a file's name */
	char by[160];        /* the user: "/home", "dm-0 (vg-root)", "qemu (pid 812)" */
};

struct gate_signature {
	char device[64]; /* where it lies: the target itself, or a partition of it */
	char type[40];   /* "ext4", "LVM2_member", "gpt" */
	char label[64];  /* "" none */
	bool member;     /* of something larger: LVM, md, ZFS, LUKS... */
	bool table;      /* a partition table */
};

/* A fact that could not be found out. */
struct gate_unknown {
	bool overridable;
	char text[200]; /* what, why and what to do; without the subject */
};

#define GATE_SIGNATURES_MAX 16
#define GATE_UNKNOWN_MAX 8
#define GATE_USES_MAX 64

struct gate_facts {
	char subject[64]; /* "nvme0n1" */
	bool simulated, is_file;
	bool generic;     /* a character device of NVMe: commands go through it */
	char sibling[64]; /* the block device beside a generic one; "" none */
	dev_t sibling_device;
	bool own_file;           /* made by nvsweep, and still that file */
	bool name_too_long;      /* of a file: cannot be typed */
	char not_storage[32];    /* a file of such a file system: "sysfs"; "" it is storage */
	bool hidden;             /* a path of a multipath head */
	uint64_t offset, length; /* to be written */
	uint64_t size_bytes;
	uint32_t lba_bytes;
	char read_only[128]; /* why it cannot be written; "" it can */
	char zoned[16];      /* "none", "host-aware", "host-managed" */
	struct gate_nvme nvme;
	struct gate_use uses[GATE_USES_MAX];
	size_t use_count;
	bool uses_cut; /* there are more */
	struct gate_signature signatures[GATE_SIGNATURES_MAX];
	size_t signature_count;
	bool signatures_cut;
	struct gate_unknown unknown[GATE_UNKNOWN_MAX];
	size_t unknown_count;
	bool unknown_cut;
};

enum gate_depth {
	GATE_QUICK, /* what changes quickly: uses and read-only; asks no drive */
	GATE_FULL,
};

/* fd: open on the target, for reading at least. What cannot be found out stands in out->unknown;
 * an error is something that leaves nothing to judge. Blocks on the drive when FULL. */
int gate_facts_read(const struct sweep_target *target, int fd, const struct gate_sources *sources,
	uint64_t offset, uint64_t length, enum gate_depth depth, struct gate_facts *out,
	struct err *err);

/* For the files that gather: by is sanitised; a repetition is dropped. */
struct gate_use *gate_facts_use(struct gate_facts *facts, enum gate_rule rule, const char *device,
	const char *format, ...) __attribute__((format(printf, 4, 5)));
void gate_facts_signature(struct gate_facts *facts, const struct gate_signature *signature);
void gate_facts_unknown(struct gate_facts *facts, bool overridable, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
