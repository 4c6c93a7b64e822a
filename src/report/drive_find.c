/* Finds the drive that a user named, and explains pages that are missing. */
#include "report/drive_find.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

const char *const drive_pages[] = {
	"health", "identify", "smart", "environment", "namespaces", NULL};

const struct inventory_controller *drive_of_namespace(
	const struct inventory *inventory, const struct inventory_namespace *ns)
{
	if (ns->controller_index < inventory->controller_count)
		return &inventory->controllers[ns->controller_index];
	for (size_t i = 0; i < ns->topo.path_count; i++) {
		const struct inventory_controller *controller =
			inventory_find_controller(inventory, ns->topo.paths[i].controller);

		if (controller != NULL)
			return controller;
	}
	return NULL;
}

static int drive_unknown(const struct inventory *inventory, const char *name, struct err *err)
{
	const size_t count = inventory->controller_count + inventory->namespace_count;
	const char **names = mem_alloc((count + 1) * sizeof(*names));
	char shown[128];
	size_t known = 0;

	for (size_t i = 0; i < inventory->controller_count; i++)
		names[known++] = inventory->controllers[i].topo.name;
	for (size_t i = 0; i < inventory->namespace_count; i++)
		if (inventory->namespaces[i].topo.name[0] != '\0')
			names[known++] = inventory->namespaces[i].topo.name;
	const char *nearest = str_nearest(name, names, known);
	str_sanitize_utf8(shown, sizeof(shown), name);
	int rc;
	if (known == 0)
		rc = err_set_exit(err, ERR_EXIT_USAGE, -ENODEV, "%s: %s", shown,
			inventory->notice[0] != '\0' ? inventory->notice
						     : "there is no NVMe drive here");
	else if (nearest != NULL)
		rc = err_set_exit(err, ERR_EXIT_USAGE, -ENODEV,
			"%s: no such NVMe drive; did you mean %s?", shown, nearest);
	else
		rc = err_set_exit(err, ERR_EXIT_USAGE, -ENODEV,
			"%s: no such NVMe drive; `nvsweep list` shows those there are", shown);
	free(names);
	return rc;
}

int drive_find(const struct inventory *inventory, const char *name,
	const struct inventory_controller **controller, const struct inventory_namespace **ns,
	struct err *err)
{
	const char *base = str_starts_with(name, "/dev/") ? name + strlen("/dev/") : name;

	*ns = NULL;
	*controller = NULL;
	/* Nodes that do not exist have empty names: an empty one finds nothing. */
	if (base[0] == '\0')
		return drive_unknown(inventory, name, err);
	*controller = inventory_find_controller(inventory, base);
	if (*controller != NULL)
		return 0;
	const struct inventory_namespace *found = inventory_find_namespace(inventory, base);
	if (found != NULL) {
		*controller = drive_of_namespace(inventory, found);
		if (*controller == NULL)
			return err_set(err, -ENODEV,
				"%s: no controller of this namespace is known at the moment", base);
		*ns = found;
		return 0;
	}
	for (size_t i = 0; i < inventory->controller_count; i++) {
		if (strcmp(inventory->controllers[i].topo.serial, base) != 0)
			continue;
		*controller = &inventory->controllers[i];
		return 0;
	}
	return drive_unknown(inventory, base, err);
}

void drive_page_problem(const struct page_info *info, char *buf, size_t size)
{
	str_copy(buf, size, "");
	switch (info->state) {
	case PAGE_OK:
		break;
	case PAGE_NONE:
		if (info->read_at == 0)
			str_copy(buf, size, info->text[0] != '\0' ? info->text : "not asked for");
		break;
	case PAGE_WAITING:
		str_format(buf, size, "no answer for %llu s",
			(unsigned long long)(info->waiting_ns / 1000000000));
		break;
	case PAGE_REFUSED:
		str_copy(buf, size,
			info->text[0] != '\0' ? info->text : "the controller refused the command");
		break;
	case PAGE_FAILED:
		str_copy(buf, size, info->text[0] != '\0' ? info->text : "it could not be read");
		break;
	case PAGE_EMPTY:
		str_copy(buf, size,
			info->text[0] != '\0' ? info->text : "the drive returned an empty page");
		break;
	}
}

bool drive_page_wanted(const char *page, const char *part)
{
	return page == NULL || strcmp(page, part) == 0;
}

int drive_page_check(const char *page, struct err *err)
{
	const size_t count = sizeof(drive_pages) / sizeof(drive_pages[0]) - 1;
	char shown[64], list[160] = "";

	if (page == NULL)
		return 0;
	for (size_t i = 0; i < count; i++)
		if (strcmp(page, drive_pages[i]) == 0)
			return 0;
	for (size_t i = 0; i < count; i++)
		str_append(list, sizeof(list), "%s%s", i > 0 ? ", " : "", drive_pages[i]);
	const char *nearest = str_nearest(page, drive_pages, count);
	str_sanitize_utf8(shown, sizeof(shown), page);
	if (nearest != NULL)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"--page %s: no such page; did you mean %s? There are %s", shown, nearest,
			list);
	return err_set_exit(
		err, ERR_EXIT_USAGE, -EINVAL, "--page %s: no such page; there are %s", shown, list);
}
