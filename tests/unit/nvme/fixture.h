/* Finds the pages handed to the project from outside; tests that need them are skipped without. */
#ifndef TESTS_NVME_FIXTURE_H
#define TESTS_NVME_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "nvme/page.h"

static inline void fixture_path(char *buf, size_t size, const char *below)
{
	const char *shared = getenv("NVSWEEP_SHARED");

	snprintf(buf, size, "%s/fixtures/%s", shared != NULL ? shared : "../shared", below);
}

/* Skips the test, saying why, when the fixtures are not there. */
static inline void fixture_need(const char *below)
{
	char path[512];

	fixture_path(path, sizeof(path), below);
	if (access(path, R_OK) == 0)
		return;
	print_message("skipped: %s is not there: set NVSWEEP_SHARED\n", path);
	skip();
}

/* Reads a page of at most room bytes; fails the test when it is missing. */
static inline size_t fixture_read(const char *name, uint8_t *bytes, size_t room)
{
	char below[256], path[512];

	snprintf(below, sizeof(below), "pages/%s", name);
	fixture_path(path, sizeof(path), below);
	FILE *file = fopen(path, "rb");
	if (file == NULL)
		fail_msg("%s cannot be opened", path);
	const size_t length = fread(bytes, 1, room, file);
	fclose(file);
	return length;
}

/* A heap copy of exactly `length` bytes, so that a read beyond them is caught by sanitizers. */
static inline uint8_t *fixture_exact(const uint8_t *bytes, size_t length)
{
	uint8_t *copy = malloc(length > 0 ? length : 1);

	assert_non_null(copy);
	if (length > 0)
		memcpy(copy, bytes, length);
	return copy;
}

#endif
