/* Standard output of the commands: whole writes, layout, and the check of files to be written. */
#include "app/output.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/guard.h"

int output_write(const char *text, size_t length, struct err *err)
{
	while (length) {
		const ssize_t n = write(STDOUT_FILENO, text, length);

		if (n > 0) {
			text += n;
			length -= (size_t)n;
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			struct pollfd wait = {.fd = STDOUT_FILENO, .events = POLLOUT};

			poll(&wait, 1, -1);
			continue;
		}
		if (n < 0 && errno == EPIPE)
			return 0;
		return err_set(err, n < 0 ? -errno : -EIO, "writing to standard output: %s",
			err_errno_text(n < 0 ? errno : EIO));
	}
	return 0;
}

int output_text(struct strbuf *text, struct err *err)
{
	const int rc = text->length ? output_write(text->text, text->length, err) : 0;

	strbuf_free(text);
	return rc;
}

int output_json(struct json *document, struct err *err)
{
	struct strbuf out = {0};
	char *text = json_text(document, true);

	strbuf_add(&out, text);
	if (!out.length || out.text[out.length - 1] != '\n')
		strbuf_add(&out, "\n");
	free(text);
	json_free(document);
	return output_text(&out, err);
}

struct json *output_document(const char *kind)
{
	struct json *document = json_object();
	char schema[64];

	str_format(schema, sizeof(schema), "nvsweep-%s/1", kind);
	json_set_string(document, "schema", schema);
	json_set_string(document, "generator", "nvsweep " NVSWEEP_VERSION);
	return document;
}

bool output_size(int *width, int *height)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
		return false;
	/* A serial line that knows no size says 0. */
	*width = size.ws_col ? size.ws_col : 80;
	*height = size.ws_row ? size.ws_row : 24;
	return true;
}

void output_style(const struct settings *settings, struct text_style *style)
{
	int width = 0, height;

	style->ascii = !strcmp(settings->charset, "ascii") ||
		(!strcmp(settings->charset, "auto") && strcmp(nl_langinfo(CODESET), "UTF-8") != 0);
	style->width = output_size(&width, &height) ? width : 0;
}

void output_complain(const char *sentence)
{
	if (guard_detached())
		guard_detached_say(sentence);
	else
		fprintf(stderr, "nvsweep: %s\n", sentence);
}

/* A new file: only an attempt tells whether its folder takes one (rights, read-only mounts). */
static int check_new(const char *path, struct err *err)
{
	char folder[4096], probe[4200];
	const char *slash = strrchr(path, '/');

	if (slash && !slash[1])
		return err_set_exit(
			err, ERR_EXIT_USAGE, -EISDIR, "%s: names a folder, a file is wanted", path);
	if (!slash)
		str_copy(folder, sizeof(folder), ".");
	else if (slash == path)
		str_copy(folder, sizeof(folder), "/");
	else
		str_format(folder, sizeof(folder), "%.*s", (int)(slash - path), path);
	str_format(probe, sizeof(probe), "%s/.nvsweep-probe-%d", folder, (int)getpid());

	const int fd = open(probe, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return err_set(err, -errno, "%s: cannot be written: folder %s: %s", path, folder,
			err_errno_text(errno));
	close(fd);
	unlink(probe);
	return 0;
}

int output_check_path(const char *path, struct err *err)
{
	struct stat st;

	if (!strcmp(path, "-"))
		return 0;
	if (stat(path, &st) < 0) {
		if (errno == ENOENT)
			return check_new(path, err);
		return err_set(err, -errno, "%s: %s", path, err_errno_text(errno));
	}
	if (S_ISDIR(st.st_mode))
		return err_set_exit(
			err, ERR_EXIT_USAGE, -EISDIR, "%s: is a folder, a file is wanted", path);
	if (S_ISBLK(st.st_mode))
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"%s: is a block device; a result is not written there", path);
	if (S_ISFIFO(st.st_mode))
		return 0; /* opening would wait for the reader */

	const int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return err_set(
			err, -errno, "%s: cannot be written: %s", path, err_errno_text(errno));
	close(fd);
	/* It is replaced by rename: the folder must take a new file too. */
	return S_ISREG(st.st_mode) ? check_new(path, err) : 0;
}

int output_absolute(const char *path, char *buf, size_t size, struct err *err)
{
	char folder[4096];

	if (path[0] == '/' || !strcmp(path, "-")) {
		if (str_copy(buf, size, path) < size)
			return 0;
	} else if (getcwd(folder, sizeof(folder))) {
		if (str_format(buf, size, "%s/%s", folder, path) + 1 < size)
			return 0;
	} else {
		return err_set(
			err, -errno, "the folder we are in is gone: %s", err_errno_text(errno));
	}
	return err_set(err, -ENAMETOOLONG, "the name %.60s... is too long", path);
}
