/* Gathers what ncurses writes during a refresh: it flushes at each cursor movement. */
#include "tui/frame.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

void frame_open(struct frame *frame, int fd)
{
	frame->fd = fd;
	frame->terminal = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	frame->gathering = frame->terminal < 0 ? -1 : memfd_create("nvsweep-frame", MFD_CLOEXEC);
}

void frame_close(struct frame *frame)
{
	if (frame->gathering >= 0)
		close(frame->gathering);
	if (frame->terminal >= 0)
		close(frame->terminal);
	frame->gathering = frame->terminal = -1;
}

void frame_begin(struct frame *frame)
{
	if (frame->gathering >= 0)
		dup3(frame->gathering, frame->fd, O_CLOEXEC);
}

static size_t frame_send(int fd, const char *bytes, size_t length)
{
	size_t sent = 0;

	while (sent < length) {
		const ssize_t n = write(fd, bytes + sent, length - sent);

		if (n > 0) {
			sent += (size_t)n;
		} else if (n < 0 && errno == EAGAIN) {
			struct pollfd ready = {.fd = fd, .events = POLLOUT};

			poll(&ready, 1, -1);
		} else if (n >= 0 || errno != EINTR) {
			break; /* the terminal is gone: the next read tells */
		}
	}
	return sent;
}

size_t frame_end(struct frame *frame)
{
	char bytes[16384];
	size_t sent = 0;
	ssize_t n;

	if (frame->gathering < 0)
		return 0;
	dup3(frame->terminal, frame->fd, O_CLOEXEC);
	lseek(frame->gathering, 0, SEEK_SET);
	while ((n = read(frame->gathering, bytes, sizeof(bytes))) > 0)
		sent += frame_send(frame->terminal, bytes, (size_t)n);
	lseek(frame->gathering, 0, SEEK_SET);
	if (ftruncate(frame->gathering, 0) < 0)
		frame_close(frame); /* rather straight than twice */
	return sent;
}
