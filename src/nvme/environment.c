/* hwmon, PCIe link and NUMA of a controller. hwmon's temperatures and limits are commands to the
 * drive that the kernel sends, so they are read from live controllers only, and last. */
#include "nvme/environment.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/str.h"
#include "base/units.h"

#define ZERO_KELVIN_MC (-273150)
#define LANES_MAX 32

static bool environment_text(const char *folder, const char *attribute, char *buf, size_t size)
{
	return file_attribute_text(folder, attribute, buf, size) == 0 && buf[0] != '\0';
}

/* "16.0 GT/s PCIe"; 0 for "Unknown". */
static double environment_speed(const char *folder, const char *attribute)
{
	char text[64];
	double gts;

	if (!environment_text(folder, attribute, text, sizeof(text)) ||
		sscanf(text, "%lf GT/s", &gts) != 1 || !(gts > 0 && gts < 1000))
		return 0;
	return gts;
}

/* A port that does not answer reports 0 or all ones. */
static int environment_lanes(const char *folder, const char *attribute)
{
	char text[32];
	uint64_t lanes;

	environment_text(folder, attribute, text, sizeof(text));
	if (units_parse_u64(text, &lanes, NULL) < 0 || lanes > LANES_MAX)
		return 0;
	return (int)lanes;
}

static void environment_read_link(const char *device, struct environment *out)
{
	char resolved[PATH_MAX], text[32];
	char *slash;

	out->numa_node = -1;
	if (environment_text(device, "numa_node", text, sizeof(text)))
		out->numa_node = (int)strtol(text, NULL, 10);
	environment_text(device, "power_state", out->power_state, sizeof(out->power_state));
	out->link_gts = environment_speed(device, "current_link_speed");
	out->link_max_gts = environment_speed(device, "max_link_speed");
	out->link_width = environment_lanes(device, "current_link_width");
	out->link_max_width = environment_lanes(device, "max_link_width");
	/* the folder around the device is the port it sits in, or a root without a link */
	if (!realpath(device, resolved) || !(slash = strrchr(resolved, '/')))
		return;
	*slash = '\0';
	out->slot_max_gts = environment_speed(resolved, "max_link_speed");
	out->slot_max_width = environment_lanes(resolved, "max_link_width");
}

/* A kelvin field of the drive in milli-degrees: 0 K is "not reported", 0xffff K "no limit". */
static struct field_int environment_temperature(
	const char *folder, unsigned index, const char *what)
{
	struct field_int field = {0};
	char attribute[32], text[32], *end;
	long value;

	str_format(attribute, sizeof(attribute), "temp%u_%s", index, what);
	if (!environment_text(folder, attribute, text, sizeof(text)))
		return field;
	value = strtol(text, &end, 10);
	if (*end != '\0' || value <= ZERO_KELVIN_MC || value >= ZERO_KELVIN_MC + 65535 * 1000L)
		return field;
	field.reported = true;
	field.value = value;
	return field;
}

static void environment_read_sensors(const char *folder, struct environment *out)
{
	for (unsigned i = 1; i <= ENVIRONMENT_SENSORS; i++) {
		char attribute[32], input[32], label[32], probe[32];

		str_format(input, sizeof(input), "temp%u_input", i);
		str_format(attribute, sizeof(attribute), "temp%u_label", i);
		if (!environment_text(folder, attribute, label, sizeof(label)) &&
			!environment_text(folder, input, probe, sizeof(probe)))
			continue;
		if (label[0] == '\0')
			str_format(label, sizeof(label), i == 1 ? "Composite" : "Sensor %u", i - 1);
		str_copy(out->sensors[out->sensor_count].label, sizeof(out->sensors[0].label),
			label);
		out->sensors[out->sensor_count].value_mc =
			environment_temperature(folder, i, "input");
		out->sensors[out->sensor_count].max_mc = environment_temperature(folder, i, "max");
		out->sensors[out->sensor_count].min_mc = environment_temperature(folder, i, "min");
		out->sensors[out->sensor_count].critical_mc =
			environment_temperature(folder, i, "crit");
		out->sensor_count++;
	}
}

/* hwmonN of the drive inside `parent`; false when there is none. */
static bool environment_read_hwmon(const char *parent, struct environment *out)
{
	struct dirent *entry;
	bool found = false;
	DIR *dir = opendir(parent);

	if (!dir)
		return false;
	while (!found && (entry = readdir(dir)) != NULL) {
		char folder[PATH_MAX], name[32];

		if (!str_starts_with(entry->d_name, "hwmon") || strlen(entry->d_name) == 5)
			continue;
		str_format(folder, sizeof(folder), "%s/%s", parent, entry->d_name);
		if (!environment_text(folder, "name", name, sizeof(name)) ||
			strcmp(name, "nvme") != 0)
			continue;
		environment_read_sensors(folder, out);
		found = true;
	}
	closedir(dir);
	return found;
}

void environment_read(const char *sysfs_root, const char *controller, struct environment *out)
{
	char folder[PATH_MAX], device[PATH_MAX], hwmon[PATH_MAX], transport[16], state[24];

	memset(out, 0, sizeof(*out));
	out->numa_node = -1;
	if (strchr(controller, '/'))
		return;
	if (str_format(folder, sizeof(folder), "%s/sys/class/nvme/%s", sysfs_root, controller) +
			32 >
		sizeof(folder))
		return;
	str_format(device, sizeof(device), "%s/device", folder);
	environment_text(folder, "transport", transport, sizeof(transport));
	if (transport[0] == '\0' || strcmp(transport, "pcie") == 0)
		environment_read_link(device, out);
	if (environment_text(folder, "state", state, sizeof(state)) && strcmp(state, "live") != 0)
		return;
	/* below the PCI device before kernel 5.17 */
	str_format(hwmon, sizeof(hwmon), "%s/hwmon", device);
	if (!environment_read_hwmon(folder, out) && !environment_read_hwmon(hwmon, out))
		environment_read_hwmon(device, out);
}

void environment_link_text(double gts, int width, char *buf, size_t size)
{
	static const struct {
		double gts;
		const char *generation;
	} generations[] = {
		{2.5, "1.0"}, {5, "2.0"}, {8, "3.0"}, {16, "4.0"}, {32, "5.0"}, {64, "6.0"}};

	if (!(gts > 0) || width <= 0) {
		str_copy(buf, size, "-");
		return;
	}
	for (size_t i = 0; i < sizeof(generations) / sizeof(generations[0]); i++) {
		if (gts == generations[i].gts) {
			str_format(buf, size, "%s x%d", generations[i].generation, width);
			return;
		}
	}
	str_format(buf, size, "%g GT/s x%d", gts, width);
}

/* Encoding (PCIe base specification 4.2): 8b/10b up to 5 GT/s, 128b/130b up to 32, flits of 256
 * bytes with 236 for packets from 64 on. Packets of 256 bytes, the common Max Payload Size, carry 24
 * more: framing 4, header 16, link CRC 4. */
double environment_link_bytes(double gts, int width)
{
	const double packets = 256.0 / (256 + 24);
	double encoding = 128.0 / 130;

	if (!(gts > 0) || width <= 0)
		return 0;
	if (gts <= 5)
		encoding = 8.0 / 10;
	else if (gts >= 64)
		encoding = 236.0 / 256;
	return gts * 1e9 / 8 * width * encoding * packets;
}

bool environment_link_narrowed(const struct environment *env)
{
	double gts = env->link_max_gts;
	int width = env->link_max_width;

	if (env->slot_max_gts > 0 && env->slot_max_gts < gts)
		gts = env->slot_max_gts;
	if (env->slot_max_width > 0 && env->slot_max_width < width)
		width = env->slot_max_width;
	return (env->link_gts > 0 && env->link_gts < gts) ||
		(env->link_width > 0 && env->link_width < width);
}
