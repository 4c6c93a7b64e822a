/* Check: one read at a time, a short curve of 4K random reads, 128K sequential reads; at most a
 * minute with everything around it, and never a write, whatever the workload says (METHODS 4). */
#include "sweep/method_check.h"

#include <errno.h>
#include <math.h>

#include "base/str.h"
#include "result/check.h"
#include "sweep/method.h"
#include "sweep/method_context.h"

#define ORIGIN "built in: nvsweep check"

/* The whole check is over within 60 s: pages are waited for 5 s before the run is started
 * (admin_timeout_s) and 2 s after its end, and a drive may take 5 s to give back what is in flight
 * when time is up. What is left is the run's. */
#define LIMIT_S 46.0
/* Under so much a window says nothing: the step is left out. */
#define WINDOW_LEAST_S 0.5

#define RANDOM_BYTES 4096u
#define SEQUENTIAL_BYTES 131072u
#define SEQUENTIAL_OUTSTANDING 32u /* 4 MiB: enough for a drive that reads 10 GB/s in 400 us */

enum { LOAD_RANDOM = 1, LOAD_SEQUENTIAL };

static const char workload_text[] =
	"# What nvsweep check reads at random: the method adds one read at a time, and 128K\n"
	"# sequential reads.\n"
	"[workload]\n"
	"title = 4K random read\n"
	"help = Small random reads: what the quick check finds a drive's peak with.\n"
	"basis = R\n"
	"basis_text = outstanding as in published reviews of 4K random reads\n"
	"outstanding = 128\n"
	"\n"
	"[stream]\n"
	"read_pct = 100\n"
	"random_pct = 100\n"
	"read_sizes = 4k/100\n";

/* Seconds of each step, warm-up and window; together 37.5. */
static const struct {
	double warmup_s, window_s;
} latency = {0.5, 5}, search = {0.5, 1.5}, point = {0.5, 3.5}, sequential = {1, 5};

static const uint32_t depths[] = {16, 64, CHECK_OUTSTANDING};
static const double percents[] = {25, 50, 75, 90, 100};

#define DEPTH_COUNT (sizeof(depths) / sizeof(depths[0]))
#define POINT_COUNT (sizeof(percents) / sizeof(percents[0]))
#define STEP_COUNT (1 + DEPTH_COUNT + POINT_COUNT + 1)
_Static_assert(POINT_COUNT == CHECK_CURVE_POINTS, "the judgement knows when the curve is whole");

int check_workload(struct workload **out, struct err *err)
{
	return workload_from_text(CHECK_METHOD, ORIGIN, workload_text, out, err);
}

void check_options(struct options *out)
{
	options_defaults(out);
	out->warmup_s = sequential.warmup_s;
	out->point_s = fmax(latency.window_s, sequential.window_s);
}

/* ---- steps ---------------------------------------------------------------------------------- */

/* All steps in order; rates are filled in when the maximum is known. */
static void plan_steps(const struct options *options, struct method_step steps[STEP_COUNT])
{
	size_t n = 0;

	steps[n] = (struct method_step){.load = LOAD_RANDOM,
		.load_name = CHECK_LOAD_RANDOM,
		.outstanding = 1,
		.warmup_s = latency.warmup_s,
		.window_s = latency.window_s};
	str_copy(steps[n].label, sizeof(steps[n].label), "1 outstanding");
	str_copy(steps[n++].phase, sizeof(steps[0].phase), "4K reads, one at a time");
	for (size_t i = 0; i < DEPTH_COUNT; i++, n++) {
		steps[n] = (struct method_step){.search = true,
			.load = LOAD_RANDOM,
			.load_name = CHECK_LOAD_RANDOM,
			.outstanding = depths[i],
			.warmup_s = search.warmup_s,
			.window_s = search.window_s};
		str_format(steps[n].label, sizeof(steps[n].label), "%u outstanding", depths[i]);
		str_format(steps[n].phase, sizeof(steps[n].phase), "4K reads, %u outstanding",
			depths[i]);
	}
	for (size_t i = 0; i < POINT_COUNT; i++, n++) {
		steps[n] = (struct method_step){.load = LOAD_RANDOM,
			.load_name = CHECK_LOAD_RANDOM,
			.percent = percents[i],
			.outstanding = CHECK_OUTSTANDING,
			.warmup_s = point.warmup_s,
			.window_s = point.window_s};
		str_format(steps[n].label, sizeof(steps[n].label), "%.10g %%", percents[i]);
		str_format(steps[n].phase, sizeof(steps[n].phase),
			"4K reads at %.10g %% of the maximum", percents[i]);
	}
	steps[n] = (struct method_step){.load = LOAD_SEQUENTIAL,
		.load_name = CHECK_LOAD_SEQUENTIAL,
		.outstanding = SEQUENTIAL_OUTSTANDING,
		.warmup_s = sequential.warmup_s,
		.window_s = sequential.window_s};
	str_copy(steps[n].label, sizeof(steps[n].label), "128K sequential");
	str_copy(steps[n++].phase, sizeof(steps[0].phase), "128K sequential reads");
	for (size_t i = 0; i < STEP_COUNT; i++) {
		steps[i].warmup_s = fmin(steps[i].warmup_s, options->warmup_s);
		steps[i].window_s = fmin(steps[i].window_s, options->point_s);
	}
}

static double step_seconds(const struct method_step *steps, size_t from, size_t to)
{
	double seconds = 0;

	for (size_t i = from; i < to; i++)
		seconds += steps[i].warmup_s + steps[i].window_s;
	return seconds;
}

static void check_plan(const struct options *options, const struct workload *workload,
	uint32_t *steps, double *seconds)
{
	struct method_step all[STEP_COUNT];

	(void)workload;
	plan_steps(options, all);
	*steps = STEP_COUNT;
	*seconds = step_seconds(all, 0, STEP_COUNT);
}

/* The step as it fits into what is left: a drive that takes long to finish what is in flight uses
 * up more than the windows. False: there is no room for it. */
static bool fit(struct method_context *context, const struct method_step *planned, size_t at,
	struct method_step *step)
{
	const double left = fmax(0, LIMIT_S - context->elapsed_s(context));
	const double seconds = step_seconds(planned, at, STEP_COUNT);
	const double scale = seconds > left ? left / seconds : 1;

	*step = planned[at];
	step->warmup_s *= scale;
	step->window_s *= scale;
	if (scale < 1)
		context->set_plan(
			context, percents, POINT_COUNT, (uint32_t)(STEP_COUNT - at), left);
	return step->window_s >= fmin(planned[at].window_s, WINDOW_LEAST_S);
}

static int check_run(struct method_context *context, struct err *err)
{
	struct method_step planned[STEP_COUNT], step;
	struct run_point maximum = {0}, out;
	bool searched = false;
	double seconds;
	uint32_t count;

	plan_steps(context->options, planned);
	check_plan(context->options, context->workload, &count, &seconds);
	context->set_plan(context, percents, POINT_COUNT, count, seconds);
	for (size_t i = 0; i < STEP_COUNT; i++) {
		const double percent = planned[i].percent;

		if (percent > 0 && !searched && maximum.iops > 0)
			context->set_maximum(context, &maximum);
		searched = searched || percent > 0;
		if ((percent > 0 && !(maximum.iops > 0)) || !fit(context, planned, i, &step))
			continue;
		step.rate_iops = maximum.iops * percent / 100;
		const int rc = context->measure(context, &step, &out, err);

		if (rc)
			return rc;
		if (step.search && out.iops > maximum.iops)
			maximum = out;
	}
	return 0;
}

/* ---- loads ---------------------------------------------------------------------------------- */

static void read_load(struct io_load *load, const struct options *options, uint32_t bytes,
	double random_share, uint32_t outstanding)
{
	struct io_stream *s = &load->streams[0];

	*load = (struct io_load){.stream_count = 1,
		.outstanding = outstanding,
		.arrivals = IO_ARRIVALS_EXPONENTIAL,
		.pace = IO_PACE_AUTO,
		.seed = options->seed};
	s->share = 1;
	s->read_share = 1;
	s->random_share = random_share;
	s->read_mix.count = 1;
	s->read_mix.size[0].bytes = bytes;
	s->read_mix.size[0].share = 1;
	s->write_mix = s->read_mix; /* of which there are none */
}

static size_t check_loads(
	const struct options *options, const struct workload *workload, struct io_load *out)
{
	(void)workload;
	read_load(&out[LOAD_RANDOM - 1], options, RANDOM_BYTES, 1, CHECK_OUTSTANDING);
	read_load(&out[LOAD_SEQUENTIAL - 1], options, SEQUENTIAL_BYTES, 0, SEQUENTIAL_OUTSTANDING);
	return 2;
}

static uint32_t check_outstanding(const struct options *options, const struct workload *workload)
{
	(void)options;
	(void)workload;
	return CHECK_OUTSTANDING;
}

const struct method_ops method_check = {
	.name = CHECK_METHOD,
	.title = "quick check: latency, a short curve, sequential reads, in a minute",
	.help = "Reads 4K at random, one at a time and then at 25 to 100 % of the maximum, and 128K in "
		"sequence. Writes nothing.",
	.run = check_run,
	.plan = check_plan,
	.loads = check_loads,
	.origin = ORIGIN,
	.limit_s = LIMIT_S,
	.outstanding = check_outstanding,
};
