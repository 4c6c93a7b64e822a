/* The tree of controllers, namespaces, heads and paths, read from sysfs. What belongs together is
 * taken from folders and links; a name only tells what kind of thing an entry is. */
#include "nvme/topology.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "base/units.h"

#define SECTOR_BYTES 512u

enum node_kind { NODE_OTHER, NODE_CONTROLLER, NODE_NAMESPACE, NODE_PATH, NODE_GENERIC };

/* A name of the kernel taken apart: nvme1, nvme1n2, nvme1c3n2, ng1n2. */
struct node_name {
	enum node_kind kind;
	unsigned instance, head;
};

static struct node_name topology_parse_name(const char *name)
{
	struct node_name node = {0};
	unsigned controller;
	int used = -1;

	if (strlen(name) >= sizeof(((struct topology_namespace *)0)->name))
		return node;
	if (sscanf(name, "nvme%9u%n", &node.instance, &used) == 1 && name[used] == '\0')
		node.kind = NODE_CONTROLLER;
	else if (used = -1,
		sscanf(name, "nvme%9un%9u%n", &node.instance, &node.head, &used) == 2 && used > 0 &&
			name[used] == '\0')
		node.kind = NODE_NAMESPACE;
	else if (used = -1,
		sscanf(name, "nvme%9uc%9un%9u%n", &node.instance, &controller, &node.head, &used) ==
				3 &&
			used > 0 && name[used] == '\0')
		node.kind = NODE_PATH;
	else if (used = -1,
		sscanf(name, "ng%9un%9u%n", &node.instance, &node.head, &used) == 2 && used > 0 &&
			name[used] == '\0')
		node.kind = NODE_GENERIC;
	return node;
}

static int topology_int(const char *folder, const char *attribute)
{
	const uint64_t value = file_attribute_u64(folder, attribute, UINT64_MAX);

	return value > INT_MAX ? -1 : (int)value;
}

/* Identifiers as plain hex digits; "" for all zero. */
static void topology_hex(const char *folder, const char *attribute, char *buf, size_t size)
{
	char text[80];
	size_t length = 0;
	bool zero = true;

	file_attribute_text(folder, attribute, text, sizeof(text));
	for (const char *at = text; *at && length + 1 < size; at++) {
		if (*at == '-' || *at == ' ')
			continue;
		if (*at != '0')
			zero = false;
		buf[length++] = *at;
	}
	buf[zero ? 0 : length] = '\0';
}

struct reader {
	const char *sysfs_root, *dev_root;
	struct topology *tree;
};

/* Calls visit for each entry of a folder. A folder that is gone or absent has none. */
static int topology_each(const char *folder, struct reader *reader,
	void (*visit)(struct reader *, const char *folder, const char *name, const void *context),
	const void *context)
{
	struct dirent *entry;
	DIR *dir = opendir(folder);

	if (!dir)
		return -errno;
	while ((entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.')
			visit(reader, folder, entry->d_name, context);
	closedir(dir);
	return 0;
}

static void topology_read_controller(
	struct reader *reader, const char *class, const char *name, const void *context)
{
	struct topology *tree = reader->tree;
	struct topology_controller *c;
	char folder[PATH_MAX], node[PATH_MAX];

	(void)context;
	if (topology_parse_name(name).kind != NODE_CONTROLLER)
		return;
	str_format(folder, sizeof(folder), "%s/%s", class, name);
	tree->controllers = mem_realloc(
		tree->controllers, (tree->controller_count + 1) * sizeof(*tree->controllers));
	c = &tree->controllers[tree->controller_count++];
	memset(c, 0, sizeof(*c));
	str_copy(c->name, sizeof(c->name), name);
	file_attribute_text(folder, "model", c->model, sizeof(c->model));
	file_attribute_text(folder, "serial", c->serial, sizeof(c->serial));
	file_attribute_text(folder, "firmware_rev", c->firmware, sizeof(c->firmware));
	file_attribute_text(folder, "transport", c->transport, sizeof(c->transport));
	file_attribute_text(folder, "address", c->address, sizeof(c->address));
	file_attribute_text(folder, "state", c->state, sizeof(c->state));
	file_attribute_text(folder, "subsysnqn", c->nqn, sizeof(c->nqn));
	file_attribute_text(folder, "cntrltype", c->controller_type, sizeof(c->controller_type));
	c->cntlid = topology_int(folder, "cntlid");
	c->numa_node = topology_int(folder, "numa_node");
	c->queue_count = topology_int(folder, "queue_count");
	c->sqsize = topology_int(folder, "sqsize");
	str_format(node, sizeof(node), "%s/dev/%s", reader->dev_root, name);
	c->node_visible = access(node, F_OK) == 0;
}

static struct topology_namespace *topology_add_namespace(struct topology *tree)
{
	struct topology_namespace *ns;

	tree->namespaces = mem_realloc(
		tree->namespaces, (tree->namespace_count + 1) * sizeof(*tree->namespaces));
	ns = &tree->namespaces[tree->namespace_count++];
	memset(ns, 0, sizeof(*ns));
	return ns;
}

/* Attributes of a namespace's node, of a head, of a hidden path or of a generic node. */
static void topology_read_node(const char *folder, struct topology_namespace *ns)
{
	char text[32];
	unsigned major_number, minor_number;
	uint64_t value;

	value = file_attribute_u64(folder, "nsid", 0);
	ns->nsid = value > UINT32_MAX ? 0 : (uint32_t)value;
	value = file_attribute_u64(folder, "size", 0);
	if (__builtin_mul_overflow(value, SECTOR_BYTES, &ns->size_bytes))
		ns->size_bytes = UINT64_MAX;
	value = file_attribute_u64(folder, "queue/logical_block_size", 0);
	ns->lba_bytes = value > UINT32_MAX ? 0 : (uint32_t)value;
	value = file_attribute_u64(folder, "metadata_bytes", 0);
	ns->metadata_bytes = value > UINT16_MAX ? 0 : (uint32_t)value;
	ns->read_only = file_attribute_u64(folder, "ro", 0) != 0;
	topology_hex(folder, "eui", ns->eui64, sizeof(ns->eui64));
	topology_hex(folder, "nguid", ns->nguid, sizeof(ns->nguid));
	topology_hex(folder, "uuid", ns->uuid, sizeof(ns->uuid));
	/* without a UUID the kernel shows the NGUID in its place */
	if (strcmp(ns->uuid, ns->nguid) == 0)
		ns->uuid[0] = '\0';
	else if (ns->uuid[0] != '\0')
		file_attribute_text(folder, "uuid", ns->uuid, sizeof(ns->uuid));
	file_attribute_text(folder, "dev", text, sizeof(text));
	if (sscanf(text, "%u:%u", &major_number, &minor_number) == 2) {
		ns->major = major_number;
		ns->minor = minor_number;
	}
}

struct place { /* whose folder is being read: one of the two is "" */
	const char *subsystem, *controller;
};

static void topology_read_namespace(
	struct reader *reader, const char *parent, const char *name, const void *context)
{
	const struct place *place = context;
	const struct node_name node = topology_parse_name(name);
	struct topology_namespace *ns;
	char path[PATH_MAX];

	if (node.kind == NODE_GENERIC) {
		/* only where there is no block node beside it */
		str_format(path, sizeof(path), "%s/nvme%un%u", parent, node.instance, node.head);
		if (access(path, F_OK) == 0)
			return;
	} else if (node.kind != NODE_NAMESPACE) {
		return;
	}
	str_format(path, sizeof(path), "%s/%s", parent, name);
	ns = topology_add_namespace(reader->tree);
	topology_read_node(path, ns);
	str_copy(ns->subsystem, sizeof(ns->subsystem), place->subsystem);
	str_copy(ns->controller, sizeof(ns->controller), place->controller);
	ns->multipath = place->controller[0] == '\0';
	if (node.kind == NODE_GENERIC) {
		str_copy(ns->generic, sizeof(ns->generic), name);
		ns->major = ns->minor = 0; /* of the character device */
		return;
	}
	str_copy(ns->name, sizeof(ns->name), name);
	str_format(path, sizeof(path), "%s/ng%un%u", parent, node.instance, node.head);
	if (access(path, F_OK) == 0)
		str_copy(ns->generic, sizeof(ns->generic), strrchr(path, '/') + 1);
}

static void topology_note_member(
	struct reader *reader, const char *parent, const char *name, const void *context)
{
	const char *subsystem = context;

	(void)parent;
	for (size_t i = 0; i < reader->tree->controller_count; i++) {
		struct topology_controller *c = &reader->tree->controllers[i];

		if (strcmp(c->name, name) == 0)
			str_copy(c->subsystem, sizeof(c->subsystem), subsystem);
	}
}

static void topology_read_subsystem(
	struct reader *reader, const char *class, const char *name, const void *context)
{
	const struct place place = {name, ""};
	char folder[PATH_MAX];

	(void)context;
	str_format(folder, sizeof(folder), "%s/%s", class, name);
	topology_each(folder, reader, topology_note_member, name);
	topology_each(folder, reader, topology_read_namespace, &place);
}

/* The head that a path leads to: by the head's own list of links where the kernel has one (6.15 and
 * later), else the head of the subsystem with that NSID and number. */
static struct topology_namespace *topology_find_head(
	const struct reader *reader, const char *subsystem, const char *path_name, uint32_t nsid)
{
	const struct node_name path = topology_parse_name(path_name);
	struct topology_namespace *like = NULL;

	for (size_t i = 0; i < reader->tree->namespace_count; i++) {
		struct topology_namespace *ns = &reader->tree->namespaces[i];
		struct node_name head = topology_parse_name(ns->name[0] ? ns->name : ns->generic);
		char link[PATH_MAX];

		if (!ns->multipath || strcmp(ns->subsystem, subsystem) != 0)
			continue;
		str_format(link, sizeof(link), "%s/sys/class/nvme-subsystem/%s/%s/multipath/%s",
			reader->sysfs_root, subsystem, ns->name, path_name);
		if (ns->name[0] != '\0' && access(link, F_OK) == 0)
			return ns;
		/* a generic node may not tell its NSID */
		if ((ns->nsid == nsid || ns->nsid == 0) && head.head == path.head &&
			head.instance == path.instance)
			like = ns;
	}
	return like;
}

static void topology_read_path(
	struct reader *reader, const char *parent, const char *name, const void *context)
{
	const struct topology_controller *controller = context;
	struct topology_namespace *head, own = {0};
	struct topology_path *path;
	char folder[PATH_MAX];

	if (topology_parse_name(name).kind != NODE_PATH)
		return;
	str_format(folder, sizeof(folder), "%s/%s", parent, name);
	topology_read_node(folder, &own);
	head = topology_find_head(reader, controller->subsystem, name, own.nsid);
	if (!head) {
		/* the kernel makes the head's node only once a path is usable */
		head = topology_add_namespace(reader->tree);
		*head = own;
		head->major = head->minor = 0;
		head->multipath = true;
		str_copy(head->subsystem, sizeof(head->subsystem), controller->subsystem);
	}
	if (head->nsid == 0)
		head->nsid = own.nsid;
	head->paths = mem_realloc(head->paths, (head->path_count + 1) * sizeof(*head->paths));
	path = &head->paths[head->path_count++];
	memset(path, 0, sizeof(*path));
	str_copy(path->name, sizeof(path->name), name);
	str_copy(path->controller, sizeof(path->controller), controller->name);
	file_attribute_text(folder, "ana_state", path->ana_state, sizeof(path->ana_state));
	file_attribute_text(folder, "numa_nodes", path->numa_nodes, sizeof(path->numa_nodes));
	/* no attribute: the controller has no ANA, and the kernel uses the path as optimized */
	if (path->ana_state[0] == '\0')
		str_copy(path->ana_state, sizeof(path->ana_state), "optimized");
}

static int topology_compare_controllers(const void *a, const void *b)
{
	const struct topology_controller *x = a, *y = b;

	return str_compare_natural(x->name, y->name);
}

static int topology_compare_paths(const void *a, const void *b)
{
	const struct topology_path *x = a, *y = b;
	const int by_controller = str_compare_natural(x->controller, y->controller);

	return by_controller ? by_controller : str_compare_natural(x->name, y->name);
}

/* First controller that a namespace is reached by. */
static const char *topology_first_controller(const struct topology_namespace *ns)
{
	return ns->path_count > 0 ? ns->paths[0].controller : ns->controller;
}

static int topology_compare_namespaces(const void *a, const void *b)
{
	const struct topology_namespace *x = a, *y = b;
	int order = str_compare_natural(topology_first_controller(x), topology_first_controller(y));

	if (order == 0)
		order = strcmp(x->subsystem, y->subsystem);
	if (order == 0)
		order = (x->nsid > y->nsid) - (x->nsid < y->nsid);
	return order ? order : str_compare_natural(x->name, y->name);
}

static void topology_sort(struct topology *tree)
{
	for (size_t i = 0; i < tree->namespace_count; i++) {
		struct topology_namespace *ns = &tree->namespaces[i];

		if (ns->path_count > 0)
			qsort(ns->paths, ns->path_count, sizeof(*ns->paths),
				topology_compare_paths);
	}
	if (tree->namespace_count > 0)
		qsort(tree->namespaces, tree->namespace_count, sizeof(*tree->namespaces),
			topology_compare_namespaces);
}

int topology_read(
	const char *sysfs_root, const char *dev_root, struct topology **out, struct err *err)
{
	struct topology *tree = mem_alloc(sizeof(*tree));
	struct reader reader = {sysfs_root, dev_root, tree};
	char class[PATH_MAX], folder[PATH_MAX];
	int rc;

	*out = NULL;
	str_format(class, sizeof(class), "%s/sys/class/nvme", sysfs_root);
	rc = topology_each(class, &reader, topology_read_controller, NULL);
	if (rc == -ENOENT) {
		tree->class_missing = true;
	} else if (rc < 0) {
		topology_free(tree);
		return err_set(err, rc, "%s cannot be read: %s", class, err_errno_text(rc));
	}
	if (tree->controller_count > 0)
		qsort(tree->controllers, tree->controller_count, sizeof(*tree->controllers),
			topology_compare_controllers);
	/* absent before kernel 4.15 */
	str_format(folder, sizeof(folder), "%s/sys/class/nvme-subsystem", sysfs_root);
	topology_each(folder, &reader, topology_read_subsystem, NULL);
	for (size_t i = 0; i < tree->controller_count; i++) {
		const struct topology_controller *c = &tree->controllers[i];
		const struct place place = {c->subsystem, c->name};

		str_format(folder, sizeof(folder), "%s/%s", class, c->name);
		topology_each(folder, &reader, topology_read_namespace, &place);
		topology_each(folder, &reader, topology_read_path, c);
	}
	topology_sort(tree);
	*out = tree;
	return 0;
}

void topology_free(struct topology *topology)
{
	if (!topology)
		return;
	for (size_t i = 0; i < topology->namespace_count; i++)
		free(topology->namespaces[i].paths);
	free(topology->namespaces);
	free(topology->controllers);
	free(topology);
}

const struct topology_controller *topology_find_controller(
	const struct topology *t, const char *name)
{
	for (size_t i = 0; i < t->controller_count; i++)
		if (strcmp(t->controllers[i].name, name) == 0)
			return &t->controllers[i];
	return NULL;
}

bool topology_namespace_on(const struct topology_namespace *ns, const char *controller)
{
	if (strcmp(ns->controller, controller) == 0)
		return true;
	for (size_t i = 0; i < ns->path_count; i++)
		if (strcmp(ns->paths[i].controller, controller) == 0)
			return true;
	return false;
}

bool topology_controller_live(const struct topology_controller *controller)
{
	return controller->state[0] == '\0' || strcmp(controller->state, "live") == 0;
}

bool topology_equal(const struct topology *a, const struct topology *b)
{
	if (a->controller_count != b->controller_count ||
		a->namespace_count != b->namespace_count || a->class_missing != b->class_missing)
		return false;
	/* what was read is zeroed before, so bytes can be compared */
	if (a->controller_count > 0 &&
		memcmp(a->controllers, b->controllers,
			a->controller_count * sizeof(*a->controllers)) != 0)
		return false;
	for (size_t i = 0; i < a->namespace_count; i++) {
		struct topology_namespace x, y;

		memcpy(&x, &a->namespaces[i], sizeof(x));
		memcpy(&y, &b->namespaces[i], sizeof(y));
		if (x.path_count != y.path_count ||
			(x.path_count > 0 &&
				memcmp(x.paths, y.paths, x.path_count * sizeof(*x.paths)) != 0))
			return false;
		x.paths = y.paths = NULL;
		if (memcmp(&x, &y, sizeof(x)) != 0)
			return false;
	}
	return true;
}
