/* Marks of a saved run, and deleting one: changes to a file that others may have open. */
#include "result/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "result/journal.h"
#include "result/run_json.h"

#define RESULT_MAX ((size_t)512 << 20)
#define LOCK_TRIES 50

/* The run's file with another ending: ".json", ".journal". */
static void sibling(const char *path, const char *ending, char *buf, size_t size)
{
	const char *dot = strrchr(path, '.');

	str_format(buf, size, "%.*s%s", dot ? (int)(dot - path) : (int)strlen(path), path, ending);
}

/* The lock of the file that has this name now. A writer that waited for another one finds that the
 * name has gone over to a new file: then it locks that. Returns the descriptor or -errno. */
static int lock_named(const char *path, int operation)
{
	for (int i = 0; i < LOCK_TRIES; i++) {
		const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		struct stat held, named;
		int rc = 0;

		if (fd < 0)
			return -errno;
		if (flock(fd, operation) || fstat(fd, &held))
			rc = -errno;
		else if (stat(path, &named))
			rc = -errno;
		if (!rc && held.st_ino == named.st_ino && held.st_dev == named.st_dev)
			return fd;
		close(fd);
		if (rc)
			return rc;
	}
	return -EAGAIN;
}

static int running_fault(const struct store_entry *entry, const char *what, struct err *err)
{
	return err_set(err, -EBUSY, "%s is still running: %s when it has ended", entry->id, what);
}

static int gone(const struct store_entry *entry, int code, struct err *err)
{
	return err_set(err, code, "the run %s is no longer there: %s does not exist", entry->id,
		entry->path);
}

/* The folder of the run's file. */
static void folder_of(const char *path, char *buf, size_t size)
{
	const char *slash = strrchr(path, '/');

	str_format(buf, size, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
}

/* What a dead process left in its journal becomes a result like others. */
static int save_journal(struct store_entry *entry, struct err *err)
{
	char folder[512], journal[512];
	struct run *run = NULL;
	int rc;

	str_copy(journal, sizeof(journal), entry->path);
	const int fd = lock_named(journal, LOCK_EX | LOCK_NB);

	if (fd == -EWOULDBLOCK)
		return running_fault(entry, "tags and a note can be given", err);
	if (fd < 0)
		return gone(entry, -ESTALE, err);
	/* The lock is this process's own: let go for the recovery, which looks whether one is held. */
	flock(fd, LOCK_UN);
	rc = journal_recover(journal, &run, err);
	if (!rc) {
		folder_of(journal, folder, sizeof(folder));
		rc = store_save(folder, run, entry->path, sizeof(entry->path), err);
	}
	if (rc)
		str_copy(entry->path, sizeof(entry->path), journal);
	else
		unlink(journal);
	run_free(run);
	close(fd);
	return rc;
}

/* The tree of the file changed and nothing else, so that it keeps what this version does not know. */
static int edit_file(const char *path, const struct run_marks *marks, struct err *err)
{
	struct json *json = NULL, *summary;
	struct run *run = NULL;
	size_t length;
	char *text;
	int rc = file_read(path, RESULT_MAX, &text, &length, err);

	if (rc)
		return rc;
	rc = json_parse(path, text, length, &json, err);
	free(text);
	if (rc)
		return rc;
	/* Only a run that this version understands. */
	rc = run_from_json(path, json, &run, err);
	run_free(run);
	if (!rc) {
		marks_to_json(marks, json);
		summary = json_get(json, "summary");
		if (json_is_object(summary))
			marks_to_json(marks, summary);
		text = json_text(json, false);
		rc = file_write_atomic(path, text, strlen(text), err);
		free(text);
	}
	json_free(json);
	return rc;
}

int store_set_marks(struct store_entry *entry, const struct run_marks *marks, struct err *err)
{
	int rc = 0, fd;

	if (str_ends_with(entry->path, ".journal"))
		rc = save_journal(entry, err);
	if (rc)
		return rc;
	fd = lock_named(entry->path, LOCK_EX);
	if (fd == -ENOENT)
		return gone(entry, -ESTALE, err);
	if (fd < 0)
		return err_set(err, fd, "cannot open %s: %s", entry->path, err_errno_text(-fd));
	rc = edit_file(entry->path, marks, err);
	close(fd);
	if (rc)
		return rc;
	entry->partial = entry->running = false;
	entry->marks = *marks;
	return 0;
}

static int remove_file(const char *path, bool *removed, struct err *err)
{
	if (!unlink(path))
		*removed = true;
	else if (errno != ENOENT)
		return err_set(err, -errno, "cannot delete %s: %s", path, err_errno_text(errno));
	return 0;
}

int store_delete(const struct store_entry *entry, struct err *err)
{
	char journal[512], result[512], folder[512];
	bool removed = false;
	int rc, fd;

	sibling(entry->path, ".journal", journal, sizeof(journal));
	sibling(entry->path, ".json", result, sizeof(result));
	fd = lock_named(journal, LOCK_EX | LOCK_NB);
	if (fd == -EWOULDBLOCK)
		return running_fault(entry, "it can be deleted", err);
	/* First the journal: alone it would come back as a partial run. */
	rc = remove_file(journal, &removed, err);
	if (!rc)
		rc = remove_file(result, &removed, err);
	if (fd >= 0)
		close(fd);
	if (rc)
		return rc;
	if (!removed)
		return gone(entry, -ENOENT, err);
	folder_of(result, folder, sizeof(folder));
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	return 0;
}
