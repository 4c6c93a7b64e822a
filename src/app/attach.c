/* Pictures of a run that another process measures. */
#include "app/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "app/serve.h"
#include "base/mem.h"
#include "base/str.h"
#include "sweep/view_json.h"

/* A line holds 256 intervals and all points: some 200 kB. */
#define LINE_MAX_BYTES ((size_t)8 << 20)
#define READ_BYTES 65536
/* What is read at once: a flood must not keep the screen. */
#define READ_AT_ONCE ((size_t)4 << 20)

struct attach {
	int fd; /* -1: lost */
	pid_t pid;
	bool detached;
	struct series *series;
	struct strbuf text; /* what came and is no whole line yet */
	char lost[256];
};

static int connect_to(const char *folder, const char *run_id, int fd, struct err *err)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const int dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int rc = 0;

	if (dir < 0)
		return err_set(err, -errno, "%s: %s", folder, err_errno_text(errno));
	if (str_format(address.sun_path, sizeof(address.sun_path),
		    "/proc/self/fd/%d/%s" SERVE_ENDING, dir, run_id) +
			1 >=
		sizeof(address.sun_path))
		rc = -ENOENT;
	else if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		rc = -errno;
	close(dir);
	switch (rc) {
	case 0:
		return 0;
	case -ENOENT:
	case -ECONNREFUSED: /* left behind by a process that was killed */
		return err_set(err, rc, "%s: no process answers for it", run_id);
	case -EACCES:
	case -EPERM:
		return err_set(err, rc, "%s: is another user's run", run_id);
	case -EAGAIN:
		return err_set(err, rc, "%s: its process does not answer", run_id);
	default:
		return err_set(err, rc, "%s: cannot be reached: %s", run_id, err_errno_text(rc));
	}
}

int attach_open(const char *folder, const char *run_id, struct attach **out, struct err *err)
{
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct attach *attach;
	pid_t pid;
	int rc;

	*out = NULL;
	if (fd < 0)
		return err_set(err, -errno, "cannot make a socket: %s", err_errno_text(errno));
	rc = connect_to(folder, run_id, fd, err);
	if (!rc && !serve_peer_trusted(fd, &pid))
		rc = err_set(err, -EACCES, "%s: another user's process answers for it", run_id);
	if (rc) {
		close(fd);
		return rc;
	}
	attach = mem_alloc(sizeof(*attach));
	attach->fd = fd;
	attach->pid = pid;
	attach->series = series_create();
	*out = attach;
	return 0;
}

void attach_close(struct attach *attach)
{
	if (!attach)
		return;
	if (attach->fd >= 0)
		close(attach->fd);
	series_unref(attach->series);
	strbuf_free(&attach->text);
	free(attach);
}

static void lose(struct attach *attach, const char *why)
{
	if (attach->fd < 0)
		return;
	close(attach->fd);
	attach->fd = -1;
	str_copy(attach->lost, sizeof(attach->lost), why);
}

int attach_send(struct attach *attach, const char *command, struct err *err)
{
	char line[64];
	const size_t length = str_format(line, sizeof(line), "{\"command\": \"%s\"}\n", command);
	ssize_t n;

	if (attach->fd < 0)
		return err_set(err, -EPIPE, "%s", attach->lost);
	do
		n = send(attach->fd, line, length, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	/* So short a line goes whole or not at all. */
	if (n == (ssize_t)length)
		return 0;
	return err_set(err, n < 0 ? -errno : -EAGAIN, "the run's process does not answer");
}

int attach_fd(const struct attach *attach)
{
	return attach->fd;
}

const char *attach_lost(const struct attach *attach)
{
	return attach->fd < 0 ? attach->lost : NULL;
}

pid_t attach_pid(const struct attach *attach)
{
	return attach->pid;
}

bool attach_detached(const struct attach *attach)
{
	return attach->detached;
}

static void take_line(
	struct attach *attach, const char *text, size_t length, struct runner_view **newest)
{
	struct runner_view *view = NULL;
	struct json *json = NULL;
	struct err err = {0};
	int rc = json_parse("the run's process", text, length, &json, &err);

	if (!rc)
		rc = view_from_json(json, attach->series, &view, &err);
	if (rc) {
		lose(attach, err.text);
	} else {
		json_read_bool(json, "detached", &attach->detached, NULL);
		runner_view_free(*newest);
		*newest = view;
	}
	json_free(json);
}

static void take_lines(struct attach *attach, struct runner_view **newest)
{
	const char *from = attach->text.text;
	size_t left = attach->text.length;
	const char *newline;

	while (attach->fd >= 0 && left && (newline = memchr(from, '\n', left))) {
		const size_t length = (size_t)(newline - from);

		take_line(attach, from, length, newest);
		from = newline + 1;
		left -= length + 1;
	}
	if (left > LINE_MAX_BYTES)
		lose(attach, "what answers for the run is no nvsweep: a line without end");
	if (left)
		memmove(attach->text.text, from, left);
	attach->text.length = left;
}

struct runner_view *attach_take(struct attach *attach)
{
	struct runner_view *newest = NULL;
	char bytes[READ_BYTES];
	size_t total = 0;

	while (attach->fd >= 0 && total < READ_AT_ONCE) {
		const ssize_t n = recv(attach->fd, bytes, sizeof(bytes), MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			break;
		if (n <= 0) {
			lose(attach, "the run's process ended");
			break;
		}
		strbuf_add_bytes(&attach->text, bytes, (size_t)n);
		total += (size_t)n;
		take_lines(attach, &newest);
	}
	return newest;
}
