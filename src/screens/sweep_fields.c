/* Fields of the sweep form: made from the table of parameters, read back into it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "screens/format.h"
#include "screens/sweep_form.h"
#include "sweep/method.h"
#include "sweep/target.h"

/* Parameters that always show, in this order; the others are behind ADVANCED. */
static const char *const basic[] = {"area_pct", "arrivals", "outstanding", "rate_iops", "bytes",
	"point_s", "warmup_s", "p99_limit_us", "prepare", "seed", "time_factor"};
#define BASIC_COUNT (sizeof(basic) / sizeof(basic[0]))

static const struct {
	const char *key, *label;
} labels[] = {
	{"area_pct", "Area (%)"},
	{"arrivals", "Arrivals"},
	{"outstanding", "Outstanding"},
	{"rate_iops", "Rate (IOPS)"},
	{"bytes", "Bytes"},
	{"point_s", "Point (s)"},
	{"warmup_s", "Warm-up (s)"},
	{"p99_limit_us", "p99 limit (µs)"},
	{"prepare", "Prepare"},
	{"prepare_passes", "Fill passes"},
	{"seed", "Seed"},
	{"pace", "Pace"},
	{"offset_bytes", "Offset (bytes)"},
	{"points", "Points (%)"},
	{"depths", "Depths"},
	{"maximum_s", "Search (s)"},
	{"block_bytes", "Block size"},
	{"read_pct", "Reads (%)"},
	{"random_pct", "Random (%)"},
	{"reducible_pct", "Reducible (%)"},
	{"prepare", "Prepare"},
	{"prepare_passes", "Fill passes"},
	{"prepare_passes", "Passes"},
	{"backend", "Backend"},
	{"polled", "Polled"},
	{"workers", "Workers"},
	{"time_factor", "Time factor"},
};

static const char *label_of(const struct option_row *row)
{
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
		if (!strcmp(labels[i].key, row->key))
			return labels[i].label;
	return row->key;
}

static bool is_basic(const char *key)
{
	for (size_t i = 0; i < BASIC_COUNT; i++)
		if (!strcmp(basic[i], key))
			return true;
	return false;
}

int sweep_fields_check_target(const struct sweep_form *sweep, const char *name, struct err *err)
{
	const struct inventory *inventory = sweep->screen.desk->inventory;
	const struct inventory_namespace *ns = NULL;

	if (inventory)
		ns = inventory_find_namespace(
			inventory, str_starts_with(name, "/dev/") ? name + 5 : name);
	/* The drive of the same name in this machine is another one. */
	if (ns && ns->replayed)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"%s is part of a replay: there is no drive behind it to test", name);
	if (ns && ns->no_sweep[0])
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL, "%s cannot be tested: %s", name,
			ns->no_sweep);
	return 0;
}

/* Splits "a, b" into targets; false when there are too many. */
static bool split_targets(const char *text, char targets[][256], size_t *count)
{
	char copy[512];
	char *save = NULL;

	*count = 0;
	str_copy(copy, sizeof(copy), text);
	for (char *name = strtok_r(copy, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		name = str_trim(name);
		if (!*name)
			continue;
		if (*count == SWEEP_TARGETS_MAX)
			return false;
		str_copy(targets[(*count)++], 256, name);
	}
	return true;
}

static int validate(void *user, const char *key, const char *value, struct err *err)
{
	struct sweep_form *sweep = user;
	const struct option_row *row = options_find(key);
	struct options scratch;
	char targets[SWEEP_TARGETS_MAX][256];
	size_t count;

	if (row) {
		const size_t length = strlen(key);
		int rc;

		options_defaults(&scratch);
		rc = value[0] ? options_set_value(&scratch, key, value, err) : 0;
		/* "point_s=abc is not possible": here the field's label says which one it is */
		if (rc && err && !strncmp(err->text, key, length) && err->text[length] == '=')
			memmove(err->text, err->text + length + 1,
				strlen(err->text + length + 1) + 1);
		return rc;
	}
	if (strcmp(key, "target"))
		return 0;
	if (!split_targets(value, targets, &count))
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL, "at most %d targets at once",
			SWEEP_TARGETS_MAX);
	if (!count)
		return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
			"give a namespace (nvme0n1), a block device (/dev/sda) or a file");
	for (size_t i = 0; i < count; i++) {
		struct run_target info;
		int rc = sweep_fields_check_target(sweep, targets[i], err);

		if (!rc)
			rc = sweep_target_describe(
				targets[i], sweep->screen.desk->inventory, &info, err);
		if (rc)
			return rc;
	}
	return 0;
}

static void add_option(struct sweep_form *sweep, const struct option_row *row)
{
	char value[256];

	options_value(&sweep->options, row, value, sizeof(value));
	if (row->type != OPTION_CHOICE) {
		const bool list =
			row->type == OPTION_PERCENT_LIST || row->type == OPTION_DEPTH_LIST;

		form_add_text(
			sweep->form, row->key, label_of(row), value, list ? 46 : 14, row->help);
		return;
	}
	char copy[128];
	const char *words[16];
	size_t count = 0, selected = 0;
	char *save = NULL;
	str_copy(copy, sizeof(copy), row->choices);
	for (char *word = strtok_r(copy, "|", &save); word && count + 1 < 16;
		word = strtok_r(NULL, "|", &save)) {
		if (!strcmp(word, value))
			selected = count;
		words[count++] = word;
	}
	words[count] = NULL;
	form_add_choice(sweep->form, row->key, label_of(row), words, NULL, selected, row->help);
}

static void add_methods(struct sweep_form *sweep)
{
	size_t count = 0, selected = 0;
	const struct method_ops *const *methods = method_list(&count);
	const char **names = mem_alloc((count + 1) * sizeof(*names));
	const char **notes = mem_alloc((count + 1) * sizeof(*notes));

	for (size_t i = 0; i < count; i++) {
		names[i] = methods[i]->name;
		notes[i] = methods[i]->title;
		if (!strcmp(methods[i]->name, "curve"))
			selected = i;
	}
	form_add_choice(sweep->form, "method", "Test", names, notes, selected,
		"What is done with the load. Left and right change it, the list opens with Space.");
	free(names);
	free(notes);
}

static void add_workloads(struct sweep_form *sweep)
{
	const char **names = mem_alloc((sweep->workload_count + 1) * sizeof(*names));
	const char **notes = mem_alloc((sweep->workload_count + 1) * sizeof(*notes));
	char(*texts)[160] = mem_alloc((sweep->workload_count + 1) * sizeof(*texts));
	size_t selected = 0;

	for (size_t i = 0; i < sweep->workload_count; i++) {
		names[i] = sweep->workloads[i]->name;
		workload_summary(sweep->workloads[i], texts[i], sizeof(texts[i]));
		notes[i] = texts[i];
		if (!strcmp(names[i], "rand-read-4k"))
			selected = i;
	}
	form_add_choice(sweep->form, "workload", "Workload", names, notes, selected,
		"What the I/O looks like. Left and right change it, the list opens with Space.");
	free(names);
	free(notes);
	free(texts);
}

void sweep_fields_create(struct sweep_form *sweep, const char *target)
{
	struct err err = {0};
	char *faults = NULL;

	options_defaults(&sweep->options);
	if (sweep->screen.desk->settings && sweep->screen.desk->settings->backend[0])
		options_set_value(
			&sweep->options, "backend", sweep->screen.desk->settings->backend, NULL);
	if (workload_list(&sweep->workloads, &sweep->workload_count, &faults, &err)) {
		str_copy(sweep->notice, sizeof(sweep->notice), err.text);
		sweep->workloads = NULL;
		sweep->workload_count = 0;
	} else if (faults && faults[0]) {
		str_copy(sweep->notice, sizeof(sweep->notice), faults);
		char *end = strchr(sweep->notice, '\n');
		if (end)
			*end = '\0';
	}
	free(faults);
	sweep->form = form_create(validate, sweep);
	form_add_text(sweep->form, "target", "Target", target, 24,
		"A namespace, another block device, a partition or a file; several separated by "
		"commas.");
	add_methods(sweep);
	add_workloads(sweep);
	sweep_writes_add_fields(sweep);
	for (size_t i = 0; i < BASIC_COUNT; i++) {
		const struct option_row *row = options_find(basic[i]);

		if (row)
			add_option(sweep, row);
	}
	for (size_t i = 0; i < options_count; i++)
		if (!is_basic(options_table[i].key))
			add_option(sweep, &options_table[i]);
	/* What one is here to choose; the target is known when there is one. */
	form_set_focus(sweep->form, target && target[0] ? "method" : "target");
	sweep_fields_read(sweep);
}

/* What the first target is: from the snapshot where it is in there, else from the system. */
static bool describe_first(struct sweep_form *sweep, char *note, size_t size)
{
	const struct inventory *inventory = sweep->screen.desk->inventory;
	const char *name = sweep->targets[0];
	const char *word = str_starts_with(name, "/dev/") ? name + 5 : name;
	const struct inventory_namespace *ns =
		inventory ? inventory_find_namespace(inventory, word) : NULL;
	struct run_target info;
	struct err err = {0};
	char part[32];

	memset(&info, 0, sizeof(info));
	if (ns) {
		if (ns->controller_index < inventory->controller_count)
			str_copy(info.model, sizeof(info.model),
				inventory->controllers[ns->controller_index].topo.model);
		str_copy(info.kind, sizeof(info.kind), "namespace");
		info.size_bytes = ns->size_known ? (uint64_t)ns->size_bytes : 0;
		info.simulated = ns->simulated;
		info.lba_bytes = ns->lba_bytes;
		info.metadata_bytes = ns->metadata_bytes;
	} else if (sweep_target_describe(name, inventory, &info, &err)) {
		return false;
	}
	sweep->target_bytes = info.size_bytes;
	sweep->simulated = info.simulated;
	str_format(note, size, "%s · %s", info.model[0] ? info.model : info.kind,
		info.size_bytes ? units_bytes_si(part, sizeof(part), info.size_bytes)
				: "size not known");
	if (info.lba_bytes)
		str_append(note, size, " · %s",
			format_lba(part, sizeof(part), info.lba_bytes, info.metadata_bytes));
	return true;
}

/* Beside the target's name; only when the text has changed. */
static void describe_target(struct sweep_form *sweep)
{
	const char *text = form_value(sweep->form, "target");
	char note[200] = "";

	split_targets(text, sweep->targets, &sweep->target_count);
	if (!strcmp(text, sweep->described))
		return;
	str_copy(sweep->described, sizeof(sweep->described), text);
	sweep->target_bytes = 0;
	sweep->simulated = false;
	for (size_t i = 0; i < sweep->target_count; i++)
		if (sweep_target_describe(sweep->targets[i], sweep->screen.desk->inventory,
			    &sweep->infos[i], NULL)) {
			sweep->infos[i] = (struct run_target){0};
			str_copy(sweep->infos[i].name, sizeof(sweep->infos[i].name),
				sweep->targets[i]);
		}
	if (sweep->target_count && describe_first(sweep, note, sizeof(note)) &&
		sweep->target_count > 1)
		str_append(note, sizeof(note), " · and %zu more", sweep->target_count - 1);
	form_set_note(sweep->form, "target", note);
}

static const char *prepare_note(const struct options *options)
{
	if (!strcmp(options->prepare, "area"))
		return "the area is written over first";
	if (!strcmp(options->prepare, "device"))
		return "ALL of the target is written over first";
	return "";
}

static void set_notes(struct sweep_form *sweep)
{
	const struct options *options = &sweep->options;
	char text[96] = "", bytes[32], from[32];

	if (sweep->target_bytes)
		str_format(text, sizeof(text), "%s from %s",
			format_bytes(bytes, sizeof(bytes),
				(double)sweep->target_bytes * options->area_pct / 100),
			format_bytes(from, sizeof(from), (double)options->offset_bytes));
	form_set_note(sweep->form, "area_pct", text);
	text[0] = '\0';
	if (!options->outstanding && sweep->workload)
		str_format(text, sizeof(text), "the workload's: %u", sweep->workload->outstanding);
	form_set_note(sweep->form, "outstanding", text);
	form_set_note(sweep->form, "rate_iops",
		options->rate_iops > 0 ? "open loop" : "closed loop: as fast as it goes");
	form_set_note(sweep->form, "bytes", options->bytes ? "" : "by time");
	form_set_note(sweep->form, "p99_limit_us", options->p99_limit_us > 0 ? "" : "none");
	form_set_note(sweep->form, "seed", options->seed ? "" : "a fresh one");
	form_set_note(sweep->form, "block_bytes", options->block_bytes ? "" : "the workload's");
	form_set_note(sweep->form, "read_pct", options->read_pct < 0 ? "the workload's" : "");
	form_set_note(sweep->form, "random_pct", options->random_pct < 0 ? "the workload's" : "");
	form_set_note(sweep->form, "time_factor", "its seconds in one of yours");
	form_set_note(sweep->form, "prepare", prepare_note(options));
	form_set_note(sweep->form, "workers", options->workers ? "" : "as many as needed");
}

void sweep_fields_read(struct sweep_form *sweep)
{
	const char *workload = form_value(sweep->form, "workload");

	str_copy(sweep->method, sizeof(sweep->method), form_value(sweep->form, "method"));
	sweep->workload = NULL;
	for (size_t i = 0; i < sweep->workload_count; i++)
		if (!strcmp(sweep->workloads[i]->name, workload))
			sweep->workload = sweep->workloads[i];
	describe_target(sweep);
	for (size_t i = 0; i < options_count; i++) {
		const struct option_row *row = &options_table[i];
		const bool applies = options_row_applies(row, sweep->method) &&
			(sweep->simulated || strcmp(row->key, "time_factor") != 0) &&
			(strcmp(row->key, "prepare_passes") != 0 ||
				strcmp(form_value(sweep->form, "prepare"), "none") != 0);
		const char *value = form_value(sweep->form, row->key);

		form_set_hidden(sweep->form, row->key,
			!applies || (!sweep->advanced && !is_basic(row->key)));
		/* a value being typed may be faulty: the one before stays until it is right */
		if (options_set_value(&sweep->options, row->key,
			    applies && value[0] ? value : row->default_text, NULL))
			continue;
	}
	set_notes(sweep);
	sweep->refused[0] = '\0';
	sweep->estimate[0] = '\0';
	if (!sweep->workload) {
		str_copy(sweep->refused, sizeof(sweep->refused), "there is no workload to run");
		return;
	}
	format_duration(sweep->estimate, sizeof(sweep->estimate),
		runner_estimate_s(sweep->method, &sweep->options, sweep->workload) /
			sweep->options.time_factor);
	sweep_writes_read(sweep);
}

bool sweep_form_fills_device(const struct sweep_form *sweep)
{
	return !strcmp(form_value(sweep->form, "prepare"), "device");
}

void sweep_fields_explain_key(const struct sweep_form *sweep, char *buf, size_t size)
{
	const char *key = form_focus(sweep->form);

	str_format(buf, size, "%s.%s", options_find(key) ? "option" : "form", key);
}
