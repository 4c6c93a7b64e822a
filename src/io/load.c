/* Checks of a load against a target. */
#include "io/load.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

#include "base/err.h"
#include "io/target.h"

#define OUTSTANDING_MAX 65535
#define RATE_MAX 1e9
/* Shares are typed as percentages; their sums may be off by rounding. */
#define SHARE_SLACK 1e-6

static uint32_t mix_max(const struct io_mix *mix)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < mix->count && i < IO_MIX_MAX; i++)
		if (mix->size[i].share > 0 && mix->size[i].bytes > most)
			most = mix->size[i].bytes;
	return most;
}

bool io_load_reads(const struct io_load *load)
{
	for (uint32_t s = 0; s < load->stream_count; s++)
		if (load->streams[s].share > 0 && load->streams[s].read_share > 0)
			return true;
	return false;
}

bool io_load_writes(const struct io_load *load)
{
	for (uint32_t s = 0; s < load->stream_count; s++)
		if (load->streams[s].share > 0 && load->streams[s].read_share < 1)
			return true;
	return false;
}

uint32_t io_load_max_block(const struct io_load *load)
{
	uint32_t most = 0;

	for (uint32_t s = 0; s < load->stream_count && s < IO_STREAM_MAX; s++) {
		const struct io_stream *stream = &load->streams[s];
		const uint32_t reads = stream->read_share > 0 ? mix_max(&stream->read_mix) : 0;
		const uint32_t writes = stream->read_share < 1 ? mix_max(&stream->write_mix) : 0;

		most = reads > most ? reads : most;
		most = writes > most ? writes : most;
	}
	return most;
}

/* Also false for NaN. */
static bool is_share(double value)
{
	return value >= 0 && value <= 1 + SHARE_SLACK;
}

static int check_mix(
	const struct io_mix *mix, const char *what, const struct io_target *target, struct err *err)
{
	double sum = 0;

	if (!mix->count || mix->count > IO_MIX_MAX)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"the %s mix has %u block sizes; 1 to %d are possible", what, mix->count,
			IO_MIX_MAX);
	for (uint32_t i = 0; i < mix->count; i++) {
		const uint32_t bytes = mix->size[i].bytes;

		if (!is_share(mix->size[i].share))
			return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
				"the %s mix has a share outside 0 to 100 %%", what);
		sum += mix->size[i].share;
		if (!bytes || bytes % target->lba_bytes)
			return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
				"%s: a block of %u bytes is not a multiple of the block size of "
				"this target; the smallest is %u bytes",
				target->name, bytes, target->lba_bytes);
		if (bytes > target->length)
			return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
				"%s: a block of %u bytes is larger than the area of %" PRIu64
				" bytes",
				target->name, bytes, target->length);
	}
	if (fabs(sum - 1) > SHARE_SLACK)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"the shares of the %s mix add up to %g %%, not 100 %%", what, sum * 100);
	return 0;
}

static int check_regions(const struct io_stream *stream, struct err *err)
{
	double reads = 0, writes = 0;

	if (stream->region_count > IO_REGION_MAX)
		return err_set_exit(
			err, ERR_EXIT_USAGE, -EINVAL, "more than %d regions", IO_REGION_MAX);
	for (uint32_t i = 0; i < stream->region_count; i++) {
		const struct io_region *region = &stream->regions[i];

		if (!is_share(region->start) || !(region->length > 0) ||
			!is_share(region->start + region->length))
			return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
				"region %u does not lie within the area", i + 1);
		if (!is_share(region->read_share) || !is_share(region->write_share))
			return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
				"region %u has a share outside 0 to 100 %%", i + 1);
		reads += region->read_share;
		writes += region->write_share;
	}
	if (reads > 1 + SHARE_SLACK || writes > 1 + SHARE_SLACK)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"the shares of the regions add up to more than 100 %%");
	return 0;
}

static int check_stream(
	const struct io_stream *stream, const struct io_target *target, struct err *err)
{
	int rc;

	if (!is_share(stream->share) || !is_share(stream->read_share) ||
		!is_share(stream->random_share))
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"a share of the load lies outside 0 to 100 %%");
	if (stream->read_share > 0) {
		rc = check_mix(&stream->read_mix, "read", target, err);
		if (rc)
			return rc;
	}
	if (stream->read_share < 1) {
		rc = check_mix(&stream->write_mix, "write", target, err);
		if (rc)
			return rc;
	}
	return check_regions(stream, err);
}

int io_load_check_numbers(
	const struct io_load *load, const struct io_target *target, struct err *err)
{
	double sum = 0;

	if (!load->stream_count || load->stream_count > IO_STREAM_MAX)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"the load has %u streams; 1 to %d are possible", load->stream_count,
			IO_STREAM_MAX);
	if (!load->outstanding || load->outstanding > OUTSTANDING_MAX)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"%u outstanding is not possible; choose 1 to %d", load->outstanding,
			OUTSTANDING_MAX);
	if (!(load->rate_iops >= 0 && load->rate_iops <= RATE_MAX))
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"a rate of %g per second is not possible; choose 0 (as fast as it goes) to "
			"%g",
			load->rate_iops, RATE_MAX);
	for (uint32_t s = 0; s < load->stream_count; s++) {
		const int rc = check_stream(&load->streams[s], target, err);

		if (rc)
			return rc;
		sum += load->streams[s].share;
	}
	if (fabs(sum - 1) > SHARE_SLACK)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"the shares of the streams add up to %g %%, not 100 %%", sum * 100);
	return 0;
}

int io_load_check(const struct io_load *load, const struct io_target *target, struct err *err)
{
	const int rc = io_load_check_numbers(load, target, err);

	if (!rc && io_load_writes(load) && !target->permit)
		return err_set_exit(err, ERR_EXIT_REFUSED, -EPERM,
			"%s: this load writes, and nothing permits writing to this target",
			target->name);
	return rc;
}
