/* Fleet files: the demo fleet, and what cannot be a drive is refused with file, line and reason. */
#include "lab.h"

#include <errno.h>

#include "conf/assets.h"

/* The lines of a drive that is fine; a test puts one more, or a bad one, behind them. */
#define GOOD                                                                          \
	"# a comment\n[fleet]\ntitle = T\n[one]\nmodel = M\nserial = S\nsize = 1TB\n" \
	"units = 8\nread_us = 50\nprogram_us = 500\nrated_bytes = 1000TB\n"

static int load(const char *text, char *sentence, size_t size)
{
	char path[] = "/tmp/nvsweep-fleet-XXXXXX";
	const int fd = mkstemp(path);
	struct sim_fleet *fleet = NULL;
	struct clock clock;
	struct err err = {0};
	int rc;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	clock_init_free(&clock);
	rc = sim_fleet_load(path, 1, &clock, &fleet, &err);
	unlink(path);
	if (!rc)
		sim_fleet_free(fleet);
	else
		assert_int_equal(err.exit, ERR_EXIT_USAGE);
	/* without the folder and the random part */
	str_copy(sentence, size, rc ? err.text + strlen(path) : "");
	return rc;
}

static const struct fault {
	const char *text;
	int line;
	const char *says;
} faults[] = {
	{GOOD "unit = 3\n", 12, "nearest is units"},
	{GOOD "colour = red\n", 12, "no such parameter"},
	{GOOD "retry_us = soon\n", 12, "soon"},
	{GOOD "retry_us = -1\n", 12, "impossible"},
	{GOOD "retry_pct = 101\n", 12, "0 to 100"},
	{GOOD "retry_us = nan\n", 12, ""},
	{GOOD "placement = left\n", 12, "neither address nor any"},
	{GOOD "block = 520\n", 12, "neither 512 nor 4096"},
	{GOOD "namespaces = 17\n", 12, "1 to 16"},
	{GOOD "namespaces = 1.5\n", 12, "whole"},
	{GOOD "page_bytes = 6k\n", 12, "multiple of map_bytes"},
	{GOOD "program_bytes = 24k\n", 12, "multiple of page_bytes"},
	{GOOD "buffer_bytes = 32k\n", 12, "cannot hold one program"},
	{GOOD "link_gts = 12\n", 12, "PCIe knows"},
	{GOOD "link_gts = 32\n", 12, "above what the drive can"},
	{GOOD "link_width = 8\n", 12, "above what the drive can"},
	{GOOD "cache_bytes = 1GB\n", 12, "cache_program_us"},
	{GOOD "cache_program_us = 501\n", 12, "slower than the flash"},
	{GOOD "critical_c = 60\n", 12, "below the warning limit"},
	{GOOD "throttle_c = 37\n", 12, "throttle at rest"},
	{GOOD "stall_s = 1\n", 12, "never complete anything"},
	{GOOD "unsafe_shutdowns = 11\n", 12, "more than power_cycles"},
	{GOOD "background_block = 700\n", 12, "multiple of the block"},
	{GOOD "model = X\n", 12, ""}, /* a key given twice */
	{GOOD "serial_number = X\nthrottle_c = 1\n", 12, "no such parameter"},
	{GOOD "[two]\nmodel = M\nserial = S\nsize = 1TB\nunits = 1\nread_us = 1\n"
	      "rated_bytes = 1TB\n",
		12, "\"program_us\" is missing"},
	{GOOD "[two]\nmodel = N\nserial = S\nsize = 1TB\nunits = 8\nread_us = 50\n"
	      "program_us = 500\nrated_bytes = 1000TB\n",
		14, "has that serial too"},
	{GOOD "[onen1]\nmodel = M\n", 12, "end like a namespace"},
	{GOOD "[nameistoolong]\nmodel = M\n", 12, "at most 11 more"},
	{GOOD "[a-b]\nmodel = M\n", 12, "letters and digits"},
	{"[fleet]\nhelp = H\nseed = 1\n" GOOD, 3, "nothing else"},
	{"key = 1\n" GOOD, 1, "before any section"},
	{"[fleet]\ntitle = T\n", 1, "no drive"},
	{"", 1, "no drive"},
};

static void impossible_drives_are_refused(void **state)
{
	char sentence[512], place[16];

	(void)state;
	assert_int_equal(load(GOOD, sentence, sizeof(sentence)), 0);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		assert_true(load(faults[i].text, sentence, sizeof(sentence)) < 0);
		print_message("%s\n", sentence);
		str_format(place, sizeof(place), ":%d: ", faults[i].line);
		assert_true(str_starts_with(sentence, place));
		assert_non_null(strstr(sentence, faults[i].says));
	}
}

static void every_parameter_has_a_range(void **state)
{
	char text[600], sentence[512];

	(void)state;
	for (size_t i = 0; i < sim_key_count; i++) {
		const struct sim_key *key = &sim_keys[i];

		if (key->kind == SIM_KEY_TEXT || !key->standard)
			continue;
		/* just above the range; sizes are whole */
		str_format(text, sizeof(text), "%s%s = %.17g\n", GOOD, key->key, key->most * 2 + 1);
		assert_true(load(text, sentence, sizeof(sentence)) < 0);
		assert_true(str_starts_with(sentence, ":12: [one] "));
		assert_non_null(strstr(sentence, key->key));
	}
}

static void demo_fleet_is_complete(void **state)
{
	static const char *const names[] = {
		"pm9a3", "p4510", "p5520", "p5510", "p5", "ailing", "six"};
	struct sim_fleet *fleet = lab_demo();

	(void)state;
	assert_int_equal(fleet->drive_count, 7);
	assert_true(fleet->title[0] && fleet->help[0]);
	for (size_t i = 0; i < 7; i++) {
		const struct sim_drive *drive = sim_fleet_drive(fleet, names[i]);

		assert_non_null(drive);
		assert_true(str_starts_with(drive->is.model, "SIM "));
		for (size_t k = 0; k < fleet->drive_count; k++)
			assert_true(&fleet->drives[k] == drive ||
				strcmp(fleet->drives[k].is.serial, drive->is.serial));
	}
	assert_int_equal(sim_fleet_drive(fleet, "six")->namespace_count, 6);
	sim_fleet_free(fleet);
}

static void names_find_drives(void **state)
{
	struct sim_fleet *fleet = lab_demo();
	struct sim_namespace *ns;
	struct err err = {0};

	(void)state;
	assert_int_equal(sim_fleet_find(fleet, "demo:six", &ns, &err), 0);
	assert_string_equal(ns->name, "sixn1");
	assert_int_equal(sim_fleet_find(fleet, "demo:sixn4", &ns, &err), 0);
	assert_int_equal(ns->nsid, 4);
	assert_int_equal(sim_fleet_find(fleet, "p5n1", &ns, &err), 0);
	assert_ptr_equal(ns->drive, sim_fleet_drive(fleet, "p5"));
	assert_int_equal(sim_fleet_find(fleet, "demo:sixn7", &ns, &err), -ENOENT);
	assert_int_equal(err.exit, ERR_EXIT_USAGE);
	assert_non_null(strstr(err.text, "sixn"));
	assert_int_equal(sim_fleet_find(fleet, "demo:", &ns, &err), -ENOENT);
	assert_int_equal(sim_fleet_find(fleet, "demo:demo:p5", &ns, &err), -ENOENT);
	sim_fleet_free(fleet);
}

static void unknown_fleets(void **state)
{
	struct sim_fleet *fleet = NULL;
	struct clock clock;
	struct err err = {0};

	(void)state;
	clock_init_free(&clock);
	assert_int_equal(sim_fleet_load("nowhere", 1, &clock, &fleet, &err), -ENOENT);
	assert_int_equal(err.exit, ERR_EXIT_USAGE);
	assert_non_null(strstr(err.text, "there are: demo"));
	assert_true(sim_fleet_load("/nowhere/at/all.ini", 1, &clock, &fleet, &err) < 0);
	assert_int_equal(err.exit, ERR_EXIT_USAGE);
	assert_true(sim_fleet_load("/tmp", 1, &clock, &fleet, &err) < 0);
	assert_null(fleet);
}

static int no_overlays(void **state)
{
	(void)state;
	assets_set_folders("", "");
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(impossible_drives_are_refused),
		cmocka_unit_test(every_parameter_has_a_range),
		cmocka_unit_test(demo_fleet_is_complete),
		cmocka_unit_test(names_find_drives),
		cmocka_unit_test(unknown_fleets),
	};

	return cmocka_run_group_tests_name("sim/fleet", tests, no_overlays, NULL);
}
