/* The program's log: the last 1000 lines in memory, all of them to a file on request (--debug).
 * Any thread; never blocks on a drive. Lines are for people who debug nvsweep, not its users. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/err.h"

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };

/* Opens path for appending and writes every later line there too. */
int log_open(const char *path, struct err *err);
void log_write(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define log_debug(...) log_write(LOG_DEBUG, __VA_ARGS__)
#define log_info(...) log_write(LOG_INFO, __VA_ARGS__)
#define log_warn(...) log_write(LOG_WARN, __VA_ARGS__)
#define log_error(...) log_write(LOG_ERROR, __VA_ARGS__)
/* Writes the lines in memory to fd with plain write(); usable from a signal handler of a crash. */
void log_dump(int fd);

#endif
