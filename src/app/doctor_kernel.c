/* doctor: libraries, kernel features and rights. */
#include "app/doctor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <limits.h>
#include <link.h>
#include <linux/io_uring.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/str.h"
#include "io/backend.h"
#include "nvme/topology.h"

#define CAP_SYS_ADMIN_BIT 21

struct doctor_row *doctor_add(struct doctor *doctor, const char *section, const char *name,
	enum doctor_state state, const char *format, ...)
{
	static struct doctor_row dropped;
	struct doctor_row *row = &dropped;
	va_list args;

	if (doctor->count < DOCTOR_ROWS_MAX)
		row = &doctor->rows[doctor->count++];
	*row = (struct doctor_row){.section = section, .state = state};
	str_copy(row->name, sizeof(row->name), name);
	va_start(args, format);
	vsnprintf(row->value, sizeof(row->value), format, args);
	va_end(args);
	return row;
}

/* ---- libraries ------------------------------------------------------------------------------- */

/* The file a library really is tells its version ("libncursesw.so.6.4"), without a call into it. */
static int library_seen(struct dl_phdr_info *info, size_t size, void *user)
{
	static const char *const wanted[] = {"libnvme", "liburing", "libncursesw", "libtinfo",
		"libiniparser", "libjson-c", "libudev"};
	struct doctor *doctor = user;
	char path[PATH_MAX];
	const char *base = strrchr(info->dlpi_name, '/');

	(void)size;
	if (!base || !realpath(info->dlpi_name, path))
		return 0;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		const size_t length = strlen(wanted[i]);
		const char *dot = strstr(base + 1, ".so");

		/* Names such as libfoo-1.2.so.3 are matched as well. */
		if (strncmp(base + 1, wanted[i], length) != 0 || !dot ||
			(base[1 + length] != '.' && base[1 + length] != '-'))
			continue;
		doctor_add(
			doctor, "libraries", wanted[i], DOCTOR_INFO, "%s", strrchr(path, '/') + 1);
	}
	return 0;
}

void doctor_libraries(struct doctor *doctor)
{
	doctor_add(doctor, "libraries", "nvsweep", DOCTOR_INFO, "%s", NVSWEEP_VERSION);
	doctor_add(doctor, "libraries", "libc", DOCTOR_INFO, "%s", gnu_get_libc_version());
	dl_iterate_phdr(library_seen, doctor);
}

/* ---- kernel ---------------------------------------------------------------------------------- */

/* Flags that one kernel after the other learned; the engine uses what it gets. */
static const struct {
	const char *name;
	unsigned flags;
	unsigned since; /* 100 * major + minor */
} ring_trials[] = {
	{"ring_plain", 0, 501},
	{"ring_coop_taskrun", IORING_SETUP_COOP_TASKRUN, 519},
	{"ring_single_issuer", IORING_SETUP_SINGLE_ISSUER, 600},
#ifdef IORING_SETUP_DEFER_TASKRUN
	{"ring_defer_taskrun", IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, 601},
#endif
	{"ring_iopoll", IORING_SETUP_IOPOLL, 501},
};

static void kernel_rings(struct doctor *doctor)
{
	for (size_t i = 0; i < sizeof(ring_trials) / sizeof(ring_trials[0]); i++) {
		struct io_uring_params params = {.flags = ring_trials[i].flags};
		const int fd = (int)syscall(__NR_io_uring_setup, 4, &params);

		if (fd >= 0) {
			close(fd);
			doctor_add(doctor, "kernel", ring_trials[i].name, DOCTOR_GOOD, "yes");
			continue;
		}
		doctor_add(doctor, "kernel", ring_trials[i].name, i ? DOCTOR_INFO : DOCTOR_POOR,
			"no: %s (kernel %u.%u and later)", err_errno_text(errno),
			ring_trials[i].since / 100, ring_trials[i].since % 100);
	}
}

static void kernel_backend(
	struct doctor *doctor, const char *name, const char *key, enum doctor_state without)
{
	const struct io_backend_ops *ops = io_backend_find(name);
	struct err err = {0};

	if (!ops)
		return;
	if (!ops->probe || !ops->probe(&err)) {
		doctor_add(doctor, "kernel", key, DOCTOR_GOOD, "works");
		return;
	}
	struct doctor_row *row = doctor_add(doctor, "kernel", key, without, "%s", err.text);

	if (without == DOCTOR_POOR)
		str_copy(row->advice, sizeof(row->advice),
			"tests use blocking reads in threads instead, which cost more CPU");
}

static void kernel_parameter(struct doctor *doctor, const char *name, const char *path)
{
	char text[64];

	if (!file_read_text(path, text, sizeof(text)))
		doctor_add(doctor, "kernel", name, DOCTOR_INFO, "%s", text);
}

void doctor_kernel(struct doctor *doctor)
{
	struct utsname host;
	char text[64];

	if (!uname(&host))
		doctor_add(doctor, "kernel", "release", DOCTOR_INFO, "%s %s", host.release,
			host.machine);
	if (!file_read_text("/proc/sys/kernel/io_uring_disabled", text, sizeof(text))) {
		const bool off = strcmp(text, "0") != 0;
		struct doctor_row *row = doctor_add(doctor, "kernel", "io_uring_disabled",
			off ? DOCTOR_POOR : DOCTOR_GOOD, "%s", text);

		if (off)
			str_copy(row->advice, sizeof(row->advice),
				!strcmp(text, "1")
					? "only root and members of io_uring_group may "
					  "use io_uring: sysctl kernel.io_uring_disabled=0"
					: "io_uring is off for everybody: sysctl "
					  "kernel.io_uring_disabled=0");
	}
	kernel_backend(doctor, "uring", "io_uring", DOCTOR_POOR);
	kernel_backend(doctor, "sync", "blocking_reads", DOCTOR_BAD);
	kernel_rings(doctor);
	kernel_parameter(doctor, "nvme_multipath", "/sys/module/nvme_core/parameters/multipath");
	kernel_parameter(
		doctor, "nvme_admin_timeout_s", "/sys/module/nvme_core/parameters/admin_timeout");
	kernel_parameter(doctor, "nvme_poll_queues", "/sys/module/nvme/parameters/poll_queues");
}

/* ---- rights ---------------------------------------------------------------------------------- */

static bool has_capability(int bit)
{
	char *status = NULL;
	size_t length;
	bool has = false;

	/* /proc files tell no size: file_read reads them to their end. */
	if (!file_read("/proc/self/status", 1 << 16, &status, &length, NULL)) {
		const char *line = strstr(status, "\nCapEff:");

		if (line)
			has = (strtoull(line + 8, NULL, 16) >> bit) & 1;
	}
	free(status);
	return has;
}

static void rights_controller(
	struct doctor *doctor, const struct topology_controller *controller, bool admin)
{
	char path[64];

	str_format(path, sizeof(path), "/dev/%s", controller->name);
	if (access(path, F_OK) < 0) {
		str_copy(doctor_add(doctor, "rights", controller->name, DOCTOR_POOR, "no %s", path)
				 ->advice,
			256, "the node is missing (container?): its pages cannot be read");
		return;
	}
	const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0) {
		str_copy(doctor_add(doctor, "rights", controller->name, DOCTOR_POOR, "%s: %s", path,
				 err_errno_text(errno))
				 ->advice,
			256, "SMART and Identify need root: start nvsweep with sudo");
		return;
	}
	close(fd);
	doctor_add(doctor, "rights", controller->name, admin ? DOCTOR_GOOD : DOCTOR_POOR,
		admin ? "%s can be read" : "%s opens, commands need CAP_SYS_ADMIN", path);
}

void doctor_rights(struct doctor *doctor)
{
	const bool admin = has_capability(CAP_SYS_ADMIN_BIT);
	struct topology *topology;
	struct doctor_row *row;
	struct err err = {0};

	doctor_add(doctor, "rights", "user", geteuid() ? DOCTOR_INFO : DOCTOR_GOOD,
		geteuid() ? "user id %u" : "root", (unsigned)geteuid());
	row = doctor_add(doctor, "rights", "cap_sys_admin", admin ? DOCTOR_GOOD : DOCTOR_POOR, "%s",
		admin ? "yes" : "no");
	if (!admin)
		str_copy(row->advice, sizeof(row->advice),
			"drives are listed, but their SMART and Identify pages need root");
	if (topology_read("", "", &topology, &err)) {
		doctor_add(doctor, "rights", "drives", DOCTOR_POOR, "%s", err.text);
		return;
	}
	if (!topology->controller_count) {
		row = doctor_add(doctor, "rights", "drives", DOCTOR_INFO, "%s",
			topology->class_missing ? "no /sys/class/nvme" : "no NVMe controllers");
		str_copy(row->advice, sizeof(row->advice),
			topology->class_missing
				? "the kernel's NVMe driver is not loaded, or there is no drive: "
				  "modprobe nvme"
				: "");
	}
	for (size_t i = 0; i < topology->controller_count; i++)
		rights_controller(doctor, &topology->controllers[i], admin);
	topology_free(topology);
}
