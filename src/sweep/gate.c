/* The gate: the one place where a permit to write is made. */
#include "sweep/gate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "io/permit.h"
#include "sweep/scratch.h"

struct gate_lock {
	struct io_permit permit;
	struct sweep_target *target;
};

static const char *const rule_names[GATE_RULE_COUNT] = {
	[GATE_MOUNTED] = "mounted",
	[GATE_SWAP] = "swap",
	[GATE_HOLDER] = "holder",
	[GATE_LOOP_BACKING] = "loop_backing",
	[GATE_OPEN_ELSEWHERE] = "open_elsewhere",
	[GATE_MEMBER] = "member",
	[GATE_SIGNATURE] = "signature",
	[GATE_READ_ONLY] = "read_only",
	[GATE_WRITE_PROTECTED] = "write_protected",
	[GATE_RESERVED] = "reserved",
	[GATE_SHARED] = "shared",
	[GATE_EMPTY_RANGE] = "empty_range",
	[GATE_ZONED] = "zoned",
	[GATE_FOREIGN_FILE] = "foreign_file",
	[GATE_UNREADABLE] = "unreadable",
	[GATE_NOT_ASKED] = "not_asked",
	[GATE_TYPED_WRONG] = "typed_wrong",
	[GATE_BUSY] = "busy",
	[GATE_CHANGED] = "changed",
};

const char *gate_rule_name(enum gate_rule rule)
{
	return rule < GATE_RULE_COUNT ? rule_names[rule] : "unknown";
}

bool gate_needs_typed(const struct gate_report *report)
{
	return report->finding_count > 0;
}

bool gate_possible(const struct gate_report *report)
{
	for (size_t i = 0; i < report->finding_count; i++)
		if (!report->findings[i].overridable)
			return false;
	return !report->more;
}

static void find(struct gate_report *out, enum gate_rule rule, const char *text)
{
	struct gate_finding *finding = &out->findings[out->finding_count++];

	*finding = (struct gate_finding){.rule = rule};
	str_copy(finding->text, sizeof(finding->text), text);
}

int gate_look(const struct sweep_target *target, const struct gate_sources *sources,
	uint64_t offset, uint64_t length, struct gate_report *out, struct err *err)
{
	const struct io_target *io = &target->io;
	char text[256];

	(void)sources;
	(void)err;
	*out = (struct gate_report){.simulated = target->info.simulated};
	str_copy(out->subject, sizeof(out->subject), target->info.name);
	out->identity_is_serial = target->info.serial[0] != '\0' && !target->is_file;
	str_copy(out->identity, sizeof(out->identity),
		out->identity_is_serial ? target->info.serial : target->info.name);
	if (!length || offset > io->size_bytes || length > io->size_bytes - offset) {
		str_format(text, sizeof(text), "%s: the range to write is empty or past its end",
			out->subject);
		find(out, GATE_EMPTY_RANGE, text);
	}
	out->own_scratch_file = target->is_file && scratch_is_ours(target->info.path);
	if (!out->simulated && !out->own_scratch_file) {
		str_format(text, sizeof(text),
			"%s: only simulated drives and files that nvsweep made (--size) can be "
			"written",
			out->subject);
		find(out, GATE_UNREADABLE, text);
	}
	str_copy(out->summary, sizeof(out->summary),
		out->finding_count       ? out->findings[0].text
			: out->simulated ? "a simulated drive: there is nothing to protect"
					 : "nvsweep made this file");
	return 0;
}

/* Opens for writing what the target has open for reading, and nothing else. */
static int open_file(struct gate_lock *lock, struct err *err)
{
	struct io_target *io = &lock->target->io;
	const int flags = fcntl(io->fd, F_GETFL);
	char path[64];
	struct stat reading, writing;
	int fd;

	str_format(path, sizeof(path), "/proc/self/fd/%d", io->fd);
	fd = open(path, O_RDWR | O_CLOEXEC | (flags & O_DIRECT));
	if (fd < 0)
		return err_set(err, -errno, "cannot open %s for writing: %s", io->name,
			err_errno_text(errno));
	if (fstat(io->fd, &reading) || fstat(fd, &writing) || reading.st_dev != writing.st_dev ||
		reading.st_ino != writing.st_ino || !S_ISREG(writing.st_mode) ||
		(uint64_t)writing.st_size != io->size_bytes) {
		close(fd);
		return err_set_exit(err, ERR_EXIT_REFUSED, -ESTALE,
			"%s changed while it was opened: try again", io->name);
	}
	close(io->fd);
	io->fd = fd;
	lock->permit.fd = fd;
	lock->permit.device = writing.st_dev;
	return 0;
}

int gate_admit(struct sweep_target *target, const struct gate_sources *sources, uint64_t offset,
	uint64_t length, const struct gate_consent *consent, struct gate_report *report,
	struct gate_lock **out, struct err *err)
{
	struct gate_report own;
	struct gate_lock *lock;
	int rc;

	(void)consent;
	*out = NULL;
	if (!report)
		report = &own;
	rc = gate_look(target, sources, offset, length, report, err);
	if (rc)
		return rc;
	if (report->finding_count)
		return err_set_exit(err, ERR_EXIT_REFUSED, -EPERM, "%s", report->findings[0].text);
	lock = mem_alloc(sizeof(*lock));
	*lock = (struct gate_lock){
		.target = target, .permit = {.fd = -1, .offset = offset, .length = length}};
	rc = report->simulated ? 0 : open_file(lock, err);
	if (rc) {
		free(lock);
		return rc;
	}
	target->io.permit = &lock->permit;
	*out = lock;
	return 0;
}

int gate_recheck(const struct gate_lock *lock, struct err *err)
{
	struct stat st;

	if (lock->permit.fd < 0)
		return 0;
	if (fstat(lock->permit.fd, &st) || st.st_dev != lock->permit.device ||
		(uint64_t)st.st_size != lock->target->io.size_bytes)
		return err_set_exit(err, ERR_EXIT_REFUSED, -ESTALE, "%s changed its size",
			lock->target->io.name);
	return 0;
}

void gate_release(struct gate_lock *lock)
{
	if (!lock)
		return;
	lock->target->io.permit = NULL;
	if (lock->permit.fd >= 0) {
		close(lock->permit.fd);
		lock->target->io.fd = -1;
	}
	free(lock);
}
