/* Memory that the drive reads into and writes from. */
#include "io/buffers.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/units.h"

#define HUGE_PAGE ((size_t)2 << 20)

int io_buffers_create(struct io_buffers *buffers, uint32_t count, size_t block_bytes,
	size_t alignment, struct err *err)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t memory = (size_t)sysconf(_SC_PHYS_PAGES) * page;
	size_t unit = alignment < 512 ? 512 : alignment, each, total;

	memset(buffers, 0, sizeof(*buffers));
	/* Blocks of a page or more begin at a page: fewer segments for the drive. */
	if (block_bytes >= page && unit < page)
		unit = page;
	if (!count || !block_bytes || __builtin_add_overflow(block_bytes, unit - 1, &each))
		return err_set(err, -EINVAL, "no buffers of %zu bytes can be made", block_bytes);
	each = each / unit * unit;
	if (__builtin_mul_overflow(each, count, &total) || total > memory / 4) {
		char size[32];

		units_block_size(size, sizeof(size), block_bytes);
		return err_set_exit(err, ERR_EXIT_USAGE, -ENOMEM,
			"%u buffers of %s would take more than a quarter of the memory; choose "
			"fewer outstanding or smaller blocks",
			count, size);
	}
	/* Room to begin at a huge page. */
	size_t mapped = (total + page - 1) / page * page;
	if (total >= HUGE_PAGE)
		mapped += HUGE_PAGE;
	if (unit > page)
		mapped += unit;
	unsigned char *memory_at =
		mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory_at == MAP_FAILED)
		return err_set(err, -errno, "no memory for %u buffers of %zu bytes: %s", count,
			each, err_errno_text(-errno));
	/* The mapping is trimmed to the part in use, so base is its beginning again. */
	size_t begin_at = total >= HUGE_PAGE ? HUGE_PAGE : page;
	if (unit > begin_at)
		begin_at = unit;
	const size_t skip = (begin_at - (uintptr_t)memory_at % begin_at) % begin_at;
	const size_t keep = (total + page - 1) / page * page;
	if (skip)
		munmap(memory_at, skip);
	if (mapped > skip + keep)
		munmap(memory_at + skip + keep, mapped - skip - keep);
	buffers->base = memory_at + skip;
	buffers->bytes_each = each;
	buffers->count = count;
	buffers->mapped = keep;
	if (total >= HUGE_PAGE)
		(void)madvise(buffers->base, keep, MADV_HUGEPAGE); /* only a wish */
	return 0;
}

void io_buffers_destroy(struct io_buffers *buffers)
{
	if (buffers->base)
		munmap(buffers->base, buffers->mapped);
	memset(buffers, 0, sizeof(*buffers));
}
