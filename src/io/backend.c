/* The list of backends, and the choice among them with the reason of a fallback. */
#include "io/backend.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/str.h"

static const struct io_backend_ops *const all[] = {
	&io_backend_uring, &io_backend_uring_cmd, &io_backend_sync, &io_backend_null};

const struct io_backend_ops *io_backend_find(const char *name)
{
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(all[i]->name, name))
			return all[i];
	return NULL;
}

const struct io_backend_ops *io_backend_choose(
	const char *name, char *reason, size_t size, struct err *err)
{
	const struct io_backend_ops *wanted = &io_backend_uring;
	struct err why = {0};

	if (size)
		reason[0] = '\0';
	if (name && *name && strcmp(name, "auto"))
		wanted = io_backend_find(name);
	if (!wanted) {
		err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"unknown backend '%s'; there are auto, uring, uring_cmd, sync and null",
			name);
		return NULL;
	}
	if (!wanted->probe(&why))
		return wanted;
	str_format(reason, size, "%s", why.text);
	log_warn("backend %s does not work here: %s", wanted->name, why.text);
	if (wanted == &io_backend_uring && !io_backend_sync.probe(err))
		return &io_backend_sync;
	err_set(err, why.code, "%s", why.text);
	return NULL;
}
