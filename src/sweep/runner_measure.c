/* One step of a method: a phase of the pool, its intervals as they close, its point. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "sweep/runner_internal.h"

#define TURN_MS 100                    /* stop and pause are noticed so soon */
#define SILENT_NS UINT64_C(1000000000) /* no completion for so long is shown */
#define PUBLISH_NS UINT64_C(500000000)
#define ABANDON_NS UINT64_C(8000000000) /* the pool itself waits 5 s for what is in flight */
#define STALLED_NS UINT64_C(500000000)
#define HOPELESS_ERRORS 100 /* nothing but errors: the step is ended */
#define KEEP_SHARE 0.25     /* of a window that was stopped, to be worth a point */
#define BYTES_INTERVAL_S 0.25
#define FILL_INTERVAL_S 1.0

#define NS_PER_S 1e9

/* Twenty to a point, so that graphs move in short ones too; a second at most. */
static double interval_seconds(const struct method_step *plan)
{
	if (plan->fill)
		return FILL_INTERVAL_S;
	if (plan->bytes)
		return BYTES_INTERVAL_S;
	return fmin(1, fmax(0.1, plan->window_s / 20));
}

static void begin_step(struct runner *runner, const struct method_step *plan)
{
	struct runner_step *step = &runner->step;
	const double seconds = plan->bytes || plan->fill ? 0 : plan->warmup_s + plan->window_s;

	step->active = true;
	step->plan = *plan;
	step->warmup = plan->warmup_s > 0;
	step->index = plan->search || plan->fill ? -1 : (int32_t)runner->run->point_count;
	step->elapsed_s = 0;
	step->started_s = runner_elapsed_s(runner);
	step->own_bytes = 0;
	step->has_current = false;
	step->window_s = 0;
	memset(step->window, 0, sizeof(*step->window));
	hist_reset(&step->window->service);
	hist_reset(&step->window->response);
	hist_reset(&step->window->lateness);
	hist_reset(&step->window->read_service);
	hist_reset(&step->window->write_service);
	runner->left_s = isnan(runner->left_s) ? 0 : fmax(0, runner->left_s - seconds);
	runner->silent_s = 0;
}

static void merge_window(struct io_tally *into, const struct io_tally *t)
{
	into->scheduled += t->scheduled;
	into->reads += t->reads;
	into->writes += t->writes;
	into->read_bytes += t->read_bytes;
	into->write_bytes += t->write_bytes;
	into->errors += t->errors;
	into->outstanding_ns += t->outstanding_ns;
	into->backlog = t->backlog;
	hist_merge(&into->service, &t->service);
	hist_merge(&into->response, &t->response);
	hist_merge(&into->lateness, &t->lateness);
	hist_merge(&into->read_service, &t->read_service);
	hist_merge(&into->write_service, &t->write_service);
}

static void to_interval(
	const struct runner *runner, const struct io_interval *from, struct interval *to)
{
	const struct io_tally *t = &from->total;
	const double seconds = (double)from->length_ns / NS_PER_S;
	const uint64_t count = t->reads + t->writes;

	*to = (struct interval){
		.start_s = runner->step.started_s + (double)from->start_ns / NS_PER_S,
		.length_s = seconds,
		.point = runner->step.index,
		.warmup = from->warmup,
		.scheduled = t->scheduled,
		.reads = t->reads,
		.writes = t->writes,
		.read_bytes = t->read_bytes,
		.write_bytes = t->write_bytes,
		.errors = t->errors,
		.iops = seconds > 0 ? (double)count / seconds : NAN,
		.mib_s = seconds > 0 ? (double)(t->read_bytes + t->write_bytes) / seconds / 1048576
				     : NAN,
		.outstanding = seconds > 0 ? t->outstanding_ns / (double)from->length_ns : NAN,
		.backlog = t->backlog,
		.oldest_wait_ns = (double)t->oldest_wait_ns,
		.oldest_io_ns = (double)t->oldest_io_ns,
		.cpu_pct = seconds > 0 && !runner->virtual_time
			? (float)(100 * (double)t->cpu_ns / (double)from->length_ns)
			: NAN,
		/* a free run is ahead of what could be asked now */
		.temperature_c = runner->virtual_time && !runner->paced
			? NAN
			: (float)sampler_temperature(runner->sampler)};
	hist_summary(&t->service, &to->service);
	hist_summary(&t->response, &to->response);
}

/* A full disk does not end the test: it is said, and tried again with the next line. */
static void note_journal(struct runner *runner, int rc, const struct err *err)
{
	if (rc && !runner->save_fault[0])
		str_format(runner->save_fault, sizeof(runner->save_fault),
			"%.200s; the test goes on", err->text);
}

void runner_journal_prepare(struct runner *runner)
{
	struct err err;

	if (!runner->journal)
		return;
	err_clear(&err);
	note_journal(runner, journal_prepare(runner->journal, runner->run, &err), &err);
}

static void take_interval(struct runner *runner, struct runner_turn *turn)
{
	const struct io_interval *from = runner->interval;
	struct runner_step *step = &runner->step;
	const struct io_tally *t = &from->total;
	struct err err;

	to_interval(runner, from, &step->current);
	step->has_current = true;
	step->warmup = from->warmup;
	step->elapsed_s = (double)(from->start_ns + from->length_ns) / NS_PER_S;
	step->own_bytes += t->read_bytes + t->write_bytes;
	runner->run->read_bytes += t->read_bytes;
	runner->run->write_bytes += t->write_bytes;
	if (step->plan.fill)
		runner->run->prepare.bytes += t->write_bytes;
	if (!from->warmup) {
		merge_window(step->window, t);
		step->window_s += step->current.length_s;
	}
	series_append(runner->run->series, &step->current);
	if (runner->journal) {
		err_clear(&err);
		note_journal(runner, journal_interval(runner->journal, &step->current, &err), &err);
	}
	runner->doubts.errors += t->errors;
	if (t->first_error && !turn->first_error)
		turn->first_error = t->first_error;
	if (t->first_error && !runner->doubts.first_error)
		runner->doubts.first_error = t->first_error;
	turn->lost = turn->lost || t->device_lost;
	if (!turn->write_refused)
		turn->write_refused = t->write_refused;
	turn->errors += t->errors;
	turn->completions += t->reads + t->writes;
	turn->hopeless = !turn->completions && turn->errors >= HOPELESS_ERRORS;
	runner->silent_s = 0;
	runner_publish(runner);
}

/* Every pause is told: queues ran empty, a drive may have rested or slept. */
static void note_pause(struct runner *runner)
{
	const uint64_t now = clock_monotonic_ns();

	if (!runner->paused_now) {
		runner->paused_since_ns = now;
		return;
	}
	run_spoil(runner->run, "the test was paused for %.1f s at %s",
		(double)(now - runner->paused_since_ns) / NS_PER_S, runner->step.plan.label);
}

/* Stop, pause, and what ends a step by itself. */
static void obey(struct runner *runner, struct runner_turn *turn)
{
	const bool paused = atomic_load(&runner->pause), stop = atomic_load(&runner->stop);

	if (paused != runner->paused_now && !turn->stop_sent) {
		note_pause(runner);
		turn->paused = true;
		runner->paused_now = paused;
		io_pool_pause(runner->pool, paused);
		runner->state = paused ? RUNNER_PAUSED : RUNNER_RUNNING;
		runner_publish(runner);
	}
	if (turn->stop_sent || !(stop || turn->lost || turn->write_refused || turn->hopeless))
		return;
	if (runner->paused_now)
		note_pause(runner);
	turn->stop_sent = true;
	turn->stop_sent_ns = clock_monotonic_ns();
	io_pool_stop(runner->pool);
	runner->state = RUNNER_STOPPING;
	runner_publish(runner);
}

static void notice_silence(struct runner *runner)
{
	const uint64_t silent = io_pool_silent_ns(runner->pool);

	runner->silent_s = silent >= SILENT_NS ? (double)silent / NS_PER_S : 0;
	if (clock_monotonic_ns() - runner->published_ns >= PUBLISH_NS)
		runner_publish(runner);
}

/* Until the phase is over. 0, or -errno when the pool does not come back. */
static int follow_phase(struct runner *runner, struct runner_turn *turn, struct err *err)
{
	for (;;) {
		const uint64_t before = clock_monotonic_ns();
		const int rc = io_pool_next_interval(runner->pool, TURN_MS, runner->interval, err);
		const uint64_t away = clock_monotonic_ns() - before;

		/* A turn takes 100 ms at most: the process was stopped, or got no CPU. */
		if (away > STALLED_NS && away > runner->doubts.stalled_ns && !runner->paused_now)
			runner->doubts.stalled_ns = away;

		if (!runner->virtual_time || runner->paced)
			sampler_tick(runner->sampler);
		if (rc == 1)
			take_interval(runner, turn);
		else if (rc == -ETIMEDOUT)
			notice_silence(runner);
		else
			return rc;
		obey(runner, turn);
		if (turn->stop_sent && clock_monotonic_ns() - turn->stop_sent_ns > ABANDON_NS) {
			runner->abandoned = true;
			return err_set(err, -ETIMEDOUT,
				"the drive does not answer: I/O is out and does not come back");
		}
	}
}

static void copy_histogram(const struct hist *hist, struct run_point *point)
{
	const size_t count = hist_pairs(hist, NULL, 0);

	point->histogram = mem_alloc((count + 1) * sizeof(*point->histogram));
	point->histogram_count = hist_pairs(hist, point->histogram, count);
}

static const char *limit_of(
	const struct method_step *plan, const struct run_point *point, bool host_limited)
{
	const bool short_of = run_point_fell_short(point);

	if (point->errors * 100 > point->count)
		return "errors";
	if (host_limited && (point->saturated || short_of || !(plan->rate_iops > 0)))
		return "host";
	return point->saturated || short_of ? "drive" : "";
}

/* Per target: what the step asks for, or less where the backend has no room for it. */
static uint32_t outstanding_possible(const struct runner *runner, const struct method_step *plan)
{
	const uint32_t most = io_pool_facts(runner->pool)->depth;

	return most && most < plan->outstanding ? most : plan->outstanding;
}

static void to_point(
	const struct runner *runner, const struct io_phase_result *result, struct run_point *point)
{
	const struct method_step *plan = &runner->step.plan;
	const struct io_tally *t = &result->total;
	const double window_ns = (double)result->window_ns;

	run_point_clear(point);
	point->percent = plan->percent;
	str_copy(point->label, sizeof(point->label), plan->label);
	str_copy(point->load, sizeof(point->load), plan->load_name ? plan->load_name : "");
	point->asked_iops = plan->rate_iops;
	point->outstanding_limit =
		outstanding_possible(runner, plan) * (uint32_t)runner->target_count;
	point->started_s = runner->step.started_s;
	point->window_s = window_ns / NS_PER_S;
	point->scheduled = t->scheduled;
	point->reads = t->reads;
	point->writes = t->writes;
	point->count = t->reads + t->writes;
	point->read_bytes = t->read_bytes;
	point->write_bytes = t->write_bytes;
	point->errors = t->errors;
	point->short_reads = t->short_reads;
	point->short_writes = t->short_writes;
	point->retries = t->retries;
	if (window_ns > 0) {
		point->iops = (double)point->count / point->window_s;
		point->mib_s = (double)(t->read_bytes + t->write_bytes) / point->window_s / 1048576;
		point->outstanding_avg = t->outstanding_ns / window_ns;
		/* Of virtual time the processor says nothing, and such runs repeat. */
		if (!runner->virtual_time) {
			point->cpu_pct = 100 * (double)t->cpu_ns / window_ns;
			point->cpu_wait_pct = result->worker_delay_pct;
		}
	}
	point->saturated = result->saturated;
	point->saturated_age_ns = (double)result->saturated_age_ns;
	point->backlog = t->backlog;
	if (runner->simulated_backend && !runner->paced)
		sampler_read_simulated(runner->sampler);
	point->temperature_c = sampler_temperature(runner->sampler);
	hist_summary(&t->lateness, &point->lateness);
	hist_summary(&t->service, &point->service);
	hist_summary(&t->response, &point->response);
	hist_summary(&t->read_service, &point->read_service);
	hist_summary(&t->write_service, &point->write_service);
	copy_histogram(&t->service, point);
	str_copy(point->limited_by, sizeof(point->limited_by),
		limit_of(plan, point, result->host_limited));
}

static bool worth_keeping(
	const struct method_step *plan, const struct run_point *point, bool stopped)
{
	if (!stopped)
		return true;
	if (plan->search || !point->count)
		return false;
	return plan->bytes || point->window_s >= KEEP_SHARE * plan->window_s;
}

static void record_point(struct runner *runner, struct run_point *point)
{
	const bool search = runner->step.plan.search;
	struct err err;

	if (search)
		run_add_search(runner->run, point);
	else
		run_add_point(runner->run, point);
	run_analyse(runner->run);
	if (!runner->journal)
		return;
	err_clear(&err);
	note_journal(runner, journal_point(runner->journal, point, search, &err), &err);
}

static const char *refusing_target(
	const struct runner *runner, const struct io_phase_result *result)
{
	for (uint32_t i = 0; i < result->lane_count; i++)
		if (result->lanes[i].write_refused)
			return runner->targets[i].info.name;
	return runner->targets[0].info.name;
}

static int say_refused(const char *name, int code, struct err *err)
{
	switch (-code) {
	case ENOSPC:
		return err_set(err, code,
			"%s: a write found no space left: the file system, or the thin volume "
			"below it, is full",
			name);
	case EDQUOT:
		return err_set(err, code, "%s: a write went over the disk quota", name);
	case EROFS:
		return err_set(err, code, "%s: it became read-only while it was written", name);
	case EFBIG:
		return err_set(err, code,
			"%s: a write went over the largest size of a file (ulimit -f, or the file "
			"system's)",
			name);
	case EPERM:
		return err_set(err, code,
			"%s: writing is not permitted (write protection, an immutable file?)",
			name);
	default:
		return err_set(
			err, code, "%s: it cannot be written: %s", name, err_errno_text(code));
	}
}

int runner_judge(const struct runner *runner, const struct runner_turn *turn,
	const struct io_phase_result *result, struct err *err)
{
	const struct io_tally *total = &result->total;
	const int refused = turn->write_refused ? turn->write_refused : total->write_refused;

	if (turn->lost || total->device_lost)
		return err_set(err, -ENODEV, "the device was lost: %s",
			turn->first_error ? err_errno_text(-turn->first_error)
					  : "the last I/O of a point failed");
	if (result->abandoned)
		return err_set(err, -ETIMEDOUT, "the drive does not answer: %u I/O%s not come back",
			result->abandoned, result->abandoned == 1 ? " has" : "s have");
	if (refused)
		return say_refused(refusing_target(runner, result), refused, err);
	if (atomic_load(&runner->stop))
		return -ECANCELED;
	if (turn->hopeless || (total->errors && !total->reads && !total->writes))
		return err_set(err, turn->first_error ? turn->first_error : -EIO,
			"every I/O fails: %s", err_errno_text(-turn->first_error));
	return 0;
}

int runner_phase(struct runner *runner, const struct method_step *plan,
	const struct io_phase *phase, struct runner_turn *turn, struct io_phase_result *result,
	struct err *err)
{
	int rc = atomic_load(&runner->stop) ? -ECANCELED : 0;

	if (!rc && io_load_writes(&phase->load))
		rc = runner_recheck(runner, err);
	if (rc)
		return rc;
	begin_step(runner, plan);
	runner_iostat_begin(runner);
	rc = io_pool_begin(runner->pool, phase, err);
	if (!rc) {
		runner_publish(runner);
		obey(runner, turn);
		rc = follow_phase(runner, turn, err);
	}
	if (!rc)
		rc = io_pool_end(runner->pool, result, err);
	if (!rc) {
		runner->run->read_bytes += result->uncounted_read_bytes;
		runner->run->write_bytes += result->uncounted_write_bytes;
		if (!turn->paused) /* a pause has been told already */
			runner->doubts.suspended_ns += result->suspended_ns;
		runner->doubts.punted = runner->doubts.punted || sampler_kernel_workers() > 0;
		runner_iostat_end(runner);
	}
	return rc;
}

void runner_end_step(struct runner *runner, int rc, const struct err *err)
{
	if (!runner->step.active)
		return;
	if (runner->virtual_time)
		runner->virtual_s += runner->step.elapsed_s;
	runner->step.active = false;
	runner->steps_done++;
	if (rc && rc != -ECANCELED)
		log_warn("step %s: %s", runner->step.plan.label, err ? err->text : "failed");
	runner_publish(runner);
}

/* The step's point, recorded where it is worth it. */
static void keep_point(
	struct runner *runner, const struct io_phase_result *result, struct run_point *out)
{
	to_point(runner, result, out);
	if (worth_keeping(&runner->step.plan, out, result->stopped))
		record_point(runner, out);
	else
		free(out->histogram);
	out->histogram = NULL;
	out->histogram_count = 0;
}

int runner_measure(struct method_context *context, const struct method_step *plan,
	struct run_point *out, struct err *err)
{
	struct runner *runner = context->user;
	struct io_phase phase = {.load = runner->loads[plan->load],
		.warmup_ns = (uint64_t)(plan->warmup_s * NS_PER_S),
		.window_ns = plan->bytes ? 0 : (uint64_t)(plan->window_s * NS_PER_S),
		.total_bytes = plan->bytes,
		.interval_ns = (uint64_t)(interval_seconds(plan) * NS_PER_S)};
	struct io_phase_result *result = mem_alloc(sizeof(*result));
	struct runner_turn turn = {0};
	int rc;

	run_point_clear(out);
	phase.load.outstanding = plan->outstanding;
	phase.load.rate_iops = plan->rate_iops / (double)runner->target_count;
	rc = runner_phase(runner, plan, &phase, &turn, result, err);
	if (!rc) {
		keep_point(runner, result, out);
		rc = runner_judge(runner, &turn, result, err);
		io_phase_result_free(result);
	}
	free(result);
	runner_end_step(runner, rc, err);
	return rc;
}
