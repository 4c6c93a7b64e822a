/* The list of what a field of the sweep form can be. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "screens/sweep_form.h"
#include "sweep/method.h"

static char *choice_line(const struct sweep_form *sweep, const char *key, size_t index)
{
	char text[256], summary[160];

	if (!strcmp(key, "workload")) {
		const struct workload *workload = sweep->workloads[index];

		workload_summary(workload, summary, sizeof(summary));
		/* in front, where it is not cut off */
		str_format(text, sizeof(text), "%-20s %-6s %s", workload->name,
			workload->writes ? "WRITES" : "", summary);
		return mem_strdup(text);
	}
	size_t count = 0;
	const struct method_ops *const *methods = method_list(&count);
	str_format(text, sizeof(text), "%-8s %s", methods[index]->name, methods[index]->title);
	return mem_strdup(text);
}

char **sweep_fields_choices(const struct sweep_form *sweep, size_t *selected)
{
	const char *key = form_focus(sweep->form);
	const struct option_row *row = options_find(key);
	char **choices = NULL;
	size_t count = 0;

	*selected = form_choice(sweep->form, key);
	if (!strcmp(key, "workload") || !strcmp(key, "method")) {
		if (key[0] == 'w')
			count = sweep->workload_count;
		else
			method_list(&count);
		choices = mem_alloc((count + 1) * sizeof(*choices));
		for (size_t i = 0; i < count; i++)
			choices[i] = choice_line(sweep, key, i);
		return choices;
	}
	if (!row || row->type != OPTION_CHOICE)
		return NULL;
	char copy[128];
	char *save = NULL;
	str_copy(copy, sizeof(copy), row->choices);
	choices = mem_alloc(16 * sizeof(*choices));
	for (char *word = strtok_r(copy, "|", &save); word && count + 1 < 16;
		word = strtok_r(NULL, "|", &save))
		choices[count++] = mem_strdup(word);
	return choices;
}

void sweep_fields_choices_free(char **choices)
{
	for (size_t i = 0; choices && choices[i]; i++)
		free(choices[i]);
	free(choices);
}
