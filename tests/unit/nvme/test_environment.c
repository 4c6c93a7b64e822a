/* hwmon, PCIe link and NUMA from hand-made trees. */
#include "tree.h"

#include <math.h>

#include "nvme/environment.h"

#define PORT "sys/devices/pci0000:00/0000:00:01.0"
#define DEVICE PORT "/0000:01:00.0"
#define CONTROLLER DEVICE "/nvme/nvme0"

static void make_drive(const char *root)
{
	tree_attributes(root, DEVICE, "current_link_speed", "8.0 GT/s PCIe", "max_link_speed",
		"16.0 GT/s PCIe", "current_link_width", "2", "max_link_width", "4", "numa_node",
		"1", "power_state", "D0", NULL);
	tree_attributes(
		root, PORT, "max_link_speed", "32.0 GT/s PCIe", "max_link_width", "16", NULL);
	tree_attributes(root, CONTROLLER, "transport", "pcie", "state", "live", NULL);
	tree_link(root, CONTROLLER "/device", DEVICE);
	tree_link(root, "sys/class/nvme/nvme0", CONTROLLER);
}

static void test_link(void **state)
{
	char *root = tree_make(), text[32];
	struct environment env;

	(void)state;
	make_drive(root);
	environment_read(root, "nvme0", &env);
	assert_true(env.link_gts == 8 && env.link_max_gts == 16 && env.slot_max_gts == 32);
	assert_int_equal(env.link_width, 2);
	assert_int_equal(env.link_max_width, 4);
	assert_int_equal(env.slot_max_width, 16);
	assert_int_equal(env.numa_node, 1);
	assert_string_equal(env.power_state, "D0");
	assert_int_equal(env.sensor_count, 0);
	assert_true(environment_link_narrowed(&env));
	environment_link_text(env.link_gts, env.link_width, text, sizeof(text));
	assert_string_equal(text, "3.0 x2");
	/* an x2 slot of the same generation is all the drive can have */
	tree_text(root, PORT "/max_link_width", "2");
	tree_text(root, PORT "/max_link_speed", "8.0 GT/s PCIe");
	environment_read(root, "nvme0", &env);
	assert_false(environment_link_narrowed(&env));
	/* a device that has fallen off the bus */
	tree_text(root, DEVICE "/current_link_speed", "Unknown");
	tree_text(root, DEVICE "/current_link_width", "63");
	environment_read(root, "nvme0", &env);
	assert_true(env.link_gts == 0 && env.link_width == 0);
	assert_false(environment_link_narrowed(&env));
	tree_remove(root);
}

/* Directly below the root of the bus there is no port to ask. */
static void test_no_port(void **state)
{
	char *root = tree_make();
	struct environment env;

	(void)state;
	tree_attributes(root, "sys/devices/pci0000:00/0000:00:05.0", "max_link_speed",
		"16.0 GT/s PCIe", "max_link_width", "4", "current_link_speed", "16.0 GT/s PCIe",
		"current_link_width", "4", "numa_node", "-1", NULL);
	tree_link(root, "sys/class/nvme/nvme1/device", "sys/devices/pci0000:00/0000:00:05.0");
	environment_read(root, "nvme1", &env);
	assert_true(env.slot_max_gts == 0 && env.slot_max_width == 0);
	assert_int_equal(env.link_width, 4);
	assert_int_equal(env.numa_node, -1);
	assert_false(environment_link_narrowed(&env));
	environment_read(root, "nvme7", &env); /* no such controller */
	assert_int_equal(env.numa_node, -1);
	assert_int_equal(env.link_width, 0);
	environment_read(root, "../nvme1", &env);
	assert_int_equal(env.link_width, 0);
	tree_remove(root);
}

/* The tree of CASES S3: limits of 0 K and 0xffff K mean none; S2: -273150 for ever. */
static void test_sensors(void **state)
{
	char *root = tree_make();
	struct environment env;

	(void)state;
	make_drive(root);
	tree_attributes(root, CONTROLLER "/hwmon3", "name", "nvme", "temp1_label", "Composite",
		"temp1_input", "41850", "temp1_max", "69850", "temp1_min", "-5150", "temp1_crit",
		"79850", "temp2_label", "Sensor 1", "temp2_input", "-10150", "temp2_max",
		"65261850", "temp2_min", "-273150", "temp3_label", "Sensor 2", "temp3_input",
		"-273150", "temp9_input", "151", NULL);
	environment_read(root, "nvme0", &env);
	assert_int_equal(env.sensor_count, 4);
	assert_string_equal(env.sensors[0].label, "Composite");
	assert_true(env.sensors[0].value_mc.reported && env.sensors[0].value_mc.value == 41850);
	assert_true(env.sensors[0].max_mc.reported && env.sensors[0].max_mc.value == 69850);
	assert_true(env.sensors[0].min_mc.reported && env.sensors[0].min_mc.value == -5150);
	assert_true(
		env.sensors[0].critical_mc.reported && env.sensors[0].critical_mc.value == 79850);
	assert_true(env.sensors[1].value_mc.reported && env.sensors[1].value_mc.value == -10150);
	assert_false(env.sensors[1].max_mc.reported);
	assert_false(env.sensors[1].min_mc.reported);
	assert_false(env.sensors[1].critical_mc.reported);
	assert_string_equal(env.sensors[2].label, "Sensor 2");
	assert_false(env.sensors[2].value_mc.reported);
	assert_string_equal(env.sensors[3].label, "Sensor 8");
	assert_true(env.sensors[3].value_mc.value == 151);
	tree_remove(root);
}

/* hwmon sends commands to the drive: none to one that is being reset (CASES T2). */
static void test_not_live(void **state)
{
	char *root = tree_make();
	struct environment env;

	(void)state;
	make_drive(root);
	tree_attributes(root, CONTROLLER "/hwmon0", "name", "nvme", "temp1_input", "41850", NULL);
	environment_read(root, "nvme0", &env);
	assert_int_equal(env.sensor_count, 1);
	tree_text(root, CONTROLLER "/state", "resetting");
	environment_read(root, "nvme0", &env);
	assert_int_equal(env.sensor_count, 0);
	assert_int_equal(env.link_width, 2);
	tree_remove(root);
}

/* Older kernels hang it on the PCI device; other hwmon chips are not the drive's. */
static void test_hwmon_places(void **state)
{
	char *root = tree_make();
	struct environment env;

	(void)state;
	make_drive(root);
	tree_attributes(root, CONTROLLER "/hwmon1", "name", "drivetemp", "temp1_input", "1", NULL);
	environment_read(root, "nvme0", &env);
	assert_int_equal(env.sensor_count, 0);
	tree_attributes(root, DEVICE "/hwmon/hwmon2", "name", "nvme", "temp1_input", "5000", NULL);
	environment_read(root, "nvme0", &env);
	assert_int_equal(env.sensor_count, 1);
	assert_string_equal(env.sensors[0].label, "Composite");
	tree_remove(root);
}

/* A fabric's device is no PCI device, whatever it shows. */
static void test_fabric(void **state)
{
	char *root = tree_make();
	struct environment env;

	(void)state;
	tree_text(root, "sys/class/nvme/nvme0/transport", "tcp");
	tree_text(root, "sys/class/nvme/nvme0/device/current_link_width", "4");
	environment_read(root, "nvme0", &env);
	assert_int_equal(env.link_width, 0);
	tree_remove(root);
}

static void test_texts(void **state)
{
	static const struct {
		double gts;
		int width;
		const char *text;
	} cases[] = {{2.5, 1, "1.0 x1"}, {5, 2, "2.0 x2"}, {8, 4, "3.0 x4"}, {16, 4, "4.0 x4"},
		{32, 2, "5.0 x2"}, {64, 16, "6.0 x16"}, {12, 4, "12 GT/s x4"}, {0, 4, "-"},
		{8, 0, "-"}, {NAN, 4, "-"}};
	char text[32];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		environment_link_text(cases[i].gts, cases[i].width, text, sizeof(text));
		assert_string_equal(text, cases[i].text);
	}
}

static void assert_between(double value, double low, double high)
{
	if (!(value >= low && value <= high))
		fail_msg("%g is not between %g and %g", value, low, high);
}

/* Against what is published of drives that fill their link: sequential reads of 3.0 x4 drives end at
 * 3.4 to 3.6 GB/s, of 4.0 x4 at 7.0 to 7.5, of 5.0 x4 at 14 to 14.9; raw rates lie above. */
static void test_link_bytes(void **state)
{
	(void)state;
	assert_between(environment_link_bytes(8, 4), 3.5e9, 3.938e9);
	assert_between(environment_link_bytes(16, 4), 7.1e9, 7.877e9);
	assert_between(environment_link_bytes(32, 4), 14.3e9, 15.754e9);
	assert_between(environment_link_bytes(5, 4), 1.7e9, 2.0e9);
	assert_between(environment_link_bytes(64, 4), 26e9, 32e9);
	assert_true(environment_link_bytes(0, 4) == 0);
	assert_true(environment_link_bytes(8, 0) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_link),
		cmocka_unit_test(test_no_port),
		cmocka_unit_test(test_sensors),
		cmocka_unit_test(test_not_live),
		cmocka_unit_test(test_hwmon_places),
		cmocka_unit_test(test_fabric),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_link_bytes),
	};

	return cmocka_run_group_tests_name("nvme/environment", tests, NULL, NULL);
}
