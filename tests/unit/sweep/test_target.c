/* Names to targets: what is refused and how, areas, content. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "base/file.h"
#include "folder.h"
#include "sweep/scratch.h"
#include "sweep/target.h"

static struct options options;
static struct sweep_target target;
static struct err err;

static int setup(void **state)
{
	options_defaults(&options);
	err_clear(&err);
	return folder_make(state);
}

/* The sentence names the target, says a word of the reason, and asks for exit code 2. */
static void refused(const char *name, const struct inventory *inventory, int code, const char *word)
{
	err_clear(&err);
	const int rc = sweep_target_open(name, inventory, &options, &target, &err);

	if (rc != code)
		fail_msg("%s: %d instead of %d: %s", name, rc, code, err.text);
	if (!strstr(err.text, word))
		fail_msg("%s: \"%s\" has no \"%s\"", name, err.text, word);
}

static void data(const char *name, uint64_t size)
{
	bool created;

	assert_int_equal(scratch_create(folder_path(name), size, 3, NULL, NULL, &created, NULL), 0);
}

static void test_kinds(void **state)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const int sock = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)state;
	refused(folder, NULL, -EISDIR, "directory");
	assert_int_equal(err.exit, ERR_EXIT_USAGE);
	refused("/dev/null", NULL, -ENOTBLK, "character device");
	refused("null", NULL, -ENOTBLK, "character device"); /* /dev/ may be left out */
	assert_int_equal(file_write_atomic(folder_path("empty"), "", 0, NULL), 0);
	refused(folder_path("empty"), NULL, -EINVAL, "empty");
	assert_int_equal(mkfifo(folder_path("fifo"), 0600), 0);
	refused(folder_path("fifo"), NULL, -EINVAL, "pipe"); /* and does not hang */
	str_copy(address.sun_path, sizeof(address.sun_path), folder_path("sock"));
	assert_int_equal(bind(sock, (struct sockaddr *)&address, sizeof(address)), 0);
	refused(folder_path("sock"), NULL, -EINVAL, "socket");
	close(sock);
	refused("", NULL, -ENOENT, "empty");
	refused(folder_path("missing"), NULL, -ENOENT, "no device or file");
	refused("demo:nvme0", NULL, -ENOENT, "simulated");
	assert_int_equal(symlink("loop", folder_path("loop")), 0);
	refused(folder_path("loop"), NULL, -ELOOP, "loop");
	char longest[700];

	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	refused(longest, NULL, -ENAMETOOLONG, "too long");
}

/* In a process of its own that has given up root, as root may read everything. */
static void test_no_permission(void **state)
{
	int status;

	(void)state;
	data("secret", 4096);
	assert_int_equal(chmod(folder, 0755), 0);
	assert_int_equal(chmod(folder_path("secret"), 0), 0);
	const pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		if (!geteuid() && (setgid(65534) || setuid(65534)))
			_exit(3);
		const int rc =
			sweep_target_open(folder_path("secret"), NULL, &options, &target, &err);

		_exit(rc == -EACCES && strstr(err.text, "no permission") &&
					err.exit == ERR_EXIT_FAILED
				? 0
				: 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* A machine that exists only here. */
static void build(struct inventory *inventory, struct inventory_namespace *ns,
	struct inventory_controller *controller, struct topology_path *path)
{
	memset(inventory, 0, sizeof(*inventory));
	memset(ns, 0, 2 * sizeof(*ns));
	memset(controller, 0, sizeof(*controller));
	str_copy(controller->topo.name, 32, "nvme77");
	str_copy(ns[0].topo.name, 32, "nvme77n1");
	str_copy(ns[0].topo.generic, 32, "ng77n1");
	str_copy(ns[0].topo.controller, 32, "nvme77");
	str_copy(ns[1].topo.name, 32, "nvme78n1");
	str_copy(path->name, 32, "nvme78c1n1");
	ns[1].topo.multipath = true;
	ns[1].topo.paths = path;
	ns[1].topo.path_count = 1;
	ns[1].controller_index = SIZE_MAX;
	inventory->controllers = controller;
	inventory->controller_count = 1;
	inventory->namespaces = ns;
	inventory->namespace_count = 2;
}

static void test_names_of_inventory(void **state)
{
	struct inventory inventory;
	struct inventory_namespace ns[2];
	struct inventory_controller controller;
	struct topology_path path = {0};

	(void)state;
	build(&inventory, ns, &controller, &path);
	refused("nvme77n2", &inventory, -ENOENT, "the nearest is nvme77n1");
	assert_int_equal(err.exit, ERR_EXIT_USAGE);
	refused("/dev/nvme77n2", &inventory, -ENOENT, "the nearest is nvme77n1");
	refused("nvme78c1n1", &inventory, -ENXIO, "one path of nvme78n1");
	ns[0].replayed = true;
	refused("nvme77n1", &inventory, -ENXIO, "capture");
}

static void test_file(void **state)
{
	(void)state;
	data("data", 1 << 20);
	assert_int_equal(sweep_target_open(folder_path("data"), NULL, &options, &target, &err), 0);
	assert_true(target.is_file && target.io.fd >= 0);
	assert_true(target.io.size_bytes == 1 << 20);
	assert_true(target.io.offset == 0 && target.io.length == 1 << 20);
	assert_true(target.io.lba_bytes == 512 || target.io.lba_bytes == 4096);
	assert_int_equal(target.io.buffer_alignment % 4096, 0);
	assert_null(target.io.permit);
	assert_string_equal(target.info.kind, "file");
	assert_string_equal(target.info.name, "data");
	assert_true(target.info.file_system[0]);
	assert_int_equal(target.info.direct, !target.buffered);
	assert_int_equal(fcntl(target.io.fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	/* The alignment it reports works, where direct I/O is in use. */
	void *buffer = NULL;

	assert_int_equal(posix_memalign(&buffer, target.io.buffer_alignment, 4096), 0);
	assert_int_equal(pread(target.io.fd, buffer, target.io.lba_bytes, 0), target.io.lba_bytes);
	free(buffer);
	assert_int_equal(io_target_check(&target.io, &err), 0);
	sweep_target_close(&target);
	assert_int_equal(target.io.fd, -1);
	sweep_target_close(&target); /* twice is harmless */
}

static void test_area(void **state)
{
	const uint64_t mib = 1 << 20;

	(void)state;
	data("data", 4 * mib);
	const char *path = folder_path("data");

	options.area_pct = 25;
	options.offset_bytes = mib;
	assert_int_equal(sweep_target_open(path, NULL, &options, &target, &err), 0);
	assert_true(target.io.offset == mib && target.io.length == mib);
	assert_true(target.info.area_offset == mib && target.info.area_length == mib);
	sweep_target_close(&target);
	options.area_pct = 100; /* to the end */
	assert_int_equal(sweep_target_open(path, NULL, &options, &target, &err), 0);
	assert_true(target.io.length == 3 * mib);
	sweep_target_close(&target);
	options.area_pct = 33.3; /* rounded down to whole blocks */
	options.offset_bytes = 0;
	assert_int_equal(sweep_target_open(path, NULL, &options, &target, &err), 0);
	assert_int_equal(target.io.length % target.io.lba_bytes, 0);
	assert_true(target.io.length <= 4 * mib * 333 / 1000);
	assert_true(target.io.length > 4 * mib * 333 / 1000 - target.io.lba_bytes);
	sweep_target_close(&target);

	options.area_pct = 80;
	options.offset_bytes = mib;
	refused(path, NULL, -ERANGE, "past its end");
	assert_int_equal(err.exit, ERR_EXIT_USAGE);
	options.area_pct = 100;
	options.offset_bytes = 4 * mib;
	refused(path, NULL, -ERANGE, "past the end");
	options.offset_bytes = 1000;
	refused(path, NULL, -EINVAL, "multiple");
	options.offset_bytes = 0;
	options.bytes = 1000;
	refused(path, NULL, -EINVAL, "multiple");
	options.bytes = 0;
	options.area_pct = 0.001;
	refused(path, NULL, -EINVAL, "no whole block");
}

static void test_twice(void **state)
{
	struct sweep_target two[2];

	(void)state;
	data("data", 65536);
	data("other", 65536);
	assert_int_equal(symlink(folder_path("data"), folder_path("alias")), 0);
	assert_int_equal(link(folder_path("data"), folder_path("hard")), 0);
	static const struct {
		const char *name;
		int code;
	} second[] = {{"data", -EINVAL}, {"alias", -EINVAL}, {"hard", -EINVAL}, {"other", 0}};

	for (int i = 0; i < 4; i++) {
		assert_int_equal(
			sweep_target_open(folder_path("data"), NULL, &options, &two[0], &err), 0);
		assert_int_equal(sweep_target_open(folder_path(second[i].name), NULL, &options,
					 &two[1], &err),
			0);
		assert_int_equal(sweep_target_check_distinct(two, 2, &err), second[i].code);
		sweep_target_close(&two[0]);
		sweep_target_close(&two[1]);
	}
}

static struct sweep_target block(const char *disk, uint64_t device, uint64_t offset, uint64_t size)
{
	struct sweep_target t = {.device = device, .disk_offset = offset};

	str_copy(t.disk, sizeof(t.disk), disk);
	str_format(t.io.name, sizeof(t.io.name), "dev%d", (int)device);
	t.io.size_bytes = size;
	return t;
}

static void test_partition_and_disk(void **state)
{
	struct sweep_target t[3] = {block("nvme9n1", 1, 1 << 20, 1 << 20),
		block("nvme9n1", 2, 2 << 20, 1 << 20), block("nvme8n1", 3, 0, 4 << 20)};

	(void)state;
	assert_int_equal(sweep_target_check_distinct(t, 3, &err), 0);
	t[2] = block("nvme9n1", 3, 0, 4 << 20); /* the whole disk of the other two */
	assert_int_equal(sweep_target_check_distinct(t, 3, &err), -EINVAL);
	assert_non_null(strstr(err.text, "nvme9n1"));
	assert_int_equal(err.exit, ERR_EXIT_USAGE);
}

static struct sweep_target sampled(const char *name)
{
	struct sweep_target t;

	assert_int_equal(sweep_target_open(folder_path(name), NULL, &options, &t, &err), 0);
	sweep_target_sample(&t, 11, NULL, NULL);
	sweep_target_close(&t);
	assert_true(t.sampled);
	return t;
}

static void grow(const char *name, off_t size, const char *pattern, off_t pattern_end)
{
	const int fd = open(folder_path(name), O_RDWR | O_CREAT, 0600);
	const size_t length = strlen(pattern);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	for (off_t at = 0; at < pattern_end; at += (off_t)length)
		assert_int_equal(pwrite(fd, pattern, length, at), (ssize_t)length);
	fsync(fd);
	close(fd);
}

static void test_content(void **state)
{
	char pattern[4097];
	struct sweep_target t;

	(void)state;
	data("good", 1 << 20);
	t = sampled("good");
	assert_false(t.never_written || t.mostly_zero);
	assert_true(isnan(t.written_share) || t.written_share == 1);

	grow("sparse", 1 << 20, "x", 1);
	t = sampled("sparse");
	assert_true(t.never_written && t.mostly_zero);
	assert_true(t.written_share < 0.05);

	memset(pattern, 'a', 4096);
	pattern[4096] = '\0';
	grow("alike", 1 << 20, pattern, 1 << 20);
	t = sampled("alike");
	assert_true(t.mostly_zero);
	assert_false(t.never_written);

	/* A quarter of it is a hole: said, but not "mostly". */
	data("mixed", 768 << 10);
	grow("mixed", 1 << 20, "", 0);
	t = sampled("mixed");
	assert_false(t.never_written || t.mostly_zero);
	assert_true(t.written_share > 0.7 && t.written_share < 0.8);
	/* Only the area counts. */
	options.offset_bytes = 768 << 10;
	t = sampled("mixed");
	assert_true(t.never_written && t.mostly_zero);
	/* Smaller than 64 blocks. */
	options.offset_bytes = 0;
	data("small", 8192);
	t = sampled("small");
	assert_false(t.mostly_zero);
}

static void test_unwritten_extents(void **state)
{
	const int fd = open(folder_path("reserved"), O_RDWR | O_CREAT, 0600);
	struct sweep_target t;

	(void)state;
	assert_true(fd >= 0);
	if (fallocate(fd, 0, 0, 1 << 20)) {
		print_message("skipped: this file system cannot reserve space\n");
		close(fd);
		skip();
	}
	fsync(fd);
	close(fd);
	t = sampled("reserved");
	assert_true(t.never_written);
	assert_true(t.written_share == 0);
}

static void test_describe(void **state)
{
	struct run_target info;

	(void)state;
	data("data", 65536);
	assert_int_equal(sweep_target_describe(folder_path("data"), NULL, &info, &err), 0);
	assert_string_equal(info.kind, "file");
	assert_true(info.size_bytes == 65536);
	assert_int_equal(sweep_target_describe("/dev/null", NULL, &info, &err), -ENOTBLK);
}

#define EACH(f) cmocka_unit_test_setup_teardown(f, setup, folder_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(test_kinds),
		EACH(test_no_permission),
		EACH(test_names_of_inventory),
		EACH(test_file),
		EACH(test_area),
		EACH(test_twice),
		EACH(test_partition_and_disk),
		EACH(test_content),
		EACH(test_unwritten_extents),
		EACH(test_describe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
