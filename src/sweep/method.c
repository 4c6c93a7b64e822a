/* The list of test methods. */
#include "sweep/method.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"

static const struct method_ops *const methods[] = {&method_curve, &method_depth, &method_fixed};
#define METHOD_COUNT (sizeof(methods) / sizeof(methods[0]))

const struct method_ops *const *method_list(size_t *count)
{
	*count = METHOD_COUNT;
	return methods;
}

const struct method_ops *method_find(const char *name, struct err *err)
{
	const char *names[METHOD_COUNT], *nearest;

	if (!strcmp(method_check.name, name))
		return &method_check;
	for (size_t i = 0; i < METHOD_COUNT; i++) {
		if (!strcmp(methods[i]->name, name))
			return methods[i];
		names[i] = methods[i]->name;
	}
	nearest = str_nearest(name, names, METHOD_COUNT);
	if (nearest)
		err_set_exit(err, ERR_EXIT_USAGE, -ENOENT,
			"unknown method \"%s\": the nearest is %s", name, nearest);
	else
		err_set_exit(err, ERR_EXIT_USAGE, -ENOENT,
			"unknown method \"%s\": curve, depth and fixed exist", name);
	return NULL;
}
