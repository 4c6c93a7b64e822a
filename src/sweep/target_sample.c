/* Was the area ever written? Extents of files, and the content of 64 blocks. */
#include "sweep/target.h"

#include <errno.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/rng.h"

#define SAMPLES 64
#define SAMPLE_BYTES 4096u
#define EXTENTS 512
#define EXTENT_ROUNDS 20000 /* so many times 512 extents: a bound against endless lists */

static uint64_t overlap_bytes(uint64_t a, uint64_t a_length, uint64_t b, uint64_t b_length)
{
	const uint64_t start = a > b ? a : b;
	const uint64_t a_end = a + a_length, b_end = b + b_length;
	const uint64_t end = a_end < b_end ? a_end : b_end;

	return end > start ? end - start : 0;
}

/* Bytes of the area in extents that hold data. -errno when the file system has no such map. */
static int mapped_bytes(const struct io_target *io, uint64_t *out)
{
	const uint64_t end = io->offset + io->length;
	const size_t size = sizeof(struct fiemap) + EXTENTS * sizeof(struct fiemap_extent);
	struct fiemap *map = mem_alloc(size);
	uint64_t at = io->offset;
	bool last = false;
	int rc = 0;

	*out = 0;
	for (int round = 0; at < end && !last && round < EXTENT_ROUNDS; round++) {
		memset(map, 0, size);
		map->fm_start = at;
		map->fm_length = end - at;
		map->fm_extent_count = EXTENTS;
		if (ioctl(io->fd, FS_IOC_FIEMAP, map)) {
			rc = -errno;
			break;
		}
		if (!map->fm_mapped_extents)
			break;
		for (uint32_t i = 0; i < map->fm_mapped_extents; i++) {
			const struct fiemap_extent *e = &map->fm_extents[i];

			if (!(e->fe_flags & FIEMAP_EXTENT_UNWRITTEN))
				*out += overlap_bytes(
					e->fe_logical, e->fe_length, io->offset, io->length);
			last = last || (e->fe_flags & FIEMAP_EXTENT_LAST);
			if (e->fe_logical + e->fe_length <= at && !last) {
				last = true; /* no progress: a map that is not to be trusted */
				rc = -EIO;
			} else {
				at = e->fe_logical + e->fe_length;
			}
		}
	}
	free(map);
	return rc;
}

/* The same by seeking over holes; does not see extents that are allocated but unwritten. */
static int data_bytes(const struct io_target *io, uint64_t *out)
{
	const off_t end = (off_t)(io->offset + io->length);
	off_t at = (off_t)io->offset;

	*out = 0;
	for (int round = 0; at < end && round < EXTENT_ROUNDS; round++) {
		const off_t data = lseek(io->fd, at, SEEK_DATA);

		if (data < 0)
			return errno == ENXIO ? 0 : -errno;
		if (data >= end)
			return 0;
		off_t hole = lseek(io->fd, data, SEEK_HOLE);

		if (hole < 0)
			return -errno;
		hole = hole < end ? hole : end;
		*out += (uint64_t)(hole - data);
		at = hole;
	}
	return 0;
}

static bool all_zero(const char *bytes, size_t length)
{
	return !bytes[0] && !memcmp(bytes, bytes + 1, length - 1);
}

/* Blocks at random places in 64 equal parts of the area. One that is zero, or like the one
 * before it, tells of a drive or file that answers without reading. */
static bool content_is_dull(
	const struct io_target *io, uint64_t seed, bool (*cancelled)(void *user), void *user)
{
	const uint32_t bytes = io->lba_bytes > SAMPLE_BYTES ? io->lba_bytes : SAMPLE_BYTES;
	const uint64_t blocks = io->length / bytes;
	const unsigned samples = blocks < SAMPLES ? (unsigned)blocks : SAMPLES;
	unsigned dull = 0, read_count = 0;
	char *buf, *before;
	struct rng rng;
	void *memory;

	if (!samples || bytes % io->lba_bytes ||
		posix_memalign(&memory,
			io->buffer_alignment > SAMPLE_BYTES ? io->buffer_alignment : SAMPLE_BYTES,
			2 * (size_t)bytes))
		return false;
	buf = memory;
	before = buf + bytes;
	rng_seed(&rng, seed, 0x5a4d);
	for (unsigned i = 0; i < samples; i++) {
		const uint64_t first = blocks * i / samples, past = blocks * (i + 1) / samples;
		const uint64_t block = first + rng_below(&rng, past - first);

		if (cancelled && cancelled(user))
			break;
		if (pread(io->fd, buf, bytes, (off_t)(io->offset + block * bytes)) !=
			(ssize_t)bytes)
			continue; /* a bad block is found again by the test itself */
		if (all_zero(buf, bytes) || (read_count && !memcmp(buf, before, bytes)))
			dull++;
		memcpy(before, buf, bytes);
		read_count++;
	}
	free(memory);
	return read_count && dull * 2 > read_count;
}

void sweep_target_sample(
	struct sweep_target *target, uint64_t seed, bool (*cancelled)(void *user), void *user)
{
	uint64_t data;

	if (target->info.simulated)
		return;
	if (target->is_file) {
		int rc = mapped_bytes(&target->io, &data);

		if (rc)
			rc = data_bytes(&target->io, &data);
		if (!rc)
			target->written_share = (double)data / (double)target->io.length;
		target->never_written = !rc && target->written_share < 0.5;
	}
	target->mostly_zero = content_is_dull(&target->io, seed, cancelled, user);
	target->sampled = true;
}
