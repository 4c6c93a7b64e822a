/* results: the list of saved runs, or those named shown, marked or deleted; workloads: the list of workloads. */
#include "app/cmd_results.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/cmd_attach.h"
#include "app/output.h"
#include "app/published.h"
#include "report/run_text.h"
#include "result/filter.h"
#include "result/store.h"
#include "sweep/workload.h"

static struct json *entry_json(const struct store_entry *entry)
{
	struct json *run = json_object();
	char time[32];

	json_set_string(run, "run_id", entry->id);
	json_set_string(run, "file", entry->path);
	if (*entry->fault) {
		json_set_error(run, "run", entry->fault);
		return run;
	}
	json_set_string(run, "started", units_iso_time(time, sizeof(time), entry->started));
	if (entry->ended)
		json_set_string(run, "ended", units_iso_time(time, sizeof(time), entry->ended));
	else
		json_set_null(run, "ended");
	json_set_string(run, "workload", entry->workload);
	json_set_string(run, "method", entry->method);
	json_set_string(run, "target", entry->target);
	json_set_string(run, "model", *entry->model ? entry->model : NULL);
	json_set_string(
		run, "outcome", entry->running ? "running" : run_outcome_name(entry->outcome));
	json_set_bool(run, "partial", entry->partial);
	json_set_bool(run, "simulated", entry->simulated);
	json_set_u64(run, "point_count", entry->point_count);
	json_set_double(run, "peak_iops", entry->peak_iops);
	json_set_double(run, "peak_mib_s", entry->peak_mib_s);
	json_set_double(run, "peak_mean_us", entry->peak_mean_ns / 1e3);
	marks_to_json(&entry->marks, run);
	return run;
}

static struct json *results_json(const struct store_entry *entries, size_t count)
{
	struct json *document = output_document("results");
	struct json *runs = json_array();

	for (size_t i = 0; i < count; i++)
		json_add(runs, entry_json(&entries[i]));
	json_set(document, "runs", runs);
	return document;
}

/* ---- the list ------------------------------------------------------------------------------- */

/* Keeps what fits --filter. */
static int filter_entries(
	const struct cli *cli, struct store_entry *entries, size_t *count, struct err *err)
{
	struct run_filter *filter;
	int rc;

	if (!cli->given[CLI_FILTER])
		return 0;
	rc = filter_parse(cli->value[CLI_FILTER], time(NULL), &filter, err);
	if (rc)
		return rc;
	*count = filter_apply(filter, entries, *count);
	filter_free(filter);
	return 0;
}

static int results_list(struct session *session, const char *folder, struct err *err)
{
	const struct cli *cli = session->cli;
	struct store_entry *entries;
	struct text_style style;
	struct strbuf out = {0};
	size_t all, count;
	int rc = store_list(folder, &entries, &all, err);

	if (rc)
		return rc;
	count = all;
	rc = filter_entries(cli, entries, &count, err);
	if (!rc && cli->given[CLI_JSON]) {
		rc = output_json(results_json(entries, count), err);
	} else if (!rc) {
		output_style(&session->settings, &style);
		if (count)
			run_text_list(entries, count, &style, &out);
		else if (all)
			strbuf_addf(&out, "none of the %zu saved runs fits \"%s\"\n", all,
				cli->value[CLI_FILTER]);
		else
			strbuf_addf(&out, "no runs are saved in %s\n", folder);
		rc = output_text(&out, err);
	}
	free(entries);
	return rc;
}

/* ---- runs that are named -------------------------------------------------------------------- */

/* The entries of the runs named, each once, in *entries (the caller frees). All are found before
 * anything is done with one of them. */
static int named_entries(struct session *session, const char *folder, struct store_entry **entries,
	size_t *count, struct err *err)
{
	const struct cli *cli = session->cli;
	struct store_entry *all;
	size_t all_count, index;
	int rc = store_list(folder, &all, &all_count, err);

	*entries = NULL;
	*count = 0;
	if (rc)
		return rc;
	if (!all_count)
		rc = err_set_exit(err, ERR_EXIT_USAGE, -ENOENT, "no runs are saved in %s", folder);
	*entries = mem_alloc(cli->operand_count * sizeof(**entries));
	for (size_t i = 0; i < cli->operand_count && !rc; i++) {
		bool again = false;

		rc = store_pick(all, all_count, cli->operands[i], &index, err);
		for (size_t j = 0; j < *count && !rc; j++)
			again = again || !strcmp((*entries)[j].path, all[index].path);
		if (!rc && !again)
			(*entries)[(*count)++] = all[index];
	}
	free(all);
	return rc;
}

static int show_run(
	struct session *session, const struct store_entry *entry, bool first, struct err *err)
{
	struct text_style style;
	struct strbuf out = {0};
	struct json *document;
	struct run *run;
	int rc;

	if (session->cli->given[CLI_JSON]) {
		rc = store_document(entry, &document, err);
		return rc ? rc : output_json(document, err);
	}
	rc = store_load(entry, &run, err);
	if (rc)
		return rc;
	output_style(&session->settings, &style);
	if (!first)
		strbuf_add(&out, "\n");
	published_run_text(run, &style, &out);
	rc = output_text(&out, err);
	run_free(run);
	return rc;
}

/* The marks of a run as the options want them. */
static int change_marks(const struct cli *cli, struct run_marks *marks, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < cli->set_count && !rc; i++)
		rc = cli->set_options[i] == CLI_TAG ? marks_add_tag(marks, cli->sets[i], err)
						    : marks_remove_tag(marks, cli->sets[i], err);
	if (!rc && cli->given[CLI_NOTE])
		rc = marks_set_note(marks, cli->value[CLI_NOTE], err);
	return rc;
}

static void tell_marks(const struct store_entry *entry, struct strbuf *out)
{
	char tags[sizeof(entry->marks.tags) + 64];

	strbuf_addf(out, "%s: %s%s", entry->id, entry->marks.tag_count ? "tags " : "no tags",
		marks_tags_text(&entry->marks, tags, sizeof(tags)));
	strbuf_addf(out, "%s\n", *entry->marks.note ? ", with a note" : "");
}

/* First all are checked, so that a tag which one of them has not leaves none of them half done. */
static int mark_runs(
	struct session *session, struct store_entry *entries, size_t count, struct err *err)
{
	const struct cli *cli = session->cli;
	struct run_marks *marks = mem_alloc(count * sizeof(*marks));
	struct strbuf out = {0};
	int rc = 0;

	for (size_t i = 0; i < count && !rc; i++) {
		marks[i] = entries[i].marks;
		rc = change_marks(cli, &marks[i], err);
		if (rc)
			err_prefix(err, rc, "%s", entries[i].id);
		else if (*entries[i].fault)
			rc = err_set(err, -EINVAL, "%s", entries[i].fault);
	}
	for (size_t i = 0; i < count && !rc; i++) {
		rc = store_set_marks(&entries[i], &marks[i], err);
		if (!rc)
			tell_marks(&entries[i], &out);
	}
	free(marks);
	if (!rc && cli->given[CLI_JSON]) {
		strbuf_free(&out);
		return output_json(results_json(entries, count), err);
	}
	/* What was done before a fault is told too. */
	const int printed = cli->given[CLI_JSON] ? 0 : output_text(&out, rc ? NULL : err);

	strbuf_free(&out);
	return rc ? rc : printed;
}

static int delete_runs(
	struct session *session, struct store_entry *entries, size_t count, struct err *err)
{
	struct strbuf out = {0};
	size_t done = 0;
	int rc = 0;

	for (size_t i = 0; i < count && !rc; i++)
		if (entries[i].running)
			rc = err_set(err, -EBUSY,
				"%s is still running: it can be deleted when it has ended; nothing was "
				"deleted",
				entries[i].id);
	while (!rc && done < count) {
		rc = store_delete(&entries[done], err);
		if (!rc)
			strbuf_addf(&out, "deleted %s\n", entries[done++].id);
	}
	if (!rc && session->cli->given[CLI_JSON]) {
		struct json *document = output_document("results"), *deleted = json_array();

		for (size_t i = 0; i < done; i++)
			json_add_string(deleted, entries[i].id);
		json_set(document, "deleted", deleted);
		strbuf_free(&out);
		return output_json(document, err);
	}
	const int printed = session->cli->given[CLI_JSON] ? 0 : output_text(&out, rc ? NULL : err);

	strbuf_free(&out);
	return rc ? rc : printed;
}

int cmd_results(struct session *session, struct err *err)
{
	const struct cli *cli = session->cli;
	struct store_entry *entries;
	const char *folder;
	size_t count;
	int rc;

	if (session->cli->given[CLI_RUNNING])
		return cmd_results_running(session, err);
	rc = session_runs_name(session, &folder, err);
	if (rc)
		return rc;
	if (!cli->operand_count)
		return results_list(session, folder, err);
	rc = named_entries(session, folder, &entries, &count, err);
	if (!rc && cli->given[CLI_DELETE]) {
		rc = delete_runs(session, entries, count, err);
	} else if (!rc && (cli->given[CLI_TAG] || cli->given[CLI_UNTAG] || cli->given[CLI_NOTE])) {
		rc = mark_runs(session, entries, count, err);
	} else {
		for (size_t i = 0; i < count && !rc; i++)
			rc = show_run(session, &entries[i], i == 0, err);
	}
	free(entries);
	return rc;
}

static struct json *workloads_json(struct workload *const *list, size_t count)
{
	struct json *document = output_document("workloads");
	struct json *rows = json_array();
	char text[256];

	for (size_t i = 0; i < count; i++) {
		const struct workload *workload = list[i];
		struct json *row = json_object();

		json_set_string(row, "name", workload->name);
		json_set_string(row, "title", workload->title);
		workload_summary(workload, text, sizeof(text));
		json_set_string(row, "summary", text);
		json_set_string(row, "help", workload->help);
		json_set_string(row, "origin", workload->origin);
		json_set_u64(row, "outstanding", workload->outstanding);
		json_set_double(row, "read_pct", workload->read_share * 100);
		json_set_double(row, "random_pct", workload->random_share * 100);
		json_set_u64(row, "mean_block_bytes", workload->mean_block_bytes);
		json_set_bool(row, "writes", workload->writes);
		json_add(rows, row);
	}
	json_set(document, "workloads", rows);
	return document;
}

static void workloads_text(struct workload *const *list, size_t count,
	const struct text_style *style, struct strbuf *out)
{
	static const struct text_column columns[] = {
		{.title = "WORKLOAD"},
		{.title = "WRITES"},
		{.title = "WHAT IT DOES", .shrink_to = 24},
	};
	struct text_table table;
	char summary[120], writes[32];

	text_table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < count; i++) {
		str_copy(writes, sizeof(writes), "no");
		if (list[i]->writes)
			str_format(
				writes, sizeof(writes), "%.3g %%", (1 - list[i]->read_share) * 100);
		workload_summary(list[i], summary, sizeof(summary));
		text_table_add(&table, (const char *const[]){list[i]->name, writes, summary});
	}
	text_table_print(&table, style, out);
	text_table_free(&table);
	strbuf_add(out,
		"\nWhat writes needs --write on a drive, as it destroys its data. Simulated drives and "
		"files\nmade with --size need nothing.\n");
}

int cmd_workloads(struct session *session, struct err *err)
{
	struct workload **list;
	struct text_style style;
	struct strbuf out = {0};
	char *faults = NULL;
	size_t count;
	int rc = workload_list(&list, &count, &faults, err);

	if (rc)
		return rc;
	if (faults && *faults)
		fprintf(stderr, "%s%s", faults, faults[strlen(faults) - 1] == '\n' ? "" : "\n");
	free(faults);
	if (session->cli->given[CLI_JSON]) {
		rc = output_json(workloads_json(list, count), err);
	} else {
		output_style(&session->settings, &style);
		workloads_text(list, count, &style, &out);
		rc = output_text(&out, err);
	}
	workload_list_free(list, count);
	return rc;
}
