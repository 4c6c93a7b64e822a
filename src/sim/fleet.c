/* Reads fleet files: a section [fleet], then one section per drive. */
#include "sim/fleet.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "conf/assets.h"

#define NAME_MAX_LENGTH 12

static int fault(const struct ini *ini, const char *section, const char *key, struct err *err,
	const char *what)
{
	const int line = key ? ini_line(ini, section, key) : ini_section_line(ini, section);

	return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL, "%s:%d: [%s] %s%s%s", ini_name(ini), line,
		section, key ? key : "", key ? ": " : "", what);
}

/* Drives' names are typed and shown everywhere, and namespaces are NAMEn1: letters and digits
 * that do not end like a namespace. */
static int check_name(const struct ini *ini, const char *name, struct err *err)
{
	const size_t length = strlen(name);
	size_t digits = 0;

	if (!length || length > NAME_MAX_LENGTH || !islower((unsigned char)name[0]))
		return fault(ini, name, NULL, err,
			"a drive's name is a letter and at most 11 more letters or digits");
	for (size_t i = 0; i < length; i++)
		if (!islower((unsigned char)name[i]) && !isdigit((unsigned char)name[i]))
			return fault(ini, name, NULL, err,
				"a drive's name is made of letters and digits alone");
	while (isdigit((unsigned char)name[length - 1 - digits]))
		digits++;
	if (digits && digits < length - 1 && name[length - 1 - digits] == 'n')
		return fault(ini, name, NULL, err,
			"a drive's name must not end like a namespace's (n1)");
	return 0;
}

static int read_head(const struct ini *ini, struct sim_fleet *fleet, struct err *err)
{
	for (size_t i = 0; i < ini_key_count(ini, ""); i++)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"%s:%d: \"%s\" stands before any section", ini_name(ini),
			ini_line(ini, "", ini_key(ini, "", i)), ini_key(ini, "", i));
	for (size_t i = 0; i < ini_key_count(ini, "fleet"); i++) {
		const char *key = ini_key(ini, "fleet", i);

		if (strcmp(key, "title") && strcmp(key, "help"))
			return fault(ini, "fleet", key, err,
				"a fleet has a title and a help, nothing else");
	}
	const char *title = ini_get(ini, "fleet", "title"), *help = ini_get(ini, "fleet", "help");

	str_sanitize_utf8(fleet->title, sizeof(fleet->title), title ? title : "");
	str_sanitize_utf8(fleet->help, sizeof(fleet->help), help ? help : "");
	return 0;
}

static int read_drives(
	const struct ini *ini, uint64_t seed, struct sim_fleet *fleet, struct err *err)
{
	const size_t sections = ini_section_count(ini);

	fleet->drives = mem_alloc((sections + 1) * sizeof(*fleet->drives));
	for (size_t i = 0; i < sections; i++) {
		const char *name = ini_section(ini, i);
		struct sim_parameters parameters;
		int rc;

		if (!strcmp(name, "fleet"))
			continue;
		rc = check_name(ini, name, err);
		if (!rc && fleet->drive_count == SIM_FLEET_DRIVES_MAX)
			rc = fault(ini, name, NULL, err, "a fleet has at most 32 drives");
		if (!rc)
			rc = sim_parameters_read(ini, name, &parameters, err);
		for (size_t k = 0; k < fleet->drive_count && !rc; k++)
			if (!strcmp(fleet->drives[k].is.serial, parameters.serial))
				rc = fault(ini, name, "serial", err,
					"another drive of the fleet has that serial too");
		if (rc)
			return rc;
		sim_drive_init(&fleet->drives[fleet->drive_count], name,
			(unsigned)fleet->drive_count,
			seed + (fleet->drive_count + 1) * UINT64_C(0x9e3779b97f4a7c15), &parameters,
			&fleet->clock);
		fleet->drive_count++;
	}
	if (!fleet->drive_count)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"%s:1: no drive: a fleet needs a section for each", ini_name(ini));
	return 0;
}

static int load_ini(const char *name, struct ini **out, struct err *err)
{
	struct asset_list list;
	char asset[96];
	int rc;

	if (strchr(name, '/')) {
		rc = ini_load(name, out, err);
		if (rc && err)
			err->exit = ERR_EXIT_USAGE;
		return rc;
	}
	if (str_format(asset, sizeof(asset), "fleets/%s.ini", name) >= sizeof(asset) - 1)
		return err_set_exit(err, ERR_EXIT_USAGE, -ENOENT, "there is no fleet of that name");
	rc = assets_read_ini(asset, out, err);
	if (rc && err)
		err->exit = ERR_EXIT_USAGE;
	if (rc != -ENOENT || assets_list("fleets", &list, NULL))
		return rc;
	const char **known = mem_alloc((list.count + 1) * sizeof(*known));
	struct strbuf names = {0};

	for (size_t i = 0; i < list.count; i++)
		known[i] = list.names[i];
	const char *nearest = str_nearest(name, known, list.count);

	strbuf_add(&names, "");
	for (size_t i = 0; i < list.count; i++)
		strbuf_addf(&names, "%s%s", i ? ", " : "", list.names[i]);
	rc = err_set_exit(err, ERR_EXIT_USAGE, -ENOENT,
		"there is no fleet \"%s\"%s%s; there are: %s (or name a file by its path)", name,
		nearest ? ": the nearest is " : "", nearest ? nearest : "", names.text);
	free(known);
	asset_list_free(&list);
	strbuf_free(&names);
	return rc;
}

int sim_fleet_load(const char *name, uint64_t seed, const struct clock *clock,
	struct sim_fleet **out, struct err *err)
{
	struct sim_fleet *fleet;
	struct ini *ini;
	int rc = load_ini(name, &ini, err);

	*out = NULL;
	if (rc)
		return rc;
	fleet = mem_alloc(sizeof(*fleet));
	fleet->clock = *clock;
	str_sanitize_utf8(fleet->name, sizeof(fleet->name), name);
	rc = read_head(ini, fleet, err);
	if (!rc)
		rc = read_drives(ini, seed, fleet, err);
	ini_free(ini);
	if (rc) {
		sim_fleet_free(fleet);
		return rc;
	}
	*out = fleet;
	return 0;
}

void sim_fleet_free(struct sim_fleet *fleet)
{
	if (!fleet)
		return;
	for (size_t i = 0; i < fleet->drive_count; i++)
		sim_drive_free(&fleet->drives[i]);
	free(fleet->drives);
	free(fleet);
}

struct sim_drive *sim_fleet_drive(const struct sim_fleet *fleet, const char *name)
{
	for (size_t i = 0; i < fleet->drive_count; i++)
		if (!strcmp(fleet->drives[i].name, name))
			return &fleet->drives[i];
	return NULL;
}

struct sim_namespace *sim_fleet_namespace(const struct sim_fleet *fleet, const char *name)
{
	struct sim_drive *drive = sim_fleet_drive(fleet, name);

	if (drive)
		return &drive->namespaces[0];
	for (size_t i = 0; i < fleet->drive_count; i++)
		for (uint32_t n = 0; n < fleet->drives[i].namespace_count; n++)
			if (!strcmp(fleet->drives[i].namespaces[n].name, name))
				return &fleet->drives[i].namespaces[n];
	return NULL;
}

int sim_fleet_find(const struct sim_fleet *fleet, const char *name, struct sim_namespace **out,
	struct err *err)
{
	const char *bare = str_starts_with(name, "demo:") ? name + 5 : name, *nearest;
	const char **names;
	size_t count = 0, room = 0;

	*out = sim_fleet_namespace(fleet, bare);
	if (*out)
		return 0;
	for (size_t i = 0; i < fleet->drive_count; i++)
		room += 1 + fleet->drives[i].namespace_count;
	names = mem_alloc(room * sizeof(*names));
	for (size_t i = 0; i < fleet->drive_count; i++) {
		names[count++] = fleet->drives[i].name;
		for (uint32_t n = 0; n < fleet->drives[i].namespace_count; n++)
			names[count++] = fleet->drives[i].namespaces[n].name;
	}
	nearest = str_nearest(bare, names, count);
	free(names);
	if (nearest)
		return err_set_exit(err, ERR_EXIT_USAGE, -ENOENT,
			"the fleet %s has no drive \"%s\": the nearest is %s", fleet->name, bare,
			nearest);
	return err_set_exit(err, ERR_EXIT_USAGE, -ENOENT,
		"the fleet %s has no drive \"%s\"; nvsweep list --demo shows its drives",
		fleet->name, bare);
}
