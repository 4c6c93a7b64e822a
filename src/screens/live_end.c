/* The end of a test: outcome, analysis, what spoils it, where it was saved. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "screens/curve_view.h"
#include "screens/format.h"
#include "screens/live.h"

static void add_point(struct facts *facts, const char *key, const char *label,
	const struct runner_view *run, int index)
{
	char text[160];

	if (index < 0) {
		facts_add(facts, key, label, ROLE_DIM, "none");
		return;
	}
	curve_view_at(run->points, run->point_count, index, text, sizeof(text));
	struct fact *row = facts_add(facts, key, label, ROLE_VALUE, "%s", text);
	if ((size_t)index < run->point_count)
		facts_note(row, ROLE_DIM, "%s", run->points[index].label);
}

static void add_analysis(struct facts *facts, const struct runner_view *run)
{
	if (run->has_maximum) {
		char iops[32], mean[32];

		struct fact *row = facts_add(facts, "run.peak", "Maximum found", ROLE_VALUE,
			"%s IOPS at %s", format_count(iops, sizeof(iops), run->maximum.iops),
			format_latency(mean, sizeof(mean), run->maximum.service.mean));
		facts_note(row, ROLE_DIM, "%u outstanding", run->maximum.outstanding_limit);
	}
	if (run->point_count == 1)
		curve_view_single(&run->points[0], facts);
	if (!run->has_analysis || run->point_count < 2)
		return;
	facts_heading(facts, "What the curve says");
	add_point(facts, "run.start", "Start", run, run->analysis.start);
	add_point(facts, "run.knee", "Knee", run, run->analysis.knee_chord);
	if (run->p99_limit_ns > 0)
		add_point(facts, "run.knee", "p99 limit kept to", run, run->analysis.knee_limit);
	add_point(facts, "run.peak", "Peak", run, run->analysis.peak);
	facts_add(facts, "run.fall_off", "Fall-off", run->analysis.fall_off ? ROLE_WARN : ROLE_GOOD,
		"%s", run->analysis.fall_off ? "YES: past its peak it does less" : "no");
}

void live_outcome_fill(struct live *live)
{
	const struct runner_view *run = live->screen.desk->run;
	struct facts *facts = &live->outcome;
	char text[640], clock[32];

	facts_begin(facts);
	if (!run) {
		facts_end(facts);
		return;
	}
	struct fact *row = facts_add(facts, "live.outcome", "Outcome",
		format_outcome_role(run->outcome), "%s", format_outcome(run->outcome));
	facts_note(row, ROLE_DIM, "after %s, %zu point%s",
		units_clock(clock, sizeof(clock), run->elapsed_s), run->point_count,
		run->point_count == 1 ? "" : "s");
	if (run->reason[0])
		facts_sentence(
			facts, "live.outcome", format_outcome_role(run->outcome), run->reason);
	if (run->state != RUNNER_ENDED)
		facts_add(facts, "live.outcome", "Saved", ROLE_DIM, "not yet");
	else if (run->saved_path[0])
		facts_sentence(facts, "live.outcome", ROLE_GOOD,
			(str_format(text, sizeof(text), "Saved in %s", run->saved_path), text));
	else
		facts_sentence(facts, "live.outcome", ROLE_CRIT,
			(str_format(text, sizeof(text), "NOT SAVED: %s",
				 run->save_fault[0] ? run->save_fault
						    : "there is no folder for runs"),
				text));
	add_analysis(facts, run);
	facts_heading(facts, "Can it be trusted?");
	if (!run->spoiled_count)
		facts_sentence(facts, "run.spoiled", ROLE_GOOD,
			"Nothing was found that spoils this result.");
	for (size_t i = 0; i < run->spoiled_count && i < RUN_SPOILED_MAX; i++)
		facts_sentence(facts, "run.spoiled", ROLE_WARN, run->spoiled_by[i]);
	curve_view_doubts(run->points, run->point_count, facts);
	facts_add(facts, "run.engine", "Backend", ROLE_VALUE, "%s",
		run->backend[0] ? run->backend : "-");
	if (run->notes[0])
		facts_sentence(facts, "run.engine", ROLE_DIM, run->notes);
	facts_end(facts);
}
