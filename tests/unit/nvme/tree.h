/* Hand-made folders that look like /sys and /dev, for tests. */
#ifndef TESTS_NVME_TREE_H
#define TESTS_NVME_TREE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

/* A fresh root; removed by tree_remove. */
static inline char *tree_make(void)
{
	char *root = strdup("/tmp/nvsweep-tree-XXXXXX");

	assert_non_null(root);
	assert_non_null(mkdtemp(root));
	return root;
}

static inline int tree_unlink(
	const char *path, const struct stat *status, int kind, struct FTW *walk)
{
	(void)status;
	(void)kind;
	(void)walk;
	return remove(path);
}

static inline void tree_remove(char *root)
{
	assert_int_equal(nftw(root, tree_unlink, 16, FTW_DEPTH | FTW_PHYS), 0);
	free(root);
}

/* Makes all folders above the last '/'. */
static inline void tree_folders(char *path)
{
	for (char *at = path + 1; (at = strchr(at, '/')) != NULL; at++) {
		*at = '\0';
		mkdir(path, 0755);
		*at = '/';
	}
}

/* A file with bytes; below is relative to the root. */
static inline void tree_bytes(const char *root, const char *below, const void *bytes, size_t size)
{
	char path[1024];

	snprintf(path, sizeof(path), "%s/%s", root, below);
	tree_folders(path);
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

/* An attribute as the kernel writes it: with a line feed. */
static inline void tree_text(const char *root, const char *below, const char *text)
{
	char line[1024];

	snprintf(line, sizeof(line), "%s\n", text);
	tree_bytes(root, below, line, strlen(line));
}

/* Attributes of a folder: pairs of name and text up to NULL. */
static inline void tree_attributes(const char *root, const char *folder, ...)
{
	const char *name;
	va_list args;

	va_start(args, folder);
	while ((name = va_arg(args, const char *)) != NULL) {
		char below[512];

		snprintf(below, sizeof(below), "%s/%s", folder, name);
		tree_text(root, below, va_arg(args, const char *));
	}
	va_end(args);
}

static inline void tree_folder(const char *root, const char *below)
{
	char path[1024];

	snprintf(path, sizeof(path), "%s/%s/", root, below);
	tree_folders(path);
}

/* A link at `below` to another place of the tree; relative, as in sysfs. */
static inline void tree_link(const char *root, const char *below, const char *to)
{
	char path[1024], target[1024] = "";

	snprintf(path, sizeof(path), "%s/%s", root, below);
	tree_folders(path);
	for (const char *at = below; (at = strchr(at, '/')) != NULL; at++)
		strcat(target, "../");
	strcat(target, to);
	assert_int_equal(symlink(target, path), 0);
}

#endif
