/* A kernel or container that refuses io_uring, or memory for it: in forked children, by a seccomp
 * filter made by hand and by the limit of locked memory. The engine falls back or shrinks, and
 * says why. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "io/pool.h"

#define BLOCK 65536u
#define SKIPPED 77

static char path[] = "/tmp/nvsweep-refused-XXXXXX";

static int make_file(void **state)
{
	const int fd = mkstemp(path);

	(void)state;
	if (fd < 0 || ftruncate(fd, 16 * BLOCK))
		return -1;
	return close(fd);
}

static int drop_file(void **state)
{
	(void)state;
	return unlink(path);
}

/* From now on `call` answers with `code` when its first argument is above `above`. */
static int install_filter(int call, int code, uint32_t above)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, above, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)code),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {
		.len = sizeof(filter) / sizeof(filter[0]), .filter = filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? -errno : 0;
}

/* With CAP_IPC_LOCK no limit counts. */
static int drop_lock_capability(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return -errno;
	for (int i = 0; i < 2; i++)
		data[i].inheritable = 0;
	data[0].effective &= ~(1u << CAP_IPC_LOCK);
	data[0].permitted &= ~(1u << CAP_IPC_LOCK);
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

struct outcome {
	struct io_backend_facts facts;
	char fallback[256];
	struct err err;
	uint64_t bytes;
	int rc;
};

/* Reads the file once through a pool; what came of it is the child's report. */
static void read_through_pool(struct outcome *out, const char *backend, uint32_t outstanding)
{
	struct clock clock;
	struct io_target target = {
		.name = "file", .lba_bytes = 4096, .size_bytes = 16 * BLOCK, .length = 16 * BLOCK};
	const struct io_pool_config config = {.targets = &target,
		.target_count = 1,
		.backend = backend,
		.workers = 1,
		.outstanding = outstanding,
		.max_block_bytes = BLOCK,
		.clock = &clock};
	struct io_phase phase = {.total_bytes = 16 * BLOCK};
	struct io_stream *stream = &phase.load.streams[0];
	struct io_phase_result result;
	struct io_pool *pool;

	clock_init_real(&clock);
	target.fd = open(path, O_RDONLY | O_CLOEXEC);
	phase.load.stream_count = 1;
	phase.load.outstanding = outstanding;
	stream->share = stream->read_share = 1;
	stream->read_mix.count = 1;
	stream->read_mix.size[0].bytes = BLOCK;
	stream->read_mix.size[0].share = 1;
	out->rc = io_pool_create(&config, &pool, out->fallback, &out->err);
	if (out->rc)
		return;
	out->facts = *io_pool_facts(pool);
	out->rc = io_pool_begin(pool, &phase, &out->err);
	if (!out->rc)
		out->rc = io_pool_end(pool, &result, &out->err);
	if (!out->rc) {
		out->bytes = result.total.read_bytes;
		io_phase_result_free(&result);
	}
	io_pool_destroy(pool);
}

struct refusal {
	int seccomp_code; /* 0: none */
	int call;         /* 0: io_uring_setup */
	uint32_t above;   /* only for first arguments beyond it (little endian, low half) */
	rlim_t memlock;   /* 0: as it is */
	const char *backend;
	uint32_t outstanding;
};

/* Returns false when the kernel of this machine does not let the child make the situation. */
static bool in_child(const struct refusal *refusal, struct outcome *out)
{
	int ends[2], status;

	memset(out, 0, sizeof(*out));
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	const pid_t child = fork();
	assert_true(child >= 0);
	if (!child) {
		struct outcome report = {0};

		close(ends[0]);
		if (refusal->memlock) {
			const struct rlimit limit = {refusal->memlock, refusal->memlock};

			if (drop_lock_capability() || setrlimit(RLIMIT_MEMLOCK, &limit))
				_exit(SKIPPED);
		}
		if (refusal->seccomp_code &&
			install_filter(refusal->call ? refusal->call : __NR_io_uring_setup,
				refusal->seccomp_code, refusal->above))
			_exit(SKIPPED);
		read_through_pool(&report, refusal->backend, refusal->outstanding);
		_exit(write(ends[1], &report, sizeof(report)) != sizeof(report));
	}
	close(ends[1]);
	const ssize_t bytes = read(ends[0], out, sizeof(*out));
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == SKIPPED) {
		print_message("skipped: the limit or filter cannot be set here\n");
		return false;
	}
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(bytes, sizeof(*out));
	return true;
}

static bool uring_works(void)
{
	struct err err = {0};

	if (!io_backend_uring.probe(&err))
		return true;
	print_message("skipped: %s\n", err.text);
	return false;
}

static void says(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' does not say '%s'", text, part);
}

static void falls_back(int code, const char *part)
{
	static const char *const names[] = {"auto", "uring"};
	struct outcome out;

	for (int i = 0; i < 2; i++) {
		const struct refusal refusal = {
			.seccomp_code = code, .backend = names[i], .outstanding = 4};

		if (!in_child(&refusal, &out))
			skip();
		if (out.rc)
			fail_msg("%s", out.err.text);
		assert_string_equal(out.facts.name, "sync");
		says(out.fallback, part);
		assert_int_equal(out.bytes, 16 * BLOCK);
	}
}

static void test_permission(void **state)
{
	(void)state;
	falls_back(EPERM, "seccomp");
	falls_back(EACCES, "seccomp");
}

static void test_no_system_call(void **state)
{
	(void)state;
	falls_back(ENOSYS, "kernel has no io_uring");
}

static void test_no_memory_for_a_ring(void **state)
{
	(void)state;
	falls_back(ENOMEM, "locked memory");
}

static void test_ring_gets_smaller(void **state)
{
	/* Rings of more than 8 entries find no memory: 100 outstanding are halved to 6. */
	const struct refusal refusal = {
		.seccomp_code = ENOMEM, .above = 8, .backend = "auto", .outstanding = 100};
	struct outcome out;

	(void)state;
	if (!uring_works() || !in_child(&refusal, &out))
		skip();
	if (out.rc)
		fail_msg("%s", out.err.text);
	assert_string_equal(out.facts.name, "uring");
	assert_string_equal(out.fallback, "");
	assert_int_equal(out.facts.depth, 6);
	says(out.facts.notes, "Only 6 of 100 outstanding");
	says(out.facts.notes, "locked memory");
	assert_int_equal(out.bytes, 16 * BLOCK);
}

static void test_registration_refused(void **state)
{
	/* Everything that is only for speed may be refused; the reads go on. */
	const struct refusal refusal = {.seccomp_code = EPERM,
		.call = __NR_io_uring_register,
		.backend = "uring",
		.outstanding = 4};
	struct outcome out;

	(void)state;
	if (!uring_works() || !in_child(&refusal, &out))
		skip();
	if (out.rc)
		fail_msg("%s", out.err.text);
	assert_string_equal(out.facts.name, "uring");
	assert_false(out.facts.fixed_buffers);
	assert_false(out.facts.registered_files);
	says(out.facts.notes, "Files are not registered");
	says(out.facts.notes, "Buffers are not registered");
	assert_int_equal(out.bytes, 16 * BLOCK);
}

static void test_memlock(void **state)
{
	/* 16 buffers of 64 KiB do not fit into 64 KiB of locked memory. */
	const struct refusal refusal = {.memlock = 65536, .backend = "uring", .outstanding = 16};
	struct outcome out;

	(void)state;
	if (!uring_works() || !in_child(&refusal, &out))
		skip();
	if (out.rc)
		fail_msg("%s", out.err.text);
	assert_string_equal(out.facts.name, "uring");
	assert_false(out.facts.fixed_buffers);
	says(out.facts.notes, "64 KiB");
	assert_int_equal(out.bytes, 16 * BLOCK);
}

static void test_sync_has_few_threads(void **state)
{
	const struct refusal refusal = {.backend = "sync", .outstanding = 300};
	struct outcome out;

	(void)state;
	assert_true(in_child(&refusal, &out));
	assert_int_equal(out.rc, 0);
	assert_int_equal(out.facts.depth, IO_SYNC_THREADS_MAX);
	says(out.facts.notes, "Only 64 of 300");
	assert_int_equal(out.bytes, 16 * BLOCK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_permission),
		cmocka_unit_test(test_no_system_call),
		cmocka_unit_test(test_no_memory_for_a_ring),
		cmocka_unit_test(test_ring_gets_smaller),
		cmocka_unit_test(test_registration_refused),
		cmocka_unit_test(test_memlock),
		cmocka_unit_test(test_sync_has_few_threads),
	};

	return cmocka_run_group_tests(tests, make_file, drop_file);
}
