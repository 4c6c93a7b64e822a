/* Access patterns: tables per phase, one to four draws per I/O. */
#include "io/pattern.h"

#include <math.h>
#include <string.h>

#define ONE (UINT64_C(1) << 32)
#define CHOICE_ONE (INT64_C(1) << 52)

static uint64_t threshold(double share)
{
	if (!(share > 0))
		return 0;
	return share >= 1 ? ONE : (uint64_t)(share * (double)ONE + 0.5);
}

static void choice_init(struct io_pattern_choice *choice, double share)
{
	choice->share = llrint(fmin(fmax(share, 0), 1) * (double)CHOICE_ONE);
	choice->owed = 0;
}

static void choice_renew(struct io_pattern_choice *choice, const struct io_pattern_choice *before)
{
	if (before->share == choice->share)
		choice->owed = before->owed;
}

/* draw: 32 random bits. Owed 1 or more is always yes, 0 or less never: the sum stays bounded. */
static inline bool choose(struct io_pattern_choice *choice, uint64_t draw)
{
	const int64_t owed = choice->owed + choice->share;
	const bool yes = (int64_t)(draw << 20) < owed;

	choice->owed = owed - (yes ? CHOICE_ONE : 0);
	return yes;
}

/* Random offsets are multiples of the block's own size when that is a power of two, else of the
 * largest power of two in it (28 KiB: 4 KiB), but at least of the target's block. */
static uint64_t step_of(uint32_t bytes, uint32_t lba)
{
	const uint64_t power = bytes & -bytes;

	return power % lba ? lba : power;
}

uint64_t io_pattern_split(uint64_t length, uint64_t unit, uint32_t share, uint32_t shares)
{
	if (share >= shares)
		return length;
	return (uint64_t)((unsigned __int128)(length / unit) * share / shares) * unit;
}

/* Vose's alias tables: column i keeps its own size below keep_below[i], else gives alias[i]. */
static void make_alias(struct io_pattern_direction *direction, const struct io_mix *mix)
{
	double scaled[IO_MIX_MAX], sum = 0;
	uint32_t small[IO_MIX_MAX], large[IO_MIX_MAX], smalls = 0, larges = 0;
	const uint32_t count = direction->count;

	for (uint32_t i = 0; i < count; i++)
		sum += mix->size[i].share;
	for (uint32_t i = 0; i < count; i++) {
		scaled[i] = mix->size[i].share / sum * count;
		direction->keep_below[i] = ONE;
		direction->alias[i] = i;
		if (scaled[i] < 1)
			small[smalls++] = i;
		else
			large[larges++] = i;
	}
	while (smalls && larges) {
		const uint32_t less = small[--smalls], more = large[larges - 1];

		direction->keep_below[less] = threshold(scaled[less]);
		direction->alias[less] = more;
		scaled[more] -= 1 - scaled[less];
		if (scaled[more] < 1) {
			larges--;
			small[smalls++] = more;
		}
	}
}

static void make_direction(struct io_pattern_stream *stream, const struct io_stream *from,
	const struct io_mix *mix, bool write, const struct io_target *target,
	const uint64_t *lengths)
{
	struct io_pattern_direction *direction = &stream->direction[write];
	double share = 0;

	direction->count = mix->count;
	if (!mix->count)
		return;
	for (uint32_t i = 0; i < mix->count; i++) {
		const uint32_t bytes = mix->size[i].bytes;

		direction->bytes[i] = bytes;
		direction->step[i] = step_of(bytes, target->lba_bytes);
		for (uint32_t p = 0; p < stream->place_count; p++)
			direction->positions[p][i] = lengths[p] < bytes
				? 0
				: (lengths[p] - bytes) / direction->step[i] + 1;
	}
	make_alias(direction, mix);
	for (uint32_t p = 1; p < stream->place_count; p++) {
		const struct io_region *region = &from->regions[p - 1];

		share += write ? region->write_share : region->read_share;
		direction->place_below[p] = threshold(share);
	}
}

/* Largest step of the stream's blocks: parts and regions begin at multiples of it. */
static uint64_t unit_of(const struct io_stream *stream, uint32_t lba)
{
	uint64_t unit = lba;

	for (uint32_t i = 0; i < stream->read_mix.count && stream->read_share > 0; i++)
		if (step_of(stream->read_mix.size[i].bytes, lba) > unit)
			unit = step_of(stream->read_mix.size[i].bytes, lba);
	for (uint32_t i = 0; i < stream->write_mix.count && stream->read_share < 1; i++)
		if (step_of(stream->write_mix.size[i].bytes, lba) > unit)
			unit = step_of(stream->write_mix.size[i].bytes, lba);
	return unit;
}

static void make_stream(struct io_pattern_stream *stream, const struct io_stream *from,
	const struct io_target *target, uint32_t share, uint32_t shares)
{
	static const struct io_mix nothing;
	const uint64_t unit = unit_of(from, target->lba_bytes);
	uint64_t lengths[IO_PLACE_MAX];

	choice_init(&stream->write, 1 - from->read_share);
	stream->random_below = threshold(from->random_share);
	stream->place_count = from->region_count + 1;
	for (uint32_t p = 0; p < stream->place_count; p++) {
		uint64_t begin = 0, length = target->length;

		if (p) {
			const struct io_region *region = &from->regions[p - 1];

			begin = (uint64_t)(region->start * (double)length) / unit * unit;
			if (begin > length)
				begin = length;
			const uint64_t wanted =
				(uint64_t)(region->length * (double)length) / unit * unit;
			length = wanted < length - begin ? wanted : length - begin;
		}
		lengths[p] = length;
		stream->place[p].start = target->offset + begin;
		stream->place[p].first =
			stream->place[p].start + io_pattern_split(length, unit, share, shares);
		stream->place[p].end =
			stream->place[p].start + io_pattern_split(length, unit, share + 1, shares);
		stream->place[p].cursor = stream->place[p].first;
	}
	make_direction(stream, from, from->read_share > 0 ? &from->read_mix : &nothing, false,
		target, lengths);
	make_direction(stream, from, from->read_share < 1 ? &from->write_mix : &nothing, true,
		target, lengths);
}

void io_pattern_init(struct io_pattern *pattern, const struct io_load *load,
	const struct io_target *target, uint64_t seed, uint32_t share, uint32_t shares)
{
	double left = 1;

	memset(pattern, 0, sizeof(*pattern));
	rng_seed(&pattern->rng, seed, share + 1);
	pattern->stream_count = load->stream_count;
	for (uint32_t s = 0; s < load->stream_count; s++) {
		const bool last = s + 1 == load->stream_count;

		make_stream(&pattern->streams[s], &load->streams[s], target, share, shares);
		choice_init(&pattern->streams[s].taken,
			last || !(left > 0) ? 1 : load->streams[s].share / left);
		left -= load->streams[s].share;
	}
	const struct io_pattern_stream *only = &pattern->streams[0];

	pattern->simple = load->stream_count == 1 && !only->write.share &&
		only->random_below == ONE && only->place_count == 1 &&
		only->direction[0].count == 1;
	pattern->simple_bytes = only->direction[0].bytes[0];
	pattern->simple_positions = only->direction[0].positions[0][0];
	pattern->simple_step = only->direction[0].step[0];
	pattern->simple_start = only->place[0].start;
}

void io_pattern_renew(struct io_pattern *pattern, const struct io_load *load,
	const struct io_target *target, uint64_t seed, uint32_t share, uint32_t shares)
{
	struct io_pattern_choice taken[IO_STREAM_MAX], write[IO_STREAM_MAX];
	const uint32_t before = pattern->stream_count;

	for (uint32_t s = 0; s < before; s++) {
		taken[s] = pattern->streams[s].taken;
		write[s] = pattern->streams[s].write;
	}
	io_pattern_init(pattern, load, target, seed, share, shares);
	for (uint32_t s = 0; s < before && before == pattern->stream_count; s++) {
		choice_renew(&pattern->streams[s].taken, &taken[s]);
		choice_renew(&pattern->streams[s].write, &write[s]);
	}
}

uint64_t io_pattern_cover(struct io_pattern *pattern)
{
	struct io_pattern_stream *only = &pattern->streams[0];

	only->cover = true;
	return only->place[0].end - only->place[0].first;
}

/* Sequential: goes on where the last one of this place ended; wraps at the end of this worker's
 * part, or of the whole place when a block does not fit into the part. */
static uint64_t next_sequential(
	struct io_pattern_stream *stream, uint32_t p, uint32_t bytes, uint64_t place_end)
{
	if (stream->place[p].cursor > stream->place[p].end ||
		bytes > stream->place[p].end - stream->place[p].cursor)
		stream->place[p].cursor = stream->place[p].first;
	uint64_t offset = stream->place[p].cursor;

	if (bytes > place_end - offset)
		offset = stream->place[p].start;
	stream->place[p].cursor = offset + bytes;
	return offset;
}

/* Never past the part's end; the caller knows when all is done. */
static void next_covered(struct io_pattern_stream *stream, struct io_access *out)
{
	const uint64_t left = stream->place[0].end - stream->place[0].cursor;

	if (out->length > left)
		out->length = (uint32_t)left;
	out->offset = stream->place[0].cursor;
	stream->place[0].cursor += out->length;
}

void io_pattern_draw(struct io_pattern *pattern, struct io_access *out)
{
	struct io_pattern_stream *stream = pattern->streams;
	const uint64_t first = rng_next(&pattern->rng), second = rng_next(&pattern->rng);
	const uint64_t third = rng_next(&pattern->rng);

	if (pattern->stream_count > 1)
		for (uint64_t draw = first >> 32; !choose(&stream->taken, draw); stream++)
			draw = rng_next(&pattern->rng) >> 32;
	out->write = choose(&stream->write, first & (ONE - 1));
	const struct io_pattern_direction *direction = &stream->direction[out->write];

	uint32_t size = (uint32_t)(((second >> 32) * direction->count) >> 32);
	if ((second & (ONE - 1)) >= direction->keep_below[size])
		size = direction->alias[size];
	out->length = direction->bytes[size];

	uint32_t p = stream->place_count - 1;
	/* place_below grows; the first place above the draw is meant, none: anywhere. */
	if (p) {
		const uint64_t draw = third >> 32;

		for (p = 1; p < stream->place_count && draw >= direction->place_below[p]; p++)
			;
		if (p == stream->place_count || !direction->positions[p][size])
			p = 0;
	}
	if ((third & (ONE - 1)) < stream->random_below)
		out->offset = stream->place[p].start +
			rng_below(&pattern->rng, direction->positions[p][size]) *
				direction->step[size];
	else if (stream->cover)
		next_covered(stream, out);
	else
		out->offset = next_sequential(stream, p, out->length,
			stream->place[p].start +
				(direction->positions[p][size] - 1) * direction->step[size] +
				out->length);
}
