/* The table of a test's parameters. */
#include "sweep/options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"

#define CHOICE_BYTES 12 /* the smallest field of a choice, which all choices fit */
#define LIST_MAX 64

#define AT(member) offsetof(struct options, member)

const struct option_row options_table[] = {
	{"outstanding", OPTION_U64, AT(outstanding), "0", 0, 65535, NULL, "I/Os", "fixed curve",
		"how many I/Os are in flight at most, per target; 0: the workload's"},
	{"rate_iops", OPTION_DOUBLE, AT(rate_iops), "0", 0, 1e9, NULL, "IOPS", "fixed",
		"open loop at this rate, all targets together; 0: closed loop"},
	{"arrivals", OPTION_CHOICE, AT(arrivals), "exponential", 0, 0,
		"exponential|uniform|constant", "", "fixed curve",
		"how the arrivals of an open loop are spread"},
	{"pace", OPTION_CHOICE, AT(pace), "auto", 0, 0, "auto|spin|sleep", "", "fixed curve",
		"how arrivals are waited for; auto sleeps, then spins the last 100 us"},
	{"area_pct", OPTION_DOUBLE, AT(area_pct), "100", 0.001, 100, NULL, "%", "",
		"share of the target that is read and written, from offset_bytes on; 100: up to its end (the "
		"published reviews use 25)"},
	{"offset_bytes", OPTION_SIZE, AT(offset_bytes), "0", 0, 9.2e18, NULL, "bytes", "",
		"where the area begins"},
	{"bytes", OPTION_SIZE, AT(bytes), "0", 0, 9.2e18, NULL, "bytes", "fixed",
		"read or write exactly so many bytes of each target, without warm-up; 0: by time"},
	{"warmup_s", OPTION_DOUBLE, AT(warmup_s), "5", 0, 86400, NULL, "s", "",
		"time before each measured window"},
	{"point_s", OPTION_DOUBLE, AT(point_s), "20", 0.1, 604800, NULL, "s", "",
		"length of each measured window"},
	{"points", OPTION_PERCENT_LIST, AT(points), "10,20,30,40,50,60,70,80,90,100,110,120", 0.1,
		1000, NULL, "%", "curve", "the rates to measure, in percent of the maximum"},
	{"maximum_s", OPTION_DOUBLE, AT(maximum_s), "0", 0, 604800, NULL, "s", "curve",
		"window of each run of the maximum search; 0: a quarter of point_s, at least 1 s"},
	{"depths", OPTION_DEPTH_LIST, AT(depths), "1,2,4,8,16,32,64,128,256,512", 1, 65535, NULL,
		"I/Os", "depth", "how many I/Os are outstanding at each step, per target"},
	{"p99_limit_us", OPTION_DOUBLE, AT(p99_limit_us), "0", 0, 3.6e9, NULL, "us",
		"fixed depth curve",
		"the 99th percentile that must be kept: gives the knee by limit; 0: none"},
	{"block_bytes", OPTION_SIZE, AT(block_bytes), "0", 0, 67108864, NULL, "bytes",
		"fixed depth curve",
		"block size instead of the workload's sizes; 0: the workload's"},
	{"read_pct", OPTION_DOUBLE, AT(read_pct), "-1", -1, 100, NULL, "%", "fixed depth curve",
		"share of reads instead of the workload's; -1: the workload's"},
	{"random_pct", OPTION_DOUBLE, AT(random_pct), "-1", -1, 100, NULL, "%", "fixed depth curve",
		"share of random I/O instead of the workload's; -1: the workload's"},
	{"reducible_pct", OPTION_DOUBLE, AT(reducible_pct), "0", 0, 100, NULL, "%",
		"fixed depth curve",
		"share of every 4 KiB written that is zero, for drives that compress; the rest is new "
		"random data each time"},
	{"prepare", OPTION_CHOICE, AT(prepare), "none", 0, 0, "none|area|device", "",
		"fixed depth curve",
		"fill the area, or the whole device, with sequential writes before the test (128K, "
		"on simulated drives 1M); "
		"this writes whatever the workload does"},
	{"prepare_passes", OPTION_U64, AT(prepare_passes), "2", 1, 16, NULL, "passes",
		"fixed depth curve", "how often prepare writes over it all"},
	{"seed", OPTION_U64, AT(seed), "0", 0, 1.8e19, NULL, "", "",
		"repeats the offsets and arrivals of another run; 0: a fresh one"},
	{"backend", OPTION_CHOICE, AT(backend), "auto", 0, 0, "auto|uring|uring_cmd|sync|null", "",
		"",
		"how I/O reaches the kernel; uring_cmd sends NVMe commands past the block layer; null "
		"reaches nothing and measures nvsweep itself"},
	{"polled", OPTION_CHOICE, AT(polled), "no", 0, 0, "no|yes", "", "",
		"look for completions without interrupts, where the device has queues for that "
		"(nvme.poll_queues on the kernel line)"},
	{"workers", OPTION_U64, AT(workers), "0", 0, 64, NULL, "threads", "",
		"I/O threads; 0: as many as useful"},
	{"time_factor", OPTION_DOUBLE, AT(time_factor), "1", 0.1, 1000, NULL, "", "",
		"simulated drives on the screen: seconds of theirs in one of yours, if this machine "
		"can keep up; commands do not wait at all"},
};
const size_t options_count = sizeof(options_table) / sizeof(options_table[0]);

static void *field(struct options *options, const struct option_row *row)
{
	return (char *)options + row->offset;
}

static const void *field_const(const struct options *options, const struct option_row *row)
{
	return (const char *)options + row->offset;
}

/* The number of values beside a list. */
static size_t *list_count(struct options *options, const struct option_row *row)
{
	return row->type == OPTION_PERCENT_LIST ? &options->point_count : &options->depth_count;
}

static size_t list_count_const(const struct options *options, const struct option_row *row)
{
	return row->type == OPTION_PERCENT_LIST ? options->point_count : options->depth_count;
}

const struct option_row *options_find(const char *key)
{
	for (size_t i = 0; i < options_count; i++)
		if (!strcmp(options_table[i].key, key))
			return &options_table[i];
	return NULL;
}

static void choices_text(const char *choices, char *buf, size_t size)
{
	const char *last = strrchr(choices, '|');

	buf[0] = '\0';
	for (const char *at = choices; *at; at++) {
		if (*at != '|')
			str_append(buf, size, "%c", *at);
		else
			str_append(buf, size, "%s", at == last ? " or " : ", ");
	}
}

void options_range(const struct option_row *row, char *buf, size_t size)
{
	char most[32];

	switch (row->type) {
	case OPTION_CHOICE:
		choices_text(row->choices, buf, size);
		return;
	case OPTION_SIZE:
		str_copy(buf, size, "a size such as 4k, 1G or 4096");
		if (row->max < 1e18)
			str_append(buf, size, ", at most %s",
				units_bytes_iec(most, sizeof(most), (u128)row->max));
		return;
	case OPTION_PERCENT_LIST:
		str_format(buf, size,
			"up to %d rising percentages from %g to %g, such as 10,50,100", LIST_MAX,
			row->min, row->max);
		return;
	case OPTION_DEPTH_LIST:
		str_format(buf, size, "up to %d rising numbers from %g to %g, such as 1,8,64",
			LIST_MAX, row->min, row->max);
		return;
	case OPTION_U64:
		if (row->max > 1e18) {
			str_copy(buf, size, "a whole number");
			return;
		}
		break;
	case OPTION_DOUBLE:
		break;
	}
	str_format(buf, size, "%.10g to %.10g%s%s", row->min, row->max, row->unit[0] ? " " : "",
		row->unit);
}

static int refuse(const struct option_row *row, const char *value, struct err *err)
{
	char range[160];

	options_range(row, range, sizeof(range));
	return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL, "%s=%s is not possible: %s%s", row->key,
		value, row->type == OPTION_CHOICE ? "choose " : "", range);
}

static int set_choice(
	struct options *options, const struct option_row *row, const char *value, struct err *err)
{
	const size_t length = strlen(value);

	for (const char *at = strchr(value, '|') ? NULL : row->choices; at; at = strchr(at, '|')) {
		at += *at == '|';
		if (!strncmp(at, value, length) && (at[length] == '|' || !at[length]) && length) {
			str_copy(field(options, row), CHOICE_BYTES, value);
			return 0;
		}
	}
	return refuse(row, value, err);
}

static int set_list(
	struct options *options, const struct option_row *row, const char *value, struct err *err)
{
	char *copy = mem_strdup(value), *word, *rest = NULL;
	double values[LIST_MAX], number;
	size_t count = 0;
	int rc = 0;

	for (word = strtok_r(copy, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest)) {
		if (count == LIST_MAX || units_parse_double(word, &number, NULL) ||
			!(number >= row->min && number <= row->max) ||
			(row->type == OPTION_DEPTH_LIST && number != floor(number)) ||
			(count && number <= values[count - 1])) {
			rc = refuse(row, value, err);
			break;
		}
		values[count++] = number;
	}
	free(copy);
	if (!rc && !count)
		rc = refuse(row, value, err);
	if (rc)
		return rc;
	memcpy(field(options, row), values, count * sizeof(values[0]));
	*list_count(options, row) = count;
	return 0;
}

static int set_row(
	struct options *options, const struct option_row *row, const char *value, struct err *err)
{
	uint64_t whole;
	double number;

	switch (row->type) {
	case OPTION_U64:
		if (units_parse_u64(value, &whole, NULL) || (double)whole < row->min ||
			(double)whole > row->max)
			return refuse(row, value, err);
		*(uint64_t *)field(options, row) = whole;
		return 0;
	case OPTION_SIZE:
		if (units_parse_size(value, &whole, NULL) || (double)whole > row->max)
			return refuse(row, value, err);
		*(uint64_t *)field(options, row) = whole;
		return 0;
	case OPTION_DOUBLE:
		if (units_parse_double(value, &number, NULL) ||
			!(number >= row->min && number <= row->max))
			return refuse(row, value, err);
		*(double *)field(options, row) = number;
		return 0;
	case OPTION_CHOICE:
		return set_choice(options, row, value, err);
	case OPTION_PERCENT_LIST:
	case OPTION_DEPTH_LIST:
		return set_list(options, row, value, err);
	}
	return refuse(row, value, err);
}

int options_set_value(struct options *options, const char *key, const char *value, struct err *err)
{
	const struct option_row *row = options_find(key);
	const char *names[sizeof(options_table) / sizeof(options_table[0])], *nearest;

	if (row)
		return set_row(options, row, value, err);
	for (size_t i = 0; i < options_count; i++)
		names[i] = options_table[i].key;
	nearest = str_nearest(key, names, options_count);
	if (nearest)
		return err_set_exit(err, ERR_EXIT_USAGE, -ENOENT,
			"unknown parameter \"%s\": the nearest is %s", key, nearest);
	return err_set_exit(err, ERR_EXIT_USAGE, -ENOENT,
		"unknown parameter \"%s\": nvsweep run --help lists them", key);
}

int options_set(struct options *options, const char *assignment, struct err *err)
{
	const char *equals = strchr(assignment, '=');
	char key[64];

	if (!equals || equals == assignment)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"\"%s\" is not KEY=VALUE, such as point_s=5", assignment);
	if ((size_t)(equals - assignment) >= sizeof(key))
		return err_set_exit(
			err, ERR_EXIT_USAGE, -ENOENT, "unknown parameter \"%.40s...\"", assignment);
	memcpy(key, assignment, (size_t)(equals - assignment));
	key[equals - assignment] = '\0';
	return options_set_value(options, key, equals + 1, err);
}

void options_defaults(struct options *out)
{
	*out = (struct options){0};
	for (size_t i = 0; i < options_count; i++)
		set_row(out, &options_table[i], options_table[i].default_text, NULL);
}

void options_value(
	const struct options *options, const struct option_row *row, char *buf, size_t size)
{
	const void *at = field_const(options, row);

	switch (row->type) {
	case OPTION_U64:
	case OPTION_SIZE:
		str_format(buf, size, "%llu", *(const unsigned long long *)at);
		return;
	case OPTION_DOUBLE:
		str_format(buf, size, "%.10g", *(const double *)at);
		return;
	case OPTION_CHOICE:
		str_copy(buf, size, at);
		return;
	case OPTION_PERCENT_LIST:
	case OPTION_DEPTH_LIST:
		buf[0] = '\0';
		for (size_t i = 0; i < list_count_const(options, row); i++)
			str_append(buf, size, "%s%.10g", i ? "," : "", ((const double *)at)[i]);
		return;
	}
}

bool options_row_applies(const struct option_row *row, const char *method)
{
	const size_t length = strlen(method);

	if (!row->methods[0])
		return true;
	for (const char *at = row->methods; at; at = strchr(at, ' ')) {
		at += *at == ' ';
		if (!strncmp(at, method, length) && (at[length] == ' ' || !at[length]))
			return true;
	}
	return false;
}

int options_check(const struct options *options, const char *method, struct err *err)
{
	struct options defaults;

	options_defaults(&defaults);
	for (size_t i = 0; i < options_count; i++) {
		const struct option_row *row = &options_table[i];
		char now[512], before[512];

		if (options_row_applies(row, method))
			continue;
		options_value(options, row, now, sizeof(now));
		options_value(&defaults, row, before, sizeof(before));
		if (strcmp(now, before))
			return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
				"%s has no meaning for the method %s (it belongs to: %s)", row->key,
				method, row->methods);
	}
	return 0;
}

double options_maximum_s(const struct options *options)
{
	if (options->maximum_s > 0)
		return options->maximum_s;
	return fmax(options->point_s / 4, fmin(options->point_s, 1.0));
}
