/* Built-in configs and themes, overlaid by /etc/nvsweep and then the user's configuration folder,
 * file by file and by name (DESIGN 4, Assets). Names are paths relative to the repository's root
 * without "configs/": "nvsweep.ini", "keys.ini", "workloads/rand-read-4k.ini", "themes/dark.ini".
 * Read-only after start; any thread. */
#ifndef CONF_ASSETS_H
#define CONF_ASSETS_H

#include <stddef.h>

#include "base/err.h"
#include "base/ini.h"

/* From the bottom: a later layer overrides an earlier one. */
enum asset_layer { ASSET_BUILTIN, ASSET_SYSTEM, ASSET_USER };

struct asset_list {
	char (*names)
		[96]; /* sorted (natural order), without folder and ".ini"; others keep ".csv" */
	size_t count;
};

/* Overrides the folders for tests; NULL keeps the standard one, "" means none. */
void assets_set_folders(const char *system_folder, const char *user_folder);
/* The text of the last layer that has it; caller frees. origin (may be NULL) gets the path, or
 * "built-in NAME". -ENOENT when no layer has it. */
int assets_read(const char *name, char **text, size_t *length, char *origin, size_t origin_size,
	struct err *err);
/* One layer only, for files whose layers add up (nvsweep.ini, keys.ini). -ENOENT when it has none. */
int assets_read_layer(enum asset_layer layer, const char *name, char **text, size_t *length,
	char *origin, size_t origin_size, struct err *err);
/* The folder of ASSET_SYSTEM or ASSET_USER; -ENOENT when there is none. */
int assets_layer_folder(enum asset_layer layer, char *buf, size_t size);
int assets_read_ini(const char *name, struct ini **out, struct err *err);
/* All names in a folder ("workloads", "themes") over all layers. */
int assets_list(const char *folder, struct asset_list *out, struct err *err);
void asset_list_free(struct asset_list *list);
/* The built-in text only; NULL when there is none. */
const char *assets_builtin(const char *name, size_t *length);

#endif
