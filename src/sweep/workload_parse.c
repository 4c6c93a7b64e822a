/* The workload file's format:
 *
 *   [workload]  title, help, basis, basis_text, outstanding (1-65535), mix_unknown (yes/no)
 *   [stream], or [stream.1] to [stream.4]:
 *     share_pct     of all I/O; streams sum to 100; may be left out when there is one stream
 *     read_pct, random_pct
 *     read_sizes, write_sizes   "4k/40 8k/12 ...": block size / share, shares sum to 100
 *     region1 to region4        "start=0 length=10 reads=90 writes=0": a part of the area and the
 *                               share of all reads and writes that goes there, in percent
 */
#include "sweep/workload_parse.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"

#define OUTSTANDING_MAX 65535
#define BLOCK_MAX ((uint64_t)64 << 20)
#define SUM_SLACK 0.01 /* percent: sums of decimals as they are typed */

static const char *const workload_keys[] = {
	"title", "help", "basis", "basis_text", "outstanding", "mix_unknown"};
static const char *const stream_keys[] = {"share_pct", "read_pct", "random_pct", "read_sizes",
	"write_sizes", "region1", "region2", "region3", "region4"};
static const char *const section_names[] = {
	"workload", "stream", "stream.1", "stream.2", "stream.3", "stream.4"};
static const char *const region_keys[] = {"start", "length", "reads", "writes"};
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* One section while it is read. */
struct place {
	const struct ini *ini;
	const char *section;
	struct err *err;
};

static int fault(const struct place *at, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int fault(const struct place *at, const char *key, const char *format, ...)
{
	char text[320];
	va_list args;
	int line = key ? ini_line(at->ini, at->section, key) : 0;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!line)
		line = ini_section_line(at->ini, at->section);
	return err_set_exit(at->err, ERR_EXIT_USAGE, -EINVAL, "%s:%d: %s", ini_name(at->ini),
		line > 0 ? line : 1, text);
}

static bool known(const char *word, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(word, words[i]))
			return true;
	return false;
}

static int check_keys(const struct place *at, const char *const *keys, size_t count)
{
	for (size_t i = 0; i < ini_key_count(at->ini, at->section); i++) {
		const char *key = ini_key(at->ini, at->section, i);
		const char *nearest;

		if (known(key, keys, count))
			continue;
		nearest = str_nearest(key, keys, count);
		return fault(at, key, "unknown key \"%s\" in [%s]%s%s", key, at->section,
			nearest ? ": the nearest is " : "", nearest ? nearest : "");
	}
	return 0;
}

static int read_text(const struct place *at, const char *key, char *buf, size_t size)
{
	const char *value = ini_get(at->ini, at->section, key);

	if (!value)
		return 0;
	if (strlen(value) >= size)
		return fault(at, key, "%s is longer than %zu bytes", key, size - 1);
	str_sanitize_utf8(buf, size, value);
	return 0;
}

/* A percentage to a share; missing: `missing` (negative: it is required). */
static int read_percent(const struct place *at, const char *key, double missing, double *out)
{
	const char *value = ini_get(at->ini, at->section, key);
	double percent;

	if (!value && missing < 0)
		return fault(at, NULL, "[%s] has no %s", at->section, key);
	if (!value) {
		*out = missing;
		return 0;
	}
	if (units_parse_double(value, &percent, NULL) || !(percent >= 0 && percent <= 100))
		return fault(at, key, "%s = %s is not a percentage from 0 to 100", key, value);
	*out = percent / 100;
	return 0;
}

/* One "8k/12.5" of a list. */
static int read_pair(
	const struct place *at, const char *key, char *word, uint32_t *bytes, double *percent)
{
	char *slash = strchr(word, '/');
	uint64_t size;

	if (!slash)
		return fault(at, key, "%s: \"%s\" is not SIZE/PERCENT such as 4k/40", key, word);
	*slash = '\0';
	if (units_parse_size(word, &size, NULL) || !size || size > BLOCK_MAX)
		return fault(at, key, "%s: \"%s\" is not a block size such as 4k, at most 64M", key,
			word);
	if (units_parse_double(slash + 1, percent, NULL) || !(*percent > 0 && *percent <= 100))
		return fault(at, key, "%s: \"%s\" is not a share in percent", key, slash + 1);
	*bytes = (uint32_t)size;
	return 0;
}

static int read_mix(const struct place *at, const char *key, bool needed, struct io_mix *out)
{
	const char *value = ini_get(at->ini, at->section, key);
	char *copy, *word, *rest = NULL;
	double sum = 0;
	int rc = 0;

	out->count = 0;
	if (!value)
		return needed ? fault(at, NULL, "[%s] has no %s", at->section, key) : 0;
	copy = mem_strdup(value);
	for (word = strtok_r(copy, " \t,", &rest); word && !rc;
		word = strtok_r(NULL, " \t,", &rest)) {
		double percent = 0;

		if (out->count == IO_MIX_MAX) {
			rc = fault(at, key, "%s: more than %d block sizes", key, IO_MIX_MAX);
			break;
		}
		rc = read_pair(at, key, word, &out->size[out->count].bytes, &percent);
		out->size[out->count++].share = percent / 100;
		sum += percent;
	}
	free(copy);
	if (!rc && fabs(sum - 100) > SUM_SLACK)
		rc = fault(at, key, "the shares of %s add up to %.10g, not to 100", key, sum);
	/* What is left of typing decimals is evened out. */
	for (uint32_t i = 0; !rc && i < out->count; i++)
		out->size[i].share *= 100 / sum;
	return rc;
}

static int read_region(const struct place *at, const char *key, struct io_region *out)
{
	double values[COUNT(region_keys)] = {0, -1, 0, 0};
	char *copy = mem_strdup(ini_get(at->ini, at->section, key)), *word, *rest = NULL;
	int rc = 0;

	for (word = strtok_r(copy, " \t,", &rest); word && !rc;
		word = strtok_r(NULL, " \t,", &rest)) {
		char *equals = strchr(word, '=');
		size_t i = 0;

		if (equals)
			*equals = '\0';
		while (i < COUNT(region_keys) && strcmp(word, region_keys[i]))
			i++;
		if (!equals || i == COUNT(region_keys))
			rc = fault(at, key,
				"%s: \"%s\" is not one of start= length= reads= writes=", key,
				word);
		else if (units_parse_double(equals + 1, &values[i], NULL) ||
			!(values[i] >= 0 && values[i] <= 100))
			rc = fault(at, key, "%s: %s=%s is not a percentage from 0 to 100", key,
				word, equals + 1);
	}
	free(copy);
	if (!rc && (!(values[1] > 0) || values[0] + values[1] > 100 + 1e-9))
		rc = fault(at, key,
			"%s must lie inside the area: start + length at most 100, "
			"length over 0",
			key);
	*out = (struct io_region){.start = values[0] / 100,
		.length = values[1] / 100,
		.read_share = values[2] / 100,
		.write_share = values[3] / 100};
	return rc;
}

static int read_stream(const struct place *at, bool only, struct io_stream *out)
{
	double reads = 0, writes = 0;
	int rc = check_keys(at, stream_keys, COUNT(stream_keys));

	if (!rc)
		rc = read_percent(at, "share_pct", only ? 1 : -1, &out->share);
	if (!rc)
		rc = read_percent(at, "read_pct", -1, &out->read_share);
	if (!rc)
		rc = read_percent(at, "random_pct", -1, &out->random_share);
	if (!rc)
		rc = read_mix(at, "read_sizes", out->read_share > 0, &out->read_mix);
	if (!rc)
		rc = read_mix(at, "write_sizes", out->read_share < 1, &out->write_mix);
	for (int i = 1; !rc && i <= IO_REGION_MAX; i++) {
		char key[16];

		str_format(key, sizeof(key), "region%d", i);
		if (!ini_get(at->ini, at->section, key))
			continue;
		struct io_region *region = &out->regions[out->region_count++];

		rc = read_region(at, key, region);
		reads += region->read_share;
		writes += region->write_share;
		if (!rc && (reads > 1 + 1e-9 || writes > 1 + 1e-9))
			rc = fault(at, key,
				"the regions take more than 100 %% of the reads or writes");
	}
	return rc;
}

static int read_head(const struct place *at, struct workload *out)
{
	const char *value;
	uint64_t outstanding;
	int rc = check_keys(at, workload_keys, COUNT(workload_keys));

	str_copy(out->title, sizeof(out->title), out->name);
	if (!rc)
		rc = read_text(at, "title", out->title, sizeof(out->title));
	if (!rc)
		rc = read_text(at, "help", out->help, sizeof(out->help));
	if (!rc)
		rc = read_text(at, "basis", out->basis, sizeof(out->basis));
	if (!rc)
		rc = read_text(at, "basis_text", out->basis_text, sizeof(out->basis_text));
	if (rc)
		return rc;
	value = ini_get(at->ini, at->section, "outstanding");
	if (!value)
		return fault(at, NULL, "[workload] has no outstanding");
	if (units_parse_u64(value, &outstanding, NULL) || outstanding < 1 ||
		outstanding > OUTSTANDING_MAX)
		return fault(at, "outstanding", "outstanding = %s is not a number from 1 to %d",
			value, OUTSTANDING_MAX);
	out->outstanding = (uint32_t)outstanding;
	value = ini_get(at->ini, at->section, "mix_unknown");
	if (value && units_parse_bool(value, &out->mix_unknown, NULL))
		return fault(at, "mix_unknown", "mix_unknown = %s is not yes or no", value);
	return 0;
}

static int check_sections(const struct ini *ini, size_t *streams, struct err *err)
{
	struct place at = {ini, "", err};
	bool plain = false;

	*streams = 0;
	for (size_t i = 0; i < ini_section_count(ini); i++) {
		const char *section = ini_section(ini, i), *nearest;

		at.section = section;
		if (!section[0] && ini_key_count(ini, section))
			return fault(
				&at, ini_key(ini, section, 0), "a key stands before any [section]");
		if (!section[0])
			continue;
		if (!known(section, section_names, COUNT(section_names))) {
			nearest = str_nearest(section, section_names, COUNT(section_names));
			return fault(&at, NULL, "unknown section [%s]: %s%s%s", section,
				nearest ? "the nearest is ["
					: "[workload], [stream] or [stream.1] to "
					  "[stream.4] are possible",
				nearest ? nearest : "", nearest ? "]" : "");
		}
		if (!str_starts_with(section, "stream"))
			continue;
		plain = plain || !strcmp(section, "stream");
		(*streams)++;
		if (plain && *streams > 1)
			return fault(&at, NULL,
				"[stream] stands alone; several are [stream.1], [stream.2] ...");
	}
	return 0;
}

int workload_parse(const struct ini *ini, struct workload *out, struct err *err)
{
	struct place at = {ini, "workload", err};
	size_t streams;
	double sum = 0;
	int rc = check_sections(ini, &streams, err);

	if (rc)
		return rc;
	if (!ini_key_count(ini, "workload"))
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"%s:1: there is no [workload] section", ini_name(ini));
	rc = read_head(&at, out);
	if (rc)
		return rc;
	if (!streams)
		return fault(&at, NULL, "there is no [stream] section");
	for (size_t i = 0; i < ini_section_count(ini) && !rc; i++) {
		at.section = ini_section(ini, i);
		if (!str_starts_with(at.section, "stream"))
			continue;
		rc = read_stream(&at, streams == 1, &out->streams[out->stream_count]);
		sum += out->streams[out->stream_count++].share;
		if (!rc && out->stream_count == streams && fabs(sum - 1) > SUM_SLACK / 100)
			rc = fault(&at, "share_pct",
				"the share_pct of the streams add up to %.10g, not to 100",
				sum * 100);
	}
	return rc;
}
