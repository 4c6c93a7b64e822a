/* Files: whole reads, atomic writes, folders of the XDG standard. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/str.h"
#include "base/units.h"

/* An attribute is at most a page; trees saved with their apparent size are padded with NULs. */
#define ATTRIBUTE_BYTES 4097

static ssize_t file_read_some(int fd, void *bytes, size_t length)
{
	ssize_t n;

	do
		n = read(fd, bytes, length);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/* Opens a regular file: O_NONBLOCK so that a FIFO under the name cannot hang the program. */
static int file_open_regular(const char *path, struct stat *st, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), code = 0;

	if (fd < 0) {
		code = -errno;
		return err_set(err, code, "cannot open %s: %s", path, err_errno_text(code));
	}
	if (fstat(fd, st) < 0)
		code = err_set(err, -errno, "cannot read %s: %s", path, err_errno_text(errno));
	else if (S_ISDIR(st->st_mode))
		code = err_set(err, -EISDIR, "%s is a directory, not a file", path);
	else if (!S_ISREG(st->st_mode))
		code = err_set(err, -EINVAL, "%s is not a regular file", path);
	if (code < 0) {
		close(fd);
		return code;
	}
	return fd;
}

int file_read(const char *path, size_t max, char **bytes, size_t *length, struct err *err)
{
	size_t have = 0, capacity;
	char *buf = NULL;
	struct stat st;
	int fd, code;

	fd = file_open_regular(path, &st, err);
	if (fd < 0)
		return fd;
	/* the size is only a hint: files of /proc and /sys say 0 or 4096 whatever they hold */
	capacity = st.st_size > 0 ? (size_t)st.st_size + 2 : 4096;
	if (capacity - 2 > max)
		capacity = max + 2;
	for (;;) {
		ssize_t n;
		char *grown = buf;

		if (!buf || have + 1 >= capacity) {
			capacity = buf ? capacity * 2 : capacity;
			grown = realloc(buf, capacity);
		}
		if (!grown) {
			code = err_set(err, -ENOMEM, "%s is too large for the memory left", path);
			goto fail;
		}
		buf = grown;
		n = file_read_some(fd, buf + have, capacity - have - 1);
		if (n < 0) {
			code = err_set(
				err, (int)n, "cannot read %s: %s", path, err_errno_text((int)n));
			goto fail;
		}
		if (n == 0)
			break;
		have += (size_t)n;
		if (have > max) {
			code = err_set(err, -EFBIG, "%s is larger than %zu bytes", path, max);
			goto fail;
		}
	}
	close(fd);
	buf[have] = '\0';
	*bytes = buf;
	*length = have;
	return 0;
fail:
	free(buf);
	close(fd);
	return code;
}

int file_read_text(const char *path, char *buf, size_t size)
{
	struct stat st;
	size_t have = 0;
	int fd;

	if (size == 0)
		return -EINVAL;
	buf[0] = '\0';
	fd = file_open_regular(path, &st, NULL);
	if (fd < 0)
		return fd;
	for (;;) {
		char spare;
		bool full = have + 1 == size;
		ssize_t n =
			file_read_some(fd, full ? &spare : buf + have, full ? 1 : size - have - 1);

		if (n > 0 && full) {
			/* only the final line feed may be lost */
			if (spare == '\n')
				continue;
			n = -EFBIG;
		}
		if (n < 0) {
			buf[0] = '\0';
			close(fd);
			return (int)n;
		}
		if (n == 0)
			break;
		have += (size_t)n;
	}
	close(fd);
	buf[have] = '\0';
	for (have = strlen(buf); have > 0 && strchr(" \t\r\n\v\f", buf[have - 1]); have--)
		buf[have - 1] = '\0';
	return 0;
}

int file_attribute_text(const char *folder, const char *attribute, char *buf, size_t size)
{
	char path[PATH_MAX], raw[ATTRIBUTE_BYTES];
	int code;

	str_copy(buf, size, "");
	if (str_format(path, sizeof(path), "%s/%s", folder, attribute) + 1 >= sizeof(path))
		return -ENAMETOOLONG;
	code = file_read_text(path, raw, sizeof(raw));
	if (code < 0)
		return code;
	str_trim(raw);
	str_sanitize(buf, size, raw, strlen(raw));
	return 0;
}

uint64_t file_attribute_u64(const char *folder, const char *attribute, uint64_t absent)
{
	char text[32];
	uint64_t value;

	file_attribute_text(folder, attribute, text, sizeof(text));
	return units_parse_u64(text, &value, NULL) < 0 ? absent : value;
}

static int file_write_all(int fd, const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t n = write(fd, bytes, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -EIO;
		bytes += n;
		length -= (size_t)n;
	}
	return 0;
}

bool file_sudo_caller(uid_t *uid, gid_t *gid)
{
	const char *u = getenv("SUDO_UID"), *g = getenv("SUDO_GID");
	uint64_t user, group;

	if (geteuid() != 0 || !u || !g || units_parse_u64(u, &user, NULL) < 0 ||
		units_parse_u64(g, &group, NULL) < 0 || user == 0 || user >= UINT32_MAX ||
		group >= UINT32_MAX)
		return false;
	*uid = (uid_t)user;
	*gid = (gid_t)group;
	return true;
}

/* A rename leaves its entry in the folder's own blocks: without this it may vanish in a crash. */
static int file_sync_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), code = 0;

	if (fd < 0)
		return -errno;
	/* some file systems cannot sync a folder; that is no fault of the content */
	if (fsync(fd) < 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS)
		code = -errno;
	close(fd);
	return code;
}

/* Names of something already open: even when that is a regular file, it must not be replaced. */
static bool file_is_descriptor(const char *path)
{
	return strcmp(path, "/dev/stdout") == 0 || strcmp(path, "/dev/stderr") == 0 ||
		str_starts_with(path, "/dev/fd/") || str_starts_with(path, "/proc/self/fd/");
}

/* Pipes and terminals are written straight; a rename would replace the node. */
static int file_write_stream(const char *path, const void *bytes, size_t length)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY), code;

	if (fd < 0)
		return -errno;
	code = file_write_all(fd, bytes, length);
	close(fd);
	return code;
}

static int file_write_temp(const char *folder, const char *base, mode_t mode, const void *bytes,
	size_t length, const char *target)
{
	char temp[PATH_MAX];
	int fd, code;

	if (str_format(temp, sizeof(temp), "%s/.%.200s.XXXXXX", folder, base) >= sizeof(temp) - 1)
		return -ENAMETOOLONG;
	fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	file_adopt(fd, temp);
	code = file_write_all(fd, bytes, length);
	if (code == 0 && (fchmod(fd, mode) < 0 || fsync(fd) < 0))
		code = -errno;
	if (close(fd) < 0 && code == 0)
		code = -errno;
	if (code == 0 && rename(temp, target) < 0)
		code = -errno;
	if (code < 0)
		unlink(temp);
	return code;
}

int file_write_atomic(const char *path, const void *bytes, size_t length, struct err *err)
{
	char target[PATH_MAX], folder[PATH_MAX];
	const char *slash;
	mode_t mode = 0644;
	struct stat st;
	uid_t uid;
	gid_t gid;
	int code = 0;

	if (str_copy(target, sizeof(target), path) >= sizeof(target)) {
		code = -ENAMETOOLONG;
		goto out;
	}
	if (stat(path, &st) == 0) {
		if (S_ISDIR(st.st_mode) || S_ISBLK(st.st_mode))
			return err_set(err, S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL,
				"%s is a %s, not a file to write to", path,
				S_ISDIR(st.st_mode) ? "directory" : "block device");
		if (!S_ISREG(st.st_mode) || file_is_descriptor(path)) {
			code = file_write_stream(path, bytes, length);
			goto out;
		}
		mode = st.st_mode & 0777;
		/* A link to the file stays a link (dotfile collections), but root does not follow
		 * links that the calling user of sudo could have set. */
		if (!file_sudo_caller(&uid, &gid) && !realpath(path, target)) {
			code = -errno;
			goto out;
		}
	}
	slash = strrchr(target, '/');
	if (slash)
		str_format(folder, sizeof(folder), "%.*s",
			slash == target ? 1 : (int)(slash - target), target);
	else
		str_copy(folder, sizeof(folder), ".");
	code = file_write_temp(folder, slash ? slash + 1 : target, mode, bytes, length, target);
	if (code == 0)
		code = file_sync_folder(folder);
out:
	if (code < 0)
		err_set(err, code, "cannot write %s: %s", path, err_errno_text(code));
	return code;
}

static int file_make_dir(const char *path)
{
	struct stat st;
	int fd;

	if (mkdir(path, 0755) < 0) {
		int code = -errno;

		if (stat(path, &st) < 0)
			return code;
		return S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
	}
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd >= 0) {
		file_adopt(fd, path);
		close(fd);
	}
	return 0;
}

int file_make_dirs(const char *path, struct err *err)
{
	char part[PATH_MAX];
	int code = 0;

	if (!*path || str_copy(part, sizeof(part), path) >= sizeof(part))
		return err_set(err, *path ? -ENAMETOOLONG : -ENOENT,
			"cannot make the folder \"%.80s\": its name is %s", path,
			*path ? "too long" : "empty");
	for (char *at = part + 1; code == 0; at++) {
		char kept = *at;

		if (kept != '/' && kept != '\0')
			continue;
		*at = '\0';
		code = file_make_dir(part);
		if (code < 0)
			err_set(err, code, "cannot make the folder %s: %s", part,
				err_errno_text(code));
		*at = kept;
		if (kept == '\0')
			break;
	}
	return code;
}

static int file_home_of(uid_t uid, char *buf, size_t size)
{
	char space[4096];
	struct passwd entry, *found = NULL;

	if (getpwuid_r(uid, &entry, space, sizeof(space), &found) != 0 || !found ||
		found->pw_dir[0] != '/' || str_copy(buf, size, found->pw_dir) >= size)
		return -ENOENT;
	return 0;
}

void file_adopt(int fd, const char *path)
{
	char link[64], real[PATH_MAX], home[PATH_MAX], real_home[PATH_MAX];
	size_t length;
	struct stat st;
	ssize_t n;
	uid_t uid;
	gid_t gid;

	if (!file_sudo_caller(&uid, &gid) || file_home_of(uid, home, sizeof(home)) < 0 ||
		!realpath(home, real_home))
		return;
	/* Where the descriptor really is, not what the path said: the user may have put a link in
	 * the way. Only what root has (just made) is given away. */
	str_format(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, real, sizeof(real) - 1);
	if (n <= 0 || fstat(fd, &st) < 0 || st.st_uid != 0 ||
		(S_ISREG(st.st_mode) && st.st_nlink > 1))
		return;
	real[n] = '\0';
	length = strlen(real_home);
	if (length < 2 || strncmp(real, real_home, length) != 0 || real[length] != '/')
		return;
	/* Of a socket there is only a descriptor that names it (O_PATH), which fchown refuses. */
	if (fchownat(fd, "", uid, gid, AT_EMPTY_PATH) < 0)
		log_warn("cannot give %s to user %u: %s", path, uid, err_errno_text(errno));
}

static int file_xdg_dir(
	const char *variable, const char *below_home, char *buf, size_t size, struct err *err)
{
	const char *xdg = getenv(variable), *home = getenv("HOME");
	char from_passwd[PATH_MAX];
	uid_t uid = getuid();
	gid_t gid;
	bool sudo = file_sudo_caller(&uid, &gid);

	/* relative values are to be ignored, says the standard */
	if (xdg && xdg[0] == '/') {
		if (str_format(buf, size, "%s/nvsweep", xdg) + 1 < size)
			return 0;
		return err_set(err, -ENAMETOOLONG, "the folder in %s is too long", variable);
	}
	if (sudo || !home || home[0] != '/') {
		if (file_home_of(uid, from_passwd, sizeof(from_passwd)) < 0)
			return err_set(
				err, -ENOENT, "no home folder is known: set HOME or %s", variable);
		home = from_passwd;
	}
	if (str_format(buf, size, "%s/%s/nvsweep", home, below_home) + 1 < size)
		return 0;
	return err_set(err, -ENAMETOOLONG, "the home folder's name is too long");
}

int file_state_dir(char *buf, size_t size, struct err *err)
{
	return file_xdg_dir("XDG_STATE_HOME", ".local/state", buf, size, err);
}

int file_config_dir(char *buf, size_t size, struct err *err)
{
	return file_xdg_dir("XDG_CONFIG_HOME", ".config", buf, size, err);
}
