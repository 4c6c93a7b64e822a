/* The log: a ring of lines in static memory, so that a crash handler can still write it. */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "base/units.h"

#define LOG_LINES 1000
#define LOG_LINE 240

static char log_ring[LOG_LINES][LOG_LINE];
static atomic_ulong log_count;                               /* lines ever written */
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER; /* of the ring; held for a memcpy */
static atomic_int log_fd = -1;

static const char *const log_names[] = {"debug", "info", "WARN", "ERROR"};

int log_open(const char *path, struct err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0644);
	int code = -errno, old;
	char when[32];

	if (fd < 0)
		return err_set(err, code, "cannot open the log %s: %s", path, err_errno_text(code));
	old = atomic_exchange(&log_fd, fd);
	if (old >= 0)
		close(old);
	log_info("nvsweep %s, log opened %s", NVSWEEP_VERSION,
		units_iso_time(when, sizeof(when), clock_wall_seconds()));
	return 0;
}

static void log_write_all(int fd, const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t n = write(fd, bytes, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return; /* a log that cannot be written must not stop the program */
		bytes += n;
		length -= (size_t)n;
	}
}

void log_write(enum log_level level, const char *format, ...)
{
	char raw[LOG_LINE], text[LOG_LINE - 40], line[LOG_LINE];
	uint64_t now = clock_monotonic_ns();
	int saved = errno, fd;
	unsigned long n;
	va_list args;
	size_t length;

	va_start(args, format);
	vsnprintf(raw, sizeof(raw), format, args);
	va_end(args);
	str_sanitize_utf8(text, sizeof(text), raw);
	length = str_format(line, sizeof(line), "%8lu.%06lu %-5s %ld %s\n",
		(unsigned long)(now / 1000000000u), (unsigned long)(now / 1000 % 1000000u),
		log_names[level], syscall(SYS_gettid), text);

	pthread_mutex_lock(&log_lock);
	n = atomic_load_explicit(&log_count, memory_order_relaxed);
	memcpy(log_ring[n % LOG_LINES], line, length + 1);
	atomic_store_explicit(&log_count, n + 1, memory_order_release);
	pthread_mutex_unlock(&log_lock);

	/* outside the lock: one O_APPEND write per line keeps lines whole */
	fd = atomic_load(&log_fd);
	if (fd >= 0)
		log_write_all(fd, line, length);
	errno = saved;
}

void log_dump(int fd)
{
	/* No lock: the thread that crashed may hold it. A line being written at this moment may
	 * come out torn. */
	unsigned long n = atomic_load_explicit(&log_count, memory_order_acquire);

	for (unsigned long i = n > LOG_LINES ? n - LOG_LINES : 0; i < n; i++) {
		const char *line = log_ring[i % LOG_LINES];

		log_write_all(fd, line, strnlen(line, LOG_LINE));
	}
}
