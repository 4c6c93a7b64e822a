/* Built-in files and the two folders that lie over them. */
#include "conf/assets.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"

#define ASSET_MAX (1024 * 1024)

/* Made by embed-assets.sh. */
struct asset {
	const char *name;
	const char *bytes;
	uint64_t length;
};
extern const struct asset asset_table[];
extern const uint64_t asset_table_count;

static char assets_system[PATH_MAX] = "/etc/nvsweep";
static char assets_user[PATH_MAX];
static bool assets_user_set;

void assets_set_folders(const char *system_folder, const char *user_folder)
{
	str_copy(assets_system, sizeof(assets_system),
		system_folder ? system_folder : "/etc/nvsweep");
	str_copy(assets_user, sizeof(assets_user), user_folder ? user_folder : "");
	assets_user_set = user_folder != NULL;
}

int assets_layer_folder(enum asset_layer layer, char *buf, size_t size)
{
	if (layer == ASSET_SYSTEM)
		str_copy(buf, size, assets_system);
	else if (layer == ASSET_USER && assets_user_set)
		str_copy(buf, size, assets_user);
	else if (layer != ASSET_USER || file_config_dir(buf, size, NULL) < 0)
		str_copy(buf, size, "");
	return buf[0] ? 0 : -ENOENT;
}

const char *assets_builtin(const char *name, size_t *length)
{
	for (uint64_t i = 0; i < asset_table_count; i++) {
		if (strcmp(asset_table[i].name, name) == 0) {
			if (length)
				*length = asset_table[i].length;
			return asset_table[i].bytes;
		}
	}
	return NULL;
}

/* Names reach us from command lines and files: none may lead out of the folders. */
static bool assets_name_is_safe(const char *name)
{
	if (!*name || *name == '/' || strlen(name) > 200)
		return false;
	for (const char *at = name; at; at = strchr(at, '/')) {
		at += *at == '/';
		if (*at == '.' || *at == '/' || !*at)
			return false;
	}
	return true;
}

int assets_read_layer(enum asset_layer layer, const char *name, char **text, size_t *length,
	char *origin, size_t origin_size, struct err *err)
{
	char folder[PATH_MAX], path[PATH_MAX + 256];
	const char *bytes;
	int code;

	if (!assets_name_is_safe(name))
		return err_set_exit(
			err, ERR_EXIT_USAGE, -EINVAL, "\"%.100s\" is not a usable name", name);
	if (layer == ASSET_BUILTIN) {
		bytes = assets_builtin(name, length);
		if (!bytes)
			return err_set_exit(err, ERR_EXIT_USAGE, -ENOENT, "there is no %s", name);
		*text = mem_alloc(*length + 1);
		memcpy(*text, bytes, *length);
		str_format(path, sizeof(path), "built-in %s", name);
	} else {
		if (assets_layer_folder(layer, folder, sizeof(folder)) < 0)
			return err_set_exit(err, ERR_EXIT_USAGE, -ENOENT, "there is no %s", name);
		str_format(path, sizeof(path), "%s/%s", folder, name);
		code = file_read(path, ASSET_MAX, text, length, err);
		/* A folder that is closed to this user (another's HOME) holds nothing for it; a file
		 * that is there and cannot be read is a fault. */
		if (code == -ENOTDIR || (code == -EACCES && access(path, F_OK) < 0))
			code = -ENOENT;
		if (code < 0)
			return code;
	}
	if (origin)
		str_copy(origin, origin_size, path);
	return 0;
}

int assets_read(const char *name, char **text, size_t *length, char *origin, size_t origin_size,
	struct err *err)
{
	int code = -ENOENT;

	/* A file that is there but cannot be read is a fault, not a reason to look below it. */
	for (int layer = ASSET_USER; layer >= ASSET_BUILTIN && code == -ENOENT; layer--) {
		err_clear(err);
		code = assets_read_layer(
			(enum asset_layer)layer, name, text, length, origin, origin_size, err);
	}
	return code;
}

int assets_read_ini(const char *name, struct ini **out, struct err *err)
{
	char origin[PATH_MAX + 256], *text;
	size_t length;
	int code = assets_read(name, &text, &length, origin, sizeof(origin), err);

	if (code < 0)
		return code;
	code = ini_parse(origin, text, length, out, err);
	free(text);
	return code;
}

struct list_builder {
	struct asset_list *list;
	size_t capacity;
};

/* Adds the name of one file if it is an asset's. */
static void list_add(struct list_builder *builder, const char *file)
{
	struct asset_list *list = builder->list;
	size_t length = strlen(file), slot = sizeof(list->names[0]);
	char shown[sizeof(list->names[0])];

	if (file[0] == '.' || strchr(file, '/') || length >= slot)
		return;
	if (str_ends_with(file, ".ini"))
		length -= 4;
	else if (!str_ends_with(file, ".csv"))
		return;
	/* names that cannot be shown or typed are left out */
	str_sanitize_utf8(shown, sizeof(shown), file);
	if (strcmp(shown, file) != 0)
		return;
	if (list->count == builder->capacity) {
		builder->capacity = builder->capacity ? builder->capacity * 2 : 32;
		list->names = mem_realloc(list->names, builder->capacity * slot);
	}
	memcpy(list->names[list->count], file, length);
	list->names[list->count++][length] = '\0';
}

static int list_compare(const void *a, const void *b)
{
	return str_compare_natural(a, b);
}

int assets_list(const char *folder, struct asset_list *out, struct err *err)
{
	char base[PATH_MAX], path[PATH_MAX + 256];
	struct list_builder builder = {.list = out};
	size_t length = strlen(folder), kept = 0;

	*out = (struct asset_list){0};
	if (!assets_name_is_safe(folder))
		return err_set_exit(
			err, ERR_EXIT_USAGE, -EINVAL, "\"%.100s\" is not a usable name", folder);
	for (uint64_t i = 0; i < asset_table_count; i++) {
		const char *name = asset_table[i].name;

		if (strncmp(name, folder, length) == 0 && name[length] == '/')
			list_add(&builder, name + length + 1);
	}
	for (int layer = ASSET_SYSTEM; layer <= ASSET_USER; layer++) {
		struct dirent *entry;
		DIR *dir;

		if (assets_layer_folder((enum asset_layer)layer, base, sizeof(base)) < 0)
			continue;
		str_format(path, sizeof(path), "%s/%s", base, folder);
		/* a folder that is absent or closed to this user only adds nothing */
		dir = opendir(path);
		if (!dir)
			continue;
		while ((entry = readdir(dir)) != NULL)
			list_add(&builder, entry->d_name);
		closedir(dir);
	}
	if (out->count > 1)
		qsort(out->names, out->count, sizeof(out->names[0]), list_compare);
	for (size_t i = 0; i < out->count; i++) {
		if (kept > 0 && strcmp(out->names[kept - 1], out->names[i]) == 0)
			continue;
		memmove(out->names[kept++], out->names[i], sizeof(out->names[0]));
	}
	out->count = kept;
	return 0;
}

void asset_list_free(struct asset_list *list)
{
	free(list->names);
	*list = (struct asset_list){0};
}
