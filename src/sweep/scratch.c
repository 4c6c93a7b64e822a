/* Scratch files: created, filled with data that does not compress, synced, remembered. */
#include "sweep/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/str.h"
#include "base/units.h"

#define CHUNK_BYTES ((size_t)4 << 20)
#define ALIGNMENT 4096
#define REGISTRY_MAX ((size_t)4 << 20)
#define PROGRESS_NS UINT64_C(50000000)

/* What tells this file from any other that may come to have its name or inode. */
struct identity {
	uint64_t device_major, device_minor, inode;
	int64_t birth_s;
	uint32_t birth_ns; /* both 0: the file system keeps no birth times */
};

static int identify(const char *path, struct identity *out)
{
	struct statx st;

	if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS | STATX_BTIME, &st))
		return -errno;
	if (!S_ISREG(st.stx_mode))
		return -EINVAL;
	*out = (struct identity){.device_major = st.stx_dev_major,
		.device_minor = st.stx_dev_minor,
		.inode = st.stx_ino};
	if (st.stx_mask & STATX_BTIME) {
		out->birth_s = st.stx_btime.tv_sec;
		out->birth_ns = st.stx_btime.tv_nsec;
	}
	return 0;
}

static bool same_identity(const struct identity *a, const struct identity *b)
{
	return a->device_major == b->device_major && a->device_minor == b->device_minor &&
		a->inode == b->inode && a->birth_s == b->birth_s && a->birth_ns == b->birth_ns;
}

/* ---- registry: one JSON line per file ------------------------------------------------------- */

static int registry_path(char *buf, size_t size, struct err *err)
{
	char state[PATH_MAX];
	int rc = file_state_dir(state, sizeof(state), err);

	if (rc)
		return rc;
	rc = file_make_dirs(state, err);
	if (!rc && str_format(buf, size, "%s/scratch.jsonl", state) + 1 >= size)
		rc = err_set(err, -ENAMETOOLONG, "the state folder's name is too long");
	return rc;
}

static bool line_is(const struct json *line, const char *path, const struct identity *id)
{
	struct identity known = {0};
	const char *text;
	uint64_t birth_ns = 0;

	if (json_read_string(line, "path", &text, NULL) || strcmp(text, path) ||
		json_read_u64(line, "device_major", &known.device_major, NULL) ||
		json_read_u64(line, "device_minor", &known.device_minor, NULL) ||
		json_read_u64(line, "inode", &known.inode, NULL))
		return false;
	if (!json_read_i64(line, "birth_s", &known.birth_s, NULL))
		json_read_u64(line, "birth_ns", &birth_ns, NULL);
	known.birth_ns = (uint32_t)birth_ns;
	return same_identity(&known, id);
}

static bool registry_knows(const char *real, const struct identity *id)
{
	char registry[PATH_MAX], *text, *at, *rest = NULL;
	size_t length;
	bool found = false;

	if (registry_path(registry, sizeof(registry), NULL) ||
		file_read(registry, REGISTRY_MAX, &text, &length, NULL))
		return false;
	for (at = strtok_r(text, "\n", &rest); at && !found; at = strtok_r(NULL, "\n", &rest)) {
		struct json *line = NULL;

		if (json_parse(registry, at, strlen(at), &line, NULL))
			continue; /* a cut line tells nothing */
		found = json_is_object(line) && line_is(line, real, id);
		json_free(line);
	}
	free(text);
	return found;
}

/* A file that is gone, or another one by now under that name, is not remembered any longer. What
 * cannot be looked at is kept. */
static bool still_there(const struct json *line)
{
	struct identity id;
	const char *path;

	if (json_read_string(line, "path", &path, NULL))
		return false;
	const int rc = identify(path, &id);

	if (rc)
		return rc != -ENOENT && rc != -ENOTDIR && rc != -EINVAL;
	return line_is(line, path, &id);
}

static void keep_living(const char *registry, char *text, struct strbuf *out)
{
	char *rest = NULL;

	for (char *at = strtok_r(text, "\n", &rest); at; at = strtok_r(NULL, "\n", &rest)) {
		struct json *line = NULL;

		if (json_parse(registry, at, strlen(at), &line, NULL))
			continue;
		if (json_is_object(line) && still_there(line))
			strbuf_addf(out, "%s\n", at);
		json_free(line);
	}
}

static int registry_add(const char *real, const struct identity *id, uint64_t size, struct err *err)
{
	char registry[PATH_MAX], *old = NULL, *text;
	size_t length = 0;
	struct strbuf all = {0};
	struct json *line = json_object();
	int rc = registry_path(registry, sizeof(registry), err);

	json_set_string(line, "path", real);
	json_set_u64(line, "device_major", id->device_major);
	json_set_u64(line, "device_minor", id->device_minor);
	json_set_u64(line, "inode", id->inode);
	json_set_i64(line, "birth_s", id->birth_s);
	json_set_u64(line, "birth_ns", id->birth_ns);
	json_set_u64(line, "size_bytes", size);
	text = json_text(line, false);
	json_free(line);
	if (!rc && !access(registry, F_OK))
		rc = file_read(registry, REGISTRY_MAX, &old, &length, err);
	if (!rc) {
		if (old)
			keep_living(registry, old, &all);
		strbuf_addf(&all, "%s\n", text);
		rc = file_write_atomic(registry, all.text, all.length, err);
	}
	strbuf_free(&all);
	free(old);
	free(text);
	return rc;
}

bool scratch_is_ours(const char *path)
{
	struct identity id;
	char real[PATH_MAX];

	return realpath(path, real) && !identify(real, &id) && registry_knows(real, &id);
}

/* ---- creation ------------------------------------------------------------------------------- */

static void fill_random(struct rng *rng, uint64_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		words[i] = rng_next(rng);
}

static int write_all(int fd, const char *bytes, size_t length, uint64_t offset)
{
	size_t done = 0;

	while (done < length) {
		const ssize_t n = pwrite(fd, bytes + done, length - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -ENOSPC;
		done += (size_t)n;
	}
	return 0;
}

/* Direct where the file system takes it, so that a gigabyte of cache is not turned over; the odd
 * end goes through the cache. */
static int fill(int fd, uint64_t size, uint64_t seed,
	bool (*progress)(void *user, uint64_t done, uint64_t total), void *user)
{
	uint64_t done = 0, shown = 0;
	bool direct;
	struct rng rng;
	void *chunk;
	int rc = 0;

	if (posix_memalign(&chunk, ALIGNMENT, CHUNK_BYTES))
		return -ENOMEM;
	rng_seed(&rng, seed, 0x5c7a7c4);
	const int flags = fcntl(fd, F_GETFL);

	direct = !fcntl(fd, F_SETFL, flags | O_DIRECT);
	while (done < size && !rc) {
		const size_t part = size - done < CHUNK_BYTES ? (size_t)(size - done) : CHUNK_BYTES;

		if (direct && part % ALIGNMENT)
			direct = fcntl(fd, F_SETFL, flags) != 0;
		fill_random(&rng, chunk, CHUNK_BYTES / sizeof(uint64_t));
		rc = write_all(fd, chunk, part, done);
		if (rc == -EINVAL && direct) {
			direct = false;
			fcntl(fd, F_SETFL, flags);
			rc = write_all(fd, chunk, part, done);
		}
		/* Through the cache the disk would stand idle until the sync at the end. */
		if (!rc && !direct)
			sync_file_range(fd, (off_t)done, (off_t)part, SYNC_FILE_RANGE_WRITE);
		done += part;
		if (!rc && progress &&
			(done == size || clock_monotonic_ns() - shown > PROGRESS_NS)) {
			shown = clock_monotonic_ns();
			if (!progress(user, done, size))
				rc = -ECANCELED;
		}
	}
	free(chunk);
	if (!rc && fsync(fd))
		rc = -errno;
	return rc;
}

static int refuse_existing(const char *path, uint64_t size, bool *created, struct err *err)
{
	char text[32];
	struct stat st;

	if (!scratch_is_ours(path))
		return err_set_exit(err, ERR_EXIT_REFUSED, -EEXIST,
			"%s exists and was not made by nvsweep: leave out --size to read it, or "
			"choose another name",
			path);
	if (stat(path, &st))
		return err_set(err, -errno, "%s: %s", path, err_errno_text(errno));
	if ((uint64_t)st.st_size < size)
		return err_set_exit(err, ERR_EXIT_USAGE, -EEXIST,
			"%s has %s only: remove it or ask for no more", path,
			units_bytes_iec(text, sizeof(text), (u128)st.st_size));
	*created = false;
	return 0;
}

static int check_space(int fd, const char *path, uint64_t size, struct err *err)
{
	char want[32], have[32];
	struct statvfs fs;

	if (fstatvfs(fd, &fs))
		return 0; /* the writes will tell */
	const u128 room = (u128)fs.f_bavail * fs.f_frsize;

	if (room >= size)
		return 0;
	return err_set(err, -ENOSPC, "no room for %s: %s is wanted, %s is free", path,
		units_bytes_iec(want, sizeof(want), size),
		units_bytes_iec(have, sizeof(have), room));
}

int scratch_create(const char *path, uint64_t size, uint64_t seed,
	bool (*progress)(void *user, uint64_t done, uint64_t total), void *user, bool *created,
	struct err *err)
{
	char real[PATH_MAX], text[32];
	struct identity id;
	int rc, fd;

	*created = false;
	if (!size || size > INT64_MAX)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"a scratch file needs a size, such as --size 1G");
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0 && (errno == EEXIST || errno == ELOOP))
		return refuse_existing(path, size, created, err);
	if (fd < 0)
		return err_set(err, -errno, "cannot create %s: %s", path, err_errno_text(errno));
	rc = check_space(fd, path, size, err);
	if (rc)
		goto fail;
	rc = fill(fd, size, seed, progress, user);
	if (rc == -ECANCELED) {
		err_set(err, rc, "%s: cancelled, the file was removed", path);
		goto fail;
	}
	if (rc) {
		err_set(err, rc, "cannot write %s of data to %s: %s; the file was removed",
			units_bytes_iec(text, sizeof(text), size), path, err_errno_text(-rc));
		goto fail;
	}
	file_adopt(fd, path);
	if (!realpath(path, real)) {
		rc = err_set(err, -errno, "%s: %s", path, err_errno_text(errno));
		goto fail;
	}
	rc = identify(real, &id);
	if (rc) {
		err_set(err, rc, "%s: %s", path, err_errno_text(-rc));
		goto fail;
	}
	rc = registry_add(real, &id, size, err);
	if (rc) /* not remembered, it could never be told from a foreign file */
		goto fail;
	close(fd);
	*created = true;
	return 0;
fail:
	unlink(path);
	close(fd);
	return rc;
}
