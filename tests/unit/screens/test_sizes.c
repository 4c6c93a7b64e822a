/* Every screen at every size, with no, one and many drives: nothing crashes, nothing is painted
 * outside, and the frame is the same when it is drawn again. */
#include "fixture.h"

/* Sizes: all small ones, where layouts break, and a grid of the others. */
static int next_size(int size, int most)
{
	const int step = size < 12 ? 1 : size < 24 ? 3 : 19;

	return size + step > most && size < most ? most : size + step;
}

static void draw_all_sizes(struct bench *bench)
{
	unsigned count = 0;

	for (int width = 1; width <= 250; width = next_size(width, 250)) {
		for (int height = 1; height <= 80; height = next_size(height, 80)) {
			char *frame = bench_frame(bench, width, height);
			int lines = 0;

			for (const char *c = frame; *c; c++)
				lines += *c == '\n';
			assert_int_equal(lines, height);
			/* drawing changes nothing */
			if (++count % 16 == 0) {
				char *again = bench_frame(bench, width, height);

				assert_string_equal(frame, again);
				free(again);
			}
			free(frame);
		}
	}
}

/* Also when the area itself is empty or negative, as between a tiny terminal's bars. */
static void draw_empty_areas(struct bench *bench)
{
	struct canvas *canvas = canvas_create(3, 2);
	struct screen *screen = bench_top(bench);

	for (int width = -2; width < 3; width++)
		for (int height = -2; height < 3; height++)
			screen->ops->draw(screen, canvas, (struct rect){0, 1, width, height});
	canvas_free(canvas);
}

static void visit(struct bench *bench)
{
	draw_all_sizes(bench);
	draw_empty_areas(bench);
}

static void test_drives(void **state)
{
	static const size_t counts[] = {0, 1, 8, 64};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct inventory *inventory = fixture_many(counts[i]);
		struct bench *bench = bench_create(inventory);

		bench_push(&bench->desk, screen_drives(&bench->desk));
		bench_keys(bench, "End");
		visit(bench);
		bench_keys(bench, "Home Space");
		visit(bench);
		bench_free(bench);
		fixture_free(inventory);
	}
	struct inventory *inventory = fixture_fleet();
	struct bench *bench = bench_create(inventory);
	bench_push(&bench->desk, screen_drives(&bench->desk));
	bench_keys(bench, "End Up");
	visit(bench);
	bench_free(bench);
	fixture_free(inventory);
}

static void test_drive(void **state)
{
	struct inventory *inventory = fixture_fleet();

	(void)state;
	for (int i = 0; i < 5; i++) {
		struct bench *bench = bench_create(inventory);

		bench_push(&bench->desk,
			screen_drive(&bench->desk, inventory->controllers[i].topo.name, NULL));
		for (int tab = 0; tab < 3; tab++) {
			bench_keys(bench, "End");
			visit(bench);
			bench_keys(bench, "Home Tab");
		}
		bench_free(bench);
	}
	fixture_free(inventory);
}

/* Every field reported and at its highest. */
static void most_of_all(struct smart *smart)
{
	const struct field_int byte = some(255), word = some(UINT32_MAX);
	const struct field_u128 most = {true, ~(u128)0};

	*smart = (struct smart){.critical_warning = 0xff,
		.temperature_c = some(65535 - 273),
		.available_spare = byte,
		.spare_threshold = byte,
		.percentage_used = byte,
		.endurance_group_warning = 0xff,
		.data_units_read = most,
		.data_units_written = most,
		.host_reads = most,
		.host_writes = most,
		.controller_busy_minutes = most,
		.power_cycles = most,
		.power_on_hours = most,
		.unsafe_shutdowns = most,
		.media_errors = most,
		.error_log_entries = most,
		.warning_temperature_minutes = word,
		.critical_temperature_minutes = word,
		.thermal1_count = word,
		.thermal2_count = word,
		.thermal1_seconds = word,
		.thermal2_seconds = word,
		.truncated = true};
	for (int i = 0; i < SMART_SENSORS; i++)
		smart->sensors_c[i] = some(-273);
}

/* A page in every state, and fields at their limits. */
static void test_drive_odd(void **state)
{
	struct inventory *inventory = fixture_fleet();
	struct bench *bench = bench_create(inventory);
	struct inventory_controller *c = &inventory->controllers[0];

	(void)state;
	bench_push(&bench->desk, screen_drive(&bench->desk, "nvme0", NULL));
	bench_keys(bench, "Tab");
	most_of_all(&c->smart);
	memset(&c->health, 0, sizeof(c->health));
	c->health.reason_count = HEALTH_MAX_REASONS;
	for (int i = 0; i < HEALTH_MAX_REASONS; i++) {
		memset(c->health.reasons[i].text, 'w', sizeof(c->health.reasons[i].text) - 1);
		c->health.reasons[i].text[255] = '\0';
	}
	for (int s = PAGE_NONE; s <= PAGE_EMPTY; s++) {
		for (int read = 0; read < 2; read++) {
			c->smart_info.state = c->identify_info.state = (enum page_state)s;
			c->smart_info.read_at = c->identify_info.read_at = read ? FIXTURE_TIME : 0;
			inventory->generation++;
			bench_top(bench)->ops->update(bench_top(bench));
			for (int tab = 0; tab < 3; tab++) {
				free(bench_frame(bench, 80, 24));
				free(bench_frame(bench, 200, 60));
				bench_keys(bench, "Tab");
			}
			free(bench_frame(bench, 20, 8));
		}
	}
	bench_free(bench);
	fixture_free(inventory);
}

static void test_form(void **state)
{
	struct inventory *inventory = fixture_fleet();
	struct bench *bench = bench_create(inventory);

	(void)state;
	bench_push(&bench->desk, screen_sweep_form(&bench->desk, "nvme0n1"));
	visit(bench);
	bench_keys(bench, "F3");
	visit(bench);
	bench_free(bench);
	fixture_free(inventory);
}

static void test_live(void **state)
{
	static const struct {
		size_t points;
		enum runner_state state;
	} cases[] = {{0, RUNNER_PREPARING}, {0, RUNNER_RUNNING}, {6, RUNNER_PAUSED},
		{0, RUNNER_ENDED}, {12, RUNNER_ENDED}};
	struct inventory *inventory = fixture_fleet();

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		struct bench *bench = bench_create(inventory);
		struct runner_view *run = fixture_run(cases[i].points, cases[i].state);

		if (!cases[i].points) {
			run->has_analysis = false;
			run->has_current = run->has_so_far = false;
			run->total_s = NAN;
			run->temperature_c = NAN;
			series_unref(run->series);
			run->series = series_create();
		}
		bench->desk.run = run;
		bench_push(&bench->desk, screen_live(&bench->desk));
		for (int view = 0; view < 3; view++) {
			visit(bench);
			bench_keys(bench, "l Tab");
		}
		bench->desk.run = NULL;
		visit(bench);
		bench_free(bench);
		runner_view_free(run);
	}
	fixture_free(inventory);
}

static void test_others(void **state)
{
	struct inventory *inventory = fixture_fleet();
	struct bench *bench = bench_create(inventory);

	(void)state;
	bench_push(&bench->desk, screen_help(&bench->desk, "live"));
	visit(bench);
	bench_push(&bench->desk, screen_results(&bench->desk));
	visit(bench);
	/* a run whose file is not there, alone and beside others */
	const struct store_entry gone = {.id = "none", .path = "/nonexistent/none.json"};
	const struct store_entry *const entries[] = {&gone, &gone};
	bench_push(&bench->desk, screen_run(&bench->desk, &gone));
	visit(bench);
	bench_push(&bench->desk, screen_compare(&bench->desk, entries, 2));
	visit(bench);
	bench_free(bench);
	fixture_free(inventory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_drives),
		cmocka_unit_test(test_drive),
		cmocka_unit_test(test_drive_odd),
		cmocka_unit_test(test_form),
		cmocka_unit_test(test_live),
		cmocka_unit_test(test_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
