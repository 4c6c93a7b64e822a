/* Published figures for the commands. */
#include "app/published.h"

#include <stdlib.h>
#include <string.h>

#include "app/output.h"
#include "report/run_text.h"

void published_complain(char *faults)
{
	for (char *save = NULL, *line = faults ? strtok_r(faults, "\n", &save) : NULL; line;
		line = strtok_r(NULL, "\n", &save))
		output_complain(line);
	free(faults);
}

void published_compare(const struct run *run, struct published *out)
{
	struct err err = {0};
	char *faults = NULL;

	*out = (struct published){0};
	if (reference_load(&out->table, &faults, &err))
		output_complain(err.text);
	published_complain(faults);
	reference_compare(&out->table, run, &out->comparison);
}

void published_free(struct published *published)
{
	reference_comparison_free(&published->comparison);
	reference_table_free(&published->table);
}

void published_run_text(const struct run *run, const struct text_style *style, struct strbuf *out)
{
	struct published published;

	published_compare(run, &published);
	run_text(run, &published.comparison, style, out);
	published_free(&published);
}
