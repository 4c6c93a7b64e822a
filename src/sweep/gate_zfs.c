/* ZFS labels of 256 KiB (OpenZFS on-disk format): 16 KiB in, a name-value list that names the pool;
 * 128 KiB in, a ring of uberblocks. One uberblock or one list is enough, on a device of any size: libblkid
 * wants several, on one of 64 MiB at least. */
#include "sweep/gate_zfs.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"

#define LABEL_BYTES ((uint64_t)256 << 10)
#define LIST_OFFSET ((size_t)16 << 10)
#define LIST_BYTES ((size_t)112 << 10)
#define RING_OFFSET ((size_t)128 << 10)
/* uberblocks are at least so large, and aligned to their size */
#define SLOT_BYTES ((size_t)1024)
#define TYPE_STRING 9

static bool is_uberblock(const uint8_t *at)
{
	static const uint8_t little[8] = {0x0c, 0xb1, 0xba, 0x00},
			     big[8] = {0, 0, 0, 0, 0x00, 0xba, 0xb1, 0x0c};

	return !memcmp(at, little, sizeof(little)) || !memcmp(at, big, sizeof(big));
}

/* XDR-coded list: 1, endian, 0, 0; somewhere in it a pair of this name. */
static bool is_list(const uint8_t *at)
{
	return at[0] == 1 && at[1] <= 1 && !at[2] && !at[3] &&
		memmem(at, LIST_BYTES, "pool_guid", 9) != NULL;
}

static uint32_t be32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* The pair "name" of the list: the pool's. Pairs in XDR: coded size, decoded size, length of the name,
 * the name padded to 4, type, count; a string is its length and its bytes. Sizes are not believed. */
static void find_name(const uint8_t *list, char pool[GATE_ZFS_POOL_BYTES])
{
	/* behind the coding, version and flags */
	size_t at = 12;

	while (at + 12 <= LIST_BYTES) {
		const uint32_t size = be32(list + at), length = be32(list + at + 8);
		const size_t value = at + 12 + ((size_t)length + 3) / 4 * 4;

		if (size < 12 || size > LIST_BYTES - at || length > 256)
			return;
		if (length == 4 && !memcmp(list + at + 12, "name", 4) && value + 12 <= LIST_BYTES &&
			be32(list + value) == TYPE_STRING) {
			const uint32_t bytes = be32(list + value + 8);

			if (bytes <= LIST_BYTES - value - 12 && bytes < GATE_ZFS_POOL_BYTES)
				str_sanitize(pool, GATE_ZFS_POOL_BYTES, list + value + 12, bytes);
			return;
		}
		at += size;
	}
}

static bool is_label(const uint8_t *label, char pool[GATE_ZFS_POOL_BYTES])
{
	if (is_list(label + LIST_OFFSET)) {
		if (!pool[0])
			find_name(label + LIST_OFFSET, pool);
		return true;
	}
	for (size_t at = RING_OFFSET; at < LABEL_BYTES; at += SLOT_BYTES)
		if (is_uberblock(label + at))
			return true;
	return false;
}

static int read_all(int fd, uint8_t *buf, uint64_t offset)
{
	size_t done = 0;

	while (done < LABEL_BYTES) {
		const ssize_t n = pread(fd, buf + done, LABEL_BYTES - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		done += (size_t)n;
	}
	return 0;
}

int gate_zfs_find(int fd, uint64_t start, uint64_t size, char pool[GATE_ZFS_POOL_BYTES])
{
	/* labels lie at multiples of their size; what is left over at the end is not used */
	const uint64_t whole = size - size % LABEL_BYTES;
	uint8_t *label;
	bool found = false;
	int rc = 0;

	pool[0] = '\0';
	if (whole < 4 * LABEL_BYTES)
		return 0;
	label = malloc(LABEL_BYTES);
	if (!label)
		return -ENOMEM;
	const uint64_t places[] = {0, LABEL_BYTES, whole - 2 * LABEL_BYTES, whole - LABEL_BYTES};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && !rc; i++) {
		rc = read_all(fd, label, start + places[i]);
		if (!rc && is_label(label, pool))
			found = true;
	}
	free(label);
	return rc ? rc : found;
}
