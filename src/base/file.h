/* Files: whole reads, atomic writes, folders of the XDG standard. Any thread. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* Reads a whole regular file of at most max bytes into a new buffer (NUL-terminated beyond
 * *length; caller frees). -EFBIG when larger. */
int file_read(const char *path, size_t max, char **bytes, size_t *length, struct err *err);
/* Reads a short text (sysfs attribute) without trailing white space into buf; no sentence: callers
 * treat absence as "not reported". Returns 0 or -errno. */
int file_read_text(const char *path, char *buf, size_t size);
/* An attribute of a sysfs folder as printable ASCII, trimmed; "" when it is not there. 0 or -errno. */
int file_attribute_text(const char *folder, const char *attribute, char *buf, size_t size);
/* An attribute that is a decimal number; absent when it is not there or something else. */
uint64_t file_attribute_u64(const char *folder, const char *attribute, uint64_t absent);

/* Writes path by temp file in the same folder, fsync, rename, fsync of the folder: afterwards
 * either the old or the new content is there, whole. Mode 0644, or that of the file replaced; owner
 * as file_adopt. A link to a file stays a link (not under sudo). A terminal, pipe or /dev/stdout is
 * written straight; directories and block devices are refused. */
int file_write_atomic(const char *path, const void *bytes, size_t length, struct err *err);
/* mkdir -p; new folders 0755 and owned as file_adopt. */
int file_make_dirs(const char *path, struct err *err);
/* Under sudo gives an open file or folder that root owns to the calling user (SUDO_UID/GID) when it
 * really lies in that user's home; otherwise does nothing. path is for messages. */
void file_adopt(int fd, const char *path);

/* The calling user under sudo; false when there is none. */
bool file_sudo_caller(uid_t *uid, gid_t *gid);

/* $XDG_STATE_HOME/nvsweep (~/.local/state/nvsweep) and $XDG_CONFIG_HOME/nvsweep
 * (~/.config/nvsweep); under sudo those of the calling user. -ENOENT when there is no home. */
int file_state_dir(char *buf, size_t size, struct err *err);
int file_config_dir(char *buf, size_t size, struct err *err);

#endif
