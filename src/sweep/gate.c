/* The gate: the one place where a permit to write is made. The order is the point: all rules on a
 * descriptor for reading, then consent, then O_RDWR|O_EXCL, then identity and what changes quickly once
 * more on that descriptor, and only then the permit. */
#include "sweep/gate.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "io/permit.h"
#include "sweep/gate_facts.h"
#include "sweep/gate_identity.h"
#include "sweep/gate_rules.h"

struct gate_lock {
	struct io_permit permit;
	struct sweep_target *target;
	struct gate_identity identity;
	char *root;
	int sibling_fd; /* of the block device beside a generic one, held too; -1 none */
};

const char *gate_rule_name(enum gate_rule rule)
{
	static const char *const names[GATE_RULE_COUNT] = {
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
		[GATE_NOT_STORAGE] = "not_storage",
		[GATE_UNREADABLE] = "unreadable",
		[GATE_NOT_ASKED] = "not_asked",
		[GATE_TYPED_WRONG] = "typed_wrong",
		[GATE_BUSY] = "busy",
		[GATE_CHANGED] = "changed",
	};

	return (unsigned)rule < GATE_RULE_COUNT ? names[rule] : "unknown";
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
	/* those that found no room may be of any kind */
	return !report->more;
}

/* ---- looking -------------------------------------------------------------------------------- */

/* The first finding that nothing overrides; NULL none. */
static const struct gate_finding *first_final(const struct gate_report *report)
{
	for (size_t i = 0; i < report->finding_count; i++)
		if (!report->findings[i].overridable)
			return &report->findings[i];
	return NULL;
}

static void set_identity(const struct sweep_target *target, const char *serial,
	char identity[GATE_IDENTITY_BYTES], bool *is_serial)
{
	*is_serial = serial[0] && !target->is_file;
	str_copy(identity, GATE_IDENTITY_BYTES, *is_serial ? serial : target->info.name);
	str_trim(identity);
}

static void summarise(struct gate_report *out)
{
	if (out->finding_count)
		str_copy(out->summary, sizeof(out->summary), out->findings[0].text);
	else if (out->simulated)
		str_format(out->summary, sizeof(out->summary),
			"%s is simulated: there is nothing to protect", out->subject);
	else if (out->own_scratch_file)
		str_format(out->summary, sizeof(out->summary), "%s was made by nvsweep for tests",
			out->subject);
	else
		str_format(out->summary, sizeof(out->summary),
			"no mount, no holder, no signature on %s%s%s%s", out->subject,
			out->identity_is_serial ? " (serial " : "",
			out->identity_is_serial ? out->identity : "",
			out->identity_is_serial ? ")" : "");
}

/* The whole look; facts and identity (of what is no simulation) are kept for the admission. */
static int look(const struct sweep_target *target, const struct gate_sources *sources,
	uint64_t offset, uint64_t length, struct gate_report *out, struct gate_facts *facts,
	struct gate_identity *identity, struct err *err)
{
	const char *root = sources->root ? sources->root : "", *other = NULL;
	int rc;

	*out = (struct gate_report){.simulated = target->info.simulated};
	*identity = (struct gate_identity){0};
	str_copy(out->subject, sizeof(out->subject), target->info.name);
	rc = gate_facts_read(target, target->io.fd, sources, offset, length, GATE_FULL, facts, err);
	if (!rc && !out->simulated) {
		rc = gate_identity_read(target, root, target->io.fd, identity, err);
		other = gate_identity_other(identity, target);
	}
	if (rc)
		return rc;
	out->own_scratch_file = facts->own_file;
	set_identity(target, out->simulated ? target->info.serial : identity->serial, out->identity,
		&out->identity_is_serial);
	if (!out->simulated && other)
		gate_rules_add(out, GATE_CHANGED, false,
			"%s is not what it was when it was named: its %s has changed; choose it anew",
			out->subject, other);
	gate_rules_apply(facts, out);
	summarise(out);
	return 0;
}

int gate_look(const struct sweep_target *target, const struct gate_sources *sources,
	uint64_t offset, uint64_t length, struct gate_report *out, struct err *err)
{
	struct gate_identity identity;
	struct gate_facts facts;

	return look(target, sources, offset, length, out, &facts, &identity, err);
}

/* ---- consent -------------------------------------------------------------------------------- */

static bool typed(const struct gate_consent *consent, const char *identity)
{
	for (size_t i = 0; i < consent->typed_count && i < GATE_TYPED_MAX; i++)
		if (identity[0] && !strcmp(consent->typed[i], identity))
			return true;
	return false;
}

int gate_check_typed(const struct sweep_target *targets, size_t count,
	const struct gate_consent *consent, struct err *err)
{
	char identity[GATE_IDENTITY_BYTES], wanted[200] = "";
	bool is_serial, known;

	for (size_t i = 0; i < consent->typed_count && i < GATE_TYPED_MAX; i++) {
		known = false;
		wanted[0] = '\0';
		for (size_t k = 0; k < count; k++) {
			set_identity(&targets[k], targets[k].info.serial, identity, &is_serial);
			known |= !strcmp(identity, consent->typed[i]);
			str_append(wanted, sizeof(wanted), "%s%s of %s is \"%s\"", k ? ", " : "",
				is_serial ? "the serial number" : "the name", targets[k].info.name,
				identity);
		}
		if (!known)
			return err_set_exit(err, ERR_EXIT_REFUSED, -EPERM,
				"\"%s\" was typed, which is none of the targets: %s; nothing was "
				"written",
				consent->typed[i], wanted);
	}
	return 0;
}

/* One finding of the admission itself, and its sentence in err. */
static int __attribute__((format(printf, 5, 6))) refuse(struct gate_report *report,
	enum gate_rule rule, int code, struct err *err, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	gate_rules_add(report, rule, false, "%s", text);
	return err_set_exit(err, ERR_EXIT_REFUSED, code, "%s", text);
}

static int refuse_typed(
	struct gate_report *report, const struct gate_consent *consent, struct err *err)
{
	const char *what = report->identity_is_serial ? "serial number" : "name";
	char first[sizeof(report->findings[0].text)];

	str_copy(first, sizeof(first), report->findings[0].text);
	if (!consent->typed_count)
		return err_set_exit(err, ERR_EXIT_REFUSED, -EPERM,
			"%s; to write all the same, type its %s: --write=%s", first, what,
			report->identity);
	return refuse(report, GATE_TYPED_WRONG, -EPERM, err,
		"\"%s\" is not the %s of %s, which is \"%s\": nothing was written (%s)",
		consent->typed[0], what, report->subject, report->identity, first);
}

static int check_consent(
	struct gate_report *report, const struct gate_consent *consent, struct err *err)
{
	const struct gate_finding *final = first_final(report);

	if (final)
		return err_set_exit(err, ERR_EXIT_REFUSED, -EPERM, "%s", final->text);
	if (!gate_possible(report))
		return err_set_exit(err, ERR_EXIT_REFUSED, -EPERM,
			"%s: more speaks against it than can be listed", report->findings[0].text);
	if (report->simulated)
		return 0;
	if (gate_needs_typed(report) && !typed(consent, report->identity))
		return refuse_typed(report, consent, err);
	if (report->own_scratch_file || consent->write || typed(consent, report->identity))
		return 0;
	return refuse(report, GATE_NOT_ASKED, -EPERM, err,
		"%s would be written and loses what is on it: that needs --write", report->subject);
}

/* ---- opening -------------------------------------------------------------------------------- */

/* Who may it be that has claimed it? Readers are named as well: one of them may be it. */
static int refuse_busy(struct gate_report *report, const struct gate_facts *facts, struct err *err)
{
	char by[160] = "";

	for (size_t i = 0; i < facts->use_count; i++)
		str_append(by, sizeof(by), "%s%s", by[0] ? ", " : "", facts->uses[i].by);
	return refuse(report, GATE_BUSY, -EBUSY, err, "%s is in use: %s%s", report->subject,
		by[0] ? "it is open in " : "the kernel or another program has claimed it", by);
}

static int refuse_open(
	struct gate_report *report, const struct gate_facts *facts, int error, struct err *err)
{
	switch (error) {
	case EBUSY:
	case ETXTBSY:
		return refuse_busy(report, facts, err);
	case EROFS:
		return refuse(report, GATE_READ_ONLY, -error, err,
			"%s cannot be written: it is "
			"read-only",
			report->subject);
	case EACCES:
	case EPERM:
		return refuse(report, GATE_READ_ONLY, -error, err,
			"no permission to write to %s: %s", report->subject,
			geteuid() ? "run as root (sudo)" : "a container, or a security policy?");
	default:
		return refuse(report, GATE_UNREADABLE, -error, err,
			"%s cannot be opened for writing: %s", report->subject,
			err_errno_text(error));
	}
}

/* A lock that other programs may have on a file, over all of it: virtual machines lock their images so.
 * File systems without locks have nobody to protect from. */
static int lock_file(int fd)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	if (fcntl(fd, F_OFD_SETLK, &whole) && (errno == EAGAIN || errno == EACCES))
		return -EBUSY;
	return 0;
}

/* Holds the block device beside a generic one, so that nobody mounts what commands write to. */
static int open_sibling(struct gate_lock *lock, const struct gate_facts *facts)
{
	char path[PATH_MAX];
	struct stat st;

	str_format(path, sizeof(path), "%s/dev/%s", lock->root, facts->sibling);
	lock->sibling_fd = open(path, O_RDWR | O_EXCL | O_CLOEXEC);
	if (lock->sibling_fd < 0)
		return errno;
	if (fstat(lock->sibling_fd, &st))
		return errno;
	return S_ISBLK(st.st_mode) && st.st_rdev == facts->sibling_device ? 0 : ESTALE;
}

/* What the target has open for reading, opened for writing: the same node whatever its name leads to
 * by now. 0 or a positive errno. */
static int open_writable(struct gate_lock *lock, const struct gate_facts *facts)
{
	const struct io_target *io = &lock->target->io;
	const int flags = fcntl(io->fd, F_GETFL);
	char path[64];
	int error = 0;

	if (facts->sibling[0])
		error = open_sibling(lock, facts);
	if (error)
		return error;
	str_format(path, sizeof(path), "/proc/self/fd/%d", io->fd);
	lock->permit.fd = open(path,
		O_RDWR | O_CLOEXEC | (flags > 0 ? flags & O_DIRECT : 0) |
			(facts->is_file || facts->generic ? 0 : O_EXCL));
	if (lock->permit.fd < 0)
		return errno;
	if (facts->is_file)
		return -lock_file(lock->permit.fd);
	/* udev and partition tools leave a device alone that is locked so; it is no duty of theirs */
	flock(lock->sibling_fd >= 0 ? lock->sibling_fd : lock->permit.fd, LOCK_EX | LOCK_NB);
	return 0;
}

/* The same drive, and what changes quickly, on the descriptor for writing. */
static int check_again(const struct gate_lock *lock, struct gate_report *report, struct err *err)
{
	const struct gate_sources sources = {.root = lock->root};
	const struct sweep_target *target = lock->target;
	struct gate_report now = {0};
	struct gate_identity identity;
	struct gate_facts facts;
	const struct gate_finding *final;
	const char *difference;
	int rc = gate_identity_read(target, lock->root, lock->permit.fd, &identity, err);

	if (rc)
		return refuse(report, GATE_CHANGED, rc, err,
			"%s is gone, or another device has its place: nothing more is written",
			report->subject);
	difference = gate_identity_difference(&lock->identity, &identity);
	if (difference)
		return refuse(report, GATE_CHANGED, -ESTALE, err,
			"%s is not what it was: its %s has changed; choose it anew",
			report->subject, difference);
	rc = gate_facts_read(target, lock->permit.fd, &sources, lock->permit.offset,
		lock->permit.length, GATE_QUICK, &facts, err);
	if (rc)
		return rc;
	gate_rules_apply(&facts, &now);
	final = first_final(&now);
	return final ? refuse(report, final->rule, -EPERM, err, "%s", final->text) : 0;
}

int gate_admit(struct sweep_target *target, const struct gate_sources *sources, uint64_t offset,
	uint64_t length, const struct gate_consent *consent, struct gate_report *report,
	struct gate_lock **out, struct err *err)
{
	struct gate_report own;
	struct gate_lock *lock = mem_alloc(sizeof(*lock));
	struct gate_facts facts;
	struct stat st;
	int rc;

	*out = NULL;
	*lock = (struct gate_lock){.target = target,
		.root = mem_strdup(sources->root ? sources->root : ""),
		.sibling_fd = -1,
		.permit = {.fd = -1, .offset = offset, .length = length}};
	if (!report)
		report = &own;
	rc = look(target, sources, offset, length, report, &facts, &lock->identity, err);
	if (!rc)
		rc = check_consent(report, consent, err);
	if (rc)
		goto fail;
	if (!report->simulated) {
		rc = open_writable(lock, &facts);
		if (rc) {
			rc = refuse_open(report, &facts, rc, err);
			goto fail;
		}
		rc = check_again(lock, report, err);
		if (rc)
			goto fail;
		if (fstat(lock->permit.fd, &st)) {
			rc = err_set(err, -errno, "%s: %s", report->subject, err_errno_text(errno));
			goto fail;
		}
		lock->permit.device = target->is_file ? st.st_dev : st.st_rdev;
		close(target->io.fd);
		target->io.fd = lock->permit.fd;
	}
	target->io.permit = &lock->permit;
	*out = lock;
	return 0;
fail:
	if (lock->permit.fd >= 0)
		close(lock->permit.fd);
	if (lock->sibling_fd >= 0)
		close(lock->sibling_fd);
	free(lock->root);
	free(lock);
	return rc;
}

int gate_recheck(const struct gate_lock *lock, struct err *err)
{
	struct gate_report report = {0};

	if (lock->permit.fd < 0)
		return 0;
	str_copy(report.subject, sizeof(report.subject), lock->target->info.name);
	return check_again(lock, &report, err);
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
	if (lock->sibling_fd >= 0)
		close(lock->sibling_fd);
	free(lock->root);
	free(lock);
}
