/* Captures: what was written comes back the same, whatever happens to the file. */
#include "tree.h"
#include "mock.h"

#include <fcntl.h>

#include "base/file.h"
#include "nvme/capture.h"
#include "nvme/capture_format.h"
#include "nvme/capture_replay.h"
#include "nvme/libnvme.h"

#define TAKEN 1764510000
#define LAST_RECORD_BYTES 40
/* Under a sanitizer everything takes ten times as long: the same with fewer places. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STEP 13
#else
#define STEP 1
#endif

static struct mock *make_fleet(void)
{
	static const uint32_t nsids[] = {1, 2, 9};
	struct mock *mock = mock_new();
	struct topology_namespace *head;
	struct topology_controller *c;
	uint8_t page[NVME_IDENTIFY_BYTES];

	mock_add_drive(mock, "nvme0", nsids, 3);
	mock_namespace_page(page, 468843606, 12, 16, true);
	mock_answer(mock, "nvme0", false, NVME_CNS_NAMESPACE, 9, page, sizeof(page));
	for (unsigned i = 0; i < 3; i++)
		mock_refuse(mock, "nvme0", false, NVME_CNS_DESCRIPTORS, nsids[i], -EREMOTEIO,
			0x4002, "Invalid Field in Command (0x4002)");
	mock_add_drive(mock, "nvme1", NULL, 0);
	mock_refuse(mock, "nvme1", true, NVME_LOG_SMART, UINT32_MAX, -EREMOTEIO, 0x4109,
		"Invalid Log Page (0x4109)");
	c = mock_add_controller(mock, "nvme2", "connecting");
	str_copy(c->transport, sizeof(c->transport), "tcp");
	str_copy(c->address, sizeof(c->address), "traddr=192.0.2.7,trsvcid=4420");
	str_copy(c->nqn, sizeof(c->nqn), "nqn.2014-08.org.example:a=b");
	c->node_visible = false;
	head = mock_add_namespace(mock, "nvme7n1", "", 4, 1 << 20);
	str_copy(head->nguid, sizeof(head->nguid), "3000000057700001002538470000000a");
	mock_add_path(head, "nvme7c1n1", "nvme1");
	mock_add_path(head, "nvme7c2n1", "nvme2");
	mock_namespace_page(page, 2048, 9, 0, false);
	mock_answer(mock, "nvme1", false, NVME_CNS_NAMESPACE, 4, page, sizeof(page));
	mock->env.link_gts = 16;
	mock->env.link_max_gts = 32;
	mock->env.link_width = 2;
	mock->env.link_max_width = 4;
	mock->env.slot_max_gts = 2.5;
	mock->env.slot_max_width = 16;
	mock->env.numa_node = 1;
	str_copy(mock->env.power_state, sizeof(mock->env.power_state), "D0");
	mock->env.sensor_count = 2;
	str_copy(mock->env.sensors[0].label, 32, "Composite");
	mock->env.sensors[0].value_mc = (struct field_int){true, -10150};
	mock->env.sensors[0].critical_mc = (struct field_int){true, 79850};
	str_copy(mock->env.sensors[1].label, 32, "Sensor 1");
	return mock;
}

static void destroy_fleet(struct mock *mock)
{
	transport_destroy(&mock->base);
	assert_true(mock->destroyed);
	mock_free(mock);
}

/* Writes a capture of the fleet; returns its bytes. */
static char *capture_fleet(struct mock *mock, size_t *length, char **notes)
{
	char *root = tree_make(), path[256], *bytes;
	struct err err = {0};

	snprintf(path, sizeof(path), "%s/c.nvcap", root);
	if (capture_write(&mock->base, NULL, 0, path, notes, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(file_read(path, 1 << 24, &bytes, length, NULL), 0);
	tree_remove(root);
	return bytes;
}

static char *copy_bytes(const char *bytes, size_t length)
{
	char *copy = malloc(length > 0 ? length : 1);

	assert_non_null(copy);
	memcpy(copy, bytes, length);
	return copy;
}

/* The replay answers a command as the drive did. */
static void compare_page(struct transport *replay, struct mock *mock, const char *controller,
	uint8_t cns, uint32_t nsid)
{
	uint8_t a[NVME_IDENTIFY_BYTES], b[NVME_IDENTIFY_BYTES];
	struct nvme_status as, bs;
	size_t a_got, b_got;
	struct err err;
	int a_rc = mock->ops.identify(
		&mock->base, controller, cns, nsid, a, sizeof(a), &a_got, &as, &err);
	int b_rc = replay->ops->identify(
		replay, controller, cns, nsid, b, sizeof(b), &b_got, &bs, &err);

	assert_int_equal(a_rc, b_rc);
	assert_int_equal(as.word, bs.word);
	assert_string_equal(as.text, bs.text);
	assert_int_equal(a_got, b_got);
	assert_memory_equal(a, b, sizeof(a));
}

static void compare_fleet(struct transport *replay, struct mock *mock)
{
	struct topology *a, *b;
	struct environment env;

	assert_int_equal(mock->ops.list(&mock->base, &a, NULL), 0);
	assert_int_equal(replay->ops->list(replay, &b, NULL), 0);
	assert_true(topology_equal(a, b));
	topology_free(a);
	topology_free(b);
	replay->ops->environment(replay, "nvme0", &env);
	assert_memory_equal(&env, &mock->env, sizeof(env));
	compare_page(replay, mock, "nvme0", NVME_CNS_CONTROLLER, 0);
	compare_page(replay, mock, "nvme0", NVME_CNS_ACTIVE_LIST, 0);
	compare_page(replay, mock, "nvme0", NVME_CNS_NAMESPACE, 1);
	compare_page(replay, mock, "nvme0", NVME_CNS_NAMESPACE, 9);
	compare_page(replay, mock, "nvme0", NVME_CNS_DESCRIPTORS, 9);
	compare_page(replay, mock, "nvme1", NVME_CNS_CONTROLLER, 0);
	compare_page(replay, mock, "nvme1", NVME_CNS_NAMESPACE, 4);
}

static void test_round_trip(void **state)
{
	struct mock *mock = make_fleet();
	char *notes, warning[256];
	size_t length, got;
	char *bytes = capture_fleet(mock, &length, &notes);
	struct transport *replay;
	struct nvme_status status;
	struct err err;
	uint8_t smart[NVME_SMART_BYTES], expected[NVME_SMART_BYTES];
	struct log_request request = {
		.log_id = NVME_LOG_SMART, .nsid = UINT32_MAX, .length = sizeof(smart)};

	(void)state;
	/* one line for each thing that is missing */
	assert_non_null(strstr(notes, "nvme1: SMART was refused: Invalid Log Page (0x4109)\n"));
	assert_non_null(strstr(notes, "nvme2 is connecting: no commands are sent to it\n"));
	assert_null(strstr(notes, "nvme0: SMART"));
	free(notes);
	assert_int_equal(capture_replay_open(
				 "c", bytes, length, 77, &replay, warning, sizeof(warning), NULL),
		0);
	assert_string_equal(warning, "");
	assert_false(replay->ops->live);
	assert_false(replay->ops->simulated);
	compare_fleet(replay, mock);
	mock_smart_page(expected, 300);
	for (int retain = 0; retain < 2; retain++) {
		request.retain_event = retain != 0;
		assert_int_equal(
			replay->ops->get_log(replay, "nvme0", &request, smart, &got, &status, &err),
			0);
		assert_int_equal(got, sizeof(smart));
		assert_memory_equal(smart, expected, sizeof(smart));
		assert_int_equal(
			replay->ops->get_log(replay, "nvme1", &request, smart, &got, &status, &err),
			-EREMOTEIO);
		assert_int_equal(status.word, 0x4109);
	}
	/* a part of a page, and one beyond its end */
	request.offset = 1;
	request.length = 2;
	assert_int_equal(
		replay->ops->get_log(replay, "nvme0", &request, smart, &got, &status, &err), 0);
	assert_int_equal(got, 2);
	assert_memory_equal(smart, expected + 1, 2);
	request.offset = 511;
	request.length = 64;
	assert_int_equal(
		replay->ops->get_log(replay, "nvme0", &request, smart, &got, &status, &err), 0);
	assert_int_equal(got, 1);
	request.offset = 513;
	assert_int_equal(
		replay->ops->get_log(replay, "nvme0", &request, smart, &got, &status, &err),
		-ENODATA);
	/* what was never asked */
	request = (struct log_request){.log_id = 7, .nsid = UINT32_MAX, .length = 512};
	assert_int_equal(
		replay->ops->get_log(replay, "nvme0", &request, smart, &got, &status, &err),
		-ENODATA);
	transport_destroy(replay);
	destroy_fleet(mock);
}

/* A capture of a replay is the same but for its time. */
static void test_capture_of_capture(void **state)
{
	struct mock *mock = make_fleet();
	size_t length;
	char *bytes = capture_fleet(mock, &length, NULL), *again, path[256], *root = tree_make();
	struct transport *replay, *second;

	(void)state;
	assert_int_equal(capture_replay_open("c", bytes, length, 77, &replay, NULL, 0, NULL), 0);
	snprintf(path, sizeof(path), "%s/2", root);
	assert_int_equal(capture_write(replay, NULL, 0, path, NULL, NULL), 0);
	transport_destroy(replay);
	assert_int_equal(file_read(path, 1 << 24, &again, &length, NULL), 0);
	assert_int_equal(capture_replay_open("2", again, length, 77, &second, NULL, 0, NULL), 0);
	compare_fleet(second, mock);
	transport_destroy(second);
	tree_remove(root);
	destroy_fleet(mock);
}

static void test_one_controller(void **state)
{
	const char *const names[] = {"nvme1"}, *const wrong[] = {"nvme9"};
	struct mock *mock = make_fleet();
	char *root = tree_make(), path[256];
	struct transport *replay;
	struct topology *t;
	struct err err = {0};

	(void)state;
	snprintf(path, sizeof(path), "%s/c", root);
	assert_int_equal(capture_write(&mock->base, wrong, 1, path, NULL, &err), -ENOENT);
	assert_non_null(strstr(err.text, "nvme9"));
	assert_int_equal(err.exit, ERR_EXIT_USAGE);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(capture_write(&mock->base, names, 1, path, NULL, NULL), 0);
	assert_int_equal(transport_capture_open(path, &replay, NULL, 0, NULL), 0);
	assert_int_equal(replay->ops->list(replay, &t, NULL), 0);
	assert_int_equal(t->controller_count, 1);
	assert_int_equal(t->namespace_count, 1);
	assert_string_equal(t->namespaces[0].name, "nvme7n1");
	assert_int_equal(t->namespaces[0].path_count, 2);
	topology_free(t);
	transport_destroy(replay);
	tree_remove(root);
	destroy_fleet(mock);
}

/* Both answers of firmware that gives zeros under RAE = 1 are kept (CASES S1). */
static void test_smart_clears(void **state)
{
	struct mock *mock = mock_new();
	uint8_t page[NVME_SMART_BYTES] = {0}, smart[NVME_SMART_BYTES];
	struct log_request request = {.log_id = NVME_LOG_SMART,
		.nsid = UINT32_MAX,
		.retain_event = true,
		.length = sizeof(smart)};
	struct nvme_status status;
	struct transport *replay;
	size_t length, got;
	struct mock_answer *zeros, *good;

	(void)state;
	mock_add_drive(mock, "nvme0", NULL, 0);
	zeros = mock_answer(mock, "nvme0", true, NVME_LOG_SMART, UINT32_MAX, page, sizeof(page));
	good = &mock->answers[mock->answer_count++];
	*good = *zeros;
	mock_smart_page(good->bytes, 310);
	zeros->retain = 1;
	good->retain = 0;
	char *bytes = capture_fleet(mock, &length, NULL);
	assert_int_equal(zeros->asked, 1);
	assert_int_equal(good->asked, 1);
	assert_int_equal(capture_replay_open("c", bytes, length, 77, &replay, NULL, 0, NULL), 0);
	assert_int_equal(
		replay->ops->get_log(replay, "nvme0", &request, smart, &got, &status, NULL), 0);
	assert_memory_equal(smart, page, sizeof(page));
	request.retain_event = false;
	assert_int_equal(
		replay->ops->get_log(replay, "nvme0", &request, smart, &got, &status, NULL), 0);
	assert_memory_equal(smart, good->bytes, sizeof(page));
	transport_destroy(replay);
	destroy_fleet(mock);
}

/* Asks for everything, so that no damaged content goes unread. */
static void read_all(struct transport *replay)
{
	struct topology *t;
	struct environment env;
	uint8_t page[NVME_IDENTIFY_BYTES];
	struct nvme_status status;
	size_t got;

	assert_int_equal(replay->ops->list(replay, &t, NULL), 0);
	for (size_t i = 0; i < t->controller_count; i++) {
		replay->ops->environment(replay, t->controllers[i].name, &env);
		replay->ops->identify(replay, t->controllers[i].name, NVME_CNS_CONTROLLER, 0, page,
			sizeof(page), &got, &status, NULL);
	}
	topology_free(t);
}

/* Cut at every length: a sentence, or what is whole and a warning. */
static void test_cut(void **state)
{
	struct mock *mock = make_fleet();
	size_t length, opened = 0;
	char *bytes = capture_fleet(mock, &length, NULL);

	(void)state;
	for (size_t cut = 0; cut < length; cut += cut < 2000 ? STEP : 97 * STEP) {
		struct transport *replay;
		struct err err = {0};
		char warning[256] = "";

		if (capture_replay_open("c", copy_bytes(bytes, cut), cut, 77, &replay, warning,
			    sizeof(warning), &err) < 0) {
			assert_true(err.text[0] != '\0');
			continue;
		}
		opened++;
		assert_non_null(strstr(warning, "cut short"));
		read_all(replay);
		transport_destroy(replay);
	}
	assert_true(opened > 100);
	free(bytes);
	destroy_fleet(mock);
}

/* Every byte damaged once (of pages every 61st): never silently, and at most its own record is lost. */
static void test_damage(void **state)
{
	struct mock *mock = make_fleet();
	size_t length;
	char *bytes = capture_fleet(mock, &length, NULL);

	(void)state;
	for (size_t at = 0; at < length; at += at < 3000 ? STEP : 61 * STEP) {
		struct transport *replay;
		struct err err = {0};
		char warning[256] = "", *damaged = copy_bytes(bytes, length);
		struct topology *t;

		damaged[at] ^= 0x41;
		if (capture_replay_open("c", damaged, length, 77, &replay, warning, sizeof(warning),
			    &err) < 0) {
			assert_true(at < 16); /* "is no capture" */
			continue;
		}
		/* without the last record's head it looks cut */
		assert_non_null(
			strstr(warning, at < length - LAST_RECORD_BYTES ? "c is damaged" : "c is"));
		assert_int_equal(replay->ops->list(replay, &t, NULL), 0);
		/* a controller whose record is lost is known by its pages; nvme2 has none */
		assert_true(t->controller_count >= 2);
		assert_true(t->namespace_count >= 3);
		topology_free(t);
		read_all(replay);
		transport_destroy(replay);
	}
	free(bytes);
	destroy_fleet(mock);
}

static void write_u32(char *bytes, size_t at, uint32_t value)
{
	page_put_u32((uint8_t *)bytes, at, value);
}

static void test_versions(void **state)
{
	struct mock *mock = make_fleet();
	size_t length;
	char *bytes = capture_fleet(mock, &length, NULL), *copy, warning[256];
	struct transport *replay;
	struct err err = {0};

	(void)state;
	/* a newer revision is read, a newer format is not */
	copy = copy_bytes(bytes, length);
	write_u32(copy, 20, CAPTURE_REVISION + 1);
	write_u32(copy, 24, capture_crc32(copy, 24));
	assert_int_equal(
		capture_replay_open("c", copy, length, 77, &replay, warning, sizeof(warning), &err),
		0);
	assert_non_null(strstr(warning, "newer nvsweep"));
	transport_destroy(replay);
	copy = copy_bytes(bytes, length);
	write_u32(copy, 16, CAPTURE_FORMAT_SIMULATED + 1);
	write_u32(copy, 24, capture_crc32(copy, 24));
	assert_int_equal(
		capture_replay_open("c", copy, length, 77, &replay, warning, sizeof(warning), &err),
		-ENOTSUP);
	assert_non_null(strstr(err.text, "newer nvsweep"));
	assert_null(replay);
	free(bytes);
	destroy_fleet(mock);
}

/* Records of later revisions are passed over; crafted content does no harm. */
static void test_crafted(void **state)
{
	struct capture_writer writer;
	struct topology_controller controller = {.name = "../../etc/x", .state = "live"};
	struct capture_namespace ns = {.index = 3, .topo = {.name = "nvme0n1", .nsid = 1}};
	struct capture_path path = {.index = 77, .topo = {.name = "nvme0c0n1"}};
	struct capture_page page = {.controller = "nvme5", .result = 12};
	struct capture_sensor sensor = {.controller = "nvme5", .label = "A"};
	struct capture_environment env = {.controller = "nvme5"};
	struct capture_info info = {.program = "x"}, old = {.written_at = TAKEN};
	struct transport *replay;
	struct topology *t;
	struct environment got_env;
	char warning[256];
	uint8_t buf[64];
	struct nvme_status status;
	size_t got;

	(void)state;
	capture_begin(&writer, false);
	capture_put(&writer, CAPTURE_SENSOR, &sensor); /* before its environment */
	capture_put(&writer, CAPTURE_CONTROLLER, &controller);
	capture_put(&writer, CAPTURE_CONTROLLER, &controller); /* twice */
	capture_put(&writer, CAPTURE_NAMESPACE, &ns);
	capture_put(&writer, CAPTURE_PATH, &path); /* of no namespace */
	capture_put(&writer, CAPTURE_ENVIRONMENT, &env);
	for (int i = 0; i < 2 * ENVIRONMENT_SENSORS; i++)
		capture_put(&writer, CAPTURE_SENSOR, &sensor);
	capture_put_page(&writer, &page);
	/* an unknown type: an information record under another number, checksums mended */
	const size_t at = writer.file.length;
	capture_put(&writer, CAPTURE_INFO, &info);
	write_u32(writer.file.text, at + 4, 999);
	write_u32(writer.file.text, at + 16, capture_crc32(writer.file.text + at, 16));
	capture_finish(&writer);
	assert_int_equal(capture_replay_open("c", writer.file.text, writer.file.length, 77, &replay,
				 warning, sizeof(warning), NULL),
		0);
	assert_string_equal(warning, "");
	assert_int_equal(replay->ops->list(replay, &t, NULL), 0);
	assert_int_equal(t->controller_count, 2);
	assert_string_equal(t->controllers[0].name, "..?..?etc?x");
	assert_string_equal(t->controllers[1].name, "nvme5");
	assert_int_equal(t->namespaces[0].path_count, 0);
	topology_free(t);
	replay->ops->environment(replay, "nvme5", &got_env);
	assert_int_equal(got_env.sensor_count, ENVIRONMENT_SENSORS);
	/* a result that no transport gives */
	assert_int_equal(
		replay->ops->identify(replay, "nvme5", 0, 0, buf, sizeof(buf), &got, &status, NULL),
		-EIO);
	/* without its information the time is the file's, with it the capture's, copied with it too */
	assert_int_equal(replay->ops->taken_at(replay), 77);
	transport_destroy(replay);
	capture_begin(&writer, false);
	capture_put(&writer, CAPTURE_INFO, &old);
	capture_put(&writer, CAPTURE_CONTROLLER, &controller);
	capture_finish(&writer);
	assert_int_equal(capture_replay_open("c", writer.file.text, writer.file.length, 77, &replay,
				 warning, sizeof(warning), NULL),
		0);
	assert_int_equal(replay->ops->taken_at(replay), TAKEN);
	char *root = tree_make(), copy[256];
	struct transport *again;

	snprintf(copy, sizeof(copy), "%s/copy", root);
	assert_int_equal(capture_write(replay, NULL, 0, copy, NULL, NULL), 0);
	assert_int_equal(transport_capture_open(copy, &again, NULL, 0, NULL), 0);
	assert_int_equal(again->ops->taken_at(again), TAKEN);
	transport_destroy(again);
	transport_destroy(replay);
	tree_remove(root);
}

/* Simulated drives stay so in a capture, also where the header or the information is damaged. */
static void test_simulated(void **state)
{
	struct topology_controller controller = {.name = "sim0", .state = "live"};
	struct capture_info info = {.program = "x", .simulated = true};

	(void)state;
	for (int damage = 0; damage < 3; damage++) {
		struct capture_writer writer;
		struct transport *replay;

		capture_begin(&writer, true);
		capture_put(&writer, CAPTURE_INFO, &info);
		capture_put(&writer, CAPTURE_CONTROLLER, &controller);
		capture_finish(&writer);
		if (damage == 1)
			writer.file.text[16] ^= 3; /* 2 becomes 1 */
		if (damage == 2)
			writer.file.text[28 + 24] ^= 1; /* in the first record's payload */
		assert_int_equal(capture_replay_open("c", writer.file.text, writer.file.length, 77,
					 &replay, NULL, 0, NULL),
			0);
		assert_true(replay->ops->simulated);
		assert_false(replay->ops->live);
		transport_destroy(replay);
	}
}

/* A file of many small records must not keep the program busy for ever: each drive is looked up
 * among all the others. */
static void test_crowded(void **state)
{
	enum { CONTROLLERS = 1500, NAMESPACES = 9000, PATHS = 100 };
	struct capture_writer writer;
	struct transport *replay;
	struct topology *t;
	char warning[256];

	(void)state;
	capture_begin(&writer, false);
	for (unsigned i = 0; i < CONTROLLERS; i++) {
		struct topology_controller controller = {.state = "live"};
		struct capture_page page = {0};

		str_format(controller.name, sizeof(controller.name), "nvme%u", i);
		str_format(page.controller, sizeof(page.controller), "nvme%u", CONTROLLERS + i);
		capture_put(&writer, CAPTURE_CONTROLLER, &controller);
		capture_put_page(&writer, &page);
	}
	for (unsigned i = 0; i < NAMESPACES; i++) {
		const struct capture_namespace ns = {.index = i, .topo = {.nsid = i + 1}};

		capture_put(&writer, CAPTURE_NAMESPACE, &ns);
	}
	for (unsigned i = 0; i < PATHS; i++) {
		const struct capture_path path = {.index = 0, .topo = {.controller = "nvme0"}};

		capture_put(&writer, CAPTURE_PATH, &path);
	}
	capture_finish(&writer);
	assert_int_equal(capture_replay_open("c", writer.file.text, writer.file.length, 77, &replay,
				 warning, sizeof(warning), NULL),
		0);
	assert_string_equal(
		warning, "c holds more drives or pages than any machine has: the rest is left out");
	assert_int_equal(replay->ops->list(replay, &t, NULL), 0);
	assert_int_equal(t->controller_count, 1024);
	assert_int_equal(t->namespace_count, 8192);
	assert_int_equal(t->namespaces[0].path_count, 64);
	assert_string_equal(t->controllers[1023].name, "nvme1023");
	topology_free(t);
	transport_destroy(replay);
}

static void test_no_capture(void **state)
{
	char *root = tree_make(), path[256], warning[256];
	struct transport *replay;
	struct err err = {0};

	(void)state;
	snprintf(path, sizeof(path), "%s/none", root);
	assert_int_equal(
		transport_capture_open(path, &replay, warning, sizeof(warning), &err), -ENOENT);
	assert_non_null(strstr(err.text, path));
	assert_true(transport_capture_open(root, &replay, warning, sizeof(warning), &err) < 0);
	tree_text(root, "empty", "");
	tree_bytes(root, "empty", "", 0);
	snprintf(path, sizeof(path), "%s/empty", root);
	assert_int_equal(
		transport_capture_open(path, &replay, warning, sizeof(warning), &err), -EINVAL);
	assert_non_null(strstr(err.text, "is no capture"));
	tree_text(root, "text", "NVSWEEP but something else entirely, and long enough");
	snprintf(path, sizeof(path), "%s/text", root);
	assert_int_equal(
		transport_capture_open(path, &replay, warning, sizeof(warning), &err), -EINVAL);
	assert_null(replay);
	tree_remove(root);
}

static void test_nothing_to_capture(void **state)
{
	struct mock *mock = mock_new();
	char *root = tree_make(), path[256];
	struct err err = {0};

	(void)state;
	snprintf(path, sizeof(path), "%s/c", root);
	assert_int_equal(capture_write(&mock->base, NULL, 0, path, NULL, &err), -ENOENT);
	assert_int_equal(access(path, F_OK), -1);
	tree_remove(root);
	destroy_fleet(mock);
}

/* The published check value of CRC-32. */
static void test_crc(void **state)
{
	(void)state;
	assert_true(capture_crc32("123456789", 9) == 0xcbf43926u);
	assert_true(capture_crc32("", 0) == 0);
}

/* The live transport without a node, without a valid name, and with a node that is no controller. */
static void test_live_errors(void **state)
{
	char *root = tree_make();
	struct transport *live;
	struct nvme_status status;
	struct err err = {0};
	uint8_t page[NVME_IDENTIFY_BYTES];
	size_t got;

	(void)state;
	assert_int_equal(transport_libnvme_create(root, root, &live, &err), 0);
	assert_true(live->ops->live);
	assert_int_equal(live->ops->identify(live, "nvme0", NVME_CNS_CONTROLLER, 0, page,
				 sizeof(page), &got, &status, &err),
		-ENOENT);
	assert_non_null(strstr(err.text, "container"));
	assert_int_equal(live->ops->identify(live, "../nvme0", NVME_CNS_CONTROLLER, 0, page,
				 sizeof(page), &got, &status, &err),
		-EINVAL);
	tree_text(root, "dev/nvme0", "");
	assert_int_equal(live->ops->identify(live, "nvme0", NVME_CNS_CONTROLLER, 0, page,
				 sizeof(page), &got, &status, &err),
		-ENOTTY);
	assert_non_null(strstr(err.text, "nvme0"));
	assert_int_equal(got, 0);
	transport_destroy(live);
	tree_remove(root);
}

static void test_status_text(void **state)
{
	char text[96];

	(void)state;
	transport_status_text(0x4002, text, sizeof(text));
	assert_string_equal(text, "Invalid Field in Command (0x4002)");
	transport_status_text(0x2109, text, sizeof(text));
	assert_string_equal(text, "Invalid Log Page (0x2109)");
	transport_status_text(0xffff, text, sizeof(text));
	assert_non_null(strstr(text, "(0xffff)"));
	/* refused for good: not supported, or Do Not Retry */
	assert_true(transport_status_final(0x2));
	assert_true(transport_status_final(0x2002));
	assert_true(transport_status_final(0x109));
	assert_true(transport_status_final(0x4006));
	assert_false(transport_status_final(0x6));
	assert_false(transport_status_final(0x82));
	assert_true(strcmp(transport_libnvme_version(), "") != 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_capture_of_capture),
		cmocka_unit_test(test_one_controller),
		cmocka_unit_test(test_smart_clears),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_crafted),
		cmocka_unit_test(test_simulated),
		cmocka_unit_test(test_crowded),
		cmocka_unit_test(test_no_capture),
		cmocka_unit_test(test_nothing_to_capture),
		cmocka_unit_test(test_crc),
		cmocka_unit_test(test_live_errors),
		cmocka_unit_test(test_status_text),
	};

	return cmocka_run_group_tests_name("nvme/capture", tests, NULL, NULL);
}
