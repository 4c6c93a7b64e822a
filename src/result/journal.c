/* JSON lines beside a running test: a header, then intervals and points as they close. */
#include "result/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "result/run_json.h"
#include "result/volume.h"

#define JOURNAL_SCHEMA "nvsweep-journal/1"
#define JOURNAL_MAX ((size_t)512 << 20)
#define HEADER_MAX ((size_t)1 << 20)

struct journal {
	int fd;
	off_t good; /* end of the last whole line */
	char path[600];
};

/* Writes all or, when the disk is full, takes back the part that got out: a later line must not
 * begin in the middle of a cut one. */
static int write_line(struct journal *journal, struct json *line, struct err *err)
{
	char *text = json_text(line, false);
	size_t length = strlen(text), done = 0;
	int rc = 0;

	json_free(line);
	text[length++] = '\n'; /* in place of the terminator */
	while (done < length) {
		const ssize_t n = write(journal->fd, text + done, length - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			rc = n < 0 ? -errno : -ENOSPC;
			break;
		}
		done += (size_t)n;
	}
	free(text);
	if (rc) {
		if (ftruncate(journal->fd, journal->good) ||
			lseek(journal->fd, journal->good, SEEK_SET) < 0)
			rc = -errno;
		return err_set(err, rc, "cannot write the journal %s: %s", journal->path,
			err_errno_text(-rc));
	}
	journal->good += (off_t)done;
	return 0;
}

int journal_open(const char *folder, const struct run *run, struct journal **out, struct err *err)
{
	struct journal *journal = mem_alloc(sizeof(*journal));
	struct json *line;
	int rc;

	*out = NULL;
	str_format(journal->path, sizeof(journal->path), "%s/%s.journal", folder, run->id);
	journal->fd = open(journal->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (journal->fd < 0) {
		rc = err_set(err, -errno, "cannot create the journal %s: %s", journal->path,
			err_errno_text(errno));
		free(journal);
		return rc;
	}
	/* The lock goes with the descriptor, thus also when the process is killed. It is waited for:
	 * somebody who lists runs may hold the new file for a moment. */
	if (flock(journal->fd, LOCK_EX)) {
		rc = err_set(err, -errno, "cannot lock the journal %s: %s", journal->path,
			err_errno_text(errno));
		goto fail;
	}
	file_adopt(journal->fd, journal->path);
	line = json_object();
	json_set_string(line, "schema", JOURNAL_SCHEMA);
	json_set(line, "run", run_header_to_json(run));
	rc = write_line(journal, line, err);
	if (rc)
		goto fail;
	fsync(journal->fd);
	*out = journal;
	return 0;
fail:
	unlink(journal->path);
	close(journal->fd);
	free(journal);
	return rc;
}

int journal_interval(struct journal *journal, const struct interval *interval, struct err *err)
{
	struct json *line = json_object();

	json_set(line, "interval", run_interval_to_json(interval));
	return write_line(journal, line, err);
}

static int write_synced(struct journal *journal, struct json *line, struct err *err)
{
	int rc = write_line(journal, line, err);

	if (!rc && fdatasync(journal->fd))
		rc = err_set(err, -errno, "cannot sync the journal %s: %s", journal->path,
			err_errno_text(errno));
	return rc;
}

int journal_point(
	struct journal *journal, const struct run_point *point, bool search, struct err *err)
{
	struct json *line = json_object();

	json_set(line, search ? "search" : "point", run_point_to_json(point));
	return write_synced(journal, line, err);
}

int journal_prepare(struct journal *journal, const struct run *run, struct err *err)
{
	struct json *line = json_object();

	json_set(line, "prepare", run_prepare_to_json(run));
	return write_synced(journal, line, err);
}

void journal_close(struct journal *journal, bool keep)
{
	if (!journal)
		return;
	if (!keep)
		unlink(journal->path);
	close(journal->fd);
	free(journal);
}

/* ---- recovery ------------------------------------------------------------------------------- */

static int apply_line(const struct json *line, struct run *run)
{
	const struct json *child;
	struct run_point point;
	struct interval interval;

	if ((child = json_get(line, "interval"))) {
		if (run_interval_from_json(child, &interval, NULL))
			return -EINVAL;
		series_append(run->series, &interval);
		run->bytes_known = true;
		run->read_bytes += interval.read_bytes;
		run->write_bytes += interval.write_bytes;
		return 0;
	}
	if ((child = json_get(line, "prepare"))) {
		struct fields f = {0, NULL};

		run_prepare_from_json(&f, child, run);
		return f.code;
	}
	const bool search = (child = json_get(line, "search")) != NULL;

	if (!search)
		child = json_get(line, "point");
	if (!child)
		return 0; /* a kind of line of a later version */
	if (run_point_from_json(child, &point, NULL)) {
		free(point.histogram);
		return -EINVAL;
	}
	if (search)
		run_add_search(run, &point);
	else
		run_add_point(run, &point);
	return 0;
}

/* The maximum is the best of the searches, as the curve's method has it; it is known as soon as all
 * have been made, which the first point shows. */
static void find_maximum(struct run *run)
{
	const struct run_point *best = NULL;

	if (!run->point_count)
		return;
	for (size_t i = 0; i < run->search_count; i++)
		if (!best || run->searches[i].iops > best->iops)
			best = &run->searches[i];
	if (!best)
		return;
	run->maximum = *best;
	run->maximum.histogram = NULL;
	run->maximum.histogram_count = 0;
	run->has_maximum = true;
}

static int read_header(
	const char *path, const char *text, size_t length, struct run **out, struct err *err)
{
	struct json *line = NULL;
	const char *schema;
	int rc = json_parse(path, text, length, &line, err);

	if (rc)
		return rc;
	if (json_read_string(line, "schema", &schema, NULL) || strcmp(schema, JOURNAL_SCHEMA))
		rc = err_set(err, -EINVAL, "%s: not a journal of this version of nvsweep", path);
	else
		rc = run_from_json(path, json_get(line, "run"), out, err);
	json_free(line);
	return rc;
}

/* Whole lines only: what stands behind the last newline was cut. A damaged line ends the reading,
 * what stood before it is good. Returns false when it was damaged. */
static bool read_lines(const char *path, const char *text, const char *end, struct run *run)
{
	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		struct json *line;

		if (!newline)
			return true;
		if (json_parse(path, text, (size_t)(newline - text), &line, NULL))
			return false;
		const int rc = json_is_object(line) ? apply_line(line, run) : -EINVAL;

		json_free(line);
		if (rc)
			return false;
		text = newline + 1;
	}
	return true;
}

int journal_read_header(const char *path, struct run **out, struct err *err)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char *text = mem_alloc(HEADER_MAX);
	size_t length = 0;
	ssize_t n = -1;

	*out = NULL;
	while (fd >= 0 && length < HEADER_MAX && !memchr(text, '\n', length) &&
		(n = read(fd, text + length, HEADER_MAX - length)) > 0)
		length += (size_t)n;
	if (fd >= 0)
		close(fd);

	const char *newline = memchr(text, '\n', length);
	const int rc = newline
		? read_header(path, text, (size_t)(newline - text), out, err)
		: err_set(err, -EINVAL, "%s: no journal, or its first line is cut", path);

	free(text);
	return rc;
}

bool journal_is_held(const char *path)
{
	/* Without O_NONBLOCK a FIFO under this name would be waited for. */
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool busy;

	if (fd < 0)
		return false;
	busy = flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
	close(fd);
	return busy;
}

int journal_recover(const char *path, struct run **out, struct err *err)
{
	const bool busy = journal_is_held(path);
	struct run *run = NULL;
	size_t length;
	char *text;
	int rc;

	*out = NULL;
	rc = file_read(path, JOURNAL_MAX, &text, &length, err);
	if (rc)
		return rc;
	const char *newline = memchr(text, '\n', length);

	if (!newline) {
		rc = err_set(err, -EINVAL,
			"%s: the journal's first line is cut, nothing to recover", path);
		goto out;
	}
	rc = read_header(path, text, (size_t)(newline - text), &run, err);
	if (rc)
		goto out;
	const bool whole = read_lines(path, newline + 1, text + length, run);

	find_maximum(run);
	run_analyse(run);
	run->outcome = busy ? RUN_RUNNING : RUN_ABORTED;
	if (!busy)
		str_format(run->reason, sizeof(run->reason),
			"the program ended while the test ran%s",
			whole ? "" : "; its journal is damaged from some line on");
	*out = run;
	if (busy)
		rc = err_set(err, -EBUSY, "%s: the test is still running", path);
out:
	free(text);
	return rc;
}
