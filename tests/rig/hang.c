/* Preloaded into nvsweep in the guest: while /tmp/hang exists, every NVMe admin command gets stuck
 * in the kernel, uninterruptibly, as with a drive that never answers: the thread writes to a frozen
 * file system (/tmp/frozen). */
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/ioctl.h>
#include <linux/nvme_ioctl.h>
#include <stdarg.h>
#include <unistd.h>

int ioctl(int fd, unsigned long request, ...);

int ioctl(int fd, unsigned long request, ...)
{
	static int (*real)(int, unsigned long, void *);
	va_list args;

	va_start(args, request);
	void *argument = va_arg(args, void *);
	va_end(args);
	if (!real)
		real = (int (*)(int, unsigned long, void *))dlsym(RTLD_NEXT, "ioctl");
	if (request == NVME_IOCTL_ADMIN_CMD && access("/tmp/hang", F_OK) == 0) {
		int frozen = open("/tmp/frozen/stuck", O_CREAT | O_WRONLY, 0600);
		if (frozen >= 0) {
			if (write(frozen, "x", 1) < 0)
				_exit(99);
			close(frozen);
		}
	}
	return real(fd, request, argument);
}
