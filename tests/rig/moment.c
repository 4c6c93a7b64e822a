/* Preloaded into nvsweep in the guest: the moment between the gate's check and its start.
 *
 * Before the first open of a block device for writing, /tmp/moment is run once with the path as its
 * argument, when it exists; the open then goes on. So a scene can mount the device, put another
 * device behind its name or have it unplugged exactly when all rules have passed. */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* Not by the names in fcntl.h: with large files those are other symbols. */
int rig_open(const char *path, int flags, ...) __asm__("open");
int rig_open64(const char *path, int flags, ...) __asm__("open64");
int rig_openat(int folder, const char *path, int flags, ...) __asm__("openat");
int rig_openat64(int folder, const char *path, int flags, ...) __asm__("openat64");
int rig_open_2(const char *path, int flags) __asm__("__open_2");
int rig_open64_2(const char *path, int flags) __asm__("__open64_2");
int rig_openat_2(int folder, const char *path, int flags) __asm__("__openat_2");
int rig_openat64_2(int folder, const char *path, int flags) __asm__("__openat64_2");

static void moment(int folder, const char *path, int flags)
{
	static int passed;
	struct stat st;

	if ((flags & O_ACCMODE) == O_RDONLY || passed || access("/tmp/moment", X_OK) != 0)
		return;
	if (fstatat(folder, path, &st, 0) != 0 || !S_ISBLK(st.st_mode))
		return;
	passed = 1;

	const pid_t child = fork();

	if (child == 0) {
		char hook[] = "/tmp/moment", device[256], search[] = "PATH=/bin:/sbin";
		char *const argv[] = {hook, device, NULL}, *const env[] = {search, NULL};
		sigset_t none;

		snprintf(device, sizeof(device), "%s", path);
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		execve(hook, argv, env);
		_exit(127);
	}
	if (child > 0)
		waitpid(child, NULL, 0);
}

static int real_openat(int folder, const char *path, int flags, mode_t mode)
{
	static int (*real)(int, const char *, int, ...);

	if (!real)
		real = (int (*)(int, const char *, int, ...))dlsym(RTLD_NEXT, "openat64");
	moment(folder, path, flags);
	return real(folder, path, flags, mode);
}

static mode_t mode_of(int flags, va_list args)
{
	return flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

int rig_open(const char *path, int flags, ...)
{
	va_list args;

	va_start(args, flags);
	const mode_t mode = mode_of(flags, args);
	va_end(args);
	return real_openat(AT_FDCWD, path, flags, mode);
}

int rig_open64(const char *path, int flags, ...)
{
	va_list args;

	va_start(args, flags);
	const mode_t mode = mode_of(flags, args);
	va_end(args);
	return real_openat(AT_FDCWD, path, flags, mode);
}

int rig_openat(int folder, const char *path, int flags, ...)
{
	va_list args;

	va_start(args, flags);
	const mode_t mode = mode_of(flags, args);
	va_end(args);
	return real_openat(folder, path, flags, mode);
}

int rig_openat64(int folder, const char *path, int flags, ...)
{
	va_list args;

	va_start(args, flags);
	const mode_t mode = mode_of(flags, args);
	va_end(args);
	return real_openat(folder, path, flags, mode);
}

int rig_open_2(const char *path, int flags)
{
	return real_openat(AT_FDCWD, path, flags, 0);
}

int rig_open64_2(const char *path, int flags)
{
	return real_openat(AT_FDCWD, path, flags, 0);
}

int rig_openat_2(int folder, const char *path, int flags)
{
	return real_openat(folder, path, flags, 0);
}

int rig_openat64_2(int folder, const char *path, int flags)
{
	return real_openat(folder, path, flags, 0);
}
