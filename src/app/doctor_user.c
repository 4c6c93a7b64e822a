/* doctor: limits, folders and terminal. */
#include "app/doctor.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/str.h"
#include "base/units.h"
#include "tui/term.h"

/* Rings and buffers of a large test. */
#define MEMLOCK_WISHED ((rlim_t)8 << 20)
#define FILES_WISHED 256

static void limit_text(rlim_t limit, bool bytes, char *buf, size_t size)
{
	if (limit == RLIM_INFINITY)
		str_copy(buf, size, "unlimited");
	else if (bytes)
		units_bytes_iec(buf, size, limit);
	else
		units_grouped(buf, size, limit);
}

static void limit_row(struct doctor *doctor, const char *name, int resource, bool bytes,
	rlim_t wished, const char *advice)
{
	struct rlimit limit;
	char soft[32], hard[32];

	if (getrlimit((__rlimit_resource_t)resource, &limit) < 0)
		return;
	limit_text(limit.rlim_cur, bytes, soft, sizeof(soft));
	limit_text(limit.rlim_max, bytes, hard, sizeof(hard));

	const bool poor = limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < wished;
	struct doctor_row *row = doctor_add(doctor, "limits", name,
		poor ? DOCTOR_POOR : DOCTOR_GOOD, "%s (at most %s)", soft, hard);

	if (poor)
		str_copy(row->advice, sizeof(row->advice), advice);
}

void doctor_limits(struct doctor *doctor)
{
	limit_row(doctor, "locked_memory", RLIMIT_MEMLOCK, true, MEMLOCK_WISHED,
		"large tests run with smaller rings or unregistered buffers: ulimit -l unlimited");
	limit_row(doctor, "open_files", RLIMIT_NOFILE, false, FILES_WISHED,
		"tests of many drives need more: ulimit -n 1024");
	doctor_add(doctor, "limits", "cpus", DOCTOR_INFO, "%ld of %ld online",
		sysconf(_SC_NPROCESSORS_ONLN), sysconf(_SC_NPROCESSORS_CONF));
}

/* ---- folders --------------------------------------------------------------------------------- */

/* Could something be made in path? Judged at the nearest folder that exists. */
static int writable(const char *path)
{
	char parent[512];

	str_copy(parent, sizeof(parent), path);
	for (;;) {
		if (!access(parent, W_OK | X_OK))
			return 0;
		if (errno != ENOENT)
			return -errno;
		char *slash = strrchr(parent, '/');

		if (!slash)
			return access(".", W_OK | X_OK) ? -errno : 0;
		if (slash == parent)
			return access("/", W_OK | X_OK) ? -errno : 0;
		*slash = '\0';
	}
}

static void folder_row(
	struct doctor *doctor, const char *name, const char *path, enum doctor_state without)
{
	const int rc = writable(path);
	const bool there = !access(path, F_OK);

	if (!rc)
		doctor_add(doctor, "paths", name, DOCTOR_GOOD, "%s%s", path,
			there ? "" : " (not there yet)");
	else
		doctor_add(doctor, "paths", name, without, "%s: cannot be written: %s", path,
			err_errno_text(rc));
}

static void file_row(struct doctor *doctor, const char *name, const char *folder)
{
	char path[600];

	str_format(path, sizeof(path), "%s/nvsweep.ini", folder);
	doctor_add(doctor, "paths", name, DOCTOR_INFO, "%s%s", path,
		access(path, R_OK) ? (errno == ENOENT ? " (none)" : " (cannot be read)") : "");
}

void doctor_paths(struct doctor *doctor)
{
	const char *configured = doctor->settings->runs_folder;
	char folder[512], runs[600];
	struct err err = {0};

	file_row(doctor, "system_settings", "/etc/nvsweep");
	if (!file_config_dir(folder, sizeof(folder), &err))
		file_row(doctor, "user_settings", folder);
	else
		doctor_add(doctor, "paths", "user_settings", DOCTOR_POOR, "%s", err.text);
	if (!file_state_dir(folder, sizeof(folder), &err)) {
		folder_row(doctor, "state", folder, DOCTOR_POOR);
		str_format(runs, sizeof(runs), "%s/runs", folder);
	} else {
		doctor_add(doctor, "paths", "state", DOCTOR_POOR, "%s", err.text);
		runs[0] = '\0';
	}
	if (*configured)
		str_copy(runs, sizeof(runs), configured);
	if (*runs)
		folder_row(doctor, "runs", runs, DOCTOR_BAD);
	else
		str_copy(doctor_add(doctor, "paths", "runs", DOCTOR_BAD, "no folder")->advice, 256,
			"set HOME, or runs_folder in nvsweep.ini");
}

/* ---- terminal -------------------------------------------------------------------------------- */

static void terminal_environment(struct doctor *doctor, const char *name)
{
	const char *value = getenv(name);
	char safe[128];

	if (!value)
		return;
	str_sanitize_utf8(safe, sizeof(safe), value);
	doctor_add(doctor, "terminal", name, DOCTOR_INFO, "%s", *safe ? safe : "(empty)");
}

void doctor_terminal(struct doctor *doctor)
{
	const char *term = getenv("TERM"), *locale = setlocale(LC_CTYPE, NULL);
	const bool utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	const bool tty = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	char restore[256], safe[64];
	struct doctor_row *row;
	struct winsize size;

	str_sanitize_utf8(safe, sizeof(safe), term ? term : "");
	const bool known = *safe && term_restore_bytes(restore, sizeof(restore)) > 0;

	row = doctor_add(doctor, "terminal", "TERM", known ? DOCTOR_GOOD : DOCTOR_POOR, "%s",
		*safe ? safe : "not set");
	if (!known)
		str_copy(row->advice, sizeof(row->advice),
			"the terminal program needs a TERM that terminfo knows, such as "
			"xterm-256color; commands work without");
	doctor_add(doctor, "terminal", "terminal", tty ? DOCTOR_GOOD : DOCTOR_INFO, "%s",
		tty ? "input and output are a terminal" : "input or output is no terminal");
	if (tty && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size)) {
		const bool small = size.ws_col < 80 || size.ws_row < 24;

		row = doctor_add(doctor, "terminal", "size", small ? DOCTOR_POOR : DOCTOR_GOOD,
			"%ux%u", size.ws_col, size.ws_row);
		if (small)
			str_copy(row->advice, sizeof(row->advice), "80x24 shows everything");
	}
	if (known)
		doctor_add(doctor, "terminal", "colours", DOCTOR_INFO, "%d",
			term_colors() > 0 ? term_colors() : 0);
	terminal_environment(doctor, "COLORTERM");
	terminal_environment(doctor, "NO_COLOR");
	row = doctor_add(doctor, "terminal", "locale", utf8 ? DOCTOR_GOOD : DOCTOR_POOR,
		"%s, characters %s", locale ? locale : "unknown", nl_langinfo(CODESET));
	if (!utf8)
		str_copy(row->advice, sizeof(row->advice),
			"graphs are drawn with ASCII; a UTF-8 locale gives finer ones: "
			"LC_CTYPE=C.UTF-8");
}
