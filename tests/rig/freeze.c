/* freeze FOLDER 0|1: thaws or freezes the file system mounted there. */
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/ioctl.h>

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	int fd = open(argv[1], O_RDONLY);
	if (fd < 0 || ioctl(fd, argv[2][0] == '1' ? FIFREEZE : FITHAW, 0) < 0) {
		perror(argv[1]);
		return 1;
	}
	return 0;
}
