/* Workload files to validated structures. */
#include "sweep/workload.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/str.h"
#include "base/units.h"
#include "conf/assets.h"
#include "sweep/workload_parse.h"

#define WORKLOAD_FOLDER "workloads"
#define WORKLOAD_FILE_MAX ((size_t)64 << 10)
#define WORKLOADS_MAX 512

/* The order of METHODS 3, in which lists show them. */
static const char *const known_order[] = {"rand-read-4k", "rand-write-4k", "seq-read-16k",
	"seq-write-16k", "seq-read-64k", "seq-write-64k", "mix-4k-70r", "mix-8k-70r", "mix-16k-70r",
	"sql", "sql-90-10", "sql-80-20", "oracle", "oracle-90-10", "oracle-80-20", "vdi-fc-boot",
	"vdi-fc-initial-login", "vdi-fc-monday-login", "vdi-lc-boot", "vdi-lc-initial-login",
	"vdi-lc-monday-login", "fleet-sql", "fleet-oracle", "fleet-vdi"};
#define KNOWN_COUNT (sizeof(known_order) / sizeof(known_order[0]))

void workload_free(struct workload *workload)
{
	if (!workload)
		return;
	free(workload->text);
	free(workload);
}

static double mix_mean(const struct io_mix *mix)
{
	double mean = 0;

	for (uint32_t i = 0; i < mix->count; i++)
		mean += mix->size[i].share * mix->size[i].bytes;
	return mean;
}

/* Figures over all streams. */
static void summarise(struct workload *w)
{
	double mean = 0;

	w->read_share = w->random_share = 0;
	for (uint32_t i = 0; i < w->stream_count; i++) {
		const struct io_stream *s = &w->streams[i];

		w->read_share += s->share * s->read_share;
		w->random_share += s->share * s->random_share;
		mean += s->share *
			(s->read_share * mix_mean(&s->read_mix) +
				(1 - s->read_share) * mix_mean(&s->write_mix));
	}
	w->mean_block_bytes = (uint64_t)llround(mean);
	/* Sums of shares may miss 1 by a rounding; a stream that writes is what counts. */
	w->writes = false;
	for (uint32_t i = 0; i < w->stream_count; i++)
		if (w->streams[i].share > 0 && w->streams[i].read_share < 1)
			w->writes = true;
	if (!w->writes)
		w->read_share = 1;
}

static int build(const char *name, const char *origin, char *text, size_t length,
	struct workload **out, struct err *err)
{
	struct workload *w = mem_alloc(sizeof(*w));
	struct ini *ini = NULL;
	int rc;

	str_copy(w->name, sizeof(w->name), name);
	str_copy(w->origin, sizeof(w->origin), origin);
	w->text = text;
	rc = ini_parse(origin, text, length, &ini, err);
	if (!rc)
		rc = workload_parse(ini, w, err);
	ini_free(ini);
	if (rc) {
		workload_free(w);
		return rc;
	}
	summarise(w);
	*out = w;
	return 0;
}

int workload_from_text(const char *name, const char *origin, const char *text,
	struct workload **out, struct err *err)
{
	return build(name, origin, mem_strdup(text), strlen(text), out, err);
}

static int load_path(const char *path, struct workload **out, struct err *err)
{
	const char *base = strrchr(path, '/');
	char name[48], *text;
	size_t length;
	int rc = file_read(path, WORKLOAD_FILE_MAX, &text, &length, err);

	if (rc) {
		if (err)
			err->exit = ERR_EXIT_USAGE;
		return rc;
	}
	str_sanitize_utf8(name, sizeof(name), base ? base + 1 : path);
	if (str_ends_with(name, ".ini"))
		name[strlen(name) - 4] = '\0';
	return build(name, path, text, length, out, err);
}

static int unknown_name(const char *name, struct err *err)
{
	struct asset_list list = {0};
	const char *nearest = NULL, **names;
	int rc;

	if (assets_list(WORKLOAD_FOLDER, &list, NULL))
		list.count = 0;
	names = mem_alloc((list.count + 1) * sizeof(*names));
	for (size_t i = 0; i < list.count; i++)
		names[i] = list.names[i];
	nearest = str_nearest(name, names, list.count);
	if (nearest)
		rc = err_set_exit(err, ERR_EXIT_USAGE, -ENOENT,
			"unknown workload \"%s\": the nearest is %s", name, nearest);
	else
		rc = err_set_exit(err, ERR_EXIT_USAGE, -ENOENT,
			"unknown workload \"%s\": nvsweep workloads lists them", name);
	free(names);
	asset_list_free(&list);
	return rc;
}

int workload_load(const char *name, struct workload **out, struct err *err)
{
	char asset[128], origin[256], *text;
	size_t length;
	int rc;

	*out = NULL;
	if (strchr(name, '/') || str_ends_with(name, ".ini"))
		return load_path(name, out, err);
	if (!name[0])
		return unknown_name(name, err);
	if (str_format(asset, sizeof(asset), WORKLOAD_FOLDER "/%s.ini", name) + 1 >= sizeof(asset))
		return unknown_name(name, err);
	rc = assets_read(asset, &text, &length, origin, sizeof(origin), err);
	if (rc == -ENOENT || rc == -EINVAL)
		return unknown_name(name, err);
	if (rc)
		return rc;
	return build(name, origin, text, length, out, err);
}

static size_t rank(const char *name)
{
	for (size_t i = 0; i < KNOWN_COUNT; i++)
		if (!strcmp(name, known_order[i]))
			return i;
	return KNOWN_COUNT;
}

static int by_rank(const void *a, const void *b)
{
	const struct workload *x = *(const struct workload *const *)a;
	const struct workload *y = *(const struct workload *const *)b;
	const size_t rx = rank(x->name), ry = rank(y->name);

	if (rx != ry)
		return rx < ry ? -1 : 1;
	return str_compare_natural(x->name, y->name);
}

int workload_list(struct workload ***out, size_t *count, char **faults, struct err *err)
{
	struct asset_list names = {0};
	struct strbuf lines = {0};
	struct workload **list;
	int rc;

	*out = NULL;
	*count = 0;
	if (faults)
		*faults = NULL;
	rc = assets_list(WORKLOAD_FOLDER, &names, err);
	if (rc)
		return rc;
	list = mem_alloc((names.count + 1) * sizeof(*list));
	for (size_t i = 0; i < names.count && i < WORKLOADS_MAX; i++) {
		struct err fault;

		err_clear(&fault);
		if (!workload_load(names.names[i], &list[*count], &fault))
			(*count)++;
		else
			strbuf_addf(&lines, "%s\n", fault.text);
	}
	asset_list_free(&names);
	qsort(list, *count, sizeof(*list), by_rank);
	if (faults && lines.length)
		*faults = lines.text;
	else
		strbuf_free(&lines);
	*out = list;
	return 0;
}

void workload_list_free(struct workload **list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		workload_free(list[i]);
	free(list);
}

/* "4 KiB", or "mixed (26 KiB on average)". */
static void block_text(const struct workload *w, char *buf, size_t size)
{
	uint32_t only = 0;
	bool mixed = false;
	char mean[32];

	for (uint32_t s = 0; s < w->stream_count; s++)
		for (int direction = 0; direction < 2; direction++) {
			const struct io_mix *mix =
				direction ? &w->streams[s].write_mix : &w->streams[s].read_mix;

			if (direction ? w->streams[s].read_share >= 1
				      : w->streams[s].read_share <= 0)
				continue;
			for (uint32_t i = 0; i < mix->count; i++) {
				mixed = mixed || (only && mix->size[i].bytes != only);
				only = mix->size[i].bytes;
			}
		}
	if (mixed) {
		units_bytes_iec(mean, sizeof(mean), w->mean_block_bytes);
		str_format(buf, size, "mixed blocks, %s on average", mean);
	} else {
		units_block_size(buf, size, only);
	}
}

void workload_summary(const struct workload *w, char *buf, size_t size)
{
	char block[64], direction[32], order[32];

	block_text(w, block, sizeof(block));
	if (w->read_share >= 1)
		str_copy(direction, sizeof(direction), "read");
	else if (w->read_share <= 0)
		str_copy(direction, sizeof(direction), "write");
	else
		str_format(direction, sizeof(direction), "%.3g %% read", w->read_share * 100);
	if (w->random_share >= 1 - 1e-9)
		str_copy(order, sizeof(order), "random");
	else if (w->random_share <= 0)
		str_copy(order, sizeof(order), "sequential");
	else
		str_format(order, sizeof(order), "%.3g %% random", w->random_share * 100);
	str_format(
		buf, size, "%s, %s, %s, %u outstanding", block, direction, order, w->outstanding);
}
