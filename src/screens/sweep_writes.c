/* Looks of the gate for the sweep form, and the user's consent. */
#include "screens/sweep_writes.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "screens/sweep_form.h"
#include "sweep/target.h"

/* A look that takes longer keeps only itself waiting: the next one gets another thread. */
#define LOOK_PATIENCE_S 2

struct look_task {
	struct desk_task task;
	uint32_t number;
	char targets[SWEEP_TARGETS_MAX][256];
	size_t count;
	struct options options;
	bool whole; /* the fill writes all of the device */
	const struct inventory *inventory;
	struct transport *transport;
	struct jobs *jobs;
	struct sweep_look looks[SWEEP_TARGETS_MAX];
};

/* ---- on the job thread ----------------------------------------------------------------------- */

static void look_at(struct look_task *look, size_t index)
{
	struct sweep_look *out = &look->looks[index];
	const struct gate_sources sources = {
		.inventory = look->inventory, .transport = look->transport, .jobs = look->jobs};
	struct sweep_target target;
	struct err err = {0};
	int rc = sweep_target_open(
		look->targets[index], look->inventory, &look->options, &target, &err);

	if (!rc) {
		const uint64_t offset = look->whole ? 0 : target.info.area_offset;
		const uint64_t length =
			look->whole ? target.info.size_bytes : target.info.area_length;

		rc = gate_look(&target, &sources, offset, length, &out->report, &err);
		sweep_target_close(&target);
	}
	out->failed = rc != 0;
	if (rc)
		str_copy(out->fault, sizeof(out->fault),
			err.text[0] ? err.text : err_errno_text(-rc));
}

static void look_work(struct desk_task *task)
{
	struct look_task *look = (struct look_task *)(void *)task;

	for (size_t i = 0; i < look->count; i++)
		look_at(look, i);
}

static void look_dispose(struct desk_task *task)
{
	struct look_task *look = (struct look_task *)(void *)task;

	inventory_unref(look->inventory);
	free(look);
}

/* ---- asking ---------------------------------------------------------------------------------- */

static void look_done(struct desk_task *task)
{
	struct look_task *look = (struct look_task *)(void *)task;
	struct sweep_form *sweep = (struct sweep_form *)(void *)task->screen;
	struct sweep_writes *writes = &sweep->write;

	if (writes->out)
		writes->out--;
	/* Asked about something else meanwhile: what was true of that is not true of this. */
	if (look->number == writes->asked && !writes->due && writes->writes) {
		memcpy(writes->looks, look->looks, sizeof(writes->looks));
		writes->look_count = look->count;
		writes->known = true;
		if (writes->hasty)
			sweep->problem[0] = '\0';
		writes->hasty = false;
	}
	sweep_writes_read(sweep);
}

void sweep_writes_ask(struct sweep_form *sweep)
{
	struct sweep_writes *writes = &sweep->write;
	struct desk *desk = sweep->screen.desk;
	struct look_task *look;
	char key[32];

	if (!writes->due || !writes->writes || !sweep->target_count || !desk->submit)
		return;
	if (writes->out && screen_now() - writes->out_since < LOOK_PATIENCE_S)
		return;
	look = mem_alloc(sizeof(*look));
	look->task.work = look_work;
	look->task.done = look_done;
	look->task.dispose = look_dispose;
	look->task.screen = &sweep->screen;
	look->number = ++writes->asked;
	memcpy(look->targets, sweep->targets, sizeof(look->targets));
	look->count = sweep->target_count;
	look->options = sweep->options;
	look->whole = sweep_form_fills_device(sweep);
	if (desk->inventory)
		look->inventory = inventory_ref(desk->inventory);
	look->transport = desk->transport;
	look->jobs = desk->jobs;
	str_format(key, sizeof(key), "gate %u", writes->out);

	struct err err = {0};
	if (desk->submit(desk, key, &look->task, &err)) {
		look_dispose(&look->task);
		str_copy(sweep->problem, sizeof(sweep->problem), err.text);
	} else {
		writes->out++;
		writes->out_since = screen_now();
	}
	writes->due = false;
}

void sweep_writes_again(struct sweep_form *sweep)
{
	sweep->write.known = false;
	sweep->write.due = sweep->write.writes;
	sweep_writes_ask(sweep);
}

/* ---- what it takes --------------------------------------------------------------------------- */

/* Nothing is at stake: no word of the user's is needed. */
static bool is_free(const struct sweep_look *look)
{
	return !look->failed && (look->report.simulated || look->report.own_scratch_file) &&
		!look->report.finding_count;
}

static bool wants_typed(const struct sweep_look *look)
{
	return !look->failed && !is_free(look) && gate_needs_typed(&look->report);
}

const char *sweep_writes_blocked(const struct sweep_form *sweep)
{
	const struct sweep_writes *writes = &sweep->write;

	if (!writes->writes || !writes->known)
		return "";
	for (size_t i = 0; i < writes->look_count; i++) {
		const struct gate_report *report = &writes->looks[i].report;

		if (writes->looks[i].failed)
			return writes->looks[i].fault;
		if (gate_possible(report))
			continue;
		for (size_t k = 0; k < report->finding_count; k++)
			if (!report->findings[k].overridable)
				return report->findings[k].text;
		return report->summary;
	}
	return "";
}

void sweep_writes_add_fields(struct sweep_form *sweep)
{
	static const char *const words[] = {"no", "yes", NULL};

	form_add_choice(sweep->form, "allow", "Allow writing", words, NULL, 0,
		"What is on the target is lost. Left and right change it.");
	form_add_text(sweep->form, "typed", "Type to allow", "", 24,
		"What is on the target is lost for good: typing which drive it is makes sure that it "
		"is the right one. Several with commas.");
	form_set_hidden(sweep->form, "allow", true);
	form_set_hidden(sweep->form, "typed", true);
}

static void show_fields(struct sweep_form *sweep)
{
	const struct sweep_writes *writes = &sweep->write;
	const bool open = writes->writes && writes->known && !sweep_writes_blocked(sweep)[0];
	bool allow = false, typed = false;
	char note[200] = "";

	for (size_t i = 0; open && i < writes->look_count; i++) {
		const struct sweep_look *look = &writes->looks[i];

		if (!wants_typed(look)) {
			allow = allow || !is_free(look);
			continue;
		}
		if (typed)
			str_append(note, sizeof(note), ", %s of %s", look->report.identity,
				look->report.subject);
		else
			str_format(note, sizeof(note), "%s %s of %s",
				look->report.identity_is_serial ? "serial" : "name",
				look->report.identity, look->report.subject);
		typed = true;
	}
	form_set_hidden(sweep->form, "allow", !allow);
	form_set_hidden(sweep->form, "typed", !typed);
	form_set_note(sweep->form, "typed", note);
	form_set_note(sweep->form, "allow",
		form_choice(sweep->form, "allow") ? "what is on it will be lost"
						  : "writing has not been permitted yet");
}

/* Consent is for the targets that it was given for. */
static void forget_consent(struct sweep_form *sweep)
{
	char targets[sizeof(sweep->write.consent_for)] = "";

	for (size_t i = 0; i < sweep->target_count; i++)
		str_append(targets, sizeof(targets), "%s\n", sweep->targets[i]);
	if (!strcmp(targets, sweep->write.consent_for))
		return;
	str_copy(sweep->write.consent_for, sizeof(sweep->write.consent_for), targets);
	form_set_value(sweep->form, "allow", "no");
	form_set_value(sweep->form, "typed", "");
}

void sweep_writes_read(struct sweep_form *sweep)
{
	struct sweep_writes *writes = &sweep->write;
	const struct write_question question = {.method = sweep->method,
		.options = &sweep->options,
		.workload = sweep->workload,
		.target_count = sweep->target_count};
	char asks[sizeof(writes->question)] = "";

	forget_consent(sweep);
	writes->writes = sweep->workload && write_plan_writes(&question);
	for (size_t i = 0; writes->writes && i < sweep->target_count; i++) {
		write_plan_make(&question, &sweep->infos[i],
			write_plan_smart(&sweep->infos[i], sweep->screen.desk->inventory),
			&writes->plans[i]);
		str_append(asks, sizeof(asks), "%s\n", sweep->targets[i]);
	}
	if (writes->writes)
		str_append(asks, sizeof(asks), "%.10g %llu %d", sweep->options.area_pct,
			(unsigned long long)sweep->options.offset_bytes,
			sweep_form_fills_device(sweep));
	if (strcmp(asks, writes->question)) {
		str_copy(writes->question, sizeof(writes->question), asks);
		writes->known = false;
		writes->due = writes->writes;
	}
	show_fields(sweep);
	sweep_writes_ask(sweep);
}

/* One of the words of the field is it. A single target's field is taken whole: names of files may
 * hold commas. */
static bool is_typed(const char *typed, const char *identity, bool several)
{
	char copy[1024], *save = NULL;

	str_copy(copy, sizeof(copy), typed);
	if (!several)
		return !strcmp(str_trim(copy), identity);
	for (char *word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save))
		if (!strcmp(str_trim(word), identity))
			return true;
	return false;
}

static bool missing(struct sweep_form *sweep, const char *key, const struct gate_report *report,
	char *problem, size_t size)
{
	const char *what = report->identity_is_serial ? "serial number" : "name";
	const char *typed = form_value(sweep->form, "typed");

	if (!strcmp(key, "allow"))
		str_format(problem, size,
			"writing to %s has to be permitted first: set \"Allow writing\" to yes",
			report->subject);
	else if (typed[0])
		str_format(problem, size, "what was typed is not the %s of %s (%s)", what,
			report->subject, report->identity);
	else
		str_format(problem, size,
			"type the %s of %s first (%s): what is on it will be lost", what,
			report->subject, report->identity);
	form_set_fault(sweep->form, key, typed[0] && key[0] == 't' ? "not it" : "needed");
	form_set_focus(sweep->form, key);
	return false;
}

bool sweep_writes_consent(
	struct sweep_form *sweep, struct gate_consent *consent, char *problem, size_t size)
{
	const struct sweep_writes *writes = &sweep->write;
	const char *typed = form_value(sweep->form, "typed");
	const bool allowed = form_choice(sweep->form, "allow") == 1;

	*consent = (struct gate_consent){0};
	if (!writes->writes)
		return true;
	sweep->write.hasty = !writes->known;
	if (!writes->known) {
		str_copy(problem, size,
			"the gate is still looking at what is there: once more in a moment");
		return false;
	}
	if (sweep_writes_blocked(sweep)[0]) {
		str_copy(problem, size, sweep_writes_blocked(sweep));
		return false;
	}
	for (size_t i = 0; i < writes->look_count; i++) {
		const struct gate_report *report = &writes->looks[i].report;

		if (is_free(&writes->looks[i]))
			continue;
		if (wants_typed(&writes->looks[i])) {
			if (!is_typed(typed, report->identity, writes->look_count > 1))
				return missing(sweep, "typed", report, problem, size);
			str_copy(consent->typed[consent->typed_count++], sizeof(consent->typed[0]),
				report->identity);
		} else if (!allowed) {
			return missing(sweep, "allow", report, problem, size);
		}
		consent->write = true;
	}
	return true;
}
