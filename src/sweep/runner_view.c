/* Pictures of a run for the screen and the headless progress. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "sweep/load.h"
#include "sweep/runner_internal.h"

void runner_view_free(void *value)
{
	struct runner_view *view = value;

	if (!view)
		return;
	free(view->points);
	series_unref(view->series);
	free(view);
}

double runner_elapsed_s(const struct runner *runner)
{
	if (runner->virtual_time)
		return runner->virtual_s + (runner->step.active ? runner->step.elapsed_s : 0);
	return (double)(clock_monotonic_ns() - runner->started_ns) * 1e-9;
}

static void describe_phase(const struct runner *runner, char *buf, size_t size)
{
	const struct method_step *plan = &runner->step.plan;

	switch (runner->state) {
	case RUNNER_PREPARING:
		str_copy(buf, size, "preparing");
		return;
	case RUNNER_SAVING:
		str_copy(buf, size, "saving");
		return;
	case RUNNER_ENDED:
		str_copy(buf, size, run_outcome_name(runner->run->outcome));
		return;
	case RUNNER_RUNNING:
	case RUNNER_PAUSED:
	case RUNNER_STOPPING:
		break;
	}
	if (!runner->step.active)
		str_copy(buf, size, "between points");
	else if (plan->fill && runner->fill_bytes)
		str_format(buf, size, "%s, %.0f %% of it all", plan->phase,
			100.0 * (double)runner->run->prepare.bytes / (double)runner->fill_bytes);
	else if (plan->phase[0])
		str_copy(buf, size, plan->phase);
	else if (plan->search)
		str_format(buf, size, "maximum: %s", plan->label);
	else
		str_format(buf, size, "point %d of %zu: %s", runner->step.index + 1,
			runner->planned_count ? runner->planned_count : (size_t)runner->steps_total,
			plan->label);
}

/* The point so far, from the intervals of its window. */
static void describe_so_far(const struct runner *runner, struct runner_view *view)
{
	const struct runner_step *step = &runner->step;
	const struct io_tally *t = step->window;
	struct run_point *p = &view->so_far;

	run_point_clear(p);
	if (!step->active || !(step->window_s > 0))
		return;
	view->has_so_far = true;
	p->percent = step->plan.percent;
	str_copy(p->label, sizeof(p->label), step->plan.label);
	str_copy(p->load, sizeof(p->load), step->plan.load_name ? step->plan.load_name : "");
	p->asked_iops = step->plan.rate_iops;
	p->outstanding_limit = step->plan.outstanding;
	p->started_s = step->started_s;
	p->window_s = step->window_s;
	p->scheduled = t->scheduled;
	p->reads = t->reads;
	p->writes = t->writes;
	p->count = t->reads + t->writes;
	p->read_bytes = t->read_bytes;
	p->write_bytes = t->write_bytes;
	p->errors = t->errors;
	p->backlog = t->backlog;
	p->iops = (double)p->count / step->window_s;
	p->mib_s = (double)(p->read_bytes + p->write_bytes) / step->window_s / 1048576;
	p->outstanding_avg = t->outstanding_ns * 1e-9 / step->window_s;
	p->temperature_c = sampler_temperature(runner->sampler);
	hist_summary(&t->lateness, &p->lateness);
	hist_summary(&t->service, &p->service);
	hist_summary(&t->response, &p->response);
	hist_summary(&t->read_service, &p->read_service);
	hist_summary(&t->write_service, &p->write_service);
}

/* All passes, by the rate so far; NaN before there is one. */
static double fill_rest_s(const struct runner *runner, double elapsed_s)
{
	const double done = (double)runner->run->prepare.bytes;
	const double left = fmax(0, (double)runner->fill_bytes - done);

	return done > 0 ? left * elapsed_s / done : NAN;
}

static void describe_progress(const struct runner *runner, struct runner_view *view)
{
	const struct runner_step *step = &runner->step;
	double rest = 0;

	view->step = runner->steps_done;
	view->step_count = runner->steps_total;
	view->elapsed_s = runner_elapsed_s(runner);
	if (step->active) {
		view->point_elapsed_s = step->elapsed_s;
		view->point_total_s =
			step->plan.bytes ? NAN : step->plan.warmup_s + step->plan.window_s;
		rest = fmax(0, view->point_total_s - view->point_elapsed_s);
		if (isnan(view->point_total_s))
			rest = NAN;
	}
	if (step->active && step->plan.fill) {
		view->point_elapsed_s = view->elapsed_s - runner->fill_begun_s;
		rest = fill_rest_s(runner, view->point_elapsed_s);
		view->point_total_s = view->point_elapsed_s + rest;
	}
	view->total_s = view->elapsed_s + rest + runner->left_s;
	if (runner->state >= RUNNER_SAVING)
		view->total_s = view->elapsed_s;
	view->warmup = step->active && step->warmup;
	view->silent_s = runner->silent_s;
}

static void describe_run(const struct runner *runner, struct runner_view *view)
{
	const struct run *run = runner->run;

	str_copy(view->run_id, sizeof(view->run_id), run->id);
	if (run->target_count > 1)
		str_format(view->targets, sizeof(view->targets), "%s +%zu", run->targets[0].name,
			run->target_count - 1);
	else
		str_copy(view->targets, sizeof(view->targets), run->targets[0].name);
	str_copy(view->workload, sizeof(view->workload), run->workload);
	workload_summary(runner->workload, view->workload_summary, sizeof(view->workload_summary));
	str_copy(view->method, sizeof(view->method), run->method);
	str_copy(view->backend, sizeof(view->backend), run->engine.backend);
	str_copy(view->notes, sizeof(view->notes), run->engine.notes);
	view->has_maximum = run->has_maximum;
	view->maximum = run->maximum;
	view->maximum.histogram = NULL;
	view->maximum.histogram_count = 0;
	view->point_count = run->point_count;
	view->points = mem_alloc((run->point_count + 1) * sizeof(*view->points));
	for (size_t i = 0; i < run->point_count; i++) {
		view->points[i] = run->points[i];
		view->points[i].histogram = NULL;
		view->points[i].histogram_count = 0;
	}
	view->planned_count = runner->planned_count;
	memcpy(view->planned_percent, runner->planned_percent, sizeof(view->planned_percent));
	view->has_analysis = run->has_analysis;
	view->analysis = run->analysis;
	view->has_check = check_is(run);
	if (view->has_check)
		check_judge(run, &view->check);
	view->p99_limit_ns = run->p99_limit_ns;
	view->series = series_ref(run->series);
	view->simulated = run->simulated;
	view->writes = runner->writes || runner_fills(runner);
	view->spoiled_count = run->spoiled_count;
	memcpy(view->spoiled_by, run->spoiled_by, sizeof(view->spoiled_by));
	view->outcome = run->outcome;
	str_copy(view->reason, sizeof(view->reason), run->reason);
}

void runner_publish(struct runner *runner)
{
	struct runner_view *view = mem_alloc(sizeof(*view));

	view->state = runner->state;
	describe_run(runner, view);
	describe_phase(runner, view->phase, sizeof(view->phase));
	describe_progress(runner, view);
	describe_so_far(runner, view);
	view->has_current = runner->step.active && runner->step.has_current;
	view->current = runner->step.current;
	view->asked_iops = runner->step.active ? runner->step.plan.rate_iops : 0;
	view->temperature_c = sampler_temperature(runner->sampler);
	str_copy(view->saved_path, sizeof(view->saved_path), runner->saved_path);
	str_copy(view->save_fault, sizeof(view->save_fault), runner->save_fault);
	runner->published_ns = clock_monotonic_ns();
	mailbox_post(&runner->box, view);
}
