/* Gathers what ncurses writes during a refresh: it flushes at each cursor movement. Repetitions
 * ("x", ESC [ n b) are written out on the way: behind one that ends in front of the last column some
 * emulators put the next character on the next line. */
#include "tui/frame.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

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

/* The length of a repetition at text, 0 when there is none; *count is how often. */
static size_t frame_repetition(const char *text, size_t length, unsigned *count)
{
	size_t at = 2;

	if (length < 4 || text[0] != '\033' || text[1] != '[')
		return 0;
	for (*count = 0; at < length && text[at] >= '0' && text[at] <= '9' && at < 6; at++)
		*count = *count * 10 + (unsigned)(text[at] - '0');
	return at > 2 && at < length && text[at] == 'b' ? at + 1 : 0;
}

static void frame_expand(const char *text, size_t length, struct strbuf *out)
{
	for (size_t at = 0; at < length;) {
		unsigned count;
		const size_t rep = frame_repetition(text + at, length - at, &count);

		if (rep && at && text[at - 1] >= 0x20 && text[at - 1] < 0x7f) {
			for (; count; count--)
				strbuf_add_bytes(out, &text[at - 1], 1);
			at += rep;
		} else {
			strbuf_add_bytes(out, &text[at++], 1);
		}
	}
}

size_t frame_end(struct frame *frame)
{
	struct strbuf out = {0};
	off_t length;
	char *bytes;
	ssize_t got;
	size_t sent;

	if (frame->gathering < 0)
		return 0;
	dup3(frame->terminal, frame->fd, O_CLOEXEC);
	length = lseek(frame->gathering, 0, SEEK_END);
	bytes = mem_alloc(length > 0 ? (size_t)length : 1);
	got = pread(frame->gathering, bytes, length > 0 ? (size_t)length : 0, 0);
	frame_expand(bytes, got > 0 ? (size_t)got : 0, &out);
	sent = out.length ? frame_send(frame->terminal, out.text, out.length) : 0;
	strbuf_free(&out);
	free(bytes);
	lseek(frame->gathering, 0, SEEK_SET);
	if (ftruncate(frame->gathering, 0) < 0)
		frame_close(frame); /* rather straight than twice */
	return sent;
}
