/* results: the list of saved runs or one of them; workloads: the list of workloads. */
#include "app/cmd_results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cmd_attach.h"
#include "app/output.h"
#include "report/run_text.h"
#include "result/run_json.h"
#include "result/store.h"
#include "sweep/workload.h"

static struct json *results_json(const struct store_entry *entries, size_t count)
{
	struct json *document = output_document("results");
	struct json *runs = json_array();
	char time[32];

	for (size_t i = 0; i < count; i++) {
		const struct store_entry *entry = &entries[i];
		struct json *run = json_object();

		json_set_string(run, "run_id", entry->id);
		json_set_string(run, "file", entry->path);
		if (*entry->fault) {
			json_set_error(run, "run", entry->fault);
			json_add(runs, run);
			continue;
		}
		json_set_string(run, "started", units_iso_time(time, sizeof(time), entry->started));
		if (entry->ended)
			json_set_string(
				run, "ended", units_iso_time(time, sizeof(time), entry->ended));
		else
			json_set_null(run, "ended");
		json_set_string(run, "workload", entry->workload);
		json_set_string(run, "method", entry->method);
		json_set_string(run, "target", entry->target);
		json_set_string(run, "model", *entry->model ? entry->model : NULL);
		json_set_string(run, "outcome",
			entry->running ? "running" : run_outcome_name(entry->outcome));
		json_set_bool(run, "partial", entry->partial);
		json_set_bool(run, "simulated", entry->simulated);
		json_set_u64(run, "point_count", entry->point_count);
		json_set_double(run, "peak_iops", entry->peak_iops);
		json_set_double(run, "peak_mib_s", entry->peak_mib_s);
		json_set_double(run, "peak_mean_us", entry->peak_mean_ns / 1e3);
		json_add(runs, run);
	}
	json_set(document, "runs", runs);
	return document;
}

static int results_list(struct session *session, const char *folder, struct err *err)
{
	struct store_entry *entries;
	struct text_style style;
	struct strbuf out = {0};
	size_t count;
	int rc = store_list(folder, &entries, &count, err);

	if (rc)
		return rc;
	if (session->cli->given[CLI_JSON]) {
		rc = output_json(results_json(entries, count), err);
	} else {
		output_style(&session->settings, &style);
		if (count)
			run_text_list(entries, count, &style, &out);
		else
			strbuf_addf(&out, "no runs are saved in %s\n", folder);
		rc = output_text(&out, err);
	}
	free(entries);
	return rc;
}

int cmd_results(struct session *session, struct err *err)
{
	struct store_entry entry;
	struct text_style style;
	struct strbuf out = {0};
	const char *folder;
	struct run *run;
	int rc;

	if (session->cli->given[CLI_RUNNING])
		return cmd_results_running(session, err);
	rc = session_runs_name(session, &folder, err);
	if (rc)
		return rc;
	if (!session->cli->operand_count)
		return results_list(session, folder, err);
	rc = store_find(folder, session->cli->operands[0], &entry, err);
	if (!rc)
		rc = store_load(&entry, &run, err);
	if (rc)
		return rc;
	if (session->cli->given[CLI_JSON]) {
		rc = output_json(run_to_json(run), err);
	} else {
		output_style(&session->settings, &style);
		run_text(run, &style, &out);
		rc = output_text(&out, err);
	}
	run_free(run);
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
