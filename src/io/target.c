/* Checks of a target's numbers before anything is opened or submitted. */
#include "io/target.h"

#include <errno.h>
#include <inttypes.h>

int io_target_check(const struct io_target *target, struct err *err)
{
	const uint32_t lba = target->lba_bytes;

	if (!lba || (target->buffer_alignment & (target->buffer_alignment - 1)))
		return err_set(err, -EINVAL,
			"%s: block size %u and buffer alignment %u are not usable", target->name,
			lba, target->buffer_alignment);
	if (!target->size_bytes)
		return err_set_exit(
			err, ERR_EXIT_USAGE, -EINVAL, "%s: is empty (0 bytes)", target->name);
	if (!target->length)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"%s: the area to test is empty; choose a larger one", target->name);
	if (target->offset > target->size_bytes ||
		target->length > target->size_bytes - target->offset)
		return err_set_exit(err, ERR_EXIT_USAGE, -ERANGE,
			"%s: the area of %" PRIu64 " bytes at offset %" PRIu64
			" ends past the end (%" PRIu64 " bytes)",
			target->name, target->length, target->offset, target->size_bytes);
	if (target->offset % lba || target->length % lba)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"%s: offset %" PRIu64 " and length %" PRIu64
			" of the area must be multiples of the block size, %u bytes",
			target->name, target->offset, target->length, lba);
	return 0;
}
