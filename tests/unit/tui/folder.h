/* A configuration folder of a test's own, which the assets then take as the user's. */
#ifndef TESTS_UNIT_TUI_FOLDER_H
#define TESTS_UNIT_TUI_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/assets.h"

static char folder[64];

static inline int folder_open(void **state)
{
	char path[96];

	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/nvsweep-tui-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/themes", folder);
	mkdir(path, 0700);
	assets_set_folders("", folder);
	return 0;
}

static inline void folder_write(const char *name, const char *text)
{
	char path[160];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	if (!file)
		abort();
	fputs(text, file);
	fclose(file);
}

static inline void folder_remove(const char *name)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	unlink(path);
}

static inline int folder_close(void **state)
{
	char path[96];

	(void)state;
	snprintf(path, sizeof(path), "%s/themes", folder);
	rmdir(path);
	return rmdir(folder);
}

#endif
