/* A folder for one test, with its own state folder inside; and a file of data in it. */
#ifndef TESTS_SWEEP_FOLDER_H
#define TESTS_SWEEP_FOLDER_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"

static char folder[64];

static inline int folder_make(void **state)
{
	(void)state;
	/* Not /tmp: that may be memory, where direct I/O means nothing. */
	str_copy(folder, sizeof(folder), "/var/tmp/nvsweep-sweep-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	return setenv("XDG_STATE_HOME", folder, 1);
}

static inline int folder_remove(void **state)
{
	char command[128];

	(void)state;
	str_format(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

static inline char *folder_path(const char *name)
{
	static char paths[16][160]; /* more than a test holds at once */
	static unsigned next;
	char *path = paths[next++ % 16];

	str_format(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

#endif
