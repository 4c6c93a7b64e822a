/* The socket beside a running run. */
#include "app/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "sweep/view_json.h"

/* Of one line: some 150 kB, and a day of intervals is told in 340 of them. */
#define INTERVALS_A_LINE 256
#define COMMAND_MAX 512
/* Who comes while the loop is busy; those that are too many are sent away by it. */
#define BACKLOG 128
#define LISTENER UINT64_MAX

struct client {
	int fd; /* -1: free */
	char *line;
	size_t length, sent; /* of the line that is being sent; length 0: none */
	size_t told;         /* intervals of the series */
	bool watches, behind;
	bool asked; /* for one picture */
	char command[COMMAND_MAX];
	size_t have;
};

struct serve {
	char folder[512], name[80];
	int folder_fd, listener, epoll;
	void (*command)(void *user, enum serve_command command);
	void *user;
	const struct runner_view *view;
	struct client clients[SERVE_CLIENTS_MAX];
	char fault[256];
	bool detached;
};

/* ---- who may come in ------------------------------------------------------------------------- */

bool serve_peer_trusted(int fd, pid_t *pid)
{
	struct ucred peer;
	socklen_t length = sizeof(peer);
	uid_t caller;
	gid_t group;

	*pid = 0;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0)
		return false;
	*pid = peer.pid;
	return peer.uid == geteuid() || peer.uid == 0 ||
		(file_sudo_caller(&caller, &group) && peer.uid == caller);
}

/* ---- clients --------------------------------------------------------------------------------- */

static void client_close(struct client *client)
{
	close(client->fd);
	free(client->line);
	*client = (struct client){.fd = -1};
}

static void client_watch(const struct serve *serve, struct client *client)
{
	struct epoll_event event = {
		.events = EPOLLIN | (client->length ? EPOLLOUT : 0U),
		.data.u64 = (uint64_t)(client - serve->clients),
	};

	epoll_ctl(serve->epoll, EPOLL_CTL_MOD, client->fd, &event);
}

/* The next line for a client that has taken the last one; false: it knows everything. */
static bool client_compose(const struct serve *serve, struct client *client)
{
	const struct runner_view *view = serve->view;
	const size_t count = view->series ? series_count(view->series) : 0;
	size_t part = 0;
	struct json *json;

	if (client->watches ? !client->behind : !client->asked)
		return false;
	if (client->watches && count > client->told)
		part = count - client->told < INTERVALS_A_LINE ? count - client->told
							       : INTERVALS_A_LINE;
	json = view_to_json(view, client->watches ? client->told : 0, part);
	json_set_i64(json, "pid", getpid());
	json_set_bool(json, "detached", serve->detached);
	client->line = json_text(json, false);
	json_free(json);
	client->length = strlen(client->line);
	client->line[client->length++] = '\n'; /* in place of the terminator */
	client->sent = 0;
	client->told += part;
	client->behind = client->watches && client->told < count;
	client->asked = false;
	return true;
}

/* Sends what goes without waiting. False: the client is gone. */
static bool client_send(const struct serve *serve, struct client *client)
{
	while (client->length || (serve->view && client_compose(serve, client))) {
		const ssize_t n = send(client->fd, client->line + client->sent,
			client->length - client->sent, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN || errno == EWOULDBLOCK;
		client->sent += (size_t)n;
		if (client->sent < client->length)
			continue;
		free(client->line);
		client->line = NULL;
		client->length = client->sent = 0;
	}
	return true;
}

static void client_serve(const struct serve *serve, struct client *client)
{
	if (client_send(serve, client))
		client_watch(serve, client);
	else
		client_close(client);
}

static bool client_obey(struct serve *serve, struct client *client, const char *text, size_t length)
{
	struct json *json = NULL;
	const char *word = "";

	if (json_parse("command", text, length, &json, NULL))
		return false;
	if (!json_is_object(json) || json_read_string(json, "command", &word, NULL))
		word = "";
	if (!strcmp(word, "watch"))
		client->watches = client->behind = true;
	else if (!strcmp(word, "view"))
		client->asked = true;
	else if (!strcmp(word, "pause"))
		serve->command(serve->user, SERVE_PAUSE);
	else if (!strcmp(word, "resume"))
		serve->command(serve->user, SERVE_RESUME);
	else if (!strcmp(word, "stop"))
		serve->command(serve->user, SERVE_STOP);
	else
		log_info("a client asks for what is not known here"); /* a later version */
	json_free(json);
	return true;
}

/* False: the client is gone, or no client of ours. */
static bool client_read(struct serve *serve, struct client *client)
{
	const size_t room = sizeof(client->command) - client->have;
	const ssize_t n = recv(client->fd, client->command + client->have, room, MSG_DONTWAIT);
	char *newline;

	if (n < 0)
		return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
	if (n == 0)
		return false;
	client->have += (size_t)n;
	while ((newline = memchr(client->command, '\n', client->have))) {
		const size_t length = (size_t)(newline - client->command);

		if (!client_obey(serve, client, client->command, length))
			return false;
		client->have -= length + 1;
		memmove(client->command, newline + 1, client->have);
	}
	return client->have < sizeof(client->command);
}

static void client_accept(struct serve *serve)
{
	const int fd = accept4(serve->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct epoll_event event = {.events = EPOLLIN};
	pid_t pid;

	if (fd < 0)
		return;
	for (size_t i = 0; i < SERVE_CLIENTS_MAX; i++) {
		struct client *client = &serve->clients[i];

		if (client->fd >= 0)
			continue;
		event.data.u64 = i;
		if (!serve_peer_trusted(fd, &pid) ||
			epoll_ctl(serve->epoll, EPOLL_CTL_ADD, fd, &event) < 0)
			break;
		client->fd = fd;
		return;
	}
	close(fd);
}

/* ---- the socket ------------------------------------------------------------------------------ */

/* Names of sockets are at most 107 bytes long and folders are not: through the descriptor of the
 * folder every name is short. */
static void socket_address(const struct serve *serve, struct sockaddr_un *address)
{
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	str_format(address->sun_path, sizeof(address->sun_path), "/proc/self/fd/%d/%s",
		serve->folder_fd, serve->name);
}

/* Under sudo the socket belongs to the calling user, as the runs do. */
static void socket_adopt(const struct serve *serve)
{
	const int fd = openat(serve->folder_fd, serve->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return;
	if (!fstat(fd, &st) && S_ISSOCK(st.st_mode) && st.st_nlink == 1)
		file_adopt(fd, serve->name);
	close(fd);
}

static int socket_make(struct serve *serve, const char *run_id, struct err *err)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = LISTENER};
	struct sockaddr_un address;

	str_format(serve->name, sizeof(serve->name), "%s" SERVE_ENDING, run_id);
	serve->folder_fd = open(serve->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (serve->folder_fd < 0)
		return err_set(err, -errno, "%s: %s", serve->folder, err_errno_text(errno));
	serve->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	serve->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (serve->listener < 0 || serve->epoll < 0)
		return err_set(err, -errno, "cannot make a socket: %s", err_errno_text(errno));
	/* The id is new: what has this name was left behind by a process that was killed. */
	unlinkat(serve->folder_fd, serve->name, 0);
	socket_address(serve, &address);
	/* The node gets the mode that the socket has by now. */
	if (fchmod(serve->listener, 0600) < 0 ||
		bind(serve->listener, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
		listen(serve->listener, BACKLOG) < 0 ||
		epoll_ctl(serve->epoll, EPOLL_CTL_ADD, serve->listener, &event) < 0)
		return err_set(err, -errno, "cannot make the socket %s/%s: %s", serve->folder,
			serve->name, err_errno_text(errno));
	socket_adopt(serve);
	return 0;
}

static void socket_remove(struct serve *serve)
{
	if (serve->listener >= 0) {
		close(serve->listener);
		unlinkat(serve->folder_fd, serve->name, 0);
	}
	if (serve->epoll >= 0)
		close(serve->epoll);
	if (serve->folder_fd >= 0)
		close(serve->folder_fd);
	serve->listener = serve->epoll = serve->folder_fd = -1;
}

struct serve *serve_create(
	const char *folder, void (*command)(void *user, enum serve_command command), void *user)
{
	struct serve *serve;

	if (!folder || !*folder)
		return NULL;
	serve = mem_alloc(sizeof(*serve));
	str_copy(serve->folder, sizeof(serve->folder), folder);
	serve->folder_fd = serve->listener = serve->epoll = -1;
	serve->command = command;
	serve->user = user;
	for (size_t i = 0; i < SERVE_CLIENTS_MAX; i++)
		serve->clients[i].fd = -1;
	return serve;
}

int serve_fd(const struct serve *serve)
{
	return serve ? serve->epoll : -1;
}

const char *serve_fault(const struct serve *serve)
{
	return serve ? serve->fault : "there is no folder for runs";
}

void serve_detached(struct serve *serve)
{
	if (serve)
		serve->detached = true;
}

void serve_view(struct serve *serve, const struct runner_view *view)
{
	struct err err;

	if (!serve)
		return;
	serve->view = view;
	if (serve->epoll < 0 && !serve->fault[0] && view->state >= RUNNER_RUNNING &&
		view->state != RUNNER_ENDED) {
		err_clear(&err);
		if (socket_make(serve, view->run_id, &err)) {
			socket_remove(serve);
			str_copy(serve->fault, sizeof(serve->fault), err.text);
			log_warn("nobody can watch this run: %s", err.text);
		}
	}
	for (size_t i = 0; i < SERVE_CLIENTS_MAX; i++) {
		struct client *client = &serve->clients[i];

		if (client->fd < 0)
			continue;
		client->behind = client->watches;
		client_serve(serve, client);
	}
}

void serve_turn(struct serve *serve)
{
	struct epoll_event events[SERVE_CLIENTS_MAX + 1];
	int count;

	if (!serve || serve->epoll < 0)
		return;
	count = epoll_wait(serve->epoll, events, SERVE_CLIENTS_MAX + 1, 0);
	for (int i = 0; i < count; i++) {
		if (events[i].data.u64 == LISTENER) {
			client_accept(serve);
			continue;
		}
		struct client *client = &serve->clients[events[i].data.u64];

		if (client->fd < 0)
			continue;
		if ((events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) &&
			!client_read(serve, client))
			client_close(client);
		else
			client_serve(serve, client);
	}
}

static bool all_told(const struct serve *serve)
{
	for (size_t i = 0; i < SERVE_CLIENTS_MAX; i++) {
		const struct client *client = &serve->clients[i];

		if (client->fd >= 0 && (client->length || client->behind || client->asked))
			return false;
	}
	return true;
}

void serve_close(struct serve *serve, unsigned timeout_ms)
{
	const uint64_t deadline = clock_monotonic_ns() + timeout_ms * UINT64_C(1000000);

	if (!serve)
		return;
	while (serve->epoll >= 0 && !all_told(serve)) {
		const uint64_t now = clock_monotonic_ns();
		struct epoll_event event;

		if (now >= deadline)
			break;
		epoll_wait(serve->epoll, &event, 1, (int)((deadline - now) / 1000000) + 1);
		serve_turn(serve);
	}
	for (size_t i = 0; i < SERVE_CLIENTS_MAX; i++) {
		if (serve->clients[i].fd >= 0)
			client_close(&serve->clients[i]);
	}
	socket_remove(serve);
	free(serve);
}
