/* Consent from the command line, and the lines in front of a test that writes. */
#include "app/write_ask.h"

#include <errno.h>
#include <string.h>

#include "app/output.h"
#include "base/str.h"
#include "sweep/target.h"

int write_ask_consent(const struct cli *cli, struct gate_consent *out, struct err *err)
{
	*out = (struct gate_consent){.write = cli->given[CLI_WRITE]};
	for (size_t i = 0; i < cli->write_count; i++) {
		const char *typed = cli->writes[i];

		if (strlen(typed) >= sizeof(out->typed[0]))
			return err_set_exit(err, ERR_EXIT_USAGE, -EINVAL,
				"--write=%.20s... is longer than any serial number or name", typed);
		str_copy(out->typed[out->typed_count++], sizeof(out->typed[0]), typed);
	}
	return 0;
}

void write_ask_announce(const struct write_question *question, const char *const *targets,
	const struct inventory *inventory)
{
	/* What the start refuses for another reason is not told about its writing. */
	if (options_check(question->options, question->method, NULL) ||
		!write_plan_writes(question))
		return;
	for (size_t i = 0; i < question->target_count; i++) {
		const struct smart *smart;
		struct run_target target;
		struct write_plan plan;
		char text[320], sentence[400];

		if (sweep_target_describe(targets[i], inventory, &target, NULL))
			continue;
		smart = write_plan_smart(&target, inventory);
		write_plan_make(question, &target, smart, &plan);
		write_plan_text(&plan, &target, text, sizeof(text));
		str_format(sentence, sizeof(sentence), "this test %s%s", text,
			target.simulated ? " (SIMULATED: it harms nothing)" : "");
		output_complain(sentence);
	}
}
