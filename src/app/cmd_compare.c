/* compare: the table of differences of two and more runs; of one its rank among published drives. */
#include "app/cmd_compare.h"

#include <stdlib.h>

#include "app/output.h"
#include "app/published.h"
#include "report/compare_json.h"
#include "report/compare_text.h"
#include "report/run_cells.h"
#include "result/store.h"

/* Loads the runs named; those loaded before a fault are the caller's to free too. */
static int load_runs(struct session *session, struct run **runs, size_t *count, struct err *err)
{
	const struct cli *cli = session->cli;
	struct store_entry entry;
	const char *folder;
	int rc = session_runs_name(session, &folder, err);

	*count = 0;
	for (size_t i = 0; i < cli->operand_count && !rc; i++) {
		rc = store_find(folder, cli->operands[i], &entry, err);
		if (!rc)
			rc = store_load(&entry, &runs[i], err);
		*count += !rc;
	}
	return rc;
}

static int compare_several(
	struct session *session, struct run *const *runs, size_t count, struct err *err)
{
	struct comparison comparison;
	struct text_style style;
	struct strbuf out = {0};
	int rc = compare_runs((const struct run *const *)runs, count, &comparison, err);

	if (rc)
		return rc;
	if (session->cli->given[CLI_JSON]) {
		struct json *document = output_document("compare");

		compare_to_json(&comparison, document);
		json_set_null(document, "reference");
		rc = output_json(document, err);
	} else {
		output_style(&session->settings, &style);
		compare_text(&comparison, &style, &out);
		rc = output_text(&out, err);
	}
	comparison_free(&comparison);
	return rc;
}

/* Which run, and what of it is held against the figures. */
static void run_line(const struct run *run, const struct reference_comparison *reference,
	const struct text_style *style, struct strbuf *out)
{
	char text[512], rate[32], mean[32];

	str_format(text, sizeof(text), "%s: %s on %s", run->id, run->workload,
		run->target_count ? run->targets[0].name : "-");
	if (run->target_count && run->targets[0].model[0])
		str_append(text, sizeof(text), " (%s)", run->targets[0].model);
	if (run->simulated)
		str_append(text, sizeof(text), ", SIMULATED");
	if (reference->point >= 0)
		str_append(text, sizeof(text), "; %s IOPS at %s, at most %.0f outstanding%s",
			run_cell_rate(rate, sizeof(rate), reference->iops),
			run_cell_latency(mean, sizeof(mean), reference->mean_ns, style->ascii),
			reference->outstanding_limit, run->target_count > 1 ? ", per drive" : "");
	text_wrap(out, style, 0, 0, text);
	strbuf_add(out, "\n");
}

static int compare_published(struct session *session, const struct run *run, struct err *err)
{
	struct published published;
	struct text_style style;
	struct strbuf out = {0};
	int rc;

	published_compare(run, &published);
	if (session->cli->given[CLI_JSON]) {
		struct json *document = output_document("compare"), *runs = json_array();

		json_add(runs, compare_run_to_json(run, 0));
		json_set(document, "runs", runs);
		json_set(document, "rows", json_array());
		json_set(document, "unlike", json_array());
		json_set(document, "doubts", json_array());
		json_set(document, "reference", reference_to_json(&published.comparison));
		rc = output_json(document, err);
	} else {
		output_style(&session->settings, &style);
		run_line(run, &published.comparison, &style, &out);
		reference_text(&published.comparison, &style, &out);
		rc = output_text(&out, err);
	}
	published_free(&published);
	return rc;
}

int cmd_compare(struct session *session, struct err *err)
{
	struct run *runs[COMPARE_RUNS_MAX];
	size_t count;
	int rc = load_runs(session, runs, &count, err);

	if (!rc && count == 1)
		rc = compare_published(session, runs[0], err);
	else if (!rc)
		rc = compare_several(session, runs, count, err);
	for (size_t i = 0; i < count; i++)
		run_free(runs[i]);
	return rc;
}
