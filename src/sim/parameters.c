/* The table of a simulated drive's parameters, and the checks that refuse impossible drives. */
#include "sim/parameters.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"

#define AT(field) offsetof(struct sim_parameters, field)
#define NUMBER(field, low, high, value, text)                             \
	{                                                                 \
#field, text, AT(field), SIM_KEY_NUMBER, low, high, value \
	}
#define SIZE(field, low, high, value, text)                             \
	{                                                               \
#field, text, AT(field), SIM_KEY_SIZE, low, high, value \
	}
#define TEXT(field, value, text)                                              \
	{                                                                     \
#field, text, AT(field), SIM_KEY_TEXT, 0,                     \
			sizeof(((struct sim_parameters *)NULL)->field), value \
	}

/* clang-format off */
const struct sim_key sim_keys[] = {
	TEXT(model, NULL, "model name, at most 40 characters"),
	TEXT(serial, NULL, "serial number, at most 20 characters"),
	TEXT(firmware, "1.0", "firmware revision, at most 8 characters"),
	NUMBER(vendor, 1, 65534, "65534", "PCI vendor number"),
	SIZE(size, 1e6, 1e15, NULL, "capacity of all namespaces together"),
	SIZE(block, 512, 4096, "512", "logical block: 512 or 4096 bytes"),
	NUMBER(namespaces, 1, SIM_NAMESPACES_MAX, "1", "number of namespaces, of equal size"),
	NUMBER(numa_node, -1, 1023, "0", "NUMA node, -1 none"),
	NUMBER(used_pct, 0, 100, "100", "share of each namespace that holds data"),

	TEXT(placement, "address", "address: data lies on one unit; any: every unit serves everything"),
	NUMBER(units, 1, SIM_UNITS_MAX, NULL, "units of flash that work side by side"),
	SIZE(map_bytes, 512, 1 << 20, "4k", "what random data is placed and read in"),
	SIZE(page_bytes, 512, 1 << 20, "16k", "what sequential data is read in"),
	NUMBER(read_us, 0.1, 1e6, NULL, "one mapping unit read by one unit"),
	NUMBER(page_read_us, 0, 1e6, "0", "a whole page; 0: as long"),
	NUMBER(read_variation_pct, 0, 100, "20", "share of it that varies (exponentially)"),
	NUMBER(retry_pct, 0, 100, "0", "reads that need a second look"),
	NUMBER(retry_us, 0, 1e6, "0", "what the second look costs"),
	SIZE(program_bytes, 512, 1 << 26, "64k", "what one unit programs at once"),
	NUMBER(program_us, 0.1, 1e7, NULL, "one program by one unit"),
	NUMBER(program_variation_pct, 0, 100, "20", "share of it that varies (exponentially)"),
	NUMBER(suspend_us, 0, 1e7, "1e7", "longest that a read waits for a program in progress"),

	NUMBER(read_command_us, 0, 1e5, "0", "controller time per read, one at a time"),
	NUMBER(write_command_us, 0, 1e5, "0", "controller time per write, one at a time"),
	NUMBER(write_map_us, 0, 1e5, "0", "and per mapping unit of a random write"),
	NUMBER(read_latency_us, 0, 1e6, "0", "rest of a read's way, side by side"),
	NUMBER(write_latency_us, 0, 1e6, "0", "rest of a write's way into the buffer"),
	NUMBER(latency_variation_pct, 0, 100, "15", "share of both that varies (exponentially)"),
	NUMBER(stall_every_s, 0, 1e6, "0", "once in so many seconds it completes nothing; 0 never"),
	NUMBER(stall_s, 0, 1e5, "0", "and for so many"),
	SIZE(media_read_bytes_s, 0, 1e12, "0", "all channels together, per second; 0 no limit"),
	NUMBER(link_gts, 0, 64, "16", "PCIe link now, GT/s per lane; 0 no limit"),
	NUMBER(link_width, 1, 16, "4", "PCIe link now, lanes"),
	NUMBER(link_max_gts, 0, 64, "16", "what the drive can"),
	NUMBER(link_max_width, 1, 16, "4", "what the drive can"),

	SIZE(buffer_bytes, 512, 1e11, "16M", "write buffer"),
	NUMBER(pressure_pct, 0, 1000, "0", "programs last so much longer while writes wait for the buffer"),
	NUMBER(spare_pct, 1, 400, "28", "flash beyond the capacity, in % of it"),
	SIZE(cache_bytes, 0, 1e13, "0", "fast write cache (one bit per cell)"),
	NUMBER(cache_program_us, 0, 1e7, "0", "one program in the cache"),
	SIZE(cache_fold_bytes_s, 0, 1e12, "0", "how fast an idle drive empties the cache"),

	NUMBER(ambient_c, -40, 100, "30", "air around the drive"),
	NUMBER(idle_w, 0, 100, "3", "power at rest"),
	NUMBER(read_j_gb, 0, 1000, "1", "energy of reading, J per GB"),
	NUMBER(write_j_gb, 0, 1000, "3", "energy of writing, J per GB"),
	NUMBER(heat_k_w, 0, 100, "2.5", "degrees above the air per watt"),
	NUMBER(heat_s, 0.1, 1e5, "90", "time to two thirds of a change of temperature"),
	NUMBER(warning_c, 1, 200, "70", "warning limit"),
	NUMBER(critical_c, 1, 200, "80", "critical limit"),
	NUMBER(throttle_c, 1, 200, "72", "it slows down from here"),
	NUMBER(throttle_pct, 0, 10000, "100", "and takes so much longer then"),

	SIZE(rated_bytes, 1e6, 1e18, NULL, "rated host writes over its life"),
	SIZE(written_bytes, 0, 1e18, "0", "host writes so far"),
	SIZE(read_bytes, 0, 1e18, "0", "host reads so far"),
	NUMBER(write_amplification, 1, 100, "1", "media writes per host write so far and in the rating"),
	NUMBER(power_on_hours, 0, 1e7, "0", "hours in operation"),
	NUMBER(power_cycles, 1, 1e7, "10", "times switched on"),
	NUMBER(unsafe_shutdowns, 0, 1e7, "0", "times switched off unprepared"),
	NUMBER(media_errors, 0, 1e12, "0", "media errors so far"),
	NUMBER(error_entries, 0, 1e12, "0", "error log entries so far"),
	NUMBER(available_spare_pct, 0, 100, "100", "spare blocks left"),
	NUMBER(spare_threshold_pct, 0, 100, "10", "and their warning limit"),
	NUMBER(media_errors_tb, 0, 1e9, "0", "new media errors per TB read"),

	NUMBER(background_read_iops, 0, 1e7, "0", "reads of hosts while no test runs, on the average"),
	NUMBER(background_write_iops, 0, 1e7, "0", "writes of hosts"),
	SIZE(background_block, 512, 1 << 20, "16k", "their size"),
};
/* clang-format on */
const size_t sim_key_count = sizeof(sim_keys) / sizeof(sim_keys[0]);

/* ---- faults ---------------------------------------------------------------------------------- */

struct place {
	const struct ini *ini;
	const char *section;
	struct err *err;
};

/* "FILE:LINE: [drive] key: what". Keys that are not in the file point at the section. */
static int fault(const struct place *place, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static int fault(const struct place *place, const char *key, const char *format, ...)
{
	char text[320];
	int line = key ? ini_line(place->ini, place->section, key) : 0;
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	if (line <= 0)
		line = ini_section_line(place->ini, place->section);
	return err_set_exit(place->err, ERR_EXIT_USAGE, -EINVAL, "%s:%d: [%s] %s%s%s",
		ini_name(place->ini), line, place->section, key ? key : "", key ? ": " : "", text);
}

static int read_key(const struct place *place, const struct sim_key *key, void *out)
{
	const char *value = ini_get(place->ini, place->section, key->key);
	char least[24], most[24];
	struct err why = {0};
	uint64_t bytes = 0;
	double number = 0;
	int rc = 0;

	if (!value)
		value = key->standard;
	if (!value)
		return fault(place, NULL, "\"%s\" is missing: %s", key->key, key->help);
	if (key->kind == SIM_KEY_TEXT) {
		if (!*value || strlen(value) >= (size_t)key->most)
			return fault(place, key->key, "\"%s\" is not usable: %s", value, key->help);
		str_sanitize((char *)out, (size_t)key->most, value, strlen(value));
		return 0;
	}
	if (key->kind == SIM_KEY_SIZE) {
		rc = units_parse_size(value, &bytes, &why);
		number = (double)bytes;
	} else {
		rc = units_parse_double(value, &number, &why);
	}
	if (rc)
		return fault(place, key->key, "%s", why.text);
	if (!(number >= key->least && number <= key->most))
		return fault(place, key->key, "%s is impossible, choose %s to %s (%s)", value,
			units_double(least, sizeof(least), key->least),
			units_double(most, sizeof(most), key->most), key->help);
	memcpy(out, &number, sizeof(number));
	return 0;
}

static int check_names(const struct place *place)
{
	for (size_t i = 0; i < ini_key_count(place->ini, place->section); i++) {
		const char *name = ini_key(place->ini, place->section, i), *near;
		const char *names[128];
		size_t count = 0;
		bool known = false;

		for (size_t k = 0; k < sim_key_count && k < 128; k++) {
			known |= strcmp(sim_keys[k].key, name) == 0;
			names[count++] = sim_keys[k].key;
		}
		near = known ? NULL : str_nearest(name, names, count);
		if (near)
			return fault(
				place, name, "there is no such parameter; the nearest is %s", near);
		if (!known)
			return fault(place, name, "there is no such parameter");
	}
	return 0;
}

/* ---- what does not go together --------------------------------------------------------------- */

static bool whole(double value)
{
	return value == floor(value);
}

static bool link_speed(double gts)
{
	static const double speeds[] = {0, 2.5, 5, 8, 16, 32, 64};

	for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++)
		if (gts == speeds[i])
			return true;
	return false;
}

static int check_layout(const struct place *place, struct sim_parameters *p)
{
	const double each = floor(p->size / p->namespaces / p->block) * p->block;

	if (!strcmp(p->placement, "any"))
		p->placement_kind = SIM_PLACEMENT_ANY;
	else if (strcmp(p->placement, "address"))
		return fault(place, "placement", "\"%s\" is neither address nor any", p->placement);
	if (p->block != 512 && p->block != 4096)
		return fault(
			place, "block", "a block of %g bytes is neither 512 nor 4096", p->block);
	if (!whole(p->namespaces))
		return fault(place, "namespaces", "%g is not a whole number", p->namespaces);
	if (!whole(p->units))
		return fault(place, "units", "%g is not a whole number", p->units);
	if (!whole(p->numa_node) || !whole(p->vendor))
		return fault(
			place, whole(p->vendor) ? "numa_node" : "vendor", "not a whole number");
	if (each < 1e6)
		return fault(place, "size", "%g namespaces of %g bytes are too small",
			p->namespaces, each);
	if (fmod(p->page_bytes, p->map_bytes))
		return fault(place, "page_bytes", "a page must be a multiple of map_bytes, %g",
			p->map_bytes);
	if (fmod(p->program_bytes, p->page_bytes))
		return fault(place, "program_bytes",
			"a program must be a multiple of page_bytes, %g", p->page_bytes);
	if (p->buffer_bytes < p->program_bytes)
		return fault(place, "buffer_bytes",
			"a buffer of %g bytes cannot hold one program of %g", p->buffer_bytes,
			p->program_bytes);
	if (p->page_read_us <= 0)
		p->page_read_us = p->read_us;
	return 0;
}

static int check_rest(const struct place *place, const struct sim_parameters *p)
{
	const double rest = p->ambient_c + p->idle_w * p->heat_k_w;

	if (!link_speed(p->link_gts) || !link_speed(p->link_max_gts))
		return fault(place, link_speed(p->link_gts) ? "link_max_gts" : "link_gts",
			"PCIe knows 2.5, 5, 8, 16, 32 and 64 GT/s");
	if (!whole(p->link_width) || !whole(p->link_max_width))
		return fault(place, whole(p->link_width) ? "link_max_width" : "link_width",
			"not a whole number of lanes");
	if (p->link_gts > p->link_max_gts || p->link_width > p->link_max_width)
		return fault(place, p->link_width > p->link_max_width ? "link_width" : "link_gts",
			"the link cannot run above what the drive can (%g GT/s x%g)",
			p->link_max_gts, p->link_max_width);
	if (p->cache_bytes > 0 && !(p->cache_program_us > 0))
		return fault(place, "cache_bytes", "a cache needs its own cache_program_us");
	if (p->cache_program_us > p->program_us)
		return fault(place, "cache_program_us",
			"a cache that is slower than the flash behind it (%g us) is none",
			p->program_us);
	if (p->critical_c < p->warning_c)
		return fault(
			place, "critical_c", "lies below the warning limit, %g C", p->warning_c);
	if (p->throttle_c <= rest)
		return fault(place, "throttle_c",
			"it would throttle at rest already: %g C by %g W in air of %g C", rest,
			p->idle_w, p->ambient_c);
	if (p->stall_s >= p->stall_every_s && p->stall_s > 0)
		return fault(place, "stall_s",
			"it would never complete anything: stalls come every %g s",
			p->stall_every_s);
	if (p->unsafe_shutdowns > p->power_cycles)
		return fault(
			place, "unsafe_shutdowns", "more than power_cycles, %g", p->power_cycles);
	if (fmod(p->background_block, p->block))
		return fault(
			place, "background_block", "must be a multiple of the block, %g", p->block);
	return 0;
}

int sim_parameters_read(
	const struct ini *ini, const char *name, struct sim_parameters *out, struct err *err)
{
	const struct place place = {ini, name, err};
	int rc;

	memset(out, 0, sizeof(*out));
	rc = check_names(&place);
	for (size_t i = 0; i < sim_key_count && !rc; i++)
		rc = read_key(&place, &sim_keys[i], (char *)out + sim_keys[i].offset);
	if (!rc)
		rc = check_layout(&place, out);
	if (!rc)
		rc = check_rest(&place, out);
	return rc;
}
