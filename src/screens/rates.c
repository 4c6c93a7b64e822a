/* Recent I/O rates per device. */
#include "screens/rates.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "screens/format.h"

static void push(struct rates_line *line, double value)
{
	if (line->count == RATES_KEPT) {
		memmove(line->bytes_s, line->bytes_s + 1,
			(RATES_KEPT - 1) * sizeof(line->bytes_s[0]));
		line->count--;
	}
	line->bytes_s[line->count++] = value;
}

static void take_one(struct rates_line *line, const struct rates_line *before, const char *name,
	const struct iostat_rates *now, uint64_t period_ns, uint64_t now_ns)
{
	const double value = now->read_bytes_s + now->write_bytes_s;

	if (before)
		*line = *before;
	else
		memset(line, 0, sizeof(*line));
	str_copy(line->name, sizeof(line->name), name);
	if (!now->known)
		return;
	if (!line->count) {
		push(line, value);
		line->last_ns = now_ns;
		return;
	}
	const uint64_t gap = now_ns - line->last_ns;
	/* Another page was answered in between: the same period still. */
	if (gap < period_ns / 2) {
		line->bytes_s[line->count - 1] = value;
		return;
	}
	/* No snapshot came because nothing changed: the rate stayed what it was. */
	uint64_t missed = (gap + period_ns / 2) / period_ns;
	const double last = line->bytes_s[line->count - 1];
	for (uint64_t i = 1; i < missed && i < RATES_KEPT; i++)
		push(line, last);
	push(line, value);
	line->last_ns = now_ns;
}

void rates_take(
	struct rates *rates, const struct inventory *inventory, uint64_t period_ns, uint64_t now_ns)
{
	const size_t room = inventory->namespace_count + inventory->block_device_count;
	struct rates_line *lines = mem_alloc((room ? room : 1) * sizeof(*lines));
	size_t count = 0;

	if (!period_ns)
		period_ns = 1000000000u;
	for (size_t i = 0; i < inventory->namespace_count; i++) {
		const struct inventory_namespace *ns = &inventory->namespaces[i];

		if (ns->topo.name[0])
			take_one(&lines[count++], rates_of(rates, ns->topo.name), ns->topo.name,
				&ns->rates, period_ns, now_ns);
	}
	for (size_t i = 0; i < inventory->block_device_count; i++) {
		const struct inventory_block_device *disk = &inventory->block_devices[i];

		take_one(&lines[count++], rates_of(rates, disk->geometry.name), disk->geometry.name,
			&disk->rates, period_ns, now_ns);
	}
	free(rates->lines);
	rates->lines = lines;
	rates->count = count;
}

const struct rates_line *rates_of(const struct rates *rates, const char *name)
{
	for (size_t i = 0; i < rates->count; i++)
		if (!strcmp(rates->lines[i].name, name))
			return &rates->lines[i];
	return NULL;
}

void rates_text(const struct rates *rates, const char *name, int width, char *buf, size_t size)
{
	const struct rates_line *line = rates_of(rates, name);
	double max = 0;

	str_copy(buf, size, "");
	if (!line || width < 1)
		return;
	const size_t shown = line->count < (size_t)width ? line->count : (size_t)width;
	for (size_t i = line->count - shown; i < line->count; i++)
		if (line->bytes_s[i] > max)
			max = line->bytes_s[i];
	if (max > 0)
		format_sparkline(buf, size, line->bytes_s, line->count, width, max);
}

void rates_free(struct rates *rates)
{
	free(rates->lines);
	memset(rates, 0, sizeof(*rates));
}
