/* The live transport. Everything that names libnvme stands in the first part, the shim: libnvme 1.x
 * from 1.3 on is one body; 3.x renamed every call and is to become a second one. */
/* before the kernel's ioctl header, whose names it guards */
#include <libnvme.h>
/* it brings <syslog.h> along, whose names base/log.h has for itself */
#undef LOG_DEBUG
#undef LOG_INFO

#include "nvme/libnvme.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/str.h"
#include "nvme/environment.h"
#include "nvme/topology.h"

/* ---- the shim ------------------------------------------------------------------------------- */

struct admin_command { /* or one of the I/O set */
	uint8_t opcode;
	uint32_t nsid;
	uint32_t cdw10, cdw11, cdw12, cdw13, cdw14;
	void *data;
	uint32_t length;
};

/* 0, an NVMe status above 0, or -errno. Waits as long as the kernel does. io: an I/O command, through
 * the node of a namespace. */
static int shim_send(int fd, const struct admin_command *command, bool io)
{
	struct nvme_passthru_cmd raw = {
		.opcode = command->opcode,
		.nsid = command->nsid,
		.addr = (uint64_t)(uintptr_t)command->data,
		.data_len = command->length,
		.cdw10 = command->cdw10,
		.cdw11 = command->cdw11,
		.cdw12 = command->cdw12,
		.cdw13 = command->cdw13,
		.cdw14 = command->cdw14,
	};
	int rc;

	errno = 0;
	rc = io ? nvme_submit_io_passthru(fd, &raw, NULL)
		: nvme_submit_admin_passthru(fd, &raw, NULL);
	if (rc < 0)
		return errno ? -errno : -EIO;
	return rc;
}

static const char *shim_status_text(uint16_t code)
{
	return nvme_status_to_string(code, false);
}

static const char *shim_version(void)
{
	return nvme_get_version(NVME_VERSION_PROJECT);
}

/* ---- the transport -------------------------------------------------------------------------- */

#define ADMIN_GET_LOG 0x02
#define ADMIN_IDENTIFY 0x06
#define IO_RESERVATION_REPORT 0x0e
/* Every controller takes a page of 4 KiB in one transfer, whatever its MDTS. */
#define CHUNK_BYTES 4096u

struct live_transport {
	struct transport base;
	char sysfs_root[PATH_MAX], dev_root[PATH_MAX];
};

const char *transport_libnvme_version(void)
{
	return shim_version();
}

void transport_status_text(uint16_t word, char *buf, size_t size)
{
	const char *text = shim_status_text(transport_status_code(word));
	const char *end = strchr(text, ':');

	/* libnvme's words are "name: explanation" */
	str_format(buf, size, "%.*s (0x%x)", (int)(end ? end - text : (ptrdiff_t)strlen(text)),
		text, word);
}

static int live_open_error(int code, const char *controller, const char *node, struct err *err)
{
	switch (code) {
	case -EACCES:
	case -EPERM:
		return err_set(err, -EACCES,
			"no access to %s: run as root (sudo), or with read access to it and "
			"CAP_SYS_ADMIN",
			node);
	case -ENOENT:
		return err_set(err, code,
			"the kernel has %s, but %s is not visible here (a container without device "
			"nodes?)",
			controller, node);
	case -EAGAIN:
		return err_set(err, code, "%s takes no commands now: it is resetting or connecting",
			controller);
	case -ENODEV:
	case -ENXIO:
		return err_set(err, -ENODEV, "%s is gone", controller);
	default:
		return err_set(err, code, "%s cannot be opened: %s", node, err_errno_text(code));
	}
}

static int live_command_error(int code, const char *controller, struct err *err)
{
	switch (code) {
	case -EACCES:
	case -EPERM:
		return err_set(err, -EACCES,
			"the kernel lets this user send no such command to %s: run as root (sudo) or "
			"with CAP_SYS_ADMIN",
			controller);
	case -EINTR:
	case -ETIMEDOUT:
		return err_set(err, -ETIMEDOUT,
			"%s did not answer within the kernel's time limit; the kernel resets it",
			controller);
	case -ENODEV:
	case -ENXIO:
		return err_set(err, -ENODEV, "%s is gone", controller);
	default:
		return err_set(err, code, "the command to %s failed: %s", controller,
			err_errno_text(code));
	}
}

/* Sends one command on its own descriptor, so that nothing is held open between commands. The
 * transport is not touched once the command is out. */
static int live_send_to(struct transport *t, const char *controller,
	const struct admin_command *command, bool io, struct nvme_status *status, struct err *err)
{
	const struct live_transport *live = (const struct live_transport *)t;
	char node[PATH_MAX];
	int fd, rc;

	if (strchr(controller, '/'))
		return err_set(err, -EINVAL, "\"%s\" is not the name of a node", controller);
	str_format(node, sizeof(node), "%s/dev/%s", live->dev_root, controller);
	fd = open(node, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return live_open_error(-errno, controller, node, err);
	log_debug("%s: %s command 0x%02x nsid 0x%x cdw10 0x%x", controller, io ? "I/O" : "admin",
		command->opcode, command->nsid, command->cdw10);
	rc = shim_send(fd, command, io);
	close(fd);
	if (rc < 0)
		return live_command_error(rc, controller, err);
	if (rc == 0)
		return 0;
	status->word = (uint16_t)rc;
	transport_status_text(status->word, status->text, sizeof(status->text));
	log_debug("%s: refused: %s", controller, status->text);
	return err_set(err, -EREMOTEIO, "%s refused: %s", controller, status->text);
}

static int live_send(struct transport *t, const char *controller,
	const struct admin_command *command, struct nvme_status *status, struct err *err)
{
	return live_send_to(t, controller, command, false, status, err);
}

static int live_list(struct transport *t, struct topology **out, struct err *err)
{
	const struct live_transport *live = (const struct live_transport *)t;

	return topology_read(live->sysfs_root, live->dev_root, out, err);
}

static int live_identify(struct transport *t, const char *controller, uint8_t cns, uint32_t nsid,
	void *buf, size_t length, size_t *got, struct nvme_status *status, struct err *err)
{
	/* the controller always sends a whole page */
	_Alignas(CHUNK_BYTES) uint8_t page[NVME_IDENTIFY_BYTES] = {0};
	const struct admin_command command = {
		.opcode = ADMIN_IDENTIFY,
		.nsid = nsid,
		.cdw10 = cns,
		.data = page,
		.length = sizeof(page),
	};
	int rc;

	*got = 0;
	memset(status, 0, sizeof(*status));
	memset(buf, 0, length);
	rc = live_send(t, controller, &command, status, err);
	if (rc < 0)
		return rc;
	*got = length < sizeof(page) ? length : sizeof(page);
	memcpy(buf, page, *got);
	return 0;
}

static int live_get_log(struct transport *t, const char *controller,
	const struct log_request *request, void *buf, size_t *got, struct nvme_status *status,
	struct err *err)
{
	_Alignas(CHUNK_BYTES) uint8_t page[CHUNK_BYTES];
	int rc = 0;

	*got = 0;
	memset(status, 0, sizeof(*status));
	memset(buf, 0, request->length);
	while (*got < request->length && rc == 0) {
		const uint32_t left = request->length - (uint32_t)*got;
		const uint32_t size = left < CHUNK_BYTES ? left : CHUNK_BYTES;
		/* a command transfers dwords */
		const uint32_t words = (size + 3) / 4;
		const uint64_t offset = request->offset + *got;
		/* an event must stay until the last part has been read */
		const bool retain = request->retain_event || size < left;
		const struct admin_command command = {
			.opcode = ADMIN_GET_LOG,
			.nsid = request->nsid,
			.cdw10 = request->log_id | (uint32_t)(request->log_specific & 0x7f) << 8 |
				(uint32_t)retain << 15 | ((words - 1) & 0xffff) << 16,
			.cdw11 = (words - 1) >> 16,
			.cdw12 = (uint32_t)offset,
			.cdw13 = (uint32_t)(offset >> 32),
			.data = page,
			.length = words * 4,
		};

		memset(page, 0, sizeof(page));
		rc = live_send(t, controller, &command, status, err);
		if (rc == 0) {
			memcpy((uint8_t *)buf + *got, page, size);
			*got += size;
		}
	}
	/* what was read before a failure is kept, as short data */
	return *got > 0 ? 0 : rc;
}

static int live_reservations(struct transport *t, const char *node, uint32_t nsid, bool extended,
	void *buf, size_t length, size_t *got, struct nvme_status *status, struct err *err)
{
	_Alignas(CHUNK_BYTES) uint8_t page[CHUNK_BYTES] = {0};
	const struct admin_command command = {
		.opcode = IO_RESERVATION_REPORT,
		.nsid = nsid,
		.cdw10 = sizeof(page) / 4 - 1,
		.cdw11 = extended,
		.data = page,
		.length = sizeof(page),
	};
	int rc;

	*got = 0;
	memset(status, 0, sizeof(*status));
	memset(buf, 0, length);
	rc = live_send_to(t, node, &command, true, status, err);
	if (rc < 0)
		return rc;
	*got = length < sizeof(page) ? length : sizeof(page);
	memcpy(buf, page, *got);
	return 0;
}

static void live_environment(struct transport *t, const char *controller, struct environment *out)
{
	const struct live_transport *live = (const struct live_transport *)t;

	environment_read(live->sysfs_root, controller, out);
}

static void live_destroy(struct transport *t)
{
	free((struct live_transport *)t);
}

static const struct transport_ops live_ops = {
	.name = "libnvme",
	.live = true,
	.list = live_list,
	.identify = live_identify,
	.get_log = live_get_log,
	.reservations = live_reservations,
	.environment = live_environment,
	.destroy = live_destroy,
};

int transport_libnvme_create(
	const char *sysfs_root, const char *dev_root, struct transport **out, struct err *err)
{
	struct live_transport *live = mem_alloc(sizeof(*live));

	*out = NULL;
	live->base.ops = &live_ops;
	if (str_copy(live->sysfs_root, sizeof(live->sysfs_root), sysfs_root) >=
			sizeof(live->sysfs_root) ||
		str_copy(live->dev_root, sizeof(live->dev_root), dev_root) >=
			sizeof(live->dev_root)) {
		free(live);
		return err_set(err, -ENAMETOOLONG, "the folder's name is too long");
	}
	*out = &live->base;
	return 0;
}
