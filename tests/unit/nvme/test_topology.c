/* The tree of controllers, heads and paths: captured trees of real hosts against what libnvme printed
 * for them, and hand-made ones for what those lack. */
#include "fixture.h"
#include "tree.h"

#include <sys/wait.h>

#include "base/file.h"
#include "base/json.h"
#include "nvme/topology.h"

static struct topology *read_tree(const char *root)
{
	struct topology *t;
	struct err err = {0};

	if (topology_read(root, root, &t, &err) < 0)
		fail_msg("%s", err.text);
	return t;
}

static const struct topology_namespace *find_namespace(const struct topology *t, const char *name)
{
	for (size_t i = 0; i < t->namespace_count; i++)
		if (strcmp(t->namespaces[i].name, name) == 0)
			return &t->namespaces[i];
	fail_msg("there is no namespace %s", name);
	return NULL;
}

/* Unpacks a tree of the fixtures; skips the test without it or without xz. */
static char *unpack(const char *below)
{
	char path[512], command[1200];
	char *root;
	int status;

	fixture_need(below);
	fixture_path(path, sizeof(path), below);
	root = tree_make();
	snprintf(command, sizeof(command), "tar -C %s -xJf %s --wildcards '*nvme*'", root, path);
	status = system(command);
	if (status != 0) {
		tree_remove(root);
		print_message("skipped: %s cannot be unpacked: is xz-utils installed?\n", path);
		skip();
	}
	return root;
}

static const char *text_of(const struct json *object, const char *key)
{
	const char *text;

	assert_int_equal(json_read_string(object, key, &text, NULL), 0);
	return text;
}

static void compare_controller(const struct topology *t, const struct json *list, const char *name)
{
	const struct json *expected = json_at(json_get(list, "controller"), 0);
	const struct topology_controller *c =
		topology_find_controller(t, text_of(expected, "name"));

	assert_non_null(c);
	assert_string_equal(name, c->name);
	assert_string_equal(c->transport, text_of(expected, "transport"));
	assert_string_equal(c->address, text_of(expected, "traddr"));
}

static size_t compare_namespace(
	const struct topology *t, const struct json *expected, const char *subsystem)
{
	const struct topology_namespace *ns = find_namespace(t, text_of(expected, "name"));
	const struct json *paths = json_get(expected, "paths");
	uint64_t nsid;

	assert_int_equal(json_read_u64(expected, "nsid", &nsid, NULL), 0);
	assert_int_equal(ns->nsid, nsid);
	assert_string_equal(ns->subsystem, subsystem);
	assert_int_equal(ns->multipath, paths != NULL);
	if (!paths) {
		assert_int_equal(ns->path_count, 0);
		compare_controller(t, expected, ns->controller);
		return 1;
	}
	assert_string_equal(ns->controller, "");
	assert_int_equal(ns->path_count, json_length(paths));
	for (size_t i = 0; i < ns->path_count; i++) {
		const struct json *path = json_at(paths, i);

		assert_string_equal(ns->paths[i].name, text_of(path, "path"));
		assert_string_equal(ns->paths[i].ana_state, text_of(path, "ANAState"));
		assert_string_equal(ns->paths[i].numa_nodes, text_of(path, "NUMANodes"));
		compare_controller(t, path, ns->paths[i].controller);
	}
	return 1;
}

static void test_tree_pcie(void **state)
{
	char *root = unpack("sysfs/tree-pcie.scrubbed.tar.xz"), path[512], *text;
	struct topology *t = read_tree(root);
	struct json *document, *subsystems;
	size_t length, namespaces = 0;

	(void)state;
	fixture_path(path, sizeof(path), "sysfs/tree-pcie.out");
	assert_int_equal(file_read(path, 1 << 20, &text, &length, NULL), 0);
	assert_int_equal(json_parse(path, text, length, &document, NULL), 0);
	subsystems = json_get(json_at(json_get(document, "hosts"), 0), "subsystems");
	assert_int_equal(json_length(subsystems), 2);
	for (size_t i = 0; i < json_length(subsystems); i++) {
		const struct json *subsystem = json_at(subsystems, i);
		const struct json *list = json_get(subsystem, "namespaces");
		const char *name = text_of(subsystem, "name");

		for (size_t j = 0; j < json_length(list); j++)
			namespaces += compare_namespace(t, json_at(list, j), name);
		for (size_t j = 0; j < t->controller_count; j++)
			if (strcmp(t->controllers[j].subsystem, name) == 0)
				assert_string_equal(
					t->controllers[j].nqn, text_of(subsystem, "nqn"));
	}
	assert_int_equal(t->namespace_count, namespaces);
	assert_int_equal(t->controller_count, 3);
	/* the same drive in both units: CASES N3 */
	assert_int_equal(find_namespace(t, "nvme0n1")->size_bytes, 978143920ull * 512);
	assert_int_equal(find_namespace(t, "nvme0n1")->lba_bytes, 4096);
	assert_string_equal(
		find_namespace(t, "nvme0n1")->nguid, "3000000057700001002538470000000a");
	assert_string_equal(find_namespace(t, "nvme0n1")->generic, "ng0n1");
	/* the kernel shows the NGUID where there is no UUID */
	assert_string_equal(find_namespace(t, "nvme0n1")->uuid, "");
	json_free(document);
	free(text);
	topology_free(t);
	tree_remove(root);
}

static void test_config_pcie(void **state)
{
	char *root = unpack("sysfs/config-pcie.scrubbed.tar.xz");
	struct topology *t = read_tree(root);
	const struct topology_namespace *head = find_namespace(t, "nvme0n1");
	const struct topology_namespace *plain = find_namespace(t, "nvme1n1");

	(void)state;
	assert_int_equal(t->namespace_count, 2);
	assert_true(head->multipath);
	assert_int_equal(head->path_count, 1);
	assert_string_equal(head->paths[0].name, "nvme0c0n1");
	assert_string_equal(head->paths[0].controller, "nvme0");
	assert_string_equal(head->generic, "ng0n1");
	assert_int_equal(head->size_bytes, 1 << 30);
	assert_false(plain->multipath);
	assert_string_equal(plain->controller, "nvme1");
	assert_string_equal(topology_find_controller(t, "nvme1")->model, "QEMU NVMe Ctrl");
	assert_string_equal(topology_find_controller(t, "nvme1")->serial, "nvme-0");
	assert_int_equal(topology_find_controller(t, "nvme1")->cntlid, 0);
	assert_int_equal(topology_find_controller(t, "nvme1")->numa_node, -1);
	topology_free(t);
	tree_remove(root);
}

/* A controller in the place where the kernel puts it, in a subsystem. */
static void make_controller(const char *root, const char *name, const char *transport,
	const char *address, const char *state, const char *subsystem)
{
	char folder[256], link[256];

	snprintf(folder, sizeof(folder), "sys/devices/fake/%s", name);
	tree_attributes(root, folder, "model", "FAKE", "serial", "S1", "firmware_rev", "1.0",
		"transport", transport, "address", address, "state", state, "cntlid", "7", NULL);
	snprintf(link, sizeof(link), "sys/class/nvme/%s", name);
	tree_link(root, link, folder);
	if (!subsystem)
		return;
	snprintf(link, sizeof(link), "sys/devices/virtual/nvme-subsystem/%s/%s", subsystem, name);
	tree_link(root, link, folder);
	snprintf(link, sizeof(link), "sys/class/nvme-subsystem/%s", subsystem);
	snprintf(folder, sizeof(folder), "sys/devices/virtual/nvme-subsystem/%s", subsystem);
	snprintf(link, sizeof(link), "%s/sys/class/nvme-subsystem/%s", root, subsystem);
	if (access(link, F_OK) != 0)
		tree_link(root, link + strlen(root) + 1, folder);
}

static void make_node(
	const char *root, const char *parent, const char *name, const char *nsid, const char *size)
{
	char folder[256];

	snprintf(folder, sizeof(folder), "%s/%s", parent, name);
	tree_attributes(root, folder, "size", size, "nsid", nsid, "dev", "259:1",
		"queue/logical_block_size", "512", NULL);
}

/* The folder of nvme1 holds the namespace nvme4n1 (CASES N7). */
static void test_foreign_names(void **state)
{
	char *root = tree_make();

	(void)state;
	make_controller(root, "nvme1", "pcie", "0000:01:00.0", "live", "nvme-subsys4");
	make_controller(root, "nvme4", "pcie", "0000:02:00.0", "live", "nvme-subsys1");
	make_node(root, "sys/devices/fake/nvme1", "nvme4n1", "1", "2048");
	make_node(root, "sys/devices/fake/nvme4", "nvme1n1", "1", "4096");
	make_node(root, "sys/devices/fake/nvme4", "nvme1n1p1", "1", "100");
	struct topology *t = read_tree(root);

	assert_int_equal(t->namespace_count, 2);
	assert_string_equal(find_namespace(t, "nvme4n1")->controller, "nvme1");
	assert_string_equal(find_namespace(t, "nvme4n1")->subsystem, "nvme-subsys4");
	assert_string_equal(find_namespace(t, "nvme1n1")->controller, "nvme4");
	/* in the order of their controllers */
	assert_string_equal(t->namespaces[0].name, "nvme4n1");
	topology_free(t);
	tree_remove(root);
}

/* A head over three controllers: tcp live, rdma connecting, fc dead (CASES T2). */
static void test_fabrics(void **state)
{
	const char *head = "sys/devices/virtual/nvme-subsystem/nvme-subsys3";
	char *root = tree_make();

	(void)state;
	make_controller(
		root, "nvme3", "tcp", "traddr=192.0.2.7,trsvcid=4420", "live", "nvme-subsys3");
	make_controller(root, "nvme4", "rdma", "traddr=192.0.2.8,trsvcid=4420,src_addr=192.0.2.1",
		"connecting", "nvme-subsys3");
	make_controller(root, "nvme10", "fc", "traddr=nn-0x1:pn-0x2", "dead", "nvme-subsys3");
	make_node(root, head, "nvme3n1", "1", "8192");
	make_node(root, head, "nvme3n2", "17", "8192");
	make_node(root, "sys/devices/fake/nvme3", "nvme3c3n1", "1", "8192");
	tree_text(root, "sys/devices/fake/nvme3/nvme3c3n1/ana_state", "optimized");
	make_node(root, "sys/devices/fake/nvme4", "nvme3c4n1", "1", "8192");
	tree_text(root, "sys/devices/fake/nvme4/nvme3c4n1/ana_state", "inaccessible");
	make_node(root, "sys/devices/fake/nvme10", "nvme3c10n1", "1", "8192");
	tree_text(root, "sys/devices/fake/nvme10/nvme3c10n1/ana_state", "persistent-loss");
	make_node(root, "sys/devices/fake/nvme4", "nvme3c4n2", "17", "8192");
	tree_text(root, "dev/nvme3", "");
	struct topology *t = read_tree(root);
	const struct topology_namespace *first = find_namespace(t, "nvme3n1");

	assert_int_equal(t->controller_count, 3);
	assert_string_equal(t->controllers[2].name, "nvme10"); /* natural order */
	assert_true(topology_controller_live(&t->controllers[0]));
	assert_false(topology_controller_live(&t->controllers[1]));
	assert_false(topology_controller_live(&t->controllers[2]));
	assert_string_equal(t->controllers[0].address, "traddr=192.0.2.7,trsvcid=4420");
	assert_string_equal(t->controllers[1].transport, "rdma");
	assert_true(t->controllers[0].node_visible);
	assert_false(t->controllers[1].node_visible);
	assert_int_equal(t->namespace_count, 2);
	assert_int_equal(first->path_count, 3);
	assert_string_equal(first->paths[0].name, "nvme3c3n1");
	assert_string_equal(first->paths[1].ana_state, "inaccessible");
	assert_string_equal(first->paths[2].controller, "nvme10");
	assert_string_equal(first->paths[2].ana_state, "persistent-loss");
	assert_int_equal(find_namespace(t, "nvme3n2")->nsid, 17);
	assert_int_equal(find_namespace(t, "nvme3n2")->path_count, 1);
	assert_true(topology_namespace_on(first, "nvme10"));
	assert_false(topology_namespace_on(find_namespace(t, "nvme3n2"), "nvme10"));
	topology_free(t);
	tree_remove(root);
}

/* Before a path is usable the head has no node; a path then stands for the namespace. */
static void test_path_without_head(void **state)
{
	char *root = tree_make();

	(void)state;
	make_controller(root, "nvme0", "tcp", "traddr=192.0.2.7", "connecting", "nvme-subsys0");
	make_node(root, "sys/devices/fake/nvme0", "nvme0c0n1", "5", "2048");
	struct topology *t = read_tree(root);

	assert_int_equal(t->namespace_count, 1);
	assert_string_equal(t->namespaces[0].name, "");
	assert_true(t->namespaces[0].multipath);
	assert_int_equal(t->namespaces[0].nsid, 5);
	assert_int_equal(t->namespaces[0].path_count, 1);
	assert_string_equal(t->namespaces[0].paths[0].name, "nvme0c0n1");
	topology_free(t);
	tree_remove(root);
}

/* The head's own list of its paths decides where the kernel has one, not the number in the name. */
static void test_multipath_links(void **state)
{
	const char *head = "sys/devices/virtual/nvme-subsystem/nvme-subsys0";
	char *root = tree_make();

	(void)state;
	make_controller(root, "nvme0", "pcie", "0000:01:00.0", "live", "nvme-subsys0");
	make_node(root, head, "nvme0n1", "1", "2048");
	make_node(root, head, "nvme0n2", "1", "2048"); /* private to another controller */
	make_node(root, "sys/devices/fake/nvme0", "nvme0c0n1", "1", "2048");
	tree_text(root,
		"sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n2/multipath/nvme0c0n1", "");
	struct topology *t = read_tree(root);

	assert_int_equal(find_namespace(t, "nvme0n2")->path_count, 1);
	assert_int_equal(find_namespace(t, "nvme0n1")->path_count, 0);
	topology_free(t);
	tree_remove(root);
}

/* 33 namespaces with gaps and a format that has only a generic node (CASES N8, N1). */
static void test_many_namespaces(void **state)
{
	char *root = tree_make(), name[64], nsid[16];

	(void)state;
	make_controller(root, "nvme0", "pcie", "0000:01:00.0", "live", NULL);
	for (unsigned i = 1; i <= 33; i++) {
		snprintf(name, sizeof(name), "nvme0n%u", i);
		snprintf(nsid, sizeof(nsid), "%u", i == 33 ? 4294967294u : i * 3);
		make_node(root, "sys/devices/fake/nvme0", name, nsid, "2048");
	}
	tree_text(root, "sys/devices/fake/nvme0/ng0n1/dev", "242:1");
	tree_text(root, "sys/devices/fake/nvme0/ng0n40/dev", "242:2");
	tree_text(root, "sys/devices/fake/nvme0/ng0n40/nsid", "50");
	struct topology *t = read_tree(root);

	assert_int_equal(t->namespace_count, 34);
	assert_string_equal(t->namespaces[0].name, "nvme0n1");
	assert_string_equal(t->namespaces[0].generic, "ng0n1");
	assert_string_equal(t->namespaces[1].generic, "");
	assert_true(t->namespaces[33].nsid == 4294967294u);
	for (size_t i = 1; i < t->namespace_count; i++)
		assert_true(t->namespaces[i].nsid > t->namespaces[i - 1].nsid);
	assert_string_equal(t->namespaces[16].generic, "ng0n40");
	assert_string_equal(t->namespaces[16].name, "");
	assert_int_equal(t->namespaces[16].size_bytes, 0);
	topology_free(t);
	tree_remove(root);
}

static void test_missing_and_odd(void **state)
{
	char *root = tree_make();
	struct topology *t = read_tree(root);

	(void)state;
	assert_true(t->class_missing); /* CASES T4 */
	assert_int_equal(t->controller_count, 0);
	topology_free(t);
	/* bytes of all kinds, and a controller that tells nothing else */
	tree_text(root, "sys/class/nvme/nvme0/model", "A\x1b[2J\x07 %n\x9b\nB");
	tree_text(root, "sys/class/nvme/nvme0/nvme0n1/size", "36028797018963968");
	tree_text(root, "sys/class/nvme/nvme0/nvme0n1/nsid", "4294967296");
	tree_text(root, "sys/class/nvme/nvme0/nvme0n1/eui", "00 00 00 00 00 00 00 00");
	tree_text(root, "sys/class/nvme/nvme0/nvme0n1/dev", "x");
	tree_text(root, "sys/class/nvme/nvme-fabrics/x", "");
	tree_text(root, "sys/class/nvme/nvme1x/x", "");
	t = read_tree(root);
	assert_false(t->class_missing);
	assert_int_equal(t->controller_count, 1);
	assert_string_equal(t->controllers[0].model, "A?[2J? %n??B");
	assert_string_equal(t->controllers[0].state, "");
	assert_true(topology_controller_live(&t->controllers[0]));
	assert_int_equal(t->controllers[0].cntlid, -1);
	assert_int_equal(t->namespace_count, 1);
	assert_true(t->namespaces[0].size_bytes == UINT64_MAX);
	assert_int_equal(t->namespaces[0].nsid, 0);
	assert_string_equal(t->namespaces[0].eui64, "");
	assert_int_equal(t->namespaces[0].major, 0);
	topology_free(t);
	tree_remove(root);
}

static void test_equal(void **state)
{
	const char *head = "sys/devices/virtual/nvme-subsystem/nvme-subsys0";
	char *root = tree_make();

	(void)state;
	make_controller(root, "nvme0", "pcie", "0000:01:00.0", "live", "nvme-subsys0");
	make_node(root, head, "nvme0n1", "1", "2048");
	make_node(root, "sys/devices/fake/nvme0", "nvme0c0n1", "1", "2048");
	struct topology *a = read_tree(root), *b = read_tree(root);

	assert_true(topology_equal(a, b));
	topology_free(b);
	tree_text(root, "sys/devices/fake/nvme0/nvme0c0n1/ana_state", "change");
	b = read_tree(root);
	assert_false(topology_equal(a, b));
	topology_free(a);
	tree_text(root, "sys/devices/fake/nvme0/state", "resetting");
	a = read_tree(root);
	assert_false(topology_equal(a, b));
	topology_free(a);
	topology_free(b);
	tree_remove(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree_pcie),
		cmocka_unit_test(test_config_pcie),
		cmocka_unit_test(test_foreign_names),
		cmocka_unit_test(test_fabrics),
		cmocka_unit_test(test_path_without_head),
		cmocka_unit_test(test_multipath_links),
		cmocka_unit_test(test_many_namespaces),
		cmocka_unit_test(test_missing_and_odd),
		cmocka_unit_test(test_equal),
	};

	return cmocka_run_group_tests_name("nvme/topology", tests, NULL, NULL);
}
